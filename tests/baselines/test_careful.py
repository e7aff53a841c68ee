"""The careful agent: tools that fail cost it calls and no points, and a lost write is seen."""

from __future__ import annotations

import re
from typing import Any

import gymnasium as gym
import orjson
import pytest

import lifegym  # noqa: F401  registers the tasks
from lifegym.baselines import EpisodeInfo, IdleAgent, ReferenceAgent, make_agent
from lifegym.baselines.careful import CarefulAgent
from lifegym.baselines.careful.read_back import READ_BACKS, look, stands
from lifegym.envs import LifeEnv
from lifegym.services import catalogue
from lifegym.task_suite import load_task, task_ids
from lifegym.task_suite.player import SolutionError
from lifegym.wrappers import NoisyTools


def info_of(task: str, told: dict[str, Any]) -> EpisodeInfo:
    services = tuple(load_task(task).bundle.task.services)
    return EpisodeInfo(task, task, told["variant"], told["variant_seed"], services)


def noisy(task: str, rate: float, seed: int, **more: Any) -> tuple[float | None, NoisyTools, CarefulAgent]:
    """The score, the wrapper and the agent after an episode of the careful reference."""
    env = NoisyTools(gym.make(f"LifeBench/{task}-v0"), rate=rate, seed=seed, **more)
    observation, told = env.reset()
    agent = CarefulAgent(ReferenceAgent())
    agent.reset(info_of(task, told))
    over = False
    while not over:
        observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        over = terminated or truncated
    life = env.unwrapped
    assert isinstance(life, LifeEnv)
    return life.score().score, env, agent


@pytest.mark.parametrize("task", task_ids())
def test_faults_cost_calls_and_no_points(task: str) -> None:
    score, env, agent = noisy(task, 0.1, seed=7)
    assert score == 100
    assert env.faults >= 5
    assert agent.usage["repeated"] > 0


@pytest.mark.parametrize("task", task_ids())
def test_without_faults_nothing_is_made_twice(task: str) -> None:
    score, env, agent = noisy(task, 0.0, seed=0)
    assert (score, env.faults, agent.usage["repeated"]) == (100, 0, 0)


@pytest.mark.parametrize("kind", ["timeout", "rate_limit", "partial", "lost_write"])
def test_each_kind_of_fault_alone(kind: str) -> None:
    score, env, agent = noisy("japan-trip", 0.5, seed=3, kinds=[kind])
    assert score == 100
    assert 0 < agent.usage["repeated"] <= env.faults


def trusting(seed: int) -> float | None:
    """The score of the reference where writes are lost; None where it came to need what was never written."""
    env = NoisyTools(gym.make("LifeBench/japan-trip-v0"), rate=0.1, seed=seed, kinds=["lost_write"])
    observation, told = env.reset()
    agent = ReferenceAgent()
    agent.reset(info_of("japan-trip", told))
    over = False
    while not over:
        try:
            observation, _, terminated, truncated, _ = env.step(agent.act(observation))
        except SolutionError:
            return None
        over = terminated or truncated
    return env.unwrapped.score().score  # type: ignore[attr-defined,no-any-return]


def test_an_agent_that_trusts_its_tools_loses() -> None:
    assert all((trusting(seed) or 0) < 100 for seed in range(3))


@pytest.mark.parametrize("task", task_ids())
def test_a_lost_write_is_told_from_one_that_stands(task: str) -> None:
    env = gym.make(f"LifeBench/{task}-v0")
    observation, told = env.reset()
    life = env.unwrapped
    assert isinstance(life, LifeEnv)
    user = re.findall(r"user id: (\w+)", observation["text"])[0]
    agent = ReferenceAgent()
    agent.reset(info_of(task, told))
    over, missed = False, []
    while not over:
        call = agent.act(observation)
        spec = catalogue.find_tool(call["tool"])
        assert spec is not None
        before = life.fork() if spec.name in READ_BACKS else None
        observation, _, terminated, truncated, outcome = env.step(call)
        over = terminated or truncated
        if before is None or not outcome["ok"]:
            continue
        result = orjson.loads(observation["text"])
        back = look(call, result, user)
        assert back is not None, f"{call} has no way to be read back"
        assert stands(call["tool"], result, seen(life.fork(), back)), f"{call} looks lost"
        if stands(call["tool"], result, seen(before, back)):
            missed.append(call["tool"])
    assert not missed


def seen(env: gym.Env[Any, Any], call: dict[str, Any]) -> dict[str, Any] | None:
    observation, *_ = env.step(call)
    return orjson.loads(observation["text"]) if observation["kind"] == "result" else None


def test_every_way_to_read_back_is_a_read_of_the_catalogue() -> None:
    for write, way in READ_BACKS.items():
        spec, reader = catalogue.find_tool(write), catalogue.find_tool(way.tool)
        assert spec is not None, write
        assert spec.write, write
        assert reader is not None, way.tool
        assert not reader.write, way.tool
        assert set(way.given) <= set(reader.schema["properties"]), write


def test_it_wraps_any_agent_by_name_or_object() -> None:
    agent = make_agent("careful", agent="idle")
    assert isinstance(agent, CarefulAgent)
    assert isinstance(agent.agent, IdleAgent)
    agent.reset(EpisodeInfo("t", "t", "canonical", 0, ("email",)))
    opening = {
        "kind": "user_message",
        "text": "Ann's user id: u_ann.",
        "time": "2026-03-02T09:00:00+01:00",
        "stage": "S1",
    }
    assert agent.act(opening) == {"tool": "assistant.wait", "arguments": {}}
