"""Functions over dates, times and instants."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from dateutil.relativedelta import relativedelta

from lifegym.checks.budget import ExpressionError, Missing, spend
from lifegym.checks.functions import function
from lifegym.checks.operations import MOMENT_LIMIT, fits
from lifegym.world.clock import month_name, weekday

_RANGE_LIMIT = 10_000


def _short(value: Any) -> str:
    return repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"


@function
def date(value: Any) -> dt.date:
    """A date out of a text or an instant; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(value[:10])
    except (ValueError, TypeError):
        raise Missing(f"{_short(value)} is no date") from None


@function
def time(value: Any) -> dt.time:
    """A time of day out of a text or an instant; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value.time()
    if isinstance(value, dt.time):
        return value
    if isinstance(value, str) and len(value) > MOMENT_LIMIT:
        raise Missing(f"{_short(value)} is no time of day")
    try:
        return dt.datetime.fromisoformat(value).time() if "T" in value else dt.time.fromisoformat(value)
    except (ValueError, TypeError):
        raise Missing(f"{_short(value)} is no time of day") from None


@function
def instant(value: Any) -> dt.datetime:
    """An instant out of an ISO 8601 text with an offset; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value
    if isinstance(value, str) and len(value) > MOMENT_LIMIT:
        raise Missing(f"{_short(value)} is no instant")
    try:
        parsed = dt.datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise Missing(f"{_short(value)} is no instant") from None
    if parsed.tzinfo is None:
        raise Missing(f"{value!r} has no offset")
    return parsed


@function
def minutes(count: float) -> dt.timedelta:
    """A span of minutes."""
    return dt.timedelta(minutes=count)


@function
def hours(count: float) -> dt.timedelta:
    """A span of hours."""
    return dt.timedelta(hours=count)


@function
def days(count: float) -> dt.timedelta:
    """A span of days."""
    return dt.timedelta(days=count)


@function
def add_months(value: dt.date, count: int) -> dt.date:
    """The same day of another month, or its last."""
    moved: dt.date = date(value) + relativedelta(months=count)
    return moved


@function
def dates(start: Any, end: Any) -> list[dt.date]:
    """All dates from one to another, both included."""
    begin, stop = date(start), date(end)
    if (stop - begin).days > _RANGE_LIMIT:
        raise ExpressionError("too many dates")
    return [begin + dt.timedelta(days=i) for i in range((stop - begin).days + 1)]


@function
def workdays(start: Any, end: Any) -> int:
    """How many days from Monday to Friday lie after one date up to another, that one included."""
    days_between = dates(start, end)[1:]
    spend(len(days_between))
    return sum(day.weekday() < 5 for day in days_between)


@function
def after_workdays(start: Any, count: int) -> dt.date:
    """The date a number of working days later."""
    day: dt.date = date(start)
    if not 0 <= count <= 1000:
        raise ExpressionError("after_workdays goes 0 to 1000 days forward")
    spend(count)
    for _ in range(count):
        day += dt.timedelta(days=1)
        while day.weekday() >= 5:
            day += dt.timedelta(days=1)
    return day


@function
def gaps(instants: list[Any]) -> list[dt.timedelta]:
    """The spans between instants that follow each other in time; missing evidence for fewer than two."""
    ordered = sorted(instant(value) for value in instants)
    if len(ordered) < 2:
        raise Missing("there are fewer than two instants")
    return [later - earlier for earlier, later in pairwise(ordered)]


@function
def strf(value: Any, form: str) -> str:
    """A date or instant in words: %d %m %Y %y %a %A %b %B %H %M %j, and %-d, %-m, %-H without a leading zero."""
    if isinstance(value, str):
        value = instant(value) if "T" in value else date(value)
    if not isinstance(value, (dt.date, dt.time)):
        raise ExpressionError(f"a {type(value).__name__} is no date or time")
    return _STRF.sub(lambda match: _strf(value, match[0]), form) if fits(len(form) * 5) else ""


_STRF = re.compile(r"%-?.?", re.S)
_DAY_FORMS: dict[str, Callable[[Any], str]] = {
    "%d": lambda v: f"{v.day:02d}",
    "%-d": lambda v: str(v.day),
    "%m": lambda v: f"{v.month:02d}",
    "%-m": lambda v: str(v.month),
    "%Y": lambda v: f"{v.year:04d}",
    "%y": lambda v: f"{v.year % 100:02d}",
    "%a": lambda v: weekday(v)[:3],
    "%A": weekday,
    "%b": lambda v: month_name(v)[:3],
    "%B": month_name,
    "%j": lambda v: f"{v.timetuple().tm_yday:03d}",
}
_TIME_FORMS: dict[str, Callable[[Any], str]] = {
    "%H": lambda v: f"{v.hour:02d}",
    "%-H": lambda v: str(v.hour),
    "%M": lambda v: f"{v.minute:02d}",
}


def _strf(value: Any, code: str) -> str:
    if code == "%%":
        return "%"
    if code in _DAY_FORMS and isinstance(value, dt.date):
        return _DAY_FORMS[code](value)
    if code in _TIME_FORMS and isinstance(value, (dt.datetime, dt.time)):
        return _TIME_FORMS[code](value)
    raise ExpressionError(f"{code!r} says nothing about a {type(value).__name__}")
