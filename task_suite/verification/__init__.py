"""Proving tasks: ten gates that show that a task's checks are worth what they claim.

``verify("japan-trip")`` runs them. The gates import what they need when they run.
"""

from __future__ import annotations

import importlib
import os
import time
import traceback
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lifegym.task_suite.verification.report import Finding, GateReport, TaskReport

if TYPE_CHECKING:
    from lifegym.task_suite.task import Task
    from lifegym.task_suite.verification.context import Context

__all__ = ["GATES", "Finding", "GateReport", "TaskReport", "verify"]


class _Gates(Mapping[str, "Callable[[Context], GateReport]"]):
    """Gate names in the order of the gates, and their functions, imported when they are asked for."""

    _home = {
        "schema": "shape:schema",
        "solvable": "solvable:solvable",
        "provenance": "provenance:provenance",
        "credit": "credit:credit",
        "exploits": "exploits:exploits",
        "mutants": "mutation:mutation",
        "rules": "rules:rules",
        "fair": "fairness:fair",
        "deterministic": "determinism:deterministic",
        "faults": "faults:faults",
    }

    def __getitem__(self, name: str) -> Callable[[Context], GateReport]:
        module, _, function = self._home[name].partition(":")
        found: Callable[[Context], GateReport]
        found = getattr(importlib.import_module(f"lifegym.task_suite.verification.{module}"), function)
        return found

    def __iter__(self) -> Any:
        return iter(self._home)

    def __len__(self) -> int:
        return len(self._home)


GATES: Mapping[str, Callable[[Context], GateReport]] = _Gates()
"""The gates: name to function, in their order."""

SPREAD_OUT = ("mutants", "exploits", "fair")
"""Gates with enough runs to spread them over the workers themselves; of the others each is one job."""


def verify(
    task: Task | str | Path, seeds: int = 5, workers: int | None = None, gates: Iterable[str] | None = None
) -> TaskReport:
    """Put a task through the gates.

    The result does not depend on the number of workers, except for how long it took.

    Args:
        task: A task, its id, or the folder of a bundle (a ``Path``, or a text with a slash in it).
        seeds: How many train and how many test worlds are looked at beside the canonical one.
        workers: Processes; 1 does everything here, None takes one for each core.
        gates: Names of the gates to run; None runs all.

    Raises:
        KeyError: There is no task of this id.
        ValueError: An unknown gate, or a number below its least.

    Example:
        >>> report = verify("japan-trip", seeds=1, gates=["schema"])
        >>> report.passed
        True
    """
    from lifegym.task_suite.reader import BundleError

    began = time.perf_counter()
    wanted = list(GATES) if gates is None else _known(gates)
    if seeds < 0 or (workers is not None and workers < 1):
        raise ValueError("seeds is at least 0, workers at least 1")
    count = workers or os.cpu_count() or 1
    try:
        loaded = _loaded(task)
    except BundleError as error:
        report = GateReport("schema")
        report.fail(error.message, subject=error.where, advice="mend this line; the other gates need a task that loads")
        name = Path(task).name.replace("_", "-") if isinstance(task, (str, Path)) else task.id
        return TaskReport(name, [report], time.perf_counter() - began)
    found = _run(loaded, seeds, count, wanted)
    return TaskReport(loaded.id, [found[name] for name in wanted], time.perf_counter() - began)


def _known(gates: Iterable[str]) -> list[str]:
    asked = set(gates)
    unknown = sorted(asked - set(GATES))
    if unknown:
        raise ValueError(f"there is no gate {unknown[0]!r}; there are: {', '.join(GATES)}")
    return [name for name in GATES if name in asked]


def _loaded(task: Task | str | Path) -> Task:
    from lifegym.task_suite.task import load_task

    return load_task(task) if isinstance(task, (str, Path)) else task


def _run(task: Task, seeds: int, workers: int, wanted: list[str]) -> dict[str, GateReport]:
    from lifegym.task_suite.verification.parallel import pool

    single = [name for name in wanted if name not in SPREAD_OUT]
    spread_out = [name for name in wanted if name in SPREAD_OUT]
    if workers == 1 or len(wanted) == 1:
        return {name: _gate(task, name, seeds, workers) for name in wanted}
    with pool(workers) as processes:
        jobs = {name: processes.submit(_job, task.source, (name, seeds)) for name in single}
        found = {name: _gate(task, name, seeds, workers) for name in spread_out}
        return {**found, **{name: job.result() for name, job in jobs.items()}}


def _job(source: str, job: tuple[str, int]) -> GateReport:
    return _gate(_loaded(source), *job, workers=1)


def _gate(task: Task, name: str, seeds: int, workers: int) -> GateReport:
    """Run a gate. What it raises is a finding: a bundle that a gate cannot digest is not proven."""
    from lifegym.task_suite.player import SolutionError
    from lifegym.task_suite.reader import BundleError
    from lifegym.task_suite.verification.context import Context

    try:
        return GATES[name](Context(task, seeds, workers))
    except (BundleError, SolutionError) as error:
        report = GateReport(name)
        subject = error.where if isinstance(error, BundleError) else ""
        message = error.message if isinstance(error, BundleError) else str(error)
        report.fail(f"the gate could not run: {message}", subject=subject, advice="see the gates before it")
        return report
    except Exception:
        report = GateReport(name)
        report.fail(f"the gate failed: {traceback.format_exc()}", advice="this is a defect of the gate")
        return report
