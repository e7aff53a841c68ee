"""A brokerage keeps its hours, its books and its word."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.tools import ToolError
from lifegym.world import clock

US = {
    "market_id": "NY", "name": "New York", "zone": "America/New_York", "holidays": ["2026-11-26"],
    "early_closes": [{"date": "2026-11-27", "closes": "13:00"}],
}  # fmt: skip


def _farid(desk: Any) -> Any:
    """Stock options after a layoff: a New York market, watched from Singapore."""
    d = desk("brokerage", "banking", "notification_hub", start="2026-10-12", zone="Asia/Singapore")
    d.put(
        "banking.accounts", account_id="acc_cur", user_id="u_ann", name="Current", currency="SGD",
        balance_minor=942_000,
    )  # fmt: skip
    d.put("brokerage.markets", **US)
    share = {"market_id": "NY", "currency": "USD"}
    d.put(
        "brokerage.instruments", symbol="KSTL", name="Kestrel Photonics", price_minor=2310,
        closes=[{"date": "2026-10-08", "price_minor": 2250}, {"date": "2026-10-09", "price_minor": 2310}], **share,
    )  # fmt: skip
    d.put(
        "brokerage.instruments", symbol="KSTLW", name="Kestol Water warrant", kind="warrant", price_minor=310, **share
    )
    for symbol, strike in (("KSTL.G1", 1140), ("KSTL.G2", 1975)):
        d.put(
            "brokerage.instruments", symbol=symbol, name=f"Options {symbol}", kind="option", underlying="KSTL",
            strike_minor=strike, **share,
        )  # fmt: skip
    d.put(
        "brokerage.accounts", account_id="acc_kst", user_id="u_ann", name="Stock plan", currency="USD", fee_bps=35,
        fee_flat_minor=2_500, payout_account_id="acc_cur", payout_currency="SGD", payout_rate_ppm=1_300_000,
    )  # fmt: skip
    for symbol, number in (("KSTL.G1", 3000), ("KSTL.G2", 1800)):
        d.put(
            "brokerage.grants", grant_id=symbol[-2:], account_id="acc_kst", symbol=symbol, granted=number,
            vested=number, granted_on="2022-03-01", expires_on="2032-03-01", closes_at="2026-11-28T02:00:00+08:00",
        )  # fmt: skip
    d.put("brokerage.lots", lot_id="own", account_id="acc_kst", symbol="KSTL", units=900, cost_minor=900_000,
          acquired_on="2023-05-01")  # fmt: skip
    d.start()
    return d


@pytest.fixture
def farid(desk: Any) -> Any:
    return _farid(desk)


def _shop(desk: Any) -> Any:
    """A market in the world's own zone, an account with cash, and funds."""
    d = desk("brokerage", "notification_hub")
    d.put(
        "brokerage.markets", market_id="SH", name="Shanghai", zone="Asia/Shanghai", closes="15:00",
        holidays=["2026-05-01"],
    )  # fmt: skip
    base = {"market_id": "SH", "currency": "CNY"}
    d.put(
        "brokerage.instruments", symbol="TEA", name="Tea Hills", price_minor=1_000, lot_size=100, tick_minor=5,
        closes=[
            {"date": "2026-03-13", "price_minor": 800}, {"date": "2026-04-15", "price_minor": 950},
            {"date": "2026-04-16", "price_minor": 1_000},
        ],
        **base,
    )  # fmt: skip
    d.put("brokerage.instruments", symbol="RAIL", name="Northern Rail", price_minor=50, **base)
    d.put(
        "brokerage.instruments", symbol="YEN", name="Kobe Steelworks", price_minor=500, market_id="SH", currency="JPY"
    )
    d.put("brokerage.instruments", symbol="TEA.O", name="Tea options", kind="option", underlying="TEA",
          strike_minor=700, **base)  # fmt: skip
    d.put(
        "brokerage.funds", fund_code="F1", name="World Index", category="index", nav_milli=200_000,
        minimum_minor=1_000, entry_fee_bps=100,
        exit_fees=[{"under_days": 365, "fee_bps": 50}, {"under_days": 7, "fee_bps": 150}],
        navs=[{"date": "2026-03-10", "nav_milli": 180_000}, {"date": "2026-04-16", "nav_milli": 200_000}], **base,
    )  # fmt: skip
    d.put("brokerage.accounts", account_id="a1", user_id="u_ann", name="Broker", currency="CNY", cash_minor=1_000_000,
          fee_bps=10, fee_min_minor=500)  # fmt: skip
    d.put("brokerage.grants", grant_id="g1", account_id="a1", symbol="TEA.O", granted=500, vested=200,
          granted_on="2024-01-01", expires_on="2026-06-30")  # fmt: skip
    d.start()
    return d


@pytest.fixture
def shop(desk: Any) -> Any:
    return _shop(desk)


def order(d: Any, symbol: str, side: str, qty: int, limit: int | None = None, **more: Any) -> Any:
    given_fields = {
        "account_id": "a1", "symbol": symbol, "side": side, "qty": qty,
        "order_type": "limit" if limit else "market", "limit_price_minor": limit, **more,
    }  # fmt: skip
    return d.call("brokerage.place_order", **given_fields)


def refused(d: Any, symbol: str, side: str, qty: int, limit: int | None = None, **more: Any) -> str:
    kind = "limit" if limit else "market"
    return d.refused(
        "brokerage.place_order",
        **{"account_id": "a1", "symbol": symbol, "side": side, "qty": qty, "order_type": kind,
           "limit_price_minor": limit, **more},
    )  # fmt: skip


def status(d: Any, placed: Any) -> str:
    return d.service("brokerage").find("orders", placed["order_id"])["status"]


def held(d: Any, account_id: str = "a1") -> dict[str, int]:
    rows = d.call("brokerage.get_positions", account_id=account_id)["positions"]
    return {row["symbol"]: row.get("qty", row.get("units_milli")) for row in rows}


def cash(d: Any, account_id: str = "a1") -> int:
    return d.call("brokerage.get_portfolio", account_id=account_id)["available_cash_minor"]


def sell_options(d: Any, symbol: str, qty: int, limit: int) -> Any:
    return order(d, symbol, "sell", qty, limit, account_id="acc_kst")


# -- an employer's options, sold under the market's hours -------------------------------------------------------------


def test_options_are_quoted_at_the_share_less_the_strike(farid: Any) -> None:
    quote = farid.call("brokerage.get_quote", symbol="kstl.g1")
    assert (quote["price_minor"], quote["underlying_price_minor"], quote["strike_minor"]) == (1170, 2310, 1140)
    assert (quote["market_status"], quote["opens_at"]) == ("closed", "2026-10-12T09:30:00-04:00")
    assert quote["recent_closes"] == [
        {"date": "2026-10-08", "price_minor": 1110}, {"date": "2026-10-09", "price_minor": 1170},
    ]  # fmt: skip
    assert farid.happen("brokerage.set_price", symbol="KSTL", price_minor=1920) == ["KSTL", "KSTL.G1", "KSTL.G2"]
    assert farid.call("brokerage.get_quote", symbol="KSTL.G2")["price_minor"] == 0
    assert farid.happen("brokerage.set_price", symbol="KSTL.G1", price_minor=5) == []
    g1, g2 = farid.call("brokerage.list_option_grants", user_id="u_ann")["grants"]
    assert (g1["exercisable"], g1["price_minor"], g1["underlying"], g1["strike_minor"]) == (3000, 780, "KSTL", 1140)
    assert (g2["exercisable"], g2["price_minor"]) == (1800, 0)
    assert farid.call("brokerage.list_option_grants", user_id="u_eve") == {"grants": []}
    assert held(farid, "acc_kst") == {"KSTL": 900, "KSTL.G1": 3000, "KSTL.G2": 1800}


