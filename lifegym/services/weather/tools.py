"""A weather service: forecasts by day and hour, warnings, air quality, storm tracks."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.tools import ToolError, tool
from lifegym.services.weather import climate, places
from lifegym.services.weather.inventory import WeatherInventory
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["Weather"]

NEAR_KM = 100.0
_COORDINATES = re.compile(r"\s*(-?\d{1,3}(?:\.\d+)?)\s*,\s*(-?\d{1,3}(?:\.\d+)?)\s*")
_LEVELS = ("emergency", "warning", "watch", "advisory")
_AIR = (
    (50, "good"), (100, "moderate"), (150, "unhealthy_for_sensitive_groups"), (200, "unhealthy"),
    (300, "very_unhealthy"), (500, "hazardous"),
)  # fmt: skip


class Weather(WeatherInventory):
    """The weather of places that have forecasts. A place is meant by name or by coordinates."""

    # -- tools: looking ------------------------------------------------------------------------------------------

    @tool(write=False)
    def get_current_weather(
        self, geo: str | dict[str, Any], units: Literal["metric", "imperial"] = "metric"
    ) -> dict[str, Any]:
        """Tell the weather at a place now.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.
            units: metric (Celsius, m/s, mm) or imperial (Fahrenheit, mph, inches).

        Returns:
            area; time; condition, temp, feels_like, wind, precip (this hour), humidity (percent), uv; today (condition,
            temp_min, temp_max, precip); units (what the numbers are in).

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
        """
        area = self._area(geo)
        now = clock.local(self.now, self._zone(area))
        before, day, after = self._days(area, now.date() - dt.timedelta(days=1), 3)
        hour = climate.hour_of(f"{area['area_id']}|{now.date().isoformat()}", before, day, after, now.hour)
        felt = climate.feels_like(hour.temp, hour.humidity, hour.wind_ms)
        imperial = units == "imperial"

        def degrees(celsius: float) -> float:
            return round(celsius * 1.8 + 32, 1) if imperial else celsius

        def depth(mm: float) -> float:
            return round(mm / 25.4, 2) if imperial else mm

        return {
            "area": self._shown(area),
            "time": clock.iso(self.now, self._zone(area)),
            "condition": hour.condition,
            "temp": degrees(hour.temp),
            "feels_like": degrees(felt),
            "wind": round(hour.wind_ms * 2.23694, 1) if imperial else hour.wind_ms,
            "precip": depth(hour.precip_mm),
            "humidity": hour.humidity,
            "uv": hour.uv,
            "today": {
                "condition": day.condition,
                "temp_min": degrees(day.temp_min),
                "temp_max": degrees(day.temp_max),
                "precip": depth(day.precip_mm),
            },
            "units": {"temp": "F", "wind": "mph", "precip": "in"}
            if imperial
            else {"temp": "C", "wind": "m/s", "precip": "mm"},
        }

    @tool(write=False)
    def get_forecast_daily(
        self, geo: str | dict[str, Any], days: Annotated[int, Field(ge=1, le=10)] = 10
    ) -> dict[str, Any]:
        """Forecast a place day by day, from today on. There is no forecast beyond ten days.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.
            days: How many days, 1 to 10.

        Returns:
            area; days: date, condition, temp_min and temp_max (Celsius), precip_mm, precip_prob (percent), wind_ms,
            humidity (percent), uv (at noon).

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
        """
        area = self._area(geo)
        first = clock.local(self.now, self._zone(area)).date()
        found = self._days(area, first, days)
        return {
            "area": self._shown(area),
            "days": [
                {"date": (first + dt.timedelta(days=number)).isoformat(), **day._asdict()}
                for number, day in enumerate(found)
            ],
        }

    @tool(write=False)
    def get_forecast_hourly(
        self, geo: str | dict[str, Any], hours: Annotated[int, Field(ge=1, le=168)] = 72
    ) -> dict[str, Any]:
        """Forecast a place hour by hour, from the current hour on.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.
            hours: How many hours, 1 to 168.

        Returns:
            area; hours: time (local to the place, with offset), condition, temp (Celsius), precip_mm, precip_prob
            (percent), wind_ms, humidity (percent), uv.

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
        """
        area = self._area(geo)
        zone = self._zone(area)
        begin = self.now - self.now % clock.HOUR
        first = clock.local(begin, zone).date()
        days = self._days(area, first - dt.timedelta(days=1), hours // 24 + 4)
        forecast = []
        for number in range(hours):
            local = clock.local(begin + number * clock.HOUR, zone)
            day = (local.date() - first).days + 1
            key = f"{area['area_id']}|{local.date().isoformat()}"
            hour = climate.hour_of(key, days[day - 1], days[day], days[day + 1], local.hour)
            forecast.append({"time": local.isoformat(), **hour._asdict()})
        return {"area": self._shown(area), "hours": forecast}

    @tool(write=False)
    def get_alerts(self, geo: str | dict[str, Any]) -> dict[str, Any]:
        """List the weather warnings for a place that are out now, and the storms that are under watch anywhere.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.

        Returns:
            area; alerts (gravest first, at most 50): alert_id, kind, level, headline, text, issued_at, starts, ends,
            storm_id; total; storms (those that concern the place first, at most 10): storm_id, name, category,
            concerns_area, closest_km, confidence, probability_pct, landfall_area, landfall_from, landfall_until.

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
        """
        area = self._area(geo)
        found = [row for row in self.rows("alerts") if self._covers(row, area) and self._is_out(row)]
        found.sort(key=lambda row: (_LEVELS.index(row["level"]), self.seconds(row["starts"])))
        storms = []
        for storm in self.rows("storms"):
            issues = self._bulletins(storm) if storm["status"] == "active" else []
            if issues:
                storms.append(self._threat(storm, issues[-1], area))
        storms.sort(key=lambda row: (not row["concerns_area"], row["closest_km"] is None, row["closest_km"] or 0))
        return {"area": self._shown(area), "alerts": found[:50], "total": len(found), "storms": storms[:10]}

    @tool(write=False)
    def get_aqi(self, geo: str | dict[str, Any]) -> dict[str, Any]:
        """Tell the air quality at a place today.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.

        Returns:
            area, date, aqi (0 to 500), category, pollutant (the main one).

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
        """
        area = self._area(geo)
        date = clock.local(self.now, self._zone(area)).date()
        issued = self._issued("air", area["area_id"]).get(date.isoformat())
        aqi = issued["aqi"] if issued else climate.derive_aqi(area, date)
        return {
            "area": self._shown(area),
            "date": date.isoformat(),
            "aqi": aqi,
            "category": next(name for most, name in _AIR if aqi <= most),
            "pollutant": issued["pollutant"] if issued else "pm25",
        }

    @tool(write=False)
    def get_typhoon_track(self, storm_id: str) -> dict[str, Any]:
        """Show a storm: its latest bulletin in full, and the earlier ones briefly.

        Args:
            storm_id: The storm's number or name; get_alerts lists the storms under watch.

        Returns:
            storm_id, name, category, status (active or ended); latest: issued_at, confidence (low, medium or high),
            probability_pct, landfall_area, landfall_from, landfall_until, areas, points (at, lat, lng, wind_ms), text,
            advice; earlier (newest first, at most 20): issued_at, confidence, probability_pct, landfall_area,
            landfall_from, landfall_until; earlier_total.

        Errors:
            not_found: There is no such storm; the message lists those under watch.
        """
        storm, issues = self._storm(storm_id)
        latest = issues[-1]
        earlier = [self._brief(issue) for issue in reversed(issues[:-1][-20:])]
        return {
            "storm_id": storm["storm_id"],
            "name": storm["name"],
            "category": latest.get("category", storm["category"]),
            "status": storm["status"],
            "latest": {
                **self._brief(latest),
                "areas": latest.get("areas", []),
                "points": latest.get("points", [])[:100],
                "text": latest.get("text", ""),
                "advice": latest.get("advice", ""),
            },
            "earlier": earlier,
            "earlier_total": len(issues) - 1,
        }

    # -- tools: acting -------------------------------------------------------------------------------------------

    @tool(write=True)
    def subscribe_alerts(self, geo: str | dict[str, Any], sink: str) -> dict[str, Any]:
        """Ask to be told of every new alert for a place and of every bulletin on a storm that concerns it.

        Args:
            geo: A name ("Kyoto"), "lat,lng", {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}.
            sink: Where to be told, such as notification_hub; 1 to 100 characters.

        Returns:
            The subscription: subscription_id, area_id, area_name, sink, created_at.

        Errors:
            bad_geo: geo is none of these forms.
            not_found: No area has that name, or there is none within 100 km.
            bad_sink: sink is empty or longer than 100 characters.
            exists: There is this subscription already; the message names its subscription_id.
        """
        area = self._area(geo)
        target = sink.strip()
        if not 1 <= len(target) <= 100:
            raise ToolError("bad_sink", "sink has 1 to 100 characters, such as notification_hub")
        for row in self.rows("subscriptions"):
            if row["area_id"] == area["area_id"] and row["sink"] == target:
                raise ToolError("exists", f"{area['name']} is subscribed to already as {row['subscription_id']}")
        subscription = self.put(
            "subscriptions",
            subscription_id=self.new_id("wsub"),
            area_id=area["area_id"],
            sink=target,
            created_at=self.stamp(),
        )
        return {**subscription, "area_name": area["name"]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _area(self, geo: str | dict[str, Any]) -> Record:
        """The area that an argument means."""
        if isinstance(geo, dict):
            lat, lng, city = geo.get("lat"), geo.get("lng"), geo.get("city")
            if isinstance(city, str) and lat is None and lng is None:
                return self._by_name(city)
            if type(lat) in (int, float) and type(lng) in (int, float):
                return self._by_coordinates(float(lat), float(lng))  # type: ignore[arg-type]
            raise ToolError("bad_geo", 'geo as an object is {"lat": 35.0, "lng": 135.8} or {"city": "Kyoto"}')
        match = _COORDINATES.fullmatch(geo)
        return self._by_coordinates(float(match[1]), float(match[2])) if match else self._by_name(geo)

    def _by_name(self, text: str) -> Record:
        if not text.strip():
            raise ToolError("bad_geo", "geo is empty; give a place name or coordinates")
        area = places.searched(self.rows("areas"), text[:200])
        if area is None:
            some = ", ".join(row["name"] for row in list(self.rows("areas"))[:8])
            raise ToolError(
                "not_found", f"no area is called {text[:60]!r}; give coordinates, or a name such as: {some or 'none'}"
            )
        return area

    def _by_coordinates(self, lat: float, lng: float) -> Record:
        if not (-90 <= lat <= 90 and -180 <= lng <= 180):
            raise ToolError("bad_geo", "lat is between -90 and 90, lng between -180 and 180")
        found = places.nearest(self.rows("areas"), lat, lng, NEAR_KM)
        if found is None:
            raise ToolError("not_found", f"there is no area within 100 km of {lat}, {lng}; try a place name")
        return found[0]

    def _storm(self, text: str) -> tuple[Record, list[Any]]:
        """The storm of a number or name, and its bulletins that are out."""
        known = [(storm, issues) for storm in self.rows("storms") if (issues := self._bulletins(storm))]
        wanted = text.strip().lower()
        for storm, issues in known:
            if wanted in (storm["storm_id"].lower(), storm["name"].lower()):
                return storm, issues
        watched = [f"{storm['storm_id']} {storm['name']}" for storm, _ in known if storm["status"] == "active"]
        raise ToolError(
            "not_found", f"there is no storm {text[:60]!r}; under watch: {', '.join(watched[:10]) or 'none'}"
        )

    def _threat(self, storm: Record, issue: dict[str, Any], area: Record) -> dict[str, Any]:
        """A storm as seen from an area."""
        far = self._closest_km(issue, area)
        brief = self._brief(issue)
        return {
            "storm_id": storm["storm_id"],
            "name": storm["name"],
            "category": issue.get("category", storm["category"]),
            "concerns_area": self._concerns(issue, area),
            "closest_km": None if far is None else round(far),
            **brief,
        }

    @staticmethod
    def _brief(issue: dict[str, Any]) -> dict[str, Any]:
        return {
            "issued_at": issue["issued_at"],
            "confidence": issue["confidence"],
            "probability_pct": issue["probability_pct"],
            "landfall_area": issue.get("landfall_area", ""),
            "landfall_from": issue.get("landfall_from"),
            "landfall_until": issue.get("landfall_until"),
        }

    def _zone(self, area: Record) -> str:
        return area["zone"] or self.world.zone

    @staticmethod
    def _shown(area: Record) -> dict[str, Any]:
        return {name: area[name] for name in ("area_id", "name", "region", "country", "lat", "lng")}
