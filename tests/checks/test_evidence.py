"""What checks can look at: each function of the evidence, through an episode of the small debts."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from lifegym.checks.expressions import Expression, ExpressionError, Missing
from lifegym.checks.functions import EVIDENCE
from lifegym.episode import Episode

PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}
READ = {"tool": "workspace.read_file", "arguments": {"path": "debts.csv"}}
REFUSED = {"tool": "workspace.read_file", "arguments": {"path": "none"}}
ALWAYS = {"id": "c", "tier": "final", "weight": 1.0, "axis": "safety", "what": "x", "all": ["1 == 1"]}


def write(path: str, text: str) -> dict[str, Any]:
    return {"tool": "workspace.write_file", "arguments": {"path": path, "text": text}}


@pytest.fixture
def look(begin: Callable[..., Episode]) -> Callable[..., Any]:
    """The value of an expression after the first two turns of an episode, in the midst of the third."""
    episode = begin(ALWAYS)
    episode.begin()
    for action in (PAY, READ, REFUSED, write("note.txt", "a\n\n  b \n"),
    {"tool": "assistant.reply", "arguments": {"text": "Done."}},
                   READ, {"tool": "assistant.wait", "arguments": {}}, READ):  # fmt: skip
        episode.step(action)
    return lambda source: Expression(source).evaluate(episode.evidence().scope())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("p.friend", "Bo Berg"),
        ("t('D+1 09:30').iso", "2026-03-03T09:30:00+01:00"),
        ("today() == '2026-03-05'", True),
        ("now().iso", "2026-03-05T12:00:01+01:00"),
        ("stage('S2').start.iso", "2026-03-03T09:00:00+01:00"),
        ("stage('S1').end == stage('S2').start", True),
        ("stage('S3').end.iso", "2026-03-08T00:00:00+01:00"),
        ("event('ask').fired and event('ask').held", True),
        ("event('ask').at.iso", "2026-03-02T09:00:00+01:00"),
        ("len(event('dearer').touched)", 1),
        ("event('thanks').held", True),
        ("len(records('banking.payees'))", 2),
        ("one(records('banking.payees', payee_id='friend')).name", "Bo Berg"),
        ("records('banking.payees', payee_id='nobody')", []),
        ("one(records('banking.payees', name='Landlord', user_id='u_ann')).payee_id", "landlord"),
        ("[x.counterparty for x in diff('banking.transactions').added if x.amount_minor == -5000]", ["Bo Berg"]),
        ("diff('banking.transactions').removed", []),
        ("[x.account_id for x in diff('banking.accounts').changed]", ["main"]),
        ("diff('banking.payees').changed", []),
        ("read('banking.list_payees', user_id='u_ann').payees[0].name", "Bo Berg"),
        ("file('note.txt').lines", ["a", "b"]),
        ("file('note.txt').text", "a\n\n  b \n"),
        ("file('note.txt').written.date == '2026-03-02'", True),
        ("[r.amount_minor for r in file('debts.csv').rows]", [5000, 0]),
        ("has_file('note.txt') and not has_file('none')", True),
        ("labelled(['- Pens: 3', '* **Ink**: 4', 'plain'], 'pens')", "3"),
        ("labelled(['* **Ink**: 4'], 'Ink')", "4"),
        ("replies()", ["Done."]),
        ("replies(event='ask')", ["Done."]),
        ("replies(event='nudge')", []),
        ("replies(stage='S1')", ["Done."]),
        ("replies(stage='S2')", []),
        ("replies(since='nudge')", []),
        ("replies(until='D+1 00:00')", ["Done."]),
        ("turn('ask').ended_by", "reply"),
        ("turn('nudge').ended_by", "wait"),
        ("turn('ask').kind + turn('ask').stage + turn('ask').reply", "user_messageS1Done."),
        ("(turn('ask').closed - turn('ask').opened).seconds", 5.0),
        ("[x.stage for x in turns()]", ["S1", "S2"]),
        ("len(turns(stage='S2'))", 1),
        ("[c.ok for c in calls('workspace.read_file')]", [True, True, True]),
        ("[c.ok for c in calls('workspace.read_file', ok=False)]", [True, False, True, True]),
        ("len(calls('workspace.read_file', turn='ask'))", 1),
        ("len(calls('workspace.read_file', after='nudge'))", 2),
        ("len(calls('workspace.read_file', after=t('D+1'), before='D+2 00:00'))", 1),
        ("[c.tool for c in calls('workspace.*', turn='ask')]", ["workspace.read_file", "workspace.write_file"]),
        ("one(calls('banking.pay_payee', amount_minor=5000)).arguments.payee_id", "friend"),
        ("calls('banking.pay_payee', amount_minor=1)", []),
        ("calls('banking.pay_payee', colour='red')", []),
        ("len(calls('assistant.reply'))", 1),
        ("charges()", []),
    ],
)  # fmt: skip
def test_evidence(look: Callable[..., Any], source: str, expected: Any) -> None:
    assert look(source) == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("file('none').text", "there is no file none"),
        ("file('../etc/passwd')", "there is no file"),
        ("turn('thanks')", "the turn of thanks has not ended"),
        ("turn('dearer')", "the turn of dearer has not ended"),
        ("labelled(['a: 1'], 'b')", "0 lines are labelled 'b'"),
        ("read('banking.get_account', account_id='none')", "."),
    ],
)
def test_missing_evidence(look: Callable[..., Any], source: str, message: str) -> None:
    with pytest.raises((Missing, ExpressionError), match=message) as caught:
        look(source)
    assert "get_account" in source or caught.type is Missing


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("event('x')", "no event 'x'"),
        ("turn('x')", "no event 'x'"),
        ("replies(event='x')", "no event 'x'"),
        ("calls('a.b', turn='x')", "no event 'x'"),
        ("calls('a.b', after=5)", "5 is no instant"),
        ("stage('x')", "no stage 'x'"),
        ("t('tomorrow')", "is not a moment"),
        ("replies(since='soon')", "soon"),
        ("records('nowhere.x')", "this world has no nowhere"),
        ("records('banking.x')", "there are no records 'banking.x'; there are: .*banking.payees"),
        ("diff('banking.x')", "there are no records"),
        ("read('banking.nothing')", "nothing"),
        ("read('nowhere')", "nowhere"),
        ("read('workspace.write_file', path='x', text='y')", "no read tool"),
        ("file('note.txt').rows", "not declared under artifacts"),
        ("file('note.txt').size", "has no field 'size'"),
        ("file()", "TypeError"),
    ],
)
def test_defects_of_a_bundle_are_named(look: Callable[..., Any], source: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        look(source)


def test_a_read_leaves_no_trace(begin: Callable[..., Episode]) -> None:
    episode = begin(ALWAYS)
    episode.begin()
    before = episode.world.dump()
    Expression("[read('banking.list_accounts', user_id='u_ann'), read('workspace.list_files')]").evaluate(
        episode.evidence().scope()
    )
    assert episode.world.dump() == before
    assert episode.history.calls == []


def test_reads_and_long_logs_spend_from_the_budget(begin: Callable[..., Episode]) -> None:
    episode = begin(ALWAYS)
    episode.begin()
    with pytest.raises(ExpressionError, match="steps"):
        Expression("[read('banking.list_accounts', user_id='u_ann') for a in range(2000)]").evaluate(
            episode.evidence().scope()
        )
    with pytest.raises(ExpressionError, match="steps"):
        Expression("[records('banking.transactions', kind='x') for a in range(9000) for b in range(9)]").evaluate(
            episode.evidence().scope()
        )


def test_what_was_refused_is_not_what_was_done(look: Callable[..., Any]) -> None:
    assert look("calls('workspace.read_file', path='none')") == []
    assert len(look("calls('workspace.read_file', path='none', ok=False)")) == 1


def test_the_scope_has_every_documented_function(begin: Callable[..., Episode]) -> None:
    scope = begin(ALWAYS).evidence().scope()
    assert all(callable(scope[name]) for name in EVIDENCE)
    with pytest.raises(KeyError):
        scope["world"]


def test_evidence_is_of_its_moment(begin: Callable[..., Episode]) -> None:
    episode = begin(ALWAYS)
    episode.begin()
    moment = episode.fork().evidence()
    episode.step(write("later.txt", "x"))
    episode.step({"tool": "assistant.reply", "arguments": {"text": "x"}})
    assert Expression("has_file('later.txt') or len(replies()) > 0").evaluate(moment.scope()) is False
    assert moment.now() == dt.datetime.fromisoformat("2026-03-02T09:00:00+01:00")
