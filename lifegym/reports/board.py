"""A leaderboard of several runs: a static site, and the JSON that it is made from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from lifegym.counting import counted
from lifegym.reports.overview import leader
from lifegym.reports.render import page
from lifegym.rollouts import RunError, RunFolder
from lifegym.statistics import summarize

__all__ = ["board", "board_page", "write_board"]

FORMAT = 1
"""Version of the form of ``board.json``."""


def board(runs: Sequence[RunFolder]) -> dict[str, Any]:
    """The leaderboard of runs, the best first, as JSON values.

    All figures of a run are of the tasks that every run has scored in the same version, so that nobody gains by leaving
    out what is hard; a run that has scored none stands last and leaves the others' figures alone. What each has scored
    besides stands with its domains and tasks.

    Returns:
        ``format``, ``tasks`` (facts of each, and whether it is ``common``), ``runs`` (each with its figures, domains
        and the averages of its tasks) and ``notes``.

    Raises:
        RunError: There are no runs, or two have the same folder name.
    """
    if not runs:
        raise RunError("a leaderboard needs a run; lifegym runs lists what there is")
    paths = [run.path.resolve() for run in runs]
    if len(set(paths)) < len(paths):
        raise RunError(f"{next(path for path in paths if paths.count(path) > 1)} is named twice; name each run once")
    names = [run.path.absolute().name for run in runs]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise RunError(f"two runs are called {twice}; rename one of the folders, so that they can be told apart")
    rows = [[row for row in run.rows() if row["task"] in run.tasks] for run in runs]
    summaries = [summarize(found, run.tasks) for run, found in zip(runs, rows, strict=True)]
    scored = [(run, summary) for run, summary in zip(runs, summaries, strict=True) if "tasks" in summary]
    common = _common(scored)
    lines = [_line(run, found, summary, common) for run, found, summary in zip(runs, rows, summaries, strict=True)]
    lines.sort(key=lambda line: (line["avg"] is None, -(line["avg"] or 0.0), line["name"]))
    tasks = {id: facts for run in runs for id, facts in run.tasks.items()}
    return {
        "format": FORMAT,
        "tasks": [
            {"id": id, "title": facts["title"], "domain": facts["domain"], "common": id in common}
            for id, facts in sorted(tasks.items(), key=lambda item: (item[1]["domain"], item[0]))
        ],
        "runs": lines,
        "notes": _notes(runs, lines, tasks, common),
    }


def board_page(found: Mapping[str, Any]) -> str:
    """The site's page, out of the leaderboard's JSON and nothing else."""
    return page("board.html", scripts=("dom.js", "tables.js", "plain.js"), board=found)


def write_board(runs: Sequence[RunFolder], out: Path) -> dict[str, Any]:
    """Write ``index.html`` and ``board.json`` into a folder. The same runs give the same bytes.

    Raises:
        RunError: As ``board`` does, or the folder cannot be written.
    """
    found: dict[str, Any] = orjson.loads(orjson.dumps(board(runs)))
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / "board.json").write_bytes(orjson.dumps(found, option=orjson.OPT_INDENT_2) + b"\n")
        (out / "index.html").write_text(board_page(found), encoding="utf-8", errors="replace")
    except OSError as error:
        raise RunError(f"{out} cannot be written: {error.strerror}; name another folder with --out") from None
    return found


def _common(scored: Sequence[tuple[RunFolder, Mapping[str, Any]]]) -> list[str]:
    def same(id: str) -> bool:
        hashes = {run.tasks[id]["content_hash"] if id in run.tasks else None for run, _ in scored}
        return len(hashes) == 1 and all(id in summary["tasks"] for _, summary in scored)

    return [id for id in scored[0][0].tasks if same(id)] if scored else []


def _line(
    run: RunFolder, rows: Sequence[Mapping[str, Any]], own: Mapping[str, Any], common: Sequence[str]
) -> dict[str, Any]:
    """A run's line; its figures are of the common tasks, or of its own where there are none."""
    summary = summarize([row for row in rows if row["task"] in common], run.tasks) if common else own
    settings = run.manifest["settings"]
    return {
        "name": run.path.absolute().name,
        **{name: value for name, value in leader(run.agent, summary).items() if name != "seconds"},
        "variant": settings["variant"],
        "settings": settings["agent_settings"],
        "version": run.manifest["versions"].get("lifegym"),
        "episodes": own["episodes"],
        "tasks": len(own.get("tasks", {})),
        "domains": {name: found["avg"] for name, found in own.get("domains", {}).items()},
        "task_averages": {id: found["avg"] for id, found in own.get("tasks", {}).items()},
    }


def _notes(
    runs: Sequence[RunFolder], lines: Sequence[Mapping[str, Any]], tasks: Mapping[str, Any], common: Sequence[str]
) -> list[str]:
    notes = []
    unscored = [line["name"] for line in lines if not line["tasks"]]
    if not common and len(unscored) < len(lines):
        notes.append("The runs have no task in common, so nothing ranks them.")
    elif common and len(common) < len(tasks):
        notes.append(
            f"The figures are of the {len(common)} of {counted(len(tasks), 'task')} that all runs with a score have "
            "scored in the same version."
        )
    notes += [f"{name} has no score yet: lifegym evaluate plays what is missing." for name in unscored]
    for what, values in (
        ("variants", {run.manifest["settings"]["variant"] for run in runs}),
        ("numbers of runs a task", {run.manifest["settings"]["runs"] for run in runs}),
        ("versions of lifegym", {run.manifest["versions"].get("lifegym") for run in runs}),
    ):
        if len(values) > 1:
            notes.append(f"The runs have different {what}: {', '.join(sorted(map(str, values)))}.")
    failed = [(line["name"], line["episodes"]["failed"]) for line in lines if line["episodes"]["failed"]]
    notes += [f"{name} has {counted(number, 'episode')} without a score, in no mean." for name, number in failed]
    return notes
