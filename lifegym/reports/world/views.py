"""How a service's page is put together: lists of the person's things, what opens, and the inventory behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Item, Note, Part, Row
from lifegym.reports.world.records import facts, record, table, table_of

__all__ = ["Listed", "Opened", "Stock", "View", "stem", "stock"]

Opener = Callable[[Look, str], list[Part]]


@dataclass(frozen=True)
class Opened:
    """What opens by one call: everything that a tool tells of a thing.

    Attributes:
        tool: Which.
        argument: The parameter that takes the thing's id.
        skip: Fields to leave out.
    """

    tool: str
    argument: str
    skip: tuple[str, ...] = ()
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, look: Look, key: str) -> list[Part]:
        found = look.read(self.tool, **{self.argument: key, **self.arguments})
        if found is None:
            return [Note(f"{self.tool} shows nothing of {key}.", "warn")]
        return record(found, look.zone, skip=self.skip)


@dataclass(frozen=True)
class Listed:
    """A list that one tool gives.

    Attributes:
        title: Above it.
        tool: Which tool.
        rows: The field of its result that holds the rows.
        columns: Fields to show; those that fit if empty.
        item: Kind of the item that a row opens; "" opens nothing.
        key: The field with the item's id.
        heading: For cards, the field with the card's name; "" shows a table.
        subtitle: For cards, fields below the name.
        figure: For cards, the field with the sum.
        arguments: Of the call.
        empty: What is said where the list is empty; "" leaves the list out.
    """

    title: str
    tool: str
    rows: str
    columns: tuple[str, ...] = ()
    item: str = ""
    key: str = ""
    heading: str = ""
    subtitle: tuple[str, ...] = ()
    figure: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    empty: str = "None."

    def __call__(self, look: Look) -> list[Part]:
        found = look.rows(self.tool, self.rows, **self.arguments)
        if not found.rows:
            return [Cards((), self.title, self.empty)] if self.empty else []
        service = self.tool.partition(".")[0]
        items = [Item(service, self.item, str(row[self.key])) if self.item else None for row in found.rows]
        if not self.heading:
            return [table(found.rows, look.zone, self.title, self.columns, items, found.note)]
        cards = [self._card(row, item, look.zone) for row, item in zip(found.rows, items, strict=True)]
        return [Cards(tuple(cards), self.title, found.note)]

    def _card(self, row: dict[str, Any], item: Item | None, zone: str) -> Card:
        told = {self.heading, *self.subtitle, self.figure, "status", "currency"}
        names = [name for name in self.columns or row if name not in told]
        below = " · ".join(fields.cell(name, row[name], row, zone).text for name in self.subtitle if row.get(name))
        return Card(
            title=fields.cell(self.heading, row[self.heading], row, zone).text,
            subtitle=below,
            status=fields.status(row["status"]) if row.get("status") else None,
            figure=fields.cell(self.figure, row.get(self.figure), row, zone).text if self.figure else "",
            facts=facts(row, zone, names),
            item=item,
        )


@dataclass(frozen=True)
class Stock:
    """What a service has to offer, asked for one by one. A person finds these by search; a page lists them all.

    Attributes:
        title: Above it.
        table: The records whose names are asked for.
        tool: What is asked.
        names: The records' fields that the tool is asked with; the key alone if empty.
        columns: Fields of the result to show; the rest is folded in below each row.
        arguments: Parameters that are the same for all.
        parameter: What the tool calls the key, where that is not its name in the records.
        order: Field by which the rows are sorted; "" keeps the records' order.
    """

    title: str
    table: str
    tool: str
    columns: tuple[str, ...]
    names: tuple[str, ...] = ()
    parameter: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    order: str = ""

    def __call__(self, look: Look) -> list[Part]:
        found = []
        for names in look.keys(self.table, *self.names):
            if self.parameter:
                names = {self.parameter: next(iter(names.values()))}
            result = look.read(self.tool, **names, **self.arguments)
            if result is not None:
                found.append(result)
        if self.order:
            found.sort(key=lambda row: str(row.get(self.order)))
        return stock(found, look.zone, self.title, self.columns)


def stock(rows: Sequence[Mapping[str, Any]], zone: str, title: str, columns: Sequence[str]) -> list[Part]:
    """Records with some fields as columns, and the others folded in below each."""
    if not rows:
        return []
    lines = [
        Row(
            tuple(fields.cell(name, row.get(name), row, zone) for name in columns),
            tuple(record(row, zone, skip=[*columns, "currency"])),
        )
        for row in rows
    ]
    shown = [place for place in range(len(columns)) if any(line.cells[place].text != "–" for line in lines)]
    cut = [line._replace(cells=tuple(line.cells[place] for place in shown)) for line in lines]
    return [table_of([fields.label(columns[place]) for place in shown], cut, title, f"{len(rows)} in all.")]


@dataclass(frozen=True)
class View:
    """A service's page.

    Attributes:
        parts: What is read when the page is opened.
        items: What opens on it, by kind.
        hint: What the page does not list, and how a person finds it.
        names: Fields that hold an item's id where they are not called after its kind, with that kind.
    """

    parts: tuple[Callable[[Look], list[Part]], ...]
    items: Mapping[str, Opener] = field(default_factory=dict)
    hint: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    def page(self, look: Look) -> list[Part]:
        """The page's parts. Only what is read here counts as looked at."""
        return [part for make in self.parts for part in make(look)]

    def open(self, look: Look, item: Item) -> list[Part]:
        """What is in an item.

        Raises:
            KeyError: The page has no such kind of item.
        """
        return self.items[item.kind](look, item.key)

    def item_of(self, service: str, row: Mapping[str, Any]) -> Item | None:
        """What opens a record that some tool gave, by the first of its ids (``hotel_id`` opens a hotel), or None."""
        for name, value in row.items():
            kind = row.get("object", "") if name == "id" else self.names.get(name, stem(name))
            if kind:
                item = Item(service, kind, str(value), f"Open the {kind.replace('_', ' ')}")
                return item if kind in self.items else None
        return None


def stem(field: str) -> str:
    """What a field with an id names: ``hotel_id`` a ``hotel``; "" for other fields."""
    return next((field.removesuffix(end) for end in ("_id", "_ref") if field.endswith(end)), "")
