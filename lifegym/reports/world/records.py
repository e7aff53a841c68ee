"""Any result as parts of a page: scalars become names and values, lists of records become tables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from lifegym.reports.world.fields import cell, is_empty, label
from lifegym.reports.world.parts import Cell, Facts, Item, Part, Row, Table, Text

__all__ = ["facts", "record", "table", "table_of"]

_LONG = 240
"""Characters from which a text gets a place of its own."""

_WIDEST = 9
"""Columns of a table that chooses them itself."""

_ASIDE = frozenset({"currency", "lat", "lng", "user_id", "zone"})
"""Fields that are no columns of their own."""


def facts(
    row: Mapping[str, Any], zone: str, names: Iterable[str] | None = None, skip: Collection[str] = ()
) -> tuple[tuple[str, Cell], ...]:
    """Names and values of a record's fields; those without a value are left out."""
    return tuple(
        (label(name), cell(name, row[name], row, zone))
        for name in (row if names is None else names)
        if name not in skip and not is_empty(row.get(name))
    )


Opens = Callable[[Mapping[str, Any]], Item | None]


def record(
    row: Mapping[str, Any], zone: str, title: str = "", skip: Collection[str] = (), opens: Opens | None = None
) -> list[Part]:
    """Everything in a record: short values, then long texts, then what is nested.

    Args:
        row: The record.
        zone: The person's time zone.
        title: Above it.
        skip: Fields to leave out.
        opens: What opens each record of a nested list.
    """
    short: list[tuple[str, Cell]] = []
    parts: list[Part] = []
    for name, value in row.items():
        if name in skip or is_empty(value):
            continue
        if isinstance(value, str) and (len(value) > _LONG or "\n" in value):
            parts.append(Text(value, label(name)))
        elif _is_records(value):
            items = [opens(part) for part in value] if opens else ()
            parts += [table(value, zone, label(name), items=items, outer=row)]
        elif isinstance(value, Mapping) and not _is_flat(value):
            inner = {**_inherited(row), **value}
            parts += record(inner, zone, label(name), () if "currency" in value else ("currency",), opens)
        else:
            short.append((label(name), cell(name, value, row, zone)))
    return [*([Facts(tuple(short), title)] if short else []), *parts]


def table(
    rows: Sequence[Mapping[str, Any]],
    zone: str,
    title: str = "",
    columns: Sequence[str] = (),
    items: Sequence[Item | None] = (),
    note: str = "",
    outer: Mapping[str, Any] | None = None,
) -> Table:
    """Records as a table.

    Args:
        rows: The records.
        zone: The person's time zone.
        title: Above it.
        columns: Fields to show, in this order; those that are empty in every row are left out. By default the fields
            that fit, and the others are folded in below each row.
        items: What each row opens.
        note: Below the title.
        outer: The record that these are part of, for its currency.
    """
    full = [{**_inherited(outer or {}), **row} for row in rows]
    filled = dict.fromkeys(name for row in rows for name, value in row.items() if not is_empty(value))
    chosen = [name for name in columns if name in filled]
    if not columns:
        chosen = _chosen([name for name in filled if not any(_is_big(row.get(name)) for row in rows)])
    rest = [name for name in filled if name not in chosen and name != "currency"] if not columns else []
    lines = []
    for place, row in enumerate(full):
        cells = tuple(cell(name, row.get(name), row, zone) for name in chosen)
        more = record({name: row[name] for name in rest if name in row} | _inherited(row), zone, skip=("currency",))
        lines.append(Row(cells, tuple(more), items[place] if items else None))
    return table_of([label(name) for name in chosen], lines, title, note)


def _chosen(names: list[str]) -> list[str]:
    """The fields that become columns: the first ones, but money and states before others where not all fit."""
    fit = [name for name in names if name not in _ASIDE]
    telling = [name for name in fit if name.endswith("_minor") or name == "status"]
    others = [name for name in fit if name not in telling][: max(_WIDEST - len(telling), 4)]
    return [name for name in fit if name in telling or name in others][:_WIDEST]


def table_of(columns: Sequence[str], rows: Sequence[Row], title: str = "", note: str = "") -> Table:
    """A table of rows that are made; columns of numbers are right-aligned."""
    numbers = tuple(
        place
        for place in range(len(columns))
        if any(row.cells[place].kind == "number" for row in rows)
        and all(row.cells[place].kind == "number" or row.cells[place].text == "–" for row in rows)
    )
    return Table(tuple(columns), tuple(rows), title, note, numbers)


def _inherited(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"currency": row["currency"]} if row.get("currency") else {}


def _is_records(value: Any) -> bool:
    return (
        isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(part, Mapping) for part in value)
    )


def _is_flat(value: Mapping[str, Any]) -> bool:
    return len(value) <= 7 and not any(_is_big(part) or isinstance(part, Mapping) for part in value.values())


def _is_big(value: Any) -> bool:
    """Whether a value is too much for a cell."""
    if isinstance(value, str):
        return len(value) > _LONG or "\n" in value
    return isinstance(value, (Mapping, Sequence)) and (_is_records(value) or len(value) > 8) and bool(value)
