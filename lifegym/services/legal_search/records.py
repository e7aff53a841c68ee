"""What a legal database keeps: courts, statutes, judgments, and the dockets of the person's own cases."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Day, Instant, RecordModel, Ref, TimeOfDay

__all__ = [
    "Article", "Case", "CaseType", "Court", "Deadline", "DeskHours", "Docket", "Filing", "FilingKind", "Hearing",
    "HearingKind", "Note", "Party", "Saved", "Statute", "Version", "Weekday",
]  # fmt: skip

Weekday = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
CaseType = Literal[
    "administrative", "consumer", "contract", "criminal", "employment", "family", "insurance", "property",
    "small_claim", "social", "tenancy", "tort", "other",
]  # fmt: skip
Authority = Literal["good", "overruled", "withdrawn"]
HearingKind = Literal["conciliation", "hearing", "mediation", "trial", "judgment"]
FilingKind = Literal[
    "acknowledgement", "appeal", "application", "claim", "counterclaim", "defence", "evidence", "letter",
    "questionnaire", "reply", "settlement", "statement", "order",
]  # fmt: skip
Party = Literal["user", "opponent"]


class DeskHours(TypedDict):
    """When the filing desk is open on a weekday; from and until are days, None is open-ended."""

    weekday: Weekday
    opens: TimeOfDay
    closes: TimeOfDay
    from_day: Day | None
    until_day: Day | None


class Version(TypedDict):
    """The text of an article from a day on, until the next version's day."""

    valid_from: Day
    text: str


class Court(RecordModel):
    court_id: str
    name: str
    level: Literal["tribunal", "first_instance", "appeal", "supreme"] = "first_instance"
    city: str = ""
    address: str = ""
    jurisdiction: str = ""
    phone: str = ""
    email: str = ""
    aliases: list[str] = []
    hours: list[DeskHours] = []
    closed_days: list[Day] = []
    """Single days on which the desk is closed."""
    electronic_filing: bool = True
    """Whether ``file_document`` reaches this court."""
    filing_rules: str = ""
    fees: str = ""


class Statute(RecordModel):
    statute_id: str
    title: str
    abbreviation: str = ""
    aliases: list[str] = []
    jurisdiction: str = ""
    enacted_on: Day | None = None
    repealed_on: Day | None = None
    summary: str = ""


class Article(RecordModel):
    article_id: str
    statute_id: Annotated[str, Ref("legal_search.statutes")]
    number: str
    heading: str = ""
    versions: Annotated[list[Version], Field(min_length=1)]
    """Oldest first."""
    repealed_on: Day | None = None
    note: str = ""
    """An editor's note, such as what courts make of it."""


class Case(RecordModel):
    case_id: str
    title: str
    number: str = ""
    court_id: Annotated[str, Ref("legal_search.courts")]
    case_type: CaseType
    decided_on: Day | None = None
    """None while it is pending."""
    parties: list[str] = []
    summary: str = ""
    holding: str = ""
    body: str = ""
    cites_articles: list[Annotated[str, Ref("legal_search.articles")]] = []
    cites_cases: list[Annotated[str, Ref("legal_search.cases")]] = []
    published: bool = True
    """Whether searches find it; a person's own pending case is not published."""
    authority: Authority = "good"
    overruled_by: Annotated[str, Ref("legal_search.cases")] = ""
    authority_note: str = ""


class Saved(RecordModel):
    saved_id: str
    user_id: str
    case_id: Annotated[str, Ref("legal_search.cases")]
    saved_at: Instant


class Note(RecordModel):
    note_id: str
    user_id: str
    case_id: Annotated[str, Ref("legal_search.cases")]
    written_at: Instant
    text: str


class Docket(RecordModel):
    docket_id: str
    user_id: str
    case_id: Annotated[str, Ref("legal_search.cases")]
    role: Literal["claimant", "defendant", "applicant", "respondent"]
    opened_on: Day
    status: Literal["open", "stayed", "closed"] = "open"
    outcome: str = ""
    note: str = ""


class Hearing(RecordModel):
    hearing_id: str
    docket_id: Annotated[str, Ref("legal_search.dockets")]
    kind: HearingKind = "hearing"
    starts_at: Instant
    minutes: Annotated[int, Field(ge=5, le=600)] = 60
    place: str = ""
    note: str = ""
    status: Literal["scheduled", "held", "cancelled"] = "scheduled"


class Deadline(RecordModel):
    deadline_id: str
    docket_id: Annotated[str, Ref("legal_search.dockets")]
    what: str
    party: Party = "user"
    filing_kind: FilingKind | None = None
    """What has to be filed by then; None where nothing is filed (a payment, a revocation)."""
    due_at: Instant
    late_allowed: bool = False
    status: Literal["open", "met", "passed"] = "open"
    filing_id: str = ""


class Filing(RecordModel):
    filing_id: str
    docket_id: Annotated[str, Ref("legal_search.dockets")]
    kind: FilingKind
    title: str
    filed_by: Literal["user", "opponent", "court"]
    filed_at: Instant
    text: str = ""
    workspace_path: str = ""
    receipt: str = ""
    late: bool = False
