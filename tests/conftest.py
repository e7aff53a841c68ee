"""The small task of the tests, tasks that a test makes up, an episode with a short way to act in it, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, settings

from lifegym.episode import Episode, Step
from lifegym.services import catalogue
from lifegym.task_suite import Task, load_task

from .web.browsing import browser, one_browser

__all__ = ["browser", "one_browser"]

# How long an example takes depends on what else the machine does.
settings.register_profile("lifegym", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("lifegym")

SMALL_DEBTS = Path(__file__).parent / "bundles" / "small-debts"

TASK = """\
format: 1
id: made-up
title: A task made for a test
domain: testing
start: 2026-03-02
days: {days}
zone: Europe/Berlin
person: {{user_id: u_ann, name: Ann Lee, email: ann@mail.example, about: Ann likes tests.}}
services: [{services}]
factors: [C1]
stages: [{stages}]
params:
  number: {{is: 7, draw: {{range: [1, 9]}}}}
"""

ONE_CHECK = "checks:\n  - {id: C1, tier: final, weight: 1, axis: accuracy, what: Nothing is asked., all: ['1 == 1']}\n"


class Sitting:
    """An episode under way. Actions are short to write; the steps that came of them are kept."""

    def __init__(self, task: Task, **caps: int) -> None:
        self.episode = Episode(task.scenario(), **caps)
        self.first = self.episode.begin()
        self.steps: list[Step] = []

    def send(self, action: Any) -> Step:
        self.steps.append(self.episode.step(action))
        return self.steps[-1]

    def call(self, tool: str, **arguments: Any) -> Any:
        """The result of an accepted call."""
        step = self.send({"tool": tool, "arguments": arguments})
        assert step.kind == "result", step.text
        return orjson.loads(step.text)

    def wait(self) -> Step:
        return self.send({"tool": "assistant.wait", "arguments": {}})

    def reply(self, text: str) -> Step:
        return self.send({"tool": "assistant.reply", "arguments": {"text": text}})

    def remind(self, at: str, summary: str) -> str:
        """An appointment on a day of March 2026 (``03 10:00``) that rings as it begins. Gives its id."""
        day, _, time = at.partition(" ")
        start = f"2026-03-{day}T{time}:00"
        end = f"2026-03-{day}T23:59:00"
        made = self.call("calendar.create_event", summary=summary, start=start, end=end, reminders=[0])
        return str(made["event_id"])

    def wait_for_the_end(self) -> Step:
        while not self.episode.over:
            self.wait()
        return self.steps[-1]

    @property
    def time(self) -> str:
        """The time of the world, without the year and the offset."""
        return self.episode.world.iso()[5:19]

    @property
    def earned(self) -> float:
        """100 x the sum of rewards so far."""
        return 100 * sum(step.reward for step in self.steps)


@pytest.fixture
def sit() -> Callable[..., Sitting]:
    return Sitting


@pytest.fixture
def small_debts() -> Task:
    return load_task(SMALL_DEBTS)


@pytest.fixture
def small_debts_with(tmp_path: Path) -> Callable[..., Task]:
    """The small task with texts of its files replaced: ``small_debts_with(("timeline.yaml", old, new), ...)``."""

    def change(*edits: tuple[str, str, str]) -> Task:
        folder = tmp_path / f"changed{len(list(tmp_path.iterdir()))}"
        shutil.copytree(SMALL_DEBTS, folder)
        for name, old, new in edits:
            text = (folder / name).read_text()
            assert text.count(old) == 1, f"{old!r} stands in {name} {text.count(old)} times"
            (folder / name).write_text(text.replace(old, new))
        return load_task(folder)

    return change


@pytest.fixture
def make_task(tmp_path: Path) -> Callable[..., Task]:
    """A task with this timeline and these checks, its window from Monday 2026-03-02 in Berlin."""

    def make(
        timeline: str,
        checks: str = ONE_CHECK,
        services: Iterable[str] = ("calendar", "notification_hub"),
        days: int = 4,
        stages: Iterable[str] = ("S1",),
        world: str = "records: {}\n",
    ) -> Task:
        folder = tmp_path / f"made{len(list(tmp_path.iterdir()))}"
        (folder / "world").mkdir(parents=True)
        (folder / "workspace").mkdir()
        task = TASK.format(days=days, services=", ".join(services), stages=", ".join(stages))
        for name, text in (
            ("task.yaml", task),
            ("timeline.yaml", f"events:\n{timeline}"),
            ("checks.yaml", checks),
            ("solution.yaml", "turns: []\n"),
            ("world/all.yaml", world),
            ("workspace/USER.md", "Ann.\n"),
        ):
            (folder / name).write_text(text)
        return load_task(folder)

    return make


class Broken(RuntimeError):
    """What a service of a test raises."""


@pytest.fixture
def break_tool(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a tool raise something that no service should."""

    def broken(*args: Any, **kwargs: Any) -> Any:
        raise Broken("the service is broken")

    def break_(name: str) -> None:
        spec = catalogue.find_tool(name)
        assert spec is not None
        assert spec.arguments  # made from the method's signature when first asked for
        monkeypatch.setattr(spec, "method", broken)

    return break_


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Any]:
    """Ray on this machine, for all tests of the process that want it; stopped afterwards."""
    import ray

    from lifegym.rollouts.connection import connected

    with connected(2, None):
        yield ray
    assert not ray.is_initialized()
