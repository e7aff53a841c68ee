"""An episode kept as a file of calls: a header and one action a line. The world is played again from it each time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import orjson

from lifegym.episode import Episode, Step
from lifegym.task_suite import Task

__all__ = ["CallFile", "CallFileError", "Header", "Replay"]

FORMAT = 1


class CallFileError(Exception):
    """A file that holds no episode, or one that cannot be played again."""


class Header(NamedTuple):
    """The first line of a file of calls.

    Attributes:
        task: Id of the task, or the folder of its bundle.
        content_hash: What the bundle's files were when the episode began.
        variant: Variant of the task.
        seed: The variant's seed.
        format: Version of the file's format.
    """

    task: str
    content_hash: str
    variant: str
    seed: int
    format: int = FORMAT


class Replay(NamedTuple):
    """An episode that was played again, and the last thing that was seen in it."""

    episode: Episode
    step: Step

    @property
    def observation(self) -> dict[str, str]:
        """What an agent sees of the last step."""
        return self.episode.observation(self.step)


class CallFile:
    """A file of calls.

    Each line is written in one go before its outcome is shown, so nothing that was seen is missing in the file. What a
    writer that was stopped left of the last line is dropped.
    """

    def __init__(self, path: Path, header: Header, actions: list[Any], size: int, whole: bool) -> None:
        self.path = path
        self.header = header
        self.actions = actions
        self._size = size  # bytes up to the end of the last good line
        self._whole = whole  # whether nothing follows them and a line break ends them

    @staticmethod
    def begin(path: Path, header: Header, overwrite: bool = False) -> CallFile:
        """Create a file that holds only its header.

        Raises:
            FileExistsError: There is such a file.
            OSError: It cannot be written.
        """
        line = orjson.dumps(header._asdict()) + b"\n"
        with path.open("wb" if overwrite else "xb") as file:
            file.write(line)
        return CallFile(path, header, [], len(line), True)

    @staticmethod
    def read(path: Path) -> CallFile:
        """Read a file.

        Raises:
            CallFileError: A line is no JSON (the last one aside), or the header is missing or of another format.
            OSError: It cannot be read.
        """
        raw = path.read_bytes()
        values: list[Any] = []
        size = 0
        lines = raw.splitlines(keepends=True)
        for number, line in enumerate(lines, 1):
            try:
                values.append(orjson.loads(line))
            except orjson.JSONDecodeError as error:
                if number == len(lines) and number > 1 and not line.endswith(b"\n"):
                    break
                raise CallFileError(f"{path}:{number}: not a line of JSON ({error})") from None
            size += len(line)
        whole = size == len(raw) and raw.endswith(b"\n")
        return CallFile(path, _header(path, values), values[1:], size, whole)

    def append(self, action: Any) -> None:
        """Add a call.

        Raises:
            OSError: The file cannot be written.
        """
        line = orjson.dumps(action) + b"\n"
        if self._whole:
            with self.path.open("ab") as file:
                file.write(line)
        else:
            with self.path.open("r+b") as file:
                file.truncate(self._size)
                file.seek(self._size - 1)
                if file.read(1) != b"\n":
                    line = b"\n" + line
                file.write(line)
        self._size += len(line)
        self._whole = True
        self.actions.append(action)

    def replay(self, task: Task) -> Replay:
        """Play the calls again.

        Raises:
            CallFileError: There are calls after the end of the episode.
            ValueError: The header names no variant of the task.
            BundleError: The variant cannot be built.
        """
        episode = Episode(task.scenario(self.header.variant, self.header.seed))
        step = episode.begin()
        for number, action in enumerate(self.actions, 2):
            if episode.over:
                raise CallFileError(f"{self.path}:{number}: the episode has ended before this call; remove the rest")
            step = episode.step(action)
        return Replay(episode, step)


def _header(path: Path, values: list[Any]) -> Header:
    first = values[0] if values else None
    if not isinstance(first, dict) or set(first) != set(Header._fields):
        raise CallFileError(f"{path} is no file of calls: its first line names no task; begin one with --task")
    header = Header(**first)
    if header.format != FORMAT:
        raise CallFileError(f"{path} has format {header.format}; this version reads format {FORMAT}")
    kinds = (str, str, str, int)
    if any(type(value) is not kind for value, kind in zip(header, kinds, strict=False)):
        raise CallFileError(f"{path}:1: task, content_hash and variant are texts, seed is a whole number")
    return header
