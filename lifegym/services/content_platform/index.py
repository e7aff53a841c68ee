"""The words of notes: which notes say what, so that a search reads no text twice.

An index is a function of the texts alone, made of blocks that are remembered: a new or edited note changes one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from lifegym.services.search import matches_word, words
from lifegym.world.record import Record

__all__ = ["Found", "find_notes"]

_BLOCK = 64

_MEANS: dict[str, tuple[str, ...]] = {
    "apartment": ("flat",),
    "bicycle": ("bike",),
    "bike": ("bicycle",),
    "cv": ("resume",),
    "doctor": ("clinic",),
    "exam": ("test",),
    "flat": ("apartment",),
    "holiday": ("vacation",),
    "mom": ("mother",),
    "mum": ("mother",),
    "past": ("previous",),
    "resume": ("cv",),
    "test": ("exam",),
    "vacation": ("holiday",),
}
"""Words of a query, and what notes say instead."""

_SMALL = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "is", "me", "my", "of", "on", "or", "the", "to"))

Texts = tuple[str, str]
"""Keywords and body of a note."""


class Found(NamedTuple):
    """What a search found.

    Attributes:
        notes: Those with the most words of the query, as they came.
        prominent: The ids of those that have these words outside their body.
        complete: Whether these are all the words.
    """

    notes: list[Record]
    prominent: frozenset[str]
    complete: bool


class _Block(NamedTuple):
    """The words of some notes.

    Attributes:
        postings: Word to the notes that have it (by their place in the block), and whether outside the body.
        edges: The first two letters, or ``~`` and the last two, to the words that have them: a word with one slip
            still begins or ends like the right one.
    """

    postings: dict[str, dict[int, bool]]
    edges: dict[str, list[str]]


def find_notes(query: str, notes: list[Record]) -> Found:
    """The notes that have the words of a query: as typed, in another form, or, where nobody has them so, misspelt."""
    plain = words(query)
    wanted = [word for word in plain if word not in _SMALL] or list(plain)
    if not wanted:
        return Found(notes, frozenset(), True)
    texts = [(note["keywords"], note["body"]) for note in notes]
    blocks = [_block(tuple(texts[start : start + _BLOCK])) for start in range(0, len(texts), _BLOCK)]
    hits: dict[int, int] = {}
    outside: dict[int, int] = {}
    for word in wanted:
        for place, prominent in _places(word, blocks).items():
            hits[place] = hits.get(place, 0) + 1
            outside[place] = outside.get(place, 0) + prominent
    most = max(hits.values(), default=0)
    kept = sorted(place for place, count in hits.items() if count == most)
    prominent_ids = frozenset(notes[place]["note_id"] for place in kept if outside[place] == most)
    return Found([notes[place] for place in kept], prominent_ids, most == len(wanted))


@lru_cache(maxsize=256)
def _block(texts: tuple[Texts, ...]) -> _Block:
    postings: dict[str, dict[int, bool]] = {}
    for place, (keywords, body) in enumerate(texts):
        for word in words(body):
            postings.setdefault(word, {})[place] = False
        for word in words(keywords):
            postings.setdefault(word, {})[place] = True
    edges: dict[str, list[str]] = {}
    for word in postings:
        edges.setdefault(word[:2], []).append(word)
        edges.setdefault("~" + word[-2:], []).append(word)
    return _Block(postings, edges)


def _places(word: str, blocks: Sequence[_Block]) -> dict[int, bool]:
    """Place of a note to whether it has a word outside its body."""
    for least in (0.9, 0.7, 0.5):
        found: dict[int, bool] = {}
        for number, block in enumerate(blocks):
            near = block.edges.get(word[:2], [])
            if least == 0.5:
                near = [*near, *block.edges.get("~" + word[-2:], ())]
            matching = [candidate for candidate in near if matches_word(word, candidate) >= least]
            if least == 0.9:
                matching += [meaning for meaning in _MEANS.get(word, ()) if meaning in block.postings]
            for match in matching:
                for place, prominent in block.postings[match].items():
                    place += number * _BLOCK
                    found[place] = found.get(place, False) or prominent
        if found:
            return found
    return {}
