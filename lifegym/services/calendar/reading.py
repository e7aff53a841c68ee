"""Looking into calendars: what there is, when, and words to find it by."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from lifegym.services.base import limited
from lifegym.services.calendar.inventory import CalendarInventory
from lifegym.services.search import Index
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CalendarReading", "Timed"]

ALIASES = {
    "appt": "appointment",
    "bday": "birthday",
    "catchup": "catch up",
    "doc": "doctor",
    "dr": "doctor",
    "gp": "doctor",
    "gym": "fitness training",
    "mtg": "meeting",
    "one on one": "1:1",
    "physio": "physiotherapy",
    "standup": "stand up",
    "sync": "meeting",
    "vet": "veterinary",
}


class Timed(NamedTuple):
    """An event and when it begins and ends, in seconds."""

    start: int
    end: int
    event: Record


class CalendarReading(CalendarInventory):
    """The tools that look."""

    @tool(write=False)
    def list_calendars(self, user_id: str) -> dict[str, Any]:
        """List a user's calendars; the primary one is used wherever calendar_id is left out.

        Args:
            user_id: Whose calendars, e.g. u_liwei.

        Returns:
            calendars: calendar_id, user_id, name, description, primary, access (reader: cannot be written to).

        Errors:
            not_found: No calendars of that user are kept here.
        """
        found: list[Any] = [row for row in self.rows("calendars") if row["user_id"] == user_id]
        if user_id == self.world.owner and not any(row["primary"] for row in found):
            found.insert(0, self._primary())
        if not found:
            raise ToolError(
                "not_found", f"there are no calendars of user {user_id[:60]!r}; the person here is {self.world.owner}"
            )
        return {"calendars": found}

    @tool(write=False)
    def list_events(
        self,
        time_min: str | None = None,
        time_max: str | None = None,
        calendar_id: str | None = None,
        max_results: int = 20,
        order_by: Literal["startTime", "updated"] = "startTime",
        show_deleted: bool = False,
    ) -> dict[str, Any]:
        """List the events of one calendar that overlap a period.

        Args:
            time_min: Only events that end after this (ISO 8601 date-time, with or without offset, or a date). From
                today on if neither time_min nor time_max is given.
            time_max: Only events that start before this; a date includes that day.
            calendar_id: From list_calendars, or "primary"; the primary calendar if left out.
            max_results: How many at most, up to 250.
            order_by: startTime (the earliest first) or updated (the latest change first).
            show_deleted: Cancelled events too.

        Returns:
            events: event_id, calendar_id, summary, start, end (dates for all-day events, end being the day after the
            last), all_day, description, location, attendees, reminders, status, organizer, created_by, created_at,
            updated_at; total (how many match).

        Errors:
            not_found: There is no such calendar.
            bad_time: time_min or time_max is no ISO 8601 date or date-time.
            bad_limit: max_results is not between 1 and 250.
        """
        primary = self._primary()["calendar_id"]
        calendar = self._calendar(calendar_id)["calendar_id"]
        if time_min is None and time_max is None:
            time_min = self.today().isoformat()
        overlaps = self._overlapping(time_min, time_max, show_deleted)
        found = [
            timed for timed in self._timed() if overlaps(timed) and (timed.event["calendar_id"] or primary) == calendar
        ]
        if order_by == "updated":
            found.sort(key=lambda timed: self.seconds(at) if (at := timed.event["updated_at"]) else 0, reverse=True)
        else:
            found.sort(key=attrgetter("start"))
        shown = [self._shape(timed.event) for timed in limited(found, max_results, 250)]
        return {"events": shown, "total": len(found)}

    @tool(write=False)
    def get_event(self, event_id: str, calendar_id: str | None = None) -> dict[str, Any]:
        """Show one event.

        Args:
            event_id: From list_events, search_events or create_event.
            calendar_id: The calendar that it must be in; any if left out.

        Returns:
            The event as in list_events; rings_at (when its reminders will ring).

        Errors:
            not_found: There is no such event or calendar, or the event is in another calendar.
        """
        return self._full(self._event(event_id, calendar_id))

    @tool(write=False)
    def search_events(
        self, query: str, time_min: str | None = None, time_max: str | None = None, max_results: int = 50
    ) -> dict[str, Any]:
        """Search all calendars by words in title, place, people and description; titles count most.

        Among events that fit equally the next to come are first, then past ones from the latest back.

        Args:
            query: Words to look for, e.g. "dentist".
            time_min: Only events that end after this (ISO 8601 date-time or date).
            time_max: Only events that start before this; a date includes that day.
            max_results: How many at most, up to 250.

        Returns:
            events: as in list_events, the best first; total (how many match).

        Errors:
            bad_time: time_min or time_max is no ISO 8601 date or date-time.
            bad_limit: max_results is not between 1 and 250.
        """
        overlaps, timed, now = self._overlapping(time_min, time_max, False), self._timed(), self.now
        index = self.table("events").derive("words", lambda rows: Index(rows, _texts))
        found = index.rank(
            query,
            ALIASES,
            among=lambda place: overlaps(timed[place]),
            # The next ones first; what is past comes after all that is ahead, the latest first.
            order=lambda place: ahead if (ahead := timed[place].start - now) >= 0 else clock.DAY * 10**5 - ahead,
        )
        return {"events": [self._shape(event) for event in limited(found, max_results, 250)], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _timed(self) -> list[Timed]:
        """All events with their times."""
        seconds = self.seconds
        return self.table("events").derive(
            "times", lambda rows: [Timed(seconds(event["start"]), seconds(event["end"]), event) for event in rows]
        )

    def _overlapping(self, time_min: str | None, time_max: str | None, cancelled: bool) -> Callable[[Timed], bool]:
        """Whether an event overlaps a period and, unless cancelled ones are wanted too, is on.

        Raises:
            ToolError: ``bad_time``.
        """
        first = None if time_min is None else self.instant(time_min, "time_min")
        last = None if time_max is None else self.instant(time_max, "time_max")
        if last is not None and time_max is not None and len(time_max.strip()) == 10:
            last += clock.DAY

        def overlaps(timed: Timed) -> bool:
            start, end, event = timed
            return (
                (last is None or start < last)
                # An event without length counts at its very moment.
                and (first is None or end > first or start >= first)
                and (cancelled or event["status"] != "cancelled")
            )

        return overlaps

    def _shape(self, event: Record) -> Record | dict[str, Any]:
        """An event as tools show it: whole days as dates, times in the person's zone."""
        span = self._span_of(event)
        start, end = self._shown(span.start, span.all_day), self._shown(span.end, span.all_day)
        if start == event["start"] and end == event["end"]:
            return event
        return {**event, "start": start, "end": end}

    def _full(self, event: Record) -> dict[str, Any]:
        rings = sorted(due for _, due in self._to_ring(event))
        return {**self._shape(event), "rings_at": [self.world.iso(due) for due in rings]}


def _texts(event: Record) -> list[tuple[str, float]]:
    texts = [(event["summary"], 3.0)]
    if event["location"]:
        texts.append((event["location"], 1.2))
    if event["description"]:
        texts.append((event["description"], 1.0))
    if event["attendees"]:
        texts.extend((person["name"] or person["email"], 1.0) for person in event["attendees"])
    return texts
