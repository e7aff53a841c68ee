"""Calls that look like the right one: made from seen ids, wrong values, violations, premature and late steps."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from functools import cache
from itertools import islice
from typing import Any, TypeVar

from lifegym.services import catalogue
from lifegym.task_suite.solution import CompiledStep, CompiledTurn
from lifegym.wrappers.guide import UNKNOWN, Guide, Planned

__all__ = ["WAIT", "WAITING", "Distractors", "Ids", "altered"]

WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}
WAITING = Planned(WAIT)
NOTED: dict[str, Any] = {"tool": "assistant.reply", "arguments": {"text": "Noted."}}

V = TypeVar("V")

_ID_NAME = r"(?:[a-z_]*_(?:id|ref|no|code)|pnr|path|symbol)"
_ID = re.compile(rf'"({_ID_NAME})":"([^"\\]{{1,80}})"')
_RECENT = 12
"""So many of the latest ids of a name are offered."""

_FRESH = 2
"""So many of the calls offered at a step are new ones, where the turn has others."""

_TRIES = 5
"""So many tools are drawn for one whose ids were seen."""

_ROUNDS = 3
"""So often each kind has its turns before calls are given up."""


class Ids:
    """The ids that were seen, by the names of the fields in which they stood, the latest last.

    >>> ids = Ids()
    >>> ids.see('{"email_id":"m1","from":"bo@mail.example"}')
    >>> ids.latest("email_id")
    ['m1']
    """

    def __init__(self) -> None:
        self._found: dict[str, dict[str, None]] = {}
        self._last: list[tuple[str, str]] = []
        self._texts: list[str] = []
        """What was seen and not read yet."""

    def see(self, text: str) -> None:
        """Take note of the ids in a tool's result."""
        self._texts.append(text)

    def latest(self, name: str) -> list[str]:
        """The latest ids of a name, the last seen first."""
        self._read()
        return list(islice(reversed(self._found.get(name, {})), _RECENT))

    @property
    def names(self) -> Set[str]:
        """The names of which there are ids."""
        self._read()
        return self._found.keys()

    def last(self) -> list[tuple[str, str]]:
        """The names and ids of the last text that had any."""
        self._read()
        return self._last

    def _read(self) -> None:
        for text in self._texts:
            found = _ID.findall(text)
            for name, value in found:
                values = self._found.setdefault(name, {})
                values.pop(value, None)
                values[value] = None
            self._last = found or self._last
        self._texts.clear()

    def fork(self) -> Ids:
        """An independent copy."""
        other = Ids()
        other._found = {name: values.copy() for name, values in self._found.items()}
        other._texts, other._last = self._texts.copy(), self._last
        return other


