"""What the timeline can do to listings: they appear, change and go; the other side writes, bids, moves viewings."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.listing_platform.life import ListingPlatformLife
from lifegym.services.listing_platform.records import Amount, Category, Period, ViewingHours
from lifegym.services.search import words
from lifegym.services.tools import happening
from lifegym.services.types import Currency, Instant
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ListingPlatformHappenings"]


class ListingPlatformHappenings(ListingPlatformLife):
    """The verbs of the timeline."""

    # -- listings ------------------------------------------------------------------------------------------------

    @happening
    def new_listing(
        self,
        category: Category,
        title: str,
        price_minor: Amount,
        currency: Currency,
        city: str,
        listing_id: str = "",
        price_period: Period = "total",
        district: str = "",
        community: str = "",
        address: str = "",
        area_sqm: Annotated[float, Field(gt=0)] | None = None,
        rooms: Annotated[int, Field(ge=0)] | None = None,
        metro: str = "",
        description: str = "",
        attrs: dict[str, Any] | None = None,
        agent_id: str = "",
        viewing_slots: list[Instant] | None = None,
        zone: str = "",
    ) -> list[str]:
        """Something new is on offer. Searches that it meets fire.

        A listing_id that is taken or an agent_id that is none touches nothing.

        Raises:
            ValueError: There is no such time zone.
        """
        if zone:
            clock.zone(zone)
        if (listing_id and self.find("listings", listing_id)) or (agent_id and not self.find("agents", agent_id)):
            return []
        listing = self.put(
            "listings",
            listing_id=listing_id or self.new_id("lst"),
            category=category,
            title=title,
            price_minor=price_minor,
            currency=currency,
            price_period=price_period,
            city=city,
            district=district,
            community=community,
            address=address,
            area_sqm=area_sqm,
            rooms=rooms,
            metro=metro,
            description=description,
            attrs=attrs or {},
            agent_id=agent_id,
            listed_at=self.stamp(),
            price_history=[{"at": self.stamp(), "price_minor": price_minor}],
            viewing_slots=viewing_slots or [],
            zone=zone,
        )
        self._publish(listing)
        return [listing["listing_id"]]

    @happening
    def set_price(self, price_minor: Amount, listing_id: str = "", owner_id: str = "") -> list[str]:
        """Ask another price for a listing, or for all that a user has posted. Searches fire where it is lower."""
        named = self.find("listings", listing_id) if listing_id else None
        rows = [named] if named else self._own("", owner_id) if owner_id else []
        touched = [row for row in rows if row["status"] != "delisted" and row["price_minor"] != price_minor]
        for row in touched:
            self._change_price(row, price_minor)
        return [row["listing_id"] for row in touched]

    @happening
    def change_listing(
        self,
        listing_id: str,
        title: str | None = None,
        description: str | None = None,
        attrs: dict[str, Any] | None = None,
        viewing_slots: list[Instant] | None = None,
        viewing_hours: list[ViewingHours] | None = None,
        agent_id: str | None = None,
        metro: str | None = None,
        address: str | None = None,
    ) -> list[str]:
        """A listing reads differently from now on; nobody is told. What is left out stays; attrs are merged.

        Viewings that are booked stay as they are. An agent_id that is none touches nothing.
        """
        listing = self.find("listings", listing_id)
        given = {
            "title": title, "description": description, "viewing_slots": viewing_slots, "viewing_hours": viewing_hours,
            "agent_id": agent_id, "metro": metro, "address": address,
        }  # fmt: skip
        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        if listing is None or (agent_id and self.find("agents", agent_id) is None):
            return []
        if attrs is not None:
            changes["attrs"] = {**listing["attrs"], **attrs}
        if not changes:
            return []
        self.patch("listings", listing_id, **changes)
        return [listing_id]

    @happening
    def change_agent(
        self,
        agent_id: str,
        name: str | None = None,
        agency: str | None = None,
        phone: str | None = None,
        email: str | None = None,
        rating: Annotated[float, Field(ge=0, le=5)] | None = None,
        about: str | None = None,
    ) -> list[str]:
        """An agent's page reads differently from now on; nobody is told. What is left out stays."""
        given = {"name": name, "agency": agency, "phone": phone, "email": email, "rating": rating, "about": about}
        changes = {field: value for field, value in given.items() if value is not None}
        if self.find("agents", agent_id) is None or not changes:
            return []
        self.patch("agents", agent_id, **changes)
        return [agent_id]

    @happening
    def take_down(self, listing_id: str, reason: str = "") -> list[str]:
        """A listing goes (sold, let): its viewings are cancelled and open offers are void. The reason is shown."""
        return self._to_status(listing_id, "delisted", reason)

    @happening
    def reserve(self, listing_id: str, reason: str = "") -> list[str]:
        """A listing is reserved for somebody: it takes no offers; questions and viewings are still possible."""
        return self._to_status(listing_id, "reserved", reason)

    @happening
    def relist(self, listing_id: str, price_minor: Amount | None = None) -> list[str]:
        """A listing that was delisted or reserved is on offer again, perhaps at another price. Searches fire."""
        listing = self.find("listings", listing_id)
        if listing is None or listing["status"] == "active":
            return []
        if price_minor is not None and price_minor != listing["price_minor"]:
            self._change_price(listing, price_minor)
        self._publish(self.patch("listings", listing_id, status="active", status_reason=""))
        return [listing_id]

    # -- the other side ------------------------------------------------------------------------------------------

    @happening
    def agent_message(self, listing_id: str, text: str, user_id: str = "", silent: bool = False) -> list[str]:
        """A listing's agent or seller writes to a user (by default the person); silent leaves out the hub's note."""
        listing = self.find("listings", listing_id)
        user = user_id or self.world.owner
        if listing is None or listing["owner_id"] == user:
            return []
        return [self._receive(listing, user, self._seller_name(listing), text, silent=silent)]

    @happening
    def buyer_message(
        self, buyer_name: str, text: str, listing_id: str = "", owner_id: str = "", silent: bool = False
    ) -> list[str]:
        """Somebody writes about what a user has posted: one listing, or all of an owner (by default the person's)."""
        rows = self._own(listing_id, owner_id)
        return [self._receive(row, row["owner_id"], buyer_name, text, silent=silent) for row in rows]

    @happening
    def incoming_offer(
        self,
        buyer_name: str,
        amount_minor: Amount,
        listing_id: str = "",
        owner_id: str = "",
        text: str = "",
        silent: bool = False,
    ) -> list[str]:
        """Somebody bids for what a user has on offer: one listing, or all of an owner (by default the person's).

        It takes the place of an earlier open bid of that name.
        """
        rows = [row for row in self._own(listing_id, owner_id) if row["status"] == "active"]
        buyer = {"buyer_id": "", "buyer_name": buyer_name}
        return [str(self._propose(row, "buyer", buyer, amount_minor, text, silent=silent)["offer_id"]) for row in rows]

    @happening
    def answer_offer(
        self,
        decision: Literal["accept", "decline", "counter"],
        listing_id: str = "",
        user_id: str = "",
        buyer_name: str = "",
        amount_minor: Amount | None = None,
        text: str = "",
        silent: bool = False,
    ) -> list[str]:
        """The other side answers what a user (by default the person) proposed and still waits on.

        That is a user's offer for somebody's listing, or a user's counter-offer to a buyer from outside; listing_id and
        buyer_name narrow it. A counter carries its amount, the others none. Where a listing is not active, nothing is
        accepted.
        """
        user = user_id or self.world.owner
        touched: list[str] = []
        for offer in list(self.rows("offers")):
            listing = self.find("listings", offer["listing_id"])
            if listing is None or offer["status"] != "open" or (decision == "counter") != (amount_minor is not None):
                continue
            mine = offer["by"] == "buyer" and offer["buyer_id"] == user and not listing["owner_id"]
            theirs = offer["by"] == "seller" and not offer["buyer_id"] and listing["owner_id"] == user
            named = listing_id in ("", offer["listing_id"]) and buyer_name in ("", offer["buyer_name"])
            if not named or not (mine or theirs) or (decision == "accept" and listing["status"] != "active"):
                continue
            answered = self._answer_offer(offer, decision, amount_minor, text, silent)
            touched += dict.fromkeys((offer["offer_id"], answered["offer_id"]))
        return touched

    # -- viewings ------------------------------------------------------------------------------------------------

    @happening
    def move_viewing(self, datetime: Instant, listing_id: str = "", user_id: str = "", visitor: str = "") -> list[str]:
        """The other side moves coming viewings (of one listing, one user, one visitor) to an instant.

        Nobody is told. The instant may lie outside the viewing hours or over another viewing; a past one touches
        nothing.
        """
        begin = clock.parse_instant(datetime, self.world.zone)
        if begin <= self.now:
            return []
        touched: list[str] = []
        for row in self._coming(listing_id, user_id, visitor):
            listing = self.find("listings", row["listing_id"])
            at = clock.iso(begin, self._zone(listing) if listing else self.world.zone)
            if at != row["datetime"]:
                self._await_end(self.patch("viewings", row["viewing_id"], datetime=at, moved=True))
                touched.append(row["viewing_id"])
        return touched

    @happening
    def cancel_viewing_by_agent(
        self, listing_id: str = "", user_id: str = "", visitor: str = "", reason: str = ""
    ) -> list[str]:
        """The other side cancels coming viewings (of one listing, one user, one visitor); nobody is told."""
        rows = self._coming(listing_id, user_id, visitor)
        for row in rows:
            self._cancel(row, "agent", reason)
        return [row["viewing_id"] for row in rows]

    # -- inside --------------------------------------------------------------------------------------------------

    def _to_status(self, listing_id: str, status: str, reason: str) -> list[str]:
        listing = self.find("listings", listing_id)
        if listing is None or listing["status"] in (status, "delisted"):
            return []
        self._change_status(listing, status, reason)
        return [listing_id]

    def _coming(self, listing_id: str, user_id: str, visitor: str) -> list[Record]:
        """The viewings to come that are named by at least one of the three; a visitor by words of the name."""
        names = frozenset(words(visitor))
        if not (listing_id or user_id or names):
            return []
        return [
            row
            for row in self.rows("viewings")
            if row["status"] == "scheduled"
            and listing_id in ("", row["listing_id"])
            and user_id in ("", row["user_id"])
            and names.issubset(words(row["visitor"]))
            and self.seconds(row["datetime"]) > self.now
        ]
