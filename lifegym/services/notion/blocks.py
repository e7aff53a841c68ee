"""Blocks as they are given: which types there are, what each holds, and what is nested in what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from lifegym.services.notion.richtext import plain, rich_text, shown
from lifegym.services.tools import ToolError

__all__ = [
    "BLOCKS_PER_CALL",
    "Draft",
    "KINDS",
    "LEAVES",
    "TEXT_KINDS",
    "content_of",
    "count",
    "drafts",
    "icon",
    "looks",
    "runs_of",
    "text_of",
    "width",
]

TEXT_KINDS = (
    "paragraph", "heading_1", "heading_2", "heading_3", "bulleted_list_item", "numbered_list_item", "to_do", "toggle",
    "quote", "callout", "code",
)  # fmt: skip
KINDS = (*TEXT_KINDS, "divider", "bookmark", "table", "table_row")
LEAVES = ("code", "divider", "bookmark", "table_row")
BLOCKS_PER_CALL = 300
DEPTH = 5
_FORM = '{"type": "paragraph", "paragraph": {"rich_text": [{"type": "text", "text": {"content": "..."}}]}}'


class Draft(NamedTuple):
    """A block that is to be made, with what is nested in it."""

    type: str
    content: dict[str, Any]
    children: list[Draft]


def drafts(given: Any, where: str = "children", parent: str = "", depth: int = 1) -> list[Draft]:
    """The blocks that a list describes, for a parent block of a type (or a page, if that is empty).

    Raises:
        ToolError: ``bad_block``, saying which one is wrong and what is expected.
    """
    if not isinstance(given, list):
        raise ToolError("bad_block", f"{where}: a list of blocks is expected, such as [{_FORM}]")
    if depth > DEPTH:
        raise ToolError("bad_block", f"{where}: blocks are nested at most {DEPTH} deep")
    found = [_draft(item, f"{where}[{index}]", parent, depth) for index, item in enumerate(given)]
    if depth == 1 and count(found) > BLOCKS_PER_CALL:
        raise ToolError("bad_block", f"{where}: at most {BLOCKS_PER_CALL} blocks at once; append the rest afterwards")
    return found


def count(blocks: list[Draft]) -> int:
    """How many blocks these are with those nested in them."""
    return sum(1 + count(block.children) for block in blocks)


def _draft(item: Any, where: str, parent: str, depth: int) -> Draft:
    if isinstance(item, str) and parent != "table":
        return Draft("paragraph", {"rich_text": rich_text(item, where, "bad_block")}, [])
    if not isinstance(item, dict):
        raise ToolError("bad_block", f"{where}: a block is an object such as {_FORM}")
    kind = item.get("type")
    if kind is None:
        kind = next((name for name in item if name in KINDS), None)
    if kind not in KINDS:
        hint = "; pages are made with post_page" if kind in ("child_page", "child_database") else ""
        raise ToolError(
            "bad_block", f"{where}: the type is one of {', '.join(KINDS)}{hint}; a block is written {_FORM}"
        )
    given = item.get(kind, {name: value for name, value in item.items() if name not in ("object", "type", "children")})
    inner = given.get("children") if isinstance(given, dict) else None
    children = inner or item.get("children") or []
    if children and kind in LEAVES:
        raise ToolError("bad_block", f"{where}: nothing can be nested in a block of type {kind}")
    if (kind == "table_row") != (parent == "table"):
        raise ToolError("bad_block", f"{where}: blocks of type table_row, and only those, are children of a table")
    below = drafts(children, f"{where}.children", kind, depth + 1)
    content = content_of(kind, given, f"{where}.{kind}")
    if kind == "table":
        content["table_width"] = width(below, where)
    elif kind.startswith("heading") and below:
        content["is_toggleable"] = True
    return Draft(kind, content, below)


def width(rows: list[Draft], where: str, expected: int = 0) -> int:
    """How many cells the rows of a table have.

    Raises:
        ToolError: ``bad_block``: the rows are not alike, or there are none.
    """
    widths = sorted({len(row.content["cells"]) for row in rows})
    if len(widths) != 1 or expected not in (0, widths[0]):
        raise ToolError(
            "bad_block",
            f'{where}: a table has children {{"table_row": {{"cells": [["a"], ["b"]]}}}}, all with the same number '
            f"of cells{f', {expected} here' if expected else ''}",
        )
    return widths[0]


def content_of(kind: str, given: Any, where: str, old: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a block of a type holds; fields that are not given stay as they were.

    Raises:
        ToolError: ``bad_block``.
    """
    if kind in TEXT_KINDS:
        return _text_content(kind, given, where, old)
    fields: dict[str, Any] = given if isinstance(given, dict) else {}
    if kind == "bookmark":
        url = given if isinstance(given, str) else fields.get("url")
        if not isinstance(url, str) or not url or len(url) > 2000:
            raise ToolError("bad_block", f'{where}: a bookmark is written {{"bookmark": {{"url": "https://..."}}}}')
        return {"url": url}
    if kind == "table":
        flags = ("has_column_header", "has_row_header")
        return {"table_width": 0, **{flag: fields.get(flag) is True for flag in flags}}
    if kind == "table_row":
        cells = given if isinstance(given, list) else fields.get("cells")
        if not isinstance(cells, list) or not 1 <= len(cells) <= 100:
            raise ToolError("bad_block", f'{where}: a row is written {{"table_row": {{"cells": [["a"], ["b"]]}}}}')
        made = [rich_text(cell, f"{where}.cells[{index}]", "bad_block") for index, cell in enumerate(cells)]
        return {"cells": made}
    return {}


