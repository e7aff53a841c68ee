"""A platform on which people share notes."""

from lifegym.services.content_platform.tools import ContentPlatform

__all__ = ["ContentPlatform"]
