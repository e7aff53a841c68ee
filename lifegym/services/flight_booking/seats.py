"""Seats: what a layout has, which are taken, who may sit where."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lifegym.services.flight_booking.places import FlightBookingPlaces
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["LIVE", "FlightBookingSeats", "seat_exists", "seat_positions", "seats_of_row"]

LIVE = ("held", "ticketed")
"""States in which a booking holds seats."""

_SEAT = re.compile(r"([1-9]\d{0,2})([A-Z])")
_UNLOVED_FIRST = {"middle": 0, "window": 1, "aisle": 2}


@lru_cache(maxsize=256)
def seat_positions(letters: str) -> dict[str, str]:
    """Seat letter to ``window``, ``middle`` or ``aisle``; in ``ABC DEF`` the aisle runs between C and D."""
    positions: dict[str, str] = {}
    blocks = letters.split(" ")
    for number, block in enumerate(blocks):
        for place, letter in enumerate(block):
            at_wall = (number == 0 and place == 0) or (number == len(blocks) - 1 and place == len(block) - 1)
            at_aisle = (number > 0 and place == 0) or (number < len(blocks) - 1 and place == len(block) - 1)
            positions[letter] = "window" if at_wall else "aisle" if at_aisle else "middle"
    return positions


def _cabin_at(layout: Record, row: int) -> Any:
    return next((part for part in layout["cabins"] if part["first_row"] <= row <= part["last_row"]), None)


def seats_of_row(layout: Record, row: int, letters: str) -> list[str]:
    """The seats of a row, from left to right."""
    seats = [f"{row}{letter}" for letter in letters if letter != " "]
    missing = layout["missing_seats"]
    return [seat for seat in seats if seat not in missing] if missing else seats


def _place_of(layout: Record, seat: str) -> tuple[int, str, Any] | None:
    """Row, letter and cabin of a seat; None if the layout has no such seat."""
    match = _SEAT.fullmatch(seat)
    if not match or seat in layout["missing_seats"]:
        return None
    row = int(match[1])
    part = _cabin_at(layout, row)
    return (row, match[2], part) if part is not None and match[2] in part["letters"] else None


def seat_exists(layout: Record, seat: str, cabin: str | None = None) -> bool:
    """Whether a layout has a seat, in a cabin if one is named."""
    place = _place_of(layout, seat)
    return place is not None and (cabin is None or place[2]["cabin"] == cabin)


def _by_flight(bookings: Iterable[Record]) -> dict[str, list[tuple[Record, int]]]:
    found: dict[str, list[tuple[Record, int]]] = {}
    for booking in bookings:
        for index, segment in enumerate(booking["segments"] if booking["status"] in LIVE else ()):
            if segment["status"] in ("confirmed", "flown"):
                found.setdefault(segment["flight_id"], []).append((booking, index))
    return found


class FlightBookingSeats(FlightBookingPlaces):
    """Seats of flights and passengers on them."""

    def _layout(self, flight: Record) -> Record:
        return self._named("seat_maps", flight["seat_map"])

    def _on_flight(self, flight_id: str) -> Sequence[tuple[Record, int]]:
        """Live bookings with a segment on a flight that is confirmed or flown, and the segment's index."""
        return self.table("bookings").derive("by_flight", _by_flight).get(flight_id, ())

    def _occupied(self, flight: Record) -> dict[str, str]:
        """Seats that are not free, and the PNR that has them ("" where it is a stranger)."""
        occupied = dict.fromkeys(flight["taken"], "")
        for booking, index in self._on_flight(flight["flight_id"]):
            for traveller in booking["segments"][index]["passengers"]:
                if traveller["seat"]:
                    occupied[traveller["seat"]] = booking["pnr"]
        return occupied

    @staticmethod
    def _unseated(people: Sequence[Any]) -> list[dict[str, Any]]:
        """The passengers of a new segment."""
        return [
            {
                "pax_idx": index,
                "name": f"{person['given_name']} {person['family_name']}",
                "user_id": person["user_id"],
                "seat": None,
                "checked_in": False,
            }
            for index, person in enumerate(people)
        ]

    def _passenger(self, passengers: Sequence[Any], who: str | int) -> int:
        """The index of the passenger whom a user id, a full name in either order, or an index means.

        Raises:
            ToolError: ``unknown_passenger``.
        """
        if isinstance(who, str) and not (who.strip().isdecimal() and len(who) < 4):
            wanted = " ".join(who.casefold().split())
            found = [
                index
                for index, person in enumerate(passengers)
                if wanted
                in (
                    person.get("user_id", "").casefold(),
                    f"{person['given_name']} {person['family_name']}".casefold(),
                    f"{person['family_name']} {person['given_name']}".casefold(),
                )
            ]
            if len(found) == 1:
                return found[0]
        elif 0 <= int(who) < len(passengers):
            return int(who)
        people = ", ".join(
            f"{index} {person['given_name']} {person['family_name']}" for index, person in enumerate(passengers)
        )
        raise ToolError(
            "unknown_passenger", f"{str(who)[:60]!r} is not one passenger of this booking; there are: {people}"
        )

    def _seats_wished(
        self,
        flight: Record,
        cabin: str,
        passengers: Sequence[Any],
        wishes: Sequence[tuple[int, str]],
        freed: Mapping[str, str] | None = None,
    ) -> dict[int, str]:
        """The wishes of passengers for seats on one flight, if they can all be had.

        Args:
            flight: The flight.
            cabin: The cabin that they travel in.
            passengers: Everybody of the booking.
            wishes: Passenger's index and seat.
            freed: Seats that become free with the same act.

        Raises:
            ToolError: ``desk_only``, ``no_such_seat``, ``seat_not_allowed``, ``seat_taken``.
        """
        if wishes and flight["desk_only"]:
            raise ToolError("desk_only", f"seats of {flight['flight_id']} are given at the airport desk only")
        layout, occupied = self._layout(flight), self._occupied(flight)
        chosen: dict[int, str] = {}
        for index, text in wishes:
            seat = text.strip().upper().lstrip("0")
            place = _place_of(layout, seat)
            if place is None:
                raise ToolError(
                    "no_such_seat", f"there is no seat {text[:20]!r} on {flight['flight_id']}; see get_seat_map"
                )
            row, _, part = place
            kind = passengers[index].get("type", "adult")
            if part["cabin"] != cabin:
                raise ToolError("seat_not_allowed", f"{seat} is in {part['cabin']}, the booking is in {cabin}")
            if kind == "infant":
                raise ToolError("seat_not_allowed", "an infant sits on an adult's lap; choose no seat for it")
            if kind == "child" and row in layout["exit_rows"]:
                raise ToolError("seat_not_allowed", f"row {row} is an exit row, where children may not sit")
            if seat in chosen.values() or index in chosen:
                raise ToolError("seat_taken", f"{seat}: one passenger gets one seat, and one seat one passenger")
            if seat in occupied and seat not in (freed or {}):
                raise ToolError("seat_taken", f"{seat} on {flight['flight_id']} is taken; get_seat_map shows free ones")
            chosen[index] = seat
        return chosen

    def _seats_left_over(
        self, flight: Record, cabin: str, passengers: Sequence[Any], needy: Sequence[int], near: Sequence[str]
    ) -> dict[int, str]:
        """Seats for passengers without wishes: from the back, the unloved first, and not together.

        Args:
            flight: The flight.
            cabin: The cabin that they travel in.
            passengers: Everybody of the booking.
            needy: Indices of those who need a seat.
            near: Seats that the party has already or is about to get.

        Raises:
            ToolError: ``no_seat_free``.
        """
        layout, occupied = self._layout(flight), self._occupied(flight)
        free: list[tuple[int, str]] = []
        for part in layout["cabins"]:
            if part["cabin"] == cabin:
                positions = seat_positions(part["letters"])
                for row in range(part["last_row"], part["first_row"] - 1, -1):
                    seats = seats_of_row(layout, row, part["letters"])
                    seats.sort(key=lambda seat: _UNLOVED_FIRST[positions[seat[-1]]])
                    free.extend((row, seat) for seat in seats if seat not in occupied and seat not in near)
        free.sort(key=lambda place: -place[0])
        rows = {int(seat[:-1]) for seat in near}
        given: dict[int, str] = {}
        for index in needy:
            child = passengers[index]["type"] == "child"
            fit = [place for place in free if not (child and place[0] in layout["exit_rows"])]
            if not fit:
                raise ToolError(
                    "no_seat_free",
                    f"{flight['flight_id']} has no seat left to give in {cabin}; ask at the airport desk",
                )
            row, seat = next((place for place in fit if place[0] not in rows), fit[0])
            free.remove((row, seat))
            rows.add(row)
            given[index] = seat
        return given
