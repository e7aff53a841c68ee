"""The hub: notifications, subscriptions, price alerts, official accounts."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import limited
from lifegym.services.notification_hub.wishes import Name, NotificationHubWishes
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["NotificationHub"]

_BODY_SHOWN = 300


class NotificationHub(NotificationHubWishes):
    """What reaches the person beside mail, and what the assistant may ask to be told of."""

    # -- tools: notifications ------------------------------------------------------------------------------------

    @tool(write=False)
    def list_notifications(
        self,
        user_id: str,
        unread_only: bool = False,
        source: str | None = None,
        since: str | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """List a user's notifications, newest first. Marks nothing as read.

        Args:
            user_id: Whose, e.g. u_liwei.
            unread_only: Leave out those that are read.
            source: Only from this service or account, e.g. hotel_booking.
            since: Only from this date or date-time on (ISO 8601).
            limit: How many at most, up to 200.

        Returns:
            notifications: notification_id, source, type, title, body (its first 300 characters; get_notification shows
            all), ref (id of the record it is about), at, read; total (how many match), unread (of all the user's).

        Errors:
            bad_time: since is no ISO 8601 date or date-time.
            bad_limit: limit is not between 1 and 200.
        """
        first = self.instant(since, "since") if since else None
        mine = [row for row in self._newest_first("notifications") if row["user_id"] == user_id]
        found = [
            row
            for row in mine
            if (not unread_only or not row["read"])
            and (source is None or row["source"] == source)
            and (first is None or self.seconds(row["at"]) >= first)
        ]
        return {
            "notifications": [_short(row) for row in limited(found, limit)],
            "total": len(found),
            "unread": sum(not row["read"] for row in mine),
        }

    @tool(write=False)
    def get_notification(self, notification_id: str) -> dict[str, Any]:
        """Show one notification in full. Does not mark it as read.

        Args:
            notification_id: From list_notifications.

        Returns:
            notification_id, user_id, source, type, title, body, ref, at, read.

        Errors:
            not_found: There is no such notification.
        """
        return self._notification(notification_id)

    @tool(write=True)
    def mark_read(self, notification_id: str) -> dict[str, Any]:
        """Mark a notification as read.

        Args:
            notification_id: From list_notifications.

        Returns:
            notification_id, read (true), changed (false if it was read before).

        Errors:
            not_found: There is no such notification.
        """
        row = self._notification(notification_id)
        if not row["read"]:
            self.patch("notifications", notification_id, read=True)
        return {"notification_id": notification_id, "read": True, "changed": not row["read"]}

    @tool(write=True)
    def mark_all_read(self, user_id: str) -> dict[str, Any]:
        """Mark all of a user's notifications as read.

        Args:
            user_id: Whose.

        Returns:
            user_id, changed (how many were unread).
        """
        unread = [
            row["notification_id"]
            for row in self.rows("notifications")
            if row["user_id"] == user_id and not row["read"]
        ]
        for notification_id in unread:
            self.patch("notifications", notification_id, read=True)
        return {"user_id": user_id, "changed": len(unread)}

    # -- tools: official accounts --------------------------------------------------------------------------------

    @tool(write=False)
    def list_official_accounts(self, user_id: str) -> dict[str, Any]:
        """List the official accounts that publish a feed here, and which of them a user follows.

        Args:
            user_id: Whose view.

        Returns:
            accounts: account_id, name, about, subscribed, posts (how many), latest_at (of the last post, or null), at
            most 200; total.
        """
        followed = {row["account_id"] for row in self.rows("follows") if row["user_id"] == user_id}
        counts: dict[str, int] = {}
        latest: dict[str, str] = {}
        for post in self.rows("posts"):
            account_id = post["account_id"]
            counts[account_id] = counts.get(account_id, 0) + 1
            latest[account_id] = post["at"]
        accounts = [
            {
                **row,
                "subscribed": row["account_id"] in followed,
                "posts": counts.get(row["account_id"], 0),
                "latest_at": latest.get(row["account_id"]),
            }
            for row in self.rows("accounts")
        ]
        return {"accounts": accounts[:200], "total": len(accounts)}

    @tool(write=True)
    def subscribe_official_account(self, user_id: Name, account_id: str) -> dict[str, Any]:
        """Follow an official account: what it publishes lands in the user's notifications.

        It opens no turn; create_subscription with the account as its source does.

        Args:
            user_id: Who follows.
            account_id: From list_official_accounts.

        Returns:
            user_id, account_id, name, since.

        Errors:
            not_found: There is no such account.
            exists: The user follows it already.
        """
        account = self._account(account_id)
        for row in self.rows("follows"):
            if row["user_id"] == user_id and row["account_id"] == account_id:
                raise ToolError("exists", f"{user_id} follows {account_id} already, since {row['since']}")
        row = self.put(
            "follows",
            follow_id=self.new_id("follow"),
            user_id=user_id,
            account_id=account_id,
            since=self.stamp(),
        )
        return {"user_id": user_id, "account_id": account_id, "name": account["name"], "since": row["since"]}

    @tool(write=False)
    def get_account_feed(self, account_id: str, limit: int = 20) -> dict[str, Any]:
        """Read what an official account has published, newest first. Works without following it.

        Args:
            account_id: From list_official_accounts.
            limit: How many posts at most, up to 50.

        Returns:
            account_id, name, posts: post_id, at, title, body; total (how many there are).

        Errors:
            not_found: There is no such account.
            bad_limit: limit is not between 1 and 50.
        """
        account = self._account(account_id)
        found = [row for row in self._newest_first("posts") if row["account_id"] == account_id]
        posts = [
            {key: row[key] for key in ("post_id", "at", "title", "body")} for row in limited(found, limit, most=50)
        ]
        return {"account_id": account_id, "name": account["name"], "posts": posts, "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _notification(self, notification_id: str) -> Record:
        return self.get("notifications", notification_id, "notification", "list_notifications shows them")

    def _account(self, account_id: str) -> Record:
        return self.get("accounts", account_id, "official account", "list_official_accounts shows them")


def _short(row: Record) -> dict[str, Any]:
    """A notification in a listing."""
    body = row["body"]
    return {
        "notification_id": row["notification_id"],
        "source": row["source"],
        "type": row["type"],
        "title": row["title"],
        "body": body if len(body) <= _BODY_SHOWN else body[: _BODY_SHOWN - 3] + "...",
        "ref": row["ref"],
        "at": row["at"],
        "read": row["read"],
    }
