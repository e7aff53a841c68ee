"""What an agent has seen and done in an episode, and the state that it makes of it."""

from __future__ import annotations

import datetime as dt
import math
import operator
from bisect import bisect_left
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from lifegym.episode import Episode
from lifegym.services import catalogue
from lifegym.world import clock
from lifegym.wrappers.candidates import stands
from lifegym.wrappers.descriptions import PIECES, DescribedCall, describe_text, first_words
from lifegym.wrappers.hashing import bucket, parts
from lifegym.wrappers.layout import DEADLINES, KINDS, STATE

__all__ = ["Memory"]

BADGES = ("email.mails", "notification_hub.notifications")


class Memory:
    """What was seen and done in an episode, as far as features need it.

    >>> memory = Memory()
    >>> memory.see({"text": "INV-7 is due on 2026-04-02", "kind": "user_message", "stage": "bills"})
    >>> memory.see({"text": "Nothing found", "kind": "result", "stage": "bills"})
    >>> memory.now, memory.sighted["INV-7"], memory.calendar
    (2, 1, ['2026-04-02'])
    """

    def __init__(self) -> None:
        self.now = 0
        self.sighted: dict[str, int] = {}
        self.dates: dict[str, None] = {}
        self.calendar: list[str] = []
        """The dates in their order. Lists are replaced and not changed, so that forks share them."""
        self.calls: dict[bytes, int] = {}
        self.tools: dict[str, int] = {}
        self.turn_calls: dict[bytes, int] = {}
        self.turn_tools: dict[str, int] = {}
        self.stage = ""
        self.turn = 0
        """The number of the turn in its stage."""
        self.opening_words = np.zeros(64, np.float32)
        self.text_words = self.opening_words
        self.looked: dict[str, tuple[object, ...] | None] = {}
        """How the records of services stood at the last call there; None once something has changed."""
        self.errors = 0

    def fork(self) -> Memory:
        other = Memory()
        other.__dict__.update({k: v.copy() if isinstance(v, dict) else v for k, v in self.__dict__.items()})
        return other

    def see(self, observation: Mapping[str, str]) -> None:
        """Take note of what is shown."""
        self.now += 1
        text, kind = observation["text"], observation["kind"]
        shown = describe_text(text)
        self.sighted.update(dict.fromkeys(shown.sighted, self.now))
        self.text_words = shown.bag
        if shown.days:
            fresh = set(shown.days).difference(self.dates)
            if fresh:
                self.calendar = sorted([*self.calendar, *fresh])
                self.dates = dict.fromkeys(self.calendar)
        if kind not in ("result", "error"):
            self.turn_calls, self.turn_tools = {}, {}
            self.turn = self.turn + 1 if observation["stage"] == self.stage else 0
            self.stage = observation["stage"]
            self.opening_words = first_words(parts(text.rpartition("\n\n[")[2]))
            self.errors = 0
        self.errors += kind == "error"

    def made(self, tool: str, key: bytes, episode: Episode) -> None:
        """Take note of a call."""
        self.calls[key] = self.calls.get(key, 0) + 1
        self.tools[tool] = self.tools.get(tool, 0) + 1
        self.turn_calls[key] = self.turn_calls.get(key, 0) + 1
        self.turn_tools[tool] = self.turn_tools.get(tool, 0) + 1
        service = tool.partition(".")[0]
        if service in _PLACE:
            self.looked[service] = stands(service, episode)

    def notice(self, episode: Episode) -> None:
        """Take note of the services in which something has changed since the last call there."""
        for service, stood in self.looked.items():
            if stood is not None and not all(map(operator.is_, stood, stands(service, episode))):
                self.looked[service] = None

    def moving(self, keys: tuple[bytes, ...], described: list[DescribedCall]) -> list[float]:
        """What of calls was seen, and when; how often they and their tools were used: one after the other."""
        now, seen, log = self.now, self.sighted.get, _LOG
        found: list[float] = []
        for key, (tool, _, pieces) in zip(keys, described, strict=True):
            times = [*filter(None, map(seen, pieces))]
            count = len(pieces)
            unseen = count - len(times)
            if times:
                newest = max(times)
                found += (
                    log[count] / 4,
                    log[unseen] / 2,
                    unseen > 0,
                    unseen / count,
                    1 / (1 + now - newest),
                    math.log1p(now - min(times)) / 5,
                    times.count(now) / count if newest == now else 0.0,
                    sum([time >= now - 5 for time in times]) / count if newest >= now - 5 else 0.0,
                )
            else:
                found += (log[count] / 4, log[count] / 2, count > 0, float(count > 0), 0.0, 0.0, 0.0, 0.0)
            found += (
                key in self.turn_calls,
                key in self.calls,
                math.log1p(self.turn_tools.get(tool, 0)),
                math.log1p(self.tools.get(tool, 0)) / 3,
            )
        return found

    def state(self, observation: Mapping[str, str], episode: Episode) -> np.ndarray[Any, Any]:
        """The vector of the state."""
        scenario, world = episode.scenario, episode.world
        made = np.zeros(STATE["text"].stop, np.float32)
        stage, turn = _places(scenario.task, observation["stage"], self.turn)
        made[stage] = made[turn] = made[_KIND[observation["kind"]]] = 1.0
        begin = clock.day_start(scenario.start, scenario.zone)
        hands, today = _clock(world.now - world.now % 60, world.zone)
        at = bisect_left(self.calendar, today)
        coming = [_nearness(date, today) for date in self.calendar[at : at + DEADLINES]]
        made[_MIDDLE] = (
            math.log1p(sum(self.turn_tools.values())) / 3,
            self.errors > 0,
            (world.now - begin) / max(1, scenario.end - begin),
            *hands,
            *coming,
            *_NONE[len(coming) :],
            *[math.log1p(_unread(table, episode)) for table in BADGES],
        )
        self.notice(episode)
        for service, stood in self.looked.items():
            if stood is None:
                made[_PLACE[service]] = 1.0
        made[STATE["opening"]] = self.opening_words
        made[STATE["text"]] = self.text_words
        return made


