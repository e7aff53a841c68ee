"""What an online shop keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Address", "Cart", "CartItem", "Coupon", "LineStatus", "Merchant", "Message", "Order", "OrderItem", "OrderStatus",
    "Place", "Product", "Refund", "Sku",
]  # fmt: skip

LineStatus = Literal[
    "placed", "back_ordered", "packed", "shipped", "out_for_delivery", "delivered", "returned", "cancelled"
]
OrderStatus = Literal[
    "placed", "packed", "partly_shipped", "shipped", "out_for_delivery", "delivered", "returned", "cancelled"
]
Count = Annotated[int, Field(ge=0)]
Amount = Annotated[Minor, Field(ge=0)]
BasisPoints = Annotated[int, Field(ge=0, le=10_000)]


class Place(TypedDict, total=False):
    """A postal address as it was when it was used."""

    address_id: str
    recipient: str
    phone: str
    country: str
    province: str
    city: str
    district: str
    detail: str
    postal_code: str


class Merchant(RecordModel):
    merchant_id: str
    name: str
    email: str = ""
    phone: str = ""
    address: Place = Field(default_factory=lambda: Place())
    shipping_minor: Amount = 0
    free_shipping_from_minor: Amount | None = None
    express_minor: Amount | None = None
    dispatch_days: Annotated[int, Field(ge=0, le=120)] = 1
    transit_days: Annotated[int, Field(ge=1, le=120)] = 2
    express_days: Annotated[int, Field(ge=1, le=120)] = 1
    pickup_time: TimeOfDay = "16:00"
    delivery_time: TimeOfDay = "14:00"
    return_days: Count = 14
    cancel_refund_days: Count | None = 0
    refund_days: Count | None = 3


class Product(RecordModel):
    product_id: str
    merchant_id: Annotated[str, Ref("ecommerce.merchants")]
    title: str
    brand: str = ""
    category: str = ""
    description: str = ""
    keywords: str = ""
    attrs: dict[str, str] = Field(default_factory=dict)
    currency: Currency
    tax_bp: BasisPoints = 0
    rating: Annotated[float, Field(ge=0, le=5)] = 0.0
    reviews: Count = 0
    returnable: bool = True
    return_days: Count | None = None
    dispatch_days: Annotated[int, Field(ge=0, le=120)] | None = None
    transit_days: Annotated[int, Field(ge=1, le=120)] | None = None
    on_sale: bool = True
    notice: str = ""
    sku_ids: list[Annotated[str, Ref("ecommerce.skus")]] = Field(default_factory=list)


class Sku(RecordModel):
    sku_id: str
    product_id: Annotated[str, Ref("ecommerce.products")]
    options: dict[str, str] = Field(default_factory=dict)
    price_minor: Amount
    list_price_minor: Amount | None = None
    stock: Count = 0
    lot: str = ""
    weight_kg: Annotated[float, Field(ge=0)] = 1.0
    ships_on: Day | None = None
    notice: str = ""
    next_price_minor: Amount | None = None
    next_price_at: Instant | None = None


class Coupon(RecordModel):
    code: str
    title: str = ""
    percent: Annotated[int, Field(ge=0, le=100)] = 0
    amount_minor: Amount = 0
    currency: Currency | Literal[""] = ""
    most_minor: Amount | None = None
    threshold_minor: Amount = 0
    starts_at: Instant | None = None
    ends_at: Instant | None = None
    categories: list[str] = Field(default_factory=list)
    merchant_id: Annotated[str, Ref("ecommerce.merchants")] = ""
    stackable: bool = False
    once_per_user: bool = False
    uses_left: Count | None = None


class Address(RecordModel):
    address_id: str
    user_id: str
    recipient: str
    phone: str = ""
    country: str = ""
    province: str = ""
    city: str
    district: str = ""
    detail: str
    postal_code: str = ""
    is_default: bool = False


class CartItem(RecordModel):
    cart_item_id: str
    user_id: str
    product_id: Annotated[str, Ref("ecommerce.products")]
    sku_id: Annotated[str, Ref("ecommerce.skus")]
    qty: Annotated[int, Field(ge=1)]
    added_at: Instant
    price_added_minor: Amount


class Cart(RecordModel):
    user_id: str
    codes: list[Annotated[str, Ref("ecommerce.coupons")]] = Field(default_factory=list)


class Order(RecordModel):
    order_id: str
    user_id: str
    placed_at: Instant
    status: OrderStatus = "placed"
    address: Place
    payment_method_id: str
    currency: Currency
    delivery: Literal["standard", "express"] = "standard"
    items_minor: Amount = 0
    discount_minor: Amount = 0
    tax_minor: Amount = 0
    shipping_minor: Amount = 0
    total_minor: Amount = 0
    refunded_minor: Amount = 0
    codes: list[str] = Field(default_factory=list)
    note: str = ""
    item_ids: list[Annotated[str, Ref("ecommerce.order_items")]] = Field(default_factory=list)


class OrderItem(RecordModel):
    item_id: str
    order_id: Annotated[str, Ref("ecommerce.orders")]
    product_id: Annotated[str, Ref("ecommerce.products")]
    sku_id: Annotated[str, Ref("ecommerce.skus")]
    title: str = ""
    options: dict[str, str] = Field(default_factory=dict)
    qty: Annotated[int, Field(ge=1)]
    unit_price_minor: Amount
    net_minor: Amount = 0
    discount_minor: Amount = 0
    tax_bp: BasisPoints = 0
    tax_minor: Amount = 0
    total_minor: Amount = 0
    lot: str = ""
    status: LineStatus = "placed"
    cancelled_qty: Count = 0
    returned_qty: Count = 0
    refunded_minor: Amount = 0
    ships_at: Instant | None = None
    expected_at: Instant | None = None
    delivered_at: Instant | None = None
    return_until: Day | None = None
    tracking_no: str = ""
    substituted_for: str = ""
    recall: str = ""
    reason: str = ""


class Refund(RecordModel):
    refund_id: str
    order_id: Annotated[str, Ref("ecommerce.orders")]
    item_id: Annotated[str, Ref("ecommerce.order_items")] = ""
    qty: Count = 0
    kind: Literal["cancellation", "return", "goodwill", "shipping"]
    status: Literal["requested", "partly_refunded", "refunded", "declined", "failed"] = "requested"
    amount_minor: Amount
    refunded_minor: Amount = 0
    currency: Currency
    reason: str = ""
    note: str = ""
    requested_at: Instant
    due_at: Instant | None = None
    closed_at: Instant | None = None


class Message(RecordModel):
    message_id: str
    user_id: str
    merchant_id: Annotated[str, Ref("ecommerce.merchants")]
    order_id: Annotated[str, Ref("ecommerce.orders")] = ""
    product_id: Annotated[str, Ref("ecommerce.products")] = ""
    sender: Literal["user", "merchant"]
    body: str
    at: Instant
