"""The solution played without a memory and without second looks, and the twin of a world where nothing is silent."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from lifegym.services import catalogue
from lifegym.task_suite import Task, load_task, read_bundle
from lifegym.task_suite.verification.playthrough import Playthrough
from lifegym.task_suite.verification.policies import NOTEBOOKS, Twin, play_amnesiac, play_blind

SMALL_DEBTS = Path(__file__).parents[2] / "bundles" / "small-debts"


@pytest.fixture(scope="module")
def flagship() -> Task:
    return load_task("japan-trip")


@pytest.fixture
def debts(change) -> object:
    """The small task with passages of its files replaced: ``debts((file, old, new), ...)``."""

    def edited(*edits: tuple[str, str | None, str]) -> Task:
        folder = SMALL_DEBTS
        for edit in edits:
            folder = change(*edit)
        return load_task(folder)

    return edited


def reads(play: Playthrough, tool: str) -> int:
    return len([call for call in play.episode.history.calls if call.tool == tool])


# -- the amnesiac ------------------------------------------------------------------------------------------------------


def test_the_amnesiac_leaves_out_what_is_durable_and_nothing_else(debts):
    task = debts()
    play, forgotten = play_amnesiac(task, task.scenario())
    assert forgotten == ["ask/mark"]
    assert play.failed() == ["C2"]
    assert reads(play, "banking.pay_payee") == 1
    assert play.episode.history.turns[0].reply == "Paid Bo Berg."


def test_what_the_amnesiac_holds_in_its_head_it_keeps(debts):
    before = "      - {id: pay, do: banking.pay_payee"
    own_copy = "      - {id: copy, do: workspace.write_file, with: {path: owed.txt, text: 'To ${seen.who}'}}\n"
    task = debts(("solution.yaml", before, own_copy + before))
    play, forgotten = play_amnesiac(task, task.scenario())
    assert forgotten == ["ask/copy", "ask/mark"]
    assert play.player.dropped == []
    assert play.failed() == ["C2"]


@pytest.mark.parametrize("variation", [("canonical", 0), ("train", 3)])
def test_nothing_that_the_amnesiac_does_stays_in_a_file_a_note_or_the_calendar(flagship, variation):
    scenario = flagship.scenario(*variation)
    play, forgotten = play_amnesiac(flagship, scenario)
    world = play.episode.world
    assert forgotten
    assert world.workspace.files() == scenario.world.workspace.files()
    assert not [call for call in play.episode.history.calls if call.write and call.tool.partition(".")[0] in NOTEBOOKS]
    assert not [row for row in world.store.table("calendar.events").rows() if row["created_by"] == "agent"]
    assert not play.episode.faults


def test_an_attachment_saved_to_a_file_is_durable_too(make_task):
    events = "  - {id: a, stage: S1, at: D+0 09:00, kind: user_message, text: Hello.}\n"
    mails = (
        "records:\n  email:\n    mails:\n      - {email_id: m1, sender: bo@mail.example, to: [ann@mail.example], "
        "subject: Plan, body: x, at: D+0 08:00, attachments: [{filename: plan.txt, text: plan}]}\n"
    )
    task = make_task(events, services=["email"], world=mails)
    (Path(task.source) / "solution.yaml").write_text(
        "turns:\n  - turn: a\n    steps:\n"
        "      - {id: load, do: email.download_attachment, with: {email_id: m1, attachment_filename: plan.txt}}\n"
        "      - {id: answer, do: email.reply_email, with: {email_id: m1, body: Thanks}}\n    end: wait\n"
    )
    task = Task(read_bundle(Path(task.source)), task.source)
    play, forgotten = play_amnesiac(task, task.scenario())
    assert forgotten == ["a/load"]
    assert reads(play, "email.reply_email") == 1


# -- the blind ---------------------------------------------------------------------------------------------------------


def test_the_blind_sees_the_old_values(debts):
    task = debts()
    reference = Playthrough(task, task.scenario()).finish()
    play, found = play_blind(task, task.scenario())
    assert [(each.item, each.stage, each.tool, each.mutations) for each in found] == [
        ("thanks/look", "S3", "banking.list_accounts", ("dearer",))
    ]
    assert play.failed() == ["C6"]
    right, old = (run.episode.history.turns[-1].reply for run in (reference, play))
    balance = float(right.split()[2].replace(",", ""))
    assert float(old.split()[2].replace(",", "")) == balance + 10  # the fee of 10.00 is what it does not see
    assert reads(play, "banking.list_accounts") == 0


def test_a_look_at_what_no_mutation_changes_is_no_reinspection(debts):
    """What the fee takes, another entry gives back: the account is as it was."""
    fee = "account_id: main, amount_minor: -1000, kind: fee, counterparty: Harbour}}"
    back = "{do: banking.post_transaction, with: {account_id: main, amount_minor: 1000, kind: refund, counterparty: X}}"
    task = debts(("timeline.yaml", fee, f"{fee}\n      - {back}"))
    play, found = play_blind(task, task.scenario())
    assert found == []
    assert play.failed() == []
    assert reads(play, "banking.list_accounts") == 1


def test_a_look_before_the_mutation_is_no_reinspection(debts):
    task = debts(("timeline.yaml", "at: D+0 15:00", "at: D+4 15:00"))
    play, found = play_blind(task, task.scenario())
    assert found == []
    assert play.failed() == Playthrough(task, task.scenario()).finish().failed()
    assert reads(play, "banking.list_accounts") == 1


def test_every_mutation_of_the_flagship_that_counts_is_looked_at_again(flagship):
    play, found = play_blind(flagship, flagship.scenario())
    silent = [event.id for event in flagship.bundle.timeline.events if event.kind == "mutation" and not event.decoy]
    assert set(silent) <= {mutation for each in found for mutation in each.mutations}
    assert all(not catalogue.find_tool(each.tool).write for each in found)
    assert not play.episode.faults


def test_the_same_steps_are_left_out_on_a_drawn_world(flagship):
    items = [
        [each.item for each in play_blind(flagship, flagship.scenario(*v))[1]] for v in (("canonical", 0), ("test", 1))
    ]
    assert items[0] == items[1]


# -- the twin ----------------------------------------------------------------------------------------------------------


def pay(amount: int) -> dict[str, object]:
    return {
        "tool": "banking.pay_payee",
        "arguments": {"account_id": "main", "payee_id": "friend", "amount_minor": amount},
    }


def test_the_twin_answers_as_the_episode_until_a_mutation_happens(debts, sit):
    sitting = sit(debts())
    twin = Twin(sitting.episode.scenario, sitting.episode)
    look = {"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}
    real, old = twin.both(look)
    assert real.text == old.text
    sitting.send(look)
    sitting.wait()
    real, old = twin.both(look)
    assert (
        orjson.loads(old.text)["accounts"][0]["balance_minor"]
        == orjson.loads(real.text)["accounts"][0]["balance_minor"] + 1000
    )


def test_what_is_made_in_both_has_the_same_ids(debts, sit):
    """A mutation makes a record as well, and takes an id; what is made after it must be the same thing in both."""
    sitting = sit(debts())
    twin = Twin(sitting.episode.scenario, sitting.episode)
    sitting.wait()  # the fee is posted
    for amount in (100, 200):
        real, old = twin.both(pay(amount))
        sitting.send(pay(amount))
        assert orjson.loads(real.text)["payment_id"] == orjson.loads(old.text)["payment_id"]
    tables = [world.store.table("banking.transactions").rows() for world in (sitting.episode.world, twin.world)]
    ids = [{row["transaction_id"] for row in rows} for rows in tables]
    assert ids[1] < ids[0]
    assert len(ids[0] - ids[1]) == 1


def test_the_episode_does_not_notice_its_twin(debts, sit):
    sitting, alone = sit(debts()), sit(debts())
    twin = Twin(sitting.episode.scenario, sitting.episode)
    for action in (pay(100), {"tool": "no.tool", "arguments": {}}, pay(-1)):
        before = sitting.episode.world.dump()
        real, old = twin.both(action)
        assert sitting.episode.world.dump() == before
        assert real.code == old.code
        assert sitting.send(action)[:2] == alone.send(action)[:2]
    sitting.wait_for_the_end()
    alone.wait_for_the_end()
    assert sitting.episode.world.dump() == alone.episode.world.dump()
    assert sitting.episode.verdicts.keys() == alone.episode.verdicts.keys()
    assert sitting.earned == alone.earned
