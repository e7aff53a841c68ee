"""Tasks, scenarios and agents by what was typed; what cannot be found ends the command with a sentence."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lifegym.cli.console import refuse

if TYPE_CHECKING:
    from lifegym.baselines import Agent
    from lifegym.task_suite import Task
    from lifegym.timeline import Scenario

__all__ = ["find_agent", "find_modules_here", "find_scenario", "find_sources", "find_task", "find_tasks", "nearest"]


def nearest(name: str, names: Iterable[str]) -> str:
    """A hint for a name that is not known: the nearest known ones, or all."""
    known = list(names)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    return f"do you mean {' or '.join(near)}?" if near else f"there are: {', '.join(known)}."


def find_tasks(names: Iterable[str]) -> list[Task]:
    """The tasks that ids, patterns (``travel/*``) or folders name, each once, in the order in which they were named."""
    from lifegym.task_suite import BundleError, load_task

    try:
        return [load_task(source) for source in find_sources(names)]
    except BundleError as error:
        refuse(str(error))
    except OSError as error:
        refuse(f"{error.filename} cannot be read: {error.strerror}")


def find_sources(names: Iterable[str]) -> list[str]:
    """How to load the tasks that ids, patterns or folders name, each once; none is loaded yet."""
    return list(dict.fromkeys(source for name in names for source in _sources(name)))


def _sources(name: str) -> list[str]:
    from lifegym.task_suite import match_tasks

    try:
        return [Path(name).expanduser().resolve().as_posix()] if _is_folder(name) else match_tasks(name)
    except KeyError as error:
        refuse(str(error.args[0]))


def _is_folder(name: str) -> bool:
    """Folders are written with a slash, so that a folder that is called like a task does not hide it."""
    return name.startswith((".", "/", "~")) or ("/" in name and Path(name).is_dir())


def find_task(name: str) -> Task:
    """The one task of this id or in this folder."""
    tasks = find_tasks([name])
    if len(tasks) > 1:
        refuse(f"{name!r} names {len(tasks)} tasks; name one of: {', '.join(task.id for task in tasks)}")
    return tasks[0]


def find_scenario(task: Task, variant: str, seed: int) -> Scenario:
    """A variant of a task."""
    from lifegym.task_suite import BundleError

    try:
        scenario: Scenario = task.scenario(variant, seed)
    except (BundleError, ValueError) as error:
        refuse(str(error))
    return scenario


def find_modules_here() -> None:
    """Let the current folder's modules be imported, as `python -m` does."""
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())


def find_agent(name: str) -> Agent:
    """The agent of this name, or of this ``module:attribute`` (the current folder's modules included)."""
    from lifegym.baselines import agent_names, make_agent
    from lifegym.baselines.agent import made

    known = agent_names()
    if ":" in name:
        find_modules_here()
    elif name not in known:
        refuse(f"there is no agent {name!r}; {nearest(name, known)} Other agents are named by module:attribute.")
    try:
        return made(partial(make_agent, name), name)
    except ValueError as error:
        refuse(str(error))
