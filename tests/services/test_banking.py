"""The bank keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.tools import ToolError


@pytest.fixture
def bank(desk: Any) -> Any:
    d = desk("banking")
    d.put("banking.accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=100_000)
    d.put(
        "banking.payees", payee_id="p1", user_id="u_ann", name="Mr Gao", account_no="62220001", bank_name="Harbour Bank"
    )
    return d


@pytest.fixture
def more(bank: Any) -> Any:
    """The bank with further accounts and another customer."""
    for account_id, fields in {
        "saving": {"name": "Saving", "kind": "savings", "balance_minor": 5_000, "currency": "CNY"},
        "yen": {"name": "Yen", "balance_minor": 9_000, "currency": "JPY"},
        "ice": {"name": "Ice", "balance_minor": 9_000, "currency": "CNY", "status": "frozen"},
        "gone": {"name": "Gone", "balance_minor": 0, "currency": "CNY", "status": "closed"},
    }.items():
        bank.put("banking.accounts", account_id=account_id, user_id="u_ann", **fields)
    bank.put("banking.accounts", account_id="bobs", user_id="u_bob", name="Bob", currency="CNY", balance_minor=700)
    bank.put(
        "banking.payees", payee_id="p2", user_id="u_bob", name="Shop", account_no="700000", bank_name="Harbour Bank"
    )
    return bank


def balance(d: Any, account_id: str = "main") -> int:
    return d.call("banking.get_account", account_id=account_id)["balance_minor"]


def pay(d: Any, amount: int, day: str | None = None, **more: Any) -> Any:
    given = {"account_id": "main", "payee_id": "p1", "amount_minor": amount, "scheduled_for": day, **more}
    return d.call("banking.pay_payee", **given)


def recur(d: Any, freq: str, first: str, amount: int = 100, **more: Any) -> Any:
    given = {"account_id": "main", "payee_id": "p1", "amount_minor": amount, "freq": freq, "start_date": first, **more}
    return d.call("banking.schedule_recurring", **given)


def posted(d: Any, account_id: str = "main", **more: Any) -> list[tuple[str, int]]:
    found = d.call("banking.list_transactions", account_id=account_id, limit=200, **more)["transactions"]
    return [(row["posted_at"][:10], row["amount_minor"]) for row in found]


# -- looking --------------------------------------------------------------------------------------------------------


def test_accounts_are_listed_by_user(more: Any) -> None:
    accounts = more.call("banking.list_accounts", user_id="u_ann")["accounts"]
    assert [row["account_id"] for row in accounts] == ["main", "saving", "yen", "ice", "gone"]
    assert more.call("banking.list_accounts", user_id="u_eve") == {"accounts": []}
    assert more.refused("banking.get_account", account_id="nine") == "not_found"


def test_an_account_shows_what_is_left(bank: Any) -> None:
    bank.service("banking").patch("accounts", "main", overdraft_minor=1_000)
    pay(bank, 300, "2026-04-20")
    pay(bank, 200, "2026-04-21")
    account = bank.call("banking.get_account", account_id="main")
    assert (account["balance_minor"], account["pending_minor"], account["available_minor"]) == (100_000, 500, 100_500)


def test_transactions_are_filtered_newest_first(bank: Any) -> None:
    for when, amount, kind in [
        ("2026-04-18T23:59:59", -10, "card"), ("2026-04-19T00:00:00", 20, "deposit"),
        ("2026-04-19T10:00:00", -30, "fee"),
    ]:  # fmt: skip
        bank.until(when)
        bank.happen("banking.post_transaction", account_id="main", amount_minor=amount, kind=kind, counterparty="X")
    assert posted(bank) == [("2026-04-19", -30), ("2026-04-19", 20), ("2026-04-18", -10)]
    assert posted(bank, since="2026-04-19") == [("2026-04-19", -30), ("2026-04-19", 20)]
    assert posted(bank, until="2026-04-18") == [("2026-04-18", -10)]
    assert posted(bank, until="2026-04-19") == posted(bank)
    assert posted(bank, since="2026-04-19T00:00:01", until="2026-04-19T10:00:00") == [("2026-04-19", -30)]
    assert posted(bank, kind_filter="deposit") == [("2026-04-19", 20)]
    found = bank.call("banking.list_transactions", account_id="main", limit=1)
    assert (len(found["transactions"]), found["total"]) == (1, 3)
    for arguments, code in [
        ({"account_id": "nine"}, "not_found"), ({"since": "x"}, "bad_time"), ({"until": "x"}, "bad_time"),
        ({"limit": 0}, "bad_limit"), ({"limit": 201}, "bad_limit"), ({"kind_filter": "gift"}, "bad_arguments"),
    ]:  # fmt: skip
        assert bank.refused("banking.list_transactions", **{"account_id": "main", **arguments}) == code
    bank.check()


def test_an_inclusive_day_is_right_on_the_day_the_clock_changes(desk: Any) -> None:
    d = desk("banking", start="2026-03-29", zone="Europe/Dublin")
    d.put("banking.accounts", account_id="main", user_id="u_ann", name="Main", currency="EUR", balance_minor=0)
    for when in ("2026-03-29T23:30:00", "2026-03-30T00:15:00"):
        d.until(when)
        d.happen("banking.post_transaction", account_id="main", amount_minor=5, kind="deposit", counterparty="X")
    assert posted(d, until="2026-03-29") == [("2026-03-29", 5)]


def test_payments_are_listed_soonest_first(more: Any) -> None:
    more.service("banking").patch("accounts", "ice", status="open")
    late, soon = pay(more, 20, "2026-04-25"), pay(more, 10, "2026-04-20", account_id="ice")
    now = pay(more, 30)

    def ids(**given: Any) -> list[str]:
        rows = more.call("banking.list_pending_payments", user_id="u_ann", **given)["payments"]
        assert {row["payee_name"] for row in rows} <= {"Mr Gao"}
        return [row["payment_id"] for row in rows]

    assert ids() == [soon["payment_id"], late["payment_id"]]
    assert ids(account_id="main") == [late["payment_id"]]
    assert ids(status_filter="posted") == [now["payment_id"]]
    assert ids(status_filter="all") == [now["payment_id"], soon["payment_id"], late["payment_id"]]
    assert ids(limit=1) == [soon["payment_id"]]
    assert more.call("banking.list_pending_payments", user_id="u_bob") == {"payments": [], "total": 0}
    assert more.refused("banking.list_pending_payments", user_id="u_ann", limit=0) == "bad_limit"
    assert more.refused("banking.list_pending_payments", user_id="u_ann", status_filter="lost") == "bad_arguments"


# -- payees ---------------------------------------------------------------------------------------------------------


def test_payees_are_saved_once(more: Any) -> None:
    made = more.call(
        "banking.add_payee", user_id="u_ann", name=" Clinic ", account_no="6222-0000 99", bank_name="Post Bank"
    )
    assert (made["name"], made["account_no"], made["added_at"]) == ("Clinic", "6222000099", "2026-04-17T09:00:00+08:00")
    assert [row["payee_id"] for row in more.call("banking.list_payees", user_id="u_ann")["payees"]] == [
        "p1", made["payee_id"],
    ]  # fmt: skip
    base = {"user_id": "u_ann", "name": "Other", "account_no": "123456", "bank_name": "Post Bank"}
    for change, code in [
        ({"user_id": "u_eve"}, "not_found"), ({"account_no": "12345"}, "bad_account_no"),
        ({"account_no": "1" * 35}, "bad_account_no"), ({"account_no": "12/3456"}, "bad_account_no"),
        ({"name": "  "}, "bad_account_no"), ({"account_no": "6222 000099"}, "exists"),
    ]:  # fmt: skip
        assert more.refused("banking.add_payee", **{**base, **change}) == code
    assert made["payee_id"] in more.outcome("banking.add_payee", **{**base, "account_no": "6222000099"}).text
    more.call("banking.add_payee", **{**base, "user_id": "u_bob", "account_no": "6222000099"})


# -- paying ---------------------------------------------------------------------------------------------------------


def test_a_payment_now_posts_at_once(bank: Any) -> None:
    made = pay(bank, 25_000, memo="rent")
    assert (made["status"], made["scheduled_for"], made["reason"]) == ("posted", "2026-04-17", "")
    [row] = bank.call("banking.list_transactions", account_id="main")["transactions"]
    assert (row["transaction_id"], row["memo"], row["counterparty"]) == (made["transaction_id"], "rent", "Mr Gao")
    assert (row["amount_minor"], row["balance_after_minor"]) == (-25_000, 75_000)
    pay(bank, 75_000)
    assert balance(bank) == 0
    assert bank.refused("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=1) == "insufficient_funds"
    bank.service("banking").patch("accounts", "main", overdraft_minor=500)
    pay(bank, 500)
    assert balance(bank) == -500
    bank.check()


def test_what_cannot_be_paid_is_refused(more: Any) -> None:
    base = {"account_id": "main", "payee_id": "p1", "amount_minor": 10}
    for change, code in [
        ({"account_id": "nine"}, "not_found"), ({"payee_id": "p9"}, "not_found"), ({"payee_id": "p2"}, "not_found"),
        ({"account_id": "ice"}, "account_closed"), ({"account_id": "gone"}, "account_closed"),
        ({"amount_minor": 0}, "bad_arguments"), ({"amount_minor": 100_001}, "insufficient_funds"),
        ({"scheduled_for": "2026-04-17"}, "bad_date"), ({"scheduled_for": "2026-02-30"}, "bad_date"),
    ]:  # fmt: skip
        assert more.refused("banking.pay_payee", **{**base, **change}) == code


def test_a_scheduled_payment_posts_on_its_date(bank: Any) -> None:
    made = pay(bank, 500, "2026-04-20")
    assert made["status"] == "scheduled"
    bank.until("2026-04-20T07:59:59")
    assert bank.call("banking.get_account", account_id="main")["available_minor"] == 99_500
    bank.until("2026-04-20T08:00:00")
    account = bank.call("banking.get_account", account_id="main")
    assert (account["balance_minor"], account["pending_minor"]) == (99_500, 0)
    bank.check()


def test_without_funds_it_bounces(bank: Any) -> None:
    pay(bank, 99_999, "2026-04-20")
    pay(bank, 1_000)
    bank.until("2026-04-21T00:00:00")
    [payment] = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="bounced")["payments"]
    assert payment["reason"] == "insufficient funds"
    assert balance(bank) == 99_000
    assert bank.world.openings == []
    bank.check()


def test_from_a_frozen_account_it_bounces(bank: Any) -> None:
    pay(bank, 10, "2026-04-20")
    assert bank.happen("banking.set_status", account_id="main", status="frozen") == ["main"]
    bank.until("2026-04-21T00:00:00")
    [payment] = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="bounced")["payments"]
    assert (payment["reason"], payment["transaction_id"]) == ("account frozen", "")


def test_what_was_in_the_records_falls_due_and_what_was_cancelled_does_not(bank: Any) -> None:
    base = {
        "account_id": "main", "payee_id": "p1", "currency": "CNY", "created_at": "2026-04-01T09:00:00+08:00",
        "scheduled_for": "2026-04-18",
    }  # fmt: skip
    for number, status in enumerate(["scheduled", "scheduled", "cancelled"]):
        bank.put("banking.payments", payment_id=f"q{number}", amount_minor=10 + number, status=status, **base)
    bank.start()
    bank.service("banking").patch("payments", "q1", status="cancelled")
    bank.until("2026-04-19T00:00:00")
    assert posted(bank) == [("2026-04-18", -10)]
    bank.check()


def test_transfers_move_money_within_the_bank(more: Any) -> None:
    moved = more.call(
        "banking.transfer", from_account_id="main", to_account_id="saving", amount_minor=40_000, memo="reserve"
    )
    assert (moved["out"]["amount_minor"], moved["in"]["amount_minor"]) == (-40_000, 40_000)
    assert (moved["out"]["counterparty"], moved["in"]["counterparty"]) == ("Saving", "Main")
    assert (balance(more), balance(more, "saving")) == (60_000, 45_000)
    base = {"from_account_id": "main", "to_account_id": "saving", "amount_minor": 10}
    for change, code in [
        ({"from_account_id": "nine"}, "not_found"), ({"to_account_id": "nine"}, "not_found"),
        ({"to_account_id": "main"}, "same_account"), ({"to_account_id": "gone"}, "account_closed"),
        ({"from_account_id": "ice"}, "account_closed"), ({"to_account_id": "yen"}, "currency_mismatch"),
        ({"amount_minor": 60_001}, "insufficient_funds"), ({"amount_minor": -5}, "bad_arguments"),
    ]:  # fmt: skip
        assert more.refused("banking.transfer", **{**base, **change}) == code
    more.check()


# -- recurring ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freq", "first", "expected"),
    [
        ("weekly", "2026-04-20", ["2026-04-20", "2026-04-27", "2026-05-04", "2026-05-11"]),
        ("biweekly", "2026-04-20", ["2026-04-20", "2026-05-04", "2026-05-18", "2026-06-01"]),
        ("monthly", "2026-05-31", ["2026-05-31", "2026-06-30", "2026-07-31", "2026-08-31"]),
        ("quarterly", "2026-11-30", ["2026-11-30", "2027-02-28", "2027-05-30", "2027-08-30"]),
        ("yearly", "2028-02-29", ["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"]),
    ],
)
def test_recurring_payments_keep_their_day(bank: Any, freq: str, first: str, expected: list[str]) -> None:
    assert recur(bank, freq, first)["next_date"] == first
    bank.until(f"{expected[-1]}T08:00:00")
    assert [day for day, _ in reversed(posted(bank))] == expected
    [shown] = bank.call("banking.list_recurring", user_id="u_ann")["schedules"]
    assert (shown["runs"], shown["status"], shown["payee_name"]) == (len(expected), "active", "Mr Gao")
    bank.check()


def test_a_recurring_payment_ends_with_its_end_date(bank: Any) -> None:
    made = recur(bank, "weekly", "2026-04-20", end_date="2026-05-04")
    bank.until("2026-06-30T00:00:00")
    assert [day for day, _ in posted(bank)] == ["2026-05-04", "2026-04-27", "2026-04-20"]
    [ended] = bank.call("banking.list_recurring", user_id="u_ann", status_filter="ended")["schedules"]
    assert (ended["schedule_id"], ended["next_date"], ended["runs"]) == (made["schedule_id"], None, 3)
    assert bank.refused("banking.cancel_recurring", schedule_id=made["schedule_id"]) == "not_active"
    rows = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="posted")["payments"]
    assert {row["schedule_id"] for row in rows} == {made["schedule_id"]}
    bank.check()


def test_a_cancelled_recurring_payment_stops(bank: Any) -> None:
    made = recur(bank, "weekly", "2026-04-20")
    bank.until("2026-04-21T00:00:00")
    gone = bank.call("banking.cancel_recurring", schedule_id=made["schedule_id"])
    assert (gone["status"], gone["next_date"]) == ("cancelled", None)
    bank.until("2026-06-01T00:00:00")
    assert posted(bank) == [("2026-04-20", -100)]
    assert bank.refused("banking.cancel_recurring", schedule_id=made["schedule_id"]) == "not_active"
    assert bank.refused("banking.cancel_recurring", schedule_id="rec_none") == "not_found"
    assert bank.call("banking.list_recurring", user_id="u_ann", status_filter="active")["schedules"] == []
    assert bank.refused("banking.list_recurring", user_id="u_ann", status_filter="lost") == "bad_arguments"


def test_a_recurring_payment_bounces_and_goes_on(bank: Any) -> None:
    recur(bank, "weekly", "2026-04-20", amount=60_000)
    bank.until("2026-04-28T00:00:00")
    bank.happen("banking.post_transaction", account_id="main", amount_minor=50_000, kind="deposit", counterparty="Pay")
    bank.until("2026-05-05T00:00:00")
    rows = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="all")["payments"]
    assert [row["status"] for row in rows] == ["posted", "bounced", "posted"]
    bank.check()


def test_recurring_payments_that_cannot_be_are_refused(more: Any) -> None:
    base = {"account_id": "main", "payee_id": "p1", "amount_minor": 5, "freq": "weekly", "start_date": "2026-04-20"}
    for change, code in [
        ({"account_id": "nine"}, "not_found"), ({"payee_id": "p9"}, "not_found"), ({"payee_id": "p2"}, "not_found"),
        ({"account_id": "ice"}, "account_closed"), ({"start_date": "2026-04-17"}, "bad_date"),
        ({"start_date": "soon"}, "bad_date"), ({"end_date": "x"}, "bad_date"), ({"end_date": "2026-04-19"}, "bad_date"),
        ({"freq": "daily"}, "bad_arguments"),
    ]:  # fmt: skip
        assert more.refused("banking.schedule_recurring", **{**base, **change}) == code


def test_a_recurring_payment_of_the_records_runs_once_a_month(bank: Any) -> None:
    base = {"account_id": "main", "payee_id": "p1", "amount_minor": 7, "currency": "CNY", "freq": "monthly"}
    bank.put("banking.schedules", schedule_id="old", start_date="2025-01-31", next_date="2026-04-30", **base)
    bank.put("banking.schedules", schedule_id="bare", start_date="2026-01-17", **base)
    bank.put("banking.schedules", schedule_id="new", start_date="2026-05-02", **base)
    bank.put("banking.schedules", schedule_id="past", start_date="2026-01-17", end_date="2026-04-16", **base)
    bank.put("banking.schedules", schedule_id="over", start_date="2025-01-31", status="ended", **base)
    bank.world.now -= 9 * 3600
    bank.start()
    assert bank.service("banking").find("schedules", "past")["status"] == "ended"
    bank.until("2026-06-01T00:00:00")
    assert [day for day, _ in reversed(posted(bank))] == [
        "2026-04-17", "2026-04-30", "2026-05-02", "2026-05-17", "2026-05-31",
    ]  # fmt: skip
    bank.check()


# -- what the timeline does -----------------------------------------------------------------------------------------


def test_a_recurring_payment_gets_dearer(bank: Any) -> None:
    made, other = recur(bank, "monthly", "2026-04-20"), recur(bank, "monthly", "2026-04-21")
    bank.call("banking.cancel_recurring", schedule_id=other["schedule_id"])
    assert bank.happen("banking.change_recurring", payee_id="p1", amount_minor=130) == [made["schedule_id"]]
    assert bank.happen("banking.change_recurring", payee_id="p9", amount_minor=130) == []
    bank.until("2026-04-21T00:00:00")
    assert posted(bank) == [("2026-04-20", -130)]


def test_a_payee_sets_and_removes_an_end(bank: Any) -> None:
    made = recur(bank, "monthly", "2026-04-27")["schedule_id"]
    service = bank.service("banking")
    assert bank.happen("banking.set_end_date", schedule_id=made, end_date="2026-05-30") == [made]
    bank.until("2026-05-27T08:00:00")
    assert service.find("schedules", made)["status"] == "ended"
    assert bank.happen("banking.set_end_date", schedule_id=made) == [made]
    shown = service.find("schedules", made)
    assert (shown["status"], shown["end_date"], shown["next_date"]) == ("active", None, "2026-06-27")
    bank.check()
    assert bank.happen("banking.set_end_date", schedule_id=made, end_date="2026-06-26") == [made]
    assert service.find("schedules", made)["next_date"] is None
    bank.check()
    bank.happen("banking.set_end_date", schedule_id=made, end_date="2026-07-27")
    bank.happen("banking.set_end_date", schedule_id=made, end_date="2026-08-01")
    bank.until("2026-10-01T00:00:00")
    assert [day for day, _ in reversed(posted(bank))] == ["2026-04-27", "2026-05-27", "2026-06-27", "2026-07-27"]
    other = recur(bank, "monthly", "2026-10-27")["schedule_id"]
    bank.call("banking.cancel_recurring", schedule_id=other)
    assert bank.happen("banking.set_end_date", schedule_id=other) == []
    assert bank.happen("banking.set_end_date", schedule_id="none") == []
    bank.check()


def test_a_payee_presents_a_payment_of_its_own(bank: Any) -> None:
    given = {"account_id": "main", "payee_id": "p1", "amount_minor": 10_400, "freq": "monthly"}
    once = {"start_date": "2026-04-23", "end_date": "2026-04-23"}
    assert bank.happen("banking.present_schedule", schedule_id="rec_hs4", **given, **once) == ["rec_hs4"]
    assert bank.happen("banking.present_schedule", schedule_id="rec_hs4", **given, **once) == []
    assert bank.happen("banking.present_schedule", **{**given, "account_id": "nine"}, **once) == []
    assert bank.happen("banking.present_schedule", **{**given, "payee_id": "p9"}, **once) == []
    [another] = bank.happen("banking.present_schedule", **given, start_date="2026-04-24")
    before = bank.world.dump()
    with pytest.raises(ToolError, match="after today"):
        bank.happen("banking.present_schedule", **given, start_date="2026-04-17")
    assert bank.world.dump() == before
    assert [row["schedule_id"] for row in bank.call("banking.list_recurring", user_id="u_ann")["schedules"]] == [
        "rec_hs4", another,
    ]  # fmt: skip
    bank.call("banking.cancel_recurring", schedule_id=another)
    bank.until("2026-06-30T00:00:00")
    assert posted(bank) == [("2026-04-23", -10_400)]
    assert bank.world.openings == []
    bank.check()


def test_payments_come_back(bank: Any) -> None:
    made, later = pay(bank, 700), pay(bank, 300, "2026-04-20")
    assert bank.happen("banking.return_payments", payee_id="p1", reason="account closed") == [made["payment_id"]]
    assert bank.happen("banking.return_payments", payee_id="p1", reason="account closed") == []
    assert balance(bank) == 100_000
    rows = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="all")["payments"]
    assert [(row["payment_id"], row["status"], row["reason"]) for row in rows] == [
        (made["payment_id"], "bounced", "account closed"), (later["payment_id"], "scheduled", ""),
    ]  # fmt: skip
    assert posted(bank, kind_filter="refund") == [("2026-04-17", 700)]
    bank.check()


def test_other_happenings(more: Any) -> None:
    assert more.happen("banking.correct_payee", payee_id="p1", bank_name="Harbor Bank") == ["p1"]
    [payee] = more.call("banking.list_payees", user_id="u_ann")["payees"]
    assert (payee["name"], payee["bank_name"]) == ("Mr Gao", "Harbor Bank")
    assert more.happen("banking.correct_payee", payee_id="p9", name="X") == []
    assert more.happen("banking.set_status", account_id="nine", status="closed") == []
    given = {"amount_minor": -900, "kind": "fee", "counterparty": "Bank", "memo": "yearly"}
    assert more.happen("banking.post_transaction", account_id="nine", **given) == []
    assert len(more.happen("banking.post_transaction", account_id="saving", **given)) == 1
    assert balance(more, "saving") == 4_100
    assert more.happen("banking.set_status", account_id="ice", status="open") == ["ice"]
    pay(more, 10, account_id="ice")
    more.check()


# -- purchases elsewhere --------------------------------------------------------------------------------------------


def charge(d: Any, method: str, amount: int, currency: str = "CNY") -> str:
    return d.world.charge("hotel_booking", method, amount, currency, "Inn", "res_1")


def test_purchases_are_taken_and_refunded(more: Any) -> None:
    charge(more, "main", 30_000)
    charge(more, "main", -10_000)
    charge(more, "some_card", 99_999_999)
    rows = more.call("banking.list_transactions", account_id="main")["transactions"]
    assert [(row["kind"], row["amount_minor"], row["counterparty"], row["memo"]) for row in rows] == [
        ("refund", 10_000, "Inn", "res_1"), ("card", -30_000, "Inn", "res_1"),
    ]  # fmt: skip
    charge(more, "gone", -50)
    assert balance(more, "gone") == 50
    more.check()


@pytest.mark.parametrize(
    ("method", "amount", "currency", "code"),
    [
        ("main", 100_001, "CNY", "insufficient_funds"),
        ("main", 1, "JPY", "currency_mismatch"),
        ("main", -1, "JPY", "currency_mismatch"),
        ("ice", 1, "CNY", "account_closed"),
        ("gone", 1, "CNY", "account_closed"),
    ],
)
def test_purchases_are_refused_before_anything_is_written(
    more: Any, method: str, amount: int, currency: str, code: str
) -> None:
    before = more.world.dump()
    with pytest.raises(ToolError) as refusal:
        charge(more, method, amount, currency)
    assert refusal.value.code == code
    assert more.world.dump() == before


@pytest.mark.parametrize(
    ("units", "amount", "taken"),
    [(3.1, 122_500, 39_516), (3.1, 155_000, 50_000), (4, 10, 3), (4, 9, 2), (0.05, 1, 20), (160, 79, 0)],
)
def test_prices_in_another_currency_are_converted(more: Any, units: float, amount: int, taken: int) -> None:
    more.service("banking").put("rates", pair="CNY/GEL", units=units)
    before = balance(more, "main")
    charge(more, "main", amount, "GEL")
    assert balance(more, "main") == before - taken
    charge(more, "main", -amount, "GEL")
    assert balance(more, "main") == before
    [back, out] = more.call("banking.list_transactions", account_id="main", limit=2)["transactions"]
    assert (out["kind"], out["amount_minor"], out["currency"]) == ("card", -taken, "CNY")
    assert (back["kind"], back["amount_minor"]) == ("refund", taken)
    assert out["memo"] == f"res_1: {amount} GEL (minor units) at {units:g}"
    assert more.call("banking.get_account", account_id="main")["rates"] == {"GEL": units}
    assert next(iter(more.world.table("world.charges").rows()))["amount_minor"] == amount
    more.check()


def test_a_rate_is_of_one_currency_of_accounts(more: Any) -> None:
    more.service("banking").put("rates", pair="JPY/GEL", units=0.02)
    with pytest.raises(ToolError, match="CNY"):
        charge(more, "main", 1, "GEL")
    assert "rates" not in more.call("banking.get_account", account_id="main")
    more.service("banking").put("rates", pair="CNY/GEL", units=0.5)
    with pytest.raises(ToolError) as refusal:
        charge(more, "main", 50_001, "GEL")
    assert refusal.value.code == "insufficient_funds"


# -- filling --------------------------------------------------------------------------------------------------------


def test_everyday_transactions_lead_up_to_the_balance(bank: Any) -> None:
    service = bank.service("banking")
    service.everyday_transactions(random.Random(1), "main", days=60, per_day=1.5)
    bank.check()
    rows = bank.call("banking.list_transactions", account_id="main", limit=200)
    assert 75 < rows["total"] < 106
    assert rows["transactions"][0]["balance_after_minor"] == balance(bank) == 100_000
    assert all(row["amount_minor"] < 0 and row["posted_at"] < "2026-04-17" for row in rows["transactions"])
    service.everyday_transactions(random.Random(2), "main", days=10, per_day=2)
    assert bank.call("banking.list_transactions", account_id="main")["total"] == rows["total"] + 20
    pay(bank, 10)
    bank.check()


def test_everyday_transactions_leave_room_for_what_is_known(bank: Any) -> None:
    bank.put(
        "banking.transactions", transaction_id="t1", account_id="main", posted_at="2026-04-02T10:00:00+08:00",
        kind="deposit", amount_minor=40_000, currency="CNY", balance_after_minor=100_000, counterparty="School",
    )  # fmt: skip
    bank.service("banking").everyday_transactions(random.Random(1), "main", days=20, per_day=1)
    rows = bank.call("banking.list_transactions", account_id="main")["transactions"]
    assert rows[0]["transaction_id"] == "t1"
    assert rows[1]["balance_after_minor"] == 60_000
    assert all("2026-03-13" <= row["posted_at"][:10] < "2026-04-02" for row in rows[1:])
    bank.check()


def test_a_history_leads_up_to_the_balance(bank: Any) -> None:
    entries = [
        {"at": "2026-04-02T10:00:00+08:00", "amount_minor": 40_000, "kind": "deposit", "counterparty": "School"},
        {
            "at": "2026-03-01T10:00:00+08:00",
            "amount_minor": -1_500,
            "kind": "fee",
            "counterparty": "Bank",
            "memo": "March",
        },
    ]
    bank.service("banking").history(random.Random(1), "main", entries)
    bank.check()
    school, fee = bank.call("banking.list_transactions", account_id="main")["transactions"]
    assert (school["counterparty"], school["balance_after_minor"]) == ("School", 100_000) == ("School", balance(bank))
    assert (fee["memo"], fee["balance_after_minor"]) == ("March", 60_000)
    pay(bank, 10)
    bank.check()


def test_a_history_ends_before_the_window(bank: Any) -> None:
    late = {"at": "2027-04-02T10:00:00+08:00", "amount_minor": 1, "kind": "deposit", "counterparty": "School"}
    with pytest.raises(ValueError, match="after the window begins"):
        bank.service("banking").history(random.Random(1), "main", [late])


# -- anything in any order ------------------------------------------------------------------------------------------

ACCOUNTS = st.sampled_from(["main", "saving", "yen", "ice", "nine"])
PAYEES = st.sampled_from(["p1", "p2"])
AMOUNTS = st.integers(1, 60_000)
DAYS = st.sampled_from([None, "2026-04-18", "2026-04-30", "2026-05-31"])
STEP = st.one_of(
    st.tuples(st.just("wait"), st.integers(1, 500)),
    st.tuples(st.just("pay"), ACCOUNTS, PAYEES, AMOUNTS, DAYS),
    st.tuples(st.just("transfer"), ACCOUNTS, ACCOUNTS, AMOUNTS),
    st.tuples(st.just("recur"), ACCOUNTS, AMOUNTS, st.sampled_from(["weekly", "monthly"]), DAYS, DAYS),
    st.tuples(st.just("cancel"), st.integers(1, 3)),
    st.tuples(st.just("end"), st.integers(1, 3), DAYS),
    st.tuples(st.just("status"), ACCOUNTS, st.sampled_from(["open", "frozen", "closed"])),
    st.tuples(st.just("charge"), ACCOUNTS, st.integers(-5_000, 60_000)),
    st.tuples(st.just("return"), PAYEES),
    st.tuples(st.just("dearer"), PAYEES, AMOUNTS),
)


@given(st.lists(STEP, max_size=16))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_sequence_keeps_the_books_in_order(desk: Any, steps: list[tuple[Any, ...]]) -> None:
    d = desk("banking")
    for account_id, currency in [("main", "CNY"), ("saving", "CNY"), ("yen", "JPY"), ("ice", "CNY")]:
        d.put(
            "banking.accounts", account_id=account_id, user_id="u_ann", name=account_id, currency=currency,
            balance_minor=100_000, status="frozen" if account_id == "ice" else "open",
        )  # fmt: skip
    for payee_id, user_id in [("p1", "u_ann"), ("p2", "u_bob")]:
        d.put("banking.payees", payee_id=payee_id, user_id=user_id, name="P", account_no="123456", bank_name="B")
    d.start()
    for verb, *data in steps:
        if verb == "wait":
            d.world.run_to(d.world.now + data[0] * 3600)
        elif verb == "pay":
            d.outcome(
                "banking.pay_payee", account_id=data[0], payee_id=data[1], amount_minor=data[2], scheduled_for=data[3]
            )
        elif verb == "transfer":
            d.outcome("banking.transfer", from_account_id=data[0], to_account_id=data[1], amount_minor=data[2])
        elif verb == "recur":
            d.outcome(
                "banking.schedule_recurring", account_id=data[0], payee_id="p1", amount_minor=data[1], freq=data[2],
                start_date=data[3] or "2026-04-25", end_date=data[4],
            )  # fmt: skip
        elif verb == "cancel":
            d.outcome("banking.cancel_recurring", schedule_id=f"rec_{data[0]:04d}")
        elif verb == "end":
            d.happen("banking.set_end_date", schedule_id=f"rec_{data[0]:04d}", end_date=data[1])
        elif verb == "status":
            d.happen("banking.set_status", account_id=data[0], status=data[1])
        elif verb == "return":
            d.happen("banking.return_payments", payee_id=data[0], reason="closed")
        elif verb == "dearer":
            d.happen("banking.change_recurring", payee_id=data[0], amount_minor=data[1])
        else:
            before = d.world.dump()
            try:
                charge(d, *data)
            except ToolError:
                assert d.world.dump() == before
        d.check()
        for account in d.service("banking").rows("accounts"):
            assert account["balance_minor"] >= 0


def test_a_payment_for_a_later_date_can_be_cancelled_until_it_is_posted(bank: Any) -> None:
    pay = bank.call("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=500, scheduled_for="2026-04-20")
    gone = bank.call("banking.cancel_payment", payment_id=pay["payment_id"])
    assert (gone["status"], gone["reason"]) == ("cancelled", "cancelled by the customer")
    bank.until("2026-04-21T00:00:00")
    assert bank.call("banking.get_account", account_id="main")["balance_minor"] == 100_000
    assert bank.refused("banking.cancel_payment", payment_id=pay["payment_id"]) == "not_pending"
    assert bank.refused("banking.cancel_payment", payment_id="pay_none") == "not_found"
    posted = bank.call("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=500)
    assert bank.refused("banking.cancel_payment", payment_id=posted["payment_id"]) == "not_pending"
    bank.check()
