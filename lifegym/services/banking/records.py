"""What a bank keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref

__all__ = ["Account", "Frequency", "Kind", "Payee", "Payment", "Rate", "Schedule", "Transaction"]

Frequency = Literal["weekly", "biweekly", "monthly", "quarterly", "yearly"]
Kind = Literal["payment", "transfer", "deposit", "card", "fee", "interest", "refund"]


class Account(RecordModel):
    account_id: str
    user_id: str
    name: str
    kind: Literal["checking", "savings", "joint", "loan"] = "checking"
    number: str = ""
    currency: Currency
    balance_minor: Minor
    overdraft_minor: Minor = 0
    status: Literal["open", "frozen", "closed"] = "open"


class Payee(RecordModel):
    payee_id: str
    user_id: str
    name: str
    account_no: str
    bank_name: str
    added_at: Instant | None = None


class Transaction(RecordModel):
    transaction_id: str
    account_id: Annotated[str, Ref("banking.accounts")]
    posted_at: Instant
    kind: Kind
    amount_minor: Minor
    currency: Currency
    balance_after_minor: Minor
    counterparty: str = ""
    memo: str = ""
    ref: str = ""


class Payment(RecordModel):
    payment_id: str
    account_id: Annotated[str, Ref("banking.accounts")]
    payee_id: Annotated[str, Ref("banking.payees")]
    amount_minor: Minor
    currency: Currency
    memo: str = ""
    status: Literal["scheduled", "posted", "bounced", "cancelled"]
    created_at: Instant
    scheduled_for: Day
    schedule_id: str = ""
    transaction_id: str = ""
    reason: str = ""


class Schedule(RecordModel):
    schedule_id: str
    account_id: Annotated[str, Ref("banking.accounts")]
    payee_id: Annotated[str, Ref("banking.payees")]
    amount_minor: Minor
    currency: Currency
    freq: Frequency
    start_date: Day
    end_date: Day | None = None
    next_date: Day | None = None
    runs: int = 0
    status: Literal["active", "ended", "cancelled"] = "active"


class Rate(RecordModel):
    """At what rate accounts of one currency pay prices in another."""

    pair: str
    """The account's currency and the price's: ``EUR/GEL``."""
    units: Annotated[float, Field(gt=0, le=10**9)]
    """Minor units of the price's currency for one of the account's: 3.1 if a euro is 3.10 lari."""
