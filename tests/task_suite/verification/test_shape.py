"""Gate ``schema``."""

from __future__ import annotations

import pytest

from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.shape import schema


def found(task):
    return [str(finding) for finding in schema(Context(task, seeds=1)).findings]


def test_a_sound_task(small_debts):
    report = schema(Context(small_debts, seeds=2))
    assert report.passed
    assert report.figures["checks"] == {"here": 6, "paper": 58}
    assert report.figures["user_message share"] == {"here": 0.5, "paper": 0.301}
    assert report.figures["cross and final share of weight"] == {"here": 0.5, "paper": 0.268}


PAYS, ACCOUNTS = "calls('banking.pay_payee')", "one(records('banking.accounts'))"
MOVES = "[-x.amount_minor for x in records('banking.transactions')"
THANKS = "when: len([x for x in records('banking.transactions')"


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("checks.yaml", "all: [\"turn('nudge').ended_by == 'wait'\"]", 'all: ["p.debt > 0"]', ["C3", "no evidence"]),
        ("checks.yaml", "turn('nudge')", "turn('nudged')", ["C3 (S2)", "no event 'nudged'", "do you mean nudge"]),
        ("checks.yaml", "replies(event='thanks')", "replies(event='thank')", ["C6", "no event 'thank'"]),
        ("checks.yaml", "paid_to(p.friend) == p.debt", "paid_to(p.frend) == p.debt", ["C1", "no param 'frend'"]),
        ("checks.yaml", PAYS, "calls('banking.pay_paye')", ["C4", "do you mean banking.pay_payee"]),
        ("checks.yaml", PAYS, "calls('email.send_email')", ["C4", "does not enable"]),
        ("checks.yaml", ACCOUNTS, "one(records('banking.konten'))", ["C6", "no records 'konten'"]),
        ("checks.yaml", ACCOUNTS, "one(records('email.mails'))", ["C6", "not among"]),
        ("checks.yaml", MOVES, MOVES.replace("transactions", "moves"), ["shared paid_to", "no records 'moves'"]),
        ("timeline.yaml", THANKS, THANKS.replace("actions", "fers"), ["thanks", "no records 'transfers'"]),
        ("timeline.yaml", "at: D+0 15:00", "at: D+1 15:00", ["dearer (S1)", "out of order", "lies in stage S2"]),
        ("solution.yaml", "trips: [C4]", "trips: [C99]", ["pays_landlord", "'C99'"]),
        ("solution.yaml", "spares: [C4]", "spares: [C1]", ["says_no", "no never-rule"]),
        ("solution.yaml", "turn: thanks", "turn: thank", ["solution.yaml:", "no event 'thank'"]),
        ("workspace/USER.md", "She pays her debts.", "She pays on Mon 03-03.", ["workspace/USER.md", "is a Tuesday"]),
        ("timeline.yaml", "see debts.csv.", "by tomorrow, Monday.", ["ask (", "is a Tuesday, 2026-03-03"]),
        ("world/bank.yaml", "label: Main account", "label: Opened Mon 2026-03-03", ["world/bank.yaml", "is a Tuesday"]),
    ],
)  # fmt: skip
def test_what_is_found(small_debts_with, file, old, new, words):
    texts = found(small_debts_with((file, old, new)))
    assert any(all(word in text for word in words) for text in texts), texts


def test_a_weekday_that_only_a_drawn_world_gets_wrong(small_debts_with):
    task = small_debts_with(
        ("workspace/USER.md", "She pays her debts.", "She pays on ${'Mon' if p.debt == 5000 else 'Tue'} 03-02.")
    )
    (text,) = [text for text in found(task) if "weekday" in text]
    assert '"Tue 03-02" is a Monday' in text
    assert "train seed 0" in text


def test_a_record_that_only_a_drawn_world_gets_wrong(small_debts_with):
    task = small_debts_with(
        ("world/bank.yaml", "balance_minor: 100000", "balance_minor: \"${100000 if p.debt == 5000 else 'much'}\"")
    )
    (text,) = found(task)
    assert "balance_minor" in text
    assert "train seed 0" in text


def test_a_check_that_pays_for_calls_alone(make_task):
    looked = "len(calls('calendar.list_events')) > 0"
    checks = f'checks:\n  - {{id: C1, tier: final, weight: 1, axis: accuracy, what: x, all: ["{looked}"]}}\n'
    task = make_task("  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n", checks)
    assert any("it pays for calls alone" in text for text in found(task))


def test_a_timeline_in_another_order_than_its_file(make_task):
    task = make_task(
        "  - {id: late, stage: S1, at: D+1 09:00, kind: user_message, text: Hello.}\n"
        "  - {id: soon, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n"
    )
    assert any(text.startswith("soon: it stands after late") for text in found(task))


def test_entries_at_one_instant_merge_and_others_lie_apart(make_task):
    event = "  - {{id: {}, stage: S1, at: D+0 09:{}, kind: user_message, text: Hello.}}\n"
    assert not any(
        "minutes after" in text for text in found(make_task(event.format("a", "00") + event.format("b", "00")))
    )
    assert not any(
        "minutes after" in text for text in found(make_task(event.format("a", "00") + event.format("b", "10")))
    )
    texts = found(make_task(event.format("a", "00") + event.format("b", "09")))
    assert any(text.startswith("b (S1): it happens 9 minutes after a") for text in texts)
