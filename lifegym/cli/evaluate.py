"""``lifegym evaluate``: an agent plays tasks several times each, on many cores or a cluster, and is measured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, refuse
from lifegym.cli.failures import tell_failures
from lifegym.cli.finding import find_modules_here
from lifegym.counting import counted

if TYPE_CHECKING:
    from rich.console import Console

    from lifegym.rollouts import Finished

__all__ = ["evaluate", "print_summary"]

UNSCORED = 1
"""Exit code where some episode has no score."""


def evaluate(
    agent: Annotated[str, typer.Option(help="Name of an agent (see `lifegym agents`), or module:attribute.")],
    tasks: Annotated[
        list[str] | None,
        typer.Option(help="Id, pattern such as 'travel/*', folder, or a .txt list; may be given several times."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Episodes of each task.")] = 3,
    variant: Annotated[str, typer.Option(help="canonical, train or test.")] = "canonical",
    seed: Annotated[
        list[int] | None,
        typer.Option(help="A seed of the variant; each is played RUNS times. Default: run i of a drawn variant has i."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=0, help="Processes; 0 plays in this one. Default: the cores.")
    ] = None,
    ray_address: Annotated[str | None, typer.Option(help="A Ray cluster's address, or auto.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help="Episodes at once in a process, for remote models.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Run folder; the same command again plays what is missing.")] = None,
    max_retries: Annotated[
        int, typer.Option(min=0, help="Further tries where a worker is lost or an agent raises.")
    ] = 2,
    episode_timeout: Annotated[float, typer.Option(min=0.1, help="Seconds an episode may take on a worker.")] = 3600.0,
    max_steps: Annotated[int, typer.Option(min=1, help="An episode is cut off after so many steps.")] = 5000,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the agent, as JSON or text.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress and no tables.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Let an agent play tasks, and print its statistics: avg@3, max@3, min@3, spread, pass rates.

    Ray plays the episodes on this machine's cores, or on a cluster with --ray-address. With --out everything is
    recorded, and a run that was interrupted goes on where it stopped.

    Exit code 1: some episode has no score (the agent raised, its worker was lost, or the environment failed).
    """
    from lifegym.rollouts import RunError
    from lifegym.rollouts import evaluate as play
    from lifegym.task_suite import BundleError

    if ":" in agent:
        find_modules_here()
    began = time.monotonic()

    def watch(episodes: Iterator[Finished]) -> Iterator[Finished]:
        if ray_address and not quiet:
            console(stderr=True).print(f"connecting to Ray at {ray_address}", highlight=False)
        yield from _watched(episodes, quiet or json)

    try:
        found = play(
            agent, tasks or ["*"], runs=runs, variant=variant, seeds=seed, workers=workers, ray_address=ray_address,
            concurrency=concurrency, out=out, max_retries=max_retries, episode_timeout=episode_timeout,
            max_steps=max_steps, settings=_settings(set_ or ()), watch=watch,
        )  # fmt: skip
    except KeyError as error:
        refuse(str(error.args[0]))
    except (RunError, BundleError, ValueError, OSError) as error:
        refuse(str(error))
    except KeyboardInterrupt:
        refuse("interrupted; " + ("the same command goes on from here" if out else "nothing was recorded"), 130)
    counts = found.summary["episodes"]
    if json:
        print_json(found.summary)
    elif not quiet:
        print_summary(console(), found.summary)
        console(stderr=True).print(f"{counted(counts['all'], 'episode')}, {time.monotonic() - began:.1f} s")
    if counts["failed"]:
        tell_failures(found.rows, _more(out))
        raise typer.Exit(UNSCORED)


def _more(out: Path | None) -> str:
    if out is None:
        return "--out FOLDER keeps the tracebacks, and the same command again then plays only what failed"
    return f"{out / 'results.jsonl'} has the tracebacks, and the same command again plays only what failed"


def _settings(words: list[str] | tuple[str, ...]) -> dict[str, Any]:
    import orjson

    found: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.isidentifier():
            refuse(f"a setting is NAME=VALUE, not {word!r}")
        try:
            found[name] = orjson.loads(value)
        except orjson.JSONDecodeError:
            found[name] = value
    return found


def _watched(episodes: Iterator[Finished], quiet: bool) -> Iterator[Finished]:
    """The episodes, with a line that tells how it goes: done, failed, rate, mean score, time left."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    err = console(stderr=True)
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}", markup=False), TimeRemainingColumn())
    with Progress(*columns, console=err, transient=True, disable=quiet or not err.is_terminal) as progress:
        bar = progress.add_task("starting", total=None)
        began = time.monotonic()
        failures, points = 0, 0.0
        for done, finished in enumerate(episodes, 1):
            score = finished.row["score"]
            failures += score is None
            points += score or 0.0
            mean = f"{points / (done - failures):.1f}" if done > failures else "-"
            rate = done / max(1e-9, time.monotonic() - began)
            told = f"{failures} failed, {rate:.1f}/s, mean {mean}"
            progress.update(bar, total=finished.planned, completed=finished.before + done, description=told)
            yield finished


def print_summary(out: Console, summary: dict[str, Any]) -> None:
    """Print a run's statistics for people."""
    from lifegym.cli.console import grid, table

    counts = summary["episodes"]
    if "suite" not in summary:
        out.print(f"{summary['agent']}: no score in {counted(counts['all'], 'episode')}")
        return
    numbers = ("runs", "avg", "max", "min", "std", "pass@3", "pass^3")
    shown = table("", "domain", "task", *numbers, "band", right=numbers)
    for name, task in summary["tasks"].items():
        passes = [_number(task.get(key), 2) for key in ("pass@3", "pass^3")]
        figures = [_number(task[key]) for key in ("avg", "max", "min", "std")]
        shown.add_row(task["domain"], name, str(task["runs"]), *figures, *passes, task["band"])
    suite = summary["suite"]
    shown.add_section()
    passes = [_number(suite.get(key), 2) for key in ("pass@3", "pass^3")]
    shown.add_row(
        "", counted(suite["tasks"], "task"), "", *(_number(suite[k]) for k in ("avg", "max", "min", "std")), *passes
    )
    out.print(shown)
    low, high = suite["interval"]
    rows = grid()
    rows.add_row("agent", summary["agent"])
    rows.add_row("mean", f"{suite['avg']:.1f}, 95 % interval over tasks {low:.1f} to {high:.1f}")
    rows.add_row("episodes", f"{counts['scored']} with a score, {counts['failed']} without")
    for kind in ("tiers", "axes"):
        rows.add_row(kind, ", ".join(f"{name} {value:.1f}" for name, value in summary[kind].items()))
    if summary["thirds"]:
        rows.add_row("thirds", "stages of the first third {:.1f}, of the last {:.1f}".format(*summary["thirds"]))
    rows.add_row("an episode", ", ".join(f"{_number(cost['mean'])} {name}" for name, cost in summary["cost"].items()))
    out.print(rows)


def _number(value: float | None, digits: int = 1) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
