"""Defects that an author may make, each a small patch of a task, and the gate that has to find it and name it.

The task is the flagship, or what ``lifegym new`` writes: small enough for the gates that play hundreds of runs.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from lifegym.cli import app
from lifegym.task_suite import task_path
from lifegym.task_suite.verification import GATES, verify

HERE = Path(__file__).parent
PATCHES = {file.stem: yaml.safe_load(file.read_text()) for file in sorted(HERE.glob("*.yaml"))}


@pytest.fixture
def patched(tmp_path: Path) -> Any:
    def patch(task: str, file: str, old: str, new: str) -> Path:
        if task == "new":
            folder = tmp_path / "errands" / "lost_key"
            assert CliRunner().invoke(app, ["new", "errands", "lost-key", "--dir", str(tmp_path)]).exit_code == 0
        else:
            folder = Path(shutil.copytree(task_path(task), tmp_path / task.replace("-", "_")))
        text = (folder / file).read_text()
        assert text.count(old) == 1, f"{old!r} stands in {file} {text.count(old)} times"
        (folder / file).write_text(text.replace(old, new))
        return folder

    return patch


def test_there_are_twenty_defects_and_more():
    assert len(PATCHES) >= 20
    assert {patch["gate"] for patch in PATCHES.values()} <= set(GATES)


@pytest.mark.parametrize("name", PATCHES)
def test_a_defect_is_found_and_named(name, patched):
    patch = PATCHES[name]
    folder = patched(patch.get("task", "japan-trip"), patch["file"], patch["old"], patch["new"])
    report = verify(folder, seeds=0, workers=1, gates=[patch["gate"]])
    assert not report.passed
    (gate,) = report.gates
    assert gate.gate == patch["gate"]
    found = [str(finding) for finding in gate.findings]
    assert any(all(part in text for part in patch["mention"]) for text in found), "\n".join(found)
    assert all(finding.advice for finding in gate.findings if not finding.subject.startswith("traceback"))
    assert not any("defect of the gate" in text for text in found)


@pytest.mark.parametrize("task", ["japan-trip", "new"])
def test_without_a_defect_the_same_gates_find_nothing(task, patched):
    folder = patched(task, "task.yaml", "title: ", "title:  ")
    gates = {patch["gate"] for patch in PATCHES.values() if patch.get("task", "japan-trip") == task}
    report = verify(folder, seeds=0, workers=1, gates=gates)
    assert report.passed, [str(finding) for gate in report.gates for finding in gate.findings]
