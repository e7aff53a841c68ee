"""Every task of the suite is proven: the gates that take seconds here, all of them where LIFEGYM_ALL_GATES is set."""

from __future__ import annotations

import os

import pytest

from lifegym.task_suite import load_task, task_ids
from lifegym.task_suite.storyline import storylines
from lifegym.task_suite.verification import GATES, verify

SLOW = ("exploits", "mutants", "fair")
CHOSEN = [name for name in GATES if os.environ.get("LIFEGYM_ALL_GATES") or name not in SLOW]


@pytest.mark.parametrize("task", task_ids())
def test_a_task_is_proven(task):
    report = verify(task, seeds=1, workers=None if os.environ.get("LIFEGYM_ALL_GATES") else 1, gates=CHOSEN)
    assert report.passed, "\n".join(f"{gate.gate}: {finding}" for gate in report.gates for finding in gate.findings)


@pytest.mark.parametrize("storyline", sorted({path.parent for path in storylines().values()}))
def test_a_storyline_is_proven_alone(storyline):
    """In the small task beside it, which includes its newest version and little else: all gates."""
    proof = load_task(storyline / "proof")
    newest = max(int(path.stem[1:]) for path in storyline.glob("v*.yaml"))
    assert [use.use for use in proof.bundle.task.storylines] == [f"{storyline.name.replace('_', '-')}@{newest}"]
    report = verify(str(storyline / "proof"), seeds=1, workers=1)
    assert report.passed, "\n".join(f"{gate.gate}: {finding}" for gate in report.gates for finding in gate.findings)


@pytest.mark.parametrize("task", task_ids())
def test_a_task_is_called_like_its_folder(task):
    loaded = load_task(task)
    assert loaded.id == task
    assert loaded.bundle.path.name == task.replace("-", "_")
    assert loaded.domain == loaded.bundle.path.parent.name
