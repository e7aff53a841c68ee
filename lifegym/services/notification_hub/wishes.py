"""What the assistant asks to be told of: subscriptions and price alerts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.notification_hub.conditions import parse_condition
from lifegym.services.notification_hub.inventory import NotificationHubInventory
from lifegym.services.notification_hub.records import Direction
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["Name", "NotificationHubWishes"]

_WISH_LIMIT = 100
Name = Annotated[str, Field(min_length=1, max_length=120)]
Condition = str | dict[str, Any] | None


class NotificationHubWishes(NotificationHubInventory):
    """The tools of subscriptions and price alerts."""

    # -- tools: subscriptions ------------------------------------------------------------------------------------

    @tool(write=True)
    def create_subscription(
        self, user_id: Name, source: str, type: Name, target: Name, condition_json: Condition = None
    ) -> dict[str, Any]:
        """Ask to be told when something happens to one thing. Each time it does, a turn opens for it.

        Args:
            user_id: For whom.
            source: A service, e.g. flight_booking, or an official account from list_official_accounts.
            type: What it is about in a word or two, e.g. status, or price for changes of a price.
            target: The id of the thing as its service names it, or * for all that the source reports. For an official
                account: *, or a text that a post must contain.
            condition_json: Only if this holds, as an object or JSON text: {"status": "cancelled"} or a list of them,
                {"changed": true}, {"below_minor": 5000}, {"above_minor": 5000} (prices in minor units, inclusive).

        Returns:
            subscription_id, user_id, source, type, target, condition, status, created_at, last_seen, last_fired_at,
            fired (how often).

        Errors:
            unknown_source: source is no service here and no official account; the message lists them.
            bad_condition: The condition is no JSON object or has unknown keys or values; the message lists the
                known. An official account takes none.
            exists: The same subscription is there already; the message names it.
            too_many: The user has 100 subscriptions; delete some.
        """
        condition = parse_condition(condition_json)
        self._check_source(source, condition)
        mine = [row for row in self.rows("subscriptions") if row["user_id"] == user_id]
        self._check_new(mine, "", (source, type, target, condition))
        if len(mine) >= _WISH_LIMIT:
            raise ToolError("too_many", f"a user has at most {_WISH_LIMIT} subscriptions; delete_subscription ends one")
        return self.put(
            "subscriptions",
            subscription_id=self.new_id("sub"),
            user_id=user_id,
            source=source,
            type=type,
            target=target,
            condition=condition,
            created_at=self.stamp(),
        )

    @tool(write=False)
    def list_subscriptions(self, user_id: str, status: Literal["active", "paused"] | None = None) -> dict[str, Any]:
        """List a user's subscriptions.

        Args:
            user_id: Whose.
            status: active or paused; both if left out.

        Returns:
            subscriptions: as create_subscription returns them, oldest first, at most 200; total.
        """
        found = [
            row
            for row in self.rows("subscriptions")
            if row["user_id"] == user_id and (status is None or row["status"] == status)
        ]
        return {"subscriptions": found[:200], "total": len(found)}

    @tool(write=False)
    def get_subscription(self, subscription_id: str) -> dict[str, Any]:
        """Show one subscription.

        Args:
            subscription_id: From list_subscriptions.

        Returns:
            subscription_id, user_id, source, type, target, condition, status, created_at, last_seen (status or price
            that was reported last), last_fired_at, fired (how often).

        Errors:
            not_found: There is no such subscription.
        """
        return self._subscription(subscription_id)

    @tool(write=True)
    def update_subscription(
        self,
        subscription_id: str,
        target: Name | None = None,
        source: str | None = None,
        condition_json: Condition = None,
    ) -> dict[str, Any]:
        """Change what a subscription is about. What is left out stays.

        Args:
            subscription_id: From list_subscriptions.
            target: New id of the thing, or *.
            source: New service or official account.
            condition_json: New condition, whole; {} for none.

        Returns:
            The subscription as get_subscription shows it.

        Errors:
            not_found: There is no such subscription.
            nothing_to_change: None of target, source and condition_json is given.
            unknown_source: source is no service here and no official account; the message lists them.
            bad_condition: The condition is no JSON object or has unknown keys or values; the message lists the
                known. An official account takes none.
            exists: Another subscription is the same already; the message names it.
        """
        row = self._subscription(subscription_id)
        if target is None and source is None and condition_json is None:
            raise ToolError("nothing_to_change", "give a new target, source or condition_json")
        source = row["source"] if source is None else source
        target = row["target"] if target is None else target
        condition = row["condition"] if condition_json is None else parse_condition(condition_json)
        self._check_source(source, condition)
        mine = [other for other in self.rows("subscriptions") if other["user_id"] == row["user_id"]]
        self._check_new(mine, subscription_id, (source, row["type"], target, condition))
        changes = {"source": source, "target": target, "condition": condition}
        return self.patch("subscriptions", subscription_id, **changes, last_seen="")

    @tool(write=True)
    def pause_subscription(self, subscription_id: str) -> dict[str, Any]:
        """Let a subscription rest: nothing is told until resume_subscription.

        Args:
            subscription_id: From list_subscriptions.

        Returns:
            The subscription, now paused.

        Errors:
            not_found: There is no such subscription.
            already_paused: It rests already.
        """
        if self._subscription(subscription_id)["status"] == "paused":
            raise ToolError("already_paused", f"{subscription_id} is paused already; resume_subscription wakes it")
        return self.patch("subscriptions", subscription_id, status="paused")

    @tool(write=True)
    def resume_subscription(self, subscription_id: str) -> dict[str, Any]:
        """Wake a paused subscription. What happened meanwhile is not told.

        Args:
            subscription_id: From list_subscriptions.

        Returns:
            The subscription, now active.

        Errors:
            not_found: There is no such subscription.
            not_paused: It is active.
        """
        if self._subscription(subscription_id)["status"] == "active":
            raise ToolError("not_paused", f"{subscription_id} is active; there is nothing to resume")
        return self.patch("subscriptions", subscription_id, status="active")

    @tool(write=True)
    def delete_subscription(self, subscription_id: str) -> dict[str, Any]:
        """End a subscription for good.

        Args:
            subscription_id: From list_subscriptions.

        Returns:
            subscription_id, deleted (true).

        Errors:
            not_found: There is no such subscription.
        """
        self._subscription(subscription_id)
        self.drop("subscriptions", subscription_id)
        return {"subscription_id": subscription_id, "deleted": True}

    # -- tools: price alerts -------------------------------------------------------------------------------------

    @tool(write=True)
    def create_price_alert(
        self,
        user_id: Name,
        item_ref: Name,
        target_price_minor: Annotated[int, Field(ge=0, le=10**12)],
        direction: Direction = "below",
    ) -> dict[str, Any]:
        """Ask to be told once when a price reaches a target. It rings at the next change of the price that does so.

        Args:
            user_id: For whom.
            item_ref: The id of the offer, product, room or share as its service names it.
            target_price_minor: The price in minor units of the item's currency (cents, fen; yen have none).
            direction: below rings at this price or less, above at this price or more.

        Returns:
            alert_id, user_id, item_ref, target_price_minor, direction, status (active), created_at, triggered_at,
            triggered_price_minor, currency (the last three null until it rings).

        Errors:
            exists: The same alert waits already; the message names it.
            too_many: The user has 100 alerts waiting.
        """
        waiting = [row for row in self.rows("price_alerts") if row["user_id"] == user_id and row["status"] == "active"]
        for row in waiting:
            waits_for = row["item_ref"], row["target_price_minor"], row["direction"]
            if waits_for == (item_ref, target_price_minor, direction):
                raise ToolError("exists", f"{row['alert_id']} waits for this already")
        if len(waiting) >= _WISH_LIMIT:
            raise ToolError("too_many", f"at most {_WISH_LIMIT} price alerts can wait; let some ring first")
        return self.put(
            "price_alerts",
            alert_id=self.new_id("alert"),
            user_id=user_id,
            item_ref=item_ref,
            target_price_minor=target_price_minor,
            direction=direction,
            created_at=self.stamp(),
        )

    @tool(write=False)
    def list_price_alerts(self, user_id: str) -> dict[str, Any]:
        """List a user's price alerts, those that have rung included, newest first.

        Args:
            user_id: Whose.

        Returns:
            alerts: as create_price_alert returns them, at most 200; status is active or triggered; total.
        """
        found = [row for row in self._newest_first("price_alerts") if row["user_id"] == user_id]
        return {"alerts": found[:200], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _subscription(self, subscription_id: str) -> Record:
        return self.get("subscriptions", subscription_id, "subscription", "list_subscriptions shows them")

    def _check_source(self, source: str, condition: Mapping[str, Any]) -> None:
        """Refuse a source that reports nothing here, or nothing that a condition could be about.

        Raises:
            ToolError: ``unknown_source``, ``bad_condition``.
        """
        services = [name for name in self.world.services if name != self.name]
        if self.find("accounts", source) is not None:
            if condition:
                raise ToolError("bad_condition", f"{source} is an account: leave condition_json out, target narrows it")
        elif source not in services:
            known = [*services, *(row["account_id"] for row in self.rows("accounts"))]
            raise ToolError(
                "unknown_source", f"{source[:60]!r} reports nothing here; sources are {', '.join(known[:60])}"
            )

    @staticmethod
    def _check_new(rows: list[Record], subscription_id: str, wish: tuple[Any, ...]) -> None:
        """Refuse a second subscription to the same.

        Raises:
            ToolError: ``exists``.
        """
        for row in rows:
            same = (row["source"], row["type"], row["target"], row["condition"]) == wish
            if same and row["subscription_id"] != subscription_id:
                raise ToolError("exists", f"{row['subscription_id']} is the same already ({row['status']})")
