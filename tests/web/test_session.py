"""A session is an episode like any other, and its record a run like any other."""

from __future__ import annotations

import pytest

from lifegym.baselines import EpisodeInfo, make_agent
from lifegym.reports.world.parts import Item
from lifegym.rollouts import Key, RunError, RunFolder
from lifegym.rollouts.rescoring import replay
from lifegym.task_suite import load_task
from lifegym.web.session import UNFINISHED, Session

from .conftest import SMALL_DEBTS


@pytest.fixture
def begin(tmp_path):
    """Sessions in the same run folder; each is closed by the next, as a process that ends is."""
    last: list[Session] = []

    def start(**options) -> Session:
        if last:
            last.pop().close()
        last.append(Session(load_task(SMALL_DEBTS), out=tmp_path / "run", **options))
        return last[0]

    yield start
    for session in last:
        session.close()


def play(session: Session, steps: int = 10_000) -> None:
    """Let the reference play the next steps."""
    agent = make_agent("reference")
    task = session.task
    agent.reset(EpisodeInfo(task.id, task.source, "canonical", 0, task.services))
    while not session.over and steps:
        action = agent.act(session.seen)
        session.act(action["tool"], action["arguments"])
        steps -= 1


def test_a_whole_session_is_recorded_like_any_run(begin, tmp_path):
    session = begin()
    play(session)
    assert session.row is not None
    session.close()
    folder = RunFolder.read(tmp_path / "run")
    assert folder.agent == "human"
    (row,) = folder.rows()
    assert (row["score"], row["error"], row["run"]) == (100.0, None, 0)
    recorded = folder.trajectory(Key("small-debts", "canonical", 0, 0))
    episode, divergence = replay(recorded)
    assert divergence is None
    assert episode.score().score == 100.0
    assert not list((tmp_path / "run" / UNFINISHED).iterdir())


def test_an_unfinished_session_goes_on_where_it_was_left(begin):
    first = begin()
    play(first, 3)
    first.look("banking")
    seen, world, steps = first.seen, first.world.dump(), first.steps
    second = begin()
    assert second.resumed == steps > 3
    assert (second.seen, second.world.dump()) == (seen, world)
    second.act("assistant.wait", {})
    assert begin().resumed == steps + 1


def test_a_call_is_kept_before_its_outcome_is_shown(begin, monkeypatch):
    session = begin()
    monkeypatch.setattr(session._calls, "append", lambda action: (_ for _ in ()).throw(OSError(28, "no space")))
    with pytest.raises(OSError, match="no space"):
        session.act("assistant.wait", {})
    assert session.steps == 0


def test_a_second_session_is_a_second_run(begin):
    play(begin())
    session = begin()
    assert session.resumed == 0
    play(session)
    session.close()
    assert [row["run"] for row in RunFolder.read(session.out).rows()] == [0, 1]


def test_a_session_that_did_nothing_leaves_nothing(begin, tmp_path):
    begin().close()
    assert not list((tmp_path / "run" / UNFINISHED).iterdir())


def test_what_does_not_fit_is_refused(begin, tmp_path):
    session = begin()
    session.act("assistant.wait", {})
    with pytest.raises(RunError, match="another process"):
        Session(load_task(SMALL_DEBTS), out=tmp_path / "run")
    session.close()
    with pytest.raises(RunError, match="variant"):
        Session(load_task(SMALL_DEBTS), "train", 1, tmp_path / "run")
    (file,) = (tmp_path / "run" / UNFINISHED).iterdir()
    text = file.read_text()
    file.write_text(text.replace(load_task(SMALL_DEBTS).bundle.content_hash, "0" * 64))
    with pytest.raises(RunError, match="has changed"):
        Session(load_task(SMALL_DEBTS), out=tmp_path / "run")
    file.write_text("nothing\n")
    with pytest.raises(RunError, match="not a line of JSON"):
        Session(load_task(SMALL_DEBTS), out=tmp_path / "run")
    file.write_text(f'{text}{{"do": 1}}\n')
    with pytest.raises(RunError, match="is no call"):
        Session(load_task(SMALL_DEBTS), out=tmp_path / "run")
    file.write_text(text)
    Session(load_task(SMALL_DEBTS), out=tmp_path / "run").close()


def test_what_a_page_shows_is_what_its_calls_gave(begin):
    session = begin()
    looked = session.look("banking")
    assert [done.tool for done in session.done] == [
        "banking.list_accounts", "banking.list_pending_payments", "banking.list_recurring", "banking.list_payees",
    ]  # fmt: skip
    assert looked == session.looked("banking")
    account = session.look("banking", Item("banking", "account", "main"))
    assert session.looked("banking", "account", "main") == account
    assert [done.tool for done in session.done[4:]] == ["banking.get_account", "banking.list_transactions"]
    session.act("banking.pay_payee", {"account_id": "main", "payee_id": "friend", "amount_minor": 5000})
    assert session.version > looked.version
    with pytest.raises(KeyError):
        session.look("banking", Item("banking", "nothing", "x"))


@pytest.mark.parametrize(
    "name", ["japan-trip", "option-window", "piano-counterclaim", "winnipeg-placement-kit", "bergen-notice-clock",
             "utrecht-cargo-bike", "osaka-heart-walks"]
)  # fmt: skip
def test_opening_the_pages_of_a_task_takes_few_calls_and_none_is_refused(name):
    session = Session(load_task(name))
    for service in [*session.world.services, "workspace"]:
        before = session.steps
        looked = session.look(service)
        assert session.steps - before <= 8, service
        for item in _items(looked.parts)[:3]:
            session.look(service, item)
    refused = [(done.tool, done.step.text) for done in session.done if done.step.kind == "error"]
    assert refused == []


def _items(parts) -> list[Item]:
    found = []
    for part in parts:
        for holder in getattr(part, "rows", ()) or getattr(part, "cards", ()):
            item = getattr(holder, "item", None)
            found += [item] if item else []
        for thread in getattr(part, "threads", ()):
            found += thread.items
    return found
