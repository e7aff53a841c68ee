"""Gate ``rules``: each never-rule is tripped by its declared violations, for good, and spared by its near misses."""

from __future__ import annotations

from collections.abc import Iterator

from lifegym.checks.evaluation import trips
from lifegym.task_suite.player import SolutionError
from lifegym.task_suite.schema import ViolationModel
from lifegym.task_suite.solution import CompiledTurn, compiled_solution
from lifegym.task_suite.verification.context import Context, Variation
from lifegym.task_suite.verification.playthrough import Playthrough
from lifegym.task_suite.verification.report import GateReport

__all__ = ["rules"]


def rules(context: Context) -> GateReport:
    """That the rules of safety do what they say.

    On the canonical world each act is played to the end of the episode, which shows that what is tripped stays tripped;
    on the drawn worlds to the end of its turn.
    """
    report = GateReport("rules")
    solution = context.task.bundle.solution
    never = {check.id: check for check in context.task.bundle.checks.checks if check.never}
    for id, check in never.items():
        if not any(id in act.trips for act in solution.violations):
            _lacks(report, id, check.stage, "violation", "trips")
        if not any(id in act.spares for act in solution.near_misses):
            _lacks(report, id, check.stage, "near miss", "spares")
    tripped: set[tuple[str, str]] = set()
    for variation in context.variations:
        for act, play in _acted(context, variation, report):
            _judge(act, play, variation, tripped, report)
    clauses = {(id, clause) for id, check in never.items() for clause in check.never}
    report.figures.update(
        rules=len(never),
        violations=len(solution.violations),
        near_misses=len(solution.near_misses),
        clauses=len(clauses),
        clauses_tripped=len(clauses & tripped),
    )
    for id, clause in sorted(clauses - tripped):
        report.notes.append(f"{id}: no declared violation trips the clause {clause}")
    return report


def _lacks(report: GateReport, check: str, stage: str | None, what: str, key: str) -> None:
    report.fail(
        f"its never-rule has no {what}",
        subject=check,
        stage=stage or "",
        advice=f"declare one in solution.yaml, with {key}: [{check}]",
    )


def _shown(act: ViolationModel, variation: Variation) -> str:
    world = variation[0] if variation[0] == "canonical" else f"{variation[0]} seed {variation[1]}"
    return f"{act.id} in the turn of {act.turn}, {world}"


def _acted(context: Context, variation: Variation, report: GateReport) -> Iterator[tuple[ViolationModel, Playthrough]]:
    """Each act, played after its turn's own steps; one that cannot be played is a finding."""
    model = context.task.bundle.solution
    compiled = compiled_solution(context.task).acts
    waiting: dict[str, list[ViolationModel]] = {}
    for act in (*model.violations, *model.near_misses):
        waiting.setdefault(act.turn, []).append(act)
    play = Playthrough(context.task, context.scenario(variation), strict=False)
    while waiting and not play.over:
        if play.next.step is None:
            turn = play.episode.history.turns[-1]
            for event in turn.events:
                for act in waiting.pop(event, ()):
                    acting = play.fork(strict=True)
                    try:
                        _act(acting, act, compiled[act.id])
                    except SolutionError as error:
                        _unplayable(report, act, variation, str(error))
                        continue
                    if variation[0] == "canonical":
                        acting.strict = acting.player.strict = False
                        acting.finish()
                    yield act, acting
        play.advance()
    for acts in waiting.values():
        for act in acts:
            _unplayable(report, act, variation, f"the turn of {act.turn} does not come")


def _act(play: Playthrough, act: ViolationModel, compiled: CompiledTurn) -> None:
    """Play the act's steps, then end the turn with its reply, or as the solution does."""
    end = play.next
    for step, action in play.player.actions(compiled.steps):
        taken = play.episode.step(action)
        play.player.result(step, play.episode.observation(taken))
    if act.reply is None:
        play.advance()
    else:
        reply = play.player.reply(compiled.reply)
        play.advance(lambda item, action: [reply if item is end else action])


def _unplayable(report: GateReport, act: ViolationModel, variation: Variation, message: str) -> None:
    if not any(f.subject == act.id and f.message.endswith(message) for f in report.findings):
        report.fail(
            f"it cannot be played: {message}",
            subject=act.id,
            run=_shown(act, variation),
            advice="bind its steps to what has been seen by then",
        )


def _judge(
    act: ViolationModel, play: Playthrough, variation: Variation, tripped: set[tuple[str, str]], report: GateReport
) -> None:
    wanted = {*act.trips, *act.also}
    run = _shown(act, variation)
    for id, check in play.scenario.checks.items():
        if not check.never:
            continue
        if play.over:
            verdict = play.episode.verdicts.get(id)
            reason = verdict.reason if verdict else ""
            clause = next((never.source for never in check.never if reason == f"never: {never.source}"), "")
        else:
            clause = trips(check, play.episode.evidence())
        if clause:
            tripped.add((id, clause))
        if bool(clause) == (id in wanted):
            continue
        if clause:
            kind = "near miss" if not act.trips else "violation"
            report.fail(
                f"the {kind} {act.id} trips it: {clause}",
                subject=id,
                stage=check.stage,
                run=run,
                advice="narrow the rule" if kind == "near miss" else "narrow the rule, or list it under also",
            )
        else:
            report.fail(
                f"the violation {act.id} does not trip it",
                subject=id,
                stage=check.stage,
                run=run,
                advice="widen the rule, or mend the violation",
            )
