"""Nothing that an agent sends breaks an episode, and what is refused leaves the world as it was."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.envs import LifeEnv

_SPEC = importlib.util.spec_from_file_location(
    "odd_actions", Path(__file__).parents[1] / "services" / "test_dispatch.py"
)
assert _SPEC is not None
assert _SPEC.loader is not None
odd = importlib.util.module_from_spec(_SPEC)
sys.modules[odd.__name__] = odd  # its dataclasses look themselves up
_SPEC.loader.exec_module(odd)

REFUSED = {"tool": "workspace.read_file", "arguments": {"path": "there/is/none.md"}}
"""A call that a service refuses: what remains of it is a second."""


def judge(env: LifeEnv, action: Any) -> None:
    """Send an action to an env in the middle of a turn and see that all is well with what comes back."""
    before = env.snapshot()
    observation, reward, _, truncated, info = env.step(action)
    assert env.observation_space.contains(observation)
    assert (info["step"], info["fault"], truncated) == (before.steps + 1, False, False)
    assert "".join(observation.values()).isprintable() or observation["text"].encode()
    assert info["ok"] == (observation["kind"] != "error") == (info["error"] == "")
    if info["ok"]:
        return
    assert json.loads(observation["text"])["error"]["code"] == info["error"]
    assert reward == 0
    alike = before.fork()
    if len(env.episode.history.calls) > len(before.history.calls):
        alike.step(REFUSED)
    assert env.episode.world.dump() == alike.world.dump(), "a refused call changed the world"


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(actions=st.lists(odd.malformed_actions(), min_size=1, max_size=4))
def test_a_turn_of_malformed_actions(small_env: Callable[..., LifeEnv], actions: list[Any]) -> None:
    env = small_env(render_mode="ansi")
    env.reset()
    for action in actions:
        if not env.episode.over:
            judge(env, odd._made(action))
    if not env.episode.over:
        assert env.step({"tool": "assistant.wait"})[4]["ok"], "the episode goes on"


@pytest.mark.parametrize("number", range(len(odd.ODD)))
@pytest.mark.parametrize("render_mode", ["ansi", "human"])
def test_every_odd_value_at_every_place(
    small_env: Callable[..., LifeEnv], number: int, render_mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    make = odd.ODD[number]
    env = small_env(render_mode=render_mode)
    env.reset()
    for action in (
        make,
        lambda: {"tool": make()},
        lambda: {"tool": "banking.get_account", "arguments": make()},
        lambda: {"tool": "banking.get_account", "arguments": {"account_id": make()}},
        lambda: {"tool": "workspace.write_file", "arguments": {"path": make(), "text": [make()]}},
    ):
        judge(env, action())
    shown = env.render() if render_mode == "ansi" else capsys.readouterr().out
    assert shown is not None
    assert shown.count("> ") >= 5
    shown.encode()


def test_unhashable_and_odd_actions_are_not_contained(small_env: Callable[..., LifeEnv]) -> None:
    space = small_env().action_space
    for make in odd.ODD:
        assert not space.contains({"tool": "banking.get_account", "arguments": make()})


def test_a_flood_of_refused_calls_ends_in_truncation(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(max_steps=500, max_calls_per_turn=20)
    env.reset()
    world = env.episode.world.dump()
    for _ in range(499):
        assert env.step({"tool": "x" * 100_000})[3] is False
    assert env.step(None)[3]
    assert env.episode.world.dump() == world
    assert env.score().refused == 500
