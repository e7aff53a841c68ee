"""Filling in a tool's parameters one by one, with what its schema says about each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from lifegym.services.parameters import Parameter, parameters
from lifegym.services.tools import ToolSpec

__all__ = ["CANCEL", "fill"]

CANCEL = "/cancel"


def fill(spec: ToolSpec, ask: Callable[[str], str], say: Callable[[str], None]) -> dict[str, Any] | None:
    """Ask for the arguments of a tool.

    Args:
        spec: The tool.
        ask: Shows a prompt and gives what was typed.
        say: Shows a line.

    Returns:
        The arguments, or None where it was cancelled.
    """
    found: dict[str, Any] = {}
    for parameter in parameters(spec):
        required = "required" if parameter.required else "optional"
        say(f"{parameter.name}: {parameter.form} ({required}). {parameter.description}".rstrip())
        while True:
            typed = ask(f"  {parameter.name} = ").strip()
            if typed == CANCEL:
                return None
            if not typed:
                if not parameter.required:
                    break
                say(f"  It is required; {CANCEL} leaves the form.")
                continue
            value = _value(parameter, typed)
            complaint = parameter.complaint(value)
            if not complaint:
                found[parameter.name] = value
                break
            say(f"  {complaint}")
    return found


def _value(parameter: Parameter, typed: str) -> Any:
    """What was typed; a text in double quotes may have the escapes of JSON, such as \\n."""
    if typed.startswith('"'):
        try:
            return orjson.loads(typed)
        except orjson.JSONDecodeError:
            pass
    return parameter.value(typed)
