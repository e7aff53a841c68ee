"""What the pages Overview, Analysis and Tasks show of a run, out of its summary and its lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lifegym.counting import counted
from lifegym.statistics import PASS_THRESHOLD

__all__ = ["analysis", "episode_name", "histogram", "leader", "overview", "table_of_tasks"]

Rows = Sequence[Mapping[str, Any]]

PROBES: dict[str, tuple[str, str]] = {
    "steps": ("Steps", "Actions in an episode."),
    "calls_per_turn": ("Calls a turn", "Calls before the turn was ended."),
    "longest_repeat": ("Longest repeat", "The same call in a row, at most."),
    "repeated_share": ("Repeated calls", "Share of calls in runs of the same call."),
    "duplicate_share": ("Duplicate calls", "Share of calls made before in the same turn."),
    "tool_entropy": ("Variety of tools", "Entropy of the tools called, in bits."),
    "errors_per_call": ("Refused calls", "Share of calls that were refused or malformed."),
    "recovered_share": ("Recovered", "Share of refusals followed by a changed call that was accepted."),
    "read_back_share": ("Read back", "Share of writes whose record was looked at afterwards."),
    "blind_write_share": ("Blind writes", "Share of writes to a record that nothing had shown."),
    "ended_by_agent": ("Ended by the agent", "Share of episodes whose last step was a reply or silence."),
    "claims_completion": ("Claims completion", "Share of episodes whose last reply says that it is done."),
}
"""Names of the behaviour probes for people, and what each is."""

SHARES = frozenset(name for name in PROBES if name.endswith("_share")) | {
    "errors_per_call", "ended_by_agent", "claims_completion",
}  # fmt: skip


def episode_name(row: Mapping[str, Any]) -> str:
    """An episode as addresses and files name it: ``japan-trip/canonical-0-1``."""
    return f"{row['task']}/{row['variant']}-{row['seed']}-{row['run']}"


def leader(agent: str, summary: Mapping[str, Any]) -> dict[str, Any]:
    """An agent's line of a leaderboard; figures that its run does not have are None."""
    suite = summary.get("suite", {})
    cost = summary.get("cost", {})
    k = next((name.partition("@")[2] for name in suite if name.startswith("pass@")), None)
    return {
        "agent": agent,
        "episodes": summary["episodes"],
        **{name: suite.get(name) for name in ("tasks", "avg", "max", "min", "std", "interval")},
        "k": k,
        "pass_any": suite.get(f"pass@{k}"),
        "pass_all": suite.get(f"pass^{k}"),
        **{name: cost[name]["mean"] if name in cost else None for name in ("calls", "turns", "refused", "seconds")},
        "tokens": _tokens(cost),
        "cost": cost["cost_usd"]["mean"] if "cost_usd" in cost else None,
    }


def _tokens(cost: Mapping[str, Any]) -> float | None:
    means = [cost[name]["mean"] for name in ("input_tokens", "output_tokens") if name in cost]
    return sum(means) if means else None


def overview(summary: Mapping[str, Any], rows: Rows) -> dict[str, Any]:
    """Score distribution, domains with intervals, and the episodes without a score."""
    scores = [row["score"] for row in rows if row["score"] is not None]
    domains = [
        {"name": name, "value": found["avg"], "interval": found["interval"], "note": counted(found["tasks"], "task")}
        for name, found in sorted(summary.get("domains", {}).items(), key=lambda item: (-item[1]["avg"], item[0]))
    ]
    return {
        "histogram": histogram(scores),
        "domains": domains,
        "failed": [row for row in rows if row["score"] is None],
        "threshold": PASS_THRESHOLD,
    }


def histogram(scores: Sequence[float], bins: int = 20) -> list[dict[str, float]]:
    """How many scores lie in each equal part of 0 to 100; 100 belongs to the last."""
    counts = [0] * bins
    for score in scores:
        counts[min(bins - 1, int(score * bins / 100))] += 1
    width = 100 / bins
    return [{"from": i * width, "to": (i + 1) * width, "count": count} for i, count in enumerate(counts)]


def analysis(summary: Mapping[str, Any], rows: Rows, tasks: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Parts of the score, factors, the course of the timeline, behaviour, and score against calls."""
    probes = [
        {"name": name, "label": label, "what": what, "value": value, "share": name in SHARES}
        for name, (label, what) in PROBES.items()
        if (value := summary.get("probes", {}).get(name)) is not None
    ]
    scored = [row for row in rows if row["score"] is not None]
    ticks = _ticks(max((row.get("calls", 0) for row in scored), default=0))
    return {
        "parts": {
            kind: [{"name": name, "value": value} for name, value in _ordered(kind, summary.get(kind, {}))]
            for kind in ("tiers", "axes")
        },
        "factors": [{"name": name, **found} for name, found in summary.get("factors", {}).items()],
        "position": summary.get("position", []),
        "thirds": summary.get("thirds"),
        "spearman": summary.get("spearman", {}),
        "probes": probes,
        "scatter": {
            "most": ticks[-1],
            "ticks": ticks,
            "points": [
                {
                    "name": episode_name(row),
                    "title": f"{tasks[row['task']]['title']}, run {row['run']}: {row['score']:.1f}",
                    "x": row.get("calls", 0),
                    "y": row["score"],
                    "link": bool(row.get("trajectory")),
                }
                for row in scored
            ],
        },
    }


def _ordered(kind: str, shares: Mapping[str, float]) -> list[tuple[str, float]]:
    """Tiers in the order in which they are paid, axes from the strongest to the weakest."""
    if kind == "tiers":
        return [(name, shares[name]) for name in ("stage", "cross", "final") if name in shares]
    return sorted(shares.items(), key=lambda item: (-item[1], item[0]))


def _ticks(most: float) -> list[int]:
    """Round numbers from 0 to beyond the greatest value, at most seven."""
    steps = (size * 10**power for power in range(12) for size in (1, 2, 5))
    step = next(step for step in steps if step * 6 > most)
    return list(range(0, int(most) + step + 1, step))


def table_of_tasks(
    summary: Mapping[str, Any], rows: Rows, tasks: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """A line per task of the run, also of those without a score."""
    calls: dict[str, list[float]] = {}
    for row in rows:
        if row.get("calls") is not None:
            calls.setdefault(row["task"], []).append(row["calls"])
    lines = []
    for id, facts in tasks.items():
        found = summary.get("tasks", {}).get(id, {})
        mean = sum(calls[id]) / len(calls[id]) if id in calls else None
        lines.append(
            {
                "id": id,
                **{name: facts[name] for name in ("title", "domain", "days", "events", "factors")},
                **{name: found.get(name) for name in ("runs", "avg", "max", "min", "std", "band")},
                "scores": found.get("scores", []),
                "calls": mean,
                "failed": sum(row["task"] == id and row["score"] is None for row in rows),
            }
        )
    return lines
