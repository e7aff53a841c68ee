"""An episode's account: what changed the world and who did it, and what earned or lost each check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from lifegym.baselines.reference import ReferenceAgent
from lifegym.reports.account import account
from lifegym.reports.changes import Moment
from lifegym.reports.retelling import Retelling
from lifegym.reports.turning_points import turning_points
from lifegym.rollouts import Key, RunFolder, Trajectory
from lifegym.rollouts.rescoring import replay
from lifegym.task_suite import Task


@pytest.fixture
def recorded(run_of: Callable[..., Path]) -> Callable[..., tuple[Trajectory, dict[str, Any]]]:
    """The first episode of a run of the small task, and its line."""

    def play(agent: Any = "reference", **options: Any) -> tuple[Trajectory, dict[str, Any]]:
        folder = RunFolder.read(run_of(agent, **{"runs": 1, **options}))
        (row,) = folder.rows()
        return folder.trajectory(Key(*(row[name] for name in Key._fields))), row

    return play


def changes(told: dict[str, Any], by: str, name: Any) -> list[str]:
    """What somebody changed, as ``table id``."""
    deeds = [deed for deed in told["deeds"] if (deed["by"], deed["name"]) == (by, name)]
    return [f"{change['table']} {change['id']}" for deed in deeds for change in deed["changes"]]


def test_every_change_is_told_of_who_made_it(recorded: Callable[..., Any]) -> None:
    told = account(*recorded())
    steps = {step["tool"]: step["n"] for step in told["steps"]}
    assert "banking.accounts main" in changes(told, "step", steps["banking.pay_payee"])
    assert changes(told, "step", steps["workspace.edit_file"]) == ["file debts.csv"]
    assert changes(told, "step", steps["banking.list_payees"]) == []
    assert "banking.accounts main" in changes(told, "event", "dearer")
    (account_,) = [record for record in told["records"] if record["table"] == "banking.accounts"]
    assert ["event", "dearer"] in account_["by"]
    assert ["step", steps["banking.pay_payee"]] in account_["by"]


def test_a_file_has_its_versions_from_the_beginning_on(recorded: Callable[..., Any]) -> None:
    versions = account(*recorded())["files"]["debts.csv"]
    assert [version["by"] for version in versions] == ["begin", "step"]
    assert ",open" in versions[0]["text"]
    assert ",paid" in versions[1]["text"]


def test_turns_hold_their_steps_and_the_events_that_opened_them(recorded: Callable[..., Any]) -> None:
    told = account(*recorded())
    assert [turn["events"] for turn in told["turns"]] == [["ask"], ["nudge"], ["thanks"]]
    assert [turn["ended_by"] for turn in told["turns"]] == ["reply", "wait", "reply"]
    assert [n for turn in told["turns"] for n in turn["steps"]] == [step["n"] for step in told["steps"]]
    silent = next(event for event in told["events"] if event["kind"] == "mutation")
    assert (silent["id"], silent["turn"], silent["fired"]) == ("dearer", None, True)


def test_a_check_names_the_step_that_earned_it(recorded: Callable[..., Any]) -> None:
    told = account(*recorded())
    tools = {step["n"]: step["tool"] for step in told["steps"]}
    earned = {check["id"]: tools[check["point"]["step"]] for check in told["checks"] if check["point"]["step"]}
    assert earned["C1"] == "banking.pay_payee"
    assert earned["C2"] == "workspace.edit_file"
    assert earned["C3"] == "assistant.wait"
    assert earned["C6"] == "assistant.reply"
    paid = {check["id"]: tools[check["paid"]] for check in told["checks"]}
    assert paid["C1"] == "assistant.reply"


def test_a_broken_rule_names_the_step_that_broke_it(small_debts: Task) -> None:
    from lifegym.rollouts import play

    rollout = play(small_debts.scenario(), ReferenceAgent(act_out="pays_landlord"), small_debts.source)
    episode = Retelling(small_debts.scenario())
    episode.begin()
    for action in rollout.actions:
        episode.step(action)
    guilty = 1 + next(
        i for i, action in enumerate(rollout.actions) if action["arguments"].get("payee_id") == "landlord"
    )
    assert turning_points(episode)["C4"] == ("tripped", "step", guilty)


def test_what_was_undone_names_the_step_that_lost_it(sit: Callable[..., Any], small_debts: Task) -> None:
    episode = Retelling(small_debts.scenario())
    episode.begin()

    def call(tool: str, **arguments: Any) -> None:
        episode.step({"tool": tool, "arguments": arguments})

    call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor=5000)
    call("assistant.wait")
    call("workspace.edit_file", path="debts.csv", old="5000,open", new="5000,paid")
    call("workspace.edit_file", path="debts.csv", old="5000,paid", new="5000,open")
    while not episode.over:
        call("assistant.wait")
    points = turning_points(episode)
    assert points["C1"] == ("earned", "step", 1)
    # Within one turn it came and went: at no turn's end it held.
    assert points["C2"] == ("never", "", 0)
    assert points["C6"] == ("never", "", 0)


def test_the_same_way_again_is_not_replayed(recorded: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    trajectory, row = recorded()
    first = account(trajectory, row)
    monkeypatch.setattr("lifegym.reports.account.replay", None)
    assert account(trajectory, row, first) == first


def test_a_task_that_is_not_installed_leaves_what_was_recorded(recorded: Callable[..., Any]) -> None:
    trajectory, row = recorded()
    trajectory.source = "no-such-task"
    told = account(trajectory, row)
    assert "cannot be loaded" in told["notes"][0]
    assert len(told["steps"]) == len(trajectory.actions)
    assert {check["id"]: check["passed"] for check in told["checks"]} == row["checks"]


def test_a_world_that_answers_otherwise_is_said(recorded: Callable[..., Any]) -> None:
    trajectory, row = recorded()
    trajectory.observations[2] = {**trajectory.observations[2], "text": "otherwise"}
    trajectory.content_hash = "other"
    row["checks"]["C1"] = False
    notes = " ".join(account(trajectory, row)["notes"])
    assert "otherwise from step 2 on" in notes
    assert "files are others" in notes
    assert "C1" in notes


def test_retelling_changes_nothing_of_an_episode(recorded: Callable[..., Any]) -> None:
    trajectory, _row = recorded()
    plain, _ = replay(trajectory)
    retold, _ = replay(trajectory, Retelling)
    assert orjson.dumps(retold.score().to_json()) == orjson.dumps(plain.score().to_json())
    assert retold.world.dump() == plain.world.dump()


def test_a_moment_finds_what_was_added_changed_and_removed(small_debts: Task) -> None:
    world = small_debts.scenario().world.fork()
    before = Moment(world)
    assert before.changes(world) == []
    table = world.table("banking.payees")
    first, second = [row["payee_id"] for row in table.rows()][:2]
    table.patch(first, name="Other")
    table.drop(second)
    world.workspace.write("new.txt", "text", world.now)
    found = {
        (change.table, change.id): (change.before is None, change.after is None) for change in before.changes(world)
    }
    assert found == {
        ("banking.payees", first): (False, False),
        ("banking.payees", second): (False, True),
        ("file", "new.txt"): (True, False),
    }
