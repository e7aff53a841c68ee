"""Credit cards."""

from lifegym.services.credit_card.tools import CreditCard

__all__ = ["CreditCard"]
