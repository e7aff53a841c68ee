"""An elastic pool of Ray actors: no unit is lost when an actor, its worker process or its node is.

Work goes only to actors that reported ready; a unit's time begins when it is dispatched; an actor that is lost or hangs
is replaced (never restarted: a restarted actor has forgotten its agent), and its units go to others. Units are taken
from the iterator only when an actor is free for them, and results are handed on at once, so memory does not grow with
their number.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayActorError, RayError

from lifegym.garbage import collect_seldom
from lifegym.rollouts.units import Unit
from lifegym.rollouts.worker import Caps, Played, failed, play_unit

__all__ = ["Pool"]

POLL = 0.2
"""Seconds between looks at time limits while nothing finishes."""

START_TIMEOUT = 300.0
"""Seconds in which the first actor has to report ready."""


class Player:
    """What an actor does: plays units, one after the other, or several at once where the agent waits for a model."""

    def __init__(self, make: Callable[[], Any], name: str, caps: Caps, record: bool, paths: list[str]) -> None:
        for path in paths:
            if path not in sys.path:
                sys.path.append(path)
        collect_seldom()  # this process is the actor's own, and episodes leave hardly a cycle
        self._settings = (make, name)
        self._caps, self._record = caps, record

    def ready(self) -> bool:
        """Whether it can play; what it imports is loaded by then."""
        import lifegym.task_suite.task  # noqa: F401

        return True

    def play(self, unit: Unit) -> Played:
        """One unit."""
        return play_unit(*self._settings, unit, self._caps, self._record)


class _Flight(NamedTuple):
    unit: Unit
    actor: Any
    since: float


class Pool:
    """Plays units on actors.

    Args:
        make: Makes the agent, in the actor.
        name: How the agent is called in records.
        caps: Limits of an episode.
        record: Whether trajectories are kept.
        workers: How many actors.
        concurrency: Units at once in an actor.
        timeout: Seconds that a unit may take; None for no limit.
        retries: How often a unit is tried again before it is given up.
    """

    def __init__(
        self,
        make: Callable[[], Any],
        name: str,
        caps: Caps,
        record: bool,
        workers: int,
        concurrency: int,
        timeout: float | None,
        retries: int,
    ) -> None:
        remote: Any = ray.remote
        self._actor = remote(num_cpus=1, max_restarts=0, max_task_retries=0, max_concurrency=concurrency)(Player)
        # Actors share this process's import path, so that an agent of the current folder is found there too.
        self._arguments = (make, name, caps, record, [path for path in sys.path if path])
        self.workers, self.concurrency = workers, concurrency
        self.timeout, self.retries = timeout, retries
        self._starting: dict[Any, Any] = {}
        self._free: deque[Any] = deque()  # an actor stands there once for each unit that it can take
        self._flights: dict[Any, _Flight] = {}
        self._again: deque[Unit] = deque()
        self._tries: dict[Unit, int] = {}

    def play(self, units: Iterator[Unit]) -> Iterator[tuple[Unit, Played]]:
        """Each unit with what came of it, as they finish.

        Raises:
            RuntimeError: No actor became ready.
        """
        began = time.monotonic()
        started = False
        for _ in range(self.workers):
            self._spawn()
        try:
            left = True
            while left or self._again or self._flights:
                left = self._dispatch(units, left)
                if not (left or self._again or self._flights):
                    break
                done, _ = ray.wait([*self._flights, *self._starting], timeout=POLL)
                finished = []
                for ref in done:
                    if ref in self._starting:
                        started |= self._joined(ref)
                    else:
                        finished.extend(self._landed(ref))
                finished.extend(self._overdue())
                left = self._dispatch(units, left)  # before anybody looks at what is finished: no worker waits for that
                yield from finished
                if not started and time.monotonic() - began > START_TIMEOUT:
                    raise RuntimeError(f"no worker became ready in {START_TIMEOUT:g} s; has the cluster free CPUs?")
        finally:
            self.close()

    def close(self) -> None:
        """End every actor."""
        actors = {id(actor): actor for actor in [*self._starting.values(), *self._free]}
        actors |= {id(flight.actor): flight.actor for flight in self._flights.values()}
        for actor in actors.values():
            ray.kill(actor)
        self._starting, self._flights = {}, {}
        self._free.clear()

    def _spawn(self) -> None:
        actor = self._actor.remote(*self._arguments)
        self._starting[actor.ready.remote()] = actor

    def _joined(self, ref: Any) -> bool:
        """An actor reported ready, or died before it could."""
        actor = self._starting.pop(ref)
        try:
            ray.get(ref)
        except RayActorError:
            self._spawn()
            return False
        self._free.extend([actor] * self.concurrency)
        return True

    def _dispatch(self, units: Iterator[Unit], left: bool) -> bool:
        """Give free actors something to do. Whether the iterator may have more."""
        while self._free and (self._again or left):
            unit = self._again.popleft() if self._again else next(units, None)
            if unit is None:
                return False
            actor = self._free.popleft()
            self._flights[actor.play.remote(unit)] = _Flight(unit, actor, time.monotonic())
        return left

    def _landed(self, ref: Any) -> list[tuple[Unit, Played]]:
        """A unit has come to an end, or its actor has: what is finished by it, if anything."""
        flight = self._flights.pop(ref, None)
        if flight is None:
            return []  # its actor was lost a moment ago, and with it this flight
        try:
            played: Played = ray.get(ref)
        except RayActorError:
            self._lose(flight.actor)
            return self._given_up(flight.unit, "worker: it was lost while it played this episode")
        except RayError as error:
            self._free.append(flight.actor)
            return self._given_up(flight.unit, f"worker: {type(error).__name__}: {str(error).splitlines()[-1][:200]}")
        self._free.append(flight.actor)
        if played.again and self._tried(flight.unit):
            self._again.append(flight.unit)
            return []
        self._tries.pop(flight.unit, None)
        return [(flight.unit, played)]

    def _overdue(self) -> Iterator[tuple[Unit, Played]]:
        """Units that took too long: their actor is killed, and what else it played is played again elsewhere."""
        if self.timeout is None:
            return
        now = time.monotonic()
        for ref, flight in list(self._flights.items()):
            if ref in self._flights and now - flight.since > self.timeout:
                del self._flights[ref]
                self._lose(flight.actor)
                yield from self._given_up(flight.unit, f"time: it took more than {self.timeout:g} s")

    def _lose(self, actor: Any) -> None:
        """An actor is gone: another one takes its place, and its other units go back without a mark."""
        ray.kill(actor)
        self._free = deque(free for free in self._free if free is not actor)
        for ref, flight in list(self._flights.items()):
            if flight.actor is actor:
                del self._flights[ref]
                self._again.append(flight.unit)
        self._spawn()

    def _tried(self, unit: Unit) -> bool:
        """Count a try. Whether there is another."""
        self._tries[unit] = self._tries.get(unit, 0) + 1
        return self._tries[unit] <= self.retries

    def _given_up(self, unit: Unit, reason: str) -> list[tuple[Unit, Played]]:
        """A unit goes back into the queue, or, after its last try, ends without a score."""
        if self._tried(unit):
            self._again.append(unit)
            return []
        tries = self._tries.pop(unit)
        return [(unit, Played(failed(unit, f"{reason} (tried {tries} times)"), None))]
