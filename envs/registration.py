"""Gymnasium ids, found by folder names so that no bundle is opened.

``LifeBench/<task>-v0`` for every task, ``LifeBench/<domain>-v0`` for the tasks of a domain, ``LifeBench/suite-v0`` for
all. Each has a vector form on Ray, which ``gymnasium.make_vec(..., vectorization_mode="vector_entry_point")`` makes.
"""

from __future__ import annotations

import gymnasium as gym

from lifegym.task_suite.suite import domains, task_ids

__all__ = ["NAMESPACE", "register_tasks"]

NAMESPACE = "LifeBench"


def register_tasks() -> None:
    """Register every task, domain and the suite, where they are not registered yet."""
    for task in task_ids():
        _register(task, "lifegym.envs.life_env:LifeEnv", {"task": task})
    for domain in domains():
        _register(domain.replace("_", "-"), "lifegym.envs.suite_env:SuiteEnv", {"tasks": f"{domain}/*"})
    _register("suite", "lifegym.envs.suite_env:SuiteEnv", {"tasks": "*"})


def _register(name: str, entry_point: str, kwargs: dict[str, str]) -> None:
    id = f"{NAMESPACE}/{name}-v0"
    if id not in gym.registry:
        vector = "lifegym.envs.ray_vector_env:RayVectorEnv"
        gym.register(id=id, entry_point=entry_point, vector_entry_point=vector, kwargs=kwargs)
