"""The arithmetic and the words of a reservation: what is kept or refunded, what the hotel answers and confirms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from lifegym.services.hotel_booking.places import has_words
from lifegym.services.hotel_booking.reading import HotelReading
from lifegym.services.search import resolve
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["HotelSettling"]

NOTED = "Noted and passed on to the house; it is not guaranteed."


class HotelSettling(HotelReading):
    """How a hotel settles what guests book, change and cancel."""

    def _active(self, reservation_id: str) -> Record:
        row = self._reservation(reservation_id)
        if row["status"] not in ("held", "confirmed", "checked_in"):
            raise ToolError("not_active", f"reservation {reservation_id} is {row['status']}; make a new one")
        return row

    def _refuse_full(self, plan: Record, dates: Sequence[str]) -> NoReturn:
        full = [date for date in dates if self._left(plan, date) < 1]
        raise ToolError(
            "sold_out",
            f"no {plan['room_type']} is left for {', '.join(full)}; look at get_room_availability for other rooms",
        )

    def _plan_of_type(self, row: Record, wanted: str, dates: Sequence[str]) -> Record:
        """The hotel's plan for a room type: the one that was booked, else the cheapest that has rooms."""
        fitting = [
            plan
            for plan in self._plans(row["hotel_id"])
            if plan["max_guests"] >= row["guests"] and plan["currency"] == row["currency"]
        ]
        types = list(dict.fromkeys(plan["room_type"] for plan in fitting))
        named = [plan for plan in fitting if plan["rate_plan_id"] == wanted.partition("|")[0]]
        if not named:
            room_type = resolve(wanted, types)
            named = [plan for plan in fitting if plan["room_type"] == room_type]
        if not named:
            raise ToolError(
                "unknown_room_type", f"for {row['guests']} guests the hotel has: {', '.join(types) or 'nothing else'}"
            )
        for plan in named:
            if plan["rate_plan_id"] == row["rate_plan_id"]:
                return plan
        offers = [(plan, self._offer(plan, dates)) for plan in named]
        return min(offers, key=lambda offer: (offer[1][1] < 1, sum(offer[1][0])))[0]

    def _weighed(self, row: Record, before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
        """What a change of nights costs and gives back under the reservation's change rule."""
        added = given_back = 0
        for date in {**before, **after}:
            difference = after.get(date, 0) - before.get(date, 0)
            added += max(0, difference)
            given_back += max(0, -difference)
        refund, fee = given_back, 0
        if given_back and not self._still(self._change_end(row)):
            if row["change_fee_minor"] is None:
                refund = 0
            else:
                fee = row["change_fee_minor"]
        return {"added_minor": added, "given_back_minor": given_back, "refund_minor": refund, "fee_minor": fee}

    def _kept(self, row: Record) -> int:
        """What the hotel keeps of a reservation that is cancelled now, fees of earlier changes included."""
        fees: int = row["fees_minor"]
        free, hard = self._free_end(row), row["non_refundable_after"]
        total: int = row["total_minor"]
        if self._still(free):
            return fees
        if free is None or (hard is not None and not self._still(hard)) or row["late_keeps"] == "all":
            return fees + total
        first: int = row["nights"][0]["amount_minor"] if row["nights"] else 0
        return fees + (first if row["late_keeps"] == "first_night" else -(-total // 2))

    def _new_hour(self, row: Record, hotel: Record, check_out: str) -> dict[str, Any]:
        """The check-out hour after a change; a late one was granted for the old day of departure only."""
        if check_out == row["check_out"]:
            return {}
        return {"check_out_time": self._check_out_time(hotel, check_out), "late_checkout": None}

    def _paid_for(self, booking: Mapping[str, Any]) -> str:
        """Charge what a new reservation pays at booking, and give it its id."""
        self.check_method(booking["payment_method_id"])
        taken = self.table("reservations").find
        if booking["paid_minor"]:
            reservation_id = self.world.peek_code("hotel", 8, taken=taken)
            self._move_money({**booking, "reservation_id": reservation_id}, booking["paid_minor"])
        return self.world.code("hotel", 8, taken=taken)

    def _asked(self, hotel: Record, plan: Record, text: str) -> dict[str, str]:
        """A guest's request with the standing answer to the first keyword that occurs in it."""
        for answers in (plan["request_answers"], hotel["request_answers"]):
            for keyword, answer in answers.items():
                if has_words(keyword, text):
                    return {"at": self.stamp(), "text": text, "answer": answer}
        return {"at": self.stamp(), "text": text, "answer": NOTED}

    def _mail(self, row: Record, subject: str) -> None:
        """Let the hotel confirm by mail what has become of a reservation, if it has an address."""
        hotel = self._hotel(row["hotel_id"])
        if not hotel["email"]:
            return
        body = (
            f"Dear {row['guest_name']},\n\n"
            f"Reservation {row['reservation_id']} at {hotel['name']}: {row['status']}.\n"
            f"{row['room_type']}, {row['guests']} guest(s), from {row['check_in']} ({hotel['check_in_time']})"
            f" to {row['check_out']} ({row['check_out_time']}).\n"
            f"Price of the nights: {row['total_minor']} {row['currency']} (minor units), fees {row['fees_minor']}, "
            f"paid {row['paid_minor']}.\n"
            f"{self._told(row, row['currency'])['cancellation_rule']}\n\n{hotel['name']}\n{hotel['address']}"
        )
        self.world.emit(
            "mail_in",
            to=row["guest_email"] or self.world.owner_email,
            sender=hotel["email"],
            sender_name=hotel["name"],
            subject=f"{subject}: {hotel['name']}, {row['check_in']} to {row['check_out']}",
            body=body,
            attachments=[],
        )
