"""From verdicts to a score: passed weight over total weight (VibeLifeBench, section 3.2)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifegym.episode import Episode

__all__ = ["Score", "score"]


@dataclass(frozen=True)
class Score:
    """The result of an episode.

    Attributes:
        task: Task id.
        variant: Its variant.
        seed: The variant's seed.
        score: 0 to 100; None where a fault of the environment marks the run.
        earned: Weight of the checks that passed.
        total: Weight of all checks.
        tiers: Per tier ``{"earned", "total", "passed", "checks"}``.
        axes: The same per axis.
        stages: The same per stage (checks of tier ``stage`` only).
        factors: The whole task's figures under each of its complexity factors, to be summed over tasks.
        checks: Check id to whether it passed.
        terminated: The timeline ran to its end; else the episode was truncated.
        steps: Actions taken.
        calls: Calls that reached a tool.
        refused: Calls that the world refused or that were malformed.
        turns: Turns taken.
        faults: Defects of the environment or the task that showed up.
    """

    task: str
    variant: str
    seed: int
    score: float | None
    earned: float
    total: float
    tiers: dict[str, dict[str, float]]
    axes: dict[str, dict[str, float]]
    stages: dict[str, dict[str, float]]
    factors: dict[str, dict[str, float]]
    checks: dict[str, bool]
    terminated: bool
    steps: int
    calls: int
    refused: int
    turns: int
    faults: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As JSON values; ``from_json`` reads it back."""
        return {**asdict(self), "faults": list(self.faults)}

    @staticmethod
    def from_json(data: dict[str, Any]) -> Score:
        """Read what ``to_json`` wrote.

        Raises:
            TypeError: A field is missing or unknown.
        """
        return Score(**{**data, "faults": tuple(data.get("faults", ()))})


def score(episode: Episode) -> Score:
    """The score of an episode: of what was decided, where it was truncated."""
    checks = episode.scenario.checks
    passed = {check.id: bool((v := episode.verdicts.get(check.id)) and v.passed) for check in checks.values()}

    def grouped(names: dict[str, str]) -> dict[str, dict[str, float]]:
        groups: dict[str, dict[str, float]] = {}
        for id, name in names.items():
            group = groups.setdefault(name, {"earned": 0.0, "total": 0.0, "passed": 0, "checks": 0})
            group["total"] += checks[id].weight
            group["checks"] += 1
            if passed[id]:
                group["earned"] += checks[id].weight
                group["passed"] += 1
        return groups

    total = math.fsum(check.weight for check in checks.values())
    earned = math.fsum(check.weight for check in checks.values() if passed[check.id])
    return Score(
        task=episode.scenario.task,
        variant=episode.scenario.variant,
        seed=episode.scenario.seed,
        score=None if episode.faults else 100 * earned / total,
        earned=earned,
        total=total,
        tiers=grouped({check.id: check.tier for check in checks.values()}),
        axes=grouped({check.id: check.axis for check in checks.values()}),
        stages=grouped({check.id: check.stage for check in checks.values() if check.tier == "stage"}),
        factors={
            factor: {"earned": earned, "total": total, "passed": sum(passed.values()), "checks": len(checks)}
            for factor in episode.scenario.factors
        },
        checks=passed,
        terminated=not episode.truncated,
        steps=episode.steps,
        calls=len(episode.history.calls),
        refused=episode.refused + sum(not call.ok for call in episode.history.calls),
        turns=len(episode.history.turns),
        faults=tuple(episode.faults),
    )
