"""Markdown as far as people use it in notes: headings, lists, quotes, code, tables, bold and code in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lifegym.reports.world.parts import Block, Span

__all__ = ["blocks", "spans"]

_SPAN = re.compile(r"(?:\*\*(?P<strong>[^*\n]+)\*\*|`(?P<code>[^`\n]+)`|(?<![\w*])\*(?P<em>[^*\s][^*\n]*)\*(?![\w*]))")
_HEADING = re.compile(r"(#{1,6})\s+(.*)")
_ITEM = re.compile(r"(\s*)([-*+]|\d{1,4}[.)])\s+(\[[ xX]\]\s+)?(.*)")
_RULE = re.compile(r"\s*([-*_]\s*){3,}")
_DIVIDER = re.compile(r"\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*")


def spans(text: str) -> tuple[Span, ...]:
    """A line with its bold, slanted and code pieces."""
    found, at = [], 0
    for match in _SPAN.finditer(text):
        if match.start() > at:
            found.append(Span(text[at : match.start()]))
        style = match.lastgroup
        if style in ("strong", "code", "em"):
            found.append(Span(match[style], style))  # type: ignore[arg-type]
        at = match.end()
    if at < len(text):
        found.append(Span(text[at:]))
    return tuple(found)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, from top to bottom. What is no Markdown is a paragraph."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.lstrip().startswith("```"):
            end = next((n for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith("```")), len(lines))
            yield Block("code", (Span("\n".join(lines[at + 1 : end])),))
            at = end + 1
        elif "|" in line and at + 1 < len(lines) and _DIVIDER.fullmatch(lines[at + 1]) and "|" in lines[at + 1]:
            end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n]), len(lines))
            yield Block("table", rows=tuple(_cells(row) for row in [line, *lines[at + 2 : end]]))
            at = end
        elif line.strip() and not _starts(line):
            end = next((n for n in range(at + 1, len(lines)) if not lines[n].strip() or _starts(lines[n])), len(lines))
            yield Block("paragraph", spans(" ".join(part.strip() for part in lines[at:end])))
            at = end
        elif not line.strip():
            at += 1
        else:
            end = at + 1
            if _ITEM.fullmatch(line) or line.lstrip().startswith(">"):  # these go on in the lines below
                while end < len(lines) and lines[end].strip() and not _starts(lines[end]):
                    end += 1
            yield _line(" ".join([line.rstrip(), *(part.strip() for part in lines[at + 1 : end])]))
            at = end


def _starts(line: str) -> bool:
    """Whether a line is a block of its own, or begins one."""
    return bool(
        _HEADING.fullmatch(line)
        or _RULE.fullmatch(line)
        or _ITEM.fullmatch(line)
        or line.lstrip().startswith((">", "```", "|"))
    )


def _line(line: str) -> Block:
    if heading := _HEADING.fullmatch(line):
        return Block("heading", spans(heading[2]), len(heading[1]))
    if _RULE.fullmatch(line):
        return Block("rule")
    if item := _ITEM.fullmatch(line):
        indent, mark, box, text = item.groups()
        level = len(indent.expandtabs(4)) // 2
        if box:
            return Block("todo", spans(text), level, "x" in box.lower())
        numbered = mark[0].isdigit()
        return Block("number" if numbered else "bullet", spans(text), level, mark=mark if numbered else "")
    if line.lstrip().startswith(">"):
        return Block("quote", spans(line.lstrip().removeprefix(">").strip()))
    return Block("paragraph", spans(line.strip()))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in line.strip().strip("|").split("|"))
