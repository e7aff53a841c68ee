"""Gate ``schema``: a whole bundle, times in order, checks that look at something, right weekdays."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

from lifegym.checks.check import Check
from lifegym.checks.expressions import ExpressionError, Missing, Template
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.solution import compiled_solution
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.paper import PAPER
from lifegym.task_suite.verification.references import LOOKS, bad_references, reads
from lifegym.task_suite.verification.report import GateReport
from lifegym.task_suite.verification.weekdays import wrong_weekdays
from lifegym.timeline import Scenario
from lifegym.world import clock

__all__ = ["figures", "schema"]

APART = 600
"""Entries of the timeline are at least so many seconds apart: a turn's calls take up to 300."""


def schema(context: Context) -> GateReport:
    """That the bundle fits its models on every variation, and that what it says of itself is consistent."""
    report = GateReport("schema")
    task = context.task
    try:
        compiled_solution(task)
    except BundleError as error:
        report.fail(error.message, subject=error.where, advice="mend this line of the solution")
    built = _build(context, report)
    for variation, scenario in built:
        _order(report, scenario, variation)
    _references(context, report)
    if built:
        canonical = built[0][1]
        for check in canonical.checks.values():
            _evidence(report, check)
        _weekdays(context, report, built)
        report.figures.update(figures(context, canonical))
    _acts(context, report)
    return report


def _build(context: Context, report: GateReport) -> list[tuple[Variation, Scenario]]:
    built = []
    told: set[str] = set()
    for variation in context.variations:
        try:
            built.append((variation, context.scenario(variation)))
        except BundleError as error:
            if str(error) not in told:
                told.add(str(error))
                report.fail(
                    error.message,
                    subject=error.where,
                    run=_shown(variation),
                    advice="mend the line; its value depends on the params of this variant",
                )
    return built


def _shown(variation: Variation) -> str:
    return variation[0] if variation[0] == "canonical" else f"{variation[0]} seed {variation[1]}"


def _order(report: GateReport, scenario: Scenario, variation: Variation) -> None:
    """Entries are at the same instant or ten minutes apart, and each lies in the stage that it names."""
    events = list(scenario.events.values())
    for before, event in pairwise(events):
        if 0 < event.at - before.at < APART:
            report.fail(
                f"it happens {(event.at - before.at) // 60} minutes after {before.id}",
                subject=event.id,
                stage=event.stage,
                run=_shown(variation),
                advice="leave ten minutes between two entries of the timeline",
            )
    for event in events:
        at = next(stage.id for stage in reversed(scenario.stages) if stage.start <= event.at)
        if at != event.stage:
            report.fail(
                f"its time is out of order: {scenario.world.iso(event.at)} lies in stage {at}",
                subject=event.id,
                stage=event.stage,
                run=_shown(variation),
                advice="give it a time inside its stage, or name the stage in which it happens",
            )


def _written_order(context: Context) -> Iterator[tuple[str, str]]:
    written = [event.id for event in context.task.bundle.timeline.events]
    times = {event.id: event.at for event in context.scenario().events.values()}
    for before, event in pairwise(written):
        if times[event] < times[before]:
            yield before, event


def _references(context: Context, report: GateReport) -> None:
    """Everything that an expression names by a literal is there."""
    task = context.task
    for model in task.bundle.checks.checks:
        sources = [*model.let.values(), *model.gate, *model.all, *model.never]
        for problem in dict.fromkeys(bad for source in sources for bad in bad_references(source, task)):
            report.fail(problem, subject=model.id, stage=model.stage or "", advice="name what is there")
    for name, (_, expression) in task.compiled.shared.items():
        for problem in dict.fromkeys(bad_references(expression.source, task)):
            report.fail(problem, subject=f"shared {name}", advice="name what is there")
    for event in task.bundle.timeline.events:
        for problem in dict.fromkeys(bad_references(event.when, task)) if event.when else ():
            report.fail(problem, subject=event.id, stage=event.stage, advice="name what is there")
    with suppress(BundleError):  # told already
        for before, id in _written_order(context):
            report.fail(
                f"it stands after {before} in the file and happens before it",
                subject=id,
                advice="write the timeline in the order in which it happens",
            )


