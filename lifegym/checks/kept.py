"""What shared names and functions gave at one moment, worked out once for all the checks that use them."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from lifegym.checks.budget import spend, spending
from lifegym.checks.expressions import Expression, Macro
from lifegym.world.frozen import FrozenDict
from lifegym.world.store import Record

if TYPE_CHECKING:
    from lifegym.checks.check import Let

__all__ = ["Kept"]

_BY_VALUE = frozenset({str, int, bool, type(None), dt.date})
"""Arguments that are told apart by their values: where these are equal, and the types, nothing else differs."""

_BY_IDENTITY = frozenset({FrozenDict, Record})
"""Arguments that never change, told apart by which object they are."""


class Kept:
    """The shared names of one moment.

    Args:
        scope: What else they may name. Each is added to it when a check first needs it.
    """

    __slots__ = ("results", "scope")

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.results: dict[tuple[Any, ...], tuple[Any, int, tuple[Any, ...]]] = {}

    def names(self) -> dict[str, Any]:
        """A scope for one check. What the check names itself stays in it."""
        return _Names(self.scope)

    def bind(self, let: Let) -> None:
        """Let a shared name be in the scope. One whose expression raises is not kept, and raises the next time too."""
        if let.name not in self.scope:
            self.scope[let.name] = (
                _KeptMacro(let.parameters, let.expression, self.scope, self.results)
                if let.parameters
                else let.expression.evaluate(self.scope)
            )


class _Names(dict[str, Any]):
    __slots__ = ("_above",)

    def __init__(self, above: dict[str, Any]) -> None:
        super().__init__()
        self._above = above

    def __missing__(self, name: str) -> Any:
        return self._above[name]


class _KeptMacro(Macro):
    """A shared function whose results are kept. A kept one takes as much of the budget as it did when worked out."""

    def __init__(
        self,
        parameters: tuple[str, ...],
        expression: Expression,
        scope: dict[str, Any],
        results: dict[tuple[Any, ...], tuple[Any, int, tuple[Any, ...]]],
    ) -> None:
        super().__init__(parameters, expression, scope)
        self.results = results

    def __call__(self, *args: Any) -> Any:
        parts: list[Any] = [self.expression]
        for arg in args:
            kind = type(arg)
            if kind in _BY_VALUE:
                parts += (kind, arg)
            elif kind in _BY_IDENTITY:
                parts += (kind, id(arg))
            else:
                return super().__call__(*args)
        key = tuple(parts)
        known = self.results.get(key)
        if known is not None:
            spend(known[1])
            return known[0]
        steps = spending.get()
        before = steps.left if steps else 0
        result = super().__call__(*args)
        if steps is not None:
            self.results[key] = (result, before - steps.left, args)  # with args, so that their ids stay theirs
        return result