def test_the_sale_of_the_options_pays_out_to_the_cent(farid: Any) -> None:
    """The trades of the plan: fees half-up, cash in the bank's currency a trading day later."""
    farid.until("2026-11-10T22:30:00")
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=1955)
    waiting = sell_options(farid, "KSTL.G1", 1500, 910)
    assert (waiting["status"], waiting["session_date"]) == ("open", "2026-11-10")
    farid.until("2026-11-11T04:59:59")
    assert status(farid, waiting) == "open"
    farid.until("2026-11-11T05:00:00")
    assert status(farid, waiting) == "expired"
    farid.until("2026-11-12T22:45:00")
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=2060)
    first = sell_options(farid, "KSTL.G1", 1500, 910)
    assert (first["status"], first["fill_price_minor"], first["gross_minor"], first["fee_minor"]) == (
        "filled", 920, 1_380_000, 7_330,
    )  # fmt: skip
    assert (first["trade_date"], first["settles_on"]) == ("2026-11-12", "2026-11-13")
    portfolio = farid.call("brokerage.get_portfolio", account_id="acc_kst")
    assert (portfolio["unsettled_minor"], portfolio["available_cash_minor"]) == (1_372_670, 0)
    assert [row["due_at"] for row in portfolio["settlements"]] == ["2026-11-13T22:30:00+08:00"]
    farid.until("2026-11-14T12:00:00")
    assert farid.call("banking.get_account", account_id="acc_cur")["balance_minor"] == 942_000 + 1_784_471
    farid.until("2026-11-18T22:50:00")
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=2190)
    second = sell_options(farid, "KSTL.G1", 1500, 1050)
    assert (second["fill_price_minor"], second["fee_minor"]) == (1050, 8_013)
    farid.until("2026-11-19T09:00:00")
    quote = farid.call("brokerage.get_quote", symbol="KSTL")
    assert (quote["last_close_minor"], quote["last_close_date"], quote["prev_close_minor"]) == (
        2190, "2026-11-18", 2060,
    )  # fmt: skip
    third = sell_options(farid, "KSTL.G2", 1800, 205)
    assert (third["status"], third["session_date"]) == ("open", "2026-11-19")
    farid.until("2026-11-20T08:30:00")
    [row] = farid.call("brokerage.list_orders", account_id="acc_kst", limit=1)["orders"]
    assert (row["status"], row["fill_price_minor"], row["fee_minor"], row["trade_date"]) == (
        "filled", 215, 3_855, "2026-11-19",
    )  # fmt: skip
    farid.until("2026-11-24T00:00:00")
    assert farid.call("banking.get_account", account_id="acc_cur")["balance_minor"] == 942_000 + 4_319_643
    assert held(farid, "acc_kst") == {"KSTL": 900}
    assert farid.call("brokerage.get_portfolio", account_id="acc_kst")["cash_minor"] == 0
    assert [row["used"] for row in farid.call("brokerage.list_option_grants", user_id="u_ann")["grants"]] == [
        3000,
        1800,
    ]
    assert len(farid.world.table("world.charges")) == 0  # proceeds are no purchase
    farid.check()


def test_options_lapse_when_the_window_closes(farid: Any) -> None:
    farid.until("2026-11-27T22:30:00")
    quote = farid.call("brokerage.get_quote", symbol="KSTL.G1")
    assert (quote["market_status"], quote["closes_at"]) == ("open", "2026-11-27T13:00:00-05:00")
    placed = sell_options(farid, "KSTL.G1", 100, 9_000)
    good = order(farid, "KSTL.G2", "sell", 100, 9_000, account_id="acc_kst", tif="gtc")
    farid.until("2026-11-28T02:00:00")
    assert status(farid, placed) in ("expired", "cancelled")
    assert status(farid, good) == "cancelled"
    assert held(farid, "acc_kst") == {"KSTL": 900}
    grants = farid.call("brokerage.list_option_grants", user_id="u_ann")["grants"]
    assert [(row["status"], row["exercisable"]) for row in grants] == [("lapsed", 0)] * 2
    assert refused(farid, "KSTL.G1", "sell", 1, 5, account_id="acc_kst") == "insufficient_shares"
    exercise = {"account_id": "acc_kst", "grant_id": "G1", "qty": 1}
    assert farid.refused("brokerage.exercise_option", **exercise) == "window_closed"
    assert [row["type"] for row in farid.service("notification_hub").rows("notifications")].count("options_lapsed") == 2
    farid.check()


def test_a_price_alert_rings_when_the_price_is_reached(farid: Any) -> None:
    farid.call(
        "notification_hub.create_price_alert", user_id="u_ann", item_ref="KSTL", target_price_minor=2173,
        direction="above",
    )  # fmt: skip
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=2172)
    assert farid.world.openings == []
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=2460)
    [opening] = farid.world.openings
    assert opening.kind == "alert"
    assert "Kestrel Photonics" in opening.text


def test_exercising_needs_the_cash_or_sells_to_cover(farid: Any) -> None:
    exercise = {"account_id": "acc_kst", "grant_id": "G1", "qty": 1000}
    assert farid.refused("brokerage.exercise_option", **exercise) == "insufficient_cash"
    cover = {**exercise, "payment": "sell_to_cover"}
    assert farid.refused("brokerage.exercise_option", **cover) == "market_closed"
    farid.until("2026-10-12T22:00:00")
    made = farid.call("brokerage.exercise_option", **cover)
    # 497 shares bring 11,480.70 and their sale costs 65.18; 496 would fall short of the strike of 11,400.00
    assert (made["shares_sold"], made["shares_kept"], made["fee_minor"]) == (497, 503, 6_518)
    assert (made["strike_total_minor"], made["cash_minor"], made["grant"]["used"]) == (1_140_000, 1_552, 1000)
    assert held(farid, "acc_kst") == {"KSTL": 1403, "KSTL.G1": 2000, "KSTL.G2": 1800}
    farid.happen("brokerage.post_cash", account_id="acc_kst", amount_minor=200_000)
    made = farid.call("brokerage.exercise_option", **{**exercise, "qty": 100})
    assert (made["shares_kept"], made["fee_minor"], made["cash_minor"]) == (100, 2_500, 85_052)
    lots = [row for row in farid.service("brokerage").rows("lots") if row["symbol"] == "KSTL"]
    assert [(row["units"], row["cost_minor"]) for row in lots] == [(900, 900_000), (503, 573_420), (100, 114_000)]
    farid.happen("brokerage.set_price", symbol="KSTL", price_minor=1145)
    assert farid.refused("brokerage.exercise_option", **cover) == "out_of_the_money"
    farid.happen("brokerage.halt", symbol="KSTL")
    assert farid.refused("brokerage.exercise_option", **cover) == "market_closed"
    farid.check()


