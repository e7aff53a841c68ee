"""Train tickets."""

from lifegym.services.rail_booking.tools import RailBooking

__all__ = ["RailBooking"]
