"""How a turn ends: a reply to the user, or silence. The episode carries these out."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import Service
from lifegym.services.tools import tool

__all__ = ["Assistant"]


class Assistant(Service):
    """The assistant's own two moves."""

    name = "assistant"
    title = "Speaking to the user"

    @tool(write=True)
    def reply(self, text: str) -> dict[str, Any]:
        """Say something to the user and end the turn.

        The next thing you see is what happens next, which may be days later.

        Args:
            text: What the user reads. Short: facts first, at most 120 words.
        """
        return {"text": text}

    @tool(write=True)
    def wait(self) -> dict[str, Any]:
        """End the turn in silence: nothing needs to be said now.

        The next thing you see is what happens next, which may be days later.
        """
        return {}
