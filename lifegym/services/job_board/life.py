"""What a job board does by itself: deadlines pass, employers look at applications, alerts fire."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from lifegym.services.base import Service
from lifegym.services.job_board.records import Alert, Application, Company, Job, Message, Resume, SavedJob
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["JobBoardLife", "is_range", "sent_copy"]


class JobBoardLife(Service):
    """The board's own behaviour."""

    name = "job_board"
    title = "Job board"
    records = {
        "companies": Company,
        "jobs": Job,
        "resumes": Resume,
        "applications": Application,
        "saved": SavedJob,
        "messages": Message,
        "alerts": Alert,
    }

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("applications")):
            resume = self.find("resumes", row["resume_id"])
            changes: dict[str, Any] = {}
            if row["resume"] is None and resume is not None:
                changes["resume"] = sent_copy(resume)
            if not row["history"]:
                changes["history"] = [{"at": row["applied_at"], "status": row["status"], "text": ""}]
            if changes:
                row = self.patch("applications", row["application_id"], **changes)
            self._await_view(row)
        for job in list(self.rows("jobs")):
            self._await_deadline(job)

    def reach_deadline(self, job_id: str, deadline: str) -> None:
        """Close a job whose last day is over."""
        job = self.find("jobs", job_id)
        if job is not None and job["status"] == "open" and job["deadline"] == deadline:
            self._close(job, "closed", "deadline")

    def view_application(self, application_id: str) -> None:
        """Let an employer look at an application that nobody has looked at."""
        row = self.find("applications", application_id)
        if row is not None and row["status"] == "submitted":
            self._move(row, "viewed", "")

    # -- inside --------------------------------------------------------------------------------------------------

    def _job(self, job_id: str) -> Record:
        return self.get("jobs", job_id, "job", "job_board.search_jobs finds them")

    def _resume(self, resume_id: str) -> Record:
        return self.get("resumes", resume_id, "resume", "job_board.list_resumes shows them")

    def _application(self, application_id: str) -> Record:
        return self.get("applications", application_id, "application", "job_board.list_applications shows them")

    def _company_name(self, company_id: str) -> str:
        company = self.find("companies", company_id)
        return str(company["name"]) if company else ""

    def _applications_to(self, job_id: str, user_id: str) -> list[Record]:
        return [row for row in self.rows("applications") if row["user_id"] == user_id and row["job_id"] == job_id]

    def _close(self, job: Record, status: str, by: str) -> None:
        self._tell_status(self.patch("jobs", job["job_id"], status=status, closed_by=by))

    def _tell_status(self, job: Record) -> None:
        title = f"{job['title']}, {self._company_name(job['company_id'])}: {job['status']}"
        self.world.emit(
            "status", source=self.name, ref=job["job_id"], status=job["status"], title=title, body=f"{title}."
        )

    def _move(self, row: Record, status: str, text: str, **terms: Any) -> Record:
        """Bring an application into a state and tell those who watch it."""
        steps = [*row["history"], {"at": self.stamp(), "status": status, "text": text}]
        changed = self.patch("applications", row["application_id"], status=status, history=steps, **terms)
        self.world.emit(
            "status",
            source=self.name,
            ref=row["application_id"],
            status=status,
            title=f"Application {row['application_id']}: {status.replace('_', ' ')}",
            body=text,
        )
        return changed

    def _receive(self, job: Record, user_id: str, text: str, slots: list[str], message_id: str, silent: bool) -> str:
        """Put a recruiter's message into the chat. Returns its id."""
        message = self.put(
            "messages",
            message_id=message_id or self.new_id("jmsg"),
            user_id=user_id,
            job_id=job["job_id"],
            by="recruiter",
            text=text,
            at=self.stamp(),
            slots=slots,
        )
        if not silent:
            sender = job["recruiter"] or self._company_name(job["company_id"]) or "The recruiter"
            title = f"{sender} wrote about {job['title']}"
            self.world.notify(self.name, "chat_message", title, text, ref=job["job_id"], user_id=user_id)
        return str(message["message_id"])

    def _fire(self, alert: Record, job: Record) -> None:
        self.patch("alerts", alert["alert_id"], fired=alert["fired"] + 1, last_fired_at=self.stamp())
        company = self._company_name(job["company_id"])
        self.world.notify(
            self.name,
            "job_alert",
            f"New job: {job['title']}, {company}",
            f"{job['job_id']}: {job['title']}, {company}, {job['location'] or job['city']} ({alert['alert_id']}).",
            ref=job["job_id"],
            user_id=alert["user_id"],
            opens="" if alert["silent"] else "alert",
        )

    def _await_deadline(self, job: Record) -> None:
        if job["status"] == "open" and job["deadline"] is not None:
            over = clock.day_start(clock.parse_day(job["deadline"]) + dt.timedelta(days=1), self.world.zone)
            if over <= self.now:
                self._close(job, "closed", "deadline")
            else:
                self.later(over, "reach_deadline", job_id=job["job_id"], deadline=job["deadline"])

    def _await_view(self, application: Record) -> None:
        job = self.find("jobs", application["job_id"])
        if job is not None and job["viewed_after_h"] is not None and application["status"] == "submitted":
            due = self.seconds(application["applied_at"]) + job["viewed_after_h"] * clock.HOUR
            self.later(max(due, self.now), "view_application", application_id=application["application_id"])

    def check_invariants(self) -> None:
        for kind in ("applications", "saved"):
            pairs = [(row["user_id"], row["job_id"]) for row in self.rows(kind)]
            assert len(set(pairs)) == len(pairs), (kind, pairs)
        for job in self.rows("jobs"):
            assert is_range(job["salary_min_minor"], job["salary_max_minor"]), job
            assert job["status"] != "open" or not job["closed_by"], job
        for row in self.rows("applications"):
            assert not row["history"] or row["history"][-1]["status"] == row["status"], row
            assert (row["offer_minor"] is None) == (row["offer_currency"] is None), row
        for alert in self.rows("alerts"):
            assert (alert["fired"] > 0) == (alert["last_fired_at"] is not None), alert


def is_range(least: int | None, most: int | None) -> bool:
    """Whether two ends of a salary, each of which may be open, are a range."""
    return least is None or most is None or least <= most


def sent_copy(resume: Mapping[str, Any]) -> dict[str, Any]:
    """A resume as it goes out."""
    return {field: value for field, value in resume.items() if field != "user_id"}
