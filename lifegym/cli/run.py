"""``lifegym run``: an agent plays tasks, several times each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lifegym.cli.console import console, print_json, refuse, table, warn
from lifegym.cli.finding import find_agent, find_tasks
from lifegym.counting import counted

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from lifegym.baselines import Agent
    from lifegym.scoring import Score
    from lifegym.task_suite import Task

__all__ = ["run"]

AGENT_FAILED = 1
"""Exit code where the agent raised in some episode."""

FAULTY = 3
"""Exit code where the environment failed in some episode."""


class _Played(NamedTuple):
    """An episode that was played: its score, or what the agent raised."""

    task: str
    variant: str
    seed: int
    run: int
    score: Score | None
    error: str
    faults: tuple[str, ...]

    @property
    def points(self) -> float | None:
        return self.score.score if self.score else None

    def to_json(self) -> dict[str, Any]:
        row = {"task": self.task, "variant": self.variant, "seed": self.seed, "run": self.run}
        scored = self.score.to_json() if self.score else {"score": None, "faults": list(self.faults)}
        return {**row, **scored, "error": self.error or None}


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
    played = list(_episodes(chosen, player, runs, variant, seed, max_steps))
    results = {"agent": agent, "episodes": [one.to_json() for one in played], "mean": _mean(played)}
    _print_results(console(stderr=json == "-"), played)
    if json == "-":
        print_json(results)
    elif json is not None:
        _write(Path(json), results)
    if any(one.faults for one in played):
        raise typer.Exit(FAULTY)
    if any(one.error for one in played):
        raise typer.Exit(AGENT_FAILED)


def _episodes(tasks: list[Task], agent: Agent, runs: int, variant: str, seed: int, max_steps: int) -> Iterator[_Played]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    err = console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as progress:
        bar = progress.add_task("", total=len(tasks) * runs)
        for task in tasks:
            for number in range(runs):
                yield _episode(task, agent, number, variant, seed + number, max_steps, progress)
                progress.advance(bar)


def _episode(
    task: Task, agent: Agent, number: int, variant: str, seed: int, max_steps: int, progress: Progress
) -> _Played:
    from lifegym.episode import Step
    from lifegym.rollouts import play
    from lifegym.task_suite import BundleError

    day = ""

    def watch(seen: dict[str, str], action: Any, step: Step) -> None:
        nonlocal day
        if seen["time"][:10] != day:
            day = seen["time"][:10]
            progress.update(progress.task_ids[0], description=f"{task.id} run {number}, {day}")

    drawn = 0 if variant == "canonical" else seed
    try:
        scenario = task.scenario(variant, seed)
    except BundleError as error:
        return _Played(task.id, variant, drawn, number, None, "", (str(error),))
    try:
        score = play(scenario, agent, task.source, seed, max_steps=max_steps, watch=watch).score
    except Exception as error:  # an agent may raise anything; the other episodes go on
        return _Played(task.id, variant, drawn, number, None, f"{type(error).__name__}: {error}", ())
    return _Played(task.id, variant, drawn, number, score, "", score.faults)


def _mean(played: list[_Played]) -> float | None:
    scores = [one.points for one in played if one.points is not None]
    return sum(scores) / len(scores) if scores else None


def _print_results(out: Console, played: list[_Played]) -> None:
    from lifegym.cli.score_table import passed, points, stages_passed

    numbers = ("run", "score", "stage", "cross", "final", "stages", "calls", "turns", "steps", "faults")
    shown = table("", "task", *numbers, right=numbers)
    last = ""
    for one in played:
        if last and one.task != last:
            shown.add_section()
        last = one.task
        score = one.score
        if score is None:
            shown.add_row(one.task, str(one.run), "-", *["-"] * 7, str(len(one.faults)))
            continue
        tiers = [passed(score.tiers.get(tier)) for tier in ("stage", "cross", "final")]
        counts = [str(count) for count in (score.calls, score.turns, score.steps, len(score.faults))]
        shown.add_row(one.task, str(one.run), points(one.points), *tiers, stages_passed(score), *counts)
    out.print(shown)
    scored = sum(one.points is not None for one in played)
    missing = f" ({len(played) - scored} without a score)" if scored < len(played) else ""
    out.print(f"mean {points(_mean(played))} over {scored} of {counted(len(played), 'episode')}{missing}")
    for task in dict.fromkeys(one.task for one in played) if len({one.task for one in played}) > 1 else ():
        out.print(f"  {task}: {points(_mean([one for one in played if one.task == task]))}")
    for one in played:
        if one.error:
            warn(f"{one.task} run {one.run}: the agent raised {one.error}")
        for fault in one.faults:
            warn(f"{one.task} run {one.run}: fault of the environment: {fault}")


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
