"""The kinds of reading that a tracker knows: their units, what counts as a total, and what an instrument can show."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["KNOWN", "WORKOUT_TOTALS", "Measure"]


@dataclass(frozen=True)
class Measure:
    """A kind of reading.

    Attributes:
        unit: The unit in which values are compared and summed up.
        units: Every other unit with the factor that leads to ``unit``.
        total: Whether the values of a day add up (steps) or each stands for itself (weight).
        low: The least that an instrument can show, in ``unit``.
        high: The most.
        digits: Decimal places worth keeping.
    """

    unit: str
    units: dict[str, float] = field(default_factory=dict)
    total: bool = False
    low: float = 0.0
    high: float = 1e6
    digits: int = 2

    def factor(self, unit: str) -> float | None:
        """What a value in this unit is multiplied by; None for a unit that does not fit."""
        wanted = unit.strip().lower()
        if wanted == self.unit.lower():
            return 1.0
        return next((factor for name, factor in self.units.items() if name.lower() == wanted), None)

    def accepted(self) -> str:
        """The units that fit, for a message."""
        return ", ".join([self.unit, *self.units]) or "none"


_KG = {"lb": 0.45359237, "lbs": 0.45359237, "g": 0.001}
_MMOL = {"mg/dL": 1 / 18.018}
_METRES = {"km": 1000.0, "mi": 1609.344}
_MINUTES = {"h": 60.0}

KNOWN: dict[str, Measure] = {
    "active_min": Measure("min", _MINUTES, total=True, high=1440, digits=0),
    "blood_pressure": Measure("mmHg", low=40, high=300, digits=0),
    "body_fat_pct": Measure("%", low=1, high=80, digits=1),
    "calories_burned": Measure("kcal", {"kJ": 1 / 4.184}, total=True, high=20_000, digits=0),
    "distance_m": Measure("m", _METRES, total=True, high=500_000, digits=0),
    "floors": Measure("floors", total=True, high=2_000, digits=0),
    "glucose": Measure("mmol/L", _MMOL, low=0.5, high=60),
    "glucose_mmol_l": Measure("mmol/L", _MMOL, low=0.5, high=60),
    "heart_rate": Measure("bpm", low=20, high=260, digits=0),
    "resting_heart_rate": Measure("bpm", low=20, high=260, digits=0),
    "sleep_min": Measure("min", _MINUTES, total=True, high=1440, digits=0),
    "spo2_pct": Measure("%", low=40, high=100, digits=1),
    "steps": Measure("steps", {"count": 1.0}, total=True, high=200_000, digits=0),
    "temperature_c": Measure("C", low=25, high=45, digits=1),
    "water_ml": Measure("ml", {"l": 1000.0}, total=True, high=20_000, digits=0),
    "weight": Measure("kg", _KG, low=1, high=500),
    "weight_kg": Measure("kg", _KG, low=1, high=500),
}

WORKOUT_TOTALS: dict[str, Measure] = {
    "workouts": Measure("workouts", {"count": 1.0}, total=True, digits=0),
    "workout_min": Measure("min", _MINUTES, total=True, digits=0),
    "workout_distance_m": Measure("m", _METRES, total=True, digits=0),
    "calories": Measure("kcal", {"kJ": 1 / 4.184}, total=True, digits=0),
    "protein_g": Measure("g", total=True, digits=1),
    "carbs_g": Measure("g", total=True, digits=1),
    "fat_g": Measure("g", total=True, digits=1),
}
"""What a goal can be about beside readings: totals over workouts, and over meals (calories eaten, nutrients)."""
