"""pass@k and pass^k (LiveClawBench, arXiv 2604.13072: a run passes if its reward is above 0.8), and difficulty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb
from typing import Literal

import numpy as np

__all__ = ["PASS_THRESHOLD", "difficulty", "pass_all", "pass_any", "suite_pass"]

PASS_THRESHOLD = 80.0
"""A run passes with a score above it."""

Difficulty = Literal["easy", "medium", "hard"]


def _passed(scores: Sequence[float], k: int, threshold: float) -> tuple[int, int]:
    n = len(scores)
    if not 1 <= k <= n:
        raise ValueError(f"k is from 1 to the number of runs, {n}, not {k}")
    return n, sum(score > threshold for score in scores)


def pass_any(scores: Sequence[float], k: int, threshold: float = PASS_THRESHOLD) -> float:
    """pass@k: the chance that at least one of k runs passes.

    Over all choices of k of the n runs, which is unbiased for k < n; for k = n it is whether any passed.

    Raises:
        ValueError: k is below 1, or there are fewer than k runs.
    """
    n, passed = _passed(scores, k, threshold)
    return 1.0 - comb(n - passed, k) / comb(n, k)


def pass_all(scores: Sequence[float], k: int, threshold: float = PASS_THRESHOLD) -> float:
    """pass^k: the chance that all of k runs pass, over all choices of k of the n runs.

    Raises:
        ValueError: k is below 1, or there are fewer than k runs.
    """
    n, passed = _passed(scores, k, threshold)
    return comb(passed, k) / comb(n, k)


def suite_pass(
    scores: Mapping[str, Sequence[float]], k: int, threshold: float = PASS_THRESHOLD
) -> dict[str, float] | None:
    """Means over tasks: ``{"pass@k", "pass^k"}``; None where some task has fewer than k scored runs."""
    runs = [list(values) for values in scores.values()]
    if not runs or any(len(values) < k for values in runs):
        return None
    return {
        f"pass@{k}": float(np.mean([pass_any(values, k, threshold) for values in runs])),
        f"pass^{k}": float(np.mean([pass_all(values, k, threshold) for values in runs])),
    }


def difficulty(average: float) -> Difficulty:
    """The band of a task by the average score of an anchor agent: easy above 70, hard up to 30, medium between.

    Raises:
        ValueError: The average is outside 0 to 100.
    """
    if not 0 <= average <= 100:
        raise ValueError(f"an average score is from 0 to 100, not {average!r}")
    return "easy" if average > 70 else "medium" if average > 30 else "hard"
