"""A calendar: events, who takes part, and reminders that ring."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services import search
from lifegym.services.base import limited
from lifegym.services.calendar.inventory import CalendarInventory
from lifegym.services.calendar.records import Status
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.store import Record

__all__ = ["Calendar"]

Summary = Annotated[str, Field(min_length=1, max_length=300)]
Description = Annotated[str, Field(max_length=8000)]
Location = Annotated[str, Field(max_length=500)]
MOST_MINUTES = 28 * 24 * 60
MOST_REMINDERS = 5
MOST_ATTENDEES = 100

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


class Calendar(CalendarInventory):
    """The person's calendars. Times are shown in the zone of the person's clock."""

    # -- tools: looking ------------------------------------------------------------------------------------------

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
        found = [
            event
            for event in self._between(time_min, time_max, show_deleted)
            if (event["calendar_id"] or primary) == calendar
        ]
        if order_by == "updated":
            found.sort(key=lambda event: self.seconds(event["updated_at"]) if event["updated_at"] else 0, reverse=True)
        else:
            found.sort(key=lambda event: self.seconds(event["start"]))
        return {"events": [self._shape(event) for event in limited(found, max_results, 250)], "total": len(found)}

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
        events, now = self._between(time_min, time_max, False), self.now
        ahead = {event["event_id"]: self.seconds(event["start"]) - now for event in events}
        # The next ones first; what is past comes after all that is ahead, the latest first.
        events.sort(key=lambda event: at if (at := ahead[event["event_id"]]) >= 0 else clock.DAY * 10**5 - at)
        found = search.rank(query, events, _texts, ALIASES)
        return {"events": [self._shape(event) for event in limited(found, max_results, 250)], "total": len(found)}

    # -- tools: acting -------------------------------------------------------------------------------------------

    @tool(write=True)
    def create_event(
        self,
        summary: Summary,
        start: str,
        end: str,
        description: Description | None = None,
        location: Location | None = None,
        calendar_id: str | None = None,
        attendees: list[dict[str, Any] | str] | None = None,
        reminders: list[dict[str, Any] | int] | None = None,
    ) -> dict[str, Any]:
        """Put an event into a calendar. A reminder lets you act again when it rings, before the event starts.

        Args:
            summary: Title, up to 300 characters.
            start: ISO 8601 date-time such as 2026-04-23T15:00:00+08:00 (without offset: in the person's zone), or a
                date for an all-day event.
            end: In the same form as start and not before it; for an all-day event the day after the last one (the
                same date as start makes one day).
            description: Text, up to 8,000 characters.
            location: Place.
            calendar_id: From list_calendars; the primary calendar if left out.
            attendees: Who takes part: [{"name": "Mum", "email": "mum@mail.example"}], name or email is enough.
            reminders: [{"minutes": 30}] or [{"method": "popup", "minutes": 30}]: minutes before the start, 0 to 40320
                (before midnight for all-day events); at most 5. None if left out.

        Returns:
            The event with its event_id, as in list_events; rings_at (when its reminders will ring).

        Errors:
            bad_time: start or end has another form, end is before start, or one is a date and the other not.
            bad_attendee: An attendee has neither name nor email, or there are more than 100.
            bad_reminder: A reminder has another form, or there are more than 5.
            not_found: There is no such calendar.
            read_only: The calendar can only be read.
        """
        calendar = self._writable(calendar_id)
        span = self._span(start, end)
        people, rings = _attendees(attendees or []), _reminders(reminders or [])
        self._open_primary()
        event = self.put(
            "events",
            event_id=self.new_id("ev"),
            calendar_id=calendar["calendar_id"],
            summary=summary,
            **self._when(span),
            description=description or "",
            location=location or "",
            attendees=people,
            reminders=rings,
            created_by="agent",
            created_at=self.stamp(),
            updated_at=self.stamp(),
        )
        self._await_reminders(event)
        return self._full(event)

    @tool(write=True)
    def update_event(
        self,
        event_id: str,
        summary: Summary | None = None,
        start: str | None = None,
        end: str | None = None,
        description: Description | None = None,
        location: Location | None = None,
        calendar_id: str | None = None,
        status: Status | None = None,
        attendees: list[dict[str, Any] | str] | None = None,
        reminders: list[dict[str, Any] | int] | None = None,
    ) -> dict[str, Any]:
        """Change an event; what is left out stays. Its reminders move with it.

        Args:
            event_id: From list_events or search_events.
            summary: New title.
            start: New start; without end the event keeps its length.
            end: New end; without start the event becomes longer or shorter.
            description: New text; "" removes it.
            location: New place; "" removes it.
            calendar_id: The calendar that it must be in; any if left out. Events do not change calendars.
            status: confirmed, tentative or cancelled (kept, but no longer listed, and its reminders stay silent).
            attendees: New list of who takes part, as in create_event; [] removes all.
            reminders: New list of reminders, as in create_event; [] removes all.

        Returns:
            The event as it is now; rings_at (when its reminders will ring).

        Errors:
            not_found: There is no such event or calendar, or the event is in another calendar.
            read_only: The event's calendar can only be read.
            nothing_to_change: No change was given.
            bad_time: start or end has another form, end is before start, or one is a date and the other not.
            bad_attendee: An attendee has neither name nor email, or there are more than 100.
            bad_reminder: A reminder has another form, or there are more than 5.
        """
        event = self._event(event_id, calendar_id)
        self._writable(event["calendar_id"] or None)
        texts = {"summary": summary, "description": description, "location": location, "status": status}
        changes: dict[str, Any] = {name: value for name, value in texts.items() if value is not None}
        if start is not None or end is not None:
            changes.update(self._when(self._new_span(event, start, end)))
        if attendees is not None:
            changes["attendees"] = _attendees(attendees)
        if reminders is not None:
            changes["reminders"] = _reminders(reminders)
        if not changes:
            raise ToolError("nothing_to_change", "give at least one of the fields to change, such as start and end")
        return self._full(self._change(event, **changes))

    @tool(write=True)
    def delete_event(self, event_id: str, calendar_id: str | None = None) -> dict[str, Any]:
        """Remove an event for good; its reminders stay silent.

        Args:
            event_id: From list_events or search_events.
            calendar_id: The calendar that it must be in; any if left out.

        Returns:
            event_id, summary and start of what was deleted; deleted: true.

        Errors:
            not_found: There is no such event or calendar, or the event is in another calendar.
            read_only: The event's calendar can only be read.
        """
        event = self._event(event_id, calendar_id)
        self._writable(event["calendar_id"] or None)
        self.drop("events", event_id)
        shape = self._shape(event)
        return {"event_id": event_id, "summary": event["summary"], "start": shape["start"], "deleted": True}

    # -- inside --------------------------------------------------------------------------------------------------

    def _between(self, time_min: str | None, time_max: str | None, cancelled: bool) -> list[Record]:
        """The events that overlap a period."""
        first = None if time_min is None else self.instant(time_min, "time_min")
        last = None if time_max is None else self.instant(time_max, "time_max")
        if last is not None and time_max is not None and len(time_max.strip()) == 10:
            last += clock.DAY
        seconds = self.seconds
        return [
            event
            for event in self.rows("events")
            if (cancelled or event["status"] != "cancelled")
            and (last is None or seconds(event["start"]) < last)
            # An event without length counts at its very moment.
            and (first is None or seconds(event["end"]) > first or seconds(event["start"]) >= first)
        ]

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


def _attendees(given: list[dict[str, Any] | str]) -> list[dict[str, str]]:
    """Who takes part, in the form of the record.

    Raises:
        ToolError: ``bad_attendee``.
    """
    if len(given) > MOST_ATTENDEES:
        raise ToolError("bad_attendee", f"an event has at most {MOST_ATTENDEES} attendees, not {len(given)}")
    people = []
    for item in given:
        if isinstance(item, str):
            item = {"email": item} if "@" in item else {"name": item}
        name = item.get("name") or item.get("displayName") or item.get("display_name") or item.get("user_id") or ""
        email = item.get("email") or ""
        if not (isinstance(name, str) and isinstance(email, str) and (name or email)) or len(name) + len(email) > 300:
            raise ToolError("bad_attendee", 'an attendee has a name or an email, e.g. {"name": "Mum"}')
        people.append({"name": name, "email": email, "response": "needsAction"})
    return people


def _reminders(given: list[dict[str, Any] | int]) -> list[dict[str, Any]]:
    """Reminders in the form of the record, each number of minutes once.

    Raises:
        ToolError: ``bad_reminder``.
    """
    found: dict[int, dict[str, Any]] = {}
    for item in given:
        minutes = item.get("minutes") if isinstance(item, dict) else item
        method = item.get("method", "popup") if isinstance(item, dict) else "popup"
        if type(minutes) is not int or not 0 <= minutes <= MOST_MINUTES or method not in ("popup", "email"):
            raise ToolError(
                "bad_reminder",
                f'a reminder is {{"method": "popup", "minutes": 30}}, method popup or email, up to {MOST_MINUTES} min',
            )
        found[minutes] = {"minutes": minutes, "method": method, "rang_at": None}
    if len(found) > MOST_REMINDERS:
        raise ToolError("bad_reminder", f"an event has at most {MOST_REMINDERS} reminders, not {len(found)}")
    return list(found.values())
