"""Cards keep their books: limits, statements, payments, disputes, points."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.tools import ToolError
from lifegym.world import clock

CARD = {
    "card_id": "cc", "user_id": "u_ann", "name": "Harbour Card", "number": "**** 4417", "currency": "CNY",
    "credit_limit_minor": 500_000, "statement_day": 24, "due_days": 20, "apr_bps": 1825, "late_fee_minor": 2_500,
    "minimum_bps": 500, "minimum_floor_minor": 1_000, "points": 100,
}  # fmt: skip


@pytest.fixture
def card(desk: Any) -> Any:
    d = desk("credit_card", "notification_hub")
    d.put("credit_card.cards", **CARD)
    d.put("credit_card.reward_rules", rule_id="r0", card_id="cc", category="*", points_per_100=1)
    d.put("credit_card.reward_rules", rule_id="r1", card_id="cc", category="dining", points_per_100=3)
    d.put("credit_card.rewards", redemption_code="BACK10", title="10.00 back", points_cost=90, credit_minor=1_000)
    d.put("credit_card.rewards", redemption_code="FILM", title="Cinema ticket", points_cost=95)
    d.start()
    return d


@pytest.fixture
def bank(desk: Any) -> Any:
    """A card beside a bank."""
    d = desk("banking", "credit_card", "notification_hub")
    base = {"user_id": "u_ann", "currency": "CNY"}
    d.put("banking.accounts", account_id="main", name="Main", number="6222 01", balance_minor=90_000, **base)
    d.put("banking.accounts", account_id="yen", user_id="u_ann", name="Yen", currency="JPY", balance_minor=90_000)
    d.put("banking.accounts", account_id="bobs", user_id="u_bob", name="Bob", currency="CNY", balance_minor=90_000)
    d.put("credit_card.cards", **CARD)
    d.start()
    return d


def buy(d: Any, amount: int, merchant: str = "Corner Shop", **more: Any) -> str:
    [tx_id] = d.happen("credit_card.post_charge", card_id="cc", merchant=merchant, amount_minor=amount, **more)
    return tx_id


def balance(d: Any) -> int:
    return d.call("credit_card.get_card", card_id="cc")["balance_minor"]


def statement(d: Any) -> Any:
    return d.call("credit_card.list_statements", card_id="cc")["statements"][0]


def unbilled(d: Any, **more: Any) -> list[tuple[str, int]]:
    rows = d.call("credit_card.list_unbilled", card_id="cc", **more)["transactions"]
    return [(row["kind"], row["amount_minor"]) for row in rows]


def pay(d: Any, amount: int, source: str = "savings") -> Any:
    return d.call("credit_card.make_payment", card_id="cc", amount_minor=amount, source_hint=source)


def notices(d: Any) -> list[str]:
    return [row["type"] for row in d.service("notification_hub").rows("notifications")]


# -- looking ---------------------------------------------------------------------------------------------------------


def test_cards_show_what_is_owed_and_what_is_left(card: Any) -> None:
    buy(card, 20_000)
    [row] = card.call("credit_card.list_cards", user_id="u_ann")["cards"]
    assert (row["balance_minor"], row["available_minor"], row["points"]) == (20_000, 480_000, 300)
    assert card.call("credit_card.list_cards", user_id="u_eve") == {"cards": []}
    shown = card.call("credit_card.get_card", card_id="cc")
    assert (shown["unbilled_minor"], shown["due"], shown["recurring"], shown["declines"]) == (20_000, None, [], [])
    card.happen("credit_card.set_limit", card_id="cc", credit_limit_minor=15_000)
    assert card.call("credit_card.get_card", card_id="cc")["available_minor"] == 0
    for tool in ("get_card", "list_unbilled", "list_statements", "list_disputes", "get_rewards"):
        assert card.refused(f"credit_card.{tool}", card_id="nine") == "not_found"


def test_unbilled_lines_are_paged_newest_first(card: Any) -> None:
    for hour, amount in enumerate((100, 200, 300), 10):
        card.until(f"2026-04-17T{hour}:00:00")
        buy(card, amount, category="dining", ref=f"ord_{amount}")
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=150, ref="ord_200")
    assert unbilled(card) == [("refund", -150), ("purchase", 300), ("purchase", 200), ("purchase", 100)]
    assert unbilled(card, page=2, page_size=3) == [("purchase", 100)]
    found = card.call("credit_card.list_unbilled", card_id="cc", query="ord_200")
    assert (found["total"], found["sum_minor"]) == (2, 50)
    for bad in ({"page": 0}, {"page_size": 101}):
        assert card.refused("credit_card.list_unbilled", card_id="cc", **bad) == "bad_page"
        assert card.refused("credit_card.get_statement", statement_id="none", **bad) == "not_found"
    card.check()


MERCHANTS = [
    ("Greenleaf Market", "groceries"), ("Corner Bakery", "groceries"), ("Lantern Noodles", "dining"),
    ("Metro Transit", "transport"), ("Swift Fuel", "transport"), ("Wellspring Pharmacy", "health"),
    ("Photo Cloud", "subscriptions"), ("Theo's Games", "entertainment"), ("Boot Barn", "shopping"),
    ("StarTel", "telecom"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("greenleaf", "Greenleaf Market"), ("Greenlaef market", "Greenleaf Market"), ("bakery", "Corner Bakery"),
        ("noodle", "Lantern Noodles"), ("restaurant", "Lantern Noodles"), ("metro", "Metro Transit"),
        ("petrol fuel", "Swift Fuel"), ("chemist", "Wellspring Pharmacy"), ("pharmcy", "Wellspring Pharmacy"),
        ("streaming", "Photo Cloud"), ("games", "Theo's Games"), ("boots", "Boot Barn"), ("startel", "StarTel"),
        ("money back", "Book Nook"), ("telecom", "StarTel"),
    ],
)  # fmt: skip
def test_lines_are_found_by_what_people_type(card: Any, query: str, first: str) -> None:
    for number, (merchant, category) in enumerate(MERCHANTS):
        buy(card, 1_000 + number, merchant, category=category)
    card.happen("credit_card.post_refund", card_id="cc", merchant="Book Nook", amount_minor=99)
    found = card.call("credit_card.list_unbilled", card_id="cc", query=query)["transactions"]
    assert found[0]["merchant"] == first
    assert card.call("credit_card.list_unbilled", card_id="cc", query="submarine")["transactions"] == []


# -- charges of other services -----------------------------------------------------------------------------------------


def charge(d: Any, amount: int, currency: str = "CNY", service: str = "hotel_booking", ref: str = "res_1") -> str:
    try:
        d.world.charge(service, "cc", amount, currency, "Park House", ref)
    except ToolError as error:
        return error.code
    return ""


def test_purchases_by_card_are_posted_and_refunded(card: Any) -> None:
    assert charge(card, 30_000) == ""
    assert charge(card, -10_000) == ""
    assert charge(card, 0) == ""
    [refund, bought] = card.call("credit_card.list_unbilled", card_id="cc")["transactions"]
    assert (bought["merchant"], bought["category"], bought["ref"], bought["points"]) == (
        "Park House", "travel", "res_1", 300,
    )  # fmt: skip
    assert (refund["kind"], refund["amount_minor"], refund["category"], refund["points"]) == (
        "refund", -10_000, "travel", -100,
    )  # fmt: skip
    card.world.charge("hotel_booking", "another", 5, "CNY", "X", "r")
    assert balance(card) == 20_000
    card.check()


def test_a_card_refuses_what_it_cannot_take(card: Any) -> None:
    before = card.world.dump()
    assert charge(card, 500_001) == "insufficient_funds"
    assert charge(card, 100, "JPY") == "currency_mismatch"
    assert card.world.dump() == before
    assert charge(card, 500_000) == ""
    assert charge(card, 1) == "insufficient_funds"
    card.call("credit_card.freeze_card", card_id="cc")
    assert charge(card, 1) == "account_closed"
    assert charge(card, -500_000) == ""
    card.call("credit_card.unfreeze_card", card_id="cc")
    assert charge(card, 1) == ""
    card.check()


# -- freezing ----------------------------------------------------------------------------------------------------------


def test_a_frozen_card_declines_until_it_is_unfrozen(card: Any) -> None:
    assert card.call("credit_card.freeze_card", card_id="cc")["status"] == "frozen"
    assert card.refused("credit_card.freeze_card", card_id="cc") == "not_active"
    buy(card, 700)
    assert balance(card) == 0
    [declined] = card.call("credit_card.get_card", card_id="cc")["declines"]
    assert (declined["amount_minor"], declined["reason"]) == (700, "card frozen")
    assert notices(card) == ["charge_declined"]
    card.happen("credit_card.post_refund", card_id="cc", merchant="X", amount_minor=50)
    assert balance(card) == -50
    assert card.call("credit_card.unfreeze_card", card_id="cc")["status"] == "active"
    assert card.refused("credit_card.unfreeze_card", card_id="cc") == "not_frozen"
    buy(card, 700)
    assert balance(card) == 650
    for tool in ("freeze_card", "unfreeze_card"):
        assert card.refused(f"credit_card.{tool}", card_id="nine") == "not_found"
    card.check()


def test_only_the_issuer_lifts_a_block(card: Any) -> None:
    assert card.happen("credit_card.block_card", card_id="cc") == ["cc"]
    assert card.happen("credit_card.block_card", card_id="cc") == []
    assert card.refused("credit_card.unfreeze_card", card_id="cc") == "card_blocked"
    assert card.refused("credit_card.freeze_card", card_id="cc") == "not_active"
    assert card.refused("credit_card.redeem_rewards", card_id="cc", redemption_code="FILM") == "card_blocked"
    buy(card, 10)
    assert balance(card) == 0
    assert card.happen("credit_card.unblock_card", card_id="cc") == ["cc"]
    assert card.happen("credit_card.unblock_card", card_id="cc") == []
    buy(card, 10)
    assert balance(card) == 10


def test_a_subscription_charges_each_month_unless_declined(card: Any) -> None:
    card.put(
        "credit_card.recurring", recurring_id="s1", card_id="cc", merchant="Cloud", amount_minor=990, day_of_month=31
    )
    card.put(
        "credit_card.recurring", recurring_id="s2", card_id="cc", merchant="Gym", amount_minor=4_000, day_of_month=2,
        next_on="2026-06-02",
    )  # fmt: skip
    card.put(
        "credit_card.recurring", recurring_id="s3", card_id="cc", merchant="Old", amount_minor=9, day_of_month=20,
        status="ended",
    )  # fmt: skip
    card.start()
    shown = card.call("credit_card.get_card", card_id="cc")["recurring"]
    assert [(row["merchant"], row["next_on"]) for row in shown] == [("Cloud", "2026-04-30"), ("Gym", "2026-06-02")]
    card.until("2026-05-01T00:00:00")
    assert balance(card) == 990
    assert card.happen("credit_card.change_recurring", merchant="Cloud", amount_minor=1_190) == ["s1"]
    card.call("credit_card.freeze_card", card_id="cc")
    card.until("2026-06-01T00:00:00")
    assert [row["amount_minor"] for row in card.call("credit_card.get_card", card_id="cc")["declines"]] == [1_190]
    card.call("credit_card.unfreeze_card", card_id="cc")
    card.until("2026-07-01T00:00:00")
    lines = [row for row in card.service("credit_card").rows("transactions") if row["recurring"]]
    assert [(row["posted_at"][:10], row["amount_minor"]) for row in lines] == [
        ("2026-04-30", 990), ("2026-06-02", 4_000), ("2026-06-30", 1_190),
    ]  # fmt: skip
    assert card.happen("credit_card.end_recurring", merchant="Cloud") == ["s1"]
    assert card.happen("credit_card.end_recurring", merchant="Cloud") == []
    card.until("2026-08-01T00:00:00")
    assert sum(row["merchant"] == "Cloud" for row in card.service("credit_card").rows("transactions")) == 2
    card.check()


# -- statements --------------------------------------------------------------------------------------------------------


def test_a_statement_closes_on_its_day_and_adds_up(card: Any) -> None:
    tx_id = buy(card, 30_000)
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=2_000)
    card.until("2026-04-24T23:59:59")
    buy(card, 500, "Late Shop")
    assert card.call("credit_card.list_statements", card_id="cc") == {"statements": [], "total": 0}
    card.until("2026-04-25T00:00:00")
    buy(card, 70, "Next Month")
    row = statement(card)
    assert row["statement_id"] == "cc-2026-04-24"
    assert (row["period_start"], row["closed_on"], row["due_on"]) == ("2026-03-25", "2026-04-24", "2026-05-14")
    assert (row["opening_minor"], row["closing_minor"], row["minimum_minor"]) == (0, 28_500, 1_425)
    assert (row["status"], row["remaining_minor"], row["minimum_remaining_minor"]) == ("due", 28_500, 1_425)
    shown = card.call("credit_card.get_statement", statement_id=row["statement_id"])
    assert (shown["purchases_minor"], shown["credits_minor"], shown["charges_minor"]) == (30_500, -2_000, 0)
    assert [line["amount_minor"] for line in shown["lines"]] == [30_000, -2_000, 500]
    assert shown["lines"][0]["tx_id"] == tx_id
    page = card.call("credit_card.get_statement", statement_id=row["statement_id"], page=2, page_size=2)
    assert ([line["amount_minor"] for line in page["lines"]], page["total"], page["pages"]) == ([500], 3, 2)
    assert unbilled(card) == [("purchase", 70)]
    assert balance(card) == 28_570
    assert notices(card) == ["statement_ready"]
    assert card.refused("credit_card.get_statement", statement_id=row["statement_id"], page=0) == "bad_page"
    assert card.refused("credit_card.list_statements", card_id="cc", limit=0) == "bad_limit"
    card.check()


@pytest.mark.parametrize(
    ("day", "closings"),
    [(31, ["2026-04-30", "2026-05-31", "2026-06-30"]), (17, ["2026-04-17", "2026-05-17", "2026-06-17"])],
)
def test_statement_days_keep_to_the_month(desk: Any, day: int, closings: list[str]) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **{**CARD, "statement_day": day})
    d.start()
    d.until("2026-07-01T00:00:00")
    found = d.call("credit_card.list_statements", card_id="cc")
    assert [row["closed_on"] for row in found["statements"]] == closings[::-1]
    assert {row["status"] for row in found["statements"]} == {"paid"}  # nothing was owed
    d.check()


def test_a_statement_is_paid_and_the_next_begins_at_its_sum(card: Any) -> None:
    buy(card, 40_000)
    card.until("2026-05-01T09:00:00")
    paid = pay(card, 30_000)
    assert paid["payment"]["status"] == "posted"
    assert (paid["balance_minor"], paid["due"]["remaining_minor"], paid["due"]["minimum_remaining_minor"]) == (
        10_000, 10_000, 0,
    )  # fmt: skip
    assert pay(card, 10_000)["due"] is None
    assert statement(card)["status"] == "paid"
    card.until("2026-05-25T00:00:00")
    row = statement(card)
    assert (row["opening_minor"], row["closing_minor"], row["status"]) == (40_000, 0, "paid")
    assert balance(card) == 0
    assert card.call("credit_card.list_statements", card_id="cc", limit=1)["total"] == 2
    card.check()


def test_a_missed_minimum_costs_a_fee_and_interest(card: Any) -> None:
    buy(card, 100_000)
    card.until("2026-05-14T23:59:59")
    assert statement(card)["status"] == "due"
    card.until("2026-05-15T00:00:00")
    assert statement(card)["status"] == "overdue"
    # 100,000 for 20 days at 18.25 percent a year
    assert sorted(unbilled(card)) == [("fee", 2_500), ("interest", 1_000)]
    assert "payment_overdue" in notices(card)
    card.until("2026-05-25T00:00:00")
    rows = card.call("credit_card.list_statements", card_id="cc")["statements"]
    assert [(row["closing_minor"], row["status"]) for row in rows] == [(103_500, "due"), (100_000, "carried")]
    assert rows[1]["remaining_minor"] == 0
    shown = card.call("credit_card.get_statement", statement_id=rows[0]["statement_id"])
    assert (shown["charges_minor"], shown["purchases_minor"]) == (3_500, 0)
    card.check()


def test_the_minimum_saves_the_fee_but_not_the_interest(card: Any) -> None:
    buy(card, 100_000)
    card.until("2026-05-14T23:00:00")
    pay(card, 5_000)
    card.until("2026-05-15T00:00:00")
    assert statement(card)["status"] == "carried"
    assert unbilled(card) == [("interest", 950), ("payment", -5_000)]
    pay(card, 95_950)
    assert statement(card)["status"] == "paid"
    card.check()


def test_refunds_count_for_what_is_left_but_not_as_the_minimum(card: Any) -> None:
    buy(card, 100_000)
    card.until("2026-05-01T00:00:00")
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=60_000)
    row = statement(card)
    assert (row["remaining_minor"], row["minimum_remaining_minor"]) == (40_000, 5_000)
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=38_000)
    assert statement(card)["minimum_remaining_minor"] == 2_000
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=2_000)
    assert statement(card)["status"] == "paid"
    card.until("2026-05-20T00:00:00")
    assert not [kind for kind, _ in unbilled(card) if kind in ("fee", "interest")]


def _with_statement(d: Any, **fields: Any) -> None:
    d.put(
        "credit_card.statements",
        **{
            "statement_id": "key", "card_id": "cc", "period_start": "2026-03-25", "closed_on": "2026-04-16",
            "due_on": "2026-04-20", "currency": "CNY", "closing_minor": 39_052, "minimum_minor": 2_000, **fields,
        },
    )  # fmt: skip


def test_statements_of_the_records_fall_due(bank: Any) -> None:
    _with_statement(bank)
    bank.happen("credit_card.set_autopay", card_id="cc", account_id="main")
    bank.service("credit_card").start()
    bank.until("2026-04-20T07:59:59")
    assert statement(bank)["remaining_minor"] == 39_052
    bank.until("2026-04-20T08:00:00")
    assert (statement(bank)["status"], balance(bank)) == ("paid", 0)
    assert bank.call("banking.get_account", account_id="main")["balance_minor"] == 50_948
    [paid] = bank.service("credit_card").rows("payments")
    assert (paid["kind"], paid["source"], paid["amount_minor"]) == ("autopay", "main", 39_052)
    bank.until("2026-04-22T00:00:00")
    assert unbilled(bank) == [("payment", -39_052)]
    bank.check()


def test_a_paid_statement_of_the_records_has_its_payment(bank: Any) -> None:
    _with_statement(bank, status="paid", due_on="2026-04-17")
    bank.service("credit_card").start()
    assert unbilled(bank) == [("payment", -39_052)]
    assert balance(bank) == 0
    bank.until("2026-05-25T00:00:00")
    assert statement(bank)["closing_minor"] == 0
    bank.check()


def test_autopay_can_fail_pay_the_minimum_or_end(bank: Any) -> None:
    _with_statement(bank)
    assert bank.happen("credit_card.set_autopay", card_id="cc", account_id="nine") == []
    assert bank.happen("credit_card.set_autopay", card_id="cc", account_id="main", amount="minimum") == ["cc"]
    bank.service("credit_card").start()
    ended, poor = bank.world.fork(), bank.world.fork()
    bank.until("2026-04-21T00:00:00")
    assert statement(bank)["status"] == "carried"
    assert ("payment", -2_000) in unbilled(bank)
    bank.world = ended
    bank.happen("credit_card.set_autopay", card_id="cc")
    bank.until("2026-04-21T00:00:00")
    assert (statement(bank)["status"], statement(bank)["remaining_minor"]) == ("overdue", 39_052)
    bank.world = poor
    bank.happen("banking.set_status", account_id="main", status="frozen")
    bank.until("2026-04-21T00:00:00")
    [failed] = bank.service("credit_card").rows("payments")
    assert (failed["status"], failed["tx_id"]) == ("failed", "")
    assert notices(bank)[:2] == ["autopay_failed", "payment_overdue"]
    bank.check()


# -- paying ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("hint", ["main", "6222 01", "MAIN"])
def test_a_payment_is_taken_from_the_bank(bank: Any, hint: str) -> None:
    buy(bank, 50_000)
    made = pay(bank, 40_000, hint)
    assert (made["payment"]["source"], made["balance_minor"]) == ("main", 10_000)
    assert bank.call("banking.get_account", account_id="main")["balance_minor"] == 50_000
    [line] = bank.call("banking.list_transactions", account_id="main")["transactions"]
    assert (line["amount_minor"], line["counterparty"]) == (-40_000, "Harbour Card")
    assert len(bank.world.table("world.charges")) == 0  # paying a card is no purchase
    bank.check()


def test_payments_that_cannot_be_are_refused(bank: Any) -> None:
    buy(bank, 95_000)
    base = {"card_id": "cc", "amount_minor": 10, "source_hint": "main"}
    for change, code in [
        ({"card_id": "nine"}, "not_found"), ({"source_hint": "nine"}, "unknown_source"),
        ({"source_hint": " "}, "unknown_source"), ({"source_hint": "bobs"}, "unknown_source"),
        ({"source_hint": "cc"}, "unknown_source"), ({"source_hint": "yen"}, "currency_mismatch"),
        ({"amount_minor": 95_001}, "exceeds_balance"), ({"amount_minor": 90_001}, "payment_refused"),
        ({"amount_minor": 0}, "bad_arguments"),
    ]:  # fmt: skip
        assert bank.refused("credit_card.make_payment", **{**base, **change}) == code
    bank.happen("banking.set_status", account_id="main", status="closed")
    assert bank.refused("credit_card.make_payment", **base) == "payment_refused"


def test_without_a_bank_the_source_is_noted(card: Any) -> None:
    buy(card, 500)
    assert pay(card, 500, "my account elsewhere")["payment"]["source"] == "my account elsewhere"
    refused = {"card_id": "cc", "amount_minor": 1, "source_hint": "x"}
    assert card.refused("credit_card.make_payment", **refused) == "exceeds_balance"
    buy(card, 5)
    assert card.refused("credit_card.make_payment", **{**refused, "source_hint": " "}) == "unknown_source"


# -- disputes ----------------------------------------------------------------------------------------------------------


def dispute(d: Any, tx_id: str, **more: Any) -> Any:
    return d.call("credit_card.dispute_transaction", tx_id=tx_id, reason="charged twice", **more)


def test_the_second_of_a_double_charge_is_disputed_and_credited(card: Any) -> None:
    first = buy(card, 8_990, "StarTel", category="telecom")
    card.until("2026-04-17T10:00:00")
    [second] = card.happen("credit_card.duplicate_charge", card_id="cc", merchant="StarTel")
    assert unbilled(card) == [("purchase", 8_990)] * 2
    card.call("notification_hub.create_subscription", user_id="u_ann", source="credit_card", type="dispute", target="*")
    made = dispute(card, second)
    assert (made["status"], made["amount_minor"], made["merchant"]) == ("open", 8_990, "StarTel")
    assert card.refused("credit_card.dispute_transaction", tx_id=second, reason="again") == "exists"
    assert balance(card) == 17_980
    card.until("2026-04-18T10:00:00")
    [shown] = card.call("credit_card.list_disputes", card_id="cc", status_filter="under_review")["disputes"]
    assert (shown["dispute_id"], shown["tx_id"]) == (made["dispute_id"], second)
    assert balance(card) == 8_990
    assert [opening.kind for opening in card.world.openings] == ["alert"]
    won = card.happen("credit_card.resolve_dispute", card_id="cc", merchant="StarTel", outcome="won", note="Agreed.")
    assert won == [made["dispute_id"]]
    [shown] = card.call("credit_card.list_disputes", card_id="cc")["disputes"]
    assert (shown["status"], shown["note"], shown["resolved_at"]) == ("won", "Agreed.", "2026-04-18T10:00:00+08:00")
    assert balance(card) == 8_990
    assert card.happen("credit_card.resolve_dispute", card_id="cc", merchant="StarTel", outcome="lost") == []
    assert card.service("credit_card").find("disputes", made["dispute_id"])["tx_id"] != first
    card.check()


def test_a_lost_dispute_takes_the_credit_back(card: Any) -> None:
    tx_id = buy(card, 5_000)
    dispute(card, tx_id, amount_minor=2_000)
    card.until("2026-04-19T00:00:00")
    assert balance(card) == 3_000
    card.happen("credit_card.resolve_dispute", card_id="cc", merchant="Corner Shop", outcome="lost", amount_minor=2_000)
    assert balance(card) == 5_000
    assert unbilled(card)[0] == ("reversal", 2_000)
    card.check()


@pytest.mark.parametrize(("outcome", "left"), [("won", 0), ("lost", 5_000)])
def test_a_dispute_can_be_decided_before_its_review(card: Any, outcome: str, left: int) -> None:
    dispute(card, buy(card, 5_000))
    found = {"card_id": "cc", "merchant": "Corner Shop", "outcome": outcome}
    assert card.happen("credit_card.resolve_dispute", **found, amount_minor=1) == []
    assert len(card.happen("credit_card.resolve_dispute", **found)) == 1
    card.until("2026-04-20T00:00:00")
    assert balance(card) == left
    assert card.call("credit_card.list_disputes", card_id="cc", status_filter="open")["total"] == 0
    card.check()


def test_what_cannot_be_disputed_is_refused(card: Any) -> None:
    tx_id = buy(card, 5_000)
    [refund] = card.happen("credit_card.post_refund", card_id="cc", merchant="X", amount_minor=5)
    base = {"tx_id": tx_id, "reason": "not mine"}
    for change, code in [
        ({"tx_id": "nine"}, "not_found"), ({"tx_id": refund}, "not_disputable"), ({"reason": "  "}, "bad_reason"),
        ({"reason": "x" * 1001}, "bad_reason"), ({"amount_minor": 5_001}, "bad_amount"),
    ]:  # fmt: skip
        assert card.refused("credit_card.dispute_transaction", **{**base, **change}) == code
    card.until("2026-06-16T09:00:00")
    later = card.world.fork()
    dispute(card, tx_id)
    card.world = later
    card.until("2026-06-16T09:00:01")
    assert card.refused("credit_card.dispute_transaction", **base) == "too_late"
    assert card.refused("credit_card.list_disputes", card_id="cc", limit=0) == "bad_limit"


def test_disputes_of_the_records_are_taken_up(card: Any) -> None:
    tx_id = buy(card, 5_000)
    card.put(
        "credit_card.disputes", dispute_id="old", tx_id=tx_id, card_id="cc", merchant="Corner Shop",
        amount_minor=5_000, reason="never came", opened_at="2026-04-10T09:00:00+08:00",
    )  # fmt: skip
    card.service("credit_card").start()
    card.until("2026-04-17T09:00:01")
    card.world.run_to(card.world.now + 1)
    assert card.call("credit_card.list_disputes", card_id="cc")["disputes"][0]["status"] == "under_review"
    card.check()


# -- rewards -----------------------------------------------------------------------------------------------------------


def points(d: Any) -> int:
    return d.call("credit_card.get_rewards", card_id="cc")["points"]


def test_categories_earn_their_points_and_refunds_lose_them(card: Any) -> None:
    buy(card, 5_050, category="dining")
    assert points(card) == 100 + 151
    buy(card, 1_000)
    assert points(card) == 261
    card.happen("credit_card.post_refund", card_id="cc", merchant="Corner Shop", amount_minor=2_525)
    assert points(card) == 261 - 75
    card.happen("credit_card.post_refund", card_id="cc", merchant="Nobody", amount_minor=100)
    assert points(card) == 186
    assert card.happen("credit_card.expire_points", card_id="cc", points=6) == ["cc"]
    assert card.happen("credit_card.expire_points", card_id="cc", points=900) == ["cc"]
    assert card.happen("credit_card.expire_points", card_id="cc", points=1) == []
    assert points(card) == 0


def test_a_campaign_holds_for_its_days(card: Any) -> None:
    campaign = {"card_id": "cc", "category": "groceries", "points_per_100": 10, "title": "Tenfold"}
    assert card.happen("credit_card.start_campaign", **campaign, ends_on="2026-04-16") == []
    assert len(card.happen("credit_card.start_campaign", **campaign, ends_on="2026-04-18")) == 1
    with pytest.raises(ToolError):
        card.happen("credit_card.start_campaign", **campaign, ends_on="soon")
    assert len(card.call("credit_card.get_rewards", card_id="cc")["rules"]) == 3
    card.until("2026-04-18T23:00:00")
    buy(card, 1_000, category="groceries")
    assert points(card) == 200
    card.until("2026-04-19T00:00:00")
    buy(card, 1_000, category="groceries")
    assert points(card) == 210
    assert len(card.call("credit_card.get_rewards", card_id="cc")["rules"]) == 2


def test_points_are_redeemed_for_a_credit_or_a_voucher(card: Any) -> None:
    card.put("credit_card.rewards", redemption_code="GONE", title="Old", points_cost=1, ends_on="2026-04-16")
    card.put("credit_card.cards", **{**CARD, "card_id": "c2"})
    card.put("credit_card.rewards", redemption_code="OTHER", title="Other", points_cost=1, card_id="c2")
    shown = card.call("credit_card.get_rewards", card_id="cc")["rewards"]
    assert [(row["redemption_code"], row["affordable"]) for row in shown] == [("BACK10", True), ("FILM", True)]
    made = card.call("credit_card.redeem_rewards", card_id="cc", redemption_code="back10")
    assert (made["redemption"]["points_after"], made["redemption"]["voucher"], made["title"]) == (10, "", "10.00 back")
    assert unbilled(card) == [("credit", -1_000)]
    assert made["redemption"]["tx_id"]
    redeem = {"card_id": "cc", "redemption_code": "FILM"}
    assert card.refused("credit_card.redeem_rewards", **redeem) == "insufficient_points"
    buy(card, 9_000)
    made = card.call("credit_card.redeem_rewards", **redeem)
    assert (len(made["redemption"]["voucher"]), made["redemption"]["credit_minor"]) == (10, 0)
    listed = card.call("credit_card.get_rewards", card_id="cc")["redemptions"]
    assert [row["redemption_code"] for row in listed] == ["FILM", "BACK10"]
    for code in ("GONE", "OTHER", "none"):
        assert card.refused("credit_card.redeem_rewards", card_id="cc", redemption_code=code) == "unknown_code"
    assert card.refused("credit_card.redeem_rewards", card_id="nine", redemption_code="FILM") == "not_found"
    card.check()


# -- what the timeline does --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("post_charge", {"merchant": "X", "amount_minor": 1}), ("post_refund", {"merchant": "X", "amount_minor": 1}),
        ("duplicate_charge", {"merchant": "X"}), ("set_limit", {"credit_limit_minor": 1}), ("block_card", {}),
        ("unblock_card", {}), ("set_autopay", {}), ("expire_points", {"points": 1}),
        ("start_campaign", {"category": "*", "points_per_100": 1, "ends_on": "2026-05-01"}),
        ("resolve_dispute", {"merchant": "X", "outcome": "won"}),
    ],
)  # fmt: skip
def test_happenings_that_match_nothing_change_nothing(card: Any, verb: str, arguments: dict[str, Any]) -> None:
    before = card.world.dump()
    assert card.happen(f"credit_card.{verb}", card_id="nine", **arguments) == []
    assert card.world.dump() == before


def test_a_double_charge_repeats_the_last_purchase_of_its_amount(card: Any) -> None:
    assert card.happen("credit_card.duplicate_charge", card_id="cc", merchant="StarTel") == []
    buy(card, 8_990, "StarTel")
    card.until("2026-04-17T10:00:00")
    buy(card, 500, "StarTel", ref="bill_7")
    assert card.happen("credit_card.duplicate_charge", card_id="cc", merchant="StarTel", amount_minor=77) == []
    card.happen("credit_card.duplicate_charge", card_id="cc", merchant="StarTel")
    card.happen("credit_card.duplicate_charge", card_id="cc", merchant="StarTel", amount_minor=8_990)
    assert sorted(unbilled(card)) == [("purchase", 500)] * 2 + [("purchase", 8_990)] * 2
    assert card.happen("credit_card.change_recurring", merchant="none", amount_minor=5) == []


def test_entries_that_no_longer_apply_do_nothing(card: Any) -> None:
    service = card.service("credit_card")
    before = card.world.dump()
    service.close_statement("nine", "2026-04-24")
    service.pay_statement("nine")
    service.fall_due("nine")
    service.charge_recurring("nine", "2026-04-24")
    service.review_dispute("nine")
    assert card.world.dump() == before
    _with_statement(card, closed_on="2026-04-30", due_on="2026-05-20")
    service.close_statement("cc", "2026-04-24")
    assert len(service.rows("statements")) == 1


# -- generated pasts ---------------------------------------------------------------------------------------------------


def test_a_month_of_purchases_stays_within_the_limit(desk: Any) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **{**CARD, "credit_limit_minor": 60_000})
    service = d.service("credit_card")
    service.everyday_purchases(random.Random(1), "nine")
    service.everyday_purchases(random.Random(1), "cc", days=30, per_day=1.5)
    rows = list(service.rows("transactions"))
    assert len(rows) > 5
    assert 20_000 < balance(d) <= 48_000
    assert min(row["posted_at"] for row in rows) >= "2026-03-18"
    assert max(row["posted_at"] for row in rows) < "2026-04-17"
    d.check()


def test_purchases_can_add_up_to_a_total_since_the_last_statement(desk: Any) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **{**CARD, "statement_day": 31})
    _with_statement(d, closed_on="2026-03-31", due_on="2026-04-20")
    d.service("credit_card").everyday_purchases(random.Random(1), "cc", days=60, total_minor=341_075)
    found = d.call("credit_card.list_unbilled", card_id="cc")
    assert found["sum_minor"] == 341_075
    assert min(row["posted_at"] for row in found["transactions"]) >= "2026-04-01"
    d.check()


def test_past_statements_add_up_to_the_first_that_is_known(desk: Any) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **CARD)
    _with_statement(d, period_start="2026-02-25", closed_on="2026-03-24", due_on="2026-04-13", opening_minor=12_345,
                    closing_minor=39_052)  # fmt: skip
    service = d.service("credit_card")
    service.past_statements(random.Random(2), "nine")
    service.past_statements(random.Random(2), "cc", months=0)
    service.past_statements(random.Random(2), "cc", months=5, per_month=12)
    rows = d.call("credit_card.list_statements", card_id="cc")["statements"]
    assert [row["closed_on"] for row in rows] == [
        "2026-03-24", "2026-02-24", "2026-01-24", "2025-12-24", "2025-11-24", "2025-10-24",
    ]  # fmt: skip
    assert rows[1]["closing_minor"] == 12_345
    assert {row["status"] for row in rows[1:]} == {"paid"}
    service.fill_statement(random.Random(3), "nine")
    service.fill_statement(random.Random(3), "key", lines=9)
    shown = d.call("credit_card.get_statement", statement_id="key")
    assert (shown["total"], shown["credits_minor"], shown["purchases_minor"]) == (10, -12_345, 39_052)
    service.fill_statement(random.Random(3), "key", lines=9)
    assert d.call("credit_card.get_statement", statement_id="key")["total"] == 10
    d.check()
    d.start()
    d.until("2026-06-01T00:00:00")
    d.check()


def test_past_statements_before_the_window_end_with_one_that_is_due(desk: Any) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **CARD)
    d.put("credit_card.cards", **{**CARD, "card_id": "c2", "statement_day": 20, "due_days": 10})
    d.put("credit_card.cards", **{**CARD, "card_id": "c3"})
    _with_statement(d, card_id="c3", opening_minor=-5)
    for card_id in ("cc", "c2", "c3"):
        d.service("credit_card").past_statements(random.Random(4), card_id, months=3)
    rows = d.call("credit_card.list_statements", card_id="cc")["statements"]
    assert [(row["closed_on"], row["status"]) for row in rows] == [
        ("2026-03-24", "paid"), ("2026-02-24", "paid"), ("2026-01-24", "paid"),
    ]  # fmt: skip
    assert d.call("credit_card.list_statements", card_id="c3")["total"] == 1
    d.start()
    assert balance(d) == 0
    d.check()


def test_a_statement_can_still_be_due_at_the_start(desk: Any) -> None:
    d = desk("credit_card")
    d.put("credit_card.cards", **{**CARD, "statement_day": 10})
    d.service("credit_card").past_statements(random.Random(4), "cc", months=2)
    d.start()
    row = statement(d)
    assert (row["closed_on"], row["status"]) == ("2026-04-10", "due")
    assert balance(d) == row["closing_minor"] == row["remaining_minor"] > 0
    d.check()


# -- any sequence ------------------------------------------------------------------------------------------------------

STEP = st.tuples(st.integers(0, 11), st.integers(1, 40_000), st.integers(0, 5))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int, int]]) -> None:
    d = desk("banking", "credit_card", "notification_hub")
    d.put("banking.accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=90_000)
    d.put("credit_card.cards", **{**CARD, "credit_limit_minor": 60_000, "autopay_account_id": "main"})
    d.put("credit_card.rewards", redemption_code="BACK10", title="10.00 back", points_cost=50, credit_minor=1_000)
    d.put("credit_card.reward_rules", rule_id="r0", card_id="cc", points_per_100=2)
    d.put("credit_card.recurring", recurring_id="s1", card_id="cc", merchant="Cloud", amount_minor=990, day_of_month=20)
    d.start()
    for what, amount, number in steps:
        lines = [row["tx_id"] for row in d.service("credit_card").rows("transactions")]
        one = lines[amount % len(lines)] if lines else "none"
        shop = ("Corner Shop", "Cloud", "StarTel")[number % 3]
        if what <= 1:
            buy(d, amount, shop)
        elif what == 2:
            charge(d, amount if number else -amount)
        elif what == 3:
            d.outcome("credit_card.make_payment", card_id="cc", amount_minor=amount, source_hint="main")
        elif what == 4:
            d.outcome(f"credit_card.{('freeze', 'unfreeze')[number % 2]}_card", card_id="cc")
        elif what == 5:
            d.outcome("credit_card.dispute_transaction", tx_id=one, reason="wrong")
        elif what == 6:
            outcome = ("won", "lost")[number % 2]
            d.happen("credit_card.resolve_dispute", card_id="cc", merchant=shop, outcome=outcome)
        elif what == 7:
            d.happen("credit_card.post_refund", card_id="cc", merchant=shop, amount_minor=amount)
        elif what == 8:
            d.outcome("credit_card.redeem_rewards", card_id="cc", redemption_code="BACK10")
        elif what == 9:
            d.happen("credit_card.duplicate_charge", card_id="cc", merchant=shop)
        else:
            d.world.run_to(d.world.now + (1 + number * 6) * clock.DAY)
        d.service("credit_card").check_invariants()
    d.check()
