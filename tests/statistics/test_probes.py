"""How an agent behaves, by hand."""

from __future__ import annotations

import math

import pytest

from lifegym.statistics import Call, mean_probes, probe


def call(tool, turn=1, ok=True, write=False, text="{}", **arguments):
    return Call.of({"tool": tool, "arguments": arguments}, ok, write, text, turn)


END = call("assistant.wait", write=True)


def test_effort_and_diversity():
    calls = [call("a.x"), call("a.y"), END, call("a.x", 2, q=1), call("a.x", 2, q=2), call("assistant.wait", 2)]
    found = probe(calls)
    assert (found.steps, found.calls_per_turn) == (6, 2.0)
    assert found.tool_entropy == pytest.approx(-(0.75 * math.log2(0.75) + 0.25 * math.log2(0.25)))
    assert found.ended_by_agent
    assert not probe(calls[:-1]).ended_by_agent


def test_looping():
    calls = [call("a.x"), call("a.x"), call("a.x"), call("a.y"), call("a.x"), call("a.z"), END]
    found = probe(calls)
    assert found.longest_repeat == 3
    assert found.repeated_share == 3 / 6
    assert found.duplicate_share == 3 / 6  # a.x three more times than once
    assert probe([call("a.x", 1), call("a.x", 2)]).duplicate_share == 0.0  # in another turn it is a new look


def test_errors_and_recovery():
    calls = [
        call("a.x", ok=False, id="wrong"), call("a.y"), call("a.x", id="right"), call("a.z", ok=False),
        call("a.z", ok=False), END, call("a.z", 2),
    ]  # fmt: skip
    found = probe(calls)
    assert found.errors_per_call == 3 / 6
    assert found.recovered_share == 1 / 3  # the same call again, or one in another turn, is no changed retry


def test_writes_are_read_back_or_made_blindly():
    listing = '{"orders":[{"order_id":"o1"},{"order_id":"o2"}]}'
    calls = [
        call("shop.list", text=listing),
        call("shop.cancel", write=True, order_id="o1", text='{"order_id":"o1","status":"cancelled"}'),
        call("shop.cancel", write=True, order_id="o9", text='{"order_id":"o9"}'),
        call("shop.get", order_id="o1"),
        call("notes.add", write=True, text='{"id":"n1"}', note="x"),
    ]
    found = probe(calls)
    assert found.read_back_share == 1 / 3
    assert found.blind_write_share == 1 / 3  # o9 was never shown; a new note names nothing
    assert probe(calls[:1]).read_back_share is None


def test_what_is_refused_is_not_a_write():
    assert probe([call("shop.cancel", ok=False, write=True, order_id="o1")]).blind_write_share is None


@pytest.mark.parametrize(("reply", "claims"), [("All set, booked.", True), ("I could not do it.", False), ("", False)])
def test_claims_of_completion(reply, claims):
    assert probe([END], reply).claims_completion is claims


def test_nothing_at_all():
    found = probe([])
    assert (found.steps, found.calls_per_turn, found.tool_entropy, found.longest_repeat) == (0, None, 0.0, 0)


@pytest.mark.parametrize(
    "action", ["text", None, 7, {"tool": 3}, {"arguments": {1: float("nan")}}, [], {"tool": "a__x"}]
)
def test_whatever_was_sent_has_probes(action):
    assert probe([Call.of(action, False, False, "", 1)]).errors_per_call == 1.0


def test_means_leave_out_what_an_episode_does_not_tell():
    rows = [probe([call("a.x", ok=False)]).to_json(), probe([call("a.x")]).to_json()]
    found = mean_probes(rows)
    assert found["errors_per_call"] == 0.5
    assert found["recovered_share"] == 0.0
    assert found["read_back_share"] is None
    assert found["ended_by_agent"] == 0.0
