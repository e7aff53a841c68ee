"""What a service promises on paper: names, documentation, schemas, and validators that agree with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import numpy as np
import orjson

from lifegym.services import ToolError, ToolSpec, catalogue
from lifegym.services.sampling import sample_arguments

from .error_codes import PAYMENT_REFUSALS, UNKNOWN, raised_codes, uncaught_errors

__all__ = ["documentation", "error_codes", "reference_interface", "renderings", "schemas", "validation"]

FUNCTION_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_KINDS: tuple[tuple[str, str], ...] = (
    (r"List|list", "array"),
    (r"Dict|dict|Profile|Contact|Details", "object"),
    (r"\bstr\b", "string"),
    (r"\bfloat\b", "number"),
    (r"\bint\b", "integer"),
    (r"\bbool\b", "boolean"),
)


def reference_interface(name: str, reference: list[dict[str, Any]]) -> list[str]:
    """Tools and parameters against the interface that the service reproduces.

    Args:
        name: The service.
        reference: Per tool ``{"tool": str, "parameters": [{"name", "type", "required"}, ...]}``.
    """
    problems = []
    tools = catalogue.tools_of(name)
    for entry in reference:
        spec = tools.get(entry["tool"])
        if spec is None:
            problems.append(f"{name}.{entry['tool']} is missing: add a @tool of this name")
            continue
        wanted = {parameter["name"]: parameter for parameter in entry["parameters"]}
        for parameter, facts in wanted.items():
            if parameter not in spec.arguments.names:
                problems.append(f"{spec.name} has no parameter {parameter}: add it")
            elif (parameter in spec.arguments.required) != facts["required"]:
                problems.append(f"{spec.name}: {parameter} must be {'required' if facts['required'] else 'optional'}")
            else:
                problems.extend(_kind_differs(spec, parameter, facts["type"]))
        common = [parameter for parameter in spec.arguments.names if parameter in wanted]
        if len(common) == len(wanted) and common != list(wanted):
            problems.append(f"{spec.name}: order the parameters {', '.join(wanted)}, not {', '.join(common)}")
        for parameter in spec.arguments.required:
            if parameter not in wanted:
                problems.append(f"{spec.name}: {parameter} is an addition and must be optional")
    return problems


def _kind_differs(spec: ToolSpec, parameter: str, declared: str) -> Iterator[str]:
    """Whether the schema lacks the outermost kind that the reference declares."""
    outermost = re.sub(r"^Optional\[|\[.*", "", declared) if "Union" not in declared else declared
    kind = next((kind for expression, kind in _KINDS if re.search(expression, outermost)), None)
    if declared.startswith(("list[", "Optional[list[", "Optional[List[")):
        kind = "array"
    if kind and kind not in _types(spec.schema["properties"][parameter]):
        yield f"{spec.name}: {parameter} must take a JSON {kind} ({declared})"


def _types(schema: dict[str, Any]) -> set[str]:
    if "type" not in schema and "anyOf" not in schema and "enum" not in schema and "const" not in schema:
        return {"array", "object", "string", "number", "integer", "boolean", "null"}
    named = schema.get("type", [])
    found = {named} if isinstance(named, str) else set(named)
    if not found and ("enum" in schema or "const" in schema):
        found = {"string"}
    return found.union(*(_types(option) for option in schema.get("anyOf", ())))


def documentation(name: str) -> list[str]:
    """Every tool says what it does, takes and returns."""
    problems = []
    for spec in catalogue.tools_of(name).values():
        docs = spec.docs
        if not docs.summary.endswith("."):
            problems.append(f"{spec.name}: end the one-line summary {docs.summary!r} with a period")
        for parameter in spec.arguments.names:
            if not docs.args.get(parameter):
                problems.append(f"{spec.name}: describe {parameter} under Args:")
        for parameter in docs.args:
            if parameter not in spec.arguments.names:
                problems.append(f"{spec.name}: Args: describes {parameter}, which is no parameter")
        if not docs.returns and name != "assistant":
            problems.append(f"{spec.name}: name the result's fields under Returns:")
        for code, text in docs.errors.items():
            if not text or not re.fullmatch(r"[a-z][a-z0-9_]*", code):
                problems.append(f"{spec.name}: the error {code} needs a lower-case name and a sentence")
    return problems


def error_codes(name: str) -> list[str]:
    """Every error code that a tool can raise is under Errors:, and no other."""
    problems = []
    service = catalogue.service_class(name)
    for spec in catalogue.tools_of(name).values():
        raised, documented = raised_codes(service, spec), set(spec.docs.errors)
        optional = PAYMENT_REFUSALS if "unknown_payment_method" in raised else frozenset()
        for code in sorted(raised - documented - optional):
            if code == UNKNOWN:
                problems.append(f"{spec.name}: an error's code cannot be read from the source; write it as a literal")
            else:
                problems.append(f"{spec.name} can raise {code}: say when under Errors:, or call what does not raise it")
        for code in sorted(documented - raised):
            problems.append(f"{spec.name} never raises {code}: take it from Errors:, or raise it")
        for error in uncaught_errors(service, spec):
            problems.append(f"{spec.name} lets {error} through, which is a fault: catch it and raise a ToolError")
    return problems


def schemas(name: str) -> list[str]:
    """Schemas are plain JSON Schema 2020-12."""
    problems = []
    for spec in catalogue.tools_of(name).values():
        try:
            jsonschema.Draft202012Validator.check_schema(spec.schema)
        except jsonschema.SchemaError as error:
            problems.append(f"{spec.name}: the schema is invalid: {error.message}")
        text = orjson.dumps(spec.schema).decode()
        for word in ("$ref", "$defs", '"title":'):
            if word in text and word.strip('":') not in spec.arguments.names:
                problems.append(f"{spec.name}: the schema still has {word}")
        if list(spec.schema["properties"]) != list(spec.arguments.names):
            problems.append(f"{spec.name}: the schema's properties are not the parameters")
    return problems


def renderings(name: str) -> list[str]:
    """The tools in each provider's form."""
    problems = []
    keys = {
        "anthropic": {"name", "description", "input_schema"},
        "mcp": {"name", "description", "inputSchema", "annotations"},
        "json-schema": {"name", "description", "schema", "write"},
    }
    specs = catalogue.tools_of(name)
    for format in ("openai", *keys):
        tools = catalogue.render_tools([name], format)  # type: ignore[arg-type]
        mine = tools[: len(specs)] if name not in catalogue.ALWAYS else tools
        for tool in mine:
            body = tool["function"] if format == "openai" else tool
            if set(body) != keys.get(format, {"name", "description", "parameters"}):
                problems.append(f"{body.get('name')}: unexpected keys {sorted(body)} for {format}")
            if format != "json-schema" and not FUNCTION_NAME.fullmatch(body["name"]):
                problems.append(f"{body['name']} is no function name for {format}")
            if not body["description"].strip():
                problems.append(f"{body['name']} has no description for {format}")
        orjson.dumps(tools)
        wanted = [spec.name if format == "json-schema" else f"{spec.service}__{spec.tool}" for spec in specs.values()]
        names = [(tool["function"] if format == "openai" else tool)["name"] for tool in mine]
        if not set(wanted) <= set(names):
            problems.append(f"{name}: the {format} form lacks {', '.join(sorted(set(wanted) - set(names)))}")
    return problems


