"""Spaces for tool calls and texts."""

from __future__ import annotations

import pickle
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.envs import LifeEnv, ToolCallSpace, Unicode
from lifegym.services import catalogue

SERVICES = ("banking", "calendar", "email")


@pytest.fixture
def space() -> ToolCallSpace:
    return ToolCallSpace(SERVICES, seed=5)


def test_what_is_sampled_is_contained_and_accepted() -> None:
    env = LifeEnv("japan-trip")
    env.action_space.seed(11)
    env.reset()
    env.max_calls_per_turn = 10_000
    codes = set()
    for _ in range(400):
        action = env.action_space.sample()
        assert action in env.action_space
        _, _, terminated, _, info = env.step(action)
        codes.add(info["error"])
        if terminated:
            env.reset()
    assert not codes & {"bad_action", "bad_arguments", "unknown_tool", "service_unavailable", "internal_error"}


def test_all_tools_can_be_sampled(space: ToolCallSpace) -> None:
    assert {name.partition(".")[0] for name in space.tools} == {*SERVICES, "workspace", "assistant"}
    for name in space.tools:
        action = space.sample_tool(name)
        assert action["tool"] == name
        assert action in space
    assert {space.sample()["tool"] for _ in range(3000)} == set(space.tools)


def test_ids_are_offered_where_one_is_asked_for(space: ToolCallSpace) -> None:
    drawn = [space.sample_tool("banking.get_account", ["acc_1"])["arguments"]["account_id"] for _ in range(30)]
    assert "acc_1" in drawn


def test_an_unknown_tool_cannot_be_sampled(space: ToolCallSpace) -> None:
    with pytest.raises(KeyError):
        space.sample_tool("banking.rob")


@pytest.mark.parametrize("wrong", [{"mask": 1}, {"probability": 1}])
def test_masks_are_refused(space: ToolCallSpace, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="sample_tool"):
        space.sample(**wrong)


def test_seeds_repeat(space: ToolCallSpace) -> None:
    first = [space.sample() for _ in range(20)]
    space.seed(5)
    assert [space.sample() for _ in range(20)] == first
    assert [ToolCallSpace(SERVICES, seed=6).sample() for _ in range(20)] != first


def test_a_copy_goes_on_as_the_original_does(space: ToolCallSpace) -> None:
    space.sample()
    for other in (pickle.loads(pickle.dumps(space)), deepcopy(space)):
        assert other == space
        assert other.services == SERVICES
        assert len(pickle.dumps(space)) < 5000
        before = deepcopy(space)
        assert [other.sample() for _ in range(9)] == [before.sample() for _ in range(9)]


def test_equality_is_by_services(space: ToolCallSpace) -> None:
    assert space == ToolCallSpace(SERVICES)
    assert space != ToolCallSpace(("banking",))
    assert space != Unicode()
    assert Unicode() == Unicode(3)
    assert Unicode() != space
    assert repr(space) == "ToolCallSpace(banking, calendar, email)"
    assert repr(Unicode()) == "Unicode()"


@pytest.mark.parametrize(
    ("action", "contained"),
    [
        ({"tool": "assistant.wait", "arguments": {}}, True),
        ({"tool": "assistant.wait"}, True),
        ({"tool": "assistant__wait", "arguments": {}}, True),
        ({"tool": "assistant.wait", "arguments": {"text": "x"}}, False),
        ({"tool": "maps.geocode", "arguments": {"query": "x"}}, False),
        ({"tool": "banking.get_account", "arguments": {"account_id": 5}}, False),
        ({}, False),
        (None, False),
        ("assistant.wait", False),
    ],
)
def test_what_is_contained(space: ToolCallSpace, action: Any, contained: bool) -> None:
    assert space.contains(action) is contained


def test_both_go_through_json(space: ToolCallSpace) -> None:
    actions = [space.sample() for _ in range(5)]
    assert space.from_jsonable(space.to_jsonable(actions)) == actions
    assert Unicode().from_jsonable(Unicode().to_jsonable(["a", "東京"])) == ["a", "東京"]
    assert not space.is_np_flattenable
    assert not Unicode().is_np_flattenable


@given(st.text() | st.text(st.characters(categories=["Cs"])))
def test_unicode_has_every_text(text: str) -> None:
    assert Unicode().contains(text)


@pytest.mark.parametrize("value", [None, 5, b"x", ["x"]])
def test_unicode_has_nothing_else(value: Any) -> None:
    assert not Unicode().contains(value)


def test_unicode_samples_repeat() -> None:
    texts = [Unicode(4).sample() for _ in range(2)]
    assert texts[0] == texts[1]
    many = Unicode(4)
    assert len({many.sample() for _ in range(50)}) > 40
    assert all(text.encode() is not None and text in many for text in (many.sample() for _ in range(200)))
    with pytest.raises(ValueError, match="mask"):
        many.sample(mask=1)


def test_a_service_that_is_not_there_has_no_tools() -> None:
    assert ToolCallSpace(()).tools == catalogue.tool_names(())
    assert all(name.startswith(("workspace.", "assistant.")) for name in ToolCallSpace(()).tools)
