"""From what an agent sent to what came of it: one call, checked, carried out, and never an exception."""

from __future__ import annotations

import difflib
import math
import traceback
from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from lifegym.services import catalogue
from lifegym.services.tools import ToolError, ToolSpec
from lifegym.world.world import World

__all__ = ["Call", "Outcome", "accepts", "execute", "parse", "refusal"]

CALL_LIMIT = 400_000
"""Bytes of JSON that one call may have."""


class Call(NamedTuple):
    """A well-formed call: the tool and its validated arguments, free of anything the caller still holds."""

    spec: ToolSpec
    arguments: dict[str, Any]


class Outcome(NamedTuple):
    """What came of a call.

    Attributes:
        ok: Whether the world accepted it.
        code: "" or the error's code.
        text: The JSON that the agent sees.
        result: The same as a value.
        fault: "" or the traceback of a defect of the environment.
    """

    ok: bool
    code: str
    text: str
    result: Any
    fault: str = ""


def refusal(code: str, message: str, fault: str = "") -> Outcome:
    """The outcome of a call that was not accepted."""
    result = {"error": {"code": code, "message": message}}
    return Outcome(False, code, orjson.dumps(result).decode(), result, fault)


def parse(action: Any, services: tuple[str, ...]) -> Call | Outcome:
    """Read an action ``{"tool": ..., "arguments": {...}}``; what is wrong with it comes back as a refusal."""
    try:
        if not isinstance(action, Mapping):
            return refusal(
                "bad_action",
                f"an action is an object {{'tool': ..., 'arguments': {{...}}}}, not {type(action).__name__[:40]}",
            )
        name = action.get("tool")
        given = action.get("arguments")
        extra = next((ascii(key)[:60] for key in action if key != "tool" and key != "arguments"), "")
    except Exception:  # an object of the caller's own that misbehaves
        return refusal("bad_action", "the action cannot be read; send a plain object {'tool': ..., 'arguments': {...}}")
    if extra:
        return refusal("bad_action", f"an action has the keys 'tool' and 'arguments' only, not {extra}")
    if type(name) is not str:
        return refusal("bad_action", "'tool' is missing or no text; name a tool such as 'email.get_emails'")
    spec = catalogue.find_tool(name)
    if spec is None:
        return refusal("unknown_tool", _unknown(name, services))
    if spec.service not in services and spec.service not in catalogue.ALWAYS:
        return refusal("service_unavailable", f"{spec.service} is not available here; there are: {', '.join(services)}")
    if given is None:
        given = {}
    try:
        if not isinstance(given, dict):
            kind = type(given).__name__[:40]
            return refusal("bad_arguments", f"'arguments' is an object of named values, not {kind}")
        raw = orjson.dumps(given)
        if len(raw) > CALL_LIMIT:
            return refusal(
                "too_large", f"a call has at most {CALL_LIMIT // 1000} KB of arguments, not {len(raw) // 1000}"
            )
        if b"null" in raw and _has_nan(given):
            return refusal("bad_arguments", "NaN and Infinity are not JSON numbers")
        plain = orjson.loads(raw)
    except Exception as error:
        return refusal("bad_arguments", f"the arguments are not JSON: {_printable(str(error))[:200]}")
    try:
        return Call(spec, spec.arguments.validate(plain))
    except ToolError as error:
        return refusal(error.code, error.message)


def execute(world: World, call: Call) -> Outcome:
    """Carry out a call. A defect in a service comes back as ``internal_error`` with its traceback in ``fault``."""
    spec = call.spec
    service = world.service(spec.service)
    before, world._cause = world._cause, "agent"
    try:
        result = spec.method(service, **call.arguments)
        return Outcome(True, "", orjson.dumps(result).decode(), result)
    except ToolError as error:
        return refusal(error.code, _printable(error.message))
    except Exception:
        return refusal(
            "internal_error",
            "the environment failed to carry out this call; this is not your fault",
            traceback.format_exc(),
        )
    finally:
        world._cause = before


def accepts(world: World, call: Call) -> bool:
    """Carry out a call, and say no more of it than whether it was accepted."""
    service = world.service(call.spec.service)
    before, world._cause = world._cause, "agent"
    try:
        call.spec.method(service, **call.arguments)
        return True
    except Exception:
        return False
    finally:
        world._cause = before


def _unknown(name: str, services: tuple[str, ...]) -> str:
    names = catalogue.tool_names(services)
    near = difflib.get_close_matches(name[:80], names, n=3, cutoff=0.5)
    if not near:
        tail = name[:80].replace("__", ".").rpartition(".")[2]
        near = [full for full in names if full.rpartition(".")[2] == tail][:3]
    hint = f"; do you mean {' or '.join(near)}?" if near else f"; the services are: {', '.join(services)}"
    return f"there is no tool {_printable(name[:80])!r}{hint}"


def _printable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return not math.isfinite(value)
    # By the built-in methods, whatever a subclass makes of them: this is what was serialised.
    if isinstance(value, dict):
        return any(map(_has_nan, dict.values(value)))
    if isinstance(value, list):
        return any(map(_has_nan, list.__iter__(value)))
    if isinstance(value, tuple):
        return any(map(_has_nan, tuple.__iter__(value)))
    return False
