"""What a mailbox does by itself: mail that comes in, mail that comes back, and its invariants."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.base import Service
from lifegym.services.email.addresses import bare_subject, domain
from lifegym.services.email.attachments import distinct
from lifegym.services.email.records import (
    BODY_LIMIT,
    Authentication,
    Correspondent,
    Folder,
    Mail,
    Outgoing,
)
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, happening, listens
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["SYSTEM_FOLDERS", "AttachedText", "EmailLife"]

SYSTEM_FOLDERS = ("INBOX", "Sent", "Drafts", "Archive", "Spam", "Trash")


class AttachedText(TypedDict):
    """A file that comes with a mail."""

    filename: Annotated[str, Field(min_length=1, max_length=200)]
    text: str


class EmailLife(Service):
    """The mailbox's own behaviour."""

    name = "email"
    title = "E-mail"
    records = {
        "mails": Mail,
        "folders": Folder,
        "correspondents": Correspondent,
        "outgoing": Outgoing,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def deliver(
        self,
        sender: str,
        sender_name: str,
        subject: str,
        body: str,
        attachments: list[AttachedText] | None = None,
        to: list[str] | None = None,
        cc: list[str] | None = None,
        folder: Literal["INBOX", "Spam", "Archive"] = "INBOX",
        in_reply_to_subject: str | None = None,
        reply: bool = False,
        mail_id: str | None = None,
        reply_to: str = "",
        return_path: str = "",
        auth: Authentication = "pass",
        html_body: str = "",
    ) -> list[str]:
        """A mail arrives. A mail_id that is in the mailbox already, or was sent from it, touches nothing.

        With ``in_reply_to_subject`` it joins the thread of the latest mail of that subject; with ``reply`` that of the
        latest mail that went out to its sender. An empty subject becomes the answered mail's. Where there is no such
        mail it begins a thread.
        """
        if mail_id is not None and any(self.find(kind, mail_id) for kind in ("mails", "outgoing")):
            return []
        answered = self._latest_to(sender) if reply else None
        if answered is None and in_reply_to_subject is not None:
            answered = self._latest_about(in_reply_to_subject)
        if answered is not None and not subject:
            subject = f"Re: {bare_subject(answered['subject'])}"
        mail = self._receive(
            sender=sender.lower(),
            sender_name=sender_name,
            subject=subject,
            body=body,
            attachments=attachments or (),
            email_id=mail_id,
            answered=answered,
            to=[address.lower() for address in to or [self._address()]],
            cc=[address.lower() for address in cc or []],
            folder=folder,
            reply_to=reply_to.lower(),
            return_path=return_path.lower(),
            auth=auth,
            html_body=html_body,
        )
        return [mail["email_id"]]

    @happening
    def replace_attachment(self, mail_id: str, filename: str, text: str) -> list[str]:
        """A file in a mail gets another content under the same name (a shared draft that its sender updates)."""
        mail = self.find("mails", mail_id)
        if mail is None or all(item["filename"] != filename for item in mail["attachments"]):
            return []
        self.patch(
            "mails",
            mail_id,
            attachments=[
                {"filename": filename, "text": text} if item["filename"] == filename else item
                for item in mail["attachments"]
            ],
        )
        return [mail_id]

    @happening
    def bounce(self, address: str, reason: str = "the mailbox does not exist") -> list[str]:
        """From now on mail to an address comes back; an empty reason ends that."""
        return self._set_correspondent(address, bounces=reason)

    @happening
    def auto_reply(self, address: str, text: str, until: str | None = None) -> list[str]:
        """From now on (up to an instant) mail to an address is answered by this text; an empty text ends that."""
        stamp = self.world.iso(clock.parse_instant(until, self.world.zone)) if until else None
        return self._set_correspondent(address, auto_reply=text, auto_reply_until=stamp)

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("mails")):
            if row["folder"] not in SYSTEM_FOLDERS and self.find("folders", row["folder"]) is None:
                self.put("folders", name=row["folder"], created_at=self.stamp())
        self._order_by_time()
        for row in list(self.rows("mails")):
            if not row["thread_id"]:
                before = self.find("mails", row["in_reply_to"])
                thread_id = before["thread_id"] if before else ""
                self.patch("mails", row["email_id"], thread_id=thread_id or row["email_id"])

    @listens("mail_in")
    def take_mail(
        self,
        to: str,
        sender: str,
        sender_name: str,
        subject: str,
        body: str,
        attachments: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        """Take in a mail that another service sends, if it is for this mailbox."""
        if not to or to.lower() == self._address():
            self._receive(
                sender=sender.lower(),
                sender_name=sender_name,
                subject=subject,
                body=body,
                attachments=attachments,
                to=[self._address()],
            )

    def return_mail(self, mail_id: str, address: str, reason: str) -> None:
        """Let the person know that a mail did not reach an address."""
        sent = self._sent(mail_id)
        self._receive(
            sender=f"mailer-daemon@{domain(self._address())}",
            sender_name="Mail delivery",
            subject=f"Undeliverable: {sent['subject']}",
            body=f"Your mail of {sent['at']} could not be delivered to {address}: {reason}.\n\n"
            f"Subject: {sent['subject']}\nMessage: {mail_id}\n\nNo further attempt will be made.\n",
            to=[self._address()],
            answered=sent,
        )

    def answer_automatically(self, mail_id: str, address: str, text: str) -> None:
        """Let an address that is away answer a mail."""
        sent = self._sent(mail_id)
        self._receive(
            sender=address,
            sender_name="",
            subject=f"Automatic reply: {bare_subject(sent['subject'])}",
            body=text,
            to=[self._address()],
            answered=sent,
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _address(self) -> str:
        """The address of this mailbox."""
        return self.world.owner_email.lower()

    def _mail(self, email_id: str) -> Record:
        return self.get("mails", email_id, "mail", "get_emails and search_emails show them")

    def _sent(self, mail_id: str) -> Record:
        return self.get("outgoing", mail_id, "sent mail")

    def _newest_first(self, kind: str) -> list[Record]:
        return list(self.rows(kind))[::-1]

    def _folder_names(self) -> list[str]:
        return [*SYSTEM_FOLDERS, *sorted(row["name"] for row in self.rows("folders"))]

    def _folder(self, name: str) -> str:
        """The folder that an argument means; case does not matter.

        Raises:
            ToolError: ``unknown_folder``.
        """
        if name in SYSTEM_FOLDERS:
            return name
        known = self._folder_names()
        wanted = fold(name).strip()
        for folder in known:
            if fold(folder) == wanted:
                return folder
        raise ToolError(
            "unknown_folder",
            f"there is no folder {name[:60]!r}; there are {', '.join(known)}; create_folder makes one",
        )

    def _receive(
        self,
        *,
        sender: str,
        sender_name: str,
        subject: str,
        body: str,
        to: list[str],
        attachments: Iterable[Mapping[str, Any]] = (),
        email_id: str | None = None,
        answered: Record | None = None,
        folder: str = "INBOX",
        **fields: Any,
    ) -> Record:
        """Put a mail into a folder now, in the thread of the mail that it answers."""
        email_id = email_id or self.new_id("mail")
        in_reply_to = str(answered.get("email_id") or answered.get("mail_id")) if answered else ""
        mail = self.put(
            "mails",
            email_id=email_id,
            folder=folder,
            sender=sender,
            sender_name=sender_name,
            to=to,
            subject=subject,
            body=body[:BODY_LIMIT],
            at=self.stamp(),
            thread_id=(answered["thread_id"] or in_reply_to) if answered else email_id,
            in_reply_to=in_reply_to,
            attachments=distinct({"filename": item["filename"], "text": item["text"]} for item in attachments),
            **fields,
        )
        if folder == "INBOX":
            self.world.emit(
                "status", source="email", ref=sender, status="received", title=f"New mail: {subject}",
                body=f"{sender_name or sender} wrote; read_email({email_id}) shows it.",
            )  # fmt: skip
        return mail

    def _latest_to(self, address: str) -> Record | None:
        """The latest mail that went out to an address."""
        wanted = address.lower()
        return next(
            (
                row
                for row in self._newest_first("outgoing")
                if wanted in row["to"] or wanted in row["cc"] or wanted in row["bcc"]
            ),
            None,
        )

    def _latest_about(self, subject: str) -> Record | None:
        """The latest mail with a subject, ``Re:`` and ``Fwd:`` aside."""
        wanted = fold(bare_subject(subject))
        return next(
            (
                row
                for row in self._newest_first("mails")
                if row["folder"] != "Drafts" and fold(bare_subject(row["subject"])) == wanted
            ),
            None,
        )

    def _set_correspondent(self, address: str, **changes: Any) -> list[str]:
        key = address.lower()
        if self.find("correspondents", key) is None:
            self.put("correspondents", address=key)
        self.patch("correspondents", key, **changes)
        return [key]

    def _order_by_time(self) -> None:
        """Bring the table of mails into the order of their dates.

        Whatever arrives later is appended, so that the latest mails are the last rows and no listing needs to sort.
        """
        rows = list(self.rows("mails"))
        ordered = sorted(rows, key=lambda row: self.seconds(row["at"]))
        if rows != ordered:
            for row in ordered:
                self.drop("mails", row["email_id"])
                self.put("mails", **row)

    def check_invariants(self) -> None:
        folders = {*SYSTEM_FOLDERS, *(row["name"] for row in self.rows("folders"))}
        assert len({fold(name) for name in folders}) == len(folders), folders
        for mail in self.rows("mails"):
            assert mail["folder"] in folders, mail
            names = [item["filename"] for item in mail["attachments"]]
            assert len(set(names)) == len(names), mail
            sent = self.find("outgoing", mail["email_id"])
            if sent is not None:
                assert (mail["subject"], mail["body"], mail["to"]) == (sent["subject"], sent["body"], sent["to"]), mail
        for sent in self.rows("outgoing"):
            assert sent["to"], sent
            assert self.seconds(sent["at"]) <= self.now, sent
