"""YAML as bundles use it: 1.2 core types, no aliases, no duplicate keys, and every complaint with file and line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs do not export it
from yaml.resolver import BaseResolver

__all__ = ["BundleError", "Document", "dump_yaml", "read_yaml", "read_yaml_file"]


class BundleError(Exception):
    """A bundle that cannot be used: says in which file and line, and what to change."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}")
        self.where = where
        self.message = message


class _Composer(CParser, BaseResolver):
    """Composes nodes; no tag is resolved but the core types below."""

    def __init__(self, stream: str) -> None:
        CParser.__init__(self, stream)
        BaseResolver.__init__(self)


_DEPTH_LIMIT = 60
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
    composer, depth = None, 0
    try:
        composer = _Composer(text)
        for event in iter(composer.get_event, None):
            if isinstance(event, yaml.NodeEvent) and event.anchor:
                raise BundleError(_at(path, event), "anchors and aliases are not allowed; write the value out")
            if isinstance(event, yaml.ScalarEvent):  # most are
                if event.tag:
                    raise BundleError(_at(path, event), f"tags such as {event.tag} are not allowed")
            elif isinstance(event, yaml.CollectionStartEvent):
                if event.tag:
                    raise BundleError(_at(path, event), f"tags such as {event.tag} are not allowed")
                depth += 1
                if depth > _DEPTH_LIMIT:
                    raise BundleError(_at(path, event), "nested too deeply")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
        composer.dispose()
        composer = _Composer(text)
        node = composer.get_single_node()
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
        if composer is not None:
            composer.dispose()
    lines: dict[tuple[Any, ...], str] = {}
    value = _construct(node, path, (), lines) if node is not None else None
    return Document(path, value, lines)


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


def _construct(node: yaml.Node, path: str, place: tuple[Any, ...], lines: dict[tuple[Any, ...], str]) -> Any:
    line = node.start_mark.line + 1
    lines[place] = f"{path}:{line}"
    if isinstance(node, yaml.MappingNode):
        mapping: dict[str, Any] = {}
        for key_node, value_node in node.value:
            at = f"{path}:{key_node.start_mark.line + 1}"
            if not isinstance(key_node, yaml.ScalarNode):
                raise BundleError(at, "a key is a text")
            key = key_node.value
            if key in mapping:
                raise BundleError(at, f"the key {key!r} stands there twice")
            mapping[key] = _construct(value_node, path, (*place, key), lines)
            lines[*place, key] = at
        return mapping
    if isinstance(node, yaml.SequenceNode):
        return [_construct(item, path, (*place, i), lines) for i, item in enumerate(node.value)]
    if not isinstance(node, yaml.ScalarNode):
        raise BundleError(f"{path}:{line}", "not a value")
    try:
        return node.value if node.style else _scalar(node)
    except ValueError:
        raise BundleError(f"{path}:{line}", "a number has too many digits") from None


def _scalar(node: yaml.ScalarNode) -> Any:
    text = node.value
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        return int(text)
    if _HEX.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
