"""The figures of the public benchmark, to set a task's own beside them.

Source: VibeLifeBench, arXiv 2608.10875, sections 2.2-2.4 and 3.2.
"""

from __future__ import annotations

__all__ = ["PAPER"]

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
