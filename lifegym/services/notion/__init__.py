"""A workspace of pages and databases."""

from lifegym.services.notion.writing import Notion

__all__ = ["Notion"]
