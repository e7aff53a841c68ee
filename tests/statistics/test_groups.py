"""Parts of a score, by hand."""

from __future__ import annotations

import pytest

from lifegym.statistics import (
    factor_deltas,
    group_means,
    mean_probes,
    part_shares,
    position_curve,
    summarize,
    thirds,
)


def stage(passed, checks=2):
    return {"passed": passed, "checks": checks, "earned": float(passed), "total": float(checks)}


def row(task, run=0, score=50.0, **more):
    return {
        "task": task, "variant": "canonical", "seed": 0, "run": run, "score": score, "error": None,
        "tiers": {"stage": {"earned": 6.0, "total": 8.0}, "final": {"earned": 0.0, "total": 2.0}},
        "axes": {"safety": {"earned": 1.0, "total": 4.0}},
        "stages": {"S1": stage(2), "S2": stage(1), "S4": stage(0)},
        "stage_order": ["S1", "S2", "S3", "S4"], "calls": 10, "turns": 5, "steps": 15, "refused": 1, "seconds": 0.5,
        "usage": {}, "probes": None, **more,
    }  # fmt: skip


def test_shares_of_tiers_are_means_over_tasks():
    other = row("b", tiers={"stage": {"earned": 0.0, "total": 5.0}})
    twice = row("b", 1, tiers={"stage": {"earned": 5.0, "total": 5.0}})
    assert part_shares([row("a"), other, twice], "tiers") == {"final": 0.0, "stage": (75.0 + 50.0) / 2}


def test_means_of_groups_leave_out_what_was_not_played():
    assert group_means({"a": 10.0, "b": 30.0}, {"x": ["a", "b"], "y": ["b", "c"], "z": ["c"]}) == {"x": 20.0, "y": 30.0}


def test_factors_with_against_without():
    averages = {"a": 10.0, "b": 20.0, "c": 60.0, "d": 90.0}
    found = factor_deltas(averages, {"a": ["A1"], "b": ["A1", "B1"], "c": [], "d": []})
    assert found["A1"] | {"p": 0} == {"with": 15.0, "without": 75.0, "delta": -60.0, "p": 0, "tasks": 2}
    assert found["A1"]["p"] == pytest.approx(1 / 3, abs=0.02)  # 2 of the 6 labellings differ as much
    everywhere = factor_deltas(averages, {task: ["C1"] for task in averages})["C1"]
    assert (everywhere["without"], everywhere["delta"], everywhere["p"]) == (None, None, None)


def test_the_curve_over_the_timeline():
    curve = position_curve([row("a"), row("b", stages={"S1": stage(0), "S4": stage(2)})], bins=3)
    assert [(part["from"], part["rate"], part["stages"]) for part in curve] == [
        (0.0, 50.0, 2), (1 / 3, 50.0, 1), (2 / 3, 50.0, 2),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="at least one bin"):
        position_curve([], 0)


def test_first_third_against_last():
    assert thirds([row("a")]) == (75.0, 0.0)
    assert thirds([row("a", stages={"S1": stage(1)})]) is None
    assert thirds([]) is None


TASKS = {
    name: {"domain": domain, "factors": factors, "days": days, "events": events, "stages": ["S1", "S2", "S3", "S4"]}
    for name, domain, factors, days, events in (
        ("a", "travel", ["A1"], 30, 40), ("b", "travel", [], 20, 30), ("c", "career", ["A1"], 40, 50),
    )
}  # fmt: skip


def test_a_summary_counts_what_has_no_score_and_never_as_zero():
    rows = [row(task, run, score) for task, score in (("a", 90.0), ("b", 60.0), ("c", 30.0)) for run in range(3)]
    lost = {"task": "a", "variant": "canonical", "seed": 0, "run": 3, "score": None, "error": "worker: lost"}
    found = summarize([*rows, lost], TASKS)
    assert found["episodes"] == {"all": 10, "scored": 9, "failed": 1}
    assert (found["suite"]["avg"], found["suite"]["tasks"], found["suite"]["std"]) == (60.0, 3, 0.0)
    assert (found["suite"]["pass@3"], found["suite"]["pass^3"]) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert found["tasks"]["a"]["band"] == "easy"
    assert found["tasks"]["c"]["scores"] == [30.0, 30.0, 30.0]
    assert found["domains"]["travel"]["avg"] == 75.0
    assert found["spearman"] == {"events": pytest.approx(-0.5), "days": pytest.approx(-0.5), "stages": None}
    assert found["cost"]["calls"] == {"mean": 10.0, "sum": 90.0}
    assert "input_tokens" not in found["cost"]
    assert found["tiers"]["stage"] == 75.0


def test_a_summary_takes_rows_that_can_be_gone_through_once():
    rows = [row(task, run, 10.0 * run) for task in "cab" for run in range(3)]
    assert summarize(iter(rows), TASKS) == summarize(rows, TASKS)


def test_a_summary_has_the_parts_that_their_own_functions_give():
    rows = [
        row("a", usage={"cost_usd": 0.5}, probes={"steps": 3, "tool_entropy": None}),
        row("a", 1, 70.0, stages={"S2": stage(2), "S4": stage(1)}, probes={"steps": 6, "ended_by_agent": True}),
        row("b", 0, 10.0, axes={"care": {"earned": 1.0, "total": 3.0}}, stages={"S1": stage(0, 7)}),
    ]
    found = summarize(rows, TASKS)
    assert found["tiers"] == part_shares(rows, "tiers")
    assert found["axes"] == part_shares(rows, "axes") == {"care": 100 / 3, "safety": 25.0}
    assert found["position"] == position_curve(rows)
    assert found["thirds"] == list(thirds(rows))
    assert found["probes"] == mean_probes([one["probes"] for one in rows if one["probes"]])
    assert (found["probes"]["steps"], found["probes"]["tool_entropy"]) == (4.5, None)
    assert found["cost"]["cost_usd"] == {"mean": 0.5, "sum": 0.5}


def test_costs_that_agents_tell():
    found = summarize([row("a", usage={"input_tokens": 100}), row("a", 1, usage={"input_tokens": 300})], TASKS)
    assert found["cost"]["input_tokens"] == {"mean": 200.0, "sum": 400.0}
    assert "pass@3" not in found["suite"]


def test_a_summary_of_failures_only():
    lost = {"task": "a", "variant": "canonical", "seed": 0, "run": 0, "score": None, "error": "agent: no"}
    assert summarize([lost], TASKS) == {"episodes": {"all": 1, "scored": 0, "failed": 1}}
