"""What merchants do by themselves: visits pass, questions are answered, reservations are moved and called off."""

from __future__ import annotations

from typing import Any

from lifegym.services.review_platform.records import Size, Span
from lifegym.services.review_platform.tables import ReviewTables
from lifegym.services.search import fold
from lifegym.services.tools import happening
from lifegym.services.types import Day, Instant, TimeOfDay
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ReviewPlatformLife", "deal_price", "keywords"]

REMIND_BEFORE = 24 * clock.HOUR


class ReviewPlatformLife(ReviewTables):
    """What comes of reservations and questions."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def cancel_reservation_by_merchant(
        self, merchant_id: str, date: Day, reason: str = "", time: TimeOfDay | None = None
    ) -> list[str]:
        """The merchant calls off its live reservations of a day, or those that begin at a time of it.

        Deposits are paid back.
        """
        return [
            self._call_off(row, reason)["reservation_id"] for row in self._live_reservations(merchant_id, date, time)
        ]

    @happening
    def move_reservation(
        self, merchant_id: str, date: Day, starts_at: Instant, reason: str = "", time: TimeOfDay | None = None
    ) -> list[str]:
        """The merchant moves its live reservations of a day, or those that begin at a time of it."""
        rows = self._live_reservations(merchant_id, date, time)
        for row in rows:
            merchant = self._merchant(merchant_id)
            at = self.seconds(starts_at)
            text = f"Moved by the merchant to {self._clock_text(merchant, at)}. {reason}".strip()
            self._change(row, text, starts_at=clock.iso(at, self._zone(merchant)))
            self._await_visit(row["reservation_id"])
            self._tell(row["reservation_id"], "moved", f"{merchant['name']} moved your reservation", text)
        return [row["reservation_id"] for row in rows]

    @happening
    def change_party(
        self, merchant_id: str, date: Day, party_size: Size, time: TimeOfDay | None = None, reason: str = ""
    ) -> list[str]:
        """The merchant's book shows another number of guests for its live reservations of a day."""
        rows = [row for row in self._live_reservations(merchant_id, date, time) if row["party_size"] != party_size]
        for row in rows:
            text = f"Now for {party_size}, before for {row['party_size']}. {reason}".strip()
            deal = self.find("deals", row["deal_id"])
            self._change(row, text, party_size=party_size, price_minor=deal_price(deal, party_size))
            self._tell(row["reservation_id"], "changed", "Your reservation was changed", text)
        return [row["reservation_id"] for row in rows]

    @happening
    def close_merchant(self, merchant_id: str, date: Day | None = None, reason: str = "") -> list[str]:
        """A merchant closes for a day, or without a date for good; the reservations that it would break are called off.

        Returns the merchant's key and those of the reservations.
        """
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        if date is None:
            self.patch("merchants", merchant_id, status="closed")
        else:
            self.patch("merchants", merchant_id, exceptions={**merchant["exceptions"], date: []})
        broken = self._live_reservations(merchant_id, date)
        when = f"on {date}" if date else "for good"
        self._tell(merchant_id, "closed", f"{merchant['name']} is closed {when}", reason)
        return [merchant_id, *(self._call_off(row, reason or "closed")["reservation_id"] for row in broken)]

    @happening
    def set_hours(self, merchant_id: str, date: Day, hours: list[Span]) -> list[str]:
        """A merchant has other hours on a day. Its reservations stay, and show where it is closed then."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        self.patch("merchants", merchant_id, exceptions={**merchant["exceptions"], date: hours})
        text = f"Hours on {date}: {', '.join(hours) or 'closed'}."
        self._tell(merchant_id, "hours_changed", f"{merchant['name']}: other hours", text)
        return [merchant_id]

    @happening
    def fill_up(self, merchant_id: str, date: Day, hours: list[Span]) -> list[str]:
        """The tables of a merchant are taken at these times of a day; an empty list makes them free again."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        self.patch("merchants", merchant_id, full={**merchant["full"], date: hours})
        return [merchant_id]

    @happening
    def answer_question(self, merchant_id: str, answer: str, contains: str = "", author: str = "") -> list[str]:
        """Somebody answers the unanswered questions at a merchant that have a text in them; the merchant by default."""
        open_questions = [
            row
            for row in self.rows("questions")
            if row["merchant_id"] == merchant_id and not row["answers"] and fold(contains) in fold(row["body"])
        ]
        for row in open_questions:
            self._answer(row, answer, author)
        return [row["question_id"] for row in open_questions]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        listed: dict[str, list[int]] = {}
        for review in self.rows("reviews"):
            listed.setdefault(review["merchant_id"], []).append(review["rating"])
        for merchant in list(self.rows("merchants")):
            self._reckon(merchant, listed.get(merchant["merchant_id"], []))
        for row in list(self.rows("reservations")):
            merchant = self._merchant_of(row)
            at = self.seconds(row["starts_at"])
            changes: dict[str, Any] = {"starts_at": clock.iso(at, self._zone(merchant))}
            if row["cancel_until"] is None:
                changes["cancel_until"] = clock.iso(self._cancel_limit(merchant, at), self._zone(merchant))
            self.patch("reservations", row["reservation_id"], **changes)
            if row["status"] == "confirmed":
                self._await_visit(row["reservation_id"])
        for row in list(self.rows("questions")):
            self._await_answer(row)

    def finish_visit(self, reservation_id: str) -> None:
        """A visit whose time has passed is over."""
        row = self.find("reservations", reservation_id)
        if row is not None and row["status"] == "confirmed" and self._visit_end(row) <= self.now:
            self.patch("reservations", reservation_id, status="completed")

    def remind(self, reservation_id: str) -> None:
        """Remind the guest of tomorrow's visit, where it still is tomorrow."""
        row = self.find("reservations", reservation_id)
        if row is None or row["status"] != "confirmed":
            return
        at = self.seconds(row["starts_at"])
        if at - REMIND_BEFORE == self.now and row["user_id"] == self.world.owner:
            merchant = self._merchant_of(row)
            text = f"{self._clock_text(merchant, at)}, {row['party_size']} people, code {row['code'] or '-'}."
            self.world.notify(self.name, "reservation", f"Tomorrow: {merchant['name']}", text, ref=reservation_id)

    def give_standing_answer(self, question_id: str) -> None:
        """The merchant answers a question to which it has a standing answer."""
        row = self.find("questions", question_id)
        answer = self._standing_answer(row) if row is not None else ""
        if row is not None and answer and not row["answers"]:
            self._answer(row, answer, "")

    # -- inside --------------------------------------------------------------------------------------------------

    def _live_reservations(self, merchant_id: str, date: str | None, time: str | None = None) -> list[Record]:
        """The confirmed reservations at a merchant; on a local day, and at a time of it, if given."""
        merchant = self.find("merchants", merchant_id)
        if merchant is None:
            return []
        found = []
        for row in self.rows("reservations"):
            if row["merchant_id"] == merchant_id and row["status"] == "confirmed":
                local = clock.iso(self.seconds(row["starts_at"]), self._zone(merchant))
                if date in (None, local[:10]) and time in (None, local[11:16]):
                    found.append(row)
        return found

    def _call_off(self, row: Record, reason: str) -> Record:
        merchant = self._merchant_of(row)
        self._give_back_deposit(row)
        text = f"Cancelled by the merchant. {reason}".strip()
        changed = self._change(
            row, text, status="cancelled", cancelled_at=self.stamp(), cancelled_by="merchant", reason=reason
        )
        when = self._clock_text(merchant, self.seconds(row["starts_at"]))
        title = f"{merchant['name']} cancelled your reservation"
        self._tell(row["reservation_id"], "cancelled", title, f"{when}. {reason}".strip())
        return changed

    def _give_back_deposit(self, row: Record) -> None:
        if row["deposit_minor"] and row["payment_method_id"]:
            merchant = self._merchant_of(row)
            amount, ref = -row["deposit_minor"], row["reservation_id"]
            self.pay(row["payment_method_id"], amount, merchant["currency"], merchant["name"], ref)

    def _change(self, row: Record, text: str, **changes: Any) -> Record:
        history = [*row["history"], {"at": self.stamp(), "text": text}]
        return self.patch("reservations", row["reservation_id"], history=history, **changes)

    def _await_visit(self, reservation_id: str) -> None:
        """Put the reminder before a visit and the end of it on the agenda."""
        row = self.get("reservations", reservation_id, "reservation")
        reminder = self.seconds(row["starts_at"]) - REMIND_BEFORE
        if reminder > self.now:
            self.later(reminder, "remind", reservation_id=reservation_id)
        self.later(max(self.now, self._visit_end(row)), "finish_visit", reservation_id=reservation_id)

    def _await_answer(self, question: Record) -> None:
        """Put the standing answer to a question on the agenda, where there is one."""
        if not question["answers"] and self._standing_answer(question):
            minutes = self._merchant_of(question)["answer_minutes"]
            due = self.seconds(question["at"]) + minutes * clock.MINUTE
            self.later(max(self.now, due), "give_standing_answer", question_id=question["question_id"])

    def _standing_answer(self, question: Record) -> str:
        asked = fold(question["body"])
        answers: dict[str, str] = self._merchant_of(question)["standing_answers"]
        return next((answer for words, answer in answers.items() if fold(words) in asked), "")

    def _answer(self, question: Record, body: str, author: str) -> None:
        merchant = self._merchant_of(question)
        answer = {
            "at": self.stamp(), "author": author or merchant["name"], "by_merchant": not author, "body": body,
        }  # fmt: skip
        self.patch("questions", question["question_id"], answers=[*question["answers"], answer])
        if question["user_id"] == self.world.owner:
            title = f"{answer['author']} answered your question"
            self.world.notify(self.name, "answer", title, body, ref=question["question_id"])
            self._tell(question["question_id"], "answered", title, body)

    def _reckon(self, merchant: Record, listed: list[int]) -> Record:
        """Fill in what follows from the other fields: the stars of reviews that are not listed, and the keywords."""
        changes: dict[str, Any] = {"keywords": keywords(merchant)}
        if merchant["unlisted_stars"] is None:
            changes["unlisted_stars"] = 0.0
            if listed and merchant["review_count"] <= len(listed):
                changes |= {"review_count": len(listed), "rating": round(sum(listed) / len(listed), 1)}
            elif merchant["rating"]:
                count = max(1, merchant["review_count"])
                changes |= {"review_count": count, "unlisted_stars": merchant["rating"] * count - sum(listed)}
            else:
                changes["review_count"] = 0
        return self.patch("merchants", merchant["merchant_id"], **changes)

    def _tell(self, ref: str, status: str, title: str, body: str) -> None:
        """Let subscriptions hear of a change."""
        self.world.emit("status", source=self.name, ref=ref, status=status, title=title, body=body)


def deal_price(deal: Record | None, party_size: int) -> int | None:
    """What a deal costs a party; None where it has no price of its own."""
    if deal is None or deal["amount_minor"] is None:
        return None
    amount: int = deal["amount_minor"]
    return amount * party_size if deal["unit"] == "person" else amount


def keywords(merchant: Record) -> str:
    """What a search looks at beside a merchant's name."""
    lists = ("aliases", "tags", "attributes", "certificates")
    return "; ".join([merchant["category"], *(text for field in lists for text in merchant[field])])
