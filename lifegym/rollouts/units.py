"""Which episodes are to be played: one unit an episode, in a fixed order, whoever plays it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lifegym.task_suite import Task, effective_seed, load_task, match_tasks

__all__ = ["Key", "Unit", "find_tasks", "plan"]


class Key(NamedTuple):
    """What an episode is known by: task, variant, the variant's seed, and the number of the run."""

    task: str
    variant: str
    seed: int
    run: int


class Unit(NamedTuple):
    """An episode to be played.

    Attributes:
        key: What it is known by.
        source: How to load its task, its id or a folder.
        agent_seed: For the agent's own randomness.
    """

    key: Key
    source: str
    agent_seed: int


def find_tasks(names: str | Path | Iterable[str | Path]) -> list[Task]:
    """The tasks that ids, patterns (``travel/*``), bundles' folders, or files with a list of these name, each once.

    A file's lines are names; empty lines and what follows a ``#`` are left out.

    Raises:
        KeyError: A name or pattern fits no task, or there is no such file.
        ValueError: A file is no list.
        BundleError: A bundle is malformed.
    """
    return [load_task(source) for source in dict.fromkeys(_sources(names))]


def _sources(names: str | Path | Iterable[str | Path], within: tuple[Path, ...] = ()) -> Iterator[str]:
    """How to load each task; ``within`` are the lists that are being read."""
    for name in [names] if isinstance(names, (str, Path)) else names:
        path = Path(name).expanduser()
        if "/" in str(name) and path.is_dir():
            yield path.resolve().as_posix()
        elif path.suffix in (".txt", ".list"):
            if not path.is_file():
                raise KeyError(
                    f"there is no file {name}; a list of tasks has an id, a pattern or a folder in each line"
                )
            if path.resolve() in within:
                raise ValueError(f"the list {name} names itself; take that line out")
            try:
                lines = path.read_text(encoding="utf-8").splitlines()
            except UnicodeDecodeError as error:
                raise ValueError(f"{name} is no list of tasks: {error}; write it as UTF-8") from None
            listed = [line.partition("#")[0].strip() for line in lines]
            yield from _sources([line for line in listed if line], (*within, path.resolve()))
        else:
            yield from match_tasks(str(name))


def plan(tasks: Sequence[Task], runs: int, variant: str, seeds: Sequence[int] | None) -> list[Unit]:
    """All episodes of an evaluation: by task, then seed, then run.

    Args:
        tasks: What is played.
        runs: Episodes of each task on each world.
        variant: ``canonical``, ``train`` or ``test``.
        seeds: The variant's seeds, each played ``runs`` times. None: canonical has one world; of a drawn variant run i
            has the world of seed i.

    Raises:
        ValueError: An unknown variant, a seed out of range, or nothing to play.
    """
    if runs < 1:
        raise ValueError(f"a task is played at least once, not {runs} times")
    if variant == "canonical":
        if seeds is not None:
            raise ValueError("the canonical variant has one world and takes no seeds; use variant='train' or 'test'")
        worlds = [(0, run, run) for run in range(runs)]
    elif seeds is None:
        worlds = [(run, run, run) for run in range(runs)]
    else:
        worlds = [(seed, run, seed + run) for seed in dict.fromkeys(seeds) for run in range(runs)]
    for seed, _, _ in worlds:
        effective_seed(variant, seed)
    units = [
        Unit(Key(task.id, variant, seed, run), task.source, agent_seed)
        for task in tasks
        for seed, run, agent_seed in worlds
    ]
    if not units:
        raise ValueError("there is nothing to play: name a task and a seed")
    return units
