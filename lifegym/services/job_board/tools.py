"""A job board: resumes, applications, saved jobs, chats with recruiters, alerts."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.job_board.life import sent_copy
from lifegym.services.job_board.query import parse_query
from lifegym.services.job_board.reading import JobBoardReading
from lifegym.services.job_board.records import LIVE, Education
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["JobBoard"]

Line = Annotated[str, Field(min_length=1, max_length=200)]
Text = Annotated[str, Field(min_length=1, max_length=4000)]
LongText = Annotated[str, Field(max_length=8000)]
Years = Annotated[int, Field(ge=0, le=70)]
_MOST_RESUMES = 20
_MOST_ALERTS = 20
_MOST_SAVED = 200


class JobBoard(JobBoardReading):
    """Jobs of many companies, and a user's way to them."""

    # -- tools: resumes ------------------------------------------------------------------------------------------

    @tool(write=True)
    def create_resume(
        self,
        user_id: str,
        name: Line,
        headline: Line,
        years_exp: Years = 0,
        education: Education = "bachelor",
        skills: Annotated[str, Field(max_length=2000)] | None = None,
        summary: LongText | None = None,
    ) -> dict[str, Any]:
        """Create a resume.

        Args:
            user_id: Whose.
            name: The person's name as employers read it.
            headline: One line, such as Maintenance planner, 18 years.
            years_exp: Years of experience.
            education: none, high_school, vocational, associate, bachelor, master or doctorate.
            skills: Skills with commas between them; recommendations go by them.
            summary: The text. Employers read all of it.

        Returns:
            resume_id, user_id, name, headline, years_exp, education, skills, summary, updated_at.

        Errors:
            too_many: The user has 20 resumes; update one of them.
        """
        if sum(row["user_id"] == user_id for row in self.rows("resumes")) >= _MOST_RESUMES:
            raise ToolError("too_many", f"a user has at most {_MOST_RESUMES} resumes; update_resume changes one")
        return self.put(
            "resumes",
            resume_id=self.new_id("res"),
            user_id=user_id,
            name=name,
            headline=headline,
            years_exp=years_exp,
            education=education,
            skills=skills or "",
            summary=summary or "",
            updated_at=self.stamp(),
        )

    @tool(write=True)
    def update_resume(
        self,
        resume_id: str,
        name: Line | None = None,
        headline: Line | None = None,
        years_exp: Years | None = None,
        education: Education | None = None,
        skills: Annotated[str, Field(max_length=2000)] | None = None,
        summary: LongText | None = None,
    ) -> dict[str, Any]:
        """Change a resume. Applications that were sent keep the resume as it was.

        Args:
            resume_id: From list_resumes.
            name: New name; what is left out stays.
            headline: New headline.
            years_exp: New years of experience.
            education: none, high_school, vocational, associate, bachelor, master or doctorate.
            skills: New skills, all of them; "" for none.
            summary: New text, all of it; "" for none.

        Returns:
            The resume as get_resume shows it.

        Errors:
            not_found: There is no such resume.
            nothing_to_change: Only resume_id is given.
        """
        self._resume(resume_id)
        given = {
            "name": name,
            "headline": headline,
            "years_exp": years_exp,
            "education": education,
            "skills": skills,
            "summary": summary,
        }
        changes = {field: value for field, value in given.items() if value is not None}
        if not changes:
            raise ToolError("nothing_to_change", f"give at least one of {', '.join(given)}")
        return self.patch("resumes", resume_id, **changes, updated_at=self.stamp())

    # -- tools: applications -------------------------------------------------------------------------------------

    @tool(write=True)
    def apply_job(
        self, user_id: str, job_id: str, resume_id: str, cover_letter: LongText | None = None
    ) -> dict[str, Any]:
        """Apply to an open job with a resume. The employer gets the resume as it is now. Once per job.

        Args:
            user_id: Who applies.
            job_id: From search_jobs.
            resume_id: From list_resumes; one of the user's own. Read it with get_resume first.
            cover_letter: A letter to the employer.

        Returns:
            The application: application_id, job_id, title, company, resume_id, resume (as sent), cover_letter, status
            (submitted), applied_at, history.

        Errors:
            not_found: There is no such job, or the user has no such resume.
            job_closed: The job is closed or filled, or its deadline is over.
            already_applied: The user has applied to it before; the message names the application and its state.
        """
        job, resume = self._job(job_id), self._resume(resume_id)
        if resume["user_id"] != user_id:
            raise ToolError("not_found", f"{resume_id} is no resume of {user_id[:60]!r}; list_resumes shows the user's")
        self._check_open(job, "look for another with search_jobs")
        for row in self._applications_to(job_id, user_id):
            raise ToolError(
                "already_applied", f"{row['application_id']} is an application to this job already ({row['status']})"
            )
        at = self.stamp()
        row = self.put(
            "applications",
            application_id=self.new_id("app"),
            user_id=user_id,
            job_id=job_id,
            resume_id=resume_id,
            resume=sent_copy(resume),
            cover_letter=cover_letter or "",
            applied_at=at,
            history=[{"at": at, "status": "submitted", "text": ""}],
        )
        self._await_view(row)
        return {**row, **self._job_facts(job_id)}

    @tool(write=True)
    def withdraw_application(
        self, application_id: str, reason: Annotated[str, Field(max_length=1000)] | None = None
    ) -> dict[str, Any]:
        """Withdraw an application, for good: the user cannot apply to this job again.

        Args:
            application_id: From list_applications.
            reason: What the employer is told.

        Returns:
            The application as get_application_status shows it, now withdrawn.

        Errors:
            not_found: There is no such application.
            not_active: It was rejected or withdrawn before.
        """
        row = self._application(application_id)
        if row["status"] not in LIVE:
            raise ToolError("not_active", f"{application_id} is {row['status']} already; nothing is left to withdraw")
        return {**self._move(row, "withdrawn", reason or ""), **self._job_facts(row["job_id"])}

    # -- tools: saved jobs ---------------------------------------------------------------------------------------

    @tool(write=True)
    def save_job(self, user_id: str, job_id: str) -> dict[str, Any]:
        """Save a job to come back to.

        Args:
            user_id: For whom.
            job_id: From search_jobs.

        Returns:
            saved_id, user_id, job_id, saved_at.

        Errors:
            not_found: There is no such job.
            already_saved: The user has saved it before.
            too_many: The user has 200 saved jobs; unsave some.
        """
        self._job(job_id)
        mine = [row for row in self.rows("saved") if row["user_id"] == user_id]
        if any(row["job_id"] == job_id for row in mine):
            raise ToolError("already_saved", f"{job_id} is among the saved jobs already; list_saved_jobs shows them")
        if len(mine) >= _MOST_SAVED:
            raise ToolError("too_many", f"a user saves at most {_MOST_SAVED} jobs; unsave_job makes room")
        return self.put("saved", saved_id=self.new_id("savjob"), user_id=user_id, job_id=job_id, saved_at=self.stamp())

    @tool(write=True)
    def unsave_job(self, user_id: str, job_id: str) -> dict[str, Any]:
        """Take a job from the saved ones.

        Args:
            user_id: Whose.
            job_id: From list_saved_jobs.

        Returns:
            job_id, saved (false).

        Errors:
            not_saved: The user has not saved this job.
        """
        row = self._saved(user_id, job_id)
        self.drop("saved", row["saved_id"])
        return {"job_id": job_id, "saved": False}

    # -- tools: chats and alerts ---------------------------------------------------------------------------------

    @tool(write=True)
    def chat_with_recruiter(self, user_id: str, job_id: str, message: Text) -> dict[str, Any]:
        """Write to a job's recruiter. Interview times and offers are accepted and declined like this as well.

        An answer comes later, in the same chat; list_chats shows it.

        Args:
            user_id: Who writes.
            job_id: The job that it is about.
            message: The text, up to 4000 characters.

        Returns:
            message_id, user_id, job_id, by (user), text, at, slots.

        Errors:
            not_found: There is no such job.
            job_closed: The job is closed or filled and the user has neither a chat about it nor an application to it.
        """
        job = self._job(job_id)
        known = bool(self._applications_to(job_id, user_id)) or any(
            row["user_id"] == user_id and row["job_id"] == job_id for row in self.rows("messages")
        )
        if not known:
            self._check_open(job, "its recruiter takes no new chats")
        return self.put(
            "messages",
            message_id=self.new_id("jmsg"),
            user_id=user_id,
            job_id=job_id,
            by="user",
            text=message,
            at=self.stamp(),
        )

    @tool(write=True)
    def subscribe_job_alert(self, user_id: str, query_json: str | dict[str, Any]) -> dict[str, Any]:
        """Ask to be told of every new job that meets a search. Each time, a turn opens for it.

        Args:
            user_id: For whom.
            query_json: The search as JSON text or object, with some of keyword, city, category, min_salary_minor,
                salary_period, experience, education as in search_jobs: {"keyword": "planner", "city": "Toledo"}.

        Returns:
            alert_id, user_id, query, created_at, silent, fired (how often), last_fired_at.

        Errors:
            bad_query: query_json is no JSON object, asks for nothing, or has unknown keys or values.
            exists: The same alert is there already; the message names it.
            too_many: The user has 20 alerts; delete some.
        """
        query = parse_query(query_json)
        mine = [row for row in self.rows("alerts") if row["user_id"] == user_id]
        for row in mine:
            if row["query"] == query and not row["silent"]:
                raise ToolError("exists", f"{row['alert_id']} is the same alert already")
        if len(mine) >= _MOST_ALERTS:
            raise ToolError("too_many", f"a user has at most {_MOST_ALERTS} job alerts; delete_job_alert ends one")
        return self.put("alerts", alert_id=self.new_id("jalert"), user_id=user_id, query=query, created_at=self.stamp())

    @tool(write=True)
    def delete_job_alert(self, alert_id: str) -> dict[str, Any]:
        """End a job alert.

        Args:
            alert_id: From list_job_alerts.

        Returns:
            alert_id, deleted (true).

        Errors:
            not_found: There is no such alert.
        """
        self.get("alerts", alert_id, "job alert", "list_job_alerts shows them")
        self.drop("alerts", alert_id)
        return {"alert_id": alert_id, "deleted": True}

    # -- inside --------------------------------------------------------------------------------------------------

    def _check_open(self, job: Record, instead: str) -> None:
        """Refuse a job that takes no applications.

        Raises:
            ToolError: ``job_closed``.
        """
        if job["status"] != "open":
            why = "its deadline is over" if job["closed_by"] == "deadline" else f"it is {job['status']}"
            raise ToolError("job_closed", f"{job['job_id']} is not open: {why}; {instead}")

    def _saved(self, user_id: str, job_id: str) -> Record:
        for row in self.rows("saved"):
            if row["user_id"] == user_id and row["job_id"] == job_id:
                return row
        raise ToolError("not_saved", f"{job_id[:60]!r} is not saved; list_saved_jobs shows what is")
