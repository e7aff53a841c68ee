"""Looking for cars: offers, insurance, where to fill up, and what the roads are like."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.car_rental.inventory import CarRentalInventory
from lifegym.services.car_rental.rates import LIVE, Period, peak, places_named, quote_id
from lifegym.services.car_rental.records import EnergyType, NoticeKind
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.store import Record

__all__ = ["CarRentalSearching", "Seats"]

Seats = Annotated[int, Field(ge=1, le=20)]
PLANS_SHOWN = 50
RULES_SHOWN = 50
_SHOWN = (
    "model", "vehicle_class", "energy_type", "seats", "bags", "transmission", "price_per_day_minor", "currency",
    "deposit_minor", "included_km_per_day", "min_age", "max_age", "min_licence_years",
)  # fmt: skip


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
            offers: offer_id, station_id, station, city, return_station_id, model, vehicle_class, energy_type, seats,
            bags, transmission, price_per_day_minor, currency, deposit_minor, included_km_per_day (null is unlimited),
            min_age, max_age, min_licence_years, units_left; with times also days, rental_minor, one_way_minor and
            total_minor (without insurance), pickup_at and return_at (local), free_cancel_until. total; left_out: how
            many cars were sold_out, or closed (station closed then, or offer not on those days); note.

        Errors:
            unknown_city: There is no station in that place.
            bad_time: A time is not ISO 8601.
            bad_period: Only one time is given, the return is not after the pick-up, or the period is past, too long or
                too far off.
            bad_limit: max_results is not between 1 and 100.
        """
        found, left_out = self._found(pickup_city, return_city, pickup_at, return_at, seats)
        if energy_type is not None:
            found = [row for row in found if row["energy_type"] == energy_type]
        note = ""
        if not found and any(left_out.values()):
            note = "Cars there are taken, or the stations are closed at these times; try other times of day or days."
        return {"offers": limited(found, max_results, 100), "total": len(found), "left_out": left_out, "note": note}

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
    def get_road_policy(self, kind: NoticeKind | None = None) -> dict[str, Any]:
        """Show the company's rules for the road, and the closures and other notices that hold now or later.

        Args:
            kind: Only notices of this kind: closed, restricted, toll, winter_tyres or other.

        Returns:
            rules (the first 50): topic, title, text. notices (the first 50, by their first day): notice_id, road, kind,
            from_day, until_day (included; null if open), text, detour. total_rules, total_notices.
        """
        today = self.today().isoformat()
        notices = [
            row
            for row in self.rows("road_notices")
            if (row["until_day"] is None or row["until_day"] >= today) and kind in (None, row["kind"])
        ]
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
    ) -> tuple[list[dict[str, Any]], dict[str, int]]:
        """Offers for a journey as a search shows them, cheapest first, and how many were left out and why."""
        near = self._stations_in(pickup_city, "pickup_city") if pickup_city else self._all_stations()
        far = self._stations_in(return_city, "return_city") if return_city else None
        if (pickup_at is None) != (return_at is None):
            raise ToolError("bad_period", "give pickup_at and return_at together")
        if pickup_at is not None and return_at is not None:
            # Stations may be in several zones, so times are read once in each.
            zones = {self._zone(row): row for row in [*near.values(), *(far or {}).values()]}
            read = {zone: self._read(pickup_at, return_at, zone) for zone in zones}
            return self._free(near, far, read, seats)
        rows = []
        for offer in self.rows("offers"):
            target = self._target(offer, near, far)
            if target is not None and offer["seats"] >= seats and offer["status"] == "offered":
                rows.append(self._row(offer, near[offer["station_id"]], target, offer["units"]))
        rows.sort(key=lambda row: (row["price_per_day_minor"], row["offer_id"]))
        return rows, {"sold_out": 0, "closed": 0}

    def _free(
        self, near: dict[str, Record], far: dict[str, Record] | None, read: dict[str, Period], seats: int
    ) -> tuple[list[dict[str, Any]], dict[str, int]]:
        """Offers that are free for a period, with their prices."""
        out: dict[str, list[Period]] = {}
        for row in self.rows("bookings"):
            if row["status"] in LIVE:
                out.setdefault(row["offer_id"], []).append(self._period(row))
        opened: dict[tuple[str, int], bool] = {}
        left_out = {"sold_out": 0, "closed": 0}
        rows = []
        for offer in self.rows("offers"):
            target = self._target(offer, near, far)
            if target is None or offer["seats"] < seats or offer["status"] != "offered":
                continue
            station = near[offer["station_id"]]
            period = Period(read[self._zone(station)].start, read[self._zone(target)].end)
            self._check_period(period)
            for place, at in ((station, period.start), (target, period.end)):
                if (place["station_id"], at) not in opened:
                    opened[place["station_id"], at] = self._open_at(place, at)
            ready = opened[station["station_id"], period.start] and opened[target["station_id"], period.end]
            if not ready or not self._in_window(offer, period, station):
                left_out["closed"] += 1
                continue
            left = offer["units"] - (peak(out[offer["offer_id"]], period) if offer["offer_id"] in out else 0)
            if left < 1:
                left_out["sold_out"] += 1
                continue
            shown = self._row(offer, station, target, left)
            rows.append({**shown, **self._priced(offer, period, station, target)})
        rows.sort(key=lambda row: (row["total_minor"], row["offer_id"]))
        return rows, left_out

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

    @staticmethod
    def _row(offer: Record, station: Record, target: Record, left: int) -> dict[str, Any]:
        return {
            "offer_id": offer["offer_id"],
            "station_id": station["station_id"],
            "station": station["name"],
            "city": station["city"],
            "return_station_id": target["station_id"],
            **{key: offer[key] for key in _SHOWN},
            "units_left": left,
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
            "free_cancel_until": self._free_until(offer, period),
        }

    def _station_shown(self, station: Record) -> dict[str, Any]:
        today = self.today().isoformat()
        keys = ("station_id", "name", "city", "address", "phone", "email", "hours")
        return {
            **{key: station[key] for key in keys},
            "zone": self._zone(station),
            "closed_days": [day for day in station["closed_days"] if day >= today][:50],
        }
