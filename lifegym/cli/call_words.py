"""A call as it is typed on a line: JSON, ``reply TEXT``, ``wait``, or a tool with ``key=value`` words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import orjson

from lifegym.services import catalogue
from lifegym.services.parameters import json_or_text, parameters

__all__ = ["CallWordsError", "parse_call"]

_WORD = re.compile(r"([A-Za-z_]\w*)(:?=)(.*)", re.DOTALL)


class CallWordsError(ValueError):
    """Words that are no call; says how a call is written."""


def parse_call(words: Sequence[str]) -> Any:
    """The action that some words mean. Whether its tool exists and takes the values is for the episode to say.

    Raises:
        CallWordsError: The words are no call.
    """
    action = _action(words)
    try:
        orjson.dumps(action)
    except TypeError as error:
        raise CallWordsError(f"the call cannot be kept as JSON: {error}") from None
    return action


def _action(words: Sequence[str]) -> Any:
    if not words:
        raise CallWordsError("there is no call; write for instance: wait")
    first, rest = words[0], words[1:]
    if first.lstrip().startswith("{"):
        return _from_json(" ".join(words))
    if first == "wait" and not rest:
        return {"tool": "assistant.wait", "arguments": {}}
    if first == "reply":
        if not rest:
            raise CallWordsError('reply what? Write: reply "text"')
        return {"tool": "assistant.reply", "arguments": {"text": " ".join(rest)}}
    return {"tool": first, "arguments": _arguments(first, rest)}


def _from_json(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise CallWordsError(f'not JSON: {error}; a call is {{"tool": "service.tool", "arguments": {{...}}}}') from None


def _arguments(tool: str, words: Sequence[str]) -> dict[str, Any]:
    spec = catalogue.find_tool(tool)
    known = {parameter.name: parameter for parameter in parameters(spec)} if spec else {}
    found: dict[str, Any] = {}
    for word in words:
        match = _WORD.fullmatch(word)
        if match is None:
            raise CallWordsError(f"{word[:60]!r} is no argument of {tool}; write key=value, or key:=JSON")
        name, sign, text = match[1], match[2], match[3]
        if name in found:
            raise CallWordsError(f"{name} is given twice")
        if sign == ":=":
            try:
                found[name] = orjson.loads(text)
            except orjson.JSONDecodeError as error:
                raise CallWordsError(f"{name}: not JSON: {error}; write {name}=text for a text") from None
        else:
            found[name] = known[name].value(text) if name in known else json_or_text(text)
    return found
