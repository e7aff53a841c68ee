"""Recipes for trains, cars, ways on the map and the weather."""

from __future__ import annotations

from typing import Any

from lifegym.world import clock
from recipes.scene import Recipe, Scene

__all__ = ["WAYS"]

Arguments = dict[str, Any]


# -- trains ------------------------------------------------------------------------------------------------------------


def search_trains(s: Scene) -> Arguments:
    train = s.pick("rail_booking.trains", lambda row: s.coming(row["departs"]))
    return {"origin": train["origin"], "dest": train["dest"], "date": train["date"]}


def _train_offer(s: Scene, test: Any = None, **fields: Any) -> Any:
    def on_sale(row: Any) -> bool:
        train = s.find("rail_booking.trains", row["train_key"])
        return (
            row["seats_left"] > 1
            and s.coming(train["departs"])
            and not s.coming(train["sale_opens"])
            and train["status"] == "scheduled"
            and (row["valid_until"] is None or s.coming(row["valid_until"]))
            and (test is None or test(row))
        )

    return s.pick("rail_booking.offers", on_sale, **fields)


def create_train_booking(s: Scene) -> Arguments:
    return {
        "offer_id": _train_offer(s)["offer_id"],
        "passengers": [{"name": s.name("Ann")}],
        "contact": {"name": "Ann Lee", "email": "ann@mail.example", "user_id": s.owner},
        "payment": {"payment_method_id": "wallet"},
    }


def _ticket(s: Scene) -> Any:
    return s.pick_after(
        lambda s: s.make("rail_booking.create_train_booking"),
        "rail_booking.bookings",
        lambda row: s.coming(row["departs"]),
        status="confirmed",
    )


def cancel_train_booking(s: Scene) -> Arguments:
    return {"booking_ref": _ticket(s)["booking_ref"]}


def change_train_booking(s: Scene) -> Arguments:
    ticket = _ticket(s)
    offer = _train_offer(s, lambda row: row["offer_id"] != ticket["offer_id"], currency=ticket["currency"])
    return {"booking_ref": ticket["booking_ref"], "new_offer_id": offer["offer_id"]}


# -- cars --------------------------------------------------------------------------------------------------------------


def _period(s: Scene) -> Arguments:
    first = s.number(1, 30)
    start = s.day(first, first)
    return {"pickup_at": f"{start}T10:00:00", "return_at": f"{s.day(first + 1, first + 4)}T11:00:00"}


def _route(s: Scene) -> Arguments:
    city = s.pick("car_rental.stations")["city"]
    return {"pickup_city": city, "return_city": city, **_period(s), "seats": s.number(2, 4)}


def get_vehicle_offer(s: Scene) -> Arguments:
    return {"offer_id": s.pick("car_rental.offers")["offer_id"], **_period(s)}


def create_rental_booking(s: Scene) -> Arguments:
    offer = s.pick("car_rental.offers", lambda row: row["units"] > 0 and row["min_age"] <= 40, status="offered")
    plan = s.pick("car_rental.plans", currency=offer["currency"])
    return {
        "offer_id": offer["offer_id"],
        "insurance_plan_id": plan["plan_id"],
        "driver_user_id": s.owner,
        "drivers": [{"name": "Ann Lee", "age": 40, "licence_year": 2008}],
        "contact": {"email": "ann@mail.example"},
        "payment": {"payment_method_id": "wallet"},
        **_period(s),
    }


def _rental(s: Scene, test: Any = None, status: str = "confirmed") -> Any:
    return s.pick_after(
        lambda s: s.make("car_rental.create_rental_booking"), "car_rental.bookings", test, status=status
    )


def _rented(s: Scene, **fields: Any) -> Any:
    """A rental that is under way."""
    rows = s.rows("car_rental.bookings", status="picked_up")
    if rows:
        return s.choose(rows)
    booking = _rental(s)
    s.wait_until(s.seconds(booking["pickup_at"]) + clock.HOUR)
    return booking


def get_rental(s: Scene) -> Arguments:
    made = s.rows("car_rental.bookings")
    return {"booking_ref": (s.choose(made) if made else _rental(s))["booking_ref"]}


def change_rental(s: Scene) -> Arguments:
    booking = _rental(s, lambda row: s.coming(row["pickup_at"]))
    later = s.seconds(booking["return_at"]) + s.number(1, 2) * clock.DAY
    return {"booking_ref": booking["booking_ref"], "return_at": s.world.iso(later)}


