"""Recipes for flights, hotels, trains, cars, visas, maps and the weather."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifegym.world import clock
from recipes.scene import Recipe, Scene, Unplayable

__all__ = ["TRAVEL"]

Arguments = dict[str, Any]
_LIVE = ("held", "ticketed")


# -- flights -------------------------------------------------------------------------------------------------------


def _flight(s: Scene, flight_id: str) -> Any:
    return s.world.table("flight_booking.flights").find(flight_id)


def _bookable(s: Scene, offer: Any, within_days: int = 100) -> bool:
    flights = [_flight(s, flight_id) for flight_id in (*offer["outbound"], *offer["inbound"])]
    leaves = s.seconds(flights[0]["departs"])
    return (
        offer["seats_left"] >= 2
        and s.coming(offer["valid_until"])
        and s.world.now + clock.HOUR < leaves < s.world.now + within_days * clock.DAY
        and all(flight["status"] != "cancelled" for flight in flights)
    )


def search_flights(s: Scene) -> Arguments:
    offer = s.pick("flight_booking.offers")
    first = _flight(s, offer["outbound"][0])
    return {
        "origin": first["origin"],
        "destination": _flight(s, offer["outbound"][-1])["destination"],
        "departure_date": first["date"],
        "currency": offer["currency"],
    }


def create_flight_booking(s: Scene) -> Arguments:
    offer = s.pick("flight_booking.offers", lambda row: _bookable(s, row))
    return {
        "offer_id": offer["offer_id"],
        "passengers": [{"given_name": s.name("Ann"), "family_name": "Lee"}],
        "contact": {"email": "ann@mail.example"},
        "payment": {"payment_method_id": "wallet"},
    }


def _booking(s: Scene, test: Any = None, status: Sequence[str] = _LIVE) -> Any:
    return s.pick_after(
        lambda s: s.make("flight_booking.create_booking"), "flight_booking.bookings", test, status=tuple(status)
    )


def get_flight_booking(s: Scene) -> Arguments:
    return {"pnr": _booking(s)["pnr"]}


def _unflown(s: Scene, row: Any) -> bool:
    return all(
        segment["status"] == "confirmed" and s.coming(_flight(s, segment["flight_id"])["departs"])
        for segment in row["segments"]
    )


def get_flight_status(s: Scene) -> Arguments:
    flight = s.pick("flight_booking.flights", lambda row: s.coming(row["departs"]), status=("scheduled", "delayed"))
    return {"flight_no": flight["flight_no"], "date": flight["date"]}


def get_seat_map(s: Scene) -> Arguments:
    if s.chance(0.5):
        return {"segment_idx": 0, "offer_id": s.pick("flight_booking.offers")["offer_id"]}
    return {"segment_idx": 0, "pnr": _booking(s)["pnr"]}


def select_seat(s: Scene) -> Arguments:
    booking = _booking(s, lambda row: _unflown(s, row))
    index = s.number(0, len(booking["segments"]) - 1)
    layout = s.call("flight_booking.get_seat_map", segment_idx=index, pnr=booking["pnr"])
    free = [seat for row in layout.get("rows", ()) if not row["exit_row"] for seat in row["free"]]
    return {"pnr": booking["pnr"], "segment_idx": index, "passenger": 0, "seat": s.choose(free)}


def _route_of(s: Scene, offer: Any) -> tuple[str, str, bool]:
    first, last = _flight(s, offer["outbound"][0]), _flight(s, offer["outbound"][-1])
    return first["origin"], last["destination"], bool(offer["inbound"])


def change_flight_booking(s: Scene) -> Arguments:
    booking = _booking(s, lambda row: _unflown(s, row), ("ticketed",))
    old = s.world.table("flight_booking.offers").find(booking["offer_id"])
    if old is None:
        raise Unplayable
    route = _route_of(s, old)
    offer = s.pick(
        "flight_booking.offers",
        lambda row: row["offer_id"] != old["offer_id"] and _route_of(s, row) == route and _bookable(s, row),
        currency=booking["currency"],
    )
    return {"pnr": booking["pnr"], "new_offer_id": offer["offer_id"]}


def cancel_flight_booking(s: Scene) -> Arguments:
    return {"pnr": _booking(s, lambda row: _unflown(s, row))["pnr"], "reason": s.text()}


def confirm_hold(s: Scene) -> Arguments:
    def hold(s: Scene) -> None:
        offer = s.pick("flight_booking.offers", lambda row: row["hold_hours"] > 0 and _bookable(s, row))
        s.make("flight_booking.create_booking", offer_id=offer["offer_id"], hold=True)

    found = s.pick_after(hold, "flight_booking.bookings", lambda row: _unflown(s, row), status="held")
    return {"pnr": found["pnr"], "payment": {"payment_method_id": "wallet"}}


def check_in(s: Scene) -> Arguments:
    def soon(s: Scene) -> None:
        offer = s.pick("flight_booking.offers", lambda row: _bookable(s, row, 20))
        s.make("flight_booking.create_booking", offer_id=offer["offer_id"])

    def open_now(row: Any) -> bool:
        return _unflown(s, row) and not row["segments"][0]["passengers"][0]["checked_in"]

    booking = s.pick_after(soon, "flight_booking.bookings", open_now, status="ticketed")
    flight = _flight(s, booking["segments"][0]["flight_id"])
    if flight["desk_only"]:
        raise Unplayable
    s.wait_until(s.seconds(flight["departs"]) - flight["checkin_opens_minutes"] * 60 + clock.HOUR)
    return {"pnr": booking["pnr"], "segment_idx": 0}


# -- hotels --------------------------------------------------------------------------------------------------------


def search_hotels(s: Scene) -> Arguments:
    first = s.number(1, 40)
    return {
        "city_or_geo": s.pick("hotel_booking.hotels")["city"],
        "check_in": s.day(first, first),
        "check_out": s.day(first + 1, first + 5),
        "guests": s.number(1, 2),
    }


def get_room_availability(s: Scene) -> Arguments:
    asked = search_hotels(s)
    del asked["city_or_geo"]
    return asked | {"hotel_id": s.pick("hotel_booking.hotels")["hotel_id"]}


def create_reservation(s: Scene) -> Arguments:
    plan = s.pick("hotel_booking.rate_plans", lambda row: row["rooms"] > 0)
    first = s.number(1, 50)
    return {
        "rate_plan_id": plan["rate_plan_id"],
        "guest_profile": {"name": "Ann Lee", "user_id": s.owner},
        "payment_method_id": "wallet",
        "check_in": s.day(first, first),
        "check_out": s.day(first + 1, first + 3),
        "guests": 1,
    }


def _stay(s: Scene) -> Any:
    return s.pick_after(
        lambda s: s.make("hotel_booking.create_reservation"),
        "hotel_booking.reservations",
        lambda row: s.coming(row["check_in"]),
        status=("confirmed", "held"),
    )


def get_reservation(s: Scene) -> Arguments:
    return {"reservation_id": _stay(s)["reservation_id"]}


def modify_reservation(s: Scene) -> Arguments:
    stay = _stay(s)
    last = clock.parse_day(stay["check_out"]).toordinal() + s.number(1, 2)
    return {
        "reservation_id": stay["reservation_id"],
        "new_check_out": type(s.world.start).fromordinal(last).isoformat(),
    }


def request_late_checkout(s: Scene) -> Arguments:
    return {"reservation_id": _stay(s)["reservation_id"], "new_time": s.choose(("12:00", "13:30", "15:00"))}


def submit_special_request(s: Scene) -> Arguments:
    return {"reservation_id": _stay(s)["reservation_id"], "text": s.text()}


# -- trains --------------------------------------------------------------------------------------------------------


def search_trains(s: Scene) -> Arguments:
    train = s.pick("rail_booking.trains", lambda row: s.coming(row["departs"]))
    return {"origin": train["origin"], "dest": train["dest"], "date": train["date"]}


def _train_offer(s: Scene, test: Any = None, **fields: Any) -> Any:
    trains = s.world.table("rail_booking.trains")

    def on_sale(row: Any) -> bool:
        train = trains.find(row["train_key"])
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


# -- cars ----------------------------------------------------------------------------------------------------------


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


# -- visas ---------------------------------------------------------------------------------------------------------


def check_entry_requirements(s: Scene) -> Arguments:
    rule = s.pick("visa_and_advisory.requirements")
    return {key: rule[key] for key in ("nationality", "destination", "purpose")}


def list_visa_products(s: Scene) -> Arguments:
    return {"nationality": "CN", "destination": s.pick("visa_and_advisory.products")["destination"]}


def start_visa_application(s: Scene) -> Arguments:
    product = s.pick("visa_and_advisory.products")
    nationality = s.choose(product["nationalities"]) if product["nationalities"] else "CN"
    return {"product_id": product["product_id"], "applicant_profile": {"name": "Ann Lee", "nationality": nationality}}


def _application(s: Scene) -> Any:
    return s.pick_after(
        lambda s: s.make("visa_and_advisory.start_visa_application"), "visa_and_advisory.applications", status="draft"
    )


def get_visa_application(s: Scene) -> Arguments:
    return {"application_id": _application(s)["application_id"]}


def upload_document(s: Scene) -> Arguments:
    application = _application(s)
    product = s.world.table("visa_and_advisory.products").find(application["product_id"])
    return {
        "application_id": application["application_id"],
        "kind": s.choose([*product["required_documents"], *product["optional_documents"]]),
        "doc_ref": s.choose(s.world.workspace.paths()),
    }


def submit_visa_application(s: Scene) -> Arguments:
    application = _application(s)
    product = s.world.table("visa_and_advisory.products").find(application["product_id"])
    refs = []
    for kind in product["required_documents"]:
        path = f"papers/{s.name('page')}.txt"
        s.call("workspace.write_file", path=path, text=s.text())
        s.call(
            "visa_and_advisory.upload_document",
            application_id=application["application_id"],
            kind=kind,
            doc_ref=path,
        )
        refs.append(path)
    return {
        "application_id": application["application_id"],
        "answers": dict.fromkeys(product["questions"], "yes"),
        "docs_refs": refs,
        "payment_method_id": "wallet",
    }


# -- maps and weather ----------------------------------------------------------------------------------------------


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


TRAVEL: dict[str, Recipe] = {
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
    "flight_booking.cancel_booking": cancel_flight_booking,
    "flight_booking.change_booking": change_flight_booking,
    "flight_booking.check_in": check_in,
    "flight_booking.confirm_hold": confirm_hold,
    "flight_booking.create_booking": create_flight_booking,
    "flight_booking.get_booking": get_flight_booking,
    "flight_booking.get_flight_status": get_flight_status,
    "flight_booking.get_seat_map": get_seat_map,
    "flight_booking.search_flights": search_flights,
    "flight_booking.select_seat": select_seat,
    "flight_booking.subscribe_flight_status": get_flight_status,
    "hotel_booking.cancel_reservation": get_reservation,
    "hotel_booking.create_reservation": create_reservation,
    "hotel_booking.get_reservation": get_reservation,
    "hotel_booking.get_room_availability": get_room_availability,
    "hotel_booking.modify_reservation": modify_reservation,
    "hotel_booking.request_late_checkout": request_late_checkout,
    "hotel_booking.search_hotels": search_hotels,
    "hotel_booking.submit_special_request": submit_special_request,
    "maps.directions": directions,
    "maps.get_traffic_estimate": timed_way,
    "maps.get_transit": timed_way,
    "maps.reverse_geocode": reverse_geocode,
    "rail_booking.cancel_train_booking": cancel_train_booking,
    "rail_booking.change_train_booking": change_train_booking,
    "rail_booking.create_train_booking": create_train_booking,
    "rail_booking.search_trains": search_trains,
    "visa_and_advisory.check_entry_requirements": check_entry_requirements,
    "visa_and_advisory.get_visa_application": get_visa_application,
    "visa_and_advisory.list_visa_products": list_visa_products,
    "visa_and_advisory.start_visa_application": start_visa_application,
    "visa_and_advisory.submit_visa_application": submit_visa_application,
    "visa_and_advisory.upload_document": upload_document,
    "weather.get_alerts": weather_at,
    "weather.get_aqi": weather_at,
    "weather.get_current_weather": weather_at,
    "weather.get_forecast_daily": weather_at,
    "weather.get_forecast_hourly": weather_at,
    "weather.subscribe_alerts": subscribe_alerts,
}