class Distractors:
    """Makes calls that are not the right one.

    Those that the world accepted are kept to the end of the turn and offered again, since to make and to try one costs
    more than all else that is done for it; a few are made anew at every step, so that what was just seen is among them.

    Args:
        guide: The solution that is followed.
        services: The services of the world.
        rng: Where the randomness comes from.

    >>> from lifegym.task_suite import load_task
    >>> task = load_task("japan-trip")
    >>> made = Distractors(Guide(task), task.services, random.Random(0))
    >>> made.ids.see('{"email_id":"m1"}')
    >>> [sorted(planned.action) for planned in made.beside(Planned(WAIT), 1, lambda planned: True)]
    [['arguments', 'tool']]
    """

    def __init__(self, guide: Guide, services: tuple[str, ...], rng: random.Random) -> None:
        self.guide = guide
        self.services = services
        self._rng, self._shared = rng, False
        self.ids = Ids()
        self.made: list[dict[str, Any]] = []
        """Calls that were made and accepted, beside the ends of turns."""
        self.said: list[dict[str, Any]] = []
        """Replies that were made."""
        self.writes = 0
        """How many of the calls wrote something."""
        self._kept: dict[bytes, Planned] = {}
        """What was offered in this turn."""

    @property
    def rng(self) -> random.Random:
        """The generator. A fork shares it until one of the two draws: to copy its state takes longer than all else."""
        if self._shared:
            state = self._rng.getstate()
            self._rng, self._shared = random.Random(0), False
            self._rng.setstate(state)
        return self._rng

    def opened(self) -> None:
        """A turn begins."""
        self._kept = {}

    def seen(self, action: Mapping[str, Any], observation: Mapping[str, str]) -> None:
        """A call was made; this came of it."""
        if action["tool"] == "assistant.reply":
            self.said.append(dict(action))
        elif observation["kind"] == "result":
            spec = catalogue.find_tool(action["tool"])
            self.writes += spec is None or spec.write
            self.made.append(dict(action))
            self.ids.see(observation["text"])

    def fork(self) -> Distractors:
        """An independent copy, its guide and generator included."""
        self._shared = True
        other = Distractors(self.guide.fork(), self.services, self._rng)
        other._shared = True
        other.ids = self.ids.fork()
        other.made, other.said, other.writes = self.made.copy(), self.said.copy(), self.writes
        other._kept = self._kept.copy()
        return other

    def beside(self, right: Planned, count: int, accepts: Callable[[Planned], bool]) -> list[Planned]:
        """Some calls beside the right one, each another and none of them ``wait``; fewer where too few are accepted.

        Args:
            right: The right call of the moment; wrong values are made from it and from others.
            count: How many.
            accepts: Whether the world would accept a call now.
        """
        found: dict[bytes, Planned] = {}
        passed = {right.key, WAITING.key}  # what is refused is not tried twice
        makers = self._makers(right)

        def take(candidates: Iterable[Planned], most: int) -> None:
            for planned in candidates:
                if len(found) >= most:
                    break
                if planned.key not in passed:
                    passed.add(planned.key)
                    if accepts(planned):
                        found[planned.key] = planned

        take(makers, min(_FRESH, count))
        if self._kept:
            done = self.guide.player.done
            take(self._drawn([planned for planned in self._kept.values() if planned.step not in done]), count)
        take(makers, count)
        self._kept.update(found)
        return list(found.values())

    def _makers(self, right: Planned) -> Iterator[Planned]:
        """New calls of every kind, in a drawn order."""
        kinds = [self._violating, self._wrong, self._wrong, self._seen, self._seen, self._replied, self._premature,
                 self._late]  # fmt: skip
        latest = self._latest()
        if latest is not None:
            yield latest
        for _ in range(_ROUNDS):
            for make in self._drawn(kinds.copy()):
                planned = make(right)
                if planned is not None:
                    yield planned

    def _drawn(self, several: list[V]) -> Iterator[V]:
        """Things taken out of a list in a drawn order, which is drawn only as far as it is needed."""
        draw = self.rng.random
        while several:
            place = int(draw() * len(several))
            several[place], several[-1] = several[-1], several[place]
            yield several.pop()

    # -- the kinds -----------------------------------------------------------------------------------------------

    def _latest(self) -> Planned | None:
        """A tool with one of the ids that were seen last."""
        by_name = _forms_with(self.services)
        fitting = [(name, value) for name, value in self.ids.last() if name in by_name]
        if not fitting:
            return None
        name, value = self._one(fitting)
        tool, names = self._one(by_name[name])
        arguments = {name: value}
        for other in names:
            if other != name:
                known = self.ids.latest(other)
                if not known:
                    return None
                arguments[other] = known[0]
        return Planned({"tool": tool, "arguments": arguments})

    def _seen(self, right: Planned) -> Planned | None:
        """A tool that takes nothing but ids, with ids that were seen."""
        forms, known = _forms(self.services), self.ids.names
        for _ in range(_TRIES):
            tool, names = self._one(forms)
            if all(name in known for name in names):
                several = {name: self.ids.latest(name) for name in names}
                recent = self.rng.random() < 0.5
                return Planned(
                    {"tool": tool, "arguments": {n: ids[0] if recent else self._one(ids) for n, ids in several.items()}}
                )
        return None

    def _wrong(self, right: Planned) -> Planned | None:
        """A call with one value that is not the right one: of the right call, or of another that fits or fitted."""
        base = right.action
        if not right.step or self.rng.random() < 0.5:
            other = self._premature(right) if self.rng.random() < 0.5 else None
            base = other.action if other is not None else self._one(self.made[-8:]) if self.made else base
        action = altered(base, self.rng, self.ids)
        return None if action is None else Planned(action)

    def _violating(self, right: Planned) -> Planned | None:
        """A step of a violation or near miss that the bundle tells of this turn."""
        planned = self._one_of([step for act in self.guide.violations() for step in act.steps if step.calls])
        return None if planned is None else Planned(planned.action)

    def _premature(self, right: Planned) -> Planned | None:
        return self._one_of([step for step in self.guide.later() if step.name != right.step])

    def _late(self, right: Planned) -> Planned | None:
        """A step of the solution that was missed, or a call once more."""
        if self.made and self.rng.random() < 0.5:
            return Planned(self._one(self.made[-20:]))
        return self._one_of(self.guide.missed())

    def _replied(self, right: Planned) -> Planned | None:
        """A reply: this turn's before its time, a violation's, an earlier one, one with a wrong number."""
        replies: list[Any] = [None, *self.said[-3:], *(act for act in self.guide.violations() if act.reply is not None)]
        chosen = self._one(replies)
        if chosen is None:
            chosen = self.guide.end().action
            if chosen["tool"] != "assistant.reply":
                chosen = NOTED
        elif isinstance(chosen, CompiledTurn):
            try:
                text = chosen.reply if isinstance(chosen.reply, str) else chosen.reply.evaluate(self.guide.player.names)
            except UNKNOWN:
                return None
            chosen = {"tool": "assistant.reply", "arguments": {"text": text}}
        if self.rng.random() < 0.3:
            chosen = altered(chosen, self.rng, self.ids) or chosen
        return Planned(chosen)

    def _one_of(self, steps: list[CompiledStep]) -> Planned | None:
        return self.guide.evaluated(self._one(steps)) if steps else None

    def _one(self, several: list[Any]) -> Any:
        return several[int(self.rng.random() * len(several))]


