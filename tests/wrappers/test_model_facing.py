"""Texts in, chats out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifegym.envs import LifeEnv
from lifegym.wrappers import ChatObservation, TextActions

from .conftest import LOOK, PAY, SMALL_DEBTS, WAIT

# -- text actions ----------------------------------------------------------------------------------------------------


def test_several_calls_of_one_message_up_to_the_end_of_the_turn(small: LifeEnv) -> None:
    env = TextActions(small)
    env.reset()
    seen, _, _, _, info = env.step(json.dumps([LOOK, PAY, WAIT, LOOK]))
    results = list(info["calls"])
    assert [result.call.action["tool"] for result in results] == [
        "banking.get_account", "banking.pay_payee", "assistant.wait", "banking.get_account",
    ]  # fmt: skip
    assert [result.observation and result.observation["kind"] for result in results] == [
        "result", "result", "notification", None,
    ]  # fmt: skip
    assert seen["kind"] == "notification"
    assert seen["text"].startswith('banking.get_account: {"account_id":"main"')
    assert seen["text"].endswith("banking.get_account: not carried out: the turn had ended")


def test_rewards_of_the_calls_add_up(small: LifeEnv) -> None:
    plain = LifeEnv(SMALL_DEBTS)
    plain.reset()
    wanted = sum(plain.step(action)[1] for action in (PAY, WAIT))
    env = TextActions(small)
    env.reset()
    assert env.step(json.dumps([PAY, WAIT]))[1] == wanted > 0


@pytest.mark.parametrize(
    ("output", "code", "told"),
    [
        ('<tool_call>{"tool"</tool_call>', "unreadable", "Write one call as"),
        ("", "unreadable", "this is empty"),
        (json.dumps([LOOK] * 4), "too_many_calls", "at most 3 calls, not 4; none was carried out"),
    ],
)
def test_what_cannot_be_read_counts_and_changes_nothing(small: LifeEnv, output: str, code: str, told: str) -> None:
    env = TextActions(small, max_calls=3)
    env.reset()
    before = small.episode.world.dump()
    seen, reward, _, _, info = env.step(output)
    assert (seen["kind"], info["error"], info["ok"], reward, info["step"]) == ("error", code, False, 0.0, 1)
    assert told in seen["text"]
    assert small.episode.world.dump() == before


def test_prose_is_a_reply(small: LifeEnv) -> None:
    env = TextActions(small)
    env.reset()
    assert env.step("I shall pay Bo.")[0]["kind"] == "notification"
    assert small.episode.history.turns[0].reply == "I shall pay Bo."


# -- chats -----------------------------------------------------------------------------------------------------------


def chat(small: LifeEnv, *actions: Any, **settings: Any) -> list[dict[str, Any]]:
    env = ChatObservation(TextActions(small), **settings)
    messages, _ = env.reset()
    for action in actions:
        messages, *_ = env.step(action)
    return list(messages)


def well_formed(messages: list[dict[str, Any]]) -> None:
    """Every result has its call before it, and every call its result."""
    open_calls: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls, message
            open_calls = {call["id"] for call in message.get("tool_calls", ())}
    assert not open_calls


def test_the_system_prompt_has_the_rules_and_the_papers(small: LifeEnv) -> None:
    system, first = chat(small)
    assert system["role"] == "system"
    assert system["content"].startswith("You look after Ann Lee's affairs")
    assert f"# USER.md\n{dict(small.episode.world.workspace.files())['USER.md'].text}" in system["content"]
    assert first == {"role": "user", "content": "[Mon 2026-03-02 09:00] Please pay Bo Berg what I owe, see debts.csv."}


def test_calls_results_and_replies(small: LifeEnv) -> None:
    messages = chat(small, json.dumps([LOOK, PAY]), "Paid.", json.dumps(WAIT))
    well_formed(messages)
    assert [message["role"] for message in messages] == [
        "system", "user", "assistant", "tool", "tool", "assistant", "user", "assistant", "tool", "user",
    ]  # fmt: skip
    assert messages[2]["tool_calls"][0]["function"] == {
        "name": "banking__get_account", "arguments": '{"account_id":"main"}',
    }  # fmt: skip
    assert json.loads(messages[3]["content"])["account_id"] == "main"
    assert messages[5] == {"role": "assistant", "content": "Paid."}
    assert messages[8]["content"] == "The turn has ended."
    assert len({call["id"] for message in messages for call in message.get("tool_calls", ())}) == 3


def test_the_models_own_ids_are_kept(small: LifeEnv) -> None:
    call = {
        "id": "abc",
        "type": "function",
        "function": {"name": "banking__get_account", "arguments": '{"account_id": "main"}'},
    }
    messages = chat(small, {"role": "assistant", "content": None, "tool_calls": [call]})
    assert messages[2]["tool_calls"][0]["id"] == messages[3]["tool_call_id"] == "abc"


def test_what_could_not_be_read_stands_there_with_its_answer(small: LifeEnv) -> None:
    messages = chat(small, "<tool_call>{</tool_call>")
    assert messages[2] == {"role": "assistant", "content": "<tool_call>{</tool_call>"}
    assert "Write one call as" in messages[3]["content"]


def test_around_the_env_itself(small: LifeEnv) -> None:
    env = ChatObservation(small)
    env.reset()
    messages, *_ = env.step(LOOK)
    well_formed(list(messages))
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "tool"]


def test_earlier_observations_do_not_change(small: LifeEnv) -> None:
    env = ChatObservation(TextActions(small))
    first, _ = env.reset()
    kept = list(first)
    env.step(json.dumps(LOOK))
    assert list(first) == kept


def test_a_chat_is_a_sequence_of_copies(small: LifeEnv) -> None:
    env = ChatObservation(small)
    env.reset()
    messages, *_ = env.step(LOOK)
    assert [message["role"] for message in messages[1:3]] == ["user", "assistant"]
    assert messages[-1] == messages[3]
    messages[2]["tool_calls"][0]["function"]["name"] = "changed"
    assert messages[2]["tool_calls"][0]["function"]["name"] == "banking__get_account"
    with pytest.raises(IndexError, match="4 messages"):
        messages[4]
    assert env.observation_space.contains(messages)
    assert not env.observation_space.contains("text")


def test_old_results_are_dropped_first_then_old_messages(small: LifeEnv) -> None:
    size = sum(len(message["content"]) for message in chat(LifeEnv(SMALL_DEBTS)))
    acts = [json.dumps(LOOK), json.dumps(LOOK), "Looked.", json.dumps(LOOK)]
    whole = chat(LifeEnv(SMALL_DEBTS), *acts)
    shorter = chat(LifeEnv(SMALL_DEBTS), *acts, budget=size + 500)
    well_formed(shorter)
    assert len(shorter) == len(whole)
    assert [message["content"][:28] for message in shorter if message["role"] == "tool"][:2] == [
        "[an older result was dropped",
        "[an older result was dropped",
    ]
    assert shorter[-1] == whole[-1], "the current turn is kept"
    shortest = chat(small, *acts, budget=1)
    well_formed(shortest)
    assert [message["role"] for message in shortest] == ["system", "user", "assistant", "tool"]
    assert shortest[-1] == whole[-1]


def test_a_budget_in_tokens(small: LifeEnv) -> None:
    words = chat(
        small, *[json.dumps(LOOK)] * 5, "Looked.", "Nothing new.", budget=40, count=lambda text: len(text.split())
    )
    well_formed(words)
    assert len(words) < 10


SAID = [json.dumps(LOOK), json.dumps([LOOK, LOOK]), "Yes.", "<tool_call>", json.dumps([LOOK, WAIT, LOOK])]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(SAID), max_size=12), st.integers(1, 3000))
def test_whatever_is_said_the_chat_is_well_formed_and_fits(acts: list[str], budget: int) -> None:
    env = ChatObservation(TextActions(LifeEnv(SMALL_DEBTS)), budget=budget)
    messages, _ = env.reset()
    for act in acts:
        messages, _, terminated, _, _ = env.step(act)
        well_formed(list(messages))
        assert messages[0]["role"] == "system"
        if terminated:
            break


def test_wrong_arguments(small: LifeEnv) -> None:
    with pytest.raises(ValueError, match="budget"):
        ChatObservation(small, budget=0)
    with pytest.raises(ValueError, match="max_calls"):
        TextActions(small, max_calls=0)
