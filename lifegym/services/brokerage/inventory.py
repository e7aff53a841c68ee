"""Believable filling for a brokerage: what else is listed, what else there is to buy, what was traded before."""

from __future__ import annotations

import datetime as dt
import random

from lifegym.services.brokerage.ledger import shared_out
from lifegym.services.brokerage.life import BrokerageLife
from lifegym.services.brokerage.sessions import at_time, is_trading_day
from lifegym.services.tools import generator
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageInventory"]

_FIRST = (
    "Alder", "Beacon", "Cobalt", "Delta", "Ember", "Fjord", "Granite", "Harbour", "Iris", "Juniper", "Keel", "Lumen",
    "Marlin", "Nimbus", "Onyx", "Pioneer", "Quarry", "Ridge", "Sable", "Tundra", "Umbra", "Vantage", "Willow", "Zephyr",
)  # fmt: skip
_TRADE = ("Foods", "Energy", "Robotics", "Logistics", "Health", "Textiles", "Metals", "Software", "Rail", "Optics")
_HOUSE = ("Northlight", "Cedar & Co", "Meridian", "Fairwater", "Tallis")
_SHELF = (
    ("money market", "Cash Reserve", 100_000, 3),
    ("bond", "Short Bond", 110_000, 15),
    ("bond", "Green Bond", 98_000, 20),
    ("index", "World Index", 250_000, 90),
    ("index", "Home Market Index", 180_000, 100),
    ("equity", "Small Companies", 140_000, 150),
    ("equity", "Asia Leaders", 160_000, 140),
    ("balanced", "Balanced Growth", 125_000, 60),
    ("balanced", "Retirement 2045", 119_000, 55),
    ("commodity", "Gold and Silver", 210_000, 120),
)
"""Category, name, value of a unit in thousandths of a minor unit, and how far it moves in a week (in 10,000ths)."""


