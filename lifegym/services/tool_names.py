"""Finding a tool by a part of its name."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

__all__ = ["matching_tools"]


def matching_tools(part: str, names: Sequence[str]) -> list[str]:
    """The tools that a typed part of a name may mean, the likeliest first.

    A name in full (with or without its service) means that tool alone. Otherwise those whose name contains every typed
    word, in whatever order; and where there are none, those that are written nearly so.
    """
    wanted = part.strip().lower().replace("__", ".")
    exact = [name for name in names if wanted in (name, name.partition(".")[2])]
    if exact:
        return exact
    words = wanted.replace(".", " ").replace("_", " ").split()
    if not words:
        return []
    hits = [name for name in names if all(word in name for word in words)]
    hits.sort(key=lambda name: _distance(words, name.partition(".")[2]))
    return hits or _similar(wanted.replace(" ", "_"), names)


def _distance(words: list[str], tool: str) -> tuple[int, int]:
    """How many of the words are no part of the tool's own name, and how many do not even begin one."""
    parts = tool.split("_")
    return sum(word not in parts for word in words), sum(f"_{word}" not in f"_{tool}" for word in words)


def _similar(wanted: str, names: Sequence[str]) -> list[str]:
    by_tool: dict[str, list[str]] = {}
    for name in names:
        by_tool.setdefault(name.partition(".")[2], []).append(name)
    near = [name for tool in difflib.get_close_matches(wanted, by_tool, n=4) for name in by_tool[tool]]
    return list(dict.fromkeys([*near, *difflib.get_close_matches(wanted, names, n=4)]))
