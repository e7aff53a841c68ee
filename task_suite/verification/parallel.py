"""Work in other processes: the same function over many jobs, results in the jobs' order; a module as a program."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from multiprocessing import get_context
from typing import Any, TypeVar

__all__ = ["command", "pool", "spread"]

J = TypeVar("J")
R = TypeVar("R")

_open: ContextVar[ProcessPoolExecutor | None] = ContextVar("pool", default=None)


@contextmanager
def pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that every ``spread`` inside uses, so that each loads its task once."""
    with ProcessPoolExecutor(max_workers=workers, mp_context=get_context("spawn")) as made:
        token = _open.set(made)
        try:
            yield made
        finally:
            _open.reset(token)


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
    shared = _open.get()
    if shared is None:
        with pool(min(workers, len(jobs))):
            return spread(function, source, jobs, workers)
    futures: list[Any] = [shared.submit(function, source, job) for job in jobs]
    return [future.result() for future in futures]


_RUN = """
import runpy, sys
sys.path[:] = sys.argv.pop(1).split("\\n")
runpy.run_module(sys.argv.pop(1), run_name="__main__", alter_sys=True)
"""


def command(module: str, *arguments: str) -> list[str]:
    """``python -m module arguments``, but for a process that imports from where this one does.

    ``-m`` alone would look into the working directory first, where another copy of the package may lie.
    """
    return [sys.executable, "-c", _RUN, "\n".join(sys.path), module, *arguments]
