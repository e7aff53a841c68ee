"""Text search as people expect it: whole words before beginnings, titles before bodies, aliases, misspellings."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

from lifegym.remembering import remembered

__all__ = ["Index", "Vocabulary", "fold", "matches_word", "rank", "resolve", "words"]

T = TypeVar("T")
_Having = tuple[int, float, frozenset[str]]
"""A text with at least one of the words asked for: its document's index, its weight, its words."""

_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?|[^\W_a-z0-9]+")
_STOP = frozenset(
    ("a", "an", "and", "at", "by", "for", "from", "in", "is", "me", "my", "near", "of", "on", "or", "the", "to")
)


@remembered(32768)
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


_HISSING = ("se", "xe", "ze", "che", "she", "oe")
"""Ends of what is left of plurals such as buses, boxes and potatoes, but also of house and shoe."""


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    """What a word and its plural have in common; not always a word itself."""
    for ending in ("ies", "ie"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)] + "y"
    if word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    # Whether the e belongs to the plural (boxes) or to the word (houses) cannot be told, so both lose it.
    return word[:-1] if word.endswith(_HISSING) and len(word) > 3 else word


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


class Vocabulary:
    """Words, and which of them are like another one. What :func:`matches_word` says of each, without asking each."""

    def __init__(self, known: Iterable[str]) -> None:
        self._ordered = sorted(known)
        self._by_stem: dict[str, list[str]] = {}
        for word in self._ordered:
            self._by_stem.setdefault(_stem(word), []).append(word)

    def forms(self, query: str) -> dict[str, float]:
        """The words that are the same, singular and plural, or begin with it: word to grade, 0.7 and more."""
        ordered = self._ordered
        found: dict[str, float] = {}
        if len(query) > 2:
            at = bisect_left(ordered, query)
            while at < len(ordered) and ordered[at].startswith(query):
                found[ordered[at]] = 0.7
                at += 1
        for word in self._by_stem.get(_stem(query), ()):
            found[word] = 1.0 if word == query else 0.9
        return found

    def slips(self, query: str) -> dict[str, float]:
        """The words that are one slip away and are none of its forms: word to grade, 0.5."""
        found: dict[str, float] = {}
        if len(query) > 3:
            for rest in _deletions(query):
                for word in self._by_rest.get(rest, ()):
                    if abs(len(query) - len(word)) < 2 and matches_word(query, word) == 0.5:
                        found[word] = 0.5
        return found

    @cached_property
    def _by_rest(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._ordered:
            if len(word) > 3:
                for rest in _deletions(word):
                    found.setdefault(rest, []).append(word)
        return found


class Index(Generic[T]):
    """Documents by their words, for many queries on the same documents. :meth:`rank` answers as :func:`rank` does.

    Making one takes as long as one or two :func:`rank`, so it pays where it is kept (``RecordTable.derive``). For a few
    documents, or long ones that are searched once, :func:`rank` is right.

    Args:
        docs: What to search.
        fields: Gives a document's texts with their weights (above 0).
    """

    def __init__(self, docs: Iterable[T], fields: Callable[[T], Sequence[tuple[str, float]]]) -> None:
        self.docs = list(docs)
        self._texts: list[tuple[str, int, float]] = []
        self._postings: dict[str, dict[int, float]] = {}
        texts, postings = self._texts, self._postings
        for place, doc in enumerate(self.docs):
            for text, weight in fields(doc):
                texts.append((text, place, weight))
                for word in words(text):
                    there = postings.get(word)
                    if there is None:
                        postings[word] = {place: weight}
                    elif there.get(place, 0.0) < weight:
                        there[place] = weight

    def rank(
        self,
        query: str,
        aliases: Mapping[str, str] | None = None,
        need_all: bool = False,
        among: Callable[[int], bool] | None = None,
        order: Callable[[int], Any] | None = None,
    ) -> list[T]:
        """The documents that answer a query, best first.

        Args:
            query: As in :func:`rank`.
            aliases: As in :func:`rank`.
            need_all: As in :func:`rank`.
            among: Whether the document at a place (as they came, from 0) is searched; all are if left out.
            order: What the document at a place is sorted by among equals; as they came if left out.
        """
        groups = _query_words(query, aliases)
        if groups:
            places = self._found(fold(query).strip(), groups, need_all, among, order)
        else:
            places = [place for place in range(len(self.docs)) if among is None or among(place)]
            if order is not None:
                places.sort(key=order)
        docs = self.docs
        return [docs[place] for place in places]

    def _found(
        self,
        phrase: str,
        groups: list[tuple[str, ...]],
        need_all: bool,
        among: Callable[[int], bool] | None,
        order: Callable[[int], Any] | None,
    ) -> list[int]:
        scores: dict[int, float] = {}
        hits: dict[int, int] = {}
        for group in groups:
            found = self._exact(group, among) or self._loose(group, among)
            rarity = 1.0 + 1.0 / (1 + len(found))
            for place, score in found.items():
                scores[place] = scores.get(place, 0.0) + score * rarity
                hits[place] = hits.get(place, 0) + 1
        if need_all:
            scores = {place: score for place, score in scores.items() if hits[place] == len(groups)}
        for place, _, bonus in sorted(self._bonuses(phrase, within=len(groups) > 1)):
            if place in scores:
                scores[place] += bonus
        # Sorts keep the order of equals, so the last one counts most.
        places = sorted(scores)
        if order is not None:
            places.sort(key=order)
        places.sort(key=scores.__getitem__, reverse=True)
        if len(groups) > 1 and not need_all:
            places.sort(key=hits.__getitem__, reverse=True)
        return places

    def _exact(self, group: tuple[str, ...], among: Callable[[int], bool] | None) -> dict[int, float]:
        found = self._having(group[0], 1.0, among)
        for word in group[1:]:
            _raise(found, self._having(word, 0.95, among))
        return found

    def _loose(self, group: tuple[str, ...], among: Callable[[int], bool] | None) -> dict[int, float]:
        """Plurals and beginnings; where there are none, misspellings."""
        for alike in (self._vocabulary.forms, self._vocabulary.slips):
            found: dict[int, float] = {}
            for query in group:
                for word, grade in alike(query).items():
                    _raise(found, self._having(word, grade, among))
            if found:
                return found
        return {}

    def _having(self, word: str, grade: float, among: Callable[[int], bool] | None) -> dict[int, float]:
        """Places of the documents with a word, and how much it counts there."""
        posting = self._postings.get(word)
        if posting is None:
            return {}
        if among is None:
            return {place: weight * grade for place, weight in posting.items()}
        return {place: weight * grade for place, weight in posting.items() if among(place)}

    def _bonuses(self, phrase: str, within: bool) -> list[tuple[int, int, float]]:
        """Where a text is the whole phrase or, ``within``, contains it: place, number of the text, what that adds."""
        if not within:
            return [(place, number, 3 * weight) for place, number, weight in self._by_text.get(phrase, ())]
        found: list[tuple[int, int, float]] = []
        joined, starts, texts = self._joined
        at = joined.find(phrase)
        while at >= 0:
            line = bisect_left(starts, at + 1) - 1
            text = texts[line]
            if phrase in text:  # and does not just run over its end
                times = 3 if text == phrase else 1
                found.extend((place, number, times * weight) for place, number, weight in self._by_text[text])
            at = joined.find(phrase, starts[line] + len(text) + 1)
        return found

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._postings)

    @cached_property
    def _by_text(self) -> dict[str, list[tuple[int, int, float]]]:
        """Each folded text with where it is: place, number of the text, weight."""
        found: dict[str, list[tuple[int, int, float]]] = {}
        for number, (text, place, weight) in enumerate(self._texts):
            found.setdefault(fold(text), []).append((place, number, weight))
        return found

    @cached_property
    def _joined(self) -> tuple[str, list[int], list[str]]:
        """All different texts as one, where each begins in it, and the texts."""
        texts, starts, at = list(self._by_text), [], 0
        for text in texts:
            starts.append(at)
            at += len(text) + 1
        return "\n".join(texts), starts, texts


def _raise(scores: dict[int, float], others: Mapping[int, float]) -> None:
    """Keep the greater score of each place."""
    for place, score in others.items():
        if score > scores.get(place, 0.0):
            scores[place] = score


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
