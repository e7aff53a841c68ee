"""The functions of the expression language that need no world: lists, numbers, texts, dates, wording."""

from __future__ import annotations

from lifegym.checks import dates, lists, texts, wording
from lifegym.checks.functions import FUNCTIONS

__all__ = ["FUNCTIONS", "dates", "lists", "texts"]

for _name in ("words", "amounts", "names", "names_any", "names_date", "names_amount", "names_time", "says"):
    FUNCTIONS[_name] = getattr(wording, _name)
