"""Stages: when they close, what they pay, and when; the end's order, truncation, and moments inside."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

THREE = """\
  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: First.}
  - {id: b, stage: S2, at: D+1 09:00, kind: user_message, text: Second.}
  - {id: c, stage: S3, at: D+2 09:00, kind: user_message, text: Third.}
"""
PUSH = "{do: notification_hub.push, with: {source: x, type: y, title: z, body: b}}"
STAGES = ("S1", "S2", "S3")
WAITING = """\
  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: First.}
  - {id: quiet, stage: S2, at: D+0 09:00:03, kind: mutation, effects: [PUSH]}
  - {id: more, stage: S3, at: D+0 09:00:06, kind: mutation, effects: [PUSH]}
  - {id: d, stage: S4, at: D+1 09:00, kind: user_message, text: Second.}
"""


def check(id: str, all: str, tier: str = "final", weight: float = 1, **more: Any) -> str:
    extra = "".join(f", {name}: {value}" for name, value in more.items())
    return f'  - {{id: {id}, tier: {tier}, weight: {weight}, axis: accuracy, what: x, all: ["{all}"]{extra}}}\n'


def notes(name: str) -> dict[str, Any]:
    return {"tool": "workspace.write_file", "arguments": {"path": name, "text": "x"}}


# -- closing ---------------------------------------------------------------------------------------------------------


def test_a_stage_pays_in_the_step_that_closed_it(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    checks = "checks:\n" + "".join(
        check(f"C{n}", f"has_file('{n}.md')", "stage", weight, stage=f"S{n}") for n, weight in ((1, 1), (2, 3), (3, 4))
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    rewards = []
    for n in (1, 3, 2):
        assert sitting.send(notes(f"{n}.md")).reward == 0
        rewards.append(sitting.wait().reward)
    assert rewards == [1 / 8, 0, 4 / 8], "the file of the second stage came too late"
    assert sitting.episode.score().checks == {"C1": True, "C2": False, "C3": True}


def test_a_stage_is_looked_at_one_second_before_the_next_begins(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    checks = "checks:\n" + check(
        "C1", "now() + minutes(1) > t('D+1 09:00') and now() < t('D+1 09:00')", "stage", stage="S1"
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    sitting.wait_for_the_end()
    [row] = sitting.episode.evaluation()
    assert (row["passed"], row["at"]) == (True, "2026-03-03T08:59:59+01:00")


def test_stages_close_between_turns_only_and_one_step_may_close_several(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """Two stages begin while the first turn goes on: it closes the first and the second, and both see all it did."""
    checks = "checks:\n" + "".join(
        check(f"C{n}", "has_file('late.md')", "stage", n, stage=f"S{n}") for n in (1, 2, 3, 4)
    )
    sitting = sit(make_task(WAITING.replace("PUSH", PUSH), checks, stages=("S1", "S2", "S3", "S4")))
    for _ in range(8):
        step = sitting.send({"tool": "workspace.list_files"})
        assert sitting.episode.observation(step)["stage"] == "S1"
    sitting.send(notes("late.md"))
    step = sitting.wait()
    assert (step.text[-7:], step.reward) == ("Second.", 6 / 10)
    assert sitting.episode.observation(step)["stage"] == "S4"
    assert sitting.wait().reward == 4 / 10


def test_what_a_stage_found_is_frozen(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    checks = "checks:\n" + check("C1", "not has_file('x.md')", "stage", stage="S1")
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    assert sitting.wait().reward == 1
    sitting.send(notes("x.md"))
    sitting.wait_for_the_end()
    assert sitting.earned == sitting.episode.score().score == 100
    [row] = sitting.episode.evaluation()
    assert row["clauses"][0]["value"] is True, "the evaluation shows the world of that moment"


def test_what_was_paid_before_the_first_turn_comes_with_its_end(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    timeline = """\
  - {id: quiet, stage: S1, at: D+0 09:00, kind: mutation, effects: [PUSH]}
  - {id: b, stage: S2, at: D+1 09:00, kind: user_message, text: First.}
