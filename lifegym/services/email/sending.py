"""How mail leaves: what a letter must be, the files it takes along, its record, and what comes back."""

from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

from lifegym.services.email.addresses import parse_addresses
from lifegym.services.email.attachments import distinct, text_size
from lifegym.services.email.organising import EmailOrganising
from lifegym.services.email.records import BODY_LIMIT
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record
from lifegym.world.workspace import Workspace, WorkspaceError

__all__ = ["SUBJECT_LIMIT", "EmailSending", "Letter"]

ANSWER_DELAY = clock.MINUTE
"""How long a delivery failure or an automatic answer takes."""
_RECIPIENT_LIMIT = 100
_ATTACHMENT_LIMIT = 10
SUBJECT_LIMIT = 400
_ATTACHMENT_LINE = re.compile(r"^[ \t]*(?:[-*][ \t]+)?Attachment:[ \t]*(.+?)[ \t]*$", re.IGNORECASE | re.MULTILINE)


class Letter(NamedTuple):
    """A mail that has been checked and can leave."""

    kind: Literal["new", "reply", "forward"]
    to: list[str]
    cc: list[str]
    bcc: list[str]
    subject: str
    body: str
    written: str
    html_body: str
    attachments: list[dict[str, Any]]
    in_reply_to: str = ""
    forwarded_id: str = ""
    thread_id: str = ""


class EmailSending(EmailOrganising):
    """Checks and carries out what the sending tools ask for."""

    def _recipients(self, to: str, cc: str | None, bcc: str | None) -> tuple[list[str], list[str], list[str]]:
        """Whom a mail goes to, nobody twice.

        Raises:
            ToolError: ``bad_address``, ``too_many_recipients``.
        """
        main = parse_addresses(to, "to")
        copies = [address for address in parse_addresses(cc or "", "cc") if address not in main]
        blind = [address for address in parse_addresses(bcc or "", "bcc") if address not in (*main, *copies)]
        if len(main) + len(copies) + len(blind) > _RECIPIENT_LIMIT:
            raise ToolError("too_many_recipients", f"a mail goes to at most {_RECIPIENT_LIMIT} addresses; send several")
        return main, copies, blind

    def _check_subject(self, subject: str) -> None:
        """Refuse a subject that no mail can have.

        Raises:
            ToolError: ``bad_subject``.
        """
        if len(subject) > SUBJECT_LIMIT or "\n" in subject or "\r" in subject:
            raise ToolError("bad_subject", f"a subject is one line of at most {SUBJECT_LIMIT} characters")

    def _check_length(self, body: str, html_body: str | None) -> None:
        """Refuse a text that no mail can carry.

        Raises:
            ToolError: ``body_too_long``.
        """
        size = max(text_size(body), text_size(html_body or ""))
        if size > BODY_LIMIT:
            raise ToolError(
                "body_too_long",
                f"a mail's text has at most {BODY_LIMIT // 1024} KB, this has {size // 1024 + 1}; attach a file",
            )

    def _attached(self, paths: list[str] | None, body: str) -> list[dict[str, Any]]:
        """The workspace files that a mail takes along, as they are now: those listed, and the body's Attachment lines.

        Raises:
            ToolError: ``bad_path``, ``attachment_not_found``, ``too_many_attachments``.
        """
        named = [*(paths or ()), *(line.strip("`'\"<>") for line in _ATTACHMENT_LINE.findall(body))]
        try:
            wanted = list(dict.fromkeys(Workspace.normalise(path) for path in named))
        except WorkspaceError as error:
            raise ToolError(error.code, f"attachment: {error}") from None
        if len(wanted) > _ATTACHMENT_LIMIT:
            raise ToolError(
                "too_many_attachments", f"a mail takes at most {_ATTACHMENT_LIMIT} files; send several mails"
            )
        found: list[dict[str, Any]] = []
        for path in wanted:
            file = self.world.workspace.get(path)
            if file is None:
                raise ToolError(
                    "attachment_not_found",
                    f"there is no file {path[:80]!r} in the workspace; workspace.list_files shows what there is "
                    "(a body line that begins with 'Attachment:' names such a file)",
                )
            found.append(
                {"filename": path.rpartition("/")[2], "path": path, "text": file.text, "size": text_size(file.text)}
            )
        return distinct(found)

    def _send(self, letter: Letter) -> dict[str, Any]:
        """Let a letter leave: into Sent, into the record of what went out, and to this mailbox if it is addressed."""
        email_id = self.new_id("mail")
        everybody = [*letter.to, *letter.cc, *letter.bcc]
        answers = [row for address in everybody if (row := self.find("correspondents", address)) is not None]
        sent = self.put(
            "outgoing",
            mail_id=email_id,
            at=self.stamp(),
            sender=self._address(),
            bounced=[row["address"] for row in answers if row["bounces"]],
            **{**letter._asdict(), "thread_id": letter.thread_id or email_id},
        )
        self.put(
            "mails",
            email_id=email_id,
            folder="Sent",
            sender=self._address(),
            sender_name=self.world.owner_name,
            to=letter.to,
            cc=letter.cc,
            bcc=letter.bcc,
            subject=letter.subject,
            body=letter.body,
            html_body=letter.html_body,
            at=sent["at"],
            read=True,
            thread_id=sent["thread_id"],
            in_reply_to=letter.in_reply_to,
            attachments=[{"filename": item["filename"], "text": item["text"]} for item in letter.attachments],
        )
        if self._address() in everybody:
            self._receive(
                sender=self._address(),
                sender_name=self.world.owner_name,
                to=letter.to,
                cc=letter.cc,
                subject=letter.subject,
                body=letter.body,
                html_body=letter.html_body,
                attachments=letter.attachments,
                answered=sent,
            )
        for row in answers:
            self._await_answer(email_id, row)
        return {
            "email_id": email_id,
            "thread_id": sent["thread_id"],
            "to": letter.to,
            "cc": letter.cc,
            "bcc": letter.bcc,
            "subject": letter.subject,
            "date": sent["at"],
            "attachments": [{key: item[key] for key in ("filename", "path", "size")} for item in letter.attachments],
        }

    def _await_answer(self, mail_id: str, correspondent: Record) -> None:
        """Plan what an address answers by itself."""
        due, address = self.now + ANSWER_DELAY, correspondent["address"]
        until = correspondent["auto_reply_until"]
        if correspondent["bounces"]:
            self.later(due, "return_mail", mail_id=mail_id, address=address, reason=correspondent["bounces"])
        elif correspondent["auto_reply"] and (until is None or self.now < self.seconds(until)):
            self.later(due, "answer_automatically", mail_id=mail_id, address=address, text=correspondent["auto_reply"])
