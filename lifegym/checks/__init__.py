"""Weighted deterministic checks and the expression language that they are written in."""

from lifegym.checks.check import AXES, Check, Each, Verdict
from lifegym.checks.expressions import Expression, ExpressionError, Missing, Template

__all__ = ["AXES", "Check", "Each", "Expression", "ExpressionError", "Missing", "Template", "Verdict"]
