"""Believable filling for a city map."""

from __future__ import annotations

import math
import random

from lifegym.services.maps.transit import MapsTransit
from lifegym.services.search import fold
from lifegym.services.tools import generator

__all__ = ["MapsInventory"]

_FIRST = (
    "Amber", "Birch", "Blue Heron", "Cedar", "Clover", "Copper", "Dawn", "Elm", "Fernhill", "Golden Carp", "Hazel",
    "Ivory", "Juniper", "Kestrel", "Lantern", "Lotus", "Maple", "Moonlit", "Nightjar", "Old Well", "Orchard", "Pine",
    "Quiet Bay", "Red Gate", "River", "Silver", "Stone Bridge", "Swallow", "Three Oaks", "Willow",
)  # fmt: skip
_KINDS: dict[str, tuple[tuple[str, ...], str, bool, bool]] = {
    "restaurant": (("Kitchen", "Table", "Grill", "Noodles", "Bistro"), "11:30-14:30, 17:00-22:00", True, True),
    "cafe": (("Cafe", "Coffee House", "Tea Room"), "08:00-18:00", True, True),
    "supermarket": (("Market", "Foods", "Grocery"), "08:00-22:00", True, False),
    "pharmacy": (("Pharmacy", "Chemist"), "09:00-19:00", True, False),
    "museum": (("Museum", "Gallery"), "10:00-17:00", True, False),
    "park": (("Park", "Gardens"), "06:00-20:00", False, False),
    "bank": (("Bank", "Savings Bank"), "09:00-16:00", True, False),
    "clinic": (("Clinic", "Health Centre"), "08:30-17:30", True, True),
    "hotel": (("Hotel", "Inn", "Guest House"), "00:00-24:00", True, True),
    "library": (("Library", "Reading Room"), "09:00-19:00", True, True),
    "gym": (("Gym", "Fitness", "Sports Hall"), "06:30-22:30", True, False),
    "shop": (("Books", "Hardware", "Clothing", "Bicycles"), "10:00-19:00", True, False),
}
"""Category: last words of names, hours of an open day, whether it is indoors, whether one can sit down."""
_STREETS = (
    "Station Street",
    "Market Street",
    "Mill Lane",
    "Harbour Road",
    "Temple Street",
    "Garden Avenue",
    "Hill Road",
)
_SHUT_ON = {"museum": "mon", "bank": "sun", "clinic": "sun", "library": "sun"}
_M_PER_DEGREE = 111_195.0


class MapsInventory(MapsTransit):
    """Generators of places that nobody in the story needs."""

    @generator
    def city(
        self,
        rng: random.Random,
        city: str,
        lat: float,
        lng: float,
        count: int = 60,
        categories: list[str] | None = None,
        zone: str = "",
        radius_m: int = 3_000,
    ) -> None:
        """Scatter places with invented names around a centre. Places that exist are left alone.

        Categories are restaurant, cafe, supermarket, pharmacy, museum, park, bank, clinic, hotel, library, gym, shop.
        """
        kinds = categories or list(_KINDS)
        taken = {row["name"] for row in self.rows("places")}
        slug = "".join(letter for letter in fold(city) if letter.isalnum())
        for number in range(1, count + 1):
            category = kinds[(number - 1) % len(kinds)]
            endings, open_hours, indoor, seated = _KINDS[category]
            name = f"{rng.choice(_FIRST)} {rng.choice(endings)}"
            if name in taken:
                name = f"{name} {city} {number}"
            taken.add(name)
            # The square root spreads places evenly over the disc instead of crowding its centre.
            away, angle = radius_m * math.sqrt(rng.random()), rng.random() * 2 * math.pi
            east = away * math.sin(angle) / (_M_PER_DEGREE * math.cos(math.radians(lat)))
            address = f"{rng.randint(1, 180)} {rng.choice(_STREETS)}, {city}"
            rating = round(rng.uniform(3.2, 4.9), 1)
            place_id = f"pl_{slug}_{number:03d}"
            if self.find("places", place_id) is not None:
                continue
            days = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
            self.put(
                "places",
                place_id=place_id,
                name=name,
                category=category,
                lat=round(lat + away * math.cos(angle) / _M_PER_DEGREE, 6),
                lng=round(lng + east, 6),
                address=address,
                city=city,
                zone=zone,
                hours={day: open_hours for day in days if day != _SHUT_ON.get(category)},
                rating=rating,
                indoor=indoor,
                seated=seated,
            )
