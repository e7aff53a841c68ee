"""Texts as numbers, the same in every process: hashed words, and what of a call's arguments was seen in a text."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

import numpy as np

__all__ = ["asked", "bag", "bucket", "needles", "parts", "sightings", "word_buckets"]

V = TypeVar("V")

_WORD = re.compile(r"[^\W\d_]{3,}")
_PART = re.compile(r"[^\W_](?:[\w@.:/+-]*\w)?")
_ASCII_PART = re.compile(_PART.pattern, re.ASCII)  # most texts are ASCII, and this takes two thirds of the time
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_GROUP = re.compile(r"[, ](?<=\d.)\d{3}")  # a separator first: it is rarer than a digit
_GROUPED = re.compile(r"\d{1,3}(?:[, ]\d{3})+(?:\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")


class _Known(dict[str, V]):
    """What is worked out of short texts, once for each: most words of an episode come again and again.

    Args:
        work_out: Makes it.
    """

    LIMIT = 1 << 16

    def __init__(self, work_out: Callable[[str], V]) -> None:
        self._work_out = work_out

    def __missing__(self, text: str) -> V:
        if len(self) >= self.LIMIT:
            self.clear()
        value = self[text] = self._work_out(text)
        return value


# -- words -----------------------------------------------------------------------------------------------------------


def parts(text: str) -> list[str]:
    """The words, ids, numbers, days and times of a text, in their order.

    >>> parts('{"email_id":"m_1","at":"2026-03-02T09:00","text":"Please pay 50 EUR."}')
    ['email_id', 'm_1', 'at', '2026-03-02T09:00', 'text', 'Please', 'pay', '50', 'EUR']
    """
    return (_ASCII_PART if text.isascii() else _PART).findall(text)


def bucket(text: str, size: int) -> int:
    """Which of ``size`` buckets a text falls into, by CRC-32.

    >>> bucket("email.read_email", 64)
    12
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % size


@lru_cache(maxsize=1 << 10)
def _buckets(prefix: str, size: int) -> _Known[bytes]:
    """Of a part the buckets of its words in small letters, each behind a prefix."""
    return _Known(lambda part: bytes(bucket(prefix + word.lower(), size) for word in _WORD.findall(part)))


def word_buckets(parts: Iterable[str], size: int, prefix: str = "") -> bytes:
    """The buckets of words in small letters, a byte each; numbers and words of one or two letters are left out.

    Args:
        parts: Of a text.
        size: How many buckets, at most 256.
        prefix: What each word is hashed with.

    >>> word_buckets(["Please", "pay", "Bo", "50", "EUR"], 64) == bytes(bucket(w, 64) for w in ("please", "pay", "eur"))
    True
    """
    return b"".join(map(_buckets(prefix, size).__getitem__, parts))


def bag(buckets: bytes, size: int) -> np.ndarray[Any, Any]:
    """How often each bucket occurs, as a vector of length 1 (of zeros where there are none).

    >>> float(np.linalg.norm(bag(bytes([1, 4, 4]), 8)).round(6))
    1.0
    """
    if not buckets:
        return np.zeros(size, np.float32)
    counts = np.bincount(np.frombuffer(buckets, np.uint8), minlength=size).astype(np.float32)
    made: np.ndarray[Any, Any] = counts / np.sqrt(counts @ counts)
    return made


# -- what was seen ---------------------------------------------------------------------------------------------------


def _shown_as(part: str) -> tuple[str, ...]:
    """The forms of what a text shows: a number also in hundredths, as amounts of money are in calls."""
    if part[0].isdigit():
        if _NUMBER.fullmatch(part):
            value = float(part)
            return part, f"{value:.12g}", f"{100 * value:.12g}"
        if _MOMENT.match(part):
            return part, part[:10], part[11:16]
    return (part,)


def _asked_as(part: str) -> tuple[str, ...]:
    """The forms in which a call's piece is looked for."""
    if part[0].isdigit():
        if _NUMBER.fullmatch(part):
            return (f"{float(part):.12g}",)
        if _MOMENT.match(part):
            return part[:10], part[11:16]
    return (part,)


_SHOWN, _ASKED = _Known(_shown_as), _Known(_asked_as)


def sightings(text: str, parts: Iterable[str]) -> list[str]:
    """What a text shows, in the forms in which ``needles`` asks for it: words, ids, days, times, numbers.

    A number is also shown in hundredths, as amounts of money are in calls.

    Args:
        text: Numbers in groups are looked for in it.
        parts: Of the text.

    >>> text = "EUR 1,250.50 by 2026-03-02T09:00"
    >>> sightings(text, parts(text))[-6:]
    ['by', '2026-03-02T09:00', '2026-03-02', '09:00', '1250.5', '125050']
    """
    found = list(chain.from_iterable(map(_SHOWN.__getitem__, parts)))
    if _GROUP.search(text):
        for grouped in _GROUPED.findall(text):
            value = float(grouped.replace(",", "").replace(" ", ""))
            found += (f"{value:.12g}", f"{100 * value:.12g}")
    return found


def asked(parts: Iterable[str]) -> list[str]:
    """The parts of a text in a call's arguments, in the forms in which ``sightings`` shows them."""
    return list(chain.from_iterable(map(_ASKED.__getitem__, parts)))


def needles(value: Any) -> list[str]:
    """What stands in a call's arguments, piece by piece, in the forms in which ``sightings`` shows it.

    >>> needles({"to": ["bo@mail.example"], "at": "2026-03-02T09:00:00+01:00", "amount_minor": 5000})
    ['bo@mail.example', '2026-03-02', '09:00', '5000']
    """
    if isinstance(value, str):
        return asked(parts(value))
    if isinstance(value, (dict, list, tuple)):
        items: Iterable[Any] = value.values() if isinstance(value, dict) else value
        return [piece for item in items for piece in needles(item)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [f"{float(value):.12g}"]
    return []
