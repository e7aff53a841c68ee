"""Another agent, made safe against tools that fail."""

from lifegym.baselines.careful.agent import CarefulAgent

__all__ = ["CarefulAgent"]
