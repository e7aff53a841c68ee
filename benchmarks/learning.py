"""Whether tasks can be learnt: ``python benchmarks/learning.py [--seeds 5] [--states 4000] [--out FOLDER] [--json]``.

``reinforce`` is trained on train variants of three tasks, from several seeds, and measured on test variants that it has
never seen: before it has learnt anything, on the way, and at the end. The tasks are those whose reference solutions
take the fewest calls. Two seeds learn from what stages pay, and two from the sparse reward, these with a quarter
of the states, as each state costs four times as much: about the same processor time a run. Two processes, 15 minutes on
two free cores. FOLDER gets ``learning.json`` and ``learning.svg``; runs that are there already are not made again.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: more threads only wait for each other
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import orjson
from figures import Figure, report

from lifegym.baselines.reinforce import Settings, Trainer, curve_svg, measure

TASKS = ("tacloban-storm-sitting", "option-window", "bergen-notice-clock")
REWARDS = ("dense", "stage", "sparse")
ON_THE_WAY, EPISODES = 3, 10
"""Test episodes of each task in a measurement on the way, and in the first and the last one."""

FIRST_SEED = 100
"""Of the test variants: those before it served to choose settings."""

POINTS = 8
"""Measurements after the first one."""


def learn(reward: str, seed: int, states: int) -> dict[str, Any]:
    """One training run with its learning curve."""
    begin, busy = time.perf_counter(), time.process_time()
    trainer = Trainer(Settings(TASKS, reward, states, seed))
    points = []

    def measured(episodes: int, greedy: bool = True) -> None:
        seeds = range(FIRST_SEED, FIRST_SEED + episodes)
        scores = {task: measure(trainer.policy, task, seeds, greedy=greedy) for task in TASKS}
        points.append({"states": trainer.states, "score": mean(scores), "scores": scores})

    measured(EPISODES, greedy=False)
    for progress in trainer.run():
        if len(points) * states / POINTS <= progress.states < states:
            measured(ON_THE_WAY)
    measured(EPISODES)
    return {
        "reward": reward, "seed": seed, "points": points, "episodes": trainer.episodes,
        "seconds": time.perf_counter() - begin, "cpu": time.process_time() - busy,
    }  # fmt: skip


def mean(scores: dict[str, list[float]]) -> float:
    """Over all episodes."""
    return statistics.fmean(score for found in scores.values() for score in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--states", type=int, default=4000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    out = options.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "learning.json"
    runs: list[dict[str, Any]] = orjson.loads(kept.read_bytes())["runs"] if kept.exists() else []
    done = {(run["reward"], run["seed"]) for run in runs}
    # Under the sparse reward a call is tried to the end of the episode.
    states = {reward: max(1, options.states // (4 if reward == "sparse" else 1)) for reward in REWARDS}
    seeds = {reward: options.seeds if reward == "dense" else min(2, options.seeds) for reward in REWARDS}
    wanted = [(reward, seed) for reward in REWARDS for seed in range(seeds[reward])]
    begin = time.perf_counter()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        going = [pool.submit(learn, *run, states[run[0]]) for run in wanted if run not in done]
        for finished in as_completed(going):
            runs.append(finished.result())
            runs.sort(key=lambda run: (REWARDS.index(run["reward"]), run["seed"]))
            keep(out, runs)
    figures = summary(runs)
    if going:
        note = f"{len(going)} runs, {sum(run['cpu'] for run in runs):.0f} s of processor time in all"
        figures.append(Figure("wall time", time.perf_counter() - begin, "s", 15 * 60, note))
    if options.json:
        print(orjson.dumps([figure._asdict() for figure in figures], option=orjson.OPT_INDENT_2).decode())
    else:
        report(figures)


def keep(out: Path, runs: list[dict[str, Any]]) -> None:
    """Write what there is, and draw it."""
    (out / "learning.json").write_bytes(orjson.dumps({"tasks": TASKS, "runs": runs}, option=orjson.OPT_INDENT_2))
    lines: dict[str, list[list[tuple[float, float]]]] = {}
    for run in runs:
        at, scores = ([point[name] for point in run["points"]] for name in ("states", "score"))
        # A measurement waits for an episode's end, so runs have theirs at different states: read off at the same ones.
        shares = np.linspace(0, 1, POINTS + 1)
        line = list(zip((100 * shares).tolist(), np.interp(at[-1] * shares, at, scores).tolist(), strict=True))
        lines.setdefault(f"{run['reward']} reward, {at[-1]:,} states", []).append(line)
    title = f"reinforce on unseen test variants of {len(TASKS)} tasks"
    (out / "learning.svg").write_text(curve_svg(title, "percent of the training", lines), encoding="utf-8")


def summary(runs: list[dict[str, Any]]) -> list[Figure]:
    """Means and spreads over the seeds."""
    figures = []
    ends: dict[str, float] = {}
    for reward in REWARDS:
        these = [run for run in runs if run["reward"] == reward]
        if not these:
            continue
        first = [run["points"][0]["score"] for run in these]
        last = [run["points"][-1]["score"] for run in these]
        ends[reward] = statistics.fmean(last)
        spread = f"{len(these)} seeds, {min(last):.1f} to {max(last):.1f}, deviation {statistics.pstdev(last):.1f}"
        bound = 40.0 if reward == "dense" else None
        figures.append(Figure(f"untrained, {reward}", statistics.fmean(first), "points"))
        figures.append(Figure(f"trained, {reward}", ends[reward], "points", bound, spread))
        if statistics.fmean(first) > 0:
            times = ends[reward] / statistics.fmean(first)
            figures.append(Figure(f"trained against untrained, {reward}", times, "times", 3.0 if bound else None))
        figures.append(Figure(f"a run, {reward}, processor time", statistics.fmean(run["cpu"] for run in these)))
    for other in ("stage", "sparse"):
        if {"dense", other} <= ends.keys():
            figures.append(Figure(f"dense above {other}", ends["dense"] - ends[other], "points"))
    return figures


if __name__ == "__main__":
    main()
