"""Believable cars, rentals and energy stops around those that a task is about."""

from __future__ import annotations

import datetime as dt
import random
from typing import Annotated

from pydantic import Field

from lifegym.services.car_rental.rates import Period
from lifegym.services.car_rental.records import EnergyType, VehicleClass
from lifegym.services.car_rental.road import CarRentalRoad
from lifegym.services.tools import generator
from lifegym.services.types import Currency, Day
from lifegym.world import clock

__all__ = ["CarRentalInventory"]

_CARS: tuple[tuple[VehicleClass, int, int, float, tuple[tuple[str, EnergyType, float, int], ...]], ...] = (
    ("mini", 4, 1, 0.7, (("Pico 3", "petrol", 5.1, 620), ("Pico E", "electric", 13.5, 260))),
    ("economy", 5, 2, 0.85, (("Vela S", "petrol", 5.6, 750), ("Vela D", "diesel", 4.6, 980))),
    ("compact", 5, 2, 1.0, (("Arbor", "petrol", 6.1, 780), ("Arbor H", "hybrid", 4.5, 900))),
    ("sedan", 5, 3, 1.25, (("Corso 4", "diesel", 5.2, 1050), ("Corso E", "electric", 16.5, 420))),
    ("estate", 5, 4, 1.3, (("Corso Tour", "diesel", 5.4, 1050), ("Lumen Tour", "hybrid", 5.0, 950))),
    ("suv", 5, 4, 1.55, (("Massif", "diesel", 6.9, 900), ("Massif E", "electric", 19.5, 440))),
    ("van", 7, 5, 1.9, (("Carrier 7", "diesel", 7.4, 950),)),
    ("minibus", 9, 6, 2.4, (("Carrier 9", "diesel", 8.2, 950),)),
)
_TAKEN = ("offer_id", "station_id", "model", "vehicle_class", "energy_type", "seats", "currency", "deposit_minor")
"""What a booking has from its offer."""
_PLACES = ("Centre", "Airport", "Central Station", "Harbour", "North", "Trade Fair")
_OPERATORS = ("Brightfill", "Amp & Go", "Roadline", "Greenvolt", "Twin Pumps", "Kilo")
_SOLD: tuple[tuple[EnergyType, ...], ...] = (("petrol", "diesel"), ("electric",), ("petrol",), ("electric",))
_UNIT_SHARES: dict[EnergyType, float] = {"petrol": 1.0, "diesel": 0.93, "electric": 0.3}


