"""A job board keeps its promises: deadlines, one application a job, resumes as they were sent, alerts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import dispatch
from lifegym.services.job_board.query import parse_query
from lifegym.services.tools import ToolError

POSTED = "2026-04-01T09:00:00+08:00"


def job(d: Any, job_id: str, title: str, company_id: str = "C-1", **fields: Any) -> None:
    d.put(
        "job_board.jobs",
        **{
            "job_id": job_id, "title": title, "company_id": company_id, "city": "Toledo", "currency": "USD",
            "posted_at": POSTED, **fields,
        },
    )  # fmt: skip


@pytest.fixture
def board(desk: Any) -> Any:
    d = desk("job_board", "notification_hub")
    d.put("job_board.companies", company_id="C-1", name="Maumee Freight", city="Toledo", reviews=["Long hours."] * 25)
    d.put(
        "job_board.companies", company_id="C-2", name="Nordaqua", city="Bergen", headcount=340, rating=4.1,
        aliases=["North Water"],
    )  # fmt: skip
    d.put("job_board.companies", company_id="C-3", name="Søndre Data", city="Bergen", about="x" * 7000)
    job(
        d, "J-204", "Maintenance planner", shift="day", location="Perrysburg, OH", salary_min_minor=3_000,
        salary_max_minor=3_500, salary_period="hour", experience="5-10", education="associate",
        skills=["planning", "erp", "welding"], details={"distance_mi": 11}, recruiter="Kim Ray",
        category="manufacturing",
    )  # fmt: skip
    job(
        d, "J-240", "Maintenance planner", city="Findlay", salary_min_minor=3_100, salary_period="hour",
        category="manufacturing", posted_at="2026-04-02T09:00:00+08:00",
    )  # fmt: skip
    job(d, "J-233", "Production scheduler", skills=["planning", "scheduling"], category="manufacturing",
        salary_min_minor=500_000, salary_max_minor=600_000, deadline="2026-04-20", viewed_after_h=5)  # fmt: skip
    job(d, "J-209", "Forklift driver", status="closed", category="logistics")
    job(
        d, "J-771", "Lead process engineer", "C-2", city="Bergen", currency="NOK", salary_min_minor=98_500_000,
        salary_max_minor=98_500_000, salary_period="year", education="master", experience="10+", category="engineering",
    )  # fmt: skip
    job(d, "J-717", "Process engineer", "C-2", city="Stavanger", currency="NOK", category="engineering")
    job(d, "J-800", "Data analyst", "C-3", city="Bergen", currency="NOK", skills=["SQL", "statistics"],
        category="software", experience="entry", aliases=["number cruncher"])  # fmt: skip
    job(
        d,
        "J-801",
        "Developer",
        "C-3",
        city="New York",
        skills=["python"],
        category="software",
        description="y" * 13_000,
    )
    d.put(
        "job_board.resumes", resume_id="R-1", user_id="u_ann", name="Ann Lee", headline="Planner",
        summary="SSN 000-55-0199", updated_at="2016-04-01T09:00:00+08:00",
    )  # fmt: skip
    d.put(
        "job_board.resumes", resume_id="R-2", user_id="u_ann", name="Ann Lee", headline="Maintenance planner",
        years_exp=18, education="associate", skills="planning, ERP, welding", updated_at="2026-03-01T09:00:00+08:00",
    )  # fmt: skip
    d.put("job_board.resumes", resume_id="R-9", user_id="u_bob", name="Bob", headline="Cook",
          updated_at="2026-03-01T09:00:00+08:00")  # fmt: skip
    d.start()
    return d


def ids(d: Any, **query: Any) -> list[str]:
    return [row["job_id"] for row in d.call("job_board.search_jobs", **query)["jobs"]]


def apply(d: Any, job_id: str = "J-204", resume_id: str = "R-2", **more: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call("job_board.apply_job", user_id="u_ann", job_id=job_id, resume_id=resume_id, **more)
    return result


def status(d: Any, application_id: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call("job_board.get_application_status", application_id=application_id)
    return result


def notes(d: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = d.call("notification_hub.list_notifications", user_id="u_ann")["notifications"]
    return found


# -- looking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ({"keyword": "scheduler"}, ["J-233"]),
        ({"keyword": "maintenance planner perrysburg"}, ["J-204"]),
        ({"keyword": "maintenence planner"}, ["J-240", "J-204"]),
        ({"keyword": "planers"}, ["J-240", "J-204"]),
        ({"keyword": "Nordaqua"}, ["J-771", "J-717"]),
        ({"keyword": "nordaqa lead"}, ["J-771"]),
        ({"keyword": "north water stavanger"}, ["J-717"]),
        ({"keyword": "dev"}, ["J-801"]),
        ({"keyword": "programmer"}, ["J-801"]),
        ({"keyword": "number crunchers"}, ["J-800"]),
        ({"keyword": "sondre data sql"}, ["J-800"]),
        ({"keyword": "welding"}, ["J-204"]),
        ({"keyword": "engineer", "city": "bergn"}, ["J-771"]),
        ({"keyword": "process engineer"}, ["J-717", "J-771"]),
    ],
)
def test_the_first_hits_of_a_search(board: Any, query: dict[str, Any], first: list[str]) -> None:
    assert ids(board, **query)[: len(first)] == first


def test_filters(board: Any) -> None:
    assert ids(board, city="Toledo") == ["J-204", "J-233"]  # J-209 is closed
    assert ids(board, city="perrysburg") == ["J-204"]
    assert ids(board, city="nyc") == ["J-801"]
    assert ids(board, city="Moon") == []
    assert ids(board, category="engineering", city="Stavanger") == ["J-717"]
    assert ids(board, category="Logistics") == []
    assert ids(board, keyword="planner", education="high_school") == ["J-240"]
    assert ids(board, keyword="planner", experience="3-5") == ["J-240"]
    assert ids(board, keyword="planner", experience="10+") == ["J-240", "J-204"]
    assert ids(board, min_salary_minor=3_200) == ["J-204", "J-233", "J-771"]
    # 35.00 an hour is 72,800 a year of full time and 6,066 a month.
    assert ids(board, min_salary_minor=600_000, salary_period="month") == ["J-204", "J-233", "J-771"]
    assert ids(board, min_salary_minor=7_000_000, salary_period="year") == ["J-204", "J-233", "J-771"]
    assert ids(board, min_salary_minor=3_600, salary_period="hour") == ["J-771"]


def test_sorts_totals_and_notes(board: Any) -> None:
    assert ids(board, sort="salary_desc") == ["J-771", "J-204", "J-233", "J-240", "J-717", "J-800", "J-801"]
    assert ids(board, keyword="planner", sort="newest", limit=1) == ["J-240"]
    assert ids(board)[0] == "J-240"
    found = board.call("job_board.search_jobs", keyword="planner zzzz")
    assert found["total"] == 2
    assert "some of them" in found["note"]
    assert board.call("job_board.search_jobs", keyword="planner")["note"] == ""
    nothing = board.call("job_board.search_jobs", keyword="astronaut", city="Toledo")
    assert nothing["jobs"] == []
    assert "keyword, city" in nothing["note"]
    assert "Bergen" in nothing["note"]
    for row in list(board.service("job_board").rows("jobs")):
        board.happen("job_board.close_job", job_id=row["job_id"])
    assert board.call("job_board.search_jobs")["note"] == "No job is open."
    for limit in (0, 101):
        assert board.refused("job_board.search_jobs", limit=limit) == "bad_limit"
    line = board.call("job_board.get_company", company_id="C-2")
    assert line["open_jobs"] == []


def test_a_job_and_a_company_are_shown(board: Any) -> None:
    shown = board.call("job_board.get_job", job_id="J-204")
    assert (shown["company"], shown["details"], shown["shift"], shown["status"]) == (
        "Maumee Freight", {"distance_mi": 11}, "day", "open",
    )  # fmt: skip
    assert not {"aliases", "viewed_after_h"} & set(shown)
    assert shown["description_next"] is None
    long = board.call("job_board.get_job", job_id="J-801")
    read = long["description"]
    while long["description_next"] is not None:
        long = board.call("job_board.get_job", job_id="J-801", description_from=long["description_next"])
        read += long["description"]
    assert read == "y" * 13_000
    assert board.refused("job_board.get_job", job_id="J-1") == "not_found"
    company = board.call("job_board.get_company", company_id="C-1")
    assert (len(company["reviews"]), company["reviews_total"], company["open_jobs_total"]) == (20, 25, 3)
    assert company["open_jobs"][0]["company"] == "Maumee Freight"
    assert board.call("job_board.get_company", company_id="C-3")["about"].endswith("7000 characters)")
    assert board.refused("job_board.get_company", company_id="C-9") == "not_found"


def test_recommendations_go_by_the_last_changed_resume(board: Any) -> None:
    found = board.call("job_board.get_recommended_jobs", user_id="u_ann")
    assert [(row["job_id"], row["matched_skills"], row["gaps"]) for row in found["jobs"]] == [
        ("J-204", ["planning", "erp", "welding"], []), ("J-233", ["planning"], []), ("J-240", [], []),
    ]  # fmt: skip
    assert found["resume_id"] == "R-2"
    apply(board)
    found = board.call("job_board.get_recommended_jobs", user_id="u_ann")
    assert (found["jobs"][0]["job_id"], found["total"]) == ("J-233", 2)
    board.call("job_board.update_resume", resume_id="R-1", headline="Process engineer", years_exp=1)
    found = board.call("job_board.get_recommended_jobs", user_id="u_ann", limit=2)
    assert found["resume_id"] == "R-1"
    assert [(row["job_id"], row["gaps"]) for row in found["jobs"]] == [
        ("J-717", []), ("J-771", ["experience", "education"]),
    ]  # fmt: skip
    assert board.refused("job_board.get_recommended_jobs", user_id="u_x") == "no_resume"
    assert board.refused("job_board.get_recommended_jobs", user_id="u_ann", limit=51) == "bad_limit"


# -- resumes and applications ----------------------------------------------------------------------------------------


def test_resumes(board: Any) -> None:
    made = board.call("job_board.create_resume", user_id="u_ann", name="Ann", headline="Buyer", skills="buying, " * 200)
    assert (made["education"], made["years_exp"], made["summary"]) == ("bachelor", 0, "")
    listed = board.call("job_board.list_resumes", user_id="u_ann")
    assert [row["resume_id"] for row in listed["resumes"]] == [made["resume_id"], "R-2", "R-1"]
    assert listed["total"] == 3
    assert "summary" not in listed["resumes"][0]
    assert "get_resume shows the whole" in listed["resumes"][0]["skills"]
    changed = board.call("job_board.update_resume", resume_id=made["resume_id"], skills="", education="master")
    assert (changed["skills"], changed["education"], changed["name"]) == ("", "master", "Ann")
    assert board.call("job_board.get_resume", resume_id=made["resume_id"]) == changed
    assert board.refused("job_board.update_resume", resume_id="R-1") == "nothing_to_change"
    assert board.refused("job_board.update_resume", resume_id="R-7", name="x") == "not_found"
    assert board.refused("job_board.get_resume", resume_id="R-7") == "not_found"
    assert board.refused("job_board.create_resume", user_id="u", name="", headline="x") == "bad_arguments"
    for _ in range(17):
        board.call("job_board.create_resume", user_id="u_ann", name="Ann", headline="Buyer")
    assert board.refused("job_board.create_resume", user_id="u_ann", name="A", headline="B") == "too_many"


def test_an_application_keeps_the_resume_as_sent(board: Any) -> None:
    row = apply(board, cover_letter="Dear team")
    board.call("job_board.update_resume", resume_id="R-2", headline="Welder")
    shown = status(board, row["application_id"])
    assert shown["resume"]["headline"] == "Maintenance planner"
    assert (shown["title"], shown["company"], shown["job_status"]) == ("Maintenance planner", "Maumee Freight", "open")
    assert shown["history"] == [{"at": "2026-04-17T09:00:00+08:00", "status": "submitted", "text": ""}]
    assert shown["cover_letter"] == "Dear team"
    assert board.refused("job_board.get_application_status", application_id="app_9") == "not_found"


def test_who_may_apply(board: Any) -> None:
    call = {"user_id": "u_ann", "job_id": "J-204", "resume_id": "R-2"}
    assert board.refused("job_board.apply_job", **{**call, "job_id": "J-1"}) == "not_found"
    assert board.refused("job_board.apply_job", **{**call, "resume_id": "R-0"}) == "not_found"
    assert board.refused("job_board.apply_job", **{**call, "resume_id": "R-9"}) == "not_found"
    assert board.refused("job_board.apply_job", **{**call, "job_id": "J-209"}) == "job_closed"
    first = apply(board)
    assert board.refused("job_board.apply_job", **call) == "already_applied"
    board.call("job_board.withdraw_application", application_id=first["application_id"], reason="Night shift")
    assert board.refused("job_board.apply_job", **call) == "already_applied"
    shown = status(board, first["application_id"])
    assert (shown["status"], shown["history"][-1]["text"]) == ("withdrawn", "Night shift")
    code = board.refused("job_board.withdraw_application", application_id=first["application_id"])
    assert code == "not_active"
    assert board.refused("job_board.withdraw_application", application_id="app_9") == "not_found"


def test_the_deadline_is_the_last_day(board: Any) -> None:
    board.until("2026-04-20 23:59")
    assert board.call("job_board.get_job", job_id="J-233")["status"] == "open"
    board.until("2026-04-21 00:00")
    shown = board.call("job_board.get_job", job_id="J-233")
    assert (shown["status"], shown["closed_by"]) == ("closed", "deadline")
    outcome = board.outcome("job_board.apply_job", user_id="u_ann", job_id="J-233", resume_id="R-2")
    assert outcome.code == "job_closed"
    assert "deadline" in outcome.text
    assert board.happen("job_board.change_job", job_id="J-233", deadline="2026-04-25") == ["J-233"]
    assert board.call("job_board.get_job", job_id="J-233")["status"] == "open"
    assert board.happen("job_board.change_job", job_id="J-233", deadline="2026-04-23") == ["J-233"]
    board.until("2026-04-24 00:00")
    assert board.call("job_board.get_job", job_id="J-233")["status"] == "closed"
    assert board.happen("job_board.reopen_job", job_id="J-233", deadline="2026-04-20") == []
    assert board.happen("job_board.reopen_job", job_id="J-233") == ["J-233"]
    assert board.happen("job_board.reopen_job", job_id="J-233") == []
    board.until("2026-04-30 00:00")
    assert board.call("job_board.get_job", job_id="J-233")["deadline"] is None
    assert ids(board, keyword="scheduler") == ["J-233"]
    board.happen("job_board.change_job", job_id="J-233", deadline="2026-04-20")
    assert board.call("job_board.get_job", job_id="J-233")["closed_by"] == "deadline"
    board.check()


def test_a_deadline_that_was_over_before_the_window(desk: Any) -> None:
    d = desk("job_board")
    d.put("job_board.companies", company_id="C-1", name="Firm")
    job(d, "J-1", "Cook", deadline="2026-04-16")
    job(d, "J-2", "Cook", deadline="2026-04-17")
    d.start()
    assert ids(d) == ["J-2"]


def test_an_employer_looks_after_some_hours(board: Any) -> None:
    seen, other = apply(board, "J-233"), apply(board, "J-204")
    withdrawn = board.call("job_board.apply_job", user_id="u_bob", job_id="J-233", resume_id="R-9")
    board.until("2026-04-17 13:59")
    assert status(board, seen["application_id"])["status"] == "submitted"
    board.call("job_board.withdraw_application", application_id=withdrawn["application_id"])
    board.until("2026-04-17 14:00")
    assert status(board, seen["application_id"])["history"][-1] == {
        "at": "2026-04-17T14:00:00+08:00", "status": "viewed", "text": "",
    }  # fmt: skip
    assert status(board, withdrawn["application_id"])["status"] == "withdrawn"
    assert status(board, other["application_id"])["status"] == "submitted"


def test_applications_of_the_initial_world(desk: Any) -> None:
    d = desk("job_board")
    d.put("job_board.companies", company_id="C-2", name="Nordaqua")
    job(d, "J-771", "Lead", "C-2")
    job(d, "J-772", "Lead", "C-2", viewed_after_h=1)
    d.put("job_board.resumes", resume_id="R-2", user_id="u_ann", name="Ann", headline="x", updated_at=POSTED)
    for key, job_id, state in (("AP-31", "J-771", "final_round"), ("AP-32", "J-772", "submitted")):
        d.put("job_board.applications", application_id=key, user_id="u_ann", job_id=job_id, resume_id="R-2",
              status=state, applied_at=POSTED)  # fmt: skip
    d.start()
    shown = status(d, "AP-31")
    assert shown["resume"]["resume_id"] == "R-2"
    assert shown["history"] == [{"at": POSTED, "status": "final_round", "text": ""}]
    d.until("2026-04-17 09:01")
    assert status(d, "AP-32")["status"] == "viewed"
    d.check()


def test_applications_move(board: Any) -> None:
    row = apply(board, "J-771")
    key = row["application_id"]
    move = "job_board.move_application"
    assert board.happen(move, status="viewed", job_id="J-771", user_id="u_bob") == []
    assert board.happen(move, status="viewed") == []
    assert board.happen(move, status="final_round", job_id="J-771", text="Tue 14:00") == [key]
    assert board.happen(move, status="final_round", job_id="J-771") == []
    by = "2026-04-24T16:00:00+08:00"
    board.happen(move, status="offer", application_id=key, text="Pension 6%", answer_by=by, offer_minor=98_500_000)
    shown = status(board, key)
    assert (shown["status"], shown["answer_by"], shown["offer_minor"]) == ("offer", by, 98_500_000)
    assert (shown["offer_currency"], shown["offer_period"]) == ("NOK", "year")
    note = notes(board)[0]
    assert (note["type"], note["ref"], note["body"]) == ("application", key, "Pension 6%")
    assert board.world.openings == []
    board.happen(move, status="rejected", application_id=key, silent=True)
    assert len(notes(board)) == 2
    assert board.happen(move, status="offer", application_id=key) == []
    listed = board.call("job_board.list_applications", user_id="u_ann")
    assert [(item["application_id"], item["status"], item["title"]) for item in listed["applications"]] == [
        (key, "rejected", "Lead process engineer")
    ]
    assert board.call("job_board.list_applications", user_id="u_ann", status_filter="offer")["total"] == 0
    assert board.refused("job_board.list_applications", user_id="u_ann", limit=0) == "bad_limit"
    board.check()


def test_a_subscription_to_an_application_or_a_job_fires(board: Any) -> None:
    row = apply(board, "J-771")
    for target in (row["application_id"], "J-204"):
        board.call("notification_hub.create_subscription", user_id="u_ann", source="job_board", type="status",
                   target=target)  # fmt: skip
    board.happen("job_board.move_application", status="interview", job_id="J-771")
    board.happen("job_board.close_job", job_id="J-204", filled=True)
    assert [opening.kind for opening in board.world.openings] == ["alert", "alert"]
    assert "filled" in board.world.openings[1].text


# -- saved jobs ------------------------------------------------------------------------------------------------------


def test_saved_jobs(board: Any) -> None:
    for job_id in ("J-204", "J-233"):
        board.call("job_board.save_job", user_id="u_ann", job_id=job_id)
    board.happen("job_board.close_job", job_id="J-204")
    listed = board.call("job_board.list_saved_jobs", user_id="u_ann")
    assert [(row["job_id"], row["status"]) for row in listed["jobs"]] == [("J-233", "open"), ("J-204", "closed")]
    assert board.call("job_board.list_saved_jobs", user_id="u_ann", limit=1)["total"] == 2
    assert board.refused("job_board.list_saved_jobs", user_id="u_ann", limit=101) == "bad_limit"
    assert board.refused("job_board.save_job", user_id="u_ann", job_id="J-204") == "already_saved"
    assert board.refused("job_board.save_job", user_id="u_ann", job_id="J-0") == "not_found"
    assert board.call("job_board.unsave_job", user_id="u_ann", job_id="J-204") == {"job_id": "J-204", "saved": False}
    assert board.refused("job_board.unsave_job", user_id="u_ann", job_id="J-204") == "not_saved"
    for number in range(199):
        job(board, f"K-{number}", "Cook")
        board.call("job_board.save_job", user_id="u_ann", job_id=f"K-{number}")
    assert board.refused("job_board.save_job", user_id="u_ann", job_id="J-204") == "too_many"


# -- chats -----------------------------------------------------------------------------------------------------------


def chat(d: Any, job_id: str, text: str = "Hello") -> str:
    return str(d.call("job_board.chat_with_recruiter", user_id="u_ann", job_id=job_id, message=text)["message_id"])


def test_chats(board: Any) -> None:
    first = chat(board, "J-771")
    [reply] = board.happen("job_board.recruiter_message", job_id="J-771", text="z" * 900, message_id="m_9")
    assert reply == "m_9"
    assert board.happen("job_board.recruiter_message", job_id="J-771", text="again", message_id="m_9") == []
    assert board.happen("job_board.recruiter_message", job_id="J-0", text="again") == []
    board.happen("job_board.recruiter_message", job_id="J-204", text="Rossford office", silent=True)
    board.until("2026-04-17 10:00")
    for number in range(3):
        chat(board, "J-771", f"note {number}")
    listed = board.call("job_board.list_chats", user_id="u_ann")
    assert [(row["job_id"], row["messages_total"], row["more"]) for row in listed["chats"]] == [
        ("J-771", 5, True), ("J-204", 1, False),
    ]  # fmt: skip
    assert listed["chats"][1]["recruiter"] == "Kim Ray"
    assert [row["text"] for row in listed["chats"][0]["messages"]] == ["note 0", "note 1", "note 2"]
    [whole] = board.call("job_board.list_chats", user_id="u_ann", job_id="J-771", limit=3)["chats"]
    assert whole["more"]
    [before] = board.call(
        "job_board.list_chats", user_id="u_ann", job_id="J-771", before=whole["messages"][0]["message_id"]
    )["chats"]
    assert [row["message_id"] for row in before["messages"]] == [first, "m_9"]
    assert before["messages"][1]["text"] == "z" * 900
    assert not before["more"]
    assert len(notes(board)) == 1
    assert board.refused("job_board.list_chats", user_id="u_ann", job_id="J-233") == "not_found"
    assert board.refused("job_board.list_chats", user_id="u_ann", job_id="J-771", before="no") == "not_found"
    assert board.refused("job_board.list_chats", user_id="u_ann", limit=51) == "bad_limit"
    assert board.refused("job_board.list_chats", user_id="u_ann", job_id="J-771", limit=0) == "bad_limit"


def test_long_messages_are_cut_in_the_overview(board: Any) -> None:
    board.happen("job_board.recruiter_message", job_id="J-771", text="z" * 900)
    [row] = board.call("job_board.list_chats", user_id="u_ann")["chats"]
    assert row["messages"][0]["text"].startswith("z" * 600 + "... (")


def test_a_closed_job_keeps_the_chats_it_has(board: Any) -> None:
    assert board.refused("job_board.chat_with_recruiter", user_id="u_ann", job_id="J-209", message="Hi") == "job_closed"
    assert board.refused("job_board.chat_with_recruiter", user_id="u_ann", job_id="J-0", message="Hi") == "not_found"
    chat(board, "J-204")
    apply(board, "J-771")
    for job_id in ("J-204", "J-771"):
        board.happen("job_board.close_job", job_id=job_id)
        chat(board, job_id)


def test_an_invitation_has_slots(board: Any) -> None:
    row = apply(board, "J-233")
    slots = ["2026-04-22T09:00:00+08:00", "2026-04-23T13:00:00+08:00"]
    touched = board.happen("job_board.invite_interview", job_id="J-233", slots=slots, text="Pick one")
    assert touched[1:] == [row["application_id"]]
    assert status(board, row["application_id"])["status"] == "interview"
    [only] = board.call("job_board.list_chats", user_id="u_ann")["chats"]
    assert (only["messages"][0]["slots"], only["messages"][0]["by"]) == (slots, "recruiter")
    assert len(board.happen("job_board.invite_interview", job_id="J-233", slots=slots, text="Second round")) == 1
    assert len(board.happen("job_board.invite_interview", job_id="J-204", slots=[], text="Call us")) == 1
    assert board.happen("job_board.invite_interview", job_id="J-0", slots=[], text="x") == []
    board.check()


# -- alerts and changes ----------------------------------------------------------------------------------------------

NIGHT = {"title": "Packer, night", "company_id": "C-1", "city": "Toledo", "currency": "USD", "start_date": "2026-07-01"}


def alert(d: Any, query: Any) -> str:
    return str(d.call("job_board.subscribe_job_alert", user_id="u_ann", query_json=query)["alert_id"])


def test_alerts_open_turns(board: Any) -> None:
    key = alert(board, '{"keyword": "packers", "city": "Toledo"}')
    alert(board, {"keyword": "packer", "city": "Bergen"})
    alert(board, {"keyword": "packer astronaut"})
    board.put("job_board.alerts", alert_id="own", user_id="u_ann", query={"city": "toledo"}, created_at=POSTED,
              silent=True)  # fmt: skip
    assert board.happen("job_board.post_job", **NIGHT, job_id="J-9", salary_min_minor=10, skills=["packing"]) == ["J-9"]
    [opening] = board.world.openings
    assert opening.kind == "alert"
    assert opening.text.startswith("New job: Packer, night, Maumee Freight\nJ-9:")
    assert [(row["type"], row["ref"]) for row in notes(board)] == [("job_alert", "J-9")] * 2
    listed = board.call("job_board.list_job_alerts", user_id="u_ann")
    assert [(row["alert_id"], row["fired"]) for row in listed["alerts"]][0::3] == [(key, 1), ("own", 1)]
    assert listed["total"] == 4
    assert board.call("job_board.delete_job_alert", alert_id=key)["deleted"]
    assert board.refused("job_board.delete_job_alert", alert_id=key) == "not_found"
    board.happen("job_board.post_job", **NIGHT)
    assert len(board.world.openings) == 1
    board.check()


def test_what_an_alert_can_ask(board: Any) -> None:
    bad = [
        "", "no json", "[]", "{}", '{"salary_period": "year"}', '{"colour": "red"}', '{"min_salary_minor": "many"}',
        '{"min_salary_minor": -1}', '{"experience": "lots"}', {"keyword": 5}, {"keyword": ""}, '{"city": null}',
        {"keyword": "x" * 201}, '{"keyword": "' + "x" * 5000 + '"}',
    ]  # fmt: skip
    for query in bad:
        code = board.refused("job_board.subscribe_job_alert", user_id="u_ann", query_json=query)
        assert code == "bad_query", query
    alert(board, {"keyword": "cook", "min_salary_minor": 5, "salary_period": "hour", "education": "none"})
    same = '{"education": "none", "keyword": "cook", "min_salary_minor": 5, "salary_period": "hour", "city": ""}'
    assert board.refused("job_board.subscribe_job_alert", user_id="u_ann", query_json=same) == "exists"
    for number in range(19):
        alert(board, {"keyword": f"word{number}"})
    assert board.refused("job_board.subscribe_job_alert", user_id="u_ann", query_json={"city": "x"}) == "too_many"
    with pytest.raises(ToolError, match="asks for nothing"):
        parse_query({})


def test_jobs_are_posted(board: Any) -> None:
    post = "job_board.post_job"
    assert board.happen(post, **{**NIGHT, "company_id": "C-0"}) == []
    assert board.happen(post, **NIGHT, job_id="J-204") == []
    assert board.happen(post, **NIGHT, salary_min_minor=9, salary_max_minor=8) == []
    assert board.happen(post, **NIGHT, deadline="2026-04-16") == []
    [key] = board.happen(post, **NIGHT, deadline="2026-04-18")
    shown = board.call("job_board.get_job", job_id=key)
    assert (shown["posted_at"], shown["start_date"]) == ("2026-04-17T09:00:00+08:00", "2026-07-01")
    board.until("2026-04-19 00:00")
    assert board.call("job_board.get_job", job_id=key)["status"] == "closed"
    assert board.happen("job_board.close_job", job_id=key) == []
    assert board.happen("job_board.close_job", job_id="J-0") == []
    assert board.happen("job_board.reopen_job", job_id="J-0") == []


def test_postings_and_companies_change_silently(board: Any) -> None:
    change = "job_board.change_job"
    assert board.happen(change, job_id="J-204", shift="rotating nights", details={"call": "no"}) == ["J-204"]
    shown = board.call("job_board.get_job", job_id="J-204")
    assert (shown["shift"], shown["details"]) == ("rotating nights", {"distance_mi": 11, "call": "no"})
    board.happen(change, job_id="J-771", location="Bergen/Oslo, 3 days a week in Oslo")
    assert "J-771" in ids(board, city="Oslo")
    assert board.happen(change, job_id="J-204") == []
    assert board.happen(change, job_id="J-0", shift="x") == []
    assert board.happen(change, job_id="J-204", salary_min_minor=4_000) == []
    assert board.happen(change, job_id="J-204", salary_min_minor=4_000, salary_max_minor=4_000) == ["J-204"]
    firm = "job_board.change_company"
    assert board.happen(firm, company_id="C-2", headcount=338, rating=3.0) == ["C-2"]
    page = board.call("job_board.get_company", company_id="C-2")
    assert (page["headcount"], page["rating"]) == (338, 3.0)
    assert board.happen(firm, company_id="C-2") == []
    assert board.happen(firm, company_id="C-0", headcount=1) == []
    assert board.world.openings == []
    assert notes(board) == []
    board.check()


# -- filling ---------------------------------------------------------------------------------------------------------


def test_the_generator_fills_a_city(desk: Any) -> None:
    dumps = []
    for _ in range(2):
        d = desk("job_board")
        d.put("job_board.companies", company_id="co_toledo_001", name="Key Firm")
        job(d, "job_toledo_0005", "Key job", "co_toledo_001")
        service = d.service("job_board")
        service.jobs(random.Random(3), city="Toledo", count=100, currency="USD", base_salary_minor=400_000)
        service.jobs(
            random.Random(4), city="Findlay", count=10, currency="USD", base_salary_minor=400_000,
            categories=["logistics", "moon"], companies=3,
        )  # fmt: skip
        d.start()
        d.check()
        dumps.append(d.world.dump())
        assert len(service.rows("jobs")) == 110
        assert len(service.rows("companies")) == 27
        assert service.find("jobs", "job_toledo_0005")["title"] == "Key job"
        assert service.find("companies", "co_toledo_001")["name"] == "Key Firm"
        found = d.call("job_board.search_jobs", city="Findlay", category="logistics")
        assert found["total"] == 10
        assert all(row["posted_at"] < "2026-04-17" for row in service.rows("jobs"))
        assert {row["status"] for row in service.rows("jobs")} == {"open"}
    assert dumps[0] == dumps[1]


# -- any sequence ----------------------------------------------------------------------------------------------------

JOBS = st.sampled_from(["J-204", "J-233", "J-209", "J-771", "J-0"])
APPS = st.sampled_from(["app_0001", "app_0002", "app_0009"])
DAYS = st.sampled_from(["2026-04-16", "2026-04-18", "2026-04-22"])
ME = {"user_id": "u_ann"}
STEPS = st.one_of(
    st.builds(lambda j, r: ("apply_job", {**ME, "job_id": j, "resume_id": r}), JOBS, st.sampled_from(["R-1", "R-2"])),
    st.builds(lambda a: ("withdraw_application", {"application_id": a}), APPS),
    st.builds(lambda v, j: (v, {**ME, "job_id": j}), st.sampled_from(["save_job", "unsave_job"]), JOBS),
    st.builds(lambda j: ("chat_with_recruiter", {**ME, "job_id": j, "message": "Hi"}), JOBS),
    st.builds(lambda s: ("update_resume", {"resume_id": "R-2", "skills": s}), st.sampled_from(["", "sql"])),
    st.builds(
        lambda k: ("subscribe_job_alert", {**ME, "query_json": {"keyword": k}}), st.sampled_from(["packer", "x"])
    ),
    st.just(("delete_job_alert", {"alert_id": "jalert_0001"})),
    st.just(("list_chats", ME)),
    st.just(("get_recommended_jobs", ME)),
    st.builds(lambda d: ("+post_job", {**NIGHT, "deadline": d}), st.none() | DAYS),
    st.builds(lambda j, f: ("+close_job", {"job_id": j, "filled": f}), JOBS, st.booleans()),
    st.builds(lambda j, d: ("+reopen_job", {"job_id": j, "deadline": d}), JOBS, st.none() | DAYS),
    st.builds(lambda j, d: ("+change_job", {"job_id": j, "deadline": d}), JOBS, DAYS),
    st.builds(lambda j, m: ("+change_job", {"job_id": j, "salary_min_minor": m}), JOBS, st.integers(0, 10**6)),
    st.builds(lambda j, s: ("+move_application", {"job_id": j, "status": s, "offer_minor": 5}), JOBS,
              st.sampled_from(["viewed", "offer", "rejected"])),
    st.builds(lambda j: ("+invite_interview", {"job_id": j, "slots": [POSTED], "text": "t"}), JOBS),
    st.builds(lambda h: ("+", {"hours": h}), st.integers(1, 60)),
)  # fmt: skip


@given(steps=st.lists(STEPS, max_size=14))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_any_sequence_keeps_the_invariants(board: Any, steps: list[tuple[str, dict[str, Any]]]) -> None:
    world = board.world
    board.world = world.fork()
    try:
        for verb, arguments in steps:
            before = board.world.dump()
            if verb == "+":
                board.world.run_to(board.world.now + arguments["hours"] * 3600)
            elif verb.startswith("+"):
                board.happen(f"job_board.{verb[1:]}", **arguments)
            else:
                call = dispatch.parse({"tool": f"job_board.{verb}", "arguments": arguments}, board.world.services)
                assert isinstance(call, dispatch.Call)
                outcome = dispatch.execute(board.world, call)
                assert not outcome.fault, outcome.fault
                if not outcome.ok or not call.spec.write:
                    assert board.world.dump() == before
            board.check()
    finally:
        board.world = world
