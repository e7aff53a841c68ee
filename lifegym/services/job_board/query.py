"""What somebody looks for among jobs: the same wishes for a search and for an alert."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from lifegym.services.job_board.records import EDUCATION, EXPERIENCE_YEARS, Education, Experience, Period
from lifegym.services.search import Index, fold, resolve, words
from lifegym.services.wishes import parse_wishes
from lifegym.world.record import Record
from lifegym.world.table import RecordTable

__all__ = ["JobQuery", "parse_query", "select", "texts_of", "yearly"]

_ALIASES = {
    "swe": "software engineer",
    "dev": "developer",
    "devops": "operations engineer",
    "programmer": "developer",
    "coder": "developer",
    "qa": "quality tester",
    "hr": "human resources",
    "pm": "project product manager",
    "rn": "registered nurse",
    "ux": "user experience designer",
    "accounting": "accountant",
    "trucker": "driver",
    "sales rep": "sales representative",
    "customer service": "support",
}
_CITIES = {
    "nyc": "New York",
    "new york city": "New York",
    "la": "Los Angeles",
    "sf": "San Francisco",
    "peking": "Beijing",
    "munich": "München",
    "cologne": "Köln",
    "gothenburg": "Göteborg",
}
_HOURS_A_YEAR = {"hour": 2080, "day": 260, "month": 12, "year": 1}


class JobQuery(TypedDict, total=False):
    """The wishes of a search; what is absent does not matter."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[misc]

    keyword: Annotated[str, Field(max_length=200)]
    city: Annotated[str, Field(max_length=80)]
    category: Annotated[str, Field(max_length=80)]
    min_salary_minor: Annotated[int, Field(ge=0, le=10**12)]
    salary_period: Period
    experience: Experience
    education: Education


_QUERY = TypeAdapter(JobQuery)


def parse_query(query_json: str | Mapping[str, Any]) -> dict[str, Any]:
    """The wishes of an alert.

    Raises:
        ToolError: ``bad_query``.
    """
    return parse_wishes(query_json, _QUERY, JobQuery.__annotations__, '{"keyword": "planner"}', ("salary_period",))


def yearly(job: Mapping[str, Any]) -> int:
    """The top of a job's salary as it would be for a year of full time; -1 where none is stated."""
    top = job["salary_max_minor"] if job["salary_max_minor"] is not None else job["salary_min_minor"]
    return -1 if top is None else int(top) * _HOURS_A_YEAR[job["salary_period"]]


def texts_of(companies: RecordTable) -> Callable[[Record], Sequence[tuple[str, float]]]:
    """What a search reads of a job, with the weights of the parts."""

    def texts(job: Record) -> Sequence[tuple[str, float]]:
        company = companies.find(job["company_id"])
        named = (company["name"], *company["aliases"]) if company else ()
        return (
            (job["title"], 3.0),
            *((alias, 2.5) for alias in job["aliases"]),
            *((name, 2.0) for name in named),
            *((skill, 1.5) for skill in job["skills"]),
            (job["category"], 1.5),
            (job["shift"], 1.0),
            (job["location"] or job["city"], 1.0),
            (job["description"], 0.5),
        )

    return texts


def select(query: Mapping[str, Any], index: Index[Record]) -> tuple[list[Record], bool]:
    """The jobs of an index that meet the wishes, the best first, and whether every keyword was found in them.

    Without a keyword the jobs keep their order.
    """
    kept = index.docs
    if city := query.get("city"):
        kept = _in_city(city, kept)
    if category := query.get("category"):
        named = resolve(category, dict.fromkeys(job["category"] for job in kept))
        kept = [job for job in kept if job["category"] == named]
    if (least := query.get("min_salary_minor")) is not None:
        period = query.get("salary_period")
        kept = [job for job in kept if _pays(job, least, period)]
    if experience := query.get("experience"):
        years = EXPERIENCE_YEARS[experience]
        kept = [job for job in kept if EXPERIENCE_YEARS[job["experience"]] <= years]
    if education := query.get("education"):
        level = EDUCATION[education]
        kept = [job for job in kept if EDUCATION[job["education"]] <= level]
    keyword = query.get("keyword") or ""
    if not keyword.strip() or not kept:
        return list(kept), True
    among = None
    if len(kept) < len(index.docs):
        chosen, docs = frozenset(job["job_id"] for job in kept), index.docs

        def among(place: int) -> bool:
            return docs[place]["job_id"] in chosen

    found = index.rank(keyword, _ALIASES, need_all=True, among=among)
    return (found, True) if found else (index.rank(keyword, _ALIASES, among=among), False)


def _in_city(city: str, jobs: list[Record]) -> list[Record]:
    """The jobs in a city, or with it in their location."""
    names = list(dict.fromkeys(job["city"] for job in jobs))
    known = _CITIES.get(fold(city).strip())
    named = (known and resolve(known, names)) or resolve(city, names)
    wanted = frozenset(words(city))
    return [job for job in jobs if job["city"] == named or (wanted and wanted.issubset(words(job["location"])))]


def _pays(job: Mapping[str, Any], least: int, period: str | None) -> bool:
    if period is None:
        top = job["salary_max_minor"] if job["salary_max_minor"] is not None else job["salary_min_minor"]
        return top is not None and top >= least
    return yearly(job) >= least * _HOURS_A_YEAR[period]
