"""The policy gradient baseline: its gradient, its training, its checkpoints, and the agent that plays."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from lifegym.baselines import make_agent
from lifegym.baselines.reinforce import (
    Adam,
    Policy,
    ReinforceAgent,
    Settings,
    Trainer,
    curve_svg,
    measure,
    softmax,
)
from lifegym.rollouts.rollout import play
from lifegym.task_suite import load_task
from lifegym.wrappers import CandidateActions

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
SMALL = Settings((SMALL_DEBTS,), states=200)

# -- the policy ------------------------------------------------------------------------------------------------------


def test_an_untrained_policy_chooses_evenly() -> None:
    policy = Policy(3, 4)
    seen = {"state": np.ones(3, np.float32), "candidates": np.eye(4, dtype=np.float32)}
    assert policy.shares(seen).tolist() == [0.25] * 4
    rng = np.random.default_rng(0)
    assert {policy.choose(seen, rng) for _ in range(60)} == {0, 1, 2, 3}


def test_the_gradient_is_that_of_the_weighted_log_likelihood() -> None:
    rng = np.random.default_rng(0)
    states, calls = rng.normal(size=(5, 3)).astype(np.float32), rng.normal(size=(5, 4, 2)).astype(np.float32)
    counted = softmax(rng.normal(size=(5, 4))).astype(np.float32)
    policy = Policy(3, 2, decay=0.0)
    policy.weights[:] = rng.normal(size=policy.weights.shape)
    given: list[np.ndarray] = []
    policy.adam.step = given.append  # type: ignore[method-assign, assignment]
    policy.improve(states, calls, counted)

    def worth(weights: np.ndarray) -> float:
        wide = np.concatenate([states, np.ones((5, 1))], 1)
        shares = softmax(np.einsum("bs,sd,bkd->bk", wide, weights, calls))
        return float((counted * np.log(shares)).sum(1).mean())

    for place in np.ndindex(policy.weights.shape):
        nudge = np.zeros(policy.weights.shape)
        nudge[place] = 1e-4
        base = policy.weights.astype(np.float64)
        slope = (worth(base + nudge) - worth(base - nudge)) / 2e-4
        assert -given[0][place] == pytest.approx(slope, abs=1e-4)


def test_adam_finds_the_lowest_point() -> None:
    values = np.array([3.0, -2.0])
    adam = Adam(values, 0.1)
    for _ in range(400):
        adam.step(2 * (values - 1))
    assert values == pytest.approx([1.0, 1.0], abs=0.05)


# -- training --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of the small task, and what it was after half of it."""
    folder = tmp_path_factory.mktemp("reinforce")
    trainer = Trainer(SMALL)
    for progress in trainer.run():
        if progress.states >= 100 and not (folder / "half.npz").exists():
            trainer.save(folder / "half.npz")
    trainer.save(folder / "policy.npz")
    return folder / "policy.npz"


def test_it_learns_a_small_month(trained: Path) -> None:
    policy = Trainer.load(trained).policy
    untrained = Policy(policy.weights.shape[0] - 1, policy.weights.shape[1])
    before = np.mean(measure(untrained, SMALL_DEBTS, range(6), greedy=False))
    after = np.mean(measure(policy, SMALL_DEBTS, range(6)))
    assert after >= 60, (before, after)
    assert after >= 2 * before, (before, after)


def test_what_was_interrupted_goes_on_as_if_it_had_not_been(trained: Path) -> None:
    again = Trainer.load(trained.with_name("half.npz"))
    assert 100 <= again.states < 200
    for _ in again.run():
        pass
    whole = Trainer.load(trained)
    assert (again.states, again.episodes) == (whole.states, whole.episodes)
    assert np.array_equal(again.policy.weights, whole.policy.weights)


