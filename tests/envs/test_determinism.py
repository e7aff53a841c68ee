"""Same in, same out: in any process, whatever the hash seed, the wall clock, the year, the time zone and the locale."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.baselines import make_agent
from lifegym.rollouts import play
from lifegym.task_suite import load_task

PLAY = """
import json, random, sys
import numpy as np
import gymnasium as gym

variant, seed, actions, salt = sys.argv[1], int(sys.argv[2]), json.load(open(sys.argv[3])), sys.argv[4]
if salt == "faked":
    import datetime, time
    assert f"{datetime.date(2026, 1, 1):%A}" == "sobota"
    assert datetime.datetime.now().year == datetime.date.today().year == time.localtime().tm_year == 2031
    assert time.tzname[0] == "NST"
random.seed(salt)
np.random.seed(len(salt))
env = gym.make("lifegym:LifeBench/japan-trip-v0", variant=variant)
print(repr(env.reset(seed=3, options={"variant_seed": seed})))
for action in actions:
    print(repr(env.step(action)))
life = env.unwrapped
print(repr(life.tools("openai")))
print(life.episode.world.dump().decode())
print(repr(life.score()))
print(repr([{k: v for k, v in row.items() if k not in ("clauses", "reason")} for row in life.evaluation()]))
print(repr(life.episode.history.calls), repr(life.episode.history.turns), repr(life.episode.history.fired))
"""

FAKED_CLOCK = '''
"""Another year for everybody in this process who asks the clock, and Polish names for its days and months."""
import datetime
import re
import time

AHEAD = 5 * 365 * 86_400 + 12_345
real = {name: getattr(time, name) for name in ("time", "time_ns", "localtime", "gmtime", "strftime", "ctime")}
time.time = lambda: real["time"]() + AHEAD
time.time_ns = lambda: real["time_ns"]() + AHEAD * 10**9
for name in ("localtime", "gmtime", "ctime"):
    setattr(time, name, lambda seconds=None, name=name: real[name](time.time() if seconds is None else seconds))
names = {"%a": "sob", "%A": "sobota", "%b": "lis", "%B": "listopad", "%p": ""}


def strftime(form, when=None):
    form = re.sub("%[aAbBp]", lambda match: names[match[0]], form)
    return real["strftime"](form, time.localtime() if when is None else when)


time.strftime = strftime


def kind(original):
    class Meta(type):
        def __instancecheck__(cls, value):
            return isinstance(value, original)

    return Meta


class date(datetime.date, metaclass=kind(datetime.date)):
    @classmethod
    def today(cls):
        return cls.fromtimestamp(time.time())


class moment(datetime.datetime, metaclass=kind(datetime.datetime)):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.now(datetime.timezone.utc).replace(tzinfo=None)

    @classmethod
    def today(cls):
        return cls.now()


datetime.date, datetime.datetime = date, moment
'''


@pytest.fixture(scope="module")
def faked_clock(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder that, first on the path, puts a process into the year 2031 or so."""
    folder = tmp_path_factory.mktemp("clock")
    ahead = (dt.datetime(2031, 7, 1) - dt.datetime.now()).total_seconds()
    text = FAKED_CLOCK.replace("AHEAD = 5 * 365 * 86_400 + 12_345", f"AHEAD = {int(ahead)}")
    (folder / "sitecustomize.py").write_text(text)
    return str(folder)


@pytest.mark.parametrize(
    ("agent", "variant", "seed"), [("reference", "canonical", 0), ("random", "canonical", 0), ("random", "test", 11)]
)
def test_two_processes_a_hash_seed_a_year_and_an_ocean_apart(
    run_python: Callable[..., bytes], faked_clock: str, tmp_path: Path, agent: str, variant: str, seed: int
) -> None:
    rollout = play(load_task("japan-trip").scenario(variant, seed), make_agent(agent), seed=6)
    actions = tmp_path / "actions.json"
    actions.write_text(json.dumps(rollout.actions))
    arguments = (variant, str(seed), str(actions))
    here = run_python(PLAY, *arguments, "plain", PYTHONHASHSEED="0", TZ="Asia/Shanghai", LANG="C.UTF-8")
    there = run_python(
        PLAY, *arguments, "faked", path=faked_clock, PYTHONHASHSEED="4242", TZ="America/St_Johns", LANG="en_US.UTF-8"
    )
    for number, (one, other) in enumerate(zip(here.splitlines(), there.splitlines(), strict=True)):
        assert one == other, f"line {number} differs"
    assert here == there
    assert len(here.splitlines()) >= len(rollout.actions) + 6
    assert rollout.episode.world.dump() in here, "and this process agrees"
    assert repr(rollout.score).encode() in here


def test_the_agents_themselves_repeat(run_python: Callable[..., bytes]) -> None:
    program = """
import json
from lifegym.task_suite import load_task
from lifegym.baselines import make_agent
from lifegym.rollouts import play
for agent in ("reference", "random"):
    print(json.dumps(play(load_task("japan-trip").scenario("train", 5), make_agent(agent), seed=2).actions))
"""
    printed = [run_python(program, PYTHONHASHSEED=seed) for seed in ("1", "77")]
    assert printed[0] == printed[1]
    assert len(printed[0]) > 10_000


def test_the_explained_evaluation_repeats(run_python: Callable[..., bytes]) -> None:
    program = """
from lifegym.task_suite import load_task
from lifegym.baselines import make_agent
from lifegym.rollouts import play
for agent in ("reference", "random"):
    print(repr(play(load_task("japan-trip").scenario(), make_agent(agent)).episode.evaluation()))
"""
    assert run_python(program, PYTHONHASHSEED="0") == run_python(program, PYTHONHASHSEED="4242")


def test_a_second_episode_of_a_process_is_as_the_first() -> None:
    """What one episode leaves behind in caches does not show in the next."""
    scenario = load_task("japan-trip").scenario("train", 9)

    def whole(seed: int) -> Any:
        rollout = play(scenario, make_agent("random"), seed=seed, max_steps=200)
        return rollout.actions, rollout.rewards, rollout.episode.world.dump(), repr(rollout.episode.history.calls)

    first = whole(1)
    whole(2)
    play(load_task("japan-trip").scenario(), make_agent("reference"))
    assert whole(1) == first
