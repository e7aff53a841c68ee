"""Buses, trams, metros: which lines go when, with at most one change."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_left
from functools import lru_cache
from typing import Any, NamedTuple

from lifegym.services.maps.geometry import path_m, straight_m
from lifegym.services.maps.records import WEEKDAYS
from lifegym.services.maps.routing import MapsRouting, Point, Route
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["Journey", "MapsTransit"]

NEAR_STOP_M = 1_200
NEAR_STOP_DEGREES = 0.011
"""How far, as the crow flies, somebody goes to a stop."""
WALK_ALL_MIN = 20
"""A way that is walked in this time is offered beside the lines."""
CHANGE_S = 3 * clock.MINUTE
DAYS_AHEAD = 4
MOST_JOURNEYS = 5


class Journey(NamedTuple):
    """One way to get there by public transport.

    Attributes:
        leave: When to go out, in seconds.
        arrive: When one is there.
        legs: The walks and rides in order, as agents see them.
        fare: Fare in minor units; None where it is not known.
        currency: Of the fare.
        estimate: Whether no timetable is known and it is reckoned from the distance.
    """

    leave: int
    arrive: int
    legs: tuple[dict[str, Any], ...]
    fare: int | None
    currency: str | None
    estimate: bool = False


class _Hop(NamedTuple):
    """A ride that ends at a stop, and the one before it. Kept small: many are tried for each that is told."""

    arrive: int
    leave: int
    board: int
    line: Record
    start: str
    goal: str
    note: str
    before: _Hop | None

    @property
    def rank(self) -> tuple[int, int]:
        """Sooner there is better, then later out of the house."""
        return (self.arrive, -self.leave)

    @property
    def lines(self) -> tuple[str, ...]:
        """Ids of the lines taken, this one last."""
        own = str(self.line["line_id"])
        return (own,) if self.before is None else (*self.before.lines, own)


class MapsTransit(MapsRouting):
    """Journeys by line."""

    def _journeys(self, start: Point, end: Point, at: int) -> list[Journey]:
        """Ways by public transport that leave at an instant or later: the earliest there first. [] if it is too far."""
        found: list[Journey] = []
        before, after = self._walks(start), self._walks(end)
        if before and after:
            first = self._rides(
                {stop_id: (at + walk.duration_min * 60, None) for stop_id, walk in before.items()}, before
            )
            soonest: dict[str, _Hop] = {}
            for hop in first:
                if hop.goal not in soonest or hop.rank < soonest[hop.goal].rank:
                    soonest[hop.goal] = hop
            second = self._rides({goal: (hop.arrive + CHANGE_S, hop) for goal, hop in soonest.items()}, before)
            chains: dict[tuple[str, ...], tuple[int, int, _Hop]] = {}
            for hop in [*first, *second]:
                if hop.goal in after:
                    arrive = hop.arrive + after[hop.goal].duration_min * 60
                    best = chains.get(hop.lines)
                    if best is None or (arrive, -hop.leave) < best[:2]:
                        chains[hop.lines] = (arrive, -hop.leave, hop)
            chosen = sorted(chains.values(), key=lambda item: item[:2])[:MOST_JOURNEYS]
            found = [self._told(hop, start, end, before, after) for _, _, hop in chosen]
        known = self._route(start, end, "transit", at)
        linked = self._linked(start, end)
        if known is not None and (linked or not found):
            leg = _leg("ride" if linked else "estimate", start.name, end.name, known.distance_m, known.duration_min)
            leg["line"] = known.via or "public transport"
            found.append(Journey(at, at + known.duration_min * 60, (leg,), None, None, estimate=not linked))
        on_foot = self._route(start, end, "walking", at)
        if on_foot is not None and on_foot.duration_min <= WALK_ALL_MIN:
            legs = _walk(start.name, end.name, on_foot)
            found.append(Journey(at, at + on_foot.duration_min * 60, legs, 0, None))
        found.sort(key=lambda journey: (journey.arrive, -journey.leave, len(journey.legs)))
        return found[:MOST_JOURNEYS]

    def _linked(self, start: Point, end: Point) -> bool:
        return any(
            self.find("links", f"{one.place_id}|{other.place_id}|transit") is not None
            for one, other in ((start, end), (end, start))
        )

    def _walks(self, point: Point) -> dict[str, Route]:
        """The stops near a point, by place_id, with the walk there."""
        found: dict[str, Route] = {}
        places = self.table("places")
        stops = dict.fromkeys(stop["place_id"] for line in self.rows("lines") for stop in line["stops"])
        for stop_id in stops:
            place = places.find(stop_id)
            if place is None or abs(place["lat"] - point.lat) > NEAR_STOP_DEGREES:
                continue
            if straight_m(point.lat, point.lng, place["lat"], place["lng"]) <= NEAR_STOP_M:
                there = Point(place["place_id"], place["name"], place["lat"], place["lng"], self._zone(place))
                walk = self._route(point, there, "walking", self.now)
                if walk is not None:
                    found[there.place_id] = walk
        return found

    def _rides(self, ready: dict[str, tuple[int, _Hop | None]], walks: dict[str, Route]) -> list[_Hop]:
        """One ride onwards from stops where somebody is ready at an instant: the best by each line to each stop."""
        best: dict[tuple[str, str], _Hop] = {}
        for line in self.rows("lines"):
            line_id = line["line_id"]
            for backwards in (False, True) if line["both_ways"] else (False,):
                stops = _stops(line, backwards)
                for place, (stop_id, minute) in enumerate(stops[:-1]):
                    at, before = ready.get(stop_id, (0, None))
                    if not at or (before is not None and before.line["line_id"] == line_id):
                        continue
                    run = self._next_run(line, minute, at)
                    if run is None:
                        continue
                    board, extra, note = run
                    # Whoever takes the first ride goes out just in time for it.
                    leave = board - walks[stop_id].duration_min * 60 if before is None else before.leave
                    for goal, goal_minute in stops[place + 1 :]:
                        arrive = board + (goal_minute - minute + extra) * 60
                        known = best.get((line_id, goal))
                        if known is None or (arrive, -leave) < known.rank:
                            best[line_id, goal] = _Hop(arrive, leave, board, line, stop_id, goal, note, before)
        return list(best.values())

    def _told(self, last: _Hop, start: Point, end: Point, before: dict[str, Route], after: dict[str, Route]) -> Journey:
        """A chain of rides with the walks at its ends, as a journey."""
        hops = [last] if last.before is None else [last.before, last]
        rides = [self._ride(hop) for hop in hops]
        currencies = {ride["currency"] for ride in rides}
        fare = sum(ride["fare_minor"] for ride in rides) if len(currencies) == 1 else None
        out, home = before[hops[0].start], after[last.goal]
        legs = (*_walk(start.name, rides[0]["from"], out), *rides, *_walk(rides[-1]["to"], end.name, home))
        return Journey(
            leave=last.leave,
            arrive=last.arrive + home.duration_min * 60,
            legs=legs,
            fare=fare,
            currency=rides[0]["currency"] if fare is not None else None,
        )

    def _ride(self, hop: _Hop) -> dict[str, Any]:
        start, goal = self.get("places", hop.start, "stop"), self.get("places", hop.goal, "stop")
        metres = path_m("transit", straight_m(start["lat"], start["lng"], goal["lat"], goal["lng"]))
        return {
            **_leg("ride", start["name"], goal["name"], metres, (hop.arrive - hop.board) // 60),
            "line_id": hop.line["line_id"],
            "line": hop.line["name"],
            "by": hop.line["kind"],
            "departs": clock.iso(hop.board, self._zone(start)),
            "arrives": clock.iso(hop.arrive, self._zone(goal)),
            "days": " ".join(hop.line["weekdays"]),
            "fare_minor": hop.line["fare_minor"],
            "currency": hop.line["currency"],
            "note": hop.note,
        }

    def _next_run(self, line: Record, minute: int, ready: int) -> tuple[int, int, str] | None:
        """When a line next leaves a stop that it reaches so many minutes after its start: instant, extra, note."""
        zone = self._zone(self.find("places", line["stops"][0]["place_id"]))
        day = clock.local(ready - minute * 60, zone).date()
        for _ in range(DAYS_AHEAD):
            change = self._change(line["line_id"], day.isoformat())
            if WEEKDAYS[day.weekday()] in line["weekdays"] and (change is None or change["runs"]):
                starts = _departures(tuple(line["departures"]), line["first"], line["last"], line["every_min"])
                # An hour early, because a day on which clocks change is not 1440 minutes long; then exactly.
                early = (ready - clock.day_start(day, zone)) // 60 - minute - 60
                for start in starts[bisect_left(starts, early) :]:
                    board = _instant(day, start, zone) + minute * 60
                    if board >= ready:
                        return (board, 0, "") if change is None else (board, change["extra_min"], change["note"])
            day += dt.timedelta(days=1)
        return None

    def _change(self, line_id: str, date: str) -> Record | None:
        """What is different on a line on a date; the latest word counts."""
        found = None
        for change in self.rows("changes"):
            if change["line_id"] == line_id and change["date_from"] <= date <= change["date_to"]:
                found = change
        return found


def _stops(line: Record, backwards: bool) -> list[tuple[str, int]]:
    """A line's stops with their minutes; backwards it starts at the last, at the same times of day."""
    stops = [(stop["place_id"], stop["minute"]) for stop in line["stops"]]
    if not backwards:
        return stops
    length = stops[-1][1]
    return [(place_id, length - minute) for place_id, minute in reversed(stops)]


@lru_cache(maxsize=4096)
def _departures(listed: tuple[str, ...], first: str, last: str, every_min: int) -> tuple[int, ...]:
    """Minutes of the day at which a line starts."""
    if listed:
        return tuple(sorted(_minutes(text) for text in listed))
    return tuple(range(_minutes(first), _minutes(last) + 1, every_min))


@lru_cache(maxsize=65536)
def _instant(day: dt.date, minute: int, zone: str) -> int:
    """The instant of a minute of a day by the clocks of a zone."""
    wall = dt.datetime.combine(day, dt.time(minute // 60, minute % 60), clock.zone(zone))
    return int(wall.timestamp())


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


def _leg(kind: str, start: str, end: str, metres: int, minutes: int) -> dict[str, Any]:
    return {"kind": kind, "from": start, "to": end, "distance_m": metres, "duration_min": minutes}


def _walk(start: str, end: str, walk: Route) -> tuple[dict[str, Any], ...]:
    """A walk as a leg; none where there is nothing to walk."""
    return (_leg("walk", start, end, walk.distance_m, walk.duration_min),) if walk.distance_m else ()
