"""Recipes for notes that people share, jobs, the law, listings and merchants."""

from __future__ import annotations

from typing import Any

from lifegym.world import clock
from recipes.scene import Recipe, Scene, Unplayable

__all__ = ["LIVING"]

Arguments = dict[str, Any]
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


# -- shared notes --------------------------------------------------------------------------------------------------


def _note(s: Scene, links: str) -> Arguments:
    """A note that the person has not in a table of links yet."""
    known = {row["note_id"] for row in s.rows(links, user_id=s.owner)} if links else set()
    note = s.pick(
        "content_platform.notes",
        lambda row: row["note_id"] not in known and not row["hidden"],
        status="published",
    )
    return {"user_id": s.owner, "note_id": note["note_id"]}


def like_note(s: Scene) -> Arguments:
    return _note(s, "content_platform.likes")


def collect_note(s: Scene) -> Arguments:
    return _note(s, "content_platform.collects")


def uncollect_note(s: Scene) -> Arguments:
    found = s.pick_after(
        lambda s: s.make("content_platform.collect_note"), "content_platform.collects", user_id=s.owner
    )
    return {"user_id": s.owner, "note_id": found["note_id"]}


def post_comment(s: Scene) -> Arguments:
    return _note(s, "") | {"body": s.text()}


def follow_user(s: Scene) -> Arguments:
    known = {row["target_user_id"] for row in s.rows("content_platform.follows", user_id=s.owner)}
    other = s.pick("content_platform.users", lambda row: row["user_id"] not in known | {s.owner})
    return {"user_id": s.owner, "target_user_id": other["user_id"]}


def unfollow_user(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("content_platform.follow_user"), "content_platform.follows", user_id=s.owner)
    return {"user_id": s.owner, "target_user_id": found["target_user_id"]}


def publish_note(s: Scene) -> Arguments:
    return {"user_id": s.owner, "title": s.text(), "body": s.text(), "draft": s.chance(0.5)}


# -- jobs ----------------------------------------------------------------------------------------------------------


def apply_job(s: Scene) -> Arguments:
    known = {row["job_id"] for row in s.rows("job_board.applications", user_id=s.owner)}
    today = s.world.today().isoformat()
    job = s.pick(
        "job_board.jobs",
        lambda row: row["job_id"] not in known and (row["deadline"] or today) >= today,
        status="open",
    )
    resume = s.pick("job_board.resumes", user_id=s.owner)
    return {"user_id": s.owner, "job_id": job["job_id"], "resume_id": resume["resume_id"]}


def _application(s: Scene, test: Any = None) -> Arguments:
    found = s.pick_after(lambda s: s.make("job_board.apply_job"), "job_board.applications", test)
    return {"application_id": found["application_id"]}


def get_application_status(s: Scene) -> Arguments:
    return _application(s)


def withdraw_application(s: Scene) -> Arguments:
    return _application(s, lambda row: row["status"] not in ("rejected", "withdrawn"))


def save_job(s: Scene) -> Arguments:
    known = {row["job_id"] for row in s.rows("job_board.saved", user_id=s.owner)}
    job = s.pick("job_board.jobs", lambda row: row["job_id"] not in known)
    return {"user_id": s.owner, "job_id": job["job_id"]}


def unsave_job(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("job_board.save_job"), "job_board.saved", user_id=s.owner)
    return {"user_id": s.owner, "job_id": found["job_id"]}


def subscribe_job_alert(s: Scene) -> Arguments:
    mine = s.rows("job_board.alerts", user_id=s.owner)
    if len(mine) > 15:
        s.call("job_board.delete_job_alert", alert_id=mine[0]["alert_id"])
    return {"user_id": s.owner, "query_json": {"keyword": s.text(), "min_salary_minor": s.number(1, 10**6)}}


def delete_job_alert(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("job_board.subscribe_job_alert"), "job_board.alerts")
    return {"alert_id": found["alert_id"]}


# -- law -----------------------------------------------------------------------------------------------------------


def save_case(s: Scene) -> Arguments:
    known = {row["case_id"] for row in s.rows("legal_search.saved", user_id=s.owner)}
    case = s.pick("legal_search.cases", lambda row: row["case_id"] not in known, published=True)
    return {"user_id": s.owner, "case_id": case["case_id"]}


def get_article(s: Scene) -> Arguments:
    return {"article_id": s.pick("legal_search.articles")["article_id"]}


def list_statute_articles(s: Scene) -> Arguments:
    return {"statute_id": s.pick("legal_search.statutes")["statute_id"]}


def _open_docket(s: Scene) -> None:
    court = s.pick("legal_search.courts")
    s.happen(
        "legal_search.open_docket",
        docket_id=s.name("dk"),
        case_id=s.name("own"),
        court_id=court["court_id"],
        title="Lee v. Harbour Homes",
        role="claimant",
        user_id=s.owner,
    )


def get_docket(s: Scene) -> Arguments:
    return {"docket_id": s.pick_after(_open_docket, "legal_search.dockets")["docket_id"]}


