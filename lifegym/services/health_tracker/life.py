"""What a health tracker does by itself: devices that sync, readings that leave their range or do not come."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.health_tracker.measures import KNOWN, WORKOUT_TOTALS, Measure
from lifegym.services.health_tracker.records import Alert, Goal, Metric, Nutrition, Range, User, Workout
from lifegym.services.tools import ToolError, happening
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["HealthTrackerLife"]

Duration = Annotated[int, Field(gt=0, le=1440)]
Count = Annotated[int, Field(ge=0, le=1_000_000)]


class HealthTrackerLife(Service):
    """The tracker's own behaviour. Days, weeks (from Monday) and months are those of the world's zone."""

    name = "health_tracker"
    title = "Health tracker"
    records = {
        "users": User,
        "metrics": Metric,
        "workouts": Workout,
        "nutrition": Nutrition,
        "goals": Goal,
        "ranges": Range,
        "alerts": Alert,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def record(
        self,
        user_id: str,
        type: str,
        value: float,
        recorded_at: str | None = None,
        unit: str | None = None,
        value_text: str | None = None,
        source: str = "watch",
    ) -> list[str]:
        """A device syncs a reading, as it is: nothing is converted.

        Args:
            user_id: Whose. Nothing happens for somebody without a tracker here.
            type: Kind of reading.
            value: Its value in the unit.
            recorded_at: When, ISO 8601, not in the future; now if left out.
            unit: The kind's usual unit if left out.
            value_text: For readings that one number does not tell, such as 128/82.
            source: The device. A second reading of a device at the same instant is none.
        """
        at = self._past(recorded_at, "recorded_at") if recorded_at else self.now
        if self.find("users", user_id) is None or self._reading_at(user_id, type, at, source) is not None:
            return []
        measure = self._measure(user_id, type)
        if unit is None and measure is None:
            raise ToolError("bad_unit", f"{type} is a new kind of reading; give its unit")
        usual = measure.unit if measure else ""
        return [self._store(user_id, type, value, unit or usual, at, value_text or "", source)["metric_id"]]

    @happening
    def record_workout(
        self,
        user_id: str,
        type: str,
        duration_min: Duration,
        started_at: str | None = None,
        calories: Count | None = None,
        distance_m: Count | None = None,
        source: str = "watch",
    ) -> list[str]:
        """A device syncs a workout; without ``started_at`` one that ends now.

        A second workout of a device at the same instant is none.
        """
        begin = self.instant(started_at, "started_at") if started_at else self.now - duration_min * clock.MINUTE
        self._check_over(begin, duration_min)
        if self.find("users", user_id) is None or any(
            row["user_id"] == user_id and row["source"] == source and self.seconds(row["started_at"]) == begin
            for row in self.rows("workouts")
        ):
            return []
        workout = self._store_workout(user_id, type, duration_min, begin, calories, distance_m, source)
        return [workout["workout_id"]]

    @happening
    def correct(
        self,
        user_id: str,
        type: str,
        recorded_at: str,
        value: float,
        unit: str | None = None,
        source: str = "",
        value_text: str = "",
    ) -> list[str]:
        """A stored reading changes its value; its alerts are raised anew.

        Args:
            user_id: Whose.
            type: Kind of reading.
            recorded_at: The instant of the reading.
            value: What it says from now on.
            unit: Its new unit, if that changes.
            source: Only the reading of this device.
            value_text: Its new text, for readings that one number does not tell.
        """
        at = self.instant(recorded_at, "recorded_at")
        touched = [
            row["metric_id"]
            for row in self.rows("metrics")
            if row["user_id"] == user_id
            and row["type"] == type
            and self.seconds(row["recorded_at"]) == at
            and (not source or row["source"] == source)
        ]
        for metric_id in touched:
            before = self.get("metrics", metric_id, "reading")
            changed = self.patch("metrics", metric_id, value=value, unit=unit or before["unit"], value_text=value_text)
            for alert in [row for row in self.rows("alerts") if row["metric_id"] == metric_id]:
                self.drop("alerts", alert["alert_id"])
            self._raise_alerts(changed)
        return touched

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in self.rows("ranges"):
            if row["due_by"] is not None:
                today = self.today()
                due = self._due(row, today)
                self._await_reading(row, today if due > self.now else today + dt.timedelta(days=1))

    def check_missing(self, range_id: str, date: str) -> None:
        """Raise an alert where a day's reading has not come by the time it was due, and wait for the next day's."""
        expected = self.find("ranges", range_id)
        if expected is None or expected["due_by"] is None:
            return
        day = clock.parse_day(date)
        first = clock.day_start(day, self.world.zone)
        if not any(self._readings(expected["user_id"], expected["type"], first, self.now)):
            self._raise(expected, "missing", f"No {expected['type']} reading by {expected['due_by']} on {date}.")
        self._await_reading(expected, day + dt.timedelta(days=1))

    # -- inside: time --------------------------------------------------------------------------------------------

    def _past(self, text: str, name: str) -> int:
        """An instant that is not in the future."""
        at = self.instant(text, name)
        if at > self.now:
            raise ToolError("bad_time", f"{name} is in the future; it is {self.stamp()} now")
        return at

    def _check_over(self, begin: int, duration_min: int) -> None:
        if begin + duration_min * clock.MINUTE > self.now:
            raise ToolError(
                "bad_time", f"a workout is logged after it ended; from this start it would last beyond {self.stamp()}"
            )

    def _span(self, first: dt.date, after: dt.date) -> tuple[int, int]:
        """First and last second from a day to the day before another."""
        zone = self.world.zone
        return clock.day_start(first, zone), clock.day_start(after, zone) - 1

    def _between(self, since: str | None, until: str | None) -> tuple[float, float]:
        """The bounds that two arguments name; a bare date includes its whole day."""
        first = self.instant(since, "since") if since else -math.inf
        if not until:
            return first, math.inf
        last = self.instant(until, "until")
        if len(until.strip()) == 10:
            last = self._span(clock.local(last, self.world.zone).date(), self._next_day(last))[1]
        return first, last

    def _next_day(self, instant: int) -> dt.date:
        return clock.local(instant, self.world.zone).date() + dt.timedelta(days=1)

    def _due(self, expected: Record, day: dt.date) -> int:
        hour, minute = map(int, expected["due_by"].split(":"))
        return int(
            dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=clock.zone(self.world.zone)).timestamp()
        )

    def _await_reading(self, expected: Record, day: dt.date) -> None:
        due = self._due(expected, day)
        self.later(due, "check_missing", range_id=expected["range_id"], date=day.isoformat())

    # -- inside: readings ----------------------------------------------------------------------------------------

    def _user(self, user_id: str) -> Record:
        known = ", ".join(row["user_id"] for row in list(self.rows("users"))[:10])
        return self.get("users", user_id, "user", f"this tracker is used by: {known or 'nobody'}")

    def _readings(self, user_id: str, type: str, first: float, last: float) -> Iterator[Record]:
        """A user's readings of a kind from an instant to another, as they were stored."""
        seconds = self.seconds
        for row in self.rows("metrics"):
            if row["type"] == type and row["user_id"] == user_id and first <= seconds(row["recorded_at"]) <= last:
                yield row

    def _reading_at(self, user_id: str, type: str, at: int, source: str | None = None) -> Record | None:
        for row in self._readings(user_id, type, at, at):
            if source is None or row["source"] == source:
                return row
        return None

    def _measure(self, user_id: str, type: str) -> Measure | None:
        """A kind of reading: one that trackers know, or one that this user has readings of."""
        known = KNOWN.get(type)
        if known is not None:
            return known
        for row in self.rows("metrics"):
            if row["type"] == type and row["user_id"] == user_id:
                return Measure(row["unit"])
        return None

    def _value(self, row: Record, measure: Measure) -> float | None:
        """A reading in its kind's own unit; None if its unit does not fit."""
        factor = measure.factor(row["unit"])
        if factor is None:
            return None
        return float(row["value"]) if factor == 1.0 else round(row["value"] * factor, max(2, measure.digits))

    def _store(self, user_id: str, type: str, value: float, unit: str, at: int, value_text: str, source: str) -> Record:
        metric = self.put(
            "metrics",
            metric_id=self.new_id("met"),
            user_id=user_id,
            type=type,
            value=float(value),
            unit=unit,
            recorded_at=self.world.iso(at),
            value_text=value_text,
            source=source,
        )
        self._raise_alerts(metric)
        return metric

    def _store_workout(
        self,
        user_id: str,
        type: str,
        duration_min: int,
        begin: int,
        calories: int | None,
        distance_m: int | None,
        source: str,
    ) -> Record:
        return self.put(
            "workouts",
            workout_id=self.new_id("wo"),
            user_id=user_id,
            type=type,
            started_at=self.world.iso(begin),
            duration_min=duration_min,
            calories=calories,
            distance_m=distance_m,
            source=source,
        )

    def _workouts(self, user_id: str, first: float, last: float) -> list[Record]:
        found = [
            row
            for row in self.rows("workouts")
            if row["user_id"] == user_id and first <= self.seconds(row["started_at"]) <= last
        ]
        found.sort(key=lambda row: self.seconds(row["started_at"]))
        return found

    def _eaten(self, user_id: str, first: float, last: float) -> list[Record]:
        found = [
            row
            for row in self.rows("nutrition")
            if row["user_id"] == user_id and first <= self.seconds(row["logged_at"]) <= last
        ]
        found.sort(key=lambda row: self.seconds(row["logged_at"]))
        return found

    # -- inside: alerts ------------------------------------------------------------------------------------------

    def _raise_alerts(self, metric: Record) -> None:
        """Raise an alert for each range that a reading leaves."""
        for expected in self.rows("ranges"):
            if expected["user_id"] != metric["user_id"] or expected["type"] != metric["type"]:
                continue
            measure = self._measure(metric["user_id"], metric["type"]) or Measure(metric["unit"])
            factor = measure.factor(expected["unit"] or measure.unit)
            value = self._value(metric, measure)
            if factor is None or value is None:
                continue
            low, high = expected["low"], expected["high"]
            unit = expected["unit"] or measure.unit
            shown = f"{metric['type']} {metric['value_text'] or format(metric['value'], 'g')} {metric['unit']}"
            if low is not None and value < round(low * factor, 4):
                self._raise(expected, "below", f"{shown} is below {low:g} {unit}.", metric, low)
            elif high is not None and value > round(high * factor, 4):
                self._raise(expected, "above", f"{shown} is above {high:g} {unit}.", metric, high)

    def _raise(
        self, expected: Record, kind: str, text: str, metric: Record | None = None, limit: float | None = None
    ) -> None:
        self.put(
            "alerts",
            alert_id=self.new_id("hal"),
            user_id=expected["user_id"],
            type=expected["type"],
            kind=kind,
            range_id=expected["range_id"],
            metric_id=metric["metric_id"] if metric else "",
            value=metric["value"] if metric else None,
            limit=limit,
            unit=metric["unit"] if metric else expected["unit"],
            raised_at=self.stamp(),
            text=text,
        )
        self.world.emit(
            "status", source="health_tracker", ref=expected["user_id"], status=kind, title="Health alert", body=text
        )

    def check_invariants(self) -> None:
        for row in self.rows("metrics"):
            assert self.seconds(row["recorded_at"]) <= self.now, row
        for row in self.rows("workouts"):
            assert self.seconds(row["started_at"]) + row["duration_min"] * clock.MINUTE <= self.now, row
        for row in self.rows("nutrition"):
            assert self.seconds(row["logged_at"]) <= self.now, row
        for row in self.rows("alerts"):
            metric = self.find("metrics", row["metric_id"])
            assert metric is None or row["kind"] != "missing", row
            assert metric is None or metric["value"] == row["value"], row
        for kind in self.records:
            for row in self.rows(kind):
                assert self.find("users", row["user_id"]) is not None, row
        for row in self.rows("goals"):
            assert self._measure(row["user_id"], row["type"]) or row["type"] in WORKOUT_TOTALS, row
