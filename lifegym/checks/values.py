"""The functions of the expression language that need no world: lists, numbers, dates, texts."""

from __future__ import annotations

import datetime as dt
import math
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from dateutil.relativedelta import relativedelta

from lifegym.checks import wording
from lifegym.checks.budget import spend
from lifegym.checks.expressions import ExpressionError, Missing
from lifegym.checks.operations import WEEKDAYS, bounded, comparable, equal, field, number
from lifegym.services.search import fold

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Name to function."""

_RANGE_LIMIT = 10_000
_TEXT_LIMIT = 400_000


def _function(function: Callable[..., Any]) -> Callable[..., Any]:
    FUNCTIONS[function.__name__.rstrip("_")] = function
    return function


# -- lists -------------------------------------------------------------------------------------------------------------


@_function
def one(values: list[Any]) -> Any:
    """The only value of a list; evidence is missing where there is none or more than one."""
    if len(values) != 1:
        raise Missing(f"there are {len(values)} where there should be one")
    return values[0]


@_function
def first(values: list[Any], default: Any = None) -> Any:
    """The first value; the default, or missing evidence, where there is none."""
    if values:
        return values[0]
    if default is None:
        raise Missing("there is none")
    return default


@_function
def last(values: list[Any], default: Any = None) -> Any:
    """The last value; the default, or missing evidence, where there is none."""
    return first(values[-1:], default)


@_function
def len_(values: Any) -> int:
    """How many."""
    if not isinstance(values, (list, tuple, dict, str, range)):
        raise ExpressionError(f"a {type(values).__name__} has no length")
    return len(values)


@_function
def sum_(values: list[Any]) -> Any:
    """The sum of numbers; 0 for none."""
    _none_missing(values)
    return bounded(sum(values))


@_function
def min_(values: Any, *more: Any) -> Any:
    """The smallest of a list, or of several values; missing evidence where there is none."""
    return min(_some([values, *more] if more else values))


@_function
def max_(values: Any, *more: Any) -> Any:
    """The largest of a list, or of several values; missing evidence where there is none."""
    return max(_some([values, *more] if more else values))


def _some(values: list[Any]) -> list[Any]:
    if not values:
        raise Missing("there is none")
    _none_missing(values)
    comparable(*values)
    return values


def _none_missing(values: list[Any]) -> None:
    """An optional cell that is empty is evidence that is missing, no defect of the bundle."""
    if any(value is None for value in values):
        raise Missing("there is a value that is not there")


@_function
def any_(values: list[Any]) -> bool:
    """Whether some value holds."""
    return any(values)


@_function
def all_(values: list[Any]) -> bool:
    """Whether every value holds."""
    return all(values)


@_function
def sorted_(values: list[Any], by: str | None = None, down: bool = False) -> list[Any]:
    """In order, by a field where one is named."""
    keys = values if by is None else [field(value, by) for value in values]
    _none_missing(keys)
    comparable(*keys, times=len(values).bit_length())
    order = sorted(range(len(values)), key=keys.__getitem__, reverse=down)
    return [values[place] for place in order]


@_function
def unique(values: list[Any]) -> list[Any]:
    """Each value once, in order."""
    try:
        return list(dict.fromkeys(values))
    except TypeError:  # lists and mappings have no hash
        found: list[Any] = []
        for value in values:
            spend(len(found) + 1)
            if not any(equal(value, other) for other in found):
                found.append(value)
        return found


@_function
def zip_(*lists: list[Any]) -> list[list[Any]]:
    """Pairs, triples, ... of values at the same place."""
    return [list(group) for group in zip(*lists, strict=False)]


@_function
def enumerate_(values: list[Any], start: int = 0) -> list[list[Any]]:
    """Pairs of place and value."""
    return [[place, value] for place, value in enumerate(values, start)]


@_function
def range_(start: int, stop: int | None = None, step: int = 1) -> list[int]:
    """Whole numbers from a start to before a stop."""
    numbers = range(0, start, step) if stop is None else range(start, stop, step)
    if len(numbers) > _RANGE_LIMIT:
        raise ExpressionError(f"a range has at most {_RANGE_LIMIT} numbers")
    return list(numbers)


@_function
def totals(rows: list[Any], by: str, of: str) -> dict[Any, Any]:
    """The sums of one field of rows for each value of another."""
    spend(len(rows))
    found: dict[Any, Any] = {}
    for row in rows:
        key = field(row, by)
        if not isinstance(key, (str, int, type(None))):
            raise ExpressionError(f"rows cannot be grouped by {type(key).__name__}")
        amount = field(row, of)
        if not number(amount):
            raise Missing(f"{of} is no number")
        found[key] = bounded(found.get(key, 0) + amount)
    return found


@_function
def flat(values: list[Any]) -> list[Any]:
    """The values of lists in a list."""
    for value in values:
        if not isinstance(value, (list, tuple)):
            raise ExpressionError(f"flat takes lists in a list, not {type(value).__name__}")
        spend(len(value))
    return [item for value in values for item in value]


@_function
def keys(value: dict[str, Any]) -> list[Any]:
    """The names of a mapping, in its order."""
    return list(_mapping(value))


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ExpressionError(f"a {type(value).__name__} is no mapping")
    return value


@_function
def items(value: dict[str, Any]) -> list[list[Any]]:
    """Pairs of name and value."""
    return [[key, item] for key, item in _mapping(value).items()]


@_function
def get(value: dict[str, Any], key: Any, default: Any = None) -> Any:
    """The value under a name, or a default."""
    return _mapping(value).get(key, default)


@_function
def merge(*values: dict[str, Any]) -> dict[str, Any]:
    """One mapping out of several; later ones win."""
    return {key: item for value in values for key, item in _mapping(value).items()}


@_function
def exact(rows: list[Any], expected: list[Any], on: list[str]) -> bool:
    """Whether rows and expected rows are the same, compared on some fields: none missing, none extra, none twice."""
    if len(rows) != len(expected):
        return False
    spend(len(rows) * (1 + len(expected) * len(on) // 2))
    left = [[field(row, name) for name in on] for row in rows]
    for want in ([field(row, name) for name in on] for row in expected):
        match = next(
            (i for i, have in enumerate(left) if all(equal(a, b) for a, b in zip(have, want, strict=True))), None
        )
        if match is None:
            return False
        del left[match]
    return True


# -- numbers -----------------------------------------------------------------------------------------------------------


@_function
def abs_(value: Any) -> Any:
    """Without its sign."""
    return abs(value)


@_function
def round_(value: float, places: int = 0) -> Any:
    """To the nearest; halves away from zero, after removing what floating point adds."""
    if not (number(value) and type(places) is int and -9 <= places <= 9):
        raise ExpressionError("round takes a number, and -9 to 9 places")
    scaled = round(abs(value) * 10**places, 6)
    rounded = int(scaled + 0.5) * (1 if value >= 0 else -1)
    if places > 0:
        return rounded / 10**places
    return bounded(rounded * 10**-places)


@_function
def int_(value: Any) -> int:
    """A whole number out of a number or its text; missing evidence where the text is none."""
    if not isinstance(value, str):
        if value is None:
            raise Missing("there is no whole number")
        return bounded(int(value)) if number(value) else int(value)
    try:
        if len(value) > 25:
            raise ValueError
        return int(value.replace(",", ""))
    except ValueError:
        raise Missing(f"{value[:40]!r} is no whole number") from None


@_function
def float_(value: Any) -> float:
    """A number out of a number or its text; missing evidence where the text is none."""
    if not isinstance(value, str):
        if value is None:
            raise Missing("there is no number")
        return float(value)
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Missing(f"{value[:40]!r} is no number")
    return number


@_function
def num(value: float, places: int = 0) -> str:
    """A number as people write it: 53265.6 with two places is 53,265.60."""
    if not (number(value) and type(places) is int and 0 <= places <= 6):
        raise ExpressionError("num takes a number, and 0 to 6 places")
    return f"{value:,.{places}f}"


@_function
def money(amount_minor: int, decimals: int = 2) -> str:
    """Minor units as people write them: 888000 is 8,880.00."""
    if not (number(amount_minor) and type(decimals) is int and 0 <= decimals <= 6):
        raise ExpressionError("money takes a number, and 0 to 6 decimals")
    return f"{amount_minor / 10**decimals:,.{decimals}f}"


# -- texts -------------------------------------------------------------------------------------------------------------


@_function
def str_(value: Any) -> str:
    """As text."""
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return str(value)
    if value is None:
        raise Missing("there is no value to write")
    raise ExpressionError(f"a {type(value).__name__} is not written as a text; join its parts")


@_function
def join(values: list[str], glue: str = "") -> str:
    """One text out of several."""
    texts = [str_(value) for value in values]
    return glue.join(texts) if _fits(sum(map(len, texts)) + len(glue) * len(texts)) else ""


def _fits(length: int) -> bool:
    if length > _TEXT_LIMIT:
        raise ExpressionError("a text is too long")
    return True


@_function
def split(text: str, glue: str) -> list[str]:
    """The trimmed parts of a text between separators."""
    return [part.strip() for part in text.split(glue)] if glue else [text]


@_function
def lines(text: str) -> list[str]:
    """The lines of a text that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


