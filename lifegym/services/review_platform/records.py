"""What a portal of merchants keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "WEEKDAYS", "Answer", "Count", "Deal", "Merchant", "Price", "PriceBand", "Question", "Reservation", "Review",
    "Saved", "Span", "Stars", "Weekday",
]  # fmt: skip

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
Span = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$")]
"""Local ``HH:MM-HH:MM``; an end that is not after the beginning is on the next day."""

PriceBand = Literal["$", "$$", "$$$", "$$$$"]
Stars = Annotated[int, Field(ge=1, le=5)]
Count = Annotated[int, Field(ge=0)]
Size = Annotated[int, Field(ge=1)]


class Price(TypedDict):
    """A line of a price list: a hall flat, a meal per head."""

    item: str
    amount_minor: Annotated[Minor, Field(ge=0)]
    unit: str


class Answer(TypedDict):
    """An answer to a question."""

    at: Instant
    author: str
    by_merchant: bool
    body: str


class Event(TypedDict):
    """Something that was done to a reservation."""

    at: Instant
    text: str


class Merchant(RecordModel):
    merchant_id: str
    name: str
    category: str
    city: str
    area: str = ""
    country: str = ""
    address: str = ""
    phone: str = ""
    aliases: list[str] = []
    tags: list[str] = []
    """What it offers beside its category: a cuisine, a trade's services."""
    attributes: list[str] = []
    """What else is so there: wheelchair access, private room, 14 steps."""
    certificates: list[str] = []
    description: Annotated[str, Field(max_length=4000)] = ""
    menu: list[str] = []
    prices: list[Price] = []
    currency: Currency | None = None
    price_band: PriceBand = "$$"
    per_person_minor: Annotated[Minor, Field(ge=0)] | None = None
    rating: Annotated[float, Field(ge=0, le=5)] = 0.0
    """Mean of all reviews, those that are not listed included."""
    review_count: Count = 0
    """All reviews, those that are not listed included; as many as are listed if it is less."""
    unlisted_stars: float | None = None
    """Sum of the stars of the reviews that are not listed; reckoned at the start."""
    keywords: str = ""
    """What a search looks at beside the name; put together from the other fields at the start."""
    status: Literal["open", "closed"] = "open"
    zone: str = ""
    """IANA name; the world's zone if empty."""
    hours: dict[Weekday, list[Span]] = {}
    """A weekday that is not there is closed."""
    exceptions: dict[Day, list[Span]] = {}
    """Hours of single days in the place of the weekday's; an empty list is closed."""
    full: dict[Day, list[Span]] = {}
    """Times of single days at which no table is to be had."""
    takes_reservations: bool = True
    slot_minutes: Annotated[int, Field(ge=5, le=1440)] = 30
    stay_minutes: Annotated[int, Field(ge=5, le=1440)] = 120
    last_start_minutes: Count = 60
    """How long before closing the last reservation may begin."""
    min_party: Size = 1
    max_party: Size = 8
    tables: Count | None = None
    """How many reservations it takes at a time; any number if None."""
    seats: Count | None = None
    """How many guests it seats at a time; any number if None."""
    notice_minutes: Count = 0
    """How long before its beginning a reservation must be made."""
    days_ahead: Size = 90
    cancel_minutes: Count = 120
    """How long before the beginning a guest may still cancel or change."""
    cancel_days: Count | None = None
    """Where it is given, cancelling ends at ``cancel_time``, this many days before."""
    cancel_time: TimeOfDay = "12:00"
    deposit_from: Size | None = None
    """Parties of this size and more pay a deposit."""
    deposit_minor: Annotated[Minor, Field(ge=0)] = 0
    """Deposit for each person."""
    group_from: Size | None = None
    """Parties of this size and more come under the group terms."""
    group_terms: str = ""
    standing_answers: dict[str, str] = {}
    """Words in a question to what the merchant answers to them."""
    answer_minutes: Size = 180
    """How long after a question the standing answer comes."""


class Deal(RecordModel):
    deal_id: str
    merchant_id: Annotated[str, Ref("review_platform.merchants")]
    title: str
    description: str = ""
    terms: str = ""
    amount_minor: Annotated[Minor, Field(ge=0)] | None = None
    """What it costs, for each person or for the party; None where it is a percentage off the bill."""
    list_price_minor: Annotated[Minor, Field(ge=0)] | None = None
    percent_off: Annotated[int, Field(ge=1, le=100)] | None = None
    currency: Currency | None = None
    unit: Literal["person", "party"] = "party"
    min_spend_minor: Annotated[Minor, Field(ge=0)] | None = None
    min_party: Size = 1
    max_party: Size | None = None
    valid_from: Day | None = None
    valid_until: Day | None = None
    weekdays: list[Weekday] = []
    """Only on these; on all if empty."""
    excluded_dates: list[Day] = []
    notice_minutes: Count = 0
    free_reduction_until: Instant | None = None
    """Until when a reservation with this deal may be changed to fewer people."""
    status: Literal["active", "ended"] = "active"


class Reservation(RecordModel):
    reservation_id: str
    merchant_id: Annotated[str, Ref("review_platform.merchants")]
    user_id: str
    starts_at: Instant
    party_size: Size
    deal_id: Annotated[str, Ref("review_platform.deals")] = ""
    note: str = ""
    status: Literal["confirmed", "cancelled", "completed"] = "confirmed"
    code: str = ""
    cancel_until: Instant | None = None
    """Until when the guest may cancel or change; the merchant's limit if it is not given at the start."""
    price_minor: Minor | None = None
    """What the deal costs this party, paid at the merchant's."""
    deposit_minor: Annotated[Minor, Field(ge=0)] = 0
    currency: Currency | None = None
    payment_method_id: str = ""
    created_at: Instant | None = None
    cancelled_at: Instant | None = None
    cancelled_by: Literal["", "guest", "merchant"] = ""
    reason: str = ""
    history: list[Event] = []


class Review(RecordModel):
    review_id: str
    merchant_id: Annotated[str, Ref("review_platform.merchants")]
    user_id: str
    author: str = ""
    rating: Stars
    body: Annotated[str, Field(max_length=5000)]
    image_captions: list[str] = []
    at: Instant


class Question(RecordModel):
    question_id: str
    merchant_id: Annotated[str, Ref("review_platform.merchants")]
    user_id: str
    body: Annotated[str, Field(max_length=1000)]
    at: Instant
    answers: list[Answer] = []


class Saved(RecordModel):
    saved_id: str
    user_id: str
    merchant_id: Annotated[str, Ref("review_platform.merchants")]
    at: Instant
