"""``lifegym stats``: what the suite is made of, beside the paper's figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lifegym.cli.console import console, print_json, table
from lifegym.cli.finding import find_tasks

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["stats"]


def stats(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", help="Ids, patterns or folders; the whole suite if left out.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")] = False,
) -> None:
    """Tell what the suite is made of, beside the figures of the paper (VibeLifeBench, arXiv 2608.10875)."""
    from lifegym.task_suite.composition import composition

    found = composition(find_tasks(tasks or ["*"]))
    if json:
        print_json(found)
        return
    _print(console(), found)


def _print(out: Console, found: dict[str, Any]) -> None:
    shown = table("The suite", "figure", "here", "paper", right=("here", "paper"))
    for name, figure in found["suite"].items():
        shown.add_row(name, _number(name, figure["here"]), _number(name, figure["paper"]))
    out.print(shown)
    shown = table("Services", "service", "tasks", "here", "paper", right=("tasks", "here", "paper"))
    for name, figure in found["services"].items():
        shown.add_row(name, str(figure["tasks"]), _number("share", figure["here"]), _number("share", figure["paper"]))
    out.print(shown)

    counts = ("days", "stages", "services", "events", "checks", "stage", "cross", "final", "weight", "late weight")
    shown = table("Tasks", "domain", "task", *counts, "user / notice / world / silent", right=counts)
    for row in found["tasks"]:
        kinds = " / ".join(
            str(row["kinds"].get(kind, 0)) for kind in ("user_message", "notification", "world", "mutation")
        )
        numbers = [str(row[name]) for name in counts[:5]]
        tiers = [str(row["tiers"].get(name, 0)) for name in ("stage", "cross", "final")]
        late = _number("share", row["cross and final share of weight"])
        shown.add_row(row["domain"], row["task"], *numbers, *tiers, f"{row['weight']:g}", late, kinds)
    out.print(shown)


def _number(name: str, value: float | None) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f} %" if "share" in name else f"{value:g}"
