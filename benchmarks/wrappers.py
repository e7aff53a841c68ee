"""What wrappers cost: ``python benchmarks/wrappers.py [--steps 300] [--json]``.

Each wrapper beside the bare env, in the same run and with the same calls by turns, so that a busy machine slows both
alike: the cost is the difference. ``ChatObservation`` is taken over an episode of 300 calls, ``DenseReward`` after
writes, ``CandidateActions`` and ``FeatureObservation`` along the reference solution.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import orjson
from figures import Figure, report

from lifegym.envs import LifeEnv
from lifegym.wrappers import (
    CallCost,
    CandidateActions,
    ChatObservation,
    DenseReward,
    FeatureObservation,
    NoisyTools,
    RecordTrajectory,
    RenamedTools,
    SafetyReward,
    SparseReward,
    StageStart,
    TextActions,
    ToolSubset,
)

TASK = "japan-trip"
READ = {"tool": "email.get_emails", "arguments": {"page_size": 3}}
WAIT = {"tool": "assistant.wait", "arguments": {}}


def spent(env: gym.Env[Any, Any], action: Any, steps: int) -> list[float]:
    """Seconds of each of some equal calls, in turns of twenty."""
    found = []
    env.reset(seed=0)
    life: Any = env.unwrapped
    for step in range(steps):
        if step % 20 == 0:
            env.reset(seed=0)
            life.episode.calls_cap = steps
        begin = time.perf_counter_ns()
        env.step(action)
        found.append((time.perf_counter_ns() - begin) / 1e9)
    return found


def extra(
    wrap: Callable[[LifeEnv], gym.Env[Any, Any]], steps: int, action: Callable[[Any], Any] | None = None
) -> float:
    """Median seconds that a wrapper adds to a step: bare and wrapped by turns, in five rounds."""
    bare, wrapped = LifeEnv(TASK), wrap(LifeEnv(TASK))
    chosen = action(wrapped) if action else READ
    differences = []
    for _ in range(5):
        without = statistics.median(spent(bare, READ, steps))
        differences.append(statistics.median(spent(wrapped, chosen, steps)) - without)
    return statistics.median(differences)


def simple(steps: int) -> list[Figure]:
    """Wrappers whose cost does not depend on what was done before."""
    written = orjson.dumps({"tool": READ["tool"], "arguments": READ["arguments"]}).decode()
    folder = tempfile.mkdtemp()
    made: dict[str, tuple[Callable[[LifeEnv], gym.Env[Any, Any]], Callable[[Any], Any] | None]] = {
        "CallCost": (CallCost, None),
        "SparseReward": (SparseReward, None),
        "SafetyReward": (SafetyReward, None),
        "StageStart": (lambda env: StageStart(env, 0), None),
        "ToolSubset": (lambda env: ToolSubset(env, ["email.*"]), None),
        "RenamedTools": (RenamedTools, lambda env: env.renamed(READ)),
        "NoisyTools, no fault": (lambda env: NoisyTools(env, rate=0.0), None),
        "TextActions": (TextActions, lambda env: written),
        "RecordTrajectory": (lambda env: RecordTrajectory(env, folder), None),
    }
    return [
        Figure(name, max(0.0, extra(wrap, steps, action)), "s", 20e-6, "a step")
        for name, (wrap, action) in made.items()
    ]


def chat(calls: int = 300) -> Figure:
    """Over an episode of so many calls, messages included."""
    found = []
    for _ in range(3):
        totals = []
        for env in (LifeEnv(TASK, max_calls_per_turn=calls), ChatObservation(LifeEnv(TASK, max_calls_per_turn=calls))):
            env.reset(seed=0)
            begin = time.perf_counter()
            for _ in range(calls):
                env.step(READ)
            totals.append(time.perf_counter() - begin)
        found.append((totals[1] - totals[0]) / calls)
    return Figure("ChatObservation", max(0.0, statistics.median(found)), "s", 50e-6, f"amortised over {calls} calls")


def dense(steps: int) -> Figure:
    """After a write to a file that many checks read."""
    bare, wrapped = LifeEnv(TASK), DenseReward(LifeEnv(TASK))
    writes = [
        {"tool": "workspace.write_file", "arguments": {"path": "ledger.csv", "text": f"{i}"}} for i in range(steps)
    ]
    medians = []
    for env in (bare, wrapped):
        env.reset(seed=0)
        env.unwrapped.episode.calls_cap = 2 * steps
        found = []
        for write in writes:
            begin = time.perf_counter()
            env.step(write)
            found.append(time.perf_counter() - begin)
        medians.append(statistics.median(found))
    return Figure("DenseReward", medians[1] - medians[0], "s", 2e-3, "after a write")


def candidates() -> list[Figure]:
    """Along the reference solution: the mean of an episode's steps, the median of three episodes."""
    found = [episode() for _ in range(3)]
    offered, features = (statistics.median(values) for values in zip(*found, strict=True))
    return [
        Figure("CandidateActions", offered, "s", 20e-6, "a step, k = 8: to try a call is to carry it out"),
        Figure("FeatureObservation", features, "s", 20e-6, "a step, k = 8: a text is read to its end"),
    ]


def episode() -> tuple[float, float]:
    """Mean seconds that candidates and features add to the reference's calls on the bare env."""
    offering = CandidateActions(LifeEnv(TASK))
    described = FeatureObservation(CandidateActions(LifeEnv(TASK)))
    bare = LifeEnv(TASK)
    seconds = {"bare": 0.0, "offering": 0.0, "described": 0.0}
    _, info = offering.reset(seed=0)
    described.reset(seed=0)
    bare.reset(seed=0)
    over, steps = False, 0
    while not over:
        index = offering.right
        for name, env, action in (
            ("bare", bare, info["candidates"][index]), ("offering", offering, index), ("described", described, index),
        ):  # fmt: skip
            begin = time.perf_counter()
            _, _, terminated, truncated, after = env.step(action)
            seconds[name] += time.perf_counter() - begin
            info = after if name == "offering" else info
        over, steps = terminated or truncated, steps + 1
    offered = (seconds["offering"] - seconds["bare"]) / steps
    return offered, (seconds["described"] - seconds["offering"]) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    figures = [*simple(options.steps), chat(), dense(options.steps), *candidates()]
    if options.json:
        print(orjson.dumps([figure._asdict() for figure in figures], option=orjson.OPT_INDENT_2).decode())
    else:
        report(figures)


if __name__ == "__main__":
    main()
