"""Many episodes, in this process and on Ray: the same records; and whatever goes wrong, nothing is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lifegym
from lifegym.baselines import IdleAgent, ReferenceAgent
from lifegym.rollouts import Key, RunFolder, evaluate, stream

from .conftest import PLAYERS, SMALL_DEBTS, same

# -- in this process --------------------------------------------------------------------------------------------------


def test_agents_by_name_class_and_factory():
    for agent, name in (("reference", "reference"), (ReferenceAgent, "lifegym.baselines.reference:ReferenceAgent")):
        found = evaluate(agent, [SMALL_DEBTS], runs=2, workers=0)
        assert [row["score"] for row in found.rows] == [100.0, 100.0]
        assert found.summary["agent"] == name
        assert found.summary["suite"]["avg"] == 100.0
    assert evaluate(lambda: IdleAgent(), SMALL_DEBTS, runs=1, workers=0).rows[0]["error"] is None


def test_episodes_are_handed_on_as_they_finish(tmp_path):
    episodes = stream("idle", [SMALL_DEBTS], runs=3, workers=0, out=tmp_path / "run")
    first = next(episodes)
    assert (first.key, first.planned, first.before) == (Key("small-debts", "canonical", 0, 0), 3, 0)
    assert len((tmp_path / "run" / "results.jsonl").read_bytes().splitlines()) == 1
    episodes.close()
    rest = list(stream("idle", [SMALL_DEBTS], runs=3, workers=0, out=tmp_path / "run"))
    assert [(one.key.run, one.before) for one in rest] == [(1, 1), (2, 1)]


def test_drawn_worlds_with_seeds():
    rows = evaluate("reference", [SMALL_DEBTS], runs=1, variant="test", seeds=[5, 9], workers=0).rows
    assert [(row["variant"], row["seed"], row["score"]) for row in rows] == [("test", 5, 100.0), ("test", 9, 100.0)]


@pytest.mark.parametrize(
    ("options", "error", "told"),
    [
        ({"agent": "nobody"}, KeyError, "there is no agent 'nobody'"),
        ({"tasks": ["nowhere"]}, KeyError, "there is no task 'nowhere'"),
        ({"runs": 0}, ValueError, "at least once"),
        ({"workers": -1}, ValueError, "not negative"),
        ({"concurrency": 0}, ValueError, "at least 1"),
    ],
)
def test_what_cannot_be_played_is_told_at_once(options, error, told):
    arguments = {"agent": "idle", "tasks": [SMALL_DEBTS], "workers": 0, **options}
    with pytest.raises(error, match=told):
        stream(**arguments)


def test_an_agent_that_raises_has_no_score(troubled, undisturbed, tmp_path):
    found = troubled({"kind": "raise", "always": True}, workers=0, out=tmp_path / "run")
    assert found.rows[1]["score"] is None
    assert found.rows[1]["error"] == "agent: RuntimeError: the model is not there"
    assert "in act" in found.rows[1]["traceback"]
    assert found.summary["episodes"] == {"all": 4, "scored": 3, "failed": 1}
    assert same([found.rows[0], *found.rows[2:]]) == [undisturbed[0], *undisturbed[2:]]


def test_an_agent_that_fails_once_is_tried_again(troubled, undisturbed):
    assert same(troubled({"kind": "raise"}, workers=0).rows) == undisturbed
    assert troubled({"kind": "raise", "always": True}, workers=0, max_retries=0).rows[1]["score"] is None


def test_an_agent_that_cannot_be_made():
    found = evaluate("lifegym.baselines:ReferenceAgent", [SMALL_DEBTS], runs=1, workers=0, settings={"colour": "red"})
    assert found.rows[0]["error"].startswith("agent: TypeError: ")


def test_a_defect_of_the_environment_is_no_zero(break_tool):
    break_tool("banking.list_payees")
    row = evaluate("reference", [SMALL_DEBTS], runs=1, workers=0).rows[0]
    assert row["score"] is None
    assert row["error"] == "environment: banking.list_payees failed"


# -- on Ray -----------------------------------------------------------------------------------------------------------

pytestmark = pytest.mark.xdist_group("ray")


def test_workers_give_what_this_process_gives(ray_here, undisturbed, troubled, tmp_path):
    found = troubled(workers=2, out=tmp_path / "run")
    assert same(found.rows) == undisturbed
    played = found.trajectory(Key("small-debts", "canonical", 0, 3))
    assert len(played.observations) == len(played.actions) + 1 == 9
    assert played.score["score"] == 100.0


def test_several_episodes_at_once_in_a_worker(ray_here, undisturbed, troubled):
    """Each waits until all four are under way: they end only if they are played at the same time."""
    slow = troubled({"kind": "meet"}, workers=1, concurrency=4, episode_timeout=60.0, max_retries=0)
    assert same(slow.rows) == undisturbed


@pytest.mark.parametrize("kind", ["die", "leave"])
def test_a_worker_that_is_lost_loses_no_episode(ray_here, undisturbed, troubled, tmp_path, kind):
    found = troubled({"kind": kind}, workers=2, out=tmp_path / "run")
    assert same(found.rows) == undisturbed
    assert (tmp_path / "marks" / f"{kind}-1").exists()


def test_an_agent_that_hangs_is_killed_and_tried_again(ray_here, undisturbed, troubled):
    found = troubled({"kind": "hang"}, workers=2, episode_timeout=3.0)
    assert same(found.rows) == undisturbed


def test_what_always_kills_or_hangs_is_given_up_with_its_reason(ray_here, undisturbed, troubled):
    for kind, reason in (("die", "worker: it was lost"), ("hang", "time: it took more than 2 s")):
        found = troubled({"kind": kind, "always": True}, workers=2, episode_timeout=2.0, max_retries=1)
        assert found.rows[1]["score"] is None
        assert found.rows[1]["error"].startswith(reason)
        assert found.rows[1]["error"].endswith("(tried 2 times)")
        assert same([found.rows[0], *found.rows[2:]]) == [undisturbed[0], *undisturbed[2:]]


def test_units_are_taken_only_when_a_worker_is_free(ray_here):
    """Back-pressure: whoever reads slowly holds everything up, and nothing piles up."""
    from lifegym.rollouts.evaluation import agent_maker
    from lifegym.rollouts.pool import Pool
    from lifegym.rollouts.units import plan
    from lifegym.rollouts.worker import Caps
    from lifegym.task_suite import load_task

    taken = 0

    def units():
        nonlocal taken
        for unit in plan([load_task(SMALL_DEBTS)], 50, "canonical", None):
            taken += 1
            yield unit

    pool = Pool(agent_maker("idle", {}), "idle", Caps(), False, 2, 1, None, 0)
    seen = 0
    for _ in pool.play(units()):
        seen += 1
        assert taken <= seen + 2
    assert seen == 50


# -- processes of their own -------------------------------------------------------------------------------------------


def _command(out: Path, marks: Path, *more: str) -> list[str]:
    return [
        sys.executable, "-m", "lifegym.cli", "evaluate", "--agent", "troubled:Troubled", "--tasks", SMALL_DEBTS,
        "--runs", "8", "--out", str(out), "--set", f"place={marks}", "--set", "pause=0.05", "--quiet", *more,
    ]  # fmt: skip


def _environment() -> dict[str, str]:
    paths = [str(Path(lifegym.__file__).parents[1]), str(PLAYERS), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def _left(group: int) -> list[str]:
    """Processes of a session that still run."""
    listed = subprocess.run(["ps", "-e", "-o", "sid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return [args for sid, stat, args in rows if int(sid) == group and not stat.startswith("Z")]


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_driver_that_is_killed_goes_on_where_it_was(tmp_path, workers):
    marks, out = tmp_path / "marks", tmp_path / "run"
    marks.mkdir()
    process = subprocess.Popen(_command(out, marks, "--workers", workers), env=_environment(), start_new_session=True)
    results = out / "results.jsonl"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and not (results.exists() and results.read_bytes().count(b"\n") >= 2):
        time.sleep(0.05)
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
    # Ray's own processes notice the loss of their driver after some time; what matters is that they do.
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and _left(process.pid):
        time.sleep(0.2)
    assert _left(process.pid) == []


def test_a_finished_command_leaves_no_process(tmp_path):
    (tmp_path / "marks").mkdir()
    command = _command(tmp_path / "run", tmp_path / "marks", "--workers", "2")
    process = subprocess.Popen(command, env=_environment(), start_new_session=True)
    assert process.wait(timeout=180) == 0
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and _left(process.pid):
        time.sleep(0.2)
    assert _left(process.pid) == []
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
