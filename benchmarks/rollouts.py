"""What many episodes cost: ``python benchmarks/rollouts.py [--workers 2] [--runs 40] [--flat 5000] [--json]``.

In one run and side by side: episodes a second in this process and on Ray workers, with and without records; the suite
three times; sub-environments stepped by ``RayVectorEnv`` and by gymnasium's own vector environments, with the same
actions; and the driver's memory over many episodes. Ray is up before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import orjson
from figures import Figure, report

import lifegym  # noqa: F401  registers the tasks
from lifegym.rollouts import evaluate, stream
from lifegym.rollouts.connection import connected
from lifegym.task_suite import task_ids

TASK = "japan-trip"
ENVS = 64
SMALL = str(Path(__file__).with_name("household"))


def rate(episodes: int, play: Callable[[], Any]) -> float:
    """Episodes a second."""
    begin = time.perf_counter()
    play()
    return episodes / (time.perf_counter() - begin)


def speeds(workers: int, runs: int) -> list[Figure]:
    """In this process and on workers by turns, so that a busy machine slows both alike."""
    here, there, recorded = [], [], []
    settings: dict[str, Any] = {"agent": "reference", "tasks": [TASK]}
    evaluate(**settings, runs=4, workers=0)
    evaluate(**settings, runs=4 * workers, workers=workers)
    for _ in range(3):
        here.append(rate(runs, lambda: evaluate(**settings, runs=runs, workers=0)))
        with tempfile.TemporaryDirectory() as out:
            recorded.append(rate(runs, lambda out=out: evaluate(**settings, runs=runs, workers=0, out=f"{out}/run")))
        there.append(steady(workers, runs * workers, settings))
    alone, with_records, on_ray = (statistics.median(values) for values in (here, recorded, there))
    return [
        Figure(f"reference, {TASK}, this process", alone, "/s"),
        Figure(f"reference, {TASK}, {workers} workers", on_ray, "/s", None, "without the workers' start"),
        Figure("workers against this process", on_ray / alone, "times", 1.7),
        Figure("overhead of records", alone / with_records - 1, "share", 0.15),
    ]


def steady(workers: int, runs: int, settings: dict[str, Any]) -> float:
    """Episodes a second from the moment in which every worker has played one."""
    begin, counted = 0.0, 0
    for number, _ in enumerate(stream(**settings, runs=runs + 2 * workers, workers=workers), 1):
        if number == 2 * workers:
            begin = time.perf_counter()
        elif number > 2 * workers:
            counted += 1
    return counted / (time.perf_counter() - begin)


def suite(workers: int) -> list[Figure]:
    """Every task three times."""
    begin = time.perf_counter()
    found = evaluate("reference", "*", runs=3, workers=workers)
    seconds = time.perf_counter() - begin
    assert found.summary["suite"]["avg"] == 100.0
    tasks = len(task_ids())
    return [Figure(f"{tasks} tasks x 3 runs, reference", seconds, "s", 20.0, "with loading every task in every worker")]


def vectors(workers: int, steps: int) -> list[Figure]:
    """Steps a second of 64 sub-environments: reads, and every fourth step the end of a turn.

    They go on by turns, ten steps each. Steps are not alike (a month's first days are busier than its last), so what
    is compared are the rates of the same ten steps.
    """
    read = {"tool": "email.get_emails", "arguments": {"page_size": 5}}
    wait = {"tool": "assistant.wait", "arguments": {}}
    made = {
        "ray": {"vectorization_mode": "vector_entry_point", "workers": workers},
        "sync": {"vectorization_mode": "sync"},
        "async": {"vectorization_mode": "async", "vector_kwargs": {"shared_memory": False}},
    }
    envs = {name: gym.make_vec(f"LifeBench/{TASK}-v0", num_envs=ENVS, **how) for name, how in made.items()}
    rates: dict[str, list[float]] = {name: [] for name in envs}
    seen: dict[str, list[Any]] = {name: [] for name in envs}
    for env in envs.values():
        env.reset(seed=0)
    for begin in range(0, steps, 10):
        for name, env in envs.items():
            actions = [
                [wait if (step + i) % 4 == 0 else read for i in range(ENVS)] for step in range(begin, begin + 10)
            ]
            start = time.perf_counter()
            outcomes = [env.step(action) for action in actions]
            rates[name].append(10 * ENVS / (time.perf_counter() - start))
            seen[name].extend((outcome[0]["text"], outcome[1].tolist()) for outcome in outcomes)
    for env in envs.values():
        env.close()
    assert seen["ray"] == seen["sync"] == seen["async"], "the vector environments give different things"

    def against(other: str) -> float:
        return statistics.median(mine / its for mine, its in zip(rates["ray"], rates[other], strict=True))

    return [
        *(Figure(f"{ENVS} sub-environments, {name}", statistics.median(got), "/s") for name, got in rates.items()),
        Figure("RayVectorEnv against SyncVectorEnv", against("sync"), "times", 1.0),
        Figure("RayVectorEnv against AsyncVectorEnv", against("async"), "times", 1.0),
    ]


def memory(workers: int, episodes: int) -> list[Figure]:
    """What the driver holds after many episodes beyond what it held after the first tenth of them."""
    early = 0
    for number, _ in enumerate(stream("idle", [SMALL], runs=episodes, workers=workers), 1):
        if number == episodes // 10:
            early = resident()
    return [Figure(f"driver's growth over {episodes:,} episodes", max(0, resident() - early), "bytes", 64e6)]


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * resource.getpagesize()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=40, help="episodes of each measurement")
    parser.add_argument("--steps", type=int, default=100, help="steps of each vector environment")
    parser.add_argument("--flat", type=int, default=5000, help="episodes over which memory is watched")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    with connected(options.workers, None):
        figures = [
            *speeds(options.workers, options.runs),
            *suite(options.workers),
            *vectors(options.workers, options.steps),
            *memory(options.workers, options.flat),
        ]
    if options.json:
        rows = [{**figure._asdict(), "ok": figure.ok} for figure in figures]
        print(orjson.dumps({"cores": os.cpu_count(), "figures": rows}, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"{os.cpu_count()} cores, {options.workers} workers\n")
    report(figures)


if __name__ == "__main__":
    main()
