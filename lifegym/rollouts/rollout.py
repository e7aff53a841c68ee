"""One episode played by an agent, without Gymnasium around it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lifegym.episode import Episode, Step
from lifegym.scoring import Score
from lifegym.timeline import Scenario

if TYPE_CHECKING:
    from lifegym.baselines.agent import Agent

__all__ = ["Rollout", "play"]


@dataclass
class Rollout:
    """A finished episode.

    Attributes:
        score: Its score.
        rewards: Reward of each step.
        actions: What the agent sent, step by step.
        episode: The episode itself, for its evaluation.
        last: Its last step.
    """

    score: Score
    rewards: list[float]
    actions: list[Any]
    episode: Episode
    last: Step


def play(
    scenario: Scenario,
    agent: Agent,
    source: str | None = None,
    seed: int = 0,
    max_calls_per_turn: int = 100,
    max_steps: int = 5000,
    watch: Callable[[dict[str, str], Any, Step], None] | None = None,
) -> Rollout:
    """Play one episode to its end.

    Args:
        scenario: What is played.
        agent: Who plays.
        source: How the agent may load the task; by default as the scenario was.
        seed: For the agent's own randomness.
        max_calls_per_turn: As in ``LifeEnv``.
        max_steps: As in ``LifeEnv``.
        watch: Called after each step with the observation before it, the action, and the step.

    Raises:
        Exception: Whatever the agent raises.
    """
    from lifegym.baselines.agent import EpisodeInfo

    episode = Episode(scenario, max_calls_per_turn, max_steps)
    where = source or (str(scenario.key[0]) if scenario.key else scenario.task)
    agent.reset(EpisodeInfo(scenario.task, where, scenario.variant, scenario.seed, scenario.world.services, seed))
    step = episode.begin()
    rewards: list[float] = []
    actions: list[Any] = []
    while not episode.over:
        seen = episode.observation(step)
        action = agent.act(seen)
        actions.append(action)
        step = episode.step(action)
        rewards.append(step.reward)
        if watch is not None:
            watch(seen, action, step)
    return Rollout(episode.score(), rewards, actions, episode, step)
