"""An episode as a person reads it: date, stage, turn, what happened, calls."""

from __future__ import annotations

import io
from typing import Any

import orjson
from rich.console import Console
from rich.text import Text

from lifegym.episode import Step

__all__ = ["Renderer"]

_STYLE = {
    "user_message": "bold cyan",
    "notification": "yellow",
    "world": "magenta",
    "reminder": "green",
    "alert": "green",
    "result": "dim",
    "error": "red",
    "end": "bold",
}
_LONG = 400


class Renderer:
    """Writes steps to a console.

    Args:
        mode: ``human`` prints at once, ``ansi`` keeps the text for ``take``.
    """

    def __init__(self, mode: str) -> None:
        self._buffer = io.StringIO() if mode == "ansi" else None
        self._console = Console(file=self._buffer, width=100) if self._buffer else Console()

    def begin(self, title: str, text: str) -> None:
        """Show the beginning of an episode."""
        self._console.rule(Text(title))
        self._console.print(Text(text))

    def step(self, action: Any, step: Step, time: str) -> None:
        """Show an action and what came of it."""
        self._console.print(Text(f"{time[11:19]} > {_call(action)}", style="blue"), soft_wrap=True)
        answer = step.kind in ("result", "error")  # JSON, which is not wrapped at words
        text = step.text if len(step.text) <= _LONG or not answer else step.text[:_LONG] + " ..."
        self._console.print(Text(text, style=_STYLE.get(step.kind, "")), soft_wrap=answer)
        if step.reward:
            self._console.print(Text(f"+{100 * step.reward:.2f}", style="bold green"))

    def take(self) -> str | None:
        """What was written since the last call; None where it was printed at once."""
        if self._buffer is None:
            return None
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        return text

    def __reduce__(self) -> tuple[Any, ...]:
        return (Renderer, ("ansi" if self._buffer is not None else "human",))


def _call(action: Any) -> str:
    try:
        text = orjson.dumps(action).decode()
    except Exception:  # an agent may send objects of any kind, even such as cannot be shown
        try:
            text = ascii(action)
        except Exception:
            text = "(something that cannot be shown)"
    return text if len(text) <= _LONG else text[:_LONG] + " ..."
