"""Playing a reference solution: steps whose values are bound to what was seen, and to nothing else."""

from __future__ import annotations

import ast
import csv
import datetime as dt
import io
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson
import yaml

from lifegym.checks.budget import spend
from lifegym.checks.expressions import (
    Expression,
    ExpressionError,
    Missing,
    Template,
    compile_value,
    evaluate_value,
    plain,
)
from lifegym.checks.kept import KeptMacro, Results
from lifegym.checks.syntax import parse
from lifegym.checks.values import FUNCTIONS
from lifegym.task_suite.patterns import PatternError, read_pattern
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.schema import EndModel, StepModel, TurnModel
from lifegym.task_suite.task import Task

__all__ = [
    "SOLUTION_NAMES",
    "CompiledSolution",
    "CompiledStep",
    "CompiledTurn",
    "Player",
    "SolutionError",
    "compiled_solution",
]

REPLY, WAIT = "assistant.reply", "assistant.wait"


class SolutionError(Exception):
    """A step of a solution that cannot be played: its inputs were not seen, or its call came out otherwise."""


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text as mappings of heading to cell."""
    spend(len(text) >> 4)
    lines = csv.reader(io.StringIO(text.lstrip("\ufeff")), skipinitialspace=True)
    heading = next(lines, [])
    rows: list[dict[Any, Any]] = []
    for cells in lines:
        if not any(cells):
            continue
        row: dict[Any, Any] = dict(zip(heading, cells, strict=False))
        if len(cells) != len(heading):
            if len(cells) > len(heading):
                row[None] = cells[len(heading) :]
            row.update(dict.fromkeys(heading[len(cells) :]))
        rows.append(row)
    return rows


def yaml_value(text: str) -> Any:
    """A YAML or JSON text as values."""
    spend(len(text) >> 4)
    return yaml.safe_load(text)


def json_value(text: str) -> Any:
    """A JSON text as values."""
    spend(len(text) >> 4)
    return orjson.loads(text)


SOLUTION_FUNCTIONS = {**FUNCTIONS, "csv_rows": csv_rows, "yaml_value": yaml_value, "json_value": json_value}
SOLUTION_NAMES = frozenset([*SOLUTION_FUNCTIONS, "seen", "now", "today"])
"""What a solution's expressions may name: functions, what was seen, and the time of the last observation."""

_UNCHANGING = frozenset({dict})
"""What is seen is put in place of what was seen before; no value of it is changed."""

_NOW, _TODAY = "now()", "today()"
"""Beside the names of what was seen: that an expression reads the time, or the date."""


class CompiledStep:
    """A step with its expressions compiled.

    Args:
        known: Names that its expressions may use.

    Attributes:
        model: As it stands in the bundle.
        name: ``<turn>/<id or number>``: names it in messages and mutants.
        arguments: Compiled arguments of its call.
        rows: Compiled rows of what it writes.
        bind: Names and expressions.
        calls: Whether it makes a call; else it only binds values.
    """

    def __init__(self, model: StepModel, name: str, known: Collection[str]) -> None:
        self.model = model
        self.name = name
        self.arguments = compile_value(model.with_, known)
        self.rows = Expression(_bare(model.rows), known) if model.rows is not None else None
        self.bind = {key: Expression(_bare(source), known) for key, source in (model.bind or {}).items()}
        self.calls = model.see is None and model.bind is None


def _bare(source: str) -> str:
    text = source.strip()
    return text[2:-1] if text.startswith("${") and text.endswith("}") else text


@lru_cache(maxsize=1024)
def _seen(path: str) -> Expression:
    return Expression(f"seen.{path}")


def _reads(expression: Expression) -> frozenset[str] | None:
    """Of an expression which names it reads of what was seen, and of the time; None where that cannot be told."""
    found = {f"{name}()" for name in expression.names} & {_NOW, _TODAY}
    if "seen" in expression.names:
        nodes = list(ast.walk(parse(expression.source)))
        fields = [node for node in nodes if isinstance(node, ast.Attribute) and _is_seen(node.value)]
        if len(fields) < sum(map(_is_seen, nodes)):
            return None
        found.update(node.attr for node in fields)
    return frozenset(found)


