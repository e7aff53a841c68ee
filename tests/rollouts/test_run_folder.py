"""Run folders: nothing twice, nothing torn, nothing mixed."""

from __future__ import annotations

import json
import os
import subprocess
import tracemalloc
from pathlib import Path

import pytest

from lifegym.rollouts import Key, RunError, RunFolder, evaluate, run_folders
from lifegym.rollouts.export import chosen
from lifegym.rollouts.worker import Played

from .conftest import SMALL_DEBTS, same


def lines(folder: Path) -> list[bytes]:
    return (folder / "results.jsonl").read_bytes().splitlines(keepends=True)


@pytest.fixture
def run(tmp_path):
    """A run of four episodes."""
    evaluate("random", [SMALL_DEBTS], runs=4, workers=0, out=tmp_path / "run")
    return tmp_path / "run"


def again(folder, **options):
    return evaluate("random", [SMALL_DEBTS], **{"runs": 4, "workers": 0, "out": folder, **options})


def test_what_is_in_it(run):
    manifest = json.loads((run / "manifest.json").read_text())
    assert manifest["settings"]["agent"] == "random"
    assert manifest["tasks"]["small-debts"]["stages"] == ["S1", "S2", "S3"]
    assert len(manifest["tasks"]["small-debts"]["content_hash"]) == 64
    assert {"python", "lifegym", "gymnasium", "ray", "tzdata"} <= set(manifest["versions"])
    rows = [json.loads(line) for line in lines(run)]
    assert [(row["task"], row["variant"], row["seed"], row["run"]) for row in rows] == [
        ("small-debts", "canonical", 0, number) for number in range(4)
    ]
    for row in rows:
        assert 0 <= row["score"] <= 100
        assert row["error"] is None
        assert set(row["checks"]) == {"C1", "C2", "C3", "C4", "C5", "C6"}
        assert (run / row["trajectory"]).is_file()
    assert json.loads((run / "summary.json").read_text())["episodes"] == {"all": 4, "scored": 4, "failed": 0}


def test_the_same_again_plays_nothing(run):
    before = lines(run)
    assert again(run).summary["episodes"]["scored"] == 4
    assert lines(run) == before


@pytest.mark.parametrize("kept", [0, 1, 3])
@pytest.mark.parametrize("torn", [0, 7, -3])
def test_a_torn_line_is_played_again(run, kept, torn):
    whole = same(RunFolder.read(run).rows())
    before = lines(run)
    part = before[kept][:torn] if torn else b""
    (run / "results.jsonl").write_bytes(b"".join(before[:kept]) + part)
    assert len(RunFolder.read(run).rows()) == kept
    assert same(again(run).rows) == whole
    assert lines(run)[:kept] == before[:kept]
    assert len(lines(run)) == 4


def test_a_damaged_line_before_the_last_is_told_and_not_lost(run):
    file = run / "results.jsonl"
    before = lines(run)
    file.write_bytes(before[0] + b"{oops\n" + before[2])
    with pytest.raises(RunError, match=r"results\.jsonl:2 is damaged"):
        again(run)
    assert file.read_bytes() == before[0] + b"{oops\n" + before[2]


def test_what_failed_is_played_again(run):
    rows = [json.loads(line) for line in lines(run)]
    rows[1] = {**{name: rows[1][name] for name in Key._fields}, "score": None, "error": "worker: it was lost"}
    (run / "results.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert [row["error"] for row in again(run).rows] == [None] * 4
    assert len(lines(run)) == 4


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"runs": 5}, "holds a run with runs 4, not 5"),
        ({"variant": "train"}, 'holds a run with variant "canonical", not "train"'),
        ({"max_steps": 10}, "holds a run with max_steps 5000, not 10"),
    ],
)
def test_another_run_is_refused(run, options, told):
    before = lines(run)
    with pytest.raises(RunError, match=told):
        again(run, **options)
    with pytest.raises(RunError, match='with agent "random", not "idle"'):
        evaluate("idle", [SMALL_DEBTS], runs=4, workers=0, out=run)
    assert lines(run) == before


