"""What a health tracker keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Day, Instant, RecordModel, Ref, TimeOfDay

__all__ = ["Alert", "Direction", "Goal", "Meal", "Metric", "Nutrition", "Period", "Range", "User", "Workout"]

Period = Literal["day", "week", "month"]
Direction = Literal["at_least", "at_most"]
Meal = Literal["breakfast", "lunch", "dinner", "snack"]


class User(RecordModel):
    """Somebody whose tracker this is."""

    user_id: str
    name: str = ""


class Metric(RecordModel):
    """One reading, in the unit that the device or the person gave."""

    metric_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    type: str
    value: float
    unit: str
    recorded_at: Instant
    value_text: str = ""
    source: str = ""


class Workout(RecordModel):
    workout_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    type: str
    started_at: Instant
    duration_min: Annotated[int, Field(gt=0)]
    calories: Annotated[int, Field(ge=0)] | None = None
    distance_m: Annotated[int, Field(ge=0)] | None = None
    source: str = ""


class Nutrition(RecordModel):
    entry_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    meal: Meal
    calories: Annotated[int, Field(ge=0)]
    logged_at: Instant
    description: str = ""
    protein_g: float | None = None
    carbs_g: float | None = None
    fat_g: float | None = None


class Goal(RecordModel):
    goal_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    type: str
    target: Annotated[float, Field(gt=0)]
    unit: str = ""
    period: Period
    direction: Direction = "at_least"
    start_date: Day
    end_date: Day | None = None
    status: Literal["active", "ended", "replaced"] = "active"


class Range(RecordModel):
    """Between which values a user's readings are expected, and by what time of day one is due."""

    range_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    type: str
    low: float | None = None
    high: float | None = None
    unit: str = ""
    due_by: TimeOfDay | None = None


class Alert(RecordModel):
    """A reading outside its range, or one that did not come."""

    alert_id: str
    user_id: Annotated[str, Ref("health_tracker.users")]
    type: str
    kind: Literal["below", "above", "missing"]
    range_id: Annotated[str, Ref("health_tracker.ranges")]
    metric_id: Annotated[str, Ref("health_tracker.metrics")] = ""
    value: float | None = None
    limit: float | None = None
    unit: str = ""
    raised_at: Instant
    text: str
