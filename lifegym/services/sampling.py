"""Random arguments for a tool, from its JSON schema: for sampling a space of calls, and for fuzzing a service.

Every sample is one that the tool's validator accepts. Beyond that, values are plausible for the parameter's name, so
that a fair share of the calls does something.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from lifegym.services.tools import ToolSpec

__all__ = ["sample_arguments", "sampler"]

Draw = Callable[[], float]
"""The next number in [0, 1)."""

Sampler = Callable[[Draw, Sequence[str]], Any]

_ID_SHARE = 0.8
"""How often a parameter that names a record gets one of the ids that exist."""

_DATES = (
    "2026-04-17", "2026-04-18", "2026-04-19", "2026-04-20", "2026-04-21", "2026-04-23", "2026-04-25", "2026-04-28",
    "2026-05-01", "2026-05-04", "2026-05-11", "2026-05-22", "2026-06-01", "2026-06-30", "2026-03-31", "2026-02-14",
    "2026-09-12", "2027-01-15", "2025-12-24", "2199-12-31",
)  # fmt: skip
_TIMES = ("00:00", "06:45", "08:00", "09:30", "12:15", "14:00", "18:05", "20:30", "23:59")
_INSTANTS = tuple(f"{day}T{time}:00+08:00" for day in _DATES for time in _TIMES[::3]) + (
    "2026-04-20", "2026-04-19T10:00", "2026-04-21T01:00:00Z",
)  # fmt: skip
_WORDS = (
    "Kyoto", "Tokyo", "Osaka", "Shanghai", "Ann", "meeting", "invoice", "dentist", "Greenleaf Market", "ryokan",
    "hotel near station", "contract", "weekly plan", "blood pressure", "museum", "Lunch with Bo", "trip", "a", "",
    "quiet room, please",
)  # fmt: skip
_IDS = ("main", "u_ann", "unknown_0001", "0", "")
_EMAILS = ("ann@mail.example", "bo.chen@work.example", "front.desk@hotel.example", "not an address")
_CURRENCIES = ("CNY", "JPY", "EUR", "USD")
_CODES = ("NRT", "HND", "PVG", "KIX", "G7", "CN", "JP", "EN", "1A", "X")
_NUMBERS = ("1", "12", "03", "2026", "+86 139 0000 0000", "62220001", "NH920")
_SPANS = (
    "closed",
    "09:00-17:00",
    "09:00-12:00, 13:00-17:00",
    "ANN LEE",
    "ann@mail.example",
    "#a1b2c3",
    "2026-04",
    "P1D",
)

_BY_NAME: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"e?mail|^(to|cc|bcc|sender|recipient|attendee|participant|invitee)s?$", _EMAILS),
    (r"currency", _CURRENCIES),
    (r"(^|_)(date|day|birthday|dob|birth|expiry|expires|checkin|checkout|check_in|check_out)s?($|_)", _DATES),
    (r"^(since|until|start|end|begin|when|after|before|from|at|due|time_min|time_max)($|_at|_time|_on)", _INSTANTS),
    (r"(time|datetime|_at|timestamp|since|until|deadline)$", _INSTANTS + _TIMES),
    (r"airport|iata|code|country|carrier|airline|class|lang", _CODES),
    (r"phone|number|_no$|seat|passport", _NUMBERS),
)  # fmt: skip
_NAMES_RECORD = re.compile(r"(^|_)(id|ids|ref|refs|key|keys|pnr|uid|token|parent|account|method|number)$")

_INTEGERS: tuple[tuple[str, tuple[int, int]], ...] = (
    (r"minor|amount|price|cost|budget", (100, 60_000)),
    (r"year", (2025, 2027)),
    (r"limit|page|size|count|max|top|days|nights|radius|offset", (1, 40)),
    (r"minutes|duration|seconds", (5, 240)),
    (r"", (0, 6)),
)
_FLOATS: tuple[tuple[str, tuple[float, float]], ...] = (
    (r"(^|_)lat", (30.0, 40.0)),
    (r"(^|_)(lng|lon)", (120.0, 140.0)),
    (r"", (0.0, 120.0)),
)


def sample_arguments(spec: ToolSpec, rng: np.random.Generator, ids: Sequence[str] = ()) -> dict[str, Any]:
    """Random arguments that the tool's validator accepts; optional parameters are left out half of the time.

    Args:
        spec: The tool.
        rng: Where the randomness comes from.
        ids: Ids of records, for parameters that name one.
    """
    sampled: dict[str, Any] = _arguments_sampler(spec)(rng.random, ids)
    return sampled


@cache
def _arguments_sampler(spec: ToolSpec) -> Sampler:
    return _object(spec.schema, spec.tool)


def sampler(schema: dict[str, Any], name: str) -> Sampler:
    """The sampler of a schema as pydantic writes it, for a parameter of this name.

    Raises:
        ValueError: The schema has a construct that is not known here.
    """
    if "const" in schema:
        return _one_of((schema["const"],))
    if "enum" in schema:
        return _one_of(tuple(schema["enum"]))
    options = schema.get("anyOf") or schema.get("oneOf")
    if options:
        return _any_of([sampler(option, name) for option in options])
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return _any_of([sampler({**schema, "type": kind}, name) for kind in kinds])
    if kinds is None:
        return _one_of(("text", 3, 2.5, True, None))
    makers: dict[str, Callable[[dict[str, Any], str], Sampler]] = {
        "string": _string,
        "integer": _integer,
        "number": _number,
        "boolean": lambda schema, name: _one_of((True, False)),
        "null": lambda schema, name: _one_of((None,)),
        "array": _array,
        "object": _object,
    }
    if kinds not in makers:
        raise ValueError(f"{name}: no sampler for the JSON type {kinds!r}")
    return makers[kinds](schema, name)


def _one_of(values: Sequence[Any]) -> Sampler:
    size = len(values)
    return lambda draw, ids: values[int(draw() * size)]


def _any_of(samplers: list[Sampler]) -> Sampler:
    """The first option most of the time: the others are mostly null."""
    first, others = samplers[0], samplers[1:]
    if not others:
        return first
    size = len(others) * 6

    def sample(draw: Draw, ids: Sequence[str]) -> Any:
        index = int(draw() * size)
        return (others[index] if index < len(others) else first)(draw, ids)

    return sample


def _string(schema: dict[str, Any], name: str) -> Sampler:
    least, most = schema.get("minLength", 0), schema.get("maxLength", 1 << 18)
    pattern = re.compile(schema.get("pattern", ""))

    def fitting(pool: Sequence[str]) -> tuple[str, ...]:
        stretched = (text if len(text) >= least else (text or "x") * least for text in pool)
        cut = dict.fromkeys(text[:most] for text in stretched)
        return tuple(text for text in cut if len(text) >= least and pattern.search(text))

    named = next((pool for expression, pool in _BY_NAME if re.search(expression, name)), _WORDS)
    ids_fit = _NAMES_RECORD.search(name) is not None and not schema.keys() & {"pattern", "minLength", "maxLength"}
    pool = fitting(_IDS if ids_fit else named)
    if not pool:
        pool = fitting([*_DATES, *_TIMES, *_INSTANTS, *_CURRENCIES, *_CODES, *_NUMBERS, *_SPANS, *_IDS, *_WORDS])
    if not pool:
        raise ValueError(f"{name}: no sample fits the pattern {pattern.pattern!r}; add one to the pools of sampling.py")
    plain = _one_of(pool)
    if not ids_fit:
        return plain

    def sample(draw: Draw, ids: Sequence[str]) -> Any:
        return ids[int(draw() * len(ids))] if ids and draw() < _ID_SHARE else plain(draw, ids)

    return sample


def _bounds(schema: dict[str, Any], usual: tuple[float, float], step: float) -> tuple[float, float]:
    """The part of a schema's range that is usual, or its lower part where none is."""
    least = schema.get("minimum", schema["exclusiveMinimum"] + step if "exclusiveMinimum" in schema else None)
    most = schema.get("maximum", schema["exclusiveMaximum"] - step if "exclusiveMaximum" in schema else None)
    low = usual[0] if least is None else max(usual[0], least)
    high = usual[1] if most is None else min(usual[1], most)
    if low > high:  # the usual values are all out of range
        low = least if least is not None else high - 10
        high = most if most is not None else low + 10
    return low, high


