"""How sure a mean is, and whether two groups differ: bootstrap and permutation, each with its own seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Interval", "bootstrap_mean", "paired_difference", "permutation_p", "spearman"]

RESAMPLES = 10_000


class Interval(NamedTuple):
    """A mean and the ends of its confidence interval; without a spread to resample both ends are the mean."""

    mean: float
    low: float
    high: float


def bootstrap_mean(
    values: Sequence[float], confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The mean over tasks with its percentile bootstrap interval: tasks are drawn again with replacement.

    Tasks are what is drawn, not runs: the question is how the mean would be on other tasks of the kind.

    Raises:
        ValueError: There are no values, or the confidence is not between 0 and 1.
    """
    if not len(values):
        raise ValueError("a mean of nothing has no interval")
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence!r}")
    sample = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    means = np.concatenate(
        [
            sample[rng.integers(len(sample), size=(min(1000, resamples - done), len(sample)))].mean(axis=1)
            for done in range(0, resamples, 1000)
        ]
    )
    tail = 50 * (1 - confidence)
    low, high = np.percentile(means, [tail, 100 - tail])
    return Interval(float(sample.mean()), float(low), float(high))


def paired_difference(
    first: Sequence[float], second: Sequence[float], confidence: float = 0.95, seed: int = 0
) -> Interval:
    """The mean of ``second - first`` over tasks, paired by task, with its bootstrap interval.

    Raises:
        ValueError: They are not of equal length, or empty.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values are no pairs")
    return bootstrap_mean(np.asarray(second, dtype=float) - np.asarray(first, dtype=float), confidence, seed=seed)


def permutation_p(
    first: Sequence[float], second: Sequence[float], permutations: int = RESAMPLES, seed: int = 0
) -> float | None:
    """The two-sided p-value of the difference of two groups' means under random relabelling.

    The observed labelling counts as one of them (so it is never 0). None where a group is empty.
    """
    if not len(first) or not len(second):
        return None
    both = np.concatenate([np.asarray(first, dtype=float), np.asarray(second, dtype=float)])
    size = len(first)

    def difference(values: np.ndarray) -> float:
        return abs(float(values[:size].mean() - values[size:].mean()))

    observed = difference(both)
    rng = np.random.default_rng(seed)
    hits = sum(difference(rng.permutation(both)) >= observed - 1e-12 for _ in range(permutations))
    return (hits + 1) / (permutations + 1)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray((last - (counts - 1) / 2)[inverse], dtype=float)


def spearman(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation, ties by mean ranks. None with fewer than three pairs, or where one side is constant.

    Raises:
        ValueError: They are not of equal length.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values are no pairs")
    if len(first) < 3:
        return None
    one, other = _ranks(np.asarray(first, dtype=float)), _ranks(np.asarray(second, dtype=float))
    one, other = one - one.mean(), other - other.mean()
    size = float(np.sqrt((one**2).sum() * (other**2).sum()))
    return float((one * other).sum()) / size if size else None
