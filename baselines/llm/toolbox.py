"""Which tools a model is offered: all of them, or a few and a search over the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lifegym.services import catalogue
from lifegym.services.search import words

__all__ = ["FIND", "Toolbox"]

FIND = "find_tools"
"""The function with which a model looks for tools that it is not offered yet; no tool of the world."""

_FIND: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": FIND,
        "description": "Look for tools by what they do. Those found can be called from your next message on.",
        "parameters": {
            "type": "object",
            "properties": {
                "query": {"type": "string", "description": "What you want to do, e.g. cancel a train booking."}
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    },
}
FOUND = 8


class Toolbox:
    """The tools of a world as a model is offered them.

    Where there are more than ``most``, the model gets those of the workspace and of ``assistant``, those it has found
    or called lately, and ``find_tools``.

    Args:
        services: Services of the world.
        most: How many tools a request may have.

    Raises:
        ValueError: ``most`` has no room for the tools that are always there and one more.
    """

    def __init__(self, services: Iterable[str], most: int) -> None:
        self._tools = {tool["function"]["name"]: tool for tool in catalogue.render_tools(services, "openai")}
        self.most = most
        self._always = [name for name in self._tools if name.partition("__")[0] in catalogue.ALWAYS]
        self._found: dict[str, None] = {}
        if most < len(self._tools) and most < len(self._always) + 2:
            raise ValueError(f"a request has at least {len(self._always) + 2} tools, not {most}")
        self._words = {
            name: (frozenset(words(name.replace("_", " "))), frozenset(words(tool["function"]["description"])))
            for name, tool in self._tools.items()
        }

    def offered(self) -> list[dict[str, Any]]:
        """The tools of the next request."""
        if len(self._tools) <= self.most:
            return list(self._tools.values())
        lately = list(self._found)[-(self.most - len(self._always) - 1) :]
        return [_FIND, *(self._tools[name] for name in [*self._always, *lately])]

    def used(self, name: str) -> None:
        """A tool was called: it stays at hand."""
        name = name.replace(".", "__", 1)
        if name in self._tools and name not in self._always:
            self._found.pop(name, None)
            self._found[name] = None

    def find(self, query: str) -> str:
        """What ``find_tools`` answers: the names and summaries of the best matches, which are offered from now on."""
        wanted = set(words(query))
        ranked = sorted(
            (-(3 * len(wanted & title) + len(wanted & text)), name) for name, (title, text) in self._words.items()
        )
        best = [name for score, name in ranked[:FOUND] if score < 0 and name not in self._always]
        if not best:
            services = dict.fromkeys(name.partition("__")[0] for name in self._tools)
            return f"Nothing was found. There are tools of: {', '.join(services)}."
        for name in reversed(best):
            self.used(name)
        lines = [f"{name}: {self._tools[name]['function']['description'].partition(chr(10))[0]}" for name in best]
        return "\n".join(lines)
