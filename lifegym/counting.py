"""How many of something, for people to read."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """``1 episode``, ``60 episodes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
