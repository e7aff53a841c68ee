"""A legal database with court dockets."""

from lifegym.services.legal_search.tools import LegalSearch

__all__ = ["LegalSearch"]
