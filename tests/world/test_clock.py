"""Virtual time: zones from tzdata, DST edges, moments, and the forms that are refused."""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.world import clock

START = dt.date(2026, 4, 17)


def test_an_instant_is_shown_in_its_zone() -> None:
    instant = clock.parse_instant("2026-04-17T09:00:00+08:00", "UTC")
    assert clock.iso(instant, "Asia/Shanghai") == "2026-04-17T09:00:00+08:00"
    assert clock.iso(instant, "America/New_York") == "2026-04-16T21:00:00-04:00"
    assert clock.iso(instant, "Asia/Kathmandu") == "2026-04-17T06:45:00+05:45"
    assert clock.local(instant, "UTC") == dt.datetime(2026, 4, 17, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-04-17T09:00", "2026-04-17T09:00:00+08:00"),
        ("2026-04-17 09:00:00", "2026-04-17T09:00:00+08:00"),
        (" 2026-04-17T01:00:00Z ", "2026-04-17T09:00:00+08:00"),
        ("2026-04-17", "2026-04-17T00:00:00+08:00"),
        ("2026-04-17T09:00:00.900+08:00", "2026-04-17T09:00:00+08:00"),
        ("2026-04-17T02:00:00+01:00", "2026-04-17T09:00:00+08:00"),
    ],
)
def test_forms_of_an_instant(text: str, same: str) -> None:
    assert clock.iso(clock.parse_instant(text, "Asia/Shanghai"), "Asia/Shanghai") == same


@pytest.mark.parametrize("text", ["", "soon", "17.04.2026", "2026-13-01", "2026-02-30T10:00", "2026-04-17T25:00", "9"])
def test_other_forms_of_an_instant_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not an ISO 8601 date-time such as"):
        clock.parse_instant(text, "UTC")


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_instants_and_days_at_the_calendars_ends_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="outside the years that a world knows"):
        clock.parse_instant(text, "Asia/Tokyo")
    with pytest.raises(ValueError, match="outside the years that a world knows"):
        clock.parse_day(text[:10])


@pytest.mark.parametrize("text", ["0002-01-02T00:00:00+14:00", "9998-12-30T23:59:59-12:00"])
@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Etc/GMT+12", "UTC"])
def test_every_accepted_instant_can_be_shown_everywhere(text: str, zone: str) -> None:
    instant = clock.parse_instant(text, "UTC")
    assert dt.datetime.fromisoformat(clock.iso(instant, zone)).timestamp() == instant


@pytest.mark.parametrize("text", ["2026-4-17", "20260417", "2026-04-17 ", "2026-W16-5", "2026-04-17T00:00", "", "D+3"])
def test_other_forms_of_a_day_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a date of the form YYYY-MM-DD"):
        clock.parse_day(text)


@pytest.mark.parametrize("text", ["2026-02-29", "2026-00-10", "2026-04-31", "2026-13-01"])
def test_days_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="there is no day"):
        clock.parse_day(text)


def test_days() -> None:
    assert clock.parse_day("2028-02-29") == dt.date(2028, 2, 29)


@given(st.integers(-2_000_000_000, 7_000_000_000), st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "UTC"]))
def test_iso_and_back(instant: int, zone: str) -> None:
    shown = clock.iso(instant, zone)
    # Offsets before standard time have seconds (+08:05:43), which ISO texts carry as well.
    assert clock.parse_instant(shown, "UTC") == instant
    assert clock.local(instant, zone).isoformat() == shown


# -- daylight saving -------------------------------------------------------------------------------------------------


def test_days_of_23_and_25_hours() -> None:
    def length(day: dt.date) -> int:
        return clock.day_start(day + dt.timedelta(days=1), "Europe/Berlin") - clock.day_start(day, "Europe/Berlin")

    assert length(dt.date(2026, 3, 28)) == 24 * clock.HOUR
    assert length(dt.date(2026, 3, 29)) == 23 * clock.HOUR
    assert length(dt.date(2026, 10, 25)) == 25 * clock.HOUR
    assert clock.DAY == 24 * clock.HOUR == 1440 * clock.MINUTE


def test_a_local_time_that_comes_twice_is_the_first() -> None:
    instant = clock.parse_instant("2026-10-25T02:30", "Europe/Berlin")
    assert clock.iso(instant, "Europe/Berlin") == "2026-10-25T02:30:00+02:00"
    assert clock.iso(instant + clock.HOUR, "Europe/Berlin") == "2026-10-25T02:30:00+01:00"


