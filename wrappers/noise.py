"""Tools that fail now and then, as real ones do (LiveClawBench's factor C2: success has to be looked after)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import orjson
from gymnasium.utils import RecordConstructorArgs

from lifegym.envs.life_env import LifeEnv, Result
from lifegym.services import catalogue

__all__ = ["FAULTS", "NoisyTools"]

FAULTS = ("timeout", "rate_limit", "partial", "lost_write")
"""``timeout`` and ``rate_limit``: the call is not carried out and says so. ``partial``: a read gives only the first
half of a list. ``lost_write``: a write reports success and has changed nothing."""


class NoisyTools(gym.Wrapper[Any, Any, Any, Any], RecordConstructorArgs):
    """Lets calls fail at random, from the env's seed.

    Nothing becomes unsolvable by it: the same call made again in the same turn is carried out, the ends of turns never
    fail, and a call that would be refused anyway is refused as ever. A failed call takes no time and counts as a step.

    Args:
        env: A ``LifeEnv``, wrapped or not.
        rate: How often a call fails.
        kinds: Which faults.
        seed: Seed of the faults; by default that of the env's reset.

    Raises:
        ValueError: A rate outside 0 to 1, or an unknown kind.

    >>> import gymnasium as gym, lifegym
    >>> env = NoisyTools(gym.make("LifeBench/japan-trip-v0"), rate=1.0, kinds=["timeout"])
    >>> _ = env.reset(seed=0)
    >>> call = {"tool": "workspace.read_file", "arguments": {"path": "USER.md"}}
    >>> env.step(call)[4]["error"], env.step(call)[4]["error"]
    ('timeout', '')
    """

    def __init__(
        self, env: gym.Env[Any, Any], rate: float = 0.1, kinds: Iterable[str] = FAULTS, seed: int | None = None
    ) -> None:
        kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        unknown = [kind for kind in kinds if kind not in FAULTS]
        if unknown or not kinds:
            told = f"unknown kind of fault {unknown[0]!r}" if unknown else "name at least one kind of fault"
            raise ValueError(f"{told}; there are: {', '.join(FAULTS)}")
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate is from 0 to 1, not {rate!r}")
        RecordConstructorArgs.__init__(self, rate=rate, kinds=kinds, seed=seed)
        gym.Wrapper.__init__(self, env)
        self.rate, self.kinds, self.seed = rate, kinds, seed
        self.faults = 0
        self._rng = np.random.default_rng(seed)
        self._failed: set[bytes] = set()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; its faults come from the seed."""
        chosen = self.seed if self.seed is not None else seed
        if chosen is not None:
            self._rng = np.random.default_rng([chosen, 0x6E6F697365])
        self._failed, self.faults = set(), 0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Carry out a call, or let it fail."""
        spec = catalogue.find_tool(action["tool"]) if _is_call(action) else None
        if spec is None or spec.service == "assistant":
            self._failed.clear()
            return self.env.step(action)
        drawn, which = self._rng.random(), int(self._rng.integers(len(self.kinds)))
        call = orjson.dumps([spec.name, action.get("arguments")], option=orjson.OPT_SORT_KEYS, default=repr)
        if drawn >= self.rate or call in self._failed:
            return self.env.step(action)
        kind = self.kinds[which]
        if (kind == "partial" and spec.write) or (kind == "lost_write" and not spec.write):
            kind = "timeout"  # what the drawn fault cannot befall
        outcome = self._fail(action, kind)
        if outcome is None:
            return self.env.step(action)
        self._failed.add(call)
        self.faults += 1
        return outcome

    def _fail(self, action: Any, kind: str) -> tuple[Any, Any, bool, bool, dict[str, Any]] | None:
        """What a failed call looks like; None where this one cannot fail in this way."""
        life: LifeEnv = self.unwrapped  # type: ignore[assignment]
        tried = life.episode.fork().step(action)  # what would come of it, in a world that is thrown away
        if tried.code:
            return None
        if kind in ("timeout", "rate_limit"):
            return self._shown(life, {"error": {"code": kind, "message": _MESSAGES[kind]}}, kind)
        if kind == "lost_write":
            return self._shown(life, tried.result, "")
        part = _halved(tried.result)
        return None if part is None else self._shown(life, part, "")

    def _shown(self, life: LifeEnv, result: Any, code: str) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """A step that the env counts and that changes nothing, with this result."""
        observation, reward, terminated, truncated, info = self.env.step(None)
        life.episode.refused -= 0 if code else 1  # it looks accepted
        text = orjson.dumps(result).decode()
        shown = {**observation, "kind": "error" if code else "result", "text": text}
        return shown, reward, terminated, truncated, {**info, "ok": not code, "error": code, "result": Result(result)}


_MESSAGES = {
    "timeout": "the service did not answer in time; nothing was done; try again",
    "rate_limit": "too many requests; nothing was done; try again",
}


def _is_call(action: Any) -> bool:
    return isinstance(action, Mapping) and isinstance(action.get("tool"), str)


def _halved(result: Any) -> Any:
    """A result with the first half of its longest list; None where no list has two items."""
    if not isinstance(result, Mapping):
        return None
    lists = {name: value for name, value in result.items() if isinstance(value, (list, tuple)) and len(value) > 1}
    if not lists:
        return None
    name = max(lists, key=lambda key: len(lists[key]))
    return {**result, name: list(lists[name])[: len(lists[name]) // 2], "partial": True}
