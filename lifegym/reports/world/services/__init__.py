"""The page of each service. A service that has none of its own shows what its read tools list."""

from __future__ import annotations

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
from lifegym.reports.world.views import Listed, View
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
    found = VIEWS.get(service)
    if found is not None:
        return found
    lists = []
    for spec in catalogue.tools_of(service).values():
        rows = spec.docs.returns.partition(":")[0]
        if not spec.write and set(spec.schema["required"]) <= {"user_id"} and rows.isidentifier():
            lists.append(Listed(rows.replace("_", " ").capitalize(), spec.name, rows))
    return View(tuple(lists))
