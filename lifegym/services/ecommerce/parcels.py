"""How what was ordered reaches the buyer: times, parcels, states of lines and orders."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from lifegym.services.ecommerce.books import EcommerceBooks
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["UNSHIPPED", "EcommerceParcels"]

UNSHIPPED = ("placed", "back_ordered", "packed")
RANK = {"placed": 0, "back_ordered": 0, "packed": 1, "shipped": 2, "out_for_delivery": 3, "delivered": 4, "returned": 5}
BY_RANK = ("placed", "packed", "shipped", "out_for_delivery", "delivered", "returned")
CARRIER_SAYS = {
    "picked_up": "shipped",
    "in_transit": "shipped",
    "out_for_delivery": "out_for_delivery",
    "delivered": "delivered",
    "returned": "returned",
}
PACKED_BEFORE = 3 * clock.HOUR
LEAVES_AT = "08:00"
_TITLES = {"shipped": "is on its way", "delivered": "was delivered", "returned": "went back to the merchant"}


class EcommerceParcels(EcommerceBooks):
    """The way of an order."""

    # -- times ---------------------------------------------------------------------------------------------------

    def _at(self, day: dt.date, time: str) -> int:
        return clock.moment(f"D+0 {time}", day, self.world.zone)

    def _day_of(self, instant: int) -> dt.date:
        return clock.local(instant, self.world.zone).date()

    def _times(self, sku: Record, product: Record, placed: int, express: bool) -> dict[str, str]:
        """When a line that is ordered at an instant is shipped and expected."""
        merchant = self._merchant(product["merchant_id"])
        wait = merchant["dispatch_days"] if product["dispatch_days"] is None else product["dispatch_days"]
        day = self._day_of(placed)
        if not wait and (day.weekday() > 4 or placed >= self._at(day, merchant["pickup_time"])):
            wait = 1
        ships = _working_day(day, wait)
        if sku["ships_on"]:
            ships = max(ships, clock.parse_day(sku["ships_on"]))
        return self._journey(merchant, product, ships, express)

    def _journey(self, merchant: Record, product: Record, ships: dt.date, express: bool) -> dict[str, str]:
        """The instants of shipping on a day and of the delivery that follows."""
        transit = merchant["transit_days"] if product["transit_days"] is None else product["transit_days"]
        comes = _working_day(ships, merchant["express_days"] if express else transit)
        return {
            "ships_at": self.world.iso(self._at(ships, merchant["pickup_time"])),
            "expected_at": self.world.iso(self._at(comes, merchant["delivery_time"])),
        }

    # -- parcels -------------------------------------------------------------------------------------------------

    def _send(self, order: Record) -> None:
        """Put the lines of an order that have no parcel yet into parcels: what leaves a merchant together."""
        parcels: dict[tuple[str, str, str], str] = {}
        for item in self._items(order):
            if item["tracking_no"] or item["status"] not in UNSHIPPED:
                continue
            merchant_id = self._product(item["product_id"])["merchant_id"]
            key = merchant_id, item["ships_at"], item["expected_at"]
            if key not in parcels:
                parcels[key] = f"EC{self.world.code('parcel', 9, '0123456789')}"
            self.patch("order_items", item["item_id"], tracking_no=parcels[key])
        for tracking_no in parcels.values():
            self._announce(order, tracking_no)
            self._await_steps(order, tracking_no)

    def _in_parcel(self, order: Record, tracking_no: str) -> list[Record]:
        return [item for item in self._items(order) if item["tracking_no"] == tracking_no]

    def _announce(self, order: Record, tracking_no: str) -> None:
        """Tell the carrier, where there is one, what a parcel holds and when it goes."""
        if not tracking_no or not self.world.has("delivery_logistics"):
            return
        held = self._in_parcel(order, tracking_no)
        merchant = self._merchant(self._product(held[0]["product_id"])["merchant_id"])
        live = [item for item in held if item["status"] != "cancelled"]
        address = {part: text for part, text in order["address"].items() if part != "address_id"}
        self.world.emit(
            "ship",
            tracking_no=tracking_no,
            user_id=order["user_id"],
            sender=merchant["name"],
            origin={part: text for part, text in merchant["address"].items() if part != "address_id"},
            destination=address,
            items=[
                {
                    "description": _described(item),
                    "qty": item["qty"] - item["cancelled_qty"],
                    "ref": item["sku_id"],
                }
                for item in live
            ],
            ref=order["order_id"],
            collect_at=held[0]["ships_at"] or "",
            deliver_at=held[0]["expected_at"] or "",
            service_type=order["delivery"],
            weight_kg=round(
                sum(self._sku(item["sku_id"])["weight_kg"] * (item["qty"] - item["cancelled_qty"]) for item in live),
                3,
            ),
        )

    def _carried(self, tracking_no: str) -> bool:
        """Whether the carrier of this world has the parcel."""
        return self.world.has("delivery_logistics") and (
            self.world.table("delivery_logistics.shipments").find(tracking_no) is not None
        )

    def _await_steps(self, order: Record, tracking_no: str) -> None:
        """Put the states that a parcel goes through on the agenda."""
        item = next(iter(self._in_parcel(order, tracking_no)), None)
        if item is None or item["ships_at"] is None or item["expected_at"] is None:
            return
        ships, comes = self.seconds(item["ships_at"]), self.seconds(item["expected_at"])
        leaves = max(ships, min(self._at(self._day_of(comes), LEAVES_AT), comes - clock.HOUR // 2))
        plan = f"{item['ships_at']}|{item['expected_at']}"
        for to, at in (
            ("packed", ships - PACKED_BEFORE),
            ("shipped", ships),
            ("out_for_delivery", leaves),
            ("delivered", comes),
        ):
            if RANK[to] > RANK.get(item["status"], 5):
                self.later(
                    max(at, self.now),
                    "advance",
                    order_id=order["order_id"],
                    tracking_no=tracking_no,
                    to=to,
                    plan=plan,
                )

    def advance(self, order_id: str, tracking_no: str, to: str, plan: str) -> None:
        """Move a parcel's lines to a state when that is due. What the carrier has is moved by the carrier's word."""
        order = self.find("orders", order_id)
        if order is None or (to != "packed" and self._carried(tracking_no)):
            return
        lines = [
            item for item in self._in_parcel(order, tracking_no) if f"{item['ships_at']}|{item['expected_at']}" == plan
        ]
        self._move(order, lines, to)

    def _move(self, order: Record, lines: list[Record], to: str) -> list[Record]:
        """Let lines reach a state. Returns those that were not there yet."""
        moved = [item for item in lines if RANK[to] > RANK.get(item["status"], 5)]
        if not moved:
            return []
        for item in moved:
            changes: dict[str, Any] = {"status": to}
            if to == "delivered":
                changes |= {
                    "delivered_at": self.stamp(),
                    "return_until": self._return_until(item["product_id"], self.now),
                }
            self.patch("order_items", item["item_id"], **changes)
        self._settle_status(order)
        if to in _TITLES:
            title = f"Order {order['order_id']} {_TITLES[to]}"
            parcel = f" (parcel {moved[0]['tracking_no']})" if moved[0]["tracking_no"] else ""
            text = f"{len(moved)} of {len(order['item_ids'])} order line(s){parcel}."
            self.world.notify(self.name, "order_status", title, text, ref=order["order_id"], user_id=order["user_id"])
        return moved

    def _return_until(self, product_id: str, delivered: int) -> str | None:
        """The last day on which a product that was delivered at an instant can be given back."""
        product = self._product(product_id)
        if not product["returnable"]:
            return None
        days = product["return_days"]
        if days is None:
            days = self._merchant(product["merchant_id"])["return_days"]
        return (self._day_of(delivered) + dt.timedelta(days=days)).isoformat()

    # -- states --------------------------------------------------------------------------------------------------

    def _settle_status(self, order: Record) -> Record:
        """Bring the state of an order in line with its lines, and report it where it changed."""
        status = self._state_of(self._items(order))
        if status == order["status"]:
            return order
        order = self.patch("orders", order["order_id"], status=status)
        self.world.emit(
            "status",
            source=self.name,
            ref=order["order_id"],
            status=status,
            title=f"Order {order['order_id']}: {status.replace('_', ' ')}",
            body=f"The order of {order['placed_at'][:10]} is now {status.replace('_', ' ')}.",
        )
        return order

    @staticmethod
    def _state_of(items: list[Record]) -> str:
        """The state of an order with these lines."""
        ranks = [RANK[item["status"]] for item in items if item["status"] != "cancelled"]
        if not ranks:
            return "cancelled" if items else "placed"
        least, most = min(ranks), max(ranks)
        return "partly_shipped" if least < 2 <= most else BY_RANK[least]

    def _retime(self, order: Record, lines: list[Record], times: Mapping[str, str]) -> None:
        """Give lines of one parcel other times. Where others stay in it, these get a parcel of their own."""
        ids = {item["item_id"] for item in lines}
        old = lines[0]["tracking_no"]
        staying = [
            item for item in self._in_parcel(order, old) if item["item_id"] not in ids and item["status"] != "cancelled"
        ]
        number = f"EC{self.world.code('parcel', 9, '0123456789')}" if staying else old
        for item in lines:
            self.patch("order_items", item["item_id"], tracking_no=number, **times)
        for tracking_no in dict.fromkeys((old, number)):
            self._announce(order, tracking_no)
        self._await_steps(order, number)


def _working_day(day: dt.date, number: int) -> dt.date:
    """The day from Monday to Friday that is this many after a day."""
    while number > 0:
        day += dt.timedelta(days=1)
        if day.weekday() < 5:
            number -= 1
    return day


def _described(item: Record) -> str:
    options = ", ".join(item["options"].values())
    return f"{item['title'] or item['sku_id']}{f' ({options})' if options else ''}"
