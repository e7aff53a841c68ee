"""What an online shop does by itself: prices change, orders move and stumble, merchants answer and pay back."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.ecommerce.parcels import CARRIER_SAYS, RANK, UNSHIPPED
from lifegym.services.ecommerce.pricing import Line, price
from lifegym.services.ecommerce.settling import OPEN_REFUNDS
from lifegym.services.ecommerce.shelves import EcommerceShelves
from lifegym.services.tools import happening, listens
from lifegym.services.types import Day
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["EcommerceLife"]


class EcommerceLife(EcommerceShelves):
    """What happens to orders. ``ref`` is an order, one of its lines, an SKU, a product or a tracking number."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def delay_order(self, ref: str, days: Annotated[int, Field(ge=1, le=120)]) -> list[str]:
        """What is not delivered yet comes some days later; what is not shipped yet leaves later as well."""
        lines = [item for item in self._lines(ref) if RANK[item["status"]] < 4 and item["expected_at"]]
        for order, held in self._by_parcel(lines):
            times = {"expected_at": self._shifted(held[0]["expected_at"], days)}
            if held[0]["status"] in UNSHIPPED and held[0]["ships_at"]:
                ships = times["ships_at"] = self._shifted(held[0]["ships_at"], days)
                while self.seconds(times["expected_at"]) <= self.seconds(ships):  # a weekend lay between them
                    times["expected_at"] = self._shifted(times["expected_at"], 1)
            elif held[0]["tracking_no"]:  # nobody takes a line out of a parcel on its way
                held = [item for item in self._in_parcel(order, held[0]["tracking_no"]) if item["status"] in RANK]
            self._retime(order, held, times)
        return [item["item_id"] for item in lines]

    @happening
    def back_order(self, ref: str, until: Day) -> list[str]:
        """Lines that are not shipped are split off into a parcel of their own, which leaves on a day."""
        day = clock.parse_day(until)
        lines = [item for item in self._lines(ref) if item["status"] in UNSHIPPED] if day >= self.today() else []
        for order, held in self._by_parcel(lines):
            product = self._product(held[0]["product_id"])
            merchant = self._merchant(product["merchant_id"])
            times = self._journey(merchant, product, day, order["delivery"] == "express")
            for item in held:
                self.patch("order_items", item["item_id"], status="back_ordered", reason=f"back-ordered to {until}")
            self._retime(order, held, times)
            self._settle_status(order)
        return [item["item_id"] for item in lines]

    @happening
    def substitute(self, ref: str, new_sku_id: str) -> list[str]:
        """A merchant puts another SKU into lines that are not delivered; what was paid stays."""
        sku = self.find("skus", new_sku_id)
        lines = [item for item in self._lines(ref) if RANK[item["status"]] < 4 and item["sku_id"] != new_sku_id]
        if sku is None:
            return []
        product = self._product(sku["product_id"])
        for item in lines:
            pieces = self._remaining(item)
            self._restock(item["sku_id"], pieces)
            fresh = self._sku(new_sku_id)
            self.patch("skus", new_sku_id, stock=max(0, fresh["stock"] - pieces))
            self.patch(
                "order_items",
                item["item_id"],
                product_id=sku["product_id"],
                sku_id=new_sku_id,
                title=product["title"],
                options=sku["options"],
                lot=sku["lot"],
                substituted_for=item["substituted_for"] or item["sku_id"],
            )
            if item["tracking_no"]:
                self._announce(self._known_order(item["order_id"]), item["tracking_no"])
        return [item["item_id"] for item in lines]

    @happening
    def cancel_by_merchant(self, ref: str, reason: str) -> list[str]:
        """A merchant cancels lines (or whole orders) that are not shipped; the money goes back."""
        lines = [item for item in self._lines(ref) if item["status"] in UNSHIPPED]
        for item in lines:
            self._take_out(self._known_order(item["order_id"]), item, self._remaining(item), reason)
        return [item["item_id"] for item in lines]

    @happening
    def deliver(self, ref: str) -> list[str]:
        """Lines arrive now. What a carrier of this world has is delivered there."""
        lines = [
            item for item in self._lines(ref) if RANK[item["status"]] < 4 and not self._carried(item["tracking_no"])
        ]
        for item in lines:
            self._move(self._known_order(item["order_id"]), [item], "delivered")
        return [item["item_id"] for item in lines]

    @happening
    def recall(self, ref: str, text: str, lots: list[str] | None = None) -> list[str]:
        """A product is recalled: it goes off sale, and lines of the lots (all if left out) can be given back any day.

        Orders and the product show the text.
        """
        skus = self._skus_meant(ref)
        touched = []
        for product_id in dict.fromkeys(sku["product_id"] for sku in skus):
            self.patch("products", product_id, on_sale=False, notice=text)
            touched.append(product_id)
        known = {sku["sku_id"] for sku in skus}
        for item in list(self.rows("order_items")):
            if item["sku_id"] in known and (not lots or item["lot"] in lots) and item["status"] != "cancelled":
                self.patch("order_items", item["item_id"], recall=text)
                touched.append(item["item_id"])
        return touched

    @happening
    def merchant_message(
        self, body: str, order_id: str = "", product_id: str = "", user_id: str | None = None
    ) -> list[str]:
        """A merchant writes to a user about an order or a product."""
        order, product = self.find("orders", order_id), self.find("products", product_id)
        about = product_id if product is not None else ""
        if order is not None and order["item_ids"]:
            item = self.find("order_items", order["item_ids"][0])
            product = product or (self._product(item["product_id"]) if item is not None else None)
        if product is None:
            return []
        reader = user_id or (order["user_id"] if order is not None else self.world.owner)
        message = self._write(reader, product["merchant_id"], "merchant", body, order_id if order else "", about)
        return [message["message_id"]]

    @happening
    def refund(self, ref: str, amount_minor: Annotated[int, Field(gt=0)] | None = None, note: str = "") -> list[str]:
        """A merchant pays open refunds (ref may be one's id), all of what is open or an amount of it.

        Those of cancelled lines count too. Where none is open and there is an amount, it is paid on the newest of the
        lines as goodwill. Nothing is paid beyond what a line cost.
        """
        lines = self._lines(ref)
        ids = {item["item_id"] for item in self._lines(ref, cancelled=True)}
        waiting = [
            row
            for row in self.rows("refunds")
            if row["status"] in OPEN_REFUNDS and (row["item_id"] in ids or ref in (row["refund_id"], row["order_id"]))
        ]
        for row in waiting:
            left = row["amount_minor"] - row["refunded_minor"]
            self._pay_out(row, left if amount_minor is None else min(left, amount_minor), note)
        if waiting:
            return [row["refund_id"] for row in waiting]
        for item in reversed(lines):
            amount = min(amount_minor or 0, item["total_minor"] - item["refunded_minor"])
            if amount > 0 and item["status"] != "cancelled":
                order = self._known_order(item["order_id"])
                return [self._open_refund(order, item, 0, amount, "goodwill", note, 0)["refund_id"]]
        return []

    @happening
    def decline_refund(self, ref: str, note: str) -> list[str]:
        """A merchant declines requests for a refund that nothing was paid on; they can be made again."""
        ids = {item["item_id"] for item in self._lines(ref)}
        waiting = [
            row
            for row in self.rows("refunds")
            if row["status"] == "requested"
            and row["kind"] == "return"
            and (row["item_id"] in ids or row["refund_id"] == ref)
        ]
        for row in waiting:
            self.patch("refunds", row["refund_id"], status="declined", note=note, closed_at=self.stamp())
            item = self.find("order_items", row["item_id"])
            if item is not None:
                self.patch("order_items", item["item_id"], returned_qty=item["returned_qty"] - row["qty"])
        return [row["refund_id"] for row in waiting]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        self._fill_shelves()
        by_order: dict[str, list[str]] = {}
        for item in self.rows("order_items"):
            by_order.setdefault(item["order_id"], []).append(item["item_id"])
        for order in list(self.rows("orders")):
            ids = by_order.get(order["order_id"], [])
            if order["item_ids"] != ids:
                order = self.patch("orders", order["order_id"], item_ids=ids)
            if any(not self._known_item(item_id)["total_minor"] for item_id in ids):
                order = self._completed(order)
            self._set_out(order)
        for row in self.rows("refunds"):
            if row["status"] == "requested" and row["due_at"]:
                self.later(max(self.seconds(row["due_at"]), self.now), "pay_refund", refund_id=row["refund_id"])

    @listens("parcel")
    def take_parcel_news(self, tracking_no: str, status: str, deliver_at: str) -> None:
        """Follow what the carrier says of a parcel."""
        lines = [item for item in self.rows("order_items") if item["tracking_no"] == tracking_no]
        for order, held in self._by_parcel(lines):
            late = [item for item in held if item["expected_at"] != deliver_at and RANK.get(item["status"], 5) < 4]
            if deliver_at and late:
                for item in late:
                    self.patch("order_items", item["item_id"], expected_at=deliver_at)
                self._await_steps(order, tracking_no)
            to = CARRIER_SAYS.get(status)
            if to is None:
                continue
            moved = self._move(order, self._in_parcel(order, tracking_no), to)
            if to == "returned":
                self._take_back(order, moved)

    # -- inside --------------------------------------------------------------------------------------------------

    def _lines(self, ref: str, cancelled: bool = False) -> list[Record]:
        """The lines of an order, an SKU, a product or a parcel, or one line; those that are off only if asked for."""
        if not ref:
            return []
        fields = ("order_id", "item_id", "sku_id", "product_id", "tracking_no")
        return [
            item
            for item in self.rows("order_items")
            if (cancelled or item["status"] not in ("cancelled", "returned"))
            and ref in [item[field] for field in fields]
        ]

    def _by_parcel(self, lines: Sequence[Record]) -> list[tuple[Record, list[Record]]]:
        """The lines by order and parcel, with the order."""
        groups: dict[tuple[str, str], list[Record]] = {}
        for item in lines:
            groups.setdefault((item["order_id"], item["tracking_no"]), []).append(item)
        return [(self._known_order(order_id), held) for (order_id, _), held in groups.items()]

    def _shifted(self, stamp: str, days: int) -> str:
        """The same time of day some days later, on a day from Monday to Friday."""
        moment = clock.local(self.seconds(stamp), self.world.zone)
        day = moment.date() + dt.timedelta(days=days)
        while day.weekday() > 4:
            day += dt.timedelta(days=1)
        return self.world.iso(self._at(day, moment.strftime("%H:%M")))

    def _completed(self, order: Record) -> Record:
        """An order of before with the sums and texts that follow from its lines."""
        items = self._items(order)
        lines = []
        for item in items:
            product = self._product(item["product_id"])
            net = item["unit_price_minor"] * item["qty"]
            rate = item["tax_bp"] or product["tax_bp"]
            lines.append(Line(net - item["discount_minor"], rate, product["category"], product["merchant_id"]))
        taxes = price(lines, []).taxes
        for item, line, tax in zip(items, lines, taxes, strict=True):
            sku, product = self._sku(item["sku_id"]), self._product(item["product_id"])
            self.patch(
                "order_items",
                item["item_id"],
                title=item["title"] or product["title"],
                options=item["options"] or sku["options"],
                lot=item["lot"] or sku["lot"],
                net_minor=line.net + item["discount_minor"],
                tax_bp=line.tax_bp,
                tax_minor=tax,
                total_minor=line.net + tax,
            )
        sums = {
            field: sum(item[field] for item in self._items(order))
            for field in ("net_minor", "discount_minor", "tax_minor")
        }
        return self.patch(
            "orders",
            order["order_id"],
            items_minor=sums["net_minor"],
            discount_minor=sums["discount_minor"],
            tax_minor=sums["tax_minor"],
            total_minor=sums["net_minor"] - sums["discount_minor"] + sums["tax_minor"] + order["shipping_minor"],
        )

    def _set_out(self, order: Record) -> None:
        """Give an order of before its state, the times of its lines, and its parcels."""
        for item in self._items(order):
            changes: dict[str, Any] = {}
            if item["status"] in UNSHIPPED and not (item["ships_at"] and item["expected_at"]):
                product, express = self._product(item["product_id"]), order["delivery"] == "express"
                if item["ships_at"]:
                    day = self._day_of(self.seconds(item["ships_at"]))
                    times = self._journey(self._merchant(product["merchant_id"]), product, day, express)
                else:
                    placed = max(self.seconds(order["placed_at"]), self.now)
                    times = self._times(self._sku(item["sku_id"]), product, placed, express)
                changes = {field: item[field] or at for field, at in times.items()}
            if item["status"] == "delivered" and item["return_until"] is None:
                delivered = item["delivered_at"] or item["expected_at"] or order["placed_at"]
                changes |= {
                    "delivered_at": delivered,
                    "return_until": self._return_until(item["product_id"], self.seconds(delivered)),
                }
            if changes:
                self.patch("order_items", item["item_id"], **changes)
        items = self._items(order)
        status = self._state_of(items)
        if items and order["status"] != status:
            order = self.patch("orders", order["order_id"], status=status)
        self._send(order)
        for tracking_no in dict.fromkeys(item["tracking_no"] for item in items):
            if tracking_no:
                self._await_steps(order, tracking_no)

    def _take_back(self, order: Record, lines: Sequence[Record]) -> None:
        """Refund what came back to the merchant without being delivered."""
        for item in lines:
            merchant = self._merchant(self._product(item["product_id"])["merchant_id"])
            pieces = self._remaining(item)
            amount = self._worth(item, pieces)
            self.patch("order_items", item["item_id"], returned_qty=item["returned_qty"] + pieces)
            self._restock(item["sku_id"], pieces)
            fresh = self._known_order(order["order_id"])
            self._open_refund(fresh, item, pieces, amount, "return", "parcel returned", merchant["refund_days"])

    def check_invariants(self) -> None:
        paid: dict[str, int] = {}
        by_order: dict[str, int] = {}
        for row in self.rows("refunds"):
            assert row["refunded_minor"] <= row["amount_minor"], row
            assert (row["status"] == "refunded") <= (row["refunded_minor"] == row["amount_minor"]), row
            paid[row["item_id"]] = paid.get(row["item_id"], 0) + row["refunded_minor"]
            by_order[row["order_id"]] = by_order.get(row["order_id"], 0) + row["refunded_minor"]
        for order in self.rows("orders"):
            items = self._items(order)
            assert len(items) == len(order["item_ids"]), order
            assert all(item["order_id"] == order["order_id"] for item in items), order
            assert order["refunded_minor"] == by_order.get(order["order_id"], 0), order
            if items:
                assert order["status"] == self._state_of(items), order
                assert order["total_minor"] == sum(i["total_minor"] for i in items) + order["shipping_minor"], order
                assert order["refunded_minor"] <= order["total_minor"], order
        for item in self.rows("order_items"):
            self._product(item["product_id"])
            assert item["cancelled_qty"] + item["returned_qty"] <= item["qty"], item
            assert (item["status"] == "cancelled") <= (item["cancelled_qty"] > 0), item
            assert (item["returned_qty"] > 0) <= (item["status"] not in UNSHIPPED), item
            assert (item["delivered_at"] is not None) <= (item["status"] in ("delivered", "returned")), item
            assert item["total_minor"] >= 0, item
            assert item["refunded_minor"] == paid.get(item["item_id"], 0) <= item["total_minor"], item
            if item["total_minor"]:
                net = item["net_minor"] - item["discount_minor"] + item["tax_minor"]
                assert item["total_minor"] == net, item
        for row in self.rows("cart_items"):
            assert self._sku(row["sku_id"])["product_id"] == row["product_id"], row
        for sku in self.rows("skus"):
            assert (sku["next_price_minor"] is None) == (sku["next_price_at"] is None), sku
        defaults = [row["user_id"] for row in self.rows("addresses") if row["is_default"]]
        assert len(defaults) == len(set(defaults)), defaults
