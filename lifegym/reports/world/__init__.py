"""A world as a person sees it: a page for each service, filled by the service's own read tools."""

from __future__ import annotations

from lifegym.reports.world.moment import Moment, MomentError, Recorded, reach
from lifegym.reports.world.site import write

__all__ = ["Moment", "MomentError", "Recorded", "reach", "write"]
