"""Looking for products, and at one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.base import limited
from lifegym.services.ecommerce.inventory import EcommerceInventory
from lifegym.services.search import Index, fold, resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["EcommerceSearching"]

DESCRIPTION_SHOWN = 20_000
ALIASES = {
    "tv": "television",
    "cell": "phone mobile",
    "cellphone": "phone mobile",
    "earphones": "earbuds headphones",
    "bicycle": "bike cycling",
    "trainers": "shoes sneakers",
    "sneakers": "shoes trainers",
    "sofa": "couch",
    "couch": "sofa",
    "mobile": "phone",
    "pullover": "jumper sweater",
    "sweater": "jumper pullover",
    "rucksack": "backpack pack",
    "backpack": "rucksack pack",
    "flashlight": "torch",
    "torch": "flashlight",
    "blanket": "duvet",
    "comforter": "duvet",
    "stroller": "pram pushchair",
    "carseat": "seat",
    "car seat": "seat",
    "kid": "children kids",
    "kids": "children",
    "toddler": "children",
    "laptop": "notebook computer",
    "pc": "computer",
    "faucet": "mixer tap",
    "tap": "mixer faucet",
    "grab bar": "rail bar",
    "handrail": "rail bar",
    "stove": "oven cooker",
    "cooker": "oven stove",
    "mittens": "mitts gloves",
    "snow suit": "snowsuit",
    "bedsheet": "sheet",
}
"""Words that people type and what they mean as well."""


class ProductFilters(TypedDict, total=False):
    """Narrows a search: prices in minor units, rating the least one (0 to 5), attrs name to value."""

    min_price_minor: Annotated[int, Field(ge=0)]
    max_price_minor: Annotated[int, Field(ge=0)]
    brand: str
    in_stock: bool
    rating: Annotated[float, Field(ge=0, le=5)]
    attrs: dict[str, str]


class EcommerceSearching(EcommerceInventory):
    """The tools that find and show products."""

    # -- tools ---------------------------------------------------------------------------------------------------

    @tool(write=False)
    def search_products(
        self,
        query: str,
        category: str | None = None,
        filters: ProductFilters | None = None,
        sort: Literal["relevance", "price_asc", "price_desc", "rating", "reviews"] | None = None,
        limit: int = 20,
    ) -> dict[str, Any]:
        """Search products by title, brand, category and keywords; small misspellings do not matter.

        Args:
            query: Words, or the id of a product or an SKU; empty for everything.
            category: Only this category (and those under it), e.g. home or home/kitchen.
            filters: min_price_minor and max_price_minor (of an SKU), brand, in_stock (true: only what is to be had),
                rating (the least), attrs, e.g. {"colour": "grey"} (of the product or an SKU's options).
            sort: relevance (the default), price_asc, price_desc, rating or reviews.
            limit: How many at most, up to 100.

        Returns:
            products: product_id, title, brand, category, price_from_minor, price_to_minor (of the SKUs that fit),
            currency, in_stock, rating, reviews, sku_ids (those that fit, at most 12), notice; total (how many match);
            categories (of all that match, with counts, at most 20).

        Errors:
            unknown_category: There is no such category; the message lists those that there are.
            bad_limit: limit is not between 1 and 100.
        """
        wanted = filters or ProductFilters()
        found = self._ranked(query, self._category(category) if category else "")
        offers: dict[str, list[Record]] = {}
        if wanted or sort in ("price_asc", "price_desc"):
            offers = {row["product_id"]: self._fitting(row, wanted) for row in found}
            found = [row for row in found if offers[row["product_id"]]]
        if sort == "price_asc":
            found.sort(key=lambda row: min(sku["price_minor"] for sku in offers[row["product_id"]]))
        elif sort == "price_desc":
            found.sort(key=lambda row: -max(sku["price_minor"] for sku in offers[row["product_id"]]))
        elif sort == "rating":
            found.sort(key=lambda row: (-row["rating"], -row["reviews"]))
        elif sort == "reviews":
            found.sort(key=lambda row: -row["reviews"])
        counts: dict[str, int] = {}
        for row in found:
            counts[row["category"]] = counts.get(row["category"], 0) + 1
        return {
            "products": [
                _hit(row, offers.get(row["product_id"]) or self._skus(row)) for row in limited(found, limit, 100)
            ],
            "total": len(found),
            "categories": dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))[:20]),
        }

    @tool(write=False)
    def get_product(self, product_id: str) -> dict[str, Any]:
        """Show one product: its SKUs with prices and stock, its merchant, when it comes, how it can be given back.

        Args:
            product_id: From search_products; the id of one of its SKUs does as well.

        Returns:
            product_id, title, brand, category, description, attrs, currency, tax_percent (added to the price at
            checkout), rating, reviews, on_sale, notice, returnable, return_days; merchant (merchant_id, name, email,
            shipping_minor, free_shipping_from_minor, express_minor); skus: sku_id, options, price_minor,
            list_price_minor, stock, lot, notice, next_price_minor and next_price_at (an announced change of the
            price), ships_at and expected_at (if ordered now).

        Errors:
            not_found: There is no such product.
        """
        product = self.find("products", product_id)
        if product is None:
            sku = self.find("skus", product_id)
            product = self._product(sku["product_id"]) if sku is not None else None
        if product is None:
            product = self.get("products", product_id, "product", "ecommerce.search_products finds them")
        merchant = self._merchant(product["merchant_id"])
        text = product["description"]
        days = merchant["return_days"] if product["return_days"] is None else product["return_days"]
        fields = ("product_id", "title", "brand", "category", "attrs", "currency", "rating", "reviews", "on_sale")
        terms = ("merchant_id", "name", "email", "shipping_minor", "free_shipping_from_minor", "express_minor")
        return {
            **{field: product[field] for field in fields},
            "description": text if len(text) <= DESCRIPTION_SHOWN else f"{text[:DESCRIPTION_SHOWN]} [cut]",
            "tax_percent": product["tax_bp"] / 100,
            "notice": product["notice"],
            "returnable": product["returnable"],
            "return_days": days if product["returnable"] else 0,
            "merchant": {field: merchant[field] for field in terms},
            "skus": [
                {
                    **{field: value for field, value in sku.items() if field not in ("product_id", "weight_kg")},
                    **self._times(sku, product, self.now, express=False),
                }
                for sku in self._skus(product)[:100]
            ],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _category(self, text: str) -> str:
        """The category that a text names: a whole one, a branch, or what is most like it."""
        names = self.table("products").derive("categories", _categories)
        meant = resolve(text.replace(">", "/").replace(" / ", "/"), names)
        if meant is None:
            raise ToolError("unknown_category", f"category is one of: {', '.join(names[:80])}")
        return meant

    def _ranked(self, query: str, branch: str) -> list[Record]:
        """The products on sale that a query means, best first; only of a category and those under it, if one is given.

        Where no product has all words, those with the most; where none has any, what descriptions say.
        """
        table = self.table("products")
        index = table.derive("index", _index)
        docs = index.docs

        def among(place: int) -> bool:
            row = docs[place]
            return row["on_sale"] and (not branch or f"{row['category']}/".startswith(f"{branch}/"))

        named = {sku["product_id"] for sku in self._skus_meant(query.strip())}
        if named:
            return [row for place, row in enumerate(docs) if row["product_id"] in named and among(place)]
        found = index.rank(query, ALIASES, need_all=True, among=among) or index.rank(query, ALIASES, among=among)
        return found or table.derive("described", _described).rank(query, among=among)

    def _fitting(self, product: Record, wanted: Mapping[str, Any]) -> list[Record]:
        """The SKUs of a product that filters leave."""
        brand = wanted.get("brand")
        if (brand and fold(brand) != fold(product["brand"])) or product["rating"] < wanted.get("rating", 0):
            return []
        least, most = wanted.get("min_price_minor", 0), wanted.get("max_price_minor", 10**15)
        return [
            sku
            for sku in self._skus(product)
            if least <= sku["price_minor"] <= most
            and (not wanted.get("in_stock") or sku["stock"] > 0)
            and all(_has(product, sku, name, value) for name, value in wanted.get("attrs", {}).items())
        ]


def _texts(row: Record) -> tuple[tuple[str, float], ...]:
    return (row["title"], 3.0), (row["keywords"], 1.5), (row["category"], 1.5), (row["brand"], 2.0)


def _offered(rows: Iterable[Record]) -> list[Record]:
    return [row for row in rows if row["sku_ids"]]


def _index(rows: Iterable[Record]) -> Index[Record]:
    return Index(_offered(rows), _texts)


def _described(rows: Iterable[Record]) -> Index[Record]:
    return Index(_offered(rows), lambda row: ((row["description"], 1.0),))


def _categories(rows: Iterable[Record]) -> list[str]:
    """All categories and the branches that they are on."""
    names: set[str] = set()
    for name in {row["category"] for row in rows}:
        parts = name.split("/")
        names.update("/".join(parts[: depth + 1]) for depth in range(len(parts)))
    return sorted(names - {""})


def _has(product: Record, sku: Record, name: str, value: str) -> bool:
    known = {fold(key): fold(text) for source in (product["attrs"], sku["options"]) for key, text in source.items()}
    return known.get(fold(name)) == fold(value)


def _hit(product: Record, skus: list[Record]) -> dict[str, Any]:
    prices = [sku["price_minor"] for sku in skus]
    return {
        **{field: product[field] for field in ("product_id", "title", "brand", "category")},
        "price_from_minor": min(prices),
        "price_to_minor": max(prices),
        "currency": product["currency"],
        "in_stock": any(sku["stock"] for sku in skus),
        **{field: product[field] for field in ("rating", "reviews", "notice")},
        "sku_ids": [sku["sku_id"] for sku in skus[:12]],
    }
