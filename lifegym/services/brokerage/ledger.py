"""The books of a brokerage: cash, lots of shares and units, what is reserved, and what is on its way."""

from __future__ import annotations

import datetime as dt
from typing import Any

from lifegym.services.base import Service
from lifegym.services.brokerage.records import (
    Account,
    Entry,
    Fund,
    Grant,
    Instrument,
    Lot,
    Market,
    Order,
    Settlement,
)
from lifegym.services.brokerage.sessions import Session, at_time, last_known, next_session, trading_day
from lifegym.services.search import rank
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageLedger", "shared_out"]


def shared_out(amount: int, part: int, whole: int) -> int:
    """``amount * part / whole``, halves rounded up."""
    return (2 * amount * part + whole) // (2 * whole)


class BrokerageLedger(Service):
    """The brokerage's books. Every change of cash or units is an entry."""

    name = "brokerage"
    title = "Brokerage"
    records = {
        "markets": Market,
        "instruments": Instrument,
        "funds": Fund,
        "accounts": Account,
        "lots": Lot,
        "orders": Order,
        "entries": Entry,
        "settlements": Settlement,
        "grants": Grant,
    }

    # -- finding -------------------------------------------------------------------------------------------------

    def _account(self, account_id: str) -> Record:
        return self.get("accounts", account_id, "account", "brokerage.list_accounts shows them")

    def _instrument(self, symbol: str) -> Record:
        """The instrument of a symbol, whatever its case."""
        found = self.find("instruments", symbol) or self.find("instruments", symbol.strip().upper())
        if found is None:
            near = rank(symbol[:60], self.rows("instruments"), lambda row: ((f"{row['symbol']} {row['name']}", 1.0),))
            hint = ", ".join(f"{row['symbol']} ({row['name']})" for row in near[:3])
            if self.find("funds", symbol) is not None:
                hint = f"{symbol} is a fund: use brokerage.get_fund_nav, subscribe_fund and redeem_fund"
            elif hint:
                hint = f"do you mean {hint}?"
            raise ToolError("not_found", f"there is no symbol {symbol[:60]!r}{'; ' + hint if hint else ''}")
        return found

    def _fund(self, fund_code: str) -> Record:
        found = self.find("funds", fund_code) or self.find("funds", fund_code.strip().upper())
        if found is None:
            raise ToolError("not_found", f"there is no fund {fund_code[:60]!r}; brokerage.list_funds shows them")
        return found

    def _listed(self, symbol: str) -> Record:
        """The instrument that another record names."""
        found = self.find("instruments", symbol)
        assert found is not None, symbol
        return found

    def _market(self, listed: Record) -> Record:
        """The market of an instrument or a fund."""
        found = self.find("markets", listed["market_id"])
        assert found is not None, listed
        return found

    def _session(self, listed: Record) -> Session:
        """The session that is going on, or the next, of an instrument's or fund's market."""
        return next_session(self._market(listed), self.now)

    def _is_halted(self, instrument: Record) -> bool:
        """Whether trading is halted, of the instrument or of what it is an option on."""
        underlying = self.find("instruments", instrument["underlying"])
        return instrument["status"] == "halted" or (underlying is not None and underlying["status"] == "halted")

    def _is_trading(self, instrument: Record) -> bool:
        return not self._is_halted(instrument) and self._session(instrument).opens <= self.now

    # -- prices --------------------------------------------------------------------------------------------------

    def _price(self, instrument: Record) -> int:
        """What a share costs now; an option costs its underlying less the strike."""
        if instrument["kind"] != "option":
            return int(instrument["price_minor"])
        underlying = self._listed(instrument["underlying"])
        return max(0, int(underlying["price_minor"]) - int(instrument["strike_minor"]))

    def _closing_price(self, instrument: Record, day: str) -> int | None:
        """The last closing price up to a day; None before the first that is known."""
        if instrument["kind"] != "option":
            return last_known(instrument["closes"], day, "price_minor")
        underlying = self._listed(instrument["underlying"])
        close = last_known(underlying["closes"], day, "price_minor")
        return None if close is None else max(0, close - instrument["strike_minor"])

    def _value(self, symbol: str, units: int) -> int:
        """What shares, or thousandths of a fund's units, are worth now."""
        fund = self.find("funds", symbol)
        if fund is not None:
            return shared_out(units, fund["nav_milli"], 1_000_000)
        return self._price(self._listed(symbol)) * units

    # -- what there is -------------------------------------------------------------------------------------------

    def _lots(self, account_id: str, symbol: str | None = None) -> list[Record]:
        """An account's lots, those that were acquired first in front."""
        found = [
            row
            for row in self.rows("lots")
            if row["account_id"] == account_id and (symbol is None or row["symbol"] == symbol)
        ]
        return sorted(found, key=lambda row: row["acquired_on"])

    def _held(self, account_id: str, symbol: str) -> int:
        return sum(
            row["units"] for row in self.rows("lots") if row["symbol"] == symbol and row["account_id"] == account_id
        )

    def _open_orders(self, account_id: str | None = None) -> list[Record]:
        return [
            row
            for row in self.rows("orders")
            if row["status"] == "open" and (account_id is None or row["account_id"] == account_id)
        ]

    def _free(self, account_id: str, symbol: str) -> int:
        """Shares or units that no open order wants to sell."""
        wanted = sum(
            row["qty"] or row["units_milli"]
            for row in self._open_orders(account_id)
            if row["symbol"] == symbol and row["side"] == "sell"
        )
        return int(self._held(account_id, symbol) - wanted)

    def _reserved_cash(self, account_id: str) -> int:
        return sum(int(row["reserved_minor"]) for row in self._open_orders(account_id))

    def _unsettled_cash(self, account_id: str) -> int:
        return sum(
            row["amount_minor"]
            for row in self.rows("settlements")
            if row["account_id"] == account_id and row["status"] == "pending"
        )

    def _free_cash(self, account: Record) -> int:
        """Cash that is neither reserved by open orders nor on its way out of a sale."""
        account_id = account["account_id"]
        return int(account["cash_minor"] - self._reserved_cash(account_id) - self._unsettled_cash(account_id))

    @staticmethod
    def _fee(account: Record, gross_minor: int) -> int:
        """What the account pays for an order: a share of its value and a flat part, at least the minimum."""
        fee = shared_out(gross_minor, account["fee_bps"], 10_000) + account["fee_flat_minor"]
        return int(max(fee, account["fee_min_minor"]))

    # -- writing -------------------------------------------------------------------------------------------------

    def _enter(
        self, account_id: str, kind: str, amount_minor: int = 0, symbol: str = "", ref: str = "", memo: str = ""
    ) -> Record:
        """Book cash in or out."""
        balance = self._account_cash(account_id) + amount_minor
        self.patch("accounts", account_id, cash_minor=balance)
        return self.put(
            "entries",
            entry_id=self.new_id("le"),
            account_id=account_id,
            at=self.stamp(),
            kind=kind,
            amount_minor=amount_minor,
            balance_after_minor=balance,
            symbol=symbol,
            units_after=self._held(account_id, symbol) if symbol else 0,
            ref=ref,
            memo=memo,
        )

    def _account_cash(self, account_id: str) -> int:
        account = self.find("accounts", account_id)
        assert account is not None, account_id
        return int(account["cash_minor"])

    def _add_lot(self, account_id: str, symbol: str, units: int, cost_minor: int, day: dt.date) -> None:
        self.put(
            "lots",
            lot_id=self.new_id("lot"),
            account_id=account_id,
            symbol=symbol,
            units=units,
            cost_minor=cost_minor,
            acquired_on=day.isoformat(),
        )

    def _take_lots(self, account_id: str, symbol: str, units: int) -> list[tuple[str, int]]:
        """Take units out of the oldest lots. Returns the day and the units of each part."""
        parts: list[tuple[str, int]] = []
        for lot in self._lots(account_id, symbol):
            if not units:
                break
            taken = min(units, lot["units"])
            if taken == lot["units"]:
                self.drop("lots", lot["lot_id"])
            else:
                cost = lot["cost_minor"] - shared_out(lot["cost_minor"], taken, lot["units"])
                self.patch("lots", lot["lot_id"], units=lot["units"] - taken, cost_minor=cost)
            parts.append((lot["acquired_on"], taken))
            units -= taken
        assert not units, (account_id, symbol, units)
        return parts

    def _enter_units(
        self, account_id: str, kind: str, symbol: str, units: int, amount_minor: int = 0, ref: str = "", memo: str = ""
    ) -> Record:
        """Book units in or out that are in the lots already, with the cash that goes with them."""
        entry = self._enter(account_id, kind, amount_minor, symbol, ref, memo)
        return self.patch("entries", entry["entry_id"], units=units)

    def _await_cash(self, order: Record, amount_minor: int, days: int) -> dt.date:
        """Let the proceeds of a sale settle some trading days after today. Returns the day."""
        listed = self.find("instruments", order["symbol"]) or self.find("funds", order["symbol"])
        assert listed is not None, order
        market = self._market(listed)
        today = clock.local(self.now, market["zone"]).date()
        day = trading_day(market, today, days) if days else today
        due = max(at_time(day, market["opens"], market["zone"]), self.now)
        if amount_minor > 0:
            settlement = self.put(
                "settlements",
                settlement_id=self.new_id("set"),
                account_id=order["account_id"],
                order_id=order["order_id"],
                amount_minor=amount_minor,
                due_at=self.world.iso(due),
            )
            if due > self.now:
                self.later(due, "settle", settlement_id=settlement["settlement_id"])
            else:
                self.settle(settlement["settlement_id"])
        return day

    def settle(self, settlement_id: str) -> None:
        """Let proceeds become spendable, or send them to the payout account at the bank."""
        settlement = self.find("settlements", settlement_id)
        if settlement is None or settlement["status"] != "pending" or self.seconds(settlement["due_at"]) > self.now:
            return
        account = self._paying(settlement)
        target = account["payout_account_id"]
        self.patch("settlements", settlement_id, status="settled")
        if not target:
            return
        currency = account["payout_currency"] or account["currency"]
        amount = shared_out(settlement["amount_minor"], account["payout_rate_ppm"], 1_000_000)
        try:
            # A refund to a payment method is how money reaches a bank account.
            self.world.emit(
                "charge",
                method=target,
                amount_minor=-amount,
                currency=currency,
                payee=f"{self.title} {account['name']}",
                service=self.name,
                ref=settlement["order_id"],
            )
        except ToolError:
            return  # the bank does not take it: the money stays here
        self._enter(
            account["account_id"],
            "payout",
            -settlement["amount_minor"],
            ref=settlement["order_id"],
            memo=f"{amount} {currency} (minor units) to {target}",
        )
        self.patch("settlements", settlement_id, status="paid_out", paid_minor=amount, paid_currency=currency)

    def _paying(self, row: Record) -> Record:
        account = self.find("accounts", row["account_id"])
        assert account is not None, row
        return account

    # -- invariants ----------------------------------------------------------------------------------------------

    def _check_books(self) -> None:
        """Cash is what the book says, and so are the units in the lots."""
        cash: dict[str, int] = {}
        units: dict[tuple[str, str], int] = {}
        for entry in sorted(self.rows("entries"), key=lambda row: self.seconds(row["at"])):
            account_id, symbol = entry["account_id"], entry["symbol"]
            before = cash.get(account_id)
            assert before is None or before + entry["amount_minor"] == entry["balance_after_minor"], entry
            cash[account_id] = entry["balance_after_minor"]
            if symbol:
                assert self.find("instruments", symbol) or self.find("funds", symbol), entry
                held = units.get((account_id, symbol))
                assert held is None or held + entry["units"] == entry["units_after"], entry
                units[account_id, symbol] = entry["units_after"]
        for account in self.rows("accounts"):
            account_id = account["account_id"]
            assert cash.get(account_id, account["cash_minor"]) == account["cash_minor"], account
            assert self._free_cash(account) >= 0, account
        for (account_id, symbol), held in units.items():
            assert held == self._held(account_id, symbol), (account_id, symbol)
        for lot in self.rows("lots"):
            assert self._free(lot["account_id"], lot["symbol"]) >= 0, lot
            assert self.find("instruments", lot["symbol"]) or self.find("funds", lot["symbol"]), lot

    def _check_listings(self) -> None:
        """Options have what they need, histories are in order, and hours are hours."""
        for market in self.rows("markets"):
            clock.zone(market["zone"])
            assert market["opens"] < market["closes"], market
            assert all(market["opens"] < row["closes"] for row in market["early_closes"]), market
        for row in self.rows("instruments"):
            self._market(row)
            assert (row["kind"] == "option") == bool(row["underlying"]), row
            if row["underlying"]:
                base = self.find("instruments", row["underlying"])
                assert base is not None, row
                assert base["kind"] != "option", row
                assert (base["market_id"], base["currency"]) == (row["market_id"], row["currency"]), row
            _check_order(row["closes"])
        for row in self.rows("funds"):
            self._market(row)
            assert row["cutoff"] < row["publishes"], row
            assert self.find("instruments", row["fund_code"]) is None, row
            _check_order(row["navs"])


def _check_order(history: list[Any]) -> None:
    days = [point["date"] for point in history]
    assert days == sorted(set(days)), days
