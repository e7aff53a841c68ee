"""Playing a reference solution: what was seen becomes calls, and what comes of them is seen."""

from __future__ import annotations

import csv
import datetime as dt
import io
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import orjson
import yaml

from lifegym.checks.expressions import Expression, ExpressionError, Missing, Template, evaluate_value, plain
from lifegym.checks.kept import KeptMacro, Results
from lifegym.task_suite.patterns import PatternError, read_pattern
from lifegym.task_suite.solution import NOW, SOLUTION_FUNCTIONS, TODAY, CompiledStep, compiled_solution
from lifegym.task_suite.task import Task

__all__ = ["Player", "SolutionError"]

REPLY, WAIT = "assistant.reply", "assistant.wait"

_UNCHANGING = frozenset({dict})
"""What is seen is put in place of what was seen before; no value of it is changed."""


class SolutionError(Exception):
    """A step of a solution that cannot be played: its inputs were not seen, or its call came out otherwise."""


@lru_cache(maxsize=1024)
def _seen(path: str) -> Expression:
    return Expression(f"seen.{path}")


class _Seen(dict[str, Any]):
    """All that was seen, the one mapping that changes: no result is kept of a function that it is given to."""


class Player:
    """Plays steps: turns what was seen into calls, and results into what was seen.

    Args:
        task: Whose artifacts ``write`` steps follow.
        strict: Raise where a step cannot be played or its call is not accepted as declared; else drop the step.
    """

    def __init__(self, task: Task, strict: bool = True) -> None:
        self.task = task
        self.strict = strict
        self.seen: dict[str, Any] = _Seen()
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
        other.seen.update(self.seen)
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
            self._changed(NOW)
            if self.time[:10] != before[:10]:
                self._changed(TODAY)

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
            results = self._results[name] = Results()
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
        writer.writerows(map(row.get, columns) for row in rows)
        return buffer.getvalue()
