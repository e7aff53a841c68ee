"""Looking for jobs and companies."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.job_board.inventory import JobBoardInventory
from lifegym.services.job_board.query import select, texts_of, yearly
from lifegym.services.job_board.records import EDUCATION, EXPERIENCE_YEARS, Education, Experience, Period
from lifegym.services.search import Index, words
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["EXCERPT", "JobBoardSearching", "excerpt"]

_LINE = (
    "job_id", "title", "company_id", "city", "location", "category", "shift", "employment", "salary_min_minor",
    "salary_max_minor", "currency", "salary_period", "experience", "education", "posted_at", "deadline", "status",
)  # fmt: skip
_JOB_HIDDEN = ("aliases", "viewed_after_h")
_PAGE = 6000
EXCERPT = 600
_REVIEWS = 20

Offset = Annotated[int, Field(ge=0, le=10**6)]


class JobBoardSearching(JobBoardInventory):
    """The tools that find jobs."""

    @tool(write=False)
    def search_jobs(
        self,
        keyword: str | None = None,
        city: str | None = None,
        category: str | None = None,
        min_salary_minor: Annotated[int, Field(ge=0, le=10**12)] | None = None,
        experience: Experience | None = None,
        education: Education | None = None,
        sort: Literal["relevance", "salary_desc", "newest"] = "relevance",
        limit: int = 20,
        salary_period: Period | None = None,
    ) -> dict[str, Any]:
        """Search open jobs. Every wish that is given must be met.

        Args:
            keyword: Words of the title, the company, the skills or the text.
            city: City of the job, or a place in its location.
            category: A category as results show it, such as logistics.
            min_salary_minor: The top of the salary reaches at least this, in minor units of the job's currency. Jobs
                that state no salary are left out.
            experience: What the seeker has, in years: any, entry, 1-3, 3-5, 5-10 or 10+; keeps jobs that ask no more.
            education: What the seeker has: none, high_school, vocational, associate, bachelor, master or doctorate;
                keeps jobs that ask no more.
            sort: relevance (without a keyword: newest first), salary_desc (by the year of full time, currencies are
                not converted) or newest.
            limit: How many at most, up to 100.
            salary_period: hour, day, month or year: what min_salary_minor is paid for. Left out, it is compared with
                each job's salary as the job states it.

        Returns:
            jobs: job_id, title, company_id, company, city, location, category, shift, employment, salary_min_minor,
            salary_max_minor, currency, salary_period, experience, education, posted_at, deadline, status; total (how
            many match); note (what to try where little is found).

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        given = {
            "keyword": keyword,
            "city": city,
            "category": category,
            "min_salary_minor": min_salary_minor,
            "experience": experience,
            "education": education,
            "salary_period": salary_period,
        }
        query = {key: value for key, value in given.items() if value is not None}
        found, complete = select(query, self._open_index())
        if sort == "salary_desc":
            found.sort(key=yearly, reverse=True)
        elif sort == "newest":
            found.sort(key=lambda job: self.seconds(job["posted_at"]), reverse=True)
        jobs = [self._line(job) for job in limited(found, limit, 100)]
        return {"jobs": jobs, "total": len(found), "note": self._note(query, bool(found), complete)}

    @tool(write=False)
    def get_job(self, job_id: str, description_from: Offset = 0) -> dict[str, Any]:
        """Show a job as its posting reads now.

        Args:
            job_id: From search_jobs.
            description_from: Read a long description on from this character.

        Returns:
            job_id, title, company_id, company, city, location, category, shift, employment, salary_min_minor,
            salary_max_minor (minor units), currency, salary_period, experience, education, skills, details,
            recruiter, start_date, posted_at, deadline (last day to apply), status (open, closed or filled), closed_by;
            description (6000 characters at a time) and description_next (where it goes on, or null).

        Errors:
            not_found: There is no such job.
        """
        job = self._job(job_id)
        shown = {key: value for key, value in job.items() if key not in _JOB_HIDDEN}
        end = description_from + _PAGE
        return {
            **shown,
            "company": self._company_name(job["company_id"]),
            "description": job["description"][description_from:end],
            "description_next": end if end < len(job["description"]) else None,
        }

    @tool(write=False)
    def get_company(self, company_id: str) -> dict[str, Any]:
        """Show a company's page and its open jobs.

        Args:
            company_id: From search_jobs or get_job.

        Returns:
            company_id, name, industry, city, headcount, rating (of 5), about, website, reviews (20 at most),
            reviews_total; open_jobs: as search_jobs shows them, newest first, 20 at most; open_jobs_total.

        Errors:
            not_found: There is no such company.
        """
        company = self.get("companies", company_id, "company", "search_jobs shows the company_id of each job")
        jobs = [job for job in self._open_index().docs if job["company_id"] == company_id]
        return {
            **{key: value for key, value in company.items() if key != "aliases"},
            "about": excerpt(company["about"], _PAGE, "the rest is on the company's website"),
            "reviews": [excerpt(text, EXCERPT, "cut") for text in company["reviews"][:_REVIEWS]],
            "reviews_total": len(company["reviews"]),
            "open_jobs": [self._line(job) for job in jobs[:20]],
            "open_jobs_total": len(jobs),
        }

    @tool(write=False)
    def get_recommended_jobs(self, user_id: str, limit: int = 10) -> dict[str, Any]:
        """Recommend open jobs that share skills with the user's resume; those applied to already are left out.

        The resume that was changed last counts. Jobs that ask for more experience or education come last.

        Args:
            user_id: For whom.
            limit: How many at most, up to 50.

        Returns:
            jobs: as search_jobs shows them, with matched_skills and gaps (experience, education); resume_id; total.

        Errors:
            no_resume: The user has no resume; create_resume makes one.
            bad_limit: limit is not between 1 and 50.
        """
        mine = [row for row in self.rows("resumes") if row["user_id"] == user_id]
        if not mine:
            raise ToolError("no_resume", f"{user_id[:60]!r} has no resume here; create_resume makes one")
        resume = max(mine, key=lambda row: (self.seconds(row["updated_at"]), row["resume_id"]))
        applied = {row["job_id"] for row in self.rows("applications") if row["user_id"] == user_id}
        known = frozenset((*words(resume["skills"]), *words(resume["headline"])))
        degree = EDUCATION[resume["education"]]
        scored: list[tuple[bool, int, int, Record, list[str], list[str]]] = []
        offered = self.table("jobs").derive("asked", lambda rows: [_asked(job) for job in self._newest_open(rows)])
        for number, (job, said, title, asked) in enumerate(offered):
            if known.isdisjoint(said) or job["job_id"] in applied:
                continue
            skills = [skill for skill, parts in asked if parts <= known]
            score = 3 * len(skills) + len(known & title)
            if score:
                gaps = ["experience"] * (EXPERIENCE_YEARS[job["experience"]] > resume["years_exp"])
                gaps += ["education"] * (EDUCATION[job["education"]] > degree)
                scored.append((bool(gaps), -score, number, job, skills, gaps))
        scored.sort(key=lambda each: each[:3])
        jobs = [
            {**self._line(job), "matched_skills": skills, "gaps": gaps}
            for _, _, _, job, skills, gaps in limited(scored, limit, 50)
        ]
        return {"jobs": jobs, "resume_id": resume["resume_id"], "total": len(scored)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _newest_open(self, jobs: Iterable[Record]) -> list[Record]:
        """The open ones of some jobs, the last posted first."""
        found = [job for job in jobs if job["status"] == "open"]
        found.sort(key=lambda job: self.seconds(job["posted_at"]), reverse=True)
        return found

    def _open_index(self) -> Index[Record]:
        """The open jobs, the last posted first, by their words."""
        companies = self.table("companies")
        return self.table("jobs").derive(
            "open", lambda rows: Index(self._newest_open(rows), texts_of(companies)), companies
        )

    def _line(self, job: Record) -> dict[str, Any]:
        line = {key: job[key] for key in _LINE}
        line["company"] = self._company_name(job["company_id"])
        return line

    def _note(self, query: Mapping[str, Any], found: bool, complete: bool) -> str:
        if found:
            return "" if complete else "No job has all of these words; these have some of them."
        categories = sorted({job["category"] for job in self.rows("jobs") if job["category"]})[:30]
        cities = sorted({job["city"] for job in self.rows("jobs")})[:30]
        known = f"Cities: {', '.join(cities)}. Categories: {', '.join(categories)}."
        return f"No open job meets all of this; leave out {', '.join(query)}. {known}" if query else "No job is open."


def excerpt(text: str, most: int, how: str) -> str:
    """A long text cut, with a marker that says how to read the rest."""
    return text if len(text) <= most else f"{text[:most]}... ({how}; {len(text)} characters)"


class _Asked(NamedTuple):
    """A job, all words of its title and skills, those of its title, and each skill with its words."""

    job: Record
    said: frozenset[str]
    title: frozenset[str]
    skills: list[tuple[str, frozenset[str]]]


def _asked(job: Record) -> _Asked:
    title = frozenset(words(job["title"]))
    skills = [(skill, frozenset(words(skill))) for skill in job["skills"] if words(skill)]
    return _Asked(job, title.union(*(parts for _, parts in skills)), title, skills)
