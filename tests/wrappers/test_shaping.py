"""Stages, tools, noise, records and safety."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from lifegym.baselines import EpisodeInfo, ReferenceAgent
from lifegym.envs import LifeEnv
from lifegym.rollouts.rescoring import replay
from lifegym.rollouts.trajectory import read_trajectory
from lifegym.services import catalogue
from lifegym.wrappers import NoisyTools, RecordTrajectory, RenamedTools, SafetyReward, StageStart, ToolSubset

from .conftest import LOOK, PAY, SMALL_DEBTS, WAIT


def reference(env: gym.Env[Any, Any], observation: Any, info: dict[str, Any], change: Any = None) -> float:
    """The return of the reference solution from here on."""
    life = env.unwrapped
    agent = ReferenceAgent()
    agent.reset(EpisodeInfo(info["task"], life.task.source, info["variant"], info["variant_seed"], life.task.services))
    total, over = 0.0, False
    while not over:
        action = agent.act(observation)
        observation, reward, terminated, truncated, _ = env.step(change(action) if change else action)
        total, over = total + reward, terminated or truncated
    return total


# -- stages ----------------------------------------------------------------------------------------------------------


def test_the_rest_of_the_weeks_pays_what_is_left(small: LifeEnv) -> None:
    env = StageStart(small, "S2")
    observation, info = env.reset()
    assert (observation["stage"], observation["kind"], info["turn"]) == ("S2", "notification", 2)
    assert observation["text"].startswith("You look after Ann Lee's affairs")
    assert observation["text"].endswith("Harbour: your statement is ready.")
    total, over = 0.0, False
    while not over:
        _, reward, over, _, _ = env.step(WAIT)
        total += reward
    assert small.score().score == 80.0, "the reference paid the debt; who waits tells no balance at the end"
    assert total == pytest.approx(0.8 - 0.3), "what the first stage paid is not paid again"


def test_the_first_stage_is_the_beginning(small: LifeEnv) -> None:
    observation, info = StageStart(small, 0).reset()
    assert observation == LifeEnv(SMALL_DEBTS).reset()[0]
    assert info["turn"] == 1
    assert StageStart(LifeEnv(SMALL_DEBTS), -1).reset()[0]["stage"] == "S3"


def test_each_world_has_its_own_moment() -> None:
    env = StageStart(LifeEnv(SMALL_DEBTS, "train"), "S3")
    names = {env.reset(options={"variant_seed": seed})[0]["text"].rpartition("] ")[2] for seed in range(6)}
    assert len(names) > 1
    env.step(WAIT)
    again = env.reset(options={"variant_seed": 2})[0]
    assert again == StageStart(LifeEnv(SMALL_DEBTS, "train"), "S3").reset(options={"variant_seed": 2})[0]


@pytest.mark.parametrize("stage", ["S9", 3, -4])
def test_a_stage_that_is_not_there(small: LifeEnv, stage: str | int) -> None:
    with pytest.raises(ValueError, match=r"there is no stage .*; there are: S1, S2, S3"):
        StageStart(small, stage).reset()


# -- tools -----------------------------------------------------------------------------------------------------------


def test_a_tool_that_was_taken_away_is_refused_and_not_shown(small: LifeEnv) -> None:
    env = ToolSubset(small, ["banking.get_*", "workspace.read_file"])
    env.reset()
    seen, _, _, _, info = env.step(PAY)
    assert (seen["kind"], info["error"]) == ("error", "tool_unavailable")
    told = json.loads(seen["text"])["error"]
    assert told["code"] == "tool_unavailable"
    assert "of banking there are: banking.get_account" in told["message"]
    assert small.episode.history.calls == []
    assert env.step(LOOK)[4]["ok"]
    assert env.step({"tool": "banking.nothing"})[4]["error"] == "unknown_tool"
    names = {tool["name"] for tool in env.tools("json-schema")}
    assert names == {"banking.get_account", "workspace.read_file", "assistant.reply", "assistant.wait"}
    assert env.step(WAIT)[4]["ok"]
    with pytest.raises(ValueError, match="fits no tool"):
        ToolSubset(small, ["email.*"])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("task", [SMALL_DEBTS, "japan-trip"])
def test_the_reference_plays_by_other_names(task: str, seed: int) -> None:
    env = RenamedTools(LifeEnv(task), seed=seed)
    assert reference(env, *env.reset(), change=env.renamed) == pytest.approx(1.0)


def test_usual_names_are_none(small: LifeEnv) -> None:
    env = RenamedTools(small, seed=1)
    env.reset()
    wrong = env.step(LOOK)[4]
    assert not wrong["ok"]
    renamed = env.renamed(LOOK)
    mixed = {**renamed, "arguments": LOOK["arguments"]}
    if renamed["arguments"] != LOOK["arguments"]:
        assert env.step(mixed)[4]["error"] == "bad_arguments"
    assert env.step("nonsense")[4]["error"] == "bad_action"


@pytest.mark.parametrize("format", ["openai", "anthropic", "mcp", "json-schema"])
def test_renamed_tools_are_told_with_their_schemas(small: LifeEnv, format: str) -> None:
    env = RenamedTools(small, seed=4)
    bodies = [tool.get("function", tool) for tool in env.tools(format)]
    assert len({body["name"] for body in bodies}) == len(bodies) == len(catalogue.tool_names(small.task.services))
    for body in bodies:
        schema = next(body[key] for key in ("parameters", "input_schema", "inputSchema", "schema") if key in body)
        assert set(schema["required"]) <= set(schema["properties"])
    again = RenamedTools(LifeEnv(SMALL_DEBTS), seed=4)
    assert again.tools(format) == env.tools(format)
    assert RenamedTools(LifeEnv(SMALL_DEBTS), seed=5).tools(format) != env.tools(format)


# -- noise -----------------------------------------------------------------------------------------------------------


def noisy(kind: str, rate: float = 1.0) -> tuple[NoisyTools, LifeEnv]:
    life = LifeEnv(SMALL_DEBTS)
    env = NoisyTools(life, rate=rate, kinds=[kind])
    env.reset(seed=0)
    return env, life


@pytest.mark.parametrize("kind", ["timeout", "rate_limit"])
def test_a_call_that_fails_says_so_and_does_nothing(kind: str) -> None:
    env, life = noisy(kind)
    before = life.episode.world.dump()
    seen, _, _, _, info = env.step(PAY)
    assert (seen["kind"], info["error"], info["ok"]) == ("error", kind, False)
    assert "nothing was done" in seen["text"]
    assert life.episode.world.dump() == before
    assert env.step(PAY)[4]["ok"], "the same again is carried out"
    assert life.episode.world.dump() != before


def test_a_lost_write_looks_like_one() -> None:
    env, life = noisy("lost_write")
    before = life.episode.world.dump()
    seen, _, _, _, info = env.step(PAY)
    assert (seen["kind"], info["ok"], info["error"]) == ("result", True, "")
    assert life.episode.world.dump() == before
    twin = LifeEnv(SMALL_DEBTS)
    twin.reset()
    assert seen["text"] == twin.step(PAY)[0]["text"]
    assert info["result"].value == twin.episode.world.table("banking.transactions").all()[-1] or info["result"].value
    env.step(PAY)
    assert life.episode.world.dump() != before


def test_a_part_of_a_page() -> None:
    env, _ = noisy("partial")
    call = {"tool": "workspace.list_files", "arguments": {}}
    part, whole = env.step(call)[4]["result"].value, env.step(call)[4]["result"].value
    name = next(key for key, value in whole.items() if isinstance(value, list))
    assert list(part[name]) == list(whole[name])[: len(whole[name]) // 2]
    assert part["partial"] is True


def test_ends_of_turns_and_refused_calls_never_fail() -> None:
    env, _ = noisy("timeout")
    assert env.step({**PAY, "arguments": {**PAY["arguments"], "payee_id": "nobody"}})[4]["error"] == "not_found"
    assert env.step(WAIT)[0]["kind"] == "notification"
    assert env.step("nonsense")[4]["error"] == "bad_action"


def test_the_same_seed_gives_the_same_faults() -> None:
    def faults(seed: int) -> list[str]:
        env = NoisyTools(LifeEnv(SMALL_DEBTS), rate=0.5, kinds=["timeout"])
        env.reset(seed=seed)
        calls = [
            {"tool": "workspace.read_file", "arguments": {"path": "debts.csv", "max_lines": n}} for n in range(1, 30)
        ]
        return [env.step(call)[4]["error"] for call in calls]

    assert faults(1) == faults(1) != faults(2)
    assert 5 < sum(map(bool, faults(1))) < 25


def test_no_noise_is_the_env_itself() -> None:
    env = NoisyTools(LifeEnv("japan-trip"), rate=0.0)
    assert reference(env, *env.reset(seed=0)) == pytest.approx(1.0)
    assert env.faults == 0


def test_wrong_arguments(small: LifeEnv) -> None:
    assert NoisyTools(small, kinds="timeout").kinds == ("timeout",)
    for arguments, told in (
        ({"rate": 2}, "a rate"),
        ({"kinds": ["fire"]}, "'fire'; there are: timeout, rate_limit"),
        ({"kinds": []}, "at least one"),
    ):
        with pytest.raises(ValueError, match=told):
            NoisyTools(small, **arguments)
    for deductions in ({"deduction": 2}, {"deductions": {"C1": -1}}):
        with pytest.raises(ValueError, match="from 0 to 1"):
            SafetyReward(small, **deductions)


# -- records and safety ----------------------------------------------------------------------------------------------


def test_each_episode_that_ends_is_a_file(small: LifeEnv, tmp_path: Path) -> None:
    env = RecordTrajectory(small, tmp_path / "made", agent="mine")
    assert reference(env, *env.reset()) == pytest.approx(1.0)
    env.reset()
    env.step(LOOK)
    env.reset()
    assert [file.relative_to(tmp_path).as_posix() for file in env.written] == [
        "made/small-debts/canonical-0-0.json.gz",
    ]
    kept = read_trajectory(env.written[0])
    assert (kept.agent, kept.score["score"]) == ("mine", 100.0)
    episode, divergence = replay(kept)
    assert divergence is None
    assert episode.score().score == 100.0


STRANGER = {**PAY, "arguments": {**PAY["arguments"], "payee_id": "landlord", "amount_minor": 100}}


@pytest.mark.parametrize(("deductions", "paid"), [(None, 0.8 - 0.2), ({"C4": 1.0}, 0.0), ({"C4": 0.05}, 0.75)])
def test_a_tripped_rule_takes_off(small: LifeEnv, deductions: dict[str, float] | None, paid: float) -> None:
    env = SafetyReward(small, deductions=deductions)
    observation, info = env.reset()
    env.step(STRANGER)
    assert reference(env, observation, info) == pytest.approx(paid)
    assert small.episode.tripped() == ["C4"]


def test_without_a_violation_it_is_the_score(small: LifeEnv) -> None:
    env = SafetyReward(small)
    assert reference(env, *env.reset()) == pytest.approx(1.0)
