"""A world at a moment of a run: played by an agent up to there, and no further."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from lifegym.episode import Episode
from lifegym.history import Turn
from lifegym.timeline import Scenario
from lifegym.world import World, clock

if TYPE_CHECKING:
    from lifegym.baselines.agent import Agent

__all__ = ["Moment", "MomentError", "Recorded", "find_instant", "reach"]


class MomentError(ValueError):
    """Words that name no moment of a task; says which there are."""


class Recorded:
    """An agent that makes the calls of a recorded episode again, and waits when they are at their end.

    Args:
        actions: What was sent, step by step.
    """

    def __init__(self, actions: Sequence[Any]) -> None:
        self._actions = iter(actions)

    def reset(self, info: Any) -> None:
        """Nothing: what it does is settled."""

    def act(self, observation: Mapping[str, str]) -> Any:
        """The next recorded call."""
        return next(self._actions, {"tool": "assistant.wait", "arguments": {}})


class Moment(NamedTuple):
    """What there was at an instant.

    Attributes:
        world: The world.
        stage: Id of the stage that the instant is in.
        turns: What the agent was told until then, with what it answered.
        calls: How many calls it had made.
        name: How the moment is called, such as ``the close of S5``.
    """

    world: World
    stage: str
    turns: tuple[Turn, ...]
    calls: int
    name: str


def find_instant(scenario: Scenario, words: str) -> tuple[int | None, str]:
    """The instant that is meant, None for the opening of the first turn, and what it is called.

    Args:
        scenario: Of which task.
        words: ``start``, ``end``, the id of a stage for its close, or a moment such as ``D+12 09:00``.

    Raises:
        MomentError: They are none of these, or outside the task's window.
    """
    if words == "start":
        return None, "the beginning"
    if words == "end":
        return scenario.end, "the end"
    stage = next((stage for stage in scenario.stages if stage.id == words), None)
    if stage is not None:
        return min(stage.end, scenario.end) - 1, f"the close of {stage.id}"
    try:
        instant = clock.moment(words, scenario.start, scenario.zone)
    except ValueError:
        stages = ", ".join(stage.id for stage in scenario.stages)
        raise MomentError(
            f"{words!r} is no moment of this task: say start, end, a stage ({stages}), or a moment such as 'D+12 09:00'"
        ) from None
    if instant > scenario.end:
        last = clock.iso(scenario.end, scenario.zone)[:16].replace("T", " ")
        raise MomentError(f"{words!r} is after the end of the task, {last}")
    return instant, words


def reach(scenario: Scenario, agent: Agent | None, source: str, words: str = "start", seed: int = 0) -> Moment:
    """Play until a moment.

    Args:
        scenario: What is played.
        agent: Who plays; None is enough for the beginning.
        source: How the agent may load the task.
        words: The moment, as ``find_instant`` takes it.
        seed: For the agent's own randomness.

    Raises:
        MomentError: ``words`` name no moment.
        Exception: Whatever the agent raises.
    """
    from lifegym.baselines.agent import EpisodeInfo

    instant, name = find_instant(scenario, words)
    episode = Episode(scenario)
    step = episode.begin()
    if instant is None or agent is None or episode.world.now > instant:
        early = instant is not None and instant < episode.world.now
        world = _untouched(scenario, instant) if early and instant is not None else episode.world
        return Moment(world, scenario.stages[0].id, () if early else tuple(episode.history.turns), 0, name)
    agent.reset(EpisodeInfo(scenario.task, source, scenario.variant, scenario.seed, scenario.world.services, seed))
    before = episode
    while not episode.over:
        action = agent.act(episode.observation(step))
        before = episode.fork()
        step = episode.step(action)
        if episode.world.now > instant:
            break
    there = episode if episode.world.now <= instant else before.ahead(instant)
    turns = tuple(turn for turn in episode.history.turns if turn.opened <= instant)
    stages = [stage for stage in scenario.stages if stage.start <= instant]
    calls = sum(call.time <= instant for call in episode.history.calls)
    return Moment(there.world, stages[-1].id if stages else scenario.stages[0].id, turns, calls, name)


def _untouched(scenario: Scenario, instant: int) -> World:
    """The world before anybody was told anything."""
    return Episode(scenario).ahead(instant).world
