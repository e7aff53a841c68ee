"""A reference solution being played, step by step, forkable at each of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from lifegym.checks.expressions import ExpressionError, Missing
from lifegym.episode import Episode, Step
from lifegym.task_suite.patterns import PatternError
from lifegym.task_suite.player import Player, SolutionError
from lifegym.task_suite.solution import CompiledStep, compiled_solution
from lifegym.task_suite.task import Task
from lifegym.timeline import Scenario

__all__ = ["Item", "Playthrough"]

Alter = Callable[["Item", dict[str, Any]], Iterable[dict[str, Any]]]
"""What is sent in place of an item's action: nothing, another action, or several."""


@dataclass(frozen=True)
class Item:
    """One thing that the solution does: a step, or the end of a turn.

    Attributes:
        name: ``<turn>/<step>`` or ``<turn>/end``.
        turn: Id of the event whose turn it belongs to.
        stage: Stage of that turn.
        step: The step; None for the end of a turn.
        reply: The compiled reply of an end; None for silence.
        harmless: Why it may be missing, late or wrong without a check failing; None where it may not.
    """

    name: str
    turn: str
    stage: str
    step: CompiledStep | None = None
    reply: Any = None
    harmless: str | None = None


class Playthrough:
    """Plays a task's solution on one scenario.

    Args:
        task: The task.
        scenario: Its variant.
        strict: Raise where a step cannot be played or is not accepted as declared; else leave it out.
        act: A violation or near miss of the solution to play in its turn, after the turn's own steps.
    """

    def __init__(self, task: Task, scenario: Scenario, strict: bool = True, act: str | None = None) -> None:
        self.task = task
        self.scenario = scenario
        self.strict = strict
        self.player = Player(task, strict)
        self.episode = Episode(scenario)
        self.queue: list[Item] = []
        self.extra: dict[str, tuple[Item, ...]] = {}
        self.skip: frozenset[str] = frozenset()
        self.act = act
        self.actions: list[tuple[str, dict[str, Any], Step]] = []
        self._opened(self.episode.begin())

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.episode.over

    @property
    def next(self) -> Item:
        """What is played next."""
        return self.queue[0]

    def advance(self, alter: Alter | None = None) -> None:
        """Play the next item.

        Raises:
            SolutionError: It cannot be played, or its call did not come out as declared (only where strict).
        """
        item = self.queue.pop(0)
        if item.step is None:
            action: dict[str, Any] | None = self.player.reply(item.reply)
        else:
            try:
                action = self.player.action(item.step)
            except (ExpressionError, Missing, PatternError, SolutionError) as error:
                if self.strict:
                    raise SolutionError(f"{item.name}: {error}") from error
                self.player.dropped.append(item.name)
                return
        if action is None:
            return
        sent = [action] if alter is None else list(alter(item, action))
        if item.step is None and not sent:
            sent = [self.player.reply(None)]
        for each in sent:
            self._send(item, each)

    def _send(self, item: Item, action: dict[str, Any]) -> None:
        if self.over:
            return
        turns = len(self.episode.history.turns)
        step = self.episode.step(action)
        self.actions.append((item.name, action, step))
        seen = self.episode.observation(step)
        self.player.observe(seen)
        if item.step is not None and step.kind in ("result", "error"):
            self.player.result(item.step, seen)
        elif len(self.episode.history.turns) > turns:
            self._opened(step)

    def _opened(self, step: Step) -> None:
        turn = self.episode.history.turns[-1]
        events = list(turn.events)
        self.player.observe(self.episode.observation(step))
        self.player.opened(events, step.text)
        solution = compiled_solution(self.task)
        self.queue = []
        reply: Any = None
        harmless = None
        for event in events:
            planned = solution.turns.get(event)
            if planned is not None:
                self.queue.extend(
                    Item(step.name, event, turn.stage, step, None, step.model.harmless)
                    for step in planned.steps
                    if step.name not in self.skip
                )
                if reply is None:
                    reply, harmless = planned.reply, planned.harmless
            act = solution.acts[self.act] if self.act is not None else None
            if act is not None and act.event == event:
                self.queue.extend(Item(s.name, event, turn.stage, s) for s in act.steps)
                reply = act.reply if act.reply is not None else reply
            for late in self.extra.get(event, ()):
                self.queue.append(late)
        name = events[0] if events else f"own{turn.number}"
        self.queue.append(Item(f"{name}/end", name, turn.stage, None, reply, harmless))

    def finish(self, alter: Alter | None = None, early: bool = False) -> Playthrough:
        """Play to the end of the episode; ``early`` stops as soon as a check has failed."""
        decided = 0
        while not self.over:
            self.advance(alter)
            verdicts = self.episode.verdicts
            if early and len(verdicts) > decided:
                decided = len(verdicts)
                if any(not verdict.passed for verdict in verdicts.values()):
                    break
        return self

    def fork(self, strict: bool | None = None) -> Playthrough:
        """An independent playthrough in the same state."""
        other = Playthrough.__new__(Playthrough)
        other.task, other.scenario = self.task, self.scenario
        other.strict = self.strict if strict is None else strict
        other.player = self.player.fork(other.strict)
        other.episode = self.episode.fork()
        other.queue = self.queue.copy()
        other.extra = self.extra.copy()
        other.skip, other.act = self.skip, self.act
        other.actions = self.actions.copy()
        return other

    def failed(self) -> list[str]:
        """The checks that did not pass, after the end."""
        return [id for id, passed in self.episode.score().checks.items() if not passed]
