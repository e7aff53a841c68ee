"""Looking into the mailbox: folders, listings, search, one mail."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import paged
from lifegym.services.email.addresses import domain
from lifegym.services.email.attachments import text_size
from lifegym.services.email.index import best_first, index_of
from lifegym.services.email.inventory import EmailInventory
from lifegym.services.email.life import SYSTEM_FOLDERS
from lifegym.services.email.query import parse_query
from lifegym.services.tools import tool
from lifegym.world.record import Record

__all__ = ["EmailReading"]

_PREVIEW = 140
_READING = 16_000
_THREAD = 20


class EmailReading(EmailInventory):
    """The tools that look."""

    @tool(write=False)
    def check_connection(self) -> dict[str, Any]:
        """Show whose mailbox this is and that it answers.

        Returns:
            connected, address, name, time (now), mails (how many), unread (in INBOX).
        """
        unread = sum(not row["read"] for row in self.rows("mails") if row["folder"] == "INBOX")
        return {
            "connected": True,
            "address": self._address(),
            "name": self.world.owner_name,
            "time": self.stamp(),
            "mails": len(self.rows("mails")),
            "unread": unread,
        }

    @tool(write=False)
    def get_folders(self) -> dict[str, Any]:
        """List the folders.

        Returns:
            folders: name, system (false for those that create_folder made), total, unread.
        """
        totals = dict.fromkeys(self._folder_names(), 0)
        unread = totals.copy()
        for row in self.rows("mails"):
            folder = row["folder"]
            totals[folder] = totals.get(folder, 0) + 1
            unread[folder] = unread.get(folder, 0) + (not row["read"])
        return {
            "folders": [
                {"name": name, "system": name in SYSTEM_FOLDERS, "total": total, "unread": unread[name]}
                for name, total in totals.items()
            ]
        }

    @tool(write=False)
    def get_emails(self, folder: str = "INBOX", page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """List the mails of a folder, newest first, with the beginning of each. Marks nothing as read.

        Args:
            folder: INBOX, Sent, Drafts, Archive, Spam, Trash, or one of the person's own (get_folders lists them).
            page: Page number, from 1.
            page_size: Mails per page, at most 100.

        Returns:
            emails: email_id, folder, from, from_name, to, subject, date, read, flagged, answered, attachments (file
            names), thread_id, preview; total, page, pages.

        Errors:
            unknown_folder: There is no such folder.
            bad_page: page or page_size is out of range.
        """
        name = self._folder(folder)
        found = paged([row for row in self._newest_first("mails") if row["folder"] == name], page, page_size)
        return {"emails": [_entry(row) for row in found.pop("rows")], **found}

    @tool(write=False)
    def search_emails(
        self, query: str, folder: str | None = None, page: int = 1, page_size: int = 20
    ) -> dict[str, Any]:
        """Find mails by words and conditions. Sender and subject count more than the text. Marks nothing as read.

        Args:
            query: Words, and any of from:, to:, subject: (with a word, or with several in quotation marks),
                has:attachment, is:unread, is:read, is:flagged, is:answered. E.g. from:clinic letter has:attachment.
            folder: Only in this folder; everywhere but in Trash and Spam if left out.
            page: Page number, from 1.
            page_size: Mails per page, at most 100.

        Returns:
            emails: as in get_emails, best first (newest first where the query has conditions only); matched: all if
            they have all the words, some if no mail has them all; total, page, pages.

        Errors:
            bad_query: A condition is unknown or empty, or the query is too long; the message shows what there is.
            unknown_folder: There is no such folder.
            bad_page: page or page_size is out of range.
        """
        wanted = parse_query(query)
        name = self._folder(folder) if folder else None
        table, conditions = self.table("mails"), wanted.conditions
        index, inside = table.derive("words", index_of), table.derive("folders", _by_folder).get(name, frozenset())
        mails = index.mails
        among: Callable[[int], bool] = (
            (lambda place: place in inside and all(condition(mails[place]) for condition in conditions))
            if conditions
            else inside.__contains__
        )
        complete = True
        if wanted.words:
            mails, complete = best_first(wanted.words, index, among)
        else:
            mails = [mails[place] for place in sorted(inside, reverse=True) if among(place)]
        found = paged(mails, page, page_size)
        return {
            "emails": [_entry(row) for row in found.pop("rows")],
            "matched": "all" if complete else "some",
            **found,
        }

    @tool(write=True)
    def read_email(self, email_id: str, body_from: Annotated[int, Field(ge=0)] = 0) -> dict[str, Any]:
        """Read a mail (or a draft) and mark it as read.

        Args:
            email_id: From get_emails or search_emails.
            body_from: Where to read on in a long text: body_next of the call before.

        Returns:
            email_id, folder, from, from_name, reply_to, to, cc, bcc, subject, date, body, body_next (null unless more
            than 16,000 characters remain), html_body, read, flagged, answered, attachments (filename, size in bytes;
            download_attachment saves one), in_reply_to, thread_id, thread (the up to 20 latest other mails of the
            conversation: email_id, folder, from, subject, date).

        Errors:
            not_found: There is no such mail.
        """
        mail = self._mail(email_id)
        if not mail["read"]:
            mail = self.patch("mails", email_id, read=True)
        end = body_from + _READING
        thread_id = mail["thread_id"] or email_id
        others = [row for row in self.rows("mails") if row["thread_id"] == thread_id and row["email_id"] != email_id]
        return {
            "email_id": email_id,
            "folder": mail["folder"],
            "from": mail["sender"],
            "from_name": mail["sender_name"],
            "reply_to": mail["reply_to"] or mail["sender"],
            "to": mail["to"],
            "cc": mail["cc"],
            "bcc": mail["bcc"],
            "subject": mail["subject"],
            "date": mail["at"],
            "body": mail["body"][body_from:end],
            "body_next": end if len(mail["body"]) > end else None,
            "html_body": mail["html_body"][:_READING],
            "read": True,
            "flagged": mail["flagged"],
            "answered": mail["answered"],
            "attachments": [
                {"filename": item["filename"], "size": text_size(item["text"])} for item in mail["attachments"]
            ],
            "in_reply_to": mail["in_reply_to"],
            "thread_id": thread_id,
            "thread": [
                {
                    "email_id": row["email_id"],
                    "folder": row["folder"],
                    "from": row["sender"],
                    "subject": row["subject"],
                    "date": row["at"],
                }
                for row in others[-_THREAD:]
            ],
        }

    @tool(write=False)
    def get_email_headers(self, email_id: str) -> dict[str, Any]:
        """Show the technical headers of a mail: where it really came from and where an answer would go.

        Args:
            email_id: From get_emails or search_emails.

        Returns:
            headers: Message-ID, From, Return-Path, Reply-To, To, Cc, Subject, Date, In-Reply-To, Received,
            Authentication-Results (spf, dkim, dmarc: pass, fail or none).

        Errors:
            not_found: There is no such mail.
        """
        mail = self._mail(email_id)
        name, sender = mail["sender_name"], mail["sender"]
        path = mail["return_path"] or sender
        headers = {
            "Message-ID": f"<{email_id}@{domain(sender)}>",
            "From": f'"{name}" <{sender}>' if name else sender,
            "Return-Path": path,
            "Reply-To": mail["reply_to"] or sender,
            "To": ", ".join(mail["to"]),
            "Cc": ", ".join(mail["cc"]),
            "Subject": mail["subject"],
            "Date": mail["at"],
            "In-Reply-To": mail["in_reply_to"],
            "Received": f"from mx.{domain(path)} by mx.{domain(self._address())}; {mail['at']}",
            "Authentication-Results": "; ".join(
                f"{method}={mail['auth']} ({domain(sender)})" for method in ("spf", "dkim", "dmarc")
            ),
        }
        return {"email_id": email_id, "headers": headers}

    @tool(write=False)
    def get_mailbox_stats(self, folder_name: str | None = None) -> dict[str, Any]:
        """Count what the mailbox, or one folder, holds.

        Args:
            folder_name: Only this folder; the whole mailbox if left out.

        Returns:
            folder, total, unread, flagged, answered, with_attachments, characters (of texts), oldest and newest (dates
            or null), by_folder (folder to number of mails; without folder_name).

        Errors:
            unknown_folder: There is no such folder.
        """
        name = self._folder(folder_name) if folder_name else None
        mails = [row for row in self.rows("mails") if name is None or row["folder"] == name]
        stats = {
            "folder": name,
            "total": len(mails),
            "unread": sum(not row["read"] for row in mails),
            "flagged": sum(row["flagged"] for row in mails),
            "answered": sum(row["answered"] for row in mails),
            "with_attachments": sum(bool(row["attachments"]) for row in mails),
            "characters": sum(len(row["body"]) for row in mails),
            "oldest": mails[0]["at"] if mails else None,
            "newest": mails[-1]["at"] if mails else None,
        }
        if name is None:
            counts = dict.fromkeys(self._folder_names(), 0)
            for row in mails:
                counts[row["folder"]] = counts.get(row["folder"], 0) + 1
            stats["by_folder"] = counts
        return stats

    @tool(write=False)
    def get_unread_count(self, folder_name: str | None = None) -> dict[str, Any]:
        """Count unread mails.

        Args:
            folder_name: Only in this folder; everywhere if left out.

        Returns:
            unread; by_folder (only folders that have unread mails).

        Errors:
            unknown_folder: There is no such folder.
        """
        name = self._folder(folder_name) if folder_name else None
        counts: dict[str, int] = {}
        for row in self.rows("mails"):
            if not row["read"] and (name is None or row["folder"] == name):
                counts[row["folder"]] = counts.get(row["folder"], 0) + 1
        return {"unread": sum(counts.values()), "by_folder": counts}


def _by_folder(mails: Iterable[Record]) -> dict[str | None, frozenset[int]]:
    """The places of the mails of each folder; under None all but those in Trash and Spam."""
    found: dict[str | None, set[int]] = {None: set()}
    for place, mail in enumerate(mails):
        folder = mail["folder"]
        found.setdefault(folder, set()).add(place)
        if folder not in ("Trash", "Spam"):
            found[None].add(place)
    return {folder: frozenset(places) for folder, places in found.items()}


@lru_cache(maxsize=8192)
def _preview(body: str) -> str:
    line = " ".join(body[: 2 * _PREVIEW].split())
    return line if len(line) <= _PREVIEW else line[: _PREVIEW - 3].rstrip() + "..."


def _entry(mail: Record) -> dict[str, Any]:
    """A mail in a listing."""
    return {
        "email_id": mail["email_id"],
        "folder": mail["folder"],
        "from": mail["sender"],
        "from_name": mail["sender_name"],
        "to": mail["to"][:10],
        "subject": mail["subject"],
        "date": mail["at"],
        "read": mail["read"],
        "flagged": mail["flagged"],
        "answered": mail["answered"],
        "attachments": [item["filename"] for item in mail["attachments"]],
        "thread_id": mail["thread_id"] or mail["email_id"],
        "preview": _preview(mail["body"]),
    }
