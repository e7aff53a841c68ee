"""A parcel carrier."""

from lifegym.services.delivery_logistics.tools import DeliveryLogistics

__all__ = ["DeliveryLogistics"]
