"""``lifegym verify``: put tasks through the gates that prove them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, refuse, table
from lifegym.cli.finding import find_sources, find_tasks

if TYPE_CHECKING:
    from rich.console import Console

    from lifegym.task_suite.verification import GateReport, TaskReport

__all__ = ["changes", "verify"]

NOT_PROVEN = 1
"""Exit code where some task does not pass a gate."""


def verify(
    tasks: Annotated[
        list[str] | None,
        typer.Argument(metavar="TASK", help="Ids, patterns such as 'travel/*', or folders of bundles."),
    ] = None,
    all_tasks: Annotated[bool, typer.Option("--all", help="Every task of the suite.")] = False,
    seeds: Annotated[int, typer.Option(min=0, help="Train worlds, and as many test worlds, beside the canonical.")] = 5,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; by default one for each core.")] = None,
    gate: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only this gate; may be given several times.")
    ] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE", help="Write the reports as JSON; - is stdout.")] = None,
    alike: Annotated[
        bool,
        typer.Option(
            "--similarity", help="Instead: whether two tasks share more than a quarter of their checks or events."
        ),
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Do it again whenever a file of a task changes.")] = False,
) -> None:
    """Prove tasks: ten gates, each with its figures, and for every failure the run that shows it and what to change.

    Exit code 1: some task does not pass. See docs/task-quality.md for what the gates ask.
    """
    from lifegym.task_suite.verification import GATES

    names = (["*"] if all_tasks or (alike and not tasks) else []) + list(tasks or ())
    if not names:
        refuse("name a task, or use --all")
    unknown = [name for name in gate or () if name not in GATES]
    if unknown:
        refuse(f"there is no gate {unknown[0]!r}; there are: {', '.join(GATES)}")
    sources = find_sources(names)
    if json not in (None, "-") and not Path(json).resolve().parent.is_dir():
        refuse(f"{json} cannot be written: name a file in a folder that exists")
    if watch:
        _watch(sources)
        return
    if alike:
        _compare(names, json)
        return
    reports = list(_verified(sources, seeds, workers, gate, console(stderr=json == "-")))
    if json is not None:
        passed = all(report.passed for report in reports)
        _write(json, {"passed": passed, "tasks": [report.to_json() for report in reports]})
    if not all(report.passed for report in reports):
        raise typer.Exit(NOT_PROVEN)


def _verified(
    sources: list[str], seeds: int, workers: int | None, gates: list[str] | None, out: Console
) -> Iterator[TaskReport]:
    from lifegym.task_suite.verification import verify as prove

    for source in sources:
        report = prove(source, seeds, workers, gates)
        _print(out, report)
        yield report


def _print(out: Console, report: TaskReport) -> None:
    shown = table(f"{report.task}: {'proven' if report.passed else 'not proven'}", "gate", "", "figures")
    for gate in report.gates:
        shown.add_row(gate.gate, "passed" if gate.passed else f"{len(gate.findings)} found", _figures(gate))
    out.print(shown)
    for gate in report.gates:
        for finding in gate.findings:
            where = " ".join(part for part in (finding.subject, f"({finding.stage})" if finding.stage else "") if part)
            out.print(f"{gate.gate}: {where + ': ' if where else ''}{finding.message}")
            for label, text in (("shown by", finding.run), ("to do", finding.advice)):
                if text:
                    out.print(f"    {label}: {text}")
        for note in gate.notes:
            out.print(f"{gate.gate}, to know: {note}")
    out.print(f"{report.seconds:.1f} s")


def _figures(gate: GateReport) -> str:
    parts = []
    for name, value in gate.figures.items():
        if isinstance(value, dict) and set(value) == {"here", "paper"}:
            parts.append(f"{name} {_number(name, value['here'])} (paper {_number(name, value['paper'])})")
        else:
            parts.append(f"{name.replace('_', ' ')} {_plain(value)}")
    return "; ".join(parts)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{key} ({_plain(v)})" if isinstance(v, dict) else f"{key} {_plain(v)}" for key, v in value.items()
        )
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _number(name: str, value: Any) -> str:
    return f"{100 * value:.1f} %" if "share" in name else f"{value:g}"


def _compare(names: list[str], json: str | None) -> None:
    """The likest pairs of tasks; exit code 1 where two share too much."""
    from lifegym.task_suite.verification.similarity import SHARED_AT_MOST, similarity

    found = similarity(find_tasks(names))
    out = console(stderr=json == "-")
    shown = table(
        f"{len(found) // 2} pairs of tasks; the likest", "task", "and", "share", "of", "alike", right=("share",)
    )
    for like in found[:10]:
        pairs = ", ".join("/".join(pair) for pair in like.pairs[:8])
        shown.add_row(like.first, like.second, f"{100 * like.share:.1f} %", like.kind, pairs)
    out.print(shown)
    passed = all(like.share <= SHARED_AT_MOST for like in found)
    if json is not None:
        _write(json, {"passed": passed, "pairs": [like._asdict() for like in found]})
    if not passed:
        out.print(f"two tasks share at most {100 * SHARED_AT_MOST:g} % of their checks, and of their events")
        raise typer.Exit(NOT_PROVEN)


def _write(file: str, report: dict[str, Any]) -> None:
    import orjson

    data = orjson.dumps(report, option=orjson.OPT_INDENT_2 | orjson.OPT_NON_STR_KEYS)
    if file == "-":
        print(data.decode())
        return
    try:
        Path(file).write_bytes(data + b"\n")
    except OSError as error:
        refuse(f"{file} cannot be written: {error.strerror}")


# -- watching ----------------------------------------------------------------------------------------------------------


def _folder(source: str) -> Path:
    from lifegym.task_suite import task_path

    return Path(source) if "/" in source else task_path(source)


def _state(folders: list[Path]) -> dict[str, tuple[int, int]]:
    files = (file for folder in folders for file in folder.rglob("*"))
    return {str(file): (stat.st_mtime_ns, stat.st_size) for file in files if (stat := file.stat()) and file.is_file()}


def changes(folders: list[Path], pause: float = 0.4) -> Iterator[list[str]]:
    """The files that changed since the last time, whenever some did; at first none. It goes on until it is closed."""
    before = _state(folders)
    yield []
    while True:
        try:
            now = _state(folders)
        except FileNotFoundError:  # an editor replaces a file by renaming
            now = before
        if now != before:
            changed = sorted(name for name in {*now, *before} if now.get(name) != before.get(name))
            before = now
            yield changed
        else:
            time.sleep(pause)


def _watch(sources: list[str]) -> None:
    """Each round is a process of its own, so that it sees the files as they are."""
    from lifegym.task_suite.verification.parallel import command

    again = [word for word in sys.argv[1:] if word != "--watch"]
    out = console()
    try:
        for changed in changes([_folder(source) for source in sources]):
            if changed:
                out.rule(", ".join(Path(name).name for name in changed))
            subprocess.run(command("lifegym.cli", *again), check=False)
            out.print("watching; Ctrl-C ends it")
    except KeyboardInterrupt:
        return
