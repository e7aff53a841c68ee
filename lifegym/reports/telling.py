"""The episodes of a run, each in a file that its page loads; told by several processes, this one among them."""

from __future__ import annotations

import base64
import hashlib
import os
import zlib
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import orjson

from lifegym.garbage import collect_seldom, collecting_seldom
from lifegym.reports.account import account
from lifegym.reports.overview import episode_name
from lifegym.reports.render import as_json
from lifegym.reports.task_page import described
from lifegym.rollouts import Key, RunError, RunFolder, Trajectory

__all__ = ["Told", "tell"]

CHUNK = 12
"""So many episodes of a task are told at a stretch: loading it takes as long as one or two, a process may be late."""

SMALL = 4
"""So few episodes are told in this process: starting others would take longer."""


class Told(NamedTuple):
    """What was made of some episodes of a task.

    Attributes:
        task: Its id.
        episodes: How many there were.
        errors: Of those that have no page, why.
        found: What the task's bundle says; None where others of its episodes tell it.
    """

    task: str
    episodes: int
    errors: dict[str, str]
    found: dict[str, Any] | None


class _Job(NamedTuple):
    run: Path
    files: Path
    rows: Sequence[Mapping[str, Any]]
    facts: Mapping[str, Any] | None


def tell(
    folder: RunFolder, files: Path, rows: Sequence[Mapping[str, Any]], workers: int | None = None
) -> Iterator[Told]:
    """Write the episodes' files, in whatever order they are done.

    Args:
        folder: The run.
        files: Where to; it is there.
        rows: The lines of the episodes.
        workers: Processes; by default one for each core, up to 1 for this one alone.
    """
    by_task: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_task.setdefault(row["task"], []).append(row)
    jobs = deque(
        _Job(folder.path, files, found[i : i + CHUNK], folder.tasks[id] if not i else None)
        for id, found in by_task.items()
        for i in range(0, len(found), CHUNK)
    )
    if workers is None:
        workers = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    helpers = min(workers, len(jobs)) - 1 if len(rows) > SMALL else 0
    with collecting_seldom():  # a retold episode holds hundreds of forks, walked through again and again
        if helpers > 0:
            yield from _together(jobs, helpers)
        else:
            yield from map(_tell, jobs)


def _together(jobs: deque[_Job], helpers: int) -> Iterator[Told]:
    """Tell episodes here and in other processes, which begin at the other end so that tasks are seldom loaded twice.

    Where the others cannot be (no memory for so many, a script without a main guard), this one tells everything.
    """
    sent: deque[tuple[_Job, Future[Told]]] = deque()
    lock = Lock()
    with ProcessPoolExecutor(helpers, get_context("spawn"), collect_seldom) as pool:

        def send(_: Future[Told] | None = None) -> None:
            """Give a process its next job, as soon as one has done its last."""
            with lock:
                if not jobs:
                    return
                try:
                    future = pool.submit(_tell, jobs[0])
                except BrokenProcessPool:
                    return
                sent.append((jobs.popleft(), future))
            future.add_done_callback(send)

        for _ in range(helpers):
            send()
        while jobs or sent:
            with lock:
                own = jobs.pop() if jobs else None
            if own is not None:
                yield _tell(own)
                continue
            job, future = sent.popleft()
            try:
                yield future.result()
            except BrokenProcessPool:
                yield _tell(job)


def _tell(job: _Job) -> Told:
    """Tell episodes of one task. Those that went the same way, step by step, are replayed once."""
    folder = RunFolder.read(job.run)
    errors = {name: error for name, error in _files(folder, job.files, job.rows) if error}
    found = described(job.facts) if job.facts is not None else None
    return Told(job.rows[0]["task"], len(job.rows), errors, found)


def _files(folder: RunFolder, files: Path, rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
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
