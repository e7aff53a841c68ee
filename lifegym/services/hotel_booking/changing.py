"""Making, changing and cancelling reservations."""

from __future__ import annotations

from typing import Any, NotRequired

from typing_extensions import TypedDict

from lifegym.services.hotel_booking.reading import Guests
from lifegym.services.hotel_booking.settling import HotelSettling
from lifegym.services.tools import ToolError, tool

__all__ = ["GuestProfile", "HotelChanging", "request_text"]

TEXT_LIMIT = 1000
NAME_LIMIT = 200


class GuestProfile(TypedDict):
    """Who stays."""

    name: str
    email: NotRequired[str | None]
    phone: NotRequired[str | None]
    user_id: NotRequired[str | None]
    guests: NotRequired[Guests | None]
    guest_names: NotRequired[list[str] | None]


class HotelChanging(HotelSettling):
    """Reservations as guests make, change and cancel them."""

    @tool(write=True)
    def create_reservation(
        self,
        rate_plan_id: str,
        guest_profile: GuestProfile,
        payment_method_id: str,
        special_requests: str | None = None,
        check_in: str | None = None,
        check_out: str | None = None,
        guests: Guests | None = None,
    ) -> dict[str, Any]:
        """Reserve a room. It is confirmed at once at the price of this moment, and the hotel sends a mail.

        Plans with payment at_booking are charged now, plans with at_hotel on arrival.

        Args:
            rate_plan_id: The quote from get_room_availability or search_hotels, such as rp_x|2026-05-03|2026-05-08|3.
                A plan_id alone also does, together with check_in, check_out and guests.
            guest_profile: name (who checks in) and, where known, email (for the confirmation), phone, user_id,
                guests (how many), guest_names (the others).
            payment_method_id: What to charge.
            special_requests: A wish for the hotel, in words; see submit_special_request.
            check_in: YYYY-MM-DD, instead of the quote's.
            check_out: YYYY-MM-DD, instead of the quote's.
            guests: How many people, instead of the quote's.

        Returns:
            The reservation as get_reservation shows it: reservation_id, status, nights, total_minor, paid_minor.

        Errors:
            not_found: There is no such rate plan.
            bad_quote: The quote is incomplete, or a plain plan_id came without dates or guests.
            bad_date: A date is not YYYY-MM-DD.
            bad_dates: check_out is not after check_in, the stay is past, too long or too far off.
            bad_profile: The guest's name is empty or a text too long.
            bad_text: special_requests is empty or longer than 1000 characters.
            too_many_guests: The room is for fewer people.
            sold_out: A night has no room left; the message names it.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The method does not cover it.
            account_closed: The method's account is frozen or closed.
            currency_mismatch: The method cannot pay this currency.
        """
        people_said = guests or guest_profile.get("guests")
        plan, first, last, people = self._quoted(rate_plan_id, check_in, check_out, people_said)
        hotel = self._hotel(plan["hotel_id"])
        dates = self._stay(first, last, self._today_at(hotel))
        profile = _profile(guest_profile)
        wish = None if special_requests is None else request_text(special_requests, "special_requests")
        if people > plan["max_guests"]:
            raise ToolError(
                "too_many_guests", f"this room is for {plan['max_guests']}; search again with guests={people}"
            )
        prices, left = self._offer(plan, dates)
        if left < 1:
            self._refuse_full(plan, dates)
        total = sum(prices)
        booking = {
            "hotel_id": hotel["hotel_id"],
            "rate_plan_id": plan["rate_plan_id"],
            "room_type": plan["room_type"],
            "user_id": guest_profile.get("user_id") or self.world.owner,
            **profile,
            "guests": people,
            "check_in": first,
            "check_out": last,
            "nights": [{"date": date, "amount_minor": price} for date, price in zip(dates, prices, strict=True)],
            "currency": plan["currency"],
            "total_minor": total,
            "paid_minor": total if plan["payment"] == "at_booking" else 0,
            "payment": plan["payment"],
            "payment_method_id": payment_method_id,
            **self._terms(plan, hotel, first),
            "check_out_time": self._check_out_time(hotel, last),
            "special_requests": [] if wish is None else [self._asked(hotel, plan, wish)],
            "created_at": self.stamp(),
        }
        booking["reservation_id"] = self._paid_for(booking)
        row = self.put("reservations", **booking)
        self._sell(plan["rate_plan_id"], dates)
        text = f"{len(dates)} nights from {first} to {last}."
        row = self._note(row, "booked", text, charge=booking["paid_minor"])
        self._await_arrival(row)
        self._mail(row, "Reservation confirmed")
        return self._shown(row)

    @tool(write=True)
    def modify_reservation(
        self,
        reservation_id: str,
        new_check_in: str | None = None,
        new_check_out: str | None = None,
        new_room_type: str | None = None,
    ) -> dict[str, Any]:
        """Move, shorten or lengthen a stay, or change the type of room. Look at change_rule first.

        Nights that stay keep their price; nights that are added cost what they cost now; nights that are given back
        are refunded by the change rule. What comes of it is charged or refunded as one amount.

        Args:
            reservation_id: From list_reservations.
            new_check_in: YYYY-MM-DD of the first night; as it was if left out.
            new_check_out: YYYY-MM-DD of departure; as it was if left out.
            new_room_type: Another room type of the same hotel (or its plan_id), all nights at today's price.

        Returns:
            The reservation as get_reservation shows it, and change: added_minor (nights added, dearer room),
            given_back_minor (value of nights given back, cheaper room), refund_minor (how much of it is refunded),
            fee_minor, charged_minor (the one amount that was moved now; negative is a refund).

        Errors:
            not_found: There is no such reservation.
            not_active: It is cancelled, or the stay is over.
            nothing_to_change: Nothing would be different.
            already_started: The guests have arrived: check_in is fixed, check_out cannot be before today.
            bad_date: A date is not YYYY-MM-DD.
            bad_dates: check_out is not after check_in, the stay is past, too long or too far off.
            unknown_room_type: The hotel has no such room type for so many guests; the message lists those it has.
            sold_out: A night has no room left; the message names it.
            unknown_payment_method: The payment method is no longer the person's.
            insufficient_funds: The payment method does not cover what has to be paid.
            account_closed: The method's account is frozen or closed.
            currency_mismatch: The method cannot pay this currency.
        """
        row = self._active(reservation_id)
        hotel, old_plan = self._hotel(row["hotel_id"]), self._plan(row["rate_plan_id"])
        first, last = new_check_in or row["check_in"], new_check_out or row["check_out"]
        begun = row["status"] == "checked_in"
        dates = self._stay(first, last, self._today_at(hotel), begun)
        if begun and (first != row["check_in"] or last < self._today_at(hotel)):
            raise ToolError("already_started", "the guests have arrived; only new_check_out from today on can change")
        plan = old_plan if new_room_type is None else self._plan_of_type(row, new_room_type, dates)
        room_type = row["room_type"] if new_room_type is None else plan["room_type"]
        if (first, last, plan, room_type) == (row["check_in"], row["check_out"], old_plan, row["room_type"]):
            raise ToolError("nothing_to_change", "the reservation is like that already; give another date or room type")
        before = {night["date"]: night["amount_minor"] for night in row["nights"]}
        wanted = [date for date in dates if plan is not old_plan or date not in before]
        prices, left = self._offer(plan, wanted)
        if wanted and left < 1:
            self._refuse_full(plan, wanted)
        after = {date: before.get(date, 0) for date in dates} | dict(zip(wanted, prices, strict=True))
        change = self._weighed(row, before, after)
        total = sum(after.values())
        fees = row["fees_minor"] + change["fee_minor"] + change["given_back_minor"] - change["refund_minor"]
        # A stay that is paid at the hotel has nothing to settle before its guests have arrived.
        settled = row["payment"] == "at_booking" or begun
        moved = total + fees - row["paid_minor"] if settled else 0
        if moved:
            self._move_money(row, moved)
        dropped = [date for date in before if plan is not old_plan or date not in after]
        self._sell(old_plan["rate_plan_id"], dropped, -1)
        self._sell(plan["rate_plan_id"], wanted)
        row = self.patch(
            "reservations",
            reservation_id,
            rate_plan_id=plan["rate_plan_id"],
            room_type=room_type,
            check_in=first,
            check_out=last,
            nights=[{"date": date, "amount_minor": price} for date, price in after.items()],
            total_minor=total,
            fees_minor=fees,
            paid_minor=row["paid_minor"] + moved,
            **(self._terms(plan, hotel, first) if plan is not old_plan else {}),
            **self._new_hour(row, hotel, last),
        )
        text = f"{len(dates)} nights from {first} to {last}, {room_type}."
        row = self._note(row, "changed", text, charge=max(0, moved), refund=max(0, -moved), fee=change["fee_minor"])
        if not begun:
            self._await_arrival(row)
        self._await_departure(row)
        self._mail(row, "Reservation changed")
        return {**self._shown(row), "change": {**change, "charged_minor": moved}}

    @tool(write=True)
    def cancel_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Cancel a reservation whose guests have not arrived. What is refunded follows its cancellation_rule now.

        Args:
            reservation_id: From list_reservations.

        Returns:
            The reservation as get_reservation shows it, now cancelled; refund_minor (paid back now), charged_minor
            (charged now, where an unpaid stay is cancelled late), kept_minor (what the hotel keeps in all).

        Errors:
            not_found: There is no such reservation.
            not_active: It is cancelled, or the stay is over.
            already_started: The guests have arrived; leave earlier with modify_reservation.
            unknown_payment_method: The payment method is no longer the person's.
            insufficient_funds: The method does not cover what a late cancellation costs.
            account_closed: The method's account is frozen or closed.
            currency_mismatch: The method cannot pay this currency.
        """
        row = self._active(reservation_id)
        if row["status"] == "checked_in":
            raise ToolError("already_started", "the guests have arrived; use modify_reservation with a new_check_out")
        kept = self._kept(row)
        moved = kept - row["paid_minor"]
        if moved:
            self._move_money(row, moved)
        row = self._end(row, "guest", "cancelled by the guest", charge=max(0, moved), refund=max(0, -moved))
        self._mail(row, "Reservation cancelled")
        return {
            **self._shown(row),
            "refund_minor": max(0, -moved),
            "charged_minor": max(0, moved),
            "kept_minor": kept,
        }


def request_text(text: str, name: str) -> str:
    """A request in words, without blanks around it.

    Raises:
        ToolError: ``bad_text``.
    """
    clean = text.strip()
    if not clean or len(clean) > TEXT_LIMIT:
        raise ToolError("bad_text", f"{name} says in 1 to {TEXT_LIMIT} characters what the hotel should do")
    return clean


def _profile(given: GuestProfile) -> dict[str, Any]:
    """The guest's fields of a reservation."""
    fields: dict[str, Any] = {
        "guest_name": given["name"].strip(),
        "guest_email": (given.get("email") or "").strip(),
        "guest_phone": (given.get("phone") or "").strip(),
        "guest_names": list(given.get("guest_names") or []),
    }
    texts = [fields["guest_name"], fields["guest_email"], fields["guest_phone"], given.get("user_id") or ""]
    others = fields["guest_names"]
    if not fields["guest_name"] or len(others) > 20 or any(len(text) > NAME_LIMIT for text in [*texts, *others]):
        raise ToolError(
            "bad_profile", f"guest_profile.name says who checks in; texts have up to {NAME_LIMIT} characters"
        )
    return fields
