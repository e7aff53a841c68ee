"""What every wrapper does: it passes the checker, composes, pickles, records its arguments, goes into vector envs."""

from __future__ import annotations

import doctest
import importlib
import pickle
import pkgutil
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import lifegym.wrappers as wrappers
from lifegym.envs import LifeEnv
from lifegym.wrappers import (
    CallCost,
    ChatObservation,
    DenseReward,
    NoisyTools,
    RecordTrajectory,
    RenamedTools,
    SafetyReward,
    SparseReward,
    StageStart,
    TextActions,
    ToolSubset,
)

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
WAIT = {"tool": "assistant.wait", "arguments": {}}

WRAPPERS: dict[str, tuple[type[gym.Wrapper], dict[str, Any]]] = {
    "CallCost": (CallCost, {"cost": 0.01}),
    "ChatObservation": (ChatObservation, {"budget": 500}),
    "DenseReward": (DenseReward, {"scale": 2.0}),
    "NoisyTools": (NoisyTools, {"rate": 0.5, "seed": 3}),
    "RecordTrajectory": (RecordTrajectory, {"agent": "x"}),
    "RenamedTools": (RenamedTools, {"seed": 2}),
    "SafetyReward": (SafetyReward, {"deduction": 0.1}),
    "SparseReward": (SparseReward, {}),
    "StageStart": (StageStart, {"stage": "S2"}),
    "TextActions": (TextActions, {"max_calls": 3}),
    "ToolSubset": (ToolSubset, {"tools": ["banking.*"]}),
}


@pytest.fixture(params=list(WRAPPERS))
def wrap(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[gym.Env[Any, Any]], gym.Wrapper]:
    cls, arguments = WRAPPERS[request.param]
    if cls is RecordTrajectory:
        arguments = {"folder": str(tmp_path), **arguments}
    return partial(cls, **arguments)


def make() -> LifeEnv:
    return LifeEnv(SMALL_DEBTS)


def test_every_wrapper_is_here() -> None:
    things = {name: getattr(wrappers, name) for name in wrappers.__all__}
    found = {name for name, thing in things.items() if isinstance(thing, type) and issubclass(thing, gym.Wrapper)}
    assert found == set(WRAPPERS)


def test_it_passes_the_checker(wrap: Callable[..., gym.Wrapper]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(wrap(make()), skip_render_check=True)


def test_it_composes_with_two_others_and_pickles(wrap: Callable[..., gym.Wrapper]) -> None:
    env = CallCost(SparseReward(wrap(make())), cost=0.5)
    env.reset(seed=0)
    again = pickle.loads(pickle.dumps(env))
    first, second = env.step(WAIT), again.step(WAIT)
    assert first[:4] == second[:4]
    assert first[1] == -0.5


def test_it_records_its_arguments_for_another_of_it(wrap: Callable[..., gym.Wrapper]) -> None:
    env = wrap(make())
    saved = env._saved_kwargs  # type: ignore[attr-defined]
    assert all(saved[name] == value for name, value in wrap.keywords.items())  # type: ignore[attr-defined]
    type(env)(make(), **saved)


def test_it_goes_into_a_vector_env(wrap: Callable[..., gym.Wrapper]) -> None:
    envs = SyncVectorEnv([lambda: wrap(make())] * 2)
    envs.reset(seed=0)
    for _ in range(6):
        observation, rewards, *_ = envs.step([WAIT, WAIT])
        assert rewards.shape == (2,)
    assert len(observation if isinstance(observation, tuple) else observation["text"]) == 2
    envs.close()


def test_the_same_seed_gives_the_same_episode(wrap: Callable[..., gym.Wrapper]) -> None:
    one, other = wrap(make()), wrap(make())
    assert one.reset(seed=5) == other.reset(seed=5)
    look = {"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}
    for action in (look, WAIT, look, look, WAIT):
        assert one.step(action)[:4] == other.step(action)[:4]


@pytest.mark.parametrize("module", [item.name for item in pkgutil.iter_modules(wrappers.__path__)])
def test_the_examples_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"lifegym.wrappers.{module}"))
    assert result.failed == 0
    assert result.attempted > 0
