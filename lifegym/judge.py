"""Which checks of an episode hold: decided each at its moment, looked back at when the episode is over."""

from __future__ import annotations

from typing import Any

from lifegym.checks.check import Check, Verdict
from lifegym.checks.evaluation import decide, explain, trips
from lifegym.checks.evidence import Evidence
from lifegym.checks.kept import Kept
from lifegym.history import History
from lifegym.timeline import Scenario, Stage
from lifegym.world.world import World

__all__ = ["Judge"]


class Judge:
    """Decides the checks of one episode as it goes on. A moment at which it decides is a fork of the world.

    Args:
        scenario: What is played.
        faults: Gets what keeps a check from being decided: a defect of the task.

    Attributes:
        verdicts: What was decided for good, by check.
        latched: What tripped a never-rule, by check, in the order in which it happened.
    """

    __slots__ = ("_faults", "_kept", "_last", "_samples", "_scenario", "latched", "verdicts")

    def __init__(self, scenario: Scenario, faults: list[str]) -> None:
        self._scenario = scenario
        self._faults = faults
        self._samples: dict[tuple[str, str], Verdict] = {}  # of checks that are looked at more than once or inside
        self._kept = Kept()
        self._last: tuple[int, Evidence] | None = None
        self.verdicts: dict[str, Verdict] = {}
        self.latched: dict[str, Verdict] = {}

    def fork(self, faults: list[str]) -> Judge:
        """An independent judge that has decided the same."""
        other = Judge.__new__(Judge)
        other._scenario = self._scenario
        other._faults = faults
        other._samples = self._samples.copy()
        other._kept = Kept()
        other._last = self._last
        other.verdicts = self.verdicts.copy()
        other.latched = self.latched.copy()
        return other

    # -- moments -------------------------------------------------------------------------------------------------

    def evidence(self, world: World, history: History) -> Evidence:
        """This moment, as checks see it. It shares the world: do not step while using it."""
        return Evidence(self._scenario, world, history, self._kept)

    def _moment(self, world: World, history: History, sample: int = -1) -> Evidence:
        """A moment at which checks are decided; one for all samples of an instant. The one before is done with."""
        if self._last is not None and self._last[0] == sample >= 0:
            return self._last[1]
        self._rest()
        self._last = (sample, self.evidence(world.fork(), history.fork()))
        return self._last[1]

    def _rest(self) -> None:
        """Of the last moment keep what explains verdicts."""
        if self._last is not None:
            self._last[1].rest()
            self._last[1].world.unbind()

    # -- deciding ------------------------------------------------------------------------------------------------

    def close(self, stage: Stage, world: World, history: History) -> float:
        """Decide what is due at a stage's end. Returns the weight that was earned."""
        each, own = self._scenario.closing[stage.id]
        if not each and not own:
            return 0.0
        moment = self._moment(world, history)
        for check in each:
            self._keep(check, stage.id, moment)
        return sum(self._settle(check, moment) for check in own)

    def finish(self, world: World, history: History) -> float:
        """Decide what is due at the end. Returns the weight that was earned."""
        moment = self._moment(world, history)
        checks = self._scenario.checks.values()
        earned = sum(
            self._settle(check, moment) for tier in ("cross", "final") for check in checks if check.tier == tier
        )
        self._rest()
        return earned

    def sample(self, check: Check, name: str, due: int, world: World, history: History) -> None:
        """Decide a check at an instant. Samples come first and change nothing, so those of an instant share it."""
        if check.id not in self.verdicts:
            self._keep(check, name, self._moment(world, history, due))

    def end_turn(self, acted: bool, world: World, history: History) -> None:
        """Look for violations where the agent did something, and decide what holds after each stage's last turn."""
        if acted:
            self._latch(world, history)
        stage = history.turns[-1].stage
        checks = self._scenario.after_turns[stage]
        if checks:
            moment = self._moment(world, history)
            for check in checks:  # a later turn of the stage overwrites this
                self._keep(check, stage, moment)

    def may_hold(self, check: Check) -> bool:
        """Whether an open check can still pass: nothing of it was tripped, and its samples so far hold."""
        return check.id not in self.latched and all(verdict.passed for verdict in self._samples_of(check))

    def _samples_of(self, check: Check) -> list[Verdict]:
        return [verdict for (id, _), verdict in self._samples.items() if id == check.id]

    def _decide(self, check: Check, moment: Evidence) -> Verdict:
        verdict = decide(check, moment)
        if verdict.fault:
            self._faults.append(verdict.fault)
        return Verdict(*verdict[:4], moment)

    def _settle(self, check: Check, moment: Evidence) -> float:
        """Decide a check for good. Returns its weight if it passed."""
        verdict = self.latched.get(check.id)
        if verdict is None and check.at is None and check.each is None:
            verdict = self._decide(check, moment)
        elif verdict is None:
            samples = self._samples_of(check)
            late = Verdict(False, "its moment did not come", moment.world.now)
            verdict = next((v for v in samples if not v.passed), samples[-1] if samples else late)
        self.verdicts[check.id] = verdict
        return check.weight if verdict.passed else 0.0

    def _keep(self, check: Check, name: str, moment: Evidence) -> None:
        self._samples[check.id, name] = self._decide(check, moment)

    def _latch(self, world: World, history: History) -> None:
        """Look for violations; what trips stays tripped."""
        evidence = self.evidence(world, history)
        stage = history.turns[-1].stage
        for check in self._scenario.checks.values():
            if not check.never or check.id in self.latched or check.id in self.verdicts:
                continue
            if check.tier == "stage" and check.stage != stage:
                continue
            try:
                clause = trips(check, evidence)
            except Exception as error:
                clause = ""
                self._faults.append(f"{check.id}: {type(error).__name__}: {error}")
            if clause:
                moment = self._moment(world, history)
                self.latched[check.id] = Verdict(False, f"never: {clause}", world.now, "", moment)
        evidence.rest()

    # -- looking back --------------------------------------------------------------------------------------------

    def explain(self, world: World) -> list[dict[str, Any]]:
        """Every check with its verdict and what it read, expected and found."""
        rows = []
        for check in self._scenario.checks.values():
            verdict = self.verdicts.get(check.id)
            row: dict[str, Any] = {
                "id": check.id,
                "tier": check.tier,
                "stage": check.stage,
                "axis": check.axis,
                "weight": check.weight,
                "what": check.what,
                "passed": bool(verdict and verdict.passed),
                "reason": verdict.reason if verdict else "the episode was truncated before it was decided",
                "at": world.iso(verdict.at) if verdict else None,
                "clauses": explain(check, verdict.moment) if verdict and verdict.moment else [],
            }
            rows.append(row)
        for verdict in self.verdicts.values():
            if verdict.moment:  # so that nothing but the rows needs the collector
                verdict.moment.rest()
                verdict.moment.world.unbind()
        return rows
