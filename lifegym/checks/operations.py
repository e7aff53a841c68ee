"""What an expression can do to values: read fields, reckon, compare. Everything that could be abused is bounded here.

A text compared with a date, a time or an instant is read as one, so that records (which hold ISO texts) and computed
values meet.
"""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable
from typing import Any

from lifegym.checks.budget import CONTAINERS, ExpressionError, Missing, NoSuchField, shown, spend, weight
from lifegym.world.clock import weekday
from lifegym.world.frozen import FrozenDict, FrozenList

__all__ = ["MOMENT_LIMIT", "OPERATIONS", "bounded", "comparable", "equal", "field", "fits", "number"]

_TEXT_LIMIT, _LIST_LIMIT, _INT_LIMIT = 400_000, 50_000, 1 << 100
_LONG = 1024
_FROZEN = frozenset({FrozenDict, FrozenList})
MOMENT_LIMIT = 40
"""Characters that the text of a time or an instant may have: Python reads any number of digits of a second."""

_INSTANT_FIELDS: dict[type, dict[str, Callable[[Any], Any]]] = {
    dt.datetime: {
        "date": lambda v: v.date(),
        "time": lambda v: v.time(),
        "weekday": lambda v: weekday(v)[:3],
        "iso": lambda v: v.isoformat(),
        **{name: operator.attrgetter(name) for name in ("year", "month", "day", "hour", "minute", "second")},
    },
    dt.date: {
        "weekday": lambda v: weekday(v)[:3],
        "iso": lambda v: v.isoformat(),
        **{name: operator.attrgetter(name) for name in ("year", "month", "day")},
    },
    dt.time: {name: operator.attrgetter(name) for name in ("hour", "minute", "second")},
    dt.timedelta: {
        "days": lambda v: v / dt.timedelta(days=1),
        "hours": lambda v: v / dt.timedelta(hours=1),
        "minutes": lambda v: v / dt.timedelta(minutes=1),
        "seconds": lambda v: v / dt.timedelta(seconds=1),
    },
}


