"""Whether tasks can be learnt: ``python benchmarks/learning.py [--seeds 5] [--states 6000] [--out FOLDER] [--json]``.

``reinforce`` is trained on train variants of three tasks, from several seeds, and measured on test variants that it has
never seen, before it has learnt anything and on the way. The tasks are those whose reference solutions take the fewest
calls. The same is done with the sparse reward, with a tenth of the states and two seeds, as each state costs ten times
as much: about the same processor time a run. Two processes, 15 minutes on two free cores. FOLDER gets
``learning.json`` and ``learning.svg``; runs that are there already are not made again.
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

import orjson
from figures import Figure, report

from lifegym.baselines.reinforce import Settings, Trainer, curve_svg, measure

TASKS = ("tacloban-storm-sitting", "option-window", "bergen-notice-clock")
EPISODES = 3
"""Test episodes of each task in a measurement."""


def learn(reward: str, seed: int, states: int) -> dict[str, Any]:
    """One training run with its learning curve."""
    begin, busy = time.perf_counter(), time.process_time()
    trainer = Trainer(Settings(TASKS, reward, states, seed))
    points = []

    def measured(greedy: bool, episodes: int = 1) -> None:
        scores = {task: measure(trainer.policy, task, range(episodes), greedy=greedy) for task in TASKS}
        points.append({"states": trainer.states, "score": mean(scores), "scores": scores})

    measured(False, EPISODES)
    for progress in trainer.run():
        if progress.states < states and progress.states - points[-1]["states"] >= states / 4:
            measured(True)
    measured(True, EPISODES)
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
    parser.add_argument("--states", type=int, default=6000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    out = options.out or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    kept = out / "learning.json"
    runs: list[dict[str, Any]] = orjson.loads(kept.read_bytes())["runs"] if kept.exists() else []
    done = {(run["reward"], run["seed"]) for run in runs}
    # Under the sparse reward a call is tried to the end of the episode.
    states = {"stage": options.states, "sparse": max(1, options.states // 10)}
    seeds = {"stage": options.seeds, "sparse": min(2, options.seeds)}
    wanted = [(reward, seed) for reward in states for seed in range(seeds[reward])]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        going = [pool.submit(learn, *run, states[run[0]]) for run in wanted if run not in done]
        for finished in as_completed(going):
            runs.append(finished.result())
            runs.sort(key=lambda run: (run["reward"], run["seed"]))
            keep(out, runs)
    figures = summary(runs)
    if options.json:
        print(orjson.dumps([figure._asdict() for figure in figures], option=orjson.OPT_INDENT_2).decode())
    else:
        report(figures)


def keep(out: Path, runs: list[dict[str, Any]]) -> None:
    """Write what there is, and draw it."""
    (out / "learning.json").write_bytes(orjson.dumps({"tasks": TASKS, "runs": runs}, option=orjson.OPT_INDENT_2))
    lines: dict[str, list[list[tuple[float, float]]]] = {}
    for run in runs:
        line = [(float(point["states"]), point["score"]) for point in run["points"]]
        lines.setdefault(f"{run['reward']} reward", []).append(line)
    title = f"reinforce on unseen test variants of {len(TASKS)} tasks"
    (out / "learning.svg").write_text(curve_svg(title, "states tried in training", lines), encoding="utf-8")


def summary(runs: list[dict[str, Any]]) -> list[Figure]:
    """Means and spreads over the seeds."""
    figures = []
    for reward in ("stage", "sparse"):
        these = [run for run in runs if run["reward"] == reward]
        if not these:
            continue
        first = [run["points"][0]["score"] for run in these]
        last = [run["points"][-1]["score"] for run in these]
        spread = f"{len(these)} seeds, {min(last):.1f} to {max(last):.1f}, deviation {statistics.pstdev(last):.1f}"
        bound = 40.0 if reward == "stage" else None
        figures.append(Figure(f"untrained, {reward}", statistics.fmean(first), "points"))
        figures.append(Figure(f"trained, {reward}", statistics.fmean(last), "points", bound, spread))
        if statistics.fmean(first) > 0:
            times = statistics.fmean(last) / statistics.fmean(first)
            figures.append(Figure(f"trained against untrained, {reward}", times, "times", 3.0 if bound else None))
        figures.append(Figure(f"a run, {reward}, processor time", statistics.fmean(run["cpu"] for run in these)))
    return figures


if __name__ == "__main__":
    main()
