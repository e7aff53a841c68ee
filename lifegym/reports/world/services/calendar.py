"""The calendar as weeks."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Appointment, Cell, Day, Note, Part, Week, Weeks
from lifegym.reports.world.records import facts, table
from lifegym.reports.world.views import View
from lifegym.world import clock

__all__ = ["VIEW"]

_BEFORE, _AFTER = dt.timedelta(days=7), dt.timedelta(days=42)
"""How far around today one looks where calls cost something."""

_LONGEST = 60
"""Days of an entry that are drawn."""


def _weeks(look: Look) -> list[Part]:
    calendars = look.rows("calendar.list_calendars", "calendars").rows
    if not calendars:
        return [Note("There is no calendar.")]
    span = {} if look.deep else {"time_max": (look.today + _AFTER).isoformat()}
    since = "1950-01-01" if look.deep else (look.today - _BEFORE).isoformat()
    events: list[tuple[str, dict[str, Any]]] = []
    notes: list[Part] = []
    for calendar in calendars:
        found = look.rows("calendar.list_events", "events", calendar_id=calendar["calendar_id"], time_min=since, **span)
        events += [(calendar["name"], row) for row in found.rows]
        notes += [Note(f"{calendar['name']}: {found.note}")] if found.note else []
    several = len(calendars) > 1
    by_day: dict[dt.date, list[tuple[dt.datetime, Appointment]]] = {}
    for name, event in events:
        for date, start, shown in _days(event, name if several else "", look.zone):
            by_day.setdefault(date, []).append((start, shown))
    listed = [
        table(calendars, look.zone, "Calendars", ("name", "description", "access", "primary", "calendar_id")),
        *notes,
    ]
    mondays = sorted({date - dt.timedelta(days=date.weekday()) for date in [*by_day, look.today]})
    weeks = tuple(_week(monday, by_day, look.today) for monday in mondays)
    return [Weeks(weeks, f"{len(events)} entries"), *listed]


def _days(event: dict[str, Any], calendar: str, zone: str) -> Iterator[tuple[dt.date, dt.datetime, Appointment]]:
    """The days of an entry, each with what is written there."""
    start, end = fields.time_of(event["start"], zone), fields.time_of(event["end"], zone)
    last = end - dt.timedelta(seconds=1) if end > start else start
    told = facts(event, zone, ("description", "organizer", "created_by", "event_id"))
    if event["attendees"]:
        people = ", ".join(_person(person) for person in event["attendees"])
        told += (("With", Cell(people)),)
    if event["reminders"]:
        rings = ", ".join(f"{_before(reminder['minutes'])}" for reminder in event["reminders"])
        told += (("Rings", Cell(rings)),)
    for number in range(min((last.date() - start.date()).days + 1, _LONGEST)):
        date = start.date() + dt.timedelta(days=number)
        begins = f"{start:%H:%M}" if number == 0 else "…"
        ends = f"{end:%H:%M}" if date == last.date() and end.date() == date else "…"
        time = "all day" if event["all_day"] else begins if begins == ends else f"{begins}–{ends}"
        status = "" if event["status"] == "confirmed" else event["status"]
        yield date, start, Appointment(time, event["summary"], event["location"], status, calendar, told)


def _person(person: dict[str, Any]) -> str:
    name = person["name"] or person["email"]
    return name if person["response"] == "needsAction" else f"{name} ({person['response']})"


def _before(minutes: int) -> str:
    if minutes and minutes % 1440 == 0:
        return f"{minutes // 1440} days before" if minutes > 1440 else "a day before"
    if minutes and minutes % 60 == 0:
        return f"{minutes // 60} h before"
    return f"{minutes} min before" if minutes else "as it begins"


def _week(monday: dt.date, by_day: dict[dt.date, list[tuple[dt.datetime, Appointment]]], today: dt.date) -> Week:
    days = []
    for number in range(7):
        date = monday + dt.timedelta(days=number)
        entries = sorted(by_day.get(date, ()), key=lambda entry: (entry[1].time != "all day", entry[0]))
        shown = tuple(appointment for _, appointment in entries)
        days.append(
            Day(clock.weekday(date)[:3], f"{date.day} {clock.month_name(date)[:3]}", date == today, date < today, shown)
        )
    return Week(f"Week {monday.isocalendar().week}, {clock.month_name(monday)} {monday.year}", tuple(days))


VIEW = View((_weeks,))
