"""Merchants keep their hours, tables and terms; reviews count; the timeline moves what it says."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.world import clock

DAILY = {day: ["12:00-15:00", "18:00-23:00"] for day in ("tue", "wed", "thu", "fri", "sat", "sun")}
ALL_DAY = {day: ["09:00-18:00"] for day in ("mon", "tue", "wed", "thu", "fri")}


def _merchant(d: Any, merchant_id: str, name: str, city: str, category: str = "restaurant", **fields: Any) -> None:
    given_fields = {"rating": 4.0, "review_count": 20, "currency": "GEL", "hours": DAILY, "phone": "555-0100", **fields}
    d.put("review_platform.merchants", merchant_id=merchant_id, name=name, city=city, category=category, **given_fields)


def _town(d: Any) -> Any:
    _merchant(
        d, "m_saamo", "Saamo Garden", "Tbilisi", area="Sololaki", rating=4.6, review_count=210, max_party=20, seats=24,
        zone="Asia/Tbilisi", attributes=["ramp", "walnut-free kitchen on request"], per_person_minor=6800,
        standing_answers={"walnut": "Yes, tell us a day before."}, group_from=10, group_terms="One menu for all.",
        aliases=["საამო"], tags=["georgian"],
    )  # fmt: skip
    _merchant(
        d, "m_saamo_b", "Saamo Garden", "Batumi", rating=4.8, tags=["georgian"], zone="Asia/Tbilisi",
        per_person_minor=5000,
    )  # fmt: skip
    _merchant(
        d, "m_vake", "Vake Cellar", "Tbilisi", area="Vake", rating=4.7, attributes=["14 steps"], price_band="$",
        zone="Asia/Tbilisi", per_person_minor=4200,
    )  # fmt: skip
    _merchant(
        d, "m_mill", "Mill House", "Kassel", "venue", currency="EUR", zone="Europe/Berlin", seats=24, max_party=24,
        tags=["pottery", "bread"], attributes=["step-free"], hours={"sat": ["11:00-22:00"]}, stay_minutes=300,
        deposit_from=20, deposit_minor=2000, tables=1, cancel_days=1, cancel_time="12:00", rating=4.4,
        prices=[{"item": "hall", "amount_minor": 69000, "unit": "flat"}], per_person_minor=2790,
    )  # fmt: skip
    _merchant(d, "m_mill_k", "Mill House Kaufungen", "Kaufungen", "venue", tags=["pottery"], rating=4.5)
    _merchant(d, "m_plumb", "Plomberie Rosemont", "Montréal", "plumber", certificates=["licence 5512"], rating=4.7)
    _merchant(d, "m_eclair", "Plombier Éclair", "Montréal", "plumber", takes_reservations=False, rating=3.9)
    _merchant(
        d, "m_fire", "Fire Hall 9", "Winnipeg", "child seat check", hours={"sat": ["10:00-11:00"]}, stay_minutes=30,
        rating=4.1,
    )  # fmt: skip
    _merchant(d, "m_grill", "Firehall Grill", "Winnipeg", rating=4.9, review_count=5, currency="CAD")
    _merchant(d, "m_layar", "Layar Utara", "George Town", "roofer", tags=["tarp"], hours=ALL_DAY, rating=0.0,
              review_count=0, currency="MYR", tables=1)  # fmt: skip
    _merchant(d, "m_night", "Night Owl", "Tbilisi", "bar", hours={"fri": ["20:00-02:00"]}, rating=3.5)
    d.put(
        "review_platform.deals", deal_id="d_mill", merchant_id="m_mill", title="Crew day", amount_minor=6640,
        currency="EUR", unit="person", min_party=10, max_party=24, weekdays=["sat"], valid_from="2026-04-20",
        valid_until="2026-05-31", excluded_dates=["2026-05-09"], free_reduction_until="2026-04-21T12:00:00+02:00",
    )  # fmt: skip
    d.put(
        "review_platform.deals", deal_id="tarp_fit", merchant_id="m_layar", title="Tarp fitted", amount_minor=48000,
        currency="MYR", notice_minutes=1440,
    )  # fmt: skip
    d.put("review_platform.deals", deal_id="d_old", merchant_id="m_saamo", title="Winter", percent_off=10,
          valid_until="2026-03-01")  # fmt: skip
    for number, stars in enumerate((5, 3), 1):
        d.put(
            "review_platform.reviews", review_id=f"r{number}", merchant_id="m_layar", user_id=f"g{number}",
            author="Gus", rating=stars, body="fine " * 150, at=f"2026-03-0{number}T10:00:00+08:00",
        )  # fmt: skip
    for method in ("pm_card", "acc_eur"):
        d.world.table("world.methods").put({"method_id": method})
    d.put("banking.accounts", account_id="acc_eur", user_id="u_ann", name="A", currency="EUR", balance_minor=50_000)
    d.start()
    return d


@pytest.fixture
def town(desk: Any) -> Any:
    return _town(desk("review_platform", "banking", "notification_hub"))


def reserve(d: Any, merchant_id: str, when: str, party: int = 2, **more: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call(
        "review_platform.reserve", user_id="u_ann", merchant_id=merchant_id, datetime=when, party_size=party, **more
    )
    return result


def refuse(d: Any, merchant_id: str, when: str, party: int = 2, **more: Any) -> str:
    given_arguments = {"user_id": "u_ann", **more}
    code: str = d.refused(
        "review_platform.reserve", merchant_id=merchant_id, datetime=when, party_size=party, **given_arguments
    )
    return code


def merchant(d: Any, merchant_id: str, **more: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call("review_platform.get_merchant", merchant_id=merchant_id, **more)
    return result


def mine(d: Any, **more: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = d.call("review_platform.list_reservations", user_id="u_ann", **more)["reservations"]
    return rows


def charges(d: Any) -> list[int]:
    return [row["amount_minor"] for row in d.world.table("world.charges").rows()]


def subscribe(d: Any, target: str) -> None:
    d.call(
        "notification_hub.create_subscription", user_id="u_ann", source="review_platform", type="status", target=target
    )


# -- searching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "more", "first"),
    [
        ("Saamo Garden", {}, ["m_saamo_b", "m_saamo"]),
        ("Saamo Garden", {"city": "Tbilisi"}, ["m_saamo"]),
        ("Samo Garden", {"city": "Tblisi"}, ["m_saamo"]),
        ("საამო", {}, ["m_saamo"]),
        ("restaurant", {"city": "Tbilisi"}, ["m_vake", "m_saamo"]),
        ("restarant", {"city": "Tbilisi, Georgia"}, ["m_vake", "m_saamo"]),
        ("dinner", {"city": "Tbilisi", "sort": "price_high"}, ["m_saamo", "m_vake"]),
        ("food", {"city": "Tbilisi", "sort": "price_low"}, ["m_vake", "m_saamo"]),
        ("georgian", {"sort": "reviews"}, ["m_saamo", "m_saamo_b"]),
        ("walnut-free", {}, ["m_saamo"]),
        ("mill house", {}, ["m_mill", "m_mill_k"]),
        ("mill house", {"sort": "relevance"}, ["m_mill", "m_mill_k"]),
        ("pottery hall", {"city": "Kassel"}, ["m_mill"]),
        ("wheelchair", {"city": "Kassel"}, ["m_mill"]),
        ("plumber", {"city": "Montreal"}, ["m_plumb", "m_eclair"]),
        ("plombier eclair", {}, ["m_eclair"]),
        ("plumbing", {"min_rating": 4.5}, ["m_plumb"]),
        ("licence plumber", {}, ["m_plumb"]),
        ("car seat check", {}, ["m_fire"]),
        ("firehall", {}, ["m_grill"]),
        ("restaurant", {"price_band": "$"}, ["m_vake"]),
        ("restaurant", {"city": "Tbilisi", "area": "sololaky"}, ["m_saamo"]),
        ("roof tarp", {}, ["m_layar"]),
        ("plumber", {"party_size": 4}, ["m_plumb"]),
        ("georgian", {"party_size": 12}, ["m_saamo"]),
    ],
)
def test_search_finds_what_people_mean(town: Any, query: str, more: dict[str, Any], first: list[str]) -> None:
    found = town.call("review_platform.search_merchants", category=query, **more)
    assert [row["merchant_id"] for row in found["merchants"]][: len(first)] == first
    assert "hint" not in found


def test_search_says_what_did_not_match(town: Any) -> None:
    some = town.call("review_platform.search_merchants", category="georgian sushi")
    assert [row["merchant_id"] for row in some["merchants"]] == ["m_saamo", "m_saamo_b"]
    assert "some" in some["hint"]
    nowhere = town.call("review_platform.search_merchants", category="restaurant", city="Gisborne")
    assert nowhere["total"] == 0
    assert "Tbilisi" in nowhere["hint"]
    area = town.call("review_platform.search_merchants", category="", city="Tbilisi", area="Moonside")
    assert "Vake" in area["hint"]
    nothing = town.call("review_platform.search_merchants", category="xylophone")
    assert (nothing["merchants"], nothing["total"], "hint" in nothing) == ([], 0, False)


def test_search_is_bounded_and_can_be_read_on(town: Any) -> None:
    first = town.call("review_platform.search_merchants", category="", limit=4)
    rest = town.call("review_platform.search_merchants", category="", limit=50, offset=4)
    assert (len(first["merchants"]), first["total"], len(rest["merchants"])) == (4, 11, 7)
    assert town.refused("review_platform.search_merchants", category="", limit=51) == "bad_limit"
    shown = first["merchants"][0]
    assert shown["merchant_id"] == "m_grill"  # the best rated
    assert shown["hours_today"] == ["12:00-15:00", "18:00-23:00"]


def test_recommendations_trust_many_reviews_more(town: Any) -> None:
    found = town.call("review_platform.get_recommendations", category="restaurant")
    # 4.9 from 5 reviews counts less than 4.6 from 210
    assert [row["merchant_id"] for row in found["merchants"]] == ["m_saamo", "m_saamo_b", "m_vake", "m_grill"]
    assert found["merchants"][0]["why"] == "4.6 from 210 reviews"
    vake = town.call("review_platform.get_recommendations", category="restaurant", area="Vake")
    assert [row["merchant_id"] for row in vake["merchants"]] == ["m_vake"]
    city = town.call("review_platform.get_recommendations", category="restaurant", area="Batumi", limit=1)
    assert [row["merchant_id"] for row in city["merchants"]] == ["m_saamo_b"]
    assert town.call("review_platform.get_recommendations", category="restaurant", area="Mars")["hint"]
    assert town.refused("review_platform.get_recommendations", category="x", limit=21) == "bad_limit"


# -- pages -----------------------------------------------------------------------------------------------------------


def test_a_page_shows_hours_terms_and_free_times(town: Any) -> None:
    page = merchant(town, "m_mill", date="2026-04-25", party_size=20)
    assert page["hours"] == {"sat": ["11:00-22:00"]}
    assert page["prices"][0]["amount_minor"] == 69000
    assert (page["cancel_days"], page["cancel_time"], page["deposit_from"]) == (1, "12:00", 20)
    assert page["deals"] == 1
    assert not page["saved"]
    assert "unlisted_stars" not in page
    times = page["on_date"]["free_times"]
    assert (times[0], times[-1], len(times)) == ("2026-04-25T11:00:00+02:00", "2026-04-25T21:00:00+02:00", 21)
    assert merchant(town, "m_mill", date="2026-04-25", party_size=25)["on_date"]["free_times"] == []
    assert merchant(town, "m_eclair", date="2026-04-25")["on_date"]["free_times"] == []
    assert merchant(town, "m_mill", date="2026-04-26")["on_date"] == {
        "date": "2026-04-26", "hours": [], "party_size": 2, "free_times": [],
    }  # fmt: skip


def test_open_now_knows_the_merchants_zone_and_midnight(town: Any) -> None:
    assert not merchant(town, "m_saamo")["open_now"]  # 05:00 in Tbilisi
    town.until("2026-04-17T16:30:00+08:00")  # 12:30 there
    assert merchant(town, "m_saamo")["open_now"]
    town.until("2026-04-18T01:30:00+08:00")
    assert merchant(town, "m_night")["open_now"]  # since Friday evening
    assert merchant(town, "m_night")["hours_today"] == []
    town.until("2026-04-18T02:00:00+08:00")
    assert not merchant(town, "m_night")["open_now"]


def test_pages_that_are_not_there(town: Any) -> None:
    for tool in ("get_merchant", "get_merchant_qa", "list_merchant_deals", "list_reviews"):
        assert town.refused(f"review_platform.{tool}", merchant_id="m_none") == "not_found"
    assert town.refused("review_platform.get_deal", deal_id="none") == "not_found"
    assert town.refused("review_platform.get_merchant", merchant_id="m_mill", date="soon") == "bad_date"


def test_deals_show_their_terms_and_whether_they_are_over(town: Any) -> None:
    assert town.call("review_platform.list_merchant_deals", merchant_id="m_saamo") == {"deals": [], "total": 0}
    ended = town.call("review_platform.list_merchant_deals", merchant_id="m_saamo", include_ended=True)
    assert [(deal["deal_id"], deal["available"]) for deal in ended["deals"]] == [("d_old", False)]
    deal = town.call("review_platform.get_deal", deal_id="d_mill")
    assert (deal["merchant_name"], deal["min_party"], deal["available"]) == ("Mill House", 10, True)


def test_reviews_are_listed_cut_and_read_whole(town: Any) -> None:
    found = town.call("review_platform.list_reviews", merchant_id="m_layar")
    assert [row["review_id"] for row in found["reviews"]] == ["r2", "r1"]
    assert (found["rating"], found["review_count"]) == (4.0, 2)
    assert "[250 more characters; list_reviews with review_id=r2]" in found["reviews"][0]["body"]
    whole = town.call("review_platform.list_reviews", merchant_id="m_layar", review_id="r2")
    assert (whole["reviews"][0]["body"], whole["total"]) == ("fine " * 150, 1)
    for sort, first in (("oldest", "r1"), ("best", "r1"), ("worst", "r2")):
        rows = town.call("review_platform.list_reviews", merchant_id="m_layar", sort=sort, limit=1)["reviews"]
        assert [row["review_id"] for row in rows] == [first]
    rest = town.call("review_platform.list_reviews", merchant_id="m_layar", offset=1)
    assert [row["review_id"] for row in rest["reviews"]] == ["r1"]
    assert town.refused("review_platform.list_reviews", merchant_id="m_mill", review_id="r1") == "not_found"
    assert town.refused("review_platform.list_reviews", merchant_id="m_mill", limit=0) == "bad_limit"


# -- reserving -------------------------------------------------------------------------------------------------------


def test_a_reservation_is_in_the_merchants_time_and_is_listed(town: Any) -> None:
    row = reserve(town, "m_saamo", "2026-04-30T19:00", 13, note="no walnuts, please")
    assert row["starts_at"] == "2026-04-30T19:00:00+04:00"
    assert row["cancel_until"] == "2026-04-30T17:00:00+04:00"
    assert row["group_terms"] == "One menu for all."
    assert (row["status"], row["party_size"], row["merchant_name"], row["city"], row["merchant_open"]) == (
        "confirmed", 13, "Saamo Garden", "Tbilisi", True,
    )  # fmt: skip
    assert len(row["code"]) == 6
    assert charges(town) == []
    [listed] = mine(town)
    assert listed["note"] == "no walnuts, please"
    assert [row["reservation_id"] for row in mine(town, status="cancelled")] == []
    # An offset in the argument counts.
    other = reserve(town, "m_vake", "2026-04-29T22:00:00+08:00", 2)
    assert other["starts_at"] == "2026-04-29T18:00:00+04:00"
    assert [row["merchant_id"] for row in mine(town)] == ["m_saamo", "m_vake"]
    assert "group_terms" not in other


@pytest.mark.parametrize(
    ("merchant_id", "when", "party", "code"),
    [
        ("m_none", "2026-04-30T19:00", 2, "not_found"),
        ("m_saamo", "tomorrow", 2, "bad_time"),
        ("m_saamo", "2026-04-30", 2, "bad_time"),
        ("m_saamo", "2026-04-16T19:00", 2, "in_past"),
        ("m_saamo", "2026-08-30T19:00", 2, "too_far_ahead"),
        ("m_saamo", "2026-04-30T19:00", 21, "bad_party_size"),
        ("m_saamo", "2026-04-30T16:00", 2, "not_open"),  # between lunch and dinner
        ("m_saamo", "2026-04-27T19:00", 2, "not_open"),  # Monday
        ("m_saamo", "2026-04-30T22:30", 2, "not_open"),  # the last start is an hour before closing
        ("m_saamo", "2026-04-30T19:10", 2, "bad_slot"),
        ("m_eclair", "2026-04-30T19:00", 2, "no_reservations"),
        ("m_mill", "2026-04-25T11:00", 20, "deposit_required"),
        ("m_fire", "2026-04-25T10:30", 1, "not_open"),
        ("m_night", "2026-04-18T01:30", 1, "not_open"),
    ],
)
def test_what_a_merchant_refuses(town: Any, merchant_id: str, when: str, party: int, code: str) -> None:
    assert refuse(town, merchant_id, when, party) == code


def test_refusals_say_what_else_there_is(town: Any) -> None:
    def message(**arguments: Any) -> str:
        outcome = town.outcome("review_platform.reserve", user_id="u_ann", party_size=2, **arguments)
        text: str = outcome.result["error"]["message"]
        return text

    assert "try 14:00, 18:00" in message(merchant_id="m_saamo", datetime="2026-04-30T16:00").replace("13:30, ", "")
    assert "try another day" in message(merchant_id="m_saamo", datetime="2026-04-27T19:00")
    assert "555-0100" in message(merchant_id="m_eclair", datetime="2026-04-27T19:00")


def test_past_midnight_belongs_to_the_evening_before(town: Any) -> None:
    row = reserve(town, "m_night", "2026-04-18T00:30")
    assert row["merchant_open"]


def test_notes_and_users_are_checked(town: Any) -> None:
    assert refuse(town, "m_saamo", "2026-04-30T19:00", note="x" * 501) == "bad_note"
    assert refuse(town, "m_saamo", "2026-04-30T19:00", user_id="u_bo") == "not_signed_in"
    assert town.refused("review_platform.list_reservations", user_id="u_bo") == "not_signed_in"
    assert town.refused("review_platform.list_reservations", user_id="u_ann", limit=0) == "bad_limit"


def test_nobody_is_at_two_places_at_once(town: Any) -> None:
    first = reserve(town, "m_saamo", "2026-04-30T19:00")
    assert refuse(town, "m_vake", "2026-04-30T20:30") == "double_booked"
    assert refuse(town, "m_saamo", "2026-04-30T19:00") == "double_booked"
    reserve(town, "m_vake", "2026-04-30T21:00")  # two hours later
    town.call("review_platform.cancel_reservation", reservation_id=first["reservation_id"])
    reserve(town, "m_saamo", "2026-04-30T18:30")


def _other_party(d: Any, key: str, merchant_id: str, starts_at: str, party: int) -> None:
    d.put(
        "review_platform.reservations", reservation_id=key, merchant_id=merchant_id, user_id="u_other",
        starts_at=starts_at, party_size=party,
    )  # fmt: skip


def test_seats_and_tables_run_out_while_others_stay(town: Any) -> None:
    _other_party(town, "o1", "m_saamo", "2026-04-30T18:00:00+04:00", 15)
    assert refuse(town, "m_saamo", "2026-04-30T19:30", 10) == "no_table"
    reserve(town, "m_saamo", "2026-04-30T20:00", 10)  # the others have left
    _other_party(town, "o2", "m_layar", "2026-04-20T10:00:00+08:00", 1)
    assert refuse(town, "m_layar", "2026-04-20T11:00") == "no_table"
    assert refuse(town, "m_layar", "2026-04-20T09:00") == "no_table"
    reserve(town, "m_layar", "2026-04-20T12:00")


def test_parties_one_after_the_other_are_not_there_together(town: Any) -> None:
    """What counts is the fullest moment of the stay, not everybody who is met in it."""
    _other_party(town, "o1", "m_saamo", "2026-04-30T18:00:00+04:00", 12)
    _other_party(town, "o2", "m_saamo", "2026-04-30T20:00:00+04:00", 12)
    reserve(town, "m_saamo", "2026-04-30T19:00", 12)


def test_changing_keeps_the_reservation_and_makes_room_for_itself(town: Any) -> None:
    row = reserve(town, "m_saamo", "2026-04-30T19:00", 12, note="ramp")
    changed = reserve(town, "m_saamo", "2026-04-30T19:30", 13, reservation_id=row["reservation_id"])
    assert (changed["reservation_id"], changed["party_size"], changed["note"]) == (row["reservation_id"], 13, "ramp")
    assert changed["code"] == row["code"]
    assert [event["text"][:7] for event in changed["history"]] == ["Reserve", "Changed"]
    assert len(mine(town)) == 1
    more = {"reservation_id": row["reservation_id"]}
    assert refuse(town, "m_vake", "2026-05-01T19:00", **more) == "not_found"
    assert refuse(town, "m_saamo", "2026-05-01T19:00", reservation_id="rsv_none") == "not_found"
    town.until("2026-04-30T21:31:00+08:00")  # the limit was 17:30 in Tbilisi
    assert refuse(town, "m_saamo", "2026-05-01T19:00", **more) == "too_late"
    town.until("2026-05-01T05:00:00+08:00")
    assert refuse(town, "m_saamo", "2026-05-01T19:00", **more) == "not_active"


def test_deals_have_their_limits(town: Any) -> None:
    def tried(when: str, party: int, deal_id: str = "d_mill") -> str:
        return refuse(town, "m_mill", when, party, deal_id=deal_id)

    assert tried("2026-04-25T11:00", 9) == "deal_not_valid"
    assert tried("2026-04-18T11:00", 12) == "deal_not_valid"  # begins on Monday
    assert tried("2026-06-06T11:00", 12) == "deal_not_valid"
    assert tried("2026-05-09T11:00", 12) == "deal_not_valid"
    assert tried("2026-04-25T11:00", 12, "tarp_fit") == "not_found"
    town.happen("review_platform.change_deal", deal_id="d_mill", max_party=11)
    assert tried("2026-04-25T11:00", 12) == "deal_not_valid"
    town.happen("review_platform.change_deal", deal_id="d_mill", max_party=24, weekdays=["fri"])
    assert tried("2026-04-25T11:00", 12) == "deal_not_valid"
    town.happen("review_platform.change_deal", deal_id="d_mill", weekdays=["sat"])
    row = reserve(town, "m_mill", "2026-04-25T11:00", 12, deal_id="d_mill")
    assert (row["price_minor"], row["currency"], row["deposit_minor"]) == (12 * 6640, "EUR", 0)
    town.happen("review_platform.end_deal", deal_id="d_mill")
    assert tried("2026-05-02T11:00", 12) == "deal_not_valid"
    assert mine(town)[0]["deal_id"] == "d_mill"


def test_a_deal_wants_a_days_notice_and_has_a_price_for_the_party(town: Any) -> None:
    assert refuse(town, "m_layar", "2026-04-17T15:00", deal_id="tarp_fit") == "short_notice"
    assert reserve(town, "m_layar", "2026-04-20T09:00", 2, deal_id="tarp_fit")["price_minor"] == 48000


def test_a_merchant_wants_notice_too(town: Any) -> None:
    town.service("review_platform").patch("merchants", "m_layar", notice_minutes=2 * 1440)
    assert refuse(town, "m_layar", "2026-04-17T15:00") == "short_notice"
    day = merchant(town, "m_layar", date="2026-04-17")["on_date"]
    assert day["free_times"] == []


def test_a_party_with_a_deal_can_only_shrink_in_time(town: Any) -> None:
    row = reserve(town, "m_mill", "2026-04-25T11:00", 14, deal_id="d_mill")
    more = {"deal_id": "d_mill", "reservation_id": row["reservation_id"]}
    assert reserve(town, "m_mill", "2026-04-25T11:00", 13, **more)["price_minor"] == 13 * 6640
    town.until("2026-04-21T18:01:00+08:00")
    assert refuse(town, "m_mill", "2026-04-25T11:00", 12, **more) == "too_late"
    assert reserve(town, "m_mill", "2026-04-25T12:00", 13, **more)["party_size"] == 13


# -- deposits --------------------------------------------------------------------------------------------------------


def test_a_deposit_is_charged_follows_changes_and_comes_back(town: Any) -> None:
    row = reserve(town, "m_mill", "2026-04-25T11:00", 20, payment_method_id="acc_eur")
    assert (row["deposit_minor"], charges(town)) == (40000, [40000])
    assert town.world.table("world.charges").find("ch_00001")["ref"] == row["reservation_id"]
    key = row["reservation_id"]
    assert reserve(town, "m_mill", "2026-04-25T11:00", 22, reservation_id=key)["deposit_minor"] == 44000
    assert reserve(town, "m_mill", "2026-04-25T11:00", 12, reservation_id=key)["deposit_minor"] == 0
    assert charges(town) == [40000, 4000, -44000]
    assert reserve(town, "m_mill", "2026-04-25T11:00", 21, reservation_id=key, payment_method_id="acc_eur")
    result = town.call("review_platform.cancel_reservation", reservation_id=key)
    assert (result["status"], result["cancelled_by"], result["refunded_minor"]) == ("cancelled", "guest", 42000)
    assert sum(charges(town)) == 0


def test_deposits_that_cannot_be_paid(town: Any) -> None:
    def tried(method: str, party: int = 20) -> str:
        return refuse(town, "m_mill", "2026-04-25T11:00", party, payment_method_id=method)

    assert tried("pm_nobody") == "unknown_payment_method"
    town.happen("banking.set_status", account_id="acc_eur", status="frozen")
    assert tried("acc_eur") == "account_closed"
    town.happen("banking.set_status", account_id="acc_eur", status="open")
    town.service("banking").patch("accounts", "acc_eur", balance_minor=100)
    assert tried("acc_eur") == "insufficient_funds"
    town.service("banking").patch("accounts", "acc_eur", currency="CNY")
    assert tried("acc_eur") == "currency_mismatch"
    row = reserve(town, "m_mill", "2026-04-25T11:00", 20, payment_method_id="pm_card")
    town.world.table("world.methods").drop("pm_card")
    code = town.refused("review_platform.cancel_reservation", reservation_id=row["reservation_id"])
    assert code == "unknown_payment_method"


def test_a_deposit_paid_elsewhere_is_not_moved(town: Any) -> None:
    town.put(
        "review_platform.reservations", reservation_id="r_cash", merchant_id="m_mill", user_id="u_ann",
        starts_at="2026-04-25T11:00:00+02:00", party_size=20, deposit_minor=40000,
    )  # fmt: skip
    assert reserve(town, "m_mill", "2026-04-25T11:00", 21, reservation_id="r_cash")["deposit_minor"] == 40000
    result = town.call("review_platform.cancel_reservation", reservation_id="r_cash")
    assert (result["refunded_minor"], charges(town)) == (0, [])


# -- cancelling and time -----------------------------------------------------------------------------------------------


def test_cancelling_ends_at_the_merchants_limit(town: Any) -> None:
    row = reserve(town, "m_mill", "2026-04-25T11:00", 5)
    assert row["cancel_until"] == "2026-04-24T12:00:00+02:00"  # noon of the day before
    key = row["reservation_id"]
    early = town.world.fork()
    town.until("2026-04-24T18:00:00+08:00")
    assert town.outcome("review_platform.cancel_reservation", reservation_id=key).ok
    assert town.refused("review_platform.cancel_reservation", reservation_id=key) == "not_active"
    town.world = early
    town.until("2026-04-24T18:00:01+08:00")
    assert town.refused("review_platform.cancel_reservation", reservation_id=key) == "too_late"
    assert town.refused("review_platform.cancel_reservation", reservation_id="none") == "not_found"
    _other_party(town, "o1", "m_saamo", "2026-04-30T18:00:00+04:00", 2)
    assert town.refused("review_platform.cancel_reservation", reservation_id="o1") == "not_found"


def test_a_reservation_of_the_start_gets_the_merchants_limit_and_time(desk: Any) -> None:
    d = desk("review_platform")
    _merchant(d, "m_a", "A", "Tbilisi", zone="Asia/Tbilisi")
    d.put(
        "review_platform.reservations", reservation_id="r_a", merchant_id="m_a", user_id="u_ann",
        starts_at="2026-04-18T22:00:00+08:00", party_size=2,
    )  # fmt: skip
    d.start()
    [row] = mine(d)
    assert (row["starts_at"], row["cancel_until"]) == ("2026-04-18T18:00:00+04:00", "2026-04-18T16:00:00+04:00")
    d.until("2026-04-19T00:00:00+08:00")
    assert mine(d)[0]["status"] == "completed"
    d.check()


def test_the_guest_is_reminded_silently_the_day_before(town: Any) -> None:
    row = reserve(town, "m_saamo", "2026-04-30T19:00")
    reserve(town, "m_saamo", "2026-04-30T20:00", reservation_id=row["reservation_id"])
    town.until("2026-04-29T23:30:00+08:00")
    rows = town.service("notification_hub").rows("notifications")
    assert len(rows) == 0  # the visit has moved an hour
    town.until("2026-04-30T00:00:00+08:00")
    [note] = rows
    assert (note["source"], note["ref"]) == ("review_platform", row["reservation_id"])
    assert "Tomorrow: Saamo Garden" in note["title"]
    assert town.world.openings == []
    town.until("2026-05-01T03:00:00+08:00")
    assert mine(town)[0]["status"] == "completed"
    assert len(rows) == 1


def test_nobody_is_reminded_of_what_was_cancelled(town: Any) -> None:
    row = reserve(town, "m_saamo", "2026-04-30T19:00")
    town.call("review_platform.cancel_reservation", reservation_id=row["reservation_id"])
    town.until("2026-05-02T00:00:00+08:00")
    assert len(town.service("notification_hub").rows("notifications")) == 0
    assert mine(town)[0]["status"] == "cancelled"


# -- reviews, questions, saved ---------------------------------------------------------------------------------------


def test_a_review_counts_once(town: Any) -> None:
    def tried(**more: Any) -> str:
        arguments = {"user_id": "u_ann", "merchant_id": "m_layar", "rating": 1, "body": "x" * 10, **more}
        code: str = town.refused("review_platform.write_review", **arguments)
        return code

    assert tried(user_id="u_bo") == "not_signed_in"
    assert tried(merchant_id="none") == "not_found"
    assert tried(body=" short   ") == "bad_body"
    assert tried(body="x" * 2001) == "bad_body"
    assert tried(image_captions=["x"] * 10) == "bad_captions"
    assert tried(image_captions=[""]) == "bad_captions"
    assert tried(rating=6) == "bad_arguments"
    review = town.call(
        "review_platform.write_review", user_id="u_ann", merchant_id="m_layar", rating=1, body="Roof still open.",
        image_captions=["The roof"],
    )  # fmt: skip
    assert (review["merchant_rating"], review["review_count"], review["author"]) == (3.0, 3, "Ann Lee")
    assert tried() == "exists"
    assert merchant(town, "m_layar")["rating"] == 3.0


def test_reviews_that_are_not_listed_keep_their_weight(town: Any) -> None:
    town.call("review_platform.write_review", user_id="u_ann", merchant_id="m_saamo", rating=1, body="Cold soup. " * 3)
    page = merchant(town, "m_saamo")
    assert (page["rating"], page["review_count"]) == (round((4.6 * 210 + 1) / 211, 1), 211)


def test_questions_are_answered_later(town: Any) -> None:
    def asked(body: str, merchant_id: str = "m_saamo", user_id: str = "u_ann") -> str:
        code: str = town.refused("review_platform.ask_question", user_id=user_id, merchant_id=merchant_id, body=body)
        return code

    assert asked("Do you?", user_id="u_bo") == "not_signed_in"
    assert asked("Do you?", "none") == "not_found"
    assert asked("Eh? ") == "bad_body"
    assert asked("x" * 501) == "bad_body"
    body = "Is the kitchen free of WALNUTS?"
    first = town.call("review_platform.ask_question", user_id="u_ann", merchant_id="m_saamo", body=body)
    town.call("review_platform.ask_question", user_id="u_ann", merchant_id="m_saamo", body="Is there a ramp?")
    assert asked(body) == "exists"
    subscribe(town, first["question_id"])
    town.until("2026-04-17T12:00:02+08:00")
    found = town.call("review_platform.get_merchant_qa", merchant_id="m_saamo")
    ramp, walnut = found["questions"]
    assert (found["total"], ramp["answers"]) == (2, [])
    assert (walnut["answers"][0]["body"], walnut["answers"][0]["by_merchant"]) == ("Yes, tell us a day before.", True)
    assert [opening.kind for opening in town.world.openings] == ["alert"]
    touched = town.happen(
        "review_platform.answer_question", merchant_id="m_saamo", answer="At the side.", contains="ramp", author="Nino"
    )
    assert touched == [ramp["question_id"]]
    ramp = town.call("review_platform.get_merchant_qa", merchant_id="m_saamo", limit=1)["questions"][0]
    assert (ramp["answers"][0]["author"], ramp["answers"][0]["by_merchant"]) == ("Nino", False)
    assert town.happen("review_platform.answer_question", merchant_id="m_saamo", answer="x") == []
    assert town.refused("review_platform.get_merchant_qa", merchant_id="m_saamo", limit=0) == "bad_limit"


def test_an_answer_that_came_first_makes_the_standing_one_needless(town: Any) -> None:
    town.call("review_platform.ask_question", user_id="u_ann", merchant_id="m_saamo", body="walnut free?")
    town.happen("review_platform.answer_question", merchant_id="m_saamo", answer="No.")
    town.until("2026-04-18T12:00:00+08:00")
    [question] = town.call("review_platform.get_merchant_qa", merchant_id="m_saamo")["questions"]
    assert [answer["body"] for answer in question["answers"]] == ["No."]


def test_a_question_of_the_start_is_answered_when_it_is_due(desk: Any) -> None:
    d = desk("review_platform")
    _merchant(d, "m_a", "A", "Tbilisi", standing_answers={"ramp": "At the side."})
    for number, at in enumerate(("2026-04-16T10:00:00+08:00", "2026-04-17T08:30:00+08:00")):
        d.put(
            "review_platform.questions", question_id=f"q{number}", merchant_id="m_a", user_id="u_other",
            body="Have you a ramp?", at=at,
        )  # fmt: skip
    d.start()
    d.until("2026-04-17T09:00:00+08:00")
    rows = d.call("review_platform.get_merchant_qa", merchant_id="m_a")["questions"]
    assert [len(row["answers"]) for row in rows] == [0, 1]
    d.until("2026-04-17T11:30:00+08:00")
    rows = d.call("review_platform.get_merchant_qa", merchant_id="m_a")["questions"]
    assert [len(row["answers"]) for row in rows] == [1, 1]


def test_saved_merchants(town: Any) -> None:
    for key in ("m_vake", "m_mill"):
        town.call("review_platform.save_merchant", user_id="u_ann", merchant_id=key)
    assert merchant(town, "m_vake")["saved"]
    town.happen("review_platform.close_merchant", merchant_id="m_vake")
    found = town.call("review_platform.list_saved_merchants", user_id="u_ann")
    assert [(row["merchant_id"], row["status"]) for row in found["merchants"]] == [
        ("m_mill", "open"), ("m_vake", "closed"),
    ]  # fmt: skip
    assert town.refused("review_platform.save_merchant", user_id="u_ann", merchant_id="m_vake") == "exists"
    assert town.refused("review_platform.save_merchant", user_id="u_ann", merchant_id="none") == "not_found"
    assert town.refused("review_platform.save_merchant", user_id="u_bo", merchant_id="m_vake") == "not_signed_in"
    assert town.refused("review_platform.list_saved_merchants", user_id="u_bo") == "not_signed_in"
    assert town.refused("review_platform.list_saved_merchants", user_id="u_ann", limit=101) == "bad_limit"
    [saved] = [row for row in town.service("review_platform").rows("saved") if row["merchant_id"] == "m_mill"]
    town.service("review_platform").patch("saved", saved["saved_id"], merchant_id="")
    with pytest.raises(AssertionError):
        town.service("review_platform").check_invariants()


# -- happenings ------------------------------------------------------------------------------------------------------


def test_the_merchant_calls_off_what_is_on_a_day(town: Any) -> None:
    row = reserve(town, "m_mill", "2026-04-25T11:00", 20, payment_method_id="acc_eur")
    later = reserve(town, "m_mill", "2026-05-02T11:00", 5)
    subscribe(town, row["reservation_id"])
    verb = "review_platform.cancel_reservation_by_merchant"
    assert town.happen(verb, merchant_id="m_mill", date="2026-04-26") == []
    assert town.happen(verb, merchant_id="m_mill", date="2026-04-25", time="12:00") == []
    assert town.happen(verb, merchant_id="none", date="2026-04-25") == []
    assert town.happen(verb, merchant_id="m_mill", date="2026-04-25", reason="Burst pipe") == [row["reservation_id"]]
    assert charges(town) == [40000, -40000]
    shown = {item["reservation_id"]: item for item in mine(town)}
    assert shown[row["reservation_id"]]["cancelled_by"] == "merchant"
    assert shown[row["reservation_id"]]["reason"] == "Burst pipe"
    assert shown[later["reservation_id"]]["status"] == "confirmed"
    assert [opening.kind for opening in town.world.openings] == ["alert"]
    town.check()


def test_the_merchants_book_changes(town: Any) -> None:
    row = reserve(town, "m_mill", "2026-04-25T11:00", 13, deal_id="d_mill")
    verb = "review_platform.change_party"
    assert town.happen(verb, merchant_id="m_mill", date="2026-04-25", party_size=12) == [row["reservation_id"]]
    assert town.happen(verb, merchant_id="m_mill", date="2026-04-25", party_size=12) == []
    assert (mine(town)[0]["party_size"], mine(town)[0]["price_minor"]) == (12, 12 * 6640)
    assert town.world.openings == []  # silent
    moved = town.happen(
        "review_platform.move_reservation", merchant_id="m_mill", date="2026-04-25",
        starts_at="2026-05-02T20:00:00+08:00", reason="Choir",
    )  # fmt: skip
    assert moved == [row["reservation_id"]]
    assert mine(town)[0]["starts_at"] == "2026-05-02T14:00:00+02:00"
    town.until("2026-04-26T12:00:00+08:00")
    assert mine(town)[0]["status"] == "confirmed"
    town.until("2026-05-03T02:00:00+08:00")
    assert mine(town)[0]["status"] == "completed"


def test_closing_for_a_day_and_for_good(town: Any) -> None:
    first = reserve(town, "m_saamo", "2026-04-30T19:00")["reservation_id"]
    second = reserve(town, "m_saamo", "2026-05-01T19:00")["reservation_id"]
    subscribe(town, "m_saamo")
    close = "review_platform.close_merchant"
    assert town.happen(close, merchant_id="m_saamo", date="2026-04-30") == ["m_saamo", first]
    assert refuse(town, "m_saamo", "2026-04-30T19:00") == "not_open"
    assert merchant(town, "m_saamo")["exceptions"] == {"2026-04-30": []}
    assert town.happen(close, merchant_id="m_saamo", reason="Sold") == ["m_saamo", second]
    assert refuse(town, "m_saamo", "2026-05-05T19:00") == "merchant_closed"
    question = {"user_id": "u_ann", "merchant_id": "m_saamo", "body": "Where are you?"}
    assert town.refused("review_platform.ask_question", **question) == "merchant_closed"
    found = town.call("review_platform.search_merchants", category="Saamo Garden")
    assert [row["merchant_id"] for row in found["merchants"]] == ["m_saamo_b"]
    assert merchant(town, "m_saamo")["status"] == "closed"
    assert len(town.world.openings) == 2
    assert town.happen(close, merchant_id="none") == []


def test_other_hours_and_full_evenings(town: Any) -> None:
    reserve(town, "m_saamo", "2026-04-30T19:00")
    hours = "review_platform.set_hours"
    assert town.happen(hours, merchant_id="m_saamo", date="2026-04-30", hours=["12:00-15:00"]) == ["m_saamo"]
    assert not mine(town)[0]["merchant_open"]
    assert mine(town)[0]["status"] == "confirmed"
    assert refuse(town, "m_saamo", "2026-04-30T20:00") == "not_open"
    fill = "review_platform.fill_up"
    assert town.happen(fill, merchant_id="m_vake", date="2026-05-01", hours=["18:00-20:00"]) == ["m_vake"]
    assert refuse(town, "m_vake", "2026-05-01T19:00") == "no_table"
    times = merchant(town, "m_vake", date="2026-05-01")["on_date"]["free_times"]
    assert "2026-05-01T19:30:00+04:00" not in times
    reserve(town, "m_vake", "2026-05-01T20:00")
    assert town.happen(hours, merchant_id="none", date="2026-04-30", hours=[]) == []
    assert town.happen(fill, merchant_id="none", date="2026-04-30", hours=[]) == []


def test_capacity_changes_for_new_reservations(town: Any) -> None:
    reserve(town, "m_saamo", "2026-04-30T19:00", 10)
    verb = "review_platform.set_capacity"
    assert town.happen(verb, merchant_id="m_saamo", tables=1, max_party=6) == ["m_saamo"]
    assert refuse(town, "m_saamo", "2026-05-01T19:00", 10) == "bad_party_size"
    _other_party(town, "o1", "m_saamo", "2026-05-01T19:00:00+04:00", 2)
    assert refuse(town, "m_saamo", "2026-05-01T20:00", 2) == "no_table"
    assert mine(town)[0]["party_size"] == 10
    assert town.happen(verb, merchant_id="none", tables=1) == []


def test_prices_change_and_alerts_hear_of_it(town: Any) -> None:
    for ref in ("m_mill", "d_mill"):
        town.call(
            "notification_hub.create_price_alert", user_id="u_ann", item_ref=ref, target_price_minor=2600,
            direction="below",
        )  # fmt: skip
    verb = "review_platform.set_price"
    assert town.happen(verb, merchant_id="m_mill", per_person_minor=2500, price_band="$$$") == ["m_mill"]
    assert town.happen(verb, merchant_id="m_mill", item="hall", amount_minor=71000) == ["m_mill"]
    assert town.happen(verb, merchant_id="m_mill", item="garden", amount_minor=71000) == []
    assert town.happen(verb, merchant_id="none", price_band="$") == []
    page = merchant(town, "m_mill")
    assert (page["price_band"], page["per_person_minor"], page["prices"][0]["amount_minor"]) == ("$$$", 2500, 71000)
    assert len(town.world.openings) == 1
    town.happen("review_platform.change_deal", deal_id="d_mill", amount_minor=2600)
    assert len(town.world.openings) == 2


def test_deals_come_change_and_end(town: Any) -> None:
    subscribe(town, "d_mill")
    change = "review_platform.change_deal"
    until = "2026-04-24T12:00:00+02:00"
    assert town.happen(change, deal_id="d_mill", min_party=20, free_reduction_until=until, terms="At least 20.")
    deal = town.call("review_platform.get_deal", deal_id="d_mill")
    assert (deal["min_party"], deal["free_reduction_until"], deal["terms"]) == (20, until, "At least 20.")
    assert town.happen("review_platform.end_deal", deal_id="d_mill") == ["d_mill"]
    assert town.happen("review_platform.end_deal", deal_id="d_mill") == []
    assert not town.call("review_platform.get_deal", deal_id="d_mill")["available"]
    assert len(town.world.openings) == 2
    assert town.happen(change, deal_id="none", terms="x") == []
    offer = {"merchant_id": "m_vake", "title": "Spring", "amount_minor": 3000, "currency": "GEL", "terms": "Lunch."}
    assert town.happen("review_platform.offer_deal", deal_id="d_new", **offer) == ["d_new"]
    assert town.happen("review_platform.offer_deal", deal_id="d_new", **offer) == []
    assert town.call("review_platform.list_merchant_deals", merchant_id="m_vake")["total"] == 1


def test_ratings_reviews_and_pages_change_silently(town: Any) -> None:
    assert town.happen("review_platform.set_rating", merchant_id="m_saamo", rating=4.5) == ["m_saamo"]
    assert (merchant(town, "m_saamo")["rating"], merchant(town, "m_saamo")["review_count"]) == (4.5, 210)
    town.happen("review_platform.set_rating", merchant_id="m_layar", rating=2.0, review_count=1)
    assert merchant(town, "m_layar")["review_count"] == 2  # as many as are listed
    [key] = town.happen(
        "review_platform.post_review", merchant_id="m_mill_k", author="Tom", rating=2, body="Dear and cold."
    )
    assert town.call("review_platform.list_reviews", merchant_id="m_mill_k")["reviews"][0]["review_id"] == key
    edit = "review_platform.edit_page"
    renamed = {"name": "HS Build Studio", "attributes": ["scaffolding"], "menu": ["soup"]}
    assert town.happen(edit, merchant_id="m_layar", **renamed) == ["m_layar"]
    assert merchant(town, "m_layar")["phone"] == "555-0100"
    for query in ("hs build studio", "scaffolding"):
        found = town.call("review_platform.search_merchants", category=query)["merchants"]
        assert [row["merchant_id"] for row in found] == ["m_layar"]
    assert town.world.openings == []
    for verb, more in (
        ("set_rating", {"rating": 1.0}),
        ("post_review", {"author": "x", "rating": 1, "body": "x"}),
        ("edit_page", {"name": "x"}),
        ("offer_deal", {"deal_id": "z", "title": "x", "amount_minor": 1, "currency": "EUR"}),
        ("move_reservation", {"date": "2026-04-30", "starts_at": "2026-04-30T19:00:00+08:00"}),
        ("change_party", {"date": "2026-04-30", "party_size": 2}),
    ):
        assert town.happen(f"review_platform.{verb}", merchant_id="none", **more) == []
    town.check()


def test_a_review_before_the_start_counts_as_well(desk: Any) -> None:
    d = desk("review_platform")
    _merchant(d, "m_a", "A", "Tbilisi", rating=0.0, review_count=0)
    _merchant(d, "m_b", "B", "Tbilisi", rating=4.6, review_count=0)
    d.happen("review_platform.post_review", merchant_id="m_a", author="x", rating=4, body="Fine.")
    d.start()
    d.start()
    assert (merchant(d, "m_a")["rating"], merchant(d, "m_a")["review_count"]) == (4.0, 1)
    assert (merchant(d, "m_b")["rating"], merchant(d, "m_b")["review_count"]) == (4.6, 1)
    d.check()


# -- filling ---------------------------------------------------------------------------------------------------------


def test_generated_merchants_are_believable_and_leave_others_alone(town: Any) -> None:
    service = town.service("review_platform")
    key_records = {row["merchant_id"]: dict(row) for row in service.rows("merchants")}
    for category in ("restaurant", "plumber", "archery"):
        service.merchants(random.Random(3), "Tbilisi", category, 60)
    service.merchants(random.Random(3), "Tbilisi", "restaurant", 60)  # the same block again adds nothing
    town.start()
    town.check()
    assert len(service.rows("merchants")) == len(key_records) + 180
    names = [row["name"] for row in service.rows("merchants") if row["city"] == "Tbilisi"]
    assert len(set(names)) == len(names)
    assert key_records == {
        row["merchant_id"]: dict(row) for row in service.rows("merchants") if row["merchant_id"] in key_records
    }
    assert len(service.rows("reviews")) == 2 + 3 * 60 * 2
    found = town.call("review_platform.search_merchants", category="Saamo Garden", city="Tbilisi")
    assert [row["merchant_id"] for row in found["merchants"]] == ["m_saamo"]


def test_the_same_seed_fills_the_same(desk: Any) -> None:
    dumps = []
    for _ in range(2):
        d = desk("review_platform")
        d.service("review_platform").merchants(random.Random(5), "Gent", "cafe", 300)
        dumps.append(d.world.dump())
    assert dumps[0] == dumps[1]


# -- anything in any order -------------------------------------------------------------------------------------------

PLACES = ("m_saamo", "m_vake", "m_mill", "m_layar", "m_night")
TIMES = ("2026-04-18T12:00", "2026-04-18T13:30", "2026-04-24T20:30", "2026-04-25T11:00", "2026-04-20T10:00")
STEP = st.tuples(st.integers(0, 11), st.sampled_from(PLACES), st.sampled_from(TIMES), st.integers(1, 22))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, str, str, int]]) -> None:
    d = _town(desk("review_platform", "banking", "notification_hub"))
    user, at_merchant = {"user_id": "u_ann"}, "review_platform."
    for what, place, when, number in steps:
        ids = [row["reservation_id"] for row in d.service("review_platform").rows("reservations")]
        one = ids[number % len(ids)] if ids else "none"
        here, day = {"merchant_id": place}, when[:10]
        if what <= 2:
            more = {"reservation_id": one} if what == 2 else {"deal_id": "d_mill"} if place == "m_mill" else {}
            d.outcome(
                at_merchant + "reserve", **user, **here, datetime=when, party_size=number,
                payment_method_id=("pm_card", "acc_eur")[number % 2], **more,
            )  # fmt: skip
        elif what == 3:
            d.outcome(at_merchant + "cancel_reservation", reservation_id=one)
        elif what == 4:
            d.outcome(at_merchant + "write_review", **user, **here, rating=1 + number % 5, body="As it was, again.")
            d.outcome(at_merchant + "ask_question", **user, **here, body=f"Any walnut? {number % 3}")
        elif what == 5:
            d.outcome(at_merchant + "save_merchant", **user, **here)
        elif what == 6:
            d.world.run_to(d.world.now + number * clock.DAY // 3)
        elif what == 7:
            d.happen(at_merchant + "cancel_reservation_by_merchant", **here, date=day)
        elif what == 8:
            later = f"2026-04-{10 + number % 21}T19:00:00+08:00"
            d.happen(at_merchant + "move_reservation", **here, date=day, starts_at=later)
            d.happen(at_merchant + "change_party", **here, date=day, party_size=number)
        elif what == 9:
            d.happen(at_merchant + "set_rating", **here, rating=number % 6 * 1.0, review_count=number * 7 % 30)
            d.happen(at_merchant + "post_review", **here, author="x", rating=1 + number % 5, body="So so.")
        elif what == 10:
            d.happen(at_merchant + "close_merchant", **here, date=day if number < 15 else None)
        else:
            d.happen(at_merchant + "change_deal", deal_id="d_mill", min_party=number, amount_minor=number * 100)
            d.happen(at_merchant + "set_capacity", **here, tables=number % 3, seats=number)
        d.check()
