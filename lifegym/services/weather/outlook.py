"""What a weather office knows now: forecasts from records and climate, warnings and bulletins that are out."""

from __future__ import annotations

import datetime as dt
from typing import Any

from lifegym.services.base import Service
from lifegym.services.search import fold
from lifegym.services.weather import climate, places
from lifegym.services.weather.records import Air, Alert, Area, Forecast, Storm, Subscription
from lifegym.world.record import Record

__all__ = ["WeatherOutlook"]

STORM_REACH_KM = 200.0
LIKELY_PCT = 50
"""From this probability on, a storm shows in the daily forecasts of its landfall area."""


class WeatherOutlook(Service):
    """The weather office's records, read as of now."""

    name = "weather"
    title = "Weather"
    records = {
        "areas": Area,
        "forecasts": Forecast,
        "air": Air,
        "storms": Storm,
        "alerts": Alert,
        "subscriptions": Subscription,
    }

    def _is_out(self, alert: Record) -> bool:
        """Issued, and not over."""
        return self.seconds(alert["issued_at"]) <= self.now and (
            alert["ends"] is None or self.seconds(alert["ends"]) > self.now
        )

    @staticmethod
    def _covers(alert: Record, area: Record) -> bool:
        if alert["area_id"]:
            return bool(alert["area_id"] == area["area_id"])
        return fold(alert["region"]) == fold(area["region"])

    def _bulletins(self, storm: Record) -> list[Any]:
        """The bulletins of a storm that are out, oldest first."""
        return [issue for issue in storm["issues"] if self.seconds(issue["issued_at"]) <= self.now]

    @classmethod
    def _concerns(cls, issue: dict[str, Any], area: Record) -> bool:
        """Whether a bulletin names an area or its region, or the track comes near."""
        if cls._is_one_of(area, [issue.get("landfall_area", ""), *issue.get("areas", [])]):
            return True
        far = cls._closest_km(issue, area)
        return far is not None and far <= STORM_REACH_KM

    @staticmethod
    def _is_one_of(area: Record, names: list[str]) -> bool:
        own = (fold(area["area_id"]), fold(area["name"]), fold(area["region"]))
        return any(name and fold(name) in own for name in names)

    @staticmethod
    def _closest_km(issue: dict[str, Any], area: Record) -> float | None:
        """How near the track's points come to an area."""
        return min(
            (
                places.distance_km(point["lat"], point["lng"], area["lat"], area["lng"])
                for point in issue.get("points", [])
            ),
            default=None,
        )

    def _issued(self, kind: str, area_id: str) -> dict[str, Record]:
        """An area's forecasts (or air) by date: of each date the newest that is out."""
        newest: dict[str, tuple[int, Record]] = {}
        for row in self.rows(kind):
            if row["area_id"] != area_id:
                continue
            at = self.seconds(row["issued_at"]) if row["issued_at"] else -1
            if at <= self.now and (row["date"] not in newest or newest[row["date"]][0] <= at):
                newest[row["date"]] = (at, row)
        return {date: row for date, (_, row) in newest.items()}

    def _days(self, area: Record, first: dt.date, count: int) -> list[climate.Weather]:
        """The weather of an area on some days, as it is forecast now."""
        issued = self._issued("forecasts", area["area_id"])
        landfalls = self._landfalls(area)
        days = []
        for number in range(count):
            date = first + dt.timedelta(days=number)
            text = date.isoformat()
            day = climate.derive_day(area, date)
            if text in issued:
                day = climate.complete(issued[text], day, area["lat"], date)
            elif any(begin <= text <= end for begin, end in landfalls):
                day = climate.complete({"condition": "typhoon"}, day, area["lat"], date)
            days.append(day)
        return days

    def _landfalls(self, area: Record) -> list[tuple[str, str]]:
        """When likely storms are over an area, first and last date."""
        spans = []
        for storm in self.rows("storms"):
            out = self._bulletins(storm) if storm["status"] == "active" else []
            if not out or out[-1]["probability_pct"] < LIKELY_PCT:
                continue
            first = out[-1].get("landfall_from")
            if first and self._is_one_of(area, [out[-1].get("landfall_area", "")]):
                spans.append((first, out[-1].get("landfall_until") or first))
        return spans
