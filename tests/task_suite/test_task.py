"""A bundle compiled: references, times, events and their conditions, records, scenarios."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lifegym.episode import Episode
from lifegym.task_suite import BundleError, Task, load_task, read_bundle

Change = Callable[..., Path]
WAIT = {"tool": "assistant.wait", "arguments": {}}
PAY = {"tool": "banking.pay_payee", "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": 5000}}


def task(folder: Path) -> Task:
    return Task(read_bundle(folder), str(folder))


def played(folder: Path, *actions: dict[str, Any]) -> Episode:
    episode = Episode(task(folder).scenario())
    episode.begin()
    for action in actions:
        assert episode.step(action).kind != "error"
    while not episode.over:
        episode.step(WAIT)
    return episode


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("task.yaml", "[banking]", "[bankng]", "task.yaml:13: unknown service 'bankng'; there are: .*banking"),
        ("task.yaml", "Europe/Berlin", "Europe/Bern", "task.yaml:7: unknown time zone 'Europe/Bern'"),
        ("task.yaml", "2026-03-02", "2026-02-30", "task.yaml:5: there is no day '2026-02-30'"),
        ("task.yaml", "[S1, S2, S3]", "[S1, S2, S2, S3]", "task.yaml:15: a stage stands there twice"),
        ("task.yaml", "[S1, S2, S3]", "[S1, S2, S3, S4]", "task.yaml:15: stage S4 has no event"),
        ("task.yaml", "[S1, S2, S3]", "[S2, S1, S3]", "task.yaml:15: the stages do not begin one after the other"),
        ("task.yaml", "p.debt * 2", "p.dept * 2", "task.yaml:19: param twice: there is no field 'dept'"),
        ("task.yaml", "p.debt * 2", "first(p.list)", "task.yaml:19: param twice: there is no field 'list'"),
        ("task.yaml", "Ann owes ${p.friend}", "Ann owes ${p.fiend}", "task.yaml:8: there is no field 'fiend'"),
        ("task.yaml", "Ann owes ${p.friend}", "Ann owes ${records('x')}", "task.yaml:8: unknown name 'records'"),
        ("world/bank.yaml", "  banking:", "  bank:", "bank.yaml:6: 'bank' is not among the task's services"),
        ("world/bank.yaml", "    payees:", "    people:",
         "bank.yaml:8: banking has no records 'people'; there are: .*payees"),
        ("world/bank.yaml", "balance_minor: 100000", "balance: 1",
         "bank.yaml:7: banking.accounts: balance_minor: Field required"),
        ("world/bank.yaml", "balance_minor: 100000", "balance_minor: much",
         "bank.yaml:7: banking.accounts: balance_minor: Input should be"),
        ("world/bank.yaml", "payee_id: landlord", "payee_id: friend",
         "bank.yaml:10: banking.payees: payee_id 'friend' stands there twice"),
        ("world/bank.yaml", '"${p.friend}"', '"${p.fiend}"', "bank.yaml:9: there is no field 'fiend'"),
        ("world/bank.yaml", '"${p.friend}"', '"${now()}"', "bank.yaml:9: unknown name 'now'"),
        ("world/bank.yaml", '"${p.friend}"', '"${p.friend"', "bank.yaml:9: '\\${' without a matching"),
        ("world/bank.yaml", "{method_id: main,", "{", "bank.yaml:4: world.methods: there is no 'method_id'"),
        ("world/bank.yaml", "do: banking.everyday_transactions", "do: banking.everyday",
         "bank.yaml:14: there is no generator 'banking.everyday'; there are: .*everyday_tr"),
        ("world/bank.yaml", "days: 10", "weeks: 10", "bank.yaml:14: banking.everyday_transactions: "),
        ("world/bank.yaml", "days: 10", "days: many", "bank.yaml:14: banking.everyday_transactions: "),
        ("world/bank.yaml", "scheduled_for: D+3", "scheduled_for: soon",
         "bank.yaml:12: banking.payments: scheduled_for"),
        ("timeline.yaml", "id: nudge", "id: ask", "timeline.yaml:9: ask is used twice"),
        ("timeline.yaml", "stage: S2", "stage: S9", "timeline.yaml:9: nudge: no stage 'S9'"),
        ("timeline.yaml", "D+1 09:00", "D+6 09:00", "timeline.yaml:9: nudge lies outside the window"),
        ("timeline.yaml", "D+1 09:00", "D+1 25:00", "timeline.yaml:9: 'D\\+1 25:00' has no such time"),
        ("timeline.yaml", "D+1 09:00", "D+1 9:00", "timeline.yaml:9: 'D\\+1 9:00' is not a moment"),
        ("timeline.yaml", "D+1 09:00", "'${p.debt}'", "timeline.yaml:9: '5000' is not a moment"),
        ("timeline.yaml", "D+1 09:00", "'${p.dept}'", "timeline.yaml:9: .*no field 'dept'"),
        ("timeline.yaml", "banking.post_transaction", "banking.post",
         "timeline.yaml:8: there is no happening 'banking.post'; there are: .*banking.post_transaction"),
        ("timeline.yaml", "kind: fee", "sort: fee",
         "timeline.yaml:8: banking.post_transaction takes .*; not sort; kind is missing"),
        ("timeline.yaml", "kind: fee", "kind: fee, colour: red", "timeline.yaml:8: .*; not colour"),
        ("timeline.yaml", "do: banking.post_transaction, with: {", "do: change, with: {set: {}, ",
         "timeline.yaml:8: change takes table, where and set"),
        ("timeline.yaml", "counterparty == p.friend", "counterparty == frend",
         "timeline.yaml:14: unknown name 'frend'"),
        ("timeline.yaml", "${p.friend} says thanks", "${p.friend says thanks", "timeline.yaml:15: '\\${' without"),
        ("checks.yaml", "{id: C2,", "{id: C1,", "checks.yaml:10: C1 is used twice"),
        ("checks.yaml", "stage: S2, weight", "stage: S9, weight", "checks.yaml:10: C2: there is no stage 'S9'"),
        ("checks.yaml", "len(paid) == 1", "len(payed) == 1", "checks.yaml:9: unknown name 'payed'; do you mean .*paid"),
        ("checks.yaml", "midnight: [D+1, D+4]", "stage_end: [S1, S9]", "checks.yaml:13: C5: there is no stage 'S9'"),
        ("checks.yaml", "midnight: [D+1, D+4]", "stage_end: [S2, S1]",
         "checks.yaml:13: C5: stage S2 does not come before S1"),
        ("checks.yaml", "midnight: [D+1, D+4]", "midnight: [D+4, D+1]",
         "checks.yaml:13: C5: the first midnight is after the last"),
        ("checks.yaml", "midnight: [D+1, D+4]", "midnight: [D+1, D+9]",
         "checks.yaml:13: D\\+9 lies outside the window"),
        ("checks.yaml", "midnight: [D+1, D+4]", "midnight: [D+1, D+x]", "checks.yaml:13: 'D\\+x' is not a moment"),
        ("checks.yaml", "each: {midnight: [D+1, D+4]}", "at: D+7", "checks.yaml:13: D\\+7 lies outside the window"),
        ("checks.yaml", "  paid: ", "  records: ", "checks.yaml:6: 'records' has a meaning already"),
        ("checks.yaml", "  paid: ", "  a b: ", "checks.yaml:6: 'a b' is neither a name nor a function"),
        ("checks.yaml", "  paid_to(name)", "  paid(name)", "checks.yaml:6: 'paid' stands there twice"),
        ("checks.yaml", "  paid_to(name)", "  paid_to(1)", "checks.yaml:7: 'paid_to\\(1\\)' is neither"),
        ("checks.yaml", "  paid_to(name): \"", "  paid_to(name): \"paid_to(name) + ",
         "checks.yaml:7: 'paid_to' needs itself: paid_to -> paid_to"),
        ("checks.yaml", "  paid: \"[x", "  paid: \"[paid_to(p.friend)] + [x", None),
        ("checks.yaml", "what: The debt is paid once.", "what: x, let: {len: \"1\"}",
         "checks.yaml:9: 'len' has a meaning already"),
    ],
)  # fmt: skip
def test_complaints(
    change: Change, complaint: Callable[[], str], file: str, old: str, new: str, message: str | None
) -> None:
    folder = change(file, old, new)
    if message is None:
        task(folder)
        return
    import re

    assert re.match(rf"small-debts/(world/)?{message}", found := complaint()), found


def test_shared_names_in_a_circle_are_refused(change: Change, complaint: Callable[[], str]) -> None:
    change("checks.yaml", "shared:", "shared:\n  a: b + 1\n  b: c(1)\n  c(x): a + x")
    assert complaint().startswith("small-debts/checks.yaml:6: 'a' needs itself: a -> b -> c -> a")


# -- events ------------------------------------------------------------------------------------------------------------


def test_stages_and_events_in_time_order(folder: Path) -> None:
    scenario = task(folder).scenario()
    assert list(scenario.events) == ["ask", "dearer", "nudge", "thanks"]
    assert [stage.id for stage in scenario.stages] == ["S1", "S2", "S3"]
    assert [stage.end for stage in scenario.stages] == [
        scenario.stages[1].start,
        scenario.stages[2].start,
        scenario.end,
    ]


def test_when_and_otherwise(folder: Path) -> None:
    texts = [turn.text for turn in played(folder, PAY).history.turns]
    assert "Bo Berg says thanks. What is left on the account?" in texts[-1]
    assert "Bo Berg says nothing came." in played(folder).history.turns[-1].text


def test_without_otherwise_nothing_happens(change: Change) -> None:
    folder = change("timeline.yaml", '    otherwise: {text: "${p.friend} says nothing came."}\n', "")
    episode = played(folder)
    assert [turn.events for turn in episode.history.turns] == [("ask",), ("nudge",)]
    assert episode.history.fired["thanks"].held is False


def test_a_condition_over_missing_evidence_does_not_hold(change: Change) -> None:
    folder = change("timeline.yaml", "when: len(", "when: file('none').text == '' or len(")
    episode = played(folder, PAY)
    assert "says nothing came" in episode.history.turns[-1].text
    assert episode.faults == []


EFFECT = (
    "{do: banking.post_transaction, with: {account_id: main, amount_minor: -1000, kind: fee, counterparty: Harbour}}"
)


def changed(where: str, none: str = "") -> str:
    return "{do: change, with: {table: banking.payees, where: {%s}, set: {bank_name: Quay}}%s}" % (where, none)  # noqa: UP031


def banks(episode: Episode) -> dict[str, str]:
    return {row["payee_id"]: row["bank_name"] for row in episode.world.table("banking.payees").rows()}


def test_change_sets_fields_of_the_records_that_match(change: Change) -> None:
    episode = played(change("timeline.yaml", EFFECT, changed("name: '${p.friend}'")))
    assert banks(episode) == {"friend": "Quay", "landlord": "Harbour"}
    assert episode.history.fired["dearer"].touched == ("friend",)


@pytest.mark.parametrize(
    ("none", "banks_after", "faults"),
    [
        ("", {"friend": "Harbour", "landlord": "Harbour"},
         ["event dearer: ExpressionError: change found nothing and declares no if_none"]),
        (", if_none: skip", {"friend": "Harbour", "landlord": "Harbour"}, []),
        (f", if_none: [{changed('payee_id: landlord')}]", {"friend": "Harbour", "landlord": "Quay"}, []),
        (f", if_none: [{changed('payee_id: nobody', ', if_none: skip')}]",
         {"friend": "Harbour", "landlord": "Harbour"}, []),
    ],
)  # fmt: skip
def test_what_holds_where_nothing_matches(
    change: Change, none: str, banks_after: dict[str, str], faults: list[str]
) -> None:
    episode = played(change("timeline.yaml", EFFECT, changed("payee_id: nobody", none)))
    assert banks(episode) == banks_after
    assert episode.faults == faults
    assert (episode.score().score is None) == bool(faults)


def test_a_change_names_a_table_that_there_is(change: Change, complaint: Callable[[], str]) -> None:
    change("timeline.yaml", EFFECT, changed("payee_id: x").replace("banking.payees", "banking.payee"))
    assert "timeline.yaml:8: there is no table 'banking.payee'; there are: " in complaint()


def test_a_defect_in_an_event_is_a_fault_and_the_episode_goes_on(change: Change) -> None:
    episode = played(change("timeline.yaml", "account_id: main", "account_id: none"))
    assert len(episode.faults) == 1
    assert episode.faults[0].startswith("event dearer: ")
    assert episode.score().terminated


# -- records and texts -------------------------------------------------------------------------------------------------


def test_records_and_files_are_written_against_params(folder: Path) -> None:
    one = task(folder)
    drawn = next(s for s in (one.scenario("train", n) for n in range(30)) if s.params["friend"] != "Bo Berg")
    for scenario in (one.scenario(), drawn):
        friend = scenario.params["friend"]
        assert scenario.world.table("banking.payees").find("friend")["name"] == friend
        assert f"{friend},{scenario.params['debt']},open" in scenario.world.workspace.get("debts.csv").text
        assert f"Ann owes {friend} some money" in scenario.briefing
        assert scenario.params["twice"] == 2 * scenario.params["debt"]


def test_relative_moments_in_records_are_instants(folder: Path) -> None:
    payment = task(folder).scenario().world.table("banking.payments").find("rent")
    assert payment["created_at"] == "2026-03-02T00:00:00+01:00"
    assert payment["scheduled_for"].startswith("2026-03-05")


# -- scenarios ---------------------------------------------------------------------------------------------------------


def test_scenarios_are_built_once_and_kept(folder: Path) -> None:
    one = task(folder)
    assert one.scenario() is one.scenario("canonical", 9)
    assert one.scenario("train", 3) is one.scenario("train", 3)
    assert one.scenario("train", 3) is not one.scenario("test", 3)
    first = one.scenario("train", 3)
    for seed in range(100, 180):
        one.scenario("train", seed)
    again = one.scenario("train", 3)
    assert again is not first
    assert again.world.dump() == first.world.dump()


def test_playing_does_not_touch_the_scenario(folder: Path) -> None:
    scenario = task(folder).scenario()
    before = scenario.world.dump()
    episode = Episode(scenario)
    episode.begin()
    episode.step(PAY)
    while not episode.over:
        episode.step(WAIT)
    assert scenario.world.dump() == before


@pytest.mark.parametrize(("variant", "seed"), [("dev", 0), ("train", -1), ("test", 1 << 30), ("train", 1.5)])
def test_unknown_variants_and_seeds(folder: Path, variant: str, seed: Any) -> None:
    with pytest.raises(ValueError):
        task(folder).scenario(variant, seed)


def test_a_scenario_pickles_as_what_it_takes_to_build_it(folder: Path) -> None:
    scenario = load_task(folder).scenario("train", 5)
    data = pickle.dumps(scenario)
    assert len(data) < 1000
    assert pickle.loads(data).world.dump() == scenario.world.dump()


def test_the_world_is_the_same_in_every_process_and_on_every_day() -> None:
    """Also under another hash seed, time zone and clock."""
    script = (
        "import hashlib, time\n"
        "from lifegym.task_suite import load_task\n"
        "t = load_task('./tests/bundles/small-debts')\n"
        "print(hashlib.sha256(b''.join(t.scenario(v, 7).world.dump() + t.scenario(v, 7).briefing.encode() for v in "
        "('canonical', 'train', 'test'))).hexdigest())"
    )
    outputs = set()
    for number, zone in (("0", "UTC"), ("7", "Pacific/Kiritimati")):
        env = {**os.environ, "PYTHONHASHSEED": number, "TZ": zone, "LC_ALL": "C"}
        run = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            cwd=Path(__file__).parents[2],
            check=True,
            env=env,
        )
        outputs.add(run.stdout)
    assert len(outputs) == 1


def test_load_task(folder: Path) -> None:
    assert load_task(folder) is load_task(str(folder))
    assert load_task(folder).id == "small-debts"
    with pytest.raises(KeyError, match=r"there is no task 'japan-tripp'; do you mean japan-trip"):
        load_task("japan-tripp")
    with pytest.raises(BundleError, match="not a task"):
        load_task(folder / "world")
