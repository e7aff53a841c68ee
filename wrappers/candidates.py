"""A few concrete calls to choose from at each step: what lets any algorithm for discrete actions learn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import orjson
from gymnasium.utils import RecordConstructorArgs

from lifegym.envs.life_env import LifeEnv
from lifegym.episode import Episode
from lifegym.wrappers.chat import ChatObservation
from lifegym.wrappers.distractors import WAIT, Distractors
from lifegym.wrappers.guide import Guide, Planned
from lifegym.wrappers.staging import StageStart
from lifegym.wrappers.tools import RenamedTools, ToolSubset

__all__ = ["CandidateActions", "Candidates"]

_UNFIT = (ChatObservation, RenamedTools, StageStart, ToolSubset)
"""What does not go below candidates: a guide that has not seen, or may not make, what the reference makes."""


class Candidates:
    """The calls offered at a step: ``info["candidates"]``. An object, so that vector envs keep it whole."""

    __slots__ = ("_calls",)

    def __init__(self, calls: tuple[dict[str, Any], ...] = ()) -> None:
        self._calls = calls

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
    other replies, and ``assistant.wait``, which is always among the candidates. Each is tried on a fork of the world
    that is thrown away, so it is a call that the world accepts now; no two are the same, but that ``wait`` fills up
    where too few are found.

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
        self.action_space = gym.spaces.Discrete(k)
        self._offered: list[Planned] = []
        self._right = 0

    @property
    def right(self) -> int:
        """The index of the right candidate: for tests and teachers, and to be kept from a policy that is to learn."""
        return self._right

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(**kwargs)
        life: LifeEnv = self.unwrapped  # type: ignore[assignment]
        self._rng = random.Random(int(self.np_random.integers(1 << 62)))
        self._guide = Guide(life.task)
        self._moment: tuple[Any, ...] = ()
        self._accepted: dict[bytes, bool] = {}
        self._distractors = Distractors(self._guide, life.task.services, self._rng)
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
        planned = self._offered[int(action)] if self.action_space.contains(action) else None
        return self._made(planned)

    def planned(self, index: int) -> Planned:
        """A candidate, and which step of the reference it is, if any: for teachers, as ``right`` is."""
        return self._offered[index]

    def follow(self) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Let the reference make its next call, without offering others after it."""
        return self._made(self._guide.right(lambda action: True))

    def _made(self, planned: Planned | None) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.env.step(planned and planned.action)
        if planned is not None:
            self._guide.seen(planned, observation)
            self._distractors.seen(planned.action, observation)
        if observation["kind"] not in ("result", "error") and not self._episode.over:
            self._guide.opened(self._episode.history.turns[-1].events, observation)
        return observation, reward, terminated, truncated, info

    @property
    def _episode(self) -> Episode:
        episode: Episode = self.unwrapped.episode  # type: ignore[attr-defined]
        return episode

    def _offer(self, episode: Episode) -> Candidates:
        """Choose the candidates of this moment."""
        if episode.over:
            self._offered, self._right = [Planned(WAIT)] * self.k, 0
            return Candidates((WAIT,) * self.k)
        # What was accepted stays so until a turn ends, something is written or something happens.
        history = episode.history
        moment = (
            len(history.turns),
            len(history.fired),
            self._distractors.writes,
            episode._turn_calls >= episode.calls_cap,
        )
        if moment != self._moment:
            self._moment, self._accepted = moment, {}
        accepted = self._accepted

        def accepts(action: dict[str, Any]) -> bool:
            key = _key(action)
            known = accepted.get(key)
            if known is None:
                known = accepted[key] = episode.fork().step(action).kind == "result"
            return known

        right = self._guide.right(accepts)
        chosen, known = [right], {_key(right.action)}
        if right.action != WAIT:
            chosen.append(Planned(WAIT))
            known.add(_key(WAIT))
        if self.k > len(chosen):
            for planned in self._distractors.calls(right):
                key = _key(planned.action)
                if key in known:
                    continue
                known.add(key)  # what was refused is not tried twice
                if planned.action["tool"] == "assistant.reply" or accepts(planned.action):
                    chosen.append(planned)
                    if len(chosen) == self.k:
                        break
        chosen += [Planned(WAIT)] * (self.k - len(chosen))
        self._rng.shuffle(chosen)
        self._right = next(i for i, planned in enumerate(chosen) if planned is right)
        self._offered = chosen
        return Candidates(tuple(planned.action for planned in chosen))

    # -- forks ---------------------------------------------------------------------------------------------------

    def snapshot(self) -> Any:
        """The state now, that of the env below included, to come back to with ``restore``."""
        below = self.env.get_wrapper_attr("snapshot")()
        return below, self._distractors.fork(), self._offered, self._right

    def restore(self, snapshot: Any) -> None:
        """Go back to a snapshot, of this env or of another one like it. It can be used again.

        A wrapper below that has a state and no ``snapshot`` of its own keeps what it has.
        """
        below, distractors, self._offered, self._right = snapshot
        self.env.get_wrapper_attr("restore")(below)
        self._distractors = distractors.fork()
        self._guide, self._rng = self._distractors.guide, self._distractors.rng
        self._moment = ()


def _key(action: dict[str, Any]) -> bytes:
    return orjson.dumps(action, option=orjson.OPT_SORT_KEYS)
