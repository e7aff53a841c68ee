"""Writing: new mails, answers, forwards, drafts."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import paged
from lifegym.services.email.addresses import bare_subject
from lifegym.services.email.attachments import distinct, text_size
from lifegym.services.email.sending import SUBJECT_LIMIT, EmailSending, Letter
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["EmailWriting"]

_DRAFT_SHOWN = 2_000


class EmailWriting(EmailSending):
    """The tools that write."""

    @tool(write=True)
    def send_email(
        self,
        to: str,
        subject: str,
        body: str,
        html_body: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        attachments: list[str] | None = None,
    ) -> dict[str, Any]:
        """Send a mail. It cannot be called back. Use reply_email to stay in a conversation.

        Args:
            to: One or more addresses, separated by commas: gao@cars.example or Mr Gao <gao@cars.example>.
            subject: One line.
            body: Plain text, at most 64 KB. A line "Attachment: docs/plan.md" attaches that workspace file.
            html_body: The same in HTML, if wanted.
            cc: Addresses that get a copy, which everybody sees.
            bcc: Addresses that get a copy, which nobody sees.
            attachments: Paths of workspace files, at most 10; they go out as they are now.

        Returns:
            email_id (of the copy in Sent), thread_id, to, cc, bcc, subject, date, attachments (filename, path, size).

        Errors:
            bad_address: Something in to, cc or bcc is no address, or to is empty.
            too_many_recipients: More than 100 addresses.
            bad_subject: The subject has line breaks or more than 400 characters.
            body_too_long: body or html_body has more than 64 KB.
            attachment_not_found: There is no such file in the workspace.
            bad_path: An attachment is no path inside the workspace.
            too_many_attachments: More than 10 files.
        """
        self._check_subject(subject)
        main, copies, blind = self._recipients(to, cc, bcc)
        return self._compose("new", main, copies, blind, subject, body, html_body, attachments)

    @tool(write=True)
    def reply_email(
        self,
        email_id: str,
        body: str,
        html_body: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        reply_all: bool = False,
        attachments: list[str] | None = None,
    ) -> dict[str, Any]:
        """Answer a mail in its conversation. The answer goes to its Reply-To address, or to its sender.

        An answer to a mail that you sent goes to those you sent it to. The earlier text is not repeated.

        Args:
            email_id: The mail to answer.
            body: Plain text, at most 64 KB. A line "Attachment: docs/plan.md" attaches that workspace file.
            html_body: The same in HTML, if wanted.
            cc: Addresses that get a copy, which everybody sees.
            bcc: Addresses that get a copy, which nobody sees.
            reply_all: Also to everybody else who got the mail.
            attachments: Paths of workspace files, at most 10; they go out as they are now.

        Returns:
            email_id (of the copy in Sent), thread_id, to, cc, bcc, subject, date, attachments (filename, path, size).

        Errors:
            not_found: There is no such mail.
            is_draft: The mail is a draft; send_email sends its text.
            bad_address: Something in cc or bcc is no address, or the mail names none to answer to.
            too_many_recipients: More than 100 addresses.
            body_too_long: body or html_body has more than 64 KB.
            attachment_not_found: There is no such file in the workspace.
            bad_path: An attachment is no path inside the workspace.
            too_many_attachments: More than 10 files.
        """
        [mail] = self._loose_mails([email_id])
        me = self._address()
        main = list(mail["to"]) if mail["sender"] == me else [mail["reply_to"] or mail["sender"]]
        others = [*mail["to"], *mail["cc"]] if reply_all else []
        copies = ", ".join([*(address for address in others if address not in (me, *main)), cc or ""])
        main, listed, blind = self._recipients(", ".join(main), copies, bcc)
        subject = _answer_subject("Re", mail)
        sent = self._compose("reply", main, listed, blind, subject, body, html_body, attachments, answered=mail)
        self.patch("mails", email_id, answered=True)
        return sent

    @tool(write=True)
    def forward_email(
        self,
        email_id: str,
        to: str,
        body: str | None = None,
        html_body: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        attachments: list[str] | None = None,
    ) -> dict[str, Any]:
        """Pass a mail on, its whole text and its attachments included.

        Args:
            email_id: The mail to pass on.
            to: One or more addresses, separated by commas.
            body: What you write above the mail. A line "Attachment: docs/plan.md" attaches that workspace file too.
            html_body: The same in HTML, if wanted.
            cc: Addresses that get a copy, which everybody sees.
            bcc: Addresses that get a copy, which nobody sees.
            attachments: Paths of workspace files to add.

        Returns:
            email_id (of the copy in Sent), thread_id, to, cc, bcc, subject, date, attachments (filename, path, size;
            those of the mail have an empty path).

        Errors:
            not_found: There is no such mail.
            is_draft: The mail is a draft; send_email sends its text.
            bad_address: Something in to, cc or bcc is no address, or to is empty.
            too_many_recipients: More than 100 addresses.
            body_too_long: Your text and the mail's together have more than 64 KB.
            attachment_not_found: There is no such file in the workspace.
            bad_path: An attachment is no path inside the workspace.
            too_many_attachments: More than 10 files beside those of the mail.
        """
        [mail] = self._loose_mails([email_id])
        main, copies, blind = self._recipients(to, cc, bcc)
        subject = _answer_subject("Fwd", mail)
        return self._compose("forward", main, copies, blind, subject, body or "", html_body, attachments, passed=mail)

    @tool(write=False)
    def get_drafts(self, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """List the drafts, the last changed first.

        Args:
            page: Page number, from 1.
            page_size: Drafts per page, at most 50.

        Returns:
            drafts: draft_id, to, cc, bcc, subject, body (the first 2,000 characters; read_email shows all), changed_at,
            in_reply_to, attachments (file names); total, page, pages.

        Errors:
            bad_page: page or page_size is out of range.
        """
        rows = [row for row in self._newest_first("mails") if row["folder"] == "Drafts"]
        found = paged(rows, page, page_size, most=50)
        return {"drafts": [_draft(row) for row in found.pop("rows")], **found}

    @tool(write=True)
    def save_draft(
        self,
        subject: str,
        body: str,
        html_body: str | None = None,
        to: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        in_reply_to: str | None = None,
        attachments: list[str] | None = None,
    ) -> dict[str, Any]:
        """Keep an unsent mail in Drafts. Nothing leaves; send_email or reply_email sends the text later.

        Args:
            subject: One line; may be empty.
            body: Plain text, at most 64 KB. Attachment lines in it count once it is sent.
            html_body: The same in HTML, if wanted.
            to: Addresses, separated by commas; may be left open.
            cc: Addresses of visible copies.
            bcc: Addresses of hidden copies.
            in_reply_to: email_id of the mail that it will answer.
            attachments: Paths of workspace files, at most 10; the draft keeps them as they are now.

        Returns:
            draft_id, to, cc, bcc, subject, body, changed_at, in_reply_to, attachments.

        Errors:
            not_found: There is no mail in_reply_to.
            bad_address: Something in to, cc or bcc is no address.
            too_many_recipients: More than 100 addresses.
            bad_subject: The subject has line breaks or more than 400 characters.
            body_too_long: body or html_body has more than 64 KB.
            attachment_not_found: There is no such file in the workspace.
            bad_path: An attachment is no path inside the workspace.
            too_many_attachments: More than 10 files.
        """
        draft: dict[str, Any] = {
            "sender": self._address(),
            "sender_name": self.world.owner_name,
            "folder": "Drafts",
            "read": True,
            "subject": "",
            "body": "",
            "html_body": "",
            "in_reply_to": "",
            "to": [],
            "cc": [],
            "bcc": [],
            "attachments": [],
        }
        written = self._written(draft, subject, body, html_body, to, cc, bcc, in_reply_to, attachments)
        return _draft(self.put("mails", **written, email_id=self.new_id("draft"), at=self.stamp()))

    @tool(write=True)
    def update_draft(
        self,
        draft_id: str,
        subject: str | None = None,
        body: str | None = None,
        html_body: str | None = None,
        to: str | None = None,
        cc: str | None = None,
        bcc: str | None = None,
        in_reply_to: str | None = None,
        attachments: list[str] | None = None,
    ) -> dict[str, Any]:
        """Change a draft. What is left out stays; an empty text or list clears.

        Args:
            draft_id: From save_draft or get_drafts.
            subject: New subject, one line.
            body: New plain text, whole, at most 64 KB.
            html_body: New HTML text.
            to: New addresses, separated by commas.
            cc: New addresses of visible copies.
            bcc: New addresses of hidden copies.
            in_reply_to: email_id of the mail that it will answer.
            attachments: New list of paths of workspace files, at most 10.

        Returns:
            draft_id, to, cc, bcc, subject, body, changed_at, in_reply_to, attachments.

        Errors:
            not_found: There is no such draft, or no mail in_reply_to.
            bad_address: Something in to, cc or bcc is no address.
            too_many_recipients: More than 100 addresses.
            bad_subject: The subject has line breaks or more than 400 characters.
            body_too_long: body or html_body has more than 64 KB.
            attachment_not_found: There is no such file in the workspace.
            bad_path: An attachment is no path inside the workspace.
            too_many_attachments: More than 10 files.
        """
        draft = self._open_draft(draft_id)
        written = self._written(draft, subject, body, html_body, to, cc, bcc, in_reply_to, attachments)
        self.drop("mails", draft_id)  # and to the end of the table, which is in the order of dates
        return _draft(self.put("mails", **{**written, "at": self.stamp()}))

    @tool(write=True)
    def delete_draft(self, draft_id: str) -> dict[str, Any]:
        """Discard a draft for good.

        Args:
            draft_id: From save_draft or get_drafts.

        Returns:
            draft_id, deleted (true).

        Errors:
            not_found: There is no such draft.
        """
        self._open_draft(draft_id)
        self.drop("mails", draft_id)
        return {"draft_id": draft_id, "deleted": True}

    # -- inside --------------------------------------------------------------------------------------------------

    def _open_draft(self, draft_id: str) -> Record:
        draft = self.find("mails", draft_id)
        if draft is None or draft["folder"] != "Drafts":
            raise ToolError("not_found", f"there is no draft {draft_id[:60]!r}; get_drafts shows them")
        return draft

    def _compose(
        self,
        kind: Any,
        main: list[str],
        copies: list[str],
        blind: list[str],
        subject: str,
        body: str,
        html_body: str | None,
        paths: list[str] | None,
        answered: Record | None = None,
        passed: Record | None = None,
    ) -> dict[str, Any]:
        """Check a letter and send it; ``answered`` is the mail that it answers, ``passed`` one that it passes on."""
        if not main:
            raise ToolError("bad_address", "to: name at least one address")
        whole = _forwarded(body, passed) if passed else body
        self._check_length(whole, html_body)
        files = self._attached(paths, body)
        earlier = answered or passed
        if passed:
            taken = [{**item, "path": "", "size": text_size(item["text"])} for item in passed["attachments"]]
            files = distinct([*files, *taken])
        return self._send(
            Letter(
                kind=kind,
                to=main,
                cc=copies,
                bcc=blind,
                subject=subject,
                body=whole,
                written=body,
                html_body=html_body or "",
                attachments=files,
                in_reply_to=answered["email_id"] if answered else "",
                forwarded_id=passed["email_id"] if passed else "",
                thread_id=(earlier["thread_id"] or earlier["email_id"]) if earlier else "",
            )
        )

    def _written(
        self,
        draft: Any,
        subject: str | None,
        body: str | None,
        html_body: str | None,
        to: str | None,
        cc: str | None,
        bcc: str | None,
        in_reply_to: str | None,
        attachments: list[str] | None,
    ) -> dict[str, Any]:
        """A draft's fields with what is given in place of what was."""
        texts = {"subject": subject, "body": body, "html_body": html_body}
        changed = {**draft, **{name: text for name, text in texts.items() if text is not None}}
        self._check_subject(changed["subject"])
        self._check_length(changed["body"], changed["html_body"])
        given = {"to": to, "cc": cc, "bcc": bcc}
        kept = {name: ", ".join(draft[name]) if text is None else text for name, text in given.items()}
        changed["to"], changed["cc"], changed["bcc"] = self._recipients(**kept)
        if in_reply_to is not None:
            thread = self._mail(in_reply_to)["thread_id"] or in_reply_to if in_reply_to else ""
            changed |= {"in_reply_to": in_reply_to, "thread_id": thread}
        if attachments is not None:
            files = self._attached(attachments, "")
            changed["attachments"] = [{"filename": file["filename"], "text": file["text"]} for file in files]
        return changed


