"""Credit cards: pay, freeze, dispute, redeem."""

from __future__ import annotations

from typing import Any

from lifegym.services.credit_card.life import REVIEW_AFTER, Amount
from lifegym.services.credit_card.reading import CreditCardReading
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CreditCard"]

DISPUTE_DAYS = 60
_REASON_LIMIT = 1000


class CreditCard(CreditCardReading):
    """What can be done with a card."""

    @tool(write=True)
    def make_payment(self, card_id: str, amount_minor: Amount, source_hint: str) -> dict[str, Any]:
        """Pay off some or all of what is owed on a card, at once.

        Payments count for the last statement first.

        Args:
            card_id: From list_cards.
            amount_minor: Amount in minor units of the card's currency, at most what is owed.
            source_hint: The bank account to pay from: its account_id (or its number or name). Without a bank here, a
                note on where the money comes from.

        Returns:
            payment: payment_id, amount_minor, source, tx_id, status; balance_minor (still owed); due (what is left of
            the last statement, null if nothing is).

        Errors:
            not_found: There is no such card.
            unknown_source: There is no such bank account; the message names those that there are.
            currency_mismatch: The bank account is in another currency than the card.
            exceeds_balance: More than what is owed.
            payment_refused: The bank refuses: too little money, or the account is not open.
        """
        card = self._card(card_id)
        source = self._source(card, source_hint)
        balance = self._balance(card_id)
        if amount_minor > balance:
            raise ToolError("exceeds_balance", f"{max(0, balance)} minor units are owed on {card_id}; pay at most that")
        self._take_from_bank(source, amount_minor, card)
        payment = self._record_payment(card, amount_minor, source, "manual")
        return {
            "payment": payment,
            "balance_minor": self._balance(card_id),
            "due": self._due(card_id),
        }

    @tool(write=True)
    def freeze_card(self, card_id: str) -> dict[str, Any]:
        """Freeze a card: new charges are declined, recurring ones too, until it is unfrozen. Refunds still arrive.

        Args:
            card_id: From list_cards.

        Returns:
            The card, now frozen.

        Errors:
            not_found: There is no such card.
            not_active: It is frozen already, or blocked by the issuer.
        """
        card = self._card(card_id)
        if card["status"] != "active":
            raise ToolError("not_active", f"card {card_id} is {card['status']} already")
        return self.patch("cards", card_id, status="frozen", status_reason="frozen by the holder")

    @tool(write=True)
    def unfreeze_card(self, card_id: str) -> dict[str, Any]:
        """Let a frozen card take charges again. What was declined meanwhile stays declined.

        Args:
            card_id: From list_cards.

        Returns:
            The card, now active.

        Errors:
            not_found: There is no such card.
            not_frozen: It is active already.
            card_blocked: The issuer has blocked it; only the issuer can lift that.
        """
        card = self._card(card_id)
        if card["status"] == "active":
            raise ToolError("not_frozen", f"card {card_id} is active already")
        if card["status"] == "blocked":
            raise ToolError(
                "card_blocked", f"card {card_id} was blocked by its issuer ({card['status_reason']}); call the issuer"
            )
        return self.patch("cards", card_id, status="active", status_reason="")

    @tool(write=True)
    def dispute_transaction(self, tx_id: str, reason: str, amount_minor: Amount | None = None) -> dict[str, Any]:
        """Dispute a purchase that is wrong: charged twice, not authorised, not delivered.

        The issuer takes it up after a day and credits the amount until it is decided.

        Args:
            tx_id: The purchase, from list_unbilled or get_statement; of a double charge, the one too many.
            reason: What is wrong, up to 1,000 characters.
            amount_minor: How much of it is wrong, in minor units; all of it if left out.

        Returns:
            The dispute: dispute_id, tx_id, merchant, amount_minor, reason, status (open), opened_at.

        Errors:
            not_found: There is no such transaction.
            not_disputable: It is no purchase.
            exists: It is disputed already; the message names the dispute.
            too_late: It was posted more than 60 days ago.
            bad_reason: The reason is empty or too long.
            bad_amount: amount_minor is more than the purchase.
        """
        line = self.get("transactions", tx_id, "transaction", "list_unbilled and get_statement show them")
        if line["kind"] != "purchase":
            raise ToolError("not_disputable", f"{tx_id} is a {line['kind']}; only a purchase can be disputed")
        for row in self.rows("disputes"):
            if row["tx_id"] == tx_id:
                raise ToolError("exists", f"{tx_id} is disputed already as {row['dispute_id']} ({row['status']})")
        if self.now - self.seconds(line["posted_at"]) > DISPUTE_DAYS * clock.DAY:
            raise ToolError("too_late", f"a purchase can be disputed for {DISPUTE_DAYS} days; write to the merchant")
        if not 0 < len(reason.strip()) <= _REASON_LIMIT:
            raise ToolError("bad_reason", f"say in 1 to {_REASON_LIMIT} characters what is wrong")
        if amount_minor is not None and amount_minor > line["amount_minor"]:
            raise ToolError("bad_amount", f"the purchase is {line['amount_minor']} minor units; dispute at most that")
        dispute = self.put(
            "disputes",
            dispute_id=self.new_id("dsp"),
            tx_id=tx_id,
            card_id=line["card_id"],
            merchant=line["merchant"],
            amount_minor=amount_minor or line["amount_minor"],
            reason=reason.strip(),
            opened_at=self.stamp(),
        )
        self.later(self.now + REVIEW_AFTER, "review_dispute", dispute_id=dispute["dispute_id"])
        return dispute

    @tool(write=True)
    def redeem_rewards(self, card_id: str, redemption_code: str) -> dict[str, Any]:
        """Redeem points for a reward: a credit on the card, or a voucher. This cannot be undone.

        Args:
            card_id: From list_cards.
            redemption_code: From get_rewards.

        Returns:
            redemption: redemption_id, redemption_code, points (spent), points_after, credit_minor and its tx_id, or
            voucher (the code to show); title of the reward.

        Errors:
            not_found: There is no such card.
            unknown_code: There is no such reward for this card, or it has ended.
            insufficient_points: The card has fewer points than it costs.
            card_blocked: The issuer has blocked the card.
        """
        card = self._card(card_id)
        reward = self.find("rewards", redemption_code) or self.find("rewards", redemption_code.strip().upper())
        if reward is None or not self._is_offered(reward, card_id):
            raise ToolError(
                "unknown_code",
                f"there is no reward {redemption_code[:40]!r} for this card; credit_card.get_rewards shows them",
            )
        if card["status"] == "blocked":
            raise ToolError("card_blocked", f"card {card_id} was blocked by its issuer; call the issuer")
        cost, credit = reward["points_cost"], reward["credit_minor"]
        if card["points"] < cost:
            raise ToolError(
                "insufficient_points", f"{reward['title']} costs {cost} points, the card has {card['points']}"
            )
        redemption_id = self.new_id("rdm")
        self.patch("cards", card_id, points=card["points"] - cost)
        tx_id = ""
        if credit:
            line = self._post(card, "credit", "Rewards", -credit, "rewards", redemption_id, reward["title"])
            tx_id = line["tx_id"]
        redemption = self.put(
            "redemptions",
            redemption_id=redemption_id,
            card_id=card_id,
            redemption_code=reward["redemption_code"],
            at=self.stamp(),
            points=cost,
            points_after=card["points"] - cost,
            credit_minor=credit,
            tx_id=tx_id,
            voucher="" if credit else self.world.code("voucher", 10),
        )
        return {"redemption": redemption, "title": reward["title"]}

    # -- inside --------------------------------------------------------------------------------------------------

    def _source(self, card: Record, hint: str) -> str:
        """The id of the bank account that a hint means; where there is no bank, the hint itself."""
        wanted = hint.strip()
        if not self.world.has("banking"):
            if not wanted:
                raise ToolError("unknown_source", "source_hint is empty; say where the money comes from")
            return wanted[:200]
        accounts = [row for row in self.world.table("banking.accounts").rows() if row["user_id"] == card["user_id"]]
        for field in ("account_id", "number", "name"):
            for row in accounts:
                if wanted and row[field].lower() == wanted.lower():
                    if row["currency"] != card["currency"]:
                        raise ToolError(
                            "currency_mismatch",
                            f"account {row['account_id']} is in {row['currency']}, the card in {card['currency']}",
                        )
                    return str(row["account_id"])
        known = ", ".join(row["account_id"] for row in accounts[:20]) or "none"
        raise ToolError(
            "unknown_source", f"{wanted[:60]!r} is no bank account of the card's holder; there are: {known}"
        )
