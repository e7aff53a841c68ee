"""How orders for shares are carried out: at once, at the open, when a price meets them, or not at all."""

from __future__ import annotations

from lifegym.services.brokerage.ledger import BrokerageLedger
from lifegym.services.brokerage.sessions import next_session, session_of
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageTrading"]


class BrokerageTrading(BrokerageLedger):
    """Orders for shares, and the market's day."""

    # -- the market's day ----------------------------------------------------------------------------------------

    def turn_market(self, market_id: str) -> None:
        """A market opens or closes."""
        market = self.find("markets", market_id)
        if market is None or market["turns_at"] is None or self.seconds(market["turns_at"]) != self.now:
            return  # its hours were changed meanwhile
        session = session_of(market, clock.local(self.now, market["zone"]).date())
        self._await_turn(market)
        if session is not None and self.now == session.opens:
            self._run_orders(market_id)
        elif session is not None:
            self._keep_closes(market_id, session.date.isoformat())
            self._expire_orders(market_id, session.date.isoformat())

    def _await_turn(self, market: Record) -> None:
        """Put the market's next open or close on the agenda."""
        session = next_session(market, self.now)
        turn = session.opens if session.opens > self.now else session.closes
        self.patch("markets", market["market_id"], turns_at=self.world.iso(turn))
        self.later(turn, "turn_market", market_id=market["market_id"])

    def _run_orders(self, market_id: str) -> None:
        for order in self._open_orders():
            instrument = self.find("instruments", order["symbol"])
            if instrument is not None and instrument["market_id"] == market_id:
                self._try_order(order, instrument)

    def _keep_closes(self, market_id: str, day: str) -> None:
        """Note the day's closing prices, where they differ from those before."""
        for instrument in list(self.rows("instruments")):
            if instrument["market_id"] != market_id or instrument["kind"] == "option":
                continue
            kept = [point for point in instrument["closes"] if point["date"] < day]
            if not kept or kept[-1]["price_minor"] != instrument["price_minor"]:
                kept.append({"date": day, "price_minor": instrument["price_minor"]})
                self.patch("instruments", instrument["symbol"], closes=kept)

    def _expire_orders(self, market_id: str, day: str) -> None:
        for order in self._open_orders():
            instrument = self.find("instruments", order["symbol"])
            if instrument is None or instrument["market_id"] != market_id or order["tif"] != "day":
                continue
            if order["session_date"] is None or order["session_date"] <= day:
                self._end_order(order, "expired", "not filled by the close")

    # -- one order -----------------------------------------------------------------------------------------------

    def _try_order(self, order: Record, instrument: Record) -> Record:
        """Fill an open order if its market is open and the price is right. Returns the order as it is then."""
        price, limit = self._price(instrument), order["limit_price_minor"]
        if price <= 0 or not self._is_trading(instrument):
            return order
        if limit is not None and (price > limit if order["side"] == "buy" else price < limit):
            return order
        return self._buy(order, price) if order["side"] == "buy" else self._sell(order, price)

    def _buy(self, order: Record, price: int) -> Record:
        account = self._paying(order)
        gross = price * order["qty"]
        fee = self._fee(account, gross)
        if self._free_cash(account) + order["reserved_minor"] < gross + fee:
            return self._end_order(order, "rejected", "not enough cash at the price of the moment")
        account_id, symbol = order["account_id"], order["symbol"]
        order = self._filled(order, price, gross, fee, -(gross + fee))
        self._add_lot(account_id, symbol, order["qty"], gross + fee, clock.parse_day(order["trade_date"]))
        self._enter_units(account_id, "buy", symbol, order["qty"], -gross, order["order_id"])
        self._enter_fee(order, fee)
        return order

    def _sell(self, order: Record, price: int) -> Record:
        account = self._paying(order)
        gross = price * order["qty"]
        fee = self._fee(account, gross)
        if self._free_cash(account) + gross < fee:
            return self._end_order(order, "rejected", "the fee is more than the proceeds and the cash")
        account_id, symbol = order["account_id"], order["symbol"]
        order = self._filled(order, price, gross, fee, gross - fee)
        self._take_lots(account_id, symbol, order["qty"])
        self._use_options(account_id, symbol, order["qty"])
        self._enter_units(account_id, "sell", symbol, -order["qty"], gross, order["order_id"])
        self._enter_fee(order, fee)
        instrument = self._listed(symbol)
        day = self._await_cash(order, gross - fee, self._market(instrument)["settlement_days"])
        return self.patch("orders", order["order_id"], settles_on=day.isoformat())

    def _filled(self, order: Record, price: int, gross: int, fee: int, net: int) -> Record:
        instrument = self._listed(order["symbol"])
        done = self.patch(
            "orders",
            order["order_id"],
            status="filled",
            filled_at=self.stamp(),
            trade_date=clock.local(self.now, self._market(instrument)["zone"]).date().isoformat(),
            fill_price_minor=price,
            gross_minor=gross,
            fee_minor=fee,
            net_minor=net,
            reserved_minor=0,
        )
        verb = "Bought" if order["side"] == "buy" else "Sold"
        self._tell(done, "order_filled", f"{verb} {order['qty']} {order['symbol']} at {price} {order['currency']}")
        return done

    def _enter_fee(self, order: Record, fee: int) -> None:
        if fee:
            self._enter(order["account_id"], "fee", -fee, ref=order["order_id"])

    def _use_options(self, account_id: str, symbol: str, qty: int) -> None:
        """Count options of a grant as used once they are sold or exercised."""
        grant = self._grant_of(account_id, symbol)
        if grant is not None:
            self.patch("grants", grant["grant_id"], used=grant["used"] + qty)

    def _grant_of(self, account_id: str, symbol: str) -> Record | None:
        for row in self.rows("grants"):
            if row["account_id"] == account_id and row["symbol"] == symbol:
                return row
        return None

    def _end_order(self, order: Record, status: str, reason: str) -> Record:
        """End an open order without a fill; what it had reserved is free again."""
        ended = self.patch("orders", order["order_id"], status=status, reason=reason, reserved_minor=0)
        amount = order["qty"] or order["units_milli"] or order["amount_minor"]
        self._tell(ended, f"order_{status}", f"Order {status}: {order['side']} {amount} {order['symbol']}")
        return ended

    def _tell(self, order: Record, kind: str, title: str) -> None:
        """Leave a notification, and let those who watch the order know."""
        body = f"Order {order['order_id']} is {order['status']}{': ' + order['reason'] if order['reason'] else ''}."
        user_id = self._paying(order)["user_id"]
        self.world.notify(self.name, kind, title, body, ref=order["order_id"], user_id=user_id)
        self.world.emit(
            "status", source=self.name, ref=order["order_id"], status=order["status"], title=title, body=body
        )

    # -- invariants ----------------------------------------------------------------------------------------------

    def _check_orders(self) -> None:
        for order in self.rows("orders"):
            is_fund = order["order_type"] in ("subscription", "redemption")
            assert (self.find("funds" if is_fund else "instruments", order["symbol"])) is not None, order
            assert (order["status"] == "filled") == (order["filled_at"] is not None), order
            assert order["status"] == "open" or order["reserved_minor"] == 0, order
            if is_fund:
                assert (order["order_type"] == "subscription") == (order["side"] == "buy"), order
                assert order["status"] != "open" or order["nav_date"] is not None, order
                assert order["qty"] == 0, order
                assert order["status"] != "open" or (order["side"] == "buy") == (order["units_milli"] == 0), order
                assert order["status"] != "open" or (order["side"] == "buy") == (order["amount_minor"] > 0), order
            else:
                assert order["qty"] > 0, order
                assert order["units_milli"] == order["amount_minor"] == 0, order
                assert (order["order_type"] == "limit") == (order["limit_price_minor"] is not None), order
            if order["status"] == "filled" and order["side"] == "sell":
                assert order["net_minor"] == order["gross_minor"] - order["fee_minor"], order
            if order["status"] == "open" and order["side"] == "sell":
                assert self._free(order["account_id"], order["symbol"]) >= 0, order

    def _check_grants(self) -> None:
        held_under: set[tuple[str, str]] = set()
        for grant in self.rows("grants"):
            pair = (grant["account_id"], grant["symbol"])
            assert pair not in held_under, grant
            held_under.add(pair)
            instrument = self._listed(grant["symbol"])
            assert instrument["kind"] == "option", grant
            assert grant["used"] <= grant["vested"] <= grant["granted"], grant
            held = self._held(*pair)
            assert held <= (grant["vested"] - grant["used"] if grant["status"] == "open" else 0), grant
