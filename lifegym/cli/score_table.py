"""A finished episode's score for people: by tier, axis and stage, and the checks that failed."""

from __future__ import annotations

from rich.console import Console

from lifegym.cli.console import table
from lifegym.counting import counted
from lifegym.episode import Episode

__all__ = ["passed", "points", "print_score", "stages_passed"]


def points(score: float | None) -> str:
    """A score out of 100 as text; a dash where there is none."""
    return "-" if score is None else f"{score:.1f}"


def passed(group: dict[str, float] | None) -> str:
    """``passed/checks`` of a tier, axis or stage; a dash where it has no checks."""
    return f"{group['passed']:g}/{group['checks']:g}" if group else "-"


def stages_passed(stages: dict[str, dict[str, float]]) -> str:
    """``stages whose checks all passed/stages with checks``."""
    whole = sum(group["passed"] == group["checks"] for group in stages.values())
    return f"{whole}/{len(stages)}"


def print_score(out: Console, episode: Episode) -> None:
    """Print the score of a finished episode and what became of the checks that did not pass."""
    score = episode.score()
    variant = score.variant if score.variant == "canonical" else f"{score.variant} {score.seed}"
    ending = "" if score.terminated else ", cut off at the step limit"
    out.print(f"{score.task} ({variant}): {points(score.score)} of 100{ending}")
    out.print(
        f"{counted(score.turns, 'turn')}, {counted(score.steps, 'step')}, {counted(score.calls, 'call')}, "
        f"{score.refused} refused"
    )
    groups = table("", "part", "checks passed", "weight earned", "of", right=("checks passed", "weight earned", "of"))
    for kind, parts in (("tier", score.tiers), ("axis", score.axes), ("stage", score.stages)):
        for name, group in parts.items():
            groups.add_row(f"{kind} {name}", passed(group), f"{group['earned']:g}", f"{group['total']:g}")
        groups.add_section()
    out.print(groups)
    failed = [row for row in episode.evaluation() if not row["passed"]]
    if failed:
        shown = table("Checks that failed", "check", "weight", "what must hold", "why it does not", right=("weight",))
        for row in failed:
            shown.add_row(row["id"], f"{row['weight']:g}", row["what"], row["reason"])
        out.print(shown)
    for fault in score.faults:
        out.print(f"Fault of the environment: {fault}")
