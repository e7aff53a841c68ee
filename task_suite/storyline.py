"""Storylines: part-bundles that tasks include with names, amounts and times of their own.

A storyline (``storylines/<name>/v<n>.yaml``) holds what a thread of a task needs: params, records, events, checks and
the reference solution's steps. ``$(name)`` stands in it for an argument, ``$(as)`` for the name under which it is
included, with which its ids begin. Expanding puts its parts among the task's own before these are compiled, so that a
task with storylines is a task like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from lifegym.checks.expressions import ExpressionError, Missing, compile_value, evaluate_value
from lifegym.checks.values import FUNCTIONS
from lifegym.task_suite.reader import BundleError, Document, read_yaml_file
from lifegym.task_suite.schema import IncludeModel, TaskFile
from lifegym.task_suite.variants import draw_params
from lifegym.world import clock

__all__ = ["STORYLINES", "expand", "included", "storylines", "with_params"]

_ROOT = Path(__file__).parent / "storylines"
STORYLINES = "storylines/"
"""With what the places of lines begin that come from a storyline."""

_ARGUMENT = re.compile(r"\$\(([a-z][a-z0-9_]*)\)")


def storylines() -> dict[str, Path]:
    """Every storyline by name and version, such as ``duplicate-charge@1``, and its file."""
    return {
        f"{path.parent.name.replace('_', '-')}@{path.stem[1:]}": path for path in sorted(_ROOT.glob("*/v[0-9]*.yaml"))
    }


def included(task: Document, uses: Iterable[IncludeModel]) -> dict[str, Document]:
    """The storylines that a task includes, by the names under which it does.

    Raises:
        BundleError: There is no such storyline, or its arguments are not those that it takes.
    """
    parts: dict[str, Document] = {}
    for i, use in enumerate(uses):
        where = task.where("storylines", i)
        path = storylines().get(use.use)
        if path is None:
            known = ", ".join(storylines()) or "none"
            raise BundleError(where, f"there is no storyline {use.use!r}; there are: {known}")
        if use.as_ in parts:
            raise BundleError(where, f"{use.as_!r} names two storylines")
        name, _, version = use.use.partition("@")
        document = read_yaml_file(path, f"{STORYLINES}{name}@{version}")
        takes = _header(document, name, version)
        lacking = [argument for argument in takes if argument not in use.with_]
        unknown = [argument for argument in use.with_ if argument not in takes]
        if lacking or unknown:
            told = "; ".join(f"{argument}: {about}" for argument, about in takes.items())
            raise BundleError(
                where,
                f"{use.use} takes {told}"
                + (f"; not {', '.join(unknown)}" if unknown else "")
                + (f"; {', '.join(lacking)} is missing" if lacking else ""),
            )
        parts[use.as_] = _filled(document, {**use.with_, "as": use.as_})
    return parts


def _header(document: Document, name: str, version: str) -> dict[str, str]:
    """What a storyline takes."""
    head = document.value if isinstance(document.value, dict) else {}
    if (head.get("format"), head.get("id"), str(head.get("version"))) != (1, name, version):
        raise BundleError(document.where(), f"a storyline begins with format: 1, id: {name}, version: {version}")
    takes = head.get("takes", {})
    if not isinstance(takes, dict) or not all(isinstance(about, str) for about in takes.values()) or "as" in takes:
        raise BundleError(document.where("takes"), "'takes' says of each argument what it is; 'as' is always there")
    unknown = sorted(set(head) - {"format", "id", "version", "about", "takes", *_PARTS, "solution"})
    if unknown:
        raise BundleError(document.where(unknown[0]), f"unknown key {unknown[0]!r}")
    return takes


def _filled(document: Document, arguments: Mapping[str, Any]) -> Document:
    """The document with its arguments in their places.

    A text that is nothing but an argument becomes its value, in a list the items of a list.
    """
    lines = dict(document.lines)

    def argument(match: re.Match[str], place: tuple[Any, ...]) -> Any:
        if match[1] not in arguments:
            raise BundleError(
                document.where(*place), f"$({match[1]}) is no argument; there are: {', '.join(arguments)}"
            )
        return arguments[match[1]]

    def text(value: str, place: tuple[Any, ...]) -> str:
        return _ARGUMENT.sub(lambda match: str(argument(match, place)), value)

    def fill(value: Any, place: tuple[Any, ...]) -> Any:
        if isinstance(value, str):
            whole = _ARGUMENT.fullmatch(value)
            return argument(whole, place) if whole else text(value, place)
        if isinstance(value, list):
            return [each for i, item in enumerate(value) for each in spread(item, fill(item, (*place, i)))]
        if isinstance(value, dict):
            return {text(key, place): fill(item, (*place, key)) for key, item in value.items()}
        return value

    def spread(item: Any, filled: Any) -> list[Any]:
        """In a list, an argument that is a list puts in its items."""
        return filled if isinstance(filled, list) and isinstance(item, str) else [filled]

    for place in document.lines:
        filled = tuple(text(step, place) if isinstance(step, str) else step for step in place)
        lines[filled] = document.lines[place]
    body = {key: value for key, value in document.value.items() if key not in ("about", "takes")}
    return Document(document.path, fill(body, ()), lines)


# -- putting the parts together ----------------------------------------------------------------------------------------

_PARTS = ("params", "records", "generate", "events", "artifacts", "shared", "checks")


def with_params(task: Document, parts: Mapping[str, Document]) -> Document:
    """``task.yaml`` with the storylines' params after its own."""
    return _merged(task, ("params",), [(part, ("params",)) for part in parts.values()])


