"""How an account has done over a time: what it was worth then, what it is worth now, what went in and out."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from dateutil.relativedelta import relativedelta

from lifegym.services.brokerage.inventory import BrokerageInventory
from lifegym.services.brokerage.sessions import last_known
from lifegym.services.tools import tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokeragePerformance"]

_BACK = {
    "1d": relativedelta(days=1),
    "1w": relativedelta(weeks=1),
    "1m": relativedelta(months=1),
    "3m": relativedelta(months=3),
    "6m": relativedelta(months=6),
    "1y": relativedelta(years=1),
}
_INCOME = ("dividend",)
_FLOWS = ("deposit", "withdrawal", "payout")


class _Past(NamedTuple):
    """An account at a moment: its cash, and what it held, in shares of today."""

    cash: int
    units: dict[str, int | Fraction]


class BrokeragePerformance(BrokerageInventory):
    """Looking back."""

    @tool(write=False)
    def get_portfolio_perf(
        self, account_id: str, period: Literal["1d", "1w", "1m", "3m", "6m", "ytd", "1y", "all"]
    ) -> dict[str, Any]:
        """Show how an account has done over a period that ends now.

        The gain is the value now, less the value at the beginning, less what was paid in (plus what was paid out)
        since; the return is the gain over the value at the beginning and what was paid in.

        Args:
            account_id: From list_accounts.
            period: 1d, 1w, 1m, 3m, 6m, ytd (since 1 January), 1y, or all (since the first that is known).

        Returns:
            period, since (day), currency, start_value_minor, end_value_minor, paid_in_minor (negative: out),
            gain_minor, return_bps (hundredths of a percent), dividends_minor and fees_minor within the gain.

        Errors:
            not_found: There is no such account.
        """
        account = self._account(account_id)
        first = self._beginning(account, period)
        start = clock.day_start(first, self.world.zone)
        since = [
            row for row in self.rows("entries") if row["account_id"] == account_id and self.seconds(row["at"]) >= start
        ]
        since.sort(key=lambda row: self.seconds(row["at"]))
        held: dict[str, int] = {}
        for lot in self._lots(account_id):
            held[lot["symbol"]] = held.get(lot["symbol"], 0) + lot["units"]
        past = self._rolled_back(account, held, since, first.isoformat())
        before = (first - dt.timedelta(days=1)).isoformat()
        start_value = past.cash + sum(self._worth(symbol, units, before) for symbol, units in past.units.items())
        end_value = account["cash_minor"] + sum(self._value(symbol, units) for symbol, units in held.items())
        paid_in = sum(self._flow(row) for row in since)
        gain = end_value - start_value - paid_in
        base = start_value + max(0, paid_in)
        return {
            "account_id": account_id,
            "period": period,
            "since": first.isoformat(),
            "currency": account["currency"],
            "start_value_minor": start_value,
            "end_value_minor": end_value,
            "paid_in_minor": paid_in,
            "gain_minor": gain,
            "return_bps": round(Fraction(gain * 10_000, base)) if base > 0 else 0,
            "dividends_minor": sum(row["amount_minor"] for row in since if row["kind"] in _INCOME),
            "fees_minor": -sum(row["amount_minor"] for row in since if row["kind"] == "fee"),
        }

    def _beginning(self, account: Record, period: str) -> dt.date:
        today = self.today()
        if period in _BACK:
            return today - _BACK[period]
        if period == "ytd":
            return today.replace(month=1, day=1)
        account_id = account["account_id"]
        known = [row["acquired_on"] for row in self._lots(account_id)]
        known += [row["at"][:10] for row in self.rows("entries") if row["account_id"] == account_id]
        return clock.parse_day(account["opened_on"] or min(known, default=today.isoformat()))

    def _rolled_back(self, account: Record, held: dict[str, int], since: list[Record], first: str) -> _Past:
        """The account before the entries since a day. Shares count as they do after all splits."""
        cash = account["cash_minor"]
        units: dict[str, int | Fraction] = {**held}
        booked: set[str] = set()
        factor: dict[str, Fraction] = {}  # by what splits have multiplied
        for entry in reversed(since):
            cash -= entry["amount_minor"]
            symbol, change = entry["symbol"], entry["units"]
            if entry["kind"] == "split":
                if entry["units_after"]:
                    grown = Fraction(entry["units_after"], entry["units_after"] - change)
                    factor[symbol] = factor.get(symbol, Fraction(1)) * grown
            elif change:
                units[symbol] = units.get(symbol, 0) - change * factor.get(symbol, 1)
                booked.add(symbol)
        for lot in self._lots(account["account_id"]):
            # What came without an entry was not there before its day; what it cost was.
            if lot["symbol"] not in booked and lot["acquired_on"] >= first:
                units[lot["symbol"]] -= lot["units"]
                cash += lot["cost_minor"]
        return _Past(cash, units)

    def _worth(self, symbol: str, units: int | Fraction, day: str) -> int:
        """What was held was worth this much at the end of a day; before all history, the first known price counts."""
        fund = self.find("funds", symbol)
        if fund is not None:
            nav = last_known(fund["navs"], day, "nav_milli")
            first = fund["navs"][0]["nav_milli"] if fund["navs"] else fund["nav_milli"]
            return round(Fraction(units * (nav or first), 1_000_000))
        instrument = self._listed(symbol)
        close = self._closing_price(instrument, day)
        if close is None:
            listed = self._listed(instrument["underlying"] or symbol)
            earliest = listed["closes"][0]["date"] if listed["closes"] else None
            close = self._closing_price(instrument, earliest) if earliest else self._price(instrument)
        return round(units * (close or 0))

    def _flow(self, entry: Record) -> int:
        """What an entry brought into the account from outside, or took out: cash, or options that came or lapsed."""
        if entry["kind"] in _FLOWS:
            return int(entry["amount_minor"])
        if entry["kind"] == "vest":
            return self._worth(entry["symbol"], entry["units"], entry["at"][:10])
        return 0
