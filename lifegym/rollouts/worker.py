"""One unit of an evaluation: its episode played, and what is recorded of it."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from lifegym.episode import Step
from lifegym.rollouts.rollout import play
from lifegym.rollouts.trajectory import Recorder, Trajectory
from lifegym.rollouts.units import Unit
from lifegym.scoring import Score
from lifegym.services import catalogue
from lifegym.statistics.probes import Call, probe

__all__ = ["Caps", "Played", "Watch", "failed", "play_unit"]


class Caps(NamedTuple):
    """The limits of an episode, as in ``LifeEnv``."""

    max_calls_per_turn: int = 100
    max_steps: int = 5000


class Played(NamedTuple):
    """What comes of a unit.

    Attributes:
        row: Its line of ``results.jsonl``.
        trajectory: Bytes of its trajectory's file; None where there is none.
        again: Whether another try may go better: an agent may fail once, a defect of the environment stays.
    """

    row: dict[str, Any]
    trajectory: bytes | None
    again: bool = False


def failed(unit: Unit, error: str) -> dict[str, Any]:
    """The line of a unit without a score."""
    return {**unit.key._asdict(), "score": None, "error": error, "agent_seed": unit.agent_seed}


def play_unit(
    make: Callable[[], Any],
    name: str,
    unit: Unit,
    caps: Caps,
    record: bool = True,
    tell: Callable[[dict[str, str]], None] | None = None,
) -> Played:
    """Play a unit. It raises nothing: an agent's exception is a row without a score.

    Args:
        make: Makes the agent.
        name: How the agent is called in records.
        unit: What is played.
        caps: Limits of the episode.
        record: Whether the trajectory is kept.
        tell: Called with each observation, for those who look on.
    """
    from lifegym.task_suite import load_task

    began = time.perf_counter()
    try:
        task = load_task(unit.source)
        scenario = task.scenario(unit.key.variant, unit.key.seed)
    except Exception as error:  # whatever a bundle makes of it, the other units go on
        return Played(failed(unit, f"environment: {type(error).__name__}: {error}"), None)
    made = Trajectory(unit.key, unit.source, name, unit.agent_seed, task.bundle.content_hash, caps._asdict())
    watch = Watch(made, record, tell)
    try:
        agent = make()
        rollout = play(scenario, agent, unit.source, unit.agent_seed, *caps, watch=watch)
    except Exception as error:
        if watch.fault:  # what the agent makes of a world that failed is not its own doing
            return Played(failed(unit, f"environment: {watch.fault} failed"), None)
        row = {**failed(unit, f"agent: {type(error).__name__}: {error}"), "traceback": traceback.format_exc(limit=-5)}
        return Played(row, None, again=True)
    watch.end(rollout.episode.observation(rollout.last))
    usage = getattr(agent, "usage", None)
    made.usage = dict(usage) if isinstance(usage, Mapping) else {}
    row = watch.row(rollout.score, time.perf_counter() - began)
    return Played(row, made.dump() if record else None)


class Watch(Recorder):
    """Records what the trajectory and the line of an episode need.

    Args:
        trajectory: Is filled.
        record: Whether its steps are kept.
        tell: Called with each observation.
    """

    def __init__(
        self, trajectory: Trajectory, record: bool = True, tell: Callable[[dict[str, str]], None] | None = None
    ) -> None:
        super().__init__(trajectory)
        self.record, self.tell = record, tell
        self.calls: list[Call] = []
        self.last_reply = ""
        self.fault = ""
        self._turn = 0

    def __call__(self, seen: dict[str, str], action: Any, step: Step) -> None:
        if self.tell:
            self.tell(seen)
        if self.record:
            super().__call__(seen, action, step)
        if seen["kind"] not in ("result", "error"):
            self._turn += 1
        ends = step.kind not in ("result", "error")
        name = action.get("tool") if isinstance(action, Mapping) else None
        spec = catalogue.find_tool(name) if isinstance(name, str) else None
        write = spec is not None and spec.write
        if step.code == "internal_error":
            self.fault = self.fault or str(name)
        self.calls.append(Call.of(action, step.kind != "error", write, "" if ends else step.text, self._turn))
        if ends and isinstance(action, Mapping) and isinstance(action.get("arguments"), Mapping):
            self.last_reply = str(action["arguments"].get("text", "")) or self.last_reply

    def row(self, score: Score, seconds: float) -> dict[str, Any]:
        """The episode's line of ``results.jsonl``; the score goes into the trajectory too."""
        made = self.trajectory
        found = made.score = score.to_json()
        fault = score.faults[0].splitlines()[-1] if score.faults else ""
        return {
            **made.key._asdict(),
            **{name: value for name, value in found.items() if name not in ("factors", *made.key._fields)},
            "error": f"environment: {fault}" if fault else None,
            "agent_seed": made.agent_seed,
            "content_hash": made.content_hash,
            "usage": made.usage,
            "probes": probe(self.calls, self.last_reply).to_json(),
            "seconds": round(seconds, 4),
        }
