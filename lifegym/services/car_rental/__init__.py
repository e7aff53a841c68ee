"""A car rental company."""

from lifegym.services.car_rental.tools import CarRental

__all__ = ["CarRental"]
