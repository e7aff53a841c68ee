"""``evaluate``, ``runs``, ``rescore`` and ``export``: many episodes from the command line, and what is made of them."""

from __future__ import annotations

import json
import shutil
import sys

import pytest


@pytest.fixture
def run(cli, bundle, tmp_path):
    """A recorded run of three episodes."""
    folder = tmp_path / "runs" / "first"
    cli("evaluate", "--agent", "reference", "--tasks", bundle, "--workers", 0, "--out", folder)
    return folder


def test_a_table_and_nothing_recorded(cli, bundle):
    said = cli("evaluate", "--agent", "reference", "--tasks", bundle, "--runs", 3, "--workers", 0)
    rows = [line.split() for line in said.stdout.splitlines()]
    assert ["testing", "small-debts", "3", "100.0", "100.0", "100.0", "0.0", "1.00", "1.00", "easy"] in rows
    assert ["episodes", "3", "with", "a", "score,", "0", "without"] in rows
    assert "3 episodes" in said.stderr


def test_as_json(cli, bundle):
    said = cli("evaluate", "--agent", "idle", "--tasks", bundle, "--runs", 2, "--workers", 0, "--json")
    summary = json.loads(said.stdout)
    assert summary["agent"] == "idle"
    assert summary["episodes"] == {"all": 2, "scored": 2, "failed": 0}
    assert summary["suite"]["avg"] == 0.0


def test_quiet_prints_nothing(cli, bundle):
    assert cli("evaluate", "--agent", "idle", "--tasks", bundle, "--workers", 0, "--quiet").output == ""


def test_drawn_worlds(cli, bundle, tmp_path):
    words = ("evaluate", "--agent", "reference", "--tasks", bundle, "--workers", 0, "--variant", "train", "--runs", 1)
    cli(*words, "--seed", 3, "--seed", 4, "--out", tmp_path / "run", "--quiet")
    rows = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    assert [(row["variant"], row["seed"], row["score"]) for row in rows] == [("train", 3, 100.0), ("train", 4, 100.0)]


def test_an_agent_of_the_current_folder(cli, bundle, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent_of_mine.py").write_text(
        "from lifegym.baselines import IdleAgent\n\n\nclass Mine(IdleAgent): ...\n"
    )
    words = ("evaluate", "--agent", "agent_of_mine:Mine", "--tasks", bundle, "--runs", 1, "--workers", 0, "--json")
    assert json.loads(cli(*words).stdout)["suite"]["avg"] == 0.0


def test_a_list_of_tasks(cli, bundle, tmp_path):
    (tmp_path / "mine.txt").write_text(f"{bundle}\n")
    listed = str(tmp_path / "mine.txt")
    said = cli("evaluate", "--agent", "idle", "--tasks", listed, "--runs", 1, "--workers", 0, "--json")
    assert list(json.loads(said.stdout)["tasks"]) == ["small-debts"]


@pytest.mark.parametrize("recorded", [False, True])
def test_failures_have_an_exit_code_and_a_reason_told_once(cli, bundle, tmp_path, recorded):
    words = ("evaluate", "--agent", "lifegym.baselines:ReferenceAgent", "--tasks", bundle, "--runs", 3, "--workers", 0)
    out = ("--out", tmp_path / "run") if recorded else ()
    said = cli(*words, "--set", "act_out=nothing", "--max-retries", 0, *out, code=1)
    count, reason, advice = [line for line in said.stderr.splitlines() if line.startswith("lifegym: ")]
    assert count == "lifegym: 3 of 3 episodes without a score:"
    assert reason.startswith("lifegym:   3 x agent: KeyError")
    assert reason.endswith("(small-debts seed 0 run 0 and 2 more)")
    keeps = f"{tmp_path / 'run' / 'results.jsonl'} has" if recorded else "--out FOLDER keeps"
    assert advice.startswith(f"lifegym: next: mend the agent; {keeps} the tracebacks, and the same command again")
    assert "no score in 3 episodes\n" in said.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--agent", "nobody"), "there is no agent 'nobody'"),
        (("--agent", "idle", "--tasks", "nowhere"), "there is no task 'nowhere'"),
        (("--agent", "idle", "--variant", "exam"), "unknown variant 'exam'"),
        (("--agent", "idle", "--seed", "1"), "takes no seeds"),
        (("--agent", "idle", "--set", "x=1"), "the agent 'idle' cannot be made: TypeError"),
        (("--agent", "nowhere:Agent"), "the agent 'nowhere:Agent' cannot be made: ModuleNotFoundError"),
        (("--agent", "idle", "--set", "nothing"), "a setting is NAME=VALUE, not 'nothing'"),
    ],
)
def test_what_cannot_be_evaluated(cli, words, told):
    assert told in cli("evaluate", "--workers", 0, *words, code=2).stderr


