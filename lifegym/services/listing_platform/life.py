"""What a listing platform does by itself: viewings pass, sellers answer, searches report."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from lifegym.services.base import Service
from lifegym.services.listing_platform.query import select, texts
from lifegym.services.listing_platform.records import Agent, Listing, Message, Offer, SavedListing, Search, Viewing
from lifegym.services.search import Index, matches_word, words
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ListingPlatformLife"]


class ListingPlatformLife(Service):
    """The platform's own behaviour."""

    name = "listing_platform"
    title = "Homes, second-hand goods and services"
    records = {
        "agents": Agent,
        "listings": Listing,
        "viewings": Viewing,
        "messages": Message,
        "offers": Offer,
        "saved": SavedListing,
        "searches": Search,
    }

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("listings")):
            if not row["price_history"]:
                first = {"at": row["listed_at"], "price_minor": row["price_minor"]}
                self.patch("listings", row["listing_id"], price_history=[first])
        for row in list(self.rows("viewings")):
            self._await_end(row)
        for row in list(self.rows("offers")):
            self._await_answer(row)

    def complete_viewing(self, viewing_id: str, datetime: str) -> None:
        """A viewing is over."""
        viewing = self.find("viewings", viewing_id)
        if viewing is not None and viewing["status"] == "scheduled" and viewing["datetime"] == datetime:
            self.patch("viewings", viewing_id, status="completed")

    def give_answer(self, listing_id: str, user_id: str, text: str, asked_at: str) -> None:
        """The other side answers a question, unless it has since it was asked, or the listing is gone."""
        listing = self.find("listings", listing_id)
        if listing is None or listing["status"] == "delisted":
            return
        asked = self.seconds(asked_at)
        for row in self.rows("messages"):
            same = row["listing_id"] == listing_id and row["user_id"] == user_id and row["text"] == text
            if same and row["by"] == "other" and self.seconds(row["at"]) >= asked:
                return
        self._receive(listing, user_id, self._seller_name(listing), text)

    def answer_by_floor(self, offer_id: str) -> None:
        """A seller with a lowest price answers an offer: yes from there on, no far below it, a counter between."""
        offer = self.find("offers", offer_id)
        if offer is None or offer["status"] != "open":
            return
        listing = self.table("listings").find(offer["listing_id"])
        assert listing is not None
        floor, amount = listing["floor_minor"], offer["amount_minor"]
        if listing["status"] != "active" or amount * 100 < floor * 85:
            self._answer_offer(offer, "decline", None, "We cannot agree to that, sorry.")
        elif amount < floor:
            between = max(floor, (listing["price_minor"] + amount) // 2)
            self._answer_offer(offer, "counter", between, "We could meet you at this price.")
        else:
            self._answer_offer(offer, "accept", None, "Agreed, it is reserved for you.")

    # -- inside: looking -----------------------------------------------------------------------------------------

    def _listing(self, listing_id: str) -> Record:
        return self.get("listings", listing_id, "listing", "listing_platform.search_listings finds them")

    def _seller_name(self, listing: Record) -> str:
        agent = self.find("agents", listing["agent_id"])
        if agent is not None:
            return str(agent["name"])
        return self.world.owner_name if listing["owner_id"] == self.world.owner else listing["owner_id"] or "Seller"

    def _zone(self, listing: Record) -> str:
        return listing["zone"] or self.world.zone

    def _own(self, listing_id: str, owner_id: str) -> list[Record]:
        """The listings that users posted and that are not over: one by its id, or those of an owner."""
        owner = owner_id or ("" if listing_id else self.world.owner)
        return [
            row
            for row in self.rows("listings")
            if row["owner_id"]
            and listing_id in ("", row["listing_id"])
            and owner in ("", row["owner_id"])
            and row["status"] != "delisted"
        ]

    # -- inside: changing ----------------------------------------------------------------------------------------

    def _receive(
        self, listing: Record, user_id: str, name: str, text: str, offer_id: str = "", silent: bool = False
    ) -> str:
        """Put a message from the other side into a user's conversation. Returns its id."""
        message = self._write(listing, user_id, name, "other", text, offer_id)
        if not silent:
            title = f"{name} wrote about {listing['title']}"
            self.world.notify(self.name, "message", title, text, ref=listing["listing_id"], user_id=user_id)
        return str(message["message_id"])

    def _write(self, listing: Record, user_id: str, name: str, by: str, text: str, offer_id: str = "") -> Record:
        return self.put(
            "messages",
            message_id=self.new_id("lmsg"),
            user_id=user_id,
            listing_id=listing["listing_id"],
            name=name,
            by=by,
            text=text,
            at=self.stamp(),
            offer_id=offer_id,
        )

    def _change_price(self, listing: Record, price_minor: int) -> Record:
        """Ask another price from now on, and tell those who watch it."""
        history = [*listing["price_history"], {"at": self.stamp(), "price_minor": price_minor}]
        changed = self.patch("listings", listing["listing_id"], price_minor=price_minor, price_history=history)
        self.world.emit(
            "price",
            ref=listing["listing_id"],
            amount_minor=price_minor,
            currency=listing["currency"],
            title=listing["title"],
            source=self.name,
        )
        if price_minor < listing["price_minor"] and listing["status"] == "active":
            self._report(changed, "Lower price")
        return changed

    def _change_status(self, listing: Record, status: str, reason: str) -> Record:
        """Bring a listing into a state; when it goes, its viewings and open offers go with it."""
        listing_id = listing["listing_id"]
        changed = self.patch("listings", listing_id, status=status, status_reason=reason)
        if status == "delisted":
            for row in list(self.rows("viewings")):
                if row["listing_id"] == listing_id and row["status"] == "scheduled":
                    self._cancel(row, "agent", "the listing was taken off")
            for offer in list(self.rows("offers")):
                if offer["listing_id"] == listing_id and offer["status"] == "open":
                    self.patch("offers", offer["offer_id"], status="void", answered_at=self.stamp())
        self.world.emit(
            "status",
            source=self.name,
            ref=listing_id,
            status=status,
            title=f"{listing['title']}: {status}",
            body=f"{listing_id} is {status}{': ' + reason if reason else ''}.",
        )
        return changed

    def _cancel(self, viewing: Record, by: str, reason: str) -> Record:
        return self.patch("viewings", viewing["viewing_id"], status="cancelled", cancelled_by=by, reason=reason)

    def _publish(self, listing: Record) -> None:
        """Tell the searches, and who watches the platform, of a listing that is new or back."""
        self.world.emit(
            "status",
            source=self.name,
            ref=listing["listing_id"],
            status="active",
            title=f"New: {listing['title']}",
            body=self._summary(listing),
        )
        self._report(listing, "New listing")

    def _report(self, listing: Record, news: str) -> None:
        """Let the searches fire that a listing meets; nobody is told of what they posted themselves."""
        index = Index([listing], texts)
        for search in list(self.rows("searches")):
            found, complete = select(search["query"], index)
            if not found or not complete or listing["owner_id"] == search["user_id"]:
                continue
            self.patch("searches", search["search_id"], fired=search["fired"] + 1, last_fired_at=self.stamp())
            self.world.notify(
                self.name,
                "search_alert",
                f"{news}: {listing['title']}",
                f"{self._summary(listing)} ({search['search_id']}).",
                ref=listing["listing_id"],
                user_id=search["user_id"],
                opens="" if search["silent"] else "alert",
            )

    @staticmethod
    def _summary(listing: Record) -> str:
        place = ", ".join(part for part in (listing["community"], listing["district"], listing["city"]) if part)
        per = "" if listing["price_period"] == "total" else f" a {listing['price_period']}"
        return (
            f"{listing['listing_id']}: {listing['title']}, {place}, {listing['price_minor']} {listing['currency']} "
            f"(minor units){per}"
        )

    # -- inside: offers ------------------------------------------------------------------------------------------

    def _propose(
        self,
        listing: Record,
        by: str,
        buyer: Mapping[str, Any],
        amount_minor: int,
        message: str,
        answers_offer: str = "",
        silent: bool = False,
    ) -> Record:
        """Put a proposal on the table, in place of the same side's earlier one, and into the conversation."""
        for row in list(self.rows("offers")):
            same = row["buyer_id"] == buyer["buyer_id"] and row["buyer_name"] == buyer["buyer_name"]
            if same and row["listing_id"] == listing["listing_id"] and row["status"] == "open" and row["by"] == by:
                self.patch("offers", row["offer_id"], status="void", answered_at=self.stamp())
        offer = self.put(
            "offers",
            offer_id=self.new_id("offer"),
            listing_id=listing["listing_id"],
            buyer_id=buyer["buyer_id"],
            buyer_name=buyer["buyer_name"],
            by=by,
            amount_minor=amount_minor,
            currency=listing["currency"],
            message=message,
            created_at=self.stamp(),
            answers_offer=answers_offer,
        )
        self._say(listing, offer, by, f"Offer: {amount_minor} {listing['currency']} (minor units).", message, silent)
        self._await_answer(offer)
        return offer

    def _answer_offer(
        self, offer: Record, decision: str, amount_minor: int | None, text: str, silent: bool = False
    ) -> Record:
        """The side that did not propose accepts, declines or counters. Returns the offer, or the counter-offer."""
        listing = self.table("listings").find(offer["listing_id"])
        assert listing is not None
        side = "seller" if offer["by"] == "buyer" else "buyer"
        if amount_minor is not None:
            self.patch("offers", offer["offer_id"], status="countered", answered_at=self.stamp())
            return self._propose(listing, side, offer, amount_minor, text, offer["offer_id"], silent)
        status = "accepted" if decision == "accept" else "declined"
        changed = self.patch("offers", offer["offer_id"], status=status, answered_at=self.stamp())
        head = f"Offer {offer['offer_id']} of {offer['amount_minor']} {offer['currency']} (minor units): {status}."
        self._say(listing, offer, side, head, text, silent)
        if status == "accepted":
            self._change_status(listing, "reserved", f"offer {offer['offer_id']} accepted")
        return changed

    def _say(self, listing: Record, offer: Record, by: str, head: str, message: str, silent: bool) -> None:
        """Put what one side does about an offer into the conversations of the users among the two."""
        text = f"{head} {message}".rstrip()
        for user_id, side, name in (
            (offer["buyer_id"], "buyer", self._seller_name(listing)),
            (listing["owner_id"], "seller", offer["buyer_name"]),
        ):
            if user_id and by == side:
                self._write(listing, user_id, name, "user", text, offer["offer_id"])
            elif user_id:
                self._receive(listing, user_id, name, text, offer["offer_id"], silent)

    # -- inside: what waits --------------------------------------------------------------------------------------

    def _await_end(self, viewing: Record) -> None:
        if viewing["status"] == "scheduled":
            over = self.seconds(viewing["datetime"]) + viewing["minutes"] * clock.MINUTE
            self.later(
                max(over, self.now), "complete_viewing", viewing_id=viewing["viewing_id"], datetime=viewing["datetime"]
            )

    def _await_answer(self, offer: Record) -> None:
        """Let a seller with a lowest price think about an offer."""
        listing = self.find("listings", offer["listing_id"])
        if listing is None or listing["floor_minor"] is None or listing["owner_id"]:
            return
        if offer["status"] == "open" and offer["by"] == "buyer":
            due = self.seconds(offer["created_at"]) + listing["offer_answer_h"] * clock.HOUR
            self.later(max(due, self.now), "answer_by_floor", offer_id=offer["offer_id"])

    def _await_replies(self, listing: Record, user_id: str, message: str) -> None:
        """Let the other side answer what the listing has an answer to."""
        asked = words(message)
        for answer in listing["answers"]:
            if not any(_mentions(asked, keyword) for keyword in answer.get("keywords", ())):
                continue
            due = self.now + answer.get("after_minutes", 60) * clock.MINUTE
            if at := answer.get("next_day_at"):
                tomorrow = self.today() + dt.timedelta(days=1)
                due = clock.parse_instant(f"{tomorrow.isoformat()}T{at}:00", self.world.zone)
            data = {"listing_id": listing["listing_id"], "user_id": user_id, "text": answer.get("text", "")}
            self.later(due, "give_answer", **data, asked_at=self.stamp())

    def check_invariants(self) -> None:
        pairs = [(row["user_id"], row["listing_id"]) for row in self.rows("saved")]
        assert len(set(pairs)) == len(pairs), pairs
        live: dict[str, list[tuple[int, int]]] = {}
        for row in self.rows("viewings"):
            assert (row["status"] == "cancelled") == (row["cancelled_by"] != ""), row
            listing = self.find("listings", row["listing_id"])
            if row["status"] == "scheduled":
                assert listing is None or listing["status"] != "delisted", row
                if not row["moved"]:
                    begin = self.seconds(row["datetime"])
                    live.setdefault(row["user_id"], []).append((begin, begin + row["minutes"] * clock.MINUTE))
        for spans in live.values():
            spans.sort()
            for (_, end), (begin, _) in pairwise(spans):
                assert end <= begin, spans
        for row in self.rows("listings"):
            assert not row["price_history"] or row["price_history"][-1]["price_minor"] == row["price_minor"], row
        waiting = []
        for row in self.rows("offers"):
            assert (row["status"] == "open") == (row["answered_at"] is None), row
            listing = self.find("listings", row["listing_id"])
            if row["status"] == "open":
                assert listing is None or listing["status"] != "delisted", row
                waiting.append((row["listing_id"], row["buyer_id"], row["buyer_name"], row["by"]))
        assert len(set(waiting)) == len(waiting), waiting
        for row in self.rows("searches"):
            assert (row["fired"] > 0) == (row["last_fired_at"] is not None), row


def _mentions(asked: tuple[str, ...], keyword: str) -> bool:
    """Whether a message has all words of a keyword, in the singular or plural."""
    wanted = words(keyword)
    return bool(wanted) and all(any(matches_word(word, said) >= 0.9 for said in asked) for word in wanted)
