"""Shop and parcels: orders, basket, messages, shipments, and the shelves."""

from __future__ import annotations

from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Cell, Chat, Item, Message, Part
from lifegym.reports.world.records import facts, record, table
from lifegym.reports.world.views import Listed, Opened, Stock, View

__all__ = ["DELIVERY_LOGISTICS", "ECOMMERCE"]


def _orders(look: Look) -> list[Part]:
    found = look.rows("ecommerce.list_orders", "orders")
    cards = []
    for row in found.rows:
        told = [
            (f"{line['qty']} ×", Cell(line["title"], note=f"{line['status'].replace('_', ' ')}, {line['sku_id']}"))
            for line in row["items"]
        ]
        refunded = facts(row, look.zone, ("refunded_minor",)) if row["refunded_minor"] else ()
        cards.append(
            Card(
                row["order_id"],
                fields.moment(row["placed_at"], look.zone).text,
                fields.status(row["status"]),
                fields.amount(row["total_minor"], row["currency"]),
                (*told, *refunded),
                item=Item("ecommerce", "order", row["order_id"], "Open the order"),
            )
        )
    return [Cards(tuple(cards), "Orders", found.note or ("" if cards else "Nothing is ordered."))]


def _basket(look: Look) -> list[Part]:
    found = look.read("ecommerce.get_cart", user_id=look.owner)
    if not found or not found["items"]:
        return []
    columns = ("title", "options", "qty", "price_minor", "line_minor", "problem", "sku_id")
    sums = {name: value for name, value in found.items() if name not in ("items", "coupons")}
    return [table(found["items"], look.zone, "Basket", columns, outer=found), *record(sums, look.zone)]


def _messages(look: Look) -> list[Part]:
    rows = look.rows("ecommerce.list_messages", "messages").rows
    by_order: dict[str, list[dict[str, Any]]] = {}
    for row in reversed(rows):
        by_order.setdefault(row["order_id"] or row["product_id"] or row["merchant_id"], []).append(row)
    return [
        Chat(
            tuple(
                Message(
                    "You" if row["sender"] == "user" else row["merchant_id"],
                    row["body"],
                    fields.moment(row["at"], look.zone).text,
                    row["sender"] == "user",
                )
                for row in messages
            ),
            f"Messages about {about}",
        )
        for about, messages in by_order.items()
    ]


ECOMMERCE = View(
    (
        _orders,
        _basket,
        _messages,
        Listed("Addresses", "ecommerce.list_addresses", "addresses"),
        Stock(
            "Products", "ecommerce.products", "ecommerce.get_product",
            ("title", "brand", "category", "rating", "reviews", "on_sale", "returnable", "product_id"),
        ),
    ),
    {"order": Opened("ecommerce.get_order", "order_id")},
    "search_products finds what is on the shelves.",
)  # fmt: skip

DELIVERY_LOGISTICS = View(
    (
        Listed(
            "Shipments", "delivery_logistics.list_shipments", "shipments",
            ("contents", "sender", "destination", "deliver_at", "time_window", "delivered_at", "reason", "ref"),
            item="shipment", key="shipment_id", heading="tracking_no", subtitle=("direction", "shipment_id"),
        ),
        Listed("Complaints", "delivery_logistics.list_issues", "issues", empty=""),
    ),
    {"shipment": Opened("delivery_logistics.get_shipment", "shipment_id")},
    "estimate_delivery tells what a shipment costs and when it arrives; track_package follows any number.",
)  # fmt: skip
