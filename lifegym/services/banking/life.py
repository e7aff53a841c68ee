"""What a bank does by itself: payments that fall due, what the timeline can do to accounts, and its invariants."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Literal

from dateutil.relativedelta import relativedelta
from pydantic import Field

from lifegym.services.banking.records import Account, Frequency, Kind, Payee, Payment, Rate, Schedule, Transaction
from lifegym.services.base import Service
from lifegym.services.tools import ToolError, happening, listens
from lifegym.world import clock
from lifegym.world.record import Record

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
        "rates": Rate,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def post_transaction(
        self, account_id: str, amount_minor: int, kind: Kind, counterparty: str, memo: str = ""
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

    @happening
    def set_end_date(self, schedule_id: str, end_date: str | None = None) -> list[str]:
        """A payee ends a recurring payment after a date (YYYY-MM-DD), or, without a date, lets it run on.

        A recurring payment that had reached its end begins again where the new end allows; a cancelled one does not.
        """
        schedule = self.find("schedules", schedule_id)
        if schedule is None or schedule["status"] == "cancelled":
            return []
        last = self.day(end_date, "end_date").isoformat() if end_date else None
        following = schedule["next_date"] or self._run_after(schedule, self.today()).isoformat()
        if last is not None and following > last:
            self.patch("schedules", schedule_id, end_date=last, next_date=None, status="ended")
            return [schedule_id]
        changed = self.patch("schedules", schedule_id, end_date=last, next_date=following, status="active")
        if schedule["next_date"] is None:
            self._await_run(changed)
        return [schedule_id]

    @happening
    def present_schedule(
        self,
        account_id: str,
        payee_id: str,
        amount_minor: Amount,
        freq: Frequency,
        start_date: str,
        end_date: str | None = None,
        schedule_id: str = "",
    ) -> list[str]:
        """A payee presents a recurring payment under a mandate that it holds; it shows in the list, nobody is told.

        Args:
            account_id: Account that it takes the money from.
            payee_id: Who presents it.
            amount_minor: Amount of each payment.
            freq: How often.
            start_date: YYYY-MM-DD of the first payment, after today.
            end_date: YYYY-MM-DD after which nothing is taken; equal to start_date for a single payment.
            schedule_id: Its id; the next number if left out. An id that is taken touches nothing.
        """
        account, taken = self.find("accounts", account_id), self.find("schedules", schedule_id)
        if account is None or self.find("payees", payee_id) is None or taken is not None:
            return []
        first, last = self._check_span(start_date, end_date)
        schedule = self._plan(schedule_id or self.new_id("rec"), account, payee_id, amount_minor, freq, first, last)
        return [schedule["schedule_id"]]

    @happening
    def return_payments(self, payee_id: str, reason: str) -> list[str]:
        """The payee's bank sends back what was paid to it (its account is closed): the payments bounce after all."""
        returned = [row for row in self.rows("payments") if row["payee_id"] == payee_id and row["status"] == "posted"]
        for row in returned:
            self._post(row["account_id"], row["amount_minor"], "refund", self._payee_name(payee_id), reason)
            self.patch("payments", row["payment_id"], status="bounced", reason=reason)
        return [row["payment_id"] for row in returned]

    @happening
    def correct_payee(self, payee_id: str, name: str | None = None, bank_name: str | None = None) -> list[str]:
        """The bank corrects how a payee or its bank is written."""
        if self.find("payees", payee_id) is None:
            return []
        changes = {"name": name, "bank_name": bank_name}
        self.patch("payees", payee_id, **{field: text for field, text in changes.items() if text is not None})
        return [payee_id]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("payments")):
            if row["status"] == "scheduled":
                day = clock.parse_day(row["scheduled_for"])
                due = clock.day_start(day, self.world.zone) + POSTING_TIME
                self.later(due, "post_payment", payment_id=row["payment_id"])
        for row in list(self.rows("schedules")):
            if row["status"] != "active":
                continue
            if row["next_date"] is None:
                following = self._run_after(row, self.today() - dt.timedelta(days=1)).isoformat()
                if row["end_date"] and following > row["end_date"]:
                    self.patch("schedules", row["schedule_id"], status="ended")
                    continue
                row = self.patch("schedules", row["schedule_id"], next_date=following)
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
        following = self._run_after(schedule, clock.parse_day(date))
        if schedule["end_date"] and following.isoformat() > schedule["end_date"]:
            self.patch("schedules", schedule_id, runs=runs, next_date=None, status="ended")
        else:
            self._await_run(self.patch("schedules", schedule_id, runs=runs, next_date=following.isoformat()))

    @listens("charge")
    def settle_charge(self, method: str, amount_minor: int, currency: str, payee: str, service: str, ref: str) -> None:
        """Take a purchase that is paid from an account, or put a refund back; a refund finds a closed account too."""
        account = self.find("accounts", method)
        if account is None:
            return
        taken, memo = self._converted(account, amount_minor, currency, ref)
        if taken > 0:
            self._check_open(account)
            self._check_funds(account, taken)
        self._post(method, -taken, "card" if amount_minor >= 0 else "refund", payee, memo)

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

    def _converted(self, account: Record, amount_minor: int, currency: str, ref: str) -> tuple[int, str]:
        """An amount in an account's currency, half up, and the statement's line, which shows both where they differ.

        Raises:
            ToolError: ``currency_mismatch``: the bank has no rate between the two.
        """
        if account["currency"] == currency:
            return amount_minor, ref
        rate = self.find("rates", f"{account['currency']}/{currency}")
        if rate is None:
            raise ToolError(
                "currency_mismatch",
                f"{account['account_id']} is in {account['currency']}, the price in {currency}; "
                "use another payment method",
            )
        size = int(abs(amount_minor) / Fraction(str(rate["units"])) + Fraction(1, 2))
        return (
            size if amount_minor >= 0 else -size,
            f"{ref}: {amount_minor} {currency} (minor units) at {rate['units']:g}",
        )

    @staticmethod
    def _check_open(account: Record) -> None:
        if account["status"] != "open":
            raise ToolError(
                "account_closed", f"account {account['account_id']} is {account['status']}; use another account"
            )

    @staticmethod
    def _check_funds(account: Record, amount_minor: int) -> None:
        available = account["balance_minor"] + account["overdraft_minor"]
        if available < amount_minor:
            raise ToolError(
                "insufficient_funds",
                f"{account['account_id']} has {available} minor units available, {amount_minor} are needed; "
                "use a smaller amount or another account",
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

    def _check_span(self, start_date: str, end_date: str | None) -> tuple[dt.date, dt.date | None]:
        """The first and the last day of a recurring payment that begins after today."""
        first = self.day(start_date, "start_date")
        last = self.day(end_date, "end_date") if end_date else None
        if first <= self.today():
            raise ToolError("bad_date", f"start_date must be a day after today, {self.today().isoformat()}")
        if last and last < first:
            raise ToolError("bad_date", "end_date is before start_date")
        return first, last

    def _plan(
        self,
        schedule_id: str,
        account: Record,
        payee_id: str,
        amount_minor: int,
        freq: str,
        first: dt.date,
        last: dt.date | None,
    ) -> Record:
        schedule = self.put(
            "schedules",
            schedule_id=schedule_id,
            account_id=account["account_id"],
            payee_id=payee_id,
            amount_minor=amount_minor,
            currency=account["currency"],
            freq=freq,
            start_date=first.isoformat(),
            end_date=last.isoformat() if last else None,
            next_date=first.isoformat(),
        )
        self._await_run(schedule)
        return schedule

    @staticmethod
    def _run_after(schedule: Record, day: dt.date) -> dt.date:
        """The first run of a recurring payment after a day.

        Counted from its first day, so that the 31st stays the last of the month instead of sliding to the 28th.
        """
        first, number = clock.parse_day(schedule["start_date"]), 0
        while (following := first + _STEP[schedule["freq"]] * number) <= day:
            number += 1
        return following

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
            mine.sort(key=lambda row: self.seconds(row["posted_at"]))
            for before, after in pairwise(mine):
                assert before["balance_after_minor"] + after["amount_minor"] == after["balance_after_minor"], after
            if mine:
                assert mine[-1]["balance_after_minor"] == account["balance_minor"], account
        for payment in self.rows("payments"):
            # A bounced payment has a transaction where the payee's bank sent it back.
            assert payment["status"] != "posted" or payment["transaction_id"], payment
            assert payment["status"] not in ("scheduled", "cancelled") or not payment["transaction_id"], payment
        for schedule in self.rows("schedules"):
            assert schedule["status"] == "active" or not schedule["next_date"], schedule
            assert not (schedule["next_date"] and schedule["end_date"]) or (
                schedule["next_date"] <= schedule["end_date"]
            ), schedule
