"""What a trip costs, and what comes back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["MOST_TRAVELLERS", "Party", "adult_child_infant", "extras_total", "fare", "party_of", "unflown_value"]

MOST_TRAVELLERS = 9


class Party(NamedTuple):
    """How many travel. Infants sit on a lap."""

    adults: int
    children: int
    infants: int

    @property
    def seats(self) -> int:
        """Seats that the party needs."""
        return self.adults + self.children

    def checked(self) -> Party:
        """The party itself, if an airline takes it.

        Raises:
            ToolError: ``bad_party``.
        """
        if self.adults < 1 or self.seats + self.infants > MOST_TRAVELLERS:
            raise ToolError("bad_party", f"one booking takes 1 to {MOST_TRAVELLERS} travellers, an adult among them")
        if self.infants > self.adults:
            raise ToolError("bad_party", "every infant needs an adult to sit with; add adults or make it a child")
        return self


def party_of(passengers: Iterable[Any]) -> Party:
    """The party that these passengers make."""
    types = [passenger.get("type", "adult") for passenger in passengers]
    return Party(types.count("adult"), types.count("child"), types.count("infant"))


def adult_child_infant(offer: Record) -> tuple[int, int, int]:
    """The fares of an offer by age, in minor units."""
    adult = offer["price_adult_minor"]
    return adult, (adult * offer["child_percent"] + 50) // 100, (adult * offer["infant_percent"] + 50) // 100


def fare(offer: Record, party: Party) -> int:
    """What an offer costs a party, without extras."""
    if not (party.children or party.infants):
        return int(party.adults * offer["price_adult_minor"])
    adult, child, infant = adult_child_infant(offer)
    return int(party.adults * adult + party.children * child + party.infants * infant)


def extras_total(extras: Sequence[Any]) -> int:
    """The price of booked extras."""
    return sum(extra["price_minor"] for extra in extras)


def unflown_value(booking: Record) -> int:
    """The part of a booking's price that belongs to the segments not flown yet."""
    segments = booking["segments"]
    left = sum(segment["status"] != "flown" for segment in segments)
    return int(booking["price_total_minor"] * left // len(segments))
