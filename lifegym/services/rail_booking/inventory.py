"""Believable filling for a timetable."""

from __future__ import annotations

import datetime as dt
import random

from lifegym.services.rail_booking.fares import RailFares
from lifegym.services.rail_booking.life import offer_key, train_key
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["RailInventory"]


class RailInventory(RailFares):
    """Generators of trains that nobody in the story needs."""

    @generator
    def timetable(
        self,
        rng: random.Random,
        origin: str,
        dest: str,
        date_from: str,
        date_to: str,
        per_day: int = 6,
        first_departure: str = "06:00",
        last_departure: str = "21:00",
        duration_min: int = 120,
        price_minor: int = 10_000,
        currency: str = "JPY",
        prefix: str = "T",
        first_number: int = 101,
        refund_fee_minor: int = 0,
        seats_together: int = 5,
        first_class: bool = False,
    ) -> None:
        """Put trains between two stations (their codes) on every day of a range, both days included.

        The trains have the same numbers and times each day; seats differ. No train has more than ``seats_together``
        seats side by side. Times of day are those of the origin's clocks. A train that exists is left alone.
        """
        leaving, arriving = self._zone(origin), self._zone(dest)
        first, last = (int(t[:2]) * 60 + int(t[3:5]) for t in (first_departure, last_departure))
        gap = (last - first) / max(1, per_day - 1)
        times = []
        for place in range(per_day):
            minute = first + round(place * gap)
            swing = int(gap / 4) if 0 < place < per_day - 1 else 0
            times.append((minute + rng.randint(-swing, swing), duration_min + rng.randint(0, duration_min // 12)))
        day, end = clock.parse_day(date_from), clock.parse_day(date_to)
        while day <= end:
            for number, (minute, length) in enumerate(times):
                train_no = f"{prefix}{first_number + 2 * number}"
                left, together = rng.randint(4, 160), rng.randint(0, seats_together)
                platform = str(rng.randint(1, 14))
                key = train_key(train_no, day.isoformat())
                if self.find("trains", key) is not None:
                    continue
                wall = dt.datetime.combine(day, dt.time(minute // 60, minute % 60), clock.zone(leaving))
                departs = int(wall.timestamp())
                self.put(
                    "trains",
                    train_key=key,
                    train_no=key.partition("@")[0],
                    date=day.isoformat(),
                    origin=origin,
                    dest=dest,
                    departs=clock.iso(departs, leaving),
                    arrives=clock.iso(departs + length * clock.MINUTE, arriving),
                    platform=platform,
                )
                classes = [("standard", price_minor, left)]
                if first_class:
                    classes.append(("first", price_minor * 7 // 50 * 10, left // 4))
                for seat_class, price, seats in classes:
                    self.put(
                        "offers",
                        offer_id=offer_key(key, seat_class),
                        train_key=key,
                        seat_class=seat_class,
                        price_minor=price,
                        currency=currency,
                        seats_left=seats,
                        seats_together=together,
                        refund_fee_minor=refund_fee_minor,
                    )
            day += dt.timedelta(days=1)

    def _zone(self, code: str) -> str:
        return str(self.get("stations", code, "station")["zone"] or self.world.zone)
