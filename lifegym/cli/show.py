"""``lifegym show``: what a task is; with ``--spoilers`` also how it goes and what is checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, grid, print_json, table
from lifegym.cli.finding import find_scenario, find_task
from lifegym.counting import counted

if TYPE_CHECKING:
    from rich.console import Console

    from lifegym.task_suite import Task
    from lifegym.timeline import Scenario

__all__ = ["show"]


def show(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, or the folder of a bundle.")],
    spoilers: Annotated[
        bool, typer.Option("--spoilers", help="Also events, mutations, params, checks' clauses and the solution.")
    ] = False,
    timeline: Annotated[
        bool, typer.Option("--timeline", help="Also its whole story: every event in its order, the silent ones too.")
    ] = False,
    expanded: Annotated[
        bool, typer.Option("--expanded", help="Instead: the bundle's files as YAML, storylines put in their places.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Show a task: persona, window, services, stages, files, and what its checks weigh.

    Nothing that an agent could not know is shown without --timeline, --expanded or --spoilers.
    """
    found = find_task(task)
    if expanded:
        print(found.bundle.expanded(), end="")
        return
    scenario = find_scenario(found, "canonical", 0)
    facts = _facts(found, scenario)
    if timeline:
        from lifegym.cli.story import print_story, story

        facts["timeline"] = story(found, scenario)
    if spoilers:
        from lifegym.cli.spoilers import spoiled

        facts["spoilers"] = spoiled(found, scenario)
    if json:
        print_json(facts)
        return
    out = console()
    _print(out, facts)
    if timeline:
        print_story(out, facts["timeline"])
    if spoilers:
        from lifegym.cli.spoilers import print_spoilers

        print_spoilers(out, facts["spoilers"])


def _facts(task: Task, scenario: Scenario) -> dict[str, Any]:
    meta, world = task.bundle.task, scenario.world
    end = scenario.start.fromordinal(scenario.start.toordinal() + meta.days - 1)
    return {
        "task": task.id,
        "title": task.title,
        "domain": task.domain,
        "person": {"name": world.owner_name, "email": world.owner_email, "user_id": world.owner},
        "briefing": scenario.briefing,
        "start": meta.start,
        "end": end.isoformat(),
        "days": meta.days,
        "zone": meta.zone,
        "factors": list(meta.factors),
        "services": list(task.services),
        "files": scenario.world.workspace.paths(),
        "stages": _stages(scenario),
        "checks": {
            "number": len(scenario.checks),
            "weight": sum(check.weight for check in scenario.checks.values()),
            "tiers": _weights(scenario, "tier"),
            "axes": _weights(scenario, "axis"),
        },
        "content_hash": task.bundle.content_hash,
    }


def _stages(scenario: Scenario) -> list[dict[str, str]]:
    return [
        {"id": stage.id, "start": scenario.world.iso(stage.start), "end": scenario.world.iso(stage.end)}
        for stage in scenario.stages
    ]


def _weights(scenario: Scenario, kind: str) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, float]] = {}
    for check in scenario.checks.values():
        group = groups.setdefault(getattr(check, kind), {"checks": 0, "weight": 0.0})
        group["checks"] += 1
        group["weight"] += check.weight
    return groups


def _print(out: Console, facts: dict[str, Any]) -> None:
    out.print(f"{facts['task']}: {facts['title']}", style="bold")
    rows = grid()
    person = facts["person"]
    rows.add_row("domain", facts["domain"])
    rows.add_row("person", f"{person['name']} <{person['email']}>, user id {person['user_id']}")
    rows.add_row("window", f"{facts['start']} to {facts['end']}, {counted(facts['days'], 'day')}, {facts['zone']}")
    rows.add_row("factors", ", ".join(facts["factors"]))
    rows.add_row("services", ", ".join(facts["services"]))
    rows.add_row("files", ", ".join(facts["files"]))
    rows.add_row("content hash", facts["content_hash"])
    out.print(rows)
    out.print("\nWhat an agent is told at the beginning", style="bold")
    out.print(facts["briefing"])
    stages = table("\nStages", "stage", "begins", "ends before")
    for stage in facts["stages"]:
        stages.add_row(stage["id"], _minute(stage["start"]), _minute(stage["end"]))
    out.print(stages)
    checks = facts["checks"]
    shown = table(
        f"Checks: {checks['number']}", "part", "checks", "weight", "share", right=("checks", "weight", "share")
    )
    for kind in ("tiers", "axes"):
        for name, group in checks[kind].items():
            share = f"{100 * group['weight'] / checks['weight']:.0f} %"
            shown.add_row(name, str(group["checks"]), f"{group['weight']:g}", share)
        shown.add_section()
    out.print(shown)


def _minute(stamp: str) -> str:
    return stamp[:16].replace("T", " ")
