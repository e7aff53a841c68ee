"""What a journey costs with cars of each kind of energy."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.car_rental.records import EnergyType
from lifegym.services.car_rental.searching import CarRentalSearching, Seats
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
            kWh), energy_minor, extra_km, extra_km_minor, total_minor (null without an energy price), range_km, stops_needed
            (fillings or charges on the way, at 80 percent of the range). missing: kinds without a car. route_km.

        Errors:
            unknown_city: There is no station in that place.
            bad_time: A time is not ISO 8601.
            bad_period: The return is not after the pick-up, or the period is past, too long or too far off.
        """
        found, _ = self._found(pickup_city, return_city, pickup_at, return_at, seats)
        best: dict[str, dict[str, Any]] = {}
        for row in found:
            option = self._journey(row, route_km_estimate)
            known = best.get(row["energy_type"])
            if known is None or _sum(option) < _sum(known):
                best[row["energy_type"]] = option
        return {
            "route_km": route_km_estimate,
            "options": sorted(best.values(), key=_sum),
            "missing": [kind for kind in ENERGY_TYPES if kind not in best],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _journey(self, row: dict[str, Any], route_km: float) -> dict[str, Any]:
        """What a journey costs with an offer."""
        offer = self._offer(row["offer_id"].partition("~")[0])
        cities = {row["city"], self._station(row["return_station_id"])["city"]}
        price = self._unit_price(
            row["energy_type"], row["currency"], cities, self._day_of(self.seconds(row["pickup_at"]))
        )
        units = route_km * offer["consumption_per_100km"] / 100
        included = offer["included_km_per_day"]
        extra = 0 if included is None else max(0, math.ceil(route_km - included * row["days"]))
        energy = None if price is None else math.floor(units * price + 0.5)
        kilometres = extra * offer["extra_km_minor"]
        return {
            "energy_type": row["energy_type"],
            "offer_id": row["offer_id"],
            **{key: row[key] for key in ("model", "seats", "currency")},
            "rental_minor": row["total_minor"],
            "energy_price_minor": price,
            "energy_units": round(units, 2),
            "energy_minor": energy,
            "extra_km": extra,
            "extra_km_minor": kilometres,
            "total_minor": None if energy is None else row["total_minor"] + energy + kilometres,
            "range_km": offer["range_km"],
            "stops_needed": max(0, math.ceil(route_km / (CHARGED * offer["range_km"])) - 1),
        }


def _sum(option: dict[str, Any]) -> tuple[bool, int, str]:
    """For comparing options: those whose energy price is not known come last."""
    total = option["total_minor"]
    return total is None, option["rental_minor"] if total is None else total, option["offer_id"]
