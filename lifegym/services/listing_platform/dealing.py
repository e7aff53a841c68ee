"""Dealing with the other side: messages, viewings, offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.listing_platform.reading import ListingPlatformReading
from lifegym.services.listing_platform.records import WEEKDAYS, Amount
from lifegym.services.search import resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ListingPlatformDealing", "Note"]

Text = Annotated[str, Field(min_length=1, max_length=4000)]
Note = Annotated[str, Field(max_length=1000)]


class ListingPlatformDealing(ListingPlatformReading):
    """The tools that reach agents, sellers and buyers."""

    # -- tools: messages and viewings ----------------------------------------------------------------------------

    @tool(write=True)
    def contact_agent(self, user_id: str, listing_id: str, message: Text, to: str | None = None) -> dict[str, Any]:
        """Write to a listing's agent or seller; or, about the user's own listing, to somebody who wrote or bid there.

        An answer, where there is one, comes later; list_messages shows it.

        Args:
            user_id: Who writes.
            listing_id: What it is about.
            message: The text, up to 4000 characters.
            to: For the user's own listing only: the name of the person as list_messages or list_offers shows it.

        Returns:
            message_id, user_id, listing_id, name (to whom), by (user), text, at, offer_id.

        Errors:
            not_found: There is no such listing.
            delisted: The listing was taken off; its seller takes no messages about it.
            own_listing: It is the user's own and to is missing, or to is given for somebody else's.
            unknown_person: Nobody of that name has written or bid; the message lists who has.
        """
        listing = self._listing(listing_id)
        own = listing["owner_id"] == user_id
        if own == (to is None):
            how = "name in to whom you answer" if own else "leave to out: it goes to the listing's agent or seller"
            raise ToolError("own_listing", f"{listing_id} is {'' if own else 'not '}the user's own listing; {how}")
        name = self._person(listing_id, user_id, to) if to is not None else self._seller_name(listing)
        if not own:
            self._check_listed(listing)
            self._await_replies(listing, user_id, message)
        return self._write(listing, user_id, name, "user", message)

    @tool(write=True)
    def schedule_viewing(
        self, user_id: str, listing_id: str, datetime: str, visitor: Annotated[str, Field(max_length=120)] | None = None
    ) -> dict[str, Any]:
        """Book a viewing. It is confirmed at once, but the other side may move or cancel it; list_viewings shows that.

        Args:
            user_id: Whose appointment it is.
            listing_id: What is seen.
            datetime: When it begins, ISO 8601; without an offset it is local time at the listing. One of the
                viewing_slots, or inside the viewing_hours that get_listing_detail shows.
            visitor: Who comes, if it is not the user; needed for the user's own listing.

        Returns:
            viewing_id, user_id, listing_id, title, address, listing_status, datetime (local time at the listing),
            minutes, visitor, role (visitor or host), status (scheduled), cancelled_by, reason, created_at.

        Errors:
            not_found: There is no such listing.
            delisted: The listing was taken off.
            visitor_needed: It is the user's own listing; say in visitor who comes.
            bad_time: datetime is no ISO 8601 date-time.
            not_in_future: It would begin before now.
            outside_viewing_hours: It is none of the slots, or not inside the hours; the message lists them.
            overlap: The user has another viewing then; the message names it.
        """
        listing = self._listing(listing_id)
        self._check_listed(listing)
        if listing["owner_id"] == user_id and not visitor:
            raise ToolError("visitor_needed", f"{listing_id} is the user's own listing; say in visitor who comes")
        begin = self._moment(datetime, self._zone(listing))
        if begin <= self.now:
            raise ToolError("not_in_future", f"{datetime[:40]!r} is not after now, {self.stamp()}")
        end = begin + listing["viewing_minutes"] * clock.MINUTE
        self._check_hours(listing, begin, end)
        own = {row["listing_id"] for row in self.rows("listings") if row["owner_id"] == user_id}
        for row in self.rows("viewings"):
            if row["status"] == "scheduled" and (row["user_id"] == user_id or row["listing_id"] in own):
                other = self.seconds(row["datetime"])
                if begin < other + row["minutes"] * clock.MINUTE and other < end:
                    raise ToolError(
                        "overlap", f"{row['viewing_id']} is at {row['datetime']}; choose another time or cancel it"
                    )
        viewing = self.put(
            "viewings",
            viewing_id=self.new_id("view"),
            user_id=user_id,
            listing_id=listing_id,
            datetime=clock.iso(begin, self._zone(listing)),
            minutes=listing["viewing_minutes"],
            visitor=visitor or "",
            created_at=self.stamp(),
        )
        self._await_end(viewing)
        return self._viewing_shown(viewing, own)

    @tool(write=True)
    def cancel_viewing(self, viewing_id: str, reason: Note | None = None) -> dict[str, Any]:
        """Cancel a viewing before it begins. To move one, cancel it and book another.

        Args:
            viewing_id: From list_viewings.
            reason: What the other side is told.

        Returns:
            viewing_id, user_id, listing_id, datetime, minutes, visitor, status (cancelled), cancelled_by, reason,
            created_at, moved.

        Errors:
            not_found: There is no such viewing.
            not_active: It was cancelled before, or is over.
            already_begun: It has begun.
        """
        viewing = self.get("viewings", viewing_id, "viewing", "list_viewings shows them")
        if viewing["status"] != "scheduled":
            raise ToolError("not_active", f"{viewing_id} is {viewing['status']} already")
        if self.seconds(viewing["datetime"]) <= self.now:
            raise ToolError("already_begun", f"{viewing_id} began at {viewing['datetime']}; it cannot be cancelled")
        return self._cancel(viewing, "user", reason or "")

    # -- tools: offers -------------------------------------------------------------------------------------------

    @tool(write=True)
    def make_offer(
        self, user_id: str, listing_id: str, amount_minor: Amount, message: Note | None = None
    ) -> dict[str, Any]:
        """Offer a price for somebody's listing. It takes the place of the user's earlier open offer for it.

        The seller answers later: list_offers shows it. An accepted offer reserves the listing.

        Args:
            user_id: Who offers.
            listing_id: For what.
            amount_minor: Price in minor units of the listing's currency.
            message: What the seller reads with it.

        Returns:
            offer_id, listing_id, buyer_id, buyer_name, by (buyer), amount_minor, currency, message, status (open),
            created_at, answered_at, answers_offer.

        Errors:
            not_found: There is no such listing.
            not_active: The listing is reserved or delisted.
            own_listing: It is the user's own; respond_offer answers bids for it, update_listing changes its price.
            counter_open: The seller has made a counter-offer; answer it with respond_offer.
        """
        listing = self._listing(listing_id)
        if listing["status"] != "active":
            raise ToolError("not_active", f"{listing_id} is {listing['status']}; look for another listing")
        if listing["owner_id"] == user_id:
            raise ToolError("own_listing", f"{listing_id} is the user's own; update_listing changes its price")
        for row in self.rows("offers"):
            waits = row["status"] == "open" and row["by"] == "seller" and row["buyer_id"] == user_id
            if waits and row["listing_id"] == listing_id:
                raise ToolError(
                    "counter_open", f"the seller proposes {row['amount_minor']} in {row['offer_id']}; use respond_offer"
                )
        name = self.world.owner_name if user_id == self.world.owner else user_id
        return self._propose(listing, "buyer", {"buyer_id": user_id, "buyer_name": name}, amount_minor, message or "")

    @tool(write=True)
    def respond_offer(
        self,
        offer_id: str,
        decision: Literal["accept", "decline", "counter"],
        amount_minor: Amount | None = None,
        message: Note | None = None,
    ) -> dict[str, Any]:
        """Answer an offer that waits for the user: a bid for the user's listing, or a seller's counter-offer.

        Accepting reserves the listing; other open offers stay open.

        Args:
            offer_id: From list_offers.
            decision: accept, decline or counter.
            amount_minor: For counter only: the price in minor units.
            message: What the other side reads with it.

        Returns:
            The offer, now accepted or declined; for counter the new offer, open, with answers_offer. Fields as in
            make_offer.

        Errors:
            not_found: There is no such offer.
            not_open: It is answered or void already.
            not_yours: It waits for the other side, not for a user here.
            bad_amount: counter lacks amount_minor, or another decision has one.
            not_active: The listing is reserved or delisted, so nothing can be accepted or countered.
        """
        offer = self.get("offers", offer_id, "offer", "list_offers shows them")
        if offer["status"] != "open":
            raise ToolError("not_open", f"{offer_id} is {offer['status']} already; list_offers shows what is open")
        listing = self._listing(offer["listing_id"])
        if not (listing["owner_id"] if offer["by"] == "buyer" else offer["buyer_id"]):
            raise ToolError("not_yours", f"{offer_id} waits for the other side; list_offers shows its answer")
        if (decision == "counter") != (amount_minor is not None):
            raise ToolError("bad_amount", "counter needs amount_minor; accept and decline take none")
        if decision != "decline" and listing["status"] != "active":
            raise ToolError("not_active", f"{listing['listing_id']} is {listing['status']}; you can decline the offer")
        return self._answer_offer(offer, decision, amount_minor, message or "")

    # -- inside --------------------------------------------------------------------------------------------------

    @staticmethod
    def _check_listed(listing: Mapping[str, Any]) -> None:
        """Refuse a listing that was taken off.

        Raises:
            ToolError: ``delisted``.
        """
        if listing["status"] == "delisted":
            why = f" ({listing['status_reason']})" if listing["status_reason"] else ""
            raise ToolError("delisted", f"{listing['listing_id']} was taken off{why}; look for another listing")

    def _person(self, listing_id: str, user_id: str, name: str) -> str:
        """Who wrote or bid for a user's listing and is meant by a name.

        Raises:
            ToolError: ``unknown_person``.
        """
        names = [
            row["name"]
            for row in self.rows("messages")
            if row["listing_id"] == listing_id and row["user_id"] == user_id
        ]
        meant = resolve(name, dict.fromkeys(names))
        if meant is None:
            known = ", ".join(list(dict.fromkeys(names))[-20:]) or "nobody yet"
            raise ToolError("unknown_person", f"{name[:60]!r} has not written about {listing_id}; who has: {known}")
        return meant

    @staticmethod
    def _moment(text: str, zone: str) -> int:
        """The instant of an argument, in a zone where it has no offset.

        Raises:
            ToolError: ``bad_time``.
        """
        try:
            begin = clock.parse_instant(text, zone)
        except ValueError as error:
            raise ToolError("bad_time", f"datetime: {error}") from None
        if not 0 <= begin < 7_258_118_400:  # 2200
            raise ToolError("bad_time", f"datetime: {text[:40]!r} is outside the years 1970 to 2199")
        return begin

    def _check_hours(self, listing: Record, begin: int, end: int) -> None:
        """Refuse a viewing at another time than the listing allows.

        Raises:
            ToolError: ``outside_viewing_hours``.
        """
        if slots := listing["viewing_slots"]:
            if begin not in [self.seconds(slot) for slot in slots]:
                raise ToolError(
                    "outside_viewing_hours", f"the slots for {listing['listing_id']} are {', '.join(slots)}"
                )
            return
        zone = self._zone(listing)
        first, last = clock.local(begin, zone), clock.local(end, zone)
        day = WEEKDAYS[first.weekday()]
        hours = self._hours(listing)
        for span in hours:
            inside = span["start"] <= f"{first:%H:%M}" and f"{last:%H:%M}" <= span["end"]
            if day in span["days"] and inside and first.date() == last.date():
                return
        told = "; ".join(f"{' '.join(span['days'])} {span['start']}-{span['end']}" for span in hours)
        raise ToolError(
            "outside_viewing_hours", f"a viewing of {listing['viewing_minutes']} minutes lies inside {told} ({zone})"
        )
