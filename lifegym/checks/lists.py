"""Functions over lists and mappings."""

from __future__ import annotations

import datetime as dt
from typing import Any

from lifegym.checks.budget import CONTAINERS, ExpressionError, Missing, spend
from lifegym.checks.functions import function
from lifegym.checks.operations import bounded, comparable, equal, field, number

_RANGE_LIMIT = 10_000


@function
def one(values: list[Any]) -> Any:
    """The only value of a list; evidence is missing where there is none or more than one."""
    if len(values) != 1:
        raise Missing(f"there are {len(values)} where there should be one")
    return values[0]


@function
def first(values: list[Any], default: Any = None) -> Any:
    """The first value; the default, or missing evidence, where there is none."""
    if values:
        return values[0]
    if default is None:
        raise Missing("there is none")
    return default


@function
def last(values: list[Any], default: Any = None) -> Any:
    """The last value; the default, or missing evidence, where there is none."""
    return first(values[-1:], default)


@function
def len_(values: Any) -> int:
    """How many."""
    if not isinstance(values, (list, tuple, dict, str, range)):
        raise ExpressionError(f"a {type(values).__name__} has no length")
    return len(values)


@function
def sum_(values: list[Any]) -> Any:
    """The sum of numbers; 0 for none."""
    _none_missing(values)
    return bounded(sum(values))


@function
def min_(values: Any, *more: Any) -> Any:
    """The smallest of a list, or of several values; missing evidence where there is none."""
    return min(_some([values, *more] if more else values))


@function
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


@function
def any_(values: list[Any]) -> bool:
    """Whether some value holds."""
    return any(values)


@function
def all_(values: list[Any]) -> bool:
    """Whether every value holds."""
    return all(values)


@function
def sorted_(values: list[Any], by: str | None = None, down: bool = False) -> list[Any]:
    """In order, by a field where one is named."""
    keys = values if by is None else [field(value, by) for value in values]
    _none_missing(keys)
    comparable(*keys, times=len(values).bit_length())
    order = sorted(range(len(values)), key=keys.__getitem__, reverse=down)
    return [values[place] for place in order]


@function
def unique(values: list[Any]) -> list[Any]:
    """Each value once, in order."""
    comparable(*values)
    try:
        return list(dict.fromkeys(values))
    except TypeError:  # lists and mappings have no hash
        found: list[Any] = []
        for value in values:
            spend(len(found) + 1)
            if not any(equal(value, other) for other in found):
                found.append(value)
        return found


@function
def zip_(*lists: list[Any]) -> list[list[Any]]:
    """Pairs, triples, ... of values at the same place."""
    return [list(group) for group in zip(*lists, strict=False)]


@function
def enumerate_(values: list[Any], start: int = 0) -> list[list[Any]]:
    """Pairs of place and value."""
    return [[place, value] for place, value in enumerate(values, start)]


@function
def range_(start: int, stop: int | None = None, step: int = 1) -> list[int]:
    """Whole numbers from a start to before a stop."""
    numbers = range(0, start, step) if stop is None else range(start, stop, step)
    if len(numbers) > _RANGE_LIMIT:
        raise ExpressionError(f"a range has at most {_RANGE_LIMIT} numbers")
    return list(numbers)


@function
def totals(rows: list[Any], by: str, of: str) -> dict[Any, Any]:
    """The sums of one field of rows for each value of another; dates are named by their texts."""
    spend(len(rows))
    found: dict[Any, Any] = {}
    for row in rows:
        key = _key(row, by)
        amount = field(row, of)
        if not number(amount):
            raise Missing(f"{of} is no number")
        found[key] = bounded(found.get(key, 0) + amount)
    return found


@function
def group(rows: list[Any], by: str) -> dict[Any, list[Any]]:
    """The rows for each value of one of their fields; dates are named by their texts."""
    spend(len(rows))
    found: dict[Any, list[Any]] = {}
    for row in rows:
        found.setdefault(_key(row, by), []).append(row)
    return found


def _key(row: Any, by: str) -> Any:
    """What a row is grouped by; a date as its text, as in JSON."""
    key = field(row, by)
    if isinstance(key, dt.date):
        return key.isoformat()
    if not isinstance(key, (str, int, type(None))):
        raise ExpressionError(f"rows cannot be grouped by {type(key).__name__}")
    return key


@function
def flat(values: list[Any]) -> list[Any]:
    """The values of lists in a list."""
    for value in values:
        if not isinstance(value, (list, tuple)):
            raise ExpressionError(f"flat takes lists in a list, not {type(value).__name__}")
        spend(len(value))
    return [item for value in values for item in value]


@function
def keys(value: dict[str, Any]) -> list[Any]:
    """The names of a mapping, in its order."""
    return list(_mapping(value))


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ExpressionError(f"a {type(value).__name__} is no mapping")
    return value


@function
def items(value: dict[str, Any]) -> list[list[Any]]:
    """Pairs of name and value."""
    return [[key, item] for key, item in _mapping(value).items()]


@function
def get(value: dict[str, Any], key: Any, default: Any = None) -> Any:
    """The value under a name, or a default."""
    if type(key) in CONTAINERS:
        comparable(key)
    return _mapping(value).get(key, default)


@function
def merge(*values: dict[str, Any]) -> dict[str, Any]:
    """One mapping out of several; later ones win."""
    merged: dict[str, Any] = {}
    for value in values:
        merged.update(_mapping(value))
    return merged


@function
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
