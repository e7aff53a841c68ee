"""Who may drive: drivers as they are given, their age and years of licence on the day of pick-up, the offer's rules."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NotRequired

from dateutil.relativedelta import relativedelta
from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.car_rental.journeys import CarRentalJourneys
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["CarRentalPeople", "DriverProfile", "PaymentDetails", "RentalContact"]

MOST_DRIVERS = 6
Name = Annotated[str, Field(min_length=1, max_length=80)]


class DriverProfile(TypedDict):
    """A driver: name; age or birth_date (YYYY-MM-DD); licence_year or licence_since (YYYY-MM-DD)."""

    name: Name
    user_id: NotRequired[Annotated[str, Field(max_length=80)]]
    age: NotRequired[Annotated[int, Field(ge=0, le=120)]]
    birth_date: NotRequired[str]
    licence_year: NotRequired[Annotated[int, Field(ge=1930, le=2199)]]
    licence_since: NotRequired[str]
    licence_no: NotRequired[Annotated[str, Field(max_length=40)]]


class RentalContact(TypedDict):
    """Whom the company writes to."""

    email: Annotated[str, Field(max_length=200)]
    name: NotRequired[Annotated[str, Field(max_length=80)]]
    phone: NotRequired[Annotated[str, Field(max_length=40)]]


class PaymentDetails(TypedDict):
    """What is charged."""

    payment_method_id: str


class CarRentalPeople(CarRentalJourneys):
    """Drivers and contacts."""

    def _drivers(self, profiles: Sequence[DriverProfile], offer: Record, day: dt.date) -> list[dict[str, Any]]:
        """The drivers as a booking keeps them, if the offer's rules allow every one.

        Raises:
            ToolError: ``bad_driver``, ``bad_date``, ``driver_not_allowed``.
        """
        if not 1 <= len(profiles) <= MOST_DRIVERS:
            raise ToolError("bad_driver", f"a booking has 1 to {MOST_DRIVERS} drivers, the main driver first")
        drivers = [self._driver(profile, day) for profile in profiles]
        names = [driver["name"] for driver in drivers]
        if len(set(names)) != len(names):
            raise ToolError("bad_driver", "the same driver is named twice; name everybody once")
        self._check_allowed(drivers, offer)
        return drivers

    @staticmethod
    def _check_allowed(drivers: Sequence[Mapping[str, Any]], offer: Record) -> None:
        """Refuse drivers whom an offer's rules do not allow.

        Raises:
            ToolError: ``driver_not_allowed``.
        """
        oldest = offer["max_age"]
        for driver in drivers:
            if driver["age"] < offer["min_age"] or (oldest is not None and driver["age"] > oldest):
                span = f"from {offer['min_age']}" if oldest is None else f"from {offer['min_age']} to {oldest}"
                raise ToolError(
                    "driver_not_allowed",
                    f"{driver['name']} is {driver['age']} at pick-up; this car is for drivers {span} years old",
                )
            if driver["licence_years"] < offer["min_licence_years"]:
                raise ToolError(
                    "driver_not_allowed",
                    f"{driver['name']} will have held a licence for {driver['licence_years']} years; this car asks for "
                    f"{offer['min_licence_years']}",
                )

    def _driver(self, profile: DriverProfile, day: dt.date) -> dict[str, Any]:
        name = profile["name"].strip()
        if not name:
            raise ToolError("bad_driver", "every driver has a name")
        if "birth_date" in profile:
            age = relativedelta(day, self.day(profile["birth_date"], "birth_date")).years
        elif "age" in profile:
            age = profile["age"]
        else:
            raise ToolError("bad_driver", f"give the age or the birth_date of {name}")
        if "licence_since" in profile:
            held = relativedelta(day, self.day(profile["licence_since"], "licence_since")).years
        elif "licence_year" in profile:
            held = day.year - profile["licence_year"]
        else:
            raise ToolError("bad_driver", f"give the licence_year or licence_since of {name}")
        return {
            "name": name,
            "user_id": profile.get("user_id", ""),
            "age": age,
            "licence_years": held,
            "licence_no": profile.get("licence_no", ""),
        }

    @staticmethod
    def _contact(contact: RentalContact, drivers: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """The contact as a booking keeps it.

        Raises:
            ToolError: ``bad_contact``.
        """
        email = contact["email"].strip()
        local, _, domain = email.partition("@")
        if not local or "." not in domain or any(ch.isspace() for ch in email):
            raise ToolError("bad_contact", "contact needs the email address to which the company writes")
        return {
            "name": contact.get("name", "") or drivers[0]["name"],
            "email": email,
            "phone": contact.get("phone", ""),
        }
