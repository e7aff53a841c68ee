"""Believable listings around the ones that a task is about."""

from __future__ import annotations

import random
from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.listing_platform.happenings import ListingPlatformHappenings
from lifegym.services.listing_platform.records import WEEKDAYS
from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.world import clock

__all__ = ["ListingPlatformInventory"]

_DISTRICTS = ("Old Town", "Riverside", "North Gate")
_COMMUNITIES = ("Linden Court", "Harbour View", "Mill Lane", "Orchard Park", "Station Square", "Garden Row")
_GIVEN = ("Alma", "Bruno", "Celia", "Dario", "Edda", "Felix", "Greta", "Hugo", "Iris", "Jonas", "Klara", "Leon")
_FAMILY = ("Abel", "Brandt", "Costa", "Dahl", "Egger", "Falk", "Gold", "Holm", "Ivers", "Jansen", "Keller", "Lund")
_AGENCIES = ("Key & Door", "Hearth Homes", "Corner House", "Threshold", "")
_LOOKS = ("Bright", "Quiet", "Renovated", "Sunny", "Spacious", "Compact", "Top-floor", "Central")
_GOODS: dict[str, tuple[tuple[str, int], ...]] = {
    "second_hand": (
        ("Oak dining table", 180), ("Two-seat sofa", 150), ("Washing machine", 170), ("City bicycle", 140),
        ("Children's bicycle", 60), ("Road bike", 400), ("Pram with rain cover", 120), ("Desk lamp", 15),
        ("Bookcase", 45), ("Camping tent for four", 90), ("Electric piano", 350), ("Sewing machine", 80),
        ("Refrigerator", 130), ("Office chair", 70), ("Camera with two lenses", 280), ("Winter tyres", 110),
    ),
    "service": (
        ("Moving help with van", 45), ("Piano lessons", 35), ("Window cleaning", 30), ("Bicycle repair", 28),
        ("Garden care", 32), ("Mathematics tutoring", 30), ("Dog walking", 18), ("Furniture assembly", 34),
        ("Painting of rooms", 38), ("Tailoring and repairs", 25),
    ),
}  # fmt: skip
_STATES = ("as new", "good", "used", "with traces of use")


