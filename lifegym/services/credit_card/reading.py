"""Cards, to look at: limits, lines, statements, disputes, rewards."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import limited, paged
from lifegym.services.credit_card.inventory import CreditCardInventory
from lifegym.services.credit_card.records import DisputeStatus
from lifegym.services.search import rank
from lifegym.services.tools import tool
from lifegym.world.record import Record

__all__ = ["CreditCardReading"]

_ALIASES = {
    "food": "groceries",
    "supermarket": "groceries",
    "restaurant": "dining",
    "restaurants": "dining",
    "fuel": "transport",
    "petrol": "transport",
    "transit": "transport",
    "chemist": "pharmacy",
    "drugstore": "pharmacy",
    "streaming": "subscriptions",
    "returned": "refund",
    "money back": "refund",
}
"""What people call a category or a kind of line."""


class CreditCardReading(CreditCardInventory):
    """What can be seen. Amounts are minor units, positive for what is owed and negative for a credit."""

    @tool(write=False)
    def list_cards(self, user_id: str) -> dict[str, Any]:
        """List a user's credit cards with what is owed and what is left of their limits.

        Args:
            user_id: Whose cards, e.g. u_liwei.

        Returns:
            cards: card_id, name, number, currency, status (active, frozen, blocked), credit_limit_minor, balance_minor
            (all that is owed), available_minor, points.
        """
        shown = ("card_id", "name", "number", "currency", "status", "credit_limit_minor", "points")
        return {
            "cards": [
                {**{field: row[field] for field in shown}, **self._owed(row)}
                for row in self.rows("cards")
                if row["user_id"] == user_id
            ]
        }

    @tool(write=False)
    def get_card(self, card_id: str) -> dict[str, Any]:
        """Show one card: limit, balance, terms, what is due next, what recurs on it, what was declined lately.

        Args:
            card_id: From list_cards.

        Returns:
            The card (status, statement_day, due_days, apr_bps, late_fee_minor, autopay_account_id, autopay_amount,
            points); balance_minor (all that is owed), available_minor, unbilled_minor; due (the last statement, null if
            there is none or nothing of it is left to pay: statement_id, due_on, remaining_minor,
            minimum_remaining_minor, status); recurring (merchant, amount_minor, next_on; at most 20); declines (at,
            merchant, amount_minor, reason; the last 5).

        Errors:
            not_found: There is no such card.
        """
        card = self._card(card_id)
        recurring = [
            {field: row[field] for field in ("recurring_id", "merchant", "amount_minor", "next_on")}
            for row in self.rows("recurring")
            if row["card_id"] == card_id and row["status"] == "active"
        ]
        declines = [row for row in self.rows("declines") if row["card_id"] == card_id]
        return {
            **card,
            **self._owed(card),
            "unbilled_minor": sum(row["amount_minor"] for row in self._unbilled(card_id)),
            "due": self._due(card_id),
            "recurring": recurring[:20],
            "declines": declines[:-6:-1],
        }

    @tool(write=False)
    def list_unbilled(
        self, card_id: str, query: str | None = None, page: int = 1, page_size: int = 50
    ) -> dict[str, Any]:
        """List the lines that are not on a statement yet, newest first: purchases, refunds, payments, fees.

        Args:
            card_id: From list_cards.
            query: Only lines of merchants, categories or references that match these words, best match first.
            page: Which page, from 1.
            page_size: How many a page has, up to 100.

        Returns:
            transactions: tx_id, posted_at, kind (purchase, refund, payment, fee, interest, credit, reversal), merchant,
            category, amount_minor (negative: a credit), ref (of the order it is for), memo, points, recurring; total,
            page, pages; sum_minor (of all that match).

        Errors:
            not_found: There is no such card.
            bad_page: page or page_size is out of range.
        """
        self._card(card_id)
        lines = sorted(self._unbilled(card_id), key=lambda row: self.seconds(row["posted_at"]))[::-1]
        if query is not None:
            lines = rank(
                query,
                lines,
                lambda row: (
                    (row["merchant"], 3.0),
                    (row["category"], 1.0),
                    (row["ref"], 2.0),
                    (row["memo"], 1.0),
                    (row["kind"], 1.0),
                ),
                _ALIASES,
                need_all=True,
            )
        found = paged(lines, page, page_size)
        total = sum(row["amount_minor"] for row in lines)
        return {"transactions": found.pop("rows"), **found, "sum_minor": total}

    @tool(write=False)
    def list_statements(self, card_id: str, limit: int = 12) -> dict[str, Any]:
        """List a card's statements, the last one first.

        Args:
            card_id: From list_cards.
            limit: How many at most, up to 200.

        Returns:
            statements: statement_id, period_start, closed_on, due_on, opening_minor, closing_minor, minimum_minor,
            status (due, paid, overdue, carried over to the next), remaining_minor and minimum_remaining_minor (what is
            left to pay; 0 for all but the last); total (how many there are).

        Errors:
            not_found: There is no such card.
            bad_limit: limit is not between 1 and 200.
        """
        self._card(card_id)
        found = self._statements(card_id)
        rows = []
        for row in limited(found, limit):
            remaining, minimum = self._left(row) if row is found[0] else (0, 0)
            rows.append({**row, "remaining_minor": remaining, "minimum_remaining_minor": minimum})
        return {"statements": rows, "total": len(found)}

    @tool(write=False)
    def get_statement(self, statement_id: str, page: int = 1, page_size: int = 50) -> dict[str, Any]:
        """Show a statement with its lines, oldest first.

        Args:
            statement_id: From list_statements.
            page: Which page of lines, from 1.
            page_size: How many lines a page has, up to 100.

        Returns:
            The statement: card_id, period_start, closed_on, due_on, opening_minor (owed before), purchases_minor,
            credits_minor (refunds, payments and other credits, negative), charges_minor (fees and interest),
            closing_minor (the sum), minimum_minor, status; lines: tx_id, posted_at, kind, merchant, category,
            amount_minor, ref, memo; total, page, pages.

        Errors:
            not_found: There is no such statement.
            bad_page: page or page_size is out of range.
        """
        statement = self.get("statements", statement_id, "statement", "credit_card.list_statements shows them")
        lines = [row for row in self.rows("transactions") if row["statement_id"] == statement_id]
        lines.sort(key=lambda row: self.seconds(row["posted_at"]))
        found = paged(lines, page, page_size)
        fees = sum(row["amount_minor"] for row in lines if row["kind"] in ("fee", "interest"))
        return {
            **statement,
            "purchases_minor": sum(row["amount_minor"] for row in lines if row["amount_minor"] > 0) - fees,
            "credits_minor": sum(row["amount_minor"] for row in lines if row["amount_minor"] < 0),
            "charges_minor": fees,
            "lines": found.pop("rows"),
            **found,
        }

    @tool(write=False)
    def list_disputes(
        self, card_id: str, status_filter: DisputeStatus | None = None, limit: int = 50
    ) -> dict[str, Any]:
        """List the disputes of a card, those opened last in front.

        Args:
            card_id: From list_cards.
            status_filter: open, under_review, won or lost; all if left out.
            limit: How many at most, up to 200.

        Returns:
            disputes: dispute_id, tx_id, merchant, amount_minor, reason, status, opened_at, resolved_at, credit_tx_id
            (the credit, while it is provisional or for good), note; total (how many match).

        Errors:
            not_found: There is no such card.
            bad_limit: limit is not between 1 and 200.
        """
        self._card(card_id)
        found = [
            row
            for row in self.rows("disputes")
            if row["card_id"] == card_id and (status_filter is None or row["status"] == status_filter)
        ]
        found.sort(key=lambda row: self.seconds(row["opened_at"]))
        found.reverse()
        return {"disputes": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def get_rewards(self, card_id: str) -> dict[str, Any]:
        """Show a card's points, how they are earned, and what they can be redeemed for.

        Args:
            card_id: From list_cards.

        Returns:
            points; rules that hold today (category, * for all; points_per_100 minor units spent; title, ends_on);
            rewards (redemption_code, title, points_cost, credit_minor, ends_on, affordable; cheapest first, at most
            50); redemptions (the last 10: redemption_code, at, points, credit_minor, voucher).

        Errors:
            not_found: There is no such card.
        """
        card = self._card(card_id)
        rewards = [
            {**row, "affordable": row["points_cost"] <= card["points"]}
            for row in self.rows("rewards")
            if self._is_offered(row, card_id)
        ]
        rewards.sort(key=lambda row: row["points_cost"])
        redeemed = [row for row in self.rows("redemptions") if row["card_id"] == card_id]
        return {
            "card_id": card_id,
            "points": card["points"],
            "rules": self._rules(card_id)[:50],
            "rewards": rewards[:50],
            "redemptions": redeemed[:-11:-1],
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _owed(self, card: Record) -> dict[str, int]:
        balance = self._balance(card["card_id"])
        return {"balance_minor": balance, "available_minor": max(0, card["credit_limit_minor"] - balance)}

    def _due(self, card_id: str) -> dict[str, Any] | None:
        """The last statement, where something of it is left to pay."""
        statement = self._last_statement(card_id)
        if statement is None:
            return None
        remaining, minimum = self._left(statement)
        fields = {field: statement[field] for field in ("statement_id", "due_on", "status")}
        return {**fields, "remaining_minor": remaining, "minimum_remaining_minor": minimum} if remaining else None

    def _is_offered(self, reward: Record, card_id: str) -> bool:
        """Whether a reward can be had for a card today."""
        return reward["card_id"] in ("", card_id) and (
            reward["ends_on"] is None or reward["ends_on"] >= self.today().isoformat()
        )