def validation(name: str, rng: np.random.Generator, count: int) -> list[str]:
    """The validator that a call goes through and the published schema accept and refuse the same arguments."""
    problems = []
    specs = list(catalogue.tools_of(name).values())
    published = {spec.name: jsonschema.Draft202012Validator(spec.schema) for spec in specs}
    for number in range(count):
        spec = specs[number % len(specs)]
        arguments = sample_arguments(spec, rng)
        if not _accepts(spec, arguments):
            problems.append(f"{spec.name}: refuses what its schema was sampled to: {_shown(arguments)}")
        for _ in range(int(rng.integers(1, 4))):
            arguments = mutated(arguments, rng, spec)
            ours, theirs = _accepts(spec, arguments), published[spec.name].is_valid(arguments)
            if ours != theirs:
                problems.append(
                    f"{spec.name}: the validator {'accepts' if ours else 'refuses'} and the schema "
                    f"{'accepts' if theirs else 'refuses'} {_shown(arguments)}"
                )
    return problems


def _accepts(spec: ToolSpec, arguments: dict[str, Any]) -> bool:
    try:
        spec.arguments.validate(arguments)
    except ToolError:
        return False
    return True


def _shown(arguments: Any) -> str:
    return ascii(arguments)[:300]


_ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 1.0, 250.0, 2.5, -0.5, 10**15, -(10**15), 1e15, "", "x", "5", "2026-04-17", "09:30",
    2**63 - 1, "9999-12-31", "0001-01-01T00:00:00+14:00", "2199-12-31T23:59:59Z", "25:00", "CNY", "x" * 3000,
    "\u5317\u4eac", [], ["x"], [1, "x", None], {}, {"x": 1}, [{"x": 1}], [[]], [1] * 300,
)  # fmt: skip


def mutated(arguments: dict[str, Any], rng: np.random.Generator, spec: ToolSpec) -> dict[str, Any]:
    """The arguments with one thing changed somewhere: replaced, missing, too much, integral float for an integer."""
    copy = orjson.loads(orjson.dumps(arguments))
    found = list(places(copy))
    holder, key = found[int(rng.integers(len(found)))] if found else (copy, None)
    kind = int(rng.integers(10))
    if kind == 0 or key is None:
        holder = holder if isinstance(holder, dict) else copy
        names = [*spec.arguments.names, "extra", "", "x"]
        holder[names[int(rng.integers(len(names)))]] = _ODD[int(rng.integers(len(_ODD)))]
    elif kind == 1:
        del holder[key]
    elif kind == 2 and isinstance(holder[key], int):
        holder[key] = float(holder[key])
    elif kind == 3 and isinstance(holder[key], (int, float)):
        product = holder[key] * int(rng.integers(-3, 1000))
        # Mutations of mutations stay among the integers that JSON can carry here, those of 64 bits.
        holder[key] = product if isinstance(product, float) else max(-(2**63), min(product, 2**63 - 1))
    elif kind == 4 and isinstance(holder[key], list):
        holder[key] = holder[key] * 60
    elif kind == 5 and isinstance(holder[key], str):
        holder[key] = holder[key].swapcase() * int(rng.integers(1, 3))
    else:
        holder[key] = _ODD[int(rng.integers(len(_ODD)))]
    return copy  # type: ignore[no-any-return]


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value: what holds it, and its key or index there."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from places(value[key])
