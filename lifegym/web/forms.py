"""A form for each tool, made from its JSON schema, and the arguments that a filled form means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import orjson

from lifegym.services.parameters import Parameter, parameters
from lifegym.services.tools import ToolSpec

__all__ = ["Field", "Filled", "fields", "read"]

PREFIX = "field."
"""What the names of a tool's parameters begin with in a posted form."""

_LONG = frozenset({
    "answer", "answers", "body", "content", "cover_letter", "description", "html_body", "message", "new", "note",
    "notes", "old", "reason", "summary", "text",
})  # fmt: skip
"""Parameters that take a text of several lines."""


@dataclass(frozen=True)
class Field:
    """A parameter in a form.

    Attributes:
        name: Of the parameter.
        control: ``line``, ``area``, ``choice``, ``number``, ``lines`` (a text a line) or ``json``.
        required: Whether a call must have it.
        form: What it takes, in words.
        description: What the tool says of it.
        choices: For a choice, the values.
        value: What is filled in at first.
    """

    name: str
    control: Literal["line", "area", "choice", "number", "lines", "json"]
    required: bool
    form: str
    description: str
    choices: tuple[str, ...] = ()
    value: str = ""


class Filled(NamedTuple):
    """A form that was sent: the arguments that it means, what is wrong with it, and what was typed."""

    arguments: dict[str, Any]
    problems: dict[str, str]
    typed: dict[str, str]


def fields(spec: ToolSpec, owner: str = "") -> list[Field]:
    """The fields of a tool's form, those that must be filled in first.

    Args:
        spec: The tool.
        owner: User id that is filled in where the tool asks whose.
    """
    made = []
    for parameter in parameters(spec):
        options = _options(parameter.schema)
        choices = tuple(str(choice) for option in options for choice in option.get("enum", ()))
        if not choices and any(option.get("type") == "boolean" for option in options):
            choices = ("true", "false")
        value = owner if parameter.name == "user_id" and parameter.required else ""
        made.append(
            Field(
                parameter.name,
                _control(parameter, options, bool(choices)),
                parameter.required,
                parameter.form,
                parameter.description,
                choices,
                value,
            )
        )
    return made


def _options(schema: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a value may be, null left out."""
    found: list[dict[str, Any]] = []
    for part in schema.get("anyOf", [schema]):
        kinds = part.get("type")
        if isinstance(kinds, list):
            found += [{**part, "type": kind} for kind in kinds if kind != "null"]
        elif kinds != "null":
            found.append(dict(part))
    return found


def _control(
    parameter: Parameter, options: list[dict[str, Any]], choice: bool
) -> Literal["line", "area", "choice", "number", "lines", "json"]:
    kinds = {str(option.get("type", "any")) for option in options}
    if choice and len(options) == 1:
        return "choice"
    if kinds <= {"integer", "number"}:
        return "number"
    if kinds == {"array"} and all((option.get("items") or {}).get("type") == "string" for option in options):
        return "lines"
    if kinds == {"string"}:
        return "area" if parameter.name in _LONG else "line"
    return "json" if kinds & {"array", "object", "any"} else "line"


def read(spec: ToolSpec, posted: Mapping[str, str]) -> Filled:
    """The arguments of a form that was sent. An empty field that may be left out is left out.

    What a field's own shape forbids (no number, no JSON) is a problem of the form; all else is for the tool to judge.
    """
    arguments: dict[str, Any] = {}
    problems: dict[str, str] = {}
    typed: dict[str, str] = {}
    known = {parameter.name: parameter for parameter in parameters(spec)}
    for field in fields(spec):
        text = posted.get(PREFIX + field.name, "").replace("\r\n", "\n").replace("\r", "\n")
        typed[field.name] = text
        if not text.strip() and not (field.required and field.control in ("line", "area")):
            if field.required and field.control != "lines":
                problems[field.name] = f"It is required: {field.form}."
            elif field.required:
                arguments[field.name] = []
            continue
        value = _value(field, known[field.name], text)
        complaint = known[field.name].complaint(value)
        if complaint and field.control in ("number", "json", "choice"):
            problems[field.name] = f"It takes {field.form}: {complaint}"
        else:
            arguments[field.name] = value
    return Filled(arguments, problems, typed)


def _value(field: Field, parameter: Parameter, text: str) -> Any:
    if field.control == "lines":
        if text.lstrip().startswith("["):
            try:
                return orjson.loads(text)
            except orjson.JSONDecodeError:
                pass  # a line may well begin so
        return [line.strip() for line in text.split("\n") if line.strip()]
    if field.control == "area":
        return text
    return parameter.value(text.strip())
