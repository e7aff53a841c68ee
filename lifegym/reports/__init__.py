"""What one looks at: pages made out of runs and worlds. Modules are imported on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lifegym.lazy import lazy

if TYPE_CHECKING:
    from lifegym.reports.board import write_board
    from lifegym.reports.comparison import compare, comparison_page
    from lifegym.reports.report import Written, write_report

__all__ = ["Written", "compare", "comparison_page", "write_board", "write_report"]

__getattr__ = lazy(
    __name__,
    report="Written write_report",
    comparison="compare comparison_page",
    board="write_board",
)
