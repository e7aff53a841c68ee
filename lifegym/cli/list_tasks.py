"""``lifegym list``: which tasks there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, table, warn
from lifegym.counting import counted

if TYPE_CHECKING:
    from lifegym.task_suite import Task

__all__ = ["list_tasks"]


def list_tasks(json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False) -> None:
    """List the tasks by domain, with window, services, and how many stages, events and checks they have."""
    from lifegym.task_suite import BundleError, load_task, task_ids

    rows, broken = [], False
    for id in task_ids():
        try:
            rows.append(_row(load_task(id)))
        except BundleError as error:
            warn(str(error))
            broken = True
    if json:
        print_json(rows)
    else:
        _print(rows)
    if broken:
        raise typer.Exit(2)


_COUNTS = ("services", "stages", "events", "checks")


def _print(rows: list[dict[str, Any]]) -> None:
    out = console()
    for domain in dict.fromkeys(row["domain"] for row in rows):
        shown = table(domain, "task", "title", "window", *_COUNTS, right=_COUNTS)
        for row in rows:
            if row["domain"] == domain:
                window = f"{row['start']}, {counted(row['days'], 'day')}"
                counts = [str(row[name]) for name in ("stages", "events", "checks")]
                shown.add_row(row["task"], row["title"], window, str(len(row["services"])), *counts)
        out.print(shown)
    out.print(f"{counted(len(rows), 'task')}. `lifegym show TASK` tells more of one.")


def _row(task: Task) -> dict[str, Any]:
    bundle = task.bundle
    return {
        "task": task.id,
        "title": task.title,
        "domain": task.domain,
        "start": bundle.task.start,
        "days": bundle.task.days,
        "zone": bundle.task.zone,
        "services": list(task.services),
        "stages": len(bundle.task.stages),
        "events": len(bundle.timeline.events),
        "checks": len(bundle.checks.checks),
    }
