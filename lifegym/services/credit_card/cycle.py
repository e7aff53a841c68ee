"""The month of a card: statements close, payments fall due, autopay pays, what recurs is charged."""

from __future__ import annotations

import datetime as dt

from dateutil.relativedelta import relativedelta

from lifegym.services.credit_card.ledger import CreditCardLedger, shared_out
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CreditCardCycle", "day_in_month"]

AUTOPAY_TIME = 8 * clock.HOUR
CHARGE_TIME = 6 * clock.HOUR


def day_in_month(month: dt.date, day: int) -> dt.date:
    """The day of a month with this number, or its last one where it is shorter."""
    return month.replace(day=1) + relativedelta(day=day)


def _next_day(after: dt.date, day: int) -> dt.date:
    """The first day with this number in its month that comes after a date."""
    found = day_in_month(after, day)
    return found if found > after else day_in_month(after.replace(day=1) + relativedelta(months=1), day)


class CreditCardCycle(CreditCardLedger):
    """What the calendar does to a card."""

    # -- statements ----------------------------------------------------------------------------------------------

    def _await_statement(self, card: Record, after: dt.date) -> None:
        """Put the first closing after a day on the agenda: the end of the statement day."""
        closes_on = _next_day(after, card["statement_day"])
        self.later(self._end_of(closes_on), "close_statement", card_id=card["card_id"], date=closes_on.isoformat())

    def close_statement(self, card_id: str, date: str) -> None:
        """A cycle is over: its lines are billed."""
        card = self.find("cards", card_id)
        if card is None:
            return
        closed_on, end = clock.parse_day(date), self.now
        self._await_statement(card, closed_on)
        before = self._last_statement(card_id)
        if before is not None and before["closed_on"] >= date:
            return
        statement_id = f"{card_id}-{date}"
        lines = [row for row in self._unbilled(card_id) if self.seconds(row["posted_at"]) < end]
        opening = before["closing_minor"] if before else 0
        closing = opening + sum(row["amount_minor"] for row in lines)
        for row in lines:
            self.patch("transactions", row["tx_id"], statement_id=statement_id)
        if before is not None and before["status"] in ("due", "overdue"):
            self.patch("statements", before["statement_id"], status="carried")
        first = clock.parse_day(before["closed_on"]) if before else closed_on - relativedelta(months=1)
        due_on = closed_on + dt.timedelta(days=card["due_days"])
        minimum = max(shared_out(max(0, closing), card["minimum_bps"], 10_000), card["minimum_floor_minor"])
        statement = self.put(
            "statements",
            statement_id=statement_id,
            card_id=card_id,
            period_start=(first + dt.timedelta(days=1)).isoformat(),
            closed_on=date,
            due_on=due_on.isoformat(),
            currency=card["currency"],
            opening_minor=opening,
            closing_minor=closing,
            minimum_minor=min(minimum, max(0, closing)),
            status="due" if closing > 0 else "paid",
        )
        self._note_paid(card_id)  # by what was posted at this very moment
        self._await_due(statement)
        text = f"{closing} {card['currency']} (minor units), due on {due_on.isoformat()}."
        self._tell(card, "statement_ready", f"{card['name']}: statement of {date}", text, statement_id)

    def _await_due(self, statement: Record) -> None:
        """Put what happens on the due date on the agenda, as far as it is still to come."""
        due_on, statement_id = clock.parse_day(statement["due_on"]), statement["statement_id"]
        autopay = clock.day_start(due_on, self.world.zone) + AUTOPAY_TIME
        if autopay >= self.now:
            self.later(autopay, "pay_statement", statement_id=statement_id)
        if self._end_of(due_on) >= self.now:
            self.later(self._end_of(due_on), "fall_due", statement_id=statement_id)

    def pay_statement(self, statement_id: str) -> None:
        """Take the payment of a statement by autopay, where the card has it."""
        statement = self._current(statement_id)
        if statement is None or statement["status"] != "due":
            return
        card = self._card_of(statement)
        source = card["autopay_account_id"]
        remaining, minimum = self._left(statement)
        amount = remaining if card["autopay_amount"] == "full" else minimum
        if not source or amount <= 0:
            return
        try:
            self._take_from_bank(source, amount, card)
        except ToolError as error:
            payment_id = self.new_id("cpay")
            self.put(
                "payments",
                payment_id=payment_id,
                card_id=card["card_id"],
                amount_minor=amount,
                currency=card["currency"],
                source=source,
                kind="autopay",
                at=self.stamp(),
                status="failed",
                reason=error.message,
            )
            self._tell(card, "autopay_failed", f"{card['name']}: autopay failed", error.message, payment_id)
            return
        self._record_payment(card, amount, source, "autopay")

    def fall_due(self, statement_id: str) -> None:
        """The due date is over: a missed minimum costs a fee, and what is not paid bears interest from the closing."""
        statement = self._current(statement_id)
        if statement is None or statement["status"] != "due":
            return
        card = self._card_of(statement)
        remaining, missed = self._left(statement)
        days = (clock.parse_day(statement["due_on"]) - clock.parse_day(statement["closed_on"])).days
        interest = shared_out(remaining, card["apr_bps"] * days, 10_000 * 365)
        if missed:
            self.patch("statements", statement_id, status="overdue")
            if card["late_fee_minor"]:
                self._post(card, "fee", "Late payment fee", card["late_fee_minor"], "fees", statement_id)
            text = f"{missed} {card['currency']} (minor units) of the minimum was not paid by {statement['due_on']}."
            self._tell(card, "payment_overdue", f"{card['name']}: payment overdue", text, statement_id)
        elif remaining:
            self.patch("statements", statement_id, status="carried")
        if interest:
            self._post(card, "interest", "Interest", interest, "fees", statement_id)

    def _current(self, statement_id: str) -> Record | None:
        """The statement, if it is still its card's last."""
        statement = self.find("statements", statement_id)
        if statement is None or self._last_statement(statement["card_id"]) != statement:
            return None
        return statement

    def _end_of(self, day: dt.date) -> int:
        return clock.day_start(day + dt.timedelta(days=1), self.world.zone)

    # -- what recurs ---------------------------------------------------------------------------------------------

    def _await_recurring(self, row: Record, after: dt.date) -> None:
        following = _next_day(after, row["day_of_month"])
        self.patch("recurring", row["recurring_id"], next_on=following.isoformat())
        self._await_charge(row["recurring_id"], following)

    def _await_charge(self, recurring_id: str, day: dt.date) -> None:
        at = max(clock.day_start(day, self.world.zone) + CHARGE_TIME, self.now)
        self.later(at, "charge_recurring", recurring_id=recurring_id, date=day.isoformat())

    def charge_recurring(self, recurring_id: str, date: str) -> None:
        """A subscription charges the card, or is declined; it tries again the next month."""
        row = self.find("recurring", recurring_id)
        if row is None or row["status"] != "active" or row["next_on"] != date:
            return
        self._await_recurring(row, clock.parse_day(date))
        self._charge_or_decline(
            self._card_of(row), row["merchant"], row["amount_minor"], row["category"], recurring_id, "", True
        )

    def _charge_or_decline(
        self,
        card: Record,
        merchant: str,
        amount_minor: int,
        category: str,
        ref: str,
        memo: str,
        recurring: bool = False,
    ) -> str:
        """Post a purchase that nobody here asked for, or note that it was declined. Returns the key of either."""
        reason = self._why_declined(card, amount_minor)
        if not reason:
            line = self._purchase(card, merchant, amount_minor, category, ref, memo, recurring)
            return str(line["tx_id"])
        declined = self.put(
            "declines",
            decline_id=self.new_id("dec"),
            card_id=card["card_id"],
            at=self.stamp(),
            merchant=merchant,
            amount_minor=amount_minor,
            reason=reason,
        )
        body = f"{amount_minor} {card['currency']} (minor units) for {merchant}: {reason}."
        self._tell(card, "charge_declined", f"{card['name']}: a charge was declined", body, declined["decline_id"])
        return str(declined["decline_id"])
