"""Episodes of a fuzz: a few hundred calls on a fork of a filled world, with clock advances and happenings between them.

What must hold is looked at as they go: no faults; reads and refusals that change nothing; invariants, records that fit
their models and references that exist after every batch.
"""

from __future__ import annotations

import hashlib
import traceback
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from recipes import RECIPES, Scene, Unplayable
from steering import Steering
from worlds import household, living

from conformance import PAYMENT_REFUSALS, filled_world, record_problems
from lifegym.services import ToolError, ToolSpec, catalogue, dispatch
from lifegym.services.dispatch import Call
from lifegym.task_suite import SEEDS, Task
from lifegym.world import World, clock

__all__ = ["EPISODE", "Tally", "play_chunk"]

EPISODE = 400
"""Calls of an episode."""
BATCH = 100
"""Calls between two looks at all invariants."""
RECIPE_SHARE = 0.7
"""How often a tool that has a recipe is called by it; else its arguments are drawn."""
COMPARED = 0.02
"""How often the whole world is compared with what it was before a call."""
FOCUS = 4
"""Services whose tools an episode calls most."""


class Tally(NamedTuple):
    """What came of some calls.

    Attributes:
        calls: Tool to calls.
        accepted: Tool to accepted calls.
        refused: Tool and code to refused calls.
        other: How many happenings, clock advances, unchanged worlds and checked worlds there were.
        violations: What was broken, and how often.
    """

    calls: Counter[str]
    accepted: Counter[str]
    refused: Counter[str]
    other: Counter[str]
    violations: Counter[str]

    @staticmethod
    def empty() -> Tally:
        """Nothing yet."""
        return Tally(Counter(), Counter(), Counter(), Counter(), Counter())

    def add(self, more: Tally) -> None:
        """Count in what came of further calls."""
        for mine, theirs in zip(self, more, strict=True):
            mine.update(theirs)


