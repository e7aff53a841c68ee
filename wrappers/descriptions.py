"""What of calls and of texts never changes, worked out once for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from lifegym.services import catalogue
from lifegym.wrappers.hashing import asked, bag, bucket, needles, parts, sightings, word_buckets
from lifegym.wrappers.layout import CANDIDATE, FIXED

__all__ = ["PIECES", "DescribedCall", "DescribedText", "describe_call", "describe_text", "first_words"]

PIECES = 100
"""So many pieces of a call's arguments are looked for in what was seen."""

_REACH = 1600
"""So many characters of a text in a call are looked at."""

_DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")


class DescribedCall(NamedTuple):
    """What of a call never changes.

    Attributes:
        tool: Its name.
        row: The features that depend on nothing but the call.
        pieces: Of its arguments, in the forms in which texts show them.
    """

    tool: str
    row: np.ndarray[Any, Any]
    pieces: tuple[str, ...]


def describe_call(call: Mapping[str, Any]) -> DescribedCall:
    """Describe a call of a tool that there is.

    >>> reply = {"tool": "assistant.reply", "arguments": {"text": "Paid 40.50 on 2026-04-02."}}
    >>> describe_call(reply).pieces
    ('Paid', '40.5', 'on', '2026-04-02')
    """
    spec = catalogue.find_tool(call["tool"])
    assert spec is not None
    row = np.zeros(FIXED, np.float32)
    sort = {"assistant.wait": 2, "assistant.reply": 3}.get(spec.name, int(spec.write))
    row[CANDIDATE["sort"].start + sort] = row[CANDIDATE["tool"].start + bucket(spec.name, 64)] = 1.0
    said: list[bytes] = []
    pieces: dict[str, None] = {}
    for name, value in _leaves(call["arguments"], ""):
        buckets, asks = _leaf(name, value)
        said.append(buckets)
        pieces.update(asks)
    row[CANDIDATE["arguments"]] = bag(b"".join(said), 160)
    return DescribedCall(spec.name, row, tuple(islice(pieces, PIECES)))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The single values in arguments, with the names of their fields; of long texts the beginning."""
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        field = key if isinstance(key, str) else name
        if isinstance(item, (Mapping, list, tuple)):
            yield from _leaves(item, field)
        else:
            yield field, item[:_REACH] if isinstance(item, str) else item


@lru_cache(maxsize=1 << 12, typed=True)
def _leaf(name: str, value: Any) -> tuple[bytes, dict[str, None]]:
    """The buckets of an argument's name and of the words in its value with the name; the pieces of the value."""
    said = bytes((bucket(name, 160),))
    if isinstance(value, str):
        found = parts(value)
        return said + word_buckets(found, 160, f"{name}=")[:100], dict.fromkeys(asked(found))
    if isinstance(value, bool):
        said += bytes((bucket(f"{name}={value}", 160),))
    return said, dict.fromkeys(needles(value))


class DescribedText(NamedTuple):
    """What there is to a text.

    Attributes:
        sighted: In the forms in which arguments are looked for.
        days: The dates that stand in it.
        bag: Its first words.
    """

    sighted: list[str]
    days: list[str]
    bag: np.ndarray[Any, Any]


@lru_cache(maxsize=1 << 10)
def describe_text(text: str) -> DescribedText:
    """Describe a text. Those of late are known.

    >>> described = describe_text("Pay 40.50 by 2026-04-02")
    >>> described.sighted, described.days
    (['Pay', '40.50', '40.5', '4050', 'by', '2026-04-02'], ['2026-04-02'])
    """
    found = parts(text)
    return DescribedText(sightings(text, found), _DAY.findall(text), first_words(found))


def first_words(found: list[str]) -> np.ndarray[Any, Any]:
    """The first words among the parts of a text, hashed."""
    return bag(word_buckets(found, 64)[:400], 64)
