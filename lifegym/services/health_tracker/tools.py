"""A family's health tracker. It records and adds up; what the numbers mean is for those who ask."""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.health_tracker.life import Count, Duration
from lifegym.services.health_tracker.measures import KNOWN, WORKOUT_TOTALS, Measure
from lifegym.services.health_tracker.reading import HealthTrackerReading
from lifegym.services.health_tracker.records import Direction, Meal, Period
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["HealthTracker"]

Grams = Annotated[float, Field(ge=0, le=5000)]
_PRESSURE = re.compile(r"(\d{2,3})/(\d{2,3})")
_WORKOUT_TYPE = re.compile(r"[a-z][a-z0-9_]{0,39}")


class HealthTracker(HealthTrackerReading):
    """Readings, workouts, meals and goals of several users. Days are those of the world's zone."""

    # -- tools: acting -------------------------------------------------------------------------------------------

    @tool(write=True)
    def log_metric(
        self,
        user_id: str,
        type: str,
        value: float,
        recorded_at: str,
        unit: str | None = None,
        value_text: str | None = None,
    ) -> dict[str, Any]:
        """Record a reading that a user reports. It is stored in its kind's usual unit; other units are converted.

        Args:
            user_id: Whose, e.g. u_dad.
            type: Kind of reading: steps, glucose_mmol_l, weight, heart_rate, sleep_min, blood_pressure and others.
            value: The value; for blood_pressure the upper number.
            recorded_at: When it was taken, ISO 8601, not in the future.
            unit: Unit of value, e.g. lb, mg/dL, km; the kind's usual unit if left out.
            value_text: The reading as text; needed for blood_pressure, as "128/82".

        Returns:
            The reading: metric_id, type, value, unit, recorded_at; alerts: the alerts that it raised.

        Errors:
            not_found: There is no such user.
            unknown_type: Trackers know no such kind of reading; the message lists the user's.
            bad_time: recorded_at is no ISO 8601 date-time, or in the future.
            bad_unit: The unit does not fit the kind; the message lists those that do.
            bad_value: No instrument shows such a value in this unit.
            bad_value_text: blood_pressure needs value_text such as 128/82 with value 128; or it is over 200 characters.
            exists: There is a reading of this kind at that instant; the message names it.
        """
        measure = self._known(user_id, type)
        at = self._past(recorded_at, "recorded_at")
        factor = self._factor(type, measure, unit)
        converted = value if factor == 1.0 else round(value * factor, max(2, measure.digits))
        if not measure.low <= converted <= measure.high:
            raise ToolError(
                "bad_value",
                f"{type} is between {measure.low:g} and {measure.high:g} {measure.unit}, not {converted:g}; "
                "check the value and its unit",
            )
        text = (value_text or "").strip()
        if len(text) > 200:
            raise ToolError("bad_value_text", "value_text has at most 200 characters")
        if type == "blood_pressure":
            match = _PRESSURE.fullmatch(text)
            if match is None or int(match[1]) != value or int(match[2]) >= int(match[1]):
                raise ToolError(
                    "bad_value_text", 'blood_pressure needs both numbers in value_text, as "128/82" with value 128'
                )
        before = self._reading_at(user_id, type, at)
        if before is not None:
            raise ToolError(
                "exists",
                f"{before['metric_id']} is the {type} reading of that instant: {before['value']:g} {before['unit']}",
            )
        metric = self._store(user_id, type, converted, measure.unit, at, text, "manual")
        raised = [row for row in self.rows("alerts") if row["metric_id"] == metric["metric_id"]]
        return {**metric, "alerts": raised}

    @tool(write=True)
    def log_workout(
        self,
        user_id: str,
        type: str,
        duration_min: Duration,
        started_at: str,
        calories: Count | None = None,
        distance_m: Count | None = None,
    ) -> dict[str, Any]:
        """Record a workout that a user reports, after it ended.

        Args:
            user_id: Whose, e.g. u_mum.
            type: Kind of workout in lower case: walking, cycling, swimming, yoga and others.
            duration_min: Minutes, 1 to 1440.
            started_at: When it began, ISO 8601.
            calories: Burned kilocalories, if known.
            distance_m: Metres, if known.

        Returns:
            The workout with its workout_id.

        Errors:
            not_found: There is no such user.
            bad_type: type is not a word in lower case.
            bad_time: started_at is no ISO 8601 date-time, or the workout would end in the future.
            exists: A workout of this kind that began at that instant is recorded; the message names it.
        """
        self._user(user_id)
        if not _WORKOUT_TYPE.fullmatch(type):
            raise ToolError("bad_type", "type is a word in lower case such as walking or strength_training")
        begin = self.instant(started_at, "started_at")
        self._check_over(begin, duration_min)
        for row in self._workouts(user_id, begin, begin):
            if row["type"] == type:
                raise ToolError("exists", f"{row['workout_id']} is the {type} that began then")
        return self._store_workout(user_id, type, duration_min, begin, calories, distance_m, "manual")

    @tool(write=True)
    def delete_metric(self, metric_id: str) -> dict[str, Any]:
        """Delete a reading, such as one that was entered by mistake; the alerts that it raised go with it.

        Args:
            metric_id: From get_metrics.

        Returns:
            metric_id, deleted (true).

        Errors:
            not_found: There is no such reading.
            last_of_kind: A goal is about this kind, which only this reading makes known; log another one first.
        """
        metric = self.get("metrics", metric_id, "reading", "health_tracker.get_metrics shows them")
        self._check_kind_stays(metric)
        for alert in [row for row in self.rows("alerts") if row["metric_id"] == metric_id]:
            self.drop("alerts", alert["alert_id"])
        self.drop("metrics", metric_id)
        return {"metric_id": metric_id, "deleted": True}

    @tool(write=True)
    def delete_workout(self, workout_id: str) -> dict[str, Any]:
        """Delete a workout, such as one that was entered by mistake.

        Args:
            workout_id: From list_workouts.

        Returns:
            workout_id, deleted (true).

        Errors:
            not_found: There is no such workout.
        """
        self.get("workouts", workout_id, "workout", "health_tracker.list_workouts shows them")
        self.drop("workouts", workout_id)
        return {"workout_id": workout_id, "deleted": True}

    @tool(write=True)
    def log_nutrition(
        self,
        user_id: str,
        meal: Meal,
        calories: Annotated[int, Field(ge=0, le=20_000)],
        logged_at: str,
        description: str | None = None,
        protein_g: Grams | None = None,
        carbs_g: Grams | None = None,
        fat_g: Grams | None = None,
    ) -> dict[str, Any]:
        """Record something that a user ate.

        Args:
            user_id: Whose, e.g. u_dad.
            meal: breakfast, lunch, dinner or snack.
            calories: Kilocalories.
            logged_at: When it was eaten, ISO 8601, not in the future.
            description: What it was, up to 500 characters.
            protein_g: Grams of protein.
            carbs_g: Grams of carbohydrates.
            fat_g: Grams of fat.

        Returns:
            The entry with its entry_id.

        Errors:
            not_found: There is no such user.
            bad_time: logged_at is no ISO 8601 date-time, or in the future.
            bad_description: description has more than 500 characters.
            exists: That meal is recorded for that instant; the message names the entry.
        """
        self._user(user_id)
        at = self._past(logged_at, "logged_at")
        text = (description or "").strip()
        if len(text) > 500:
            raise ToolError("bad_description", "description has at most 500 characters")
        for row in self._eaten(user_id, at, at):
            if row["meal"] == meal:
                raise ToolError("exists", f"{row['entry_id']} is the {meal} of that instant")
        return self.put(
            "nutrition",
            entry_id=self.new_id("nut"),
            user_id=user_id,
            meal=meal,
            calories=calories,
            logged_at=self.world.iso(at),
            description=text,
            protein_g=protein_g,
            carbs_g=carbs_g,
            fat_g=fat_g,
        )

    @tool(write=True)
    def set_goal(
        self,
        user_id: str,
        type: str,
        target: Annotated[float, Field(gt=0, le=1e9)],
        period: Period,
        unit: str | None = None,
        direction: Direction = "at_least",
        start_date: str | None = None,
    ) -> dict[str, Any]:
        """Set a goal. An active goal of the same kind, period and direction is replaced.

        Args:
            user_id: Whose, e.g. u_mum.
            type: Kind of reading (steps, weight, ...), or workouts, workout_min, workout_distance_m, calories (eaten),
                protein_g, carbs_g, fat_g.
            target: What to reach or not to pass, more than 0.
            period: day, week (from Monday) or month.
            unit: Unit of target; the kind's usual unit if left out.
            direction: at_least or at_most.
            start_date: YYYY-MM-DD from which it counts; today if left out.

        Returns:
            The goal with its goal_id, target in the kind's usual unit; replaced (ids of goals that it replaces).

        Errors:
            not_found: There is no such user.
            unknown_type: There is no such kind; the message lists the user's.
            bad_unit: The unit does not fit the kind; the message lists those that do.
            bad_target: The target is next to nothing in the kind's usual unit.
            bad_date: start_date is no date of the form YYYY-MM-DD.
        """
        self._user(user_id)
        measure = WORKOUT_TOTALS.get(type) or self._known(user_id, type)
        factor = self._factor(type, measure, unit)
        goal_target = float(target) if factor == 1.0 else round(target * factor, 2)
        if goal_target <= 0:
            raise ToolError("bad_target", f"{target:g} {unit} is nothing in {measure.unit}; check target and unit")
        first = self.day(start_date, "start_date") if start_date else self.today()
        replaced = [
            row["goal_id"]
            for row in self.rows("goals")
            if row["status"] == "active"
            and (row["user_id"], row["type"], row["period"], row["direction"]) == (user_id, type, period, direction)
        ]
        for goal_id in replaced:
            self.patch("goals", goal_id, status="replaced", end_date=self.today().isoformat())
        goal = self.put(
            "goals",
            goal_id=self.new_id("goal"),
            user_id=user_id,
            type=type,
            target=goal_target,
            unit=measure.unit,
            period=period,
            direction=direction,
            start_date=first.isoformat(),
        )
        return {**goal, "replaced": replaced}

    # -- inside --------------------------------------------------------------------------------------------------

    def _check_kind_stays(self, metric: Record) -> None:
        """A kind that no tracker knows of itself is known by its readings; a goal needs its kind."""
        user_id, kind = metric["user_id"], metric["type"]
        if kind in KNOWN or kind in WORKOUT_TOTALS:
            return
        alike = [row for row in self.rows("metrics") if row["user_id"] == user_id and row["type"] == kind]
        goals = [row["goal_id"] for row in self.rows("goals") if row["user_id"] == user_id and row["type"] == kind]
        if len(alike) == 1 and goals:
            raise ToolError(
                "last_of_kind",
                f"{metric['metric_id']} is the only {kind} reading, and goal {goals[-1]} is about that kind; "
                "log the right reading first, then delete this one",
            )

    @staticmethod
    def _factor(type: str, measure: Measure, unit: str | None) -> float:
        """What leads from an argument's unit to the kind's own."""
        factor = 1.0 if unit is None else measure.factor(unit)
        if factor is None:
            usual = "its usual unit" if type in KNOWN or type in WORKOUT_TOTALS else "the unit of earlier readings"
            raise ToolError("bad_unit", f"{type} takes {measure.accepted()} ({usual} first), not {unit!r:.40}")
        return factor
