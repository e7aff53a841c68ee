"""What a mailbox keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Instant, RecordModel

__all__ = [
    "BODY_LIMIT", "Attachment", "Authentication", "Correspondent", "Folder", "Mail", "Outgoing", "SentAttachment",
]  # fmt: skip

BODY_LIMIT = 64 * 1024
"""Bytes that the text of a mail may have."""

Authentication = Literal["pass", "fail", "none"]
"""Whether the sending server could prove that it speaks for the sender's domain."""

Text = Annotated[str, Field(max_length=BODY_LIMIT)]
FolderName = Annotated[str, Field(min_length=1, max_length=60)]


class Attachment(RecordModel):
    filename: Annotated[str, Field(min_length=1, max_length=200)]
    text: str


class Mail(RecordModel):
    """A mail in a folder, received or sent, or a draft (folder Drafts)."""

    email_id: str
    folder: FolderName = "INBOX"
    sender: str
    sender_name: str = ""
    reply_to: str = ""
    return_path: str = ""
    auth: Authentication = "pass"
    to: list[str]
    cc: list[str] = []
    bcc: list[str] = []
    subject: str
    body: Text
    html_body: Text = ""
    at: Instant
    read: bool = False
    flagged: bool = False
    answered: bool = False
    thread_id: str = ""
    in_reply_to: str = ""
    attachments: list[Attachment] = []
    imported: bool = False


class Folder(RecordModel):
    """A folder that the person made, beside those that every mailbox has."""

    name: FolderName
    created_at: Instant


class Correspondent(RecordModel):
    """How an address out there answers by itself."""

    address: str
    bounces: str = ""
    auto_reply: str = ""
    auto_reply_until: Instant | None = None


class SentAttachment(RecordModel):
    filename: str
    path: str
    text: str
    size: int


class Outgoing(RecordModel):
    """A mail as it left. Only grows: nothing that is done to the mailbox afterwards changes it."""

    mail_id: str
    at: Instant
    kind: Literal["new", "reply", "forward"]
    sender: str
    to: list[str]
    cc: list[str] = []
    bcc: list[str] = []
    subject: str
    body: str
    written: str
    html_body: str = ""
    attachments: list[SentAttachment] = []
    in_reply_to: str = ""
    forwarded_id: str = ""
    thread_id: str
    bounced: list[str] = []
