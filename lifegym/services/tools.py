"""How a service's method becomes a tool: its parameters, their JSON schema, and their validation."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NotRequired, Required, TypeVar, get_type_hints

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.json_schema import GenerateJsonSchema
from typing_extensions import TypedDict

__all__ = ["Arguments", "Documentation", "ToolError", "ToolSpec", "generator", "happening", "listens", "tool"]

STRING_LIMIT = 262_144
ARGUMENTS = ConfigDict(strict=True, extra="forbid", str_max_length=STRING_LIMIT, allow_inf_nan=False)

F = TypeVar("F", bound=Callable[..., Any])


class ToolError(Exception):
    """A call that the world refuses.

    Args:
        code: A stable word such as ``not_found``.
        message: A sentence that says what to do instead.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def tool(*, write: bool) -> Callable[[F], F]:
    """Make a method of a service a tool. ``write`` says whether it can change the world."""

    def mark(method: F) -> F:
        method._lifegym_tool = {"write": write}  # type: ignore[attr-defined]
        return method

    return mark


def happening(method: F) -> F:
    """Make a method of a service a verb of the timeline.

    It returns the keys of the records it touched; an empty list says that nothing matched.
    """
    method._lifegym_happening = True  # type: ignore[attr-defined]
    return method


def generator(method: F) -> F:
    """Make a method of a service a generator of distractor inventory for ``generate:`` blocks of a bundle.

    Its first parameter is a ``random.Random`` seeded per task and block; the others are keywords. It inserts records
    and leaves alone those that exist.
    """
    method._lifegym_generator = True  # type: ignore[attr-defined]
    return method


def listens(topic: str) -> Callable[[F], F]:
    """Let a method of a service hear what ``World.emit(topic, ...)`` tells."""

    def mark(method: F) -> F:
        method._lifegym_topic = topic  # type: ignore[attr-defined]
        return method

    return mark


@dataclass(frozen=True)
class Documentation:
    """A docstring by sections: ``Args``, ``Returns`` and ``Errors``."""

    summary: str = ""
    body: str = ""
    args: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    errors: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(docstring: str | None) -> Documentation:
        """Read a Google-style docstring."""
        text = inspect.cleandoc(docstring or "")
        parts = re.split(r"^(Args|Returns|Errors):[ \t]*$", text, flags=re.M)
        summary, _, body = parts[0].strip().partition("\n")
        sections = {name: textwrap.dedent(content) for name, content in zip(parts[1::2], parts[2::2], strict=True)}
        return Documentation(
            summary=summary.strip(),
            body=body.strip(),
            args=_items(sections.get("Args", "")),
            returns=sections.get("Returns", "").strip(),
            errors=_items(sections.get("Errors", "")),
        )


def _items(section: str) -> dict[str, str]:
    found: dict[str, str] = {}
    name = ""
    for line in section.strip("\n").splitlines():
        match = re.match(r"([A-Za-z_][A-Za-z0-9_]*):\s*(.*)", line)
        if match and not line.startswith(" "):
            name = match[1]
            found[name] = match[2].strip()
        elif name:
            found[name] = f"{found[name]} {line.strip()}".strip()
    return found


