"""Params: the canonical value, and what a variant's seed makes of it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal, get_args

from lifegym.checks.expressions import Expression, ExpressionError, Missing, evaluate_value, plain
from lifegym.checks.values import FUNCTIONS
from lifegym.task_suite.schema import DrawModel, ParamModel
from lifegym.world.frozen import FrozenDict, freeze

__all__ = ["SEEDS", "VARIANTS", "Variant", "draw_params", "effective_seed"]

Variant = Literal["canonical", "train", "test"]
VARIANTS: tuple[str, ...] = get_args(Variant)

SEEDS = 1 << 30
"""How many seeds a drawn variant has. Train seeds are 0 .. SEEDS-1, test seeds the SEEDS after them."""


def effective_seed(variant: str, seed: int) -> int:
    """The seed from which a variant's params are drawn.

    Raises:
        ValueError: An unknown variant, or a seed outside 0 .. SEEDS-1.
    """
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant {variant!r}; use one of: {', '.join(VARIANTS)}")
    if variant == "canonical":
        return 0
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= seed < SEEDS:
        raise ValueError(f"a variant seed is a whole number from 0 to {SEEDS - 1}, not {seed!r}")
    return int(seed) + (SEEDS if variant == "test" else 0)


def generator(*parts: Any) -> random.Random:
    """A random source that depends on nothing but these parts."""
    digest = hashlib.blake2b("|".join(str(part) for part in parts).encode(), digest_size=16).digest()
    return random.Random(int.from_bytes(digest, "big"))


def _drawn(draw: DrawModel, rng: random.Random) -> Any:
    if draw.choice is not None:
        return draw.choice[rng.randrange(len(draw.choice))]
    if draw.shuffle is not None:
        values = list(draw.shuffle)
        rng.shuffle(values)
        return values
    assert draw.range is not None
    first, last, step = (*draw.range, 1)[:3]
    return first + step * rng.randrange((last - first) // step + 1)


def draw_params(task: str, params: Mapping[str, ParamModel], variant: str, seed: int) -> FrozenDict:
    """All params of a variant, in their order. Each draw has a random source of its own, so a new param moves no other.

    Raises:
        ExpressionError: A calculated param does not work out; the message names it.
    """
    values: dict[str, Any] = {}
    for name, param in params.items():
        try:
            if param.calc is not None:
                values[name] = plain(Expression(param.calc).evaluate({**FUNCTIONS, "p": values}))
            elif variant == "canonical" or param.draw is None:
                values[name] = evaluate_value(param.is_, {})
            else:
                values[name] = _drawn(param.draw, generator(task, variant, effective_seed(variant, seed), name))
        except (ExpressionError, Missing) as error:
            raise ExpressionError(f"param {name}: {error}") from None
    frozen: FrozenDict = freeze(values)
    return frozen
