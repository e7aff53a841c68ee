"""Reward wrappers keep or shift the return as they say."""

from __future__ import annotations

import doctest
import pickle

import gymnasium as gym
import pytest

import lifegym.wrappers.reward
from lifegym.baselines import EpisodeInfo, make_agent
from lifegym.envs import LifeEnv
from lifegym.potential import Potential
from lifegym.wrappers import CallCost, DenseReward, SparseReward

from .conftest import LOOK, PAY, WAIT


def played(env: gym.Env, name: str = "reference") -> list[float]:
    """The rewards of an agent's episode."""
    observation, info = env.reset(seed=0)
    agent = make_agent(name)
    services = env.unwrapped.task.services
    agent.reset(EpisodeInfo(info["task"], info["task"], info["variant"], info["variant_seed"], services))
    rewards, over = [], False
    while not over:
        observation, reward, terminated, truncated, info = env.step(agent.act(observation))
        rewards.append(reward)
        over = terminated or truncated
    return rewards


def test_sparse_reward_pays_the_same_at_the_end() -> None:
    rewards = played(SparseReward(gym.make("LifeBench/japan-trip-v0")))
    assert not any(rewards[:-1])
    assert rewards[-1] == pytest.approx(1.0, abs=1e-9)


def test_call_cost_is_taken_from_every_step() -> None:
    plain = played(gym.make("LifeBench/japan-trip-v0"))
    costly = played(CallCost(gym.make("LifeBench/japan-trip-v0"), cost=0.001))
    assert costly == pytest.approx([reward - 0.001 for reward in plain])


@pytest.mark.parametrize(
    ("agent", "caps"), [("reference", {}), ("idle", {}), ("random", {}), ("reference", {"max_steps": 90})]
)
def test_dense_reward_has_the_same_sum(agent: str, caps: dict[str, int]) -> None:
    plain = played(gym.make("LifeBench/japan-trip-v0", **caps), agent)
    dense = played(DenseReward(gym.make("LifeBench/japan-trip-v0", **caps)), agent)
    assert sum(dense) == pytest.approx(sum(plain), abs=1e-9)
    assert len(dense) == len(plain)


def test_dense_reward_pays_when_it_is_done_and_takes_back_what_is_undone(small: LifeEnv) -> None:
    env = DenseReward(small)
    env.reset()
    assert env.step(LOOK)[1] == 0.0
    paid = env.step(PAY)[1]
    assert paid == pytest.approx((3 + 2 + 1) / 10), "the debt is paid once; nothing went to others; the list is whole"
    assert env.step(LOOK)[1] == 0.0
    again = env.step(PAY)[1]
    assert again == pytest.approx(-(3 + 1) / 10), "paid twice: the debt's check fails, and the list's gate"


def test_without_reads_the_sum_is_the_same(small: LifeEnv) -> None:
    env = DenseReward(small, reads=False)
    assert sum(played(DenseReward(gym.make("LifeBench/japan-trip-v0"), reads=False))) == pytest.approx(1.0, abs=1e-9)
    env.reset()
    assert env.step(LOOK)[1] == 0.0
    assert env.step(PAY)[1] == pytest.approx((3 + 2 + 1) / 10)


@pytest.mark.parametrize("wrapper", [DenseReward, SparseReward])
def test_a_snapshot_goes_on_with_what_was_paid_so_far(small: LifeEnv, wrapper: type[gym.Wrapper]) -> None:
    env = wrapper(small)
    env.reset()
    env.step(PAY)
    env.step(WAIT)
    moment = env.snapshot()  # type: ignore[attr-defined]
    runs = []
    for _ in range(2):
        env.restore(moment)  # type: ignore[attr-defined]
        rewards, over = [], False
        while not over:
            _, reward, over, _, _ = env.step(WAIT)
            rewards.append(reward)
        runs.append(rewards)
    assert runs[0] == runs[1]
    if wrapper is SparseReward:
        assert runs[0][-1] == pytest.approx(small.score().score / 100)


def test_the_potential_is_what_would_be_paid(small: LifeEnv) -> None:
    """Against the plain way: every open check decided anew at every step of a whole month."""
    env = DenseReward(gym.make("LifeBench/japan-trip-v0"))
    observation, info = env.reset(seed=0)
    agent = make_agent("reference")
    agent.reset(EpisodeInfo(info["task"], info["task"], info["variant"], info["variant_seed"], ()))
    for _ in range(120):
        observation, *_ = env.step(agent.act(observation))
        episode = env.unwrapped.episode.fork()
        assert env._before == Potential(episode)()


def test_they_compose_pickle_and_record_their_arguments() -> None:
    env = CallCost(SparseReward(gym.make("LifeBench/japan-trip-v0")), cost=0.01)
    env.reset(seed=0)
    again = pickle.loads(pickle.dumps(env))
    assert again.step({"tool": "assistant.wait", "arguments": {}})[1] == -0.01
    assert env._saved_kwargs == {"cost": 0.01}
    with pytest.raises(ValueError, match="negative"):
        CallCost(gym.make("LifeBench/japan-trip-v0"), cost=-1.0)


def test_the_examples_run() -> None:
    assert doctest.testmod(lifegym.wrappers.reward).failed == 0
