"""The command as a whole: help, version, and what it does as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import lifegym

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(lifegym.__file__).parents[1])}
COMMANDS = ("list", "show", "run", "play", "act", "score", "tools", "services", "agents")


def process(*words: str, input: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lifegym.cli", *words]
    return subprocess.run(
        command, input=input, capture_output=True, text=True, timeout=60, cwd=cwd, env=ENVIRONMENT, check=False
    )


def test_help_names_every_command(cli):
    text = cli("--help").output
    for name in COMMANDS:
        assert f"│ {name} " in text


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help(cli, name):
    text = cli(name, "--help").output
    assert f"lifegym {name}" in text or f"Usage: root {name}" in text or f" {name} " in text
    assert "Traceback" not in text


def test_without_a_command_help_is_shown(cli):
    assert "Commands" in cli(code=2).output


def test_version(cli):
    from lifegym import __version__

    assert cli("--version").output == f"lifegym {__version__}\n"


def test_an_unknown_command_is_a_usage_error(cli):
    assert "lst" in cli("lst", code=2).output


def test_help_does_not_load_the_engine():
    code = (
        "import sys, lifegym.cli; bad = [m for m in sys.modules if m.startswith(('lifegym.services', 'lifegym.episode',"
        " 'lifegym.checks', 'pydantic', 'tinydb', 'ray', 'yaml'))]; sys.exit(' '.join(bad) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert done.returncode == 0, done.stderr


def test_run_as_a_process_keeps_results_and_messages_apart(bundle):
    done = process("run", bundle, "--agent", "reference", "--runs", "1", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["mean"] == 100.0
    assert "mean 100.0 over 1 of 1 episode" in done.stderr


def test_play_as_a_process_ends_with_its_input(bundle):
    done = process("play", bundle, input="wait\n")
    assert done.returncode == 0, done.stderr
    assert "your statement is ready" in done.stdout
    assert "The score is sealed until the episode ends." in " ".join(done.stdout.split())


def test_agents_of_the_current_folder_are_found(tmp_path, bundle):
    (tmp_path / "silent.py").write_text(
        "class Silent:\n"
        "    def reset(self, info): pass\n"
        "    def act(self, observation): return {'tool': 'assistant.wait', 'arguments': {}}\n"
    )
    done = process("run", bundle, "--agent", "silent:Silent", "--runs", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "mean 0.0 over 1 of 1 episode" in done.stdout


def test_an_unknown_task_is_a_sentence_and_no_traceback():
    done = process("show", "no-such-task")
    assert done.returncode == 2
    assert done.stderr.startswith("lifegym: there is no task 'no-such-task'")
    assert len(done.stderr.splitlines()) == 1
