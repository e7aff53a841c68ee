"""Where the functions of the expression language are listed by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["EVIDENCE", "FUNCTIONS", "function"]

FUNCTIONS: dict[str, Callable[..., Any]] = {}
"""Name to function."""

EVIDENCE = frozenset(
    {"calls", "charges", "diff", "event", "file", "has_file", "labelled", "mails", "now", "read", "records", "replies",
     "section", "stage", "t", "today", "turn", "turns"}
)  # fmt: skip
"""The functions of checks that look at the episode: methods of ``Evidence``."""


def function(defined: Callable[..., Any]) -> Callable[..., Any]:
    """List a function under its name, without the underscore that keeps it apart from Python's own."""
    FUNCTIONS[defined.__name__.rstrip("_")] = defined
    return defined
