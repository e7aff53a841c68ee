"""The tools that look: readings, summaries, workouts, meals, goals, alerts."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from dateutil.relativedelta import relativedelta

from lifegym.services.base import limited
from lifegym.services.health_tracker.inventory import HealthTrackerInventory
from lifegym.services.health_tracker.measures import KNOWN, WORKOUT_TOTALS, Measure
from lifegym.services.health_tracker.records import Period
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["HealthTrackerReading"]


class HealthTrackerReading(HealthTrackerInventory):
    """What can be looked up."""

    @tool(write=False)
    def get_metrics(
        self, user_id: str, type: str, since: str | None = None, until: str | None = None, limit: int = 100
    ) -> dict[str, Any]:
        """List a user's readings of one kind, newest first, each in the unit it was recorded in.

        Args:
            user_id: Whose, e.g. u_dad.
            type: Kind of reading, e.g. steps, glucose_mmol_l, weight.
            since: Only from this date or date-time on (ISO 8601).
            until: Only up to this date (that day included) or date-time.
            limit: How many at most, up to 200.

        Returns:
            metrics: metric_id, value, unit, value_text, recorded_at, source; total (how many match).

        Errors:
            not_found: There is no such user.
            unknown_type: Trackers know no such kind of reading; the message lists the user's.
            bad_time: since or until is no ISO 8601 date or date-time.
            bad_limit: limit is not between 1 and 200.
        """
        self._known(user_id, type)
        found = list(self._readings(user_id, type, *self._between(since, until)))
        found.sort(key=lambda row: self.seconds(row["recorded_at"]))
        found.reverse()
        return {"metrics": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def get_latest_metric(self, user_id: str, type: str) -> dict[str, Any]:
        """Show a user's newest reading of one kind.

        Args:
            user_id: Whose, e.g. u_dad.
            type: Kind of reading, e.g. steps, glucose_mmol_l, weight.

        Returns:
            The reading: metric_id, value, unit, value_text, recorded_at, source.

        Errors:
            not_found: There is no such user, or no reading of this kind.
            unknown_type: Trackers know no such kind of reading; the message lists the user's.
        """
        self._known(user_id, type)
        newest = self._newest(self._readings(user_id, type, -1e12, 1e12))
        if newest is None:
            raise ToolError("not_found", f"{user_id} has no {type} reading yet; log_metric adds one")
        return newest

    @tool(write=False)
    def get_metric_summary(self, user_id: str, type: str, period: Period, date: str | None = None) -> dict[str, Any]:
        """Sum up a user's readings of one kind over a day, a week from Monday, or a calendar month.

        Values in other units are converted into the unit shown. Readings that cannot be are left out and counted.

        Args:
            user_id: Whose, e.g. u_dad.
            type: Kind of reading, e.g. steps, glucose_mmol_l, weight.
            period: day, week or month.
            date: A day in the period, YYYY-MM-DD; today if left out.

        Returns:
            from, until (dates), unit, count, min, max, mean and latest (a single reading's value; null without any);
            sum for totals such as steps, else null; days: date, count, value (the day's sum, or its mean); left_out.

        Errors:
            not_found: There is no such user.
            unknown_type: Trackers know no such kind of reading; the message lists the user's.
            bad_date: date is no date of the form YYYY-MM-DD.
        """
        measure = self._known(user_id, type)
        first, after = self._period(period, self.day(date, "date") if date else self.today())
        rows = list(self._readings(user_id, type, *self._span(first, after)))
        read = [(row, value) for row in rows if (value := self._value(row, measure)) is not None]
        values = [value for _, value in read]
        digits = max(2, measure.digits)
        by_day: dict[str, list[float]] = {}
        for row, value in sorted(read, key=lambda pair: self.seconds(pair[0]["recorded_at"])):
            by_day.setdefault(self._date_of(row["recorded_at"]), []).append(value)
        newest = self._newest(row for row, _ in read)
        return {
            "user_id": user_id,
            "type": type,
            "period": period,
            "from": first.isoformat(),
            "until": (after - dt.timedelta(days=1)).isoformat(),
            "unit": measure.unit,
            "count": len(values),
            "min": min(values, default=None),
            "max": max(values, default=None),
            "mean": round(sum(values) / len(values), digits) if values else None,
            "latest": self._value(newest, measure) if newest else None,
            "sum": round(sum(values), digits) if measure.total else None,
            "days": [
                {
                    "date": day,
                    "count": len(some),
                    "value": round(sum(some) if measure.total else sum(some) / len(some), digits),
                }
                for day, some in by_day.items()
            ],
            "left_out": len(rows) - len(read),
        }

    @tool(write=False)
    def get_activity_summary(self, user_id: str, date: str) -> dict[str, Any]:
        """Sum up how much a user moved on a day. Every device counts: look at steps_by_source where there are two.

        Args:
            user_id: Whose, e.g. u_mum.
            date: YYYY-MM-DD.

        Returns:
            date, steps, steps_by_source (source and steps), distance_m, active_min (both from readings),
            workouts (at most 50: workout_id, type, started_at, duration_min, calories, distance_m, source),
            workout_count, workout_min, workout_distance_m, calories_burned (readings; without any, of the workouts).

        Errors:
            not_found: There is no such user.
            bad_date: date is no date of the form YYYY-MM-DD.
        """
        self._user(user_id)
        day = self.day(date, "date")
        span = self._span(day, day + dt.timedelta(days=1))
        by_source: dict[str, float] = {}
        for row in self._readings(user_id, "steps", *span):
            by_source[row["source"]] = by_source.get(row["source"], 0) + row["value"]
        workouts = self._workouts(user_id, *span)
        burned = self._total(user_id, "calories_burned", *span)
        return {
            "user_id": user_id,
            "date": date,
            "steps": round(sum(by_source.values())),
            "steps_by_source": [{"source": source, "steps": round(steps)} for source, steps in by_source.items()],
            "distance_m": round(self._total(user_id, "distance_m", *span)),
            "active_min": round(self._total(user_id, "active_min", *span)),
            "workouts": workouts[:50],
            "workout_count": len(workouts),
            "workout_min": sum(row["duration_min"] for row in workouts),
            "workout_distance_m": sum(row["distance_m"] or 0 for row in workouts),
            "calories_burned": round(burned) or sum(row["calories"] or 0 for row in workouts),
        }

    @tool(write=False)
    def list_workouts(
        self, user_id: str, since: str | None = None, until: str | None = None, limit: int = 100
    ) -> dict[str, Any]:
        """List a user's workouts, newest first. Two devices may have recorded the same one.

        Args:
            user_id: Whose, e.g. u_mum.
            since: Only those that started on or after this date or date-time (ISO 8601).
            until: Only those that started up to this date (that day included) or date-time.
            limit: How many at most, up to 200.

        Returns:
            workouts: workout_id, type, started_at, duration_min, calories, distance_m, source; total.

        Errors:
            not_found: There is no such user.
            bad_time: since or until is no ISO 8601 date or date-time.
            bad_limit: limit is not between 1 and 200.
        """
        self._user(user_id)
        found = self._workouts(user_id, *self._between(since, until))
        found.reverse()
        return {"workouts": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def get_workout(self, workout_id: str) -> dict[str, Any]:
        """Show one workout.

        Args:
            workout_id: From list_workouts.

        Returns:
            workout_id, user_id, type, started_at, ends_at, duration_min, calories, distance_m, source,
            pace_min_per_km (null without a distance).

        Errors:
            not_found: There is no such workout.
        """
        workout = self.get("workouts", workout_id, "workout", "health_tracker.list_workouts shows them")
        distance = workout["distance_m"]
        ends = self.seconds(workout["started_at"]) + workout["duration_min"] * clock.MINUTE
        return {
            **workout,
            "ends_at": self.world.iso(ends),
            "pace_min_per_km": round(workout["duration_min"] / (distance / 1000), 2) if distance else None,
        }

    @tool(write=False)
    def get_nutrition_summary(self, user_id: str, date: str) -> dict[str, Any]:
        """Sum up what a user ate on a day.

        Args:
            user_id: Whose, e.g. u_dad.
            date: YYYY-MM-DD.

        Returns:
            date, calories, protein_g, carbs_g, fat_g; meals: meal, calories; entries (earliest first, at most 50):
            entry_id, meal, calories, logged_at, description, protein_g, carbs_g, fat_g; total (how many).

        Errors:
            not_found: There is no such user.
            bad_date: date is no date of the form YYYY-MM-DD.
        """
        self._user(user_id)
        day = self.day(date, "date")
        entries = self._eaten(user_id, *self._span(day, day + dt.timedelta(days=1)))
        meals: dict[str, int] = {}
        for row in entries:
            meals[row["meal"]] = meals.get(row["meal"], 0) + row["calories"]
        return {
            "user_id": user_id,
            "date": date,
            "calories": sum(meals.values()),
            **{name: round(sum(row[name] or 0 for row in entries), 1) for name in ("protein_g", "carbs_g", "fat_g")},
            "meals": [{"meal": meal, "calories": calories} for meal, calories in meals.items()],
            "entries": entries[:50],
            "total": len(entries),
        }

    @tool(write=False)
    def get_goals(self, user_id: str, status: Literal["active", "ended", "replaced"] | None = None) -> dict[str, Any]:
        """List a user's goals.

        Args:
            user_id: Whose, e.g. u_mum.
            status: active, ended or replaced; all if left out.

        Returns:
            goals (at most 200, newest first): goal_id, type, target, unit, period, direction, start_date, end_date,
            status; total.

        Errors:
            not_found: There is no such user.
        """
        self._user(user_id)
        found = [
            row
            for row in self.rows("goals")
            if row["user_id"] == user_id and (status is None or row["status"] == status)
        ]
        found.reverse()
        return {"goals": found[:200], "total": len(found)}

    @tool(write=False)
    def get_goal_progress(self, user_id: str, goal_id: str) -> dict[str, Any]:
        """Show how far a goal is in its current day, week (from Monday) or calendar month.

        Totals (steps, workouts, calories eaten) add up over the period; of other readings the period's newest counts.

        Args:
            user_id: Whose, e.g. u_mum.
            goal_id: From get_goals.

        Returns:
            The goal's fields; from, until (dates of the period), value (null without any reading), met, percent of the
            target, remaining (what is left to the target; for at_most what is left before it is passed).

        Errors:
            not_found: There is no such user, or the user has no such goal.
        """
        self._user(user_id)
        goal = self.find("goals", goal_id)
        if goal is None or goal["user_id"] != user_id:
            raise ToolError("not_found", f"{user_id} has no goal {goal_id[:60]!r}; get_goals lists them")
        first, after = self._period(goal["period"], self.today())
        first = max(first, clock.parse_day(goal["start_date"]))
        span = self._span(first, max(first, after))
        measure = WORKOUT_TOTALS.get(goal["type"]) or self._measure(user_id, goal["type"]) or Measure(goal["unit"])
        value: float | None
        if measure.total:
            value = self._total(user_id, goal["type"], *span)
        else:
            newest = self._newest(self._readings(user_id, goal["type"], *span))
            value = self._value(newest, measure) if newest else None
        target = goal["target"] * (measure.factor(goal["unit"] or measure.unit) or 1.0)
        at_least = goal["direction"] == "at_least"
        met = value is not None and (value >= target if at_least else value <= target)
        return {
            **goal,
            "from": first.isoformat(),
            "until": (max(first, after - dt.timedelta(days=1))).isoformat(),
            "value": None if value is None else round(value, 2),
            "value_unit": measure.unit,
            "met": met,
            "percent": None if value is None else round(100 * value / target, 1),
            "remaining": None if value is None else round(max(0.0, target - value), 2),
        }

    @tool(write=False)
    def list_health_alerts(self, user_id: str, limit: int = 50) -> dict[str, Any]:
        """List readings of a user that left their range, and readings that did not come, newest first.

        Args:
            user_id: Whose, e.g. u_dad.
            limit: How many at most, up to 200.

        Returns:
            alerts: alert_id, type, kind (below, above or missing), metric_id, value, limit, unit, raised_at, text;
            total; ranges: type, low, high, unit, due_by (what readings are compared with).

        Errors:
            not_found: There is no such user.
            bad_limit: limit is not between 1 and 200.
        """
        self._user(user_id)
        found = [row for row in self.rows("alerts") if row["user_id"] == user_id]
        found.sort(key=lambda row: self.seconds(row["raised_at"]))
        found.reverse()
        ranges = [row for row in self.rows("ranges") if row["user_id"] == user_id]
        return {"alerts": limited(found, limit), "total": len(found), "ranges": ranges[:50]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _known(self, user_id: str, type: str) -> Measure:
        """The kind of reading that an argument means."""
        self._user(user_id)
        measure = self._measure(user_id, type)
        if measure is None:
            own = dict.fromkeys(row["type"] for row in self.rows("metrics") if row["user_id"] == user_id)
            raise ToolError(
                "unknown_type",
                f"there is no kind of reading {type[:60]!r}; {user_id} has: {', '.join(list(own)[:30]) or 'none yet'}",
            )
        return measure

    def _newest(self, rows: Any) -> Record | None:
        """Of some readings the newest; of two at the same instant the one stored later."""
        newest, at = None, -1e13
        for row in rows:
            when = self.seconds(row["recorded_at"])
            if when >= at:
                newest, at = row, when
        return newest

    def _date_of(self, stamp: str) -> str:
        return clock.local(self.seconds(stamp), self.world.zone).date().isoformat()

    @staticmethod
    def _period(period: str, day: dt.date) -> tuple[dt.date, dt.date]:
        """First day of a period, and the day after its last."""
        if period == "day":
            return day, day + dt.timedelta(days=1)
        if period == "week":
            monday = day - dt.timedelta(days=day.weekday())
            return monday, monday + dt.timedelta(days=7)
        first = day.replace(day=1)
        return first, first + relativedelta(months=1)

    def _total(self, user_id: str, type: str, first: float, last: float) -> float:
        """What adds up from an instant to another: readings of a kind, workouts, or what was eaten."""
        if type == "workouts":
            return float(len(self._workouts(user_id, first, last)))
        if type in ("workout_min", "workout_distance_m"):
            field = "duration_min" if type == "workout_min" else "distance_m"
            return float(sum(row[field] or 0 for row in self._workouts(user_id, first, last)))
        if type in WORKOUT_TOTALS:
            return float(sum(row[type] or 0 for row in self._eaten(user_id, first, last)))
        measure = KNOWN[type]
        values = [self._value(row, measure) for row in self._readings(user_id, type, first, last)]
        return float(sum(value for value in values if value is not None))
