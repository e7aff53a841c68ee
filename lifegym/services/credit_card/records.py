"""What a card issuer keeps. A transaction's amount is positive for what is owed and negative for a credit."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = [
    "Card", "Decline", "Dispute", "DisputeStatus", "Kind", "Payment", "Recurring", "Redemption", "Reward",
    "RewardRule", "Statement", "Transaction",
]  # fmt: skip

Kind = Literal["purchase", "refund", "payment", "fee", "interest", "credit", "reversal"]
DisputeStatus = Literal["open", "under_review", "won", "lost"]
NotNegative = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(gt=0)]


class Card(RecordModel):
    """A card. Its statement closes at the end of ``statement_day`` (or of the month's last day, if that is earlier)."""

    card_id: str
    user_id: str
    name: str
    number: str = ""
    currency: Currency
    credit_limit_minor: NotNegative
    status: Literal["active", "frozen", "blocked"] = "active"
    status_reason: str = ""
    statement_day: Annotated[int, Field(ge=1, le=31)] = 25
    due_days: Annotated[int, Field(ge=1, le=25)] = 20
    apr_bps: Annotated[int, Field(ge=0, le=10_000)] = 0
    late_fee_minor: NotNegative = 0
    minimum_bps: Annotated[int, Field(ge=0, le=10_000)] = 500
    minimum_floor_minor: NotNegative = 0
    autopay_account_id: Annotated[str, Ref("banking.accounts")] = ""
    autopay_amount: Literal["full", "minimum"] = "full"
    points: int = 0


class Transaction(RecordModel):
    """One line. It is unbilled until a statement closes and takes it up."""

    tx_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    posted_at: Instant
    kind: Kind
    merchant: str
    category: str = "other"
    amount_minor: Minor
    currency: Currency
    statement_id: Annotated[str, Ref("credit_card.statements")] = ""
    ref: str = ""
    memo: str = ""
    points: int = 0
    recurring: bool = False


class Statement(RecordModel):
    """A closed cycle. ``closing_minor`` is ``opening_minor`` (owed before) and the sum of its lines."""

    statement_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    period_start: Day
    closed_on: Day
    due_on: Day
    currency: Currency
    opening_minor: Minor = 0
    closing_minor: Minor
    minimum_minor: NotNegative = 0
    status: Literal["due", "paid", "overdue", "carried"] = "due"


class Payment(RecordModel):
    payment_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    amount_minor: Positive
    currency: Currency
    source: str
    kind: Literal["manual", "autopay"] = "manual"
    at: Instant
    status: Literal["posted", "failed"] = "posted"
    reason: str = ""
    tx_id: Annotated[str, Ref("credit_card.transactions")] = ""


class Dispute(RecordModel):
    dispute_id: str
    tx_id: Annotated[str, Ref("credit_card.transactions")]
    card_id: Annotated[str, Ref("credit_card.cards")]
    merchant: str
    amount_minor: Positive
    reason: str
    status: DisputeStatus = "open"
    opened_at: Instant
    resolved_at: Instant | None = None
    credit_tx_id: Annotated[str, Ref("credit_card.transactions")] = ""
    note: str = ""


class Recurring(RecordModel):
    """Something that charges the card each month by itself."""

    recurring_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    merchant: str
    category: str = "subscriptions"
    amount_minor: Positive
    day_of_month: Annotated[int, Field(ge=1, le=31)]
    next_on: Day | None = None
    status: Literal["active", "ended"] = "active"


class Decline(RecordModel):
    decline_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    at: Instant
    merchant: str
    amount_minor: Minor
    reason: str


class RewardRule(RecordModel):
    """Points for every 100 minor units spent in a category (``*``: in all), on the days of a campaign or always."""

    rule_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    category: str = "*"
    points_per_100: NotNegative = 1
    title: str = ""
    starts_on: Day | None = None
    ends_on: Day | None = None


class Reward(RecordModel):
    """What points can be redeemed for: a credit on the card, or a voucher."""

    redemption_code: str
    card_id: Annotated[str, Ref("credit_card.cards")] = ""
    title: str
    points_cost: Positive
    credit_minor: NotNegative = 0
    ends_on: Day | None = None


class Redemption(RecordModel):
    redemption_id: str
    card_id: Annotated[str, Ref("credit_card.cards")]
    redemption_code: Annotated[str, Ref("credit_card.rewards")]
    at: Instant
    points: Positive
    points_after: int
    credit_minor: NotNegative = 0
    tx_id: Annotated[str, Ref("credit_card.transactions")] = ""
    voucher: str = ""
