"""What a brokerage keeps.

Prices are whole minor units a share. A fund's unit has its value (NAV) in thousandths of a minor unit, and is held in
thousandths of a unit. Histories of prices and values list the days on which they changed; between them the last holds.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Currency, Day, Instant, Minor, RecordModel, Ref, TimeOfDay

__all__ = [
    "Account", "Close", "EarlyClose", "Entry", "ExitFee", "Fund", "Grant", "Instrument", "Lot", "Market", "Nav",
    "Order", "OrderStatus", "OrderType", "Settlement", "Side", "TimeInForce",
]  # fmt: skip

Side = Literal["buy", "sell"]
OrderType = Literal["market", "limit"]
TimeInForce = Literal["day", "gtc"]
OrderStatus = Literal["open", "filled", "cancelled", "expired", "rejected"]
Positive = Annotated[int, Field(gt=0)]
NotNegative = Annotated[int, Field(ge=0)]
BasisPoints = Annotated[int, Field(ge=0, le=5000)]
SettlementDays = Annotated[int, Field(ge=0, le=10)]


class EarlyClose(RecordModel):
    date: Day
    closes: TimeOfDay


class Market(RecordModel):
    """An exchange with its hours, in its own zone. ``turns_at`` is when it opens or closes next."""

    market_id: str
    name: str
    zone: str
    opens: TimeOfDay = "09:30"
    closes: TimeOfDay = "16:00"
    weekdays: Annotated[list[Annotated[int, Field(ge=0, le=6)]], Field(min_length=1)] = [0, 1, 2, 3, 4]
    holidays: list[Day] = []
    early_closes: list[EarlyClose] = []
    settlement_days: SettlementDays = 1
    turns_at: Instant | None = None


class Close(RecordModel):
    date: Day
    price_minor: Minor


class Instrument(RecordModel):
    """Something that is traded. An option costs what its underlying does, less the strike, and never under nothing."""

    symbol: str
    name: str
    kind: Literal["share", "etf", "warrant", "option"] = "share"
    market_id: Annotated[str, Ref("brokerage.markets")]
    currency: Currency
    price_minor: NotNegative = 0
    lot_size: Positive = 1
    tick_minor: Positive = 1
    status: Literal["trading", "halted"] = "trading"
    underlying: Annotated[str, Ref("brokerage.instruments")] = ""
    strike_minor: NotNegative = 0
    closes: list[Close] = []


class Nav(RecordModel):
    date: Day
    nav_milli: Positive


class ExitFee(RecordModel):
    """Redeeming units that were held for fewer days costs this share of their value."""

    under_days: Positive
    fee_bps: BasisPoints


class Fund(RecordModel):
    """A fund. Orders before ``cutoff`` get the value of that day, which is known at ``publishes`` (market's zone)."""

    fund_code: str
    name: str
    category: str
    market_id: Annotated[str, Ref("brokerage.markets")]
    currency: Currency
    nav_milli: Positive
    cutoff: TimeOfDay = "15:00"
    publishes: TimeOfDay = "20:00"
    minimum_minor: Positive = 1
    entry_fee_bps: BasisPoints = 0
    exit_fees: list[ExitFee] = []
    settlement_days: SettlementDays = 2
    status: Literal["open", "closed"] = "open"
    navs: list[Nav] = []


class Account(RecordModel):
    """An account. Where there is a payout account, proceeds go to that bank account when they settle.

    ``payout_rate_ppm`` is how many millionths of the payout currency one unit of the account's currency gives.
    """

    account_id: str
    user_id: str
    name: str
    number: str = ""
    currency: Currency
    cash_minor: NotNegative = 0
    fee_bps: BasisPoints = 0
    fee_flat_minor: NotNegative = 0
    fee_min_minor: NotNegative = 0
    payout_account_id: Annotated[str, Ref("banking.accounts")] = ""
    payout_currency: Currency | None = None
    payout_rate_ppm: Positive = 1_000_000
    opened_on: Day | None = None
    status: Literal["open", "restricted", "closed"] = "open"


class Lot(RecordModel):
    """What was bought at one time: shares of a symbol, or thousandths of a unit of a fund."""

    lot_id: str
    account_id: Annotated[str, Ref("brokerage.accounts")]
    symbol: str
    units: Positive
    cost_minor: NotNegative = 0
    acquired_on: Day


class Order(RecordModel):
    """An order for shares, or one to subscribe to or redeem a fund (``nav_date`` is the day whose value it gets)."""

    order_id: str
    account_id: Annotated[str, Ref("brokerage.accounts")]
    symbol: str
    side: Side
    order_type: Literal["market", "limit", "subscription", "redemption"]
    qty: NotNegative = 0
    units_milli: NotNegative = 0
    amount_minor: NotNegative = 0
    limit_price_minor: Positive | None = None
    tif: TimeInForce = "day"
    status: OrderStatus = "open"
    placed_at: Instant
    session_date: Day | None = None
    nav_date: Day | None = None
    reserved_minor: NotNegative = 0
    currency: Currency
    filled_at: Instant | None = None
    trade_date: Day | None = None
    fill_price_minor: NotNegative | None = None
    fill_nav_milli: Positive | None = None
    gross_minor: NotNegative = 0
    fee_minor: NotNegative = 0
    net_minor: Minor = 0
    settles_on: Day | None = None
    reason: str = ""


class Entry(RecordModel):
    """One line of an account's book: what it did to the cash, and to the units of a symbol."""

    entry_id: str
    account_id: Annotated[str, Ref("brokerage.accounts")]
    at: Instant
    kind: Literal[
        "deposit", "withdrawal", "buy", "sell", "fee", "dividend", "subscription", "redemption", "exercise", "vest",
        "lapse", "split", "payout",
    ]  # fmt: skip
    amount_minor: Minor = 0
    balance_after_minor: Minor
    symbol: str = ""
    units: int = 0
    units_after: NotNegative = 0
    ref: str = ""
    memo: str = ""


class Settlement(RecordModel):
    """Proceeds of a sale on their way: until they settle they cannot be spent."""

    settlement_id: str
    account_id: Annotated[str, Ref("brokerage.accounts")]
    order_id: Annotated[str, Ref("brokerage.orders")]
    amount_minor: Positive
    due_at: Instant
    status: Literal["pending", "settled", "paid_out"] = "pending"
    paid_minor: NotNegative = 0
    paid_currency: Currency | None = None


class Grant(RecordModel):
    """Options from an employer. Those that are vested and not used are held in the account under ``symbol``."""

    grant_id: str
    account_id: Annotated[str, Ref("brokerage.accounts")]
    symbol: Annotated[str, Ref("brokerage.instruments")]
    title: str = ""
    granted: NotNegative
    vested: NotNegative = 0
    used: NotNegative = 0
    granted_on: Day
    expires_on: Day
    opens_at: Instant | None = None
    closes_at: Instant | None = None
    status: Literal["open", "lapsed"] = "open"
