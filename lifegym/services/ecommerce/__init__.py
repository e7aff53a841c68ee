"""An online shop with many merchants."""

from lifegym.services.ecommerce.tools import Ecommerce

__all__ = ["Ecommerce"]
