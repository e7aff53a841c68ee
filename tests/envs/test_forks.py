"""Snapshots, forks and copies: the same state, and from there on each its own way."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from lifegym.baselines import EpisodeInfo, RandomAgent
from lifegym.envs import LifeEnv

WAIT = {"tool": "assistant.wait", "arguments": {}}


def random_actions(env: LifeEnv, count: int, seed: int) -> list[Any]:
    """What a random agent does in ``count`` steps; the env goes on with it."""
    agent = RandomAgent()
    agent.reset(EpisodeInfo("", "", "", 0, env.task.services, seed))
    observation = {"text": "", "kind": "", "time": "", "stage": ""}
    actions = []
    for _ in range(count):
        actions.append(agent.act(observation))
        observation = env.step(actions[-1])[0]
    return actions


def going_on(env: LifeEnv, actions: list[Any]) -> list[Any]:
    """All that comes of some actions, to the last bit of the world."""
    steps: list[Any] = [env.step(action) for action in actions]
    return [*steps, env.episode.world.dump(), repr(env.episode.history.turns), repr(env.episode.history.calls)]


@pytest.fixture(params=[3, 60])
def midway(request: pytest.FixtureRequest) -> LifeEnv:
    """The flagship some random steps in, in the middle of a turn."""
    env = LifeEnv("japan-trip", variant="train", render_mode="ansi")
    env.reset(seed=4)
    env.action_space.seed(4)
    env.action_space.sample()
    random_actions(env, request.param, 5)
    env.step({"tool": "workspace.list_files"})
    return env


def pickled(env: LifeEnv) -> LifeEnv:
    copy: LifeEnv = pickle.loads(pickle.dumps(env))
    return copy


@pytest.mark.parametrize("copied", [LifeEnv.fork, deepcopy, pickled])
def test_a_copy_goes_on_as_the_original_does(midway: LifeEnv, copied: Callable[[LifeEnv], LifeEnv]) -> None:
    other = copied(midway)
    assert other is not midway
    assert other.episode.world.dump() == midway.episode.world.dump()
    actions = random_actions(midway.fork(), 40, 9)
    assert going_on(other, actions) == going_on(midway, actions)
    assert [other.action_space.sample() for _ in range(9)] == [midway.action_space.sample() for _ in range(9)]
    for _ in range(2):
        assert other.reset() == midway.reset(), "the generators agree on the next draw"


@pytest.mark.parametrize("copied", [LifeEnv.fork, deepcopy, pickled])
def test_neither_sees_what_the_other_does(midway: LifeEnv, copied: Callable[[LifeEnv], LifeEnv]) -> None:
    other = copied(midway)
    before = going_on(midway.fork(), [])
    random_actions(other, 60, 2)
    other.action_space.sample()
    assert going_on(midway, []) == before
    random_actions(midway, 10, 3)
    here = going_on(midway, [])
    other.reset(seed=1)
    assert going_on(midway, []) == here


def test_a_snapshot_can_be_restored_again_and_again(midway: LifeEnv) -> None:
    snapshot = midway.snapshot()
    actions = random_actions(midway, 30, 1)
    ends = []
    for _ in range(3):
        midway.restore(snapshot)
        assert midway.episode.world.dump() == snapshot.world.dump()
        ends.append(going_on(midway, actions))
    assert ends[0] == ends[1] == ends[2]
    other = LifeEnv("japan-trip")
    other.restore(snapshot)
    assert going_on(other, actions) == ends[0]


def test_a_snapshot_pickles(midway: LifeEnv) -> None:
    copy = pickle.loads(pickle.dumps(midway.snapshot()))
    actions = random_actions(midway.fork(), 20, 1)
    other = LifeEnv("japan-trip", variant="train")
    other.restore(copy)
    assert going_on(other, actions) == going_on(midway, actions)


def test_a_snapshot_of_another_task_is_refused(midway: LifeEnv, small_env: Callable[..., LifeEnv]) -> None:
    with pytest.raises(ValueError, match="of japan-trip, this env of small-debts"):
        small_env().restore(midway.snapshot())


def test_a_fork_from_the_middle_of_a_turn_reaches_the_same_score(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    env.reset()
    env.step(
        {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}
    )
    other = env.fork()
    other.step({"tool": "workspace.edit_file", "arguments": {"path": "debts.csv", "old": "open", "new": "paid"}})
    scores = []
    for one in (env, other, pickled(env)):
        terminated = False
        while not terminated:
            terminated = one.step(WAIT)[2]
        scores.append(one.score().score)
        assert one.evaluation()[0]["clauses"], "the evaluation can be explained"
    assert scores == [70, 80, 70]


def test_a_finished_env_pickles_with_its_evaluation(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    env.reset()
    for _ in range(3):
        env.step(WAIT)
    for other in (pickled(env), deepcopy(env), env.fork()):
        assert other.score() == env.score()
        assert other.evaluation() == env.evaluation()
        with pytest.raises(gym.error.ResetNeeded):
            other.step(WAIT)


def test_an_env_that_was_not_reset_can_be_copied(small_env: Callable[..., LifeEnv]) -> None:
    for copied in (LifeEnv.fork, deepcopy, pickled):
        other = copied(small_env())
        with pytest.raises(gym.error.ResetNeeded):
            other.step(WAIT)
        other.reset()


def test_a_fork_keeps_the_caps_and_the_variant(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(variant="test", max_steps=7, max_calls_per_turn=3, render_mode="ansi")
    other = env.fork()
    kept = ("variant", "max_steps", "max_calls_per_turn", "render_mode")
    assert [getattr(other, name) for name in kept] == ["test", 7, 3, "ansi"]
    assert other.task is env.task, "nothing is compiled again"
    assert isinstance(other.np_random, np.random.Generator)


def test_what_make_gives_pickles_too() -> None:
    env = gym.make("LifeBench/japan-trip-v0")
    env.reset()
    env.step(WAIT)
    other = pickle.loads(pickle.dumps(env))
    assert other.step(WAIT) == env.step(WAIT)