def field(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        try:
            return value[name]
        except KeyError:
            known = ", ".join(sorted(str(key) for key in value)[:20])
            raise NoSuchField(f"there is no field {shown(name)}; there are: {known}") from None
    kind = type(value)
    readers = _INSTANT_FIELDS.get(kind)
    if readers is not None and name in readers:
        return readers[name](value)
    if name in getattr(kind, "readable_fields", ()):
        return getattr(value, name)
    if value is None:
        raise NoSuchField(f"there is no value to read {shown(name)} from")
    raise NoSuchField(f"a {kind.__name__} has no field {shown(name)}")


def _item(value: Any, index: Any) -> Any:
    try:
        if isinstance(value, (dict, list, tuple, str)):
            return value[index]
    except (KeyError, IndexError):
        raise Missing(f"there is no item {shown(index)}") from None
    except TypeError as error:
        raise ExpressionError(f"cannot take item {shown(index)}: {error}") from None
    raise ExpressionError(f"a {type(value).__name__} has no items")


def _key(value: Any) -> Any:
    """A key of a mapping. Frozen lists and mappings have a hash, but it takes as long as they are."""
    if type(value) in _FROZEN:
        raise ExpressionError(f"a {type(value).__name__} cannot be a key")
    return value


def _slice(value: Any, start: Any, stop: Any) -> Any:
    if not isinstance(value, (list, tuple, str)):
        raise ExpressionError(f"a {type(value).__name__} cannot be cut")
    part = value[start:stop]
    spend(len(part) >> 6 if isinstance(part, str) else len(part))
    return part


_TIMES = (dt.date, dt.time, dt.timedelta)
_CLOCK = (dt.date, dt.time)
_SUMS = frozenset({int, float, str})


def number(value: Any) -> bool:
    return type(value) in (int, float)


def bounded(value: Any) -> Any:
    if isinstance(value, str):
        if len(value) > _TEXT_LIMIT:
            raise ExpressionError("a text is too long")
    elif isinstance(value, int):
        if not -_INT_LIMIT < value < _INT_LIMIT:
            raise ExpressionError("a number is too large")
    elif isinstance(value, list) and len(value) > _LIST_LIMIT:
        raise ExpressionError("a list is too long")
    return value


def _present(*values: Any) -> None:
    """An optional cell that is empty is evidence that is missing, no defect of the bundle."""
    if any(value is None for value in values):
        raise Missing("there is no value to calculate with")


def _same_awareness(a: Any, b: Any) -> None:
    """An instant without an offset comes from what an agent wrote: it cannot be placed in time."""
    if (
        isinstance(a, (dt.datetime, dt.time))
        and isinstance(b, (dt.datetime, dt.time))
        and (a.tzinfo is None) != (b.tzinfo is None)
    ):
        raise Missing(f"{(a if a.tzinfo is None else b).isoformat()} has no offset")


def _add(a: Any, b: Any) -> Any:
    kind = type(a)
    if kind is type(b) and kind in _SUMS:
        if kind is str and (length := len(a) + len(b)) > 63:
            spend(length >> 6)
        return bounded(a + b)
    if (
        (number(a) and number(b))
        or (isinstance(a, str) and isinstance(b, str))
        or (isinstance(a, list) and isinstance(b, list))
        or (isinstance(a, _TIMES) and isinstance(b, _TIMES))
    ):
        if isinstance(a, list):
            spend(len(a) + len(b))
            return bounded([*a, *b])
        if isinstance(a, str):
            spend((len(a) + len(b)) >> 6)
        return bounded(a + b)
    _present(a, b)
    raise ExpressionError(f"cannot add {type(a).__name__} and {type(b).__name__}")


def _subtract(a: Any, b: Any) -> Any:
    if (number(a) and number(b)) or (isinstance(a, _TIMES) and isinstance(b, _TIMES)):
        _same_awareness(a, b)
        return bounded(a - b)
    if isinstance(a, (str, dt.date)) and isinstance(b, (str, dt.date)):
        left, right = _aligned(a, b)
        if not isinstance(left, str):
            _present(left, right)
            _same_awareness(left, right)
            return left - right
    _present(a, b)
    raise ExpressionError(f"cannot subtract {type(b).__name__} from {type(a).__name__}")


def _multiply(a: Any, b: Any) -> Any:
    if (number(a) or isinstance(a, dt.timedelta)) and (number(b) or isinstance(b, dt.timedelta)):
        return bounded(a * b)
    _present(a, b)
    raise ExpressionError(f"cannot multiply {type(a).__name__} and {type(b).__name__}")


def _divided(name: str, divide: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(a: Any, b: Any) -> Any:
        if not ((number(a) and number(b)) or (isinstance(a, dt.timedelta) and number(b)) or (
            isinstance(a, dt.timedelta) and isinstance(b, dt.timedelta))):  # fmt: skip
            _present(a, b)
            raise ExpressionError(f"cannot {name} {type(a).__name__} by {type(b).__name__}")
        try:
            return divide(a, b)
        except ZeroDivisionError:
            raise ExpressionError("division by zero") from None

    return operate


def _negative(a: Any) -> Any:
    if number(a) or isinstance(a, dt.timedelta):
        return bounded(-a)
    _present(a)
    raise ExpressionError(f"cannot negate {type(a).__name__}")


def _read_time(text: str, like: Any) -> Any:
    if len(text) > MOMENT_LIMIT and isinstance(like, (dt.datetime, dt.time)):
        return None
    try:
        if isinstance(like, dt.datetime):
            value = dt.datetime.fromisoformat(text)
            return value if value.tzinfo or not like.tzinfo else value.replace(tzinfo=like.tzinfo)
        if isinstance(like, dt.time):
            return dt.time.fromisoformat(text)
        return dt.date.fromisoformat(text[:10])
    except ValueError:
        return None


def _aligned(a: Any, b: Any) -> tuple[Any, Any]:
    """Both values, a text beside a date, time or instant read as one (None where it is none)."""
    if isinstance(a, str):
        return (_read_time(a, b), b) if isinstance(b, _CLOCK) else (a, b)
    if isinstance(b, str) and isinstance(a, _CLOCK):
        return a, _read_time(b, a)
    return a, b


def equal(a: Any, b: Any) -> bool:
    kind = type(a)
    if kind is type(b):
        if kind is str:
            if len(a) > _LONG:
                spend(len(a) >> 6)
        elif kind in CONTAINERS:
            spend(weight(a) + weight(b))
        return a == b  # type: ignore[no-any-return]
    if kind in CONTAINERS and type(b) in CONTAINERS:
        spend(weight(a) + weight(b))
    a, b = _aligned(a, b)
    return a == b  # type: ignore[no-any-return]


def equal_short(a: Any, b: Any) -> bool:
    """As ``equal`` where one side is a constant, so that the comparison is cheap whatever the other is."""
    return a == b if type(a) is type(b) else equal(a, b)


def comparable(*values: Any, times: int = 1) -> None:
    """Spend what it takes to compare these values, each so many times."""
    for value in values:
        kind = type(value)
        if kind in CONTAINERS or (kind is str and len(value) > _LONG):
            spend(weight(value) * times)


def _ordered(compare: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def operate(a: Any, b: Any) -> bool:
        kind = type(a)
        if kind is not type(b):
            a, b = _aligned(a, b)
        if a is None or b is None:
            raise Missing("there is no value to compare")
        if kind is str or kind in CONTAINERS:
            comparable(a, b)
        try:
            return bool(compare(a, b))
        except TypeError:
            _same_awareness(a, b)
            raise ExpressionError(f"cannot compare {type(a).__name__} with {type(b).__name__}") from None

    return operate


def _contains(values: Any, value: Any) -> bool:
    if isinstance(values, str):
        if not isinstance(value, str):
            raise ExpressionError(f"a text cannot contain {type(value).__name__}")
        spend(len(values) >> 6)
        return value in values
    if isinstance(values, dict):
        comparable(value)
        return value in values
    if isinstance(values, (list, tuple)):
        spend(len(values))
        kind = type(value)
        if kind is str and len(value) > _LONG:
            spend(len(values) * (len(value) >> 6))
        for other in values:  # noqa: SIM110 - a generator costs more than the comparisons
            if (other == value) if type(other) is kind and kind is str else equal(value, other):
                return True
        return False
    raise ExpressionError(f"cannot look for a value in {type(values).__name__}")


OPERATIONS: dict[str, Callable[..., Any]] = {
    "_field": field,
    "_item": _item,
    "_key": _key,
    "_slice": _slice,
    "_add": _add,
    "_subtract": _subtract,
    "_multiply": _multiply,
    "_divide": _divided("divide", operator.truediv),
    "_floor": _divided("divide", operator.floordiv),
    "_modulo": _divided("divide", operator.mod),
    "_negative": _negative,
    "_equal": equal,
    "_equal_short": equal_short,
    "_unequal": lambda a, b: not equal(a, b),
    "_less": _ordered(operator.lt),
    "_less_equal": _ordered(operator.le),
    "_greater": _ordered(operator.gt),
    "_greater_equal": _ordered(operator.ge),
    "_in": lambda a, b: _contains(b, a),
    "_not_in": lambda a, b: not _contains(b, a),
}


def fits(length: int) -> bool:
    if length > _TEXT_LIMIT:
        raise ExpressionError("a text is too long")
    return True
