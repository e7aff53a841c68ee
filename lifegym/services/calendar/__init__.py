"""A calendar."""

from lifegym.services.calendar.tools import Calendar

__all__ = ["Calendar"]