def expand(documents: dict[str, Document], task: TaskFile, parts: Mapping[str, Document]) -> None:
    """Put the storylines' records, events, checks and solution among the documents of a task.

    Events come in the order of their canonical times, turns of the solution in the order of their events; steps in the
    turn of an event that the task answers itself follow the task's own steps.

    Raises:
        BundleError: Two things have the same name, or an event's time does not work out.
    """
    for name, part in parts.items():
        world = {key: part.value[key] for key in ("records", "generate") if key in part.value}
        if world:
            documents[f"world/{name}"] = Document(part.path, world, part.lines)
    timeline = _merged(documents["timeline.yaml"], ("events",), [(part, ("events",)) for part in parts.values()])
    at = _Times(task, timeline)
    documents["timeline.yaml"] = timeline = _sorted(timeline, "events", lambda i, event: at(i, event))
    checks = documents["checks.yaml"]
    for kind in ("artifacts", "shared", "checks"):
        checks = _merged(checks, (kind,), [(part, (kind,)) for part in parts.values()])
    documents["checks.yaml"] = checks
    solution = documents["solution.yaml"]
    for kind in ("shared", "violations", "near_misses", "forms"):
        solution = _merged(solution, (kind,), [(part, ("solution", kind)) for part in parts.values()])
    events = timeline.value.get("events") or []
    order = {event.get("id"): i for i, event in enumerate(events) if isinstance(event, dict)}
    for part in parts.values():
        solution = _with_turns(solution, part)
    documents["solution.yaml"] = _sorted(
        solution, "turns", lambda _, turn: order.get(turn.get("turn"), -1) if isinstance(turn, dict) else -1
    )