def test_what_cannot_be_exercised_is_refused(shop: Any) -> None:
    shop.put("brokerage.accounts", account_id="a2", user_id="u_ann", name="Second", currency="CNY")
    base = {"account_id": "a1", "grant_id": "g1", "qty": 100}
    for change, code in [
        ({"account_id": "nine"}, "not_found"), ({"grant_id": "nine"}, "not_found"), ({"account_id": "a2"}, "not_found"),
        ({"qty": 201}, "insufficient_shares"), ({"qty": 0}, "bad_arguments"), ({"payment": "margin"}, "bad_arguments"),
    ]:  # fmt: skip
        assert shop.refused("brokerage.exercise_option", **{**base, **change}) == code
    order(shop, "TEA.O", "sell", 150, 9_000)
    assert shop.refused("brokerage.exercise_option", **base) == "insufficient_shares"
    shop.service("brokerage").patch("grants", "g1", opens_at="2026-04-20T10:00:00+08:00")
    assert shop.refused("brokerage.exercise_option", **base) == "window_closed"
    assert refused(shop, "TEA.O", "sell", 10, 300) == "window_closed"
    shop.until("2026-04-20T10:00:00")
    assert order(shop, "TEA.O", "sell", 10, 300)["status"] == "filled"
    shop.service("brokerage").patch("accounts", "a1", currency="EUR")
    assert shop.refused("brokerage.exercise_option", **base) == "currency_mismatch"
    shop.happen("brokerage.set_status", account_id="a1", status="restricted")
    assert shop.refused("brokerage.exercise_option", **base) == "account_closed"


def test_options_vest_and_windows_move(shop: Any) -> None:
    assert shop.happen("brokerage.vest", grant_id="g1", qty=100) == ["g1"]
    assert held(shop)["TEA.O"] == 300
    assert shop.happen("brokerage.vest", grant_id="g1", qty=900) == ["g1"]
    assert held(shop)["TEA.O"] == 500
    assert shop.happen("brokerage.vest", grant_id="g1", qty=1) == []
    assert shop.happen("brokerage.close_window", grant_id="g1", closes_at="2026-04-20T12:00:00+08:00") == ["g1"]
    assert shop.happen("brokerage.close_window", grant_id="g1", closes_at="2026-04-21T12:00:00+08:00") == ["g1"]
    shop.until("2026-04-21T11:59:59")
    assert held(shop)["TEA.O"] == 500  # the first closing no longer counts
    assert shop.happen("brokerage.close_window", grant_id="g1") == ["g1"]
    assert "TEA.O" not in held(shop)
    assert shop.happen("brokerage.close_window", grant_id="g1") == []
    assert shop.happen("brokerage.vest", grant_id="g1", qty=1) == []
    shop.check()


def test_without_a_window_options_lapse_the_day_after_they_expire(shop: Any) -> None:
    shop.until("2026-06-30T23:59:59")
    assert held(shop)["TEA.O"] == 200
    shop.until("2026-07-01T00:00:00")
    assert "TEA.O" not in held(shop)
    shop.check()


# -- orders ------------------------------------------------------------------------------------------------------------


def test_outside_the_hours_an_order_waits_for_the_open(shop: Any) -> None:
    placed = order(shop, "TEA", "buy", 200)
    assert (placed["status"], placed["session_date"], placed["reserved_minor"]) == ("open", "2026-04-17", 200_500)
    assert cash(shop) == 799_500
    shop.until("2026-04-17T09:29:59")
    assert status(shop, placed) == "open"
    shop.until("2026-04-17T09:30:00")
    [row] = shop.call("brokerage.list_orders", account_id="a1", status_filter="filled")["orders"]
    assert (row["fill_price_minor"], row["gross_minor"], row["fee_minor"], row["net_minor"]) == (
        1_000, 200_000, 500, -200_500,
    )  # fmt: skip
    assert (cash(shop), held(shop)["TEA"]) == (799_500, 200)
    shop.check()


def test_a_limit_order_fills_at_the_price_that_meets_it(shop: Any) -> None:
    shop.until("2026-04-17T10:00:00")
    bid = order(shop, "TEA", "buy", 100, 980)
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=985)
    assert status(shop, bid) == "open"
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=975)
    assert shop.service("brokerage").find("orders", bid["order_id"])["fill_price_minor"] == 975
    assert order(shop, "TEA", "buy", 100, 990)["fill_price_minor"] == 975
    ask = order(shop, "TEA", "sell", 200, 1_100)
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=1_095)
    assert status(shop, ask) == "open"
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=1_105)
    assert shop.service("brokerage").find("orders", ask["order_id"])["fill_price_minor"] == 1_105
    shop.check()


def test_day_orders_expire_and_others_wait(shop: Any) -> None:
    shop.until("2026-04-17T14:59:59")
    day, good = order(shop, "TEA", "buy", 100, 900), order(shop, "TEA", "buy", 100, 900, tif="gtc")
    shop.until("2026-04-17T15:00:00")
    assert (status(shop, day), status(shop, good)) == ("expired", "open")
    evening = order(shop, "TEA", "buy", 100, 900)
    assert evening["session_date"] == "2026-04-20"
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=850)
    assert status(shop, good) == "open"  # the market is closed
    shop.until("2026-04-20T09:30:00")
    assert (status(shop, good), status(shop, evening)) == ("filled", "filled")
    types = [row["type"] for row in shop.service("notification_hub").rows("notifications")]
    assert types == ["order_expired", "order_filled", "order_filled"]
    shop.check()


def test_holidays_and_changed_hours_are_kept(shop: Any) -> None:
    shop.until("2026-04-30T16:00:00")
    assert shop.call("brokerage.get_quote", symbol="TEA")["session_date"] == "2026-05-04"
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-04") == ["SH"]
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-05", closes="11:00") == ["SH"]
    placed = order(shop, "TEA", "buy", 100, 900)
    assert placed["session_date"] == "2026-05-05"
    shop.until("2026-05-04T12:00:00")
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=800)
    assert status(shop, placed) == "open"
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=990)
    shop.until("2026-05-05T11:00:00")
    assert status(shop, placed) == "expired"
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-05", closes="14:00") == []
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-08", closes="09:30") == []
    assert shop.happen("brokerage.set_session", market_id="none", date="2026-05-08") == []
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-08", closes="12:00") == ["SH"]
    assert shop.happen("brokerage.set_session", market_id="SH", date="2026-05-08", closes="13:00") == ["SH"]
    shop.until("2026-05-08T12:30:00")
    assert shop.call("brokerage.get_quote", symbol="TEA")["market_status"] == "open"
    shop.check()


def test_a_halt_lets_orders_wait(shop: Any) -> None:
    shop.until("2026-04-17T10:00:00")
    assert shop.happen("brokerage.halt", symbol="TEA") == ["TEA"]
    assert shop.happen("brokerage.halt", symbol="TEA") == []
    assert shop.call("brokerage.get_quote", symbol="TEA.O")["market_status"] == "halted"
    placed, option = order(shop, "TEA", "buy", 100), order(shop, "TEA.O", "sell", 50)
    assert (placed["status"], option["status"]) == ("open", "open")
    assert shop.happen("brokerage.resume", symbol="TEA") == ["TEA"]
    assert shop.happen("brokerage.resume", symbol="TEA") == []
    assert (status(shop, placed), status(shop, option)) == ("filled", "filled")
    shop.check()


