"""What a hotel portal keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Change", "Hotel", "HourChange", "LateKeeps", "Night", "RatePlan", "Reservation", "SpecialRequest",
    "Status",
]  # fmt: skip

LateKeeps = Literal["first_night", "half", "all"]
Payment = Literal["at_booking", "at_hotel"]
Status = Literal["held", "confirmed", "cancelled", "checked_in", "checked_out"]
Count = Annotated[int, Field(ge=0)]


class HourChange(TypedDict):
    """Another check-out hour for departures in a span of days, both included; None is open."""

    date_from: Day | None
    date_to: Day | None
    time: TimeOfDay


class Night(TypedDict):
    """One night of a stay and what it costs."""

    date: Day
    amount_minor: Minor


class Allotment(TypedDict, total=False):
    """What differs from the plan on one night: price and rooms (those sold included); and how many are sold."""

    amount_minor: Annotated[Minor, Field(ge=0)] | None
    rooms: Count | None
    sold: Count


class SpecialRequest(TypedDict):
    """What a guest asked for and what the hotel answered."""

    at: Instant
    text: str
    answer: str


class Change(TypedDict):
    """Something that was done to a reservation, with the money that it moved."""

    at: Instant
    kind: Literal["booked", "changed", "cancelled", "late_checkout", "reinstated", "checked_in"]
    text: str
    charge_minor: Minor
    refund_minor: Minor
    fee_minor: Minor


class Hotel(RecordModel):
    hotel_id: str
    name: str
    city: str
    district: str = ""
    country: str = ""
    address: str = ""
    lat: float | None = None
    lng: float | None = None
    aliases: list[str] = []
    nearest_station: str = ""
    station_distance_m: int | None = None
    lift: bool = False
    rating: float = 0.0
    amenities: list[str] = []
    description: str = ""
    phone: str = ""
    email: str = ""
    check_in_time: TimeOfDay = "15:00"
    check_out_time: TimeOfDay = "11:00"
    check_out_changes: list[HourChange] = []
    zone: str = ""
    """IANA name; the world's zone if empty."""
    request_answers: dict[str, str] = {}
    """Keyword in a guest's request to the hotel's standing answer."""
    rate_plan_ids: list[Annotated[str, Ref("hotel_booking.rate_plans")]] = []
    """Its plans; filled in at the start."""


class RatePlan(RecordModel):
    rate_plan_id: str
    hotel_id: Annotated[str, Ref("hotel_booking.hotels")]
    room_type: str
    beds: str = ""
    features: list[str] = []
    max_guests: Annotated[int, Field(ge=1)] = 2
    amount_minor: Annotated[Minor, Field(ge=0)]
    """Price of a room for a night."""
    currency: Currency
    rooms: Count = 3
    """Rooms free on every night at the start, beside the reservations that exist then."""
    nights: dict[Day, Allotment] = {}
    """Nights on which something differs or was sold."""
    payment: Payment = "at_booking"
    free_until: Instant | None = None
    free_days_before: Count | None = None
    """Where ``free_until`` is empty: cancellation is free until 18:00 local, this many days before check-in."""
    non_refundable_after: Instant | None = None
    late_keeps: LateKeeps = "all"
    """What a cancellation costs between the free time and ``non_refundable_after``."""
    free_change_until: Instant | None = None
    change_fee_minor: Annotated[Minor, Field(ge=0)] | None = None
    """Fee of a later change that gives nights back; without one those nights are not refunded."""
    late_checkout_latest: TimeOfDay | None = None
    late_checkout_ask_by: Instant | None = None
    request_answers: dict[str, str] = {}
    breakfast: bool = False
    notes: str = ""


class Reservation(RecordModel):
    reservation_id: str
    hotel_id: Annotated[str, Ref("hotel_booking.hotels")]
    rate_plan_id: Annotated[str, Ref("hotel_booking.rate_plans")]
    room_type: str = ""
    user_id: str
    guest_name: str
    guest_names: list[str] = []
    guest_email: str = ""
    guest_phone: str = ""
    guests: Annotated[int, Field(ge=1)]
    check_in: Day
    check_out: Day
    nights: list[Night] = []
    currency: Currency
    total_minor: Minor = 0
    """Price of all nights."""
    fees_minor: Minor = 0
    """Fees of changes, and nights given back that were not refunded."""
    paid_minor: Minor = 0
    """What was charged, less what was refunded."""
    payment: Payment = "at_booking"
    payment_method_id: str
    status: Status = "confirmed"
    free_until: Instant | None = None
    non_refundable_after: Instant | None = None
    late_keeps: LateKeeps = "all"
    free_change_until: Instant | None = None
    change_fee_minor: Annotated[Minor, Field(ge=0)] | None = None
    check_out_time: TimeOfDay | Literal[""] = ""
    late_checkout: TimeOfDay | None = None
    special_requests: list[SpecialRequest] = []
    history: list[Change] = []
    created_at: Instant | None = None
    cancelled_at: Instant | None = None
    cancelled_by: Literal["", "guest", "hotel"] = ""
    reason: str = ""
