"""Looking into a world with its own read tools, so that a page can show nothing that the agent could not see."""

from __future__ import annotations

import datetime as dt
import re
from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import orjson

from lifegym.services import catalogue, dispatch
from lifegym.world import World, clock

__all__ = ["Found", "Look", "WorldLook", "greatest"]

_MOST = re.compile(r"(?:at most|up to|1 to) (\d+)")
"""How a tool tells the most that it gives at once."""


class Found(NamedTuple):
    """Rows of a list, and how many there are in all."""

    rows: list[dict[str, Any]]
    total: int

    @property
    def note(self) -> str:
        """What is left out, in a sentence; "" where nothing is."""
        return f"{len(self.rows)} of {self.total} are shown." if self.total > len(self.rows) else ""


class Look(ABC):
    """How a view reads.

    Attributes:
        deep: Whether calls cost nothing, so that lists are read to their end and inventories record by record.
    """

    deep = False

    @property
    @abstractmethod
    def world(self) -> World:
        """The world that is looked at; views ask it who and when, never for records."""

    @abstractmethod
    def read(self, tool: str, /, **arguments: Any) -> dict[str, Any] | None:
        """The result of a call; None where the world refuses it."""

    @property
    def owner(self) -> str:
        """User id of the person."""
        return self.world.owner

    @property
    def zone(self) -> str:
        """The person's time zone."""
        return self.world.zone

    @property
    def today(self) -> dt.date:
        """Today, where the person is."""
        return clock.local(self.world.now, self.zone).date()

    def rows(self, tool: str, key: str, /, **arguments: Any) -> Found:
        """The rows of a list; the person's own where the tool asks whose."""
        spec = catalogue.find_tool(tool)
        assert spec is not None, tool
        if "user_id" in spec.schema["required"]:
            arguments = {"user_id": self.owner, **arguments}
        properties = spec.schema["properties"]
        size = next((name for name in ("page_size", "limit", "max_results") if name in properties), "")
        most = greatest(properties[size]) if size else None
        if most is not None:
            arguments = {size: most, **arguments}
        result = self.read(tool, **arguments)
        if result is None:
            return Found([], 0)
        rows = list(result.get(key) or [])
        total = max(int(result.get("total") or 0), len(rows))
        pages = int(result.get("pages", 1)) if self.deep else 1
        for number in range(2, pages + 1):
            further = self.read(tool, **{**arguments, "page": number})
            rows += further[key] if further else []
        while self.deep and "offset" in properties and 0 < len(rows) < total:
            further = self.read(tool, **{**arguments, "offset": len(rows)})
            if not further or not further[key]:
                break
            rows += further[key]
        return Found(rows, total)

    def keys(self, table: str, *fields: str) -> list[dict[str, Any]]:
        """Names of a kind of record, to ask the tools for one by one; none where calls cost something.

        A name is all that is taken from the records: what the tools refuse to show stays unknown.
        """
        if not self.deep:
            return []
        records = self.world.table(table)
        return [{field: row[field] for field in fields or (records.key,)} for row in records.rows()]


def greatest(parameter: dict[str, Any]) -> int | None:
    """The most that a parameter for the size of a list takes, as its description or schema tells, or None."""
    told = _MOST.search(str(parameter.get("description", "")))
    most = parameter.get("maximum") or next((o["maximum"] for o in parameter.get("anyOf", ()) if "maximum" in o), None)
    return int(told[1]) if told else int(most) if most else None


class WorldLook(Look):
    """A look at a world that is left as it is: each call is made on a fork."""

    deep = True

    def __init__(self, world: World) -> None:
        self._world = world.fork()

    @property
    def world(self) -> World:
        return self._world

    def read(self, tool: str, /, **arguments: Any) -> dict[str, Any] | None:
        return self.read_after([], tool, **arguments)

    def read_after(
        self, before: list[tuple[str, dict[str, Any]]], tool: str, /, **arguments: Any
    ) -> dict[str, Any] | None:
        """The result of a call after some others, such as that of a file which an attachment was saved to."""
        fork = self._world.fork()
        try:
            for name, given in before:
                if _called(fork, name, given) is None:
                    return None
            return _called(fork, tool, arguments)
        finally:
            fork.unbind()


def _called(world: World, tool: str, arguments: dict[str, Any]) -> dict[str, Any] | None:
    call = dispatch.parse({"tool": tool, "arguments": arguments}, world.services)
    outcome = call if isinstance(call, dispatch.Outcome) else dispatch.execute(world, call)
    found: dict[str, Any] | None = orjson.loads(outcome.text) if outcome.ok else None
    return found
