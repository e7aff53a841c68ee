"""What the timeline can do to jobs: they appear, change and close; recruiters write; applications move."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.job_board.life import JobBoardLife, is_range
from lifegym.services.job_board.query import select, texts_of
from lifegym.services.job_board.records import LIVE, Amount, Education, Employment, Experience, Period
from lifegym.services.search import Index
from lifegym.services.tools import happening
from lifegym.services.types import Currency, Day, Instant

__all__ = ["JobBoardHappenings"]


class JobBoardHappenings(JobBoardLife):
    """The verbs of the timeline."""

    @happening
    def post_job(
        self,
        title: str,
        company_id: str,
        city: str,
        currency: Currency,
        job_id: str = "",
        location: str = "",
        category: str = "",
        shift: str = "",
        employment: Employment = "full_time",
        salary_min_minor: Amount | None = None,
        salary_max_minor: Amount | None = None,
        salary_period: Period = "month",
        experience: Experience = "any",
        education: Education = "none",
        skills: list[str] | None = None,
        description: str = "",
        details: dict[str, Any] | None = None,
        recruiter: str = "",
        start_date: Day | None = None,
        deadline: Day | None = None,
    ) -> list[str]:
        """A company of the board posts a job. Job alerts that it meets fire.

        A job_id that is taken, a salary range that is none, or a deadline before today touches nothing.
        """
        taken = bool(job_id) and self.find("jobs", job_id) is not None
        if self.find("companies", company_id) is None or taken or not is_range(salary_min_minor, salary_max_minor):
            return []
        if deadline is not None and deadline < self.today().isoformat():
            return []
        job = self.put(
            "jobs",
            job_id=job_id or self.new_id("job"),
            title=title,
            company_id=company_id,
            city=city,
            location=location,
            category=category,
            shift=shift,
            employment=employment,
            salary_min_minor=salary_min_minor,
            salary_max_minor=salary_max_minor,
            currency=currency,
            salary_period=salary_period,
            experience=experience,
            education=education,
            skills=skills or [],
            description=description,
            details=details or {},
            recruiter=recruiter,
            start_date=start_date,
            posted_at=self.stamp(),
            deadline=deadline,
        )
        self._await_deadline(job)
        index = Index([job], texts_of(self.table("companies")))
        for alert in list(self.rows("alerts")):
            found, complete = select(alert["query"], index)
            if found and complete:
                self._fire(alert, job)
        return [job["job_id"]]

    @happening
    def close_job(self, job_id: str, filled: bool = False) -> list[str]:
        """An employer closes an open job, or has filled it. Applications to it keep their state."""
        job = self.find("jobs", job_id)
        if job is None or job["status"] != "open":
            return []
        self._close(job, "filled" if filled else "closed", "employer")
        return [job_id]

    @happening
    def reopen_job(self, job_id: str, deadline: Day | None = None) -> list[str]:
        """An employer opens a closed or filled job again, with a new deadline or without one."""
        job = self.find("jobs", job_id)
        if job is None or job["status"] == "open" or (deadline and deadline < self.today().isoformat()):
            return []
        changed = self.patch("jobs", job_id, status="open", closed_by="", deadline=deadline)
        self._await_deadline(changed)
        self._tell_status(changed)
        return [job_id]

    @happening
    def change_job(
        self,
        job_id: str,
        title: str | None = None,
        city: str | None = None,
        location: str | None = None,
        shift: str | None = None,
        salary_min_minor: Amount | None = None,
        salary_max_minor: Amount | None = None,
        salary_period: Period | None = None,
        experience: Experience | None = None,
        education: Education | None = None,
        skills: list[str] | None = None,
        description: str | None = None,
        details: dict[str, Any] | None = None,
        recruiter: str | None = None,
        start_date: Day | None = None,
        deadline: Day | None = None,
    ) -> list[str]:
        """A posting reads differently from now on; nobody is told. What is left out stays; details are merged.

        A job that its deadline closed opens again where the new deadline is not over. A salary range that is none
        touches nothing.
        """
        job = self.find("jobs", job_id)
        if job is None:
            return []
        given = {
            "title": title, "city": city, "location": location, "shift": shift, "salary_min_minor": salary_min_minor,
            "salary_max_minor": salary_max_minor, "salary_period": salary_period, "experience": experience,
            "education": education, "skills": skills, "description": description, "recruiter": recruiter,
            "start_date": start_date, "deadline": deadline,
            "details": None if details is None else {**job["details"], **details},
        }  # fmt: skip
        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        after = {**job, **changes}
        if not changes or not is_range(after["salary_min_minor"], after["salary_max_minor"]):
            return []
        if deadline is not None and job["closed_by"] == "deadline" and deadline >= self.today().isoformat():
            changes |= {"status": "open", "closed_by": ""}
        changed = self.patch("jobs", job_id, **changes)
        if deadline is not None:
            self._await_deadline(changed)
        return [job_id]

    @happening
    def change_company(
        self,
        company_id: str,
        headcount: Annotated[int, Field(ge=0)] | None = None,
        rating: Annotated[float, Field(ge=0, le=5)] | None = None,
        about: str | None = None,
        website: str | None = None,
        reviews: list[str] | None = None,
    ) -> list[str]:
        """A company's page reads differently from now on; nobody is told. What is left out stays."""
        given = {"headcount": headcount, "rating": rating, "about": about, "website": website, "reviews": reviews}
        changes = {field: value for field, value in given.items() if value is not None}
        if self.find("companies", company_id) is None or not changes:
            return []
        self.patch("companies", company_id, **changes)
        return [company_id]

    @happening
    def recruiter_message(
        self, job_id: str, text: str, user_id: str = "", message_id: str = "", silent: bool = False
    ) -> list[str]:
        """A job's recruiter writes to a user (by default the person) in the chat; silent leaves out the hub's note.

        A message_id that is taken touches nothing.
        """
        job = self.find("jobs", job_id)
        if job is None or (message_id and self.find("messages", message_id) is not None):
            return []
        return [self._receive(job, user_id or self.world.owner, text, [], message_id, silent)]

    @happening
    def invite_interview(
        self, job_id: str, slots: list[Instant], text: str, user_id: str = "", silent: bool = False
    ) -> list[str]:
        """A recruiter invites to an interview in the chat, with times to choose from; the answer is a chat message.

        An application that was not that far yet moves to interview.
        """
        job = self.find("jobs", job_id)
        if job is None:
            return []
        user = user_id or self.world.owner
        touched = [self._receive(job, user, text, list(slots), "", silent)]
        for row in self._applications_to(job_id, user):
            if row["status"] in ("submitted", "viewed"):
                self._move(row, "interview", text)
                touched.append(row["application_id"])
        return touched

    @happening
    def move_application(
        self,
        status: Literal["viewed", "interview", "final_round", "offer", "rejected"],
        job_id: str = "",
        user_id: str = "",
        application_id: str = "",
        text: str = "",
        answer_by: Instant | None = None,
        offer_minor: Amount | None = None,
        offer_currency: Currency | None = None,
        offer_period: Period | None = None,
        silent: bool = False,
    ) -> list[str]:
        """An employer moves live applications to a state: those to a job (of one user), or one by its id.

        An offer carries its amount, by default in the job's currency and period, and the instant to answer by. What
        has that state already, or is over, is left alone.
        """
        rows = [
            row
            for row in list(self.rows("applications"))
            if (application_id or job_id)
            and application_id in ("", row["application_id"])
            and job_id in ("", row["job_id"])
            and user_id in ("", row["user_id"])
            and row["status"] in LIVE
            and row["status"] != status
        ]
        for row in rows:
            job = self.table("jobs").find(row["job_id"])
            assert job is not None
            terms: dict[str, Any] = {} if answer_by is None else {"answer_by": answer_by}
            if offer_minor is not None:
                terms |= {
                    "offer_minor": offer_minor,
                    "offer_currency": offer_currency or job["currency"],
                    "offer_period": offer_period or job["salary_period"],
                }
            self._move(row, status, text, **terms)
            if not silent:
                title = f"{job['title']}: your application is at {status.replace('_', ' ')}"
                self.world.notify(
                    self.name, "application", title, text, ref=row["application_id"], user_id=row["user_id"]
                )
        return [row["application_id"] for row in rows]
