"""The browser of the tests of pages."""

from __future__ import annotations

from ...web.browsing import browser, one_browser

__all__ = ["browser", "one_browser"]
