"""A few concrete calls to choose from at each step: what lets any algorithm for discrete actions learn."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from lifegym.envs.life_env import LifeEnv
from lifegym.episode import Episode
from lifegym.services import catalogue
from lifegym.trials import Trials
from lifegym.wrappers.chat import ChatObservation
from lifegym.wrappers.distractors import WAITING, Distractors
from lifegym.wrappers.guide import Guide, Planned, call_key
from lifegym.wrappers.staging import StageStart
from lifegym.wrappers.tools import RenamedTools, ToolSubset

__all__ = ["CandidateActions", "Candidates", "chosen_index", "stands"]

_UNFIT = (ChatObservation, RenamedTools, StageStart, ToolSubset)
"""What does not go below candidates: a guide that has not seen, or may not make, what the reference makes."""


class Candidates:
    """The calls offered at a step: ``info["candidates"]``. An object, so that vector envs keep it whole."""

    __slots__ = ("_calls", "_keys")

    def __init__(self, calls: tuple[dict[str, Any], ...] = (), keys: tuple[bytes, ...] = ()) -> None:
        self._calls = calls
        self._keys = keys

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The calls as JSON with sorted keys, which tells them apart."""
        if not self._keys:
            self._keys = tuple(call_key(call) for call in self._calls)
        return self._keys

    def __getitem__(self, index: int) -> dict[str, Any]:
        """The call of an index. It is shared: do not change it."""
        return self._calls[index]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Candidates) and other._calls == self._calls

    def __hash__(self) -> int:
        return hash(repr(self._calls))

    def __repr__(self) -> str:
        return f"Candidates({list(self._calls)!r})"