def _integer(schema: dict[str, Any], name: str) -> Sampler:
    usual = next(values for expression, values in _INTEGERS if re.search(expression, name))
    step = schema.get("multipleOf", 1)
    low, high = _bounds(schema, usual, 1)
    first = -(-int(low) // step) * step
    size = (int(high) - first) // step + 1
    return lambda draw, ids: first + int(draw() * size) * step


def _number(schema: dict[str, Any], name: str) -> Sampler:
    usual = next(values for expression, values in _FLOATS if re.search(expression, name))
    low, high = _bounds(schema, usual, 1e-6)
    return lambda draw, ids: low + draw() * (high - low)


def _array(schema: dict[str, Any], name: str) -> Sampler:
    item = sampler(schema.get("items", {}), name)
    least = schema.get("minItems", 0)
    spread = min(schema.get("maxItems", least + 3), least + 3) - least + 1
    return lambda draw, ids: [item(draw, ids) for _ in range(least + int(draw() * spread))]


def _object(schema: dict[str, Any], name: str) -> Sampler:
    properties = schema.get("properties", {})
    if not properties:
        return _mapping(schema, name)
    samplers = {field: sampler(inner, field) for field, inner in properties.items()}
    required = [(field, samplers[field]) for field in properties if field in schema.get("required", ())]
    optional = [(field, samplers[field]) for field in properties if field not in schema.get("required", ())]
    size = 1 << len(optional)

    def sample(draw: Draw, ids: Sequence[str]) -> Any:
        made = {field: make(draw, ids) for field, make in required}
        chosen = int(draw() * size) if optional else 0  # one bit for each optional field
        for field, make in optional:
            if chosen & 1:
                made[field] = make(draw, ids)
            chosen >>= 1
        return made

    return sample


def _mapping(schema: dict[str, Any], name: str) -> Sampler:
    """An object of free keys, such as ``dict[str, Any]``."""
    allowed = schema.get("additionalProperties", True)
    if allowed is False:
        return lambda draw, ids: {}
    value = sampler(allowed if isinstance(allowed, dict) else {}, name)
    keys = ("name", "status", "title", "note")
    return lambda draw, ids: {key: value(draw, ids) for key in keys[: int(draw() * (len(keys) + 1))]}
