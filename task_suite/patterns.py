"""Reading values out of prose: ``"yes: <total:amount> and up to <cap:amount>"``.

A pattern is plain text with ``<name:type>`` in it. White space matches any white space, a line break only a line
break; a pattern may begin and end anywhere in the text. It belongs to the reference solution, which reads what a
person would read.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

__all__ = ["PatternError", "read_pattern"]

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


class PatternError(ValueError):
    """A pattern that is malformed, or that a text does not match."""


def _number(text: str) -> int | float:
    digits = re.sub(r"[, ']", "", text)
    return float(digits) if "." in digits else int(digits)


def _day(text: str) -> str:
    return dt.date.fromisoformat(text).isoformat()


_TYPES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "amount": (r"\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", _number),
    "int": (r"\d+", int),
    "date": (r"\d{4}-\d{2}-\d{2}", _day),
    "monthday": (r"\d{2}-\d{2}", str),
    "time": (r"\d{1,2}:\d{2}", lambda text: text.zfill(5)),
    "word": (r"[\w.@+\-]+", str),
    "domain": (r"[A-Za-z0-9\-]+(?:\.[A-Za-z0-9\-]+)+", str),
    "email": (r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+", str),
    "cell": (r"[^,;\n|]+?", str.strip),
    "line": (r"[^\n]+?", str.strip),
    "text": (r"[\s\S]+?", str.strip),
}
_SLOT = re.compile(r"<([a-z_][a-z0-9_]*):([a-z]+)>")


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> tuple[re.Pattern[str], dict[str, str]]:
    types: dict[str, str] = {}
    parts: list[str] = []
    end = 0
    for slot in _SLOT.finditer(pattern):
        parts.append(_literal(pattern[end : slot.start()]))
        name, kind = slot[1], slot[2]
        if kind not in _TYPES:
            raise PatternError(f"unknown type {kind!r} in {pattern!r}; there are: {', '.join(_TYPES)}")
        if name in types:
            raise PatternError(f"{name!r} stands twice in {pattern!r}")
        types[name] = kind
        parts.append(f"(?P<{name}>{_TYPES[kind][0]})")
        end = slot.end()
    parts.append(_literal(pattern[end:]))
    if not types:
        raise PatternError(f"there is no <name:type> in {pattern!r}")
    open_end = pattern.endswith(">") and _SLOT.match(pattern[pattern.rfind("<") :])
    tail = r"(?=\s|$|[,;)\]]|[.:](?!\w))" if open_end else ""
    return re.compile("".join(parts) + tail, re.I), types


def _literal(text: str) -> str:
    parts = re.split(r"(\s+)", text)
    return "".join(
        (r"[ \t]*\n\s*" if "\n" in part else r"\s+") if part.isspace() else re.escape(part) for part in parts
    )


def read_pattern(pattern: str, text: str) -> dict[str, Any]:
    """The values that a pattern finds in a text, at its first match.

    Raises:
        PatternError: The pattern is malformed, or the text does not match.
    """
    compiled, types = _compiled(pattern)
    match = compiled.search(text)
    if match is None:
        raise PatternError(f"the text does not match {pattern!r}: {text[:200]!r}")
    return {name: _TYPES[kind][1](match[name]) for name, kind in types.items()}
