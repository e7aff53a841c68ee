"""Looking at parcels, at what is open about them, and at what sending one would cost."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.delivery_logistics.addresses import Address, band, in_one_line
from lifegym.services.delivery_logistics.inventory import DeliveryLogisticsInventory
from lifegym.services.delivery_logistics.network import DONE
from lifegym.services.delivery_logistics.records import IssueStatus, Status
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["DeliveryLogisticsReading", "Weight"]

Weight = Annotated[float, Field(gt=0, le=1000)]
SCANS_SHOWN = 30
RESCHEDULE_DAYS = 10
OPENS, CLOSES = "08:00", "20:00"
_SERVICE_NAMES = {
    "same day": "same_day",
    "sameday": "same_day",
    "courier": "same_day",
    "next day": "express",
    "overnight": "express",
    "priority": "express",
    "registered mail": "registered",
    "registered letter": "registered",
    "signed": "registered",
    "certified": "registered",
    "normal": "standard",
    "regular": "standard",
    "ground": "standard",
    "cheap": "economy",
}


class DeliveryLogisticsReading(DeliveryLogisticsInventory):
    """The tools that change nothing."""

    # -- tools ---------------------------------------------------------------------------------------------------

    @tool(write=False)
    def list_shipments(self, user_id: str, status_filter: Status | None = None, limit: int = 20) -> dict[str, Any]:
        """List a user's parcels, those sent and those expected, newest first.

        Args:
            user_id: Whose, e.g. u_liwei.
            status_filter: created, picked_up, in_transit, out_for_delivery, delivered, exception, returned or
                cancelled.
            limit: How many at most, up to 200.

        Returns:
            shipments: tracking_no, shipment_id, direction (incoming or outgoing), status, sender, destination (one
            line), contents, deliver_at (planned), time_window, delivered_at, reason, ref (e.g. the shop's order);
            total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        found = [
            row
            for row in self.table("shipments").derive("newest", self._newest)
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        return {"shipments": [_summary(row) for row in limited(found, limit)], "total": len(found)}

    @tool(write=False)
    def get_shipment(self, shipment_id: str) -> dict[str, Any]:
        """Show everything about one parcel: contents, addresses, times, what can still be changed.

        Args:
            shipment_id: From list_shipments; a tracking number does as well.

        Returns:
            shipment_id, tracking_no, direction, status, service_type, sender, origin, destination, items (description,
            qty, ref), weight_kg, collect_at, deliver_at (planned), promised_on, time_window, offered_windows and
            offered_days (for reschedule_delivery), delivered_at, signed_by, reason, return_on, price_minor, scans (the
            last 30, oldest first), scans_total, pickup (the one that is scheduled, or null), issues (ids), can (what is
            still possible: change_address, reschedule, cancel).

        Errors:
            not_found: There is no such parcel.
        """
        row = self.find("shipments", shipment_id)
        if row is None:
            row = next((other for other in self.rows("shipments") if other["shipment_id"] == shipment_id), None)
        if row is None:
            row = self._shipment(shipment_id)
        number = row["tracking_no"]
        return {
            **{field: value for field, value in row.items() if field != "plan"},
            "scans": row["scans"][-SCANS_SHOWN:],
            "scans_total": len(row["scans"]),
            "offered_days": self._offered_days(row),
            "pickup": next(
                (
                    pickup
                    for pickup in self.rows("pickups")
                    if pickup["tracking_no"] == number and pickup["status"] == "scheduled"
                ),
                None,
            ),
            "issues": [issue["issue_id"] for issue in self.rows("issues") if issue["tracking_no"] == number],
            "can": self._possible(row),
        }

    @tool(write=False)
    def track_package(self, tracking_no: str) -> dict[str, Any]:
        """Show where a parcel is and when it comes.

        Args:
            tracking_no: From list_shipments, an order or a mail.

        Returns:
            tracking_no, shipment_id, status, deliver_at (planned; null if nobody knows), time_window, destination
            (one line), reason (of an exception), return_on, delivered_at, signed_by, scans (the last 30, oldest first:
            at, status, location, text), scans_total.

        Errors:
            not_found: There is no such parcel.
        """
        row = self._shipment(tracking_no)
        scans = row["scans"]
        return {
            "tracking_no": tracking_no,
            "shipment_id": row["shipment_id"],
            "status": row["status"],
            "deliver_at": row["deliver_at"] if row["status"] != "exception" else None,
            "time_window": row["time_window"],
            "destination": in_one_line(row["destination"]),
            "reason": row["reason"],
            "return_on": row["return_on"],
            "delivered_at": row["delivered_at"],
            "signed_by": row["signed_by"],
            "scans": scans[-SCANS_SHOWN:],
            "scans_total": len(scans),
        }

    @tool(write=False)
    def estimate_delivery(
        self, origin_addr: Address, dest_addr: Address, weight_kg: Weight, service_type: str
    ) -> dict[str, Any]:
        """Say what sending a parcel costs, and when it arrives if it is collected as soon as possible.

        Args:
            origin_addr: Where it is fetched; detail and city at least, country and province for longer ways.
            dest_addr: Where it goes, in the same form.
            weight_kg: Weight in kg, more than 0.
            service_type: e.g. standard, economy, express, same_day, registered; all of them are named if it is
                unknown.

        Returns:
            service_type, distance (local, regional, national or international), price_minor, currency, working_days,
            collect_at (the earliest), deliver_at (expected), signature (whether it is signed for), max_kg.

        Errors:
            bad_address: An address lacks detail or city.
            unknown_service: There is no such service; the message lists them.
            too_heavy: The service does not take that weight.
            not_served: The service does not go that far; the message names those that do.
        """
        self._check_address(origin_addr, "origin_addr")
        self._check_address(dest_addr, "dest_addr")
        tariff = self._tariff(service_type)
        distance = band(origin_addr, dest_addr)
        self._check_service(tariff, distance, weight_kg)
        collect_at = self._earliest(tariff)
        arrives = self._arrival(tariff, distance, collect_at)
        return {
            "service_type": tariff["service_type"],
            "distance": distance,
            "price_minor": self._price(tariff, distance, weight_kg),
            "currency": tariff["currency"],
            "working_days": tariff[f"days_{distance}"],
            "collect_at": self.world.iso(collect_at),
            "deliver_at": self.world.iso(arrives),
            "signature": tariff["signature"],
            "max_kg": tariff["max_kg"],
        }

    @tool(write=False)
    def list_issues(self, user_id: str, status_filter: IssueStatus | None = None) -> dict[str, Any]:
        """List what a user has reported about parcels, newest first.

        Args:
            user_id: Whose reports.
            status_filter: open, investigating, resolved or rejected.

        Returns:
            issues: issue_id, tracking_no, issue_type, description, status, created_at, updated_at, resolution; at
            most 200; total.
        """
        found = [
            row
            for row in self.rows("issues")
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        found.sort(key=lambda row: self.seconds(row["created_at"]), reverse=True)
        return {"issues": found[:200], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _newest(self, shipments: Iterable[Record]) -> list[Record]:
        return sorted(shipments, key=lambda row: self.seconds(row["created_at"]), reverse=True)

    @staticmethod
    def _check_address(address: Address, name: str) -> None:
        if not address.get("detail", "").strip() or not address.get("city", "").strip():
            raise ToolError("bad_address", f"{name} needs at least detail (street and number) and city")

    def _tariff(self, service_type: str) -> Record:
        """The service that a text names."""
        name = " ".join(fold(service_type).replace("_", " ").replace("-", " ").split())
        meant = _SERVICE_NAMES.get(name, "")
        for row in self.rows("tariffs"):
            known = fold(row["service_type"])
            if name in (known.replace("_", " ").replace("-", " "), fold(row["title"])) or known == meant:
                return row
        offered = ", ".join(row["service_type"] for row in self.rows("tariffs"))
        raise ToolError("unknown_service", f"service_type is one of: {offered or 'none, nothing is sent from here'}")

    def _check_service(self, tariff: Record, distance: str, weight_kg: float) -> None:
        if weight_kg > tariff["max_kg"]:
            raise ToolError(
                "too_heavy", f"{tariff['service_type']} takes up to {tariff['max_kg']} kg; split it or use another"
            )
        if tariff[f"days_{distance}"] is None:
            going = [row["service_type"] for row in self.rows("tariffs") if row[f"days_{distance}"] is not None]
            raise ToolError(
                "not_served",
                f"{tariff['service_type']} does not go this far ({distance}); use {', '.join(going) or 'no other'}",
            )

    @staticmethod
    def _price(tariff: Record, distance: str, weight_kg: float) -> int:
        beyond = max(0, math.ceil(weight_kg) - tariff["included_kg"])
        further = 0 if distance == "local" else tariff[f"{distance}_minor"]
        price: int = tariff["base_minor"] + beyond * tariff["per_kg_minor"] + further
        return price

    def _earliest(self, tariff: Record) -> int:
        """When a parcel can be collected at the earliest: in an hour, in the hours of work."""
        at = self.now + clock.HOUR
        day = self._day_of(at)
        closes = tariff["order_by"] if tariff["days_local"] == 0 else CLOSES
        if self._open(day) and at <= self._at(day, closes):
            return max(at, self._at(day, OPENS))
        return self._at(self._next_open(day.fromordinal(day.toordinal() + 1)), OPENS)

    def _offered_days(self, row: Record) -> list[str]:
        """The days to which delivery of a parcel can be moved."""
        if "reschedule" not in self._possible(row):
            return []
        first = self.today()
        if row["collect_at"]:
            first = max(first, self._day_of(self.seconds(row["collect_at"])))
        days = (first.fromordinal(first.toordinal() + later) for later in range(1, RESCHEDULE_DAYS + 1))
        return [day.isoformat() for day in days if self._open(day)]

    @staticmethod
    def _possible(row: Record) -> list[str]:
        """What the person can still have done with a parcel."""
        status, lost = row["status"], row["trouble"] == "lost"
        if status in DONE or status == "out_for_delivery" or lost:
            return []
        actions = ["change_address"]
        if row["deliver_at"]:
            actions.append("reschedule")
        if status == "created" and row["direction"] == "outgoing":
            actions.append("cancel")
        return actions


def _summary(row: Record) -> dict[str, Any]:
    contents = ", ".join(f"{item['qty']} x {item['description']}" for item in row["items"][:10])
    return {
        **{
            field: row[field]
            for field in ("tracking_no", "shipment_id", "direction", "status", "sender", "deliver_at", "time_window")
        },
        "destination": in_one_line(row["destination"]),
        "contents": contents if len(contents) <= 200 else contents[:197] + "...",
        **{field: row[field] for field in ("delivered_at", "reason", "ref", "created_at")},
    }
