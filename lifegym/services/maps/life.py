"""What changes on a map by itself: opening hours, closures, prices, jams, lines that are diverted."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.maps.records import WEEKDAYS, Change, Hours, Incident, Line, Link, Place
from lifegym.services.tools import happening
from lifegym.services.types import Day, Instant
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["MapsLife", "PlaceField"]

PlaceField = Literal[
    "name", "category", "address", "rating", "phone", "ticket_minor", "currency", "inside_km", "indoor", "seated",
    "notes",
]  # fmt: skip


class MapsLife(Service):
    """The map's own behaviour."""

    name = "maps"
    title = "Maps"
    records = {
        "places": Place,
        "links": Link,
        "incidents": Incident,
        "lines": Line,
        "changes": Change,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_hours(self, place_id: str, date: Day, hours: Hours) -> list[str]:
        """A place has other hours on one date, or is "closed". Touches the place."""
        place = self.find("places", place_id)
        if place is None:
            return []
        self.patch("places", place_id, exceptions={**place["exceptions"], date: hours})
        return [place_id]

    @happening
    def close_place(self, place_id: str, date_from: Day, date_to: Day, reason: str = "") -> list[str]:
        """A place closes from one date to another, both included. Touches the place."""
        place = self.find("places", place_id)
        if place is None or date_to < date_from:
            return []
        closure = {"date_from": date_from, "date_to": date_to, "reason": reason}
        self.patch("places", place_id, closures=[*place["closures"], closure])
        return [place_id]

    @happening
    def set_field(self, place_id: str, field: PlaceField, value: str | int | float | bool | None) -> list[str]:
        """What the map says of a place changes: its ticket price, phone, notes. Touches the place."""
        place = self.find("places", place_id)
        if place is None:
            return []
        changed = Place.model_validate({**place, field: value})
        self.patch("places", place_id, **{field: getattr(changed, field)})
        return [place_id]

    @happening
    def traffic(
        self,
        origin: str,
        dest: str,
        extra_min: Annotated[int, Field(gt=0)],
        until: Instant | None = None,
        since: Instant | None = None,
        via: str = "",
        note: str = "",
    ) -> list[str]:
        """Driving between two places (their ids) takes longer, in both directions, from now or ``since`` to ``until``.

        ``via`` limits it to that way of a link with alternatives. Touches the new incident, or nothing where it would
        end before it begins.
        """
        begins = since or self.stamp()
        if self.find("places", origin) is None or self.find("places", dest) is None:
            return []
        if until is not None and self.seconds(until) <= self.seconds(begins):
            return []
        incident = self.put(
            "incidents",
            incident_id=self.new_id("inc"),
            origin=origin,
            dest=dest,
            via=via,
            extra_min=extra_min,
            since=begins,
            until=until,
            note=note,
        )
        return [incident["incident_id"]]

    @happening
    def disrupt_line(
        self,
        line_id: str,
        date_from: Day,
        date_to: Day,
        extra_min: Annotated[int, Field(ge=0)] = 0,
        runs: bool = True,
        note: str = "",
    ) -> list[str]:
        """A line takes longer, or does not run, from one date to another. Touches the new change of the line."""
        if self.find("lines", line_id) is None or date_to < date_from:
            return []
        change = self.put(
            "changes",
            change_id=self.new_id("chg"),
            line_id=line_id,
            date_from=date_from,
            date_to=date_to,
            extra_min=extra_min,
            runs=runs,
            note=note,
        )
        return [change["change_id"]]

    # -- inside --------------------------------------------------------------------------------------------------

    def _zone(self, place: Record | None) -> str:
        """The zone of a place's clocks."""
        return str(place["zone"] or self.world.zone) if place is not None else self.world.zone

    def _opening(self, place: Record, day: dt.date) -> dict[str, Any]:
        """Hours of a place on a date: date, weekday, hours, reason."""
        date, weekday = day.isoformat(), WEEKDAYS[day.weekday()]
        shown = {"date": date, "weekday": weekday, "hours": "unknown", "reason": ""}
        for closure in place["closures"]:
            if closure["date_from"] <= date <= closure["date_to"]:
                return {**shown, "hours": "closed", "reason": closure.get("reason", "")}
        if date in place["exceptions"]:
            return {**shown, "hours": place["exceptions"][date], "reason": "other hours on this date"}
        return {**shown, "hours": place["hours"].get(weekday, "closed")} if place["hours"] else shown

    def _open_now(self, place: Record) -> bool | None:
        """Whether a place is open at this moment; None if its hours are not known."""
        here = clock.local(self.now, self._zone(place))
        minute = here.hour * 60 + here.minute
        today = self._opening(place, here.date())["hours"]
        if today == "unknown":
            return None
        before = self._opening(place, here.date() - dt.timedelta(days=1))["hours"]
        return any(start <= minute < end for start, end in _spans(today)) or any(
            minute < end - 1440 for _, end in _spans(before)
        )

    def check_invariants(self) -> None:
        for place in self.rows("places"):
            for closure in place["closures"]:
                assert closure["date_from"] <= closure["date_to"], place
        for kind in ("links", "incidents"):
            for row in self.rows(kind):
                assert self.find("places", row["origin"]) is not None, row
                assert self.find("places", row["dest"]) is not None, row
        for incident in self.rows("incidents"):
            until = incident["until"]
            assert until is None or self.seconds(incident["since"]) <= self.seconds(until), incident
        for line in self.rows("lines"):
            minutes = [stop["minute"] for stop in line["stops"]]
            assert minutes == sorted(set(minutes)), line
            assert all(self.find("places", stop["place_id"]) is not None for stop in line["stops"]), line
        for change in self.rows("changes"):
            assert self.find("lines", change["line_id"]) is not None, change
            assert change["date_from"] <= change["date_to"], change


def _spans(hours: str) -> list[tuple[int, int]]:
    """Opening hours in minutes of the day; an end past midnight is beyond 1440."""
    if hours in ("closed", "unknown"):
        return []
    spans = []
    for part in hours.split(","):
        start, end = (int(text[:2]) * 60 + int(text[3:5]) for text in part.strip().split("-"))
        spans.append((start, end if end > start else end + 1440))
    return spans
