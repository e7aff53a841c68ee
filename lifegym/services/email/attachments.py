"""Files that travel with mails."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["distinct", "text_size"]


def text_size(text: str) -> int:
    """Bytes of a text."""
    return len(text) if text.isascii() else len(text.encode())


def distinct(files: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The files with a number behind a name that occurs before: ``plan.md``, ``plan (2).md``."""
    named: dict[str, dict[str, Any]] = {}
    for file in files:
        stem, dot, ending = file["filename"].rpartition(".")
        name, number = file["filename"], 1
        while name in named:
            number += 1
            name = f"{stem} ({number}).{ending}" if dot else f"{ending} ({number})"
        named[name] = {**file, "filename": name}
    return list(named.values())
