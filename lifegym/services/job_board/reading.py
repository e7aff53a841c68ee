"""Looking at what a user has here: saved jobs, resumes, applications, chats, alerts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.services.base import limited
from lifegym.services.job_board.records import ApplicationStatus
from lifegym.services.job_board.searching import EXCERPT, JobBoardSearching, excerpt
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["JobBoardReading"]

_LAST_MESSAGES = 3


class JobBoardReading(JobBoardSearching):
    """The tools that show a user's own."""

    @tool(write=False)
    def list_saved_jobs(self, user_id: str, limit: int = 50) -> dict[str, Any]:
        """List the jobs that a user has saved, the last saved first, as they are now.

        Args:
            user_id: Whose.
            limit: How many at most, up to 100.

        Returns:
            jobs: as search_jobs shows them, with saved_at; total.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        mine = [row for row in self.rows("saved") if row["user_id"] == user_id]
        mine.sort(key=lambda row: self.seconds(row["saved_at"]))
        jobs = [
            {**self._line(job), "saved_at": row["saved_at"]}
            for row in limited(reversed(mine), limit, 100)
            if (job := self.find("jobs", row["job_id"])) is not None
        ]
        return {"jobs": jobs, "total": len(mine)}

    @tool(write=False)
    def list_resumes(self, user_id: str) -> dict[str, Any]:
        """List a user's resumes, the last changed first.

        Args:
            user_id: Whose.

        Returns:
            resumes: resume_id, name, headline, years_exp, education, skills, updated_at (50 at most); total. Read the
            summary with get_resume before one is sent.
        """
        mine = [row for row in self.rows("resumes") if row["user_id"] == user_id]
        mine.sort(key=lambda row: self.seconds(row["updated_at"]), reverse=True)
        shown = [
            {key: value for key, value in row.items() if key not in ("user_id", "summary")}
            | {"skills": excerpt(row["skills"], EXCERPT, "get_resume shows the whole")}
            for row in mine[:50]
        ]
        return {"resumes": shown, "total": len(mine)}

    @tool(write=False)
    def get_resume(self, resume_id: str) -> dict[str, Any]:
        """Show a resume as employers will see it.

        Args:
            resume_id: From list_resumes.

        Returns:
            resume_id, user_id, name, headline, years_exp, education, skills, summary, updated_at.

        Errors:
            not_found: There is no such resume.
        """
        return self._resume(resume_id)

    @tool(write=False)
    def list_applications(
        self, user_id: str, status_filter: ApplicationStatus | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """List a user's applications, newest first.

        Args:
            user_id: Whose.
            status_filter: submitted, viewed, interview, final_round, offer, rejected or withdrawn; all if left out.
            limit: How many at most, up to 100.

        Returns:
            applications: application_id, job_id, title, company, resume_id, status, applied_at, changed_at,
            answer_by, job_status; total.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        found = [
            row
            for row in self.rows("applications")
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        found.sort(key=lambda row: self.seconds(row["applied_at"]))
        rows = [
            {
                **{key: row[key] for key in ("application_id", "job_id", "resume_id", "status", "applied_at")},
                "changed_at": row["history"][-1]["at"] if row["history"] else row["applied_at"],
                "answer_by": row["answer_by"],
                **self._job_facts(row["job_id"]),
            }
            for row in limited(reversed(found), limit, 100)
        ]
        return {"applications": rows, "total": len(found)}

    @tool(write=False)
    def get_application_status(self, application_id: str) -> dict[str, Any]:
        """Show an application: where it stands, its history, and the resume as the employer has it.

        Args:
            application_id: From apply_job or list_applications.

        Returns:
            application_id, user_id, job_id, title, company, job_status, status, applied_at, history (at, status, text
            of the employer), answer_by, offer_minor, offer_currency, offer_period (of an offer), resume_id, resume
            (as sent), cover_letter.

        Errors:
            not_found: There is no such application.
        """
        row = self._application(application_id)
        return {**row, **self._job_facts(row["job_id"])}

    @tool(write=False)
    def list_chats(
        self, user_id: str, job_id: str | None = None, before: str | None = None, limit: int = 20
    ) -> dict[str, Any]:
        """List a user's chats with recruiters, the last active first; or, with job_id, read one chat.

        Args:
            user_id: Whose.
            job_id: Read the chat about this job, in full.
            before: With job_id: only what was written before this message_id, to read back in a long chat.
            limit: How many chats, or messages of one chat, at most; up to 50.

        Returns:
            chats: job_id, title, company, recruiter, job_status, messages_total, more (whether there are earlier
            messages), messages: message_id, by (user or recruiter), text, at, slots (interview times offered), in the
            order of time. Without job_id the last 3 messages of each chat, long ones cut. total (chats).

        Errors:
            not_found: The user has no chat about this job, or it has no message before.
            bad_limit: limit is not between 1 and 50.
        """
        chats: dict[str, list[Record]] = {}
        for row in self.rows("messages"):
            if row["user_id"] == user_id and job_id in (None, row["job_id"]):
                chats.setdefault(row["job_id"], []).append(row)
        for messages in chats.values():
            messages.sort(key=lambda row: self.seconds(row["at"]))
        if job_id is not None:
            if job_id not in chats:
                raise ToolError("not_found", f"there is no chat about {job_id[:60]!r}; chat_with_recruiter begins one")
            earlier = _until(chats[job_id], before)
            part = limited(reversed(earlier), limit, 50)[::-1]
            chat = self._chat(job_id, len(chats[job_id]), part, len(earlier) > len(part), 10**6)
            return {"chats": [chat], "total": 1}
        order = sorted(chats.items(), key=lambda chat: self.seconds(chat[1][-1]["at"]), reverse=True)
        shown = [
            self._chat(key, len(messages), messages[-_LAST_MESSAGES:], len(messages) > _LAST_MESSAGES, EXCERPT)
            for key, messages in limited(order, limit, 50)
        ]
        return {"chats": shown, "total": len(chats)}

    @tool(write=False)
    def list_job_alerts(self, user_id: str) -> dict[str, Any]:
        """List a user's job alerts.

        Args:
            user_id: Whose.

        Returns:
            alerts: alert_id, user_id, query, created_at, silent, fired (how often), last_fired_at (50 at most); total.
        """
        mine = [row for row in self.rows("alerts") if row["user_id"] == user_id]
        return {"alerts": mine[:50], "total": len(mine)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _job_facts(self, job_id: str) -> dict[str, str]:
        job: Mapping[str, Any] = self.find("jobs", job_id) or {}
        return {
            "title": job.get("title", ""),
            "company": self._company_name(job.get("company_id", "")),
            "job_status": job.get("status", "closed"),
        }

    def _chat(self, job_id: str, total: int, part: list[Record], more: bool, most: int) -> dict[str, Any]:
        job = self.find("jobs", job_id)
        messages = [
            {key: row[key] for key in ("message_id", "by", "text", "at", "slots")}
            | {"text": excerpt(row["text"], most, "list_chats with job_id shows the whole")}
            for row in part
        ]
        return {
            "job_id": job_id,
            **self._job_facts(job_id),
            "recruiter": job["recruiter"] if job else "",
            "messages_total": total,
            "more": more,
            "messages": messages,
        }


def _until(messages: list[Record], before: str | None) -> list[Record]:
    """The messages of a chat that came before the named one.

    Raises:
        ToolError: ``not_found``.
    """
    if before is None:
        return messages
    for number, row in enumerate(messages):
        if row["message_id"] == before:
            return messages[:number]
    raise ToolError("not_found", f"this chat has no message {before[:60]!r}; give a message_id from list_chats")
