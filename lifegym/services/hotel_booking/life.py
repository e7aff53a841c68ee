"""What hotels do by themselves: guests come and go by the clock; prices, rooms and rules change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from lifegym.services.hotel_booking.nights import HotelNights
from lifegym.services.hotel_booking.records import Count
from lifegym.services.tools import ToolError, happening
from lifegym.services.types import Day, Instant, TimeOfDay
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["HotelBookingLife"]

LIVE = ("held", "confirmed", "checked_in")
MOST_SPAN = 400


class HotelBookingLife(HotelNights):
    """The hotels' own behaviour."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_price(
        self, rate_plan_id: str, date_from: Day, date_to: Day, amount_minor: Count, rooms_left: Count | None = None
    ) -> list[str]:
        """Change what the nights from date_from to date_to (the last night) cost, and how many rooms are left on them.

        Reservations keep the prices they were made at. Price alerts on the rate plan hear of it.
        """
        plan = self.find("rate_plans", rate_plan_id)
        touched = self._each_night(plan, date_from, date_to, rooms_left, amount_minor=amount_minor)
        if plan is not None and touched:
            hotel = self._hotel(plan["hotel_id"])
            self.world.emit(
                "price",
                ref=rate_plan_id,
                amount_minor=amount_minor,
                currency=plan["currency"],
                title=f"{hotel['name']}, {plan['room_type']}, nights {date_from} to {date_to}",
            )
        return touched

    @happening
    def set_rooms(self, rate_plan_id: str, date_from: Day, date_to: Day, rooms_left: Count) -> list[str]:
        """Set how many rooms are still to be had on the nights from date_from to date_to (the last night)."""
        return self._each_night(self.find("rate_plans", rate_plan_id), date_from, date_to, rooms_left)

    @happening
    def set_check_out_time(
        self, hotel_id: str, time: TimeOfDay, date_from: Day | None = None, date_to: Day | None = None
    ) -> list[str]:
        """Change a hotel's check-out hour, for good or for departures in a span of days (both included).

        Reservations that leave in the span show the new hour; a later hour that was granted to a guest stays granted.
        """
        hotel = self.find("hotels", hotel_id)
        if hotel is None:
            return []
        if date_from is None and date_to is None:
            self.patch("hotels", hotel_id, check_out_time=time)
        else:
            span = {"date_from": date_from, "date_to": date_to, "time": time}
            self.patch("hotels", hotel_id, check_out_changes=[*hotel["check_out_changes"], span])
        hotel = self._hotel(hotel_id)
        for row in [row for row in self.rows("reservations") if row["hotel_id"] == hotel_id and row["status"] in LIVE]:
            hour = max(self._check_out_time(hotel, row["check_out"]), row["late_checkout"] or "00:00")
            if hour != row["check_out_time"]:
                self._await_departure(self.patch("reservations", row["reservation_id"], check_out_time=hour))
        return [hotel_id]

    @happening
    def set_rule(
        self,
        rate_plan_id: str,
        free_until: Instant | None = None,
        non_refundable_after: Instant | None = None,
        free_change_until: Instant | None = None,
    ) -> list[str]:
        """Change the cancellation and change rules of a rate plan and of the live reservations on it."""
        given = {
            "free_until": free_until,
            "non_refundable_after": non_refundable_after,
            "free_change_until": free_change_until,
        }
        changes = {name: value for name, value in given.items() if value is not None}
        plan = self.find("rate_plans", rate_plan_id)
        if plan is None or not changes:
            return []
        changes = dict(self._as_written(self._hotel(plan["hotel_id"]), changes))
        self.patch("rate_plans", rate_plan_id, **changes)
        mine = [
            row["reservation_id"]
            for row in self.rows("reservations")
            if row["rate_plan_id"] == rate_plan_id and row["status"] in LIVE
        ]
        for reservation_id in mine:
            self.patch("reservations", reservation_id, **changes)
        return [rate_plan_id, *mine]

    @happening
    def set_room_type(self, hotel_id: str, room_type: str, check_in: Day | None = None) -> list[str]:
        """Let a hotel put guests (who arrive on a date) into another type of room than they booked; prices stay."""
        ids = [row["reservation_id"] for row in self._coming(hotel_id, "", check_in)]
        for reservation_id in ids:
            self.patch("reservations", reservation_id, room_type=room_type)
        return ids

    @happening
    def cancel_by_hotel(
        self,
        hotel_id: str = "",
        reservation_id: str = "",
        check_in: Day | None = None,
        refund: Literal["full", "none"] = "full",
        reason: str = "",
    ) -> list[str]:
        """A hotel cancels the stays that have not begun: those at hotel_id (arriving on check_in), or one by its id."""
        rows = self._coming(hotel_id, reservation_id, check_in)
        for row in rows:
            back = self._refund(row, row["paid_minor"]) if refund == "full" else 0
            self._end(row, "hotel", reason or "cancelled by the hotel", charge=0, refund=back)
        return [row["reservation_id"] for row in rows]

    @happening
    def reinstate(self, reservation_id: str, status: Literal["held", "confirmed"] = "held") -> list[str]:
        """Put a cancelled reservation back, as a hotel's system does by mistake; what is open is charged on arrival."""
        row = self.find("reservations", reservation_id)
        if row is None or row["status"] != "cancelled" or not self._ahead(row):
            return []
        self._squeeze_in(row)
        row = self.patch(
            "reservations",
            reservation_id,
            status=status,
            payment="at_hotel",
            cancelled_at=None,
            cancelled_by="",
            reason="",
        )
        self._await_arrival(self._note(row, "reinstated", "The reservation is in the hotel's books again."))
        return [reservation_id]

    # -- the clock -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        plans: dict[str, list[str]] = {}
        for plan in list(self.rows("rate_plans")):
            plans.setdefault(plan["hotel_id"], []).append(plan["rate_plan_id"])
            limits = self._as_written(self._hotel(plan["hotel_id"]), plan)
            if limits:
                self.patch("rate_plans", plan["rate_plan_id"], **limits)
        for hotel_id, plan_ids in plans.items():
            self.patch("hotels", hotel_id, rate_plan_ids=plan_ids)
        for row in list(self.rows("reservations")):
            row = self._completed(row)
            if row["status"] == "cancelled":
                continue
            # A plan's rooms are those free at the start: the hotel has this one besides.
            self._squeeze_in(row, besides=True)
            if row["status"] != "checked_in":
                self._await_arrival(row)
            self._await_departure(row)

    def arrive(self, reservation_id: str, date: str) -> None:
        """Check a guest in at the hotel's hour, and charge what is still open."""
        row = self.find("reservations", reservation_id)
        if row is None or row["status"] not in ("held", "confirmed") or row["check_in"] != date:
            return
        due = row["total_minor"] + row["fees_minor"] - row["paid_minor"]
        paid = 0
        if due > 0:
            try:
                self._move_money(row, due)
                paid = due
            except ToolError as refusal:
                self.world.notify(
                    self.name,
                    "payment_refused",
                    "The hotel could not take its payment",
                    f"{due} {row['currency']} (minor units) for {reservation_id} were refused: {refusal.message}",
                    ref=reservation_id,
                )
        row = self.patch("reservations", reservation_id, status="checked_in", paid_minor=row["paid_minor"] + paid)
        self._await_departure(self._note(row, "checked_in", "The guests have arrived.", charge=paid))

    def depart(self, reservation_id: str, date: str, time: str) -> None:
        """Check a guest out at the hour that holds for the reservation."""
        row = self.find("reservations", reservation_id)
        if row and row["status"] == "checked_in" and (row["check_out"], row["check_out_time"]) == (date, time):
            self.patch("reservations", reservation_id, status="checked_out")

    # -- inside --------------------------------------------------------------------------------------------------

    def _each_night(
        self, plan: Record | None, date_from: str, date_to: str, rooms_left: int | None, **changes: Any
    ) -> list[str]:
        first, last = clock.parse_day(date_from), clock.parse_day(date_to)
        span = min((last - first).days + 1, MOST_SPAN)
        if plan is None or span < 1:
            return []
        nights = plan["nights"]
        changed = {}
        for ordinal in range(first.toordinal(), first.toordinal() + span):
            date = first.fromordinal(ordinal).isoformat()
            sold = nights[date].get("sold", 0) if date in nights else 0
            changed[date] = changes if rooms_left is None else {**changes, "rooms": sold + rooms_left}
        self._set_nights(plan["rate_plan_id"], changed)
        return [plan["rate_plan_id"]]

    def _squeeze_in(self, row: Record, besides: bool = False) -> None:
        """Count a stay's nights as sold, with one more room where there is none left, or (``besides``) in any case."""
        plan = self._plan(row["rate_plan_id"])
        changed = {}
        for night in row["nights"]:
            date = night["date"]
            left, sold = self._left(plan, date), plan["nights"].get(date, {}).get("sold", 0)
            changed[date] = {"rooms": sold + left + (besides or left < 1), "sold": sold + 1}
        self._set_nights(plan["rate_plan_id"], changed)

    def _coming(self, hotel_id: str, reservation_id: str, check_in: str | None) -> list[Record]:
        """Stays that have not begun, by their hotel and day of arrival, or by id."""
        return [
            row
            for row in self.rows("reservations")
            if row["status"] in ("held", "confirmed")
            and (hotel_id or reservation_id)
            and (not hotel_id or row["hotel_id"] == hotel_id)
            and (not reservation_id or row["reservation_id"] == reservation_id)
            and (check_in is None or row["check_in"] == check_in)
        ]

    def _ahead(self, row: Record) -> bool:
        hotel = self._hotel(row["hotel_id"])
        return self._moment(hotel, row["check_in"], hotel["check_in_time"]) > self.now

    def _completed(self, row: Record) -> Record:
        """A reservation of the past with what its plan says where it says nothing itself."""
        plan, hotel = self._plan(row["rate_plan_id"]), self._hotel(row["hotel_id"])
        changes: dict[str, Any] = {}
        if not row["nights"]:
            first, last = clock.parse_day(row["check_in"]).toordinal(), clock.parse_day(row["check_out"]).toordinal()
            dates = [clock.parse_day(row["check_in"]).fromordinal(day).isoformat() for day in range(first, last)]
            prices, _ = self._offer(plan, dates)
            changes["nights"] = [
                {"date": date, "amount_minor": price} for date, price in zip(dates, prices, strict=True)
            ]
            changes["total_minor"] = sum(prices)
            changes["payment"] = "at_hotel" if row["status"] == "held" else plan["payment"]
            arrived = row["status"] in ("checked_in", "checked_out")
            if arrived or (changes["payment"] == "at_booking" and row["status"] != "cancelled"):
                changes["paid_minor"] = sum(prices) + row["fees_minor"]
        if not any(row[key] is not None for key in ("free_until", "non_refundable_after", "free_change_until")):
            changes |= self._terms(plan, hotel, row["check_in"])
        else:
            changes |= self._as_written(hotel, row)
        changes["room_type"] = row["room_type"] or plan["room_type"]
        hour = row["check_out_time"] or self._check_out_time(hotel, row["check_out"])
        changes["check_out_time"] = max(hour, row["late_checkout"] or "00:00")
        return self.patch("reservations", row["reservation_id"], **changes)

    def _await_arrival(self, row: Record) -> None:
        hotel = self._hotel(row["hotel_id"])
        at = self._moment(hotel, row["check_in"], hotel["check_in_time"])
        self.later(max(at, self.now), "arrive", reservation_id=row["reservation_id"], date=row["check_in"])

    def _await_departure(self, row: Record) -> None:
        """Let guests leave on time. Those who have not come yet get it when they arrive."""
        if row["status"] == "checked_in":
            date, time = row["check_out"], row["check_out_time"]
            at = self._moment(self._hotel(row["hotel_id"]), date, time)
            self.later(max(at, self.now), "depart", reservation_id=row["reservation_id"], date=date, time=time)

    def _move_money(self, row: Mapping[str, Any], amount_minor: int) -> None:
        """Charge (or, with a negative amount, refund) what a reservation costs."""
        name = self._hotel(row["hotel_id"])["name"]
        memo = f"{row['room_type']}, {row['check_in']} to {row['check_out']}"
        self.pay(row["payment_method_id"], amount_minor, row["currency"], name, row["reservation_id"], memo)

    def _refund(self, row: Record, amount_minor: int) -> int:
        """Give money back where a hotel acts by itself; a method that takes nothing leaves it with the hotel."""
        if amount_minor <= 0:
            return 0
        try:
            self._move_money(row, -amount_minor)
        except ToolError:
            return 0
        return amount_minor

    def _note(self, row: Record, kind: str, text: str, charge: int = 0, refund: int = 0, fee: int = 0) -> Record:
        """Add a line to a reservation's history."""
        line = {
            "at": self.stamp(),
            "kind": kind,
            "text": text,
            "charge_minor": charge,
            "refund_minor": refund,
            "fee_minor": fee,
        }
        return self.patch("reservations", row["reservation_id"], history=[*row["history"], line])

    def _end(self, row: Record, by: str, reason: str, charge: int, refund: int) -> Record:
        """Cancel a reservation whose money is settled already, and give its rooms back."""
        self._sell(row["rate_plan_id"], [night["date"] for night in row["nights"]], -1)
        row = self.patch(
            "reservations",
            row["reservation_id"],
            status="cancelled",
            paid_minor=row["paid_minor"] + charge - refund,
            cancelled_at=self.stamp(),
            cancelled_by=by,
            reason=reason,
        )
        return self._note(row, "cancelled", reason, charge=charge, refund=refund)

    def check_invariants(self) -> None:
        sold: dict[str, int] = {}
        for row in self.rows("reservations"):
            dates = [night["date"] for night in row["nights"]]
            assert row["total_minor"] == sum(night["amount_minor"] for night in row["nights"]), row
            assert dates == sorted(set(dates)), row
            assert row["paid_minor"] >= 0, row
            if row["nights"]:
                assert row["check_in"] == dates[0], row
                assert dates[-1] < row["check_out"], row
            owed = row["total_minor"] + row["fees_minor"]
            if row["status"] in LIVE and row["payment"] == "at_booking":
                assert row["paid_minor"] == owed, row
            assert row["paid_minor"] <= owed, row
            if row["status"] != "cancelled":
                for date in dates:
                    key = f"{row['rate_plan_id']}|{date}"
                    sold[key] = sold.get(key, 0) + 1
        for plan in self.rows("rate_plans"):
            for date, night in plan["nights"].items():
                assert self._left(plan, date) >= 0, plan
                assert night.get("sold", 0) == sold.pop(f"{plan['rate_plan_id']}|{date}", 0), (plan, date)
        assert not sold, sold
