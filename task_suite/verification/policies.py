"""Two assistants that play the reference solution and lack what the benchmark is about: a memory, and second looks.

Which calls they leave out is computed from what the calls do, never marked by the author of a task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from lifegym.episode import Episode, Step
from lifegym.services import catalogue, dispatch
from lifegym.task_suite.task import Task
from lifegym.task_suite.verification.playthrough import Item, Playthrough
from lifegym.timeline import Event, Scenario
from lifegym.world.agenda import Entry

__all__ = ["Reinspection", "Twin", "play_amnesiac", "play_blind"]

NOTEBOOKS = ("workspace", "notion", "calendar")
"""Services in which an assistant writes down what it wants to know later."""


def play_amnesiac(task: Task, scenario: Scenario) -> tuple[Playthrough, list[str]]:
    """Play the solution without what is durable: calls that write a workspace file, a note or a calendar entry.

    What it holds in its head it keeps; a call that needs an id from a dropped one is dropped too.

    Returns:
        The finished run, and the names of the steps whose calls were dropped.
    """
    play = Playthrough(task, scenario, strict=False)
    dropped: list[str] = []

    def alter(item: Item, action: dict[str, Any]) -> Iterable[dict[str, Any]]:
        if item.step is None or not _writes_down(play.episode, action):
            return [action]
        dropped.append(item.name)
        return []

    return play.finish(alter), dropped


def _writes_down(episode: Episode, action: dict[str, Any]) -> bool:
    spec = catalogue.find_tool(action["tool"])
    if spec is None or not spec.write:
        return False
    if spec.service in NOTEBOOKS:
        return True
    after = episode.fork()
    after.step(action)
    return bool(after.world.workspace.files() != episode.world.workspace.files())


@dataclass(frozen=True)
class Reinspection:
    """A read of the reference solution whose answer a silent mutation has changed.

    Attributes:
        item: Name of the step.
        stage: Its stage.
        tool: What it calls.
        mutations: The mutations that touched a record which the call or its answers name; where they name none, all
            that have happened by then.
    """

    item: str
    stage: str
    tool: str
    mutations: tuple[str, ...]


def play_blind(task: Task, scenario: Scenario) -> tuple[Playthrough, list[Reinspection]]:
    """Play the solution with each re-inspection of the world left out, and the old values in place of its answer.

    A read is a re-inspection where it would have answered otherwise had no mutation happened: beside the run goes a
    twin of its world in which the same calls are made and no mutation happens.

    Returns:
        The finished run, and the re-inspections that were left out.
    """
    play = Playthrough(task, scenario, strict=False)
    twin = Twin(scenario, play.episode)
    found: list[Reinspection] = []

    def alter(item: Item, action: dict[str, Any]) -> Iterable[dict[str, Any]]:
        if item.step is None:
            return [action]
        real, old = twin.both(action)
        spec = catalogue.find_tool(action["tool"])
        if spec is None or spec.write or real.text == old.text:
            return [action]
        named = (str(action["arguments"]), real.text, old.text)
        fired = play.episode.history.fired
        mutations = [e.id for e in scenario.events.values() if e.kind == "mutation" and e.id in fired]
        touching = [id for id in mutations if _names(named, fired[id].touched)]
        found.append(Reinspection(item.name, item.stage, action["tool"], tuple(touching or mutations)))
        play.player.result(item.step, {"kind": "result" if old.ok else "error", "text": old.text})
        return []

    return play.finish(alter), found


def _names(texts: Iterable[str], keys: Iterable[str]) -> bool:
    """Whether a text has one of some keys, or the part before the ``@`` of a key such as ``HD521@2026-04-27``."""
    parts = [key.partition("@")[0] for key in keys]
    return any(part in text for text in texts for part in parts if len(part) > 1)


class Twin(Episode):
    """The world of an episode as it would be without the mutations of its timeline.

    It is moved by ``both`` alone: it opens no turns and decides no checks.

    Args:
        scenario: What the episode plays.
        episode: The episode that it goes beside.
    """

    __slots__ = ("beside",)

    def __init__(self, scenario: Scenario, episode: Episode) -> None:
        super().__init__(scenario)
        self.beside = episode
        self.history.calls = episode.history.calls
        self.history.by_tool = episode.history.by_tool
        self.history.turns = episode.history.turns

    def both(self, action: dict[str, Any]) -> tuple[Step, dispatch.Outcome]:
        """What the episode would answer to an action, and what the twin answers to it, at the same instant.

        The episode stays as it is; in the twin the call is carried out.
        """
        ahead = self.beside.fork()
        counters = ahead.world.counters.copy()
        real = ahead.step(action)
        self._run_to(ahead.world.now)
        call = dispatch.parse(action, self.world.services)
        if isinstance(call, dispatch.Outcome):
            return real, call
        self.world.counters = {**self.world.counters, **counters}
        return real, dispatch.execute(self.world, call)

    def _handle(self, entry: Entry) -> None:
        if entry.owner != "sample":
            super()._handle(entry)

    def _fire(self, event: Event) -> None:
        """A mutation happens to a fork of the world, of which only the counters are kept: ids go on as beside."""
        if event.kind != "mutation":
            super()._fire(event)
            return
        world = self.world
        self.world = world.fork()
        super()._fire(event)
        world.counters = self.world.counters
        self.world = world
