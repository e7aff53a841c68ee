"""Notifications and health: what came in, and what was measured."""

from __future__ import annotations

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Cell, Item, Note, Part, Row
from lifegym.reports.world.records import facts, record, table_of
from lifegym.reports.world.views import Listed, View

__all__ = ["HEALTH_TRACKER", "NOTIFICATION_HUB"]


def _notifications(look: Look) -> list[Part]:
    found = look.rows("notification_hub.list_notifications", "notifications")
    lines = []
    for row in found.rows:
        title = Cell(row["title"], note=row["body"])
        read = Cell("read") if row["read"] else Cell("new", "status", "warn")
        source = Cell(row["source"].replace("_", " "), note=row["type"].replace("_", " "))
        ref, key = Cell(row["ref"] or "–", "id"), Cell(row["notification_id"], "id")
        item = Item("notification_hub", "notification", row["notification_id"]) if len(row["body"]) >= 300 else None
        lines.append(Row((fields.moment(row["at"], look.zone), title, source, read, ref, key), (), item))
    columns = ("At", "Notification", "From", "", "About", "Id")
    return [table_of(columns, lines, "Notifications", found.note or ("" if lines else "None."))]


def _notification(look: Look, notification_id: str) -> list[Part]:
    found = look.read("notification_hub.get_notification", notification_id=notification_id)
    return record(found, look.zone) if found else [Note("This notification is not there any more.", "warn")]


def _feed(look: Look, account_id: str) -> list[Part]:
    found = look.rows("notification_hub.get_account_feed", "posts", account_id=account_id)
    cards = [
        Card(row["title"], fields.moment(row["at"], look.zone).text, None, "", (("Text", Cell(row["body"])),))
        for row in found.rows
    ]
    return [Cards(tuple(cards), "", found.note or ("" if cards else "No posts yet."), wide=True)]


NOTIFICATION_HUB = View(
    (
        _notifications,
        Listed(
            "Official accounts", "notification_hub.list_official_accounts", "accounts",
            ("posts", "latest_at", "subscribed", "account_id"),
            item="feed", key="account_id", heading="name", subtitle=("about",),
        ),
        Listed("Subscriptions", "notification_hub.list_subscriptions", "subscriptions", empty=""),
        Listed("Price alerts", "notification_hub.list_price_alerts", "alerts", empty=""),
    ),
    {"feed": _feed, "notification": _notification},
)  # fmt: skip


def _people(look: Look) -> list[Part]:
    """Goals, workouts and alerts of everybody whose tracker this is; of the person alone where calls cost something."""
    people = look.keys("health_tracker.users", "user_id") or [{"user_id": look.owner}]
    kinds = look.keys("health_tracker.metrics", "user_id", "type")
    parts: list[Part] = []
    for person in people:
        user = person["user_id"]
        shown: list[Part] = []
        for title, tool, rows, columns in _LISTS:
            shown += Listed(title, tool, rows, columns, arguments={"user_id": user}, empty="")(look)
        for kind in dict.fromkeys(row["type"] for row in kinds if row["user_id"] == user):
            found = look.rows("health_tracker.get_metrics", "metrics", user_id=user, type=kind)
            lines = [
                Row(
                    (
                        fields.moment(row["recorded_at"], look.zone),
                        Cell(f"{row['value']:g} {row['unit']}", "number", note=row["value_text"]),
                        Cell(row["source"] or "–"),
                        Cell(row["metric_id"], "id"),
                    )
                )
                for row in found.rows
            ]
            title = kind.replace("_", " ").capitalize()
            shown += [table_of(("Recorded", "Reading", "Source", "Id"), lines, title, found.note)] if lines else []
        latest = facts({"readings": len([row for row in kinds if row["user_id"] == user])}, look.zone)
        parts.append(Cards((Card(user, "", None, "", latest if kinds else (), tuple(shown)),), wide=True))
    return parts


_LISTS = (
    (
        "Goals", "health_tracker.get_goals", "goals",
        ("type", "target", "unit", "period", "direction", "start_date", "end_date", "status", "goal_id"),
    ),
    ("Alerts", "health_tracker.list_health_alerts", "alerts", ()),
    (
        "Workouts", "health_tracker.list_workouts", "workouts",
        ("started_at", "type", "duration_min", "distance_m", "calories", "source", "workout_id"),
    ),
)  # fmt: skip

HEALTH_TRACKER = View(
    (_people,), hint="get_metrics shows the readings of a kind, get_metric_summary their sums and means."
)
