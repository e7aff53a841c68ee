"""A session of the small task on a port of its own, and the browser of the reports' tests."""

from __future__ import annotations

from ..reports.conftest import browser, one_browser

__all__ = ["browser", "one_browser"]