_LOG = [math.log1p(count) for count in range(PIECES + 1)]
_NONE = (0.0,) * DEADLINES
_MIDDLE = slice(STATE["progress"].start, STATE["unread"].stop)
_KIND = {kind: STATE["kind"].start + place for place, kind in enumerate(KINDS)}
_PLACE = {service: STATE["changed"].start + place for place, service in enumerate(catalogue.SERVICES)}


@lru_cache(maxsize=1 << 12)
def _places(task: str, stage: str, turn: int) -> tuple[int, int]:
    """Where in the vector of the state its stage and its turn stand."""
    return (
        STATE["stage"].start + bucket(f"{task}/{stage}", 64),
        STATE["turn"].start + bucket(f"{task}/{stage}/{turn}", 192),
    )


@lru_cache(maxsize=1 << 10)
def _clock(instant: int, zone: str) -> tuple[tuple[float, ...], str]:
    """Hour and weekday on circles, and the date."""
    local = clock.local(instant, zone)
    hour, day = (local.hour + local.minute / 60) / 24, local.weekday() / 7
    return tuple(f(2 * math.pi * x) for x in (hour, day) for f in (math.sin, math.cos)), local.date().isoformat()


@lru_cache(maxsize=1 << 12)
def _nearness(date: str, today: str) -> float:
    try:
        return 1 / (1 + (dt.date.fromisoformat(date) - dt.date.fromisoformat(today)).days)
    except ValueError:  # looks like a date and is none
        return 0.0


def _unread(table: str, episode: Episode) -> int:
    world = episode.world
    if table.partition(".")[0] not in world.services:
        return 0
    return world.store.table(table).derive("unread", lambda rows: sum(not row["read"] for row in rows))
