"""Looking at what a user has here: saved listings, viewings, messages, offers, searches."""

from __future__ import annotations

from typing import Any, Literal

from lifegym.services.base import limited
from lifegym.services.listing_platform.searching import ListingPlatformSearching, excerpt
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["ListingPlatformReading"]

_EXCERPT = 600


class ListingPlatformReading(ListingPlatformSearching):
    """The tools that show a user's own."""

    @tool(write=False)
    def list_saved(self, user_id: str, limit: int = 50) -> dict[str, Any]:
        """List the listings that a user has saved, the last saved first, as they are now.

        Args:
            user_id: Whose.
            limit: How many at most, up to 100.

        Returns:
            listings: as get_listing shows them, with saved_at and price_when_saved_minor; total.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        mine = [row for row in self.rows("saved") if row["user_id"] == user_id]
        mine.sort(key=lambda row: self.seconds(row["saved_at"]))
        listings = [
            {**self._brief(listing), "saved_at": row["saved_at"], "price_when_saved_minor": row["price_minor"]}
            for row in limited(reversed(mine), limit, 100)
            if (listing := self.find("listings", row["listing_id"])) is not None
        ]
        return {"listings": listings, "total": len(mine)}

    @tool(write=False)
    def list_viewings(
        self,
        user_id: str,
        status_filter: Literal["scheduled", "completed", "cancelled"] | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """List the viewings of a user, and those of what the user has posted, the latest date first.

        Args:
            user_id: Whose.
            status_filter: scheduled, completed or cancelled; all if left out.
            limit: How many at most, up to 100.

        Returns:
            viewings: viewing_id, user_id, listing_id, title, address, listing_status, datetime (local time at the
            listing, with its offset), minutes, visitor, role (visitor or host), status, cancelled_by, reason,
            created_at; total.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        own = {row["listing_id"] for row in self.rows("listings") if row["owner_id"] == user_id}
        found = [
            row
            for row in self.rows("viewings")
            if (row["user_id"] == user_id or row["listing_id"] in own) and status_filter in (None, row["status"])
        ]
        found.sort(key=lambda row: self.seconds(row["datetime"]), reverse=True)
        return {"viewings": [self._viewing_shown(row, own) for row in limited(found, limit, 100)], "total": len(found)}

    @tool(write=False)
    def list_messages(
        self, user_id: str, listing_id: str | None = None, before: str | None = None, limit: int = 20
    ) -> dict[str, Any]:
        """List a user's messages with agents, sellers and buyers, newest first.

        Args:
            user_id: Whose.
            listing_id: Only about this listing; then long messages are shown whole.
            before: Only what was written before this message_id, to read back.
            limit: How many at most, up to 50.

        Returns:
            messages: message_id, listing_id, title, name (the other side), by (user or other), text (cut where it is
            long), at, offer_id; total (how many there are in all).

        Errors:
            not_found: There is no such message to read back from.
            bad_limit: limit is not between 1 and 50.
        """
        found = [
            row
            for row in self.rows("messages")
            if row["user_id"] == user_id and listing_id in (None, row["listing_id"])
        ]
        found.sort(key=lambda row: self.seconds(row["at"]))
        total = len(found)
        if before is not None:
            number = next((number for number, row in enumerate(found) if row["message_id"] == before), None)
            if number is None:
                raise ToolError("not_found", f"there is no message {before[:60]!r} here; list_messages shows their ids")
            found = found[:number]
        most = _EXCERPT if listing_id is None else 10**6
        messages = [
            {
                **{key: row[key] for key in ("message_id", "listing_id", "name", "by", "at", "offer_id")},
                "title": self._title(row["listing_id"]),
                "text": excerpt(row["text"], most, "list_messages with listing_id shows the whole"),
            }
            for row in limited(reversed(found), limit, 50)
        ]
        return {"messages": messages, "total": total}

    @tool(write=False)
    def list_offers(self, user_id: str, listing_id: str | None = None, limit: int = 50) -> dict[str, Any]:
        """List the offers that a user has made, and those for what the user has posted, newest first.

        Args:
            user_id: Whose.
            listing_id: Only for this listing.
            limit: How many at most, up to 100.

        Returns:
            offers: offer_id, listing_id, title, asking_minor (price now), buyer_name, by (buyer or seller: who
            proposed it), amount_minor, currency, message, status (open, accepted, declined, countered or void),
            waits_for (user, other, or empty where it is not open), created_at, answered_at, answers_offer; total.

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        own = {row["listing_id"] for row in self.rows("listings") if row["owner_id"] == user_id}
        found = [
            row
            for row in self.rows("offers")
            if (row["buyer_id"] == user_id or row["listing_id"] in own) and listing_id in (None, row["listing_id"])
        ]
        found.sort(key=lambda row: self.seconds(row["created_at"]))
        offers = []
        for row in limited(reversed(found), limit, 100):
            listing = self.find("listings", row["listing_id"])
            mine = (row["by"] == "buyer") == (row["buyer_id"] == user_id)
            waits = ("other" if mine else "user") if row["status"] == "open" else ""
            offers.append(
                {
                    **{key: value for key, value in row.items() if key != "buyer_id"},
                    "title": listing["title"] if listing else "",
                    "asking_minor": listing["price_minor"] if listing else None,
                    "waits_for": waits,
                }
            )
        return {"offers": offers, "total": len(found)}

    @tool(write=False)
    def list_search_subscriptions(self, user_id: str) -> dict[str, Any]:
        """List the searches that a user has subscribed to.

        Args:
            user_id: Whose.

        Returns:
            searches: search_id, user_id, query, created_at, silent, fired (how often), last_fired_at (50 at most);
            total.
        """
        mine = [row for row in self.rows("searches") if row["user_id"] == user_id]
        return {"searches": mine[:50], "total": len(mine)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _title(self, listing_id: str) -> str:
        listing = self.find("listings", listing_id)
        return str(listing["title"]) if listing else ""

    def _viewing_shown(self, viewing: Record, own: set[str]) -> dict[str, Any]:
        listing = self.find("listings", viewing["listing_id"])
        return {
            **{key: value for key, value in viewing.items() if key != "moved"},
            "title": listing["title"] if listing else "",
            "address": listing["address"] if listing else "",
            "listing_status": listing["status"] if listing else "",
            "role": "host" if viewing["listing_id"] in own else "visitor",
        }
