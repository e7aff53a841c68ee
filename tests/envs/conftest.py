"""Environments to test, and programs that a test runs in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lifegym
from lifegym.envs import LifeEnv

SMALL_DEBTS = str(Path(__file__).parents[1] / "bundles" / "small-debts")


@pytest.fixture
def small_env() -> Callable[..., LifeEnv]:
    """An env of the small task: ``small_env(variant=..., max_steps=...)``."""

    def make(**settings: Any) -> LifeEnv:
        return LifeEnv(SMALL_DEBTS, **settings)

    return make


@pytest.fixture
def run_python() -> Callable[..., bytes]:
    """What a program (its text, or its file) prints in a fresh process, with more in its environment."""

    def run(program: str | Path, *arguments: str, path: str = "", **environment: str) -> bytes:
        here = str(Path(lifegym.__file__).parents[1])
        paths = os.pathsep.join(part for part in (path, here, os.environ.get("PYTHONPATH", "")) if part)
        done = subprocess.run(
            [sys.executable, *(["-c", program] if isinstance(program, str) else [str(program)]), *arguments],
            env={**os.environ, "PYTHONPATH": paths, **environment},
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    return run
