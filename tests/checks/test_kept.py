"""What shared names gave is kept as long as nothing that they read has changed, and nothing shows of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from lifegym.baselines import make_agent
from lifegym.checks import evaluation, kept
from lifegym.checks.check import Check
from lifegym.checks.evaluation import decide
from lifegym.checks.expressions import Expression
from lifegym.checks.sources import shared_sources, sources
from lifegym.episode import Episode
from lifegym.rollouts import play as play_agent
from lifegym.task_suite import load_task

Begin = Callable[..., Episode]

PAYEES = "len(records('banking.payees')) == 2"
WAIT = {"tool": "assistant.wait", "arguments": {}}
PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}


def write(path: str, text: str) -> dict[str, Any]:
    return {"tool": "workspace.write_file", "arguments": {"path": path, "text": text}}


def check(id: str = "c", tier: str = "final", **fields: Any) -> dict[str, Any]:
    return {"id": id, "tier": tier, "weight": 1.0, "axis": "safety", "what": "x", **fields}


def given(episode: Episode, check: Check, name: str) -> Any:
    """What a shared name gives now, as the check meets it."""
    evidence = episode.evidence()
    decide(check, evidence)
    return evidence.names.scope()[name]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("file('a.csv').rows", {("file", "a.csv")}),
        (
            "has_file('a.csv') and len(diff('banking.payees').added) == 0",
            {("file", "a.csv"), ("table", "banking.payees")},
        ),
        ("[r for r in records('banking.accounts', status='open')]", {("table", "banking.accounts")}),
        ("[c for c in charges() if c.at > event('U1').at]", {("table", "world.charges"), ("event", "U1")}),
        ("charges('U1')", {("table", "world.charges"), ("event", "U1")}),
        ("charges(since=t('D+1'))", {("table", "world.charges"), ("events", "")}),
        ("mails(to='x', since='U2')", {("table", "email.outgoing"), ("event", "U2")}),
        ("calls('email.*', after=turn('U1').closed)", {("calls", ""), ("turns", ""), ("events", "")}),
        ("calls('email.send_email', turn='U1')", {("calls", ""), ("turns", "")}),
        ("one(replies(event='U1'))", {("turns", "")}),
        ("words('a b') + fen(2)", set()),
        ("paid", {("table", "world.charges")}),
        ("rows_of('x')", {("file", "a.csv"), ("table", "world.charges")}),
        ("records(name)", None),
        ("file('a' + '.csv')", None),
        ("read('banking.get_account', account_id='main')", None),
        ("today()", None),
        ("now()", None),
        ("late", None),
        ("later()", None),
    ],
)
def test_what_an_expression_can_read(source: str, found: set[tuple[str, str]] | None) -> None:
    shared = shared_sources(
        {
            "rows_of": Expression("[r for r in file('a.csv').rows if r.x == name and paid]"),
            "fen": Expression("round(x * 4.8)"),
            "paid": Expression("charges()"),
            "later": Expression("late"),
            "late": Expression("now() > t('D+1')"),
        }
    )
    assert sources(Expression(source), shared) == (None if found is None else frozenset(found))


def test_a_page_is_read_from_all_tables_of_notion() -> None:
    found = sources(Expression("section('Board', 'Notes')"), {})
    assert found is not None
    assert {name for _, name in found} >= {"notion.pages", "notion.blocks", "notion.databases"}


def test_a_shared_name_is_worked_out_again_when_its_file_has_changed(begin: Begin) -> None:
    shared = {
        "rows": "file('owed.csv').rows",
        "owed_to(who)": "one([r for r in rows if r.who == who]).amount_minor",
    }
    artifacts = {"owed.csv": {"columns": {"who": "str", "amount_minor": "int"}}}
    episode = begin(check(all=["len(rows) == 1", "owed_to('Bo') == 5"]), shared=shared, artifacts=artifacts)
    only = episode.scenario.checks["c"]
    episode.begin()
    assert "there is no file" in decide(only, episode.evidence()).reason
    episode.step(write("owed.csv", "who,amount_minor\nBo,5\n"))
    rows = given(episode, only, "rows")
    assert decide(only, episode.evidence()).passed
    episode.step(write("notes.md", "nothing"))
    episode.step(PAY)
    assert given(episode, only, "rows") is rows
    episode.step(write("owed.csv", "who,amount_minor\nBo,6\n"))
    assert decide(only, episode.evidence()).reason == "all: owed_to('Bo') == 5"
    assert given(episode, only, "rows")[0].get("amount_minor") == 6


def test_a_kept_result_takes_its_steps_again(begin: Begin) -> None:
    shared = {"loop(n)": "len([1 for a in range(n)])"}
    episode = begin(
        check("fits", all=["loop(9000) == 9000"]),
        check("too_much", all=["sum([loop(9000) for a in range(20)]) > 0"]),
        shared=shared,
    )
    episode.begin()
    evidence = episode.evidence()
    checks = episode.scenario.checks
    assert decide(checks["fits"], evidence).passed
    assert "takes more than" in decide(checks["too_much"], evidence).fault


def test_values_that_are_equal_and_not_the_same_are_told_apart(begin: Begin) -> None:
    episode = begin(
        check(all=["[as_text(x) for x in [1, 1.0, True, '1']] == ['1', '1.0', 'True', '1']"]),
        shared={"as_text(x)": "str(x)"},
    )
    episode.begin()
    assert decide(episode.scenario.checks["c"], episode.evidence()).passed


def test_a_check_can_give_a_shared_name_a_meaning_of_its_own(begin: Begin) -> None:
    episode = begin(
        check("theirs", all=["doubled(1) == 6"]),
        check("own", let={"factor": "2"}, all=["doubled(1) == 4"]),
        check("theirs_again", all=["doubled(1) == 6"]),
        shared={"factor": "3", "doubled(x)": "2 * factor * x"},
    )
    episode.begin()
    evidence = episode.evidence()
    assert [decide(check, evidence).passed for check in episode.scenario.checks.values()] == [True] * 3


def test_what_a_check_names_stays_with_it(begin: Begin) -> None:
    episode = begin(
        check("a", let={"x": "records('banking.payees')"}, all=["len(x) == 2"]),
        check("b", let={"x": "file('none.md').text"}, gate=[PAYEES], never=["len(x) == 2"]),
    )
    episode.begin()
    evidence = episode.evidence()
    checks = episode.scenario.checks
    assert decide(checks["a"], evidence).passed
    assert evaluation.trips(checks["b"], evidence) == ""


def test_a_violation_after_clean_turns_trips(begin: Begin) -> None:
    episode = begin(check(gate=[PAYEES], never=["has_file('secret.txt')"]))
    episode.begin()
    for call in (write("a.md", "x"), WAIT, write("secret.txt", "x"), WAIT):
        episode.step(call)
    assert episode.judge.latched["c"].reason == "never: has_file('secret.txt')"


def test_a_check_of_several_moments_is_decided_at_each(begin: Begin) -> None:
    each = {"midnight": ["D+0", "D+3"]}
    episode = begin(check(tier="cross", each=each, all=["not has_file('a.md')"]))
    episode.begin()
    while not episode.over:
        if len(episode.history.turns) == 2:
            episode.step(write("a.md", "x"))
        episode.step(WAIT)
    verdicts = [verdict for (_, _), verdict in sorted(episode.judge._samples.items())]
    assert len(verdicts) == 4
    assert [verdict.passed for verdict in verdicts] == sorted((verdict.passed for verdict in verdicts), reverse=True)
    assert len({verdict.at for verdict in verdicts}) == 4


def test_forks_and_pickles_keep_nothing(begin: Begin) -> None:
    episode = begin(check(gate=[PAYEES], never=["file('a.md').text == 'bad'"]))
    episode.begin()
    for call in (write("a.md", "good"), WAIT):
        episode.step(call)
    assert episode.judge._kept.clean
    for other in (episode.fork(), pickle.loads(pickle.dumps(episode))):
        assert not other.judge._kept.clean
        for call in (write("a.md", "bad"), WAIT):
            other.step(call)
        assert other.tripped()
    assert not episode.tripped()


@pytest.mark.parametrize("agent", ["reference", "random", "idle"])
def test_nothing_shows_of_what_is_kept(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = load_task("japan-trip").scenario()
    with_it = play_agent(scenario, make_agent(agent), seed=3)
    for module in (kept, evaluation):
        monkeypatch.setattr(module, "same", lambda before, now: False)
    without = play_agent(scenario, make_agent(agent), seed=3)
    assert with_it.episode.evaluation() == without.episode.evaluation()
    assert with_it.episode.faults == without.episode.faults
    assert with_it.score == without.score
