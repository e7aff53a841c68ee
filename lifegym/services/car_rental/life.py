"""What happens to cars, bookings and stations: by the clock, and by the company."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.car_rental.rates import LIVE, CarRentalRates, Period
from lifegym.services.car_rental.records import Amount, ChargeKind, Count, EnergyType, VehicleClass, Weekday
from lifegym.services.tools import ToolError, happening
from lifegym.services.types import Day, TimeOfDay
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CarRentalLife"]


class CarRentalLife(CarRentalRates):
    """The company's own behaviour."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def set_price(self, offer_id: str, price_per_day_minor: Amount) -> list[str]:
        """Change what an offer costs a day. Bookings keep their price; price alerts on the offer hear of it."""
        offer = self.find("offers", offer_id)
        if offer is None or offer["price_per_day_minor"] == price_per_day_minor:
            return []
        self.patch("offers", offer_id, price_per_day_minor=price_per_day_minor)
        station = self._station(offer["station_id"])
        self.world.emit(
            "price",
            ref=offer_id,
            amount_minor=price_per_day_minor,
            currency=offer["currency"],
            title=f"{offer['model']} from {station['name']}, a day",
        )
        return [offer_id]

    @happening
    def withdraw_offer(self, offer_id: str, withdrawn: bool = True) -> list[str]:
        """Take an offer off the market, or put it back. Bookings on it stand."""
        offer = self.find("offers", offer_id)
        status = "withdrawn" if withdrawn else "offered"
        if offer is None or offer["status"] == status:
            return []
        self.patch("offers", offer_id, status=status)
        return [offer_id]

    @happening
    def set_units(self, offer_id: str, units: Count) -> list[str]:
        """Change how many cars an offer has; never fewer than its bookings need."""
        offer = self.find("offers", offer_id)
        if offer is None:
            return []
        needed = max(units, self._needed(offer_id))
        if needed == offer["units"]:
            return []
        self.patch("offers", offer_id, units=needed)
        return [offer_id]

    @happening
    def set_driver_rules(
        self,
        offer_id: str,
        min_age: Annotated[int, Field(ge=16, le=99)] | None = None,
        max_age: Annotated[int, Field(ge=16, le=120)] | None = None,
        min_licence_years: Annotated[int, Field(ge=0, le=50)] | None = None,
    ) -> list[str]:
        """Change who may drive an offer's cars, for bookings and changes from now on."""
        given = {"min_age": min_age, "max_age": max_age, "min_licence_years": min_licence_years}
        return self._set("offers", offer_id, given)

    @happening
    def swap_vehicle(
        self,
        offer_id: str,
        model: str,
        pickup_on: Day | None = None,
        vehicle_class: VehicleClass | None = None,
        energy_type: EnergyType | None = None,
        seats: Annotated[int, Field(ge=1, le=20)] | None = None,
    ) -> list[str]:
        """Give those who have booked an offer (for a day of pick-up) another car; the price stays."""
        given = {"model": model, "vehicle_class": vehicle_class, "energy_type": energy_type, "seats": seats}
        changes = {field: value for field, value in given.items() if value is not None}
        touched = []
        for row in self._coming(offer_id, pickup_on):
            if any(row[field] != value for field, value in changes.items()):
                row = self.patch("bookings", row["booking_ref"], **changes)
                self._note(row, f"The car is now a {model}.")
                self._tell(row, "vehicle_changed", "Another car", f"The car is now a {model}, {row['seats']} seats.")
                touched.append(row["booking_ref"])
        return touched

    @happening
    def cancel_rentals(self, offer_id: str, pickup_on: Day | None = None, reason: str = "") -> list[str]:
        """The company cancels the bookings of an offer (for a day of pick-up) and refunds them in full."""
        touched = []
        for row in self._coming(offer_id, pickup_on):
            back = 0
            if row["paid_minor"]:
                try:
                    self._move_money(row, -row["paid_minor"], "cancelled by the company")
                    back = row["paid_minor"]
                except ToolError:  # the method takes nothing any more; the money waits at the counter
                    back = 0
            row = self._end(row, "company", reason or "cancelled by the company", kept=row["paid_minor"] - back)
            self._note(row, row["reason"], -back)
            self._tell(row, "cancelled", "The rental is cancelled", row["reason"])
            touched.append(row["booking_ref"])
        return touched

    @happening
    def set_station_hours(
        self, station_id: str, weekdays: list[Weekday], opens: TimeOfDay | None = None, closes: TimeOfDay | None = None
    ) -> list[str]:
        """Change a station's hours on some weekdays; without opens and closes it is closed on them."""
        station = self.find("stations", station_id)
        if station is None or not weekdays or (opens is None) != (closes is None):
            return []
        if opens is not None and closes is not None and opens >= closes:
            return []
        every = [{"weekday": day, "opens": "00:00", "closes": "23:59"} for day in _ALL_DAYS]
        hours = [row for row in station["hours"] or every if row["weekday"] not in weekdays]
        if opens is not None:
            hours += [{"weekday": day, "opens": opens, "closes": closes} for day in dict.fromkeys(weekdays)]
        if not hours or hours == station["hours"]:  # a station without any hours would be open round the clock
            return []
        self.patch("stations", station_id, hours=hours)
        return [station_id]

    @happening
    def close_station(self, station_id: str, days: list[Day]) -> list[str]:
        """Close a station on single days. Bookings for them stand; whoever looks sees it."""
        station = self.find("stations", station_id)
        if station is None or set(days) <= set(station["closed_days"]):
            return []
        self.patch("stations", station_id, closed_days=sorted({*station["closed_days"], *days}))
        return [station_id]

    @happening
    def fine_arrives(
        self, offer_id: str, on: Day, amount_minor: Annotated[int, Field(gt=0, le=10**12)], reason: str
    ) -> list[str]:
        """The police send a fine for what happened on a day: it is charged to who had the offer's car then."""
        rows = [
            row
            for row in self.rows("bookings")
            if row["offer_id"] == offer_id and row["status"] in ("picked_up", "returned") and self._days(row, on)
        ]
        return [self._raise_charge(row, "fine", amount_minor, reason) for row in rows]

    @happening
    def extra_charge(
        self,
        offer_id: str,
        kind: ChargeKind,
        amount_minor: Annotated[int, Field(gt=0, le=10**12)],
        reason: str,
        pickup_on: Day | None = None,
    ) -> list[str]:
        """The company wants more money (fuel, damage, a toll) from those who have or had an offer's car."""
        rows = [
            row
            for row in self.rows("bookings")
            if row["offer_id"] == offer_id
            and row["status"] in ("picked_up", "returned")
            and (pickup_on is None or self._pickup_day(row) == pickup_on)
        ]
        return [self._raise_charge(row, kind, amount_minor, reason) for row in rows]

    @happening
    def waive_charges(self, offer_id: str, kind: ChargeKind) -> list[str]:
        """The company drops the open charges of a kind on the bookings of an offer."""
        mine = {row["booking_ref"] for row in self.rows("bookings") if row["offer_id"] == offer_id}
        rows = [
            row
            for row in self.rows("charges")
            if row["booking_ref"] in mine and row["kind"] == kind and row["status"] == "open"
        ]
        for row in rows:
            self.patch("charges", row["charge_id"], status="waived")
        return [row["charge_id"] for row in rows]

    # -- the clock -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("bookings")):
            row = self._completed(row)
            offer = self._offer(row["offer_id"])
            if row["status"] in LIVE:
                # The cars of the bookings that there are exist.
                self.patch("offers", offer["offer_id"], units=max(offer["units"], self._needed(offer["offer_id"])))
                self._await(row)

    def pick_up(self, booking_ref: str, at: str) -> None:
        """Hand a car over at the time that was booked; what is open is paid at the counter."""
        row = self.find("bookings", booking_ref)
        if row is None or row["status"] != "confirmed" or row["pickup_at"] != at:
            return
        due = row["total_minor"] - row["paid_minor"]
        row = self.patch("bookings", booking_ref, status="picked_up", paid_minor=row["total_minor"])
        self._note(row, "The car was picked up; paid at the counter." if due else "The car was picked up.", due)

    def give_back(self, booking_ref: str, at: str) -> None:
        """Take a car back at the time that was booked."""
        row = self.find("bookings", booking_ref)
        if row is not None and row["status"] == "picked_up" and row["return_at"] == at:
            self._note(self.patch("bookings", booking_ref, status="returned"), "The car was returned.")

    # -- inside --------------------------------------------------------------------------------------------------

    def _set(self, kind: str, key: str, given: Mapping[str, Any]) -> list[str]:
        """Change the fields of a record that are given; [] where there is none or nothing differs."""
        row = self.find(kind, key)
        changes = {field: value for field, value in given.items() if value is not None}
        if row is None or all(row[field] == value for field, value in changes.items()):
            return []
        self.patch(kind, key, **changes)
        return [key]

    def _needed(self, offer_id: str) -> int:
        """How many cars the live bookings of an offer need at once."""
        out = self._out(offer_id)
        return max((sum(other.start <= one.start < other.end for other in out) for one in out), default=0)

    def _pickup_day(self, row: Record) -> str:
        zone = self._zone(self._station(row["station_id"]))
        return clock.local(self.seconds(row["pickup_at"]), zone).date().isoformat()

    def _days(self, row: Record, day: str) -> bool:
        """Whether a car was out on a day."""
        zone = self._zone(self._station(row["return_station_id"]))
        return self._pickup_day(row) <= day <= clock.local(self.seconds(row["return_at"]), zone).date().isoformat()

    def _coming(self, offer_id: str, pickup_on: str | None) -> list[Record]:
        return [
            row
            for row in self.rows("bookings")
            if row["offer_id"] == offer_id
            and row["status"] == "confirmed"
            and (pickup_on is None or self._pickup_day(row) == pickup_on)
        ]

    def _completed(self, row: Record) -> Record:
        """A booking from before with what its offer says where it says nothing itself."""
        offer = self._offer(row["offer_id"])
        changes: dict[str, Any] = {
            field: row[field] or offer[field]
            for field in ("model", "vehicle_class", "energy_type", "seats", "deposit_minor")
        }
        if not row["days"]:
            period = self._period(row)
            changes |= self._cost(offer, period, row["return_station_id"], self._plan(row["insurance_plan_id"]))
            zone = self._zone(self._station(row["station_id"]))
            changes["free_cancel_until"] = self._free_until(offer, period, zone)
        if row["status"] in ("picked_up", "returned"):
            changes["paid_minor"] = changes.get("total_minor", row["total_minor"])
        return self.patch("bookings", row["booking_ref"], **changes)

    @staticmethod
    def _free_until(offer: Record, period: Period, zone: str) -> str | None:
        """Until when a booking can be cancelled free of charge, in the station's time."""
        hours = offer["free_cancel_hours"]
        return None if hours is None else clock.iso(period.start - hours * clock.HOUR, zone)

    def _await(self, row: Record) -> None:
        """Let a car be picked up and given back on time."""
        for verb, field in (("pick_up", "pickup_at"), ("give_back", "return_at")):
            at = row[field]
            if verb == "give_back" or row["status"] == "confirmed":
                self.later(max(self.seconds(at), self.now), verb, booking_ref=row["booking_ref"], at=at)

    def _move_money(self, row: Mapping[str, Any], amount_minor: int, memo: str) -> None:
        """Charge (or, with a negative amount, refund) a booking's payment method."""
        name = self._station(row["station_id"])["name"]
        self.pay(row["payment_method_id"], amount_minor, row["currency"], name, row["booking_ref"], memo)

    def _end(self, row: Record, by: str, reason: str, kept: int) -> Record:
        return self.patch(
            "bookings",
            row["booking_ref"],
            status="cancelled",
            paid_minor=kept,
            kept_minor=kept,
            cancelled_at=self.stamp(),
            cancelled_by=by,
            reason=reason,
        )

    def _raise_charge(self, row: Record, kind: str, amount_minor: int, reason: str) -> str:
        """Put an open charge on a booking; nobody's account is touched until somebody pays it."""
        charge = self.put(
            "charges",
            charge_id=self.new_id("rch"),
            booking_ref=row["booking_ref"],
            kind=kind,
            amount_minor=amount_minor,
            currency=row["currency"],
            reason=reason,
            raised_at=self.stamp(),
        )
        self._tell(row, "charge", f"Charge: {kind}", f"{amount_minor} {row['currency']} (minor units): {reason}")
        return str(charge["charge_id"])

    def _note(self, row: Record, text: str, charge_minor: int = 0) -> Record:
        line = {"at": self.stamp(), "text": text, "charge_minor": charge_minor}
        return self.patch("bookings", row["booking_ref"], history=[*row["history"], line])

    def _tell(self, row: Record, status: str, title: str, body: str) -> None:
        """Let status subscriptions to a booking know."""
        ref = row["booking_ref"]
        self.world.emit("status", source=self.name, ref=ref, status=status, title=f"{title}: {ref}", body=body)

    def check_invariants(self) -> None:
        for row in self.rows("bookings"):
            period = self._period(row)
            assert period.end > period.start, row
            assert row["total_minor"] == row["rental_minor"] + row["one_way_minor"] + row["insurance_minor"], row
            assert 0 <= row["paid_minor"] <= row["total_minor"], row
            assert row["status"] != "cancelled" or row["paid_minor"] == row["kept_minor"], row
            assert row["status"] == "cancelled" or not row["kept_minor"], row
            if row["status"] in ("picked_up", "returned"):
                assert row["paid_minor"] == row["total_minor"] or not row["days"], row
            assert row["payment_method_id"] or row["status"] != "confirmed" or not row["paid_minor"], row
            offer = self._offer(row["offer_id"])
            assert self._returnable(offer, row["return_station_id"]), row
            assert row["currency"] == offer["currency"], row
        for offer in self.rows("offers"):
            if any(row["offer_id"] == offer["offer_id"] and row["days"] for row in self.rows("bookings")):
                assert offer["units"] >= self._needed(offer["offer_id"]), offer
        for charge in self.rows("charges"):
            assert (charge["status"] == "paid") == bool(charge["payment_method_id"]), charge
            assert self.seconds(charge["raised_at"]) <= self.now, charge
        phases = [(row["booking_ref"], row["phase"]) for row in self.rows("reports")]
        assert len(phases) == len(set(phases)), phases
        for row in self.rows("incidents"):
            assert self.seconds(row["occurred_at"]) <= self.seconds(row["reported_at"]) <= self.now, row


_ALL_DAYS: tuple[Weekday, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
