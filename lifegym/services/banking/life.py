"""What a bank does by itself: payments that fall due, what the timeline can do to accounts, and its invariants."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from dateutil.relativedelta import relativedelta
from pydantic import Field

from lifegym.services.banking.records import Account, Payee, Payment, Schedule, Transaction
from lifegym.services.base import Service
from lifegym.services.tools import ToolError, happening, listens
from lifegym.world import clock
from lifegym.world.store import Record

__all__ = ["Amount", "BankingLife"]

_STEP: dict[str, relativedelta] = {
    "weekly": relativedelta(weeks=1),
    "biweekly": relativedelta(weeks=2),
    "monthly": relativedelta(months=1),
    "quarterly": relativedelta(months=3),
    "yearly": relativedelta(years=1),
}
POSTING_TIME = 8 * clock.HOUR
Amount = Annotated[int, Field(gt=0, le=10**12)]


class BankingLife(Service):
    """The bank's own behaviour."""

    name = "banking"
    title = "Bank"
    records = {
        "accounts": Account,
        "payees": Payee,
        "transactions": Transaction,
        "payments": Payment,
        "schedules": Schedule,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def post_transaction(
        self, account_id: str, amount_minor: int, kind: str, counterparty: str, memo: str = ""
    ) -> list[str]:
        """Let a transaction appear on an account: a salary, a direct debit, a refund. Negative is money out."""
        if self.find("accounts", account_id) is None:
            return []
        return [self._post(account_id, amount_minor, kind, counterparty, memo)["transaction_id"]]

    @happening
    def set_status(self, account_id: str, status: Literal["open", "frozen", "closed"]) -> list[str]:
        """Freeze, close or reopen an account."""
        if self.find("accounts", account_id) is None:
            return []
        self.patch("accounts", account_id, status=status)
        return [account_id]

    @happening
    def change_recurring(self, payee_id: str, amount_minor: Amount) -> list[str]:
        """A payee changes what its recurring payments cost (a subscription gets dearer)."""
        ids = [
            row["schedule_id"]
            for row in self.rows("schedules")
            if row["payee_id"] == payee_id and row["status"] == "active"
        ]
        for schedule_id in ids:
            self.patch("schedules", schedule_id, amount_minor=amount_minor)
        return ids

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("payments")):
            if row["status"] == "scheduled":
                day = clock.parse_day(row["scheduled_for"])
                due = clock.day_start(day, self.world.zone) + POSTING_TIME
                self.later(due, "post_payment", payment_id=row["payment_id"])
        for row in list(self.rows("schedules")):
            if row["status"] == "active" and row["next_date"]:
                self._await_run(row)

    def post_payment(self, payment_id: str) -> None:
        """Post a scheduled payment that is due, or let it bounce."""
        payment = self.find("payments", payment_id)
        if payment is None or payment["status"] != "scheduled":
            return
        account = self._account(payment["account_id"])
        if account["status"] != "open":
            self._bounce(payment, f"account {account['status']}")
        elif account["balance_minor"] + account["overdraft_minor"] < payment["amount_minor"]:
            self._bounce(payment, "insufficient funds")
        else:
            self._settle(payment, self._payee(payment["payee_id"]))

    def run_schedule(self, schedule_id: str, date: str) -> None:
        """Make the payment of a recurring order that is due, and plan the next."""
        schedule = self.find("schedules", schedule_id)
        if schedule is None or schedule["status"] != "active" or schedule["next_date"] != date:
            return
        payment = self.put(
            "payments",
            payment_id=self.new_id("pay"),
            account_id=schedule["account_id"],
            payee_id=schedule["payee_id"],
            amount_minor=schedule["amount_minor"],
            currency=schedule["currency"],
            status="scheduled",
            created_at=self.stamp(),
            scheduled_for=date,
            schedule_id=schedule_id,
        )
        self.post_payment(payment["payment_id"])
        runs = schedule["runs"] + 1
        # Counted from the first day, so that the 31st stays the last of the month instead of sliding to the 28th.
        following = clock.parse_day(schedule["start_date"]) + _STEP[schedule["freq"]] * runs
        if schedule["end_date"] and following.isoformat() > schedule["end_date"]:
            self.patch("schedules", schedule_id, runs=runs, next_date=None, status="ended")
        else:
            self._await_run(self.patch("schedules", schedule_id, runs=runs, next_date=following.isoformat()))

    @listens("charge")
    def settle_charge(self, method: str, amount_minor: int, currency: str, payee: str, service: str, ref: str) -> None:
        """Take a purchase that is paid from an account, or put a refund back."""
        account = self.find("accounts", method)
        if account is None:
            return
        self._check_open(account)
        if account["currency"] != currency:
            raise ToolError("currency_mismatch", f"{method} is in {account['currency']}, the price in {currency}")
        if amount_minor > 0:
            self._check_funds(account, amount_minor)
        self._post(method, -amount_minor, "card" if amount_minor >= 0 else "refund", payee, ref)

    # -- inside --------------------------------------------------------------------------------------------------

    def _account(self, account_id: str) -> Record:
        return self.get("accounts", account_id, "account", "banking.list_accounts shows them")

    def _payee(self, payee_id: str, account_id: str | None = None) -> Record:
        payee = self.get("payees", payee_id, "payee", "banking.list_payees shows them, banking.add_payee adds one")
        if account_id is not None and payee["user_id"] != self._account(account_id)["user_id"]:
            raise ToolError("not_found", f"payee {payee_id} belongs to another user than account {account_id}")
        return payee

    def _payee_name(self, payee_id: str) -> str:
        payee = self.find("payees", payee_id)
        return payee["name"] if payee else ""

    @staticmethod
    def _check_open(account: Record) -> None:
        if account["status"] != "open":
            raise ToolError("account_closed", f"account {account['account_id']} is {account['status']}")

    @staticmethod
    def _check_funds(account: Record, amount_minor: int) -> None:
        available = account["balance_minor"] + account["overdraft_minor"]
        if available < amount_minor:
            raise ToolError(
                "insufficient_funds",
                f"{account['account_id']} has {available} minor units available, {amount_minor} are needed",
            )

    def _post(self, account_id: str, amount_minor: int, kind: str, counterparty: str, memo: str) -> Record:
        account = self._account(account_id)
        balance = account["balance_minor"] + amount_minor
        self.patch("accounts", account_id, balance_minor=balance)
        return self.put(
            "transactions",
            transaction_id=self.new_id("tx"),
            account_id=account_id,
            posted_at=self.stamp(),
            kind=kind,
            amount_minor=amount_minor,
            currency=account["currency"],
            balance_after_minor=balance,
            counterparty=counterparty,
            memo=memo,
        )

    def _settle(self, payment: Record, payee: Record) -> Record:
        posted = self._post(payment["account_id"], -payment["amount_minor"], "payment", payee["name"], payment["memo"])
        return self.patch("payments", payment["payment_id"], status="posted", transaction_id=posted["transaction_id"])

    def _bounce(self, payment: Record, reason: str) -> None:
        self.patch("payments", payment["payment_id"], status="bounced", reason=reason)
        self.world.notify(
            "banking",
            "payment_bounced",
            "A payment was not made",
            f"The payment {payment['payment_id']} to {self._payee_name(payment['payee_id'])} bounced: {reason}.",
            ref=payment["payment_id"],
        )

    def _await_run(self, schedule: Record) -> None:
        day = clock.parse_day(schedule["next_date"])
        self.later(
            clock.day_start(day, self.world.zone) + POSTING_TIME,
            "run_schedule",
            schedule_id=schedule["schedule_id"],
            date=schedule["next_date"],
        )

    def check_invariants(self) -> None:
        for account in self.rows("accounts"):
            mine = [row for row in self.rows("transactions") if row["account_id"] == account["account_id"]]
            for before, after in pairwise(mine):
                assert before["balance_after_minor"] + after["amount_minor"] == after["balance_after_minor"], after
            if mine:
                assert mine[-1]["balance_after_minor"] == account["balance_minor"], account
        for payment in self.rows("payments"):
            posted = payment["status"] == "posted"
            assert posted == bool(payment["transaction_id"]), payment
