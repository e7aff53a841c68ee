"""``play --web`` as a process: it says where it is, keeps what was done, and goes on."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from urllib.parse import urlencode

import pytest

from lifegym.rollouts import RunFolder


@pytest.fixture
def playing(bundle, tmp_path):
    """Begin a session in a process; gives the process, what it said first, and its address."""
    begun: list[subprocess.Popen[str]] = []

    def play(*options: str):
        words = [
            sys.executable,
            "-u",
            "-m",
            "lifegym.cli",
            "play",
            "--web",
            bundle,
            "--out",
            str(tmp_path / "run"),
            *options,
        ]
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)  # tests in the background have it ignored, and pass it on
        try:
            process = subprocess.Popen(
                words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "400"}
            )
        finally:
            signal.signal(signal.SIGINT, before)
        begun.append(process)
        said = ""
        while "http://" not in said:
            line = process.stdout.readline()
            assert line, process.stderr.read()
            said += line
        return process, said, re.search(r"http://127\.0\.0\.1:\d+/", said)[0]

    yield play
    for process in begun:
        process.kill()
        process.communicate()


def _post(url: str, path: str, **fields: str) -> str:
    page = urllib.request.urlopen(url).read().decode()
    known = dict(re.findall(r'name="(token|step)" value="([^"]*)"', page))
    data = urlencode({**known, **fields}).encode()
    return urllib.request.urlopen(urllib.request.Request(url + path, data, {"Origin": url.rstrip("/")})).read().decode()


def test_what_was_done_is_kept_when_it_is_stopped_and_goes_on(playing, tmp_path):
    process, said, url = playing("--port", "0")
    assert f"recorded in {tmp_path / 'run'}" in said
    assert "your statement is ready" in _post(url, "wait")
    process.send_signal(signal.SIGINT)
    _, complaints = process.communicate(timeout=20)
    assert "its calls are kept in" in complaints
    assert "Traceback" not in complaints

    process, said, url = playing("--port", "0")
    assert "Played again: 1 call of an earlier sitting" in said
    assert "your statement is ready" in urllib.request.urlopen(url).read().decode()
    _post(url, "wait")
    assert "of 100" in _post(url, "wait")
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=20)
    assert "score 0.0, recorded in" in rest
    folder = RunFolder.read(tmp_path / "run")
    assert folder.agent == "human"
    assert [row["steps"] for row in folder.rows()] == [3]


def test_a_kill_loses_nothing(playing):
    process, _, url = playing("--port", "0")
    _post(url, "call", tool="banking.list_payees", **{"field.user_id": "u_ann"})
    process.kill()
    process.communicate()
    _, said, url = playing("--port", "0")
    assert "1 call of an earlier sitting" in said
    assert "banking.list_payees" in urllib.request.urlopen(url).read().decode()


def test_a_port_in_use_is_told(cli, bundle, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cli("play", "--web", bundle, "--port", str(port), "--out", tmp_path / "run", code=2)
    assert f"port {port} is in use; name another with --port" in done.stderr
    for wrong in ("-1", "99999"):
        done = cli("play", "--web", bundle, "--port", wrong, "--out", tmp_path / "run", code=2)
        assert "name another with --port" in done.stderr


def test_a_folder_of_another_run_is_told(cli, bundle, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    assert "name a new folder" in cli("play", "--web", bundle, "--out", tmp_path / "run", code=2).stderr


def test_options_of_the_browser_need_the_browser(cli, bundle):
    assert "go with --web" in cli("play", bundle, "--port", "8000", code=2).stderr
    assert "go with --web" in cli("play", bundle, "--open", code=2).stderr
