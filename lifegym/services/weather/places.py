"""Which area somebody means: by name, by alias, by a slip of a name, by coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lifegym.services.search import fold, rank, words
from lifegym.world.record import Record

__all__ = ["distance_km", "named", "nearest", "searched"]

_KM_PER_DEGREE = 111.2


def distance_km(lat: float, lng: float, other_lat: float, other_lng: float) -> float:
    """Great-circle distance."""
    a, b = math.radians(lat), math.radians(other_lat)
    span = math.sin((b - a) / 2) ** 2 + math.cos(a) * math.cos(b) * math.sin(math.radians(other_lng - lng) / 2) ** 2
    return 2 * 6371.0 * math.asin(min(1.0, math.sqrt(span)))


def named(areas: Iterable[Record], text: str) -> Record | None:
    """The area with exactly this id, name or alias (case and accents aside)."""
    wanted = fold(text).strip()
    for area in areas:
        if fold(area["name"]) == wanted or fold(area["area_id"]) == wanted:
            return area
        for alias in area["aliases"]:
            if fold(alias) == wanted:
                return area
    return None


def searched(areas: Iterable[Record], text: str) -> Record | None:
    """The area that a name means, slips of the pen and "Kyoto, Japan" included."""
    listed = list(areas)
    exact = named(listed, text) or named(listed, text.partition(",")[0])
    if exact is not None or not text.strip():
        return exact
    found = rank(text, listed, _texts, need_all=True)
    if not found and "," in text:
        found = rank(text.partition(",")[0], listed, _texts, need_all=True)
    # A country alone names no place.
    return found[0] if found and not set(words(text)) <= set(words(found[0]["country"])) else None


def _texts(area: Record) -> list[tuple[str, float]]:
    texts = [(area["name"], 3.0), *((alias, 2.5) for alias in area["aliases"])]
    return texts + [(area[field], weight) for field, weight in (("region", 1.0), ("country", 0.5)) if area[field]]


def nearest(areas: Iterable[Record], lat: float, lng: float, within_km: float) -> tuple[Record, float] | None:
    """The nearest area and its distance, if it is within reach; of two as near, the first."""
    best: tuple[Record, float] | None = None
    reach = within_km
    for area in areas:
        if abs(area["lat"] - lat) * _KM_PER_DEGREE > reach * 1.01:
            continue
        far = distance_km(lat, lng, area["lat"], area["lng"])
        if far < reach or (best is None and far == reach):
            best, reach = (area, far), far
    return best
