"""The figures of the public benchmark, to set a task's own beside them.

Source: VibeLifeBench, arXiv 2608.10875, sections 2.2-2.4 and 3.2.
"""

from __future__ import annotations

__all__ = ["KINDS", "PAPER", "SERVICE_USE", "SUITE"]

KINDS = ("user_message", "notification", "world", "mutation")
"""The kinds of events, in the paper's order."""

PAPER: dict[str, float | str] = {
    "days": 29,
    "stages": 24,
    "services": 7,
    "events": 36,
    "user_message share": 0.301,
    "notification share": 0.258,
    "world share": 0.241,
    "mutation share": 0.199,
    "checks": 58,
    "stage share of checks": 0.808,
    "cross and final share of checks": 0.191,
    "cross and final share of weight": 0.268,
}
"""Medians over 200 tasks, and shares over all of them."""

SUITE: dict[str, float] = {"tasks": 200, "domains": 10, "fewest checks": 31, "most checks": 135}
"""What the paper says of the suite as a whole."""

SERVICE_USE: dict[str, float] = {"email": 0.99, "calendar": 0.975, "notion": 0.81, "notification_hub": 0.6}
"""In which share of the 200 tasks a service is used, where the paper says so."""
