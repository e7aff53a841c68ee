"""One episode played by an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from lifegym.baselines import EpisodeInfo, make_agent
from lifegym.envs import LifeEnv
from lifegym.episode import Episode, Step
from lifegym.rollouts import Rollout, play


class Scripted:
    """Sends what it was given, then waits; keeps what it was told."""

    def __init__(self, *actions: Any) -> None:
        self.actions = actions
        self.seen: list[dict[str, str]] = []

    def reset(self, info: EpisodeInfo) -> None:
        self.info = info
        self.seen = []

    def act(self, observation: Mapping[str, str]) -> Any:
        self.seen.append(dict(observation))
        number = len(self.seen) - 1
        return self.actions[number] if number < len(self.actions) else {"tool": "assistant.wait", "arguments": {}}


def test_what_an_agent_learns_before_it_begins(small_debts: Any) -> None:
    agent = Scripted()
    play(small_debts.scenario("train", 6), agent, seed=9)
    assert agent.info == EpisodeInfo("small-debts", small_debts.source, "train", 6, ("banking",), 9)
    play(small_debts.scenario(), agent, source="elsewhere")
    assert (agent.info.source, agent.info.variant, agent.info.variant_seed) == ("elsewhere", "canonical", 0)


def test_an_agent_sees_what_it_would_in_an_env(small_debts: Any) -> None:
    actions = [{"tool": "workspace.read_file", "arguments": {"path": "debts.csv"}}, None, {"tool": "assistant.wait"}]
    agent = Scripted(*actions)
    rollout = play(small_debts.scenario(), agent)
    env = LifeEnv(small_debts.source)
    seen = [env.reset()[0]]
    rewards = []
    for action in rollout.actions:
        observation, reward, *_ = env.step(action)
        seen.append(observation)
        rewards.append(reward)
    assert agent.seen == seen[:-1], "the last observation has no action"
    assert (rollout.rewards, rollout.score) == (rewards, env.score())
    assert rollout.episode.world.dump() == env.episode.world.dump()
    assert rollout.actions[:3] == actions


def test_the_watcher_sees_every_step(small_debts: Any) -> None:
    watched: list[tuple[dict[str, str], Any, Step]] = []
    rollout = play(
        small_debts.scenario(),
        Scripted("nonsense"),
        watch=lambda seen, action, step: watched.append((seen, action, step)),
    )
    assert [action for _, action, _ in watched] == rollout.actions
    assert [step.reward for _, _, step in watched] == rollout.rewards
    assert [seen["kind"] for seen, _, _ in watched] == ["user_message", "error", "notification", "user_message"]
    assert watched[-1][2].kind == "end"


def test_caps(small_debts: Any) -> None:
    look = {"tool": "workspace.list_files"}
    rollout = play(small_debts.scenario(), Scripted(look, look, look), max_steps=4, max_calls_per_turn=2)
    assert (rollout.score.terminated, rollout.score.steps, len(rollout.rewards)) == (False, 4, 4)
    assert rollout.score.refused == 1
    assert rollout.score.score == pytest.approx(100 * sum(rollout.rewards), abs=1e-9)


def test_what_an_agent_raises_goes_through(small_debts: Any) -> None:
    class Failing(Scripted):
        def act(self, observation: Mapping[str, str]) -> Any:
            raise ConnectionError("no model there")

    with pytest.raises(ConnectionError, match="no model there"):
        play(small_debts.scenario(), Failing())


def test_a_scenario_can_be_played_any_number_of_times(small_debts: Any) -> None:
    scenario = small_debts.scenario()
    before = scenario.world.dump()
    scores = [play(scenario, make_agent(name)).score.score for name in ("reference", "idle", "reference")]
    assert scores == [100, 0, 100]
    assert scenario.world.dump() == before


def test_the_evaluation_of_a_rollout(small_debts: Any) -> None:
    rollout = play(small_debts.scenario(), make_agent("idle"))
    assert isinstance(rollout, Rollout)
    assert isinstance(rollout.episode, Episode)
    rows = {row["id"]: row for row in rollout.episode.evaluation()}
    assert list(rows) == list(rollout.score.checks)
    assert rows["C1"]["clauses"], "every check says what it read"
    assert all(row["reason"] for row in rows.values() if not row["passed"])


def test_a_task_that_opens_no_turn_asks_nothing_of_the_agent(make_task: Any) -> None:
    agent = Scripted()
    task = make_task("  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, when: 1 == 2, text: Hello.}\n")
    rollout = play(task.scenario(), agent)
    assert (rollout.actions, agent.seen, rollout.score.score) == ([], [], None)
