"""Believable filling for a tracker."""

from __future__ import annotations

import datetime as dt
import random

from lifegym.services.health_tracker.life import HealthTrackerLife
from lifegym.services.health_tracker.measures import KNOWN
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["HealthTrackerInventory"]


class HealthTrackerInventory(HealthTrackerLife):
    """Generators of a tracker's past."""

    @generator
    def history(
        self,
        rng: random.Random,
        user_id: str,
        type: str,
        days: int = 60,
        mean: float = 100.0,
        spread: float = 10.0,
        per_day: int = 1,
        unit: str = "",
        source: str = "watch",
    ) -> None:
        """Fill the days before the window with readings of one kind, spread over the hours from 07:00 to 21:00.

        Totals such as steps are cut into ``per_day`` parts of ``mean``. No alerts are raised for what is past.
        """
        measure = KNOWN.get(type)
        digits = measure.digits if measure else 1
        shown = unit or (measure.unit if measure else "")
        made = sum(row["user_id"] == user_id and row["type"] == type for row in self.rows("metrics"))
        for day in range(days, 0, -1):
            begin = clock.day_start(self.world.start - dt.timedelta(days=day), self.world.zone)
            for part in range(per_day):
                share = 14 * clock.HOUR // per_day
                at = begin + 7 * clock.HOUR + part * share + rng.randrange(max(1, share // clock.MINUTE)) * clock.MINUTE
                value = round(max(0.0, rng.gauss(mean, spread)), digits)
                if measure:
                    factor = measure.factor(shown) or 1.0
                    value = min(max(value, measure.low / factor), measure.high / factor)
                made += 1
                self.put(
                    "metrics",
                    metric_id=f"metg_{user_id}_{type}_{made:04d}",
                    user_id=user_id,
                    type=type,
                    value=float(value),
                    unit=shown,
                    recorded_at=self.world.iso(at),
                    source=source,
                )

    @generator
    def workout_history(
        self,
        rng: random.Random,
        user_id: str,
        type: str = "walking",
        days: int = 60,
        per_week: float = 3.0,
        minutes: int = 40,
        metres_per_minute: int = 80,
        source: str = "watch",
    ) -> None:
        """Fill the days before the window with workouts of one kind."""
        made = sum(row["user_id"] == user_id and row["type"] == type for row in self.rows("workouts"))
        for day in range(days, 0, -1):
            begin = clock.day_start(self.world.start - dt.timedelta(days=day), self.world.zone)
            if rng.random() >= per_week / 7:
                continue
            made += 1
            duration = max(5, round(minutes * rng.uniform(0.7, 1.3)))
            self.put(
                "workouts",
                workout_id=f"wog_{user_id}_{type}_{made:04d}",
                user_id=user_id,
                type=type,
                started_at=self.world.iso(begin + rng.randint(7 * 60, 19 * 60) * clock.MINUTE),
                duration_min=duration,
                calories=duration * rng.randint(4, 8),
                distance_m=round(duration * metres_per_minute * rng.uniform(0.9, 1.1)),
                source=source,
            )
