"""What is owed on a card: its lines, its limit, and the points that its lines earn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.services.base import Service
from lifegym.services.credit_card.records import (
    Card,
    Decline,
    Dispute,
    Payment,
    Recurring,
    Redemption,
    Reward,
    RewardRule,
    Statement,
    Transaction,
)
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["CreditCardLedger", "shared_out"]


def shared_out(amount: int, part: int, whole: int) -> int:
    """``amount * part / whole``, halves rounded up."""
    return (2 * amount * part + whole) // (2 * whole)


class CreditCardLedger(Service):
    """The books of the cards."""

    name = "credit_card"
    title = "Credit card"
    records = {
        "cards": Card,
        "statements": Statement,
        "transactions": Transaction,
        "payments": Payment,
        "disputes": Dispute,
        "recurring": Recurring,
        "declines": Decline,
        "reward_rules": RewardRule,
        "rewards": Reward,
        "redemptions": Redemption,
    }

    # -- finding -------------------------------------------------------------------------------------------------

    def _card(self, card_id: str) -> Record:
        return self.get("cards", card_id, "card", "credit_card.list_cards shows them")

    def _card_of(self, row: Mapping[str, Any]) -> Record:
        """The card that another record names."""
        card = self.find("cards", row["card_id"])
        assert card is not None, row
        return card

    def _unbilled(self, card_id: str) -> list[Record]:
        return [row for row in self.rows("transactions") if row["card_id"] == card_id and not row["statement_id"]]

    def _statements(self, card_id: str) -> list[Record]:
        """A card's statements, the last one first."""
        found = [row for row in self.rows("statements") if row["card_id"] == card_id]
        return sorted(found, key=lambda row: row["closed_on"], reverse=True)

    def _last_statement(self, card_id: str) -> Record | None:
        return next(iter(self._statements(card_id)), None)

    # -- what is owed --------------------------------------------------------------------------------------------

    def _balance(self, card_id: str) -> int:
        """All that is owed; negative where the card is in credit."""
        statement = self._last_statement(card_id)
        billed = statement["closing_minor"] if statement else 0
        return int(billed + sum(row["amount_minor"] for row in self._unbilled(card_id)))

    def _left(self, statement: Record) -> tuple[int, int]:
        """What is left to pay of the last statement, and of its minimum.

        Later payments, refunds and credits count for the sum. Only payments count for the minimum, but never is more
        due than is owed.
        """
        later = [row for row in self._unbilled(statement["card_id"]) if row["amount_minor"] < 0]
        remaining = max(0, statement["closing_minor"] + sum(row["amount_minor"] for row in later))
        paid = -sum(row["amount_minor"] for row in later if row["kind"] == "payment")
        return remaining, min(remaining, max(0, statement["minimum_minor"] - paid))

    # -- posting -------------------------------------------------------------------------------------------------

    def _why_declined(self, card: Record, amount_minor: int) -> str:
        """Why a charge cannot be made, or nothing."""
        if card["status"] != "active":
            return f"card {card['status']}"
        if self._balance(card["card_id"]) + amount_minor > card["credit_limit_minor"]:
            return "over the credit limit"
        return ""

    def _post(
        self,
        card: Record,
        kind: str,
        merchant: str,
        amount_minor: int,
        category: str = "other",
        ref: str = "",
        memo: str = "",
        points: int = 0,
        recurring: bool = False,
    ) -> Record:
        """Post a line; its points are added to the card's."""
        if points:
            self.patch("cards", card["card_id"], points=self._card_of(card)["points"] + points)
        line = self.put(
            "transactions",
            tx_id=self.new_id("ctx"),
            card_id=card["card_id"],
            posted_at=self.stamp(),
            kind=kind,
            merchant=merchant,
            category=category,
            amount_minor=amount_minor,
            currency=card["currency"],
            ref=ref,
            memo=memo,
            points=points,
            recurring=recurring,
        )
        if amount_minor < 0:
            self._note_paid(card["card_id"])
        return line

    def _note_paid(self, card_id: str) -> None:
        """The last statement is paid once nothing of it remains."""
        statement = self._last_statement(card_id)
        if statement is not None and statement["status"] != "paid" and not self._left(statement)[0]:
            self.patch("statements", statement["statement_id"], status="paid")

    def _purchase(
        self,
        card: Record,
        merchant: str,
        amount_minor: int,
        category: str,
        ref: str,
        memo: str,
        recurring: bool = False,
    ) -> Record:
        points = self._points(card["card_id"], category, amount_minor)
        return self._post(card, "purchase", merchant, amount_minor, category, ref, memo, points, recurring)

    def _refund(self, card: Record, merchant: str, amount_minor: int, ref: str, memo: str) -> Record:
        """Post a refund; the points of the purchase it belongs to go in proportion."""
        purchase = self._purchase_behind(card["card_id"], merchant, amount_minor, ref)
        category, lost = "other", 0
        if purchase is not None:
            category = purchase["category"]
            lost = purchase["points"] * min(amount_minor, purchase["amount_minor"]) // purchase["amount_minor"]
        return self._post(card, "refund", merchant, -amount_minor, category, ref, memo, -lost)

    def _purchase_behind(self, card_id: str, merchant: str, amount_minor: int, ref: str) -> Record | None:
        """The purchase that a refund belongs to: the last with its reference, else the merchant's last large enough."""
        found = None
        for row in self.rows("transactions"):
            if row["card_id"] != card_id or row["kind"] != "purchase" or row["amount_minor"] <= 0:
                continue
            if (ref and row["ref"] == ref) or (
                not ref and row["merchant"] == merchant and row["amount_minor"] >= amount_minor
            ):
                found = row
        return found

    def _points(self, card_id: str, category: str, amount_minor: int) -> int:
        """What a purchase earns today: the best rule for its category."""
        rate = max((row["points_per_100"] for row in self._rules(card_id, category)), default=0)
        return int(amount_minor * rate // 100)

    def _rules(self, card_id: str, category: str | None = None) -> list[Record]:
        """The reward rules that hold today, of a category or all."""
        today = self.today().isoformat()
        return [
            row
            for row in self.rows("reward_rules")
            if row["card_id"] == card_id
            and (category is None or row["category"] in ("*", category))
            and (row["starts_on"] or today) <= today <= (row["ends_on"] or today)
        ]

    def _take_from_bank(self, account_id: str, amount_minor: int, card: Record) -> None:
        """Take a payment for a card from a bank account.

        Raises:
            ToolError: ``payment_refused``, with the bank's reason.
        """
        try:
            self.world.emit(
                "charge",
                method=account_id,
                amount_minor=amount_minor,
                currency=card["currency"],
                payee=card["name"],
                service=self.name,
                ref=card["card_id"],
            )
        except ToolError as error:
            raise ToolError("payment_refused", f"the bank refuses: {error.message}") from None

    def _record_payment(self, card: Record, amount_minor: int, source: str, kind: str) -> Record:
        payment_id = self.new_id("cpay")
        line = self._post(card, "payment", "Payment, thank you", -amount_minor, "payment", payment_id, f"from {source}")
        return self.put(
            "payments",
            payment_id=payment_id,
            card_id=card["card_id"],
            amount_minor=amount_minor,
            currency=card["currency"],
            source=source,
            kind=kind,
            at=self.stamp(),
            tx_id=line["tx_id"],
        )

    def _tell(self, card: Record, kind: str, title: str, body: str, ref: str) -> None:
        self.world.notify(self.name, kind, title, body, ref=ref, user_id=card["user_id"])
