"""Looking for cars: offers, insurance, where to fill up, and what the roads are like."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.car_rental.inventory import CarRentalInventory
from lifegym.services.car_rental.rates import LIVE, Period, days_of, peak, places_named, quote_id
from lifegym.services.car_rental.records import EnergyType
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CarRentalSearching", "Found", "Seats"]

Seats = Annotated[int, Field(ge=1, le=20)]
PLANS_SHOWN = 50
RULES_SHOWN = 50
_SHOWN = (
    "model", "vehicle_class", "energy_type", "seats", "bags", "transmission", "price_per_day_minor", "currency",
    "deposit_minor", "included_km_per_day", "extra_km_minor", "consumption_per_100km", "range_km", "min_age", "max_age",
    "min_licence_years",
)  # fmt: skip


class Found(NamedTuple):
    """An offer that fits a search: the first field orders them. Without a period it is the price of a day."""

    total_minor: int
    offer_id: str
    offer: Record
    left: int
    station: Record
    target: Record
    period: Period | None


class CarRentalSearching(CarRentalInventory):
    """What is on offer, and what helps on the way."""

    @tool(write=False)
    def search_vehicle_offers(
        self,
        pickup_city: str | None = None,
        return_city: str | None = None,
        pickup_at: str | None = None,
        return_at: str | None = None,
        energy_type: EnergyType | None = None,
        seats: Seats = 4,
        max_results: int = 20,
    ) -> dict[str, Any]:
        """Search cars for a period, cheapest first; or, without times, what there is at all.

        With both times only cars are shown that are free for the whole period at stations that are open at pick-up and
        return, and offer_id is a quote for these times that create_rental_booking takes as it is. Days are begun 24
        hours, with 30 minutes of grace.

        Args:
            pickup_city: City, station or airport code such as Tbilisi or TBS; anywhere if left out.
            return_city: Where the car is left; the station of pick-up if left out.
            pickup_at: ISO 8601 date-time; without an offset in the station's local time.
            return_at: The same for the return.
            energy_type: petrol, diesel, hybrid or electric.
            seats: At least so many seats.
            max_results: How many at most, up to 100.

        Returns:
            offers: offer_id, station_id, station, city, return_station_id, return_city, model, vehicle_class,
            energy_type, seats, bags, transmission, price_per_day_minor, currency, deposit_minor, included_km_per_day
            (null is unlimited), extra_km_minor, consumption_per_100km, range_km, min_age, max_age, min_licence_years,
            units_left; with times also days, rental_minor, one_way_minor and total_minor (without insurance),
            pickup_at and return_at (local), free_cancel_until. total; left_out: how many cars were sold_out, or closed
            (station closed then, or offer not on those days); note.

        Errors:
            unknown_city: There is no station in that place.
            bad_time: A time is not ISO 8601.
            bad_period: Only one time is given, the return is not after the pick-up, or the period is past, too long or
                too far off.
            bad_limit: max_results is not between 1 and 100.
        """
        found, left_out = self._found(pickup_city, return_city, pickup_at, return_at, seats)
        if energy_type is not None:
            found = [one for one in found if one.offer["energy_type"] == energy_type]
        note = ""
        if not found and any(left_out.values()):
            note = "Cars there are taken, or the stations are closed at these times; try other times of day or days."
        offers = [self._row(one) for one in limited(found, max_results, 100)]
        return {"offers": offers, "total": len(found), "left_out": left_out, "note": note}

    @tool(write=False)
    def get_vehicle_offer(
        self,
        offer_id: str,
        pickup_at: str | None = None,
        return_at: str | None = None,
        return_station_id: str | None = None,
    ) -> dict[str, Any]:
        """Show an offer with all its conditions, and its price for a period.

        Args:
            offer_id: From search_vehicle_offers.
            pickup_at: ISO 8601 date-time (local to the station without an offset); the quote's if left out.
            return_at: The same for the return.
            return_station_id: Where the car is left; the quote's, else the station of pick-up, if left out.

        Returns:
            The offer: model, vehicle_class, energy_type, seats, bags, transmission, consumption_per_100km (litres or
            kWh), range_km, price_per_day_minor, currency, deposit_minor (held on a card at pick-up, not charged),
            included_km_per_day, extra_km_minor, one_way (station to fee), min_age, max_age, min_licence_years,
            free_cancel_hours (before pick-up; null is never free), return_level_percent, refuel_minor_per_percent,
            cleaning_fee_minor, photos_required, status, available_from, available_until, note; offer_id (a quote where
            there is a period); station and return_station: station_id, name, city, address, zone, phone, email, hours
            (empty is round the clock), closed_days; with a period also days, rental_minor, one_way_minor, total_minor
            (without insurance), pickup_at, return_at, units_left, available, free_cancel_until.

        Errors:
            not_found: There is no such offer or station.
            bad_offer: The offer_id is mutilated.
            bad_time: A time is not ISO 8601.
            bad_period: Only one time is given, the return is not after the pick-up, or the period is past, too long or
                too far off.
            no_one_way: The car cannot be left at that station.
        """
        offer, period, station_id = self._quoted(offer_id, pickup_at, return_at, return_station_id)
        station, far = self._station(offer["station_id"]), self._station(station_id)
        shown = {
            **offer,
            "one_way": dict(list(offer["one_way"].items())[:50]),
            "station": self._station_shown(station),
            "return_station": self._station_shown(far),
        }
        if period is None:
            return shown
        self._check_period(period)
        left = self._left(offer, period, self._out(offer["offer_id"]))
        standing = offer["status"] == "offered" and self._in_window(offer, period, station)
        open_then = self._open_at(station, period.start) and self._open_at(far, period.end)
        return {
            **shown,
            **self._priced(offer, period, station, far),
            "units_left": max(0, left),
            "available": left > 0 and standing and open_then,
        }

    @tool(write=False)
    def list_insurance_plans(self) -> dict[str, Any]:
        """List the insurance plans; a booking takes one of the car's currency.

        Returns:
            plans (the first 50): plan_id, name, price_per_day_minor, price_per_rental_minor (once, on top), currency,
            excess_minor (what the customer bears), covers, excludes. total.
        """
        plans = list(self.rows("plans"))
        return {"plans": plans[:PLANS_SHOWN], "total": len(plans)}

    @tool(write=False)
    def list_energy_stops(
        self,
        energy_type: EnergyType | None = None,
        city: str | None = None,
        limit: Annotated[int, Field(ge=1, le=100)] = 50,
    ) -> dict[str, Any]:
        """List places to fill up or charge, open ones and cheap ones first.

        Args:
            energy_type: petrol, diesel, hybrid (fills up with petrol) or electric; all if left out.
            city: City, or the name of a stop; everywhere if left out.
            limit: How many at most.

        Returns:
            stops: stop_id, name, city, road, address, energy_types, price_per_unit_minor (a litre or kWh), currency,
            power_kw, hours, status (open or closed, today), closed_until (last day, null if not known), note. total.

        Errors:
            unknown_city: There is no stop in that place.
        """
        stops = list(self.rows("energy_stops"))
        if city is not None:
            meant = places_named(city, stops)
            if not meant:
                known = ", ".join(list(dict.fromkeys(row["city"] for row in stops))[:12])
                raise ToolError("unknown_city", f"no stop in {city[:60]!r}; there are stops in: {known}")
            stops = meant
        fuel = "petrol" if energy_type == "hybrid" else energy_type
        today = self.today().isoformat()
        shown = [
            {
                **{key: value for key, value in row.items() if key != "aliases"},
                "status": "open" if self._stop_open(row, today) else "closed",
            }
            for row in stops
            if fuel is None or fuel in row["energy_types"]
        ]
        shown.sort(key=lambda row: (row["status"] == "closed", row["price_per_unit_minor"], row["stop_id"]))
        return {"stops": shown[:limit], "total": len(shown)}

    @tool(write=False)
    def get_road_policy(self) -> dict[str, Any]:
        """Show the company's rules for the road, and the closures and other notices that hold now or later.

        Returns:
            rules (the first 50): topic, title, text. notices (the first 50, by their first day): notice_id, road, kind
            (closed, restricted, toll, winter_tyres or other), from_day, until_day (included; null if open), text,
            detour. total_rules, total_notices.
        """
        today = self.today().isoformat()
        notices = [row for row in self.rows("road_notices") if (row["until_day"] is None or row["until_day"] >= today)]
        notices.sort(key=lambda row: (row["from_day"], row["notice_id"]))
        rules = list(self.rows("road_rules"))
        return {
            "rules": rules[:RULES_SHOWN],
            "notices": notices[:RULES_SHOWN],
            "total_rules": len(rules),
            "total_notices": len(notices),
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _found(
        self, pickup_city: str | None, return_city: str | None, pickup_at: str | None, return_at: str | None, seats: int
    ) -> tuple[list[Found], dict[str, int]]:
        """Offers for a journey, cheapest first, and how many were left out and why."""
        near = self._stations_in(pickup_city, "pickup_city") if pickup_city else self._all_stations()
        far = self._stations_in(return_city, "return_city") if return_city else None
        if (pickup_at is None) != (return_at is None):
            raise ToolError("bad_period", "give pickup_at and return_at together")
        suited = [
            (offer, near[offer["station_id"]], target)
            for offer in self.rows("offers")
            if offer["seats"] >= seats
            and offer["status"] == "offered"
            and (target := self._target(offer, near, far)) is not None
        ]
        left_out = {"sold_out": 0, "closed": 0}
        if pickup_at is None or return_at is None:
            found = [
                Found(offer["price_per_day_minor"], offer["offer_id"], offer, offer["units"], station, target, None)
                for offer, station, target in suited
            ]
        else:
            # Stations may be in several zones, so times are read once in each.
            read = {
                zone: self._read(pickup_at, return_at, zone)
                for zone in dict.fromkeys(map(self._zone, [*near.values(), *(far or {}).values()]))
            }
            found = self._free(suited, read, left_out)
        found.sort()  # by price and id; ids differ, so nothing behind them is compared
        return found, left_out

    def _free(
        self, suited: list[tuple[Record, Record, Record]], read: dict[str, Period], left_out: dict[str, int]
    ) -> list[Found]:
        """Those of some offers that are free for a period, with their prices; counts those that are not."""
        out: dict[str, list[Period]] = {}
        for row in self.rows("bookings"):
            if row["status"] in LIVE:
                out.setdefault(row["offer_id"], []).append(self._period(row))
        ways: dict[tuple[str, str], tuple[Period, int, bool]] = {}
        found = []
        for offer, station, target in suited:
            key = station["station_id"], target["station_id"]
            way = ways.get(key)
            if way is None:
                period = Period(read[self._zone(station)].start, read[self._zone(target)].end)
                self._check_period(period)
                ready = self._open_at(station, period.start) and self._open_at(target, period.end)
                way = ways[key] = period, days_of(period), ready
            period, days, ready = way
            if not ready or not self._in_window(offer, period, station):
                left_out["closed"] += 1
                continue
            offer_id, left = offer["offer_id"], offer["units"]
            if offer_id in out:
                left -= peak(out[offer_id], period)
            if left < 1:
                left_out["sold_out"] += 1
                continue
            total = days * offer["price_per_day_minor"]
            if station is not target:
                total += offer["one_way"][key[1]]
            found.append(Found(total, offer_id, offer, left, station, target, period))
        return found

    def _read(self, pickup_at: str, return_at: str, zone: str) -> Period:
        period = Period(self._at(pickup_at, "pickup_at", zone), self._at(return_at, "return_at", zone))
        self._check_period(period)
        return period

    def _all_stations(self) -> dict[str, Record]:
        return {row["station_id"]: row for row in self.rows("stations")}

    def _target(self, offer: Record, near: dict[str, Record], far: dict[str, Record] | None) -> Record | None:
        """Where an offer's car is left: at its own station if that will do, else where the fee is lowest."""
        own: str = offer["station_id"]
        if own not in near:
            return None
        if far is None or own in far:
            return near[own]
        fees = [(fee, station_id) for station_id, fee in offer["one_way"].items() if station_id in far]
        return far[min(fees)[1]] if fees else None

    def _row(self, found: Found) -> dict[str, Any]:
        """An offer as a search shows it."""
        station, target = found.station, found.target
        return {
            "offer_id": found.offer_id,
            "station_id": station["station_id"],
            "station": station["name"],
            "city": station["city"],
            "return_station_id": target["station_id"],
            "return_city": target["city"],
            **{key: found.offer[key] for key in _SHOWN},
            "units_left": found.left,
            **(self._priced(found.offer, found.period, station, target) if found.period else {}),
        }

    def _priced(self, offer: Record, period: Period, station: Record, far: Record) -> dict[str, Any]:
        """Price and times of an offer for a period."""
        cost = self._cost(offer, period, far["station_id"], None)
        zones = self._zone(station), self._zone(far)
        return {
            "offer_id": quote_id(offer["offer_id"], period, far["station_id"], *zones),
            **{key: cost[key] for key in ("days", "rental_minor", "one_way_minor", "total_minor")},
            "pickup_at": clock.iso(period.start, zones[0]),
            "return_at": clock.iso(period.end, zones[1]),
            "free_cancel_until": self._free_until(offer, period, zones[0]),
        }

    def _station_shown(self, station: Record) -> dict[str, Any]:
        today = self.today().isoformat()
        keys = ("station_id", "name", "city", "address", "phone", "email", "hours")
        return {
            **{key: station[key] for key in keys},
            "zone": self._zone(station),
            "closed_days": [day for day in station["closed_days"] if day >= today][:50],
        }
