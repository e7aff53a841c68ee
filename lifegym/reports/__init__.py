"""What one looks at: pages made out of runs and worlds. Modules are imported on first use."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lifegym.reports.board import write_board
    from lifegym.reports.comparison import compare, comparison_page
    from lifegym.reports.report import Written, write_report

__all__ = ["Written", "compare", "comparison_page", "write_board", "write_report"]

_HOME = {
    "Written": "report",
    "write_report": "report",
    "compare": "comparison",
    "comparison_page": "comparison",
    "write_board": "board",
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(f"lifegym.reports.{_HOME[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
