"""What stands between an env and a policy: Gymnasium wrappers that compose, pickle, and record their arguments."""

from lifegym.wrappers.reward import CallCost, SparseReward

__all__ = ["CallCost", "SparseReward"]
