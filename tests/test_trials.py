"""Calls that are only tried come out as on a fork, and leave nothing behind."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from lifegym.envs import LifeEnv
from lifegym.episode import Episode
from lifegym.trials import Trials
from lifegym.wrappers import CandidateActions
from lifegym.wrappers.guide import call_key

MALFORMED: list[dict[str, Any]] = [
    {"tool": "email.no_such_tool", "arguments": {}},
    {"tool": "email.read_email", "arguments": {"email_id": 5}},
    {"tool": "email.read_email", "arguments": {"email_id": "no such mail"}},
    {"tool": "assistant.reply", "arguments": {"words": "no text"}},
]
ENDS: list[dict[str, Any]] = [
    {"tool": "assistant.wait", "arguments": {}},
    {"tool": "assistant.reply", "arguments": {"text": "Done."}},
]


def tried(trials: Trials, episode: Episode, action: dict[str, Any]) -> bool:
    return trials.accepts(episode, action, call_key(action))


def on_a_fork(episode: Episode, action: dict[str, Any]) -> bool:
    return episode.fork().step(action).kind != "error"


@pytest.mark.parametrize("task", ["japan-trip", "tacloban-storm-sitting"])
def test_a_trial_says_what_a_fork_says_and_changes_nothing(task: str) -> None:
    """Calls of the whole reference, tried on the way: too early, in time, and once more."""
    env = CandidateActions(LifeEnv(task))
    env.reset(seed=2)
    calls, over = [], False
    while not over:
        calls.append(env.planned(env.right).action)
        _, _, terminated, truncated, _ = env.step(env.right)
        over = terminated or truncated
    env.reset(seed=2)
    episode, trials = env.unwrapped.episode, Trials()  # type: ignore[attr-defined]
    found = set()
    for step in range(60):
        before = episode.world.dump()
        for action in [*MALFORMED, *ENDS, *calls[step % 9 :: 9]]:
            accepted = tried(trials, episode, action)
            assert accepted == on_a_fork(episode, action), action
            found.add((accepted, action["tool"]))
        assert episode.world.dump() == before
        env.step(env.right)
    assert len({tool for accepted, tool in found if accepted}) >= 10
    refused = {tool for accepted, tool in found if not accepted} - {call["tool"] for call in MALFORMED}
    assert len(refused) >= 3


def test_at_the_cap_only_ends_are_accepted() -> None:
    env = LifeEnv("japan-trip", max_calls_per_turn=1)
    env.reset(seed=0)
    read = {"tool": "workspace.read_file", "arguments": {"path": "USER.md"}}
    trials = Trials()
    assert tried(trials, env.episode, read)
    env.step(read)
    assert not tried(trials, env.episode, read)
    assert all(tried(trials, env.episode, end) for end in ENDS)


def test_what_is_due_before_the_call_has_happened_by_then(
    make_task: Callable[..., Any], sit: Callable[..., Any]
) -> None:
    push = "{do: notification_hub.push, with: {source: x, type: y, title: z, body: b}}"
    sitting = sit(
        make_task(
            "  - {id: one, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n"
            f"  - {{id: two, stage: S1, at: D+0 09:00:02, kind: mutation, effects: [{push}]}}\n"
        )
    )
    episode, trials = sitting.episode, Trials()
    pushed = episode.ahead(episode.world.now + 2).world.table("notification_hub.notifications").rows()
    read = {
        "tool": "notification_hub.get_notification",
        "arguments": {"notification_id": next(iter(pushed))["notification_id"]},
    }
    assert not tried(trials, episode, read)
    sitting.call("notification_hub.list_notifications", user_id="u_ann")
    assert tried(trials, episode, read)
    assert len(episode.world.table("notification_hub.notifications")) == 0
    assert sitting.call(read["tool"], **read["arguments"])["title"] == "z"


def test_a_table_that_a_trial_made_is_gone_after_it() -> None:
    env = LifeEnv("japan-trip")
    env.reset(seed=0)
    spare = env.episode.world.fork()
    for _ in range(2):
        spare.take_on(env.episode.world)
        spare.table("of.a.trial").put({"id": 1})
        assert len(spare.table("of.a.trial")) == 1
    assert env.episode.world.store.version("of.a.trial") is None


def test_trials_pickle_without_their_world() -> None:
    env = LifeEnv("japan-trip")
    env.reset(seed=0)
    trials = Trials()
    assert tried(trials, env.episode, {"tool": "workspace.list_files"})
    written = pickle.dumps(trials)
    assert len(written) < 100
    assert tried(pickle.loads(written), env.episode, {"tool": "workspace.list_files"})
