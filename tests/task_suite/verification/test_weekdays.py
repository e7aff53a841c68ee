"""Weekdays in texts, against the dates that they stand beside."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.task_suite.verification.weekdays import wrong_weekdays

START = dt.date(2026, 4, 17)


def found(text, today=None):
    return list(wrong_weekdays(text, START, today))


@pytest.mark.parametrize(
    "text",
    [
        "new booklet Thu 04-23 after 15:00",
        "**Tue 05-05** the villa",
        "by Friday 24 April 18:00",
        "Friday, 24th of April 2026",
        "Sat, May 16",
        "on Saturday the 16th May",
        "2026-05-05 (Tue)",
        "24 April (Friday)",
        "On Monday night the fare lapses",
        "Sun 12 people came",
        "Mon 2026-13-45",
        "the trip of 2024-10-11, Friday",
        "the Wed 2403-10 form",
    ],
)
def test_right_weekdays_and_no_dates(text):
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("new booklet Wed 04-23 after", '"Wed 04-23" is a Thursday'),
        ("Monday 24 April", '"Monday 24 April" is a Friday'),
        ("Sunday, May 16th, 2026", '"Sunday, May 16th, 2026" is a Saturday'),
        ("2026-05-05 (Wed)", '"2026-05-05 (Wed)" is a Tuesday'),
        ("16 May, Friday", '"16 May, Friday" is a Saturday'),
        ("on the\n Tues 2026-04-17", '"Tues 2026-04-17" is a Friday'),
        ("Wed 01-02", '"Wed 01-02" is a Friday'),
    ],
)
def test_wrong_weekdays(text, problem):
    assert found(text) == [problem]


def test_a_date_without_a_year_lies_near_the_window():
    december = list(wrong_weekdays("Mon 01-05", dt.date(2025, 12, 20)))
    assert december == []  # 5 January 2026 is a Monday, 5 January 2025 a Sunday


def test_tomorrow_is_read_from_the_day_of_the_text():
    thursday = dt.date(2026, 4, 23)
    assert found("by tomorrow, Friday, 18:00", thursday) == []
    assert found("Today is Thursday.", thursday) == []
    assert found("by tomorrow (Monday)", thursday) == ['"tomorrow (Monday)" is a Friday, 2026-04-24']
    assert found("by tomorrow (Monday)") == []


@given(st.dates(dt.date(2026, 1, 1), dt.date(2026, 12, 31)), st.integers(0, 6))
def test_every_form_of_every_date(day, shift):
    named = day + dt.timedelta(days=shift)
    for form in ("{0:%a} {1:%Y-%m-%d}", "{0:%A}, {1:%d} {1:%B} {1:%Y}", "{1:%Y-%m-%d} ({0:%a})"):
        assert bool(found(form.format(named, day))) == (shift != 0)
