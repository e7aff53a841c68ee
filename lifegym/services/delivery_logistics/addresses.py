"""Postal addresses: their fields, how they are written in one line, how far apart two of them are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.search import fold

__all__ = ["Address", "Band", "band", "in_one_line", "same_city"]

Band = Literal["local", "regional", "national", "international"]
Part = Annotated[str, Field(max_length=200)]


class Address(TypedDict, total=False):
    """Where a parcel is fetched or goes: detail (street and number) and city at least."""

    recipient: Part
    phone: Part
    country: Part
    province: Part
    city: Part
    district: Part
    detail: Part
    postal_code: Part
    note: Part


def in_one_line(address: Mapping[str, object]) -> str:
    """``Ann Lee, 5 Mill Lane, Old Town, Utrecht 3511 AB, Netherlands``: without the phone number."""
    town = f"{address.get('city', '')} {address.get('postal_code', '')}".strip()
    named = (address.get(part) for part in ("recipient", "detail", "district"))
    rest = (address.get(part) for part in ("province", "country", "note"))
    return ", ".join(str(text) for text in (*named, town, *rest) if text)


def _differ(part: str, one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two addresses name different things in a part; one that leaves it out may mean the same."""
    first, second = fold(str(one.get(part, ""))).strip(), fold(str(other.get(part, ""))).strip()
    return bool(first and second and first != second)


def same_city(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    """Whether two addresses are in one city."""
    return not any(_differ(part, one, other) for part in ("country", "province", "city"))


def band(one: Mapping[str, object], other: Mapping[str, object]) -> Band:
    """How far it is from one address to another, as tariffs know it."""
    if _differ("country", one, other):
        return "international"
    if _differ("province", one, other):
        return "national"
    if not _differ("city", one, other):
        return "local"
    return "regional" if one.get("province") and other.get("province") else "national"
