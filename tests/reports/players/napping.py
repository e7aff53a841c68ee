"""An agent that does well and not well enough: the reference solution, with turns that it sleeps through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from lifegym.baselines.agent import EpisodeInfo
from lifegym.baselines.reference import ReferenceAgent

WAIT: dict[str, Any] = {"tool": "assistant.wait", "arguments": {}}


class Napping:
    """Plays the reference solution until it loses the thread.

    Args:
        share: Of the calls that go wrong: the call is replaced by one that is refused.
        sleepy: Share of the turns that it waits out.
    """

    def __init__(self, share: float = 0.02, sleepy: float = 0.12) -> None:
        self.share = share
        self.sleepy = sleepy

    def reset(self, info: EpisodeInfo) -> None:
        """Seed it."""
        self._inner = ReferenceAgent()
        self._inner.reset(info)
        self._random = np.random.default_rng([17, info.seed, info.variant_seed])
        self._lost = False
        self._wrong = False
        self.usage: dict[str, Any] = {"input_tokens": 0, "output_tokens": 0, "cost_usd": 0.0}

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The reference's call, or something worse."""
        self.usage["input_tokens"] += 800 + len(observation["text"]) // 4
        self.usage["output_tokens"] += 60
        self.usage["cost_usd"] = round(self.usage["cost_usd"] + 0.0004, 6)
        opening = observation["kind"] not in ("result", "error")
        if opening:
            self._lost = bool(self._random.random() < self.sleepy)
        if self._lost:
            return dict(WAIT)
        if self._wrong:
            self._wrong = False
            return self._held
        try:
            action = self._inner.act(observation)
        except Exception:  # what the solution binds was never seen: the rest of the turn is slept through
            self._lost = True
            return dict(WAIT)
        if not action["tool"].startswith("assistant") and self._random.random() < self.share:
            self._wrong, self._held = True, action
            return {"tool": action["tool"], "arguments": {"colour": "blue"}}
        return action
