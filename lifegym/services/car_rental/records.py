"""What a car rental company keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Amount", "Booking", "Charge", "ChargeKind", "ConditionReport", "Contact", "Driver", "EnergyStop", "EnergyType",
    "Incident", "IncidentType", "NoticeKind", "Offer", "Phase", "Plan", "RoadNotice", "RoadRule", "Station",
    "VehicleClass", "Weekday",
]  # fmt: skip

Amount = Annotated[Minor, Field(ge=0, le=10**12)]
Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
EnergyType = Literal["petrol", "diesel", "hybrid", "electric"]
VehicleClass = Literal["mini", "economy", "compact", "sedan", "estate", "suv", "van", "minibus", "luxury", "camper"]
Phase = Literal["pickup", "return"]
IncidentType = Literal["accident", "breakdown", "damage", "flat_tyre", "lost_key", "theft", "other"]
ChargeKind = Literal["cancellation", "cleaning", "damage", "fine", "fuel", "km", "late_return", "other", "toll"]
NoticeKind = Literal["closed", "restricted", "toll", "winter_tyres", "other"]
Count = Annotated[int, Field(ge=0, le=100_000)]


class OpenHours(TypedDict):
    """When a station is open on a weekday."""

    weekday: Weekday
    opens: TimeOfDay
    closes: TimeOfDay


class Driver(TypedDict):
    """Somebody who may drive, with age and years of licence on the day of pick-up."""

    name: str
    user_id: str
    age: int
    licence_years: int
    licence_no: str


class Contact(TypedDict):
    """Whom the company writes to."""

    name: str
    email: str
    phone: str


class Change(TypedDict):
    """Something that was done to a booking; a negative charge is a refund."""

    at: Instant
    text: str
    charge_minor: Minor


class Station(RecordModel):
    station_id: str
    name: str
    city: str
    country: str = ""
    address: str = ""
    aliases: list[str] = []
    """Other names of the station or its city, an airport's code among them."""
    zone: str = ""
    """IANA name; the world's zone if empty."""
    phone: str = ""
    email: str = ""
    hours: list[OpenHours] = []
    """Open round the clock where there are none."""
    closed_days: list[Day] = []


class Offer(RecordModel):
    offer_id: str
    station_id: Annotated[str, Ref("car_rental.stations")]
    model: str
    vehicle_class: VehicleClass
    energy_type: EnergyType
    seats: Annotated[int, Field(ge=1, le=20)] = 5
    bags: Count = 2
    transmission: Literal["manual", "automatic"] = "manual"
    consumption_per_100km: Annotated[float, Field(ge=0, le=200)] = 7.0
    """Litres, or kWh of an electric car."""
    range_km: Annotated[int, Field(gt=0, le=5000)] = 600
    price_per_day_minor: Amount
    currency: Currency
    deposit_minor: Amount = 0
    included_km_per_day: Annotated[int, Field(gt=0, le=10_000)] | None = None
    """None is unlimited."""
    extra_km_minor: Amount = 0
    one_way: dict[str, Amount] = {}
    """Station where it may be left instead, to the fee."""
    units: Count = 3
    """How many such cars there are."""
    available_from: Day | None = None
    available_until: Day | None = None
    """Last day on which it can be returned."""
    min_age: Annotated[int, Field(ge=16, le=99)] = 21
    max_age: Annotated[int, Field(ge=16, le=120)] | None = None
    min_licence_years: Annotated[int, Field(ge=0, le=50)] = 1
    free_cancel_hours: Count | None = 24
    """Until how many hours before pick-up a cancellation is free; None is never."""
    return_level_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    """Tank or battery on return; None is the level at pick-up."""
    refuel_minor_per_percent: Amount = 0
    cleaning_fee_minor: Amount = 0
    photos_required: Annotated[int, Field(ge=0, le=50)] = 4
    status: Literal["offered", "withdrawn"] = "offered"
    note: str = ""


class Plan(RecordModel):
    plan_id: str
    name: str
    price_per_day_minor: Amount = 0
    price_per_rental_minor: Amount = 0
    currency: Currency
    excess_minor: Amount
    covers: list[str] = []
    excludes: list[str] = []


class Booking(RecordModel):
    booking_ref: str
    offer_id: Annotated[str, Ref("car_rental.offers")]
    user_id: str
    station_id: Annotated[str, Ref("car_rental.stations")]
    return_station_id: Annotated[str, Ref("car_rental.stations")]
    pickup_at: Instant
    return_at: Instant
    model: str = ""
    vehicle_class: VehicleClass | None = None
    energy_type: EnergyType | None = None
    seats: int = 0
    insurance_plan_id: Annotated[str, Ref("car_rental.plans")]
    drivers: list[Driver] = []
    contact: Contact | None = None
    days: Count = 0
    price_per_day_minor: Amount = 0
    rental_minor: Amount = 0
    one_way_minor: Amount = 0
    insurance_minor: Amount = 0
    currency: Currency
    total_minor: Amount = 0
    paid_minor: Amount = 0
    kept_minor: Amount = 0
    """What a late cancellation cost."""
    deposit_minor: Amount = 0
    payment_method_id: str = ""
    free_cancel_until: Instant | None = None
    status: Literal["confirmed", "picked_up", "returned", "cancelled"] = "confirmed"
    booked_at: Instant | None = None
    cancelled_at: Instant | None = None
    cancelled_by: Literal["", "customer", "company"] = ""
    reason: str = ""
    history: list[Change] = []


class Charge(RecordModel):
    charge_id: str
    booking_ref: Annotated[str, Ref("car_rental.bookings")]
    kind: ChargeKind
    amount_minor: Amount
    currency: Currency
    reason: str = ""
    raised_at: Instant
    status: Literal["open", "paid", "waived"] = "open"
    payment_method_id: str = ""


class ConditionReport(RecordModel):
    report_id: str
    booking_ref: Annotated[str, Ref("car_rental.bookings")]
    phase: Phase
    reported_at: Instant
    checklist: dict[str, str | bool | int] = {}
    odometer_km: Annotated[float, Field(ge=0, le=2_000_000)] | None = None
    level: str = ""
    level_percent: Annotated[int, Field(ge=0, le=100)] | None = None
    notes: str = ""


class Incident(RecordModel):
    incident_id: str
    booking_ref: Annotated[str, Ref("car_rental.bookings")]
    incident_type: IncidentType
    occurred_at: Instant
    reported_at: Instant
    location: str
    description: str
    photos_count: Count = 0
    safe_to_drive: bool = True
    estimated_fee: Annotated[float, Field(ge=0, le=10**9)] | None = None
    """In whole units of the booking's currency."""


class EnergyStop(RecordModel):
    stop_id: str
    name: str
    city: str
    road: str = ""
    address: str = ""
    aliases: list[str] = []
    energy_types: list[EnergyType]
    price_per_unit_minor: Annotated[float, Field(ge=0, le=10**9)]
    """Minor units for a litre or a kWh; fractions occur."""
    currency: Currency
    power_kw: Count = 0
    hours: str = "24h"
    status: Literal["open", "closed"] = "open"
    closed_until: Day | None = None
    note: str = ""


class RoadRule(RecordModel):
    topic: str
    title: str = ""
    text: str


class RoadNotice(RecordModel):
    notice_id: str
    road: str
    kind: NoticeKind = "closed"
    from_day: Day
    until_day: Day | None = None
    text: str = ""
    detour: str = ""
