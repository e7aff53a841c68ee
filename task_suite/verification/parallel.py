"""The same function over many jobs, in processes where more than one worker is wanted; results in the order of the jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any, TypeVar

__all__ = ["spread"]

J = TypeVar("J")
R = TypeVar("R")


def spread(function: Callable[[str, J], R], source: str, jobs: Sequence[J], workers: int) -> list[R]:
    """``[function(source, job) for job in jobs]``.

    Args:
        function: A module's function; it loads the task from its source, which each process keeps.
        source: How to load the task.
        jobs: Picklable.
        workers: How many processes; 1 runs here.
    """
    if workers <= 1 or len(jobs) <= 1:
        return [function(source, job) for job in jobs]
    context = get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(workers, len(jobs)), mp_context=context) as pool:
        futures: list[Any] = [pool.submit(function, source, job) for job in jobs]
        return [future.result() for future in futures]
