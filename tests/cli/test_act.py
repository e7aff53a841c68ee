"""``act`` and ``score``: an episode played by single commands."""

from __future__ import annotations

import json

import pytest

PAY = ("banking.pay_payee", "account_id=main", "payee_id=friend", "amount_minor=5000")


@pytest.fixture
def file(tmp_path):
    return tmp_path / "debts.jsonl"


@pytest.fixture
def begun(cli, bundle, file):
    cli("act", "--task", bundle, file)
    return file


def test_beginning_tells_what_an_agent_is_told(cli, bundle, file):
    text = cli("act", "--task", bundle, file).stdout
    assert text.startswith("2026-03-02T09:00:00+01:00 user_message\nYou look after Ann Lee's affairs")
    assert text.endswith("[Mon 2026-03-02 09:00] Please pay Bo Berg what I owe, see debts.csv.\n")
    header = json.loads(file.read_text())
    assert (header["task"], header["variant"], header["seed"]) == (bundle, "canonical", 0)


def test_calls_carry_on_where_the_file_ends(cli, begun):
    text = cli("act", begun, *PAY).stdout
    time, _, result = text.partition("\n")
    assert time == "2026-03-02T09:00:01+01:00 result"
    assert json.loads(result)["status"] == "posted"
    text = cli("act", begun, "banking.get_account", "account_id=main").stdout
    assert text.startswith("2026-03-02T09:00:02+01:00 result\n")
    assert json.loads(text.partition("\n")[2])["balance_minor"] == 95000
    assert len(begun.read_text().splitlines()) == 3


def test_refused_calls_are_observations_and_are_kept(cli, begun):
    text = cli("act", begun, "banking.pay_paye", "account_id=main").stdout
    assert "error\n" in text
    assert "do you mean banking.pay_payee" in text
    assert "not_found" in cli("act", begun, "banking.get_account", "account_id=none").stdout
    assert len(begun.read_text().splitlines()) == 3


def test_json_calls(cli, begun):
    call = {"tool": "banking.get_account", "arguments": {"account_id": "main"}}
    assert '"balance_minor":100000' in cli("act", begun, json.dumps(call)).stdout
    assert json.loads(begun.read_text().splitlines()[1]) == call


def test_without_a_call_the_last_observation_is_shown_again(cli, begun):
    told = cli("act", begun, "wait").stdout
    assert cli("act", begun).stdout == told
    assert "your statement is ready" in told


def test_a_whole_episode(cli, begun):
    cli("act", begun, *PAY)
    cli("act", begun, "workspace.edit_file", "path=debts.csv", "old=Bo Berg,5000,open", "new=Bo Berg,5000,paid")
    cli("act", begun, "reply", "Paid Bo Berg.")
    cli("act", begun, "wait")
    cli("act", begun, "banking.list_accounts", "user_id=u_ann")
    text = cli("act", begun, "reply", "There are 340.00 EUR left.").stdout
    assert text == "2026-03-07T23:59:59+01:00 end\n[Sat 2026-03-07 23:59] The period has ended.\n"
    text = cli("score", begun).stdout
    assert "small-debts (canonical): 100.0 of 100" in text
    assert "failed" not in text
    score = json.loads(cli("score", begun, "--json").stdout)
    assert score["over"] is True
    assert score["score"] == 100.0
    assert "this episode has ended; see: lifegym score" in cli("act", begun, "wait", code=2).stderr


def test_the_score_is_sealed_until_the_end(cli, begun):
    cli("act", begun, *PAY)
    cli("act", begun, "wait")
    text = cli("score", begun, code=4).stdout
    assert "The score is sealed until the episode ends. It is 2026-03-03T09:00:00+01:00, stage S2, turn 2" in text
    assert json.loads(cli("score", begun, "--json", code=4).stdout) == {
        "over": False,
        "time": "2026-03-03T09:00:00+01:00",
        "stage": "S2",
        "turn": 2,
        "steps": 2,
    }


def test_failed_checks_are_told_at_the_end(cli, bundle, file):
    cli("act", "--task", bundle, file, "--variant", "train", "--seed", "3")
    for _ in range(3):
        cli("act", file, "wait")
    text = cli("score", file).stdout
    assert "small-debts (train 3): 0.0 of 100" in text
    assert "Checks that failed" in text
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "C1 3 The debt is paid once. all: len(paid) == 1" in rows
    assert "stage S2 0/2 0 2" in rows


