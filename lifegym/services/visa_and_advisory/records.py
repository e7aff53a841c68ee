"""What the visa desk keeps."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = ["Advisory", "Application", "Document", "Product", "Requirement", "Rule", "Subscription", "Version"]

CountryCode = Annotated[str, Field(pattern=r"^[A-Z]{2}$")]
Level = Annotated[int, Field(ge=1, le=4)]
Days = Annotated[int, Field(ge=0, le=365)]


class Rule(TypedDict):
    """One rule of entry and the days on which it holds; None is open."""

    code: str
    text: str
    valid_from: Day | None
    valid_until: Day | None


class Version(TypedDict):
    """An advisory as it was published."""

    version: int
    level: Level
    title: str
    text: str
    published_at: Instant
    effective_from: Day | None


class Document(TypedDict):
    """A file that was handed in for an application."""

    document_id: str
    kind: str
    doc_ref: str
    uploaded_at: Instant
    status: Literal["received", "rejected"]
    reason: str


class ProcessingChange(TypedDict):
    """Another processing time for applications that are submitted from a day on."""

    submitted_from: Day
    processing_days: Days


class Step(TypedDict):
    """Something that became of an application."""

    at: Instant
    status: str
    text: str


class Requirement(RecordModel):
    requirement_id: str
    nationality: CountryCode
    destination: CountryCode
    purpose: str
    summary: str = ""
    visa_required: bool | None = None
    rules: list[Rule] = []
    updated_at: Instant


class Advisory(RecordModel):
    country_code: CountryCode
    level: Level = 1
    title: str = ""
    text: str
    effective_from: Day | None = None
    updated_at: Instant
    versions: list[Version] = []
    """Earlier versions, oldest first."""


class Product(RecordModel):
    product_id: str
    nationalities: list[CountryCode] = []
    """Who may apply; empty means everybody."""
    destination: CountryCode
    name: str
    purpose: str = "tourism"
    fee_minor: Annotated[Minor, Field(ge=0)]
    currency: Currency
    processing_days: Days
    processing_changes: list[ProcessingChange] = []
    working_days: bool = True
    """Whether processing counts Monday to Friday only. Either way it counts from the day after submission."""
    required_documents: list[str] = []
    optional_documents: list[str] = []
    questions: list[str] = []
    """Keys that the answers of an application must have."""
    stay_days: int | None = None
    validity_days: int | None = None
    entries: Literal["single", "double", "multiple"] = "single"
    outcome: Literal["approved", "rejected"] = "approved"
    """What the desk decides when the processing days are over, unless the timeline decides before."""
    outcome_reason: str = ""
    notes: str = ""


class Application(RecordModel):
    application_id: str
    product_id: Annotated[str, Ref("visa_and_advisory.products")]
    user_id: str
    applicant: dict[str, Any]
    status: Literal["draft", "submitted", "processing", "action_needed", "approved", "rejected"] = "draft"
    documents: list[Document] = []
    answers: dict[str, Any] = {}
    fee_minor: Annotated[Minor, Field(ge=0)] = 0
    currency: Currency
    payment_method_id: str = ""
    created_at: Instant
    submitted_at: Instant | None = None
    decision_due: Day | None = None
    mend_by: Instant | None = None
    """Until when a rejected document can be replaced without losing the place in the queue."""
    decided_at: Instant | None = None
    reason: str = ""
    visa_no: str = ""
    history: list[Step] = []


class Subscription(RecordModel):
    subscription_id: str
    country_code: CountryCode
    sink: str
    user_id: str
    created_at: Instant
