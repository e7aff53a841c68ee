"""The tasks: bundles by domain, and how they are read, varied and compiled. Modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifegym.lazy import lazy

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

__getattr__ = lazy(
    __name__,
    bundle="Bundle read_bundle",
    reader="BundleError",
    suite="domains match_tasks task_ids task_path",
    task="Task load_task",
    variants="SEEDS VARIANTS effective_seed",
)