def test_what_cannot_be_ordered_is_refused(shop: Any) -> None:
    shop.until("2026-04-17T10:00:00")
    shop.put("brokerage.lots", lot_id="l1", account_id="a1", symbol="TEA", units=230, acquired_on="2026-01-05")
    for (symbol, side, qty, limit), more, code in [
        (("TEA", "buy", 100, None), {"account_id": "nine"}, "not_found"), (("TEE", "buy", 100, None), {}, "not_found"),
        (("F1", "buy", 100, None), {}, "not_found"), (("TEA", "buy", 150, None), {}, "bad_lot"),
        (("TEA", "sell", 130, None), {}, "bad_lot"), (("TEA", "sell", 231, None), {}, "insufficient_shares"),
        (("RAIL", "sell", 1, None), {}, "insufficient_shares"), (("TEA", "buy", 1000, None), {}, "insufficient_cash"),
        (("TEA", "buy", 100, 991), {}, "bad_price"), (("TEA.O", "buy", 10, 50), {}, "bad_order"),
        (("TEA", "buy", 100, 990), {"order_type": "market"}, "bad_order"),
        (("TEA", "buy", 100, None), {"order_type": "limit"}, "bad_order"),
        (("YEN", "buy", 1, None), {}, "currency_mismatch"), (("TEA", "buy", 0, None), {}, "bad_arguments"),
        (("TEA", "buy", 100, None), {"tif": "ioc"}, "bad_arguments"),
        (("TEA", "hold", 100, None), {}, "bad_arguments"),
    ]:  # fmt: skip
        assert refused(shop, symbol, side, qty, limit, **more) == code, (symbol, side, qty, more)
    assert order(shop, "TEA", "sell", 230, 1_500)["status"] == "open"  # an odd lot goes with all that is left
    assert refused(shop, "TEA", "sell", 100) == "insufficient_shares"
    shop.happen("brokerage.set_status", account_id="a1", status="closed")
    assert refused(shop, "RAIL", "buy", 1) == "account_closed"
    assert refused(shop, "RAIL", "buy", 1, account_id="a1") == "account_closed"


def test_reserved_cash_is_not_spent_twice(shop: Any) -> None:
    order(shop, "TEA", "buy", 900, 1_000)
    assert refused(shop, "TEA", "buy", 100, 1_000) == "insufficient_cash"
    [row] = shop.call("brokerage.list_accounts", user_id="u_ann")["accounts"]
    assert (row["cash_minor"], row["available_cash_minor"]) == (1_000_000, 99_100)
    assert shop.call("brokerage.list_accounts", user_id="u_eve") == {"accounts": []}


def test_a_market_order_is_rejected_when_the_cash_no_longer_suffices(shop: Any) -> None:
    placed = order(shop, "TEA", "buy", 900)
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=1_200)
    shop.until("2026-04-17T09:30:00")
    assert status(shop, placed) == "rejected"
    assert cash(shop) == 1_000_000
    shop.check()


def test_a_sale_that_does_not_cover_its_fee_is_rejected(shop: Any) -> None:
    shop.put("brokerage.accounts", account_id="a2", user_id="u_ann", name="Poor", currency="CNY", fee_min_minor=500)
    shop.put("brokerage.lots", lot_id="l2", account_id="a2", symbol="RAIL", units=3, acquired_on="2026-01-05")
    shop.until("2026-04-17T10:00:00")
    assert order(shop, "RAIL", "sell", 3, account_id="a2")["status"] == "rejected"
    shop.happen("brokerage.post_cash", account_id="a2", amount_minor=400)
    sold = order(shop, "RAIL", "sell", 3, account_id="a2")
    assert (sold["status"], sold["net_minor"]) == ("filled", -350)
    assert cash(shop, "a2") == 50
    shop.check()


def test_proceeds_can_be_spent_once_they_settle(shop: Any) -> None:
    shop.until("2026-04-17T10:00:00")
    order(shop, "TEA", "buy", 900)
    sold = order(shop, "TEA", "sell", 900)
    assert sold["settles_on"] == "2026-04-20"
    assert cash(shop) == 99_100
    shop.until("2026-04-20T09:30:00")
    assert cash(shop) == 998_200
    shop.service("brokerage").patch("markets", "SH", settlement_days=0)
    order(shop, "TEA", "buy", 100)
    order(shop, "TEA", "sell", 100)
    assert cash(shop) == 997_200
    shop.check()


def test_shares_go_out_of_the_oldest_lots(shop: Any) -> None:
    for lot_id, units, day in (
        ("new", 200, "2026-03-01"), ("old", 100, "2025-01-01"), ("last", 100, "2026-04-01"),
    ):  # fmt: skip
        shop.put("brokerage.lots", lot_id=lot_id, account_id="a1", symbol="TEA", units=units, cost_minor=units * 900,
                 acquired_on=day)  # fmt: skip
    shop.until("2026-04-17T10:00:00")
    order(shop, "TEA", "sell", 200)
    [lot, last] = [row for row in shop.service("brokerage").rows("lots") if row["symbol"] == "TEA"]
    assert (last["lot_id"], last["units"]) == ("last", 100)
    assert (lot["lot_id"], lot["units"], lot["cost_minor"]) == ("new", 100, 90_000)
    shop.check()


def test_an_open_order_can_be_cancelled(shop: Any) -> None:
    placed = order(shop, "TEA", "buy", 100, 900)
    gone = shop.call("brokerage.cancel_order", order_id=placed["order_id"])
    assert (gone["status"], gone["reserved_minor"]) == ("cancelled", 0)
    assert cash(shop) == 1_000_000
    assert shop.refused("brokerage.cancel_order", order_id=placed["order_id"]) == "not_open"
    assert shop.refused("brokerage.cancel_order", order_id="nine") == "not_found"


def test_who_watches_an_order_is_told(shop: Any) -> None:
    shop.call(
        "notification_hub.create_subscription", user_id="u_ann", source="brokerage", type="order", target="*",
        condition_json={"status": "filled"},
    )  # fmt: skip
    order(shop, "TEA", "buy", 100)
    assert shop.world.openings == []
    shop.until("2026-04-17T09:30:00")
    assert [opening.kind for opening in shop.world.openings] == ["alert"]


# -- looking -----------------------------------------------------------------------------------------------------------


def test_a_quote_compares_with_the_session_before(shop: Any) -> None:
    quote = shop.call("brokerage.get_quote", symbol=" tea ")
    assert (quote["price_minor"], quote["prev_close_minor"], quote["change_minor"]) == (1_000, 950, 50)
    assert (quote["last_close_minor"], quote["last_close_date"]) == (1_000, "2026-04-16")
    shop.until("2026-04-17T10:00:00")
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=1_100)
    quote = shop.call("brokerage.get_quote", symbol="TEA")
    assert (quote["market_status"], quote["prev_close_minor"], quote["change_bps"]) == ("open", 1_000, 1_000)
    shop.until("2026-04-17T15:00:00")
    quote = shop.call("brokerage.get_quote", symbol="TEA")
    assert (quote["prev_close_minor"], quote["last_close_minor"], quote["last_close_date"]) == (
        1_000, 1_100, "2026-04-17",
    )  # fmt: skip
    assert quote["recent_closes"][-1] == {"date": "2026-04-17", "price_minor": 1_100}
    bare = shop.call("brokerage.get_quote", symbol="RAIL")
    assert (bare["last_close_minor"], bare["prev_close_minor"], bare["change_minor"]) == (50, None, 0)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("KSTX", "KSTL"), ("Kestrel", "KSTL"), ("Kestral Photonics", "KSTL"), ("photonics", "KSTL"),
        ("water warrant", "KSTLW"), ("KSTLV", "KSTLW"),
    ],
)  # fmt: skip
def test_a_wrong_symbol_is_answered_with_similar_ones(farid: Any, typed: str, hint: str) -> None:
    text = farid.outcome("brokerage.get_quote", symbol=typed).result["error"]["message"]
    assert f"{hint} (" in text.partition("do you mean ")[2]
    assert farid.refused("brokerage.get_quote", symbol=typed) == "not_found"
    assert farid.outcome("brokerage.get_quote", symbol="zzz").result["error"]["message"].endswith("'zzz'")


