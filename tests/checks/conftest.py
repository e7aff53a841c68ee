"""A small task whose checks a test writes, and a player of scripted turns."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from lifegym.episode import Episode
from lifegym.task_suite import load_task

BUNDLE = Path(__file__).parents[1] / "bundles" / "small-debts"

PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}
WAIT = {"tool": "assistant.wait", "arguments": {}}

Script = Sequence[Sequence[Any] | str]


def reply(text: str) -> dict[str, Any]:
    return {"tool": "assistant.reply", "arguments": {"text": text}}


def write(path: str, text: str) -> dict[str, Any]:
    return {"tool": "workspace.write_file", "arguments": {"path": path, "text": text}}


def check(id: str = "c", tier: str = "final", **fields: Any) -> dict[str, Any]:
    return {"id": id, "tier": tier, "weight": 1.0, "axis": "safety", "what": "x", **fields}


@pytest.fixture
def begin(tmp_path: Path) -> Callable[..., Episode]:
    """Begin an episode of the small debts with these checks instead of its own."""

    def make(*checks: dict[str, Any], shared: dict[str, str] | None = None, artifacts: Any = None) -> Episode:
        folder = tmp_path / f"task{len(list(tmp_path.iterdir()))}"
        shutil.copytree(BUNDLE, folder)
        default = {
            "debts.csv": {"key": "who", "columns": {"who": "str", "amount_minor": "int", "status": ["open", "paid"]}}
        }
        contents = {"artifacts": artifacts or default, "shared": shared or {}, "checks": list(checks)}
        (folder / "checks.yaml").write_text(json.dumps(contents), encoding="utf-8")
        return Episode(load_task(folder).scenario())

    return make


@pytest.fixture
def play() -> Callable[[Episode, Script], Episode]:
    """Play turns to the end of the episode: a list of calls each, a text stands for a reply; then silence."""

    def run(episode: Episode, script: Script = ()) -> Episode:
        episode.begin()
        for turn in script:
            calls = [reply(turn)] if isinstance(turn, str) else list(turn)
            for call in calls:
                step = episode.step(call)
                assert step.kind != "error", step.text
            if not calls or not str(calls[-1]["tool"]).startswith("assistant."):
                episode.step(WAIT)
        while not episode.over:
            episode.step(WAIT)
        return episode

    return run
