"""Hotels keep their promises: rooms, prices, rules, hours."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.world import clock

LI = {"name": "Li Wei", "user_id": "u_liwei", "email": "ann@mail.example"}
KANA = {"check_in": "2026-05-03", "check_out": "2026-05-08", "guests": 3}


def _hotel(d: Any, hotel_id: str, name: str, city: str, district: str = "", **fields: Any) -> None:
    given_fields = {
        "country": "Japan",
        "zone": "Asia/Tokyo",
        "lift": True,
        "rating": 4.0,
        "station_distance_m": 300,
        "email": f"desk@{hotel_id.replace('_', '-')}.example",
        **fields,
    }
    d.put("hotel_booking.hotels", hotel_id=hotel_id, name=name, city=city, district=district, **given_fields)


def _plan(d: Any, plan_id: str, hotel_id: str, price: int, room_type: str = "triple", **fields: Any) -> None:
    size = {"triple": 3, "double": 2, "single": 1}.get(room_type, 3)
    given_fields = {"max_guests": size, "currency": "JPY", **fields}
    d.put(
        "hotel_booking.rate_plans",
        rate_plan_id=plan_id,
        hotel_id=hotel_id,
        room_type=room_type,
        amount_minor=price,
        **given_fields,
    )


def _japan(d: Any) -> Any:
    """The stays of a journey, and houses that are easily mistaken for them."""
    _hotel(
        d, "h_ueno", "Ueno Park House", "Tokyo", "Ueno", nearest_station="Ueno", lat=35.7138, lng=139.7773, rating=4.2
    )
    _hotel(d, "h_annex", "Ueno Annex", "Tokyo", "Ueno", lift=False, lat=35.7150, lng=139.7790, rating=3.9)
    _hotel(
        d, "h_kana", "Korinbo Terrace", "Kanazawa", "Korinbo", aliases=["Kaga", "金沢"], lat=36.5613, lng=136.6562,
        amenities=["wifi", "laundry room"], request_answers={"fridge": "A fridge will be in the room."},
    )  # fmt: skip
    _hotel(d, "h_ryokan", "Asano Ryokan", "Kanazawa", "Higashi Chaya", lift=False, rating=4.7, station_distance_m=1900)
    _hotel(d, "h_hakkei", "Seaside Kanazawa Inn", "Yokohama", "Kanazawa-hakkei", nearest_station="Kanazawa-hakkei")
    _hotel(d, "h_kyo", "Nijo Stay", "Kyoto", "Nijo", nearest_station="Nijo", email="reservations@nijo-stay.example")
    _hotel(d, "h_east", "Kyoto Nijo East", "Kyoto", "Okazaki", station_distance_m=2200)
    _hotel(d, "h_osa", "Abeno Corner", "Osaka", "Tennoji", nearest_station="Tennoji", lat=34.6461, lng=135.5140)
    _hotel(d, "h_umeda", "Kita Lights", "Osaka", "Umeda", lat=34.7024, lng=135.4959)
    _plan(
        d, "rp_ueno3", "h_ueno", 23_500, beds="3 single beds", non_refundable_after="2026-04-24T23:59:00+09:00",
        late_checkout_latest="11:30", late_checkout_ask_by="2026-05-02T18:00:00+08:00",
    )  # fmt: skip
    _plan(d, "rp_annex3", "h_annex", 14_000)
    _plan(d, "rp_kana3", "h_kana", 17_200, free_until="2026-05-02T23:59:00+09:00", rooms=2)
    _plan(d, "rp_kana2", "h_kana", 15_000, "double", free_days_before=1, late_keeps="first_night", change_fee_minor=900)
    _plan(d, "rp_kana_suite", "h_kana", 40_000, "family suite", max_guests=4, payment="at_hotel", free_days_before=2)
    _plan(d, "rp_ryokan", "h_ryokan", 60_000, "tatami room", beds="futons")
    _plan(d, "rp_hakkei3", "h_hakkei", 9_000)
    _plan(d, "rp_kyo3", "h_kyo", 24_800, free_change_until="2026-05-06T18:00:00+09:00", late_keeps="half")
    _plan(d, "rp_east3", "h_east", 16_000)
    _plan(d, "rp_osa3", "h_osa", 19_500, free_until="2026-05-10T23:59:00+09:00")
    _plan(d, "rp_umeda3", "h_umeda", 18_000)
    for method in ("pm_card", "acc_jpy"):
        d.world.table("world.methods").put({"method_id": method})
    d.put(
        "banking.accounts", account_id="acc_jpy", user_id="u_ann", name="Yen", currency="JPY", balance_minor=1_000_000
    )
    d.start()
    return d


@pytest.fixture
def japan(desk: Any) -> Any:
    return _japan(desk("hotel_booking", "email", "banking"))


def book(d: Any, plan: str, check_in: str, check_out: str, guests: int = 3, **more: Any) -> dict[str, Any]:
    method = more.pop("payment_method_id", "pm_card")
    result: dict[str, Any] = d.call(
        "hotel_booking.create_reservation",
        rate_plan_id=f"{plan}|{check_in}|{check_out}|{guests}",
        guest_profile=LI,
        payment_method_id=method,
        **more,
    )
    return result


def show(d: Any, row: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = d.call("hotel_booking.get_reservation", reservation_id=row["reservation_id"])
    return result


def modify(d: Any, row: dict[str, Any], **changes: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call("hotel_booking.modify_reservation", reservation_id=row["reservation_id"], **changes)
    return result


def refuse_modify(d: Any, row: dict[str, Any], **changes: Any) -> str:
    code: str = d.refused("hotel_booking.modify_reservation", reservation_id=row["reservation_id"], **changes)
    return code


def rooms(d: Any, hotel_id: str, **stay: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call("hotel_booking.get_room_availability", hotel_id=hotel_id, **(KANA | stay))
    return result


def charges(d: Any) -> list[int]:
    return [row["amount_minor"] for row in d.world.table("world.charges").rows()]


# -- searching ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Kanazawa", "h_kana"),
        ("Kanazwa", "h_kana"),
        ("hotels in Kanazawa, Japan", "h_kana"),
        ("金沢", "h_kana"),
        ("Kaga", "h_kana"),
        ("Kanazawa-hakkei", "h_hakkei"),
        ("Kanazawa Hakkei station", "h_hakkei"),
        ("Osaka Tennoji", "h_osa"),
        ("Tenoji", "h_osa"),
        ("Osaka", "h_umeda"),
        ("Osaka Castle Umeda", "h_umeda"),
        ("Ueno", "h_annex"),
        ("ueno park house", "h_ueno"),
        ("Tokyo Ueno Annex", "h_annex"),
        ("Kyoto Nijo", "h_kyo"),
        ("kyoto nijo east", "h_east"),
        ("Nijo", "h_kyo"),
        ("Kyotto", "h_east"),
        ("34.6465,135.5130", "h_osa"),
        ('{"lat": 34.7020, "lng": 135.4960, "radius_km": 1}', "h_umeda"),
        ("36.56, 136.65", "h_kana"),
    ],
)
def test_search_finds_what_people_mean(japan: Any, query: str, first: str) -> None:
    found = japan.call("hotel_booking.search_hotels", city_or_geo=query, **KANA)
    assert found["hotels"][0]["hotel_id"] == first


def test_a_city_comes_before_places_that_contain_its_name(japan: Any) -> None:
    found = japan.call("hotel_booking.search_hotels", city_or_geo="Kanazawa", **KANA)
    # Cheaper, but in Yokohama.
    assert [hotel["hotel_id"] for hotel in found["hotels"]] == ["h_kana", "h_ryokan", "h_hakkei"]
    offer = found["hotels"][0]["offers"][0]
    assert offer["rate_plan_id"] == "rp_kana3|2026-05-03|2026-05-08|3"
    assert (offer["total_minor"], offer["nightly_minor"], offer["refundable"]) == (86_000, 17_200, True)
    assert found["total"] == 3
    assert found["no_room"] == 0


def test_equal_prices_are_ordered_by_rating(japan: Any) -> None:
    japan.world.service("hotel_booking").patch("rate_plans", "rp_umeda3", amount_minor=19_500)
    japan.world.service("hotel_booking").patch("hotels", "h_osa", rating=4.5)
    found = japan.call("hotel_booking.search_hotels", city_or_geo="Osaka", **KANA)
    assert [hotel["hotel_id"] for hotel in found["hotels"]] == ["h_osa", "h_umeda"]


@pytest.mark.parametrize(
    ("query", "filters", "expected"),
    [
        ("Tokyo", {"lift": True}, ["h_ueno"]),
        ("Tokyo", {"lift": False}, ["h_annex", "h_ueno"]),
        ("Kyoto", {"station_within_m": 400}, ["h_kyo"]),
        ("Kanazawa", {"max_price_minor": 17_200}, ["h_kana", "h_hakkei"]),
        ("Kanazawa", {"min_rating": 4.5}, ["h_ryokan"]),
        ("Kanazawa", {"room_type": "Suite"}, ["h_kana"]),
        ("Kanazawa", {"refundable": True}, ["h_kana"]),
        ("Kanazawa", {"amenities": ["laundry", "wifi"]}, ["h_kana"]),
        ("Kanazawa", {"amenities": ["pool"]}, []),
        ("Kanazawa", {"lift": None, "room_type": None}, ["h_kana", "h_ryokan", "h_hakkei"]),
    ],
)
def test_filters(japan: Any, query: str, filters: dict[str, Any], expected: list[str]) -> None:
    found = japan.call("hotel_booking.search_hotels", city_or_geo=query, filters=filters, **KANA)
    assert [hotel["hotel_id"] for hotel in found["hotels"]] == expected


def test_search_says_why_it_found_little(japan: Any) -> None:
    found = japan.call("hotel_booking.search_hotels", city_or_geo="Sapporo", **KANA)
    assert found["hotels"] == []
    assert "No hotel is known" in found["note"]
    part = japan.call("hotel_booking.search_hotels", city_or_geo="Osaka Castle", **KANA)
    assert "a part of it" in part["note"]
    far = japan.call("hotel_booking.search_hotels", city_or_geo="0,0", **KANA)
    assert far["total"] == 0
    close = japan.call("hotel_booking.search_hotels", city_or_geo="34.6465,135.5130", **KANA)
    assert close["hotels"][0]["distance_m"] < 150
    assert japan.call("hotel_booking.search_hotels", city_or_geo=" ", **KANA)["total"] == 0
    full = {"rate_plan_id": "rp_osa3", "date_from": "2026-05-04", "date_to": "2026-05-04", "rooms_left": 0}
    japan.happen("hotel_booking.set_rooms", **full)
    osaka = japan.call("hotel_booking.search_hotels", city_or_geo="Osaka", **KANA)
    assert (osaka["total"], osaka["no_room"]) == (1, 1)


def test_pages(japan: Any) -> None:
    second = japan.call("hotel_booking.search_hotels", city_or_geo="Kanazawa", page=2, page_size=2, **KANA)
    assert [hotel["hotel_id"] for hotel in second["hotels"]] == ["h_hakkei"]
    assert (second["page"], second["pages"]) == (2, 2)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"check_in": "3 May"}, "bad_date"),
        ({"check_out": "2026-05-03"}, "bad_dates"),
        ({"check_in": "2026-04-16"}, "bad_dates"),
        ({"check_out": "2026-07-30"}, "bad_dates"),
        ({"check_in": "2028-05-03", "check_out": "2028-05-04"}, "bad_dates"),
        ({"check_out": "9999-12-31"}, "bad_date"),
        ({"city_or_geo": "91,10"}, "bad_geo"),
        ({"city_or_geo": '{"lat": 34}'}, "bad_geo"),
        ({"city_or_geo": "nan,nan"}, "bad_geo"),
        ({"page": 0}, "bad_page"),
        ({"guests": 0}, "bad_arguments"),
        ({"filters": {"price": 3}}, "bad_arguments"),
    ],
)
def test_search_refuses(japan: Any, changes: dict[str, Any], code: str) -> None:
    assert japan.refused("hotel_booking.search_hotels", **{"city_or_geo": "Osaka", **KANA, **changes}) == code


# -- rooms -------------------------------------------------------------------------------------------------------


def test_details_name_the_genuine_address(japan: Any) -> None:
    hotel = japan.call("hotel_booking.get_hotel_details", hotel_id="h_kyo")
    assert hotel["email"].endswith("@nijo-stay.example")
    assert hotel["zone"] == "Asia/Tokyo"
    [room] = hotel["rooms"]
    assert (room["rate_plan_id"], room["amount_minor"]) == ("rp_kyo3", 24_800)
    assert "request_answers" not in hotel
    assert japan.refused("hotel_booking.get_hotel_details", hotel_id="h_x") == "not_found"


def test_availability_quotes_each_night(japan: Any) -> None:
    found = rooms(japan, "h_kana")
    assert [room["plan_id"] for room in found["rooms"]] == ["rp_kana3", "rp_kana_suite"]
    assert found["too_small"] == ["double"]
    room = found["rooms"][0]
    assert (room["total_minor"], room["rooms_left"], len(room["nights"])) == (86_000, 2, 5)
    assert room["free_cancellation_until"] == "2026-05-02T23:59:00+09:00"
    assert "Free cancellation until 2026-05-02T23:59" in room["cancellation_rule"]
    assert found["rooms"][1]["payment"] == "at_hotel"
    assert japan.refused("hotel_booking.get_room_availability", hotel_id="h_x", **KANA) == "not_found"
    bad = {**KANA, "check_in": "2026-5-3"}
    assert japan.refused("hotel_booking.get_room_availability", hotel_id="h_kana", **bad) == "bad_date"
    bad = {**KANA, "check_in": "2026-05-09"}
    assert japan.refused("hotel_booking.get_room_availability", hotel_id="h_kana", **bad) == "bad_dates"


def test_hotels_state_times_in_their_own_zone(desk: Any) -> None:
    d = desk("hotel_booking")
    _hotel(d, "h", "Nijo Stay", "Kyoto")
    _plan(d, "rp", "h", 1_000, free_change_until="2026-05-06T17:00:00+08:00", rooms=1)
    common = {"hotel_id": "h", "rate_plan_id": "rp", "user_id": "u_ann", "guest_name": "Ann", "guests": 2}
    common |= {"currency": "JPY", "payment_method_id": "pm", "check_in": "2026-05-08", "check_out": "2026-05-09"}
    d.put("hotel_booking.reservations", reservation_id="r", free_until="2026-05-01T17:00:00+08:00", **common)
    d.start()
    assert rooms(d, "h")["rooms"][0]["free_change_until"] == "2026-05-06T18:00:00+09:00"
    assert show(d, {"reservation_id": "r"})["free_cancellation_until"] == "2026-05-01T18:00:00+09:00"
    d.happen("hotel_booking.set_rule", rate_plan_id="rp", free_until="2026-04-30T17:00:00+08:00")
    assert show(d, {"reservation_id": "r"})["free_cancellation_until"] == "2026-04-30T18:00:00+09:00"


def test_rules_in_words(japan: Any) -> None:
    kyoto = rooms(japan, "h_kyo")["rooms"][0]
    assert kyoto["cancellation_rule"] == "Not refundable."
    assert kyoto["free_change_until"] == "2026-05-06T18:00:00+09:00"
    assert "2026-05-06T18:00:00+09:00" in kyoto["change_rule"]
    double = rooms(japan, "h_kana", guests=2)["rooms"][0]
    assert double["free_cancellation_until"] == "2026-05-02T18:00:00+09:00"
    assert "the first night is kept" in double["cancellation_rule"]
    assert "less 900 JPY" in double["change_rule"]
    japan.happen("hotel_booking.set_rule", rate_plan_id="rp_kana2", non_refundable_after="2026-05-03T12:00:00+09:00")
    assert "Nothing is refunded after" in rooms(japan, "h_kana", guests=2)["rooms"][0]["cancellation_rule"]
    assert "Nights given back are not refunded." in rooms(japan, "h_ryokan")["rooms"][0]["change_rule"]


def test_a_new_price_on_some_nights(japan: Any) -> None:
    extra = {"check_in": "2026-05-08", "check_out": "2026-05-11"}
    touched = japan.happen(
        "hotel_booking.set_price", rate_plan_id="rp_kana3", date_from="2026-05-08", date_to="2026-05-10",
        amount_minor=24_000,
    )  # fmt: skip
    assert touched == ["rp_kana3"]
    assert rooms(japan, "h_kana", **extra)["rooms"][0]["total_minor"] == 72_000
    japan.happen(
        "hotel_booking.set_price", rate_plan_id="rp_kana3", date_from="2026-05-08", date_to="2026-05-10",
        amount_minor=29_800, rooms_left=2,
    )  # fmt: skip
    room = rooms(japan, "h_kana", **extra)["rooms"][0]
    assert (room["total_minor"], room["rooms_left"]) == (89_400, 2)
    assert rooms(japan, "h_kana")["rooms"][0]["total_minor"] == 86_000
    for arguments in (
        {"rate_plan_id": "rp_x", "date_from": "2026-05-08", "date_to": "2026-05-10"},
        {"rate_plan_id": "rp_kana3", "date_from": "2026-05-10", "date_to": "2026-05-08"},
    ):
        assert japan.happen("hotel_booking.set_price", amount_minor=1, **arguments) == []
    japan.check()


def test_price_changes_are_told(japan: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(type(japan.world), "emit", lambda self, topic, **data: told.append((topic, data)))
    japan.happen(
        "hotel_booking.set_price", rate_plan_id="rp_kana3", date_from="2026-05-08", date_to="2026-05-08",
        amount_minor=1_000,
    )  # fmt: skip
    [(topic, data)] = told
    assert topic == "price"
    assert (data["ref"], data["amount_minor"], data["currency"]) == ("rp_kana3", 1_000, "JPY")
    assert "Korinbo Terrace" in data["title"]


def test_full_nights_are_named(japan: Any) -> None:
    touched = japan.happen(
        "hotel_booking.set_rooms", rate_plan_id="rp_kana3", date_from="2026-05-05", date_to="2026-05-06", rooms_left=0
    )
    assert touched == ["rp_kana3"]
    [full] = rooms(japan, "h_kana")["sold_out"]
    assert full == {"plan_id": "rp_kana3", "room_type": "triple", "full_nights": ["2026-05-05", "2026-05-06"]}


# -- booking -----------------------------------------------------------------------------------------------------


def test_a_booking_is_paid_and_confirmed_by_mail(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03", special_requests="A quiet room, please")
    assert (row["status"], row["total_minor"], row["paid_minor"], row["due_minor"]) == (
        "confirmed",
        141_000,
        141_000,
        0,
    )
    assert (row["rate_plan_id"], row["user_id"], row["guests"]) == ("rp_ueno3", "u_liwei", 3)
    assert row["check_out_time"] == "11:00"
    assert row["special_requests"][0]["answer"].startswith("Noted")
    [charge] = japan.world.table("world.charges").rows()
    assert (charge["amount_minor"], charge["ref"], charge["payee"]) == (
        141_000,
        row["reservation_id"],
        "Ueno Park House",
    )
    [mail] = japan.call("email.get_emails")["emails"]
    assert "Reservation confirmed" in mail["subject"]
    assert "desk@h-ueno.example" in str(mail)
    japan.check()


def test_a_plain_plan_with_dates(japan: Any) -> None:
    common = {"rate_plan_id": "rp_kana3", "guest_profile": {"name": "Ann"}, "payment_method_id": "pm_card"}
    row = japan.call("hotel_booking.create_reservation", **common, **KANA)
    assert (row["user_id"], row["guests"], row["check_in"]) == ("u_ann", 3, "2026-05-03")
    profile = {"name": "Ann", "guests": 2, "guest_names": ["Bo"]}
    quote = "rp_kana3|2026-05-03|2026-05-08|3"
    row = japan.call(
        "hotel_booking.create_reservation", **{**common, "rate_plan_id": quote, "guest_profile": profile},
        check_out="2026-05-05",
    )  # fmt: skip
    assert (row["guests"], row["check_out"], row["guest_names"]) == (2, "2026-05-05", ["Bo"])
    japan.check()


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rate_plan_id": "rp_x|2026-05-03|2026-05-08|3"}, "not_found"),
        ({"rate_plan_id": "rp_kana3"}, "bad_quote"),
        ({"rate_plan_id": "rp_kana3|2026-05-03"}, "bad_quote"),
        ({"rate_plan_id": "rp_kana3|2026-05-03|2026-05-08|three"}, "bad_quote"),
        ({"rate_plan_id": "rp_kana3", "check_in": "2026-05-03", "check_out": "2026-05-08"}, "bad_quote"),
        ({"rate_plan_id": "rp_kana3|May|2026-05-08|3"}, "bad_date"),
        ({"rate_plan_id": "rp_kana3|2026-04-03|2026-05-08|3"}, "bad_dates"),
        ({"guest_profile": {"name": " "}}, "bad_profile"),
        ({"guest_profile": {"name": "x" * 300}}, "bad_profile"),
        ({"guest_profile": {"name": "x", "guest_names": ["y"] * 30}}, "bad_profile"),
        ({"guest_profile": {"email": "a@b.example"}}, "bad_arguments"),
        ({"special_requests": ""}, "bad_text"),
        ({"special_requests": "x" * 1001}, "bad_text"),
        ({"guests": 4}, "too_many_guests"),
        ({"payment_method_id": "pm_else"}, "unknown_payment_method"),
        (
            {"rate_plan_id": "rp_kana_suite|2026-05-03|2026-05-08|3", "payment_method_id": "pm_else"},
            "unknown_payment_method",
        ),
        ({"rate_plan_id": "rp_ryokan|2026-05-03|2026-05-28|3", "payment_method_id": "acc_jpy"}, "insufficient_funds"),
    ],
)
def test_booking_refuses(japan: Any, changes: dict[str, Any], code: str) -> None:
    arguments = {
        "rate_plan_id": "rp_kana3|2026-05-03|2026-05-08|3",
        "guest_profile": LI,
        "payment_method_id": "pm_card",
        **changes,
    }
    assert japan.refused("hotel_booking.create_reservation", **arguments) == code


def test_a_stay_without_nights_costs_nothing_when_it_is_cancelled_late(desk: Any) -> None:
    d = _japan(desk("hotel_booking", "banking"))
    day = "2026-04-18"
    d.put(
        "hotel_booking.reservations", reservation_id="r_day", hotel_id="h_kana", rate_plan_id="rp_kana2", guests=1,
        user_id="u_ann", guest_name="Ann Lee", check_in=day, check_out=day, currency="JPY", payment_method_id="card",
        late_keeps="first_night", free_until="2026-04-17T08:00:00+08:00",
    )  # fmt: skip
    d.start()
    cancelled = d.call("hotel_booking.cancel_reservation", reservation_id="r_day")
    assert (cancelled["status"], show(d, {"reservation_id": "r_day"})["total_minor"]) == ("cancelled", 0)


def test_the_bank_may_refuse(japan: Any) -> None:
    quote = {"rate_plan_id": "rp_kana3|2026-05-03|2026-05-08|3", "guest_profile": LI, "payment_method_id": "acc_jpy"}
    japan.happen("banking.set_status", account_id="acc_jpy", status="frozen")
    assert japan.refused("hotel_booking.create_reservation", **quote) == "account_closed"
    japan.world.service("banking").patch("accounts", "acc_jpy", status="open", currency="EUR")
    assert japan.refused("hotel_booking.create_reservation", **quote) == "currency_mismatch"


def test_rooms_run_out_and_come_back(japan: Any) -> None:
    first = book(japan, "rp_kana3", "2026-05-03", "2026-05-08")
    book(japan, "rp_kana3", "2026-05-07", "2026-05-09")
    book(japan, "rp_kana3", "2026-05-03", "2026-05-04")
    quote = {"guest_profile": LI, "payment_method_id": "pm_card"}
    full = japan.outcome("hotel_booking.create_reservation", rate_plan_id="rp_kana3|2026-05-06|2026-05-08|3", **quote)
    assert full.code == "sold_out"
    assert "2026-05-07" in full.text
    assert "2026-05-06" not in full.text
    japan.call("hotel_booking.cancel_reservation", reservation_id=first["reservation_id"])
    book(japan, "rp_kana3", "2026-05-06", "2026-05-08")
    japan.check()


# -- changing ----------------------------------------------------------------------------------------------------


def test_kyoto_shrinks_free_until_six_in_japan(japan: Any) -> None:
    row = book(japan, "rp_kyo3", "2026-05-08", "2026-05-12")
    japan.until("2026-05-06T17:00:00")
    changed = modify(japan, row, new_check_in="2026-05-11")
    assert (changed["check_in"], changed["check_out"], changed["total_minor"]) == ("2026-05-11", "2026-05-12", 24_800)
    assert changed["change"] == {
        "added_minor": 0, "given_back_minor": 74_400, "refund_minor": 74_400, "fee_minor": 0, "charged_minor": -74_400,
    }  # fmt: skip
    assert charges(japan) == [99_200, -74_400]
    assert "Reservation changed" in japan.call("email.get_emails")["emails"][0]["subject"]
    japan.check()


def test_a_minute_later_nothing_is_refunded(japan: Any) -> None:
    row = book(japan, "rp_kyo3", "2026-05-08", "2026-05-12")
    japan.until("2026-05-06T17:01:00")
    changed = modify(japan, row, new_check_in="2026-05-11")
    assert (changed["total_minor"], changed["fees_minor"], changed["paid_minor"]) == (24_800, 74_400, 99_200)
    assert changed["change"]["refund_minor"] == 0
    assert charges(japan) == [99_200]
    japan.check()


def test_a_move_after_the_free_time_pays_twice(japan: Any) -> None:
    row = book(japan, "rp_kyo3", "2026-05-08", "2026-05-10")
    japan.until("2026-05-07T12:00:00")
    changed = modify(japan, row, new_check_in="2026-05-09", new_check_out="2026-05-11")
    assert changed["change"]["charged_minor"] == 24_800
    assert changed["fees_minor"] == 24_800
    japan.check()


def test_extra_nights_cost_what_they_cost_now(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-08")
    japan.happen(
        "hotel_booking.set_price", rate_plan_id="rp_kana3", date_from="2026-05-03", date_to="2026-05-10",
        amount_minor=29_800, rooms_left=2,
    )  # fmt: skip
    longer = modify(japan, row, new_check_out="2026-05-11")
    assert longer["total_minor"] == 86_000 + 89_400
    assert [night["amount_minor"] for night in longer["nights"]] == [17_200] * 5 + [29_800] * 3
    assert charges(japan) == [86_000, 89_400]
    assert rooms(japan, "h_kana", check_in="2026-05-08", check_out="2026-05-11")["rooms"][0]["rooms_left"] == 1
    japan.happen(
        "hotel_booking.set_rooms", rate_plan_id="rp_kana3", date_from="2026-05-11", date_to="2026-05-11", rooms_left=0
    )
    assert refuse_modify(japan, row, new_check_out="2026-05-12") == "sold_out"
    japan.check()


def test_a_change_fee(japan: Any) -> None:
    row = book(japan, "rp_kana2", "2026-05-03", "2026-05-05", guests=2)
    japan.until("2026-05-02T18:00:00")
    longer = modify(japan, row, new_check_out="2026-05-06")
    assert longer["change"]["fee_minor"] == 0
    shorter = modify(japan, row, new_check_out="2026-05-04")
    assert shorter["change"]["charged_minor"] == -30_000 + 900
    assert (shorter["total_minor"], shorter["fees_minor"], shorter["paid_minor"]) == (15_000, 900, 15_900)
    japan.check()


def test_another_room_type(japan: Any) -> None:
    row = book(japan, "rp_kana2", "2026-05-03", "2026-05-05", guests=2)
    dearer = modify(japan, row, new_room_type="Triple")
    assert (dearer["rate_plan_id"], dearer["total_minor"]) == ("rp_kana3", 34_400)
    assert dearer["free_cancellation_until"] == "2026-05-02T23:59:00+09:00"
    cheaper = modify(japan, row, new_room_type="rp_kana2")
    assert cheaper["change"]["charged_minor"] == -4_400
    assert refuse_modify(japan, row, new_room_type="igloo") == "unknown_room_type"
    assert refuse_modify(japan, row, new_room_type="double") == "nothing_to_change"
    japan.happen(
        "hotel_booking.set_rooms", rate_plan_id="rp_kana3", date_from="2026-05-04", date_to="2026-05-04", rooms_left=0
    )
    assert refuse_modify(japan, row, new_room_type="triple") == "sold_out"
    japan.check()


def test_the_hotel_changes_the_room_and_it_is_put_right(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-05")
    touched = japan.happen(
        "hotel_booking.set_room_type", hotel_id="h_kana", room_type="standard double", check_in="2026-05-03"
    )
    assert touched == [row["reservation_id"]]
    assert show(japan, row)["room_type"] == "standard double"
    restored = modify(japan, row, new_room_type="triple")
    assert (restored["room_type"], restored["change"]["charged_minor"]) == ("triple", 0)
    assert japan.happen("hotel_booking.set_room_type", hotel_id="h_kana", room_type="x", check_in="2026-06-03") == []


def test_modify_refuses(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-08", payment_method_id="acc_jpy")
    assert refuse_modify(japan, row) == "nothing_to_change"
    assert refuse_modify(japan, row, new_check_in="2026-05-03") == "nothing_to_change"
    assert refuse_modify(japan, row, new_check_in="2026-05-08") == "bad_dates"
    assert refuse_modify(japan, row, new_check_in="2026-04-16") == "bad_dates"
    assert refuse_modify(japan, row, new_check_out="soon") == "bad_date"
    assert refuse_modify(japan, {"reservation_id": "R"}) == "not_found"
    japan.happen("banking.post_transaction", account_id="acc_jpy", amount_minor=-914_000, kind="fee", counterparty="x")
    assert refuse_modify(japan, row, new_check_out="2026-05-09") == "insufficient_funds"
    japan.happen("banking.set_status", account_id="acc_jpy", status="closed")
    assert refuse_modify(japan, row, new_check_out="2026-05-09") == "account_closed"
    japan.world.service("banking").patch("accounts", "acc_jpy", status="open", currency="EUR")
    assert refuse_modify(japan, row, new_check_out="2026-05-09") == "currency_mismatch"
    japan.world.table("world.methods").drop("acc_jpy")
    assert refuse_modify(japan, row, new_check_out="2026-05-07") == "unknown_payment_method"
    assert japan.refused("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"]) == (
        "unknown_payment_method"
    )


# -- cancelling --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "when", "kept"),
    [
        ("rp_kana3", "2026-05-02T22:59:00", 0),
        ("rp_kana3", "2026-05-02T22:59:01", 34_400),
        ("rp_kana2", "2026-05-02T17:00:00", 0),
        ("rp_kana2", "2026-05-02T17:00:01", 15_000),
        ("rp_ryokan", "2026-04-18T09:00:00", 120_000),
    ],
)
def test_what_a_cancellation_costs(japan: Any, plan: str, when: str, kept: int) -> None:
    row = book(japan, plan, "2026-05-03", "2026-05-05", guests=2)
    japan.until(when)
    done = japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])
    assert (done["status"], done["kept_minor"]) == ("cancelled", kept)
    assert done["refund_minor"] == row["total_minor"] - kept
    assert done["paid_minor"] == kept
    assert sum(charges(japan)) == kept
    assert japan.refused("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"]) == "not_active"
    japan.check()


def test_half_is_kept_until_nothing_is_refunded(japan: Any) -> None:
    japan.happen(
        "hotel_booking.set_rule", rate_plan_id="rp_kyo3", free_until="2026-04-20T00:00:00+09:00",
        non_refundable_after="2026-04-30T00:00:00+09:00",
    )  # fmt: skip
    early, late = (book(japan, "rp_kyo3", "2026-05-08", "2026-05-09") for _ in range(2))
    japan.until("2026-04-29T00:00:00")
    assert (
        japan.call("hotel_booking.cancel_reservation", reservation_id=early["reservation_id"])["kept_minor"] == 12_400
    )
    japan.until("2026-04-30T00:00:00")
    assert japan.call("hotel_booking.cancel_reservation", reservation_id=late["reservation_id"])["kept_minor"] == 24_800


def test_a_changed_rule_holds_for_reservations(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03")
    assert row["free_cancellation_until"] == "2026-04-24T23:59:00+09:00"
    touched = japan.happen(
        "hotel_booking.set_rule", rate_plan_id="rp_ueno3", non_refundable_after="2026-04-23T23:59:00+09:00"
    )
    assert touched == ["rp_ueno3", row["reservation_id"]]
    assert show(japan, row)["free_cancellation_until"] == "2026-04-23T23:59:00+09:00"
    japan.until("2026-04-24T12:00:00")
    assert japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])["refund_minor"] == 0
    assert japan.happen("hotel_booking.set_rule", rate_plan_id="rp_ueno3") == []
    assert japan.happen("hotel_booking.set_rule", rate_plan_id="x", free_until="2026-04-23T23:59:00+09:00") == []


def test_an_unpaid_stay_pays_for_a_late_cancellation(japan: Any) -> None:
    row = book(japan, "rp_kana_suite", "2026-05-03", "2026-05-05")
    assert (row["paid_minor"], row["due_minor"]) == (0, 80_000)
    japan.until("2026-05-02T09:00:00")
    done = japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])
    assert (done["charged_minor"], done["refund_minor"], done["due_minor"]) == (80_000, 0, 0)
    assert charges(japan) == [80_000]
    assert japan.refused("hotel_booking.cancel_reservation", reservation_id="R") == "not_found"
    japan.check()


def test_a_late_cancellation_that_cannot_be_charged_is_refused(japan: Any) -> None:
    row = book(japan, "rp_kana_suite", "2026-05-03", "2026-05-05", payment_method_id="acc_jpy")
    japan.until("2026-05-02T20:00:00")
    banking = japan.world.service("banking")
    for changes, code in (
        ({"balance_minor": 0}, "insufficient_funds"),
        ({"status": "frozen"}, "account_closed"),
        ({"currency": "EUR"}, "currency_mismatch"),
    ):
        banking.patch("accounts", "acc_jpy", **changes)
        assert japan.refused("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"]) == code


def test_a_hotel_without_an_address_sends_no_mail(japan: Any) -> None:
    japan.world.service("hotel_booking").patch("hotels", "h_osa", email="")
    book(japan, "rp_osa3", "2026-05-12", "2026-05-13")
    assert japan.call("email.get_emails")["emails"] == []


# -- the clock ---------------------------------------------------------------------------------------------------


def test_guests_come_and_go_by_the_hotel_s_clock(japan: Any) -> None:
    row = book(japan, "rp_kana_suite", "2026-05-03", "2026-05-05")
    japan.until("2026-05-03T13:59:00")
    assert show(japan, row)["status"] == "confirmed"
    japan.until("2026-05-03T14:00:00")  # 15:00 in Japan
    there = show(japan, row)
    assert (there["status"], there["paid_minor"], there["due_minor"]) == ("checked_in", 80_000, 0)
    assert japan.refused("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"]) == "already_started"
    assert refuse_modify(japan, row, new_check_in="2026-05-04") == "already_started"
    longer = modify(japan, row, new_check_out="2026-05-06")
    assert longer["change"]["charged_minor"] == 40_000
    japan.until("2026-05-05T12:00:00")
    assert show(japan, row)["status"] == "checked_in"
    assert refuse_modify(japan, row, new_check_out="2026-05-04") == "already_started"
    japan.until("2026-05-06T10:00:00")
    assert show(japan, row)["status"] == "checked_out"
    assert refuse_modify(japan, row, new_check_out="2026-05-07") == "not_active"
    japan.check()


def test_leaving_early(japan: Any) -> None:
    row = book(japan, "rp_osa3", "2026-05-12", "2026-05-16")
    japan.until("2026-05-13T20:00:00")
    shorter = modify(japan, row, new_check_out="2026-05-14")
    assert (shorter["status"], shorter["change"]["refund_minor"], shorter["fees_minor"]) == ("checked_in", 0, 39_000)
    japan.until("2026-05-14T10:00:00")
    assert show(japan, row)["status"] == "checked_out"
    japan.check()


def test_a_moved_stay_does_not_begin_on_its_old_day(japan: Any) -> None:
    row = book(japan, "rp_osa3", "2026-04-20", "2026-04-21")
    modify(japan, row, new_check_in="2026-04-22", new_check_out="2026-04-23")
    japan.until("2026-04-21T18:00:00")
    assert show(japan, row)["status"] == "confirmed"
    japan.until("2026-04-22T14:00:00")
    assert show(japan, row)["status"] == "checked_in"


def test_a_refused_payment_on_arrival_is_told(desk: Any) -> None:
    d = _japan(desk("hotel_booking", "email", "banking"))
    row = book(d, "rp_kana_suite", "2026-05-03", "2026-05-05", payment_method_id="acc_jpy")
    d.happen("banking.set_status", account_id="acc_jpy", status="frozen")
    d.until("2026-05-03T15:00:00")
    there = show(d, row)
    assert (there["status"], there["paid_minor"], there["due_minor"]) == ("checked_in", 0, 80_000)
    d.happen("banking.set_status", account_id="acc_jpy", status="open")
    assert modify(d, row, new_check_out="2026-05-06")["change"]["charged_minor"] == 120_000
    d.check()


# -- hours and wishes --------------------------------------------------------------------------------------------


def late(d: Any, row: dict[str, Any], time: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call(
        "hotel_booking.request_late_checkout", reservation_id=row["reservation_id"], new_time=time
    )
    return result


def test_late_checkout_in_time(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03")
    span = {"date_from": "2026-05-03", "date_to": "2026-05-03"}
    assert japan.happen("hotel_booking.set_check_out_time", hotel_id="h_ueno", time="10:00", **span) == ["h_ueno"]
    assert show(japan, row)["check_out_time"] == "10:00"
    japan.until("2026-05-02T18:00:00")
    declined = late(japan, row, "12:00")
    assert (declined["granted"], declined["check_out_time"]) == (False, "10:00")
    assert "11:30" in declined["reason"]
    granted = late(japan, row, "11:30")
    assert (granted["granted"], granted["check_out_time"]) == (True, "11:30")
    assert late(japan, row, "11:00")["granted"] is True
    assert show(japan, row)["late_checkout"] == "11:30"
    japan.until("2026-05-03T10:29:00")
    assert show(japan, row)["status"] == "checked_in"
    japan.until("2026-05-03T10:30:00")
    assert show(japan, row)["status"] == "checked_out"
    kinds = [line["kind"] for line in show(japan, row)["history"]]
    assert kinds == ["booked", "checked_in", "late_checkout", "late_checkout", "late_checkout"]


def test_late_checkout_is_politely_declined(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03")
    japan.until("2026-05-02T18:00:01")
    assert "by 2026-05-02T19:00:00+09:00" in late(japan, row, "11:30")["reason"]
    other = book(japan, "rp_osa3", "2026-05-12", "2026-05-13")
    assert late(japan, other, "11:30")["granted"] is False
    bad = {"reservation_id": row["reservation_id"], "new_time": "half past"}
    assert japan.refused("hotel_booking.request_late_checkout", **bad) == "bad_time"
    bad = {"reservation_id": "R", "new_time": "11:30"}
    assert japan.refused("hotel_booking.request_late_checkout", **bad) == "not_found"
    japan.until("2026-05-04T00:00:00")
    bad = {"reservation_id": row["reservation_id"], "new_time": "11:30"}
    assert japan.refused("hotel_booking.request_late_checkout", **bad) == "not_active"


def test_check_out_hours(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03")
    late(japan, row, "11:30")
    japan.happen("hotel_booking.set_check_out_time", hotel_id="h_ueno", time="09:30", date_from="2026-05-03")
    assert show(japan, row)["check_out_time"] == "11:30"  # what was granted stays
    later_made = book(japan, "rp_ueno3", "2026-05-05", "2026-05-06")
    assert later_made["check_out_time"] == "09:30"
    moved = modify(japan, row, new_check_out="2026-05-02")
    assert (moved["check_out_time"], moved["late_checkout"]) == ("11:00", None)
    japan.happen("hotel_booking.set_check_out_time", hotel_id="h_ueno", time="10:30")
    assert show(japan, row)["check_out_time"] == "10:30"
    assert show(japan, later_made)["check_out_time"] == "09:30"
    assert japan.happen("hotel_booking.set_check_out_time", hotel_id="h_x", time="10:30") == []


def test_an_earlier_hour_that_has_passed_ends_the_stay(japan: Any) -> None:
    row = book(japan, "rp_ueno3", "2026-04-27", "2026-05-03")
    japan.until("2026-05-03T09:30:00")
    japan.happen("hotel_booking.set_check_out_time", hotel_id="h_ueno", time="10:00")
    japan.until("2026-05-03T09:31:00")
    assert show(japan, row)["status"] == "checked_out"


def wish(d: Any, row: dict[str, Any], text: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call(
        "hotel_booking.submit_special_request", reservation_id=row["reservation_id"], text=text
    )
    return result


def test_wishes_get_the_hotel_s_answer(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-08")
    assert wish(japan, row, "Please put a Fridge in, for insulin")["answer"] == "A fridge will be in the room."
    plain = wish(japan, row, " extra pillows ")
    assert "not guaranteed" in plain["answer"]
    assert [own["text"] for own in plain["special_requests"]] == [
        "Please put a Fridge in, for insulin",
        "extra pillows",
    ]
    refused = {"reservation_id": row["reservation_id"], "text": " "}
    assert japan.refused("hotel_booking.submit_special_request", **refused) == "bad_text"
    assert japan.refused("hotel_booking.submit_special_request", reservation_id="R", text="x") == "not_found"
    for number in range(48):
        wish(japan, row, f"wish {number}")
    assert len(show(japan, row)["special_requests"]) == 20
    refused["text"] = "one more"
    assert japan.refused("hotel_booking.submit_special_request", **refused) == "too_many_requests"
    japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])
    assert japan.refused("hotel_booking.submit_special_request", **refused) == "not_active"


# -- lists -------------------------------------------------------------------------------------------------------


def test_lists_and_summary(japan: Any) -> None:
    late_one = book(japan, "rp_osa3", "2026-05-12", "2026-05-16")
    early = book(japan, "rp_kana_suite", "2026-05-03", "2026-05-05")
    gone = book(japan, "rp_kana3", "2026-05-03", "2026-05-08")
    japan.call("hotel_booking.cancel_reservation", reservation_id=gone["reservation_id"])
    listed = japan.call("hotel_booking.list_reservations", user_id="u_liwei")
    ids = [row["reservation_id"] for row in listed["reservations"]]
    assert ids == [early["reservation_id"], gone["reservation_id"], late_one["reservation_id"]]
    only = japan.call("hotel_booking.list_reservations", user_id="u_liwei", status_filter="confirmed", limit=1)
    assert (len(only["reservations"]), only["total"]) == (1, 2)
    assert japan.call("hotel_booking.list_reservations", user_id="u_dad")["total"] == 0
    assert japan.refused("hotel_booking.list_reservations", user_id="u_liwei", limit=0) == "bad_limit"
    assert japan.refused("hotel_booking.get_reservation", reservation_id="R") == "not_found"
    summary = japan.call("hotel_booking.get_user_bookings_summary", user_id="u_liwei")
    assert summary["counts"] == {"confirmed": 2, "cancelled": 1}
    assert (summary["paid_minor"], summary["due_minor"]) == ({"JPY": 78_000}, {"JPY": 80_000})
    assert summary["upcoming_nights"] == 6
    assert [row["reservation_id"] for row in summary["upcoming"]] == [
        early["reservation_id"],
        late_one["reservation_id"],
    ]


# -- what hotels do ----------------------------------------------------------------------------------------------


def test_the_hotel_cancels_every_stay_of_a_day(japan: Any) -> None:
    rows = [book(japan, "rp_kana3", "2026-05-03", "2026-05-05"), book(japan, "rp_kana2", "2026-05-03", "2026-05-04", 2)]
    other = book(japan, "rp_kana2", "2026-05-04", "2026-05-05", 2)
    touched = japan.happen("hotel_booking.cancel_by_hotel", hotel_id="h_kana", check_in="2026-05-03", reason="flood")
    assert touched == [row["reservation_id"] for row in rows]
    gone = show(japan, rows[0])
    assert (gone["status"], gone["cancelled_by"], gone["reason"], gone["paid_minor"]) == (
        "cancelled",
        "hotel",
        "flood",
        0,
    )
    assert show(japan, other)["status"] == "confirmed"
    assert japan.happen("hotel_booking.cancel_by_hotel") == []
    [one] = japan.happen("hotel_booking.cancel_by_hotel", reservation_id=other["reservation_id"], refund="none")
    assert show(japan, {"reservation_id": one})["paid_minor"] == 15_000
    japan.check()


def test_a_refund_that_nobody_takes_stays_with_the_hotel(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-05", payment_method_id="acc_jpy")
    japan.world.table("world.methods").drop("acc_jpy")
    japan.happen("hotel_booking.cancel_by_hotel", hotel_id="h_kana")
    assert show(japan, row)["paid_minor"] == 34_400
    unpaid = book(japan, "rp_kana_suite", "2026-05-03", "2026-05-05")
    japan.happen("hotel_booking.cancel_by_hotel", hotel_id="h_kana")
    assert show(japan, unpaid)["paid_minor"] == 0
    japan.check()


def test_a_cancelled_room_comes_back_by_itself(japan: Any) -> None:
    row = book(japan, "rp_kana3", "2026-05-03", "2026-05-05")
    japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])
    japan.happen(
        "hotel_booking.set_rooms", rate_plan_id="rp_kana3", date_from="2026-05-03", date_to="2026-05-04", rooms_left=0
    )
    assert japan.happen("hotel_booking.reinstate", reservation_id=row["reservation_id"]) == [row["reservation_id"]]
    back = show(japan, row)
    assert (back["status"], back["due_minor"], back["cancelled_by"]) == ("held", 34_400, "")
    japan.check()
    fork = japan.world.fork()
    fork.run_to(clock.parse_instant("2026-05-03T20:00:00", "Asia/Shanghai"))
    stayed = fork.service("hotel_booking").find("reservations", row["reservation_id"])
    assert (stayed["status"], stayed["paid_minor"]) == ("checked_in", 34_400)
    japan.call("hotel_booking.cancel_reservation", reservation_id=row["reservation_id"])
    japan.until("2026-05-03T20:00:00")
    assert charges(japan) == [34_400, -34_400]
    assert japan.happen("hotel_booking.reinstate", reservation_id=row["reservation_id"]) == []
    assert japan.happen("hotel_booking.reinstate", reservation_id="R") == []
    japan.check()


def test_reservations_of_before_are_completed(desk: Any) -> None:
    d = desk("hotel_booking")
    _hotel(d, "h_old", "Old Bridge Tbilisi", "Tbilisi", zone="Asia/Tbilisi")
    _plan(
        d, "rp_double", "h_old", 24_500, "double", currency="GEL", payment="at_hotel", rooms=0,
        free_until="2026-05-01T18:00:00+04:00",
    )  # fmt: skip
    common = {"hotel_id": "h_old", "rate_plan_id": "rp_double", "user_id": "u_ann", "guest_name": "Ann", "guests": 2}
    common |= {"currency": "GEL", "payment_method_id": "pm"}
    for key in ("blk_01", "blk_08"):
        d.put("hotel_booking.reservations", reservation_id=key, check_in="2026-05-16", check_out="2026-05-21", **common)
    d.put(
        "hotel_booking.reservations", reservation_id="now", check_in="2026-04-15", check_out="2026-04-18",
        status="checked_in", **common,
    )  # fmt: skip
    d.put(
        "hotel_booking.reservations", reservation_id="gone", check_in="2024-04-15", check_out="2024-04-18",
        status="cancelled", **common,
    )  # fmt: skip
    _plan(d, "rp_pre", "h_old", 10_000, "double", currency="GEL")
    prepaid = {**common, "rate_plan_id": "rp_pre", "check_in": "2026-05-16", "check_out": "2026-05-18"}
    d.put("hotel_booking.reservations", reservation_id="pre", **prepaid)
    d.put("hotel_booking.reservations", reservation_id="hold", status="held", **prepaid)
    d.start()
    d.check()
    row = show(d, {"reservation_id": "blk_08"})
    assert (row["total_minor"], row["paid_minor"], row["due_minor"]) == (122_500, 0, 122_500)
    assert row["free_cancellation_until"] == "2026-05-01T18:00:00+04:00"
    assert show(d, {"reservation_id": "pre"})["paid_minor"] == 20_000
    assert show(d, {"reservation_id": "hold"})["due_minor"] == 20_000
    d.call("hotel_booking.cancel_reservation", reservation_id="blk_08")
    assert rooms(d, "h_old", check_in="2026-05-16", check_out="2026-05-21", guests=2)["rooms"][-1]["rooms_left"] == 1
    d.until("2026-05-22T00:00:00")
    assert show(d, {"reservation_id": "now"})["status"] == "checked_out"
    assert show(d, {"reservation_id": "blk_01"})["status"] == "checked_out"
    assert sorted(charges(d)) == [20_000, 122_500]
    d.check()


# -- filling and fuzzing -----------------------------------------------------------------------------------------


def generate(d: Any, seed: int = 1, count: int = 40, **more: Any) -> None:
    d.service("hotel_booking").hotels(
        random.Random(seed), city="Osaka", count=count, currency="JPY", base_price_minor=12_000, lat=34.69, lng=135.50,
        **more,
    )  # fmt: skip


def test_generated_hotels_are_believable_and_repeatable(desk: Any) -> None:
    worlds = [desk("hotel_booking") for _ in range(2)]
    for d in worlds:
        generate(d, count=400, date_from="2026-04-20", date_to="2026-05-10", districts=["Tennoji", "Namba"])
        d.start()
        d.check()
    assert worlds[0].world.dump() == worlds[1].world.dump()
    generate(worlds[0], seed=2, count=400)  # what exists is left alone
    assert worlds[0].world.dump() == worlds[1].world.dump()
    service = worlds[0].service("hotel_booking")
    assert len(service.table("hotels")) == 400
    assert len({row["name"] for row in service.rows("hotels")}) == 400
    assert any(night["rooms"] == 0 for row in service.rows("rate_plans") for night in row["nights"].values())
    found = worlds[0].call("hotel_booking.search_hotels", city_or_geo="Osaka Tennoji", **{**KANA, "guests": 2})
    assert {hotel["district"] for hotel in found["hotels"]} == {"Tennoji"}
    prices = [hotel["from_price_minor"] for hotel in found["hotels"]]
    assert prices == sorted(prices)
    generate(worlds[0], count=40, date_from="2026-05-10", date_to="2026-04-20", zone="Asia/Tokyo", country="Japan")


PLANS = ("rp_kana3", "rp_kana2", "rp_kana_suite", "rp_kyo3", "rp_osa3", "rp_ueno3")
DAYS = st.integers(0, 24).map(lambda n: f"2026-{'04' if n < 13 else '05'}-{(18 + n) if n < 13 else n - 12:02d}")
STEP = st.tuples(st.integers(0, 11), st.sampled_from(PLANS), DAYS, DAYS, st.integers(0, 7))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, str, str, str, int]]) -> None:
    d = _japan(desk("hotel_booking", "email", "banking"))
    for what, plan, first, second, number in steps:
        ids = [row["reservation_id"] for row in d.service("hotel_booking").rows("reservations")]
        one = ids[number % len(ids)] if ids else "none"
        hotel_id = d.service("hotel_booking").find("rate_plans", plan)["hotel_id"]
        if what <= 2:
            d.outcome(
                "hotel_booking.create_reservation", rate_plan_id=f"{plan}|{first}|{second}|{1 + number % 3}",
                guest_profile=LI, payment_method_id=("pm_card", "acc_jpy")[number % 2],
            )  # fmt: skip
        elif what == 3:
            d.outcome("hotel_booking.cancel_reservation", reservation_id=one)
        elif what <= 5:
            changes = {"new_check_in": first, "new_check_out": second} if number % 2 else {"new_check_out": second}
            if number == 4:
                changes = {"new_room_type": "triple"}
            d.outcome("hotel_booking.modify_reservation", reservation_id=one, **changes)
        elif what == 6:
            d.outcome("hotel_booking.request_late_checkout", reservation_id=one, new_time="11:30")
        elif what == 7:
            d.world.run_to(d.world.now + number * clock.DAY + 3 * clock.HOUR)
        elif what == 8:
            d.happen(
                "hotel_booking.set_price", rate_plan_id=plan, date_from=first, date_to=second,
                amount_minor=number * 999, rooms_left=number if number % 2 else None,
            )  # fmt: skip
        elif what == 9:
            d.happen("hotel_booking.cancel_by_hotel", hotel_id=hotel_id, check_in=first if number else None)
        elif what == 10:
            d.happen("hotel_booking.reinstate", reservation_id=one)
        else:
            d.happen("hotel_booking.set_check_out_time", hotel_id=hotel_id, time="10:00", date_from=first)
            d.happen("banking.set_status", account_id="acc_jpy", status=("open", "frozen")[number % 2])
        d.check()
