"""Spaces for what agents say and see: tool calls and texts of any script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Space

from lifegym.services import catalogue, dispatch
from lifegym.services.sampling import sample_arguments

__all__ = ["ToolCallSpace", "Unicode"]


class ToolCallSpace(Space[dict[str, Any]]):
    """Actions ``{"tool": "service.tool", "arguments": {...}}`` that the services' validators accept.

    Args:
        services: Names of the services of the world; ``workspace`` and ``assistant`` are added.
        seed: Seed of the space's own generator.
    """

    def __init__(self, services: Iterable[str], seed: int | np.random.Generator | None = None) -> None:
        self.services = tuple(services)
        super().__init__(None, None, seed)

    @property
    def tools(self) -> list[str]:
        """The names of all tools."""
        return catalogue.tool_names(self.services)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> dict[str, Any]:
        """A random valid call: a tool, then arguments from its schema. Masks are not supported."""
        if mask is not None or probability is not None:
            raise ValueError("ToolCallSpace.sample takes no mask; choose a tool and use sample_tool(name)")
        tools = self.tools
        return self.sample_tool(tools[int(self.np_random.integers(len(tools)))])

    def sample_tool(self, name: str, ids: Sequence[str] = ()) -> dict[str, Any]:
        """A random valid call of one tool; ``ids`` are offered where an id is asked for.

        Raises:
            KeyError: There is no such tool.
        """
        spec = catalogue.find_tool(name)
        if spec is None:
            raise KeyError(name)
        return {"tool": spec.name, "arguments": sample_arguments(spec, self.np_random, ids)}

    def contains(self, x: Any) -> bool:
        return isinstance(dispatch.parse(x, self.services), dispatch.Call)

    def to_jsonable(self, sample_n: Iterable[dict[str, Any]]) -> list[Any]:
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[dict[str, Any]]:
        return list(sample_n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolCallSpace) and other.services == self.services

    def __repr__(self) -> str:
        return f"ToolCallSpace({', '.join(self.services)})"


class Unicode(Space[str]):
    """Texts of any length and script. (``gymnasium.spaces.Text`` knows a fixed set of characters.)"""

    def __init__(self, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(None, None, seed)

    @property
    def is_np_flattenable(self) -> bool:
        return False

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> str:
        if mask is not None or probability is not None:
            raise ValueError("Unicode.sample takes no mask")
        size = int(self.np_random.integers(0, 20))
        return "".join(chr(int(c)) for c in self.np_random.integers(32, 0x2FFF, size))

    def contains(self, x: Any) -> bool:
        return isinstance(x, str)

    def to_jsonable(self, sample_n: Iterable[str]) -> list[Any]:
        return list(sample_n)

    def from_jsonable(self, sample_n: list[Any]) -> list[str]:
        return list(sample_n)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Unicode)

    def __repr__(self) -> str:
        return "Unicode()"
