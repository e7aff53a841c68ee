"""A legal database: judgments, statutes and courts to look up, saved cases, and the dockets of the user's own cases."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import paged
from lifegym.services.legal_search.reading import LegalReading, MaxChars, Offset, filing_row, window
from lifegym.services.legal_search.records import FilingKind
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record
from lifegym.world.workspace import WorkspaceError

__all__ = ["LegalSearch"]

NOTES_SHOWN = 20


class LegalSearch(LegalReading):
    """Texts of the law and of courts. It says what is written, never what somebody should do."""

    # -- tools: saved cases --------------------------------------------------------------------------------------

    @tool(write=True)
    def save_case(self, user_id: str, case_id: str) -> dict[str, Any]:
        """Save a case to a user's list.

        Args:
            user_id: Whose list.
            case_id: From search_cases, or the id of the user's own case.

        Returns:
            saved_id, user_id, case_id, saved_at, title.

        Errors:
            not_found: There is no such user or case.
            exists: The case is saved already.
        """
        self._check_user(user_id)
        case = self._case(case_id)
        saved = self._saved(user_id, case["case_id"])
        if saved is not None:
            raise ToolError("exists", f"the case is saved already as {saved['saved_id']}; add_note_to_case adds to it")
        return {**self._save(user_id, case["case_id"]), "title": case["title"]}

    @tool(write=True)
    def add_note_to_case(
        self, user_id: str, case_id: str, note: Annotated[str, Field(min_length=1, max_length=4000)]
    ) -> dict[str, Any]:
        """Add a note to a case; a case that is not saved yet is saved with it. Notes cannot be changed afterwards.

        Args:
            user_id: Whose note.
            case_id: From search_cases, or the id of the user's own case.
            note: The text, up to 4000 characters.

        Returns:
            note_id, user_id, case_id, written_at, text, saved_id.

        Errors:
            not_found: There is no such user or case.
            empty_note: The note has no text.
        """
        self._check_user(user_id)
        case = self._case(case_id)
        if not note.strip():
            raise ToolError("empty_note", "the note is blank; write what is to be kept")
        saved = self._saved(user_id, case["case_id"]) or self._save(user_id, case["case_id"])
        written = self.put(
            "notes",
            note_id=self.new_id("lnote"),
            user_id=user_id,
            case_id=case["case_id"],
            written_at=self.stamp(),
            text=note.strip(),
        )
        return {**written, "saved_id": saved["saved_id"]}

    @tool(write=False)
    def list_saved(self, user_id: str, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """List the cases that a user has saved, with the notes on them, the last saved first.

        Args:
            user_id: Whose list.
            page: Page of results, from 1.
            page_size: Cases on a page, up to 100.

        Returns:
            saved: saved_id, saved_at, case_id, title, number, court_id, court, case_type, decided_on, parties,
            summary, authority (as it is now), notes (note_id, written_at, text; the latest 20), total_notes.
            total, page, pages.

        Errors:
            not_found: There is no such user.
            bad_page: page or page_size is out of range.
        """
        self._check_user(user_id)
        mine = [row for row in self.rows("saved") if row["user_id"] == user_id]
        part = paged(mine[::-1], page, page_size)
        shown = []
        for row in part.pop("rows"):
            notes = [
                {key: note[key] for key in ("note_id", "written_at", "text")}
                for note in self.rows("notes")
                if note["user_id"] == user_id and note["case_id"] == row["case_id"]
            ]
            shown.append(
                {
                    **{key: row[key] for key in ("saved_id", "saved_at")},
                    **self._case_row(self._case(row["case_id"])),
                    "notes": notes[-NOTES_SHOWN:],
                    "total_notes": len(notes),
                }
            )
        return {**part, "saved": shown}

    # -- tools: own cases ----------------------------------------------------------------------------------------

    @tool(write=False)
    def list_dockets(self, user_id: str, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """List the court cases of a user.

        Args:
            user_id: Whose.
            page: Page of results, from 1.
            page_size: Dockets on a page, up to 100.

        Returns:
            dockets: docket_id, case_id, title, number, court_id, role, opened_on, status, next_hearing and
            next_deadline (each null or the record). total, page, pages.

        Errors:
            not_found: There is no such user.
            bad_page: page or page_size is out of range.
        """
        self._check_user(user_id)
        part = paged([row for row in self.rows("dockets") if row["user_id"] == user_id], page, page_size)
        shown = []
        for row in part.pop("rows"):
            case, key = self._case(row["case_id"]), row["docket_id"]
            limits = [limit for limit in self._of("deadlines", key) if limit["status"] == "open"]
            shown.append(
                {
                    **{field: row[field] for field in ("docket_id", "case_id", "role", "opened_on", "status")},
                    **{field: case[field] for field in ("title", "number", "court_id")},
                    "next_hearing": self._next_hearing(key, None),
                    "next_deadline": min(limits, key=lambda limit: self.seconds(limit["due_at"]), default=None),
                }
            )
        return {**part, "dockets": shown}

    @tool(write=False)
    def get_docket(self, docket_id: str) -> dict[str, Any]:
        """Show the docket of a user's own case as the court keeps it now.

        Args:
            docket_id: From list_dockets; the case_id works too.

        Returns:
            docket_id, user_id, case_id, role, opened_on, status (open, stayed or closed), outcome, note, title, number,
            court_id, court; hearings (hearing_id, kind, starts_at, minutes, place, note, status) and deadlines
            (deadline_id, what, party, filing_kind, due_at, late_allowed, status: open, met or passed, filing_id) by
            time, the last 30; filings (the last 30, newest first, without text: list_filings and get_filing),
            total_filings.

        Errors:
            not_found: There is no such docket.
        """
        docket = self._docket(docket_id)
        case = self._case(docket["case_id"])
        court = self.find("courts", case["court_id"])
        return {
            **self._docket_shown(docket),
            **{field: case[field] for field in ("title", "number", "court_id")},
            "court": court["name"] if court else "",
        }

    @tool(write=False)
    def list_filings(
        self, docket_id: str, kind: FilingKind | None = None, page: int = 1, page_size: int = 20
    ) -> dict[str, Any]:
        """List the documents on a docket, the newest first.

        Args:
            docket_id: From list_dockets; the case_id works too.
            kind: Only this kind: acknowledgement, appeal, application, claim, counterclaim, defence, evidence, letter,
                questionnaire, reply, settlement, statement or order.
            page: Page of results, from 1.
            page_size: Documents on a page, up to 100.

        Returns:
            filings: filing_id, docket_id, kind, title, filed_by (user, opponent or court), filed_at, workspace_path,
            receipt, late, total_chars (get_filing reads the text). total, page, pages.

        Errors:
            not_found: There is no such docket.
            bad_page: page or page_size is out of range.
        """
        docket = self._docket(docket_id)
        rows = [row for row in self._of("filings", docket["docket_id"]) if kind is None or row["kind"] == kind]
        part = paged(rows[::-1], page, page_size)
        return {**part, "filings": [filing_row(row) for row in part.pop("rows")]}

    @tool(write=False)
    def get_filing(self, filing_id: str, offset: Offset = 0, max_chars: MaxChars = 4000) -> dict[str, Any]:
        """Read a document on a docket.

        Args:
            filing_id: From list_filings.
            offset: First character of the text to show; next_offset reads on.
            max_chars: How many characters of the text to show.

        Returns:
            filing_id, docket_id, kind, title, filed_by, filed_at, workspace_path, receipt, late; text from offset on
            (cut with [...]), offset, next_offset (null at the end), total_chars.

        Errors:
            not_found: There is no such document.
        """
        filing = self.get("filings", filing_id, "document", "legal_search.list_filings shows them")
        return {**filing, **window("text", filing["text"], offset, max_chars)}

    @tool(write=True)
    def file_document(
        self,
        docket_id: str,
        kind: FilingKind,
        workspace_path: str,
        title: Annotated[str, Field(max_length=200)] | None = None,
    ) -> dict[str, Any]:
        """File a document with the court in a user's own case. It cannot be taken back.

        The text is copied as it is now and stamped with the time. It meets the user's open time limits for its kind.

        Args:
            docket_id: From list_dockets; the case_id works too.
            kind: acknowledgement, appeal, application, claim, counterclaim, defence, evidence, letter, questionnaire,
                reply, settlement or statement.
            workspace_path: A text file in the workspace, such as drafts/defence.md.
            title: What the docket shows; the file's name if left out.

        Returns:
            filing_id, docket_id, kind, title, filed_by, filed_at, workspace_path, receipt, late, total_chars, met:
            the ids of the time limits that it meets.

        Errors:
            not_found: There is no such docket, or no file at workspace_path.
            docket_closed: The case is over.
            wrong_kind: Orders come from the court.
            not_electronic: This court takes no electronic filings; get_court says how it takes them.
            bad_path: workspace_path leads out of the workspace or is malformed.
            empty_document: The file has no text.
            deadline_passed: The time limit for this kind has passed, and the court takes nothing late.
        """
        docket = self._docket(docket_id)
        if docket["status"] == "closed":
            raise ToolError("docket_closed", "the case is closed and takes no documents; write to the court instead")
        if kind == "order":
            raise ToolError("wrong_kind", "orders come from the court; file a letter or an application")
        court = self._court_of(docket)
        if court is not None and not court["electronic_filing"]:
            raise ToolError(
                "not_electronic", f"{court['name']} takes no electronic filings; legal_search.get_court says how"
            )
        path, text = self._document(workspace_path)
        met, late = self._weighed(docket["docket_id"], kind)
        filing = self._file(
            docket["docket_id"],
            kind,
            (title or "").strip() or path.rpartition("/")[2],
            "user",
            late,
            text=text,
            workspace_path=path,
            receipt=self.world.code("court_receipt", 8),
        )
        self._meet(met, filing["filing_id"])
        self._tell(docket["docket_id"], "document_added", f"New document: {filing['title']}", "Filed by the user.")
        return {**filing_row(filing), "met": [row["deadline_id"] for row in met]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _saved(self, user_id: str, case_id: str) -> Record | None:
        mine = (row for row in self.rows("saved") if row["user_id"] == user_id and row["case_id"] == case_id)
        return next(mine, None)

    def _save(self, user_id: str, case_id: str) -> Record:
        return self.put("saved", saved_id=self.new_id("sav"), user_id=user_id, case_id=case_id, saved_at=self.stamp())

    def _court_of(self, docket: Record) -> Record | None:
        case = self.find("cases", docket["case_id"])
        return self.find("courts", case["court_id"]) if case else None

    def _document(self, workspace_path: str) -> tuple[str, str]:
        """Path and text of a file in the workspace.

        Raises:
            ToolError: ``bad_path``, ``not_found``, ``empty_document``.
        """
        try:
            path = self.world.workspace.normalise(workspace_path)
        except WorkspaceError as error:
            raise ToolError("bad_path", str(error)) from None
        file = self.world.workspace.get(path)
        if file is None:
            raise ToolError("not_found", f"there is no file {path!r}; workspace.list_files shows what there is")
        if not file.text.strip():
            raise ToolError("empty_document", f"{path} has no text; write the document first")
        return path, file.text

    def _weighed(self, docket_id: str, kind: str) -> tuple[list[Record], bool]:
        """The time limits that a document of the user meets now, and whether it is late.

        Raises:
            ToolError: ``deadline_passed``.
        """
        limits = [
            row for row in self._of("deadlines", docket_id) if row["filing_kind"] == kind and row["party"] == "user"
        ]
        ahead = [row for row in limits if self.seconds(row["due_at"]) >= self.now]
        if ahead or not limits:
            return [row for row in ahead if row["status"] == "open"], False
        missed = [row for row in limits if row["late_allowed"]]
        if not missed:
            last = max(limits, key=lambda row: self.seconds(row["due_at"]))
            raise ToolError(
                "deadline_passed",
                f"the time limit for this kind was {last['due_at']}; tell the user, or file an application",
            )
        return [row for row in missed if row["status"] != "met"], True
