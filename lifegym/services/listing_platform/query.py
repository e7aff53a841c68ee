"""What somebody looks for among listings: the same wishes for a search and for a subscription."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import ConfigDict, Field, TypeAdapter
from typing_extensions import TypedDict

from lifegym.services.search import Index, fold, resolve
from lifegym.services.tools import ToolError
from lifegym.services.wishes import parse_wishes
from lifegym.world.record import Record

__all__ = ["ListingQuery", "Price", "Rooms", "find_category", "parse_query", "select", "texts"]

Price = Annotated[int, Field(ge=0, le=10**12)]
Rooms = Annotated[int, Field(ge=0, le=100)]
_CATEGORY_ALIASES = {
    "rental": "rent",
    "rentals": "rent",
    "for_rent": "rent",
    "to_let": "rent",
    "lease": "rent",
    "apartment": "rent",
    "flat": "rent",
    "buy": "sale",
    "for_sale": "sale",
    "sell": "sale",
    "secondhand": "second_hand",
    "used": "second_hand",
    "goods": "second_hand",
}
_CITIES = {
    "nyc": "New York",
    "peking": "Beijing",
    "munich": "München",
    "cologne": "Köln",
    "gothenburg": "Göteborg",
    "ghent": "Gent",
}
_ALIASES = {
    "apartment": "flat",
    "flat": "apartment",
    "condo": "apartment",
    "subway": "metro",
    "underground": "metro",
    "bike": "bicycle",
    "bicycle": "bike",
    "couch": "sofa",
    "sofa": "couch",
    "fridge": "refrigerator",
    "tv": "television",
    "phone": "smartphone",
    "laptop": "notebook",
    "pram": "stroller",
    "bakfiets": "cargo bike",
}


class ListingQuery(TypedDict, total=False):
    """The wishes of a search; what is absent does not matter."""

    __pydantic_config__ = ConfigDict(strict=True, extra="forbid")  # type: ignore[misc]

    category: Annotated[str, Field(max_length=60)]
    city: Annotated[str, Field(max_length=80)]
    district: Annotated[str, Field(max_length=80)]
    min_price_minor: Price
    max_price_minor: Price
    min_rooms: Rooms
    max_rooms: Rooms
    keyword: Annotated[str, Field(max_length=200)]


_QUERY = TypeAdapter(ListingQuery)


def parse_query(query_json: str | Mapping[str, Any]) -> dict[str, Any]:
    """The wishes of a subscription.

    Raises:
        ToolError: ``bad_query``.
    """
    return parse_wishes(query_json, _QUERY, ListingQuery.__annotations__, '{"category": "rent"}')


def find_category(category: str, known: Sequence[str]) -> str:
    """The category that is meant, among those that there are.

    Raises:
        ToolError: ``unknown_category``.
    """
    plain = fold(category).strip().replace(" ", "_").replace("-", "_")
    if plain in known:
        return plain
    meant = _CATEGORY_ALIASES.get(plain) or resolve(plain.replace("_", " "), [name.replace("_", " ") for name in known])
    if meant is None:
        raise ToolError("unknown_category", f"there is no category {category[:60]!r}; there are {', '.join(known)}")
    return meant.replace(" ", "_")


def select(query: Mapping[str, Any], index: Index[Record]) -> tuple[list[Record], bool]:
    """The listings of an index that meet the wishes, the best first, and whether every keyword was found in them.

    Without a keyword the listings keep their order. The category is taken as written.
    """
    kept = index.docs
    if category := query.get("category"):
        kept = [row for row in kept if row["category"] == category]
    if city := query.get("city"):
        names = list(dict.fromkeys(row["city"] for row in kept))
        alias = _CITIES.get(fold(city).strip())
        named = (alias and resolve(alias, names)) or resolve(city, names)
        kept = [row for row in kept if row["city"] == named]
    if district := query.get("district"):
        kept = _in_district(district, kept)
    for field, wish, sign in (
        ("price_minor", "min_price_minor", 1),
        ("price_minor", "max_price_minor", -1),
        ("rooms", "min_rooms", 1),
        ("rooms", "max_rooms", -1),
    ):
        if (bound := query.get(wish)) is not None:
            kept = [row for row in kept if row[field] is not None and sign * row[field] >= sign * bound]
    keyword = query.get("keyword") or ""
    if not keyword.strip() or not kept:
        return list(kept), True
    among = None
    if len(kept) < len(index.docs):
        chosen, docs = frozenset(row["listing_id"] for row in kept), index.docs

        def among(place: int) -> bool:
            return docs[place]["listing_id"] in chosen

    found = index.rank(keyword, _ALIASES, need_all=True, among=among)
    return (found, True) if found else (index.rank(keyword, _ALIASES, among=among), False)


def _in_district(district: str, listings: list[Record]) -> list[Record]:
    """The listings in a district, or, where there is none of that name, in a community."""
    for field in ("district", "community"):
        named = resolve(district, dict.fromkeys(row[field] for row in listings))
        if named:
            return [row for row in listings if row[field] == named]
    return []


def texts(listing: Record) -> Sequence[tuple[str, float]]:
    """What a search reads of a listing, with the weights of the parts."""
    facts = [(text, 1.0) for text in listing["attrs"].values() if type(text) is str]
    return (
        (listing["title"], 3.0),
        *((alias, 2.5) for alias in listing["aliases"]),
        (listing["community"], 2.0),
        (listing["district"], 1.5),
        (listing["metro"], 1.5),
        (listing["city"], 1.0),
        *facts,
        (listing["description"], 0.5),
    )
