"""Recorded episodes graded again: their calls are replayed in today's world and judged by today's checks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from lifegym.episode import Episode
from lifegym.rollouts.run_folder import RunFolder
from lifegym.rollouts.trajectory import Trajectory
from lifegym.rollouts.units import Key
from lifegym.scoring import Score
from lifegym.task_suite import load_task

__all__ = ["Divergence", "Rescored", "replay", "rescore"]

E = TypeVar("E", bound=Episode)


@dataclass(frozen=True)
class Divergence:
    """The first place where the world now answers otherwise than it did.

    Attributes:
        step: Number of the action after which it was seen; 0 is the beginning.
        action: What was sent.
        was: What was seen then.
        now: What is seen now.
    """

    step: int
    action: Any
    was: dict[str, str]
    now: dict[str, str]


@dataclass(frozen=True)
class Rescored:
    """A recorded episode as it would be graded now.

    Attributes:
        key: Which.
        was: Its recorded score.
        score: Its score now. The calls stay what they were: past a divergence the agent might have acted otherwise.
        divergence: Where the world differs; None where it does not.
        changed: Whether the task's files are others than they were.
        flipped: Checks that pass now and did not (True), or the other way round (False).
    """

    key: Key
    was: float | None
    score: Score
    divergence: Divergence | None
    changed: bool
    flipped: dict[str, bool]


def replay(recorded: Trajectory, kind: type[E] = Episode) -> tuple[E, Divergence | None]:  # type: ignore[assignment]
    """Play a trajectory's calls again in today's world.

    Args:
        recorded: The trajectory.
        kind: Of episode: one that watches itself is played like any other.

    What is left when the episode ends is not played; an episode that goes on when the calls are at their end is waited
    through, unless it was cut off.

    Raises:
        KeyError: There is no such task any more.
        BundleError: The task's bundle is malformed.
    """
    task = load_task(recorded.source)
    episode = kind(task.scenario(recorded.key.variant, recorded.key.seed), **recorded.caps)
    now = episode.observation(episode.begin())
    found: Divergence | None = None
    sent: Any = None
    for number, was in enumerate(recorded.observations):
        if now != was and found is None:
            found = Divergence(number, sent, was, now)
        if episode.over or number >= len(recorded.actions):
            break
        sent = recorded.actions[number]
        now = episode.observation(episode.step(sent))
    while not episode.over:
        episode.step({"tool": "assistant.wait", "arguments": {}})
    return episode, found


def rescore(folder: RunFolder) -> Iterator[Rescored]:
    """Grade every recorded episode of a run again, one after the other.

    Raises:
        RunError: A trajectory is missing or damaged.
        KeyError: There is no such task any more.
        BundleError: A task's bundle is malformed.
    """
    for row in folder.stored():
        if not row.get("trajectory"):
            continue
        key = Key(*(row[name] for name in Key._fields))
        recorded = folder.trajectory(key)
        episode: Episode
        episode, found = replay(recorded)
        score = episode.score()
        before = row.get("checks", {})
        flipped = {id: passed for id, passed in score.checks.items() if before.get(id, False) != passed}
        changed = load_task(recorded.source).bundle.content_hash != recorded.content_hash
        yield Rescored(key, row["score"], score, found, changed, flipped)
