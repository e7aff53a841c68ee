"""A run folder as a page: ``report.html``, and beside it a file for each episode, loaded when it is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lifegym.counting import counted
from lifegym.reports.overview import analysis, episode_name, leader, overview, table_of_tasks
from lifegym.reports.render import as_json, page
from lifegym.reports.task_page import described, task_page
from lifegym.reports.telling import tell
from lifegym.rollouts import RunError, RunFolder
from lifegym.rollouts.run_folder import MEND
from lifegym.statistics import summarize

__all__ = ["SCRIPTS", "Written", "write_report"]

SCRIPTS = (
    "dom.js", "tables.js", "timeline.js", "changes.js", "checks.js", "story.js", "written.js", "episode.js", "pages.js",
)  # fmt: skip
"""The report's JavaScript, in the order in which it is needed."""


@dataclass
class Written:
    """What was made of a run.

    Attributes:
        path: The page.
        episodes: How many episodes have a page of their own.
        size: Bytes of the page, without the episodes' files.
        notes: What could not be shown, and why.
    """

    path: Path
    episodes: int
    size: int
    notes: list[str] = field(default_factory=list)


def write_report(
    run: Path | str,
    out: Path | str | None = None,
    workers: int | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> Written:
    """Make the report of a run. The same run gives the same bytes.

    Args:
        run: The run folder.
        out: The page to write; by default ``report.html`` in the run folder. The episodes' files lie beside it, in a
            folder of its name with ``_files``.
        workers: Processes, this one among them; by default one for each core.
        watch: Called with the number of episodes that are done, and of all.

    Raises:
        RunError: It is no run folder, or the report cannot be written.
    """
    folder = RunFolder.read(run)
    damaged: list[str] = []
    rows = folder.rows(damaged)
    notes = [f"{line}. It is left out; {MEND}." for line in damaged]
    strangers = [row for row in rows if row["task"] not in folder.tasks]
    if strangers:
        rows = [row for row in rows if row["task"] in folder.tasks]
        notes.append(f"Left out: {counted(len(strangers), 'line')} of tasks that the manifest does not have.")
    path = Path(out) if out is not None else folder.path / "report.html"
    if path.is_dir():
        raise RunError(f"{path} is a folder; name the page to write with --out FILE")
    files = path.with_name(f"{path.stem}_files")
    told = [row for row in rows if row.get("trajectory")]
    names = {episode_name(row): row for row in told}
    tasks: dict[str, dict[str, Any]] = {}
    summary = summarize(rows, folder.tasks)
    try:
        files.mkdir(parents=True, exist_ok=True)
        done = 0
        errors: dict[str, str] = {}
        for some in tell(folder, files, told, workers):
            if some.found is not None:
                tasks[some.task] = some.found
            errors |= some.errors
            done += some.episodes
            if watch is not None:
                watch(done, len(told))
        for name, row in names.items():
            if name in errors:
                notes.append(errors[name])
                row["trajectory"] = None
        for id, facts in folder.tasks.items():
            tasks[id] = tasks.get(id) or described(facts)
        data = _page(folder, rows, summary, tasks, notes, files.name).encode(errors="replace")
        path.write_bytes(data)
        _clear(files, {name for name, row in names.items() if row["trajectory"]})
    except OSError as error:
        raise RunError(f"{error.filename or path} cannot be written: {error.strerror}; give --out FILE") from None
    return Written(path, sum(bool(row.get("trajectory")) for row in told), len(data), notes)


def _clear(files: Path, names: set[str]) -> None:
    """Remove what an earlier report left: the files of episodes that are no more."""
    for file in files.glob("*/*.js"):
        if file.relative_to(files).with_suffix("").as_posix() not in names:
            file.unlink()
    for folder in files.iterdir():
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _page(
    folder: RunFolder,
    rows: list[dict[str, Any]],
    summary: Mapping[str, Any],
    tasks: Mapping[str, Any],
    notes: list[str],
    files: str,
) -> str:
    by_task: dict[str, list[dict[str, Any]]] = {id: [] for id in folder.tasks}
    for row in rows:
        by_task[row["task"]].append(row)
    return page(
        "report.html",
        scripts=SCRIPTS,
        agent=folder.agent,
        manifest=folder.manifest,
        leader=leader(folder.agent, summary),
        notes=notes,
        overview=overview(summary, rows),
        analysis=analysis(summary, rows, folder.tasks),
        lines=table_of_tasks(summary, rows, folder.tasks),
        tasks=[task_page(id, folder.tasks[id], found, tasks[id]) for id, found in by_task.items()],
        index=as_json(
            {
                "files": files,
                "titles": {id: facts["title"] for id, facts in folder.tasks.items()},
                "episodes": [[episode_name(row), row["score"]] for row in rows if row.get("trajectory")],
            }
        ),
    )
