"""What one looks at: pages made out of runs and worlds. Modules are imported on first use."""

from __future__ import annotations

__all__: list[str] = []
