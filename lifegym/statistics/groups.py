"""Parts of a score: tiers, axes, domains, complexity factors, and the place of a stage in its task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from lifegym.statistics.tallies import PartShares, StageRates
from lifegym.statistics.uncertainty import permutation_p

__all__ = ["factor_deltas", "group_means", "part_shares", "position_curve", "thirds"]


def part_shares(rows: Iterable[Mapping[str, Any]], kind: str) -> dict[str, float]:
    """Earned over total weight per tier or axis, in percent: the mean over tasks of the mean over their runs.

    Args:
        rows: Episodes with a score, as in ``results.jsonl``.
        kind: ``tiers`` or ``axes``.
    """
    shares = PartShares()
    for row in rows:
        shares.add(row["task"], row[kind])
    return shares.means()


def group_means(averages: Mapping[str, float], groups: Mapping[str, Iterable[str]]) -> dict[str, float]:
    """Mean of the tasks' averages in each group, such as a domain. Groups without a scored task are left out."""
    found = {}
    for group, tasks in groups.items():
        values = [averages[task] for task in tasks if task in averages]
        if values:
            found[group] = float(np.mean(values))
    return found


def factor_deltas(
    averages: Mapping[str, float], factors: Mapping[str, Iterable[str]], seed: int = 0
) -> dict[str, dict[str, float | int | None]]:
    """Per complexity factor: the tasks with it against those without (LiveClawBench, arXiv 2604.13072).

    Args:
        averages: Average score per task.
        factors: The factors of each task.
        seed: For the permutation test.

    Returns:
        Per factor ``with``, ``without`` (means), ``delta`` (with - without), ``p`` (permutation test), ``tasks`` (how
        many have it); None where there is nothing to compare with.
    """
    own = {task: set(factors.get(task, ())) for task in averages}
    found: dict[str, dict[str, float | int | None]] = {}
    for factor in sorted({name for names in own.values() for name in names}):
        having = [averages[task] for task in averages if factor in own[task]]
        lacking = [averages[task] for task in averages if factor not in own[task]]
        there, elsewhere = float(np.mean(having)), float(np.mean(lacking)) if lacking else None
        found[factor] = {
            "with": there,
            "without": elsewhere,
            "delta": None if elsewhere is None else there - elsewhere,
            "p": permutation_p(having, lacking, seed=seed),
            "tasks": len(having),
        }
    return found


def position_curve(rows: Iterable[Mapping[str, Any]], bins: int = 10) -> list[dict[str, float]]:
    """The pass rate of stage checks by the place of their stage in the task (VibeLifeBench, section 5).

    A stage's place is its number over the number of stages less one, from 0 to 1; its pass rate is its passed over all
    its checks. Stages without checks say nothing.

    Args:
        rows: Episodes with a score.
        bins: How many equal parts the timeline is cut into.

    Returns:
        Per part that has stages: ``from``, ``to``, ``rate`` (percent, mean over stages), ``stages``.

    Raises:
        ValueError: bins is below 1.
    """
    if bins < 1:
        raise ValueError(f"there is at least one bin, not {bins}")
    return _stage_rates(rows).curve(bins)


def thirds(rows: Iterable[Mapping[str, Any]]) -> tuple[float, float] | None:
    """Mean pass rate of the stages in the first and in the last third of their tasks; None where one has none."""
    return _stage_rates(rows).thirds()


def _stage_rates(rows: Iterable[Mapping[str, Any]]) -> StageRates:
    rates = StageRates()
    for row in rows:
        rates.add(row["stage_order"], row["stages"])
    return rates
