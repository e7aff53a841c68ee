"""``verify``, ``explain`` and ``new``: what they print, write and exit with."""

from __future__ import annotations

import json
import os

import pytest

from lifegym.cli.verify import changes
from lifegym.task_suite.verification import GATES

QUICK = ["--gate", "schema", "--gate", "credit", "--seeds", "1", "--workers", "1"]


def test_a_proven_task(cli, bundle):
    text = cli("verify", bundle, *QUICK).stdout
    assert "small-debts: proven" in text
    rows = [line.split()[:2] for line in text.splitlines()]
    assert ["schema", "passed"] in rows
    assert ["credit", "passed"] in rows
    assert "checks 6 (paper 58)" in text
    assert "cross and final share of weight 50.0 % (paper 26.8 %)" in " ".join(text.split())


def test_a_finding_says_where_by_which_run_and_what_to_do(cli, bundle):
    text = cli("verify", bundle, "--gate", "provenance", "--workers", "1", code=1).stdout
    assert "small-debts: not proven" in text
    assert "provenance: ask/pay (S1): 'main' (as account_id) was not seen before it is used" in text
    assert "shown by: the reference, canonical" in text
    assert "to do: show it earlier, or bind what was seen" in text


def test_a_bundle_that_does_not_load_is_one_finding(cli, copied):
    checks = copied / "checks.yaml"
    checks.write_text(checks.read_text().replace("id: C2", "id: C1"))
    text = cli("verify", copied, "--workers", "1", code=1).stdout
    assert "C1 is used twice" in text
    assert "small-debts/checks.yaml:" in text


def test_json_to_a_file_and_to_stdout(cli, bundle, tmp_path):
    cli("verify", bundle, *QUICK, "--json", tmp_path / "report.json")
    written = json.loads((tmp_path / "report.json").read_text())
    assert written["passed"] is True
    (task,) = written["tasks"]
    assert task["task"] == "small-debts"
    assert [gate["gate"] for gate in task["gates"]] == ["schema", "credit"]
    assert all(gate["passed"] and gate["findings"] == [] for gate in task["gates"])
    shown = json.loads(cli("verify", bundle, "--gate", "provenance", "--workers", "1", "--json", "-", code=1).stdout)
    assert shown["passed"] is False
    (finding,) = shown["tasks"][0]["gates"][0]["findings"]
    assert set(finding) == {"message", "subject", "stage", "run", "advice"}


def test_several_tasks_one_of_them_unsound(cli, bundle, copied):
    (copied / "workspace" / "USER.md").write_text("She pays on Mon 03-03.\n")
    text = cli("verify", bundle, copied, *QUICK, code=1).stdout
    assert "small-debts: proven" in text
    assert "small-debts: not proven" in text


def test_every_task_of_the_suite(cli, shipped):
    assert "small-debts: proven" in cli("verify", "--all", *QUICK).stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "name a task, or use --all"),
        (("nowhere",), "there is no task 'nowhere'"),
        (("japan-trip", "--gate", "beauty"), f"there are: {', '.join(GATES)}"),
        (("japan-trip", "--json", "/no/such/folder/x.json"), "name a file in a folder that exists"),
    ],
)
def test_what_is_refused(cli, words, complaint):
    assert complaint in cli("verify", *words, code=2).stderr


def test_watching_sees_every_kind_of_change(tmp_path):
    (tmp_path / "a.yaml").write_text("a")
    (tmp_path / "b.yaml").write_text("b")
    seen = changes([tmp_path], pause=0)
    assert next(seen) == []
    (tmp_path / "a.yaml").write_text("other")
    assert next(seen) == [str(tmp_path / "a.yaml")]
    (tmp_path / "b.yaml").unlink()
    (tmp_path / "c.yaml").write_text("c")
    assert next(seen) == [str(tmp_path / "b.yaml"), str(tmp_path / "c.yaml")]
    os.utime(tmp_path / "a.yaml", ns=(1, 1))
    assert next(seen) == [str(tmp_path / "a.yaml")]


# -- explain -----------------------------------------------------------------------------------------------------------


