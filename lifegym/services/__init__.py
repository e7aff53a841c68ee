"""The service backends that agents call."""

from lifegym.services.base import Service, paged
from lifegym.services.tools import ToolError, ToolSpec, generator, happening, listens, tool
from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Currency", "Day", "Instant", "Minor", "RecordModel", "Ref", "Service", "TimeOfDay", "ToolError", "ToolSpec",
    "generator", "happening", "listens", "paged", "tool",
]  # fmt: skip
