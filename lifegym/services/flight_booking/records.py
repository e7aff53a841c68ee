"""What an airline shop keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = [
    "FlightStatus", "Airport", "Booking", "BookingStatus", "Cabin", "CabinRows", "Extra", "Flight", "Offer", "SeatMap",
    "SegmentStatus", "Subscription",
]  # fmt: skip

Cabin = Literal["ECONOMY", "PREMIUM_ECONOMY", "BUSINESS", "FIRST"]
BookingStatus = Literal["held", "ticketed", "cancelled", "expired"]
SegmentStatus = Literal["confirmed", "flown", "cancelled", "cancelled_by_carrier"]
FlightStatus = Literal["scheduled", "on_time", "delayed", "rescheduled", "cancelled", "departed", "arrived"]
Direction = Literal["outbound", "return"]
Count = Annotated[int, Field(ge=0)]


class Airport(RecordModel):
    """An airport. All airports with the same city and country answer to the city's name."""

    code: Annotated[str, Field(pattern=r"^[A-Z]{3}$")]
    city: str
    country: str
    name: str = ""
    zone: str
    aliases: list[str] = []
    latitude: float | None = None
    longitude: float | None = None


class CabinRows(RecordModel):
    """Rows of one cabin. ``letters`` has a space where the aisle is: ``ABC DEF`` has aisle seats C and D."""

    cabin: Cabin
    first_row: Annotated[int, Field(ge=1)]
    last_row: Annotated[int, Field(ge=1)]
    letters: Annotated[str, Field(pattern=r"^[A-Z]+( [A-Z]+)*$")]


class SeatMap(RecordModel):
    """A seat layout that flights share."""

    name: str
    cabins: list[CabinRows]
    exit_rows: list[int] = []
    lavatory_rows: list[int] = []
    missing_seats: list[str] = []


class Flight(RecordModel):
    """One flight on one day. ``flight_id`` is ``<flight_no>@<date>``, the date of departure by the timetable.

    ``departs`` and ``arrives`` are the times now expected, each with the offset of its airport; the scheduled ones are
    those of the timetable (left out: the same). ``taken`` are the seats of people outside this world's bookings.
    """

    flight_id: str
    flight_no: str
    date: Day
    carrier: str
    carrier_name: str = ""
    origin: Annotated[str, Ref("flight_booking.airports")]
    destination: Annotated[str, Ref("flight_booking.airports")]
    departs: Instant
    arrives: Instant
    scheduled_departs: Instant | None = None
    scheduled_arrives: Instant | None = None
    equipment: str = ""
    equipment_note: str = ""
    seat_map: Annotated[str, Ref("flight_booking.seat_maps")]
    taken: list[str] = []
    status: FlightStatus = "scheduled"
    terminal: str = ""
    gate: str = ""
    note: str = ""
    checkin_opens_minutes: Count = 24 * 60
    checkin_closes_minutes: Count = 60
    desk_only: bool = False


class Extra(RecordModel):
    """Something sold with a fare, priced per passenger and way: a bag, a bicycle, a meal."""

    code: str
    title: str
    price_minor: Minor


class Offer(RecordModel):
    """A fare for a one-way trip, or for a round trip whose way back is ``inbound``."""

    offer_id: str
    outbound: Annotated[list[Annotated[str, Ref("flight_booking.flights")]], Field(min_length=1)]
    inbound: list[Annotated[str, Ref("flight_booking.flights")]] = []
    cabin: Cabin = "ECONOMY"
    price_adult_minor: Annotated[Minor, Field(ge=0)]
    child_percent: Count = 75
    infant_percent: Count = 10
    currency: Currency
    seats_left: Count = 9
    valid_until: Instant
    hold_hours: Count = 24
    refundable: bool = False
    change_fee_minor: Annotated[Minor, Field(ge=0)] = 0
    cancel_fee_minor: Annotated[Minor, Field(ge=0)] = 0
    baggage: str = ""
    fare_note: str = ""
    extras: list[Extra] = []


class Passenger(RecordModel):
    """A traveller of a booking."""

    given_name: str
    family_name: str
    user_id: str = ""
    type: Literal["adult", "child", "infant"] = "adult"
    date_of_birth: Day | None = None
    passport_no: str = ""
    assistance: str = ""


class SeatOfPassenger(RecordModel):
    """Where a passenger sits on a segment; ``pax_idx`` counts the booking's passengers from 0."""

    pax_idx: Count
    name: str
    user_id: str = ""
    seat: str | None = None
    checked_in: bool = False


class BookingSegment(RecordModel):
    """One flight of a booking. The booked times are those that it had when it was booked (left out: the timetable's).

    Where an initial record leaves out the passengers, all of the booking travel and have no seat yet.
    """

    flight_id: Annotated[str, Ref("flight_booking.flights")]
    direction: Direction = "outbound"
    cabin: Cabin = "ECONOMY"
    booked_departs: Instant | None = None
    booked_arrives: Instant | None = None
    status: SegmentStatus = "confirmed"
    passengers: list[SeatOfPassenger] = []


class Contact(RecordModel):
    email: str
    phone: str = ""


class BookedExtra(RecordModel):
    code: str
    title: str
    pax_idx: Count
    direction: Direction
    price_minor: Minor


class Change(RecordModel):
    """A change of flights that was made to a booking."""

    at: Instant
    from_flights: list[str]
    to_flights: list[str]
    new_offer_id: str
    fee_minor: Minor
    charged_minor: Minor


class Booking(RecordModel):
    """A reservation of one party. The conditions are those of the fare when it was bought."""

    pnr: str
    user_id: str
    status: BookingStatus
    created_at: Instant
    offer_id: Annotated[str, Ref("flight_booking.offers")] = ""
    passengers: Annotated[list[Passenger], Field(min_length=1)]
    contact: Contact
    segments: Annotated[list[BookingSegment], Field(min_length=1)]
    extras: list[BookedExtra] = []
    payment_method_id: str = ""
    currency: Currency
    price_total_minor: Annotated[Minor, Field(ge=0)]
    paid_minor: Annotated[Minor, Field(ge=0)] = 0
    refunded_minor: Annotated[Minor, Field(ge=0)] = 0
    refundable: bool = False
    change_fee_minor: Annotated[Minor, Field(ge=0)] = 0
    cancel_fee_minor: Annotated[Minor, Field(ge=0)] = 0
    baggage: str = ""
    fare_note: str = ""
    hold_expires_at: Instant | None = None
    changes: list[Change] = []
    cancelled_at: Instant | None = None
    cancel_reason: str = ""


class Subscription(RecordModel):
    """Somebody wants to be told when a flight's status changes."""

    subscription_id: str
    flight_id: Annotated[str, Ref("flight_booking.flights")]
    sink: Literal["stdout", "webhook"]
    webhook_url: str = ""
    created_at: Instant
