"""The weather of a day and of its hours, derived from an area's climate: always the same for an area and a date."""

from __future__ import annotations

import datetime as dt
import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lifegym.world.frozen import FrozenList
from lifegym.world.record import Record

__all__ = ["Hour", "Weather", "complete", "derive_aqi", "derive_day", "feels_like", "hour_of"]

WET = frozenset({"drizzle", "rain", "heavy_rain", "thunderstorm", "sleet", "snow", "typhoon"})
_USUAL_RAIN = {
    "drizzle": 1.5, "rain": 9.0, "heavy_rain": 45.0, "thunderstorm": 22.0, "sleet": 4.0, "snow": 6.0, "typhoon": 150.0,
}  # fmt: skip
_USUAL_WIND = {"windy": 13.0, "thunderstorm": 11.0, "typhoon": 28.0}
_SUNSHINE = {"clear": 1.0, "windy": 0.9, "partly_cloudy": 0.85, "cloudy": 0.55, "fog": 0.5}
COLDEST_HOUR, WARMEST_HOUR = 5, 14


class Weather(NamedTuple):
    """A day's weather: Celsius, millimetres, percent, metres per second."""

    condition: str
    temp_min: float
    temp_max: float
    precip_mm: float
    precip_prob: int
    wind_ms: float
    humidity: int
    uv: float


class Hour(NamedTuple):
    """An hour's weather, in the same units."""

    condition: str
    temp: float
    precip_mm: float
    precip_prob: int
    wind_ms: float
    humidity: int
    uv: float


def _chances(*key: object) -> list[float]:
    """Eight numbers from 0 to 1 that belong to a key."""
    digest = hashlib.blake2b("|".join(map(str, key)).encode(), digest_size=16).digest()
    return [int.from_bytes(digest[i : i + 2], "big") / 65536 for i in range(0, 16, 2)]


def _from_latitude(lat: float, month: int) -> dict[str, float]:
    """A month's normals where an area has none of its own: warm by the equator, seasons towards the poles."""
    warmth = math.cos(2 * math.pi * (month - 7.5) / 12) * (1 if lat >= 0 else -1)
    mean = 27 - 0.0075 * lat * lat + min(14.0, 0.3 * abs(lat)) * warmth
    rain = 90 + (40 * warmth if abs(lat) < 45 else 0)
    return {
        "temp_min": mean - 4.5, "temp_max": mean + 4.5, "rain_mm": rain, "rain_days": 10, "wind_ms": 3.5,
        "humidity": 70,
    }  # fmt: skip


def _normals(lat: float, months: Sequence[Mapping[str, float]], date: dt.date) -> dict[str, float]:
    """The normals of a date, between those of the middles of two months."""
    other = date.month % 12 + 1 if date.day >= 15 else (date.month - 2) % 12 + 1
    share = abs(date.day - 15) / 30
    here = months[date.month - 1] if months else _from_latitude(lat, date.month)
    there = months[other - 1] if months else _from_latitude(lat, other)
    return {name: value + (there[name] - value) * share for name, value in here.items()}


def derive_day(area: Record, date: dt.date) -> Weather:
    """What the climate of an area brings on a date."""
    return _derived(area["area_id"], area["lat"], area["normals"], date)


@lru_cache(maxsize=8192)
def _derived(area_id: str, lat: float, months: FrozenList, date: dt.date) -> Weather:
    usual = _normals(lat, months, date)
    wet, amount, sky, warmth, spread, wind, damp, _ = _chances(area_id, date.isoformat())
    rain_days = max(usual["rain_days"], 0.1)
    is_wet = wet < rain_days / 30.4
    shift = (warmth - 0.5) * 7
    widen = 0.7 + 0.6 * spread
    middle = (usual["temp_min"] + usual["temp_max"]) / 2 + shift - (1.5 if is_wet else 0)
    half = (usual["temp_max"] - usual["temp_min"]) / 2 * (widen * (0.7 if is_wet else 1))
    precip = round(-math.log(1 - amount * 0.98) * usual["rain_mm"] / rain_days, 1) if is_wet else 0.0
    if precip > 0:
        condition = _wet_sky(precip, middle, warm=middle + half > 26)
    else:
        condition = "clear" if sky < 0.4 else "partly_cloudy" if sky < 0.75 else "cloudy"
    return Weather(
        condition=condition,
        temp_min=round(middle - half, 1),
        temp_max=round(middle + half, 1),
        precip_mm=precip,
        precip_prob=int(60 + 35 * sky) if precip > 0 else int(35 * wet),
        wind_ms=round(usual["wind_ms"] * (0.5 + wind + (0.4 if precip > 0 else 0)), 1),
        humidity=max(10, min(98, round(usual["humidity"] + (damp - 0.5) * 20 + (12 if precip > 0 else 0)))),
        uv=_noon_uv(lat, date, condition),
    )


def _wet_sky(precip_mm: float, temp: float, warm: bool) -> str:
    if temp < 0.5:
        return "snow"
    if temp < 2:
        return "sleet"
    if warm and precip_mm >= 12:
        return "thunderstorm"
    return "drizzle" if precip_mm < 2 else "rain" if precip_mm < 30 else "heavy_rain"


