"""``lifegym runs``, ``rescore`` and ``export``: what can be done with run folders."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lifegym.cli.console import console, print_json, refuse, table, warn
from lifegym.counting import counted

__all__ = ["export", "rescore", "runs"]

DIFFERS = 1
"""Exit code of ``rescore`` where a score or the world differs."""


def runs(
    folder: Annotated[Path, typer.Argument(help="Where run folders lie.")] = Path("runs"),
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List run folders: agent, tasks, episodes, mean score.

    Those that are damaged are told and left out; the exit code is then 2.
    """
    from lifegym.rollouts import RunError, run_folders

    rows: list[dict[str, Any]] = []
    damaged: list[str] = []
    for found in run_folders(folder, damaged):
        try:
            lines = found.stored()
        except RunError as error:
            damaged.append(str(error))
            continue
        scores = [row["score"] for row in lines if row["score"] is not None]
        rows.append(
            {
                "run": str(found.path),
                "agent": found.agent,
                "variant": found.manifest["settings"]["variant"],
                "tasks": len(found.tasks),
                "episodes": len(lines),
                "failed": len(lines) - len(scores),
                "mean": sum(scores) / len(scores) if scores else None,
            }
        )
    if json:
        print_json(rows)
    elif rows:
        _print(rows)
    for line in damaged:
        warn(line)
    if damaged:
        raise typer.Exit(2)
    if not rows and not json:
        refuse(f"there is no run in {folder}; lifegym evaluate --out {folder}/NAME makes one")


def _print(rows: list[dict[str, Any]]) -> None:
    numbers = ("tasks", "episodes", "failed", "mean")
    shown = table("", "run", "agent", "variant", *numbers, right=numbers)
    for row in rows:
        mean = "-" if row["mean"] is None else f"{row['mean']:.1f}"
        shown.add_row(*(str(row[name]) for name in ("run", "agent", "variant", *numbers[:3])), mean)
    console().print(shown)


def rescore(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """Grade the recorded episodes again with today's checks, and say where the world would now differ.

    The calls are replayed as they were; nothing is written. Exit code 1: some score or some world differs.
    """
    from lifegym.rollouts import RunError, RunFolder
    from lifegym.rollouts.rescoring import rescore as grade
    from lifegym.task_suite import BundleError

    rows = []
    try:
        for found in grade(RunFolder.read(run)):
            differs = found.divergence
            rows.append(
                {
                    **found.key._asdict(),
                    "was": found.was,
                    "now": found.score.score,
                    "changed": found.changed,
                    "flipped": found.flipped,
                    "divergence": None
                    if differs is None
                    else {"step": differs.step, "action": differs.action, "was": differs.was, "now": differs.now},
                }
            )
    except KeyError as error:
        refuse(str(error.args[0]))
    except (RunError, BundleError) as error:
        refuse(str(error))
    if json:
        print_json(rows)
    else:
        shown = table("", "task", "seed", "run", "was", "now", "flipped checks", "the world", right=("was", "now"))
        for row in rows:
            flips = ", ".join(f"{'+' if passed else '-'}{id}" for id, passed in row["flipped"].items())
            place = row["divergence"]
            world = "as it was" if place is None else f"differs from step {place['step']}"
            points = ["-" if row[name] is None else f"{row[name]:.1f}" for name in ("was", "now")]
            shown.add_row(row["task"], str(row["seed"]), str(row["run"]), *points, flips, world)
        console().print(shown)
    if any(row["divergence"] or row["was"] != row["now"] for row in rows):
        raise typer.Exit(DIFFERS)


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
    format: Annotated[str, typer.Option(help="atif, messages or jsonl.")],
    out: Annotated[Path | None, typer.Option(help="File to write; stdout if left out.")] = None,
    task: Annotated[str, typer.Option(help="Pattern of task ids.")] = "*",
    run_number: Annotated[list[int] | None, typer.Option("--run", help="Only runs of this number.")] = None,
    min_score: Annotated[float, typer.Option(help="Only episodes with at least this score.")] = 0.0,
    max_score: Annotated[float, typer.Option(help="Only episodes with at most this score.")] = 100.0,
) -> None:
    """Write recorded episodes as JSON lines.

    atif: one ATIF v1.8 document an episode. messages: one chat with tool calls an episode, for supervised fine-tuning.
    jsonl: one line a step, with observation, action, reward and return to go.
    """
    from lifegym.rollouts import RunError, RunFolder
    from lifegym.rollouts.export import FORMATS, chosen
    from lifegym.rollouts.export import export as write
    from lifegym.task_suite import BundleError

    if format not in FORMATS:
        refuse(f"there is no format {format!r}; there are: {', '.join(FORMATS)}")
    try:
        folder = RunFolder.read(run)
        numbers = set(run_number) if run_number else None
        lines = write(format, chosen(folder, task, numbers, min_score, max_score))  # type: ignore[arg-type]
        if out is None:
            for line in lines:
                sys.stdout.buffer.write(line)
            return
        count = 0
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("wb") as file:
            for line in lines:
                file.write(line)
                count += 1
    except (RunError, BundleError) as error:
        refuse(str(error))
    except KeyError as error:
        refuse(str(error.args[0]))
    except OSError as error:
        refuse(f"{out} cannot be written: {error.strerror}")
    console(stderr=True).print(f"{counted(count, 'line')} in {out}")
