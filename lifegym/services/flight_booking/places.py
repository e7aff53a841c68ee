"""Airports and cities: what somebody means who names one."""

from __future__ import annotations

from typing import cast

from lifegym.services.base import Service
from lifegym.services.flight_booking.records import Airport, Booking, Flight, Offer, SeatMap, Subscription
from lifegym.services.search import fold, matches_word, rank, words
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.store import Record

__all__ = ["FlightBookingPlaces"]

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
        plain, code = text.strip(), text.strip().upper()
        exact = tuple(
            row
            for row in self.rows("airports")
            if row["code"] == code or row["city"] == plain or code in row["aliases"] or plain in row["aliases"]
        )
        if exact:
            return exact
        wanted = " ".join(word for word in fold(text).replace(",", " ").split() if word not in _FILLER)
        exact = tuple(row for row in self.rows("airports") if _is_called(row, wanted)) if wanted else ()
        if exact:
            return exact
        near = rank(wanted, self.rows("airports"), _texts, need_all=True) if wanted else []
        if not near:
            raise ToolError(
                "unknown_place", f"{name}: no airport is like {text[:60]!r}; give a city or an IATA code such as PVG"
            )
        best = near[0]
        if _within(wanted, f"{best['city']} {best['country']}"):
            return tuple(row for row in near if _same_city(row, best))
        return (best,)

    def _named(self, kind: str, key: str) -> Record:
        """The record that another record names, and that therefore exists."""
        return cast(Record, self.find(kind, key))

    def _airport(self, code: str) -> Record:
        return self._named("airports", code)

    def _flight(self, flight_id: str) -> Record:
        return self._named("flights", flight_id)

    def _same_city(self, one: str, other: str) -> bool:
        """Whether two airport codes serve one city."""
        return one == other or _same_city(self._airport(one), self._airport(other))

    def _at(self, seconds: int, airport: str) -> str:
        """An instant as the clocks of an airport show it."""
        return clock.iso(seconds, self._airport(airport)["zone"])


def _is_called(airport: Record, wanted: str) -> bool:
    return (
        fold(airport["city"]) == wanted
        or fold(airport["name"]) == wanted
        or fold(airport["country"]) == wanted
        or any(fold(alias) == wanted for alias in airport["aliases"])
    )


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
