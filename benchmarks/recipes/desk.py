"""Recipes for the calendar, mail, notes, notifications, health and the workspace."""

from __future__ import annotations

from typing import Any

from recipes.scene import Recipe, Scene

__all__ = ["DESK"]

Arguments = dict[str, Any]
_READINGS = (("steps", 3000, 12000), ("heart_rate", 55, 120), ("weight", 50, 90), ("sleep_min", 200, 500))
_PLAIN = ("paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item", "to_do", "quote", "toggle")


# -- calendar ------------------------------------------------------------------------------------------------------


def create_event(s: Scene) -> Arguments:
    day = s.day(0, 60)
    return {"summary": s.text(), "start": s.hour(day, 8, 14), "end": s.hour(day, 15, 20)}


def update_event(s: Scene) -> Arguments:
    own = {row["calendar_id"] for row in s.rows("calendar.calendars", access=("owner", "writer"))}
    event = s.pick("calendar.events", lambda row: row["calendar_id"] in own)
    return {"event_id": event["event_id"], "summary": s.text(), "location": s.text()}


# -- mail ----------------------------------------------------------------------------------------------------------


def send_email(s: Scene) -> Arguments:
    return {"to": f"{s.name('a')}@mail.example", "subject": s.text(), "body": s.text()}


def save_draft(s: Scene) -> Arguments:
    return {"to": "bo@mail.example", "subject": s.text(), "body": s.text()}


def _draft(s: Scene) -> str:
    found = s.pick_after(lambda s: s.make("email.save_draft"), "email.mails", folder="Drafts")
    return str(found["email_id"])


def update_draft(s: Scene) -> Arguments:
    return {"draft_id": _draft(s), "body": s.text()}


def delete_draft(s: Scene) -> Arguments:
    return {"draft_id": _draft(s)}


def _mail(s: Scene) -> str:
    return str(s.pick("email.mails", lambda row: row["folder"] != "Drafts")["email_id"])


def forward_email(s: Scene) -> Arguments:
    return {"email_id": _mail(s), "to": "bo@mail.example", "body": s.text()}


def move_emails(s: Scene) -> Arguments:
    return {
        "email_ids": list({_mail(s): None, _mail(s): None}),
        "target_folder": s.choose(("Archive", "INBOX", "Trash")),
    }


def delete_email(s: Scene) -> Arguments:
    return {"email_id": _mail(s)}


def delete_emails(s: Scene) -> Arguments:
    return {"email_ids": [_mail(s)]}


def create_folder(s: Scene) -> Arguments:
    made = s.rows("email.folders")
    if len(made) > 40:
        s.call("email.delete_folder", folder_name=made[0]["name"])
    return {"folder_name": s.text()}


def delete_folder(s: Scene) -> Arguments:
    return {"folder_name": s.pick_after(lambda s: s.make("email.create_folder"), "email.folders")["name"]}


def download_attachment(s: Scene) -> Arguments:
    def arrive(s: Scene) -> None:
        s.happen(
            "email.deliver",
            sender="desk@harbour.example",
            sender_name="Harbour",
            subject=s.text(),
            body=s.text(),
            attachments=[{"filename": "lease.txt", "text": s.text()}],
        )

    mail = s.pick_after(arrive, "email.mails", lambda row: row["attachments"])
    return {"email_id": mail["email_id"], "attachment_filename": s.choose(mail["attachments"])["filename"]}


def export_emails(s: Scene) -> Arguments:
    return {"folder": s.choose(("Sent", "Archive", "INBOX")), "max_emails": 3, "export_path": "out/mails.json"}


def import_emails(s: Scene) -> Arguments:
    s.make("email.export_emails")
    return {"import_path": "out/mails.json", "target_folder": "Archive"}


# -- notes ---------------------------------------------------------------------------------------------------------


def _page(s: Scene) -> Any:
    return s.pick_after(lambda s: s.make("notion.post_page"), "notion.pages", in_trash=False)


def _database(s: Scene) -> Any:
    return s.pick_after(lambda s: s.make("notion.create_a_database"), "notion.databases", in_trash=False)


def get_user(s: Scene) -> Arguments:
    return {"user_id": s.pick("notion.users")["id"]}


def post_search(s: Scene) -> Arguments:
    kind = s.choose(("page", "database"))
    return {"query": s.text(), "filter": {"property": "object", "value": kind}, "page_size": s.number(1, 9)}


def of_page(s: Scene) -> Arguments:
    return {"block_id": _page(s)["id"]}


def post_page(s: Scene) -> Arguments:
    parent: Arguments = {"type": "workspace", "workspace": True}
    pages = s.rows("notion.pages", in_trash=False)
    if pages and s.chance(0.6):
        parent = {"page_id": s.choose(pages)["id"]}
    return {"parent": parent, "properties": {"title": s.text()}, "children": [s.text()]}