class CarRentalInventory(CarRentalRoad):
    """Generators of stations, offers, past rentals and energy stops."""

    @generator
    def fleet(
        self,
        rng: random.Random,
        city: str,
        currency: Currency,
        base_price_minor: Annotated[int, Field(gt=0, le=10**9)],
        stations: Annotated[int, Field(ge=1, le=6)] = 2,
        offers_each: Annotated[int, Field(ge=1, le=60)] = 12,
        country: str = "",
        zone: str = "",
        date_from: Day | None = None,
        date_to: Day | None = None,
    ) -> None:
        """Give a city stations with offers. base_price_minor is a compact car's middling price for a day.

        With date_from and date_to the offers stand for rentals within these days only.
        """
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        made = [f"stg_{slug}_{number}" for number in range(1, stations + 1)]
        for number, station_id in enumerate(made, 1):
            if self.find("stations", station_id) is not None:
                continue
            place = _PLACES[number - 1]
            opens, closes = rng.choice((("07:00", "22:00"), ("08:00", "20:00"), ("08:00", "18:00")))
            weekdays = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[: rng.choice((6, 7, 7))]
            self.put(
                "stations",
                station_id=station_id,
                name=f"{city} {place}",
                city=city,
                country=country,
                address=f"{rng.randint(1, 120)} {place} Road, {city}",
                zone=zone,
                phone=f"+00 {rng.randint(100, 999)} {rng.randint(1000, 9999)}",
                hours=[] if place == "Airport" else [_open(day, opens, closes) for day in weekdays],
            )
        for station_id in made:
            others = [other for other in made if other != station_id]
            for number in range(1, offers_each + 1):
                offer_id = f"ofg_{station_id[4:]}_{number:02d}"
                if self.find("offers", offer_id) is None:
                    self._car(rng, offer_id, station_id, others, currency, base_price_minor, date_from, date_to)

    def _car(
        self,
        rng: random.Random,
        offer_id: str,
        station_id: str,
        others: list[str],
        currency: str,
        base: int,
        date_from: str | None,
        date_to: str | None,
    ) -> None:
        vehicle_class, seats, bags, share, models = rng.choice(_CARS)
        model, energy_type, consumption, reach = rng.choice(models)
        price = max(1, round(base * share * rng.uniform(0.85, 1.25)))
        self.put(
            "offers",
            offer_id=offer_id,
            station_id=station_id,
            model=model,
            vehicle_class=vehicle_class,
            energy_type=energy_type,
            seats=seats,
            bags=bags,
            transmission="automatic" if energy_type in ("electric", "hybrid") else rng.choice(("manual", "automatic")),
            consumption_per_100km=consumption,
            range_km=reach,
            price_per_day_minor=price,
            currency=currency,
            deposit_minor=price * rng.randint(5, 12),
            included_km_per_day=rng.choice((None, 150, 200, 250)),
            extra_km_minor=max(1, price // 200),
            one_way={other: price * rng.randint(0, 1) for other in others},
            units=rng.randint(1, 4),
            available_from=date_from,
            available_until=date_to,
            min_age=25 if vehicle_class in ("van", "minibus", "suv") else 21,
            max_age=rng.choice((None, 75, 80)),
            min_licence_years=3 if vehicle_class in ("van", "minibus") else rng.choice((1, 2)),
            free_cancel_hours=rng.choice((24, 48, None)),
            return_level_percent=80 if energy_type == "electric" else 100,
            refuel_minor_per_percent=max(1, price // 40),
            cleaning_fee_minor=price // 2,
        )

    @generator
    def energy_stops(
        self,
        rng: random.Random,
        city: str,
        count: Annotated[int, Field(ge=1, le=200)],
        currency: Currency,
        petrol_minor: Annotated[int, Field(gt=0, le=10**9)],
    ) -> None:
        """Give a city filling stations and chargers; petrol_minor is what a litre of petrol costs about."""
        slug = "".join(ch if ch.isalnum() else "_" for ch in city.lower())
        for number in range(1, count + 1):
            stop_id = f"esg_{slug}_{number:02d}"
            if self.find("energy_stops", stop_id) is not None:
                continue
            kinds = rng.choice(_SOLD)
            operator, road = rng.choice(_OPERATORS), f"{rng.choice(_PLACES)} Road"
            self.put(
                "energy_stops",
                stop_id=stop_id,
                name=f"{operator} {city} {number}",
                city=city,
                road=road,
                address=f"{rng.randint(1, 300)} {road}, {city}",
                energy_types=list(kinds),
                price_per_unit_minor=round(petrol_minor * _UNIT_SHARES[kinds[0]] * rng.uniform(0.94, 1.1), 1),
                currency=currency,
                power_kw=rng.choice((22, 50, 150, 300)) if "electric" in kinds else 0,
                hours=rng.choice(("24h", "06:00-22:00", "07:00-23:00")),
            )

    @generator
    def past_rentals(self, rng: random.Random, user_id: str, count: Annotated[int, Field(ge=1, le=100)]) -> None:
        """Give a user rentals of the year before the window, each returned and paid at the counter.

        They are of the offers that there are, with a plan of the same currency; without such, there are none.
        """
        plans = {row["currency"]: row for row in self.rows("plans")}
        offers = [row for row in self.rows("offers") if row["currency"] in plans]
        for number in range(1, count + 1):
            booking_ref = f"RG{''.join(ch for ch in user_id.upper() if ch.isalnum())}{number:03d}"
            if not offers or self.find("bookings", booking_ref) is not None:
                continue
            offer = rng.choice(offers)
            plan, zone = plans[offer["currency"]], self._zone(self._station(offer["station_id"]))
            day = self.world.start - dt.timedelta(days=rng.randint(15, 365))
            start = clock.day_start(day, zone) + rng.randint(9, 17) * clock.HOUR
            period = Period(start, start + rng.randint(1, 9) * clock.DAY)
            cost = self._cost(offer, period, offer["station_id"], plan)
            self.put(
                "bookings",
                booking_ref=booking_ref,
                user_id=user_id,
                return_station_id=offer["station_id"],
                pickup_at=clock.iso(period.start, zone),
                return_at=clock.iso(period.end, zone),
                insurance_plan_id=plan["plan_id"],
                paid_minor=cost["total_minor"],
                status="returned",
                booked_at=self.world.iso(period.start - rng.randint(2, 40) * clock.DAY),
                **{key: offer[key] for key in _TAKEN},
                **cost,
            )


def _open(weekday: str, opens: str, closes: str) -> dict[str, str]:
    return {"weekday": weekday, "opens": opens, "closes": closes}
