"""The person's own cases: hearings and deadlines on the clock, and what court and opponent do."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.legal_search.records import (
    Article,
    Case,
    CaseType,
    Court,
    Deadline,
    Docket,
    Filing,
    FilingKind,
    Hearing,
    HearingKind,
    Note,
    Party,
    Saved,
    Statute,
)
from lifegym.services.tools import happening
from lifegym.services.types import Instant
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["Proceedings"]


class Proceedings(Service):
    """Dockets and their life."""

    name = "legal_search"
    title = "Legal database and court dockets"
    records = {
        "courts": Court,
        "statutes": Statute,
        "articles": Article,
        "cases": Case,
        "dockets": Docket,
        "hearings": Hearing,
        "deadlines": Deadline,
        "filings": Filing,
        "saved": Saved,
        "notes": Note,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def open_docket(
        self,
        docket_id: str,
        case_id: str,
        court_id: str,
        title: str,
        role: Literal["claimant", "defendant", "applicant", "respondent"],
        number: str = "",
        case_type: CaseType = "other",
        parties: list[str] | None = None,
        user_id: str = "",
        note: str = "",
    ) -> list[str]:
        """A court enters a case of the person: a docket and an unpublished case record that get_case shows.

        Args:
            docket_id: Its id; one that is taken touches nothing.
            case_id: Id of the case; an existing case keeps its record.
            court_id: The court, which must exist.
            title: Of the case, such as ``Wrobel v Nordmeer Feinfisch GmbH``.
            role: The person's.
            number: The court's number.
            case_type: What it is about.
            parties: Their names.
            user_id: Whose case; the world's owner if left out.
            note: What the docket says on top.
        """
        if self.find("dockets", docket_id) is not None or self.find("courts", court_id) is None:
            return []
        if self._docket_of_case(case_id) is not None:
            return []
        if self.find("cases", case_id) is None:
            self.put(
                "cases",
                case_id=case_id,
                title=title,
                number=number,
                court_id=court_id,
                case_type=case_type,
                parties=parties or [],
                published=False,
            )
        self.put(
            "dockets",
            docket_id=docket_id,
            user_id=user_id or self.world.owner,
            case_id=case_id,
            role=role,
            opened_on=self.today().isoformat(),
            note=note,
        )
        self._tell(docket_id, "opened", "The court has entered the case", title)
        return [docket_id, case_id]

    @happening
    def schedule_hearing(
        self,
        docket_id: str,
        kind: HearingKind,
        starts_at: Instant,
        place: str = "",
        minutes: Annotated[int, Field(ge=5, le=600)] = 60,
        note: str = "",
    ) -> list[str]:
        """The court sets a hearing, which must lie ahead."""
        docket = self._known_docket(docket_id)
        if docket is None or docket["status"] == "closed" or self.seconds(starts_at) <= self.now:
            return []
        hearing = self.put(
            "hearings",
            hearing_id=self.new_id("hrg"),
            docket_id=docket["docket_id"],
            kind=kind,
            starts_at=starts_at,
            minutes=minutes,
            place=place,
            note=note,
        )
        self._await_hearing(hearing)
        self._tell(docket["docket_id"], "hearing_set", f"A {kind} is set", f"{starts_at}, {place}".rstrip(", "))
        return [str(hearing["hearing_id"])]

    @happening
    def move_hearing(
        self,
        docket_id: str,
        starts_at: Instant,
        kind: HearingKind | None = None,
        place: str | None = None,
        note: str | None = None,
    ) -> list[str]:
        """The court moves the docket's next hearing (the next one of a kind) to another time ahead, or place."""
        hearing = self._next_hearing(docket_id, kind)
        if hearing is None or self.seconds(starts_at) <= self.now:
            return []
        given = {"starts_at": starts_at, "place": place, "note": note}
        changes = {field: value for field, value in given.items() if value is not None}
        if all(hearing[field] == value for field, value in changes.items()):
            return []
        hearing = self.patch("hearings", hearing["hearing_id"], **changes)
        self._await_hearing(hearing)
        where = f"{hearing['starts_at']}, {hearing['place']}".rstrip(", ")
        self._tell(hearing["docket_id"], "hearing_moved", f"The {hearing['kind']} has moved", where)
        return [hearing["hearing_id"]]

    @happening
    def cancel_hearing(self, docket_id: str, kind: HearingKind | None = None, note: str = "") -> list[str]:
        """The court takes the docket's next hearing (the next one of a kind) off its list."""
        hearing = self._next_hearing(docket_id, kind)
        if hearing is None:
            return []
        self.patch("hearings", hearing["hearing_id"], status="cancelled", note=note or hearing["note"])
        self._tell(hearing["docket_id"], "hearing_cancelled", f"The {hearing['kind']} is cancelled", note)
        return [hearing["hearing_id"]]

    @happening
    def set_deadline(
        self,
        docket_id: str,
        what: str,
        due_at: Instant,
        filing_kind: FilingKind | None = None,
        party: Party = "user",
        late_allowed: bool = False,
    ) -> list[str]:
        """The court sets a time limit, or corrects the one that has the same ``what`` and was not met.

        A limit that was met stays as it is. A new time in the past has passed at once.
        """
        docket = self._known_docket(docket_id)
        if docket is None or docket["status"] == "closed":
            return []
        same = [row for row in self._of("deadlines", docket["docket_id"]) if row["what"] == what]
        if same and (same[0]["status"] == "met" or same[0]["due_at"] == due_at):
            return []
        status = "open" if self.seconds(due_at) >= self.now else "passed"
        if same:
            kind = filing_kind or same[0]["filing_kind"]
            deadline = self.patch("deadlines", same[0]["deadline_id"], due_at=due_at, status=status, filing_kind=kind)
        else:
            deadline = self.put(
                "deadlines",
                deadline_id=self.new_id("dl"),
                docket_id=docket["docket_id"],
                what=what,
                party=party,
                filing_kind=filing_kind,
                due_at=due_at,
                late_allowed=late_allowed,
                status=status,
            )
        self._await_deadline(deadline)
        self._tell(docket["docket_id"], "deadline_set", f"Time limit: {what}", due_at)
        return [str(deadline["deadline_id"])]

    @happening
    def court_order(self, docket_id: str, title: str, text: str, kind: FilingKind = "order") -> list[str]:
        """The court adds a document of its own to a docket."""
        return self._served(docket_id, kind, title, text, "court")

    @happening
    def opponent_files(self, docket_id: str, kind: FilingKind, title: str, text: str = "") -> list[str]:
        """The other side files a document; it meets the other side's open time limits for that kind."""
        return self._served(docket_id, kind, title, text, "opponent")

    @happening
    def set_docket(self, docket_id: str, status: Literal["open", "stayed", "closed"], outcome: str = "") -> list[str]:
        """The court stays, reopens or closes a case. Closing takes its hearings off the list."""
        docket = self._known_docket(docket_id)
        if docket is None or (docket["status"] == status and docket["outcome"] == outcome):
            return []
        key = docket["docket_id"]
        self.patch("dockets", key, status=status, outcome=outcome)
        touched = [str(key)]
        if status == "closed":
            for hearing in self._of("hearings", key):
                if hearing["status"] == "scheduled":
                    self.patch("hearings", hearing["hearing_id"], status="cancelled")
                    touched.append(hearing["hearing_id"])
        self._tell(key, status, f"The case is {status}", outcome)
        return touched

    # -- the clock -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for hearing in self.rows("hearings"):
            self._await_hearing(hearing)
        for deadline in self.rows("deadlines"):
            self._await_deadline(deadline)

    def hearing_over(self, hearing_id: str, starts_at: str) -> None:
        """Mark a hearing as held when its time is over."""
        hearing = self.find("hearings", hearing_id)
        if hearing is not None and hearing["status"] == "scheduled" and hearing["starts_at"] == starts_at:
            self.patch("hearings", hearing_id, status="held")

    def deadline_over(self, deadline_id: str, due_at: str) -> None:
        """Mark a time limit as passed that nobody met."""
        deadline = self.find("deadlines", deadline_id)
        if deadline is not None and deadline["status"] == "open" and deadline["due_at"] == due_at:
            self.patch("deadlines", deadline_id, status="passed")
            self._tell(deadline["docket_id"], "deadline_passed", f"Time limit passed: {deadline['what']}", due_at)

    # -- inside --------------------------------------------------------------------------------------------------

    def _docket_of_case(self, case_id: str) -> Record | None:
        return next((row for row in self.rows("dockets") if row["case_id"] == case_id), None)

    def _known_docket(self, docket_id: str) -> Record | None:
        """The docket of this id, or of the case of this id."""
        return self.find("dockets", docket_id) or self._docket_of_case(docket_id)

    def _of(self, kind: str, docket_id: str) -> list[Record]:
        return [row for row in self.rows(kind) if row["docket_id"] == docket_id]

    def _next_hearing(self, docket_id: str, kind: str | None) -> Record | None:
        docket = self._known_docket(docket_id)
        if docket is None:
            return None
        ahead = [
            row
            for row in self._of("hearings", docket["docket_id"])
            if row["status"] == "scheduled" and (kind is None or row["kind"] == kind)
        ]
        return min(ahead, key=lambda row: self.seconds(row["starts_at"]), default=None)

    def _served(self, docket_id: str, kind: str, title: str, text: str, by: Literal["opponent", "court"]) -> list[str]:
        docket = self._known_docket(docket_id)
        if docket is None or docket["status"] == "closed":
            return []
        key = docket["docket_id"]
        met = self._limits(key, kind, by)
        filing = self._file(key, kind, title, by, late=False, text=text)
        self._meet(met, filing["filing_id"])
        self._tell(key, "document_added", f"New document: {title}", f"Filed by the {by}.")
        return [str(filing["filing_id"]), *(row["deadline_id"] for row in met)]

    def _limits(self, docket_id: str, kind: str, by: str) -> list[Record]:
        """The open time limits that a document of this kind meets."""
        return [
            row
            for row in self._of("deadlines", docket_id)
            if row["status"] == "open" and row["filing_kind"] == kind and row["party"] == by
        ]

    def _file(self, docket_id: str, kind: str, title: str, by: str, late: bool, **fields: Any) -> Record:
        return self.put(
            "filings",
            filing_id=self.new_id("fil"),
            docket_id=docket_id,
            kind=kind,
            title=title,
            filed_by=by,
            filed_at=self.stamp(),
            late=late,
            **fields,
        )

    def _meet(self, deadlines: list[Record], filing_id: str) -> None:
        for row in deadlines:
            self.patch("deadlines", row["deadline_id"], status="met", filing_id=filing_id)

    def _await_hearing(self, hearing: Record) -> None:
        if hearing["status"] == "scheduled":
            end = self.seconds(hearing["starts_at"]) + hearing["minutes"] * clock.MINUTE
            self.later(
                max(end, self.now), "hearing_over", hearing_id=hearing["hearing_id"], starts_at=hearing["starts_at"]
            )

    def _await_deadline(self, deadline: Record) -> None:
        if deadline["status"] == "open":
            # What is filed in the very second counts.
            over = max(self.seconds(deadline["due_at"]) + 1, self.now)
            self.later(over, "deadline_over", deadline_id=deadline["deadline_id"], due_at=deadline["due_at"])

    def _tell(self, docket_id: str, status: str, title: str, body: str) -> None:
        """Let status subscriptions to a docket know."""
        self.world.emit("status", source=self.name, ref=docket_id, status=status, title=title, body=body)
