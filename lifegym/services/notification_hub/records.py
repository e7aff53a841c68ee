"""What a notification hub keeps."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.types import Currency, Instant, Minor, RecordModel, Ref

__all__ = ["Account", "Direction", "Follow", "Notification", "Post", "PriceAlert", "Subscription"]

Direction = Literal["below", "above"]


class Notification(RecordModel):
    notification_id: str
    user_id: str
    source: str
    type: str
    title: str
    body: str = ""
    ref: str = ""
    at: Instant
    read: bool = False


class Subscription(RecordModel):
    """What somebody wants to be told of. ``last_seen`` is the status or price that was reported last."""

    subscription_id: str
    user_id: str
    source: str
    type: str
    target: str
    condition: dict[str, Any] = {}
    status: Literal["active", "paused"] = "active"
    created_at: Instant
    last_seen: str = ""
    last_fired_at: Instant | None = None
    fired: int = 0


class PriceAlert(RecordModel):
    alert_id: str
    user_id: str
    item_ref: str
    target_price_minor: Minor
    direction: Direction = "below"
    status: Literal["active", "triggered"] = "active"
    created_at: Instant
    triggered_at: Instant | None = None
    triggered_price_minor: Minor | None = None
    currency: Currency | None = None


class Account(RecordModel):
    """An office, a firm or a club that publishes a feed."""

    account_id: str
    name: str
    about: str = ""


class Post(RecordModel):
    post_id: str
    account_id: Annotated[str, Ref("notification_hub.accounts")]
    at: Instant
    title: str
    body: Annotated[str, Field(max_length=8000)] = ""


class Follow(RecordModel):
    follow_id: str
    user_id: str
    account_id: Annotated[str, Ref("notification_hub.accounts")]
    since: Instant
