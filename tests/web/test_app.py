"""What the forms of a session do, over a real socket."""

from __future__ import annotations

import html
import re

import pytest

from lifegym.rollouts import RunFolder
from lifegym.rollouts.worker import Caps
from lifegym.task_suite import load_task

from .conftest import SMALL_DEBTS, hidden

HOTELS = {"city_or_geo": "Ueno", "check_in": "2026-04-27", "check_out": "2026-05-03", "guests": "3"}


def test_the_start_page_tells_what_has_reached_the_assistant(visiting):
    page = visiting().get()
    assert page.status == 200
    assert "Please pay Bo Berg what I owe" in page.text
    assert "You look after Ann Lee&#39;s affairs" in page.text
    assert hidden(page.text, "step") == "0"


def test_a_page_is_opened_by_calls_and_shows_what_they_gave(visiting):
    visitor = visiting()
    assert "Not looked at yet" in visitor.get("/service/banking").text
    reply = visitor.post("/open", {"service": "banking"})
    assert (reply.status, reply.headers["Location"]) == (303, "/service/banking")
    assert "Bo Berg" in visitor.get("/service/banking").text
    visitor.post("/open", {"service": "banking", "kind": "account", "key": "main"})
    assert "Balance" in visitor.get("/service/banking").text
    assert visitor.session.steps == 6


@pytest.mark.parametrize(
    ("tool", "given", "kind", "told"),
    [
        ("hotel_booking.search_hotels", HOTELS, "hotel", "Amenities"),
        ("email.search_emails", {"query": "dinner"}, "mail", "Mail id"),
        ("maps.search_places", {"query": "Ueno"}, "place", "Seated"),
    ],
)
def test_what_a_search_found_opens(visiting, tool, given, kind, told):
    visitor = visiting(load_task("japan-trip"))
    service = tool.partition(".")[0]
    assert visitor.call(tool, **given).status == 303
    page = visitor.get(f"/service/{service}").text
    found = re.search(rf'name="kind" value="{kind}"><input type="hidden" name="key" value="([^"]+)"', page)
    assert found is not None
    steps = visitor.session.steps
    assert visitor.post("/open", {"service": service, "kind": kind, "key": found[1]}).status == 303
    assert visitor.session.steps > steps
    page = visitor.get(f"/service/{service}").text
    assert page.index('id="result"') < page.index('id="opened"') < page.index(f"<dt>{told}</dt>")


def test_a_whole_game(visiting, tmp_path):
    visitor = visiting(out=tmp_path / "run")
    assert visitor.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor="5000").status == 303
    assert "banking.pay_payee" in visitor.get("/service/banking").text
    visitor.call("workspace.edit_file", path="debts.csv", old="Bo Berg,5000,open", new="Bo Berg,5000,paid")
    assert visitor.post("/reply", {"text": "Paid Bo Berg."}).status == 303
    assert "your statement is ready" in visitor.get().text
    visitor.post("/wait", {})
    assert "says thanks" in visitor.get().text
    visitor.post("/reply", {"text": "There are 340.00 EUR left."})
    score = visitor.get().text
    assert "100.0 of 100" in score
    assert "The debt is paid once." in score
    assert "Recorded in" in score
    late = visitor.post("/wait", {})
    assert late.status == 409
    assert "The episode has ended; nothing was done." in late.text
    visitor.session.close()
    assert [row["score"] for row in RunFolder.read(tmp_path / "run").rows()] == [100.0]


def test_the_score_is_sealed_until_the_end(visiting):
    visitor = visiting()
    for path in ("/", "/service/banking", "/score"):
        text = visitor.get(path).text
        assert "The debt is paid once." not in text
        assert "of 100</h1>" not in text


def test_what_a_tool_refuses_is_shown_with_its_own_words_and_the_form_is_kept(visiting):
    visitor = visiting()
    reply = visitor.call("banking.pay_payee", account_id="main", payee_id="nobody", amount_minor="5000", memo="<b>x")
    assert reply.status == 422
    assert "not found:" in reply.text
    assert "there is no payee" in html.unescape(reply.text)
    assert 'value="nobody"' in reply.text
    assert "&lt;b&gt;x" in reply.text
    assert visitor.session.steps == 1
    assert hidden(reply.text, "step") == "1"


def test_what_a_form_cannot_mean_calls_nothing(visiting):
    visitor = visiting()
    reply = visitor.call("banking.pay_payee", account_id="main", payee_id="friend", amount_minor="fifty")
    assert reply.status == 422
    assert "Nothing was called" in reply.text
    assert "whole number" in reply.text
    assert 'value="fifty"' in reply.text
    assert visitor.session.steps == 0
    assert visitor.post("/reply", {"text": "  \n"}).status == 422


