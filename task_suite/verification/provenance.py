"""Gate ``provenance``: the reference solution knows only what it has seen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from lifegym.task_suite.player import SolutionError
from lifegym.task_suite.reader import BundleError
from lifegym.task_suite.solution import compiled_solution, csv_rows
from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.literals import (
    PROSE,
    Literal,
    expression_literals,
    shared_names,
    step_literals,
    step_sources,
    template_sources,
    value_literals,
)
from lifegym.task_suite.verification.playthrough import Item, Playthrough
from lifegym.task_suite.verification.report import GateReport
from lifegym.task_suite.verification.sightings import Sightings, tokens

__all__ = ["provenance"]

_TIME = re.compile(r"\d{1,2}:\d{2}")
_UNITS = {1440, 3600, 86400}
"""Numbers of 100 and more that turn one unit into another; powers of ten do too."""

LEAST = 4
"""Texts shorter than this prove nothing by having been seen; numbers are looked up from 100 on."""


def provenance(context: Context) -> GateReport:
    """That ids, amounts, dates and choices are bound to what was seen, and every other literal was seen before its use.

    The language of the solution names no params and no records; what is looked at here are its literals. Prose of the
    assistant's own is free but for the numbers, dates, ids and addresses in it.
    """
    report = GateReport("provenance")
    try:
        compiled_solution(context.task)
    except BundleError as error:
        hint = "the solution knows no params: bind what was seen" if re.search(r"'p'", error.message) else "mend it"
        report.fail(f"it names what cannot have been seen: {error.message}", subject=error.where, advice=hint)
        return report
    _Reading(context, report).run()
    return report


class _Reading:
    """A pass over the reference run of the canonical world."""

    def __init__(self, context: Context, report: GateReport) -> None:
        self.context = context
        self.report = report
        self.task = context.task
        self.shared = compiled_solution(self.task).shared
        self.told: set[tuple[str, str]] = set()
        self.used: set[str] = set()
        self.params = _varying(context)
        self.named = [value for value in self.params if not value.isdigit()]
        self.counts = {"literals": 0, "own_words": 0}
        self.sent = ""

    def run(self) -> None:
        play = Playthrough(self.task, self.context.scenario())
        try:
            whole = play.fork().finish()
        except SolutionError as error:
            self.report.fail(
                f"it cannot be followed to its end: {error}",
                advice="see the gate solvable",
                run="the reference, canonical",
            )
            return
        self.sent = "\n".join(_plain(action["arguments"]) for _, action, _ in whole.actions if _exact(action))
        sightings = Sightings(self.task.services)
        sightings.add(play.scenario.briefing)
        sightings.add(play.episode.history.turns[-1].text)
        while not play.over:
            item = play.next
            done = len(play.actions)
            play.advance()
            taken = play.actions[done:]
            arguments = taken[0][1]["arguments"] if taken else {}
            self._item(item, arguments, sightings)
            for _, _, step in taken:
                sightings.add(step.text)
        self.report.figures.update(self.counts, params_that_vary=len(self.params))

    def _item(self, item: Item, arguments: dict[str, Any], sightings: Sightings) -> None:
        if item.step is None:
            literals = list(value_literals(item.reply, "reply")) if item.reply is not None else []
            sources = template_sources(item.reply)
        else:
            literals = list(step_literals(item.step))
            sources = step_sources(item.step)
        for name in sorted(shared_names(sources, self.shared) - self.used):
            self.used.add(name)
            literals.extend(expression_literals(self.shared[name][1].source))
        written = item.step.model.write if item.step else None
        for literal in literals:
            self._literal(item, literal, arguments, written, sightings)
        if written is not None:
            for column in self.task.bundle.checks.artifacts[written].columns:
                if not sightings.seen(column):
                    self._tell(item, column, f"the column {column!r} of {written} was not seen before it is written")

    # -- one literal ---------------------------------------------------------------------------------------------

    def _literal(
        self, item: Item, literal: Literal, arguments: dict[str, Any], written: str | None, sightings: Sightings
    ) -> None:
        self.counts["literals"] += 1
        value = literal.value
        if isinstance(value, str):
            text = value.strip()
            self._guessed(item, text, tokens(text) if " " in text else [text])
            if len(text) < LEAST or not any(sign.isalnum() for sign in text):
                return
            if self._in_own_words(literal, text, arguments, written):
                self.counts["own_words"] += 1
                for token in tokens(text):
                    if not (written and _TIME.fullmatch(token)) and not sightings.seen_token(token):
                        self._unseen(item, token, f"in {text[:60]!r}")  # times in an own plan are own choices
            elif not sightings.seen(text) and self._matters(literal, text, arguments):
                self._unseen(item, text, f"as {literal.place}" if literal.place else "in an expression")
        else:
            self._guessed(item, str(value), [str(value)] if abs(value) >= 100 else [])
            if abs(value) < 100 or value in _UNITS or set(str(value).strip("0")) == {"1"}:
                return
            if not sightings.seen_token(str(value)):
                self._unseen(item, str(value), f"as {literal.place}" if literal.place else "in an expression")

    def _in_own_words(self, literal: Literal, text: str, arguments: dict[str, Any], written: str | None) -> bool:
        """Whether a text only ends up where the assistant writes in its own words."""
        if literal.compared:
            return False
        if literal.place:
            return literal.place in PROSE or not arguments
        if written is not None:
            return text not in _cells(self.task, written, arguments["text"])
        places = [key for key, leaf in _named_leaves(arguments) if text in leaf]
        return bool(places) and all(place in PROSE for place in places)

    def _matters(self, literal: Literal, text: str, arguments: dict[str, Any]) -> bool:
        """Whether a text inside an expression decides something or is sent; other names are the author's own."""
        if literal.compared or not literal.inside:
            return True
        return bool(re.search(rf"(?<!\w){re.escape(text)}(?!\w)", self.sent))

    def _guessed(self, item: Item, text: str, parts: Any) -> None:
        """A literal that is the value of a param which other variants draw otherwise."""
        exact: list[tuple[str, str | None]] = [
            (part, self.params.get(part) or self.params.get(part.replace(",", ""))) for part in parts
        ]
        inside = [(part, self.params[part]) for part in self.named if part in text and Sightings.stands(part, text)]
        for part, name in dict.fromkeys([*exact, *inside]):
            if name is not None:
                self._tell(
                    item,
                    part,
                    f"the literal {part!r} is the value of the param {name}, which varies",
                    "bind it to what was seen",
                )

    def _unseen(self, item: Item, text: str, where: str) -> None:
        self._tell(item, text, f"{text!r} ({where}) was not seen before it is used: it cannot be known")

    def _tell(self, item: Item, text: str, message: str, advice: str = "") -> None:
        if (item.name, text) in self.told:
            return
        self.told.add((item.name, text))
        self.report.fail(
            message,
            subject=item.name,
            stage=item.stage,
            run="the reference, canonical",
            advice=advice or "show it earlier, or bind what was seen",
        )


