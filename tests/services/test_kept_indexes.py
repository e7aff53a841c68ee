"""Searches keep what they worked out, and never answer from before a change."""

from __future__ import annotations

import datetime as dt
import pickle
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from lifegym.world import World, clock


class Case(NamedTuple):
    """A service with records, what is asked, and what changes; each question is put again after each change."""

    service: str
    fill: Callable[[Any], object]
    questions: list[tuple[str, dict[str, Any]]]
    changes: list[Callable[[Any], object]]


def _maps(maps: Any) -> None:
    maps.city(random.Random(1), "Kanazawa", 36.56, 136.65, count=40)


def _email(email: Any) -> None:
    email.old_mailbox(random.Random(1), threads=10, newsletters=10, receipts=10)


def _calendar(calendar: Any) -> None:
    calendar.busy(random.Random(1))
    calendar.start()


def _notion(notion: Any) -> None:
    notion.notes(random.Random(1), pages=20)
    notion.page(random.Random(2), "Trips", {"": ["all of them"]})
    notion.page(random.Random(3), "Garden trip", {"": ["seeds"]}, parent_title="Trips")
    notion.database(random.Random(4), "Garden budget", {"Name": "title"}, [{"Name": "Spade"}])


def _flights(flights: Any) -> None:
    flights.offers(
        random.Random(1), "Shanghai", "Tokyo", "2026-05-10", 200_000, return_from="2026-05-16", count=40,
        one_way_share=0.5,
    )  # fmt: skip


def _hotels(hotels: Any) -> None:
    hotels.hotels(random.Random(1), "Kanazawa", 12, "JPY", 9_000, 36.56, 136.65, country="Japan")
    hotels.start()


def _rail(rail: Any) -> None:
    for code, name in (("KNZ", "Kanazawa"), ("TYO", "Tokyo")):
        rail.put("stations", code=code, name=name, city=name, zone="Asia/Tokyo")
    rail.timetable(random.Random(1), "TYO", "KNZ", "2026-05-10", "2026-05-11", per_day=4)


def _first(service: Any, kind: str, **fields: Any) -> Any:
    """The first record with these fields."""
    return next(row for row in service.rows(kind) if all(row[key] == value for key, value in fields.items()))


def _change_first(kind: str, key: str, **changes: Any) -> Callable[[Any], object]:
    return lambda service: service.patch(kind, _first(service, kind)[key], **changes)