def test_another_run_in_the_folder_is_refused(cli, bundle, run):
    words = ("evaluate", "--agent", "idle", "--tasks", bundle, "--workers", 0, "--out", run)
    assert 'holds a run with agent "reference", not "idle"' in cli(*words, code=2).stderr


def test_run_folders_are_listed(cli, run):
    rows = [line.split() for line in cli("runs", run.parent).stdout.splitlines()]
    assert [str(run), "reference", "canonical", "1", "3", "0", "100.0"] in rows
    assert json.loads(cli("runs", run.parent, "--json").stdout)[0]["episodes"] == 3
    assert "there is no run in" in cli("runs", run / "trajectories", code=2).stderr


def test_damaged_runs_hide_no_others(cli, run, tmp_path):
    for name, file, text in (("a", "manifest.json", "{"), ("b", "results.jsonl", "{\n{\n")):
        shutil.copytree(run, tmp_path / "runs" / name)
        (tmp_path / "runs" / name / file).write_text(text)
    said = cli("runs", tmp_path / "runs", code=2)
    assert str(run) in said.stdout
    assert said.stderr.count("is damaged") == 2
    assert [row["mean"] for row in json.loads(cli("runs", tmp_path / "runs", "--json", code=2).stdout)] == [100.0]


def test_rescore(cli, run):
    rows = [line.split() for line in cli("rescore", run).stdout.splitlines()]
    assert ["small-debts", "0", "2", "100.0", "100.0", "as", "it", "was"] in rows
    assert [row["now"] for row in json.loads(cli("rescore", run, "--json").stdout)] == [100.0] * 3
    assert "is no run folder" in cli("rescore", run.parent, code=2).stderr


def test_rescore_tells_what_differs(cli, run):
    file = run / "results.jsonl"
    file.write_text(file.read_text().replace('"score":100.0', '"score":50.0', 1))
    rows = json.loads(cli("rescore", run, "--json", code=1).stdout)
    assert [(row["was"], row["now"]) for row in rows] == [(50.0, 100.0), (100.0, 100.0), (100.0, 100.0)]


@pytest.mark.parametrize(("form", "count"), [("atif", 3), ("messages", 3), ("jsonl", 24)])
def test_export(cli, run, tmp_path, form, count):
    out = tmp_path / "out.jsonl"
    assert f"{count} lines in" in cli("export", run, "--format", form, "--out", out).stderr
    assert len([json.loads(line) for line in out.read_text().splitlines()]) == count


def test_export_of_some(cli, run):
    said = cli("export", run, "--format", "messages", "--run", 1, "--task", "small-*", "--min-score", 90).stdout
    assert [json.loads(line)["run"] for line in said.splitlines()] == [1]
    assert cli("export", run, "--format", "messages", "--max-score", 90).stdout == ""
    assert "there is no format 'xml'" in cli("export", run, "--format", "xml", code=2).stderr
    assert "3 lines in" in cli("export", run, "--format", "messages", "--out", run / "new" / "x").stderr
    file = run / "manifest.json" / "x"
    assert "cannot be written" in cli("export", run, "--format", "jsonl", "--out", file, code=2).stderr


def test_a_task_that_is_gone_is_told(cli, bundle, tmp_path, monkeypatch):
    copied = shutil.copytree(bundle, tmp_path / "bundle")
    cli("evaluate", "--agent", "idle", "--tasks", copied, "--runs", 1, "--workers", 0, "--out", tmp_path / "run")
    shutil.rmtree(copied)
    monkeypatch.setattr("lifegym.task_suite.task._loaded", {})
    assert "has no task.yaml" in cli("rescore", tmp_path / "run", code=2).stderr
    said = cli("export", tmp_path / "run", "--format", "messages", "--out", tmp_path / "x", code=2)
    assert "has no task.yaml" in said.stderr