def _is_seen(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id == "seen"


class CompiledTurn:
    """A turn with its steps and its end."""

    def __init__(self, model: TurnModel, known: Collection[str]) -> None:
        self.event = model.turn
        self.steps = [CompiledStep(s, f"{model.turn}/{s.id or i}", known) for i, s in enumerate(model.steps, 1)]
        end = model.end if isinstance(model.end, EndModel) else None
        self.reply: Any = compile_value(end.reply, known) if end else None
        self.harmless = end.harmless if end else None


class CompiledSolution:
    """A task's reference solution.

    Attributes:
        shared: Its own functions and names: name to parameters and expression.
        turns: By event.
        steps: Those of the turns, by name.
        acts: Violations and near misses by id: steps that follow those of their turn, and a reply in its place.
    """

    def __init__(self, task: Task) -> None:
        model, where = task.bundle.solution, task.bundle.where
        names = {key.partition("(")[0]: key for key in model.shared}
        self.known = SOLUTION_NAMES | set(names)
        self.shared: dict[str, tuple[tuple[str, ...], Expression]] = {}
        for name, key in names.items():
            parameters = tuple(part.strip() for part in key.partition("(")[2].rstrip(")").split(",") if part.strip())
            if name in SOLUTION_NAMES:
                raise BundleError(where("solution.yaml", "shared", key), f"{name!r} has a meaning already")
            try:
                expression = Expression(model.shared[key], self.known | set(parameters), own=parameters)
                self.shared[name] = (parameters, expression)
            except ExpressionError as error:
                raise BundleError(where("solution.yaml", "shared", key), str(error)) from None
        self._reads = {name: _reads(expression) for name, (_, expression) in self.shared.items()}
        self._readers: dict[str, tuple[str, ...]] = {}
        self.turns: dict[str, CompiledTurn] = {}
        for i, turn in enumerate(model.turns):
            at = where("solution.yaml", "turns", i)
            if turn.turn in self.turns:
                raise BundleError(at, f"the turn of {turn.turn} stands there twice")
            self.turns[turn.turn] = self._turn(task, turn, at)
        self.steps = {step.name: step for compiled in self.turns.values() for step in compiled.steps}
        self.acts: dict[str, CompiledTurn] = {}
        for file_key in ("violations", "near_misses"):
            for i, act in enumerate(getattr(model, file_key)):
                end: Any = "wait" if act.reply is None else EndModel(reply=act.reply)
                at = where("solution.yaml", file_key, i)
                if act.id in self.acts:
                    raise BundleError(at, f"{act.id} stands there twice")
                self.acts[act.id] = self._turn(task, TurnModel(turn=act.turn, steps=act.steps, end=end), at)

    def readers(self, name: str) -> tuple[str, ...]:
        """The shared functions that may give something else when this has changed: what was seen, or the time."""
        if name not in self._readers:
            found = {key for key, reads in self._reads.items() if reads is None or name in reads}
            size = 0
            while size < len(found):  # until there is no function left that uses one of them
                size = len(found)
                found |= {key for key, (_, expression) in self.shared.items() if not found.isdisjoint(expression.names)}
            self._readers[name] = tuple(key for key in self.shared if key in found)
        return self._readers[name]

    def _turn(self, task: Task, model: TurnModel, where: str) -> CompiledTurn:
        if model.turn not in task.bundle.events:
            raise BundleError(where, f"there is no event {model.turn!r}")
        try:
            return CompiledTurn(model, self.known)
        except ExpressionError as error:
            raise BundleError(where, str(error)) from None


def compiled_solution(task: Task) -> CompiledSolution:
    """The reference solution of a task, compiled once.

    Raises:
        BundleError: An expression or a reference in it is wrong.
    """
    if task.solution is None:
        task.solution = CompiledSolution(task)
    found: CompiledSolution = task.solution
    return found


class Player:
    """Plays steps: turns what was seen into calls, and results into what was seen.

    Args:
        task: Whose artifacts ``write`` steps follow.
        strict: Raise where a step cannot be played or its call is not accepted as declared; else drop the step.
    """

    def __init__(self, task: Task, strict: bool = True) -> None:
        self.task = task
        self.strict = strict
        self.seen: dict[str, Any] = {}
        self.texts: dict[str, str] = {}
        self.time = ""
        self._instant: dt.datetime | None = None
        self.dropped: list[str] = []
        self.done: set[str] = set()
        self._scope: dict[str, Any] | None = None
        self._results: dict[str, Results] = {}

    def fork(self, strict: bool) -> Player:
        """An independent player that has seen the same."""
        other = Player(self.task, strict)
        other.seen = self.seen.copy()
        other.texts = self.texts.copy()
        other.time = self.time
        other.dropped = self.dropped.copy()
        other.done = self.done.copy()
        return other

    # -- observing -----------------------------------------------------------------------------------------------

    def observe(self, observation: Mapping[str, str]) -> None:
        """Take note of the time of an observation."""
        before, self.time = self.time, observation["time"]
        if self.time != before:
            self._instant = None
            self._changed(_NOW)
            if self.time[:10] != before[:10]:
                self._changed(_TODAY)

    def opened(self, events: list[str], text: str) -> None:
        """Take note of the text of a turn's opening."""
        for event in events:
            self.texts[event] = text

    def result(self, step: CompiledStep, observation: Mapping[str, str]) -> None:
        """Take note of what came of a step's call."""
        model = step.model
        if observation["kind"] == "error":
            code = orjson.loads(observation["text"])["error"]["code"]
            if model.refused != code and self.strict:
                raise SolutionError(f"{step.name}: {model.do or 'write'} was refused: {observation['text']}")
            return
        if model.refused is not None and self.strict:
            raise SolutionError(f"{step.name}: {model.do} should have been refused with {model.refused}")
        self.done.add(step.name)
        names = [name for name in (model.as_, model.again) if name is not None]
        if names and model.write is None:  # a written artifact is kept as its rows
            self.see(dict.fromkeys(names, orjson.loads(observation["text"])))

    def see(self, values: Mapping[str, Any]) -> None:
        """Take note of values by name."""
        self.seen.update(values)
        for name in values:
            self._changed(name)

    def forget(self, name: str) -> Any:
        """Give up a value that was seen, and return it."""
        self._changed(name)
        return self.seen.pop(name)

    def _changed(self, name: str) -> None:
        """Let go of what functions gave that read something which is now another."""
        for function in compiled_solution(self.task).readers(name) if self._results else ():
            self._results[function].clear()

    # -- acting --------------------------------------------------------------------------------------------------

    @property
    def names(self) -> dict[str, Any]:
        """The scope of the solution's expressions."""
        if self._scope is not None:
            return self._scope
        scope: dict[str, Any] = {**SOLUTION_FUNCTIONS, "seen": self.seen, "now": self._now, "today": self._today}
        for name, (parameters, expression) in compiled_solution(self.task).shared.items():
            results = self._results[name] = {}
            scope[name] = KeptMacro(parameters, expression, scope, results, _UNCHANGING)
        self._scope = scope
        return scope

    def _now(self) -> dt.datetime:
        if self._instant is None:
            self._instant = dt.datetime.fromisoformat(self.time)
        return self._instant

    def _today(self) -> dt.date:
        return self._now().date()

    def actions(self, steps: list[CompiledStep]) -> Iterator[tuple[CompiledStep, dict[str, Any]]]:
        """The calls of some steps; what each yields must be fed to ``result`` before the next is asked for."""
        for step in steps:
            try:
                action = self.action(step)
            except (ExpressionError, Missing, PatternError, SolutionError) as error:
                if self.strict:
                    raise SolutionError(f"{step.name}: {error}") from error
                self.dropped.append(step.name)
                continue
            if action is not None:
                yield step, action

    def action(self, step: CompiledStep) -> dict[str, Any] | None:
        """The call of a step; None for one that only binds values.

        Raises:
            SolutionError: A step that it needs was not played, or its call was refused.
            ExpressionError, Missing, PatternError: What it needs was not seen.
        """
        model = step.model
        turn = step.name.rpartition("/")[0]
        lacking = [need for need in model.needs if f"{turn}/{need}" not in self.done]
        if lacking:
            raise SolutionError(f"it needs {lacking[0]}, which was not done")
        if model.see is not None:
            self.see(read_pattern(model.see["pattern"], self._source(model.see["from"])))
            self.done.add(step.name)
            return None
        if model.bind is not None:
            for name, expression in step.bind.items():
                self.see({name: plain(expression.evaluate(self.names))})
            self.done.add(step.name)
            return None
        if model.write is not None:
            assert step.rows is not None
            rows = plain(step.rows.evaluate(self.names))
            if model.as_ is not None:
                self.see({model.as_: rows})
            text = self._artifact(model.write, rows)
            return {"tool": "workspace.write_file", "arguments": {"path": model.write, "text": text}}
        return {"tool": model.do, "arguments": evaluate_value(step.arguments, self.names)}

    def reply(self, template: Any) -> dict[str, Any]:
        """The end of a turn: a reply from a compiled text; silence for None, and for a reply that lacks its values."""
        if template is None:
            return {"tool": WAIT, "arguments": {}}
        try:
            text = template.evaluate(self.names) if isinstance(template, Template) else template
        except (ExpressionError, Missing) as error:
            if self.strict:
                raise SolutionError(f"reply: {error}") from error
            self.dropped.append("reply")
            return {"tool": WAIT, "arguments": {}}
        return {"tool": REPLY, "arguments": {"text": text}}

    def _source(self, name: str) -> str:
        if name in self.texts:
            return self.texts[name]
        value = _seen(name).evaluate({"seen": self.seen})
        if not isinstance(value, str):
            raise SolutionError(f"seen.{name} is no text")
        return value

    def _artifact(self, path: str, rows: list[dict[str, Any]]) -> str:
        artifact = self.task.bundle.checks.artifacts.get(path)
        if artifact is None:
            raise SolutionError(f"{path} is not declared under artifacts in checks.yaml")
        columns = list(artifact.columns)
        if artifact.format == "yaml":
            entries = [{c: row.get(c) for c in columns} for row in rows]
            text: str = yaml.dump(entries, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True)
            return text
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([row.get(c) for c in columns] for row in rows)
        return buffer.getvalue()
