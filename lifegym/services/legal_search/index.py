"""The words of judgments and articles: which of them say what, so that a search reads no text twice.

An index is a function of the texts alone, made of blocks that are remembered: a judgment that appears, or an article
that is amended, changes one block.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple

from lifegym.services.search import fold, matches_word, words

__all__ = ["Texts", "asked_words", "long_words", "scores", "shared_words"]

_BLOCK = 64
_SMALL = frozenset(
    (
        "a", "an", "and", "art", "article", "at", "by", "for", "from", "in", "is", "me", "my", "of", "on", "or", "para",
        "section", "the", "to", "v", "vs",
    )
)  # fmt: skip

ALIASES: Mapping[str, tuple[str, ...]] = {
    "apartment": ("flat", "dwelling"),
    "boss": ("employer",),
    "deposit": ("security",),
    "eviction": ("repossession", "possession"),
    "fired": ("dismissal", "dismissed", "termination"),
    "firing": ("dismissal",),
    "flat": ("apartment", "dwelling"),
    "landlord": ("lessor",),
    "lawsuit": ("claim",),
    "lease": ("tenancy",),
    "notice": ("termination",),
    "pay": ("wage", "wages", "salary"),
    "rent": ("tenancy",),
    "sacked": ("dismissal", "dismissed", "termination"),
    "salary": ("wage", "wages", "pay"),
    "sue": ("claim",),
    "tenant": ("lessee",),
    "wages": ("wage", "salary", "pay"),
}
"""What people type and what legal texts say instead."""

Texts = tuple[str, ...]


class _Block(NamedTuple):
    """The words of some documents.

    Attributes:
        postings: Word to the documents that have it (by their place in the block) and the weight of the best place.
        edges: The first two letters, or ``~`` and the last two, to the words that have them: a word with one slip
            still begins or ends like the right one.
    """

    postings: dict[str, dict[int, float]]
    edges: dict[str, list[str]]


def asked_words(query: str) -> list[str]:
    """The words of a query that count."""
    plain = words(query)
    return [word for word in plain if word not in _SMALL] or list(plain)


def scores(query: str, texts: Sequence[Texts], weights: tuple[float, ...]) -> dict[int, tuple[int, float]]:
    """Places of the documents that have words of a query: how many of the words, and how well.

    Args:
        query: Words; misspelt ones and other forms count where no document has the word as typed.
        texts: Each document's texts, the title first.
        weights: One for each of a document's texts; the last holds for all further ones.
    """
    blocks = [_block(tuple(texts[start : start + _BLOCK]), weights) for start in range(0, len(texts), _BLOCK)]
    found: dict[int, tuple[int, float]] = {}
    for word in asked_words(query):
        places = _find(word, blocks)
        rarity = 1.0 + 1.0 / (1 + len(places))
        for place, weight in places.items():
            hits, score = found.get(place, (0, 0.0))
            found[place] = (hits + 1, score + weight * rarity)
    phrase = fold(query).strip()
    for place, (hits, score) in found.items():
        title = fold(texts[place][0])
        if phrase in title:
            found[place] = (hits, score + (6.0 if phrase == title else 3.0))
    return found


@lru_cache(maxsize=16384)
def long_words(texts: Texts) -> frozenset[str]:
    """The longer words of some texts: those that tell what they are about."""
    return frozenset(word for text in texts for word in words(text) if len(word) > 4)


def shared_words(own: Texts, others: tuple[Texts, ...]) -> Counter[int]:
    """How many of the longer words of some texts each of the other documents has."""
    places = _places(others)
    return Counter(chain.from_iterable(places.get(word, ()) for word in long_words(own)))


@lru_cache(maxsize=16)
def _places(documents: tuple[Texts, ...]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for place, texts in enumerate(documents):
        for word in long_words(texts):
            found.setdefault(word, []).append(place)
    return found


@lru_cache(maxsize=256)
def _block(texts: tuple[Texts, ...], weights: tuple[float, ...]) -> _Block:
    postings: dict[str, dict[int, float]] = {}
    for place, parts in enumerate(texts):
        for part, weight in zip(parts, chain(weights, repeat(weights[-1])), strict=False):
            for word in words(part):
                there = postings.setdefault(word, {})
                if there.get(place, 0.0) < weight:
                    there[place] = weight
    edges: dict[str, list[str]] = {}
    for word in postings:
        edges.setdefault(word[:2], []).append(word)
        edges.setdefault("~" + word[-2:], []).append(word)
    return _Block(postings, edges)


def _find(word: str, blocks: Sequence[_Block]) -> dict[int, float]:
    """Place of a document to how well it has a word: as typed, in another form, or as a near meaning; else misspelt."""
    found: dict[int, float] = {}
    for number, block in enumerate(blocks):
        _add(found, number, block, _graded(word, block.edges.get(word[:2], ()), 0.7))
        _add(found, number, block, [(meant, 0.8) for meant in ALIASES.get(word, ()) if meant in block.postings])
    if not found and not word.isdigit():
        for number, block in enumerate(blocks):
            near = [*block.edges.get(word[:2], ()), *block.edges.get("~" + word[-2:], ())]
            _add(found, number, block, _graded(word, near, 0.5))
    return found


def _graded(word: str, candidates: Iterable[str], least: float) -> list[tuple[str, float]]:
    if word.isdigit():  # the number of an article or a case means itself, not what begins with it
        return [(word, 1.0)] if word in candidates else []
    grades = ((candidate, matches_word(word, candidate)) for candidate in candidates)
    return [(candidate, grade) for candidate, grade in grades if grade >= least]


def _add(found: dict[int, float], number: int, block: _Block, matches: Iterable[tuple[str, float]]) -> None:
    for match, grade in matches:
        for place, weight in block.postings[match].items():
            place += number * _BLOCK
            if found.get(place, 0.0) < weight * grade:
                found[place] = weight * grade
