"""The structured arguments of the flight tools."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

__all__ = [
    "MOST_EXTRAS",
    "BookingContact",
    "ExtraSelection",
    "PassengerProfile",
    "PaymentDetails",
    "PreferredSeat",
    "SeatSelection",
]

MOST_EXTRAS = 36
"""How many extras one booking may name."""
PersonName = Annotated[str, Field(min_length=1, max_length=80)]


class PassengerProfile(TypedDict):
    """A traveller: given_name and family_name as in the passport. What is not needed may be left out."""

    user_id: NotRequired[Annotated[str, Field(max_length=80)]]
    given_name: PersonName
    family_name: PersonName
    type: NotRequired[Literal["adult", "child", "infant"]]
    date_of_birth: NotRequired[str]
    passport_no: NotRequired[Annotated[str, Field(max_length=40)]]
    assistance: NotRequired[Annotated[str, Field(max_length=200)]]


class BookingContact(TypedDict):
    """Whom the carrier writes to."""

    email: Annotated[str, Field(max_length=200)]
    phone: NotRequired[Annotated[str, Field(max_length=40)]]


class PaymentDetails(TypedDict):
    """What is charged."""

    payment_method_id: str


class SeatSelection(TypedDict):
    """A seat on one segment; passenger is a user_id, a full name or an index from 0."""

    segment_idx: int
    passenger: str | int
    seat: str


class PreferredSeat(TypedDict):
    """A seat on the segment that is checked in; passenger is a user_id, a full name or an index from 0."""

    passenger: str | int
    seat: str


class ExtraSelection(TypedDict):
    """Something from the offer's extras. Without a passenger it is the first one's, without a way it is on each."""

    code: str
    passenger: NotRequired[str | int]
    way: NotRequired[Literal["outbound", "return"]]
