"""How orders for funds are carried out: once a day, at a value that nobody knows when they are placed."""

from __future__ import annotations

import datetime as dt

from lifegym.services.brokerage.ledger import shared_out
from lifegym.services.brokerage.sessions import at_time, is_trading_day, trading_day
from lifegym.services.brokerage.trading import BrokerageTrading
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageDealing"]


class BrokerageDealing(BrokerageTrading):
    """Orders for funds, and the day's value (NAV)."""

    def _next_nav_date(self, fund: Record) -> dt.date:
        """The day whose value an order that is placed now gets."""
        market = self._market(fund)
        today = clock.local(self.now, market["zone"]).date()
        in_time = is_trading_day(market, today) and self.now < at_time(today, fund["cutoff"], market["zone"])
        return trading_day(market, today, 0 if in_time else 1)

    def _cutoff(self, fund: Record, nav_date: str) -> int:
        """Until when an order for this day can be placed or cancelled."""
        return at_time(clock.parse_day(nav_date), fund["cutoff"], self._market(fund)["zone"])

    def _last_nav_date(self, fund: Record) -> str:
        """The last day whose value is known."""
        market = self._market(fund)
        day = clock.local(self.now, market["zone"]).date()
        while not is_trading_day(market, day) or at_time(day, fund["publishes"], market["zone"]) > self.now:
            day -= dt.timedelta(days=1)
        newest = fund["navs"][-1]["date"] if fund["navs"] else ""
        return max(day.isoformat(), newest)

    def _await_nav(self, fund: Record) -> None:
        """Put the fund's next publication on the agenda."""
        market = self._market(fund)
        day = clock.local(self.now, market["zone"]).date()
        if at_time(day, fund["publishes"], market["zone"]) <= self.now:
            day += dt.timedelta(days=1)
        day = trading_day(market, day, 0)
        at = at_time(day, fund["publishes"], market["zone"])
        self.later(at, "publish_nav", fund_code=fund["fund_code"], date=day.isoformat())

    def publish_nav(self, fund_code: str, date: str) -> None:
        """The value of a day is out: carry out the orders that waited for it."""
        fund = self.find("funds", fund_code)
        if fund is None:
            return
        self._await_nav(fund)
        if not is_trading_day(self._market(fund), clock.parse_day(date)):
            return  # the day became a holiday; orders wait for the next
        for order in self._open_orders():
            if order["symbol"] == fund["fund_code"] and order["nav_date"] <= date:
                if order["order_type"] == "subscription":
                    self._subscribe(order, fund, date)
                else:
                    self._redeem(order, fund, date)

    def _subscribe(self, order: Record, fund: Record, date: str) -> None:
        amount = order["amount_minor"]
        fee = shared_out(amount, fund["entry_fee_bps"], 10_000)
        units = (amount - fee) * 1_000_000 // fund["nav_milli"]
        if units == 0:
            self._end_order(order, "rejected", "the amount is less than a thousandth of a unit")
            return
        account_id, symbol = order["account_id"], order["symbol"]
        self._priced(order, fund, date, units, amount, fee, -amount)
        self._add_lot(account_id, symbol, units, amount, clock.parse_day(date))
        self._enter_units(account_id, "subscription", symbol, units, fee - amount, order["order_id"])
        self._enter_fee(order, fee)

    def _redeem(self, order: Record, fund: Record, date: str) -> None:
        account_id, symbol, units = order["account_id"], order["symbol"], order["units_milli"]
        parts = self._take_lots(account_id, symbol, units)
        gross = shared_out(units, fund["nav_milli"], 1_000_000)
        fee = min(gross, sum(self._exit_fee(fund, part, acquired, date) for acquired, part in parts))
        order = self._priced(order, fund, date, units, gross, fee, gross - fee)
        self._enter_units(account_id, "redemption", symbol, -units, gross, order["order_id"])
        self._enter_fee(order, fee)
        day = self._await_cash(order, gross - fee, fund["settlement_days"])
        self.patch("orders", order["order_id"], settles_on=day.isoformat())

    @staticmethod
    def _exit_fee(fund: Record, units: int, acquired: str, date: str) -> int:
        """What redeeming units costs that were acquired on a day: the shortest period that they fall under decides."""
        held = (clock.parse_day(date) - clock.parse_day(acquired)).days
        tiers = sorted((row["under_days"], row["fee_bps"]) for row in fund["exit_fees"])
        rate = next((bps for under, bps in tiers if held < under), 0)
        return shared_out(shared_out(units, fund["nav_milli"], 1_000_000), rate, 10_000)

    def _priced(self, order: Record, fund: Record, date: str, units: int, gross: int, fee: int, net: int) -> Record:
        done = self.patch(
            "orders",
            order["order_id"],
            status="filled",
            filled_at=self.stamp(),
            trade_date=date,
            units_milli=units,
            fill_nav_milli=fund["nav_milli"],
            gross_minor=gross,
            fee_minor=fee,
            net_minor=net,
            reserved_minor=0,
        )
        self._tell(done, "order_filled", f"{order['order_type'].capitalize()} of {fund['name']} carried out")
        return done