class BrokerageInventory(BrokerageLife):
    """Generators of a market's listings and of an account's past."""

    @generator
    def listings(
        self, rng: random.Random, market_id: str, currency: str = "USD", count: int = 40, weeks: int = 13
    ) -> None:
        """List further companies on a market, each with weekly closing prices up to the window."""
        market = self.find("markets", market_id)
        if market is None:
            return
        days = self._past_weeks(market, weeks)
        pairs = [(first, trade) for trade in _TRADE for first in _FIRST]
        rng.shuffle(pairs)
        lot_size = rng.choice((1, 1, 100))
        for first, trade in pairs[:count]:
            symbol = f"{first[:3]}{trade[:2]}".upper()
            if self.find("instruments", symbol) or self.find("funds", symbol):
                continue
            prices = _walk(rng, rng.randint(500, 40_000), 250, len(days))
            self.put(
                "instruments",
                symbol=symbol,
                name=f"{first} {trade}",
                kind="share",
                market_id=market_id,
                currency=currency,
                price_minor=prices[-1],
                lot_size=lot_size,
                closes=[{"date": day, "price_minor": price} for day, price in zip(days, prices, strict=True)],
            )

    @generator
    def fund_shelf(
        self, rng: random.Random, market_id: str, currency: str = "USD", count: int = 20, weeks: int = 13
    ) -> None:
        """Offer further funds of all categories, each with weekly values up to the window."""
        market = self.find("markets", market_id)
        if market is None:
            return
        days = self._past_weeks(market, weeks)
        offered = [(house, *kind) for house in _HOUSE for kind in _SHELF]
        rng.shuffle(offered)
        for number, (house, category, name, nav, swing) in enumerate(offered[:count], 1):
            fund_code = f"{house[:2]}{category[:2]}{number:03d}".upper()
            if self.find("instruments", fund_code) or self.find("funds", fund_code):
                continue
            navs = _walk(rng, nav + rng.randint(-9000, 9000), swing, len(days))
            self.put(
                "funds",
                fund_code=fund_code,
                name=f"{house} {name}",
                category=category,
                market_id=market_id,
                currency=currency,
                nav_milli=navs[-1],
                minimum_minor=rng.choice((1_000, 10_000, 50_000)),
                entry_fee_bps=rng.choice((0, 15, 50, 150)),
                exit_fees=[{"under_days": 7, "fee_bps": 150}, {"under_days": 365, "fee_bps": rng.choice((25, 50))}],
                navs=[{"date": day, "nav_milli": value} for day, value in zip(days, navs, strict=True)],
            )

    @generator
    def past_trades(self, rng: random.Random, account_id: str, days: int = 180, trips: int = 10) -> None:
        """Let an account have bought shares and sold them again before the window.

        Where its book has entries, the time before the first of them is filled. Neither its cash nor what it holds
        changes.
        """
        account = self.find("accounts", account_id)
        choice = [
            row
            for row in self.rows("instruments")
            if account and row["currency"] == account["currency"] and row["kind"] == "share" and row["price_minor"]
        ]
        choice = [row for row in choice if not self._held(account_id, row["symbol"])]
        known = [row for row in self.rows("entries") if row["account_id"] == account_id]
        if account is None or not choice or self._open_orders(account_id):
            return
        oldest = min(known, key=lambda row: self.seconds(row["at"]), default=None)
        target = oldest["balance_after_minor"] - oldest["amount_minor"] if oldest else account["cash_minor"]
        until = clock.local(self.seconds(oldest["at"]), self.world.zone).date() if oldest else self.world.start
        until = min(until, self.world.start) - dt.timedelta(days=2)
        taken = {row["symbol"] for row in known}
        choice = [row for row in choice if row["symbol"] not in taken]
        at = clock.day_start(until - dt.timedelta(days=days), self.world.zone) + 9 * clock.HOUR
        balance = self._past_entry(account_id, at, "deposit", 0, rng.randint(20, 60) * 100_000)
        span = max(2, days // max(1, trips))
        for number, instrument in enumerate(rng.sample(choice, min(trips, len(choice)))):
            first = until - dt.timedelta(days=days - 1 - number * span)
            bought = self._past_order(account, instrument, "buy", first, balance, rng)
            if bought is None:
                continue
            balance, qty = bought
            sold = self._past_order(
                account, instrument, "sell", first + dt.timedelta(days=span // 2), balance, rng, qty
            )
            assert sold is not None, instrument
            balance = sold[0]
        end = clock.day_start(until + dt.timedelta(days=1), self.world.zone)
        if target != balance:
            self._past_entry(
                account_id, end, "deposit" if target > balance else "withdrawal", balance, target - balance
            )

    def _past_order(
        self,
        account: Record,
        instrument: Record,
        side: str,
        day: dt.date,
        balance: int,
        rng: random.Random,
        qty: int = 0,
    ) -> tuple[int, int] | None:
        """One filled order of the past, None if the cash does not allow it. Returns the balance and the shares."""
        market = self._market(instrument)
        while not is_trading_day(market, day):
            day += dt.timedelta(days=1)
        at = at_time(day, market["opens"], market["zone"]) + rng.randint(1, 90) * clock.MINUTE
        close = self._closing_price(instrument, day.isoformat()) or instrument["price_minor"]
        price = max(1, shared_out(close, rng.randint(980, 1020), 1000))
        qty = qty or instrument["lot_size"] * rng.randint(1, 12)
        gross = price * qty
        fee = self._fee(account, gross)
        if side == "buy" and balance < gross + fee:
            return None
        order_id, stamp, account_id = self.new_id("ordp"), self.world.iso(at), account["account_id"]
        sign = 1 if side == "buy" else -1
        self.put(
            "orders",
            order_id=order_id,
            account_id=account_id,
            symbol=instrument["symbol"],
            side=side,
            order_type="market",
            qty=qty,
            status="filled",
            placed_at=stamp,
            currency=account["currency"],
            filled_at=stamp,
            trade_date=day.isoformat(),
            fill_price_minor=price,
            gross_minor=gross,
            fee_minor=fee,
            net_minor=-sign * gross - fee,
        )
        units = (instrument["symbol"], sign * qty, qty if side == "buy" else 0)
        balance = self._past_entry(account_id, at, side, balance, -sign * gross, order_id, units)
        if fee:
            balance = self._past_entry(account_id, at, "fee", balance, -fee, order_id)
        return balance, qty

    def _past_entry(
        self,
        account_id: str,
        at: int,
        kind: str,
        balance: int,
        amount: int,
        ref: str = "",
        units: tuple[str, int, int] = ("", 0, 0),
    ) -> int:
        self.put(
            "entries",
            entry_id=self.new_id("lep"),
            account_id=account_id,
            at=self.world.iso(at),
            kind=kind,
            amount_minor=amount,
            balance_after_minor=balance + amount,
            symbol=units[0],
            units=units[1],
            units_after=units[2],
            ref=ref,
        )
        return balance + amount

    def _past_weeks(self, market: Record, weeks: int) -> list[str]:
        """A trading day of each of the weeks before the window, the last one in front of it."""
        found = []
        for number in range(max(1, weeks), 0, -1):
            day = self.world.start - dt.timedelta(days=7 * number - 6)
            while not is_trading_day(market, day):
                day -= dt.timedelta(days=1)
            found.append(day.isoformat())
        return sorted(set(found))


def _walk(rng: random.Random, value: int, swing: int, steps: int) -> list[int]:
    """Values that wander, each by at most ``swing`` ten-thousandths from the one before."""
    found = []
    for _ in range(steps):
        value = max(1, value + value * rng.randint(-swing, swing) // 10_000)
        found.append(value)
    return found
