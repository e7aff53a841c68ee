"""The mailbox keeps its rules."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import ToolError, catalogue, dispatch
from lifegym.world import thaw

ME = "ann@mail.example"


@pytest.fixture
def box(desk: Any) -> Any:
    d = desk("email", "notification_hub")
    d.world.workspace.write("docs/plan.md", "the plan", d.world.now)
    d.world.workspace.write("old/plan.md", "the old plan", d.world.now)
    d.put(
        "email.mails", email_id="M2", sender="clinic@health.example", sender_name="Riverside Clinic", to=[ME],
        subject="Travel letter", body="Your letter is attached.", at="2026-04-10T09:00:00+08:00", thread_id="M2",
        attachments=[{"filename": "letter.txt", "text": "three pens"}],
    )  # fmt: skip
    d.put(
        "email.mails", email_id="M1", sender="gao@cars.example", sender_name="Mr Gao", to=[ME, "bo@x.example"],
        cc=["wu@x.example"], subject="RE: Pick-up", body="At the airport then.", at="2026-04-09T20:00:00+08:00",
    )  # fmt: skip
    d.put(
        "email.mails", email_id="M3", sender="news@shop.example", to=[ME], subject="Offers", body="x " * 200,
        at="2026-04-11T01:00:00+00:00", folder="Shopping", in_reply_to="",
    )  # fmt: skip
    d.start()
    return d


def send(box: Any, **changes: Any) -> Any:
    return box.call("email.send_email", **{"to": "gao@cars.example", "subject": "Hello", "body": "Good day", **changes})


def ids(listing: Any, name: str = "emails") -> list[str]:
    return [mail["email_id"] for mail in listing[name]]


# -- looking ---------------------------------------------------------------------------------------------------------


def test_start_orders_by_time_makes_folders_and_threads(box: Any) -> None:
    assert [row["email_id"] for row in box.service("email").rows("mails")] == ["M1", "M2", "M3"]
    assert box.service("email").find("mails", "M1")["thread_id"] == "M1"
    assert box.call("email.get_emails", folder="shopping")["emails"][0]["email_id"] == "M3"
    box.check()


def test_a_stored_answer_joins_the_thread_of_what_it_answers(box: Any) -> None:
    box.put(
        "email.mails", email_id="M4", sender="gao@cars.example", to=[ME], subject="Pick-up", body="", in_reply_to="M1",
        at="2026-04-12T20:00:00+08:00",
    )  # fmt: skip
    box.start()
    assert box.service("email").find("mails", "M4")["thread_id"] == "M1"
    assert ids(box.call("email.read_email", email_id="M4"), "thread") == ["M1"]


def test_a_mail_that_was_sent_and_deleted_does_not_come_in(box: Any) -> None:
    key = send(box)["email_id"]
    box.call("email.delete_email", email_id=key)
    box.call("email.delete_email", email_id=key)  # from the trash
    assert box.refused("email.read_email", email_id=key) == "not_found"
    mail = {"sender": "a@b.example", "sender_name": "", "subject": "x", "body": "y"}
    assert box.happen("email.deliver", **mail, mail_id=key) == []


def test_attached_files_have_names() -> None:
    takes = catalogue.happening_arguments("email", "deliver")
    mail = {"sender": "a@b.example", "sender_name": "", "subject": "x", "body": "y"}
    for name in ("", "x" * 201):
        with pytest.raises(ToolError, match="filename"):
            takes.validate({**mail, "attachments": [{"filename": name, "text": "z"}]})


def test_connection_and_folders(box: Any) -> None:
    state = box.call("email.check_connection")
    assert state == {
        "connected": True, "address": ME, "name": "Ann Lee", "time": "2026-04-17T09:00:00+08:00",
        "mails": 3, "unread": 2,
    }  # fmt: skip
    folders = {row["name"]: row for row in box.call("email.get_folders")["folders"]}
    assert list(folders) == ["INBOX", "Sent", "Drafts", "Archive", "Spam", "Trash", "Shopping"]
    assert folders["INBOX"] == {"name": "INBOX", "system": True, "total": 2, "unread": 2}
    assert folders["Shopping"] == {"name": "Shopping", "system": False, "total": 1, "unread": 1}


def test_listing_is_newest_first_and_marks_nothing(box: Any) -> None:
    before = box.world.dump()
    first = box.call("email.get_emails", page_size=1)
    assert (ids(first), first["total"], first["pages"]) == (["M2"], 2, 2)
    [mail] = box.call("email.get_emails", page=2, page_size=1)["emails"]
    assert mail == {
        "email_id": "M1", "folder": "INBOX", "from": "gao@cars.example", "from_name": "Mr Gao",
        "to": [ME, "bo@x.example"], "subject": "RE: Pick-up", "date": "2026-04-09T20:00:00+08:00", "read": False,
        "flagged": False, "answered": False, "attachments": [], "thread_id": "M1", "preview": "At the airport then.",
    }  # fmt: skip
    assert len(box.call("email.get_emails", folder="Shopping")["emails"][0]["preview"]) == 140
    assert box.world.dump() == before
    assert box.refused("email.get_emails", folder="Nowhere") == "unknown_folder"
    assert box.refused("email.get_emails", page=0) == "bad_page"
    assert box.refused("email.get_emails", page_size=101) == "bad_page"


def test_reading_marks_as_read_and_shows_all(box: Any) -> None:
    mail = box.call("email.read_email", email_id="M2")
    assert (mail["body"], mail["body_next"], mail["reply_to"]) == (
        "Your letter is attached.", None, "clinic@health.example",
    )  # fmt: skip
    assert mail["attachments"] == [{"filename": "letter.txt", "size": 10}]
    assert box.call("email.get_unread_count") == {"unread": 2, "by_folder": {"INBOX": 1, "Shopping": 1}}
    assert box.call("email.get_unread_count", folder_name="INBOX")["unread"] == 1
    assert box.refused("email.read_email", email_id="M9") == "not_found"
    assert box.refused("email.get_unread_count", folder_name="No") == "unknown_folder"


def test_a_long_mail_is_read_in_parts(box: Any) -> None:
    [key] = box.happen("email.deliver", sender="a@b.example", sender_name="", subject="Long", body="ab" * 10_000)
    first = box.call("email.read_email", email_id=key)
    assert (len(first["body"]), first["body_next"]) == (16_000, 16_000)
    rest = box.call("email.read_email", email_id=key, body_from=first["body_next"])
    assert first["body"] + rest["body"] == "ab" * 10_000
    assert rest["body_next"] is None


def test_headers_tell_where_a_mail_came_from(box: Any) -> None:
    [key] = box.happen(
        "email.deliver", sender="desk@jp-visa.help", sender_name="Visa Desk", subject="Pay", body="now", auth="fail",
        reply_to="Money@pay.example", return_path="bulk@sender.example",
    )  # fmt: skip
    headers = box.call("email.get_email_headers", email_id=key)["headers"]
    assert headers["From"] == '"Visa Desk" <desk@jp-visa.help>'
    assert headers["Reply-To"] == "money@pay.example"
    assert headers["Return-Path"] == "bulk@sender.example"
    assert headers["Received"].startswith("from mx.sender.example by mx.mail.example")
    assert headers["Authentication-Results"].count("fail (jp-visa.help)") == 3
    plain = box.call("email.get_email_headers", email_id="M3")["headers"]
    assert (plain["From"], plain["Message-ID"]) == ("news@shop.example", "<M3@shop.example>")
    assert not box.service("email").find("mails", "M3")["read"]
    assert box.refused("email.get_email_headers", email_id="no") == "not_found"


def test_statistics(box: Any) -> None:
    box.call("email.mark_emails", email_ids=["M2"], status="flagged")
    stats = box.call("email.get_mailbox_stats")
    assert (stats["total"], stats["unread"], stats["flagged"], stats["with_attachments"]) == (3, 3, 1, 1)
    assert (stats["oldest"], stats["newest"]) == ("2026-04-09T20:00:00+08:00", "2026-04-11T01:00:00+00:00")
    assert stats["by_folder"]["INBOX"] == 2
    inbox = box.call("email.get_mailbox_stats", folder_name="INBOX")
    assert (inbox["folder"], inbox["total"], inbox["characters"]) == ("INBOX", 2, 44)
    assert "by_folder" not in inbox
    empty = box.call("email.get_mailbox_stats", folder_name="Spam")
    assert (empty["total"], empty["oldest"], empty["newest"]) == (0, None, None)
    assert box.refused("email.get_mailbox_stats", folder_name="No") == "unknown_folder"


# -- searching -------------------------------------------------------------------------------------------------------

LIBRARY = (
    (
        "hotel",
        "stay@nijo-stay.example",
        "Kyoto Nijo",
        "Booking confirmed: Kyoto",
        "Your room for four nights in May.",
        (),
    ),
    ("hotel2", "info@nijo-hold.example", "Kyoto Nijo Reservation", "Keep your room", "Wire 30,000 to keep it.", ()),
    (
        "letter",
        "clinic@health.example",
        "Riverside Clinic",
        "Travel letter",
        "Needles and insulin.",
        ("letter_zh.txt",),
    ),
    ("newsclinic", "clinic@health.example", "Riverside Clinic", "Spring newsletter", "Walk more, sit less.", ()),
    ("flight", "noreply@huadong-air.example", "Huadong Air", "Flight HD521", "Gate opens at eight.", ()),
    ("old", "noreply@huadong-air.example", "Huadong Air", "HD512 in 2024", "Your flight was on time.", ()),
    ("gao", "gao@cars.example", "Mr Gao", "Pick-up at the airport", "180 yuan as always.", ()),
    ("bill", "billing@brightwire.example", "Brightwire", "Invoice 2291", "Internet for March.", ("invoice.txt",)),
    ("hr", "hr@rijnmond.example", "Rijnmond HR", "Your offer", "Please resume talks with your cv.", ()),
    ("jose", "jose@casa.example", "José Álvarez", "Key handover", "On the terrace at noon.", ()),
)


@pytest.fixture
def library(desk: Any) -> Any:
    d = desk("email")
    for key, sender, name, subject, body, files in LIBRARY:
        d.world.now += 60
        d.happen(
            "email.deliver", sender=sender, sender_name=name, subject=subject, body=body, mail_id=key,
            attachments=[{"filename": file, "text": "text"} for file in files],
        )  # fmt: skip
    d.call("email.mark_emails", email_ids=["gao", "bill"], status="read")
    d.call("email.mark_emails", email_ids=["gao"], status="flagged")
    d.call("email.send_email", to="gao@cars.example", subject="Later", body="We land at nine.")
    d.call("email.reply_email", email_id="hr", body="Thank you.")
    d.call("email.move_email", email_id="hotel2", target_folder="Spam")
    return d


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kyoto", ["hotel"]),
        ("kyto booking", ["hotel"]),
        ("clinic letter", ["letter"]),
        ("riverside clinik", ["newsclinic", "letter"]),
        ("flight", ["flight", "old"]),
        ("plane", ["flight", "old"]),
        ("hd521", ["flight"]),
        ("bill", ["bill"]),
        ("invoices", ["bill"]),
        ("invioce", ["bill"]),
        ("airport pick up", ["gao"]),
        ("jose", ["jose"]),
        ("álvarez key", ["jose"]),
        ("needle", ["letter"]),
        ("letter_zh", ["letter"]),
        ("insul", ["letter"]),
        ("from:huadong", ["old", "flight"]),
        ("from:clinic has:attachment", ["letter"]),
        ("has:attachments", ["bill", "letter"]),
        ("is:flagged", ["gao"]),
        ("is:answered", ["hr"]),
        ('subject:"travel letter"', ["letter"]),
        ("subject:hd five", []),
        ("FROM:clinic is:unread spring", ["newsclinic"]),
        ("is:read brightwire", ["bill"]),
        ("to:gao land", ["mail_0001"]),
        ("xylophone", []),
        ("in", []),
    ],
)
def test_search_finds(library: Any, query: str, expected: list[str]) -> None:
    found = ids(library.call("email.search_emails", query=query))
    assert found[: len(expected)] == expected
    if not expected:
        assert found == [] or query == "in"


def test_search_says_when_no_mail_has_all_words(library: Any) -> None:
    found = library.call("email.search_emails", query="kyoto xylophone")
    assert (ids(found), found["matched"]) == (["hotel"], "some")
    assert library.call("email.search_emails", query="kyoto room")["matched"] == "all"


def test_search_leaves_spam_and_trash_out_unless_asked(library: Any) -> None:
    assert "hotel2" not in ids(library.call("email.search_emails", query="room"))
    assert ids(library.call("email.search_emails", query="room", folder="spam")) == ["hotel2"]
    assert library.call("email.search_emails", query="")["total"] == 11


def test_an_exact_subject_and_a_phrase_come_first(library: Any) -> None:
    library.happen("email.deliver", sender="x@y.example", sender_name="", subject="a", body="needles insulin and")
    library.happen("email.deliver", sender="x@y.example", sender_name="", subject="Keep", body="The offer is yours.")
    assert ids(library.call("email.search_emails", query="needles and insulin"))[0] == "letter"
    assert ids(library.call("email.search_emails", query="your offer"))[0] == "hr"


def test_search_refuses(library: Any) -> None:
    assert library.refused("email.search_emails", query="is:funny") == "bad_query"
    assert library.refused("email.search_emails", query="has:stamp") == "bad_query"
    assert library.refused("email.search_emails", query="from: gao") == "bad_query"
    assert library.refused("email.search_emails", query="w" * 301) == "bad_query"
    assert library.refused("email.search_emails", query="x", folder="No") == "unknown_folder"
    assert library.refused("email.search_emails", query="x", page=0) == "bad_page"


def test_search_over_several_blocks(desk: Any) -> None:
    d = desk("email")
    d.service("email").old_mailbox(random.Random(3), threads=40, newsletters=40, receipts=40)
    d.start()
    d.happen("email.deliver", sender="z@z.example", sender_name="", subject="Quokka", body="", mail_id="Q")
    assert ids(d.call("email.search_emails", query="quokka")) == ["Q"]
    found = d.call("email.search_emails", query="radiator", page_size=100)
    assert all("adiator" in mail["subject"] + mail["preview"] for mail in found["emails"])


# -- tidying ---------------------------------------------------------------------------------------------------------


def test_folders_are_made_and_removed(box: Any) -> None:
    assert box.call("email.create_folder", folder_name=" Trip ")["name"] == "Trip"
    box.call("email.move_email", email_id="M2", target_folder="trip")
    assert box.call("email.delete_folder", folder_name="TRIP") == {"name": "Trip", "moved": 1}
    assert box.service("email").find("mails", "M2")["folder"] == "Trash"
    assert box.refused("email.create_folder", folder_name="inbox") == "exists"
    assert box.refused("email.create_folder", folder_name="  ") == "bad_name"
    assert box.refused("email.create_folder", folder_name="a\nb") == "bad_name"
    assert box.refused("email.create_folder", folder_name="n" * 61) == "bad_name"
    assert box.refused("email.delete_folder", folder_name="Sent") == "system_folder"
    assert box.refused("email.delete_folder", folder_name="Trip") == "unknown_folder"
    for number in range(49):
        box.call("email.create_folder", folder_name=f"f{number}")
    assert box.refused("email.create_folder", folder_name="one more") == "too_many_folders"
    box.check()


def test_moving(box: Any) -> None:
    assert box.call("email.move_email", email_id="M2", target_folder="archive") == {
        "email_id": "M2",
        "folder": "Archive",
    }
    moved = box.call("email.move_emails", email_ids=["M1", "M2", "M1"], target_folder="Spam")
    assert moved == {"email_ids": ["M1", "M2"], "folder": "Spam", "moved": 2}
    draft = box.call("email.save_draft", subject="s", body="b")["draft_id"]
    assert box.refused("email.move_email", email_id="M9", target_folder="INBOX") == "not_found"
    assert box.refused("email.move_email", email_id="M1", target_folder="No") == "unknown_folder"
    assert box.refused("email.move_email", email_id="M1", target_folder="drafts") == "drafts_only"
    assert box.refused("email.move_email", email_id=draft, target_folder="INBOX") == "is_draft"
    assert box.refused("email.move_emails", email_ids=["M1", "M9"], target_folder="INBOX") == "not_found"
    assert box.refused("email.move_emails", email_ids=["M1", draft], target_folder="INBOX") == "is_draft"
    assert box.refused("email.move_emails", email_ids=["M1"], target_folder="Drafts") == "drafts_only"
    assert box.refused("email.move_emails", email_ids=["M1"], target_folder="No") == "unknown_folder"
    assert box.refused("email.move_emails", email_ids=[], target_folder="INBOX") == "bad_arguments"


def test_deleting_goes_to_trash_and_then_for_good(box: Any) -> None:
    assert box.call("email.delete_email", email_id="M1") == {"email_id": "M1", "folder": "Trash"}
    assert box.call("email.delete_email", email_id="M1") == {"email_id": "M1", "folder": None}
    assert box.refused("email.delete_email", email_id="M1") == "not_found"
    box.call("email.delete_email", email_id="M2")
    done = box.call("email.delete_emails", email_ids=["M2", "M3", "M2"])["emails"]
    assert done == [{"email_id": "M2", "folder": None}, {"email_id": "M3", "folder": "Trash"}]
    draft = box.call("email.save_draft", subject="s", body="b")["draft_id"]
    assert box.refused("email.delete_email", email_id=draft) == "is_draft"
    assert box.refused("email.delete_emails", email_ids=["M3", draft]) == "is_draft"
    assert box.refused("email.delete_emails", email_ids=["M3", "M9"]) == "not_found"


def test_marking(box: Any) -> None:
    box.call("email.read_email", email_id="M1")
    assert box.call("email.mark_emails", email_ids=["M1", "M2", "M2"], status="read")["changed"] == 1
    assert box.call("email.mark_emails", email_ids=["M1"], status="unread")["changed"] == 1
    assert box.call("email.mark_emails", email_ids=["M1"], status="flagged")["changed"] == 1
    assert box.call("email.mark_emails", email_ids=["M1"], status="unflagged")["changed"] == 1
    mail = box.service("email").find("mails", "M1")
    assert (mail["read"], mail["flagged"]) == (False, False)
    assert box.refused("email.mark_emails", email_ids=["M9"], status="read") == "not_found"
    assert box.refused("email.mark_emails", email_ids=["M1"], status="spam") == "bad_arguments"


# -- sending ---------------------------------------------------------------------------------------------------------


def test_a_sent_mail_is_recorded_for_good(box: Any) -> None:
    sent = send(
        box, to='Mr Gao <Gao@Cars.example>, "Sato, Ken" <ken@x.example>; gao@cars.example', cc="wu@x.example",
        bcc="wu@x.example, hid@x.example", attachments=["docs/plan.md"], html_body="<p>Good day</p>",
    )  # fmt: skip
    assert (sent["to"], sent["cc"], sent["bcc"]) == (
        ["gao@cars.example", "ken@x.example"], ["wu@x.example"], ["hid@x.example"],
    )  # fmt: skip
    assert sent["attachments"] == [{"filename": "plan.md", "path": "docs/plan.md", "size": 8}]
    assert ids(box.call("email.get_emails", folder="Sent")) == [sent["email_id"]]
    box.world.workspace.write("docs/plan.md", "changed", box.world.now)
    box.call("email.delete_email", email_id=sent["email_id"])
    box.call("email.delete_email", email_id=sent["email_id"])
    [row] = box.service("email").rows("outgoing")
    assert thaw(dict(row)) == {
        "mail_id": sent["email_id"], "at": "2026-04-17T09:00:00+08:00", "kind": "new", "sender": ME,
        "to": ["gao@cars.example", "ken@x.example"], "cc": ["wu@x.example"], "bcc": ["hid@x.example"],
        "subject": "Hello", "body": "Good day", "written": "Good day", "html_body": "<p>Good day</p>",
        "attachments": [{"filename": "plan.md", "path": "docs/plan.md", "text": "the plan", "size": 8}],
        "in_reply_to": "", "forwarded_id": "", "thread_id": sent["email_id"], "bounced": [],
    }  # fmt: skip
    box.check()


def test_attachment_lines_attach(box: Any) -> None:
    body = "See these.\nAttachment: docs/plan.md\n - attachment: `/old//plan.md`\nAttachment: ./docs/plan.md\n"
    sent = send(box, body=body, attachments=["docs/plan.md"])
    assert [(item["filename"], item["path"]) for item in sent["attachments"]] == [
        ("plan.md", "docs/plan.md"), ("plan (2).md", "old/plan.md"),
    ]  # fmt: skip
    [row] = box.service("email").rows("outgoing")
    assert [item["text"] for item in row["attachments"]] == ["the plan", "the old plan"]
    assert box.refused("email.send_email", to="a@b.example", subject="", body="Attachment: no.txt") == (
        "attachment_not_found"
    )


def test_files_of_the_same_name_without_an_ending(box: Any) -> None:
    for folder in ("a", "b"):
        box.world.workspace.write(f"{folder}/README", "r", box.world.now)
    sent = send(box, attachments=["a/README", "b/README"])
    assert [item["filename"] for item in sent["attachments"]] == ["README", "README (2)"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"to": ""}, "bad_address"),
        ({"to": "gao"}, "bad_address"),
        ({"to": "Gao <gao@cars>"}, "bad_address"),
        ({"to": "a b@cars.example"}, "bad_address"),
        ({"cc": "x@"}, "bad_address"),
        ({"bcc": "@x.example"}, "bad_address"),
        ({"to": "a@b.example," * 700}, "bad_address"),
        ({"to": ",".join(f"a{n}@b.example" for n in range(101))}, "too_many_recipients"),
        ({"subject": "a\nb"}, "bad_subject"),
        ({"subject": "s" * 401}, "bad_subject"),
        ({"body": "é" * 32_769}, "body_too_long"),
        ({"html_body": "x" * 65_537}, "body_too_long"),
        ({"attachments": ["none.txt"]}, "attachment_not_found"),
        ({"attachments": ["../secret"]}, "bad_path"),
        ({"attachments": [f"f{n}" for n in range(11)]}, "too_many_attachments"),
    ],
)
def test_what_cannot_leave(box: Any, changes: dict[str, Any], code: str) -> None:
    good = {"to": "a@b.example", "subject": "s", "body": "b"}
    assert box.refused("email.send_email", **{**good, **changes}) == code
    if "subject" not in changes:
        passed = {"email_id": "M1", "to": "a@b.example", "body": "b"}
        assert box.refused("email.forward_email", **{**passed, **changes}) == code


def test_mail_to_oneself_arrives(box: Any) -> None:
    sent = send(box, to="ANN@mail.example", body="Attachment: docs/plan.md")
    [first, *_] = box.call("email.get_emails")["emails"]
    assert (first["from"], first["read"], first["thread_id"]) == (ME, False, sent["thread_id"])
    box.call("email.download_attachment", email_id=first["email_id"], attachment_filename="plan.md")
    assert box.world.workspace.get("plan.md").text == "the plan"
    hidden = send(box, bcc=ME)
    arrived = box.call("email.read_email", email_id=box.call("email.get_emails")["emails"][0]["email_id"])
    assert (arrived["in_reply_to"], arrived["bcc"]) == (hidden["email_id"], [])


def test_answers_stay_in_the_conversation(box: Any) -> None:
    sent = box.call("email.reply_email", email_id="M1", body="Fine", attachments=["docs/plan.md"])
    assert (sent["to"], sent["cc"], sent["subject"], sent["thread_id"]) == (
        ["gao@cars.example"],
        [],
        "Re: Pick-up",
        "M1",
    )
    assert box.service("email").find("mails", "M1")["answered"]
    row = box.service("email").find("outgoing", sent["email_id"])
    assert (row["kind"], row["in_reply_to"], row["body"]) == ("reply", "M1", "Fine")
    again = box.call("email.reply_email", email_id=sent["email_id"], body="One more thing")
    assert (again["to"], again["thread_id"]) == (["gao@cars.example"], "M1")
    everybody = box.call(
        "email.reply_email", email_id="M1", body="All", reply_all=True, cc="new@x.example", bcc="h@x.example"
    )
    assert (everybody["to"], everybody["cc"], everybody["bcc"]) == (
        ["gao@cars.example"], ["bo@x.example", "wu@x.example", "new@x.example"], ["h@x.example"],
    )  # fmt: skip
    thread = box.call("email.read_email", email_id="M1")["thread"]
    assert [mail["email_id"] for mail in thread] == [sent["email_id"], again["email_id"], everybody["email_id"]]


def test_an_answer_follows_reply_to(box: Any) -> None:
    [key] = box.happen(
        "email.deliver", sender="a@b.example", sender_name="", subject="Line\nbreak", body="", reply_to="c@d.example"
    )
    sent = box.call("email.reply_email", email_id=key, body="ok")
    assert (sent["to"], sent["subject"]) == (["c@d.example"], "Re: Line break")


def test_what_cannot_be_answered(box: Any) -> None:
    draft = box.call("email.save_draft", subject="s", body="b")["draft_id"]
    box.happen("email.deliver", sender="nobody", sender_name="", subject="", body="", mail_id="X")
    reply = {"email_id": "M1", "body": "b"}
    assert box.refused("email.reply_email", email_id="M9", body="b") == "not_found"
    assert box.refused("email.reply_email", email_id=draft, body="b") == "is_draft"
    assert box.refused("email.reply_email", email_id="X", body="b") == "bad_address"
    assert box.refused("email.reply_email", **reply, cc="x") == "bad_address"
    many = ",".join(f"a{n}@b.example" for n in range(100))
    assert box.refused("email.reply_email", **reply, cc=many) == "too_many_recipients"
    assert box.refused("email.reply_email", email_id="M1", body="x" * 65_537) == "body_too_long"
    assert box.refused("email.reply_email", **reply, attachments=["no"]) == "attachment_not_found"
    assert box.refused("email.reply_email", **reply, attachments=["../x"]) == "bad_path"
    assert box.refused("email.reply_email", **reply, attachments=[f"f{n}" for n in range(11)]) == "too_many_attachments"
    assert box.refused("email.forward_email", email_id=draft, to="a@b.example") == "is_draft"
    assert box.refused("email.forward_email", email_id="M9", to="a@b.example") == "not_found"


def test_a_forward_takes_text_and_files_along(box: Any) -> None:
    box.world.workspace.write("letter.txt", "mine", box.world.now)
    sent = box.call(
        "email.forward_email",
        email_id="M2",
        to="air@huadong.example",
        body="Please see below.",
        attachments=["letter.txt"],
    )
    assert sent["subject"] == "Fwd: Travel letter"
    assert sent["attachments"] == [
        {"filename": "letter.txt", "path": "letter.txt", "size": 4},
        {"filename": "letter (2).txt", "path": "", "size": 10},
    ]
    row = box.service("email").find("outgoing", sent["email_id"])
    assert (row["kind"], row["forwarded_id"], row["written"]) == ("forward", "M2", "Please see below.")
    assert row["body"].startswith("Please see below.\n\n----- Forwarded mail\nFrom: Riverside Clinic <clinic@health")
    assert row["body"].endswith("\n\nYour letter is attached.")
    bare = box.call("email.forward_email", email_id="M3", to="a@b.example")
    body = box.service("email").find("outgoing", bare["email_id"])["body"]
    assert body.startswith("----- Forwarded mail\nFrom: news@shop.example\n")
    box.check()


# -- drafts ----------------------------------------------------------------------------------------------------------


def test_drafts(box: Any) -> None:
    one = box.call(
        "email.save_draft", subject="Notice", body="I resign", to="hr@x.example", cc="c@x.example", bcc="d@x.example",
        in_reply_to="M1", attachments=["docs/plan.md"], html_body="<b>",
    )  # fmt: skip
    assert one == {
        "draft_id": "draft_0001", "to": ["hr@x.example"], "cc": ["c@x.example"], "bcc": ["d@x.example"],
        "subject": "Notice", "body": "I resign", "changed_at": "2026-04-17T09:00:00+08:00", "in_reply_to": "M1",
        "attachments": ["plan.md"],
    }  # fmt: skip
    assert box.service("email").find("mails", "draft_0001")["thread_id"] == "M1"
    two = box.call("email.save_draft", subject="", body="y" * 2_100)["draft_id"]
    listed = box.call("email.get_drafts")
    assert [row["draft_id"] for row in listed["drafts"]] == [two, "draft_0001"]
    assert listed["drafts"][0]["body"].endswith("[... 100 more characters; read_email(draft_0002)]")
    assert box.call("email.read_email", email_id=two)["body"] == "y" * 2_100
    box.until("2026-04-17T10:00:00")
    changed = box.call(
        "email.update_draft", draft_id="draft_0001", body="I leave", cc="", in_reply_to="", attachments=[]
    )
    assert changed == {
        **one, "cc": [], "body": "I leave", "in_reply_to": "", "attachments": [],
        "changed_at": "2026-04-17T10:00:00+08:00",
    }  # fmt: skip
    assert ids(box.call("email.get_emails", folder="Drafts")) == ["draft_0001", two]
    assert box.call("email.delete_draft", draft_id=two) == {"draft_id": two, "deleted": True}
    assert box.call("email.get_drafts")["total"] == 1
    assert len(box.service("email").rows("outgoing")) == 0
    box.check()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"in_reply_to": "M9"}, "not_found"),
        ({"to": "x"}, "bad_address"),
        ({"cc": ",".join(f"a{n}@b.example" for n in range(101))}, "too_many_recipients"),
        ({"subject": "a\rb"}, "bad_subject"),
        ({"body": "x" * 65_537}, "body_too_long"),
        ({"attachments": ["no"]}, "attachment_not_found"),
        ({"attachments": [" "]}, "attachment_not_found"),
        ({"attachments": [""]}, "bad_path"),
        ({"attachments": [f"f{n}" for n in range(11)]}, "too_many_attachments"),
    ],
)
def test_what_no_draft_can_be(box: Any, changes: dict[str, Any], code: str) -> None:
    draft = box.call("email.save_draft", subject="s", body="b")["draft_id"]
    assert box.refused("email.save_draft", **{"subject": "s", "body": "b", **changes}) == code
    assert box.refused("email.update_draft", draft_id=draft, **changes) == code


def test_drafts_that_are_none(box: Any) -> None:
    assert box.refused("email.update_draft", draft_id="M1", body="x") == "not_found"
    assert box.refused("email.delete_draft", draft_id="draft_9") == "not_found"
    assert box.refused("email.get_drafts", page_size=51) == "bad_page"


# -- files -----------------------------------------------------------------------------------------------------------


def test_downloading(box: Any) -> None:
    call = {"email_id": "M2", "attachment_filename": "letter.txt"}
    assert box.call("email.download_attachment", **call) == {"path": "letter.txt", "size": 10, "replaced": False}
    assert box.call("email.download_attachment", **call)["replaced"]
    assert box.call("email.download_attachment", **call, download_path="docs/")["path"] == "docs/letter.txt"
    assert box.call("email.download_attachment", **call, download_path="docs/b.txt")["path"] == "docs/b.txt"
    assert box.world.workspace.get("docs/b.txt").text == "three pens"
    assert box.refused("email.download_attachment", email_id="M9", attachment_filename="x") == "not_found"
    assert box.refused("email.download_attachment", email_id="M2", attachment_filename="x") == "no_such_attachment"
    assert box.refused("email.download_attachment", email_id="M1", attachment_filename="x") == "no_such_attachment"
    assert box.refused("email.download_attachment", **call, download_path="../x") == "bad_path"
    assert box.refused("email.download_attachment", **call, download_path="docs") == "is_folder"
    assert box.refused("email.download_attachment", **call, download_path="docs/plan.md/x") == "not_a_folder"
    box.happen("email.replace_attachment", mail_id="M2", filename="letter.txt", text="x" * 262_145)
    assert box.refused("email.download_attachment", **call) == "file_too_large"
    box.happen("email.replace_attachment", mail_id="M2", filename="letter.txt", text="x")
    for number in range(2000 - len(box.world.workspace.paths())):
        box.world.workspace.write(f"n/{number}", "", 0)
    assert box.refused("email.download_attachment", **call, download_path="more") == "workspace_full"
    assert box.refused("email.export_emails", export_path="more") == "workspace_full"


def test_export_and_import_bring_everything_back(box: Any, desk: Any) -> None:
    box.call("email.reply_email", email_id="M1", body="Fine")
    box.call("email.save_draft", subject="Later", body="b")
    out = box.call("email.export_emails", export_all_folders=True, export_path="out/all.json")
    assert (out["path"], out["exported"], out["total"], out["replaced"]) == ("out/all.json", 5, 5, False)
    assert box.call("email.import_emails", import_path="out/all.json") == {"imported": 0, "skipped": 5, "email_ids": []}
    other = desk("email")
    other.happen("email.deliver", sender="first@x.example", sender_name="", subject="First", body="")
    other.world.workspace.write("all.json", box.world.workspace.get("out/all.json").text, 0)
    done = other.call("email.import_emails", import_path="all.json")
    keys = ["mail_0002", "mail_0003", "mail_0004", "mail_0005", "draft_0001"]
    assert done == {"imported": 5, "skipped": 0, "email_ids": keys}
    mails = {row["subject"]: row for row in other.service("email").rows("mails")}
    assert list(mails)[:4] == ["RE: Pick-up", "Travel letter", "Offers", "First"]
    assert mails["Re: Pick-up"]["in_reply_to"] == mails["Re: Pick-up"]["thread_id"] == mails["RE: Pick-up"]["email_id"]
    assert mails["Travel letter"]["attachments"][0]["text"] == "three pens"
    assert mails["Offers"]["folder"] == "Shopping"
    assert mails["Later"]["folder"] == "Drafts"
    assert all(row["imported"] == (subject != "First") for subject, row in mails.items())
    assert len(other.service("email").rows("outgoing")) == 0
    other.check()


def test_export_of_one_folder(box: Any) -> None:
    out = box.call("email.export_emails", max_emails=1)
    assert (out["exported"], out["total"], out["path"]) == (1, 2, "emails_export.json")
    content = json.loads(box.world.workspace.get("emails_export.json").text)
    assert [mail["email_id"] for mail in content["emails"]] == ["M2"]
    assert box.call("email.export_emails", folder="shopping")["exported"] == 1
    assert box.refused("email.export_emails", folder="No") == "unknown_folder"
    assert box.refused("email.export_emails", export_path="") == "bad_path"
    assert box.refused("email.export_emails", export_path="docs") == "is_folder"
    assert box.refused("email.export_emails", export_path="docs/plan.md/x") == "not_a_folder"
    box.happen("email.replace_attachment", mail_id="M2", filename="letter.txt", text="x" * 262_000)
    assert box.refused("email.export_emails") == "file_too_large"


def imported(box: Any, *entries: dict[str, Any], **arguments: Any) -> Any:
    base: dict[str, Any] = {"email_id": "E", "sender": "a@b.example", "to": [ME], "subject": "s", "body": "b"}
    base["at"] = "2026-04-01T00:00:00+00:00"
    text = json.dumps({"emails": [{**base, **entry} for entry in entries]})
    box.world.workspace.write("in.json", text, box.world.now)
    return box.outcome("email.import_emails", import_path="in.json", **arguments)


def test_import_chooses_folders(box: Any) -> None:
    assert imported(box, {"folder": "new"}, {"folder": "NEW", "body": "c"}, {"folder": "sent", "body": "d"}).ok
    folders = [row["folder"] for row in box.service("email").rows("mails") if row["imported"]]
    assert folders == ["Sent", "NEW", "NEW"]
    box.check()
    assert imported(box, {"folder": "Other", "body": "e"}, preserve_folders=False).ok
    assert imported(box, {"folder": "Other", "body": "f"}, target_folder="archive").ok
    folders = [row["folder"] for row in box.service("email").rows("mails") if row["imported"]]
    assert sorted(folders) == ["Archive", "INBOX", "NEW", "NEW", "Sent"]


def test_import_refuses(box: Any) -> None:
    assert imported(box, {"at": "2027-01-01T00:00:00+00:00"}).code == "bad_file"
    assert imported(box, {"at": "yesterday"}).code == "bad_file"
    assert imported(box, {"body": "x" * 65_537}).code == "bad_file"
    assert imported(box, {"folder": " "}).code == "bad_file"
    assert imported(box, {"more": 1}).code == "bad_file"
    twice = [{"filename": "a", "text": ""}, {"filename": "a", "text": ""}]
    assert imported(box, {"attachments": twice}).code == "bad_file"
    assert imported(box, *({"body": str(n)} for n in range(501))).code == "bad_file"
    assert imported(box, *({"body": str(n), "folder": f"f{n}"} for n in range(50))).code == "too_many_folders"
    assert imported(box, {}, target_folder="Drafts").code == "drafts_only"
    assert imported(box, {}, target_folder="No").code == "unknown_folder"
    for text in ("{", "[]", '{"emails": 1}'):
        box.world.workspace.write("in.json", text, box.world.now)
        assert box.refused("email.import_emails", import_path="in.json") == "bad_file"
    assert box.refused("email.import_emails", import_path="none.json") == "file_not_found"
    assert box.refused("email.import_emails", import_path="../x") == "bad_path"


# -- happenings and other services -----------------------------------------------------------------------------------


def deliver(box: Any, **changes: Any) -> Any:
    fields = {"sender": "gao@cars.example", "sender_name": "Mr Gao", "subject": "Yes", "body": "Fine", **changes}
    return box.happen("email.deliver", **fields)


def test_delivered_mail_lies_in_the_inbox_silently(box: Any) -> None:
    [key] = deliver(
        box, sender="Gao@Cars.example", attachments=[{"filename": "a.txt", "text": "x"}] * 2, mail_id="M100"
    )
    mail = box.service("email").find("mails", key)
    assert (key, mail["folder"], mail["read"], mail["sender"]) == ("M100", "INBOX", False, "gao@cars.example")
    assert (mail["to"], mail["thread_id"], mail["at"]) == ([ME], "M100", "2026-04-17T09:00:00+08:00")
    assert [item["filename"] for item in mail["attachments"]] == ["a.txt", "a (2).txt"]
    assert box.world.openings == []
    assert deliver(box, mail_id="M100") == []
    deliver(box, folder="Spam", to=["All@x.example"], cc=["B@x.example"], mail_id="M101")
    spam = box.service("email").find("mails", "M101")
    assert (spam["folder"], spam["to"], spam["cc"]) == ("Spam", ["all@x.example"], ["b@x.example"])
    box.check()


def test_delivered_mail_joins_a_thread(box: Any) -> None:
    first = send(box, subject="Pick-up on 16 May", to="x@y.example", cc="gao@cars.example")
    [key] = deliver(box, reply=True, subject="")
    mail = box.service("email").find("mails", key)
    assert (mail["subject"], mail["thread_id"]) == ("Re: Pick-up on 16 May", first["thread_id"])
    assert mail["in_reply_to"] == first["email_id"]
    [key] = deliver(box, in_reply_to_subject="Fwd: travel LETTER")
    assert box.service("email").find("mails", key)["thread_id"] == "M2"
    [key] = deliver(box, sender="stranger@x.example", reply=True)
    assert box.service("email").find("mails", key)["thread_id"] == key
    [key] = deliver(box, sender="stranger@x.example", reply=True, in_reply_to_subject="Pick-up", subject="")
    mail = box.service("email").find("mails", key)
    assert (mail["thread_id"], mail["subject"]) == ("M1", "Re: Pick-up")


def test_an_attachment_is_replaced_under_its_name(box: Any) -> None:
    deliver(box, mail_id="M5", attachments=[{"filename": "a", "text": "1"}, {"filename": "b", "text": "2"}])
    assert box.happen("email.replace_attachment", mail_id="M5", filename="b", text="3") == ["M5"]
    assert [item["text"] for item in box.service("email").find("mails", "M5")["attachments"]] == ["1", "3"]
    assert box.happen("email.replace_attachment", mail_id="M5", filename="c", text="3") == []
    assert box.happen("email.replace_attachment", mail_id="M9", filename="b", text="3") == []


def test_mail_to_a_dead_address_comes_back(box: Any) -> None:
    assert box.happen("email.bounce", address="Old@board.example") == ["old@board.example"]
    sent = send(box, to="old@board.example, gao@cars.example", subject="File")
    assert box.service("email").find("outgoing", sent["email_id"])["bounced"] == ["old@board.example"]
    box.until("2026-04-17T09:00:59")
    assert box.call("email.get_emails")["total"] == 2
    box.until("2026-04-17T09:01:00")
    back = box.call("email.read_email", email_id=box.call("email.get_emails")["emails"][0]["email_id"])
    assert (back["from"], back["subject"]) == ("mailer-daemon@mail.example", "Undeliverable: File")
    assert "old@board.example: the mailbox does not exist" in back["body"]
    assert (back["thread_id"], back["in_reply_to"]) == (sent["thread_id"], sent["email_id"])
    box.happen("email.bounce", address="old@board.example", reason="")
    send(box, to="old@board.example")
    box.until("2026-04-17T12:00:00")
    assert box.call("email.get_emails")["total"] == 3
    box.check()


def test_an_address_that_is_away_answers(box: Any) -> None:
    box.happen("email.auto_reply", address="clerk@x.example", text="Away until 25 May", until="2026-04-20T00:00:00")
    sent = send(box, to="clerk@x.example", subject="Re: Form")
    box.until("2026-04-17T09:02:00")
    [mail, *_] = box.call("email.get_emails")["emails"]
    assert (mail["from"], mail["subject"], mail["preview"]) == (
        "clerk@x.example", "Automatic reply: Form", "Away until 25 May",
    )  # fmt: skip
    assert mail["thread_id"] == sent["thread_id"]
    box.until("2026-04-20T00:00:00")
    send(box, to="clerk@x.example")
    box.until("2026-04-21T00:00:00")
    assert box.call("email.get_emails")["total"] == 3
    box.happen("email.auto_reply", address="clerk@x.example", text="Again away")
    send(box, to="clerk@x.example")
    box.until("2026-04-22T00:00:00")
    assert box.call("email.get_emails")["total"] == 4


def test_services_send_mail(box: Any) -> None:
    files = [{"filename": "ticket.txt", "text": "seat 31C"}]
    mail = {"sender": "no-reply@air.example", "sender_name": "Air", "subject": "Booked", "body": "Thank you"}
    box.world.emit("mail_in", to="Ann@mail.example", **mail, attachments=files)
    box.world.emit("mail_in", to="", **mail)
    box.world.emit("mail_in", to="else@mail.example", **mail)
    listed = box.call("email.get_emails")
    assert listed["total"] == 4
    assert listed["emails"][1]["attachments"] == ["ticket.txt"]


def test_a_subscription_to_a_sender_opens_a_turn(box: Any) -> None:
    box.call(
        "notification_hub.create_subscription", user_id="u_ann", source="email", type="mail", target="gao@cars.example"
    )
    deliver(box, sender="other@x.example")
    deliver(box, folder="Spam")
    assert box.world.openings == []
    deliver(box)
    [opening] = box.world.openings
    assert (opening.kind, opening.text.splitlines()[0]) == ("alert", "New mail: Yes")


def test_old_mailbox_is_believable_and_past(desk: Any) -> None:
    worlds = []
    for _ in range(2):
        d = desk("email")
        d.service("email").old_mailbox(random.Random(7), threads=30, newsletters=20, receipts=20, days=100)
        d.start()
        d.check()
        worlds.append(d)
    assert worlds[0].world.dump() == worlds[1].world.dump()
    rows = list(worlds[0].service("email").rows("mails"))
    assert {row["folder"] for row in rows} == {"INBOX", "Archive", "Sent"}
    assert all(row["at"] < "2026-04-17" and row["read"] for row in rows)
    assert any(row["attachments"] for row in rows)
    threads = [row["thread_id"] for row in rows]
    assert any(threads.count(thread) > 2 for thread in threads)
    assert worlds[0].call("email.search_emails", query="receipt")["total"] == 20


# -- any sequence ----------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["M1", "M2", "M3", "mail_0001", "mail_0002", "draft_0001", "nope"])
FOLDERS = st.sampled_from(["INBOX", "Sent", "Drafts", "Trash", "Trip", "trip", "Shopping", ""])
ADDRESSES = st.sampled_from(["gao@cars.example", ME, "Old <old@x.example>, away@x.example", "", "bad"])
TEXTS = st.sampled_from(["", "Hello", "Attachment: docs/plan.md", "Attachment: none", "kyoto letter"])
STEPS = st.one_of(
    st.builds(lambda t, b: ("send_email", {"to": t, "subject": b[:9], "body": b}), ADDRESSES, TEXTS),
    st.builds(lambda k, b, a: ("reply_email", {"email_id": k, "body": b, "reply_all": a}), KEYS, TEXTS, st.booleans()),
    st.builds(lambda k, t, b: ("forward_email", {"email_id": k, "to": t, "body": b}), KEYS, ADDRESSES, TEXTS),
    st.builds(lambda t, b: ("save_draft", {"subject": "d", "to": t, "body": b}), ADDRESSES, TEXTS),
    st.builds(lambda k, b: ("update_draft", {"draft_id": k, "body": b}), KEYS, TEXTS),
    st.builds(lambda k: ("delete_draft", {"draft_id": k}), KEYS),
    st.builds(lambda k: ("read_email", {"email_id": k}), KEYS),
    st.builds(lambda k: ("delete_email", {"email_id": k}), KEYS),
    st.builds(lambda k, f: ("move_email", {"email_id": k, "target_folder": f}), KEYS, FOLDERS),
    st.builds(lambda f: ("create_folder", {"folder_name": f}), FOLDERS),
    st.builds(lambda f: ("delete_folder", {"folder_name": f}), FOLDERS),
    st.builds(lambda q: ("search_emails", {"query": q}), TEXTS),
    st.just(("export_emails", {"export_all_folders": True})),
    st.builds(lambda f: ("import_emails", {"import_path": "emails_export.json", "target_folder": f}), FOLDERS),
    st.builds(lambda k: ("mark_emails", {"email_ids": [k, "M1"], "status": "unread"}), KEYS),
    st.builds(lambda s: ("+deliver", {"sender": s, "sender_name": "", "subject": "", "body": "b", "reply": True}),
              st.sampled_from(["old@x.example", "gao@cars.example", ME])),
    st.just(("+bounce", {"address": "old@x.example"})),
    st.just(("+auto_reply", {"address": "away@x.example", "text": "away"})),
    st.just(("+replace_attachment", {"mail_id": "M2", "filename": "letter.txt", "text": "new"})),
    st.builds(lambda s: ("+", {"seconds": s}), st.sampled_from([1, 59, 61, 86_400])),
)  # fmt: skip


@given(steps=st.lists(STEPS, max_size=14))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_any_sequence_keeps_the_invariants(box: Any, steps: list[tuple[str, dict[str, Any]]]) -> None:
    world = box.world
    box.world = world.fork()
    try:
        gone: list[dict[str, Any]] = []
        for verb, arguments in steps:
            before = box.world.dump()
            if verb == "+":
                box.world.run_to(box.world.now + arguments["seconds"])
            elif verb.startswith("+"):
                box.happen(f"email.{verb[1:]}", **arguments)
            else:
                outcome = dispatch.execute(
                    box.world, dispatch.parse({"tool": f"email.{verb}", "arguments": arguments}, box.world.services)
                )
                assert not outcome.fault, outcome.fault
                if not outcome.ok:
                    assert box.world.dump() == before
            box.check()
            rows = [dict(row) for row in box.service("email").rows("outgoing")]
            assert rows[: len(gone)] == gone
            gone = rows
            stamps = [box.service("email").seconds(row["at"]) for row in box.service("email").rows("mails")]
            assert stamps == sorted(stamps)
    finally:
        box.world = world
