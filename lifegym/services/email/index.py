"""The words of a mailbox: which mails say what, so that a search reads no text twice.

An index is kept until mails change, and is made of blocks that are remembered longer, as they are a function of the
texts alone: a mail that arrives changes the last block; moving and reading mails change none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from lifegym.services.search import Vocabulary, fold, words
from lifegym.world.record import Record

__all__ = ["MailIndex", "best_first", "index_of"]

_BLOCK = 64
_WEIGHTS = (3.0, 3.0, 2.0, 2.0, 1.0, 1.0)
"""Of subject, sender's name, sender's address, names of attached files, recipients, text."""

ALIASES: Mapping[str, tuple[str, ...]] = {
    "appointment": ("booking", "visit"),
    "bill": ("invoice", "receipt"),
    "cancelled": ("canceled", "cancellation"),
    "confirmation": ("confirmed",),
    "cv": ("resume",),
    "doctor": ("clinic", "dr"),
    "flat": ("apartment",),
    "apartment": ("flat",),
    "invoice": ("bill",),
    "mum": ("mom", "mother"),
    "newsletter": ("bulletin", "letter"),
    "plane": ("flight", "flights"),
    "resume": ("cv",),
    "train": ("rail", "railway"),
}
"""What people type and what mails say instead."""

_SMALL = frozenset(("a", "an", "and", "at", "by", "for", "from", "in", "is", "me", "my", "of", "on", "or", "the", "to"))

Texts = tuple[str, str, str, str, str, str]


class _Block(NamedTuple):
    """The words of some mails.

    Attributes:
        postings: Word to the mails that have it (by their place in the block) and the weight of the best place.
        vocabulary: The words themselves.
    """

    postings: dict[str, dict[int, float]]
    vocabulary: Vocabulary


class MailIndex(NamedTuple):
    """Mails in the order of their dates, and their words."""

    mails: list[Record]
    texts: list[Texts]
    blocks: list[_Block]


def index_of(mails: Iterable[Record]) -> MailIndex:
    """The index of some mails."""
    listed = list(mails)
    texts = [_texts(mail) for mail in listed]
    blocks = [_block(tuple(texts[start : start + _BLOCK])) for start in range(0, len(texts), _BLOCK)]
    return MailIndex(listed, texts, blocks)


def best_first(query: str, index: MailIndex, among: Callable[[int], bool]) -> tuple[list[Record], bool]:
    """The mails that have the words of a query, the best first and the newer among equals, and whether all words.

    Where no mail has all of them, those with the most.

    Args:
        query: Words; misspelt ones and other forms count.
        index: All mails.
        among: Whether the mail at a place is one of those to choose from.
    """
    plain = words(query)
    wanted = [word for word in plain if word not in _SMALL] or plain
    mails, texts, blocks = index
    scores: dict[int, float] = {}
    hits: dict[int, int] = {}
    for word in wanted:
        found = {place: score for place, score in _find(word, blocks).items() if among(place)}
        rarity = 1.0 + 1.0 / (1 + len(found))
        for place, weight in found.items():
            scores[place] = scores.get(place, 0.0) + weight * rarity
            hits[place] = hits.get(place, 0) + 1
    most = max(hits.values(), default=0)
    kept = [place for place, count in hits.items() if count == most]
    phrase = fold(query).strip()
    for place in kept:
        subject = fold(texts[place][0])
        if phrase in subject:
            scores[place] += 6.0 if phrase == subject else 3.0
        elif len(wanted) > 1 and phrase in fold(texts[place][5]):
            scores[place] += 1.0
    kept.sort(key=lambda place: (-scores[place], -place))
    return [mails[place] for place in kept], most == len(wanted)


def _texts(mail: Record) -> Texts:
    to, files = mail["to"], mail["attachments"]
    return (
        mail["subject"],
        mail["sender_name"],
        mail["sender"],
        " ".join(item["filename"] for item in files) if files else "",
        to[0] if len(to) == 1 else " ".join(to),
        mail["body"],
    )


@lru_cache(maxsize=256)
def _block(texts: tuple[Texts, ...]) -> _Block:
    postings: dict[str, dict[int, float]] = {}
    for place, parts in enumerate(texts):
        for part, weight in zip(parts, _WEIGHTS, strict=True):
            for word in words(part):
                there = postings.setdefault(word, {})
                if there.get(place, 0.0) < weight:
                    there[place] = weight
    return _Block(postings, Vocabulary(postings))


def _find(word: str, blocks: Sequence[_Block]) -> dict[int, float]:
    """Place of a mail to how well it has a word: as typed, in another form, or as a near meaning; else misspelt."""
    found: dict[int, float] = {}
    for number, block in enumerate(blocks):
        _add(found, number, block, block.vocabulary.forms(word))
        for meaning in ALIASES.get(word, ()):
            if meaning in block.postings:
                _add(found, number, block, {meaning: 0.8})
    if not found:
        for number, block in enumerate(blocks):
            _add(found, number, block, block.vocabulary.slips(word))
    return found


def _add(found: dict[int, float], number: int, block: _Block, matches: Mapping[str, float]) -> None:
    first = number * _BLOCK
    for match, grade in matches.items():
        for place, weight in block.postings[match].items():
            if found.get(first + place, 0.0) < weight * grade:
                found[first + place] = weight * grade
