"""An episode as an MCP server: any client of the Model Context Protocol is the agent (extra ``[mcp]``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lifegym.episode import Episode, Step
from lifegym.rollouts.sitting import Sitting
from lifegym.rollouts.worker import Caps
from lifegym.services import catalogue
from lifegym.task_suite import Task

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

__all__ = ["McpEpisode"]

AGENT = "mcp"
"""How the agent is called in records: who it is, only the client knows."""

OVER = "The period has ended; nothing more can be done."


class McpEpisode:
    """One episode for whoever connects.

    The world's tools are the server's tools, ``assistant__reply`` and ``assistant__wait`` among them; what happens next
    is in their results. The briefing, with the first event, is the server's instructions. Score and record are written
    on this side when the timeline ends, and the client is told neither.

    Args:
        task: What is played.
        variant: Its variant.
        seed: The variant's seed.
        out: A run folder for the record; None keeps none.
        caps: Limits of the episode.
        when_over: Is given the episode's line of ``results.jsonl`` when the timeline has ended.

    Raises:
        ValueError: An unknown variant, or a seed out of range.
        RunError: The folder holds another run, or cannot be written.
    """

    def __init__(
        self,
        task: Task,
        variant: str = "canonical",
        seed: int = 0,
        out: Path | None = None,
        caps: Caps = Caps(),
        when_over: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self.task = task
        self._when_over = when_over
        self._sitting = Sitting(task, AGENT, variant, seed, out, caps)

    @property
    def episode(self) -> Episode:
        """The state of the episode."""
        return self._sitting.episode

    @property
    def row(self) -> dict[str, Any] | None:
        """The line of ``results.jsonl``, once the timeline has ended."""
        return self._sitting.row

    @property
    def instructions(self) -> str:
        """What the agent is told at the beginning."""
        return self._sitting.seen["text"]

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> tuple[str, bool]:
        """Carry out a call. What is seen of it, and whether it is an error."""
        if self.episode.over:
            return OVER, True
        action = {"tool": name, "arguments": dict(arguments or {})}
        step: Step = self._sitting.step(action)
        if self.episode.over:
            row = self._sitting.finish()
            if self._when_over is not None:
                self._when_over(row)
        return step.text, step.kind == "error"

    def close(self) -> None:
        """Let go of the run folder. An episode that has not ended is not recorded."""
        self._sitting.close()

    def server(self) -> Server[Any]:
        """The server of the official SDK.

        Raises:
            ImportError: The extra ``[mcp]`` is not installed.
        """
        try:
            from mcp import types
            from mcp.server.lowlevel import Server
        except ImportError as error:
            raise ImportError("this needs the extra: pip install 'lifegym[mcp]'") from error
        from lifegym import __version__

        tools = [
            types.Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["inputSchema"],
                annotations=types.ToolAnnotations(read_only_hint=tool["annotations"]["readOnlyHint"]),
            )
            for tool in catalogue.render_tools(self.task.services, "mcp")
        ]

        async def listed(_: Any, __: Any) -> types.ListToolsResult:
            return types.ListToolsResult(tools=tools)

        async def called(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
            text, wrong = self.call(params.name, params.arguments)
            return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)

        return Server(
            "lifegym",
            version=__version__,
            title=self.task.title,
            instructions=self.instructions,
            on_list_tools=listed,
            on_call_tool=called,
        )
