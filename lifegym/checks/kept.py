"""What shared names and functions gave, worked out again only when something that they read has changed."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lifegym.checks.budget import BUDGET, spend, spending
from lifegym.checks.expressions import Expression, Macro
from lifegym.world.frozen import FrozenDict
from lifegym.world.record import Record

if TYPE_CHECKING:
    from lifegym.checks.check import Let, Verdict
    from lifegym.checks.evidence import Evidence

__all__ = ["Kept", "KeptMacro", "Names", "Results", "Sources", "Standing", "same", "standing"]

Sources = frozenset[tuple[str, str]]
"""Kinds and names: ``table``, ``file`` and ``event`` with what they are called; ``events``, ``calls``, ``turns``."""

Standing = list[Any]
"""For each source an object that is another one after every change."""

_RESULTS_LIMIT = 2000
"""How many results of a function are kept."""

_BY_VALUE = frozenset({str, int, bool, type(None), dt.date})
"""Arguments that are told apart by their values: where these are equal, and the types, nothing else differs."""

_UNCHANGING: frozenset[type] = frozenset({FrozenDict, Record})
"""Arguments that never change, told apart by which object they are."""


def _last(values: list[Any]) -> Any:
    return values[-1] if values else None


_STANDS: dict[str, Callable[[Evidence, str], Any]] = {
    "calls": lambda evidence, _: _last(evidence.history.calls),
    "event": lambda evidence, id: evidence.history.fired.get(id),
    "events": lambda evidence, _: next(reversed(evidence.history.fired.values()), None),
    "file": lambda evidence, path: evidence.world.workspace.get(path),
    "table": lambda evidence, table: evidence.world.store.version(table),
    "turns": lambda evidence, _: _last(evidence.history.turns),
}
"""Histories only grow, so their last entry tells one from another."""


def standing(sources: Sources | None, evidence: Evidence) -> Standing | None:
    """How sources stand at a moment; None where it cannot be told what is read."""
    return None if sources is None else [_STANDS[kind](evidence, name) for kind, name in sources]


def same(before: Standing | None, now: Standing | None) -> bool:
    """Whether the same sources stand as they did."""
    return before is not None and now is not None and all(map(operator.is_, before, now))


class Kept:
    """What one episode keeps of the moments that were looked at. It is no part of its state.

    Attributes:
        names: Of shared names, how their sources stood and what they gave.
        clean: Of checks in which no never-clause tripped, how their sources stood.
        verdicts: Of checks with several moments, how their sources stood and how they were decided.
    """

    __slots__ = ("clean", "names", "verdicts")

    def __init__(self) -> None:
        self.names: dict[str, tuple[Standing | None, Any]] = {}
        self.clean: dict[str, Standing] = {}
        self.verdicts: dict[str, tuple[Standing, Verdict]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return (Kept, ())


class Names:
    """The shared names of one moment. Each is worked out when a check first needs it.

    Args:
        evidence: The moment.
        scope: What else they may name; they are added to it.
        kept: What former moments left.
    """

    __slots__ = ("_evidence", "_kept", "_scope", "_standing")

    def __init__(self, evidence: Evidence, scope: dict[str, Any], kept: Kept) -> None:
        self._evidence = evidence
        self._scope = scope
        self._kept = kept
        self._standing: dict[Sources | None, Standing | None] = {}

    def scope(self) -> dict[str, Any]:
        """A scope for one check. What the check names itself stays in it."""
        return _Own(self._scope)

    def bind(self, let: Let) -> None:
        """Let a shared name be in the scope. One whose expression raises is not kept, and raises the next time too."""
        if let.name in self._scope:
            return
        reads = let.reads
        if reads in self._standing:
            stands = self._standing[reads]
        else:
            stands = self._standing[reads] = standing(reads, self._evidence)
        given = self._kept.names.get(let.name)
        if given is None or not same(given[0], stands):
            given = (stands, Results() if let.parameters else let.expression.evaluate(self._scope))
            if stands is not None:
                self._kept.names[let.name] = given
        value = given[1]
        if let.parameters:
            value = KeptMacro(let.parameters, let.expression, self._scope, value)
        self._scope[let.name] = value

    def clear(self) -> None:
        """Let go of the moment."""
        self._scope.clear()


class _Own(dict[str, Any]):
    __slots__ = ("_above",)

    def __init__(self, above: dict[str, Any]) -> None:
        super().__init__()
        self._above = above

    def __missing__(self, name: str) -> Any:
        return self._above[name]


class Results(dict[tuple[Any, ...], tuple[Any, int, tuple[Any, ...]]]):
    """Of a function: arguments to the value, the steps that it took, and the arguments themselves.

    They are let go when they are many, or hold as much as one evaluation could make.
    """

    __slots__ = ("_held",)

    def __init__(self) -> None:
        super().__init__()
        self._held = 0

    def keep(self, key: tuple[Any, ...], value: Any, steps: int, args: tuple[Any, ...]) -> None:
        """Keep a value; its arguments too, so that their ids stay theirs."""
        held = steps + sum([len(arg) >> 6 for arg in args if type(arg) is str])
        if len(self) >= _RESULTS_LIMIT or self._held + held > BUDGET:
            self.clear()
        self[key] = (value, steps, args)
        self._held += held

    def clear(self) -> None:
        super().clear()
        self._held = 0


class KeptMacro(Macro):
    """A shared function whose results are kept. A kept one takes as much of the budget as it did when worked out.

    Args:
        parameters: Their names.
        expression: What is evaluated.
        scope: Where its other names are looked up, when it is called.
        results: Where they are kept; to be cleared when something changes that the function reads.
        unchanging: Types of arguments that nobody changes, so that which object one is tells what it holds.
    """

    def __init__(
        self,
        parameters: tuple[str, ...],
        expression: Expression,
        scope: dict[str, Any],
        results: Results,
        unchanging: frozenset[type] = _UNCHANGING,
    ) -> None:
        super().__init__(parameters, expression, scope)
        self.results = results
        self.unchanging = unchanging

    def __call__(self, *args: Any) -> Any:
        key: tuple[Any, ...] = ()
        for arg in args:
            kind = type(arg)
            if kind in _BY_VALUE:
                key += (kind, arg)
            elif kind in self.unchanging:
                key += (kind, id(arg))
            else:
                return super().__call__(*args)
        known = self.results.get(key)
        if known is not None:
            spend(known[1])
            return known[0]
        steps = spending.steps
        before = steps.left
        result = super().__call__(*args)
        if steps.open:
            self.results.keep(key, result, before - steps.left, args)
        return result