class ListingPlatformInventory(ListingPlatformHappenings):
    """Generators of homes, goods, services and who offers them."""

    @generator
    def homes(
        self,
        rng: random.Random,
        city: str,
        count: Annotated[int, Field(ge=1, le=2000)],
        currency: Currency,
        sqm_price_minor: Annotated[int, Field(gt=0, le=10**9)],
        category: Literal["rent", "sale"] = "rent",
        districts: list[str] | None = None,
        communities: list[str] | None = None,
        agents: Annotated[int, Field(ge=1, le=100)] = 8,
        zone: str = "",
    ) -> None:
        """Fill a city with flats in districts (three if none are named) and their agents.

        sqm_price_minor is what a square metre costs in a middling district, a month for rent. Some prices have
        changed in the weeks before the window.
        """
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        people = self._people(rng, slug, city, agents, "agent")
        quarters = districts or list(_DISTRICTS)
        estates = communities or list(_COMMUNITIES)
        levels = [rng.uniform(0.8, 1.25) for _ in quarters]
        for number in range(1, count + 1):
            listing_id = f"lst_{slug}_{category}_{number:04d}"
            place = rng.randrange(len(quarters))
            rooms = rng.choice((1, 1, 2, 2, 2, 3, 3, 4))
            area = rooms * rng.randint(15, 24) + rng.randint(8, 18)
            price = max(1, round(sqm_price_minor * area * levels[place] * rng.uniform(0.85, 1.2) / 1000)) * 1000
            look, floor, agent = rng.choice(_LOOKS), rng.randint(0, 7), rng.choice(people)
            draws = [rng.random() for _ in range(6)]
            quarter, estate = quarters[place], rng.choice(estates)
            days, before = rng.randint(2, 80), price * rng.randint(95, 112) // 100
            if self.find("listings", listing_id) is not None:
                continue
            listed = self.world.iso(clock.day_start(self.world.start, self.world.zone) - days * clock.DAY)
            history = [{"at": listed, "price_minor": before if draws[0] < 0.25 else price}]
            if draws[0] < 0.25:
                history.append({"at": self._days_before(days // 2), "price_minor": price})
            lift = draws[1] < 0.5
            furnished = draws[2] < 0.3
            self.put(
                "listings",
                listing_id=listing_id,
                category=category,
                title=f"{look} {rooms}-room flat, {estate}",
                price_minor=price,
                currency=currency,
                price_period="month" if category == "rent" else "total",
                city=city,
                district=quarter,
                community=estate,
                address=f"{estate} {1 + int(draws[3] * 80)}, {quarter}, {city}",
                area_sqm=float(area),
                rooms=rooms,
                metro=f"{quarter} Station",
                description=f"{look} flat of {area} square metres on floor {floor} in {estate}, {quarter}. "
                f"{'Lift in the house. ' if lift else ''}{'Furnished.' if furnished else 'Unfurnished.'}",
                attrs={"floor": floor, "lift": lift, "furnished": furnished, "pets": draws[4] < 0.4},
                photos=[f"{listing_id}_{photo}.jpg" for photo in range(1, 4)],
                agent_id=agent,
                listed_at=listed,
                price_history=history,
                viewing_hours=[
                    {"days": list(WEEKDAYS[:5] if draws[5] < 0.5 else WEEKDAYS), "start": "09:00", "end": "19:00"}
                ],
                zone=zone,
            )

    @generator
    def goods(
        self,
        rng: random.Random,
        city: str,
        count: Annotated[int, Field(ge=1, le=2000)],
        currency: Currency,
        unit_minor: Annotated[int, Field(gt=0, le=10**9)] = 100,
        category: Literal["second_hand", "service"] = "second_hand",
        districts: list[str] | None = None,
        sellers: Annotated[int, Field(ge=1, le=100)] = 15,
        zone: str = "",
    ) -> None:
        """Fill a city with second-hand goods or services, and with who offers them.

        unit_minor is what a euro is in the currency's minor units. Sellers of goods answer offers by a lowest price.
        """
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        people = self._people(rng, slug, city, sellers, "private")
        quarters = districts or list(_DISTRICTS)
        for number in range(1, count + 1):
            listing_id = f"lst_{slug}_{category}_{number:04d}"
            name, euros = rng.choice(_GOODS[category])
            price = max(1, round(euros * unit_minor * rng.uniform(0.6, 1.4) / 100)) * 100
            state, quarter, agent, days = (
                rng.choice(_STATES),
                rng.choice(quarters),
                rng.choice(people),
                rng.randint(1, 40),
            )
            share = rng.randint(80, 97)
            if self.find("listings", listing_id) is not None:
                continue
            listed, goods = self._days_before(days), category == "second_hand"
            self.put(
                "listings",
                listing_id=listing_id,
                category=category,
                title=name,
                price_minor=price,
                currency=currency,
                price_period="total" if goods else "hour",
                city=city,
                district=quarter,
                description=f"{name}, {state}. To be collected in {quarter}." if goods else f"{name} in {quarter}.",
                attrs={"condition": state} if goods else {},
                agent_id=agent,
                listed_at=listed,
                price_history=[{"at": listed, "price_minor": price}],
                zone=zone,
                floor_minor=max(1, price * share // 100) if goods else None,
            )

    # -- inside --------------------------------------------------------------------------------------------------

    def _days_before(self, days: int) -> str:
        return self.world.iso(clock.day_start(self.world.start, self.world.zone) - days * clock.DAY + 10 * clock.HOUR)

    def _people(self, rng: random.Random, slug: str, city: str, count: int, kind: str) -> list[str]:
        """Agents or sellers of a city, those included that exist. Returns their ids."""
        names = rng.sample([f"{given} {family}" for given in _GIVEN for family in _FAMILY], count)
        ids = []
        for number, name in enumerate(names, 1):
            agent_id = f"agt_{slug}_{kind}_{number:03d}"
            ids.append(agent_id)
            digits, rating, agency = rng.randint(1000, 9999), round(rng.uniform(3.0, 5.0), 1), rng.choice(_AGENCIES)
            if self.find("agents", agent_id) is None:
                self.put(
                    "agents",
                    agent_id=agent_id,
                    name=name,
                    kind=kind,
                    agency=agency if kind == "agent" else "",
                    city=city,
                    phone=f"+00 {digits}",
                    email=f"{name.lower().replace(' ', '.')}@{slug.replace('_', '-')}-homes.example",
                    rating=rating,
                )
        return ids
