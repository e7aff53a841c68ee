"""Rental cars: offers, prices and availability, drivers, bookings, condition and incidents, the road, what happens."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

VAN = "of_van"
ANN = {"name": "Ann Lee", "age": 40, "licence_year": 2010}
BO = {"name": "Bo Chen", "birth_date": "2001-04-21", "licence_since": "2022-01-01"}
CONTACT = {"email": "ann@mail.example"}
CARD = {"payment_method_id": "card"}
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _desk(desk: Any, *others: str) -> Any:
    d = desk("car_rental", *others)
    d.world.table("world.methods").put({"method_id": "card"})
    hours = [{"weekday": day, "opens": "08:00", "closes": "20:00"} for day in WEEK[:6]]
    stations = [
        ("st_tbs", "Tbilisi Centre", "Tbilisi", ["Tiflis"], hours, "desk@rent.example"),
        ("st_air", "Tbilisi Airport", "Tbilisi", ["TBS", "Tiflis"], [], ""),
        ("st_bat", "Batumi Harbour", "Batumi", ["BUS"], [], ""),
        ("st_kut", "Kutaisi Airport", "Kutaisi", ["KUT", "Kopitnari"], [], ""),
    ]
    for key, name, city, aliases, open_hours, email in stations:
        d.put("car_rental.stations", station_id=key, name=name, city=city, aliases=aliases, hours=open_hours,
              zone="Asia/Tbilisi", email=email, phone="+995 1")  # fmt: skip
    common = {"currency": "GEL", "free_cancel_hours": 24, "refuel_minor_per_percent": 200, "cleaning_fee_minor": 5000}
    d.put("car_rental.offers", offer_id=VAN, station_id="st_tbs", model="Carrier 9", vehicle_class="minibus",
          energy_type="diesel", seats=9, price_per_day_minor=26000, units=1, min_age=25, max_age=70,
          min_licence_years=3, one_way={"st_bat": 9000, "st_air": 0}, included_km_per_day=200, extra_km_minor=50,
          deposit_minor=100000, return_level_percent=100, consumption_per_100km=8.0, range_km=900,
          **common)  # fmt: skip
    d.put("car_rental.offers", offer_id="of_sedan", station_id="st_tbs", model="Corso 4", vehicle_class="sedan",
          energy_type="petrol", price_per_day_minor=14000, units=2, consumption_per_100km=7.0, range_km=600,
          **common)  # fmt: skip
    d.put("car_rental.offers", offer_id="of_ev", station_id="st_air", model="Corso E", vehicle_class="sedan",
          energy_type="electric", price_per_day_minor=15000, units=1, consumption_per_100km=18.0, range_km=400,
          available_from="2026-04-18", available_until="2026-05-31", one_way={"st_bat": 4000}, **common)  # fmt: skip
    d.put("car_rental.offers", offer_id="of_mini", station_id="st_bat", model="Pico", vehicle_class="mini",
          energy_type="hybrid", seats=4, price_per_day_minor=8000, consumption_per_100km=5.0, **common)  # fmt: skip
    d.put("car_rental.offers", offer_id="of_kut", station_id="st_kut", model="Pico", vehicle_class="mini",
          energy_type="petrol", seats=4, price_per_day_minor=7000, **common)  # fmt: skip
    for key, day, once, currency in (
        ("pl_basic", 3200, 0, "GEL"),
        ("pl_full", 5000, 1000, "GEL"),
        ("pl_eur", 9, 0, "EUR"),
    ):
        d.put("car_rental.plans", plan_id=key, name=key, price_per_day_minor=day, price_per_rental_minor=once,
              currency=currency, excess_minor=80000)  # fmt: skip
    stops = [("es_1", "Amp Tbilisi", "Tbilisi", ["electric"], 60.5), ("es_2", "Roadline Tbilisi", "Tbilisi",
             ["petrol", "diesel"], 310.0), ("es_3", "Roadline Gori", "Gori", ["petrol"], 290.0)]  # fmt: skip
    for key, name, city, kinds, price in stops:
        d.put("car_rental.energy_stops", stop_id=key, name=name, city=city, energy_types=kinds,
              price_per_unit_minor=price, currency="GEL", aliases=["Tiflis"] if city == "Tbilisi" else [])  # fmt: skip
    d.put("car_rental.road_rules", topic="speed", title="Speed", text="110 km/h on motorways.")
    d.start()
    return d


PERIOD = {"pickup_at": "2026-04-20T10:00", "return_at": "2026-04-23T10:00"}


def _quote(d: Any, offer_id: str = VAN, **more: Any) -> str:
    wish = {"pickup_city": "Tbilisi", "seats": 1, **PERIOD, **more}
    offers = d.call("car_rental.search_vehicle_offers", **wish)["offers"]
    return next(row["offer_id"] for row in offers if row["offer_id"].startswith(offer_id))


def _order(d: Any, **more: Any) -> dict[str, Any]:
    given = {"insurance_plan_id": "pl_basic", "driver_user_id": "u_ann", "drivers": [ANN], "contact": CONTACT,
             "payment": CARD, **more}  # fmt: skip
    return given if "offer_id" in given else {"offer_id": _quote(d), **given}


def _book(d: Any, **more: Any) -> Any:
    return d.call("car_rental.create_rental_booking", **_order(d, **more))


def _paid(d: Any) -> int:
    return sum(row["amount_minor"] for row in d.world.table("world.charges").rows())


# -- searching ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("city", "stations"),
    [
        ("Tbilisi", {"st_tbs", "st_air"}),
        ("tbilisi", {"st_tbs", "st_air"}),
        ("Tblisi", {"st_tbs", "st_air"}),  # a letter is missing
        ("Tiflis", {"st_tbs", "st_air"}),
        ("Tifls", {"st_tbs", "st_air"}),
        ("TBS", {"st_air"}),
        ("Tbilisi Airport", {"st_air"}),
        ("tbilisi center", {"st_tbs"}),
        ("Batumi", {"st_bat"}),
        ("Batmui", {"st_bat"}),  # two letters swapped
        ("Harbour", {"st_bat"}),
        ("bus", {"st_bat"}),
        ("Kopitnari", {"st_kut"}),
        ("Kutasi", {"st_kut"}),
    ],
)
def test_places_are_understood(desk: Any, city: str, stations: set[str]) -> None:
    found = _desk(desk).call("car_rental.search_vehicle_offers", pickup_city=city)
    assert {row["station_id"] for row in found["offers"]} == stations


def test_a_search_gives_quotes_for_the_period(desk: Any) -> None:
    d = _desk(desk)
    found = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi", **PERIOD)
    assert [row["model"] for row in found["offers"]] == ["Corso 4", "Corso E", "Carrier 9"]  # the cheapest first
    sedan = found["offers"][0]
    assert sedan["offer_id"] == "of_sedan~20260420T1000~20260423T1000~st_tbs"
    assert (sedan["days"], sedan["total_minor"], sedan["pickup_at"]) == (3, 42000, "2026-04-20T10:00:00+04:00")
    assert sedan["free_cancel_until"] == "2026-04-19T10:00:00+04:00"
    big = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi", seats=8, **PERIOD)
    assert [row["model"] for row in big["offers"]] == ["Carrier 9"]
    kind = d.call("car_rental.search_vehicle_offers", energy_type="electric", **PERIOD)
    assert [row["model"] for row in kind["offers"]] == ["Corso E"]
    away = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi", return_city="Batumi", **PERIOD)
    assert [(row["model"], row["one_way_minor"]) for row in away["offers"]] == [("Corso E", 4000), ("Carrier 9", 9000)]
    assert away["offers"][1]["total_minor"] == 3 * 26000 + 9000
    one = d.call("car_rental.search_vehicle_offers", max_results=1, **PERIOD)
    assert (len(one["offers"]), one["total"]) == (1, 5)


def test_without_times_a_search_shows_what_there_is(desk: Any) -> None:
    found = _desk(desk).call("car_rental.search_vehicle_offers", seats=5)
    assert [row["offer_id"] for row in found["offers"]] == ["of_sedan", "of_ev", VAN]
    assert "total_minor" not in found["offers"][0]


@pytest.mark.parametrize(
    ("end", "days"),
    [("2026-04-21T10:00", 1), ("2026-04-21T10:30", 1), ("2026-04-21T10:31", 2), ("2026-04-20T12:00", 1)],
)
def test_days_are_begun_24_hours_with_grace(desk: Any, end: str, days: int) -> None:
    found = _desk(desk).call("car_rental.search_vehicle_offers", pickup_at="2026-04-20T10:00", return_at=end)
    assert {row["days"] for row in found["offers"]} == {days}


def test_closed_stations_and_other_days_are_left_out(desk: Any) -> None:
    d = _desk(desk)
    sunday = {"pickup_at": "2026-04-19T10:00", "return_at": "2026-04-21T10:00"}
    found = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi", **sunday)
    assert ([row["model"] for row in found["offers"]], found["left_out"]) == (["Corso E"], {"sold_out": 0, "closed": 2})
    late = {"pickup_at": "2026-05-30T10:00", "return_at": "2026-06-01T10:00"}
    found = d.call("car_rental.search_vehicle_offers", pickup_city="TBS", **late)
    assert (found["offers"], found["left_out"]["closed"]) == ([], 1)
    assert found["note"]
    night = {"pickup_at": "2026-04-20T21:00:00+04:00", "return_at": "2026-04-22T10:00"}
    found = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi Centre", **night)
    assert found["total"] == 0


def test_refusals_of_searches(desk: Any) -> None:
    d = _desk(desk)
    tool = "car_rental.search_vehicle_offers"
    assert d.refused(tool, pickup_city="Atlantis") == "unknown_city"
    assert d.refused(tool, pickup_city="Tbilisi", return_city="Atlantis") == "unknown_city"
    assert d.refused(tool, pickup_at="2026-04-20T10:00") == "bad_period"
    assert d.refused(tool, pickup_at="soon", return_at="2026-04-20T10:00") == "bad_time"
    assert d.refused(tool, pickup_at="2026-04-21T10:00", return_at="2026-04-20T10:00") == "bad_period"
    assert d.refused(tool, pickup_at="2026-04-16T10:00", return_at="2026-04-20T10:00") == "bad_period"
    assert d.refused(tool, pickup_at="2026-04-20T10:00", return_at="2026-09-20T10:00") == "bad_period"
    assert d.refused(tool, pickup_at="2028-04-20T10:00", return_at="2028-04-22T10:00") == "bad_period"
    assert d.refused(tool, max_results=0) == "bad_limit"
    assert d.refused(tool, energy_type="steam") == "bad_arguments"
    assert (
        d.refused("car_rental.compare_energy_options", pickup_city="X9", return_city="Batumi", **PERIOD)
        == "unknown_city"
    )


def test_an_offer_shows_its_conditions(desk: Any) -> None:
    d = _desk(desk)
    plain = d.call("car_rental.get_vehicle_offer", offer_id=VAN)
    assert (plain["min_age"], plain["max_age"], plain["min_licence_years"]) == (25, 70, 3)
    assert plain["station"]["zone"] == "Asia/Tbilisi"
    assert "total_minor" not in plain
    shown = d.call("car_rental.get_vehicle_offer", offer_id=_quote(d))
    assert (shown["total_minor"], shown["units_left"], shown["available"]) == (78000, 1, True)
    _book(d)
    shown = d.call("car_rental.get_vehicle_offer", offer_id=shown["offer_id"])
    assert (shown["units_left"], shown["available"]) == (0, False)
    other = d.call("car_rental.get_vehicle_offer", offer_id=VAN, pickup_at="2026-04-24T10:00",
                   return_at="2026-04-25T10:00", return_station_id="st_bat")  # fmt: skip
    assert (other["total_minor"], other["return_station"]["station_id"]) == (35000, "st_bat")
    sunday = d.call(
        "car_rental.get_vehicle_offer", offer_id=VAN, pickup_at="2026-04-26T10:00", return_at="2026-04-27T10:00"
    )
    assert not sunday["available"]
    tool = "car_rental.get_vehicle_offer"
    assert d.refused(tool, offer_id="none") == "not_found"
    assert d.refused(tool, offer_id=f"{VAN}~soon") == "bad_offer"
    assert d.refused(tool, offer_id=f"{VAN}~20261320T1000~20261321T1000~st_tbs") == "bad_offer"
    assert d.refused(tool, offer_id=f"{VAN}~00010101T1000~00010102T1000~st_tbs") == "bad_offer"
    assert d.refused(tool, offer_id=VAN, return_station_id="st_kut") == "no_one_way"
    assert d.refused(tool, offer_id=VAN, pickup_at="2026-04-20T10:00") == "bad_period"
    assert d.refused(tool, offer_id=VAN, pickup_at="x", return_at="y") == "bad_time"


def test_energy_options_are_compared(desk: Any) -> None:
    d = _desk(desk)
    wish = {"pickup_city": "Tbilisi", "return_city": "Tbilisi", **PERIOD}
    found = d.call("car_rental.compare_energy_options", **wish)
    totals = {row["energy_type"]: row["total_minor"] for row in found["options"]}
    assert totals == {
        "petrol": 42000 + 11284,  # 520 km x 7 litres x 3.10
        "electric": 45000 + 5663,  # 93.6 kWh x 0.605
        "diesel": 78000 + 12896,
    }
    assert [row["energy_type"] for row in found["options"]] == ["electric", "petrol", "diesel"]
    assert found["missing"] == ["hybrid"]
    electric = found["options"][0]
    assert (electric["energy_units"], electric["stops_needed"]) == (93.6, 1)
    far = d.call("car_rental.compare_energy_options", route_km_estimate=1000, **wish)["options"]
    diesel = next(row for row in far if row["energy_type"] == "diesel")
    assert (diesel["extra_km"], diesel["extra_km_minor"]) == (400, 20000)
    assert d.happen("car_rental.close_energy_stop", stop_id="es_1", until="2026-04-20") == ["es_1"]
    closed = d.call("car_rental.compare_energy_options", **wish)["options"]
    assert (closed[-1]["energy_type"], closed[-1]["total_minor"]) == ("electric", None)
    hybrid = d.call("car_rental.compare_energy_options", pickup_city="Batumi", return_city="Batumi", **PERIOD)[
        "options"
    ]
    assert hybrid[0]["energy_price_minor"] == 290.0  # the cheapest petrol anywhere
    assert d.refused("car_rental.compare_energy_options", **{**wish, "pickup_at": "x"}) == "bad_time"
    assert d.refused("car_rental.compare_energy_options", **{**wish, "return_at": "2026-04-20T09:00"}) == "bad_period"


@pytest.mark.parametrize(
    ("city", "stops"),
    [("Tbilisi", ["es_1", "es_2"]), ("tiflis", ["es_1", "es_2"]), ("Gory", ["es_3"]), ("Amp Tbilisi", ["es_1"])],
)
def test_energy_stops_by_place(desk: Any, city: str, stops: list[str]) -> None:
    found = _desk(desk).call("car_rental.list_energy_stops", city=city)["stops"]
    assert [row["stop_id"] for row in found] == stops


def test_energy_stops_by_kind_and_state(desk: Any) -> None:
    d = _desk(desk)

    def ids(**more: Any) -> list[str]:
        return [row["stop_id"] for row in d.call("car_rental.list_energy_stops", **more)["stops"]]

    assert ids() == ["es_1", "es_3", "es_2"]
    assert ids(energy_type="hybrid") == ["es_3", "es_2"]
    assert ids(energy_type="diesel") == ["es_2"]
    assert ids(limit=1) == ["es_1"]
    assert d.refused("car_rental.list_energy_stops", city="Atlantis") == "unknown_city"
    assert d.happen("car_rental.close_energy_stop", stop_id="es_1", until="2026-04-18", note="works") == ["es_1"]
    assert d.happen("car_rental.close_energy_stop", stop_id="es_1", until="2026-04-18", note="works") == []
    assert d.happen("car_rental.close_energy_stop", stop_id="none") == []
    assert ids() == ["es_3", "es_2", "es_1"]
    d.until("2026-04-19T08:00")
    assert d.call("car_rental.list_energy_stops")["stops"][0]["status"] == "open"  # the day is over
    d.happen("car_rental.close_energy_stop", stop_id="es_1")
    assert ids()[-1] == "es_1"
    assert d.happen("car_rental.open_energy_stop", stop_id="es_1") == ["es_1"]
    assert d.happen("car_rental.set_energy_price", stop_id="es_1", price_per_unit_minor=900) == ["es_1"]
    assert d.happen("car_rental.set_energy_price", stop_id="es_1", price_per_unit_minor=-1) == []
    assert ids() == ["es_3", "es_2", "es_1"]
    d.check()


def test_road_policy_and_its_changes(desk: Any) -> None:
    d = _desk(desk)
    closed = {"road": "Gombori road", "from_day": "2026-04-18", "until_day": "2026-04-20", "text": "rockfall",
              "detour": "via Sagarejo"}  # fmt: skip
    [notice] = d.happen("car_rental.post_road_notice", **closed)
    assert d.happen("car_rental.post_road_notice", **closed) == []
    assert d.happen("car_rental.post_road_notice", **{**closed, "until_day": "2026-04-01"}) == []
    assert d.happen("car_rental.post_road_notice", **{**closed, "until_day": "2026-04-21"}) == [notice]
    policy = d.call("car_rental.get_road_policy")
    assert [(row["road"], row["until_day"], row["detour"]) for row in policy["notices"]] == [
        ("Gombori road", "2026-04-21", "via Sagarejo")
    ]
    d.until("2026-04-22T00:00")
    assert d.call("car_rental.get_road_policy")["notices"] == []
    assert d.happen("car_rental.lift_road_notice", road="Gombori road") == [notice]
    assert d.happen("car_rental.lift_road_notice", road="Gombori road") == []
    assert d.happen("car_rental.change_policy", topic="speed", text="100 km/h.") == ["speed"]
    assert d.happen("car_rental.change_policy", topic="speed", text="100 km/h.") == []
    assert d.happen("car_rental.change_policy", topic="none", text="x") == []
    assert d.call("car_rental.get_road_policy")["rules"] == [{"topic": "speed", "title": "Speed", "text": "100 km/h."}]


# -- booking -----------------------------------------------------------------------------------------------------------


def test_a_booking_is_charged_and_confirmed(desk: Any) -> None:
    d = _desk(desk, "email")
    booking = _book(d)
    assert (booking["status"], booking["model"], booking["total_minor"]) == ("confirmed", "Carrier 9", 78000 + 9600)
    assert (booking["paid_minor"], booking["due_minor"], _paid(d)) == (87600, 0, 87600)
    assert booking["drivers"] == [{"name": "Ann Lee", "user_id": "", "age": 40, "licence_years": 16, "licence_no": ""}]
    assert d.call("car_rental.get_booking", booking_ref=booking["booking_ref"]) == booking
    listed = d.call("car_rental.list_bookings", user_id="u_ann")["bookings"]
    assert [(row["booking_ref"], row["drivers"]) for row in listed] == [(booking["booking_ref"], ["Ann Lee"])]
    assert d.call("car_rental.list_bookings", user_id="u_bo")["total"] == 0
    [mail] = d.service("email").rows("mails")
    assert booking["booking_ref"] in mail["subject"]
    d.check()


def test_prices_with_a_plan_charged_once_and_another_station(desk: Any) -> None:
    d = _desk(desk)
    booking = _book(d, offer_id=_quote(d, return_city="Batumi"), insurance_plan_id="pl_full")
    assert (booking["insurance_minor"], booking["one_way_minor"]) == (3 * 5000 + 1000, 9000)
    plain = _book(d, offer_id="of_sedan", **PERIOD, return_station_id="st_tbs")
    assert plain["offer_id"] == "of_sedan"
    assert plain["return_station"]["station_id"] == "st_tbs"


def test_paying_at_the_counter(desk: Any) -> None:
    d = _desk(desk)
    booking = _book(d, payment=None)
    assert (booking["paid_minor"], booking["due_minor"], _paid(d)) == (0, 87600, 0)
    d.until("2026-04-20T14:00")  # 10:00 in Tbilisi
    shown = d.call("car_rental.get_booking", booking_ref=booking["booking_ref"])
    assert (shown["status"], shown["due_minor"], _paid(d)) == ("picked_up", 0, 0)
    d.until("2026-04-23T14:00")
    assert d.call("car_rental.get_booking", booking_ref=booking["booking_ref"])["status"] == "returned"
    d.check()


def test_paying_later(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d, payment=None)["booking_ref"]
    wrong = {"booking_ref": ref, "payment": {"payment_method_id": "none"}}
    assert d.refused("car_rental.pay_charge", **wrong) == "unknown_payment_method"
    paid = d.call("car_rental.pay_charge", booking_ref=ref, payment=CARD)
    assert (paid["charged_minor"], paid["due_minor"], paid["payment_method_id"]) == (87600, 0, "card")
    assert d.refused("car_rental.pay_charge", booking_ref=ref, payment=CARD) == "nothing_due"
    assert d.refused("car_rental.pay_charge", booking_ref="none", payment=CARD) == "not_found"
    d.check()


def test_a_car_is_not_booked_twice(desk: Any) -> None:
    d = _desk(desk)
    quote = _quote(d)
    _book(d, offer_id=quote)
    assert d.refused("car_rental.create_rental_booking", **_order(d, offer_id=quote)) == "sold_out"
    found = d.call("car_rental.search_vehicle_offers", pickup_city="Tbilisi", seats=9, **PERIOD)
    assert (found["offers"], found["left_out"]["sold_out"]) == ([], 1)
    later = _book(d, offer_id=VAN, pickup_at="2026-04-23T10:00", return_at="2026-04-24T10:00")  # back to back
    assert later["status"] == "confirmed"
    for _ in range(2):
        _book(d, offer_id="of_sedan", **PERIOD)
    middle = {"pickup_at": "2026-04-22T12:00", "return_at": "2026-04-25T12:00"}
    assert d.refused("car_rental.create_rental_booking", **_order(d, offer_id="of_sedan", **middle)) == "sold_out"
    d.check()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"offer_id": "none"}, "not_found"),
        ({"insurance_plan_id": "none"}, "not_found"),
        ({"offer_id": f"{VAN}~x"}, "bad_offer"),
        ({"offer_id": VAN}, "bad_period"),
        ({"pickup_at": "soon"}, "bad_time"),
        ({"pickup_at": "2026-04-01T10:00"}, "bad_period"),
        ({"return_station_id": "st_kut"}, "no_one_way"),
        ({"offer_id": "of_ev", "pickup_at": "2026-05-30T10:00", "return_at": "2026-06-02T10:00"}, "not_offered"),
        ({"insurance_plan_id": "pl_eur"}, "plan_not_offered"),
        ({"pickup_at": "2026-04-20T07:00"}, "station_closed"),
        ({"return_at": "2026-04-26T10:00"}, "station_closed"),  # Sunday
        ({"drivers": [{"name": "Ann"}]}, "bad_driver"),
        ({"drivers": [{"name": "Ann", "age": 40}]}, "bad_driver"),
        ({"drivers": [{"name": " ", "age": 40, "licence_year": 2000}]}, "bad_driver"),
        ({"drivers": [ANN, ANN]}, "bad_driver"),
        ({"drivers": [{**ANN, "name": str(n)} for n in range(7)]}, "bad_driver"),
        ({"drivers": []}, "bad_arguments"),
        ({"drivers": [{**ANN, "birth_date": "long ago"}]}, "bad_date"),
        ({"drivers": [{**ANN, "licence_since": "long ago"}]}, "bad_date"),
        ({"drivers": [{**ANN, "age": 71}]}, "driver_not_allowed"),
        ({"drivers": [ANN, {"name": "Kwame", "age": 30, "licence_year": 2025}]}, "driver_not_allowed"),
        ({"drivers": [BO]}, "driver_not_allowed"),  # 25 on the day after pick-up
        ({"contact": {"email": "nowhere"}}, "bad_contact"),
        ({"payment": {"payment_method_id": "none"}}, "unknown_payment_method"),
    ],
)
def test_refusals_of_a_booking(desk: Any, change: dict[str, Any], code: str) -> None:
    d = _desk(desk)
    order = _order(d)
    assert d.refused("car_rental.create_rental_booking", **{**order, **change}) == code


def test_drivers_are_measured_on_the_day_of_pick_up(desk: Any) -> None:
    d = _desk(desk)
    booking = _book(d, offer_id=VAN, pickup_at="2026-04-21T10:00", return_at="2026-04-22T10:00", drivers=[BO])
    assert [(row["age"], row["licence_years"]) for row in booking["drivers"]] == [(25, 4)]


def test_a_bank_may_refuse(desk: Any) -> None:
    d = desk("car_rental", "banking")
    d.put("banking.accounts", account_id="card", user_id="u_ann", name="A", currency="EUR", balance_minor=100)
    d = _into(d)
    assert d.refused("car_rental.create_rental_booking", **_order(d)) == "currency_mismatch"
    d.service("banking").patch("accounts", "card", currency="GEL")
    assert d.refused("car_rental.create_rental_booking", **_order(d)) == "insufficient_funds"


def _into(d: Any) -> Any:
    """The fleet of _desk in a world that there is already."""
    return _desk(lambda *services: d)


# -- changing and cancelling -------------------------------------------------------------------------------------------


def test_a_change_of_times_settles_the_difference(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    d.happen("car_rental.set_price", offer_id=VAN, price_per_day_minor=30000)
    longer = d.call("car_rental.change_booking", booking_ref=ref, return_at="2026-04-24T10:00")
    assert longer["total_minor"] == 4 * 30000 + 4 * 3200
    assert (longer["difference_minor"], longer["charged_minor"]) == (132800 - 87600, 132800 - 87600)
    shorter = d.call("car_rental.change_booking", booking_ref=ref, pickup_at="2026-04-22T10:00")
    assert (shorter["days"], shorter["paid_minor"], _paid(d)) == (2, 66400, 66400)
    better = d.call("car_rental.change_booking", booking_ref=ref, insurance_plan_id="pl_full")
    assert better["insurance_minor"] == 11000
    away = d.call("car_rental.change_booking", booking_ref=ref, return_station_id="st_bat")
    assert away["one_way_minor"] == 9000
    people = d.call("car_rental.change_booking", booking_ref=ref, drivers=[ANN, BO], contact={"email": "x@y.example"})
    assert [row["name"] for row in people["drivers"]] == ["Ann Lee", "Bo Chen"]
    assert (people["contact"]["email"], people["charged_minor"]) == ("x@y.example", 0)
    d.until("2026-04-22T14:00")
    assert d.call("car_rental.get_booking", booking_ref=ref)["status"] == "picked_up"
    d.check()


def test_a_change_before_paying_costs_at_the_counter(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d, payment=None)["booking_ref"]
    changed = d.call("car_rental.change_booking", booking_ref=ref, return_at="2026-04-22T10:00")
    assert (changed["due_minor"], changed["charged_minor"], changed["difference_minor"]) == (58400, 0, -29200)
    d.until("2026-04-20T15:00")
    changed = d.call("car_rental.change_booking", booking_ref=ref, return_at="2026-04-23T10:00")
    assert (changed["due_minor"], changed["charged_minor"], _paid(d)) == (0, 29200, 0)
    d.check()


def test_once_picked_up_only_the_return_moves(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    d.until("2026-04-20T15:00")
    tool = "car_rental.change_booking"
    assert d.refused(tool, booking_ref=ref, pickup_at="2026-04-21T10:00") == "not_changeable"
    assert d.refused(tool, booking_ref=ref, insurance_plan_id="pl_full") == "not_changeable"
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-21T10:00") == "not_changeable"
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-20T10:30") == "bad_period"
    assert d.call(tool, booking_ref=ref, return_at="2026-04-24T10:00")["charged_minor"] == 29200
    d.until("2026-04-23T14:00")
    assert d.call("car_rental.get_booking", booking_ref=ref)["status"] == "picked_up"
    d.until("2026-04-24T14:00")
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-28T10:00") == "not_changeable"
    d.check()


def test_refusals_of_a_change(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    _book(d, offer_id=VAN, pickup_at="2026-04-24T10:00", return_at="2026-04-25T10:00")
    tool = "car_rental.change_booking"
    assert d.refused(tool, booking_ref="none", return_at="2026-04-24T10:00") == "not_found"
    assert d.refused(tool, booking_ref=ref) == "nothing_to_change"
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-24T11:00") == "sold_out"
    assert d.refused(tool, booking_ref=ref, return_at="x") == "bad_time"
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-19T11:00") == "bad_period"
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-22T21:00") == "station_closed"
    assert d.refused(tool, booking_ref=ref, return_station_id="st_kut") == "no_one_way"
    assert d.refused(tool, booking_ref=ref, insurance_plan_id="none") == "not_found"
    assert d.refused(tool, booking_ref=ref, insurance_plan_id="pl_eur") == "plan_not_offered"
    assert d.refused(tool, booking_ref=ref, drivers=[{**ANN, "age": 20}]) == "driver_not_allowed"
    assert d.refused(tool, booking_ref=ref, drivers=[{"name": "A"}]) == "bad_driver"
    assert d.refused(tool, booking_ref=ref, drivers=[{**ANN, "birth_date": "x"}]) == "bad_date"
    assert d.refused(tool, booking_ref=ref, contact={"email": "x"}) == "bad_contact"
    d.happen("car_rental.withdraw_offer", offer_id=VAN)
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-22T10:00") == "not_offered"
    d.world.table("world.methods").drop("card")
    d.world.table("world.methods").put({"method_id": "other"})
    d.happen("car_rental.withdraw_offer", offer_id=VAN, withdrawn=False)
    assert d.refused(tool, booking_ref=ref, return_at="2026-04-22T10:00") == "unknown_payment_method"
    assert d.refused("car_rental.cancel_booking", booking_ref=ref) == "unknown_payment_method"


def test_cancelling_is_free_in_time(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    d.until("2026-04-19T14:00")  # the very minute counts
    gone = d.call("car_rental.cancel_booking", booking_ref=ref, reason="ill")
    assert (gone["refund_minor"], gone["status"], gone["reason"], _paid(d)) == (87600, "cancelled", "ill", 0)
    assert d.refused("car_rental.cancel_booking", booking_ref=ref) == "not_cancellable"
    assert d.refused("car_rental.cancel_booking", booking_ref="none") == "not_found"
    assert d.refused("car_rental.pay_charge", booking_ref=ref, payment=CARD) == "nothing_due"
    assert _quote(d)  # the car is free again
    d.until("2026-04-25T00:00")
    assert d.call("car_rental.get_booking", booking_ref=ref)["status"] == "cancelled"
    d.check()


def test_a_late_cancellation_costs_a_day(desk: Any) -> None:
    d = _desk(desk)
    paid, unpaid = _book(d)["booking_ref"], _book(d, offer_id="of_sedan", payment=None, **PERIOD)["booking_ref"]
    d.until("2026-04-19T14:01")
    gone = d.call("car_rental.cancel_booking", booking_ref=paid)
    assert (gone["refund_minor"], gone["kept_minor"], _paid(d)) == (61600, 26000, 26000)
    gone = d.call("car_rental.cancel_booking", booking_ref=unpaid)
    [charge] = gone["charges"]
    assert (charge["kind"], charge["amount_minor"], gone["open_charges_minor"]) == ("cancellation", 14000, 14000)
    settled = d.call("car_rental.pay_charge", booking_ref=unpaid, payment=CARD, charge_id=charge["charge_id"])
    assert (settled["open_charges_minor"], _paid(d)) == (0, 40000)
    d.check()


# -- condition, return, incidents --------------------------------------------------------------------------------------


def _report(d: Any, ref: str, phase: str, **more: Any) -> dict[str, Any]:
    return {"booking_ref": ref, "phase": phase, "checklist_items": {"bodywork": "no scratches", "photos": 4}, **more}


def test_a_good_return_costs_nothing(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    tool = "car_rental.report_vehicle_condition"
    d.until("2026-04-20T12:00")  # two hours before
    first = d.call(tool, **_report(d, ref, "pickup", odometer_km=1000, fuel_or_charge_level="full"))
    assert (first["level_percent"], first["new_charges"]) == (100, [])
    needs = d.call("car_rental.get_return_requirements", booking_ref=ref)
    assert (needs["required_level_percent"], needs["included_km"], needs["photos_required"]) == (100, 600, 4)
    assert (needs["odometer_at_pickup_km"], needs["open_at_return_time"]) == (1000.0, True)
    assert needs["still_missing"] == ["the return report with level, odometer, clean and photos"]
    d.until("2026-04-23T14:30")
    last = d.call(tool, **_report(d, ref, "return", odometer_km=1600, fuel_or_charge_level="100 %", notes="ok"))
    assert (last["new_charges"], last["still_missing"]) == ([], [])
    assert d.refused(tool, **_report(d, ref, "return")) == "exists"
    d.check()


def test_what_a_bad_return_costs(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    tool = "car_rental.report_vehicle_condition"
    d.until("2026-04-20T14:00")
    d.call(tool, **_report(d, ref, "pickup", odometer_km=1000.5))
    d.until("2026-04-23T14:00")
    bad = {"checklist_items": {"clean": False, "photos": 1}, "odometer_km": 1650.2, "fuel_or_charge_level": "3/4"}
    last = d.call(tool, **{**_report(d, ref, "return"), **bad})
    assert [(row["kind"], row["amount_minor"]) for row in last["new_charges"]] == [
        ("fuel", 25 * 200),
        ("km", 50 * 50),
        ("cleaning", 5000),
    ]
    assert last["still_missing"] == ["3 photos"]
    needs = d.call("car_rental.get_return_requirements", booking_ref=ref)
    assert len(needs["open_charges"]) == 3
    key = needs["open_charges"][0]["charge_id"]
    paid = d.call("car_rental.pay_charge", booking_ref=ref, payment=CARD, charge_id=key)
    assert (paid["charged_minor"], paid["open_charges_minor"]) == (5000, 7500)
    assert d.refused("car_rental.pay_charge", booking_ref=ref, payment=CARD, charge_id=key) == "nothing_due"
    assert d.refused("car_rental.pay_charge", booking_ref=ref, payment=CARD, charge_id="none") == "not_found"
    other = _book(d, offer_id="of_kut", pickup_at="2026-04-25T10:00", return_at="2026-04-26T10:00")["booking_ref"]
    again = {"booking_ref": other, "payment": CARD, "charge_id": needs["open_charges"][1]["charge_id"]}
    assert d.refused("car_rental.pay_charge", **again) == "not_found"
    d.check()


def test_the_level_of_pick_up_counts_where_the_offer_says_so(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d, offer_id="of_sedan", **PERIOD)["booking_ref"]
    tool = "car_rental.report_vehicle_condition"
    needs = d.call("car_rental.get_return_requirements", booking_ref=ref)
    assert (needs["required_level_percent"], needs["included_km"]) == (None, None)
    assert needs["still_missing"][0] == "the pick-up report"
    d.until("2026-04-20T14:00")
    d.call(tool, **_report(d, ref, "pickup", fuel_or_charge_level="half", odometer_km=10))
    assert d.call("car_rental.get_return_requirements", booking_ref=ref)["required_level_percent"] == 50
    last = d.call(tool, **_report(d, ref, "return", fuel_or_charge_level="45%", odometer_km=9000))
    assert [(row["kind"], row["amount_minor"]) for row in last["new_charges"]] == [("fuel", 1000)]


def test_refusals_of_a_condition_report(desk: Any) -> None:
    d = _desk(desk)
    ref, gone = _book(d)["booking_ref"], _book(d, offer_id="of_sedan", **PERIOD)["booking_ref"]
    d.call("car_rental.cancel_booking", booking_ref=gone)
    tool = "car_rental.report_vehicle_condition"
    assert d.refused(tool, **_report(d, "none", "pickup")) == "not_found"
    assert d.refused(tool, **_report(d, gone, "pickup")) == "bad_phase"
    assert d.call("car_rental.get_return_requirements", booking_ref=gone)["still_missing"] == []
    assert d.refused(tool, **_report(d, ref, "pickup")) == "bad_phase"  # too early
    d.until("2026-04-20T14:00")
    assert d.refused(tool, **{**_report(d, ref, "pickup"), "checklist_items": {}}) == "bad_checklist"
    assert d.refused(tool, **{**_report(d, ref, "pickup"), "checklist_items": {" ": True}}) == "bad_checklist"
    for level in ("lots", "150%", "5/0", "9/8", "-3"):
        assert d.refused(tool, **_report(d, ref, "pickup", fuel_or_charge_level=level)) == "bad_level"
    d.call(tool, **_report(d, ref, "pickup", odometer_km=500))
    assert d.refused(tool, **_report(d, ref, "return", odometer_km=400)) == "bad_odometer"
    partial = d.call(tool, **{**_report(d, ref, "return"), "checklist_items": {"photos": "some"}})
    assert partial["still_missing"] == ["the level of tank or battery on return", "the odometer on return", "4 photos"]
    assert d.refused(tool, **_report(d, ref, "after")) == "bad_arguments"
    late = _book(d, offer_id="of_kut", pickup_at="2026-04-24T10:00", return_at="2026-04-25T10:00")["booking_ref"]
    d.until("2026-04-26T14:01")
    assert d.refused(tool, **_report(d, late, "return")) == "bad_phase"
    assert d.refused("car_rental.get_return_requirements", booking_ref="none") == "not_found"


def test_incidents(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    tool = "car_rental.report_incident"
    what = {"booking_ref": ref, "incident_type": "damage", "occurred_at": "2026-04-20T12:00", "location": "Telavi",
            "description": "A stone hit the windscreen."}  # fmt: skip
    assert d.refused(tool, **what) == "not_picked_up"
    d.until("2026-04-20T17:00")  # 13:00 there
    made = d.call(tool, **what, photos_count=2, estimated_fee=120)
    assert (made["occurred_at"], made["excess_minor"], made["currency"]) == ("2026-04-20T12:00:00+04:00", 80000, "GEL")
    assert made["next_step"] == "Drive on with care and show the damage on return."
    crash = d.call(tool, **{**what, "incident_type": "accident"})
    assert crash["next_step"].startswith("Call the police")
    assert crash["next_step"].endswith("Take photos.")
    stuck = d.call(tool, **{**what, "incident_type": "breakdown"}, safe_to_drive=False, photos_count=1)
    assert stuck["next_step"].startswith("Leave the car")
    assert d.refused(tool, **{**what, "booking_ref": "none"}) == "not_found"
    assert d.refused(tool, **{**what, "occurred_at": "x"}) == "bad_time"
    assert d.refused(tool, **{**what, "occurred_at": "2026-04-20T14:00"}) == "not_in_rental"  # not yet
    assert d.refused(tool, **{**what, "occurred_at": "2026-04-20T09:00"}) == "not_in_rental"
    assert d.refused(tool, **{**what, "description": ""}) == "bad_arguments"
    d.until("2026-04-21T16:00")  # 24 hours
    d.call(tool, **what)
    d.until("2026-04-21T16:01")
    assert d.refused(tool, **what) == "too_late"
    listed = d.call("car_rental.list_incident_reports", booking_ref=ref, page_size=1)
    assert (listed["total"], listed["incidents"][0]["incident_type"]) == (4, "damage")
    assert d.call("car_rental.list_incident_reports")["total"] == 4
    assert d.refused("car_rental.list_incident_reports", booking_ref="none") == "not_found"
    assert d.refused("car_rental.list_incident_reports", page=0) == "bad_page"
    assert d.refused("car_rental.list_bookings", page=0) == "bad_page"
    assert d.refused("car_rental.get_booking", booking_ref="none") == "not_found"
    assert d.call("car_rental.list_insurance_plans")["total"] == 3
    d.check()


# -- what happens ------------------------------------------------------------------------------------------------------


def test_prices_change_and_alerts_hear_of_it(desk: Any) -> None:
    d = _desk(desk, "notification_hub")
    d.put("notification_hub.subscriptions", subscription_id="s1", user_id="u_ann", source="car_rental", type="price",
          target=VAN, condition={"below_minor": 25000}, created_at="2026-04-17T09:00:00+08:00")  # fmt: skip
    booked = _book(d)
    assert d.happen("car_rental.set_price", offer_id=VAN, price_per_day_minor=20000) == [VAN]
    assert d.happen("car_rental.set_price", offer_id=VAN, price_per_day_minor=20000) == []
    assert d.happen("car_rental.set_price", offer_id="none", price_per_day_minor=20000) == []
    assert d.call("car_rental.get_booking", booking_ref=booked["booking_ref"])["total_minor"] == booked["total_minor"]
    assert len(d.world.openings) == 1


def test_offers_are_withdrawn_and_come_back(desk: Any) -> None:
    d = _desk(desk)
    quote = _quote(d)
    assert d.happen("car_rental.withdraw_offer", offer_id=VAN) == [VAN]
    assert d.happen("car_rental.withdraw_offer", offer_id=VAN) == []
    assert d.happen("car_rental.withdraw_offer", offer_id="none") == []
    assert d.refused("car_rental.create_rental_booking", **_order(d, offer_id=quote)) == "not_offered"
    assert not d.call("car_rental.get_vehicle_offer", offer_id=quote)["available"]
    assert VAN not in str(d.call("car_rental.search_vehicle_offers", **PERIOD))
    assert VAN not in str(d.call("car_rental.search_vehicle_offers"))
    d.happen("car_rental.withdraw_offer", offer_id=VAN, withdrawn=False)
    assert _book(d, offer_id=quote)
    assert d.happen("car_rental.set_units", offer_id=VAN, units=0) == []  # the booking needs one
    assert d.happen("car_rental.set_units", offer_id=VAN, units=2) == [VAN]
    assert d.happen("car_rental.set_units", offer_id="none", units=2) == []
    assert _book(d, offer_id=quote)
    assert d.happen("car_rental.set_driver_rules", offer_id="of_sedan", min_age=50) == ["of_sedan"]
    assert d.happen("car_rental.set_driver_rules", offer_id="of_sedan", min_age=50) == []
    assert (
        d.refused("car_rental.create_rental_booking", **_order(d, offer_id="of_sedan", **PERIOD))
        == "driver_not_allowed"
    )
    d.check()


def test_the_company_swaps_and_cancels(desk: Any) -> None:
    d = _desk(desk, "notification_hub")
    ref = _book(d)["booking_ref"]
    d.put("notification_hub.subscriptions", subscription_id="s1", user_id="u_ann", source="car_rental", type="status",
          target=ref, condition={"changed": True}, created_at="2026-04-17T09:00:00+08:00")  # fmt: skip
    swap = {"offer_id": VAN, "model": "Carrier 7", "seats": 7, "pickup_on": "2026-04-20"}
    assert d.happen("car_rental.swap_vehicle", **{**swap, "pickup_on": "2026-04-21"}) == []
    assert d.happen("car_rental.swap_vehicle", **swap) == [ref]
    assert d.happen("car_rental.swap_vehicle", **swap) == []
    shown = d.call("car_rental.get_booking", booking_ref=ref)
    assert (shown["model"], shown["seats"], shown["total_minor"]) == ("Carrier 7", 7, 87600)
    assert len(d.world.openings) == 1
    unpaid = _book(d, offer_id="of_sedan", payment=None, **PERIOD)["booking_ref"]
    assert d.happen("car_rental.cancel_rentals", offer_id=VAN, reason="broken") == [ref]
    assert d.happen("car_rental.cancel_rentals", offer_id="of_sedan") == [unpaid]
    shown = d.call("car_rental.get_booking", booking_ref=ref)
    assert (shown["status"], shown["cancelled_by"], shown["reason"], _paid(d)) == ("cancelled", "company", "broken", 0)
    assert d.happen("car_rental.cancel_rentals", offer_id=VAN) == []
    d.check()


def test_a_refund_that_finds_no_method_stays_with_the_company(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    d.world.table("world.methods").drop("card")
    d.world.table("world.methods").put({"method_id": "other"})
    assert d.happen("car_rental.cancel_rentals", offer_id=VAN) == [ref]
    assert d.call("car_rental.get_booking", booking_ref=ref)["kept_minor"] == 87600
    d.check()


def test_stations_change_their_hours(desk: Any) -> None:
    d = _desk(desk)
    quote = _quote(d)
    close = {"station_id": "st_tbs", "weekdays": ["mon"]}
    assert d.happen("car_rental.set_station_hours", **close) == ["st_tbs"]
    assert d.happen("car_rental.set_station_hours", **close) == []
    assert d.refused("car_rental.create_rental_booking", **_order(d, offer_id=quote)) == "station_closed"
    late = {**close, "opens": "09:30", "closes": "23:00"}
    assert d.happen("car_rental.set_station_hours", **late) == ["st_tbs"]
    assert d.happen("car_rental.close_station", station_id="st_tbs", days=["2026-04-23"]) == ["st_tbs"]
    assert d.happen("car_rental.close_station", station_id="st_tbs", days=["2026-04-23"]) == []
    assert d.happen("car_rental.close_station", station_id="none", days=["2026-04-23"]) == []
    assert d.refused("car_rental.create_rental_booking", **_order(d, offer_id=quote)) == "station_closed"
    assert _book(d, offer_id=quote, return_at="2026-04-24T10:00")
    assert d.happen("car_rental.set_station_hours", station_id="none", weekdays=["mon"]) == []
    assert d.happen("car_rental.set_station_hours", **{**late, "opens": None}) == []
    assert d.happen("car_rental.set_station_hours", **{**late, "opens": "23:30"}) == []
    assert d.happen("car_rental.set_station_hours", station_id="st_bat", weekdays=["sun"]) == ["st_bat"]
    hours = d.call("car_rental.get_vehicle_offer", offer_id="of_mini")["station"]["hours"]
    assert [row["weekday"] for row in hours] == list(WEEK[:6])
    assert d.happen("car_rental.set_station_hours", station_id="st_bat", weekdays=list(WEEK)) == []


def test_fines_and_extra_charges_wait_for_somebody_to_pay(desk: Any) -> None:
    d = _desk(desk)
    ref = _book(d)["booking_ref"]
    fine = {"offer_id": VAN, "on": "2026-04-21", "amount_minor": 5000, "reason": "parking"}
    assert d.happen("car_rental.fine_arrives", **fine) == []  # not picked up
    d.until("2026-04-23T15:00")
    assert d.happen("car_rental.fine_arrives", **{**fine, "on": "2026-04-24"}) == []
    [first] = d.happen("car_rental.fine_arrives", **fine)
    extra = {"offer_id": VAN, "kind": "fuel", "amount_minor": 1800, "reason": "not full"}
    assert d.happen("car_rental.extra_charge", **extra, pickup_on="2026-04-22") == []
    [second] = d.happen("car_rental.extra_charge", **extra, pickup_on="2026-04-20")
    shown = d.call("car_rental.get_booking", booking_ref=ref)
    assert [row["charge_id"] for row in shown["charges"]] == [first, second]
    assert (shown["open_charges_minor"], _paid(d)) == (6800, 87600)
    assert d.happen("car_rental.waive_charges", offer_id=VAN, kind="fuel") == [second]
    assert d.happen("car_rental.waive_charges", offer_id=VAN, kind="fuel") == []
    refused = {"booking_ref": ref, "payment": CARD, "charge_id": second}
    assert d.refused("car_rental.pay_charge", **refused) == "nothing_due"
    d.check()


def test_bookings_from_before_are_completed(desk: Any) -> None:
    d = _desk(desk)
    common = {"offer_id": VAN, "user_id": "u_ann", "station_id": "st_tbs", "return_station_id": "st_tbs",
              "insurance_plan_id": "pl_basic", "currency": "GEL"}  # fmt: skip
    d.put("car_rental.bookings", booking_ref="B1", pickup_at="2026-04-20T10:00:00+04:00",
          return_at="2026-04-21T10:00:00+04:00", **common)  # fmt: skip
    d.put("car_rental.bookings", booking_ref="B2", pickup_at="2026-04-16T10:00:00+04:00",
          return_at="2026-04-20T12:00:00+04:00", status="picked_up", **common)  # fmt: skip
    d.start()
    d.check()
    first, second = (d.call("car_rental.get_booking", booking_ref=ref) for ref in ("B1", "B2"))
    assert (first["model"], first["total_minor"], first["due_minor"]) == ("Carrier 9", 29200, 29200)
    assert (second["days"], second["due_minor"]) == (5, 0)
    assert d.service("car_rental").find("offers", VAN)["units"] == 2  # both cars exist
    d.until("2026-04-20T16:00")
    assert d.call("car_rental.get_booking", booking_ref="B2")["status"] == "returned"


# -- generators, and any sequence --------------------------------------------------------------------------------------


def _generated(desk: Any) -> Any:
    d = _desk(desk)
    service, rng = d.service("car_rental"), random.Random(5)
    service.fleet(rng, city="Kutaisi", currency="GEL", base_price_minor=12000, stations=3, offers_each=40)
    service.fleet(
        rng, city="Lisbon", currency="EUR", base_price_minor=4000, date_from="2026-04-17", date_to="2026-05-30"
    )
    service.energy_stops(rng, city="Kutaisi", count=30, currency="GEL", petrol_minor=310)
    service.past_rentals(rng, user_id="u_ann", count=6)
    return d


def test_generated_cars_are_believable_and_repeatable(desk: Any) -> None:
    d = _generated(desk)
    service = d.service("car_rental")
    d.check()
    assert len(service.rows("offers")) == 5 + 120 + 24
    assert len(service.rows("energy_stops")) == 3 + 30
    assert d.world.dump() == _generated(desk).world.dump()
    past = d.call("car_rental.list_bookings", user_id="u_ann")["bookings"]
    assert [row["status"] for row in past] == ["returned"] * 6
    assert all(row["return_at"] < "2026-04-17" and not row["due_minor"] for row in past)
    before = d.world.dump()
    service.past_rentals(random.Random(6), user_id="u_ann", count=6)
    service.fleet(random.Random(6), city="Lisbon", currency="EUR", base_price_minor=9)
    service.energy_stops(random.Random(6), city="Kutaisi", count=30, currency="GEL", petrol_minor=3)
    assert d.world.dump() == before
    found = d.call("car_rental.search_vehicle_offers", pickup_city="Lisbon", **PERIOD)
    assert found["total"] > 5
    best = found["offers"][0]
    d.put("car_rental.plans", plan_id="pl_lis", name="Basic", currency="EUR", excess_minor=100)
    assert _book(d, offer_id=best["offer_id"], insurance_plan_id="pl_lis")["total_minor"] == best["total_minor"]


STEP = st.tuples(st.integers(0, 14), st.integers(0, 40))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int]]) -> None:
    d = _desk(desk)
    for what, number in steps:
        refs = [row["booking_ref"] for row in d.service("car_rental").rows("bookings")]
        ref = refs[number % len(refs)] if refs else "none"
        offer = (VAN, "of_sedan", "of_ev")[number % 3]
        start = d.world.now - d.world.now % 86400 + (1 + number % 4) * 86400 + 6 * 3600
        period = {"pickup_at": d.world.iso(start), "return_at": d.world.iso(start + (1 + number % 5) * 86400)}
        if what <= 2:
            pay = CARD if number % 2 else None
            order = _order(d, offer_id=offer, payment=pay, **period)
            d.outcome("car_rental.create_rental_booking", **order)
        elif what == 3:
            d.outcome("car_rental.change_booking", booking_ref=ref, return_at=period["return_at"])
        elif what == 4:
            d.outcome("car_rental.change_booking", booking_ref=ref, **period)
        elif what == 5:
            d.outcome("car_rental.cancel_booking", booking_ref=ref)
        elif what == 6:
            d.world.run_to(d.world.now + number * 3600)
        elif what == 7:
            d.outcome("car_rental.pay_charge", booking_ref=ref, payment=CARD)
        elif what == 8:
            phase = ("pickup", "return")[number % 2]
            more = {"odometer_km": number * 300, "fuel_or_charge_level": f"{number}%"}
            d.outcome("car_rental.report_vehicle_condition", **_report(d, ref, phase, **more))
        elif what == 9:
            d.happen("car_rental.cancel_rentals", offer_id=offer)
        elif what == 10:
            d.happen("car_rental.set_price", offer_id=offer, price_per_day_minor=number * 1000)
        elif what == 11:
            d.happen("car_rental.set_units", offer_id=offer, units=number % 3)
        elif what == 12:
            d.happen(
                "car_rental.fine_arrives", offer_id=offer, on=d.world.today().isoformat(), amount_minor=9, reason="x"
            )
        elif what == 13:
            charges = [row["charge_id"] for row in d.service("car_rental").rows("charges")]
            key = charges[number % len(charges)] if charges else "none"
            d.outcome("car_rental.pay_charge", booking_ref=ref, payment=CARD, charge_id=key)
        else:
            d.outcome("car_rental.report_incident", booking_ref=ref, incident_type="damage",
                      occurred_at=d.world.iso(d.world.now - number * 1800), location="x", description="x")  # fmt: skip
        d.check()