def number(*parts: Any) -> int:
    """A seed that depends on nothing but these parts."""
    digest = hashlib.blake2b("|".join(map(str, parts)).encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def play_chunk(seed: int, chunk: int, calls: int, services: tuple[str, ...], without: tuple[str, ...]) -> Tally:
    """Make calls in episodes on worlds of their own.

    Args:
        seed: Of the whole fuzz.
        chunk: Number of the chunk; with the seed it decides everything.
        calls: How many calls to make.
        services: Whose tools are called.
        without: Services that the household does not have.
    """
    tally = Tally.empty()
    task = household(without)
    full = Task(task.bundle, task.source).scenario("train", number(seed, chunk, "household") % SEEDS).world
    episode = 0
    while tally.calls.total() < calls and episode < calls:  # one that breaks at once makes no call
        draw = np.random.default_rng(number(seed, chunk, episode))
        focus = [services[i] for i in sorted(draw.permutation(len(services))[:FOCUS])]
        world = full
        if episode % 12 == 5:  # a world of random records instead
            enabled = [name for name in focus if name not in catalogue.ALWAYS]
            world = filled_world(enabled, draw, 2)
        play = Episode(world, focus, services, tally, number(seed, chunk, episode, "draw"))
        play.run(min(EPISODE, calls - tally.calls.total()), f"chunk {chunk} episode {episode}")
        episode += 1
    return tally


class Episode:
    """One episode.

    Args:
        base: The world to begin with; it is forked.
        focus: Services that are called most.
        services: All services that may be called.
        tally: Where everything is counted.
        seed: Of what is drawn.
    """

    def __init__(self, base: World, focus: Sequence[str], services: Sequence[str], tally: Tally, seed: int) -> None:
        self.base = base
        self.world = living(base)
        self.tally = tally
        self.steering = Steering(self.world, seed)
        self.random = self.steering.random
        available = (*self.world.services, *catalogue.ALWAYS)
        self.focus = [spec for name in focus if name in available for spec in catalogue.tools_of(name).values()]
        self.all = [spec for name in services if name in available for spec in catalogue.tools_of(name).values()]
        self.verbs = [(name, verb) for name in focus if name in available for verb in catalogue.happenings_of(name)]
        self.scene = Scene(self.world, self.random, RECIPES, self.call, self.happen, self.advance)
        self.trail: list[str] = []
        self.broken = False

    def run(self, calls: int, label: str) -> None:
        """Play it. Something broken ends it early."""
        first = self.tally.calls.total()
        self.advance(self.random.randrange(9 * clock.HOUR, 25 * clock.DAY))
        looked = first
        while not self.broken and (made := self.tally.calls.total()) < first + calls:
            self._move()
            if made - looked >= BATCH:
                looked = made
                self._invariants()
        if not self.broken:
            self._records()
        if self.broken:
            trail = " <- ".join(reversed(self.trail[-6:]))
            self.tally.violations[f"({label}: {trail})"] += 0

    def _move(self) -> None:
        chance = self.random.random()
        if chance < 0.06:
            most = self.random.choice((10 * clock.MINUTE, 3 * clock.HOUR, 12 * clock.HOUR, 3 * clock.DAY))
            self.advance(self.random.randrange(1, most))
        elif chance < 0.16 and self.verbs:
            service, verb = self.random.choice(self.verbs)
            self.happen(f"{service}.{verb}", self.steering.happening(service, verb))
        else:
            spec = self._spec()
            self.call(spec, self._arguments(spec))

    def _spec(self) -> ToolSpec:
        """A tool of the services in focus, mostly; of two, the one with fewer accepted calls."""
        pool = self.focus if self.random.random() < 0.9 else self.all
        one, other = self.random.choice(pool), self.random.choice(pool)
        return one if self.tally.accepted[one.name] <= self.tally.accepted[other.name] else other

    def _arguments(self, spec: ToolSpec) -> dict[str, Any]:
        recipe = RECIPES.get(spec.name)
        if recipe is not None and self.random.random() < RECIPE_SHARE:
            try:
                return recipe(self.scene)
            except Unplayable:
                pass
        return self.steering.arguments(spec)

    # -- what is done --------------------------------------------------------------------------------------------

    def call(self, spec: ToolSpec, arguments: dict[str, Any]) -> Any:
        """Make a call and look at what came of it. Returns the result of an accepted call, else None."""
        name, world = spec.name, self.world
        self.tally.calls[name] += 1
        self.trail.append(f"{name} {ascii(arguments)[:400]}")
        call = dispatch.parse({"tool": name, "arguments": arguments}, world.services)
        if not isinstance(call, Call):
            if call.code != "too_large":
                self._violate(f"{name}: refuses well-formed arguments with {call.code}: {call.text[:200]}")
            return None
        before = world.dump() if self.random.random() < COMPARED else None
        outcome = dispatch.execute(world, call)
        if outcome.fault:
            self._violate(f"{name}: {_where(outcome.fault)}")
        elif outcome.ok:
            self.tally.accepted[name] += 1
            self.steering.remember(outcome.result)
            if not spec.write and before is not None:
                self._unchanged(before, f"{name} is a read, but the world changed")
        else:
            self.tally.refused[f"{name}: {outcome.code}"] += 1
            documented = spec.docs.errors
            payment = "unknown_payment_method" in documented and outcome.code in PAYMENT_REFUSALS
            if outcome.code not in documented and not payment:
                self._violate(f"{name}: refused with {outcome.code}, which Errors: does not name")
            if before is not None:
                self._unchanged(before, f"{name}: refused with {outcome.code}, but the world changed")
        return outcome.result if outcome.ok else None

    def happen(self, verb: str, arguments: dict[str, Any]) -> list[str]:
        """Let something happen. Returns the keys touched."""
        service, _, name = verb.partition(".")
        accepted = catalogue.happening_arguments(service, name)
        self.tally.other["happenings"] += 1
        self.trail.append(f"{verb} {ascii(arguments)[:400]}")
        before = self.world.dump() if self.random.random() < COMPARED else None
        touched: list[str] = []
        try:
            touched = getattr(self.world.service(service), name)(**accepted.validate(arguments))
            self.tally.other["happenings that touched something"] += bool(touched)
        except (ToolError, ValueError):  # it makes no sense, which may be said
            pass
        except Exception:
            self._violate(f"{verb}: {_where(traceback.format_exc())}")
            return []
        if before is not None and not touched:
            self._unchanged(before, f"{verb} touched nothing, but the world changed")
        return touched

    def advance(self, seconds: int) -> None:
        """Let time pass."""
        self.tally.other["clock advances"] += 1
        self.trail.append(f"advance by {seconds} s from {self.world.iso()}")
        try:
            self.world.run_to(self.world.now + seconds)
        except Exception:
            self._violate(f"the clock: {_where(traceback.format_exc())}")
        self.world.openings.clear()

    # -- what must hold ------------------------------------------------------------------------------------------

    def _unchanged(self, before: bytes, complaint: str) -> None:
        self.tally.other["worlds found unchanged"] += 1
        if self.world.dump() != before:
            self._violate(complaint)

    def _invariants(self) -> None:
        self.tally.other["invariants looked at"] += 1
        for name in self.world.services:
            try:
                self.world.service(name).check_invariants()
            except Exception:
                self._violate(f"{name}: an invariant is broken: {_where(traceback.format_exc())}")

    def _records(self) -> None:
        self.tally.other["records looked at"] += 1
        for problem in record_problems(self.world, self.base):
            self._violate(problem)

    def _violate(self, complaint: str) -> None:
        self.broken = True
        self.tally.violations[complaint] += 1


def _where(fault: str) -> str:
    """The error of a traceback and the last place in a service that led to it."""
    lines = fault.strip().splitlines()
    found = [line.strip() for line in lines if "/services/" in line and "/dispatch.py" not in line]
    return f"{lines[-1][:1800]} {found[-1] if found else ''}"
