"""Believable filling for a flight shop."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from pydantic import Field

from lifegym.services.flight_booking.atlas import AIRPORTS, CARRIERS, LAYOUTS, layout_for
from lifegym.services.flight_booking.life import FlightBookingLife, flight_key
from lifegym.services.flight_booking.records import Cabin
from lifegym.services.flight_booking.seats import seats_of_row
from lifegym.services.tools import generator
from lifegym.services.types import Currency, Day
from lifegym.world import clock
from lifegym.world.frozen import freeze
from lifegym.world.record import Record

__all__ = ["FlightBookingInventory"]

_PLAIN_MINUTES = 150
"""How long a flight takes between airports without coordinates."""
_DETOUR = 1.5
"""How much longer than the direct one a way over a third airport may be."""
_SERVICES = 9
"""Different ways to fly each direction: so many that each combination of two is a different offer."""


class _Leg(NamedTuple):
    """A flight of the timetable, whatever the day: how many minutes after the day's beginning in its airport's zone."""

    flight_no: str
    origin: str
    destination: str
    minute: int
    duration: int
    equipment: str
    seat_map: str
    taken: Any


class FlightBookingInventory(FlightBookingLife):
    """Generators of airports, layouts and offers."""

    @generator
    def airports(self, rng: random.Random) -> None:
        """Airports of many cities, with their other names."""
        for fields in AIRPORTS:
            if self.find("airports", fields["code"]) is None:
                self.put("airports", **fields)

    @generator
    def seat_maps(self, rng: random.Random) -> None:
        """The usual layouts: ``A350 3-3-3``, ``A330 2-4-2``, ``A321 3-3``, ``A320 3-3`` and ``E190 2-2``."""
        for fields in LAYOUTS:
            if self.find("seat_maps", fields["name"]) is None:
                self.put("seat_maps", **fields)

    @generator
    def offers(
        self,
        rng: random.Random,
        origin: str,
        destination: str,
        date_from: Day,
        base_price_minor: Annotated[int, Field(gt=0)],
        date_to: Day | None = None,
        return_from: Day | None = None,
        return_to: Day | None = None,
        count: Annotated[int, Field(ge=1, le=1000)] = 40,
        one_way_share: Annotated[float, Field(ge=0, le=1)] = 0.2,
        currency: Currency = "CNY",
        cabin: Cabin = "ECONOMY",
        carriers: dict[str, str] | None = None,
    ) -> None:
        """Offers between two cities, direct and over a third airport, with their flights, airports and layouts.

        Args:
            rng: The source of what varies.
            origin: City or airport.
            destination: City or airport.
            date_from: First day on which they leave.
            base_price_minor: The price of the cheapest round trip; a one-way costs from 60% of it.
            date_to: Last day on which they leave; by default the first.
            return_from: First day of the way back; without it there are one-way offers only.
            return_to: Last day of the way back; by default the first.
            count: How many offers.
            one_way_share: The part of them that is one-way where there is a way back.
            currency: Of the prices.
            cabin: That they are for.
            carriers: Code to name; by default invented ones.
        """
        self.airports(rng)
        self.seat_maps(rng)
        names = carriers or CARRIERS
        there, back = self._place(origin, "origin"), self._place(destination, "destination")
        outward = self._timetable(rng, there, back, names, cabin)
        homeward = self._timetable(rng, back, there, names, cabin)
        leaves = _days(date_from, date_to)
        returns = _days(return_from, return_to) if return_from else []
        for _ in range(count):
            day = rng.choice(leaves)
            outbound = [self._fly(leg, day, names) for leg in rng.choice(outward)]
            inbound: list[str] = []
            later = [date for date in returns if date > day]
            price = base_price_minor * 0.6
            if later and rng.random() >= one_way_share:
                price, day = base_price_minor, rng.choice(later)
                inbound = [self._fly(leg, day, names) for leg in rng.choice(homeward)]
            self._sell(rng, outbound, inbound, price, currency, cabin)

    # -- inside --------------------------------------------------------------------------------------------------

    def _timetable(
        self, rng: random.Random, there: Sequence[Record], back: Sequence[Record], names: dict[str, str], cabin: str
    ) -> list[list[_Leg]]:
        """Ways to fly in one direction: two thirds direct, the others over a third airport."""
        ways = []
        used = {row["flight_no"] for row in self.rows("flights")}
        for number in range(_SERVICES):
            start, end = rng.choice(there), rng.choice(back)
            carrier = rng.choice(list(names))
            minute = rng.randrange(6 * 60, 22 * 60, 5)
            hubs = self._hubs(start, end) if number % 3 == 2 else []
            first = self._leg(
                rng, self._number(rng, carrier, used), start, rng.choice(hubs) if hubs else end, minute, cabin
            )
            legs = [first]
            if hubs:
                hub = self._airport(first.destination)
                # The second flight is told in minutes of the first one's day, as the hub's clocks count them.
                landing = minute + first.duration + _clock_shift(start, hub, self.world.start)
                onward = landing + rng.randrange(50, 325, 5)
                legs.append(self._leg(rng, self._number(rng, carrier, used), hub, end, onward, cabin))
            ways.append(legs)
        return ways

    def _hubs(self, start: Record, end: Record) -> list[Record]:
        """The airports over which a way is not much longer than direct."""
        direct = _kilometres(start, end)
        if not direct:
            return []
        return [
            row
            for row in self.rows("airports")
            if row["city"] not in (start["city"], end["city"])
            and (one := _kilometres(start, row)) > 150
            and (other := _kilometres(row, end)) > 150
            and one + other < max(_DETOUR * direct, direct + 900)
        ]

    @staticmethod
    def _number(rng: random.Random, carrier: str, used: set[str]) -> str:
        """A flight number that nothing has yet."""
        number = rng.randint(110, 989)
        while f"{carrier}{number}" in used:
            number += 1
        used.add(f"{carrier}{number}")
        return f"{carrier}{number}"

    def _leg(self, rng: random.Random, flight_no: str, start: Record, end: Record, minute: int, cabin: str) -> _Leg:
        distance = _kilometres(start, end)
        duration = 5 * round((35 + distance / 13.0) / 5) if distance else _PLAIN_MINUTES
        equipment, layout = layout_for(distance, rng.random() < 0.5, cabin)
        taken = self._strangers(rng, self._named("seat_maps", layout))
        return _Leg(flight_no, start["code"], end["code"], minute, duration, equipment, layout, taken)

    @staticmethod
    def _strangers(rng: random.Random, layout: Record) -> Any:
        """Seats that other people have; frozen, so that the flights of all days share the list."""
        share = rng.uniform(0.45, 0.9)
        return freeze(
            [
                seat
                for part in layout["cabins"]
                for row in range(part["first_row"], part["last_row"] + 1)
                for seat in seats_of_row(layout, row, part["letters"])
                if rng.random() < share
            ]
        )

    def _fly(self, leg: _Leg, day: dt.date, names: dict[str, str]) -> str:
        """The flight of a leg that begins on a day or, after a change of planes, on the next."""
        date = day + dt.timedelta(days=leg.minute // 1440)
        flight_id = flight_key(leg.flight_no, date.isoformat())
        if self.find("flights", flight_id) is None:
            zone = self._airport(leg.origin)["zone"]
            leaves = clock.day_start(date, zone) + leg.minute % 1440 * clock.MINUTE
            departs = self._at(leaves, leg.origin)
            arrives = self._at(leaves + leg.duration * clock.MINUTE, leg.destination)
            self.put(
                "flights",
                flight_id=flight_id,
                flight_no=leg.flight_no,
                date=date.isoformat(),
                carrier=leg.flight_no[:-3],
                carrier_name=names[leg.flight_no[:-3]],
                origin=leg.origin,
                destination=leg.destination,
                departs=departs,
                arrives=arrives,
                scheduled_departs=departs,
                scheduled_arrives=arrives,
                equipment=leg.equipment,
                seat_map=leg.seat_map,
                taken=leg.taken,
            )
        return flight_id

    def _sell(
        self, rng: random.Random, outbound: list[str], inbound: list[str], price: float, currency: str, cabin: str
    ) -> None:
        number = len(self.table("offers")) + 1
        while self.find("offers", f"of_{number:05d}") is not None:
            number += 1
        changes = len(outbound) + len(inbound) - (2 if inbound else 1)
        dearer = rng.uniform(1.25, 2.1) if not changes else rng.uniform(1.0, 1.5)
        amount = math.ceil(price * dearer / 1000) * 1000 if price >= 20_000 else math.ceil(price * dearer)
        leaves = self.seconds(self._flight(outbound[0])["departs"])
        sold_until = leaves - rng.choice((3, 12, 24, 48, 96)) * clock.HOUR
        refundable = rng.random() < 0.35
        self.put(
            "offers",
            offer_id=f"of_{number:05d}",
            outbound=outbound,
            inbound=inbound,
            cabin=cabin,
            price_adult_minor=amount,
            currency=currency,
            seats_left=rng.randint(1, 9),
            valid_until=self.world.iso(sold_until),
            refundable=refundable,
            change_fee_minor=amount // 10 if refundable else amount // 4,
            cancel_fee_minor=amount // 8 if refundable else 0,
            baggage=rng.choice(("cabin bag 8 kg only", "1 checked bag 23 kg", "2 checked bags 23 kg each")),
            fare_note="Flexible fare" if refundable else "Saver fare, not refundable",
        )


def _days(first: str, last: str | None) -> list[dt.date]:
    start = clock.parse_day(first)
    return [start + dt.timedelta(days=n) for n in range((clock.parse_day(last or first) - start).days + 1)]


def _kilometres(one: Record, other: Record) -> float:
    """Distance of two airports over the globe; 0 where one has no coordinates."""
    if None in (one["latitude"], one["longitude"], other["latitude"], other["longitude"]):
        return 0.0
    a, b = math.radians(one["latitude"]), math.radians(other["latitude"])
    apart = math.radians(other["longitude"] - one["longitude"])
    cosine = math.sin(a) * math.sin(b) + math.cos(a) * math.cos(b) * math.cos(apart)
    return 6371.0 * math.acos(max(-1.0, min(1.0, cosine)))


def _clock_shift(one: Record, other: Record, day: dt.date) -> int:
    """By how many minutes the clocks of another airport are ahead."""
    return (clock.day_start(day, one["zone"]) - clock.day_start(day, other["zone"])) // clock.MINUTE
