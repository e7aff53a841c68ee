"""Believable filling for a card: a month of purchases, and past statements that add up."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Sequence

from dateutil.relativedelta import relativedelta

from lifegym.services.credit_card.cycle import day_in_month
from lifegym.services.credit_card.life import CreditCardLife
from lifegym.services.tools import generator
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["CreditCardInventory"]

_SHOPS = (
    ("Greenleaf Market", "groceries", 1_200, 9_500),
    ("Corner Bakery", "groceries", 350, 1_600),
    ("Lantern Noodles", "dining", 900, 4_200),
    ("Harbour Grill", "dining", 2_500, 11_000),
    ("Metro Transit", "transport", 200, 1_500),
    ("Swift Fuel", "transport", 3_000, 8_000),
    ("Harbour Books", "shopping", 800, 5_500),
    ("Juniper Home", "shopping", 1_500, 14_000),
    ("Cinder Cinema", "entertainment", 900, 3_600),
    ("Wellspring Pharmacy", "health", 500, 4_800),
    ("Photo Cloud", "subscriptions", 199, 999),
)
"""Merchant, category, least and greatest amount."""


class CreditCardInventory(CreditCardLife):
    """Generators of a card's past."""

    @generator
    def everyday_purchases(
        self, rng: random.Random, card_id: str, days: int = 30, per_day: float = 1.0, total_minor: int = 0
    ) -> None:
        """Fill the days since the last statement, at most so many before the window, with unbilled purchases.

        A fifth of the card's limit at least stays free. With a total, the purchases add up to it instead.
        """
        card = self.find("cards", card_id)
        if card is None:
            return
        last = self._last_statement(card_id)
        first = self.world.start - dt.timedelta(days=max(0, days))
        if last is not None:
            first = max(first, clock.parse_day(last["closed_on"]) + dt.timedelta(days=1))
        room = card["credit_limit_minor"] * 4 // 5 - self._balance(card_id)
        span = (self.world.start - first).days
        if span > 0 and total_minor > 0:
            for amount in _parts(rng, total_minor, max(1, int(span * per_day))):
                merchant, category, _, _ = rng.choice(_SHOPS)
                day = first + dt.timedelta(days=rng.randrange(span))
                self._line(rng, card, "purchase", merchant, category, amount, day, "")
            return
        while first < self.world.start:
            for _ in range(int(per_day) + (rng.random() < per_day % 1)):
                merchant, category, least, most = rng.choice(_SHOPS)
                amount = rng.randint(least, most)
                if amount <= room:
                    room -= amount
                    self._line(rng, card, "purchase", merchant, category, amount, first, "")
            first += dt.timedelta(days=1)

    @generator
    def past_statements(self, rng: random.Random, card_id: str, months: int = 6, per_month: int = 20) -> None:
        """Add the statements of the months before the first one that is known, or before the window.

        Each is paid in full on its due date; they end with what the first known statement begins with.
        """
        card = self.find("cards", card_id)
        if card is None or months < 1 or per_month < 1:
            return
        known = self._statements(card_id)
        target = known[-1]["opening_minor"] if known else None
        if target is not None and target < 0:
            return
        newest = self._closing_before(card, known[-1]["closed_on"] if known else self.world.start.isoformat())
        closings = [
            day_in_month(newest.replace(day=1) - relativedelta(months=back), card["statement_day"])
            for back in range(months - 1, -1, -1)
        ]
        owed = 0
        previous: Record | None = None
        for closed_on in closings:
            is_last = closed_on == closings[-1]
            spent = target if is_last and target is not None else sum(self._amount(rng) for _ in range(per_month))
            previous = self._past_statement(
                rng, card, closed_on, previous, owed, spent, per_month, is_last, bool(known)
            )
            owed = spent

    @generator
    def fill_statement(self, rng: random.Random, statement_id: str, lines: int = 18) -> None:
        """Give a statement the lines that its sums call for: the payment of what was owed before, and purchases."""
        statement = self.find("statements", statement_id)
        if statement is None or lines < 1:
            return
        card = self._card_of(statement)
        present = [row for row in self.rows("transactions") if row["statement_id"] == statement_id]
        missing = statement["closing_minor"] - statement["opening_minor"] - sum(row["amount_minor"] for row in present)
        opening = statement["opening_minor"]
        if opening > 0 and missing + opening >= 0 and not any(row["kind"] == "payment" for row in present):
            middle = clock.parse_day(statement["period_start"]) + dt.timedelta(days=10)
            middle = min(middle, clock.parse_day(statement["closed_on"]))
            self._line(rng, card, "payment", "Payment, thank you", "payment", -opening, middle, statement_id)
            missing += opening
        if missing > 0:
            self._purchases(rng, card, statement, missing, lines)

    # -- inside --------------------------------------------------------------------------------------------------

    def _past_statement(
        self,
        rng: random.Random,
        card: Record,
        closed_on: dt.date,
        before: Record | None,
        owed: int,
        spent: int,
        count: int,
        is_last: bool,
        is_followed: bool,
    ) -> Record:
        """A statement with its lines; ``owed`` is paid in it, on the day it was due."""
        card_id = card["card_id"]
        start = day_in_month(closed_on.replace(day=1) - relativedelta(months=1), card["statement_day"])
        due_on = closed_on + dt.timedelta(days=card["due_days"])
        is_due = is_last and not is_followed and due_on >= self.world.start
        statement = self.put(
            "statements",
            statement_id=f"{card_id}-{closed_on.isoformat()}",
            card_id=card_id,
            period_start=(start + dt.timedelta(days=1)).isoformat(),
            closed_on=closed_on.isoformat(),
            due_on=due_on.isoformat(),
            currency=card["currency"],
            opening_minor=owed,
            closing_minor=spent,
            minimum_minor=min(spent, max(spent * card["minimum_bps"] // 10_000, card["minimum_floor_minor"])),
            status="due" if is_due and spent else "paid",
        )
        if before is not None and owed:
            paid_on = clock.parse_day(before["due_on"])
            self._line(rng, card, "payment", "Payment, thank you", "payment", -owed, paid_on, statement["statement_id"])
        if spent:
            self._purchases(rng, card, statement, spent, count)
        return statement

    def _purchases(self, rng: random.Random, card: Record, statement: Record, total: int, count: int) -> None:
        """Purchases within a statement's cycle that add up to a total."""
        first, last = clock.parse_day(statement["period_start"]), clock.parse_day(statement["closed_on"])
        amounts = _parts(rng, total, count)
        days = sorted(rng.randint(0, (last - first).days) for _ in amounts)
        for amount, day in zip(amounts, days, strict=True):
            merchant, category, _, _ = rng.choice(_SHOPS)
            date = first + dt.timedelta(days=day)
            self._line(rng, card, "purchase", merchant, category, amount, date, statement["statement_id"])

    def _line(
        self,
        rng: random.Random,
        card: Record,
        kind: str,
        merchant: str,
        category: str,
        amount: int,
        day: dt.date,
        statement_id: str,
    ) -> None:
        at = clock.day_start(day, self.world.zone) + rng.randint(8 * 60, 21 * 60) * 60
        self.put(
            "transactions",
            tx_id=self.new_id("ctg"),
            card_id=card["card_id"],
            posted_at=self.world.iso(at),
            kind=kind,
            merchant=merchant,
            category=category,
            amount_minor=amount,
            currency=card["currency"],
            statement_id=statement_id,
        )

    @staticmethod
    def _closing_before(card: Record, day: str) -> dt.date:
        """The last statement day before a date."""
        limit = clock.parse_day(day)
        found = day_in_month(limit, card["statement_day"])
        return (
            found
            if found < limit
            else day_in_month(limit.replace(day=1) - relativedelta(months=1), card["statement_day"])
        )

    @staticmethod
    def _amount(rng: random.Random) -> int:
        _, _, least, most = rng.choice(_SHOPS)
        return rng.randint(least, most)


def _parts(rng: random.Random, total: int, count: int) -> Sequence[int]:
    """A total in at most so many positive parts."""
    count = min(count, total)
    cuts = sorted(rng.sample(range(1, total), count - 1))
    return [after - before for before, after in zip([0, *cuts], [*cuts, total], strict=True)]
