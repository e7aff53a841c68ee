"""What a calendar keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Instant, RecordModel, Ref

__all__ = ["Attendee", "Event", "OwnedCalendar", "Reminder", "Status"]

Status = Literal["confirmed", "tentative", "cancelled"]


class OwnedCalendar(RecordModel):
    """One of a user's calendars; ``reader`` ones belong to somebody else and cannot be written to."""

    calendar_id: str
    user_id: str
    name: str
    description: str = ""
    primary: bool = False
    access: Literal["owner", "writer", "reader"] = "owner"


class Attendee(RecordModel):
    """Somebody who takes part; a name, a mail address, or both."""

    name: str = ""
    email: str = ""
    response: Literal["needsAction", "accepted", "declined", "tentative"] = "needsAction"


class Reminder(RecordModel):
    """Rings so many minutes before an event starts; ``rang_at`` is when it last did."""

    minutes: Annotated[int, Field(ge=0)]
    method: Literal["popup", "email"] = "popup"
    rang_at: Instant | None = None


class Event(RecordModel):
    """An entry. ``end`` is the first moment after it; a whole day lasts from its midnight to the next."""

    event_id: str
    calendar_id: Annotated[str, Ref("calendar.calendars")] = ""
    """Empty for the primary calendar until the world starts."""
    summary: str
    start: Instant
    end: Instant
    all_day: bool = False
    description: str = ""
    location: str = ""
    attendees: list[Attendee] = []
    reminders: list[Reminder] = []
    status: Status = "confirmed"
    organizer: str = ""
    created_by: Literal["agent", "user"] = "user"
    created_at: Instant | None = None
    updated_at: Instant | None = None
