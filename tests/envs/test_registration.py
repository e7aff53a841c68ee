"""The ids: here, in a fresh process, and in one that was spawned."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import gymnasium as gym
import pytest

import lifegym.envs
from lifegym.envs import NAMESPACE, LifeEnv, register_tasks
from lifegym.task_suite import task_ids


def test_every_task_has_an_id() -> None:
    registered = {spec.id for spec in gym.registry.values() if spec.namespace == NAMESPACE}
    assert {f"LifeBench/{task}-v0" for task in task_ids()} <= registered
    assert "LifeBench/japan-trip-v0" in registered


def test_registering_again_changes_nothing() -> None:
    before = dict(gym.registry)
    register_tasks()
    assert dict(gym.registry) == before


def test_make_passes_settings_on() -> None:
    env = gym.make("LifeBench/japan-trip-v0", variant="train", max_steps=9, max_calls_per_turn=2, render_mode="ansi")
    life = env.unwrapped
    assert isinstance(life, LifeEnv)
    assert (life.task.id, life.variant, life.max_steps, life.max_calls_per_turn) == ("japan-trip", "train", 9, 2)
    assert env.render_mode == "ansi"


def test_an_id_that_is_nearly_one() -> None:
    with pytest.raises(gym.error.NameNotFound, match="Did you mean: `japan-trip`"):
        gym.make("LifeBench/japan-tripp-v0")
    with pytest.raises(gym.error.VersionNotFound):
        gym.make("LifeBench/japan-trip-v7")


def test_a_name_that_the_package_has_not() -> None:
    with pytest.raises(AttributeError, match="nothing"):
        lifegym.envs.nothing  # noqa: B018
    for name in lifegym.envs.__all__:
        assert getattr(lifegym.envs, name) is not None


FRESH = """
import json, sys
import gymnasium as gym
env = gym.make("lifegym:LifeBench/japan-trip-v0")
observation, info = env.reset(seed=1)
print(json.dumps([observation, "ray" in sys.modules, "openai" in sys.modules, "mcp" in sys.modules]))
"""

LIGHT = """
import json, sys
import lifegym
heavy = ["ray", "rich", "typer", "pydantic", "tinydb", "lifegym.task_suite.task", "lifegym.episode", "openai", "mcp"]
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


def test_a_fresh_process_that_imports_gymnasium_only(run_python: Callable[..., bytes]) -> None:
    observation, *imported = json.loads(run_python(FRESH))
    assert observation == gym.make("LifeBench/japan-trip-v0").reset(seed=1)[0]
    assert imported == [False, False, False]


def test_importing_the_package_opens_no_task(run_python: Callable[..., bytes]) -> None:
    assert json.loads(run_python(LIGHT)) == []


SPAWN = """
import multiprocessing as mp
import gymnasium as gym
import lifegym

WAIT = {"tool": "assistant.wait", "arguments": {}}

def elsewhere(env, connection):
    connection.send((env.step(WAIT), gym.make("lifegym:LifeBench/japan-trip-v0").reset()))

if __name__ == "__main__":
    env = gym.make("LifeBench/japan-trip-v0")
    first = env.reset()
    context = mp.get_context("spawn")
    here, there = context.Pipe()
    worker = context.Process(target=elsewhere, args=(env, there))
    worker.start()
    stepped, fresh = here.recv()
    worker.join()
    assert stepped == env.step(WAIT)
    assert fresh == first
    print("the same")
"""


def test_a_spawned_process_steps_a_pickled_env_and_makes_a_new_one(
    run_python: Callable[..., bytes], tmp_path: Path
) -> None:
    program = tmp_path / "spawning.py"
    program.write_text(SPAWN)
    assert run_python(program) == b"the same\n"
