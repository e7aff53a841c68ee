"""A calendar: events, who takes part, and reminders that ring."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.calendar.reading import CalendarReading
from lifegym.services.calendar.records import Status
from lifegym.services.tools import ToolError, tool

__all__ = ["Calendar"]

Summary = Annotated[str, Field(min_length=1, max_length=300)]
Description = Annotated[str, Field(max_length=8000)]
Location = Annotated[str, Field(max_length=500)]
MOST_MINUTES = 28 * 24 * 60
MOST_REMINDERS = 5
MOST_ATTENDEES = 100


class Calendar(CalendarReading):
    """The person's calendars. Times are shown in the zone of the person's clock."""

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
