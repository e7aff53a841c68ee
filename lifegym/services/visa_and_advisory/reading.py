"""Looking up entry rules, advisories, visas and applications."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import limited
from lifegym.services.tools import ToolError, tool
from lifegym.services.visa_and_advisory.countries import country_name
from lifegym.services.visa_and_advisory.inventory import VisaAndAdvisoryInventory
from lifegym.world.record import Record

__all__ = ["VisaReading"]

VERSIONS_SHOWN = 10
TRANSITS = 10


class VisaReading(VisaAndAdvisoryInventory):
    """Entry rules, travel advisories, visas, and applications for them."""

    @tool(write=False)
    def check_entry_requirements(
        self, nationality: str, destination: str, purpose: str, transit_countries: list[str] | None = None
    ) -> dict[str, Any]:
        """Show what a traveller needs to enter a country: passport, visa, medicines, forms.

        Rules can change; check again before departure, and read the advisory for news that is newer than the rules.

        Args:
            nationality: Of the passport: a country code or name, such as CN or China.
            destination: Country code or name, such as JP or Japan.
            purpose: tourism, business, study, work, family or transit.
            transit_countries: Countries that the journey passes through, up to 10.

        Returns:
            nationality, destination (codes), purpose, summary, visa_required (true, false or null), rules (code, text,
            valid_from, valid_until, in_force today), updated_at; advisory (level, title, effective_from, updated_at;
            null if there is none); transit: for each country its code, found, rules; visa_products (product_id, name).

        Errors:
            unknown_country: A country is not recognised.
            not_found: There is no record for this journey; the message names purposes that there are.
            too_many_countries: More than 10 transit countries.
        """
        home, target = self._country(nationality, "nationality"), self._country(destination, "destination")
        if len(transit_countries or ()) > TRANSITS:
            raise ToolError("too_many_countries", f"ask for at most {TRANSITS} transit countries at a time")
        codes = list(dict.fromkeys(self._country(text, "transit_countries") for text in transit_countries or ()))
        row = self._requirement(home, target, purpose)
        if row is None:
            there = [
                other["purpose"]
                for other in self.rows("requirements")
                if (other["nationality"], other["destination"]) == (home, target)
            ]
            hint = f"there are rules for: {', '.join(there)}" if there else "ask that country's consulate"
            raise ToolError(
                "not_found", f"no entry rules from {home} to {target} for the purpose {purpose[:40]!r}; {hint}"
            )
        advisory = self.find("advisories", target)
        keys = ("level", "title", "effective_from", "updated_at")
        return {
            "requirement_id": row["requirement_id"],
            "nationality": home,
            "destination": target,
            "destination_name": country_name(target),
            "purpose": row["purpose"],
            "summary": row["summary"],
            "visa_required": row["visa_required"],
            "rules": self._rules(row),
            "updated_at": row["updated_at"],
            "advisory": None if advisory is None else {key: advisory[key] for key in keys},
            "transit": [self._transit(home, code) for code in codes],
            "visa_products": [
                {"product_id": product["product_id"], "name": product["name"]}
                for product in self._products_for(home, target)
            ],
        }

    @tool(write=False)
    def get_advisory(self, country_code: str) -> dict[str, Any]:
        """Read a country's travel advisory.

        Args:
            country_code: Country code or name, such as JP, JPN or Japan.

        Returns:
            country_code, country, level (1 usual care, 2 more care, 3 think again, 4 do not travel), title, text,
            effective_from, updated_at, version; earlier (the newest 10 earlier versions, newest first: version, level,
            title, text, published_at, effective_from).

        Errors:
            unknown_country: The country is not recognised.
            not_found: There is no advisory for it.
        """
        code = self._country(country_code, "country_code")
        advisory = self.get("advisories", code, "advisory for", "ask for another country")
        keys = ("country_code", "level", "title", "text", "effective_from", "updated_at")
        return {
            **{key: advisory[key] for key in keys},
            "country": country_name(code),
            "version": len(advisory["versions"]) + 1,
            "earlier": advisory["versions"][-VERSIONS_SHOWN:][::-1],
        }

    @tool(write=False)
    def list_visa_products(self, nationality: str, destination: str) -> dict[str, Any]:
        """List the visas that a nationality can apply for here.

        Args:
            nationality: Country code or name.
            destination: Country code or name.

        Returns:
            products: product_id, name, purpose, fee_minor, currency, processing_days (for what is submitted today),
            working_days, entries, stay_days; total.

        Errors:
            unknown_country: A country is not recognised.
        """
        home, target = self._country(nationality, "nationality"), self._country(destination, "destination")
        keys = ("product_id", "name", "purpose", "fee_minor", "currency", "working_days", "entries", "stay_days")
        products = [
            {**{key: row[key] for key in keys}, "processing_days": self._days(row, self.today())}
            for row in self._products_for(home, target)
        ]
        return {"products": products[:100], "total": len(products)}

    @tool(write=False)
    def get_visa_product(self, product_id: str) -> dict[str, Any]:
        """Show a visa: fee, how long it takes, which documents and answers it needs.

        Args:
            product_id: From list_visa_products.

        Returns:
            The product: name, destination, nationalities (empty: everybody), purpose, fee_minor, currency,
            processing_days (usual; counted from the day after submission), processing_changes (submitted_from,
            processing_days: other times from a day on), working_days (Monday to Friday only), required_documents,
            optional_documents, questions (keys of the answers), stay_days, validity_days, entries, notes;
            decision_if_submitted_today (the day by which it would be decided).

        Errors:
            not_found: There is no such visa product.
        """
        product = self._product(product_id)
        shown = {key: value for key, value in product.items() if key not in ("outcome", "outcome_reason")}
        return {**shown, "decision_if_submitted_today": self._due(product, self.today())}

    @tool(write=False)
    def list_visa_applications(self, user_id: str, status_filter: str | None = None, limit: int = 50) -> dict[str, Any]:
        """List a user's visa applications, newest first.

        Args:
            user_id: Whose.
            status_filter: draft, submitted, processing, action_needed, approved or rejected; all if left out.
            limit: How many at most, up to 200.

        Returns:
            applications: application_id, product_id, product, destination, applicant_name, status, created_at,
            submitted_at, decision_due, mend_by, decided_at; total (how many match).

        Errors:
            bad_limit: limit is not between 1 and 200.
        """
        mine = [
            row
            for row in self.rows("applications")
            if row["user_id"] == user_id and (status_filter is None or row["status"] == status_filter)
        ]
        mine.sort(key=lambda row: self.seconds(row["created_at"]))
        mine.reverse()
        keys = ("status", "created_at", "submitted_at", "decision_due", "mend_by", "decided_at")
        listed = []
        for row in limited(mine, limit):
            product = self.find("products", row["product_id"]) or {"name": "", "destination": ""}
            listed.append(
                {
                    "application_id": row["application_id"],
                    "product_id": row["product_id"],
                    "product": product["name"],
                    "destination": product["destination"],
                    "applicant_name": row["applicant"].get("name", ""),
                    **{key: row[key] for key in keys},
                }
            )
        return {"applications": listed, "total": len(mine)}

    @tool(write=False)
    def get_visa_application(self, application_id: str) -> dict[str, Any]:
        """Show an application: where it stands, what was handed in, what is missing.

        Args:
            application_id: From start_visa_application or list_visa_applications.

        Returns:
            The application: status (draft, submitted, processing, action_needed, approved, rejected), product,
            applicant, documents (document_id, kind, doc_ref, uploaded_at, status, reason), missing_documents (kinds
            still to upload), answers, fee_minor, currency, submitted_at, decision_due (day), mend_by (until when a
            rejected document can be replaced without losing the place), decided_at, reason, visa_no, history.

        Errors:
            not_found: There is no such application.
        """
        return self._shown(self._application(application_id))

    # -- inside --------------------------------------------------------------------------------------------------

    def _rules(self, row: Record) -> list[dict[str, Any]]:
        """Rules that hold or will hold; those that have ended are left out."""
        today = self.today().isoformat()
        return [
            {**rule, "in_force": not rule["valid_from"] or rule["valid_from"] <= today}
            for rule in row["rules"]
            if not rule["valid_until"] or rule["valid_until"] >= today
        ]

    def _transit(self, nationality: str, code: str) -> dict[str, Any]:
        row = self._requirement(nationality, code, "transit")
        if row is None:
            note = "No transit rules are known here; ask the carrier or that country's consulate."
            return {"country_code": code, "country": country_name(code), "found": False, "rules": [], "note": note}
        rules, note = self._rules(row), row["summary"]
        return {"country_code": code, "country": country_name(code), "found": True, "rules": rules, "note": note}

    def _products_for(self, nationality: str, destination: str) -> list[Record]:
        return [
            row
            for row in self.rows("products")
            if row["destination"] == destination and (not row["nationalities"] or nationality in row["nationalities"])
        ]

    def _missing(self, row: Record, product: Record) -> list[str]:
        """Kinds of document that an application still needs."""
        good = {own["kind"] for own in row["documents"] if own["status"] == "received"}
        rejected = [own["kind"] for own in row["documents"] if own["status"] == "rejected"]
        return [kind for kind in dict.fromkeys([*product["required_documents"], *rejected]) if kind not in good]

    def _shown(self, row: Record) -> dict[str, Any]:
        product = self._product(row["product_id"])
        return {
            **row,
            "product": product["name"],
            "destination": product["destination"],
            "missing_documents": self._missing(row, product),
            "questions": product["questions"],
        }
