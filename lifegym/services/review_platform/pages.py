"""What the timeline can do to a merchant's page: prices, deals, ratings, reviews; and what always holds."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from lifegym.services.review_platform.life import ReviewPlatformLife, keywords
from lifegym.services.review_platform.records import Count, PriceBand, Size, Stars, Weekday
from lifegym.services.tools import happening
from lifegym.services.types import Currency, Day, Instant
from lifegym.world.record import Record

__all__ = ["ReviewPages"]

_RATING_SLACK = 0.051


class ReviewPages(ReviewPlatformLife):
    """The pages of the merchants change."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_capacity(
        self,
        merchant_id: str,
        tables: Count | None = None,
        seats: Count | None = None,
        min_party: Size | None = None,
        max_party: Size | None = None,
    ) -> list[str]:
        """A merchant takes more or fewer reservations, guests or people in a party. Reservations that exist stay."""
        if self.find("merchants", merchant_id) is None:
            return []
        given = {"tables": tables, "seats": seats, "min_party": min_party, "max_party": max_party}
        self.patch("merchants", merchant_id, **{field: value for field, value in given.items() if value is not None})
        return [merchant_id]

    @happening
    def set_price(
        self,
        merchant_id: str,
        price_band: PriceBand | None = None,
        per_person_minor: Count | None = None,
        item: str | None = None,
        amount_minor: Count | None = None,
    ) -> list[str]:
        """A merchant's prices change: its band, what a person pays, or (with amount_minor) an item of its price list.

        Price alerts on the merchant hear what a person pays.
        """
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        prices = [
            {**line, "amount_minor": amount_minor} if line["item"] == item and amount_minor is not None else line
            for line in merchant["prices"]
        ]
        changed = self.patch("merchants", merchant_id, prices=prices, price_band=price_band or merchant["price_band"])
        if per_person_minor is not None and merchant["currency"]:
            changed = self.patch("merchants", merchant_id, per_person_minor=per_person_minor)
            title = f"{merchant['name']}, for each person"
            self._tell_price(merchant_id, per_person_minor, merchant["currency"], title)
        return [merchant_id] if changed != merchant else []

    @happening
    def set_rating(
        self, merchant_id: str, rating: Annotated[float, Field(ge=0, le=5)], review_count: Count | None = None
    ) -> list[str]:
        """A merchant's rating is another one from now on: reviews that are not listed came in or were removed."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        listed = self._listed_stars(merchant_id)
        count = max(1, len(listed), merchant["review_count"] if review_count is None else review_count)
        stars = rating * count - sum(listed)
        self.patch("merchants", merchant_id, rating=rating, review_count=count, unlisted_stars=stars)
        return [merchant_id]

    @happening
    def post_review(
        self, merchant_id: str, author: str, rating: Stars, body: Annotated[str, Field(max_length=5000)]
    ) -> list[str]:
        """Somebody reviews a merchant."""
        if self.find("merchants", merchant_id) is None:
            return []
        review = self._put_review(merchant_id, f"guest_{self.world.count('guest'):04d}", author, rating, body, [])
        return [review["review_id"]]

    @happening
    def edit_page(
        self,
        merchant_id: str,
        name: str | None = None,
        phone: str | None = None,
        address: str | None = None,
        description: Annotated[str, Field(max_length=4000)] | None = None,
        attributes: list[str] | None = None,
        certificates: list[str] | None = None,
        menu: list[str] | None = None,
    ) -> list[str]:
        """A merchant writes its page anew: another name, telephone, menu. Nobody is told but who subscribed to it."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        given = {
            "name": name,
            "phone": phone,
            "address": address,
            "description": description,
            "attributes": attributes,
            "certificates": certificates,
            "menu": menu,
        }
        changes = {field: value for field, value in given.items() if value is not None}
        changed = self.patch("merchants", merchant_id, **changes)
        self.patch("merchants", merchant_id, keywords=keywords(changed))
        self._tell(merchant_id, "edited", f"{merchant['name']} changed its page", f"New: {', '.join(changes)}.")
        return [merchant_id]

    @happening
    def offer_deal(
        self,
        deal_id: str,
        merchant_id: str,
        title: str,
        amount_minor: Count,
        currency: Currency,
        terms: str = "",
        valid_from: Day | None = None,
        valid_until: Day | None = None,
        min_party: Size = 1,
    ) -> list[str]:
        """A merchant offers a new deal, at a price for the party. A deal_id that is taken touches nothing."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None or self.find("deals", deal_id) is not None:
            return []
        self.put(
            "deals",
            deal_id=deal_id,
            merchant_id=merchant_id,
            title=title,
            amount_minor=amount_minor,
            currency=currency,
            terms=terms,
            valid_from=valid_from,
            valid_until=valid_until,
            min_party=min_party,
        )
        self._tell(merchant_id, "deal", f"{merchant['name']}: {title}", terms)
        return [deal_id]

    @happening
    def change_deal(
        self,
        deal_id: str,
        title: str | None = None,
        terms: str | None = None,
        amount_minor: Count | None = None,
        min_spend_minor: Count | None = None,
        min_party: Size | None = None,
        max_party: Size | None = None,
        valid_from: Day | None = None,
        valid_until: Day | None = None,
        weekdays: list[Weekday] | None = None,
        notice_minutes: Count | None = None,
        free_reduction_until: Instant | None = None,
    ) -> list[str]:
        """A deal has other terms from now on. Reservations made with it keep their price.

        Price alerts and subscriptions to the deal hear of it.
        """
        deal = self.find("deals", deal_id)
        if deal is None:
            return []
        given = {
            "title": title,
            "terms": terms,
            "amount_minor": amount_minor if deal["currency"] else None,
            "min_spend_minor": min_spend_minor if deal["currency"] else None,
            "min_party": min_party,
            "max_party": max_party,
            "valid_from": valid_from,
            "valid_until": valid_until,
            "weekdays": weekdays,
            "notice_minutes": notice_minutes,
            "free_reduction_until": free_reduction_until,
        }
        deal = self.patch("deals", deal_id, **{field: value for field, value in given.items() if value is not None})
        if amount_minor is not None and deal["currency"]:
            self._tell_price(deal_id, amount_minor, deal["currency"], deal["title"])
        self._tell(deal_id, "changed", f"Deal changed: {deal['title']}", deal["terms"])
        return [deal_id]

    @happening
    def end_deal(self, deal_id: str) -> list[str]:
        """A deal is no longer to be had. Reservations made with it keep it."""
        deal = self.find("deals", deal_id)
        if deal is None or deal["status"] == "ended":
            return []
        self.patch("deals", deal_id, status="ended")
        self._tell(deal_id, "ended", f"Deal ended: {deal['title']}", "")
        return [deal_id]

    # -- inside --------------------------------------------------------------------------------------------------

    def _listed_stars(self, merchant_id: str) -> list[int]:
        return [row["rating"] for row in self.rows("reviews") if row["merchant_id"] == merchant_id]

    def _put_review(
        self, merchant_id: str, user_id: str, author: str, rating: int, body: str, captions: list[str]
    ) -> Record:
        """Keep a review and count it into the merchant's rating."""
        merchant = self._merchant(merchant_id)
        if merchant["unlisted_stars"] is None:
            merchant = self._reckon(merchant, self._listed_stars(merchant_id))
        review = self.put(
            "reviews",
            review_id=self.new_id("rev"),
            merchant_id=merchant_id,
            user_id=user_id,
            author=author,
            rating=rating,
            body=body,
            image_captions=captions,
            at=self.stamp(),
        )
        count = merchant["review_count"] + 1
        mean = (merchant["unlisted_stars"] + sum(self._listed_stars(merchant_id))) / count
        self.patch("merchants", merchant_id, review_count=count, rating=round(min(5.0, max(0.0, mean)), 1))
        return review

    def _tell_price(self, ref: str, amount_minor: int, currency: str, title: str) -> None:
        self.world.emit("price", ref=ref, amount_minor=amount_minor, currency=currency, title=title)

    def check_invariants(self) -> None:
        stars: dict[str, list[int]] = {}
        for review in self.rows("reviews"):
            stars.setdefault(review["merchant_id"], []).append(review["rating"])
        for merchant in self.rows("merchants"):
            listed = stars.get(merchant["merchant_id"], [])
            if merchant["unlisted_stars"] is not None:
                count = merchant["review_count"]
                assert count >= len(listed), merchant
                mean = (merchant["unlisted_stars"] + sum(listed)) / count if count else 0.0
                assert abs(merchant["rating"] - min(5.0, max(0.0, mean))) <= _RATING_SLACK, merchant
            priced = merchant["prices"] or merchant["per_person_minor"] is not None or merchant["deposit_minor"]
            assert merchant["currency"] or not priced, merchant
        pairs = [(row["user_id"], row["merchant_id"]) for row in self.rows("reviews")]
        assert len(set(pairs)) == len(pairs), "one review per user and merchant"
        pairs = [(row["user_id"], row["merchant_id"]) for row in self.rows("saved")]
        assert len(set(pairs)) == len(pairs), "a merchant is saved once"
        assert all(self.find("merchants", merchant_id) is not None for _, merchant_id in pairs), pairs
        for deal in self.rows("deals"):
            priced = deal["amount_minor"] is not None or deal["min_spend_minor"] is not None
            assert deal["currency"] or not priced, deal
            assert self.find("merchants", deal["merchant_id"]) is not None, deal
        for row in self.rows("reservations"):
            assert self.find("merchants", row["merchant_id"]) is not None, row
            assert (row["cancelled_at"] is None and not row["cancelled_by"]) or row["status"] == "cancelled", row
            used = self.find("deals", row["deal_id"])
            assert not row["deal_id"] or (used and used["merchant_id"] == row["merchant_id"]), row
            assert row["currency"] or not row["price_minor"], row
            assert self._merchant_of(row)["currency"] or not row["deposit_minor"], row
            if row["status"] == "completed":
                assert self._visit_end(row) <= self.now, row
