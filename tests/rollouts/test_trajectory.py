"""Trajectories: what is kept of an episode, graded again, and exported."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import atif
import pytest

from lifegym.rollouts import Key, RunFolder, evaluate
from lifegym.rollouts.export import atif as as_atif
from lifegym.rollouts.export import chosen, export, flat
from lifegym.rollouts.rescoring import replay, rescore
from lifegym.rollouts.trajectory import plain, read_trajectory
from lifegym.task_suite import task

SMALL_DEBTS = Path(__file__).parents[1] / "bundles" / "small-debts"


@pytest.fixture
def bundle(tmp_path, monkeypatch):
    """A small task whose files a test may change between a run and what is made of it."""
    monkeypatch.setattr(task, "_loaded", {})
    return shutil.copytree(SMALL_DEBTS, tmp_path / "debts" / "small-debts")


@pytest.fixture
def run(bundle, tmp_path):
    """Two runs of the reference, which score 100."""
    evaluate("reference", [str(bundle)], runs=2, workers=0, out=tmp_path / "run")
    return RunFolder.read(tmp_path / "run")


def changed(bundle, monkeypatch, file, old, new):
    text = (bundle / file).read_text()
    assert old in text
    (bundle / file).write_text(text.replace(old, new))
    monkeypatch.setattr(task, "_loaded", {})


def one(run, number=0):
    return run.trajectory(Key("small-debts", "canonical", 0, number))


def test_what_is_kept(run):
    kept = one(run)
    assert kept.observations[0]["text"].startswith("You look after Ann Lee's affairs")
    assert kept.actions[0] == {"tool": "workspace.read_file", "arguments": {"path": "debts.csv"}}
    assert 100 * sum(kept.rewards) == pytest.approx(100)
    assert kept.observations[-1]["kind"] == "end"
    assert kept.score["score"] == 100.0
    assert kept.caps == {"max_calls_per_turn": 100, "max_steps": 5000}


def test_the_same_episode_is_the_same_file(run):
    assert one(run).dump() == one(run).dump()
    other = one(run, 1)
    other.key, other.agent_seed = one(run).key, 0
    assert other.dump() == one(run).dump()


@pytest.mark.parametrize(
    ("text", "packed", "told"),
    [
        (b"", False, "is no trajectory"),
        (b"plain", False, "is no trajectory"),
        (b"{", True, "is no trajectory"),
        (b"[]", True, "is no trajectory"),
        (b'{"format": 1}', True, "is no trajectory"),
        (b'{"format": 7}', True, "this version reads 1"),
    ],
)
def test_what_is_no_trajectory(tmp_path, text, packed, told):
    (tmp_path / "file").write_bytes(gzip.compress(text) if packed else text)
    with pytest.raises(ValueError, match=told):
        read_trajectory(tmp_path / "file")


@pytest.mark.parametrize("action", [{"tool": "a.b", "arguments": {"x": [1, None]}}, "text", None, {1: 2}])
def test_actions_are_kept_as_json(action):
    assert json.loads(json.dumps(plain(action))) == json.loads(json.dumps(action))


def test_what_json_has_not_is_kept_as_text():
    deep = []
    deep.append(deep)
    assert plain(object).startswith("<class")
    assert isinstance(plain(deep), str)


# -- graded again --------------------------------------------------------------------------------------------------


def test_nothing_changed(run):
    found = list(rescore(run))
    assert [(one.was, one.score.score, one.divergence, one.changed, one.flipped) for one in found] == [
        (100.0, 100.0, None, False, {})
    ] * 2


def test_another_check_gives_another_score_in_the_same_world(run, bundle, monkeypatch):
    changed(bundle, monkeypatch, "checks.yaml", "len(file('debts.csv').rows) == 2", "len(file('debts.csv').rows) == 3")
    found = next(iter(rescore(run)))
    assert (found.was, found.score.score, found.divergence, found.changed) == (100.0, 90.0, None, True)
    assert found.flipped == {"C5": False}


def test_another_world_is_found_where_it_differs(run, bundle, monkeypatch):
    changed(bundle, monkeypatch, "timeline.yaml", "your statement is ready", "your bill is ready")
    found = next(iter(rescore(run)))
    assert found.divergence.step == 5
    assert found.divergence.action["tool"] == "assistant.reply"
    assert "your statement is ready" in found.divergence.was["text"]
    assert "your bill is ready" in found.divergence.now["text"]
    assert found.score.score == 100.0


def test_calls_that_end_too_early_are_waited_through(run):
    kept = one(run)
    del kept.actions[3:], kept.observations[4:]
    episode, divergence = replay(kept)
    assert episode.over
    assert divergence is None
    assert episode.score().score < 100


# -- exported ------------------------------------------------------------------------------------------------------


def lines(run, form, **options):
    return [json.loads(line) for line in export(form, chosen(run, **options))]


def test_atif_is_as_its_schema_says(run):
    documents = lines(run, "atif")
    assert len(documents) == 2
    found = atif.Trajectory.model_validate(documents[0])
    assert found.schema_version == "ATIF-v1.8"
    assert [step.source for step in found.steps[:3]] == ["user", "agent", "agent"]
    assert found.steps[-1].source == "system"
    calls = [call.function_name for step in found.steps for call in step.tool_calls or ()]
    assert calls[:2] == ["workspace__read_file", "banking__list_payees"]
    assert found.final_metrics.total_steps == len(found.steps)
    assert found.final_metrics.extra["score"] == 100.0
    assert {tool["function"]["name"] for tool in found.agent.tool_definitions} >= set(calls)


def test_messages_alternate_and_every_call_has_its_result(run):
    chat = lines(run, "messages")[0]
    assert chat["messages"][0]["role"] == "user"
    open_calls = set()
    for message in chat["messages"]:
        if message["role"] == "assistant" and message.get("tool_calls"):
            assert not open_calls
            open_calls = {call["id"] for call in message["tool_calls"]}
            assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in message["tool_calls"])
        elif message["role"] == "tool":
            open_calls.remove(message["tool_call_id"])
        else:
            assert not open_calls
    assert {"role": "assistant", "content": "Paid Bo Berg."} in chat["messages"]
    assert any(tool["function"]["name"] == "assistant__reply" for tool in chat["tools"])
    assert chat["score"] == 100.0


def test_flat_lines_tell_the_return_to_go(run):
    steps = lines(run, "jsonl")
    assert len(steps) == 2 * len(one(run).actions)
    assert steps[0]["return_to_go"] == pytest.approx(1.0)
    assert steps[0]["observation"]["kind"] == "user_message"
    assert sum(step["reward"] for step in steps) == pytest.approx(2.0)


def test_malformed_actions_are_exported_too(run):
    row = run.rows()[0]
    kept = one(run)
    kept.actions[0] = ["no", "call"]
    document = atif.Trajectory.model_validate(as_atif(row, kept))
    assert document.steps[1].tool_calls[0].function_name == "malformed"
    assert document.steps[1].tool_calls[0].arguments == {"sent": ["no", "call"]}
    assert next(iter(flat(row, kept)))["action"] == ["no", "call"]


def test_episodes_are_chosen(run):
    assert [line["run"] for line in lines(run, "messages", runs={1})] == [1]
    assert lines(run, "messages", high=99.0) == []
    assert lines(run, "messages", tasks="japan-*") == []
    assert len(lines(run, "messages", tasks="small-*", low=100.0)) == 2
    with pytest.raises(ValueError, match="unknown form 'xml'"):
        lines(run, "xml")
