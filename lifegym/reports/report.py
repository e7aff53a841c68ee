"""A run folder as a page: ``report.html``, and beside it a file for each episode, loaded when it is looked at."""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from lifegym.garbage import collect_seldom, collecting_seldom
from lifegym.reports.account import account
from lifegym.reports.overview import analysis, episode_name, leader, overview, table_of_tasks
from lifegym.reports.render import as_json, page
from lifegym.reports.task_page import described, task_page
from lifegym.rollouts import Key, RunError, RunFolder, Trajectory
from lifegym.rollouts.run_folder import MEND
from lifegym.statistics import summarize

__all__ = ["SCRIPTS", "Written", "write_report"]

SCRIPTS = (
    "dom.js", "tables.js", "timeline.js", "changes.js", "checks.js", "story.js", "written.js", "episode.js", "pages.js",
)  # fmt: skip
"""The report's JavaScript, in the order in which it is needed."""

CHUNK = 24
"""So many episodes of a task a process tells at most before another may take over: loading it takes as long as two."""

SMALL = 4
"""So few episodes are told in this process: starting others would take longer."""


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
        workers: Processes; by default one for each core, 0 for this process alone.
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
        notes.append(f"{len(strangers)} lines are of tasks that the manifest does not have; they are left out.")
    path = Path(out) if out is not None else folder.path / "report.html"
    if path.is_dir():
        raise RunError(f"{path} is a folder; name the page to write with --out FILE")
    files = path.with_name(f"{path.stem}_files")
    told = [row for row in rows if row.get("trajectory")]
    names = {episode_name(row): row for row in told}
    tasks: dict[str, dict[str, Any]] = {}
    try:
        files.mkdir(parents=True, exist_ok=True)
        done = 0
        for chunk in _tell(folder, files, told, _workers(workers, len(told))):
            tasks.setdefault(chunk.task, chunk.found or {})
            for name, error in chunk.errors.items():
                notes.append(error)
                names[name]["trajectory"] = None
            done += chunk.episodes
            if watch is not None:
                watch(done, len(told))
        for id, facts in folder.tasks.items():
            tasks[id] = tasks.get(id) or described(facts)
        data = _page(folder, rows, tasks, notes, files.name).encode(errors="replace")
        path.write_bytes(data)
    except OSError as error:
        raise RunError(f"{error.filename or path} cannot be written: {error.strerror}; give --out FILE") from None
    return Written(path, sum(bool(row.get("trajectory")) for row in told), len(data), notes)


def _page(folder: RunFolder, rows: list[dict[str, Any]], tasks: Mapping[str, Any], notes: list[str], files: str) -> str:
    summary = summarize(rows, folder.tasks)
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


# -- the episodes' files ---------------------------------------------------------------------------------------------


def _workers(wanted: int | None, episodes: int) -> int:
    if wanted is None:
        wanted = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if episodes <= SMALL or wanted < 2 else wanted


class _Chunk(NamedTuple):
    """What a process made of some episodes of a task.

    Attributes:
        task: Its id.
        episodes: How many there were.
        errors: Of those that have no page, why.
        found: What the task's bundle says; None where another chunk tells it.
    """

    task: str
    episodes: int
    errors: dict[str, str]
    found: dict[str, Any] | None


def _tell(folder: RunFolder, files: Path, rows: Sequence[Mapping[str, Any]], workers: int) -> Iterator[_Chunk]:
    """Write the episodes' files, here or in other processes."""
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_task.setdefault(row["task"], []).append(row)
    jobs = [
        (folder.path, files, found[i : i + CHUNK], folder.tasks[id] if not i else None)
        for id, found in by_task.items()
        for i in range(0, len(found), CHUNK)
    ]
    done = 0
    if workers:
        try:
            with ProcessPoolExecutor(workers, get_context("spawn"), collect_seldom) as pool:
                for chunk in pool.map(_tell_chunk, *zip(*jobs, strict=True)):
                    yield chunk
                    done += 1
        except BrokenProcessPool:  # no memory for so many, or a script that calls this has no main guard: go on alone
            pass
    with collecting_seldom():  # a retold episode holds hundreds of forks, walked through again and again
        for job in jobs[done:]:
            yield _tell_chunk(*job)


def _tell_chunk(run: Path, files: Path, rows: Sequence[Mapping[str, Any]], facts: Mapping[str, Any] | None) -> _Chunk:
    """Tell episodes of one task. Those that went the same way, step by step, are replayed once."""
    errors = {name: error for name, error in _told(RunFolder.read(run), files, rows) if error}
    return _Chunk(rows[0]["task"], len(rows), errors, described(facts) if facts is not None else None)


def _told(folder: RunFolder, files: Path, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    known: dict[bytes, dict[str, Any]] = {}
    for row in rows:
        name, error = episode_name(row), ""
        try:
            recorded = folder.trajectory(Key(*(row[field] for field in Key._fields)))
            digest = hashlib.blake2b(orjson.dumps([_way(recorded), row.get("checks")])).digest()
            found = account(recorded, row, known.get(digest))
            known[digest] = found
            _write(files, name, found)
        except RunError as failure:
            error = f"{failure}. Its page is missing."
        yield name, error


def _way(recorded: Trajectory) -> list[Any]:
    """Everything that an episode's account is made of, but its number and what it cost."""
    names = ("source", "content_hash", "caps", "observations", "actions", "rewards", "codes")
    return [recorded.key.variant, recorded.key.seed, *(getattr(recorded, name) for name in names)]


def _write(files: Path, name: str, told: Mapping[str, Any]) -> None:
    """An episode as a script that hands it to the page: a page opened from disk may load scripts and nothing else."""
    data = orjson.dumps(told, option=orjson.OPT_NON_STR_KEYS, default=str)
    packed = base64.b64encode(zlib.compress(data, 4)).decode()
    file = files / f"{name}.js"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"lifegymEpisode({as_json(name)}, {as_json(packed)});\n", encoding="utf-8")
