"""The bank keeps its rules."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def bank(desk: Any) -> Any:
    d = desk("banking")
    d.put("banking.accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=100_000)
    d.put(
        "banking.payees", payee_id="p1", user_id="u_ann", name="Mr Gao", account_no="62220001", bank_name="Harbour Bank"
    )
    return d


def test_a_scheduled_payment_posts_on_its_date(bank: Any) -> None:
    pay = bank.call("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=500, scheduled_for="2026-04-20")
    assert pay["status"] == "scheduled"
    bank.until("2026-04-20T07:59:59")
    assert bank.call("banking.get_account", account_id="main")["available_minor"] == 99_500
    bank.until("2026-04-20T08:00:00")
    account = bank.call("banking.get_account", account_id="main")
    assert (account["balance_minor"], account["pending_minor"]) == (99_500, 0)
    bank.check()


def test_without_funds_it_bounces(bank: Any) -> None:
    bank.call("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=99_999, scheduled_for="2026-04-20")
    bank.call("banking.pay_payee", account_id="main", payee_id="p1", amount_minor=1_000)
    bank.until("2026-04-21T00:00:00")
    [payment] = bank.call("banking.list_pending_payments", user_id="u_ann", status_filter="bounced")["payments"]
    assert payment["reason"] == "insufficient funds"
    bank.check()
