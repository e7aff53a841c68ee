"""What the documentation shows runs, a page's blocks one after the other; and the site builds without a warning.

``python`` blocks are executed and ``lifegym`` commands of ``bash`` blocks carried out, in a folder of their own. Blocks
marked ``sh`` need what a test has not (a cluster, a model, a new machine): their commands are parsed. ``yaml`` has to
be YAML.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
import yaml
from typer.testing import CliRunner

from lifegym.cli import app

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SMALL_DEBTS = str(Path(__file__).parent / "bundles" / "small-debts")
PAGES = sorted(path.name for path in DOCS.glob("*.md"))
_ON_RAY = ("cluster.md",)


def blocks(text: str) -> list[tuple[str, str]]:
    """Fenced blocks: language and content, those in lists too."""
    found = re.findall(r"^( *)```(\w+)\n(.*?)^\1```$", text, re.DOTALL | re.MULTILINE)
    return [
        (language, "\n".join(line.removeprefix(indent) for line in body.splitlines()))
        for indent, language, body in found
    ]


def commands(block: str) -> Iterator[list[str]]:
    """The ``lifegym`` commands of a shell block, without their name."""
    for line in block.replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["lifegym"]:
            yield words[1:]


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.xdist_group("ray")) if n in _ON_RAY else n for n in PAGES]
)
def test_a_page_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"TASK": SMALL_DEBTS}
    for language, block in blocks((DOCS / name).read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(block, name, "exec"), names)
        elif language == "bash":
            for words in commands(block):
                carry_out(words)
        elif language == "sh":
            for words in commands(block):
                parse(words)
        elif language == "yaml":
            assert yaml.safe_load(block)
        else:
            raise AssertionError(f"{name} has a block of {language!r}, which nobody tries")


def carry_out(words: list[str]) -> None:
    done = CliRunner().invoke(app, words, prog_name="lifegym")
    assert done.exit_code == 0, f"lifegym {shlex.join(words)}\n{done.output[-4000:]}\n{done.exception!r}"


def parse(words: list[str]) -> None:
    group = typer.main.get_command(app)
    command = group.commands[words[0]]  # type: ignore[attr-defined]
    command.make_context(words[0], list(words[1:]))


def test_commands_of_the_readme_are_right() -> None:
    shown = [
        words
        for language, block in blocks((ROOT / "README.md").read_text(encoding="utf-8"))
        if language in ("bash", "sh")
        for words in commands(block)
    ]
    assert len(shown) > 15
    for words in shown:
        if words[0] not in ("rescore", "export", "score", "act"):  # these want a file that is there
            parse(words)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the documentation's site needs the extra [docs]")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for page in ("index.html", "tutorial/index.html", "reference/cli/index.html", "reference/python/index.html"):
        assert (tmp_path / "site" / page).is_file()
    tools = (tmp_path / "site" / "reference" / "tools" / "index.html").read_text(encoding="utf-8")
    assert "flight_booking.search_flights" in tools
    written = "".join(path.read_text(encoding="utf-8") for path in (tmp_path / "site").rglob("*.html"))
    assert not re.search(r"(?:src|href)=\"https?://fonts", written), "the site fetches fonts"
