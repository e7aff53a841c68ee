"""A believable calendar: recurring entries, appointments, birthdays."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.calendar.life import CalendarLife, Span
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["CalendarInventory"]

Weekday = Literal["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
Clock = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")]
WEEKDAYS: tuple[Weekday, ...] = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")

_FIRST = ("Alex", "Bea", "Carlo", "Dina", "Emil", "Farah", "Goran", "Hana", "Ivo", "June", "Kofi", "Lena")
_ERRANDS: tuple[tuple[str, str, int], ...] = (
    ("Dentist check-up", "Dental practice, 2nd floor", 45),
    ("Haircut", "Salon on the corner", 40),
    ("Optician", "", 30),
    ("Car service", "Garage", 30),
    ("Library books due", "", 15),
    ("Parcel pick-up", "Post office", 15),
    ("Blood donation", "Community hall", 60),
    ("Boiler inspection", "Home", 60),
    ("Parents' evening", "School", 90),
    ("Book club", "Café", 120),
    ("Choir rehearsal", "Community hall", 90),
    ("Plumber", "Home", 60),
    ("Tax adviser call", "Phone", 30),
    ("Swimming", "Public pool", 60),
    ("Yoga class", "Studio", 60),
)
_MEETINGS: tuple[tuple[str, int], ...] = (
    ("Quarterly planning", 120),
    ("Budget review", 60),
    ("Project kick-off", 60),
    ("Interview panel", 60),
    ("Supplier call", 30),
    ("Training session", 90),
    ("Team lunch", 75),
)


class CalendarInventory(CalendarLife):
    """Generators of a calendar's entries. None of them has reminders, so none opens a turn."""

    @generator
    def busy(
        self,
        rng: random.Random,
        days_before: int = 60,
        days_after: int = 45,
        calendar_id: str = "",
        work: bool = True,
        birthdays: int = 6,
        errands_per_week: float = 1.0,
    ) -> None:
        """Fill a calendar (the primary one by default) around the beginning of the window.

        Working days get a stand-up and a weekly meeting, some weeks a one-to-one and a longer meeting; errands fall on
        late afternoons and Saturdays, birthdays anywhere.
        """
        begin = self.world.start - dt.timedelta(days=days_before)
        days = [begin + dt.timedelta(days=number) for number in range(days_before + days_after)]
        colleague = rng.choice(_FIRST)
        for day in days:
            weekday = day.weekday()
            if work and weekday < 5:
                self._add(day, "09:30", 15, "Stand-up", calendar_id, location="Online")
                if weekday == 0:
                    self._add(day, "11:00", 60, "Team meeting", calendar_id, location="Room 2")
                if weekday == 2 and day.isocalendar().week % 2:
                    self._add(day, "14:00", 30, f"1:1 with {colleague}", calendar_id)
                if rng.random() < 0.1:
                    title, minutes = rng.choice(_MEETINGS)
                    self._add(day, rng.choice(("10:00", "13:30", "15:00")), minutes, title, calendar_id)
            if weekday < 6 and rng.random() < errands_per_week / 6:
                title, place, minutes = rng.choice(_ERRANDS)
                at = rng.choice(("10:00", "11:30", "15:00") if weekday == 5 else ("17:00", "17:30", "18:30"))
                self._add(day, at, minutes, title, calendar_id, location=place)
        for name in rng.sample(_FIRST, min(birthdays, len(_FIRST), len(days))):
            self._add(rng.choice(days), "", 0, f"{name}'s birthday", calendar_id)

    @generator
    def series(
        self,
        rng: random.Random,
        summary: str,
        first: str,
        last: str,
        weekdays: list[Weekday] | None = None,
        time: Clock | None = None,
        minutes: int = 60,
        calendar_id: str = "",
        description: str = "",
        location: str = "",
        every_weeks: Annotated[int, Field(ge=1)] = 1,
    ) -> None:
        """One event on each of some weekdays between two days, both included.

        Args:
            rng: Unused; a series is what it says.
            summary: Title.
            first: YYYY-MM-DD or D+3.
            last: YYYY-MM-DD or D+3.
            weekdays: All if left out.
            time: HH:MM of the start; whole days if left out.
            minutes: Length.
            calendar_id: Which calendar; the primary one if left out.
            description: Text.
            location: Place.
            every_weeks: 2 for every other week, counted from the week of first.
        """
        day, end = (clock.parse_day(self._written(text)) for text in (first, last))
        monday = day - dt.timedelta(days=day.weekday())
        while day <= end:
            due = (day - monday).days // 7 % every_weeks == 0
            if due and (weekdays is None or WEEKDAYS[day.weekday()] in weekdays):
                self._add(day, time or "", minutes, summary, calendar_id, description, location)
            day += dt.timedelta(days=1)

    def _add(
        self,
        day: dt.date,
        time: str,
        minutes: int,
        summary: str,
        calendar_id: str,
        description: str = "",
        location: str = "",
    ) -> None:
        """One entry, made some time before the window; without a time it lasts the whole day."""
        midnight = clock.day_start(day, self.world.zone)
        if time:
            first = int(
                dt.datetime.fromisoformat(f"{day}T{time}").replace(tzinfo=clock.zone(self.world.zone)).timestamp()
            )
            span = Span(first, first + 60 * minutes, False)
        else:
            span = Span(midnight, self._midnight(midnight, 1), True)
        begin = clock.day_start(self.world.start, self.world.zone)
        made = self.world.iso(min(span.start, begin) - 14 * clock.DAY)
        self.put(
            "events",
            event_id=self.new_id("evg"),
            calendar_id=calendar_id,
            summary=summary,
            **self._when(span),
            description=description,
            location=location,
            created_at=made,
            updated_at=made,
        )
