"""A retail bank."""

from lifegym.services.banking.tools import Banking

__all__ = ["Banking"]
