"""Which tasks there are: the bundles that ship with the package, found by id without reading them."""

from __future__ import annotations

import difflib
import fnmatch
from functools import cache
from pathlib import Path

__all__ = ["domains", "match_tasks", "task_ids", "task_path"]

_ROOT = Path(__file__).parent


@cache
def _paths() -> dict[str, Path]:
    """Id to folder. The folder's name is the id with underscores, so no bundle needs to be opened."""
    return {path.parent.name.replace("_", "-"): path.parent for path in sorted(_ROOT.glob("*/*/task.yaml"))}


def task_ids(domain: str | None = None) -> list[str]:
    """All task ids in the order of their domains and names, or those of one domain."""
    return [id for id, path in _paths().items() if domain is None or path.parent.name == domain]


def domains() -> list[str]:
    """The domains that have tasks."""
    return list(dict.fromkeys(path.parent.name for path in _paths().values()))


def task_path(task: str) -> Path:
    """The folder of a task.

    Raises:
        KeyError: There is no such task; the message names the nearest.
    """
    path = _paths().get(task)
    if path is None:
        near = difflib.get_close_matches(task, _paths(), n=3, cutoff=0.4)
        hint = f"; do you mean {' or '.join(near)}?" if near else f"; there are: {', '.join(_paths())}"
        raise KeyError(f"there is no task {task!r}{hint}")
    return path


def match_tasks(*patterns: str) -> list[str]:
    """The tasks that ids or patterns name: ``japan-trip``, ``travel/*``, ``*``; each once, in suite order.

    Raises:
        KeyError: A pattern names no task.
    """
    wanted = set()
    for pattern in patterns:
        if not any(sign in pattern for sign in "*?["):
            task_path(pattern.rpartition("/")[2])
        hits = {
            id
            for id, path in _paths().items()
            if fnmatch.fnmatchcase(f"{path.parent.name}/{id}" if "/" in pattern else id, pattern)
        }
        if not hits:
            raise KeyError(f"no task matches {pattern!r}; domains are: {', '.join(domains())}")
        wanted |= hits
    return [id for id in _paths() if id in wanted]
