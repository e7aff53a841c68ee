"""Gates ``deterministic`` and ``faults``."""

from __future__ import annotations

import itertools

import pytest

from lifegym.episode import Episode
from lifegym.task_suite.verification.context import Context
from lifegym.task_suite.verification.determinism import deterministic, trace
from lifegym.task_suite.verification.faults import Otherwise, faults
from lifegym.task_suite.verification.playthrough import Playthrough

FEE = "{do: banking.post_transaction, with: {account_id: main, amount_minor: -1000, kind: fee, counterparty: Harbour}}"


@pytest.fixture
def faults_of(small_debts_with):
    def judged(new, *edits, seeds=1):
        return faults(Context(small_debts_with(("timeline.yaml", FEE, new), *edits), seeds=seeds))

    return judged


def test_replays_here_and_elsewhere_are_the_same(small_debts):
    report = deterministic(Context(small_debts))
    assert report.passed
    assert report.figures == {"forks": 3, "steps": 8, "replays": 2}


def test_the_other_process_imports_from_where_this_one_does(small_debts, tmp_path, monkeypatch):
    (tmp_path / "lifegym").mkdir()
    (tmp_path / "lifegym" / "__init__.py").write_text("raise ImportError('another copy')")
    monkeypatch.chdir(tmp_path)
    assert deterministic(Context(small_debts)).passed


def test_a_reward_that_drifts_is_found(small_debts, monkeypatch):
    context = Context(small_debts)
    assert context.reference.over
    step, count = Episode.step, itertools.count()

    def drifting(self, action):
        return step(self, action)._replace(reward=next(count) * 1e-9)

    monkeypatch.setattr(Episode, "step", drifting)
    found = deterministic(context).findings
    assert any("a replay in a world built anew" in finding.run and "step 1 " in finding.message for finding in found)
    assert any("another process" in finding.run for finding in found)


def test_a_fork_that_is_none_is_found(small_debts, monkeypatch):
    context = Context(small_debts)
    assert context.reference.over
    fork = Episode.fork

    def shallow(self):
        other = fork(self)
        other.world = other.world.fork()
        other.world.run_to(other.world.now + 86400)  # a fork that is a day ahead
        return other

    monkeypatch.setattr(Episode, "fork", shallow)
    assert any(finding.subject == "fork" for finding in deterministic(context).findings)


def test_a_trace_is_the_run(small_debts):
    play = Playthrough(small_debts, small_debts.scenario()).finish()
    actions = [action for _, action, _ in play.actions]
    first, second = trace(play.scenario, actions), trace(play.scenario, actions)
    assert first == second
    assert first.score == pytest.approx(100.0)
    assert len(first.steps) == len(actions) + 1
    assert sorted(first.passed) == ["C1", "C2", "C3", "C4", "C5", "C6"]
    other = trace(play.scenario, [{"tool": "assistant.wait", "arguments": {}}] * 3)
    assert other.world != first.world


def test_mutations_that_happen(small_debts):
    report = faults(Context(small_debts, seeds=1))
    assert report.passed
    assert report.figures["applied"] == {"idle": 1, "reference": 1, "other choices": 1}


def test_a_mutation_that_finds_nothing_and_does_not_say_what_then(faults_of):
    paid = "{do: change, with: {table: banking.payments, where: {payee_id: friend}, set: {currency: EUR}}}"
    found = faults_of(paid).findings
    assert any(
        f.subject == "dearer" and "declares no if_none" in f.message and f.run == "idle, canonical" for f in found
    )


def test_a_mutation_that_never_applies(faults_of):
    nobody = "{do: change, with: {table: banking.payees, where: {payee_id: nobody}, set: {name: X}}, if_none: skip}"
    (finding,) = faults_of(nobody).findings
    assert finding.subject == "dearer"
    assert "never applies" in finding.message


def test_a_mutation_of_what_only_the_reference_makes_takes_its_if_none(faults_of):
    change = "do: change, with: {table: banking.payments, where: {payee_id: friend}, set: {currency: EUR}}"
    paid = f"{{{change}, if_none: [{FEE}]}}"
    report = faults_of(paid)
    assert report.passed
    assert report.figures["applied"]["idle"] == 1
    skipped = faults_of(paid.replace(f"[{FEE}]", "skip"))
    assert skipped.figures["applied"]["idle"] == 0


def test_an_event_whose_text_does_not_work_out(faults_of):
    found = faults_of(
        FEE, ("timeline.yaml", 'text: "Harbour: your', "text: \"${one(records('banking.loans'))} Harbour: your")
    ).findings
    assert any(f.subject == "nudge" for f in found)


def test_other_choices_are_other_choices(small_debts):
    other = Otherwise(Playthrough(small_debts, small_debts.scenario(), strict=False))
    play = other.finish()
    assert other.chosen == {("banking.pay_payee", "friend"): "landlord"}
    assert play.over
    assert "C1" in play.failed()