def test_positions_and_the_portfolio_add_up(shop: Any) -> None:
    shop.until("2026-04-17T10:00:00")
    order(shop, "TEA", "buy", 300)
    order(shop, "TEA", "sell", 100, 1_500)
    shop.put("brokerage.lots", lot_id="f", account_id="a1", symbol="F1", units=10_500, cost_minor=2_000,
             acquired_on="2026-01-05")  # fmt: skip
    found = shop.call("brokerage.get_positions", account_id="a1")
    assert found["total"] == 3
    rows = {row["symbol"]: row for row in found["positions"]}
    tea, fund, options = rows["TEA"], rows["F1"], rows["TEA.O"]
    assert (tea["qty"], tea["available"], tea["value_minor"], tea["gain_minor"]) == (300, 200, 300_000, -500)
    assert (fund["units_milli"], fund["nav_milli"], fund["value_minor"], fund["kind"]) == (
        10_500,
        200_000,
        2_100,
        "fund",
    )
    assert (options["qty"], options["price_minor"], options["value_minor"]) == (200, 300, 60_000)
    total = shop.call("brokerage.get_portfolio", account_id="a1")
    assert (total["cash_minor"], total["holdings_minor"], total["total_minor"]) == (699_500, 362_100, 1_061_600)
    assert (total["cost_minor"], total["gain_minor"], total["open_orders"]) == (302_500, 59_600, 1)
    assert [row["kind"] for row in total["by_kind"]] == ["share", "option", "fund"]
    assert total["by_kind"][0]["share_bps"] == 8285
    assert shop.call("brokerage.get_positions", account_id="a1", limit=1)["total"] == 3
    for tool in ("get_positions", "get_portfolio", "list_orders"):
        assert shop.refused(f"brokerage.{tool}", account_id="nine") == "not_found"
    for tool in ("get_positions", "list_orders"):
        assert shop.refused(f"brokerage.{tool}", account_id="a1", limit=0) == "bad_limit"


def test_orders_are_listed_newest_first(shop: Any) -> None:
    first = order(shop, "TEA", "buy", 100, 900)
    shop.until("2026-04-17T09:10:00")
    second = order(shop, "TEA", "buy", 200, 900)
    found = shop.call("brokerage.list_orders", account_id="a1")
    assert [row["order_id"] for row in found["orders"]] == [second["order_id"], first["order_id"]]
    assert shop.call("brokerage.list_orders", account_id="a1", status_filter="filled") == {"orders": [], "total": 0}
    assert shop.refused("brokerage.list_orders", account_id="a1", status_filter="lost") == "bad_arguments"


# -- performance -------------------------------------------------------------------------------------------------------


def perf(d: Any, period: str, account_id: str = "a1") -> Any:
    return d.call("brokerage.get_portfolio_perf", account_id=account_id, period=period)


def test_performance_is_the_gain_without_what_was_paid_in(shop: Any) -> None:
    shop.service("brokerage").drop("grants", "g1")
    shop.service("brokerage").drop("lots", "lot_0001")
    shop.until("2026-04-17T10:00:00")
    order(shop, "TEA", "buy", 500)
    shop.until("2026-04-20T10:00:00")
    shop.happen("brokerage.post_cash", account_id="a1", amount_minor=50_000)
    shop.happen("brokerage.post_cash", account_id="a1", amount_minor=-10_000)
    shop.happen("brokerage.set_price", symbol="TEA", price_minor=1_100)
    shop.happen("brokerage.dividend", symbol="TEA", per_share_minor=20)
    shop.until("2026-04-21T10:00:00")
    made = perf(shop, "1w")
    assert (made["since"], made["start_value_minor"], made["paid_in_minor"]) == ("2026-04-14", 1_000_000, 40_000)
    assert (made["end_value_minor"], made["gain_minor"]) == (1_099_500, 59_500)
    assert (made["dividends_minor"], made["fees_minor"], made["return_bps"]) == (10_000, 500, 572)
    day = perf(shop, "1d")
    assert (day["since"], day["start_value_minor"], day["gain_minor"]) == ("2026-04-20", 999_500, 60_000)
    assert perf(shop, "ytd")["since"] == "2026-01-01"
    assert perf(shop, "all")["since"] == "2026-04-17"
    shop.service("brokerage").patch("accounts", "a1", opened_on="2025-07-01")
    assert perf(shop, "all")["since"] == "2025-07-01"
    assert shop.refused("brokerage.get_portfolio_perf", account_id="nine", period="1m") == "not_found"
    assert shop.refused("brokerage.get_portfolio_perf", account_id="a1", period="2w") == "bad_arguments"


def test_performance_sees_through_splits_sales_and_funds(shop: Any) -> None:
    service = shop.service("brokerage")
    service.drop("grants", "g1")
    service.drop("lots", "lot_0001")
    shop.put("brokerage.lots", lot_id="l1", account_id="a1", symbol="TEA", units=300, acquired_on="2026-01-05")
    shop.put("brokerage.lots", lot_id="l2", account_id="a1", symbol="F1", units=100_000, acquired_on="2026-01-05")
    shop.put("brokerage.lots", lot_id="l3", account_id="a1", symbol="RAIL", units=10, cost_minor=400,
             acquired_on="2026-01-05")  # fmt: skip
    shop.until("2026-04-17T10:00:00")
    order(shop, "TEA", "sell", 100)
    shop.happen("brokerage.split", symbol="TEA", new=2)
    shop.until("2026-04-18T10:00:00")
    order_value = 1_000_000 + 300 * 800 + 100 * 1_800 // 10 + 500
    made = perf(shop, "1m")
    assert (made["since"], made["start_value_minor"]) == ("2026-03-18", order_value)
    # 300 shares gained 200 each, less the fee; the fund's 100 units gained 20 each
    assert made["gain_minor"] == 300 * 200 - 500 + 2_000
    # a year ago the fund and the railway were not there yet, but the money that they cost was
    assert perf(shop, "1y")["start_value_minor"] == 1_000_000 + 300 * 800 + 400
    shop.check()


def test_performance_counts_options_that_came_and_money_that_went(farid: Any) -> None:
    farid.until("2026-10-13T22:00:00")
    made = perf(farid, "1d", "acc_kst")
    assert made["gain_minor"] == 0
    sell_options(farid, "KSTL.G1", 3000, 100)
    farid.until("2026-10-15T22:00:00")
    made = perf(farid, "1w", "acc_kst")
    fee = 3000 * 1170 * 35 // 10_000 + 2_500
    assert (made["paid_in_minor"], made["gain_minor"]) == (-(3000 * 1170 - fee), 900 * 60 + 4800 * 60 - fee)


def test_an_empty_account_has_no_return(shop: Any) -> None:
    shop.put("brokerage.accounts", account_id="a2", user_id="u_ann", name="Empty", currency="CNY")
    made = perf(shop, "all", "a2")
    assert (made["since"], made["return_bps"], made["end_value_minor"]) == ("2026-04-17", 0, 0)
    shop.put("brokerage.grants", grant_id="g2", account_id="a2", symbol="TEA.O", granted=100, vested=0,
             granted_on="2026-04-01", expires_on="2027-01-01")  # fmt: skip
    shop.happen("brokerage.vest", grant_id="g2", qty=100)
    made = perf(shop, "1w", "a2")
    assert (made["start_value_minor"], made["paid_in_minor"], made["gain_minor"]) == (0, 30_000, 0)


# -- funds -------------------------------------------------------------------------------------------------------------


