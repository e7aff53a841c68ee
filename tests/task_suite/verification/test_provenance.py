"""What a solution may write down: only what was shown before, and nothing that a variant draws otherwise."""

from __future__ import annotations

import pytest

from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.provenance import provenance
from lifegym.task_suite.verification.sightings import Sightings, tokens

LOOK = "      - {id: look_first, do: banking.list_accounts, with: {user_id: u_ann}, as: own}\n"
PAYS = "with: {account_id: main,"


@pytest.fixture
def judged(small_debts_with):
    """The findings of the gate for the small task, its account looked up first, with further edits of its solution."""

    def judge(*edits):
        start = ("solution.yaml", "      - {id: list,", f"{LOOK}      - {{id: list,")
        task = small_debts_with(start, *(("solution.yaml", old, new) for old, new in edits))
        return [str(finding) for finding in provenance(Context(task, seeds=1)).findings]

    return judge


def test_the_small_solution_guesses_its_account(small_debts):
    (finding,) = provenance(Context(small_debts)).findings
    assert finding.subject == "ask/pay"
    assert "'main' (as account_id) was not seen" in finding.message


def test_a_value_that_was_looked_up_may_be_written_down(judged):
    assert judged() == []


@pytest.mark.parametrize(
    ("old", "new", "subject", "words"),
    [
        ('amount_minor: "${seen.owed}"', "amount_minor: 5000", "ask/pay", ["'5000'", "param debt"]),
        ('"Paid ${seen.who}."', '"Paid Bo Berg."', "ask/end", ["param friend"]),
        ('"Paid ${seen.who}."', '"Paid, see voucher KX-4471."', "ask/end", ["KX-4471", "was not seen"]),
        ('"Paid ${seen.who}."', '"Paid; ask them on 2026-03-09."', "ask/end", ["2026-03-09"]),
        ('"Paid ${seen.who}."', '"Paid; write to help@harbour.example."', "ask/end", ["help@harbour.example"]),
        ("x.name == seen.who", "x.name in [seen.who, 'Freund']", "ask/pay", ["'Freund'", "was not seen"]),
    ],
)
def test_what_cannot_be_known(judged, old, new, subject, words):
    found = [text for text in judged((old, new)) if text.startswith(subject)]
    assert any(all(word in text for word in words) for text in found), found


def test_a_run_that_breaks_off_is_said_to(judged):
    (text,) = judged(("path: debts.csv, old", "path: loans.csv, old"))
    assert "cannot be followed to its end: ask/mark" in text
    assert "loans.csv" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"Paid ${seen.who}."', '"It is done. I have paid what you owe, and nothing else."'),
        ('"Paid ${seen.who}."', '"Paid ${seen.owed} of account ${first(seen.own.accounts).account_id}."'),
        ('"Paid ${seen.who}."', "\"Paid as ${'debts.csv'} says.\""),
        ("x.name == seen.who", "x.name == seen.who and x.payee_id != 'landlord'"),
    ],
)
def test_what_may_be_said(judged, old, new):
    assert judged((old, new)) == []


def test_a_param_is_no_name_of_the_solution(judged):
    (text,) = judged(('"Paid ${seen.who}."', '"Paid ${p.friend}."'))
    assert "solution.yaml:" in text
    assert "'p'" in text
    assert "the solution knows no params" in text


def test_sightings_know_other_forms():
    sightings = Sightings(["banking"])
    sightings.add('{"text": "by half past ten\\non 05-11, 1,240.50 EUR or 5000", "id": "tx_77"}')
    for seen in ("10:30", "2026-05-11", "1240.50", "5,000", "tx_77"):
        assert sightings.seen_token(seen), seen
    for unseen in ("10:45", "2026-05-12", "240", "500", "77"):
        assert not sightings.seen_token(unseen), unseen
    assert sightings.seen("Half past ten")
    assert sightings.seen("ten 5000 past")  # words in another order
    assert not sightings.seen("half past twelve")
    assert sightings.seen("account_id")  # the tools' parameters are public


def test_tokens_of_prose():
    text = "Call 112, or write to a.b@c.example by 2026-05-11 18:00; booking PX41QD, https://x.example/a?b=1."
    assert list(tokens(text)) == ["112", "a.b@c.example", "2026-05-11", "18:00", "PX41QD", "https://x.example/a?b=1"]
