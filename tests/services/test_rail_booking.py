"""The railway keeps its timetable, its prices and its word."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

STATIONS = (
    ("UEN", "Ueno", "Tokyo", ["Tokyo Ueno"]),
    ("TYO", "Tokyo", "Tokyo", []),
    ("KNZ", "Kanazawa", "Kanazawa", ["金沢"]),
    ("KKH", "Kanazawa-hakkei", "Yokohama", []),
    ("KYO", "Kyoto", "Kyoto", ["京都"]),
    ("TEN", "Tennoji", "Osaka", []),
    ("KIX", "Kansai Airport", "Osaka", ["Kansai International", "KIX airport"]),
)
# train_no, date, from, to, leaves, arrives, price a person, seats left, seats together
TRAINS = (
    ("KG05", "2026-05-03", "UEN", "KNZ", "07:10", "10:05", 14180, 40, 5),
    ("KG11", "2026-05-03", "UEN", "KNZ", "12:46", "15:41", 14180, 9, 3),
    ("KG13", "2026-05-03", "UEN", "KNZ", "13:50", "16:45", 14180, 6, 2),
    ("TH22", "2026-05-08", "KNZ", "KYO", "10:48", "12:58", 6940, 12, 3),
    ("HK31", "2026-05-16", "TEN", "KIX", "12:15", "12:50", 2380, 30, 5),
    ("TH20", "2026-05-11", "KNZ", "KYO", "06:58", "09:08", 6940, 30, 5),
    ("TH24", "2026-05-11", "KNZ", "KYO", "09:48", "11:58", 6940, 8, 4),
    ("TH36", "2026-05-11", "KNZ", "KYO", "13:04", "15:14", 6940, 8, 4),
)
FAMILY = [
    {"name": "Li Wei", "user_id": "u_liwei"},
    {"given_name": "Jianguo", "family_name": "Li", "user_id": "u_dad", "type": "senior"},
    {"name": "Zhao Guilan", "user_id": "u_mum"},
]
CONTACT = {"name": "Li Wei", "email": "liwei@mail.example"}
TH22, TH24, TH36 = "TH22@2026-05-08/standard", "TH24@2026-05-11/standard", "TH36@2026-05-11/standard"


def fill(d: Any) -> Any:
    for code, name, city, aliases in STATIONS:
        d.put("rail_booking.stations", code=code, name=name, city=city, aliases=aliases, zone="Asia/Tokyo")
    for train_no, date, origin, dest, leaves, reaches, price, left, together in TRAINS:
        key = f"{train_no}@{date}"
        d.put(
            "rail_booking.trains",
            train_key=key,
            train_no=train_no,
            date=date,
            origin=origin,
            dest=dest,
            departs=f"{date}T{leaves}:00+09:00",
            arrives=f"{date}T{reaches}:00+09:00",
        )
        d.put(
            "rail_booking.offers",
            offer_id=f"{key}/standard",
            train_key=key,
            price_minor=price,
            currency="JPY",
            seats_left=left,
            seats_together=together,
            refund_fee_minor=340,
        )
    return d


@pytest.fixture
def rail(desk: Any) -> Any:
    return fill(desk("rail_booking"))


def book(d: Any, offer_id: str = TH22, passengers: Any = None, **more: Any) -> Any:
    return d.call(
        "rail_booking.create_train_booking",
        offer_id=offer_id,
        passengers=FAMILY if passengers is None else passengers,
        contact=CONTACT,
        **more,
    )


def refused(d: Any, offer_id: str = TH22, passengers: Any = None, contact: Any = None, **more: Any) -> str:
    return d.refused(
        "rail_booking.create_train_booking",
        offer_id=offer_id,
        passengers=FAMILY if passengers is None else passengers,
        contact=CONTACT if contact is None else contact,
        **more,
    )


def cancel(d: Any, ref: str, **more: Any) -> Any:
    return d.call("rail_booking.cancel_train_booking", booking_ref=ref, **more)


def status(d: Any, train_no: str, date: str) -> Any:
    return d.call("rail_booking.get_train_status", train_no=train_no, date=date)


def search(d: Any, origin: str, dest: str, date: str, **more: Any) -> Any:
    return d.call("rail_booking.search_trains", origin=origin, dest=dest, date=date, **more)


def offer(d: Any, offer_id: str) -> Any:
    return d.call("rail_booking.get_train_offer", offer_id=offer_id)


# -- searching -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("origin", "dest", "date", "first"),
    [
        ("Ueno", "Kanazawa", "2026-05-03", "KG05"),
        ("UEN", "KNZ", "2026-05-03", "KG05"),
        ("Tokyo", "Kanazawa", "2026-05-03", "KG05"),  # the city has Ueno among its stations
        ("ueno station", "kanazawa", "2026-05-03", "KG05"),
        ("Uneo", "Kanazwa", "2026-05-03", "KG05"),  # slips
        ("Tokyo Ueno", "金沢", "2026-05-03", "KG05"),
        ("kanazawa", "kyoto", "2026-05-11", "TH20"),
        ("Kanazawa Stn", "Koyto", "2026-05-08", "TH22"),
        ("KNZ", "京都", "2026-05-08", "TH22"),
        ("Tennouji", "KIX", "2026-05-16", "HK31"),
        ("Tennoji", "Kansai", "2026-05-16", "HK31"),
        ("osaka", "Kansai International", "2026-05-16", "HK31"),
        ("Osaka", "kix airport", "2026-05-16", "HK31"),
    ],
)
def test_stations_and_cities_are_understood(rail: Any, origin: str, dest: str, date: str, first: str) -> None:
    assert search(rail, origin, dest, date)["trains"][0]["train_no"] == first


def test_a_misspelt_city_is_not_a_station_that_only_begins_like_it(rail: Any) -> None:
    assert search(rail, "Ueno", "Kanazwa", "2026-05-03")["dest"] == ["Kanazawa"]


def test_only_one_late_enough_train_seats_three_together(rail: Any) -> None:
    found = search(rail, "Ueno", "Kanazawa", "2026-05-03", passengers=FAMILY)
    assert [train["train_no"] for train in found["trains"]] == ["KG05", "KG11", "KG13"]
    assert found["total"] == 3
    good = [
        train
        for train in found["trains"]
        if train["departs"][11:16] >= "08:30" and train["offers"][0]["can_sit_together"]
    ]
    assert [train["train_no"] for train in good] == ["KG11"]
    assert good[0]["offers"][0]["total_minor"] == 42_540
    assert good[0]["offers"][0]["refund_fee_minor"] == 340
    assert good[0]["departs"] == "2026-05-03T12:46:00+09:00"
    assert good[0]["duration_min"] == 175


def test_search_is_limited_and_filtered_by_class(rail: Any) -> None:
    found = search(rail, "Kanazawa", "Kyoto", "2026-05-11", max_results=2, seat_class="2nd class")
    assert [train["train_no"] for train in found["trains"]] == ["TH20", "TH24"]
    assert found["total"] == 3
    assert search(rail, "Kanazawa", "Kyoto", "2026-05-11", seat_class="Green")["trains"] == []


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"origin": "Xyzzyville"}, "unknown_station"),
        ({"dest": "  "}, "unknown_station"),
        ({"date": "11 May"}, "bad_date"),
        ({"passengers": []}, "bad_passengers"),
        ({"seat_class": "roof"}, "bad_seat_class"),
        ({"max_results": 0}, "bad_limit"),
        ({"max_results": 101}, "bad_limit"),
    ],
)
def test_what_search_refuses(rail: Any, changes: Any, code: str) -> None:
    asked = {"origin": "Kanazawa", "dest": "Kyoto", "date": "2026-05-11", **changes}
    assert rail.refused("rail_booking.search_trains", **asked) == code


# -- buying ----------------------------------------------------------------------------------------------------------


def test_a_booking_takes_seats_side_by_side_and_is_paid(rail: Any) -> None:
    booking = book(rail)
    assert (booking["status"], booking["total_minor"], booking["currency"]) == ("confirmed", 20_820, "JPY")
    assert len(booking["booking_ref"]) == 6
    assert [ticket["name"] for ticket in booking["passengers"]] == ["Li Wei", "Jianguo Li", "Zhao Guilan"]
    assert [ticket["seat"] for ticket in booking["passengers"]] == ["4-1A", "4-1B", "4-1C"]
    assert booking["seats_together"] is True
    assert booking["user_id"] == "u_ann"
    left = offer(rail, TH22)
    assert (left["seats_left"], left["seats_together"]) == (9, 3)
    [charge] = rail.world.table("world.charges").rows()
    assert (charge["amount_minor"], charge["ref"]) == (20_820, booking["booking_ref"])
    rail.check()


def test_where_three_cannot_sit_together_they_sit_apart(rail: Any) -> None:
    booking = book(rail, "KG13@2026-05-03/standard")
    assert booking["seats_together"] is False
    assert len({ticket["seat"][:-1] for ticket in booking["passengers"]}) == 3
    other = book(rail, "KG13@2026-05-03/standard", [{"name": "A B"}])
    assert other["passengers"][0]["seat"] == "4-4A"
    rail.check()


def test_seats_run_out(rail: Any) -> None:
    rail.happen("rail_booking.set_seats_left", train_no="TH22", date="2026-05-08", seats_left=3)
    assert refused(rail, passengers=[{"name": name} for name in "ABCD"]) == "sold_out"
    book(rail)
    assert refused(rail, passengers=[{"name": "A"}]) == "sold_out"
    [train] = search(rail, "Kanazawa", "Kyoto", "2026-05-08")["trains"]
    shown = train["offers"][0]
    assert (shown["can_book"], shown["can_sit_together"], shown["seats_left"]) == (False, False, 0)
    assert shown["why_not"].startswith("sold_out")


def test_nobody_sits_on_the_same_train_twice(rail: Any) -> None:
    first = book(rail)
    assert refused(rail, passengers=[{"name": "zhao  guilan"}]) == "already_booked"
    cancel(rail, first["booking_ref"])
    book(rail)
    rail.check()


def test_tickets_are_sold_in_their_time_only(rail: Any) -> None:
    rail.service("rail_booking").patch("trains", "TH22@2026-05-08", sale_opens="2026-04-20T10:00:00+09:00")
    rail.service("rail_booking").patch("offers", TH22, valid_until="2026-04-30T17:00:00+08:00")
    assert refused(rail) == "not_on_sale"
    assert offer(rail, TH22)["sale_opens"] == "2026-04-20T10:00:00+09:00"
    rail.until("2026-04-20T08:59:59")
    assert refused(rail) == "not_on_sale"
    rail.until("2026-04-20T09:00:00")
    assert offer(rail, TH22)["can_book"] is True
    rail.until("2026-04-30T17:00:01")
    assert refused(rail) == "offer_expired"
    rail.until("2026-05-08T09:48:00")  # 10:48 in Japan
    assert refused(rail) == "departed"


@pytest.mark.parametrize(
    "passengers",
    [
        [],
        [{"name": f"P {n}"} for n in range(10)],
        [{"type": "adult"}],
        [{"name": "A", "type": "pet"}],
        [{"name": 7}],
        [{"name": "A"}, {"name": "a"}],
        [{"name": "A", "user_id": "u"}, {"name": "B", "user_id": "u"}],
        [{"name": "x" * 101}],
    ],
)
def test_passengers_are_checked(rail: Any, passengers: Any) -> None:
    assert refused(rail, passengers=passengers) == "bad_passengers"
    arguments = {"offer_id": TH22, "passengers": passengers}
    assert rail.refused("rail_booking.price_train_offer", **arguments) == "bad_passengers"


def test_contact_and_payment_are_checked(rail: Any) -> None:
    assert refused(rail, contact={}) == "bad_contact"
    assert refused(rail, contact={"name": " "}) == "bad_contact"
    assert refused(rail, contact={"email": 3}) == "bad_contact"
    assert refused(rail, payment={}) == "bad_payment"
    assert refused(rail, payment={"payment_method_id": "card", "cvc": "1"}) == "bad_payment"
    assert refused(rail, "nope") == "not_found"


def test_the_persons_first_method_pays_where_none_is_named(rail: Any) -> None:
    for method in ("card_b", "card_a"):
        rail.world.table("world.methods").put({"method_id": method})
    assert book(rail)["method"] == "card_b"
    assert book(rail, TH24, payment={"payment_method_id": "card_a"})["method"] == "card_a"
    assert refused(rail, TH36, payment={"payment_method_id": "card_c"}) == "unknown_payment_method"


@pytest.fixture
def banked(desk: Any) -> Any:
    d = fill(desk("banking", "rail_booking"))
    for account, currency, balance in (("yen", "JPY", 25_000), ("yuan", "CNY", 900_000)):
        d.put(
            "banking.accounts",
            account_id=account,
            user_id="u_ann",
            name=account,
            currency=currency,
            balance_minor=balance,
        )
        d.world.table("world.methods").put({"method_id": account})
    return d


def test_the_bank_can_refuse_and_then_nothing_is_booked(banked: Any) -> None:
    assert refused(banked, payment={"payment_method_id": "yuan"}) == "currency_mismatch"
    booking = book(banked)
    assert refused(banked, TH24) == "insufficient_funds"
    banked.happen("banking.set_status", account_id="yen", status="frozen")
    assert refused(banked, TH24) == "account_closed"
    ref = booking["booking_ref"]
    change = {"booking_ref": ref, "new_offer_id": "KG11@2026-05-03/standard"}
    assert banked.refused("rail_booking.change_train_booking", **change) == "account_closed"
    banked.happen("banking.set_status", account_id="yen", status="open")
    assert banked.refused("rail_booking.change_train_booking", **change) == "insufficient_funds"
    # A bundle may hold a booking that an account in another currency is named for.
    banked.service("rail_booking").patch("bookings", ref, method="yuan")
    assert banked.refused("rail_booking.cancel_train_booking", booking_ref=ref) == "currency_mismatch"
    banked.service("rail_booking").patch("bookings", ref, method="yen")
    cancel(banked, ref)
    assert banked.call("banking.get_account", account_id="yen")["balance_minor"] == 25_000 - 1_020
    banked.check()


def test_a_refund_needs_the_method_that_paid(rail: Any) -> None:
    rail.world.table("world.methods").put({"method_id": "card"})
    ref = book(rail)["booking_ref"]
    rail.world.table("world.methods").drop("card")
    rail.world.table("world.methods").put({"method_id": "other"})
    assert rail.refused("rail_booking.cancel_train_booking", booking_ref=ref) == "unknown_payment_method"
    change = {"booking_ref": ref, "new_offer_id": TH24}
    assert rail.refused("rail_booking.change_train_booking", **change) == "unknown_payment_method"


# -- giving back and changing ----------------------------------------------------------------------------------------


def test_a_cancelled_booking_costs_the_fee_per_person(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    gone = cancel(rail, ref, reason="typhoon")
    assert (gone["status"], gone["refund_minor"], gone["fee_minor"]) == ("cancelled", 19_800, 1_020)
    assert gone["reason"] == "typhoon"
    assert offer(rail, TH22)["seats_left"] == 12
    assert [row["amount_minor"] for row in rail.world.table("world.charges").rows()] == [20_820, -19_800]
    assert rail.refused("rail_booking.cancel_train_booking", booking_ref=ref) == "not_active"
    assert rail.refused("rail_booking.cancel_train_booking", booking_ref="ZZZZZZ") == "not_found"
    rail.check()


def test_the_fee_is_never_more_than_the_fare(rail: Any) -> None:
    rail.service("rail_booking").patch("offers", TH22, refund_fee_minor=99_999)
    gone = cancel(rail, book(rail)["booking_ref"])
    assert (gone["refund_minor"], gone["fee_minor"]) == (0, 20_820)
    assert len(rail.world.table("world.charges")) == 1


def test_nothing_is_given_back_after_departure(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    rail.until("2026-05-08T09:47:59")
    assert status(rail, "TH22", "2026-05-08")["status"] == "scheduled"
    rail.until("2026-05-08T09:48:00")
    assert status(rail, "TH22", "2026-05-08")["status"] == "departed"
    assert rail.refused("rail_booking.cancel_train_booking", booking_ref=ref) == "departed"
    change = {"booking_ref": ref, "new_offer_id": TH24}
    assert rail.refused("rail_booking.change_train_booking", **change) == "departed"
    rail.until("2026-05-08T11:58:00")
    assert status(rail, "th 22", "2026-05-08")["status"] == "arrived"
    assert rail.refused("rail_booking.cancel_train_booking", booking_ref=ref) == "not_active"
    [booking] = rail.call("rail_booking.list_train_bookings")["bookings"]
    assert booking["status"] == "completed"
    rail.check()


def test_the_typhoon_costs_one_fee_and_the_cancelled_train_none(rail: Any) -> None:
    first = book(rail)
    gone = cancel(rail, first["booking_ref"])
    second = book(rail, TH24)
    rail.until("2026-05-10T20:00:00")
    touched = rail.happen(
        "rail_booking.cancel_train", train_no="TH24", date="2026-05-11", note="Storm damage; first train TH36 13:04"
    )
    assert touched == ["TH24@2026-05-11", second["booking_ref"]]
    # The ticket does not say so: only the board does.
    [shown] = rail.call("rail_booking.list_train_bookings", status_filter="confirmed")["bookings"]
    assert shown["status"] == "confirmed"
    assert "cancelled" not in str({key: value for key, value in shown.items() if key != "cancelled_at"})
    board = status(rail, "TH24", "2026-05-11")
    assert (board["status"], board["refund_if_cancelled"]) == ("cancelled", "full")
    assert "TH36" in board["note"]
    [stored] = [r for r in rail.service("rail_booking").rows("bookings") if r["status"] == "confirmed"]
    assert stored["train_status"] == "cancelled"
    [_, th24, th36] = search(rail, "Kanazawa", "Kyoto", "2026-05-11", passengers=FAMILY)["trains"]
    assert (th24["status"], th24["offers"][0]["can_book"]) == ("cancelled", False)
    assert (th36["status"], th36["offers"][0]["can_sit_together"]) == ("scheduled", True)
    assert refused(rail, TH24, [{"name": "X"}]) == "train_cancelled"
    back = cancel(rail, second["booking_ref"])
    assert (back["refund_minor"], back["fee_minor"]) == (20_820, 0)
    book(rail, TH36)
    paid = sum(row["amount_minor"] for row in rail.world.table("world.charges").rows())
    assert (gone["fee_minor"], paid) == (1_020, 20_820 + 1_020)
    rail.check()


def test_a_cancelled_train_refunds_late_too_and_may_keep_the_fee(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    rail.happen("rail_booking.cancel_train", train_no="TH22", date="2026-05-08", refund="less_fee")
    rail.until("2026-05-12T09:00:00")
    [booking] = rail.call("rail_booking.list_train_bookings")["bookings"]
    assert booking["status"] == "confirmed"
    assert cancel(rail, ref)["fee_minor"] == 1_020
    rail.check()


def test_changing_settles_the_difference_with_the_fee(rail: Any) -> None:
    first = book(rail)
    changed = rail.call("rail_booking.change_train_booking", booking_ref=first["booking_ref"], new_offer_id=TH24)
    assert changed["difference_minor"] == 1_020
    assert (changed["replaced"]["status"], changed["replaced"]["fee_minor"]) == ("cancelled", 1_020)
    new = changed["booking"]
    assert (new["train_no"], new["status"], new["total_minor"]) == ("TH24", "confirmed", 20_820)
    assert changed["replaced"]["changed_to"] == new["booking_ref"] != first["booking_ref"]
    rail.happen("rail_booking.cancel_train", train_no="TH24", date="2026-05-11")
    again = rail.call("rail_booking.change_train_booking", booking_ref=new["booking_ref"], new_offer_id=TH36)
    assert again["difference_minor"] == 0
    assert [row["amount_minor"] for row in rail.world.table("world.charges").rows()] == [20_820, 1_020]
    assert offer(rail, TH22)["seats_left"] == 12
    assert offer(rail, TH36)["seats_left"] == 5
    rail.check()


def test_what_a_change_refuses(rail: Any) -> None:
    ref = book(rail)["booking_ref"]

    def code(offer_id: str, booking_ref: str = ref) -> str:
        return rail.refused("rail_booking.change_train_booking", booking_ref=booking_ref, new_offer_id=offer_id)

    assert code(TH22) == "same_offer"
    assert code("nope") == "not_found"
    assert code(TH24, "nope") == "not_found"
    book(rail, TH24, [FAMILY[2]])
    assert code(TH24) == "already_booked"
    rail.service("rail_booking").patch("offers", TH36, currency="CNY")
    assert code(TH36) == "currency_mismatch"
    rail.service("rail_booking").patch("offers", TH36, currency="JPY", seats_left=2)
    assert code(TH36) == "sold_out"
    rail.service("rail_booking").patch("offers", TH36, seats_left=9, valid_until="2026-04-17T08:00:00+08:00")
    assert code(TH36) == "offer_expired"
    rail.service("rail_booking").patch("trains", "TH36@2026-05-11", sale_opens="2026-05-01T00:00:00+09:00")
    assert code(TH36) == "not_on_sale"
    rail.happen("rail_booking.cancel_train", train_no="TH36", date="2026-05-11")
    assert code(TH36) == "train_cancelled"
    rail.until("2026-05-04T08:00:00")
    assert code("KG11@2026-05-03/standard") == "departed"
    cancel(rail, ref)
    assert code(TH36) == "not_active"


def test_a_change_of_class_on_the_same_train(rail: Any) -> None:
    rail.put(
        "rail_booking.offers",
        offer_id="TH22@2026-05-08/first",
        train_key="TH22@2026-05-08",
        seat_class="first",
        price_minor=9_000,
        currency="JPY",
        seats_left=4,
    )
    ref = book(rail)["booking_ref"]
    changed = rail.call("rail_booking.change_train_booking", booking_ref=ref, new_offer_id="TH22@2026-05-08/first")
    assert changed["difference_minor"] == 27_000 - 19_800
    assert [ticket["seat"] for ticket in changed["booking"]["passengers"]] == ["12-1A", "12-1B", "12-1C"]
    rail.check()


# -- fares -----------------------------------------------------------------------------------------------------------


def student(d: Any, **fields: Any) -> None:
    known = {
        "user_id": "u_kid",
        "xuexin_status": "verified",
        "school_proof_status": "verified",
        "discount_zone": "Kyoto - Kanazawa",
        "uses_left": 1,
    }
    d.put("rail_booking.students", **{**known, **fields})


def price(d: Any, passengers: Any, offer_id: str = TH22) -> Any:
    return d.call("rail_booking.price_train_offer", offer_id=offer_id, passengers=passengers)


KID = {"name": "Kid", "type": "student", "user_id": "u_kid"}


def test_children_seniors_and_students_pay_their_share(rail: Any) -> None:
    student(rail)
    rail.service("rail_booking").patch("offers", TH22, senior_percent=90)
    party = [{"name": "A"}, {"name": "B", "type": "child"}, {"name": "C", "type": "senior"}, KID]
    quote = price(rail, party)
    assert [ticket["fare_minor"] for ticket in quote["passengers"]] == [6_940, 3_470, 6_246, 5_205]
    assert [ticket["discount"] for ticket in quote["passengers"]] == ["", "child", "senior", "student"]
    assert quote["total_minor"] == 21_861
    assert quote["can_book"] is True
    assert quote["can_sit_together"] is False
    assert rail.refused("rail_booking.price_train_offer", offer_id="x", passengers=party) == "not_found"
    assert rail.refused("rail_booking.get_train_offer", offer_id="x") == "not_found"


@pytest.mark.parametrize(
    ("fields", "passenger", "reason"),
    [
        ({"xuexin_status": "pending"}, KID, "xuexin_status is pending"),
        ({"school_proof_status": "expired"}, KID, "school_proof_status is expired"),
        ({"discount_zone": ""}, KID, "no discount_zone"),
        ({"discount_zone": "Tokyo - Kyoto"}, KID, "the discount zone is Tokyo - Kyoto"),
        ({"uses_left": 0}, KID, "no student journeys"),
        ({}, {"name": "Kid", "type": "student"}, "user_id"),
        ({}, {"name": "Kid", "type": "student", "user_id": "u_who"}, "no student profile"),
    ],
)
def test_without_the_right_a_student_pays_the_full_fare(rail: Any, fields: Any, passenger: Any, reason: str) -> None:
    student(rail, **fields)
    quote = price(rail, [passenger])
    assert quote["total_minor"] == 6_940
    assert reason in quote["notes"][0]


def test_student_journeys_are_spent_and_come_back(rail: Any) -> None:
    student(rail)
    ref = book(rail, passengers=[KID])["booking_ref"]
    profile = rail.call("rail_booking.get_student_profile", user_id="u_kid")
    assert (profile["uses_left"], profile["eligible"]) == (0, False)
    assert price(rail, [KID], TH24)["total_minor"] == 6_940
    # A change gives the old journey back first.
    changed = rail.call("rail_booking.change_train_booking", booking_ref=ref, new_offer_id=TH24)
    assert changed["booking"]["total_minor"] == 5_205
    assert rail.call("rail_booking.get_student_profile", user_id="u_kid")["uses_left"] == 0
    cancel(rail, changed["booking"]["booking_ref"])
    assert rail.call("rail_booking.get_student_profile", user_id="u_kid")["eligible"] is True
    rail.check()


def test_a_student_is_verified_step_by_step(rail: Any) -> None:
    def update(**fields: Any) -> Any:
        return rail.call("rail_booking.update_student_verification", user_id="u_new", **fields)

    assert rail.refused("rail_booking.get_student_profile", user_id="u_new") == "not_found"
    begun = update(xuexin_status="verified", note="code checked")
    assert (begun["eligible"], begun["school_proof_status"]) == (False, "not_submitted")
    assert begun["lacking"] == ["school_proof_status is not_submitted", "no discount_zone is set"]
    update(school_proof_status="verified")
    done = update(discount_zone="kyoto-KANAZAWA")
    assert (done["discount_zone"], done["eligible"], done["note"]) == ("Kyoto - Kanazawa", True, "code checked")
    assert update(discount_zone="Osaka to Tokyo")["discount_zone"] == "Osaka - Tokyo"
    assert update(discount_zone=" ")["discount_zone"] == ""

    def code(**fields: Any) -> str:
        return rail.refused("rail_booking.update_student_verification", **{"user_id": "u_new", **fields})

    assert code() == "nothing_to_change"
    assert code(discount_zone="Kyoto") == "bad_zone"
    assert code(discount_zone="Kyoto - Kyoto") == "bad_zone"
    assert code(discount_zone="Kyoto - Atlantis") == "bad_zone"
    assert code(user_id=" ", note="x") == "bad_user"
    assert code(xuexin_status="maybe") == "bad_arguments"


# -- the board -------------------------------------------------------------------------------------------------------


def test_a_delay_moves_departure_and_what_depends_on_it(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    touched = rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", minutes=50, note="Wind")
    assert touched == ["TH22@2026-05-08", ref]
    board = status(rail, "TH22", "2026-05-08")
    assert (board["status"], board["delay_min"], board["arrival_delay_min"]) == ("delayed", 50, 50)
    assert board["departs"] == "2026-05-08T10:48:00+09:00"
    assert (board["expected_departs"], board["note"]) == ("2026-05-08T11:38:00+09:00", "Wind")
    rail.until("2026-05-08T10:00:00")
    rail.check()
    # Once it has left only the arrival moves.
    rail.until("2026-05-08T11:00:00")
    rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", arrives="2026-05-08T15:00:00+09:00")
    board = status(rail, "TH22", "2026-05-08")
    assert (board["status"], board["delay_min"], board["arrival_delay_min"]) == ("departed", 50, 122)
    rail.until("2026-05-08T13:59:59")
    assert rail.call("rail_booking.list_train_bookings")["bookings"][0]["status"] == "confirmed"
    rail.until("2026-05-08T14:00:00")
    assert rail.call("rail_booking.list_train_bookings")["bookings"][0]["status"] == "completed"
    assert rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", minutes=300) == []
    rail.check()


def test_a_delay_to_a_named_departure(rail: Any) -> None:
    rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", departs="2026-05-08T12:00:00+09:00")
    assert status(rail, "TH22", "2026-05-08")["expected_arrives"] == "2026-05-08T14:10:00+09:00"
    assert search(rail, "KNZ", "KYO", "2026-05-08")["trains"][0]["expected_departs"] == "2026-05-08T12:00:00+09:00"
    with pytest.raises(ValueError, match="before it leaves"):
        rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", arrives="2026-05-08T09:00:00+09:00")


def test_a_train_can_be_confirmed_again(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    rail.happen("rail_booking.cancel_train", train_no="TH22", date="2026-05-08", note="Storm")
    assert rail.happen("rail_booking.delay_train", train_no="TH22", date="2026-05-08", minutes=5) == []
    assert rail.happen("rail_booking.run_train", train_no="TH22", date="2026-05-08") == ["TH22@2026-05-08", ref]
    board = status(rail, "TH22", "2026-05-08")
    assert (board["status"], board["note"]) == ("running", "")
    rail.until("2026-05-08T12:00:00")
    assert rail.call("rail_booking.list_train_bookings")["bookings"][0]["status"] == "completed"
    for verb in ("run_train", "cancel_train"):
        assert rail.happen(f"rail_booking.{verb}", train_no="TH22", date="2026-05-08") == []
    rail.check()


def test_the_board_shows_notes_and_platforms(rail: Any) -> None:
    note = {"train_no": "TH22", "date": "2026-05-08", "note": "Lift at Kyoto out of use", "platform": "3"}
    assert rail.happen("rail_booking.note_train", **note) == ["TH22@2026-05-08"]
    board = status(rail, "TH22", "2026-05-08")
    assert (board["note"], board["platform"], board["status"]) == ("Lift at Kyoto out of use", "3", "scheduled")
    rail.happen("rail_booking.note_train", train_no="TH22", date="2026-05-08", note="")
    assert status(rail, "TH22", "2026-05-08")["platform"] == "3"


def test_what_the_board_refuses(rail: Any) -> None:
    arguments = {"train_no": "TH22", "date": "2026-05-09"}
    assert rail.refused("rail_booking.get_train_status", **arguments) == "not_found"
    assert "2026-05-08" in rail.outcome("rail_booking.get_train_status", **arguments).text
    assert rail.refused("rail_booking.get_train_status", train_no="QQ1", date="2026-05-09") == "not_found"
    assert rail.refused("rail_booking.get_train_status", train_no="TH22", date="soon") == "bad_date"


def test_bookings_are_listed_by_departure_and_person(rail: Any) -> None:
    book(rail, TH24)
    book(rail, TH22, [FAMILY[0]])
    other = rail.call(
        "rail_booking.create_train_booking",
        offer_id=TH36,
        passengers=[{"name": "Kim"}],
        contact={"phone": "1", "user_id": "u_kim"},
    )
    listed = rail.call("rail_booking.list_train_bookings")
    assert [row["train_no"] for row in listed["bookings"]] == ["TH22", "TH24", "TH36"]
    assert [row["train_no"] for row in rail.call("rail_booking.list_train_bookings", user_id="u_mum")["bookings"]] == [
        "TH24"
    ]
    mine = rail.call("rail_booking.list_train_bookings", user_id="u_kim")["bookings"]
    assert [row["booking_ref"] for row in mine] == [other["booking_ref"]]
    assert len(rail.call("rail_booking.list_train_bookings", limit=1)["bookings"]) == 1
    assert rail.call("rail_booking.list_train_bookings", status_filter="cancelled")["total"] == 0
    assert rail.refused("rail_booking.list_train_bookings", limit=0) == "bad_limit"


# -- happenings ------------------------------------------------------------------------------------------------------


def test_happenings_that_match_nothing_touch_nothing(rail: Any) -> None:
    before = rail.world.dump()
    nowhere = {"train_no": "TH22", "date": "2026-05-09"}
    assert rail.happen("rail_booking.cancel_train", **nowhere) == []
    assert rail.happen("rail_booking.delay_train", minutes=5, **nowhere) == []
    assert rail.happen("rail_booking.run_train", **nowhere) == []
    assert rail.happen("rail_booking.note_train", note="x", **nowhere) == []
    assert rail.happen("rail_booking.set_price", price_minor=1, **nowhere) == []
    assert rail.happen("rail_booking.set_seats_left", seats_left=1, **nowhere) == []
    assert rail.world.dump() == before


def test_the_price_of_what_is_booked_stays(rail: Any) -> None:
    ref = book(rail)["booking_ref"]
    assert rail.happen("rail_booking.set_price", train_no="TH22", date="2026-05-08", price_minor=8_000) == [TH22]
    assert offer(rail, TH22)["price_minor"] == 8_000
    assert cancel(rail, ref)["refund_minor"] == 19_800


def test_seats_left_and_together_change(rail: Any) -> None:
    happen = {"train_no": "TH22", "date": "2026-05-08", "seats_left": 7, "seats_together": 2}
    assert rail.happen("rail_booking.set_seats_left", **happen) == [TH22]
    shown = offer(rail, TH22)
    assert (shown["seats_left"], shown["seats_together"]) == (7, 2)


def test_a_train_is_added(rail: Any) -> None:
    added = {
        "train_no": "EX 1",
        "origin": "KNZ",
        "dest": "KYO",
        "departs": "2026-05-11T15:00:00+09:00",
        "arrives": "2026-05-11T17:00:00+09:00",
        "price_minor": 7_000,
        "currency": "JPY",
    }
    assert rail.happen("rail_booking.add_train", **added) == ["EX1@2026-05-11", "EX1@2026-05-11/standard"]
    assert rail.happen("rail_booking.add_train", **added) == []
    assert rail.happen("rail_booking.add_train", **{**added, "train_no": "EX2", "dest": "???"}) == []
    with pytest.raises(ValueError, match="before it leaves"):
        rail.happen("rail_booking.add_train", **{**added, "train_no": "EX3", "arrives": added["departs"]})
    assert search(rail, "KNZ", "KYO", "2026-05-11")["trains"][-1]["train_no"] == "EX1"
    rail.check()


def test_others_are_told_of_status_and_price(rail: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, Any]] = []
    monkeypatch.setattr(type(rail.world), "emit", lambda self, topic, **data: heard.append((topic, data)))
    rail.happen("rail_booking.cancel_train", train_no="TH24", date="2026-05-11", note="Storm")
    rail.happen("rail_booking.delay_train", train_no="TH36", date="2026-05-11", minutes=15)
    rail.happen("rail_booking.set_price", train_no="TH20", date="2026-05-11", price_minor=5_000)
    (first, cancelled), (_, delayed), (last, cheaper) = heard
    assert (first, last) == ("status", "price")
    assert (cancelled["source"], cancelled["ref"], cancelled["status"]) == (
        "rail_booking", "TH24@2026-05-11", "cancelled",
    )  # fmt: skip
    assert cancelled["body"].endswith("Storm")
    assert "leaves 13:19, arrives 15:29" in delayed["body"]
    assert (cheaper["ref"], cheaper["amount_minor"], cheaper["currency"]) == ("TH20@2026-05-11/standard", 5_000, "JPY")


def test_bookings_of_the_bundle_are_completed_too(rail: Any) -> None:
    booked = book(rail)
    fresh = type(rail)("rail_booking")
    fill(fresh)
    [row] = rail.service("rail_booking").rows("bookings")
    fresh.put("rail_booking.bookings", **row)
    fresh.start()
    fresh.until("2026-05-09T00:00:00")
    done = fresh.service("rail_booking").find("bookings", booked["booking_ref"])
    assert done["status"] == "completed"
    fresh.service("rail_booking").complete_booking("gone")  # what is no more simply does nothing


# -- filling ---------------------------------------------------------------------------------------------------------


def test_a_generated_timetable_is_regular_and_leaves_others_alone(rail: Any) -> None:
    service = rail.service("rail_booking")
    before = dict(service.find("trains", "TH22@2026-05-08"))
    service.timetable(
        random.Random(3), "KNZ", "KYO", "2026-05-08", "2026-05-11", per_day=5, first_departure="06:00",
        last_departure="20:00", price_minor=6_940, prefix="TH", first_number=22, seats_together=2, first_class=True,
    )  # fmt: skip
    rail.check()
    assert service.find("trains", "TH22@2026-05-08") == before
    found = search(rail, "KNZ", "KYO", "2026-05-09", passengers=FAMILY)["trains"]
    assert [train["train_no"] for train in found] == ["TH22", "TH24", "TH26", "TH28", "TH30"]
    assert (found[0]["departs"][11:16], found[-1]["departs"][11:16]) == ("06:00", "20:00")
    assert not any(offer["can_sit_together"] for train in found for offer in train["offers"])
    assert [offer["seat_class"] for offer in found[0]["offers"]] == ["standard", "first"]
    next_day = search(rail, "KNZ", "KYO", "2026-05-10")["trains"]
    assert [train["departs"][11:] for train in next_day] == [train["departs"][11:] for train in found]


def test_records_with_another_key_are_refused(rail: Any) -> None:
    service = rail.service("rail_booking")
    for kind, key, changes in (
        ("trains", "TH22@2026-05-08", {"train_key": "TH22"}),
        ("trains", "TH22@2026-05-08", {"departs": "2026-05-07T10:48:00+09:00"}),
        ("offers", TH22, {"offer_id": "of_1"}),
    ):
        with pytest.raises(ValueError, match=r"key|offer_id"):
            service.records[kind].model_validate({**service.find(kind, key), **changes})


_trains = st.sampled_from([(train[0], train[1]) for train in TRAINS])
_offers = st.sampled_from([f"{train[0]}@{train[1]}/standard" for train in TRAINS])
_party = st.lists(st.sampled_from([*FAMILY, KID, {"name": "Child", "type": "child"}]), min_size=1, max_size=3)
_act = st.one_of(
    st.tuples(st.just("book"), _offers, _party),
    st.tuples(st.just("cancel"), st.integers(0, 5), st.none()),
    st.tuples(st.just("change"), st.integers(0, 5), _offers),
    st.tuples(st.just("pass"), st.integers(1, 200), st.none()),
    st.tuples(st.just("cancel_train"), _trains, st.none()),
    st.tuples(st.just("delay_train"), _trains, st.integers(1, 300)),
    st.tuples(st.just("run_train"), _trains, st.none()),
    st.tuples(st.just("set_seats_left"), _trains, st.integers(0, 6)),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_act, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, acts: list[Any]) -> None:
    d = fill(desk("rail_booking"))
    student(d, uses_left=2)
    for verb, what, more in acts:
        refs = [row["booking_ref"] for row in d.service("rail_booking").rows("bookings")] or ["none"]
        if verb == "book":
            arguments = {"offer_id": what, "passengers": more, "contact": CONTACT}
            d.outcome("rail_booking.create_train_booking", **arguments)
        elif verb == "cancel":
            d.outcome("rail_booking.cancel_train_booking", booking_ref=refs[what % len(refs)])
        elif verb == "change":
            d.outcome("rail_booking.change_train_booking", booking_ref=refs[what % len(refs)], new_offer_id=more)
        elif verb == "pass":
            d.world.run_to(d.world.now + what * 3600)
        else:
            extra = {"delay_train": {"minutes": more}, "set_seats_left": {"seats_left": more}}.get(verb, {})
            try:
                d.happen(f"rail_booking.{verb}", train_no=what[0], date=what[1], **extra)
            except ValueError:
                assert verb == "delay_train"  # into the past
        d.check()
    paid = sum(row["amount_minor"] for row in d.world.table("world.charges").rows())
    kept = sum(
        row["fee_minor"] if row["status"] == "cancelled" else row["total_minor"]
        for row in d.service("rail_booking").rows("bookings")
    )
    assert paid == kept
