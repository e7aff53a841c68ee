"""A brokerage: shares and options at the market's hours, funds at the day's value, an employer's options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.brokerage.ledger import shared_out
from lifegym.services.brokerage.reading import BrokerageReading
from lifegym.services.brokerage.records import OrderType, Side, TimeInForce
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["Brokerage"]

Quantity = Annotated[int, Field(gt=0, le=10**9)]
Money = Annotated[int, Field(gt=0, le=10**12)]


class Brokerage(BrokerageReading):
    """What can be ordered. Money and prices are minor units of the account's currency."""

    # -- tools: orders -------------------------------------------------------------------------------------------

    @tool(write=True)
    def place_order(
        self,
        account_id: str,
        symbol: str,
        side: Side,
        qty: Quantity,
        order_type: OrderType,
        limit_price_minor: Money | None = None,
        tif: TimeInForce = "day",
    ) -> dict[str, Any]:
        """Buy or sell shares, or sell an employer's options.

        While the market is open, a market order fills at once at the quote, and a limit order as soon as the quote is
        at the limit or better, at the quote. Outside the hours an order waits for the open. A day order that is not
        filled by the close of its session expires; gtc waits until it is filled or cancelled. Proceeds of a sale can
        be spent once they settle.

        Args:
            account_id: From list_accounts.
            symbol: From get_quote or get_positions.
            side: buy or sell.
            qty: Number of shares or options; a multiple of the lot size, or all that are left for a sale.
            order_type: market or limit.
            limit_price_minor: For a limit order, the worst price in minor units a share; a multiple of the tick.
            tif: day (the session that is going on, or else the next) or gtc (good till cancelled).

        Returns:
            The order: order_id, status (open, filled, rejected), session_date of a day order, trade_date,
            fill_price_minor, gross_minor, fee_minor, net_minor, settles_on, reserved_minor, reason.

        Errors:
            not_found: There is no such account or symbol.
            account_closed: The account is restricted or closed.
            bad_order: A limit order without a limit, a market order with one, or options to be bought.
            bad_price: The limit is no multiple of the tick.
            bad_lot: The number is no multiple of the lot size.
            currency_mismatch: The symbol trades in another currency than the account's.
            window_closed: The window of the options' grant is not open yet.
            insufficient_shares: The account has fewer that no other order wants to sell.
            insufficient_cash: The available cash does not cover the order and its fee.
        """
        account, instrument = self._account(account_id), self._instrument(symbol)
        self._check_open(account, instrument)
        limit = limit_price_minor
        if (order_type == "limit") != (limit is not None):
            raise ToolError("bad_order", "a limit order has a limit_price_minor, a market order has none")
        if limit is not None and limit % instrument["tick_minor"]:
            raise ToolError("bad_price", f"limit_price_minor must be a multiple of {instrument['tick_minor']}")
        reserved = 0
        if side == "buy":
            reserved = self._check_purchase(account, instrument, qty, limit)
        else:
            self._check_sale(account_id, instrument, qty)
        session = self._session(instrument)
        order = self.put(
            "orders",
            order_id=self.new_id("ord"),
            account_id=account_id,
            symbol=instrument["symbol"],
            side=side,
            order_type=order_type,
            qty=qty,
            limit_price_minor=limit,
            tif=tif,
            placed_at=self.stamp(),
            session_date=session.date.isoformat() if tif == "day" else None,
            reserved_minor=reserved,
            currency=account["currency"],
        )
        return self._try_order(order, instrument)

    @tool(write=True)
    def cancel_order(self, order_id: str) -> dict[str, Any]:
        """Cancel an order that is open. An order for a fund can be cancelled until the cut-off of its day.

        Args:
            order_id: From list_orders.

        Returns:
            The order, now cancelled.

        Errors:
            not_found: There is no such order.
            not_open: It is filled, or has ended otherwise.
            past_cutoff: The fund's cut-off has passed; the order will be carried out.
        """
        order = self.get("orders", order_id, "order", "brokerage.list_orders shows them")
        if order["status"] != "open":
            raise ToolError("not_open", f"order {order_id} is {order['status']}; only an open order can be cancelled")
        fund = self.find("funds", order["symbol"])
        if fund is not None and self.now >= self._cutoff(fund, order["nav_date"]):
            raise ToolError("past_cutoff", f"the cut-off of {order['nav_date']} has passed; the order is carried out")
        return self._end_order(order, "cancelled", "cancelled by the customer")

    # -- tools: funds --------------------------------------------------------------------------------------------

    @tool(write=True)
    def subscribe_fund(self, account_id: str, fund_code: str, amount_minor: Money) -> dict[str, Any]:
        """Buy units of a fund for an amount, at the value that is published next.

        An order before the fund's cut-off gets the value of that day, a later one that of the next trading day; how
        many units it buys is known then.

        Args:
            account_id: From list_accounts.
            fund_code: From list_funds.
            amount_minor: Amount in minor units, the entry fee included.

        Returns:
            The order: order_id, status (open), nav_date (day whose value it gets), reserved_minor; and cutoff_at (until
            when it can be cancelled).

        Errors:
            not_found: There is no such account or fund.
            account_closed: The account is restricted or closed.
            currency_mismatch: The fund is in another currency than the account.
            fund_closed: The fund sells no units at present.
            below_minimum: The amount is less than the fund's minimum.
            insufficient_cash: The available cash does not cover it.
        """
        account, fund = self._account(account_id), self._fund(fund_code)
        self._check_open(account, fund)
        if fund["status"] != "open":
            raise ToolError("fund_closed", f"{fund['fund_code']} sells no units at present; choose another fund")
        if amount_minor < fund["minimum_minor"]:
            raise ToolError("below_minimum", f"the least is {fund['minimum_minor']} minor units")
        self._check_cash(account, amount_minor)
        return self._place_fund_order(account, fund, "buy", amount_minor, 0)

    @tool(write=True)
    def redeem_fund(self, account_id: str, fund_code: str, units_milli: Quantity) -> dict[str, Any]:
        """Give units of a fund back, at the value that is published next.

        The units that were bought first go first; those held for less than the fund's periods cost an exit fee. The
        money can be spent some trading days after (settlement_days of the fund).

        Args:
            account_id: From list_accounts.
            fund_code: From list_funds or get_positions.
            units_milli: Thousandths of a unit; 12500 is 12.5 units.

        Returns:
            The order: order_id, status (open), nav_date (day whose value it gets); estimate_minor (at the value now,
            before fees) and cutoff_at (until when it can be cancelled).

        Errors:
            not_found: There is no such account or fund.
            account_closed: The account is restricted or closed.
            currency_mismatch: The fund is in another currency than the account.
            insufficient_units: The account has fewer units that no other order gives back.
        """
        account, fund = self._account(account_id), self._fund(fund_code)
        self._check_open(account, fund)
        free = self._free(account_id, fund["fund_code"])
        if free < units_milli:
            raise ToolError(
                "insufficient_units", f"{free} thousandths of a unit are available, {units_milli} are asked for"
            )
        placed = self._place_fund_order(account, fund, "sell", 0, units_milli)
        return {**placed, "estimate_minor": self._value(fund["fund_code"], units_milli)}

    # -- tools: an employer's options ------------------------------------------------------------------------------

    @tool(write=True)
    def exercise_option(
        self, account_id: str, grant_id: str, qty: Quantity, payment: Literal["cash", "sell_to_cover"] = "cash"
    ) -> dict[str, Any]:
        """Exercise options of a grant: pay the strike and get shares. This cannot be undone.

        To turn options into money without paying the strike, sell them with place_order instead.

        Args:
            account_id: Account of the grant.
            grant_id: From list_option_grants.
            qty: Number of options.
            payment: cash (from the account), or sell_to_cover (as many of the shares as pay for the strike and the fee
                are sold at the quote; the market must be open).

        Returns:
            grant (with used, now higher), symbol of the shares, exercised, strike_total_minor, shares_sold,
            shares_kept, fee_minor, cash_minor (of the account, afterwards).

        Errors:
            not_found: There is no such account, or no such grant in it.
            account_closed: The account is restricted or closed.
            currency_mismatch: The options are in another currency than the account.
            window_closed: The window is not open yet, or the grant has lapsed.
            insufficient_shares: Fewer options are vested and free of open orders.
            insufficient_cash: The available cash does not cover the strike and the fee.
            market_closed: sell_to_cover outside the market's hours, or trading is halted.
            out_of_the_money: sell_to_cover while the shares do not bring the strike and the fee.
        """
        account = self._account(account_id)
        grant = self.get("grants", grant_id, "grant", "brokerage.list_option_grants shows them")
        if grant["account_id"] != account_id:
            raise ToolError("not_found", f"grant {grant_id} is in account {grant['account_id']}, not {account_id}")
        option = self._listed(grant["symbol"])
        shares = self._listed(option["underlying"])
        self._check_open(account, option)
        if grant["status"] != "open":
            raise ToolError("window_closed", f"grant {grant_id} has lapsed")
        self._check_window(grant)
        self._check_available(account_id, option, qty)
        strike = option["strike_minor"] * qty
        if payment == "cash":
            fee = self._fee(account, 0)
            self._check_cash(account, strike + fee)
            sold = 0
        else:
            if not self._is_trading(shares):
                raise ToolError("market_closed", f"{shares['symbol']} is not traded now; get_quote says when it is")
            sold = self._shares_to_cover(account, shares["price_minor"], strike, qty)
            fee = self._fee(account, shares["price_minor"] * sold)
        return self._exercise(account, grant, shares, qty, sold, fee)

    # -- inside: checks ------------------------------------------------------------------------------------------

    @staticmethod
    def _check_open(account: Record, listed: Record) -> None:
        """The account takes orders, in the currency of what is listed."""
        if account["status"] != "open":
            raise ToolError("account_closed", f"account {account['account_id']} is {account['status']}; use another")
        if account["currency"] != listed["currency"]:
            raise ToolError(
                "currency_mismatch",
                f"{listed['name']} trades in {listed['currency']}, account {account['account_id']} is in "
                f"{account['currency']}; use an account in {listed['currency']}",
            )

    def _check_cash(self, account: Record, needed: int) -> None:
        free = self._free_cash(account)
        if free < needed:
            raise ToolError(
                "insufficient_cash",
                f"{free} minor units are available, {needed} are needed; order less, cancel an open order, or wait "
                "until proceeds settle",
            )

    def _check_purchase(self, account: Record, instrument: Record, qty: int, limit: int | None) -> int:
        """Refuse a purchase that cannot be paid for. Returns what to reserve for it."""
        if instrument["kind"] == "option":
            raise ToolError("bad_order", f"options such as {instrument['symbol']} can only be sold")
        if qty % instrument["lot_size"]:
            raise ToolError("bad_lot", f"{instrument['symbol']} is bought in lots of {instrument['lot_size']}")
        gross = qty * (limit if limit is not None else instrument["price_minor"])
        needed = gross + self._fee(account, gross)
        self._check_cash(account, needed)
        return int(needed)

    def _check_sale(self, account_id: str, instrument: Record, qty: int) -> None:
        grant = self._grant_of(account_id, instrument["symbol"])
        if grant is not None and grant["status"] == "open":
            self._check_window(grant)
        free = self._check_available(account_id, instrument, qty)
        if qty % instrument["lot_size"] and qty != free:
            raise ToolError(
                "bad_lot",
                f"{instrument['symbol']} is sold in lots of {instrument['lot_size']}, or all {free} that are left",
            )

    def _check_available(self, account_id: str, instrument: Record, qty: int) -> int:
        free = self._free(account_id, instrument["symbol"])
        if free < qty:
            raise ToolError(
                "insufficient_shares",
                f"{free} {instrument['symbol']} are held and free of open orders, {qty} are asked for",
            )
        return free

    def _check_window(self, grant: Record) -> None:
        if grant["opens_at"] and self.seconds(grant["opens_at"]) > self.now:
            raise ToolError("window_closed", f"the window of grant {grant['grant_id']} opens at {grant['opens_at']}")

    # -- inside: writing -----------------------------------------------------------------------------------------

    def _place_fund_order(
        self, account: Record, fund: Record, side: Side, amount_minor: int, units_milli: int
    ) -> dict[str, Any]:
        nav_date = self._next_nav_date(fund).isoformat()
        order = self.put(
            "orders",
            order_id=self.new_id("ord"),
            account_id=account["account_id"],
            symbol=fund["fund_code"],
            side=side,
            order_type="subscription" if side == "buy" else "redemption",
            units_milli=units_milli,
            amount_minor=amount_minor,
            placed_at=self.stamp(),
            nav_date=nav_date,
            reserved_minor=amount_minor,
            currency=account["currency"],
        )
        return {**order, "cutoff_at": clock.iso(self._cutoff(fund, nav_date), self._market(fund)["zone"])}

    def _shares_to_cover(self, account: Record, price: int, strike: int, qty: int) -> int:
        """The least number of shares whose sale brings the strike and its own fee."""
        least, most = 0, qty
        if price * qty - self._fee(account, price * qty) < strike:
            raise ToolError("out_of_the_money", f"{qty} shares at {price} do not bring the strike and the fee")
        while least < most:
            middle = (least + most) // 2
            if price * middle - self._fee(account, price * middle) >= strike:
                most = middle
            else:
                least = middle + 1
        return least

    def _exercise(
        self, account: Record, grant: Record, shares: Record, qty: int, sold: int, fee: int
    ) -> dict[str, Any]:
        account_id, option, symbol = account["account_id"], grant["symbol"], shares["symbol"]
        strike_minor = self._listed(grant["symbol"])["strike_minor"]
        total, ref = strike_minor * qty, grant["grant_id"]
        kept = qty - sold
        self._take_lots(account_id, option, qty)
        self._enter_units(account_id, "exercise", option, -qty, sold * shares["price_minor"], ref)
        if kept:
            day = clock.local(self.now, self._market(shares)["zone"]).date()
            self._add_lot(account_id, symbol, kept, shared_out(total, kept, qty), day)
        self._enter_units(account_id, "exercise", symbol, kept, -total, ref)
        if fee:
            self._enter(account_id, "fee", -fee, ref=ref)
        return {
            "grant": self.patch("grants", ref, used=grant["used"] + qty),
            "symbol": symbol,
            "exercised": qty,
            "strike_total_minor": total,
            "shares_sold": sold,
            "shares_kept": kept,
            "fee_minor": fee,
            "cash_minor": self._account_cash(account_id),
        }
