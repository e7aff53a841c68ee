"""Episodes played by agents: one of them, many of them, and what is recorded. Modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifegym.lazy import lazy

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

__getattr__ = lazy(
    __name__,
    evaluation="Evaluation Finished evaluate stream",
    rollout="Rollout play",
    run_folder="RunError RunFolder run_folders",
    trajectory="Trajectory",
    units="Key",
)
