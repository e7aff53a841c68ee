"""``lifegym report``, ``compare`` and ``board``: pages out of run folders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, grid, print_json, refuse, table, warn
from lifegym.counting import counted

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["board", "compare", "report"]

MOST = 20
"""So many lines of a kind are printed; JSON and HTML have all."""


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The page to write. Default: report.html in the run folder.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open", help="Open it in the browser.")] = False,
    workers: Annotated[
        int | None, typer.Option(min=0, help="Processes, this one among them. Default: the cores.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Make a page of a run: how the agent did, each task, and every episode with all that happened in it.

    Beside the page lies a folder of the same name with _files: the episodes, loaded when they are looked at. Nothing
    comes from the network. To send a report, send both.
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from lifegym.reports.report import write_report
    from lifegym.rollouts import RunError

    err = console(stderr=True)
    columns = (TextColumn("episodes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    try:
        with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
            bar = progress.add_task("", total=None)
            made = write_report(run, out, workers, lambda done, all: progress.update(bar, completed=done, total=all))
    except RunError as error:
        refuse(str(error))
    for note in made.notes:
        warn(note)
    print(made.path)
    if open_:
        typer.launch(str(made.path))


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN_A", help="A run folder.")],
    second: Annotated[Path, typer.Argument(metavar="RUN_B", help="Another one.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
    html: Annotated[Path | None, typer.Option(metavar="FILE", help="Write a page instead.")] = None,
) -> None:
    """Compare two runs, paired by task: the difference B - A with its interval, and the checks that flipped.

    Tasks count if both runs scored them in the same version.
    """
    from lifegym.reports.comparison import compare as compared
    from lifegym.reports.comparison import comparison_page
    from lifegym.rollouts import RunError, RunFolder

    try:
        found = compared(RunFolder.read(first), RunFolder.read(second))
    except RunError as error:
        refuse(str(error))
    if html is not None:
        try:
            html.parent.mkdir(parents=True, exist_ok=True)
            html.write_text(comparison_page(found), encoding="utf-8", errors="replace")
        except OSError as error:
            refuse(f"{html} cannot be written: {error.strerror}; name another file with --html")
    if json:
        print_json(found)
    elif html is not None:
        print(html)
    else:
        _print(console(), found)


def _print(out: Console, found: dict[str, Any]) -> None:
    names = [run["path"] for run in found["runs"]]
    numbers = (names[0], names[1] if names[1] != names[0] else f"{names[1]} (second)", "difference")
    shown = table("", "task", *numbers, right=numbers)
    for task in found["tasks"][:MOST]:
        points = [f"{task[name]:.1f}" for name in ("first", "second")]
        shown.add_row(task["task"], *points, f"{task['difference']:+.1f}")
    out.print(shown)
    if len(found["tasks"]) > MOST:
        out.print(f"and {counted(len(found['tasks']) - MOST, 'task')} that changed less; --json has all")
    if found["flipped"]:
        flips = table("Checks that flipped", "task", "check", "change", "what must hold")
        for line in found["flipped"][:MOST]:
            rates = f"{100 * line['first']:.0f} % -> {100 * line['second']:.0f} %"
            flips.add_row(line["task"], line["check"], rates, line["what"])
        out.print(flips)
        if len(found["flipped"]) > MOST:
            out.print(f"and {len(found['flipped']) - MOST} more; --json has all")
    difference = found["difference"]
    rows = grid()
    rows.add_row("mean", f"{found['averages'][0]:.1f} and {found['averages'][1]:.1f}")
    interval = f"95 % interval over tasks {difference['low']:+.1f} to {difference['high']:+.1f}"
    rows.add_row("difference", f"{difference['mean']:+.1f}, {interval}")
    rows.add_row("tasks", f"{found['better']} better, {found['worse']} worse, {found['equal']} equal")
    for why in dict.fromkeys(line["why"] for line in found["left_out"]):
        tasks = [line["task"] for line in found["left_out"] if line["why"] == why]
        rows.add_row("left out", f"{len(tasks)}, {why}: {', '.join(tasks)}")
    for note in found["notes"]:
        rows.add_row("note", note)
    out.print(rows)


def board(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where the site is written.")],
) -> None:
    """Make a leaderboard of several runs: a static site, and the JSON that it is made from.

    The figures are of the tasks that all runs have scored in the same version.
    """
    from lifegym.reports.board import write_board
    from lifegym.rollouts import RunError, RunFolder

    try:
        found = write_board([RunFolder.read(run) for run in runs], out)
    except RunError as error:
        refuse(str(error))
    for note in found["notes"]:
        warn(note)
    print(out / "index.html")
