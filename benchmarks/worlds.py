"""The household: a bundle whose world has every service, to be measured and fuzzed."""

from __future__ import annotations

import re
import shutil
import tempfile
from functools import cache
from pathlib import Path

from lifegym.task_suite import Task, load_task
from lifegym.world import World
from lifegym.world.agenda import Agenda

__all__ = ["household", "living"]

_FOLDER = Path(__file__).parent / "household"


@cache
def household(without: tuple[str, ...] = (), large: bool = False) -> Task:
    """The household's task. Its canonical variant is large, the drawn ones are smaller.

    Args:
        without: Services to leave out.
        large: Give the drawn variants the sizes of the canonical one.
    """
    if not without and not large:
        return load_task(f"{_FOLDER}/")
    folder = Path(tempfile.mkdtemp()) / _FOLDER.name
    shutil.copytree(_FOLDER, folder)
    task = (folder / "task.yaml").read_text(encoding="utf-8")
    for name in without:
        (folder / "world" / f"{name}.yaml").unlink(missing_ok=True)
        task = re.sub(rf"\b{name}(, |(?=\]))", "", task)
    if large:
        task = re.sub(r", draw: \{range: \[.*?\]\}", "", task)
    (folder / "task.yaml").write_text(task.replace(", ]", "]"), encoding="utf-8")
    return load_task(f"{folder}/")


def living(world: World) -> World:
    """A fork in which the services go on by themselves, without the task's timeline and checks."""
    fork = world.fork()
    fork.agenda = Agenda()
    for entry in world.agenda.entries():
        if entry.owner not in ("timeline", "sample"):
            fork.agenda.add(entry.time, entry.owner, entry.verb, **entry.data)
    return fork
