"""What a text says: dates, amounts and times in any usual form, names, and phrases from a lexicon.

Wording carries little weight in checks. Where it counts, it counts through computed values and through the named
phrases of ``lexicon.en.yaml``, never through a pattern written into a check.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from typing import Any

import yaml

from lifegym.checks.budget import ExpressionError, spend
from lifegym.checks.operations import comparable
from lifegym.remembering import remembered
from lifegym.services.search import fold
from lifegym.world.clock import MONTHS

__all__ = ["amounts", "names", "names_amount", "names_any", "names_date", "names_time", "says", "words"]

_MONTHS = [name.lower() for name in MONTHS]
_MONTH = "|".join([*_MONTHS, *(month[:3] for month in _MONTHS), "sept"])
_DATES = [
    re.compile(r"\b(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})\b"),
    re.compile(rf"(?<!\d[.,])\b(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<mn>{_MONTH})\.?(?:,? (?P<y>\d{{4}}))?\b"),
    re.compile(
        rf"\b(?P<mn>{_MONTH})\.? (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? (?P<y>\d{{4}}))?\b(?!,\d{{3}}(?!\d)|\.\d)"
    ),
    re.compile(r"(?<![\d.:/-])(?P<m>0\d|1[0-2])[-/](?P<d>[0-3]\d)(?![\d:/-])"),
    re.compile(r"(?<![\d.:/-])(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4})\b"),
]
_TIME = re.compile(r"(?<![\d.:,])(\d{1,2})(?:[:.h](\d{2})(?::[0-5]\d)?)?\s*(am|pm|a\.m\.|p\.m\.)?(?!\d|:\d)")
_CURRENCY = "aud|brl|cad|chf|cny|czk|dkk|eur|gbp|ghs|hkd|inr|jpy|kes|krw|mxn|myr|ngn|nok|nzd|pln|sek|sgd|usd|zar"
_NUMBER = re.compile(
    rf"(?:(?<![\w.,])|(?<=\br)|(?<=\brm)|(?<=\b(?:{_CURRENCY})))"
    r"[-−–]?(?:\d{1,3}(?:[, '’]\d{3})+|\d+)(?:\.\d+)?(?!\d|[.,]\d)"
)
"""A number stands alone or directly behind a currency: 350, R350.00, RM350, EUR1,200."""


def words(text: str) -> int:
    """How many words a text has."""
    return len(text.split())


@remembered(4096)
def _dates(text: str) -> tuple[tuple[int | None, int, int], ...]:
    found = []
    folded = fold(text)
    for pattern in _DATES:
        for match in pattern.finditer(folded):
            parts = match.groupdict()
            month = parts.get("m") or 0
            if parts.get("mn"):
                month = next(i for i, name in enumerate(_MONTHS, 1) if name.startswith(parts["mn"][:3]))
            found.append((int(parts["y"]) if parts.get("y") else None, int(month), int(parts["d"])))
    return tuple(found)


def names_date(text: str, day: Any) -> bool:
    """Whether a text names a date in any usual form: 2026-09-12, 12 September, Sep 12, 09-12, 12.09.2026."""
    want = day if isinstance(day, dt.date) else dt.date.fromisoformat(_text(day)[:10])
    return any(
        (month, date) == (want.month, want.day) and (year is None or year == want.year)
        for year, month, date in _dates(text)
    )


@remembered(4096)
def _times(text: str) -> frozenset[tuple[int, int]]:
    found = set()
    for match in _TIME.finditer(fold(text)):
        hour, minute, half = int(match[1]), int(match[2] or 0), match[3] or ""
        if not match[2] and not half:
            continue
        if half.startswith("p") and hour < 12:
            hour += 12
        elif half.startswith("a") and hour == 12:
            hour = 0
        found.add((hour, minute))
    return frozenset(found)


def names_time(text: str, time: Any) -> bool:
    """Whether a text names a time of day: 19:05, 7.05 pm, 19h05."""
    want = time if isinstance(time, (dt.time, dt.datetime)) else dt.time.fromisoformat(_text(time))
    return (want.hour, want.minute) in _times(text)


@remembered(4096)
def _amounts(text: str) -> tuple[float, ...]:
    folded = fold(text)
    for pattern in _DATES:
        folded = pattern.sub(" ", folded)
    folded = re.sub(r"\b\d{1,2}:\d{2}\b", " ", folded)
    found = []
    for match in _NUMBER.finditer(folded):
        digits = re.sub(r"[, '’]", "", match[0]).replace("−", "-").replace("–", "-")
        found.append(float(digits))
    return tuple(found)


def amounts(text: str) -> list[float]:
    """The numbers that a text names, dates and times of day aside."""
    return list(_amounts(text))


_REFUTED = re.compile(
    r"\b(?:not|no longer|isn't|wasn't|instead of|rather than|wrong|incorrect|outdated|formerly|previously|was|old)\b"
    r"[^.;\n]{0,40}$"
)


def names_amount(text: str, value: float, decoys: Iterable[float] = ()) -> bool:
    """Whether a text names an amount, and none of the wrong ones unless as wrong ("not 72,000", "was 72,000").

    Args:
        text: The text.
        value: The right amount, in the unit that people write.
        decoys: Amounts that a mistaken reader would give.
    """
    if not any(abs(abs(have) - abs(value)) < 0.005 for have in _amounts(text)):
        return False
    return not any(_states(text, decoy) for decoy in decoys if abs(decoy - value) > 0.005)


def _states(text: str, value: float) -> bool:
    folded = fold(text)
    spend(len(text) >> 4)
    for match in _NUMBER.finditer(folded):
        digits = re.sub(r"[, '’]", "", match[0]).replace("−", "-").replace("–", "-")
        start = match.start()
        if abs(abs(float(digits)) - abs(value)) < 0.005 and not _REFUTED.search(folded, max(0, start - 60), start):
            return True
    return False


def names(text: str, *things: str) -> bool:
    """Whether a text contains every one of some names, case and accents aside, as whole words."""
    folded = fold(text)
    return all(_whole_word(folded, fold(_text(thing))) for thing in things)


def _text(value: Any) -> str:
    comparable(value)
    return str(value)


def _whole_word(text: str, word: str) -> bool:
    start = text.find(word) if word else -1
    while start >= 0:
        spend(len(word) >> 6)
        end = start + len(word)
        if not (start and _is_word(text[start - 1])) and not (end < len(text) and _is_word(text[end])):
            return True
        start = text.find(word, start + 1)
    return False


def _is_word(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


def names_any(text: str, *things: str) -> bool:
    """Whether a text contains one of some names."""
    return any(names(text, thing) for thing in things)


@cache
def _lexicon() -> dict[str, list[re.Pattern[str]]]:
    source = resources.files("lifegym.checks").joinpath("lexicon.en.yaml").read_text(encoding="utf-8")
    entries: dict[str, list[str]] = yaml.safe_load(source)
    return {
        phrase: [
            re.compile(r"(?<!\w)" + re.escape(fold(form)).replace(r"\ ", r"\s+").replace(r"\*", r"\w*") + r"(?!\w)")
            for form in forms
        ]
        for phrase, forms in entries.items()
    }


def says(text: str, phrase: str) -> bool:
    """Whether a text says what a phrase of the lexicon means.

    Raises:
        ExpressionError: The lexicon has no such phrase.
    """
    forms = _lexicon().get(phrase)
    if forms is None:
        raise ExpressionError(f"the lexicon has no phrase {phrase!r}; there are: {', '.join(sorted(_lexicon()))}")
    folded = fold(text)
    return any(form.search(folded) for form in forms)
