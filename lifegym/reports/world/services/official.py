"""Courts and law, and the visa desk."""

from __future__ import annotations

from lifegym.reports.world.looking import Look
from lifegym.reports.world.parts import Note, Part
from lifegym.reports.world.records import record
from lifegym.reports.world.views import Listed, Opened, Stock, View, stock

__all__ = ["LEGAL_SEARCH", "VISA_AND_ADVISORY"]


def _docket(look: Look, docket_id: str) -> list[Part]:
    found = look.read("legal_search.get_docket", docket_id=docket_id)
    if found is None:
        return [Note(f"There is no docket {docket_id}.", "warn")]
    filings = Listed(
        "Filings", "legal_search.list_filings", "filings", ("filed_at", "kind", "title", "filed_by", "receipt", "late"),
        item="filing", key="filing_id", arguments={"docket_id": docket_id},
    )  # fmt: skip
    return [*record(found, look.zone, skip=("filings",)), *filings(look)]


LEGAL_SEARCH = View(
    (
        Listed(
            "Dockets", "legal_search.list_dockets", "dockets",
            ("number", "court", "role", "opened_on", "next_hearing", "next_deadline", "docket_id"),
            item="docket", key="docket_id", heading="title", empty="",
        ),
        Listed(
            "Saved", "legal_search.list_saved", "saved",
            ("title", "number", "court", "decided_on", "authority", "saved_at", "notes", "case_id"), empty="",
        ),
        Stock(
            "Courts", "legal_search.courts", "legal_search.get_court", ("name", "level", "city", "address", "court_id")
        ),
        Stock(
            "Statutes", "legal_search.statutes", "legal_search.get_statute",
            ("title", "abbreviation", "jurisdiction", "in_force", "total_articles", "statute_id"),
        ),
        Stock(
            "Articles", "legal_search.articles", "legal_search.get_article",
            ("abbreviation", "number", "heading", "in_force", "valid_from", "article_id"),
        ),
        Stock(
            "Cases", "legal_search.cases", "legal_search.get_case",
            ("title", "number", "court", "case_type", "decided_on", "authority", "case_id"),
        ),
    ),
    {"docket": _docket, "filing": Opened("legal_search.get_filing", "filing_id")},
    "search_cases and search_statutes find cases and law.",
)  # fmt: skip


def _requirements(look: Look) -> list[Part]:
    known = look.keys("visa_and_advisory.requirements", "nationality", "destination", "purpose")
    found = [look.read("visa_and_advisory.check_entry_requirements", **names) for names in known]
    columns = ("nationality", "destination_name", "purpose", "visa_required", "summary", "updated_at")
    return stock([row for row in found if row], look.zone, "Rules of entry", columns)


VISA_AND_ADVISORY = View(
    (
        Listed(
            "Applications", "visa_and_advisory.list_visa_applications", "applications",
            ("applicant_name", "destination", "submitted_at", "decision_due", "mend_by", "decided_at",
             "application_id"),
            item="application", key="application_id", heading="product", empty="Nothing is applied for.",
        ),
        _requirements,
        Stock(
            "Travel advice", "visa_and_advisory.advisories", "visa_and_advisory.get_advisory",
            ("country", "level", "title", "effective_from", "updated_at", "country_code"),
        ),
        Stock(
            "Visas", "visa_and_advisory.products", "visa_and_advisory.get_visa_product",
            ("name", "destination", "purpose", "fee_minor", "processing_days", "entries", "product_id"),
        ),
    ),
    {"application": Opened("visa_and_advisory.get_visa_application", "application_id")},
    "check_entry_requirements and get_advisory take countries.",
)  # fmt: skip