@cache
def _forms(services: tuple[str, ...]) -> list[tuple[str, tuple[str, ...]]]:
    """The tools that can be called with nothing but ids, and the names of these."""
    specs = [catalogue.find_tool(name) for name in catalogue.tool_names(services)]
    return [
        (spec.name, tuple(spec.arguments.required))
        for spec in specs
        if spec is not None
        and spec.service != "assistant"
        and all(re.fullmatch(_ID_NAME, name) for name in spec.arguments.required)
    ]


@cache
def _forms_with(services: tuple[str, ...]) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
    """The same by the names of their ids."""
    found: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for form in _forms(services):
        for name in form[1]:
            found.setdefault(name, []).append(form)
    return found


# -- wrong values ----------------------------------------------------------------------------------------------------

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"\d+")


def altered(action: Mapping[str, Any], rng: random.Random, ids: Ids) -> dict[str, Any] | None:
    """The same call with one value changed: another id that was seen, another day, another number, the opposite.

    Args:
        action: The call.
        rng: Draws which value, and how it changes.
        ids: The ids that were seen.

    Returns:
        A new call; None where no value of this one can be changed.

    >>> call = {"tool": "banking.pay_payee", "arguments": {"amount_minor": 5000}}
    >>> altered(call, random.Random(1), Ids())["arguments"]["amount_minor"] != 5000
    True
    """
    places = list(_places(action["arguments"], "", ()))
    while places:
        path, name, value = places.pop(int(rng.random() * len(places)))
        other = _other(name, value, rng, ids)
        if other is not None:
            return {**action, "arguments": _with(action["arguments"], path, other)}
    return None


def _places(value: Any, name: str, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], str, Any]]:
    """The single values: the way to each, the name of its field, and itself."""
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        field = key if isinstance(key, str) else name
        if isinstance(item, (Mapping, list, tuple)):
            yield from _places(item, field, (*path, key))
        else:
            yield (*path, key), field, item


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """A copy of a nested value with another one at the end of a way."""
    if not path:
        return new
    copy = dict(value) if isinstance(value, Mapping) else list(value)
    copy[path[0]] = _with(copy[path[0]], path[1:], new)
    return copy


def _other(name: str, value: Any, rng: random.Random, ids: Ids) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        step = 1 if rng.random() < 0.5 else max(1, int(abs(value)) // 10)
        return value + step if value < step or rng.random() < 0.5 else value - step
    if not isinstance(value, str):
        return None
    others = [other for other in ids.latest(name) if other != value]
    if others:
        return others[int(rng.random() * len(others))]
    for pattern, change in ((_DATE, _another_day), (_NUMBER, _another_number)):
        # One that comes after a drawn place, else the first.
        match = pattern.search(value, int(rng.random() * len(value))) or pattern.search(value)
        if match:
            changed = change(match[0], rng)
            return None if changed is None else value[: match.start()] + changed + value[match.end() :]
    return None


def _another_day(text: str, rng: random.Random) -> str | None:
    try:
        day = dt.date.fromisoformat(text)
        return str(day + dt.timedelta(days=(1, -1, 7, -7)[int(rng.random() * 4)]))
    except (ValueError, OverflowError):
        return None


def _another_number(text: str, rng: random.Random) -> str:
    place = int(rng.random() * len(text))
    digit = str((int(text[place]) + 1 + int(rng.random() * 8)) % 10)
    return text[:place] + digit + text[place + 1 :]
