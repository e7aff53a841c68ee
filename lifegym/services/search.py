"""Text search as people expect it: whole words before beginnings, titles before bodies, aliases, misspellings."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

__all__ = ["fold", "matches_word", "rank", "resolve", "words"]

T = TypeVar("T")
_Having = tuple[int, float, frozenset[str]]
"""A text with at least one of the words asked for: its document's index, its weight, its words."""

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[^\W_a-z0-9]+")
_STOP = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "is", "me", "my", "near", "of", "on", "or", "the", "to")
)


@lru_cache(maxsize=32768)
def fold(text: str) -> str:
    """Lower case, without accents: what two spellings of the same name have in common."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text.lower())
    return "".join(ch for ch in decomposed if not unicodedata.combining(ch))


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The folded words of a text, each once, in order. Numbers and unspaced scripts count as words."""
    return tuple(dict.fromkeys(_WORD.findall(fold(text))))


@lru_cache(maxsize=65536)
def _word_set(text: str) -> frozenset[str]:
    return frozenset(words(text))


@lru_cache(maxsize=65536)
def _deletions(word: str) -> frozenset[str]:
    """The word and what remains of it when one letter is left out: two words one slip apart share one of these."""
    return (
        frozenset([word, *(word[:i] + word[i + 1 :] for i in range(len(word)))]) if len(word) > 3 else frozenset([word])
    )


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    for ending in ("ies", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + ("y" if ending == "ies" else "")
    return word


@lru_cache(maxsize=65536)
def matches_word(query: str, word: str) -> float:
    """How well a query word fits a word: 1 the same, 0.9 singular and plural, 0.7 its beginning, 0.5 one slip, or 0."""
    if query == word:
        return 1.0
    if _stem(query) == _stem(word):
        return 0.9
    if len(query) > 2 and word.startswith(query):
        return 0.7
    if len(query) > 3 and len(word) > 3 and abs(len(query) - len(word)) < 2 and _deletions(query) & _deletions(word):
        return 0.5
    return 0.0


def _query_words(query: str, aliases: Mapping[str, str] | None) -> list[tuple[str, ...]]:
    """Each query word with its alternatives."""
    text = fold(query)
    groups: list[tuple[str, ...]] = []
    for phrase, meaning in (aliases or {}).items():
        if " " in phrase and phrase in text:
            text = text.replace(phrase, " ")
            groups.extend((word,) for word in words(meaning))
    plain = words(text)
    kept = [word for word in plain if word not in _STOP] or list(plain)
    for word in kept:
        meant = (aliases or {}).get(word)
        groups.append((word, *words(meant)) if meant else (word,))
    return groups


def rank(
    query: str,
    docs: Iterable[T],
    fields: Callable[[T], Sequence[tuple[str, float]]],
    aliases: Mapping[str, str] | None = None,
    need_all: bool = False,
) -> list[T]:
    """The documents that answer a query, best first; equals keep their order.

    Args:
        query: What somebody typed. An empty query returns every document as it came.
        docs: What to search.
        fields: Gives a document's texts with their weights, such as ``((title, 3.0), (body, 1.0))``.
        aliases: Folded words or phrases and what they mean as well, such as ``{"lhr": "london heathrow"}``.
        need_all: Keep only documents in which every query word is found.

    A misspelt word (one letter wrong, missing, doubled or swapped) counts where no document has the word as typed.
    """
    docs = list(docs)
    groups = _query_words(query, aliases)
    if not groups:
        return docs
    texts = [fields(doc) for doc in docs]
    asked = frozenset(word for group in groups for word in group)
    having: list[_Having] = []
    for index, doc in enumerate(texts):
        for text, weight in doc:
            have = _word_set(text)
            if not asked.isdisjoint(have):
                having.append((index, weight, have))
    scores = [0.0] * len(docs)
    hits = [0] * len(docs)
    for group in groups:
        found = _exact(group, having) or _loose(group, texts)
        rarity = 1.0 + 1.0 / (1 + len(found))
        for index, score in found.items():
            scores[index] += score * rarity
            hits[index] += 1
    most = max(hits, default=0)
    if not most or (need_all and most < len(groups)):
        return []
    kept = [i for i in range(len(docs)) if hits[i] and (not need_all or hits[i] == len(groups))]
    phrase = fold(query).strip()
    for i in kept:
        for text, weight in texts[i]:
            folded = fold(text)
            if folded == phrase:
                scores[i] += 3 * weight
            elif len(groups) > 1 and phrase in folded:
                scores[i] += weight
    kept.sort(key=lambda i: (-hits[i], -scores[i], i))
    return [docs[i] for i in kept]


def _exact(group: tuple[str, ...], having: list[_Having]) -> dict[int, float]:
    found: dict[int, float] = {}
    for index, weight, have in having:
        for place, word in enumerate(group):
            if word in have:
                score = weight * (1.0 if place == 0 else 0.95)
                if score > found.get(index, 0.0):
                    found[index] = score
                break
    return found


def _loose(group: tuple[str, ...], texts: list[Sequence[tuple[str, float]]]) -> dict[int, float]:
    """Plurals and beginnings; where there are none, misspellings."""
    vocabulary: set[str] = set().union(*(_word_set(text) for doc in texts for text, _ in doc))
    grades = {word: max(matches_word(query, word) for query in group) for word in vocabulary}
    least = 0.7 if any(grade >= 0.7 for grade in grades.values()) else 0.5
    alike = frozenset(word for word, grade in grades.items() if grade >= least)
    found: dict[int, float] = {}
    if not alike:
        return found
    for index, doc in enumerate(texts):
        for text, weight in doc:
            have = _word_set(text)
            if not alike.isdisjoint(have):
                score = weight * max(grades[word] for word in alike & have)
                if score > found.get(index, 0.0):
                    found[index] = score
    return found


def resolve(query: str, names: Iterable[str], aliases: Mapping[str, str] | None = None) -> str | None:
    """The one name that a person means: the same, else an alias, else the best match; None if nothing is like it.

    Args:
        query: Such as ``Kanazwa``.
        names: Such as ``["Kanazawa", "Kyoto"]``.
        aliases: Folded query to name.
    """
    folded = fold(query).strip()
    listed = list(names)
    for name in listed:
        if fold(name) == folded:
            return name
    if aliases and folded in aliases:
        return aliases[folded]
    best = rank(query, listed, lambda name: ((name, 1.0),), need_all=True)
    return best[0] if best else None
