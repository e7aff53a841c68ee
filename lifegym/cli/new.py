"""``lifegym new``: a bundle to begin a task with."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from lifegym.cli.console import refuse

__all__ = ["new"]

_SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def new(
    domain: Annotated[str, typer.Argument(metavar="DOMAIN", help="Such as travel; letters, digits and underscores.")],
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of the task, such as moving-out.")],
    dir: Annotated[Path, typer.Option("--dir", help="Where to write the domain's folder.")] = Path(),
) -> None:
    """Write a small whole task, with comments that teach, to turn into one's own.

    It is proven as it stands; keep it so while it grows: lifegym verify --watch FOLDER.
    """
    from lifegym.task_suite import suite

    if not _SLUG.fullmatch(task):
        refuse(f"{task!r} is no task id: use small letters and digits, words joined by hyphens")
    if not re.fullmatch(r"[a-z][a-z0-9_]*", domain):
        refuse(f"{domain!r} is no domain: use small letters, digits and underscores")
    folder = dir / domain / task.replace("-", "_")
    if folder.exists():
        refuse(f"{folder} exists already")
    home = Path(suite.__file__).parent / "skeleton"
    try:
        for file in sorted(home.rglob("*")):
            if file.is_file():
                text = file.read_text(encoding="utf-8").replace("TASK-ID", task).replace("DOMAIN-NAME", domain)
                target = folder / file.relative_to(home)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8")
                print(target)
    except OSError as error:
        refuse(f"{error.filename} cannot be written: {error.strerror}")
    shown = folder.as_posix() if folder.is_absolute() else f"./{folder.as_posix()}"
    print(f"\nNow: lifegym verify --watch {shown}")
