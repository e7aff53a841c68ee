"""The weather service keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PLACES: list[tuple[str, dict[str, Any]]] = [
    ("tokyo", {"name": "Tokyo", "aliases": ["Ueno", "TYO"], "region": "Kanto", "lat": 35.68, "lng": 139.76}),
    ("kanazawa", {"name": "Kanazawa", "aliases": ["Kenroku-en"], "region": "Hokuriku", "lat": 36.56, "lng": 136.66}),
    ("hakkei", {"name": "Kanazawa-hakkei", "region": "Kanto", "lat": 35.33, "lng": 139.62}),
    ("kyoto", {"name": "Kyoto", "aliases": ["Nijo"], "region": "Kansai", "lat": 35.01, "lng": 135.77}),
    ("osaka", {"name": "Osaka", "aliases": ["Tennoji", "KIX"], "region": "Kansai", "lat": 34.69, "lng": 135.50}),
]


@pytest.fixture
def sky(desk: Any) -> Any:
    d = desk("weather")
    for area_id, fields in PLACES:
        d.put("weather.areas", area_id=area_id, country="Japan", zone="Asia/Tokyo", **fields)
    d.put("weather.areas", area_id="shanghai", name="Shanghai", lat=31.23, lng=121.47)
    d.put("weather.areas", area_id="sao_paulo", name="São Paulo", country="Brazil", lat=-23.55, lng=-46.63)
    return d


def area_of(d: Any, geo: Any) -> str:
    return d.call("weather.get_aqi", geo=geo)["area"]["area_id"]


@pytest.mark.parametrize(
    ("geo", "area_id"),
    [
        ("Kyoto", "kyoto"),
        ("kyoto", "kyoto"),
        ("Kanazawa", "kanazawa"),
        ("Kanazwa", "kanazawa"),
        ("Kanazawa hakkei", "hakkei"),
        ("Kenroku-en", "kanazawa"),
        ("KIX", "osaka"),
        ("tennoji", "osaka"),
        ("Tenoji", "osaka"),
        ("Ueno", "tokyo"),
        ("Kyoto, Japan", "kyoto"),
        ("Kyoto Japan", "kyoto"),
        ("Osakka, Japan", "osaka"),
        ("Kansai", "kyoto"),
        ("Sao Paulo", "sao_paulo"),
        ("sao_paulo", "sao_paulo"),
        ("shang", "shanghai"),
        ("34.7, 135.5", "osaka"),
        ("35.2,136.0", "kyoto"),
        ({"city": "Kyotto"}, "kyoto"),
        ({"lat": 36.5, "lng": 136.6}, "kanazawa"),
        ({"lat": 36, "lng": 140, "city": "Osaka"}, "tokyo"),
    ],
)
def test_places_are_found_as_people_name_them(sky: Any, geo: Any, area_id: str) -> None:
    assert area_of(sky, geo) == area_id


@pytest.mark.parametrize(
    ("geo", "code"),
    [
        ("Atlantis", "not_found"),
        ("Japan", "not_found"),
        ("Atlantis, Japan", "not_found"),
        ("0,0", "not_found"),
        ({"lat": -34.0, "lng": 151.0}, "not_found"),
        ("", "bad_geo"),
        ({"city": " "}, "bad_geo"),
        ({}, "bad_geo"),
        ({"lat": 35.0}, "bad_geo"),
        ({"lat": "35", "lng": "135"}, "bad_geo"),
        ({"lat": True, "lng": False}, "bad_geo"),
        ({"lat": 95, "lng": 0}, "bad_geo"),
        ("35,190", "bad_geo"),
        (7, "bad_arguments"),
    ],
)
@pytest.mark.parametrize(
    "tool",
    [
        "get_current_weather", "get_forecast_daily", "get_forecast_hourly", "get_alerts", "get_aqi",
        "subscribe_alerts",
    ],
)  # fmt: skip
def test_other_places_are_refused(sky: Any, tool: str, geo: Any, code: str) -> None:
    extra = {"sink": "notification_hub"} if tool == "subscribe_alerts" else {}
    assert sky.refused(f"weather.{tool}", geo=geo, **extra) == code


def test_the_nearest_area_answers_within_a_hundred_km(sky: Any) -> None:
    assert area_of(sky, "34.83,135.61") == "osaka"
    assert area_of(sky, "34.88,135.66") == "kyoto"
    assert area_of(sky, {"lat": 32.0, "lng": 121.47}) == "shanghai"
    assert sky.refused("weather.get_aqi", geo={"lat": 32.2, "lng": 121.47}) == "not_found"
    assert "a name such as: Tokyo" in sky.outcome("weather.get_aqi", geo="Nowhere").text


# -- forecasts ------------------------------------------------------------------------------------------------------


def test_ten_days_from_today_and_no_more(sky: Any) -> None:
    days = sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]
    assert [day["date"] for day in days] == [f"2026-04-{n}" for n in range(17, 27)]
    assert len(sky.call("weather.get_forecast_daily", geo="Kyoto", days=3)["days"]) == 3
    assert sky.refused("weather.get_forecast_daily", geo="Kyoto", days=11) == "bad_arguments"
    assert sky.refused("weather.get_forecast_daily", geo="Kyoto", days=0) == "bad_arguments"
    assert sky.refused("weather.get_forecast_hourly", geo="Kyoto", hours=169) == "bad_arguments"


def test_a_forecast_stays_as_it_is_while_days_pass(sky: Any) -> None:
    before = {day["date"]: day for day in sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]}
    sky.until("2026-04-20T12:00:00")
    after = {day["date"]: day for day in sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]}
    for date in sorted(set(before) & set(after)):
        assert before[date] == after[date]
    other = sky.call("weather.get_forecast_daily", geo="Osaka")["days"]
    assert other[0] != after["2026-04-20"]


def test_the_climate_is_plausible(sky: Any) -> None:
    service = sky.service("weather")
    from datetime import date, timedelta

    def mean(area_id: str, month: int) -> float:
        days = service._days(service.find("areas", area_id), date(2026, month, 1), 28)
        return sum((day.temp_min + day.temp_max) / 2 for day in days) / 28

    assert mean("kyoto", 1) < 12 < 22 < mean("kyoto", 8)
    assert mean("sao_paulo", 7) < mean("sao_paulo", 1)
    year = service._days(service.find("areas", "kyoto"), date(2026, 1, 1), 365)
    wet = [day for day in year if day.precip_mm > 0]
    assert 60 < len(wet) < 190
    assert 500 < sum(day.precip_mm for day in wet) < 2500
    for number, day in enumerate(year):
        assert day.temp_min <= day.temp_max, date(2026, 1, 1) + timedelta(number)
        assert (day.precip_mm > 0) == (
            day.condition in ("drizzle", "rain", "heavy_rain", "thunderstorm", "snow", "sleet")
        )
        assert 0 <= day.precip_prob <= 100
        assert 0 <= day.humidity <= 100
        assert 0 <= day.uv <= 13


def test_normals_of_its_own_shape_an_area(desk: Any) -> None:
    d = desk("weather", start="2026-01-05")
    cold = {"temp_min": -20.0, "temp_max": -12.0, "rain_mm": 40.0, "rain_days": 28.0, "wind_ms": 4.0, "humidity": 80.0}
    d.put("weather.areas", area_id="winnipeg", name="Winnipeg", lat=49.9, lng=-97.1, normals=[cold] * 12)
    days = d.call("weather.get_forecast_daily", geo="Winnipeg")["days"]
    assert all(-28 < day["temp_min"] < day["temp_max"] < -5 for day in days)
    assert {day["condition"] for day in days if day["precip_mm"]} == {"snow"}
    with pytest.raises(ValueError, match="twelve months"):
        d.put("weather.areas", area_id="half", name="Half", lat=0.0, lng=0.0, normals=[cold] * 6)
    with pytest.raises(ValueError, match="time zone"):
        d.put("weather.areas", area_id="nowhere", name="Nowhere", lat=0.0, lng=0.0, zone="Mars/Base")


def test_the_hours_of_a_day_agree_with_its_forecast(sky: Any) -> None:
    sky.happen("weather.set_forecast", area="kyoto", date="2026-04-19", condition="heavy_rain", precip_mm=61.7)
    days = {day["date"]: day for day in sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]}
    hours = sky.call("weather.get_forecast_hourly", geo="Kyoto", hours=96)["hours"]
    assert hours[0]["time"] == "2026-04-17T10:00:00+09:00"  # 09:00 in Shanghai
    assert len(hours) == 96
    assert len(sky.call("weather.get_forecast_hourly", geo="Kyoto")["hours"]) == 72
    for date in ("2026-04-18", "2026-04-19", "2026-04-20"):
        own = [hour for hour in hours if hour["time"].startswith(date)]
        assert len(own) == 24
        assert round(sum(hour["precip_mm"] for hour in own), 1) == days[date]["precip_mm"]
        assert min(hour["temp"] for hour in own) == days[date]["temp_min"] == own[5]["temp"]
        assert max(hour["temp"] for hour in own) == days[date]["temp_max"] == own[14]["temp"]
        assert own[0]["uv"] == own[23]["uv"] == 0
        assert own[12]["uv"] == days[date]["uv"]
    wet = [hour for hour in hours if hour["time"].startswith("2026-04-19") and hour["precip_mm"] > 0]
    dry = [hour for hour in hours if hour["time"].startswith("2026-04-19") and hour["precip_mm"] == 0]
    assert {hour["condition"] for hour in wet} == {"heavy_rain"}
    assert {hour["condition"] for hour in dry} <= {"cloudy"}
    assert all(hour["precip_prob"] < wet[0]["precip_prob"] for hour in dry)


def test_the_weather_now_is_that_of_the_hour(sky: Any) -> None:
    for when in ("2026-04-18T02:30:00", "2026-04-18T13:45:00", "2026-04-18T23:59:00"):
        sky.until(when)
        now = sky.call("weather.get_current_weather", geo="Shanghai")
        hour = sky.call("weather.get_forecast_hourly", geo="Shanghai", hours=1)["hours"][0]
        day = sky.call("weather.get_forecast_daily", geo="Shanghai", days=1)["days"][0]
        assert now["time"] == f"{when}+08:00"
        assert (now["temp"], now["condition"], now["wind"]) == (hour["temp"], hour["condition"], hour["wind_ms"])
        assert now["today"]["temp_max"] == day["temp_max"]
        assert now["units"] == {"temp": "C", "wind": "m/s", "precip": "mm"}


def test_imperial_units(sky: Any) -> None:
    sky.happen("weather.set_forecast", area="Osaka", date="2026-04-17", precip_mm=254.0, condition="typhoon")
    metric = sky.call("weather.get_current_weather", geo="Osaka")
    imperial = sky.call("weather.get_current_weather", geo="Osaka", units="imperial")
    assert imperial["temp"] == round(metric["temp"] * 1.8 + 32, 1)
    assert imperial["feels_like"] == round(metric["feels_like"] * 1.8 + 32, 1)
    assert imperial["wind"] == round(metric["wind"] * 2.23694, 1)
    assert imperial["today"]["precip"] == 10.0
    assert imperial["units"] == {"temp": "F", "wind": "mph", "precip": "in"}
    assert sky.refused("weather.get_current_weather", geo="Osaka", units="kelvin") == "bad_arguments"


def test_wind_and_damp_air_change_how_it_feels() -> None:
    from lifegym.services.weather.climate import feels_like

    assert feels_like(30.0, 80, 1.0) > feels_like(30.0, 30, 1.0)
    assert feels_like(5.0, 60, 12.0) < feels_like(5.0, 60, 1.0) < 5


# -- what the timeline sets -----------------------------------------------------------------------------------------


def test_recorded_forecasts_win_and_the_newest_issue_that_is_out_counts(sky: Any) -> None:
    base = {"area_id": "kyoto", "date": "2026-04-20"}
    sky.put("weather.forecasts", forecast_id="f1", condition="clear", temp_min=10.0, temp_max=21.0, **base)
    sky.put("weather.forecasts", forecast_id="f2", condition="rain", issued_at="2026-04-18T06:00:00+08:00", **base)
    sky.put("weather.forecasts", forecast_id="f0", condition="fog", issued_at="2026-04-16T06:00:00+08:00", **base)

    def day() -> dict[str, Any]:
        return sky.call("weather.get_forecast_daily", geo="Kyoto", days=4)["days"][3]

    assert day()["condition"] == "fog"
    sky.until("2026-04-18T05:59:59")
    assert sky.call("weather.get_forecast_daily", geo="Kyoto", days=3)["days"][2]["condition"] == "fog"
    sky.until("2026-04-18T06:00:00")
    rainy = sky.call("weather.get_forecast_daily", geo="Kyoto", days=3)["days"][2]
    assert (rainy["condition"], rainy["precip_mm"]) == ("rain", 9.0)
    assert rainy["precip_prob"] >= 80


def test_set_forecast_moves_a_storm_from_one_day_to_another(sky: Any) -> None:
    [first] = sky.happen("weather.set_forecast", area="Shanghai", date="2026-04-24", condition="heavy_rain")
    assert sky.service("weather").find("forecasts", first)["area_id"] == "shanghai"
    sky.happen("weather.set_forecast", area="Shanghai", date="2026-04-22", precip_mm=55.0, wind_ms=16.0)
    sky.happen("weather.set_forecast", area="Shanghai", date="2026-04-24", condition="partly_cloudy")
    days = {day["date"]: day for day in sky.call("weather.get_forecast_daily", geo="Shanghai")["days"]}
    assert days["2026-04-24"]["precip_mm"] == 0
    assert days["2026-04-24"]["precip_prob"] <= 20
    assert (days["2026-04-22"]["condition"], days["2026-04-22"]["wind_ms"]) == ("heavy_rain", 16.0)
    sky.happen("weather.set_forecast", area="Shanghai", date="2026-04-22", temp_max=12.0, humidity=91)
    changed = sky.call("weather.get_forecast_daily", geo="Shanghai")["days"][5]
    assert (changed["precip_mm"], changed["temp_max"], changed["humidity"]) == (55.0, 12.0, 91)
    assert changed["temp_min"] <= 12.0
    sky.check()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"condition": "typhoon"}, {"wind_ms": 28.0, "precip_mm": 150.0}),
        ({"condition": "windy"}, {"wind_ms": 13.0, "precip_mm": 0.0}),
        ({"condition": "cloudy", "precip_mm": 0.4}, {"precip_prob": 60}),
        ({"condition": "rain", "precip_mm": 0.0}, {"precip_prob": 20}),
        ({"precip_mm": 1.0, "temp_min": 5.0, "temp_max": 9.0}, {"condition": "drizzle"}),
        ({"precip_mm": 8.0, "temp_min": -6.0, "temp_max": -1.0}, {"condition": "snow"}),
        ({"precip_mm": 8.0, "temp_min": -1.0, "temp_max": 3.0}, {"condition": "sleet"}),
        ({"precip_mm": 18.0, "temp_min": 22.0, "temp_max": 31.0}, {"condition": "thunderstorm"}),
        ({"temp_min": 60.0}, {"temp_max": 60.0}),
        ({"temp_max": -30.0}, {"temp_min": -30.0}),
        ({"uv": 9.5, "humidity": 40, "precip_prob": 33}, {"uv": 9.5, "humidity": 40, "precip_prob": 33}),
    ],
)
def test_what_is_not_said_follows_from_what_is(sky: Any, given: dict[str, Any], expected: dict[str, Any]) -> None:
    sky.happen("weather.set_forecast", area="Kyoto", date="2026-04-18", **given)
    day = sky.call("weather.get_forecast_daily", geo="Kyoto", days=2)["days"][1]
    assert {name: day[name] for name in expected} == expected
    for name, value in given.items():
        assert day[name] == value


def test_no_rain_takes_the_rain_away(sky: Any) -> None:
    for date in [f"2026-04-{n}" for n in range(17, 27)]:
        sky.happen("weather.set_forecast", area="Kyoto", date=date, precip_mm=0.0)
    for day in sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]:
        assert day["precip_mm"] == 0
        assert day["condition"] in ("clear", "partly_cloudy", "cloudy")


def test_air_quality(sky: Any) -> None:
    before = sky.call("weather.get_aqi", geo="Kyoto")
    assert (before["date"], before["pollutant"]) == ("2026-04-17", "pm25")
    assert 5 <= before["aqi"] <= 63
    for aqi, category in [
        (50, "good"), (51, "moderate"), (150, "unhealthy_for_sensitive_groups"), (151, "unhealthy"),
        (201, "very_unhealthy"), (500, "hazardous"),
    ]:  # fmt: skip
        assert len(sky.happen("weather.set_aqi", area="Kyoto", date="2026-04-17", aqi=aqi, pollutant="pm10")) == 1
        now = sky.call("weather.get_aqi", geo="Kyoto")
        assert (now["aqi"], now["category"], now["pollutant"]) == (aqi, category, "pm10")
    sky.until("2026-04-18T12:00:00")
    assert sky.call("weather.get_aqi", geo="Kyoto")["aqi"] <= 63


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("set_forecast", {"area": "Atlantis", "date": "2026-04-18", "condition": "rain"}),
        ("set_aqi", {"area": "Atlantis", "date": "2026-04-18", "aqi": 10}),
        ("issue_alert", {"area": "Atlantis", "kind": "wind", "level": "advisory", "headline": "Wind"}),
        ("issue_alert", {"region": "Atlantis", "kind": "wind", "level": "advisory", "headline": "Wind"}),
        ("issue_alert", {"kind": "wind", "level": "advisory", "headline": "Wind"}),
        (
            "issue_alert",
            {"area": "Kyoto", "kind": "wind", "level": "advisory", "headline": "Wind", "storm_id": "2699"},
        ),
        ("end_alert", {"alert_id": "none"}),
        ("end_alert", {"area": "Atlantis"}),
        ("end_alert", {"kind": "wind"}),
        ("update_storm", {"storm_id": "2699", "confidence": "low", "probability_pct": 10}),
        ("end_storm", {"storm_id": "2699"}),
    ],
)
def test_happenings_that_match_nothing_change_nothing(sky: Any, verb: str, arguments: dict[str, Any]) -> None:
    before = sky.world.dump()
    assert sky.happen(f"weather.{verb}", **arguments) == []
    assert sky.world.dump() == before


# -- alerts ---------------------------------------------------------------------------------------------------------


def alerts(d: Any, geo: str) -> list[str]:
    return [row["alert_id"] for row in d.call("weather.get_alerts", geo=geo)["alerts"]]


def test_alerts_cover_their_area_or_region_while_they_are_out(sky: Any) -> None:
    sky.happen(
        "weather.issue_alert", kind="typhoon", level="warning", headline="Typhoon Hamon", region="Kansai",
        text="Stay indoors.", starts="2026-04-18T00:00:00", ends="2026-04-19T00:00:00", alert_id="ty",
    )  # fmt: skip
    sky.happen("weather.issue_alert", kind="wind", level="advisory", headline="Strong wind", area="Kanazawa")
    sky.happen("weather.issue_alert", kind="heat", level="emergency", headline="Heat", area="osaka", alert_id="hot")
    assert alerts(sky, "Kyoto") == ["ty"]
    assert alerts(sky, "Osaka") == ["hot", "ty"]
    assert alerts(sky, "Tokyo") == []
    [wind] = sky.call("weather.get_alerts", geo="Kanazawa")["alerts"]
    assert (wind["kind"], wind["level"], wind["ends"]) == ("wind", "advisory", None)
    sky.until("2026-04-18T23:59:59")
    assert alerts(sky, "Kyoto") == ["ty"]
    sky.until("2026-04-19T00:00:00")
    assert alerts(sky, "Kyoto") == []
    assert alerts(sky, "Osaka") == ["hot"]
    sky.check()


def test_alerts_end(sky: Any) -> None:
    for number, (kind, place) in enumerate(
        [
            ("wind", {"area": "Kyoto"}),
            ("rain", {"area": "Kyoto"}),
            ("rain", {"region": "Kansai"}),
            ("snow", {"area": "Tokyo"}),
        ]
    ):
        sky.happen(
            "weather.issue_alert", kind=kind, level="watch", headline=kind, alert_id=f"a{number}",
            starts="2026-04-20", **place,
        )  # fmt: skip
    assert sky.happen("weather.end_alert", area="Kyoto", kind="rain") == ["a1"]
    assert alerts(sky, "Kyoto") == ["a0", "a2"]
    assert sky.happen("weather.end_alert", region="kansai") == ["a2"]
    assert sky.happen("weather.end_alert", alert_id="a3") == ["a3"]
    assert sky.happen("weather.end_alert", alert_id="a3") == []
    assert alerts(sky, "Kyoto") == ["a0"]
    sky.check()


def test_an_alert_cannot_end_before_it_starts(sky: Any) -> None:
    from lifegym.services.tools import ToolError

    before = sky.world.dump()
    with pytest.raises(ToolError, match="ends is before"):
        sky.happen(
            "weather.issue_alert", kind="wind", level="watch", headline="Wind", area="Kyoto",
            starts="2026-04-20", ends="2026-04-19",
        )  # fmt: skip
    assert sky.world.dump() == before


def test_alerts_are_bounded(sky: Any) -> None:
    for _ in range(60):
        sky.happen("weather.issue_alert", kind="fog", level="advisory", headline="Fog", area="Kyoto")
    shown = sky.call("weather.get_alerts", geo="Kyoto")
    assert (len(shown["alerts"]), shown["total"]) == (50, 60)


# -- storms ---------------------------------------------------------------------------------------------------------

TRACK = [
    {"at": "2026-05-08T00:00:00+08:00", "lat": 27.0, "lng": 133.0, "wind_ms": 40.0},
    {"at": "2026-05-10T00:00:00+08:00", "lat": 34.4, "lng": 135.3},
]


def hamon(d: Any, confidence: str, pct: int, **more: Any) -> list[str]:
    return d.happen("weather.update_storm", storm_id="2603", confidence=confidence, probability_pct=pct, **more)


def test_the_flagship_storm(sky: Any) -> None:
    sky.until("2026-05-04T08:59:00")
    assert sky.refused("weather.get_typhoon_track", storm_id="2603") == "not_found"
    sky.until("2026-05-04T09:00:00")
    first = hamon(
        sky, "low", 30, name="Hamon", category="typhoon", landfall_area="Kansai", landfall_from="2026-05-10",
        points=TRACK, text="Far to the south.",
    )  # fmt: skip
    assert first == ["2603"]
    track = sky.call("weather.get_typhoon_track", storm_id="2603")
    assert (track["name"], track["category"], track["status"]) == ("Hamon", "typhoon", "active")
    latest = track["latest"]
    assert (latest["confidence"], latest["probability_pct"]) == ("low", 30)
    assert (latest["landfall_area"], latest["landfall_from"], latest["landfall_until"]) == (
        "Kansai", "2026-05-10", "2026-05-10",
    )  # fmt: skip
    assert [point["lat"] for point in latest["points"]] == [27.0, 34.4]
    fair = sky.call("weather.get_forecast_daily", geo="Kyoto")["days"][6]
    assert fair["date"] == "2026-05-10"
    assert fair["condition"] != "typhoon"
    sky.until("2026-05-05T10:00:00")
    hamon(sky, "low", 35)
    sky.until("2026-05-06T10:30:00")
    hamon(
        sky, "high", 85, landfall_from="2026-05-09", landfall_until="2026-05-10",
        text="Trains in Kansai stop from noon of 05-09.", advice="Do not travel to Kansai.",
    )  # fmt: skip
    track = sky.call("weather.get_typhoon_track", storm_id="hamon")
    latest = track["latest"]
    assert (latest["confidence"], latest["probability_pct"]) == ("high", 85)
    assert (latest["landfall_area"], latest["landfall_from"], latest["landfall_until"]) == (
        "Kansai", "2026-05-09", "2026-05-10",
    )  # fmt: skip
    assert latest["advice"] == "Do not travel to Kansai."
    assert [(row["confidence"], row["probability_pct"]) for row in track["earlier"]] == [("low", 35), ("low", 30)]
    assert track["earlier"][0]["landfall_from"] == "2026-05-10"
    kyoto = {day["date"]: day for day in sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]}
    assert {date for date, day in kyoto.items() if day["condition"] == "typhoon"} == {"2026-05-09", "2026-05-10"}
    kanazawa = sky.call("weather.get_forecast_daily", geo="Kanazawa")["days"]
    assert "typhoon" not in {day["condition"] for day in kanazawa}
    sky.until("2026-05-10T08:00:00")
    sky.happen(
        "weather.issue_alert", kind="typhoon", level="emergency", headline="Typhoon", region="Kansai", storm_id="2603"
    )
    sky.happen("weather.issue_alert", kind="wind", level="advisory", headline="Wind", area="Kanazawa")
    assert [row["kind"] for row in sky.call("weather.get_alerts", geo="Osaka")["alerts"]] == ["typhoon"]
    quiet = sky.call("weather.get_alerts", geo="Kanazawa")
    assert [row["kind"] for row in quiet["alerts"]] == ["wind"]
    assert [(row["storm_id"], row["concerns_area"]) for row in quiet["storms"]] == [("2603", False)]
    sky.check()


def test_storms_are_listed_with_those_that_concern_the_place_first(sky: Any) -> None:
    sky.happen(
        "weather.update_storm", storm_id="S-21", name="Far", confidence="low", probability_pct=5,
        points=[{"at": "2026-04-18T00:00:00+08:00", "lat": 18.0, "lng": 122.0}],
    )  # fmt: skip
    sky.happen("weather.update_storm", storm_id="S-20", name="Blind", confidence="low", probability_pct=5)
    sky.happen(
        "weather.update_storm", storm_id="S-22", name="Near", confidence="medium", probability_pct=60, points=TRACK
    )
    storms = sky.call("weather.get_alerts", geo="Osaka")["storms"]
    assert [(row["storm_id"], row["concerns_area"]) for row in storms] == [
        ("S-22", True), ("S-21", False), ("S-20", False),
    ]  # fmt: skip
    assert storms[0]["closest_km"] < 50
    assert storms[1]["closest_km"] > 1500
    assert storms[2]["closest_km"] is None
    sky.happen("weather.update_storm", storm_id="S-20", confidence="low", probability_pct=5, areas=["Osaka"])
    storms = sky.call("weather.get_alerts", geo="Osaka")["storms"]
    assert {row["storm_id"] for row in storms if row["concerns_area"]} == {"S-20", "S-22"}
    assert sky.happen("weather.end_storm", storm_id="S-22") == ["S-22"]
    assert sky.happen("weather.end_storm", storm_id="S-22") == []
    assert "S-22" not in [row["storm_id"] for row in sky.call("weather.get_alerts", geo="Osaka")["storms"]]
    assert sky.call("weather.get_typhoon_track", storm_id="S-22")["status"] == "ended"
    text = sky.outcome("weather.get_typhoon_track", storm_id="S-99").text
    assert "S-21 Far" in text
    assert "S-22" not in text


def test_a_bulletin_may_withdraw_a_landfall_and_change_the_category(sky: Any) -> None:
    hamon(sky, "high", 80, name="Hamon", landfall_area="Kansai", landfall_from="2026-04-20", category="typhoon")
    hamon(sky, "high", 90, landfall_until="2026-04-21")
    latest = sky.call("weather.get_typhoon_track", storm_id="2603")["latest"]
    assert (latest["landfall_from"], latest["landfall_until"]) == ("2026-04-20", "2026-04-21")
    hamon(sky, "high", 95, landfall_area="", category="tropical_depression")
    track = sky.call("weather.get_typhoon_track", storm_id="2603")
    assert track["category"] == "tropical_depression"
    assert (track["latest"]["landfall_area"], track["latest"]["landfall_from"]) == ("", None)
    days = sky.call("weather.get_forecast_daily", geo="Kyoto")["days"]
    assert "typhoon" not in {day["condition"] for day in days}
    sky.check()


def test_a_landfall_cannot_end_before_it_begins(sky: Any) -> None:
    from lifegym.services.tools import ToolError

    before = sky.world.dump()
    with pytest.raises(ToolError, match="before landfall_from"):
        hamon(
            sky, "low", 5, name="Hamon", landfall_area="Kansai", landfall_from="2026-04-20", landfall_until="2026-04-19"
        )
    assert sky.world.dump() == before


def test_earlier_bulletins_are_bounded(sky: Any) -> None:
    for number in range(30):
        hamon(sky, "low", number, name="Hamon")
    track = sky.call("weather.get_typhoon_track", storm_id="2603")
    assert (len(track["earlier"]), track["earlier_total"]) == (20, 29)
    assert track["earlier"][0]["probability_pct"] == 28


# -- subscriptions --------------------------------------------------------------------------------------------------


def openings(d: Any) -> list[str]:
    texts = [opening.text for opening in d.world.openings]
    d.world.openings.clear()
    return texts


def test_subscribers_are_told_of_new_alerts_and_bulletins(sky: Any) -> None:
    sky.happen("weather.issue_alert", kind="fog", level="advisory", headline="Fog", area="Kyoto")
    assert openings(sky) == []
    made = sky.call("weather.subscribe_alerts", geo="Nijo", sink="notification_hub")
    assert (made["area_id"], made["area_name"], made["sink"]) == ("kyoto", "Kyoto", "notification_hub")
    assert sky.refused("weather.subscribe_alerts", geo="Kyoto", sink=" notification_hub") == "exists"
    assert sky.refused("weather.subscribe_alerts", geo="Kyoto", sink="  ") == "bad_sink"
    assert sky.refused("weather.subscribe_alerts", geo="Kyoto", sink="x" * 101) == "bad_sink"
    sky.call("weather.subscribe_alerts", geo="Kyoto", sink="email")
    sky.happen(
        "weather.issue_alert", kind="rain", level="warning", headline="Heavy rain", region="Kansai",
        text="Up to 90 mm.", ends="2026-04-18T06:00:00",
    )  # fmt: skip
    [text] = openings(sky)
    assert text.splitlines()[0] == "Heavy rain"
    assert "Kyoto: warning, from 2026-04-17T09:00:00+08:00 until 2026-04-18T06:00:00+08:00. Up to 90 mm." in text
    sky.happen("weather.issue_alert", kind="rain", level="warning", headline="Rain", area="Tokyo")
    sky.happen("weather.set_forecast", area="Kyoto", date="2026-04-18", condition="rain")
    assert openings(sky) == []
    hamon(sky, "low", 30, name="Hamon", landfall_area="Kansai", landfall_from="2026-04-22")
    hamon(sky, "high", 85, landfall_until="2026-04-23", advice="Stay in.")
    hamon(sky, "high", 85, landfall_area="")
    hamon(sky, "high", 85, text="Out at sea.")
    first, second, third = openings(sky)
    assert first == "Storm 2603 Hamon: confidence low (30%)\nKyoto: Landfall expected: Kansai, 2026-04-22."
    assert second.endswith("Kyoto: Landfall expected: Kansai, 2026-04-22 to 2026-04-23. Stay in.")
    assert third.endswith("Kyoto: No landfall expected.")
    sky.check()


def test_what_is_in_store_for_later_comes_out_at_its_time(sky: Any) -> None:
    later = {"issued_at": "2026-04-18T06:00:00+08:00", "starts": "2026-04-18T06:00:00+08:00"}
    sky.put("weather.alerts", alert_id="a1", area_id="kyoto", kind="wind", level="watch", headline="Wind", **later)
    sky.put("weather.alerts", alert_id="a2", area_id="kyoto", kind="wind", level="watch", headline="Gone", **later)
    issues = [
        {"issued_at": f"2026-04-{day}T09:00:00+08:00", "confidence": word, "probability_pct": pct, "areas": ["Kansai"]}
        for day, word, pct in [(16, "low", 10), (18, "low", 30), (20, "high", 90)]
    ]
    sky.put("weather.storms", storm_id="2603", name="Hamon", issues=issues)
    sky.put("weather.storms", storm_id="2604", name="Later", issues=issues[2:])
    sky.put("weather.storms", storm_id="2605", name="Over", issues=issues, status="ended")
    sky.call("weather.subscribe_alerts", geo="Kyoto", sink="hub")
    sky.start()
    assert alerts(sky, "Kyoto") == []
    assert sky.refused("weather.get_typhoon_track", storm_id="2604") == "not_found"
    assert sky.call("weather.get_typhoon_track", storm_id="2603")["latest"]["probability_pct"] == 10
    sky.service("weather").drop("alerts", "a2")
    sky.until("2026-04-18T08:00:00")
    assert [text.splitlines()[0] for text in openings(sky)] == ["Wind"]
    assert alerts(sky, "Kyoto") == ["a1"]
    sky.until("2026-04-18T09:00:00")
    assert [text.splitlines()[0] for text in openings(sky)] == ["Storm 2603 Hamon: confidence low (30%)"]
    sky.until("2026-04-19T09:00:00")
    hamon(sky, "medium", 50)
    sky.check()
    sky.until("2026-04-21T00:00:00")
    assert sky.call("weather.get_typhoon_track", storm_id="2603")["latest"]["probability_pct"] == 90
    assert [text.splitlines()[0] for text in openings(sky)] == [
        "Storm 2603 Hamon: confidence medium (50%)",
        "Storm 2603 Hamon: confidence high (90%)",
        "Storm 2604 Later: confidence high (90%)",
    ]


def test_other_services_hear_of_it(sky: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[tuple[str, str, str]] = []

    def emit(self: Any, topic: str, **data: Any) -> None:
        if topic == "status":
            heard.append((data["source"], data["ref"], data["status"]))

    monkeypatch.setattr(type(sky.world), "emit", emit)
    sky.happen("weather.issue_alert", kind="rain", level="watch", headline="Rain", region="Kansai", alert_id="r")
    sky.happen("weather.end_alert", alert_id="r")
    hamon(sky, "low", 30, name="Hamon")
    sky.happen("weather.end_storm", storm_id="2603")
    assert heard == [
        ("weather", "kyoto", "watch"), ("weather", "osaka", "watch"),
        ("weather", "kyoto", "ended"), ("weather", "osaka", "ended"),
        ("weather", "2603", "low"), ("weather", "2603", "ended"),
    ]  # fmt: skip


# -- filling --------------------------------------------------------------------------------------------------------


def test_towns_keep_their_distance(sky: Any) -> None:
    service = sky.service("weather")
    before = len(service.rows("areas"))
    service.towns(random.Random(5), 35.0, 135.7, count=10, region="Kansai", country="Japan")
    first = [dict(row) for row in service.rows("areas")]
    assert len(first) == before + 10
    for row in first[before:]:
        assert row["region"] == "Kansai"
        assert area_of(sky, row["name"]) == row["area_id"]
    service.towns(random.Random(6), 35.0, 135.7, count=100)
    from lifegym.services.weather.places import distance_km

    rows = list(service.rows("areas"))
    assert before + 10 < len(rows) < before + 110
    for i, one in enumerate(rows):
        for other in rows[max(i + 1, before) :]:
            assert distance_km(one["lat"], one["lng"], other["lat"], other["lng"]) >= 25
    assert area_of(sky, "35.01,135.77") == "kyoto"
    sky.check()


# -- anything in any order ------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["Kyoto", "osaka", "Kanazwa", "Atlantis", "34.7,135.5", "", "Kansai"])
DAYS = st.sampled_from([None, "2026-04-18", "2026-04-20", "2026-04-25"])
STEP = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 200)),
    st.tuples(st.just("subscribe"), NAMES, st.sampled_from(["hub", "mail", ""])),
    st.tuples(st.just("alert"), NAMES, st.sampled_from(["", "Kansai"]), DAYS, DAYS),
    st.tuples(st.just("end_alert"), NAMES, st.sampled_from([None, "wind"])),
    st.tuples(st.just("storm"), st.sampled_from(["1", "2"]), st.integers(0, 100), DAYS, DAYS, NAMES),
    st.tuples(st.just("end_storm"), st.sampled_from(["1", "2"])),
    st.tuples(st.just("forecast"), NAMES, st.sampled_from([None, "rain", "clear"]), st.sampled_from([None, 0.0, 12.3])),
    st.tuples(st.just("look"), NAMES),
)


@given(st.lists(STEP, max_size=14))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_keeps_the_records_in_order(desk: Any, steps: list[tuple[Any, ...]]) -> None:
    from lifegym.services.tools import ToolError

    d = desk("weather")
    for area_id, fields in PLACES:
        d.put("weather.areas", area_id=area_id, **fields)
    d.start()
    for verb, *data in steps:
        try:
            if verb == "wait":
                d.world.run_to(d.world.now + data[0] * 3600)
            elif verb == "subscribe":
                d.outcome("weather.subscribe_alerts", geo=data[0], sink=data[1])
            elif verb == "alert":
                d.happen(
                    "weather.issue_alert", kind="wind", level="watch", headline="Wind",
                    area="" if data[1] else data[0], region=data[1], starts=data[2], ends=data[3],
                )  # fmt: skip
            elif verb == "end_alert":
                d.happen("weather.end_alert", area=data[0], kind=data[1])
            elif verb == "storm":
                d.happen(
                    "weather.update_storm", storm_id=data[0], name="Any", confidence="low", probability_pct=data[1],
                    landfall_from=data[2], landfall_until=data[3], landfall_area=data[4],
                )  # fmt: skip
            elif verb == "end_storm":
                d.happen("weather.end_storm", storm_id=data[0])
            elif verb == "forecast":
                d.happen("weather.set_forecast", area=data[0], date="2026-04-20", condition=data[1], precip_mm=data[2])
            else:
                before = d.world.dump()
                for tool in (
                    "get_current_weather",
                    "get_forecast_daily",
                    "get_forecast_hourly",
                    "get_alerts",
                    "get_aqi",
                ):
                    d.outcome(f"weather.{tool}", geo=data[0])
                assert d.world.dump() == before
        except ToolError:  # dates in the wrong order
            assert verb in ("alert", "storm")
        d.check()
