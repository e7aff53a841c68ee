"""The page of each service. A service that has none of its own shows what its read tools list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from lifegym.reports.world.services import (
    around,
    calendar,
    daily,
    files,
    mail,
    money,
    notes,
    official,
    shopping,
    travel,
    work,
)  # fmt: skip
from lifegym.reports.world.views import Listed, Opened, View, stem
from lifegym.services import catalogue

__all__ = ["VIEWS", "view"]

VIEWS: dict[str, View] = {
    "banking": money.BANKING,
    "brokerage": money.BROKERAGE,
    "calendar": calendar.VIEW,
    "car_rental": travel.CAR_RENTAL,
    "content_platform": notes.CONTENT_PLATFORM,
    "credit_card": money.CREDIT_CARD,
    "delivery_logistics": shopping.DELIVERY_LOGISTICS,
    "ecommerce": shopping.ECOMMERCE,
    "email": mail.VIEW,
    "flight_booking": travel.FLIGHT_BOOKING,
    "health_tracker": daily.HEALTH_TRACKER,
    "hotel_booking": travel.HOTEL_BOOKING,
    "job_board": work.JOB_BOARD,
    "legal_search": official.LEGAL_SEARCH,
    "listing_platform": work.LISTING_PLATFORM,
    "maps": around.MAPS,
    "notification_hub": daily.NOTIFICATION_HUB,
    "notion": notes.NOTION,
    "rail_booking": travel.RAIL_BOOKING,
    "review_platform": around.REVIEW_PLATFORM,
    "visa_and_advisory": official.VISA_AND_ADVISORY,
    "weather": around.WEATHER,
    "workspace": files.VIEW,
}
"""Pages that are laid out by hand."""


@cache
def view(service: str) -> View:
    """The page of a service: its own, or one made of every read tool that needs to know no more than whose."""
    found = VIEWS.get(service) or View(tuple(_lists(service)))
    return replace(found, items={**_details(service), **found.items})


def _lists(service: str) -> Iterator[Listed]:
    for spec in catalogue.tools_of(service).values():
        rows = spec.docs.returns.partition(":")[0]
        if not spec.write and set(spec.schema["required"]) <= {"user_id"} and rows.isidentifier():
            yield Listed(rows.replace("_", " ").capitalize(), spec.name, rows)


def _details(service: str) -> dict[str, Opened]:
    """What opens by its id alone, though no page lists it: ``get_product`` tells of a product that a search found."""
    found = {}
    for name, spec in catalogue.tools_of(service).items():
        required = spec.schema["required"]
        kind = stem(required[0]) if len(required) == 1 else ""
        if not spec.write and kind and name in (f"get_{kind}", f"get_{kind}_details"):
            found[kind] = Opened(spec.name, required[0])
    return found
