"""Vector environments: in one process, in several, with sub-environments at different points of their weeks."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv, VectorEnv

from lifegym.envs import LifeEnv, Result

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}
LOOK: dict[str, Any] = {"tool": "banking.get_account", "arguments": {"account_id": "main"}}
WRONG: dict[str, Any] = {"tool": "banking.get_account", "arguments": {"account_id": "none"}}

DTYPES = {"turn": np.int64, "step": np.int64, "variant_seed": np.int64, "ok": np.bool_, "fault": np.bool_}
TEXTS = ("task", "variant", "error")


def make(max_steps: int = 5000) -> LifeEnv:
    return LifeEnv(SMALL_DEBTS, max_steps=max_steps)


def small_envs(count: int, **settings: Any) -> list[Callable[[], LifeEnv]]:
    return [partial(make, **settings) for _ in range(count)]


VECTORS: dict[str, Callable[..., VectorEnv[Any, Any, Any]]] = {
    "sync": SyncVectorEnv,
    "async": partial(AsyncVectorEnv, shared_memory=False),
}


@pytest.fixture(params=list(VECTORS))
def vector(request: pytest.FixtureRequest) -> Iterator[Callable[..., VectorEnv[Any, Any, Any]]]:
    made: list[VectorEnv[Any, Any, Any]] = []

    def build(fns: list[Callable[[], LifeEnv]], mode: AutoresetMode = AutoresetMode.NEXT_STEP) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            made.append(VECTORS[request.param](fns, autoreset_mode=mode))
        return made[-1]

    yield build
    for one in made:
        one.close()


def check_info(info: dict[str, Any], count: int) -> None:
    """Every key has one type, in every sub-environment."""
    for name, dtype in DTYPES.items():
        assert info[name].dtype == dtype, name
        assert info[f"_{name}"].all()
    for name in TEXTS:
        assert [type(value) for value in info[name]] == [str] * count, name
    assert [type(value) for value in info["result"]] == [Result] * count


def check_observation(observation: dict[str, Any], count: int) -> None:
    assert set(observation) == {"kind", "stage", "text", "time"}
    for texts in observation.values():
        assert [type(text) for text in texts] == [str] * count


def test_the_same_as_single_envs(vector: Callable[..., Any]) -> None:
    envs = vector(small_envs(3))
    observation, info = envs.reset(seed=5)
    single = make()
    first, _ = single.reset(seed=5)
    check_observation(observation, 3)
    check_info(info, 3)
    assert [dict(zip(observation, texts, strict=True)) for texts in zip(*observation.values(), strict=True)] == [
        first
    ] * 3
    for action in (LOOK, WRONG, WAIT):
        observation, rewards, terminated, truncated, info = envs.step([action, WAIT, WRONG])
        check_observation(observation, 3)
        check_info(info, 3)
        expected, reward, *_, expected_info = single.step(action)
        assert {name: texts[0] for name, texts in observation.items()} == expected
        assert (rewards[0], bool(terminated[0]), bool(truncated[0])) == (reward, False, False)
        assert {name: info[name][0] for name in expected_info} == expected_info


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_whole_episodes_at_different_points(vector: Callable[..., Any], mode: AutoresetMode) -> None:
    """One sub-environment ends its weeks again and again while another has hardly begun and a third is truncated."""
    envs = vector([partial(make), partial(make), partial(make, max_steps=7)], mode)
    _, info = envs.reset(seed=1)
    check_info(info, 3)
    ends = np.zeros(3, dtype=int)
    for step in range(24):
        observation, rewards, terminated, truncated, info = envs.step([WAIT, (LOOK, WRONG, {})[step % 3], LOOK])
        done = terminated | truncated
        check_observation(observation, 3)
        check_info(info, 3)
        assert rewards.dtype == np.float64
        if mode == AutoresetMode.SAME_STEP and done.any():
            for i in np.flatnonzero(done):
                assert info["final_obs"][i]["kind"] == ("end" if i == 0 else "result")
                assert type(info["final_info"]["task"][i]) is str
                assert type(info["final_info"]["result"][i]) is Result
                assert observation["kind"][i] == "user_message", "it has begun again"
        if mode == AutoresetMode.DISABLED and done.any():
            observation, info = envs.reset(options={"reset_mask": done})
            check_observation(observation, 3)
        ends += done
    every = {AutoresetMode.NEXT_STEP: (4, 8), AutoresetMode.SAME_STEP: (3, 7), AutoresetMode.DISABLED: (3, 7)}[mode]
    assert ends.tolist() == [24 // every[0], 0, 24 // every[1]]


def test_random_weeks_of_the_flagship(vector: Callable[..., Any]) -> None:
    envs = vector([lambda: LifeEnv("japan-trip", "train", max_steps=60)] * 2)
    envs.action_space.seed(3)
    _, info = envs.reset(seed=3)
    assert len(set(info["variant_seed"])) == 2
    for _ in range(70):
        actions = envs.action_space.sample()
        assert actions in envs.action_space
        observation, _, _, _, info = envs.step(actions)
        check_info(info, 2)
        check_observation(observation, 2)


def test_make_vec() -> None:
    envs = gym.make_vec("LifeBench/japan-trip-v0", num_envs=2, vectorization_mode="sync")
    observation, info = envs.reset()
    check_observation(observation, 2)
    check_info(info, 2)
    envs.close()


def test_the_default_async_env_says_what_to_set() -> None:
    """Texts of any length have no place in shared memory."""
    with pytest.raises(ValueError, match="shared_memory=False"):
        AsyncVectorEnv(small_envs(2))


def test_envs_in_one_process_share_no_state() -> None:
    envs = SyncVectorEnv(small_envs(2))
    envs.reset()
    write = {"tool": "workspace.write_file", "arguments": {"path": "mine.md", "text": "x"}}
    envs.step([write, LOOK])
    files = envs.step([{"tool": "workspace.list_files"}] * 2)[0]["text"]
    assert ("mine.md" in files[0], "mine.md" in files[1]) == (True, False)
    envs.close()
