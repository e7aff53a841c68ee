"""Calls that are only tried: whether the world would accept them now."""

from __future__ import annotations

from typing import Any

from lifegym.episode import Episode
from lifegym.services import dispatch
from lifegym.timeline import Scenario
from lifegym.world.world import World

__all__ = ["Trials"]


class Trials:
    """Tries calls without a trace, for less than ``episode.fork().step(action)`` costs.

    The calls are made in a spare world, which takes on the state of the episode's before each of them. Only where
    something of the timeline is due before the call is an episode forked for it.
    """

    LIMIT = 1024
    """So many calls are kept as they were read."""

    def __init__(self) -> None:
        self._read: dict[bytes, dispatch.Call | dispatch.Outcome] = {}
        self._scenario: Scenario | None = None
        self._world: World | None = None

    def accepts(self, episode: Episode, action: dict[str, Any], key: bytes) -> bool:
        """Whether a call would be accepted as the episode's next step. A reply and a wait are, if they are well-formed.

        Args:
            episode: It is not over, and stays as it is.
            action: The call.
            key: Tells it from others, so that it is read only once.
        """
        if self._scenario is not episode.scenario:
            self._scenario, self._world, self._read = episode.scenario, episode.world.fork(), {}
        call = self._read.get(key)
        if call is None:
            if len(self._read) >= self.LIMIT:
                self._read.clear()
            call = self._read[key] = dispatch.parse(action, episode.world.services)
        if isinstance(call, dispatch.Outcome):
            return False
        if call.spec.service == "assistant":
            return True
        if episode.capped:
            return False
        at, due = episode.next_tick(), episode.world.agenda.next_time()
        if due is not None and due <= at:
            return episode.fork().step(action).kind == "result"
        world = self._world
        assert world is not None
        world.take_on(episode.world)
        world.now = max(world.now, at)
        return dispatch.accepts(world, call)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Trials, ())
