"""Places: finding them, what is known of them, and their coordinates."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.maps.geometry import straight_m
from lifegym.services.maps.inventory import MapsInventory
from lifegym.services.maps.routing import COORDINATES, place_texts
from lifegym.services.search import fold, matches_word, words
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["MapsPlaces"]

_MEANS = {
    "chemist": "pharmacy",
    "drugstore": "pharmacy",
    "medicine": "pharmacy",
    "coffee": "cafe",
    "tea": "cafe",
    "food": "restaurant",
    "eat": "restaurant",
    "dinner": "restaurant",
    "lunch": "restaurant",
    "grocery": "supermarket",
    "groceries": "supermarket",
    "doctor": "clinic",
    "hospital": "clinic",
    "gallery": "museum",
    "garden": "park",
    "fitness": "gym",
    "train station": "station",
    "atm": "bank",
}
"""Words of a query, and the category that they may mean as well."""


class MapsPlaces(MapsInventory):
    """The tools that look at places."""

    @tool(write=False)
    def search_places(
        self,
        query: str,
        geo: dict[str, Any] | None = None,
        radius_m: Annotated[int, Field(gt=0, le=100_000)] = 5000,
        category: str | None = None,
        limit: int = 10,
    ) -> dict[str, Any]:
        """Find places by name, kind or address, best match first, then the nearest.

        Args:
            query: What to look for, e.g. "pharmacy" or "Kenroku villa"; "" for all of a category or around a position.
            geo: {"lat": ..., "lng": ...} or {"place_id": ...}: only within radius_m of it; everywhere if left out.
            radius_m: How far around geo in metres, up to 100000.
            category: Only this category, e.g. restaurant, cafe, museum, station.
            limit: How many at most, 1 to 50.

        Returns:
            places: place_id, name, category, address, city, lat, lng, rating, indoor, seated, hours_today, distance_m
            (as the crow flies, with geo); total: how many match.

        Errors:
            bad_geo: geo is not of that form.
            not_found: geo names a place_id that does not exist.
            unknown_category: No place has this category; the message names those that there are.
            bad_limit: limit is not between 1 and 50.
        """
        index = self._places()
        docs = index.docs
        kinds = None if category is None else self._kinds(category)
        if geo is None:
            among = None if kinds is None else lambda place: docs[place]["category"] in kinds
            found = index.rank(query, _MEANS, among=among)
            return {"places": [self._brief(row) for row in limited(found, limit, 50)], "total": len(found)}
        lat, lng = self._centre(geo)
        reach = radius_m / 111_000  # in degrees of latitude, a little more than needed
        away: dict[str, float] = {}
        for row in docs:
            if abs(row["lat"] - lat) <= reach and (kinds is None or row["category"] in kinds):
                metres = straight_m(lat, lng, row["lat"], row["lng"])
                if metres <= radius_m:
                    away[row["place_id"]] = metres
        found = index.rank(
            query,
            _MEANS,
            among=lambda place: docs[place]["place_id"] in away,
            order=lambda place: away[docs[place]["place_id"]],
        )
        shown = [{**self._brief(row), "distance_m": round(away[row["place_id"]])} for row in limited(found, limit, 50)]
        return {"places": shown, "total": len(found)}

    @tool(write=False)
    def get_place_details(self, place_id: str, date: str | None = None) -> dict[str, Any]:
        """Show all that is known of a place: address, hours with exceptions, ticket price, walking inside.

        Args:
            place_id: From search_places or geocode.
            date: YYYY-MM-DD to show the opening hours of, besides today.

        Returns:
            place_id, name, category, aliases, lat, lng, address, city, rating, phone, ticket_minor with currency,
            inside_km (walked inside), indoor, seated, notes; hours by weekday (a weekday not listed is closed),
            exceptions (date to hours) and closures from today on; today and on_date: date, weekday, hours (closed,
            unknown, or opening spans in local time), reason; open_now.

        Errors:
            not_found: There is no such place.
            bad_date: date is no date.
        """
        place = self.get("places", place_id, "place", "maps.search_places finds places")
        asked = self.day(date, "date") if date is not None else None
        today = clock.local(self.now, self._zone(place)).date()
        first = today.isoformat() if asked is None else min(today, asked).isoformat()
        coming = sorted(item for item in place["exceptions"].items() if item[0] >= first)
        shown = {
            **place,
            "exceptions": dict(coming[:60]),
            "closures": [closure for closure in place["closures"] if closure["date_to"] >= first][:20],
            "today": self._opening(place, today),
            "open_now": self._open_now(place),
        }
        return shown if asked is None else {**shown, "on_date": self._opening(place, asked)}

    @tool(write=False)
    def geocode(self, address: str) -> dict[str, Any]:
        """Turn an address or the name of a place into coordinates.

        Args:
            address: E.g. "12 Market Street, Kanazawa" or "Ueno Station"; a place_id or "lat,lng" works too.

        Returns:
            lat, lng, address, place_id, name of the best match; confidence (exact, high, or low: check candidates);
            candidates: up to five matches with place_id, name, address, lat, lng.

        Errors:
            not_found: Nothing on the map is like it.
        """
        exact, confidence = self._exactly(address), "exact"
        found: list[Record] = [] if exact is None else [exact]
        if not found and COORDINATES.fullmatch(address):
            point = self._point(address, "address")
            best = {"lat": point.lat, "lng": point.lng, "address": "", "place_id": "", "name": point.name}
            return {**best, "confidence": confidence, "candidates": [best]}
        if not found and words(address):
            found = self._places().rank(address)
            confidence = "high" if found and _has_all(found[0], address) else "low"
        if not found:
            raise ToolError("not_found", f"nothing is like {address[:60]!r}; try the street, the city or a name alone")
        listed = [{key: row[key] for key in ("lat", "lng", "address", "place_id", "name")} for row in found[:5]]
        return {**listed[0], "confidence": confidence, "candidates": listed}

    @tool(write=False)
    def reverse_geocode(
        self, lat: Annotated[float, Field(ge=-90, le=90)], lng: Annotated[float, Field(ge=-180, le=180)]
    ) -> dict[str, Any]:
        """Tell what is at a position: the nearest known place, its address, and what else is near.

        Args:
            lat: Latitude in degrees.
            lng: Longitude in degrees.

        Returns:
            place_id, name, address, city, distance_m of the nearest place; nearby: up to five places with the same.

        Errors:
            not_found: There is no known place within 5 km.
        """
        near = []
        for row in self.rows("places"):
            if abs(row["lat"] - lat) <= 0.05:
                metres = straight_m(lat, lng, row["lat"], row["lng"])
                if metres <= 5_000:
                    near.append((metres, row["place_id"], row))
        if not near:
            raise ToolError("not_found", "no known place is within 5 km; search_places finds places by name")
        near.sort(key=lambda item: item[:2])
        listed = [
            {**{key: row[key] for key in ("place_id", "name", "address", "city")}, "distance_m": round(metres)}
            for metres, _, row in near[:5]
        ]
        return {**listed[0], "nearby": listed}

    # -- inside --------------------------------------------------------------------------------------------------

    def _kinds(self, category: str) -> set[str]:
        """The categories that an argument means.

        Raises:
            ToolError: ``unknown_category``.
        """
        wanted = fold(category).strip()
        names = self.table("places").derive("categories", lambda rows: sorted({row["category"] for row in rows}))
        meant = {wanted, wanted.removesuffix("s"), _MEANS.get(wanted, wanted)}
        kept = {name for name in names if fold(name) in meant}
        if not kept:
            raise ToolError("unknown_category", f"there are: {', '.join(names[:30])}; or leave category out")
        return kept

    def _centre(self, geo: dict[str, Any]) -> tuple[float, float]:
        """The position that a geo argument names.

        Raises:
            ToolError: ``bad_geo`` or ``not_found``.
        """
        if isinstance(place_id := geo.get("place_id"), str) and len(geo) == 1:
            place = self.get("places", place_id, "place", "maps.search_places finds places")
            return place["lat"], place["lng"]
        lat, lng = geo.get("lat"), geo.get("lng")
        numbers = type(lat) in (int, float) and type(lng) in (int, float) and len(geo) == 2
        if not numbers or abs(lat) > 90 or abs(lng) > 180:  # type: ignore[arg-type]
            raise ToolError("bad_geo", 'geo is {"lat": -90 to 90, "lng": -180 to 180} or {"place_id": "..."}')
        return float(lat), float(lng)  # type: ignore[arg-type]

    def _brief(self, place: Record) -> dict[str, Any]:
        kept = ("place_id", "name", "category", "address", "city", "lat", "lng", "rating", "indoor", "seated")
        today = clock.local(self.now, self._zone(place)).date()
        return {**{key: place[key] for key in kept}, "hours_today": self._opening(place, today)["hours"]}


def _has_all(place: Record, text: str) -> bool:
    """Whether every word of a text is among a place's."""
    have = [word for known, _ in place_texts(place) for word in words(known)]
    return all(any(matches_word(word, known) for known in have) for word in words(text))
