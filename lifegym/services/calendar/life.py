"""What a calendar does by itself: reminders that ring, entries that other people make, move, change and call off."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.calendar.records import Event, OwnedCalendar
from lifegym.services.search import fold
from lifegym.services.tools import ToolError, happening
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CalendarLife", "Span"]

PRIMARY = "primary"
LATEST = clock.parse_instant("2100-01-01", "UTC")
Weeks = Annotated[int, Field(ge=1, le=60)]


class Span(NamedTuple):
    """When an event is: its first second, the first one after it, and whether it lasts whole days."""

    start: int
    end: int
    all_day: bool


class CalendarLife(Service):
    """The calendar's own behaviour."""

    name = "calendar"
    title = "Calendar"
    records = {"calendars": OwnedCalendar, "events": Event}

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def invite(
        self,
        summary: str,
        start: str,
        end: str,
        calendar_id: str | None = None,
        description: str = "",
        location: str = "",
        organizer: str = "",
        attendees: list[str] | None = None,
        weeks: Weeks = 1,
    ) -> list[str]:
        """Somebody puts an event into a calendar (the primary one by default), or one in each of so many weeks.

        Args:
            summary: Its title.
            start: ISO 8601, or a moment of the window such as "D+3 15:00"; a bare day for a whole-day event.
            end: In the same form.
            calendar_id: Which calendar.
            description: Text.
            location: Place.
            organizer: Who made it.
            attendees: Names or mail addresses.
            weeks: In how many weeks running.
        """
        calendar = self._primary() if calendar_id is None else self.find("calendars", calendar_id)
        if calendar is None:
            return []
        first = self._span(self._written(start), self._written(end))
        people = [{"name": "" if "@" in who else who, "email": who if "@" in who else ""} for who in attendees or ()]
        self._open_primary()
        made = []
        for week in range(weeks):
            span = self._shifted(first, days=7 * week)
            event = self.put(
                "events",
                event_id=self.new_id("ev"),
                calendar_id=calendar["calendar_id"],
                summary=summary,
                **self._when(span),
                description=description,
                location=location,
                attendees=[{"response": "needsAction", **person} for person in people],
                organizer=organizer,
                created_at=self.stamp(),
                updated_at=self.stamp(),
            )
            made.append(event["event_id"])
        return made

    @happening
    def move(
        self,
        start: str | None = None,
        end: str | None = None,
        summary: str | None = None,
        event_id: str | None = None,
        on: str | None = None,
    ) -> list[str]:
        """Somebody moves one event. Without ``end`` it keeps its length; ``end`` alone makes it longer or shorter.

        Args:
            start: New start, as in invite.
            end: New end.
            summary: Which event, by its title (or a part of it): the next one that is not over.
            event_id: Which event, by its id.
            on: Which event of that title, by the day (YYYY-MM-DD or D+3) on which it starts.
        """
        found = self._named(summary, event_id, on)[:1]
        for event in found:
            given = [text if text is None else self._written(text) for text in (start, end)]
            self._change(event, **self._when(self._new_span(event, *given)))
        return [event["event_id"] for event in found]

    @happening
    def shift(self, summary: str, since: str, days: int = 0, minutes: int = 0) -> list[str]:
        """Somebody moves all events of a title that start on or after a day (YYYY-MM-DD or D+3) by the same step."""
        first = self.instant(self._written(since), "since")
        found = [
            event for event in self._named(summary, None, None, past=True) if self.seconds(event["start"]) >= first
        ]
        for event in found:
            self._change(event, **self._when(self._shifted(self._span_of(event), days, minutes)))
        return [event["event_id"] for event in found]

    @happening
    def edit(
        self,
        summary: str | None = None,
        event_id: str | None = None,
        on: str | None = None,
        new_summary: str | None = None,
        description: str | None = None,
        location: str | None = None,
        attendees: list[str] | None = None,
    ) -> list[str]:
        """Somebody changes what one event says: its title, text, place or people. Which one is chosen as in move."""
        changes: dict[str, Any] = {"summary": new_summary, "description": description, "location": location}
        if attendees is not None:
            changes["attendees"] = [
                {"name": "" if "@" in who else who, "email": who if "@" in who else "", "response": "needsAction"}
                for who in attendees
            ]
        found = self._named(summary, event_id, on)[:1]
        for event in found:
            self._change(event, **{name: value for name, value in changes.items() if value is not None})
        return [event["event_id"] for event in found]

    @happening
    def cancel(self, summary: str | None = None, event_id: str | None = None, on: str | None = None) -> list[str]:
        """Somebody calls events off: the one of an id, or all of a title that are not over (or on one day)."""
        found = self._named(summary, event_id, on)
        for event in found:
            self._change(event, status="cancelled")
        return [event["event_id"] for event in found]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        primary = self._open_primary()["calendar_id"]
        for event in list(self.rows("events")):
            if not event["calendar_id"]:
                event = self.patch("events", event["event_id"], calendar_id=primary)
            self._await_reminders(event)

    def ring(self, event_id: str, minutes: int, due: int) -> None:
        """Tell of an event that is about to start, unless it has been moved, called off or deleted since."""
        event = self.find("events", event_id)
        if event is None or event["status"] == "cancelled" or self.seconds(event["start"]) - 60 * minutes != due:
            return
        at = self.world.iso(due)
        # An event that was moved away and back has two entries for the same instant; the second finds it rung.
        if not any(item["minutes"] == minutes and item.get("rang_at") != at for item in event["reminders"]):
            return
        reminders = [{**item, "rang_at": at} if item["minutes"] == minutes else item for item in event["reminders"]]
        self.patch("events", event_id, reminders=reminders)
        calendar = self.find("calendars", event["calendar_id"])
        self.world.notify(
            "calendar",
            "calendar_reminder",
            f"Reminder: {event['summary'][:200]}",
            self._told(event),
            ref=event_id,
            user_id=calendar["user_id"] if calendar else "",
            opens="reminder",
        )

    # -- calendars -----------------------------------------------------------------------------------------------

    def _primary(self) -> Record | dict[str, Any]:
        """The owner's primary calendar as it is, or as it will be once something is written."""
        owner = self.world.owner
        for row in self.rows("calendars"):
            if row["primary"] and row["user_id"] == owner:
                return row
        return {
            "calendar_id": f"cal_{owner}",
            "user_id": owner,
            "name": self.world.owner_name,
            "description": "",
            "primary": True,
            "access": "owner",
        }

    def _open_primary(self) -> Record:
        primary = self._primary()
        return primary if isinstance(primary, Record) else self.put("calendars", **primary)

    def _calendar(self, calendar_id: str | None) -> Record | dict[str, Any]:
        primary = self._primary()
        if calendar_id in (None, PRIMARY, primary["calendar_id"]):
            return primary
        return self.get("calendars", calendar_id, "calendar", "calendar.list_calendars shows them")

    def _writable(self, calendar_id: str | None) -> Record | dict[str, Any]:
        calendar = self._calendar(calendar_id)
        if calendar["access"] == "reader":
            raise ToolError("read_only", f"calendar {calendar['calendar_id']} can only be read; use another one")
        return calendar

    def _event(self, event_id: str, calendar_id: str | None) -> Record:
        hint = "calendar.list_events and calendar.search_events show them"
        event = self.get("events", event_id, "event", hint)
        if calendar_id is not None:
            wanted = self._calendar(calendar_id)["calendar_id"]
            if (event["calendar_id"] or self._primary()["calendar_id"]) != wanted:
                raise ToolError("not_found", f"event {event_id} is in calendar {event['calendar_id']}, not in {wanted}")
        return event

    # -- time ----------------------------------------------------------------------------------------------------

    def _moment(self, text: str, name: str) -> tuple[int, bool]:
        """An argument's instant, and whether it names a whole day."""
        instant = self.instant(text, name)
        if not 0 <= instant < LATEST:
            raise ToolError("bad_time", f"{name}: {text[:40]!r} is not between the years 1970 and 2099")
        return instant, "T" not in text.upper() and ":" not in text

    def _span(self, start: str, end: str) -> Span:
        first, whole = self._moment(start, "start")
        last, whole_end = self._moment(end, "end")
        if whole != whole_end:
            raise ToolError(
                "bad_time", "start and end are both date-times, or both dates (YYYY-MM-DD) for an all-day event"
            )
        if last < first:
            raise ToolError("bad_time", f"end ({end[:40]}) is before start ({start[:40]})")
        if whole and last == first:
            last = self._midnight(first, 1)
        return Span(first, last, whole)

    def _new_span(self, event: Record, start: str | None, end: str | None) -> Span:
        """When an event is once its start, its end, or both are given anew."""
        old = self._span_of(event)
        if start is None:
            start = self._shown(old.start, old.all_day)
        elif end is None:
            first, whole = self._moment(start, "start")
            if whole != old.all_day:
                kind = "lasts whole days" if old.all_day else "has times of day"
                raise ToolError("bad_time", f"this event {kind}; to change that give both start and end")
            last = self._midnight(first, self._days(old)) if whole else first + old.end - old.start
            return Span(first, last, whole)
        return self._span(start, end if end is not None else self._shown(old.end, old.all_day))

    def _span_of(self, event: Record) -> Span:
        return Span(self.seconds(event["start"]), self.seconds(event["end"]), event["all_day"])

    def _shifted(self, span: Span, days: int = 0, minutes: int = 0) -> Span:
        """A span so many days (at the same time of day) and minutes on."""
        if span.all_day:
            first = self._midnight(span.start, days)
            return Span(first, self._midnight(first, self._days(span)), True)
        first = int((clock.local(span.start, self.world.zone) + dt.timedelta(days=days)).timestamp()) + 60 * minutes
        return Span(first, first + span.end - span.start, False)

    def _midnight(self, instant: int, days: int) -> int:
        """The beginning of the day so many days after the one that an instant is in."""
        day = clock.local(instant, self.world.zone).date() + dt.timedelta(days=days)
        return clock.day_start(day, self.world.zone)

    def _days(self, span: Span) -> int:
        zone = self.world.zone
        return max(1, (clock.local(span.end, zone).date() - clock.local(span.start, zone).date()).days)

    def _shown(self, instant: int, all_day: bool) -> str:
        text = self.world.iso(instant)
        return text[:10] if all_day else text

    def _when(self, span: Span) -> dict[str, Any]:
        """The fields of a record that say when an event is."""
        return {"start": self.world.iso(span.start), "end": self.world.iso(span.end), "all_day": span.all_day}

    def _written(self, text: str) -> str:
        """The ISO text of a moment in a timeline: ``D+3`` names a day, ``D+3 15:00`` a time."""
        if not text.startswith("D+"):
            return text
        return self._shown(clock.moment(text, self.world.start, self.world.zone), ":" not in text)

    # -- events --------------------------------------------------------------------------------------------------

    def _named(self, summary: str | None, event_id: str | None, on: str | None, past: bool = False) -> list[Record]:
        """The live events that a timeline means: the user's before the agent's, earlier ones first."""
        if event_id is not None:
            event = self.find("events", event_id)
            return [event] if event is not None and event["status"] != "cancelled" else []
        text = fold(summary or "").strip()
        day = None if on is None else self._written(on)
        live = [
            event
            for event in self.rows("events")
            if event["status"] != "cancelled"
            and (past or day is not None or self.seconds(event["end"]) > self.now)
            and (day is None or self.world.iso(self.seconds(event["start"]))[:10] == day)
        ]
        same = [event for event in live if fold(event["summary"]).strip() == text]
        found = same or [event for event in live if text and text in fold(event["summary"])]
        found.sort(key=lambda event: (event["created_by"] != "user", self.seconds(event["start"])))
        return found

    def _change(self, event: Record, **changes: Any) -> Record:
        changed = self.patch("events", event["event_id"], **changes, updated_at=self.stamp())
        self._await_reminders(changed)
        return changed

    def _await_reminders(self, event: Record) -> None:
        for reminder, due in self._to_ring(event):
            self.later(due, "ring", event_id=event["event_id"], minutes=reminder["minutes"], due=due)

    def _to_ring(self, event: Record) -> list[tuple[dict[str, Any], int]]:
        """The reminders of an event that are still to come, and when."""
        if not event["reminders"] or event["status"] == "cancelled":
            return []
        start = self.seconds(event["start"])
        due = [(reminder, start - 60 * reminder["minutes"]) for reminder in event["reminders"]]
        return [(reminder, at) for reminder, at in due if at > self.now]

    def _told(self, event: Record) -> str:
        """One or two lines on when and where an event is."""
        span = self._span_of(event)
        start = clock.local(span.start, self.world.zone)
        if span.all_day:
            when = f"{clock.weekday(start)[:3]} {start.date()}, all day"
        else:
            end = clock.local(span.end, self.world.zone)
            when = clock.shown(span.start, self.world.zone)
            if start.date() == end.date():
                when += f" to {end:%H:%M}"
        parts = [when, event["location"][:200], f"event {event['event_id']}"]
        text = event["description"]
        lines = ["; ".join(part for part in parts if part), text if len(text) <= 500 else text[:500] + "..."]
        return "\n".join(line for line in lines if line)

    def check_invariants(self) -> None:
        owners = [row["user_id"] for row in self.rows("calendars") if row["primary"]]
        assert len(owners) == len(dict.fromkeys(owners)), owners
        for event in self.rows("events"):
            span = self._span_of(event)
            assert span.start < span.end if span.all_day else span.start <= span.end, event
            assert not event["calendar_id"] or self.find("calendars", event["calendar_id"]) is not None, event
            if span.all_day:
                assert self._midnight(span.start, 0) == span.start, event
                assert self._midnight(span.end, 0) == span.end, event
            minutes = [reminder["minutes"] for reminder in event["reminders"]]
            assert len(minutes) == len(dict.fromkeys(minutes)), event
