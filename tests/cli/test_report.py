"""``lifegym report``, ``compare`` and ``board``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.rollouts import evaluate

Cli = Callable[..., Any]


@pytest.fixture
def runs(bundle: str, tmp_path: Path) -> list[Path]:
    made = [tmp_path / "runs" / name for name in ("lazy", "good")]
    for folder, agent in zip(made, ("idle", "reference"), strict=True):
        evaluate(agent, [bundle], out=folder, runs=2, workers=0)
    return made


def test_report_names_the_page(cli: Cli, runs: list[Path], tmp_path: Path) -> None:
    assert cli("report", runs[0]).stdout.strip() == str(runs[0] / "report.html")
    assert cli("report", runs[0], "--out", tmp_path / "page.html").stdout.strip() == str(tmp_path / "page.html")
    assert (tmp_path / "page_files").is_dir()


def test_report_opens_it_if_asked(cli: Cli, runs: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("typer.launch", opened.append)
    cli("report", runs[0], "--open")
    assert opened == [str(runs[0] / "report.html")]


def test_report_says_what_is_wrong(cli: Cli, runs: list[Path], tmp_path: Path) -> None:
    assert "is no run folder" in cli("report", tmp_path, code=2).stderr
    (tmp_path / "pages").mkdir()
    for folder in (tmp_path / "pages", "."):
        assert "is a folder; name the page" in cli("report", runs[0], "--out", folder, code=2).stderr
    assert not (tmp_path / "pages_files").exists()
    with (runs[0] / "results.jsonl").open("ab") as file:
        file.write(b"{\n")
    assert "results.jsonl:3 is damaged" in cli("report", runs[0]).stderr


def test_compare_prints_a_table_json_or_a_page(cli: Cli, runs: list[Path], tmp_path: Path) -> None:
    shown = cli("compare", *runs).stdout
    assert "small-debts" in shown
    assert "Checks that flipped" in shown
    found = json.loads(cli("compare", *runs, "--json").stdout)
    assert found["better"] == 1
    assert cli("compare", *runs, "--html", tmp_path / "c.html").stdout.strip() == str(tmp_path / "c.html")
    assert "Flipped checks" in (tmp_path / "c.html").read_text()
    assert cli("compare", *runs, "--html", tmp_path / "new" / "c.html").stdout
    assert "name another file" in cli("compare", *runs, "--html", tmp_path, code=2).stderr
    assert "is no run folder" in cli("compare", runs[0], tmp_path, code=2).stderr


def test_board_writes_a_site(cli: Cli, runs: list[Path], tmp_path: Path) -> None:
    assert cli("board", *runs, "--out", tmp_path / "site").stdout.strip() == str(tmp_path / "site" / "index.html")
    assert json.loads((tmp_path / "site" / "board.json").read_text())["runs"][0]["name"] == "good"
    assert "named twice" in cli("board", runs[0], runs[0], "--out", tmp_path / "site", code=2).stderr
