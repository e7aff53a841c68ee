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
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import SyncVectorEnv

import lifegym.wrappers as wrappers
from lifegym.envs import LifeEnv
from lifegym.wrappers import (
    CallCost,
    CandidateActions,
    ChatObservation,
    DenseReward,
    FeatureObservation,
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

Wrap = Callable[..., gym.Wrapper]
Make = Callable[[], gym.Env[Any, Any]]

WRAPPERS: dict[str, tuple[type[gym.Wrapper], dict[str, Any]]] = {
    "CallCost": (CallCost, {"cost": 0.01}),
    "CandidateActions": (CandidateActions, {"k": 4}),
    "ChatObservation": (ChatObservation, {"budget": 500}),
    "DenseReward": (DenseReward, {"scale": 2.0, "reads": False}),
    "FeatureObservation": (FeatureObservation, {}),
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


@pytest.fixture
def make(wrap: partial[gym.Wrapper]) -> Callable[[], gym.Env[Any, Any]]:
    """Makes an env for the wrapper: the small task, with candidates below what describes them."""
    if wrap.func is FeatureObservation:
        return lambda: CandidateActions(LifeEnv(SMALL_DEBTS), k=4)
    return lambda: LifeEnv(SMALL_DEBTS)


def fitting(env: gym.Env[Any, Any], call: dict[str, Any]) -> Any:
    """A call for envs that take calls, an index for the others."""
    return 1 if isinstance(env.action_space, gym.spaces.Discrete) else call


def test_every_wrapper_is_here() -> None:
    things = {name: getattr(wrappers, name) for name in wrappers.__all__}
    found = {name for name, thing in things.items() if isinstance(thing, type) and issubclass(thing, gym.Wrapper)}
    assert found == set(WRAPPERS)


def test_it_passes_the_checker(wrap: Wrap, make: Make) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version.*")
        check_env(wrap(make()), skip_render_check=True)


def test_it_composes_with_two_others_and_pickles(wrap: Wrap, make: Make) -> None:
    env = CallCost(SparseReward(wrap(make())), cost=0.5)
    env.reset(seed=0)
    env.step(fitting(env, WAIT))
    again = pickle.loads(pickle.dumps(env))
    first, second = env.step(fitting(env, WAIT)), again.step(fitting(env, WAIT))
    assert data_equivalence(first[:4], second[:4])
    assert first[1] == -0.5 or first[2]


def test_it_records_its_arguments_for_another_of_it(wrap: Wrap, make: Make) -> None:
    env = wrap(make())
    saved = env._saved_kwargs  # type: ignore[attr-defined]
    assert all(saved[name] == value for name, value in wrap.keywords.items())  # type: ignore[attr-defined]
    type(env)(make(), **saved)


def test_it_goes_into_a_vector_env(wrap: Wrap, make: Make) -> None:
    envs = SyncVectorEnv([lambda: wrap(make())] * 2)
    envs.reset(seed=0)
    for _ in range(6):
        observation, rewards, *_ = envs.step([fitting(envs.envs[0], WAIT)] * 2)
        assert rewards.shape == (2,)
    assert len(observation if isinstance(observation, tuple) else next(iter(observation.values()))) == 2
    envs.close()


def test_the_same_seed_gives_the_same_episode(wrap: Wrap, make: Make) -> None:
    one, other = wrap(make()), wrap(make())
    assert data_equivalence(one.reset(seed=5), other.reset(seed=5))
    look = {"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}
    for action in (look, WAIT, look, look, WAIT):
        assert data_equivalence(one.step(fitting(one, action))[:4], other.step(fitting(one, action))[:4])


@pytest.mark.parametrize("module", [item.name for item in pkgutil.iter_modules(wrappers.__path__)])
def test_the_examples_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"lifegym.wrappers.{module}"))
    assert result.failed == 0
    assert result.attempted > 0
