"""Who travels, what each pays, and where they sit."""

from __future__ import annotations

from typing import Any, NamedTuple, get_args

from lifegym.services.rail_booking.life import RailLife
from lifegym.services.rail_booking.records import PassengerType
from lifegym.services.search import fold
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["Quote", "RailFares", "most_together", "sit_together"]

MOST_PASSENGERS = 9
ROWS_PER_COACH = 20
_SEATING: dict[str, tuple[int, str]] = {
    "standard": (4, "ABCDE"),
    "first": (12, "ABCD"),
    "business": (14, "ABC"),
    "sleeper": (16, "AB"),
}
"""First coach of a class, and the letters of one row."""

_TYPES = get_args(PassengerType)


class Quote(NamedTuple):
    """What an offer costs a party.

    Attributes:
        tickets: name, type, user_id, fare_minor, discount of each passenger.
        total_minor: Their fares together.
        students: Users who spend one of their student journeys on it.
        notes: Why somebody gets no reduction that was asked for.
    """

    tickets: list[dict[str, Any]]
    total_minor: int
    students: list[str]
    notes: list[str]


class RailFares(RailLife):
    """Fares and seats."""

    def _party(self, passengers: list[dict[str, Any]]) -> list[dict[str, str]]:
        """The passengers of a call as name, type and user_id.

        Raises:
            ToolError: ``bad_passengers``.
        """
        if not 1 <= len(passengers) <= MOST_PASSENGERS:
            raise ToolError("bad_passengers", f"a booking is for 1 to {MOST_PASSENGERS} passengers; split larger ones")
        party: list[dict[str, str]] = []
        for number, given in enumerate(passengers, 1):
            fields = {key: given.get(key) or "" for key in ("name", "given_name", "family_name", "user_id", "type")}
            if not all(isinstance(value, str) and len(value) <= 100 for value in fields.values()):
                raise ToolError("bad_passengers", f"passenger {number}: the fields are texts of up to 100 characters")
            name = " ".join((fields["name"] or f"{fields['given_name']} {fields['family_name']}").split())
            if not name:
                raise ToolError("bad_passengers", f"passenger {number} needs a name, or given_name and family_name")
            kind = fields["type"] or "adult"
            if kind not in _TYPES:
                raise ToolError("bad_passengers", f"passenger {number}: type is one of {', '.join(_TYPES)}")
            party.append({"name": name, "type": kind, "user_id": fields["user_id"]})
        names = [fold(person["name"]) for person in party]
        users = [person["user_id"] for person in party if person["user_id"]]
        if len(set(names)) < len(names) or len(set(users)) < len(users):
            raise ToolError("bad_passengers", "the same person is listed twice; name each passenger once")
        return party

    def _quote(self, offer: Record, party: list[dict[str, str]], replaced: Record | None = None) -> Quote:
        """The fares of a party; ``replaced`` is a booking whose student journeys are given back first."""
        tickets, students, notes = [], [], []
        for person in party:
            percent, discount = 100, ""
            if person["type"] == "student":
                refusal = self._student_refusal(person["user_id"], offer, replaced)
                if refusal:
                    notes.append(f"{person['name']} pays the full fare: {refusal}")
                else:
                    percent, discount = offer["student_percent"], "student"
                    students.append(person["user_id"])
            elif person["type"] != "adult":
                percent = offer[f"{person['type']}_percent"]
                discount = person["type"] if percent < 100 else ""
            fare = offer["price_minor"] * percent // 100
            tickets.append({**person, "fare_minor": fare, "discount": discount})
        return Quote(tickets, sum(ticket["fare_minor"] for ticket in tickets), students, notes)

    def _student_refusal(self, user_id: str, offer: Record, replaced: Record | None) -> str:
        """Why there is no student price for somebody on this train; "" where there is."""
        if not user_id:
            return "a student ticket needs the passenger's user_id"
        student = self.find("students", user_id)
        if student is None:
            return f"{user_id} has no student profile"
        lacking = self._unproven(student)
        if lacking:
            return "; ".join(lacking)
        train = self.table("trains").find(offer["train_key"])
        assert train is not None
        ends = {fold(self._city(train["origin"])), fold(self._city(train["dest"]))}
        if {fold(city) for city in student["discount_zone"].split(" - ")} != ends:
            return f"the discount zone is {student['discount_zone']}"
        if student["uses_left"] + (user_id in _discounted(replaced)) < 1:
            return "no student journeys are left"
        return ""

    @staticmethod
    def _unproven(student: Record) -> list[str]:
        """What a student still lacks for the student price, journeys left aside."""
        lacking = [
            f"{field} is {student[field]}"
            for field in ("xuexin_status", "school_proof_status")
            if student[field] != "verified"
        ]
        if not student["discount_zone"]:
            lacking.append("no discount_zone is set")
        return lacking

    def _spend(self, students: list[str]) -> None:
        for user_id in students:
            student = self.find("students", user_id)
            if student is not None:
                self.patch("students", user_id, uses_left=student["uses_left"] - 1)

    def _give_back(self, booking: Record) -> None:
        """Return a cancelled booking's seats and student journeys."""
        offer = self.find("offers", booking["offer_id"])
        if offer is not None:
            self.patch("offers", offer["offer_id"], seats_left=offer["seats_left"] + len(booking["passengers"]))
        for user_id in _discounted(booking):
            student = self.find("students", user_id)
            if student is not None:
                self.patch("students", user_id, uses_left=student["uses_left"] + 1)

    def _seats(self, offer: Record, count: int) -> tuple[list[str], int]:
        """Seats for a party and the row from which the next one is seated: side by side if that many are together."""
        coach, letters = _SEATING[offer["seat_class"]]
        width = len(letters) if sit_together(offer, count) else 1
        seats = []
        for place in range(count):
            row = offer["next_row"] - 1 + place // width
            letter = letters[place % len(letters)]
            seats.append(f"{coach + row // ROWS_PER_COACH}-{row % ROWS_PER_COACH + 1}{letter}")
        return seats, offer["next_row"] + -(-count // width)

    def _check_on_sale(self, offer: Record, count: int) -> None:
        """Refuse an offer that cannot be bought for so many now.

        Raises:
            ToolError: ``train_cancelled``, ``departed``, ``not_on_sale``, ``offer_expired`` or ``sold_out``.
        """
        train = self.table("trains").find(offer["train_key"])
        assert train is not None
        if train["status"] == "cancelled":
            raise ToolError("train_cancelled", "the railway cancelled this train; search_trains shows others")
        if self.now >= self._departure(train):
            raise ToolError("departed", "this train has left; search_trains shows later ones")
        if train["sale_opens"] and self.now < self.seconds(train["sale_opens"]):
            raise ToolError("not_on_sale", f"tickets are sold from {train['sale_opens']}; book then")
        if offer["valid_until"] and self.now > self.seconds(offer["valid_until"]):
            raise ToolError(
                "offer_expired", f"this offer was valid until {offer['valid_until']}; search_trains shows others"
            )
        if count > offer["seats_left"]:
            raise ToolError(
                "sold_out", f"{offer['seats_left']} seats are left, {count} are needed; take another train or class"
            )

    def _why_not(self, offer: Record, count: int) -> str:
        """Why an offer cannot be bought for so many now, as ``code: what to do``; "" where it can."""
        try:
            self._check_on_sale(offer, count)
        except ToolError as error:
            return f"{error.code}: {error.message}"
        return ""

    def _city(self, code: str) -> str:
        station = self.find("stations", code)
        return station["city"] if station else code

    def _station_name(self, code: str) -> str:
        station = self.find("stations", code)
        return station["name"] if station else code


def most_together(offer: Record) -> int:
    """How many can sit side by side now."""
    return int(min(offer["seats_together"], offer["seats_left"]))


def sit_together(offer: Record, count: int) -> bool:
    """Whether so many can sit side by side now; one person alone does in any seat."""
    return bool(count <= offer["seats_left"] and count <= max(1, offer["seats_together"]))


def _discounted(booking: Record | None) -> list[str]:
    """The users who travel at the student price on a booking."""
    if booking is None:
        return []
    return [ticket["user_id"] for ticket in booking["passengers"] if ticket.get("discount") == "student"]
