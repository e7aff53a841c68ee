"""Everything that is said of a run folder, as JSON values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from lifegym.statistics.groups import factor_deltas
from lifegym.statistics.passing import difficulty, pass_all, pass_any, suite_pass
from lifegym.statistics.probes import Probes
from lifegym.statistics.runs import suite_statistics, task_statistics
from lifegym.statistics.tallies import Numbers, PartShares, StageRates
from lifegym.statistics.uncertainty import bootstrap_mean, spearman

__all__ = ["COSTS", "summarize"]

COSTS = ("calls", "turns", "steps", "refused", "seconds", "input_tokens", "output_tokens", "cost_usd")
"""What an episode costs; the last three where the agent tells them."""


def summarize(rows: Iterable[Mapping[str, Any]], tasks: Mapping[str, Mapping[str, Any]], k: int = 3) -> dict[str, Any]:
    """The statistics of an agent's episodes.

    Every task counts the same, however many of its runs have a score; episodes without a score (the agent raised, the
    worker was lost, the environment failed) are counted and left out, never taken as 0.

    Args:
        rows: Lines of ``results.jsonl``; gone through once, and none is kept.
        tasks: Per task ``domain``, ``factors``, ``days``, ``events`` and ``stages`` (their names in order), as in the
            manifest.
        k: For pass@k and pass^k; left out where some task has fewer scored runs.

    Returns:
        ``episodes``, ``suite``, ``tasks``, ``domains``, ``tiers``, ``axes``, ``factors``, ``position``, ``thirds``,
        ``spearman``, ``probes`` and ``cost``; without a scored episode only ``episodes``.
    """
    count = 0
    ended: dict[str, list[tuple[int, int, float]]] = {}
    tiers, axes, stages = PartShares(), PartShares(), StageRates()
    probes, costs = Numbers(Probes.__dataclass_fields__), Numbers(COSTS)
    for row in rows:
        count += 1
        if row["score"] is None:
            continue
        task, usage = row["task"], row.get("usage", {})
        ended.setdefault(task, []).append((row["seed"], row["run"], row["score"]))
        tiers.add(task, row["tiers"])
        axes.add(task, row["axes"])
        stages.add(tasks[task]["stages"], row["stages"])
        probes.add(row.get("probes") or {})
        costs.add({name: row.get(name, usage.get(name)) for name in COSTS})
    scores = {task: [score for _, _, score in sorted(runs)] for task, runs in sorted(ended.items())}
    scored = sum(map(len, scores.values()))
    counts = {"all": count, "scored": scored, "failed": count - scored}
    if not scored:
        return {"episodes": counts}
    ends = stages.thirds()
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
        "tiers": tiers.means(),
        "axes": axes.means(),
        "factors": factor_deltas(averages, {task: tasks[task]["factors"] for task in averages}),
        "position": stages.curve(),
        "thirds": None if ends is None else list(ends),
        "spearman": {
            name: spearman([_size(tasks[task][name]) for task in averages], list(averages.values()))
            for name in ("events", "days", "stages")
        },
        "probes": probes.means(),
        "cost": _cost(costs),
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


def _cost(costs: Numbers) -> dict[str, dict[str, float]]:
    """Per kind of cost its mean over episodes and its sum; kinds that no episode tells are left out."""
    sums = costs.sums()
    return {name: {"mean": mean, "sum": sums[name]} for name, mean in costs.means().items() if mean is not None}
