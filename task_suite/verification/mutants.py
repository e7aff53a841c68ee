"""What a slightly worse assistant would do: the solution with one step dropped, late, done twice, or off by one."""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from lifegym.services import catalogue
from lifegym.task_suite.task import Task
from lifegym.task_suite.verification.playthrough import Item, Playthrough

__all__ = ["Mutant", "mutants", "play_mutant"]

_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_NUMBER = re.compile(r"(?<![\w.:\-/@])\d+(?:\.\d+)?(?![\w:\-/@]|\.\d)")
_TIME = re.compile(r"(?<![\d:])([01]\d|2[0-3]):([0-5]\d)(?![\d:])")
_MAIL = re.compile(r"[\w.+\-]+@[\w\-]+(?:\.[\w\-]+)+")
_STRANGER = "someone.else@mail.example"


@dataclass(frozen=True)
class Mutant:
    """One change of the solution.

    Attributes:
        kind: ``drop``, ``delay``, ``duplicate`` or ``perturb``.
        item: Name of the step or end that is changed.
        index: Its place in the order of what the solution does.
        detail: What is changed in it, for ``perturb``.
        action: What is sent instead, for ``perturb``.
    """

    kind: str
    item: str
    index: int
    detail: str = ""
    action: Any = None

    def __str__(self) -> str:
        return f"{self.kind} {self.item}{f' ({self.detail})' if self.detail else ''}"


def acts(item: Item) -> bool:
    """Whether an item does something: a call, a file, a reply."""
    if item.step is None:
        return item.reply is not None
    return item.step.model.do is not None or item.step.model.write is not None


def writes(item: Item) -> bool:
    """Whether an item is a step that can change the world."""
    if item.step is None:
        return False
    spec = catalogue.find_tool(item.step.model.do) if item.step.model.do else None
    return item.step.model.write is not None or bool(spec and spec.write)


def mutants(play: Playthrough, index: int, kinds: tuple[str, ...]) -> Iterator[Mutant]:
    """The mutants of what a playthrough does next.

    A change that leaves the world as the step itself would is no mutant: a second look, a file written twice, a call
    that is refused the second time. What a step sends is perturbed in each number, date, time and recipient of its
    arguments; of a file, in the rows that it adds or changes.
    """
    item = play.next
    if not acts(item):
        return
    if "drop" in kinds:
        yield Mutant("drop", item.name, index)
    if item.step is None:
        return
    if "delay" in kinds and writes(item) and (late := _last_turn(play, item)) is not None:
        yield Mutant("delay", item.name, index, late)
    if not writes(item):
        return
    after = play.fork()
    after.advance()
    if "duplicate" in kinds and _records_after(play, 2) != _records_after(play, 1):
        yield Mutant("duplicate", item.name, index)
    if "perturb" in kinds:
        right = after.episode.world.dump()
        action = after.actions[-1][1]
        for detail, arguments in _perturbed(play, item, action["arguments"]):
            changed = {**action, "arguments": arguments}
            other = play.fork(strict=False)
            other.advance(lambda _item, _action: [changed])  # noqa: B023  called at once
            if other.episode.world.dump() != right:
                yield Mutant("perturb", item.name, index, detail, changed)


def _records_after(play: Playthrough, times: int) -> int:
    other = play.fork(strict=False)
    other.advance(lambda _item, action: [action] * times)
    return other.episode.world.store.record_count()


def play_mutant(before: Playthrough, mutant: Mutant, early: bool = False) -> Playthrough:
    """Play a mutant to the end, from a playthrough that stands just before its step.

    Args:
        before: It is not changed.
        mutant: What is different.
        early: Stop as soon as a check has failed.
    """
    play = before.fork(strict=False)
    item = play.next
    if mutant.kind == "drop" and item.step is not None:
        play.queue.pop(0)
    elif mutant.kind == "drop":
        play.advance(lambda _item, _action: [])
    elif mutant.kind == "delay":
        play.queue.pop(0)
        play.extra[mutant.detail] = (*play.extra.get(mutant.detail, ()), item)
    elif mutant.kind == "duplicate":
        play.advance(lambda _item, action: [action, action])
    else:
        play.advance(lambda _item, _action: [mutant.action])
    return play.finish(early=early)


