"""Reserving at merchants, changing and cancelling."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.review_platform.life import deal_price
from lifegym.services.review_platform.reading import ReviewReading
from lifegym.services.review_platform.records import WEEKDAYS
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ReviewReserving"]

_NOTE_LIMIT = 500


class _Deposit(NamedTuple):
    """What a reservation holds as a deposit, and how much of it is still to be charged (or, negative, given back)."""

    total: int
    due: int
    method: str


class ReviewReserving(ReviewReading):
    """The tools for reservations."""

    # -- tools: reservations -------------------------------------------------------------------------------------

    @tool(write=False)
    def list_reservations(
        self,
        user_id: str,
        status: Literal["confirmed", "completed", "cancelled"] | None = None,
        limit: int = 50,
    ) -> dict[str, Any]:
        """List the user's reservations as they stand now, the latest visit first.

        Args:
            user_id: Whose; the account's user.
            status: Only confirmed (still to come), completed or cancelled ones.
            limit: How many at most, up to 100.

        Returns:
            reservations: reservation_id, code, merchant_id, merchant_name, city, starts_at (local time of the
            merchant), party_size, deal_id, price_minor (of the deal, paid there), deposit_minor, note, status,
            cancel_until, cancelled_by, reason, history (the last ten changes), merchant_open (false where it is closed
            at that time now); total.

        Errors:
            not_signed_in: user_id is not the account's user.
            bad_limit: limit is not between 1 and 100.
        """
        self._check_user(user_id)
        found = [
            row
            for row in self.rows("reservations")
            if row["user_id"] == user_id and (status is None or row["status"] == status)
        ]
        found.sort(key=lambda row: self.seconds(row["starts_at"]), reverse=True)
        shown = [self._shown_reservation(row) for row in limited(found, limit, 100)]
        return {"reservations": shown, "total": len(found)}

    @tool(write=True)
    def reserve(
        self,
        user_id: str,
        merchant_id: str,
        datetime: str,
        party_size: Annotated[int, Field(ge=1)],
        deal_id: str | None = None,
        note: str | None = None,
        payment_method_id: str | None = None,
        reservation_id: str | None = None,
    ) -> dict[str, Any]:
        """Reserve a table or an appointment, or change a reservation that exists.

        get_merchant with a date shows the free times. Large parties may have to pay a deposit, which comes back when
        the reservation is cancelled in time.

        Args:
            user_id: For whom; the account's user.
            merchant_id: From search_merchants; mind namesakes in other towns.
            datetime: ISO 8601 date-time, e.g. 2026-04-18T19:00; without an offset it is the merchant's local time.
            party_size: How many people.
            deal_id: A deal to use, from list_merchant_deals.
            note: A wish to the merchant, up to 500 characters; a changed reservation keeps its note if left out.
            payment_method_id: What pays the deposit, where one is asked.
            reservation_id: Change this reservation of the same merchant instead of making a new one: it gets the time,
                party size and deal given here, and keeps its id.

        Returns:
            The reservation as list_reservations shows it: reservation_id, code, starts_at, party_size, price_minor,
            deposit_minor, cancel_until, status; group_terms where they apply.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such merchant or deal, or no such reservation at this merchant.
            bad_time: datetime is no ISO 8601 date-time with a time of day.
            bad_note: The note is longer than 500 characters.
            not_active: The reservation to change is over or cancelled.
            too_late: The reservation to change can no longer be changed, or its party no longer be made smaller.
            merchant_closed: The merchant has closed for good.
            no_reservations: The merchant takes no reservations here.
            in_past: The time is over.
            short_notice: The merchant or the deal wants to know earlier.
            too_far_ahead: The merchant does not take reservations for so late a date yet.
            bad_party_size: The merchant does not take parties of this size.
            not_open: The merchant is closed then or closes too soon after; the message names other times.
            bad_slot: Reservations begin at other minutes; the message names some.
            no_table: All tables or seats are taken then; the message names other times.
            double_booked: The user has another reservation at that time; cancel or change that one first.
            deal_not_valid: The deal is over, or not for this day or party size; the message says which.
            deposit_required: A party of this size pays a deposit: give payment_method_id.
            unknown_payment_method: There is no such payment method; or its service refuses the deposit with
                insufficient_funds, account_closed or currency_mismatch.
        """
        self._check_user(user_id)
        merchant = self._merchant(merchant_id)
        at = self._local_moment(merchant, datetime)
        if note is not None and len(note) > _NOTE_LIMIT:
            raise ToolError("bad_note", f"a note has at most {_NOTE_LIMIT} characters; shorten it")
        old = self._to_change(reservation_id, merchant_id, party_size) if reservation_id is not None else None
        self._check_table(merchant, at, party_size, reservation_id or "")
        self._check_free(user_id, merchant, at, reservation_id or "")
        deal = self._usable_deal(deal_id, merchant, at, party_size) if deal_id is not None else None
        deposit = self._deposit(merchant, party_size, payment_method_id, old)
        key = self._paid_key(merchant, deposit, old)
        zone = self._zone(merchant)
        fields = {
            "starts_at": clock.iso(at, zone),
            "party_size": party_size,
            "deal_id": deal_id or "",
            "price_minor": deal_price(deal, party_size),
            "deposit_minor": deposit.total,
            "currency": deal["currency"] if deal and deal["currency"] else merchant["currency"],
            "payment_method_id": deposit.method,
            "cancel_until": clock.iso(self._cancel_limit(merchant, at), zone),
        }
        if note is not None:
            fields["note"] = note
        text = f"{self._clock_text(merchant, at)} for {party_size}."
        if old:
            row = self._change(old, f"Changed by the guest to {text}", **fields)
        else:
            row = self.put(
                "reservations",
                reservation_id=key,
                merchant_id=merchant_id,
                user_id=user_id,
                code=self.world.code("table", 6),
                created_at=self.stamp(),
                history=[{"at": self.stamp(), "text": f"Reserved: {text}"}],
                **fields,
            )
        self._await_visit(row["reservation_id"])
        group = merchant["group_from"] is not None and party_size >= merchant["group_from"]
        return {**self._shown_reservation(row), **({"group_terms": merchant["group_terms"]} if group else {})}

    @tool(write=True)
    def cancel_reservation(self, reservation_id: str) -> dict[str, Any]:
        """Cancel a reservation, as long as the merchant allows it. A deposit is paid back.

        Args:
            reservation_id: From list_reservations.

        Returns:
            The reservation, now cancelled; refunded_minor (of the deposit).

        Errors:
            not_found: There is no such reservation of the account's user.
            not_active: It is over or was cancelled before.
            too_late: The merchant's limit (cancel_until) has passed; the message says whom to call.
            unknown_payment_method: The deposit cannot be paid back to the method it was paid with; or its service
                refuses with insufficient_funds, account_closed or currency_mismatch.
        """
        row = self._own_reservation(reservation_id)
        self._check_changeable(row)
        self._give_back_deposit(row)
        changed = self._change(
            row, "Cancelled by the guest.", status="cancelled", cancelled_at=self.stamp(), cancelled_by="guest"
        )
        refunded = row["deposit_minor"] if row["payment_method_id"] else 0
        return {**self._shown_reservation(changed), "refunded_minor": refunded}

    # -- inside --------------------------------------------------------------------------------------------------

    def _check_user(self, user_id: str) -> None:
        if user_id != self.world.owner:
            raise ToolError("not_signed_in", f"{user_id[:60]!r} is not signed in here; use {self.world.owner}")

    def _local_moment(self, merchant: Record, text: str) -> int:
        """The instant that a date-time means at the merchant's."""
        try:
            at = clock.parse_instant(text, self._zone(merchant))
        except ValueError as error:
            raise ToolError("bad_time", f"datetime: {error}") from None
        if len(text.strip()) <= 10:
            raise ToolError("bad_time", f"datetime: {text[:40]!r} has no time of day; write it as 2026-04-18T19:00")
        return at

    def _own_reservation(self, reservation_id: str) -> Record:
        row = self.find("reservations", reservation_id)
        if row is None or row["user_id"] != self.world.owner:
            raise ToolError(
                "not_found", f"you have no reservation {reservation_id[:60]!r}; list_reservations shows yours"
            )
        return row

    def _check_changeable(self, row: Record) -> None:
        if row["status"] != "confirmed":
            raise ToolError("not_active", f"this reservation is {row['status']} already")
        merchant = self._merchant_of(row)
        limit = row["cancel_until"]
        until = self.seconds(limit) if limit else self._cancel_limit(merchant, self.seconds(row["starts_at"]))
        if self.now > until:
            raise ToolError(
                "too_late",
                f"{merchant['name']} allowed changes until {self._clock_text(merchant, until)}; "
                f"now only the merchant can help{', call ' + merchant['phone'] if merchant['phone'] else ''}",
            )

    def _to_change(self, reservation_id: str, merchant_id: str, party_size: int) -> Record:
        """The reservation that is to be changed."""
        row = self._own_reservation(reservation_id)
        if row["merchant_id"] != merchant_id:
            raise ToolError(
                "not_found", f"{reservation_id} is at {row['merchant_id']}; cancel it and reserve anew for another one"
            )
        self._check_changeable(row)
        deal = self.find("deals", row["deal_id"])
        until = deal["free_reduction_until"] if deal else None
        if until and party_size < row["party_size"] and self.now > self.seconds(until):
            raise ToolError("too_late", f"the deal allowed fewer people until {until}; ask the merchant")
        return row

    def _check_free(self, user_id: str, merchant: Record, at: int, ignore: str) -> None:
        """Refuse a visit while the user is elsewhere."""
        end = at + merchant["stay_minutes"] * clock.MINUTE
        for row in self.rows("reservations"):
            if row["user_id"] == user_id and row["status"] == "confirmed" and row["reservation_id"] != ignore:
                start = self.seconds(row["starts_at"])
                if start < end and self._visit_end(row) > at:
                    other = self._merchant_of(row)
                    raise ToolError(
                        "double_booked",
                        f"{row['reservation_id']} at {other['name']}, {self._clock_text(other, start)}, overlaps; "
                        "cancel it, or change it with reservation_id",
                    )

    def _usable_deal(self, deal_id: str, merchant: Record, at: int, party_size: int) -> Record:
        """The deal, if it is to be had at the merchant's for this visit."""
        deal = self.find("deals", deal_id)
        if deal is None or deal["merchant_id"] != merchant["merchant_id"]:
            raise ToolError(
                "not_found", f"{merchant['name']} has no deal {deal_id[:60]!r}; list_merchant_deals shows its deals"
            )
        day = self._local_day(merchant, at)
        date, weekday = day.isoformat(), WEEKDAYS[day.weekday()]
        why = ""
        if deal["status"] == "ended":
            why = "is over"
        elif (deal["valid_from"] or date) > date:
            why = f"begins on {deal['valid_from']}"
        elif (deal["valid_until"] or date) < date:
            why = f"ends on {deal['valid_until']}"
        elif deal["weekdays"] and weekday not in deal["weekdays"]:
            why = f"is only for {', '.join(deal['weekdays'])}"
        elif date in deal["excluded_dates"]:
            why = f"is not for {date}"
        elif party_size < deal["min_party"]:
            why = f"is for {deal['min_party']} people or more"
        elif deal["max_party"] is not None and party_size > deal["max_party"]:
            why = f"is for up to {deal['max_party']} people"
        if why:
            raise ToolError("deal_not_valid", f"the deal {deal['title']!r} {why}; choose another or leave deal_id out")
        if at < self.now + deal["notice_minutes"] * clock.MINUTE:
            first = self._clock_text(merchant, self.now + deal["notice_minutes"] * clock.MINUTE)
            raise ToolError("short_notice", f"the deal {deal['title']!r} must be booked earlier: from {first} on")
        return deal

    def _deposit(self, merchant: Record, party_size: int, method: str | None, old: Record | None) -> _Deposit:
        """What the party has to leave as a deposit; one that a reservation holds grows or shrinks on its method."""
        least = merchant["deposit_from"]
        total = merchant["deposit_minor"] * party_size if least is not None and party_size >= least else 0
        if old and old["deposit_minor"]:
            known, held = old["payment_method_id"], old["deposit_minor"]
            return _Deposit(total, total - held, known) if known else _Deposit(held, 0, "")
        if not total:
            return _Deposit(0, 0, "")
        if not method:
            raise ToolError(
                "deposit_required",
                f"{merchant['name']} asks parties of {least} and more for {total} {merchant['currency']} (minor units) "
                "as a deposit; give payment_method_id",
            )
        return _Deposit(total, total, method)

    def _paid_key(self, merchant: Record, deposit: _Deposit, old: Record | None) -> str:
        """Settle the deposit of a reservation and return its id, a new one where there is none."""
        counters = self.world.counters.copy()
        key = str(old["reservation_id"]) if old else self.new_id("rsv")
        try:
            if deposit.due:
                self.pay(deposit.method, deposit.due, merchant["currency"], merchant["name"], key)
        except ToolError:
            self.world.counters = counters  # a refused reservation uses up no id
            raise
        return key

    def _shown_reservation(self, row: Record) -> dict[str, Any]:
        merchant = self._merchant_of(row)
        return {
            **row,
            "history": row["history"][-10:],
            "merchant_name": merchant["name"],
            "city": merchant["city"],
            "merchant_open": self._opening_at(merchant, self.seconds(row["starts_at"])) is not None,
        }
