"""Nothing that an agent sees betrays the checks, the solution, the score so far, or what is still to come."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import orjson
import pytest

from lifegym.baselines import EpisodeInfo, make_agent
from lifegym.checks.expressions import evaluate_value
from lifegym.envs import LifeEnv
from lifegym.task_suite import load_task

TASK = "japan-trip"


class Seen(NamedTuple):
    """What an agent saw at a time."""

    time: str
    text: str


@cache
def seen_by(agent: str) -> tuple[Seen, ...]:
    """Every observation and every info of a whole episode, and every workspace file after every step."""
    env = LifeEnv(TASK)
    player = make_agent(agent)
    observation, info = env.reset()
    scenario = env.episode.scenario
    player.reset(EpisodeInfo(TASK, TASK, "canonical", 0, scenario.world.services, 3))
    seen = []
    terminated = False
    written: set[str] = set()
    while True:
        seen.append(Seen(observation["time"], f"{observation!r} {info!r}"))
        if terminated:
            return tuple(seen)
        action = player.act(observation)
        observation, _, terminated, _, info = env.step(action)
        for path in env.episode.world.workspace.paths():
            found = env.episode.world.workspace.get(path)
            assert found is not None
            if found.text not in written:
                written.add(found.text)
                seen.append(Seen(observation["time"], f"{path} {found.text}"))


def said_by_the_agent(agent: str) -> str:
    """What an agent itself wrote: it may say what it likes."""
    env = LifeEnv(TASK)
    player = make_agent(agent)
    observation, _ = env.reset()
    player.reset(EpisodeInfo(TASK, TASK, "canonical", 0, env.task.services, 3))
    said = []
    terminated = False
    while not terminated:
        action = player.act(observation)
        said.append(orjson.dumps(action).decode())
        observation, _, terminated, _, _ = env.step(action)
    return "\n".join(said)


def told(value: Any) -> Iterator[str]:
    """The texts in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from told(item)
    elif isinstance(value, list):
        for item in value:
            yield from told(item)


INSIDE = [
    "lexicon", "checks.yaml", "solution.yaml", "timeline.yaml", "weight=", "'weight'", '"weight"', "verdict",
    "noticed_by", "if_none",
]  # fmt: skip
"""Words of the bundle's own that no observation has."""

OUTSIDE = [
    "checks.yaml", "../checks.yaml", "/task_suite/travel/japan_trip/checks.yaml", "solution.yaml",
    "../../task_suite/travel/japan_trip/solution.yaml", "docs/../../timeline.yaml", "lexicon.en.yaml",
]  # fmt: skip
"""Where somebody might look for the grader."""

AGENTS = pytest.mark.parametrize("agent", ["reference", "random", "idle"])


@AGENTS
def test_no_word_of_the_checks(agent: str) -> None:
    scenario = load_task(TASK).scenario()
    everything = "\n".join(seen.text for seen in seen_by(agent))
    for check in scenario.checks.values():
        assert check.what not in everything
        for expression in (*check.gate, *check.all, *check.never, *(let.expression for let in check.let)):
            if len(expression.source) > 12:
                assert expression.source not in everything
    for word in INSIDE:
        assert word not in everything.lower(), word
    assert not re.search(r"\b(?:score|reward|evaluation|reference solution|grader)\b", everything.lower())


@AGENTS
def test_no_name_of_an_event_or_a_check(agent: str) -> None:
    """Names such as U3 and S1 say nothing, and the handbook asks for the former; the others are the bundle's own."""
    scenario = load_task(TASK).scenario()
    everything = "\n".join(seen.text for seen in seen_by(agent))
    for id in scenario.events:
        if "_" in id:
            assert id not in everything, id
    solution = load_task(TASK).bundle.solution
    for act in (*solution.violations, *solution.near_misses):
        assert f"{act.id}'" not in everything
        assert act.what not in everything