def patch_page(s: Scene) -> Arguments:
    return {"page_id": _page(s)["id"], "icon": {"type": "emoji", "emoji": s.choose(("☀", "☂"))}}


def retrieve_a_page_property(s: Scene) -> Arguments:
    shown = s.call("notion.retrieve_a_page", page_id=_page(s)["id"])
    return {"page_id": shown["id"], "property_id": s.choose(list(shown["properties"]))}


def create_a_database(s: Scene) -> Arguments:
    return {
        "parent": {"page_id": _page(s)["id"]},
        "title": s.text(),
        "properties": {"Name": {"title": {}}, "Cost": {"number": {}}},
    }


def retrieve_a_database(s: Scene) -> Arguments:
    return {"database_id": _database(s)["id"]}


def update_a_database(s: Scene) -> Arguments:
    changes: Arguments = {"title": s.text()} if s.chance(0.5) else {"properties": {s.text(): {"checkbox": {}}}}
    return {"database_id": _database(s)["id"]} | changes


def patch_block_children(s: Scene) -> Arguments:
    return {"block_id": _page(s)["id"], "children": [s.text(), {"to_do": {"rich_text": s.text(), "checked": False}}]}


def _block(s: Scene, **fields: Any) -> Any:
    pages = {row["id"] for row in s.rows("notion.pages", in_trash=False)}
    return s.pick_after(
        lambda s: s.make("notion.patch_block_children"),
        "notion.blocks",
        lambda row: row["parent_id"] in pages,
        **fields,
    )


def update_a_block(s: Scene) -> Arguments:
    block = _block(s, type=_PLAIN)
    return {"block_id": block["id"], block["type"]: {"rich_text": s.text()}}


def delete_a_block(s: Scene) -> Arguments:
    return {"block_id": _block(s)["id"]}


def create_a_comment(s: Scene) -> Arguments:
    discussions = s.rows("notion.comments")
    if discussions and s.chance(0.3):
        return {"discussion_id": s.choose(discussions)["discussion_id"], "rich_text": s.text()}
    return {"parent": {"page_id": _page(s)["id"]}, "rich_text": s.text()}


# -- notifications -------------------------------------------------------------------------------------------------


def create_subscription(s: Scene) -> Arguments:
    mine = s.rows("notification_hub.subscriptions", user_id=s.owner)
    if len(mine) > 80:
        s.call("notification_hub.delete_subscription", subscription_id=mine[0]["subscription_id"])
    return {
        "user_id": s.owner,
        "source": s.choose([name for name in s.world.services if name != "notification_hub"] or ["*"]),
        "type": s.choose(("status", "price")),
        "target": s.name("thing"),
        "condition_json": {"changed": True},
    }


def _subscription(s: Scene, **fields: Any) -> Any:
    return s.pick_after(
        lambda s: s.make("notification_hub.create_subscription"), "notification_hub.subscriptions", **fields
    )


def get_subscription(s: Scene) -> Arguments:
    return {"subscription_id": _subscription(s)["subscription_id"]}


def update_subscription(s: Scene) -> Arguments:
    return get_subscription(s) | {"target": s.name("thing")}


def pause_subscription(s: Scene) -> Arguments:
    return {"subscription_id": _subscription(s, status="active")["subscription_id"]}


def resume_subscription(s: Scene) -> Arguments:
    paused = s.pick_after(
        lambda s: s.make("notification_hub.pause_subscription"), "notification_hub.subscriptions", status="paused"
    )
    return {"subscription_id": paused["subscription_id"]}


def create_price_alert(s: Scene) -> Arguments:
    return {"user_id": s.owner, "item_ref": s.name("item"), "target_price_minor": s.number(1, 9000)}


def subscribe_official_account(s: Scene) -> Arguments:
    user = s.name("u")
    return {"user_id": user, "account_id": s.pick("notification_hub.accounts")["account_id"]}


# -- health --------------------------------------------------------------------------------------------------------


def _user(s: Scene) -> str:
    return str(s.pick("health_tracker.users")["user_id"])


def log_metric(s: Scene) -> Arguments:
    kind, low, high = s.choose(_READINGS)
    return {"user_id": _user(s), "type": kind, "value": float(s.number(low, high)), "recorded_at": s.at(-200, -1)}


def log_workout(s: Scene) -> Arguments:
    duration = s.number(10, 60)
    return {
        "user_id": _user(s),
        "type": s.choose(("walking", "cycling", "yoga")),
        "duration_min": duration,
        "started_at": s.at(-200, -2),
    }


