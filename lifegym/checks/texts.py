"""Functions over numbers and texts."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

from lifegym.checks.budget import ExpressionError, Missing
from lifegym.checks.functions import function
from lifegym.checks.operations import bounded, fits, number
from lifegym.services.search import fold


@function
def abs_(value: Any) -> Any:
    """Without its sign."""
    return bounded(abs(value))


@function
def round_(value: float, places: int = 0) -> Any:
    """To the nearest; halves away from zero, after removing what floating point adds."""
    if not (number(value) and type(places) is int and -9 <= places <= 9):
        raise ExpressionError("round takes a number, and -9 to 9 places")
    scaled = round(abs(value) * 10**places, 6)
    rounded = int(scaled + 0.5) * (1 if value >= 0 else -1)
    if places > 0:
        return rounded / 10**places
    return bounded(rounded * 10**-places)


@function
def int_(value: Any) -> int:
    """A whole number out of a number or its text; missing evidence where the text is none."""
    if not isinstance(value, str):
        if value is None:
            raise Missing("there is no whole number")
        return bounded(int(value)) if number(value) else int(value)
    try:
        if len(value) > 25:
            raise ValueError
        return int(value.replace(",", ""))
    except ValueError:
        raise Missing(f"{value[:40]!r} is no whole number") from None


@function
def float_(value: Any) -> float:
    """A number out of a number or its text; missing evidence where the text is none."""
    if not isinstance(value, str):
        if value is None:
            raise Missing("there is no number")
        return float(value)
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise Missing(f"{value[:40]!r} is no number")
    return number


@function
def num(value: float, places: int = 0) -> str:
    """A number as people write it: 53265.6 with two places is 53,265.60."""
    if not (number(value) and type(places) is int and 0 <= places <= 6):
        raise ExpressionError("num takes a number, and 0 to 6 places")
    return f"{value:,.{places}f}"


@function
def money(amount_minor: int, decimals: int = 2) -> str:
    """Minor units as people write them: 888000 is 8,880.00."""
    if not (number(amount_minor) and type(decimals) is int and 0 <= decimals <= 6):
        raise ExpressionError("money takes a number, and 0 to 6 decimals")
    return f"{amount_minor / 10**decimals:,.{decimals}f}"


@function
def str_(value: Any) -> str:
    """As text."""
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    if isinstance(value, (str, int, float)):
        return str(value)
    if value is None:
        raise Missing("there is no value to write")
    raise ExpressionError(f"a {type(value).__name__} is not written as a text; join its parts")


@function
def join(values: list[str], glue: str = "") -> str:
    """One text out of several."""
    texts = [str_(value) for value in values]
    return glue.join(texts) if fits(sum(map(len, texts)) + len(glue) * len(texts)) else ""


@function
def split(text: str, glue: str) -> list[str]:
    """The trimmed parts of a text between separators."""
    return [part.strip() for part in text.split(glue)] if glue else [text]


@function
def lines(text: str) -> list[str]:
    """The lines of a text that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


@function
def lower(text: str) -> str:
    """In lower case."""
    return text.lower()


@function
def upper(text: str) -> str:
    """In upper case."""
    return text.upper()


@function
def strip(text: str) -> str:
    """Without white space around it."""
    return text.strip()


@function
def replace(text: str, old: str, new: str) -> str:
    """With one passage put for another."""
    if not old:
        raise ExpressionError("there is nothing to replace")
    fits(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


@function
def starts(text: str, beginning: str) -> bool:
    """Whether a text begins so, case aside."""
    return fold(text).startswith(fold(beginning))


@function
def has(text: str, part: str) -> bool:
    """Whether a text contains another, case and accents aside."""
    return fold(part) in fold(text)


@function
def pad(value: int, width: int = 2) -> str:
    """A number with leading zeros."""
    if not (type(value) is int and type(width) is int and 0 < width <= 12):
        raise ExpressionError("pad takes a whole number, and 1 to 12 digits")
    return f"{value:0{width}d}"