def test_a_file_is_not_overwritten(cli, bundle, begun):
    cli("act", begun, "wait")
    before = begun.read_text()
    assert (
        "exists; name another file, or overwrite it with --force" in cli("act", "--task", bundle, begun, code=2).stderr
    )
    assert begun.read_text() == before
    cli("act", "--task", bundle, begun, "--force")
    assert len(begun.read_text().splitlines()) == 1


def test_a_torn_line_is_dropped(cli, begun):
    cli("act", begun, *PAY)
    whole = begun.read_text()
    begun.write_text(whole + '{"tool":"assistant.wa')
    assert '"balance_minor":95000' in cli("act", begun, "banking.get_account", "account_id=main").stdout
    assert begun.read_text().startswith(whole)
    assert len(begun.read_text().splitlines()) == 3


def test_a_changed_task_is_refused(cli, copied, file):
    cli("act", "--task", copied, file)
    header, *rest = file.read_text().splitlines()
    changed = json.dumps({**json.loads(header), "content_hash": "0" * 64})
    file.write_text("\n".join([changed, *rest]) + "\n")
    for command in ("act", "score"):
        message = cli(command, file, code=2).stderr
        assert "the task 'small-debts' has changed since" in message
        assert "content hash 000000000000 then" in message
    assert "Please pay" in cli("act", file, "--force").stdout
    cli("score", file, "--force", code=4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("reply",), "reply what?"),
        (("{",), "not JSON"),
        (("banking.get_account", "main"), "write key=value"),
    ],
)
def test_words_that_are_no_call_are_not_kept(cli, begun, words, message):
    before = begun.read_text()
    assert message in cli("act", begun, *words, code=2).stderr
    assert begun.read_text() == before


def test_files_that_are_not_there_or_no_files(cli, bundle, tmp_path):
    assert "begin an episode with: lifegym act --task TASK" in cli("act", tmp_path / "no", "wait", code=2).stderr
    assert "cannot be read: Is a directory" in cli("act", tmp_path, "wait", code=2).stderr
    (tmp_path / "other").write_text("hello\n")
    assert "not a line of JSON" in cli("score", tmp_path / "other", code=2).stderr
    assert "cannot be written" in cli("act", "--task", bundle, tmp_path / "no" / "file", code=2).stderr


def test_a_file_that_cannot_be_written(cli, begun, monkeypatch):
    def full(self, action):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("lifegym.rollouts.call_file.CallFile.append", full)
    result = cli("act", begun, "wait", code=2)
    assert "No space left on device; the call is not kept" in result.stderr
    assert result.stdout == ""


def test_calls_after_the_end_are_refused(cli, begun):
    for _ in range(3):
        cli("act", begun, "wait")
    with begun.open("a") as out:
        out.write('{"tool":"assistant.wait","arguments":{}}\n')
    assert "the episode has ended before this call" in cli("score", begun, code=2).stderr


def test_beginning_and_calling_are_two_commands(cli, bundle, file):
    assert "begin the episode first" in cli("act", "--task", bundle, file, "wait", code=2).stderr
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--variant", "tests"), "unknown variant 'tests'"),
        (("--variant", "test", "--seed", "-4"), "a variant seed is a whole number"),
    ],
)
def test_unknown_variants_begin_nothing(cli, bundle, file, words, message):
    assert message in cli("act", "--task", bundle, file, *words, code=2).stderr
    assert not file.exists()


def test_a_header_with_an_unknown_variant(cli, begun):
    begun.write_text(begun.read_text().replace("canonical", "cubist"))
    assert "unknown variant 'cubist'" in cli("act", begun, code=2).stderr


def test_a_fault_of_the_environment_is_told(cli, copied, file):
    timeline = copied / "timeline.yaml"
    timeline.write_text(timeline.read_text().replace("account_id: main", "account_id: gone"))
    cli("act", "--task", copied, file)
    assert "the environment failed in this episode" in cli("act", file, "wait").stderr
    cli("act", file, "wait")
    cli("act", file, "wait")
    text = cli("score", file).stdout
    assert "small-debts (canonical): - of 100" in text
    assert "Fault of the environment: event dearer:" in text
