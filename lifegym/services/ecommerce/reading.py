"""Looking at what is the user's: addresses, orders, messages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lifegym.services.base import limited
from lifegym.services.ecommerce.records import OrderStatus
from lifegym.services.ecommerce.searching import EcommerceSearching
from lifegym.services.tools import tool
from lifegym.world.record import Record

__all__ = ["EcommerceReading"]

BODY_SHOWN = 1500


class EcommerceReading(EcommerceSearching):
    """The tools that show what a user has there, carts left out."""

    # -- tools: addresses and orders -----------------------------------------------------------------------------

    @tool(write=False)
    def list_addresses(self, user_id: str) -> dict[str, Any]:
        """List the addresses that a user has saved.

        Args:
            user_id: Whose.

        Returns:
            addresses: address_id, recipient, phone, country, province, city, district, detail, postal_code,
            is_default.
        """
        return {"addresses": [row for row in self.rows("addresses") if row["user_id"] == user_id][:100]}

    @tool(write=False)
    def list_orders(self, user_id: str, status_filter: OrderStatus | None = None, limit: int = 20) -> dict[str, Any]:
        """List a user's orders, newest first.

        Args:
            user_id: Whose.
            status_filter: placed, packed, partly_shipped, shipped, out_for_delivery, delivered, returned or cancelled.
            limit: How many at most, up to 100.

        Returns:
            orders: order_id, placed_at, status, total_minor, refunded_minor, currency, items (item_id, sku_id, title,
            qty, status, expected_at); total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        found = [
            row
            for row in self.table("orders").derive("newest", self._newest)
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        fields = ("order_id", "placed_at", "status", "total_minor", "refunded_minor", "currency")
        brief = ("item_id", "sku_id", "title", "qty", "status", "expected_at")
        return {
            "orders": [
                {
                    **{field: order[field] for field in fields},
                    "items": [{field: item[field] for field in brief} for item in self._items(order)],
                }
                for order in limited(found, limit, 100)
            ],
            "total": len(found),
        }

    @tool(write=False)
    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show one order: its lines, address, money, parcels and refunds.

        Args:
            order_id: From list_orders.

        Returns:
            order_id, user_id, placed_at, status, address (as it was used), payment_method_id, delivery, items_minor,
            discount_minor, tax_minor, shipping_minor, total_minor, refunded_minor, currency, codes (coupons), note;
            items: item_id, product_id, sku_id, title, options, qty, unit_price_minor, total_minor (with its shares
            of discount and tax), lot, status, cancelled_qty, returned_qty, refunded_minor, ships_at, expected_at,
            delivered_at, return_until, tracking_no, substituted_for, recall, reason; refunds: refund_id, item_id, qty,
            kind, status, amount_minor, refunded_minor, due_at, note; can_cancel (the item_ids that are not shipped).

        Errors:
            not_found: There is no such order.
        """
        order = self._order(order_id)
        return {
            **{field: value for field, value in order.items() if field != "item_ids"},
            "items": self._items(order),
            "refunds": [row for row in self.rows("refunds") if row["order_id"] == order_id][:200],
            "can_cancel": [item["item_id"] for item in self._cancellable(order)],
        }

    @tool(write=False)
    def track_order(self, order_id: str) -> dict[str, Any]:
        """Show where an order's parcels are and when they come.

        Args:
            order_id: From list_orders.

        Returns:
            order_id, status, address (its fields); parcels: tracking_no (for the carrier; empty if there is none yet),
            status, ships_at, expected_at, delivered_at, items (item_id, sku_id, title, qty, status).

        Errors:
            not_found: There is no such order.
        """
        order = self._order(order_id)
        parcels: dict[str, list[Record]] = {}
        for item in self._items(order):
            if item["status"] != "cancelled":
                parcels.setdefault(item["tracking_no"], []).append(item)
        brief = ("item_id", "sku_id", "title", "status")
        return {
            "order_id": order_id,
            "status": order["status"],
            "address": order["address"],
            "parcels": [
                {
                    "tracking_no": tracking_no,
                    **{field: held[0][field] for field in ("status", "ships_at", "expected_at", "delivered_at")},
                    "items": [
                        {**{field: item[field] for field in brief}, "qty": item["qty"] - item["cancelled_qty"]}
                        for item in held
                    ],
                }
                for tracking_no, held in parcels.items()
            ],
        }

    # -- tools: messages -----------------------------------------------------------------------------------------

    @tool(write=False)
    def list_messages(
        self, user_id: str, order_id: str | None = None, message_id: str | None = None, limit: int = 20
    ) -> dict[str, Any]:
        """List what a user and merchants have written to each other, newest first.

        Args:
            user_id: Whose messages.
            order_id: Only about this order.
            message_id: Only this message, in full length.
            limit: How many at most, up to 50.

        Returns:
            messages: message_id, merchant_id, order_id, product_id, sender (user or merchant), body (cut after 1500
            characters, with a mark), at; total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 50.
        """
        found = [
            row
            for row in self.rows("messages")
            if row["user_id"] == user_id
            and (order_id is None or row["order_id"] == order_id)
            and (message_id is None or row["message_id"] == message_id)
        ]
        found.sort(key=lambda row: self.seconds(row["at"]))
        found.reverse()
        shown = limited(found, limit, 50)
        return {"messages": shown if message_id else [_brief(row) for row in shown], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _newest(self, orders: Iterable[Record]) -> list[Record]:
        return sorted(orders, key=lambda row: self.seconds(row["placed_at"]), reverse=True)


def _brief(row: Record) -> dict[str, Any]:
    body = row["body"]
    if len(body) > BODY_SHOWN:
        more = len(body) - BODY_SHOWN
        body = f"{body[:BODY_SHOWN]} [{more} more characters: list_messages with message_id {row['message_id']}]"
    return {**row, "body": body}
