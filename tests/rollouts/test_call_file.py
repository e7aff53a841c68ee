"""Files of calls: what is written is read back, whatever happens to the end of the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifegym.rollouts.call_file import CallFile, CallFileError, Header
from lifegym.task_suite import load_task

from .conftest import SMALL_DEBTS

HEADER = Header("small-debts", "abc", "canonical", 0)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
ACTIONS = st.recursive(
    st.none() | st.integers(-9, 9) | TEXTS, lambda x: st.lists(x, max_size=2) | st.dictionaries(TEXTS, x, max_size=2)
)


@settings(max_examples=60, deadline=None)
@given(actions=st.lists(st.dictionaries(TEXTS, ACTIONS, max_size=2), max_size=6), cut=st.floats(0, 1), data=st.data())
def test_a_writer_that_was_stopped_costs_its_last_call_alone(actions, cut, data):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "calls"
        calls = CallFile.begin(path, HEADER)
        for action in actions:
            calls.append(action)
        raw = path.read_bytes()
        head = len(raw.splitlines(keepends=True)[0])
        end = head + int(cut * (len(raw) - head))
        path.write_bytes(raw[:end])
        found = CallFile.read(path)
        assert found.header == HEADER
        kept = len(found.actions)
        assert found.actions == actions[:kept]
        assert kept >= raw[:end].count(b"\n") - 1
        more = data.draw(st.lists(st.dictionaries(TEXTS, ACTIONS, max_size=2), min_size=1, max_size=2))
        for action in more:
            found.append(action)
        assert CallFile.read(path).actions == [*actions[:kept], *more]
        assert path.read_bytes().count(b"\n") == 1 + kept + len(more)


def test_each_line_is_one_json_object(tmp_path):
    calls = CallFile.begin(tmp_path / "calls", HEADER)
    calls.append({"tool": "a.b", "arguments": {"text": "two\nlines\u2028 and ünïcode"}})
    lines = (tmp_path / "calls").read_bytes().split(b"\n")
    assert orjson.loads(lines[0]) == {
        "task": "small-debts",
        "content_hash": "abc",
        "variant": "canonical",
        "seed": 0,
        "format": 1,
    }
    assert orjson.loads(lines[1])["tool"] == "a.b"
    assert lines[2:] == [b""]


def test_an_existing_file_is_kept(tmp_path):
    path = tmp_path / "calls"
    CallFile.begin(path, HEADER).append({})
    with pytest.raises(FileExistsError):
        CallFile.begin(path, HEADER)
    assert CallFile.read(path).actions == [{}]
    assert CallFile.begin(path, HEADER, overwrite=True).actions == []
    assert CallFile.read(path).actions == []


def test_a_last_line_without_its_line_break_counts(tmp_path):
    path = tmp_path / "calls"
    CallFile.begin(path, HEADER).append({"tool": "x"})
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    calls = CallFile.read(path)
    assert calls.actions == [{"tool": "x"}]
    calls.append({"tool": "y"})
    assert CallFile.read(path).actions == [{"tool": "x"}, {"tool": "y"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "its first line names no task"),
        ('{"task": "x"}\n', "its first line names no task"),
        ("[]\n", "its first line names no task"),
        ("hello\n", "calls:1: not a line of JSON"),
        ('{"task": "x", "content_hash": "y", "variant": "v", "seed": 0, "format": 2}\n', "reads format 1"),
        ('{"task": "x", "content_hash": "y", "variant": "v", "seed": "0", "format": 1}\n', "seed is a whole number"),
        ('{"task": 5, "content_hash": "y", "variant": "v", "seed": 0, "format": 1}\n', "are texts"),
        (orjson.dumps(HEADER._asdict()).decode() + "\n{\n{}\n", "calls:2: not a line of JSON"),
        (orjson.dumps(HEADER._asdict()).decode() + "\n{\n", "calls:2: not a line of JSON"),
    ],
)
def test_files_that_hold_no_episode(tmp_path, text, message):
    path = tmp_path / "calls"
    path.write_text(text)
    with pytest.raises(CallFileError, match=message):
        CallFile.read(path)


def test_replay(tmp_path):
    task = load_task(SMALL_DEBTS)
    calls = CallFile.begin(tmp_path / "calls", HEADER)
    wait = {"tool": "assistant.wait", "arguments": {}}
    calls.append({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}})
    calls.append(wait)
    first, second = calls.replay(task), calls.replay(task)
    assert first.observation == second.observation
    assert first.observation["kind"] == "notification"
    assert first.episode.world.dump() == second.episode.world.dump()
    for _ in range(3):
        calls.append(wait)
    with pytest.raises(CallFileError, match="calls:6: the episode has ended before this call"):
        calls.replay(task)