def file_document(s: Scene) -> Arguments:
    by_hand = {row["court_id"] for row in s.rows("legal_search.courts", electronic_filing=False)}
    cases = {row["case_id"]: row["court_id"] for row in s.rows("legal_search.cases")}
    docket = s.pick_after(
        _open_docket, "legal_search.dockets", lambda row: cases.get(row["case_id"]) not in by_hand, status="open"
    )
    return {
        "docket_id": docket["docket_id"],
        "kind": s.choose(("letter", "evidence", "statement", "application")),
        "workspace_path": s.choose(s.world.workspace.paths()),
    }


def get_filing(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("legal_search.file_document"), "legal_search.filings")
    return {"filing_id": found["filing_id"]}


# -- listings ------------------------------------------------------------------------------------------------------


def _listing(s: Scene, known: set[str], **fields: Any) -> Arguments:
    listing = s.pick(
        "listing_platform.listings",
        lambda row: row["listing_id"] not in known and row["owner_id"] != s.owner,
        **fields,
    )
    return {"user_id": s.owner, "listing_id": listing["listing_id"]}


def contact_agent(s: Scene) -> Arguments:
    return _listing(s, set(), status=("active", "reserved")) | {"message": s.text()}


def save_listing(s: Scene) -> Arguments:
    known = {row["listing_id"] for row in s.rows("listing_platform.saved", user_id=s.owner)}
    return _listing(s, known, status=("active", "reserved"))


def unsave_listing(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("listing_platform.save_listing"), "listing_platform.saved", user_id=s.owner)
    return {"user_id": s.owner, "listing_id": found["listing_id"]}


def schedule_viewing(s: Scene) -> Arguments:
    day = clock.parse_day(s.day(1, 40))
    listing = s.pick(
        "listing_platform.listings",
        lambda row: (
            row["owner_id"] != s.owner
            and (
                any(map(s.coming, row["viewing_slots"]))
                or any(_DAYS[day.weekday()] in hours["days"] for hours in row["viewing_hours"])
            )
        ),
        status=("active", "reserved"),
    )
    at = [slot for slot in listing["viewing_slots"] if s.coming(slot)]
    for hours in listing["viewing_hours"]:
        if _DAYS[day.weekday()] in hours["days"]:
            first, last = int(hours["start"][:2]) + 1, int(hours["end"][:2]) - 1
            at += [f"{day.isoformat()}T{hour:02d}:00:00" for hour in range(first, last)]
    return {"user_id": s.owner, "listing_id": listing["listing_id"], "datetime": s.choose(at)}


def cancel_viewing(s: Scene) -> Arguments:
    found = s.pick_after(
        lambda s: s.make("listing_platform.schedule_viewing"),
        "listing_platform.viewings",
        lambda row: s.coming(row["datetime"]),
        status="scheduled",
    )
    return {"viewing_id": found["viewing_id"]}


def make_offer(s: Scene) -> Arguments:
    bid = {row["listing_id"] for row in s.rows("listing_platform.offers", status="open")}
    return _listing(s, bid, status="active") | {"amount_minor": s.number(100, 90000)}


def _own(s: Scene) -> Any:
    return s.pick_after(
        lambda s: s.make("listing_platform.post_listing"),
        "listing_platform.listings",
        owner_id=s.owner,
        status="active",
    )


def post_listing(s: Scene) -> Arguments:
    mine = s.rows("listing_platform.listings", owner_id=s.owner, status=("active", "reserved"))
    if len(mine) > 40:
        s.call("listing_platform.delist", listing_id=mine[0]["listing_id"])
    return {
        "user_id": s.owner,
        "category": s.choose(("second_hand", "rent", "service")),
        "title": s.text(),
        "price_minor": s.number(100, 90000),
        "city": "Shanghai",
        "currency": "CNY",
    }


def update_listing(s: Scene) -> Arguments:
    return {"listing_id": _own(s)["listing_id"], "user_id": s.owner, "price_minor": s.number(100, 90000)}


def delist(s: Scene) -> Arguments:
    return {"listing_id": _own(s)["listing_id"], "user_id": s.owner}


def respond_offer(s: Scene) -> Arguments:
    def bid(s: Scene) -> None:
        s.happen(
            "listing_platform.incoming_offer",
            buyer_name=s.name("Bo"),
            amount_minor=s.number(100, 90000),
            listing_id=_own(s)["listing_id"],
        )

    mine = {row["listing_id"] for row in s.rows("listing_platform.listings", owner_id=s.owner, status="active")}
    offer = s.pick_after(
        bid, "listing_platform.offers", lambda row: row["listing_id"] in mine, status="open", by="buyer"
    )
    if s.chance(0.3):
        return {"offer_id": offer["offer_id"], "decision": "counter", "amount_minor": offer["amount_minor"] + 100}
    return {"offer_id": offer["offer_id"], "decision": s.choose(("accept", "decline", "decline"))}


