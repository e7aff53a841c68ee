"""Flights: search, hold, buy, change, cancel, choose seats, check in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.flight_booking.changing import FlightBookingChanges
from lifegym.services.flight_booking.fares import MOST_TRAVELLERS, extras_total, fare, party_of
from lifegym.services.flight_booking.parameters import (
    MOST_EXTRAS,
    BookingContact,
    ExtraSelection,
    PassengerProfile,
    PaymentDetails,
    PreferredSeat,
    SeatSelection,
)
from lifegym.services.flight_booking.records import Passenger
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.frozen import thaw
from lifegym.world.record import Record

__all__ = ["FlightBooking"]


class FlightBooking(FlightBookingChanges):
    """Flights for a party. Amounts are minor units; times are local to their airport and carry its offset."""

    @tool(write=True)
    def create_booking(
        self,
        offer_id: str,
        passengers: Annotated[list[PassengerProfile], Field(min_length=1, max_length=MOST_TRAVELLERS)],
        contact: BookingContact,
        payment: PaymentDetails,
        seat_selections: list[SeatSelection] | None = None,
        hold: bool = False,
        extras: Annotated[list[ExtraSelection], Field(max_length=MOST_EXTRAS)] | None = None,
    ) -> dict[str, Any]:
        """Book an offer for a party and pay it, or hold it without paying.

        A hold keeps price and seats until hold_expires_at (hold_hours of the offer, at most until the offer ends or
        the first flight leaves); confirm_hold pays it. Afterwards everything is given back and nothing is charged.

        Args:
            offer_id: From search_flights.
            passengers: Who travels: given_name, family_name; where known user_id, type (adult, child, infant; adult
                if left out), date_of_birth (YYYY-MM-DD), passport_no (only if the fare asks for it), assistance (such
                as wheelchair).
            contact: email, and phone if there is one.
            payment: payment_method_id that is charged.
            seat_selections: Seats: segment_idx (0 is the first flight), passenger (user_id, full name, or index from
                0), seat such as 31C. Without them seats are given at check-in.
            hold: true reserves without charging.
            extras: From the offer's extras: code, passenger (the first if left out), way (outbound or return; every
                way if left out). Each is priced per way.

        Returns:
            The booking as in get_booking: pnr, status (ticketed or held), price_total_minor, hold_expires_at,
            segments with seats.

        Errors:
            not_found: There is no such offer.
            bad_passenger: A name is blank.
            bad_date: A date_of_birth is no date, or in the future.
            bad_party: No adult, more than 9 travellers, or more infants than adults.
            bad_contact: The e-mail address is none.
            offer_lapsed: The offer has ended, or a flight of it has departed.
            flight_cancelled: The carrier has cancelled a flight of it.
            sold_out: Fewer seats are left at this fare than the party needs.
            unknown_extra: The offer has no such extra, or no such way.
            bad_segment: A seat is for a segment that the trip does not have.
            unknown_passenger: A seat or extra is for nobody, or more than one, of the party.
            no_such_seat: The aircraft has no such seat.
            seat_not_allowed: The seat is in another cabin, for an infant, or in an exit row and for a child.
            seat_taken: Somebody has the seat, or a passenger would get two.
            desk_only: This flight's seats are given at the airport only.
            hold_not_offered: This offer cannot be held.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The account does not cover the price.
            account_closed: The account to pay from is frozen or closed.
            currency_mismatch: The account has another currency than the offer.
        """
        offer = self._offer(offer_id)
        people = [self._profile(passenger) for passenger in passengers]
        party = party_of(people).checked()
        email = contact["email"].strip()
        if email.count("@") != 1 or email.startswith("@") or email.endswith("@") or " " in email:
            raise ToolError("bad_contact", f"{email[:60]!r} is no e-mail address; give one such as ann@mail.example")
        obstacle = self._obstacle(offer, party.seats)
        if obstacle is not None:
            raise obstacle
        booked = self._extras_chosen(offer, people, extras or [])
        segments = self._fresh_segments(offer, people)
        self._seat_new_segments(segments, people, seat_selections or [])
        price = fare(offer, party) + extras_total(booked)
        method, expiry = payment["payment_method_id"], None
        if hold:
            self.check_method(method)
            expiry = self._hold_until(offer)
            pnr = self._new_pnr()
        else:
            pnr = self._buy(method, price, offer["currency"], offer["outbound"][0])
        booking = self.put(
            "bookings",
            pnr=pnr,
            user_id=self.world.owner,
            status="held" if hold else "ticketed",
            created_at=self.stamp(),
            offer_id=offer_id,
            passengers=people,
            contact={"email": email, "phone": contact.get("phone", "")},
            segments=segments,
            extras=booked,
            payment_method_id=method,
            currency=offer["currency"],
            price_total_minor=price,
            paid_minor=0 if hold else price,
            hold_expires_at=expiry,
            **self._conditions(offer),
        )
        self._take_places(offer, people)
        if hold:
            self._await_expiry(booking)
        return self._show(booking)

    @tool(write=True)
    def confirm_hold(self, pnr: str, payment: PaymentDetails | None = None) -> dict[str, Any]:
        """Pay a held booking, at the price that was held.

        Args:
            pnr: A booking with status held.
            payment: payment_method_id, if it is another than the one named when it was held.

        Returns:
            The booking as in get_booking, now ticketed.

        Errors:
            not_found: There is no such booking.
            not_held: It is paid already, cancelled, or the hold has expired.
            flight_cancelled: The carrier has cancelled a flight of it; cancel the hold and search again.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The account does not cover the price.
            account_closed: The account to pay from is frozen or closed.
            currency_mismatch: The account has another currency than the booking.
        """
        booking = self._booking(pnr)
        if booking["status"] != "held":
            raise ToolError("not_held", f"{booking['pnr']} is {booking['status']}; only a held booking is confirmed")
        if any(segment["status"] == "cancelled_by_carrier" for segment in booking["segments"]):
            raise ToolError("flight_cancelled", "the carrier has cancelled a flight of it; cancel it and search again")
        method = payment["payment_method_id"] if payment else booking["payment_method_id"]
        price = booking["price_total_minor"]
        self._charge(booking, method, price)
        return self._show(
            self.patch(
                "bookings",
                booking["pnr"],
                status="ticketed",
                payment_method_id=method,
                paid_minor=price,
                hold_expires_at=None,
            )
        )

    @tool(write=True)
    def select_seat(self, pnr: str, segment_idx: int, passenger: str | int, seat: str) -> dict[str, Any]:
        """Choose or change one passenger's seat, before or after check-in, until check-in closes.

        Args:
            pnr: A held or ticketed booking.
            segment_idx: Which flight, from 0.
            passenger: user_id, full name, or index from 0.
            seat: Such as 22D; get_seat_map shows which are free.

        Returns:
            segment: the flight and its passengers with seats, as in get_booking.

        Errors:
            not_found: There is no such booking.
            not_active: The booking is cancelled or has expired.
            bad_segment: The booking has no such segment.
            flight_cancelled: The carrier has cancelled this flight.
            checkin_closed: Check-in for this flight has closed.
            unknown_passenger: That is nobody, or more than one, of the party.
            no_such_seat: The aircraft has no such seat.
            seat_not_allowed: The seat is in another cabin, for an infant, or in an exit row and for a child.
            seat_taken: Somebody has the seat.
            desk_only: This flight's seats are given at the airport only.
        """
        booking = self._booking(pnr)
        self._check_active(booking)
        segment = self._segment(booking, segment_idx)
        flight = self._boardable(segment)
        index = self._passenger(booking["passengers"], passenger)
        own = segment["passengers"][index]["seat"]
        chosen = self._seats_wished(
            flight, segment["cabin"], booking["passengers"], [(index, seat)], {own: ""} if own else None
        )
        return self._seated(booking, segment_idx, chosen, ())

    @tool(write=True)
    def check_in(
        self,
        pnr: str,
        segment_idx: int,
        pax_indices: Annotated[list[int], Field(min_length=1)] | None = None,
        preferred_seats: list[PreferredSeat] | None = None,
    ) -> dict[str, Any]:
        """Check passengers in for one flight.

        Who has a seat keeps it unless preferred_seats names another. Who has none and names none is given what is
        left, not beside the others. Check-in opens 24 hours and closes 60 minutes before departure unless the flight
        says otherwise; get_booking shows both times.

        Args:
            pnr: A ticketed booking.
            segment_idx: Which flight, from 0.
            pax_indices: Which passengers, from 0; all who are not checked in if left out.
            preferred_seats: passenger (user_id, full name, or index from 0) and seat, which must be free.

        Returns:
            segment: the flight and its passengers with seat and checked_in, as in get_booking.

        Errors:
            not_found: There is no such booking.
            not_ticketed: The booking is held, cancelled or expired.
            bad_segment: The booking has no such segment.
            flight_cancelled: The carrier has cancelled this flight.
            desk_only: Check-in for this flight is at the airport only.
            checkin_not_open: It is too early; the message says from when.
            checkin_closed: It is too late, or the flight has left.
            unknown_passenger: An index or name is nobody of the party, or not among those who are checked in.
            already_checked_in: One of them is checked in already; select_seat changes seats.
            no_such_seat: The aircraft has no such seat.
            seat_not_allowed: The seat is in another cabin, for an infant, or in an exit row and for a child.
            seat_taken: Somebody has the seat, or a passenger would get two.
            no_seat_free: The cabin is full.
        """
        booking = self._booking(pnr)
        if booking["status"] != "ticketed":
            raise ToolError("not_ticketed", f"{booking['pnr']} is {booking['status']}; only a paid booking checks in")
        segment, people = self._segment(booking, segment_idx), booking["passengers"]
        flight = self._boardable(segment)
        if flight["desk_only"]:
            raise ToolError("desk_only", f"check-in for {flight['flight_id']} is at the airport desk only")
        opens, _ = self._checkin_hours(flight)
        if self.now < opens:
            raise ToolError("checkin_not_open", f"check-in opens at {self._at(opens, flight['origin'])}")
        going = self._going(segment, people, pax_indices)
        wishes = [(self._passenger(people, wish["passenger"]), wish["seat"]) for wish in preferred_seats or []]
        for index, _ in wishes:
            if index not in going:
                raise ToolError("unknown_passenger", f"passenger {index} is not among those who are checked in now")
        wishing = {index for index, _ in wishes}
        # What a wish leaves behind is free for the others of the party.
        seats = {index: segment["passengers"][index]["seat"] for index in range(len(people))}
        freed = {seats[index]: "" for index in wishing if seats[index]}
        chosen = self._seats_wished(flight, segment["cabin"], people, wishes, freed)
        seats.update(chosen)
        needy = [index for index in going if not seats[index] and people[index]["type"] != "infant"]
        if needy:
            near = [seat for seat in seats.values() if seat]
            chosen |= self._seats_left_over(flight, segment["cabin"], people, needy, near)
        return self._seated(booking, segment_idx, chosen, going)

    # -- inside: making a booking --------------------------------------------------------------------------------

    def _profile(self, passenger: PassengerProfile) -> dict[str, Any]:
        """A passenger as it is stored."""
        given, family = passenger["given_name"].strip(), passenger["family_name"].strip()
        if not given or not family:
            raise ToolError("bad_passenger", "each passenger has a given_name and a family_name, as in the passport")
        born = passenger.get("date_of_birth")
        if born is not None and self.day(born, "date_of_birth") > self.today():
            raise ToolError("bad_date", f"date_of_birth {born} is in the future")
        person = Passenger.model_validate({**passenger, "given_name": given, "family_name": family})
        return person.model_dump()

    def _seat_new_segments(
        self, segments: list[dict[str, Any]], people: Sequence[Any], selections: Sequence[SeatSelection]
    ) -> None:
        """Put the selected seats into segments that are about to be stored."""
        wishes: dict[int, list[tuple[int, str]]] = {}
        for selection in selections:
            index = selection["segment_idx"]
            self._check_segment(index, len(segments))
            wishes.setdefault(index, []).append((self._passenger(people, selection["passenger"]), selection["seat"]))
        for index, wished in wishes.items():
            segment = segments[index]
            flight = self._flight(segment["flight_id"])
            for who, seat in self._seats_wished(flight, segment["cabin"], people, wished).items():
                segment["passengers"][who]["seat"] = seat

    def _hold_until(self, offer: Record) -> str:
        """When a hold that is made now ends.

        Raises:
            ToolError: ``hold_not_offered``.
        """
        leaves = self.seconds(self._flight(offer["outbound"][0])["departs"])
        ends = min(self.now + offer["hold_hours"] * clock.HOUR, self.seconds(offer["valid_until"]), leaves)
        if ends <= self.now:
            raise ToolError("hold_not_offered", "this offer cannot be held; book it with hold=false, or choose another")
        return self.world.iso(ends)

    def _new_pnr(self) -> str:
        return self.world.code("pnr", 6, taken=self.table("bookings").find)

    def _buy(self, method: str, price: int, currency: str, first_flight: str) -> str:
        """Charge a new booking and give its PNR; if the charge is refused, no PNR is used up."""
        pnr = self.world.peek_code("pnr", 6, taken=self.table("bookings").find)
        self.pay(method, price, currency, self._payee(first_flight), pnr)
        return self._new_pnr()

    # -- inside: boarding ----------------------------------------------------------------------------------------

    def _boardable(self, segment: Any) -> Record:
        """The flight of a segment whose seats can still change.

        Raises:
            ToolError: ``flight_cancelled``, ``checkin_closed``.
        """
        flight = self._flight(segment["flight_id"])
        if flight["status"] == "cancelled":
            raise ToolError("flight_cancelled", f"{flight['flight_id']} is cancelled; change or cancel the booking")
        _, closes = self._checkin_hours(flight)
        if segment["status"] == "flown" or self.now > closes:
            raise ToolError("checkin_closed", f"check-in closed at {self._at(closes, flight['origin'])}")
        return flight

    @staticmethod
    def _going(segment: Any, people: Sequence[Any], indices: list[int] | None) -> list[int]:
        """Who is to be checked in.

        Raises:
            ToolError: ``unknown_passenger``, ``already_checked_in``.
        """
        done = [index for index, traveller in enumerate(segment["passengers"]) if traveller["checked_in"]]
        if indices is None:
            going = [index for index in range(len(people)) if index not in done]
            if not going:
                raise ToolError("already_checked_in", "everybody is checked in already; select_seat changes a seat")
            return going
        for index in indices:
            if not 0 <= index < len(people):
                raise ToolError("unknown_passenger", f"pax_indices are between 0 and {len(people) - 1}, not {index}")
            if index in done:
                raise ToolError(
                    "already_checked_in", f"passenger {index} is checked in already; select_seat changes a seat"
                )
        return list(dict.fromkeys(indices))

    def _seated(
        self, booking: Record, segment_idx: int, seats: dict[int, str], checked_in: Sequence[int]
    ) -> dict[str, Any]:
        """Store seats and check-ins of one segment and show it."""
        segments = thaw(booking["segments"])
        travellers = segments[segment_idx]["passengers"]
        for index, seat in seats.items():
            travellers[index]["seat"] = seat
        for index in checked_in:
            travellers[index]["checked_in"] = True
        stored = self.patch("bookings", booking["pnr"], segments=segments)
        return {"pnr": stored["pnr"], "segment": self._show_segment(segment_idx, stored["segments"][segment_idx])}
