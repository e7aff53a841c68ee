"""Flights, from the search to the boarding pass."""

from lifegym.services.flight_booking.tools import FlightBooking

__all__ = ["FlightBooking"]
