"""A small task to play many times, agents that get into trouble, and what runs after them."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lifegym.rollouts import Evaluation, evaluate

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")
PLAYERS = Path(__file__).with_name("players")

VARYING = ("seconds", "trajectory")
"""What may differ between two runs that are the same."""


def left(session: int) -> list[str]:
    """What still runs of a session of processes."""
    listed = subprocess.run(["ps", "-e", "-o", "sid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [args for sid, stat, args in rows if int(sid) == session and not stat.startswith("Z")]


@pytest.fixture(scope="session")
def leaving() -> Iterator[Callable[[int], None]]:
    """Sessions of processes that have to be gone in the end: Ray's own agents look for a killed driver's for a minute.

    They are waited for after all other tests, when the minute is over.
    """
    sessions: list[int] = []
    yield sessions.append
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and any(map(left, sessions)):
        time.sleep(0.2)
    assert not [name for session in sessions for name in left(session)]


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
