"""The map finds what people mean, and its ways and hours hold."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.maps.geometry import compass, path_minutes, straight_m

# place_id, name, category, lat, lng, address, city, more
PLACES: tuple[tuple[str, str, str, float, float, str, str, dict[str, Any]], ...] = (
    ("pl_kana_st", "Kanazawa Station", "station", 36.5780, 136.6480, "1 Kinoshinbo, Kanazawa", "Kanazawa",
     {"aliases": ["金沢駅"], "indoor": True}),
    ("pl_villa", "Kenroku villa", "museum", 36.5621, 136.6627, "1-2 Dewa, Kanazawa", "Kanazawa",
     {"aliases": ["Seison villa"], "inside_km": 0.6, "hours": {"tue": "09:00-17:00", "thu": "09:00-17:00"},
      "notes": "scrolls of the old masters"}),
    ("pl_garden", "Kenroku garden", "park", 36.5625, 136.6625, "1 Kenroku, Kanazawa", "Kanazawa", {"inside_km": 1.5}),
    ("pl_market", "Omicho market", "market", 36.5720, 136.6560, "50 Kamiomicho, Kanazawa", "Kanazawa",
     {"hours": {"mon": "09:00-17:30", "fri": "09:00-13:00, 15:00-19:00"}}),
    ("pl_pharm", "Asano Pharmacy", "pharmacy", 36.5730, 136.6570, "12 Owari, Kanazawa", "Kanazawa", {}),
    ("pl_pharm2", "Lantern Pharmacy", "pharmacy", 36.5660, 136.6620, "3 Korinbo, Kanazawa", "Kanazawa", {}),
    ("pl_cafe", "Willow Cafe", "cafe", 36.5650, 136.6600, "8 Korinbo, Kanazawa", "Kanazawa", {"seated": True}),
    ("pl_bar", "Night Owl", "bar", 36.5655, 136.6590, "9 Korinbo, Kanazawa", "Kanazawa",
     {"zone": "Asia/Tokyo", "hours": {"thu": "18:00-02:00", "fri": "18:00-02:00"}}),
    ("pl_aqua", "Osaka Aquarium", "aquarium", 34.6545, 135.4290, "1-1 Kaigandori, Osaka", "Osaka",
     {"aliases": ["Kaiyu hall", "fish museum"], "ticket_minor": 2700, "currency": "JPY", "indoor": True,
      "inside_km": 1.0}),
    ("pl_kix", "Kansai Airport", "airport", 34.4347, 135.2440, "1 Senshu, Izumisano", "Izumisano",
     {"aliases": ["KIX"]}),
    ("pl_udon", "Hanamichi udon", "restaurant", 34.4345, 135.2445, "Terminal 1, Kansai Airport", "Izumisano",
     {"seated": True}),
    ("pl_tennoji", "Tennoji Station", "station", 34.6470, 135.5140, "10 Hidenin, Osaka", "Osaka", {}),
    ("pl_sh", "Pudong Airport", "airport", 31.1434, 121.8052, "", "Shanghai", {"aliases": ["PVG"]}),
    ("pl_paris", "Gare de l’Est", "station", 48.8768, 2.3591, "Place du 11 Novembre, Paris", "Paris", {}),
)  # fmt: skip


def fill(d: Any) -> Any:
    for place_id, name, category, lat, lng, address, city, more in PLACES:
        d.put(
            "maps.places",
            place_id=place_id,
            name=name,
            category=category,
            lat=lat,
            lng=lng,
            address=address,
            city=city,
            **more,
        )
    return d


@pytest.fixture
def maps(desk: Any) -> Any:
    return fill(desk("maps"))


def go(d: Any, origin: str, dest: str, **more: Any) -> Any:
    return d.call("maps.directions", origin=origin, dest=dest, **more)


def link(d: Any, origin: str, dest: str, mode: str, distance_m: int, duration_min: int, **more: Any) -> None:
    d.put(
        "maps.links",
        link_id=f"{origin}|{dest}|{mode}",
        origin=origin,
        dest=dest,
        mode=mode,
        distance_m=distance_m,
        duration_min=duration_min,
        **more,
    )


def details(d: Any, place_id: str, **more: Any) -> Any:
    return d.call("maps.get_place_details", place_id=place_id, **more)


# -- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Kenroku villa", "pl_villa"),
        ("kenroku", "pl_villa"),
        ("Kenrku garden", "pl_garden"),
        ("Seison", "pl_villa"),
        ("金沢駅", "pl_kana_st"),
        ("kanazawa station", "pl_kana_st"),
        ("train station tennoji", "pl_tennoji"),
        ("fish museum", "pl_aqua"),
        ("aquarium", "pl_aqua"),
        ("acquarium osaka", "pl_aqua"),
        ("KIX", "pl_kix"),
        ("chemist", "pl_pharm"),
        ("lantern drugstore", "pl_pharm2"),
        ("coffee", "pl_cafe"),
        ("food", "pl_udon"),
        ("udon", "pl_udon"),
        ("hanamchi", "pl_udon"),
        ("Omicho markets", "pl_market"),
        ("scrolls", "pl_villa"),
        ("gare de l'est", "pl_paris"),
    ],
)
def test_what_people_type_finds_the_place(maps: Any, query: str, first: str) -> None:
    assert maps.call("maps.search_places", query=query)["places"][0]["place_id"] == first


def test_equally_good_places_come_by_distance(maps: Any) -> None:
    def found(**geo: Any) -> list[str]:
        places = maps.call("maps.search_places", query="pharmacy", geo=geo, radius_m=3000)["places"]
        return [place["place_id"] for place in places]

    assert found(lat=36.578, lng=136.648) == ["pl_pharm", "pl_pharm2"]
    assert found(place_id="pl_villa") == ["pl_pharm2", "pl_pharm"]
    near = maps.call("maps.search_places", query="", geo={"place_id": "pl_villa"}, radius_m=600)
    assert [place["place_id"] for place in near["places"]] == [
        "pl_villa",
        "pl_garden",
        "pl_cafe",
        "pl_pharm2",
        "pl_bar",
    ]
    metres = [place["distance_m"] for place in near["places"]]
    assert metres == sorted(metres)
    assert metres[-1] <= 600


def test_a_category_limits_the_search(maps: Any) -> None:
    def found(category: str) -> set[str]:
        places = maps.call("maps.search_places", query="", category=category)["places"]
        return {place["place_id"] for place in places}

    assert found("Stations") == {"pl_kana_st", "pl_tennoji", "pl_paris"}
    assert found("chemist") == {"pl_pharm", "pl_pharm2"}
    assert maps.call("maps.search_places", query="station", category="airport", limit=1)["places"] == []
    assert len(maps.call("maps.search_places", query="kanazawa", limit=2)["places"]) == 2
    assert maps.call("maps.search_places", query="kanazawa", limit=2)["total"] == 8


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"category": "volcano"}, "unknown_category"),
        ({"limit": 0}, "bad_limit"),
        ({"limit": 51}, "bad_limit"),
        ({"geo": {"lat": 91, "lng": 0}}, "bad_geo"),
        ({"geo": {"lat": "36", "lng": 136}}, "bad_geo"),
        ({"geo": {"lat": True, "lng": 136}}, "bad_geo"),
        ({"geo": {}}, "bad_geo"),
        ({"geo": {"place_id": "nowhere"}}, "not_found"),
        ({"radius_m": 0}, "bad_arguments"),
    ],
)
def test_what_a_search_refuses(maps: Any, changes: Any, code: str) -> None:
    assert maps.refused("maps.search_places", **{"query": "x", **changes}) == code


def test_details_show_hours_of_a_date(maps: Any) -> None:
    villa = details(maps, "pl_villa", date="2026-05-05")
    assert villa["on_date"] == {"date": "2026-05-05", "weekday": "tue", "hours": "09:00-17:00", "reason": ""}
    assert villa["today"]["hours"] == "closed"  # a Friday, which is not listed
    assert (villa["open_now"], villa["inside_km"]) == (False, 0.6)
    assert maps.happen("maps.set_hours", place_id="pl_villa", date="2026-05-05", hours="closed") == ["pl_villa"]
    assert details(maps, "pl_villa", date="2026-05-05")["on_date"]["hours"] == "closed"
    assert details(maps, "pl_villa")["exceptions"] == {"2026-05-05": "closed"}
    assert details(maps, "pl_villa", date="2026-05-07")["on_date"]["hours"] == "09:00-17:00"
    unknown = details(maps, "pl_garden")
    assert (unknown["today"]["hours"], unknown["open_now"]) == ("unknown", None)
    assert maps.refused("maps.get_place_details", place_id="x") == "not_found"
    assert maps.refused("maps.get_place_details", place_id="pl_villa", date="5 May") == "bad_date"


def test_past_exceptions_are_left_out_unless_asked_for(maps: Any) -> None:
    maps.happen("maps.set_hours", place_id="pl_villa", date="2026-04-01", hours="closed")
    maps.happen("maps.close_place", place_id="pl_villa", date_from="2026-03-01", date_to="2026-03-05")
    assert details(maps, "pl_villa")["exceptions"] == {}
    assert details(maps, "pl_villa")["closures"] == []
    back = details(maps, "pl_villa", date="2026-03-02")
    assert back["exceptions"] == {"2026-04-01": "closed"}
    assert back["on_date"]["hours"] == "closed"


def test_a_closed_place_says_why_and_until_when(maps: Any) -> None:
    happen = {"place_id": "pl_market", "date_from": "2026-04-17", "date_to": "2026-04-20", "reason": "works"}
    assert maps.happen("maps.close_place", **happen) == ["pl_market"]
    today = details(maps, "pl_market")["today"]
    assert (today["hours"], today["reason"]) == ("closed", "works")
    assert details(maps, "pl_market", date="2026-04-24")["on_date"]["hours"] == "09:00-13:00, 15:00-19:00"
    [brief] = maps.call("maps.search_places", query="Omicho market", limit=1)["places"]
    assert brief["hours_today"] == "closed"
    maps.check()


def test_open_now_knows_pauses_midnight_and_zones(maps: Any) -> None:
    def is_open(place_id: str, when: str) -> Any:
        maps.until(when)
        return details(maps, place_id)["open_now"]

    assert is_open("pl_market", "2026-04-17T12:59:00") is True
    assert is_open("pl_market", "2026-04-17T13:00:00") is False
    assert is_open("pl_market", "2026-04-17T15:00:00") is True
    assert is_open("pl_bar", "2026-04-17T16:59:00") is False
    assert is_open("pl_bar", "2026-04-17T17:00:00") is True  # 18:00 in Japan
    assert is_open("pl_bar", "2026-04-18T00:59:00") is True  # a quarter to two on Saturday there
    assert is_open("pl_bar", "2026-04-18T01:00:00") is False


def test_a_field_changes(maps: Any) -> None:
    assert maps.happen("maps.set_field", place_id="pl_aqua", field="ticket_minor", value=3000) == ["pl_aqua"]
    assert details(maps, "pl_aqua")["ticket_minor"] == 3000
    with pytest.raises(ValueError, match="ticket_minor"):
        maps.happen("maps.set_field", place_id="pl_aqua", field="ticket_minor", value="dear")
    maps.check()


# -- coordinates -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "place_id", "confidence"),
    [
        ("Kenroku villa", "pl_villa", "exact"),
        ("8 korinbo, kanazawa", "pl_cafe", "exact"),
        ("KIX", "pl_kix", "exact"),
        ("pl_aqua", "pl_aqua", "exact"),
        ("Korinbo Kanazawa 9", "pl_bar", "high"),
        ("77 Korinbo, Kanazawa", "pl_pharm2", "low"),
        ("Kaigandori", "pl_aqua", "high"),
        ("Kenrku garden", "pl_garden", "high"),
    ],
)
def test_geocoding(maps: Any, address: str, place_id: str, confidence: str) -> None:
    found = maps.call("maps.geocode", address=address)
    assert (found["place_id"], found["confidence"]) == (place_id, confidence)
    assert found["candidates"][0]["place_id"] == place_id
    assert (found["lat"], found["lng"]) == next(row[3:5] for row in PLACES if row[0] == place_id)


def test_geocoding_takes_coordinates_and_refuses_nonsense(maps: Any) -> None:
    found = maps.call("maps.geocode", address="36.5, 136.7")
    assert (found["lat"], found["lng"], found["place_id"]) == (36.5, 136.7, "")
    for nonsense in ("", "...", "qqqqq wwwww", "91, 0"):
        assert maps.refused("maps.geocode", address=nonsense) == "not_found"


def test_reverse_geocoding(maps: Any) -> None:
    found = maps.call("maps.reverse_geocode", lat=36.5621, lng=136.6626)
    assert (found["place_id"], found["distance_m"]) == ("pl_villa", 9)
    assert [row["place_id"] for row in found["nearby"]][:2] == ["pl_villa", "pl_garden"]
    assert len(found["nearby"]) == 5
    assert maps.refused("maps.reverse_geocode", lat=0.0, lng=0.0) == "not_found"
    assert maps.refused("maps.reverse_geocode", lat=100, lng=0.0) == "bad_arguments"


# -- ways ------------------------------------------------------------------------------------------------------------


def test_walking_is_a_quarter_more_than_the_crow_flies_at_four_and_a_half(maps: Any) -> None:
    way = go(maps, "pl_market", "pl_villa", mode="walking")
    straight = straight_m(36.5720, 136.6560, 36.5621, 136.6627)
    assert 1_240 < straight < 1_260
    assert abs(way["distance_m"] - straight * 1.25) <= 5
    assert way["distance_m"] % 10 == 0
    assert way["duration_min"] == round(way["distance_m"] / 75)
    assert sum(step["distance_m"] for step in way["steps"]) == way["distance_m"]
    assert sum(step["duration_min"] for step in way["steps"]) == way["duration_min"]
    assert "south" in way["steps"][0]["instruction"]
    assert go(maps, "pl_villa", "pl_market", mode="walking")["distance_m"] == way["distance_m"]
    assert "arrive_at" not in way


@pytest.mark.parametrize(
    "text", ["pl_villa", "Kenroku villa", "kenroku VILLA", "Seison villa", "1-2 Dewa, Kanazawa", "Kenroku vila"]
)
def test_a_point_has_many_names(maps: Any, text: str) -> None:
    assert go(maps, "pl_market", text)["dest"]["place_id"] == "pl_villa"


def test_positions_are_points_too(maps: Any) -> None:
    way = go(maps, "36.5720,136.6560", "36.5621 , 136.6627", mode="walking")
    assert way["distance_m"] == go(maps, "pl_market", "pl_villa", mode="walking")["distance_m"]
    assert way["origin"]["place_id"] == ""


def test_faster_modes_take_less_time(maps: Any) -> None:
    minutes = {
        mode: go(maps, "pl_tennoji", "pl_kix", mode=mode)["duration_min"] for mode in ("driving", "walking", "cycling")
    }
    assert minutes["driving"] < minutes["cycling"] < minutes["walking"]
    assert 45 <= minutes["driving"] <= 90


@given(st.integers(0, 400_000), st.integers(0, 5_000))
def test_a_longer_way_never_takes_less_time(metres: int, more: int) -> None:
    for mode in ("driving", "walking", "cycling", "transit"):
        assert path_minutes(mode, metres) <= path_minutes(mode, metres + more)  # type: ignore[arg-type]


def test_compass() -> None:
    assert compass(0, 0, 1, 0) == "north"
    assert compass(0, 0, 0, 1) == "east"
    assert compass(0, 0, -1, 0) == "south"
    assert compass(0, 0, 0, -1) == "west"
    assert compass(0, 0, 1, 1) == "north-east"
    assert compass(0, 0, 1, -0.01) == "north"


def test_a_link_knows_better_in_both_directions(maps: Any) -> None:
    link(maps, "pl_market", "pl_villa", "walking", 2_300, 35)
    for ends in (("pl_market", "pl_villa"), ("pl_villa", "pl_market")):
        way = go(maps, *ends, mode="walking")
        assert (way["distance_m"], way["duration_min"]) == (2_300, 35)
    assert go(maps, "pl_market", "pl_villa", mode="driving")["distance_m"] != 2_300
    maps.check()


def test_a_link_is_stored_under_its_own_key(maps: Any) -> None:
    with pytest.raises(ValueError, match="link_id"):
        maps.service("maps").records["links"].model_validate(
            {"link_id": "l1", "origin": "a", "dest": "b", "mode": "driving", "distance_m": 1, "duration_min": 1}
        )


def test_alternatives_and_what_holds_them_up(maps: Any) -> None:
    over = {"via": "the coast", "distance_m": 70_000, "duration_min": 145}
    link(maps, "pl_tennoji", "pl_kix", "driving", 52_000, 105, via="the pass", alternatives=[over])
    way = go(maps, "pl_tennoji", "pl_kix", depart_at="2026-04-18T10:00:00")
    assert (way["via"], way["duration_min"], way["alternatives"]) == ("the pass", 105, [over])
    assert "the pass" in way["steps"][0]["instruction"]
    touched = maps.happen(
        "maps.traffic", origin="pl_kix", dest="pl_tennoji", extra_min=60, via="the pass", note="rockfall",
        since="2026-04-18T00:00:00+08:00", until="2026-04-19T00:00:00+08:00",
    )  # fmt: skip
    assert len(touched) == 1
    assert go(maps, "pl_tennoji", "pl_kix")["duration_min"] == 105  # not yet
    way = go(maps, "pl_tennoji", "pl_kix", depart_at="2026-04-18T10:00:00")
    assert (way["via"], way["duration_min"]) == ("the coast", 145)
    assert way["alternatives"] == [{"via": "the pass", "distance_m": 52_000, "duration_min": 165}]
    assert way["incidents"][0]["note"] == "rockfall"
    assert go(maps, "pl_tennoji", "pl_kix", depart_at="2026-04-19T00:00:00")["duration_min"] == 105
    maps.until("2026-04-18T08:00:00")
    assert go(maps, "pl_tennoji", "pl_kix")["duration_min"] == 145
    maps.check()


def test_arrival_is_reckoned_in_the_zone_of_the_goal(maps: Any) -> None:
    way = go(maps, "pl_market", "pl_bar", mode="walking", depart_at="2026-05-05T09:00:00+09:00")
    assert way["depart_at"] == "2026-05-05T08:00:00+08:00"
    minutes = way["duration_min"]
    assert way["arrive_at"] == f"2026-05-05T09:{minutes:02d}:00+09:00"


def test_nobody_is_sent_across_the_world(maps: Any) -> None:
    for mode in ("driving", "walking", "transit", "cycling"):
        arguments = {"origin": "pl_kix", "dest": "pl_paris", "mode": mode}
        assert maps.refused("maps.directions", **arguments) == "no_route"
    assert maps.refused("maps.get_traffic_estimate", origin="pl_kix", dest="pl_paris") == "no_route"
    transit = {"origin": "pl_kix", "dest": "pl_paris", "depart_at": "2026-05-05"}
    assert maps.refused("maps.get_transit", **transit) == "no_route"


def test_where_one_is_already(maps: Any) -> None:
    way = go(maps, "pl_villa", "Seison villa", mode="walking")
    assert (way["distance_m"], way["duration_min"]) == (0, 0)
    assert way["steps"][0]["instruction"] == "You are at Kenroku villa"
    assert go(maps, "pl_villa", "pl_villa", mode="transit")["duration_min"] == 0


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("directions", {"origin": "nowhere at all", "dest": "pl_villa"}, "not_found"),
        ("directions", {"origin": "pl_villa", "dest": ""}, "not_found"),
        ("directions", {"origin": "pl_villa", "dest": "95.0,10.0"}, "not_found"),
        ("directions", {"origin": "pl_villa", "dest": "pl_kix", "depart_at": "noon"}, "bad_time"),
        ("directions", {"origin": "pl_villa", "dest": "pl_kix", "depart_at": "9999-12-31T23:59:00"}, "bad_time"),
        ("directions", {"origin": "pl_villa", "dest": "pl_kix", "depart_at": "2050-01-01"}, "bad_time"),
        ("directions", {"origin": "pl_villa", "dest": "pl_kix", "mode": "flying"}, "bad_arguments"),
        ("get_traffic_estimate", {"origin": "pl_villa", "dest": "zzz"}, "not_found"),
        ("get_traffic_estimate", {"origin": "pl_villa", "dest": "pl_kix", "depart_at": "x"}, "bad_time"),
        ("get_transit", {"origin": "zzz", "dest": "pl_kix", "depart_at": "2026-05-05"}, "not_found"),
        ("get_transit", {"origin": "pl_villa", "dest": "pl_kix", "depart_at": "x"}, "bad_time"),
        ("distance_matrix", {"origins": [], "dests": ["pl_kix"]}, "bad_pairs"),
        ("distance_matrix", {"origins": ["pl_kix"] * 11, "dests": ["pl_kix"] * 10}, "bad_pairs"),
        ("distance_matrix", {"origins": ["pl_kix"], "dests": ["zzz"]}, "not_found"),
    ],
)
def test_what_ways_refuse(maps: Any, tool: str, arguments: Any, code: str) -> None:
    assert maps.refused(f"maps.{tool}", **arguments) == code


def test_a_refusal_names_what_is_like_it(maps: Any) -> None:
    text = maps.outcome("maps.directions", origin="Kenroku palace", dest="pl_kix").text
    assert "Kenroku villa" in text


def test_the_matrix_agrees_with_directions(maps: Any) -> None:
    for mode in ("driving", "walking", "transit"):
        found = maps.call(
            "maps.distance_matrix", origins=["pl_market", "pl_villa"], dests=["pl_cafe", "pl_paris"], mode=mode
        )
        for origin, row in zip(("pl_market", "pl_villa"), found["rows"], strict=True):
            way = go(maps, origin, "pl_cafe", mode=mode)
            cell = {"distance_m": way["distance_m"], "duration_min": way["duration_min"], "status": "ok"}
            assert row == [cell, {"distance_m": None, "duration_min": None, "status": "no_route"}]


# -- traffic ---------------------------------------------------------------------------------------------------------


def test_rush_hours_slow_a_drive(maps: Any) -> None:
    def estimate(when: str) -> Any:
        return maps.call("maps.get_traffic_estimate", origin="pl_tennoji", dest="pl_aqua", depart_at=when)

    free = go(maps, "pl_tennoji", "pl_aqua")["duration_min"]
    night, rush, weekend = (estimate(f"2026-{when}:00") for when in ("05-06T03:00", "05-06T08:30", "05-09T14:00"))
    assert (night["expected_min"], night["level"], night["free_flow_min"]) == (free, "free", free)
    assert rush["expected_min"] == free + round(0.6 * free)
    assert rush["level"] == "heavy"
    assert rush["worst_min"] > rush["expected_min"]
    assert free < weekend["expected_min"] < rush["expected_min"]
    maps.happen("maps.traffic", origin="pl_tennoji", dest="pl_aqua", extra_min=40, note="accident")
    jam = estimate("2026-05-06T03:00:00")
    assert (jam["expected_min"], jam["traffic_min"], jam["level"]) == (free + 40, 40, "jam")
    assert jam["incidents"][0]["note"] == "accident"
    assert go(maps, "pl_tennoji", "pl_aqua")["duration_min"] == free + 40
    assert go(maps, "pl_tennoji", "pl_aqua", mode="cycling")["incidents"] == []
    now = maps.call("maps.get_traffic_estimate", origin="pl_villa", dest="pl_villa")
    assert (now["expected_min"], now["level"]) == (0, "free")
    assert now["depart_at"] == "2026-04-17T09:00:00+08:00"


# -- transit ---------------------------------------------------------------------------------------------------------


def line(d: Any, line_id: str, *stops: tuple[str, int], **more: Any) -> None:
    listed = [{"place_id": place_id, "minute": minute} for place_id, minute in stops]
    known = {"kind": "bus", "fare_minor": 210, "currency": "JPY", "name": f"Line {line_id}"}
    d.put("maps.lines", **{"line_id": line_id, "stops": listed, **known, **more})


def ride(d: Any, origin: str, dest: str, depart_at: str) -> list[Any]:
    found = d.call("maps.get_transit", origin=origin, dest=dest, depart_at=depart_at)["journeys"]
    assert isinstance(found, list)
    return found


def test_lines_run_by_their_timetable(maps: Any) -> None:
    line(maps, "bus", ("pl_tennoji", 0), ("pl_kix", 120), departures=["05:20"],
         weekdays=["mon", "tue", "wed", "thu", "fri"], both_ways=False)  # fmt: skip
    line(maps, "van", ("pl_tennoji", 0), ("pl_kix", 120), departures=["04:50"], kind="van", both_ways=False)
    friday = ride(maps, "pl_tennoji", "pl_kix", "2026-06-12T04:00:00")
    assert [journey["lines"] for journey in friday] == [["Line van"], ["Line bus"]]
    assert friday[1]["leave_at"] == "2026-06-12T05:20:00+08:00"
    assert (friday[1]["duration_min"], friday[1]["wait_min"], friday[1]["fare_minor"]) == (120, 80, 210)
    assert friday[1]["legs"][0]["days"] == "mon tue wed thu fri"
    saturday = ride(maps, "pl_tennoji", "pl_kix", "2026-06-13T05:00:00")
    assert [journey["leave_at"][:16] for journey in saturday] == ["2026-06-14T04:50", "2026-06-15T05:20"]
    back = ride(maps, "pl_kix", "pl_tennoji", "2026-06-12T04:00:00")
    assert [journey["estimate"] for journey in back] == [True]
    maps.check()


def test_works_make_a_line_slower_on_their_dates(maps: Any) -> None:
    line(maps, "12", ("pl_kana_st", 0), ("pl_market", 6), ("pl_villa", 36))
    usual = ride(maps, "pl_kana_st", "pl_villa", "2026-05-05T08:00:00")[0]
    assert (usual["duration_min"], usual["transfers"], usual["lines"]) == (36, 0, ["Line 12"])
    touched = maps.happen(
        "maps.disrupt_line", line_id="12", date_from="2026-05-05", date_to="2026-05-05", extra_min=25, note="by bus"
    )
    assert len(touched) == 1
    slow = ride(maps, "pl_kana_st", "pl_villa", "2026-05-05T08:00:00")
    assert (slow[0]["duration_min"], slow[0]["legs"][0]["note"]) == (61, "by bus")
    assert ride(maps, "pl_kana_st", "pl_villa", "2026-05-06T08:00:00")[0]["duration_min"] == 36
    # The latest word counts: the line does not run at all, the next day's first bus is what is left.
    maps.happen("maps.disrupt_line", line_id="12", date_from="2026-05-05", date_to="2026-05-05", runs=False)
    none = ride(maps, "pl_kana_st", "pl_villa", "2026-05-05T08:00:00")
    assert none[0]["leave_at"] == "2026-05-06T05:30:00+08:00"
    maps.happen("maps.disrupt_line", line_id="12", date_from="2026-05-05", date_to="2026-06-05", runs=False)
    assert ride(maps, "pl_kana_st", "pl_villa", "2026-05-05T08:00:00")[0]["estimate"] is True
    maps.check()


def test_one_walks_to_the_stop_and_goes_out_in_time(maps: Any) -> None:
    line(maps, "7", ("pl_market", 0), ("pl_villa", 10), departures=["10:00", "11:00"])
    [first, *_] = ride(maps, "pl_pharm", "pl_cafe", "2026-05-05T09:00:00")
    # On foot it takes less than twenty minutes, and one is there before ten.
    assert (first["lines"], first["fare_minor"]) == ([], 0)
    bus = next(journey for journey in ride(maps, "pl_pharm", "pl_cafe", "2026-05-05T09:00:00") if journey["lines"])
    assert [leg["kind"] for leg in bus["legs"]] == ["walk", "ride", "walk"]
    walk = bus["legs"][0]["duration_min"]
    assert bus["leave_at"] == f"2026-05-05T09:{60 - walk}:00+08:00"
    assert bus["walk_m"] == bus["legs"][0]["distance_m"] + bus["legs"][2]["distance_m"]
    assert bus["distance_m"] == sum(leg["distance_m"] for leg in bus["legs"])
    back = ride(maps, "pl_villa", "pl_market", "2026-05-05T10:30:00")
    assert any(journey["leave_at"][11:16] == "11:00" for journey in back if journey["lines"])


def test_one_change_and_the_fares_together(maps: Any) -> None:
    line(maps, "a", ("pl_villa", 0), ("pl_tennoji", 60), departures=["08:00"])
    line(maps, "b", ("pl_tennoji", 0), ("pl_kix", 40), departures=["09:02", "09:03", "10:00"], fare_minor=500)
    [journey] = ride(maps, "pl_villa", "pl_kix", "2026-05-05T07:00:00")
    assert (journey["transfers"], journey["fare_minor"], journey["currency"]) == (1, 710, "JPY")
    assert journey["legs"][1]["departs"] == "2026-05-05T09:03:00+08:00"  # three minutes to change
    assert journey["arrive_at"] == "2026-05-05T09:43:00+08:00"
    way = go(maps, "pl_villa", "pl_kix", mode="transit", depart_at="2026-05-05T07:00:00")
    assert (way["duration_min"], way["via"], way["leave_at"][11:16]) == (103, "Line a, Line b", "08:00")
    line(maps, "b", ("pl_tennoji", 0), ("pl_kix", 40), departures=["09:30"], fare_minor=5, currency="CNY")
    [journey] = ride(maps, "pl_villa", "pl_kix", "2026-05-05T07:00:00")
    assert (journey["fare_minor"], journey["currency"]) == (None, None)


def test_a_known_link_stands_in_for_lines(maps: Any) -> None:
    link(maps, "pl_kix", "pl_tennoji", "transit", 47_000, 50, via="airport express")
    [journey] = ride(maps, "pl_tennoji", "pl_kix", "2026-05-16T12:00:00")
    assert (journey["duration_min"], journey["lines"], journey["estimate"]) == (50, ["airport express"], False)
    assert journey["fare_minor"] is None


def test_lines_keep_their_hours_when_clocks_change(desk: Any) -> None:
    d = desk("maps", zone="Europe/Berlin", start="2026-03-20")
    for place_id, lat in (("p", 51.3), ("q", 51.5)):
        d.put("maps.places", place_id=place_id, name=place_id, category="stop", lat=lat, lng=9.5)
    line(d, "1", ("p", 0), ("q", 30), departures=["05:00"], both_ways=False)
    for date, offset in (("2026-03-28", "01"), ("2026-03-29", "02")):
        [journey] = ride(d, "p", "q", f"{date}T04:30:00")
        assert journey["leave_at"] == f"{date}T05:00:00+{offset}:00"


# -- happenings and filling ------------------------------------------------------------------------------------------


def test_happenings_that_match_nothing_touch_nothing(maps: Any) -> None:
    before = maps.world.dump()
    days = {"date_from": "2026-05-05", "date_to": "2026-05-06"}
    wrong = {"date_from": "2026-05-06", "date_to": "2026-05-05"}
    assert maps.happen("maps.set_hours", place_id="x", date="2026-05-05", hours="closed") == []
    assert maps.happen("maps.close_place", place_id="x", **days) == []
    assert maps.happen("maps.close_place", place_id="pl_villa", **wrong) == []
    assert maps.happen("maps.set_field", place_id="x", field="notes", value="") == []
    assert maps.happen("maps.traffic", origin="pl_villa", dest="x", extra_min=5) == []
    over = {"origin": "pl_kix", "dest": "pl_tennoji", "extra_min": 5, "until": "2026-04-16T09:00:00+08:00"}
    assert maps.happen("maps.traffic", **over) == []
    assert maps.happen("maps.traffic", **over, since=over["until"]) == []
    assert maps.happen("maps.disrupt_line", line_id="x", **days) == []
    assert maps.world.dump() == before


def test_a_generated_city_is_around_its_centre_and_leaves_others_alone(maps: Any) -> None:
    service = maps.service("maps")
    service.city(random.Random(5), "Kanazawa", 36.56, 136.65, count=120, zone="Asia/Tokyo", radius_m=2000)
    made = [row for row in service.rows("places") if row["place_id"].startswith("pl_kanazawa_")]
    assert len(made) == 120
    assert len({row["name"] for row in service.rows("places")}) == 120 + len(PLACES)
    assert all(straight_m(36.56, 136.65, row["lat"], row["lng"]) < 2010 for row in made)
    assert math.isclose(sum(row["lat"] for row in made) / 120, 36.56, abs_tol=0.005)
    before = maps.world.dump()
    service.city(random.Random(6), "Kanazawa", 36.56, 136.65, count=120)
    assert maps.world.dump() == before
    service.city(random.Random(6), "Osaka", 34.65, 135.5, count=3, categories=["cafe"])
    assert {row["category"] for row in service.rows("places") if row["place_id"].startswith("pl_osaka_")} == {"cafe"}
    maps.check()


_places = st.sampled_from([row[0] for row in PLACES])
_dates = st.sampled_from([f"2026-04-{day}" for day in range(17, 24)])
_act = st.one_of(
    st.tuples(st.just("pass"), st.integers(1, 40)),
    st.tuples(st.just("set_hours"), _places, _dates, st.sampled_from(["closed", "08:00-12:00", "20:00-03:00"])),
    st.tuples(st.just("close_place"), _places, _dates, _dates),
    st.tuples(st.just("traffic"), _places, _places, st.integers(1, 90)),
    st.tuples(st.just("disrupt_line"), _dates, _dates, st.integers(0, 60), st.booleans()),
    st.tuples(st.just("ask"), _places, _places, st.sampled_from(["driving", "walking", "transit", "cycling"])),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_act, max_size=15))
def test_any_sequence_keeps_the_map_right(desk: Any, acts: list[Any]) -> None:
    d = fill(desk("maps"))
    line(d, "12", ("pl_kana_st", 0), ("pl_market", 6), ("pl_villa", 12), every_min=30)
    for verb, *given_ in acts:
        if verb == "pass":
            d.world.run_to(d.world.now + given_[0] * 3600)
        elif verb == "set_hours":
            d.happen("maps.set_hours", place_id=given_[0], date=given_[1], hours=given_[2])
        elif verb == "close_place":
            d.happen("maps.close_place", place_id=given_[0], date_from=given_[1], date_to=given_[2])
        elif verb == "traffic":
            d.happen("maps.traffic", origin=given_[0], dest=given_[1], extra_min=given_[2])
        elif verb == "disrupt_line":
            first, last, extra, runs = given_
            d.happen("maps.disrupt_line", line_id="12", date_from=first, date_to=last, extra_min=extra, runs=runs)
        else:
            before = d.world.dump()
            outcome = d.outcome("maps.directions", origin=given_[0], dest=given_[1], mode=given_[2])
            if outcome.ok:
                way = outcome.result
                assert sum(step["distance_m"] for step in way["steps"]) == way["distance_m"]
                other = d.outcome("maps.directions", origin=given_[1], dest=given_[0], mode=given_[2])
                if given_[2] != "transit":
                    assert other.result["duration_min"] == way["duration_min"]
            details(d, given_[0])
            assert d.world.dump() == before
        d.check()
