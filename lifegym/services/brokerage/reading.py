"""A brokerage, to look at: accounts, holdings, quotes, funds, orders, option grants."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import limited, paged
from lifegym.services.brokerage.performance import BrokeragePerformance
from lifegym.services.brokerage.records import OrderStatus
from lifegym.services.brokerage.sessions import last_known, last_session, next_session
from lifegym.services.search import rank, resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageReading"]

CATEGORY_ALIASES = {
    "cash": "money market",
    "mmf": "money market",
    "liquidity": "money market",
    "fixed income": "bond",
    "debt": "bond",
    "etf": "index",
    "tracker": "index",
    "passive": "index",
    "stock": "equity",
    "stocks": "equity",
    "shares": "equity",
    "mixed": "balanced",
    "multi asset": "balanced",
    "hybrid": "balanced",
    "gold": "commodity",
    "metals": "commodity",
    "pension": "retirement",
}
_CLOSES_SHOWN = 5


class BrokerageReading(BrokeragePerformance):
    """What can be seen. Money and prices are minor units; a fund's units are thousandths of a unit."""

    # -- tools: accounts -----------------------------------------------------------------------------------------

    @tool(write=False)
    def list_accounts(self, user_id: str) -> dict[str, Any]:
        """List a user's brokerage accounts with their cash and their fees.

        Args:
            user_id: Whose accounts, e.g. u_liwei.

        Returns:
            accounts: account_id, name, currency, cash_minor, available_cash_minor (neither reserved nor unsettled),
            fee_bps (hundredths of a percent of an order's value), fee_flat_minor, fee_min_minor, payout_account_id
            (bank account that proceeds go to when they settle, "" if they stay), status.
        """
        return {
            "accounts": [
                {**row, "available_cash_minor": self._free_cash(row)}
                for row in self.rows("accounts")
                if row["user_id"] == user_id
            ]
        }

    @tool(write=False)
    def get_positions(self, account_id: str, limit: int = 100) -> dict[str, Any]:
        """List what an account holds: shares, options and fund units.

        Args:
            account_id: From list_accounts.
            limit: How many at most, up to 200.

        Returns:
            positions: symbol (or fund code), name, kind, qty (shares; for a fund units_milli, thousandths of a unit),
            available (what no open order wants to sell), price_minor (for a fund nav_milli, thousandths of a minor
            unit), value_minor, cost_minor, gain_minor, first_acquired_on; total (how many there are).

        Errors:
            not_found: There is no such account.
            bad_limit: limit is not between 1 and 200.
        """
        self._account(account_id)
        found = self._positions(account_id)
        return {"positions": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def get_portfolio(self, account_id: str) -> dict[str, Any]:
        """Sum up an account: cash, what it holds by kind, and what all is worth now.

        Args:
            account_id: From list_accounts.

        Returns:
            account_id, currency, cash_minor, reserved_minor (by open orders), unsettled_minor (proceeds that are not
            spendable yet), available_cash_minor, holdings_minor, total_minor (cash and holdings), cost_minor and
            gain_minor of the holdings, by_kind (kind, value_minor, share_bps), open_orders (number), settlements (those
            that are pending, soonest first, at most 20: order_id, amount_minor, due_at).

        Errors:
            not_found: There is no such account.
        """
        account = self._account(account_id)
        positions = self._positions(account_id)
        by_kind: dict[str, int] = {}
        for row in positions:
            by_kind[row["kind"]] = by_kind.get(row["kind"], 0) + row["value_minor"]
        holdings = sum(by_kind.values())
        cost = sum(row["cost_minor"] for row in positions)
        pending = [
            {"order_id": row["order_id"], "amount_minor": row["amount_minor"], "due_at": row["due_at"]}
            for row in self.rows("settlements")
            if row["account_id"] == account_id and row["status"] == "pending"
        ]
        pending.sort(key=lambda row: self.seconds(row["due_at"]))
        return {
            "account_id": account_id,
            "currency": account["currency"],
            "cash_minor": account["cash_minor"],
            "reserved_minor": self._reserved_cash(account_id),
            "unsettled_minor": self._unsettled_cash(account_id),
            "available_cash_minor": self._free_cash(account),
            "holdings_minor": holdings,
            "total_minor": account["cash_minor"] + holdings,
            "cost_minor": cost,
            "gain_minor": holdings - cost,
            "by_kind": [
                {"kind": kind, "value_minor": value, "share_bps": value * 10_000 // holdings if holdings else 0}
                for kind, value in sorted(by_kind.items(), key=lambda item: (-item[1], item[0]))
            ],
            "open_orders": len(self._open_orders(account_id)),
            "settlements": pending[:20],
        }

    # -- tools: prices -------------------------------------------------------------------------------------------

    @tool(write=False)
    def get_quote(self, symbol: str) -> dict[str, Any]:
        """Show what a share or an option costs now, how it closed before, and when it can be traded.

        Args:
            symbol: Such as KSTL; case does not matter. A wrong one is answered with those that are like it.

        Returns:
            symbol, name, kind, currency, price_minor, prev_close_minor (of the session before the one that the price
            is of) with change_minor and change_bps, last_close_minor and last_close_date (of the last session that has
            ended), recent_closes (date, price_minor; days on which it changed), lot_size, tick_minor; for an option
            underlying, underlying_price_minor and strike_minor (its price is their difference, never under 0);
            market_status (open, closed, halted), session_date, opens_at and closes_at of the session that is going on
            or next, timezone of the market.

        Errors:
            not_found: There is no such symbol; the message names similar ones.
        """
        instrument = self._instrument(symbol)
        market = self._market(instrument)
        session, ended = next_session(market, self.now), last_session(market, self.now)
        is_open = session.opens <= self.now
        before = ended if is_open else last_session(market, ended.closes - 1)
        price = self._price(instrument)
        last_close = self._closing_price(instrument, ended.date.isoformat())
        prev_close = self._closing_price(instrument, before.date.isoformat())
        change = price - prev_close if prev_close is not None else 0
        underlying = self.find("instruments", instrument["underlying"])
        status = "halted" if self._is_halted(instrument) else "open" if is_open else "closed"
        listed = underlying or instrument
        quote = {
            "symbol": instrument["symbol"],
            "name": instrument["name"],
            "kind": instrument["kind"],
            "currency": instrument["currency"],
            "price_minor": price,
            "prev_close_minor": prev_close,
            "change_minor": change,
            "change_bps": change * 10_000 // prev_close if prev_close else 0,
            "last_close_minor": last_close,
            "last_close_date": ended.date.isoformat(),
            "recent_closes": [
                {"date": point["date"], "price_minor": max(0, point["price_minor"] - instrument["strike_minor"])}
                for point in listed["closes"][-_CLOSES_SHOWN:]
            ],
            "lot_size": instrument["lot_size"],
            "tick_minor": instrument["tick_minor"],
            "market_status": status,
            "session_date": session.date.isoformat(),
            "opens_at": clock.iso(session.opens, market["zone"]),
            "closes_at": clock.iso(session.closes, market["zone"]),
            "timezone": market["zone"],
        }
        if underlying is not None:
            quote["underlying"] = underlying["symbol"]
            quote["underlying_price_minor"] = underlying["price_minor"]
            quote["strike_minor"] = instrument["strike_minor"]
        return quote

    @tool(write=False)
    def list_funds(
        self, category: str | None = None, query: str | None = None, page: int = 1, page_size: int = 20
    ) -> dict[str, Any]:
        """List the funds that are on offer, by category or by name.

        Args:
            category: Such as bond, index, equity, balanced or money market; all if left out.
            query: Words of a fund's name or its code; the best match comes first.
            page: Which page, from 1.
            page_size: How many a page has, up to 100.

        Returns:
            funds: fund_code, name, category, currency, nav_milli (value of a unit in thousandths of a minor unit),
            nav_date, minimum_minor, entry_fee_bps, exit_fees, cutoff (market's time), settlement_days, status;
            categories (all that there are); total, page, pages.

        Errors:
            unknown_category: There is no such category; the message names those that there are.
            bad_page: page or page_size is out of range.
        """
        funds = list(self.rows("funds"))
        categories = sorted({row["category"] for row in funds})
        if category is not None and category.strip():
            known = {key: name for key, name in CATEGORY_ALIASES.items() if name in categories}
            wanted = resolve(category, categories, known)
            if wanted is None:
                raise ToolError(
                    "unknown_category",
                    f"there is no category {category[:40]!r}; there are: {', '.join(categories) or 'none'}",
                )
            funds = [row for row in funds if row["category"] == wanted]
        if query is not None:
            funds = rank(
                query, funds, lambda row: ((row["name"], 2.0), (row["fund_code"], 2.0), (row["category"], 1.0))
            )
        found = paged(funds, page, page_size)
        rows = [self._fund_shown(row) for row in found.pop("rows")]
        return {"funds": rows, "categories": categories, **found}

    @tool(write=False)
    def get_fund_nav(self, fund_code: str, lookback_days: Annotated[int, Field(ge=1, le=400)] = 30) -> dict[str, Any]:
        """Show the value of a fund's unit (NAV) and how it was in the days before.

        Args:
            fund_code: From list_funds.
            lookback_days: How many days to look back, up to 400.

        Returns:
            fund_code, name, currency, nav_milli (thousandths of a minor unit; 123450 is 1.2345 of a currency with two
            decimals), nav_date (last day whose value is known), change_bps over the lookback, history (date, nav_milli:
            the days on which it changed, oldest first, the value at the beginning in front), next_nav_date (the day
            whose value an order that is placed now gets), cutoff_at (until when that holds), status.

        Errors:
            not_found: There is no such fund.
        """
        fund = self._fund(fund_code)
        market = self._market(fund)
        first = (clock.local(self.now, market["zone"]).date() - dt.timedelta(days=lookback_days)).isoformat()
        history = [point for point in fund["navs"] if point["date"] >= first]
        before = last_known(fund["navs"], first, "nav_milli")
        if before is not None and (not history or history[0]["date"] > first):
            history.insert(0, {"date": first, "nav_milli": before})
        start = history[0]["nav_milli"] if history else fund["nav_milli"]
        following = self._next_nav_date(fund).isoformat()
        return {
            "fund_code": fund["fund_code"],
            "name": fund["name"],
            "currency": fund["currency"],
            "nav_milli": fund["nav_milli"],
            "nav_date": self._last_nav_date(fund),
            "change_bps": (fund["nav_milli"] - start) * 10_000 // start,
            "history": history,
            "next_nav_date": following,
            "cutoff_at": clock.iso(self._cutoff(fund, following), market["zone"]),
            "status": fund["status"],
        }

    # -- tools: orders and grants --------------------------------------------------------------------------------

    @tool(write=False)
    def list_orders(self, account_id: str, status_filter: OrderStatus | None = None, limit: int = 50) -> dict[str, Any]:
        """List an account's orders, those placed last in front.

        Args:
            account_id: From list_accounts.
            status_filter: open, filled, cancelled, expired or rejected; all if left out.
            limit: How many at most, up to 200.

        Returns:
            orders: order_id, symbol, side, order_type (market, limit, subscription, redemption), qty or units_milli or
            amount_minor, limit_price_minor, tif, status, placed_at, session_date (last day of a day order), nav_date,
            filled_at, trade_date (day in the market's zone), fill_price_minor or fill_nav_milli, gross_minor,
            fee_minor, net_minor (negative: paid), settles_on, reason; total (how many match).

        Errors:
            not_found: There is no such account.
            bad_limit: limit is not between 1 and 200.
        """
        self._account(account_id)
        found = [
            row
            for row in self.rows("orders")
            if row["account_id"] == account_id and (status_filter is None or row["status"] == status_filter)
        ]
        found.sort(key=lambda row: self.seconds(row["placed_at"]))
        found.reverse()
        return {"orders": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def list_option_grants(self, user_id: str) -> dict[str, Any]:
        """List the stock options that a user has from an employer.

        Options can be sold as they are (place_order with the grant's symbol: price less strike is paid out) or
        exercised (exercise_option: the strike is paid, shares come in). When the window closes, the rest lapses.

        Args:
            user_id: Whose.

        Returns:
            grants: grant_id, account_id, symbol, title, underlying, currency, strike_minor, price_minor (what an option
            is worth now), granted, vested, used, exercisable, granted_on, expires_on, opens_at, closes_at (the window;
            null: no other bound), status (open, lapsed).
        """
        mine = {row["account_id"] for row in self.rows("accounts") if row["user_id"] == user_id}
        found = []
        for grant in self.rows("grants"):
            if grant["account_id"] in mine:
                instrument = self._listed(grant["symbol"])
                found.append(
                    {
                        **grant,
                        "underlying": instrument["underlying"],
                        "currency": instrument["currency"],
                        "strike_minor": instrument["strike_minor"],
                        "price_minor": self._price(instrument),
                        "exercisable": self._free(grant["account_id"], grant["symbol"]),
                    }
                )
        return {"grants": found}

    # -- inside --------------------------------------------------------------------------------------------------

    def _positions(self, account_id: str) -> list[dict[str, Any]]:
        sums: dict[str, dict[str, Any]] = {}
        for lot in self._lots(account_id):
            held = sums.setdefault(lot["symbol"], {"units": 0, "cost": 0, "first": lot["acquired_on"]})
            held["units"] += lot["units"]
            held["cost"] += lot["cost_minor"]
        selling: dict[str, int] = {}
        for order in self._open_orders(account_id):
            if order["side"] == "sell":
                selling[order["symbol"]] = selling.get(order["symbol"], 0) + (order["qty"] or order["units_milli"])
        return [self._position(symbol, held, selling.get(symbol, 0)) for symbol, held in sums.items()]

    def _position(self, symbol: str, held: dict[str, Any], selling: int) -> dict[str, Any]:
        value = self._value(symbol, held["units"])
        fund = self.find("funds", symbol)
        if fund is not None:
            what = {"name": fund["name"], "kind": "fund", "currency": fund["currency"], "units_milli": held["units"]}
            what["nav_milli"] = fund["nav_milli"]
        else:
            instrument = self._listed(symbol)
            what = {"name": instrument["name"], "kind": instrument["kind"], "currency": instrument["currency"]}
            what |= {"qty": held["units"], "price_minor": self._price(instrument)}
        return {
            "symbol": symbol,
            **what,
            "available": held["units"] - selling,
            "value_minor": value,
            "cost_minor": held["cost"],
            "gain_minor": value - held["cost"],
            "first_acquired_on": held["first"],
        }

    def _fund_shown(self, fund: Record) -> dict[str, Any]:
        shown = {key: value for key, value in fund.items() if key != "navs"}
        return {**shown, "nav_date": self._last_nav_date(fund)}
