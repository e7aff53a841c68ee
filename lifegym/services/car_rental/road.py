"""The roads: places to fill up or charge, closures and rules, and how they change."""

from __future__ import annotations

from typing import Any

from lifegym.services.car_rental.life import CarRentalLife
from lifegym.services.car_rental.records import EnergyType, NoticeKind
from lifegym.services.tools import happening
from lifegym.services.types import Day
from lifegym.world.record import Record

__all__ = ["CarRentalRoad"]


class CarRentalRoad(CarRentalLife):
    """Energy stops, road notices and road rules."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def close_energy_stop(self, stop_id: str, until: Day | None = None, note: str = "") -> list[str]:
        """Close a filling or charging stop, up to and including a day or until it is opened."""
        return self._set_stop(stop_id, status="closed", closed_until=until, note=note)

    @happening
    def open_energy_stop(self, stop_id: str, note: str = "") -> list[str]:
        """Open a stop again."""
        return self._set_stop(stop_id, status="open", closed_until=None, note=note)

    @happening
    def set_energy_price(self, stop_id: str, price_per_unit_minor: float) -> list[str]:
        """Change what a litre or a kWh costs at a stop."""
        if price_per_unit_minor < 0:
            return []
        return self._set_stop(stop_id, price_per_unit_minor=float(price_per_unit_minor))

    @happening
    def post_road_notice(
        self,
        road: str,
        from_day: Day,
        until_day: Day | None = None,
        kind: NoticeKind = "closed",
        text: str = "",
        detour: str = "",
    ) -> list[str]:
        """A road is closed or restricted from a day to a day (included); a notice for the same road is replaced."""
        if until_day is not None and until_day < from_day:
            return []
        known = next((row for row in self.rows("road_notices") if row["road"] == road), None)
        fields = {"kind": kind, "from_day": from_day, "until_day": until_day, "text": text, "detour": detour}
        if known is not None and all(known[field] == value for field, value in fields.items()):
            return []
        notice_id = known["notice_id"] if known else self.new_id("road")
        self.put("road_notices", notice_id=notice_id, road=road, **fields)
        self._tell_road(road, kind, f"{road}: {kind}", text or f"from {from_day}")
        return [notice_id]

    @happening
    def lift_road_notice(self, road: str) -> list[str]:
        """The notices for a road are taken back."""
        ids = [row["notice_id"] for row in self.rows("road_notices") if row["road"] == road]
        for notice_id in ids:
            self.drop("road_notices", notice_id)
        if ids:
            self._tell_road(road, "open", f"{road}: open", "The notice was taken back.")
        return ids

    @happening
    def change_policy(self, topic: str, text: str, title: str | None = None) -> list[str]:
        """The company changes one of its road rules, by its topic."""
        rule = self.find("road_rules", topic)
        if rule is None or (rule["text"] == text and title in (None, rule["title"])):
            return []
        self.patch("road_rules", topic, text=text, title=rule["title"] if title is None else title)
        return [topic]

    # -- inside --------------------------------------------------------------------------------------------------

    def _set_stop(self, stop_id: str, **changes: Any) -> list[str]:
        stop = self.find("energy_stops", stop_id)
        if stop is None or all(stop[field] == value for field, value in changes.items()):
            return []
        self.patch("energy_stops", stop_id, **changes)
        return [stop_id]

    def _tell_road(self, road: str, status: str, title: str, body: str) -> None:
        """Let status subscriptions to a road know."""
        self.world.emit("status", source=self.name, ref=road, status=status, title=title, body=body)

    def _stop_open(self, stop: Record, day: str) -> bool:
        """Whether a stop is open on a day."""
        return stop["status"] == "open" or (stop["closed_until"] is not None and stop["closed_until"] < day)

    def _unit_price(self, energy_type: EnergyType, currency: str, cities: set[str], day: str) -> float | None:
        """The lowest price of a litre or kWh in some cities on a day, else anywhere; None where there is none."""
        fuel = "petrol" if energy_type == "hybrid" else energy_type
        near: float | None = None
        far: float | None = None
        for stop in self.rows("energy_stops"):
            if fuel not in stop["energy_types"] or stop["currency"] != currency or not self._stop_open(stop, day):
                continue
            price: float = stop["price_per_unit_minor"]
            far = price if far is None else min(far, price)
            if stop["city"] in cities:
                near = price if near is None else min(near, price)
        return far if near is None else near
