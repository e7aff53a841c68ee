"""What happened in an episode, step by step, as a file: gzip-compressed JSON with everything to play it again."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from lifegym.episode import Step
from lifegym.rollouts.units import Key

__all__ = ["FORMAT", "Recorder", "Trajectory", "read_trajectory"]

FORMAT = 1
"""Version of the file's form."""


@dataclass
class Trajectory:
    """An episode.

    Attributes:
        key: What it is known by.
        source: How its task is loaded.
        agent: Name of the agent.
        agent_seed: Seed of its randomness.
        content_hash: Of the task's bundle when it was played.
        caps: ``max_calls_per_turn`` and ``max_steps``.
        observations: What was seen: ``kind``, ``stage``, ``text``, ``time``; one more than there are actions.
        actions: What was sent, as JSON values.
        rewards: Per action.
        codes: Per action the error's code, or "".
        usage: What the agent used, as it tells.
        score: As ``Score.to_json``; None where the episode did not end.
    """

    key: Key
    source: str
    agent: str
    agent_seed: int
    content_hash: str
    caps: dict[str, int]
    observations: list[dict[str, str]] = field(default_factory=list)
    actions: list[Any] = field(default_factory=list)
    rewards: list[float] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    usage: dict[str, Any] = field(default_factory=dict)
    score: dict[str, Any] | None = None

    def dump(self) -> bytes:
        """The file's bytes; the same episode gives the same."""
        values = {"format": FORMAT, **vars(self), "key": self.key._asdict()}
        return gzip.compress(orjson.dumps(values, option=orjson.OPT_NON_STR_KEYS, default=repr), 1, mtime=0)


def read_trajectory(path: Path) -> Trajectory:
    """Read a trajectory's file.

    Raises:
        OSError: There is no such file, or it cannot be read.
        ValueError: It is no trajectory, or of a later form.
    """
    try:
        values = orjson.loads(gzip.decompress(path.read_bytes()))
        form = values.pop("format")
        if form != FORMAT:
            raise ValueError(f"{path} has format {form}; this version reads {FORMAT}")
        return Trajectory(**{**values, "key": Key(**values["key"])})
    except (gzip.BadGzipFile, EOFError, orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"{path} is no trajectory: {type(error).__name__}: {error}") from None


class Recorder:
    """Fills a trajectory while an episode is played: what ``play`` is given as ``watch``."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory

    def __call__(self, seen: dict[str, str], action: Any, step: Step) -> None:
        made = self.trajectory
        made.observations.append(seen)
        made.actions.append(plain(action))
        made.rewards.append(step.reward)
        made.codes.append(step.code)

    def end(self, last: dict[str, str]) -> None:
        """The observation after the last action."""
        self.trajectory.observations.append(last)


def plain(action: Any) -> Any:
    """An action as JSON values that give the same call again; what JSON cannot carry becomes its text."""
    try:
        return orjson.loads(orjson.dumps(action, option=orjson.OPT_NON_STR_KEYS | orjson.OPT_SERIALIZE_NUMPY))
    except (TypeError, ValueError, RecursionError):
        return repr(action)
