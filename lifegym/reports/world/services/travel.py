"""Flights, hotels, trains and rented cars: bookings as cards, and what can be booked."""

from __future__ import annotations

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Note, Part
from lifegym.reports.world.records import facts, record, table
from lifegym.reports.world.views import Listed, Opened, Stock, View

__all__ = ["CAR_RENTAL", "FLIGHT_BOOKING", "HOTEL_BOOKING", "RAIL_BOOKING"]


def _flight(look: Look, pnr: str) -> list[Part]:
    """A booking as its flights, each with who sits where."""
    found = look.read("flight_booking.get_booking", pnr=pnr)
    if found is None:
        return [Note(f"There is no booking {pnr}.", "warn")]
    flights = []
    for segment in found["segments"]:
        seats = table(segment["passengers"], look.zone, columns=("name", "seat", "checked_in"))
        told = ("departs", "arrives", "scheduled_departs", "terminal", "gate", "equipment", "equipment_note", "note")
        same = () if segment["departs"] != segment["scheduled_departs"] else ("scheduled_departs",)
        flights.append(
            Card(
                title=f"{segment['flight_no']}  {segment['from']} → {segment['to']}",
                subtitle=f"{segment['carrier']}, {segment['cabin'].replace('_', ' ').lower()}",
                status=fields.status(segment["flight_status"]),
                figure=fields.day(segment["departs"]),
                facts=facts(segment, look.zone, told, skip=same),
                parts=(seats,),
            )
        )
    return [Cards(tuple(flights), "Flights", wide=True), *record(found, look.zone, "Booking", skip=("segments",))]


FLIGHT_BOOKING = View(
    (
        Listed(
            "Bookings", "flight_booking.list_bookings", "bookings",
            ("departs", "flights", "passengers", "hold_expires_at", "created_at"),
            item="booking", key="pnr", heading="pnr", figure="price_total_minor", empty="Nothing is booked.",
        ),
        Stock(
            "Flights and their status", "flight_booking.flights", "flight_booking.get_flight_status",
            ("flight_id", "carrier", "from", "to", "departs", "arrives", "status", "note"), names=("flight_no", "date"),
            order="departs",
        ),
        Stock(
            "Offers", "flight_booking.offers", "flight_booking.get_flight_offer",
            ("offer_id", "outbound", "inbound", "cabin", "price_adult_minor", "seats_left", "valid_until",
             "refundable"),
        ),
    ),
    {"booking": _flight},
    "search_flights finds offers by place and date.",
)  # fmt: skip


HOTEL_BOOKING = View(
    (
        Listed(
            "Reservations", "hotel_booking.list_reservations", "reservations",
            ("check_in", "check_out", "room_type", "guests", "guest_name", "paid_minor", "reservation_id"),
            item="reservation", key="reservation_id", heading="hotel", subtitle=("city",), figure="total_minor",
            empty="Nothing is booked.",
        ),
        Stock(
            "Hotels", "hotel_booking.hotels", "hotel_booking.get_hotel_details",
            ("name", "city", "district", "rating", "lift", "nearest_station", "amenities", "hotel_id"),
        ),
    ),
    {"reservation": Opened("hotel_booking.get_reservation", "reservation_id")},
    "search_hotels finds hotels by city and dates.",
)  # fmt: skip


def _students(look: Look) -> list[Part]:
    found = [look.read("rail_booking.get_student_profile", **person) for person in look.keys("rail_booking.students")]
    return [part for profile in found if profile for part in record(profile, look.zone, "Student reductions")]


RAIL_BOOKING = View(
    (
        Listed(
            "Bookings", "rail_booking.list_train_bookings", "bookings",
            ("date", "departs", "arrives", "origin", "dest", "seat_class", "seats_together", "refund_minor", "reason"),
            item="booking", key="booking_ref", heading="train_no", subtitle=("booking_ref",), figure="total_minor",
            empty="Nothing is booked.",
        ),
        _students,
        Stock(
            "Trains and their status", "rail_booking.trains", "rail_booking.get_train_status",
            ("train_no", "date", "origin", "dest", "departs", "arrives", "status", "delay_min", "note"),
            names=("train_no", "date"), order="departs",
        ),
        Stock(
            "Fares", "rail_booking.offers", "rail_booking.get_train_offer",
            ("offer_id", "seat_class", "price_minor", "seats_left", "sale_opens", "can_book", "why_not"),
        ),
    ),
    {"booking": lambda look, key: _train(look, key)},
    "search_trains finds connections by stations and date.",
)  # fmt: skip


def _train(look: Look, booking_ref: str) -> list[Part]:
    """A booking; the railway shows all of it in its list."""
    rows = look.rows("rail_booking.list_train_bookings", "bookings").rows
    found = next((row for row in rows if row["booking_ref"] == booking_ref), None)
    return record(found, look.zone) if found else [Note(f"There is no booking {booking_ref}.", "warn")]


CAR_RENTAL = View(
    (
        Listed(
            "Bookings", "car_rental.list_bookings", "bookings",
            ("pickup_at", "return_at", "station_id", "return_station_id", "drivers", "paid_minor", "due_minor"),
            item="booking", key="booking_ref", heading="model", subtitle=("booking_ref", "vehicle_class"),
            figure="total_minor", empty="Nothing is booked.",
        ),
        Listed("Incidents", "car_rental.list_incident_reports", "incidents", empty=""),
        Listed("Insurance", "car_rental.list_insurance_plans", "plans"),
        Listed("Filling and charging", "car_rental.list_energy_stops", "stops", empty=""),
        Listed("Rules of the road", "car_rental.get_road_policy", "rules", empty=""),
        Listed("Road notices", "car_rental.get_road_policy", "notices", empty=""),
        Stock(
            "Cars on offer", "car_rental.offers", "car_rental.get_vehicle_offer",
            ("model", "vehicle_class", "energy_type", "seats", "station", "price_per_day_minor", "deposit_minor",
             "offer_id"),
        ),
    ),
    {"booking": Opened("car_rental.get_booking", "booking_ref")},
    "search_vehicle_offers finds cars by city and time.",
)  # fmt: skip
