"""The reference solution of a task as an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lifegym.baselines.agent import EpisodeInfo
from lifegym.task_suite import load_task
from lifegym.task_suite.player import Player
from lifegym.task_suite.solution import CompiledStep, compiled_solution
from lifegym.world import clock

__all__ = ["ReferenceAgent"]


class ReferenceAgent:
    """Plays what ``solution.yaml`` says. It knows when each turn comes; all values it has seen in observations.

    Args:
        act_out: Id of a violation or near miss of the solution to play in its turn, after the turn's own steps. What
            cannot be played after it is left out.

    Raises:
        SolutionError: A step cannot be played.
    """

    def __init__(self, act_out: str | None = None) -> None:
        self.act_out = act_out

    def reset(self, info: EpisodeInfo) -> None:
        """Load the solution."""
        task = load_task(info.source)
        scenario = task.scenario(info.variant, info.variant_seed)
        solution = compiled_solution(task)
        self._turns = solution.turns
        if self.act_out is not None and self.act_out not in solution.acts:
            raise KeyError(f"{info.task} has no violation {self.act_out!r}; there are: {', '.join(solution.acts)}")
        self._act = solution.acts[self.act_out] if self.act_out is not None else None
        self._schedule: dict[str, list[str]] = {}
        for event in scenario.events.values():
            if event.kind != "mutation":
                self._schedule.setdefault(clock.iso(event.at, scenario.zone), []).append(event.id)
        self._player = Player(task, strict=self._act is None)
        self._queue: Iterator[dict[str, Any]] = iter(())
        self._pending: CompiledStep | None = None

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The next call of the solution."""
        self._player.observe(observation)
        if observation["kind"] in ("result", "error"):
            if self._pending is not None:
                self._player.result(self._pending, observation)
        else:
            events = self._schedule.get(observation["time"], [])
            self._player.opened(events, observation["text"])
            self._queue = self._turn(events)
        return next(self._queue)

    def _turn(self, events: list[str]) -> Iterator[dict[str, Any]]:
        turns = [self._turns[event] for event in events if event in self._turns]
        if self._act is not None and self._act.event in events:
            turns.append(self._act)
        for turn in turns:
            for step, action in self._player.actions(turn.steps):
                self._pending = step
                yield action
        self._pending = None
        yield self._player.reply(next((turn.reply for turn in reversed(turns) if turn.reply is not None), None))
