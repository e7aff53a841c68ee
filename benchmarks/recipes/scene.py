"""What a recipe sees: the world's records, chance, and the means to bring about what a call needs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

from lifegym.services import ToolSpec, catalogue
from lifegym.world import World, clock

__all__ = ["Recipe", "Scene", "Unplayable"]

T = TypeVar("T")
_WORDS = ("tent", "lamp", "rent", "Kyoto", "plan", "tea", "lease", "route", "Sunday", "harbour", "lantern", "visit")


class Unplayable(Exception):
    """The world has not what a recipe needs."""


class Scene:
    """A world in which a call is about to be made.

    Args:
        world: Where.
        random: Where the chance comes from.
        recipes: Of all tools, for those that are called before another.
        call: Makes a call and returns its result, or None where it was refused.
        happen: Lets a happening happen and returns what it touched.
        advance: Lets so many seconds pass.
    """

    def __init__(
        self,
        world: World,
        random: Random,
        recipes: Mapping[str, Recipe],
        call: Callable[[ToolSpec, dict[str, Any]], Any],
        happen: Callable[[str, dict[str, Any]], list[str]],
        advance: Callable[[int], None],
    ) -> None:
        self.world = world
        self.owner = world.owner
        self.random = random
        self._call = call
        self._happen = happen
        self._advance = advance
        self._recipes = recipes

    # -- what there is -------------------------------------------------------------------------------------------

    def rows(self, table: str, test: Callable[[Any], bool] | None = None, **fields: Any) -> list[Any]:
        """The records whose fields have these values (a tuple: one of them) and that pass a test."""
        if table.partition(".")[0] not in (*self.world.services, "world"):
            return []
        found = []
        for row in self.world.table(table).rows():
            for field, value in fields.items():
                if (row[field] not in value) if isinstance(value, tuple) else (row[field] != value):
                    break
            else:
                if test is None or test(row):
                    found.append(row)
        return found

    def find(self, table: str, key: str) -> Any:
        """The record with this key.

        Raises:
            Unplayable: There is none.
        """
        record = self.world.table(table).find(key)
        if record is None:
            raise Unplayable
        return record

    def pick(self, table: str, test: Callable[[Any], bool] | None = None, **fields: Any) -> Any:
        """One of those records.

        Raises:
            Unplayable: There is none.
        """
        return self.choose(self.rows(table, test, **fields))

    def pick_after(
        self, opening: Callable[[Scene], Any], table: str, test: Callable[[Any], bool] | None = None, **fields: Any
    ) -> Any:
        """One of those records; where there is none (and now and then anyway) an opening makes one first."""
        found = self.rows(table, test, **fields)
        if not found or self.chance(0.15):
            opening(self)
            found = self.rows(table, test, **fields)
        return self.choose(found)

    def choose(self, values: Sequence[T]) -> T:
        """One of some values.

        Raises:
            Unplayable: There are none.
        """
        if not values:
            raise Unplayable
        return values[int(self.random.random() * len(values))]

    # -- chance --------------------------------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return self.random.random() < share

    def number(self, first: int, last: int) -> int:
        """A whole number between two, both included."""
        return first + int(self.random.random() * (last - first + 1))

    def text(self) -> str:
        """A few words that hardly come twice."""
        return f"{self.choose(_WORDS)} and {self.choose(_WORDS)} {self.number(1, 10**6)}"

    def name(self, singular: str) -> str:
        """A fresh name."""
        return f"{singular}{self.number(1, 10**9)}"

    # -- time ----------------------------------------------------------------------------------------------------

    def day(self, first: int, last: int) -> str:
        """A day so many days from today."""
        return (self.world.today() + dt.timedelta(days=self.number(first, last))).isoformat()

    def at(self, first: float, last: float) -> str:
        """An instant so many hours from now."""
        return self.world.iso(self.world.now + self.number(int(first * 60), int(last * 60)) * 60)

    def hour(self, day: str, first: int, last: int) -> str:
        """A full hour of a day, in the world's zone."""
        start = clock.day_start(clock.parse_day(day), self.world.zone)
        return self.world.iso(start + self.number(first, last) * clock.HOUR)

    def seconds(self, stamp: str) -> int:
        """The instant of an ISO text."""
        return clock.parse_instant(stamp, self.world.zone)

    def coming(self, stamp: str | None) -> bool:
        """Whether an instant or a day lies ahead."""
        return bool(stamp) and self.seconds(stamp or "") > self.world.now

    def wait_until(self, instant: int) -> None:
        """Let time pass to an instant, if it lies ahead and not too far.

        Raises:
            Unplayable: It is more than 30 days away.
        """
        if instant > self.world.now + 30 * clock.DAY:
            raise Unplayable
        if instant > self.world.now:
            self._advance(instant - self.world.now)

    # -- openings ------------------------------------------------------------------------------------------------

    def make(self, tool: str, **changes: Any) -> Any:
        """Call another tool by its recipe. Returns its result.

        Raises:
            Unplayable: It is refused, or its own recipe does not work out.
        """
        return self.call(tool, **{**self._recipes[tool](self), **changes})

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call another tool. Returns its result.

        Raises:
            Unplayable: It is refused, or its service is not here.
        """
        spec = catalogue.find_tool(tool)
        if spec is None or spec.service not in (*self.world.services, *catalogue.ALWAYS):
            raise Unplayable
        result = self._call(spec, arguments)
        if result is None:
            raise Unplayable
        return result

    def happen(self, verb: str, **arguments: Any) -> list[str]:
        """Let something happen. Returns the keys touched.

        Raises:
            Unplayable: It touches nothing, or its service is not here.
        """
        if verb.partition(".")[0] not in self.world.services:
            raise Unplayable
        touched = self._happen(verb, arguments)
        if not touched:
            raise Unplayable
        return touched


Recipe = Callable[[Scene], dict[str, Any]]
"""Makes arguments that the world as it is should accept."""
