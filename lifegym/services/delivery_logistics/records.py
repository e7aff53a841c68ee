"""What a carrier keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from lifegym.services.delivery_logistics.addresses import Address
from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Channel", "ClosedDay", "Issue", "IssueStatus", "IssueType", "Item", "Pickup", "Scan", "Shipment", "Status",
    "Subscription", "Tariff", "Window",
]  # fmt: skip

Status = Literal[
    "created", "picked_up", "in_transit", "out_for_delivery", "delivered", "exception", "returned", "cancelled"
]
IssueType = Literal[
    "lost", "damaged", "late", "wrong_item", "missing_item", "wrong_address", "not_received", "other"
]  # fmt: skip
IssueStatus = Literal["open", "investigating", "resolved", "rejected"]
Channel = Literal["push", "email", "sms"]
Window = Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$")]
"""``HH:MM-HH:MM``."""
Days = Annotated[int, Field(ge=0, le=60)] | None
"""Working days in transit; None where the service does not go."""


class Item(TypedDict):
    """One kind of thing in a parcel; ref is what its sender calls it, such as a shop's article number."""

    description: str
    qty: Annotated[int, Field(ge=1)]
    ref: str


class Scan(TypedDict):
    """What was seen of a parcel, when and where."""

    at: Instant
    status: Status
    location: str
    text: str


class Shipment(RecordModel):
    tracking_no: str
    shipment_id: str = ""
    user_id: str
    direction: Literal["incoming", "outgoing"] = "incoming"
    status: Status = "created"
    service_type: str = "standard"
    sender: str = ""
    origin: Address = Field(default_factory=lambda: Address())
    destination: Address
    items: list[Item] = Field(default_factory=list)
    weight_kg: float = 1.0
    ref: str = ""
    created_at: Instant
    collect_at: Instant | None = None
    deliver_at: Instant | None = None
    promised_on: Day | None = None
    time_window: Window | Literal[""] = ""
    offered_windows: list[Window] = Field(default_factory=lambda: ["08:00-12:00", "12:00-16:00", "16:00-20:00"])
    delivered_at: Instant | None = None
    signature: bool = False
    signed_by: str = ""
    trouble: Literal["", "held", "lost"] = ""
    reason: str = ""
    return_on: Day | None = None
    price_minor: Minor = 0
    currency: Currency | Literal[""] = ""
    payment_method_id: str = ""
    scans: list[Scan] = Field(default_factory=list)
    plan: int = 0


class Tariff(RecordModel):
    service_type: str
    title: str = ""
    currency: Currency
    base_minor: Annotated[Minor, Field(ge=0)]
    included_kg: Annotated[int, Field(ge=0)] = 2
    per_kg_minor: Annotated[Minor, Field(ge=0)] = 0
    regional_minor: Annotated[Minor, Field(ge=0)] = 0
    national_minor: Annotated[Minor, Field(ge=0)] = 0
    international_minor: Annotated[Minor, Field(ge=0)] = 0
    days_local: Days = 1
    days_regional: Days = 2
    days_national: Days = 3
    days_international: Days = 7
    max_kg: Annotated[int, Field(gt=0)] = 30
    order_by: TimeOfDay = "18:00"
    delivery_time: TimeOfDay = "14:00"
    signature: bool = False


class ClosedDay(RecordModel):
    day: Day
    name: str = ""


class Pickup(RecordModel):
    pickup_id: str
    tracking_no: Annotated[str, Ref("delivery_logistics.shipments")]
    user_id: str
    pickup_addr: Address
    item_desc: str
    service_type: str
    scheduled_at: Instant
    requested_at: Instant
    status: Literal["scheduled", "done", "cancelled"] = "scheduled"


class Issue(RecordModel):
    issue_id: str
    tracking_no: Annotated[str, Ref("delivery_logistics.shipments")]
    user_id: str
    issue_type: IssueType
    description: str
    status: IssueStatus = "open"
    created_at: Instant
    updated_at: Instant
    resolution: str = ""


class Subscription(RecordModel):
    subscription_id: str
    tracking_no: Annotated[str, Ref("delivery_logistics.shipments")]
    user_id: str
    channel: Channel
    target: str
    status: Literal["active", "ended"] = "active"
    created_at: Instant
    fired: Annotated[int, Field(ge=0)] = 0
    last_fired_at: Instant | None = None
