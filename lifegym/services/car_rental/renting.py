"""Booking a car, changing and cancelling a booking, and paying what is open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.car_rental.people import CarRentalPeople, DriverProfile, PaymentDetails, RentalContact
from lifegym.services.car_rental.rates import Period
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CarRentalRenting"]

NOTES_SHOWN = 20
CHARGES_SHOWN = 50


class CarRentalRenting(CarRentalPeople):
    """What customers do with bookings."""

    @tool(write=True)
    def create_rental_booking(
        self,
        offer_id: str,
        insurance_plan_id: str,
        driver_user_id: Annotated[str, Field(min_length=1, max_length=80)],
        drivers: Annotated[list[DriverProfile], Field(min_length=1, max_length=20)],
        contact: RentalContact,
        payment: PaymentDetails | None = None,
        pickup_at: str | None = None,
        return_at: str | None = None,
        return_station_id: str | None = None,
    ) -> dict[str, Any]:
        """Book a car for a period with one insurance plan.

        With a payment the whole price is charged now; without one it is paid at the counter at pick-up. The deposit is
        held on a card at pick-up and not charged. The car is picked up and returned at the booked times by itself.

        Args:
            offer_id: A quote from search_vehicle_offers; or an offer's plain id together with the times.
            insurance_plan_id: From list_insurance_plans, in the car's currency.
            driver_user_id: User id of the main driver, such as u_ann; list_bookings finds the booking by it.
            drivers: The main driver first: name; age or birth_date (YYYY-MM-DD); licence_year or licence_since
                (YYYY-MM-DD); user_id and licence_no if wanted. Only these may drive.
            contact: email; name and phone if wanted.
            payment: payment_method_id to charge now.
            pickup_at: ISO 8601 date-time (local to the station without an offset) in place of the quote's.
            return_at: The same for the return.
            return_station_id: Where the car is left, in place of the quote's.

        Returns:
            The booking as get_booking shows it, with its booking_ref.

        Errors:
            not_found: There is no such offer, station or insurance plan.
            bad_offer: The offer_id is mutilated.
            bad_time: A time is not ISO 8601.
            bad_period: There are no times, or the period is reversed, past, too long or too far off.
            no_one_way: The car cannot be left at that station.
            not_offered: The offer was withdrawn, or does not stand on these days.
            plan_not_offered: The insurance plan is in another currency.
            station_closed: A station is closed at that time.
            sold_out: No such car is left for the whole period.
            bad_driver: A driver lacks a name, an age or a licence, is named twice, or there are too many.
            bad_date: birth_date or licence_since is not YYYY-MM-DD.
            driver_not_allowed: A driver is too young or too old, or has not held a licence long enough.
            bad_contact: The contact has no proper email address.
            unknown_payment_method: The user has no such payment method. Its account or card may refuse as well:
                insufficient_funds, account_closed, currency_mismatch.
        """
        offer, period, station_id = self._quoted(offer_id, pickup_at, return_at, return_station_id)
        plan = self._plan(insurance_plan_id)
        if period is None:
            raise ToolError("bad_period", "give pickup_at and return_at, or an offer_id from a search with times")
        self._check_period(period)
        fields = self._agreed(offer, period, station_id, plan)
        self._check_left(offer, period)
        day = clock.local(period.start, self._zone(self._station(offer["station_id"]))).date()
        people = self._drivers(drivers, offer, day)
        booking = {
            **fields,
            **{key: offer[key] for key in ("model", "vehicle_class", "energy_type", "seats", "deposit_minor")},
            "offer_id": offer["offer_id"],
            "user_id": driver_user_id,
            "station_id": offer["station_id"],
            "drivers": people,
            "contact": self._contact(contact, people),
            "currency": offer["currency"],
            "payment_method_id": payment["payment_method_id"] if payment else "",
            "paid_minor": fields["total_minor"] if payment else 0,
            "booked_at": self.stamp(),
        }
        row = self.put("bookings", booking_ref=self._paid_for(booking), **booking)
        row = self._note(row, "Booked.", row["paid_minor"])
        self._await(row)
        self._mail(row, "Your rental is booked")
        return self._shown(row)

    @tool(write=True)
    def change_booking(
        self,
        booking_ref: str,
        pickup_at: str | None = None,
        return_at: str | None = None,
        return_station_id: str | None = None,
        insurance_plan_id: str | None = None,
        drivers: Annotated[list[DriverProfile], Field(min_length=1, max_length=20)] | None = None,
        contact: RentalContact | None = None,
    ) -> dict[str, Any]:
        """Change a booking. New times, stations or insurance are priced anew at today's price a day.

        The difference is charged to, or refunded on, the method that paid; a booking to be paid at the counter just
        costs more or less there. Once the car is picked up only the return and the drivers can change.

        Args:
            booking_ref: From list_bookings.
            pickup_at: New pick-up, ISO 8601 (local to the station without an offset).
            return_at: New return, the same form.
            return_station_id: Where the car is left.
            insurance_plan_id: Another plan.
            drivers: All drivers, the main driver first, as in create_rental_booking.
            contact: email; name and phone if wanted.

        Returns:
            The booking as get_booking shows it, difference_minor (of the price) and charged_minor (now; negative is
            refunded).

        Errors:
            not_found: There is no such booking, station or insurance plan.
            nothing_to_change: Nothing was given.
            not_changeable: The booking is over, or the car is picked up and this can no longer change.
            bad_time: A time is not ISO 8601.
            bad_period: The period is reversed, past, too long or too far off.
            no_one_way: The car cannot be left at that station.
            not_offered: The offer does not stand on these days, or was withdrawn.
            plan_not_offered: The insurance plan is in another currency.
            station_closed: A station is closed at that time.
            sold_out: No such car is left for the whole period.
            bad_driver: A driver lacks a name, an age or a licence, is named twice, or there are too many.
            bad_date: birth_date or licence_since is not YYYY-MM-DD.
            driver_not_allowed: A driver is too young or too old, or has not held a licence long enough.
            bad_contact: The contact has no proper email address.
            unknown_payment_method: The user no longer has the payment method. Its account or card may refuse as well:
                insufficient_funds, account_closed, currency_mismatch.
        """
        row = self._booking(booking_ref)
        if (pickup_at, return_at, return_station_id, insurance_plan_id, drivers, contact) == (None,) * 6:
            raise ToolError("nothing_to_change", "give what is to change, such as return_at")
        begun = row["status"] == "picked_up"
        if row["status"] not in ("confirmed", "picked_up"):
            raise ToolError("not_changeable", f"booking {booking_ref} is {row['status']}; make a new one")
        if begun and (pickup_at or insurance_plan_id):
            raise ToolError("not_changeable", "the car is picked up; only the return and the drivers can change")
        offer = self._offer(row["offer_id"])
        changes: dict[str, Any] = {}
        moved = bool(pickup_at or return_at or return_station_id)
        period, station_id = self._moved(row, offer, pickup_at, return_at, return_station_id)
        if moved or insurance_plan_id:
            if moved:
                self._check_period(period, begun)
            changes = self._agreed(offer, period, station_id, self._plan(insurance_plan_id or row["insurance_plan_id"]))
            if moved:
                self._check_left(offer, period, besides=booking_ref)
        day = clock.local(period.start, self._zone(self._station(row["station_id"]))).date()
        people = self._drivers(drivers, offer, day) if drivers else row["drivers"]
        if contact:
            changes["contact"] = self._contact(contact, people)
        difference = changes.get("total_minor", row["total_minor"]) - row["total_minor"]
        if begun and difference < 0:
            raise ToolError("not_changeable", "the car is picked up; days that were paid for are not refunded")
        paid, money = row["paid_minor"], difference
        if paid != row["total_minor"]:  # to be paid later: only what is too much goes back
            money = -max(0, paid - row["total_minor"] - difference)
        if money and row["payment_method_id"]:
            self._move_money(row, money, "booking changed")
        elif not begun:  # whoever has paid at the counter pays a longer rental there at once
            money = 0
        changes["paid_minor"] = paid + money
        row = self.patch("bookings", booking_ref, **changes, drivers=people)
        row = self._note(row, "Changed.", money)
        self._await(row)
        self._mail(row, "Your rental has changed")
        return {**self._shown(row), "difference_minor": difference, "charged_minor": money}

    @tool(write=True)
    def cancel_booking(
        self, booking_ref: str, reason: Annotated[str, Field(max_length=500)] | None = None
    ) -> dict[str, Any]:
        """Cancel a booking before pick-up.

        It is free until free_cancel_until; later, one day's price is kept (or, if nothing was paid yet, charged: see
        pay_charge). The rest is refunded on the method that paid.

        Args:
            booking_ref: From list_bookings.
            reason: Why.

        Returns:
            The booking as get_booking shows it, and refund_minor.

        Errors:
            not_found: There is no such booking.
            not_cancellable: The car was picked up, or the booking is over.
            unknown_payment_method: The user no longer has the payment method. Its account or card may refuse as well:
                insufficient_funds, account_closed, currency_mismatch.
        """
        row = self._booking(booking_ref)
        if row["status"] != "confirmed":
            raise ToolError("not_cancellable", f"booking {booking_ref} is {row['status']} and cannot be cancelled")
        free = row["free_cancel_until"] is not None and self.now <= self.seconds(row["free_cancel_until"])
        fee = 0 if free else min(row["total_minor"], row["price_per_day_minor"])
        paid = row["paid_minor"]
        refund = max(0, paid - fee)
        if refund:
            self._move_money(row, -refund, "booking cancelled")
        row = self._end(row, "customer", reason or "", kept=paid - refund)
        if fee > paid:
            self._raise_charge(row, "cancellation", fee - paid, "late cancellation")
        row = self._note(row, "Cancelled.", -refund)
        self._mail(row, "Your rental is cancelled")
        return {**self._shown(row), "refund_minor": refund}

    @tool(write=True)
    def pay_charge(self, booking_ref: str, payment: PaymentDetails, charge_id: str | None = None) -> dict[str, Any]:
        """Pay what is due for a booking now, or one of its open extra charges.

        Args:
            booking_ref: From list_bookings.
            payment: payment_method_id to charge.
            charge_id: An open charge from get_booking; the price of the rental itself if left out.

        Returns:
            The booking as get_booking shows it, and charged_minor.

        Errors:
            not_found: There is no such booking, or no such charge on it.
            nothing_due: It is paid already, waived, or the booking was cancelled.
            unknown_payment_method: The user has no such payment method. Its account or card may refuse as well:
                insufficient_funds, account_closed, currency_mismatch.
        """
        row = self._booking(booking_ref)
        method = payment["payment_method_id"]
        if charge_id is not None:
            charge = self.get("charges", charge_id, "charge", "car_rental.get_booking shows them")
            if charge["booking_ref"] != booking_ref:
                raise ToolError("not_found", f"charge {charge_id} belongs to another booking")
            if charge["status"] != "open":
                raise ToolError("nothing_due", f"charge {charge_id} is {charge['status']} already")
            amount = charge["amount_minor"]
            self._move_money({**row, "payment_method_id": method}, amount, charge["kind"])
            self.patch("charges", charge_id, status="paid", payment_method_id=method)
            row = self._note(row, f"Paid: {charge['kind']}.", amount)
        else:
            amount = self._due(row)
            if not amount:
                raise ToolError("nothing_due", "nothing is due for the rental; open extra charges have a charge_id")
            self._move_money({**row, "payment_method_id": method}, amount, "rental")
            row = self.patch("bookings", booking_ref, paid_minor=row["total_minor"], payment_method_id=method)
            row = self._note(row, "Paid.", amount)
        return {**self._shown(row), "charged_minor": amount}

    # -- inside --------------------------------------------------------------------------------------------------

    def _booking(self, booking_ref: str) -> Record:
        return self.get("bookings", booking_ref, "booking", "car_rental.list_bookings shows them")

    @staticmethod
    def _due(row: Record) -> int:
        """What is still to pay for a rental."""
        due: int = row["total_minor"] - row["paid_minor"] if row["status"] != "cancelled" else 0
        return due

    def _agreed(self, offer: Record, period: Period, station_id: str, plan: Record) -> dict[str, Any]:
        """What a booking says of times, places and prices, if stations and plan allow it.

        Raises:
            ToolError: ``not_offered``, ``plan_not_offered``, ``station_closed``, ``not_found``.
        """
        station, far = self._station(offer["station_id"]), self._station(station_id)
        if plan["currency"] != offer["currency"]:
            raise ToolError(
                "plan_not_offered", f"{plan['plan_id']} is in {plan['currency']}; take one in {offer['currency']}"
            )
        if period.start >= self.now:
            if offer["status"] != "offered":
                raise ToolError("not_offered", "this car is no longer offered; search again")
            self._check_open(station, period.start, "pickup_at")
        if not self._in_window(offer, period, station):
            first, last = offer["available_from"] or "now", offer["available_until"] or "further notice"
            raise ToolError("not_offered", f"this car is offered from {first} until {last}; choose other days")
        self._check_open(far, period.end, "return_at")
        return {
            "return_station_id": station_id,
            "pickup_at": clock.iso(period.start, self._zone(station)),
            "return_at": clock.iso(period.end, self._zone(far)),
            "insurance_plan_id": plan["plan_id"],
            **self._cost(offer, period, station_id, plan),
            "free_cancel_until": self._free_until(offer, period, self._zone(station)),
        }

    def _check_left(self, offer: Record, period: Period, besides: str = "") -> None:
        """Refuse a period for which no car is left.

        Raises:
            ToolError: ``sold_out``.
        """
        if self._left(offer, period, self._out(offer["offer_id"], besides)) < 1:
            raise ToolError("sold_out", f"no {offer['model']} is left for all of this period; search again")

    def _moved(
        self, row: Record, offer: Record, pickup_at: str | None, return_at: str | None, return_station_id: str | None
    ) -> tuple[Period, str]:
        """Period and station of return of a booking after a change.

        Raises:
            ToolError: ``not_found``, ``no_one_way``, ``bad_time``.
        """
        station_id = return_station_id or row["return_station_id"]
        if not self._returnable(offer, station_id):
            raise ToolError("no_one_way", f"this car cannot be left at {station_id[:60]!r}; its offer lists one_way")
        near, far = self._zone(self._station(row["station_id"])), self._zone(self._station(station_id))
        before = self._period(row)
        return (
            Period(
                self._at(pickup_at, "pickup_at", near) if pickup_at else before.start,
                self._at(return_at, "return_at", far) if return_at else before.end,
            ),
            station_id,
        )

    def _paid_for(self, booking: Mapping[str, Any]) -> str:
        """Charge what a new booking pays now, and give it its reference."""
        counters = self.world.counters.copy()
        booking_ref = self.world.code("car_rental", 7)
        try:
            if booking["payment_method_id"]:
                self._move_money({**booking, "booking_ref": booking_ref}, booking["paid_minor"], booking["model"])
        except ToolError:
            self.world.counters = counters  # a refused booking uses up no reference
            raise
        return booking_ref

    def _shown(self, row: Record) -> dict[str, Any]:
        """A booking with its stations, its open charges, and what is still to pay."""
        mine = [charge for charge in self.rows("charges") if charge["booking_ref"] == row["booking_ref"]]
        return {
            **row,
            "history": row["history"][-NOTES_SHOWN:],
            "station": self._station_shown(self._station(row["station_id"])),
            "return_station": self._station_shown(self._station(row["return_station_id"])),
            "due_minor": self._due(row),
            "charges": mine[-CHARGES_SHOWN:],
            "open_charges_minor": sum(charge["amount_minor"] for charge in mine if charge["status"] == "open"),
        }

    def _mail(self, row: Record, subject: str) -> None:
        """Let the station confirm by mail, if it has an address."""
        station = self._station(row["station_id"])
        if not station["email"]:
            return
        contact = row["contact"] or {"name": self.world.owner_name, "email": self.world.owner_email}
        body = (
            f"Dear {contact['name']},\n\n"
            f"Booking {row['booking_ref']}: {row['status']}.\n{row['model']}, {row['seats']} seats.\n"
            f"Pick-up {row['pickup_at']} at {station['name']}, {station['address']}.\n"
            f"Return {row['return_at']} at {self._station(row['return_station_id'])['name']}.\n"
            f"Drivers: {', '.join(driver['name'] for driver in row['drivers'])}.\n"
            f"Price {row['total_minor']} {row['currency']} (minor units), paid {row['paid_minor']}.\n"
            f"Free cancellation until {row['free_cancel_until'] or 'never'}.\n\n{station['name']}"
        )
        self.world.emit(
            "mail_in",
            to=contact["email"],
            sender=station["email"],
            sender_name=station["name"],
            subject=f"{subject}: {row['booking_ref']}",
            body=body,
            attachments=[],
        )
