"""The arithmetic of a cart: discounts, taxes and their shares by line. Amounts are minor units, halves go up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

__all__ = ["Line", "Priced", "allocate", "applies_to", "discount_shares", "half_up", "price", "share"]


class Line(NamedTuple):
    """What is bought: net price of all pieces, tax in hundredths of a percent on top, and what coupons ask for."""

    net: int
    tax_bp: int
    category: str
    merchant_id: str


class Priced(NamedTuple):
    """Per line: the discount, and the tax on what is left; and the discount of each coupon."""

    discounts: list[int]
    taxes: list[int]
    by_coupon: list[int]


def half_up(number: int, divisor: int) -> int:
    """The quotient, rounded to the nearest whole number, halves up."""
    return (2 * number + divisor) // (2 * divisor)


def allocate(total: int, weights: Sequence[int]) -> list[int]:
    """Split a total in proportion to weights into whole shares that add up to it; largest remainders first."""
    whole = sum(weights)
    if whole == 0:
        return [0] * len(weights)
    shares = [total * weight // whole for weight in weights]
    remainders = [total * weight % whole for weight in weights]
    order = sorted(range(len(weights)), key=lambda place: (-remainders[place], place))
    for place in order[: total - sum(shares)]:
        shares[place] += 1
    return shares


def applies_to(coupon: Mapping[str, Any], line: Line) -> bool:
    """Whether a coupon is for what a line buys."""
    categories = coupon["categories"]
    return (not coupon["merchant_id"] or coupon["merchant_id"] == line.merchant_id) and (
        not categories or any(line.category == name or line.category.startswith(f"{name}/") for name in categories)
    )


def discount_shares(coupon: Mapping[str, Any], lines: Sequence[Line], left: Sequence[int]) -> list[int]:
    """What a coupon takes off each line, of which that much is left to pay."""
    base = [rest if applies_to(coupon, line) else 0 for line, rest in zip(lines, left, strict=True)]
    whole = sum(base)
    off = half_up(whole * coupon["percent"], 100) if coupon["percent"] else min(coupon["amount_minor"], whole)
    if coupon["most_minor"] is not None:
        off = min(off, coupon["most_minor"])
    return allocate(off, base)


def price(lines: Sequence[Line], coupons: Sequence[Mapping[str, Any]]) -> Priced:
    """Take the coupons off one after the other; then tax each rate's lines together, as one amount."""
    left = [line.net for line in lines]
    by_coupon = []
    for coupon in coupons:
        shares = discount_shares(coupon, lines, left)
        left = [rest - off for rest, off in zip(left, shares, strict=True)]
        by_coupon.append(sum(shares))
    taxes = [0] * len(lines)
    for rate in dict.fromkeys(line.tax_bp for line in lines):
        base = [rest if line.tax_bp == rate else 0 for line, rest in zip(lines, left, strict=True)]
        shares = allocate(half_up(sum(base) * rate, 10_000), base)
        taxes = [tax + more for tax, more in zip(taxes, shares, strict=True)]
    return Priced([line.net - rest for line, rest in zip(lines, left, strict=True)], taxes, by_coupon)


def share(total: int, qty: int, done: int, count: int) -> int:
    """The part of a line's total for some more of its pieces; all pieces together make the total."""
    return total * (done + count) // qty - total * done // qty
