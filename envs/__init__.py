"""Gymnasium environments of the tasks. Modules are imported on first use, so that registration costs nothing."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifegym.envs.life_env import LifeEnv, Result
    from lifegym.envs.ray_vector_env import RayVectorEnv
    from lifegym.envs.registration import NAMESPACE, register_tasks
    from lifegym.envs.spaces import ToolCallSpace, Unicode
    from lifegym.envs.suite_env import SuiteEnv

__all__ = [
    "NAMESPACE", "LifeEnv", "RayVectorEnv", "Result", "SuiteEnv", "ToolCallSpace", "Unicode", "register_tasks",
]  # fmt: skip

_HOME = {
    "LifeEnv": "life_env",
    "Result": "life_env",
    "RayVectorEnv": "ray_vector_env",
    "NAMESPACE": "registration",
    "register_tasks": "registration",
    "ToolCallSpace": "spaces",
    "Unicode": "spaces",
    "SuiteEnv": "suite_env",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"lifegym.envs.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
