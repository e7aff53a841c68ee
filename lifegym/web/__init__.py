"""A task played by a person in a browser. Modules are imported on first use."""

from __future__ import annotations

__all__: list[str] = []
