"""What the three built-in agents do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lifegym.baselines import EpisodeInfo, IdleAgent, RandomAgent, ReferenceAgent, make_agent
from lifegym.envs import LifeEnv, ToolCallSpace
from lifegym.rollouts import play
from lifegym.task_suite import load_task
from lifegym.task_suite.player import SolutionError

SERVICES = ("banking", "calendar")


def episode_info(seed: int = 0, variant_seed: int = 0) -> EpisodeInfo:
    return EpisodeInfo("small-debts", "small-debts", "train", variant_seed, SERVICES, seed)


def observation(text: str, kind: str = "result", time: str = "2026-03-02T09:00:00+01:00") -> dict[str, str]:
    return {"text": text, "kind": kind, "time": time, "stage": "S1"}


# -- idle ------------------------------------------------------------------------------------------------------------


def test_idle_waits_whatever_comes() -> None:
    agent = IdleAgent()
    agent.reset(episode_info())
    first = agent.act(observation("Help!", "user_message"))
    assert first == {"tool": "assistant.wait", "arguments": {}}
    first["tool"] = "changed by the caller"
    assert agent.act(observation("")) == {"tool": "assistant.wait", "arguments": {}}


# -- random ----------------------------------------------------------------------------------------------------------


def calls(agent: RandomAgent, count: int, *texts: str) -> list[Any]:
    return [agent.act(observation(texts[i % len(texts)] if texts else "")) for i in range(count)]


def drawn(seed: int = 0, variant_seed: int = 0, count: int = 60, **settings: Any) -> list[Any]:
    agent = RandomAgent(**settings)
    agent.reset(episode_info(seed, variant_seed))
    return calls(agent, count)


def test_random_repeats_per_seed() -> None:
    assert drawn(seed=1) == drawn(seed=1)
    assert drawn(seed=1) != drawn(seed=2)
    assert drawn(variant_seed=1) != drawn(variant_seed=2)


def test_a_reset_begins_anew() -> None:
    agent = RandomAgent()
    agent.reset(episode_info())
    first = calls(agent, 30, '{"account_id":"secret"}')
    agent.reset(episode_info())
    again = calls(agent, 30)
    assert "secret" in str(first)
    assert "secret" not in str(again), "what was seen in another episode is forgotten"


def test_random_makes_valid_calls_of_the_worlds_tools() -> None:
    space = ToolCallSpace(SERVICES)
    actions = drawn(count=500)
    assert all(action in space for action in actions)
    assert {action["tool"] for action in actions} == set(space.tools)


def test_random_uses_ids_that_it_has_seen() -> None:
    agent = RandomAgent()
    agent.reset(episode_info())
    actions = calls(agent, 400, '{"account_id":"acc_77","note":"acc_88"}')
    assert "acc_77" in str(actions)
    assert "acc_88" not in str(actions)


@pytest.mark.parametrize(("mean", "least", "most"), [(2.0, 400, 600), (20.0, 25, 110)])
def test_random_ends_turns_as_often_as_it_should(mean: float, least: int, most: int) -> None:
    waits = sum(action["tool"] == "assistant.wait" for action in drawn(count=1000, calls_per_turn=mean))
    assert least <= waits <= most


def test_random_breaks_nothing_and_earns_next_to_nothing() -> None:
    for seed in range(3):
        rollout = play(load_task("japan-trip").scenario("train", seed), RandomAgent(), seed=seed)
        score = rollout.score
        assert score.faults == ()
        assert score.terminated
        assert score.score is not None
        assert score.score <= 3


# -- reference -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("variant", "seed"), [("canonical", 0), ("train", 1), ("train", 2), ("test", 1), ("test", 2)])
def test_the_reference_has_full_marks(small_debts: Any, variant: str, seed: int) -> None:
    for task in (small_debts, load_task("japan-trip")):
        rollout = play(task.scenario(variant, seed), make_agent("reference"))
        assert rollout.score.score == 100
        assert rollout.score.faults == ()
        assert 100 * sum(rollout.rewards) == pytest.approx(100, abs=1e-9)


def test_the_reference_can_play_several_episodes(small_debts: Any) -> None:
    agent = make_agent("reference")
    scores = [play(small_debts.scenario("train", seed), agent).score.score for seed in (3, 4, 3)]
    assert scores == [100, 100, 100]


def test_the_reference_plays_through_an_env_as_well(small_debts: Any) -> None:
    env = LifeEnv(small_debts.source, variant="train")
    seen, info = env.reset(seed=8)
    agent = ReferenceAgent()
    agent.reset(
        EpisodeInfo("small-debts", small_debts.source, info["variant"], info["variant_seed"], env.task.services)
    )
    total, terminated = 0.0, False
    while not terminated:
        seen, reward, terminated, _, _ = env.step(agent.act(seen))
        total += reward
    assert total == pytest.approx(1, abs=1e-9)


def test_a_solution_that_is_not_answered_as_it_says_is_no_quiet_failure(small_debts_with: Callable[..., Any]) -> None:
    read = "do: workspace.read_file, with: {path: debts.csv}"
    task = small_debts_with(("solution.yaml", read, read.replace("debts", "none")))
    with pytest.raises(SolutionError, match=r"ask/list: workspace.read_file was refused"):
        play(task.scenario(), ReferenceAgent())


def test_a_solution_that_uses_what_it_has_not_seen_cannot_be_played(small_debts_with: Callable[..., Any]) -> None:
    task = small_debts_with(("solution.yaml", 'reply: "Paid ${seen.who}."', 'reply: "Paid ${seen.whom}."'))
    with pytest.raises(SolutionError, match="whom"):
        play(task.scenario(), ReferenceAgent())


def test_a_violation_played_by_name_fails_its_check(small_debts: Any) -> None:
    score = play(small_debts.scenario(), make_agent("reference", act_out="pays_landlord")).score
    assert not score.checks["C4"]
    assert play(small_debts.scenario(), make_agent("reference", act_out="says_no")).score.checks["C4"]
    with pytest.raises(KeyError, match="there are: pays_landlord, says_no"):
        play(small_debts.scenario(), make_agent("reference", act_out="robs"))
