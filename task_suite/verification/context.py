"""What the gates share: the task, its variants, and the reference run with a fork before each of its steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lifegym.task_suite.task import Task
from lifegym.task_suite.verification.playthrough import Playthrough
from lifegym.timeline import Scenario

__all__ = ["Context", "Variation"]

Variation = tuple[str, int]
"""A variant and its seed."""


@dataclass
class Context:
    """One verification.

    Attributes:
        task: The task.
        seeds: How many train and how many test seeds are looked at, beside the canonical world.
        workers: Processes for the gates that play many runs.
    """

    task: Task
    seeds: int = 5
    workers: int = 1

    @property
    def drawn(self) -> list[Variation]:
        """The drawn variants."""
        return [(variant, seed) for variant in ("train", "test") for seed in range(self.seeds)]

    @property
    def variations(self) -> list[Variation]:
        """The canonical world and the drawn ones."""
        return [("canonical", 0), *self.drawn]

    def scenario(self, variation: Variation = ("canonical", 0)) -> Scenario:
        """The scenario of a variation."""
        return self.task.scenario(*variation)

    @cached_property
    def reference(self) -> Playthrough:
        """The finished reference run on the canonical world.

        Raises:
            SolutionError: It cannot be played.
        """
        return Playthrough(self.task, self.scenario()).finish()

    def forks(self, variation: Variation = ("canonical", 0)) -> list[Playthrough]:
        """The reference run before each thing it does, in order."""
        play = Playthrough(self.task, self.scenario(variation))
        found = []
        while not play.over:
            found.append(play.fork())
            play.advance()
        return found
