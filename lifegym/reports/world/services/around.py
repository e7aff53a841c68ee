"""Places, merchants and the weather."""

from __future__ import annotations

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Note, Part
from lifegym.reports.world.records import facts, record, table
from lifegym.reports.world.views import Listed, Opened, Stock, View

__all__ = ["MAPS", "REVIEW_PLATFORM", "WEATHER"]

MAPS = View(
    (
        Stock(
            "Places", "maps.places", "maps.get_place_details",
            ("name", "category", "address", "city", "rating", "open_now", "indoor", "notes", "place_id"),
        ),
    ),
    hint="search_places finds places; directions, get_transit and get_traffic_estimate tell the ways between them.",
)  # fmt: skip

REVIEW_PLATFORM = View(
    (
        Listed(
            "Reservations", "review_platform.list_reservations", "reservations",
            ("starts_at", "party_size", "code", "price_minor", "deposit_minor", "cancel_until", "note", "reason"),
            heading="merchant_name", subtitle=("city", "reservation_id"), empty="Nothing is reserved.",
        ),
        Listed("Saved", "review_platform.list_saved_merchants", "merchants", empty=""),
        Stock(
            "Merchants", "review_platform.merchants", "review_platform.get_merchant",
            ("name", "category", "area", "city", "rating", "price_band", "per_person_minor", "open_now", "merchant_id"),
        ),
        Stock(
            "Deals", "review_platform.deals", "review_platform.get_deal",
            ("title", "merchant_name", "amount_minor", "unit", "percent_off", "valid_until", "deal_id"),
        ),
    ),
    {"merchant": Opened("review_platform.get_merchant", "merchant_id")},
    "search_merchants finds merchants by category and place.",
)  # fmt: skip


def _areas(look: Look) -> list[Part]:
    """Each area with its days, its air and its warnings."""
    parts: list[Part] = []
    for area in look.keys("weather.areas", "name"):
        geo = area["name"]
        current = look.read("weather.get_current_weather", geo=geo)
        daily = look.read("weather.get_forecast_daily", geo=geo, days=15) or look.read(
            "weather.get_forecast_daily", geo=geo
        )
        if current is None or daily is None:
            continue
        air, alerts = look.read("weather.get_aqi", geo=geo), look.read("weather.get_alerts", geo=geo)
        told = {"condition": current["condition"].replace("_", " "), "humidity": f"{current['humidity']} %"}
        told |= {"air": f"{air['category'].replace('_', ' ')} ({air['aqi']})"} if air else {}
        days = [{**day, "condition": (day["condition"] or "").replace("_", " ")} for day in daily["days"]]
        shown = [table(days, look.zone, "The next days")]
        for kind in ("alerts", "storms"):
            rows = (alerts or {}).get(kind) or []
            shown += [table(rows, look.zone, kind.capitalize())] if rows else []
        place = ", ".join(part for part in (daily["area"]["region"], daily["area"]["country"]) if part)
        now = f"{current['temp']:g} °C"
        parts.append(Cards((Card(geo, place, None, now, facts(told, look.zone), tuple(shown)),), wide=True))
    return parts


def _storms(look: Look) -> list[Part]:
    found = [look.read("weather.get_typhoon_track", **names) for names in look.keys("weather.storms")]
    cards = [
        Card(
            row["name"],
            row["category"].replace("_", " "),
            fields.status(row["status"]),
            "",
            (),
            tuple(_bulletins(row, look)),
        )
        for row in found
        if row
    ]
    return [Cards(tuple(cards), "Storms", wide=True)] if cards else []


def _bulletins(storm: dict[str, object], look: Look) -> list[Part]:
    told = record({"latest": storm["latest"], "earlier": storm["earlier"]}, look.zone)
    return told or [Note("There is no bulletin yet.")]


WEATHER = View((_areas, _storms), hint="get_current_weather and get_forecast_daily take a place's name.")
