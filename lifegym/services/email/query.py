"""What somebody types into a mailbox's search field."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from lifegym.services.search import fold
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["Query", "parse_query"]

_LENGTH_LIMIT = 300
_OPERATOR = re.compile(r"(?<!\S)(from|to|subject|has|is):(\"[^\"]*\"|\S*)", re.IGNORECASE)

Condition = Callable[[Record], bool]

_STATES: dict[str, Condition] = {
    "is:unread": lambda mail: not mail["read"],
    "is:read": lambda mail: bool(mail["read"]),
    "is:flagged": lambda mail: bool(mail["flagged"]),
    "is:answered": lambda mail: bool(mail["answered"]),
    "has:attachment": lambda mail: bool(mail["attachments"]),
}


class Query(NamedTuple):
    """Conditions that a mail must meet, and the words to look for in those that do."""

    conditions: tuple[Condition, ...]
    words: str


def parse_query(text: str) -> Query:
    """Read ``from:clinic has:attachment travel letter``.

    Raises:
        ToolError: ``bad_query``.
    """
    if len(text) > _LENGTH_LIMIT:
        raise ToolError("bad_query", f"a query has at most {_LENGTH_LIMIT} characters; a few words find more")
    conditions: list[Condition] = []
    for operator, value in _OPERATOR.findall(text):
        conditions.append(_condition(operator.lower(), fold(value.strip('"')).strip()))
    return Query(tuple(conditions), " ".join(_OPERATOR.sub(" ", text).split()))


def _condition(operator: str, value: str) -> Condition:
    if operator in ("is", "has"):
        state = _STATES.get(f"{operator}:{value.rstrip('s') if operator == 'has' else value}")
        if state is None:
            raise ToolError("bad_query", f"{operator}:{value[:40]} is unknown; use {', '.join(_STATES)}")
        return state
    if not value:
        raise ToolError(
            "bad_query", f'{operator}: needs a value right behind it, such as {operator}:gao or "two words"'
        )
    if operator == "from":
        return lambda mail: value in mail["sender"] or value in fold(mail["sender_name"])
    if operator == "to":
        return lambda mail: any(value in address for name in ("to", "cc", "bcc") for address in mail[name])
    return lambda mail: value in fold(mail["subject"])
