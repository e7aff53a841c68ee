"""Where commands write: tables and texts to stdout, progress and complaints to stderr."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["console", "grid", "print_json", "refuse", "table", "warn"]

_WIDE = 160


def console(stderr: bool = False) -> Console:
    """A console that prints texts as they are: no markup, no highlighting.

    Where it does not write to a terminal it is wide, so that tables in pipes and files are not folded.
    """
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or os.environ.get("COLUMNS") else _WIDE
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def table(title: str, *columns: str, right: tuple[str, ...] = ()) -> Table:
    """An empty table; the columns named in ``right`` hold numbers."""
    from rich import box
    from rich.table import Table

    made = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        number = column in right
        made.add_column(column, justify="right" if number else "left", overflow="fold", no_wrap=number)
    return made


def grid() -> Table:
    """An empty table of names and values, without heading and lines."""
    from rich.table import Table

    made = Table.grid(padding=(0, 2))
    made.add_column(style="bold", no_wrap=True)
    made.add_column(overflow="fold")
    return made


def print_json(value: Any) -> None:
    """Print a value as indented JSON, whatever the terminal's width."""
    import orjson

    print(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())


def warn(message: str) -> None:
    """Say something on stderr."""
    print(f"lifegym: {message}", file=sys.stderr)


def refuse(message: str, code: int = 2) -> NoReturn:
    """Say on stderr why a command cannot be carried out, and end it.

    Raises:
        typer.Exit: Always.
    """
    warn(message)
    raise typer.Exit(code)
