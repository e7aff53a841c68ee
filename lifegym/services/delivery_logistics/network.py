"""The carrier's network: its working days, how a parcel moves through it by the clock, and whom it tells."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from lifegym.services.base import Service
from lifegym.services.delivery_logistics.addresses import in_one_line
from lifegym.services.delivery_logistics.records import (
    ClosedDay,
    Issue,
    Pickup,
    Shipment,
    Subscription,
    Tariff,
)
from lifegym.services.search import fold
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["DONE", "DeliveryNetwork"]

DONE = ("delivered", "returned", "cancelled")
"""States that nothing follows."""
FOLLOWING = {
    "created": "picked_up",
    "picked_up": "in_transit",
    "in_transit": "out_for_delivery",
    "out_for_delivery": "delivered",
}
UNKNOWN_WAY = 5
"""Working days where no tariff says how many."""
LEAVES_AT = 8 * clock.HOUR
"""When vans leave the depot."""
_SAID = {
    "picked_up": "Collected from the sender.",
    "in_transit": "On the way to the destination depot.",
    "out_for_delivery": "On the van for delivery.",
}


class DeliveryNetwork(Service):
    """Parcels on their way."""

    name = "delivery_logistics"
    title = "Parcel carrier"
    records = {
        "shipments": Shipment,
        "tariffs": Tariff,
        "closed_days": ClosedDay,
        "pickups": Pickup,
        "issues": Issue,
        "subscriptions": Subscription,
    }

    # -- days ----------------------------------------------------------------------------------------------------

    def _works(self, day: dt.date) -> bool:
        """Whether parcels move on a day: Monday to Friday, closed days left out."""
        return day.weekday() < 5 and self.find("closed_days", day.isoformat()) is None

    def _open(self, day: dt.date) -> bool:
        """Whether vans are out on a day: Saturdays too."""
        return day.weekday() < 6 and self.find("closed_days", day.isoformat()) is None

    def _working_day(self, day: dt.date, number: int) -> dt.date:
        """The working day that is this many after a day."""
        while number > 0:
            day += dt.timedelta(days=1)
            if self._works(day):
                number -= 1
        return day

    def _next_open(self, day: dt.date) -> dt.date:
        """The day, or the first one after it on which vans are out."""
        while not self._open(day):
            day += dt.timedelta(days=1)
        return day

    def _at(self, day: dt.date, time: str) -> int:
        """The instant of a time of day in the world's zone."""
        return clock.moment(f"D+0 {time}", day, self.world.zone)

    def _day_of(self, instant: int) -> dt.date:
        return clock.local(instant, self.world.zone).date()

    def _arrival(self, tariff: Mapping[str, Any] | None, distance: str, collect_at: int) -> int:
        """When a parcel that is collected at an instant is delivered. A way that no tariff knows takes five days."""
        days = tariff[f"days_{distance}"] if tariff is not None else None
        if days == 0:
            return collect_at + 3 * clock.HOUR
        day = self._day_of(collect_at)
        late = tariff is not None and collect_at > self._at(day, tariff["order_by"])
        if late or not self._works(day):
            day = self._working_day(day, 1)
        delivery_time = tariff["delivery_time"] if tariff is not None else "14:00"
        return self._at(self._working_day(day, UNKNOWN_WAY if days is None else days), delivery_time)

    # -- movement ------------------------------------------------------------------------------------------------

    def _replan(self, row: Record, **changes: Any) -> Record:
        """Change a parcel's times (and whatever else): what was planned before no longer counts."""
        row = self.patch("shipments", row["tracking_no"], **changes, plan=row["plan"] + 1)
        self._await_next(row)
        return row

    def _await_next(self, row: Record) -> None:
        """Put the parcel's next state on the agenda."""
        at = self._due(row)
        if at is not None:
            self.later(
                max(at, self.now),
                "advance",
                tracking_no=row["tracking_no"],
                plan=row["plan"],
                to=FOLLOWING[row["status"]],
            )

    def _due(self, row: Record) -> int | None:
        """When the parcel's next state begins; None where none is planned."""
        status = row["status"]
        if status == "created":
            return self.seconds(row["collect_at"]) if row["collect_at"] else None
        if status not in FOLLOWING or row["deliver_at"] is None:
            return None
        arrives = self.seconds(row["deliver_at"])
        if status == "out_for_delivery":
            return arrives
        leaves = min(clock.day_start(self._day_of(arrives), self.world.zone) + LEAVES_AT, arrives - clock.HOUR // 2)
        if status == "in_transit":
            return leaves
        begun = self.seconds(row["collect_at"] or row["created_at"])
        return min(begun + 3 * clock.HOUR, begun + max(0, (leaves - begun) // 2))

    def advance(self, tracking_no: str, plan: int, to: str) -> None:
        """Move a parcel to its next state when that is due."""
        row = self.find("shipments", tracking_no)
        if row is None or row["plan"] != plan or FOLLOWING.get(row["status"]) != to:
            return
        if to == "delivered":
            self._hand_over(row)
            return
        if to == "picked_up":
            self._close_pickups(tracking_no, "done")
        place = row["origin"] if to == "picked_up" else row["destination"]
        row = self._scan(row, _SAID[to], place.get("city", ""), to)
        self._await_next(row)
        self._tell(row, _SAID[to])

    def _hand_over(self, row: Record, signed_by: str = "") -> Record:
        """Deliver a parcel."""
        name = signed_by or (row["destination"].get("recipient", "") if row["signature"] else "")
        text = f"Delivered, signed for by {name}." if name else "Delivered."
        row = self._scan(
            row,
            text,
            row["destination"].get("city", ""),
            "delivered",
            delivered_at=self.stamp(),
            signed_by=name,
            trouble="",
            reason="",
            return_on=None,
            plan=row["plan"] + 1,
        )
        self._close_pickups(row["tracking_no"], "done")
        self._tell(row, text)
        return row

    def _scan(self, row: Record, text: str, location: str, status: str = "", at: str = "", **changes: Any) -> Record:
        """Add a scan to a parcel, and what changes with it."""
        status = status or row["status"]
        scan = {"at": at or self.stamp(), "status": status, "location": location, "text": text}
        return self.patch("shipments", row["tracking_no"], status=status, scans=[*row["scans"], scan], **changes)

    def _close_pickups(self, tracking_no: str, status: str) -> None:
        for pickup in list(self.rows("pickups")):
            if pickup["tracking_no"] == tracking_no and pickup["status"] == "scheduled":
                self.patch("pickups", pickup["pickup_id"], status=status)

    # -- telling -------------------------------------------------------------------------------------------------

    def _tell(self, row: Record, text: str) -> None:
        """Report a parcel's state to the services that follow it and to those who asked to be told."""
        number, status = row["tracking_no"], row["status"]
        self.world.emit("parcel", tracking_no=number, status=status, deliver_at=row["deliver_at"] or "")
        title = f"Parcel {number}: {status.replace('_', ' ')}"
        self.world.emit("status", source=self.name, ref=number, status=status, title=title, body=text)
        for wish in list(self.rows("subscriptions")):
            if wish["tracking_no"] != number or wish["status"] != "active":
                continue
            self.patch("subscriptions", wish["subscription_id"], fired=wish["fired"] + 1, last_fired_at=self.stamp())
            if wish["channel"] == "email":
                sender = "tracking@parcels.example"
                self.world.emit(
                    "mail_in",
                    to=wish["target"],
                    sender=sender,
                    sender_name="Parcel tracking",
                    subject=title,
                    body=f"{text}\nTo: {in_one_line(row['destination'])}",
                    attachments=[],
                )
            self.world.notify(
                self.name, "parcel_status", title, text, ref=number, user_id=wish["user_id"], opens="alert"
            )

    # -- finding -------------------------------------------------------------------------------------------------

    def _shipment(self, tracking_no: str) -> Record:
        return self.get("shipments", tracking_no, "parcel", "delivery_logistics.list_shipments shows them")

    def _meant(self, parcel: str, live: bool = True) -> list[Record]:
        """Parcels by tracking number, shipment id or sender's reference; else by a text in contents or addresses."""
        if not parcel.strip():
            return []
        rows = [row for row in self.rows("shipments") if not live or row["status"] not in DONE]
        named = [row for row in rows if parcel in (row["tracking_no"], row["shipment_id"], row["ref"])]
        wanted = fold(parcel)
        return named or [row for row in rows if wanted in fold(_described(row))]


def _described(row: Record) -> str:
    contents = " | ".join(f"{item['description']} {item['ref']}" for item in row["items"])
    return f"{contents} | {row['sender']} | {in_one_line(row['destination'])}"
