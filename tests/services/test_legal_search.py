"""The legal database: what searches find, texts and their versions, saved cases, dockets, and what happens to them."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CASES = [
    ("c_night", "Baltic Fish v Dorn", "4 Ca 11/24", "ct_hb", "employment", "2024-03-05", ["Baltic Fish GmbH", "Dorn"],
     "A night packer was dismissed without notice.", "Dismissal by e-mail has no effect.", ["art_622", "art_174"], []),
    ("c_box", "Sommer v Werft Nord", "4 Ca 90/23", "ct_hb", "employment", "2023-06-01", ["Sommer", "Werft Nord"],
     "When does a letter in the mailbox arrive?", "A letter arrives when the box is usually emptied.", ["art_kschg_4"],
     ["c_night"]),
    ("c_damp", "Lee v Crown Lettings", "12 C 5/22", "ct_hb_local", "tenancy", "2022-11-30", ["Lee", "Crown Lettings"],
     "Damp in a bedroom; the deposit was kept.", "The deposit goes back less the rent owed.", ["art_rent_9"], []),
    ("c_roy", "Maple Homes v Roy", "31-7", "ct_stade", "tenancy", "2023-02-10", ["Maple Homes", "Marc A. Roy"],
     "Repossession after unpaid rent.", "The tenant, born 1961, leaves.", ["art_rent_9"], ["c_damp"]),
    ("c_piano", "Ashe v Grand Pianos", "K2", "ct_stade", "small_claim", "2021-01-15", ["Ashe", "Grand Pianos"],
     "A cracked soundboard and dry air.", "The repairer is not liable for low humidity.", ["art_cpr_15_4"], []),
    ("c_police", "Nolte v Delta Insurance", "9 O 3/20", "ct_hb_local", "insurance", "2020-05-20", ["Nolte", "Delta"],
     "Late notification of a burst pipe.", "The insurer pays half.", [], []),
]  # fmt: skip
STATUTES = [
    ("st_kschg", "Dismissal Protection Act", "KSchG", ["Kuendigungsschutzgesetz"], None),
    ("st_bgb", "Civil Code", "BGB", [], None),
    ("st_rent", "Home Lease Code", "HLC", ["tenancy code"], None),
    ("st_cpr", "Civil Procedure Rules", "CPR", [], None),
    ("st_old", "Court Fees Order 1998", "CFO", [], "2020-01-01"),
]
ARTICLES = [
    ("art_kschg_1", "st_kschg", "1", "Socially unjustified dismissals"),
    ("art_kschg_4", "st_kschg", "4", "Action before the labour court"),
    ("art_622", "st_bgb", "622", "Periods of notice of employment"),
    ("art_174", "st_bgb", "174", "Declaration without power of attorney"),
    ("art_rent_9", "st_rent", "9", "Return of the deposit"),
    ("art_cpr_15_4", "st_cpr", "15.4", "Period for filing a defence"),
    ("art_cpr_10_3", "st_cpr", "10.3", "Acknowledgement of service"),
    ("art_fee", "st_old", "1", "Fee table"),
]


def _desk(desk: Any, *others: str) -> Any:
    d = desk("legal_search", *others)
    hours = [
        {"weekday": day, "opens": "09:00", "closes": "12:00", "from_day": None, "until_day": None}
        for day in ("mon", "tue", "wed", "thu")
    ]
    d.put("legal_search.courts", court_id="ct_hb", name="Labour Court Bremen-Bremerhaven", city="Bremerhaven",
          aliases=["ArbG Bremerhaven"], address="1 Lloyd Street", hours=hours, electronic_filing=False)  # fmt: skip
    d.put("legal_search.courts", court_id="ct_hb_local", name="Local Court Bremerhaven", city="Bremerhaven")
    d.put("legal_search.courts", court_id="ct_stade", name="County Court Stade", city="Stade")
    for key, title, short, aliases, repealed in STATUTES:
        d.put("legal_search.statutes", statute_id=key, title=title, abbreviation=short, aliases=aliases,
              repealed_on=repealed, enacted_on="1990-01-01")  # fmt: skip
    for key, statute, number, heading in ARTICLES:
        d.put("legal_search.articles", article_id=key, statute_id=statute, number=number, heading=heading,
              versions=[{"valid_from": "2000-01-01", "text": f"{heading}: the old rule, {'x' * 300}"},
                        {"valid_from": "2020-01-01", "text": f"{heading}: the rule of today."}])  # fmt: skip
    for key, title, number, court, kind, day, parties, summary, holding, laws, cases in CASES:
        d.put("legal_search.cases", case_id=key, title=title, number=number, court_id=court, case_type=kind,
              decided_on=day, parties=parties, summary=summary, holding=holding, cites_articles=laws, cites_cases=cases,
              body=f"{summary} " + "word " * 1000)  # fmt: skip
    d.put("legal_search.cases", case_id="case_own", title="Lee v Grey", court_id="ct_stade", case_type="contract",
          parties=["Ann Lee", "Grey"], published=False, cites_articles=["art_rent_9"])  # fmt: skip
    d.put("legal_search.dockets", docket_id="dk_own", user_id="u_ann", case_id="case_own", role="defendant",
          opened_on="2026-04-01")  # fmt: skip
    d.start()
    return d


def _first(d: Any, keyword: str, **more: Any) -> str:
    found = d.call("legal_search.search_cases", keyword=keyword, **more)["cases"]
    return found[0]["case_id"] if found else ""


# -- searching ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Sommer v Werft Nord", "c_box"),
        ("mailbox letter", "c_box"),
        ("malbox", "c_box"),  # a letter is missing
        ("dismisal", "c_night"),  # misspelt
        ("fired by e-mail", "c_night"),  # what people say
        ("KSchG 4", "c_box"),  # a cited article
        ("BGB § 622", "c_night"),
        ("cpr 15.4", "c_piano"),
        ("4 Ca 11/24", "c_night"),
        ("Marc Roy", "c_roy"),
        ("eviction rent", "c_roy"),
        ("apartment deposit", "c_damp"),
        ("soundboards", "c_piano"),
        ("humdity", "c_piano"),
        ("burst pipe insurance", "c_police"),
        ("zzzqq", ""),
    ],
)
def test_cases_are_found(desk: Any, query: str, first: str) -> None:
    assert _first(_desk(desk), query) == first


@pytest.mark.parametrize(
    ("query", "statute", "article"),
    [
        ("KSchG", "st_kschg", None),
        ("KSchG 4", "st_kschg", "art_kschg_4"),
        ("kuendigungsschutzgesetz", "st_kschg", None),
        ("Dismissal Protection Act", "st_kschg", None),
        ("dismisal protection", "st_kschg", None),
        ("bgb 622", "st_bgb", "art_622"),
        ("power of attorney", "st_bgb", "art_174"),
        ("attorny", "st_bgb", "art_174"),
        ("CPR 15.4", "st_cpr", "art_cpr_15_4"),
        ("acknowledgment", "st_cpr", "art_cpr_10_3"),
        ("home lease deposit", "st_rent", "art_rent_9"),
        ("tenancy code", "st_rent", None),
        ("fee tabel", "st_old", "art_fee"),
        ("qqzzxx", "", None),
    ],
)
def test_statutes_are_found(desk: Any, query: str, statute: str, article: str | None) -> None:
    found = _desk(desk).call("legal_search.search_statutes", keyword=query)["statutes"]
    assert (found[0]["statute_id"] if found else "") == statute
    if article:
        assert found[0]["articles"][0]["article_id"] == article


def test_titles_count_more_than_texts_and_authority_more_than_age(desk: Any) -> None:
    d = _desk(desk)
    both = {"court_id": "ct_stade", "case_type": "tort"}
    d.happen("legal_search.publish_case", case_id="c_t1", title="Heron v Gull", decided_on="2019-01-01", **both)
    d.happen("legal_search.publish_case", case_id="c_t2", title="Crow", body="a heron", decided_on="2025-01-01", **both)
    d.happen("legal_search.publish_case", case_id="c_t3", title="Heron v Gull", decided_on="2024-01-01", **both)
    found = d.call("legal_search.search_cases", keyword="heron")
    assert [row["case_id"] for row in found["cases"]] == ["c_t3", "c_t1", "c_t2"]
    d.happen("legal_search.withdraw_case", case_id="c_t3", reason="recalled")
    found = d.call("legal_search.search_cases", keyword="heron")
    assert [row["case_id"] for row in found["cases"]] == ["c_t1", "c_t3", "c_t2"]
    assert found["cases"][1]["authority"] == "withdrawn"


def test_filters_of_a_case_search(desk: Any) -> None:
    d = _desk(desk)

    def ids(**arguments: Any) -> list[str]:
        return [row["case_id"] for row in d.call("legal_search.search_cases", **arguments)["cases"]]

    assert ids() == ["c_night", "c_box", "c_roy", "c_damp", "c_piano", "c_police"]  # the newest first, not the own one
    assert ids(court="ct_stade") == ["c_roy", "c_piano"]
    assert ids(court="ArbG Bremerhaven") == ["c_night", "c_box"]
    assert ids(court="labor court bremen") == ["c_night", "c_box"]
    assert ids(case_type="tenancy") == ["c_roy", "c_damp"]
    assert ids(date_from="2022-11-30", date_to="2023-02-10") == ["c_roy", "c_damp"]
    assert ids(keyword="deposit", date_from="2023-01-01") == []
    assert ids(date_to="2020-05-20") == ["c_police"]
    assert ids(limit=2) == ["c_night", "c_box"]
    assert d.call("legal_search.search_cases", limit=2)["total"] == 6
    partial = d.call("legal_search.search_cases", keyword="soundboard kangaroo")
    assert partial["cases"][0]["case_id"] == "c_piano"
    assert partial["note"]
    assert not d.call("legal_search.search_cases", keyword="soundboard")["note"]


def test_refusals_of_searches(desk: Any) -> None:
    d = _desk(desk)
    assert d.refused("legal_search.search_cases", court="Court of Atlantis Zzz") == "unknown_court"
    assert d.refused("legal_search.search_cases", date_from="yesterday") == "bad_date"
    assert d.refused("legal_search.search_cases", date_from="2024-01-02", date_to="2024-01-01") == "bad_date"
    assert d.refused("legal_search.search_cases", limit=0) == "bad_limit"
    assert d.refused("legal_search.search_cases", case_type="maritime") == "bad_arguments"
    assert d.refused("legal_search.search_statutes", limit=101) == "bad_limit"
    assert d.refused("legal_search.get_similar_cases", case_id="c_box", limit=51) == "bad_limit"
    assert d.refused("legal_search.get_similar_cases", case_id="none") == "not_found"


def test_all_statutes_without_a_keyword(desk: Any) -> None:
    found = _desk(desk).call("legal_search.search_statutes")
    assert found["total"] == 5
    assert [row["in_force"] for row in found["statutes"]] == [True, True, True, True, False]


def test_similar_cases_share_articles_precedents_and_words(desk: Any) -> None:
    d = _desk(desk)
    found = d.call("legal_search.get_similar_cases", case_id="c_roy")
    assert found["cases"][0]["case_id"] == "c_damp"
    assert found["cases"][0]["shared_articles"] == ["art_rent_9"]
    assert found["cases"][0]["cites_each_other"]
    assert found["total"] == 1
    own = d.call("legal_search.get_similar_cases", case_id="dk_own")["cases"]
    assert [row["case_id"] for row in own] == ["c_damp", "c_roy"]
    d.happen("legal_search.publish_case", case_id="c_new", title="X v Y", court_id="ct_stade", case_type="tenancy",
             decided_on="2026-01-01", cites_cases=["c_damp", "c_gone"], cites_articles=["art_gone"])  # fmt: skip
    again = d.call("legal_search.get_similar_cases", case_id="c_roy")["cases"]
    assert [(row["case_id"], row["shared_cases"]) for row in again] == [("c_damp", []), ("c_new", ["c_damp"])]
    assert again[0]["similarity"] > again[1]["similarity"] > 0
    words = d.call("legal_search.get_similar_cases", case_id="c_damp")["cases"]
    assert d.call("legal_search.get_similar_cases", case_id="c_damp", limit=1)["cases"] == words[:1]
    for number in (1, 2):
        d.happen("legal_search.publish_case", case_id=f"c_w{number}", title=f"W{number}", court_id="ct_stade",
                 case_type="other", decided_on="2026-01-01", summary="Walnut veneer pianoforte")  # fmt: skip
    [twin] = d.call("legal_search.get_similar_cases", case_id="c_w1")["cases"]
    assert (twin["case_id"], twin["shared_words"]) == ("c_w2", ["pianoforte", "veneer", "walnut"])


# -- reading -----------------------------------------------------------------------------------------------------------


def test_long_texts_are_cut_and_read_on(desk: Any) -> None:
    d = _desk(desk)
    whole = d.service("legal_search").find("cases", "c_box")["body"]
    shown = d.call("legal_search.get_case", case_id="c_box")
    assert shown["body"] == whole[:4000] + "[...]"
    assert (shown["next_offset"], shown["total_chars"]) == (4000, len(whole))
    rest = d.call("legal_search.get_case", case_id="c_box", offset=4000, max_chars=20000)
    assert (rest["body"], rest["next_offset"]) == (whole[4000:], None)
    assert d.refused("legal_search.get_case", case_id="c_box", max_chars=10) == "bad_arguments"
    assert d.refused("legal_search.get_case", case_id="nothing") == "not_found"
    assert (shown["court"], shown["docket"]) == ("Labour Court Bremen-Bremerhaven", None)
    d.happen("legal_search.publish_case", case_id="c_long", title="Long", court_id="ct_stade", case_type="other",
             decided_on="2026-01-01", summary="s" * 400)  # fmt: skip
    [row] = d.call("legal_search.search_cases", keyword="Long")["cases"][:1]
    assert row["summary"] == "s" * 300 + "[...]"


def test_citations_go_both_ways(desk: Any) -> None:
    d = _desk(desk)
    night = d.call("legal_search.get_case_citations", case_id="c_night")
    assert [row["article_id"] for row in night["articles"]] == ["art_622", "art_174"]
    assert night["articles"][0]["statute"] == "Civil Code"
    assert [row["case_id"] for row in night["cited_by"]] == ["c_box"]
    box = d.call("legal_search.get_case_citations", case_id="c_box")
    assert [row["case_id"] for row in box["cites"]] == ["c_night"]
    assert (box["total_articles"], box["total_cites"], box["total_cited_by"]) == (1, 1, 0)
    assert len(d.call("legal_search.get_case_citations", case_id="c_night", limit=1)["articles"]) == 1
    assert d.refused("legal_search.get_case_citations", case_id="x") == "not_found"


def test_articles_have_versions(desk: Any) -> None:
    d = _desk(desk)
    now = d.call("legal_search.get_article", article_id="art_622")
    assert now["text"].endswith("the rule of today.")
    assert (now["valid_from"], now["valid_until"], now["in_force"]) == ("2020-01-01", None, True)
    assert (now["statute"], now["abbreviation"], now["cited_by_total"]) == ("Civil Code", "BGB", 1)
    old = d.call("legal_search.get_article", article_id="art_622", on="2019-12-31", max_chars=200)
    assert (old["valid_from"], old["valid_until"], old["in_force"]) == ("2000-01-01", "2020-01-01", True)
    assert old["text"].endswith("[...]")
    rest = d.call("legal_search.get_article", article_id="art_622", on="2019-12-31", offset=old["next_offset"])
    assert (
        old["text"][:-5] + rest["text"] == d.service("legal_search").find("articles", "art_622")["versions"][0]["text"]
    )
    before = d.call("legal_search.get_article", article_id="art_622", on="1999-01-01")
    assert (before["valid_from"], before["in_force"]) == ("2000-01-01", False)
    assert d.refused("legal_search.get_article", article_id="art_9999") == "not_found"
    assert d.refused("legal_search.get_article", article_id="art_622", on="soon") == "bad_date"


def test_an_amendment_holds_from_its_day(desk: Any) -> None:
    d = _desk(desk)
    happen = {"article_id": "art_622", "text": "New rule.", "valid_from": "2026-05-01"}
    assert d.happen("legal_search.amend_article", **happen) == ["art_622"]
    assert d.happen("legal_search.amend_article", **happen) == []
    assert d.call("legal_search.get_article", article_id="art_622")["valid_until"] == "2026-05-01"
    d.until("2026-05-01T00:00")
    assert d.call("legal_search.get_article", article_id="art_622")["text"] == "New rule."
    corrected = {"article_id": "art_622", "text": "New rule, mended.", "heading": "Notice"}
    assert d.happen("legal_search.amend_article", **corrected) == ["art_622"]
    shown = d.call("legal_search.get_article", article_id="art_622")
    assert (shown["text"], shown["heading"]) == ("New rule, mended.", "Notice")
    assert shown["versions"] == ["2000-01-01", "2020-01-01", "2026-05-01"]
    assert d.happen("legal_search.amend_article", article_id="none", text="x") == []
    d.check()


def test_a_repealed_article_is_shown_as_such(desk: Any) -> None:
    d = _desk(desk)
    assert d.happen("legal_search.repeal_article", article_id="art_174", repealed_on="2026-04-20") == ["art_174"]
    assert d.happen("legal_search.repeal_article", article_id="art_174", repealed_on="2026-04-20") == []
    assert d.call("legal_search.get_article", article_id="art_174")["in_force"]
    d.until("2026-04-20T08:00")
    shown = d.call("legal_search.get_article", article_id="art_174")
    assert (shown["in_force"], shown["valid_until"]) == (False, "2026-04-20")
    listed = d.call("legal_search.list_statute_articles", statute_id="st_bgb")["articles"]
    assert [(row["article_id"], row["in_force"]) for row in listed] == [("art_622", True), ("art_174", False)]


def test_statutes_and_their_articles(desk: Any) -> None:
    d = _desk(desk)
    shown = d.call("legal_search.get_statute", statute_id="st_old")
    assert (shown["in_force"], shown["total_articles"]) == (False, 1)
    assert d.refused("legal_search.get_statute", statute_id="zz") == "not_found"
    listed = d.call("legal_search.list_statute_articles", statute_id="st_kschg", page_size=1, page=2)
    assert (listed["total"], listed["pages"], listed["articles"][0]["article_id"]) == (2, 2, "art_kschg_4")
    old = d.call("legal_search.list_statute_articles", statute_id="st_bgb", on="2010-01-01")["articles"]
    assert (old[0]["valid_from"], old[0]["versions"]) == ("2000-01-01", 2)
    assert d.refused("legal_search.list_statute_articles", statute_id="zz") == "not_found"
    assert d.refused("legal_search.list_statute_articles", statute_id="st_bgb", page=0) == "bad_page"
    assert d.refused("legal_search.list_statute_articles", statute_id="st_bgb", on="x") == "bad_date"


def test_courts_and_desk_hours(desk: Any) -> None:
    d = _desk(desk)
    listed = d.call("legal_search.list_courts", limit=2)
    assert (listed["total"], [row["court_id"] for row in listed["courts"]]) == (3, ["ct_hb", "ct_hb_local"])
    assert d.refused("legal_search.list_courts", limit=0) == "bad_limit"
    assert d.refused("legal_search.get_court", court_id="x") == "not_found"
    shown = d.call("legal_search.get_court", court_id="ct_hb")
    days = {day["date"]: day["open"] for day in shown["next_days"]}
    assert len(days) == 14
    assert days["2026-04-17"] == []  # Friday
    assert days["2026-04-22"] == [{"opens": "09:00", "closes": "12:00"}]
    closed = {"court_id": "ct_hb", "weekdays": ["wed", "thu"], "from_day": "2026-04-22"}
    assert d.happen("legal_search.set_desk_hours", **closed) == ["ct_hb"]
    assert d.happen("legal_search.set_desk_hours", **closed) == []
    days = {day["date"]: day["open"] for day in d.call("legal_search.get_court", court_id="ct_hb")["next_days"]}
    assert days["2026-04-22"] == days["2026-04-23"] == []
    assert days["2026-04-20"]
    longer = {"court_id": "ct_hb", "weekdays": ["mon"], "opens": "08:00", "closes": "17:00"}
    assert d.happen("legal_search.set_desk_hours", **longer) == ["ct_hb"]
    assert d.happen("legal_search.close_desk", court_id="ct_hb", days=["2026-04-27"]) == ["ct_hb"]
    assert d.happen("legal_search.close_desk", court_id="ct_hb", days=["2026-04-27"]) == []
    shown = d.call("legal_search.get_court", court_id="ct_hb")
    days = {day["date"]: day["open"] for day in shown["next_days"]}
    assert days["2026-04-20"] == [{"opens": "08:00", "closes": "17:00"}]
    assert days["2026-04-27"] == []
    assert shown["closed_days"] == ["2026-04-27"]
    assert not any(row["weekday"] == "mon" and row["opens"] == "09:00" for row in shown["hours"])
    assert d.happen("legal_search.set_desk_hours", court_id="x", weekdays=["mon"]) == []
    backwards = {"court_id": "ct_hb", "weekdays": ["mon"], "opens": "17:00", "closes": "08:00"}
    assert d.happen("legal_search.set_desk_hours", **backwards) == []
    assert d.happen("legal_search.set_court", court_id="ct_hb", address="2 New Road", fees="none") == ["ct_hb"]
    assert d.call("legal_search.get_court", court_id="ct_hb")["address"] == "2 New Road"
    assert d.happen("legal_search.set_court", court_id="ct_hb", address="2 New Road") == []
    assert d.happen("legal_search.set_court", court_id="ct_no", address="2 New Road") == []
    d.check()


# -- authority ---------------------------------------------------------------------------------------------------------


def test_judgments_appear_and_lose_authority(desk: Any) -> None:
    d = _desk(desk)
    new = {"case_id": "c_twin", "title": "Sommer v Werft Nord", "court_id": "ct_hb", "case_type": "employment"}
    assert d.happen("legal_search.publish_case", **new, decided_on="2026-04-16", cites_cases=["c_box"]) == ["c_twin"]
    assert d.happen("legal_search.publish_case", **new, decided_on="2026-04-16") == []
    assert (
        d.happen("legal_search.publish_case", **{**new, "case_id": "c", "court_id": "x"}, decided_on="2026-01-01") == []
    )
    overrule = {"case_id": "c_box", "by_case_id": "c_twin", "reason": "no longer followed"}
    assert d.happen("legal_search.overrule_case", **overrule) == ["c_box"]
    assert d.happen("legal_search.overrule_case", **overrule) == []
    assert d.happen("legal_search.overrule_case", case_id="c_box", by_case_id="c_box") == []
    assert d.happen("legal_search.overrule_case", case_id="c_box", by_case_id="gone") == []
    shown = d.call("legal_search.get_case", case_id="c_box")
    assert (shown["authority"], shown["overruled_by"], shown["authority_note"]) == (
        "overruled", "c_twin", "no longer followed",
    )  # fmt: skip
    assert d.happen("legal_search.withdraw_case", case_id="c_box") == ["c_box"]
    assert d.happen("legal_search.withdraw_case", case_id="c_box") == []
    assert d.happen("legal_search.overrule_case", **overrule) == []
    assert d.call("legal_search.get_case", case_id="c_box")["overruled_by"] == ""
    d.check()


# -- saved cases -------------------------------------------------------------------------------------------------------


def test_saved_cases_and_notes(desk: Any) -> None:
    d = _desk(desk)
    saved = d.call("legal_search.save_case", user_id="u_ann", case_id="c_box")
    assert saved["saved_at"] == "2026-04-17T09:00:00+08:00"
    assert d.refused("legal_search.save_case", user_id="u_ann", case_id="c_box") == "exists"
    assert d.refused("legal_search.save_case", user_id="u_eve", case_id="c_box") == "not_found"
    assert d.refused("legal_search.save_case", user_id="u_ann", case_id="c_none") == "not_found"
    d.until("2026-04-17T10:00")
    first = d.call("legal_search.add_note_to_case", user_id="u_ann", case_id="c_night", note=" by e-mail ")
    assert (first["text"], first["written_at"]) == ("by e-mail", "2026-04-17T10:00:00+08:00")
    second = d.call("legal_search.add_note_to_case", user_id="u_ann", case_id="c_night", note="and again")
    assert second["saved_id"] == first["saved_id"]
    listed = d.call("legal_search.list_saved", user_id="u_ann")
    assert [row["case_id"] for row in listed["saved"]] == ["c_night", "c_box"]
    assert [note["text"] for note in listed["saved"][0]["notes"]] == ["by e-mail", "and again"]
    assert listed["saved"][0]["total_notes"] == 2
    assert listed["saved"][1]["notes"] == []
    d.happen("legal_search.withdraw_case", case_id="c_box")
    assert d.call("legal_search.list_saved", user_id="u_ann")["saved"][1]["authority"] == "withdrawn"
    assert d.refused("legal_search.add_note_to_case", user_id="u_ann", case_id="c_box", note="  ") == "empty_note"
    assert d.refused("legal_search.add_note_to_case", user_id="u_ann", case_id="c_box", note="") == "bad_arguments"
    assert d.refused("legal_search.add_note_to_case", user_id="u_x", case_id="c_box", note="x") == "not_found"
    assert d.refused("legal_search.list_saved", user_id="u_x") == "not_found"
    assert d.refused("legal_search.list_saved", user_id="u_ann", page=0) == "bad_page"
    d.check()


def test_other_users_with_records_have_their_own_list(desk: Any) -> None:
    d = _desk(desk)
    d.put("legal_search.saved", saved_id="s1", user_id="u_bo", case_id="c_roy", saved_at="2026-04-01T09:00:00+08:00")
    assert [row["case_id"] for row in d.call("legal_search.list_saved", user_id="u_bo")["saved"]] == ["c_roy"]
    assert d.call("legal_search.list_saved", user_id="u_ann")["saved"] == []
    assert d.call("legal_search.list_dockets", user_id="u_bo")["total"] == 0


# -- dockets -----------------------------------------------------------------------------------------------------------


def _hearing(d: Any, **more: Any) -> list[str]:
    given = {"docket_id": "dk_own", "kind": "mediation", "starts_at": "2026-04-24T14:00:00+08:00", "place": "room 3"}
    return d.happen("legal_search.schedule_hearing", **{**given, **more})


def test_the_docket_shows_what_the_court_keeps(desk: Any) -> None:
    d = _desk(desk)
    [hearing] = _hearing(d)
    [limit] = d.happen("legal_search.set_deadline", docket_id="case_own", what="defence",
                       due_at="2026-04-20T23:59:00+08:00", filing_kind="defence")  # fmt: skip
    docket = d.call("legal_search.get_docket", docket_id="dk_own")
    assert [row["hearing_id"] for row in docket["hearings"]] == [hearing]
    assert [row["due_at"] for row in docket["deadlines"]] == ["2026-04-20T23:59:00+08:00"]
    assert (docket["title"], docket["court"]) == ("Lee v Grey", "County Court Stade")
    assert d.call("legal_search.get_docket", docket_id="case_own") == docket
    case = d.call("legal_search.get_case", case_id="dk_own")
    assert case["docket"]["deadlines"][0]["deadline_id"] == limit
    assert d.call("legal_search.get_case", case_id="case_own") == case
    [listed] = d.call("legal_search.list_dockets", user_id="u_ann")["dockets"]
    assert (listed["next_hearing"]["hearing_id"], listed["next_deadline"]["deadline_id"]) == (hearing, limit)
    assert d.refused("legal_search.get_docket", docket_id="none") == "not_found"
    assert d.refused("legal_search.list_dockets", user_id="none") == "not_found"
    assert d.refused("legal_search.list_dockets", user_id="u_ann", page_size=0) == "bad_page"


def test_hearings_move_and_are_held(desk: Any) -> None:
    d = _desk(desk)
    [hearing] = _hearing(d)
    [later] = _hearing(d, kind="trial", starts_at="2026-05-08T10:00:00+08:00")
    move = {"docket_id": "dk_own", "starts_at": "2026-04-23T10:00:00+08:00", "place": "by telephone"}
    assert d.happen("legal_search.move_hearing", **move) == [hearing]
    assert d.happen("legal_search.move_hearing", **move) == []
    assert d.happen("legal_search.move_hearing", docket_id="dk_own", starts_at="2026-05-09T10:00:00+08:00",
                    kind="trial") == [later]  # fmt: skip
    assert d.happen("legal_search.move_hearing", docket_id="dk_own", starts_at="2026-04-01T10:00:00+08:00") == []
    assert d.happen("legal_search.move_hearing", docket_id="none", starts_at="2026-05-09T10:00:00+08:00") == []
    assert _hearing(d, starts_at="2026-04-01T10:00:00+08:00") == []
    assert _hearing(d, docket_id="none") == []
    shown = d.call("legal_search.get_docket", docket_id="dk_own")["hearings"]
    assert [(row["starts_at"], row["place"]) for row in shown] == [
        ("2026-04-23T10:00:00+08:00", "by telephone"),
        ("2026-05-09T10:00:00+08:00", "room 3"),
    ]
    d.until("2026-04-23T10:59:59")
    assert d.service("legal_search").find("hearings", hearing)["status"] == "scheduled"
    d.until("2026-04-23T11:00")
    assert d.service("legal_search").find("hearings", hearing)["status"] == "held"
    assert d.happen("legal_search.cancel_hearing", docket_id="dk_own", note="settled") == [later]
    assert d.happen("legal_search.cancel_hearing", docket_id="dk_own") == []
    d.until("2026-05-10T00:00")
    assert d.service("legal_search").find("hearings", later)["status"] == "cancelled"


def _limit(d: Any, **more: Any) -> list[str]:
    given = {"docket_id": "dk_own", "what": "Defence", "due_at": "2026-04-20T16:00:00+08:00", "filing_kind": "defence"}
    return d.happen("legal_search.set_deadline", **{**given, **more})


def test_filing_in_time_meets_the_limit(desk: Any) -> None:
    d = _desk(desk)
    [limit] = _limit(d)
    d.world.workspace.write("drafts/defence.md", "I deny it.", d.world.now)
    d.until("2026-04-20T16:00")  # the very minute counts
    filed = d.call(
        "legal_search.file_document", docket_id="dk_own", kind="defence", workspace_path="/drafts/defence.md"
    )
    assert (filed["title"], filed["met"], filed["late"]) == ("defence.md", [limit], False)
    assert filed["filed_at"] == "2026-04-20T16:00:00+08:00"
    assert len(filed["receipt"]) == 8
    d.world.workspace.write("drafts/defence.md", "Changed.", d.world.now)
    text = d.call("legal_search.get_filing", filing_id=filed["filing_id"])
    assert (text["text"], text["next_offset"]) == ("I deny it.", None)
    d.until("2026-04-21T00:00")
    row = d.service("legal_search").find("deadlines", limit)
    assert (row["status"], row["filing_id"]) == ("met", filed["filing_id"])
    assert _limit(d, due_at="2026-05-20T16:00:00+08:00") == []  # met limits stay
    assert d.refused("legal_search.get_filing", filing_id="none") == "not_found"
    d.check()


def test_filing_after_the_limit(desk: Any) -> None:
    d = _desk(desk)
    [limit] = _limit(d)
    [reply] = _limit(d, what="Reply", filing_kind="reply", late_allowed=True)
    d.world.workspace.write("a.md", "text", d.world.now)
    d.until("2026-04-20T16:00:01")
    assert d.service("legal_search").find("deadlines", limit)["status"] == "passed"
    late = {"docket_id": "dk_own", "workspace_path": "a.md"}
    assert d.refused("legal_search.file_document", kind="defence", **late) == "deadline_passed"
    filed = d.call("legal_search.file_document", kind="reply", title=" Our reply ", **late)
    assert (filed["late"], filed["met"], filed["title"]) == (True, [reply], "Our reply")
    again = d.call("legal_search.file_document", kind="reply", **late)
    assert (again["late"], again["met"]) == (True, [])
    free = d.call("legal_search.file_document", kind="letter", **late)
    assert (free["late"], free["met"]) == (False, [])
    assert _limit(d, due_at="2026-04-27T16:00:00+08:00") == [limit]  # the court extends it
    assert d.call("legal_search.file_document", kind="defence", **late)["met"] == [limit]
    d.check()


def test_refusals_of_a_filing(desk: Any) -> None:
    d = _desk(desk)
    d.world.workspace.write("a.md", "text", d.world.now)
    d.world.workspace.write("blank.md", " \n", d.world.now)
    good = {"docket_id": "dk_own", "kind": "letter", "workspace_path": "a.md"}
    tool = "legal_search.file_document"
    assert d.refused(tool, **{**good, "docket_id": "x"}) == "not_found"
    assert d.refused(tool, **{**good, "workspace_path": "b.md"}) == "not_found"
    assert d.refused(tool, **{**good, "workspace_path": "../b.md"}) == "bad_path"
    assert d.refused(tool, **{**good, "workspace_path": "blank.md"}) == "empty_document"
    assert d.refused(tool, **{**good, "kind": "order"}) == "wrong_kind"
    assert d.refused(tool, **{**good, "kind": "poem"}) == "bad_arguments"
    d.happen("legal_search.set_court", court_id="ct_stade", electronic_filing=False)
    assert d.refused(tool, **good) == "not_electronic"
    d.happen("legal_search.set_docket", docket_id="dk_own", status="closed", outcome="settled")
    assert d.refused(tool, **good) == "docket_closed"


def test_court_and_opponent_file_too(desk: Any) -> None:
    d = _desk(desk)
    [theirs] = _limit(d, party="opponent", filing_kind="reply")
    touched = d.happen("legal_search.opponent_files", docket_id="dk_own", kind="reply", title="Reply", text="No.")
    assert touched[1:] == [theirs]
    [order] = d.happen("legal_search.court_order", docket_id="case_own", title="Directions", text="y" * 5000)
    listed = d.call("legal_search.list_filings", docket_id="dk_own")
    assert [(row["filed_by"], row["kind"]) for row in listed["filings"]] == [("court", "order"), ("opponent", "reply")]
    assert "text" not in listed["filings"][0]
    assert d.call("legal_search.get_filing", filing_id=order)["text"] == "y" * 4000 + "[...]"
    assert len(d.call("legal_search.list_filings", docket_id="dk_own", kind="reply")["filings"]) == 1
    assert d.refused("legal_search.list_filings", docket_id="x") == "not_found"
    assert d.refused("legal_search.list_filings", docket_id="dk_own", page=0) == "bad_page"
    assert d.happen("legal_search.court_order", docket_id="x", title="t", text="t") == []
    [mine] = _limit(d, what="Ours")
    assert d.happen("legal_search.opponent_files", docket_id="dk_own", kind="defence", title="D")[1:] == []
    assert d.service("legal_search").find("deadlines", mine)["status"] == "open"
    d.check()


def test_limits_are_corrected_by_their_name(desk: Any) -> None:
    d = _desk(desk)
    [limit] = _limit(d, what="Payment", filing_kind=None, due_at="2026-04-24T12:00:00+08:00")
    assert _limit(d, what="Payment", due_at="2026-04-24T12:00:00+08:00") == []
    assert _limit(d, what="Payment", filing_kind=None, due_at="2026-04-22T12:00:00+08:00") == [limit]
    d.until("2026-04-22T12:00:01")
    assert d.service("legal_search").find("deadlines", limit)["status"] == "passed"
    [past] = _limit(d, what="Old", due_at="2026-04-01T12:00:00+08:00")
    assert d.service("legal_search").find("deadlines", past)["status"] == "passed"
    assert _limit(d, docket_id="x") == []


def test_dockets_open_and_close(desk: Any) -> None:
    d = _desk(desk)
    entry = {"docket_id": "dk_2", "case_id": "case_2", "court_id": "ct_hb", "title": "Lee v Nord", "role": "claimant",
             "number": "4 Ca 300/26", "case_type": "employment", "parties": ["Ann Lee", "Nord"]}  # fmt: skip
    assert d.happen("legal_search.open_docket", **entry) == ["dk_2", "case_2"]
    assert d.happen("legal_search.open_docket", **entry) == []
    assert d.happen("legal_search.open_docket", **{**entry, "docket_id": "dk_3"}) == []  # the case has one
    assert d.happen("legal_search.open_docket", **{**entry, "docket_id": "dk_4", "court_id": "x"}) == []
    case = d.call("legal_search.get_case", case_id="case_2")
    assert (case["number"], case["docket"]["role"], case["decided_on"]) == ("4 Ca 300/26", "claimant", None)
    assert d.call("legal_search.search_cases", keyword="Lee v Nord")["cases"][0]["case_id"] != "case_2"
    [hearing] = _hearing(d, docket_id="dk_2")
    assert d.happen("legal_search.set_docket", docket_id="dk_2", status="stayed") == ["dk_2"]
    closed = d.happen("legal_search.set_docket", docket_id="dk_2", status="closed", outcome="settled")
    assert closed == ["dk_2", hearing]
    assert d.happen("legal_search.set_docket", docket_id="dk_2", status="closed", outcome="settled") == []
    assert d.happen("legal_search.set_docket", docket_id="x", status="closed") == []
    assert _hearing(d, docket_id="dk_2") == []
    assert _limit(d, docket_id="dk_2") == []
    assert d.happen("legal_search.court_order", docket_id="dk_2", title="t", text="t") == []
    d.check()


def test_what_the_records_promise_is_kept(desk: Any) -> None:
    d = _desk(desk)
    at = "2026-04-18T10:00:00+08:00"
    d.put("legal_search.hearings", hearing_id="h1", docket_id="dk_own", starts_at=at, minutes=30)
    d.put("legal_search.deadlines", deadline_id="l1", docket_id="dk_own", what="Fee", due_at=at)
    d.put(
        "legal_search.deadlines", deadline_id="l2", docket_id="dk_own", what="Old", due_at="2026-03-01T10:00:00+08:00"
    )
    d.start()
    d.until("2026-04-18T10:30")
    service = d.service("legal_search")
    assert service.find("hearings", "h1")["status"] == "held"
    assert [service.find("deadlines", key)["status"] for key in ("l1", "l2")] == ["passed", "passed"]


def test_subscriptions_to_a_docket_fire(desk: Any) -> None:
    d = _desk(desk, "notification_hub")
    d.put("notification_hub.subscriptions", subscription_id="sub_1", user_id="u_ann", source="legal_search",
          target="dk_own", type="status", condition={"changed": True},
          created_at="2026-04-17T09:00:00+08:00")  # fmt: skip
    _hearing(d)
    assert len(d.world.openings) == 1
    assert "mediation" in d.world.openings[0].text


# -- generators, and any sequence --------------------------------------------------------------------------------------


def _generated(desk: Any) -> Any:
    d = _desk(desk)
    service, rng = d.service("legal_search"), random.Random(3)
    service.courts(rng, cities=["Kassel", "Trier"], jurisdiction="DE")
    service.statutes(rng, count=20, articles=15)
    service.cases(rng, count=300)
    service.cases(rng, count=20, case_type="criminal")
    return d


def test_generated_law_is_believable_and_repeatable(desk: Any) -> None:
    d = _generated(desk)
    service = d.service("legal_search")
    d.check()
    assert len(service.rows("courts")) == 3 + 4
    assert len(service.rows("articles")) == len(ARTICLES) + 300
    made = [row for row in service.rows("cases") if row["case_id"].startswith("cag_")]
    assert len(made) == 300
    assert all(row["decided_on"] < "2026-04-17" for row in made)
    assert any(row["authority"] == "overruled" for row in made)
    assert any(row["cites_cases"] for row in made)
    assert d.world.dump() == _generated(desk).world.dump()
    assert _first(d, "Sommer v Werft Nord") == "c_box"
    before = d.world.dump()
    empty = desk("legal_search")
    empty.service("legal_search").cases(random.Random(1), count=5)
    assert not empty.service("legal_search").rows("cases")
    service.statutes(random.Random(9), count=5, articles=15)
    service.courts(random.Random(9), cities=["Kassel"])
    assert d.world.dump() == before


STEP = st.tuples(st.integers(0, 12), st.integers(0, 40))
KINDS = ("defence", "reply", "letter")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int]]) -> None:
    d = _desk(desk)
    d.world.workspace.write("a.md", "text", d.world.now)
    cases = [case[0] for case in CASES]
    for what, number in steps:
        kind = KINDS[number % 3]
        when = d.world.iso(d.world.now + (number - 5) * 7200)
        one, other = cases[number % 6], cases[number // 6 % 6]
        if what == 0:
            d.outcome("legal_search.file_document", docket_id="dk_own", kind=kind, workspace_path="a.md")
        elif what == 1:
            _limit(d, what=f"limit {number % 4}", filing_kind=kind, due_at=when, late_allowed=number % 2 == 0)
        elif what == 2:
            _hearing(d, starts_at=when)
        elif what == 3:
            d.happen("legal_search.move_hearing", docket_id="dk_own", starts_at=when)
        elif what == 4:
            d.world.run_to(d.world.now + number * 3600)
        elif what == 5:
            d.outcome("legal_search.add_note_to_case", user_id="u_ann", case_id=one, note="n")
        elif what == 6:
            d.outcome("legal_search.save_case", user_id="u_ann", case_id=one)
        elif what == 7:
            d.happen("legal_search.overrule_case", case_id=one, by_case_id=other)
        elif what == 8:
            d.happen("legal_search.withdraw_case", case_id=one)
        elif what == 9:
            day = f"20{number % 30 + 10}-01-01"
            d.happen("legal_search.amend_article", article_id="art_622", text=str(number), valid_from=day)
        elif what == 10:
            d.happen("legal_search.set_desk_hours", court_id="ct_hb", weekdays=["mon"], opens="08:00", closes="10:00",
                     from_day=f"2026-04-{number % 28 + 1:02d}")  # fmt: skip
        elif what == 11:
            d.happen("legal_search.opponent_files", docket_id="dk_own", kind=kind, title="x")
        else:
            status = ("open", "stayed", "closed")[number % 3]
            d.happen("legal_search.set_docket", docket_id="dk_own", status=status)
        d.check()
