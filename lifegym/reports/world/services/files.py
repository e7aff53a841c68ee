"""The assistant's files: Markdown as documents, CSV as tables, other texts as they stand."""

from __future__ import annotations

import csv

from lifegym.counting import counted
from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.markdown import blocks
from lifegym.reports.world.parts import Cell, Document, Item, Note, Part, Row, Table, Text
from lifegym.reports.world.records import table_of
from lifegym.reports.world.views import View

__all__ = ["VIEW", "file"]


def _listing(look: Look) -> list[Part]:
    found = look.rows("workspace.list_files", "files")
    lines = [
        Row(
            (
                Cell(row["path"], "id"),
                Cell(f"{row['chars']:,}", "number"),
                fields.moment(row["changed_at"], look.zone),
            ),
            (),
            Item("workspace", "file", row["path"], "Read the file"),
        )
        for row in found.rows
    ]
    return [table_of(("Path", "Characters", "Changed"), lines, "Files", found.note or ("" if lines else "None."))]


def _read(look: Look, path: str) -> list[Part]:
    found = look.read("workspace.read_file", path=path)
    if found is None:
        return [Note(f"There is no file {path}.", "warn")]
    text, following = found["text"], found["next_line"]
    while look.deep and following is not None:
        further = look.read("workspace.read_file", path=path, start_line=following, max_lines=5000)
        if further is None:
            break
        text, following = f"{text.rstrip()}\n{further['text']}", further["next_line"]
    rest = [Note(f"The file goes on at line {following}; workspace.read_file takes start_line.")] if following else []
    return [*file(path, text), *rest]


def file(path: str, text: str) -> list[Part]:
    """A file's text by the ending of its name."""
    if path.endswith((".csv", ".tsv")):
        made = _rows(text, "\t" if path.endswith(".tsv") else ",")
        if made is not None:
            return [made]
    if path.endswith(".md"):
        return [Document(tuple(blocks(text)))]
    return [Text(text)]


def _rows(text: str, comma: str) -> Table | None:
    """The table in a file; None where it is none that can be drawn."""
    try:
        rows = [row for row in csv.reader(text.splitlines(), delimiter=comma) if row]
    except csv.Error:
        return None
    if not rows or len(rows[0]) > 40 or any(len(row) > len(rows[0]) for row in rows):
        return None
    head, width = rows[0], len(rows[0])
    lines = [Row(tuple(Cell(value) for value in [*row, *[""] * (width - len(row))])) for row in rows[1:]]
    return Table(tuple(head), tuple(lines), "", counted(len(lines), "row"))


VIEW = View((_listing,), {"file": _read}, names={"path": "file"})
