"""Believable filling for an account."""

from __future__ import annotations

import datetime as dt
import random
from typing import NotRequired

from typing_extensions import TypedDict

from lifegym.services.banking.life import BankingLife
from lifegym.services.banking.records import Kind
from lifegym.services.tools import generator
from lifegym.services.types import Instant
from lifegym.world import clock

__all__ = ["BankingInventory", "PastTransaction"]


class PastTransaction(TypedDict):
    """A transaction of the past, without what follows from the others: its id and the balance after it."""

    at: Instant
    amount_minor: int
    kind: Kind
    counterparty: str
    memo: NotRequired[str]


class BankingInventory(BankingLife):
    """Generators of a bank's past."""

    @generator
    def everyday_transactions(self, rng: random.Random, account_id: str, days: int = 60, per_day: float = 1.2) -> None:
        """Fill the days before the window with card payments, groceries and fares.

        Where the account has transactions, the days before the first of them are filled. The account's balance stays
        what it is; each transaction's balance is reckoned back from it.
        """
        account = self._account(account_id)
        known = [row for row in self.rows("transactions") if row["account_id"] == account_id]
        oldest = min(known, key=lambda row: self.seconds(row["posted_at"]), default=None)
        balance = oldest["balance_after_minor"] - oldest["amount_minor"] if oldest else account["balance_minor"]
        until = clock.local(self.seconds(oldest["posted_at"]), self.world.zone).date() if oldest else self.world.start
        until = min(until, self.world.start)
        shops = (
            "Greenleaf Market",
            "Corner Bakery",
            "Metro Transit",
            "Harbour Books",
            "Lantern Noodles",
            "Mobile Top-up",
        )
        moments: list[tuple[int, int, str]] = []
        for day in range(1, days + 1):
            date = until - dt.timedelta(days=day)
            for _ in range(int(per_day) + (rng.random() < per_day % 1)):
                at = clock.day_start(date, self.world.zone) + rng.randint(8 * 60, 21 * 60) * 60
                moments.append((at, -rng.randint(300, 9000), rng.choice(shops)))
        rows = []
        for at, amount, shop in sorted(moments, reverse=True):
            rows.append((at, amount, shop, balance))
            balance -= amount
        for number, (at, amount, shop, after) in enumerate(reversed(rows), len(known) + 1):
            self.put(
                "transactions",
                transaction_id=f"txg_{account_id}_{number:04d}",
                account_id=account_id,
                posted_at=self.world.iso(at),
                kind="card",
                amount_minor=amount,
                currency=account["currency"],
                balance_after_minor=after,
                counterparty=shop,
            )

    @generator
    def history(self, rng: random.Random, account_id: str, entries: list[PastTransaction]) -> None:
        """Write the past of an account that the task knows: who paid what, and when.

        Args:
            rng: Unused; the past is what the entries say.
            account_id: Whose past; the account's balance stays, that of each transaction is reckoned back from it.
            entries: The transactions, in any order, none of them after the window begins.
        """
        account = self._account(account_id)
        balance = account["balance_minor"] - sum(entry["amount_minor"] for entry in entries)
        ordered = sorted(entries, key=lambda entry: self.seconds(entry["at"]))
        if ordered and self.seconds(ordered[-1]["at"]) > self.now:
            raise ValueError(f"the past of {account_id} ends at {ordered[-1]['at']}, after the window begins")
        for number, entry in enumerate(ordered, 1):
            balance += entry["amount_minor"]
            self.put(
                "transactions",
                transaction_id=f"txh_{account_id}_{number:04d}",
                account_id=account_id,
                posted_at=entry["at"],
                kind=entry["kind"],
                amount_minor=entry["amount_minor"],
                currency=account["currency"],
                balance_after_minor=balance,
                counterparty=entry["counterparty"],
                memo=entry.get("memo", ""),
            )
