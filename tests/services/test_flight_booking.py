"""Flights keep their rules: search, holds, tickets, seats, check-in, changes, refunds, disturbances."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import catalogue
from lifegym.services.flight_booking.seats import seat_positions

FAMILY = [
    {"user_id": "u_liwei", "given_name": "Wei", "family_name": "Li"},
    {"user_id": "u_dad", "given_name": "Jianguo", "family_name": "Li"},
    {"user_id": "u_mum", "given_name": "Guilan", "family_name": "Zhao"},
]
CONTACT = {"email": "liwei@mail.example"}
CARD = {"payment_method_id": "card"}
OUT, BACK = "2026-04-27", "2026-05-16"
SUFFIX = {"PVG": "+08:00", "NRT": "+09:00", "KIX": "+09:00", "ICN": "+09:00", "HND": "+09:00"}


def flight(d: Any, number: str, date: str, way: str, leaves: str, lands: str, **fields: Any) -> str:
    """Put a flight; ``lands`` may be a time of the same day or ``YYYY-MM-DD HH:MM``."""
    origin, _, destination = way.partition("-")
    landing = lands if len(lands) > 5 else f"{date} {lands}"
    d.put(
        "flight_booking.flights",
        **{
            "flight_id": f"{number}@{date}",
            "flight_no": number,
            "date": date,
            "carrier": number[:2],
            "carrier_name": {"HD": "Huadong Air", "KS": "Koryo Sky"}[number[:2]],
            "origin": origin,
            "destination": destination,
            "departs": f"{date}T{leaves}:00{SUFFIX[origin]}",
            "arrives": f"{landing.replace(' ', 'T')}:00{SUFFIX[destination]}",
            "equipment": "A321",
            "seat_map": "A321 3-3",
            **fields,
        },
    )
    return f"{number}@{date}"


def offer(d: Any, offer_id: str, outbound: list[str], inbound: list[str], price: int, **fields: Any) -> None:
    d.put(
        "flight_booking.offers",
        **{
            "offer_id": offer_id,
            "outbound": outbound,
            "inbound": inbound,
            "price_adult_minor": price,
            "currency": "CNY",
            "seats_left": 4,
            "valid_until": "2026-04-20T23:59:00+08:00",
            **fields,
        },
    )


@pytest.fixture
def japan(desk: Any) -> Any:
    """The offers of somebody who takes the parents to Japan."""
    d = desk("flight_booking", "banking")
    shop = d.service("flight_booking")
    shop.airports(random.Random(1))
    shop.seat_maps(random.Random(1))
    d.world.table("world.methods").put({"method_id": "card"})
    d.world.table("world.methods").put({"method_id": "main"})
    d.put("banking.accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=500_000)
    there = flight(
        d, "HD521", OUT, "PVG-NRT", "09:35", "13:25", equipment="A350-900", seat_map="A350 3-3-3", taken=["31D", "20A"]
    )
    back = flight(d, "HD730", BACK, "KIX-PVG", "15:40", "17:25")
    late = flight(d, "HD730", "2026-05-17", "KIX-PVG", "15:40", "17:25")
    red_eye = flight(d, "HD525", OUT, "PVG-HND", "02:10", "06:05")
    one, two = (
        flight(d, "KS88", OUT, "PVG-ICN", "11:00", "14:10"),
        flight(d, "KS702", OUT, "ICN-NRT", "19:20", "22:55"),
    )
    three, four = (
        flight(d, "KS703", BACK, "NRT-ICN", "08:00", "10:40"),
        flight(d, "KS87", BACK, "ICN-PVG", "12:00", "13:05"),
    )
    offer(d, "of_521_730", [there], [back], 296_000, fare_note="Names at booking, passports at the desk.")
    offer(d, "of_ks88", [one, two], [three, four], 231_000, refundable=True, cancel_fee_minor=10_000)
    offer(d, "of_525", [red_eye], [back], 254_000)
    offer(d, "of_521_517", [there], [late], 288_000)
    offer(d, "of_single", [there], [], 150_000, change_fee_minor=20_000, valid_until="2026-04-27T09:35:00+08:00")
    offer(d, "of_home", [back], [], 90_000, valid_until="2026-05-16T15:00:00+09:00", seats_left=9)
    offer(d, "of_home_late", [late], [], 120_000, valid_until="2026-05-16T15:00:00+09:00", seats_left=9)
    offer(d, "of_sek", [there], [], 1_200_00, currency="SEK")
    d.start()
    return d


def search(d: Any, origin: str = "PVG", destination: str = "Tokyo", day: str = OUT, **more: Any) -> Any:
    return d.call("flight_booking.search_flights", origin=origin, destination=destination, departure_date=day, **more)


def ids(result: Any) -> list[str]:
    return [row["offer_id"] for row in result["offers"]]


def book(d: Any, offer_id: str = "of_521_730", people: Any = FAMILY, **more: Any) -> Any:
    return d.call("flight_booking.create_booking", **arguments(offer_id, people, **more))


def arguments(offer_id: str = "of_521_730", people: Any = FAMILY, **more: Any) -> dict[str, Any]:
    return {"offer_id": offer_id, "passengers": people, "contact": CONTACT, "payment": CARD, **more}


def refused(d: Any, tool: str, **more: Any) -> str:
    return d.refused(f"flight_booking.{tool}", **more)


def get(d: Any, pnr: str) -> Any:
    return d.call("flight_booking.get_booking", pnr=pnr)


def seats(d: Any, pnr: str, segment: int = 0) -> list[str | None]:
    return [one["seat"] for one in get(d, pnr)["segments"][segment]["passengers"]]


def charges(d: Any, pnr: str) -> list[int]:
    return [row["amount_minor"] for row in d.world.table("world.charges").rows() if row["ref"] == pnr]


def places(d: Any, offer_id: str) -> int:
    return d.service("flight_booking").find("offers", offer_id)["seats_left"]


# -- searching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("PVG", ["PVG"]),
        ("pvg", ["PVG"]),
        ("SHA", ["PVG", "SHA"]),
        ("Shanghai", ["PVG", "SHA"]),
        ("Shangai", ["PVG", "SHA"]),
        ("shanghai, china", ["PVG", "SHA"]),
        ("Shanghai Pudong", ["PVG"]),
        ("Pudong International Airport", ["PVG"]),
        ("上海", ["PVG", "SHA"]),
        ("浦东", ["PVG"]),
        ("Tokyo", ["HND", "NRT"]),
        ("TYO", ["HND", "NRT"]),
        ("tyo", ["HND", "NRT"]),
        ("Tokio", ["HND", "NRT"]),
        ("Tokyoo", ["HND", "NRT"]),
        ("NRT", ["NRT"]),
        ("Narita", ["NRT"]),
        ("Naritta", ["NRT"]),
        ("Tokyo Haneda", ["HND"]),
        ("東京", ["HND", "NRT"]),
        ("osaka", ["ITM", "KIX"]),
        ("Kansai airport", ["KIX"]),
        ("London Heathrow", ["LHR"]),
        ("Göteborg", ["GOT"]),
        ("Düsseldorf", ["DUS"]),
        ("New York", ["EWR", "JFK"]),
        ("Ireland", ["DUB"]),
        ("Kanazwa", ["KMQ"]),
    ],
)
def test_places_are_found_by_what_people_call_them(japan: Any, query: str, codes: list[str]) -> None:
    assert sorted(row["code"] for row in japan.service("flight_booking")._place(query, "origin")) == codes


@pytest.mark.parametrize(
    ("arguments", "first"),
    [
        ({"return_date": BACK}, ["of_ks88", "of_525", "of_521_730"]),
        ({"destination": "TYO", "return_date": BACK}, ["of_ks88", "of_525", "of_521_730"]),
        ({"destination": "Narita", "return_date": BACK}, ["of_ks88", "of_521_730"]),
        ({"destination": "HND", "return_date": BACK}, ["of_525"]),
        ({"origin": "Shangai", "return_date": BACK}, ["of_ks88", "of_525", "of_521_730"]),
        ({"return_date": BACK, "sort": "price_desc"}, ["of_521_730", "of_525", "of_ks88"]),
        ({"return_date": BACK, "sort": "duration_asc"}, ["of_521_730", "of_525", "of_ks88"]),
        ({"return_date": BACK, "sort": "departure_asc"}, ["of_525", "of_521_730", "of_ks88"]),
        ({"return_date": BACK, "non_stop": True}, ["of_525", "of_521_730"]),
        ({"return_date": BACK, "carriers": ["KS"]}, ["of_ks88"]),
        ({"return_date": BACK, "carriers": ["huadong air"]}, ["of_525", "of_521_730"]),
        ({"return_date": "2026-05-17"}, ["of_521_517"]),
        ({}, ["of_single"]),
        ({"currency": "sek"}, ["of_sek"]),
        ({"origin": "Kansai", "destination": "Shanghai", "day": BACK}, ["of_home"]),
        ({"return_date": BACK, "adults": 3, "children": 2}, []),
        ({"cabin": "BUSINESS"}, []),
        ({"origin": "SHA", "destination": "Seoul"}, []),
    ],
)
def test_searches_find(japan: Any, arguments: dict[str, Any], first: list[str]) -> None:
    assert ids(search(japan, **arguments)) == first


def test_a_found_offer_says_what_matters(japan: Any) -> None:
    result = search(japan, return_date=BACK, adults=3)
    seoul, _, own = result["offers"]
    assert (own["price_total_minor"], own["open_jaw"], own["seats_left"]) == (888_000, True, 4)
    assert own["outbound"]["departs"] == "2026-04-27T09:35:00+08:00"
    assert own["outbound"]["arrives"] == "2026-04-27T13:25:00+09:00"
    assert own["outbound"]["duration_minutes"] == 170
    assert (own["inbound"]["from"], own["inbound"]["to"]) == ("KIX", "PVG")
    assert seoul["open_jaw"] is False
    assert seoul["outbound"]["stops"] == 1
    assert "connection_minutes" not in seoul["outbound"]["flights"][0]
    assert seoul["outbound"]["flights"][1]["connection_minutes"] == 310
    assert (result["total"], result["page"], result["pages"]) == (3, 1, 1)


def test_search_pages_and_notes(japan: Any) -> None:
    assert ids(search(japan, return_date=BACK, max_results=2, page=2)) == ["of_521_730"]
    assert "SEK" in search(japan)["note"]
    assert "SEK" in search(japan, currency="EUR")["note"]
    assert "fewer seats" in search(japan, return_date=BACK, adults=9)["note"]
    assert "cabin" in search(japan, cabin="FIRST")["note"]
    assert "no offers" in search(japan, day="2026-04-28")["note"]
    assert "note" not in search(japan, return_date=BACK)


def test_search_refuses(japan: Any) -> None:
    base = {"origin": "PVG", "destination": "NRT", "departure_date": OUT}
    for code, more in [
        ("unknown_place", {"origin": "Qqqqqq"}),
        ("unknown_place", {"destination": "  "}),
        ("same_place", {"destination": "Shanghai"}),
        ("bad_date", {"departure_date": "27.04.2026"}),
        ("bad_date", {"return_date": "2026-04-26"}),
        ("bad_party", {"adults": 5, "children": 5}),
        ("bad_party", {"adults": 1, "infants": 2}),
        ("bad_page", {"max_results": 51}),
        ("bad_page", {"page": 0}),
        ("bad_arguments", {"cabin": "COUCH"}),
        ("bad_arguments", {"adults": 0}),
    ]:
        assert refused(japan, "search_flights", **{**base, **more}) == code, more


def test_offers_that_end_or_lose_a_flight_are_not_found(japan: Any) -> None:
    japan.happen("flight_booking.cancel_flight", flight_no="KS702", date=OUT)
    assert ids(search(japan, return_date=BACK)) == ["of_525", "of_521_730"]
    assert japan.happen("flight_booking.lapse_offer", offer_id="of_525") == ["of_525"]
    assert japan.happen("flight_booking.lapse_offer", offer_id="of_525") == []
    assert japan.happen("flight_booking.lapse_offer", offer_id="of_none") == []
    assert ids(search(japan, return_date=BACK)) == ["of_521_730"]
    japan.until("2026-04-20T23:59:00+08:00")
    assert ids(search(japan, return_date=BACK)) == ["of_521_730"]
    japan.until("2026-04-20T23:59:01+08:00")
    assert ids(search(japan, return_date=BACK)) == []


# -- offers ----------------------------------------------------------------------------------------------------------


def test_an_offer_shows_its_conditions(japan: Any) -> None:
    view = japan.call("flight_booking.get_flight_offer", offer_id="of_ks88")
    assert [(row["segment_idx"], row["flight_no"]) for row in view["segments"]] == [
        (0, "KS88"), (1, "KS702"), (2, "KS703"), (3, "KS87"),
    ]  # fmt: skip
    assert (view["price_adult_minor"], view["price_child_minor"], view["price_infant_minor"]) == (
        231_000,
        173_250,
        23_100,
    )
    assert (view["refundable"], view["cancel_fee_minor"], view["still_valid"]) == (True, 10_000, True)
    assert "price_total_minor" not in view
    assert refused(japan, "get_flight_offer", offer_id="of_x") == "not_found"


def test_pricing_counts_the_party_and_says_whether_it_is_valid(japan: Any) -> None:
    price = japan.call("flight_booking.price_offer", offer_id="of_ks88", adults=2, children=1, infants=1)
    assert price["total_minor"] == 2 * 231_000 + 173_250 + 23_100
    assert price["valid"] is True
    many = japan.call("flight_booking.price_offer", offer_id="of_521_730", adults=5)
    assert (many["valid"], "4 seats" in many["why_not"]) == (False, True)
    japan.until("2026-04-21T00:00:00+08:00")
    late = japan.call("flight_booking.price_offer", offer_id="of_521_730")
    assert (late["valid"], late["total_minor"], "search again" in late["why_not"]) == (False, 296_000, True)
    assert japan.call("flight_booking.get_flight_offer", offer_id="of_521_730")["still_valid"] is False
    assert refused(japan, "price_offer", offer_id="of_x") == "not_found"
    assert refused(japan, "price_offer", offer_id="of_ks88", adults=1, infants=2) == "bad_party"


def test_extras_are_priced_per_way(japan: Any) -> None:
    box = {"code": "equipment", "title": "Sports equipment", "price_minor": 6_000}
    offer(japan, "of_51", ["HD521@2026-04-27"], ["HD730@2026-05-16"], 24_600, extras=[box])
    both, one = [{"code": "equipment"}], [{"code": "equipment", "way": "return", "passenger": 1}]
    assert japan.call("flight_booking.price_offer", offer_id="of_51", extras=both)["total_minor"] == 36_600
    pair = japan.call("flight_booking.price_offer", offer_id="of_51", adults=2, extras=one)
    assert (pair["fare_minor"], pair["extras_minor"]) == (49_200, 6_000)
    for code, extras in [
        ("unknown_extra", [{"code": "piano"}]),
        ("unknown_extra", [{"code": "piano", "way": "return"}]),
        ("unknown_passenger", [{"code": "equipment", "passenger": 1}]),
    ]:
        assert refused(japan, "price_offer", offer_id="of_51", extras=extras) == code
    assert refused(japan, "price_offer", offer_id="of_single", extras=both) == "unknown_extra"
    booking = book(japan, "of_51", FAMILY[:1], extras=both)
    assert booking["price_total_minor"] == 36_600
    assert [row["direction"] for row in booking["extras"]] == ["outbound", "return"]
    assert charges(japan, booking["pnr"]) == [36_600]


# -- booking ---------------------------------------------------------------------------------------------------------


def test_booking_with_seats(japan: Any) -> None:
    japan.until("2026-04-20T08:20:00+08:00")
    booking = book(
        japan,
        seat_selections=[
            {"segment_idx": 0, "passenger": "u_dad", "seat": "31C"},
            {"segment_idx": 0, "passenger": "Zhao Guilan", "seat": "31b"},
            {"segment_idx": 0, "passenger": 0, "seat": "31A"},
        ],
    )
    pnr = booking["pnr"]
    assert (booking["status"], booking["price_total_minor"], booking["paid_minor"]) == ("ticketed", 888_000, 888_000)
    assert seats(japan, pnr) == ["31A", "31C", "31B"]
    assert seats(japan, pnr, 1) == [None] * 3
    assert charges(japan, pnr) == [888_000]
    assert places(japan, "of_521_730") == 1
    assert booking["passengers"][0]["passport_no"] == ""
    assert refused(japan, "create_booking", **arguments(people=FAMILY[:2])) == "sold_out"
    assert japan.call("flight_booking.get_booking", pnr=f" {pnr.lower()} ")["pnr"] == pnr
    japan.check()


def test_every_segment_is_on_a_flight(japan: Any) -> None:
    pnr = book(japan)["pnr"]
    service = japan.service("flight_booking")
    first, *others = service.find("bookings", pnr)["segments"]
    service.patch("bookings", pnr, segments=[{**first, "flight_id": ""}, *others])
    with pytest.raises(AssertionError):
        service.check_invariants()


def test_booking_refuses(japan: Any) -> None:
    def seat(seat: str, who: Any = 0, segment: int = 0) -> dict[str, Any]:
        return {"seat_selections": [{"segment_idx": segment, "passenger": who, "seat": seat}]}

    infant, child = ({"given_name": "Bo", "family_name": "Li", "type": kind} for kind in ("infant", "child"))
    flight(japan, "HD999", OUT, "PVG-NRT", "20:00", "23:50", desk_only=True)
    offer(japan, "of_desk", ["HD999@2026-04-27"], [], 1, hold_hours=0)
    twins = [{"given_name": "An", "family_name": "Li"}] * 2
    cases: list[tuple[str, dict[str, Any]]] = [
        ("not_found", arguments("of_x")),
        ("bad_passenger", arguments(people=[{"given_name": " ", "family_name": "Li"}])),
        ("bad_date", arguments(people=[{**FAMILY[0], "date_of_birth": "1988"}])),
        ("bad_date", arguments(people=[{**FAMILY[0], "date_of_birth": "2026-04-18"}])),
        ("bad_party", arguments(people=[child])),
        ("bad_party", arguments(people=[FAMILY[0], infant, infant])),
        ("bad_contact", arguments(contact={"email": "nobody"})),
        ("bad_contact", arguments(contact={"email": "a@b c"})),
        ("sold_out", arguments(people=FAMILY + FAMILY[:2])),
        ("unknown_extra", arguments(extras=[{"code": "bag"}])),
        ("bad_segment", arguments(**seat("31A", segment=2))),
        ("unknown_passenger", arguments(**seat("31A", who="u_uncle"))),
        ("unknown_passenger", arguments(**seat("31A", who=3))),
        ("unknown_passenger", arguments(**seat("31A", who="9" * 5000))),
        ("unknown_passenger", arguments(people=twins, **seat("31A", who="An Li"))),
        ("no_such_seat", arguments(**seat("31Z"))),
        ("no_such_seat", arguments(**seat("99A"))),
        ("no_such_seat", arguments(**seat("left"))),
        ("seat_not_allowed", arguments(**seat("3A"))),
        ("seat_not_allowed", arguments(people=[FAMILY[0], infant], **seat("31A", who=1))),
        ("seat_not_allowed", arguments(people=[FAMILY[0], child], **seat("42A", who=1))),
        ("seat_taken", arguments(**seat("31D"))),
        ("seat_taken", arguments(seat_selections=seat("31A")["seat_selections"] + seat("31A", 1)["seat_selections"])),
        ("seat_taken", arguments(seat_selections=seat("31A")["seat_selections"] + seat("31B")["seat_selections"])),
        ("desk_only", arguments("of_desk", **seat("20A"))),
        ("hold_not_offered", arguments("of_desk", hold=True)),
        ("unknown_payment_method", arguments(payment={"payment_method_id": "gold"})),
        ("unknown_payment_method", arguments(hold=True, payment={"payment_method_id": "gold"})),
        ("insufficient_funds", arguments(payment={"payment_method_id": "main"})),
        ("currency_mismatch", arguments("of_sek", payment={"payment_method_id": "main"})),
        ("bad_arguments", arguments(people=[])),
    ]
    for code, given_arguments in cases:
        assert refused(japan, "create_booking", **given_arguments) == code, given_arguments
    japan.happen("banking.set_status", account_id="main", status="frozen")
    assert refused(japan, "create_booking", **arguments(payment={"payment_method_id": "main"})) == "account_closed"
    japan.happen("flight_booking.cancel_flight", flight_no="HD521", date=OUT)
    assert refused(japan, "create_booking", **arguments()) == "flight_cancelled"
    japan.until("2026-04-21T00:00:00+08:00")
    assert refused(japan, "create_booking", **arguments()) == "offer_lapsed"


def test_a_refused_charge_uses_up_no_code(japan: Any) -> None:
    first = book(japan, people=FAMILY[:1])["pnr"]
    poor = arguments(people=FAMILY, payment={"payment_method_id": "main"})
    assert refused(japan, "create_booking", **poor) == "insufficient_funds"
    paid = book(japan, people=FAMILY[:1], payment={"payment_method_id": "main"})
    assert paid["pnr"] != first
    assert japan.call("banking.get_account", account_id="main")["balance_minor"] == 500_000 - 296_000


def test_a_departed_flight_ends_its_offer(japan: Any) -> None:
    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, minutes=-30)
    japan.until("2026-04-27T09:10:00+08:00")
    assert refused(japan, "create_booking", **arguments("of_single")) == "offer_lapsed"
    assert ids(search(japan)) == []


# -- holds -----------------------------------------------------------------------------------------------------------


def test_a_hold_charges_nothing_and_gives_everything_back(japan: Any) -> None:
    booking = book(japan, hold=True, seat_selections=[{"segment_idx": 0, "passenger": "u_dad", "seat": "31C"}])
    pnr = booking["pnr"]
    assert (booking["status"], booking["hold_expires_at"]) == ("held", "2026-04-18T09:00:00+08:00")
    assert (charges(japan, pnr), places(japan, "of_521_730")) == ([], 1)
    assert booking["if_cancelled_now"]["refund_minor"] == 0
    taken = [{"segment_idx": 0, "passenger": 0, "seat": "31C"}]
    assert refused(japan, "create_booking", **arguments("of_single", seat_selections=taken)) == "seat_taken"
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "not_ticketed"
    assert refused(japan, "change_booking", pnr=pnr, new_offer_id="of_525") == "not_ticketed"
    japan.until("2026-04-18T08:59:59+08:00")
    assert get(japan, pnr)["status"] == "held"
    japan.until("2026-04-18T09:00:00+08:00")
    assert (get(japan, pnr)["status"], seats(japan, pnr)) == ("expired", [None] * 3)
    assert get(japan, pnr)["segments"][0]["status"] == "cancelled"
    assert places(japan, "of_521_730") == 4
    assert refused(japan, "confirm_hold", pnr=pnr) == "not_held"
    assert refused(japan, "cancel_booking", pnr=pnr) == "not_active"
    assert refused(japan, "select_seat", pnr=pnr, segment_idx=0, passenger=0, seat="31A") == "not_active"
    assert japan.world.openings == []
    japan.check()


def test_a_confirmed_hold_stays_at_its_price(japan: Any) -> None:
    pnr = book(japan, hold=True)["pnr"]
    japan.happen("flight_booking.set_price", offer_id="of_521_730", amount_minor=400_000)
    assert refused(japan, "confirm_hold", pnr="NONE") == "not_found"
    assert refused(japan, "confirm_hold", pnr=pnr, payment={"payment_method_id": "main"}) == "insufficient_funds"
    assert refused(japan, "confirm_hold", pnr=pnr, payment={"payment_method_id": "gold"}) == "unknown_payment_method"
    done = japan.call("flight_booking.confirm_hold", pnr=pnr)
    assert (done["status"], done["paid_minor"], done["hold_expires_at"]) == ("ticketed", 888_000, None)
    assert charges(japan, pnr) == [888_000]
    japan.until("2026-04-19T00:00:00+08:00")
    assert get(japan, pnr)["status"] == "ticketed"
    assert refused(japan, "confirm_hold", pnr=pnr) == "not_held"
    japan.check()


def test_a_hold_ends_with_its_offer_or_flight(japan: Any) -> None:
    japan.until("2026-04-20T12:00:00+08:00")
    assert book(japan, people=FAMILY[:1], hold=True)["hold_expires_at"] == "2026-04-20T23:59:00+08:00"
    japan.until("2026-04-26T12:00:00+08:00")
    held = book(japan, "of_single", FAMILY[:1], hold=True)
    assert held["hold_expires_at"] == "2026-04-27T09:35:00+08:00"
    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, minutes=-60)
    japan.until("2026-04-27T08:35:00+08:00")
    assert get(japan, held["pnr"])["status"] == "expired"
    japan.check()


def test_a_hold_can_be_released_and_a_cancelled_flight_not_be_paid(japan: Any) -> None:
    first, second = book(japan, people=FAMILY[:1], hold=True)["pnr"], book(japan, people=FAMILY[:1], hold=True)["pnr"]
    released = japan.call("flight_booking.cancel_booking", pnr=first)
    assert (released["status"], released["refund_minor"], places(japan, "of_521_730")) == ("cancelled", 0, 3)
    japan.happen("flight_booking.cancel_flight", flight_no="HD730", date=BACK)
    assert refused(japan, "confirm_hold", pnr=second) == "flight_cancelled"
    assert charges(japan, first) == []
    japan.check()


# -- cancelling ------------------------------------------------------------------------------------------------------


def test_refunds_follow_the_fare(japan: Any) -> None:
    saver, flexible = book(japan)["pnr"], book(japan, "of_ks88")["pnr"]
    assert get(japan, saver)["if_cancelled_now"]["refund_minor"] == 0
    assert get(japan, flexible)["if_cancelled_now"]["refund_minor"] == 3 * 221_000
    done = japan.call("flight_booking.cancel_booking", pnr=flexible, reason="too late at night")
    assert (done["refund_minor"], done["refunded_minor"], done["cancel_reason"]) == (
        663_000,
        663_000,
        "too late at night",
    )
    assert charges(japan, flexible) == [693_000, -663_000]
    assert places(japan, "of_ks88") == 4
    assert japan.call("flight_booking.cancel_booking", pnr=saver)["refund_minor"] == 0
    assert charges(japan, saver) == [888_000]
    assert refused(japan, "cancel_booking", pnr=saver) == "not_active"
    assert refused(japan, "cancel_booking", pnr="NONE") == "not_found"
    japan.check()


@pytest.mark.parametrize(("minutes", "refund"), [(180, 0), (181, 888_000), (-181, 888_000)])
def test_a_flight_that_moves_far_may_be_given_back(japan: Any, minutes: int, refund: int) -> None:
    pnr = book(japan)["pnr"]
    japan.happen("flight_booking.delay", flight_no="HD730", date=BACK, minutes=minutes)
    assert get(japan, pnr)["if_cancelled_now"]["refund_minor"] == refund
    assert japan.call("flight_booking.cancel_booking", pnr=pnr)["refund_minor"] == refund


def test_a_late_landing_counts_too_but_only_what_came_after_the_booking(japan: Any) -> None:
    pnr = book(japan, people=FAMILY[:1])["pnr"]
    japan.happen("flight_booking.delay", flight_no="HD730", date=BACK, arrives="2026-05-16T20:50:00+08:00")
    assert get(japan, pnr)["if_cancelled_now"]["refund_minor"] == 296_000
    later = book(japan, people=FAMILY[:1])["pnr"]
    assert get(japan, later)["if_cancelled_now"]["refund_minor"] == 0


def test_the_carriers_cancellation_refunds_what_is_not_flown(japan: Any) -> None:
    pnr = book(japan)["pnr"]
    japan.until("2026-04-28T00:00:00+08:00")
    touched = japan.happen("flight_booking.cancel_flight", flight_no="HD730", date=BACK, note="Crew shortage")
    assert touched == [f"HD730@{BACK}", pnr]
    view = get(japan, pnr)
    assert [row["status"] for row in view["segments"]] == ["flown", "cancelled_by_carrier"]
    assert (view["segments"][1]["flight_status"], view["segments"][1]["note"]) == ("cancelled", "Crew shortage")
    assert view["status"] == "ticketed"
    done = japan.call("flight_booking.cancel_booking", pnr=pnr)
    assert (done["refund_minor"], [row["status"] for row in done["segments"]]) == (
        444_000,
        ["flown", "cancelled_by_carrier"],
    )
    assert places(japan, "of_521_730") == 1
    assert japan.happen("flight_booking.cancel_flight", flight_no="HD730", date=BACK) == []
    japan.check()


def test_refunds_that_the_bank_refuses_change_nothing(japan: Any) -> None:
    paid = {"payment": {"payment_method_id": "main"}}
    pnr = book(japan, "of_ks88", FAMILY[:1], **paid)["pnr"]
    japan.world.table("banking.accounts").patch("main", status="open", currency="EUR")
    assert refused(japan, "cancel_booking", pnr=pnr) == "currency_mismatch"
    japan.world.table("world.methods").drop("main")
    assert refused(japan, "cancel_booking", pnr=pnr) == "unknown_payment_method"


def test_what_is_flown_cannot_be_cancelled(japan: Any) -> None:
    pnr = book(japan, "of_single", FAMILY[:1])["pnr"]
    japan.until("2026-04-27T09:35:00+08:00")
    assert refused(japan, "cancel_booking", pnr=pnr) == "already_flown"
    assert refused(japan, "change_booking", pnr=pnr, new_offer_id="of_home") == "already_flown"
    assert refused(japan, "change_booking", pnr=pnr, new_offer_id="of_home", segment_indices=[0]) == "already_flown"


# -- changing --------------------------------------------------------------------------------------------------------


def test_changing_the_whole_trip(japan: Any) -> None:
    pnr = book(japan, "of_single", FAMILY[:2])["pnr"]
    done = japan.call("flight_booking.change_booking", pnr=pnr, new_offer_id="of_521_730")
    assert (done["fee_minor"], done["charged_minor"]) == (40_000, 40_000 + 2 * 146_000)
    assert (done["offer_id"], done["price_total_minor"], done["change_fee_minor"]) == ("of_521_730", 592_000, 0)
    assert [row["flight_no"] for row in done["segments"]] == ["HD521", "HD730"]
    assert charges(japan, pnr) == [300_000, 332_000]
    assert (places(japan, "of_single"), places(japan, "of_521_730")) == (4, 2)
    # A cheaper trip: the difference of a fare that is not refundable stays with the carrier.
    other = {"payment": {"payment_method_id": "main"}}
    cheaper = japan.call(
        "flight_booking.change_booking", pnr=pnr, new_offer_id="of_ks88", segment_indices=[0, 1], **other
    )
    assert cheaper["payment_method_id"] == "card"
    assert (cheaper["charged_minor"], cheaper["price_total_minor"]) == (0, 462_000)
    # From a refundable one it comes back.
    back = japan.call("flight_booking.change_booking", pnr=pnr, new_offer_id="of_single")
    assert (back["charged_minor"], back["refunded_minor"], len(back["changes"])) == (-162_000, 162_000, 3)
    assert charges(japan, pnr) == [300_000, 332_000, -162_000]
    assert back["changes"][0]["to_flights"] == [f"HD521@{OUT}", f"HD730@{BACK}"]
    japan.check()


def test_changing_one_way_after_the_carrier_moved_it(japan: Any) -> None:
    pnr = book(japan)["pnr"]
    japan.until("2026-05-10T00:00:00+08:00")
    japan.happen("flight_booking.delay", flight_no="HD730", date=BACK, minutes=300)
    done = japan.call("flight_booking.change_booking", pnr=pnr, new_offer_id="of_home_late")
    # Half of 8,880 is given up for 3 x 1,200; the rest comes back, without a fee.
    assert (done["fee_minor"], done["charged_minor"], done["price_total_minor"]) == (0, -84_000, 804_000)
    assert [(row["flight_no"], row["date"], row["direction"]) for row in done["segments"]] == [
        ("HD521", OUT, "outbound"),
        ("HD730", "2026-05-17", "return"),
    ]
    assert done["offer_id"] == "of_521_730"
    japan.check()


def test_a_change_gives_up_extras_of_a_way_that_is_gone(japan: Any) -> None:
    box = {"code": "box", "title": "Box", "price_minor": 5_000}
    offer(japan, "of_box", ["HD521@2026-04-27"], ["HD730@2026-05-16"], 200_000, extras=[box])
    pnr = book(japan, "of_box", FAMILY[:1], extras=[{"code": "box"}])["pnr"]
    done = japan.call("flight_booking.change_booking", pnr=pnr, new_offer_id="of_single")
    assert ([row["direction"] for row in done["extras"]], done["price_total_minor"]) == (["outbound"], 155_000)


def test_changing_refuses(japan: Any) -> None:
    pnr = book(japan, people=FAMILY[:2])["pnr"]
    offer(japan, "of_small", ["HD730@2026-05-17"], [], 1, seats_left=1)
    offer(japan, "of_gone", ["HD730@2026-05-17"], [], 1, valid_until="2026-04-16T00:00:00+08:00")
    offer(japan, "of_dear", ["KS88@2026-04-27"], [], 9_000_000)
    for code, more in [
        ("not_found", {"new_offer_id": "of_x"}),
        ("bad_segment", {"new_offer_id": "of_home", "segment_indices": [2]}),
        ("bad_segment", {"new_offer_id": "of_home", "segment_indices": []}),
        ("route_mismatch", {"new_offer_id": "of_ks88", "segment_indices": [1]}),
        ("route_mismatch", {"new_offer_id": "of_single", "segment_indices": [1]}),
        ("same_offer", {"new_offer_id": "of_521_730"}),
        ("same_offer", {"new_offer_id": "of_home", "segment_indices": [1]}),
        ("sold_out", {"new_offer_id": "of_small", "segment_indices": [1]}),
        ("offer_lapsed", {"new_offer_id": "of_gone", "segment_indices": [1]}),
        ("currency_mismatch", {"new_offer_id": "of_sek"}),
        ("insufficient_funds", {"new_offer_id": "of_dear", "payment": {"payment_method_id": "main"}}),
        ("unknown_payment_method", {"new_offer_id": "of_dear", "payment": {"payment_method_id": "gold"}}),
        ("unknown_payment_method", {"new_offer_id": "of_525", "payment": {"payment_method_id": "gold"}}),
    ]:
        assert refused(japan, "change_booking", **{"pnr": pnr, **more}) == code, more
    assert refused(japan, "change_booking", pnr="NONE", new_offer_id="of_home") == "not_found"
    korea = book(japan, "of_ks88", FAMILY[:1])["pnr"]
    for indices in ([0, 2], [1, 2], [0, 3]):
        assert (
            refused(japan, "change_booking", pnr=korea, new_offer_id="of_single", segment_indices=indices)
            == "bad_segment"
        )
    done = japan.call("flight_booking.change_booking", pnr=korea, new_offer_id="of_single", segment_indices=[0, 1])
    assert [row["flight_no"] for row in done["segments"]] == ["HD521", "KS703", "KS87"]
    japan.happen("flight_booking.cancel_flight", flight_no="KS88", date=OUT)
    assert refused(japan, "change_booking", pnr=pnr, new_offer_id="of_dear") == "flight_cancelled"
    japan.happen("banking.set_status", account_id="main", status="frozen")
    frozen = {"new_offer_id": "of_home_late", "segment_indices": [1], "payment": {"payment_method_id": "main"}}
    japan.happen("flight_booking.set_price", offer_id="of_home_late", amount_minor=900_000)
    assert refused(japan, "change_booking", pnr=pnr, **frozen) == "account_closed"
    japan.check()


# -- seats and check-in ----------------------------------------------------------------------------------------------


def test_positions_in_a_row() -> None:
    assert seat_positions("ABC DEF") == {
        "A": "window", "B": "middle", "C": "aisle", "D": "aisle", "E": "middle", "F": "window",
    }  # fmt: skip
    assert [letter for letter, where in seat_positions("ABC DEG HJK").items() if where == "aisle"] == list("CDGH")
    assert seat_positions("AC DF")["C"] == "aisle"


def test_the_seat_map(japan: Any) -> None:
    pnr = book(japan, seat_selections=[{"segment_idx": 0, "passenger": "u_dad", "seat": "31C"}])["pnr"]
    view = japan.call("flight_booking.get_seat_map", segment_idx=0, pnr=pnr)
    rows = {row["row"]: row for row in view["rows"]}
    assert rows[31]["near_lavatory"] is True
    assert rows[32]["near_lavatory"] is False
    assert rows[42]["exit_row"] is True
    assert rows[31]["free"] == ["31A", "31B", "31E", "31G", "31H", "31J", "31K"]
    assert (view["positions"]["C"], view["letters"], view["cabin"]) == ("aisle", ["ABC DEG HJK"], "ECONOMY")
    assert view["yours"][1] == {"pax_idx": 1, "name": "Jianguo Li", "seat": "31C"}
    assert view["free_total"] == 35 * 9 - 3
    plain = japan.call("flight_booking.get_seat_map", segment_idx=1, offer_id="of_521_730")
    assert (plain["flight_no"], plain["equipment"], "yours" in plain) == ("HD730", "A321", False)
    for code, more in [
        ("bad_reference", {}),
        ("bad_reference", {"pnr": pnr, "offer_id": "of_521_730"}),
        ("not_found", {"pnr": "NONE"}),
        ("not_found", {"offer_id": "of_x"}),
        ("bad_segment", {"pnr": pnr, "segment_idx": 2}),
        ("bad_segment", {"offer_id": "of_single", "segment_idx": -1}),
    ]:
        assert refused(japan, "get_seat_map", **{"segment_idx": 0, **more}) == code


def test_another_aircraft_clears_seats_silently(japan: Any) -> None:
    wishes = [{"segment_idx": 0, "passenger": n, "seat": seat} for n, seat in enumerate(("31A", "31C", "31B"))]
    pnr = book(japan, seat_selections=wishes)["pnr"]
    japan.call("flight_booking.subscribe_flight_status", flight_no="HD521", date=OUT)
    taken = [f"{row}{letter}" for row in range(5, 37) for letter in "ABCDEF" if row not in (14, 22, 30, 33, 36)]
    taken += [f"{row}{letter}" for row in (30, 33, 36) for letter in "ACDEF"]
    taken += ["22A", "22B", "22C", "14D", "14E", "14F", "77X"]
    touched = japan.happen(
        "flight_booking.swap_equipment",
        flight_no="HD521", date=OUT, equipment="A321", seat_map="A321 3-3", clear_seats=True, taken=taken,
        equipment_note="hold door 86 cm",
    )  # fmt: skip
    assert touched == [f"HD521@{OUT}", pnr]
    assert japan.world.openings == []
    view = get(japan, pnr)["segments"][0]
    assert (view["equipment"], view["equipment_note"], view["flight_status"]) == (
        "A321",
        "hold door 86 cm",
        "scheduled",
    )
    assert seats(japan, pnr) == [None] * 3
    status = japan.call("flight_booking.get_flight_status", flight_no="HD521", date=OUT)
    assert (status["equipment"], status["equipment_note"]) == ("A321", "hold door 86 cm")
    rows = {row["row"]: row for row in japan.call("flight_booking.get_seat_map", segment_idx=0, pnr=pnr)["rows"]}
    assert (rows[22]["free"], rows[22]["near_lavatory"]) == (["22D", "22E", "22F"], True)
    assert (rows[14]["free"], rows[14]["near_lavatory"]) == (["14A", "14B", "14C"], False)
    assert rows[31]["free"] == []

    # Check-in opens 24 hours before: at 09:40 on the day before a departure at 09:35.
    japan.until("2026-04-26T09:34:59+08:00")
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "checkin_not_open"
    japan.until("2026-04-26T09:40:00+08:00")
    fork = japan.world.fork()
    done = japan.call(
        "flight_booking.check_in",
        pnr=pnr,
        segment_idx=0,
        preferred_seats=[
            {"passenger": "u_dad", "seat": "22D"},
            {"passenger": "u_mum", "seat": "22E"},
            {"passenger": "Li Wei", "seat": "22F"},
        ],
    )
    assert [row["checked_in"] for row in done["segment"]["passengers"]] == [True] * 3
    assert seats(japan, pnr) == ["22F", "22D", "22E"]
    japan.check()
    # Without wishes the party is scattered, from the back.
    japan.world = fork
    japan.call("flight_booking.check_in", pnr=pnr, segment_idx=0)
    assert seats(japan, pnr) == ["36B", "33B", "30B"]
    japan.check()


def test_a_swap_that_clears_only_what_is_gone(japan: Any) -> None:
    wishes = [{"segment_idx": 0, "passenger": n, "seat": seat} for n, seat in enumerate(("31A", "31J", "31B"))]
    pnr = book(japan, seat_selections=wishes)["pnr"]
    swap = {"flight_no": "hd 521", "date": OUT, "equipment": "A321", "seat_map": "A321 3-3"}
    japan.happen("flight_booking.swap_equipment", **swap, clear_seats=False)
    assert seats(japan, pnr) == ["31A", None, "31B"]
    assert japan.service("flight_booking").find("flights", f"HD521@{OUT}")["taken"] == ["31D", "20A"]
    japan.happen("flight_booking.swap_equipment", **swap, clear_seats=False, taken=["31B"])
    assert seats(japan, pnr) == ["31A", None, None]
    assert japan.happen("flight_booking.swap_equipment", **{**swap, "seat_map": "none"}) == []
    assert japan.happen("flight_booking.swap_equipment", **{**swap, "flight_no": "HD1"}) == []
    japan.check()


def test_check_in_keeps_chosen_seats_and_scatters_the_others(japan: Any) -> None:
    pnr = book(japan, seat_selections=[{"segment_idx": 0, "passenger": 1, "seat": "54C"}])["pnr"]
    japan.until("2026-04-26T10:00:00+08:00")
    for code, more in [
        ("not_found", {"pnr": "NONE"}),
        ("bad_segment", {"segment_idx": 2}),
        ("checkin_not_open", {"segment_idx": 1}),
        ("unknown_passenger", {"pax_indices": [3]}),
        ("unknown_passenger", {"pax_indices": [0], "preferred_seats": [{"passenger": 1, "seat": "40A"}]}),
        ("unknown_passenger", {"preferred_seats": [{"passenger": "Mr Nobody", "seat": "40A"}]}),
        ("seat_taken", {"preferred_seats": [{"passenger": 0, "seat": "54C"}]}),
        ("seat_taken", {"preferred_seats": [{"passenger": 0, "seat": "20A"}]}),
        ("no_such_seat", {"preferred_seats": [{"passenger": 0, "seat": "54Z"}]}),
        ("seat_not_allowed", {"preferred_seats": [{"passenger": 0, "seat": "3A"}]}),
        ("bad_arguments", {"pax_indices": []}),
    ]:
        assert refused(japan, "check_in", **{"pnr": pnr, "segment_idx": 0, **more}) == code, more
    japan.call("flight_booking.check_in", pnr=pnr, segment_idx=0, pax_indices=[1, 1])
    assert [one["checked_in"] for one in get(japan, pnr)["segments"][0]["passengers"]] == [False, True, False]
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0, pax_indices=[1]) == "already_checked_in"
    japan.call("flight_booking.check_in", pnr=pnr, segment_idx=0)
    assert seats(japan, pnr) == ["53B", "54C", "52B"]
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "already_checked_in"
    japan.until("2026-04-27T08:35:00+08:00")
    japan.call("flight_booking.select_seat", pnr=pnr, segment_idx=0, passenger="u_mum", seat="54B")
    assert seats(japan, pnr) == ["53B", "54C", "54B"]
    japan.until("2026-04-27T08:35:01+08:00")
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "checkin_closed"
    assert refused(japan, "select_seat", pnr=pnr, segment_idx=0, passenger=0, seat="54A") == "checkin_closed"
    japan.check()


def test_passengers_may_exchange_seats_at_check_in(japan: Any) -> None:
    wishes = [{"segment_idx": 0, "passenger": n, "seat": seat} for n, seat in enumerate(("31A", "31B", "31C"))]
    pnr = book(japan, seat_selections=wishes)["pnr"]
    japan.until("2026-04-26T10:00:00+08:00")
    swap = [{"passenger": 0, "seat": "31B"}, {"passenger": 1, "seat": "31A"}]
    japan.call("flight_booking.check_in", pnr=pnr, segment_idx=0, preferred_seats=swap)
    assert seats(japan, pnr) == ["31B", "31A", "31C"]
    japan.check()


def test_children_and_infants_on_board(japan: Any) -> None:
    people = [
        FAMILY[0],
        {"given_name": "Bo", "family_name": "Li", "type": "child", "date_of_birth": "2019-01-01"},
        {"given_name": "Cy", "family_name": "Li", "type": "infant", "assistance": "cot"},
    ]
    booking = book(japan, "of_single", people)
    assert booking["price_total_minor"] == 150_000 + 112_500 + 15_000
    assert places(japan, "of_single") == 2
    full = [f"{row}{letter}" for row in range(20, 55) for letter in "ABCDEGHJK" if row not in (42, 50)]
    japan.happen(
        "flight_booking.swap_equipment",
        flight_no="HD521", date=OUT, equipment="A350-900", seat_map="A350 3-3-3", taken=full,
    )  # fmt: skip
    japan.until("2026-04-26T12:00:00+08:00")
    japan.call("flight_booking.check_in", pnr=booking["pnr"], segment_idx=0)
    assert seats(japan, booking["pnr"]) == ["50B", "50E", None]
    assert [one["checked_in"] for one in get(japan, booking["pnr"])["segments"][0]["passengers"]] == [True] * 3
    japan.check()


def test_a_full_cabin_and_a_desk(japan: Any) -> None:
    pnr = book(japan, "of_single", FAMILY)["pnr"]
    full = [f"{row}{letter}" for row in range(20, 55) for letter in "ABCDEGHJK"][2:]
    japan.happen(
        "flight_booking.swap_equipment",
        flight_no="HD521", date=OUT, equipment="A350-900", seat_map="A350 3-3-3", taken=full,
    )  # fmt: skip
    japan.until("2026-04-26T12:00:00+08:00")
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "no_seat_free"
    japan.world.table("flight_booking.flights").patch(f"HD521@{OUT}", desk_only=True)
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "desk_only"
    assert refused(japan, "select_seat", pnr=pnr, segment_idx=0, passenger=0, seat="20A") == "desk_only"
    japan.happen("flight_booking.cancel_flight", flight_no="HD521", date=OUT)
    assert refused(japan, "check_in", pnr=pnr, segment_idx=0) == "flight_cancelled"
    assert refused(japan, "select_seat", pnr=pnr, segment_idx=0, passenger=0, seat="20A") == "flight_cancelled"


def test_selecting_a_seat(japan: Any) -> None:
    pnr = book(japan, "of_single", [*FAMILY, {"given_name": "Cy", "family_name": "Li", "type": "infant"}])["pnr"]
    done = japan.call("flight_booking.select_seat", pnr=pnr, segment_idx=0, passenger="u_dad", seat=" 31c ")
    assert done["segment"]["passengers"][1]["seat"] == "31C"
    japan.call("flight_booking.select_seat", pnr=pnr, segment_idx=0, passenger="1", seat="31C")
    for code, more in [
        ("not_found", {"pnr": "NONE"}),
        ("bad_segment", {"segment_idx": 1}),
        ("unknown_passenger", {"passenger": 7}),
        ("no_such_seat", {"seat": "0A"}),
        ("seat_not_allowed", {"seat": "3A"}),
        ("seat_not_allowed", {"seat": "31A", "passenger": "Cy Li"}),
        ("seat_taken", {"seat": "31C"}),
    ]:
        assert (
            refused(japan, "select_seat", **{"pnr": pnr, "segment_idx": 0, "passenger": 0, "seat": "31A", **more})
            == code
        ), more
    japan.check()


# -- flights -------------------------------------------------------------------------------------------------------


def test_flights_leave_and_land_by_the_clock(japan: Any) -> None:
    pnr = book(japan)["pnr"]

    def status(number: str, date: str) -> str:
        return japan.call("flight_booking.get_flight_status", flight_no=number, date=date)["status"]

    japan.until("2026-04-27T09:34:59+08:00")
    assert status("HD521", OUT) == "scheduled"
    japan.until("2026-04-27T09:35:00+08:00")
    assert status("HD521", OUT) == "departed"
    assert [row["status"] for row in get(japan, pnr)["segments"]] == ["flown", "confirmed"]
    assert refused(japan, "select_seat", pnr=pnr, segment_idx=0, passenger=0, seat="31A") == "checkin_closed"
    japan.until("2026-04-27T13:25:00+09:00")
    assert status("hd-521", OUT) == "arrived"
    for verb, more in [
        ("delay", {"minutes": 5}),
        ("cancel_flight", {}),
        ("set_gate", {"gate": "D1"}),
        ("swap_equipment", {"equipment": "E190", "seat_map": "E190 2-2"}),
    ]:
        assert japan.happen(f"flight_booking.{verb}", flight_no="HD521", date=OUT, **more) == []
    japan.until("2026-05-16T18:00:00+08:00")
    assert [row["status"] for row in get(japan, pnr)["segments"]] == ["flown", "flown"]
    assert get(japan, pnr)["status"] == "ticketed"
    japan.check()


def test_a_delay_moves_departure_landing_and_check_in(japan: Any) -> None:
    pnr = book(japan)["pnr"]
    touched = japan.happen(
        "flight_booking.delay",
        flight_no="HD730", date=BACK, departs="2026-05-16T19:05:00+09:00", arrives="2026-05-16T20:50:00+08:00",
        note="1,500 JPY meal credit a passenger",
    )  # fmt: skip
    assert touched == [f"HD730@{BACK}", pnr]
    assert japan.world.openings == []
    status = japan.call("flight_booking.get_flight_status", flight_no="HD730", date=BACK)
    assert (status["status"], status["delay_minutes"]) == ("delayed", 205)
    assert status["departs"] == "2026-05-16T19:05:00+09:00"
    assert status["arrives"] == "2026-05-16T20:50:00+08:00"
    assert status["scheduled_departs"] == "2026-05-16T15:40:00+09:00"
    assert status["note"] == "1,500 JPY meal credit a passenger"
    segment = get(japan, pnr)["segments"][1]
    assert (segment["departs"], segment["checkin_opens_at"]) == (status["departs"], "2026-05-15T19:05:00+09:00")
    japan.until("2026-05-16T15:40:00+09:00")
    assert get(japan, pnr)["segments"][1]["status"] == "confirmed"
    japan.until("2026-05-16T19:05:00+09:00")
    assert get(japan, pnr)["segments"][1]["status"] == "flown"
    japan.check()


def test_delays_by_minutes_and_back(japan: Any) -> None:
    def state() -> tuple[str, str, str]:
        row = japan.call("flight_booking.get_flight_status", flight_no="HD521", date=OUT)
        return row["status"], row["departs"][11:16], row["arrives"][11:16]

    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, minutes=40)
    assert state() == ("delayed", "10:15", "14:05")
    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, minutes=-40)
    assert state() == ("on_time", "09:35", "13:25")
    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, departs="2026-04-27T08:55:00+08:00")
    assert state() == ("rescheduled", "08:55", "12:45")
    japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, arrives="2026-04-27T13:40:00+09:00")
    assert state() == ("delayed", "08:55", "13:40")
    with pytest.raises(ValueError, match="before it departs"):
        japan.happen("flight_booking.delay", flight_no="HD521", date=OUT, arrives="2026-04-27T09:00:00+09:00")
    assert japan.happen("flight_booking.delay", flight_no="HD521", date="2026-04-28", minutes=1) == []
    assert refused(japan, "get_flight_status", flight_no="HD521", date="27 April") == "bad_date"
    assert refused(japan, "get_flight_status", flight_no="HD1", date=OUT) == "not_found"
    missing = japan.outcome("flight_booking.get_flight_status", flight_no="HD521", date="2026-04-28")
    assert "it leaves on 2026-04-27" in missing.result["error"]["message"]
    japan.check()


def test_subscribers_hear_of_status_and_gate(japan: Any) -> None:
    made = japan.call("flight_booking.subscribe_flight_status", flight_no="HD730", date=BACK)
    again = japan.call(
        "flight_booking.subscribe_flight_status",
        flight_no="HD 730", date=BACK, sink="webhook", webhook_url="https://hook.example/1",
    )  # fmt: skip
    assert (again["subscription_id"], again["sink"]) == (made["subscription_id"], "webhook")
    japan.happen("flight_booking.set_gate", flight_no="HD730", date=BACK, gate="D71")
    japan.happen("flight_booking.set_gate", flight_no="HD521", date=OUT, gate="A1")
    japan.happen("flight_booking.delay", flight_no="HD730", date=BACK, minutes=205, note="Late aircraft")
    opened = [(row.kind, row.text) for row in japan.world.openings]
    assert [kind for kind, _ in opened] == ["alert", "alert"]
    assert "on time" in opened[0][1]
    assert "Gate D71" in opened[0][1]
    assert "delayed" in opened[1][1]
    assert "Late aircraft" in opened[1][1]
    japan.until("2026-05-16T21:00:00+08:00")
    assert [row.text.splitlines()[0] for row in japan.world.openings[2:]] == [
        "HD730 on 2026-05-16: departed",
        "HD730 on 2026-05-16: arrived",
    ]
    assert japan.happen("flight_booking.set_gate", flight_no="HD1", date=BACK, gate="D71") == []


def test_subscribing_refuses(japan: Any) -> None:
    base = {"flight_no": "HD521", "date": OUT}
    for code, more in [
        ("bad_date", {"date": "soon"}),
        ("not_found", {"flight_no": "HD512"}),
        ("bad_sink", {"sink": "fax"}),
        ("bad_sink", {"sink": "webhook"}),
        ("bad_sink", {"webhook_url": "ftp://x"}),
    ]:
        assert refused(japan, "subscribe_flight_status", **{**base, **more}) == code
    japan.happen("flight_booking.cancel_flight", **base)
    assert refused(japan, "subscribe_flight_status", **base) == "flight_over"


def test_topics_are_told(japan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(type(japan.world), "emit", lambda self, topic, **data: told.append((topic, data)))
    monkeypatch.setattr(type(japan.world), "listening", lambda self, topic: True)
    assert japan.happen("flight_booking.set_price", offer_id="of_ks88", amount_minor=198_000) == ["of_ks88"]
    japan.happen("flight_booking.cancel_flight", flight_no="HD730", date=BACK)
    [(price, first), (status, second)] = told
    assert (price, first["ref"], first["amount_minor"], first["currency"]) == ("price", "of_ks88", 198_000, "CNY")
    assert (status, second["source"], second["ref"], second["status"]) == (
        "status", "flight_booking", f"HD730@{BACK}", "cancelled",
    )  # fmt: skip
    assert "HD730" in second["title"]


def test_fares_change_for_those_who_have_not_booked(japan: Any) -> None:
    pnr = book(japan, "of_ks88", FAMILY[:1])["pnr"]
    japan.happen("flight_booking.set_price", offer_id="of_ks88", amount_minor=198_000)
    assert search(japan, return_date=BACK)["offers"][0]["price_total_minor"] == 198_000
    assert get(japan, pnr)["price_total_minor"] == 231_000
    assert japan.happen("flight_booking.set_seats_left", offer_id="of_ks88", seats_left=1) == ["of_ks88"]
    assert refused(japan, "create_booking", **arguments("of_ks88", FAMILY[:2])) == "sold_out"
    assert japan.happen("flight_booking.set_price", offer_id="of_x", amount_minor=1) == []
    assert japan.happen("flight_booking.set_seats_left", offer_id="of_x", seats_left=1) == []


# -- what is there at the start --------------------------------------------------------------------------------------


def test_bookings_from_before_the_window(japan: Any) -> None:
    old = flight(japan, "HD512", "2024-05-02", "PVG-KIX", "10:00", "13:10")
    aloft = flight(japan, "HD600", "2026-04-17", "PVG-NRT", "08:30", "12:20", status="departed")
    dead = flight(japan, "HD601", "2026-04-18", "PVG-NRT", "08:30", "12:20", status="cancelled")
    person = {"given_name": "Ann", "family_name": "Lee"}
    common = {
        "user_id": "u_ann", "contact": {"email": "Ann@mail.example"}, "currency": "CNY", "price_total_minor": 496_000,
        "passengers": [{**person, "user_id": "u_ann"}, {**person, "user_id": "u_ed"}],
    }  # fmt: skip
    for pnr, flight_id, more in [
        ("OLD24", old, {"status": "ticketed", "created_at": "2024-03-01T10:00:00+08:00"}),
        ("QX7T2", dead, {"status": "ticketed", "created_at": "2026-04-01T10:00:00+08:00"}),
        ("AIR01", aloft, {"status": "ticketed", "created_at": "2026-04-02T10:00:00+08:00"}),
        (
            "HELD1",
            f"HD730@{BACK}",
            {
                "status": "held",
                "created_at": "2026-04-16T10:00:00+08:00",
                "hold_expires_at": "2026-04-18T10:00:00+08:00",
            },
        ),
    ]:
        japan.put("flight_booking.bookings", pnr=pnr, segments=[{"flight_id": flight_id}], **common, **more)
    japan.start()
    japan.check()
    assert get(japan, "OLD24")["segments"][0]["status"] == "flown"
    assert get(japan, "AIR01")["segments"][0]["status"] == "flown"
    assert [one["user_id"] for one in get(japan, "OLD24")["segments"][0]["passengers"]] == ["u_ann", "u_ed"]
    cancelled = japan.call("flight_booking.cancel_booking", pnr="QX7T2")
    assert (cancelled["refund_minor"], charges(japan, "QX7T2")) == (496_000, [])
    japan.until("2026-04-18T10:00:00+08:00")
    assert get(japan, "HELD1")["status"] == "expired"
    assert japan.call("flight_booking.get_flight_status", flight_no="HD600", date="2026-04-17")["status"] == "arrived"

    def listed(**more: Any) -> list[str]:
        return [row["pnr"] for row in japan.call("flight_booking.list_bookings", **more)["bookings"]]

    assert listed() == ["HELD1", "AIR01", "QX7T2", "OLD24"]
    assert listed(user_id="u_ed", status="ticketed") == ["AIR01", "OLD24"]
    assert listed(user_id="u_zoe") == []
    assert listed(email="ann@MAIL.example", page=2, page_size=3) == ["OLD24"]
    assert listed(email="x@y.example") == []
    row = japan.call("flight_booking.list_bookings", status="expired")["bookings"][0]
    assert (row["flights"], row["passengers"]) == ([f"HD730@{BACK}"], ["Ann Lee", "Ann Lee"])
    assert refused(japan, "list_bookings", page=0) == "bad_page"
    assert refused(japan, "get_booking", pnr="NOPE") == "not_found"
    japan.check()


def test_times_are_shown_by_the_airports_clocks(japan: Any) -> None:
    flight(japan, "HD900", "2026-05-01", "KIX-PVG", "10:00", "12:00", departs="2026-05-01T09:00:00+08:00")
    japan.start()
    status = japan.call("flight_booking.get_flight_status", flight_no="HD900", date="2026-05-01")
    assert status["departs"] == "2026-05-01T10:00:00+09:00"


# -- generators ------------------------------------------------------------------------------------------------------


def generated(desk: Any, seed: int = 7, **more: Any) -> Any:
    d = desk("flight_booking")
    d.service("flight_booking").offers(
        random.Random(seed),
        **{
            "origin": "Shanghai", "destination": "Tokyo", "date_from": "2026-04-26", "date_to": "2026-04-28",
            "return_from": "2026-05-15", "return_to": "2026-05-17", "base_price_minor": 240_000, "count": 400, **more,
        },
    )  # fmt: skip
    d.start()
    return d


def test_generated_offers_are_believable(desk: Any) -> None:
    d = generated(desk)
    d.check()
    shop = d.service("flight_booking")
    assert len(shop.rows("offers")) == 400
    page = search(d, "Shanghai", "Tokyo", return_date=BACK)
    assert page["total"] > 20
    assert len(page["offers"]) == 20
    totals = [row["price_total_minor"] for row in page["offers"]]
    assert totals == sorted(totals)
    assert totals[0] >= 240_000
    assert {row["outbound"]["stops"] for row in page["offers"]} == {0, 1}
    assert all(150 <= row["outbound"]["duration_minutes"] <= 1200 for row in page["offers"])
    connections = [
        leg["connection_minutes"]
        for row in page["offers"]
        for leg in row["outbound"]["flights"]
        if "connection_minutes" in leg
    ]
    assert min(connections) >= 50
    assert search(d, "Shanghai", "Tokyo")["total"] > 5
    for row in shop.rows("offers"):
        assert shop.seconds(row["valid_until"]) < shop.seconds(shop.find("flights", row["outbound"][0])["departs"])
    assert d.world.dump() == generated(desk).world.dump()
    assert d.world.dump() != generated(desk, seed=8).world.dump()
    taken = {}
    for row in shop.rows("flights"):
        assert taken.setdefault(row["flight_no"], row["taken"]) is row["taken"]


def test_generators_leave_alone_what_is_there(desk: Any) -> None:
    d = desk("flight_booking")
    d.put("flight_booking.airports", code="PVG", city="Shanghai", country="China", zone="Asia/Shanghai", name="Mine")
    d.put("flight_booking.airports", code="QQQ", city="Nowhere", country="China", zone="Asia/Shanghai")
    d.put(
        "flight_booking.seat_maps",
        name="A321 3-3",
        cabins=[{"cabin": "ECONOMY", "first_row": 1, "last_row": 9, "letters": "ABC DEF"}],
    )
    shop = d.service("flight_booking")
    offers = {"origin": "Pudong", "destination": "Nowhere", "date_from": OUT, "base_price_minor": 900}
    for carriers in ({"ZZ": "Zed"}, {"ZZ": "Zed"}, None):
        shop.offers(random.Random(3), **{**offers, "origin": "Haneda"}, count=30, cabin="BUSINESS", carriers=carriers)
    assert shop.find("airports", "PVG")["name"] == "Mine"
    assert len(shop.find("seat_maps", "A321 3-3")["cabins"]) == 1
    assert len(shop.rows("offers")) == 90
    assert all(not row["inbound"] for row in shop.rows("offers"))
    for row in shop.rows("flights"):
        cabins = [part["cabin"] for part in shop.find("seat_maps", row["seat_map"])["cabins"]]
        assert "BUSINESS" in cabins
    d.start()
    d.check()


def test_every_tool_is_documented() -> None:
    reference = {
        "cancel_booking", "change_booking", "check_in", "create_booking", "get_booking", "get_flight_offer",
        "get_flight_status", "get_seat_map", "list_bookings", "price_offer", "search_flights",
        "subscribe_flight_status",
    }  # fmt: skip
    tools = catalogue.tools_of("flight_booking")
    assert reference | {"confirm_hold", "select_seat"} == set(tools)
    for spec in tools.values():
        assert spec.docs.returns
        assert set(spec.docs.args) == set(spec.schema["properties"]), spec.name
        assert spec.schema["required"] == [
            name for name in spec.schema["properties"] if name in spec.schema["required"]
        ]


# -- anything in any order -------------------------------------------------------------------------------------------

NUMBER = st.sampled_from([("HD521", OUT), ("HD730", BACK), ("KS88", OUT), ("KS703", BACK)])
OFFER = st.sampled_from(["of_521_730", "of_ks88", "of_single", "of_home", "of_525", "of_home_late"])
SEAT = st.sampled_from(["31A", "31C", "22D", "36B", "20A", "3A", "14F"])
STEP = st.one_of(
    st.tuples(st.just("book"), OFFER, st.integers(1, 3), st.booleans(), SEAT),
    st.tuples(st.just("confirm_hold"), st.integers(0, 4)),
    st.tuples(st.just("cancel_booking"), st.integers(0, 4)),
    st.tuples(st.just("change_booking"), st.integers(0, 4), OFFER, st.sampled_from([None, [0], [1], [0, 1]])),
    st.tuples(st.just("select_seat"), st.integers(0, 4), st.integers(0, 1), st.integers(0, 2), SEAT),
    st.tuples(st.just("check_in"), st.integers(0, 4), st.integers(0, 1)),
    st.tuples(st.just("delay"), NUMBER, st.integers(-300, 300)),
    st.tuples(st.just("cancel_flight"), NUMBER),
    st.tuples(st.just("swap"), NUMBER, st.booleans(), st.lists(SEAT, max_size=3)),
    st.tuples(st.just("set_price"), OFFER, st.integers(0, 400_000)),
    st.tuples(st.just("set_seats_left"), OFFER, st.integers(0, 9)),
    st.tuples(st.just("wait"), st.sampled_from([3600, 86_400, 8 * 86_400])),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, min_size=4, max_size=14))
def test_any_sequence_keeps_the_invariants(japan: Any, steps: list[Any]) -> None:
    original = japan.world
    japan.world = original.fork()
    try:
        for step in steps:
            take(japan, *step)
            japan.check()
        for row in japan.service("flight_booking").rows("bookings"):
            assert sum(charges(japan, row["pnr"])) == row["paid_minor"] - row["refunded_minor"]
    finally:
        japan.world = original


def take(d: Any, verb: str, *details: Any) -> None:
    """Carry out one step, which may be refused but then changes nothing."""
    pnrs = [row["pnr"] for row in d.service("flight_booking").rows("bookings")] or ["NONE"]
    before = d.world.dump()
    outcome = None
    if verb == "book":
        offer_id, people, hold, seat = details
        wish = [{"segment_idx": 0, "passenger": 0, "seat": seat}]
        more = arguments(offer_id, FAMILY[:people], hold=hold, seat_selections=wish)
        outcome = d.outcome("flight_booking.create_booking", **more)
    elif verb == "wait":
        d.world.run_to(d.world.now + details[0])
    elif verb == "delay":
        number, minutes = details
        d.happen("flight_booking.delay", flight_no=number[0], date=number[1], minutes=minutes)
    elif verb == "cancel_flight":
        d.happen("flight_booking.cancel_flight", flight_no=details[0][0], date=details[0][1])
    elif verb == "swap":
        number, clear, taken = details
        d.happen(
            "flight_booking.swap_equipment",
            flight_no=number[0], date=number[1], equipment="A321", seat_map="A321 3-3", clear_seats=clear, taken=taken,
        )  # fmt: skip
    elif verb == "set_price":
        d.happen("flight_booking.set_price", offer_id=details[0], amount_minor=details[1])
    elif verb == "set_seats_left":
        d.happen("flight_booking.set_seats_left", offer_id=details[0], seats_left=details[1])
    else:
        names = {
            "confirm_hold": (), "cancel_booking": (), "change_booking": ("new_offer_id", "segment_indices"),
            "select_seat": ("segment_idx", "passenger", "seat"), "check_in": ("segment_idx",),
        }[verb]  # fmt: skip
        more = dict(zip(names, details[1:], strict=True))
        outcome = d.outcome(f"flight_booking.{verb}", pnr=pnrs[details[0] % len(pnrs)], **more)
    if outcome is not None and not outcome.ok:
        assert d.world.dump() == before


def test_a_round_trip_returns_from_the_same_country_to_where_it_began(japan: Any) -> None:
    there = "HD521@2026-04-27"
    elsewhere = flight(japan, "KS90", BACK, "NRT-ICN", "09:00", "11:40")
    abroad = flight(japan, "KS91", BACK, "ICN-PVG", "14:00", "15:05")
    again = flight(japan, "KS92", BACK, "HND-PVG", "14:00", "16:05")
    offer(japan, "of_to_seoul", [there], [elsewhere], 1_000)
    offer(japan, "of_from_seoul", [there], [abroad], 1_100)
    offer(japan, "of_again", [there], [again], 1_200)
    found = ids(search(japan, return_date=BACK))
    assert found[0] == "of_again"
    assert {"of_to_seoul", "of_from_seoul"}.isdisjoint(found)
    japan.happen("flight_booking.cancel_flight", flight_no="KS92", date=BACK)
    assert "of_again" not in ids(search(japan, return_date=BACK))
