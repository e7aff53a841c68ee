"""``lifegym agents``: who can play."""

from __future__ import annotations

import inspect

from lifegym.cli.console import console, table

__all__ = ["agents"]


def agents() -> None:
    """List the agents that `lifegym run --agent` knows by name."""
    from lifegym.baselines import BUILT_IN, agent_names

    shown = table("", "agent", "what it does")
    for name in agent_names():
        text = inspect.getdoc(BUILT_IN[name]) if name in BUILT_IN else "from an installed package"
        shown.add_row(name, (text or "").partition("\n\n")[0].replace("\n", " ").replace("``", "`"))
    out = console()
    out.print(shown)
    out.print("Any other class or factory is named by module:attribute. lifegym evaluate --set gives settings.")
