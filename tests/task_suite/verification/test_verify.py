"""``verify``: which gates run, where, and what becomes of a bundle that cannot be digested."""

from __future__ import annotations

import shutil

import pytest

from lifegym.task_suite.task import load_task
from lifegym.task_suite.verification import GATES, verify
from lifegym.task_suite.verification.report import Finding, GateReport, TaskReport

LIGHT = ["schema", "solvable", "provenance", "credit", "rules", "faults"]


@pytest.fixture
def folder(tmp_path, small_debts):
    return shutil.copytree(small_debts.bundle.path, tmp_path / "small-debts")


def test_the_gates_in_their_order():
    assert list(GATES) == [
        "schema", "solvable", "provenance", "credit", "exploits", "mutants", "rules", "fair", "deterministic", "faults",
    ]  # fmt: skip


def test_gates_run_in_their_order_whatever_was_asked(small_debts):
    report = verify(small_debts, seeds=0, workers=1, gates=["rules", "schema"])
    assert [gate.gate for gate in report.gates] == ["schema", "rules"]
    assert report.passed
    assert report.task == "small-debts"


def test_a_task_an_id_and_a_folder(small_debts, folder):
    by_path = verify(folder, seeds=0, workers=1, gates=["schema"])
    by_text = verify(str(folder), seeds=0, workers=1, gates=["schema"])
    by_task = verify(load_task(folder), seeds=0, workers=1, gates=["schema"])
    assert by_path.gates == by_text.gates == by_task.gates
    assert verify("japan-trip", seeds=0, workers=1, gates=["schema"]).task == "japan-trip"
    with pytest.raises(KeyError, match="japan-trip"):
        verify("japan-trap")


def test_the_number_of_workers_changes_nothing(small_debts):
    alone = verify(small_debts, seeds=1, workers=1, gates=LIGHT)
    together = verify(small_debts, seeds=1, workers=2, gates=LIGHT)
    assert alone.gates == together.gates
    assert [gate.passed for gate in alone.gates] == [True, True, False, True, True, True]


def test_bad_settings(small_debts):
    with pytest.raises(ValueError, match="there is no gate 'beauty'"):
        verify(small_debts, gates=["beauty"])
    with pytest.raises(ValueError, match="at least"):
        verify(small_debts, seeds=-1)
    with pytest.raises(ValueError, match="at least"):
        verify(small_debts, workers=0)


def test_a_bundle_that_does_not_load(folder):
    (folder / "timeline.yaml").write_text("events: [\n")
    report = verify(folder, workers=1)
    assert [gate.gate for gate in report.gates] == ["schema"]
    assert not report.passed
    assert "timeline.yaml" in report.gates[0].findings[0].subject


def test_a_solution_that_does_not_compile_is_a_finding_of_each_gate_that_needs_it(folder):
    solution = folder / "solution.yaml"
    solution.write_text(solution.read_text().replace("Paid ${seen.who}.", "Paid ${p.friend}."))
    report = verify(folder, seeds=0, workers=1, gates=["schema", "solvable", "provenance", "credit"])
    assert [gate.passed for gate in report.gates] == [False, False, False, True]
    assert all("solution.yaml:" in str(gate.findings[0]) for gate in report.gates[:3])


def test_a_gate_that_fails_says_so(small_debts, monkeypatch):
    def broken(context):
        raise RuntimeError("no idea")

    monkeypatch.setattr("lifegym.task_suite.verification.credit.credit", broken)
    (gate,) = verify(small_debts, workers=1, gates=["credit"]).gates
    assert "RuntimeError: no idea" in gate.findings[0].message
    assert gate.findings[0].advice == "this is a defect of the gate"


def test_a_report_as_json():
    gate = GateReport("schema", {"checks": 2})
    gate.fail("it is so", subject="C1", stage="S1", run="idle", advice="mend it")
    report = TaskReport("t", [gate], 1.234)
    assert (
        str(Finding("it is so", "C1", "S1", "idle", "mend it")) == "C1 (S1): it is so; shown by: idle; to do: mend it"
    )
    assert report.to_json() == {
        "task": "t",
        "passed": False,
        "seconds": 1.23,
        "gates": [
            {
                "gate": "schema",
                "figures": {"checks": 2},
                "findings": [
                    {"message": "it is so", "subject": "C1", "stage": "S1", "run": "idle", "advice": "mend it"}
                ],
                "notes": [],
                "passed": False,
            }
        ],
    }
