"""``lifegym explain``: what a check read, expected and found in a run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, refuse, warn
from lifegym.cli.finding import find_agent, find_scenario, find_task, nearest

if TYPE_CHECKING:
    from rich.console import Console

    from lifegym.episode import Episode

__all__ = ["explain"]

SEALED = 4
"""Exit code where the episode goes on."""


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN-OR-TASK", help="A file of `lifegym act`, or a task to be played.")],
    check: Annotated[str, typer.Argument(metavar="CHECK", help="Id of a check.")],
    agent: Annotated[str, typer.Option(help="Who plays the task.")] = "reference",
    variant: Annotated[str, typer.Option(help="Of a task: canonical, train or test.")] = "canonical",
    seed: Annotated[int, typer.Option(help="Of a task: the variant's seed.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print what a check read, expected and found: each clause with its value and the sides of its comparisons."""
    episode = _recorded(Path(run)) if Path(run).is_file() else _played(run, agent, variant, seed)
    ids = list(episode.scenario.checks)
    if check not in ids:
        refuse(f"there is no check {check!r}; {nearest(check, ids)}")
    row = next(row for row in episode.evaluation() if row["id"] == check)
    if json:
        print_json(row)
    else:
        _print(console(), row)
    for fault in episode.faults:
        warn(f"fault of the environment: {fault}")


def _recorded(file: Path) -> Episode:
    from lifegym.cli.act import open_calls

    _, replay = open_calls(file, force=False)
    episode = replay.episode
    if not episode.over:
        refuse("checks are sealed until the episode ends", SEALED)
    return episode


def _played(name: str, agent: str, variant: str, seed: int) -> Episode:
    from lifegym.rollouts import play

    task = find_task(name)
    scenario = find_scenario(task, variant, seed)
    player = find_agent(agent)
    try:
        return play(scenario, player, task.source, seed).episode
    except Exception as error:  # an agent may raise anything
        refuse(f"the agent {agent!r} raised {type(error).__name__}: {error}", 1)


def _print(out: Console, row: dict[str, Any]) -> None:
    where = f"stage {row['stage']}" if row["stage"] else row["tier"]
    out.print(
        f"{row['id']} ({where}, {row['axis']}, weight {row['weight']:g}): {'passed' if row['passed'] else 'failed'}",
        style="bold",
    )
    out.print(row["what"])
    if row["at"]:
        out.print(f"looked at {row['at'][:19].replace('T', ' ')}")
    if row["reason"]:
        out.print(f"because of {row['reason']}")
    for clause in row["clauses"]:
        out.print(f"\n{clause['kind']}: {clause['clause']}")
        if "missing" in clause:
            out.print(f"    not to be had: {clause['missing']}")
        else:
            out.print(f"    gives {_shown(clause['value'])}")
        for source, value in clause.get("sides", {}).items():
            out.print(f"    {source} is {_shown(value)}")


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else f"{text[:300]} ..."
