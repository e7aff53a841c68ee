"""Finding hotels by what people call a place: a city, a district, a station, a hotel, or a point on the map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import orjson

from lifegym.services.search import Vocabulary, matches_word, words
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["Directory", "Point", "distance_m", "has_words", "near", "point"]

_GENERIC = frozenset(
    (
        "a", "accommodation", "an", "and", "area", "around", "at", "by", "city", "close", "district", "hotel", "hotels",
        "in", "near", "of", "on", "room", "rooms", "stay", "stays", "station", "sta", "stn", "the", "to", "ward",
    )
)  # fmt: skip
_EARTH_M = 6_371_000
RADIUS_KM = 5.0


class Point(NamedTuple):
    """A place on the map and how far around it to look."""

    lat: float
    lng: float
    radius_km: float


class _Names(NamedTuple):
    """Words that a hotel can be found by, and the sets of them that name it or its place exactly."""

    words: tuple[str, ...]
    exact: frozenset[frozenset[str]]
    country: frozenset[str]


def point(text: str) -> Point | None:
    """The point that a text such as ``34.64,135.51`` or ``{"lat": 34.64, "lng": 135.51}`` names; None for a name.

    Raises:
        ToolError: ``bad_geo``: it looks like a point but is none on Earth.
    """
    stripped = text.strip()
    radius = RADIUS_KM
    if stripped.startswith("{"):
        try:
            given: dict[str, Any] = orjson.loads(stripped)
            lat, lng = float(given["lat"]), float(given["lng"])
            radius = float(given.get("radius_km", radius))
        except (ValueError, KeyError, TypeError):
            raise ToolError("bad_geo", 'a point is {"lat": 34.64, "lng": 135.51} or 34.64,135.51') from None
    else:
        first, _, second = stripped.partition(",")
        try:
            lat, lng = float(first), float(second)
        except ValueError:
            return None
    if not (-90 <= lat <= 90 and -180 <= lng <= 180 and 0 < radius <= 50):
        raise ToolError("bad_geo", "lat is from -90 to 90, lng from -180 to 180, radius_km above 0 and at most 50")
    return Point(lat, lng, radius)


def distance_m(lat: float, lng: float, other_lat: float, other_lng: float) -> int:
    """Metres between two points as the crow flies."""
    north = math.radians(other_lat - lat)
    east = math.radians(other_lng - lng) * math.cos(math.radians((lat + other_lat) / 2))
    return round(_EARTH_M * math.hypot(north, east))


def near(spot: Point, hotels: Iterable[Record]) -> dict[str, tuple[Record, int]]:
    """Hotels around a point by their ids, each with its distance in metres."""
    reach = spot.radius_km * 1000
    # A degree of latitude is 111 km: most hotels are told apart without trigonometry.
    span = spot.radius_km / 111 + 0.01
    found: dict[str, tuple[Record, int]] = {}
    for hotel in hotels:
        lat, lng = hotel["lat"], hotel["lng"]
        if lat is None or lng is None or abs(lat - spot.lat) > span:
            continue
        metres = distance_m(spot.lat, spot.lng, lat, lng)
        if metres <= reach:
            found[hotel["hotel_id"]] = (hotel, metres)
    return found


class Directory:
    """Hotels by the words that name them and their place.

    Args:
        hotels: All of them.
    """

    def __init__(self, hotels: Iterable[Record]) -> None:
        self._listed = [(hotel, _names(_texts_of(hotel), tuple(hotel["aliases"]))) for hotel in hotels]
        self._places: dict[str, set[int]] = {}
        for place, (_, names) in enumerate(self._listed):
            for word in names.words:
                self._places.setdefault(word, set()).add(place)

    def find(self, query: str) -> tuple[dict[str, tuple[Record, int]], bool]:
        """Hotels that a query means, by their ids, each with a tier; and whether all words of the query were found.

        Tier 0: the query is the city, the district, the station or the hotel itself. Tier 1: its words occur in these
        ("Kanazawa" in Kanazawa-hakkei). A word that no hotel has counts as the most similar one that there is.
        """
        asked = _clean(query[:200])
        if not asked:
            return {}, True
        found = self._having(frozenset(asked))
        if found:
            return found, True
        wanted = frozenset(word if word in self._places else self._closest(word) for word in asked)
        found = self._having(wanted)
        if found:
            return found, True
        hits: dict[int, int] = {}
        for word in wanted:
            for place in self._places.get(word, ()):
                hits[place] = hits.get(place, 0) + 1
        most = max(hits.values(), default=0)
        best = (self._listed[place][0] for place in sorted(hits) if hits[place] == most)
        return {hotel["hotel_id"]: (hotel, 1) for hotel in best}, False

    def _having(self, wanted: frozenset[str]) -> dict[str, tuple[Record, int]]:
        """Hotels that have every word, with their tiers."""
        common = set.intersection(*(self._places.get(word, set()) for word in wanted))
        found: dict[str, tuple[Record, int]] = {}
        for place in sorted(common):
            hotel, (_, exact, country) = self._listed[place]
            if wanted in exact:
                tier = 0
            else:
                core = wanted - country
                tier = 0 if not core or core in exact else 1
            found[hotel["hotel_id"]] = (hotel, tier)
        return found

    def _closest(self, word: str) -> str:
        """The known word that is most like another one, the first of those that are; the word itself if none is."""
        alike = self._vocabulary.forms(word) or self._vocabulary.slips(word)
        order = list(self._places)
        return min(alike, key=lambda known: (-alike[known], order.index(known)), default=word)

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary(self._places)


@lru_cache(maxsize=16384)
def has_words(wanted: str, text: str) -> bool:
    """Whether each word of ``wanted`` occurs in a text, plurals and beginnings included."""
    have = words(text)
    return all(any(matches_word(word, other) >= 0.7 for other in have) for word in words(wanted))


_texts_of = itemgetter("name", "city", "district", "country", "nearest_station")


@lru_cache(maxsize=16384)
def _names(texts: tuple[str, str, str, str, str], aliases: tuple[str, ...]) -> _Names:
    name, city, district, country, station = texts
    town = frozenset(_clean(city))
    exact = {town}
    for text in (district, name, station, *aliases):
        own = frozenset(_clean(text))
        if own:
            exact.update((own, own | town))
    every = dict.fromkeys(
        word for text in (name, city, district, country, station, *aliases) if text for word in _clean(text)
    )
    return _Names(tuple(every), frozenset(exact), frozenset(_clean(country)))


@lru_cache(maxsize=16384)
def _clean(text: str) -> tuple[str, ...]:
    """The words of a text without those that say nothing about where, unless there are no others."""
    every = words(text)
    return tuple(word for word in every if word not in _GENERIC) or every
