"""A small task to play many times, agents that get into trouble, and Ray for the tests that need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lifegym.rollouts import Evaluation, evaluate

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
PLAYERS = Path(__file__).with_name("players")

VARYING = ("seconds", "trajectory")
"""What may differ between two runs that are the same."""


@pytest.fixture(scope="session")
def ray_here() -> Iterator[Any]:
    """Ray on this machine, for all tests of the process that want it; stopped afterwards."""
    import ray

    from lifegym.rollouts.connection import connected

    with connected(2, None):
        yield ray
    assert not ray.is_initialized()


@pytest.fixture
def troubled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Evaluation]:
    """An evaluation of the small task by the troubled agent: ``troubled(kind=..., workers=..., ...)``."""
    monkeypatch.syspath_prepend(str(PLAYERS))
    place = tmp_path / "marks"
    place.mkdir()

    def run(agent: dict[str, Any] | None = None, **options: Any) -> Evaluation:
        settings = {"place": str(place), **(agent or {})}
        return evaluate("troubled:Troubled", [SMALL_DEBTS], **{"runs": 4, "settings": settings, **options})

    return run


def same(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows without what may differ."""
    return [{name: value for name, value in row.items() if name not in VARYING} for row in rows]


@pytest.fixture
def undisturbed(troubled: Callable[..., Evaluation]) -> list[dict[str, Any]]:
    """What the runs give when nothing happens."""
    return same(troubled(workers=0).rows)
