"""The person's mailbox."""

from lifegym.services.email.tools import Email

__all__ = ["Email"]
