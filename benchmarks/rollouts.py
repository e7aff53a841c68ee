"""What many episodes cost: ``python benchmarks/rollouts.py [PART ...] [--runs 100] [--flat 5000] [--record] [--json]``.

In one run and side by side: episodes a second in this process and on Ray workers, with and without records; the suite
three times; sub-environments stepped by ``RayVectorEnv`` and by gymnasium's own vector environments, with the same
actions; and the driver's memory over many episodes. Ray is up before anything is timed.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import sys
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
ROUNDS = 5
SMALL = str(Path(__file__).with_name("household"))


def rate(episodes: int, play: Callable[[], Any]) -> float:
    """Episodes a second."""
    begin = time.perf_counter()
    play()
    return episodes / (time.perf_counter() - begin)


def speeds(workers: int, runs: int) -> list[Figure]:
    """In this process, with records, and on workers, by turns: a busy machine slows all alike.

    What is compared are the rates of the same round, and the figure is the median over the rounds.
    """
    here, there, recorded = [], [], []
    settings: dict[str, Any] = {"agent": "reference", "tasks": [TASK]}
    evaluate(**settings, runs=4, workers=0)
    evaluate(**settings, runs=4 * workers, workers=workers)
    some = max(1, runs // ROUNDS)
    for _ in range(ROUNDS):
        here.append(rate(some, lambda: evaluate(**settings, runs=some, workers=0)))
        with tempfile.TemporaryDirectory() as out:
            recorded.append(rate(some, lambda out=out: evaluate(**settings, runs=some, workers=0, out=f"{out}/run")))
    for _ in range(3):
        alone = rate(some, lambda: evaluate(**settings, runs=some, workers=0))
        there.append((steady(workers, some * workers, settings), alone))
    gain = statistics.median(on_ray / alone for on_ray, alone in there)
    overhead = statistics.median(without / with_ for without, with_ in zip(here, recorded, strict=True)) - 1
    return [
        Figure(f"reference, {TASK}, this process", statistics.median(here), "/s"),
        Figure(f"reference, {TASK}, {workers} workers", statistics.median(on_ray for on_ray, _ in there), "/s"),
        Figure("workers against this process", gain, "times", 1.7, "when the workers have started"),
        Figure("overhead of records", overhead, "share", 0.15),
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


def memory(workers: int, episodes: int, record: bool) -> list[Figure]:
    """What the driver holds after many episodes beyond what it held after the first tenth of them.

    It is told after every tenth. Real episodes of a small task: on two cores a hundred thousand take about 25 minutes.
    With ``record`` they are written into a run folder, without trajectories, and the driver's summary at the end, whose
    peak is gone again when it is written, is a figure of its own.
    """
    begin = time.perf_counter()
    held = []
    with tempfile.TemporaryDirectory() as place:
        out = {"out": f"{place}/run", "trajectories": False} if record else {}
        for number, _ in enumerate(stream("idle", [SMALL], runs=episodes, workers=workers, **out), 1):
            if number * 10 // episodes > (number - 1) * 10 // episodes:
                held.append(resident())
                seconds = time.perf_counter() - begin
                print(f"{number:,} episodes, {held[-1] / 1e6:.1f} MB, {seconds:,.0f} s", file=sys.stderr, flush=True)
    name = f"driver's growth over {episodes:,} {'recorded ' if record else ''}episodes"
    figures = [Figure(name, max(0, max(held) - held[0]), "bytes", 64e6)]
    if record:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        figures.append(Figure("the same while they are summarized", peak - held[0], "bytes"))
    return figures


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1]) if Path("/proc/self/statm").exists() else 0
    return pages * resource.getpagesize()


PARTS: dict[str, Callable[..., list[Figure]]] = {
    "speeds": speeds, "suite": suite, "vectors": vectors, "memory": memory,
}  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help=f"{', '.join(PARTS)}; by default all")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=100, help="episodes of each measurement")
    parser.add_argument("--steps", type=int, default=100, help="steps of each vector environment")
    parser.add_argument("--flat", type=int, default=5000, help="episodes over which memory is watched")
    parser.add_argument("--record", action="store_true", help="memory: write the episodes into a run folder")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    arguments = {
        "speeds": [options.runs], "vectors": [options.steps], "memory": [options.flat, options.record],
    }  # fmt: skip
    figures = []
    with connected(options.workers, None):
        for name in options.part or PARTS:
            figures += PARTS[name](options.workers, *arguments.get(name, []))
    if options.json:
        rows = [{**figure._asdict(), "ok": figure.ok} for figure in figures]
        print(orjson.dumps({"cores": os.cpu_count(), "figures": rows}, option=orjson.OPT_INDENT_2).decode())
        return
    print(f"{os.cpu_count()} cores, {options.workers} workers\n")
    report(figures)


if __name__ == "__main__":
    main()
