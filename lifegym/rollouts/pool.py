"""An elastic pool of Ray actors: no unit is lost when an actor, its worker process or its node is.

Work goes only to actors that reported ready; a unit's time begins when it is dispatched; an actor that is lost or hangs
is replaced (never restarted: a restarted actor has forgotten its agent), and its units go to others. Units are taken
from the iterator only when an actor is free for them, and results are handed on at once, so memory does not grow with
their number. Where an actor is lost that played several units, nobody knows which of them did it: they are played
again one at a time, each on an actor of its own, and what is then lost with its actor is to blame.
"""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayActorError, RayError, RayTaskError

from lifegym.garbage import collect_seldom
from lifegym.rollouts.units import Unit
from lifegym.rollouts.worker import Caps, Played, failed, play_unit

__all__ = ["Pool"]

POLL = 0.2
"""Seconds between looks at time limits while nothing finishes."""

START_TIMEOUT = 300.0
"""Seconds in which the first actor has to report ready."""

MAX_FAILED_STARTS = 3
"""So many deaths in a row, for each worker, of actors that have not reported ready yet, are no accident."""


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
        """Whether it can play; what it imports is loaded by then.

        Raises:
            ValueError: The agent cannot be made here.
        """
        import lifegym.task_suite.task  # noqa: F401
        from lifegym.baselines.agent import made

        made(*self._settings)
        return True

    def play(self, unit: Unit) -> Played:
        """One unit."""
        return play_unit(*self._settings, unit, self._caps, self._record)


class _Flight(NamedTuple):
    """A unit under way; one that is alone on its actor takes all of the actor's slots."""

    unit: Unit
    actor: Any
    slots: int
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
        self._free: dict[Any, int] = {}  # actors that can take units, and how many
        self._flights: dict[Any, _Flight] = {}
        self._again: deque[Unit] = deque()
        self._suspects: deque[Unit] = deque()
        self._tries: dict[Unit, int] = {}
        self._failed_starts = 0

    def play(self, units: Iterator[Unit]) -> Iterator[tuple[Unit, Played]]:
        """Each unit with what came of it, as they finish.

        Raises:
            ValueError: The agent cannot be made.
            OSError: No actor became ready.
        """
        began = time.monotonic()
        started = False
        for _ in range(self.workers):
            self._spawn()
        try:
            left = True
            while left or self._waiting():
                left = self._dispatch(units, left)
                if not (left or self._waiting()):
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
                    raise TimeoutError(f"no worker became ready in {START_TIMEOUT:g} s; has the cluster free CPUs?")
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

    def _waiting(self) -> bool:
        """Whether units are under way, or wait to be played again."""
        return bool(self._flights or self._again or self._suspects)

    def _joined(self, ref: Any) -> bool:
        """Whether an actor reported ready; another one takes the place of one that died before it could."""
        actor = self._starting.pop(ref)
        try:
            ray.get(ref)
        except RayTaskError as error:
            ray.kill(actor)
            raise (error.cause if isinstance(error.cause, Exception) else error) from None
        except RayActorError as error:
            self._failed_starts += 1
            if self._failed_starts > MAX_FAILED_STARTS * self.workers:
                raise ChildProcessError(f"no worker can start: {_last_line(error)}") from None
            self._spawn()
            return False
        self._failed_starts = 0
        self._free[actor] = self.concurrency
        return True

    def _dispatch(self, units: Iterator[Unit], left: bool) -> bool:
        """Give free actors something to do. Whether the iterator may have more."""
        for actor in [actor for actor, slots in self._free.items() if slots == self.concurrency]:
            if self._suspects:
                self._send(self._suspects.popleft(), actor, self.concurrency)
        while self._free and (self._again or left):
            unit = self._again.popleft() if self._again else next(units, None)
            if unit is None:
                return False
            self._send(unit, max(self._free, key=self._free.__getitem__), 1)
        return left

    def _send(self, unit: Unit, actor: Any, slots: int) -> None:
        self._flights[actor.play.remote(unit)] = _Flight(unit, actor, slots, time.monotonic())
        self._free[actor] -= slots
        if not self._free[actor]:
            del self._free[actor]

    def _landed(self, ref: Any) -> list[tuple[Unit, Played]]:
        """A unit has come to an end, or its actor has: what is finished by it, if anything."""
        flight = self._flights.pop(ref, None)
        if flight is None:
            return []  # its actor was lost a moment ago, and with it this flight
        try:
            played: Played = ray.get(ref)
        except RayActorError:
            others = self._lose(flight.actor)
            if others:
                self._suspects.extend((flight.unit, *others))
                return []
            return self._given_up(flight.unit, "worker: it was lost while it played this episode")
        except RayError as error:
            self._free[flight.actor] = self._free.get(flight.actor, 0) + flight.slots
            return self._given_up(flight.unit, f"worker: {type(error).__name__}: {_last_line(error)}")
        self._free[flight.actor] = self._free.get(flight.actor, 0) + flight.slots
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
                self._again.extend(self._lose(flight.actor))
                yield from self._given_up(flight.unit, f"time: it took more than {self.timeout:g} s")

    def _lose(self, actor: Any) -> list[Unit]:
        """An actor is gone, and another one takes its place. Gives the units that it still played."""
        ray.kill(actor)
        self._free.pop(actor, None)
        refs = [ref for ref, flight in self._flights.items() if flight.actor == actor]
        self._spawn()
        return [self._flights.pop(ref).unit for ref in refs]

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


def _last_line(error: Exception) -> str:
    """Where Ray's long accounts of an error say what it was."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
