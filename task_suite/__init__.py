"""The tasks: bundles by domain, and how they are read, varied and compiled. Modules are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifegym.task_suite.bundle import Bundle, read_bundle
    from lifegym.task_suite.reader import BundleError
    from lifegym.task_suite.suite import domains, match_tasks, task_ids, task_path
    from lifegym.task_suite.task import Task, load_task
    from lifegym.task_suite.variants import SEEDS, VARIANTS, effective_seed

__all__ = [
    "SEEDS", "VARIANTS", "Bundle", "BundleError", "Task", "domains", "effective_seed", "load_task", "match_tasks",
    "read_bundle", "task_ids", "task_path",
]  # fmt: skip

_HOME = {
    "Bundle": "bundle",
    "read_bundle": "bundle",
    "BundleError": "reader",
    "domains": "suite",
    "match_tasks": "suite",
    "task_ids": "suite",
    "task_path": "suite",
    "Task": "task",
    "load_task": "task",
    "SEEDS": "variants",
    "VARIANTS": "variants",
    "effective_seed": "variants",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"lifegym.task_suite.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
