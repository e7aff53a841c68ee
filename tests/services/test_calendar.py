"""The calendar keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import catalogue
from lifegym.world import clock


@pytest.fixture
def cal(desk: Any) -> Any:
    d = desk("calendar")
    d.put("calendar.calendars", calendar_id="cal_clinic", user_id="u_ann",
          name="Clinic", access="reader")  # fmt: skip
    d.put("calendar.calendars", calendar_id="cal_family", user_id="u_ann", name="Family", access="writer")
    d.put("calendar.calendars", calendar_id="cal_dad", user_id="u_dad", name="Dad", primary=True)
    d.put("calendar.events", event_id="E1", summary="Team meeting", start="2026-04-20T11:00:00+08:00",
          end="2026-04-20T12:00:00+08:00", location="Room 2")  # fmt: skip
    d.put("calendar.events", event_id="E2", calendar_id="cal_clinic", summary="Physiotherapy",
          start="2026-04-22T16:00:00+08:00", end="2026-04-22T16:45:00+08:00")  # fmt: skip
    d.put("calendar.events", event_id="E3", summary="Old times", start="2026-03-01T10:00:00+08:00",
          end="2026-03-01T11:00:00+08:00", updated_at="2026-04-01T10:00:00+08:00")  # fmt: skip
    d.start()
    return d


def make(d: Any, summary: str = "Booklet", start: str = "2026-04-23T15:00", end: str = "2026-04-23T16:00", **more: Any):
    return d.call("calendar.create_event", summary=summary, start=start, end=end, **more)


def titles(result: dict[str, Any]) -> list[str]:
    return [event["summary"] for event in result["events"]]


def test_the_parameters_are_those_of_the_interface() -> None:
    tools = catalogue.tools_of("calendar")
    assert set(tools) == {
        "create_event", "delete_event", "get_event", "list_calendars", "list_events", "search_events", "update_event",
    }  # fmt: skip
    assert tools["create_event"].arguments.required == ["summary", "start", "end"]
    assert tools["list_events"].arguments.optional["max_results"] == 20
    assert tools["list_events"].arguments.optional["order_by"] == "startTime"
    assert tools["search_events"].arguments.optional["max_results"] == 50
    for spec in tools.values():
        assert set(spec.docs.args) == set(spec.arguments.names), spec


# -- calendars -------------------------------------------------------------------------------------------------------


def test_the_owner_always_has_a_primary_calendar(desk: Any) -> None:
    d = desk("calendar")
    before = d.world.dump()
    [primary] = d.call("calendar.list_calendars", user_id="u_ann")["calendars"]
    assert primary["primary"]
    assert primary["calendar_id"] == "cal_u_ann"
    assert primary["name"] == "Ann Lee"
    assert d.world.dump() == before  # looking makes nothing
    assert make(d)["calendar_id"] == primary["calendar_id"]
    assert d.call("calendar.list_calendars", user_id="u_ann")["calendars"] == [primary]
    d.check()


def test_events_without_a_calendar_go_to_the_primary_one(cal: Any) -> None:
    assert cal.service("calendar").find("events", "E1")["calendar_id"] == "cal_u_ann"
    names = [row["calendar_id"] for row in cal.call("calendar.list_calendars", user_id="u_ann")["calendars"]]
    assert names == ["cal_clinic", "cal_family", "cal_u_ann"]
    [dad] = cal.call("calendar.list_calendars", user_id="u_dad")["calendars"]
    assert dad["calendar_id"] == "cal_dad"
    assert cal.refused("calendar.list_calendars", user_id="u_nobody") == "not_found"


def test_a_calendar_of_somebody_else_is_read_only(cal: Any) -> None:
    assert cal.refused("calendar.create_event", summary="x", start="2026-04-20", end="2026-04-20",
                       calendar_id="cal_clinic") == "read_only"  # fmt: skip
    assert cal.refused("calendar.update_event", event_id="E2", summary="x") == "read_only"
    assert cal.refused("calendar.delete_event", event_id="E2") == "read_only"
    assert titles(cal.call("calendar.list_events", calendar_id="cal_clinic")) == ["Physiotherapy"]
    assert make(cal, calendar_id="cal_family")["calendar_id"] == "cal_family"


# -- making ----------------------------------------------------------------------------------------------------------


def test_times_are_read_in_the_zone_of_the_world_or_with_their_offset(cal: Any) -> None:
    plain = make(cal)
    assert (plain["start"], plain["end"]) == ("2026-04-23T15:00:00+08:00", "2026-04-23T16:00:00+08:00")
    abroad = make(cal, start="2026-08-31T18:00:00+04:00", end="2026-08-31T18:30:00+04:00")
    assert abroad["start"] == "2026-08-31T22:00:00+08:00"
    assert not abroad["all_day"]
    utc = make(cal, start="2026-04-23T07:00:00Z", end="2026-04-23T08:00:00Z")
    assert utc["start"] == plain["start"]


def test_a_date_makes_a_whole_day(cal: Any) -> None:
    one = make(cal, start="2026-04-23", end="2026-04-23")
    assert (one["start"], one["end"], one["all_day"]) == ("2026-04-23", "2026-04-24", True)
    assert make(cal, start="2026-04-23", end="2026-04-24")["end"] == "2026-04-24"
    trip = make(cal, summary="Trip", start="2026-04-27", end="2026-05-17")
    stored = cal.service("calendar").find("events", trip["event_id"])
    assert stored["end"] == "2026-05-17T00:00:00+08:00"
    cal.check()


def test_what_the_agent_makes_is_marked_and_stamped(cal: Any) -> None:
    event = make(cal, description="two booklets", location="Hall",
                 attendees=[{"name": "Mum"}, {"displayName": "Dad", "email": "dad@mail.example"}, "gao@mail.example",
                            {"user_id": "u_x"}, "Aunt"],
                 reminders=[{"minutes": 30}, {"method": "email", "minutes": 60}, 0, {"minutes": 30}])  # fmt: skip
    assert event["created_by"] == "agent"
    assert event["created_at"] == event["updated_at"] == "2026-04-17T09:00:00+08:00"
    assert [(p["name"], p["email"]) for p in event["attendees"]] == [
        ("Mum", ""), ("Dad", "dad@mail.example"), ("", "gao@mail.example"), ("u_x", ""), ("Aunt", ""),
    ]  # fmt: skip
    assert [(r["minutes"], r["method"]) for r in event["reminders"]] == [(30, "popup"), (60, "email"), (0, "popup")]
    assert event["rings_at"] == [
        "2026-04-23T14:00:00+08:00", "2026-04-23T14:30:00+08:00", "2026-04-23T15:00:00+08:00",
    ]  # fmt: skip
    assert event["status"] == "confirmed"
    assert cal.call("calendar.get_event", event_id="E1")["created_by"] == "user"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"start": "soon"}, "bad_time"),
        ({"start": "2026-04-23T17:00"}, "bad_time"),
        ({"start": "2026-04-23"}, "bad_time"),
        ({"end": "1969-12-31"}, "bad_time"),
        ({"start": "9999-12-31T23:00-10:00", "end": "9999-12-31T23:30-10:00"}, "bad_time"),
        ({"attendees": [{}]}, "bad_attendee"),
        ({"attendees": [{"name": 5}]}, "bad_attendee"),
        ({"attendees": ["x"] * 101}, "bad_attendee"),
        ({"reminders": [{}]}, "bad_reminder"),
        ({"reminders": [{"minutes": -1}]}, "bad_reminder"),
        ({"reminders": [{"minutes": True}]}, "bad_reminder"),
        ({"reminders": [{"minutes": 5, "method": "pigeon"}]}, "bad_reminder"),
        ({"reminders": [1, 2, 3, 4, 5, 6]}, "bad_reminder"),
        ({"calendar_id": "cal_none"}, "not_found"),
        ({"summary": ""}, "bad_arguments"),
    ],
)
def test_what_a_new_event_cannot_be(cal: Any, fields: dict[str, Any], code: str) -> None:
    given = {"summary": "x", "start": "2026-04-23T15:00", "end": "2026-04-23T16:00", **fields}
    assert cal.refused("calendar.create_event", **given) == code


# -- looking ---------------------------------------------------------------------------------------------------------


def test_a_period_holds_what_overlaps_it(cal: Any) -> None:
    make(cal, "Trip", "2026-04-27", "2026-05-17")
    make(cal, "Night", "2026-04-23T22:00", "2026-04-24T02:00")
    make(cal, "Point", "2026-04-24T12:00", "2026-04-24T12:00")

    def listed(low: str, high: str) -> list[str]:
        return titles(cal.call("calendar.list_events", time_min=low, time_max=high))

    assert listed("2026-04-24T00:00", "2026-04-24T23:00") == ["Night", "Point"]
    assert listed("2026-04-24T02:00", "2026-04-24T12:00") == []  # ends are open
    assert listed("2026-04-24T12:00", "2026-04-24T12:01") == ["Point"]
    assert listed("2026-05-01", "2026-05-01") == ["Trip"]
    assert listed("2026-05-16T23:00", "2026-05-18") == ["Trip"]
    assert listed("2026-05-17", "2026-05-18") == []
    assert listed("2026-04-20", "2026-04-20") == ["Team meeting"]  # a date takes its whole day in
    assert listed("2026-04-18T00:00", "2026-04-20T11:00") == []


def test_without_a_period_the_list_begins_today(cal: Any) -> None:
    make(cal)
    assert titles(cal.call("calendar.list_events")) == ["Team meeting", "Booklet"]
    everything = cal.call("calendar.list_events", time_min="2026-01-01")
    assert titles(everything) == ["Old times", "Team meeting", "Booklet"]
    page = cal.call("calendar.list_events", time_min="2026-01-01", max_results=1)
    assert (titles(page), page["total"]) == (["Old times"], 3)
    latest = cal.call("calendar.list_events", time_min="2026-01-01", order_by="updated")
    assert titles(latest) == ["Booklet", "Old times", "Team meeting"]
    assert titles(cal.call("calendar.list_events", calendar_id="primary")) == ["Team meeting", "Booklet"]


def test_what_a_look_cannot_ask(cal: Any) -> None:
    for tool, more in (("list_events", {}), ("search_events", {"query": "x"})):
        assert cal.refused(f"calendar.{tool}", time_min="x", **more) == "bad_time"
        assert cal.refused(f"calendar.{tool}", time_max="x", **more) == "bad_time"
        assert cal.refused(f"calendar.{tool}", max_results=0, **more) == "bad_limit"
        assert cal.refused(f"calendar.{tool}", max_results=251, **more) == "bad_limit"
    assert cal.refused("calendar.list_events", order_by="size") == "bad_arguments"
    assert cal.refused("calendar.list_events", calendar_id="cal_none") == "not_found"
    assert cal.refused("calendar.get_event", event_id="E9") == "not_found"
    assert cal.refused("calendar.get_event", event_id="E1", calendar_id="cal_family") == "not_found"
    assert cal.refused("calendar.get_event", event_id="E1", calendar_id="cal_none") == "not_found"
    assert cal.call("calendar.get_event", event_id="E1", calendar_id="primary")["summary"] == "Team meeting"


def test_times_of_records_with_another_offset_are_shown_in_the_zone(cal: Any) -> None:
    cal.put("calendar.events", event_id="E5", calendar_id="cal_family", summary="Call",
            start="2026-04-25T18:00:00+09:00", end="2026-04-25T19:00:00+09:00")  # fmt: skip
    assert cal.call("calendar.get_event", event_id="E5")["start"] == "2026-04-25T17:00:00+08:00"


GOLDEN = [
    ("dentist", "Dentist check-up"),
    ("dentst", "Dentist check-up"),
    ("teeth hygienist", "Dentist check-up"),
    ("physio", "Physiotherapy with Orla"),
    ("doc", "Doctor Moreau, blood results"),
    ("doctor moraeu", "Doctor Moreau, blood results"),
    ("bday", "Mum's birthday"),
    ("birthdays", "Mum's birthday"),
    ("standup", "Stand-up"),
    ("school concert", "Concert of the music school"),
    ("Salle Pleyel", "Concert of the music school"),
    ("flight", "Flight HD521 to Tokyo"),
    ("hd521", "Flight HD521 to Tokyo"),
    ("kanazwa", "Train to Kanazawa"),
    ("gao", "Pick-up at the airport"),
    ("insurance claim", "Claim from the insurance"),
    ("budgt mtg", "Budget meeting"),
]


@pytest.fixture(scope="module")
def diary() -> Any:
    from tests.services.conftest import Desk

    d = Desk("calendar")
    d.service("calendar").busy(random.Random(3), days_before=90, days_after=90)
    for day, (title, place, text, who) in enumerate(
        [
            ("Dentist check-up", "Practice Lemaire", "Bring the card; teeth cleaning by the hygienist", []),
            ("Physiotherapy with Orla", "Clinic", "", []),
            ("Doctor Moreau, blood results", "Clinic", "", []),
            ("Mum's birthday", "", "cake", []),
            ("Concert of the music school", "Salle Pleyel", "", []),
            ("Flight HD521 to Tokyo", "PVG T2", "", []),
            ("Train to Kanazawa", "Ueno", "KG11", []),
            ("Pick-up at the airport", "Pudong", "", ["Mr Gao"]),
            ("Claim from the insurance", "", "by 2026-05-26", []),
            ("Budget meeting", "Room 4", "", []),
            ("Train your dog", "Park", "flight of stairs", []),
        ]
    ):
        d.call("calendar.create_event", summary=title, start=f"2026-04-{18 + day}T20:00",
               end=f"2026-04-{18 + day}T21:00", location=place, description=text, attendees=who)  # fmt: skip
    return d


@pytest.mark.parametrize(("query", "first"), GOLDEN)
def test_search_finds_what_people_mean(diary: Any, query: str, first: str) -> None:
    found = diary.call("calendar.search_events", query=query)
    assert found["events"][0]["summary"] == first


def test_search_puts_the_next_events_before_past_ones(diary: Any) -> None:
    found = diary.call("calendar.search_events", query="stand-up", max_results=250)["events"]
    starts = [event["start"] for event in found if event["summary"] == "Stand-up"]
    coming = [start for start in starts if start > "2026-04-17T09:00"]
    assert starts[: len(coming)] == sorted(coming)
    assert starts[len(coming) :] == sorted(set(starts) - set(coming), reverse=True)
    assert diary.call("calendar.search_events", query="xylophone") == {"events": [], "total": 0}
    inside = diary.call("calendar.search_events", query="stand up", time_min="2026-04-20", time_max="2026-04-21")
    assert [event["start"][:10] for event in inside["events"]] == ["2026-04-20", "2026-04-21"]


# -- changing --------------------------------------------------------------------------------------------------------


def test_an_update_changes_what_it_names(cal: Any) -> None:
    event_id = make(cal, description="d", attendees=["Mum"])["event_id"]
    cal.until("2026-04-18T10:00:00")
    changed = cal.call("calendar.update_event", event_id=event_id, summary="Passport", description="", location="Hall",
                       status="tentative", attendees=[])  # fmt: skip
    assert (changed["summary"], changed["description"], changed["location"]) == ("Passport", "", "Hall")
    assert (changed["status"], changed["attendees"]) == ("tentative", [])
    assert changed["updated_at"] == "2026-04-18T10:00:00+08:00"
    assert changed["start"] == "2026-04-23T15:00:00+08:00"
    for fields, code in (
        ({}, "nothing_to_change"),
        ({"start": "x"}, "bad_time"),
        ({"end": "2026-04-23T14:00"}, "bad_time"),
        ({"start": "2026-04-24"}, "bad_time"),
        ({"end": "2026-04-24"}, "bad_time"),
        ({"status": "maybe"}, "bad_arguments"),
        ({"attendees": [{}]}, "bad_attendee"),
        ({"reminders": [{}]}, "bad_reminder"),
        ({"summary": "x", "calendar_id": "cal_family"}, "not_found"),
    ):
        assert cal.refused("calendar.update_event", event_id=event_id, **fields) == code
    assert cal.refused("calendar.update_event", event_id="E9", summary="x") == "not_found"
    cal.check()


def test_a_new_start_keeps_the_length_and_a_new_end_changes_it(cal: Any) -> None:
    event_id = make(cal)["event_id"]

    def update(**fields: Any) -> tuple[str, str, bool]:
        event = cal.call("calendar.update_event", event_id=event_id, **fields)
        return event["start"][:16], event["end"][:16], event["all_day"]

    assert update(start="2026-04-24T09:30") == ("2026-04-24T09:30", "2026-04-24T10:30", False)
    assert update(end="2026-04-24T12:00") == ("2026-04-24T09:30", "2026-04-24T12:00", False)
    assert update(start="2026-04-27", end="2026-05-17") == ("2026-04-27", "2026-05-17", True)
    assert update(start="2026-04-28") == ("2026-04-28", "2026-05-18", True)
    assert update(end="2026-04-28") == ("2026-04-28", "2026-04-29", True)
    assert cal.refused("calendar.update_event", event_id=event_id, start="2026-04-28T10:00") == "bad_time"
    assert update(start="2026-04-28T10:00", end="2026-04-28T11:00")[2] is False
    cal.check()


def test_a_cancelled_event_is_kept_out_of_lists(cal: Any) -> None:
    event_id = make(cal)["event_id"]
    cal.call("calendar.update_event", event_id=event_id, status="cancelled")
    assert titles(cal.call("calendar.list_events")) == ["Team meeting"]
    assert titles(cal.call("calendar.list_events", show_deleted=True)) == ["Team meeting", "Booklet"]
    assert cal.call("calendar.search_events", query="booklet")["total"] == 0
    assert cal.call("calendar.get_event", event_id=event_id)["status"] == "cancelled"


def test_a_deleted_event_is_gone(cal: Any) -> None:
    event_id = make(cal)["event_id"]
    gone = cal.call("calendar.delete_event", event_id=event_id)
    assert gone == {
        "event_id": event_id, "summary": "Booklet", "start": "2026-04-23T15:00:00+08:00", "deleted": True,
    }  # fmt: skip
    assert cal.refused("calendar.delete_event", event_id=event_id) == "not_found"
    assert cal.refused("calendar.delete_event", event_id="E1", calendar_id="cal_family") == "not_found"


# -- reminders -------------------------------------------------------------------------------------------------------


def rung(d: Any) -> list[tuple[str, str]]:
    return [(d.world.iso(opening.time)[:16], opening.text.splitlines()[0]) for opening in d.world.openings]


def test_a_reminder_opens_a_turn_when_it_is_due(cal: Any) -> None:
    make(cal, location="Exit-entry hall", description="after 15:00 " + "x" * 600, reminders=[{"minutes": 30}])
    cal.until("2026-04-23T14:29:59")
    assert cal.world.openings == []
    cal.until("2026-04-30T00:00:00")
    [opening] = cal.world.openings
    assert (opening.kind, opening.event) == ("reminder", "")
    assert cal.world.iso(opening.time) == "2026-04-23T14:30:00+08:00"
    first, second, third = opening.text.splitlines()
    assert first == "Reminder: Booklet"
    assert second == "Thu 2026-04-23 15:00 to 16:00; Exit-entry hall; event ev_0001"
    assert third.endswith("...")
    event = cal.call("calendar.get_event", event_id="ev_0001")
    assert event["reminders"][0]["rang_at"] == "2026-04-23T14:30:00+08:00"
    assert event["rings_at"] == []


def test_reminders_of_the_initial_world_ring_too(desk: Any) -> None:
    d = desk("calendar")
    d.put("calendar.events", event_id="A", summary="Codes lapse",
          start="2026-04-18T17:00:00+08:00", end="2026-04-18T17:00:00+08:00",
          reminders=[{"minutes": 120, "method": "popup", "rang_at": None}])  # fmt: skip
    d.put("calendar.events", event_id="B", summary="Trip", start="2026-04-20T00:00:00+08:00", all_day=True,
          end="2026-04-22T00:00:00+08:00", reminders=[{"minutes": 360}])  # fmt: skip
    d.put("calendar.events", event_id="C", summary="Long", start="2026-04-20T22:00:00+08:00",
          end="2026-04-21T02:00:00+08:00", reminders=[{"minutes": 0}])  # fmt: skip
    d.start()
    d.until("2026-05-01T00:00:00")
    assert rung(d) == [
        ("2026-04-18T15:00", "Reminder: Codes lapse"),
        ("2026-04-19T18:00", "Reminder: Trip"),
        ("2026-04-20T22:00", "Reminder: Long"),
    ]
    assert "Mon 2026-04-20, all day" in d.world.openings[1].text
    assert "Mon 2026-04-20 22:00;" in d.world.openings[2].text
    d.check()


def test_reminders_move_with_their_event(cal: Any) -> None:
    event_id = make(cal, reminders=[30])["event_id"]
    cal.call("calendar.update_event", event_id=event_id, start="2026-04-24T10:00")
    cal.until("2026-04-24T00:00:00")
    assert rung(cal) == []
    cal.until("2026-04-25T00:00:00")
    assert rung(cal) == [("2026-04-24T09:30", "Reminder: Booklet")]
    cal.call("calendar.update_event", event_id=event_id, start="2026-04-26T10:00")  # it rings for its new time again
    cal.until("2026-04-27T00:00:00")
    assert len(rung(cal)) == 2


def test_an_event_that_moves_away_and_back_rings_once(cal: Any) -> None:
    event_id = make(cal, reminders=[30])["event_id"]
    cal.happen("calendar.move", event_id=event_id, start="D+10 10:00")
    cal.happen("calendar.move", event_id=event_id, start="2026-04-23T15:00")
    cal.call("calendar.update_event", event_id=event_id, reminders=[30])
    cal.until("2026-05-01T00:00:00")
    assert rung(cal) == [("2026-04-23T14:30", "Reminder: Booklet")]


def test_what_is_called_off_or_deleted_or_has_no_more_reminder_stays_silent(cal: Any) -> None:
    ids = [make(cal, f"n{number}", reminders=[30])["event_id"] for number in range(4)]
    cal.call("calendar.update_event", event_id=ids[0], status="cancelled")
    cal.call("calendar.delete_event", event_id=ids[1])
    cal.call("calendar.update_event", event_id=ids[2], reminders=[])
    assert cal.happen("calendar.cancel", summary="n3") == [ids[3]]
    cal.until("2026-05-01T00:00:00")
    assert rung(cal) == []
    cal.check()


def test_an_event_that_is_confirmed_again_rings(cal: Any) -> None:
    event_id = make(cal, reminders=[30])["event_id"]
    cal.call("calendar.update_event", event_id=event_id, status="cancelled")
    cal.call("calendar.update_event", event_id=event_id, status="confirmed")
    cal.until("2026-05-01T00:00:00")
    assert rung(cal) == [("2026-04-23T14:30", "Reminder: Booklet")]


def test_a_reminder_whose_moment_is_past_never_rings(cal: Any) -> None:
    assert make(cal, start="2026-04-17T09:10", end="2026-04-17T10:00", reminders=[30])["rings_at"] == []
    cal.until("2026-04-18T00:00:00")
    assert rung(cal) == []


def test_another_offset_moves_the_reminder(cal: Any) -> None:
    make(cal, start="2026-04-23T18:00:00+09:00", end="2026-04-23T19:00:00+09:00", reminders=[60])
    cal.until("2026-04-24T00:00:00")
    assert rung(cal) == [("2026-04-23T16:00", "Reminder: Booklet")]


# -- happenings ------------------------------------------------------------------------------------------------------


def test_somebody_puts_events_into_a_calendar(cal: Any) -> None:
    [event_id] = cal.happen("calendar.invite", summary="Board", start="D+3 18:00", end="D+3 20:00", organizer="Chair",
                            attendees=["Ann", "chair@school.example"])  # fmt: skip
    event = cal.call("calendar.get_event", event_id=event_id)
    assert (event["start"], event["organizer"], event["created_by"]) == ("2026-04-20T18:00:00+08:00", "Chair", "user")
    assert [person["email"] for person in event["attendees"]] == ["", "chair@school.example"]
    assert event["calendar_id"] == "cal_u_ann"
    weekly = cal.happen("calendar.invite", summary="Mum, Napier", start="2026-04-23T15:30", end="2026-04-23T17:00",
                        calendar_id="cal_clinic", weeks=3)  # fmt: skip
    days = [cal.call("calendar.get_event", event_id=one)["start"][:10] for one in weekly]
    assert days == ["2026-04-23", "2026-04-30", "2026-05-07"]
    [whole] = cal.happen("calendar.invite", summary="Fast", start="D+5", end="D+5")
    assert cal.call("calendar.get_event", event_id=whole)["end"] == "2026-04-23"
    assert cal.happen("calendar.invite", summary="x", start="D+1", end="D+1", calendar_id="cal_none") == []
    assert cal.world.openings == []
    cal.check()


def test_weeks_keep_the_time_of_day_over_a_clock_change(desk: Any) -> None:
    d = desk("calendar", start="2026-03-23", zone="Europe/Berlin")
    ids = d.happen("calendar.invite", summary="Crew", start="2026-03-26T10:00", end="2026-03-26T11:00", weeks=2)
    starts = [d.call("calendar.get_event", event_id=one)["start"] for one in ids]
    assert starts == ["2026-03-26T10:00:00+01:00", "2026-04-02T10:00:00+02:00"]
    [whole] = d.happen("calendar.invite", summary="Day", start="2026-03-29", end="2026-03-29")
    assert d.call("calendar.get_event", event_id=whole)["end"] == "2026-03-30"
    assert d.happen("calendar.move", event_id=whole, start="2026-03-28") == [whole]
    assert d.call("calendar.get_event", event_id=whole)["end"] == "2026-03-29"
    d.check()


def test_somebody_moves_an_event(cal: Any) -> None:
    assert cal.happen("calendar.move", summary="team MEETING", start="D+4 09:00") == ["E1"]
    event = cal.call("calendar.get_event", event_id="E1")
    assert (event["start"][:16], event["end"][:16]) == ("2026-04-21T09:00", "2026-04-21T10:00")
    assert cal.happen("calendar.move", summary="team", end="2026-04-21T18:30") == ["E1"]
    assert cal.call("calendar.get_event", event_id="E1")["end"][:16] == "2026-04-21T18:30"
    assert cal.happen("calendar.move", event_id="E2", start="D+6 10:00", end="D+6 11:00") == ["E2"]
    assert cal.happen("calendar.move", summary="Old times", start="D+4 09:00") == []  # over
    assert cal.happen("calendar.move", summary="Old times", on="2026-03-01", start="2026-03-02T10:00") == ["E3"]
    assert cal.happen("calendar.move", event_id="E9", start="D+4 09:00") == []
    assert cal.happen("calendar.move", start="D+4 09:00") == []
    cal.check()


def test_of_several_events_of_a_title_the_users_next_one_moves(cal: Any) -> None:
    mine = make(cal, "Session", "2026-04-18T10:00", "2026-04-18T11:00")["event_id"]
    first, second = cal.happen("calendar.invite", summary="Session", start="D+5 10:00", end="D+5 11:00", weeks=2)
    assert cal.happen("calendar.move", summary="Session", start="D+6 10:00") == [first]
    assert cal.happen("calendar.move", summary="Session", on="D+12", start="D+13 10:00") == [second]
    assert set(cal.happen("calendar.cancel", summary="Session")) == {mine, first, second}
    assert cal.happen("calendar.cancel", summary="Session") == []
    assert cal.happen("calendar.cancel", event_id=mine) == []


def test_somebody_shifts_a_series(cal: Any) -> None:
    ids = cal.happen("calendar.invite", summary="DX", start="2026-04-20T05:45", end="2026-04-20T10:30", weeks=3)
    assert cal.happen("calendar.shift", summary="DX", since="2026-04-27", days=1, minutes=15) == ids[1:]
    starts = [cal.call("calendar.get_event", event_id=one)["start"][:16] for one in ids]
    assert starts == ["2026-04-20T05:45", "2026-04-28T06:00", "2026-05-05T06:00"]
    cal.check()


def test_somebody_edits_an_event(cal: Any) -> None:
    assert cal.happen("calendar.edit", summary="Team meeting", new_summary="All hands", description="new",
                      location="Hall", attendees=["Lena", "a@b.example"]) == ["E1"]  # fmt: skip
    event = cal.call("calendar.get_event", event_id="E1")
    assert (event["summary"], event["description"], event["location"]) == ("All hands", "new", "Hall")
    assert [person["name"] for person in event["attendees"]] == ["Lena", ""]
    assert event["updated_at"] == "2026-04-17T09:00:00+08:00"
    assert cal.happen("calendar.edit", summary="Nothing", location="x") == []


# -- inventory -------------------------------------------------------------------------------------------------------


def test_a_busy_calendar_is_believable(desk: Any) -> None:
    def filled(seed: int) -> Any:
        d = desk("calendar")
        d.service("calendar").busy(random.Random(seed))
        d.service("calendar").busy(random.Random(seed), days_before=3, days_after=3, work=False, birthdays=0)
        d.start()
        d.check()
        return d

    d = filled(1)
    assert filled(1).world.dump() == d.world.dump() != filled(2).world.dump()
    rows = list(d.service("calendar").rows("events"))
    assert sum(row["summary"] == "Stand-up" for row in rows) == 75
    assert sum(row["all_day"] for row in rows) == 6
    assert not any(row["reminders"] for row in rows)
    assert all(row["created_at"] < "2026-04-17" for row in rows)
    d.until("2026-05-20T00:00:00")
    assert d.world.openings == []


def test_a_series_falls_on_its_weekdays(desk: Any) -> None:
    d = desk("calendar")
    rng = random.Random(0)
    d.service("calendar").series(rng, summary="DX", first="2026-04-13", last="D+7", weekdays=["Mon", "Fri"],
                                 time="05:45", minutes=285)  # fmt: skip
    d.service("calendar").series(rng, summary="Away", first="D+0", last="D+1", description="x", location="y")
    d.service("calendar").series(rng, summary="Odd", first="D+0", last="D+30", weekdays=["Fri"], every_weeks=2)
    d.start()

    def days(title: str) -> list[str]:
        return [row["start"][5:16] for row in d.service("calendar").rows("events") if row["summary"] == title]

    assert days("DX") == ["04-13T05:45", "04-17T05:45", "04-20T05:45", "04-24T05:45"]
    assert days("Away") == ["04-17T00:00", "04-18T00:00"]
    assert days("Odd") == ["04-17T00:00", "05-01T00:00", "05-15T00:00"]
    d.check()


# -- any sequence ----------------------------------------------------------------------------------------------------

MOMENTS = st.sampled_from(
    [
        "2026-04-17T09:30",
        "2026-04-18T10:00",
        "2026-04-18T18:00:00+09:00",
        "2026-04-19",
        "2026-04-20",
        "D+2",
        "D+1 08:00",
        "x",
    ]
)
IDS = st.sampled_from(["E1", "E2", "ev_0001", "ev_0002", "ev_0003"])
NAMES = st.sampled_from(["Team meeting", "Physiotherapy", "A", "B"])
RINGS = st.lists(st.sampled_from([0, 10, 60, 600, 1440]), max_size=3)
STEPS = st.one_of(
    st.tuples(st.just("create_event"), st.fixed_dictionaries(
        {"summary": NAMES, "start": MOMENTS, "end": MOMENTS, "reminders": RINGS})),
    st.tuples(st.just("update_event"), st.fixed_dictionaries({"event_id": IDS}, optional={
        "start": MOMENTS, "end": MOMENTS, "reminders": RINGS,
        "status": st.sampled_from(["confirmed", "cancelled", "tentative"])})),
    st.tuples(st.just("delete_event"), st.fixed_dictionaries({"event_id": IDS})),
    st.tuples(st.just("move"), st.fixed_dictionaries({}, optional={
        "summary": NAMES, "event_id": IDS, "start": MOMENTS.filter(lambda m: m != "x")})),
    st.tuples(st.just("invite"), st.fixed_dictionaries({"summary": NAMES}).map(
        lambda d: {**d, "start": "D+1 10:00", "end": "D+1 11:00"})),
    st.tuples(st.just("shift"), st.fixed_dictionaries({"summary": NAMES, "days": st.integers(-3, 3)}).map(
        lambda d: {**d, "since": "D+0"})),
    st.tuples(st.just("cancel"), st.fixed_dictionaries({"summary": NAMES})),
    st.tuples(st.just("wait"), st.fixed_dictionaries({"seconds": st.integers(1, 40_000)})),
)  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=15))
def test_any_sequence_keeps_the_rules_and_rings_at_the_right_time(
    desk: Any, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    d = desk("calendar")
    d.put("calendar.events", event_id="E1", summary="Team meeting", start="2026-04-18T11:00:00+08:00",
          end="2026-04-18T12:00:00+08:00", reminders=[{"minutes": 60, "method": "popup", "rang_at": None}])  # fmt: skip
    d.put("calendar.events", event_id="E2", summary="Physiotherapy", start="2026-04-20T00:00:00+08:00",
          end="2026-04-21T00:00:00+08:00", all_day=True)  # fmt: skip
    d.start()
    service = d.service("calendar")
    for name, arguments in steps:
        seen = len(d.world.openings)
        promised = sorted(due for event in service.rows("events") for _, due in service._to_ring(event))
        if name == "wait":
            end = d.world.now + arguments["seconds"]
            d.world.run_to(end)
            rung = [opening.time for opening in d.world.openings[seen:]]
            assert rung == [due for due in promised if due <= end]  # each reminder once, at its time
        elif name.endswith("_event"):
            d.outcome(f"calendar.{name}", **arguments)
        else:
            try:
                d.happen(f"calendar.{name}", **arguments)
            except Exception as error:
                assert getattr(error, "code", "") == "bad_time"  # noqa: PT017
        d.check()
    assert d.world.now >= clock.parse_instant("2026-04-17T09:00:00+08:00", "UTC")
