"""What happens to cards by other services and by the timeline, and how a dispute goes."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.credit_card.cycle import CreditCardCycle
from lifegym.services.tools import ToolError, happening, listens
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["REVIEW_AFTER", "Amount", "CreditCardLife"]

Amount = Annotated[int, Field(gt=0, le=10**12)]
REVIEW_AFTER = clock.DAY
_CATEGORIES = {
    "hotel_booking": "travel",
    "flight_booking": "travel",
    "rail_booking": "travel",
    "visa_and_advisory": "travel",
    "ecommerce": "shopping",
    "delivery_logistics": "shopping",
    "review_platform": "dining",
}
"""What a purchase through another service counts as."""


class CreditCardLife(CreditCardCycle):
    """The issuer's own behaviour."""

    # -- happenings: lines ---------------------------------------------------------------------------------------

    @happening
    def post_charge(
        self, card_id: str, merchant: str, amount_minor: Amount, category: str = "other", ref: str = "", memo: str = ""
    ) -> list[str]:
        """A merchant charges a card; a frozen, blocked or exhausted card declines. Returns the line or the decline."""
        card = self.find("cards", card_id)
        if card is None:
            return []
        return [self._charge_or_decline(card, merchant, amount_minor, category, ref, memo)]

    @happening
    def duplicate_charge(self, card_id: str, merchant: str, amount_minor: Amount | None = None) -> list[str]:
        """A merchant charges its last purchase (or the last one of this amount) once more."""
        card = self.find("cards", card_id)
        found = [
            row
            for row in self.rows("transactions")
            if row["card_id"] == card_id
            and row["kind"] == "purchase"
            and row["merchant"] == merchant
            and (amount_minor is None or row["amount_minor"] == amount_minor)
        ]
        if card is None or not found:
            return []
        last = max(found, key=lambda row: self.seconds(row["posted_at"]))
        return [
            self._charge_or_decline(
                card, merchant, last["amount_minor"], last["category"], last["ref"], last["memo"], last["recurring"]
            )
        ]

    @happening
    def post_refund(
        self, card_id: str, merchant: str, amount_minor: Amount, ref: str = "", memo: str = ""
    ) -> list[str]:
        """A merchant gives money back. It arrives on a frozen card as well."""
        card = self.find("cards", card_id)
        return [] if card is None else [self._refund(card, merchant, amount_minor, ref, memo)["tx_id"]]

    # -- happenings: cards ---------------------------------------------------------------------------------------

    @happening
    def set_limit(self, card_id: str, credit_limit_minor: Annotated[int, Field(ge=0, le=10**12)]) -> list[str]:
        """The issuer raises or lowers a card's limit."""
        if self.find("cards", card_id) is None:
            return []
        self.patch("cards", card_id, credit_limit_minor=credit_limit_minor)
        return [card_id]

    @happening
    def block_card(self, card_id: str, reason: str = "suspected fraud") -> list[str]:
        """The issuer blocks a card: only the issuer can lift that."""
        return self._set_status(card_id, "blocked", reason)

    @happening
    def unblock_card(self, card_id: str) -> list[str]:
        """The issuer lifts a block."""
        card = self.find("cards", card_id)
        return self._set_status(card_id, "active", "") if card is not None and card["status"] == "blocked" else []

    @happening
    def set_autopay(self, card_id: str, account_id: str = "", amount: Literal["full", "minimum"] = "full") -> list[str]:
        """Statements are paid from a bank account on their due date from now on; without an account no longer."""
        if self.find("cards", card_id) is None:
            return []
        if account_id and self.world.has("banking") and self.world.table("banking.accounts").find(account_id) is None:
            return []
        self.patch("cards", card_id, autopay_account_id=account_id, autopay_amount=amount)
        return [card_id]

    # -- happenings: what recurs, rewards ------------------------------------------------------------------------

    @happening
    def change_recurring(self, merchant: str, amount_minor: Amount) -> list[str]:
        """A subscription gets dearer or cheaper, on every card that it charges."""
        ids = [
            row["recurring_id"]
            for row in self.rows("recurring")
            if row["merchant"] == merchant and row["status"] == "active"
        ]
        for recurring_id in ids:
            self.patch("recurring", recurring_id, amount_minor=amount_minor)
        return ids

    @happening
    def end_recurring(self, merchant: str) -> list[str]:
        """A merchant stops charging a subscription."""
        ids = [
            row["recurring_id"]
            for row in self.rows("recurring")
            if row["merchant"] == merchant and row["status"] == "active"
        ]
        for recurring_id in ids:
            self.patch("recurring", recurring_id, status="ended", next_on=None)
        return ids

    @happening
    def start_campaign(
        self,
        card_id: str,
        category: str,
        points_per_100: Annotated[int, Field(ge=0, le=1000)],
        ends_on: str,
        title: str = "",
    ) -> list[str]:
        """From today to a day (YYYY-MM-DD) a category earns other points; ``*`` stands for all categories."""
        last = self.day(ends_on, "ends_on")
        if self.find("cards", card_id) is None or last < self.today():
            return []
        rule = self.put(
            "reward_rules",
            rule_id=self.new_id("rule"),
            card_id=card_id,
            category=category,
            points_per_100=points_per_100,
            title=title,
            starts_on=self.today().isoformat(),
            ends_on=last.isoformat(),
        )
        return [rule["rule_id"]]

    @happening
    def expire_points(self, card_id: str, points: Annotated[int, Field(gt=0, le=10**9)]) -> list[str]:
        """Points of a card run out, at most those that it has."""
        card = self.find("cards", card_id)
        if card is None or card["points"] <= 0:
            return []
        self.patch("cards", card_id, points=max(0, card["points"] - points))
        return [card_id]

    # -- happenings: disputes ------------------------------------------------------------------------------------

    @happening
    def resolve_dispute(
        self,
        card_id: str,
        merchant: str,
        outcome: Literal["won", "lost"],
        amount_minor: Amount | None = None,
        note: str = "",
    ) -> list[str]:
        """The issuer decides the disputes of a card with a merchant: won keeps the credit, lost takes it back."""
        ids = []
        for dispute in list(self.rows("disputes")):
            if (
                dispute["card_id"] == card_id
                and dispute["merchant"] == merchant
                and dispute["status"] in ("open", "under_review")
                and (amount_minor is None or dispute["amount_minor"] == amount_minor)
            ):
                self._decide(dispute, outcome, note)
                ids.append(dispute["dispute_id"])
        return ids

    def review_dispute(self, dispute_id: str) -> None:
        """A dispute is taken up: the amount is credited until it is decided."""
        dispute = self.find("disputes", dispute_id)
        if dispute is None or dispute["status"] != "open":
            return
        self.patch("disputes", dispute_id, status="under_review", credit_tx_id=self._credit(dispute, "provisional"))
        self._tell_dispute(dispute, "under_review", "The amount is credited for the time being.")

    def _decide(self, dispute: Record, outcome: str, note: str) -> None:
        dispute_id, credit = dispute["dispute_id"], dispute["credit_tx_id"]
        if outcome == "won" and not credit:
            credit = self._credit(dispute, "final")
        elif outcome == "lost" and credit:
            memo = f"dispute {dispute_id} was lost"
            card = self._card_of(dispute)
            self._post(card, "reversal", dispute["merchant"], dispute["amount_minor"], "other", dispute_id, memo)
        self.patch("disputes", dispute_id, status=outcome, resolved_at=self.stamp(), credit_tx_id=credit, note=note)
        self._tell_dispute(dispute, outcome, note or f"The dispute is {outcome}.")

    def _credit(self, dispute: Record, how: str) -> str:
        memo = f"{how} credit for dispute {dispute['dispute_id']}"
        amount, card = dispute["amount_minor"], self._card_of(dispute)
        line = self._post(card, "credit", dispute["merchant"], -amount, "other", dispute["dispute_id"], memo)
        return str(line["tx_id"])

    def _tell_dispute(self, dispute: Record, status: str, body: str) -> None:
        title = f"Dispute with {dispute['merchant']}: {status.replace('_', ' ')}"
        self._tell(self._card_of(dispute), "dispute_update", title, body, dispute["dispute_id"])
        self.world.emit("status", source=self.name, ref=dispute["dispute_id"], status=status, title=title, body=body)

    # -- reactions -----------------------------------------------------------------------------------------------

    @listens("charge")
    def take_charge(self, method: str, amount_minor: int, currency: str, payee: str, service: str, ref: str) -> None:
        """Post a purchase that is paid by card, or put a refund back; a refund finds a frozen card too."""
        card = self.find("cards", method)
        if card is None:
            return
        if card["currency"] != currency:
            raise ToolError(
                "currency_mismatch",
                f"card {method} is in {card['currency']}, the price in {currency}; use another payment method",
            )
        if amount_minor < 0:
            self._refund(card, payee, -amount_minor, ref, "")
            return
        if card["status"] != "active":
            raise ToolError(
                "account_closed",
                f"card {method} is {card['status']} and takes no charges; unfreeze it or use another payment method",
            )
        if self._why_declined(card, amount_minor):
            available = card["credit_limit_minor"] - self._balance(method)
            raise ToolError(
                "insufficient_funds",
                f"card {method} has {available} minor units of its limit left, {amount_minor} are needed; pay some of "
                "it back or use another payment method",
            )
        if amount_minor:
            self._purchase(card, payee, amount_minor, _CATEGORIES.get(service, "other"), ref, "")

    def start(self) -> None:
        today = self.today()
        for card in list(self.rows("cards")):
            last = self._last_statement(card["card_id"])
            yesterday = today - dt.timedelta(days=1)
            closed = clock.parse_day(last["closed_on"]) if last else yesterday
            self._await_statement(card, max(closed, yesterday))
            if last is not None:
                self._complete_payment(card, last)
                self._await_due(last)
        for row in list(self.rows("recurring")):
            if row["status"] == "active" and row["next_on"] is None:
                self._await_recurring(row, today - dt.timedelta(days=1))
            elif row["status"] == "active":
                self._await_charge(row["recurring_id"], clock.parse_day(row["next_on"]))
        for dispute in list(self.rows("disputes")):
            if dispute["status"] == "open":
                due = max(self.now, self.seconds(dispute["opened_at"]) + REVIEW_AFTER)
                self.later(due, "review_dispute", dispute_id=dispute["dispute_id"])

    def _complete_payment(self, card: Record, statement: Record) -> None:
        """A last statement that the records call paid has its payment among the lines."""
        remaining, _ = self._left(statement)
        if statement["status"] == "paid" and remaining:
            line = self._post(card, "payment", "Payment, thank you", -remaining, "payment", statement["statement_id"])
            at = min(clock.day_start(clock.parse_day(statement["due_on"]), self.world.zone) + 8 * clock.HOUR, self.now)
            self.patch("transactions", line["tx_id"], posted_at=self.world.iso(at))

    # -- inside --------------------------------------------------------------------------------------------------

    def _set_status(self, card_id: str, status: str, reason: str) -> list[str]:
        card = self.find("cards", card_id)
        if card is None or card["status"] == status:
            return []
        self.patch("cards", card_id, status=status, status_reason=reason)
        return [card_id]

    def check_invariants(self) -> None:
        sums: dict[str, int] = {}
        for line in self.rows("transactions"):
            card = self._card_of(line)
            assert line["currency"] == card["currency"], line
            assert line["amount_minor"] != 0, line
            debit = line["kind"] in ("purchase", "fee", "interest", "reversal")
            assert debit == (line["amount_minor"] > 0), line
            if line["statement_id"]:
                statement = self.find("statements", line["statement_id"])
                assert statement is not None, line
                assert statement["card_id"] == line["card_id"], line
                sums[line["statement_id"]] = sums.get(line["statement_id"], 0) + line["amount_minor"]
        for statement_id, total in sums.items():
            statement = self.find("statements", statement_id)
            assert statement is not None, statement_id
            assert statement["opening_minor"] + total == statement["closing_minor"], statement
        for card in self.rows("cards"):
            self._check_chain(card)
        for payment in self.rows("payments"):
            assert (payment["status"] == "posted") == bool(payment["tx_id"]), payment
        disputed = [row["tx_id"] for row in self.rows("disputes")]
        assert len(set(disputed)) == len(disputed), disputed
        for dispute in self.rows("disputes"):
            line_of = self.find("transactions", dispute["tx_id"])
            assert line_of is not None, dispute
            assert line_of["card_id"] == dispute["card_id"], dispute
            assert 0 < dispute["amount_minor"] <= line_of["amount_minor"], dispute
            assert (dispute["resolved_at"] is not None) == (dispute["status"] in ("won", "lost")), dispute
            assert (dispute["status"] not in ("under_review", "won")) or dispute["credit_tx_id"], dispute

    def _check_chain(self, card: Record) -> None:
        """Each statement begins where the one before ended; only the last can be waiting for its money."""
        found = self._statements(card["card_id"])
        for after, before in pairwise(found):
            assert before["closed_on"] < after["closed_on"], after
            assert before["closing_minor"] == after["opening_minor"], after
            assert before["status"] in ("paid", "carried"), before
        for row in found:
            assert row["period_start"] <= row["closed_on"] < row["due_on"], row
            assert row["currency"] == card["currency"], row
            assert 0 <= row["minimum_minor"] <= max(0, row["closing_minor"]), row
