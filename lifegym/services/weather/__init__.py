"""Forecasts, warnings, air quality and storms."""

from lifegym.services.weather.tools import Weather

__all__ = ["Weather"]
