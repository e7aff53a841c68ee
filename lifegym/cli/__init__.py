"""The ``lifegym`` command. Commands import what they need when they run, so that help is there at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from lifegym.cli.act import act
from lifegym.cli.agents import agents
from lifegym.cli.evaluate import evaluate
from lifegym.cli.explain import explain
from lifegym.cli.list_tasks import list_tasks
from lifegym.cli.mcp import mcp
from lifegym.cli.new import new
from lifegym.cli.play import play
from lifegym.cli.report import board, compare, report
from lifegym.cli.run import run
from lifegym.cli.runs import export, rescore, runs
from lifegym.cli.score import score
from lifegym.cli.services import services
from lifegym.cli.show import show
from lifegym.cli.stats import stats
from lifegym.cli.tools import tools
from lifegym.cli.train import train
from lifegym.cli.verify import verify
from lifegym.cli.world import world

__all__ = ["app", "main"]

app = typer.Typer(
    name="lifegym",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from lifegym import __version__

        print(f"lifegym {__version__}")
        raise typer.Exit


@app.callback()
def lifegym(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Weeks of a person's life as environments for tool-calling agents.

    A task is named by its id (see `lifegym list`) or by the folder of a bundle, such as ./my-task.
    """


_COMMANDS: dict[str, Callable[..., None]] = {
    "list": list_tasks,
    "show": show,
    "stats": stats,
    "run": run,
    "evaluate": evaluate,
    "runs": runs,
    "train": train,
    "rescore": rescore,
    "export": export,
    "report": report,
    "compare": compare,
    "board": board,
    "play": play,
    "act": act,
    "mcp": mcp,
    "score": score,
    "tools": tools,
    "services": services,
    "agents": agents,
    "verify": verify,
    "explain": explain,
    "new": new,
    "world": world,
}
for _name, _command in _COMMANDS.items():
    app.command(_name)(_command)


def main() -> None:
    """The entry point of the console script."""
    app(prog_name="lifegym")
