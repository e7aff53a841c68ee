"""Scores: passed weight over total weight, by tier, axis and stage, as JSON and back."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.baselines import make_agent
from lifegym.rollouts import Rollout, play
from lifegym.scoring import Score
from lifegym.task_suite import load_task

WEIGHTS = st.floats(0, 1e6)
GROUPS = st.dictionaries(
    st.text(max_size=5),
    st.fixed_dictionaries(
        {"earned": WEIGHTS, "total": WEIGHTS, "passed": st.integers(0, 9), "checks": st.integers(0, 9)}
    ),
    max_size=3,
)
COUNT = st.integers(0, 5000)
SCORES = st.builds(
    Score,
    task=st.text(max_size=9), variant=st.sampled_from(["canonical", "train", "test"]), seed=COUNT,
    score=st.none() | st.floats(0, 100), earned=WEIGHTS, total=WEIGHTS, tiers=GROUPS, axes=GROUPS, stages=GROUPS,
    factors=GROUPS,
    checks=st.dictionaries(st.text(max_size=5), st.booleans(), max_size=4), terminated=st.booleans(),
    steps=COUNT, calls=COUNT, refused=COUNT, turns=COUNT, faults=st.lists(st.text(max_size=9), max_size=2).map(tuple),
)  # fmt: skip


def test_every_number_of_a_half_done_week(small_debts: Any, sit: Callable[..., Any]) -> None:
    """The debt is paid and nothing else is done: C1 3, C3 1, C4 2 and C5 1 of 10."""
    sitting = sit(small_debts)
    sitting.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor=5000)
    sitting.send({"tool": "banking.get_account", "arguments": {"account_id": "none"}})
    sitting.send({"tool": "nonsense"})
    sitting.wait_for_the_end()
    score = sitting.episode.score()
    assert (score.task, score.variant, score.seed) == ("small-debts", "canonical", 0)
    assert (score.score, score.earned, score.total) == (70.0, 7.0, 10.0)
    assert score.checks == {"C1": True, "C2": False, "C3": True, "C4": True, "C5": True, "C6": False}
    assert score.tiers == {
        "stage": {"earned": 4.0, "total": 5.0, "passed": 2, "checks": 3},
        "cross": {"earned": 3.0, "total": 3.0, "passed": 2, "checks": 2},
        "final": {"earned": 0.0, "total": 2.0, "passed": 0, "checks": 1},
    }
    assert score.axes == {
        "accuracy": {"earned": 3.0, "total": 5.0, "passed": 1, "checks": 2},
        "persistence": {"earned": 1.0, "total": 2.0, "passed": 1, "checks": 2},
        "safety": {"earned": 3.0, "total": 3.0, "passed": 2, "checks": 2},
    }
    assert score.stages == {
        "S1": {"earned": 3.0, "total": 3.0, "passed": 1, "checks": 1},
        "S2": {"earned": 1.0, "total": 2.0, "passed": 1, "checks": 2},
    }
    assert (score.steps, score.calls, score.refused, score.turns) == (6, 5, 2, 3)
    assert (score.terminated, score.faults) == (True, ())


def test_every_grouping_adds_up(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor=5000)
    sitting.wait_for_the_end()
    score = sitting.episode.score()
    for groups in (score.tiers, score.axes):
        assert sum(group["earned"] for group in groups.values()) == score.earned
        assert sum(group["total"] for group in groups.values()) == score.total
        assert sum(group["checks"] for group in groups.values()) == len(score.checks)
        assert sum(group["passed"] for group in groups.values()) == sum(score.checks.values())
    assert sum(group["total"] for group in score.stages.values()) == score.tiers["stage"]["total"]


def test_what_the_week_itself_did_earns_nothing(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.wait_for_the_end()
    assert sitting.episode.score().score == 0.0


@given(SCORES)
def test_json_and_back(score: Score) -> None:
    assert Score.from_json(json.loads(json.dumps(score.to_json()))) == score


def test_json_has_the_fields_and_nothing_else(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.wait_for_the_end()
    data = sitting.episode.score().to_json()
    assert list(data) == [field.name for field in dataclasses.fields(Score)]
    assert data["faults"] == []
    for wrong in ({**data, "bonus": 1}, {name: value for name, value in data.items() if name != "total"}):
        with pytest.raises(TypeError):
            Score.from_json(wrong)


# -- the flagship ----------------------------------------------------------------------------------------------------


def played(agent: str, max_steps: int = 5000, seed: int = 0) -> Rollout:
    return play(load_task("japan-trip").scenario(), make_agent(agent), seed=seed, max_steps=max_steps)


@pytest.mark.parametrize(
    ("agent", "max_steps", "least", "most"),
    [("reference", 5000, 100, 100), ("idle", 5000, 0, 1), ("random", 5000, 0, 3), ("reference", 90, 5, 95)],
)  # fmt: skip
def test_the_return_is_the_score(agent: str, max_steps: int, least: float, most: float) -> None:
    rollout = played(agent, max_steps)
    score = rollout.score
    assert score.score == pytest.approx(100 * sum(rollout.rewards), abs=1e-9)
    assert score.faults == ()
    assert least <= score.score <= most
    assert score.terminated == (max_steps == 5000)
    assert score.steps == len(rollout.rewards) == len(rollout.actions)


@pytest.mark.parametrize("max_steps", range(1, 170, 12))
def test_a_truncated_reference_has_what_was_paid_until_then(max_steps: int) -> None:
    whole, cut = played("reference"), played("reference", max_steps)
    assert cut.rewards == whole.rewards[:max_steps]
    assert cut.score.score == pytest.approx(100 * sum(cut.rewards), abs=1e-9)
