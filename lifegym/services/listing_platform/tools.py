"""A platform for homes, second-hand goods and services: one's own listings, saved ones, subscriptions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import orjson
from pydantic import Field

from lifegym.services.listing_platform.dealing import ListingPlatformDealing, Note
from lifegym.services.listing_platform.query import parse_query
from lifegym.services.listing_platform.records import Amount, Period
from lifegym.services.tools import ToolError, tool
from lifegym.services.types import Currency
from lifegym.world.record import Record

__all__ = ["ListingPlatform"]

Title = Annotated[str, Field(min_length=1, max_length=200)]
Place = Annotated[str, Field(max_length=120)]
City = Annotated[str, Field(min_length=1, max_length=120)]
Description = Annotated[str, Field(max_length=8000)]
Area = Annotated[float, Field(gt=0, le=10**6)]
Rooms = Annotated[int, Field(ge=0, le=100)]
Photos = Annotated[list[Annotated[str, Field(max_length=300)]], Field(max_length=30)]
_MOST_SEARCHES = 20
_MOST_SAVED = 200
_MOST_OWN = 50
_ATTRS_LIMIT = 4000


class ListingPlatform(ListingPlatformDealing):
    """What people and traders offer, and a user's way to it."""

    # -- tools: one's own listings -------------------------------------------------------------------------------

    @tool(write=True)
    def post_listing(
        self,
        user_id: str,
        category: str,
        title: Title,
        price_minor: Amount,
        city: City,
        district: Place | None = None,
        community: Place | None = None,
        area_sqm: Area | None = None,
        rooms: Rooms | None = None,
        metro: Place | None = None,
        description: Description | None = None,
        attrs: dict[str, Any] | None = None,
        photos: Photos | None = None,
        currency: Currency | None = None,
        price_period: Period | None = None,
    ) -> dict[str, Any]:
        """Put something on offer. Everybody can read it at once: no private address or reasons in it.

        Args:
            user_id: Who offers it.
            category: rent, sale, second_hand, service, or another one that the platform has.
            title: One line.
            price_minor: Price in minor units (a month for rent), more than 0.
            city: City.
            district: District.
            community: Community, estate or neighbourhood.
            area_sqm: Living area in square metres.
            rooms: Number of rooms.
            metro: Nearest station.
            description: The text.
            attrs: Further facts by name, such as {"furnished": false}; 4000 characters of JSON at most.
            photos: File names or addresses of photos, 30 at most.
            currency: ISO 4217 code; that of the city's other listings, or of any, if left out.
            price_period: total, month, week or hour; month for rent and total for all else if left out.

        Returns:
            The listing as get_listing shows it, with its listing_id.

        Errors:
            unknown_category: There is no such category; the message lists them.
            currency_needed: Nothing on offer tells the currency; give it.
            bad_attrs: attrs has more than 4000 characters of JSON.
            too_many: The user has 50 listings on offer; delist some.
        """
        kind = self._category(category)
        self._check_attrs(attrs)
        if (
            sum(row["owner_id"] == user_id and row["status"] != "delisted" for row in self.rows("listings"))
            >= _MOST_OWN
        ):
            raise ToolError("too_many", f"a user has at most {_MOST_OWN} listings on offer; delist some")
        at = self.stamp()
        money = currency or self._currency_in(city)
        listing = self.put(
            "listings",
            listing_id=self.new_id("lst"),
            category=kind,
            title=title,
            price_minor=price_minor,
            currency=money,
            price_period=price_period or ("month" if kind == "rent" else "total"),
            city=city,
            district=district or "",
            community=community or "",
            area_sqm=area_sqm,
            rooms=rooms,
            metro=metro or "",
            description=description or "",
            attrs=attrs or {},
            photos=photos or [],
            owner_id=user_id,
            listed_at=at,
            price_history=[{"at": at, "price_minor": price_minor}],
        )
        self._report(listing, "New listing")
        return self._brief(listing)

    @tool(write=True)
    def update_listing(
        self,
        listing_id: str,
        user_id: str,
        price_minor: Amount | None = None,
        title: Title | None = None,
        description: Description | None = None,
        attrs: dict[str, Any] | None = None,
        photos: Photos | None = None,
        metro: Place | None = None,
    ) -> dict[str, Any]:
        """Change one of the user's own listings. What is left out stays.

        Args:
            listing_id: From post_listing.
            user_id: Who posted it.
            price_minor: New price in minor units.
            title: New title.
            description: New text, all of it; "" for none.
            attrs: New facts, all of them; {} for none.
            photos: New photos, all of them; [] for none.
            metro: New nearest station.

        Returns:
            The listing as get_listing shows it.

        Errors:
            not_found: There is no such listing.
            not_yours: Somebody else posted it.
            delisted: It was taken off; post it again.
            bad_attrs: attrs has more than 4000 characters of JSON.
            nothing_to_change: No new value is given, or all are as before.
        """
        listing = self._owned(listing_id, user_id)
        self._check_listed(listing)
        self._check_attrs(attrs)
        given = {"title": title, "description": description, "attrs": attrs, "photos": photos, "metro": metro}
        changes = {key: value for key, value in given.items() if value is not None and value != listing[key]}
        repriced = price_minor is not None and price_minor != listing["price_minor"]
        if not changes and not repriced:
            raise ToolError("nothing_to_change", f"give a new price_minor, {', '.join(given)}")
        changed = self.patch("listings", listing_id, **changes) if changes else listing
        if price_minor is not None and repriced:
            changed = self._change_price(changed, price_minor)
        return self._brief(changed)

    @tool(write=True)
    def delist(self, listing_id: str, user_id: str | None = None, reason: Note | None = None) -> dict[str, Any]:
        """Take one of the user's own listings off, for good. Its viewings are cancelled, its open offers void.

        Args:
            listing_id: From post_listing.
            user_id: Who posted it; the account's holder if left out.
            reason: Shown with it, such as sold.

        Returns:
            The listing as get_listing shows it, now delisted.

        Errors:
            not_found: There is no such listing.
            not_yours: Somebody else posted it.
            already_delisted: It was taken off before.
        """
        listing = self._owned(listing_id, user_id or self.world.owner)
        if listing["status"] == "delisted":
            raise ToolError("already_delisted", f"{listing_id} was taken off before; nothing is left to do")
        return self._brief(self._change_status(listing, "delisted", reason or ""))

    # -- tools: saved listings and subscriptions -----------------------------------------------------------------

    @tool(write=True)
    def save_listing(self, user_id: str, listing_id: str) -> dict[str, Any]:
        """Save a listing to come back to.

        Args:
            user_id: For whom.
            listing_id: From search_listings.

        Returns:
            saved_id, user_id, listing_id, saved_at, price_minor (now).

        Errors:
            not_found: There is no such listing.
            delisted: It was taken off.
            already_saved: The user has saved it before.
            too_many: The user has 200 saved listings; unsave some.
        """
        listing = self._listing(listing_id)
        self._check_listed(listing)
        mine = [row for row in self.rows("saved") if row["user_id"] == user_id]
        if any(row["listing_id"] == listing_id for row in mine):
            raise ToolError("already_saved", f"{listing_id} is saved already; list_saved shows what is")
        if len(mine) >= _MOST_SAVED:
            raise ToolError("too_many", f"a user saves at most {_MOST_SAVED} listings; unsave_listing makes room")
        return self.put(
            "saved",
            saved_id=self.new_id("savlst"),
            user_id=user_id,
            listing_id=listing_id,
            saved_at=self.stamp(),
            price_minor=listing["price_minor"],
        )

    @tool(write=True)
    def unsave_listing(self, user_id: str, listing_id: str) -> dict[str, Any]:
        """Take a listing from the saved ones.

        Args:
            user_id: Whose.
            listing_id: From list_saved.

        Returns:
            listing_id, saved (false).

        Errors:
            not_saved: The user has not saved it.
        """
        for row in self.rows("saved"):
            if row["user_id"] == user_id and row["listing_id"] == listing_id:
                self.drop("saved", row["saved_id"])
                return {"listing_id": listing_id, "saved": False}
        raise ToolError("not_saved", f"{listing_id[:60]!r} is not saved; list_saved shows what is")

    @tool(write=True)
    def subscribe_search(self, user_id: str, query_json: str | dict[str, Any]) -> dict[str, Any]:
        """Ask to be told of new listings and lower prices that meet a search. Each time, a turn opens for it.

        Args:
            user_id: For whom.
            query_json: The search as JSON text or object, with some of category, city, district, min_price_minor,
                max_price_minor, min_rooms, max_rooms, keyword as in search_listings:
                {"category": "rent", "city": "Utrecht", "max_price_minor": 150000}.

        Returns:
            search_id, user_id, query, created_at, silent, fired (how often), last_fired_at.

        Errors:
            bad_query: query_json is no JSON object, asks for nothing, or has unknown keys or values.
            unknown_category: There is no such category; the message lists them.
            exists: The same subscription is there already; the message names it.
            too_many: The user has 20 subscriptions; delete some.
        """
        query = parse_query(query_json)
        if "category" in query:
            query["category"] = self._category(query["category"])
        mine = [row for row in self.rows("searches") if row["user_id"] == user_id]
        for row in mine:
            if row["query"] == query and not row["silent"]:
                raise ToolError("exists", f"{row['search_id']} is the same subscription already")
        if len(mine) >= _MOST_SEARCHES:
            raise ToolError(
                "too_many",
                f"a user subscribes to at most {_MOST_SEARCHES} searches; delete_search_subscription ends one",
            )
        return self.put(
            "searches", search_id=self.new_id("search"), user_id=user_id, query=query, created_at=self.stamp()
        )

    @tool(write=True)
    def delete_search_subscription(self, search_id: str) -> dict[str, Any]:
        """End a subscription to a search.

        Args:
            search_id: From list_search_subscriptions.

        Returns:
            search_id, deleted (true).

        Errors:
            not_found: There is no such subscription.
        """
        self.get("searches", search_id, "subscription", "list_search_subscriptions shows them")
        self.drop("searches", search_id)
        return {"search_id": search_id, "deleted": True}

    # -- inside --------------------------------------------------------------------------------------------------

    def _owned(self, listing_id: str, user_id: str) -> Record:
        listing = self._listing(listing_id)
        if listing["owner_id"] != user_id:
            raise ToolError("not_yours", f"{listing_id} was not posted by {user_id[:60]!r}; only its owner changes it")
        return listing

    @staticmethod
    def _check_attrs(attrs: Mapping[str, Any] | None) -> None:
        if attrs is not None and len(orjson.dumps(attrs)) > _ATTRS_LIMIT:
            raise ToolError("bad_attrs", f"attrs may have {_ATTRS_LIMIT} characters of JSON; put the rest in the text")

    def _currency_in(self, city: str) -> str:
        """The currency of a city's listings, or of any.

        Raises:
            ToolError: ``currency_needed``.
        """
        known = ""
        for row in self.rows("listings"):
            if row["city"] == city:
                return str(row["currency"])
            known = known or row["currency"]
        if not known:
            raise ToolError("currency_needed", "nothing on offer tells the currency here; give it, such as EUR")
        return known
