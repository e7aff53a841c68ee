"""The mailbox: folders with their threads, and mails as letters."""

from __future__ import annotations

from typing import Any

from lifegym.counting import counted
from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look, WorldLook
from lifegym.reports.world.parts import Cell, Item, Letter, Note, Part, Text, Thread, Threads
from lifegym.reports.world.views import View

__all__ = ["VIEW"]

_MOST_CHUNKS = 80
"""How often a long text is read on."""


def _folders(look: Look) -> list[Part]:
    found = look.read("email.get_folders")
    if found is None:
        return [Note("The mailbox does not answer.", "warn")]
    folders = [row for row in found["folders"] if row["total"] or row["name"] == "INBOX"]
    if not look.deep:
        inbox = _entries(look, "INBOX")
        threads = [_thread([row], look.zone) for row in inbox]
        total = folders[0]["total"] if folders else 0
        note = f"The newest {len(inbox)} of {total}." if total > len(inbox) else ""
        others = [Item("email", "folder", row["name"], f"{row['name']} ({row['total']})") for row in folders[1:]]
        listed = Threads("INBOX", tuple(threads), note)
        return [listed, *([Threads("Other folders", tuple(_folder(item) for item in others))] if others else [])]
    mails = [row for folder in folders for row in _entries(look, folder["name"])]
    return list(_sorted_into_folders(mails, [row["name"] for row in folders], look.zone))


def _entries(look: Look, folder: str) -> list[dict[str, Any]]:
    return look.rows("email.get_emails", "emails", folder=folder).rows


def _sorted_into_folders(mails: list[dict[str, Any]], folders: list[str], zone: str) -> list[Part]:
    """A conversation lies where its newest mail that was received does, with the person's answers in it."""
    threads: dict[tuple[str, str], list[dict[str, Any]]] = {}
    at_home = {"Spam", "Trash", "Drafts"}
    homes = {row["thread_id"]: row["folder"] for row in reversed(mails) if row["folder"] not in {"Sent", *at_home}}
    for row in mails:
        home = row["folder"] if row["folder"] in at_home else homes.get(row["thread_id"], row["folder"])
        threads.setdefault((home, row["thread_id"]), []).append(row)
    parts: list[Part] = []
    for folder in folders:
        listed = [
            sorted(rows, key=lambda row: _when(row, zone)) for (home, _), rows in threads.items() if home == folder
        ]
        listed.sort(key=lambda rows: _when(rows[-1], zone), reverse=True)
        if not listed and folder != "INBOX":
            continue
        unread = sum(not row["read"] for rows in listed for row in rows if row["folder"] == folder)
        note = ", ".join([counted(len(listed), "conversation"), *([f"{unread} unread"] if unread else [])]) + "."
        parts.append(Threads(folder, tuple(_thread(rows, zone) for rows in listed), note, folder != "INBOX"))
    return parts


def _when(row: dict[str, Any], zone: str) -> float:
    return fields.time_of(row["date"], zone).timestamp()


def _thread(rows: list[dict[str, Any]], zone: str) -> Thread:
    """The mails of a conversation, oldest first, as a line."""
    last, first = rows[-1], rows[0]
    senders = dict.fromkeys(row["from_name"] or row["from"] for row in rows)
    tags = [name for name in ("flagged", "answered") if last.get(name)]
    tags += ["attachment"] if any(row["attachments"] for row in rows) else []
    tags += [f"{len(rows)} mails"] if len(rows) > 1 else []
    return Thread(
        sender=", ".join(senders) if last["folder"] != "Sent" or len(senders) > 1 else f"to {', '.join(last['to'])}",
        subject=first["subject"] or "(no subject)",
        preview=last["preview"],
        date=fields.moment(last["date"], zone).text,
        unread=any(not row["read"] for row in rows),
        tags=tuple(tags),
        items=tuple(Item("email", "mail", row["email_id"], "Read the mail") for row in rows),
    )


def _folder(item: Item) -> Thread:
    return Thread(item.label, "", "", "", False, (), (item._replace(label="Open the folder"),))


def _open_folder(look: Look, name: str) -> list[Part]:
    return [Threads(name, tuple(_thread([row], look.zone) for row in _entries(look, name)))]


def _read(look: Look, email_id: str) -> list[Part]:
    mail = look.read("email.read_email", email_id=email_id)
    if mail is None:
        return [Note("This mail is not there any more.", "warn")]
    body, following, chunks = mail["body"], mail["body_next"], 1
    while look.deep and following is not None and chunks < _MOST_CHUNKS:
        further = look.read("email.read_email", email_id=email_id, body_from=following)
        if further is None:
            break
        body, following, chunks = body + further["body"], further["body_next"], chunks + 1
    facts = [("Mail id", Cell(email_id, "id")), ("Folder", Cell(mail["folder"]))]
    facts += [(name.capitalize(), Cell(", ".join(mail[name]))) for name in ("cc", "bcc") if mail[name]]
    if mail["reply_to"] and mail["reply_to"] != mail["from"]:
        facts.append(("Replies go to", Cell(mail["reply_to"])))
    if following is not None:
        facts.append(("The text goes on", Cell(f"body_from {following}")))
    if not look.deep and mail["thread"]:
        earlier = "; ".join(f"{row['email_id']} {row['subject']}" for row in mail["thread"])
        facts.append(("Conversation", Cell(earlier)))
    files = [part for entry in mail["attachments"] for part in _attachment(look, email_id, entry)]
    return [
        Letter(
            sender=mail["from_name"],
            address=mail["from"],
            to=", ".join(mail["to"]),
            date=fields.moment(mail["date"], look.zone).text,
            subject=mail["subject"],
            body=body or mail["html_body"],
            facts=tuple(facts),
            attachments=tuple(files),
        )
    ]


def _attachment(look: Look, email_id: str, entry: dict[str, Any]) -> list[Part]:
    name = entry["filename"]
    text = None
    if isinstance(look, WorldLook):
        path = "attachment-as-read"
        save = ("email.download_attachment", {"email_id": email_id, "attachment_filename": name, "download_path": path})
        text = look.read_after([save], "workspace.read_file", path=path, max_lines=5000)
    if text is None:
        return [
            Note(f"Attachment {name}, {entry.get('size', '?')} bytes. email.download_attachment saves it as a file.")
        ]
    return [Text(text["text"], f"Attachment {name}")]


VIEW = View((_folders,), {"mail": _read, "folder": _open_folder}, names={"email_id": "mail"})
