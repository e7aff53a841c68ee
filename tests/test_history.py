"""The record of an episode: turns, calls and events, and forks of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest


def test_a_call_is_kept_as_it_was_validated(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    arguments = {"account_id": "main", "payee_id": "friend", "amount_minor": 50.0}
    sitting.send({"tool": "banking__pay_payee", "arguments": arguments})
    arguments["amount_minor"] = 1
    sitting.reply("Done.")
    pay, reply = sitting.episode.history.calls
    assert (pay.turn, pay.tool, pay.ok, pay.code, pay.write) == (0, "banking.pay_payee", True, "", True)
    assert pay.arguments["amount_minor"] == 50
    assert type(pay.arguments["amount_minor"]) is int
    with pytest.raises(TypeError):
        pay.arguments["amount_minor"] = 1
    assert (reply.tool, reply.arguments["text"], reply.time) == ("assistant.reply", "Done.", pay.time + 1)


def test_calls_are_found_by_their_tool(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.call("workspace.list_files")
    sitting.call("workspace.write_file", path="a.txt", text="x")
    sitting.call("workspace.list_files")
    fork = sitting.episode.history.fork()
    sitting.call("workspace.list_files")
    sitting.wait()
    for history, looks in ((sitting.episode.history, 3), (fork, 2), (pickle.loads(pickle.dumps(fork)), 2)):
        assert len(history.by_tool["workspace.list_files"]) == looks
        assert {tool: [c for c in history.calls if c.tool == tool] for tool in history.by_tool} == {
            tool: list(calls) for tool, calls in history.by_tool.items()
        }
        assert sum(map(len, history.by_tool.values())) == len(history.calls)


def test_a_turn_is_open_until_it_is_closed(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    [turn] = sitting.episode.history.turns
    assert (turn.closed, turn.ended_by, turn.reply) == (-1, "", "")
    sitting.call("workspace.list_files")
    sitting.reply("Good morning.")
    first, second = sitting.episode.history.turns
    assert (first.number, first.events, first.stage, first.ended_by) == (0, ("ask",), "S1", "reply")
    assert (first.reply, first.closed, first.first_call) == ("Good morning.", first.opened + 2, 0)
    assert (second.number, second.stage, second.first_call, second.closed) == (1, "S2", 2, -1)
    sitting.wait()
    assert (sitting.episode.history.turns[1].ended_by, sitting.episode.history.turns[1].reply) == ("wait", "")


def test_events_are_kept_with_what_they_found_and_touched(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    assert list(sitting.episode.history.fired) == ["ask"]
    sitting.wait_for_the_end()
    fired = sitting.episode.history.fired
    assert list(fired) == ["ask", "dearer", "nudge", "thanks"]
    [fee] = fired["dearer"].touched
    assert sitting.episode.world.table("banking.transactions").find(fee)["counterparty"] == "Harbour"
    assert (fired["thanks"].held, fired["ask"].held, fired["ask"].touched) == (False, True, ())
    assert sitting.episode.history.turns[-1].text.endswith("Bo Berg says nothing came.")


def test_a_fork_shares_nothing_that_grows(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    history = sitting.episode.history
    other = history.fork()
    sitting.wait()
    assert (len(history.calls), len(history.turns), len(history.fired)) == (1, 2, 3)
    assert (len(other.calls), len(other.turns), len(other.fired)) == (0, 1, 1)
    other.calls.append(history.calls[0])
    assert len(history.calls) == 1
    assert other.turns[0].ended_by == "", "the turn that was closed afterwards is open in the fork"


def test_it_pickles(small_debts: Any, sit: Callable[..., Any]) -> None:
    sitting = sit(small_debts)
    sitting.wait()
    history = sitting.episode.history
    copy = pickle.loads(pickle.dumps(history))
    assert (copy.calls, copy.turns, copy.fired) == (history.calls, history.turns, history.fired)
