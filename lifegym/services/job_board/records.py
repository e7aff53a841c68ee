"""What a job board keeps."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = [
    "EDUCATION", "EXPERIENCE_YEARS", "LIVE", "Alert", "Amount", "Application", "ApplicationStatus", "Company",
    "Education", "Employment", "Experience", "Job", "JobStatus", "Message", "Period", "Resume", "SavedJob",
    "SentResume", "Step",
]  # fmt: skip

Period = Literal["hour", "day", "month", "year"]
Employment = Literal["full_time", "part_time", "contract", "internship", "temporary"]
Experience = Literal["any", "entry", "1-3", "3-5", "5-10", "10+"]
Education = Literal["none", "high_school", "vocational", "associate", "bachelor", "master", "doctorate"]
JobStatus = Literal["open", "closed", "filled"]
ApplicationStatus = Literal["submitted", "viewed", "interview", "final_round", "offer", "rejected", "withdrawn"]
Amount = Annotated[int, Field(ge=0, le=10**12)]

EXPERIENCE_YEARS: dict[str, int] = {"any": 0, "entry": 0, "1-3": 1, "3-5": 3, "5-10": 5, "10+": 10}
"""The years of experience from which on somebody fits."""
EDUCATION: dict[str, int] = {
    "none": 0, "high_school": 1, "vocational": 2, "associate": 3, "bachelor": 4, "master": 5, "doctorate": 6,
}  # fmt: skip
"""Degrees in their order."""
LIVE = ("submitted", "viewed", "interview", "final_round", "offer")
"""The states of an application that is not over."""


class Company(RecordModel):
    company_id: str
    name: str
    industry: str = ""
    city: str = ""
    headcount: Annotated[int, Field(ge=0)] | None = None
    rating: Annotated[float, Field(ge=0, le=5)] | None = None
    about: str = ""
    website: str = ""
    reviews: list[str] = []
    aliases: list[str] = []


class Job(RecordModel):
    """A posting. ``details`` holds further facts by name, such as ``{"distance_mi": 11}``.

    An employer with ``viewed_after_h`` looks at an application that many hours after it came.
    """

    job_id: str
    title: str
    company_id: Annotated[str, Ref("job_board.companies")]
    city: str
    location: str = ""
    category: str = ""
    shift: str = ""
    employment: Employment = "full_time"
    salary_min_minor: Amount | None = None
    salary_max_minor: Amount | None = None
    currency: Currency
    salary_period: Period = "month"
    experience: Experience = "any"
    education: Education = "none"
    skills: list[str] = []
    description: str = ""
    details: dict[str, Any] = {}
    recruiter: str = ""
    start_date: Day | None = None
    posted_at: Instant
    deadline: Day | None = None
    status: JobStatus = "open"
    closed_by: Literal["", "employer", "deadline"] = ""
    aliases: list[str] = []
    viewed_after_h: Annotated[int, Field(ge=0, le=2000)] | None = None


class Resume(RecordModel):
    resume_id: str
    user_id: str
    name: str
    headline: str
    years_exp: Annotated[int, Field(ge=0, le=70)] = 0
    education: Education = "bachelor"
    skills: str = ""
    summary: str = ""
    updated_at: Instant


class SentResume(TypedDict):
    """A resume as an employer has it: later changes do not reach it."""

    resume_id: str
    name: str
    headline: str
    years_exp: int
    education: str
    skills: str
    summary: str
    updated_at: str


class Step(TypedDict):
    """A state that an application came into, and what the employer said."""

    at: Instant
    status: ApplicationStatus
    text: str


class Application(RecordModel):
    application_id: str
    user_id: str
    job_id: Annotated[str, Ref("job_board.jobs")]
    resume_id: Annotated[str, Ref("job_board.resumes")]
    resume: SentResume | None = None
    cover_letter: str = ""
    status: ApplicationStatus = "submitted"
    applied_at: Instant
    answer_by: Instant | None = None
    offer_minor: Minor | None = None
    offer_currency: Currency | None = None
    offer_period: Period | None = None
    history: list[Step] = []


class SavedJob(RecordModel):
    saved_id: str
    user_id: str
    job_id: Annotated[str, Ref("job_board.jobs")]
    saved_at: Instant


class Message(RecordModel):
    """A message of the chat that a user and a job's recruiter have; ``slots`` are interview times to choose from."""

    message_id: str
    user_id: str
    job_id: Annotated[str, Ref("job_board.jobs")]
    by: Literal["user", "recruiter"]
    text: str
    at: Instant
    slots: list[Instant] = []


class Alert(RecordModel):
    """A search that reports new jobs. A ``silent`` one is the person's own: it lands in the notification hub only."""

    alert_id: str
    user_id: str
    query: dict[str, Any]
    created_at: Instant
    silent: bool = False
    fired: Annotated[int, Field(ge=0)] = 0
    last_fired_at: Instant | None = None
