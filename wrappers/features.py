"""Observations as arrays of fixed shape: the state, and what describes each candidate call."""

from __future__ import annotations

import datetime as dt
import math
import operator
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from lifegym.episode import Episode
from lifegym.services import catalogue
from lifegym.world import clock
from lifegym.wrappers.candidates import Candidates, chosen_index, stands
from lifegym.wrappers.hashing import asked, bag, bucket, needles, parts, sightings, word_buckets

__all__ = ["CANDIDATE", "STATE", "FeatureObservation"]

KINDS = ("user_message", "notification", "world", "reminder", "alert", "result", "error", "end")
DEADLINES = 3
BADGES = ("email.mails", "notification_hub.notifications")


def _layout(**sizes: int) -> dict[str, slice]:
    ends = np.cumsum(list(sizes.values())).tolist()
    return {name: slice(end - size, end) for (name, size), end in zip(sizes.items(), ends, strict=True)}


STATE = _layout(
    stage=64, turn=192, kind=len(KINDS), progress=3, clock=4, deadlines=DEADLINES, unread=2,
    changed=len(catalogue.SERVICES), opening=64, text=64,
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

_PIECES = 100
"""So many pieces of a call's arguments are looked for in what was seen."""

_REACH = 1600
"""So many characters of a text in a call are looked at."""


class FeatureObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """The observation is ``{"state": (n,), "candidates": (k, d)}``, two arrays of float32.

    ``STATE`` and ``CANDIDATE`` say what stands where. Each row is worked out from its call and from what was seen and
    done so far, in the same way for every candidate, so nothing in it tells which is right: with the candidates in
    another order, the rows are the same in that order. Unread counts and changes are badges as a phone shows them: they
    say where something is new, not what. Texts are hashed by CRC-32, the same in every process.

    Half of what a step costs is to find the words of the text that is shown; texts that were shown lately are known.

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
        self._choices = env.action_space
        self.k = int(env.action_space.n)
        sizes = {"state": (STATE["text"].stop,), "candidates": (self.k, CANDIDATE["past"].stop)}
        self.observation_space = gym.spaces.Dict(
            {name: gym.spaces.Box(-1.0, _MOST, shape, np.float32) for name, shape in sizes.items()}
        )
        self._known: dict[bytes, _Described] = {}
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
        offered, index = self._offered, chosen_index(action, self._choices)
        observation, reward, terminated, truncated, info = self.env.step(action)
        self.shown = observation
        self._offered = info["candidates"]
        if index is not None:
            self._memory.made(offered[index]["tool"], offered.keys[index], self._episode)
        return self._features(observation), reward, terminated, truncated, info

    @property
    def _episode(self) -> Episode:
        episode: Episode = self.unwrapped.episode  # type: ignore[attr-defined]
        return episode

    def _features(self, observation: Mapping[str, str]) -> dict[str, np.ndarray[Any, Any]]:
        memory, known, offered = self._memory, self._known, self._offered
        memory.see(observation)
        described = []
        for call, key in zip(offered, offered.keys, strict=True):
            found = known.get(key)
            if found is None:
                if len(known) >= _KNOWN_LIMIT:
                    known.clear()
                found = known[key] = _described(call)
            described.append(found)
        rows = np.empty((self.k, CANDIDATE["past"].stop), np.float32)
        rows[:, :_FIXED] = np.concatenate([one.row for one in described]).reshape(self.k, _FIXED)
        moving = memory.moving(offered.keys, described)
        rows[:, _FIXED:] = np.fromiter(moving, np.float32, len(moving)).reshape(self.k, -1)
        return {"state": memory.state(observation, self._episode), "candidates": rows}

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
            memory.notice(self._episode)
            memory.looked = {name: stood and () for name, stood in memory.looked.items()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if "_memory" in state:
            looked = self._memory.looked
            for name, changed in looked.items():
                looked[name] = None if changed is None else stands(name, self._episode)


class _Described(NamedTuple):
    """What of a call never changes.

    Attributes:
        tool: Its name.
        row: The features that depend on nothing but the call.
        pieces: Of its arguments, in the forms in which texts show them.
    """

    tool: str
    row: np.ndarray[Any, Any]
    pieces: tuple[str, ...]


def _described(call: Mapping[str, Any]) -> _Described:
    spec = catalogue.find_tool(call["tool"])
    assert spec is not None
    row = np.zeros(_FIXED, np.float32)
    sort = {"assistant.wait": 2, "assistant.reply": 3}.get(spec.name, int(spec.write))
    row[CANDIDATE["sort"].start + sort] = row[CANDIDATE["tool"].start + bucket(spec.name, 64)] = 1.0
    said: list[bytes] = []
    pieces: dict[str, None] = {}
    for name, value in _leaves(call["arguments"], ""):
        buckets, asks = _leaf(name, value)
        said.append(buckets)
        pieces.update(asks)
    row[CANDIDATE["arguments"]] = bag(b"".join(said), 160)
    return _Described(spec.name, row, tuple(islice(pieces, _PIECES)))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """The single values in arguments, with the names of their fields; of long texts the beginning."""
    for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
        field = key if isinstance(key, str) else name
        if isinstance(item, (Mapping, list, tuple)):
            yield from _leaves(item, field)
        else:
            yield field, item[:_REACH] if isinstance(item, str) else item


@lru_cache(maxsize=1 << 12, typed=True)
def _leaf(name: str, value: Any) -> tuple[bytes, dict[str, None]]:
    """The buckets of an argument's name and of the words in its value with the name; the pieces of the value."""
    said = bytes((bucket(name, 160),))
    if isinstance(value, str):
        found = parts(value)
        return said + word_buckets(found, 160, f"{name}=")[:100], dict.fromkeys(asked(found))
    if isinstance(value, bool):
        said += bytes((bucket(f"{name}={value}", 160),))
    return said, dict.fromkeys(needles(value))


class _Shown(NamedTuple):
    """What there is to a text.

    Attributes:
        sighted: In the forms in which arguments are looked for.
        days: The dates that stand in it.
        bag: Its first words.
    """

    sighted: list[str]
    days: list[str]
    bag: np.ndarray[Any, Any]


@lru_cache(maxsize=1 << 10)
def _shown(text: str) -> _Shown:
    found = parts(text)
    return _Shown(sightings(text, found), _DAY.findall(text), _bag(found))


def _bag(found: list[str]) -> np.ndarray[Any, Any]:
    return bag(word_buckets(found, 64)[:400], 64)


class _Memory:
    """What was seen and done in an episode, as far as features need it."""

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

    def fork(self) -> _Memory:
        other = _Memory()
        other.__dict__.update({k: v.copy() if isinstance(v, dict) else v for k, v in self.__dict__.items()})
        return other

    def see(self, observation: Mapping[str, str]) -> None:
        """Take note of what is shown."""
        self.now += 1
        text, kind = observation["text"], observation["kind"]
        shown = _shown(text)
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
            self.opening_words = _bag(parts(text.rpartition("\n\n[")[2]))
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

    def moving(self, keys: tuple[bytes, ...], described: list[_Described]) -> list[float]:
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


_LOG = [math.log1p(count) for count in range(_PIECES + 1)]
_DAY = re.compile(r"20\d\d-[01]\d-[0-3]\d")
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
