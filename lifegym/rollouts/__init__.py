"""Playing episodes with agents."""

from lifegym.rollouts.rollout import Rollout, play

__all__ = ["Rollout", "play"]
