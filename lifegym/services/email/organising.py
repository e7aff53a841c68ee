"""Keeping the mailbox in order: folders, moving, marking, deleting."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.email.life import SYSTEM_FOLDERS
from lifegym.services.email.reading import EmailReading
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["FOLDER_LIMIT", "EmailOrganising", "is_folder_name"]

FOLDER_LIMIT = 50
EmailIds = Annotated[list[str], Field(min_length=1, max_length=200)]
Status = Literal["read", "unread", "flagged", "unflagged"]
_MARKS: dict[str, tuple[str, bool]] = {
    "read": ("read", True),
    "unread": ("read", False),
    "flagged": ("flagged", True),
    "unflagged": ("flagged", False),
}


class EmailOrganising(EmailReading):
    """The tools that tidy."""

    @tool(write=True)
    def create_folder(self, folder_name: str) -> dict[str, Any]:
        """Make a folder.

        Args:
            folder_name: 1 to 60 printable characters, not used by another folder (case does not matter).

        Returns:
            name, created_at.

        Errors:
            bad_name: The name is empty, too long, or has line breaks or control characters.
            exists: There is such a folder.
            too_many_folders: There are 50 own folders; delete one.
        """
        name = folder_name.strip()
        if not is_folder_name(name):
            raise ToolError("bad_name", "a folder's name has 1 to 60 printable characters")
        if any(fold(name) == fold(known) for known in self._folder_names()):
            raise ToolError("exists", f"there is a folder {name!r} already; move_email can use it")
        if len(self.rows("folders")) >= FOLDER_LIMIT:
            raise ToolError("too_many_folders", f"a mailbox has at most {FOLDER_LIMIT} own folders; delete one first")
        return self.put("folders", name=name, created_at=self.stamp())

    @tool(write=True)
    def delete_folder(self, folder_name: str) -> dict[str, Any]:
        """Remove a folder that create_folder made. The mails in it go to Trash.

        Args:
            folder_name: Its name.

        Returns:
            name, moved (how many mails went to Trash).

        Errors:
            unknown_folder: There is no such folder.
            system_folder: INBOX, Sent, Drafts, Archive, Spam and Trash stay.
        """
        name = self._folder(folder_name)
        if name in SYSTEM_FOLDERS:
            raise ToolError("system_folder", f"{name} belongs to the mailbox; only folders of your own can be deleted")
        inside = [row["email_id"] for row in self.rows("mails") if row["folder"] == name]
        for email_id in inside:
            self.patch("mails", email_id, folder="Trash")
        self.drop("folders", name)
        return {"name": name, "moved": len(inside)}

    @tool(write=True)
    def move_email(self, email_id: str, target_folder: str) -> dict[str, Any]:
        """Move a mail to another folder, also back out of Trash.

        Args:
            email_id: From get_emails or search_emails.
            target_folder: Any folder but Drafts; get_folders lists them, create_folder makes one.

        Returns:
            email_id, folder.

        Errors:
            not_found: There is no such mail.
            unknown_folder: There is no such folder.
            drafts_only: The target is Drafts; save_draft puts drafts there.
            is_draft: The mail is a draft; those stay in Drafts until delete_draft.
        """
        self._move([email_id], target_folder)
        return {"email_id": email_id, "folder": self._mail(email_id)["folder"]}

    @tool(write=True)
    def move_emails(self, email_ids: EmailIds, target_folder: str) -> dict[str, Any]:
        """Move several mails to another folder: all of them, or none if one cannot be moved.

        Args:
            email_ids: 1 to 200 ids from get_emails or search_emails.
            target_folder: Any folder but Drafts.

        Returns:
            email_ids, folder, moved (how many).

        Errors:
            not_found: One of the mails does not exist.
            unknown_folder: There is no such folder.
            drafts_only: The target is Drafts; save_draft puts drafts there.
            is_draft: One of them is a draft; those stay in Drafts until delete_draft.
        """
        ids = self._move(email_ids, target_folder)
        return {"email_ids": ids, "folder": self._mail(ids[0])["folder"], "moved": len(ids)}

    @tool(write=True)
    def delete_email(self, email_id: str) -> dict[str, Any]:
        """Move a mail to Trash; a mail that is in Trash is deleted for good.

        Args:
            email_id: From get_emails or search_emails.

        Returns:
            email_id, folder (Trash, or null where it is gone for good).

        Errors:
            not_found: There is no such mail.
            is_draft: It is a draft; delete_draft discards it.
        """
        return self._delete(self._loose_mails([email_id]))[0]

    @tool(write=True)
    def delete_emails(self, email_ids: EmailIds) -> dict[str, Any]:
        """Delete several mails as delete_email does: all of them, or none if one cannot be deleted.

        Args:
            email_ids: 1 to 200 ids from get_emails or search_emails.

        Returns:
            emails: email_id, folder (Trash, or null where it is gone for good).

        Errors:
            not_found: One of the mails does not exist.
            is_draft: One of them is a draft; delete_draft discards it.
        """
        return {"emails": self._delete(self._loose_mails(email_ids))}

    @tool(write=True)
    def mark_emails(self, email_ids: EmailIds, status: Status) -> dict[str, Any]:
        """Mark mails as read, unread, flagged or unflagged: all of them, or none if one does not exist.

        Args:
            email_ids: 1 to 200 ids from get_emails or search_emails.
            status: read, unread, flagged or unflagged.

        Returns:
            email_ids, status, changed (how many were not so before).

        Errors:
            not_found: One of the mails does not exist.
        """
        mails = [self._mail(email_id) for email_id in dict.fromkeys(email_ids)]
        mark, value = _MARKS[status]
        changing = [mail["email_id"] for mail in mails if mail[mark] != value]
        for email_id in changing:
            self.patch("mails", email_id, **{mark: value})
        return {"email_ids": [mail["email_id"] for mail in mails], "status": status, "changed": len(changing)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _loose_mails(self, email_ids: list[str]) -> list[Record]:
        """The mails with these ids, each once; drafts are refused."""
        mails = [self._mail(email_id) for email_id in dict.fromkeys(email_ids)]
        for mail in mails:
            if mail["folder"] == "Drafts":
                raise ToolError(
                    "is_draft", f"{mail['email_id']} is a draft; update_draft changes it, delete_draft ends it"
                )
        return mails

    def _move(self, email_ids: list[str], target_folder: str) -> list[str]:
        mails = self._loose_mails(email_ids)
        folder = self._folder(target_folder)
        if folder == "Drafts":
            raise ToolError(
                "drafts_only", "Drafts holds drafts only; save_draft makes one, Archive is for keeping mail"
            )
        for mail in mails:
            self.patch("mails", mail["email_id"], folder=folder)
        return [mail["email_id"] for mail in mails]

    def _delete(self, mails: list[Record]) -> list[dict[str, Any]]:
        done: list[dict[str, Any]] = []
        for mail in mails:
            if mail["folder"] == "Trash":
                self.drop("mails", mail["email_id"])
                done.append({"email_id": mail["email_id"], "folder": None})
            else:
                self.patch("mails", mail["email_id"], folder="Trash")
                done.append({"email_id": mail["email_id"], "folder": "Trash"})
        return done


def is_folder_name(name: str) -> bool:
    """Whether a folder may be called so."""
    return 0 < len(name) <= 60 and name.isprintable()
