"""One episode that a person plays: every call is kept before its outcome is shown, and the end is a run's record."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from lifegym.episode import Step
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Item, Note, Part
from lifegym.reports.world.services import view
from lifegym.rollouts.call_file import CallFile, CallFileError, Header
from lifegym.rollouts.run_folder import RunError
from lifegym.rollouts.sitting import HUMAN, Sitting
from lifegym.rollouts.worker import Caps
from lifegym.task_suite import Task
from lifegym.world import World

__all__ = ["Done", "Looked", "Session"]

UNFINISHED = "unfinished"
"""Folder of a run folder in which the calls of an episode are kept while it goes on."""


class Done(NamedTuple):
    """A call that was made: in which turn, when, what came of it, and whether it was made by opening a page."""

    number: int
    turn: int
    time: str
    tool: str
    arguments: dict[str, Any]
    step: Step
    looking: bool


class Looked(NamedTuple):
    """What was seen on a page or in something that was opened, and at which state of the world."""

    parts: list[Part]
    time: str
    version: int


class Session:
    """An episode and its record.

    Args:
        task: What is played.
        variant: Its variant.
        seed: The variant's seed.
        out: The run folder; None keeps no record. An episode that was left unfinished there goes on.
        caps: Limits of the episode.

    Attributes:
        done: The calls so far, in their order.
        last: The call that was made last, by a form and not by opening a page; None before the first.
        focus: What was opened last on a page, None where the page itself was.
        version: Grows with everything that may have changed the world; what was seen before is marked as old.
        resumed: How many calls of an earlier sitting were played again.

    Raises:
        ValueError: An unknown variant, or a seed out of range.
        RunError: The folder holds another run, cannot be written, or holds calls that fit the task no more.
    """

    def __init__(
        self, task: Task, variant: str = "canonical", seed: int = 0, out: Path | None = None, caps: Caps = Caps()
    ) -> None:
        self.task = task
        self.out = out
        self.done: list[Done] = []
        self.last: Done | None = None
        self.version = 0
        self.resumed = 0
        self.focus: Item | None = None
        self._looks: dict[tuple[str, str, str], Looked] = {}
        self._calls: CallFile | None = None
        self._sitting = Sitting(task, HUMAN, variant, seed, out, caps)
        self.scenario, self.episode = self._sitting.scenario, self._sitting.episode
        try:
            if out is not None:
                self._resume(out)
        except BaseException:
            self.close()
            raise

    # -- what a page shows ---------------------------------------------------------------------------------------

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.episode.over

    @property
    def row(self) -> dict[str, Any] | None:
        """The line of ``results.jsonl``, once the episode has ended."""
        return self._sitting.row

    @property
    def seen(self) -> dict[str, str]:
        """The last observation."""
        return self._sitting.seen

    @property
    def steps(self) -> int:
        """How many calls were made; a form tells by it whether it is still up to date."""
        return self.episode.steps

    @property
    def world(self) -> World:
        """The world that is played in."""
        return self.episode.world

    def looked(self, service: str, kind: str = "", key: str = "") -> Looked | None:
        """What was last seen on a service's page, or in one of its items; None if nobody has looked."""
        return self._looks.get((service, kind, key))

    # -- playing -------------------------------------------------------------------------------------------------

    def act(self, tool: str, arguments: dict[str, Any], looking: bool = False) -> Step:
        """Make a call.

        Args:
            tool: ``service.tool``.
            arguments: Of the call.
            looking: Whether it is made by opening a page.

        Raises:
            EpisodeOver: The episode has ended.
            OSError: The call cannot be kept; it was not made.
        """
        action = {"tool": tool, "arguments": arguments}
        if self._calls is not None and not self.episode.over:
            self._calls.append(action)
        return self._do(action, looking)

    def _do(self, action: Any, looking: bool = False) -> Step:
        turn = len(self.episode.history.turns) - 1
        step = self._sitting.step(action)
        ended = step.kind not in ("result", "error")
        now = self.world.iso(self.episode.history.turns[turn].closed if ended else None)
        made = Done(self.episode.steps, turn, now, action["tool"], action["arguments"], step, looking)
        self.done.append(made)
        if not looking:
            self.last = made
            if step.kind != "error" and self.episode.history.calls[-1].write:
                self.version += 1
        if self.episode.over:
            self._sitting.finish()
            if self._calls is not None:
                self._calls.path.unlink(missing_ok=True)
        return step

    def look(self, service: str, item: Item | None = None) -> Looked:
        """Open a service's page, or something on it: the calls that it shows are made now.

        Raises:
            KeyError: The page has no such kind of item.
            EpisodeOver: The episode has ended.
        """
        reading = _SessionLook(self)
        page = view(service)
        parts = page.page(reading) if item is None else page.open(reading, item)
        parts = [*[Note(text, "fail") for text in reading.refusals], *parts]
        self.focus = item
        looked = Looked(parts, self.world.iso(), self.version)
        self._looks[(service, item.kind, item.key) if item else (service, "", "")] = looked
        return looked

    # -- the record ----------------------------------------------------------------------------------------------

    def _resume(self, out: Path) -> None:
        """Go on with the calls that an earlier sitting left, or begin to keep calls."""
        path = out / UNFINISHED / f"{self.task.id}-{self.scenario.variant}-{self.scenario.seed}.jsonl"
        header = Header(self.task.source, self.task.bundle.content_hash, self.scenario.variant, self.scenario.seed)
        try:
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                self._calls = CallFile.begin(path, header)
                return
            self._calls = CallFile.read(path)
        except OSError as error:
            raise RunError(f"{path} cannot be used: {error.strerror}") from None
        except CallFileError as error:
            raise RunError(str(error)) from None
        if self._calls.header.content_hash != header.content_hash:
            raise RunError(f"the task has changed since {path} was begun; remove that file, or name another folder")
        for action in self._calls.actions:
            if not (isinstance(action, dict) and set(action) == {"tool", "arguments"}):
                raise RunError(f"{path} holds {action!r:.60}, which is no call; remove that line")
            if self.episode.over:
                break
            self._do(action)
            self.resumed += 1

    def close(self) -> None:
        """Let go of the run folder. What was played of an unfinished episode stays there."""
        self._sitting.close()
        if self._calls is not None and not self._calls.actions:
            self._calls.path.unlink(missing_ok=True)


class _SessionLook(Look):
    """A look that makes the person's own calls."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.refusals: list[str] = []

    @property
    def world(self) -> World:
        return self._session.world

    def read(self, tool: str, /, **arguments: Any) -> dict[str, Any] | None:
        if self._session.over:  # the call before was the last one
            return None
        step = self._session.act(tool, arguments, looking=True)
        if step.kind == "error":
            self.refusals.append(f"{tool}: {step.result['error']['message']}")
            return None
        found: dict[str, Any] = step.result
        return found
