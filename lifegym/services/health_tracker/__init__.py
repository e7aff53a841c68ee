"""Readings, workouts, meals and goals of a family's health tracker."""

from lifegym.services.health_tracker.tools import HealthTracker

__all__ = ["HealthTracker"]
