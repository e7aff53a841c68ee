"""``lifegym mcp``: a task as an MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lifegym.cli.console import console, refuse, warn
from lifegym.cli.finding import find_task
from lifegym.counting import counted

__all__ = ["mcp"]


def mcp(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Id of a task, or the folder of a bundle.")],
    variant: Annotated[str, typer.Option(help="canonical, train or test.")] = "canonical",
    seed: Annotated[int, typer.Option(help="The variant's seed.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Run folder in which the episode is recorded.")] = None,
    http: Annotated[
        int | None, typer.Option(metavar="PORT", help="Serve streamable HTTP at /mcp on this port instead of stdio.")
    ] = None,
) -> None:
    """Serve a task to any client of the Model Context Protocol, over stdio or streamable HTTP (on 127.0.0.1 only).

    The world's tools are the server's tools; assistant__reply and assistant__wait end a turn, and what happens next is
    in their results. The score is printed on stderr when the timeline has ended, and recorded with --out.
    """
    from lifegym.rollouts import RunError
    from lifegym.rollouts.mcp_server import McpEpisode
    from lifegym.task_suite import BundleError

    found = find_task(task)
    try:
        episode = McpEpisode(found, variant, seed, out, when_over=_tell)
        server = episode.server()
    except (RunError, BundleError, ValueError, ImportError) as error:
        refuse(str(error))
    import anyio
    from mcp.server.stdio import stdio_server

    async def over_stdio() -> None:
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    try:
        if http is None:
            anyio.run(over_stdio)
        else:
            import uvicorn

            warn(f"serving http://127.0.0.1:{http}/mcp; Ctrl-C ends it")
            uvicorn.run(server.streamable_http_app(), host="127.0.0.1", port=http, log_level="warning")
    except KeyboardInterrupt:
        pass
    finally:
        episode.close()
    if episode.row is None:
        warn("the timeline has not ended; nothing was scored")


def _tell(row: dict[str, Any]) -> None:
    """The score, on this side only."""
    score = "-" if row["score"] is None else f"{row['score']:.1f}"
    console(stderr=True).print(f"score {score}, {counted(row['calls'], 'call')}")