def subscribe(d: Any, amount: int) -> Any:
    return d.call("brokerage.subscribe_fund", account_id="a1", fund_code="f1", amount_minor=amount)


def redeem(d: Any, units: int) -> Any:
    return d.call("brokerage.redeem_fund", account_id="a1", fund_code="F1", units_milli=units)


def test_a_subscription_gets_the_value_of_its_day(shop: Any) -> None:
    early = subscribe(shop, 100_000)
    assert (early["nav_date"], early["cutoff_at"], early["reserved_minor"]) == (
        "2026-04-17", "2026-04-17T15:00:00+08:00", 100_000,
    )  # fmt: skip
    shop.until("2026-04-17T15:00:00")
    late = subscribe(shop, 50_000)
    assert late["nav_date"] == "2026-04-20"
    assert shop.happen("brokerage.set_nav", fund_code="F1", nav_milli=198_000) == ["F1"]
    shop.until("2026-04-17T19:59:59")
    assert status(shop, early) == "open"
    shop.until("2026-04-17T20:00:00")
    row = shop.service("brokerage").find("orders", early["order_id"])
    assert (row["status"], row["fill_nav_milli"], row["fee_minor"], row["units_milli"]) == (
        "filled", 198_000, 1_000, 500_000,
    )  # fmt: skip
    assert (status(shop, late), cash(shop), held(shop)["F1"]) == ("open", 850_000, 500_000)
    shop.until("2026-04-20T20:00:00")
    assert (status(shop, late), held(shop)["F1"]) == ("filled", 750_000)
    shop.check()


def test_a_redemption_costs_by_the_days_that_units_were_held(shop: Any) -> None:
    for lot_id, units, day in (
        ("l1", 10_000, "2024-01-01"),
        ("l2", 10_000, "2026-01-05"),
        ("l3", 10_000, "2026-04-14"),
    ):
        shop.put("brokerage.lots", lot_id=lot_id, account_id="a1", symbol="F1", units=units, acquired_on=day)
    placed = redeem(shop, 25_000)
    assert (placed["nav_date"], placed["estimate_minor"]) == ("2026-04-17", 5_000)
    assert redeem(shop, 5_000)["status"] == "open"
    assert shop.refused("brokerage.redeem_fund", account_id="a1", fund_code="F1", units_milli=1) == "insufficient_units"
    shop.until("2026-04-17T20:00:00")
    row = shop.service("brokerage").find("orders", placed["order_id"])
    # nothing on the oldest, half a percent on the next, one and a half on what was held for three days
    assert (row["gross_minor"], row["fee_minor"], row["net_minor"]) == (5_000, 10 + 15, 4_975)
    assert row["settles_on"] == "2026-04-21"
    assert cash(shop) == 1_000_000
    shop.until("2026-04-21T09:30:00")
    assert cash(shop) == 1_000_000 + 4_975 + 985
    assert "F1" not in held(shop)
    shop.check()


def test_a_fund_order_can_be_cancelled_until_the_cutoff(shop: Any) -> None:
    first, second = subscribe(shop, 5_000), subscribe(shop, 6_000)
    shop.until("2026-04-17T14:59:59")
    assert shop.call("brokerage.cancel_order", order_id=first["order_id"])["status"] == "cancelled"
    shop.until("2026-04-17T15:00:00")
    assert shop.refused("brokerage.cancel_order", order_id=second["order_id"]) == "past_cutoff"
    shop.check()


def test_what_cannot_be_subscribed_or_redeemed_is_refused(shop: Any) -> None:
    base = {"account_id": "a1", "fund_code": "F1"}
    for change, code in [
        ({"account_id": "nine"}, "not_found"), ({"fund_code": "nine"}, "not_found"),
        ({"amount_minor": 999}, "below_minimum"), ({"amount_minor": 1_000_001}, "insufficient_cash"),
        ({"amount_minor": 0}, "bad_arguments"),
    ]:  # fmt: skip
        assert shop.refused("brokerage.subscribe_fund", **{**base, "amount_minor": 5_000, **change}) == code
    for change in ({"account_id": "nine"}, {"fund_code": "nine"}):
        assert shop.refused("brokerage.redeem_fund", **{**base, "units_milli": 5, **change}) == "not_found"
    assert shop.happen("brokerage.set_fund_status", fund_code="F1", status="closed") == ["F1"]
    assert shop.happen("brokerage.set_fund_status", fund_code="F1", status="closed") == []
    assert shop.refused("brokerage.subscribe_fund", **base, amount_minor=5_000) == "fund_closed"
    shop.put("brokerage.accounts", account_id="usd", user_id="u_ann", name="Dollars", currency="USD")
    for account_id, code in (("usd", "currency_mismatch"), ("a1", "account_closed")):
        if account_id == "a1":
            shop.happen("brokerage.set_status", account_id="a1", status="restricted")
            assert shop.happen("brokerage.set_status", account_id="a1", status="restricted") == []
        given_fields = {"account_id": account_id, "fund_code": "F1"}
        assert shop.refused("brokerage.subscribe_fund", **given_fields, amount_minor=5_000) == code
        assert shop.refused("brokerage.redeem_fund", **given_fields, units_milli=1) == code


def test_a_day_that_became_a_holiday_lets_fund_orders_wait(shop: Any) -> None:
    shop.until("2026-04-17T16:00:00")
    placed = subscribe(shop, 5_000)
    shop.until("2026-04-17T21:00:00")
    shop.happen("brokerage.set_session", market_id="SH", date="2026-04-20")
    shop.until("2026-04-20T21:00:00")
    assert status(shop, placed) == "open"
    shop.until("2026-04-21T20:00:00")
    row = shop.service("brokerage").find("orders", placed["order_id"])
    assert (row["status"], row["trade_date"]) == ("filled", "2026-04-21")
    shop.check()


def test_an_amount_that_buys_nothing_is_rejected(shop: Any) -> None:
    shop.service("brokerage").patch("funds", "F1", minimum_minor=1, nav_milli=10**10)
    placed = subscribe(shop, 5)
    shop.until("2026-04-17T20:00:00")
    assert status(shop, placed) == "rejected"
    assert cash(shop) == 1_000_000
    shop.check()


def test_the_value_of_a_fund_is_shown_with_its_history(shop: Any) -> None:
    shown = shop.call("brokerage.get_fund_nav", fund_code="F1")
    assert (shown["nav_milli"], shown["nav_date"], shown["next_nav_date"]) == (200_000, "2026-04-16", "2026-04-17")
    assert shown["history"] == [
        {"date": "2026-03-18", "nav_milli": 180_000}, {"date": "2026-04-16", "nav_milli": 200_000},
    ]  # fmt: skip
    assert shown["change_bps"] == 1_111
    assert len(shop.call("brokerage.get_fund_nav", fund_code="F1", lookback_days=400)["history"]) == 2
    shop.until("2026-04-18T12:00:00")
    shown = shop.call("brokerage.get_fund_nav", fund_code="F1", lookback_days=1)
    assert (shown["nav_date"], shown["next_nav_date"], shown["history"]) == (
        "2026-04-17", "2026-04-20", [{"date": "2026-04-17", "nav_milli": 200_000}],
    )  # fmt: skip
    shop.happen("brokerage.set_nav", fund_code="F1", nav_milli=210_000)
    assert shop.call("brokerage.get_fund_nav", fund_code="F1")["nav_milli"] == 210_000
    shop.happen("brokerage.set_nav", fund_code="F1", nav_milli=190_000, date="2026-04-15")
    shown = shop.call("brokerage.get_fund_nav", fund_code="F1")
    assert (shown["nav_milli"], [point["date"] for point in shown["history"]]) == (
        210_000, ["2026-03-19", "2026-04-15", "2026-04-16", "2026-04-17"],
    )  # fmt: skip
    shop.put(
        "brokerage.funds", fund_code="F0", name="New", category="index", nav_milli=5, market_id="SH", currency="CNY"
    )
    assert shop.call("brokerage.get_fund_nav", fund_code="F0")["history"] == []
    assert shop.refused("brokerage.get_fund_nav", fund_code="nine") == "not_found"
    assert shop.refused("brokerage.get_fund_nav", fund_code="F1", lookback_days=0) == "bad_arguments"
    shop.check()


