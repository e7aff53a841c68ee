"""The visa desk keeps its rules: who may enter, what changes, who is told, when it decides."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.visa_and_advisory.countries import COUNTRIES, country_code, country_name
from lifegym.world import clock

PUBLISHED = "2026-01-10T09:00:00+08:00"
PASSPORT = "The passport must be valid for at least six months after arrival."
MEDICINES = "A personal one-month supply, self-injection included, needs no certificate; declare it on the form."
BOTH = "A visa in a replaced booklet counts only with both booklets and the new number in the pre-arrival form."


def _rule(code: str, text: str, valid_from: str | None = None, valid_until: str | None = None) -> dict[str, Any]:
    return {"code": code, "text": text, "valid_from": valid_from, "valid_until": valid_until}


def _desk(d: Any) -> Any:
    d.put(
        "visa_and_advisory.requirements",
        requirement_id="req_cn_jp",
        nationality="CN",
        destination="JP",
        purpose="tourism",
        summary="A visa and a passport valid for six months.",
        visa_required=True,
        rules=[
            _rule("passport_validity", PASSPORT),
            _rule("medicines", MEDICINES),
            _rule("masks", "Masks on board.", None, "2026-04-18"),
        ],
        updated_at=PUBLISHED,
    )
    d.put(
        "visa_and_advisory.requirements",
        requirement_id="req_cn_kr_transit",
        nationality="CN",
        destination="KR",
        purpose="transit",
        summary="No visa below 24 hours.",
        rules=[_rule("onward_ticket", "An onward ticket is needed.")],
        updated_at=PUBLISHED,
    )
    d.put(
        "visa_and_advisory.advisories",
        country_code="JP",
        level=1,
        title="Usual care",
        text="Take care on stairs.",
        updated_at=PUBLISHED,
    )
    d.put("visa_and_advisory.advisories", country_code="KR", text="Usual care.", updated_at=PUBLISHED)
    d.put(
        "visa_and_advisory.products",
        product_id="ge_evisa",
        nationalities=["GH", "NG"],
        destination="GE",
        name="Georgia e-visa",
        fee_minor=2_000,
        currency="USD",
        processing_days=5,
        required_documents=["passport", "photo"],
        optional_documents=["residence_permit"],
        questions=["arrival_date"],
    )
    d.put(
        "visa_and_advisory.products",
        product_id="jp_visa",
        destination="JP",
        name="Japan visit visa",
        fee_minor=0,
        currency="CNY",
        processing_days=3,
        working_days=False,
        outcome="rejected",
        outcome_reason="No ties.",
    )
    for method in ("pm_kwame", "acc_usd"):
        d.world.table("world.methods").put({"method_id": method})
    d.put(
        "banking.accounts", account_id="acc_usd", user_id="u_ann", name="Dollars", currency="USD", balance_minor=5_000
    )
    for name in ("passport", "photo", "photo2", "permit"):
        d.world.workspace.write(f"docs/{name}.txt", name, d.world.now)
    d.start()
    return d


@pytest.fixture
def visa(desk: Any) -> Any:
    return _desk(desk("visa_and_advisory", "banking", "notification_hub", "email"))


def check(d: Any, **changes: Any) -> dict[str, Any]:
    arguments = {"nationality": "CN", "destination": "JP", "purpose": "tourism", **changes}
    result: dict[str, Any] = d.call("visa_and_advisory.check_entry_requirements", **arguments)
    return result


def codes(found: dict[str, Any]) -> list[str]:
    return [rule["code"] for rule in found["rules"]]


def show(d: Any, application_id: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call("visa_and_advisory.get_visa_application", application_id=application_id)
    return result


def draft(d: Any, product_id: str = "ge_evisa", **profile: Any) -> str:
    row = d.call(
        "visa_and_advisory.start_visa_application",
        product_id=product_id,
        applicant_profile={"name": "Kwame", "user_id": "u_kwame", **profile},
    )
    return str(row["application_id"])


def upload(d: Any, application_id: str, kind: str, path: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call(
        "visa_and_advisory.upload_document", application_id=application_id, kind=kind, doc_ref=path
    )
    return result


def filled(d: Any) -> str:
    application_id = draft(d)
    upload(d, application_id, "passport", "docs/passport.txt")
    upload(d, application_id, "photo", "docs/photo.txt")
    return application_id


def form(draft_id: str, **changes: Any) -> dict[str, Any]:
    return {
        "application_id": draft_id,
        "answers": {"arrival_date": "2026-09-16"},
        "docs_refs": ["docs/passport.txt", "docs/photo.txt"],
        "payment_method_id": "pm_kwame",
        **changes,
    }


def submitted(d: Any) -> str:
    application_id = filled(d)
    d.call("visa_and_advisory.submit_visa_application", **form(application_id))
    return application_id


# -- countries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("JP", "JP"),
        ("jpn", "JP"),
        ("Japan", "JP"),
        (" japanese ", "JP"),
        ("Jappan", "JP"),
        ("Chinese", "CN"),
        ("PRC", "CN"),
        ("Korea", "KR"),
        ("Republic of Korea", "KR"),
        ("South Korea", "KR"),
        ("North Korea", "KP"),
        ("Georgia", "GE"),
        ("Ghanaian", "GH"),
        ("U.K.", "GB"),
        ("UK", "GB"),
        ("U.S.A.", "US"),
        ("U.S.", "US"),
        ("USA", "US"),
        ("Untied States", "US"),
        ("Viet Nam", "VN"),
        ("Türkiye", "TR"),
        ("Switzerlnad", "CH"),
        ("the Netherlands", "NL"),
        ("New Zeeland", "NZ"),
        ("XK", "XK"),
        ("Atlantis", None),
        ("", None),
        ("...", None),
        ("J", None),
    ],
)
def test_countries_by_any_name(text: str, code: str | None) -> None:
    assert country_code(text) == code


def test_every_country_is_found_by_its_own_names() -> None:
    for code, (three, name, _) in COUNTRIES.items():
        assert country_code(three) == country_code(name) == country_code(code) == code
    assert country_name("XK") == "XK"


# -- entry rules -------------------------------------------------------------------------------------------------


def test_entry_rules(visa: Any) -> None:
    found = check(visa)
    assert codes(found) == ["passport_validity", "medicines", "masks"]
    assert found["rules"][0]["text"] == PASSPORT
    assert found["visa_required"] is True
    assert found["advisory"]["level"] == 1
    assert found["visa_products"] == [{"product_id": "jp_visa", "name": "Japan visit visa"}]
    assert check(visa, nationality="Chinese", destination="Japan", purpose=" Holiday ")["rules"] == found["rules"]
    visa.until("2026-04-19T00:00:00")
    assert codes(check(visa)) == ["passport_validity", "medicines"]


def test_transit(visa: Any) -> None:
    found = check(visa, transit_countries=["Korea", "KR", "Singapore"])
    assert [(row["country_code"], row["found"]) for row in found["transit"]] == [("KR", True), ("SG", False)]
    assert codes(found["transit"][0]) == ["onward_ticket"]


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"nationality": "Atlantis"}, "unknown_country"),
        ({"destination": "Atlantis"}, "unknown_country"),
        ({"transit_countries": ["Atlantis"]}, "unknown_country"),
        ({"transit_countries": ["KR"] * 11}, "too_many_countries"),
        ({"purpose": "study"}, "not_found"),
        ({"destination": "FR"}, "not_found"),
    ],
)
def test_entry_rules_refuse(visa: Any, changes: dict[str, Any], code: str) -> None:
    arguments = {"nationality": "CN", "destination": "JP", "purpose": "tourism", **changes}
    assert visa.refused("visa_and_advisory.check_entry_requirements", **arguments) == code


def test_a_missing_purpose_names_those_that_exist(visa: Any) -> None:
    arguments = {"nationality": "CN", "destination": "JP", "purpose": "student"}
    assert "tourism" in visa.outcome("visa_and_advisory.check_entry_requirements", **arguments).text


def change_rule(d: Any, code: str, **changes: Any) -> list[str]:
    result: list[str] = d.happen(
        "visa_and_advisory.change_requirement", nationality="China", destination="JP", purpose="tourist", code=code,
        **changes,
    )  # fmt: skip
    return result


def test_a_rule_changes_from_a_day_on(visa: Any) -> None:
    assert change_rule(visa, "passport_validity", text="Nine months.", valid_from="2026-04-25") == ["req_cn_jp"]
    rules = {(rule["text"], rule["in_force"]) for rule in check(visa)["rules"] if rule["code"] == "passport_validity"}
    assert rules == {(PASSPORT, True), ("Nine months.", False)}
    assert check(visa)["updated_at"].startswith("2026-04-17T09:00")
    visa.until("2026-04-25T00:00:00")
    rules = {(rule["text"], rule["in_force"]) for rule in check(visa)["rules"] if rule["code"] == "passport_validity"}
    assert rules == {("Nine months.", True)}
    change_rule(visa, "passport_validity", text="Ten months.", valid_from="2026-04-20")
    assert [rule["text"] for rule in check(visa)["rules"] if rule["code"] == "passport_validity"] == ["Ten months."]
    visa.check()


def test_rules_are_added_and_ended(visa: Any) -> None:
    change_rule(visa, "both_booklets", text=BOTH)
    assert codes(check(visa))[-1] == "both_booklets"
    change_rule(visa, "masks")
    assert "masks" not in codes(check(visa))
    assert change_rule(visa, "unknown") == []
    nothing = {"nationality": "CN", "destination": "FR", "purpose": "tourism", "code": "x", "text": "y"}
    assert visa.happen("visa_and_advisory.change_requirement", **nothing) == []
    visa.check()


# -- advisories --------------------------------------------------------------------------------------------------


def test_an_advisory_keeps_its_versions(visa: Any) -> None:
    first = visa.call("visa_and_advisory.get_advisory", country_code="Japan")
    assert (first["version"], first["level"], first["earlier"]) == (1, 1, [])
    visa.until("2026-04-22T10:00:00")
    changed = {"country_code": "Japan", "text": BOTH, "effective_from": "2026-04-25"}
    assert visa.happen("visa_and_advisory.change_advisory", **changed) == ["JP"]
    now = visa.call("visa_and_advisory.get_advisory", country_code="JPN")
    assert (now["version"], now["level"], now["title"], now["text"]) == (2, 1, "Usual care", BOTH)
    assert now["effective_from"] == "2026-04-25"
    assert now["updated_at"] == "2026-04-22T10:00:00+08:00"
    assert [(old["version"], old["text"]) for old in now["earlier"]] == [(1, "Take care on stairs.")]
    for number in range(12):
        visa.happen(
            "visa_and_advisory.change_advisory", country_code="JP", text=f"v{number}", level=2, title="More care"
        )
    now = visa.call("visa_and_advisory.get_advisory", country_code="JP")
    assert (now["level"], now["title"], len(now["earlier"]), now["earlier"][0]["text"]) == (2, "More care", 10, "v10")
    assert visa.happen("visa_and_advisory.change_advisory", country_code="FR", text="x") == []
    assert visa.happen("visa_and_advisory.change_advisory", country_code="Atlantis", text="x") == []
    visa.check()


def test_advisory_refuses(visa: Any) -> None:
    assert visa.refused("visa_and_advisory.get_advisory", country_code="Atlantis") == "unknown_country"
    assert visa.refused("visa_and_advisory.get_advisory", country_code="FR") == "not_found"


def subscribe(d: Any, sink: str, country: str = "Japan") -> dict[str, Any]:
    result: dict[str, Any] = d.call("visa_and_advisory.subscribe_advisory", country_code=country, sink=sink)
    return result


def test_subscribers_are_alerted_once(visa: Any) -> None:
    first = subscribe(visa, "notification_hub")
    assert (first["country_code"], first["already"]) == ("JP", False)
    again = subscribe(visa, "hub")
    assert (again["subscription_id"], again["already"]) == (first["subscription_id"], True)
    subscribe(visa, "email")
    visa.happen("visa_and_advisory.change_advisory", country_code="KR", text="Strikes.")
    assert visa.world.openings == []
    visa.happen(
        "visa_and_advisory.change_advisory", country_code="JP", text=BOTH, title="Visas", effective_from="2026-04-25"
    )
    [opening] = visa.world.openings
    assert opening.kind == "alert"
    assert BOTH in opening.text
    assert "2026-04-25" in opening.text
    [mail] = visa.call("email.get_emails")["emails"]
    assert "Japan" in mail["subject"]


def test_without_subscription_a_change_is_silent(visa: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(type(visa.world), "emit", lambda self, topic, **data: told.append((topic, data)))
    visa.happen("visa_and_advisory.change_advisory", country_code="JP", text="x", level=3)
    [(topic, data)] = told
    assert (topic, data["source"], data["ref"], data["status"]) == ("status", "visa_and_advisory", "JP", "level 3")
    assert visa.world.openings == []
    subscribe(visa, "other@mail.example")
    visa.happen("visa_and_advisory.change_advisory", country_code="JP", text="y")
    assert [data["to"] for topic, data in told if topic == "mail_in"] == ["other@mail.example"]


def test_subscribing_refuses(visa: Any) -> None:
    tool = "visa_and_advisory.subscribe_advisory"
    assert visa.refused(tool, country_code="Atlantis", sink="email") == "unknown_country"
    assert visa.refused(tool, country_code="FR", sink="email") == "not_found"
    assert visa.refused(tool, country_code="JP", sink="pigeon") == "bad_sink"


# -- products ----------------------------------------------------------------------------------------------------


def test_products(visa: Any) -> None:
    listed = visa.call("visa_and_advisory.list_visa_products", nationality="Ghana", destination="Georgia")
    assert [(row["product_id"], row["processing_days"]) for row in listed["products"]] == [("ge_evisa", 5)]
    assert visa.call("visa_and_advisory.list_visa_products", nationality="CN", destination="GE")["total"] == 0
    product = visa.call("visa_and_advisory.get_visa_product", product_id="ge_evisa")
    assert product["required_documents"] == ["passport", "photo"]
    assert product["decision_if_submitted_today"] == "2026-04-24"
    assert "outcome" not in product
    assert visa.refused("visa_and_advisory.get_visa_product", product_id="x") == "not_found"
    bad = {"nationality": "CN", "destination": "Atlantis"}
    assert visa.refused("visa_and_advisory.list_visa_products", **bad) == "unknown_country"


@pytest.mark.parametrize(
    ("day", "due"), [("2026-08-30", "2026-09-04"), ("2026-08-31", "2026-09-14"), ("2026-09-01", "2026-09-15")]
)
def test_processing_gets_slower_from_a_day_on(visa: Any, day: str, due: str) -> None:
    visa.until("2026-08-23T23:00:00")
    slower = {"product_id": "ge_evisa", "processing_days": 10, "submitted_from": "2026-08-31"}
    assert visa.happen("visa_and_advisory.change_product", **slower) == ["ge_evisa"]
    visa.until(f"{day}T21:00:00")
    assert visa.call("visa_and_advisory.get_visa_product", product_id="ge_evisa")["decision_if_submitted_today"] == due
    assert show(visa, submitted(visa))["decision_due"] == due
    visa.check()


def test_products_change(visa: Any) -> None:
    change = "visa_and_advisory.change_product"
    assert visa.happen(change, product_id="ge_evisa", fee_minor=2_500) == ["ge_evisa"]
    assert visa.happen(change, product_id="ge_evisa", processing_days=1) == ["ge_evisa"]
    product = visa.call("visa_and_advisory.get_visa_product", product_id="ge_evisa")
    assert (product["fee_minor"], product["decision_if_submitted_today"]) == (2_500, "2026-04-20")
    assert visa.happen(change, product_id="x", fee_minor=1) == []
    assert visa.happen(change, product_id="ge_evisa") == []


# -- applying ----------------------------------------------------------------------------------------------------


def test_from_draft_to_visa(visa: Any) -> None:
    application_id = draft(visa, nationality="Ghana")
    row = show(visa, application_id)
    assert (row["status"], row["user_id"], row["missing_documents"]) == ("draft", "u_kwame", ["passport", "photo"])
    assert row["questions"] == ["arrival_date"]
    after = upload(visa, application_id, "Passport", "/docs/passport.txt")
    assert after["document"]["doc_ref"] == "docs/passport.txt"
    assert after["missing_documents"] == ["photo"]
    upload(visa, application_id, "photo", "docs/photo2.txt")
    photo = upload(visa, application_id, "photo", "docs/photo.txt")["document"]
    upload(visa, application_id, "Residence permit", "docs/permit.txt")
    refs = ["docs/passport.txt", photo["document_id"], "docs/photo.txt"]
    sent = visa.call("visa_and_advisory.submit_visa_application", **form(application_id, docs_refs=refs))
    assert (sent["status"], sent["decision_due"], sent["fee_minor"]) == ("submitted", "2026-04-24", 2_000)
    assert [own["doc_ref"] for own in sent["documents"]] == ["docs/passport.txt", "docs/photo.txt"]
    [charge] = visa.world.table("world.charges").rows()
    assert (charge["amount_minor"], charge["currency"], charge["method"], charge["ref"]) == (
        2_000, "USD", "pm_kwame", application_id,
    )  # fmt: skip
    visa.until("2026-04-18T09:00:00")
    assert show(visa, application_id)["status"] == "processing"
    visa.until("2026-04-24T16:59:00")
    assert show(visa, application_id)["status"] == "processing"
    visa.until("2026-04-24T17:00:00")
    done = show(visa, application_id)
    assert (done["status"], len(done["visa_no"])) == ("approved", 9)
    assert [step["status"] for step in done["history"]] == ["draft", "submitted", "processing", "approved"]
    assert visa.world.openings == []
    visa.check()


def test_the_desk_can_say_no(visa: Any) -> None:
    application_id = draft(visa, "jp_visa")
    done = form(application_id, docs_refs=[], answers={})
    visa.call("visa_and_advisory.submit_visa_application", **done)
    assert list(visa.world.table("world.charges").rows()) == []
    visa.until("2026-04-20T17:00:00")
    row = show(visa, application_id)
    assert (row["status"], row["reason"], row["visa_no"]) == ("rejected", "No ties.", "")
    visa.check()


def test_a_visa_on_the_spot(visa: Any) -> None:
    visa.happen("visa_and_advisory.change_product", product_id="jp_visa", processing_days=0)
    visa.until("2026-04-17T20:00:00")
    application_id = draft(visa, "jp_visa")
    visa.call("visa_and_advisory.submit_visa_application", **form(application_id, docs_refs=[], answers={}))
    visa.until("2026-04-17T20:01:00")
    assert show(visa, application_id)["status"] == "rejected"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"product_id": "x", "applicant_profile": {"name": "A"}}, "not_found"),
        ({"product_id": "ge_evisa", "applicant_profile": {}}, "bad_profile"),
        ({"product_id": "ge_evisa", "applicant_profile": {"name": " "}}, "bad_profile"),
        ({"product_id": "ge_evisa", "applicant_profile": {"name": "A", "user_id": 7}}, "bad_profile"),
        ({"product_id": "ge_evisa", "applicant_profile": {"name": "A" * 30_000}}, "bad_profile"),
        ({"product_id": "ge_evisa", "applicant_profile": {"name": "A", "nationality": "Oz land"}}, "unknown_country"),
        ({"product_id": "ge_evisa", "applicant_profile": {"name": "A", "nationality": "CN"}}, "not_eligible"),
    ],
)
def test_starting_refuses(visa: Any, arguments: dict[str, Any], code: str) -> None:
    assert visa.refused("visa_and_advisory.start_visa_application", **arguments) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"application_id": "va_9999"}, "not_found"),
        ({"doc_ref": "docs/none.txt"}, "not_found"),
        ({"doc_ref": "../etc/passwd"}, "bad_path"),
        ({"kind": "selfie"}, "bad_kind"),
    ],
)
def test_uploading_refuses(visa: Any, changes: dict[str, Any], code: str) -> None:
    arguments = {"application_id": draft(visa), "kind": "photo", "doc_ref": "docs/photo.txt", **changes}
    assert visa.refused("visa_and_advisory.upload_document", **arguments) == code


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"application_id": "va_9999"}, "not_found"),
        ({"docs_refs": ["docs/passport.txt"]}, "missing_document"),
        ({"docs_refs": ["docs/passport.txt", "docs/photo2.txt"]}, "unknown_document"),
        ({"answers": {}}, "missing_answer"),
        ({"answers": {"arrival_date": ""}}, "missing_answer"),
        ({"answers": {"arrival_date": "x" * 30_000}}, "bad_answers"),
        ({"payment_method_id": "pm_else"}, "unknown_payment_method"),
    ],
)
def test_submitting_refuses(visa: Any, changes: dict[str, Any], code: str) -> None:
    assert visa.refused("visa_and_advisory.submit_visa_application", **form(filled(visa), **changes)) == code


def test_the_fee_may_be_refused(visa: Any) -> None:
    arguments = form(filled(visa), payment_method_id="acc_usd")
    banking = visa.world.service("banking")
    for changes, code in (
        ({"balance_minor": 1_999}, "insufficient_funds"),
        ({"status": "frozen"}, "account_closed"),
        ({"currency": "EUR", "status": "open"}, "currency_mismatch"),
    ):
        banking.patch("accounts", "acc_usd", **changes)
        assert visa.refused("visa_and_advisory.submit_visa_application", **arguments) == code


def test_what_is_submitted_is_closed(visa: Any) -> None:
    application_id = submitted(visa)
    assert visa.refused("visa_and_advisory.submit_visa_application", **form(application_id)) == "not_draft"
    photo = {"application_id": application_id, "kind": "photo", "doc_ref": "docs/photo2.txt"}
    assert visa.refused("visa_and_advisory.upload_document", **photo) == "not_open"
    assert visa.refused("visa_and_advisory.get_visa_application", application_id="va_9999") == "not_found"


def reject_photo(d: Any, **more: Any) -> list[str]:
    arguments = {"product_id": "ge_evisa", "kind": "photo", "reason": "blurred", **more}
    result: list[str] = d.happen("visa_and_advisory.reject_document", **arguments)
    return result


def test_a_photo_mended_in_time_keeps_the_place(visa: Any) -> None:
    application_id = submitted(visa)
    visa.until("2026-04-20T13:00:00")
    assert reject_photo(visa, user_id="u_else") == []
    assert reject_photo(visa) == [application_id]
    row = show(visa, application_id)
    assert (row["status"], row["mend_by"]) == ("action_needed", "2026-04-21T13:00:00+08:00")
    assert row["missing_documents"] == ["photo"]
    assert row["documents"][1]["reason"] == "blurred"
    visa.check()
    decide = {"product_id": "ge_evisa", "decision": "approved"}
    assert visa.happen("visa_and_advisory.decide_application", **decide) == []  # it waits for the photo
    visa.until("2026-04-21T13:00:00")
    passport = {"application_id": application_id, "kind": "passport", "doc_ref": "docs/passport.txt"}
    assert visa.refused("visa_and_advisory.upload_document", **passport) == "not_open"
    mended = upload(visa, application_id, "photo", "docs/photo2.txt")
    assert (mended["status"], mended["decision_due"], mended["missing_documents"]) == ("processing", "2026-04-24", [])
    visa.until("2026-04-24T17:00:00")
    assert show(visa, application_id)["status"] == "approved"
    visa.check()


def test_a_photo_mended_late_begins_anew(visa: Any) -> None:
    application_id = submitted(visa)
    visa.until("2026-04-20T13:00:00")
    reject_photo(visa)
    visa.until("2026-04-26T12:00:00")
    assert show(visa, application_id)["status"] == "action_needed"
    assert upload(visa, application_id, "photo", "docs/photo2.txt")["decision_due"] == "2026-05-01"
    visa.until("2026-05-01T17:00:00")
    assert show(visa, application_id)["status"] == "approved"
    visa.check()


def test_a_photo_mended_after_the_due_day_is_looked_at(visa: Any) -> None:
    application_id = submitted(visa)
    visa.until("2026-04-24T12:00:00")
    reject_photo(visa, mend_hours=48)
    visa.until("2026-04-25T12:00:00")
    assert upload(visa, application_id, "photo", "docs/photo2.txt")["decision_due"] == "2026-04-27"
    visa.check()


def test_two_rejected_documents_both_count(visa: Any) -> None:
    application_id = submitted(visa)
    reject_photo(visa)
    reject_photo(visa, kind="passport")
    assert upload(visa, application_id, "photo", "docs/photo2.txt")["status"] == "action_needed"
    assert upload(visa, application_id, "passport", "docs/passport.txt")["status"] == "processing"
    visa.check()


def test_decided_early_if_sent_in_time(visa: Any) -> None:
    first = submitted(visa)
    visa.until("2026-04-18T12:00:00")
    second = submitted(visa)
    decide = {"product_id": "ge_evisa", "decision": "approved", "submitted_by": "2026-04-17T23:59:00+08:00"}
    assert visa.happen("visa_and_advisory.decide_application", **decide) == [first]
    assert show(visa, second)["status"] == "submitted"
    assert visa.happen("visa_and_advisory.decide_application", **decide) == []
    refuse = {"product_id": "ge_evisa", "decision": "rejected", "reason": "Forged.", "user_id": "u_kwame"}
    assert visa.happen("visa_and_advisory.decide_application", **refuse) == [second]
    assert show(visa, second)["reason"] == "Forged."
    assert reject_photo(visa) == []
    visa.until("2026-05-01T00:00:00")
    assert [show(visa, key)["status"] for key in (first, second)] == ["approved", "rejected"]
    visa.check()


def test_lists(visa: Any) -> None:
    first = draft(visa)
    visa.until("2026-04-17T10:00:00")
    second = submitted(visa)
    listed = visa.call("visa_and_advisory.list_visa_applications", user_id="u_kwame")
    assert [row["application_id"] for row in listed["applications"]] == [second, first]
    assert listed["applications"][0]["applicant_name"] == "Kwame"
    drafts = visa.call("visa_and_advisory.list_visa_applications", user_id="u_kwame", status_filter="draft", limit=1)
    assert [row["application_id"] for row in drafts["applications"]] == [first]
    assert visa.call("visa_and_advisory.list_visa_applications", user_id="u_ann")["total"] == 0
    assert visa.refused("visa_and_advisory.list_visa_applications", user_id="u_ann", limit=0) == "bad_limit"


def test_applications_of_before_go_on(desk: Any) -> None:
    d = desk("visa_and_advisory", "banking")
    documents = [
        {
            "document_id": f"d_{kind}", "kind": kind, "doc_ref": f"docs/{kind}.txt", "uploaded_at": PUBLISHED,
            "status": "received", "reason": "",
        }
        for kind in ("passport", "photo")
    ]  # fmt: skip
    common = {"product_id": "ge_evisa", "user_id": "u_ann", "applicant": {"name": "Ann"}, "currency": "USD"}
    common |= {"documents": documents, "created_at": "2026-04-14T09:00:00+08:00"}
    sent = {"submitted_at": "2026-04-15T10:00:00+08:00"}
    d.put("visa_and_advisory.applications", application_id="old", status="processing", **sent, **common)
    sent |= {"decision_due": "2026-04-17"}
    d.put("visa_and_advisory.applications", application_id="due", status="submitted", **sent, **common)
    _desk(d)
    d.check()
    assert show(d, "old")["decision_due"] == "2026-04-22"
    d.until("2026-04-17T09:00:01")
    assert show(d, "due")["status"] == "processing"
    d.until("2026-04-22T17:00:00")
    assert [show(d, key)["status"] for key in ("old", "due")] == ["approved", "approved"]


# -- filling and fuzzing -----------------------------------------------------------------------------------------


def test_generated_countries_are_repeatable(desk: Any) -> None:
    worlds = [_desk(desk("visa_and_advisory", "banking")) for _ in range(2)]
    for d in worlds:
        d.service("visa_and_advisory").other_countries(
            random.Random(3), count=40, nationalities=["CN", "Ghana"], currency="CNY", exclude=["Japan", "GE"]
        )
        d.check()
    assert worlds[0].world.dump() == worlds[1].world.dump()
    service = worlds[0].service("visa_and_advisory")
    # Korea had an advisory already, which is left alone.
    assert {row["country_code"] for row in service.rows("advisories")} >= {"JP", "KR"}
    assert service.find("advisories", "JP")["text"] == "Take care on stairs."
    assert service.find("requirements", "req_cn_jp_tourism") is None
    assert len(service.table("requirements")) == 2 + 80
    assert any(row["destination"] not in ("JP", "GE") for row in service.rows("products"))
    before = worlds[0].world.dump()
    service.other_countries(
        random.Random(3), count=40, nationalities=["CN", "Ghana"], currency="CNY", exclude=["JP", "GE"]
    )
    assert worlds[0].world.dump() == before
    service.other_countries(random.Random(4), count=80, nationalities=["CN"], currency="CNY", exclude=["JP"])
    worlds[0].check()


STEP = st.tuples(st.integers(0, 9), st.integers(0, 6))


def test_a_draft_has_nothing_to_mend(desk: Any) -> None:
    d = _desk(desk("visa_and_advisory", "banking"))
    one = draft(d, "jp_visa")
    key = one if isinstance(one, str) else one["application_id"]
    d.service("visa_and_advisory").patch("applications", key, mend_by="2026-04-20T09:00:00+08:00")
    with pytest.raises(AssertionError):
        d.check()


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int]]) -> None:
    d = _desk(desk("visa_and_advisory", "banking"))
    for what, number in steps:
        ids = [row["application_id"] for row in d.service("visa_and_advisory").rows("applications")]
        one = ids[number % len(ids)] if ids else "none"
        if what == 0:
            draft(d, ("ge_evisa", "jp_visa")[number % 2])
        elif what == 1:
            submitted(d)
        elif what == 2:
            kind = ("photo", "passport", "residence_permit")[number % 3]
            d.outcome("visa_and_advisory.upload_document", application_id=one, kind=kind, doc_ref="docs/photo2.txt")
        elif what == 3:
            d.outcome("visa_and_advisory.submit_visa_application", **form(one, payment_method_id="acc_usd"))
        elif what == 4:
            d.world.run_to(d.world.now + (number + 1) * 13 * clock.HOUR)
        elif what == 5:
            reject_photo(d, kind=("photo", "passport")[number % 2], mend_hours=1 + 10 * number)
        elif what == 6:
            decision = ("approved", "rejected")[number % 2]
            d.happen("visa_and_advisory.decide_application", product_id="ge_evisa", decision=decision)
        elif what == 7:
            day = f"2026-04-{17 + number}"
            change_rule(d, ("medicines", "new")[number % 2], text=("x", "")[number % 3 == 0], valid_from=day)
        elif what == 8:
            d.happen("visa_and_advisory.change_advisory", country_code="JP", text=str(number))
            subscribe(d, ("email", "hub")[number % 2])
        else:
            d.happen("visa_and_advisory.change_product", product_id="ge_evisa", processing_days=number)
        d.check()
