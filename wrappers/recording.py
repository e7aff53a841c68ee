"""Episodes kept as files, in the form of a run's trajectories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from lifegym.envs.life_env import LifeEnv
from lifegym.rollouts.trajectory import Trajectory, plain
from lifegym.rollouts.units import Key

__all__ = ["RecordTrajectory"]


class RecordTrajectory(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Writes each episode that ends as a trajectory's file, which ``lifegym.rollouts`` reads.

    It records what passes it: put it directly around the env to record tool calls, below wrappers that change actions
    or observations. Files are ``<task>/<variant>-<seed>-<number>.json.gz``, numbered from 0.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        folder: Where the files go; it is made where it is missing.
        agent: How the policy is called in them.

    >>> import gymnasium as gym, lifegym, tempfile
    >>> env = RecordTrajectory(gym.make("LifeBench/japan-trip-v0", max_steps=1), tempfile.mkdtemp())
    >>> _ = env.reset()
    >>> _ = env.step({"tool": "workspace.list_files"})
    >>> env.written[0].name
    'canonical-0-0.json.gz'
    """

    def __init__(self, env: gym.Env[Any, Any], folder: str | Path, agent: str = "policy") -> None:
        RecordConstructorArgs.__init__(self, folder=str(folder), agent=agent)
        gym.Wrapper.__init__(self, env)
        self.folder = Path(folder)
        self.agent = agent
        self.written: list[Path] = []
        self._made: Trajectory | None = None

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode and its record; one that has not ended is not kept."""
        observation, info = self.env.reset(**kwargs)
        life: LifeEnv = self.unwrapped  # type: ignore[assignment]
        key = Key(info["task"], info["variant"], info["variant_seed"], len(self.written))
        caps = {"max_calls_per_turn": life.max_calls_per_turn, "max_steps": life.max_steps}
        self._made = Trajectory(key, life.task.source, self.agent, 0, life.task.bundle.content_hash, caps)
        self._made.observations.append(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take a step and record it; at the end the file is written.

        Raises:
            OSError: The file cannot be written.
        """
        observation, reward, terminated, truncated, info = self.env.step(action)
        made = self._made
        if made is not None:
            made.actions.append(plain(action))
            made.observations.append(observation)
            made.rewards.append(float(reward))
            made.codes.append(info["error"])
            if terminated or truncated:
                made.score = self.unwrapped.score().to_json()  # type: ignore[attr-defined]
                self._write(made)
                self._made = None
        return observation, reward, terminated, truncated, info

    def _write(self, made: Trajectory) -> None:
        key = made.key
        file = self.folder / key.task / f"{key.variant}-{key.seed}-{key.run}.json.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(made.dump())
        self.written.append(file)