class _CompactSchema(GenerateJsonSchema):
    """JSON Schema without the titles that pydantic adds."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def _compact(schema: Any) -> Any:
    """Merge ``anyOf: [{type: X}, {type: null}]`` into ``type: [X, null]`` and drop titles of objects."""
    if isinstance(schema, list):
        return [_compact(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    schema = {
        k: _compact(v)
        for k, v in schema.items()
        if not (k == "title" and isinstance(v, str))
        and not (k == "default" and v is None)
        and not (k == "maxLength" and v == STRING_LIMIT)
        and not (k == "propertyNames" and not _compact(v))
    }
    options = schema.get("anyOf")
    if isinstance(options, list) and len(options) == 2 and options[1] == {"type": "null"}:
        first = options[0]
        if set(first) <= {"type", "pattern", "minimum", "maximum", "minLength", "maxLength", "items", "format"} and (
            isinstance(first.get("type"), str)
        ):
            rest = {k: v for k, v in schema.items() if k != "anyOf"}
            return {**first, "type": [first["type"], "null"], **rest}
    return schema


def _inline(schema: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(item, definitions) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        rest = {k: v for k, v in schema.items() if k != "$ref"}
        return {**_inline(definitions[name], definitions), **rest}
    return {k: _inline(v, definitions) for k, v in schema.items()}


class Arguments:
    """Validates the keyword arguments of a method, in agreement with the JSON schema that it gives out.

    Optional parameters also take null, which means their default. An integral float is an integer, as in JSON.
    """

    def __init__(self, owner: str, method: Callable[..., Any], docs: Documentation, skip: int = 1) -> None:
        hints = get_type_hints(method, include_extras=True)
        self.required: list[str] = []
        self.optional: dict[str, Any] = {}
        fields: dict[str, Any] = {}
        for name, parameter in list(inspect.signature(method).parameters.items())[skip:]:
            kind = hints[name]
            if parameter.default is inspect.Parameter.empty:
                self.required.append(name)
                fields[name] = Required[kind]
            else:
                self.optional[name] = parameter.default
                fields[name] = NotRequired[kind | None]
        self.names = tuple(fields)
        shape = TypedDict(f"{owner}_arguments", fields)  # type: ignore[misc]
        setattr(shape, "__pydantic_config__", ARGUMENTS)  # noqa: B010
        self._adapter = TypeAdapter(shape)
        self._validator = self._adapter.validator
        self._docs = docs

    @cached_property
    def schema(self) -> dict[str, Any]:
        """JSON Schema (2020-12) of the arguments object."""
        raw = self._adapter.json_schema(schema_generator=_CompactSchema)
        schema: dict[str, Any] = _compact(_inline(raw, raw.pop("$defs", {})))
        properties = schema.get("properties", {})
        for name, description in self._docs.args.items():
            if name in properties:
                properties[name]["description"] = description
        for name, default in self.optional.items():
            if default is not None:
                properties[name]["default"] = default
        ordered = {"type": "object", "properties": properties, "required": self.required}
        return ordered | {"additionalProperties": False}

    def validate(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments to call the method with.

        Raises:
            ToolError: ``bad_arguments``, naming each wrong field and what it should be.
        """
        try:
            valid: dict[str, Any] = self._validator.validate_python(arguments)
        except ValidationError:
            try:
                valid = self._validator.validate_python(_integral(arguments))
            except ValidationError as error:
                raise ToolError("bad_arguments", self._explain(error)) from None
        if self.optional and None in valid.values():
            return {k: v for k, v in valid.items() if v is not None or k not in self.optional}
        return valid

    def _explain(self, error: ValidationError) -> str:
        lines = []
        for item in error.errors(include_url=False, include_context=False)[:5]:
            parts = (str(part).replace("constrained-", "") for part in item["loc"])
            where = ".".join(part for part in parts if not part.startswith("function-"))
            if item["type"] == "extra_forbidden":
                lines.append(f"{where[:60]!r} is not a parameter")
            elif item["type"] == "missing":
                lines.append(f"{where} is required")
            else:
                lines.append(f"{where[:60]}: {item['msg'][:1].lower()}{item['msg'][1:]}, not {_short(item['input'])}")
        takes = ", ".join([*self.required, *(f"[{name}]" for name in self.optional)]) or "no parameters"
        return f"{'; '.join(lines)}. It takes: {takes}."


def _integral(value: Any) -> Any:
    # JSON's integers here have 64 bits. A greater one stands for the greatest: the schema has both as integers, and to
    # a limit, an offset or a price they are the same.
    if isinstance(value, float) and value.is_integer():
        return max(-(2**63), min(int(value), 2**63 - 1))
    if isinstance(value, dict):
        return {k: _integral(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_integral(v) for v in value]
    return value


def _short(value: Any) -> str:
    text = ascii(value) if not isinstance(value, (dict, list)) else f"a {type(value).__name__}"
    return text if len(text) <= 40 else text[:37] + "..."


class ToolSpec:
    """One tool: name, whether it writes, documentation, parameters.

    The parameter models are built on first use, so that a catalogue of 289 tools costs nothing to import.
    """

    def __init__(self, service: str, name: str, method: Callable[..., Any], write: bool) -> None:
        self.service = service
        self.tool = name
        self.name = f"{service}.{name}"
        self.method = method
        self.write = write

    @cached_property
    def docs(self) -> Documentation:
        return Documentation.parse(self.method.__doc__)

    @cached_property
    def arguments(self) -> Arguments:
        return Arguments(f"{self.service}_{self.tool}", self.method, self.docs)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments."""
        return self.arguments.schema

    @cached_property
    def description(self) -> str:
        """What a model is told of the tool: purpose, results, errors."""
        docs = self.docs
        parts = [docs.summary, docs.body]
        if docs.returns:
            parts.append(f"Returns: {docs.returns}")
        if docs.errors:
            parts.append(
                "Errors: " + "; ".join(f"{code}: {text.rstrip('.')}" for code, text in docs.errors.items()) + "."
            )
        return "\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return f"ToolSpec({self.name})"
