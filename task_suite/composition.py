"""What a set of tasks is made of, beside the paper's figures (VibeLifeBench, arXiv 2608.10875, section 2)."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from lifegym.services import catalogue
from lifegym.task_suite.task import Task
from lifegym.task_suite.verification.paper import KINDS, PAPER, SERVICE_USE, SUITE

__all__ = ["composition"]


def composition(tasks: Sequence[Task]) -> dict[str, Any]:
    """The composition of some tasks as JSON values.

    Returns:
        suite: per figure its value ``here`` and in the ``paper`` (None where the paper has none): how many tasks and
        domains, medians over the tasks of days, stages, events, services and checks, the least and the greatest number
        of checks, shares of the events by kind (of all events), shares of cross and final checks by count and weight.
        services: per service in how many tasks it is used, as a share of them ``here`` and in the ``paper``.
        domains: per domain its tasks, and the medians of days, events and checks.
        tasks: per task its own figures.

    Raises:
        ValueError: There are no tasks.
    """
    if not tasks:
        raise ValueError("there are no tasks to describe")
    rows = [_row(task) for task in tasks]
    return {
        "suite": _suite(rows),
        "services": _services(rows),
        "domains": {
            domain: _medians([row for row in rows if row["domain"] == domain], ("days", "events", "checks"))
            for domain in dict.fromkeys(row["domain"] for row in rows)
        },
        "tasks": rows,
    }


def _row(task: Task) -> dict[str, Any]:
    bundle = task.bundle
    checks = bundle.checks.checks
    weight = sum(check.weight for check in checks)
    late = [check for check in checks if check.tier != "stage"]
    return {
        "task": task.id,
        "domain": task.domain,
        "days": bundle.task.days,
        "stages": len(bundle.task.stages),
        "services": len(task.services),
        "used": list(task.services),
        "events": len(bundle.timeline.events),
        "kinds": dict(Counter(event.kind for event in bundle.timeline.events)),
        "checks": len(checks),
        "tiers": dict(Counter(check.tier for check in checks)),
        "weight": weight,
        "cross and final share of weight": round(sum(check.weight for check in late) / weight, 3),
        "decoys": sum(event.decoy for event in bundle.timeline.events),
        "params drawn": sum(param.draw is not None for param in bundle.task.params.values()),
        "storylines": [use.use for use in bundle.task.storylines],
    }


def _suite(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    events = sum(row["events"] for row in rows)
    checks = sum(row["checks"] for row in rows)
    kinds = _sum(row["kinds"] for row in rows)
    tiers = _sum(row["tiers"] for row in rows)
    late = sum(row["weight"] * row["cross and final share of weight"] for row in rows)
    medians = _medians(rows, ("days", "stages", "events", "services", "checks"))
    here: dict[str, float] = {
        "tasks": len(rows),
        "domains": len({row["domain"] for row in rows}),
        **{name: value for name, value in medians.items() if name != "tasks"},
        "fewest checks": min(row["checks"] for row in rows),
        "most checks": max(row["checks"] for row in rows),
        **{f"{kind} share": round(kinds[kind] / events, 3) for kind in KINDS},
        "stage share of checks": round(tiers["stage"] / checks, 3),
        "cross and final share of checks": round(1 - tiers["stage"] / checks, 3),
        "cross and final share of weight": round(late / sum(row["weight"] for row in rows), 3),
    }
    paper = {**PAPER, **SUITE}
    return {name: {"here": value, "paper": paper.get(name)} for name, value in here.items()}


def _services(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    used = Counter(name for row in rows for name in row["used"])
    return {
        name: {
            "tasks": used[name],
            "here": round(used[name] / len(rows), 3),
            "paper": SERVICE_USE.get(name),
        }
        for name in sorted(catalogue.SERVICES, key=lambda name: (-used[name], name))
    }


def _sum(counts: Iterable[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return total


def _medians(rows: list[dict[str, Any]], names: Iterable[str]) -> dict[str, float]:
    return {"tasks": len(rows), **{name: statistics.median(row[name] for row in rows) for name in names}}