def cancel_rental(s: Scene) -> Arguments:
    return {"booking_ref": _rental(s, lambda row: s.coming(row["pickup_at"]))["booking_ref"], "reason": s.text()}


def pay_charge(s: Scene) -> Arguments:
    def owe(s: Scene) -> None:
        booking = _rented(s)
        s.happen(
            "car_rental.extra_charge",
            offer_id=booking["offer_id"],
            kind="toll",
            amount_minor=s.number(100, 900),
            reason=s.text(),
        )

    charge = s.pick_after(owe, "car_rental.charges", status="open")
    return {
        "booking_ref": charge["booking_ref"],
        "charge_id": charge["charge_id"],
        "payment": {"payment_method_id": "wallet"},
    }


def report_vehicle_condition(s: Scene) -> Arguments:
    booking = _rented(s)
    reported = {(row["booking_ref"], row["phase"]) for row in s.rows("car_rental.reports")}
    phases = [phase for phase in ("pickup", "return") if (booking["booking_ref"], phase) not in reported]
    return {
        "booking_ref": booking["booking_ref"],
        "phase": s.choose(phases),
        "checklist_items": {"bodywork": "no scratches", "clean": s.chance(0.7), "photos": s.number(1, 6)},
        "fuel_or_charge_level": s.choose(("full", "3/4", "80%")),
    }


def report_incident(s: Scene) -> Arguments:
    booking = _rented(s)
    return {
        "booking_ref": booking["booking_ref"],
        "incident_type": s.choose(("damage", "flat_tyre", "other")),
        "occurred_at": s.world.iso(s.world.now - s.number(1, 20) * 60),
        "location": "G60",
        "description": s.text(),
    }


# -- maps and weather --------------------------------------------------------------------------------------------------


def _pair(s: Scene) -> tuple[str, str]:
    one = s.pick("maps.places")
    other = s.pick("maps.places", lambda row: row["place_id"] != one["place_id"], city=one["city"])
    return one["place_id"], other["place_id"]


def directions(s: Scene) -> Arguments:
    origin, dest = _pair(s)
    return {"origin": origin, "dest": dest, "mode": s.choose(("driving", "walking", "transit", "cycling"))}


def timed_way(s: Scene) -> Arguments:
    origin, dest = _pair(s)
    return {"origin": origin, "dest": dest, "depart_at": s.at(1, 200)}


def reverse_geocode(s: Scene) -> Arguments:
    place = s.pick("maps.places")
    return {"lat": place["lat"] + s.number(-9, 9) / 1000, "lng": place["lng"] + s.number(-9, 9) / 1000}


def weather_at(s: Scene) -> Arguments:
    area = s.pick("weather.areas")
    return {"geo": s.choose((area["name"], {"lat": area["lat"], "lng": area["lng"]}, f"{area['lat']},{area['lng']}"))}


def subscribe_alerts(s: Scene) -> Arguments:
    return weather_at(s) | {"sink": s.name("sink")}


WAYS: dict[str, Recipe] = {
    "car_rental.cancel_booking": cancel_rental,
    "car_rental.change_booking": change_rental,
    "car_rental.compare_energy_options": _route,
    "car_rental.create_rental_booking": create_rental_booking,
    "car_rental.get_booking": get_rental,
    "car_rental.get_return_requirements": get_rental,
    "car_rental.get_vehicle_offer": get_vehicle_offer,
    "car_rental.pay_charge": pay_charge,
    "car_rental.report_incident": report_incident,
    "car_rental.report_vehicle_condition": report_vehicle_condition,
    "car_rental.search_vehicle_offers": _route,
    "maps.directions": directions,
    "maps.get_traffic_estimate": timed_way,
    "maps.get_transit": timed_way,
    "maps.reverse_geocode": reverse_geocode,
    "rail_booking.cancel_train_booking": cancel_train_booking,
    "rail_booking.change_train_booking": change_train_booking,
    "rail_booking.create_train_booking": create_train_booking,
    "rail_booking.search_trains": search_trains,
    "weather.get_alerts": weather_at,
    "weather.get_aqi": weather_at,
    "weather.get_current_weather": weather_at,
    "weather.get_forecast_daily": weather_at,
    "weather.get_forecast_hourly": weather_at,
    "weather.subscribe_alerts": subscribe_alerts,
}
