"""An agent that makes the calls of another one, and looks after them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from lifegym.baselines.agent import Agent, EpisodeInfo, make_agent
from lifegym.baselines.careful.read_back import look, stands

__all__ = ["CarefulAgent"]

TRIES = 5
"""How often one call is made at most."""

_TRANSIENT = frozenset({"timeout", "rate_limit"})
_USER = re.compile(r"user id: (\w+)")


class CarefulAgent:
    """Makes another agent's calls, once more where a tool failed or answered in part, and reads back what it wrote.

    The other agent sees the answers of the calls that worked, and nothing of the rest. With ``NoisyTools`` it separates
    an agent that does not know what to do from one that trusts its tools too much.

    Args:
        agent: The other agent, or its name.
        settings: Its settings, where it is named.
    """

    def __init__(self, agent: Agent | str = "reference", **settings: Any) -> None:
        self.agent = make_agent(agent, **settings) if isinstance(agent, str) else agent

    def reset(self, info: EpisodeInfo) -> None:
        """Begin an episode."""
        self.agent.reset(info)
        self.user = ""
        self.repeated = 0  # calls that were made again
        self._call: dict[str, Any] = {}
        self._tries = 0
        self._lost = False
        self._looking: dict[str, Any] = {}
        self._answer: Mapping[str, str] | None = None  # of a write that is being read back

    def act(self, observation: Mapping[str, str]) -> dict[str, Any]:
        """The other agent's next call, or what looks after its last one."""
        if observation["kind"] not in ("result", "error"):
            found = _USER.search(observation["text"])
            self.user = found[1] if found and not self.user else self.user
            return self._next(observation)
        value = orjson.loads(observation["text"])
        looking = self._answer is not None
        if self._tries < TRIES and (_code(value) in _TRANSIENT or _is_part(value)):
            self._tries += 1
            self.repeated += 1
            return self._looking if looking else self._call
        if self._answer is not None:
            answer, self._answer = self._answer, None
            seen = value if observation["kind"] == "result" else None
            if stands(self._call["tool"], orjson.loads(answer["text"]), seen) or self._lost:
                return self._next(answer)
            self._lost = True
            self._tries = 0
            self.repeated += 1
            return self._call
        back = look(self._call, value, self.user) if observation["kind"] == "result" else None
        if back is None:
            return self._next(observation)
        self._answer, self._looking, self._tries = observation, back, 0
        return back

    def _next(self, observation: Mapping[str, str]) -> dict[str, Any]:
        self._call = self.agent.act(observation)
        self._tries, self._lost = 0, False
        return self._call

    @property
    def usage(self) -> Mapping[str, float]:
        """What the other agent used, and how many calls were made again."""
        return {**getattr(self.agent, "usage", {}), "repeated": self.repeated}


def _code(value: Any) -> str:
    error = value.get("error") if isinstance(value, Mapping) else None
    return str(error.get("code", "")) if isinstance(error, Mapping) else ""


def _is_part(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("partial") is True
