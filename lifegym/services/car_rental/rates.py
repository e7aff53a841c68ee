"""Stations, periods and prices: where and when a car can be had, and what that costs."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from lifegym.services.base import Service
from lifegym.services.car_rental.records import (
    Booking,
    Charge,
    ConditionReport,
    EnergyStop,
    Incident,
    Offer,
    Plan,
    RoadNotice,
    RoadRule,
    Station,
    Weekday,
)
from lifegym.services.search import resolve
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["LIVE", "CarRentalRates", "Period", "days_of", "peak", "places_named", "quote_id"]

LIVE = ("confirmed", "picked_up")
GRACE = 30 * clock.MINUTE
MOST_DAYS = 90
DAYS_AHEAD = 500
_WEEKDAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_LOCAL = re.compile(r"(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)")


class Period(NamedTuple):
    """From pick-up to return, in seconds."""

    start: int
    end: int


class CarRentalRates(Service):
    """When stations are open, what a rental costs, and how many cars are left."""

    name = "car_rental"
    title = "Car rental"
    records = {
        "stations": Station,
        "offers": Offer,
        "plans": Plan,
        "bookings": Booking,
        "charges": Charge,
        "reports": ConditionReport,
        "incidents": Incident,
        "energy_stops": EnergyStop,
        "road_rules": RoadRule,
        "road_notices": RoadNotice,
    }

    # -- finding -------------------------------------------------------------------------------------------------

    def _station(self, station_id: str) -> Record:
        return self.get("stations", station_id, "station", "car_rental.search_vehicle_offers shows stations")

    def _offer(self, offer_id: str) -> Record:
        return self.get("offers", offer_id, "offer", "car_rental.search_vehicle_offers finds them")

    def _plan(self, plan_id: str) -> Record:
        return self.get("plans", plan_id, "insurance plan", "car_rental.list_insurance_plans shows them")

    def _stations_in(self, city: str, name: str) -> dict[str, Record]:
        """The stations that a text means, by id: those of a city, or one by its own name.

        Raises:
            ToolError: ``unknown_city``.
        """
        stations = list(self.rows("stations"))
        meant = places_named(city, stations)
        if not meant:
            known = ", ".join(list(dict.fromkeys(row["city"] for row in stations))[:12])
            raise ToolError("unknown_city", f"{name}: no station in {city[:60]!r}; there are stations in: {known}")
        return {row["station_id"]: row for row in meant}

    # -- times ---------------------------------------------------------------------------------------------------

    def _zone(self, station: Record) -> str:
        return station["zone"] or self.world.zone

    def _at(self, text: str, name: str, zone: str) -> int:
        """The minute that an argument names; without an offset it is read in a station's zone.

        Raises:
            ToolError: ``bad_time``.
        """
        self.instant(text, name)
        at = clock.parse_instant(text, zone)
        return at - at % clock.MINUTE

    def _check_period(self, period: Period, begun: bool = False) -> None:
        """Refuse a period that nobody can rent for.

        Raises:
            ToolError: ``bad_period``.
        """
        if period.end <= period.start:
            raise ToolError("bad_period", "return_at must be after pickup_at")
        if not begun and period.start < self.now:
            raise ToolError("bad_period", f"pickup_at is in the past; it is {self.stamp()} now")
        if begun and period.end <= self.now:
            raise ToolError("bad_period", f"return_at is in the past; it is {self.stamp()} now")
        if days_of(period) > MOST_DAYS or period.end - self.now > DAYS_AHEAD * clock.DAY:
            raise ToolError(
                "bad_period", f"a rental lasts at most {MOST_DAYS} days and ends at most {DAYS_AHEAD} days from now"
            )

    @staticmethod
    def _hours_on(station: Record, day: dt.date) -> list[tuple[str, str]]:
        """When a station is open on a day of its own calendar."""
        if day.isoformat() in station["closed_days"]:
            return []
        if not station["hours"]:
            return [("00:00", "23:59")]
        weekday = _WEEKDAYS[day.weekday()]
        return [(row["opens"], row["closes"]) for row in station["hours"] if row["weekday"] == weekday]

    def _open_at(self, station: Record, instant: int) -> bool:
        local = clock.local(instant, self._zone(station))
        time = f"{local.hour:02d}:{local.minute:02d}"
        return any(opens <= time <= closes for opens, closes in self._hours_on(station, local.date()))

    def _check_open(self, station: Record, instant: int, what: str) -> None:
        """Refuse a time at which a station is closed.

        Raises:
            ToolError: ``station_closed``.
        """
        if not self._open_at(station, instant):
            day = clock.local(instant, self._zone(station)).date()
            spans = ", ".join(f"{opens}-{closes}" for opens, closes in self._hours_on(station, day))
            raise ToolError(
                "station_closed",
                f"{what}: {station['name']} is open {spans or 'not at all'} on {day} (local time); choose another time",
            )

    # -- prices --------------------------------------------------------------------------------------------------

    def _cost(self, offer: Record, period: Period, return_station_id: str, plan: Record | None) -> dict[str, int]:
        """The lines of a rental's price; insurance is 0 without a plan."""
        days = days_of(period)
        elsewhere = return_station_id != offer["station_id"]
        rental, one_way = days * offer["price_per_day_minor"], offer["one_way"][return_station_id] if elsewhere else 0
        insurance = days * plan["price_per_day_minor"] + plan["price_per_rental_minor"] if plan else 0
        return {
            "days": days,
            "price_per_day_minor": offer["price_per_day_minor"],
            "rental_minor": rental,
            "one_way_minor": one_way,
            "insurance_minor": insurance,
            "total_minor": rental + one_way + insurance,
        }

    @staticmethod
    def _returnable(offer: Record, station_id: str) -> bool:
        return station_id == offer["station_id"] or station_id in offer["one_way"]

    # -- cars ----------------------------------------------------------------------------------------------------

    def _out(self, offer_id: str, besides: str = "") -> list[Period]:
        """When cars of an offer are or will be with customers."""
        return [
            self._period(row)
            for row in self.rows("bookings")
            if row["offer_id"] == offer_id and row["status"] in LIVE and row["booking_ref"] != besides
        ]

    def _period(self, booking: Mapping[str, Any]) -> Period:
        return Period(self.seconds(booking["pickup_at"]), self.seconds(booking["return_at"]))

    def _left(self, offer: Record, period: Period, out: Sequence[Period]) -> int:
        """How many cars are left for the whole of a period."""
        left: int = offer["units"] - peak(out, period)
        return left

    def _in_window(self, offer: Record, period: Period, station: Record) -> bool:
        """Whether an offer stands on all days of a period."""
        first, last = offer["available_from"], offer["available_until"]
        if first is None and last is None:
            return True
        zone = self._zone(station)
        begins = clock.local(period.start, zone).date().isoformat()
        ends = clock.local(period.end, zone).date().isoformat()
        return (first is None or first <= begins) and (last is None or ends <= last)

    # -- quotes --------------------------------------------------------------------------------------------------

    def _quoted(
        self, offer_id: str, pickup_at: str | None, return_at: str | None, return_station_id: str | None
    ) -> tuple[Record, Period | None, str]:
        """Offer, period and station of return that a quote names; what is given beside it counts before what it says.

        Raises:
            ToolError: ``not_found``, ``bad_offer``, ``bad_time``, ``bad_period``, ``no_one_way``.
        """
        key, *parts = offer_id.split("~")
        if parts and not (len(parts) == 3 and _LOCAL.fullmatch(parts[0]) and _LOCAL.fullmatch(parts[1])):
            raise ToolError("bad_offer", "copy offer_id from search_vehicle_offers: offer~pick-up~return~station")
        offer = self._offer(key)
        station_id = return_station_id or (parts[2] if parts else offer["station_id"])
        if not self._returnable(offer, station_id):
            raise ToolError("no_one_way", f"this car cannot be left at {station_id[:60]!r}; its offer lists one_way")
        near, far = self._zone(self._station(offer["station_id"])), self._zone(self._station(station_id))
        start = self._at(pickup_at, "pickup_at", near) if pickup_at else _spelled(parts[0], near) if parts else None
        end = self._at(return_at, "return_at", far) if return_at else _spelled(parts[1], far) if parts else None
        if start is None and end is None:
            return offer, None, station_id
        if start is None or end is None:
            raise ToolError("bad_period", "give pickup_at and return_at together")
        return offer, Period(start, end), station_id


