"""What the visa desk does by itself: it decides on applications, and rules and advisories change."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.tools import ToolError, happening
from lifegym.services.types import Day, Instant
from lifegym.services.visa_and_advisory.countries import country_code, country_name
from lifegym.services.visa_and_advisory.records import (
    Advisory,
    Application,
    Days,
    Level,
    Product,
    Requirement,
    Subscription,
)
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["VisaAndAdvisoryLife"]

OPENING = 9 * clock.HOUR
CLOSING = 17 * clock.HOUR
OPEN = ("submitted", "processing", "action_needed")
_PURPOSES = {
    "tourist": "tourism",
    "holiday": "tourism",
    "holidays": "tourism",
    "vacation": "tourism",
    "leisure": "tourism",
    "sightseeing": "tourism",
    "travel": "tourism",
    "visit": "tourism",
    "business trip": "business",
    "conference": "business",
    "meeting": "business",
    "work": "work",
    "employment": "work",
    "study": "study",
    "student": "study",
    "education": "study",
    "layover": "transit",
    "stopover": "transit",
    "family visit": "family",
    "visiting family": "family",
}


class VisaAndAdvisoryLife(Service):
    """The visa desk's own behaviour."""

    name = "visa_and_advisory"
    title = "Visas and travel advice"
    records = {
        "requirements": Requirement,
        "advisories": Advisory,
        "products": Product,
        "applications": Application,
        "subscriptions": Subscription,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def change_advisory(
        self,
        country_code: str,
        text: str,
        level: Level | None = None,
        title: str = "",
        effective_from: Day | None = None,
    ) -> list[str]:
        """Publish a new version of a country's advisory. Those who subscribed to it are alerted."""
        code = self._code(country_code)
        advisory = self.find("advisories", code or "")
        if advisory is None:
            return []
        advisory = self.patch(
            "advisories",
            advisory["country_code"],
            versions=[*advisory["versions"], self._version(advisory)],
            text=text,
            level=advisory["level"] if level is None else level,
            title=title or advisory["title"],
            effective_from=effective_from,
            updated_at=self.stamp(),
        )
        self._alert(advisory)
        return [advisory["country_code"]]

    @happening
    def change_requirement(
        self,
        nationality: str,
        destination: str,
        purpose: str,
        code: str,
        text: str = "",
        valid_from: Day | None = None,
    ) -> list[str]:
        """Replace, add or (with an empty text) end one rule of entry, now or from a day on."""
        row = self._requirement(self._code(nationality), self._code(destination), purpose)
        if row is None or not (text or any(rule["code"] == code for rule in row["rules"])):
            return []
        starts = valid_from or self.today().isoformat()
        before = (clock.parse_day(starts) - dt.timedelta(days=1)).isoformat()
        rules = []
        for rule in row["rules"]:
            if rule["code"] != code:
                rules.append(rule)
            elif rule["valid_from"] is None or rule["valid_from"] < starts:
                # What held until now holds up to the eve of the new rule.
                rules.append({**rule, "valid_until": min(rule["valid_until"] or before, before)})
        if text:
            rules.append({"code": code, "text": text, "valid_from": starts, "valid_until": None})
        self.patch("requirements", row["requirement_id"], rules=rules, updated_at=self.stamp())
        return [row["requirement_id"]]

    @happening
    def change_product(
        self,
        product_id: str,
        processing_days: Days | None = None,
        submitted_from: Day | None = None,
        fee_minor: Annotated[int, Field(ge=0)] | None = None,
    ) -> list[str]:
        """Change how long a visa takes (for what is submitted from a day on) or what it costs."""
        product = self.find("products", product_id)
        if product is None or (processing_days is None and fee_minor is None):
            return []
        changes: dict[str, Any] = {} if fee_minor is None else {"fee_minor": fee_minor}
        if processing_days is not None and submitted_from is None:
            changes |= {"processing_days": processing_days, "processing_changes": []}
        elif processing_days is not None:
            change = {"submitted_from": submitted_from, "processing_days": processing_days}
            changes["processing_changes"] = [*product["processing_changes"], change]
        self.patch("products", product_id, **changes)
        return [product_id]

    @happening
    def decide_application(
        self,
        product_id: str,
        decision: Literal["approved", "rejected"],
        reason: str = "",
        submitted_by: Instant | None = None,
        user_id: str = "",
    ) -> list[str]:
        """Decide now on the applications for a product that are in process (and were submitted by an instant).

        Applications that wait for a document are left alone.
        """
        touched = [
            row["application_id"]
            for row in self.rows("applications")
            if row["product_id"] == product_id
            and row["status"] in ("submitted", "processing")
            and (submitted_by is None or self.seconds(row["submitted_at"]) <= self.seconds(submitted_by))
            and (not user_id or row["user_id"] == user_id)
        ]
        for application_id in touched:
            self._decide(application_id, decision, reason)
        return touched

    @happening
    def reject_document(
        self,
        product_id: str,
        kind: str,
        reason: str,
        mend_hours: Annotated[int, Field(ge=1)] = 24,
        user_id: str = "",
    ) -> list[str]:
        """Reject a document of the applications for a product that are in process.

        Each waits for a new one; if that comes within mend_hours, the application keeps its place in the queue.
        """
        touched = []
        for row in list(self.rows("applications")):
            documents = [
                {**own, "status": "rejected", "reason": reason} if own["kind"] == kind else own
                for own in row["documents"]
            ]
            if (
                row["product_id"] == product_id
                and row["status"] in OPEN
                and documents != row["documents"]
                and (not user_id or row["user_id"] == user_id)
            ):
                application_id = row["application_id"]
                mend_by = self.world.iso(self.now + mend_hours * clock.HOUR)
                self.patch("applications", application_id, documents=documents, mend_by=mend_by, reason=reason)
                self._turn(
                    application_id, "action_needed", f"{kind} was rejected: {reason}; send a new one by {mend_by}"
                )
                touched.append(application_id)
        return touched

    # -- the clock -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        for row in list(self.rows("applications")):
            if row["status"] in OPEN and row["submitted_at"]:
                if row["decision_due"] is None:
                    sent = clock.local(self.seconds(row["submitted_at"]), self.world.zone).date()
                    due = self._due(self._product(row["product_id"]), sent)
                    row = self.patch("applications", row["application_id"], decision_due=due)
                self._await_desk(row)

    def begin_processing(self, application_id: str) -> None:
        """Take an application up, on the morning after its submission."""
        row = self.find("applications", application_id)
        if row is not None and row["status"] == "submitted":
            self._turn(application_id, "processing", "The application is being processed.")

    def conclude(self, application_id: str, date: str) -> None:
        """Decide on an application whose processing days are over, unless it waits for a document."""
        row = self.find("applications", application_id)
        if row is None or row["status"] not in ("submitted", "processing") or row["decision_due"] != date:
            return
        product = self._product(row["product_id"])
        self._decide(application_id, product["outcome"], product["outcome_reason"])
        row = self._application(application_id)
        self.world.notify(
            self.name,
            "visa_decision",
            f"Your application {application_id} is {row['status']}",
            f"{product['name']}, {country_name(product['destination'])}: {row['status']}. {row['reason']}".strip(),
            ref=application_id,
            user_id=row["user_id"],
        )

    # -- inside --------------------------------------------------------------------------------------------------

    @staticmethod
    def _code(text: str) -> str | None:
        return country_code(text)

    def _country(self, text: str, name: str) -> str:
        """The code of a country that an argument names.

        Raises:
            ToolError: ``unknown_country``.
        """
        code = country_code(text)
        if code is None:
            raise ToolError("unknown_country", f"{name}: {text[:60]!r} is no country; use a name or a code such as JP")
        return code

    @staticmethod
    def _purpose(text: str) -> str:
        plain = " ".join(text.lower().split())
        return _PURPOSES.get(plain, plain)

    def _requirement(self, nationality: str | None, destination: str | None, purpose: str) -> Record | None:
        wanted = self._purpose(purpose)
        for row in self.rows("requirements"):
            if (row["nationality"], row["destination"], row["purpose"]) == (nationality, destination, wanted):
                return row
        return None

    def _product(self, product_id: str) -> Record:
        return self.get("products", product_id, "visa product", "visa_and_advisory.list_visa_products shows them")

    def _application(self, application_id: str) -> Record:
        hint = "visa_and_advisory.list_visa_applications shows them"
        return self.get("applications", application_id, "application", hint)

    @staticmethod
    def _version(advisory: Record) -> dict[str, Any]:
        """An advisory as one of its versions."""
        return {
            "version": len(advisory["versions"]) + 1,
            "level": advisory["level"],
            "title": advisory["title"],
            "text": advisory["text"],
            "published_at": advisory["updated_at"],
            "effective_from": advisory["effective_from"],
        }

    def _alert(self, advisory: Record) -> None:
        """Tell those who asked for it that an advisory has changed, once each way."""
        code = advisory["country_code"]
        title = f"Travel advisory changed: {country_name(code)}, level {advisory['level']}"
        starts = f" In force from {advisory['effective_from']}." if advisory["effective_from"] else ""
        body = f"{advisory['title']}: {advisory['text']}{starts}" if advisory["title"] else advisory["text"] + starts
        mine = [row for row in self.rows("subscriptions") if row["country_code"] == code]
        if mine:
            self.world.notify(self.name, "advisory_alert", title, body, ref=code, opens="alert")
        for row in mine:
            if "@" in row["sink"]:
                self.world.emit(
                    "mail_in",
                    to=row["sink"],
                    sender="advisories@visa-desk.example",
                    sender_name="Visa and Advisory Desk",
                    subject=title,
                    body=body,
                    attachments=[],
                )
        status = f"level {advisory['level']}"
        self.world.emit("status", source=self.name, ref=code, status=status, title=title, body=body)

    @staticmethod
    def _days(product: Record, submitted: dt.date) -> int:
        """How many days a product takes if it is submitted on a day."""
        days: int = product["processing_days"]
        for change in product["processing_changes"]:
            if submitted.isoformat() >= change["submitted_from"]:
                days = change["processing_days"]
        return days

    def _due(self, product: Record, submitted: dt.date) -> str:
        """The day of decision: processing days counted from the day after submission."""
        return self._after(product, submitted, self._days(product, submitted))

    @staticmethod
    def _after(product: Record, day: dt.date, left: int) -> str:
        """The day that lies so many of the product's days after another."""
        while left:
            day += dt.timedelta(days=1)
            if not product["working_days"] or day.weekday() < 5:
                left -= 1
        return day.isoformat()

    def _await_desk(self, row: Record) -> None:
        """Let the desk take an application up and decide on it."""
        zone, application_id = self.world.zone, row["application_id"]
        due = clock.parse_day(row["decision_due"])
        at = max(clock.day_start(due, zone) + CLOSING, self.now + clock.MINUTE)
        if row["status"] == "submitted":
            sent = clock.local(self.seconds(row["submitted_at"]), zone).date()
            morning = clock.day_start(sent + dt.timedelta(days=1), zone) + OPENING
            self.later(max(min(morning, at), self.now), "begin_processing", application_id=application_id)
        self.later(at, "conclude", application_id=application_id, date=row["decision_due"])

    def _turn(self, application_id: str, status: str, text: str) -> Record:
        """Give an application a new status and a line in its history."""
        history = self._application(application_id)["history"]
        line = {"at": self.stamp(), "status": status, "text": text}
        return self.patch("applications", application_id, status=status, history=[*history, line])

    def _decide(self, application_id: str, decision: str, reason: str) -> None:
        number = self.world.code("visa", 9) if decision == "approved" else ""
        self.patch("applications", application_id, decided_at=self.stamp(), reason=reason, visa_no=number)
        self._turn(application_id, decision, reason or f"The application is {decision}.")

    def check_invariants(self) -> None:
        for row in self.rows("applications"):
            decided = row["status"] in ("approved", "rejected")
            assert decided == (row["decided_at"] is not None), row
            assert (row["status"] == "approved") == bool(row["visa_no"]), row
            if row["status"] == "draft":
                assert row["submitted_at"] is None, row
                assert row["mend_by"] is None, row
            if row["status"] in OPEN:
                handed_in = {own["kind"] for own in row["documents"]}
                assert handed_in.issuperset(self._product(row["product_id"])["required_documents"]), row
                assert row["decision_due"], row
                rejected = any(own["status"] == "rejected" for own in row["documents"])
                assert rejected == (row["status"] == "action_needed") == (row["mend_by"] is not None), row
        for advisory in self.rows("advisories"):
            numbers = [version["version"] for version in advisory["versions"]]
            assert numbers == list(range(1, len(numbers) + 1)), advisory
        for requirement in self.rows("requirements"):
            for rule in requirement["rules"]:
                assert not (rule["valid_from"] and rule["valid_until"]) or rule["valid_from"] <= rule["valid_until"]
