"""Rooms by the night: what a stay costs, how many rooms are left, and the terms that it comes with."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from lifegym.services.base import Service
from lifegym.services.hotel_booking.records import Hotel, RatePlan, Reservation
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["HotelNights"]

MOST_NIGHTS = 60
DAYS_AHEAD = 500
FREE_HOUR = "18:00"
LIMITS = ("free_until", "non_refundable_after", "free_change_until", "late_checkout_ask_by")
_LIKE_THE_PLAN: Mapping[str, Any] = {}


class HotelNights(Service):
    """Prices and rooms of the rate plans, night by night."""

    name = "hotel_booking"
    title = "Hotels"
    records = {"hotels": Hotel, "rate_plans": RatePlan, "reservations": Reservation}

    # -- finding -------------------------------------------------------------------------------------------------

    def _hotel(self, hotel_id: str) -> Record:
        return self.get("hotels", hotel_id, "hotel", "hotel_booking.search_hotels finds them")

    def _plan(self, rate_plan_id: str) -> Record:
        return self.get("rate_plans", rate_plan_id, "rate plan", "hotel_booking.get_room_availability shows them")

    def _plans(self, hotel_id: str) -> list[Record]:
        return [self._plan(plan_id) for plan_id in self._hotel(hotel_id)["rate_plan_ids"]]

    # -- dates ---------------------------------------------------------------------------------------------------

    def _zone(self, hotel: Record) -> str:
        return hotel["zone"] or self.world.zone

    def _moment(self, hotel: Record, day: str, time: str) -> int:
        """The instant of a time of day at a hotel."""
        return _instant(day, time, self._zone(hotel))

    def _today_at(self, hotel: Record | None) -> str:
        """Today's date at a hotel; in the person's zone where no hotel is meant yet."""
        zone = self._zone(hotel) if hotel else self.world.zone
        return clock.local(self.now, zone).date().isoformat()

    def _stay(self, check_in: str, check_out: str, today: str, begun: bool = False) -> list[str]:
        """The dates of a stay's nights.

        Raises:
            ToolError: ``bad_date`` or ``bad_dates``.
        """
        first, last = self.day(check_in, "check_in"), self.day(check_out, "check_out")
        if last <= first:
            raise ToolError("bad_dates", f"check_out must be after check_in {first}; give both dates of the stay")
        if not begun and first.isoformat() < today:
            raise ToolError("bad_dates", f"check_in {first} is in the past; today is {today}")
        nights = (last - first).days
        if nights > MOST_NIGHTS or (last - self.today()).days > DAYS_AHEAD:
            raise ToolError(
                "bad_dates", f"a stay has at most {MOST_NIGHTS} nights and ends at most {DAYS_AHEAD} days from today"
            )
        return [(first + dt.timedelta(days=n)).isoformat() for n in range(nights)]

    def _check_out_time(self, hotel: Record, date: str) -> str:
        """The hour by which guests who leave on a date have to be out."""
        time: str = hotel["check_out_time"]
        for change in hotel["check_out_changes"]:
            if (change["date_from"] or date) <= date <= (change["date_to"] or date):
                time = change["time"]
        return time

    # -- nights --------------------------------------------------------------------------------------------------

    @staticmethod
    def _left(plan: Record, date: str) -> int:
        """How many rooms are left on a night."""
        night = plan["nights"].get(date, _LIKE_THE_PLAN)
        rooms = night.get("rooms")
        left: int = (plan["rooms"] if rooms is None else rooms) - night.get("sold", 0)
        return left

    def _offer(self, plan: Record, dates: Sequence[str]) -> tuple[list[int], int]:
        """The price of each night, and how many rooms are left on all of them."""
        nights, usual, rooms = plan["nights"], plan["amount_minor"], plan["rooms"]
        if not nights or nights.keys().isdisjoint(dates):
            return [usual] * len(dates), rooms
        prices = [usual] * len(dates)
        left = rooms if any(date not in nights for date in dates) else None
        for number, date in enumerate(dates):
            night = nights.get(date)
            if night is None:
                continue
            if night.get("amount_minor") is not None:
                prices[number] = night["amount_minor"]
            here = self._left(plan, date)
            left = here if left is None else min(left, here)
        return prices, left or 0

    def _set_nights(self, rate_plan_id: str, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change what some nights of a plan are like."""
        nights = self._plan(rate_plan_id)["nights"]
        changed = {date: {**nights.get(date, _LIKE_THE_PLAN), **change} for date, change in changes.items()}
        self.patch("rate_plans", rate_plan_id, nights={**nights, **changed})

    def _sell(self, rate_plan_id: str, dates: Iterable[str], rooms: int = 1) -> None:
        """Take rooms out of what is left; a negative number gives them back."""
        nights = self._plan(rate_plan_id)["nights"]
        sold = {date: {"sold": nights.get(date, _LIKE_THE_PLAN).get("sold", 0) + rooms} for date in dates}
        self._set_nights(rate_plan_id, sold)

    # -- terms ---------------------------------------------------------------------------------------------------

    def _terms(self, plan: Record, hotel: Record, check_in: str) -> dict[str, Any]:
        """The rules that a stay on a plan comes with."""
        free_until = plan["free_until"]
        if free_until is None and plan["free_days_before"] is not None:
            free_until = _days_before(check_in, plan["free_days_before"], self._zone(hotel))
        return {
            "free_until": free_until,
            "non_refundable_after": plan["non_refundable_after"],
            "late_keeps": plan["late_keeps"],
            "free_change_until": plan["free_change_until"],
            "change_fee_minor": plan["change_fee_minor"],
        }

    def _as_written(self, hotel: Record, terms: Mapping[str, Any]) -> dict[str, str]:
        """The time limits among some terms as the hotel would write them: in its own zone."""
        zone = self._zone(hotel)
        return {key: clock.iso(self.seconds(terms[key]), zone) for key in LIMITS if terms.get(key)}

    def _free_end(self, terms: Any) -> str | None:
        """Until when a cancellation costs nothing, as the hotel wrote it; None if it always costs."""
        ends = [terms[key] for key in ("free_until", "non_refundable_after") if terms[key]]
        return min(ends, key=self.seconds) if ends else None

    def _change_end(self, terms: Any) -> str | None:
        """Until when nights can be given back or moved free of charge; None if never."""
        return terms["free_change_until"] or self._free_end(terms)

    def _still(self, end: str | None) -> bool:
        """Whether a time limit has not passed."""
        return end is not None and self.now <= self.seconds(end)

    def _told(self, terms: Any, currency: str) -> dict[str, Any]:
        """The rules in fields and in words. Times stay as the hotel states them, in its own zone."""
        free, change, hard = self._free_end(terms), self._change_end(terms), terms["non_refundable_after"]
        keeps = {"first_night": "the first night", "half": "half of the price", "all": "the whole price"}
        if free is None:
            cancellation = "Not refundable."
        else:
            cancellation = f"Free cancellation until {free}; after that {keeps[terms['late_keeps']]} is kept."
            if hard and hard != free and terms["late_keeps"] != "all":
                cancellation += f" Nothing is refunded after {hard}."
        fee = terms["change_fee_minor"]
        after = "are not refunded" if fee is None else f"are refunded less {fee} {currency} (minor units) a change"
        if change is None:
            changes = f"Nights given back {after}."
        else:
            changes = (
                f"Dates can move and nights can be given back free until {change}; later, nights given back {after}."
            )
        return {
            "refundable": self._still(free),
            "free_cancellation_until": free,
            "non_refundable_after": hard,
            "free_change_until": change,
            "change_fee_minor": fee,
            "cancellation_rule": cancellation,
            "change_rule": changes,
        }


@lru_cache(maxsize=16384)
def _instant(day: str, time: str, zone: str) -> int:
    date = clock.parse_day(day)
    hour, minute = int(time[:2]), int(time[3:])
    return int(dt.datetime(date.year, date.month, date.day, hour, minute, tzinfo=clock.zone(zone)).timestamp())


@lru_cache(maxsize=16384)
def _days_before(check_in: str, days: int, zone: str) -> str:
    """When free cancellation ends, some days before a stay."""
    day = clock.parse_day(check_in) - dt.timedelta(days=days)
    return clock.iso(_instant(day.isoformat(), FREE_HOUR, zone), zone)
