"""The flagship: its shape, its reference solution, and what those score who do not understand it."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise
from statistics import mean

import pytest

from lifegym.baselines import IdleAgent, RandomAgent, ReferenceAgent
from lifegym.episode import Episode
from lifegym.rollouts.rollout import Rollout, play
from lifegym.task_suite import Task, load_task

WAIT = {"tool": "assistant.wait", "arguments": {}}
SEEDS = [*(("train", 100 + n) for n in range(5)), *(("test", 100 + n) for n in range(5))]
REPLAYED = [*(("train", 1000 + n) for n in range(10)), *(("test", 1000 + n) for n in range(10))]


@pytest.fixture(scope="module")
def task() -> Task:
    return load_task("japan-trip")


@pytest.fixture(scope="module")
def reference(task: Task) -> Rollout:
    return play(task.scenario(), ReferenceAgent())


def failed(rollout: Rollout) -> set[str]:
    assert rollout.score.faults == ()
    return {name for name, passed in rollout.score.checks.items() if not passed}


# -- its shape ---------------------------------------------------------------------------------------------------------


def test_stages_events_and_checks(task: Task) -> None:
    scenario = task.scenario()
    assert [stage.id for stage in scenario.stages] == [f"S{n}" for n in range(1, 25)]
    kinds = Counter(event.kind for event in scenario.events.values())
    assert kinds == {"user_message": 7, "notification": 10, "world": 11, "mutation": 9}
    assert set(scenario.checks) == {f"C{n}" for n in range(1, 59)}
    assert Counter(check.tier for check in scenario.checks.values()) == {"stage": 47, "cross": 6, "final": 5}


def test_cross_and_final_checks_are_a_good_quarter_of_the_weight(task: Task) -> None:
    checks = task.scenario().checks.values()
    late = math.fsum(check.weight for check in checks if check.tier != "stage")
    assert 0.26 <= late / math.fsum(check.weight for check in checks) <= 0.29


def test_entries_are_at_least_ten_minutes_apart(task: Task) -> None:
    for variant, seed in [("canonical", 0), *SEEDS]:
        times = sorted(event.at for event in task.scenario(variant, seed).events.values())
        assert min(b - a for a, b in pairwise(times)) >= 600


def test_every_mutation_is_silent(task: Task, reference: Rollout) -> None:
    opened = {event for turn in reference.episode.history.turns for event in turn.events}
    silent = {event.id for event in task.scenario().events.values() if event.kind == "mutation"}
    assert not opened & silent
    assert opened | silent == set(task.scenario().events)


def test_the_rules_have_declared_violations_and_near_misses(task: Task) -> None:
    solution = task.bundle.solution
    for check in task.scenario().checks.values():
        if check.never:
            assert any(check.id in act.trips for act in solution.violations), check.id
            assert any(check.id in act.spares for act in solution.near_misses), check.id


# -- those who understand ----------------------------------------------------------------------------------------------


def test_the_reference_scores_100_on_the_canonical_world(reference: Rollout) -> None:
    assert reference.score.score == 100
    assert reference.score.faults == ()
    assert 100 * math.fsum(reference.rewards) == pytest.approx(100, abs=1e-9)
    assert reference.episode.history.fired.keys() == reference.episode.scenario.events.keys()


@pytest.mark.parametrize(("variant", "seed"), SEEDS)
def test_the_reference_scores_100_on_drawn_worlds(task: Task, variant: str, seed: int) -> None:
    rollout = play(task.scenario(variant, seed), ReferenceAgent())
    assert failed(rollout) == set()
    assert rollout.score.score == 100
    assert 100 * math.fsum(rollout.rewards) == pytest.approx(100, abs=1e-9)


def test_the_explanation_of_a_passed_episode_has_every_clause(reference: Rollout) -> None:
    rows = reference.episode.evaluation()
    assert [row["id"] for row in rows] == list(reference.episode.scenario.checks)
    for row in rows:
        assert row["passed"]
        assert row["reason"] == ""
        kept = [clause for clause in row["clauses"] if clause["kind"] in ("gate", "all")]
        assert all(clause.get("value") for clause in kept), row["id"]


# -- those who do not --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "seed"), [("canonical", 0), *SEEDS[:2], *SEEDS[5:7]])
def test_doing_nothing_earns_next_to_nothing(task: Task, variant: str, seed: int) -> None:
    score = play(task.scenario(variant, seed), IdleAgent()).score
    assert score.faults == ()
    assert score.score is not None
    assert score.score <= 1.0
    assert score.tiers["cross"]["earned"] == score.tiers["final"]["earned"] == 0


@pytest.mark.parametrize("seed", range(5))
def test_random_calls_earn_next_to_nothing(task: Task, seed: int) -> None:
    score = play(task.scenario(), RandomAgent(), seed=seed).score
    assert score.faults == ()
    assert score.score is not None
    assert score.score <= 3.0


def test_the_canonical_calls_by_heart_earn_at_most_half_elsewhere(task: Task, reference: Rollout) -> None:
    scores, carriers = [], set()
    for variant, seed in REPLAYED:
        episode = Episode(task.scenario(variant, seed))
        episode.begin()
        for action in reference.actions:
            if not episode.over:
                episode.step(action)
        while not episode.over:
            episode.step(WAIT)
        assert episode.faults == []
        scores.append(episode.score().score or 0.0)
        carriers.add(episode.scenario.params["air"])
    assert mean(scores) <= 50
    assert max(scores) < 100
    assert len(carriers) >= 3


def test_variants_differ_in_what_the_agent_sees(task: Task) -> None:
    worlds = {task.scenario(variant, seed).world.dump() for variant, seed in [("canonical", 0), *SEEDS]}
    assert len(worlds) == 11


# -- rules -------------------------------------------------------------------------------------------------------------

ACTS = load_task("japan-trip").bundle.solution


@pytest.mark.parametrize("act", ACTS.violations, ids=lambda act: act.id)
def test_each_violation_trips_its_rule_for_good(task: Task, act: object) -> None:
    rollout = play(task.scenario(), ReferenceAgent(act_out=act.id))  # type: ignore[attr-defined]
    lost = failed(rollout)
    for check in (*act.trips, *act.also):  # type: ignore[attr-defined]
        assert check in lost
        assert rollout.episode.verdicts[check].reason.startswith("never: ")


@pytest.mark.parametrize("act", ACTS.near_misses, ids=lambda act: act.id)
def test_each_near_miss_is_spared(task: Task, act: object) -> None:
    lost = failed(play(task.scenario(), ReferenceAgent(act_out=act.id)))  # type: ignore[attr-defined]
    assert not lost & set(act.spares)  # type: ignore[attr-defined]
