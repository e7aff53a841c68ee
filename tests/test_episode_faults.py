"""Defects of a task or a service: they mark the run, never raise, and are never blamed on the agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lifegym.services.banking import Banking

EFFECT = (
    "{do: banking.post_transaction, with: {account_id: main, amount_minor: -1000, kind: fee, counterparty: Harbour}}"
)


def marked(sitting: Any) -> Any:
    """Play on to the end: there must be one, without a score."""
    sitting.wait_for_the_end()
    score = sitting.episode.score()
    assert score.score is None
    assert score.faults == tuple(sitting.episode.faults)
    assert score.terminated
    assert [row["id"] for row in sitting.episode.evaluation()] == list(sitting.episode.scenario.checks)
    return score


def test_a_sound_run_has_no_fault(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.wait_for_the_end()
    assert sitting.episode.score().faults == ()
    assert sitting.episode.score().score is not None


@pytest.mark.parametrize(
    ("clause", "says"),
    [
        ("one(records('banking.accounts')).no_such_field == 1", "no_such_field"),
        ("1 / 0 == 1", "division by zero"),
        ("len(records('email.mails')) == 0", "this world has no email"),
        ("turn('no_event').ended_by == 'wait'", "there is no event 'no_event'"),
        ("read('banking.pay_payee', account_id='main', payee_id='friend', amount_minor=1) == 1", "no read tool"),
        ("file('USER.md').rows == []", "USER.md is not declared"),
    ],
)
def test_a_check_that_cannot_be_decided(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any], clause: str, says: str
) -> None:
    sitting = sit(small_debts_with(("checks.yaml", '"paid_to(p.friend) == p.debt"', f'"1 == 1", "{clause}"')))
    sitting.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor=5000)
    score = marked(sitting)
    [fault] = score.faults
    assert fault.startswith("C1: all: ")
    assert says in fault
    assert not score.checks["C1"]


def test_missing_evidence_is_the_agents_and_no_fault(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    """Whatever a clause says of a file that is not there: it fails, also where it says 'not'."""
    sitting = sit(
        small_debts_with(("checks.yaml", '"paid_to(p.friend) == p.debt"', "\"not (file('none.csv').lines == ['x'])\""))
    )
    sitting.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor=5000)
    sitting.wait_for_the_end()
    row = sitting.episode.evaluation()[0]
    assert (row["passed"], sitting.episode.faults) == (False, [])
    assert "there is no file none.csv" in row["reason"]


def test_a_broken_table_of_the_agents_is_no_fault(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.call("workspace.write_file", path="debts.csv", text='who,amount_minor\n"open\x00,,,,\n')
    sitting.wait_for_the_end()
    assert sitting.episode.score().faults == ()
    assert not sitting.episode.score().checks["C2"]


def test_a_happening_that_finds_nothing_and_says_not_what_then(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    sitting = sit(
        small_debts_with(
            ("timeline.yaml", "account_id: main, amount_minor: -1000", "account_id: none, amount_minor: -1000")
        )
    )
    score = marked(sitting)
    assert score.faults == (
        "event dearer: ExpressionError: banking.post_transaction found nothing and declares no if_none",
    )
    assert [turn.events for turn in sitting.episode.history.turns] == [("ask",), ("nudge",), ("thanks",)]


@pytest.mark.parametrize(("then", "taken"), [("skip", 0), (f"[{EFFECT}]", 1)])
def test_a_happening_that_finds_nothing_and_says_what_then(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any], then: str, taken: int
) -> None:
    effect = EFFECT.replace("main", "none").replace("}}", "}, if_none: " + then + "}")
    sitting = sit(small_debts_with(("timeline.yaml", EFFECT, effect)))
    sitting.wait()
    rows = sitting.call("banking.list_transactions", account_id="main")["transactions"]
    assert sum(row["counterparty"] == "Harbour" and row["amount_minor"] == -1000 for row in rows) == taken
    sitting.wait_for_the_end()
    assert sitting.episode.score().faults == ()
    assert len(sitting.episode.history.fired["dearer"].touched) == taken


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("amount_minor: -1000", "amount_minor: \"${1 / 0}\"", "division by zero"),
        ("amount_minor: -1000", "amount_minor: much", "amount_minor"),
        ("account_id: main", "account_id: \"${one(records('banking.payments')).none}\"", "event dearer"),
        ('text: "Harbour: your statement is ready."', 'text: "${p.none}"', "event nudge"),
        ("when: len([x for", "when: p.nothing_like_it and len([x for", "nothing_like_it"),
    ],
)  # fmt: skip
def test_an_event_that_does_not_work_out(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any], old: str, new: str, says: str
) -> None:
    sitting = sit(small_debts_with(("timeline.yaml", old, new)))
    score = marked(sitting)
    assert len(score.faults) == 1
    assert says in score.faults[0]


def test_a_text_that_is_one_number_is_told_as_text(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(make_task('  - {id: one, stage: S1, at: D+0 09:00, kind: user_message, text: "${p.number}"}\n'))
    assert sitting.first.text.endswith("[Mon 2026-03-02 09:00] 7")
    assert sitting.episode.faults == []


def test_a_task_that_opens_no_turn(make_task: Callable[..., Any], sit: Callable[..., Any]) -> None:
    sitting = sit(
        make_task("  - {id: one, stage: S1, at: D+0 09:00, kind: user_message, when: 1 == 2, text: Hello.}\n")
    )
    assert sitting.first.kind == "end"
    assert sitting.episode.over
    assert sitting.episode.score().faults == ("no entry of the timeline opened a turn",)
    assert sitting.episode.score().score is None


@pytest.mark.parametrize("error", [AttributeError, IndexError, ZeroDivisionError, RuntimeError, AssertionError])
def test_a_happening_that_raises(
    small_debts: Any, sit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def broken(self: Any, **given: Any) -> list[str]:
        raise error("broken")

    monkeypatch.setattr(Banking, "post_transaction", broken)
    score = marked(sit(small_debts))
    assert score.faults == (f"event dearer: {error.__name__}: broken",)


@pytest.mark.parametrize("turn", ["between", "during"])
def test_a_service_that_raises_when_its_time_has_come(
    small_debts_with: Callable[..., Any], sit: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, turn: str
) -> None:
    """The rent falls due at midnight between two turns, or while a turn goes on; what is due later happens still."""
    task = small_debts_with(*([("timeline.yaml", "at: D+1 09:00", "at: D+2 23:59:59")] if turn == "during" else []))
    verbs = {entry.verb for entry in task.scenario().world.agenda.entries() if entry.owner == "banking"}

    def broken(self: Any, **given: Any) -> None:
        raise RuntimeError("the vault is stuck")

    for verb in verbs:
        monkeypatch.setattr(Banking, verb, broken)
    sitting = sit(task)
    sitting.wait()
    if turn == "during":
        assert sitting.episode.faults == []
        for _ in range(3):
            assert sitting.send({"tool": "workspace.list_files"}).kind == "result"
        assert sitting.time == "03-05T00:00:02"
    score = marked(sitting)
    assert len(score.faults) == 1
    assert "the vault is stuck" in score.faults[0]
    assert len(sitting.episode.history.turns) == 3


def test_a_tool_that_raises_is_told_as_ours(
    small_debts: Any, sit: Callable[..., Any], break_tool: Callable[[str], None]
) -> None:
    break_tool("banking.list_accounts")
    sitting = sit(small_debts)
    step = sitting.send({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}})
    assert (step.kind, step.code) == ("error", "internal_error")
    assert "this is not your fault" in step.text
    assert "Broken" not in step.text
    assert "Traceback" not in step.text
    score = marked(sitting)
    [fault] = score.faults
    assert fault.startswith("banking.list_accounts: ")
    assert "the service is broken" in fault


def test_a_truncated_run_with_a_fault_has_no_score_either(
    small_debts: Any, sit: Callable[..., Any], break_tool: Callable[[str], None]
) -> None:
    break_tool("banking.list_accounts")
    sitting = sit(small_debts, max_steps=1)
    assert sitting.send({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}).truncated
    assert sitting.episode.score().score is None


def test_a_fork_has_its_own_faults(
    small_debts: Any, sit: Callable[..., Any], break_tool: Callable[[str], None]
) -> None:
    break_tool("banking.list_accounts")
    sitting = sit(small_debts)
    other = sitting.episode.fork()
    other.step({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}})
    assert (len(other.faults), sitting.episode.faults) == (1, [])