def test_a_form_of_an_old_page_does_nothing_and_loses_nothing(visiting):
    visitor = visiting()
    visitor.post("/wait", {})
    before = visitor.session.world.dump()
    old = {"step": "0"}
    reply = visitor.post("/reply", {**old, "text": "A long <answer>."})
    assert reply.status == 409
    assert "1 further calls were made (in another tab?): assistant.wait" in reply.text
    assert "A long &lt;answer&gt;." in reply.text
    assert "your statement is ready" in reply.text
    call = {"tool": "banking.pay_payee", "field.payee_id": "friend", "field.memo": "typed"}
    reply = visitor.post("/call", {**old, **call})
    assert reply.status == 409
    assert 'value="typed"' in reply.text
    assert visitor.post("/open", {**old, "service": "banking"}).status == 409
    for step in ("", "x", "99", "-1", "9" * 50):
        assert visitor.post("/wait", {"step": step}).status == 409
    assert visitor.session.world.dump() == before
    assert visitor.post("/reply", {"text": "Again."}).status == 303


def test_what_is_not_there(visiting):
    visitor = visiting()
    for path, form in (
        ("/call", {"tool": "email.send_email"}),
        ("/call", {"tool": "banking.pay_paye"}),
        ("/call", {"tool": "assistant.reply"}),
        ("/call", {}),
        ("/open", {"service": "email"}),
        ("/open", {"service": "banking", "kind": "__class__", "key": "x"}),
        ("/open", {}),
        ("/nowhere", {}),
    ):
        assert visitor.post(path, form).status == 404
    assert "do you mean banking.pay_payee" in visitor.post("/call", {"tool": "banking.pay_paye"}).text
    assert visitor.session.steps == 0
    assert visitor.post("/open", {"service": "banking", "kind": "account", "key": "none"}).status == 303
    assert visitor.session.steps == 1


def test_the_caps_of_an_episode_hold(visiting):
    visitor = visiting(caps=Caps(max_calls_per_turn=5))
    for _ in range(2):
        visitor.post("/open", {"service": "banking"})
    assert "a turn has at most 5 calls" in visitor.get("/service/banking").text
    assert visitor.post("/wait", {}).status == 303
    short = visiting(caps=Caps(max_steps=2))
    assert short.post("/open", {"service": "banking"}).headers["Location"] == "/"
    assert "cut off at the step limit" in short.get().text


def test_a_disk_that_is_full_stops_the_call(visiting, tmp_path, monkeypatch):
    visitor = visiting(out=tmp_path / "run")

    def full(action):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(visitor.session._calls, "append", full)
    reply = visitor.post("/wait", {})
    assert reply.status == 507
    assert "was not made" in reply.text
    assert visitor.session.steps == 0


NASTY = "<script>alert(1)</script>\u202e\x1b[31m\"'>{{ 7 * 7 }}</textarea></pre>"


def test_what_a_person_types_is_text_wherever_it_is_shown(visiting):
    visitor = visiting()
    replies = [
        visitor.call("workspace.write_file", path="a.md", text=NASTY),
        visitor.post("/open", {"service": "workspace"}),
        visitor.post("/open", {"service": "workspace", "kind": "file", "key": "a.md"}),
        visitor.get("/service/workspace"),
        visitor.call("workspace.read_file", path=NASTY),
        visitor.post("/open", {"service": "workspace", "kind": "file", "key": NASTY}),
        visitor.get("/service/workspace"),
        visitor.post("/reply", {"text": NASTY, "step": "0"}),
        visitor.post("/reply", {"text": NASTY}),
        visitor.get(),
        visitor.get("/service/" + "%3Cscript%3Ealert(1)"),
        visitor.post("/call", {"tool": NASTY}),
    ]
    for reply in replies:
        assert "<script>alert" not in reply.text
        assert reply.text.count("<script>") <= 1


@pytest.mark.parametrize("size", [200_000, 1_000_000])
def test_large_texts_are_harmless(visiting, size):
    visitor = visiting()
    reply = visitor.call("workspace.write_file", path="a.txt", text="x" * size)
    assert reply.status == (303 if size < 262_144 else 422)
    assert visitor.post("/open", {"service": "workspace", "kind": "file", "key": "a.txt"}).status == 303
    assert visitor.get("/service/workspace").status == 200


def test_a_fault_of_the_environment_is_no_end_of_the_session(visiting, break_tool):
    break_tool("banking.list_accounts")
    visitor = visiting(load_task(SMALL_DEBTS))
    assert visitor.post("/open", {"service": "banking"}).status == 303
    assert "the environment failed" in visitor.get("/service/banking").text
    while not visitor.session.over:
        visitor.post("/wait", {})
    page = visitor.get().text
    assert "– of 100" in page
    assert "Fault of the environment" in page
