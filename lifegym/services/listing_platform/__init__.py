"""A platform for homes, second-hand goods and services."""

from lifegym.services.listing_platform.tools import ListingPlatform

__all__ = ["ListingPlatform"]
