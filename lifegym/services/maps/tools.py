"""Maps: getting from one point to another."""

from __future__ import annotations

from typing import Any

from lifegym.services.maps.places import MapsPlaces
from lifegym.services.maps.records import Mode
from lifegym.services.maps.routing import Point, steps
from lifegym.services.maps.transit import Journey
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock

__all__ = ["Maps"]

MOST_PAIRS = 100

# Weekday hours with more traffic than usual, and how many times as long driving takes then.
_RUSH = {7: 1.4, 8: 1.6, 9: 1.3, 12: 1.1, 16: 1.2, 17: 1.5, 18: 1.6, 19: 1.3}
_WEEKEND = dict.fromkeys(range(11, 19), 1.15)
TOWN_MIN = 45
"""Rush hours are felt in town: on this many minutes of a drive at most."""


class Maps(MapsPlaces):
    """Places and ways. Distances are metres, durations minutes; the same question always gets the same answer."""

    @tool(write=False)
    def directions(
        self, origin: str, dest: str, mode: Mode = "driving", depart_at: str | None = None
    ) -> dict[str, Any]:
        """Show the way from one point to another: distance, duration, steps.

        Driving times are those of free roads, with incidents in force at departure; get_traffic_estimate adds rush
        hours. Transit gives the journey that is there first; get_transit shows all of them.

        Args:
            origin: A place_id, a place's name, alias or address, or "lat,lng".
            dest: The same.
            mode: driving, walking, transit or cycling.
            depart_at: ISO 8601 date-time of departure, to reckon the arrival; transit leaves now without it.

        Returns:
            origin, dest (place_id, name, lat, lng); mode, distance_m, duration_min; steps (instruction, distance_m,
            duration_min), for transit the legs as in get_transit; via; alternatives (other ways: via, distance_m,
            duration_min); incidents; with depart_at: depart_at, leave_at (transit: when to go out) and arrive_at.

        Errors:
            not_found: origin or dest names no place.
            bad_time: depart_at is no ISO 8601 date-time.
            no_route: It is too far for this mode.
        """
        start, end = self._point(origin, "origin"), self._point(dest, "dest")
        at = self.now if depart_at is None else self._moment(depart_at, "depart_at")
        ends = {"origin": _shown(start), "dest": _shown(end), "mode": mode}
        if mode == "transit":
            journey = self._must_journeys(start, end, at)[0]
            found = self._journey(journey, at, end)
            return {
                **ends,
                "distance_m": found["distance_m"],
                "duration_min": found["duration_min"],
                "steps": found["legs"],
                "via": ", ".join(leg["line"] for leg in found["legs"] if leg["kind"] == "ride"),
                "alternatives": [],
                "incidents": [],
                "depart_at": clock.iso(at, start.zone),
                "leave_at": found["leave_at"],
                "arrive_at": found["arrive_at"],
            }
        route = self._must_route(start, end, mode, at)
        result = {
            **ends,
            "distance_m": route.distance_m,
            "duration_min": route.duration_min,
            "steps": steps(start, end, route),
            "via": route.via,
            "alternatives": list(route.alternatives),
            "incidents": list(route.incidents),
        }
        if depart_at is not None:
            result["depart_at"] = clock.iso(at, start.zone)
            result["leave_at"] = result["depart_at"]
            result["arrive_at"] = clock.iso(at + route.duration_min * clock.MINUTE, end.zone)
        return result

    @tool(write=False)
    def distance_matrix(self, origins: list[str], dests: list[str], mode: Mode = "driving") -> dict[str, Any]:
        """Distances and durations from several points to several others, as directions would give them now.

        Args:
            origins: place_ids, names, addresses or "lat,lng"; at least one.
            dests: The same. At most 100 pairs in one call.
            mode: driving, walking, transit or cycling.

        Returns:
            origins, dests (place_id, name); rows: for each origin a list, in the order of dests, of distance_m,
            duration_min and status (ok, or no_route where it is too far for this mode, with null for both).

        Errors:
            not_found: One of the points names no place.
            bad_pairs: A list is empty, or there are more than 100 pairs.
        """
        if not 1 <= len(origins) * len(dests) <= MOST_PAIRS:
            raise ToolError("bad_pairs", f"give 1 to {MOST_PAIRS} pairs of origins and dests; split larger ones")
        starts = [self._point(text, "origins") for text in origins]
        ends = [self._point(text, "dests") for text in dests]
        return {
            "origins": [{"place_id": point.place_id, "name": point.name} for point in starts],
            "dests": [{"place_id": point.place_id, "name": point.name} for point in ends],
            "mode": mode,
            "rows": [[self._cell(start, end, mode) for end in ends] for start in starts],
        }

    @tool(write=False)
    def get_transit(self, origin: str, dest: str, depart_at: str) -> dict[str, Any]:
        """Show journeys by public transport from a time on: lines, changes, fare. The first to arrive comes first.

        Args:
            origin: A place_id, a place's name, alias or address, or "lat,lng".
            dest: The same.
            depart_at: ISO 8601 date-time from which on to leave; timetables differ by day.

        Returns:
            origin, dest (place_id, name, lat, lng); journeys, up to five: leave_at (when to go out), arrive_at,
            duration_min (between the two), wait_min (before going out), transfers, lines (names), walk_m, distance_m,
            fare_minor and currency for one person (null if not known), estimate (true: no timetable is known, reckoned
            from the distance), legs (kind walk, ride or estimate; from, to, distance_m, duration_min, line; rides by
            timetable with by, departs, arrives, days on which the line runs, fare_minor, note on works).

        Errors:
            not_found: origin or dest names no place.
            bad_time: depart_at is no ISO 8601 date-time.
            no_route: It is too far.
        """
        start, end = self._point(origin, "origin"), self._point(dest, "dest")
        at = self._moment(depart_at, "depart_at")
        found = self._must_journeys(start, end, at)
        return {
            "origin": _shown(start),
            "dest": _shown(end),
            "depart_at": clock.iso(at, start.zone),
            "journeys": [self._journey(journey, at, end) for journey in found],
        }

    @tool(write=False)
    def get_traffic_estimate(self, origin: str, dest: str, depart_at: str | None = None) -> dict[str, Any]:
        """Estimate a drive with the traffic of the hour: rush hours on weekdays, and incidents.

        Args:
            origin: A place_id, a place's name, alias or address, or "lat,lng".
            dest: The same.
            depart_at: ISO 8601 date-time of departure; now if left out.

        Returns:
            distance_m; free_flow_min (empty roads), traffic_min (what the hour and incidents add), expected_min,
            worst_min; level (free, light, heavy, jam); incidents (note, extra_min, via, until); depart_at, arrive_at.

        Errors:
            not_found: origin or dest names no place.
            bad_time: depart_at is no ISO 8601 date-time.
            no_route: It is too far to drive.
        """
        start, end = self._point(origin, "origin"), self._point(dest, "dest")
        at = self.now if depart_at is None else self._moment(depart_at, "depart_at")
        route = self._must_route(start, end, "driving", at)
        held = sum(item["extra_min"] for item in route.incidents if item["via"] in ("", route.via))
        free = route.duration_min - held
        here = clock.local(at, start.zone)
        factor = (_RUSH if here.weekday() < 5 else _WEEKEND).get(here.hour, 1.0)
        traffic = held + round((factor - 1) * min(free, TOWN_MIN))
        share = traffic / free if free else 0.0
        return {
            "origin": _shown(start),
            "dest": _shown(end),
            "distance_m": route.distance_m,
            "free_flow_min": free,
            "traffic_min": traffic,
            "expected_min": free + traffic,
            "worst_min": free + traffic + -(-(free + traffic) // 5),
            "level": "free" if share < 0.05 else "light" if share < 0.25 else "heavy" if share < 0.75 else "jam",
            "incidents": list(route.incidents),
            "depart_at": clock.iso(at, start.zone),
            "arrive_at": clock.iso(at + (free + traffic) * clock.MINUTE, end.zone),
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _cell(self, start: Point, end: Point, mode: Mode) -> dict[str, Any]:
        if mode == "transit":
            found = self._journeys(start, end, self.now)
            if found:
                first = self._journey(found[0], self.now, end)
                return {"distance_m": first["distance_m"], "duration_min": first["duration_min"], "status": "ok"}
        elif (route := self._route(start, end, mode, self.now)) is not None:
            return {"distance_m": route.distance_m, "duration_min": route.duration_min, "status": "ok"}
        return {"distance_m": None, "duration_min": None, "status": "no_route"}

    def _must_journeys(self, start: Point, end: Point, at: int) -> list[Journey]:
        found = self._journeys(start, end, at)
        if not found:
            raise ToolError("no_route", f"{start.name} to {end.name} is too far for transit; take a train or a flight")
        return found

    @staticmethod
    def _journey(journey: Journey, at: int, end: Point) -> dict[str, Any]:
        rides = [leg for leg in journey.legs if leg["kind"] == "ride"]
        return {
            "leave_at": clock.iso(journey.leave, end.zone),
            "arrive_at": clock.iso(journey.arrive, end.zone),
            "duration_min": (journey.arrive - journey.leave) // 60,
            "wait_min": (journey.leave - at) // 60,
            "transfers": max(0, len(rides) - 1),
            "lines": [leg["line"] for leg in rides],
            "walk_m": sum(leg["distance_m"] for leg in journey.legs if leg["kind"] == "walk"),
            "distance_m": sum(leg["distance_m"] for leg in journey.legs),
            "fare_minor": journey.fare,
            "currency": journey.currency,
            "estimate": journey.estimate,
            "legs": list(journey.legs),
        }


def _shown(point: Point) -> dict[str, Any]:
    return {"place_id": point.place_id, "name": point.name, "lat": point.lat, "lng": point.lng}
