"""YAML as bundles use it: 1.2 core types, no aliases, no duplicate keys, and every complaint with file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it

__all__ = ["BundleError", "Document", "dump_yaml", "read_yaml", "read_yaml_file"]


class BundleError(Exception):
    """A bundle that cannot be used: says in which file and line, and what to change."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


_DEPTH_LIMIT, _DIGITS_LIMIT = 60, 1000
_INT = re.compile(r"[-+]?[0-9]+")
_HEX = re.compile(r"0x[0-9a-fA-F]+|0o[0-7]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS = {"null": None, "Null": None, "NULL": None, "~": None, "": None} | {
    word: truth
    for truth, words in ((True, ("true", "True", "TRUE")), (False, ("false", "False", "FALSE")))
    for word in words
}


class Document:
    """A YAML file as plain values, and the line of each.

    Attributes:
        path: Where it was read from, as it is shown in errors.
        value: Dicts, lists, texts, numbers, booleans, None.
        lines: ``file:line`` of each place in the value.
    """

    def __init__(self, path: str, value: Any, lines: dict[tuple[Any, ...], str]) -> None:
        self.path = path
        self.value = value
        self.lines = lines

    def where(self, *place: Any) -> str:
        """``file:line`` of a place such as ``("checks", 3, "weight")``, or of the nearest one around it."""
        for length in range(len(place), -1, -1):
            line = self.lines.get(tuple(place[:length]))
            if line is not None:
                return line
        return self.path


def read_yaml(text: str, path: str) -> Document:
    """Read a YAML document.

    Raises:
        BundleError: It is no YAML, or has an alias, an anchor, a tag, a duplicate key, or a key that is no text.
    """
    values = None
    try:
        values = _Values(text, path)
        return values.document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{min(mark.line + 1, max(1, len(text.splitlines())))}" if mark else ""
        if isinstance(error, yaml.reader.ReaderError):
            before = text.encode("utf-8", "surrogatepass")[: error.position]
            line = f":{before.count(10) + 1}"
        problem = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise BundleError(f"{path}{line}", f"not YAML: {problem}") from None
    except UnicodeEncodeError as error:
        line = f":{text.count(chr(10), 0, error.start) + 1}"
        raise BundleError(f"{path}{line}", "not YAML: a lone surrogate is no text") from None
    finally:
        if values is not None:
            values.parser.dispose()


def _at(path: str, event: yaml.Event) -> str:
    mark = event.start_mark
    return f"{path}:{mark.line + 1}" if mark else path


def read_yaml_file(path: Path, shown: str) -> Document:
    """Read a YAML file; ``shown`` is how errors name it."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BundleError(shown, "there is no such file; a bundle has one") from None
    except UnicodeDecodeError as error:
        raise BundleError(f"{shown}:{error.object.count(10, 0, error.start) + 1}", "the file is not UTF-8") from None
    except OSError as error:
        raise BundleError(shown, f"the file cannot be read: {error.strerror}") from None
    return read_yaml(text, shown)


def dump_yaml(value: Any) -> str:
    """Plain values as YAML, block by block, keys in their order."""
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=120)


class _Values:
    """Makes values of a parser's events as they come, in one pass."""

    def __init__(self, text: str, path: str) -> None:
        self.parser = CParser(text)
        self.path = path
        self.lines: dict[tuple[Any, ...], str] = {}

    def document(self) -> Document:
        """The one document of the stream."""
        following = self.parser.get_event
        following()  # the stream begins
        value = None
        event: Any = following()
        if isinstance(event, yaml.DocumentStartEvent):
            value = self._value(following(), (), 0)
            following()  # the document ends
            event = following()
        if not isinstance(event, yaml.StreamEndEvent):
            raise BundleError(_at(self.path, event), "not YAML: but found another document")
        return Document(self.path, value, self.lines)

    def _place_of(self, event: Any) -> str:
        """``file:line`` of what begins here, which has no anchor and no tag."""
        at = _at(self.path, event)
        if event.anchor:  # an alias has one too
            raise BundleError(at, "anchors and aliases are not allowed; write the value out")
        if event.tag:
            raise BundleError(at, f"tags such as {event.tag} are not allowed")
        return at

    def _value(self, event: Any, place: tuple[Any, ...], depth: int) -> Any:
        at = self.lines[place] = self._place_of(event)
        if isinstance(event, yaml.ScalarEvent):
            try:
                return event.value if event.style else _scalar(event.value)
            except ValueError:
                raise BundleError(at, "a number has too many digits") from None
        if depth == _DEPTH_LIMIT:
            raise BundleError(at, "nested too deeply")
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(place, depth + 1)
        items: list[Any] = []
        while not isinstance(item := self.parser.get_event(), yaml.SequenceEndEvent):
            items.append(self._value(item, (*place, len(items)), depth + 1))
        return items

    def _mapping(self, place: tuple[Any, ...], depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(event := self.parser.get_event(), yaml.MappingEndEvent):
            at = self._place_of(event)
            if not isinstance(event, yaml.ScalarEvent):
                raise BundleError(at, "a key is a text")
            key = event.value
            if key in mapping:
                raise BundleError(at, f"the key {key!r} stands there twice")
            mapping[key] = self._value(self.parser.get_event(), (*place, key), depth)
            self.lines[*place, key] = at
        return mapping


def _scalar(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _HEX.fullmatch(text):
        if len(text) > _DIGITS_LIMIT:
            raise ValueError
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
