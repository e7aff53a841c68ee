"""When a market trades: its sessions, by its weekdays, holidays and early closes, in its own zone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lifegym.world import clock
from lifegym.world.record import Record

__all__ = [
    "Session", "at_time", "is_trading_day", "last_known", "last_session", "next_session", "session_of", "trading_day",
]  # fmt: skip


class Session(NamedTuple):
    """One day's trading: it is open from ``opens`` until before ``closes``, in seconds."""

    date: dt.date
    opens: int
    closes: int


@lru_cache(maxsize=8192)
def at_time(day: dt.date, time: str, zone: str) -> int:
    """The instant of a time of day (HH:MM) in a zone."""
    hour, minute = int(time[:2]), int(time[3:])
    return int(dt.datetime(day.year, day.month, day.day, hour, minute, tzinfo=clock.zone(zone)).timestamp())


def is_trading_day(market: Record, day: dt.date) -> bool:
    """Whether the market trades on a day."""
    return day.weekday() in market["weekdays"] and day.isoformat() not in market["holidays"]


def session_of(market: Record, day: dt.date) -> Session | None:
    """The session of a day, or None on a day without one."""
    if not is_trading_day(market, day):
        return None
    date = day.isoformat()
    closes = next((row["closes"] for row in market["early_closes"] if row["date"] == date), market["closes"])
    return Session(day, at_time(day, market["opens"], market["zone"]), at_time(day, closes, market["zone"]))


def _sessions(market: Record, day: dt.date, step: int) -> Iterator[Session]:
    """The sessions from a day on, forwards or backwards."""
    while True:
        found = session_of(market, day)
        if found is not None:
            yield found
        day += dt.timedelta(days=step)


def next_session(market: Record, now: int) -> Session:
    """The session that is going on, or else the next."""
    day = clock.local(now, market["zone"]).date()
    return next(found for found in _sessions(market, day, 1) if found.closes > now)


def last_session(market: Record, now: int) -> Session:
    """The session that ended last."""
    day = clock.local(now, market["zone"]).date()
    return next(found for found in _sessions(market, day, -1) if found.closes <= now)


def trading_day(market: Record, day: dt.date, after: int) -> dt.date:
    """The trading day that comes ``after`` trading days later than a day; 0 is the day itself or the next there is."""
    for _ in range(after):
        day = next(_sessions(market, day + dt.timedelta(days=1), 1)).date
    return next(_sessions(market, day, 1)).date


def last_known(history: Sequence[Any], day: str, field: str) -> int | None:
    """What a history of changes says for a day (YYYY-MM-DD); None before its beginning."""
    for point in reversed(history):
        if point["date"] <= day:
            return int(point[field])
    return None
