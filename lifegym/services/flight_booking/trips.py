"""Looking at bookings, flights and seats, and asking to be told of a flight."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import paged
from lifegym.services.flight_booking.fares import party_of, unflown_value
from lifegym.services.flight_booking.life import OVER, flight_key
from lifegym.services.flight_booking.records import BookingStatus
from lifegym.services.flight_booking.searching import FlightBookingSearch
from lifegym.services.flight_booking.seats import seat_positions, seats_of_row
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["FREE_CANCELLATION_MINUTES", "FlightBookingTrips"]

FREE_CANCELLATION_MINUTES = 180
"""A flight that moves by more than this may be given back without a fee."""
_DATES_SHOWN = 5


class FlightBookingTrips(FlightBookingSearch):
    """The tools that look at what is booked, and at flights."""

    @tool(write=False)
    def list_bookings(
        self,
        user_id: str | None = None,
        email: str | None = None,
        status: BookingStatus | None = None,
        page: int = 1,
        page_size: int = 20,
    ) -> dict[str, Any]:
        """List bookings, the newest first.

        Args:
            user_id: Only those that this user made or travels on.
            email: Only those with this contact address.
            status: held, ticketed, cancelled or expired.
            page: Which page, from 1.
            page_size: How many on a page, up to 100.

        Returns:
            bookings: pnr, status, created_at, offer_id, passengers (names), flights (flight_no@date), departs (of the
            first flight), price_total_minor, currency, hold_expires_at; total, page, pages.

        Errors:
            bad_page: page is not 1 or more, or page_size is not between 1 and 100.
        """
        address = email.strip().casefold() if email else None
        found = [
            row
            for row in self.rows("bookings")
            if (status is None or row["status"] == status)
            and (address is None or row["contact"]["email"].casefold() == address)
            and (
                user_id is None
                or row["user_id"] == user_id
                or any(passenger["user_id"] == user_id for passenger in row["passengers"])
            )
        ]
        found.sort(key=lambda row: self.seconds(row["created_at"]), reverse=True)
        result = paged(found, page, page_size)
        return {"bookings": [self._brief(row) for row in result.pop("rows")], **result}

    @tool(write=False)
    def get_booking(self, pnr: str) -> dict[str, Any]:
        """Show a booking as it stands now: its flights with current times and aircraft, seats, check-in, conditions.

        Args:
            pnr: Six-character booking code.

        Returns:
            pnr, status (held, ticketed, cancelled, expired), passengers, contact, extras, price_total_minor,
            paid_minor, refunded_minor, currency, hold_expires_at, refundable, change_fee_minor, cancel_fee_minor,
            baggage, fare_note, changes; segments: segment_idx, status (confirmed, flown, cancelled,
            cancelled_by_carrier), direction, cabin, flight_no, date, from, to, departs, arrives, scheduled_departs,
            scheduled_arrives, flight_status, equipment, equipment_note, gate, note, checkin_opens_at,
            checkin_closes_at, passengers (pax_idx, name, seat, checked_in); if_cancelled_now: refund_minor and why.

        Errors:
            not_found: There is no such booking.
        """
        return self._show(self._booking(pnr))

    @tool(write=False)
    def get_flight_status(self, flight_no: str, date: str) -> dict[str, Any]:
        """Show how a flight stands now.

        Args:
            flight_no: Such as HD521.
            date: YYYY-MM-DD, the local date of its scheduled departure.

        Returns:
            flight_id, status (scheduled, on_time, delayed, rescheduled to an earlier time, cancelled, departed,
            arrived), carrier, from, to, departs, arrives (now expected, local times), scheduled_departs,
            scheduled_arrives, delay_minutes (of the departure), gate, terminal, equipment, equipment_note, note.

        Errors:
            bad_date: date is no date.
            not_found: No such flight leaves on that day; the message names days on which it does.
        """
        flight = self._flight_on(flight_no, date)
        planned = flight["scheduled_departs"] or flight["departs"]
        return {
            "flight_id": flight["flight_id"],
            "flight_no": flight["flight_no"],
            "date": flight["date"],
            "status": flight["status"],
            "carrier": flight["carrier_name"] or flight["carrier"],
            "from": flight["origin"],
            "to": flight["destination"],
            "departs": flight["departs"],
            "arrives": flight["arrives"],
            "scheduled_departs": planned,
            "scheduled_arrives": flight["scheduled_arrives"] or flight["arrives"],
            "delay_minutes": (self.seconds(flight["departs"]) - self.seconds(planned)) // 60,
            "gate": flight["gate"],
            "terminal": flight["terminal"],
            "equipment": flight["equipment"],
            "equipment_note": flight["equipment_note"],
            "note": flight["note"],
        }

    @tool(write=False)
    def get_seat_map(self, segment_idx: int, offer_id: str | None = None, pnr: str | None = None) -> dict[str, Any]:
        """Show the seats of one flight of an offer or a booking, in the cabin that is booked.

        Args:
            segment_idx: Which flight of the trip, from 0; the way back follows the way out.
            offer_id: The offer, or
            pnr: the booking. Give exactly one of the two.

        Returns:
            flight_no, date, equipment, seat_map, cabin, desk_only (seats are given at the airport only); positions
            (seat letter to window, middle or aisle; in "ABC DEF" the space is the aisle), letters; rows: row, free
            (seats), near_lavatory, exit_row; free_total; yours (pax_idx, name, seat) for a booking.

        Errors:
            bad_reference: Neither or both of offer_id and pnr are given.
            not_found: There is no such offer or booking.
            bad_segment: The trip has no such segment.
        """
        if (offer_id is None) == (pnr is None):
            raise ToolError("bad_reference", "give either offer_id or pnr, not both")
        yours: list[dict[str, Any]] = []
        if offer_id is not None:
            offer = self._offer(offer_id)
            flight_ids, cabin = [*offer["outbound"], *offer["inbound"]], offer["cabin"]
            self._check_segment(segment_idx, len(flight_ids))
            flight = self._flight(flight_ids[segment_idx])
        else:
            segment = self._segment(self._booking(pnr or ""), segment_idx)
            flight, cabin = self._flight(segment["flight_id"]), segment["cabin"]
            yours = [
                {"pax_idx": traveller["pax_idx"], "name": traveller["name"], "seat": traveller["seat"]}
                for traveller in segment["passengers"]
            ]
        layout, occupied = self._layout(flight), self._occupied(flight)
        parts = [part for part in layout["cabins"] if part["cabin"] == cabin]
        rows: list[dict[str, Any]] = []
        for part in parts:
            for row in range(part["first_row"], part["last_row"] + 1):
                free = [seat for seat in seats_of_row(layout, row, part["letters"]) if seat not in occupied]
                near, exit_row = row in layout["lavatory_rows"], row in layout["exit_rows"]
                rows.append({"row": row, "free": free, "near_lavatory": near, "exit_row": exit_row})
        return {
            "flight_no": flight["flight_no"],
            "date": flight["date"],
            "equipment": flight["equipment"],
            "seat_map": layout["name"],
            "cabin": cabin,
            "desk_only": flight["desk_only"],
            "letters": [part["letters"] for part in parts],
            "positions": {k: v for part in parts for k, v in seat_positions(part["letters"]).items()},
            "rows": rows,
            "free_total": sum(len(row["free"]) for row in rows),
            **({"yours": yours} if pnr is not None else {}),
        }

    @tool(write=True)
    def subscribe_flight_status(
        self,
        flight_no: str,
        date: str,
        sink: str = "stdout",
        webhook_url: Annotated[str, Field(max_length=500)] | None = None,
    ) -> dict[str, Any]:
        """Be told when a flight's times, gate or status change: each change arrives as an alert.

        A change of aircraft or of seats is none; look at the booking for that. A second call for the same flight
        changes where the alerts go.

        Args:
            flight_no: Such as HD521.
            date: YYYY-MM-DD, the local date of its scheduled departure.
            sink: stdout (an alert to you) or webhook (also posted to webhook_url).
            webhook_url: An https:// address, needed with sink webhook.

        Returns:
            subscription_id, flight_id, sink, webhook_url, created_at.

        Errors:
            bad_date: date is no date.
            not_found: No such flight leaves on that day; the message names days on which it does.
            flight_over: The flight has departed or is cancelled.
            bad_sink: sink is another word, or webhook_url is missing or no https address.
        """
        flight = self._flight_on(flight_no, date)
        address = (webhook_url or "").strip()
        if sink not in ("stdout", "webhook"):
            raise ToolError("bad_sink", "sink is stdout or webhook")
        if (sink == "webhook" or address) and not address.startswith("https://"):
            raise ToolError("bad_sink", "webhook_url is an address that begins with https://; or use sink stdout")
        if flight["status"] in OVER:
            raise ToolError(
                "flight_over", f"{flight['flight_id']} is {flight['status']}; nothing of it changes any more"
            )
        for row in self.rows("subscriptions"):
            if row["flight_id"] == flight["flight_id"]:
                return self.patch("subscriptions", row["subscription_id"], sink=sink, webhook_url=address)
        return self.put(
            "subscriptions",
            subscription_id=self.new_id("fsub"),
            flight_id=flight["flight_id"],
            sink=sink,
            webhook_url=address,
            created_at=self.stamp(),
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _booking(self, pnr: str) -> Record:
        return self.find("bookings", pnr) or self.get(
            "bookings", pnr.strip().upper(), "booking", "flight_booking.list_bookings shows them"
        )

    def _flight_on(self, flight_no: str, date: str) -> Record:
        self.day(date, "date")
        flight = self.find("flights", flight_key(flight_no, date))
        if flight is None:
            number = flight_key(flight_no, "")
            days = [row["date"] for row in self.rows("flights") if row["flight_id"].startswith(number)]
            shown = ", ".join(sorted(days)[:_DATES_SHOWN])
            hint = f"it leaves on {shown}" if days else "search_flights shows flight numbers and dates"
            raise ToolError("not_found", f"no flight {flight_no[:20]!r} leaves on {date}; {hint}")
        return flight

    @staticmethod
    def _check_segment(index: int, count: int) -> None:
        if not 0 <= index < count:
            raise ToolError("bad_segment", f"segment_idx is between 0 and {count - 1} here, not {index}")

    def _segment(self, booking: Record, index: int) -> Any:
        self._check_segment(index, len(booking["segments"]))
        return booking["segments"][index]

    def _checkin_hours(self, flight: Record) -> tuple[int, int]:
        """When check-in opens and closes."""
        leaves = self.seconds(flight["departs"])
        return (
            leaves - flight["checkin_opens_minutes"] * clock.MINUTE,
            leaves - flight["checkin_closes_minutes"] * clock.MINUTE,
        )

    def _disturbed(self, booking: Record) -> bool:
        """Whether the carrier has cancelled or much moved a flight that is still to be flown."""
        for segment in booking["segments"]:
            if segment["status"] == "cancelled_by_carrier":
                return True
            if segment["status"] == "confirmed":
                flight = self._flight(segment["flight_id"])
                leaves = segment["booked_departs"] or flight["scheduled_departs"] or flight["departs"]
                lands = segment["booked_arrives"] or flight["scheduled_arrives"] or flight["arrives"]
                moved = abs(self.seconds(flight["departs"]) - self.seconds(leaves))
                late = self.seconds(flight["arrives"]) - self.seconds(lands)
                if max(moved, late) > FREE_CANCELLATION_MINUTES * clock.MINUTE:
                    return True
        return False

    def _refund(self, booking: Record) -> tuple[int, str]:
        """What would come back for a booking that is cancelled now, and why."""
        if booking["status"] != "ticketed":
            return 0, "nothing is paid for" if booking["status"] == "held" else f"it is {booking['status']}"
        value = unflown_value(booking)
        if self._disturbed(booking):
            return value, "full refund: the carrier cancelled a flight or moved it by more than 180 minutes"
        if not booking["refundable"]:
            return 0, "this fare is not refundable"
        fee = booking["cancel_fee_minor"] * party_of(booking["passengers"]).seats
        return max(0, value - fee), f"refundable less a fee of {fee} minor units for the party"

    def _brief(self, booking: Record) -> dict[str, Any]:
        first = self._flight(booking["segments"][0]["flight_id"])
        return {
            "pnr": booking["pnr"],
            "status": booking["status"],
            "created_at": booking["created_at"],
            "offer_id": booking["offer_id"],
            "passengers": [f"{one['given_name']} {one['family_name']}" for one in booking["passengers"]],
            "flights": [segment["flight_id"] for segment in booking["segments"]],
            "departs": first["departs"],
            "price_total_minor": booking["price_total_minor"],
            "currency": booking["currency"],
            "hold_expires_at": booking["hold_expires_at"],
        }

    def _show(self, booking: Record) -> dict[str, Any]:
        refund, why = self._refund(booking)
        return {
            **booking,
            "segments": [self._show_segment(index, segment) for index, segment in enumerate(booking["segments"])],
            "if_cancelled_now": {"refund_minor": refund, "why": why},
        }

    def _show_segment(self, index: int, segment: Any) -> dict[str, Any]:
        flight = self._flight(segment["flight_id"])
        opens, closes = self._checkin_hours(flight)
        return {
            "segment_idx": index,
            "status": segment["status"],
            "direction": segment["direction"],
            "cabin": segment["cabin"],
            "flight_no": flight["flight_no"],
            "date": flight["date"],
            "carrier": flight["carrier_name"] or flight["carrier"],
            "from": flight["origin"],
            "to": flight["destination"],
            "departs": flight["departs"],
            "arrives": flight["arrives"],
            "scheduled_departs": flight["scheduled_departs"] or flight["departs"],
            "scheduled_arrives": flight["scheduled_arrives"] or flight["arrives"],
            "flight_status": flight["status"],
            "equipment": flight["equipment"],
            "equipment_note": flight["equipment_note"],
            "terminal": flight["terminal"],
            "gate": flight["gate"],
            "note": flight["note"],
            "checkin_opens_at": self._at(opens, flight["origin"]),
            "checkin_closes_at": self._at(closes, flight["origin"]),
            "passengers": segment["passengers"],
        }
