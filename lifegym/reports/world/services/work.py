"""Job board and listings: what one has applied for, offered and agreed, with the messages."""

from __future__ import annotations

from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Chat, Message, Note, Part
from lifegym.reports.world.records import record
from lifegym.reports.world.views import Listed, Opened, Stock, View

__all__ = ["JOB_BOARD", "LISTING_PLATFORM"]


def _chat(row: dict[str, Any], zone: str, note: str = "") -> Chat:
    said = []
    for message in row["messages"]:
        slots = ", ".join(fields.cell("slot", slot, {}, zone).text for slot in message["slots"])
        own = message["by"] == "user"
        name = "You" if own else row["recruiter"] or row["company"]
        time = fields.moment(message["at"], zone).text
        said.append(Message(name, message["text"], time, own, f"Times offered: {slots}" if slots else ""))
    return Chat(tuple(said), f"{row['title']}, {row['company']}", note)


def _chats(look: Look) -> list[Part]:
    parts: list[Part] = []
    for row in look.rows("job_board.list_chats", "chats").rows:
        if look.deep and row["more"]:
            whole = look.rows("job_board.list_chats", "chats", job_id=row["job_id"], limit=50).rows
            row = whole[0] if whole else row
        shown, total = len(row["messages"]), row["messages_total"]
        note = f"The last {shown} of {total} messages; list_chats with job_id {row['job_id']} shows the rest."
        parts.append(_chat(row, look.zone, note if shown < total else ""))
    return parts


def _application(look: Look, application_id: str) -> list[Part]:
    found = look.read("job_board.get_application_status", application_id=application_id)
    if found is None:
        return [Note(f"There is no application {application_id}.", "warn")]
    return record({**found, "currency": found.get("offer_currency")}, look.zone, skip=("currency",))


JOB_BOARD = View(
    (
        Listed(
            "Applications", "job_board.list_applications", "applications",
            ("applied_at", "changed_at", "answer_by", "resume_id", "job_status", "application_id", "job_id"),
            item="application", key="application_id", heading="title", subtitle=("company",),
            empty="Nothing is applied for.",
        ),
        _chats,
        Listed(
            "Saved jobs", "job_board.list_saved_jobs", "jobs",
            ("title", "company", "city", "salary_min_minor", "salary_max_minor", "deadline", "status", "job_id"),
            item="job", key="job_id", empty="",
        ),
        Listed(
            "Résumés", "job_board.list_resumes", "resumes",
            ("headline", "years_exp", "education", "skills", "updated_at", "resume_id"),
            item="resume", key="resume_id", heading="name", empty="",
        ),
        Listed("Job alerts", "job_board.list_job_alerts", "alerts", empty=""),
        Stock(
            "Jobs", "job_board.jobs", "job_board.get_job",
            ("title", "company", "city", "category", "salary_min_minor", "salary_max_minor", "deadline", "status",
             "job_id"),
        ),
        Stock(
            "Companies", "job_board.companies", "job_board.get_company",
            ("name", "industry", "city", "headcount", "rating", "company_id"),
        ),
    ),
    {
        "application": _application,
        "job": Opened("job_board.get_job", "job_id"),
        "resume": Opened("job_board.get_resume", "resume_id"),
    },
    "search_jobs finds jobs.",
)  # fmt: skip


def _messages(look: Look) -> list[Part]:
    found = look.rows("listing_platform.list_messages", "messages")
    rows = found.rows
    if look.deep:
        topics = dict.fromkeys(row["listing_id"] for row in rows)
        listed = (look.rows("listing_platform.list_messages", "messages", listing_id=topic) for topic in topics)
        rows = [row for topic in listed for row in topic.rows]
    by_listing: dict[str, list[dict[str, Any]]] = {}
    for row in reversed(rows):
        by_listing.setdefault(row["listing_id"], []).append(row)
    parts: list[Part] = []
    for messages in reversed(by_listing.values()):
        said = [
            Message(
                "You" if row["by"] == "user" else row["name"],
                row["text"],
                fields.moment(row["at"], look.zone).text,
                row["by"] == "user",
                f"Offer {row['offer_id']}" if row["offer_id"] else "",
            )
            for row in sorted(messages, key=lambda row: fields.time_of(row["at"], look.zone))
        ]
        parts.append(Chat(tuple(said), f"{messages[0]['name']}: {messages[0]['title']}"))
    return [*parts, *([Note(found.note)] if found.note and not look.deep else [])]


_LISTING = ("price_minor", "price_period", "city", "district", "seller", "area_sqm", "rooms", "status", "listing_id")

LISTING_PLATFORM = View(
    (
        Listed(
            "Offers", "listing_platform.list_offers", "offers",
            ("created_at", "title", "by", "amount_minor", "asking_minor", "status", "waits_for", "message", "offer_id"),
            empty="",
        ),
        Listed(
            "Viewings", "listing_platform.list_viewings", "viewings",
            ("datetime", "title", "address", "role", "visitor", "status", "reason", "viewing_id"), empty="",
        ),
        Listed(
            "Saved", "listing_platform.list_saved", "listings",
            ("price_when_saved_minor", "city", "district", "seller", "saved_at", "status_reason", "listing_id"),
            item="listing", key="listing_id", heading="title", figure="price_minor", empty="",
        ),
        _messages,
        Listed("Saved searches", "listing_platform.list_search_subscriptions", "searches", empty=""),
        Stock(
            "Listings", "listing_platform.listings", "listing_platform.get_listing_detail", ("title", *_LISTING)
        ),
        Stock(
            "Sellers and agents", "listing_platform.agents", "listing_platform.get_agent",
            ("name", "kind", "agency", "city", "rating", "agent_id"),
        ),
    ),
    {"listing": Opened("listing_platform.get_listing_detail", "listing_id")},
    "search_listings finds what is offered.",
)  # fmt: skip
