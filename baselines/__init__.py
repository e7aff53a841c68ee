"""Policies that everybody compares with, behind one ``Agent`` protocol."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lifegym.baselines.agent import Agent, EpisodeInfo, agent_names, make_agent, register_agent
from lifegym.baselines.careful import CarefulAgent
from lifegym.baselines.exploits import HoarderAgent, ParrotAgent, ReaderAgent, TemplateAgent, YesManAgent
from lifegym.baselines.reference import ReferenceAgent
from lifegym.baselines.routine import RoutineAgent
from lifegym.baselines.simple import IdleAgent, RandomAgent

__all__ = [
    "BUILT_IN", "Agent", "CarefulAgent", "EpisodeInfo", "HoarderAgent", "IdleAgent", "ParrotAgent", "RandomAgent",
    "ReaderAgent", "ReferenceAgent", "RoutineAgent", "TemplateAgent", "YesManAgent", "agent_names", "make_agent",
    "register_agent",
]  # fmt: skip


def _llm(**settings: Any) -> Any:
    """A language model; what it needs is imported when it is made."""
    from lifegym.baselines.llm import LLMAgent

    return LLMAgent(**settings)


def _reinforce(**settings: Any) -> Any:
    """Chooses among candidate calls as `lifegym train` has taught it; without a checkpoint it is untrained."""
    from lifegym.baselines.reinforce import ReinforceAgent

    return ReinforceAgent(**settings)


BUILT_IN: dict[str, Callable[..., Any]] = {
    "careful": CarefulAgent,
    "hoarder": HoarderAgent,
    "idle": IdleAgent,
    "llm": _llm,
    "parrot": ParrotAgent,
    "random": RandomAgent,
    "reader": ReaderAgent,
    "reference": ReferenceAgent,
    "reinforce": _reinforce,
    "routine": RoutineAgent,
    "template": TemplateAgent,
    "yes_man": YesManAgent,
}
"""The agents that ship with the package."""
