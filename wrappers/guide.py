"""A reference solution followed step by step, from what a policy has really seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from lifegym.checks.expressions import ExpressionError, Missing
from lifegym.task_suite import Task, load_task
from lifegym.task_suite.patterns import PatternError
from lifegym.task_suite.player import Player, SolutionError
from lifegym.task_suite.solution import CompiledSolution, CompiledStep, CompiledTurn, compiled_solution

__all__ = ["Guide", "Planned", "call_key"]

UNKNOWN = (ExpressionError, Missing, PatternError, SolutionError)
"""What a step raises whose inputs were not seen."""

_LATER, _MISSED = 2, 3
"""So many of the next and of the last turns have steps that would be made before or after their time."""


class Planned:
    """A call of the solution, or another one that is offered beside it.

    Attributes:
        action: The call. It is shared: do not change it.
        step: Name of its step; "" for the end of a turn, and for a call that is no step still to be played.
        rows: What the solution will know as written once the call is accepted; None where it writes no artifact.
    """

    __slots__ = ("_key", "action", "rows", "step")

    def __init__(self, action: dict[str, Any], step: str = "", rows: Any = None) -> None:
        self.action = action
        self.step = step
        self.rows = rows
        self._key = b""

    @property
    def key(self) -> bytes:
        """Tells calls apart."""
        if not self._key:
            self._key = call_key(self.action)
        return self._key

    def __repr__(self) -> str:
        return f"Planned({self.action!r}, {self.step!r})"


def call_key(action: Mapping[str, Any]) -> bytes:
    """A call as JSON with sorted keys, which tells it from others."""
    return orjson.dumps(action, option=orjson.OPT_SORT_KEYS)


class Guide:
    """What the reference solution would do next, knowing what has been seen and nothing else.

    The steps of a turn are gone through in their order. One that cannot be played when its time has come, because its
    inputs were not seen or the world refuses it, is left out; one that was played earlier is passed over.

    Args:
        task: Whose solution.

    >>> guide = Guide(load_task("japan-trip"))
    >>> guide.opened(("U1",), {"text": "Hello", "time": "2026-04-17T20:00:00+08:00", "kind": "user_message"})
    >>> planned = guide.right(accepts=lambda planned: True)
    >>> planned.action
    {'tool': 'workspace.read_file', 'arguments': {'path': 'USER.md'}}
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.player = Player(task, strict=False)
        self._cursor = 0
        self._planned: Planned | None = None
        self._at(())

    def opened(self, events: tuple[str, ...], observation: Mapping[str, str]) -> None:
        """A turn begins; none of the timeline's events opened it where ``events`` is empty."""
        self.player.observe(observation)
        self.player.opened(list(events), observation["text"])
        self._cursor, self._planned = 0, None
        self._at(events)

    def _at(self, events: tuple[str, ...]) -> None:
        """What the solution has for the turn that some events open. Forks share the lists."""
        solution: CompiledSolution = compiled_solution(self.task)
        turns, order = solution.turns, list(solution.turns)
        places = [order.index(event) for event in events if event in turns]
        here = max(places) + 1 if places else len(order)
        past = range(max(0, min(places, default=0) - _MISSED), min(places, default=0))
        self.events = events
        self._steps = [step for event in events if event in turns for step in turns[event].steps]
        self._next = [step for event in order[here : here + _LATER] for step in turns[event].steps if step.calls]
        self._past = [step for place in past for step in turns[order[place]].steps if step.calls]
        self._acts = [act for act in solution.acts.values() if act.event in events]

    def seen(self, planned: Planned, observation: Mapping[str, str]) -> None:
        """A call was made; this came of it. One that ``NoisyTools`` let fail is still to be made."""
        self.player.observe(observation)
        if not planned.step:
            return
        step = compiled_solution(self.task).steps[planned.step]
        if planned.rows is not None and observation["kind"] == "result":
            self.player.see({step.model.as_ or "": planned.rows})
        self.player.result(step, observation)
        if self._planned is not None and self._planned.step == planned.step and not _failed(observation):
            self._planned = None
            self._cursor += 1

    def right(self, accepts: Callable[[Planned], bool]) -> Planned:
        """The next step of the turn that is unplayed, whose inputs are known and which the world accepts; then its end.

        Args:
            accepts: Whether the world would accept a call now.
        """
        if self._planned is not None:
            if accepts(self._planned):
                return self._planned
            self._planned = None
            self._cursor += 1
        steps = self._steps
        while self._cursor < len(steps):
            step = steps[self._cursor]
            planned = None if step.name in self.player.done else self.evaluated(step)
            if planned is not None and accepts(planned):
                self._planned = planned
                return planned
            self._cursor += 1
        return self.end()

    def end(self) -> Planned:
        """How the turn ends: with the solution's reply where it has one and its values are known, else in silence."""
        turns = compiled_solution(self.task).turns
        replies = [turns[event].reply for event in self.events if event in turns and turns[event].reply is not None]
        return Planned(self.player.reply(replies[-1] if replies else None))

    def evaluated(self, step: CompiledStep) -> Planned | None:
        """A step as a call; None if its inputs are not known, or if it only binds values, which happens at once."""
        written = step.model.as_ if step.model.write is not None else None
        before = self.player.seen.get(written) if written else None
        known = written in self.player.seen
        try:
            action = self.player.action(step)
        except UNKNOWN:
            return None
        if action is None:
            return None
        rows = None
        if written:  # known as written only once it is
            rows = self.player.forget(written)
            if known:
                self.player.see({written: before})
        return Planned(action, step.name, rows)

    # -- what is not to be done now ------------------------------------------------------------------------------

    def later(self) -> list[CompiledStep]:
        """Steps of this turn after the next one, and of the solution's next turns: played now, they are premature."""
        return self._unplayed([*(step for step in self._steps[self._cursor + 1 :] if step.calls), *self._next])

    def missed(self) -> list[CompiledStep]:
        """Steps of the solution's last turns that were never played: played now, they are late."""
        return self._unplayed(self._past)

    def violations(self) -> list[CompiledTurn]:
        """The violations and near misses that the solution tells of this turn."""
        return self._acts

    def _unplayed(self, steps: list[CompiledStep]) -> list[CompiledStep]:
        done = self.player.done
        return [step for step in steps if step.name not in done]

    # -- copies --------------------------------------------------------------------------------------------------

    def fork(self) -> Guide:
        """An independent guide that has seen the same."""
        other = Guide.__new__(Guide)
        other.__dict__.update(self.__dict__)
        other.player = self.player.fork(strict=False)
        return other

    def __getstate__(self) -> dict[str, Any]:
        player = self.player
        kept = {name: getattr(player, name) for name in ("seen", "texts", "time", "dropped", "done")}
        return {"task": self.task.source, "player": kept, "events": self.events, "cursor": self._cursor}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Guide.__init__(self, load_task(state["task"]))
        for name, value in state["player"].items():
            setattr(self.player, name, value)
        self._cursor = state["cursor"]
        self._at(state["events"])  # what was planned is worked out anew


def _failed(observation: Mapping[str, str]) -> bool:
    """Whether a call was not carried out, and may be if it is made again."""
    if observation["kind"] != "error":
        return False
    return orjson.loads(observation["text"])["error"]["code"] in ("timeout", "rate_limit")
