"""Many tasks as one environment."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from lifegym.envs import SuiteEnv
from lifegym.task_suite import domains, task_ids

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}


@pytest.fixture
def two() -> SuiteEnv:
    return SuiteEnv([SMALL_DEBTS, "japan-trip"], "canonical")


def drawn(env: SuiteEnv, seed: int, count: int = 12) -> list[str]:
    return [env.reset(seed=seed if i == 0 else None)[1]["task"] for i in range(count)]


def test_a_task_is_drawn_at_each_reset(two: SuiteEnv) -> None:
    names = drawn(two, 1)
    assert set(names) == {"small-debts", "japan-trip"}
    assert drawn(two, 1) == names
    assert drawn(two, 2) != names


def test_it_passes_the_checker() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check_env(SuiteEnv([SMALL_DEBTS, "japan-trip"]), skip_render_check=True)


def test_worlds_are_drawn_too_and_can_be_pinned() -> None:
    env = SuiteEnv([SMALL_DEBTS, "japan-trip"])
    seeds = {env.reset(seed=i)[1]["variant_seed"] for i in range(5)}
    assert len(seeds) == 5
    info = env.reset(options={"task": "japan-trip", "variant_seed": 7})[1]
    assert (info["task"], info["variant"], info["variant_seed"]) == ("japan-trip", "train", 7)


def test_an_episode_is_that_of_its_task(two: SuiteEnv) -> None:
    two.reset(options={"task": SMALL_DEBTS})
    ended = False
    while not ended:
        _, _, ended, _, info = two.step(WAIT)
        assert info["task"] == "small-debts"
    assert two.score().score == 0.0
    assert two.reset(options={"task": "japan-trip"})[1]["task"] == "japan-trip"


def test_a_service_of_another_task_is_not_there(two: SuiteEnv) -> None:
    two.reset(options={"task": SMALL_DEBTS})
    action = two.action_space.sample_tool("weather.get_alerts")
    assert two.action_space.contains(action)
    assert two.step(action)[4]["error"] == "service_unavailable"


def test_forks_snapshots_and_pickles(two: SuiteEnv) -> None:
    two.reset(options={"task": SMALL_DEBTS})
    saved = two.snapshot()
    fork = two.fork()
    assert isinstance(fork, SuiteEnv)
    assert fork.step(WAIT)[0] == two.step(WAIT)[0]
    two.reset(options={"task": "japan-trip"})
    two.restore(saved)
    assert two.step(WAIT)[4]["task"] == "small-debts"
    again = pickle.loads(pickle.dumps(two))
    assert again.step(WAIT)[0] == two.step(WAIT)[0]
    lonely = SuiteEnv("japan-trip")
    with pytest.raises(ValueError, match="small-debts, which is not among"):
        lonely.restore(saved)


@pytest.mark.parametrize(
    ("options", "told"),
    [({"task": "nowhere"}, "'nowhere' is not among the tasks"), ({"tasks": "japan-trip"}, "unknown reset option")],
)
def test_wrong_options(two: SuiteEnv, options: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        two.reset(options=options)


def test_domains_and_the_suite_have_ids() -> None:
    env = gym.make("LifeBench/travel-v0")
    assert env.reset(seed=0)[1]["task"] in task_ids("travel")
    whole = gym.make("LifeBench/suite-v0", variant="test").unwrapped
    assert isinstance(whole, SuiteEnv)
    assert whole.tasks == tuple(task_ids())
    assert {f"LifeBench/{domain.replace('_', '-')}-v0" for domain in domains()} <= set(gym.registry)
