"""Everything that is said of a run folder, as JSON values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from lifegym.statistics.groups import factor_deltas, part_shares, position_curve, thirds
from lifegym.statistics.passing import difficulty, pass_all, pass_any, suite_pass
from lifegym.statistics.probes import mean_probes
from lifegym.statistics.runs import suite_statistics, task_statistics
from lifegym.statistics.uncertainty import bootstrap_mean, spearman

__all__ = ["COSTS", "summarize"]

COSTS = ("calls", "turns", "steps", "refused", "seconds", "input_tokens", "output_tokens", "cost_usd")
"""What an episode costs; the last three where the agent tells them."""


def summarize(rows: Iterable[Mapping[str, Any]], tasks: Mapping[str, Mapping[str, Any]], k: int = 3) -> dict[str, Any]:
    """The statistics of an agent's episodes.

    Every task counts the same, however many of its runs have a score; episodes without a score (the agent raised, the
    worker was lost, the environment failed) are counted and left out, never taken as 0.

    Args:
        rows: Lines of ``results.jsonl``; gone through several times, and held in memory if they come from an iterator.
        tasks: Per task ``domain``, ``factors``, ``days``, ``events`` and ``stages`` (their names in order), as in the
            manifest.
        k: For pass@k and pass^k; left out where some task has fewer scored runs.

    Returns:
        ``episodes``, ``suite``, ``tasks``, ``domains``, ``tiers``, ``axes``, ``factors``, ``position``, ``thirds``,
        ``spearman``, ``probes`` and ``cost``; without a scored episode only ``episodes``.
    """
    every = rows if isinstance(rows, Collection) else list(rows)
    ended = sorted((row["task"], row["seed"], row["run"], row["score"]) for row in every if row["score"] is not None)
    counts = {"all": len(every), "scored": len(ended), "failed": len(every) - len(ended)}
    if not ended:
        return {"episodes": counts}

    def scored() -> Iterator[dict[str, Any]]:
        for row in every:
            if row["score"] is not None:
                yield {**row, "stage_order": tasks[row["task"]]["stages"]}

    scores: dict[str, list[float]] = {}
    for task, _, _, score in ended:
        scores.setdefault(task, []).append(score)
    averages = {task: task_statistics(runs).avg for task, runs in scores.items()}
    domains: dict[str, list[str]] = {}
    for task in averages:
        domains.setdefault(tasks[task]["domain"], []).append(task)
    return {
        "episodes": counts,
        "suite": {
            **asdict(suite_statistics(scores)),
            "interval": list(bootstrap_mean(list(averages.values()))[1:]),
            **(suite_pass(scores, k) or {}),
        },
        "tasks": {task: _task(runs, tasks[task]["domain"], k) for task, runs in scores.items()},
        "domains": {name: _domain([averages[task] for task in members]) for name, members in domains.items()},
        "tiers": part_shares(scored(), "tiers"),
        "axes": part_shares(scored(), "axes"),
        "factors": factor_deltas(averages, {task: tasks[task]["factors"] for task in averages}),
        "position": position_curve(scored()),
        "thirds": thirds(scored()),
        "spearman": {
            name: spearman([_size(tasks[task][name]) for task in averages], list(averages.values()))
            for name in ("events", "days", "stages")
        },
        "probes": mean_probes(row["probes"] for row in scored() if row.get("probes")),
        "cost": _cost(scored()),
    }


def _size(value: Any) -> float:
    return float(len(value)) if isinstance(value, Sequence) else float(value)


def _task(runs: list[float], domain: str, k: int) -> dict[str, Any]:
    found = task_statistics(runs)
    passes = {f"pass@{k}": pass_any(runs, k), f"pass^{k}": pass_all(runs, k)} if len(runs) >= k else {}
    return {"domain": domain, **asdict(found), **passes, "band": difficulty(found.avg), "scores": runs}


def _domain(averages: list[float]) -> dict[str, Any]:
    interval = bootstrap_mean(averages)
    return {"tasks": len(averages), "avg": interval.mean, "interval": [interval.low, interval.high]}


def _cost(rows: Iterable[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """Per kind of cost its mean over episodes and its sum; kinds that no episode tells are left out."""
    told: dict[str, list[float]] = {name: [] for name in COSTS}
    for row in rows:
        for name, values in told.items():
            value = row.get(name, row.get("usage", {}).get(name))
            if isinstance(value, (int, float)):
                values.append(float(value))
    return {
        name: {"mean": float(np.mean(values)), "sum": float(np.sum(values))} for name, values in told.items() if values
    }
