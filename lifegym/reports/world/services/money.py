"""Bank, credit card and brokerage: what one owns and owes, and statements with balances."""

from __future__ import annotations

import datetime as dt
from itertools import groupby
from typing import Any

from lifegym.reports.world import fields
from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Card, Cards, Cell, Facts, Item, Note, Part, Row
from lifegym.reports.world.records import facts, record, table_of
from lifegym.reports.world.views import Listed, Opened, Stock, View
from lifegym.world import clock

__all__ = ["BANKING", "BROKERAGE", "CREDIT_CARD"]


def _statement(look: Look, account_id: str) -> list[Part]:
    """An account with its balance, and what came in and went out month by month, the newest first."""
    account = look.read("banking.get_account", account_id=account_id)
    if account is None:
        return [Note(f"The bank shows no account {account_id}.", "warn")]
    found = look.rows("banking.list_transactions", "transactions", account_id=account_id)
    rows, seen = found.rows, {row["transaction_id"] for row in found.rows}
    while look.deep and rows and len(rows) < found.total:
        further = look.read("banking.list_transactions", account_id=account_id, until=rows[-1]["posted_at"], limit=200)
        new = [row for row in (further or {}).get("transactions", ()) if row["transaction_id"] not in seen]
        if not new:
            break
        rows += new
        seen |= {row["transaction_id"] for row in new}
    told = facts(account, look.zone, skip=("account_id", "user_id", "name", "kind", "number", "currency", "status"))
    parts: list[Part] = [Facts(told)]
    note = f"{len(rows)} of {found.total} are shown." if found.total > len(rows) else ""
    months = [(month, list(lines)) for month, lines in groupby(rows, key=lambda row: str(row["posted_at"])[:7])]
    for number, (month, lines) in enumerate(months):
        parts.append(_month(month, lines, account["currency"], look.zone, note if number == 0 else ""))
    return parts


def _month(month: str, rows: list[dict[str, Any]], currency: str, zone: str, note: str) -> Part:
    lines = []
    for row in rows:
        amount = row["amount_minor"]
        money = Cell(fields.amount(abs(amount), currency), "number")
        nothing = Cell("", "number")
        who = Cell(row["counterparty"] or "–", note=row["memo"])
        balance = Cell(fields.amount(row["balance_after_minor"], currency), "number")
        kind = Cell(row["kind"])
        cells = (
            fields.moment(row["posted_at"], zone), who, kind, money if amount < 0 else nothing,
            money if amount >= 0 else nothing, balance, Cell(row["transaction_id"], "id"),
        )  # fmt: skip
        lines.append(Row(cells))
    title = f"{clock.month_name(dt.date.fromisoformat(f'{month}-01'))} {month[:4]}"
    return table_of(("Posted", "With", "Kind", "Out", "In", "Balance", "Id"), lines, title, note)


def _accounts(look: Look) -> list[Part]:
    rows = look.rows("banking.list_accounts", "accounts").rows
    cards = []
    for row in rows:
        item = Item("banking", "account", row["account_id"], "Open the statement")
        told = facts(row, look.zone, ("account_id", "kind"))
        balance = fields.amount(row["balance_minor"], row["currency"])
        cards.append(Card(row["name"], row["number"], fields.status(row["status"]), balance, told, (), item))
    return [Cards(tuple(cards), "Accounts", "" if cards else "None.", wide=True)]


BANKING = View(
    (
        _accounts,
        Listed(
            "Payments that wait", "banking.list_pending_payments", "payments",
            ("scheduled_for", "payee_name", "amount_minor", "status", "memo", "reason", "account_id", "payment_id"),
        ),
        Listed(
            "Standing orders", "banking.list_recurring", "schedules",
            ("payee_name", "amount_minor", "freq", "next_date", "end_date", "status", "account_id", "schedule_id"),
        ),
        Listed("Payees", "banking.list_payees", "payees", ("name", "account_no", "bank_name", "added_at", "payee_id")),
    ),
    {"account": _statement},
)  # fmt: skip


def _card(look: Look, card_id: str) -> list[Part]:
    card = look.read("credit_card.get_card", card_id=card_id)
    if card is None:
        return [Note(f"There is no card {card_id}.", "warn")]
    columns = ("posted_at", "merchant", "kind", "category", "amount_minor", "memo", "ref", "recurring", "tx_id")
    parts: list[Part] = record(card, look.zone)
    lists = (
        Listed("Not yet billed", "credit_card.list_unbilled", "transactions", columns, arguments={"card_id": card_id}),
        Listed(
            "Statements", "credit_card.list_statements", "statements",
            ("closed_on", "due_on", "opening_minor", "closing_minor", "minimum_minor", "remaining_minor", "status",
             "statement_id"),
            item="statement", key="statement_id", arguments={"card_id": card_id},
        ),
        Listed("Disputes", "credit_card.list_disputes", "disputes", arguments={"card_id": card_id}),
    )  # fmt: skip
    for listed in lists:
        parts += listed(look)
    rewards = look.read("credit_card.get_rewards", card_id=card_id)
    return parts + (record(rewards, look.zone, "Points") if rewards else [])


CREDIT_CARD = View(
    (
        Listed(
            "Cards", "credit_card.list_cards", "cards", ("credit_limit_minor", "available_minor", "points", "card_id"),
            item="card", key="card_id", heading="name", subtitle=("number",), figure="balance_minor",
        ),
    ),
    {"card": _card, "statement": Opened("credit_card.get_statement", "statement_id")},
)  # fmt: skip


def _depot(look: Look, account_id: str) -> list[Part]:
    portfolio = look.read("brokerage.get_portfolio", account_id=account_id)
    parts: list[Part] = record(portfolio, look.zone) if portfolio else []
    account = {"account_id": account_id}
    columns = (
        "placed_at", "symbol", "side", "order_type", "qty", "units_milli", "amount_minor", "limit_price_minor",
        "status", "fill_price_minor", "net_minor", "settles_on", "reason", "order_id",
    )  # fmt: skip
    parts += Listed("Positions", "brokerage.get_positions", "positions", arguments=account)(look)
    parts += Listed("Orders", "brokerage.list_orders", "orders", columns, arguments=account)(look)
    return parts


BROKERAGE = View(
    (
        Listed(
            "Accounts", "brokerage.list_accounts", "accounts",
            ("available_cash_minor", "fee_bps", "payout_account_id", "account_id"),
            item="account", key="account_id", heading="name", subtitle=("number",), figure="cash_minor",
        ),
        Listed(
            "Option grants", "brokerage.list_option_grants", "grants",
            ("strike_minor", "price_minor", "granted", "vested", "used", "exercisable", "opens_at", "closes_at",
             "expires_on", "grant_id"),
            heading="title", subtitle=("symbol",), empty="",
        ),
        Stock(
            "Quotes", "brokerage.instruments", "brokerage.get_quote",
            ("symbol", "name", "kind", "price_minor", "prev_close_minor", "change_bps", "status"),
        ),
        Stock("Funds", "brokerage.funds", "brokerage.get_fund_nav", ("fund_code", "name", "nav_milli", "nav_date")),
    ),
    {"account": _depot},
)  # fmt: skip
