"""Gymnasium environments of the tasks. Modules are imported on first use, so that registration costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifegym.lazy import lazy

if TYPE_CHECKING:
    from lifegym.envs.life_env import LifeEnv, Result
    from lifegym.envs.ray_vector_env import RayVectorEnv
    from lifegym.envs.registration import NAMESPACE, register_tasks
    from lifegym.envs.spaces import ToolCallSpace, Unicode
    from lifegym.envs.suite_env import SuiteEnv

__all__ = [
    "NAMESPACE", "LifeEnv", "RayVectorEnv", "Result", "SuiteEnv", "ToolCallSpace", "Unicode", "register_tasks",
]  # fmt: skip

__getattr__ = lazy(
    __name__,
    life_env="LifeEnv Result",
    ray_vector_env="RayVectorEnv",
    registration="NAMESPACE register_tasks",
    spaces="ToolCallSpace Unicode",
    suite_env="SuiteEnv",
)