@pytest.mark.parametrize(
    ("category", "query", "first"),
    [
        ("bond", None, "B1"), ("bonds", None, "B1"), ("Bnod", None, "B1"), ("fixed income", None, "B1"),
        ("money market", None, "M1"), ("cash", None, "M1"), ("monney market", None, "M1"), ("stocks", None, "E1"),
        ("equity", None, "E1"), ("tracker", None, "F1"), ("gold", None, "C1"), ("comodity", None, "C1"),
        ("multi asset", None, "X1"), ("pension", None, None), ("crypto", None, None), ("", None, "F1"),
        ("equity", "asia", "E2"),
        (None, "green bond", "B2"), (None, "Asai leaders", "E2"), (None, "E1", "E1"), (None, "worl index", "F1"),
    ],
)  # fmt: skip
def test_funds_are_found_by_what_people_type(shop: Any, category: str | None, query: str | None, first: Any) -> None:
    for fund_code, name, kind in (
        ("B1", "Short Term", "bond"), ("B2", "Green Bond", "bond"), ("M1", "Reserve", "money market"),
        ("E1", "Small Companies", "equity"), ("E2", "Asia Leaders", "equity"), ("C1", "Metals", "commodity"),
        ("X1", "Steady", "balanced"),
    ):  # fmt: skip
        shop.put("brokerage.funds", fund_code=fund_code, name=name, category=kind, nav_milli=1_000, market_id="SH",
                 currency="CNY")  # fmt: skip
    if first is None:
        assert shop.refused("brokerage.list_funds", category=category) == "unknown_category"
        return
    found = shop.call("brokerage.list_funds", category=category, query=query)
    assert found["funds"][0]["fund_code"] == first
    assert "navs" not in found["funds"][0]
    assert found["categories"] == ["balanced", "bond", "commodity", "equity", "index", "money market"]
    assert shop.refused("brokerage.list_funds", page=0) == "bad_page"


# -- what the timeline does --------------------------------------------------------------------------------------------


def test_a_dividend_is_paid_on_what_is_held(shop: Any) -> None:
    shop.put("brokerage.lots", lot_id="l1", account_id="a1", symbol="TEA", units=230, acquired_on="2026-01-05")
    assert shop.happen("brokerage.dividend", symbol="TEA", per_share_minor=15) == ["a1"]
    assert cash(shop) == 1_003_450
    assert shop.happen("brokerage.dividend", symbol="RAIL", per_share_minor=15) == []
    assert shop.happen("brokerage.dividend", symbol="TEA.O", per_share_minor=15) == []
    shop.check()


def test_a_split_keeps_the_worth(shop: Any) -> None:
    for lot_id, units in (("l1", 101), ("l2", 1), ("l3", 131)):
        shop.put("brokerage.lots", lot_id=lot_id, account_id="a1", symbol="TEA", units=units, cost_minor=units * 10,
                 acquired_on="2026-01-05")  # fmt: skip
    placed = order(shop, "TEA", "sell", 100, 5_000, tif="gtc")
    other = order(shop, "RAIL", "buy", 10, 5, tif="gtc")
    assert shop.happen("brokerage.split", symbol="TEA", new=1, old=2) == ["TEA", "TEA.O"]
    assert (status(shop, placed), status(shop, other)) == ("cancelled", "open")
    assert held(shop) == {"TEA": 116, "TEA.O": 100}
    assert cash(shop) == 1_000_000 + 1_000 - 550  # half a share of 2,000 in cash; the other order's money is reserved
    lots = [row for row in shop.service("brokerage").rows("lots") if row["symbol"] == "TEA"]
    assert [(row["units"], row["cost_minor"]) for row in lots] == [(50, 1_010), (1, 10), (65, 1_310)]
    quote = shop.call("brokerage.get_quote", symbol="TEA.O")
    assert (quote["underlying_price_minor"], quote["strike_minor"], quote["price_minor"]) == (2_000, 1_400, 600)
    [grant] = shop.call("brokerage.list_option_grants", user_id="u_ann")["grants"]
    assert (grant["granted"], grant["vested"], grant["exercisable"]) == (250, 100, 100)
    assert shop.call("brokerage.get_quote", symbol="TEA")["prev_close_minor"] == 1_900
    assert shop.happen("brokerage.split", symbol="TEA", new=3, old=3) == []
    assert shop.happen("brokerage.split", symbol="TEA.O", new=2) == []
    shop.check()


def test_a_split_can_leave_nothing_of_a_lot(shop: Any) -> None:
    for lot_id, units in (("l1", 3), ("l2", 9)):
        shop.put("brokerage.lots", lot_id=lot_id, account_id="a1", symbol="RAIL", units=units, cost_minor=units,
                 acquired_on="2026-01-05")  # fmt: skip
    shop.happen("brokerage.split", symbol="RAIL", new=1, old=10)
    lots = [row for row in shop.service("brokerage").rows("lots") if row["symbol"] == "RAIL"]
    assert [(row["lot_id"], row["units"], row["cost_minor"]) for row in lots] == [("l2", 1, 12)]
    shop.happen("brokerage.split", symbol="RAIL", new=1, old=10)
    assert "RAIL" not in held(shop)
    assert perf(shop, "1w")["paid_in_minor"] == 0
    shop.check()


def test_cash_comes_and_goes_as_far_as_it_is_free(shop: Any) -> None:
    order(shop, "TEA", "buy", 900, 1_000)
    assert len(shop.happen("brokerage.post_cash", account_id="a1", amount_minor=-99_100, memo="out")) == 1
    assert shop.happen("brokerage.post_cash", account_id="a1", amount_minor=-1) == []
    assert shop.happen("brokerage.post_cash", account_id="a1", amount_minor=0) == []
    shop.check()


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("set_price", {"symbol": "nine", "price_minor": 5}), ("set_nav", {"fund_code": "nine", "nav_milli": 5}),
        ("halt", {"symbol": "nine"}), ("resume", {"symbol": "nine"}),
        ("dividend", {"symbol": "nine", "per_share_minor": 1}),
        ("split", {"symbol": "nine", "new": 2}), ("vest", {"grant_id": "nine", "qty": 1}),
        ("close_window", {"grant_id": "nine"}), ("post_cash", {"account_id": "nine", "amount_minor": 1}),
        ("set_status", {"account_id": "nine", "status": "open"}),
        ("set_fund_status", {"fund_code": "nine", "status": "open"}),
    ],
)  # fmt: skip
def test_happenings_that_match_nothing_change_nothing(shop: Any, verb: str, arguments: dict[str, Any]) -> None:
    before = shop.world.dump()
    assert shop.happen(f"brokerage.{verb}", **arguments) == []
    assert shop.world.dump() == before


