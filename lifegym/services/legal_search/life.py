"""What changes in the law by itself: judgments appear and lose their authority, articles and courts change."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Any

from lifegym.services.legal_search.proceedings import Proceedings
from lifegym.services.legal_search.records import CaseType, Weekday
from lifegym.services.tools import ToolError, happening
from lifegym.services.types import Day, TimeOfDay
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["WEEKDAYS", "LegalSearchLife"]

WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class LegalSearchLife(Proceedings):
    """The database's own behaviour."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def publish_case(
        self,
        case_id: str,
        title: str,
        court_id: str,
        case_type: CaseType,
        decided_on: Day,
        number: str = "",
        parties: list[str] | None = None,
        summary: str = "",
        holding: str = "",
        body: str = "",
        cites_articles: list[str] | None = None,
        cites_cases: list[str] | None = None,
    ) -> list[str]:
        """A judgment appears in the database. An id that is taken, or an unknown court, touches nothing.

        Args:
            case_id: Its id.
            title: Its name.
            court_id: The court that gave it.
            case_type: What it is about.
            decided_on: Day of the judgment.
            number: The court's number.
            parties: Their names.
            summary: A few sentences.
            holding: What was decided.
            body: The text.
            cites_articles: Ids of articles; unknown ones are left out.
            cites_cases: Ids of cases; unknown ones are left out.
        """
        if self.find("cases", case_id) is not None or self.find("courts", court_id) is None:
            return []
        self.put(
            "cases",
            case_id=case_id,
            title=title,
            number=number,
            court_id=court_id,
            case_type=case_type,
            decided_on=decided_on,
            parties=parties or [],
            summary=summary,
            holding=holding,
            body=body,
            cites_articles=[key for key in cites_articles or [] if self.find("articles", key)],
            cites_cases=[key for key in cites_cases or [] if self.find("cases", key)],
        )
        return [case_id]

    @happening
    def withdraw_case(self, case_id: str, reason: str = "") -> list[str]:
        """A judgment is withdrawn: it stays readable and has no authority any more."""
        case = self.find("cases", case_id)
        if case is None or case["authority"] == "withdrawn":
            return []
        self.patch("cases", case_id, authority="withdrawn", overruled_by="", authority_note=reason)
        return [case_id]

    @happening
    def overrule_case(self, case_id: str, by_case_id: str, reason: str = "") -> list[str]:
        """A later judgment, which the database has, takes the authority of an earlier one."""
        case = self.find("cases", case_id)
        if case is None or self.find("cases", by_case_id) is None or case_id == by_case_id:
            return []
        if case["authority"] == "withdrawn" or case["overruled_by"] == by_case_id:
            return []
        self.patch("cases", case_id, authority="overruled", overruled_by=by_case_id, authority_note=reason)
        return [case_id]

    @happening
    def amend_article(
        self, article_id: str, text: str, valid_from: Day | None = None, heading: str | None = None
    ) -> list[str]:
        """An article gets a new text from a day on (today if left out); the older versions stay to be looked up.

        A version that begins on the same day is replaced, as when wording is corrected.
        """
        article = self.find("articles", article_id)
        if article is None:
            return []
        day = valid_from or self.today().isoformat()
        kept = [version for version in article["versions"] if version["valid_from"] != day]
        versions = sorted([*kept, {"valid_from": day, "text": text}], key=lambda version: version["valid_from"])
        changes = {"versions": versions, "heading": article["heading"] if heading is None else heading}
        if all(article[field] == value for field, value in changes.items()):
            return []
        self.patch("articles", article_id, **changes)
        return [article_id]

    @happening
    def repeal_article(self, article_id: str, repealed_on: Day) -> list[str]:
        """An article is no longer in force from a day on."""
        article = self.find("articles", article_id)
        if article is None or article["repealed_on"] == repealed_on:
            return []
        self.patch("articles", article_id, repealed_on=repealed_on)
        return [article_id]

    @happening
    def set_desk_hours(
        self,
        court_id: str,
        weekdays: list[Weekday],
        opens: TimeOfDay | None = None,
        closes: TimeOfDay | None = None,
        from_day: Day | None = None,
    ) -> list[str]:
        """A court changes when its filing desk is open on some weekdays, from a day on (today if left out).

        Without opens and closes the desk is closed on them.
        """
        court = self.find("courts", court_id)
        if court is None or (opens is None) != (closes is None) or (opens and closes and opens >= closes):
            return []
        first = clock.parse_day(from_day) if from_day else self.today()
        eve = (first - dt.timedelta(days=1)).isoformat()
        hours: list[dict[str, Any]] = []
        for row in court["hours"]:
            if row["weekday"] not in weekdays:
                hours.append(row)
            elif row["from_day"] is None or row["from_day"] <= eve:
                ends = eve if row["until_day"] is None else min(row["until_day"], eve)
                hours.append({**row, "until_day": ends})
        if opens is not None and closes is not None:
            hours += [
                {
                    "weekday": weekday,
                    "opens": opens,
                    "closes": closes,
                    "from_day": first.isoformat(),
                    "until_day": None,
                }
                for weekday in dict.fromkeys(weekdays)
            ]
        if hours == court["hours"]:
            return []
        self.patch("courts", court_id, hours=hours)
        return [court_id]

    @happening
    def close_desk(self, court_id: str, days: list[Day]) -> list[str]:
        """A court closes its filing desk on single days."""
        court = self.find("courts", court_id)
        if court is None or set(days) <= set(court["closed_days"]):
            return []
        self.patch("courts", court_id, closed_days=sorted({*court["closed_days"], *days}))
        return [court_id]

    @happening
    def set_court(
        self,
        court_id: str,
        address: str | None = None,
        electronic_filing: bool | None = None,
        filing_rules: str | None = None,
        fees: str | None = None,
    ) -> list[str]:
        """A court moves, or changes how it takes documents and what it charges."""
        given = {
            "address": address,
            "electronic_filing": electronic_filing,
            "filing_rules": filing_rules,
            "fees": fees,
        }
        court = self.find("courts", court_id)
        changes = {field: value for field, value in given.items() if value is not None}
        if court is None or all(court[field] == value for field, value in changes.items()):
            return []
        self.patch("courts", court_id, **changes)
        return [court_id]

    # -- inside --------------------------------------------------------------------------------------------------

    def _case(self, case_id: str) -> Record:
        """The case of an id, or of a docket's id.

        Raises:
            ToolError: ``not_found``.
        """
        found = self.find("cases", case_id)
        if found is not None:
            return found
        docket = self.find("dockets", case_id)
        key = docket["case_id"] if docket else case_id
        return self.get("cases", key, "case", "legal_search.search_cases finds published ones")

    def _court(self, court_id: str) -> Record:
        return self.get("courts", court_id, "court", "legal_search.list_courts shows them")

    def _statute(self, statute_id: str) -> Record:
        return self.get("statutes", statute_id, "statute", "legal_search.search_statutes finds them")

    def _docket(self, docket_id: str) -> Record:
        docket = self._known_docket(docket_id)
        if docket is None:
            raise ToolError(
                "not_found", f"there is no docket {docket_id[:60]!r}; legal_search.list_dockets shows the user's"
            )
        return docket

    def _check_user(self, user_id: str) -> None:
        if user_id == self.world.owner or any(row["user_id"] == user_id for row in self.rows("dockets")):
            return
        if not any(row["user_id"] == user_id for row in self.rows("saved")):
            raise ToolError("not_found", f"{user_id[:60]!r} has no account here; use {self.world.owner}")

    @staticmethod
    def _in_force(article: Record, day: str) -> bool:
        """Whether an article holds on a day."""
        begun: bool = article["versions"][0]["valid_from"] <= day
        return begun and (article["repealed_on"] is None or day < article["repealed_on"])

    @staticmethod
    def _version(article: Record, day: str) -> dict[str, Any]:
        """The version that holds on a day: the last one begun, or the first one where none has."""
        begun = [version for version in article["versions"] if version["valid_from"] <= day]
        version: dict[str, Any] = begun[-1] if begun else article["versions"][0]
        return version

    @staticmethod
    def _open_hours(court: Record, day: dt.date) -> list[dict[str, str]]:
        """When a court's filing desk is open on a day."""
        date, weekday = day.isoformat(), WEEKDAYS[day.weekday()]
        if date in court["closed_days"]:
            return []
        return [
            {"opens": row["opens"], "closes": row["closes"]}
            for row in court["hours"]
            if row["weekday"] == weekday
            and (row["from_day"] is None or row["from_day"] <= date)
            and (row["until_day"] is None or date <= row["until_day"])
        ]

    def check_invariants(self) -> None:
        for article in self.rows("articles"):
            for before, after in pairwise(article["versions"]):
                assert before["valid_from"] < after["valid_from"], article
        for case in self.rows("cases"):
            assert case["case_id"] not in case["cites_cases"], case
            assert case["authority"] == "overruled" or not case["overruled_by"], case
        dockets: set[str] = set()
        for docket in self.rows("dockets"):
            assert self.find("cases", docket["case_id"]) is not None, docket
            assert docket["case_id"] not in dockets, docket
            dockets.add(docket["case_id"])
        for deadline in self.rows("deadlines"):
            filing = self.find("filings", deadline["filing_id"])
            assert (filing is not None) == (deadline["status"] == "met"), deadline
            assert filing is None or filing["docket_id"] == deadline["docket_id"], deadline
        for filing in self.rows("filings"):
            assert self.seconds(filing["filed_at"]) <= self.now, filing
        pairs = [(row["user_id"], row["case_id"]) for row in self.rows("saved")]
        assert len(pairs) == len(set(pairs)), pairs
        for note in self.rows("notes"):
            assert (note["user_id"], note["case_id"]) in pairs, note
            assert self.seconds(note["written_at"]) <= self.now, note
        for court in self.rows("courts"):
            for row in court["hours"]:
                assert row["opens"] < row["closes"], court
