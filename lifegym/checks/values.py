"""The functions of the expression language that need no world: lists, numbers, dates, texts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from dateutil.relativedelta import relativedelta

from lifegym.checks import wording
from lifegym.checks.expressions import ExpressionError, Missing, _equal, _field
from lifegym.services.search import fold

__all__ = ["FUNCTIONS"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Name to function."""

_RANGE_LIMIT = 10_000


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
    return sum(values)


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
    return values


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
    key = (lambda value: _field(value, by)) if by is not None else None
    return sorted(values, key=key, reverse=down)


@_function
def unique(values: list[Any]) -> list[Any]:
    """Each value once, in order."""
    found: list[Any] = []
    for value in values:
        if value not in found:
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
def flat(values: list[Any]) -> list[Any]:
    """The values of lists in a list."""
    return [item for value in values for item in value]


@_function
def keys(value: dict[str, Any]) -> list[Any]:
    """The names of a mapping, in its order."""
    return list(value)


@_function
def items(value: dict[str, Any]) -> list[list[Any]]:
    """Pairs of name and value."""
    return [[key, item] for key, item in value.items()]


@_function
def get(value: dict[str, Any], key: Any, default: Any = None) -> Any:
    """The value under a name, or a default."""
    return value.get(key, default)


@_function
def merge(*values: dict[str, Any]) -> dict[str, Any]:
    """One mapping out of several; later ones win."""
    return {key: item for value in values for key, item in value.items()}


@_function
def exact(rows: list[Any], expected: list[Any], on: list[str]) -> bool:
    """Whether rows and expected rows are the same set, compared on some fields; none missing, none extra, none twice."""
    if len(rows) != len(expected):
        return False
    left = [[_field(row, name) for name in on] for row in rows]
    for want in ([_field(row, name) for name in on] for row in expected):
        match = next(
            (i for i, have in enumerate(left) if all(_equal(a, b) for a, b in zip(have, want, strict=True))), None
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
    scaled = round(abs(value) * 10**places, 6)
    rounded = int(scaled + 0.5) * (1 if value >= 0 else -1)
    return rounded if places <= 0 else rounded / 10**places


@_function
def int_(value: Any) -> int:
    """A whole number out of a number or its text; missing evidence where the text is none."""
    try:
        return int(value.replace(",", "") if isinstance(value, str) else value)
    except ValueError:
        raise Missing(f"{value[:40]!r} is no whole number") from None


@_function
def float_(value: Any) -> float:
    """A number out of a number or its text; missing evidence where the text is none."""
    try:
        return float(value.replace(",", "") if isinstance(value, str) else value)
    except ValueError:
        raise Missing(f"{value[:40]!r} is no number") from None


@_function
def num(value: float, places: int = 0) -> str:
    """A number as people write it: 53265.6 with two places is 53,265.60."""
    return f"{value:,.{min(places, 6)}f}"


@_function
def money(amount_minor: int, decimals: int = 2) -> str:
    """Minor units as people write them: 888000 is 8,880.00."""
    return f"{amount_minor / 10**decimals:,.{decimals}f}"


# -- texts -------------------------------------------------------------------------------------------------------------


@_function
def str_(value: Any) -> str:
    """As text."""
    return value.isoformat() if isinstance(value, (dt.date, dt.time)) else str(value)


@_function
def join(values: list[str], glue: str = "") -> str:
    """One text out of several."""
    return glue.join(str_(value) for value in values)


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
    if len(new) > 100:
        raise ExpressionError("a replacement has at most 100 characters")
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
    return f"{value:0{min(width, 12)}d}"


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
        raise Missing(f"{str(value)[:40]!r} is no date") from None


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
        raise Missing(f"{str(value)[:40]!r} is no time of day") from None


@_function
def instant(value: Any) -> dt.datetime:
    """An instant out of an ISO 8601 text with an offset; missing evidence where it is none."""
    if isinstance(value, dt.datetime):
        return value
    try:
        parsed = dt.datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise Missing(f"{str(value)[:40]!r} is no instant") from None
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
    return sum(day.weekday() < 5 for day in dates(start, end)[1:])


@_function
def after_workdays(start: Any, count: int) -> dt.date:
    """The date a number of working days later."""
    day: dt.date = date(start)
    for _ in range(min(count, 1000)):
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
    return [later - earlier for earlier, later in zip(ordered, ordered[1:], strict=False)]


@_function
def strf(value: Any, form: str) -> str:
    """A date or instant in words: %d %m %Y %y %a %A %b %B %H %M %j, and %-d, %-m without a leading zero."""
    if isinstance(value, str):
        value = instant(value) if "T" in value else date(value)
    if not isinstance(value, (dt.date, dt.time)):
        raise ExpressionError(f"a {type(value).__name__} is no date or time")
    form = form.replace("%-d", str(getattr(value, "day", ""))).replace("%-m", str(getattr(value, "month", "")))
    return value.strftime(form)


# -- wording -----------------------------------------------------------------------------------------------------------

for _name in ("words", "amounts", "names", "names_any", "names_date", "names_amount", "names_time", "says"):
    FUNCTIONS[_name] = getattr(wording, _name)
