"""``lifegym tools``: a task's tools as a model's provider wants them."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from lifegym.cli.console import print_json, refuse
from lifegym.cli.finding import find_task

__all__ = ["tools"]


def tools(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, or the folder of a bundle.")],
    format: Annotated[
        str, typer.Option("--format", "-f", help="Whose form: openai, anthropic, mcp or json-schema.")
    ] = "openai",
) -> None:
    """Print the tools of a task as JSON, in a model provider's form."""
    from lifegym.services import catalogue

    try:
        print_json(catalogue.render_tools(find_task(task).services, cast(catalogue.Format, format)))
    except ValueError as error:
        refuse(str(error))
