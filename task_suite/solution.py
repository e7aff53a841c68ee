"""A reference solution compiled: steps whose values are bound to what was seen, and to nothing else."""

from __future__ import annotations

import ast
import csv
import io
from collections.abc import Collection
from typing import Any

import orjson

from lifegym.checks.budget import spend
from lifegym.checks.expressions import Expression, ExpressionError, compile_value
from lifegym.checks.syntax import parse
from lifegym.checks.values import FUNCTIONS
from lifegym.task_suite.compilation import SharedName, signature
from lifegym.task_suite.reader import BundleError, read_yaml
from lifegym.task_suite.schema import EndModel, StepModel, TurnModel
from lifegym.task_suite.task import Task

__all__ = [
    "NOW", "SOLUTION_FUNCTIONS", "SOLUTION_NAMES", "TODAY", "CompiledSolution", "CompiledStep", "CompiledTurn",
    "compiled_solution", "csv_rows",
]  # fmt: skip


def csv_rows(text: str) -> list[dict[str, str]]:
    """The rows of a CSV text as mappings of heading to cell."""
    spend((len(text) >> 4) + text.count("\n"))
    lines = csv.reader(io.StringIO(text.lstrip("\ufeff")), skipinitialspace=True)
    heading = next(lines, [])
    rows: list[dict[Any, Any]] = []
    for cells in lines:
        if not any(cells):
            continue
        row: dict[Any, Any] = dict(zip(heading, cells, strict=False))
        if len(cells) != len(heading):
            spend(len(heading))
            if len(cells) > len(heading):
                row[None] = cells[len(heading) :]
            row.update(dict.fromkeys(heading[len(cells) :]))
        rows.append(row)
    return rows


def yaml_value(text: str) -> Any:
    """A YAML text as values, read as bundles are: without aliases and tags, which make much of little."""
    spend(len(text) >> 2)
    return read_yaml(text, "text").value


def json_value(text: str) -> Any:
    """A JSON text as values."""
    spend(len(text) >> 4)
    return orjson.loads(text)


SOLUTION_FUNCTIONS = {**FUNCTIONS, "csv_rows": csv_rows, "yaml_value": yaml_value, "json_value": json_value}
SOLUTION_NAMES = frozenset([*SOLUTION_FUNCTIONS, "seen", "now", "today"])
"""What a solution's expressions may name: functions, what was seen, and the time of the last observation."""

NOW, TODAY = "now()", "today()"
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


def _reads(expression: Expression) -> frozenset[str] | None:
    """Of an expression which names it reads of what was seen, and of the time; None where that cannot be told."""
    found = {f"{name}()" for name in expression.names} & {NOW, TODAY}
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
        self.known = SOLUTION_NAMES | {signature(key)[0] for key in model.shared}
        self.shared: dict[str, SharedName] = {}
        for key in model.shared:
            name, parameters = signature(key)
            if name in SOLUTION_NAMES:
                raise BundleError(where("solution.yaml", "shared", key), f"{name!r} has a meaning already")
            try:
                expression = Expression(model.shared[key], self.known | set(parameters), own=parameters)
                self.shared[name] = SharedName(parameters, expression)
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
