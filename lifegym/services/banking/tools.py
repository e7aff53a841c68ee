"""A retail bank: accounts, payees, payments now and later, recurring payments."""

from __future__ import annotations

import datetime as dt
from typing import Any, Literal

from lifegym.services.banking.inventory import BankingInventory
from lifegym.services.banking.life import POSTING_TIME, Amount
from lifegym.services.banking.records import Frequency, Kind
from lifegym.services.base import limited
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock

__all__ = ["Banking"]


class Banking(BankingInventory):
    """Accounts of the person and what moves through them. Amounts are minor units; money out is negative."""

    # -- tools: looking ------------------------------------------------------------------------------------------

    @tool(write=False)
    def list_accounts(self, user_id: str) -> dict[str, Any]:
        """List a user's bank accounts with their balances.

        Args:
            user_id: Whose accounts, e.g. u_liwei.

        Returns:
            accounts: account_id, name, kind, number, currency, balance_minor (minor units), overdraft_minor, status.
        """
        return {"accounts": [row for row in self.rows("accounts") if row["user_id"] == user_id]}

    @tool(write=False)
    def get_account(self, account_id: str) -> dict[str, Any]:
        """Show one account: balance, what is pending against it, and what would be left.

        Args:
            account_id: From list_accounts.

        Returns:
            The account; pending_minor (scheduled payments, positive), available_minor (balance + overdraft - pending);
            rates, where it can pay other currencies too: currency to its minor units for one of the account's.

        Errors:
            not_found: There is no such account.
        """
        account = self._account(account_id)
        pending = sum(
            row["amount_minor"]
            for row in self.rows("payments")
            if row["account_id"] == account_id and row["status"] == "scheduled"
        )
        available = account["balance_minor"] + account["overdraft_minor"] - pending
        own = f"{account['currency']}/"
        rates = {row["pair"][len(own) :]: row["units"] for row in self.rows("rates") if row["pair"].startswith(own)}
        shown = {**account, "pending_minor": pending, "available_minor": available}
        return {**shown, "rates": rates} if rates else shown

    @tool(write=False)
    def list_transactions(
        self,
        account_id: str,
        since: str | None = None,
        until: str | None = None,
        limit: int = 50,
        kind_filter: Kind | None = None,
    ) -> dict[str, Any]:
        """List an account's transactions, newest first.

        Args:
            account_id: From list_accounts.
            since: Only from this date or date-time on (ISO 8601).
            until: Only up to this date (that day included) or date-time.
            limit: How many at most, up to 200.
            kind_filter: payment, transfer, deposit, card, fee, interest or refund.

        Returns:
            transactions: transaction_id, posted_at, kind, amount_minor (negative is money out), counterparty, memo,
            balance_after_minor; total (how many match).

        Errors:
            not_found: There is no such account.
            bad_time: since or until is no ISO 8601 date or date-time.
            bad_limit: limit is not between 1 and 200.
        """
        self._account(account_id)
        first = self.instant(since, "since") if since else None
        last = self.instant(until, "until") if until else None
        if last is not None and until is not None and len(until.strip()) == 10:
            following = clock.local(last, self.world.zone).date() + dt.timedelta(days=1)
            last = clock.day_start(following, self.world.zone) - 1
        found = [
            row
            for row in self.rows("transactions")
            if row["account_id"] == account_id
            and (kind_filter is None or row["kind"] == kind_filter)
            and (first is None or self.seconds(row["posted_at"]) >= first)
            and (last is None or self.seconds(row["posted_at"]) <= last)
        ]
        found.sort(key=lambda row: self.seconds(row["posted_at"]))
        found.reverse()
        return {"transactions": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def list_payees(self, user_id: str) -> dict[str, Any]:
        """List the payees that a user has saved.

        Args:
            user_id: Whose payees.

        Returns:
            payees: payee_id, name, account_no, bank_name, added_at.
        """
        return {"payees": [row for row in self.rows("payees") if row["user_id"] == user_id]}

    @tool(write=False)
    def list_pending_payments(
        self,
        user_id: str,
        account_id: str | None = None,
        status_filter: Literal["scheduled", "posted", "bounced", "cancelled", "all"] | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """List payments that were ordered for a later date, soonest first.

        Args:
            user_id: Whose payments.
            account_id: Only from this account.
            status_filter: scheduled (the default), posted, bounced, cancelled, or all.
            limit: How many at most, up to 200.

        Returns:
            payments: payment_id, account_id, payee_id, payee_name, amount_minor, scheduled_for, status, memo, reason;
            total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        wanted = status_filter or "scheduled"
        mine = {row["account_id"] for row in self.rows("accounts") if row["user_id"] == user_id}
        found = [
            {**row, "payee_name": self._payee_name(row["payee_id"])}
            for row in self.rows("payments")
            if row["account_id"] in mine
            and (account_id is None or row["account_id"] == account_id)
            and (wanted == "all" or row["status"] == wanted)
        ]
        found.sort(key=lambda row: row["scheduled_for"])
        return {"payments": limited(found, limit), "total": len(found)}

    @tool(write=False)
    def list_recurring(
        self, user_id: str, status_filter: Literal["active", "ended", "cancelled"] | None = None
    ) -> dict[str, Any]:
        """List a user's recurring payments.

        Args:
            user_id: Whose.
            status_filter: active, ended or cancelled; all if left out.

        Returns:
            schedules: schedule_id, account_id, payee_id, payee_name, amount_minor, freq, next_date, end_date, status.
        """
        mine = {row["account_id"] for row in self.rows("accounts") if row["user_id"] == user_id}
        found = [
            {**row, "payee_name": self._payee_name(row["payee_id"])}
            for row in self.rows("schedules")
            if row["account_id"] in mine and (status_filter is None or row["status"] == status_filter)
        ]
        return {"schedules": found}

    # -- tools: acting -------------------------------------------------------------------------------------------

    @tool(write=True)
    def add_payee(self, user_id: str, name: str, account_no: str, bank_name: str) -> dict[str, Any]:
        """Save somebody whom the user can pay.

        Args:
            user_id: Whose payee.
            name: The payee's name as on the account.
            account_no: Account number, 6 to 34 letters and digits; spaces are ignored.
            bank_name: The payee's bank.

        Returns:
            The payee with its payee_id.

        Errors:
            not_found: There is no such user here.
            bad_account_no: The account number has another form, or the name is empty.
            exists: That account number is saved already; the message names its payee_id.
        """
        if not any(row["user_id"] == user_id for row in self.rows("accounts")):
            raise ToolError("not_found", f"{user_id[:60]!r} has no account at this bank")
        number = account_no.replace(" ", "").replace("-", "")
        if not (6 <= len(number) <= 34 and number.isalnum() and name.strip()):
            raise ToolError("bad_account_no", "a payee has a name and an account number of 6 to 34 letters and digits")
        for row in self.rows("payees"):
            if row["user_id"] == user_id and row["account_no"] == number:
                raise ToolError("exists", f"this account number is saved already as {row['payee_id']}")
        return self.put(
            "payees",
            payee_id=self.new_id("payee"),
            user_id=user_id,
            name=name.strip(),
            account_no=number,
            bank_name=bank_name,
            added_at=self.stamp(),
        )

    @tool(write=True)
    def pay_payee(
        self,
        account_id: str,
        payee_id: str,
        amount_minor: Amount,
        memo: str | None = None,
        scheduled_for: str | None = None,
    ) -> dict[str, Any]:
        """Pay a saved payee now, or on a later date.

        A payment for a later date is posted at 08:00 of that day; it bounces if the money is not there then.

        Args:
            account_id: Account to pay from.
            payee_id: From list_payees.
            amount_minor: Amount in minor units of the account's currency (cents, fen; yen have none), more than 0.
            memo: What the payee reads.
            scheduled_for: YYYY-MM-DD of a later day; now if left out.

        Returns:
            The payment: payment_id, status (posted or scheduled), scheduled_for, transaction_id once it is posted.

        Errors:
            not_found: There is no such account or payee, or the payee is another user's.
            account_closed: The account is frozen or closed.
            insufficient_funds: The balance and overdraft do not cover it.
            bad_date: scheduled_for is no date, or not in the future.
        """
        account, payee = self._account(account_id), self._payee(payee_id, account_id)
        self._check_open(account)
        day = self.today()
        if scheduled_for is not None:
            day = self.day(scheduled_for, "scheduled_for")
            if day <= self.today():
                raise ToolError("bad_date", "scheduled_for must be a day after today; leave it out to pay now")
        else:
            self._check_funds(account, amount_minor)
        payment = self.put(
            "payments",
            payment_id=self.new_id("pay"),
            account_id=account_id,
            payee_id=payee_id,
            amount_minor=amount_minor,
            currency=account["currency"],
            memo=memo or "",
            status="scheduled",
            created_at=self.stamp(),
            scheduled_for=day.isoformat(),
        )
        if scheduled_for is None:
            return self._settle(payment, payee)
        self.later(
            clock.day_start(day, self.world.zone) + POSTING_TIME, "post_payment", payment_id=payment["payment_id"]
        )
        return payment

    @tool(write=True)
    def transfer(
        self, from_account_id: str, to_account_id: str, amount_minor: Amount, memo: str | None = None
    ) -> dict[str, Any]:
        """Move money between two accounts at this bank, at once.

        Args:
            from_account_id: Account that pays.
            to_account_id: Account that receives; it must have the same currency.
            amount_minor: Amount in minor units, more than 0.
            memo: Text on both statements.

        Returns:
            out and in: the two transactions.

        Errors:
            not_found: There is no such account.
            same_account: Both are the same account.
            account_closed: One of the accounts is frozen or closed.
            currency_mismatch: The accounts have different currencies.
            insufficient_funds: The balance and overdraft do not cover it.
        """
        source, target = self._account(from_account_id), self._account(to_account_id)
        if from_account_id == to_account_id:
            raise ToolError("same_account", "from_account_id and to_account_id are the same account")
        self._check_open(source)
        self._check_open(target)
        if source["currency"] != target["currency"]:
            raise ToolError("currency_mismatch", f"{source['currency']} cannot be transferred to {target['currency']}")
        self._check_funds(source, amount_minor)
        out = self._post(from_account_id, -amount_minor, "transfer", target["name"], memo or "")
        into = self._post(to_account_id, amount_minor, "transfer", source["name"], memo or "")
        return {"out": out, "in": into}

    @tool(write=True)
    def schedule_recurring(
        self,
        account_id: str,
        payee_id: str,
        amount_minor: Amount,
        freq: Frequency,
        start_date: str,
        end_date: str | None = None,
    ) -> dict[str, Any]:
        """Pay a saved payee again and again.

        Each payment is posted at 08:00 of its day; it bounces if the money is not there then.

        Args:
            account_id: Account to pay from.
            payee_id: From list_payees.
            amount_minor: Amount of each payment in minor units, more than 0.
            freq: weekly, biweekly, monthly, quarterly or yearly.
            start_date: YYYY-MM-DD of the first payment, after today.
            end_date: YYYY-MM-DD after which nothing is paid; open if left out.

        Returns:
            The schedule with its schedule_id and next_date.

        Errors:
            not_found: There is no such account or payee, or the payee is another user's.
            account_closed: The account is frozen or closed.
            bad_date: A date is wrong, start_date is not after today, or end_date is before start_date.
        """
        account = self._account(account_id)
        self._payee(payee_id, account_id)
        self._check_open(account)
        first, last = self._check_span(start_date, end_date)
        return self._plan(self.new_id("rec"), account, payee_id, amount_minor, freq, first, last)

    @tool(write=True)
    def cancel_recurring(self, schedule_id: str) -> dict[str, Any]:
        """Stop a recurring payment. What was paid stays paid.

        Args:
            schedule_id: From list_recurring.

        Returns:
            The schedule, now cancelled.

        Errors:
            not_found: There is no such recurring payment.
            not_active: It has ended or was cancelled before.
        """
        schedule = self.get("schedules", schedule_id, "recurring payment", "banking.list_recurring shows them")
        if schedule["status"] != "active":
            raise ToolError("not_active", f"this recurring payment is {schedule['status']} already")
        return self.patch("schedules", schedule_id, status="cancelled", next_date=None)

    @tool(write=True)
    def cancel_payment(self, payment_id: str) -> dict[str, Any]:
        """Cancel a payment that was ordered for a later date and has not been posted.

        Args:
            payment_id: From list_pending_payments.

        Returns:
            The payment, now cancelled.

        Errors:
            not_found: There is no such payment.
            not_pending: It was posted, has bounced, or was cancelled before.
        """
        payment = self.get("payments", payment_id, "payment", "banking.list_pending_payments shows them")
        if payment["status"] != "scheduled":
            raise ToolError("not_pending", f"this payment is {payment['status']} and cannot be cancelled any more")
        return self.patch("payments", payment_id, status="cancelled", reason="cancelled by the customer")
