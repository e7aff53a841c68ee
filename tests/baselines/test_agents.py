"""Agents by name: the protocol, the registry, and what is said of a name that is none."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from lifegym import baselines
from lifegym.baselines import (
    Agent,
    EpisodeInfo,
    IdleAgent,
    RandomAgent,
    ReferenceAgent,
    agent_names,
    make_agent,
    register_agent,
)
from lifegym.baselines import agent as registry


class Polite:
    """Says the same thing in every turn."""

    def __init__(self, text: str = "Thank you.") -> None:
        self.text = text

    def reset(self, info: EpisodeInfo) -> None:
        self.info = info

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        return {"tool": "assistant.reply", "arguments": {"text": self.text}}


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_FACTORIES", {})


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A module with an agent, a factory, and something else."""
    (tmp_path / "agents_of_a_test.py").write_text(
        "from lifegym.baselines import IdleAgent\n"
        "class Mine(IdleAgent):\n"
        "    def __init__(self, mood='calm'):\n"
        "        self.mood = mood\n"
        "def factory():\n"
        "    return Mine('made')\n"
    )
    (tmp_path / "broken_module_of_a_test.py").write_text("import there_is_no_such_module\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield "agents_of_a_test"
    sys.modules.pop("agents_of_a_test", None)


@pytest.mark.parametrize("name", ["idle", "random", "reference"])
def test_the_built_in_agents(name: str) -> None:
    agent = make_agent(name)
    assert type(agent) is {"idle": IdleAgent, "random": RandomAgent, "reference": ReferenceAgent}[name]
    assert isinstance(agent, Agent)
    assert name in agent_names()
    assert baselines.BUILT_IN[name] is type(agent)


def test_the_protocol_wants_both_methods() -> None:
    assert isinstance(Polite(), Agent)
    assert not isinstance(object(), Agent)
    assert not isinstance(type("Half", (), {"reset": lambda self, info: None})(), Agent)


def test_settings_reach_the_agent() -> None:
    agent = make_agent("random", calls_per_turn=2.0)
    assert isinstance(agent, RandomAgent)
    assert agent.calls_per_turn == 2.0
    with pytest.raises(TypeError):
        make_agent("idle", speed=5)


def test_a_registered_agent_is_found_and_comes_first() -> None:
    register_agent("polite", Polite)
    assert "polite" in agent_names()
    assert agent_names() == sorted(agent_names())
    made = make_agent("polite", text="Hello.")
    assert isinstance(made, Polite)
    assert made.act({})["arguments"]["text"] == "Hello."
    register_agent("idle", Polite)
    assert isinstance(make_agent("idle"), Polite)


def test_an_unknown_name_names_the_known_ones() -> None:
    register_agent("polite", Polite)
    with pytest.raises(
        KeyError, match=r"there is no agent 'nobody'; there are: .*idle, .*polite, .*random.*module:attribute"
    ):
        make_agent("nobody")


@pytest.mark.parametrize("name", ["", ":", "module:", ":attribute"])
def test_what_is_no_name_at_all(name: str) -> None:
    with pytest.raises(KeyError, match="there is no agent"):
        make_agent(name)


def test_module_and_attribute(module: str) -> None:
    assert make_agent(f"{module}:Mine").mood == "calm"  # type: ignore[attr-defined]
    assert make_agent(f"{module}:Mine", mood="gay").mood == "gay"  # type: ignore[attr-defined]
    assert make_agent(f"{module}:factory").mood == "made"  # type: ignore[attr-defined]


def test_what_is_wrong_with_module_and_attribute_is_said(module: str) -> None:
    with pytest.raises(AttributeError, match=f"'{module}' has no attribute 'Yours'"):
        make_agent(f"{module}:Yours")
    with pytest.raises(ModuleNotFoundError, match="no_module_here"):
        make_agent("no_module_here:Agent")
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_module"):
        make_agent("broken_module_of_a_test:Agent")


def test_agents_of_installed_packages(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    point = importlib.metadata.EntryPoint("plugged", f"{module}:Mine", "lifegym.agents")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "lifegym.agents" else [])
    assert "plugged" in agent_names()
    assert make_agent("plugged", mood="x").mood == "x"  # type: ignore[attr-defined]
