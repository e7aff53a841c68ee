"""Other shapes of the reward."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

__all__ = ["CallCost", "SparseReward"]


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
