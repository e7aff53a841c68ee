"""Gymnasium ids: ``LifeBench/<task>-v0`` for every task, found by folder name so that no bundle is opened."""

from __future__ import annotations

import gymnasium as gym

from lifegym.task_suite.suite import task_ids

__all__ = ["NAMESPACE", "register_tasks"]

NAMESPACE = "LifeBench"


def register_tasks() -> None:
    """Register every task that is not registered yet."""
    for task in task_ids():
        id = f"{NAMESPACE}/{task}-v0"
        if id not in gym.registry:
            gym.register(id=id, entry_point="lifegym.envs.life_env:LifeEnv", kwargs={"task": task})
