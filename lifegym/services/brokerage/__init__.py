"""A brokerage: shares, funds and stock options."""

from lifegym.services.brokerage.tools import Brokerage

__all__ = ["Brokerage"]
