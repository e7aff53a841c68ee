"""Believable filling for a weather map."""

from __future__ import annotations

import math
import random

from lifegym.services.tools import generator
from lifegym.services.weather import places
from lifegym.services.weather.life import WeatherLife

__all__ = ["WeatherInventory"]

_BEGINNINGS = (
    "Ald",
    "Bren",
    "Cor",
    "Dun",
    "Esk",
    "Fal",
    "Gar",
    "Hol",
    "Ived",
    "Kel",
    "Lor",
    "Mar",
    "Nor",
    "Ost",
    "Pel",
)
_ENDINGS = ("bay", "brook", "dale", "field", "ford", "ham", "mere", "mouth", "port", "stead", "ton", "wick")


class WeatherInventory(WeatherLife):
    """Generators of places."""

    @generator
    def towns(
        self,
        rng: random.Random,
        lat: float,
        lng: float,
        count: int = 12,
        region: str = "",
        country: str = "",
        within_km: float = 150.0,
    ) -> None:
        """Put invented towns around a point, none so near to an area that it would answer in its place.

        Fewer than ``count`` where there is no room for more.
        """
        numbers = list(range(len(_BEGINNINGS) * len(_ENDINGS)))
        rng.shuffle(numbers)
        made = 0
        for number in numbers:
            first, last = divmod(number, len(_ENDINGS))
            name = _BEGINNINGS[first] + _ENDINGS[last]
            bearing, far = rng.uniform(0, 2 * math.pi), within_km * math.sqrt(rng.random())
            here_lat = max(-89.0, min(89.0, lat + far / 111.2 * math.cos(bearing)))
            here_lng = lng + far / (111.2 * max(0.02, math.cos(math.radians(lat)))) * math.sin(bearing)
            here_lat, here_lng = round(here_lat, 4), round((here_lng + 180) % 360 - 180, 4)
            if made == count:
                return
            if places.named(self.rows("areas"), name) or places.nearest(self.rows("areas"), here_lat, here_lng, 25.0):
                continue
            made += 1
            self.put(
                "areas",
                area_id=f"wx_{name.lower()}",
                name=name,
                region=region,
                country=country,
                lat=here_lat,
                lng=here_lng,
            )
