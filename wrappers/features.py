"""Observations as arrays of fixed shape: the state, and what describes each candidate call."""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import orjson
from gymnasium.utils import RecordConstructorArgs

from lifegym.episode import Episode
from lifegym.services import catalogue
from lifegym.world import clock
from lifegym.wrappers.candidates import Candidates
from lifegym.wrappers.hashing import bag, bucket, needles, sightings, words

__all__ = ["CANDIDATE", "STATE", "FeatureObservation"]

KINDS = ("user_message", "notification", "world", "reminder", "alert", "result", "error", "end")
SERVICES = tuple(catalogue.SERVICES)
DEADLINES = 3
BADGES = ("email.mails", "notification_hub.notifications")


def _layout(**sizes: int) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


STATE = _layout(
    stage=64, turn=192, kind=len(KINDS), progress=3, clock=4, deadlines=DEADLINES, unread=2, changed=len(SERVICES),
    opening=64, text=64,
)  # fmt: skip
"""Where what stands in ``state``: the task's stage, and the number of the turn in it (hashed), the kind of the
observation, how far turn and period are, hour and weekday (on circles), time to the next dates that were seen
(1 / (1 + days); 0 for none), unread mails and notifications (logarithms), services in which something has changed since
the last call there, the words that opened the turn and those of the last text (hashed)."""

CANDIDATE = _layout(sort=4, tool=64, arguments=160, seen=8, past=4)
"""Where what stands in a row of ``candidates``: read, write, wait or reply; the tool (hashed); the arguments (hashed);
which of them were seen and when; whether and how often the call and its tool were used."""

_FIXED = CANDIDATE["arguments"].stop
_MOST = 16.0
"""No logarithm of a count that an episode can have comes near it."""

_KNOWN_LIMIT = 4096
"""So many calls' fixed features are kept at hand."""


class FeatureObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """The observation is ``{"state": (n,), "candidates": (k, d)}``, two arrays of float32.

    ``STATE`` and ``CANDIDATE`` say what stands where. Each row is worked out from its call and from what was seen and
    done so far, in the same way for every candidate, so nothing in it tells which is right: with the candidates in
    another order, the rows are the same in that order. Unread counts and changes are badges as a phone shows them: they
    say where something is new, not what. Texts are hashed by CRC-32, the same in every process.

    Args:
        env: A ``CandidateActions``, wrapped or not.

    Attributes:
        shown: The observation of texts that the last arrays were made from.

    Raises:
        ValueError: There is no ``CandidateActions`` below.

    >>> import gymnasium as gym, lifegym
    >>> from lifegym.wrappers import CandidateActions
    >>> env = FeatureObservation(CandidateActions(gym.make("LifeBench/japan-trip-v0"), k=4))
    >>> observation, _ = env.reset(seed=0)
    >>> {name: array.shape for name, array in observation.items()}
    {'state': (426,), 'candidates': (4, 240)}
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        if not isinstance(env.action_space, gym.spaces.Discrete):
            raise ValueError("features describe candidates; put CandidateActions below FeatureObservation")
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self.k = int(env.action_space.n)
        sizes = {"state": (STATE["text"].stop,), "candidates": (self.k, CANDIDATE["past"].stop)}
        self.observation_space = gym.spaces.Dict(
            {name: gym.spaces.Box(-1.0, _MOST, shape, np.float32) for name, shape in sizes.items()}
        )
        self._known: dict[bytes, tuple[np.ndarray[Any, Any], tuple[str, ...]]] = {}
        self._offered = Candidates()

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in which nothing was seen yet."""
        observation, info = self.env.reset(**kwargs)
        self.shown: Mapping[str, str] = observation
        self._memory = _Memory()
        self._offered = info["candidates"]
        return self._features(observation), info

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Make the call of an index."""
        chosen = self._offered[int(action)] if self._offered and self.action_space.contains(action) else None
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.shown = observation
        self._offered = info["candidates"]
        if chosen is not None:
            self._memory.made(chosen, self._episode)
        return self._features(observation), reward, terminated, truncated, info

    @property
    def _episode(self) -> Episode:
        episode: Episode = self.unwrapped.episode  # type: ignore[attr-defined]
        return episode

    def _features(self, observation: Mapping[str, str]) -> dict[str, np.ndarray[Any, Any]]:
        self._memory.see(observation)
        rows = np.empty((self.k, CANDIDATE["past"].stop), np.float32)
        for row, call in zip(rows, self._offered, strict=True):
            key = orjson.dumps(call, option=orjson.OPT_SORT_KEYS)
            known = self._known.get(key)
            if known is None:
                if len(self._known) >= _KNOWN_LIMIT:
                    self._known.clear()
                known = self._known[key] = _fixed(call)
            row[:_FIXED] = known[0]
            row[_FIXED:] = self._memory.dynamic(call["tool"], key, known[1])
        return {"state": self._memory.state(observation, self._episode), "candidates": rows}

    # -- copies --------------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """The state now, that of the env below included, to come back to with ``restore``."""
        return self.env.get_wrapper_attr("snapshot")(), self._memory.fork(), self._offered

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot of this wrapper. It can be used again."""
        below, memory, self._offered = snapshot
        self.env.get_wrapper_attr("restore")(below)
        self._memory = memory.fork()

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_known": {}}
        if "_memory" in state:
            # How tables stood is known by objects of this process; what has changed is kept instead.
            memory = state["_memory"] = self._memory.fork()
            memory.looked = {name: _changed(name, stood, self._episode) for name, stood in memory.looked.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_memory" in state:
            looked = self._memory.looked
            for name, changed in looked.items():
                looked[name] = () if changed else _stands(name, self._episode)


def _fixed(call: Mapping[str, Any]) -> tuple[np.ndarray[Any, Any], tuple[str, ...]]:
    """What of a call's features never changes, and the pieces of its arguments."""
    spec = catalogue.find_tool(call["tool"])
    assert spec is not None
    row = np.zeros(_FIXED, np.float32)
    sort = {"assistant.wait": 2, "assistant.reply": 3}.get(spec.name, int(spec.write))
    row[CANDIDATE["sort"].start + sort] = 1.0
    row[CANDIDATE["tool"].start + bucket(spec.name, 64)] = 1.0
    row[CANDIDATE["arguments"]] = bag(list(_said(call["arguments"], "")), 160)
    return row, tuple(dict.fromkeys(needles(call["arguments"])))


def _said(value: Any, name: str) -> Iterator[str]:
    """The names of arguments, and the words in their values with the names."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _said(item, key)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _said(item, name)
    else:
        yield name
        if isinstance(value, str):
            yield from (f"{name}={word}" for word in words(value, 100))
        elif isinstance(value, bool):
            yield f"{name}={value}"


class _Memory:
    """What was seen and done in an episode, as far as features need it."""

    def __init__(self) -> None:
        self.now = 0
        self.sighted: dict[str, int] = {}
        self.dates: dict[str, None] = {}
        self.calls: dict[bytes, int] = {}
        self.tools: dict[str, int] = {}
        self.turn_calls: dict[bytes, int] = {}
        self.turn_tools: dict[str, int] = {}
        self.stage = ""
        self.turn = 0
        """The number of the turn in its stage."""
        self.opening = ""
        self.opening_words = np.zeros(64, np.float32)
        self.looked: dict[str, Any] = {}
        self.errors = 0

    def fork(self) -> _Memory:
        other = _Memory()
        other.__dict__.update({k: v.copy() if isinstance(v, dict) else v for k, v in self.__dict__.items()})
        return other

    def see(self, observation: Mapping[str, str]) -> None:
        """Take note of what is shown."""
        self.now += 1
        text = observation["text"]
        self.sighted.update(dict.fromkeys(sightings(text), self.now))
        self.dates.update(dict.fromkeys(_DAY.findall(text)))
        if observation["kind"] not in ("result", "error"):
            self.turn_calls, self.turn_tools = {}, {}
            self.turn = self.turn + 1 if observation["stage"] == self.stage else 0
            self.stage = observation["stage"]
            self.opening = text.rpartition("\n\n[")[2]
            self.opening_words = bag(words(self.opening), 64)
            self.errors = 0
        self.errors += observation["kind"] == "error"

    def made(self, call: Mapping[str, Any], episode: Episode) -> None:
        """Take note of a call."""
        key, tool = orjson.dumps(call, option=orjson.OPT_SORT_KEYS), call["tool"]
        for counts, what in ((self.calls, key), (self.turn_calls, key), (self.tools, tool), (self.turn_tools, tool)):
            counts[what] = counts.get(what, 0) + 1  # type: ignore[index, attr-defined]
        service = tool.partition(".")[0]
        if service in catalogue.SERVICES:
            self.looked[service] = _stands(service, episode)

    def dynamic(self, tool: str, key: bytes, pieces: tuple[str, ...]) -> list[float]:
        """What of a call was seen, and when; how often it and its tool were used."""
        sighted, now = self.sighted, self.now
        ages = [now - sighted[piece] for piece in pieces if piece in sighted]
        unseen, all_ = len(pieces) - len(ages), max(1, len(pieces))
        seen = [
            math.log1p(len(pieces)) / 4,
            math.log1p(unseen) / 2,
            float(unseen > 0),
            unseen / all_,
            1 / (1 + min(ages)) if ages else 0.0,
            math.log1p(max(ages)) / 5 if ages else 0.0,
            sum(age == 0 for age in ages) / all_,
            sum(age <= 5 for age in ages) / all_,
        ]
        past = [
            float(key in self.turn_calls),
            float(key in self.calls),
            math.log1p(self.turn_tools.get(tool, 0)),
            math.log1p(self.tools.get(tool, 0)) / 3,
        ]
        return seen + past

    def state(self, observation: Mapping[str, str], episode: Episode) -> np.ndarray[Any, Any]:
        """The vector of the state."""
        scenario, world = episode.scenario, episode.world
        made = np.zeros(STATE["text"].stop, np.float32)
        made[STATE["stage"].start + bucket(f"{scenario.task}/{observation['stage']}", 64)] = 1.0
        made[STATE["turn"].start + bucket(f"{scenario.task}/{observation['stage']}/{self.turn}", 192)] = 1.0
        made[STATE["kind"].start + KINDS.index(observation["kind"])] = 1.0
        begin = clock.day_start(scenario.start, scenario.zone)
        made[STATE["progress"]] = (
            math.log1p(sum(self.turn_tools.values())) / 3,
            float(self.errors > 0),
            (world.now - begin) / max(1, scenario.end - begin),
        )
        local = clock.local(world.now, world.zone)
        hour, day = (local.hour + local.minute / 60) / 24, local.weekday() / 7
        made[STATE["clock"]] = [f(2 * math.pi * x) for x in (hour, day) for f in (math.sin, math.cos)]
        today = local.date().isoformat()
        coming = sorted(date for date in self.dates if date >= today)[:DEADLINES]
        made[STATE["deadlines"]] = [_nearness(date, local.date()) for date in coming] + [0.0] * (
            DEADLINES - len(coming)
        )
        made[STATE["unread"]] = [math.log1p(_unread(table, episode)) for table in BADGES]
        known = self.looked
        made[STATE["changed"]] = [name in known and _changed(name, known[name], episode) for name in SERVICES]
        made[STATE["opening"]] = self.opening_words
        made[STATE["text"]] = bag(words(observation["text"]), 64)
        return made


_DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")


def _nearness(date: str, today: dt.date) -> float:
    try:
        return 1 / (1 + (dt.date.fromisoformat(date) - today).days)
    except ValueError:  # looks like a date and is none
        return 0.0


@cache
def _tables(service: str) -> tuple[str, ...]:
    return tuple(f"{service}.{kind}" for kind in catalogue.service_class(service).records)


def _stands(service: str, episode: Episode) -> tuple[object, ...]:
    """How the records of a service stand: objects that every write replaces."""
    version = episode.world.store.version
    return tuple(version(table) for table in _tables(service))


def _changed(service: str, stood: tuple[object, ...], episode: Episode) -> bool:
    now = _stands(service, episode)
    return len(stood) != len(now) or not all(map(operator.is_, stood, now))


def _unread(table: str, episode: Episode) -> int:
    world = episode.world
    if table.partition(".")[0] not in world.services:
        return 0
    return world.store.table(table).derive("unread", lambda rows: sum(not row["read"] for row in rows))
