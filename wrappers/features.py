"""Observations as arrays of fixed shape: the state, and what describes each candidate call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.utils import RecordConstructorArgs

from lifegym.episode import Episode
from lifegym.wrappers.candidates import Candidates, chosen_index, stands
from lifegym.wrappers.descriptions import DescribedCall, describe_call
from lifegym.wrappers.layout import CANDIDATE, FIXED, STATE
from lifegym.wrappers.memory import Memory

__all__ = ["FeatureObservation"]

_MOST = 16.0
"""No logarithm of a count that an episode can have comes near it."""

_KNOWN_LIMIT = 4096
"""So many calls' fixed features are kept at hand."""


class FeatureObservation(gym.ObservationWrapper[Any, Any, Any], RecordConstructorArgs):
    """The observation is ``{"state": (n,), "candidates": (k, d)}``, two arrays of float32.

    ``STATE`` and ``CANDIDATE`` of ``lifegym.wrappers.layout`` say what stands where. Each row is worked out from its
    call and from what was seen and done so far, in the same way for every candidate, so nothing in it tells which is
    right: with the candidates in another order, the rows are the same in that order. Unread counts and changes are
    badges as a phone shows them: they say where something is new, not what. Texts are hashed by CRC-32, the same in
    every process.

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
        self._known: dict[bytes, DescribedCall] = {}
        self._offered = Candidates()

    def reset(self, **kwargs: Any) -> tuple[Any, dict[str, Any]]:
        """Begin an episode in which nothing was seen yet."""
        observation, info = self.env.reset(**kwargs)
        self.shown: Mapping[str, str] = observation
        self._memory = Memory()
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
                found = known[key] = describe_call(call)
            described.append(found)
        rows = np.empty((self.k, CANDIDATE["past"].stop), np.float32)
        rows[:, :FIXED] = np.concatenate([one.row for one in described]).reshape(self.k, FIXED)
        moving = memory.moving(offered.keys, described)
        rows[:, FIXED:] = np.fromiter(moving, np.float32, len(moving)).reshape(self.k, -1)
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
