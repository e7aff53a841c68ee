"""Looking for merchants and at their pages: hours, deals, reviews, questions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.review_platform.inventory import ReviewPlatformInventory
from lifegym.services.review_platform.records import PriceBand
from lifegym.services.search import fold, rank, resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ReviewReading"]

_MEANS = {
    "asbestos": "abatement",
    "bar": "pub",
    "bicycle": "bike",
    "cafeteria": "cafe",
    "coffee": "cafe",
    "cycle": "bike",
    "diner": "restaurant",
    "dining": "restaurant",
    "dinner": "restaurant",
    "drain": "plumber",
    "eat": "restaurant",
    "food": "restaurant",
    "function": "venue",
    "gym": "fitness",
    "hairdresser": "salon",
    "hall": "venue",
    "lunch": "restaurant",
    "meal": "restaurant",
    "plumbing": "plumber",
    "pub": "bar",
    "roof": "roofer",
    "roofing": "roofer",
    "tea": "cafe",
    "wheelchair": "step-free",
    "step-free": "wheelchair",
    "event space": "venue",
    "car seat": "child seat",
    "step free": "wheelchair",
}
"""Words of a query, and what pages say instead."""

_REVIEW_SHOWN = 500
_PRIOR_COUNT, _PRIOR_RATING = 10, 3.8
"""A merchant with few reviews is taken for a middling one in recommendations."""
_EXCEPTIONS_SHOWN = 60
_HIDDEN = ("keywords", "unlisted_stars", "standing_answers", "answer_minutes", "full", "exceptions", "tables")

Sort = Literal["rating", "reviews", "price_low", "price_high", "relevance"]


class ReviewReading(ReviewPlatformInventory):
    """The tools that look."""

    @tool(write=False)
    def search_merchants(
        self,
        category: str,
        city: str | None = None,
        area: str | None = None,
        min_rating: float | None = None,
        price_band: PriceBand | None = None,
        sort: Sort = "rating",
        limit: int = 20,
        party_size: Annotated[int, Field(ge=1)] | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> dict[str, Any]:
        """Find merchants by what they are, offer or are called. Merchants that closed for good are left out.

        Names repeat between towns: give the city. A merchant whose name is exactly the text comes first in any order.

        Args:
            category: Kind, service or name, e.g. "restaurant", "plumber", "walnut-free", "Saamo Garden"; "" for all.
            city: Only there, e.g. Kassel.
            area: Only in this quarter of it.
            min_rating: Only from this rating on, 0 to 5.
            price_band: Only $, $$, $$$ or $$$$.
            sort: rating (best first), reviews (most first), price_low or price_high (per person), relevance.
            limit: How many at most, up to 50.
            party_size: Only those that take reservations for so many.
            offset: How many of the results to skip, to read on.

        Returns:
            merchants: merchant_id, name, category, city, area, rating, review_count, price_band, per_person_minor,
            currency, tags, attributes, hours_today, deals (how many can be had); total (how many match); hint where
            not all words or no place matched.

        Errors:
            bad_limit: limit is not between 1 and 50.
        """
        rows = [row for row in self.rows("merchants") if row["status"] == "open"]
        hint = ""
        if city is not None:
            rows, hint = _located(rows, "city", city)
        if area is not None and not hint:
            rows, hint = _located(rows, "area", area)
        rows = [
            row
            for row in rows
            if (min_rating is None or row["rating"] >= min_rating)
            and (price_band is None or row["price_band"] == price_band)
            and (party_size is None or (row["takes_reservations"] and _takes(row, party_size)))
        ]
        found = rank(category, rows, _texts, aliases=_MEANS, need_all=True)
        if not found and rows:
            found = rank(category, rows, _texts, aliases=_MEANS)
            hint = "no merchant matches all words; those that match some, best first" if found else hint
        elif sort != "relevance":
            found = _in_order(found, sort, category)
        deals = self._deal_counts()
        shown = [self._brief(row, deals) for row in limited(found[offset:], limit, 50)]
        return {"merchants": shown, "total": len(found), **({"hint": hint} if hint else {})}

    @tool(write=False)
    def get_merchant(
        self, merchant_id: str, date: str | None = None, party_size: Annotated[int, Field(ge=1)] = 2
    ) -> dict[str, Any]:
        """Show a merchant's page: hours, prices, terms of reservations; with a date also the free times of that day.

        Args:
            merchant_id: From search_merchants.
            date: YYYY-MM-DD: show the hours of that day and when a table is free.
            party_size: For how many the free times are.

        Returns:
            name, category, city, area, address, phone, rating, review_count, price_band, per_person_minor, prices,
            menu, attributes, certificates, description; hours by weekday in local time (a weekday not listed is
            closed; exceptions: other hours of single days from today on), hours_today, open_now, status; terms of
            reservations: takes_reservations, slot_minutes, stay_minutes, min_party, max_party, seats, notice_minutes,
            cancel_minutes (or cancel_days and cancel_time), deposit_from with deposit_minor per person, group_from
            with group_terms; deals (how many), saved; with date: on_date with hours and free_times (up to 60).

        Errors:
            not_found: There is no such merchant.
            bad_date: date is no date.
        """
        merchant = self._merchant(merchant_id)
        asked = self.day(date, "date") if date is not None else None
        today = self._local_day(merchant, self.now)
        first = today.isoformat()
        coming = sorted(item for item in merchant["exceptions"].items() if item[0] >= first)
        owner = self.world.owner
        shown = {
            **{field: value for field, value in merchant.items() if field not in _HIDDEN},
            "exceptions": dict(coming[:_EXCEPTIONS_SHOWN]),
            "hours_today": self._spans(merchant, today),
            "open_now": self._opening_at(merchant, self.now) is not None,
            "deals": self._deal_counts().get(merchant_id, 0),
            "saved": any(row["merchant_id"] == merchant_id and row["user_id"] == owner for row in self.rows("saved")),
        }
        return shown if asked is None else {**shown, "on_date": self._day_plan(merchant, asked, party_size)}

    @tool(write=False)
    def get_recommendations(self, category: str, area: str | None = None, limit: int = 5) -> dict[str, Any]:
        """Recommend merchants of a kind: the best rated, where few reviews count less than many.

        Args:
            category: Kind or service, e.g. "restaurant".
            area: A quarter or a city; everywhere if left out.
            limit: How many at most, up to 20.

        Returns:
            merchants: as search_merchants shows them, each with why; total (how many there are to choose from); hint
            where the area is unknown.

        Errors:
            bad_limit: limit is not between 1 and 20.
        """
        rows, hint = [row for row in self.rows("merchants") if row["status"] == "open"], ""
        if area is not None:
            in_area, hint = _located(rows, "area", area)
            if hint:
                in_area, hint = _located(rows, "city", area)
            rows = in_area
        found = rank(category, rows, _texts, aliases=_MEANS, need_all=True)
        found.sort(key=lambda row: (-_trusted(row), row["name"], row["merchant_id"]))
        deals = self._deal_counts()
        shown = [
            {**self._brief(row, deals), "why": f"{row['rating']} from {row['review_count']} reviews"}
            for row in limited(found, limit, 20)
        ]
        return {"merchants": shown, "total": len(found), **({"hint": hint} if hint else {})}

    @tool(write=False)
    def list_merchant_deals(self, merchant_id: str, include_ended: bool = False) -> dict[str, Any]:
        """List the deals of a merchant that can be had now or later.

        Args:
            merchant_id: From search_merchants.
            include_ended: Also those that are over.

        Returns:
            deals (at most 50): as get_deal shows them; total.

        Errors:
            not_found: There is no such merchant.
        """
        self._merchant(merchant_id)
        deals = [self._shown_deal(row) for row in self.rows("deals") if row["merchant_id"] == merchant_id]
        found = [deal for deal in deals if include_ended or deal["available"]]
        return {"deals": found[:50], "total": len(found)}

    @tool(write=False)
    def get_deal(self, deal_id: str) -> dict[str, Any]:
        """Show a deal with its terms. Terms may change until a reservation is made with it.

        Args:
            deal_id: From list_merchant_deals.

        Returns:
            deal_id, merchant_id, merchant_name, title, description, terms, amount_minor (price of the deal) and unit
            (per person or party), list_price_minor (the price without it), percent_off, currency, min_spend_minor,
            min_party, max_party, valid_from, valid_until, weekdays (empty: all), excluded_dates, notice_minutes,
            free_reduction_until (until when a party may be made smaller), status, available (not over).

        Errors:
            not_found: There is no such deal.
        """
        deal = self.get("deals", deal_id, "deal", "review_platform.list_merchant_deals shows them")
        return self._shown_deal(deal)

    @tool(write=False)
    def list_reviews(
        self,
        merchant_id: str,
        limit: int = 20,
        sort: Literal["newest", "oldest", "best", "worst"] = "newest",
        offset: Annotated[int, Field(ge=0)] = 0,
        review_id: str | None = None,
    ) -> dict[str, Any]:
        """List the reviews of a merchant. Long ones are cut; give their review_id to read one whole.

        Args:
            merchant_id: From search_merchants.
            limit: How many at most, up to 50.
            sort: newest, oldest, best or worst first.
            offset: How many to skip, to read on.
            review_id: Only this review, whole.

        Returns:
            rating and review_count of the merchant (some reviews are stars without text, which are not listed);
            reviews: review_id, author, user_id, rating, body, image_captions, at; total (how many are listed).

        Errors:
            not_found: There is no such merchant, or it has no review with this review_id.
            bad_limit: limit is not between 1 and 50.
        """
        merchant = self._merchant(merchant_id)
        found = [row for row in self.rows("reviews") if row["merchant_id"] == merchant_id]
        if review_id is not None:
            found = [row for row in found if row["review_id"] == review_id]
            if not found:
                raise ToolError("not_found", f"{merchant_id} has no review {review_id[:60]!r}; leave review_id out")
        found.sort(key=lambda row: (self.seconds(row["at"]), row.doc_id), reverse=sort != "oldest")
        if sort in ("best", "worst"):
            found.sort(key=lambda row: row["rating"], reverse=sort == "best")
        shown = [row if review_id is not None else _cut(row) for row in limited(found[offset:], limit, 50)]
        return {
            "merchant_id": merchant_id,
            "rating": merchant["rating"],
            "review_count": merchant["review_count"],
            "reviews": shown,
            "total": len(found),
        }

    @tool(write=False)
    def get_merchant_qa(self, merchant_id: str, limit: int = 30) -> dict[str, Any]:
        """List the questions asked at a merchant's page with their answers, newest first.

        Args:
            merchant_id: From search_merchants.
            limit: How many at most, up to 50.

        Returns:
            questions: question_id, user_id, body, at, answers (at, author, by_merchant, body); total.

        Errors:
            not_found: There is no such merchant.
            bad_limit: limit is not between 1 and 50.
        """
        self._merchant(merchant_id)
        found = [row for row in self.rows("questions") if row["merchant_id"] == merchant_id]
        found.sort(key=lambda row: (self.seconds(row["at"]), row.doc_id), reverse=True)
        shown = [{**row, "answers": row["answers"][:20]} for row in limited(found, limit, 50)]
        return {"merchant_id": merchant_id, "questions": shown, "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _brief(self, merchant: Record, deals: dict[str, int]) -> dict[str, Any]:
        kept = (
            "merchant_id", "name", "category", "city", "area", "rating", "review_count", "price_band",
            "per_person_minor", "currency", "tags", "attributes",
        )  # fmt: skip
        return {
            **{field: merchant[field] for field in kept},
            "hours_today": self._spans(merchant, self._local_day(merchant, self.now)),
            "deals": deals.get(merchant["merchant_id"], 0),
        }

    def _day_plan(self, merchant: Record, day: dt.date, party_size: int) -> dict[str, Any]:
        """The hours of a day, and when a party can come."""
        welcome = merchant["takes_reservations"] and _takes(merchant, party_size)
        times = self._free_times(merchant, day, party_size) if welcome else []
        zone = self._zone(merchant)
        return {
            "date": day.isoformat(),
            "hours": self._spans(merchant, day),
            "party_size": party_size,
            "free_times": [clock.iso(at, zone) for at in times],
        }

    def _deal_is_over(self, deal: Record) -> bool:
        return deal["status"] == "ended" or (deal["valid_until"] or "9999") < self.today().isoformat()

    def _deal_counts(self) -> dict[str, int]:
        """Merchant to the number of its deals that are not over."""
        counts: dict[str, int] = {}
        for deal in self.rows("deals"):
            if not self._deal_is_over(deal):
                counts[deal["merchant_id"]] = counts.get(deal["merchant_id"], 0) + 1
        return counts

    def _shown_deal(self, deal: Record) -> dict[str, Any]:
        name = self._merchant_of(deal)["name"]
        return {**deal, "merchant_name": name, "available": not self._deal_is_over(deal)}


def _texts(merchant: Record) -> Sequence[tuple[str, float]]:
    """A merchant's texts to search in, with their weights."""
    return ((merchant["name"], 3.0), (merchant["keywords"], 2.0))