def _text_content(kind: str, given: Any, where: str, old: Mapping[str, Any] | None) -> dict[str, Any]:
    content = dict(old or {"rich_text": []})
    fields: dict[str, Any] = given if isinstance(given, dict) else {"rich_text": given}
    name = next((name for name in ("rich_text", "text", "content") if name in fields), None)
    if name is not None:
        content["rich_text"] = rich_text(fields[name], f"{where}.{name}", "bad_block")
    elif old is None and fields.keys() - {"children", "color", "checked", "language", "icon", "is_toggleable"}:
        raise ToolError("bad_block", f"{where}: 'rich_text' is missing; a block is written {_FORM}")
    if kind == "to_do":
        content["checked"] = _typed(fields, "checked", content.get("checked", False), bool, where)
    elif kind == "code":
        content["language"] = _typed(fields, "language", content.get("language", "plain text"), str, where)
    elif kind == "callout" and fields.get("icon") is not None:
        content["icon"] = icon(fields["icon"], f"{where}.icon", "bad_block")
    elif kind.startswith("heading"):
        content["is_toggleable"] = _typed(fields, "is_toggleable", content.get("is_toggleable", False), bool, where)
    if isinstance(fields.get("color"), str) and len(fields["color"]) < 40:
        content["color"] = fields["color"]
    return content


def _typed(fields: dict[str, Any], name: str, otherwise: Any, kind: type, where: str) -> Any:
    value = fields.get(name, otherwise)
    if type(value) is not kind or (isinstance(value, str) and len(value) > 60):
        raise ToolError("bad_block", f"{where}.{name} is {'true or false' if kind is bool else 'a short text'}")
    return value


def icon(given: Any, where: str, code: str) -> dict[str, Any]:
    """An emoji, or a picture at an address.

    Raises:
        ToolError: With the given code.
    """
    if isinstance(given, str) and 0 < len(given) <= 20:
        return {"type": "emoji", "emoji": given}
    if isinstance(given, dict):
        if isinstance(given.get("emoji"), str) and 0 < len(given["emoji"]) <= 20:
            return {"type": "emoji", "emoji": given["emoji"]}
        external = given.get("external")
        if isinstance(external, dict) and isinstance(external.get("url"), str) and len(external["url"]) <= 2000:
            return {"type": "external", "external": {"url": external["url"]}}
    raise ToolError(
        code,
        f'{where}: expected {{"type": "emoji", "emoji": "..."}} or {{"external": {{"url": "https://..."}}}}',
    )


def looks(given_icon: Any, given_cover: Any) -> dict[str, Any]:
    """The fields of a page for an icon and a cover, as far as they are given.

    Raises:
        ToolError: ``bad_icon``.
    """
    found: dict[str, Any] = {}
    if given_icon is not None:
        found["icon"] = icon(given_icon, "icon", "bad_icon")
    if given_cover is not None:
        found["cover"] = icon(given_cover, "cover", "bad_icon")
        if found["cover"]["type"] != "external":
            raise ToolError("bad_icon", 'cover: expected {"type": "external", "external": {"url": "..."}}')
    return found


def runs_of(block: Mapping[str, Any]) -> list[Any]:
    """The texts of a block, each a list of runs: one, or one for each cell of a table's row."""
    content = block["content"]
    return list(content["cells"]) if "cells" in content else [content.get("rich_text", [])]


def text_of(block: Mapping[str, Any], struck: bool = False) -> str:
    """The text of a block in one string; with ``struck``, what is struck out stands between ``~~``."""
    if block["type"] == "bookmark":
        return str(block["content"]["url"])
    return " | ".join([(shown if struck else plain)(runs) for runs in runs_of(block)])
