"""Applying for visas and subscribing to advisories."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from lifegym.services.search import fold
from lifegym.services.tools import ToolError, tool
from lifegym.services.visa_and_advisory.countries import country_name
from lifegym.services.visa_and_advisory.reading import VisaReading
from lifegym.world.record import Record
from lifegym.world.workspace import WorkspaceError

__all__ = ["VisaAndAdvisory"]

FORM_LIMIT = 20_000
PAYEE = "Visa and Advisory Desk"
_SINKS = {"notification_hub": "notification_hub", "hub": "notification_hub", "notification": "notification_hub"}


class VisaAndAdvisory(VisaReading):
    """Entry rules, travel advisories, visas, and applications for them."""

    @tool(write=True)
    def start_visa_application(self, product_id: str, applicant_profile: dict[str, Any]) -> dict[str, Any]:
        """Open an application as a draft. Upload its documents next, then submit it.

        Args:
            product_id: From list_visa_products.
            applicant_profile: The applicant's data: name, and where known nationality, user_id, birth_date,
                passport_no, passport_expiry, email.

        Returns:
            The application with its application_id, missing_documents (kinds to upload) and questions (keys that the
            answers need).

        Errors:
            not_found: There is no such visa product.
            bad_profile: The name is missing, or the profile is too long.
            unknown_country: The profile's nationality is not recognised.
            not_eligible: This visa is not for that nationality.
        """
        product = self._product(product_id)
        name, user_id = applicant_profile.get("name"), applicant_profile.get("user_id") or self.world.owner
        if not isinstance(name, str) or not name.strip() or not isinstance(user_id, str):
            raise ToolError("bad_profile", "applicant_profile has a name (text), such as {'name': 'Ann Lee'}")
        _check_form(applicant_profile, "applicant_profile", "bad_profile")
        nationality = applicant_profile.get("nationality")
        if nationality:
            code = self._country(str(nationality), "applicant_profile.nationality")
            if product["nationalities"] and code not in product["nationalities"]:
                raise ToolError("not_eligible", f"{product['name']} is for {', '.join(product['nationalities'])} only")
        row = self.put(
            "applications",
            application_id=self.new_id("va"),
            product_id=product_id,
            user_id=user_id,
            applicant=applicant_profile,
            currency=product["currency"],
            created_at=self.stamp(),
        )
        return self._shown(self._turn(row["application_id"], "draft", "The application was opened."))

    @tool(write=True)
    def upload_document(self, application_id: str, kind: str, doc_ref: str) -> dict[str, Any]:
        """Add a file of the workspace to an application, or replace the one of that kind.

        After submission only a document that the desk rejected can be replaced. In time (mend_by) the application
        keeps its place in the queue; later its processing days begin anew.

        Args:
            application_id: From start_visa_application.
            kind: One of the product's required_documents or optional_documents.
            doc_ref: Path of the file in the workspace, such as docs/passport.txt.

        Returns:
            document (document_id, kind, doc_ref, status), application status, missing_documents, decision_due.

        Errors:
            not_found: There is no such application, or no such file.
            bad_path: doc_ref is no path inside the workspace.
            bad_kind: The visa takes no such document; the message lists the kinds.
            not_open: The application is decided, or its documents are accepted and cannot change.
        """
        row = self._application(application_id)
        product = self._product(row["product_id"])
        kind = self._kind(product, kind)
        rejected = any(own["kind"] == kind and own["status"] == "rejected" for own in row["documents"])
        if row["status"] != "draft" and not rejected:
            raise ToolError("not_open", f"the application is {row['status']}; its {kind} cannot be changed")
        path = self._file(doc_ref)
        document = {
            "document_id": self.new_id("vdoc"),
            "kind": kind,
            "doc_ref": path,
            "uploaded_at": self.stamp(),
            "status": "received",
            "reason": "",
        }
        kept = [own for own in row["documents"] if own["kind"] != kind]
        row = self.patch("applications", application_id, documents=[*kept, document])
        if row["status"] == "action_needed" and not self._missing(row, product):
            row = self._mended(row, product)
        return {
            "application_id": application_id,
            "document": document,
            "status": row["status"],
            "missing_documents": self._missing(row, product),
            "decision_due": row["decision_due"],
        }

    @tool(write=True)
    def submit_visa_application(
        self, application_id: str, answers: dict[str, Any], docs_refs: list[str], payment_method_id: str
    ) -> dict[str, Any]:
        """Hand in a draft and pay its fee. The fee is not refunded, whatever is decided.

        The desk takes it up on the next morning and decides within the visa's processing days, which are counted from
        the day after submission.

        Args:
            application_id: From start_visa_application.
            answers: An answer for every key in the visa's questions.
            docs_refs: The uploaded documents to hand in, by doc_ref or document_id; every required kind among them.
            payment_method_id: What to charge the fee to.

        Returns:
            The application, now submitted, with submitted_at, decision_due and fee_minor.

        Errors:
            not_found: There is no such application.
            not_draft: It was submitted before.
            unknown_document: A reference was not uploaded to this application; use upload_document first.
            missing_document: A required kind of document is not among docs_refs; the message lists the kinds.
            missing_answer: A question has no answer; the message lists the keys.
            bad_answers: The answers are too long.
            unknown_payment_method: The person has no such payment method.
            insufficient_funds: The method does not cover the fee.
            account_closed: The method's account is frozen or closed.
            currency_mismatch: The method cannot pay this currency.
        """
        row = self._application(application_id)
        product = self._product(row["product_id"])
        if row["status"] != "draft":
            raise ToolError("not_draft", f"the application is {row['status']} already")
        handed_in = self._handed_in(row, docs_refs)
        kinds = [own["kind"] for own in handed_in]
        missing = [kind for kind in product["required_documents"] if kind not in kinds]
        if missing:
            raise ToolError(
                "missing_document",
                f"docs_refs lack: {', '.join(missing)}; upload them with upload_document, name them here",
            )
        unanswered = [key for key in product["questions"] if answers.get(key) in (None, "")]
        if unanswered:
            raise ToolError("missing_answer", f"answers need: {', '.join(unanswered)}")
        _check_form(answers, "answers", "bad_answers")
        self.check_method(payment_method_id)
        if product["fee_minor"]:
            self.pay(
                payment_method_id, product["fee_minor"], product["currency"], PAYEE, application_id, product["name"]
            )
        self.patch(
            "applications",
            application_id,
            answers=answers,
            documents=handed_in,
            fee_minor=product["fee_minor"],
            currency=product["currency"],
            payment_method_id=payment_method_id,
            submitted_at=self.stamp(),
            decision_due=self._due(product, self.today()),
        )
        row = self._turn(application_id, "submitted", f"Submitted; decision by {self._due(product, self.today())}.")
        self._await_desk(row)
        return self._shown(row)

    @tool(write=True)
    def subscribe_advisory(self, country_code: str, sink: str) -> dict[str, Any]:
        """Be told at once whenever a country's advisory changes.

        Args:
            country_code: Country code or name, such as JP or Japan.
            sink: Where to: notification_hub, email (the person's own address), or another mail address.

        Returns:
            subscription_id, country_code, sink, created_at; already (true if this subscription existed before).

        Errors:
            unknown_country: The country is not recognised.
            not_found: There is no advisory for it.
            bad_sink: sink is neither notification_hub nor email nor a mail address.
        """
        code = self._country(country_code, "country_code")
        self.get("advisories", code, "advisory for", f"nothing is published on {country_name(code)}")
        target = self._sink(sink)
        for row in self.rows("subscriptions"):
            if (row["country_code"], row["sink"]) == (code, target):
                return {**row, "already": True}
        row = self.put(
            "subscriptions",
            subscription_id=self.new_id("vsub"),
            country_code=code,
            sink=target,
            user_id=self.world.owner,
            created_at=self.stamp(),
        )
        return {**row, "already": False}

    # -- inside --------------------------------------------------------------------------------------------------

    def _sink(self, text: str) -> str:
        plain = text.strip().lower()
        if plain == "email":
            return self.world.owner_email.lower()
        if re.fullmatch(r"[^@\s]{1,64}@[^@\s]{1,190}", plain):
            return plain
        if plain in _SINKS:
            return _SINKS[plain]
        raise ToolError("bad_sink", "sink is notification_hub, email, or a mail address")

    @staticmethod
    def _kind(product: Record, text: str) -> str:
        """The product's name of a kind of document, however it is spaced and capitalised."""
        kinds = [*product["required_documents"], *product["optional_documents"]]
        plain = re.sub(r"[\s_-]+", "_", fold(text[:100]).strip())
        for kind in kinds:
            if re.sub(r"[\s_-]+", "_", fold(kind)) == plain:
                return str(kind)
        raise ToolError("bad_kind", f"this visa takes the documents: {', '.join(kinds) or 'none'}")

    def _file(self, doc_ref: str) -> str:
        """The normalised path of a file that exists."""
        try:
            path = self.world.workspace.normalise(doc_ref)
        except WorkspaceError as error:
            raise ToolError("bad_path", str(error)) from None
        if self.world.workspace.get(path) is None:
            raise ToolError(
                "not_found", f"there is no file {path!r} in the workspace; workspace.list_files shows what there is"
            )
        return path

    @staticmethod
    def _handed_in(row: Record, docs_refs: list[str]) -> list[Record]:
        """The uploaded documents that references name, each once."""
        uploaded = {own["document_id"]: own for own in row["documents"]}
        by_path = {own["doc_ref"]: own for own in row["documents"]}
        found: dict[str, Record] = {}
        for ref in docs_refs:
            own = uploaded.get(ref) or by_path.get(ref.strip().removeprefix("./").lstrip("/"))
            if own is None:
                known = ", ".join(by_path) or "nothing yet"
                raise ToolError(
                    "unknown_document", f"{ref[:80]!r} was not uploaded to this application; uploaded: {known}"
                )
            found[own["document_id"]] = own
        return list(found.values())

    def _mended(self, row: Record, product: Record) -> Record:
        """Go on with an application whose rejected documents were replaced, in time or too late."""
        in_time = self.now <= self.seconds(row["mend_by"])
        due = row["decision_due"] if in_time else self._due(product, self.today())
        # The desk needs a day to look at the new document.
        due = max(due, self._after(product, self.today(), 1))
        application_id = row["application_id"]
        self.patch("applications", application_id, mend_by=None, reason="", decision_due=due)
        said = "keeps its place in the queue" if in_time else "goes to the end of the queue"
        row = self._turn(application_id, "processing", f"The document was replaced; the application {said}.")
        self._await_desk(row)
        return row


def _check_form(form: Mapping[str, Any], name: str, code: str) -> None:
    if len(orjson.dumps(form)) > FORM_LIMIT:
        raise ToolError(code, f"{name} has at most {FORM_LIMIT} characters; long texts belong in documents")
