"""Which episodes are to be played: one unit an episode, in a fixed order, whoever plays it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
        BundleError: A bundle is malformed.
    """
    sources: dict[str, None] = {}
    for name in [names] if isinstance(names, (str, Path)) else names:
        path = Path(name).expanduser()
        if "/" in str(name) and path.is_dir():
            sources[path.resolve().as_posix()] = None
        elif path.suffix in (".txt", ".list"):
            if not path.is_file():
                raise KeyError(
                    f"there is no file {name}; a list of tasks has an id, a pattern or a folder in each line"
                )
            listed = [line.partition("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines()]
            sources |= dict.fromkeys(task.source for task in find_tasks([line for line in listed if line]))
        else:
            sources |= dict.fromkeys(match_tasks(str(name)))
    return [load_task(source) for source in sources]


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