def test_explain_a_task_played_by_the_reference(cli, bundle):
    text = cli("explain", bundle, "C1").stdout
    assert "C1 (stage S1, accuracy, weight 3): passed" in text
    assert "The debt is paid once." in text
    assert "all: paid_to(p.friend) == p.debt" in text
    assert "    paid_to(p.friend) is 5000" in text
    assert "    p.debt is 5000" in text


def test_explain_another_agent_and_another_world(cli, bundle):
    text = cli("explain", bundle, "C1", "--agent", "idle", "--variant", "train", "--seed", "2").stdout
    assert "failed" in text
    assert "because of all: len(paid) == 1" in text
    assert "    len(paid) is 0" in text
    row = json.loads(cli("explain", bundle, "C5", "--agent", "idle", "--json").stdout)
    assert (row["id"], row["passed"], row["tier"]) == ("C5", False, "cross")
    assert "gate: len(paid) == 1" in row["reason"]


def test_explain_a_file_of_calls(cli, bundle, tmp_path):
    file = tmp_path / "calls.jsonl"
    cli("act", "--task", bundle, file)
    assert "sealed" in cli("explain", file, "C1", code=4).stderr
    for _ in range(3):
        cli("act", file, "wait")
    assert "because of all: len(paid) == 1" in cli("explain", file, "C1").stdout


def test_explain_refuses_what_is_not_there(cli, bundle):
    assert "there is no check 'C99'" in cli("explain", bundle, "C99", code=2).stderr
    assert "there is no agent 'nobody'" in cli("explain", bundle, "C1", "--agent", "nobody", code=2).stderr


# -- new ---------------------------------------------------------------------------------------------------------------


def test_a_new_task_is_proven_as_it_stands(cli, tmp_path):
    text = cli("new", "errands", "lost-key", "--dir", tmp_path).stdout
    folder = tmp_path / "errands" / "lost_key"
    assert f"lifegym verify --watch {folder}" in text
    assert (folder / "task.yaml").read_text().count("id: lost-key\n") == 1
    assert "domain: errands\n" in (folder / "task.yaml").read_text()
    report = cli("verify", folder, "--seeds", "1", "--workers", "1").stdout
    assert "lost-key: proven" in report
    assert "score" in cli("run", folder, "--agent", "reference", "--runs", "1").stdout


def test_the_files_of_a_new_task_teach(cli, tmp_path):
    cli("new", "errands", "lost-key", "--dir", tmp_path)
    for name in ("task.yaml", "timeline.yaml", "checks.yaml", "solution.yaml", "world/people.yaml"):
        assert "# " in (tmp_path / "errands" / "lost_key" / name).read_text()


def test_new_refuses_bad_names_and_what_exists(cli, tmp_path):
    assert "no task id" in cli("new", "errands", "Lost_Key", "--dir", tmp_path, code=2).stderr
    assert "no domain" in cli("new", "Errands!", "lost-key", "--dir", tmp_path, code=2).stderr
    cli("new", "errands", "lost-key", "--dir", tmp_path)
    assert "exists already" in cli("new", "errands", "lost-key", "--dir", tmp_path, code=2).stderr


def test_two_tasks_that_are_one_are_found(cli, bundle, copied, tmp_path):
    task = copied / "task.yaml"
    task.write_text(task.read_text().replace("id: small-debts", "id: other-debts"))
    report = tmp_path / "alike.json"
    said = cli("verify", "--similarity", bundle, copied, "--json", report, code=1).stdout
    assert "two tasks share at most 25 % of their checks, and of their events" in said
    found = json.loads(report.read_text())
    assert found["passed"] is False
    assert {(pair["first"], pair["second"], pair["kind"], pair["share"]) for pair in found["pairs"]} == {
        ("small-debts", "other-debts", "checks", 1.0),
        ("small-debts", "other-debts", "events", 1.0),
    }


def test_the_suites_tasks_are_not_alike(cli, bundle):
    assert json.loads(cli("verify", "--similarity", "*", bundle, "--json", "-").stdout)["passed"] is True
