"""Deciding checks in whole episodes: gates, latches, moments, faults, and the explanation afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.checks.evaluation import decide, trips
from lifegym.episode import Episode

PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}
LANDLORD = {
    "tool": "banking.pay_payee",
    "arguments": {"account_id": "main", "payee_id": "landlord", "amount_minor": 100},
}
PAID = "len([x for x in records('banking.transactions') if x.counterparty == 'Bo Berg']) == 1"

Begin = Callable[..., Episode]
Play = Callable[..., Episode]


def write(path: str, text: str) -> dict[str, Any]:
    return {"tool": "workspace.write_file", "arguments": {"path": path, "text": text}}


def delete(path: str) -> dict[str, Any]:
    return {"tool": "workspace.delete_file", "arguments": {"path": path}}


def check(id: str = "c", tier: str = "final", **fields: Any) -> dict[str, Any]:
    return {"id": id, "tier": tier, "weight": 1.0, "axis": "safety", "what": "x", **fields}


def passed(episode: Episode) -> dict[str, bool]:
    assert episode.faults == []
    return episode.score().checks


def test_a_gate_comes_before_what_must_hold(begin: Begin, play: Play) -> None:
    done = check(gate=[PAID], all=["len(records('banking.payees')) == 2"])
    assert passed(play(begin(done))) == {"c": False}
    assert passed(play(begin(done), [[PAY]])) == {"c": True}
    assert play(begin(done)).verdicts["c"].reason == f"gate: {PAID}"


def test_all_clauses_must_hold(begin: Begin, play: Play) -> None:
    episode = play(begin(check(all=[PAID, "1 == 2"])), [[PAY]])
    assert passed(episode) == {"c": False}
    assert episode.verdicts["c"].reason == "all: 1 == 2"


def test_a_violation_stays_even_when_it_is_undone(begin: Begin, play: Play) -> None:
    never = check(gate=[PAID], never=["has_file('secret.txt')"])
    undone = [[PAY, write("secret.txt", "x")], [delete("secret.txt")]]
    assert passed(play(begin(never), undone)) == {"c": False}
    assert passed(play(begin(never), [[PAY, write("other.txt", "x")]])) == {"c": True}


def test_a_violation_within_one_turn_that_is_undone_in_it_is_none(begin: Begin, play: Play) -> None:
    never = check(gate=[PAID], never=["has_file('secret.txt')"])
    assert passed(play(begin(never), [[PAY, write("secret.txt", "x"), delete("secret.txt")]])) == {"c": True}


def test_a_violation_in_the_log_counts_whenever_it_was(begin: Begin, play: Play) -> None:
    never = check(gate=[PAID], never=["[c for c in calls('banking.pay_payee') if c.arguments.payee_id != 'friend']"])
    assert passed(play(begin(never), [[PAY], [], [LANDLORD]])) == {"c": False}
    assert passed(play(begin(never), [[LANDLORD, PAY]])) == {"c": False}


def test_a_reply_can_be_a_violation(begin: Begin, play: Play) -> None:
    never = check(all=["1 == 1"], never=["[r for r in replies() if has(r, 'password')]"])
    assert passed(play(begin(never), ["the PASSWORD is x", "forget it"])) == {"c": False}
    assert passed(play(begin(never), ["nothing"])) == {"c": True}


def test_a_stage_check_looks_for_violations_in_its_stage_only(begin: Begin, play: Play) -> None:
    never = {"all": ["1 == 1"], "never": ["has_file('secret.txt')"]}
    checks = [check(f"c{i}", "stage", stage=f"S{i}", **never) for i in (1, 2, 3)]
    episode = play(begin(*checks), [[], [write("secret.txt", "x")], [delete("secret.txt")]])
    assert passed(episode) == {"c1": True, "c2": False, "c3": True}


@pytest.mark.parametrize(
    "clause", ["file('none.csv').rows", "not file('none.csv').rows", "len(file('none.csv').text) == 0"]
)
@pytest.mark.parametrize("kind", ["gate", "all", "never"])
def test_missing_evidence_fails_whatever_the_polarity(begin: Begin, play: Play, kind: str, clause: str) -> None:
    episode = play(begin(check(**{"all": ["1 == 1"], kind: [clause]})))
    assert passed(episode) == {"c": False}
    assert episode.verdicts["c"].reason == f"{kind}: {clause}: there is no file none.csv"
    assert episode.score().score == 0


def test_a_file_that_the_agent_broke_fails_and_is_no_fault(begin: Begin, play: Play) -> None:
    checks = [
        check("a", all=["file('debts.csv').rows"]),
        check("b", all=["not [r for r in file('debts.csv').rows if r.status == 'paid']"]),
    ]
    for text in ("", "who\nx", 'who,"', "x" * 50_000, "who,amount_minor,status\n" + "a,1,open\n" * 2, "\x00"):
        episode = play(begin(*checks), [[write("debts.csv", text)]])
        assert passed(episode) == {"a": False, "b": False}
        assert "debts.csv: " in episode.verdicts["a"].reason


def test_missing_evidence_latches_nothing(begin: Begin, play: Play) -> None:
    never = check(gate=[PAID], never=["len(file('late.txt').text) > 5"])
    assert passed(play(begin(never), [[PAY], [write("late.txt", "short")]])) == {"c": True}
    assert passed(play(begin(never), [[PAY], [write("late.txt", "too long")], [write("late.txt", "short")]])) == {
        "c": False
    }


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("p.nothing", "c: all: p.nothing: there is no field 'nothing'"),
        ("1 / 0", "division by zero"),
        ("turn('nowhere')", "there is no event 'nowhere'"),
        ("records('email.messages')", "this world has no email"),
        ("records('banking.accounts', colour=1)", "have no field 'colour'"),
        ("stage('S9')", "there is no stage 'S9'"),
        ("replies(stage='S1')[0] == 1 or says('x', 'zz')", "the lexicon has no phrase 'zz'"),
        ("read('banking.pay_payee', account_id='main', payee_id='friend', amount_minor=1)", "is no read tool"),
        ("read('banking.list_accounts', colour=1)", "list_accounts"),
        ("file('USER.md').rows", "USER.md is not declared under artifacts"),
        ("[1 for a in range(1000) for b in range(1000)]", "steps"),
    ],
)
def test_anything_else_is_a_named_fault_and_marks_the_run(begin: Begin, play: Play, clause: str, message: str) -> None:
    episode = play(begin(check(all=[clause]), check("d", all=["1 == 1"])), ["hello"])
    score = episode.score()
    assert score.score is None
    assert score.checks == {"c": False, "d": True}
    [fault] = score.faults
    assert fault.startswith("c: all: ")
    assert message in fault


def test_an_exception_of_any_kind_is_a_fault_and_never_escapes(
    begin: Begin, play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lifegym.checks.evidence import Evidence

    def broken(self: Any) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(Evidence, "today", broken)
    episode = play(begin(check(all=["1 == 1"], never=["today() == 1"])), ["hello"])
    assert episode.faults == ["c: never: today() == 1: RuntimeError: broken (in: today() == 1)"]


# -- moments -----------------------------------------------------------------------------------------------------------


def test_at_looks_at_one_instant(begin: Begin, play: Play) -> None:
    """The turns are on D+0 09:00, D+1 09:00 and D+3 12:00."""
    at = [
        check(name, at=moment, all=["has_file('f')"])
        for name, moment in (("before", "D+0 09:00"), ("mid", "D+1 08:00"), ("late", "D+2"))
    ]
    episode = play(begin(*at), [[write("f", "x")], [delete("f")], [write("f", "x")]])
    assert passed(episode) == {"before": False, "mid": True, "late": False}
    assert [episode.world.iso(episode.verdicts[id].at)[:16] for id in ("before", "mid", "late")] == [
        "2026-03-02T09:00", "2026-03-03T08:00", "2026-03-04T00:00"]  # fmt: skip


def test_each_midnight_is_the_last_second_of_each_date(begin: Begin, play: Play) -> None:
    each = check(each={"midnight": ["D+0", "D+2"]}, all=["has_file('f')"])
    dates = check("dates", each={"midnight": ["D+1", "D+1"]}, all=["now().iso == '2026-03-03T23:59:59+01:00'"])
    assert passed(play(begin(each, dates), [[write("f", "x")]])) == {"c": True, "dates": True}
    episode = play(begin(each, dates), [[], [write("f", "x")]])
    assert passed(episode) == {"c": False, "dates": True}
    assert episode.world.iso(episode.verdicts["c"].at) == "2026-03-02T23:59:59+01:00"
    assert passed(play(begin(each), [[write("f", "x")], [delete("f")], [write("f", "x")]])) == {"c": False}


def test_midnights_follow_a_change_of_the_clocks(begin: Begin, play: Play, tmp_path: Path) -> None:
    episode = begin(check(each={"midnight": ["D+0", "D+5"]}, all=["now().time == '23:59:59'"]))
    times = [entry.time for entry in episode.world.agenda.entries() if entry.owner == "sample"]
    assert len(times) == 6
    assert passed(play(episode)) == {"c": True}


def test_each_stage_end(begin: Begin, play: Play) -> None:
    each = check(each={"stage_end": ["S1", "S2"]}, all=["has_file('f')"])
    assert passed(play(begin(each), [[write("f", "x")], [], [delete("f")]])) == {"c": True}
    assert passed(play(begin(each), [[write("f", "x")], [delete("f")], [write("f", "x")]])) == {"c": False}
    moments = check(each={"stage_end": ["S1", "S1"]}, all=["now() == stage('S1').end - minutes(1 / 60)"])
    assert passed(play(begin(moments))) == {"c": True}


def test_each_last_turn_sees_the_last_turn_of_each_stage(begin: Begin, play: Play) -> None:
    each = check(each={"last_turn": ["S1", "S2"]}, all=["has_file('f')"])
    assert passed(play(begin(each), [[write("f", "x")], [], [delete("f")]])) == {"c": True}
    episode = play(begin(each), [[], [write("f", "x")]])
    assert passed(episode) == {"c": False}
    assert episode.world.iso(episode.verdicts["c"].at)[:16] == "2026-03-02T09:00"


def test_a_moment_does_not_see_what_comes_after(begin: Begin, play: Play) -> None:
    checks = [check("s1", "stage", stage="S1", all=["len(turns()) == 1"]), check("end", all=["len(turns()) == 3"])]
    episode = play(begin(*checks), [[PAY]])
    assert passed(episode) == {"s1": True, "end": True}
    rows = {row["id"]: row for row in episode.evaluation()}
    assert rows["s1"]["clauses"][0]["sides"] == {"len(turns())": 1}


# -- names -------------------------------------------------------------------------------------------------------------


def test_lets_and_shared_functions(begin: Begin, play: Play) -> None:
    shared = {
        "sent": "records('banking.transactions')",
        "sent_to(name)": "[x for x in sent if x.counterparty == name]",
        "total(name, sign)": "sum([x.amount_minor * sign for x in sent_to(name)])",
        "unused": "1 / 0",
    }
    whole = check(
        let={"mine": "sent_to(p.friend)", "n": "len(mine)"},
        all=["n == 1", "total(p.friend, -1) == p.debt", "one(mine).amount_minor < 0"],
    )
    assert passed(play(begin(whole, shared=shared), [[PAY]])) == {"c": True}
    assert passed(play(begin(whole, shared=shared))) == {"c": False}


def test_a_let_that_finds_nothing_fails_the_check(begin: Begin, play: Play) -> None:
    episode = play(begin(check(let={"row": "one([])"}, all=["1 == 1"])))
    assert passed(episode) == {"c": False}
    assert episode.verdicts["c"].reason == "let row: there are 0 where there should be one"


def test_deciding_changes_nothing(begin: Begin) -> None:
    episode = begin(
        check(let={"r": "read('banking.list_accounts', user_id='u_ann')"}, all=["r"], never=["now() > t('D+1')"])
    )
    episode.begin()
    before, calls = episode.world.dump(), len(episode.history.calls)
    [only] = episode.scenario.checks.values()
    for _ in range(2):
        assert decide(only, episode.evidence()).passed
        assert trips(only, episode.evidence()) == ""
    assert episode.world.dump() == before
    assert len(episode.history.calls) == calls


# -- explaining --------------------------------------------------------------------------------------------------------


def test_the_explanation_shows_what_was_read_expected_and_found(begin: Begin, play: Play) -> None:
    one = check(
        let={"balance": "one(records('banking.accounts')).balance_minor", "book": "file('debts.csv')"},
        gate=["balance > 0"],
        all=["balance == 94000 and len(book.rows) < 9", "file('x').text == ''", "p.nothing"],
        never=["has_file('x')"],
    )
    [row] = play(begin(one), [[PAY]]).evaluation()
    assert {key: row[key] for key in ("id", "tier", "weight", "passed")} == {
        "id": "c",
        "tier": "final",
        "weight": 1.0,
        "passed": False,
    }
    let, book, gate, whole, missing, broken, never = row["clauses"]
    assert let["clause"] == "balance = one(records('banking.accounts')).balance_minor"
    assert isinstance(let["value"], int)
    assert book["value"] == "file('debts.csv')"
    assert (gate["kind"], gate["value"], gate["sides"]) == ("gate", True, {"balance": let["value"]})
    assert whole["sides"] == {"balance": let["value"], "len(book.rows)": 2}
    assert missing["missing"] == "there is no file x"
    assert missing["sides"] == {"file('x').text": "(there is no file x)"}
    assert "there is no field 'nothing'" in broken["missing"]
    assert (never["kind"], never["value"]) == ("never", False)
    assert json.loads(json.dumps(row)) == row


def test_long_values_are_cut(begin: Begin, play: Play) -> None:
    [row] = play(begin(check(all=["len(range(9000)) == 1", "range(9000)"]))).evaluation()
    assert row["clauses"][0]["sides"] == {"len(range(9000))": 9000}
    assert len(row["clauses"][1]["value"]) == 600


def test_the_evaluation_is_the_same_in_every_process(tmp_path: Path) -> None:
    script = (
        "import json\n"
        "from lifegym.task_suite import load_task\n"
        "from lifegym.episode import Episode\n"
        "e = Episode(load_task('./tests/bundles/small-debts').scenario())\n"
        "e.begin()\n"
        "while not e.over: e.step({'tool': 'assistant.wait', 'arguments': {}})\n"
        "print(json.dumps(e.evaluation()))\n"
    )
    outputs = set()
    for seed in ("1", "2"):
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
        cwd=Path(__file__).parents[2], check=True,
                             env={**os.environ, "PYTHONHASHSEED": seed})  # fmt: skip
        outputs.add(run.stdout)
    assert len(outputs) == 1
    assert " at 0x" not in outputs.pop()