def get_market_stats(s: Scene) -> Arguments:
    return {"area_or_community": s.pick("listing_platform.listings", status="active")["city"]}


def subscribe_search(s: Scene) -> Arguments:
    mine = s.rows("listing_platform.searches", user_id=s.owner)
    if len(mine) > 15:
        s.call("listing_platform.delete_search_subscription", search_id=mine[0]["search_id"])
    return {"user_id": s.owner, "query_json": {"category": "rent", "max_price_minor": s.number(1, 10**9)}}


def delete_search_subscription(s: Scene) -> Arguments:
    found = s.pick_after(lambda s: s.make("listing_platform.subscribe_search"), "listing_platform.searches")
    return {"search_id": found["search_id"]}


# -- merchants -----------------------------------------------------------------------------------------------------


def reserve(s: Scene) -> Arguments:
    day = clock.parse_day(s.day(1, 25))
    weekday = _DAYS[day.weekday()]
    merchant = s.pick(
        "review_platform.merchants",
        lambda row: row["takes_reservations"] and row["hours"].get(weekday) and row["min_party"] <= 2,
        status="open",
    )
    spans = merchant["exceptions"].get(day.isoformat(), merchant["hours"][weekday])
    begins = [hour for span in spans for hour in range(int(span[:2]) + 1, int(span[6:8]) - 2)]
    return {
        "user_id": s.owner,
        "merchant_id": merchant["merchant_id"],
        "datetime": f"{day.isoformat()}T{s.choose(begins):02d}:00:00",
        "party_size": merchant["min_party"],
        "payment_method_id": "wallet",
    }


def cancel_table(s: Scene) -> Arguments:
    found = s.pick_after(
        lambda s: s.make("review_platform.reserve"),
        "review_platform.reservations",
        lambda row: s.coming(row["cancel_until"] or row["starts_at"]),
        status="confirmed",
    )
    return {"reservation_id": found["reservation_id"]}


def save_merchant(s: Scene) -> Arguments:
    known = {row["merchant_id"] for row in s.rows("review_platform.saved", user_id=s.owner)}
    merchant = s.pick("review_platform.merchants", lambda row: row["merchant_id"] not in known)
    return {"user_id": s.owner, "merchant_id": merchant["merchant_id"]}


def write_review(s: Scene) -> Arguments:
    known = {row["merchant_id"] for row in s.rows("review_platform.reviews", user_id=s.owner)}
    merchant = s.pick("review_platform.merchants", lambda row: row["merchant_id"] not in known)
    return {
        "user_id": s.owner,
        "merchant_id": merchant["merchant_id"],
        "rating": s.number(1, 5),
        "body": s.text(),
    }


def ask_question(s: Scene) -> Arguments:
    if not s.rows("review_platform.merchants"):
        raise Unplayable
    merchant = s.pick("review_platform.merchants", status="open")
    return {"user_id": s.owner, "merchant_id": merchant["merchant_id"], "body": s.text()}


LIVING: dict[str, Recipe] = {
    "content_platform.collect_note": collect_note,
    "content_platform.follow_user": follow_user,
    "content_platform.like_note": like_note,
    "content_platform.post_comment": post_comment,
    "content_platform.publish_note": publish_note,
    "content_platform.uncollect_note": uncollect_note,
    "content_platform.unfollow_user": unfollow_user,
    "job_board.apply_job": apply_job,
    "job_board.delete_job_alert": delete_job_alert,
    "job_board.get_application_status": get_application_status,
    "job_board.save_job": save_job,
    "job_board.subscribe_job_alert": subscribe_job_alert,
    "job_board.unsave_job": unsave_job,
    "job_board.withdraw_application": withdraw_application,
    "legal_search.file_document": file_document,
    "legal_search.get_article": get_article,
    "legal_search.get_docket": get_docket,
    "legal_search.get_filing": get_filing,
    "legal_search.list_filings": get_docket,
    "legal_search.list_statute_articles": list_statute_articles,
    "legal_search.save_case": save_case,
    "listing_platform.cancel_viewing": cancel_viewing,
    "listing_platform.contact_agent": contact_agent,
    "listing_platform.delete_search_subscription": delete_search_subscription,
    "listing_platform.delist": delist,
    "listing_platform.get_market_stats": get_market_stats,
    "listing_platform.make_offer": make_offer,
    "listing_platform.post_listing": post_listing,
    "listing_platform.respond_offer": respond_offer,
    "listing_platform.save_listing": save_listing,
    "listing_platform.schedule_viewing": schedule_viewing,
    "listing_platform.subscribe_search": subscribe_search,
    "listing_platform.unsave_listing": unsave_listing,
    "listing_platform.update_listing": update_listing,
    "review_platform.ask_question": ask_question,
    "review_platform.cancel_reservation": cancel_table,
    "review_platform.reserve": reserve,
    "review_platform.save_merchant": save_merchant,
    "review_platform.write_review": write_review,
}
