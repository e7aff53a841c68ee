"""The mailbox: reading, writing and tidying mail, and carrying it into and out of the workspace."""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from pydantic import Field, ValidationError

from lifegym.services.email.attachments import text_size
from lifegym.services.email.organising import FOLDER_LIMIT, is_folder_name
from lifegym.services.email.records import Mail
from lifegym.services.email.writing import EmailWriting
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record
from lifegym.world.workspace import Workspace, WorkspaceError

__all__ = ["Email"]

_IMPORT_LIMIT = 500


class Email(EmailWriting):
    """The person's mailbox."""

    @tool(write=True)
    def download_attachment(
        self, email_id: str, attachment_filename: str, download_path: str | None = None
    ) -> dict[str, Any]:
        """Save a file that came with a mail into the workspace, where workspace.read_file reads it.

        Args:
            email_id: The mail.
            attachment_filename: Name of the file, as read_email lists it.
            download_path: Where to save it, e.g. docs/letter.txt, or a folder with a slash at its end; the file's own
                name at the top if left out. A file that is there already is replaced.

        Returns:
            path, size (bytes), replaced (whether a file was there).

        Errors:
            not_found: There is no such mail.
            no_such_attachment: The mail has no file of that name; the message lists what it has.
            bad_path: Not a path inside the workspace.
            file_too_large: The file has more than 256 KB.
            workspace_full: The workspace has its greatest number of files.
            is_folder: Files lie below that path.
            not_a_folder: A part of the path is a file.
        """
        files = self._mail(email_id)["attachments"]
        file = next((item for item in files if item["filename"] == attachment_filename), None)
        if file is None:
            names = ", ".join(item["filename"] for item in files) or "none"
            raise ToolError(
                "no_such_attachment", f"{email_id} has no file {attachment_filename[:60]!r}; it has: {names}"
            )
        where = download_path or file["filename"]
        return self._save(f"{where}{file['filename']}" if where.endswith("/") else where, file["text"])

    @tool(write=True)
    def export_emails(
        self,
        folder: str | None = None,
        export_path: str = "emails_export.json",
        max_emails: Annotated[int, Field(ge=1)] | None = None,
        export_all_folders: bool = False,
    ) -> dict[str, Any]:
        """Write mails with their attachments into a JSON file of the workspace; import_emails reads such files.

        Args:
            folder: Which folder; INBOX if left out.
            export_path: The file to write. A file that is there already is replaced.
            max_emails: Only that many, the newest.
            export_all_folders: All folders instead of one.

        Returns:
            path, size (bytes), replaced, exported (how many mails), total (how many there are).

        Errors:
            unknown_folder: There is no such folder.
            bad_path: Not a path inside the workspace.
            file_too_large: The file would have more than 256 KB; export fewer by max_emails or one folder at a time.
            workspace_full: The workspace has its greatest number of files.
            is_folder: Files lie below that path.
            not_a_folder: A part of the path is a file.
        """
        name = None if export_all_folders else self._folder(folder or "INBOX")
        found = [row for row in self._newest_first("mails") if name is None or row["folder"] == name]
        chosen = found[:max_emails]
        text = orjson.dumps({"emails": chosen}, option=orjson.OPT_INDENT_2).decode()
        return {**self._save(export_path, text), "exported": len(chosen), "total": len(found)}

    @tool(write=True)
    def import_emails(
        self, import_path: str, target_folder: str | None = None, preserve_folders: bool = True
    ) -> dict[str, Any]:
        """Read mails from a JSON file of export_emails. They get new ids and are marked as imported.

        A mail that the mailbox has already (same sender, date, subject and text) is left out.

        Args:
            import_path: The file.
            target_folder: Put all of them here.
            preserve_folders: Without target_folder: put each into the folder it was in, making folders that are
                missing; false puts all into INBOX.

        Returns:
            imported (how many), skipped (how many there were already), email_ids of the first 50.

        Errors:
            bad_path: Not a path inside the workspace.
            file_not_found: There is no such file.
            bad_file: The file is no JSON of export_emails, has more than 500 mails, or one of them cannot be (a date in
                the future, two files of one name); the message says where.
            unknown_folder: There is no folder target_folder.
            drafts_only: target_folder is Drafts.
            too_many_folders: There would be more than 50 own folders; choose a target_folder.
        """
        target = self._folder(target_folder) if target_folder else None if preserve_folders else "INBOX"
        if target == "Drafts":
            raise ToolError("drafts_only", "Drafts holds drafts only; choose another target_folder")
        entries = self._entries(import_path)
        known = {_identity(row) for row in self.rows("mails")}
        fresh: dict[tuple[str, str, str, str], dict[str, Any]] = {}
        for entry in reversed(entries):  # an export begins with the newest
            if _identity(entry) not in known:
                fresh.setdefault(_identity(entry), entry)
        mails = sorted(fresh.values(), key=lambda mail: self.seconds(mail["at"]))
        homes = self._homes([mail["folder"] for mail in mails]) if target is None else {}
        for name in homes.values():
            if name not in self._folder_names():
                self.put("folders", name=name, created_at=self.stamp())
        ids: dict[str, str] = {}
        made: list[str] = []
        for mail in mails:
            folder = target or homes[mail["folder"]]
            email_id = ids[mail["email_id"]] = self.new_id("draft" if folder == "Drafts" else "mail")
            answered = ids.get(mail["in_reply_to"], "")
            thread_id = ids.get(mail["thread_id"], email_id)
            links = {"email_id": email_id, "folder": folder, "in_reply_to": answered, "thread_id": thread_id}
            self.put("mails", **{**mail, **links, "imported": True})
            made.append(email_id)
        self._order_by_time()
        return {
            "imported": len(made),
            "skipped": len(entries) - len(made),
            "email_ids": made[:50],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _path(self, path: str) -> str:
        try:
            return Workspace.normalise(path)
        except WorkspaceError as error:
            raise ToolError(error.code, str(error)) from None

    def _save(self, path: str, text: str) -> dict[str, Any]:
        """Write a file into the workspace."""
        clean = self._path(path)
        replaced = self.world.workspace.get(clean) is not None
        try:
            self.world.workspace.write(clean, text, self.now)
        except WorkspaceError as error:
            raise ToolError(error.code, str(error)) from None
        return {"path": clean, "size": text_size(text), "replaced": replaced}

    def _entries(self, path: str) -> list[dict[str, Any]]:
        """The mails in an export file, each of which fits the model of a mail."""
        clean = self._path(path)
        file = self.world.workspace.get(clean)
        if file is None:
            raise ToolError(
                "file_not_found", f"there is no file {clean[:80]!r} in the workspace; export_emails writes one"
            )
        try:
            content = orjson.loads(file.text)
        except orjson.JSONDecodeError as error:
            raise ToolError("bad_file", f"{clean} is not JSON: {error}") from None
        listed = content.get("emails") if isinstance(content, dict) else None
        if not isinstance(listed, list) or len(listed) > _IMPORT_LIMIT:
            raise ToolError("bad_file", f'{clean} must be {{"emails": [...]}} with at most {_IMPORT_LIMIT} mails')
        entries: list[dict[str, Any]] = []
        for number, item in enumerate(listed, 1):
            try:
                entry = Mail.model_validate(item).model_dump()
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(str(part) for part in first["loc"])
                raise ToolError("bad_file", f"mail {number} of {clean}: {where}: {first['msg']}") from None
            if problem := self._problem(entry):
                raise ToolError("bad_file", f"mail {number} of {clean}: {problem}")
            entries.append(entry)
        return entries

    def _problem(self, entry: dict[str, Any]) -> str:
        """Why a well-formed mail cannot be in this mailbox, or nothing."""
        if self.seconds(entry["at"]) > self.now:
            return f"its date {entry['at']} is in the future"
        if len({item["filename"] for item in entry["attachments"]}) < len(entry["attachments"]):
            return "two of its attachments have the same name"
        if not is_folder_name(entry["folder"].strip()):
            return f"{entry['folder']!r} is no name of a folder"
        return ""

    def _homes(self, names: list[str]) -> dict[str, str]:
        """Where mails of these folders go: the folder of that name in its own spelling, or one to be made."""
        spelled = {fold(name): name for name in self._folder_names()}
        before = len(spelled)
        homes = {name: spelled.setdefault(fold(name.strip()), name.strip()) for name in dict.fromkeys(names)}
        if len(self.rows("folders")) + len(spelled) - before > FOLDER_LIMIT:
            raise ToolError(
                "too_many_folders", f"at most {FOLDER_LIMIT} own folders are possible; choose a target_folder"
            )
        return homes


def _identity(mail: Record | dict[str, Any]) -> tuple[str, str, str, str]:
    return mail["sender"], mail["at"], mail["subject"], mail["body"]
