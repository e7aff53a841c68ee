"""Calls that look like the right one: made from seen ids, wrong values, violations, premature and late steps."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import islice
from typing import Any

import orjson

from lifegym.services import catalogue
from lifegym.task_suite.solution import CompiledStep
from lifegym.wrappers.guide import UNKNOWN, Guide, Planned

__all__ = ["WAIT", "Distractors", "Ids", "altered"]

WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}

_ID_NAME = r"(?:[a-z_]*_(?:id|ref|no|code)|pnr|path|symbol)"
_ID = re.compile(rf'"({_ID_NAME})":"([^"\\]{{1,80}})"')
_RECENT = 12
"""So many of the latest ids of a name are offered."""


class Ids:
    """The ids that were seen, by the names of the fields in which they stood, the latest last.

    >>> ids = Ids()
    >>> ids.see('{"email_id":"m1","from":"bo@mail.example"}')
    >>> ids.latest("email_id")
    ['m1']
    """

    def __init__(self) -> None:
        self.found: dict[str, dict[str, None]] = {}

    def see(self, text: str) -> None:
        """Take note of the ids in a tool's result."""
        for name, value in _ID.findall(text):
            values = self.found.setdefault(name, {})
            values.pop(value, None)
            values[value] = None

    def latest(self, name: str) -> list[str]:
        """The latest ids of a name, the last seen first."""
        return list(islice(reversed(self.found.get(name, {})), _RECENT))

    def fork(self) -> Ids:
        """An independent copy."""
        other = Ids()
        other.found = {name: values.copy() for name, values in self.found.items()}
        return other


class Distractors:
    """Makes calls that are not the right one. Whether the world accepts them is not looked at here.

    Args:
        guide: The solution that is followed.
        services: The services of the world.
        rng: Where the randomness comes from.

    >>> from lifegym.task_suite import load_task
    >>> task = load_task("japan-trip")
    >>> made = Distractors(Guide(task), task.services, random.Random(0))
    >>> made.ids.see('{"email_id":"m1"}')
    >>> first = next(made.calls(Planned(WAIT)))
    >>> sorted(first.action)
    ['arguments', 'tool']
    """

    def __init__(self, guide: Guide, services: tuple[str, ...], rng: random.Random) -> None:
        self.guide = guide
        self.services = services
        self.rng = rng
        self.ids = Ids()
        self.made: list[dict[str, Any]] = []
        """Calls that were made and accepted, beside the ends of turns."""
        self.said: list[dict[str, Any]] = []
        """Replies that were made."""
        self.writes = 0
        """How many of the calls wrote something."""

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
        rng = random.Random()
        rng.setstate(self.rng.getstate())
        other = Distractors(self.guide.fork(), self.services, rng)
        other.ids = self.ids.fork()
        other.made, other.said, other.writes = self.made.copy(), self.said.copy(), self.writes
        return other

    def calls(self, right: Planned, rounds: int = 3) -> Iterator[Planned]:
        """Calls of every kind in a drawn order, as long as one takes them; a few rounds of all kinds.

        Args:
            right: The right call of the moment; wrong values are made from it and from others.
            rounds: How often each kind has its turns.
        """
        makers = [self._violating, self._wrong, self._wrong, self._seen, self._seen, self._replied, self._premature,
                  self._late]  # fmt: skip
        for _ in range(rounds):
            self.rng.shuffle(makers)
            for make in makers:
                planned = make(right)
                if planned is not None:
                    yield planned

    # -- the kinds -----------------------------------------------------------------------------------------------

    def _seen(self, right: Planned) -> Planned | None:
        """A tool that takes nothing but ids, with ids that were seen."""
        forms = _forms(self.services)
        tool, names = forms[int(self.rng.random() * len(forms))]
        arguments: dict[str, Any] = {}
        for name in names:
            known = self.ids.latest(name)
            if not known:
                return None
            arguments[name] = known[0] if self.rng.random() < 0.5 else self._one(known)
        return Planned({"tool": tool, "arguments": arguments})

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
        steps = [step for act in self.guide.violations() for step in act.steps if step.model.do or step.model.write]
        planned = self._one_of(steps)
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
        replies = self.said[-3:]
        end = self.guide.end().action
        if end["tool"] == "assistant.reply":
            replies.append(end)
        for act in self.guide.violations():
            if act.reply is not None:
                try:
                    text = act.reply if isinstance(act.reply, str) else act.reply.evaluate(self.guide.player.names)
                except UNKNOWN:
                    continue
                replies.append({"tool": "assistant.reply", "arguments": {"text": text}})
        if not replies:
            return Planned({"tool": "assistant.reply", "arguments": {"text": "Noted."}})
        chosen = self._one(replies)
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
    copy: dict[str, Any] = orjson.loads(orjson.dumps(action))
    places = list(_places(copy["arguments"], ""))
    rng.shuffle(places)
    for holder, key, name in places:
        value = _other(name, holder[key], rng, ids)
        if value is not None:
            holder[key] = value
            return copy
    return None


def _places(value: Any, name: str) -> Iterator[tuple[Any, Any, str]]:
    """Where the single values are: what holds each, under which key, and the name of its field."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        field = key if isinstance(key, str) else name
        if isinstance(item, (dict, list)):
            yield from _places(item, field)
        else:
            yield value, key, field


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
        found = list(pattern.finditer(value))
        if found:
            match = found[int(rng.random() * len(found))]
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
