"""What happened so far in an episode, beside the world: turns, calls, events."""

from __future__ import annotations

from typing import Any, NamedTuple

from lifegym.world.frozen import FrozenDict

__all__ = ["Fired", "History", "LoggedCall", "Turn"]


class LoggedCall(NamedTuple):
    """A call that reached a tool.

    Attributes:
        turn: Index of its turn.
        time: When, in seconds.
        tool: ``service.tool``.
        arguments: As validated.
        ok: Whether the world accepted it.
        code: "" or the error's code.
        write: Whether the tool writes.
    """

    turn: int
    time: int
    tool: str
    arguments: FrozenDict
    ok: bool
    code: str
    write: bool


class Turn(NamedTuple):
    """A turn of the agent.

    Attributes:
        number: From 0.
        kind: Kind of its first opening.
        events: Ids of the timeline events that opened it; empty where the agent's own reminder or alert did.
        stage: Stage in which it opened.
        opened: When, in seconds.
        first_call: How many calls were logged before it.
        closed: When it ended; -1 while it goes on.
        ended_by: ``reply``, ``wait`` or "" while it goes on.
        reply: The text said to the user.
        text: What the agent was told.
    """

    number: int
    kind: str
    events: tuple[str, ...]
    stage: str
    opened: int
    first_call: int
    closed: int = -1
    ended_by: str = ""
    reply: str = ""
    text: str = ""


class Fired(NamedTuple):
    """A timeline event that has happened: when, whether its condition held, what its effects touched."""

    at: int
    held: bool
    touched: tuple[str, ...]


class History:
    """The ordered record of an episode. Lists only grow, so a fork copies references.

    Attributes:
        calls: All of them; ``log`` adds one.
        by_tool: The same, by tool.
        turns: All of them.
        fired: By id of the event.
    """

    __slots__ = ("by_tool", "calls", "fired", "turns")

    def __init__(self) -> None:
        self.calls: list[LoggedCall] = []
        self.by_tool: dict[str, tuple[LoggedCall, ...]] = {}
        self.turns: list[Turn] = []
        self.fired: dict[str, Fired] = {}

    def log(self, call: LoggedCall) -> None:
        """Add a call."""
        self.calls.append(call)
        self.by_tool[call.tool] = (*self.by_tool.get(call.tool, ()), call)

    def fork(self) -> History:
        other = History.__new__(History)
        other.calls = self.calls.copy()
        other.by_tool = self.by_tool.copy()
        other.turns = self.turns.copy()
        other.fired = self.fired.copy()
        return other

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
