"""What a listing platform keeps."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Instant, RecordModel, Ref, TimeOfDay

__all__ = [
    "CATEGORIES", "WEEKDAYS", "Agent", "Amount", "Answer", "Category", "Listing", "Message", "Offer", "Period",
    "PricePoint", "SavedListing", "Search", "Viewing", "ViewingHours", "Weekday",
]  # fmt: skip

Amount = Annotated[int, Field(ge=1, le=10**12)]
Category = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Period = Literal["total", "month", "week", "hour"]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

CATEGORIES = ("rent", "sale", "second_hand", "service")
"""The categories that are always there; records may have others."""
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class ViewingHours(TypedDict):
    """Hours on days of the week, in the listing's zone, inside which a viewing must lie."""

    days: list[Weekday]
    start: TimeOfDay
    end: TimeOfDay


class PricePoint(TypedDict):
    """A price and since when it was asked."""

    at: Instant
    price_minor: int


class Answer(TypedDict, total=False):
    """What the other side answers to a message with one of the keywords: after some minutes, or next day at a time."""

    keywords: list[str]
    text: str
    after_minutes: Annotated[int, Field(ge=0, le=100_000)]
    next_day_at: TimeOfDay


class Agent(RecordModel):
    """Who offers something: an agent, a trader or a private person."""

    agent_id: str
    name: str
    kind: Literal["agent", "trader", "private"] = "agent"
    agency: str = ""
    city: str = ""
    phone: str = ""
    email: str = ""
    languages: list[str] = []
    rating: Annotated[float, Field(ge=0, le=5)] | None = None
    about: str = ""


class Listing(RecordModel):
    """Something on offer. ``owner_id`` is the user who posted it; ``zone`` is the world's where it is empty.

    With ``viewing_slots`` a viewing begins at one of them, else it lies in ``viewing_hours`` (none: daily 9 to 20).
    A seller with ``floor_minor`` answers offers by it after ``offer_answer_h`` hours; without it, only the timeline
    does.
    """

    listing_id: str
    category: Category
    title: str
    price_minor: Amount
    currency: Currency
    price_period: Period = "total"
    city: str
    district: str = ""
    community: str = ""
    address: str = ""
    area_sqm: Annotated[float, Field(gt=0)] | None = None
    rooms: Annotated[int, Field(ge=0)] | None = None
    metro: str = ""
    description: str = ""
    attrs: dict[str, Any] = {}
    photos: list[str] = []
    agent_id: Annotated[str, Ref("listing_platform.agents")] = ""
    owner_id: str = ""
    status: Literal["active", "reserved", "delisted"] = "active"
    status_reason: str = ""
    listed_at: Instant
    price_history: list[PricePoint] = []
    viewing_slots: list[Instant] = []
    viewing_hours: list[ViewingHours] = []
    viewing_minutes: Annotated[int, Field(ge=5, le=480)] = 30
    zone: str = ""
    aliases: list[str] = []
    answers: list[Answer] = []
    floor_minor: Amount | None = None
    offer_answer_h: Annotated[int, Field(ge=0, le=1000)] = 12


class Viewing(RecordModel):
    """An appointment to see a listing; ``visitor`` is who goes where it is not the user."""

    viewing_id: str
    user_id: str
    listing_id: Annotated[str, Ref("listing_platform.listings")]
    datetime: Instant
    minutes: Annotated[int, Field(ge=5, le=480)] = 30
    visitor: str = ""
    status: Literal["scheduled", "completed", "cancelled"] = "scheduled"
    cancelled_by: Literal["", "user", "agent"] = ""
    reason: str = ""
    created_at: Instant
    moved: bool = False


class Message(RecordModel):
    """A message about a listing between a user and ``name``: the agent or seller, or who writes to the user's own."""

    message_id: str
    user_id: str
    listing_id: Annotated[str, Ref("listing_platform.listings")]
    name: str
    by: Literal["user", "other"]
    text: str
    at: Instant
    offer_id: str = ""


class Offer(RecordModel):
    """A price that one side proposes. ``buyer_id`` is empty for a buyer from outside, who bids on a user's listing."""

    offer_id: str
    listing_id: Annotated[str, Ref("listing_platform.listings")]
    buyer_id: str = ""
    buyer_name: str
    by: Literal["buyer", "seller"]
    amount_minor: Amount
    currency: Currency
    message: str = ""
    status: Literal["open", "accepted", "declined", "countered", "void"] = "open"
    created_at: Instant
    answered_at: Instant | None = None
    answers_offer: str = ""


class SavedListing(RecordModel):
    saved_id: str
    user_id: str
    listing_id: Annotated[str, Ref("listing_platform.listings")]
    saved_at: Instant
    price_minor: Amount | None = None


class Search(RecordModel):
    """A search that reports new listings and lower prices. A ``silent`` one lands in the notification hub only."""

    search_id: str
    user_id: str
    query: dict[str, Any]
    created_at: Instant
    silent: bool = False
    fired: Annotated[int, Field(ge=0)] = 0
    last_fired_at: Instant | None = None
