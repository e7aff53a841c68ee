"""What the page of a task shows: person, window, timeline, and each check with how often it passed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifegym.checks.expressions import ExpressionError, Missing, compile_value, evaluate_value
from lifegym.checks.values import FUNCTIONS
from lifegym.reports.overview import episode_name
from lifegym.task_suite import BundleError, Task, load_task
from lifegym.timeline import Scenario

__all__ = ["described", "task_page"]

MOST_DOTS = 12
"""With more episodes than that a check shows a bar instead of a dot for each."""


def described(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What the bundle of a task says: ``scenario``, ``checks`` and a ``note``; apart, since loading a task takes long.

    Args:
        facts: What the manifest says of it.
    """
    try:
        task = load_task(facts["source"])
        scenario = task.scenario("canonical", 0)
    except (KeyError, BundleError, OSError) as error:
        reason = str(error.args[0]) if error.args else type(error).__name__
        note = f"This task cannot be loaded here ({reason}); what is shown was recorded by the run."
        return {"note": note, "scenario": None, "checks": None}
    changed = task.bundle.content_hash != facts["content_hash"]
    return {
        "note": "The task's files are others than when it was played; its text is as it is today." if changed else "",
        "scenario": _scenario(task, scenario),
        "checks": [
            {name: getattr(check, name) for name in ("id", "tier", "stage", "axis", "weight", "what")}
            for check in scenario.checks.values()
        ],
    }


def task_page(
    id: str, facts: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], found: Mapping[str, Any]
) -> dict[str, Any]:
    """The values of a task's page.

    Args:
        id: The task's id.
        facts: What the manifest says of it.
        rows: Its episodes.
        found: What ``described`` gives.
    """
    scored = [row for row in rows if row["score"] is not None]
    checks = found["checks"] or _recorded_checks(scored)
    return {
        "id": id,
        **facts,
        **found,
        "episodes": [{**row, "name": episode_name(row), **_used(row.get("usage", {}))} for row in rows],
        "checks": [{**check, **_passes(check["id"], scored)} for check in checks],
    }


def _scenario(task: Task, scenario: Scenario) -> dict[str, Any]:
    world = scenario.world
    return {
        "person": world.owner_name,
        "email": world.owner_email,
        "about": _about(task, scenario),
        "zone": scenario.zone,
        "begin": scenario.start.isoformat(),
        "end": world.iso(scenario.end),
        "services": list(task.services),
        "timeline": {
            "begin": scenario.start.isoformat(),
            "end": world.iso(scenario.end),
            "zone": scenario.zone,
            "stages": [
                {"id": stage.id, "start": world.iso(stage.start), "end": world.iso(min(stage.end, scenario.end))}
                for stage in scenario.stages
            ],
            "events": [
                {"id": event.id, "kind": event.kind, "at": world.iso(event.at)} for event in scenario.events.values()
            ],
        },
    }


def _about(task: Task, scenario: Scenario) -> str:
    """What the briefing says of the person."""
    about: str = task.bundle.task.person.about
    try:
        return str(evaluate_value(compile_value(about), {**FUNCTIONS, "p": scenario.params}))
    except (ExpressionError, Missing):
        return about


def _recorded_checks(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    ids = dict.fromkeys(id for row in rows for id in row.get("checks", {}))
    return [{"id": id, "tier": "", "stage": "", "axis": "", "weight": None, "what": ""} for id in ids]


def _used(usage: Mapping[str, Any]) -> dict[str, float | None]:
    """Tokens and cost, where the agent tells them as numbers."""
    told = {name: value for name, value in usage.items() if isinstance(value, (int, float))}
    tokens = [told[name] for name in ("input_tokens", "output_tokens") if name in told]
    return {"tokens": sum(tokens) if tokens else None, "cost": told.get("cost_usd")}


def _passes(id: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    passed = [(row, bool(row["checks"].get(id))) for row in rows if id in row.get("checks", {})]
    few = len(passed) <= MOST_DOTS
    return {
        "passed": sum(ok for _, ok in passed),
        "runs": len(passed),
        "dots": [
            {"name": episode_name(row), "run": row["run"], "ok": ok, "link": bool(row.get("trajectory"))}
            for row, ok in passed
            if few
        ],
    }
