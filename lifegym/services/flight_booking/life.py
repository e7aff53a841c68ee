"""What flights and fares do by themselves, what the timeline can do to them, and their invariants."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.flight_booking.records import Booking
from lifegym.services.flight_booking.seats import LIVE, FlightBookingSeats, seat_exists, seats_of_row
from lifegym.services.tools import happening
from lifegym.services.types import Day, Instant
from lifegym.world import clock
from lifegym.world.frozen import thaw
from lifegym.world.record import Record

__all__ = ["GONE", "OVER", "FlightBookingLife", "flight_key"]

GONE = ("departed", "arrived")
"""States of a flight that has left."""
OVER = ("departed", "arrived", "cancelled")
"""States of a flight that nobody can board any more."""
Amount = Annotated[int, Field(ge=0, le=10**12)]


def flight_key(flight_no: str, date: str) -> str:
    """The key of a flight, however its number is spaced: ``hd 521`` is HD521."""
    return f"{flight_no.replace(' ', '').replace('-', '').upper()}@{date}"


class FlightBookingLife(FlightBookingSeats):
    """Flights leave and land, holds run out, and the timeline disturbs them."""

    # -- happenings: flights -------------------------------------------------------------------------------------

    @happening
    def delay(
        self,
        flight_no: str,
        date: Day,
        departs: Instant | None = None,
        arrives: Instant | None = None,
        minutes: int | None = None,
        note: str = "",
    ) -> list[str]:
        """Move a flight that has not left to other times: later, or earlier.

        Give the new times, or by how many minutes both move (negative is earlier). Where only departs is given, it
        arrives by as much later. Touches the flight and the live bookings on it.

        Raises:
            ValueError: It would arrive before it departs.
        """
        flight = self.find("flights", flight_key(flight_no, date))
        if flight is None or flight["status"] in OVER:
            return []
        leaves, lands = self.seconds(flight["departs"]), self.seconds(flight["arrives"])
        shift = (minutes or 0) * clock.MINUTE
        new_leaves = self.seconds(departs) if departs else leaves + shift
        new_lands = self.seconds(arrives) if arrives else lands + (new_leaves - leaves if departs else shift)
        if new_lands <= new_leaves:
            raise ValueError(f"{flight['flight_id']} would arrive before it departs")
        planned_leaves = flight["scheduled_departs"] or flight["departs"]
        planned_lands = flight["scheduled_arrives"] or flight["arrives"]
        late = new_leaves - self.seconds(planned_leaves), new_lands - self.seconds(planned_lands)
        status = "delayed" if max(late) > 0 else "rescheduled" if min(late) < 0 else "on_time"
        flight = self.patch(
            "flights",
            flight["flight_id"],
            departs=self._at(new_leaves, flight["origin"]),
            arrives=self._at(new_lands, flight["destination"]),
            scheduled_departs=planned_leaves,
            scheduled_arrives=planned_lands,
            status=status,
            note=note or flight["note"],
        )
        self.later(max(new_leaves, self.now), "depart", flight_id=flight["flight_id"])
        self._tell(flight)
        return [flight["flight_id"], *self._pnrs_on(flight["flight_id"])]

    @happening
    def cancel_flight(self, flight_no: str, date: Day, note: str = "") -> list[str]:
        """The carrier cancels a flight. Touches it and the live bookings on it, whose seats there are gone."""
        flight = self.find("flights", flight_key(flight_no, date))
        if flight is None or flight["status"] in OVER:
            return []
        pnrs = self._pnrs_on(flight["flight_id"])
        flight = self.patch("flights", flight["flight_id"], status="cancelled", note=note or flight["note"])
        self._rewrite_segments(flight["flight_id"], "cancelled_by_carrier", _vacate)
        self._tell(flight)
        return [flight["flight_id"], *pnrs]

    @happening
    def swap_equipment(
        self,
        flight_no: str,
        date: Day,
        equipment: str,
        seat_map: str,
        clear_seats: bool = True,
        taken: list[str] | None = None,
        equipment_note: str | None = None,
    ) -> list[str]:
        """Another aircraft flies; nobody is told. Touches the flight and the live bookings on it.

        With clear_seats all passengers lose seat and check-in; without, those whose seat is not there any more or is
        in ``taken``, which are the seats of others on the new aircraft (left out: those that they had).
        """
        flight = self.find("flights", flight_key(flight_no, date))
        layout = self.find("seat_maps", seat_map)
        if flight is None or layout is None or flight["status"] in OVER:
            return []
        flight_id = flight["flight_id"]
        sold = flight["taken"] if taken is None else taken
        others = [seat for seat in dict.fromkeys(sold) if seat_exists(layout, seat)]
        note = flight["equipment_note"] if equipment_note is None else equipment_note
        self.patch("flights", flight_id, equipment=equipment, seat_map=seat_map, taken=others, equipment_note=note)

        def move(segment: dict[str, Any]) -> None:
            for traveller in segment["passengers"]:
                seat = traveller["seat"]
                kept = seat and seat not in others and seat_exists(layout, seat, segment["cabin"])
                if clear_seats or (seat and not kept):
                    traveller.update(seat=None, checked_in=False)

        self._rewrite_segments(flight_id, "confirmed", move)
        return [flight_id, *self._pnrs_on(flight_id)]

    @happening
    def set_gate(self, flight_no: str, date: Day, gate: str, note: str = "") -> list[str]:
        """Announce or change a flight's gate; a flight that was merely scheduled is on time then."""
        flight = self.find("flights", flight_key(flight_no, date))
        if flight is None or flight["status"] in OVER:
            return []
        status = "on_time" if flight["status"] == "scheduled" else flight["status"]
        self._tell(self.patch("flights", flight["flight_id"], gate=gate, status=status, note=note or flight["note"]))
        return [flight["flight_id"]]

    # -- happenings: fares ---------------------------------------------------------------------------------------

    @happening
    def set_price(self, offer_id: str, amount_minor: Amount) -> list[str]:
        """An offer's fare per adult changes; children and infants pay their share of it. Bookings keep their price."""
        if self.find("offers", offer_id) is None:
            return []
        offer = self.patch("offers", offer_id, price_adult_minor=amount_minor)
        numbers = " + ".join(key.partition("@")[0] for key in [*offer["outbound"], *offer["inbound"]])
        self.world.emit(
            "price", ref=offer_id, amount_minor=amount_minor, currency=offer["currency"], title=f"Flights {numbers}"
        )
        return [offer_id]

    @happening
    def set_seats_left(self, offer_id: str, seats_left: Annotated[int, Field(ge=0)]) -> list[str]:
        """The number of passengers changes that can still have an offer."""
        if self.find("offers", offer_id) is None:
            return []
        self.patch("offers", offer_id, seats_left=seats_left)
        return [offer_id]

    @happening
    def lapse_offer(self, offer_id: str) -> list[str]:
        """An offer ends before its time."""
        offer = self.find("offers", offer_id)
        if offer is None or self.seconds(offer["valid_until"]) < self.now:
            return []
        self.patch("offers", offer_id, valid_until=self.world.iso(self.now - 1))
        return [offer_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for booking in list(self.rows("bookings")):
            self._complete(booking)
        for flight in list(self.rows("flights")):
            flight_id, origin, destination = flight["flight_id"], flight["origin"], flight["destination"]
            self.patch(
                "flights",
                flight_id,
                departs=self._at(self.seconds(flight["departs"]), origin),
                arrives=self._at(self.seconds(flight["arrives"]), destination),
                scheduled_departs=self._at(self.seconds(flight["scheduled_departs"] or flight["departs"]), origin),
                scheduled_arrives=self._at(self.seconds(flight["scheduled_arrives"] or flight["arrives"]), destination),
            )
            leaves, lands = self.seconds(flight["departs"]), self.seconds(flight["arrives"])
            if flight["status"] == "cancelled":
                self._rewrite_segments(flight_id, "cancelled_by_carrier", _vacate)
            elif flight["status"] == "arrived" or lands <= self.now:
                # What lies before the window has happened, and nobody is told of it.
                self._rewrite_segments(flight_id, "flown")
                self.patch("flights", flight_id, status="arrived")
            elif flight["status"] == "departed":
                self._rewrite_segments(flight_id, "flown")
                self.later(lands, "arrive", flight_id=flight_id)
            else:
                self.later(max(leaves, self.now), "depart", flight_id=flight_id)
        for booking in list(self.rows("bookings")):
            if booking["status"] == "held" and booking["hold_expires_at"]:
                self._await_expiry(booking)

    def depart(self, flight_id: str) -> None:
        """Let a flight leave, with everybody who has a ticket for it."""
        flight = self.find("flights", flight_id)
        if flight is None or flight["status"] in OVER or self.seconds(flight["departs"]) > self.now:
            return
        for pnr in self._pnrs_on(flight_id):
            self.expire_hold(pnr)
        flight = self.patch("flights", flight_id, status="departed")
        self._rewrite_segments(flight_id, "flown")
        self.later(max(self.seconds(flight["arrives"]), self.now), "arrive", flight_id=flight_id)
        self._tell(flight)

    def arrive(self, flight_id: str) -> None:
        """Let a flight land."""
        flight = self.find("flights", flight_id)
        if flight is not None and flight["status"] == "departed":
            self._tell(self.patch("flights", flight_id, status="arrived"))

    def expire_hold(self, pnr: str) -> None:
        """Give up a hold that nobody has paid for."""
        booking = self.find("bookings", pnr)
        if booking is None or booking["status"] != "held":
            return
        self._release(pnr, "expired")
        self.world.notify(
            "flight_booking",
            "hold_expired",
            f"Hold {pnr} has ended",
            "The seats were given back; nothing was charged.",
            pnr,
        )

    # -- inside --------------------------------------------------------------------------------------------------

    def _pnrs_on(self, flight_id: str) -> list[str]:
        return list(dict.fromkeys(booking["pnr"] for booking, _ in self._on_flight(flight_id)))

    def _rewrite_segments(
        self, flight_id: str, status: str, change: Callable[[dict[str, Any]], None] | None = None
    ) -> None:
        """Give the confirmed segments on a flight a status, in live bookings, and change what is in them."""
        for booking, index in self._on_flight(flight_id):
            segments = thaw(self._named("bookings", booking["pnr"])["segments"])
            if segments[index]["status"] == "confirmed":
                segments[index]["status"] = status
                if change is not None:
                    change(segments[index])
                self.patch("bookings", booking["pnr"], segments=segments)

    def _release(self, pnr: str, status: str, **changes: Any) -> Record:
        """End a booking: what is not flown loses its seats, and the offer gets its places back."""
        booking = self._named("bookings", pnr)
        segments = thaw(booking["segments"])
        for segment in segments:
            if segment["status"] == "confirmed":
                segment["status"] = "cancelled"
                _vacate(segment)
        if not any(segment["status"] == "flown" for segment in segments):
            self._return_places(booking)
        return self.patch("bookings", pnr, status=status, segments=segments, hold_expires_at=None, **changes)

    def _return_places(self, booking: Record) -> None:
        """Let others have the fare that a booking no longer uses."""
        offer = self.find("offers", booking["offer_id"])
        if offer is not None:
            seated = sum(passenger["type"] != "infant" for passenger in booking["passengers"])
            self.patch("offers", offer["offer_id"], seats_left=offer["seats_left"] + seated)

    def _complete(self, booking: Record) -> None:
        """Fill in what an initial booking may leave out: its passengers' places, and that a ticket is paid for."""
        fields = Booking.model_validate(dict(booking)).model_dump()
        for segment in fields["segments"]:
            segment["passengers"] = segment["passengers"] or self._unseated(fields["passengers"])
        if fields["status"] == "ticketed" and not fields["paid_minor"]:
            fields["paid_minor"] = fields["price_total_minor"]
        self.put("bookings", **fields)

    def _await_expiry(self, booking: Record) -> None:
        expiry = max(self.seconds(booking["hold_expires_at"]), self.now)
        self.later(expiry, "expire_hold", pnr=booking["pnr"])

    def _tell(self, flight: Record) -> None:
        """Tell those who asked how a flight stands now."""
        flight_id = flight["flight_id"]
        asked = any(row["flight_id"] == flight_id for row in self.rows("subscriptions"))
        if not asked and not self.world.listening("status"):
            return
        title = f"{flight['flight_no']} on {flight['date']}: {flight['status'].replace('_', ' ')}"
        body = self._how_it_stands(flight)
        self.world.emit(
            "status", source="flight_booking", ref=flight_id, status=flight["status"], title=title, body=body
        )
        if asked:
            self.world.notify("flight_booking", "flight_status", title, body, ref=flight_id, opens="alert")

    @staticmethod
    def _how_it_stands(flight: Record) -> str:
        said = [
            f"{flight['origin']}-{flight['destination']}, departs {flight['departs']}, arrives {flight['arrives']}.",
            f"Gate {flight['gate']}." if flight["gate"] else "",
            flight["note"],
        ]
        return " ".join(part for part in said if part)

    def check_invariants(self) -> None:
        seats = {
            layout["name"]: {
                seat
                for part in layout["cabins"]
                for row in range(part["first_row"], part["last_row"] + 1)
                for seat in seats_of_row(layout, row, part["letters"])
            }
            for layout in self.rows("seat_maps")
        }
        for flight in self.rows("flights"):
            assert self.seconds(flight["departs"]) < self.seconds(flight["arrives"]), flight
            layout = self._layout(flight)
            used = [*flight["taken"]]
            for booking, index in self._on_flight(flight["flight_id"]):
                segment = booking["segments"][index]
                mine = [traveller["seat"] for traveller in segment["passengers"] if traveller["seat"]]
                used += mine
                assert all(seat_exists(layout, seat, segment["cabin"]) for seat in mine), booking
                assert (segment["status"] == "flown") == (flight["status"] in GONE), booking
                assert flight["status"] != "cancelled", booking
            assert len(used) == len(set(used)), f"a seat of {flight['flight_id']} is taken twice"
            assert seats[layout["name"]].issuperset(flight["taken"]), flight
        for booking in self.rows("bookings"):
            live = booking["status"] in LIVE
            assert booking["refunded_minor"] <= booking["paid_minor"], booking
            assert (booking["status"] == "held") == (booking["hold_expires_at"] is not None), booking
            for segment in booking["segments"]:
                travellers = segment["passengers"]
                assert self.find("flights", segment["flight_id"]) is not None, booking
                assert [t["pax_idx"] for t in travellers] == list(range(len(booking["passengers"]))), booking
                assert not (live and segment["status"] == "cancelled"), booking
                for person, traveller in zip(booking["passengers"], travellers, strict=True):
                    lap = person["type"] == "infant"
                    assert not (lap and traveller["seat"]), booking
                    if segment["status"] in ("cancelled", "cancelled_by_carrier"):
                        assert traveller["seat"] is None, booking
                        assert not traveller["checked_in"], booking
                    assert not traveller["checked_in"] or lap or traveller["seat"], booking
                    assert not traveller["checked_in"] or booking["status"] != "held", booking


def _vacate(segment: dict[str, Any]) -> None:
    for traveller in segment["passengers"]:
        traveller.update(seat=None, checked_in=False)
