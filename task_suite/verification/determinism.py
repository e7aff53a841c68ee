"""Gate ``deterministic``: same actions, same bytes; and a fork goes on as the run that it was taken from."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import Any, NamedTuple

import orjson

from lifegym.episode import Episode
from lifegym.task_suite.task import Task, load_task
from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.parallel import command
from lifegym.task_suite.verification.report import GateReport
from lifegym.timeline import Scenario

__all__ = ["Trace", "deterministic", "trace"]

ELSEWHERE = {"PYTHONHASHSEED": "4711", "TZ": "Pacific/Kiritimati", "LC_ALL": "C"}
"""What the second process is told: another hash seed, another time zone, another locale."""


class Trace(NamedTuple):
    """A run as digests.

    Attributes:
        steps: One digest a step: observation, reward, and whether it was the last.
        world: Digest of the final world.
        score: 100 x the sum of rewards.
        passed: The checks that passed.
    """

    steps: list[str]
    world: str
    score: float
    passed: list[str]


def _digest(*parts: Any) -> str:
    return hashlib.blake2b(orjson.dumps(parts), digest_size=12).hexdigest()


def trace(scenario: Scenario, actions: list[Any], episode: Episode | None = None) -> Trace:
    """Play actions to the end.

    Args:
        scenario: What is played.
        actions: What is sent, step by step; what is left when the episode ends is ignored.
        episode: A fork to go on with; None begins anew.
    """
    steps: list[str] = []
    earned = 0.0
    if episode is None:
        episode = Episode(scenario)
        steps.append(_digest(episode.observation(episode.begin())))
    for action in actions:
        if episode.over:
            break
        step = episode.step(action)
        earned += step.reward
        steps.append(_digest(episode.observation(step), step.reward, step.terminated, step.code))
    world = hashlib.blake2b(episode.world.dump(), digest_size=12).hexdigest()
    passed = [id for id, verdict in episode.verdicts.items() if verdict.passed]
    return Trace(steps, world, 100 * earned, passed)


def deterministic(context: Context) -> GateReport:
    """That replays are byte-identical, in this process and in another one, and that forks are faithful."""
    report = GateReport("deterministic")
    play = context.reference
    actions = [action for _, action, _ in play.actions]
    first = trace(play.scenario, actions)
    fresh = Task(context.task.bundle, context.task.source)
    for name, other in (
        ("a replay in a world built anew", trace(fresh.scenario(), actions)),
        ("a replay in another process, hash seed and time zone", _elsewhere(context.task.source, actions)),
    ):
        _compare(report, play.actions, first, other, name)
    _forks(report, play.scenario, actions, first)
    report.figures["steps"] = len(actions)
    report.figures["replays"] = 2
    return report


def _compare(report: GateReport, actions: list[Any], first: Trace, other: Trace | None, run: str) -> None:
    if other is None:
        report.fail("the run could not be played again", run=run)
        return
    for number, (one, two) in enumerate(zip(first.steps, other.steps, strict=False)):
        if one != two:
            name = actions[number - 1][0] if number else "the beginning"
            report.fail(
                f"step {number} gives another observation or reward",
                subject=name,
                run=run,
                advice="find what is random",
            )
            return
    if len(first.steps) != len(other.steps):
        report.fail(f"{len(other.steps)} steps instead of {len(first.steps)}", run=run)
    elif first.world != other.world:
        report.fail("the final world differs though everything seen is the same", run=run, advice="find what is random")
    elif first.passed != other.passed:
        report.fail("other checks pass in the same run", run=run)


def _elsewhere(source: str, actions: list[Any]) -> Trace | None:
    done = subprocess.run(
        command("lifegym.task_suite.verification.determinism", source),
        input=orjson.dumps(actions),
        stdout=subprocess.PIPE,
        env={**os.environ, **ELSEWHERE},
        check=False,
    )
    return Trace(*orjson.loads(done.stdout)) if done.returncode == 0 else None


def _forks(report: GateReport, scenario: Scenario, actions: list[Any], straight: Trace) -> None:
    """At each stage's first step a fork is finished, and then the run that it was taken from."""
    episode = Episode(scenario)
    episode.begin()
    earned = 0.0
    stage, forks = -1, 0
    for number, action in enumerate(actions):
        if episode.stage != stage:
            stage = episode.stage
            forks += 1
            rest = trace(scenario, actions[number:], episode.fork())
            name = scenario.stages[min(stage, len(scenario.stages) - 1)].id
            if rest.world != straight.world or abs(rest.score + earned - straight.score) > 1e-9:
                report.fail(
                    f"finished from a fork it scores {rest.score + earned:.2f} instead of {straight.score:.2f}"
                    if rest.world == straight.world
                    else "finished from a fork it ends in another world",
                    subject="fork",
                    stage=name,
                    run=f"a fork at step {number}",
                )
        earned += 100 * episode.step(action).reward
    if hashlib.blake2b(episode.world.dump(), digest_size=12).hexdigest() != straight.world:
        report.fail("a run that was forked ends in another world than one that was not", subject="fork")
    report.figures["forks"] = forks


def _main() -> None:
    actions = orjson.loads(sys.stdin.buffer.read())
    found = trace(load_task(sys.argv[1]).scenario(), actions)
    sys.stdout.buffer.write(orjson.dumps(list(found)))


if __name__ == "__main__":
    _main()
