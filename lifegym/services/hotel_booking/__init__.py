"""Hotels: rooms by the night, reservations, and what hotels grant or refuse."""

from lifegym.services.hotel_booking.favours import HotelBooking

__all__ = ["HotelBooking"]