STAY = {"check_in": "2026-05-10", "check_out": "2026-05-12", "guests": 1}
CASES = [
    Case(
        "maps",
        _maps,
        [("search_places", {"query": query}) for query in ("cafe", "lantrn", "zeppelin hall", "")]
        + [
            ("search_places", {"query": "", "geo": {"lat": 36.56, "lng": 136.65}, "radius_m": 900}),
            ("search_places", {"query": "", "category": "cafes"}),
            ("geocode", {"address": "zeppelin"}),
            ("directions", {"origin": "Zeppelin Hall", "dest": "pl_kanazawa_002"}),
        ],
        [
            _change_first("places", "place_id", name="Zeppelin Hall", aliases=["Lantern"]),
            _change_first("places", "place_id", category="cafe", lat=36.5601, lng=136.6501),
            lambda maps: maps.drop("places", "pl_kanazawa_001"),
        ],
    ),
    Case(
        "email",
        _email,
        [("search_emails", {"query": query}) for query in ("recipt", "zeppelin", "is:flagged", "has:attachment market")]
        + [("search_emails", {"query": "zeppelin", "folder": "Trash"})],
        [
            lambda email: email.put(
                "mails", email_id="m_new", sender="a@b.example", to=["ann@mail.example"], subject="Zeppelin receipt",
                body="", at=email.stamp(),
            ),
            lambda email: email.patch("mails", "m_new", flagged=True),
            lambda email: email.patch("mails", "m_new", folder="Trash"),
            lambda email: email.drop("mails", "m_new"),
        ],
    ),
    Case(
        "calendar",
        _calendar,
        [
            ("search_events", {"query": "zeppelin flight"}),
            ("search_events", {"query": "baloon"}),
            ("search_events", {"query": "meeting", "time_min": "2026-04-01", "time_max": "2026-05-01"}),
            ("list_events", {"time_min": "2026-04-17", "time_max": "2026-04-24"}),
        ],
        [
            lambda calendar: calendar.invite("Zeppelin flight", "2026-04-20T09:00", "2026-04-20T10:00"),
            lambda calendar: calendar.move(summary="Zeppelin flight", start="2026-05-20T09:00"),
            lambda calendar: calendar.edit(summary="Zeppelin flight", new_summary="Balloon meeting"),
            lambda calendar: calendar.cancel(summary="Balloon meeting"),
        ],
    ),
    Case(
        "notion",
        _notion,
        [("post_search", {"query": query}) for query in ("garden", "zeppelin", "gardn", "")]
        + [("post_search", {"query": "zeppelin", "filter": {"property": "object", "value": "database"}})],
        [
            lambda notion: notion.patch("pages", _first(notion, "pages", title="Trips")["id"], in_trash=True),
            lambda notion: notion.patch("databases", _first(notion, "databases")["id"], title="Zeppelin hire"),
            lambda notion: notion.patch("pages", _first(notion, "pages", title="Trips")["id"], in_trash=False),
        ],
    ),
    Case(
        "flight_booking",
        _flights,
        [
            ("search_flights", {"origin": origin, "destination": "Tokyo", "departure_date": "2026-05-10", **more})
            for origin in ("PVG", "Shangai", "Zeppelin Field")
            for more in ({}, {"return_date": "2026-05-16"})
        ],
        [
            _change_first("offers", "offer_id", seats_left=0),
            _change_first("flights", "flight_id", departs="2026-05-10T23:55:00+08:00"),
            _change_first("flights", "flight_id", status="cancelled"),
            lambda flights: flights.patch("airports", "PVG", name="Zeppelin Field"),
        ],
    ),
    Case(
        "hotel_booking",
        _hotels,
        [("search_hotels", {"city_or_geo": place, **STAY}) for place in ("Kanazawa", "zeppelin", "Kanazwa", "Japan")],
        [
            _change_first("hotels", "hotel_id", name="Zeppelin Rooms", city="Kaga"),
            _change_first("rate_plans", "rate_plan_id", amount_minor=100),
            lambda hotels: hotels._sell(_first(hotels, "rate_plans")["rate_plan_id"], ["2026-05-10"], 6),
        ],
    ),
    Case(
        "rail_booking",
        _rail,
        [
            ("search_trains", {"origin": origin, "dest": "Kanazwa", "date": "2026-05-10"})
            for origin in ("Tokyo", "zeppelin field", "zeppelin")
        ],
        [
            _change_first("trains", "train_key", status="cancelled"),
            _change_first("offers", "offer_id", seats_left=0),
            lambda rail: rail.patch("stations", "TYO", aliases=["Zeppelin Field"]),
            lambda rail: rail.drop("trains", _first(rail, "trains")["train_key"]),
        ],
    ),
]  # fmt: skip


def _answers(desk: Any, case: Case) -> list[str]:
    return [desk.outcome(f"{case.service}.{tool}", **arguments).text for tool, arguments in case.questions]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.service)
def test_every_answer_is_that_of_a_world_that_was_never_asked(desk: Any, case: Case) -> None:
    d = desk(case.service)
    case.fill(d.service(case.service))
    before = _answers(d, case)
    for change in case.changes:
        fork = d.world.fork()
        change(d.service(case.service))
        after = _answers(d, case)
        assert after != before, "the change should show in some answer"
        live, d.world = d.world, pickle.loads(pickle.dumps(d.world))
        assert _answers(d, case) == after
        d.world = fork
        assert _answers(d, case) == before, "the fork has not changed"
        d.world, before = live, after


def test_asking_changes_nothing() -> None:
    for case in CASES:
        world = World([case.service], dt.date(2026, 4, 17), "Asia/Shanghai", "u_ann")
        world.now += 9 * clock.HOUR
        service = world.service(case.service)
        case.fill(service)
        before = world.dump(), len(pickle.dumps(world.store))
        for tool, arguments in case.questions:
            if "eppelin" not in str(arguments):
                getattr(service, tool)(**arguments)
        assert (world.dump(), len(pickle.dumps(world.store))) == before