def _noon_uv(lat: float, date: dt.date, condition: str) -> float:
    declination = 23.44 * math.sin(2 * math.pi * (284 + date.timetuple().tm_yday) / 365)
    height = math.sin(math.radians(max(0.0, 90 - abs(lat - declination))))
    return float(round(12 * height**1.3 * _SUNSHINE.get(condition, 0.3), 1))


def complete(given: Mapping[str, Any], base: Weather, lat: float, date: dt.date) -> Weather:
    """A day's weather in which what is given holds, and everything else is made to agree with it.

    Args:
        given: Any of the fields of ``Weather``; None is not given.
        base: What the climate brings, for all that nothing given decides.
        lat: Latitude, for the sun.
        date: The date, for the sun.
    """
    known = {name: given[name] for name in Weather._fields if given.get(name) is not None}
    condition, precip = known.get("condition"), known.get("precip_mm")
    if condition is None and precip is not None:
        middle = (known.get("temp_min", base.temp_min) + known.get("temp_max", base.temp_max)) / 2
        fair = base.condition if base.condition not in WET else "cloudy"
        condition = _wet_sky(precip, middle, warm=known.get("temp_max", base.temp_max) > 26) if precip > 0 else fair
    if condition is not None:
        settled: dict[str, Any] = {"condition": condition, "uv": _noon_uv(lat, date, condition)}
        if condition in WET:
            settled["precip_mm"] = _USUAL_RAIN[condition]
            settled["precip_prob"] = max(base.precip_prob, 80) if precip != 0 else 20
        else:
            settled["precip_mm"] = 0.0
            settled["precip_prob"] = 60 if precip else min(base.precip_prob, 20)
        if condition in _USUAL_WIND:
            settled["wind_ms"] = max(base.wind_ms, _USUAL_WIND[condition])
        known = {**settled, **known}
    low, high = known.get("temp_min", base.temp_min), known.get("temp_max", base.temp_max)
    if low > high:  # one of them was given and the climate's other lies on its wrong side
        known["temp_min"] = known["temp_max"] = low if "temp_min" in known else high
    return base._replace(**known)


@lru_cache(maxsize=8192)
def hour_of(key: str, before: Weather, day: Weather, after: Weather, hour: int) -> Hour:
    """The weather of one hour of a day, such that a day's hours add up to its forecast.

    Args:
        key: Area and date: decides when it rains.
        before: The weather of the day before.
        day: The weather of the day.
        after: The weather of the day after.
        hour: 0 to 23, local.
    """
    if hour < COLDEST_HOUR:
        temp = _between(before.temp_max, day.temp_min, (hour + 24 - WARMEST_HOUR) / 15)
    elif hour <= WARMEST_HOUR:
        temp = _between(day.temp_min, day.temp_max, (hour - COLDEST_HOUR) / 9)
    else:
        temp = _between(day.temp_max, after.temp_min, (hour - WARMEST_HOUR) / 15)
    temp = max(day.temp_min, min(day.temp_max, temp))
    rain = _rain_in(key, day.precip_mm, hour)
    heat = (temp - day.temp_min) / (day.temp_max - day.temp_min) if day.temp_max > day.temp_min else 0.5
    if rain > 0:
        condition = day.condition if day.condition in WET else "rain"
    elif day.condition in WET:
        condition = "windy" if day.condition == "typhoon" else "cloudy"
    else:
        condition = day.condition
    return Hour(
        condition=condition,
        temp=round(temp, 1),
        precip_mm=rain,
        precip_prob=day.precip_prob if rain > 0 else day.precip_prob // 3,
        wind_ms=round(day.wind_ms * (0.65 + 0.35 * heat), 1),
        humidity=max(5, min(100, round(day.humidity + 12 - 24 * heat))),
        uv=round(day.uv * max(0.0, math.sin(math.pi * (hour - 6) / 12)) ** 1.5, 1),
    )


def _between(first: float, last: float, share: float) -> float:
    return first + (last - first) * (1 - math.cos(math.pi * share)) / 2


def _rain_in(key: str, precip_mm: float, hour: int) -> float:
    """A day's rain falls in one spell, in whole tenths of a millimetre an hour."""
    tenths = round(precip_mm * 10)
    if tenths <= 0:
        return 0.0
    hours = min(24, tenths, 3 + tenths // 40)
    start = int(_chances(key, "rain")[0] * (25 - hours))
    if not start <= hour < start + hours:
        return 0.0
    each, more = divmod(tenths, hours)
    return (each + (hour - start < more)) / 10


def derive_aqi(area: Record, date: dt.date) -> int:
    """The air quality index that is usual for an area, more or less."""
    usual: int = area["usual_aqi"]
    return max(5, min(500, round(usual * (0.6 + 0.8 * _chances(area["area_id"], date.isoformat(), "air")[0]))))


def feels_like(temp: float, humidity: float, wind_ms: float) -> float:
    """Apparent temperature in the shade (Steadman), Celsius."""
    vapour = humidity / 100 * 6.105 * math.exp(17.27 * temp / (237.7 + temp))
    return round(temp + 0.33 * vapour - 0.7 * wind_ms - 4, 1)
