"""Scores of several runs a task, and of a suite (VibeLifeBench, arXiv 2608.10875, section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

__all__ = ["SuiteStatistics", "TaskStatistics", "suite_statistics", "task_statistics"]


@dataclass(frozen=True)
class TaskStatistics:
    """The runs of one task.

    Attributes:
        runs: How many runs have a score.
        avg: Mean score, 0 to 100. With three runs it is the paper's avg@3.
        max: Best run (max@3).
        min: Worst run (min@3).
        std: Standard deviation of the runs, divided by n - 1: the runs are a sample of what the agent does, and their
            spread is an estimate of its spread. None for a single run, which says nothing of it.
    """

    runs: int
    avg: float
    max: float
    min: float
    std: float | None


@dataclass(frozen=True)
class SuiteStatistics:
    """Tasks with equal weight each, however many runs they have.

    Attributes:
        tasks: How many tasks have a scored run.
        avg: Mean over tasks of their avg.
        max: Mean over tasks of their best run.
        min: Mean over tasks of their worst run.
        std: Mean over tasks of their runs' standard deviation (the paper's sigma); tasks with one run are left out,
            None where all are.
    """

    tasks: int
    avg: float
    max: float
    min: float
    std: float | None


def task_statistics(scores: Sequence[float]) -> TaskStatistics:
    """Of the scores of a task's runs.

    Raises:
        ValueError: There are none.
    """
    if not len(scores):
        raise ValueError("a task without a scored run has no statistics")
    values = np.asarray(scores, dtype=float)
    std = float(values.std(ddof=1)) if len(values) > 1 else None
    return TaskStatistics(len(values), float(values.mean()), float(values.max()), float(values.min()), std)


def suite_statistics(scores: Mapping[str, Sequence[float]]) -> SuiteStatistics:
    """Of the scores per task.

    Raises:
        ValueError: No task has a scored run.
    """
    tasks = [task_statistics(runs) for runs in scores.values() if len(runs)]
    if not tasks:
        raise ValueError("no task has a scored run")
    spreads = [task.std for task in tasks if task.std is not None]
    return SuiteStatistics(
        len(tasks),
        float(np.mean([task.avg for task in tasks])),
        float(np.mean([task.max for task in tasks])),
        float(np.mean([task.min for task in tasks])),
        float(np.mean(spreads)) if spreads else None,
    )
