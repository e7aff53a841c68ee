"""How much of the weight still open would be paid if every check were decided now: a potential for shaped rewards."""

from __future__ import annotations

from lifegym.checks.check import Check
from lifegym.checks.evaluation import decide
from lifegym.checks.evidence import Evidence
from lifegym.checks.kept import Standing, same, standing
from lifegym.episode import Episode

__all__ = ["Potential"]


class Potential:
    """The potential of an episode, worked out again only where what a check reads has changed.

    A check counts if it is open (its stage has not closed), no rule of it was tripped, what was sampled of it so far
    holds, and it holds at this moment.

    Args:
        episode: Which. Another one begins anew.
    """

    def __init__(self, episode: Episode) -> None:
        self.episode = episode
        self._known: dict[str, tuple[Standing, bool]] = {}

    def fork(self, episode: Episode) -> Potential:
        """The potential of a fork of the episode. What reads the same there needs no second look.

        Args:
            episode: The fork.
        """
        other = Potential(episode)
        other._known = self._known.copy()
        return other

    def __call__(self) -> float:
        """The share of the task's whole weight, from 0 to 1; 0 when the episode is over."""
        episode = self.episode
        if episode.over:
            return 0.0
        evidence = episode.evidence()
        weight = sum(
            check.weight
            for check in episode.scenario.checks.values()
            if check.id not in episode.verdicts and episode.may_hold(check) and self._holds(check, evidence)
        )
        evidence.rest()
        return weight / episode.scenario.total_weight

    def _holds(self, check: Check, evidence: Evidence) -> bool:
        stands = standing(check.reads, evidence)
        known = self._known.get(check.id)
        if known is not None and same(known[0], stands):
            return known[1]
        holds = decide(check, evidence).passed
        if stands is not None:
            self._known[check.id] = (stands, holds)
        return holds