def _varying(context: Context) -> dict[str, str]:
    """Canonical values that others draw otherwise, and their params: texts of four signs, numbers from 100."""
    task = context.task
    canonical = task.params()
    others = [task.params("train", seed) for seed in range(max(context.seeds, 5))]
    found: dict[str, str] = {}
    for name, value in canonical.items():
        shown = str(value)
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            continue
        if len(shown) < (LEAST if isinstance(value, str) else 3) or shown.strip("0") in ("", "1"):
            continue
        if any(other[name] != value for other in others):
            found.setdefault(shown, name)
    return found


def _exact(action: dict[str, Any]) -> bool:
    return action["tool"] not in ("assistant.reply", "assistant.wait")


def _plain(value: Any) -> str:
    return "\n".join(leaf for key, leaf in _named_leaves(value) if key not in PROSE)


def _named_leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """The texts in a call's arguments, each with the argument that it stands in."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _named_leaves(each, name if name in PROSE else key)
    elif isinstance(value, list):
        for each in value:
            yield from _named_leaves(each, name)
    elif isinstance(value, str):
        yield name, value


def _cells(task: Any, path: str, text: str) -> set[str]:
    """The cells of a written artifact that are not the assistant's own words: references, enumerations, dates."""
    artifact = task.bundle.checks.artifacts[path]
    rows = yaml.safe_load(text) if artifact.format == "yaml" else csv_rows(text)
    exact = set()
    for row in rows or []:
        for column, cell in row.items():
            kind = artifact.columns.get(column)
            own = kind in ("str", "time") and (column == artifact.key or not _names_something(column))
            if not own and cell is not None:
                exact.add(str(cell))
    return exact


def _names_something(column: str) -> bool:
    """Columns that hold what exists elsewhere: references, domains, files."""
    return column.endswith(("_ref", "_id", "_file", "domain", "places"))
