"""Filters and sorts of a database query."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from typing import Any

from dateutil.relativedelta import relativedelta

from lifegym.services.notion.properties import TEXTS, TIMES, read
from lifegym.services.search import fold
from lifegym.services.tools import ToolError
from lifegym.world import clock

__all__ = ["Row", "Test", "predicate", "sort_rows"]

Row = Mapping[str, Any]
Test = Callable[[Row], bool]
DEPTH = 4
_FORM = '{"property": "Status", "select": {"equals": "Open"}}, or {"and": [...]}, or {"or": [...]}'
_EMPTY = ("is_empty", "is_not_empty")
_TEXT: dict[str, Callable[[str, str], bool]] = {
    "equals": lambda have, want: have == want,
    "does_not_equal": lambda have, want: have != want,
    "contains": lambda have, want: want in have,
    "does_not_contain": lambda have, want: want not in have,
    "starts_with": lambda have, want: have.startswith(want),
    "ends_with": lambda have, want: have.endswith(want),
}
_NUMBER: dict[str, Callable[[Any, Any], bool]] = {
    "equals": lambda have, want: have == want,
    "does_not_equal": lambda have, want: have != want,
    "greater_than": lambda have, want: have is not None and have > want,
    "less_than": lambda have, want: have is not None and have < want,
    "greater_than_or_equal_to": lambda have, want: have is not None and have >= want,
    "less_than_or_equal_to": lambda have, want: have is not None and have <= want,
}
_SAME = ("equals", "does_not_equal")
_LIST = ("contains", "does_not_contain")
_DATE = ("equals", "before", "after", "on_or_before", "on_or_after")
_NEAR: dict[str, tuple[relativedelta, relativedelta]] = {
    "past_week": (relativedelta(weeks=-1), relativedelta()),
    "past_month": (relativedelta(months=-1), relativedelta()),
    "past_year": (relativedelta(years=-1), relativedelta()),
    "next_week": (relativedelta(), relativedelta(weeks=1)),
    "next_month": (relativedelta(), relativedelta(months=1)),
    "next_year": (relativedelta(), relativedelta(years=1)),
    "this_week": (relativedelta(weekday=0, days=-6), relativedelta(weekday=6)),
}


def predicate(given: Any, schema: Mapping[str, Any], today: dt.date, zone: str, depth: int = 1) -> Test:
    """What a filter asks of a row.

    Raises:
        ToolError: ``bad_filter``, saying what is expected.
    """
    if not isinstance(given, dict) or depth > DEPTH:
        raise ToolError("bad_filter", f"a filter is {_FORM}, nested at most {DEPTH} deep")
    for name, every in (("and", True), ("or", False)):
        if name in given:
            parts = given[name]
            if not isinstance(parts, list) or len(parts) > 50:
                raise ToolError("bad_filter", f"'{name}' holds a list of filters: {_FORM}")
            return _compound([predicate(part, schema, today, zone, depth + 1) for part in parts], every)
    spec = _spec(given, schema)
    kind = spec["type"]
    accepted = [kind, *(("rich_text", "text", "title") if kind in TEXTS else ()), *(("date",) if kind in TIMES else ())]
    condition = next((given[name] for name in accepted if isinstance(given.get(name), dict)), None)
    if condition is None or len(condition) != 1:
        raise ToolError(
            "bad_filter",
            f'{spec["name"]!r} is a {kind}: {{"property": ..., "{kind}": {{"{_operators(kind)[0]}": ...}}}}',
        )
    [(operator, want)] = condition.items()
    if operator not in _operators(kind):
        raise ToolError("bad_filter", f"a {kind} can be tested by {', '.join(_operators(kind))}, not {operator[:40]!r}")
    return _condition(spec, operator, want, today, zone)


def _compound(tests: list[Test], every: bool) -> Test:
    if every:
        return lambda row: all(test(row) for test in tests)
    return lambda row: any(test(row) for test in tests)


def _spec(given: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The property that a filter or sort names."""
    stamp = given.get("timestamp")
    if stamp in TIMES:
        return {"name": stamp, "type": stamp}
    name = given.get("property")
    for spec in schema.values():
        if name in (spec["name"], spec["id"]):
            found: Mapping[str, Any] = spec
            return found
    raise ToolError("bad_filter", f"there is no property {str(name)[:60]!r}; there are: {', '.join(schema)}")


