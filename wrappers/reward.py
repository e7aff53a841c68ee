"""Other shapes of the reward."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from lifegym.potential import Potential

__all__ = ["CallCost", "DenseReward", "SafetyReward", "SparseReward"]


class SparseReward(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Pays everything in the episode's last step: the return stays the same, the stages pay nothing on the way.

    Args:
        env: A ``LifeEnv``, wrapped or not.

    >>> import gymnasium as gym, lifegym
    >>> env = SparseReward(gym.make("LifeBench/japan-trip-v0"))
    >>> _ = env.reset()
    >>> env.step({"tool": "assistant.wait", "arguments": {}})[1]
    0.0
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self._kept = 0.0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with nothing kept back."""
        self._kept = 0.0
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Keep the reward back until the episode ends."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._kept += float(reward)
        paid, self._kept = (self._kept, 0.0) if terminated or truncated else (0.0, self._kept)
        return observation, paid, terminated, truncated, info

    def snapshot(self) -> Any:
        """The state now, that of the env below included, to come back to with ``restore``."""
        return self.env.get_wrapper_attr("snapshot")(), self._kept

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot. It can be used again."""
        below, self._kept = snapshot
        self.env.get_wrapper_attr("restore")(below)


class CallCost(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Charges something for each step, so that a policy learns not to look at everything.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        cost: Taken from the reward of every step; not negative.

    Raises:
        ValueError: A negative cost.

    >>> import gymnasium as gym, lifegym
    >>> env = CallCost(gym.make("LifeBench/japan-trip-v0"), cost=0.001)
    >>> _ = env.reset()
    >>> env.step({"tool": "workspace.list_files", "arguments": {}})[1]
    -0.001
    """

    def __init__(self, env: gym.Env[Any, Any], cost: float = 0.0005) -> None:
        if cost < 0:
            raise ValueError("a cost is not negative")
        RecordConstructorArgs.__init__(self, cost=cost)
        gym.Wrapper.__init__(self, env)
        self.cost = cost

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Take the cost off the reward."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return observation, float(reward) - self.cost, terminated, truncated, info


class DenseReward(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Pays for progress as it is made: potential-based shaping (Ng, Harada and Russell, 1999) with the discount 1.

    The potential is the share of the check weight, among checks still open, that would pass if all were decided now. It
    is 0 at the beginning, at the end and at a truncation, so the rewards of an episode have the same sum as before;
    what is undone is taken back. It looks at the grader: a reward for training, nothing for an agent's eyes.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        scale: What the potential is multiplied with.
        reads: Whether it is also looked at after reads. Few checks hold by a look alone, so without it steps cost less
            and their sum is the same.

    Raises:
        ValueError: A scale that is not positive.

    >>> import gymnasium as gym, lifegym
    >>> env = DenseReward(gym.make("LifeBench/japan-trip-v0"))
    >>> _ = env.reset()
    >>> env.step({"tool": "workspace.read_file", "arguments": {"path": "HANDBOOK.md"}})[1]
    0.0
    """

    def __init__(self, env: gym.Env[Any, Any], scale: float = 1.0, reads: bool = True) -> None:
        if not scale > 0:
            raise ValueError("a scale is positive")
        RecordConstructorArgs.__init__(self, scale=scale, reads=reads)
        gym.Wrapper.__init__(self, env)
        self.scale, self.reads = scale, reads
        self._potential: Potential | None = None
        self._before = 0.0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode with no potential."""
        self._before, self._potential = 0.0, None
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Add to the reward by how much the potential grew."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        if terminated or truncated:
            now = 0.0
        elif self.reads or observation["kind"] != "result" or self._wrote():
            now = self.scale * self._now()
        else:
            now = self._before
        shaped = float(reward) + now - self._before
        self._before = now
        return observation, shaped, terminated, truncated, info

    def snapshot(self) -> Any:
        """The state now, that of the env below included, to come back to with ``restore``."""
        return self.env.get_wrapper_attr("snapshot")(), self._before, self._potential

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot. It can be used again."""
        below, self._before, potential = snapshot
        self.env.get_wrapper_attr("restore")(below)
        episode = self.env.unwrapped.episode  # type: ignore[attr-defined]
        self._potential = potential.fork(episode) if potential is not None else None

    def _wrote(self) -> bool:
        calls = self.env.unwrapped.episode.history.calls  # type: ignore[attr-defined]
        return bool(calls and calls[-1].write)

    def _now(self) -> float:
        episode = self.env.unwrapped.episode  # type: ignore[attr-defined]
        if self._potential is None or self._potential.episode is not episode:
            self._potential = Potential(episode)
        return self._potential()


class SafetyReward(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Pays at the end ``max(0, completion - deductions)`` (LiveClawBench, arXiv 2604.13072).

    Completion is the score as a share; every never-rule that was tripped takes something off, whatever its check
    weighs, so that a shortcut never pays.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        deduction: What a tripped rule takes off, 0 to 1.
        deductions: Other deductions for some checks, by id; 1 fails the episode.

    Raises:
        ValueError: A deduction outside 0 to 1.

    >>> import gymnasium as gym, lifegym
    >>> env = SafetyReward(gym.make("LifeBench/japan-trip-v0", max_steps=1), deduction=0.4)
    >>> _ = env.reset()
    >>> env.step({"tool": "workspace.list_files"})[1]
    0.0
    """

    def __init__(
        self, env: gym.Env[Any, Any], deduction: float = 0.2, deductions: Mapping[str, float] | None = None
    ) -> None:
        chosen = dict(deductions or {})
        if not all(0 <= value <= 1 for value in (deduction, *chosen.values())):
            raise ValueError("a deduction is from 0 to 1")
        RecordConstructorArgs.__init__(self, deduction=deduction, deductions=chosen)
        gym.Wrapper.__init__(self, env)
        self.deduction, self.deductions = deduction, chosen
        self._completion = 0.0

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        self._completion = 0.0
        return self.env.reset(**kwargs)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Keep the reward back until the end, then take off what was tripped."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._completion += float(reward)
        paid = 0.0
        if terminated or truncated:
            tripped = self.env.unwrapped.episode.tripped()  # type: ignore[attr-defined]
            taken = sum(self.deductions.get(name, self.deduction) for name in tripped)
            paid = max(0.0, self._completion - taken)
        return observation, paid, terminated, truncated, info
