"""When merchants are open, and whether they have a table."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from lifegym.services.base import Service
from lifegym.services.review_platform.records import (
    WEEKDAYS,
    Deal,
    Merchant,
    Question,
    Reservation,
    Review,
    Saved,
)
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ReviewTables"]

_MOST_TIMES = 60


class _Taken(NamedTuple):
    """The time and size of a reservation."""

    start: int
    end: int
    guests: int


class ReviewTables(Service):
    """Opening hours, tables and limits of the merchants."""

    name = "review_platform"
    title = "Local merchants: reviews, deals and reservations"
    records = {
        "merchants": Merchant,
        "deals": Deal,
        "reservations": Reservation,
        "reviews": Review,
        "questions": Question,
        "saved": Saved,
    }

    # -- hours ---------------------------------------------------------------------------------------------------

    def _zone(self, merchant: Record) -> str:
        return merchant["zone"] or self.world.zone

    def _spans(self, merchant: Record, day: dt.date) -> list[str]:
        """The opening spans of a day as local text."""
        if merchant["status"] == "closed":
            return []
        special = merchant["exceptions"].get(day.isoformat())
        return list(merchant["hours"].get(WEEKDAYS[day.weekday()], ()) if special is None else special)

    def _opening(self, merchant: Record, day: dt.date) -> list[tuple[int, int]]:
        """The opening spans that begin on a day, as instants."""
        zone = self._zone(merchant)
        return [_instants(span, day, zone) for span in self._spans(merchant, day)]

    def _opening_at(self, merchant: Record, at: int) -> tuple[int, int] | None:
        """The opening span that an instant is in; one of the evening before may reach past midnight."""
        day = self._local_day(merchant, at)
        for first, last in (*self._opening(merchant, day), *self._opening(merchant, day - dt.timedelta(days=1))):
            if first <= at < last:
                return first, last
        return None

    def _local_day(self, merchant: Record, at: int) -> dt.date:
        return clock.local(at, self._zone(merchant)).date()

    def _clock_text(self, merchant: Record, at: int) -> str:
        """Date and time at the merchant's, as people write it."""
        return clock.shown(at, self._zone(merchant))

    def _cancel_limit(self, merchant: Record, at: int) -> int:
        """Until when a guest may cancel a reservation that begins at an instant."""
        if merchant["cancel_days"] is None:
            return at - int(merchant["cancel_minutes"]) * clock.MINUTE
        day = self._local_day(merchant, at) - dt.timedelta(days=merchant["cancel_days"])
        return min(at, _moment(day, merchant["cancel_time"], self._zone(merchant)))

    # -- tables --------------------------------------------------------------------------------------------------

    def _visit_end(self, reservation: Record) -> int:
        merchant = self._merchant_of(reservation)
        return self.seconds(reservation["starts_at"]) + int(merchant["stay_minutes"]) * clock.MINUTE

    def _taken(self, merchant: Record, ignore: str = "") -> list[_Taken]:
        """The live reservations of a merchant, but for one."""
        stay = int(merchant["stay_minutes"]) * clock.MINUTE
        found = []
        for row in self.rows("reservations"):
            if row["merchant_id"] == merchant["merchant_id"] and row["status"] == "confirmed":
                start = self.seconds(row["starts_at"])
                if row["reservation_id"] != ignore:
                    found.append(_Taken(start, start + stay, row["party_size"]))
        return found

    def _has_table(self, merchant: Record, at: int, party_size: int, taken: Iterable[_Taken]) -> bool:
        """Whether a party finds room for its whole stay."""
        day = self._local_day(merchant, at)
        zone = self._zone(merchant)
        for span in merchant["full"].get(day.isoformat(), ()):
            first, last = _instants(span, day, zone)
            if first <= at < last:
                return False
        tables, seats = merchant["tables"], merchant["seats"]
        end = at + int(merchant["stay_minutes"]) * clock.MINUTE
        beside = [other for other in taken if other.start < end and other.end > at]
        for moment in (at, *(other.start for other in beside if other.start > at)):
            there = [other.guests for other in beside if other.start <= moment < other.end]
            if tables is not None and len(there) >= tables:
                return False
            if seats is not None and sum(there) + party_size > seats:
                return False
        return True

    def _free_times(self, merchant: Record, day: dt.date, party_size: int, ignore: str = "") -> list[int]:
        """When a party can still begin on a day."""
        taken = self._taken(merchant, ignore)
        earliest = self.now + max(1, int(merchant["notice_minutes"]) * clock.MINUTE)
        times = []
        for first, last in self._opening(merchant, day):
            until = last - int(merchant["last_start_minutes"]) * clock.MINUTE
            for at in range(first, until + 1, int(merchant["slot_minutes"]) * clock.MINUTE):
                if at >= earliest and self._has_table(merchant, at, party_size, taken):
                    times.append(at)
        return times[:_MOST_TIMES]

    def _other_times(self, merchant: Record, at: int, party_size: int, ignore: str) -> str:
        """What else a party can have near a time that it cannot, for a message."""
        day = self._local_day(merchant, at)
        times = self._free_times(merchant, day, party_size, ignore)
        if not times:
            return f"there is nothing for {party_size} on {day.isoformat()}; try another day"
        zone = self._zone(merchant)
        near = sorted(sorted(times, key=lambda time: (abs(time - at), time))[:4])
        return f"on {day.isoformat()} try {', '.join(clock.local(time, zone).strftime('%H:%M') for time in near)}"

    def _check_table(self, merchant: Record, at: int, party_size: int, ignore: str = "") -> None:
        """Refuse a time or a size that the merchant does not offer.

        Raises:
            ToolError: ``merchant_closed``, ``no_reservations``, ``in_past``, ``short_notice``, ``too_far_ahead``,
                ``bad_party_size``, ``not_open``, ``bad_slot`` or ``no_table``.
        """
        name, day = merchant["name"], self._local_day(merchant, at)
        if merchant["status"] == "closed":
            raise ToolError("merchant_closed", f"{name} has closed for good; search_merchants finds others")
        if not merchant["takes_reservations"]:
            phone = merchant["phone"]
            reach = f"call {phone}" if phone else "go there without one"
            raise ToolError("no_reservations", f"{name} takes no reservations here; {reach}")
        if at <= self.now:
            raise ToolError("in_past", f"{self._clock_text(merchant, at)} is over; choose a later time")
        if at < self.now + merchant["notice_minutes"] * clock.MINUTE:
            first = self._clock_text(merchant, self.now + merchant["notice_minutes"] * clock.MINUTE)
            raise ToolError("short_notice", f"{name} wants to know earlier; choose a time after {first}")
        if at > self.now + merchant["days_ahead"] * clock.DAY:
            raise ToolError("too_far_ahead", f"{name} takes reservations up to {merchant['days_ahead']} days ahead")
        if not merchant["min_party"] <= party_size <= merchant["max_party"]:
            raise ToolError(
                "bad_party_size",
                f"{name} takes parties of {merchant['min_party']} to {merchant['max_party']}; "
                f"for others {'call ' + merchant['phone'] if merchant['phone'] else 'ask the merchant'}",
            )
        span = self._opening_at(merchant, at)
        if span is None or at > span[1] - merchant["last_start_minutes"] * clock.MINUTE:
            spans = ", ".join(self._spans(merchant, day)) or "closed"
            last = f" and the last start is {merchant['last_start_minutes']} minutes before closing"
            raise ToolError(
                "not_open",
                f"{name} cannot take you at {self._clock_text(merchant, at)}: hours on {day.isoformat()} are {spans}"
                f"{last if spans != 'closed' else ''}; {self._other_times(merchant, at, party_size, ignore)}",
            )
        if (at - span[0]) % (merchant["slot_minutes"] * clock.MINUTE):
            raise ToolError(
                "bad_slot",
                f"{name} takes reservations every {merchant['slot_minutes']} minutes; "
                f"{self._other_times(merchant, at, party_size, ignore)}",
            )
        if not self._has_table(merchant, at, party_size, self._taken(merchant, ignore)):
            raise ToolError(
                "no_table",
                f"no table for {party_size} at {self._clock_text(merchant, at)}; "
                f"{self._other_times(merchant, at, party_size, ignore)}",
            )

    def _merchant(self, merchant_id: str) -> Record:
        return self.get("merchants", merchant_id, "merchant", "review_platform.search_merchants finds them")

    def _merchant_of(self, row: Record) -> Record:
        """The merchant that a record is about."""
        merchant = self.find("merchants", row["merchant_id"])
        assert merchant is not None, row
        return merchant


@lru_cache(maxsize=16384)
def _moment(day: dt.date, time: str, zone: str) -> int:
    hour, minute = int(time[:2]), int(time[3:])
    return int(dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=clock.zone(zone)).timestamp())


@lru_cache(maxsize=16384)
def _instants(span: str, day: dt.date, zone: str) -> tuple[int, int]:
    first, last = span[:5], span[6:]
    following = day if last > first else day + dt.timedelta(days=1)
    return _moment(day, first, zone), _moment(following, last, zone)
