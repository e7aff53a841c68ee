"""Runs to look at."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.rollouts import evaluate

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")


@pytest.fixture
def run_of(tmp_path: Path) -> Callable[..., Path]:
    """A run folder of the small task: ``run_of("reference", runs=2)``."""

    def play(agent: Any = "reference", name: str = "run", **options: Any) -> Path:
        folder = tmp_path / name
        evaluate(agent, [SMALL_DEBTS], out=folder, workers=0, **{"runs": 2, **options})
        return folder

    return play
