"""Recipes for flights, hotels and visas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lifegym.world import clock
from recipes.scene import Recipe, Scene, Unplayable

__all__ = ["TRAVEL"]

Arguments = dict[str, Any]
_LIVE = ("held", "ticketed")


# -- flights -----------------------------------------------------------------------------------------------------------


def _flight(s: Scene, flight_id: str) -> Any:
    return s.find("flight_booking.flights", flight_id)


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
    old = s.find("flight_booking.offers", booking["offer_id"])
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


# -- hotels ------------------------------------------------------------------------------------------------------------


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


# -- visas -------------------------------------------------------------------------------------------------------------


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
    product = s.find("visa_and_advisory.products", application["product_id"])
    return {
        "application_id": application["application_id"],
        "kind": s.choose([*product["required_documents"], *product["optional_documents"]]),
        "doc_ref": s.choose(s.world.workspace.paths()),
    }


def submit_visa_application(s: Scene) -> Arguments:
    application = _application(s)
    product = s.find("visa_and_advisory.products", application["product_id"])
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


TRAVEL: dict[str, Recipe] = {
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
    "visa_and_advisory.check_entry_requirements": check_entry_requirements,
    "visa_and_advisory.get_visa_application": get_visa_application,
    "visa_and_advisory.list_visa_products": list_visa_products,
    "visa_and_advisory.start_visa_application": start_visa_application,
    "visa_and_advisory.submit_visa_application": submit_visa_application,
    "visa_and_advisory.upload_document": upload_document,
}
