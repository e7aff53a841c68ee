"""What statistics need of episodes, gathered in one pass: a few bytes an episode, however long its line is."""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

__all__ = ["Numbers", "PartShares", "StageRates"]


class Numbers:
    """Numbers of episodes by their names, such as costs or probes.

    Args:
        names: What is looked for; whatever an episode does not tell as a number is left out.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._told = {name: array("d") for name in names}

    def add(self, row: Mapping[str, Any]) -> None:
        """Of one more episode."""
        for name, told in self._told.items():
            value = row.get(name)
            if isinstance(value, (int, float)):
                told.append(value)

    def means(self) -> dict[str, float | None]:
        """The mean of each; None where no episode told it."""
        return {name: float(np.mean(told)) if told else None for name, told in self._told.items()}

    def sums(self) -> dict[str, float]:
        """The sum of each, in the order in which they were told."""
        return {name: float(np.sum(told)) for name, told in self._told.items()}


class PartShares:
    """Earned over total weight of the parts of a score, in percent."""

    def __init__(self) -> None:
        self._shares: dict[str, dict[str, array[float]]] = defaultdict(lambda: defaultdict(lambda: array("d")))

    def add(self, task: str, parts: Mapping[str, Mapping[str, float]]) -> None:
        """Of one more episode: the ``earned`` and ``total`` weight of each of its parts."""
        for name, part in parts.items():
            self._shares[name][task].append(100 * part["earned"] / part["total"])

    def means(self) -> dict[str, float]:
        """Per part the mean over tasks of the mean over their runs."""
        return {
            name: float(np.mean([np.mean(runs) for runs in tasks.values()]))
            for name, tasks in sorted(self._shares.items())
        }


class StageRates:
    """The pass rates of stages, by the place of the stage in its task from 0 (the first) to 1 (the last).

    Among millions of stages there are few different places and rates, so they are counted.
    """

    def __init__(self) -> None:
        self._counted: Counter[tuple[float, float]] = Counter()

    def add(self, order: Sequence[str], stages: Mapping[str, Mapping[str, float]]) -> None:
        """Of one more episode: ``passed`` and ``checks`` of its stages, and the order of all stages of its task."""
        last = max(1, len(order) - 1)
        for i, stage in enumerate(order):
            if stage in stages:
                self._counted[i / last, 100 * stages[stage]["passed"] / stages[stage]["checks"]] += 1

    def curve(self, bins: int = 10) -> list[dict[str, float]]:
        """As of ``position_curve``."""
        parts: list[Counter[float]] = [Counter() for _ in range(bins)]
        for (place, rate), count in self._counted.items():
            parts[min(int(place * bins), bins - 1)][rate] += count
        return [
            {"from": i / bins, "to": (i + 1) / bins, "rate": _mean(rates), "stages": rates.total()}
            for i, rates in enumerate(parts)
            if rates
        ]

    def thirds(self) -> tuple[float, float] | None:
        """As of the function ``thirds``."""
        first, last = Counter[float](), Counter[float]()
        for (place, rate), count in self._counted.items():
            if place <= 1 / 3:
                first[rate] += count
            elif place >= 2 / 3:
                last[rate] += count
        return (_mean(first), _mean(last)) if first and last else None


def _mean(counted: Counter[float]) -> float:
    return math.fsum(value * count for value, count in counted.items()) / counted.total()
