"""Gate 8: equivalent right ways are accepted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import yaml

from lifegym.checks.expressions import ExpressionError, Missing, Template, compile_value, evaluate_value
from lifegym.task_suite.patterns import PatternError
from lifegym.task_suite.player import SolutionError
from lifegym.task_suite.solution import compiled_solution
from lifegym.task_suite.task import load_task
from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.mutants import acts, writes
from lifegym.task_suite.verification.parallel import spread
from lifegym.task_suite.verification.playthrough import Item, Playthrough
from lifegym.task_suite.verification.report import Finding, GateReport

__all__ = ["fair"]

PROSE = ("labelled", "mails", "replies", "section")
"""Evidence that is somebody's wording: replies, mails, notes."""


class _Job(NamedTuple):
    """One kind of other way, and which part of it."""

    kind: str
    part: int
    of: int


class _Tried(NamedTuple):
    """What came of one kind: how many were tried, and what did not score 100."""

    tried: int
    findings: list[Finding]


def fair(context: Context) -> GateReport:
    """Other orders inside a turn, earlier writes, other formats and other wordings: all still score 100."""
    report = GateReport("fair")
    parts = max(1, context.workers)
    jobs = [_Job(kind, part, parts) for kind in _WAYS for part in range(parts)]
    for job, tried in zip(jobs, spread(_try, context.task.source, jobs, context.workers), strict=True):
        report.figures[job.kind] = report.figures.get(job.kind, 0) + tried.tried
        report.findings.extend(tried.findings)
    _judge_forms(report, context)
    return report


def _try(source: str, job: _Job) -> _Tried:
    context = Context(load_task(source))
    tried, findings = 0, []
    for number, (subject, stage, run, advice, play) in enumerate(_WAYS[job.kind](context)):
        if number % job.of != job.part:
            continue
        other = play()
        if other is None:
            continue
        tried += 1
        failed = [id for id, verdict in other.episode.verdicts.items() if not verdict.passed]
        if failed:
            findings.append(Finding(f"fails {', '.join(failed[:4])}", subject, stage, run, advice))
    return _Tried(tried, findings)


Way = tuple[str, str, str, str, Callable[[], Playthrough | None]]
_CANNOT = (ExpressionError, Missing, PatternError, SolutionError)


# -- orders ------------------------------------------------------------------------------------------------------------


def _orders(context: Context) -> Iterator[Way]:
    """Each two calls that follow each other in a turn, exchanged, where the second does not need the first."""
    for before in context.forks():
        first = before.next
        rest = [item for item in before.queue[1:] if acts(item)]
        if not acts(first) or first.step is None or not rest or rest[0].step is None:
            continue
        second = rest[0]

        def play(before: Playthrough = before, second: Item = second) -> Playthrough | None:
            other = before.fork(strict=True)
            other.queue.remove(second)
            other.queue.insert(0, second)
            try:
                return other.finish(early=True)
            except _CANNOT:
                return None  # the second does need what the first brought

        advice = "let the check accept either order, or name the first under needs of the second"
        yield second.name, second.stage, f"{second.name} before {first.name}", advice, play


# -- earlier -----------------------------------------------------------------------------------------------------------


def _earlier(context: Context) -> Iterator[Way]:
    """Each write moved to the first turn in which its inputs are known."""
    ends = [before for before in context.forks() if before.next.step is None]
    for turn in compiled_solution(context.task).turns.values():
        for step in turn.steps:
            item = Item(step.name, turn.event, "", step)
            if not writes(item) or step.model.not_before is not None:
                continue
            at = _first_known(ends, item)
            if at is None:
                continue

            def play(at: Playthrough = at, item: Item = item) -> Playthrough | None:
                other = at.fork(strict=True)
                other.queue.insert(0, item)
                other.skip = other.skip | {item.name}
                try:
                    return other.finish(early=True)
                except SolutionError:
                    return other if any(not v.passed for v in other.episode.verdicts.values()) else None

            run = f"{step.name} already in the turn of {at.next.turn}"
            yield step.name, "", run, "accept it, or say on the step why it is not_before", play


def _first_known(ends: list[Playthrough], item: Item) -> Playthrough | None:
    """The playthrough at the end of the first turn, before the item's own, in which its call can be made."""
    assert item.step is not None
    for end in ends:
        if end.next.turn == item.turn:
            return None
        try:
            end.fork(strict=True).player.action(item.step)
        except _CANNOT:
            continue
        return end
    return None


# -- formats -----------------------------------------------------------------------------------------------------------


