"""The shop's books: what there is to buy, whose it is, and what a cart comes to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.services.base import Service
from lifegym.services.ecommerce.pricing import Line, applies_to, price
from lifegym.services.ecommerce.records import (
    Address,
    Cart,
    CartItem,
    Coupon,
    Merchant,
    Message,
    Order,
    OrderItem,
    Product,
    Refund,
    Sku,
)
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["EcommerceBooks"]


class EcommerceBooks(Service):
    """Products, prices and carts."""

    name = "ecommerce"
    title = "Online shop"
    records = {
        "merchants": Merchant,
        "products": Product,
        "skus": Sku,
        "coupons": Coupon,
        "addresses": Address,
        "cart_items": CartItem,
        "carts": Cart,
        "orders": Order,
        "order_items": OrderItem,
        "refunds": Refund,
        "messages": Message,
    }

    # -- finding -------------------------------------------------------------------------------------------------

    def _merchant(self, merchant_id: str) -> Record:
        return self.table("merchants").find(merchant_id) or self._broken("merchant", merchant_id)

    def _product(self, product_id: str) -> Record:
        return self.table("products").find(product_id) or self._broken("product", product_id)

    def _sku(self, sku_id: str) -> Record:
        return self.table("skus").find(sku_id) or self._broken("SKU", sku_id)

    @staticmethod
    def _broken(noun: str, key: str) -> Record:
        raise LookupError(f"a record refers to the {noun} {key!r}, which does not exist")

    def _order(self, order_id: str) -> Record:
        return self.get("orders", order_id, "order", "ecommerce.list_orders shows them")

    def _items(self, order: Record) -> list[Record]:
        """The lines of an order."""
        table = self.table("order_items")
        return [row for row in map(table.find, order["item_ids"]) if row is not None]

    def _skus(self, product: Record) -> list[Record]:
        table = self.table("skus")
        return [row for row in map(table.find, product["sku_ids"]) if row is not None]

    def _skus_meant(self, ref: str) -> list[Record]:
        """The SKU of this id, or all of the product of this id."""
        sku = self.find("skus", ref)
        if sku is not None:
            return [sku]
        product = self.find("products", ref)
        return self._skus(product) if product is not None else []

    def _cart(self, user_id: str) -> list[Record]:
        return [row for row in self.rows("cart_items") if row["user_id"] == user_id]

    def _codes(self, user_id: str) -> list[str]:
        cart = self.find("carts", user_id)
        return list(cart["codes"]) if cart is not None else []

    # -- coupons -------------------------------------------------------------------------------------------------

    def _why_not(self, coupon: Record, user_id: str, lines: list[Line], currency: str) -> tuple[str, str] | None:
        """Why a coupon gives nothing on a cart: a code and a sentence; None where it holds."""
        code = coupon["code"]
        if coupon["starts_at"] and self.now < self.seconds(coupon["starts_at"]):
            return "not_yet", f"{code} holds from {coupon['starts_at']} on"
        if coupon["ends_at"] and self.now > self.seconds(coupon["ends_at"]):
            return "expired", f"{code} ended at {coupon['ends_at']}"
        if coupon["uses_left"] == 0:
            return "used_up", f"{code} has been used as often as it can be"
        if coupon["once_per_user"] and any(
            code in order["codes"]
            for order in self.rows("orders")
            if order["user_id"] == user_id and order["status"] != "cancelled"
        ):
            return "used_up", f"{code} can be used once, and an order of this user has used it"
        fitting = [line for line in lines if applies_to(coupon, line)]
        if not fitting or (coupon["currency"] and coupon["currency"] != currency):
            scope = ", ".join(coupon["categories"]) or coupon["currency"] or "another merchant"
            return "not_applicable", f"{code} is for {scope}; the cart has nothing of it"
        goods = sum(line.net for line in fitting)
        if goods < coupon["threshold_minor"]:
            missing = coupon["threshold_minor"] - goods
            return "below_threshold", f"{code} needs {missing} more in minor units of goods that it is for"
        return None

    # -- quotes --------------------------------------------------------------------------------------------------

    def _line(self, sku: Record, product: Record, qty: int) -> Line:
        return Line(sku["price_minor"] * qty, product["tax_bp"], product["category"], product["merchant_id"])

    def _quote(self, user_id: str, express: bool = False) -> dict[str, Any]:
        """What a user's cart comes to at today's prices."""
        entries = []
        for row in self._cart(user_id):
            sku = self._sku(row["sku_id"])
            product = self._product(row["product_id"])
            entries.append((row, sku, product, self._line(sku, product, row["qty"])))
        lines = [line for *_, line in entries]
        currency = entries[0][2]["currency"] if entries else ""
        holding, coupons = [], []
        for code in self._codes(user_id):
            coupon = self.find("coupons", code)
            refusal = ("expired", f"{code} is gone")
            if coupon is not None:
                refusal = self._why_not(coupon, user_id, lines, currency) or ("", "")
                if not refusal[0]:
                    holding.append(coupon)
            title = coupon["title"] if coupon is not None else ""
            coupons.append({"code": code, "title": title, "discount_minor": 0, "problem": refusal[1]})
        priced = price(lines, holding)
        for coupon, off in zip(holding, priced.by_coupon, strict=True):
            for shown in coupons:
                if shown["code"] == coupon["code"]:
                    shown["discount_minor"] = off
        shipping = self._shipping(lines, express)
        items = sum(line.net for line in lines)
        discount, tax = sum(priced.discounts), sum(priced.taxes)
        return {
            "entries": entries,
            "priced": priced,
            "coupons": coupons,
            "currency": currency,
            "items_minor": items,
            "discount_minor": discount,
            "tax_minor": tax,
            "shipping_minor": shipping,
            "total_minor": items - discount + tax + shipping,
        }

    def _shipping(self, lines: list[Line], express: bool) -> int:
        """What delivery costs: a fee for each merchant, unless the goods reach its limit; express on top."""
        goods: dict[str, int] = {}
        for line in lines:
            goods[line.merchant_id] = goods.get(line.merchant_id, 0) + line.net
        whole = 0
        for merchant_id, amount in goods.items():
            merchant = self._merchant(merchant_id)
            free = merchant["free_shipping_from_minor"]
            whole += 0 if free is not None and amount >= free else merchant["shipping_minor"]
            whole += (merchant["express_minor"] or 0) if express else 0
        return whole

    @staticmethod
    def _totals(quote: Mapping[str, Any]) -> dict[str, Any]:
        """The sums of a quote."""
        fields = ("items_minor", "discount_minor", "tax_minor", "shipping_minor", "total_minor", "currency")
        return {field: quote[field] for field in fields}

    def _check_stock(self, sku: Record, product: Record, qty: int) -> None:
        if not product["on_sale"]:
            raise ToolError("unavailable", f"{product['title']} is not on sale any more; search_products shows others")
        if sku["stock"] < qty:
            note = f" ({sku['notice'] or product['notice']})" if sku["notice"] or product["notice"] else ""
            raise ToolError(
                "out_of_stock",
                f"{sku['stock']} of {sku['sku_id']} left{note}; take fewer or another SKU of get_product",
            )