@AGENTS
def test_no_text_of_the_timeline_before_its_time(agent: str) -> None:
    """Texts, and every longer text that a change puts into the world, are seen from their event's time on only."""
    scenario = load_task(TASK).scenario()
    from lifegym.checks.evidence import Evidence
    from lifegym.history import History

    scope = Evidence(scenario, scenario.world, History()).scope()
    own = said_by_the_agent(agent)
    start = scenario.world.store.dump().decode()
    for path in scenario.world.workspace.paths():
        found = scenario.world.workspace.get(path)
        start += found.text if found is not None else ""
    hidden = 0
    for event in scenario.events.values():
        values = [evaluate_value(event.text, scope)] if event.text is not None else []
        values.extend(told([evaluate_value(effect.arguments, scope) for effect in event.effects]))
        at = scenario.world.iso(event.at)
        before = "\n".join(seen.text for seen in seen_by(agent) if seen.time < at)
        for text in values:
            if len(text) < 15 or text in start or orjson.dumps(text).decode()[1:-1] in own:
                continue  # short words, places and dates that were known from the beginning
            hidden += 1
            assert text not in before, f"{event.id}: {text!r} was seen before {at}"
            assert orjson.dumps(text).decode()[1:-1] not in before, event.id
    assert hidden > 40


MUTATED = {
    "M1": ["198000"],
    "M3": ["Smaller aircraft"],
    "M6": ["29800"],
    "M7": ["Track inspection", "First train"],
    "M9": ["Late aircraft", "Meal credit", "2026-05-16T19:05", "19:05:00"],
    "W_scam1": ["jp-visa-priority.help", "Visa Priority Desk", "6222 0210"],
    "W_scam2": ["nijo-hold.net", "Mr Sato", "3381920"],
    "W_scam3": ["huadong-refund.info", "refund desk"],
    "W_storm_low": ["Hamon", "2603"],
    "W_advisory": ["both booklets", "BOTH booklets", "replaced booklet"],
}


@AGENTS
@pytest.mark.parametrize("event", list(MUTATED))
def test_no_sign_of_a_change_before_it_happens(agent: str, event: str) -> None:
    scenario = load_task(TASK).scenario()
    at = scenario.world.iso(scenario.events[event].at)
    before = "\n".join(seen.text for seen in seen_by(agent) if seen.time < at)
    assert before
    for sign in MUTATED[event]:
        assert sign not in before, f"{sign} was seen before {event}"


@pytest.mark.parametrize("event", ["M3", "M6", "M7", "M9", "W_scam1", "W_scam2", "W_storm_low"])
def test_the_reference_sees_the_change_afterwards(event: str) -> None:
    """Else the test above would prove nothing."""
    scenario = load_task(TASK).scenario()
    at = scenario.world.iso(scenario.events[event].at)
    after = "\n".join(seen.text for seen in seen_by("reference") if seen.time >= at)
    assert any(sign in after for sign in MUTATED[event])


def test_tools_and_briefing_say_nothing_of_the_task() -> None:
    env = LifeEnv(TASK)
    scenario = env.task.scenario()
    tools = "\n".join(orjson.dumps(env.tools(form)).decode() for form in ("openai", "anthropic", "mcp", "json-schema"))  # type: ignore[arg-type]
    for text in (tools, scenario.briefing):
        for check in scenario.checks.values():
            assert check.what not in text
        for signs in MUTATED.values():
            for sign in signs:
                assert sign not in text
        assert not re.search(r"\b(?:lexicon|rewards?|solution|grader|mutation|verdict|total weight)\b", text.lower())
        for id in scenario.events:
            assert not re.search(rf"\b{id}\b", text), id


@AGENTS
def test_rewards_are_the_only_number_of_the_score(agent: str) -> None:
    """Info says the step's outcome and nothing of what was earned."""
    env = LifeEnv(TASK)
    player = make_agent(agent)
    observation, info = env.reset()
    player.reset(EpisodeInfo(TASK, TASK, "canonical", 0, env.task.services, 3))
    terminated = False
    while not terminated:
        observation, _, terminated, _, info = env.step(player.act(observation))
        assert set(info) == {"task", "variant", "variant_seed", "turn", "step", "ok", "error", "fault", "result"}
        assert set(observation) == {"kind", "stage", "text", "time"}
        assert info["error"] in ("", orjson.loads(observation["text"])["error"]["code"] if not info["ok"] else "")
    assert observation["text"].endswith("The period has ended.")


def test_no_tool_reaches_the_bundle() -> None:
    env = LifeEnv(TASK)
    env.reset()
    for path in OUTSIDE:
        *_, info = env.step({"tool": "workspace.read_file", "arguments": {"path": path}})
        assert info["error"] in ("not_found", "bad_path"), path
    observation = env.step({"tool": "workspace.list_files", "arguments": {}})[0]
    assert ".yaml" not in observation["text"]
