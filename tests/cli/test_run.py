"""``run``: agents that play, fail, or meet a broken environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lifegym.baselines.simple import WAIT, IdleAgent


class Raising(IdleAgent):
    """Raises in every second episode."""

    episodes = 0

    def reset(self, info: Any) -> None:
        self.episodes += 1

    def act(self, observation: Any) -> dict[str, Any]:
        if self.episodes % 2 == 0:
            raise RuntimeError("out of ideas")
        return dict(WAIT)


class Moody(IdleAgent):
    """Raises in every episode but the last of thirty: the same in every second, and otherwise always something new."""

    episodes = -1

    def reset(self, info: Any) -> None:
        self.episodes += 1
        if self.episodes < 29:
            raise RuntimeError(f"mood {self.episodes}" if self.episodes % 2 else "bored")


class Seeds(IdleAgent):
    """Keeps what it was told of each episode."""

    seen: list[tuple[str, int, int]] = []

    def reset(self, info: Any) -> None:
        self.seen.append((info.variant, info.variant_seed, info.seed))


def unfinished() -> object:
    return object()


def impossible() -> object:
    raise ValueError("no key")


@pytest.fixture
def agent(monkeypatch):
    for one in (Raising, Moody, Seeds, unfinished, impossible):
        monkeypatch.setitem(__import__("lifegym.baselines.agent", fromlist=["x"])._FACTORIES, one.__name__.lower(), one)


def results(cli, *words, code: int = 0) -> dict[str, Any]:
    return json.loads(cli("run", *words, "--json", "-", code=code).stdout)


def test_table_and_mean(cli, bundle):
    result = cli("run", bundle, "--agent", "reference", "--runs", "2")
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["small-debts", "0", "100.0", "3/3", "2/2", "1/1", "2/2", "8", "3", "8", "0"] in rows
    assert ["small-debts", "1", "100.0", "3/3", "2/2", "1/1", "2/2", "8", "3", "8", "0"] in rows
    assert "mean 100.0 over 2 of 2 episodes" in result.stdout


def test_json_has_the_lines_of_a_run_folder(cli, bundle, tmp_path):
    found = results(cli, bundle, "--agent", "idle", "--runs", "2")
    assert found["agent"] == "idle"
    assert found["mean"] == 0.0
    cli("evaluate", "--agent", "idle", "--tasks", bundle, "--runs", 2, "--workers", 0, "--out", tmp_path / "run", "-q")
    lines = [json.loads(line) for line in (tmp_path / "run" / "results.jsonl").read_text().splitlines()]
    for line, episode in zip(lines, found["episodes"], strict=True):
        del line["trajectory"], line["seconds"], episode["seconds"]
        assert episode == line


def test_json_into_a_file(cli, bundle, tmp_path):
    file = tmp_path / "results.json"
    text = cli("run", bundle, "--agent", "idle", "--json", file).stdout
    assert len(json.loads(file.read_text())["episodes"]) == 3
    assert "mean 0.0 over 3 of 3 episodes" in text


@pytest.mark.parametrize("place", ["nowhere/results.json", "."])
def test_a_file_that_cannot_be_written_is_told_before_the_play(cli, bundle, tmp_path, place, monkeypatch):
    monkeypatch.setattr("lifegym.rollouts.play", None)
    assert (
        "name a file in a folder that exists"
        in cli("run", bundle, "--agent", "idle", "--json", tmp_path / place, code=2).stderr
    )


def test_a_folder_without_permission(cli, bundle, tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert "permission denied" in cli("run", bundle, "--agent", "idle", "--json", tmp_path / "x", code=2).stderr


def test_a_disk_that_is_full(cli, bundle, tmp_path, monkeypatch):
    def full(path, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    result = cli("run", bundle, "--agent", "idle", "--runs", "1", "--json", tmp_path / "x", code=2)
    assert "No space left on device" in result.stderr
    assert "mean 0.0" in result.stdout


def test_drawn_variants_have_a_seed_for_each_run(cli, bundle, agent):
    Seeds.seen.clear()
    found = results(cli, bundle, "--agent", "seeds", "--variant", "train", "--seed", "5", "--runs", "3")
    assert Seeds.seen == [("train", 5, 5), ("train", 6, 6), ("train", 7, 7)]
    assert [episode["seed"] for episode in found["episodes"]] == [5, 6, 7]
    assert {episode["variant"] for episode in found["episodes"]} == {"train"}


def test_canonical_runs_differ_in_the_agent_s_seed_only(cli, bundle, agent):
    Seeds.seen.clear()
    found = results(cli, bundle, "--agent", "seeds", "--seed", "2", "--runs", "2")
    assert Seeds.seen == [("canonical", 0, 2), ("canonical", 0, 3)]
    assert [episode["seed"] for episode in found["episodes"]] == [0, 0]


def test_the_reference_plays_drawn_variants(cli, bundle):
    assert results(cli, bundle, "--agent", "reference", "--variant", "test", "--runs", "4")["mean"] == 100.0


def test_step_limit(cli, bundle):
    [episode] = results(cli, bundle, "--agent", "reference", "--runs", "1", "--max-steps", "2")["episodes"]
    assert not episode["terminated"]
    assert episode["steps"] == 2


def test_an_agent_that_raises(cli, bundle, agent):
    result = cli("run", bundle, "--agent", "raising", "--runs", "3", "--json", "-", code=1)
    found = json.loads(result.stdout)
    assert [episode["error"] for episode in found["episodes"]] == [None, "agent: RuntimeError: out of ideas", None]
    assert [episode["score"] for episode in found["episodes"]] == [0.0, None, 0.0]
    assert found["mean"] == 0.0
    assert "mean 0.0 over 2 of 3 episodes (1 without a score)" in result.stderr
    assert result.stderr.splitlines()[-3:] == [
        "lifegym: 1 of 3 episodes without a score:",
        "lifegym:   1 x agent: RuntimeError: out of ideas (small-debts seed 0 run 1)",
        "lifegym: next: mend the agent; the JSON has the tracebacks",
    ]


def test_each_reason_is_told_once_the_most_frequent_first(cli, bundle, agent):
    told = cli("run", bundle, "--agent", "moody", "--runs", "30", code=1).stderr.splitlines()
    assert told[0] == "lifegym: 29 of 30 episodes without a score:"
    assert told[1] == "lifegym:   15 x agent: RuntimeError: bored (small-debts seed 0 run 0 and 14 more)"
    assert told[2] == "lifegym:   1 x agent: RuntimeError: mood 1 (small-debts seed 0 run 1)"
    assert told[10] == "lifegym:   1 x agent: RuntimeError: mood 17 (small-debts seed 0 run 17)"
    assert told[11:] == [
        "lifegym:   and 5 other reasons",
        "lifegym: next: mend the agent; --json FILE keeps the tracebacks",
    ]


def test_a_broken_event_marks_the_run(cli, copied):
    timeline = copied / "timeline.yaml"
    timeline.write_text(timeline.read_text().replace("account_id: main", "account_id: gone"))
    result = cli("run", copied, "--agent", "reference", "--runs", "1", "--json", "-", code=3)
    found = json.loads(result.stdout)
    assert found["episodes"][0]["score"] is None
    assert found["mean"] is None
    [fault] = found["episodes"][0]["faults"]
    assert fault.startswith("event dearer:")
    assert f"1 x environment: {fault.splitlines()[-1]} (small-debts seed 0 run 0)" in result.stderr
    assert "next: lifegym verify TASK looks for what is wrong with a task; the JSON has the" in result.stderr
    assert "mean - over 0 of 1 episode (" in result.stderr


def test_a_variant_that_cannot_be_built_marks_its_runs(cli, copied):
    (copied / "workspace" / "plan.md").write_text("${p.debt.missing}")
    found = results(cli, copied, "--agent", "idle", "--runs", "1", code=3)
    [episode] = found["episodes"]
    assert episode["score"] is None
    assert episode["error"].startswith("environment: BundleError: ")
    assert "workspace/plan.md" in episode["error"]


def test_several_tasks_each_once(cli, bundle, copied, shipped):
    result = cli("run", "testing/*", "small-debts", bundle, f"{bundle}/.", "--agent", "idle", "--runs", "1")
    assert "over 2 of 2 episodes" in result.stdout


def test_means_of_several_tasks(cli, bundle, copied):
    for file in copied.rglob("*.yaml"):
        file.write_text(file.read_text().replace("small-debts", "other-debts"))
    text = cli("run", bundle, copied, "--agent", "reference", "--runs", "1").stdout
    assert "  small-debts: 100.0\n  other-debts: 100.0" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agent", "referense"), "there is no agent 'referense'; do you mean reference or reader or reinforce?"),
        (("--agent", "qq"), "yes_man. Other agents are named by module:attribute."),
        (("--agent", "nowhere:Agent"), "the agent 'nowhere:Agent' cannot be made: ModuleNotFoundError"),
        (("--agent", "json:Agent"), "the agent 'json:Agent' cannot be made: AttributeError"),
        (("--agent", "impossible"), "the agent 'impossible' cannot be made: ValueError: no key"),
        (("--agent", "llm"), "argument: 'model'; lifegym evaluate gives settings with --set NAME=VALUE"),
        (("--agent", "unfinished"), "'unfinished' makes no agent: a object has no reset(info) and act(observation)"),
        (("--agent", "idle", "--variant", "tran"), "unknown variant 'tran'; use one of: canonical, train, test"),
        (("--agent", "idle", "--variant", "train", "--seed", "-1"), "a variant seed is a whole number from 0"),
        (("--agent", "idle", "--variant", "train", "--seed", str((1 << 30) - 2)), "a variant seed is a whole number"),
        (("--agent", "idle", "--seed", "-1"), "a seed is not negative"),
        (("--agent", "idle", "--runs", "0"), "greater than or equal to 1"),
        (("--agent", "idle", "--max-steps", "0"), "greater than or equal to 1"),
        ((), "Missing option '--agent'"),
    ],
)
def test_usage_errors(cli, bundle, agent, words, message):
    assert message in cli("run", bundle, *words, code=2).stderr
