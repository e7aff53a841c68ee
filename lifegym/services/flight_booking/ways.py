"""Ways: what the flights of one direction of a trip come to, and which offers use them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from lifegym.services.flight_booking.life import OVER
from lifegym.world import clock
from lifegym.world.frozen import freeze
from lifegym.world.record import Record

__all__ = ["Trips", "Way", "Ways", "flight_line", "trips_of"]

Ids = tuple[str, ...]
Trips = dict[tuple[str, str], dict[tuple[Ids, Ids], list[tuple[int, Record]]]]
"""First flight and day of the way back ("" if there is none) to trips (flights there, flights back) to the offers of
each with their places in the table."""


class Way(NamedTuple):
    """One direction of a trip.

    Attributes:
        origin: Airport where it begins.
        destination: Airport where it ends.
        leaves: When, in seconds.
        arrives: When, in seconds.
        over: Whether one of its flights is cancelled or has left.
        shown: How tools show it.
    """

    origin: str
    destination: str
    leaves: int
    arrives: int
    over: bool
    shown: Any


class Ways:
    """The flights, by where and when they leave, and the ways that they make up. Remembers each way it was asked for.

    Args:
        flights: All of them.
    """

    def __init__(self, flights: Iterable[Record]) -> None:
        self._flights: dict[str, Record] = {}
        self._leaving: dict[tuple[str, str], list[str]] = {}
        self._known: dict[Ids, Way] = {}
        for flight in flights:
            self._flights[flight["flight_id"]] = flight
            self._leaving.setdefault((flight["origin"], flight["date"]), []).append(flight["flight_id"])

    def leaving(self, airport: str, date: str) -> Sequence[str]:
        """Ids of the flights that leave an airport on a date."""
        return self._leaving.get((airport, date), ())

    def of(self, flight_ids: Sequence[str]) -> Way:
        """The way of some flights, one or more."""
        key = tuple(flight_ids)
        way = self._known.get(key)
        if way is None:
            way = self._known[key] = self._way([self._flights[flight_id] for flight_id in key])
        return way

    @staticmethod
    def _way(flights: list[Record]) -> Way:
        lines = [flight_line(flight) for flight in flights]
        leaves, arrives = _seconds(flights[0]["departs"]), _seconds(flights[-1]["arrives"])
        for before, after in pairwise(lines):
            after["connection_minutes"] = (_seconds(after["departs"]) - _seconds(before["arrives"])) // 60
        shown = {
            "from": lines[0]["from"],
            "to": lines[-1]["to"],
            "departs": lines[0]["departs"],
            "arrives": lines[-1]["arrives"],
            "duration_minutes": (arrives - leaves) // 60,
            "stops": len(lines) - 1,
            "flights": lines,
        }
        over = any(flight["status"] in OVER for flight in flights)
        return Way(shown["from"], shown["to"], leaves, arrives, over, freeze(shown))


def trips_of(offers: Iterable[Record]) -> Trips:
    """The trips that there are offers for."""
    found: Trips = {}
    for place, offer in enumerate(offers):
        outbound, inbound = tuple(offer["outbound"]), tuple(offer["inbound"])
        back_on = inbound[0].rpartition("@")[2] if inbound else ""  # a flight's key ends with its day
        found.setdefault((outbound[0], back_on), {}).setdefault((outbound, inbound), []).append((place, offer))
    return found


def flight_line(flight: Record) -> dict[str, Any]:
    """A flight as one line of an itinerary."""
    return {
        "flight_no": flight["flight_no"],
        "date": flight["date"],
        "carrier": flight["carrier_name"] or flight["carrier"],
        "from": flight["origin"],
        "to": flight["destination"],
        "departs": flight["departs"],
        "arrives": flight["arrives"],
        "equipment": flight["equipment"],
    }


def _seconds(stamp: str) -> int:
    """The instant of a flight's time, which always says its offset from UTC."""
    return clock.parse_instant(stamp, "UTC")
