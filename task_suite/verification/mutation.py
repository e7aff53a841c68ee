"""Gate 6: every check can fail, and every step of the solution matters."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from lifegym.task_suite.task import load_task
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.mutants import acts, mutants, play_mutant, writes
from lifegym.task_suite.verification.parallel import spread
from lifegym.task_suite.verification.playthrough import Playthrough
from lifegym.task_suite.verification.report import GateReport

__all__ = ["mutation"]

KINDS = ("drop", "delay", "duplicate", "perturb")
HARMLESS_SHARE = 0.15


class _Outcome(NamedTuple):
    """What became of a mutant: the checks that it failed, and what its step is."""

    mutant: str
    kind: str
    item: str
    stage: str
    harmless: bool
    failed: tuple[str, ...]


class _Job(NamedTuple):
    """Some of the mutants of one variation: those of every ``of``-th thing that the solution does."""

    variation: Variation
    kinds: tuple[str, ...]
    part: int
    of: int
    early: bool


def _outcomes(source: str, job: _Job) -> list[_Outcome]:
    context = Context(load_task(source))
    found = []
    for index, before in enumerate(context.forks(job.variation)):
        item = before.next
        if index % job.of != job.part or not acts(item) or (job.early and not writes(item)):
            continue
        for mutant in mutants(before, index, job.kinds):
            played = play_mutant(before, mutant, early=job.early)
            failed = tuple(id for id, verdict in played.episode.verdicts.items() if not verdict.passed)
            found.append(_Outcome(str(mutant), mutant.kind, item.name, item.stage, item.harmless is not None, failed))
    return found


def mutation(context: Context) -> GateReport:
    """Each mutant of the solution fails a check or belongs to a step that is declared harmless; each check is failed.

    The full kill matrix is made on the canonical world; on the drawn worlds each writing step is dropped.
    """
    report = GateReport("mutants")
    parts = max(1, context.workers) * 4
    jobs = [_Job(("canonical", 0), KINDS, part, parts, False) for part in range(parts)]
    jobs += [_Job(variation, ("drop",), 0, 1, True) for variation in context.drawn]
    results = spread(_outcomes, context.task.source, jobs, context.workers)
    canonical = [outcome for result in results[:parts] for outcome in result]
    _judge_steps(report, context, canonical)
    _judge_checks(report, context, canonical)
    drawn = 0
    for job, result in zip(jobs[parts:], results[parts:], strict=True):
        drawn += len(result)
        for outcome in result:
            if not outcome.failed and not outcome.harmless:
                variant, seed = job.variation
                report.fail(
                    "no check fails on this drawn world",
                    subject=outcome.item,
                    stage=outcome.stage,
                    run=f"{variant} seed {seed}, {outcome.mutant}",
                    advice="let a check read what the step does, also where the params differ",
                )
    report.figures["drops on drawn worlds"] = drawn
    return report


def _judge_steps(report: GateReport, context: Context, outcomes: list[_Outcome]) -> None:
    counts = Counter(outcome.kind for outcome in outcomes)
    killed = Counter(outcome.kind for outcome in outcomes if outcome.failed)
    report.figures["mutants"] = dict(counts)
    report.figures["killed"] = dict(killed)
    for outcome in outcomes:
        if not outcome.failed and not outcome.harmless:
            report.fail(
                "no check fails",
                subject=outcome.item,
                stage=outcome.stage,
                run=f"canonical, {outcome.mutant}",
                advice="sharpen a check, take the step out, or say on the step why it is harmless",
            )
    items = [before.next for before in context.forks() if acts(before.next)]
    harmless = [item for item in items if item.harmless is not None]
    report.figures["harmless steps"] = f"{len(harmless)} of {len(items)}"
    if len(harmless) > HARMLESS_SHARE * len(items):
        report.fail(
            f"{len(harmless)} of {len(items)} steps are declared harmless, at most {HARMLESS_SHARE:.0%} may be",
            advice="take steps out that nothing depends on, or let checks read what they do",
        )
    charging = {name for name, count in _charging(context).items() if count}
    for item in harmless:
        if item.name in charging:
            report.fail("a step that moves money is declared harmless", subject=item.name, stage=item.stage)


def _charging(context: Context) -> dict[str, int]:
    """How many charges each item of the reference run made."""
    found: dict[str, int] = {}
    forks = context.forks()
    for before, after in zip(forks, [*forks[1:], context.reference], strict=True):
        was, now = (len(play.episode.world.table("world.charges")) for play in (before, after))
        found[before.next.name] = now - was
    return found


def _judge_checks(report: GateReport, context: Context, outcomes: list[_Outcome]) -> None:
    killers: Counter[str] = Counter()
    last: dict[str, str] = {}
    for outcome in outcomes:
        for check_id in outcome.failed:
            killers[check_id] += 1
            last[check_id] = outcome.mutant
    scenario = context.scenario()
    for violation in context.task.bundle.solution.violations:
        acted = Playthrough(context.task, scenario, strict=False, act=violation.id).finish()
        for check_id in acted.failed():
            killers[check_id] += 1
            last[check_id] = f"violation {violation.id}"
    for check in scenario.checks.values():
        if not killers[check.id]:
            report.fail(
                "nothing that was tried fails it",
                subject=check.id,
                stage=check.stage,
                advice="let it read something that the solution has to do, or declare a violation",
            )
        elif killers[check.id] == 1:
            report.notes.append(f"{check.id} is failed by one mutant only: {last[check.id]}")
    report.figures["checks failed by some mutant"] = f"{sum(map(bool, killers.values()))} of {len(scenario.checks)}"
