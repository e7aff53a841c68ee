"""What a journey costs with cars of each kind of energy."""

from __future__ import annotations

import math
from operator import itemgetter
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.car_rental.rates import days_of
from lifegym.services.car_rental.records import EnergyType
from lifegym.services.car_rental.searching import CarRentalSearching, Found, Seats
from lifegym.services.tools import tool

__all__ = ["CarRentalJourneys"]

Kilometres = Annotated[float, Field(gt=0, le=20_000)]
ENERGY_TYPES: tuple[EnergyType, ...] = ("petrol", "diesel", "hybrid", "electric")
CHARGED = 0.8
"""How much of its range a car uses between two stops."""


class CarRentalJourneys(CarRentalSearching):
    """Comparing cars for a journey."""

    @tool(write=False)
    def compare_energy_options(
        self,
        pickup_city: str,
        return_city: str,
        pickup_at: str,
        return_at: str,
        route_km_estimate: Kilometres = 520.0,
        seats: Seats = 4,
    ) -> dict[str, Any]:
        """Compare petrol, diesel, hybrid and electric cars for a journey: rental, energy and extra kilometres.

        For each kind the car with the lowest sum is shown. Energy is reckoned at the lowest price of the open stops in
        the two cities (else of any stop), at the car's consumption.

        Args:
            pickup_city: City, station or airport code.
            return_city: The same for the return.
            pickup_at: ISO 8601 date-time; without an offset in the station's local time.
            return_at: The same for the return.
            route_km_estimate: How far it is in all, in km.
            seats: At least so many seats.

        Returns:
            options, the lowest sum first: energy_type, offer_id (a quote), model, seats, currency, rental_minor (with
            the one-way fee), energy_price_minor (a litre or kWh; null if no stop sells it), energy_units (litres or
            kWh), energy_minor, extra_km, extra_km_minor, total_minor (null without an energy price), range_km,
            stops_needed (fillings or charges on the way, at 80 percent of the range). missing: kinds without a car.
            route_km.

        Errors:
            unknown_city: There is no station in that place.
            bad_time: A time is not ISO 8601.
            bad_period: The return is not after the pick-up, or the period is past, too long or too far off.
        """
        found, _ = self._found(pickup_city, return_city, pickup_at, return_at, seats)
        day = self.world.iso(self._at(pickup_at, "pickup_at", self.world.zone))[:10]
        prices: dict[tuple[str, str, str, str], float | None] = {}
        best: dict[str, tuple[tuple[bool, int, str], Found, float | None]] = {}
        for one in found:
            kind, currency = one.offer["energy_type"], one.offer["currency"]
            key = kind, currency, one.station["city"], one.target["city"]
            if key not in prices:
                prices[key] = self._unit_price(kind, currency, set(key[2:]), day)
            order = _order(one, prices[key], route_km_estimate)
            if kind not in best or order < best[kind][0]:
                best[kind] = order, one, prices[key]
        options = [
            {**self._journey(one, price, route_km_estimate), "total_minor": None if unknown else total}
            for (unknown, total, _), one, price in sorted(best.values(), key=itemgetter(0))
        ]
        return {
            "route_km": route_km_estimate,
            "options": options,
            "missing": [kind for kind in ENERGY_TYPES if kind not in best],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _journey(self, one: Found, price: float | None, route_km: float) -> dict[str, Any]:
        """What a journey costs with an offer."""
        row = self._row(one)
        extra = _extra_km(one, route_km)
        return {
            **{key: row[key] for key in ("energy_type", "offer_id", "model", "seats", "currency")},
            "rental_minor": row["total_minor"],
            "energy_price_minor": price,
            "energy_units": round(_units(one, route_km), 2),
            "energy_minor": _energy(one, price, route_km),
            "extra_km": extra,
            "extra_km_minor": extra * row["extra_km_minor"],
            "range_km": row["range_km"],
            "stops_needed": max(0, math.ceil(route_km / (CHARGED * row["range_km"])) - 1),
        }


def _units(one: Found, route_km: float) -> float:
    """Litres or kWh."""
    consumption: float = one.offer["consumption_per_100km"]
    return route_km * consumption / 100


def _energy(one: Found, price: float | None, route_km: float) -> int | None:
    return None if price is None else math.floor(_units(one, route_km) * price + 0.5)


def _extra_km(one: Found, route_km: float) -> int:
    """Kilometres beyond those that the price includes."""
    included: int | None = one.offer["included_km_per_day"]
    if included is None or one.period is None:
        return 0
    return max(0, math.ceil(route_km - included * days_of(one.period)))


def _order(one: Found, price: float | None, route_km: float) -> tuple[bool, int, str]:
    """For comparing offers: the sum; those whose energy price is not known come last."""
    kilometres: int = _extra_km(one, route_km) * one.offer["extra_km_minor"]
    energy = _energy(one, price, route_km)
    return energy is None, one.total_minor + kilometres + (energy or 0), one.offer_id