def _formats(context: Context) -> Iterator[Way]:
    """Each artifact in every form that a CSV or YAML file may have."""
    for path, artifact in context.task.bundle.checks.artifacts.items():
        forms = _CSV_FORMS if artifact.format == "csv" else _YAML_FORMS
        for name, form in forms.items():

            def play(path: str = path, form: Callable[[str], str] = form) -> Playthrough | None:
                def alter(_item: Item, action: dict[str, Any]) -> Iterable[dict[str, Any]]:
                    arguments = action["arguments"]
                    if action["tool"] == "workspace.write_file" and arguments["path"] == path:
                        return [{**action, "arguments": {**arguments, "text": form(arguments["text"])}}]
                    return [action]

                return Playthrough(context.task, context.scenario()).finish(alter, early=True)

            yield path, "", f"{path} with {name}", "let the artifact's columns or also_accepted allow it", play


def _rewritten(text: str, change: Callable[[list[list[str]]], list[list[str]]], **options: Any) -> str:
    lines = change(list(csv.reader(io.StringIO(text))))
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n", **options).writerows(lines)
    return buffer.getvalue()


_CSV_FORMS: dict[str, Callable[[str], str]] = {
    "Windows line ends and a byte order mark": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "every cell quoted": lambda text: _rewritten(text, lambda lines: lines, quoting=csv.QUOTE_ALL),
    "columns the other way round": lambda text: _rewritten(text, lambda lines: [line[::-1] for line in lines]),
    "a column more": lambda text: _rewritten(
        text, lambda lines: [[*line, "remark" if i == 0 else ""] for i, line in enumerate(lines)]
    ),
    "spaces after commas and an empty last line": lambda text: text.replace(",", ", ") + "\n",
}
_YAML_FORMS: dict[str, Callable[[str], str]] = {
    "JSON": lambda text: json.dumps(yaml.load(text, yaml.BaseLoader), indent=1),
    "flow style": lambda text: yaml.safe_dump(yaml.load(text, yaml.BaseLoader), default_flow_style=True),
    "keys the other way round": lambda text: yaml.safe_dump(
        [dict(reversed(list(entry.items()))) for entry in yaml.load(text, yaml.BaseLoader)], sort_keys=False
    ),
    "entries under a heading": lambda text: yaml.safe_dump({"constraints": yaml.load(text, yaml.BaseLoader)}),
}


# -- wordings ----------------------------------------------------------------------------------------------------------


def _forms(context: Context) -> Iterator[Way]:
    """Each authored alternative of a reply, a mail, a note."""
    known = compiled_solution(context.task).known
    for key, alternatives in context.task.bundle.solution.forms.items():
        for number, alternative in enumerate(alternatives, 1):
            compiled = compile_value(alternative, known)

            def play(key: str = key, compiled: Any = compiled) -> Playthrough | None:
                run = Playthrough(context.task, context.scenario())

                def alter(item: Item, action: dict[str, Any]) -> Iterable[dict[str, Any]]:
                    if item.name != (key if "/" in key else f"{key}/end"):
                        return [action]
                    names = run.player.names
                    if isinstance(compiled, dict):
                        changes = evaluate_value(compiled, names)
                    else:
                        changes = {"text": compiled.evaluate(names) if isinstance(compiled, Template) else compiled}
                    return [{**action, "arguments": {**action["arguments"], **changes}}]

                return run.finish(alter, early=True)

            advice = "widen the lexicon or the check; the wording is a right one"
            yield key, "", f"{key} in its form {number}", advice, play


_WAYS: dict[str, Callable[[Context], Iterator[Way]]] = {
    "orders": _orders,
    "earlier writes": _earlier,
    "formats": _formats,
    "wordings": _forms,
}


def _judge_forms(report: GateReport, context: Context) -> None:
    """Every check that reads wording has at least two authored alternatives of a text whose absence fails it."""
    solution = context.task.bundle.solution
    worded = {
        check.id
        for check in context.scenario().checks.values()
        for expression in (*(let.expression for let in check.let), *check.gate, *check.all)
        if check.all and not set(expression.names).isdisjoint(PROSE)
    }
    alternatives = dict.fromkeys(worded, 0)
    for before in context.forks():
        item = before.next
        key = item.turn if item.step is None else item.name
        if key not in solution.forms or not acts(item):
            continue
        other = before.fork(strict=False)
        other.advance(lambda _item, _action: [])
        other.finish()
        for check in other.failed():
            if check in alternatives:
                alternatives[check] += len(solution.forms[key])
    for key in solution.forms:
        turn = key.partition("/")[0]
        if turn not in compiled_solution(context.task).turns:
            report.fail(f"forms name {key!r}, which the solution does not have", subject=key)
    for check, count in sorted(alternatives.items()):
        if count < 2:
            report.fail(
                f"{count} authored alternatives of the wording that it reads, at least two are needed",
                subject=check,
                advice="write other right wordings under forms in solution.yaml, by turn or by turn/step",
            )
    report.figures["worded checks"] = len(worded)
