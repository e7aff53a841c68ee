"""``play``: a person at the terminal, and how tools are found by parts of their names."""

from __future__ import annotations

import sys

import pytest

from lifegym.cli.reading import readable
from lifegym.rollouts import Key, RunFolder
from lifegym.services import catalogue
from lifegym.services.tool_names import matching_tools

NAMES = catalogue.tool_names(["banking", "calendar"])


@pytest.fixture
def playing(cli, bundle):
    def play(*lines: str, options: tuple[str, ...] = ()) -> str:
        return cli("play", bundle, *options, input="".join(f"{line}\n" for line in lines)).stdout

    return play


def test_a_whole_game(playing):
    text = playing(
        "pay_payee",
        *("main", "friend", "5000", "from Ann", ""),
        'edit_file path=debts.csv old="Bo Berg,5000,open" new="Bo Berg,5000,paid"',
        "reply Paid Bo Berg.",
        "wait",
        "banking.list_accounts user_id=u_ann",
        "reply",
        "There are 340.00 EUR left.",
    )
    assert "You look after Ann Lee's affairs" in text
    assert "payee_id: friend" in text
    assert "memo: from Ann" in text
    assert "your statement is ready" in text
    assert "The period has ended." in text
    assert "small-debts (canonical): 100.0 of 100" in text


def test_a_game_is_recorded_when_it_ends(playing, tmp_path):
    out = tmp_path / "mine"
    assert "Recorded" not in playing("wait", options=("--out", str(out)))
    assert RunFolder.read(out).rows() == []
    text = playing("wait", "banking.list_accounts user_id=u_ann", "wait", "wait", options=("--out", str(out)))
    assert f"Recorded in {out}." in text
    folder = RunFolder.read(out)
    [row] = folder.rows()
    assert (folder.agent, row["task"], row["error"]) == ("human", "small-debts", None)
    made = folder.trajectory(Key("small-debts", "canonical", 0, 0))
    assert [action["tool"] for action in made.actions] == [
        "assistant.wait",
        "banking.list_accounts",
        *["assistant.wait"] * 2,
    ]
    assert f"{row['score']:.1f} of 100" in text


