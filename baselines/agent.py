"""What an agent is, and how agents are found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, Protocol, runtime_checkable

__all__ = ["Agent", "EpisodeInfo", "agent_names", "make_agent", "made", "register_agent"]


@dataclass(frozen=True)
class EpisodeInfo:
    """What an agent learns of the episode before its first observation.

    Attributes:
        task: Task id.
        source: How to load the task (its id, or a bundle's folder).
        variant: Variant of the task.
        variant_seed: The variant's seed.
        services: Services of the world.
        seed: For the agent's own randomness.
    """

    task: str
    source: str
    variant: str
    variant_seed: int
    services: tuple[str, ...]
    seed: int = 0


@runtime_checkable
class Agent(Protocol):
    """A policy. ``usage`` is optional: a mapping of counts (tokens, cost) that it has used in the episode."""

    def reset(self, info: EpisodeInfo) -> None:
        """Begin an episode."""

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The next action ``{"tool", "arguments"}`` for an observation of ``LifeEnv``."""


_FACTORIES: dict[str, Callable[..., Agent]] = {}


def register_agent(name: str, factory: Callable[..., Agent]) -> None:
    """Make an agent known by name. Packages can do the same with an entry point in the group ``lifegym.agents``."""
    _FACTORIES[name] = factory


def _plugins() -> dict[str, Any]:
    return {point.name: point for point in entry_points(group="lifegym.agents")}


def agent_names() -> list[str]:
    """All known agents."""
    from lifegym import baselines

    return sorted({*baselines.BUILT_IN, *_FACTORIES, *_plugins()})


def make_agent(name: str, **settings: Any) -> Agent:
    """The agent of this name.

    Args:
        name: A registered name, or ``module:attribute`` of a class or factory.
        settings: Keyword arguments for it.

    Raises:
        KeyError: There is no such agent; the message names the known ones.
        ImportError: There is no such module.
        AttributeError: The module has no such attribute.
    """
    from lifegym import baselines

    factory: Any = _FACTORIES.get(name) or baselines.BUILT_IN.get(name)
    if factory is None and name in (plugins := _plugins()):
        factory = plugins[name].load()
    module, _, attribute = name.partition(":")
    if factory is None and module and attribute:
        import importlib

        factory = getattr(importlib.import_module(module), attribute)
    if factory is None:
        raise KeyError(f"there is no agent {name!r}; there are: {', '.join(agent_names())}; or give module:attribute")
    agent: Agent = factory(**settings)
    return agent


def made(make: Callable[[], Any], name: str) -> Agent:
    """An agent, made to see that it can be.

    Args:
        make: Makes it.
        name: How it is called.

    Raises:
        ValueError: It cannot be made, or is none; the message says why.
    """
    try:
        agent = make()
    except Exception as error:  # whatever the module or the agent's own code raises
        hint = "; lifegym evaluate gives settings with --set NAME=VALUE" if isinstance(error, TypeError) else ""
        raise ValueError(f"the agent {name!r} cannot be made: {type(error).__name__}: {error}{hint}") from error
    if not isinstance(agent, Agent):
        kind = type(agent).__name__
        raise ValueError(f"{name!r} makes no agent: a {kind} has no reset(info) and act(observation)")
    return agent
