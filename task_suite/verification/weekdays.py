"""Weekdays that a text gives to its dates: ``Thu 04-23``, ``2026-05-05 (Tue)``, ``tomorrow, Friday``."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator

from lifegym.world import clock

__all__ = ["wrong_weekdays"]

_DAYS = [name.lower() for name in clock.WEEKDAYS]
_DAY = r"(?P<day>(?:Mon|Tue|Tues|Wed|Wednes|Thu|Thur|Thurs|Fri|Sat|Satur|Sun)(?:day)?)\b\.?"
_MONTHS = [name[:3].lower() for name in clock.MONTHS]
_MONTH = (
    r"(?P<mn>January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_DATES = (
    r"(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})(?!\d)",
    r"(?<!\d-)(?P<m>\d{2})-(?P<d>\d{2})(?![\d-])",
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?P<y>\d{{4}}))?",
    rf"{_MONTH} (?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y>\d{{4}}))?",
)
_BEFORE = [re.compile(rf"\b{_DAY},?\s+(?:the\s+)?(?:{date})") for date in _DATES]
_AFTER = [re.compile(rf"(?<![\d-])(?:{date})(?:,\s*|\s*\(\s*){_DAY}\)?") for date in _DATES]
_NEAR = re.compile(rf"\b(?P<rel>today|tomorrow|yesterday)\s*(?:,|\(|is(?: a)?)\s*{_DAY}\)?", re.I)
_RELATIVE = {"yesterday": -1, "today": 0, "tomorrow": 1}


def wrong_weekdays(text: str, start: dt.date, today: dt.date | None = None) -> Iterator[str]:
    """What a text gets wrong: ``"Wed 04-23" is a Thursday``.

    Args:
        text: What is read.
        start: First day of the window: a date without a year lies in the year that brings it nearest to this day.
        today: The day on which the text is read, for ``tomorrow, Friday``; None leaves such texts alone.
    """
    told: set[tuple[int, int]] = set()
    for pattern in (*_BEFORE, *_AFTER):
        for match in pattern.finditer(text):
            day = _date(match, start)
            span = (match.start("d"), match.end("d"))
            if day is None or span in told:
                continue
            told.add(span)
            if _weekday(match["day"]) != day.weekday():
                yield f'"{_shown(match[0])}" is a {clock.weekday(day)}'
    for match in _NEAR.finditer(text) if today else ():
        assert today is not None
        day = today + dt.timedelta(days=_RELATIVE[match["rel"].lower()])
        if _weekday(match["day"]) != day.weekday():
            yield f'"{_shown(match[0])}" is a {clock.weekday(day)}, {day}'


def _shown(text: str) -> str:
    return " ".join(text.split())


def _weekday(name: str) -> int:
    return next(i for i, day in enumerate(_DAYS) if day.startswith(name.lower()[:3]))


def _date(match: re.Match[str], start: dt.date) -> dt.date | None:
    parts = match.groupdict()
    month = int(parts["m"]) if parts.get("m") else _MONTHS.index(parts["mn"][:3].lower()) + 1
    years = [int(parts["y"])] if parts.get("y") else [start.year - 1, start.year, start.year + 1]
    found = []
    for year in years:
        try:
            found.append(dt.date(year, month, int(parts["d"])))
        except ValueError:
            continue
    return min(found, key=lambda day: abs((day - start).days)) if found else None
