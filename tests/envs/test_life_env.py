"""The Gymnasium face: reset, step, info, options, caps, and what is refused."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from lifegym.envs import LifeEnv, Result
from lifegym.episode import NotOver
from lifegym.task_suite import BundleError, load_task

WAIT = {"tool": "assistant.wait", "arguments": {}}
LOOK = {"tool": "banking.get_account", "arguments": {"account_id": "main"}}
PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}

INFO = {
    "task": str, "variant": str, "variant_seed": int, "turn": int, "step": int, "ok": bool, "error": str, "fault": bool,
    "result": Result,
}  # fmt: skip


# -- gymnasium's own checks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"variant": "train"}, {"render_mode": "ansi"}, {"max_steps": 2}], ids=str)
def test_check_env_has_nothing_to_say(settings: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("LifeBench/japan-trip-v0", **settings)
        check_env(env.unwrapped)
        env.close()


def test_the_wrappers_of_make_have_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make("LifeBench/japan-trip-v0", render_mode="ansi")
        env.action_space.seed(1)
        env.reset(seed=1)
        for _ in range(30):
            env.step(env.action_space.sample())
        env.render()
        env.close()


# -- steps -----------------------------------------------------------------------------------------------------------


def test_every_step_has_the_same_keys_of_the_same_types(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(max_calls_per_turn=3)
    seen = [env.reset(seed=3)]
    actions = [LOOK, None, {"tool": "banking.get_account", "arguments": {"account_id": "none"}}, LOOK, WAIT, WAIT, WAIT]
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        assert (type(reward), type(terminated), type(truncated)) == (float, bool, bool)
        seen.append((observation, info))
    for observation, info in seen:
        assert {key: type(value) for key, value in info.items()} == INFO
        assert env.observation_space.contains(observation)
        assert list(observation) == list(env.observation_space)
    assert terminated
    assert [info["step"] for _, info in seen] == list(range(8))
    assert [info["turn"] for _, info in seen] == [1, 1, 1, 1, 1, 2, 3, 3]
    assert [info["error"] for _, info in seen] == ["", "", "bad_action", "not_found", "turn_limit", "", "", ""]
    assert [info["ok"] for _, info in seen] == [not info["error"] for _, info in seen]
    kinds = ["user_message", "result", "error", "error", "error", "notification", "user_message", "end"]
    assert [observation["kind"] for observation, _ in seen] == kinds
    assert not any(info["fault"] for _, info in seen)


def test_info_has_the_result_as_a_value_that_cannot_be_changed(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    _, info = env.reset()
    assert info["result"].value is None
    observation, *_, info = env.step(LOOK)
    assert json.loads(observation["text"]) == info["result"].value
    with pytest.raises(TypeError):
        info["result"].value["balance_minor"] = 0
    with pytest.raises(AttributeError):
        info["result"].value = {}
    _, *_, again = env.step(LOOK)
    assert again["result"] == info["result"]
    assert hash(again["result"]) == hash(info["result"])
    assert env.step(None)[4]["result"].value["error"]["code"] == "bad_action"


def test_what_a_step_gave_does_not_change_later(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    env.reset()
    observation, *_, info = env.step(LOOK)
    text, balance, keys = observation["text"], info["result"].value["balance_minor"], dict(info)
    env.step(PAY)
    assert env.step(LOOK)[4]["result"].value["balance_minor"] == balance - 5000
    assert (observation["text"], info["result"].value["balance_minor"], info) == (text, balance, keys)


def test_a_fault_is_flagged_in_info_and_has_no_score(
    small_env: Callable[..., LifeEnv], break_tool: Callable[[str], None]
) -> None:
    break_tool("banking.get_account")
    env = small_env()
    env.reset()
    *_, info = env.step(LOOK)
    assert (info["fault"], info["error"]) == (True, "internal_error")
    assert env.step(WAIT)[4]["fault"], "it stays marked"
    env.step(WAIT)
    env.step(WAIT)
    assert env.score().score is None
    assert not env.reset()[1]["fault"]


def test_score_and_evaluation_at_the_end_only(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    env.reset()
    for action in (PAY, WAIT, WAIT):
        for ask in (env.score, env.evaluation):
            with pytest.raises(NotOver):
                ask()
        env.step(action)
    assert env.step(WAIT)[2]
    assert env.score().score == 70
    assert {row["id"]: row["passed"] for row in env.evaluation()} == env.score().checks


# -- before the beginning and after the end --------------------------------------------------------------------------


def test_everything_needs_a_reset_first(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env()
    for ask in (lambda: env.step(WAIT), env.score, env.evaluation, env.snapshot, lambda: env.episode):
        with pytest.raises(gym.error.ResetNeeded):
            ask()
    assert env.render() is None


def test_a_step_after_the_end_raises_and_a_reset_begins_anew(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(max_steps=2)
    first = env.reset()
    env.step(PAY)
    assert env.step(LOOK)[3], "truncated"
    with pytest.raises(gym.error.ResetNeeded, match="has ended"):
        env.step(WAIT)
    assert env.reset() == first


# -- variants and seeds ----------------------------------------------------------------------------------------------


def test_the_canonical_world_is_the_same_at_every_reset(small_env: Callable[..., LifeEnv]) -> None:
    env, other = small_env(), small_env()
    first = env.reset(seed=1)
    dump = env.episode.world.dump()
    for seed in (None, 1, 2):
        env.step(PAY)
        assert env.reset(seed=seed) == first
        assert env.episode.world.dump() == dump
    assert other.reset(seed=99, options={"variant_seed": 5}) == first
    assert first[1]["variant"] == "canonical"
    assert first[1]["variant_seed"] == 0


@pytest.mark.parametrize("variant", ["train", "test"])
def test_a_drawn_variant_comes_from_the_envs_generator(small_env: Callable[..., LifeEnv], variant: str) -> None:
    draws = []
    for env in (small_env(variant=variant), small_env(variant=variant)):
        np.random.seed(len(draws))
        seeds = [env.reset(seed=7)[1]["variant_seed"]] + [env.reset()[1]["variant_seed"] for _ in range(4)]
        draws.append(seeds)
    assert draws[0] == draws[1]
    assert len(set(draws[0])) == 5
    env = small_env(variant=variant)
    assert env.reset(seed=8)[1]["variant_seed"] != draws[0][0]
    assert env.reset(seed=7)[1]["variant_seed"] == draws[0][0]


def test_train_and_test_are_different_worlds_of_the_same_seed(small_env: Callable[..., LifeEnv]) -> None:
    def world(variant: str, seed: int) -> bytes:
        env = small_env(variant=variant)
        _, info = env.reset(options={"variant_seed": seed})
        assert (info["variant"], info["variant_seed"]) == (variant, seed)
        return env.episode.world.dump()

    dumps = {world(variant, seed) for variant in ("train", "test") for seed in range(4)}
    assert len(dumps) == 8
    assert world("train", 3) == world("train", 3)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"variant_seeds": 1}, "unknown reset option 'variant_seeds'; there is 'variant_seed'"),
        ({"variant_seed": 1, "difficulty": 3}, "unknown reset option 'difficulty'"),
        ({"variant_seed": -1}, "from 0 to"),
        ({"variant_seed": 1 << 30}, "from 0 to"),
        ({"variant_seed": 1.5}, "a whole number, not 1.5"),
        ({"variant_seed": "1"}, "a whole number, not '1'"),
        ({"variant_seed": True}, "a whole number, not True"),
        ({"variant_seed": [1]}, r"a whole number, not \[1\]"),
    ],
)
def test_reset_refuses_options_that_it_does_not_know(
    small_env: Callable[..., LifeEnv], options: dict[str, Any], says: str
) -> None:
    env = small_env(variant="train")
    with pytest.raises(ValueError, match=says):
        env.reset(options=options)


def test_numpy_seeds_and_empty_options(small_env: Callable[..., LifeEnv]) -> None:
    env = small_env(variant="train")
    _, info = env.reset(options={"variant_seed": np.int64(4)})
    assert (info["variant_seed"], type(info["variant_seed"])) == (4, int)
    assert env.reset(seed=2, options={}) == env.reset(seed=2, options={"variant_seed": None})


# -- making one ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"task": "japan-tripp"}, KeyError, "do you mean japan-trip"),
        ({"task": "/nowhere/at-all"}, BundleError, "it has no task.yaml"),
        ({"task": "japan-trip", "variant": "dev"}, ValueError, "unknown variant 'dev'; use one of: canonical,"),
        ({"task": "japan-trip", "render_mode": "rgb_array"}, ValueError, "use 'ansi', 'human' or None"),
        ({"task": "japan-trip", "max_steps": 0}, ValueError, "at least 1"),
        ({"task": "japan-trip", "max_calls_per_turn": 0}, ValueError, "at least 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_at_once(settings: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        LifeEnv(**settings)


def test_a_task_may_be_a_folder(small_debts: Any) -> None:
    folder = Path(small_debts.source)
    assert LifeEnv(str(folder)).reset() == LifeEnv(folder).reset()  # type: ignore[arg-type]


# -- tools -----------------------------------------------------------------------------------------------------------


def test_tools_in_the_forms_of_model_providers() -> None:
    env = LifeEnv("japan-trip")
    names = env.action_space.tools
    forms = {form: env.tools(form) for form in ("openai", "anthropic", "mcp", "json-schema")}  # type: ignore[arg-type]
    assert {form: len(tools) for form, tools in forms.items()} == dict.fromkeys(forms, len(names))
    openai = forms["openai"][names.index("email.send_email")]
    assert (openai["type"], openai["function"]["name"]) == ("function", "email__send_email")
    assert openai["function"]["parameters"]["type"] == "object"
    by_name = {tool["name"]: tool for tool in forms["anthropic"]}
    assert by_name["email__send_email"]["input_schema"] == openai["function"]["parameters"]
    assert all("inputSchema" in tool for tool in forms["mcp"])
    assert env.tools() == forms["openai"]
    services = {name.partition(".")[0] for name in names}
    assert services == {*load_task("japan-trip").services, "workspace", "assistant"}


def test_what_tools_gives_is_the_callers_own() -> None:
    env = LifeEnv("japan-trip")
    before = json.dumps(env.tools("openai"))
    for tool in env.tools("openai"):
        tool["function"]["parameters"].clear()
    assert json.dumps(env.tools("openai")) == before


def test_an_unknown_form_of_tools() -> None:
    with pytest.raises(ValueError, match="openai"):
        LifeEnv("japan-trip").tools("yaml")  # type: ignore[arg-type]
