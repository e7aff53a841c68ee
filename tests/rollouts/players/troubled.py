"""Agents that get into trouble once, or always; workers find them by ``module:attribute``."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from lifegym.baselines import ReferenceAgent


class Troubled(ReferenceAgent):
    """The reference solution, but in the episode of one run something happens at its third step.

    Args:
        place: A folder where it is kept which runs have had their trouble.
        kind: ``die`` (the process is killed), ``hang``, ``raise``, ``leave`` (the process exits), or ``meet`` (every
            run waits until four of them are under way).
        run: The run (by the agent's seed).
        always: Every time, not the first time only.
        pause: Seconds before each step.
    """

    def __init__(self, place: str, kind: str = "", run: int = 1, always: bool = False, pause: float = 0.0) -> None:
        super().__init__()
        self.mark = Path(place) / f"{kind}-{run}"
        self.kind, self.run, self.always, self.pause = kind, run, always, pause
        self.usage = {"input_tokens": 10, "output_tokens": 2}

    def reset(self, info: Any) -> None:
        super().reset(info)
        self.steps = 0
        self.mine = info.seed == self.run
        if self.kind == "meet":
            self.mark.with_name(f"here-{info.seed}").touch()
            while len(list(self.mark.parent.glob("here-*"))) < 4:
                time.sleep(0.05)

    def act(self, observation: Any) -> dict[str, Any]:
        self.steps += 1
        time.sleep(self.pause)
        if (
            self.kind != "meet"
            and self.kind
            and self.mine
            and self.steps == 3
            and (self.always or not self.mark.exists())
        ):
            self.mark.touch()
            if self.kind == "die":
                os.kill(os.getpid(), signal.SIGKILL)
            if self.kind == "leave":
                os._exit(1)
            if self.kind == "hang":
                time.sleep(3600)
            raise RuntimeError("the model is not there")
        return super().act(observation)