def test_a_checkpoint_goes_on_with_its_settings_only(trained: Path, tmp_path: Path) -> None:
    trainer = Trainer.load(trained)
    trainer.go_on(replace(SMALL, states=300))
    assert trainer.settings.states == 300
    with pytest.raises(ValueError, match="use another folder"):
        trainer.go_on(replace(SMALL, seed=1))
    np.savez(tmp_path / "other.npz", a=np.zeros(1))
    with pytest.raises(ValueError, match="no checkpoint"):
        Trainer.load(tmp_path / "other.npz")
    with pytest.raises(ValueError, match="train anew"):
        Policy(3, 4).load(trainer.policy.arrays())


@pytest.mark.parametrize(("reward", "seed"), [("stage", 0), ("sparse", 2), ("dense", 1)])
def test_other_rewards_teach_as_well(reward: str, seed: int) -> None:
    trainer = Trainer(replace(SMALL, reward=reward, states=12, seed=seed))
    for progress in trainer.run():
        assert progress.states <= 12
    assert np.abs(trainer.policy.weights).max() > 0


def test_what_only_later_stages_need_is_worth_something_with_a_longer_horizon() -> None:
    """Along the reference: by what the present stage pays a turn may end early, by more its next step is best."""
    better = {}
    for horizon in (1, 3):
        trainer = Trainer(Settings(("option-window",), "stage", horizon=horizon))
        env = trainer.envs[0]
        env.reset(seed=1)
        better[horizon] = 0
        for _ in range(60):
            below = env.env
            assert isinstance(below, CandidateActions)
            if below.planned(below.right).step:
                returns = trainer.returns(env)
                better[horizon] += sum(returns > returns[below.right])
            env.step(below.right)
    assert better[1] > 0
    assert better[3] == 0


def test_returns_leave_the_state_as_it_was() -> None:
    trainer = Trainer(Settings(("option-window",)))
    env = trainer.envs[0]
    env.reset(seed=1)
    returns = trainer.returns(env)
    assert np.array_equal(trainer.returns(env), returns)
    assert returns.argmax() == env.get_wrapper_attr("right")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [({"tasks": ()}, "at least one task"), ({"reward": "x"}, "use one of"), ({"every": 0}, "at least 1"),
     ({"cost": 0.0}, "costs something")],
)  # fmt: skip
def test_wrong_settings(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        replace(SMALL, **wrong)


# -- the agent -------------------------------------------------------------------------------------------------------


def test_the_agent_plays_what_was_learnt(trained: Path) -> None:
    agent = make_agent("reinforce", checkpoint=str(trained))
    scores = [play(load_task(SMALL_DEBTS).scenario("test", seed), agent, SMALL_DEBTS).score.score for seed in range(4)]
    assert np.mean([score or 0.0 for score in scores]) >= 60


def test_the_untrained_agent_draws_by_its_seed() -> None:
    scenario = load_task(SMALL_DEBTS).scenario("test", 3)

    def actions(seed: int) -> list[object]:
        return play(scenario, ReinforceAgent(), SMALL_DEBTS, seed).actions

    assert actions(1) == actions(1)
    assert any(actions(seed) != actions(1) for seed in range(2, 7))


def test_the_agent_says_where_another_episode_is_played() -> None:
    scenario = load_task(SMALL_DEBTS).scenario("test", 3)
    agent = ReinforceAgent()

    class Changed:
        def reset(self, info: object) -> None:
            agent.reset(info)  # type: ignore[arg-type]

        def act(self, observation: dict[str, str]) -> object:
            return agent.act({**observation, "text": "other"})

    with pytest.raises(RuntimeError, match="use it on a plain env"):
        play(scenario, Changed(), SMALL_DEBTS)  # type: ignore[arg-type]


# -- the curve -------------------------------------------------------------------------------------------------------


def test_a_curve_is_an_svg_with_a_line_for_each_name() -> None:
    runs = {"dense & shaped": [[(0.0, 1.0), (10.0, 60.0)], [(0.0, 3.0), (10.0, 80.0)]], "sparse": [[(0.0, 1.0)]]}
    root = ET.fromstring(curve_svg("Learning", "states", runs))
    names = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"Learning", "states", "dense & shaped", "sparse"} <= set(names)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}polyline"))) == 2
    with pytest.raises(ValueError, match="nothing to draw"):
        curve_svg("Learning", "states", {})
