"""A job board."""

from lifegym.services.job_board.tools import JobBoard

__all__ = ["JobBoard"]
