"""Notes in pages and databases, and the notes that people share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Block, Card, Cards, Cell, Chat, Document, Facts, Item, Message, Note, Part, Span
from lifegym.reports.world.parts import Row as Line
from lifegym.reports.world.records import record, table_of
from lifegym.reports.world.views import Listed, Stock, View

__all__ = ["CONTENT_PLATFORM", "NOTION"]

_DEEPEST = 6
"""How deep nested blocks are followed."""

_KINDS = {
    "bulleted_list_item": "bullet", "numbered_list_item": "number", "to_do": "todo", "toggle": "bullet",
    "quote": "quote", "callout": "quote", "code": "code", "divider": "rule",
}  # fmt: skip


def _overview(look: Look) -> list[Part]:
    """All pages and databases, those inside others below them."""
    rows = _all(look, "notion.post_search")
    cards = [_card(row, rows, look) for row in rows if row["parent"].get("type") != "database_id"]
    people = look.read("notion.get_users") if look.deep else None
    parts: list[Part] = [Cards(tuple(cards), "Pages and databases", "" if cards else "None.")]
    if people:
        users = [{"name": row["name"], "type": row["type"], "id": row["id"]} for row in people["results"]]
        lines = [Line(tuple(Cell(row[name]) for name in ("name", "type", "id"))) for row in users]
        parts.append(table_of(("Name", "Kind", "Id"), lines, "People"))
    return parts


def _card(row: dict[str, Any], rows: list[dict[str, Any]], look: Look) -> Card:
    inside = next((other for other in rows if other["id"] in row["parent"].values()), None)
    edited = fields.moment(row["last_edited_time"], look.zone).text
    kind = row["object"]
    item = Item("notion", kind, row["id"], "Open the page" if kind == "page" else "Open the table")
    told = (("Id", Cell(row["id"], "id")),)
    icon = (row.get("icon") or {}).get("emoji", "")
    below = f"edited {edited}{f', in {_title(inside)}' if inside else ''}"
    status = Cell("database", "status") if kind == "database" else None
    return Card(f"{icon} {_title(row)}".strip(), below, status, "", told, (), item)


def _title(row: dict[str, Any]) -> str:
    if row["object"] == "database":
        return _plain(row["title"]) or "Untitled"
    title: dict[str, Any] = next((value for value in row["properties"].values() if value.get("type") == "title"), {})
    return _plain(title.get("title")) or "Untitled"


def _plain(rich: Any) -> str:
    return "".join(str(piece.get("plain_text", "")) for piece in rich or [])


def _spans(rich: Any) -> tuple[Span, ...]:
    found = []
    for piece in rich or []:
        marks = piece.get("annotations") or {}
        style = "code" if marks.get("code") else "strong" if marks.get("bold") else "em" if marks.get("italic") else ""
        found.append(Span(str(piece.get("plain_text", "")), style))  # type: ignore[arg-type]
    return tuple(found)


def _all(look: Look, tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """All results of a list with cursors; the first answer where calls cost something."""
    rows: list[dict[str, Any]] = []
    result = look.read(tool, **arguments)
    while result is not None:
        rows += result["results"]
        if not (look.deep and result.get("has_more")):
            break
        result = look.read(tool, **arguments, start_cursor=result["next_cursor"])
    return rows


def _page(look: Look, page_id: str) -> list[Part]:
    blocks = list(_blocks(look, page_id, 0))
    parts: list[Part] = [Document(tuple(blocks))] if blocks else [Note("The page is empty.")]
    comments = look.read("notion.retrieve_a_comment", block_id=page_id) if look.deep else None
    if comments and comments["results"]:
        said = [
            Message(row["created_by"].get("id", ""), _plain(row["rich_text"]), _time(row["created_time"], look))
            for row in comments["results"]
        ]
        parts.append(Chat(tuple(said), "Comments"))
    return parts


def _time(stamp: str, look: Look) -> str:
    return fields.moment(stamp, look.zone).text


def _blocks(look: Look, parent: str, depth: int) -> Iterator[Block]:
    number = 0
    for row in _all(look, "notion.get_block_children", block_id=parent):
        kind, content = row["type"], row.get(row["type"]) or {}
        number = number + 1 if kind == "numbered_list_item" else 0
        yield _block(look, row, content, depth, number)._replace(ref=row["id"])
        if row.get("has_children") and look.deep and depth < _DEEPEST and kind not in ("child_page", "table"):
            yield from _blocks(look, row["id"], depth + 1)
        elif row.get("has_children") and not look.deep:
            yield Block("paragraph", (Span(f"… more inside block {row['id']}", "em"),), depth + 1)


def _block(look: Look, row: dict[str, Any], content: dict[str, Any], depth: int, number: int) -> Block:
    kind, text = row["type"], _spans(content.get("rich_text"))
    if kind.startswith("heading_"):
        return Block("heading", text, int(kind[-1]) + 1)
    if kind in ("child_page", "child_database"):
        return Block("paragraph", (Span("→ "), Span(str(content.get("title", "")), "strong")), depth)
    if kind == "table" and look.deep:
        lines = _all(look, "notion.get_block_children", block_id=row["id"])
        rows = tuple(tuple(_plain(cell) for cell in line.get("table_row", {}).get("cells", ())) for line in lines)
        return Block("table", rows=rows)
    if kind in _KINDS:
        return Block(_KINDS[kind], text, depth, bool(content.get("checked")), f"{number}." if number else "")
    if not text and content:
        text = (Span(str(content.get("url") or content.get("title") or kind)),)
    return Block("paragraph", text, depth)


def _database(look: Look, database_id: str) -> list[Part]:
    rows = _all(look, "notion.post_database_query", database_id=database_id)
    names = list(dict.fromkeys(name for row in rows for name in row["properties"]))
    lines = []
    for row in rows:
        cells = [_value(row["properties"].get(name) or {}, look.zone) for name in names]
        lines.append(Line(tuple(cells), (), Item("notion", "page", row["id"], "Open the page")))
    return [table_of(names, lines)] if rows else [Note("The table is empty.")]


def _value(held: dict[str, Any], zone: str) -> Cell:
    """A property of a row."""
    kind = str(held.get("type", ""))
    value = held.get(kind)
    if kind in ("title", "rich_text"):
        return Cell(_plain(value) or "–")
    if kind in ("select", "status"):
        return Cell(value["name"], "status") if value else Cell("–")
    if kind == "date":
        dates = [value.get("start"), value.get("end")] if value else []
        return Cell(" to ".join(fields.cell(kind, date, {}, zone).text for date in dates if date) or "–")
    if isinstance(value, list):
        return Cell(", ".join(str(part.get("name") or part.get("id") or part) for part in value) or "–")
    return fields.cell(kind, value, {}, zone)


NOTION = View((_overview,), {"page": _page, "database": _database})


def _note(look: Look, note_id: str) -> list[Part]:
    found = look.read("content_platform.get_note", note_id=note_id)
    if found is None:
        return [Note(f"There is no note {note_id}.", "warn")]
    body = (Block("paragraph", (Span(str(found["body"])),)),)
    parts = record(found, look.zone, skip=("body", "title"))
    told = [part for part in parts if isinstance(part, Facts)]
    comments = look.rows("content_platform.get_note_comments", "comments", note_id=note_id).rows
    said = [Message(row["author"], row["body"], _time(row["at"], look)) for row in comments]
    return [Document(body), *told, *([Chat(tuple(said), "Comments")] if said else [])]


_NOTES = ("title", "author", "category", "tags", "likes", "comments", "published_at", "edited_at", "corrected_by")

CONTENT_PLATFORM = View(
    (
        Listed(
            "All notes, the newest first", "content_platform.search_notes", "notes", _NOTES, item="note", key="note_id",
            arguments={"keyword": "", "sort": "new"},
        ),
        Listed("Your notes", "content_platform.list_user_notes", "notes", _NOTES, "note", "note_id", empty=""),
        Listed(
            "Your drafts", "content_platform.list_user_notes", "notes", _NOTES, "note", "note_id",
            arguments={"drafts": True}, empty="",
        ),
        Listed("Collected", "content_platform.list_collections", "notes", item="note", key="note_id", empty=""),
        Stock(
            "People", "content_platform.users", "content_platform.get_user_profile",
            ("name", "verified", "bio", "location", "followers", "notes", "user_id"),
        ),
    ),
    {"note": _note},
)  # fmt: skip