def _last_turn(play: Playthrough, item: Item) -> str | None:
    """The last turn of the timeline: past every deadline. None where the item belongs to it."""
    turns = [event.id for event in play.scenario.events.values() if event.kind != "mutation"]
    return turns[-1] if play.scenario.events[turns[-1]].stage != item.stage else None


# -- perturbing --------------------------------------------------------------------------------------------------------


def _perturbed(play: Playthrough, item: Item, arguments: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    assert item.step is not None
    if item.step.model.write is not None:
        path = item.step.model.write
        file = play.episode.world.workspace.get(path)
        for detail, text in _file(play.task, path, arguments["text"], file.text if file else ""):
            yield detail, {**arguments, "text": text}
        return
    for name, value in arguments.items():
        for detail, changed in _value(value):
            yield f"{name}{detail}", {**arguments, name: changed}


def _value(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, (int, float)):
        yield f": {value} -> {value + 1}", value + 1
    elif isinstance(value, str):
        yield from _text(value)
    elif isinstance(value, list):
        for i, each in enumerate(value):
            for detail, changed in _value(each):
                yield f"[{i}]{detail}", [*value[:i], changed, *value[i + 1 :]]
    elif isinstance(value, dict):
        for key, each in value.items():
            for detail, changed in _value(each):
                yield f".{key}{detail}", {**value, key: changed}


def _text(text: str) -> Iterator[tuple[str, str]]:
    """A text with one of its dates, times, numbers or addresses changed; ids and names are left alone."""
    if _MAIL.fullmatch(text):
        yield f": {text} -> {_STRANGER}", _STRANGER
        return
    taken: list[tuple[int, int]] = []
    for pattern, change in ((_DATE, _later), (_TIME, _hour), (_NUMBER, _more)):
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            taken.append(match.span())
            new = change(match[0])
            if new is not None:
                yield f": {match[0]} -> {new}", text[: match.start()] + new + text[match.end() :]


def _later(text: str) -> str | None:
    try:
        return (dt.date.fromisoformat(text) + dt.timedelta(days=1)).isoformat()
    except ValueError:
        return None


def _hour(text: str) -> str:
    return f"{(int(text[:2]) + 1) % 24:02d}:{text[3:]}"


def _more(text: str) -> str:
    return str(float(text) + 1) if "." in text else str(int(text) + 1)


def _file(task: Task, path: str, text: str, before: str) -> Iterator[tuple[str, str]]:
    artifact = task.bundle.checks.artifacts[path]
    if artifact.format == "yaml":
        rows: list[dict[str, Any]] = yaml.safe_load(text)
        old: list[dict[str, Any]] = yaml.safe_load(before) or [] if before else []
        for i, row in enumerate(rows):
            if row in old:
                continue
            for name, value in row.items():
                for detail, changed in _value(value if not isinstance(value, dt.date) else value.isoformat()):
                    mutated = [*rows[:i], {**row, name: changed}, *rows[i + 1 :]]
                    yield f"row {i + 1} {name}{detail}", yaml.safe_dump(mutated, sort_keys=False, allow_unicode=True)
        return
    lines = list(csv.reader(io.StringIO(text)))
    known = {tuple(line) for line in csv.reader(io.StringIO(before))}
    header = lines[0]
    for i, line in enumerate(lines[1:], 1):
        if tuple(line) in known:
            continue
        for j, cell in enumerate(line):
            kind = artifact.columns.get(header[j])
            if kind == "str" and not _TIME.match(cell):
                continue
            for detail, changed in _text(cell):
                mutated_lines = [*lines[:i], [*line[:j], changed, *line[j + 1 :]], *lines[i + 1 :]]
                buffer = io.StringIO()
                csv.writer(buffer, lineterminator="\n").writerows(mutated_lines)
                yield f"row {i} {header[j]}{detail}", buffer.getvalue()