def test_a_folder_of_another_run_is_refused(cli, bundle, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    done = cli("play", bundle, "--out", tmp_path, code=2)
    assert str(tmp_path) in done.stderr


def test_the_end_of_input_leaves(playing):
    text = playing("wait")
    assert text.endswith("You leave at 2026-03-03T09:00:00+01:00. The score is sealed until the episode ends.\n")
    assert "of 100" not in text
    assert "You leave at 2026-03-02T09:00:00+01:00." in playing()


def test_the_end_of_input_in_a_form_leaves(playing):
    text = playing("pay_payee", "main")
    assert "You leave at 2026-03-02T09:00:00+01:00" in text


@pytest.mark.parametrize("word", ["quit", "exit"])
def test_quit(playing, word):
    text = playing(word, "wait")
    assert "The score is sealed" in text
    assert "statement" not in text


def test_help(playing):
    assert "fill in its fields" in playing("help")
    assert "fill in its fields" in playing("")


def test_variants(playing):
    assert playing(options=("--variant", "train", "--seed", "1")) != playing(
        options=("--variant", "train", "--seed", "4")
    )


def test_failed_checks_are_told_at_the_end(playing):
    text = playing("wait", "wait", "wait")
    assert "small-debts (canonical): 0.0 of 100" in text
    assert "Nothing is paid to others." in text


def test_choosing_by_number(playing):
    text = playing("payee", "3", "u_ann")
    assert "  1 banking.add_payee" in text
    assert "banking.list_payees: " in text


def test_choosing_by_more_of_the_name(playing):
    text = playing("list", "accounts", "u_ann")
    assert "banking.list_accounts: List a user's bank accounts" in text
    assert "balance_minor: 100000" in text


def test_choosing_nothing(playing):
    text = playing("payee", "", "payee", "99", "payee", "no such", "zzzz")
    assert text.count("There is no tool like") == 3
    assert "2026-03-02T09:00:00" in text  # no call was made


def test_many_matches_are_cut(cli, monkeypatch, bundle):
    monkeypatch.setattr(sys.modules["lifegym.cli.play"], "SHOWN", 3)
    text = cli("play", bundle, input="a\n3\n/cancel\na\n4\n").stdout
    assert "and " in text
    assert " more" in text
    assert "Nothing was called." in text
    assert "There is no tool like '4'" in text


def test_a_form_asks_again_until_a_value_fits(playing):
    text = playing("pay_payee", "", "main", "friend", "much", "-3", "4000", '"two\\nlines"', "")
    assert "It is required; /cancel leaves the form." in text
    assert "'much' is not of type 'integer'" in text
    assert "-3 is less than or equal to the minimum of 0" in text
    assert "amount_minor: 4000" in text
    assert "memo:\n  two\n  lines" in text


def test_a_form_shows_what_it_asks_for(playing):
    text = playing("list_pending_payments", "u_ann", "", "open", "posted", "")
    assert "user_id: text (required). Whose payments." in text
    assert "status_filter: one of scheduled, posted, bounced, cancelled, all (optional)." in text
    assert "'open' is not one of ['scheduled'" in text
    assert "total: 0" in text


def test_a_quote_that_is_no_json_is_a_text(playing):
    assert 'memo: "hm' in playing("pay_payee", "main", "friend", "4000", '"hm', "")


def test_leaving_a_form_calls_nothing(playing):
    text = playing("pay_payee", "main", "/cancel", "banking.get_account account_id=main")
    assert "Nothing was called." in text
    assert "balance_minor: 100000" in text


def test_refusals_are_shown(playing):
    text = playing("get_account account_id=nope")
    assert "code: not_found" in text


def test_calls_on_one_line(playing):
    assert "Which tool is 'zzz'? There is none like it." in playing("zzz a=1")
    assert "Which tool is 'payee'? banking.add_payee, " in playing("payee a=1")
    assert "put values with spaces in quotes" in playing('pay_payee memo="x')
    assert "write key=value" in playing("pay_payee memo=x y")


def test_tools(playing):
    text = playing("tools payee")
    assert "banking.pay_payee  Pay a saved payee now, or on a later date." in text
    assert "banking.get_account" not in text
    assert "banking.get_account" in playing("tools")
    assert "assistant." not in playing("tools").partition("Type help")[2]
    assert "No tool has 'qqqqq' in its name." in playing("tools qqqqq")


def test_files(playing):
    assert "path: debts.csv" in playing("files")
    assert "Bo Berg,5000,open" in playing("files debts.csv")
    assert "code: not_found" in playing("files plans.md")


def test_an_empty_reply_says_nothing(playing):
    assert "You leave at 2026-03-02T09:00:00" in playing("reply", "")


def test_unknown_tasks_and_variants(cli, bundle):
    assert "there is no task 'nothing-here'" in cli("play", "nothing-here", code=2).stderr
    assert "unknown variant 'x'" in cli("play", bundle, "--variant", "x", code=2).stderr


@pytest.mark.parametrize(
    ("part", "first"),
    [
        ("banking.pay_payee", "banking.pay_payee"),
        ("banking__pay_payee", "banking.pay_payee"),
        ("pay_payee", "banking.pay_payee"),
        ("PAY", "banking.pay_payee"),
        ("pay", "banking.pay_payee"),
        ("payee pay", "banking.pay_payee"),
        ("transactions", "banking.list_transactions"),
        ("create", "calendar.create_event"),
        ("creat ev", "calendar.create_event"),
        ("calendar list", "calendar.list_calendars"),
        ("list acounts", "banking.list_accounts"),
        ("lst_events", "calendar.list_events"),
        ("update_evnt", "calendar.update_event"),
        ("edit", "workspace.edit_file"),
        ("file read", "workspace.read_file"),
        ("search_fils", "workspace.search_files"),
    ],
)
def test_tools_by_part_of_their_name(part, first):
    assert matching_tools(part, NAMES)[0] == first


def test_a_full_name_means_that_tool_alone():
    assert matching_tools("list_events", NAMES) == ["calendar.list_events"]
    assert matching_tools("wait", NAMES) == ["assistant.wait"]


def test_what_means_no_tool():
    assert matching_tools("", NAMES) == []
    assert matching_tools(" . ", NAMES) == []
    assert matching_tools("xyzzy", NAMES) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a": 1, "b": "x"}', "a: 1\nb: x"),
        ('{"a": {"b": [1, {"c": null, "d": true}]}}', "a:\n  b:\n    - 1\n    - c: null\n      d: true"),
        ('{"a": [], "b": {}, "c": ""}', "a: []\nb: {}\nc: "),
        ('{"a": "one\\ntwo"}', "a:\n  one\n  two"),
        ('{"a": {"b": 1}}', "a:\n  b: 1"),
        ('["x\\ny", []]', "- x\n  y\n- []"),
        ("plain text", "plain text"),
        ("3.50", "3.5"),
    ],
)
def test_results_as_a_person_reads_them(text, shown):
    assert readable(text) == shown
