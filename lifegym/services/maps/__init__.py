"""Maps: places and the ways between them."""

from lifegym.services.maps.tools import Maps

__all__ = ["Maps"]
