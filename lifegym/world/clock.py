"""Virtual time: instants as whole seconds, shown in a zone; relative moments such as ``D+3 09:30``.

Inside a world an instant is an int, seconds since 1970-01-01 UTC. Whatever leaves it is ISO 8601 with an offset. Zone
rules come from the installed ``tzdata`` package, never from the system.
"""

from __future__ import annotations

import datetime as dt
import re
from functools import cache, lru_cache
from importlib import resources
from zoneinfo import ZoneInfo

__all__ = [
    "DAY", "HOUR", "MINUTE", "MONTHS", "WEEKDAYS", "day_start", "iso", "local", "moment", "month_name", "parse_day",
    "parse_instant", "shown", "weekday", "zone",
]  # fmt: skip

MINUTE, HOUR, DAY = 60, 3600, 86400

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December")  # fmt: skip
"""In English whatever the locale of the process, which decides what strftime calls them."""


def weekday(day: dt.date) -> str:
    """What a date's day of the week is called."""
    return WEEKDAYS[day.weekday()]


def month_name(day: dt.date) -> str:
    """What a date's month is called."""
    return MONTHS[day.month - 1]


@cache
def zone(name: str) -> ZoneInfo:
    """The time zone of this IANA name.

    Raises:
        ValueError: There is no such zone.
    """
    try:
        parts = name.split("/")
        if ".." in parts:
            raise ValueError("a path out of the package")
        with resources.files("tzdata.zoneinfo").joinpath(*parts).open("rb") as rules:
            return ZoneInfo.from_file(rules, key=name)
    except (OSError, ValueError, TypeError) as error:
        raise ValueError(f"unknown time zone {name!r}; use an IANA name such as 'Asia/Shanghai'") from error


@lru_cache(maxsize=65536)
def local(instant: int, zone_name: str) -> dt.datetime:
    """The instant as an aware datetime in a zone."""
    return dt.datetime.fromtimestamp(instant, zone(zone_name))


@lru_cache(maxsize=65536)
def iso(instant: int, zone_name: str) -> str:
    """ISO 8601 with offset, to the second: ``2026-04-17T09:00:00+08:00``."""
    return dt.datetime.fromtimestamp(instant, zone(zone_name)).isoformat()


@lru_cache(maxsize=65536)
def shown(instant: int, zone_name: str) -> str:
    """As people write it, to the minute: ``Fri 2026-04-17 09:00``."""
    there = local(instant, zone_name)
    return f"{weekday(there)[:3]} {there.isoformat(' ', 'minutes')[:16]}"


@lru_cache(maxsize=65536)
def parse_instant(text: str, zone_name: str) -> int:
    """Seconds of an ISO 8601 date-time; without an offset it is read in the zone, a bare date is its midnight.

    Raises:
        ValueError: The text is no date or date-time.
    """
    try:
        parsed = dt.datetime.fromisoformat(text.strip())
    except ValueError:
        raise ValueError(f"{text!r} is not an ISO 8601 date-time such as 2026-04-17T09:00:00+08:00") from None
    _check_year(parsed.year, text)
    if parsed.tzinfo is None:
        parsed = parsed.replace(tzinfo=zone(zone_name))
    return int(parsed.timestamp())


@lru_cache(maxsize=65536)
def parse_day(text: str) -> dt.date:
    """The date of ``YYYY-MM-DD``.

    Raises:
        ValueError: The text has another form, or there is no such day.
    """
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
        raise ValueError(f"{text!r} is not a date of the form YYYY-MM-DD")
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"there is no day {text!r}") from None
    _check_year(day.year, text)
    return day


def _check_year(year: int, text: str) -> None:
    """Keep away from the calendar's ends, where adding a day or a zone's offset would overflow."""
    if not 2 <= year <= 9998:
        raise ValueError(f"{text!r} is outside the years that a world knows")


def day_start(day: dt.date, zone_name: str) -> int:
    """The instant at which a day begins in a zone."""
    return int(dt.datetime(day.year, day.month, day.day, tzinfo=zone(zone_name)).timestamp())


_MOMENT = re.compile(r"D\+(\d{1,3})(?: (\d{2}):(\d{2})(?::(\d{2}))?)?(?: ([A-Za-z_]+(?:/[A-Za-z_+\-0-9]+)+|UTC))?")


@lru_cache(maxsize=4096)
def moment(text: str, start: dt.date, zone_name: str) -> int:
    """The instant of a relative moment: ``D+3 09:30`` is half past nine on the fourth day of the window.

    ``24:00`` is the day's end. ``D+3`` alone is its beginning. A zone after the time overrides the task's:
    ``D+3 18:00 Asia/Tokyo``.

    Raises:
        ValueError: The text has another form.
    """
    match = _MOMENT.fullmatch(text.strip())
    if not match:
        raise ValueError(f"{text!r} is not a moment of the form 'D+3 09:30'")
    days, hour, minute, second = (int(part or 0) for part in match.groups()[:4])
    if minute > 59 or second > 59 or hour > 24 or (hour == 24 and (minute or second)):
        raise ValueError(f"{text!r} has no such time of day")
    day = start + dt.timedelta(days=days + (hour == 24))
    clock = dt.datetime(day.year, day.month, day.day, hour % 24, minute, second, tzinfo=zone(match[5] or zone_name))
    return int(clock.timestamp())
