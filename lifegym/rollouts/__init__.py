"""Episodes played by agents: one of them, many of them, and what is recorded. Modules are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifegym.rollouts.evaluation import Evaluation, Finished, evaluate, stream
    from lifegym.rollouts.rollout import Rollout, play
    from lifegym.rollouts.run_folder import RunError, RunFolder, run_folders
    from lifegym.rollouts.trajectory import Trajectory
    from lifegym.rollouts.units import Key

__all__ = [
    "Evaluation", "Finished", "Key", "Rollout", "RunError", "RunFolder", "Trajectory", "evaluate", "play",
    "run_folders", "stream",
]  # fmt: skip

_HOME = {
    "Evaluation": "evaluation",
    "Finished": "evaluation",
    "evaluate": "evaluation",
    "stream": "evaluation",
    "Rollout": "rollout",
    "play": "rollout",
    "RunError": "run_folder",
    "RunFolder": "run_folder",
    "run_folders": "run_folder",
    "Trajectory": "trajectory",
    "Key": "units",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"lifegym.rollouts.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
