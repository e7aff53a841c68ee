"""The garbage collector, kept from walking through what is being built and stays."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["collect_seldom", "collecting_seldom"]

_OBJECTS = 300_000
"""So many new objects before the collector looks: a loaded task has tens of thousands, and hardly a cycle."""


def collect_seldom() -> None:
    """Let the collector of this process look seldom, from now on. Where it was turned off it stays so."""
    first, *others = gc.get_threshold()
    if first:
        gc.set_threshold(max(first, _OBJECTS), *others)


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Let the collector look seldom for a while."""
    before = gc.get_threshold()
    collect_seldom()
    try:
        yield
    finally:
        gc.set_threshold(*before)
