"""What a run has shown so far: whether a text, a number or a date was to be seen before it was used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import orjson

from lifegym.services import catalogue

__all__ = ["Sightings", "tokens"]

_TOKEN = re.compile(
    r"https?://\S+|[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+|[\w][\w.,:/'\-]*\d[\w:/'\-]*|\d[\w:/'\-]*(?:[.,]\d+)*\w*"
)
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"[a-z]\w*|\d+(?:[.,:\-]\d+)*", re.I)


def tokens(text: str) -> Iterator[str]:
    """What stands for something exact in a prose text: numbers, dates, ids, addresses, links."""
    for match in _TOKEN.finditer(text):
        found = match[0].strip(".,:/'-")
        if any(sign.isdigit() for sign in found) or "@" in found:
            yield found


_HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SPOKEN = {0: ("{0} o'clock",), 15: ("quarter past {0}",), 30: ("half past {0}",), 45: ("quarter to {1}",)}


class Sightings:
    """The transcript of a run, to look things up in.

    Args:
        services: Their tools' descriptions and schemas are known from the beginning.
    """

    def __init__(self, services: Iterable[str]) -> None:
        public = catalogue.render_tools(services, "json-schema")
        self._parts: list[str] = [_folded(json.dumps(public, ensure_ascii=False))]
        self._text = ""

    def add(self, text: str) -> None:
        """Something is shown: an opening, or the JSON of a result."""
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError:
            value = text
        self._parts.append(_folded(" ".join(_leaves(value))))
        self._text = ""

    @property
    def text(self) -> str:
        """Everything so far, in one piece and case folded."""
        if not self._text:
            self._text = " \n ".join(self._parts)
            self._parts = [self._text]
        return self._text

    def seen(self, text: str) -> bool:
        """Whether a text was shown: the whole of it, or each of its words and numbers."""
        folded = _folded(text)
        if not folded or _stands(folded, self.text):
            return True
        words = _WORD.findall(folded)
        return bool(words) and all(_stands(word, self.text) for word in words if len(word) > 3 or word.isdigit())

    @staticmethod
    def stands(part: str, text: str) -> bool:
        """Whether a part stands in a text, whatever its case, and not inside a longer word or number."""
        return _stands(_folded(part), _folded(text))

    def seen_token(self, token: str) -> bool:
        """Whether a number, date, id or address was shown, in any usual form."""
        folded = _folded(token)
        return any(_stands(form, self.text) for form in _forms(folded))


def _folded(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()


def _stands(part: str, text: str) -> bool:
    """Whether a part stands in a text and not inside a longer word or number."""
    at = text.find(part)
    while at >= 0:
        end = at + len(part)
        before, after = text[at - 1 : at], text[end : end + 1]
        longer = (before.isalnum() and part[0].isalnum()) or (after.isdigit() and part[-1].isdigit())
        if part[0].isdigit() and (before == "_" or (before in (",", ".") and text[at - 2 : at - 1].isdigit())):
            longer = True  # the end of 1,240 or of 3.50
        if part[-1].isdigit() and after and after in ",." and text[end + 1 : end + 2].isdigit():
            longer = True
        if not longer:
            return True
        at = text.find(part, at + 1)
    return False


def _forms(token: str) -> Iterator[str]:
    yield token
    bare = re.sub(r"(?<=\d)[,'](?=\d{3})", "", token)
    yield bare
    whole, dot, cents = bare.partition(".")
    if whole.isdigit() and (cents.isdigit() or not dot):
        yield f"{int(whole):,}{dot}{cents}"
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", token):
        yield token[5:]
    if re.fullmatch(r"\d{1,2}:\d{2}", token):
        yield token.lstrip("0")
        hour, minute = int(token.split(":")[0]) % 12 or 12, int(token.split(":")[1])
        for spoken in _SPOKEN.get(minute, ()):
            yield spoken.format(_HOURS[hour - 1], _HOURS[hour % 12])
    ordinal = re.fullmatch(r"(\d{1,2})(?:st|nd|rd|th)", token)
    if ordinal:
        yield ordinal[1]
        yield ordinal[1].zfill(2)
    parts = re.fullmatch(r"(\d+)-(\d+)", token)
    if parts and len(token) > 3:
        yield f"{parts[1]} to {parts[2]}"


def _leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _leaves(each)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each)
    elif value is not None:
        yield str(value)
