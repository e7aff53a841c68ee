"""Looking for listings, their sellers and their market."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.listing_platform.inventory import ListingPlatformInventory
from lifegym.services.listing_platform.query import Price, Rooms, find_category, select, texts
from lifegym.services.listing_platform.records import CATEGORIES
from lifegym.services.search import Index, resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BRIEF", "ListingPlatformSearching", "excerpt"]

BRIEF = (
    "listing_id", "category", "title", "price_minor", "currency", "price_period", "city", "district", "community",
    "area_sqm", "rooms", "metro", "agent_id", "owner_id", "status", "status_reason", "listed_at",
)  # fmt: skip
_HIDDEN = ("aliases", "answers", "floor_minor", "offer_answer_h")
_PAGE = 6000
_HISTORY = 20
_DEFAULT_HOURS = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "start": "09:00", "end": "20:00"}

Offset = Annotated[int, Field(ge=0, le=10**6)]


class ListingPlatformSearching(ListingPlatformInventory):
    """The tools that find listings."""

    @tool(write=False)
    def search_listings(
        self,
        category: str,
        city: str | None = None,
        district: str | None = None,
        min_price_minor: Price | None = None,
        max_price_minor: Price | None = None,
        min_rooms: Rooms | None = None,
        max_rooms: Rooms | None = None,
        keyword: str | None = None,
        sort: Literal["relevance", "price_asc", "price_desc", "newest", "area_desc"] | None = None,
        limit: int = 20,
    ) -> dict[str, Any]:
        """Search what is on offer. Every wish that is given must be met. Same names occur in several cities.

        Args:
            category: rent, sale, second_hand, service, or another one that the platform has.
            city: City.
            district: District, or a community where no district has this name.
            min_price_minor: Lowest price in minor units of the listing's currency (a month for rent).
            max_price_minor: Highest price.
            min_rooms: Fewest rooms; listings without a number of rooms are left out.
            max_rooms: Most rooms.
            keyword: Words of the title, place, metro, facts or text.
            sort: relevance (without a keyword: newest first), price_asc, price_desc, newest or area_desc.
            limit: How many at most, up to 100.

        Returns:
            listings: as get_listing shows them, delisted ones left out; total (how many match); note (what to try
            where little is found). Conditions are in get_listing_detail only.

        Errors:
            unknown_category: There is no such category; the message lists them.
            bad_limit: limit is not between 1 and 100.
        """
        given = {
            "category": self._category(category),
            "city": city,
            "district": district,
            "min_price_minor": min_price_minor,
            "max_price_minor": max_price_minor,
            "min_rooms": min_rooms,
            "max_rooms": max_rooms,
            "keyword": keyword,
        }
        query = {key: value for key, value in given.items() if value is not None}
        index = self._offered()
        found, complete = select(query, index)
        if sort == "newest":
            found.sort(key=lambda row: self.seconds(row["listed_at"]), reverse=True)
        elif sort == "area_desc":
            found.sort(key=lambda row: row["area_sqm"] or 0.0, reverse=True)
        elif sort in ("price_asc", "price_desc"):
            found.sort(key=lambda row: row["price_minor"], reverse=sort == "price_desc")
        note = "" if complete else "No listing has all of these words; these have some of them."
        if not found:
            cities = sorted({row["city"] for row in index.docs if row["category"] == query["category"]})
            note = f"Nothing meets all of this; leave something out. Cities with {query['category']}: "
            note += f"{', '.join(cities[:30]) or 'none'}."
        return {"listings": [self._brief(row) for row in limited(found, limit, 100)], "total": len(found), "note": note}

    @tool(write=False)
    def get_listing(self, listing_id: str) -> dict[str, Any]:
        """Show the essentials of a listing as they are now. Delisted ones are shown too; see status.

        Args:
            listing_id: From search_listings.

        Returns:
            listing_id, category, title, price_minor, currency, price_period (total, month, week or hour), city,
            district, community, area_sqm, rooms, metro, agent_id, owner_id (where a user posted it), seller (name),
            status (active, reserved or delisted), status_reason, listed_at.

        Errors:
            not_found: There is no such listing.
        """
        return self._brief(self._listing(listing_id))

    @tool(write=False)
    def get_listing_detail(self, listing_id: str, description_from: Offset = 0) -> dict[str, Any]:
        """Show all of a listing: its text, facts, photos, viewing times and how its price has changed.

        Args:
            listing_id: From search_listings.
            description_from: Read a long description on from this character.

        Returns:
            What get_listing shows, and address, attrs (facts by name), photos, viewing_slots (a viewing begins at one
            of them) or viewing_hours (a viewing lies inside), viewing_minutes, zone (of the viewing times),
            price_history (at, price_minor; the last 20), agent (as get_agent, without its listings);
            description (6000 characters at a time) and description_next (where it goes on, or null).

        Errors:
            not_found: There is no such listing.
        """
        listing = self._listing(listing_id)
        end = description_from + _PAGE
        agent = self.find("agents", listing["agent_id"])
        return {
            **{key: value for key, value in listing.items() if key not in _HIDDEN},
            "seller": self._seller_name(listing),
            "agent": {key: value for key, value in agent.items() if key != "about"} if agent else None,
            "zone": self._zone(listing),
            "viewing_hours": [] if listing["viewing_slots"] else self._hours(listing),
            "price_history": listing["price_history"][-_HISTORY:],
            "description": listing["description"][description_from:end],
            "description_next": end if end < len(listing["description"]) else None,
        }

    @tool(write=False)
    def get_agent(self, agent_id: str) -> dict[str, Any]:
        """Show an agent or seller, and what they have on offer.

        Args:
            agent_id: From a listing.

        Returns:
            agent_id, name, kind (agent, trader or private), agency, city, phone, email, languages, rating (of 5),
            about; listings: as get_listing shows them, newest first, 20 at most; listings_total.

        Errors:
            not_found: There is no such agent.
        """
        agent = self.get("agents", agent_id, "agent", "get_listing shows the agent_id of a listing")
        mine = [row for row in self.rows("listings") if row["agent_id"] == agent_id and row["status"] != "delisted"]
        mine.sort(key=lambda row: self.seconds(row["listed_at"]), reverse=True)
        return {
            **agent,
            "about": excerpt(agent["about"], _PAGE, "cut"),
            "listings": [self._brief(row) for row in mine[:20]],
            "listings_total": len(mine),
        }

    @tool(write=False)
    def get_market_stats(
        self, area_or_community: str, category: str | None = None, city: str | None = None
    ) -> dict[str, Any]:
        """Show what is asked in an area, reckoned from the listings that are on offer there now.

        Args:
            area_or_community: A community, district or city.
            category: Only this category; all if left out.
            city: Only in this city, where the name occurs in several.

        Returns:
            area, level (community, district or city), cities (where it is); stats for each category, currency and
            price_period: listings (how many), median_minor, lowest_minor, highest_minor, median_per_sqm_minor (null
            without areas), new_30d (listed in the last 30 days), raised_30d, lowered_30d, median_change_pct (of the
            prices asked 30 days ago; null where nothing is that old).

        Errors:
            unknown_area: No listing on offer is in such a place; the message names some that there are.
            unknown_category: There is no such category; the message lists them.
        """
        wanted = self._category(category) if category is not None else None
        offered = [row for row in self._offered().docs if wanted in (None, row["category"])]
        if city is not None:
            named = resolve(city, dict.fromkeys(row["city"] for row in offered))
            offered = [row for row in offered if row["city"] == named]
        level, area = _place(area_or_community, offered)
        here = [row for row in offered if row[level] == area]
        groups: dict[tuple[str, str, str], list[Record]] = {}
        for row in here:
            groups.setdefault((row["category"], row["currency"], row["price_period"]), []).append(row)
        stats = [
            {"category": kind, "currency": currency, "price_period": period, **self._figures(rows)}
            for (kind, currency, period), rows in sorted(groups.items())
        ]
        return {"area": area, "level": level, "cities": sorted({row["city"] for row in here}), "stats": stats[:40]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _offered(self) -> Index[Record]:
        """The listings that are not delisted, the newest first, by their words."""

        def build(rows: Iterable[Record]) -> Index[Record]:
            found = [row for row in rows if row["status"] != "delisted"]
            found.sort(key=lambda row: self.seconds(row["listed_at"]), reverse=True)
            return Index(found, texts)

        return self.table("listings").derive("offered", build)

    def _category(self, category: str) -> str:
        """The category that is meant, among the usual ones and those of the listings.

        Raises:
            ToolError: ``unknown_category``.
        """
        known = self.table("listings").derive(
            "categories", lambda rows: list(dict.fromkeys((*CATEGORIES, *(row["category"] for row in rows))))
        )
        return find_category(category, known)

    def _brief(self, listing: Record) -> dict[str, Any]:
        shown = {key: listing[key] for key in BRIEF}
        shown["seller"] = self._seller_name(listing)
        return shown

    @staticmethod
    def _hours(listing: Record) -> list[dict[str, Any]]:
        return list(listing["viewing_hours"]) or [_DEFAULT_HOURS]

    def _figures(self, rows: Sequence[Record]) -> dict[str, Any]:
        """The figures of comparable listings."""
        prices = [row["price_minor"] for row in rows]
        per_sqm = [row["price_minor"] / row["area_sqm"] for row in rows if row["area_sqm"]]
        since = self.now - 30 * clock.DAY
        changes: list[float] = []
        for row in rows:
            before = row["price_history"][:1] if self.seconds(row["listed_at"]) <= since else []
            for point in row["price_history"][1:]:
                before = [point] if self.seconds(point["at"]) <= since else before
            if before:
                changes.append(row["price_minor"] / before[0]["price_minor"] - 1)
        return {
            "listings": len(rows),
            "median_minor": round(median(prices)),
            "lowest_minor": min(prices),
            "highest_minor": max(prices),
            "median_per_sqm_minor": round(median(per_sqm)) if per_sqm else None,
            "new_30d": sum(self.seconds(row["listed_at"]) > since for row in rows),
            "raised_30d": sum(change > 0 for change in changes),
            "lowered_30d": sum(change < 0 for change in changes),
            "median_change_pct": round(100 * median(changes), 1) if changes else None,
        }


def _place(name: str, listings: Iterable[Record]) -> tuple[str, str]:
    """The field and the value that a place's name means; the exact name at any level before a likely one.

    Raises:
        ToolError: ``unknown_area``.
    """
    rows = list(listings)
    levels = {
        level: dict.fromkeys(row[level] for row in rows if row[level]) for level in ("community", "district", "city")
    }
    for level, names in levels.items():
        if name in names:
            return level, name
    for level, names in levels.items():
        if meant := resolve(name, names):
            return level, meant
    known = sorted({*levels["district"], *levels["city"]})
    raise ToolError(
        "unknown_area", f"nothing on offer is in {name[:60]!r}; places are {', '.join(known[:30]) or 'none'}"
    )


def excerpt(text: str, most: int, how: str) -> str:
    """A long text cut, with a marker that says how to read the rest."""
    return text if len(text) <= most else f"{text[:most]}... ({how}; {len(text)} characters)"