def test_entries_that_no_longer_apply_do_nothing(shop: Any) -> None:
    before = shop.world.dump()
    service = shop.service("brokerage")
    service.turn_market("nine")
    service.turn_market("SH")
    service.publish_nav("nine", "2026-04-17")
    service.settle("nine")
    service.lapse_grant("g1")
    assert shop.world.dump() == before
    with pytest.raises(ToolError):
        shop.happen("brokerage.set_nav", fund_code="F1", nav_milli=5, date="soon")
    with pytest.raises(ToolError):
        shop.happen("brokerage.close_window", grant_id="g1", closes_at="soon")
    assert shop.world.dump() == before


def test_settlements_of_the_records_come_due(farid: Any) -> None:
    service = farid.service("brokerage")
    farid.put(
        "brokerage.orders", order_id="old", account_id="acc_kst", symbol="KSTL", side="sell", order_type="market",
        qty=10, status="filled", placed_at="2026-10-09T23:00:00+08:00", filled_at="2026-10-09T23:00:00+08:00",
        currency="USD", gross_minor=5_000, net_minor=5_000,
    )  # fmt: skip
    service.patch("accounts", "acc_kst", cash_minor=5_000)
    farid.put(
        "brokerage.settlements", settlement_id="s1", account_id="acc_kst", order_id="old", amount_minor=5_000,
        due_at="2026-10-12T22:30:00+08:00",
    )  # fmt: skip
    farid.happen("brokerage.close_window", grant_id="G2")
    service.start()
    elsewhere = farid.world.fork()
    farid.until("2026-10-12T23:00:00")
    assert service.find("settlements", "s1")["status"] == "paid_out"
    assert farid.call("banking.list_transactions", account_id="acc_cur")["transactions"][0]["amount_minor"] == 6_500
    farid.check()
    farid.world = elsewhere  # where the bank does not take the money, it stays here
    farid.service("banking").patch("accounts", "acc_cur", currency="EUR")
    farid.until("2026-10-12T23:00:00")
    assert farid.service("brokerage").find("settlements", "s1")["status"] == "settled"
    assert cash(farid, "acc_kst") == 5_000
    farid.check()


# -- generated inventory -----------------------------------------------------------------------------------------------


def test_generated_listings_funds_and_trades_fit_in(shop: Any) -> None:
    service = shop.service("brokerage")
    before = {row["symbol"]: dict(row) for row in service.rows("instruments")}
    service.listings(random.Random(1), "nine")
    service.fund_shelf(random.Random(1), "nine")
    service.past_trades(random.Random(1), "nine")
    assert {row["symbol"] for row in service.rows("instruments")} == set(before)
    service.patch("markets", "SH", holidays=["2026-04-09", "2026-05-01"])
    service.listings(random.Random(1), "SH", currency="CNY", count=60)
    service.listings(random.Random(1), "SH", currency="CNY", count=60)
    service.fund_shelf(random.Random(1), "SH", currency="CNY", count=25)
    service.fund_shelf(random.Random(1), "SH", currency="CNY", count=25)
    assert all(service.find("instruments", symbol) == fields for symbol, fields in before.items())
    assert len(service.rows("instruments")) > 50
    assert len(service.rows("funds")) == 26
    holdings = held(shop)
    service.past_trades(random.Random(1), "a1", days=150, trips=8)
    made = shop.call("brokerage.list_orders", account_id="a1", limit=200)
    assert made["total"] >= 10
    assert max(row["placed_at"] for row in made["orders"]) < "2026-04-17"
    assert (held(shop), cash(shop)) == (holdings, 1_000_000)
    entries = sorted(service.rows("entries"), key=lambda row: row["at"])
    assert min(row["balance_after_minor"] for row in entries) >= 0
    shop.check()
    service.past_trades(random.Random(2), "a1", days=60, trips=3)
    assert shop.call("brokerage.list_orders", account_id="a1")["total"] > made["total"]
    shop.check()
    shop.until("2026-05-20T00:00:00")
    shop.check()


def test_an_account_with_open_orders_gets_no_past(shop: Any) -> None:
    order(shop, "TEA", "buy", 100, 900)
    before = shop.world.dump()
    shop.service("brokerage").past_trades(random.Random(1), "a1")
    assert shop.world.dump() == before


def test_past_trades_that_cannot_be_paid_are_left_out(shop: Any) -> None:
    service = shop.service("brokerage")
    for symbol in ("TEA", "RAIL"):
        service.patch("instruments", symbol, price_minor=90_000_000, closes=[])
    service.past_trades(random.Random(1), "a1", trips=2)
    assert len(service.rows("orders")) == 0
    shop.check()


# -- any sequence ------------------------------------------------------------------------------------------------------

STEP = st.tuples(st.integers(0, 12), st.integers(1, 400), st.integers(0, 5))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int, int]]) -> None:
    d = _shop(desk)
    for what, amount, number in steps:
        symbol = ("TEA", "RAIL", "TEA.O")[number % 3]
        orders = [row["order_id"] for row in d.service("brokerage").rows("orders")]
        one = orders[amount % len(orders)] if orders else "none"
        if what <= 3:
            side = ("buy", "sell")[what % 2]
            kind = {"order_type": "limit", "limit_price_minor": amount * 5} if number < 3 else {"order_type": "market"}
            d.outcome(
                "brokerage.place_order", account_id="a1", symbol=symbol, side=side, tif=("day", "gtc")[number % 2],
                qty=amount if symbol != "TEA" else amount // 100 * 100 + 100, **kind,
            )  # fmt: skip
        elif what == 4:
            d.outcome("brokerage.subscribe_fund", account_id="a1", fund_code="F1", amount_minor=amount * 100)
        elif what == 5:
            d.outcome("brokerage.redeem_fund", account_id="a1", fund_code="F1", units_milli=amount * 100)
        elif what == 6:
            d.outcome("brokerage.cancel_order", order_id=one)
        elif what == 7:
            d.happen("brokerage.set_price", symbol=symbol, price_minor=amount * 5)
        elif what == 8:
            payment = ("cash", "sell_to_cover")[number % 2]
            d.outcome("brokerage.exercise_option", account_id="a1", grant_id="g1", qty=amount, payment=payment)
        elif what == 9:
            [
                d.happen("brokerage.split", symbol=symbol, new=1 + number, old=2),
                d.happen("brokerage.halt", symbol="RAIL"),
            ]
        elif what == 10:
            d.happen("brokerage.vest", grant_id="g1", qty=amount)
            d.happen("brokerage.dividend", symbol="TEA", per_share_minor=number + 1)
            d.happen("brokerage.resume", symbol="RAIL")
        else:
            d.world.run_to(d.world.now + (1 + number * number) * 5 * clock.HOUR)
        d.service("brokerage").check_invariants()
        d.call("brokerage.get_portfolio_perf", account_id="a1", period="1m")
    d.check()


def test_sessions_are_the_markets_own(desk: Any) -> None:
    """A market's day, seen from a zone on the other side of the world, through the end of summer time."""
    d = _farid(desk)
    opened: list[str] = []
    for day in range(30):
        at = clock.day_start(dt.date(2026, 10, 26) + dt.timedelta(days=day), "Asia/Singapore")
        for half_hour in range(48):
            d.world.run_to(at + half_hour * 1800)
            if d.call("brokerage.get_quote", symbol="KSTL")["market_status"] == "open":
                opened.append(d.world.iso()[:16])
    assert opened[0] == "2026-10-26T21:30"
    assert "2026-11-02T21:30" not in opened
    assert "2026-11-02T22:30" in opened
    assert not [moment for moment in opened if moment.startswith("2026-11-01")]
