"""What one evaluation may cost, and how it fails."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from lifegym.world.frozen import FrozenDict, FrozenList

__all__ = ["BUDGET", "CONTAINERS", "SPARE", "ExpressionError", "Missing", "NoSuchField", "Steps", "shown", "size_steps",
           "spend", "spending", "weight"]  # fmt: skip

BUDGET = 200_000
"""Steps (loop rounds, calls, and the sizes of what is passed to them) that one evaluation may take."""

SPARE = 10 * BUDGET
"""Steps that one evaluation may take in attempts that are made again, beside its budget."""

_SIZE_A_STEP = 32

_OVER = f"the expression takes more than {BUDGET} steps"
_ATOMS = frozenset({int, float, bool, type(None)})
CONTAINERS = frozenset({list, dict, FrozenList, FrozenDict})
_SIZED = frozenset({list, str})
_SHOWN = 200


class ExpressionError(Exception):
    """An expression that cannot be compiled or evaluated: a defect of the bundle."""


class NoSuchField(ExpressionError):
    """A field that the value does not have."""


class Missing(Exception):
    """Evidence that is not there or cannot be read: fails a check, and is no defect of the bundle."""


class Steps:
    """What is left of the budget of one evaluation.

    Attributes:
        left: So many steps.
        spare: What may still be given back of them.
        open: Whether an evaluation is under way.
    """

    __slots__ = ("left", "open", "spare")

    def __init__(self) -> None:
        self.left = BUDGET
        self.spare = SPARE
        self.open = False

    def give_back(self, left: int) -> None:
        """Go back to what was left before an attempt that is made again; never so often that there is no end to it."""
        steps = min(left - self.left, self.spare)
        self.left += steps
        self.spare -= steps

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(_OVER)

    def iterate(self, values: Any, steps: int = 1) -> Any:
        """Spend what a loop takes, with so many steps a round."""
        if type(values) is not list:
            if not isinstance(values, (list, tuple, dict, range)):
                raise ExpressionError(f"cannot loop over {type(values).__name__}")
            values = list(values)
        self.left -= 1 + len(values) * steps
        if self.left < 0:
            raise ExpressionError(_OVER)
        return values

    def call(self, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        steps = 1
        for value in args:
            kind = type(value)
            if kind is str:
                steps += len(value) >> 6
            elif kind in CONTAINERS:
                steps += len(value)
        for value in kwargs.values():
            steps += weight(value)
        self.left -= steps
        if self.left < 0:
            raise ExpressionError(_OVER)
        result = function(*args, **kwargs)
        return result if type(result) not in _SIZED else self._given(result)

    def call_one(self, function: Callable[..., Any], value: Any) -> Any:
        """As ``call`` with one argument, the most frequent one."""
        kind = type(value)
        if kind is str:
            self.left -= 1 + (len(value) >> 6)
        elif kind in CONTAINERS:
            self.left -= 1 + len(value)
        else:
            self.left -= 1
        if self.left < 0:
            raise ExpressionError(_OVER)
        result = function(value)
        return result if type(result) not in _SIZED else self._given(result)

    def _given(self, result: Any) -> Any:
        """Spend what a function's result takes."""
        self.spend(len(result) >> 6 if type(result) is str else len(result))
        return result


class _Spending(threading.local):
    def __init__(self) -> None:
        self.steps = Steps()


spending = _Spending()
"""``steps`` of this thread: an evaluation begins them anew, and expressions that it calls spend from the same."""


def spend(steps: int) -> None:
    """Take steps from the budget of the evaluation under way, for work that the size of the arguments does not show.

    Raises:
        ExpressionError: The budget is used up.
    """
    left = spending.steps
    if left.open:
        left.spend(steps)


def size_steps(size: int) -> int:
    """The steps that evaluating what has such a size in the text takes, beside those that a loop or call takes anyway.

    A size is a number of nodes, lists and mappings counting eightfold for the memory that they take.
    """
    return size // _SIZE_A_STEP


def weight(value: Any) -> int:
    """How many values a value holds, a shared part as often as it occurs; counted up to a little over the budget.

    Lists can share their parts, so a few short expressions make one whose text would not fit into any memory. Whatever
    goes to the bottom of a value (comparing, sorting, showing) asks for its weight first.
    """
    if type(value) is str:
        return 1 + (len(value) >> 6)
    if type(value) in _ATOMS:
        return 1
    count, waiting = 0, [value]
    while waiting and count <= BUDGET:
        item = waiting.pop()
        count += 1
        if isinstance(item, str):
            count += len(item) >> 6
            continue
        if isinstance(item, dict):
            parts: Any = item.values()
        elif isinstance(item, (list, tuple)):
            parts = item
        else:
            continue
        count += len(item) >> 3
        for part in parts:
            kind = type(part)
            if kind is str:
                count += 1 + (len(part) >> 6)
            elif kind in _ATOMS:
                count += 1
            else:
                waiting.append(part)
    return count


def shown(value: Any) -> str:
    """A value in a message, which stays short whatever the value is."""
    return repr(value)[:_SHOWN] if weight(value) <= _SHOWN else f"a {type(value).__name__}"
