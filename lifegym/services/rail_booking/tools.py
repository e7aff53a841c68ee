"""Train tickets: buying, changing and giving back, and a student's right to the student price."""

from __future__ import annotations

import re
from typing import Any

from lifegym.services.rail_booking.fares import Quote, sit_together
from lifegym.services.rail_booking.reading import RailReading
from lifegym.services.rail_booking.records import Proof
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["RailBooking"]

PAYEE = "Railway ticket office"
_ZONE_MARK = re.compile(r"\s+(?:-|to)\s+|\s*[–—→/]\s*|(?<=\w)-(?=\w)")


class RailBooking(RailReading):
    """Trains between stations and the tickets for them. Prices are minor units; times carry the station's offset."""

    @tool(write=True)
    def create_train_booking(
        self,
        offer_id: str,
        passengers: list[dict[str, Any]],
        contact: dict[str, Any],
        payment: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Buy tickets for an offer. They are paid at once; seats are side by side where that many are together.

        Args:
            offer_id: From search_trains.
            passengers: 1 to 9, each with name (or given_name and family_name), type (adult, child, student or senior;
                adult if left out), user_id (needed for the student price).
            contact: Who is told about the journey: at least one of name, email, phone; user_id for whose booking it is.
            payment: {"payment_method_id": ...}; the person's first payment method if left out.

        Returns:
            The booking: booking_ref, status, train_no, date, departs, arrives, passengers (with seat, fare_minor,
            discount), seats_together, total_minor, currency, refund_fee_minor per person, method; notes.

        Errors:
            not_found: There is no such offer.
            bad_passengers: A passenger has no name or a wrong type, is listed twice, or there are none or too many.
            bad_contact: The contact has neither name nor email nor phone, or they are no texts.
            bad_payment: payment is not {"payment_method_id": ...}.
            train_cancelled: The railway cancelled this train.
            departed: The train has left.
            not_on_sale: Tickets for this train are sold later; the message says from when.
            offer_expired: The offer's valid_until is past.
            sold_out: There are fewer seats than passengers.
            already_booked: A passenger has a ticket for this train; the message names the booking.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The payment method does not cover it.
            account_closed: The account to pay from is not open.
            currency_mismatch: The account to pay from has another currency.
        """
        offer = self._offer(offer_id)
        party = self._party(passengers)
        reached = _contact(contact)
        method = self._method(payment)
        self._check_sale(offer, party)
        quote = self._quote(offer, party)
        ref = self._paid(method, quote.total_minor, offer["currency"])
        booking = self._issue(ref, offer, quote, reached.pop("user_id", "") or self.world.owner, reached, method)
        return {**self._shown(booking), "notes": quote.notes}

    @tool(write=True)
    def cancel_train_booking(self, booking_ref: str, reason: str | None = None) -> dict[str, Any]:
        """Give tickets back before departure: the fare less the fee per person; all of it if the railway cancelled.

        Args:
            booking_ref: From list_train_bookings.
            reason: Why, for the records.

        Returns:
            The booking, now cancelled: refund_minor, fee_minor, currency, cancelled_at; refunded_to.

        Errors:
            not_found: There is no such booking.
            not_active: It was cancelled before, or the journey is over.
            departed: The train has left, so that nothing is refunded any more.
            currency_mismatch: The account to refund to has another currency.
            unknown_payment_method: The payment method that paid is no longer the person's.
        """
        booking = self._live_booking(booking_ref)
        refund, fee = self._refund(booking)
        if refund:
            self.pay(booking["method"], -refund, booking["currency"], PAYEE, booking_ref)
        booking = self._withdraw(booking, refund, fee, (reason or "")[:500])
        return {**self._shown(booking), "refunded_to": booking["method"]}

    @tool(write=True)
    def change_train_booking(self, booking_ref: str, new_offer_id: str) -> dict[str, Any]:
        """Exchange tickets for another train or class, all passengers together, and settle the difference.

        The old booking is cancelled with the same fee as by cancel_train_booking, its refund goes towards the new
        tickets, and the new booking has a booking_ref of its own.

        Args:
            booking_ref: The booking to give up, from list_train_bookings.
            new_offer_id: The offer to take instead, from search_trains; it must have the same currency.

        Returns:
            booking: the new booking. replaced: the old one with refund_minor and fee_minor. difference_minor: what was
            charged (negative: refunded). notes.

        Errors:
            not_found: There is no such booking or offer.
            not_active: The booking was cancelled before, or the journey is over.
            same_offer: The booking is for this offer already.
            train_cancelled: The railway cancelled the new train.
            departed: The old or the new train has left.
            not_on_sale: Tickets for the new train are sold later; the message says from when.
            offer_expired: The new offer's valid_until is past.
            sold_out: There are fewer seats than passengers.
            already_booked: A passenger has another ticket for the new train; the message names the booking.
            unknown_payment_method: The payment method that paid is no longer the person's.
            insufficient_funds: The payment method does not cover the difference.
            account_closed: The account that paid is not open.
            currency_mismatch: The new offer, or the account that paid, has another currency.
        """
        old = self._live_booking(booking_ref)
        offer = self._offer(new_offer_id)
        if offer["offer_id"] == old["offer_id"]:
            raise ToolError("same_offer", "the booking is for this offer already; name another one")
        if offer["currency"] != old["currency"]:
            raise ToolError("currency_mismatch", "the new offer has another currency; cancel and book it instead")
        party = [
            {"name": ticket["name"], "type": ticket.get("type", "adult"), "user_id": ticket.get("user_id", "")}
            for ticket in old["passengers"]
        ]
        self._check_sale(offer, party, but=booking_ref)
        refund, fee = self._refund(old)
        quote = self._quote(offer, party, replaced=old)
        difference = quote.total_minor - refund
        ref = self._paid(old["method"], difference, offer["currency"])
        replaced = self._withdraw(old, refund, fee, f"changed to {ref}", changed_to=ref)
        # Seats and student journeys came back with the old booking: read the offer again.
        offer = self._offer(new_offer_id)
        booking = self._issue(
            ref, offer, quote, old["user_id"], old["contact"], old["method"], changed_from=booking_ref
        )
        return {
            "booking": self._shown(booking),
            "replaced": self._shown(replaced),
            "difference_minor": difference,
            "notes": quote.notes,
        }

    @tool(write=True)
    def update_student_verification(
        self,
        user_id: str,
        xuexin_status: Proof | None = None,
        school_proof_status: Proof | None = None,
        discount_zone: str | None = None,
        note: str | None = None,
    ) -> dict[str, Any]:
        """Record the state of a student's proofs and the route of the student price; begins a profile if needed.

        Args:
            user_id: Whose profile.
            xuexin_status: State of the register of students: not_submitted, pending, verified, rejected or expired.
            school_proof_status: State of the school's letter: the same words.
            discount_zone: The two cities between which the student price holds, e.g. "Shanghai - Kunming"; "" for none.
            note: A remark, up to 500 characters; it replaces the one before.

        Returns:
            The profile as in get_student_profile.

        Errors:
            nothing_to_change: Only user_id was given.
            bad_zone: discount_zone does not name two different cities with stations.
            bad_user: user_id is empty or longer than 100 characters.
        """
        if not 1 <= len(user_id.strip()) <= 100:
            raise ToolError("bad_user", "user_id names the student, e.g. u_ann")
        changes: dict[str, Any] = {
            key: value
            for key, value in (("xuexin_status", xuexin_status), ("school_proof_status", school_proof_status))
            if value is not None
        }
        if discount_zone is not None:
            changes["discount_zone"] = self._zone_of(discount_zone)
        if note is not None:
            changes["note"] = note[:500]
        if not changes:
            raise ToolError(
                "nothing_to_change", "give xuexin_status, school_proof_status, discount_zone or note to change"
            )
        if self.find("students", user_id) is None:
            return self._profile(self.put("students", user_id=user_id, updated_at=self.stamp(), **changes))
        return self._profile(self.patch("students", user_id, updated_at=self.stamp(), **changes))

    # -- inside --------------------------------------------------------------------------------------------------

    def _live_booking(self, booking_ref: str) -> Record:
        """A booking that can still be given back.

        Raises:
            ToolError: ``not_found``, ``not_active`` or ``departed``.
        """
        booking = self.get("bookings", booking_ref, "booking", "rail_booking.list_train_bookings shows them")
        if booking["status"] != "confirmed":
            raise ToolError("not_active", f"this booking is {booking['status']} already")
        train = self.get("trains", booking["train_key"], "train")
        if train["status"] != "cancelled" and self.now >= self._departure(train):
            raise ToolError("departed", "the train has left; tickets are given back before departure")
        return booking

    def _refund(self, booking: Record) -> tuple[int, int]:
        """What comes back for a booking now, and what the railway keeps."""
        train = self.get("trains", booking["train_key"], "train")
        total: int = booking["total_minor"]
        if train["status"] == "cancelled" and train["cancel_refund"] == "full":
            return total, 0
        fee = min(total, booking["refund_fee_minor"] * len(booking["passengers"]))
        return total - fee, fee

    def _check_sale(self, offer: Record, party: list[dict[str, str]], but: str = "") -> None:
        self._check_on_sale(offer, len(party))
        names = {fold(person["name"]): person["name"] for person in party}
        for booking in self.rows("bookings"):
            if booking["train_key"] != offer["train_key"] or booking["status"] != "confirmed":
                continue
            if booking["booking_ref"] == but:
                continue
            for ticket in booking["passengers"]:
                if fold(ticket["name"]) in names:
                    raise ToolError(
                        "already_booked",
                        f"{ticket['name']} has a ticket for this train in booking {booking['booking_ref']}",
                    )

    def _method(self, payment: dict[str, Any] | None) -> str:
        """The payment method of a call, or the person's first; "" where they have none."""
        if payment is None:
            first = next(iter(self.world.table("world.methods").rows()), None)
            return "" if first is None else str(first["method_id"])
        method = payment.get("payment_method_id")
        if not isinstance(method, str) or not method or len(payment) > 1:
            raise ToolError("bad_payment", 'payment is {"payment_method_id": "..."} and nothing else; or leave it out')
        return method

    def _paid(self, method: str, amount_minor: int, currency: str) -> str:
        """Settle an amount and return the reference of the new booking."""
        taken = self.table("bookings").find
        if amount_minor:
            ref = self.world.peek_code("rail", 6, taken=taken)
            self.pay(method, amount_minor, currency, PAYEE, ref)
        return self.world.code("rail", 6, taken=taken)

    def _issue(
        self, ref: str, offer: Record, quote: Quote, user_id: str, contact: dict[str, str], method: str,
        changed_from: str = "",
    ) -> Record:  # fmt: skip
        """Write the booking, take its seats and its student journeys."""
        train = self._train_of(offer)
        count = len(quote.tickets)
        seats, next_row = self._seats(offer, count)
        self.patch("offers", offer["offer_id"], seats_left=offer["seats_left"] - count, next_row=next_row)
        self._spend(quote.students)
        booking = self.put(
            "bookings",
            booking_ref=ref,
            user_id=user_id,
            offer_id=offer["offer_id"],
            train_key=train["train_key"],
            train_no=train["train_no"],
            date=train["date"],
            origin=self._station_name(train["origin"]),
            dest=self._station_name(train["dest"]),
            departs=train["departs"],
            arrives=train["arrives"],
            seat_class=offer["seat_class"],
            passengers=[{**ticket, "seat": seat} for ticket, seat in zip(quote.tickets, seats, strict=True)],
            seats_together=sit_together(offer, count),
            total_minor=quote.total_minor,
            currency=offer["currency"],
            refund_fee_minor=offer["refund_fee_minor"],
            method=method,
            contact=contact,
            created_at=self.stamp(),
            changed_from=changed_from,
            train_status=train["status"],
        )
        self._await_arrival(booking)
        return booking

    def _withdraw(self, booking: Record, refund: int, fee: int, reason: str, changed_to: str = "") -> Record:
        self._give_back(booking)
        return self.patch(
            "bookings",
            booking["booking_ref"],
            status="cancelled",
            cancelled_at=self.stamp(),
            reason=reason,
            refund_minor=refund,
            fee_minor=fee,
            changed_to=changed_to,
        )

    def _zone_of(self, text: str) -> str:
        """A discount zone as it is kept: two cities of the timetable, or ""."""
        if not text.strip():
            return ""
        cities = {fold(row["city"]): row["city"] for row in self.rows("stations")}
        named = [cities.get(fold(part).strip(), "") for part in _ZONE_MARK.split(text.strip())]
        if len(named) != 2 or not all(named) or named[0] == named[1]:
            known = ", ".join(list(cities.values())[:12])
            raise ToolError("bad_zone", f'discount_zone is two cities such as "A - B"; there are stations in: {known}')
        return " - ".join(named)


def _contact(contact: dict[str, Any]) -> dict[str, str]:
    """The fields of a contact that are kept."""
    fields = {key: contact[key] for key in ("name", "email", "phone", "user_id") if contact.get(key) is not None}
    if not all(isinstance(value, str) and len(value) <= 200 for value in fields.values()):
        raise ToolError(
            "bad_contact", "name, email, phone and user_id of the contact are texts of up to 200 characters"
        )
    kept = {key: value.strip() for key, value in fields.items() if value.strip()}
    if not kept.keys() & {"name", "email", "phone"}:
        raise ToolError("bad_contact", "the contact needs a name, an email or a phone")
    return kept
