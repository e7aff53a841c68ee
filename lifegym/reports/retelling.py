"""A recorded episode played once more, with a note of everything that changed the world and of who did it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from lifegym.checks.kept import Kept
from lifegym.episode import Episode, Step
from lifegym.history import History
from lifegym.reports.changes import Change, Moment
from lifegym.reports.notes import page_text, pages_of
from lifegym.timeline import Event, Scenario
from lifegym.world.world import World

__all__ = ["Deed", "Point", "Retelling"]


@dataclass
class Deed:
    """Something that changed the world.

    Attributes:
        by: ``step``, ``event``, or ``clock`` (a hold that expired, a parcel that moved, a payment that fell due).
        name: Number of the step from 1, id of the event, or "".
        at: When, in seconds.
        changes: What it changed.
        pages: Title and text of the notes' pages that it touched; None for one that is gone.
    """

    by: str
    name: Any
    at: int
    changes: list[Change] = field(default_factory=list)
    pages: dict[str, tuple[str, str] | None] = field(default_factory=dict)


class Point(NamedTuple):
    """The episode after something had happened, for looking at checks later.

    Attributes:
        by: As in ``Deed``; ``begin`` for the first.
        name: As in ``Deed``.
        turn: How many turns had been opened.
        world: Then.
        history: Then.
    """

    by: str
    name: Any
    turn: int
    world: World
    history: History


class Retelling(Episode):
    """An episode that remembers how it went.

    Attributes:
        deeds: What changed the world, in order.
        points: The episode after each step and at each turn's opening.
        closed_by: Stage id to the number of the step that closed it; 0 before the first turn.
        kept: For deciding checks at points.
    """

    __slots__ = ("_moment_before", "closed_by", "deeds", "kept", "points")

    def __init__(self, scenario: Scenario, max_calls_per_turn: int = 100, max_steps: int = 5000) -> None:
        super().__init__(scenario, max_calls_per_turn, max_steps)
        self.deeds: list[Deed] = []
        self.points: list[Point] = []
        self.closed_by: dict[str, int] = {}
        self.kept = Kept()
        self._moment_before = Moment(self.world)

    def begin(self) -> Step:
        step = super().begin()
        self._note("clock", "")
        self._mark("begin", "")
        return step

    def step(self, action: Any) -> Step:
        step = super().step(action)
        ends = step.kind not in ("result", "error")
        self._note("clock" if ends else "step", "" if ends else self.steps)
        self._mark("opening" if ends else "step", self.steps)
        return step

    def _tick(self) -> None:
        super()._tick()
        self._note("clock", "")

    def _judge_turn(self, acted: bool) -> None:
        super()._judge_turn(acted)
        self._mark("step", self.steps)

    def _fire(self, event: Event) -> None:
        self._note("clock", "")
        super()._fire(event)
        self._note("event", event.id)

    def _close_stages(self, until: int | None) -> float:
        before = self.stage
        earned = super()._close_stages(until)
        for stage in self.scenario.stages[before : self.stage]:
            self.closed_by[stage.id] = self.steps
        return earned

    def _note(self, by: str, name: Any) -> None:
        changes = self._moment_before.changes(self.world)
        if changes:
            pages = {id: page_text(self.world, id) for id in pages_of(changes)}
            self.deeds.append(Deed(by, name, self.world.now, changes, pages))
            self._moment_before = Moment(self.world)

    def _mark(self, by: str, name: Any) -> None:
        self.points.append(Point(by, name, len(self.history.turns), self.world.fork(), self.history.fork()))