class CandidateActions(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """The action is a number: which of ``k`` calls is made. ``info["candidates"]`` has the calls.

    One of them is right: the next unplayed step of the turn in the bundle's reference solution whose inputs were seen
    and which the world accepts, or the end of the turn where no step is left. The others are distractors: tools with
    ids that were seen, calls with one wrong value, violations and near misses, steps before and after their time,
    other replies, and ``assistant.wait``, which is always among the candidates. Each was tried in a spare
    world, so it is a call that the world accepts now; no two are the same, but that ``wait`` fills up where too few are
    found. A step costs as much as the calls that are tried in it, four or five on the average: to try one is to carry
    it out.

    The order is shuffled by the env's generator, so that an index alone says nothing. An index that is none is answered
    as a malformed call.

    Args:
        env: A ``LifeEnv``, wrapped or not, that takes tool calls.
        k: How many calls are offered.

    Raises:
        ValueError: k is below 2, there is no ``LifeEnv`` below, or a wrapper below takes away what candidates are made
            from: other names, fewer tools, chats, or a beginning of which nothing was seen.

    >>> import gymnasium as gym, lifegym
    >>> env = CandidateActions(gym.make("LifeBench/japan-trip-v0"), k=4)
    >>> _, info = env.reset(seed=0)
    >>> len(info["candidates"]), {"tool": "assistant.wait", "arguments": {}} in list(info["candidates"])
    (4, True)
    >>> observation, *_ = env.step(env.right)
    >>> observation["kind"]
    'result'
    """

    def __init__(self, env: gym.Env[Any, Any], k: int = 8) -> None:
        if k < 2:
            raise ValueError(f"k is at least 2, a right call and another one; not {k}")
        if not isinstance(env.unwrapped, LifeEnv):
            raise ValueError(f"candidates are calls of a LifeEnv, which {env} is not")
        below = env
        while isinstance(below, gym.Wrapper):
            if isinstance(below, _UNFIT):
                name = type(below).__name__
                raise ValueError(f"candidates are of the whole task, in its own words and names; take {name} away")
            below = below.env
        RecordConstructorArgs.__init__(self, k=k)
        gym.Wrapper.__init__(self, env)
        self.k = k
        self.action_space: Any = gym.spaces.Discrete(k)
        self._offered: list[Planned] = []
        self._right = 0
        self._trials = Trials()

    @property
    def right(self) -> int:
        """The index of the right candidate: for tests and teachers, and to be kept from a policy that is to learn."""
        return self._right

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(**kwargs)
        life: LifeEnv = self.unwrapped  # type: ignore[assignment]
        rng = random.Random(int(self.np_random.integers(1 << 62)))
        self._guide = Guide(life.task)
        self._moment = _Moment()
        self._distractors = Distractors(self._guide, life.task.services, rng)
        self._guide.opened(life.episode.history.turns[-1].events, observation)
        return observation, {**info, "candidates": self._offer(life.episode)}

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Make the call of an index."""
        observation, reward, terminated, truncated, info = self.take(action)
        return observation, reward, terminated, truncated, {**info, "candidates": self._offer(self._episode)}

    def take(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Make the call of an index without offering others after it, which costs less. ``follow`` goes on from it.

        Raises:
            gymnasium.error.ResetNeeded: There was no reset.
        """
        if not self._offered:
            raise gym.error.ResetNeeded("call reset() first")
        index = chosen_index(action, self.action_space)
        return self._made(None if index is None else self._offered[index])

    def planned(self, index: int) -> Planned:
        """A candidate, and which step of the reference it is, if any: for teachers, as ``right`` is."""
        return self._offered[index]

    def follow(self) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Let the reference make its next call, without offering others after it."""
        return self._made(self._guide.right(lambda planned: True))

    def _made(self, planned: Planned | None) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(planned and planned.action)
        if planned is not None:
            self._guide.seen(planned, observation)
            self._distractors.seen(planned.action, observation)
        if observation["kind"] not in ("result", "error") and not self._episode.over:
            self._guide.opened(self._episode.history.turns[-1].events, observation)
            self._distractors.opened()
        return observation, reward, terminated, truncated, info

    @property
    def _episode(self) -> Episode:
        episode: Episode = self.unwrapped.episode  # type: ignore[attr-defined]
        return episode

    def _offer(self, episode: Episode) -> Candidates:
        """Choose the candidates of this moment."""
        if episode.over:
            chosen, self._right = [WAITING] * self.k, 0
        else:
            accepts = self._accepting(episode)
            right = self._guide.right(accepts)
            chosen = [right] if right.key == WAITING.key else [right, WAITING]
            if self.k > len(chosen):
                chosen += self._distractors.beside(right, self.k - len(chosen), accepts)
                chosen += [WAITING] * (self.k - len(chosen))
            draw = self._distractors.rng.random
            chosen.sort(key=lambda planned: draw())
            self._right = next(i for i, planned in enumerate(chosen) if planned is right)
        self._offered = chosen
        return Candidates(tuple([p.action for p in chosen]), tuple([p.key for p in chosen]))

    def _accepting(self, episode: Episode) -> Callable[[Planned], bool]:
        """Tells whether the world would accept a call now."""
        history, moment = episode.history, self._moment
        at = (len(history.turns), len(history.fired), episode.capped, self._distractors.writes)
        if at != moment.at:
            moment = self._moment = moment.after(at, episode)
        known, tries = moment.known, self._trials.accepts

        def accepts(planned: Planned) -> bool:
            key = planned.key
            accepted = known.get(key)
            if accepted is None:
                accepted = known[key] = tries(episode, planned.action, key)
                if accepted:
                    moment.note(planned, episode)
            return accepted

        return accepts

    # -- forks ---------------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """The state now, that of the env below included, to come back to with ``restore``."""
        below = self.env.get_wrapper_attr("snapshot")()
        return below, self._distractors.fork(), self._moment, self._offered, self._right

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot, of this env or of another one like it. It can be used again.

        A wrapper below that has a state and no ``snapshot`` of its own keeps what it has.
        """
        below, distractors, self._moment, self._offered, self._right = snapshot
        self.env.get_wrapper_attr("restore")(below)
        self._distractors = distractors.fork()
        self._guide = self._distractors.guide


class _Moment:
    """What the world accepts for now: until something is written or happens, or the turn ends.

    What is written ends nothing for a read that was accepted, unless it is written in the read's own service.

    Args:
        at: What tells moments of an episode apart.
    """

    __slots__ = ("_reads", "_stood", "at", "known")

    def __init__(self, at: tuple[int, ...] = ()) -> None:
        self.at = at
        self.known: dict[bytes, bool] = {}
        self._reads: dict[str, list[bytes]] = {}
        self._stood: dict[str, tuple[object, ...]] = {}

    def note(self, planned: Planned, episode: Episode) -> None:
        """Take note of a call that was accepted."""
        spec = catalogue.find_tool(planned.action["tool"])
        if spec is not None and not spec.write and spec.service in catalogue.SERVICES:
            if spec.service not in self._reads:
                self._reads[spec.service], self._stood[spec.service] = [], stands(spec.service, episode)
            self._reads[spec.service].append(planned.key)

    def after(self, at: tuple[int, ...], episode: Episode) -> _Moment:
        """The moment after this one."""
        after = _Moment(at)
        if at[:3] == self.at[:3]:
            for service, keys in self._reads.items():
                stood = stands(service, episode)
                if all(map(operator.is_, stood, self._stood[service])):
                    after._reads[service], after._stood[service] = keys.copy(), stood
                    after.known.update(dict.fromkeys(keys, True))
        return after

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Moment, ())  # how records stand is told by objects of this process


@cache
def _tables(service: str) -> tuple[str, ...]:
    return tuple(f"{service}.{kind}" for kind in catalogue.service_class(service).records)


def stands(service: str, episode: Episode) -> tuple[object, ...]:
    """How the records of a service stand: objects that every write replaces."""
    return tuple(map(episode.world.store.version, _tables(service)))


def chosen_index(action: Any, space: gym.spaces.Discrete) -> int | None:
    """The index that an action is; None where it is none of the space."""
    if type(action) is int:
        return action if 0 <= action < space.n else None
    return int(action) if space.contains(action) else None
