"""What models write, read as calls: golden outputs of many forms."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.tool_calls import EXPECTED, Unreadable, read_calls

READ = {"tool": "workspace.read_file", "arguments": {"path": "USER.md"}}
MAIL = {"tool": "email.get_emails", "arguments": {"page_size": 5}}
WAIT = {"tool": "assistant.wait", "arguments": {}}


def reply(text: str) -> dict[str, Any]:
    return {"tool": "assistant.reply", "arguments": {"text": text}}


def openai(*calls: dict[str, Any], content: str | None = None, twice: bool = False) -> dict[str, Any]:
    made = []
    for i, call in enumerate(calls):
        arguments = json.dumps(call["arguments"])
        function = {"name": call["tool"].replace(".", "__"), "arguments": json.dumps(arguments) if twice else arguments}
        made.append({"id": f"call_{i}", "type": "function", "function": function})
    return {"role": "assistant", "content": content, "tool_calls": made}


def underscored(action: dict[str, Any]) -> dict[str, Any]:
    return {**action, "tool": action["tool"].replace(".", "__")}


GOLDEN: dict[str, tuple[Any, list[dict[str, Any]]]] = {
    "a bare object": (json.dumps(READ), [READ]),
    "an object with name": ('{"name": "workspace.read_file", "arguments": {"path": "USER.md"}}', [READ]),
    "an object with input": ('{"name": "workspace.read_file", "input": {"path": "USER.md"}}', [READ]),
    "without arguments": ('{"tool": "assistant.wait"}', [WAIT]),
    "null arguments": ('{"tool": "assistant.wait", "arguments": null}', [WAIT]),
    "empty text for arguments": ('{"tool": "assistant.wait", "arguments": ""}', [WAIT]),
    "a list": (json.dumps([READ, MAIL]), [READ, MAIL]),
    "one a line": (f"{json.dumps(READ)}\n{json.dumps(MAIL)}", [READ, MAIL]),
    "spread over lines": (json.dumps(READ, indent=2), [READ]),
    "fenced": (f"```json\n{json.dumps(READ)}\n```", [READ]),
    "fenced after prose": (f"I will read it.\n\n```json\n{json.dumps(READ, indent=1)}\n```\nThen I go on.", [READ]),
    "fenced without a language": (f"```\n{json.dumps(MAIL)}\n```", [MAIL]),
    "two fences": (f"```json\n{json.dumps(READ)}\n```\nand\n```json\n{json.dumps(MAIL)}\n```", [READ, MAIL]),
    "tags": (f"<tool_call>\n{json.dumps(READ)}\n</tool_call>", [READ]),
    "tags after thought": (f"<think>What is there?\n{{}}</think>\n<tool_call>{json.dumps(MAIL)}</tool_call>", [MAIL]),
    "several tags": (
        f"First.<tool_call>{json.dumps(READ)}</tool_call><tool_call>{json.dumps(MAIL)}</tool_call>", [READ, MAIL],
    ),
    "a tag that was not closed": (f"<tool_call>{json.dumps(READ)}", [READ]),
    "an openai message": (openai(READ, MAIL), [underscored(READ), underscored(MAIL)]),
    "an openai message with text": (openai(READ, content="Let me look."), [underscored(READ)]),
    "arguments encoded twice": (openai(READ, twice=True), [underscored(READ)]),
    "an openai reply": ({"role": "assistant", "content": "Good morning."}, [reply("Good morning.")]),
    "an old function call": (
        {"role": "assistant", "function_call": {"name": "assistant__wait", "arguments": "{}"}}, [underscored(WAIT)],
    ),
    "a response item": (
        {"type": "function_call", "call_id": "c1", "name": "assistant__wait", "arguments": "{}"}, [underscored(WAIT)],
    ),
    "an anthropic message": (
        {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "I look."},
            {"type": "tool_use", "id": "t1", "name": "email__get_emails", "input": {"page_size": 5}},
            {"type": "tool_use", "id": "t2", "name": "workspace__read_file", "input": {"path": "USER.md"}},
        ]},
        [underscored(MAIL), underscored(READ)],
    ),
    "anthropic content": ([{"type": "text", "text": "Done."}, {"type": "text", "text": "All of it."}],
                          [reply("Done.\nAll of it.")]),
    "a list of calls as values": ([READ, MAIL], [READ, MAIL]),
    "a namespace of functions": ('{"name": "functions.email__get_emails", "arguments": {"page_size": 5}}',
                                 [underscored(MAIL)]),
    "prose": ("The train leaves at 9:40.", [reply("The train leaves at 9:40.")]),
    "prose with a bracket": ("[Note] nothing to do.", [reply("[Note] nothing to do.")]),
    "prose with braces": ("{smiles} All good.", [reply("{smiles} All good.")]),
    "prose with code": ("Try this:\n```\nls -l\n```", [reply("Try this:\n```\nls -l\n```")]),
    "prose after thought": ("<think>Should I?</think>Yes, booked.", [reply("Yes, booked.")]),
}  # fmt: skip


@pytest.mark.parametrize("case", list(GOLDEN))
def test_golden_outputs(case: str) -> None:
    output, wanted = GOLDEN[case]
    assert [call.action for call in read_calls(output)] == wanted


def test_ids_are_kept() -> None:
    assert [call.id for call in read_calls(openai(READ, MAIL))] == ["call_0", "call_1"]
    assert [call.id for call in read_calls(GOLDEN["an anthropic message"][0])] == ["t1", "t2"]
    assert read_calls(GOLDEN["a response item"][0])[0].id == "c1"
    assert read_calls(json.dumps(READ))[0].id == ""


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ('<tool_call>{"name": "email.get_emails", </tool_call>', "the call is not JSON"),
        ('```json\n{"tool": "a.b", "arguments": {\n```', "the call is not JSON"),
        ('{"tool": "email.get_emails", "arguments": "page_size=5"}', "the arguments of email.get_emails are not JSON"),
        ('{"tool": "email.get_emails", "arguments": [5]}', "an object of named values, not a list"),
        ("<tool_call>[1, 2]</tool_call>", "a call is an object, not a int"),
        ("<tool_call></tool_call>", "the call is empty"),
        ({"arguments": {}}, "names no tool"),
        ({"type": "function", "function": {"arguments": "{}"}}, "names no tool"),
        ("", "this is empty"),
        ("<think>only thought</think>", "neither a call nor a text"),
        ([], "this is empty"),
        (None, "this is empty"),
        (7, "neither a call nor a text"),
        ({"role": "assistant", "content": None}, "neither a call nor a text"),
    ],
)
def test_what_cannot_be_read_is_told_with_the_expected_form(output: Any, told: str) -> None:
    with pytest.raises(Unreadable, match=told) as caught:
        read_calls(output)
    assert EXPECTED in str(caught.value)


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=20)
        | st.sampled_from(["tool", "{", "<tool_call>", "```json\n{"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "tool",
                        "name",
                        "arguments",
                        "input",
                        "role",
                        "content",
                        "type",
                        "tool_calls",
                        "function",
                        "text",
                        "x",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    )
)
def test_whatever_is_written_is_read_or_told(output: Any) -> None:
    try:
        calls = read_calls(output)
    except Unreadable:
        return
    assert calls
    for call in calls:
        assert set(call.action) == {"tool", "arguments"}
        assert isinstance(call.action["tool"], str)
        assert isinstance(call.action["arguments"], dict)
