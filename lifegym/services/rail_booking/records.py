"""What a railway's ticket office keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = [
    "Booking", "Offer", "PassengerType", "Proof", "SeatClass", "Station", "StoredStatus", "Student", "Ticket", "Train",
]  # fmt: skip

SeatClass = Literal["standard", "first", "business", "sleeper"]
PassengerType = Literal["adult", "child", "student", "senior"]
Proof = Literal["not_submitted", "pending", "verified", "rejected", "expired"]
StoredStatus = Literal["scheduled", "running", "delayed", "cancelled"]
"""What the railway has said of a train; ``running`` is a promise that it goes as planned."""

Percent = Annotated[int, Field(ge=0, le=100)]


class Station(RecordModel):
    code: str
    name: str
    city: str
    aliases: list[str] = []
    zone: str = ""
    """IANA name of the zone of its clocks; the world's if empty."""


class Train(RecordModel):
    train_key: str
    """``TH22@2026-05-08``: number and date of departure."""
    train_no: str
    date: Day
    name: str = ""
    origin: Annotated[str, Ref("rail_booking.stations")]
    dest: Annotated[str, Ref("rail_booking.stations")]
    departs: Instant
    arrives: Instant
    expected_departs: Instant | None = None
    expected_arrives: Instant | None = None
    status: StoredStatus = "scheduled"
    cancel_refund: Literal["full", "less_fee"] = "full"
    platform: str = ""
    note: str = ""
    sale_opens: Instant | None = None

    @model_validator(mode="after")
    def _has_its_key(self) -> Train:
        key = f"{self.train_no}@{self.date}"
        if self.train_key != key or self.departs[:10] != self.date:
            raise ValueError(f"a train that leaves on {self.departs[:10]} has that date, and here the key {key!r}")
        return self


class Offer(RecordModel):
    offer_id: str
    """``TH22@2026-05-08/standard``: the train and the class."""
    train_key: Annotated[str, Ref("rail_booking.trains")]
    seat_class: SeatClass = "standard"
    price_minor: Minor
    currency: Currency
    child_percent: Percent = 50
    student_percent: Percent = 75
    senior_percent: Percent = 100
    seats_left: Annotated[int, Field(ge=0)]
    seats_together: Annotated[int, Field(ge=0)] = 5
    """The most that can sit side by side, however many seats are left."""
    refund_fee_minor: Minor = 0
    valid_until: Instant | None = None
    next_row: int = 1

    @model_validator(mode="after")
    def _has_its_key(self) -> Offer:
        if self.offer_id != f"{self.train_key}/{self.seat_class}":
            raise ValueError(f"the offer_id of this offer is '{self.train_key}/{self.seat_class}'")
        return self


class Ticket(RecordModel):
    name: str
    type: PassengerType = "adult"
    user_id: str = ""
    seat: str
    fare_minor: Minor
    discount: str = ""


class Booking(RecordModel):
    booking_ref: str
    user_id: str
    status: Literal["confirmed", "cancelled", "completed"] = "confirmed"
    offer_id: Annotated[str, Ref("rail_booking.offers")]
    train_key: Annotated[str, Ref("rail_booking.trains")]
    train_no: str
    date: Day
    origin: str
    dest: str
    departs: Instant
    arrives: Instant
    seat_class: SeatClass
    passengers: list[Ticket]
    seats_together: bool
    total_minor: Minor
    currency: Currency
    refund_fee_minor: Minor
    method: str = ""
    contact: dict[str, str] = {}
    created_at: Instant
    cancelled_at: Instant | None = None
    reason: str = ""
    refund_minor: Minor | None = None
    fee_minor: Minor | None = None
    changed_from: str = ""
    changed_to: str = ""
    train_status: StoredStatus = "scheduled"


class Student(RecordModel):
    user_id: str
    name: str = ""
    school: str = ""
    xuexin_status: Proof = "not_submitted"
    school_proof_status: Proof = "not_submitted"
    discount_zone: str = ""
    """``Shanghai - Kunming``: the two cities between which the student travels, or empty."""
    uses_left: Annotated[int, Field(ge=0)] = 4
    note: str = ""
    updated_at: Instant | None = None
