"""The report of a run: what it holds, and that it opens whatever is missing."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from lifegym.reports.report import write_report
from lifegym.reports.telling import CHUNK
from lifegym.rollouts import RunError, RunFolder

ROOT = Path(__file__).parents[2]


def told(file: Path) -> dict[str, Any]:
    """What an episode's file hands to the page."""
    found = re.fullmatch(r'lifegymEpisode\("([^"]+)", "([^"]+)"\);\n', file.read_text())
    assert found is not None
    assert found[1] == f"{file.parent.name}/{file.stem}"
    return dict(json.loads(zlib.decompress(base64.b64decode(found[2]))))


def test_a_run_becomes_a_page_and_a_file_for_each_episode(run_of: Callable[..., Path]) -> None:
    run = run_of("reference", runs=2)
    made = write_report(run, workers=0)
    text = made.path.read_text()
    assert made.path == run / "report.html"
    assert (made.episodes, made.notes, made.size) == (2, [], len(text.encode()))
    assert "Two small debts" in text
    assert "The debt is paid once." in text
    files = sorted((run / "report_files").rglob("*.js"))
    assert [file.name for file in files] == ["canonical-0-0.js", "canonical-0-1.js"]
    assert told(files[1])["run"] == 1
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)


def test_the_same_run_gives_the_same_bytes_whoever_works(run_of: Callable[..., Path], tmp_path: Path) -> None:
    run = run_of("reference", runs=CHUNK + 1)
    alone = write_report(run, tmp_path / "a" / "page.html", workers=0)
    others = write_report(run, tmp_path / "b" / "page.html", workers=2)
    assert alone.path.read_bytes() == others.path.read_bytes()
    for file in (tmp_path / "a").rglob("*.js"):
        assert file.read_bytes() == (tmp_path / "b" / file.relative_to(tmp_path / "a")).read_bytes()


def test_a_script_without_a_main_guard_makes_the_report_alone(run_of: Callable[..., Path], tmp_path: Path) -> None:
    run = run_of("idle", runs=CHUNK + 1)
    script = tmp_path / "script.py"
    script.write_text(
        f"from lifegym.reports import write_report\nprint(write_report({str(run)!r}, workers=2).episodes)\n"
    )
    done = subprocess.run([sys.executable, script], env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True)
    assert done.stdout == f"{CHUNK + 1}\n"
    assert len(list((run / "report_files").rglob("*.js"))) == CHUNK + 1


def test_no_run_folder_is_said(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder"):
        write_report(tmp_path)


def test_a_run_without_episodes_opens(run_of: Callable[..., Path]) -> None:
    run = run_of("reference")
    (run / "results.jsonl").unlink()
    assert "This run has no episode yet" in write_report(run, workers=0).path.read_text()


def test_torn_and_damaged_lines_are_left_out_and_said(run_of: Callable[..., Path]) -> None:
    run = run_of("reference", runs=3)
    lines = (run / "results.jsonl").read_bytes().splitlines(keepends=True)
    (run / "results.jsonl").write_bytes(lines[0] + b'{"task": \n' + lines[1] + lines[2][:50])
    made = write_report(run, workers=0)
    assert made.episodes == 2
    (note,) = made.notes
    assert note.startswith("results.jsonl:2 is damaged")
    assert "results.jsonl:2 is damaged" in made.path.read_text()
    with pytest.raises(RunError):
        RunFolder.read(run).rows()


def test_a_trajectory_that_is_gone_takes_its_page_alone(run_of: Callable[..., Path]) -> None:
    run = run_of("reference", runs=2)
    next(run.rglob("canonical-0-1.json.gz")).write_bytes(b"torn")
    made = write_report(run, workers=0)
    assert made.episodes == 1
    assert "is no trajectory" in made.notes[0]
    assert 'href="#/episode/small-debts/canonical-0-0"' in made.path.read_text()
    assert 'href="#/episode/small-debts/canonical-0-1"' not in made.path.read_text()


def test_episodes_that_are_no_more_lose_their_files(run_of: Callable[..., Path]) -> None:
    run = run_of("reference", runs=2)
    write_report(run, workers=0)
    (run / "report_files" / "gone").mkdir()
    (run / "report_files" / "gone" / "canonical-0-0.js").write_text("")
    (run / "report_files" / "notes.txt").write_text("mine")
    (run / "results.jsonl").write_bytes((run / "results.jsonl").read_bytes().splitlines(keepends=True)[0])
    write_report(run, workers=0)
    left = [file.relative_to(run / "report_files").as_posix() for file in (run / "report_files").rglob("*")]
    assert sorted(left) == ["notes.txt", "small-debts", "small-debts/canonical-0-0.js"]


def test_a_task_that_is_not_installed_still_has_a_page(run_of: Callable[..., Path], tmp_path: Path) -> None:
    run = run_of("reference")
    manifest = orjson.loads((run / "manifest.json").read_bytes())
    manifest["tasks"]["small-debts"]["source"] = str(tmp_path / "gone")
    (run / "manifest.json").write_bytes(orjson.dumps(manifest))
    text = write_report(run, workers=0).path.read_text()
    assert "This task cannot be loaded here" in text
    assert "C1" in text


def test_lines_of_tasks_that_the_manifest_lacks_are_left_out(run_of: Callable[..., Path]) -> None:
    run = run_of("reference", runs=1)
    line = orjson.loads((run / "results.jsonl").read_bytes())
    with (run / "results.jsonl").open("ab") as file:
        file.write(orjson.dumps({**line, "task": "another"}) + b"\n")
    assert "Left out: 1 line of tasks" in write_report(run, workers=0).notes[0]


def test_episodes_without_a_score_are_shown_with_their_reason(
    run_of: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).with_name("players")))
    run = run_of("hostile:Hostile", settings={"rough": True}, max_retries=0)
    text = write_report(run, workers=0).path.read_text()
    assert "No episode of this run has a score." in text
    assert "Episodes without a score" in text
    assert "window.pwned" in text
    assert "<script>window.pwned" not in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_a_page_that_cannot_be_written_says_what_to_do(run_of: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(RunError, match="--out"):
        write_report(run_of("idle", runs=1), tmp_path / "taken" / "page.html", workers=0)


def test_a_moved_run_reports_alike(run_of: Callable[..., Path], tmp_path: Path) -> None:
    run = run_of("reference", runs=1)
    first = write_report(run, workers=0).path.read_bytes()
    moved = Path(shutil.move(run, tmp_path / "elsewhere"))
    assert write_report(moved, workers=0).path.read_bytes() == first
