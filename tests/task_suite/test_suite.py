"""Which tasks there are, and how they are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lifegym.task_suite import domains, match_tasks, read_bundle, suite, task_ids, task_path


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    """A suite of four tasks in two domains."""
    paths = {name: Path("/x") / domain / name.replace("-", "_") for name, domain in
             (("move-house", "home"), ("tax-year", "home"), ("japan-trip", "travel"),
              ("ski-week", "travel"))}  # fmt: skip
    monkeypatch.setattr(suite, "_paths", lambda: paths)


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        (["japan-trip"], ["japan-trip"]), (["travel/japan-trip"], ["japan-trip"]),
        (["travel/*"], ["japan-trip", "ski-week"]),
        (["*"], ["move-house", "tax-year", "japan-trip", "ski-week"]),
        (["*-trip", "move-*"], ["move-house", "japan-trip"]),
        (["ski-week", "ski-week", "travel/s*"], ["ski-week"]), (["*/t*"], ["tax-year"]),
        (["[mt]*"], ["move-house", "tax-year"]), ([], []),
        (["sk?-week"], ["ski-week"]),
    ],
)  # fmt: skip
def test_patterns_name_each_task_once_in_suite_order(shelf: None, patterns: list[str], expected: list[str]) -> None:
    assert match_tasks(*patterns) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("japan-tripp", "there is no task 'japan-tripp'; do you mean japan-trip"),
        ("zzz", "there is no task 'zzz'; there are: move-house, tax-year"),
        ("home/japan-trip", "no task matches 'home/japan-trip'; domains are: home, travel"),
        ("work/*", "no task matches 'work/\\*'"),
        ("Japan-Trip", "there is no task 'Japan-Trip'; do you mean japan-trip"), ("", "there is no task ''"),
    ],
)  # fmt: skip
def test_unknown_names_get_the_nearest(shelf: None, pattern: str, message: str) -> None:
    with pytest.raises(KeyError, match=message):
        match_tasks("*", pattern)


def test_ids_by_domain(shelf: None) -> None:
    assert domains() == ["home", "travel"]
    assert task_ids("home") == ["move-house", "tax-year"]
    assert task_ids("nowhere") == []
    assert len(task_ids()) == 4


def test_the_tasks_that_ship_are_where_their_names_say() -> None:
    assert "japan-trip" in task_ids("travel")
    for name in task_ids():
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name)
        bundle = read_bundle(task_path(name))
        assert bundle.task.id == name
        assert bundle.task.domain == task_path(name).parent.name
    assert len(set(task_ids())) == len(task_ids())
