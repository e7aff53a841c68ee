"""Policy gradient in numpy: a policy over candidate calls, its training, and the agent that plays what was learnt."""

from lifegym.baselines.reinforce.agent import ReinforceAgent
from lifegym.baselines.reinforce.curve import curve_svg
from lifegym.baselines.reinforce.policy import Adam, Policy, softmax
from lifegym.baselines.reinforce.training import REWARDS, Progress, Settings, Trainer, measure

__all__ = [
    "REWARDS", "Adam", "Policy", "Progress", "ReinforceAgent", "Settings", "Trainer", "curve_svg", "measure", "softmax",
]  # fmt: skip
