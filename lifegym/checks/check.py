"""A check: what must hold, when it is looked at, and what it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from lifegym.checks.expressions import Expression
from lifegym.checks.kept import Sources

__all__ = ["AXES", "Check", "Each", "Let", "Tier", "Verdict"]

Tier = Literal["stage", "cross", "final"]
AXES = ("proactivity", "persistence", "propagation", "safety", "coordination", "accuracy")


@dataclass(frozen=True)
class Each:
    """Several moments at which a check must hold.

    Attributes:
        moment: ``midnight`` (the last second of each date), ``stage_end``, or ``last_turn`` (after the last turn of
            each stage).
        first: First date (seconds of its begin) or stage.
        last: Last date or stage, included.
    """

    moment: Literal["midnight", "stage_end", "last_turn"]
    first: Any
    last: Any


class Let(NamedTuple):
    """A name for what an expression gives; with parameters, a function of them.

    Attributes:
        name: The name.
        parameters: Of a function.
        expression: What it gives.
        shared: Whether it is the same for every check, so that what it gives can be kept for the others.
        reads: What it can read; None where that cannot be told.
    """

    name: str
    parameters: tuple[str, ...]
    expression: Expression
    shared: bool = False
    reads: Sources | None = None


@dataclass(frozen=True)
class Check:
    """One weighted, deterministic check.

    Attributes:
        id: Its name in the bundle.
        tier: ``stage`` checks are paid when their stage closes, ``cross`` and then ``final`` ones at the end.
        stage: Of a stage check.
        weight: Positive; relative to the sum over all checks.
        axis: What it measures, one of ``AXES``.
        what: One sentence: what must hold.
        let: Names and expressions, evaluated in order before the clauses.
        gate: The work without which the check pays nothing.
        all: What must hold.
        never: What must not have been at any time: a clause trips if it gives something true or a list that is not
            empty. Latched after every turn.
        at: A moment inside (seconds); None is the end of the stage, or of the window.
        each: Several moments instead.
        reads: What it can read; None where that cannot be told.
    """

    id: str
    tier: Tier
    weight: float
    axis: str
    what: str
    stage: str = ""
    let: tuple[Let, ...] = ()
    gate: tuple[Expression, ...] = ()
    all: tuple[Expression, ...] = ()
    never: tuple[Expression, ...] = ()
    at: int | None = None
    each: Each | None = None
    reads: Sources | None = None


class Verdict(NamedTuple):
    """What became of a check.

    Attributes:
        passed: Whether it holds.
        reason: "" or which clause failed and why.
        at: When it was decided, in seconds.
        fault: A defect of the task that kept it from being decided; such a run is marked, not scored.
        moment: What was looked at, for explaining the verdict; not part of its value.
    """

    passed: bool
    reason: str = ""
    at: int = 0
    fault: str = ""
    moment: Any = None
