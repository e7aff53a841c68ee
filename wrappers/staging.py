"""Beginning in the middle: curricula, and the measure of one stage."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from lifegym.envs.life_env import LifeEnv
from lifegym.episode import Episode

__all__ = ["StageStart"]


class StageStart(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Resets into a stage of the task, the reference solution having played up to it.

    The reference plays once for each world; after that a reset is a fork of the moment. The first observation is the
    opening of the stage's first turn, after the briefing. What the reference earned before is not paid again: the
    rewards of an episode are those of the stages from this one on.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        stage: Id of the stage, or its number (from 0; negative from the end).

    Raises:
        ValueError: There is no such stage, or the task has no turn in it or after it.

    >>> import gymnasium as gym, lifegym
    >>> env = StageStart(gym.make("LifeBench/japan-trip-v0"), "S12")
    >>> env.reset()[0]["stage"]
    'S12'
    """

    def __init__(self, env: gym.Env[Any, Any], stage: str | int) -> None:
        RecordConstructorArgs.__init__(self, stage=stage)
        gym.Wrapper.__init__(self, env)
        self.stage = stage
        self._moments: dict[tuple[str, str, int], tuple[Episode, dict[str, str]]] = {}

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin in the stage. Seed and options choose the world as they do for the env."""
        observation, info = self.env.reset(**kwargs)
        life: LifeEnv = self.unwrapped  # type: ignore[assignment]
        key = (info["task"], info["variant"], info["variant_seed"])
        moment = self._moments.get(key)
        if moment is None:
            moment = self._moments[key] = self._played(life, observation)
        life.restore(moment[0])
        episode = life.episode
        return dict(moment[1]), {**info, "turn": len(episode.history.turns), "step": episode.steps}

    def _played(self, life: LifeEnv, observation: Any) -> tuple[Episode, dict[str, str]]:
        """The moment in which the stage's first turn begins, and what is seen in it."""
        from lifegym.baselines import EpisodeInfo, ReferenceAgent

        scenario = life.episode.scenario
        names = [stage.id for stage in scenario.stages]
        number = self._number(names)
        episode = Episode(scenario, life.max_calls_per_turn, life.max_steps)
        agent = ReferenceAgent()
        agent.reset(EpisodeInfo(scenario.task, life.task.source, scenario.variant, scenario.seed, life.task.services))
        step = episode.begin()
        while not episode.over and (episode.stage < number or step.kind in ("result", "error")):
            step = episode.step(agent.act(episode.observation(step)))
        if episode.over:
            raise ValueError(f"{scenario.task} has no turn in {names[number]} or after it")
        seen = episode.observation(step)
        if number > 0:
            seen["text"] = f"{scenario.briefing}\n\n{seen['text']}"
        return episode, seen

    def _number(self, names: list[str]) -> int:
        if isinstance(self.stage, int) and -len(names) <= self.stage < len(names):
            return self.stage % len(names)
        if self.stage in names:
            return names.index(str(self.stage))
        raise ValueError(f"there is no stage {self.stage!r}; there are: {', '.join(names)}")
