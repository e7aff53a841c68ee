"""A run on disk: manifest, one line an episode, trajectories. Only the process that holds the folder writes into it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, overload

import orjson

from lifegym.rollouts.trajectory import Trajectory, read_trajectory
from lifegym.rollouts.units import Key
from lifegym.rollouts.worker import Played

__all__ = ["Row", "Rows", "RunError", "RunFolder", "run_folders"]

FORMAT = 1
MANIFEST, RESULTS, SUMMARY, TRAJECTORIES = "manifest.json", "results.jsonl", "summary.json", "trajectories"

MEND = "remove the line, and the same lifegym evaluate command plays the episode again"
"""What to do about a damaged line."""


class RunError(Exception):
    """A folder that holds no run, or another one, or cannot be written; the message says what to do."""


Row = dict[str, Any]
"""A line of ``results.jsonl``."""


class Rows(Sequence[Row]):
    """Rows that are read from their file whenever they are gone through: a hundred thousand take hardly any memory.

    Args:
        file: Where they stand.
        places: Where each of them begins.
    """

    def __init__(self, file: Path, places: list[int]) -> None:
        self.file = file
        self.places = places

    def __iter__(self) -> Iterator[Row]:
        if not self.places:
            return
        with self.file.open("rb") as lines:
            for place in self.places:
                lines.seek(place)
                yield orjson.loads(lines.readline())

    def __len__(self) -> int:
        return len(self.places)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Rows: ...
    def __getitem__(self, index: int | slice) -> Row | Rows:
        if isinstance(index, slice):
            return Rows(self.file, self.places[index])
        return next(iter(Rows(self.file, [self.places[index]])))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]


class RunFolder:
    """A run folder, for reading; ``open`` gives one for writing.

    Attributes:
        path: The folder.
        manifest: ``format``, ``settings`` (what makes a run the same run), ``tasks``, ``versions``.
    """

    def __init__(self, path: Path, manifest: dict[str, Any]) -> None:
        self.path = path
        self.manifest = manifest
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None

    # -- reading -------------------------------------------------------------------------------------------------

    @staticmethod
    def read(path: Path | str) -> RunFolder:
        """A run that is there.

        Raises:
            RunError: It is no run folder, or of a later form.
        """
        path = Path(path)
        file = path / MANIFEST
        try:
            manifest = orjson.loads(file.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            raise RunError(f"{path} is no run folder: it has no {MANIFEST}; lifegym runs lists them") from None
        except OSError as error:
            raise RunError(f"{file} cannot be read: {error.strerror}") from None
        except orjson.JSONDecodeError as error:
            raise RunError(f"{file} is damaged: {error}") from None
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            raise RunError(
                f"{file} is not of format {FORMAT}, which this version reads; use the lifegym that made the run"
            )
        for name in ("settings", "tasks", "versions"):
            if not isinstance(manifest.get(name), dict):
                raise RunError(f"{file} is damaged: it has no {name}")
        return RunFolder(path, manifest)

    @property
    def agent(self) -> str:
        """Name of the agent."""
        return str(self.manifest["settings"]["agent"])

    @property
    def tasks(self) -> dict[str, dict[str, Any]]:
        """Facts of each task: domain, title, content hash, factors, days, events, stages."""
        tasks: dict[str, dict[str, Any]] = self.manifest["tasks"]
        return tasks

    def rows(self, damaged: list[str] | None = None) -> list[dict[str, Any]]:
        """The lines of ``results.jsonl`` by task, seed and run; a torn last line is left out.

        Args:
            damaged: Where it is given, other damaged lines are left out too; it gets what is wrong with each.

        Raises:
            RunError: A line before the last is damaged.
        """
        return sorted((row for row, _, _ in self._lines(damaged)), key=self._place())

    def stored(self, damaged: list[str] | None = None) -> Rows:
        """The same, but read from the file whenever they are gone through.

        Args:
            damaged: As of ``rows``.

        Raises:
            RunError: A line before the last is damaged.
        """
        place = self._place()
        found = sorted((place(row), at) for row, _, at in self._lines(damaged))
        return Rows(self.path / RESULTS, [at for _, at in found])

    def _place(self) -> Callable[[Row], tuple[int, int, int]]:
        """What rows are sorted by: task, seed and run."""
        order = {task: i for i, task in enumerate(self.tasks)}
        return lambda row: (order.get(row["task"], len(order)), row["seed"], row["run"])

    def _lines(self, damaged: list[str] | None = None) -> Iterator[tuple[dict[str, Any], bytes, int]]:
        """Rows, their lines, and where these begin."""
        file = self.path / RESULTS
        end = 0
        try:
            lines = file.open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise RunError(f"{file} cannot be read: {error.strerror}") from None
        with lines:
            for number, line in enumerate(lines, 1):
                at, end = end, end + len(line)
                try:
                    row = orjson.loads(line)
                    if not isinstance(row, dict) or not {*Key._fields, "score"} <= row.keys():
                        raise ValueError("it is not the line of an episode")
                except ValueError as error:
                    if not line.endswith(b"\n"):
                        return  # what a writer that was stopped left of its last line
                    if damaged is None:
                        raise RunError(f"{file}:{number} is damaged: {error}; {MEND}") from None
                    damaged.append(f"{file.name}:{number} is damaged: {error}")
                    continue
                yield row, line if line.endswith(b"\n") else line + b"\n", at

    def trajectory(self, key: Key) -> Trajectory:
        """The trajectory of an episode.

        Raises:
            RunError: There is none, or it cannot be read.
        """
        file = self.path / trajectory_name(key)
        try:
            return read_trajectory(file)
        except FileNotFoundError:
            raise RunError(f"{file} is not there: the episode was not recorded") from None
        except (OSError, ValueError) as error:
            raise RunError(str(error)) from None

    def summary(self) -> dict[str, Any]:
        """The statistics as ``summarize`` last wrote them.

        Raises:
            RunError: They are not there, or cannot be read.
        """
        file = self.path / SUMMARY
        try:
            summary: dict[str, Any] = orjson.loads(file.read_bytes())
        except (OSError, orjson.JSONDecodeError) as error:
            raise RunError(f"{file} cannot be read: {error}") from None
        return summary

    # -- writing -------------------------------------------------------------------------------------------------

    @staticmethod
    def open(path: Path | str, manifest: Mapping[str, Any]) -> RunFolder:
        """Begin a run, or go on with the one that is there.

        Raises:
            RunError: Another process writes into it, it holds a run of other settings, or it cannot be written.
        """
        path = Path(path)
        wanted = orjson.loads(orjson.dumps({"format": FORMAT, **manifest}))
        try:
            path.mkdir(parents=True, exist_ok=True)
            lock = (path / ".lock").open("ab")
        except OSError as error:
            raise RunError(f"{path} cannot be written: {error.strerror}; name another folder") from None
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise RunError(f"another process is writing into {path}; wait for it, or name another folder") from None
        try:
            begun = (path / MANIFEST).exists()
            folder = RunFolder.read(path) if begun else RunFolder(path, wanted)
            others = sorted(file.name for file in path.iterdir() if file.stat().st_size or file.is_dir())
            others = [name for name in others if name not in (".lock", MANIFEST)]
            if begun and others:
                _same(path, folder.manifest, wanted)
            elif others:
                raise RunError(f"{path} holds {others[0]} and no run; name a new folder")
            else:  # nothing is recorded yet: a run that could not begin, with a misspelt setting perhaps, binds nobody
                folder = RunFolder(path, wanted)
                _replace(path / MANIFEST, [orjson.dumps(wanted, option=orjson.OPT_INDENT_2), b"\n"])
            folder._lock = lock
        except OSError as error:
            lock.close()
            raise RunError(f"{path} cannot be written: {error.strerror}") from None
        except RunError:
            lock.close()
            raise
        return folder

    def resume(self) -> set[Key]:
        """The episodes that need not be played again: those with a score. Lines of the others, and a torn one, go."""
        kept: set[Key] = set()
        file = self.path / RESULTS
        size = file.stat().st_size if file.exists() else 0

        def lines() -> Iterator[bytes]:
            for row, line, _ in self._lines():
                key = Key(*(row[name] for name in Key._fields))
                if row.get("error") is None and key not in kept:
                    kept.add(key)
                    yield line

        if sum(map(len, lines())) != size:
            kept.clear()
            _replace(file, lines())
        self._file = file.open("ab")
        return kept

    def add(self, key: Key, played: Played) -> None:
        """Record an episode: its trajectory first, then its line, so that a line never lacks its trajectory.

        Raises:
            RunError: The disk is full, or the folder cannot be written. What was recorded before stays whole.
        """
        assert self._file is not None, "call resume() first"
        row = dict(played.row)
        size = self._file.tell()
        try:
            if played.trajectory is not None:
                name = trajectory_name(key)
                (self.path / name).parent.mkdir(parents=True, exist_ok=True)
                _replace(self.path / name, [played.trajectory])
                row["trajectory"] = name
            self._file.write(orjson.dumps(row, option=orjson.OPT_NON_STR_KEYS, default=repr) + b"\n")
            self._file.flush()
        except OSError as error:
            _cut(self._file, self.path / RESULTS, size)
            self._file = None
            raise RunError(
                f"{self.path} cannot be written: {error.strerror}; mend that, then run the same command again: "
                "it plays only what is missing"
            ) from None

    def summarize(self) -> dict[str, Any]:
        """The statistics of what is recorded, also written to ``summary.json``."""
        from lifegym.statistics import summarize

        summary = {"agent": self.agent, **summarize(self.stored(), self.tasks)}
        try:
            _replace(self.path / SUMMARY, [orjson.dumps(summary, option=orjson.OPT_INDENT_2), b"\n"])
        except OSError as error:
            raise RunError(f"{self.path / SUMMARY} cannot be written: {error.strerror}") from None
        return summary

    def close(self) -> None:
        """Let others write into it."""
        for file in (self._file, self._lock):
            if file is not None:
                file.close()
        self._file = self._lock = None

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def run_folders(root: Path | str, damaged: list[str] | None = None) -> list[RunFolder]:
    """The run folders in a folder, and the folder itself where it is one, by name.

    Args:
        root: Where they lie.
        damaged: Where it is given, damaged ones are left out; it gets what is wrong with each.

    Raises:
        RunError: One of them is damaged.
    """
    root = Path(root)
    files = sorted({*root.glob(MANIFEST), *root.glob(f"*/{MANIFEST}"), *root.glob(f"*/*/{MANIFEST}")})
    found = []
    for file in files:
        try:
            found.append(RunFolder.read(file.parent))
        except RunError as error:
            if damaged is None:
                raise
            damaged.append(str(error))
    return found


def trajectory_name(key: Key) -> str:
    """Where an episode's trajectory lies in its run folder."""
    return f"{TRAJECTORIES}/{key.task}/{key.variant}-{key.seed}-{key.run}.json.gz"


def _same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """That a folder holds the run that is meant."""
    for name, value in wanted["settings"].items():
        other = found["settings"].get(name)
        if other != value:
            raise RunError(
                f"{path} holds a run with {name} {_short(other)}, not {_short(value)}; "
                "name another folder, or give the settings that it was begun with"
            )
    for task, facts in wanted["tasks"].items():
        if found["tasks"].get(task, {}).get("content_hash") != facts["content_hash"]:
            raise RunError(f"{path} holds a run of another version of {task}; name another folder, or rescore that one")


def _short(value: Any) -> str:
    text = orjson.dumps(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."


def _replace(file: Path, parts: Iterable[bytes]) -> None:
    """Write a file as a whole, or not at all."""
    new = file.with_name(f".{file.name}.new")
    try:
        with new.open("wb") as written:
            written.writelines(parts)
        os.replace(new, file)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def _cut(file: IO[bytes], path: Path, size: int) -> None:
    """Take back what was written of a line; the file is closed, whatever its buffer still holds."""
    with suppress(OSError):  # the rest of the line does not fit either
        file.close()
    os.truncate(path, size)
