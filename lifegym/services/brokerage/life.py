"""What happens at a brokerage by itself and by the timeline: prices, halts, dividends, splits, option windows."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.brokerage.dealing import BrokerageDealing
from lifegym.services.brokerage.ledger import shared_out
from lifegym.services.brokerage.sessions import is_trading_day
from lifegym.services.tools import happening
from lifegym.services.types import TimeOfDay
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["BrokerageLife"]

Price = Annotated[int, Field(ge=0, le=10**12)]
Ratio = Annotated[int, Field(ge=1, le=1000)]


class BrokerageLife(BrokerageDealing):
    """The brokerage's own behaviour."""

    # -- happenings: prices --------------------------------------------------------------------------------------

    @happening
    def set_price(self, symbol: str, price_minor: Price) -> list[str]:
        """A symbol trades at another price, and options on it follow. Orders that it meets fill; price alerts ring.

        The price of an option follows from its underlying and cannot be set.
        """
        instrument = self.find("instruments", symbol)
        if instrument is None or instrument["kind"] == "option":
            return []
        self.patch("instruments", symbol, price_minor=price_minor)
        moved = [symbol, *self._options_on(symbol)]
        self._run_symbols(moved)
        for each in moved:
            row = self._listed(each)
            self.world.emit(
                "price",
                ref=each,
                amount_minor=self._price(row),
                currency=row["currency"],
                title=row["name"],
                source=self.name,
            )
        return moved

    @happening
    def set_nav(self, fund_code: str, nav_milli: Annotated[int, Field(gt=0, le=10**15)], date: str = "") -> list[str]:
        """A fund publishes or corrects its value of a day (YYYY-MM-DD; the last trading day if left out).

        Orders that were carried out stay as they are; those that wait for the day get this value at its publication.
        """
        fund = self.find("funds", fund_code)
        if fund is None:
            return []
        day = self.day(date, "date").isoformat() if date else self._current_dealing_day(fund)
        navs = [point for point in fund["navs"] if point["date"] != day]
        navs.append({"date": day, "nav_milli": nav_milli})
        navs.sort(key=lambda point: point["date"])
        self.patch("funds", fund_code, navs=navs, nav_milli=navs[-1]["nav_milli"])
        self.world.emit(
            "price",
            ref=fund_code,
            amount_minor=shared_out(navs[-1]["nav_milli"], 1, 1000),
            currency=fund["currency"],
            title=fund["name"],
            source=self.name,
        )
        return [fund_code]

    @happening
    def halt(self, symbol: str) -> list[str]:
        """Trading in a symbol, and in options on it, is halted: orders wait."""
        instrument = self.find("instruments", symbol)
        if instrument is None or instrument["status"] == "halted":
            return []
        self.patch("instruments", symbol, status="halted")
        return [symbol]

    @happening
    def resume(self, symbol: str) -> list[str]:
        """Trading in a symbol goes on: orders that waited fill if the market is open and the price is right."""
        instrument = self.find("instruments", symbol)
        if instrument is None or instrument["status"] == "trading":
            return []
        self.patch("instruments", symbol, status="trading")
        self._run_symbols([symbol, *self._options_on(symbol)])
        return [symbol]

    @happening
    def set_session(self, market_id: str, date: str, closes: TimeOfDay | None = None) -> list[str]:
        """A later day (YYYY-MM-DD) becomes a holiday, or, with a time (HH:MM), a day with an early close."""
        market, day = self.find("markets", market_id), self.day(date, "date")
        if market is None or day <= clock.local(self.now, market["zone"]).date():
            return []
        if closes is not None and closes <= market["opens"]:
            return []
        iso = day.isoformat()
        holidays = [each for each in market["holidays"] if each != iso]
        early = [row for row in market["early_closes"] if row["date"] != iso]
        if closes is None:
            holidays.append(iso)
        else:
            early.append({"date": iso, "closes": closes})
        self._await_turn(self.patch("markets", market_id, holidays=sorted(holidays), early_closes=early))
        return [market_id]

    # -- happenings: accounts ------------------------------------------------------------------------------------

    @happening
    def post_cash(self, account_id: str, amount_minor: int, memo: str = "") -> list[str]:
        """Cash comes into an account, or, if negative, leaves it as far as it is free."""
        account = self.find("accounts", account_id)
        if account is None or amount_minor == 0 or self._free_cash(account) + amount_minor < 0:
            return []
        entry = self._enter(account_id, "deposit" if amount_minor > 0 else "withdrawal", amount_minor, memo=memo)
        return [entry["entry_id"]]

    @happening
    def set_status(self, account_id: str, status: Literal["open", "restricted", "closed"]) -> list[str]:
        """Restrict, close or reopen an account. Orders that are open stay open."""
        account = self.find("accounts", account_id)
        if account is None or account["status"] == status:
            return []
        self.patch("accounts", account_id, status=status)
        return [account_id]

    @happening
    def set_fund_status(self, fund_code: str, status: Literal["open", "closed"]) -> list[str]:
        """A fund stops or takes up selling units; redemptions go on."""
        fund = self.find("funds", fund_code)
        if fund is None or fund["status"] == status:
            return []
        self.patch("funds", fund_code, status=status)
        return [fund_code]

    @happening
    def dividend(self, symbol: str, per_share_minor: Annotated[int, Field(gt=0, le=10**9)]) -> list[str]:
        """A company pays a dividend on every share that an account holds now. Returns the accounts."""
        instrument = self.find("instruments", symbol)
        if instrument is None or instrument["kind"] == "option":
            return []
        paid: list[str] = []
        for account in list(self.rows("accounts")):
            held = self._held(account["account_id"], symbol)
            if held and account["currency"] == instrument["currency"]:
                memo = f"{per_share_minor} a share on {held}"
                self._enter(account["account_id"], "dividend", held * per_share_minor, symbol, memo=memo)
                paid.append(account["account_id"])
        return paid

    @happening
    def split(self, symbol: str, new: Ratio, old: Ratio = 1) -> list[str]:
        """For every ``old`` shares there are ``new`` ones (2 and 1: each share becomes two).

        Prices, options and grants follow; open orders are cancelled; fractions of a share are paid in cash.
        """
        instrument = self.find("instruments", symbol)
        if instrument is None or instrument["kind"] == "option" or new == old:
            return []
        concerned = [symbol, *self._options_on(symbol)]
        for order in self._open_orders():
            if order["symbol"] in concerned:
                self._end_order(order, "cancelled", f"{symbol} was split {new}:{old}")
        price = shared_out(instrument["price_minor"], old, new)
        closes = [
            {"date": point["date"], "price_minor": shared_out(point["price_minor"], old, new)}
            for point in instrument["closes"]
        ]
        self.patch("instruments", symbol, price_minor=price, closes=closes)
        for option in concerned[1:]:
            row = self._listed(option)
            self.patch("instruments", option, strike_minor=shared_out(row["strike_minor"], old, new))
        for grant in list(self.rows("grants")):
            if grant["symbol"] in concerned:
                changed = {field: grant[field] * new // old for field in ("granted", "vested", "used")}
                self.patch("grants", grant["grant_id"], **changed)
        for account in list(self.rows("accounts")):
            for each in concerned:
                self._split_lots(account["account_id"], each, new, old, price if each == symbol else 0)
        return concerned

    def _split_lots(self, account_id: str, symbol: str, new: int, old: int, price: int) -> None:
        before = after = carried = 0
        for lot in self._lots(account_id, symbol):
            start = before * new // old
            before += lot["units"]
            units, cost = before * new // old - start, lot["cost_minor"] + carried
            carried = 0 if units else cost
            if units:
                self.patch("lots", lot["lot_id"], units=units, cost_minor=cost)
            else:
                self.drop("lots", lot["lot_id"])
            after += units
        if before:
            left = shared_out(price, before * new % old, old)
            self._enter_units(account_id, "split", symbol, after - before, left, memo=f"{new}:{old}")

    # -- happenings: option grants -------------------------------------------------------------------------------

    @happening
    def vest(self, grant_id: str, qty: Annotated[int, Field(gt=0, le=10**9)]) -> list[str]:
        """Options of a grant vest, at most those that are left: they can be sold or exercised from now on."""
        grant = self.find("grants", grant_id)
        if grant is None or grant["status"] != "open" or grant["vested"] == grant["granted"]:
            return []
        number = min(qty, grant["granted"] - grant["vested"])
        self.patch("grants", grant_id, vested=grant["vested"] + number)
        self._add_lot(grant["account_id"], grant["symbol"], number, 0, self.today())
        self._enter_units(grant["account_id"], "vest", grant["symbol"], number, ref=grant_id)
        return [grant_id]

    @happening
    def close_window(self, grant_id: str, closes_at: str = "") -> list[str]:
        """The window of a grant closes at another moment (ISO 8601), or at once: unused options lapse then."""
        grant = self.find("grants", grant_id)
        if grant is None or grant["status"] != "open":
            return []
        at = max(self.now, self.instant(closes_at, "closes_at")) if closes_at else self.now
        changed = self.patch("grants", grant_id, closes_at=self.world.iso(at))
        if at > self.now:
            self._await_lapse(changed)
        else:
            self.lapse_grant(grant_id)
        return [grant_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for market in list(self.rows("markets")):
            self._await_turn(market)
        for fund in list(self.rows("funds")):
            self._await_nav(fund)
        for settlement in list(self.rows("settlements")):
            if settlement["status"] == "pending":
                due = max(self.seconds(settlement["due_at"]), self.now)
                self.later(due, "settle", settlement_id=settlement["settlement_id"])
        for grant in list(self.rows("grants")):
            if grant["status"] != "open":
                continue
            left = grant["vested"] - grant["used"] - self._held(grant["account_id"], grant["symbol"])
            if left:  # the records name the grant only
                self._add_lot(grant["account_id"], grant["symbol"], left, 0, clock.parse_day(grant["granted_on"]))
            self._await_lapse(grant)

    def _await_lapse(self, grant: Record) -> None:
        self.later(max(self._ends(grant), self.now), "lapse_grant", grant_id=grant["grant_id"])

    def _ends(self, grant: Record) -> int:
        """When the options of a grant lapse: as its window closes, at the latest at the end of the day they expire."""
        day_after = clock.parse_day(grant["expires_on"]) + dt.timedelta(days=1)
        end = clock.day_start(day_after, self.world.zone)
        return min(end, self.seconds(grant["closes_at"])) if grant["closes_at"] else end

    def lapse_grant(self, grant_id: str) -> None:
        """The window of a grant is over: what was not used is lost."""
        grant = self.find("grants", grant_id)
        if grant is None or grant["status"] != "open" or self._ends(grant) > self.now:
            return
        account_id, symbol = grant["account_id"], grant["symbol"]
        for order in self._open_orders(account_id):
            if order["symbol"] == symbol:
                self._end_order(order, "cancelled", "the options have lapsed")
        held = self._held(account_id, symbol)
        self.patch("grants", grant_id, status="lapsed")
        if held:
            self._take_lots(account_id, symbol, held)
            self._enter_units(account_id, "lapse", symbol, -held, ref=grant_id)
            self.world.notify(
                self.name,
                "options_lapsed",
                f"{held} options {symbol} have lapsed",
                f"The window of grant {grant_id} is over.",
                ref=grant_id,
                user_id=self._paying(grant)["user_id"],
            )

    # -- inside --------------------------------------------------------------------------------------------------

    def _options_on(self, symbol: str) -> list[str]:
        return [row["symbol"] for row in self.rows("instruments") if row["underlying"] == symbol]

    def _run_symbols(self, symbols: list[str]) -> None:
        for order in self._open_orders():
            if order["symbol"] in symbols:
                instrument = self._listed(order["symbol"])
                self._try_order(order, instrument)

    def _current_dealing_day(self, fund: Record) -> str:
        """Today where the fund is dealt in today, else the last day that it was."""
        market = self._market(fund)
        day = clock.local(self.now, market["zone"]).date()
        while not is_trading_day(market, day):
            day -= dt.timedelta(days=1)
        return day.isoformat()

    def check_invariants(self) -> None:
        self._check_listings()
        self._check_orders()
        self._check_books()
        self._check_grants()
