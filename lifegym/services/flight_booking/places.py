"""Airports and cities: what somebody means who names one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from lifegym.services.base import Service
from lifegym.services.flight_booking.records import Airport, Booking, Flight, Offer, SeatMap, Subscription
from lifegym.services.search import Index, fold, matches_word, words
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["AirportNames", "FlightBookingPlaces"]

_FILLER = frozenset(("airport", "airports", "international", "intl", "all"))
_NAME_SLIP = 0.5
"""The least grade at which a word counts as a misspelling of another."""


class FlightBookingPlaces(Service):
    """Finds airports by code, city, name, alias or country."""

    name = "flight_booking"
    title = "Flights"
    records = {
        "airports": Airport,
        "seat_maps": SeatMap,
        "flights": Flight,
        "offers": Offer,
        "bookings": Booking,
        "subscriptions": Subscription,
    }

    def _place(self, text: str, name: str) -> tuple[Record, ...]:
        """The airports that a text means: one airport, or all of a city or country.

        Raises:
            ToolError: ``unknown_place``.
        """
        names = self._names()
        exact = names.exactly(text.strip())
        if exact:
            return exact
        wanted = " ".join(word for word in fold(text).replace(",", " ").split() if word not in _FILLER)
        if wanted in names.folded:
            return tuple(names.folded[wanted])
        near = self.table("airports").derive("words", _index).rank(wanted, need_all=True) if wanted else []
        if not near:
            raise ToolError(
                "unknown_place", f"{name}: no airport is like {text[:60]!r}; give a city or an IATA code such as PVG"
            )
        best = near[0]
        if _within(wanted, f"{best['city']} {best['country']}"):
            return tuple(row for row in near if _same_city(row, best))
        return (best,)

    def _names(self) -> AirportNames:
        return self.table("airports").derive("names", AirportNames)

    def _named(self, kind: str, key: str) -> Record:
        """The record that another record names, and that therefore exists."""
        return cast(Record, self.find(kind, key))

    def _airport(self, code: str) -> Record:
        return self._named("airports", code)

    def _flight(self, flight_id: str) -> Record:
        return self._named("flights", flight_id)

    def _same_city(self, one: str, other: str) -> bool:
        """Whether two airport codes serve one city."""
        return one == other or (cities := self._names().cities)[one] == cities[other]

    def _at(self, seconds: int, airport: str) -> str:
        """An instant as the clocks of an airport show it."""
        return clock.iso(seconds, self._airport(airport)["zone"])


class AirportNames:
    """Airports by what they are called.

    Attributes:
        folded: Cities, names, countries and aliases without case and accents.
        cities: Code to city and country.
        of_city: City and country to the codes of its airports.
        of_country: Country to the codes of its airports.
    """

    def __init__(self, airports: Iterable[Record]) -> None:
        self.folded: dict[str, list[Record]] = {}
        self.cities: dict[str, tuple[str, str]] = {}
        self.of_city: dict[tuple[str, str], list[str]] = {}
        self.of_country: dict[str, list[str]] = {}
        self._codes: dict[str, dict[str, Record]] = {}
        self._cities: dict[str, dict[str, Record]] = {}
        self._places: dict[str, int] = {}
        for place, row in enumerate(airports):
            code, city = row["code"], row["city"]
            self._places[code] = place
            self.cities[code] = city, row["country"]
            self.of_city.setdefault(self.cities[code], []).append(code)
            self.of_country.setdefault(row["country"], []).append(code)
            for text in (code, *row["aliases"]):
                self._codes.setdefault(text, {})[code] = row
            for text in (city, *row["aliases"]):
                self._cities.setdefault(text, {})[code] = row
            for text in {fold(name) for name in (city, row["name"], row["country"], *row["aliases"])}:
                self.folded.setdefault(text, []).append(row)

    def exactly(self, text: str) -> tuple[Record, ...]:
        """The airports with this code (in any case), city or alias, in the order of the table."""
        found = self._codes.get(text.upper(), {}) | self._cities.get(text, {})
        return tuple(sorted(found.values(), key=lambda row: self._places[row["code"]]))


def _index(airports: Iterable[Record]) -> Index[Record]:
    return Index(airports, _texts)


def _texts(airport: Record) -> tuple[tuple[str, float], ...]:
    return (
        (airport["city"], 2.5),
        (airport["name"], 2.0),
        (" ".join(airport["aliases"]), 2.0),
        (airport["country"], 0.5),
    )


def _within(query: str, text: str) -> bool:
    """Whether each word of a query is, perhaps misspelt, one of a text."""
    return all(any(matches_word(word, other) >= _NAME_SLIP for other in words(text)) for word in words(query))


def _same_city(one: Record, other: Record) -> bool:
    return bool(one["city"] == other["city"] and one["country"] == other["country"])
