"""What a weather office keeps."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from lifegym.services.types import Day, Instant, RecordModel, Ref
from lifegym.world import clock

__all__ = [
    "Air", "Alert", "AlertKind", "Area", "Category", "Condition", "Confidence", "Forecast", "Issue", "Latitude",
    "Level", "Longitude", "Normal", "Percent", "Storm", "Subscription", "TrackPoint",
]  # fmt: skip

Condition = Literal[
    "clear", "partly_cloudy", "cloudy", "fog", "windy", "drizzle", "rain", "heavy_rain", "thunderstorm", "sleet",
    "snow", "typhoon",
]  # fmt: skip
AlertKind = Literal[
    "typhoon", "wind", "rain", "flood", "landslide", "storm_surge", "thunderstorm", "snow", "ice", "cold", "heat",
    "fog", "dry_air", "air_quality",
]  # fmt: skip
Level = Literal["advisory", "watch", "warning", "emergency"]
Confidence = Literal["low", "medium", "high"]
Category = Literal["tropical_depression", "tropical_storm", "severe_tropical_storm", "typhoon", "strong_typhoon"]
Latitude = Annotated[float, Field(ge=-90, le=90)]
Longitude = Annotated[float, Field(ge=-180, le=180)]
Percent = Annotated[int, Field(ge=0, le=100)]


def _known_zone(name: str) -> str:
    if name:
        clock.zone(name)
    return name


def _a_year(months: list[Normal]) -> list[Normal]:
    if len(months) not in (0, 12):
        raise ValueError(f"normals are for twelve months, January first, not {len(months)}")
    return months


class Normal(TypedDict):
    """What is usual in a month: mean daily extremes in Celsius, rain of the month, days with rain, wind, humidity."""

    temp_min: float
    temp_max: float
    rain_mm: float
    rain_days: float
    wind_ms: float
    humidity: float


class Area(RecordModel):
    """A place with forecasts. Without normals its climate follows from its latitude; without a zone, the world's."""

    area_id: str
    name: str
    aliases: list[str] = []
    region: str = ""
    country: str = ""
    lat: Latitude
    lng: Longitude
    zone: Annotated[str, AfterValidator(_known_zone)] = ""
    normals: Annotated[list[Normal], AfterValidator(_a_year)] = []
    usual_aqi: Annotated[int, Field(ge=0, le=500)] = 45


class Forecast(RecordModel):
    """The forecast of a day as issued at an instant (or from the beginning). What is None follows from the climate."""

    forecast_id: str
    area_id: Annotated[str, Ref("weather.areas")]
    date: Day
    condition: Condition | None = None
    temp_min: float | None = None
    temp_max: float | None = None
    precip_mm: Annotated[float, Field(ge=0)] | None = None
    precip_prob: Percent | None = None
    wind_ms: Annotated[float, Field(ge=0)] | None = None
    humidity: Percent | None = None
    uv: Annotated[float, Field(ge=0)] | None = None
    issued_at: Instant | None = None


class Air(RecordModel):
    """The air quality of a day as issued at an instant (or from the beginning)."""

    air_id: str
    area_id: Annotated[str, Ref("weather.areas")]
    date: Day
    aqi: Annotated[int, Field(ge=0, le=500)]
    pollutant: str = "pm25"
    issued_at: Instant | None = None


class Alert(RecordModel):
    """A warning for one area or for all areas of a region."""

    alert_id: str
    area_id: Annotated[str, Ref("weather.areas")] = ""
    region: str = ""
    kind: AlertKind
    level: Level
    headline: str
    text: str = ""
    issued_at: Instant
    starts: Instant
    ends: Instant | None = None
    storm_id: Annotated[str, Ref("weather.storms")] = ""


class TrackPoint(TypedDict):
    """Where a storm's centre was or is expected at an instant."""

    at: Instant
    lat: Latitude
    lng: Longitude
    wind_ms: NotRequired[float]


class Issue(TypedDict):
    """One bulletin on a storm. ``landfall_area`` and ``areas`` are names of areas or regions."""

    issued_at: Instant
    confidence: Confidence
    probability_pct: Percent
    landfall_area: NotRequired[str]
    landfall_from: NotRequired[Day | None]
    landfall_until: NotRequired[Day | None]
    areas: NotRequired[list[str]]
    points: NotRequired[list[TrackPoint]]
    category: NotRequired[Category]
    text: NotRequired[str]
    advice: NotRequired[str]


class Storm(RecordModel):
    """A storm and its bulletins, oldest first."""

    storm_id: str
    name: str
    category: Category = "tropical_storm"
    status: Literal["active", "ended"] = "active"
    issues: list[Issue]


class Subscription(RecordModel):
    """A standing wish to be told of new alerts and storm bulletins for an area."""

    subscription_id: str
    area_id: Annotated[str, Ref("weather.areas")]
    sink: str
    created_at: Instant
