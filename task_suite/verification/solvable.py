"""Gate ``solvable``: the reference solution scores 100 on every variation, every call accepted as declared."""

from __future__ import annotations

from lifegym.task_suite.player import SolutionError
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.solution import compiled_solution
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.playthrough import Playthrough
from lifegym.task_suite.verification.report import GateReport

__all__ = ["solvable"]


def solvable(context: Context) -> GateReport:
    """That what the checks ask for can be reached, through the public tools, by knowing what was seen."""
    report = GateReport("solvable")
    scores: list[float] = []
    _dead_turns(context, report)
    for variation in context.variations:
        play = _played(context, variation, report)
        if play is None:
            scores.append(0.0)
            continue
        score = play.episode.score()
        scores.append(score.score or 0.0)
        _lost(play, variation, report)
        if variation[0] == "canonical":
            report.figures["calls"] = score.calls
            report.figures["turns"] = score.turns
    report.figures["variations"] = len(scores)
    report.figures["lowest score"] = round(min(scores), 2)
    return report


def _shown(variation: Variation) -> str:
    return "the reference, " + (variation[0] if variation[0] == "canonical" else f"{variation[0]} seed {variation[1]}")


def _dead_turns(context: Context, report: GateReport) -> None:
    events = {event.id: event for event in context.task.bundle.timeline.events}
    for name, turn in compiled_solution(context.task).turns.items():
        if events[name].kind == "mutation":
            report.fail(
                f"the solution has {len(turn.steps)} steps for a mutation, which opens no turn",
                subject=name,
                stage=events[name].stage,
                advice="move them to the turn in which the change can be noticed",
            )


def _played(context: Context, variation: Variation, report: GateReport) -> Playthrough | None:
    run = _shown(variation)
    try:
        play = Playthrough(context.task, context.scenario(variation))
    except BundleError as error:
        report.fail(error.message, subject=error.where, run=run, advice="mend the bundle")
        return None
    while not play.over:
        item = play.next
        try:
            play.advance()
        except SolutionError as error:
            if not any(finding.subject == item.name for finding in report.findings):
                report.fail(
                    str(error),
                    subject=item.name,
                    stage=item.stage,
                    run=run,
                    advice="bind the step to what is seen on every seed, or declare the refusal with 'refused'",
                )
            return None
    return play


def _lost(play: Playthrough, variation: Variation, report: GateReport) -> None:
    run = _shown(variation)
    for fault in dict.fromkeys(play.episode.faults):
        message = f"a fault of the task: {fault.strip().splitlines()[-1]}"
        if not any(finding.message == message for finding in report.findings):
            report.fail(message, run=run, advice="mend the bundle")
    told = {(finding.subject, finding.message.partition(" [")[0]) for finding in report.findings}
    for row in play.episode.evaluation() if play.failed() else ():
        if not row["passed"] and (row["id"], f"the reference does not pass it: {row['reason']}") not in told:
            report.fail(
                f"the reference does not pass it: {row['reason']}{_found(row)}",
                subject=row["id"],
                stage=row["stage"],
                run=run,
                advice="make the value reachable, or the solution reach it",
            )


def _found(row: dict[str, object]) -> str:
    clauses = row["clauses"]
    assert isinstance(clauses, list)
    for clause in clauses:
        if clause["kind"] in ("gate", "all") and not clause.get("value") and clause["clause"] in str(row["reason"]):
            sides = clause.get("sides", {})
            return "".join(f" [{source} is {value!r}]" for source, value in list(sides.items())[:3])[:400]
    return ""
