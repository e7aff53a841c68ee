"""An episode that somebody outside plays, call by call (an MCP client, a person), and its record."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from lifegym.episode import Episode, Step
from lifegym.rollouts.evaluation import task_facts, versions
from lifegym.rollouts.run_folder import RunFolder
from lifegym.rollouts.trajectory import Trajectory
from lifegym.rollouts.units import Key
from lifegym.rollouts.worker import Caps, Played, Watch
from lifegym.task_suite import Task

__all__ = ["HUMAN", "Sitting"]

HUMAN = "human"
"""How a person is called in records."""


class Sitting:
    """One episode, recorded in a run folder when it ends.

    Args:
        task: What is played.
        agent: How the agent is called in records.
        variant: The task's variant.
        seed: The variant's seed.
        out: The run folder; None keeps no record.
        caps: Limits of the episode.

    Attributes:
        scenario: What is played.
        episode: Its state.
        seen: The last observation.
        row: The line of ``results.jsonl``, once it is finished.

    Raises:
        ValueError: An unknown variant, or a seed out of range.
        RunError: The folder holds another run, or cannot be written.
    """

    def __init__(self, task: Task, agent: str, variant: str, seed: int, out: Path | None, caps: Caps) -> None:
        self.scenario = task.scenario(variant, seed)
        self.episode = Episode(self.scenario, *caps)
        self.row: dict[str, Any] | None = None
        self._folder: RunFolder | None = None
        self._began = time.perf_counter()
        number = 0
        if out is not None:
            settings: dict[str, Any] = {
                "agent": agent,
                "agent_settings": {},
                "variant": variant,
                "runs": None,
                "seeds": None,
            }
            manifest = {
                "settings": {**settings, **caps._asdict(), "trajectories": True},
                "tasks": task_facts([task]),
                "versions": versions(),
            }
            self._folder = RunFolder.open(out, manifest)
            kept = self._folder.resume()
            number = sum(key.task == task.id and key.seed == self.scenario.seed for key in kept)
        key = Key(task.id, variant, self.scenario.seed, number)
        self._watch = Watch(Trajectory(key, task.source, agent, 0, task.bundle.content_hash, caps._asdict()))
        self.seen = self.episode.observation(self.episode.begin())

    def step(self, action: Any) -> Step:
        """Carry out an action. After the one that ends the episode, ``finish`` writes its record."""
        step = self.episode.step(action)
        self._watch(self.seen, action, step)
        self.seen = self.episode.observation(step)
        return step

    def finish(self) -> dict[str, Any]:
        """Write the record of an episode that has ended. Returns its line of ``results.jsonl``."""
        self._watch.end(self.seen)
        self.row = self._watch.row(self.episode.score(), time.perf_counter() - self._began)
        if self._folder is not None:
            made = self._watch.trajectory
            self._folder.add(made.key, Played(self.row, made.dump()))
            self._folder.summarize()
        return self.row

    def close(self) -> None:
        """Let go of the run folder. An episode that has not ended is not recorded."""
        if self._folder is not None:
            self._folder.close()
            self._folder = None
