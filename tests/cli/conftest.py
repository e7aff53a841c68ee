"""The command as a test calls it, and a small task to call it on."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from lifegym.cli import app
from lifegym.task_suite import suite

BUNDLE = Path(__file__).parents[1] / "bundles" / "small-debts"


@pytest.fixture
def bundle() -> str:
    return str(BUNDLE)


@pytest.fixture
def cli() -> Callable[..., Any]:
    """Run a command in this process; the exit code must be the expected one."""

    def run(*words: str | Path, code: int = 0, input: str | None = None) -> Any:
        result = CliRunner().invoke(app, [str(word) for word in words], input=input, env={"COLUMNS": "200"})
        unexpected = result.exception if not isinstance(result.exception, SystemExit) else None
        assert unexpected is None, repr(unexpected)
        assert result.exit_code == code, result.output
        return result

    return run


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the small task that a test may change."""
    return Path(shutil.copytree(BUNDLE, tmp_path / "small-debts"))


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A suite that has the small task alone, as ``testing/small-debts``. Gives its folder."""
    folder = tmp_path / "testing" / "small_debts"
    shutil.copytree(BUNDLE, folder)
    monkeypatch.setattr(suite, "_paths", lambda: {"small-debts": folder})
    monkeypatch.setattr("lifegym.task_suite.task._loaded", {})
    return folder
