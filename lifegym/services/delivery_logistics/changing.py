"""Changing what is on its way: another address, another day, not at all."""

from __future__ import annotations

from typing import Any, NoReturn

from lifegym.services.delivery_logistics.addresses import Address, band, in_one_line, same_city
from lifegym.services.delivery_logistics.network import DONE
from lifegym.services.delivery_logistics.reading import DeliveryLogisticsReading
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["DeliveryLogisticsChanging"]


class DeliveryLogisticsChanging(DeliveryLogisticsReading):
    """The tools that change a parcel."""

    # -- tools: changing -----------------------------------------------------------------------------------------

    @tool(write=True)
    def change_address(self, tracking_no: str, new_address: Address) -> dict[str, Any]:
        """Have a parcel delivered elsewhere, or complete its address, as long as it is not on the van.

        Within the same city the planned day stays. Into another city it comes on the next working day at the
        earliest. A parcel that is held for its address goes on and comes on the next working day.

        Args:
            tracking_no: From list_shipments.
            new_address: The whole new address; detail and city at least. A recipient or phone that is left out stays.

        Returns:
            tracking_no, status, destination (the new one, its fields), deliver_at (planned), time_window.

        Errors:
            not_found: There is no such parcel.
            too_late: It is on the van, delivered, returned or cancelled.
            lost: It is lost; report_issue instead.
            bad_address: The address lacks detail or city.
            other_country: The new address is in another country than the old one.
        """
        row = self._changeable(tracking_no)
        self._check_address(new_address, "new_address")
        old = row["destination"]
        if band(old, new_address) == "international":
            raise ToolError("other_country", "a parcel cannot be sent on to another country; have it sent anew")
        kept = {part: old[part] for part in ("recipient", "phone", "country") if part in old}
        destination = {**kept, **new_address}
        text = f"Address changed: {in_one_line(destination)}."
        if row["status"] == "exception":
            row = self._resume(row, self._next_run(), text, destination=destination)
            return _changed(row)
        row = self._scan(row, text, "", destination=destination)
        if row["deliver_at"] and not same_city(old, new_address):
            begun = self._day_of(max(self.now, self.seconds(row["collect_at"] or row["created_at"])))
            earliest = self._at(self._working_day(begun, 1), "12:00")
            if earliest > self.seconds(row["deliver_at"]):
                row = self._replan(row, deliver_at=self.world.iso(earliest), time_window="")
        self._tell(row, text)
        return _changed(row)

    @tool(write=True)
    def reschedule_delivery(self, tracking_no: str, new_date: str, time_window: str) -> dict[str, Any]:
        """Have a parcel delivered on another day or in another time window.

        Args:
            tracking_no: From list_shipments.
            new_date: YYYY-MM-DD, one of the offered_days that get_shipment shows (from tomorrow on, no Sundays or
                closed days).
            time_window: One of the offered_windows that get_shipment shows, e.g. 08:00-12:00.

        Returns:
            tracking_no, status, destination, deliver_at (planned), time_window.

        Errors:
            not_found: There is no such parcel.
            too_late: It is on the van, delivered, returned or cancelled.
            lost: It is lost; report_issue instead.
            not_scheduled: No delivery is planned yet: request_pickup comes first.
            bad_date: new_date is no date.
            not_offered: The day or the window is not offered; the message lists those that are.
        """
        row = self._changeable(tracking_no)
        if not row["deliver_at"]:
            raise ToolError("not_scheduled", "no delivery is planned for it yet; order its collection: request_pickup")
        day = self.day(new_date, "new_date")
        days, windows = self._offered_days(row), row["offered_windows"]
        if day.isoformat() not in days:
            raise ToolError("not_offered", f"new_date is one of: {', '.join(days)}")
        window = time_window.replace(" ", "").replace("\N{EN DASH}", "-")
        if window not in windows:
            raise ToolError("not_offered", f"time_window is one of: {', '.join(windows)}")
        begins, _, ends = window.partition("-")
        at = (self._at(day, begins) + self._at(day, ends)) // 2
        text = f"Delivery moved to {day.isoformat()}, {window}, on request."
        if row["status"] == "exception":
            return _changed(self._replan(self._resume(row, at, text), time_window=window))
        row = self._replan(self._scan(row, text, ""), deliver_at=self.world.iso(at), time_window=window)
        self._tell(row, text)
        return _changed(row)

    @tool(write=True)
    def cancel_shipment(self, tracking_no: str, reason: str) -> dict[str, Any]:
        """Cancel a parcel that the person sends and that has not been collected. What was paid for it comes back.

        Args:
            tracking_no: From list_shipments.
            reason: Why, in a few words.

        Returns:
            tracking_no, status (cancelled), refund_minor, currency.

        Errors:
            not_found: There is no such parcel.
            not_sender: Somebody else sends it; cancel the order with them.
            too_late: It has been collected, or is cancelled already.
            unknown_payment_method: What it was paid with is not there any more, or does not take the refund.
        """
        row = self._shipment(tracking_no)
        if row["direction"] != "outgoing":
            raise ToolError("not_sender", f"{row['sender'] or 'somebody else'} sends this parcel; cancel it there")
        if row["status"] != "created":
            raise ToolError("too_late", f"this parcel is {row['status'].replace('_', ' ')}; it cannot be cancelled")
        refund = row["price_minor"] if row["payment_method_id"] else 0
        if refund:
            self.pay(row["payment_method_id"], -refund, row["currency"], "Parcel carrier", tracking_no)
        self._call_off(row, f"Cancelled by the sender: {reason.strip()[:200] or 'no reason given'}")
        return {
            "tracking_no": tracking_no,
            "status": "cancelled",
            "refund_minor": refund,
            "currency": row["currency"],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _changeable(self, tracking_no: str) -> Record:
        row = self._shipment(tracking_no)
        if row["trouble"] == "lost" and row["status"] == "exception":
            raise ToolError("lost", "this parcel is lost; use report_issue and ask for a search or a replacement")
        if row["status"] in DONE or row["status"] == "out_for_delivery":
            self._refuse_late(row)
        return row

    @staticmethod
    def _refuse_late(row: Record) -> NoReturn:
        state = "on the van" if row["status"] == "out_for_delivery" else row["status"]
        raise ToolError("too_late", f"this parcel is {state}; nothing can be changed, report_issue takes complaints")


def _changed(row: Record) -> dict[str, Any]:
    return {field: row[field] for field in ("tracking_no", "status", "destination", "deliver_at", "time_window")}
