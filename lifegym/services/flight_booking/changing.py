"""Changing and cancelling what is booked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.flight_booking.fares import extras_total, fare, party_of
from lifegym.services.flight_booking.parameters import PaymentDetails
from lifegym.services.flight_booking.seats import LIVE
from lifegym.services.flight_booking.trips import FlightBookingTrips
from lifegym.services.tools import ToolError, tool
from lifegym.world.frozen import thaw
from lifegym.world.record import Record

__all__ = ["FlightBookingChanges"]

_CHANGEABLE = ("confirmed", "cancelled_by_carrier")


class FlightBookingChanges(FlightBookingTrips):
    """The tools that exchange a booking's flights or give it back."""

    @tool(write=True)
    def change_booking(
        self,
        pnr: str,
        new_offer_id: str,
        segment_indices: list[int] | None = None,
        payment: PaymentDetails | None = None,
    ) -> dict[str, Any]:
        """Exchange flights of a ticketed booking for those of another offer, for the same passengers.

        Charged are the change fee per passenger with a seat (none where the carrier cancelled a flight or moved it by
        more than 180 minutes) and what the new flights cost more. What they cost less comes back only if the fare is
        refundable or the carrier is the cause. Seats and check-in on the exchanged flights are given up.

        Args:
            pnr: A ticketed booking.
            new_offer_id: From search_flights. For a part of the trip it is a one-way offer.
            segment_indices: Which flights, from 0: all of the trip, or neighbouring ones of one way. All that are not
                flown if left out.
            payment: payment_method_id, if another than the booking's is to be charged. Refunds go to the booking's.

        Returns:
            The booking as in get_booking; fee_minor and charged_minor (negative: refunded) of this change.

        Errors:
            not_found: There is no such booking or offer.
            not_ticketed: The booking is held, cancelled or expired; only a paid one can be changed.
            already_flown: A flight that is to be exchanged has left, or all have.
            bad_segment: The booking has no such segment, or they are not neighbours of one way.
            route_mismatch: For a part of the trip, the offer is a round trip or joins other cities.
            same_offer: The new offer has the same flights.
            offer_lapsed: The new offer has ended, or a flight of it has departed.
            flight_cancelled: The carrier has cancelled a flight of the new offer.
            sold_out: Fewer seats are left at the new fare than the party needs.
            currency_mismatch: The new offer or the account has another currency than the booking.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The account does not cover the charge.
            account_closed: The account to pay from is frozen or closed.
        """
        booking, offer = self._booking(pnr), self._offer(new_offer_id)
        if booking["status"] != "ticketed":
            raise ToolError("not_ticketed", f"{booking['pnr']} is {booking['status']}; only a paid booking is changed")
        old, people = booking["segments"], booking["passengers"]
        indices = self._to_exchange(old, segment_indices)
        whole = len(indices) == len(old)
        if not whole:
            self._check_same_route(old, indices, offer)
        flights = [*offer["outbound"], *offer["inbound"]]
        if flights == [old[index]["flight_id"] for index in indices]:
            raise ToolError("same_offer", f"{new_offer_id} has the flights that are booked already")
        party = party_of(people)
        obstacle = self._obstacle(offer, party.seats)
        if obstacle is not None:
            raise obstacle
        if offer["currency"] != booking["currency"]:
            raise ToolError(
                "currency_mismatch", f"the booking is in {booking['currency']}, the offer in {offer['currency']}"
            )
        disturbed = self._disturbed(booking)
        ways = {"outbound", "return"} if offer["inbound"] or not whole else {"outbound"}
        extras = [extra for extra in booking["extras"] if extra["direction"] in ways]
        old_fare = booking["price_total_minor"] - extras_total(booking["extras"])
        kept_fare = old_fare - old_fare * len(indices) // len(old)
        price = kept_fare + fare(offer, party) + extras_total(extras)
        fee = 0 if disturbed else booking["change_fee_minor"] * party.seats
        charge = fee + price - booking["price_total_minor"]
        if charge < 0 and not (booking["refundable"] or disturbed):
            charge = 0
        method = booking["payment_method_id"]
        if payment:
            self.check_method(payment["payment_method_id"])
            method = payment["payment_method_id"] if charge > 0 else method
        self._charge(booking, method, charge)

        direction = None if whole else old[indices[0]]["direction"]
        segments = thaw(old)
        segments[indices[0] : indices[-1] + 1] = self._fresh_segments(offer, people, direction)
        change = {
            "at": self.stamp(),
            "from_flights": [old[index]["flight_id"] for index in indices],
            "to_flights": flights,
            "new_offer_id": new_offer_id,
            "fee_minor": fee,
            "charged_minor": charge,
        }
        if whole:
            self._return_places(booking)
        self._take_places(self._offer(new_offer_id), people)
        changed = self.patch(
            "bookings",
            booking["pnr"],
            segments=segments,
            extras=extras,
            payment_method_id=method,
            price_total_minor=price,
            paid_minor=booking["paid_minor"] + max(charge, 0),
            refunded_minor=booking["refunded_minor"] + max(-charge, 0),
            changes=[*booking["changes"], change],
            **({"offer_id": new_offer_id, **self._conditions(offer)} if whole else {}),
        )
        return {**self._show(changed), "fee_minor": fee, "charged_minor": charge}

    @tool(write=True)
    def cancel_booking(self, pnr: str, reason: Annotated[str, Field(max_length=1000)] | None = None) -> dict[str, Any]:
        """Cancel a booking or release a hold, for good. get_booking shows beforehand what would be refunded.

        Everything that is not flown comes back where the carrier cancelled a flight or moved it by more than 180
        minutes; else a refundable fare less cancel_fee_minor per passenger with a seat; else nothing.

        Args:
            pnr: A held or ticketed booking.
            reason: Why, for the record; up to 1000 characters.

        Returns:
            The booking as in get_booking, now cancelled; refund_minor and refund_why.

        Errors:
            not_found: There is no such booking.
            not_active: It is cancelled already, or the hold has expired.
            already_flown: All of its flights have left.
            unknown_payment_method: The payment method to refund does not exist any more.
            currency_mismatch: The account to refund has another currency.
        """
        booking = self._booking(pnr)
        self._check_active(booking)
        if all(segment["status"] == "flown" for segment in booking["segments"]):
            raise ToolError("already_flown", "all flights of this booking have left; there is nothing to cancel")
        refund, why = self._refund(booking)
        self._charge(booking, booking["payment_method_id"], -refund)
        cancelled = self._release(
            booking["pnr"],
            "cancelled",
            refunded_minor=booking["refunded_minor"] + refund,
            cancelled_at=self.stamp(),
            cancel_reason=reason or "",
        )
        return {**self._show(cancelled), "refund_minor": refund, "refund_why": why}

    # -- inside --------------------------------------------------------------------------------------------------

    @staticmethod
    def _check_active(booking: Record) -> None:
        if booking["status"] not in LIVE:
            raise ToolError("not_active", f"{booking['pnr']} is {booking['status']}; make a new booking")

    def _to_exchange(self, segments: Sequence[Any], wanted: list[int] | None) -> list[int]:
        """The indices of the segments that a change is about.

        Raises:
            ToolError: ``already_flown``, ``bad_segment``.
        """
        if wanted is None:
            indices = [index for index, segment in enumerate(segments) if segment["status"] in _CHANGEABLE]
            if not indices:
                raise ToolError("already_flown", "all flights of this booking have left; make a new booking")
        else:
            indices = sorted(set(wanted))
            for index in indices:
                self._check_segment(index, len(segments))
            if any(segments[index]["status"] not in _CHANGEABLE for index in indices):
                raise ToolError("already_flown", "a flight that has left cannot be exchanged; leave out its index")
        one_way = len({segments[index]["direction"] for index in indices}) == 1
        neighbours = bool(indices) and indices == list(range(indices[0], indices[-1] + 1))
        if not neighbours or not (one_way or len(indices) == len(segments)):
            raise ToolError("bad_segment", "segment_indices names all flights, or neighbouring ones of one way")
        return indices

    def _check_same_route(self, segments: Sequence[Any], indices: Sequence[int], offer: Record) -> None:
        """See that an offer can stand in for a part of a trip.

        Raises:
            ToolError: ``route_mismatch``.
        """
        start = self._flight(segments[indices[0]]["flight_id"])["origin"]
        end = self._flight(segments[indices[-1]]["flight_id"])["destination"]
        new_start = self._flight(offer["outbound"][0])["origin"]
        new_end = self._flight(offer["outbound"][-1])["destination"]
        if offer["inbound"] or not (self._same_city(start, new_start) and self._same_city(end, new_end)):
            raise ToolError(
                "route_mismatch", f"to exchange these flights, choose a one-way offer from {start} to {end}"
            )

    def _fresh_segments(
        self, offer: Record, people: Sequence[Any], direction: str | None = None
    ) -> list[dict[str, Any]]:
        """The segments of an offer for a party that has no seats yet; all of one direction if that is given."""
        ways = [("outbound", flight_id) for flight_id in offer["outbound"]]
        ways += [("return", flight_id) for flight_id in offer["inbound"]]
        return [
            {
                "flight_id": flight_id,
                "direction": direction or way,
                "cabin": offer["cabin"],
                "booked_departs": self._flight(flight_id)["departs"],
                "booked_arrives": self._flight(flight_id)["arrives"],
                "status": "confirmed",
                "passengers": self._unseated(people),
            }
            for way, flight_id in ways
        ]

    @staticmethod
    def _conditions(offer: Record) -> dict[str, Any]:
        """What a booking keeps of the fare that it is made at."""
        kept = ("refundable", "change_fee_minor", "cancel_fee_minor", "baggage", "fare_note")
        return {name: offer[name] for name in kept}

    def _take_places(self, offer: Record, people: Sequence[Any]) -> None:
        self.patch("offers", offer["offer_id"], seats_left=offer["seats_left"] - party_of(people).seats)

    def _payee(self, flight_id: str) -> str:
        flight = self._flight(flight_id)
        return str(flight["carrier_name"] or flight["carrier"])

    def _charge(self, booking: Record, method: str, amount_minor: int) -> None:
        """Charge or refund a booking. One that came into this world paid elsewhere has no method to refund."""
        if amount_minor > 0 or (amount_minor < 0 and method):
            payee = self._payee(booking["segments"][0]["flight_id"])
            self.pay(method, amount_minor, booking["currency"], payee, booking["pnr"])
