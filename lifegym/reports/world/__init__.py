"""A world as a person sees it: a page for each service, filled by the service's own read tools."""

from __future__ import annotations
