"""Processes that are killed, or end: what they were doing goes on, and nothing of them stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import lifegym
from lifegym.rollouts import RunFolder, evaluate

from .conftest import PLAYERS, SMALL_DEBTS, left, same

pytestmark = pytest.mark.xdist_group("ray processes")


def _wait_for(what: Callable[[], bool], seconds: float = 30.0) -> None:
    deadline = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _command(out: Path, marks: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "lifegym.cli", "evaluate", "--agent", "troubled:Troubled", "--tasks", SMALL_DEBTS,
        "--runs", "8", "--out", str(out), "--set", f"place={marks}", "--set", "pause=0.05", "--quiet", *more,
    ]  # fmt: skip


def _environment() -> dict[str, str]:
    paths = [str(Path(lifegym.__file__).parents[1]), str(PLAYERS), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_driver_that_is_killed_goes_on_where_it_was(tmp_path, workers, leaving):
    marks, out = tmp_path / "marks", tmp_path / "run"
    marks.mkdir()
    process = subprocess.Popen(_command(out, marks, "--workers", workers), env=_environment(), start_new_session=True)
    results = out / "results.jsonl"
    _wait_for(lambda: results.exists() and results.read_bytes().count(b"\n") >= 2, 120)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    killed = results.read_bytes().count(b"\n")
    assert 2 <= killed < 8, "it was killed while it played"
    done = subprocess.run(_command(out, marks, "--workers", "0"), env=_environment(), check=False)
    assert done.returncode == 0
    rows = RunFolder.read(out).rows()
    assert results.read_bytes().count(b"\n") == 8
    assert [row["run"] for row in rows] == list(range(8))
    settings = {"place": str(marks), "pause": 0.0}
    sys.path.insert(0, str(PLAYERS))
    try:
        whole = evaluate("troubled:Troubled", [SMALL_DEBTS], runs=8, workers=0, settings=settings)
    finally:
        sys.path.remove(str(PLAYERS))
    assert same(rows) == same(whole.rows)
    _wait_for(lambda: not [name for name in left(process.pid) if "Player" in name])
    leaving(process.pid)


def test_a_finished_command_leaves_no_process(tmp_path):
    (tmp_path / "marks").mkdir()
    command = _command(tmp_path / "run", tmp_path / "marks", "--workers", "2")
    process = subprocess.Popen(command, env=_environment(), start_new_session=True)
    assert process.wait(timeout=180) == 0
    _wait_for(lambda: not left(process.pid))
    assert [row["score"] for row in RunFolder.read(tmp_path / "run").rows()] == [100.0] * 8


NODES = """
import sys, threading, time
from pathlib import Path
import ray
from ray.cluster_utils import Cluster
from lifegym.rollouts import evaluate

out, task, marks = sys.argv[1:]
small = {"num_cpus": 1, "object_store_memory": 80 * 2**20}
cluster = Cluster(initialize_head=True, head_node_args={**small, "include_dashboard": False})
cluster.add_node(**small)
doomed = cluster.add_node(**small)
cluster.wait_for_nodes()

def kill():
    results = Path(out) / "results.jsonl"
    while not (results.exists() and results.read_bytes().count(b"\\n") >= 3):
        time.sleep(0.02)
    cluster.remove_node(doomed, allow_graceful=False)
    print("removed", flush=True)

thread = threading.Thread(target=kill)
thread.start()
found = evaluate("troubled:Troubled", [task], runs=30, ray_address=cluster.address, out=out, workers=3,
                 settings={"place": marks, "pause": 0.05})
thread.join()
assert not ray.is_initialized()
cluster.shutdown()
print("scores", sorted({row["score"] for row in found.rows}), len(found.rows), found.summary["episodes"]["failed"])
"""


def test_a_node_that_is_lost_loses_no_episode(tmp_path):
    (tmp_path / "marks").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", NODES, str(tmp_path / "run"), SMALL_DEBTS, str(tmp_path / "marks")],
        env=_environment(), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert [line for line in done.stdout.splitlines() if line.startswith(("removed", "scores"))] == [
        "removed",
        "scores [100.0] 30 0",
    ]
    keys = [(row["seed"], row["run"]) for row in RunFolder.read(tmp_path / "run").rows()]
    assert keys == [(0, run) for run in range(30)]


ALONE = """
import sys, gymnasium as gym, lifegym, ray
envs = gym.make_vec("LifeBench/japan-trip-v0", num_envs=2, vectorization_mode="vector_entry_point", workers=2)
envs.reset(seed=0)
if sys.argv[1] == "close":
    envs.close()
    assert not ray.is_initialized()
print("done", flush=True)
"""


@pytest.mark.parametrize("how", ["close", "forget"])
def test_a_vector_env_leaves_no_process(how):
    """Nor does it mind a cluster that Ray's own environment variable names: it has a Ray of its own."""
    environment = {**_environment(), "RAY_ADDRESS": "127.0.0.1:1"}
    command, pipe = [sys.executable, "-c", ALONE, how], subprocess.PIPE
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, env=environment, start_new_session=True)
    out, told = process.communicate(timeout=180)
    assert (out, process.returncode) == (b"done\n", 0), told
    assert b"Exception ignored" not in told
    _wait_for(lambda: not left(process.pid))


def test_an_address_where_nobody_is_is_told_and_nothing_started(tmp_path):
    command = _command(tmp_path / "run", tmp_path, "--ray-address", "127.0.0.1:1")
    command.remove("--quiet")
    process = subprocess.Popen(command, env=_environment(), stderr=subprocess.PIPE, text=True, start_new_session=True)
    told = process.communicate(timeout=180)[1].splitlines()
    assert process.returncode == 2
    assert told[0] == "connecting to Ray at 127.0.0.1:1"
    assert told[1].startswith("lifegym: there is no Ray at 127.0.0.1:1: ")
    assert not left(process.pid)
    assert RunFolder.read(tmp_path / "run").rows() == []


@pytest.mark.parametrize("address", ["127.0.0.1:1", "nowhere", "127.0.0.1:99999", "ray://127.0.0.1:1"])
def test_ray_does_not_try_an_address_where_nobody_is(address, monkeypatch):
    """It would try for a minute, or without end."""
    monkeypatch.setattr("ray.is_initialized", lambda: False)  # whatever other tests have left open
    monkeypatch.setattr("ray.init", lambda **_: pytest.fail("Ray tries"))
    with pytest.raises(ConnectionError, match=r"there is no Ray at|is no address of a Ray cluster"):
        evaluate("idle", [SMALL_DEBTS], runs=1, ray_address=address)
