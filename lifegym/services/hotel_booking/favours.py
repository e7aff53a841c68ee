"""What guests ask of a hotel beside the room: a later check-out, a fridge, a word on their arrival."""

from __future__ import annotations

import re
from typing import Any

from lifegym.services.hotel_booking.changing import HotelChanging, request_text
from lifegym.services.tools import ToolError, tool

__all__ = ["HotelBooking"]

MOST_REQUESTS = 50


class HotelBooking(HotelChanging):
    """Hotels of a portal, their rooms by the night, and the reservations of its guests."""

    @tool(write=True)
    def request_late_checkout(self, reservation_id: str, new_time: str) -> dict[str, Any]:
        """Ask the hotel for a later check-out on the day of departure. It answers at once, and may say no.

        Args:
            reservation_id: From list_reservations.
            new_time: HH:MM at the hotel, such as 11:30.

        Returns:
            granted, reason, requested_time, check_out_time (that holds now), check_out, reservation_id.

        Errors:
            not_found: There is no such reservation.
            not_active: It is cancelled, or the stay is over.
            bad_time: new_time is not HH:MM.
        """
        row = self._active(reservation_id)
        if not re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", new_time, re.ASCII):
            raise ToolError("bad_time", "new_time is HH:MM at the hotel, such as 11:30")
        plan = self._plan(row["rate_plan_id"])
        latest, ask_by = plan["late_checkout_latest"], plan["late_checkout_ask_by"]
        granted = False
        if new_time <= row["check_out_time"]:
            granted, reason = True, f"Check-out is until {row['check_out_time']} anyway."
        elif latest is None:
            reason = "This room comes without late check-out."
        elif ask_by is not None and not self._still(ask_by):
            reason = f"Late check-out had to be asked for by {ask_by}."
        elif new_time > latest:
            reason = f"The room can be kept until {latest} at the latest; ask for that or earlier."
        else:
            granted, reason = True, f"The room is yours until {new_time}."
            row = self.patch("reservations", reservation_id, check_out_time=new_time, late_checkout=new_time)
            self._await_departure(row)
        said = "granted" if granted else "declined"
        row = self._note(row, "late_checkout", f"Late check-out at {new_time} {said}. {reason}")
        return {
            "reservation_id": reservation_id,
            "granted": granted,
            "reason": reason,
            "requested_time": new_time,
            "check_out": row["check_out"],
            "check_out_time": row["check_out_time"],
        }

    @tool(write=True)
    def submit_special_request(self, reservation_id: str, text: str) -> dict[str, Any]:
        """Tell the hotel a wish or a fact about a stay: a fridge, a quiet room, a late arrival.

        Args:
            reservation_id: From list_reservations.
            text: The wish in words, up to 1000 characters.

        Returns:
            reservation_id, answer (what the hotel says to it), special_requests (the newest 20: at, text, answer),
            total (how many there are).

        Errors:
            not_found: There is no such reservation.
            not_active: It is cancelled, or the stay is over.
            bad_text: The text is empty or longer than 1000 characters.
            too_many_requests: The reservation has 50 requests already; write to the hotel instead.
        """
        row = self._active(reservation_id)
        wish = request_text(text, "text")
        if len(row["special_requests"]) >= MOST_REQUESTS:
            raise ToolError("too_many_requests", "the hotel takes no more requests for this stay here; send it a mail")
        asked = self._asked(self._hotel(row["hotel_id"]), self._plan(row["rate_plan_id"]), wish)
        row = self.patch("reservations", reservation_id, special_requests=[*row["special_requests"], asked])
        return {
            "reservation_id": reservation_id,
            "answer": asked["answer"],
            "special_requests": row["special_requests"][-20:],
            "total": len(row["special_requests"]),
        }
