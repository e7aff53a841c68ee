"""What a language model writes, as actions: the one reader of tool calls, whatever their form.

It reads a JSON object, fenced JSON, ``<tool_call>`` tags, OpenAI messages with ``tool_calls`` (or their items), and
Anthropic content with ``tool_use`` blocks; several calls in one message are several actions. Plain prose is a reply to
the user.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson

__all__ = ["EXPECTED", "ModelCall", "Unreadable", "read_calls"]

EXPECTED = '{"tool": "service.tool", "arguments": {"name": "value"}}'
"""The form that is shown where something cannot be read."""


class ModelCall(NamedTuple):
    """A call that a model made.

    Attributes:
        action: ``{"tool", "arguments"}`` as ``LifeEnv.step`` takes it.
        id: The call's id where the model's form has one, else "".
    """

    action: dict[str, Any]
    id: str = ""


class Unreadable(ValueError):
    """What the model wrote means to be a call and is none; the message shows the expected form."""

    def __init__(self, problem: str) -> None:
        super().__init__(f"{problem}. Write one call as {EXPECTED}, or plain text to speak to the user.")


_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL)
_TAG = re.compile(r"<(tool_call|function_call)>(.*?)(?:</\1>|\Z)", re.DOTALL)
_FENCE = re.compile(r"^```[ \t]*(json|tool_call|tool_code|)[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_NAMES = ("tool", "name", "tool_name", "function", "recipient_name")
_VALUES = ("arguments", "input", "parameters", "args")


def read_calls(output: Any) -> list[ModelCall]:
    """The calls in a model's output, at least one.

    Args:
        output: Text, or a message, its content or its calls as values.

    Raises:
        Unreadable: It is no text and no call, or a call that is broken.
    """
    found = list(_of(output))
    if not found:
        raise Unreadable("this is neither a call nor a text" if output else "this is empty")
    return found


def _of(output: Any) -> Iterator[ModelCall]:
    if isinstance(output, str):
        yield from _in_text(output)
    elif isinstance(output, Mapping):
        yield from _in_object(output)
    elif isinstance(output, (list, tuple)):
        yield from _in_list(output)


def _in_object(value: Mapping[Any, Any]) -> Iterator[ModelCall]:
    """A message, one of its parts, or a bare call."""
    kind = value.get("type")
    calls = value.get("tool_calls")
    if isinstance(calls, (list, tuple)) and calls:
        for call in calls:
            yield from _in_object(call) if isinstance(call, Mapping) else _of(call)
    elif isinstance(value.get("function_call"), Mapping):
        yield _call(value["function_call"], "")
    elif isinstance(value.get("function"), Mapping):
        yield _call(value["function"], value.get("id"))
    elif kind in ("tool_use", "function_call") or ("role" not in value and any(name in value for name in _NAMES)):
        yield _call(value, value.get("call_id") or value.get("id"))
    elif _is_text(value) and isinstance(value.get("text"), str):
        yield from _in_text(value["text"])
    elif "content" in value and value["content"] is not None:
        yield from _of(value["content"])
    elif "role" not in value and kind not in ("thinking", "reasoning", "redacted_thinking"):
        raise Unreadable("this object names no tool")


def _in_list(values: list[Any] | tuple[Any, ...]) -> Iterator[ModelCall]:
    """Parts of a message. Text beside calls is thought aloud, and only the calls are carried out."""
    acts: list[ModelCall] = []
    told: list[str] = []
    for part in values:
        text = part if isinstance(part, str) else part.get("text") if _is_text(part) else None
        for call in _of(part):
            if text is not None and call == _reply(text.strip()):
                told.append(text)
            else:
                acts.append(call)
    if acts:
        yield from acts
    elif told:
        yield _reply("\n".join(told))


def _is_text(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") in ("text", "output_text")


def _reply(text: str) -> ModelCall:
    return ModelCall({"tool": "assistant.reply", "arguments": {"text": text}})


def _in_text(text: str) -> Iterator[ModelCall]:
    said = _THOUGHT.sub("", text).strip()
    if not said:
        return
    tagged = [match[2] for match in _TAG.finditer(said)]
    if tagged:
        for body in tagged:
            yield from _decoded(body)
        return
    fenced = [match[2] for match in _FENCE.finditer(said) if match[1] or _looks_like_call(match[2])]
    if fenced:
        for body in fenced:
            yield from _decoded(body)
        return
    if said[0] in "{[" and _looks_like_call(said):
        yield from _decoded(said)
        return
    yield _reply(said)


def _looks_like_call(text: str) -> bool:
    """Whether JSON is meant for a call: prose may begin with a bracket too."""
    return re.match(r"\s*\[?\s*\{", text) is not None and any(f'"{name}"' in text for name in (*_NAMES, "tool_calls"))


def _decoded(text: str) -> Iterator[ModelCall]:
    """Calls written as JSON: one, a list, or one after the other."""
    body = text.strip()
    try:
        values = [orjson.loads(body)]
    except orjson.JSONDecodeError as error:
        values = []
        for line in body.splitlines():
            try:
                values.append(orjson.loads(line))
            except orjson.JSONDecodeError:
                raise Unreadable(f"the call is not JSON ({error})") from None
        if not values:
            raise Unreadable("the call is empty") from None
    for value in values:
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, Mapping):
                raise Unreadable(f"a call is an object, not a {type(one).__name__}")
            yield from _in_object(one)


def _call(value: Mapping[Any, Any], id: Any) -> ModelCall:
    name = next((value[key] for key in _NAMES if isinstance(value.get(key), str)), None)
    if not name:
        raise Unreadable("the call names no tool")
    given: Any = next((value[key] for key in _VALUES if key in value), {})
    for _ in range(2):  # some models encode their arguments once too often
        if isinstance(given, str):
            try:
                given = orjson.loads(given) if given.strip() else {}
            except orjson.JSONDecodeError as error:
                raise Unreadable(f"the arguments of {name[:60]} are not JSON ({error})") from None
    if given is None:
        given = {}
    if not isinstance(given, Mapping):
        raise Unreadable(f"the arguments of {name[:60]} are an object of named values, not a {type(given).__name__}")
    return ModelCall(
        {"tool": name.removeprefix("functions."), "arguments": dict(given)}, id if isinstance(id, str) else ""
    )
