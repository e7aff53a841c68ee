"""What a weather office does by itself: forecasts, warnings and bulletins that it issues, and whom they reach."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.search import fold
from lifegym.services.tools import ToolError, happening
from lifegym.services.weather import places
from lifegym.services.weather.outlook import WeatherOutlook
from lifegym.services.weather.records import (
    AlertKind,
    Category,
    Condition,
    Confidence,
    Level,
    Percent,
    TrackPoint,
)
from lifegym.world.record import Record

__all__ = ["WeatherLife"]

Positive = Annotated[float, Field(ge=0)]


class WeatherLife(WeatherOutlook):
    """The weather office's own behaviour."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_forecast(
        self,
        area: str,
        date: str,
        condition: Condition | None = None,
        temp_min: float | None = None,
        temp_max: float | None = None,
        precip_mm: Positive | None = None,
        precip_prob: Percent | None = None,
        wind_ms: Positive | None = None,
        humidity: Percent | None = None,
        uv: Positive | None = None,
    ) -> list[str]:
        """Issue another forecast of a day. What is left out follows from what is given and from the climate.

        Args:
            area: Id, name or alias of an area.
            date: YYYY-MM-DD.
            condition: The sky. A new condition or amount of rain starts the day afresh; other changes add to it.
            temp_min: Celsius.
            temp_max: Celsius.
            precip_mm: Rain or melted snow of the day.
            precip_prob: Percent.
            wind_ms: Metres per second.
            humidity: Percent.
            uv: Index at noon.
        """
        found = places.named(self.rows("areas"), area)
        if found is None:
            return []
        day = self.day(date, "date").isoformat()
        given = {
            "condition": condition, "temp_min": temp_min, "temp_max": temp_max, "precip_mm": precip_mm,
            "precip_prob": precip_prob, "wind_ms": wind_ms, "humidity": humidity, "uv": uv,
        }  # fmt: skip
        changes = {name: value for name, value in given.items() if value is not None}
        before = self._issued("forecasts", found["area_id"]).get(day)
        if before is not None and condition is None and precip_mm is None:
            changes = {name: before[name] for name in given if before[name] is not None} | changes
        row = self.put(
            "forecasts",
            forecast_id=self.new_id("fc"),
            area_id=found["area_id"],
            date=day,
            issued_at=self.stamp(),
            **changes,
        )
        return [row["forecast_id"]]

    @happening
    def set_aqi(
        self, area: str, date: str, aqi: Annotated[int, Field(ge=0, le=500)], pollutant: str = "pm25"
    ) -> list[str]:
        """Issue the air quality of a day for an area (id, name or alias)."""
        found = places.named(self.rows("areas"), area)
        if found is None:
            return []
        day = self.day(date, "date").isoformat()
        row = self.put(
            "air",
            air_id=self.new_id("air"),
            area_id=found["area_id"],
            date=day,
            aqi=aqi,
            pollutant=pollutant,
            issued_at=self.stamp(),
        )
        return [row["air_id"]]

    @happening
    def issue_alert(
        self,
        kind: AlertKind,
        level: Level,
        headline: str,
        area: str = "",
        region: str = "",
        text: str = "",
        starts: str | None = None,
        ends: str | None = None,
        storm_id: str = "",
        alert_id: str = "",
    ) -> list[str]:
        """Warn an area (id, name or alias), or all areas of a region; subscribers are told.

        Args:
            kind: What threatens.
            level: How much.
            headline: One line.
            area: Where, or "" with a region.
            region: Where, as areas name it.
            text: The warning.
            starts: When it begins, ISO 8601; now if left out.
            ends: When it ends; open if left out.
            storm_id: The storm behind it, one that is under watch.
            alert_id: Its id, for ending or replacing it later; the next number if left out.
        """
        found = places.named(self.rows("areas"), area) if area else None
        known = any(fold(row["region"]) == fold(region) for row in self.rows("areas")) if region else False
        if (area and found is None) or (region and not known) or not (area or region):
            return []
        if storm_id and self.find("storms", storm_id) is None:
            return []
        begin = self.instant(starts, "starts") if starts else self.now
        end = self.instant(ends, "ends") if ends else None
        if end is not None and end < begin:
            raise ToolError("bad_time", "ends is before starts")
        alert = self.put(
            "alerts",
            alert_id=alert_id or self.new_id("wx"),
            area_id=found["area_id"] if found else "",
            region=region,
            kind=kind,
            level=level,
            headline=headline,
            text=text,
            issued_at=self.stamp(),
            starts=self.world.iso(begin),
            ends=None if end is None else self.world.iso(end),
            storm_id=storm_id,
        )
        self.announce_alert(alert["alert_id"])
        return [alert["alert_id"]]

    @happening
    def end_alert(
        self, alert_id: str = "", area: str = "", region: str = "", kind: AlertKind | None = None
    ) -> list[str]:
        """End alerts that are out: the one of this id, or those of an area or region, if given of one kind only."""
        found = places.named(self.rows("areas"), area) if area else None
        if not (alert_id or found or region):
            return []
        ended = [
            row
            for row in self.rows("alerts")
            if (not alert_id or row["alert_id"] == alert_id)
            and (found is None or row["area_id"] == found["area_id"])
            and (not region or fold(row["region"]) == fold(region))
            and (kind is None or row["kind"] == kind)
            and self._is_out(row)
        ]
        for row in ended:
            begin = min(self.now, self.seconds(row["starts"]))
            self.patch("alerts", row["alert_id"], starts=self.world.iso(begin), ends=self.stamp())
            self._tell_status(row, "ended", f"Ended: {row['headline']}")
        return [row["alert_id"] for row in ended]

    @happening
    def update_storm(
        self,
        storm_id: str,
        confidence: Confidence,
        probability_pct: Percent,
        landfall_area: str | None = None,
        landfall_from: str | None = None,
        landfall_until: str | None = None,
        text: str = "",
        advice: str = "",
        points: list[TrackPoint] | None = None,
        areas: list[str] | None = None,
        category: Category | None = None,
        name: str = "",
    ) -> list[str]:
        """Issue a bulletin on a storm; subscribers whose area it concerns are told. With a name, a new storm may begin.

        Args:
            storm_id: Its number.
            confidence: Of the landfall forecast.
            probability_pct: Of the landfall.
            landfall_area: Area or region; as in the bulletin before if left out, "" for none.
            landfall_from: First day of it, YYYY-MM-DD; as before if left out.
            landfall_until: Last day of it; if left out, landfall_from, or as before where that is left out too.
            text: What the bulletin says.
            advice: What it advises.
            points: Track, oldest first; as before if left out.
            areas: Other areas or regions that it concerns; as before if left out.
            category: As before if left out.
            name: Needed only for a storm that is not known yet.
        """
        storm = self.find("storms", storm_id)
        if storm is None and not name:
            return []
        before = self._bulletins(storm)[-1] if storm is not None and self._bulletins(storm) else {}
        first, last = before.get("landfall_from"), before.get("landfall_until")
        if landfall_from is not None:
            first = self.day(landfall_from, "landfall_from").isoformat()
            last = first
        if landfall_until is not None:
            last = self.day(landfall_until, "landfall_until").isoformat()
        if landfall_area == "":
            first = last = None
        if last and (first is None or last < first):
            raise ToolError("bad_date", "landfall_until is before landfall_from, or there is no landfall_from")
        issue: dict[str, Any] = {
            "issued_at": self.stamp(),
            "confidence": confidence,
            "probability_pct": probability_pct,
            "landfall_area": before.get("landfall_area", "") if landfall_area is None else landfall_area,
            "landfall_from": first,
            "landfall_until": last,
            "areas": before.get("areas", []) if areas is None else areas,
            "points": before.get("points", []) if points is None else [dict(point) for point in points],
            "category": category or before.get("category") or (storm["category"] if storm else "tropical_storm"),
            "text": text,
            "advice": advice,
        }
        if storm is None:
            self.put("storms", storm_id=storm_id, name=name, category=issue["category"], issues=[issue])
        else:
            # Bulletins that a world has in store for later stay behind this one.
            out = self._bulletins(storm)
            self.patch("storms", storm_id, status="active", issues=[*out, issue, *storm["issues"][len(out) :]])
        self._announce_bulletin(storm_id, before, issue)
        return [storm_id]

    @happening
    def end_storm(self, storm_id: str) -> list[str]:
        """A storm is over: it concerns nobody any more."""
        storm = self.find("storms", storm_id)
        if storm is None or storm["status"] == "ended":
            return []
        self.patch("storms", storm_id, status="ended")
        self.world.emit(
            "status", source="weather", ref=storm_id, status="ended", title=f"Storm {storm['name']} is over", body=""
        )
        return [storm_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for alert in self.rows("alerts"):
            if self.seconds(alert["issued_at"]) > self.now:
                self.later(self.seconds(alert["issued_at"]), "announce_alert", alert_id=alert["alert_id"])
        for storm in self.rows("storms"):
            for issue in storm["issues"]:
                if self.seconds(issue["issued_at"]) > self.now:
                    due = self.seconds(issue["issued_at"])
                    self.later(due, "announce_storm", storm_id=storm["storm_id"], issued_at=issue["issued_at"])

    def announce_alert(self, alert_id: str) -> None:
        """Tell subscribers of an alert that is out now."""
        alert = self.find("alerts", alert_id)
        if alert is None or not self._is_out(alert):
            return
        covered = self._tell_status(alert, alert["level"], alert["headline"])
        subscribed = {row["area_id"] for row in self.rows("subscriptions")}
        for_whom = [area["name"] for area in covered if area["area_id"] in subscribed]
        if for_whom:
            until = f" until {alert['ends']}" if alert["ends"] else ""
            body = f"{', '.join(for_whom)}: {alert['level']}, from {alert['starts']}{until}. {alert['text']}".strip()
            self.world.notify("weather", "weather_alert", alert["headline"], body, ref=alert_id, opens="alert")

    def announce_storm(self, storm_id: str, issued_at: str) -> None:
        """Tell subscribers of a storm's bulletin that is out now."""
        storm = self.find("storms", storm_id)
        if storm is None or storm["status"] != "active":
            return
        out = self._bulletins(storm)
        for number, issue in enumerate(out):
            if issue["issued_at"] == issued_at:
                self._announce_bulletin(storm_id, out[number - 1] if number else {}, issue)

    # -- inside --------------------------------------------------------------------------------------------------

    def _announce_bulletin(self, storm_id: str, before: dict[str, Any], issue: dict[str, Any]) -> None:
        storm = self.get("storms", storm_id, "storm")
        title = f"Storm {storm_id} {storm['name']}: confidence {issue['confidence']} ({issue['probability_pct']}%)"
        parts = [self._landfall_text(issue), issue.get("text", ""), issue.get("advice", "")]
        body = " ".join(part for part in parts if part)
        self.world.emit("status", source="weather", ref=storm_id, status=issue["confidence"], title=title, body=body)
        subscribed = dict.fromkeys(row["area_id"] for row in self.rows("subscriptions"))
        for_whom = []
        for area_id in subscribed:
            area = self.get("areas", area_id, "area")
            if self._concerns(issue, area) or (before and self._concerns(before, area)):
                for_whom.append(area["name"])
        if for_whom:
            body = f"{', '.join(for_whom)}: {body}"
            self.world.notify("weather", "storm_bulletin", title, body, ref=storm_id, opens="alert")

    @staticmethod
    def _landfall_text(issue: dict[str, Any]) -> str:
        if not issue.get("landfall_area"):
            return "No landfall expected."
        first, last = issue.get("landfall_from"), issue.get("landfall_until")
        when = "" if not first else f", {first}" if not last or first == last else f", {first} to {last}"
        return f"Landfall expected: {issue['landfall_area']}{when}."

    def _tell_status(self, alert: Record, status: str, title: str) -> list[Record]:
        """Tell other services of an alert for each area that it covers; the areas."""
        covered = [area for area in self.rows("areas") if self._covers(alert, area)]
        for area in covered:
            self.world.emit(
                "status", source="weather", ref=area["area_id"], status=status, title=title, body=alert["text"]
            )
        return covered

    def check_invariants(self) -> None:
        for alert in self.rows("alerts"):
            assert alert["area_id"] or alert["region"], alert
            assert alert["ends"] is None or self.seconds(alert["starts"]) <= self.seconds(alert["ends"]), alert
            assert not alert["area_id"] or self.find("areas", alert["area_id"]), alert
        for storm in self.rows("storms"):
            issued = [self.seconds(issue["issued_at"]) for issue in storm["issues"]]
            assert issued, storm
            assert issued == sorted(issued), storm
            for issue in storm["issues"]:
                first, last = issue.get("landfall_from"), issue.get("landfall_until")
                assert not last or (first and first <= last), storm
        wishes = [(row["area_id"], row["sink"]) for row in self.rows("subscriptions")]
        assert len(set(wishes)) == len(wishes), wishes
        for kind in ("forecasts", "air", "subscriptions"):
            for row in self.rows(kind):
                assert self.find("areas", row["area_id"]), row