@_function
def lower(text: str) -> str:
    """In lower case."""
    return text.lower()


@_function
def upper(text: str) -> str:
    """In upper case."""
    return text.upper()


@_function
def strip(text: str) -> str:
    """Without white space around it."""
    return text.strip()


@_function
def replace(text: str, old: str, new: str) -> str:
    """With one passage put for another."""
    if not old:
        raise ExpressionError("there is nothing to replace")
    _fits(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


@_function
def starts(text: str, beginning: str) -> bool:
    """Whether a text begins so, case aside."""
    return fold(text).startswith(fold(beginning))


@_function
def has(text: str, part: str) -> bool:
    """Whether a text contains another, case and accents aside."""
    return fold(part) in fold(text)


@_function
def pad(value: int, width: int = 2) -> str:
    """A number with leading zeros."""
    if not (type(value) is int and type(width) is int and 0 < width <= 12):
        raise ExpressionError("pad takes a whole number, and 1 to 12 digits")
    return f"{value:0{width}d}"


def _short(value: Any) -> str:
    return repr(value[:40]) if isinstance(value, str) else f"a {type(value).__name__}"


# -- dates and times ---------------------------------------------------------------------------------------------------


@_function
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


@_function
def time(value: Any) -> dt.time:
    """A time of day out of a text or an instant; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value.time()
    if isinstance(value, dt.time):
        return value
    try:
        return dt.datetime.fromisoformat(value).time() if "T" in value else dt.time.fromisoformat(value)
    except (ValueError, TypeError):
        raise Missing(f"{_short(value)} is no time of day") from None


@_function
def instant(value: Any) -> dt.datetime:
    """An instant out of an ISO 8601 text with an offset; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value
    try:
        parsed = dt.datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise Missing(f"{_short(value)} is no instant") from None
    if parsed.tzinfo is None:
        raise Missing(f"{value!r} has no offset")
    return parsed


@_function
def minutes(count: float) -> dt.timedelta:
    """A span of minutes."""
    return dt.timedelta(minutes=count)


@_function
def hours(count: float) -> dt.timedelta:
    """A span of hours."""
    return dt.timedelta(hours=count)


@_function
def days(count: float) -> dt.timedelta:
    """A span of days."""
    return dt.timedelta(days=count)


@_function
def add_months(value: dt.date, count: int) -> dt.date:
    """The same day of another month, or its last."""
    moved: dt.date = date(value) + relativedelta(months=count)
    return moved


@_function
def dates(start: Any, end: Any) -> list[dt.date]:
    """All dates from one to another, both included."""
    begin, stop = date(start), date(end)
    if (stop - begin).days > _RANGE_LIMIT:
        raise ExpressionError("too many dates")
    return [begin + dt.timedelta(days=i) for i in range((stop - begin).days + 1)]


@_function
def workdays(start: Any, end: Any) -> int:
    """How many days from Monday to Friday lie after one date up to another, that one included."""
    days_between = dates(start, end)[1:]
    spend(len(days_between))
    return sum(day.weekday() < 5 for day in days_between)


@_function
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


@_function
def gaps(instants: list[Any]) -> list[dt.timedelta]:
    """The spans between instants that follow each other in time; missing evidence for fewer than two."""
    ordered = sorted(instant(value) for value in instants)
    if len(ordered) < 2:
        raise Missing("there are fewer than two instants")
    return [later - earlier for earlier, later in pairwise(ordered)]


@_function
def strf(value: Any, form: str) -> str:
    """A date or instant in words: %d %m %Y %y %a %A %b %B %H %M %j, and %-d, %-m, %-H without a leading zero."""
    if isinstance(value, str):
        value = instant(value) if "T" in value else date(value)
    if not isinstance(value, (dt.date, dt.time)):
        raise ExpressionError(f"a {type(value).__name__} is no date or time")
    return _STRF.sub(lambda match: _strf(value, match[0]), form) if _fits(len(form) * 5) else ""


_STRF = re.compile(r"%-?.?", re.S)
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
           "December")  # fmt: skip
_DAY_FORMS: dict[str, Callable[[Any], str]] = {
    "%d": lambda v: f"{v.day:02d}",
    "%-d": lambda v: str(v.day),
    "%m": lambda v: f"{v.month:02d}",
    "%-m": lambda v: str(v.month),
    "%Y": lambda v: f"{v.year:04d}",
    "%y": lambda v: f"{v.year % 100:02d}",
    "%a": lambda v: WEEKDAYS[v.weekday()][:3],
    "%A": lambda v: WEEKDAYS[v.weekday()],
    "%b": lambda v: _MONTHS[v.month - 1][:3],
    "%B": lambda v: _MONTHS[v.month - 1],
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


# -- wording -----------------------------------------------------------------------------------------------------------

for _name in ("words", "amounts", "names", "names_any", "names_date", "names_amount", "names_time", "says"):
    FUNCTIONS[_name] = getattr(wording, _name)
