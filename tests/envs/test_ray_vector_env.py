"""The vector environment on Ray gives what gymnasium's own give."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from lifegym.envs import LifeEnv, RayVectorEnv, Result

pytestmark = [pytest.mark.xdist_group("ray"), pytest.mark.usefixtures("ray_here")]

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}
LOOK: dict[str, Any] = {"tool": "banking.get_account", "arguments": {"account_id": "main"}}
WRONG: dict[str, Any] = {"tool": "banking.get_account", "arguments": {"account_id": "none"}}


@pytest.fixture
def make() -> Iterator[Callable[..., RayVectorEnv]]:
    made: list[RayVectorEnv] = []

    def build(count: int = 3, **settings: Any) -> RayVectorEnv:
        chosen = settings if "tasks" in settings else {"task": SMALL_DEBTS, **settings}
        made.append(RayVectorEnv(count, workers=2, **chosen))
        return made[-1]

    yield build
    for envs in made:
        envs.close()


def plain(value: Any) -> Any:
    """Observations, infos and arrays as plain values, with the types of what is in them."""
    if isinstance(value, np.ndarray):
        return (str(value.dtype), [plain(item) for item in value])
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, Result):
        return ("result", value.value)
    return value


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_the_same_as_the_sync_env(make: Callable[..., RayVectorEnv], mode: AutoresetMode) -> None:
    """Through several ends, one sub-environment cut off early, another waiting through its weeks again and again."""
    mine = make(3, autoreset_mode=mode, max_steps=7)
    theirs = SyncVectorEnv([partial(LifeEnv, SMALL_DEBTS, max_steps=7)] * 3, autoreset_mode=mode)
    assert mine.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert mine.action_space == theirs.action_space
    assert mine.observation_space == theirs.observation_space
    assert plain(mine.reset(seed=4)) == plain(theirs.reset(seed=4))
    for step in range(20):
        actions = [WAIT, (LOOK, WRONG, {}, "nonsense")[step % 4], LOOK]
        one, other = mine.step(actions), theirs.step(actions)
        assert plain(one) == plain(other), step
        done = one[2] | one[3]
        if mode == AutoresetMode.DISABLED and done.any():
            mask = {"reset_mask": done}
            assert plain(mine.reset(options={**mask})) == plain(theirs.reset(options={**mask}))
    theirs.close()


def test_drawn_worlds_by_seeds(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(4, variant="train")
    first = mine.reset(seed=11)[1]["variant_seed"].tolist()
    assert len(set(first)) == 4
    assert mine.reset(seed=[11, 12, 13, 14])[1]["variant_seed"].tolist() == first
    assert mine.reset()[1]["variant_seed"].tolist() != first
    assert mine.reset(options={"variant_seed": 3})[1]["variant_seed"].tolist() == [3] * 4
    assert mine.np_random_seed == (11, 12, 13, 14)


def test_mixed_tasks(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(6, tasks=[SMALL_DEBTS, "japan-trip"], variant="canonical")
    info = mine.reset(seed=0)[1]
    assert set(info["task"]) == {"small-debts", "japan-trip"}
    assert mine.step([WAIT] * 6)[4]["task"].tolist() == info["task"].tolist()


def test_call_and_attributes(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(3)
    mine.reset(seed=0)
    assert mine.get_attr("max_steps") == (5000, 5000, 5000)
    mine.set_attr("max_steps", [1, 2, 3])
    assert mine.get_attr("max_steps") == (1, 2, 3)
    assert [len(tools) for tools in mine.call("tools", format="anthropic")] == [len(LifeEnv(SMALL_DEBTS).tools())] * 3
    mine.set_attr("max_steps", 9)
    assert mine.call("max_steps") == (9, 9, 9)


REFUSED: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda e: e.step([WAIT]), ValueError, "1 actions for 3"),
    (lambda e: e.reset(seed=[1]), ValueError, "1 seeds for 3"),
    (lambda e: e.reset(options={"reset_mask": np.zeros(3, bool)}), ValueError, "at least one of them true"),
    (lambda e: e.reset(options={"colour": 1}), ValueError, "unknown reset option"),
    (lambda e: e.set_attr("max_steps", [1]), ValueError, "1 values for 3"),
    (lambda e: e.call("score"), Exception, "sealed|goes on|end"),
]


def test_what_is_refused_is_told_and_changes_nothing(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(3)
    mine.reset(seed=0)
    for step, (act, error, told) in enumerate(REFUSED, 1):
        with pytest.raises(error, match=told):
            act(mine)
        info = mine.step([LOOK] * 3)[4]
        assert info["ok"].all()
        assert info["step"].tolist() == [step] * 3


def test_a_step_after_the_end_is_refused_where_nothing_begins_anew(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(2, autoreset_mode=AutoresetMode.DISABLED, max_steps=1)
    mine.reset()
    mine.step([LOOK, LOOK])
    with pytest.raises(gym.error.ResetNeeded, match="reset it with reset_mask"):
        mine.step([LOOK, LOOK])


class Deadly:
    """It kills the process that reads it."""

    def __reduce__(self) -> Any:
        return signal.raise_signal, (signal.SIGKILL,)


def test_a_worker_that_is_killed_is_told_and_ends_the_env(make: Callable[..., RayVectorEnv]) -> None:
    mine = make(3)
    mine.reset(seed=0)
    with pytest.raises(RuntimeError, match="a worker was lost"):
        mine.step([LOOK, LOOK, Deadly()])
    with pytest.raises(gym.error.ClosedEnvironmentError, match="make another one"):
        mine.step([LOOK] * 3)


def test_what_makes_no_env() -> None:
    with pytest.raises(ValueError, match="at least one sub-environment"):
        RayVectorEnv(0, task=SMALL_DEBTS)
    with pytest.raises(ValueError, match="either 'task' or 'tasks'"):
        RayVectorEnv(2)
    with pytest.raises(KeyError, match="no task"):
        RayVectorEnv(2, task="nowhere")


def test_more_workers_than_sub_environments() -> None:
    envs = RayVectorEnv(1, task=SMALL_DEBTS, workers=4)
    assert len(envs.reset()[0]["text"]) == 1
    envs.close()
    envs.close()


def test_make_vec() -> None:
    envs = gym.make_vec("LifeBench/japan-trip-v0", num_envs=3, vectorization_mode="vector_entry_point", workers=2)
    assert isinstance(envs.unwrapped, RayVectorEnv)
    assert len(envs.reset(seed=0)[0]["text"]) == 3
    envs.close()
    mixed = gym.make_vec("LifeBench/travel-v0", num_envs=2, vectorization_mode="vector_entry_point", variant="test")
    assert mixed.reset(seed=0)[1]["variant"].tolist() == ["test", "test"]
    mixed.close()
