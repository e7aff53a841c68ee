"""The health tracker keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.tools import ToolError


@pytest.fixture
def tracker(desk: Any) -> Any:
    d = desk("health_tracker")
    d.put("health_tracker.users", user_id="u_dad", name="Father")
    d.put("health_tracker.users", user_id="u_mum", name="Mother")
    return d


def log(d: Any, type: str, value: float, at: str, user: str = "u_dad", **more: Any) -> Any:
    return d.call("health_tracker.log_metric", user_id=user, type=type, value=value, recorded_at=at, **more)


def refuse(d: Any, type: str, value: float, at: str = "2026-04-17T08:00:00", user: str = "u_dad", **more: Any) -> str:
    return d.refused("health_tracker.log_metric", user_id=user, type=type, value=value, recorded_at=at, **more)


def metrics(d: Any, type: str, user: str = "u_dad", **more: Any) -> Any:
    return d.call("health_tracker.get_metrics", user_id=user, type=type, **more)


# -- logging readings -----------------------------------------------------------------------------------------------


def test_a_reading_is_logged_and_read_back(tracker: Any) -> None:
    made = log(tracker, "glucose_mmol_l", 3.6, "2026-04-17T08:30:00")
    assert made["alerts"] == []
    assert (made["unit"], made["recorded_at"], made["source"]) == ("mmol/L", "2026-04-17T08:30:00+08:00", "manual")
    latest = tracker.call("health_tracker.get_latest_metric", user_id="u_dad", type="glucose_mmol_l")
    assert latest == {name: value for name, value in made.items() if name != "alerts"}
    assert metrics(tracker, "glucose_mmol_l", user="u_mum") == {"metrics": [], "total": 0}
    tracker.check()


@pytest.mark.parametrize(
    ("type", "value", "unit", "stored", "shown"),
    [
        ("weight_kg", 150.6, "lb", 68.31, "kg"),
        ("weight", 67.4, "KG", 67.4, "kg"),
        ("weight", 67400, "g", 67.4, "kg"),
        ("glucose_mmol_l", 65, "mg/dL", 3.61, "mmol/L"),
        ("glucose", 90, "mg/dl", 5.0, "mmol/L"),
        ("distance_m", 4.9, "km", 4900.0, "m"),
        ("sleep_min", 7.5, "h", 450.0, "min"),
        ("steps", 6900, None, 6900.0, "steps"),
        ("water_ml", 1.5, "l", 1500.0, "ml"),
    ],
)
def test_units_are_converted(tracker: Any, type: str, value: float, unit: str, stored: float, shown: str) -> None:
    made = log(tracker, type, value, "2026-04-17T08:00:00", unit=unit)
    assert (made["value"], made["unit"]) == (stored, shown)


def test_what_cannot_be_is_refused(tracker: Any) -> None:
    assert refuse(tracker, "steps", 10, user="u_bob") == "not_found"
    assert "u_dad, u_mum" in tracker.outcome("health_tracker.list_workouts", user_id="u_bob").text
    assert refuse(tracker, "weigth", 70) == "unknown_type"
    assert refuse(tracker, "steps", 10, at="2026-04-17T09:00:01") == "bad_time"
    assert refuse(tracker, "steps", 10, at="this morning") == "bad_time"
    assert refuse(tracker, "weight", 70, unit="stone") == "bad_unit"
    assert refuse(tracker, "glucose_mmol_l", 5, unit="kg") == "bad_unit"
    assert (
        "mmol/L, mg/dL"
        in tracker.outcome(
            "health_tracker.log_metric", user_id="u_dad", type="glucose", value=5, recorded_at="2026-04-17", unit="g"
        ).text
    )
    assert refuse(tracker, "glucose_mmol_l", 90) == "bad_value"
    assert refuse(tracker, "weight", 0.5) == "bad_value"
    assert refuse(tracker, "spo2_pct", 101) == "bad_value"
    assert refuse(tracker, "weight", 70, value_text="x" * 201) == "bad_value_text"
    log(tracker, "weight", 70, "2026-04-17T08:00:00")
    assert refuse(tracker, "weight", 71) == "exists"
    assert refuse(tracker, "weight", 71, at="2026-04-17T09:00:00+09:00") == "exists"
    log(tracker, "weight", 71, "2026-04-17T08:00:00", user="u_mum")
    log(tracker, "heart_rate", 71, "2026-04-17T08:00:00")
    log(tracker, "steps", 71, "2026-04-17T09:00:00")  # this very instant
    tracker.check()


def test_blood_pressure_has_two_numbers(tracker: Any) -> None:
    at = "2026-04-17T08:00:00"
    assert refuse(tracker, "blood_pressure", 128) == "bad_value_text"
    assert refuse(tracker, "blood_pressure", 128, value_text="128 over 82") == "bad_value_text"
    assert refuse(tracker, "blood_pressure", 130, value_text="128/82") == "bad_value_text"
    assert refuse(tracker, "blood_pressure", 82, value_text="82/128") == "bad_value_text"
    made = log(tracker, "blood_pressure", 128, at, value_text=" 128/82 ")
    assert (made["value_text"], made["value"], made["unit"]) == ("128/82", 128.0, "mmHg")


def test_a_kind_of_its_own_is_known_once_a_user_has_it(tracker: Any) -> None:
    assert refuse(tracker, "knee_pain", 3) == "unknown_type"
    with pytest.raises(ToolError, match="give its unit"):
        tracker.happen("health_tracker.record", user_id="u_mum", type="knee_pain", value=3.0)
    tracker.happen(
        "health_tracker.record", user_id="u_mum", type="knee_pain", value=3.0, unit="points",
        recorded_at="2026-04-17T07:00:00",
    )  # fmt: skip
    assert log(tracker, "knee_pain", 4, "2026-04-17T08:00:00", user="u_mum")["unit"] == "points"
    assert refuse(tracker, "knee_pain", 3, user="u_mum", unit="kg") == "bad_unit"
    assert refuse(tracker, "knee_pain", 3, user="u_dad") == "unknown_type"
    assert "knee_pain" in tracker.outcome("health_tracker.get_latest_metric", user_id="u_mum", type="x").text
    assert tracker.happen("health_tracker.record", user_id="u_mum", type="knee_pain", value=5.0) != []


# -- reading back ---------------------------------------------------------------------------------------------------


def test_readings_are_filtered_and_newest_first(tracker: Any) -> None:
    for hour, value in [("2026-04-16T20:00:00", 6.0), ("2026-04-15T23:59:00", 5.0), ("2026-04-17T06:00:00", 7.0)]:
        log(tracker, "glucose", value, hour)

    def values(**more: Any) -> list[float]:
        return [row["value"] for row in metrics(tracker, "glucose", **more)["metrics"]]

    assert values() == [7.0, 6.0, 5.0]
    assert values(since="2026-04-16") == [7.0, 6.0]
    assert values(until="2026-04-16") == [6.0, 5.0]
    assert values(until="2026-04-15") == [5.0]
    assert values(since="2026-04-16T20:00:00", until="2026-04-16T20:00:00") == [6.0]
    assert metrics(tracker, "glucose", limit=1)["total"] == 3
    assert values(limit=1) == [7.0]
    for limit in (0, 201):
        assert (
            tracker.refused("health_tracker.get_metrics", user_id="u_dad", type="glucose", limit=limit) == "bad_limit"
        )
    assert tracker.refused("health_tracker.get_metrics", user_id="u_dad", type="glucose", since="x") == "bad_time"
    assert tracker.refused("health_tracker.get_metrics", user_id="u_dad", type="glucose", until="x") == "bad_time"
    assert tracker.refused("health_tracker.get_metrics", user_id="u_bob", type="glucose") == "not_found"
    assert tracker.refused("health_tracker.get_metrics", user_id="u_dad", type="glucos") == "unknown_type"
    assert tracker.refused("health_tracker.get_latest_metric", user_id="u_dad", type="steps") == "not_found"
    assert tracker.refused("health_tracker.get_latest_metric", user_id="u_dad", type="glucos") == "unknown_type"
    latest = tracker.call("health_tracker.get_latest_metric", user_id="u_dad", type="glucose")
    assert latest["value"] == 7.0


def test_an_inclusive_day_is_right_on_the_day_the_clock_changes(desk: Any) -> None:
    d = desk("health_tracker", start="2026-03-30", zone="Europe/Dublin")
    d.put("health_tracker.users", user_id="u_dad")
    d.happen("health_tracker.record", user_id="u_dad", type="steps", value=5.0, recorded_at="2026-03-29T23:30:00")
    d.happen("health_tracker.record", user_id="u_dad", type="steps", value=7.0, recorded_at="2026-03-30T00:15:00")
    assert [row["value"] for row in metrics(d, "steps", until="2026-03-29")["metrics"]] == [5.0]
    assert d.call("health_tracker.get_activity_summary", user_id="u_dad", date="2026-03-29")["steps"] == 5
    assert d.call("health_tracker.get_activity_summary", user_id="u_dad", date="2026-03-30")["steps"] == 7


def test_summaries_of_a_total(tracker: Any) -> None:
    for at, steps in [
        ("2026-04-12T20:00:00", 9000), ("2026-04-13T12:00:00", 1000), ("2026-04-13T20:00:00", 500),
        ("2026-04-17T08:00:00", 2500), ("2026-03-31T23:00:00", 8000),
    ]:  # fmt: skip
        log(tracker, "steps", steps, at, user="u_mum")
    week = tracker.call("health_tracker.get_metric_summary", user_id="u_mum", type="steps", period="week")
    assert (week["from"], week["until"], week["unit"]) == ("2026-04-13", "2026-04-19", "steps")
    assert (week["count"], week["sum"], week["min"], week["max"], week["latest"]) == (3, 4000.0, 500, 2500, 2500)
    assert week["mean"] == 1333.33
    assert week["days"] == [
        {"date": "2026-04-13", "count": 2, "value": 1500.0},
        {"date": "2026-04-17", "count": 1, "value": 2500.0},
    ]
    month = tracker.call("health_tracker.get_metric_summary", user_id="u_mum", type="steps", period="month")
    assert (month["from"], month["until"], month["sum"]) == ("2026-04-01", "2026-04-30", 13000.0)
    march = tracker.call(
        "health_tracker.get_metric_summary", user_id="u_mum", type="steps", period="month", date="2026-03-05"
    )
    assert (march["until"], march["sum"]) == ("2026-03-31", 8000.0)
    day = tracker.call("health_tracker.get_metric_summary", user_id="u_mum", type="steps", period="day")
    assert (day["from"], day["until"], day["sum"]) == ("2026-04-17", "2026-04-17", 2500.0)


def test_summaries_of_other_readings_mix_no_units(tracker: Any) -> None:
    for day, value, unit in [(14, 67.4, "kg"), (15, 150.6, "lb"), (16, 68.0, "kg"), (17, 10.0, "stone")]:
        tracker.happen(
            "health_tracker.record", user_id="u_dad", type="weight", value=value, unit=unit,
            recorded_at=f"2026-04-{day}T07:30:00", source="scale",
        )  # fmt: skip
    week = tracker.call("health_tracker.get_metric_summary", user_id="u_dad", type="weight", period="week")
    assert (week["count"], week["left_out"], week["sum"]) == (3, 1, None)
    assert (week["min"], week["max"], week["latest"], week["mean"]) == (67.4, 68.31, 68.0, 67.9)
    assert [row["unit"] for row in metrics(tracker, "weight")["metrics"]] == ["stone", "kg", "lb", "kg"]
    empty = tracker.call("health_tracker.get_metric_summary", user_id="u_mum", type="weight", period="week")
    assert (empty["count"], empty["min"], empty["mean"], empty["latest"]) == (0, None, None, None)
    for arguments, code in [
        ({"user_id": "u_bob"}, "not_found"), ({"type": "x"}, "unknown_type"), ({"date": "today"}, "bad_date"),
        ({"period": "year"}, "bad_arguments"),
    ]:  # fmt: skip
        given = {"user_id": "u_dad", "type": "weight", "period": "day", **arguments}
        assert tracker.refused("health_tracker.get_metric_summary", **given) == code


def test_the_flagship_walk(tracker: Any) -> None:
    tracker.until("2026-04-29T20:00:00")
    assert tracker.happen("health_tracker.record", user_id="u_mum", type="steps", value=6900.0) != []
    day = tracker.call("health_tracker.get_activity_summary", user_id="u_mum", date="2026-04-29")
    assert day["steps"] == 6900
    assert tracker.world.openings == []


def test_two_devices_both_count_and_are_told_apart(tracker: Any) -> None:
    at = "2026-04-17T07:00:00"
    for source, steps in [("watch", 7412.0), ("phone", 6905.0)]:
        assert len(
            tracker.happen(
                "health_tracker.record", user_id="u_dad", type="steps", value=steps, recorded_at=at, source=source
            )
        ) == 1  # fmt: skip
        tracker.happen(
            "health_tracker.record_workout", user_id="u_dad", type="walking", duration_min=45,
            started_at="2026-04-17T06:00:00", calories=180, distance_m=3000, source=source,
        )  # fmt: skip
    day = tracker.call("health_tracker.get_activity_summary", user_id="u_dad", date="2026-04-17")
    assert day["steps"] == 14317
    assert day["steps_by_source"] == [{"source": "watch", "steps": 7412}, {"source": "phone", "steps": 6905}]
    assert (day["workout_count"], day["workout_min"], day["workout_distance_m"]) == (2, 90, 6000)
    assert day["calories_burned"] == 360
    log(tracker, "calories_burned", 200, at)
    log(tracker, "active_min", 52, at)
    log(tracker, "distance_m", 4100, at)
    day = tracker.call("health_tracker.get_activity_summary", user_id="u_dad", date="2026-04-17")
    assert (day["calories_burned"], day["active_min"], day["distance_m"]) == (200, 52, 4100)
    assert tracker.refused("health_tracker.get_activity_summary", user_id="u_dad", date="17.4.") == "bad_date"
    assert tracker.refused("health_tracker.get_activity_summary", user_id="u_bob", date="2026-04-17") == "not_found"
    tracker.check()


# -- workouts and meals ---------------------------------------------------------------------------------------------


def workout(d: Any, at: str, minutes: int = 30, type: str = "walking", **more: Any) -> Any:
    return d.call("health_tracker.log_workout", user_id="u_mum", type=type, duration_min=minutes, started_at=at, **more)


def test_workouts(tracker: Any) -> None:
    first = workout(tracker, "2026-04-16T18:00:00", 40, distance_m=3200, calories=150)
    workout(tracker, "2026-04-17T08:30:00")  # ends this very minute
    shown = tracker.call("health_tracker.get_workout", workout_id=first["workout_id"])
    assert (shown["ends_at"], shown["pace_min_per_km"]) == ("2026-04-16T18:40:00+08:00", 12.5)
    listed = tracker.call("health_tracker.list_workouts", user_id="u_mum")
    assert [row["started_at"][:10] for row in listed["workouts"]] == ["2026-04-17", "2026-04-16"]
    assert tracker.call("health_tracker.get_workout", workout_id=listed["workouts"][0]["workout_id"])[
        "pace_min_per_km"
    ] is None  # fmt: skip
    old = tracker.call("health_tracker.list_workouts", user_id="u_mum", until="2026-04-16", limit=1)
    assert [row["workout_id"] for row in old["workouts"]] == [first["workout_id"]]
    workout(tracker, "2026-04-16T18:00:00", type="yoga")
    base = {"user_id": "u_mum", "type": "walking", "duration_min": 30, "started_at": "2026-04-17T07:00:00"}
    for change, code in [
        ({"user_id": "u_bob"}, "not_found"), ({"type": "A walk"}, "bad_type"), ({"duration_min": 0}, "bad_arguments"),
        ({"started_at": "2026-04-17T08:31:00"}, "bad_time"), ({"started_at": "x"}, "bad_time"),
        ({"started_at": "2026-04-16T18:00:00"}, "exists"), ({"distance_m": -1}, "bad_arguments"),
    ]:  # fmt: skip
        assert tracker.refused("health_tracker.log_workout", **{**base, **change}) == code
    assert tracker.refused("health_tracker.get_workout", workout_id="wo_none") == "not_found"
    assert tracker.refused("health_tracker.list_workouts", user_id="u_bob") == "not_found"
    assert tracker.refused("health_tracker.list_workouts", user_id="u_mum", since="x") == "bad_time"
    assert tracker.refused("health_tracker.list_workouts", user_id="u_mum", limit=0) == "bad_limit"
    tracker.check()


def eat(d: Any, meal: str, calories: int, at: str, **more: Any) -> Any:
    return d.call("health_tracker.log_nutrition", user_id="u_dad", meal=meal, calories=calories, logged_at=at, **more)


def test_meals(tracker: Any) -> None:
    eat(tracker, "snack", 60, "2026-04-17T08:45:00", description="glucose tablets", carbs_g=15.0)
    eat(tracker, "breakfast", 420, "2026-04-17T07:00:00", protein_g=20.5, carbs_g=40.0, fat_g=12.0)
    eat(tracker, "snack", 90, "2026-04-17T09:00:00")
    eat(tracker, "dinner", 700, "2026-04-16T18:30:00")
    day = tracker.call("health_tracker.get_nutrition_summary", user_id="u_dad", date="2026-04-17")
    assert (day["calories"], day["protein_g"], day["carbs_g"], day["fat_g"], day["total"]) == (570, 20.5, 55.0, 12.0, 3)
    assert day["meals"] == [{"meal": "breakfast", "calories": 420}, {"meal": "snack", "calories": 150}]
    assert [row["calories"] for row in day["entries"]] == [420, 60, 90]
    base = {"user_id": "u_dad", "meal": "snack", "calories": 10, "logged_at": "2026-04-17T08:00:00"}
    for change, code in [
        ({"user_id": "u_bob"}, "not_found"), ({"meal": "feast"}, "bad_arguments"), ({"calories": -1}, "bad_arguments"),
        ({"logged_at": "2026-04-17T09:01:00"}, "bad_time"), ({"logged_at": "noon"}, "bad_time"),
        ({"description": "x" * 501}, "bad_description"), ({"logged_at": "2026-04-17T08:45:00"}, "exists"),
        ({"fat_g": -1.0}, "bad_arguments"),
    ]:  # fmt: skip
        assert tracker.refused("health_tracker.log_nutrition", **{**base, **change}) == code
    assert tracker.refused("health_tracker.get_nutrition_summary", user_id="u_dad", date="x") == "bad_date"
    assert tracker.refused("health_tracker.get_nutrition_summary", user_id="u_bob", date="2026-04-17") == "not_found"
    tracker.check()


# -- goals ----------------------------------------------------------------------------------------------------------


def goal(d: Any, type: str, target: float, period: str, **more: Any) -> str:
    return d.call(
        "health_tracker.set_goal", user_id="u_dad", type=type, target=target, period=period, **more
    )["goal_id"]  # fmt: skip


def progress(d: Any, goal_id: str) -> Any:
    return d.call("health_tracker.get_goal_progress", user_id="u_dad", goal_id=goal_id)


def test_goals_on_totals(tracker: Any) -> None:
    daily = goal(tracker, "steps", 5000, "day")
    assert (progress(tracker, daily)["value"], progress(tracker, daily)["met"]) == (0, False)
    log(tracker, "steps", 2000, "2026-04-17T08:00:00")
    log(tracker, "steps", 9000, "2026-04-16T20:00:00")
    now = progress(tracker, daily)
    assert (now["value"], now["percent"], now["remaining"], now["met"]) == (2000, 40.0, 3000, False)
    log(tracker, "steps", 3000, "2026-04-17T08:30:00")
    assert progress(tracker, daily)["met"] is True
    assert progress(tracker, daily)["remaining"] == 0
    tracker.until("2026-04-18T00:00:00")
    assert progress(tracker, daily)["value"] == 0
    weekly = goal(tracker, "distance_m", 10, "week", unit="km", start_date="2026-04-15")
    assert progress(tracker, weekly)["target"] == 10000
    log(tracker, "distance_m", 4000, "2026-04-14T10:00:00")  # before the goal began
    log(tracker, "distance_m", 2500, "2026-04-15T10:00:00")
    now = progress(tracker, weekly)
    assert (now["from"], now["until"], now["value"], now["percent"]) == ("2026-04-15", "2026-04-19", 2500, 25.0)
    tracker.check()


def test_goals_on_workouts_and_meals(tracker: Any) -> None:
    ids = {
        "workouts": goal(tracker, "workouts", 3, "week", start_date="2026-04-01"),
        "workout_min": goal(tracker, "workout_min", 2, "month", unit="h", start_date="2026-04-01"),
        "workout_distance_m": goal(tracker, "workout_distance_m", 9000, "week", start_date="2026-04-01"),
        "calories": goal(tracker, "calories", 2000, "day", direction="at_most"),
        "carbs_g": goal(tracker, "carbs_g", 130, "day", direction="at_most"),
    }
    for at in ("2026-04-09T10:00:00", "2026-04-13T10:00:00", "2026-04-14T10:00:00"):
        tracker.call(
            "health_tracker.log_workout",
            user_id="u_dad",
            type="walking",
            duration_min=40,
            started_at=at,
            distance_m=3000,
        )
    eat(tracker, "lunch", 1500, "2026-04-17T08:00:00", carbs_g=150.0)
    values = {name: (progress(tracker, key)["value"], progress(tracker, key)["met"]) for name, key in ids.items()}
    assert values == {
        "workouts": (2, False), "workout_min": (120, True), "workout_distance_m": (6000, False),
        "calories": (1500, True), "carbs_g": (150, False),
    }  # fmt: skip
    assert progress(tracker, ids["carbs_g"])["percent"] == 115.4
    assert progress(tracker, ids["calories"])["remaining"] == 500


def test_a_goal_on_a_level_takes_the_newest_reading(tracker: Any) -> None:
    weight = goal(tracker, "weight", 150, "week", unit="lb", direction="at_most", start_date="2026-04-01")
    shown = progress(tracker, weight)
    assert (shown["target"], shown["unit"], shown["value"], shown["met"]) == (68.04, "kg", None, False)
    tracker.happen(
        "health_tracker.record", user_id="u_dad", type="weight", value=149.2, unit="lb",
        recorded_at="2026-04-15T07:30:00",
    )  # fmt: skip
    assert (progress(tracker, weight)["value"], progress(tracker, weight)["met"]) == (67.68, True)
    log(tracker, "weight", 69, "2026-04-16T07:30:00")
    assert (progress(tracker, weight)["value"], progress(tracker, weight)["met"]) == (69, False)


def test_a_goal_yet_to_begin_has_nothing(tracker: Any) -> None:
    later = goal(tracker, "steps", 5000, "day", start_date="2026-04-20")
    log(tracker, "steps", 6000, "2026-04-17T08:00:00")
    shown = progress(tracker, later)
    assert (shown["from"], shown["value"], shown["met"]) == ("2026-04-20", 0, False)


def test_a_new_goal_replaces_its_like(tracker: Any) -> None:
    old = goal(tracker, "steps", 9000, "day")
    other = goal(tracker, "steps", 50000, "week")
    most = goal(tracker, "steps", 12000, "day", direction="at_most")
    new = tracker.call("health_tracker.set_goal", user_id="u_dad", type="steps", target=5000, period="day")
    assert new["replaced"] == [old]
    active = tracker.call("health_tracker.get_goals", user_id="u_dad", status="active")["goals"]
    assert [row["goal_id"] for row in active] == [new["goal_id"], most, other]
    [replaced] = tracker.call("health_tracker.get_goals", user_id="u_dad", status="replaced")["goals"]
    assert (replaced["goal_id"], replaced["end_date"]) == (old, "2026-04-17")
    assert tracker.call("health_tracker.get_goals", user_id="u_dad")["total"] == 4
    assert tracker.call("health_tracker.get_goals", user_id="u_mum")["goals"] == []
    base = {"user_id": "u_dad", "type": "steps", "target": 10, "period": "day"}
    for change, code in [
        ({"user_id": "u_bob"}, "not_found"), ({"type": "fame"}, "unknown_type"), ({"unit": "kg"}, "bad_unit"),
        ({"start_date": "soon"}, "bad_date"), ({"target": 0}, "bad_arguments"), ({"period": "year"}, "bad_arguments"),
        ({"type": "weight", "target": 1e-6, "unit": "lb"}, "bad_target"),
    ]:  # fmt: skip
        assert tracker.refused("health_tracker.set_goal", **{**base, **change}) == code
    for arguments in ({"user_id": "u_mum", "goal_id": old}, {"user_id": "u_dad", "goal_id": "x"}):
        assert tracker.refused("health_tracker.get_goal_progress", **arguments) == "not_found"
    assert tracker.refused("health_tracker.get_goal_progress", user_id="u_bob", goal_id=old) == "not_found"
    assert tracker.refused("health_tracker.get_goals", user_id="u_bob") == "not_found"
    assert tracker.refused("health_tracker.get_goals", user_id="u_dad", status="lost") == "bad_arguments"
    tracker.check()


# -- alerts ---------------------------------------------------------------------------------------------------------


def alerts(d: Any, **more: Any) -> list[tuple[str, Any]]:
    found = d.call("health_tracker.list_health_alerts", user_id="u_dad", **more)["alerts"]
    return [(row["kind"], row["value"]) for row in found]


@pytest.fixture
def ranged(tracker: Any) -> Any:
    tracker.put("health_tracker.ranges", range_id="g", user_id="u_dad", type="glucose_mmol_l", low=3.9, high=10.0)
    tracker.put("health_tracker.ranges", range_id="w", user_id="u_dad", type="weight", high=150.0, unit="lb")
    tracker.put("health_tracker.ranges", range_id="x", user_id="u_dad", type="heart_rate", high=90.0, unit="hands")
    return tracker


def test_readings_outside_their_range_raise_alerts(ranged: Any) -> None:
    raised = log(ranged, "glucose_mmol_l", 3.6, "2026-04-17T08:30:00")["alerts"]
    assert [(row["kind"], row["limit"], row["metric_id"]) for row in raised] == [("below", 3.9, "met_0001")]
    assert raised[0]["text"] == "glucose_mmol_l 3.6 mmol/L is below 3.9 mmol/L."
    assert log(ranged, "glucose_mmol_l", 3.9, "2026-04-17T08:31:00")["alerts"] == []
    assert log(ranged, "glucose_mmol_l", 10.0, "2026-04-17T08:32:00")["alerts"] == []
    assert log(ranged, "glucose_mmol_l", 10.1, "2026-04-17T08:33:00")["alerts"][0]["kind"] == "above"
    assert log(ranged, "glucose_mmol_l", 3.0, "2026-04-17T08:33:00", user="u_mum")["alerts"] == []
    assert log(ranged, "weight", 68.0, "2026-04-17T08:00:00")["alerts"] == []
    assert log(ranged, "weight", 68.1, "2026-04-17T08:01:00")["alerts"][0]["text"] == "weight 68.1 kg is above 150 lb."
    assert log(ranged, "heart_rate", 200, "2026-04-17T08:01:00")["alerts"] == []
    assert alerts(ranged) == [("above", 68.1), ("above", 10.1), ("below", 3.6)]
    assert alerts(ranged, limit=1) == [("above", 68.1)]
    listed = ranged.call("health_tracker.list_health_alerts", user_id="u_dad")
    assert (listed["total"], [row["range_id"] for row in listed["ranges"]]) == (3, ["g", "w", "x"])
    assert ranged.refused("health_tracker.list_health_alerts", user_id="u_bob") == "not_found"
    assert ranged.refused("health_tracker.list_health_alerts", user_id="u_dad", limit=0) == "bad_limit"
    ranged.check()


def test_a_device_syncs_silently_and_its_alert_is_stored(ranged: Any) -> None:
    ranged.until("2026-04-30T09:30:00")
    [metric] = ranged.happen("health_tracker.record", user_id="u_dad", type="glucose_mmol_l", value=3.6)
    assert alerts(ranged) == [("below", 3.6)]
    assert ranged.world.openings == []
    assert ranged.happen("health_tracker.record", user_id="u_dad", type="glucose_mmol_l", value=3.7) == []
    assert ranged.happen("health_tracker.record", user_id="u_bob", type="glucose_mmol_l", value=3.7) == []
    assert ranged.happen("health_tracker.record", user_id="u_dad", type="weight", value=70.0, unit="hands") != []
    shown = ranged.call("health_tracker.get_latest_metric", user_id="u_dad", type="glucose_mmol_l")
    assert (shown["metric_id"], shown["source"], shown["unit"]) == (metric, "watch", "mmol/L")
    with pytest.raises(ToolError, match="future"):
        ranged.happen(
            "health_tracker.record", user_id="u_dad", type="steps", value=1.0, recorded_at="2026-05-01T00:00:00"
        )
    ranged.check()


def test_a_correction_raises_alerts_anew(ranged: Any) -> None:
    at = "2026-04-17T08:30:00"
    [metric] = ranged.happen("health_tracker.record", user_id="u_dad", type="glucose_mmol_l", value=3.6, recorded_at=at)
    assert ranged.happen(
        "health_tracker.correct", user_id="u_dad", type="glucose_mmol_l", recorded_at=at, value=11.5
    ) == [metric]
    assert alerts(ranged) == [("above", 11.5)]
    ranged.happen(
        "health_tracker.correct", user_id="u_dad", type="glucose_mmol_l", recorded_at=at, value=100.0, unit="mg/dL"
    )
    assert alerts(ranged) == []
    assert metrics(ranged, "glucose_mmol_l")["metrics"][0]["unit"] == "mg/dL"
    for change in ({"user_id": "u_mum"}, {"type": "weight"}, {"recorded_at": "2026-04-17"}, {"source": "phone"}):
        given = {"user_id": "u_dad", "type": "glucose_mmol_l", "recorded_at": at, "value": 1.0, **change}
        assert ranged.happen("health_tracker.correct", **given) == []
    ranged.check()


def test_a_workout_syncs(tracker: Any) -> None:
    [first] = tracker.happen("health_tracker.record_workout", user_id="u_mum", type="walking", duration_min=45)
    shown = tracker.call("health_tracker.get_workout", workout_id=first)
    assert (shown["started_at"], shown["ends_at"]) == ("2026-04-17T08:15:00+08:00", "2026-04-17T09:00:00+08:00")
    assert tracker.happen("health_tracker.record_workout", user_id="u_mum", type="yoga", duration_min=45) == []
    assert tracker.happen("health_tracker.record_workout", user_id="u_bob", type="yoga", duration_min=45) == []
    with pytest.raises(ToolError, match="after it ended"):
        tracker.happen(
            "health_tracker.record_workout", user_id="u_mum", type="yoga", duration_min=45,
            started_at="2026-04-17T08:30:00",
        )  # fmt: skip
    tracker.check()


def test_a_reading_that_does_not_come_by_its_time_raises_an_alert(tracker: Any) -> None:
    tracker.put("health_tracker.ranges", range_id="early", user_id="u_dad", type="weight", due_by="08:00")
    tracker.put("health_tracker.ranges", range_id="late", user_id="u_mum", type="weight", due_by="10:00")
    tracker.put("health_tracker.ranges", range_id="gone", user_id="u_dad", type="steps", due_by="11:00")
    tracker.start()
    tracker.service("health_tracker").drop("ranges", "gone")
    tracker.until("2026-04-18T07:30:00")
    assert alerts(tracker) == []
    [mum] = tracker.call("health_tracker.list_health_alerts", user_id="u_mum")["alerts"]
    assert mum["text"] == "No weight reading by 10:00 on 2026-04-17."
    assert (mum["kind"], mum["metric_id"], mum["value"]) == ("missing", "", None)
    log(tracker, "weight", 67.4, "2026-04-18T07:30:00")
    tracker.until("2026-04-18T09:00:00")
    assert alerts(tracker) == []
    tracker.until("2026-04-20T12:00:00")
    assert alerts(tracker) == [("missing", None), ("missing", None)]
    tracker.service("health_tracker").patch("ranges", "early", due_by=None)
    tracker.until("2026-04-23T12:00:00")
    assert len(alerts(tracker)) == 2
    tracker.check()


def test_other_services_hear_of_alerts(ranged: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Any] = []
    monkeypatch.setattr(type(ranged.world), "emit", lambda self, topic, **data: heard.append((topic, data)))
    log(ranged, "glucose_mmol_l", 3.6, "2026-04-17T08:30:00")
    [(topic, data)] = heard
    assert topic == "status"
    assert (data["source"], data["ref"], data["status"]) == ("health_tracker", "u_dad", "below")


# -- filling --------------------------------------------------------------------------------------------------------


def test_history_lies_before_the_window(ranged: Any) -> None:
    service = ranged.service("health_tracker")
    service.history(random.Random(1), "u_dad", "glucose_mmol_l", days=30, mean=7.0, spread=2.5, per_day=4)
    service.history(random.Random(2), "u_dad", "glucose_mmol_l", days=5, mean=7.0, spread=2.5, source="phone")
    service.history(random.Random(3), "u_mum", "steps", days=30, mean=5000, spread=900)
    service.history(random.Random(3), "u_mum", "knee_pain", days=3, mean=3, spread=1, unit="points")
    service.history(random.Random(3), "u_mum", "weight", days=3, mean=150, spread=1, unit="lb")
    rows = metrics(ranged, "glucose_mmol_l", limit=200)
    assert rows["total"] == 125
    assert all("2026-03-18" <= row["recorded_at"][:10] <= "2026-04-16" for row in rows["metrics"])
    assert all("07:00" <= row["recorded_at"][11:16] < "21:00" for row in rows["metrics"])
    assert 5.5 < sum(row["value"] for row in rows["metrics"]) / 125 < 8.5
    assert alerts(ranged) == []
    assert {row["value"].is_integer() for row in metrics(ranged, "steps", user="u_mum")["metrics"]} == {True}
    assert {row["unit"] for row in metrics(ranged, "weight", user="u_mum")["metrics"]} == {"lb"}
    service.workout_history(random.Random(4), "u_mum", days=70, per_week=3.0)
    service.workout_history(random.Random(5), "u_mum", days=70, per_week=3.0)
    walks = ranged.call("health_tracker.list_workouts", user_id="u_mum", limit=200)
    assert 30 < walks["total"] < 90
    ranged.check()


# -- anything in any order ------------------------------------------------------------------------------------------

USERS = st.sampled_from(["u_dad", "u_mum", "u_bob"])
TYPES = st.sampled_from(["steps", "weight", "glucose_mmol_l", "mood"])
VALUES = st.sampled_from([0.0, 3.5, 7.0, 70.0, 5000.0])
TIMES = st.sampled_from(["2026-04-16T20:00:00", "2026-04-17T08:00:00", "2026-04-18T08:00:00", "2026-04-30T00:00:00"])
UNITS = st.sampled_from([None, "kg", "lb", "mg/dL"])
STEP = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 40)),
    st.tuples(st.just("log_metric"), USERS, TYPES, VALUES, TIMES, UNITS),
    st.tuples(st.just("record"), USERS, TYPES, VALUES, TIMES, UNITS),
    st.tuples(st.just("correct"), USERS, TYPES, VALUES, TIMES, UNITS),
    st.tuples(st.just("log_workout"), USERS, st.integers(1, 900), TIMES),
    st.tuples(st.just("log_nutrition"), USERS, st.integers(0, 900), TIMES),
    st.tuples(st.just("set_goal"), USERS, TYPES, VALUES, st.sampled_from(["day", "week", "month"])),
    st.tuples(st.just("look"), USERS, TYPES),
)


@given(st.lists(STEP, max_size=16))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_keeps_the_records_in_order(desk: Any, steps: list[tuple[Any, ...]]) -> None:
    d = desk("health_tracker")
    for user in ("u_dad", "u_mum"):
        d.put("health_tracker.users", user_id=user)
        d.put("health_tracker.ranges", range_id=user, user_id=user, type="weight", low=5.0, high=60.0, due_by="10:00")
    d.start()
    for verb, *data in steps:
        tool = f"health_tracker.{verb}"
        if verb == "wait":
            d.world.run_to(d.world.now + data[0] * 3600)
        elif verb in ("log_metric", "record", "correct"):
            user, type, value, at, unit = data
            given = {"user_id": user, "type": type, "value": value, "recorded_at": at, "unit": unit}
            if verb == "log_metric":
                d.outcome(tool, **given)
                continue
            try:
                d.happen(tool, **given)
            except ToolError:  # in the future, or of a kind without a unit
                assert verb == "record"
        elif verb == "log_workout":
            d.outcome(tool, user_id=data[0], type="walking", duration_min=data[1], started_at=data[2])
        elif verb == "log_nutrition":
            d.outcome(tool, user_id=data[0], meal="lunch", calories=data[1], logged_at=data[2])
        elif verb == "set_goal":
            d.outcome(tool, user_id=data[0], type=data[1], target=data[2], period=data[3])
        else:
            before = d.world.dump()
            user, type = data
            d.outcome("health_tracker.get_metrics", user_id=user, type=type)
            d.outcome("health_tracker.get_metric_summary", user_id=user, type=type, period="week")
            d.outcome("health_tracker.get_activity_summary", user_id=user, date="2026-04-17")
            for row in d.outcome("health_tracker.get_goals", user_id=user).result.get("goals", []):
                d.call("health_tracker.get_goal_progress", user_id=user, goal_id=row["goal_id"])
            assert d.world.dump() == before
        d.check()


def test_a_reading_is_deleted_with_its_alerts(ranged: Any) -> None:
    kept = log(ranged, "glucose_mmol_l", 3.5, "2026-04-17T08:00:00")["metric_id"]
    wrong = log(ranged, "glucose_mmol_l", 3.6, "2026-04-17T08:30:00")["metric_id"]
    assert ranged.call("health_tracker.delete_metric", metric_id=wrong) == {"metric_id": wrong, "deleted": True}
    assert [row["metric_id"] for row in ranged.service("health_tracker").rows("alerts")] == [kept]
    found = ranged.call("health_tracker.get_metrics", user_id="u_dad", type="glucose_mmol_l")["metrics"]
    assert [row["metric_id"] for row in found] == [kept]
    assert ranged.refused("health_tracker.delete_metric", metric_id=wrong) == "not_found"
    ranged.check()


def test_a_workout_is_deleted(tracker: Any) -> None:
    begun = {"user_id": "u_mum", "type": "walking", "duration_min": 20, "started_at": "2026-04-17T07:00:00"}
    made = tracker.call("health_tracker.log_workout", **begun)["workout_id"]
    assert tracker.call("health_tracker.delete_workout", workout_id=made) == {"workout_id": made, "deleted": True}
    assert tracker.call("health_tracker.list_workouts", user_id="u_mum")["workouts"] == []
    assert tracker.refused("health_tracker.delete_workout", workout_id=made) == "not_found"
    tracker.call("health_tracker.log_workout", **begun)
    tracker.check()


def test_the_last_reading_of_a_goals_own_kind_stays_until_there_is_another(tracker: Any) -> None:
    """Trackers know grip strength by its readings only, and a goal is of a kind that there is."""
    grip = {"user_id": "u_dad", "type": "grip_strength", "unit": "kg"}
    tracker.put("health_tracker.metrics", metric_id="m1", value=30.0, recorded_at="2026-04-16T08:00:00+08:00", **grip)
    goal = tracker.call("health_tracker.set_goal", target=35.0, period="month", start_date="2026-04-01", **grip)
    said = tracker.outcome("health_tracker.delete_metric", metric_id="m1")
    assert said.code == "last_of_kind"
    assert goal["goal_id"] in said.text
    tracker.check()
    log(tracker, "grip_strength", 31.0, "2026-04-16T09:00:00")
    tracker.call("health_tracker.delete_metric", metric_id="m1")
    tracker.check()
    progress = tracker.call("health_tracker.get_goal_progress", user_id="u_dad", goal_id=goal["goal_id"])
    assert (progress["value"], progress["unit"], progress["met"]) == (31.0, "kg", False)


def test_the_last_reading_of_a_kind_without_a_goal_is_deleted(tracker: Any) -> None:
    tracker.put(
        "health_tracker.metrics", metric_id="m1", user_id="u_dad", type="grip_strength", value=30.0, unit="kg",
        recorded_at="2026-04-16T08:00:00+08:00",
    )  # fmt: skip
    tracker.call("health_tracker.delete_metric", metric_id="m1")
    assert (
        tracker.refused("health_tracker.set_goal", user_id="u_dad", type="grip_strength", target=35.0, period="month")
        == "unknown_type"
    )
    tracker.check()