def _takes(merchant: Record, party_size: int) -> bool:
    seats = merchant["seats"]
    return merchant["min_party"] <= party_size <= merchant["max_party"] and (seats is None or party_size <= seats)


def _located(rows: list[Record], field: str, place: str) -> tuple[list[Record], str]:
    """The merchants of a place, however it is spelt, and a hint where there is no such place."""
    names = [name for name in dict.fromkeys(row[field] for row in rows) if name]
    meant = resolve(place, names) or resolve(place.partition(",")[0], names)
    if meant is None:
        known = ", ".join(sorted(names)[:20]) or "none"
        return [], f"there are no merchants in {place[:60]!r}; the {field} may be: {known}"
    return [row for row in rows if row[field] == meant], ""


def _in_order(rows: list[Record], sort: Sort, query: str) -> list[Record]:
    """Merchants in the order asked for, those that are called just as the query first."""
    rows = sorted(rows, key=lambda row: (row["name"], row["merchant_id"]))
    if sort == "rating":
        rows.sort(key=lambda row: (-row["rating"], -row["review_count"]))
    elif sort == "reviews":
        rows.sort(key=lambda row: -row["review_count"])
    else:
        sign = 1 if sort == "price_low" else -1
        rows.sort(key=lambda row: (row["per_person_minor"] is None, sign * (row["per_person_minor"] or 0)))
    phrase = fold(query).strip()
    named = {row["merchant_id"] for row in rows if fold(row["name"]) == phrase}
    return sorted(rows, key=lambda row: row["merchant_id"] not in named) if named else rows


def _trusted(merchant: Record) -> float:
    count: int = merchant["review_count"]
    stars: float = merchant["rating"] * count + _PRIOR_RATING * _PRIOR_COUNT
    return stars / (count + _PRIOR_COUNT)


def _cut(review: Record) -> dict[str, Any]:
    body = review["body"]
    if len(body) <= _REVIEW_SHOWN:
        return review
    more = f" ... [{len(body) - _REVIEW_SHOWN} more characters; list_reviews with review_id={review['review_id']}]"
    return {**review, "body": body[:_REVIEW_SHOWN] + more}
