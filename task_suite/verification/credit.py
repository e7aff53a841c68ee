"""Gate ``credit``: nothing is earned by doing nothing, and nothing is held against somebody who did nothing."""

from __future__ import annotations

from typing import Any

from lifegym.checks.check import Check
from lifegym.checks.evaluation import decide, trips
from lifegym.checks.evidence import Evidence
from lifegym.episode import Episode
from lifegym.history import History
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.references import reads
from lifegym.task_suite.verification.report import GateReport
from lifegym.timeline import Scenario

__all__ = ["credit"]

LIMIT = 1.0
"""What a run that does nothing may score at most."""

SAYS_NOTHING: dict[str, dict[str, Any]] = {
    "idle": {"tool": "assistant.wait", "arguments": {}},
    'replies "ok."': {"tool": "assistant.reply", "arguments": {"text": "ok."}},
}
"""Two runs that do nothing: what each does in every turn."""

_TRACE = frozenset({"calls", "replies", "turn", "turns"})


def credit(context: Context) -> GateReport:
    """That credit is the agent's: not the initial world's, not the timeline's, not silence's."""
    report = GateReport("credit")
    for variation in context.variations:
        scenario = context.scenario(variation)
        held = _at_the_start(scenario, variation, report)
        for name, action in SAYS_NOTHING.items():
            _nothing_done(name, action, scenario, variation, held, report)
    return report


def _shown(name: str, variation: Variation) -> str:
    return f"{name}, {variation[0] if variation[0] == 'canonical' else f'{variation[0]} seed {variation[1]}'}"


def _once(report: GateReport, subject: str, beginning: str) -> bool:
    return not any(f.subject == subject and f.message.startswith(beginning) for f in report.findings)


def _at_the_start(scenario: Scenario, variation: Variation, report: GateReport) -> set[str]:
    """The checks that hold before anything has happened; violations are findings."""
    held = set()
    evidence = Evidence(scenario, scenario.world.fork(), History())
    for check in scenario.checks.values():
        clause = trips(check, evidence)
        if clause and _once(report, check.id, "the untouched world violates"):
            report.fail(
                f"the untouched world violates it: {clause}",
                subject=check.id,
                stage=check.stage,
                run=_shown("before the first event", variation),
                advice="let the rule look at what the agent did only",
            )
        if decide(check, evidence).passed:
            held.add(check.id)
            if _once(report, check.id, "it holds before"):
                report.fail(
                    "it holds before anything has happened",
                    subject=check.id,
                    stage=check.stage,
                    run=_shown("before the first event", variation),
                    advice="add a gate: the work without which it pays nothing",
                )
    return held


def _nothing_done(
    name: str, action: dict[str, Any], scenario: Scenario, variation: Variation, held: set[str], report: GateReport
) -> None:
    episode = Episode(scenario)
    episode.begin()
    while not episode.over:
        episode.step(action)
    score = episode.score()
    run = _shown(name, variation)
    points = 100 * score.earned / score.total
    report.figures[name] = max(report.figures.get(name, 0.0), round(points, 2))
    for fault in dict.fromkeys(episode.faults):
        message = f"a fault of the task: {fault.strip().splitlines()[-1]}"
        if not any(finding.message == message for finding in report.findings):
            report.fail(message, run=run, advice="mend the bundle")
    which = ", ".join(id for id, passed in score.checks.items() if passed)
    if points > LIMIT and _once(report, which, "it scores"):
        report.fail(
            f"it scores {points:.1f}, more than {LIMIT:g}: it passes {which}",
            subject=which,
            run=run,
            advice="give these checks a gate: the work without which they pay nothing",
        )
    evidence = episode.evidence()
    for check in scenario.checks.values():
        if score.checks[check.id]:
            _passed(check, run, held, report)
        clause = trips(check, evidence)
        if clause and check.id not in held and _once(report, check.id, "it is violated"):
            report.fail(
                f"it is violated though nothing was done: {clause}",
                subject=check.id,
                stage=check.stage,
                run=run,
                advice="let the rule look at what the agent did only",
            )


def _passed(check: Check, run: str, held: set[str], report: GateReport) -> None:
    """A check that a run which does nothing passes. Bounded silence in a stage is tolerated up to the limit."""
    shared = {let.name: (let.parameters, let.expression) for let in check.let}
    sources = [expression.source for expression in (*check.gate, *check.all)]
    looks = set().union(*(reads(source, shared) for source in sources)) if sources else set()
    if check.tier == "stage" and looks and looks <= _TRACE | {"now", "today", "t", "stage"}:
        note = f"{check.id} is earned by a run that does nothing ({run}): silence, or having been there"
        if not any(n.startswith(f"{check.id} is earned") for n in report.notes):
            report.notes.append(note)
        return
    if check.id in held or not _once(report, check.id, "it is passed"):
        return
    report.fail(
        "it is passed by a run that does nothing: the timeline brings it about",
        subject=check.id,
        stage=check.stage,
        run=run,
        advice="add a gate: the work without which it pays nothing",
    )
