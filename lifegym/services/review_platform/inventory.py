"""Believable merchants around the ones that a task is about."""

from __future__ import annotations

import random
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.review_platform.pages import ReviewPages
from lifegym.services.review_platform.records import WEEKDAYS
from lifegym.services.search import fold
from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.world import clock

__all__ = ["ReviewPlatformInventory"]

_FIRST = (
    "Alder", "Almond", "Anchor", "Basil", "Blue Door", "Brass", "Canal", "Chestnut", "Copper", "Corner", "Damson",
    "Elm", "Fennel", "Fig", "Foxglove", "Gable", "Hazel", "Hearth", "Hillside", "Indigo", "Ivy", "Juniper", "Kettle",
    "Lantern", "Larch", "Lemon", "Magnolia", "Marble", "Mint", "Moss", "Nettle", "Nutmeg", "Olive", "Orchard",
    "Pepper", "Plum", "Quarry", "Quince", "Red Brick", "River", "Rosemary", "Rye", "Sage", "Silver", "Sorrel",
    "Spruce", "Sunday", "Tansy", "Teal", "Thyme", "Tin Roof", "Vine", "Walnut", "Willow", "Yarrow",
)  # fmt: skip
_SECOND: dict[str, tuple[str, ...]] = {
    "restaurant": ("Kitchen", "Table", "Dining Room", "Bistro", "Canteen", "Grill"),
    "cafe": ("Cafe", "Coffee House", "Tea Room", "Bakery"),
    "plumber": ("Plumbing", "Pipes", "Heating & Water"),
    "venue": ("Hall", "Barn", "House", "Lodge"),
}
_OTHER_SECOND = ("Works", "Studio", "& Co", "Workshop", "Services", "Point")
_TAGS: dict[str, tuple[str, ...]] = {
    "restaurant": ("noodles", "vegetarian", "seafood", "hotpot", "pizza", "curry", "grill", "dumplings"),
    "cafe": ("breakfast", "cakes", "espresso", "brunch"),
    "plumber": ("leaks", "boilers", "bathrooms", "drains"),
    "venue": ("meetings", "weddings", "workshops", "catering"),
}
_ATTRIBUTES = (
    "wheelchair access", "private room", "high chairs", "terrace", "parking", "card payment", "quiet", "dogs allowed",
)  # fmt: skip
_AREAS = ("Old Town", "Riverside", "Market Quarter", "University", "Harbour", "North Gate")
_REMARKS: tuple[tuple[int, str], ...] = (
    (5, "Went twice in a week. Friendly from the door on, and they remembered what we had asked for."),
    (5, "Exactly what the page promises. Price as agreed, nothing added at the end."),
    (4, "Good, a little slow when it is full. Come early."),
    (4, "Solid work and clear answers on the phone. Parking is a problem."),
    (3, "Fine but nothing to write home about. The photos are older than the place looks now."),
    (3, "My sister loves it, I found it loud. Decide for yourself."),
    (2, "We waited forty minutes although we had booked. No word of apology."),
    (1, "They called off on the same day. Never again."),
)
_PEOPLE = ("Mira K.", "Tom", "Jules R.", "Anouk", "P. Sato", "Greta", "Osman", "Lina W.", "Old Gus", "Fede")


class ReviewPlatformInventory(ReviewPages):
    """Generators of merchants."""

    @generator
    def merchants(
        self,
        rng: random.Random,
        city: str,
        category: str,
        count: Annotated[int, Field(ge=1, le=500)],
        currency: Currency = "EUR",
        per_person_minor: Annotated[int, Field(ge=0)] = 2500,
        areas: list[str] | None = None,
        country: str = "",
        zone: str = "",
        reviews: Annotated[int, Field(ge=0, le=8)] = 2,
    ) -> None:
        """Fill a city with merchants of a category, with hours, prices, and some reviews each.

        per_person_minor is what a middling one costs. Names that the city has already are left out.
        """
        taken = {fold(row["name"]) for row in self.rows("merchants") if row["city"] == city}
        kinds = _SECOND.get(category, _OTHER_SECOND)
        names = [f"{first} {second}" for first in _FIRST for second in kinds]
        names = [name for name in names if fold(name) not in taken]
        names = rng.sample(names, min(count, len(names)))
        names += [f"{name} {number}" for number in (2, 3, 4) for name in names][: count - len(names)]
        slug = "".join(ch if ch.isalnum() else "_" for ch in fold(f"{city}_{category}"))
        for number, name in enumerate(names, 1):
            merchant_id = f"mg_{slug}_{number:03d}"
            if self.find("merchants", merchant_id) is None:
                fields = _merchant(rng, name, category, areas or list(_AREAS), per_person_minor)
                self.put(
                    "merchants",
                    merchant_id=merchant_id,
                    name=name,
                    category=category,
                    city=city,
                    country=country,
                    zone=zone,
                    currency=currency,
                    **fields,
                )
                self._past_reviews(rng, merchant_id, fields["rating"], reviews)

    def _past_reviews(self, rng: random.Random, merchant_id: str, rating: float, count: int) -> None:
        """Reviews of the year before, more kind ones where the rating is good."""
        fitting = [remark for remark in _REMARKS if abs(remark[0] - rating) < 1.8]
        begin = clock.day_start(self.world.start, self.world.zone)
        for number, (stars, body) in enumerate(rng.sample(fitting, min(count, len(fitting))), 1):
            at = begin - rng.randint(1, 365) * clock.DAY + rng.randint(9 * 60, 22 * 60) * clock.MINUTE
            self.put(
                "reviews",
                review_id=f"rg_{merchant_id}_{number}",
                merchant_id=merchant_id,
                user_id=f"guest_{merchant_id}_{number}",
                author=rng.choice(_PEOPLE),
                rating=stars,
                body=body,
                at=self.world.iso(at),
            )


def _merchant(rng: random.Random, name: str, category: str, areas: list[str], per_person_minor: int) -> dict[str, Any]:
    """The fields of a merchant that are drawn."""
    area = rng.choice(areas)
    level = rng.uniform(0.5, 2.2)
    opens, closes = rng.choice((("11:00", "22:00"), ("12:00", "23:00"), ("09:00", "18:00"), ("08:00", "17:00")))
    rest = rng.choice((None, "mon", "tue", "sun"))
    tags = _TAGS.get(category, ())
    return {
        "area": area,
        "address": f"{rng.randint(1, 140)} {area}",
        "phone": f"+00 {rng.randint(100, 999)} {rng.randint(1000, 9999)}",
        "tags": sorted(rng.sample(tags, min(2, len(tags)))),
        "attributes": sorted(rng.sample(_ATTRIBUTES, rng.randint(1, 3))),
        "description": f"{name} in {area}, open from {opens}.",
        "price_band": "$" if level < 0.8 else "$$" if level < 1.4 else "$$$" if level < 1.9 else "$$$$",
        "per_person_minor": round(per_person_minor * level / 100) * 100,
        "rating": round(rng.uniform(2.9, 4.8), 1),
        "review_count": rng.randint(12, 640),
        "hours": {day: [f"{opens}-{closes}"] for day in WEEKDAYS if day != rest},
        "max_party": rng.choice((6, 8, 10, 12)),
        "tables": rng.randint(3, 12),
        "cancel_minutes": rng.choice((60, 120, 240, 1440)),
    }
