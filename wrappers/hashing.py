"""Texts as numbers, the same in every process: hashed words, and what of a call's arguments was seen in a text."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

__all__ = ["bag", "bucket", "needles", "sightings", "words"]

_WORD = re.compile(r"[^\W\d_]{3,}")
_PART = re.compile(r"[^\W_](?:[\w@.:/+-]*\w)?")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_GROUPED = re.compile(r"\d{1,3}(?:[,  ]\d{3})+(?:\.\d+)?")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d")


@lru_cache(maxsize=1 << 16)
def bucket(text: str, size: int) -> int:
    """Which of ``size`` buckets a text falls into, by CRC-32.

    >>> bucket("email.read_email", 64)
    12
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % size


def bag(texts: Iterable[str], size: int) -> np.ndarray[Any, Any]:
    """How often texts fall into each bucket, as a vector of length 1 (of zeros where there are none).

    >>> float(np.linalg.norm(bag(["two", "words"], 8)).round(6))
    1.0
    """
    counts = np.bincount([bucket(text, size) for text in texts] or [0], minlength=size).astype(np.float32)
    norm = float(np.sqrt(counts @ counts)) if texts else 0.0
    return counts / norm if norm else np.zeros(size, np.float32)


def words(text: str, most: int = 400) -> list[str]:
    """The first words of a text in small letters; numbers and short words are left out.

    >>> words("Please pay Bo Berg 50 EUR, see debts.csv")
    ['please', 'pay', 'berg', 'eur', 'see', 'debts', 'csv']
    """
    return [word.lower() for word in _WORD.findall(text[: 8 * most])[:most]]


def sightings(text: str) -> Iterator[str]:
    """What a text shows, in the forms in which ``needles`` asks for it: words, ids, days, times, numbers.

    A number is also shown in hundredths, as amounts of money are in calls.

    >>> list(sightings("EUR 1,250.50 by 2026-03-02T09:00"))[-5:]
    ['2026-03-02T09:00', '2026-03-02', '09:00', '1250.5', '125050']
    """
    for part in _PART.findall(text):
        yield part
        if part[0].isdigit():
            if _NUMBER.fullmatch(part):
                value = float(part)
                yield f"{value:.12g}"
                yield f"{100 * value:.12g}"
            elif _MOMENT.match(part):
                yield part[:10]
                yield part[11:16]
    if "," in text or " " in text or " " in text:
        for grouped in _GROUPED.findall(text):
            value = float(re.sub(r"[,  ]", "", grouped))
            yield f"{value:.12g}"
            yield f"{100 * value:.12g}"


def needles(value: Any) -> Iterator[str]:
    """What stands in a call's arguments, piece by piece, in the forms in which ``sightings`` shows it.

    >>> list(needles({"to": ["bo@mail.example"], "at": "2026-03-02T09:00:00+01:00", "amount_minor": 5000}))
    ['bo@mail.example', '2026-03-02', '09:00', '5000']
    """
    if isinstance(value, dict):
        for item in value.values():
            yield from needles(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from needles(item)
    elif isinstance(value, str):
        for part in _PART.findall(value):
            if not part[0].isdigit():
                yield part
            elif _NUMBER.fullmatch(part):
                yield f"{float(part):.12g}"
            elif _MOMENT.match(part):
                yield part[:10]
                yield part[11:16]
            else:
                yield part
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{float(value):.12g}"
