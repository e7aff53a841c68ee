"""A portal of local merchants: reviews, deals, tables."""

from lifegym.services.review_platform.tools import ReviewPlatform

__all__ = ["ReviewPlatform"]
