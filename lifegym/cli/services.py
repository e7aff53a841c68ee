"""``lifegym services``: the simulated services and their tools."""

from __future__ import annotations

from typing import Annotated

import typer

from lifegym.cli.console import console, grid, refuse, table
from lifegym.cli.finding import nearest

__all__ = ["services"]


def services(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show the tools of this service instead.")] = None,
) -> None:
    """List the services, or the tools of one with their parameters."""
    from lifegym.services import catalogue

    if name is not None:
        _tools_of(name)
        return
    shown = table("", "service", "what it is", "tools", "of them write", right=("tools", "of them write"))
    for service in [*catalogue.SERVICES, *catalogue.ALWAYS]:
        specs = catalogue.tools_of(service).values()
        writes = sum(spec.write for spec in specs)
        shown.add_row(service, catalogue.service_class(service).title, str(len(specs)), str(writes))
    console().print(shown)


def _tools_of(name: str) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from lifegym.services import catalogue
    from lifegym.services.parameters import parameters

    known = [*catalogue.SERVICES, *catalogue.ALWAYS]
    if name not in known:
        refuse(f"there is no service {name!r}; {nearest(name, known)}")
    out = console()
    out.print(f"{name}: {catalogue.service_class(name).title}\n")
    for spec in catalogue.tools_of(name).values():
        out.print(Text(spec.name, style="bold").append("  writes" if spec.write else "  reads", style="dim"))
        out.print(Padding(spec.description, (0, 0, 0, 2)))
        fields = grid()
        for parameter in parameters(spec):
            required = "required" if parameter.required else "optional"
            fields.add_row(parameter.name, f"{parameter.form}, {required}. {parameter.description}")
        out.print(Padding(fields, (0, 0, 1, 4)))
