"""What a page says, read as people read it: sections and their lines, rows and their values. For checks and tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lifegym.services.notion.blocks import text_of
from lifegym.services.notion.properties import read
from lifegym.world.record import Record

if TYPE_CHECKING:
    from lifegym.services.notion.tree import NotionTree

__all__ = ["find_page", "row_values", "sections"]

_LEVELS = {"heading_1": 1, "heading_2": 2, "heading_3": 3}
_TOGGLE = 9
Open = list[tuple[int, str]]


def find_page(service: NotionTree, title: str) -> Record | None:
    """The first page (or row) of a title, whatever its case and accents; None if it is missing or in the trash."""
    return service.titled("pages", title)


def row_values(service: NotionTree, page_id: str) -> dict[str, Any]:
    """The values of a database's row by property name: text, number, bool, list, date; None where empty."""
    page = service.find("pages", page_id)
    database = service.find("databases", page["parent_id"]) if page else None
    if page is None or database is None:
        return {}
    return {name: read(page, spec) for name, spec in database["properties"].items()}


def sections(service: NotionTree, page_id: str) -> dict[str, list[str]]:
    """The lines of a page by section title, in order; lines before any section under ``""``.

    A section is what stands below a heading up to the next heading of its rank or higher (what is below a lesser
    heading belongs to both, and that heading is a line of the greater one), what is inside a toggle, or a page or
    database in this page. A title loses a colon at its end; sections of the same title are one. Text that is struck
    out stands between ``~~``. A block of several lines gives several, a table's row gives ``a | b``.
    """
    found: dict[str, list[str]] = {}
    page = service.find("pages", page_id)
    if page is not None:
        _walk(service, page, found, [], 0)
    return found


def _walk(service: NotionTree, row: Mapping[str, Any], found: dict[str, list[str]], opened: Open, base: int) -> None:
    """Add what is in a page or block; sections before ``base`` were opened outside and stay open."""
    for kind, child in service.listed(row):
        if kind != "blocks":
            lines = _rows_of(service, child) if kind == "databases" else _lines_below(service, child)
            found.setdefault(_title(child["title"]), []).extend(lines)
            continue
        lines = _lines(child)
        level = _LEVELS.get(child["type"])
        if level is not None:
            while len(opened) > base and opened[-1][0] >= level:
                opened.pop()
        if level is None and child["type"] != "toggle":
            _add(found, opened, lines)
            _walk(service, child, found, list(opened), len(opened))
            continue
        if opened:
            _add(found, opened, lines)
        title = _title(text_of(child))
        found.setdefault(title, [])
        if level is not None:
            opened.append((level, title))
        inner = opened if level is not None else [*opened, (_TOGGLE, title)]
        _walk(service, child, found, list(inner), len(inner))


def _add(found: dict[str, list[str]], opened: Open, lines: list[str]) -> None:
    if lines:
        for title in dict.fromkeys(title for _, title in opened) or [""]:
            found.setdefault(title, []).extend(lines)


def _title(text: str) -> str:
    return text.strip().removesuffix(":").rstrip()


def _lines(block: Mapping[str, Any]) -> list[str]:
    return [line.strip() for line in text_of(block, struck=True).splitlines() if line.strip()]


def _lines_below(service: NotionTree, page: Mapping[str, Any]) -> list[str]:
    return [line for block in service.blocks_below(page) for line in _lines(block)]


def _rows_of(service: NotionTree, database: Mapping[str, Any]) -> Iterator[str]:
    """A line for each row of a database: ``Title; Property: value``."""
    for _, page in service.listed(database):
        values = row_values(service, page["id"])
        others = [
            f"{name}: {', '.join(value) if isinstance(value, list) else value}"
            for name, value in values.items()
            if value not in (None, "", []) and database["properties"][name]["type"] != "title"
        ]
        yield "; ".join([page["title"], *others])