def test_another_version_of_a_task_is_refused(run):
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["tasks"]["small-debts"]["content_hash"] = "0" * 64
    (run / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(RunError, match="another version of small-debts"):
        again(run)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letters.txt").write_text("Dear Ann")
    with pytest.raises(RunError, match=r"holds letters\.txt and no run"):
        again(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir() if file.name != ".lock") == ["letters.txt"]


def test_many_rows_are_not_held_in_memory(run):
    """Neither by the statistics, nor by going on, nor by an export: what these hold is a small part of all rows."""
    rows = RunFolder.read(run).rows()
    many = [json.dumps({**rows[number % 4], "run": number}) + "\n" for number in reversed(range(2000))]
    (run / "results.jsonl").write_text("".join(many))
    folder = RunFolder.read(run)
    tracemalloc.start()
    try:
        held = folder.rows()
        whole = tracemalloc.get_traced_memory()[0]
        del held
        tracemalloc.reset_peak()
        summary = folder.summarize()
        stored = folder.stored()
        with RunFolder.open(run, folder.manifest) as writing:
            kept = writing.resume()
        [(first, _)] = chosen(folder, runs={0})
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < whole / 4
    assert summary["episodes"]["scored"] == len(kept) == len(stored) == 2000
    assert [row["run"] for row in stored[:3]] == [0, 1, 2]
    assert first == stored[0]
    assert stored[-1] == {**rows[3], "run": 1999}
    assert summary["suite"]["avg"] == pytest.approx(sum(row["score"] for row in rows) / 4)


@pytest.mark.parametrize("text", [None, "{"])
def test_a_summary_that_is_not_there_or_damaged_is_told(run, text):
    (run / "summary.json").unlink() if text is None else (run / "summary.json").write_text(text)
    with pytest.raises(RunError, match=r"summary\.json cannot be read"):
        RunFolder.read(run).summary()


def test_two_writers_do_not_mix(run):
    manifest = RunFolder.read(run).manifest
    with RunFolder.open(run, manifest), pytest.raises(RunError, match="another process is writing"):
        again(run)
    assert len(again(run).rows) == 4


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (None, "is no run folder"),
        ("{", "is damaged"),
        ('{"format": 9}', "not of format 1"),
        ("[]", "not of format"),
        ('{"format": 1}', "is damaged: it has no settings"),
    ],
)
def test_what_is_no_run_folder(tmp_path, text, told):
    if text is not None:
        (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(RunError, match=told):
        RunFolder.read(tmp_path)


def test_trajectories_that_are_not_there_or_damaged(run):
    folder = RunFolder.read(run)
    with pytest.raises(RunError, match="was not recorded"):
        folder.trajectory(Key("small-debts", "canonical", 0, 9))
    file = run / folder.rows()[0]["trajectory"]
    file.write_bytes(file.read_bytes()[:-20])
    with pytest.raises(RunError, match="is no trajectory"):
        folder.trajectory(Key("small-debts", "canonical", 0, 0))


def test_runs_are_found(run, tmp_path):
    evaluate("idle", [SMALL_DEBTS], runs=1, workers=0, out=tmp_path / "group" / "other")
    assert [folder.agent for folder in run_folders(tmp_path)] == ["idle", "random"]
    assert [folder.agent for folder in run_folders(run)] == ["random"]


def test_without_trajectories(tmp_path):
    found = again(tmp_path / "bare", trajectories=False)
    assert not (tmp_path / "bare" / "trajectories").exists()
    assert "trajectory" not in found.rows[0]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 48 KB."""
    place = tmp_path / "disk"
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=48k", "tmpfs", place], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("a small disk cannot be mounted here")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def test_a_full_disk_loses_nothing(small_disk):
    """It is told; what was recorded stays whole, and after room is made the rest is played."""
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 20_000)
    out = small_disk / "run"
    with pytest.raises(RunError, match="cannot be written: No space left on device; mend that, then run the same"):
        again(out, runs=12)
    recorded = lines(out)
    assert all(line.endswith(b"\n") for line in recorded)
    assert len(recorded) < 12
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=2m", small_disk], check=True)
    rows = again(out, runs=12).rows
    assert lines(out)[: len(recorded)] == recorded
    assert same(rows) == same(evaluate("random", [SMALL_DEBTS], runs=12, workers=0).rows)
    assert not list(out.rglob(".*.new"))


def test_a_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot be written"):
        again(tmp_path / "file" / "run")


def test_a_record_of_what_json_has_not(tmp_path):
    """Usage is whatever an agent tells."""
    with RunFolder.open(tmp_path / "run", {"settings": {"agent": "x"}, "tasks": {}, "versions": {}}) as folder:
        folder.resume()
        key = Key("t", "canonical", 0, 0)
        row = {**key._asdict(), "score": 1.0, "error": None, "usage": {"odd": object, 1: os.sep}}
        folder.add(key, Played(row, None))
    assert RunFolder.read(tmp_path / "run").rows()[0]["usage"]["1"] == os.sep


@pytest.mark.parametrize("line", [b"5\n", b"{}\n", b'{"task": "small-debts"}\n'])
def test_a_line_of_something_else_is_damaged(run, line):
    file = run / "results.jsonl"
    file.write_bytes(file.read_bytes() + line)
    with pytest.raises(
        RunError, match=r"results\.jsonl:5 is damaged: it is not the line of an episode; remove the line"
    ):
        again(run)
    damaged: list[str] = []
    assert len(RunFolder.read(run).rows(damaged)) == 4
    assert len(damaged) == 1


def test_results_that_cannot_be_read(run):
    (run / "results.jsonl").unlink()
    (run / "results.jsonl").mkdir()
    with pytest.raises(RunError, match=r"results\.jsonl cannot be read: Is a directory"):
        RunFolder.read(run).rows()


def test_damaged_runs_can_be_left_out(run, tmp_path):
    evaluate("idle", [SMALL_DEBTS], runs=1, workers=0, out=tmp_path / "other")
    (run / "manifest.json").write_text("{")
    with pytest.raises(RunError, match="is damaged"):
        run_folders(tmp_path)
    damaged: list[str] = []
    assert [folder.agent for folder in run_folders(tmp_path, damaged)] == ["idle"]
    assert len(damaged) == 1


def test_a_file_is_no_run_folder(run):
    with pytest.raises(RunError, match="is no run folder"):
        RunFolder.read(run / "manifest.json")
