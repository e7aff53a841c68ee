"""Many episodes, in this process and on Ray: the same records; and whatever goes wrong, nothing is lost."""

from __future__ import annotations

import pytest

from lifegym.baselines import IdleAgent, ReferenceAgent
from lifegym.rollouts import Key, evaluate, stream
from lifegym.rollouts.evaluation import task_facts
from lifegym.rollouts.units import find_tasks
from lifegym.statistics import summarize

from .conftest import SMALL_DEBTS, same

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


@pytest.mark.parametrize("recorded", [False, True])
def test_an_evaluation_can_be_watched_and_is_summarized_once(tmp_path, monkeypatch, recorded):
    seen, sizes = [], []

    def watch(episodes):
        for episode in episodes:
            seen.append(episode.key.run)
            yield episode

    def counting(rows, tasks):
        sizes.append(len(rows))
        return summarize(rows, tasks)

    monkeypatch.setattr("lifegym.statistics.summarize", counting)
    out = {"out": tmp_path / "run"} if recorded else {}
    found = evaluate("idle", [SMALL_DEBTS], runs=3, workers=0, watch=watch, **out)
    assert (seen, sizes) == ([0, 1, 2], [3])
    assert found.summary == {"agent": "idle", **summarize(found.rows, task_facts(find_tasks([SMALL_DEBTS])))}


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


def test_an_agent_that_cannot_be_made_is_told_before_anything_is_played(tmp_path):
    """And the folder takes the settings with which it can be."""
    out = tmp_path / "run"
    for settings in ({"colour": "red"}, {"shape": "round"}):
        with pytest.raises(ValueError, match=r"the agent 'idle' cannot be made: TypeError: .*--set NAME=VALUE"):
            evaluate("idle", [SMALL_DEBTS], runs=1, workers=0, settings=settings, out=out)
    assert evaluate("idle", [SMALL_DEBTS], runs=1, workers=0, out=out).rows[0]["score"] == 0.0
    with pytest.raises(ValueError, match="makes no agent: a dict has no reset"):
        evaluate(dict, [SMALL_DEBTS], runs=1, workers=0)


def test_a_defect_of_the_environment_is_no_zero(break_tool):
    break_tool("banking.list_payees")
    row = evaluate("reference", [SMALL_DEBTS], runs=1, workers=0).rows[0]
    assert row["score"] is None
    assert row["error"] == "environment: banking.list_payees failed"


# -- on Ray -----------------------------------------------------------------------------------------------------------

pytestmark = pytest.mark.xdist_group("ray")


def test_a_worker_tells_that_the_agent_cannot_be_made(ray_here):
    with pytest.raises(ValueError, match="the agent 'idle' cannot be made: TypeError"):
        evaluate("idle", [SMALL_DEBTS], runs=50, workers=2, settings={"colour": "red"})


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


@pytest.mark.parametrize("always", [False, True])
def test_those_who_shared_a_lost_worker_are_not_to_blame(ray_here, undisturbed, troubled, always):
    agent = {"kind": "die", "always": always, "pause": 0.1}
    found = troubled(agent, workers=1, concurrency=4, max_retries=0)
    if always:
        assert found.rows[1]["error"] == "worker: it was lost while it played this episode (tried 1 times)"
    kept = [0, 2, 3] if always else [0, 1, 2, 3]
    assert same([found.rows[i] for i in kept]) == [undisturbed[i] for i in kept]


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
