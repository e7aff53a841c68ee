"""A task as the engine runs it: events, stages, checks and the world they begin in."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from lifegym.checks.artifacts import Artifact
from lifegym.checks.check import Check
from lifegym.checks.expressions import Expression
from lifegym.world.frozen import FrozenDict
from lifegym.world.world import World

__all__ = ["Effect", "Event", "Kind", "Otherwise", "Scenario", "Stage"]

Kind = Literal["user_message", "notification", "world", "mutation"]


@dataclass(frozen=True)
class Effect:
    """What an event does to the world.

    Attributes:
        verb: A happening ``service.verb``, or ``change`` for records named by table and fields.
        arguments: Compiled arguments; their expressions are evaluated when the event happens.
        if_none: What holds where nothing matches: None (a defect of the task), ``skip``, or other effects.
    """

    verb: str
    arguments: Any
    if_none: Literal["skip"] | tuple[Effect, ...] | None = None


@dataclass(frozen=True)
class Otherwise:
    """What happens where an event's condition does not hold."""

    text: Any = None
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True)
class Event:
    """One entry of the timeline.

    Attributes:
        id: Its name in the bundle; agents never see it.
        at: When, in seconds.
        kind: A mutation opens no turn, the others do.
        stage: The stage it belongs to.
        text: Compiled text that the agent is told; None for a mutation.
        effects: What changes.
        when: Condition over the world; None holds always.
        otherwise: Where the condition does not hold; None means that then nothing happens and no turn opens.
    """

    id: str
    at: int
    kind: Kind
    stage: str
    text: Any = None
    effects: tuple[Effect, ...] = ()
    when: Expression | None = None
    otherwise: Otherwise | None = None


@dataclass(frozen=True)
class Stage:
    """A span of the timeline: from its first entry to just before the next stage's. Seconds."""

    id: str
    start: int
    end: int


@dataclass(frozen=True)
class Scenario:
    """One variant of a task, ready to be played any number of times.

    Attributes:
        task: Task id.
        variant: ``canonical``, ``train`` or ``test``.
        seed: The variant's seed (0 for canonical).
        start: First day.
        end: End of the window, in seconds.
        zone: The world's time zone.
        params: The drawn parameters.
        world: The world before the first event, its agenda filled. Never stepped; episodes fork it.
        events: By id, in time order.
        stages: In time order.
        checks: By id.
        artifacts: Files that checks read as rows, by path.
        briefing: What the agent is told at the beginning.
        factors: Complexity factors of the task (LiveClawBench, section 3).
        key: What it takes to build the same scenario again: the task's source, variant and seed.
    """

    task: str
    variant: str
    seed: int
    start: dt.date
    end: int
    zone: str
    params: FrozenDict
    world: World
    events: Mapping[str, Event]
    stages: tuple[Stage, ...]
    checks: Mapping[str, Check]
    artifacts: Mapping[str, Artifact]
    briefing: str
    factors: tuple[str, ...] = ()
    key: tuple[Any, ...] = field(default=())

    @cached_property
    def closing(self) -> dict[str, tuple[list[Check], list[Check]]]:
        """By stage the checks that are decided when it ends: those that hold at several ends, and its own."""
        own = {
            stage.id: [c for c in self.checks.values() if (c.tier, c.stage) == ("stage", stage.id)]
            for stage in self.stages
        }
        return {id: (each, own[id]) for id, each in self._spanning("stage_end").items()}

    @cached_property
    def after_turns(self) -> dict[str, list[Check]]:
        """By stage the checks that are decided after its last turn."""
        return self._spanning("last_turn")

    def _spanning(self, moment: str) -> dict[str, list[Check]]:
        order = {stage.id: number for number, stage in enumerate(self.stages)}
        spans = [(c, c.each) for c in self.checks.values() if c.each is not None and c.each.moment == moment]
        return {
            id: [check for check, each in spans if order[each.first] <= number <= order[each.last]]
            for id, number in order.items()
        }

    @cached_property
    def total_weight(self) -> float:
        """The weight of all checks."""
        return sum(check.weight for check in self.checks.values())

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, self.key)


def _rebuild(source: str, variant: str, seed: int) -> Scenario:
    from lifegym.task_suite import load_task

    scenario: Scenario = load_task(source).scenario(variant, seed)
    return scenario
