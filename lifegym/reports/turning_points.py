"""What earned or lost a check: the last thing that happened after which it stood as it was decided."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from lifegym.checks.check import Verdict
from lifegym.checks.evaluation import decide, trips
from lifegym.checks.evidence import Evidence
from lifegym.checks.kept import standing
from lifegym.reports.retelling import Point, Retelling

__all__ = ["TurningPoint", "turning_points"]


class TurningPoint(NamedTuple):
    """Where a check was decided in fact.

    Attributes:
        how: ``earned``: from here on it held. ``lost``: it held before. ``tripped``: a rule was broken here. ``never``:
            it held at no turn. ``always``: it held from the beginning. ``time``: nothing happened, time passed.
        by: ``step`` or ``opening`` (what the timeline did before a turn); "" where nothing is to be pointed at.
        step: Number of the step; for an opening, of the step that ended the turn before; 0 for none.
    """

    how: str
    by: str = ""
    step: int = 0


def turning_points(episode: Retelling) -> dict[str, TurningPoint]:
    """The turning point of every check that was decided.

    Turns' ends are looked at from the last one before the verdict backwards, then the steps of the turn in which the
    check changed, by halves. A check that changes and changes back within one turn shows one of these places.
    """
    evidence = [Evidence(episode.scenario, point.world, point.history, episode.kept) for point in episode.points]
    ends = [i for i, point in enumerate(episode.points) if _ends_turn(point)]
    found = {id: _Search(episode, id, verdict, evidence, ends).found() for id, verdict in episode.verdicts.items()}
    for moment in evidence:  # hundreds of worlds, which only the collector would free
        moment.rest()
        moment.world.unbind()
    return found


def _ends_turn(point: Point) -> bool:
    """Whether it is the beginning, or the moment at which a turn ended, before the timeline went on."""
    turns = point.history.turns
    return point.by == "begin" or (point.by == "step" and bool(turns and turns[-1].ended_by))


class _Search:
    """The search for the turning point of one check."""

    def __init__(
        self, episode: Retelling, id: str, verdict: Verdict, evidence: list[Evidence], ends: list[int]
    ) -> None:
        self.check = episode.scenario.checks[id]
        self.points = episode.points
        self.evidence = evidence
        self.passed = verdict.passed
        self.latched = id in episode.tripped()
        self.last = bisect_right(episode.points, verdict.at, key=lambda point: point.world.now)
        self.ends = ends[: bisect_left(ends, self.last)]
        self._known: dict[tuple[int, ...] | None, bool] = {}
        if verdict.moment is not None and (key := self._key(verdict.moment)) is not None:
            self._known[key] = False

    def found(self) -> TurningPoint:
        if self.latched:
            return self._tripped()
        if not self.ends or self._differs(self.last - 1):
            return TurningPoint("time")
        late = self.last - 1
        for early in reversed(self.ends):
            if self._differs(early):
                break
            late = early
        else:
            return TurningPoint("always" if self.passed else "never")
        while late - early > 1:
            middle = (early + late) // 2
            if self._differs(middle):
                early = middle
            else:
                late = middle
        return self._at("earned" if self.passed else "lost", late)

    def _differs(self, number: int) -> bool:
        """Whether the check, decided at a point, would come out otherwise than it did."""
        evidence = self.evidence[number]
        key = self._key(evidence)
        if key in self._known:
            return self._known[key]
        differs = decide(self.check, evidence).passed != self.passed
        if key is not None:
            self._known[key] = differs
        return differs

    def _key(self, evidence: Evidence) -> tuple[int, ...] | None:
        """What tells apart moments at which the check may come out otherwise: they all live as long as the search."""
        stands = standing(self.check.reads, evidence)
        return None if stands is None else tuple(map(id, stands))

    def _tripped(self) -> TurningPoint:
        """The first point at which a rule is broken; at a later one it may look unbroken again."""
        for place, end in enumerate(self.ends):
            if trips(self.check, self.evidence[end]):
                first = self.ends[place - 1] + 1 if place else 0
                return self._at(
                    "tripped", next(i for i in range(first, end + 1) if trips(self.check, self.evidence[i]))
                )
        return TurningPoint("tripped")

    def _at(self, how: str, number: int) -> TurningPoint:
        point = self.points[number]
        return TurningPoint(how, "step" if point.by == "step" else "opening", point.name or 0)
