"""Searching judgments and statutes, and what judgments have in common."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from lifegym.services.base import limited
from lifegym.services.legal_search.index import Texts, asked_words, long_words, scores, shared_words
from lifegym.services.legal_search.inventory import LegalSearchInventory
from lifegym.services.legal_search.records import CaseType
from lifegym.services.search import resolve, words
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["LegalSearching", "cut"]

_CASE_WEIGHTS = (4.0, 3.0, 2.0, 2.0, 1.0, 2.5)
_ARTICLE_WEIGHTS = (3.0, 2.5, 1.0, 1.0, 2.0, 2.5)
_STATUTE_WEIGHTS = (4.0, 1.5, 4.0, 3.5)
"""Of a document's texts in their order; the last is that of parties and other names."""
MARKER = "[...]"
SUMMARY_SHOWN = 300
ARTICLES_SHOWN = 5
SHARED_SHOWN = 8


class LegalSearching(LegalSearchInventory):
    """Finding judgments and statutes."""

    @tool(write=False)
    def search_cases(
        self,
        keyword: str | None = None,
        court: str | None = None,
        case_type: CaseType | None = None,
        date_from: str | None = None,
        date_to: str | None = None,
        limit: int = 20,
    ) -> dict[str, Any]:
        """Search published judgments: the best match first, or the newest where there is no keyword.

        Titles count more than texts; misspellings and an article such as "KSchG 4" are understood. Two people can have
        the same name: read get_case before relying on a hit. Superseded judgments are found too; look at authority.

        Args:
            keyword: Words of the title, number, parties, holding, summary or text, or a cited article.
            court: court_id, or the name or abbreviation of a court.
            case_type: administrative, consumer, contract, criminal, employment, family, insurance, property,
                small_claim, social, tenancy, tort or other.
            date_from: YYYY-MM-DD, judgments of this day or later.
            date_to: YYYY-MM-DD, judgments of this day or earlier.
            limit: How many at most, up to 100.

        Returns:
            cases: case_id, title, number, court_id, court, case_type, decided_on, parties, summary (cut after 300
            characters), authority (good, overruled or withdrawn). total (how many match); note.

        Errors:
            unknown_court: No court is called like that.
            bad_date: A date is not YYYY-MM-DD, or date_to is before date_from.
            bad_limit: limit is not between 1 and 100.
        """
        first = self.day(date_from, "date_from").isoformat() if date_from else ""
        last = self.day(date_to, "date_to").isoformat() if date_to else "9999"
        if last < first:
            raise ToolError("bad_date", "date_to is before date_from; swap them")
        court_id = self._court_meant(court) if court else None
        kept: dict[int, Record] = {}
        every = [row for row in self.rows("cases") if row["published"]]
        for place, row in enumerate(every):
            if court_id is not None and row["court_id"] != court_id:
                continue
            if case_type is not None and row["case_type"] != case_type:
                continue
            if (first or date_to) and not first <= (row["decided_on"] or "") <= last:
                continue
            kept[place] = row
        if keyword and keyword.strip():
            found, complete = self._best_cases(keyword, every, kept)
        else:
            found, complete = sorted(kept.values(), key=lambda row: row["decided_on"] or "", reverse=True), True
        note = "" if complete or not found else "No judgment has all of these words; these have the most of them."
        shown = limited(found, limit, 100)
        return {"cases": [self._case_row(row) for row in shown], "total": len(found), "note": note}

    @tool(write=False)
    def search_statutes(self, keyword: str | None = None, limit: int = 20) -> dict[str, Any]:
        """Search statutes by name, abbreviation, article or words of their articles.

        Args:
            keyword: Such as "KSchG", "dismissal protection", "CPR 15.4" or words of an article; all if left out.
            limit: How many statutes at most, up to 100.

        Returns:
            statutes, the best first: statute_id, title, abbreviation, jurisdiction, repealed_on, in_force, articles
            (up to five that match: article_id, number, heading, in_force), matching_articles (how many match).
            total; note.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        statutes = list(self.rows("statutes"))
        today = self.today().isoformat()
        matching: dict[str, list[Record]] = {}
        complete = True
        if keyword and keyword.strip():
            statutes, matching, complete = self._best_statutes(keyword, statutes)
        shown = []
        for row in limited(statutes, limit, 100):
            articles = matching.get(row["statute_id"], [])
            shown.append(
                {
                    **{key: row[key] for key in ("statute_id", "title", "abbreviation", "jurisdiction", "repealed_on")},
                    "in_force": row["repealed_on"] is None or today < row["repealed_on"],
                    "articles": [self._article_row(article, today) for article in articles[:ARTICLES_SHOWN]],
                    "matching_articles": len(articles),
                }
            )
        note = "" if complete or not statutes else "No statute has all of these words; these have the most of them."
        return {"statutes": shown, "total": len(statutes), "note": note}

    @tool(write=False)
    def get_similar_cases(self, case_id: str, limit: int = 5) -> dict[str, Any]:
        """Find published judgments that cite the same articles and judgments and use the same words.

        Args:
            case_id: From search_cases, or the id of the user's own case.
            limit: How many at most, up to 50.

        Returns:
            cases, the most similar first: case_id, title, number, court_id, court, case_type, decided_on, parties,
            summary, authority, similarity (0 to 100), shared_articles, shared_cases, cites_each_other, shared_words
            (up to eight). total (how many have anything in common).

        Errors:
            not_found: There is no such case.
            bad_limit: limit is not between 1 and 50.
        """
        case = self._case(case_id)
        key = case["case_id"]
        articles, cited = frozenset(case["cites_articles"]), frozenset(case["cites_cases"])
        rows = [row for row in self.rows("cases") if row["published"]]
        size = len(long_words(_story_of(case)))
        common = shared_words(_story_of(case), tuple(map(_story_of, rows)))
        alike = []
        for place, row in enumerate(rows):
            linked = row["case_id"] in cited or key in row["cites_cases"]
            laws = (
                0 if articles.isdisjoint(row["cites_articles"]) else len(articles.intersection(row["cites_articles"]))
            )
            precedents = 0 if cited.isdisjoint(row["cites_cases"]) else len(cited.intersection(row["cites_cases"]))
            told = common[place]
            if row["case_id"] == key or not (linked or laws or precedents or told > 2):
                continue
            overlap = 40 * told // max(size, 1)
            points = 15 * laws + 10 * precedents + 20 * linked + overlap + 5 * (row["case_type"] == case["case_type"])
            alike.append((-min(100, points), row["case_id"], linked, row))
        alike.sort()
        cases = [
            {
                **self._case_row(row),
                "similarity": -points,
                "shared_articles": [law for law in row["cites_articles"] if law in articles],
                "shared_cases": [precedent for precedent in row["cites_cases"] if precedent in cited],
                "cites_each_other": linked,
                "shared_words": sorted(long_words(_story_of(case)) & long_words(_story_of(row)))[:SHARED_SHOWN],
            }
            for points, _, linked, row in limited(alike, limit, 50)
        ]
        return {"cases": cases, "total": len(alike)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _court_meant(self, text: str) -> str:
        """The id of the court that a text names.

        Raises:
            ToolError: ``unknown_court``.
        """
        if self.find("courts", text) is not None:
            return text
        names: dict[str, str] = {}
        for row in self.rows("courts"):
            for name in (row["name"], *row["aliases"]):
                names.setdefault(name, row["court_id"])
        meant = resolve(text[:200], names)
        if meant is None:
            raise ToolError("unknown_court", f"no court is called {text[:60]!r}; legal_search.list_courts shows them")
        return names[meant]

    def _best_cases(self, keyword: str, every: Sequence[Record], kept: dict[int, Record]) -> tuple[list[Record], bool]:
        """Those of the kept cases with the most words of a query, best first, and whether they have all of them."""
        query = keyword[:400]
        found = scores(query, [_case_texts(row) for row in every], _CASE_WEIGHTS)
        asked = len(asked_words(query))
        meant = self._articles_named(query)
        ranked = []
        for place in kept if meant else found:
            row = kept.get(place)
            if row is None:
                continue
            hits, score = found.get(place, (0, 0.0))
            if meant and not meant.isdisjoint(row["cites_articles"]):
                hits, score = asked, score + 5.0
            if hits:
                # Of equally good ones those that still hold come first, then the newer.
                ranked.append((hits, score, row["authority"] == "good", row["decided_on"] or "", row["case_id"], row))
        most = max((entry[0] for entry in ranked), default=0)
        best = sorted((entry for entry in ranked if entry[0] == most), key=lambda entry: entry[:5], reverse=True)
        return [entry[5] for entry in best], most >= asked

    def _articles_named(self, query: str) -> frozenset[str]:
        """The articles that a query names by statute and number, such as ``CPR 15.4``."""
        asked = frozenset(words(query))
        if not any(word[0].isdigit() for word in asked):
            return frozenset()
        named = {
            row["statute_id"]
            for row in self.rows("statutes")
            if any(asked.issuperset(words(name)) for name in (row["abbreviation"], *row["aliases"]) if name)
        }
        if not named:
            return frozenset()
        return frozenset(
            row["article_id"]
            for row in self.rows("articles")
            if row["statute_id"] in named and asked.issuperset(words(row["number"]))
        )

    def _best_statutes(
        self, keyword: str, statutes: list[Record]
    ) -> tuple[list[Record], dict[str, list[Record]], bool]:
        """The statutes that a query means, each with its matching articles, and whether all words were found."""
        query = keyword[:400]
        by_id = {row["statute_id"]: row for row in statutes}
        articles = [row for row in self.rows("articles") if row["statute_id"] in by_id]
        names = {key: _statute_names(row) for key, row in by_id.items()}
        texts = [_article_texts(row, names[row["statute_id"]]) for row in articles]
        own = scores(query, [_statute_texts(row) for row in statutes], _STATUTE_WEIGHTS)
        inner = scores(query, texts, _ARTICLE_WEIGHTS)
        most = max((hits for hits, _ in [*own.values(), *inner.values()]), default=0)
        best: dict[str, float] = {
            statutes[place]["statute_id"]: score + 0.5 for place, (hits, score) in own.items() if hits == most
        }
        matching: dict[str, list[Record]] = {}
        hit = [place for place, (hits, _) in inner.items() if hits == most]
        for place in sorted(hit, key=lambda place: (-inner[place][1], place)):
            key = articles[place]["statute_id"]
            matching.setdefault(key, []).append(articles[place])
            best[key] = max(best.get(key, 0.0), inner[place][1])
        today = self.today().isoformat()
        order = sorted(best, key=lambda key: (-best[key], _past(by_id[key], today), key))
        return [by_id[key] for key in order], matching, most >= len(asked_words(query))

    def _case_row(self, row: Record) -> dict[str, Any]:
        """A case in a list."""
        court = self.find("courts", row["court_id"])
        return {
            **{key: row[key] for key in ("case_id", "title", "number", "court_id")},
            "court": court["name"] if court else "",
            **{key: row[key] for key in ("case_type", "decided_on")},
            "parties": row["parties"][:10],
            "summary": cut(row["summary"], SUMMARY_SHOWN),
            "authority": row["authority"],
        }

    def _article_row(self, row: Record, today: str) -> dict[str, Any]:
        """An article in a list."""
        return {
            **{key: row[key] for key in ("article_id", "number", "heading")},
            "in_force": self._in_force(row, today),
        }


def cut(text: str, length: int) -> str:
    """The beginning of a text, with a marker where something is missing."""
    return text if len(text) <= length else f"{text[:length]}{MARKER}"


def _past(statute: Record, today: str) -> bool:
    return statute["repealed_on"] is not None and statute["repealed_on"] <= today


_story_of = itemgetter("title", "summary", "holding")
_head_of = itemgetter("title", "number", "holding", "summary", "body")


def _case_texts(row: Record) -> Texts:
    return (*_head_of(row), *row["parties"])


def _article_texts(row: Record, statute: Texts) -> Texts:
    return (row["heading"], row["number"], row["note"], row["versions"][-1]["text"], *statute)


def _statute_texts(row: Record) -> Texts:
    return (row["title"], row["summary"], row["abbreviation"], *row["aliases"])


def _statute_names(row: Record) -> Texts:
    return (row["title"], row["abbreviation"], *row["aliases"])
