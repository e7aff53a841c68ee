"""The small task as a folder that a test may change."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lifegym.task_suite import BundleError, Task, read_bundle

BUNDLE = Path(__file__).parents[1] / "bundles" / "small-debts"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(BUNDLE, tmp_path / "small-debts"))


@pytest.fixture
def change(folder: Path) -> Callable[..., Path]:
    """Replace a passage of a file of the task, which must stand there; or write a file where no passage is given."""

    def edit(file: str, old: str | None, new: str) -> Path:
        path = folder / file
        if old is None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(new, encoding="utf-8")
            return folder
        text = path.read_text(encoding="utf-8")
        assert text.count(old) >= 1, f"{file} has no {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return folder

    return edit


@pytest.fixture
def complaint(folder: Path) -> Callable[[], str]:
    """What is said about the task, from reading its files to building its canonical world."""

    def read() -> str:
        with pytest.raises(BundleError) as caught:
            Task(read_bundle(folder), str(folder)).scenario()
        return str(caught.value)

    return read