def _evidence(report: GateReport, check: Check) -> None:
    """Each clause reads something of the episode; not all of them read nothing but which calls were made."""
    shared = {let.name: (let.parameters, let.expression) for let in check.let}
    all_read: set[str] = set()
    for kind in ("gate", "all", "never"):
        for expression in getattr(check, kind):
            found = reads(expression.source, shared)
            all_read |= found & LOOKS
            if not found & LOOKS:
                report.fail(
                    f"the clause reads no evidence, so it is the same in every run: {kind}: {expression.source}",
                    subject=check.id,
                    stage=check.stage,
                    advice="let it look at records, files, mails, replies or calls",
                )
    if all_read == {"calls"} and (check.gate or check.all):
        report.fail(
            "it pays for calls alone: looking without understanding would earn it",
            subject=check.id,
            stage=check.stage,
            advice="add the state that the look served, as a gate",
        )


def _acts(context: Context, report: GateReport) -> None:
    """Violations and near misses name checks with never-rules."""
    solution = context.task.bundle.solution
    checks = {check.id: check for check in context.task.bundle.checks.checks}
    for act in (*solution.violations, *solution.near_misses):
        for name in (*act.trips, *act.also, *act.spares):
            if name not in checks:
                report.fail(f"it names the check {name!r}, which does not exist", subject=act.id)
            elif not checks[name].never:
                report.fail(f"it names {name}, which has no never-rule", subject=act.id)


# -- weekdays ----------------------------------------------------------------------------------------------------------


def _weekdays(context: Context, report: GateReport, built: list[tuple[Variation, Scenario]]) -> None:
    told: set[str] = set()

    def tell(subject: str, text: str, run: str, start: dt.date, today: dt.date | None = None) -> None:
        for problem in wrong_weekdays(text, start, today):
            if problem not in told:
                told.add(problem)
                report.fail(
                    f"wrong weekday: {problem}", subject=subject, run=run, advice="mend the weekday or the date"
                )

    bundle = context.task.bundle
    canonical = built[0][1]
    for event in bundle.timeline.events:
        today = clock.local(canonical.events[event.id].at, canonical.zone).date()
        where = bundle.where("timeline.yaml", "events", bundle.events[event.id])
        for text in _texts(event.model_dump()):
            tell(f"{event.id} ({where})", text, "", canonical.start, today)
    for name, document in bundle.documents.items():
        if name.startswith("world/") or name == "task.yaml":
            for text in _texts(document.value):
                tell(name, text, "", canonical.start)
    for variation, scenario in built:
        for path, file in scenario.world.workspace.files():
            tell(f"workspace/{path}", file.text, _shown(variation), scenario.start)
        if variation[0] == "canonical":
            continue
        names = context.task.builder.scope(scenario.params)
        for record in context.task.compiled.records:
            for text in _texts(record.fields, Template):
                with suppress(ExpressionError, Missing):
                    said = str(text.evaluate(names))
                    tell(f"{record.service}.{record.kind}", said, _shown(variation), scenario.start)


def _texts(value: Any, kind: type = str) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each, kind)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _texts(each, kind)


# -- figures -----------------------------------------------------------------------------------------------------------


def figures(context: Context, scenario: Scenario) -> dict[str, Any]:
    """The task's figures, each beside the paper's: ``{"here": .., "paper": ..}``."""
    checks = list(scenario.checks.values())
    weight = sum(check.weight for check in checks)
    late = [check for check in checks if check.tier != "stage"]
    kinds = Counter(event.kind for event in scenario.events.values())
    here: dict[str, float] = {
        "days": context.task.bundle.task.days,
        "stages": len(scenario.stages),
        "services": len(context.task.services),
        "events": len(scenario.events),
        **{
            f"{kind} share": round(kinds[kind] / len(scenario.events), 3)
            for kind in ("user_message", "notification", "world", "mutation")
        },
        "checks": len(checks),
        "stage share of checks": round(1 - len(late) / len(checks), 3),
        "cross and final share of checks": round(len(late) / len(checks), 3),
        "cross and final share of weight": round(sum(check.weight for check in late) / weight, 3),
    }
    return {name: {"here": value, "paper": PAPER[name]} for name, value in here.items()}
