"""What an expression can read of an episode, as far as its text tells.

Where nothing of it has changed since an expression was worked out, it would give the same again. So what cannot be told
from the text (a table whose name is reckoned, a tool's answer, the time) has no sources: it is worked out every time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from lifegym.checks.expressions import Expression
from lifegym.checks.functions import EVIDENCE
from lifegym.checks.kept import Sources
from lifegym.checks.syntax import parse
from lifegym.services import catalogue

__all__ = ["joined", "shared_sources", "sources"]

_TURNS, _CALLS, _EVENTS = ("turns", ""), ("calls", ""), ("events", "")
_OWN: dict[str, Sources] = {
    "calls": frozenset({_CALLS}),
    "charges": frozenset({("table", "world.charges")}),
    "labelled": frozenset(),
    "mails": frozenset({("table", "email.outgoing")}),
    "replies": frozenset({_TURNS}),
    "stage": frozenset(),
    "t": frozenset(),
    "turn": frozenset({_TURNS}),
    "turns": frozenset({_TURNS}),
}
"""What is read whatever the arguments are."""

_NAMED = {"diff": "table", "event": "event", "file": "file", "has_file": "file", "records": "table"}
"""What the first argument names."""

_SPANS = frozenset({"after", "before", "since", "until"})
"""Arguments that may be the id of an event, which then stands for when it happened."""

_SPANNED = frozenset({"calls", "charges", "mails", "replies"})
"""What takes such arguments."""


def sources(expression: Expression, shared: Mapping[str, Sources | None]) -> Sources | None:
    """What an expression can read; None where that cannot be told.

    Args:
        expression: What is looked at.
        shared: The same of the names that it may use.
    """
    found: set[tuple[str, str]] = set()
    for name in expression.names:
        if name in shared:
            known = shared[name]
            if known is None:
                return None
            found |= known
    if EVIDENCE.isdisjoint(expression.names):
        return frozenset(found)
    for node in ast.walk(parse(expression.source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in EVIDENCE:
            read = _read(node.func.id, node)
            if read is None:
                return None
            found |= read
    return frozenset(found)


def shared_sources(shared: Mapping[str, Expression]) -> dict[str, Sources | None]:
    """What names can read that build on each other, without a circle."""
    found: dict[str, Sources | None] = {}

    def find(name: str) -> None:
        if name not in found:
            for other in shared[name].names:
                if other in shared:
                    find(other)
            found[name] = sources(shared[name], found)

    for name in shared:
        find(name)
    return found


def joined(several: Iterable[Sources | None]) -> Sources | None:
    """What several expressions can read; None where that cannot be told of one."""
    found: set[tuple[str, str]] = set()
    for each in several:
        if each is None:
            return None
        found |= each
    return frozenset(found)


def _read(name: str, node: ast.Call) -> Sources | None:
    first = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
    found: set[tuple[str, str]] = set()
    if name in _NAMED:
        if not isinstance(first, str):
            return None
        found.add((_NAMED[name], first))
    elif name == "section":
        found |= {("table", table) for table in catalogue.table_keys(("notion",))}
    elif name in _OWN:
        found |= _OWN[name]
    else:
        return None
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    if name == "calls" and (len(node.args) > 1 or "turn" in given):
        found.add(_TURNS)
    if name in _SPANNED:
        spans = node.args if name == "charges" else node.args[1:]
        for span in [*spans, *(value for key, value in given.items() if key in _SPANS)]:
            told = span.value if isinstance(span, ast.Constant) else None
            found.add(("event", told) if isinstance(told, str) else _EVENTS)
    return frozenset(found)
