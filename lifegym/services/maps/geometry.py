"""Distances and times out of coordinates, where nothing better is known."""

from __future__ import annotations

import math

from lifegym.services.maps.records import Mode

__all__ = ["FARTHEST_M", "compass", "path_minutes", "path_m", "straight_m"]

_EARTH_M = 6_371_008.8
_DETOUR: dict[Mode, float] = {"walking": 1.25, "cycling": 1.3, "driving": 1.4, "transit": 1.4}
FARTHEST_M: dict[Mode, int] = {"walking": 60_000, "cycling": 250_000, "driving": 2_000_000, "transit": 2_000_000}
"""Beyond this distance nobody goes that way."""

_WALKING_M_PER_MIN = 75
_CYCLING_M_PER_MIN = 250
# Stretches of a journey, by length and km/h: slow streets at the ends, faster roads in between.
_DRIVING = ((3_000, 20), (7_000, 30), (20_000, 45), (70_000, 70), (math.inf, 90))
_TRANSIT = ((5_000, 18), (25_000, 35), (math.inf, 80))
_TRANSIT_WAIT_MIN = 8

_COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


def straight_m(lat: float, lng: float, to_lat: float, to_lng: float) -> float:
    """Great-circle distance in metres."""
    phi, psi = math.radians(lat), math.radians(to_lat)
    north = math.sin((psi - phi) / 2)
    east = math.sin(math.radians(to_lng - lng) / 2)
    share = north * north + math.cos(phi) * math.cos(psi) * east * east
    return 2 * _EARTH_M * math.asin(math.sqrt(min(1.0, share)))


def path_m(mode: Mode, straight: float) -> int:
    """Length of the way in metres, to 10 m."""
    return int(straight * _DETOUR[mode] / 10 + 0.5) * 10


def path_minutes(mode: Mode, metres: int) -> int:
    """How long a way takes, in whole minutes; at least one unless there is nothing to go."""
    if metres == 0:
        return 0
    if mode == "walking":
        minutes = metres / _WALKING_M_PER_MIN
    elif mode == "cycling":
        minutes = metres / _CYCLING_M_PER_MIN
    elif mode == "driving":
        minutes = _by_stretches(metres, _DRIVING)
    else:
        minutes = _TRANSIT_WAIT_MIN + _by_stretches(metres, _TRANSIT)
    return max(1, int(minutes + 0.5))


def compass(lat: float, lng: float, to_lat: float, to_lng: float) -> str:
    """The direction from one point to another, in words."""
    east = (to_lng - lng) * math.cos(math.radians((lat + to_lat) / 2))
    angle = math.degrees(math.atan2(east, to_lat - lat))
    return _COMPASS[int((angle % 360 + 22.5) // 45) % 8]


def _by_stretches(metres: float, stretches: tuple[tuple[float, int], ...]) -> float:
    minutes = 0.0
    for length, speed in stretches:
        part = min(metres, length)
        minutes += part * 60 / (speed * 1000)
        metres -= part
        if metres <= 0:
            break
    return minutes
