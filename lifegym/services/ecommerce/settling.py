"""How lines are cancelled and money goes back."""

from __future__ import annotations

import datetime as dt

from lifegym.services.ecommerce.parcels import UNSHIPPED, EcommerceParcels
from lifegym.services.ecommerce.pricing import share
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["OPEN_REFUNDS", "EcommerceSettling"]

OPEN_REFUNDS = ("requested", "partly_refunded", "failed")
PAYS_AT = 10 * clock.HOUR


class EcommerceSettling(EcommerceParcels):
    """Refunds and cancellations."""

    # -- refunds -------------------------------------------------------------------------------------------------

    def _open_refund(
        self, order: Record, item: Record | None, qty: int, amount: int, kind: str, reason: str, days: int | None
    ) -> Record:
        """Register a refund: paid at once (0 days), after some days, or (None) when the merchant decides."""
        due = None
        if days:
            day = self.today() + dt.timedelta(days=days)
            due = clock.day_start(day, self.world.zone) + PAYS_AT
        refund = self.put(
            "refunds",
            refund_id=self.new_id("ref"),
            order_id=order["order_id"],
            item_id=item["item_id"] if item is not None else "",
            qty=qty,
            kind=kind,
            amount_minor=amount,
            currency=order["currency"],
            reason=reason,
            requested_at=self.stamp(),
            due_at=self.world.iso(due) if due is not None else None,
        )
        if days == 0:
            return self._pay_out(refund, amount, "")
        if due is not None:
            self.later(due, "pay_refund", refund_id=refund["refund_id"])
        return refund

    def pay_refund(self, refund_id: str) -> None:
        """Pay a refund that is due."""
        refund = self.find("refunds", refund_id)
        if refund is not None and refund["status"] == "requested":
            self._pay_out(refund, refund["amount_minor"], "")

    def _pay_out(self, refund: Record, amount: int, note: str) -> Record:
        """Give money back to what the order was paid with."""
        order = self._known_order(refund["order_id"])
        if amount:
            try:
                self.pay(
                    order["payment_method_id"],
                    -amount,
                    order["currency"],
                    self._payee(order, refund["item_id"]),
                    order["order_id"],
                    f"refund {refund['refund_id']}",
                )
            except ToolError as refusal:
                self.world.notify(
                    self.name,
                    "refund_failed",
                    f"A refund for order {order['order_id']} did not go through",
                    f"{amount} {order['currency']} (minor units): {refusal.message}",
                    ref=order["order_id"],
                    user_id=order["user_id"],
                )
                return self.patch("refunds", refund["refund_id"], status="failed", note=refusal.message)
        paid = refund["refunded_minor"] + amount
        item = self.find("order_items", refund["item_id"])
        if item is not None:
            self.patch("order_items", item["item_id"], refunded_minor=item["refunded_minor"] + amount)
        self.patch("orders", order["order_id"], refunded_minor=order["refunded_minor"] + amount)
        full = paid >= refund["amount_minor"]
        return self.patch(
            "refunds",
            refund["refund_id"],
            status="refunded" if full else "partly_refunded",
            refunded_minor=paid,
            note=note or refund["note"],
            closed_at=self.stamp() if full else None,
        )

    def _known_item(self, item_id: str) -> Record:
        return self.table("order_items").find(item_id) or self._broken("order line", item_id)

    def _known_order(self, order_id: str) -> Record:
        return self.table("orders").find(order_id) or self._broken("order", order_id)

    def _payee(self, order: Record, item_id: str) -> str:
        """The merchant that the money is from: a line's, or that of the order's first line."""
        item = self.find("order_items", item_id or (order["item_ids"][0] if order["item_ids"] else ""))
        if item is None:
            return "Online shop"
        name: str = self._merchant(self._product(item["product_id"])["merchant_id"])["name"]
        return name

    def _promised(self, item_id: str) -> int:
        """What is still to be paid on a line's open refunds."""
        return sum(
            row["amount_minor"] - row["refunded_minor"]
            for row in self.rows("refunds")
            if row["item_id"] == item_id and row["status"] in OPEN_REFUNDS
        )

    def _worth(self, item: Record, qty: int) -> int:
        """What some more pieces of a line bring back; never more than is left of what was paid for it."""
        done = item["cancelled_qty"] + item["returned_qty"]
        whole = share(item["total_minor"], item["qty"], done, qty)
        left = item["total_minor"] - item["refunded_minor"] - self._promised(item["item_id"])
        return max(0, min(whole, int(left)))

    # -- cancelling ----------------------------------------------------------------------------------------------

    def _take_out(self, order: Record, item: Record, qty: int, reason: str) -> Record:
        """Cancel pieces of a line that is not shipped: stock and money go back. Returns the refund."""
        amount = self._worth(item, qty)
        cancelled = item["cancelled_qty"] + qty
        status = "cancelled" if cancelled + item["returned_qty"] >= item["qty"] else item["status"]
        item = self.patch(
            "order_items", item["item_id"], cancelled_qty=cancelled, status=status, reason=reason or item["reason"]
        )
        self._restock(item["sku_id"], qty)
        order = self._settle_status(order)
        if item["tracking_no"]:
            self._announce(order, item["tracking_no"])
        merchant = self._merchant(self._product(item["product_id"])["merchant_id"])
        days = merchant["cancel_refund_days"]
        refund = self._open_refund(order, item, qty, amount, "cancellation", reason, days)
        fresh = self._known_order(order["order_id"])
        if fresh["status"] == "cancelled" and fresh["shipping_minor"]:
            self._open_refund(fresh, None, 0, fresh["shipping_minor"], "shipping", reason, days)
        return refund

    def _restock(self, sku_id: str, qty: int) -> None:
        sku = self.find("skus", sku_id)
        if sku is not None:
            self.patch("skus", sku_id, stock=sku["stock"] + qty)

    def _remaining(self, item: Record) -> int:
        """How many pieces of a line are neither cancelled nor given back."""
        left: int = item["qty"] - item["cancelled_qty"] - item["returned_qty"]
        return left

    def _cancellable(self, order: Record) -> list[Record]:
        return [item for item in self._items(order) if item["status"] in UNSHIPPED]
