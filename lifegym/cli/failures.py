"""Episodes without a score, as commands tell them: how many, why, and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lifegym.cli.console import warn
from lifegym.counting import counted

__all__ = ["tell_failures"]

MOST = 10
"""So many reasons are told: an agent may raise with another text in each of a thousand episodes."""

NEXT = {
    "agent": "mend the agent",
    "environment": "lifegym verify TASK looks for what is wrong with a task",
    "worker": "give episodes more time (--episode-timeout), or workers more memory (fewer --workers)",
}
"""What to do, by what failed: the first word of a reason."""


def tell_failures(rows: Iterable[Mapping[str, Any]], more: str) -> None:
    """Say on stderr which episodes have no score: each reason once, the most frequent first. Says nothing of others.

    Args:
        rows: Lines of ``results.jsonl``, of all episodes.
        more: Where more is told of each, and how they are played again.
    """
    counts: dict[str, int] = {}
    first: dict[str, str] = {}
    played = 0
    for row in rows:
        played += 1
        if row["score"] is None:
            reason = str(row.get("error"))
            counts[reason] = counts.get(reason, 0) + 1
            first.setdefault(reason, f"{row['task']} seed {row['seed']} run {row['run']}")
    if not counts:
        return
    warn(f"{sum(counts.values())} of {counted(played, 'episode')} without a score:")
    told = sorted(counts, key=lambda reason: -counts[reason])
    for reason in told[:MOST]:
        place = first[reason] if counts[reason] == 1 else f"{first[reason]} and {counts[reason] - 1} more"
        warn(f"  {counts[reason]} x {reason} ({place})")
    if len(told) > MOST:
        warn(f"  and {counted(len(told) - MOST, 'other reason')}")
    steps = [step for kind, step in NEXT.items() if any(reason.startswith(f"{kind}: ") for reason in counts)]
    warn("next: " + "; ".join([*steps, more]))
