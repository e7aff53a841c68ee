"""What is read out of texts, remembered for those that are read again and again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

__all__ = ["remembered"]

T = TypeVar("T")

_LONG = 20_000
"""A text of more characters is not remembered: a few thousand of them would fill the memory."""


def remembered(count: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """Let a function of a text remember what it gave for the last texts.

    Args:
        count: Of how many texts.
    """

    def wrap(read: Callable[[str], T]) -> Callable[[str], T]:
        known = lru_cache(maxsize=count)(read)
        return lambda text: read(text) if isinstance(text, str) and len(text) > _LONG else known(text)

    return wrap
