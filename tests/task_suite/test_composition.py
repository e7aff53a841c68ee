"""What the suite is made of."""

from __future__ import annotations

import shutil

import pytest

from lifegym.services import catalogue
from lifegym.task_suite import load_task
from lifegym.task_suite.composition import composition
from lifegym.task_suite.verification.similarity import similarity

TRAVEL = "japan-trip"


def test_figures_of_two_tasks(small_debts):
    found = composition([load_task(TRAVEL), small_debts])
    suite = {name: figure["here"] for name, figure in found["suite"].items()}
    assert (suite["tasks"], suite["domains"]) == (2, 2)
    assert suite["days"] == (30 + 6) / 2
    assert suite["checks"] == (58 + 6) / 2
    assert (suite["fewest checks"], suite["most checks"]) == (6, 58)
    assert suite["user_message share"] == round((7 + 2) / (37 + 4), 3)
    assert suite["cross and final share of checks"] == round((11 + 3) / (58 + 6), 3)
    assert suite["cross and final share of weight"] == pytest.approx((0.282 * 149 + 5) / (149 + 10), abs=1e-3)
    assert found["suite"]["days"]["paper"] == 29
    assert found["suite"]["tasks"]["paper"] == 200


def test_services_domains_and_tasks(small_debts):
    found = composition([load_task(TRAVEL), small_debts])
    assert next(iter(found["services"])) == "banking"
    assert set(found["services"]) == set(catalogue.SERVICES)
    assert found["services"]["banking"] == {"tasks": 1, "here": 0.5, "paper": None}
    assert found["services"]["email"] == {"tasks": 1, "here": 0.5, "paper": 0.99}
    assert found["domains"]["testing"] == {"tasks": 1, "days": 6, "events": 4, "checks": 6}
    row = found["tasks"][1]
    assert (row["task"], row["events"], row["stages"], row["decoys"], row["params drawn"]) == (
        "small-debts",
        4,
        3,
        0,
        2,
    )
    assert row["kinds"] == {"user_message": 2, "mutation": 1, "notification": 1}
    assert row["tiers"] == {"stage": 3, "cross": 2, "final": 1}
    assert row["cross and final share of weight"] == 0.5


def test_no_tasks_no_figures():
    with pytest.raises(ValueError, match="no tasks"):
        composition([])


def test_a_copied_task_is_found_whatever_its_amounts(small_debts, small_debts_with):
    other = small_debts_with(("task.yaml", "id: small-debts", "id: other-debts"), ("task.yaml", "is: 5000", "is: 7000"))
    checks, events = similarity([small_debts, other])
    assert (checks.share, events.share) == (1.0, 1.0)
    assert checks.pairs[0] == ("C1", "C1")
    assert (checks.first, checks.second) == ("small-debts", "other-debts")


def test_different_tasks_share_nothing(small_debts):
    assert [like.share for like in similarity([small_debts, load_task(TRAVEL)])] == [0.0, 0.0]


def test_what_a_storyline_brings_is_not_counted(small_debts, tmp_path):
    proof = small_debts.bundle.path.parents[2] / "task_suite" / "storylines" / "phishing_fee" / "proof"
    shutil.copytree(proof, tmp_path / "twin")
    text = (tmp_path / "twin" / "task.yaml").read_text()
    (tmp_path / "twin" / "task.yaml").write_text(text.replace("id: phishing-fee-proof", "id: twin"))
    for like in similarity([load_task(proof), load_task(tmp_path / "twin")]):
        own = {"checks": ["C1", "C2", "C4"], "events": ["U1", "M1", "N1"]}[like.kind]
        assert like.pairs == [(name, name) for name in own]
        assert like.share == 1.0
