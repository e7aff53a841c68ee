"""What an agent must not know of a task: its events, params, clauses and solution."""

from __future__ import annotations

from typing import Any

import yaml
from pydantic import BaseModel
from rich.console import Console

from lifegym.cli.console import table
from lifegym.task_suite import Task
from lifegym.timeline import Scenario

__all__ = ["print_spoilers", "spoiled"]


def spoiled(task: Task, scenario: Scenario) -> dict[str, Any]:
    """Events with their times, params, checks and solution, as the bundle writes them."""
    bundle = task.bundle
    written = {event.id: event for event in bundle.timeline.events}
    return {
        "events": [
            {**_written(written[event.id]), "at": scenario.world.iso(event.at)} for event in scenario.events.values()
        ],
        "params": {name: _written(param) for name, param in bundle.task.params.items()},
        "shared": bundle.checks.shared,
        "checks": [_written(check) for check in bundle.checks.checks],
        "solution": [_written(turn) for turn in bundle.solution.turns],
    }


def _written(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", by_alias=True, exclude_unset=True)


def print_spoilers(out: Console, spoilers: dict[str, Any]) -> None:
    """Print them for people."""
    events = table("Events", "at", "event", "stage", "kind", "what")
    for event in spoilers["events"]:
        rest = {k: v for k, v in event.items() if k not in ("at", "id", "stage", "kind")}
        events.add_row(event["at"][:16].replace("T", " "), event["id"], event["stage"], event["kind"], _yaml(rest))
    out.print(events)
    params = table("Params", "param", "canonical value", "draw or calculation")
    for name, param in spoilers["params"].items():
        drawn = param.get("calc") or _line(param["draw"]) if "draw" in param or "calc" in param else "fixed"
        params.add_row(name, _line(param["is"]) if "is" in param else "", drawn)
    out.print(params)
    for name, source in spoilers["shared"].items():
        out.print(f"  {name} = {source}")
    checks = table(
        "Checks", "check", "tier", "weight", "axis", "what must hold, and how it is decided", right=("weight",)
    )
    for check in spoilers["checks"]:
        rest = {k: v for k, v in check.items() if k in ("at", "each", "let", "gate", "all", "never")}
        tier = " ".join([check["tier"], check.get("stage", "")]).strip()
        checks.add_row(check["id"], tier, f"{check['weight']:g}", check["axis"], f"{check['what']}\n{_yaml(rest)}")
    out.print(checks)
    solution = table("Reference solution", "turn", "steps", "end")
    for turn in spoilers["solution"]:
        steps = "\n".join(_line(step) for step in turn.get("steps", []))
        solution.add_row(turn["turn"], steps, _line(turn.get("end", "wait")))
    out.print(solution)


def _yaml(value: dict[str, Any]) -> str:
    return yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=100).strip() if value else ""


def _line(value: Any) -> str:
    """A value on one line, in YAML's flow style."""
    text: str = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, allow_unicode=True, width=10**6)
    return text.strip().removesuffix("...").strip()
