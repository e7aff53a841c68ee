"""What an argument names, and the way from one point to another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from lifegym.services.maps.geometry import FARTHEST_M, compass, path_m, path_minutes, straight_m
from lifegym.services.maps.life import MapsLife
from lifegym.services.maps.records import Mode
from lifegym.services.search import Index, fold, words
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["COORDINATES", "MapsRouting", "Point", "Route", "place_texts", "steps"]

COORDINATES = re.compile(r"\s*(-?\d{1,3}(?:\.\d+)?)\s*[,; ]\s*(-?\d{1,3}(?:\.\d+)?)\s*")

YEARS_KNOWN = 10


class Point(NamedTuple):
    """A place, or a bare position with an empty ``place_id``."""

    place_id: str
    name: str
    lat: float
    lng: float
    zone: str


class Route(NamedTuple):
    """A way between two points: the quickest, with what else there is.

    Attributes:
        distance_m: Its length.
        duration_min: How long it takes, incidents included.
        via: Which way it is, where a link says so.
        alternatives: The other ways, quickest first: via, distance_m, duration_min.
        incidents: What makes it longer now: note, extra_min, via, until.
    """

    distance_m: int
    duration_min: int
    via: str = ""
    alternatives: tuple[dict[str, Any], ...] = ()
    incidents: tuple[dict[str, Any], ...] = ()


class MapsRouting(MapsLife):
    """Points and routes."""

    def _point(self, text: str, argument: str) -> Point:
        """The point that an argument means: a place_id, "lat,lng", or a place's name, alias or address.

        Raises:
            ToolError: ``not_found``.
        """
        place = self.find("places", text)
        if place is None:
            if match := COORDINATES.fullmatch(text):
                lat, lng = float(match[1]), float(match[2])
                if abs(lat) > 90 or abs(lng) > 180:
                    raise ToolError("not_found", f"{argument}: latitude is -90 to 90 and longitude -180 to 180")
                return Point("", f"{lat:.5f},{lng:.5f}", lat, lng, self.world.zone)
            place = self._named(text)
        if place is None:
            near = [row["name"] for row in self._places().rank(text)[:3]] if words(text) else []
            hint = f"do you mean {' or '.join(near)}?" if near else "search_places finds places"
            raise ToolError("not_found", f"{argument}: there is no place {text[:60]!r}; {hint}")
        return Point(place["place_id"], place["name"], place["lat"], place["lng"], self._zone(place))

    def _named(self, text: str) -> Record | None:
        """The place with this name, alias or address, or the one that is most like it in every word."""
        exact = self._exactly(text)
        if exact is not None or not words(text):
            return exact
        found = self._places().rank(text, need_all=True)
        return found[0] if found else None

    def _places(self) -> Index[Record]:
        """The places by their words."""
        return self.table("places").derive("words", lambda rows: Index(rows, place_texts))

    def _exactly(self, text: str) -> Record | None:
        """The place with this very id or name, else with this alias or address."""
        place, wanted = self.find("places", text), fold(text.strip())
        if place is not None or not wanted:
            return place
        return self.table("places").derive("called", _called).get(wanted)

    def _moment(self, text: str, argument: str) -> int:
        """The instant of a departure.

        Raises:
            ToolError: ``bad_time``, also for one that no timetable reaches.
        """
        at = self.instant(text, argument)
        if abs(at - self.now) > YEARS_KNOWN * 366 * clock.DAY:
            raise ToolError("bad_time", f"{argument}: give a time within {YEARS_KNOWN} years of now")
        return at

    def _route(self, start: Point, end: Point, mode: Mode, at: int) -> Route | None:
        """The quickest way at an instant; None where it is too far to go so."""
        link = None
        if start.place_id and end.place_id:
            link = self.find("links", f"{start.place_id}|{end.place_id}|{mode}") or self.find(
                "links", f"{end.place_id}|{start.place_id}|{mode}"
            )
        if link is None:
            metres = path_m(mode, straight_m(start.lat, start.lng, end.lat, end.lng))
            if metres > FARTHEST_M[mode]:
                return None
            ways = [("", metres, path_minutes(mode, metres))]
        else:
            ways = [(link["via"], link["distance_m"], link["duration_min"])]
            ways += [(way["via"], way["distance_m"], way["duration_min"]) for way in link["alternatives"]]
        incidents = self._incidents(start, end, at) if mode == "driving" else ()
        if incidents:
            ways = [(via, far, long + _held_up(incidents, via)) for via, far, long in ways]
        if len(ways) > 1:
            ways.sort(key=lambda way: way[2])
        via, distance, duration = ways[0]
        others = tuple({"via": way, "distance_m": far, "duration_min": long} for way, far, long in ways[1:])
        return Route(distance, duration, via, others, incidents)

    def _incidents(self, start: Point, end: Point, at: int) -> tuple[dict[str, Any], ...]:
        """What is on the road between two places at an instant."""
        ends = {start.place_id, end.place_id}
        return tuple(
            {"note": row["note"], "extra_min": row["extra_min"], "via": row["via"], "until": row["until"]}
            for row in self.rows("incidents")
            if {row["origin"], row["dest"]} == ends
            and self.seconds(row["since"]) <= at
            and (row["until"] is None or at < self.seconds(row["until"]))
        )

    def _must_route(self, start: Point, end: Point, mode: Mode, at: int) -> Route:
        route = self._route(start, end, mode, at)
        if route is None:
            raise ToolError(
                "no_route",
                f"{start.name} to {end.name} is too far for {mode}; take another mode, a train or a flight",
            )
        return route


def steps(start: Point, end: Point, route: Route) -> list[dict[str, Any]]:
    """Where to go, in one or two stretches that add up to the route."""
    if route.distance_m == 0:
        return [{"instruction": f"You are at {end.name}", "distance_m": 0, "duration_min": 0}]
    heading = compass(start.lat, start.lng, end.lat, end.lng)
    by = f" by {route.via}" if route.via else ""
    half, minutes = route.distance_m // 20 * 10, route.duration_min // 2
    return [
        {
            "instruction": f"Leave {start.name} and head {heading}{by}",
            "distance_m": half,
            "duration_min": minutes,
        },
        {
            "instruction": f"Keep {heading} to {end.name}",
            "distance_m": route.distance_m - half,
            "duration_min": route.duration_min - minutes,
        },
    ]


def _held_up(incidents: tuple[dict[str, Any], ...], via: str) -> int:
    return sum(item["extra_min"] for item in incidents if item["via"] in ("", via))


def _called(places: Iterable[Record]) -> dict[str, Record]:
    """Folded names, and the addresses and aliases that are no other place's name, with the first place of each."""
    found: dict[str, Record] = {}
    for place in places:
        found.setdefault(fold(place["name"]), place)
    for place in places:
        for text in (place["address"], *place["aliases"]):
            found.setdefault(fold(text), place)
    return found


def place_texts(place: Record) -> list[tuple[str, float]]:
    """What a place is found by."""
    address, city, notes, aliases = place["address"], place["city"], place["notes"], place["aliases"]
    found = [(place["name"], 3.0), (place["category"], 1.5), (address, 0.8)]
    # Each text costs every search: nothing empty, and no city that its address names anyway.
    if city not in address:
        found.append((city, 0.8))
    if notes:
        found.append((notes, 0.3))
    if aliases:
        found.extend((alias, 2.5) for alias in aliases)
    return found