def _answer_subject(prefix: str, mail: Record) -> str:
    """``Re: <subject>`` in one line, however often the mail went to and fro."""
    return f"{prefix}: {' '.join(bare_subject(mail['subject']).split())}"[:SUBJECT_LIMIT]


def _forwarded(body: str, mail: Record) -> str:
    """What is written above a mail that is passed on, and the mail."""
    sender = f"{mail['sender_name']} <{mail['sender']}>" if mail["sender_name"] else mail["sender"]
    head = (
        f"Forwarded mail\nFrom: {sender}\nDate: {mail['at']}\nSubject: {mail['subject']}\nTo: {', '.join(mail['to'])}"
    )
    return f"{body}\n\n----- {head}\n\n{mail['body']}".lstrip("\n")


def _draft(row: Record) -> dict[str, Any]:
    """A draft as the tools show it."""
    body = row["body"]
    cut = f"{body[:_DRAFT_SHOWN]}\n[... {len(body) - _DRAFT_SHOWN} more characters; read_email({row['email_id']})]"
    return {
        "draft_id": row["email_id"],
        "to": row["to"],
        "cc": row["cc"],
        "bcc": row["bcc"],
        "subject": row["subject"],
        "body": body if len(body) <= _DRAFT_SHOWN else cut,
        "changed_at": row["at"],
        "in_reply_to": row["in_reply_to"],
        "attachments": [item["filename"] for item in row["attachments"]],
    }
