"""Results as a person reads them: names, values and texts by indentation instead of JSON."""

from __future__ import annotations

from typing import Any

import orjson

__all__ = ["readable"]


def readable(text: str) -> str:
    """The JSON of a result as indented lines; other texts as they are."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return "\n".join(_lines(value))


def _lines(value: Any) -> list[str]:
    if isinstance(value, dict) and value:
        return [line for name, part in value.items() for line in _named(name, part)]
    if isinstance(value, list) and value:
        found = []
        for part in value:
            first, *rest = _lines(part)
            found += [f"- {first}", *(f"  {line}" for line in rest)]
        return found
    return _scalar(value).split("\n")


def _named(name: str, value: Any) -> list[str]:
    lines = _lines(value)
    if len(lines) == 1 and not (isinstance(value, (dict, list)) and value):
        return [f"{name}: {lines[0]}"]
    return [f"{name}:", *(f"  {line}" for line in lines)]


def _scalar(value: Any) -> str:
    return value if isinstance(value, str) else orjson.dumps(value).decode()
