"""A car rental company: offers, bookings, the car's condition at pick-up and return, incidents, the road."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import paged
from lifegym.services.car_rental.records import IncidentType, Phase
from lifegym.services.car_rental.renting import CarRentalRenting
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CarRental"]

EARLY = 2 * clock.HOUR
REPORT_WITHIN = clock.DAY
_WORDS = {"full": 100, "half": 50, "empty": 0}
_NUMBER = re.compile(r"(\d{1,3}(?:\.\d+)?)\s*(?:%|percent)?")
_SHARE = re.compile(r"(\d{1,2})\s*/\s*(\d{1,2})")
CheckItem = Annotated[str, Field(max_length=300)] | bool | Annotated[int, Field(ge=0, le=10_000)]


class CarRental(CarRentalRenting):
    """Rental cars from booking to return. Amounts are minor units."""

    # -- tools: bookings -----------------------------------------------------------------------------------------

    @tool(write=False)
    def list_bookings(self, user_id: str | None = None, page: int = 1, page_size: int = 20) -> dict[str, Any]:
        """List bookings, the latest pick-up last.

        Args:
            user_id: Only those of this main driver (driver_user_id); all if left out.
            page: Page of results, from 1.
            page_size: Bookings on a page, up to 100.

        Returns:
            bookings: booking_ref, offer_id, user_id, model, vehicle_class, seats, station_id, return_station_id,
            pickup_at, return_at, status (confirmed, picked_up, returned or cancelled), drivers (names),
            insurance_plan_id, total_minor, paid_minor, due_minor, currency. total, page, pages.

        Errors:
            bad_page: page or page_size is out of range.
        """
        rows = [row for row in self.rows("bookings") if user_id is None or row["user_id"] == user_id]
        rows.sort(key=lambda row: self.seconds(row["pickup_at"]))
        part = paged(rows, page, page_size)
        keys = (
            "booking_ref", "offer_id", "user_id", "model", "vehicle_class", "seats", "station_id", "return_station_id",
            "pickup_at", "return_at", "status", "insurance_plan_id", "total_minor", "paid_minor", "currency",
        )  # fmt: skip
        shown = [
            {
                **{key: row[key] for key in keys},
                "drivers": [driver["name"] for driver in row["drivers"]],
                "due_minor": self._due(row),
            }
            for row in part.pop("rows")
        ]
        return {**part, "bookings": shown}

    @tool(write=False)
    def get_booking(self, booking_ref: str) -> dict[str, Any]:
        """Show a booking as the company has it now.

        Args:
            booking_ref: From list_bookings.

        Returns:
            booking_ref, offer_id, user_id, status, model, vehicle_class, energy_type, seats, pickup_at, return_at,
            station and return_station (name, address, hours, phone, email, zone, closed_days), insurance_plan_id,
            drivers (name, age, licence_years), contact, days, price_per_day_minor, rental_minor, one_way_minor,
            insurance_minor, total_minor, paid_minor, due_minor, kept_minor, currency, deposit_minor, payment_method_id
            (empty: at the counter), free_cancel_until, cancelled_at, cancelled_by, reason; charges (charge_id, kind,
            amount_minor, reason, status: open, paid or waived), open_charges_minor; history.

        Errors:
            not_found: There is no such booking.
        """
        return self._shown(self._booking(booking_ref))

    # -- tools: condition and return -----------------------------------------------------------------------------

    @tool(write=True)
    def report_vehicle_condition(
        self,
        booking_ref: str,
        phase: Phase,
        checklist_items: dict[str, CheckItem],
        odometer_km: Annotated[float, Field(ge=0, le=2_000_000)] | None = None,
        fuel_or_charge_level: str | None = None,
        notes: Annotated[str, Field(max_length=4000)] | None = None,
    ) -> dict[str, Any]:
        """Put the car's condition at pick-up or return on record; once for each, and it cannot be changed.

        The pick-up report is taken from 2 hours before pick-up to 24 hours after it, the return report from pick-up to
        24 hours after the return. A return report raises open charges for missing fuel, extra kilometres and cleaning.

        Args:
            booking_ref: From list_bookings.
            phase: pickup or return.
            checklist_items: What was looked at, each a text, a number or true/false, such as {"bodywork": "scratch on
                the left door", "tyres": true, "clean": true, "photos": 6}. "clean": false on return costs the cleaning
                fee; "photos" is how many were taken.
            odometer_km: What the odometer shows.
            fuel_or_charge_level: full, half, empty, a share such as 3/4, or a percentage such as 80%.
            notes: Anything else.

        Returns:
            report_id, booking_ref, phase, reported_at, checklist, odometer_km, level, level_percent, notes;
            new_charges (charge_id, kind, amount_minor, reason); still_missing (for the return).

        Errors:
            not_found: There is no such booking.
            bad_phase: The booking is cancelled, or it is too early or too late for this report.
            bad_checklist: There are no items, more than 50, or a name is blank or longer than 80 characters.
            exists: There is a report for this phase already.
            bad_level: The level is none of these forms.
            bad_odometer: The odometer shows less than at pick-up.
        """
        row = self._booking(booking_ref)
        self._check_phase(row, phase)
        named = all(item.strip() and len(item) <= 80 for item in checklist_items)
        if not named or not 1 <= len(checklist_items) <= 50:
            raise ToolError(
                "bad_checklist", 'give 1 to 50 named items, such as {"bodywork": "no scratches", "photos": 4}'
            )
        known = self._report(booking_ref, phase)
        if known is not None:
            raise ToolError("exists", f"{known['report_id']} is the {phase} report already; use report_incident")
        level = _percent(fuel_or_charge_level) if fuel_or_charge_level else None
        before = self._report(booking_ref, "pickup") if phase == "return" else None
        if odometer_km is not None and before and (before["odometer_km"] or 0) > odometer_km:
            raise ToolError("bad_odometer", f"the odometer showed {before['odometer_km']} km at pick-up; read it again")
        report = self.put(
            "reports",
            report_id=self.new_id("rcr"),
            booking_ref=booking_ref,
            phase=phase,
            reported_at=self.stamp(),
            checklist=checklist_items,
            odometer_km=float(odometer_km) if odometer_km is not None else None,
            level=fuel_or_charge_level or "",
            level_percent=level,
            notes=notes or "",
        )
        owed = self._owed(row, report, before) if phase == "return" else []
        raised = [self.find("charges", self._raise_charge(row, *line)) for line in owed]
        return {**report, "new_charges": raised, "still_missing": self._missing(row)}

    @tool(write=False)
    def get_return_requirements(self, booking_ref: str) -> dict[str, Any]:
        """Show what has to be done to return a car without extra cost, and what is still missing.

        Args:
            booking_ref: From list_bookings.

        Returns:
            booking_ref, status, return_at, return_station (name, address, hours, closed_days, phone),
            open_at_return_time, required_level_percent (of tank or battery; null until the pick-up report says it),
            level_rule, refuel_minor_per_percent, cleaning_rule, cleaning_fee_minor, photos_required, included_km (null
            is unlimited), extra_km_minor, odometer_at_pickup_km, late_rule, currency; still_missing (texts);
            open_charges (charge_id, kind, amount_minor, reason).

        Errors:
            not_found: There is no such booking.
        """
        row = self._booking(booking_ref)
        offer, station = self._offer(row["offer_id"]), self._station(row["return_station_id"])
        before = self._report(booking_ref, "pickup")
        what = "charged" if row["energy_type"] == "electric" else "filled"
        rule = "Return it at the level of pick-up." if offer["return_level_percent"] is None else (
            f"Return it {what} to at least {offer['return_level_percent']} percent."
        )  # fmt: skip
        included = offer["included_km_per_day"]
        return {
            "booking_ref": booking_ref,
            "status": row["status"],
            "return_at": row["return_at"],
            "return_station": self._station_shown(station),
            "open_at_return_time": self._open_at(station, self.seconds(row["return_at"])),
            "required_level_percent": self._required_level(offer, before),
            "level_rule": rule,
            "refuel_minor_per_percent": offer["refuel_minor_per_percent"],
            "cleaning_rule": "Return it swept and without rubbish.",
            "cleaning_fee_minor": offer["cleaning_fee_minor"],
            "photos_required": offer["photos_required"],
            "included_km": None if included is None else included * row["days"],
            "extra_km_minor": offer["extra_km_minor"],
            "odometer_at_pickup_km": before["odometer_km"] if before else None,
            "late_rule": "Each begun 24 hours are a day, with 30 minutes of grace; change_booking extends a rental.",
            "currency": row["currency"],
            "still_missing": self._missing(row),
            "open_charges": [
                charge
                for charge in self.rows("charges")
                if charge["booking_ref"] == booking_ref and charge["status"] == "open"
            ][-50:],
        }

    # -- tools: incidents ----------------------------------------------------------------------------------------

    @tool(write=True)
    def report_incident(
        self,
        booking_ref: str,
        incident_type: IncidentType,
        occurred_at: str,
        location: Annotated[str, Field(min_length=1, max_length=300)],
        description: Annotated[str, Field(min_length=1, max_length=4000)],
        photos_count: Annotated[int, Field(ge=0, le=1000)] = 0,
        safe_to_drive: bool = True,
        estimated_fee: Annotated[float, Field(ge=0, le=10**9)] | None = None,
    ) -> dict[str, Any]:
        """Report what happened to a rented car. It has to be reported within 24 hours; the report cannot be changed.

        Args:
            booking_ref: From list_bookings.
            incident_type: accident, breakdown, damage, flat_tyre, lost_key, theft or other.
            occurred_at: ISO 8601 date-time (local to the station of pick-up without an offset), during the rental.
            location: Where.
            description: What happened.
            photos_count: How many photos there are.
            safe_to_drive: Whether the car can go on.
            estimated_fee: What it may cost, in whole units of the booking's currency.

        Returns:
            incident_id, booking_ref, incident_type, occurred_at, reported_at, location, description, photos_count,
            safe_to_drive, estimated_fee; insurance_plan, excess_minor and currency; station_phone; next_step.

        Errors:
            not_found: There is no such booking.
            not_picked_up: The car was never picked up.
            bad_time: occurred_at is not ISO 8601.
            not_in_rental: It is in the future, or not between pick-up and return.
            too_late: It happened more than 24 hours ago.
        """
        row = self._booking(booking_ref)
        if row["status"] not in ("picked_up", "returned"):
            raise ToolError("not_picked_up", f"booking {booking_ref} is {row['status']}; there is no car to report on")
        station = self._station(row["station_id"])
        zone = self._zone(station)
        at, period = self._at(occurred_at, "occurred_at", zone), self._period(row)
        if at > self.now or not period.start <= at <= period.end:
            raise ToolError("not_in_rental", f"occurred_at must lie between {row['pickup_at']} and {row['return_at']}")
        if self.now - at > REPORT_WITHIN:
            raise ToolError(
                "too_late", f"incidents are taken within 24 hours; call {station['phone'] or station['name']}"
            )
        plan = self._plan(row["insurance_plan_id"])
        incident = self.put(
            "incidents",
            incident_id=self.new_id("inc"),
            booking_ref=booking_ref,
            incident_type=incident_type,
            occurred_at=clock.iso(at, zone),
            reported_at=self.stamp(),
            location=location,
            description=description,
            photos_count=photos_count,
            safe_to_drive=safe_to_drive,
            estimated_fee=float(estimated_fee) if estimated_fee is not None else None,
        )
        return {
            **incident,
            "insurance_plan": plan["name"],
            "excess_minor": plan["excess_minor"],
            "currency": row["currency"],
            "station_phone": station["phone"],
            "next_step": _next_step(incident),
        }

    @tool(write=False)
    def list_incident_reports(
        self, booking_ref: str | None = None, page: int = 1, page_size: int = 20
    ) -> dict[str, Any]:
        """List incident reports, the newest first.

        Args:
            booking_ref: Only those of this booking; all if left out.
            page: Page of results, from 1.
            page_size: Reports on a page, up to 100.

        Returns:
            incidents: incident_id, booking_ref, incident_type, occurred_at, reported_at, location, description,
            photos_count, safe_to_drive, estimated_fee. total, page, pages.

        Errors:
            not_found: There is no such booking.
            bad_page: page or page_size is out of range.
        """
        if booking_ref is not None:
            self._booking(booking_ref)
        rows = [row for row in self.rows("incidents") if booking_ref is None or row["booking_ref"] == booking_ref]
        part = paged(rows[::-1], page, page_size)
        return {**part, "incidents": part.pop("rows")}

    # -- inside --------------------------------------------------------------------------------------------------

    def _report(self, booking_ref: str, phase: str) -> Record | None:
        mine = (row for row in self.rows("reports") if row["booking_ref"] == booking_ref and row["phase"] == phase)
        return next(mine, None)

    def _check_phase(self, row: Record, phase: str) -> None:
        """Refuse a report at the wrong time.

        Raises:
            ToolError: ``bad_phase``.
        """
        period = self._period(row)
        if row["status"] == "cancelled":
            raise ToolError("bad_phase", "the booking was cancelled")
        first, last = (period.start - EARLY, period.start) if phase == "pickup" else (period.start, period.end)
        if not first <= self.now <= last + REPORT_WITHIN:
            since, until = self.world.iso(first), self.world.iso(last + REPORT_WITHIN)
            raise ToolError("bad_phase", f"the {phase} report is taken from {since} to {until}")

    @staticmethod
    def _required_level(offer: Record, before: Record | None) -> int | None:
        """The level at which a car has to come back."""
        level: int | None = offer["return_level_percent"]
        if level is None and before is not None:
            level = before["level_percent"]
        return level

    def _owed(self, row: Record, report: Record, before: Record | None) -> list[tuple[str, int, str]]:
        """What a return report shows to be owed: kind, amount, reason."""
        offer = self._offer(row["offer_id"])
        owed = []
        required, level = self._required_level(offer, before), report["level_percent"]
        if required is not None and level is not None and level < required:
            lacking = required - level
            what = f"{lacking} percent below the required {required}"
            owed.append(("fuel", lacking * offer["refuel_minor_per_percent"], what))
        start = before["odometer_km"] if before else None
        included = offer["included_km_per_day"]
        if start is not None and report["odometer_km"] is not None and included is not None:
            extra = math.ceil(report["odometer_km"] - start) - included * row["days"]
            owed.append(("km", max(0, extra) * offer["extra_km_minor"], f"{extra} km more than included"))
        if report["checklist"].get("clean") is False:
            owed.append(("cleaning", offer["cleaning_fee_minor"], "the car was not clean"))
        return [line for line in owed if line[1] > 0]

    def _missing(self, row: Record) -> list[str]:
        """What is still to be done for a car's return, in words."""
        if row["status"] == "cancelled":
            return []
        offer = self._offer(row["offer_id"])
        missing = []
        if self._report(row["booking_ref"], "pickup") is None:
            missing.append("the pick-up report")
        report = self._report(row["booking_ref"], "return")
        if report is None:
            return [*missing, "the return report with level, odometer, clean and photos"]
        if report["level_percent"] is None:
            missing.append("the level of tank or battery on return")
        if report["odometer_km"] is None:
            missing.append("the odometer on return")
        photos = report["checklist"].get("photos", 0)
        taken = photos if isinstance(photos, int) else 0
        if taken < offer["photos_required"]:
            missing.append(f"{offer['photos_required'] - taken} photos")
        return missing


def _percent(text: str) -> int:
    """How full a tank or battery is.

    Raises:
        ToolError: ``bad_level``.
    """
    clean = text.strip().lower()
    share, number = _SHARE.fullmatch(clean), _NUMBER.fullmatch(clean)
    level = -1
    if clean in _WORDS:
        level = _WORDS[clean]
    elif share and int(share[2]):
        level = round(100 * int(share[1]) / int(share[2]))
    elif number:
        level = round(float(number[1]))
    if not 0 <= level <= 100:
        raise ToolError("bad_level", "give full, half, empty, a share such as 3/4, or a percentage such as 80%")
    return level


def _next_step(incident: Record) -> str:
    """What the company asks for after an incident."""
    if incident["incident_type"] in ("accident", "theft"):
        step = "Call the police and keep their reference number; then call the station."
    elif not incident["safe_to_drive"]:
        step = "Leave the car where it is safe and call the station for help."
    else:
        step = "Drive on with care and show the damage on return."
    return step if incident["photos_count"] else f"{step} Take photos."
