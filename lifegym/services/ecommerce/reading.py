"""Looking around in the shop: searching products, products, addresses, orders, messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.base import limited
from lifegym.services.ecommerce.inventory import EcommerceInventory
from lifegym.services.ecommerce.records import OrderStatus
from lifegym.services.search import Index, fold, resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world.store import Record

__all__ = ["EcommerceReading"]

BODY_SHOWN = 1500
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


class EcommerceReading(EcommerceInventory):
    """The tools that change nothing, carts left out."""

    # -- tools: products -----------------------------------------------------------------------------------------

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

    # -- tools: addresses and orders -----------------------------------------------------------------------------

    @tool(write=False)
    def list_addresses(self, user_id: str) -> dict[str, Any]:
        """List the addresses that a user has saved.

        Args:
            user_id: Whose.

        Returns:
            addresses: address_id, recipient, phone, country, province, city, district, detail, postal_code,
            is_default.
        """
        return {"addresses": [row for row in self.rows("addresses") if row["user_id"] == user_id][:100]}

    @tool(write=False)
    def list_orders(self, user_id: str, status_filter: OrderStatus | None = None, limit: int = 20) -> dict[str, Any]:
        """List a user's orders, newest first.

        Args:
            user_id: Whose.
            status_filter: placed, packed, partly_shipped, shipped, out_for_delivery, delivered, returned or cancelled.
            limit: How many at most, up to 100.

        Returns:
            orders: order_id, placed_at, status, total_minor, refunded_minor, currency, items (item_id, sku_id, title,
            qty, status, expected_at); total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 100.
        """
        found = [
            row
            for row in self.table("orders").derive("newest", self._newest)
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        fields = ("order_id", "placed_at", "status", "total_minor", "refunded_minor", "currency")
        brief = ("item_id", "sku_id", "title", "qty", "status", "expected_at")
        return {
            "orders": [
                {
                    **{field: order[field] for field in fields},
                    "items": [{field: item[field] for field in brief} for item in self._items(order)],
                }
                for order in limited(found, limit, 100)
            ],
            "total": len(found),
        }

    @tool(write=False)
    def get_order(self, order_id: str) -> dict[str, Any]:
        """Show one order: its lines, address, money, parcels and refunds.

        Args:
            order_id: From list_orders.

        Returns:
            order_id, user_id, placed_at, status, address (as it was used), payment_method_id, delivery, items_minor,
            discount_minor, tax_minor, shipping_minor, total_minor, refunded_minor, currency, codes (coupons), note;
            items: item_id, product_id, sku_id, title, options, qty, unit_price_minor, total_minor (with its shares
            of discount and tax), lot, status, cancelled_qty, returned_qty, refunded_minor, ships_at, expected_at,
            delivered_at, return_until, tracking_no, substituted_for, recall, reason; refunds: refund_id, item_id, qty,
            kind, status, amount_minor, refunded_minor, due_at, note; can_cancel (the item_ids that are not shipped).

        Errors:
            not_found: There is no such order.
        """
        order = self._order(order_id)
        return {
            **{field: value for field, value in order.items() if field != "item_ids"},
            "items": self._items(order),
            "refunds": [row for row in self.rows("refunds") if row["order_id"] == order_id][:200],
            "can_cancel": [item["item_id"] for item in self._cancellable(order)],
        }

    @tool(write=False)
    def track_order(self, order_id: str) -> dict[str, Any]:
        """Show where an order's parcels are and when they come.

        Args:
            order_id: From list_orders.

        Returns:
            order_id, status, address (its fields); parcels: tracking_no (for the carrier; empty if there is none yet),
            status, ships_at, expected_at, delivered_at, items (item_id, sku_id, title, qty, status).

        Errors:
            not_found: There is no such order.
        """
        order = self._order(order_id)
        parcels: dict[str, list[Record]] = {}
        for item in self._items(order):
            if item["status"] != "cancelled":
                parcels.setdefault(item["tracking_no"], []).append(item)
        brief = ("item_id", "sku_id", "title", "status")
        return {
            "order_id": order_id,
            "status": order["status"],
            "address": order["address"],
            "parcels": [
                {
                    "tracking_no": tracking_no,
                    **{field: held[0][field] for field in ("status", "ships_at", "expected_at", "delivered_at")},
                    "items": [
                        {**{field: item[field] for field in brief}, "qty": item["qty"] - item["cancelled_qty"]}
                        for item in held
                    ],
                }
                for tracking_no, held in parcels.items()
            ],
        }

    # -- tools: messages -----------------------------------------------------------------------------------------

    @tool(write=False)
    def list_messages(
        self, user_id: str, order_id: str | None = None, message_id: str | None = None, limit: int = 20
    ) -> dict[str, Any]:
        """List what a user and merchants have written to each other, newest first.

        Args:
            user_id: Whose messages.
            order_id: Only about this order.
            message_id: Only this message, in full length.
            limit: How many at most, up to 50.

        Returns:
            messages: message_id, merchant_id, order_id, product_id, sender (user or merchant), body (cut after 1500
            characters, with a mark), at; total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 50.
        """
        found = [
            row
            for row in self.rows("messages")
            if row["user_id"] == user_id
            and (order_id is None or row["order_id"] == order_id)
            and (message_id is None or row["message_id"] == message_id)
        ]
        found.sort(key=lambda row: self.seconds(row["at"]))
        found.reverse()
        shown = limited(found, limit, 50)
        return {"messages": shown if message_id else [_brief(row) for row in shown], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _newest(self, orders: Iterable[Record]) -> list[Record]:
        return sorted(orders, key=lambda row: self.seconds(row["placed_at"]), reverse=True)

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


def _brief(row: Record) -> dict[str, Any]:
    body = row["body"]
    if len(body) > BODY_SHOWN:
        more = len(body) - BODY_SHOWN
        body = f"{body[:BODY_SHOWN]} [{more} more characters: list_messages with message_id {row['message_id']}]"
    return {**row, "body": body}
