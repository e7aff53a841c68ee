"""Believable hotels around the ones that a task is about."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from pydantic import Field

from lifegym.services.hotel_booking.life import HotelBookingLife
from lifegym.services.tools import generator
from lifegym.services.types import Currency, Day
from lifegym.world import clock

__all__ = ["HotelBookingInventory"]

_FIRST = (
    "Amber", "Birch", "Cedar", "Clover", "Crane", "Dawn", "Ember", "Fern", "Garnet", "Heron", "Ivory", "Juniper",
    "Lark", "Linden", "Maple", "Marigold", "Merlin", "Olive", "Opal", "Pearl", "Plover", "Poplar", "Quince", "Rowan",
    "Sable", "Saffron", "Sparrow", "Tamarind", "Thistle", "Violet", "Willow", "Wren",
)  # fmt: skip
_SECOND = (
    "House",
    "Inn",
    "Lodge",
    "Court",
    "Terrace",
    "Residence",
    "Rooms",
    "Gate",
    "Garden",
    "Suites",
    "Corner",
    "Yard",
)
_DISTRICTS = ("Old Town", "Riverside", "Market Quarter", "University", "Harbour", "North Gate")
_AMENITIES = ("wifi", "breakfast", "laundry", "fridge", "bath", "gym", "parking", "24h desk", "luggage storage")
_ROOMS = (
    ("single", "1 single bed", 1, 70),
    ("double", "1 double bed", 2, 100),
    ("twin", "2 single beds", 2, 105),
    ("triple", "3 single beds", 3, 135),
    ("family", "1 double bed, 2 single beds", 4, 160),
)


class HotelBookingInventory(HotelBookingLife):
    """Generators of hotels."""

    @generator
    def hotels(
        self,
        rng: random.Random,
        city: str,
        count: Annotated[int, Field(ge=1, le=500)],
        currency: Currency,
        base_price_minor: Annotated[int, Field(gt=0)],
        lat: float,
        lng: float,
        country: str = "",
        zone: str = "",
        districts: list[str] | None = None,
        date_from: Day | None = None,
        date_to: Day | None = None,
    ) -> None:
        """Fill a city with hotels of two to four rate plans each.

        base_price_minor is what a double room costs in a middling house. Between date_from and date_to (the last
        night) some nights of some plans are dearer or sold out.
        """
        names = rng.sample([f"{first} {second}" for first in _FIRST for second in _SECOND], min(count, 384))
        names += [f"{name} Annex" for name in names[: count - len(names)]]
        quarters = districts or list(_DISTRICTS)
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        for number, name in enumerate(names, 1):
            hotel_id = f"htl_{slug}_{number:03d}"
            if self.find("hotels", hotel_id) is not None:
                continue
            district = rng.choice(quarters)
            rating = round(rng.uniform(2.8, 4.8), 1)
            self.put(
                "hotels",
                hotel_id=hotel_id,
                name=f"{name} {city}",
                city=city,
                district=district,
                country=country,
                address=f"{rng.randint(1, 90)} {district}, {city}",
                lat=round(lat + rng.uniform(-0.03, 0.03), 5),
                lng=round(lng + rng.uniform(-0.03, 0.03), 5),
                nearest_station=f"{district} Station",
                station_distance_m=rng.randrange(80, 2000, 10),
                lift=rng.random() < 0.7,
                rating=rating,
                amenities=sorted(rng.sample(_AMENITIES, rng.randint(2, 6))),
                phone=f"+00 {rng.randint(100, 999)} {rng.randint(1000, 9999)}",
                email=f"stay@{name.lower().replace(' ', '-')}-{slug.replace('_', '-')}.example",
                check_out_time=rng.choice(("10:00", "11:00", "12:00")),
                zone=zone,
            )
            level = base_price_minor * rng.uniform(0.6, 1.0) * (0.55 + rating / 8)
            for room_type, beds, guests, percent in sorted(rng.sample(_ROOMS, rng.randint(1, 2))):
                for suffix, share in (("flex", 100), ("saver", 88)):
                    plan_id = f"rp_{slug}_{number:03d}_{room_type}_{suffix}"
                    self.put(
                        "rate_plans",
                        rate_plan_id=plan_id,
                        hotel_id=hotel_id,
                        room_type=room_type,
                        beds=beds,
                        max_guests=guests,
                        amount_minor=max(1, round(level * percent * share / 1_000_000)) * 100,
                        currency=currency,
                        rooms=rng.randint(1, 6),
                        free_days_before=rng.choice((1, 2, 3, 7)) if suffix == "flex" else None,
                        late_keeps=rng.choice(("first_night", "all")),
                        late_checkout_latest=rng.choice((None, "12:00", "13:00")),
                        breakfast=rng.random() < 0.3,
                    )
                    if date_from and date_to:
                        self._busy_nights(rng, plan_id, date_from, date_to)

    def _busy_nights(self, rng: random.Random, plan_id: str, date_from: str, date_to: str) -> None:
        """Make one run of nights in a span scarce, for one plan in three."""
        first = clock.parse_day(date_from)
        span = (clock.parse_day(date_to) - first).days + 1
        if span < 1 or rng.random() > 1 / 3:
            return
        plan = self._plan(plan_id)
        begin = rng.randrange(span)
        busy: dict[str, dict[str, int]] = {}
        for offset in range(begin, min(span, begin + rng.randint(1, 3))):
            dearer = plan["amount_minor"] * rng.randint(110, 160) // 10_000 * 100
            date = (first + dt.timedelta(days=offset)).isoformat()
            busy[date] = {"amount_minor": dearer, "rooms": rng.choice((0, 0, 1, 2))}
        self._set_nights(plan_id, busy)