def places_named(text: str, places: Iterable[Record]) -> list[Record]:
    """The places that a text means: those of a city, or those that have the name or alias; none if there is none."""
    names: dict[str, list[Record]] = {}
    for row in places:
        for name in dict.fromkeys((row["city"], row["name"], *row["aliases"])):
            names.setdefault(name, []).append(row)
    meant = resolve(text[:200], names)
    return names[meant] if meant is not None else []


def quote_id(offer_id: str, period: Period, station_id: str, zone: str, return_zone: str) -> str:
    """The id by which a car is booked for a period: the offer, local times of pick-up and return, station of return."""
    return f"{offer_id}~{_spell(period.start, zone)}~{_spell(period.end, return_zone)}~{station_id}"


def days_of(period: Period) -> int:
    """Rental days: each begun 24 hours, with half an hour of grace."""
    return max(1, -(-(period.end - period.start - GRACE) // clock.DAY))


def peak(out: Iterable[Period], during: Period) -> int:
    """The most periods that overlap at once during a period."""
    inside = [period for period in out if period.start < during.end and during.start < period.end]
    starts = (max(period.start, during.start) for period in inside)
    return max((sum(other.start <= start < other.end for other in inside) for start in starts), default=0)


@lru_cache(maxsize=4096)
def _spell(instant: int, zone: str) -> str:
    return f"{clock.local(instant, zone):%Y%m%dT%H%M}"


@lru_cache(maxsize=4096)
def _spelled(text: str, zone: str) -> int:
    """The instant of a quote's local time.

    Raises:
        ToolError: ``bad_offer``.
    """
    try:
        local = dt.datetime.strptime(text, "%Y%m%dT%H%M").replace(tzinfo=clock.zone(zone))
    except ValueError:
        raise ToolError(
            "bad_offer", f"{text!r} in the offer_id is no time; copy it from search_vehicle_offers"
        ) from None
    if not 1900 <= local.year <= 2199:
        raise ToolError("bad_offer", f"{text!r} in the offer_id is no time; copy it from search_vehicle_offers")
    return int(local.timestamp())
