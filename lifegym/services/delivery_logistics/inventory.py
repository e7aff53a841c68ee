"""Believable filling for a carrier: its tariffs and the parcels of the past."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from pydantic import Field

from lifegym.services.delivery_logistics.life import DeliveryLogisticsLife
from lifegym.services.tools import generator
from lifegym.services.types import Currency
from lifegym.world import clock

__all__ = ["DeliveryLogisticsInventory"]

_SENDERS = (
    "Greenleaf Market", "Harbour Books", "Brightside Home", "Kestrel Sports", "Paper Crane", "Oak & Thread",
    "Tinker Electronics", "Little Acorn", "Garden Row", "Aunt May", "City Library", "Northwind Shoes",
)  # fmt: skip
_CONTENTS = (
    "paperback novel", "running socks", "desk lamp", "coffee beans", "phone case", "tea towels", "winter gloves",
    "picture frame", "seed packets", "USB cable", "board game", "water bottle", "photo prints", "kitchen scale",
)  # fmt: skip

_SERVICES: tuple[tuple[str, str, int, tuple[int | None, ...], str, str], ...] = (
    ("economy", "Economy", 70, (2, 3, 5, 14), "15:00", "18:00"),
    ("standard", "Standard", 100, (1, 2, 2, 7), "14:00", "18:00"),
    ("express", "Express", 200, (1, 1, 1, 3), "12:00", "18:00"),
    ("same_day", "Same day in town", 270, (0, None, None, None), "14:00", "15:00"),
    ("registered", "Registered letter", 120, (2, 2, 3, 8), "11:00", "17:00"),
)
"""Service, title, percent of the base price, working days by distance, time of delivery, latest collection."""


class DeliveryLogisticsInventory(DeliveryLogisticsLife):
    """Generators of a carrier."""

    @generator
    def usual_tariffs(
        self, rng: random.Random, currency: Currency, base_price_minor: Annotated[int, Field(gt=0)] = 700
    ) -> None:
        """Give the carrier its usual services; base_price_minor is a standard parcel within one city.

        standard, economy, express (next working day), same_day (within one city) and registered (signed for).
        """
        for service_type, title, share, days, delivery_time, order_by in _SERVICES:
            if self.find("tariffs", service_type) is not None:
                continue
            price = base_price_minor * share // 100
            self.put(
                "tariffs",
                service_type=service_type,
                title=title,
                currency=currency,
                base_minor=price,
                per_kg_minor=price // 8,
                regional_minor=price // 5,
                national_minor=price // 2,
                international_minor=price * 2,
                days_local=days[0],
                days_regional=days[1],
                days_national=days[2],
                days_international=days[3],
                max_kg=2 if service_type == "registered" else 30,
                order_by=order_by,
                delivery_time=delivery_time,
                signature=service_type == "registered",
            )

    @generator
    def past_parcels(
        self,
        rng: random.Random,
        user_id: str,
        count: Annotated[int, Field(ge=1, le=2000)] = 40,
        days: Annotated[int, Field(ge=5, le=2000)] = 300,
        city: str = "",
        detail: str = "",
    ) -> None:
        """Parcels of the days before the window: nearly all delivered, a few sent back or cancelled."""
        zone = self.world.zone
        ages = sorted((rng.randint(4, days) for _ in range(count)), reverse=True)
        for number, age in enumerate(ages, 1):
            tracking_no = f"PG{number:04d}{rng.randint(10**5, 10**6 - 1)}"
            sent = self.world.start - dt.timedelta(days=age)
            moments = [
                self.world.iso(clock.day_start(sent + dt.timedelta(days=later), zone) + hour * clock.HOUR)
                for later, hour in ((0, 10), (0, 17), (1, 6), (2, 8), (2, rng.randint(9, 19)))
            ]
            outcome = rng.choice(("delivered",) * 18 + ("returned", "cancelled"))
            story = ["created"] if outcome == "cancelled" else ["created", "picked_up", "in_transit"]
            if outcome == "delivered":
                story.append("out_for_delivery")
            states = [*story, outcome]
            sender, contents = rng.choice(_SENDERS), rng.choice(_CONTENTS)
            pieces, weight = rng.choice((1, 1, 1, 2)), rng.randint(2, 60) / 10
            if self.find("shipments", tracking_no) is not None:
                continue
            home = {"recipient": self.world.owner_name, "city": city, "detail": detail}
            self.put(
                "shipments",
                tracking_no=tracking_no,
                shipment_id=f"shpg_{number:04d}",
                user_id=user_id,
                status=outcome,
                sender=sender,
                origin={"city": city},
                destination=home,
                items=[{"description": contents, "qty": pieces, "ref": ""}],
                weight_kg=weight,
                created_at=moments[0],
                collect_at=moments[1],
                deliver_at=moments[-1],
                promised_on=moments[-1][:10],
                delivered_at=moments[-1] if outcome == "delivered" else None,
                scans=[
                    {"at": at, "status": state, "location": city, "text": f"{state.replace('_', ' ').capitalize()}."}
                    for at, state in zip(moments, states, strict=False)
                ],
            )
