"""A listing platform keeps its promises: viewing hours, who may change what, offers on both sides, alerts."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import dispatch

LISTED = "2026-04-01T09:00:00+08:00"
ANN = {"user_id": "u_ann"}


def listing(d: Any, listing_id: str, title: str, price: int, **fields: Any) -> None:
    d.put(
        "listing_platform.listings",
        **{
            "listing_id": listing_id, "category": "rent", "title": title, "price_minor": price, "currency": "SEK",
            "city": "Goteborg", "listed_at": LISTED, **fields,
        },
    )  # fmt: skip


@pytest.fixture
def town(desk: Any) -> Any:
    d = desk("listing_platform", "notification_hub")
    d.put("listing_platform.agents", agent_id="a_karin", name="Karin Soderlund-Ek", kind="private", rating=4.5)
    d.put("listing_platform.agents", agent_id="a_wiel", name="Wiel en Wind", kind="trader", about="x" * 7000)
    listing(
        d, "ls_204", "Two rooms in Majorna", 815_000, price_period="month", district="Majorna", rooms=2, area_sqm=50.0,
        metro="Stigbergstorget", zone="Europe/Stockholm", address="Slottsskogsgatan 4", attrs={"furnished": "fully"},
        viewing_slots=["2026-04-24T18:00:00+02:00", "2026-04-25T11:00:00+02:00"],
    )  # fmt: skip
    listing(
        d, "ls_288", "Flat in Kviberg", 845_000, price_period="month", district="Östra", community="Kviberg", rooms=2,
        area_sqm=45.0, agent_id="a_karin", zone="Europe/Stockholm", description="Net included. Quiet house, no pets.",
        viewing_hours=[{"days": ["fri", "sat"], "start": "17:30", "end": "20:00"}], status_reason="",
        listed_at="2026-03-01T09:00:00+08:00",
        price_history=[{"at": "2026-03-01T09:00:00+08:00", "price_minor": 900_000},
                       {"at": "2026-04-10T09:00:00+08:00", "price_minor": 845_000}],
    )  # fmt: skip
    listing(d, "ls_298", "Flat in Kviberg", 650_000, price_period="month", city="Boras", community="Kviberg", rooms=3,
            listed_at="2026-04-02T09:00:00+08:00")  # fmt: skip
    listing(d, "ls_307", "Studio", 630_000, price_period="month", district="Angered", rooms=1, status="delisted")
    bike = {"category": "cargo_bike", "currency": "EUR", "agent_id": "a_wiel"}
    listing(
        d, "L-12", "Cargo bike Nordwind 2022", 248_000, city="Houten", **bike, aliases=["Fietsbak"],
        description="76 cm wide. Frame number on request.",
        answers=[{"keywords": ["frame number", "frame no"], "text": "NL-7K442", "next_day_at": "08:30"},
                 {"keywords": ["battery"], "text": "410 of 500", "after_minutes": 30}],
    )  # fmt: skip
    listing(d, "L-15", "Cargo bike Noordzee 2023", 259_000, city="Zeist", **bike, floor_minor=245_000)
    listing(d, "L-16", "Wide bakfiets", 215_000, city="Utrecht", **bike, status="reserved")
    listing(d, "L-20", "Two-seat couch", 12_000, category="second_hand", city="Utrecht", currency="EUR")
    d.start()
    return d


def ids(d: Any, category: str, **query: Any) -> list[str]:
    found = d.call("listing_platform.search_listings", category=category, **query)
    return [row["listing_id"] for row in found["listings"]]


def get(d: Any, listing_id: str) -> dict[str, Any]:
    shown: dict[str, Any] = d.call("listing_platform.get_listing", listing_id=listing_id)
    return shown


def detail(d: Any, listing_id: str, **more: Any) -> dict[str, Any]:
    shown: dict[str, Any] = d.call("listing_platform.get_listing_detail", listing_id=listing_id, **more)
    return shown


def post(d: Any, **fields: Any) -> str:
    given_fields = {**ANN, "category": "second_hand", "title": "Road bike", "price_minor": 72_000, "city": "Utrecht"}
    return str(d.call("listing_platform.post_listing", **{**given_fields, **fields})["listing_id"])


def messages(d: Any, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = d.call("listing_platform.list_messages", **ANN, **more)["messages"]
    return found


def offers(d: Any, user_id: str = "u_ann") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = d.call("listing_platform.list_offers", user_id=user_id)["offers"]
    return found


def viewings(d: Any, **more: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = d.call("listing_platform.list_viewings", **ANN, **more)["viewings"]
    return found


def notes(d: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = d.call("notification_hub.list_notifications", **ANN)["notifications"]
    return found


# -- looking ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ({"category": "rent", "keyword": "Majorna"}, ["ls_204"]),
        ({"category": "rent", "keyword": "majrna"}, ["ls_204"]),
        ({"category": "rent", "keyword": "kviberg"}, ["ls_298", "ls_288"]),
        ({"category": "rent", "keyword": "kviberg", "city": "gothenburg"}, ["ls_288"]),
        ({"category": "rent", "keyword": "apartment"}, ["ls_298", "ls_288"]),
        ({"category": "rent", "keyword": "quiet net included"}, ["ls_288"]),
        ({"category": "rent", "keyword": "stigberg"}, ["ls_204"]),
        ({"category": "rent", "keyword": "fully furnished"}, ["ls_204"]),
        ({"category": "rentals", "keyword": "ostra"}, ["ls_288"]),
        ({"category": "cargo bikes", "keyword": "nordwind"}, ["L-12"]),
        ({"category": "cargo-bike", "keyword": "norwind bike"}, ["L-12"]),
        ({"category": "cargo_bike", "keyword": "fietsbak"}, ["L-12"]),
        ({"category": "cargo_bike", "keyword": "Cargo bike Noordzee 2023"}, ["L-15"]),
        ({"category": "used", "keyword": "sofa"}, ["L-20"]),
    ],
)
def test_the_first_hits_of_a_search(town: Any, query: dict[str, Any], first: list[str]) -> None:
    assert ids(town, **query)[: len(first)] == first


def test_filters_sorts_and_notes(town: Any) -> None:
    assert ids(town, "rent") == ["ls_298", "ls_204", "ls_288"]  # ls_307 is delisted
    assert ids(town, "rent", sort="price_asc") == ["ls_298", "ls_204", "ls_288"]
    assert ids(town, "rent", sort="price_desc") == ["ls_288", "ls_204", "ls_298"]
    assert ids(town, "rent", sort="area_desc") == ["ls_204", "ls_288", "ls_298"]
    assert ids(town, "rent", sort="newest", keyword="flat") == ["ls_298", "ls_288"]
    assert ids(town, "rent", min_rooms=3) == ["ls_298"]
    assert ids(town, "rent", max_rooms=2) == ["ls_204", "ls_288"]
    assert ids(town, "rent", min_price_minor=815_000, max_price_minor=840_000) == ["ls_204"]
    assert ids(town, "rent", district="majorna") == ["ls_204"]
    assert ids(town, "rent", district="Kviberg", city="Göteborg") == ["ls_288"]
    assert ids(town, "rent", district="Nowhere") == []
    assert ids(town, "rent", city="Moon") == []
    assert ids(town, "cargo_bike", sort="price_asc", limit=1) == ["L-16"]
    assert ids(town, "second_hand", min_rooms=1) == []
    found = town.call("listing_platform.search_listings", category="rent", keyword="majorna castle")
    assert ("some of them" in found["note"], found["total"]) == (True, 1)
    nothing = town.call("listing_platform.search_listings", category="rent", keyword="castle", city="Boras")
    assert nothing["note"].endswith("Cities with rent: Boras, Goteborg.")
    none = town.call("listing_platform.search_listings", category="service")
    assert none["note"].endswith("none.")
    assert town.refused("listing_platform.search_listings", category="rent", limit=101) == "bad_limit"
    assert town.refused("listing_platform.search_listings", category="spaceship") == "unknown_category"


def test_a_listing_is_shown_in_brief_and_whole(town: Any) -> None:
    brief = get(town, "ls_288")
    assert (brief["price_minor"], brief["seller"], brief["status"]) == (845_000, "Karin Soderlund-Ek", "active")
    assert not {"attrs", "description", "price_history"} & set(brief)
    whole = detail(town, "ls_288")
    assert whole["agent"]["agent_id"] == "a_karin"
    assert whole["viewing_hours"] == [{"days": ["fri", "sat"], "start": "17:30", "end": "20:00"}]
    assert (len(whole["price_history"]), whole["zone"]) == (2, "Europe/Stockholm")
    slots = detail(town, "ls_204")
    assert (len(slots["viewing_slots"]), slots["viewing_hours"], slots["agent"]) == (2, [], None)
    assert slots["price_history"] == [{"at": LISTED, "price_minor": 815_000}]
    usual = detail(town, "L-12")
    assert usual["viewing_hours"][0]["start"] == "09:00"
    assert usual["zone"] == "Asia/Shanghai"
    assert not {"answers", "floor_minor", "aliases", "offer_answer_h"} & set(usual)
    for tool in ("get_listing", "get_listing_detail"):
        assert town.refused(f"listing_platform.{tool}", listing_id="ls_0") == "not_found"


def test_a_long_description_is_read_on(town: Any) -> None:
    town.happen("listing_platform.change_listing", listing_id="L-12", description="y" * 13_000)
    shown = detail(town, "L-12")
    read = shown["description"]
    while shown["description_next"] is not None:
        shown = detail(town, "L-12", description_from=shown["description_next"])
        read += shown["description"]
    assert read == "y" * 13_000


def test_agents(town: Any) -> None:
    shown = town.call("listing_platform.get_agent", agent_id="a_wiel")
    assert (shown["kind"], shown["listings_total"]) == ("trader", 3)
    assert {row["listing_id"] for row in shown["listings"]} == {"L-12", "L-15", "L-16"}
    assert shown["about"].endswith("7000 characters)")
    assert town.refused("listing_platform.get_agent", agent_id="a_0") == "not_found"
    assert town.happen("listing_platform.change_agent", agent_id="a_wiel", rating=4.4) == ["a_wiel"]
    assert town.happen("listing_platform.change_agent", agent_id="a_wiel") == []
    assert town.happen("listing_platform.change_agent", agent_id="a_0", rating=4.4) == []
    assert town.call("listing_platform.get_agent", agent_id="a_wiel")["rating"] == 4.4


def test_market_stats_come_from_the_listings(town: Any) -> None:
    stats = town.call("listing_platform.get_market_stats", area_or_community="Goteborg")
    assert (stats["level"], stats["cities"]) == ("city", ["Goteborg"])
    [rent] = stats["stats"]
    assert (rent["listings"], rent["median_minor"], rent["lowest_minor"]) == (2, 830_000, 815_000)
    assert rent["median_per_sqm_minor"] == round((815_000 / 50 + 845_000 / 45) / 2)
    # ls_288 cost 9,000 thirty days ago; ls_204 is newer.
    assert (rent["lowered_30d"], rent["raised_30d"], rent["new_30d"], rent["median_change_pct"]) == (1, 0, 1, -6.1)
    both = town.call("listing_platform.get_market_stats", area_or_community="kviberg")
    assert (both["level"], both["cities"]) == ("community", ["Boras", "Goteborg"])
    one = town.call("listing_platform.get_market_stats", area_or_community="Kviberg", city="boras", category="rental")
    assert one["stats"][0]["median_minor"] == 650_000
    assert one["stats"][0]["median_per_sqm_minor"] is None
    assert one["stats"][0]["median_change_pct"] is None
    town.happen("listing_platform.set_price", listing_id="ls_288", price_minor=945_000)
    town.happen("listing_platform.take_down", listing_id="ls_204")
    [rent] = town.call("listing_platform.get_market_stats", area_or_community="Goteborg")["stats"]
    assert (rent["median_minor"], rent["raised_30d"], rent["median_change_pct"]) == (945_000, 1, 5.0)
    call = {"area_or_community": "Atlantis"}
    assert town.refused("listing_platform.get_market_stats", **call) == "unknown_area"
    assert town.refused("listing_platform.get_market_stats", **call, category="spaceship") == "unknown_category"


# -- messages --------------------------------------------------------------------------------------------------------


def contact(d: Any, listing_id: str, message: str, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = d.call(
        "listing_platform.contact_agent", **ANN, listing_id=listing_id, message=message, **more
    )
    return done


def test_questions_are_answered_by_keyword(town: Any) -> None:
    sent = contact(town, "L-12", "Could you send me both frame numbers, and how is the battery?")
    assert (sent["name"], sent["by"]) == ("Wiel en Wind", "user")
    contact(town, "L-12", "The frame number, please")
    contact(town, "L-12", "Framed pictures?")
    town.until("2026-04-17 09:30")
    assert [row["text"] for row in messages(town) if row["by"] == "other"] == ["410 of 500"]
    town.until("2026-04-18 08:29")
    assert len(messages(town)) == 4
    town.until("2026-04-18 12:00")
    found = messages(town, listing_id="L-12")
    assert [row["text"] for row in found if row["by"] == "other"] == ["NL-7K442", "410 of 500"]
    assert found[0]["at"] == "2026-04-18T08:30:00+08:00"
    assert [row["type"] for row in notes(town)] == ["message", "message"]
    assert town.world.openings == []
    contact(town, "L-12", "battery")
    town.happen("listing_platform.take_down", listing_id="L-12")
    town.until("2026-04-18 14:00")
    assert messages(town)[0]["text"] == "battery"


def test_messages_are_read_back(town: Any) -> None:
    town.happen("listing_platform.agent_message", listing_id="ls_288", text="z" * 900)
    first = contact(town, "ls_204", "Is it free?")["message_id"]
    for number in range(5):
        town.happen("listing_platform.agent_message", listing_id="ls_288", text=f"note {number}", silent=True)
    found = town.call("listing_platform.list_messages", **ANN, limit=2)
    assert (found["total"], [row["text"] for row in found["messages"]]) == (7, ["note 4", "note 3"])
    older = messages(town, before=first)
    assert older[0]["text"].startswith("z" * 600 + "... (")
    assert (older[0]["name"], older[0]["title"]) == ("Karin Soderlund-Ek", "Flat in Kviberg")
    assert messages(town, listing_id="ls_288")[-1]["text"] == "z" * 900
    assert len(notes(town)) == 1
    assert town.happen("listing_platform.agent_message", listing_id="ls_0", text="x") == []
    assert town.refused("listing_platform.list_messages", **ANN, before="no") == "not_found"
    assert town.refused("listing_platform.list_messages", **ANN, limit=51) == "bad_limit"


def test_whom_one_can_write_to(town: Any) -> None:
    call = {**ANN, "message": "Hi"}
    tool = "listing_platform.contact_agent"
    assert town.refused(tool, **call, listing_id="ls_0") == "not_found"
    assert town.refused(tool, **call, listing_id="ls_307") == "delisted"
    assert town.refused(tool, **call, listing_id="ls_204", to="Karin") == "own_listing"
    own = post(town)
    assert town.refused(tool, **call, listing_id=own) == "own_listing"
    assert town.refused(tool, **call, listing_id=own, to="Ruud") == "unknown_person"
    town.happen("listing_platform.buyer_message", buyer_name="Ruud Bos", text="Still there?")
    contact(town, own, "Saturday at five", to="ruud")
    assert [(row["name"], row["by"]) for row in messages(town)] == [("Ruud Bos", "user"), ("Ruud Bos", "other")]
    town.call("listing_platform.delist", listing_id=own)
    contact(town, own, "It is sold", to="Ruud Bos")
    assert town.happen("listing_platform.buyer_message", buyer_name="Mo", text="x", listing_id=own) == []
    assert town.happen("listing_platform.agent_message", listing_id=own, text="x") == []
    assert contact(town, "ls_204", "Hi")["name"] == "Seller"
    other = town.call("listing_platform.post_listing", user_id="u_bob", category="service", title="Repairs",
                      price_minor=5, city="Utrecht")  # fmt: skip
    assert contact(town, other["listing_id"], "Hi")["name"] == "u_bob"
    assert get(town, own)["seller"] == "Ann Lee"


# -- viewings --------------------------------------------------------------------------------------------------------


def view(d: Any, listing_id: str, datetime: str, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = d.call(
        "listing_platform.schedule_viewing", **{**ANN, "listing_id": listing_id, "datetime": datetime, **more}
    )
    return done


def no_view(d: Any, listing_id: str, datetime: str, **more: Any) -> str:
    code: str = d.refused(
        "listing_platform.schedule_viewing", **{**ANN, "listing_id": listing_id, "datetime": datetime, **more}
    )
    return code


def test_viewings_begin_at_a_slot(town: Any) -> None:
    made = view(town, "ls_204", "2026-04-25 11:00", visitor="Linnea Ekdahl")  # local time at the listing
    assert made["datetime"] == "2026-04-25T11:00:00+02:00"
    assert (made["address"], made["role"], made["visitor"]) == ("Slottsskogsgatan 4", "visitor", "Linnea Ekdahl")
    assert no_view(town, "ls_204", "2026-04-24T18:30:00+02:00") == "outside_viewing_hours"
    assert view(town, "ls_204", "2026-04-24T16:00:00Z")["datetime"] == "2026-04-24T18:00:00+02:00"
    assert [row["datetime"][:10] for row in viewings(town)] == ["2026-04-25", "2026-04-24"]
    assert viewings(town, limit=1)[0]["listing_status"] == "active"
    assert town.refused("listing_platform.list_viewings", **ANN, limit=0) == "bad_limit"
    town.check()


def test_viewings_lie_inside_the_hours_and_apart(town: Any) -> None:
    assert no_view(town, "ls_288", "2026-04-23 18:00") == "outside_viewing_hours"  # a Thursday
    assert no_view(town, "ls_288", "2026-04-24 17:00") == "outside_viewing_hours"
    assert no_view(town, "ls_288", "2026-04-24 19:31") == "outside_viewing_hours"
    view(town, "ls_288", "2026-04-24 17:30")
    # 18:00 in Gothenburg is midnight in Shanghai.
    view(town, "ls_204", "2026-04-24T18:00:00+02:00")
    assert no_view(town, "ls_288", "2026-04-24 18:15") == "overlap"
    assert no_view(town, "ls_288", "2026-04-24 17:45") == "overlap"
    assert view(town, "ls_288", "2026-04-24 18:15", user_id="u_bob")["status"] == "scheduled"
    view(town, "ls_288", "2026-04-24 19:30")
    assert no_view(town, "L-12", "2026-04-18 08:59") == "outside_viewing_hours"
    assert no_view(town, "L-12", "2026-04-18 23:45") == "outside_viewing_hours"
    view(town, "L-12", "2026-04-18 19:30")
    town.check()


def test_viewings_that_cannot_be(town: Any) -> None:
    assert no_view(town, "ls_0", "2026-04-24 18:00") == "not_found"
    assert no_view(town, "ls_307", "2026-04-24 18:00") == "delisted"
    assert no_view(town, "L-12", "2026-04-17 09:00") == "not_in_future"
    for wrong in ("tomorrow", "1960-01-01 10:00", "9000-01-01 10:00"):
        assert no_view(town, "L-12", wrong) == "bad_time"
    own = post(town)
    assert no_view(town, own, "2026-04-18 10:00") == "visitor_needed"
    view(town, own, "2026-04-18 10:00", visitor="Fatou Ndiaye")
    assert viewings(town)[0]["role"] == "host"
    assert no_view(town, own, "2026-04-18 10:00", visitor="Marc Roy") == "overlap"
    view(town, own, "2026-04-18 11:00", user_id="u_bob")
    assert no_view(town, "L-12", "2026-04-18 11:00") == "overlap"
    assert {row["user_id"] for row in viewings(town)} == {"u_ann", "u_bob"}


def test_viewings_end_or_are_cancelled(town: Any) -> None:
    first, second = view(town, "L-12", "2026-04-17 10:00"), view(town, "L-12", "2026-04-17 11:00")
    cancel = "listing_platform.cancel_viewing"
    done = town.call(cancel, viewing_id=second["viewing_id"], reason="Ill")
    assert (done["status"], done["cancelled_by"], done["reason"]) == ("cancelled", "user", "Ill")
    assert town.refused(cancel, viewing_id=second["viewing_id"]) == "not_active"
    town.until("2026-04-17 10:00")
    assert town.refused(cancel, viewing_id=first["viewing_id"]) == "already_begun"
    town.until("2026-04-17 10:30")
    assert [row["status"] for row in viewings(town)] == ["cancelled", "completed"]
    assert [row["viewing_id"] for row in viewings(town, status_filter="completed")] == [first["viewing_id"]]
    assert town.refused(cancel, viewing_id="view_9") == "not_found"
    town.check()


def test_the_other_side_moves_and_cancels_viewings(town: Any) -> None:
    made = view(town, "ls_204", "2026-04-24T18:00:00+02:00")
    own = post(town)
    view(town, own, "2026-04-21 10:00", visitor="Fatou Ndiaye")
    view(town, own, "2026-04-21 11:00", visitor="Marc Roy")
    move = "listing_platform.move_viewing"
    at = "2026-04-24T23:30:00+08:00"  # 17:30 there
    assert town.happen(move, datetime=at, listing_id="ls_204", user_id="u_bob") == []
    assert town.happen(move, datetime=at, listing_id="ls_204") == [made["viewing_id"]]
    assert town.happen(move, datetime=at, listing_id="ls_204") == []
    assert town.happen(move, datetime=at) == []
    assert town.happen(move, datetime="2026-04-17T08:00:00+08:00", listing_id="ls_204") == []
    assert viewings(town)[0]["datetime"] == "2026-04-24T17:30:00+02:00"
    assert len(town.happen(move, datetime="2026-04-21T08:30:00+08:00", visitor="fatou")) == 1
    assert [row["datetime"][11:16] for row in viewings(town)][1:] == ["11:00", "08:30"]
    assert notes(town) == []
    town.check()
    call_off = "listing_platform.cancel_viewing_by_agent"
    assert len(town.happen(call_off, visitor="Marc Roy", reason="exam")) == 1
    assert town.happen(call_off, visitor="Marc Roy") == []
    assert viewings(town, status_filter="cancelled")[0]["cancelled_by"] == "agent"
    town.until("2026-04-21 08:31")
    assert town.happen(call_off, visitor="fatou") == []  # it has begun
    town.until("2026-04-25 09:00")
    assert [row["status"] for row in viewings(town)] == ["completed", "cancelled", "completed"]
    town.check()


# -- offers ----------------------------------------------------------------------------------------------------------


def bid(d: Any, listing_id: str, amount: int, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = d.call(
        "listing_platform.make_offer", **ANN, listing_id=listing_id, amount_minor=amount, **more
    )
    return done


def respond(d: Any, offer_id: str, decision: str, **more: Any) -> dict[str, Any]:
    done: dict[str, Any] = d.call("listing_platform.respond_offer", offer_id=offer_id, decision=decision, **more)
    return done


def test_the_user_bids_and_the_seller_answers_by_the_timeline(town: Any) -> None:
    first = bid(town, "L-12", 230_000)
    second = bid(town, "L-12", 240_000, message="With service")
    assert [(row["offer_id"], row["status"], row["waits_for"]) for row in offers(town)] == [
        (second["offer_id"], "open", "other"), (first["offer_id"], "void", ""),
    ]  # fmt: skip
    assert messages(town)[0]["text"] == "Offer: 240000 EUR (minor units). With service"
    assert town.refused("listing_platform.respond_offer", offer_id=second["offer_id"], decision="accept") == "not_yours"
    answer = "listing_platform.answer_offer"
    assert town.happen(answer, decision="counter", listing_id="L-12") == []  # without an amount
    assert town.happen(answer, decision="accept", listing_id="L-15") == []
    touched = town.happen(answer, decision="counter", listing_id="L-12", amount_minor=245_000, text="Last word")
    assert touched[0] == second["offer_id"]
    [counter, *_] = offers(town)
    assert (counter["offer_id"], counter["by"], counter["waits_for"]) == (touched[1], "seller", "user")
    assert (counter["answers_offer"], counter["asking_minor"]) == (second["offer_id"], 248_000)
    assert notes(town)[0]["body"] == "Offer: 245000 EUR (minor units). Last word"
    code = town.refused("listing_platform.make_offer", **ANN, listing_id="L-12", amount_minor=241_000)
    assert code == "counter_open"
    third = respond(town, counter["offer_id"], "counter", amount_minor=244_000)
    assert (third["by"], third["buyer_id"], third["answers_offer"]) == ("buyer", "u_ann", counter["offer_id"])
    assert town.happen(answer, decision="accept", text="Fine", silent=True) == [third["offer_id"]]
    assert (get(town, "L-12")["status"], offers(town)[0]["status"]) == ("reserved", "accepted")
    assert town.refused("listing_platform.make_offer", **ANN, listing_id="L-12", amount_minor=1) == "not_active"
    assert len(notes(town)) == 1
    town.check()


def test_offers_that_cannot_be(town: Any) -> None:
    make = {**ANN, "amount_minor": 5}
    assert town.refused("listing_platform.make_offer", **make, listing_id="L-0") == "not_found"
    assert town.refused("listing_platform.make_offer", **make, listing_id="L-16") == "not_active"
    own = post(town)
    assert town.refused("listing_platform.make_offer", **make, listing_id=own) == "own_listing"
    [key] = town.happen("listing_platform.incoming_offer", buyer_name="Amina", amount_minor=56_000)
    tool = "listing_platform.respond_offer"
    assert town.refused(tool, offer_id="offer_9", decision="accept") == "not_found"
    assert town.refused(tool, offer_id=key, decision="counter") == "bad_amount"
    assert town.refused(tool, offer_id=key, decision="accept", amount_minor=5) == "bad_amount"
    town.happen("listing_platform.reserve", listing_id=own)
    assert town.refused(tool, offer_id=key, decision="accept") == "not_active"
    assert respond(town, key, "decline", message="Too little")["status"] == "declined"
    assert town.refused(tool, offer_id=key, decision="decline") == "not_open"
    assert town.refused("listing_platform.list_offers", **ANN, limit=101) == "bad_limit"


def test_others_bid_for_what_the_user_sells(town: Any) -> None:
    assert town.happen("listing_platform.incoming_offer", buyer_name="Ruud", amount_minor=64_000) == []
    own = post(town)
    low, amina = (
        town.happen("listing_platform.incoming_offer", buyer_name=name, amount_minor=amount, owner_id="u_ann")[0]
        for name, amount in (("Tom", 50_000), ("Amina", 56_000))
    )
    [again] = town.happen(
        "listing_platform.incoming_offer",
        buyer_name="Tom",
        amount_minor=51_000,
        listing_id=own,
        text="Cash",
        silent=True,
    )
    assert [(row["buyer_name"], row["status"], row["waits_for"]) for row in offers(town)] == [
        ("Tom", "open", "user"), ("Amina", "open", "user"), ("Tom", "void", ""),
    ]  # fmt: skip
    assert low != again
    assert len(notes(town)) == 2
    respond(town, again, "decline", message="Under what I ask")
    assert messages(town)[0]["name"] == "Tom"
    counter = respond(town, amina, "counter", amount_minor=68_000)
    assert (counter["by"], counter["buyer_name"]) == ("seller", "Amina")
    code = town.refused("listing_platform.respond_offer", offer_id=counter["offer_id"], decision="accept")
    assert code == "not_yours"
    answer = "listing_platform.answer_offer"
    assert town.happen(answer, decision="decline", buyer_name="Ruud") == []
    assert town.happen(answer, decision="accept", buyer_name="Amina") == [counter["offer_id"]]
    assert get(town, own)["status_reason"] == f"offer {counter['offer_id']} accepted"
    assert town.happen("listing_platform.incoming_offer", buyer_name="Mo", amount_minor=9) == []
    done = town.call("listing_platform.delist", listing_id=own, user_id="u_ann", reason="sold")
    assert (done["status"], done["status_reason"]) == ("delisted", "sold")
    assert town.world.openings == []
    town.check()


def test_two_users_deal_with_each_other(town: Any) -> None:
    row = town.call("listing_platform.post_listing", user_id="u_bob", category="second_hand", title="Lamp",
                    price_minor=900, city="Utrecht")  # fmt: skip
    offer = bid(town, row["listing_id"], 800)
    assert offers(town, "u_bob")[0]["waits_for"] == "user"
    assert town.happen("listing_platform.answer_offer", decision="accept") == []  # a user's own matter
    respond(town, offer["offer_id"], "accept")
    texts = town.call("listing_platform.list_messages", user_id="u_bob")["messages"]
    assert [(line["by"], line["name"]) for line in texts] == [("user", "Ann Lee"), ("other", "Ann Lee")]
    assert messages(town)[0]["text"].endswith("accepted.")


@pytest.mark.parametrize(
    ("amount", "status", "counter"),
    [
        (250_000, "accepted", None),
        (245_000, "accepted", None),
        (240_000, "countered", 249_500),
        (200_000, "declined", None),
    ],
)
def test_a_seller_with_a_floor_answers_by_it(town: Any, amount: int, status: str, counter: int | None) -> None:
    key = bid(town, "L-15", amount)["offer_id"]
    town.until("2026-04-17 20:59")
    assert offers(town)[0]["status"] == "open"
    town.until("2026-04-17 21:00")
    found = {row["offer_id"]: row for row in offers(town)}
    assert found.pop(key)["status"] == status
    assert [row["amount_minor"] for row in found.values()] == ([counter] if counter else [])
    assert get(town, "L-15")["status"] == ("reserved" if status == "accepted" else "active")
    town.check()


def test_a_seller_declines_what_is_reserved_and_forgets_what_is_void(town: Any) -> None:
    bid(town, "L-15", 230_000)
    key = bid(town, "L-15", 250_000)["offer_id"]
    town.happen("listing_platform.reserve", listing_id="L-15")
    town.until("2026-04-18 09:00")
    assert [(row["offer_id"] == key, row["status"]) for row in offers(town)] == [(True, "declined"), (False, "void")]


def test_offers_of_the_initial_world_are_answered(desk: Any) -> None:
    d = desk("listing_platform")
    listing(d, "L-15", "Bike", 100, floor_minor=90)
    d.put("listing_platform.offers", offer_id="o1", listing_id="L-15", buyer_id="u_ann", buyer_name="Ann", by="buyer",
          amount_minor=95, currency="SEK", created_at=LISTED)  # fmt: skip
    d.put("listing_platform.viewings", viewing_id="v1", user_id="u_ann", listing_id="L-15",
          datetime="2026-04-17T10:00:00+08:00", created_at=LISTED)  # fmt: skip
    d.start()
    d.until("2026-04-17 10:30")
    assert offers(d)[0]["status"] == "accepted"
    assert viewings(d)[0]["status"] == "completed"
    d.check()


# -- one's own listings ----------------------------------------------------------------------------------------------


def test_posting(town: Any) -> None:
    key = post(town, attrs={"gears": 11}, photos=["a.jpg"], district="Oost")
    shown = detail(town, key)
    assert (shown["currency"], shown["price_period"], shown["owner_id"]) == ("EUR", "total", "u_ann")
    assert (shown["attrs"], shown["photos"]) == ({"gears": 11}, ["a.jpg"])
    flat = get(town, post(town, category="for rent", title="My flat", city="Nowhere", rooms=4))
    assert (flat["category"], flat["price_period"], flat["currency"]) == ("rent", "month", "SEK")
    tool = "listing_platform.post_listing"
    base = {**ANN, "category": "rent", "title": "x", "price_minor": 5, "city": "Utrecht"}
    assert town.refused(tool, **{**base, "category": "spaceship"}) == "unknown_category"
    assert town.refused(tool, **base, attrs={"x": "y" * 4000}) == "bad_attrs"
    assert town.refused(tool, **{**base, "price_minor": 0}) == "bad_arguments"
    for _ in range(48):
        post(town)
    assert town.refused(tool, **base) == "too_many"


def test_the_first_listing_needs_a_currency(desk: Any) -> None:
    d = desk("listing_platform")
    base = {**ANN, "category": "rent", "title": "x", "price_minor": 5, "city": "Montreal"}
    assert d.refused("listing_platform.post_listing", **base) == "currency_needed"
    assert d.call("listing_platform.post_listing", **base, currency="CAD")["currency"] == "CAD"


def test_own_listings_change_and_go(town: Any) -> None:
    key = post(town)
    tool = "listing_platform.update_listing"
    change = {**ANN, "listing_id": key}
    assert town.call(tool, **change, price_minor=70_000, title="Road bike 56")["price_minor"] == 70_000
    assert town.call(tool, **change, description="Good", attrs={})["title"] == "Road bike 56"
    assert [row["price_minor"] for row in detail(town, key)["price_history"]] == [72_000, 70_000]
    for same in ({}, {"price_minor": 70_000, "title": "Road bike 56"}):
        assert town.refused(tool, **change, **same) == "nothing_to_change"
    assert town.refused(tool, **change, attrs={"x": "y" * 4000}) == "bad_attrs"
    assert town.refused(tool, **ANN, listing_id="L-12", price_minor=5) == "not_yours"
    assert town.refused(tool, **ANN, listing_id="L-0", price_minor=5) == "not_found"
    [offer] = town.happen("listing_platform.incoming_offer", buyer_name="Mo", amount_minor=9)
    visit = view(town, key, "2026-04-18 10:00", visitor="Mo")
    delist = "listing_platform.delist"
    assert town.refused(delist, listing_id=key, user_id="u_bob") == "not_yours"
    assert town.refused(delist, listing_id="L-0") == "not_found"
    town.call(delist, listing_id=key)
    assert town.refused(delist, listing_id=key) == "already_delisted"
    assert town.refused(tool, **change, price_minor=5) == "delisted"
    assert {row["offer_id"]: row["status"] for row in offers(town)} == {offer: "void"}
    assert {row["viewing_id"]: row["status"] for row in viewings(town)} == {visit["viewing_id"]: "cancelled"}
    assert key not in ids(town, "second_hand")
    town.check()


def test_somebody_sets_the_price_of_an_own_listing(town: Any) -> None:
    keys = [post(town), post(town)]
    assert town.happen("listing_platform.set_price", owner_id="u_ann", price_minor=149_500) == keys
    assert get(town, keys[0])["price_minor"] == 149_500
    assert town.happen("listing_platform.set_price", owner_id="u_ann", price_minor=149_500) == []
    assert town.happen("listing_platform.set_price", owner_id="u_bob", price_minor=1) == []
    assert town.happen("listing_platform.set_price", listing_id="L-0", price_minor=1) == []
    assert town.happen("listing_platform.set_price", listing_id="ls_307", price_minor=1) == []


# -- saved listings, subscriptions, changes --------------------------------------------------------------------------


def test_saved_listings(town: Any) -> None:
    for key in ("ls_288", "L-12"):
        town.call("listing_platform.save_listing", **ANN, listing_id=key)
    town.happen("listing_platform.set_price", listing_id="ls_288", price_minor=795_000)
    town.happen("listing_platform.take_down", listing_id="L-12", reason="sold")
    found = town.call("listing_platform.list_saved", **ANN)
    assert [(row["listing_id"], row["status"], row["status_reason"]) for row in found["listings"]] == [
        ("L-12", "delisted", "sold"), ("ls_288", "active", ""),
    ]  # fmt: skip
    flat = found["listings"][1]
    assert (flat["price_minor"], flat["price_when_saved_minor"]) == (795_000, 845_000)
    save, unsave = "listing_platform.save_listing", "listing_platform.unsave_listing"
    assert town.refused(save, **ANN, listing_id="ls_288") == "already_saved"
    assert town.refused(save, **ANN, listing_id="ls_0") == "not_found"
    assert town.refused(save, **ANN, listing_id="ls_307") == "delisted"
    assert town.call(unsave, **ANN, listing_id="L-12") == {"listing_id": "L-12", "saved": False}
    assert town.refused(unsave, **ANN, listing_id="L-12") == "not_saved"
    assert town.refused("listing_platform.list_saved", **ANN, limit=0) == "bad_limit"
    for number in range(199):
        listing(town, f"k{number}", "Flat", 5)
        town.call(save, **ANN, listing_id=f"k{number}")
    assert town.refused(save, **ANN, listing_id="ls_204") == "too_many"


NEW = {"category": "rent", "title": "Flat in Majorna", "price_minor": 700_000, "currency": "SEK", "city": "Goteborg"}


def subscribe(d: Any, query: Any) -> str:
    return str(d.call("listing_platform.subscribe_search", **ANN, query_json=query)["search_id"])


def test_subscriptions_open_turns(town: Any) -> None:
    key = subscribe(town, '{"category": "rental", "city": "gothenburg", "max_price_minor": 830000}')
    subscribe(town, {"keyword": "castle flat"})
    town.put("listing_platform.searches", search_id="own", user_id="u_ann", query={"category": "rent"},
             created_at=LISTED, silent=True)  # fmt: skip
    assert town.happen("listing_platform.new_listing", **NEW, listing_id="ls_9", rooms=2) == ["ls_9"]
    [opening] = town.world.openings
    assert opening.kind == "alert"
    assert opening.text.startswith("New listing: Flat in Majorna\nls_9: Flat in Majorna, Goteborg, 700000 SEK")
    assert [row["type"] for row in notes(town)] == ["search_alert", "search_alert"]
    town.happen("listing_platform.set_price", listing_id="ls_288", price_minor=840_000)
    assert len(town.world.openings) == 1
    town.happen("listing_platform.set_price", listing_id="ls_288", price_minor=795_000)
    assert town.world.openings[1].text.startswith("Lower price: Flat in Kviberg")
    town.happen("listing_platform.set_price", listing_id="ls_288", price_minor=800_000)  # dearer
    post(town, category="rent", city="Goteborg", title="Mine")  # nobody is told of their own
    assert len(town.world.openings) == 2
    town.happen("listing_platform.take_down", listing_id="ls_288")
    assert town.happen("listing_platform.relist", listing_id="ls_288", price_minor=790_000) == ["ls_288"]
    assert town.world.openings[2].text.startswith("New listing: Flat in Kviberg")
    assert len(town.world.openings) == 3
    listed = town.call("listing_platform.list_search_subscriptions", **ANN)
    assert (listed["searches"][0]["fired"], listed["searches"][1]["fired"], listed["total"]) == (3, 0, 3)
    assert town.call("listing_platform.delete_search_subscription", search_id=key)["deleted"]
    assert town.refused("listing_platform.delete_search_subscription", search_id=key) == "not_found"
    town.happen("listing_platform.new_listing", **NEW)
    assert len(town.world.openings) == 3
    town.check()


def test_what_a_subscription_can_ask(town: Any) -> None:
    tool = "listing_platform.subscribe_search"
    bad = ["", "[1]", "{}", '{"colour": "red"}', '{"max_rooms": "many"}', {"min_rooms": -1}, {"keyword": ""},
           '{"city": null}', '{"keyword": "' + "x" * 5000 + '"}']  # fmt: skip
    for query in bad:
        assert town.refused(tool, **ANN, query_json=query) == "bad_query", query
    assert town.refused(tool, **ANN, query_json={"category": "spaceship"}) == "unknown_category"
    subscribe(town, {"category": "flat", "min_rooms": 2})
    assert town.refused(tool, **ANN, query_json='{"min_rooms": 2, "category": "rent"}') == "exists"
    for number in range(19):
        subscribe(town, {"keyword": f"word{number}"})
    assert town.refused(tool, **ANN, query_json={"city": "x"}) == "too_many"


def test_the_hub_hears_of_prices_and_states(town: Any) -> None:
    town.call("notification_hub.create_price_alert", **ANN, item_ref="L-15", target_price_minor=250_000)
    town.call("notification_hub.create_subscription", **ANN, source="listing_platform", type="status", target="L-12")
    town.happen("listing_platform.set_price", listing_id="L-15", price_minor=249_000)
    town.happen("listing_platform.take_down", listing_id="L-12", reason="sold")
    assert ["L-15" in town.world.openings[0].text, "sold" in town.world.openings[1].text] == [True, True]


def test_listings_change_silently(town: Any) -> None:
    change = "listing_platform.change_listing"
    view(town, "ls_288", "2026-04-24 17:30")
    assert town.happen(change, listing_id="ls_288", description="Our cat stays", attrs={"cat": True}) == ["ls_288"]
    shown = detail(town, "ls_288")
    assert (shown["description"], shown["attrs"]) == ("Our cat stays", {"cat": True})
    town.happen(change, listing_id="ls_204", attrs={"pets": "no"}, viewing_slots=["2026-05-01T18:00:00+02:00"])
    assert detail(town, "ls_204")["attrs"] == {"furnished": "fully", "pets": "no"}
    assert town.happen(change, listing_id="ls_288") == []
    assert town.happen(change, listing_id="ls_0", title="x") == []
    assert town.happen(change, listing_id="ls_288", agent_id="a_0") == []
    assert town.happen(change, listing_id="ls_288", agent_id="a_wiel") == ["ls_288"]
    assert get(town, "ls_288")["seller"] == "Wiel en Wind"
    assert viewings(town)[0]["status"] == "scheduled"
    assert town.happen("listing_platform.take_down", listing_id="ls_288", reason="let to another") == ["ls_288"]
    assert town.happen("listing_platform.take_down", listing_id="ls_288") == []
    assert town.happen("listing_platform.reserve", listing_id="ls_288") == []
    assert town.happen("listing_platform.take_down", listing_id="ls_0") == []
    assert viewings(town)[0]["status"] == "cancelled"
    assert (get(town, "ls_288")["status"], get(town, "ls_288")["status_reason"]) == ("delisted", "let to another")
    assert town.happen("listing_platform.relist", listing_id="ls_0") == []
    assert town.happen("listing_platform.relist", listing_id="L-12") == []
    assert town.happen("listing_platform.relist", listing_id="ls_288") == ["ls_288"]
    assert town.happen("listing_platform.new_listing", **NEW, listing_id="ls_288") == []
    assert town.happen("listing_platform.new_listing", **NEW, agent_id="a_0") == []
    before = town.world.dump()
    with pytest.raises(ValueError, match="time zone"):
        town.happen("listing_platform.new_listing", **NEW, zone="Utrecht")
    assert town.world.dump() == before
    assert town.world.openings == []
    assert notes(town) == []
    town.check()


# -- filling ---------------------------------------------------------------------------------------------------------


def test_generators_fill_a_city(desk: Any) -> None:
    dumps = []
    for _ in range(2):
        d = desk("listing_platform")
        listing(d, "lst_utrecht_rent_0003", "Key flat", 5)
        listing(d, "lst_utrecht_second_hand_0002", "Key table", 5)
        d.put("listing_platform.agents", agent_id="agt_utrecht_agent_001", name="Key Agent")
        service = d.service("listing_platform")
        homes = {"city": "Utrecht", "currency": "EUR", "zone": "Europe/Amsterdam"}
        service.homes(random.Random(1), **homes, count=40, sqm_price_minor=2_000, districts=["Oost", "West", "Zuid"])
        service.homes(random.Random(2), **homes, count=10, sqm_price_minor=500_000, category="sale")
        service.goods(random.Random(3), city="Utrecht", currency="EUR", count=30)
        service.goods(random.Random(4), city="Utrecht", currency="EUR", count=5, category="service")
        d.start()
        d.check()
        dumps.append(d.world.dump())
        assert len(service.rows("listings")) == 86 - 1
        assert service.find("listings", "lst_utrecht_rent_0003")["title"] == "Key flat"
        assert service.find("listings", "lst_utrecht_second_hand_0002")["title"] == "Key table"
        assert service.find("agents", "agt_utrecht_agent_001")["name"] == "Key Agent"
        districts = {row["district"] for row in service.rows("listings") if row["category"] == "rent"}
        assert districts == {"", "Oost", "West", "Zuid"}
        for row in service.rows("listings"):
            assert all(point["at"] < "2026-04-17" for point in row["price_history"])
        [oost] = d.call("listing_platform.get_market_stats", area_or_community="Oost", category="rent")["stats"]
        assert 1_200 < oost["median_per_sqm_minor"] < 3_200
    assert dumps[0] == dumps[1]


# -- any sequence ----------------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["ls_204", "ls_288", "L-12", "L-15", "L-16", "lst_0001", "ls_0"])
TIMES = st.sampled_from(["2026-04-17 10:00", "2026-04-17 10:15", "2026-04-24T18:00:00+02:00", "2026-04-18 17:45"])
MOMENTS = st.sampled_from(["2026-04-17T10:00:00+08:00", "2026-04-18T10:15:00+08:00"])
AMOUNTS = st.sampled_from([60_000, 200_000, 240_000, 250_000])
OFFERS = st.sampled_from(["offer_0001", "offer_0002", "offer_0003"])
DECISIONS = st.sampled_from([("accept", None), ("decline", None), ("counter", 242_000)])
STEPS = st.one_of(
    st.builds(lambda k, t, v: ("schedule_viewing", {**ANN, "listing_id": k, "datetime": t, "visitor": v}), KEYS, TIMES,
              st.sampled_from([None, "Mo"])),
    st.builds(lambda n: ("cancel_viewing", {"viewing_id": f"view_000{n}"}), st.integers(1, 3)),
    st.builds(lambda k: ("contact_agent", {**ANN, "listing_id": k, "message": "battery, frame number"}), KEYS),
    st.builds(lambda k, m: ("make_offer", {**ANN, "listing_id": k, "amount_minor": m}), KEYS, AMOUNTS),
    st.builds(lambda o, d: ("respond_offer", {"offer_id": o, "decision": d[0], "amount_minor": d[1]}), OFFERS,
              DECISIONS),
    st.just(("post_listing", {**ANN, "category": "second_hand", "title": "T", "price_minor": 7, "city": "Utrecht"})),
    st.builds(lambda m: ("update_listing", {**ANN, "listing_id": "lst_0001", "price_minor": m}), AMOUNTS),
    st.builds(lambda k: ("delist", {"listing_id": k}), KEYS),
    st.builds(lambda v, k: (v, {**ANN, "listing_id": k}), st.sampled_from(["save_listing", "unsave_listing"]), KEYS),
    st.builds(lambda q: ("subscribe_search", {**ANN, "query_json": q}),
              st.sampled_from([{"category": "rent"}, {"max_price_minor": 500_000}])),
    st.just(("list_offers", ANN)),
    st.builds(lambda k, m: ("+set_price", {"listing_id": k, "price_minor": m}), KEYS, AMOUNTS),
    st.builds(lambda v, k: (f"+{v}", {"listing_id": k}), st.sampled_from(["take_down", "reserve", "relist"]), KEYS),
    st.builds(lambda n, m: ("+incoming_offer", {"buyer_name": n, "amount_minor": m}), st.sampled_from("AB"), AMOUNTS),
    st.builds(lambda d: ("+answer_offer", {"decision": d[0], "amount_minor": d[1]}), DECISIONS),
    st.builds(lambda k, t: ("+move_viewing", {"listing_id": k, "datetime": t}), KEYS, MOMENTS),
    st.builds(lambda k: ("+cancel_viewing_by_agent", {"listing_id": k}), KEYS),
    st.builds(lambda h: ("+", {"hours": h}), st.integers(1, 40)),
)  # fmt: skip


@given(steps=st.lists(STEPS, max_size=16))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_any_sequence_keeps_the_invariants(town: Any, steps: list[tuple[str, dict[str, Any]]]) -> None:
    world = town.world
    town.world = world.fork()
    try:
        for verb, arguments in steps:
            before = town.world.dump()
            if verb == "+":
                town.world.run_to(town.world.now + arguments["hours"] * 3600)
            elif verb.startswith("+"):
                town.happen(f"listing_platform.{verb[1:]}", **arguments)
            else:
                call = dispatch.parse({"tool": f"listing_platform.{verb}", "arguments": arguments}, town.world.services)
                assert isinstance(call, dispatch.Call)
                outcome = dispatch.execute(town.world, call)
                assert not outcome.fault, outcome.fault
                if not outcome.ok or not call.spec.write:
                    assert town.world.dump() == before
            town.check()
    finally:
        town.world = world
