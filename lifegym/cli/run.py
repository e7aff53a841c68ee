"""``lifegym run``: an agent plays tasks, several times each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, refuse, table
from lifegym.cli.failures import tell_failures
from lifegym.cli.finding import find_agent, find_tasks
from lifegym.counting import counted

if TYPE_CHECKING:
    from rich.console import Console

    from lifegym.baselines import Agent
    from lifegym.task_suite import Task

__all__ = ["run"]

AGENT_FAILED = 1
"""Exit code where the agent raised in some episode."""

FAULTY = 3
"""Exit code where the environment failed in some episode."""


def run(
    tasks: Annotated[
        list[str], typer.Argument(metavar="TASK", help="Ids, patterns such as 'travel/*', or folders of bundles.")
    ],
    agent: Annotated[str, typer.Option(help="Name of an agent (see `lifegym agents`), or module:attribute.")],
    runs: Annotated[int, typer.Option(min=1, help="Episodes of each task.")] = 3,
    variant: Annotated[str, typer.Option(help="canonical, train or test.")] = "canonical",
    seed: Annotated[
        int, typer.Option(help="Run i has seed SEED + i: the variant's (train and test), and the agent's own.")
    ] = 0,
    max_steps: Annotated[int, typer.Option(min=1, help="An episode is cut off after so many steps.")] = 5000,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write the results as JSON; - is stdout.")] = None,
) -> None:
    """Let an agent play tasks, and print its scores.

    Exit code 1: the agent raised in some episode. Exit code 3: the environment failed in some episode. Neither has a
    score; the mean is over the episodes that have one.
    """
    from lifegym.task_suite import effective_seed

    player = find_agent(agent)
    chosen = find_tasks(tasks)
    try:
        effective_seed(variant, seed)
        effective_seed(variant, seed + runs - 1)
    except ValueError as error:
        refuse(str(error))
    if seed < 0:
        refuse("a seed is not negative")
    if json not in (None, "-"):
        _check_writable(Path(json))
    rows = list(_episodes(chosen, player, agent, runs, variant, seed, max_steps))
    results = {"agent": agent, "episodes": rows, "mean": _mean(rows)}
    _print_results(console(stderr=json == "-"), rows)
    if json == "-":
        print_json(results)
    elif json is not None:
        _write(Path(json), results)
    tell_failures(rows, "--json FILE keeps the tracebacks" if json is None else "the JSON has the tracebacks")
    errors = [row["error"] for row in rows if row["error"]]
    if any(error.startswith("environment: ") for error in errors):
        raise typer.Exit(FAULTY)
    if errors:
        raise typer.Exit(AGENT_FAILED)


def _episodes(
    tasks: list[Task], agent: Agent, name: str, runs: int, variant: str, seed: int, max_steps: int
) -> Iterator[dict[str, Any]]:
    """The episodes' lines as in ``results.jsonl``."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from lifegym.rollouts.units import Key, Unit
    from lifegym.rollouts.worker import Caps, play_unit

    err = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("", total=len(tasks) * runs)
        day = ""

        def tell(key: Key, seen: dict[str, str]) -> None:
            nonlocal day
            if seen["time"][:10] != day:
                day = seen["time"][:10]
                progress.update(bar, description=f"{key.task} run {key.run}, {day}")

        for task in tasks:
            for number in range(runs):
                key = Key(task.id, variant, 0 if variant == "canonical" else seed + number, number)
                unit = Unit(key, task.source, seed + number)
                yield play_unit(lambda: agent, name, unit, Caps(max_steps=max_steps), False, partial(tell, key)).row
                progress.advance(bar)


def _mean(rows: list[dict[str, Any]]) -> float | None:
    scores = [row["score"] for row in rows if row["score"] is not None]
    return sum(scores) / len(scores) if scores else None


def _print_results(out: Console, rows: list[dict[str, Any]]) -> None:
    from lifegym.cli.score_table import passed, points, stages_passed

    numbers = ("run", "score", "stage", "cross", "final", "stages", "calls", "turns", "steps", "faults")
    shown = table("", "task", *numbers, right=numbers)
    last = ""
    for row in rows:
        if last and row["task"] != last:
            shown.add_section()
        last = row["task"]
        if "tiers" not in row:
            shown.add_row(row["task"], str(row["run"]), *["-"] * 9)
            continue
        tiers = [passed(row["tiers"].get(tier)) for tier in ("stage", "cross", "final")]
        counts = [str(row[name]) for name in ("calls", "turns", "steps")]
        faults = str(len(row["faults"]))
        whole = stages_passed(row["stages"])
        shown.add_row(row["task"], str(row["run"]), points(row["score"]), *tiers, whole, *counts, faults)
    out.print(shown)
    scored = sum(row["score"] is not None for row in rows)
    missing = f" ({len(rows) - scored} without a score)" if scored < len(rows) else ""
    out.print(f"mean {points(_mean(rows))} over {scored} of {counted(len(rows), 'episode')}{missing}")
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    for task in tasks if len(tasks) > 1 else ():
        out.print(f"  {task}: {points(_mean([row for row in rows if row['task'] == task]))}")


def _check_writable(path: Path) -> None:
    """Look before hours of play, not after them."""
    if path.is_dir() or not path.resolve().parent.is_dir():
        refuse(f"{path} cannot be written: name a file in a folder that exists")
    if not os.access(path if path.exists() else path.resolve().parent, os.W_OK):
        refuse(f"{path} cannot be written: permission denied")


def _write(path: Path, results: dict[str, Any]) -> None:
    import orjson

    try:
        path.write_bytes(orjson.dumps(results, option=orjson.OPT_INDENT_2) + b"\n")
    except OSError as error:
        refuse(f"{path} cannot be written: {error.strerror}")
