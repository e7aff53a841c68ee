"""Two policies that understand nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from lifegym.baselines.agent import EpisodeInfo
from lifegym.envs.spaces import ToolCallSpace

__all__ = ["IdleAgent", "RandomAgent"]

WAIT = {"tool": "assistant.wait", "arguments": {}}
_ID = re.compile(r'"[a-z_]*(?:_id|_ref|pnr|_no)":"([^"]{1,60})"')


class IdleAgent:
    """Ends every turn in silence."""

    def reset(self, info: EpisodeInfo) -> None:
        """Nothing to prepare."""

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """Wait."""
        return dict(WAIT)


class RandomAgent:
    """Makes valid calls at random, with ids that it has seen, and ends a turn after some of them.

    Args:
        calls_per_turn: Mean number of calls in a turn.
    """

    def __init__(self, calls_per_turn: float = 8.0) -> None:
        self.calls_per_turn = calls_per_turn

    def reset(self, info: EpisodeInfo) -> None:
        """Seed the generator and forget what was seen."""
        self._space = ToolCallSpace(info.services, seed=np.random.default_rng([info.seed, info.variant_seed]))
        self._seen: dict[str, None] = {}

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """A random call."""
        for match in _ID.finditer(observation["text"]):
            self._seen[match[1]] = None
        if self._space.np_random.random() < 1 / self.calls_per_turn:
            return dict(WAIT)
        tools = self._space.tools
        return self._space.sample_tool(tools[int(self._space.np_random.integers(len(tools)))], list(self._seen))
