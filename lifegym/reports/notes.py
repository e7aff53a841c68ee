"""Pages of the notes as text, so that their versions can be compared like those of a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lifegym.reports.changes import Change
from lifegym.services.notion.blocks import text_of
from lifegym.services.notion.outline import row_values
from lifegym.world.world import World

__all__ = ["page_text", "pages_of"]

_SIGNS = {
    "heading_1": "# ", "heading_2": "## ", "heading_3": "### ", "bulleted_list_item": "- ", "numbered_list_item": "1. ",
    "toggle": "> ", "quote": "| ", "divider": "----",
}  # fmt: skip


def pages_of(changes: Iterable[Change]) -> list[str]:
    """The pages whose text may be another after some changes: a page notes when something in it is edited."""
    return [change.id for change in changes if change.table == "notion.pages"]


def page_text(world: World, id: str) -> tuple[str, str] | None:
    """Title and text of a page; None where there is none, or it is in the trash."""
    notion: Any = world.service("notion")
    page = notion.find("pages", id)
    if page is None or page.get("in_trash"):
        return None
    values = [
        f"{name}: {_plain(value)}" for name, value in row_values(notion, id).items() if value not in (None, "", [])
    ]
    return page["title"], "\n".join([*values, *_lines(notion, page, "")])


def _lines(notion: Any, row: Mapping[str, Any], indent: str) -> Iterator[str]:
    for kind, child in notion.listed(row):
        if kind != "blocks":
            yield f"{indent}[{kind[:-1]}] {child['title']}"
            continue
        done = child["content"].get("checked") if isinstance(child["content"], Mapping) else None
        sign = f"[{'x' if done else ' '}] " if child["type"] == "to_do" else _SIGNS.get(child["type"], "")
        yield from (f"{indent}{sign}{line}" for line in text_of(child, struck=True).split("\n"))
        yield from _lines(notion, child, indent + "  ")


def _plain(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
