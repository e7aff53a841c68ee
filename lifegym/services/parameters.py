"""The parameters of a tool as a person types them: what each takes, and the value of a typed text."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson
from jsonschema import Draft202012Validator

from lifegym.services.tools import ToolSpec

__all__ = ["Parameter", "json_or_text", "parameters"]

_WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "array": "list as JSON",
    "object": "object as JSON",
    "any": "any JSON value",
}
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
}


class Parameter(NamedTuple):
    """A parameter of a tool.

    Attributes:
        name: Its name.
        schema: JSON Schema of its value.
        required: Whether a call must have it.
    """

    name: str
    schema: dict[str, Any]
    required: bool

    @property
    def description(self) -> str:
        """What the tool says of it."""
        return str(self.schema.get("description", ""))

    @property
    def form(self) -> str:
        """What it takes, in words: type, choices, bounds, fields, default."""
        options = [option for option in _options(self.schema) if _kind(option) != ["null"]]
        text = " or ".join(_described(option) for option in options)
        if "default" in self.schema:
            text += f", {orjson.dumps(self.schema['default']).decode()} if left out"
        return text

    def value(self, text: str) -> Any:
        """The value that a typed text means: what the schema takes decides whether it is read as JSON.

        A text stays a text where the schema takes only texts, and where it is no JSON of a type that the schema takes.
        """
        kinds = {kind for option in _options(self.schema) for kind in _kind(option)} - {"null"}
        return text if kinds == {"string"} else _json(text, kinds)

    def complaint(self, value: Any) -> str:
        """What is wrong with a value, in a sentence; "" if the schema takes it."""
        options = [option for option in _options(self.schema) if _kind(option) != ["null"]]
        shape = options[0] if len(options) == 1 else {"anyOf": options}
        error = next(Draft202012Validator(shape).iter_errors(value), None)
        return "" if error is None else error.message[:200]


def parameters(spec: ToolSpec) -> list[Parameter]:
    """The parameters of a tool, the required ones first."""
    schema = spec.schema
    found = [Parameter(name, shape, name in schema["required"]) for name, shape in schema["properties"].items()]
    return sorted(found, key=lambda parameter: not parameter.required)


def json_or_text(text: str) -> Any:
    """The value of a text of which no schema tells: what it is as JSON, unless it is none or a JSON string."""
    return _json(text, {"any"})


def _json(text: str, kinds: set[str]) -> Any:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    if "any" in kinds:
        return text if isinstance(value, str) else value
    return text if "string" in kinds and not _kind_of(value) & kinds else value


def _kind_of(value: Any) -> set[str]:
    """The JSON Schema types that a value has."""
    if isinstance(value, bool):
        return {"boolean"}
    if isinstance(value, int):
        return {"integer", "number"}
    names = {float: "number", list: "array", dict: "object", str: "string", type(None): "null"}
    return {names[type(value)]}


def _options(schema: dict[str, Any]) -> list[dict[str, Any]]:
    if "anyOf" in schema:
        return [option for part in schema["anyOf"] for option in _options(part)]
    return [schema]


def _kind(schema: dict[str, Any]) -> list[str]:
    kind = schema.get("type", "any")
    return [kind] if isinstance(kind, str) else list(kind)


def _described(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "one of " + ", ".join(str(choice) for choice in schema["enum"])
    if "const" in schema:
        return str(schema["const"])
    text = " or ".join(_WORDS[kind] for kind in _kind(schema) if kind != "null")
    bounds = [words.format(schema[key]) for key, words in _BOUNDS.items() if key in schema]
    if schema.get("properties"):
        must = schema.get("required", [])
        names = [name if name in must else f"[{name}]" for name in schema["properties"]]
        bounds.append(f"with {', '.join(names)}")
    if schema.get("items"):
        bounds.append("of " + " or ".join(_described(option) for option in _options(schema["items"])))
    return " ".join([text, *bounds])
