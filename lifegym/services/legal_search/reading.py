"""Reading judgments, statutes, articles and courts."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import limited, paged
from lifegym.services.legal_search.life import WEEKDAYS
from lifegym.services.legal_search.searching import MARKER, LegalSearching
from lifegym.services.tools import tool
from lifegym.world.record import Record

__all__ = ["LegalReading", "MaxChars", "Offset", "filing_row", "window"]

Offset = Annotated[int, Field(ge=0, le=10**7)]
MaxChars = Annotated[int, Field(ge=200, le=20_000)]
DAYS_SHOWN = 14
LIST_SHOWN = 50
DOCKET_SHOWN = 30


class LegalReading(LegalSearching):
    """Reading what a search has found."""

    @tool(write=False)
    def get_case(self, case_id: str, offset: Offset = 0, max_chars: MaxChars = 4000) -> dict[str, Any]:
        """Read a judgment, or the user's own pending case with its docket.

        Args:
            case_id: From search_cases; for an own case also its docket_id.
            offset: First character of the text to show; next_offset reads on.
            max_chars: How many characters of the text to show.

        Returns:
            case_id, title, number, court_id, court, case_type, decided_on (null while pending), parties, summary,
            holding, cites_articles, cites_cases, authority (good, overruled or withdrawn), overruled_by,
            authority_note; body from offset on (cut with [...]), offset, next_offset (null at the end), total_chars;
            docket (null unless it is the user's own case): docket_id, role, status, outcome, note, hearings (times,
            places), deadlines (time limits) and latest filings.

        Errors:
            not_found: There is no such case.
        """
        case = self._case(case_id)
        docket = self._docket_of_case(case["case_id"])
        court = self.find("courts", case["court_id"])
        return {
            **{key: value for key, value in case.items() if key not in ("published", "body")},
            "court": court["name"] if court else "",
            **window("body", case["body"], offset, max_chars),
            "docket": self._docket_shown(docket) if docket else None,
        }

    @tool(write=False)
    def get_case_citations(
        self, case_id: str, limit: Annotated[int, Field(ge=1, le=200)] = LIST_SHOWN
    ) -> dict[str, Any]:
        """List what a judgment cites, and which judgments cite it.

        Args:
            case_id: From search_cases, or the id of the user's own case.
            limit: How many of each kind at most.

        Returns:
            articles: article_id, statute_id, statute, number, heading, in_force; cites and cited_by (the newest
            first): case_id, title, number, court_id, court, case_type, decided_on, parties, summary, authority;
            total_articles, total_cites, total_cited_by.

        Errors:
            not_found: There is no such case.
        """
        case = self._case(case_id)
        today = self.today().isoformat()
        articles = [row for key in case["cites_articles"] if (row := self.find("articles", key))]
        cites = [row for key in case["cites_cases"] if (row := self.find("cases", key))]
        cited_by = [row for row in self.rows("cases") if row["published"] and case["case_id"] in row["cites_cases"]]
        cited_by.sort(key=lambda row: row["decided_on"] or "", reverse=True)
        return {
            "case_id": case["case_id"],
            "articles": [
                {
                    **self._article_row(row, today),
                    "statute_id": row["statute_id"],
                    "statute": self._statute_title(row["statute_id"]),
                }
                for row in articles[:limit]
            ],
            "cites": [self._case_row(row) for row in cites[:limit]],
            "cited_by": [self._case_row(row) for row in cited_by[:limit]],
            "total_articles": len(articles),
            "total_cites": len(cites),
            "total_cited_by": len(cited_by),
        }

    @tool(write=False)
    def get_statute(self, statute_id: str) -> dict[str, Any]:
        """Show a statute: its name, since when, whether it holds, and how many articles it has.

        Args:
            statute_id: From search_statutes.

        Returns:
            statute_id, title, abbreviation, aliases, jurisdiction, enacted_on, repealed_on, in_force, summary,
            total_articles (list_statute_articles lists them).

        Errors:
            not_found: There is no such statute.
        """
        statute = self._statute(statute_id)
        ended = statute["repealed_on"]
        return {
            **statute,
            "in_force": ended is None or self.today().isoformat() < ended,
            "total_articles": sum(row["statute_id"] == statute_id for row in self.rows("articles")),
        }

    @tool(write=False)
    def list_statute_articles(
        self, statute_id: str, on: str | None = None, page: int = 1, page_size: int = 50
    ) -> dict[str, Any]:
        """List the articles of a statute without their texts.

        Args:
            statute_id: From search_statutes.
            on: YYYY-MM-DD on which they are looked at; today if left out.
            page: Page of results, from 1.
            page_size: Articles on a page, up to 100.

        Returns:
            articles: article_id, number, heading, in_force (on that day), valid_from (of the version), versions (how
            many), repealed_on. total, page, pages.

        Errors:
            not_found: There is no such statute.
            bad_date: on is not YYYY-MM-DD.
            bad_page: page or page_size is out of range.
        """
        self._statute(statute_id)
        day = (self.day(on, "on") if on else self.today()).isoformat()
        part = paged([row for row in self.rows("articles") if row["statute_id"] == statute_id], page, page_size)
        articles = [
            {
                **self._article_row(row, day),
                "valid_from": self._version(row, day)["valid_from"],
                "versions": len(row["versions"]),
                "repealed_on": row["repealed_on"],
            }
            for row in part.pop("rows")
        ]
        return {"statute_id": statute_id, **part, "articles": articles}

    @tool(write=False)
    def get_article(
        self, article_id: str, on: str | None = None, offset: Offset = 0, max_chars: MaxChars = 4000
    ) -> dict[str, Any]:
        """Read an article in the version that holds today, or on another day.

        An article that has been repealed, or has not begun, is shown with in_force false.

        Args:
            article_id: From search_statutes or list_statute_articles.
            on: YYYY-MM-DD for the version of that day.
            offset: First character of the text to show; next_offset reads on.
            max_chars: How many characters of the text to show.

        Returns:
            article_id, statute_id, statute, abbreviation, number, heading, on (the day), in_force, valid_from and
            valid_until (exclusive, null if open) of the version, repealed_on, note; text from offset on (cut with
            [...]), offset, next_offset (null at the end), total_chars; versions: the valid_from of each, the latest 50;
            cited_by_total (published judgments that cite it).

        Errors:
            not_found: There is no such article.
            bad_date: on is not YYYY-MM-DD.
        """
        article = self.get("articles", article_id, "article", "legal_search.search_statutes finds them")
        day = (self.day(on, "on") if on else self.today()).isoformat()
        version = self._version(article, day)
        starts = [row["valid_from"] for row in article["versions"]]
        ends = [start for start in starts if start > version["valid_from"]]
        ends += [article["repealed_on"]] if article["repealed_on"] else []
        statute = self._statute_of(article)
        return {
            **{key: article[key] for key in ("article_id", "statute_id", "number", "heading", "repealed_on", "note")},
            "statute": statute.get("title", ""),
            "abbreviation": statute.get("abbreviation", ""),
            "on": day,
            "in_force": self._in_force(article, day),
            "valid_from": version["valid_from"],
            "valid_until": min(ends, default=None),
            **window("text", version["text"], offset, max_chars),
            "versions": starts[-LIST_SHOWN:],
            "cited_by_total": sum(
                article_id in row["cites_articles"] for row in self.rows("cases") if row["published"]
            ),
        }

    @tool(write=False)
    def list_courts(self, limit: int = 50) -> dict[str, Any]:
        """List the courts of the database.

        Args:
            limit: How many at most, up to 200.

        Returns:
            courts: court_id, name, level, city, jurisdiction, electronic_filing. total.

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        keys = ("court_id", "name", "level", "city", "jurisdiction", "electronic_filing")
        courts = list(self.rows("courts"))
        return {
            "courts": [{key: row[key] for key in keys} for row in limited(courts, limit)],
            "total": len(courts),
        }

    @tool(write=False)
    def get_court(self, court_id: str) -> dict[str, Any]:
        """Show a court: address, how to file there, when its filing desk is open.

        Args:
            court_id: From list_courts.

        Returns:
            court_id, name, level, city, address, jurisdiction, phone, email, aliases, electronic_filing (whether
            file_document works), filing_rules, fees, hours (weekday, opens, closes, from_day, until_day; those that
            hold today or later), closed_days (ahead), next_days: the next 14 days with date, weekday and open (spans
            opens, closes; empty on closed days).

        Errors:
            not_found: There is no such court.
        """
        court = self._court(court_id)
        today = self.today()
        date = today.isoformat()
        days = [today + dt.timedelta(days=number) for number in range(DAYS_SHOWN)]
        return {
            **court,
            "hours": [row for row in court["hours"] if row["until_day"] is None or row["until_day"] >= date],
            "closed_days": [day for day in court["closed_days"] if day >= date],
            "next_days": [
                {
                    "date": day.isoformat(),
                    "weekday": WEEKDAYS[day.weekday()],
                    "open": self._open_hours(court, day),
                }
                for day in days
            ],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _statute_of(self, article: Record) -> dict[str, Any]:
        return self.find("statutes", article["statute_id"]) or {}

    def _statute_title(self, statute_id: str) -> str:
        statute = self.find("statutes", statute_id)
        return statute["title"] if statute else ""

    def _docket_shown(self, docket: Record) -> dict[str, Any]:
        """A docket with its hearings, time limits and latest filings, by time."""
        key = docket["docket_id"]
        hearings = sorted(self._of("hearings", key), key=lambda row: self.seconds(row["starts_at"]))
        deadlines = sorted(self._of("deadlines", key), key=lambda row: self.seconds(row["due_at"]))
        filings = self._of("filings", key)
        return {
            **docket,
            "hearings": hearings[-DOCKET_SHOWN:],
            "deadlines": deadlines[-DOCKET_SHOWN:],
            "filings": [filing_row(row) for row in reversed(filings[-DOCKET_SHOWN:])],
            "total_filings": len(filings),
        }


def filing_row(row: Record) -> dict[str, Any]:
    """A filing without its text."""
    return {**{key: value for key, value in row.items() if key != "text"}, "total_chars": len(row["text"])}


def window(field: str, text: str, offset: int, max_chars: int) -> dict[str, Any]:
    """A part of a long text, and where to read on."""
    end = offset + max_chars
    more = end < len(text)
    return {
        field: text[offset:end] + MARKER * more,
        "offset": offset,
        "next_offset": end if more else None,
        "total_chars": len(text),
    }