def log_nutrition(s: Scene) -> Arguments:
    return {
        "user_id": _user(s),
        "meal": s.choose(("breakfast", "lunch", "dinner")),
        "calories": s.number(100, 900),
        "logged_at": s.at(-200, -1),
    }


def set_goal(s: Scene) -> Arguments:
    kind, low, high = s.choose(_READINGS)
    return {"user_id": _user(s), "type": kind, "target": float(s.number(low, high)), "period": "day"}


def delete_metric(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("health_tracker.log_metric"), "health_tracker.metrics")
    return {"metric_id": found["metric_id"]}


def delete_workout(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("health_tracker.log_workout"), "health_tracker.workouts")
    return {"workout_id": found["workout_id"]}


def get_goal_progress(s: Scene) -> Arguments:
    goal = s.pick_after(lambda s: s.make("health_tracker.set_goal"), "health_tracker.goals")
    return {"user_id": goal["user_id"], "goal_id": goal["goal_id"]}


def _metric(s: Scene) -> Arguments:
    reading = s.pick_after(lambda s: s.make("health_tracker.log_metric"), "health_tracker.metrics")
    return {"user_id": reading["user_id"], "type": reading["type"]}


def get_metric_summary(s: Scene) -> Arguments:
    return _metric(s) | {"period": s.choose(("day", "week", "month"))}


# -- workspace -----------------------------------------------------------------------------------------------------


def _path(s: Scene) -> str:
    paths = s.world.workspace.paths()
    if len(paths) < 4:
        s.make("workspace.write_file")
        paths = s.world.workspace.paths()
    return s.choose(paths)


def write_file(s: Scene) -> Arguments:
    return {"path": f"notes/{s.name('n')}.md", "text": f"{s.text()}\n{s.text()}\n"}


def read_file(s: Scene) -> Arguments:
    return {"path": _path(s)}


def edit_file(s: Scene) -> Arguments:
    made = s.make("workspace.write_file", text="one two three\n")
    return {"path": made["path"], "old": s.choose(("one", "two", "three")), "new": s.text()}


def move_file(s: Scene) -> Arguments:
    return {"path": _path(s), "new_path": f"moved/{s.name('n')}.md"}


DESK: dict[str, Recipe] = {
    "calendar.create_event": create_event,
    "calendar.update_event": update_event,
    "email.create_folder": create_folder,
    "email.delete_draft": delete_draft,
    "email.delete_email": delete_email,
    "email.delete_emails": delete_emails,
    "email.delete_folder": delete_folder,
    "email.download_attachment": download_attachment,
    "email.export_emails": export_emails,
    "email.forward_email": forward_email,
    "email.import_emails": import_emails,
    "email.move_emails": move_emails,
    "email.save_draft": save_draft,
    "email.send_email": send_email,
    "email.update_draft": update_draft,
    "health_tracker.delete_metric": delete_metric,
    "health_tracker.delete_workout": delete_workout,
    "health_tracker.get_goal_progress": get_goal_progress,
    "health_tracker.get_latest_metric": _metric,
    "health_tracker.get_metric_summary": get_metric_summary,
    "health_tracker.get_metrics": _metric,
    "health_tracker.log_metric": log_metric,
    "health_tracker.log_nutrition": log_nutrition,
    "health_tracker.log_workout": log_workout,
    "health_tracker.set_goal": set_goal,
    "notification_hub.create_price_alert": create_price_alert,
    "notification_hub.create_subscription": create_subscription,
    "notification_hub.delete_subscription": get_subscription,
    "notification_hub.get_subscription": get_subscription,
    "notification_hub.pause_subscription": pause_subscription,
    "notification_hub.resume_subscription": resume_subscription,
    "notification_hub.subscribe_official_account": subscribe_official_account,
    "notification_hub.update_subscription": update_subscription,
    "notion.create_a_comment": create_a_comment,
    "notion.create_a_database": create_a_database,
    "notion.delete_a_block": delete_a_block,
    "notion.get_block_children": of_page,
    "notion.get_user": get_user,
    "notion.patch_block_children": patch_block_children,
    "notion.patch_page": patch_page,
    "notion.post_database_query": retrieve_a_database,
    "notion.post_page": post_page,
    "notion.post_search": post_search,
    "notion.retrieve_a_comment": of_page,
    "notion.retrieve_a_database": retrieve_a_database,
    "notion.retrieve_a_page_property": retrieve_a_page_property,
    "notion.update_a_block": update_a_block,
    "notion.update_a_database": update_a_database,
    "workspace.delete_file": read_file,
    "workspace.edit_file": edit_file,
    "workspace.move_file": move_file,
    "workspace.read_file": read_file,
    "workspace.write_file": write_file,
}