def _under(document: Document, place: tuple[Any, ...]) -> Any:
    value = document.value
    for step in place:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _merged(document: Document, place: tuple[str], others: list[tuple[Document, tuple[str, ...]]]) -> Document:
    """A document with what stands in others added to one of its lists or mappings."""
    own = _under(document, place)
    value, lines = own, dict(document.lines)
    for other, there in others:
        more = _under(other, there)
        if more is None:
            continue
        shift = 0
        if isinstance(more, dict) and isinstance(value, dict | None):
            twice = [key for key in more if key in (value or {})]
            if twice:
                raise BundleError(other.where(*there, twice[0]), f"{twice[0]!r} has a meaning in the task already")
            value = {**(value or {}), **more}
        elif isinstance(more, list) and isinstance(value, list | None):
            shift = len(value or ())
            value = [*(value or ()), *more]
        else:
            raise BundleError(other.where(*there), f"{there[-1]} of a storyline are written as those of a task")
        for line, where in other.lines.items():
            if line[: len(there)] == there and len(line) > len(there):
                step = line[len(there)]
                lines[*place, step + shift if isinstance(step, int) else step, *line[len(there) + 1 :]] = where
    if value is own:
        return document
    return Document(document.path, {**document.value, place[0]: value}, lines)


def _sorted(document: Document, key: str, rank: Callable[[int, Any], Any]) -> Document:
    """A document with one of its lists in another order."""
    items = document.value.get(key) or []
    order = sorted(range(len(items)), key=lambda i: rank(i, items[i]))
    if order == list(range(len(items))):
        return document
    new = {old: i for i, old in enumerate(order)}
    lines = {
        (key, new[place[1]], *place[2:]) if len(place) > 1 and place[0] == key else place: where
        for place, where in document.lines.items()
    }
    return Document(document.path, {**document.value, key: [items[i] for i in order]}, lines)


def _with_turns(solution: Document, part: Document) -> Document:
    """The solution with a storyline's turns; one of an event with a turn already adds its steps to that turn, and its
    end where that turn has none."""
    turns = _under(part, ("solution", "turns"))
    if not isinstance(turns, list):
        return _merged(solution, ("turns",), [(part, ("solution", "turns"))])
    taken = {turn.get("turn"): i for i, turn in enumerate(solution.value.get("turns") or []) if isinstance(turn, dict)}
    for i, turn in enumerate(turns):
        there = ("solution", "turns", i)
        name = turn.get("turn") if isinstance(turn, dict) else None
        if name not in taken:
            one = Document(part.path, {"turns": [turn]}, _moved(part.lines, there, ("turns", 0)))
            solution = _merged(solution, ("turns",), [(one, ("turns",))])
            continue
        at = taken[name]
        own = list(solution.value["turns"])
        if "end" in turn and "end" in own[at]:
            raise BundleError(part.where(*there, "end"), f"the turn of {name} has an end already")
        before = own[at].get("steps") or []
        ending = {"end": turn["end"]} if "end" in turn else {}
        own[at] = {**own[at], "steps": [*before, *(turn.get("steps") or [])], **ending}
        lines = dict(solution.lines) | _moved(part.lines, (*there, "end"), ("turns", at, "end"))
        for j in range(len(turn.get("steps") or [])):
            lines |= _moved(part.lines, (*there, "steps", j), ("turns", at, "steps", len(before) + j))
        solution = Document(solution.path, {**solution.value, "turns": own}, lines)
    return solution


def _moved(lines: Mapping[tuple[Any, ...], str], there: tuple[Any, ...], here: tuple[Any, ...]) -> dict[Any, str]:
    return {(*here, *place[len(there) :]): where for place, where in lines.items() if place[: len(there)] == there}


class _Times:
    """The canonical time of each event."""

    def __init__(self, task: TaskFile, timeline: Document) -> None:
        self._task = task
        self._timeline = timeline
        try:
            self._names = {**FUNCTIONS, "p": draw_params(task.id, task.params, "canonical", 0)}
        except ExpressionError as error:
            raise BundleError("task.yaml", str(error)) from None

    def __call__(self, i: int, event: Any) -> int:
        try:
            moment = evaluate_value(compile_value(event["at"], self._names), self._names)
            return clock.moment(str(moment), clock.parse_day(self._task.start), self._task.zone)
        except (ExpressionError, Missing, ValueError, TypeError, KeyError) as error:
            raise BundleError(self._timeline.where("events", i), f"its time does not work out: {error}") from None