"""
    checks = "checks:\n" + check("C1", "1 == 1", "stage", 1, stage="S1") + check("C2", "1 == 1", "final", 3)
    task = make_task(timeline.replace("PUSH", PUSH), checks, stages=("S1", "S2"))
    sitting = sit(task)
    assert sitting.first.reward == 0
    assert sitting.send({"tool": "workspace.list_files"}).reward == 0
    assert sitting.wait().reward == 1
    cut = sit(task, max_steps=2)
    assert [cut.send({"tool": "workspace.list_files"}).reward for _ in range(2)] == [0, 1 / 4]
    assert cut.episode.score().score == cut.earned == 25


# -- the end ---------------------------------------------------------------------------------------------------------


def test_the_last_stage_then_cross_then_final_are_paid_in_the_last_step(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    checks = (
        "checks:\n"
        + check("F", "1 == 1", "final", 1)
        + check("X", "1 == 1", "cross", 2)
        + check("L", "1 == 1", "stage", 4, stage="S3")
        + check("N", "1 == 2", "final", 1)
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    assert [sitting.wait().reward for _ in range(3)] == [0, 0, 7 / 8]
    assert list(sitting.episode.verdicts) == ["L", "X", "F", "N"]
    assert {row["at"] for row in sitting.episode.evaluation()} == {"2026-03-05T23:59:59+01:00"}


# -- truncation ------------------------------------------------------------------------------------------------------

EVERYTHING = (
    "checks:\n" + "".join(check(f"C{n}", "1 == 1", "stage", 1, stage=f"S{n}") for n in (1, 2, 3)) + check("F", "1 == 1")
)


def test_a_truncated_episode_has_what_was_paid_and_no_more(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(make_task(THREE, EVERYTHING, stages=STAGES), max_steps=3)
    sitting.wait()
    sitting.send(None)
    step = sitting.send({"tool": "workspace.list_files"})
    assert (step.kind, step.terminated, step.truncated, sitting.episode.over) == ("result", False, True, True)
    score = sitting.episode.score()
    assert (score.score, score.earned, score.total, score.terminated) == (25.0, 1.0, 4.0, False)
    reasons = {row["id"]: row["reason"] for row in sitting.episode.evaluation()}
    assert reasons == {"C1": "", **dict.fromkeys(["C2", "C3", "F"], "the episode was truncated before it was decided")}


@pytest.mark.parametrize("last", [None, {"tool": "nonsense"}, {"tool": "workspace.list_files"}])
def test_a_step_of_any_kind_can_be_the_last(make_task: Callable[..., Any], sit: Callable[..., Any], last: Any) -> None:
    sitting = sit(make_task(THREE, EVERYTHING, stages=STAGES), max_steps=1)
    assert sitting.send(last).truncated


def test_a_turns_end_at_the_cap_still_pays(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    task = make_task(THREE, EVERYTHING, stages=STAGES)
    sitting = sit(task, max_steps=2)
    sitting.wait()
    step = sitting.wait()
    assert (step.reward, step.terminated, step.truncated) == (1 / 4, False, True)
    assert sitting.earned == sitting.episode.score().score == 50
    whole = sit(task, max_steps=3)
    last = whole.wait_for_the_end()
    assert (last.terminated, last.truncated) == (True, False), "the end at the cap is the end"
    assert whole.episode.score().terminated


# -- moments inside --------------------------------------------------------------------------------------------------


def test_a_check_at_an_instant_sees_the_world_of_that_instant(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    checks = (
        "checks:\n"
        + check("early", "not has_file('x.md') and now() == t('D+1 08:00')", "final", at="D+1 08:00")
        + check("late", "not has_file('x.md')", "final", at="D+1 10:00")
        + check("inside", "now() == t('D+1 09:00:02')", "stage", stage="S2", at="'D+1 09:00:02'")
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    sitting.wait()
    for name in ("x.md", "y.md", "z.md"):
        sitting.send(notes(name))
    sitting.wait_for_the_end()
    assert sitting.episode.score().checks == {"early": True, "late": False, "inside": True}


def test_a_check_of_each_midnight(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    each = "{midnight: [D+0, D+2]}"
    checks = (
        "checks:\n"
        + check("held", "has_file('USER.md')", each=each)
        + check("broken", "not has_file('x.md')", each=each)
        + check("seconds", "now() + minutes(1 / 60) == t('D+0 24:00') or today() > date(t('D+0'))", each=each)
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    sitting.wait()
    sitting.send(notes("x.md"))
    sitting.wait()
    sitting.call("workspace.delete_file", path="x.md")
    sitting.wait_for_the_end()
    assert sitting.episode.score().checks == {"held": True, "broken": False, "seconds": True}
    broken = next(row for row in sitting.episode.evaluation() if row["id"] == "broken")
    assert broken["at"] == "2026-03-03T23:59:59+01:00", "the first night at which it did not hold"


def test_checks_of_each_stages_end_and_last_turn(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    checks = (
        "checks:\n"
        + check("ends", "not has_file('x.md')", each="{stage_end: [S1, S2]}")
        + check("turns", "not has_file('x.md')", each="{last_turn: [S1, S2]}")
        + check("later", "has_file('x.md')", each="{last_turn: [S3, S3]}")
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    sitting.remind("03 10:00", "A second turn of the second stage")
    sitting.wait()
    sitting.send(notes("x.md"))
    sitting.wait()
    sitting.call("workspace.delete_file", path="x.md")
    sitting.wait()
    sitting.send(notes("x.md"))
    sitting.wait_for_the_end()
    assert sitting.episode.score().checks == {"ends": True, "turns": True, "later": True}


def test_a_moment_that_did_not_come_fails_its_check(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    timeline = THREE.replace("kind: user_message, text: Second.", "kind: user_message, when: 1 == 2, text: Second.")
    checks = "checks:\n" + check("none", "1 == 1", each="{last_turn: [S2, S2]}")
    sitting = sit(make_task(timeline, checks, stages=STAGES))
    sitting.wait_for_the_end()
    assert sitting.episode.evaluation()[0]["reason"] == "its moment did not come"
    assert sitting.episode.score().faults == ()


# -- never-rules -----------------------------------------------------------------------------------------------------


def test_what_was_tripped_stays_tripped(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    never = "[\"has_file('x.md')\"]"
    checks = (
        "checks:\n"
        + check("always", "1 == 1", never=never)
        + check("first", "1 == 1", "stage", stage="S1", never=never)
        + check("second", "1 == 1", "stage", stage="S2", never=never)
    )
    sitting = sit(make_task(THREE, checks, stages=STAGES))
    sitting.wait()
    sitting.send(notes("x.md"))
    sitting.wait()
    sitting.call("workspace.delete_file", path="x.md")
    sitting.wait_for_the_end()
    assert sitting.episode.score().checks == {"always": False, "first": True, "second": False}
    row = sitting.episode.evaluation()[0]
    assert (row["reason"], row["at"][:13]) == ("never: has_file('x.md')", "2026-03-03T09")


# -- return is score -------------------------------------------------------------------------------------------------

MOVES = st.lists(
    st.sampled_from(
        [
            {"tool": "assistant.wait"},
            {"tool": "assistant.reply", "arguments": {"text": "There are 950 EUR left, 950.00."}},
            {
                "tool": "banking.pay_payee",
                "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000},
            },
            {
                "tool": "banking.pay_payee",
                "arguments": {"account_id": "main", "payee_id": "landlord", "amount_minor": 9},
            },
            {"tool": "workspace.edit_file", "arguments": {"path": "debts.csv", "old": "open", "new": "paid"}},
            {"tool": "workspace.delete_file", "arguments": {"path": "debts.csv"}},
            {"tool": "workspace.read_file", "arguments": {"path": "debts.csv"}},
            {"tool": "nonsense"},
            None,
        ]
    ),
    max_size=14,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(moves=MOVES, cap=st.integers(1, 12), calls=st.integers(1, 5))
def test_the_return_is_the_score_whatever_is_done(
    small_debts: Any, sit: Callable[..., Any], moves: list[Any], cap: int, calls: int
) -> None:
    sitting = sit(small_debts, max_steps=cap, max_calls_per_turn=calls)
    for move in moves:
        if not sitting.episode.over:
            sitting.send(move)
    sitting.wait_for_the_end()
    score = sitting.episode.score()
    assert score.score == pytest.approx(sitting.earned, abs=1e-9)
    assert score.earned == sum(row["weight"] for row in sitting.episode.evaluation() if row["passed"])
    assert score.terminated == (sitting.steps[-1].kind == "end")
    assert score.steps == len(sitting.steps) <= cap
    assert [step.terminated or step.truncated for step in sitting.steps] == [False] * (score.steps - 1) + [True]