def _operators(kind: str) -> list[str]:
    if kind in TEXTS:
        return [*_TEXT, *_EMPTY]
    if kind == "number":
        return [*_NUMBER, *_EMPTY]
    if kind == "checkbox":
        return [*_SAME]
    if kind in ("select", "status"):
        return [*_SAME, *_EMPTY]
    if kind in ("multi_select", "people"):
        return [*_LIST, *_EMPTY]
    return [*_DATE, *_NEAR, *_EMPTY]


def _condition(spec: Mapping[str, Any], operator: str, want: Any, today: dt.date, zone: str) -> Test:
    kind = spec["type"]
    if operator in _EMPTY:
        wanted = operator == "is_empty"
        return lambda row: (read(row, spec) in (None, "", [])) is wanted
    if operator in _NEAR:
        first, last = (today + step for step in _NEAR[operator])
        return lambda row: (have := read(row, spec)) is not None and first <= _day(have, zone) <= last
    if kind == "number":
        if type(want) not in (int, float):
            raise ToolError("bad_filter", f"{spec['name']!r} is compared with a number")
        return lambda row: _NUMBER[operator](read(row, spec), want)
    if kind == "checkbox":
        if type(want) is not bool:
            raise ToolError("bad_filter", f"{spec['name']!r} is compared with true or false")
        return lambda row: (read(row, spec) is want) is (operator == "equals")
    if not isinstance(want, str):
        raise ToolError("bad_filter", f"{spec['name']!r} is compared with a text")
    if kind == "date" or kind in TIMES:
        return _date_condition(spec, operator, want, zone)
    text = fold(want)
    if kind in TEXTS:
        return lambda row: _TEXT[operator](fold(read(row, spec) or ""), text)
    if kind in ("select", "status"):
        return lambda row: (fold(read(row, spec) or "") == text) is (operator == "equals")
    return lambda row: (text in [fold(item) for item in read(row, spec)]) is (operator == "contains")


def _date_condition(spec: Mapping[str, Any], operator: str, want: str, zone: str) -> Test:
    """A comparison with a date (its whole day) or with a moment."""
    try:
        first = clock.parse_instant(want, zone)
        last = first
        if len(want.strip()) == 10:
            last = clock.day_start(_day(want, zone) + dt.timedelta(days=1), zone) - 1
    except (ValueError, OverflowError, OSError):
        raise ToolError("bad_filter", f"{spec['name']!r} is compared with a date such as 2026-04-23") from None

    def test(row: Row) -> bool:
        value = read(row, spec)
        if value is None:
            return False
        have = clock.parse_instant(value, zone)
        if operator == "equals":
            return first <= have <= last
        if operator in ("before", "on_or_after"):
            return (have < first) is (operator == "before")
        return (have > last) is (operator == "after")

    return test


def _day(text: str, zone: str) -> dt.date:
    return clock.parse_day(text) if len(text) == 10 else clock.local(clock.parse_instant(text, zone), zone).date()


def sort_rows(rows: list[Any], sorts: list[dict[str, Any]], schema: Mapping[str, Any], zone: str) -> list[Any]:
    """Rows in the order of some sorts, the first of which counts most; empty values come last.

    Raises:
        ToolError: ``bad_filter`` for an unknown property, ``bad_sort`` for another form.
    """
    for given in reversed(sorts):
        direction = given.get("direction", "ascending")
        if direction not in ("ascending", "descending") or not ("property" in given or given.get("timestamp") in TIMES):
            raise ToolError(
                "bad_sort",
                'a sort is {"property": "Name", "direction": "ascending"} or {"timestamp": "created_time"}',
            )
        spec = _spec(given, schema)
        values = [(_key(read(row, spec), spec["type"], zone), row) for row in rows]
        filled = [pair for pair in values if pair[0] is not None]
        filled.sort(key=lambda pair: pair[0], reverse=direction == "descending")
        rows = [row for _, row in filled] + [row for key, row in values if key is None]
    return rows


def _key(value: Any, kind: str, zone: str) -> Any:
    if value in (None, "", []):
        return None
    if kind == "date" or kind in TIMES:
        return clock.parse_instant(value, zone)
    if isinstance(value, list):
        return [fold(item) for item in value]
    return fold(value) if isinstance(value, str) else value
