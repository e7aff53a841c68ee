"""Reward wrappers keep or shift the return as they say."""

from __future__ import annotations

import doctest
import pickle

import gymnasium as gym
import pytest

import lifegym.wrappers.reward
from lifegym.baselines import EpisodeInfo, make_agent
from lifegym.wrappers import CallCost, SparseReward


def played(env: gym.Env) -> list[float]:
    """The rewards of a reference episode."""
    observation, info = env.reset(seed=0)
    agent = make_agent("reference")
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
