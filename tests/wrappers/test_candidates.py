"""A few calls to choose from, and the arrays that describe them."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

from lifegym.envs import LifeEnv, SuiteEnv
from lifegym.wrappers import (
    CandidateActions,
    ChatObservation,
    DenseReward,
    FeatureObservation,
    NoisyTools,
    RenamedTools,
    StageStart,
    ToolSubset,
)
from lifegym.wrappers.hashing import needles, parts, sightings
from lifegym.wrappers.layout import CANDIDATE, STATE

from .conftest import PAY, SMALL_DEBTS, WAIT

TASKS = ("option-window", "japan-trip", "kassel-bakery-crew")
Policy = Callable[[CandidateActions, Any, dict[str, Any]], int]


def played(env: CandidateActions, policy: Policy, seed: int = 0) -> float:
    """The score of a policy that chooses an index."""
    observation, info = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(policy(env, observation, info))
        total, over = total + reward, terminated or truncated
    return 100 * total


def drawn(seed: int) -> Policy:
    rng = np.random.default_rng(seed)
    return lambda env, observation, info: int(rng.integers(env.k))


# -- what is offered -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_who_always_takes_the_right_one_plays_the_reference(task: str) -> None:
    env = CandidateActions(LifeEnv(task, "train"))
    assert played(env, lambda env, observation, info: env.right) == pytest.approx(100.0)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("often", [0.0, 0.9])
def test_the_world_accepts_every_candidate(task: str, often: float) -> None:
    """Whether the policy is lost or nearly right."""
    env = CandidateActions(LifeEnv(task, "train"))
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    for _ in range(60):
        calls = list(info["candidates"])
        for call in calls:
            assert env.unwrapped.episode.fork().step(call).kind != "error", call  # type: ignore[attr-defined]
        assert len(calls) == env.k
        assert WAIT in calls
        others = [str(call) for call in calls if call != WAIT]
        assert len(set(others)) == len(others)
        index = env.right if rng.random() < often else int(rng.integers(env.k))
        _, _, terminated, truncated, info = env.step(index)
        if terminated or truncated:
            break


def latest_id() -> Policy:
    """Always the candidate with the id that was seen last."""
    seen: dict[str, int] = {}

    def choose(env: CandidateActions, observation: Any, info: dict[str, Any]) -> int:
        seen.update(
            dict.fromkeys(re.findall(r'"[a-z_]*(?:_id|_ref|_no|pnr)":"([^"]+)"', observation["text"]), len(seen))
        )
        ages = [max((seen.get(piece, -1) for piece in needles(c["arguments"])), default=-1) for c in info["candidates"]]
        return int(np.argmax(ages))

    return choose


@pytest.mark.parametrize("task", TASKS)
def test_the_latest_id_is_no_way_to_a_score(task: str) -> None:
    env = CandidateActions(LifeEnv(task, "train", max_steps=600))
    assert np.mean([played(env, latest_id(), seed) for seed in range(2)]) <= 15.0


@pytest.mark.parametrize("task", TASKS)
def test_on_the_way_of_the_reference_the_latest_id_seldom_tells_the_right_call(task: str) -> None:
    """Who always takes it would be right by chance in an eighth of the steps."""
    env = CandidateActions(LifeEnv(task, "train"))
    hits: list[bool] = []
    choose = latest_id()

    def reference(env: CandidateActions, observation: Any, info: dict[str, Any]) -> int:
        hits.append(choose(env, observation, info) == env.right)
        return env.right

    played(env, reference)
    assert len(hits) > 100
    assert np.mean(hits) <= 0.25


def test_a_step_brings_new_calls_and_keeps_others_of_the_turn() -> None:
    env = CandidateActions(LifeEnv("japan-trip"))
    _, info = env.reset(seed=0)
    kept: list[int] = []
    for _ in range(80):
        turn, before = info.get("turn"), [call for call in info["candidates"] if call != WAIT]
        _, _, _, _, info = env.step(env.right)
        if info["turn"] == turn:
            kept.append(sum(call in before for call in info["candidates"]))
    assert max(kept) < env.k - 1
    assert np.mean(kept) > 1


def test_an_index_says_nothing() -> None:
    env = CandidateActions(LifeEnv("japan-trip"))
    where = np.zeros(env.k)
    for seed in range(3):
        env.reset(seed=seed)
        for _ in range(80):
            where[env.right] += 1
            env.step(env.right)
    assert where.min() >= 10, where
    assert where.max() <= 60, where


def test_a_step_whose_inputs_were_not_seen_is_not_offered_as_right(small: LifeEnv) -> None:
    env = CandidateActions(small)
    _, info = env.reset(seed=0)
    first = info["candidates"][env.right]
    assert first["tool"] == "workspace.read_file", "the debts are read before they are paid"
    assert PAY not in list(info["candidates"])
    _, _, _, _, info = env.step(env.right)
    while (right := info["candidates"][env.right])["tool"] != "banking.pay_payee":
        _, _, _, _, info = env.step(env.right)
    assert right == PAY


def test_where_no_step_is_left_the_turn_ends(small: LifeEnv) -> None:
    env = CandidateActions(small)
    _, info = env.reset(seed=0)
    turns = set()
    for _ in range(40):
        right = info["candidates"][env.right]
        _, _, terminated, _, after = env.step(env.right)
        if right["tool"].startswith("assistant."):
            turns.add(after["turn"])
        info = after
        if terminated:
            break
    assert terminated
    assert len(turns) > 1


def test_at_the_cap_of_a_turn_only_its_ends_are_offered() -> None:
    env = CandidateActions(LifeEnv(SMALL_DEBTS, max_calls_per_turn=1))
    env.reset(seed=0)
    _, _, _, _, info = env.step(env.right)
    assert {call["tool"] for call in info["candidates"]} <= {"assistant.wait", "assistant.reply"}


def test_the_same_seed_offers_the_same_and_another_another() -> None:
    def offers(seed: int) -> list[Any]:
        env = CandidateActions(LifeEnv("option-window"))
        _, info = env.reset(seed=seed)
        found = [info["candidates"]]
        for _ in range(20):
            found.append(env.step(3)[4]["candidates"])
        return found

    assert offers(4) == offers(4)
    assert offers(4) != offers(5)


def test_what_is_no_index_is_answered_as_a_malformed_call(small: LifeEnv) -> None:
    env = CandidateActions(small, k=3)
    env.reset(seed=0)
    for action in (3, -1, "1", None, 0.5):
        observation, _, _, _, info = env.step(action)
        assert (observation["kind"], info["error"]) == ("error", "bad_action")
        assert len(info["candidates"]) == 3
    with pytest.raises(ValueError, match="at least 2"):
        CandidateActions(small, k=1)
    with pytest.raises(ValueError, match="calls of a LifeEnv"):
        CandidateActions(gym.make("CartPole-v1"))


def test_what_does_not_go_below_candidates(small: LifeEnv) -> None:
    stage = StageStart(small, "S2")
    for below in (
        stage,
        DenseReward(stage),
        RenamedTools(small),
        ToolSubset(small, ["banking.*"]),
        ChatObservation(small),
    ):
        with pytest.raises(ValueError, match=r"take \w+ away"):
            CandidateActions(below)


def test_a_call_that_timed_out_is_still_the_right_one() -> None:
    env = CandidateActions(NoisyTools(LifeEnv("option-window"), rate=0.3, kinds=["timeout"]))
    assert played(env, lambda env, observation, info: env.right) == pytest.approx(100.0)
    noisy = env.env
    assert isinstance(noisy, NoisyTools)
    assert noisy.faults > 10


def test_nothing_is_chosen_before_a_reset(small: LifeEnv) -> None:
    for env in (CandidateActions(small), FeatureObservation(CandidateActions(small))):
        with pytest.raises(gym.error.ResetNeeded, match="call reset"):
            env.step(0)


def test_a_suite_offers_what_fits_the_drawn_task() -> None:
    env = FeatureObservation(CandidateActions(SuiteEnv(["option-window", "japan-trip"])))
    rows = {env.reset(seed=seed)[1]["task"]: env.reset(seed=seed)[0]["state"] for seed in range(6)}
    assert len(rows) == 2
    assert not np.array_equal(*rows.values())


def test_a_snapshot_goes_on_in_the_same_way() -> None:
    env = FeatureObservation(CandidateActions(DenseReward(LifeEnv("option-window", "train"))))
    env.reset(seed=2)
    right = env.get_wrapper_attr
    for _ in range(25):
        env.step(right("right"))
    moment = env.snapshot()
    runs = []
    for _ in range(3):
        env.restore(moment)
        runs.append([env.step(index % 8)[:4] for index in range(30)])
    assert data_equivalence(runs[0], runs[1])
    assert data_equivalence(runs[0], runs[2])


# -- features --------------------------------------------------------------------------------------------------------


def walked(steps: int = 30) -> FeatureObservation:
    env = FeatureObservation(CandidateActions(LifeEnv("japan-trip", "train")))
    env.reset(seed=3)
    for _ in range(steps):
        env.step(env.get_wrapper_attr("right"))
    return env


def test_candidates_in_another_order_have_the_same_rows_in_that_order() -> None:
    env = walked()
    observation, *_, info = env.step(env.get_wrapper_attr("right"))
    order = [3, 0, 7, 1, 6, 2, 5, 4]
    calls = list(info["candidates"])
    env._offered = type(info["candidates"])(tuple(calls[i] for i in order))
    env._memory.now -= 1
    seen = {"kind": "result", "stage": "", "time": "", "text": ""}
    env._known.clear()
    again = env._features(seen)
    assert np.array_equal(again["candidates"], observation["candidates"][order])


def test_a_row_is_worked_out_without_knowing_which_is_right() -> None:
    """The same moment with another candidate called right, and a call described alone, give the same rows."""
    env = walked()
    observation, *_ = env.step(env.get_wrapper_attr("right"))
    below = env.env
    assert isinstance(below, CandidateActions)
    seen = {"kind": "result", "stage": "", "time": "", "text": ""}
    for other in range(8):
        below._right = other
        env._memory.now -= 1
        assert np.array_equal(env._features(seen)["candidates"], observation["candidates"])
    assert not any(name in vars(env) for name in ("right", "_right"))


def test_what_stands_where() -> None:
    env = walked(0)
    observation, info = env.reset(seed=3)
    rows, state = observation["candidates"], observation["state"]
    assert env.observation_space.contains(observation)
    for row, call in zip(rows, info["candidates"], strict=True):
        sort = row[CANDIDATE["sort"]]
        assert sort.sum() == 1.0
        assert sort[2] == (call["tool"] == "assistant.wait")
        assert sort[3] == (call["tool"] == "assistant.reply")
        assert row[CANDIDATE["tool"]].sum() == 1.0
        assert not row[CANDIDATE["past"]].any()
    assert state[STATE["stage"]].sum() == state[STATE["kind"]].sum() == 1.0
    assert state[STATE["kind"]][0] == 1.0, "a message of the user"
    assert not state[STATE["changed"]].any()
    assert np.linalg.norm(state[STATE["opening"]]) == pytest.approx(1.0)
    read = next(i for i, call in enumerate(info["candidates"]) if call["tool"] == "workspace.read_file")
    call = info["candidates"][read]
    observation, *_, info = env.step(read)
    again = [i for i, other in enumerate(info["candidates"]) if other == call]
    assert all(observation["candidates"][i][CANDIDATE["past"]][0] == 1.0 for i in again)


def test_a_badge_says_that_something_changed_elsewhere() -> None:
    env = walked(0)
    state = env.reset(seed=3)[0]["state"]
    changed = []
    for _ in range(60):
        state = env.step(env.get_wrapper_attr("right"))[0]["state"]
        changed.append(state[STATE["changed"]].sum())
    assert max(changed) >= 1.0
    assert state[STATE["unread"]].max() > 0


def test_amounts_days_and_times_are_found_in_other_forms() -> None:
    text = "It costs 1,250.50 yuan; come on 2026-03-02T09:00:00+08:00 to bo@mail.example"
    shown = set(sightings(text, parts(text)))
    assert set(needles({"amount_minor": 125050, "at": "2026-03-02T09:00", "to": ["bo@mail.example"]})) <= shown
    assert not set(needles({"amount_minor": 125060})) <= shown
    assert list(needles({"whole": True, "none": None})) == []


def test_features_need_candidates(small: LifeEnv) -> None:
    with pytest.raises(ValueError, match="CandidateActions below"):
        FeatureObservation(small)


DIGEST = """
import hashlib, numpy as np
from lifegym.envs import LifeEnv
from lifegym.wrappers import CandidateActions, FeatureObservation
env = FeatureObservation(CandidateActions(LifeEnv("japan-trip", "train")))
observation, info = env.reset(seed=1)
made = hashlib.sha256()
for step in range(40):
    for part in (observation["state"], observation["candidates"], repr(info["candidates"]).encode()):
        made.update(part)
    observation, *_, info = env.step(env.get_wrapper_attr("right") if step % 4 else step % 8)
print(made.hexdigest())
"""


def test_the_same_in_every_process() -> None:
    found = set()
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run([sys.executable, "-c", DIGEST], env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout.strip())
    assert len(found) == 1
    assert len(found.pop()) == len(hashlib.sha256().hexdigest())
