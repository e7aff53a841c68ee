"""Measured numbers: how they are taken, and how they are printed beside their bounds."""

from __future__ import annotations

import gc
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

WARM_UP = 5
AT_LEAST = ("times", "/s", "points")
ENVS = 50  # over how many the memory of a further one is taken


class Figure(NamedTuple):
    """One measured number.

    Attributes:
        name: What was measured.
        value: The median.
        unit: ``s``, ``bytes``, ``share``, ``times``, ``/s`` or ``points``.
        bound: What it should be at most (``times``, ``/s`` and ``points``: at least); None where it only informs.
        note: What was called, or how it compares.
    """

    name: str
    value: float
    unit: str = "s"
    bound: float | None = None
    note: str = ""

    @property
    def ok(self) -> bool | None:
        """Whether it keeps its bound."""
        if self.bound is None:
            return None
        return self.value >= self.bound if self.unit in AT_LEAST else self.value <= self.bound


def timed(function: Callable[[], Any]) -> float:
    """Seconds of one call."""
    begin = time.perf_counter_ns()
    function()
    return (time.perf_counter_ns() - begin) / 1e9


def median(function: Callable[[], Any], repeats: int) -> float:
    """Median seconds of a call, after a warm-up."""
    for _ in range(min(WARM_UP, max(1, repeats // 5))):
        function()
    return statistics.median(timed(function) for _ in range(repeats))


def held(make: Callable[[], Any]) -> float:
    """Bytes that a further object holds on to, over many of them. What all of them share is counted before."""
    make()
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        made = [make() for _ in range(ENVS)]
        gc.collect()
        return (tracemalloc.get_traced_memory()[0] - before) / len(made)
    finally:
        tracemalloc.stop()


def shown(value: float, unit: str) -> str:
    """A number with a unit that suits it."""
    if unit == "times":
        return f"{value:,.2f} x" if value < 10 else f"{value:,.0f} x"
    if unit == "points":
        return f"{value:.1f} points"
    if unit == "/s":
        return f"{value:,.1f} /s"
    if unit == "share":
        return f"{100 * value:.1f} %"
    scales = ((1e6, "MB"), (1e3, "KB"), (1, "B")) if unit == "bytes" else ((1, "s"), (1e-3, "ms"), (1e-6, "us"))
    scale, name = next(((s, n) for s, n in scales if value >= s), scales[-1])
    return f"{value / scale:.3g} {name}"


def report(figures: list[Figure]) -> None:
    """Print figures for people."""
    for figure in figures:
        bound = verdict = ""
        if figure.bound is not None:
            bound = f"{'>=' if figure.unit in AT_LEAST else '<='} {shown(figure.bound, figure.unit)}"
            verdict = "ok" if figure.ok else "MISSED"
        print(f"{figure.name:46}{shown(figure.value, figure.unit):>10}  {bound:16}{verdict:8}{figure.note}".rstrip())