def test_a_local_time_that_is_skipped_lies_after_the_gap() -> None:
    instant = clock.parse_instant("2026-03-29T02:30", "Europe/Berlin")
    assert clock.iso(instant, "Europe/Berlin") == "2026-03-29T03:30:00+02:00"


def test_a_day_whose_midnight_is_skipped_begins_after_the_gap() -> None:
    start = clock.day_start(dt.date(2026, 4, 24), "Africa/Cairo")
    assert clock.iso(start, "Africa/Cairo") == "2026-04-24T01:00:00+03:00"


# -- moments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("D+0", "2026-04-17T00:00:00+08:00"),
        ("D+3 09:30", "2026-04-20T09:30:00+08:00"),
        (" D+3 09:30:15 ", "2026-04-20T09:30:15+08:00"),
        ("D+9 24:00", "2026-04-27T00:00:00+08:00"),
        ("D+13 24:00", "2026-05-01T00:00:00+08:00"),
        ("D+003 23:59", "2026-04-20T23:59:00+08:00"),
        ("D+3 18:00 Asia/Tokyo", "2026-04-20T17:00:00+08:00"),
        ("D+3 24:00 UTC", "2026-04-21T08:00:00+08:00"),
        ("D+3 Asia/Tokyo", "2026-04-19T23:00:00+08:00"),
        ("D+1 08:00 America/Argentina/Buenos_Aires", "2026-04-18T19:00:00+08:00"),
        ("D+999 00:00", "2029-01-10T00:00:00+08:00"),
    ],
)
def test_moments(text: str, iso: str) -> None:
    assert clock.iso(clock.moment(text, START, "Asia/Shanghai"), "Asia/Shanghai") == iso


def test_moments_follow_the_local_clock_over_a_change() -> None:
    before, after = (clock.moment(f"D+{day} 09:00", dt.date(2026, 3, 28), "Europe/Berlin") for day in (0, 1))
    assert after - before == 23 * clock.HOUR


@pytest.mark.parametrize(
    "text",
    ["", "D3", "D+", "D-1", "D+1000", "D+1 9:30", "D+1 09", "D+1  09:30", "d+1 09:30", "D+1 09:30 Tokyo", "D+1T09:30"],
)
def test_other_forms_of_a_moment_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a moment of the form"):
        clock.moment(text, START, "UTC")


@pytest.mark.parametrize("text", ["D+1 09:60", "D+1 25:00", "D+1 24:01", "D+1 24:00:01", "D+1 10:00:60"])
def test_times_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="has no such time of day"):
        clock.moment(text, START, "UTC")


def test_a_moment_in_an_unknown_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown time zone 'Asia/Atlantis'"):
        clock.moment("D+1 09:00 Asia/Atlantis", START, "UTC")


# -- where the rules come from ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Asia",
        "Mars/Base",
        "asia/nowhere",
        "__init__.py",
        "zones",
        "/etc/localtime",
        "nul\0byte",
        "../../../../../../../../../../../../usr/share/zoneinfo/Asia/Tokyo",
        "Asia/../Asia/Tokyo",
    ],
)
def test_unknown_zones_and_paths_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="use an IANA name such as 'Asia/Shanghai'"):
        clock.zone(name)


def test_zones_come_from_the_package_and_not_from_the_system(tmp_path: object) -> None:
    """With TZ wrong and a PYTHONTZPATH in which every zone is UTC, the answers stay the same."""
    fake = os.path.join(str(tmp_path), "zones")
    os.makedirs(os.path.join(fake, "Europe"))
    source = (
        "import shutil, os, sys\n"
        "from importlib import resources\n"
        "utc = resources.files('tzdata.zoneinfo').joinpath('UTC').read_bytes()\n"
        f"open(os.path.join({fake!r}, 'Europe', 'Berlin'), 'wb').write(utc)\n"
        "import zoneinfo, datetime as dt\n"
        "from lifegym.world import clock\n"
        "now = clock.parse_instant('2026-07-01T12:00', 'Europe/Berlin')\n"
        "system = dt.datetime.fromtimestamp(now, zoneinfo.ZoneInfo('Europe/Berlin')).isoformat()\n"
        "print(system, clock.iso(now, 'Europe/Berlin'), clock.day_start(dt.date(2026, 7, 1), 'Europe/Berlin'))\n"
    )
    environment = {**os.environ, "TZ": "Pacific/Kiritimati", "PYTHONTZPATH": fake}
    printed = subprocess.run(
        [sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert printed.split() == ["2026-07-01T10:00:00+00:00", "2026-07-01T12:00:00+02:00", "1782856800"]
