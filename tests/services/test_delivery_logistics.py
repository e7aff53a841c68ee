"""The parcel carrier: movement by the clock, changes in time, sending, issues, alerts, happenings."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services.delivery_logistics.addresses import band, in_one_line
from lifegym.world import clock

HOME = {"recipient": "Ann Lee", "detail": "5 Mill Lane", "city": "Utrecht", "province": "UT", "country": "NL"}
SHOP = {"recipient": "Oak & Thread", "detail": "1 Dock Road", "city": "Zwolle", "province": "OV", "country": "NL"}
TILES = [{"description": "roof tiles, pallet", "qty": 2, "ref": "til_clay"}]


def parcel(d: Any, tracking_no: str = "TRK1", **more: Any) -> str:
    fields = {
        "sender": "Oak & Thread", "items": TILES, "destination": HOME, "origin": SHOP, "ref": "ord_551",
        "collect_at": "2026-04-17T16:00:00+08:00", "deliver_at": "2026-04-21T14:00:00+08:00", **more,
    }  # fmt: skip
    assert d.happen("delivery_logistics.create_shipment", tracking_no=tracking_no, **fields) == [tracking_no]
    return tracking_no


def track(d: Any, tracking_no: str = "TRK1") -> dict[str, Any]:
    return d.call("delivery_logistics.track_package", tracking_no=tracking_no)


def get(d: Any, tracking_no: str = "TRK1") -> dict[str, Any]:
    return d.call("delivery_logistics.get_shipment", shipment_id=tracking_no)


@pytest.fixture
def d(desk: Any) -> Any:
    made = desk("delivery_logistics", "notification_hub", "email", "banking")
    made.service("delivery_logistics").usual_tariffs(random.Random(1), currency="EUR", base_price_minor=700)
    made.put("banking.accounts", account_id="acc", user_id="u_ann", name="Main", currency="EUR", balance_minor=50_000)
    made.start()
    return made


def openings(d: Any) -> list[str]:
    return [opening.text.partition("\n")[0] for opening in d.world.openings]


# -- addresses ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        ({"city": "utrecht"}, "local"),
        ({"city": "Utrecht", "country": "BE"}, "international"),
        ({"city": "Zwolle", "province": "OV"}, "national"),
        ({"city": "Zwolle", "province": "UT"}, "regional"),
        ({"city": "Zwolle"}, "national"),
        ({"city": "Utrecht", "country": "nl"}, "local"),
    ],
)
def test_how_far_it_is(other: dict[str, str], expected: str) -> None:
    assert band(HOME, other) == expected


def test_an_address_in_one_line() -> None:
    assert in_one_line({**HOME, "postal_code": "3511", "phone": "06"}) == "Ann Lee, 5 Mill Lane, Utrecht 3511, UT, NL"
    assert in_one_line({}) == ""


# -- the clock ---------------------------------------------------------------------------------------------------


def test_a_parcel_goes_through_its_states(d: Any) -> None:
    parcel(d)
    assert track(d)["status"] == "created"
    assert (
        d.happen("delivery_logistics.create_shipment", tracking_no="TRK1", sender="x", items=[], destination=HOME) == []
    )
    for when, status in (
        ("2026-04-17T15:59:00", "created"), ("2026-04-17T16:00:00", "picked_up"), ("2026-04-17T19:00:00", "in_transit"),
        ("2026-04-21T07:59:00", "in_transit"), ("2026-04-21T08:00:00", "out_for_delivery"),
        ("2026-04-21T13:59:00", "out_for_delivery"), ("2026-04-21T14:00:00", "delivered"),
    ):  # fmt: skip
        d.until(when)
        assert track(d)["status"] == status, when
        d.check()
    seen = track(d)
    assert [scan["status"] for scan in seen["scans"]] == [
        "created", "picked_up", "in_transit", "out_for_delivery", "delivered",
    ]  # fmt: skip
    assert seen["delivered_at"] == "2026-04-21T14:00:00+08:00"
    assert seen["scans"][1]["location"] == "Zwolle"
    assert seen["signed_by"] == ""


def test_shipments_are_listed_newest_first_and_found_by_either_number(d: Any) -> None:
    parcel(d, "A", shipment_id="shp_2210")
    d.until("2026-04-17T10:00:00")
    parcel(d, "B", status="in_transit", items=[{"description": "x" * 300, "qty": 1, "ref": ""}])
    found = d.call("delivery_logistics.list_shipments", user_id="u_ann")
    assert ([row["tracking_no"] for row in found["shipments"]], found["total"]) == (["B", "A"], 2)
    assert found["shipments"][1]["contents"] == "2 x roof tiles, pallet"
    assert found["shipments"][0]["contents"].endswith("...")
    only = d.call("delivery_logistics.list_shipments", user_id="u_ann", status_filter="created", limit=1)
    assert [row["shipment_id"] for row in only["shipments"]] == ["shp_2210"]
    assert d.call("delivery_logistics.list_shipments", user_id="u_bob")["total"] == 0
    assert d.refused("delivery_logistics.list_shipments", user_id="u_ann", limit=0) == "bad_limit"
    shown = get(d, "shp_2210")
    assert (shown["tracking_no"], shown["can"], shown["promised_on"]) == (
        "A",
        ["change_address", "reschedule"],
        "2026-04-21",
    )
    assert "plan" not in shown
    assert shown["offered_days"][0] == "2026-04-18"
    assert "2026-04-19" not in shown["offered_days"]  # a Sunday
    assert d.refused("delivery_logistics.get_shipment", shipment_id="zz") == "not_found"
    assert d.refused("delivery_logistics.track_package", tracking_no="zz") == "not_found"


def test_records_of_before_go_on(desk: Any) -> None:
    d = desk("delivery_logistics")
    base = {"user_id": "u_ann", "destination": HOME, "items": TILES, "created_at": "2026-04-10T10:00:00+08:00"}
    d.put("delivery_logistics.shipments", tracking_no="trk_88211", status="in_transit",
          collect_at="2026-04-12T10:00:00+08:00", deliver_at="2026-04-18T10:00:00+08:00", **base)  # fmt: skip
    d.put("delivery_logistics.shipments", tracking_no="7LK-0088", shipment_id="SHP-88", direction="outgoing", **base)
    d.put("delivery_logistics.shipments", tracking_no="held", status="exception", trouble="held", reason="absent",
          return_on="2026-04-20", collect_at="2026-04-12T10:00:00+08:00", deliver_at="2026-04-13T10:00:00+08:00",
          **base)  # fmt: skip
    d.put("delivery_logistics.issues", issue_id="i1", tracking_no="held", user_id="u_ann", issue_type="late",
          description="?", created_at="2026-04-17T08:00:00+08:00", updated_at="2026-04-17T08:00:00+08:00")  # fmt: skip
    d.start()
    d.check()
    assert (track(d, "trk_88211")["shipment_id"], len(track(d, "trk_88211")["scans"])) == ("trk_88211", 1)
    d.until("2026-04-21T00:00:00")
    assert track(d, "trk_88211")["status"] == "delivered"
    assert track(d, "7LK-0088")["status"] == "created"
    assert track(d, "held")["status"] == "returned"
    assert d.call("delivery_logistics.list_issues", user_id="u_ann", status_filter="investigating")["total"] == 1
    d.check()


# -- changing an address -----------------------------------------------------------------------------------------


def test_an_address_in_the_same_city_keeps_the_day(d: Any) -> None:
    parcel(d)
    changed = d.call(
        "delivery_logistics.change_address", tracking_no="TRK1", new_address={"detail": "9 Quay", "city": "Utrecht"}
    )
    assert changed["deliver_at"] == "2026-04-21T14:00:00+08:00"
    assert changed["destination"] == {"recipient": "Ann Lee", "country": "NL", "detail": "9 Quay", "city": "Utrecht"}
    d.until("2026-04-20T20:00:00")
    other = {"detail": "9 Quay", "city": "Breda", "recipient": "Bo"}
    changed = d.call("delivery_logistics.change_address", tracking_no="TRK1", new_address=other)
    assert changed["deliver_at"] == "2026-04-21T14:00:00+08:00"  # the next working day at noon is earlier
    d.until("2026-04-21T07:00:00")
    changed = d.call(
        "delivery_logistics.change_address", tracking_no="TRK1", new_address={"detail": "9 Quay", "city": "Arnhem"}
    )
    assert changed["deliver_at"] == "2026-04-22T12:00:00+08:00"
    assert "Arnhem" in track(d)["destination"]
    d.until("2026-04-22T12:00:00")
    assert track(d)["status"] == "delivered"
    d.check()


def test_when_an_address_cannot_change(d: Any) -> None:
    parcel(d)
    tool, new = "delivery_logistics.change_address", {"detail": "9 Quay", "city": "Utrecht"}
    assert d.refused(tool, tracking_no="zz", new_address=new) == "not_found"
    assert d.refused(tool, tracking_no="TRK1", new_address={"city": "Utrecht"}) == "bad_address"
    assert d.refused(tool, tracking_no="TRK1", new_address={**new, "street": "x"}) == "bad_arguments"
    assert d.refused(tool, tracking_no="TRK1", new_address={**new, "country": "BE"}) == "other_country"
    d.happen("delivery_logistics.lose", parcel="TRK1")
    assert d.refused(tool, tracking_no="TRK1", new_address=new) == "lost"
    d.happen("delivery_logistics.release", parcel="TRK1", deliver_at="2026-04-21T10:00:00+08:00")
    d.until("2026-04-21T09:00:00")
    assert track(d)["status"] == "out_for_delivery"
    assert d.refused(tool, tracking_no="TRK1", new_address=new) == "too_late"
    d.until("2026-04-21T10:00:00")
    assert d.refused(tool, tracking_no="TRK1", new_address=new) == "too_late"


def test_completing_an_address_frees_a_held_parcel(d: Any) -> None:
    parcel(d)
    d.until("2026-04-17T22:00:00")
    happened = d.happen(
        "delivery_logistics.hold", parcel="ord_551", reason="address incomplete", return_on="2026-04-24"
    )
    assert happened == ["TRK1"]
    seen = track(d)
    assert (seen["status"], seen["reason"], seen["return_on"], seen["deliver_at"]) == (
        "exception", "address incomplete", "2026-04-24", None,
    )  # fmt: skip
    assert seen["scans"][-1]["text"] == "Address incomplete. Return planned for 2026-04-24."
    d.until("2026-04-22T00:00:00")
    assert track(d)["status"] == "exception"
    changed = d.call(
        "delivery_logistics.change_address", tracking_no="TRK1",
        new_address={"detail": "Hall 4, Gate 3", "city": "Utrecht"},
    )  # fmt: skip
    assert changed["deliver_at"] == "2026-04-23T12:00:00+08:00"
    d.until("2026-04-30T00:00:00")
    assert track(d)["delivered_at"] == "2026-04-23T12:00:00+08:00"
    d.check()


def test_a_held_parcel_goes_back(d: Any) -> None:
    parcel(d)
    d.happen(
        "delivery_logistics.hold", parcel="TRK1", reason="nobody there", return_on="2026-04-20", location="Counter"
    )
    d.until("2026-04-20T17:59:00")
    assert track(d)["status"] == "exception"
    d.until("2026-04-20T18:00:00")
    assert track(d)["status"] == "returned"
    assert d.happen("delivery_logistics.release", parcel="TRK1") == []
    d.check()


# -- another day -------------------------------------------------------------------------------------------------


def test_delivery_moves_to_an_offered_day_and_window(d: Any) -> None:
    parcel(d)
    tool = "delivery_logistics.reschedule_delivery"
    moved = d.call(tool, tracking_no="TRK1", new_date="2026-04-24", time_window="08:00 - 12:00")
    assert (moved["deliver_at"], moved["time_window"]) == ("2026-04-24T10:00:00+08:00", "08:00-12:00")
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-04-26", time_window="08:00-12:00") == "not_offered"
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-04-17", time_window="08:00-12:00") == "not_offered"
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-05-24", time_window="08:00-12:00") == "not_offered"
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-04-24", time_window="09:00-12:00") == "not_offered"
    assert d.refused(tool, tracking_no="TRK1", new_date="24.04.", time_window="08:00-12:00") == "bad_date"
    assert d.refused(tool, tracking_no="zz", new_date="2026-04-24", time_window="08:00-12:00") == "not_found"
    d.until("2026-04-21T15:00:00")
    assert track(d)["status"] == "in_transit"
    d.until("2026-04-24T09:00:00")
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-04-25", time_window="08:00-12:00") == "too_late"
    d.until("2026-04-24T10:00:00")
    assert track(d)["status"] == "delivered"
    d.check()


def test_a_held_parcel_is_delivered_on_the_day_that_is_chosen(d: Any) -> None:
    parcel(d)
    d.until("2026-04-18T10:00:00")
    d.happen("delivery_logistics.hold", parcel="roof tiles", reason="nobody there", return_on="2026-04-20")
    moved = d.call(
        "delivery_logistics.reschedule_delivery", tracking_no="TRK1", new_date="2026-04-22", time_window="16:00-20:00"
    )
    assert (moved["status"], moved["deliver_at"], moved["time_window"]) == (
        "in_transit", "2026-04-22T18:00:00+08:00", "16:00-20:00",
    )  # fmt: skip
    d.until("2026-04-22T18:00:00")
    assert track(d)["status"] == "delivered"
    d.check()


def test_own_windows_and_what_cannot_be_moved(d: Any) -> None:
    parcel(d, "label", collect_at=None, deliver_at=None, direction="outgoing")
    tool = "delivery_logistics.reschedule_delivery"
    assert d.refused(tool, tracking_no="label", new_date="2026-04-22", time_window="08:00-12:00") == "not_scheduled"
    parcel(d)
    d.service("delivery_logistics").patch("shipments", "TRK1", offered_windows=["10:15-11:45"])
    assert d.call(tool, tracking_no="TRK1", new_date="2026-04-20", time_window="10:15-11:45")
    d.happen("delivery_logistics.lose", parcel="TRK1")
    assert d.refused(tool, tracking_no="TRK1", new_date="2026-04-22", time_window="10:15-11:45") == "lost"
    assert get(d)["can"] == []


# -- sending -----------------------------------------------------------------------------------------------------


def estimate(d: Any, **more: Any) -> dict[str, Any]:
    fields = {"origin_addr": HOME, "dest_addr": SHOP, "weight_kg": 1.5, "service_type": "standard", **more}
    return d.call("delivery_logistics.estimate_delivery", **fields)


def test_estimates_follow_distance_weight_and_service(d: Any) -> None:
    first = estimate(d)
    assert (first["distance"], first["price_minor"], first["working_days"]) == ("national", 700 + 350, 2)
    assert (first["collect_at"], first["deliver_at"]) == ("2026-04-17T10:00:00+08:00", "2026-04-21T14:00:00+08:00")
    assert estimate(d, dest_addr=HOME)["price_minor"] == 700
    assert estimate(d, dest_addr={**SHOP, "province": "UT"})["price_minor"] == 700 + 140
    assert estimate(d, dest_addr={**SHOP, "country": "DE"})["price_minor"] == 700 + 1400
    assert estimate(d, weight_kg=2)["price_minor"] == 1050
    assert estimate(d, weight_kg=2.1)["price_minor"] == 1050 + 87
    assert estimate(d, service_type="overnight")["deliver_at"] == "2026-04-20T12:00:00+08:00"
    assert estimate(d, service_type="Same-Day", dest_addr=HOME)["deliver_at"] == "2026-04-17T13:00:00+08:00"
    assert estimate(d, service_type="Registered Letter")["signature"] is True
    d.until("2026-04-17T14:30:00")
    assert estimate(d, service_type="same_day", dest_addr=HOME)["collect_at"] == "2026-04-18T08:00:00+08:00"
    d.until("2026-04-17T18:30:00")
    assert estimate(d)["deliver_at"] == "2026-04-22T14:00:00+08:00"  # after 18:00 it counts from Monday
    d.until("2026-04-18T23:00:00")
    assert estimate(d)["collect_at"] == "2026-04-20T08:00:00+08:00"
    assert estimate(d) == estimate(d)


def test_estimates_are_refused(d: Any) -> None:
    tool = "delivery_logistics.estimate_delivery"
    good = {"origin_addr": HOME, "dest_addr": SHOP, "weight_kg": 1.5, "service_type": "standard"}
    assert d.refused(tool, **{**good, "origin_addr": {"detail": "x"}}) == "bad_address"
    assert d.refused(tool, **{**good, "dest_addr": {"city": "x", "detail": " "}}) == "bad_address"
    assert d.refused(tool, **{**good, "service_type": "drone"}) == "unknown_service"
    assert d.refused(tool, **{**good, "weight_kg": 31}) == "too_heavy"
    assert d.refused(tool, **{**good, "service_type": "same_day"}) == "not_served"
    assert d.refused(tool, **{**good, "weight_kg": 0}) == "bad_arguments"
    for row in list(d.service("delivery_logistics").rows("tariffs")):
        d.service("delivery_logistics").drop("tariffs", row["service_type"])
    assert d.refused(tool, **good) == "unknown_service"


def pickup(d: Any, **more: Any) -> dict[str, Any]:
    return {
        "user_id": "u_ann", "pickup_addr": HOME, "dest_addr": SHOP, "item_desc": "cure notice", "weight_kg": 0.2,
        "service_type": "registered", "scheduled_at": "2026-04-20T10:30:00+08:00", **more,
    }  # fmt: skip


def test_a_letter_is_collected_delivered_and_signed_for(d: Any) -> None:
    sent = d.call("delivery_logistics.request_pickup", **pickup(d, payment_method="acc"))
    assert (sent["price_minor"], sent["label"]) == (840 + 420, False)
    assert sent["deliver_at"] == "2026-04-23T11:00:00+08:00"
    assert d.service("banking").find("accounts", "acc")["balance_minor"] == 50_000 - 1260
    shown = get(d, sent["tracking_no"])
    assert (shown["direction"], shown["pickup"]["pickup_id"]) == ("outgoing", sent["pickup_id"])
    assert shown["can"] == ["change_address", "reschedule", "cancel"]
    d.check()
    d.until("2026-04-20T10:30:00")
    assert track(d, sent["tracking_no"])["status"] == "picked_up"
    assert get(d, sent["tracking_no"])["pickup"] is None
    d.until("2026-04-23T11:00:00")
    seen = track(d, sent["tracking_no"])
    assert (seen["status"], seen["signed_by"]) == ("delivered", "Oak & Thread")
    d.check()


def test_pickups_are_refused(d: Any) -> None:
    tool = "delivery_logistics.request_pickup"
    assert d.refused(tool, **pickup(d, pickup_addr={"city": "x"})) == "bad_address"
    assert d.refused(tool, **pickup(d, dest_addr={"city": "x"})) == "bad_address"
    assert d.refused(tool, **pickup(d, service_type="drone")) == "unknown_service"
    assert d.refused(tool, **pickup(d, weight_kg=3)) == "too_heavy"
    assert d.refused(tool, **pickup(d, service_type="same_day")) == "not_served"
    assert d.refused(tool, **pickup(d, scheduled_at="soon")) == "bad_time"
    assert d.refused(tool, **pickup(d, scheduled_at="2026-04-17T09:00:00+08:00")) == "in_past"
    assert d.refused(tool, **pickup(d, scheduled_at="2026-04-19T10:00:00+08:00")) == "not_offered"  # Sunday
    assert d.refused(tool, **pickup(d, scheduled_at="2026-04-20T07:59:00+08:00")) == "not_offered"
    assert d.refused(tool, **pickup(d, scheduled_at="2026-04-20T20:01:00+08:00")) == "not_offered"
    assert d.refused(tool, **pickup(d, scheduled_at="2026-06-20T10:00:00+08:00")) == "not_offered"
    late = pickup(d, service_type="same_day", dest_addr=HOME, scheduled_at="2026-04-17T15:30:00+08:00")
    assert d.refused(tool, **late) == "not_offered"
    d.happen("delivery_logistics.close_day", day="2026-04-20", name="Strike")
    assert d.refused(tool, **pickup(d)) == "not_offered"


def test_a_pickup_that_cannot_be_paid(d: Any) -> None:
    tool = "delivery_logistics.request_pickup"
    d.service("banking").patch("accounts", "acc", balance_minor=100)
    assert d.refused(tool, **pickup(d, payment_method="acc")) == "insufficient_funds"
    d.world.table("world.methods").put({"method_id": "acc"})
    assert d.refused(tool, **pickup(d, payment_method="gold")) == "unknown_payment_method"
    first = d.call(tool, **pickup(d))
    assert d.service("delivery_logistics").find("shipments", first["tracking_no"])["payment_method_id"] == ""


def test_a_label_is_used_by_naming_it(d: Any) -> None:
    parcel(d, "7LK-0088", shipment_id="SHP-88", collect_at=None, deliver_at=None, direction="outgoing",
           service_type="prepaid")  # fmt: skip
    parcel(d, "7LK-0080", shipment_id="SHP-8", collect_at=None, deliver_at=None, direction="outgoing")
    label = pickup(d, item_desc="Laptop return (label SHP-88).", service_type="standard", dest_addr=HOME,
                   payment_method="acc")  # fmt: skip
    used = d.call("delivery_logistics.request_pickup", **label)
    assert (used["tracking_no"], used["label"], used["price_minor"]) == ("7LK-0088", True, 0)
    assert used["destination"] == HOME
    assert used["deliver_at"] == "2026-04-27T14:00:00+08:00"  # five working days, as no tariff says otherwise
    assert d.refused("delivery_logistics.request_pickup", **label) == "exists"
    assert d.world.table("world.charges").all() == []
    assert track(d, "7LK-0080")["status"] == "created"
    d.check()
    d.until("2026-04-27T14:00:00")
    assert track(d, "7LK-0088")["status"] == "delivered"
    assert track(d, "7LK-0080")["status"] == "created"


def test_cancelling_what_is_not_collected(d: Any) -> None:
    tool = "delivery_logistics.cancel_shipment"
    sent = d.call("delivery_logistics.request_pickup", **pickup(d, payment_method="acc"))
    done = d.call(tool, tracking_no=sent["tracking_no"], reason="not needed")
    assert (done["status"], done["refund_minor"]) == ("cancelled", 1260)
    assert d.service("banking").find("accounts", "acc")["balance_minor"] == 50_000
    d.check()
    assert d.refused(tool, tracking_no=sent["tracking_no"], reason="again") == "too_late"
    other = d.call("delivery_logistics.request_pickup", **pickup(d))
    assert d.refused(tool, tracking_no="zz", reason="") == "not_found"
    parcel(d)
    assert d.refused(tool, tracking_no="TRK1", reason="") == "not_sender"
    paid = d.call("delivery_logistics.request_pickup", **pickup(d, payment_method="acc"))
    d.world.table("world.methods").put({"method_id": "other"})
    assert d.refused(tool, tracking_no=paid["tracking_no"], reason="") == "unknown_payment_method"
    d.until("2026-04-20T10:30:00")
    assert d.refused(tool, tracking_no=other["tracking_no"], reason="") == "too_late"
    d.until("2026-05-20T10:30:00")
    assert track(d, sent["tracking_no"])["status"] == "cancelled"


# -- issues ------------------------------------------------------------------------------------------------------


def report(d: Any, kind: str, tracking_no: str = "TRK1") -> dict[str, Any]:
    return {"tracking_no": tracking_no, "issue_type": kind, "description": "please look"}


def test_issues_are_taken_up_and_closed(d: Any) -> None:
    parcel(d)
    tool = "delivery_logistics.report_issue"
    issue = d.call(tool, **report(d, "missing_item"))
    assert issue["status"] == "open"
    assert d.refused(tool, **report(d, "missing_item")) == "exists"
    d.until("2026-04-17T13:00:00")
    [listed] = d.call("delivery_logistics.list_issues", user_id="u_ann")["issues"]
    assert listed["status"] == "investigating"
    assert d.refused(tool, **report(d, "missing_item")) == "exists"
    assert get(d)["issues"] == [issue["issue_id"]]
    done = d.happen("delivery_logistics.resolve_issue", parcel="TRK1", resolution="One follows on 12-05.")
    assert done == [issue["issue_id"]]
    assert d.happen("delivery_logistics.resolve_issue", parcel="TRK1", resolution="again") == []
    [listed] = d.call("delivery_logistics.list_issues", user_id="u_ann", status_filter="resolved")["issues"]
    assert listed["resolution"] == "One follows on 12-05."
    second = d.call(tool, **report(d, "missing_item"))
    d.happen("delivery_logistics.resolve_issue", parcel="TRK1", resolution="No.", status="rejected")
    d.until("2026-04-18T13:00:00")
    assert d.service("delivery_logistics").find("issues", second["issue_id"])["status"] == "rejected"
    d.check()


def test_what_cannot_be_reported(d: Any) -> None:
    tool = "delivery_logistics.report_issue"
    parcel(d)
    assert d.refused(tool, **report(d, "late", "zz")) == "not_found"
    assert d.refused(tool, **report(d, "late")) == "not_late"
    assert d.refused(tool, **report(d, "broken")) == "bad_arguments"
    sent = d.call("delivery_logistics.request_pickup", **pickup(d))
    d.call("delivery_logistics.cancel_shipment", tracking_no=sent["tracking_no"], reason="")
    assert d.refused(tool, **report(d, "other", sent["tracking_no"])) == "cancelled"
    d.until("2026-04-21T15:00:00")
    assert d.refused(tool, **report(d, "lost")) == "delivered"
    assert d.refused(tool, **report(d, "late")) == "not_late"
    assert d.call(tool, **report(d, "damaged"))
    d.until("2026-05-22T15:00:00")
    assert d.refused(tool, **report(d, "wrong_item")) == "too_late"


def test_late_is_what_comes_after_the_promised_day(d: Any) -> None:
    parcel(d, "A")
    parcel(d, "B")
    parcel(d, "C", collect_at=None, deliver_at=None)
    d.happen("delivery_logistics.slip", parcel="A", days=1)
    assert d.call("delivery_logistics.report_issue", **report(d, "late", "A"))
    d.happen("delivery_logistics.hold", parcel="B", reason="no scan")
    assert d.call("delivery_logistics.report_issue", **report(d, "late", "B"))
    assert d.refused("delivery_logistics.report_issue", **report(d, "late", "C")) == "not_late"


# -- alerts ------------------------------------------------------------------------------------------------------


def test_status_alerts_open_turns(d: Any) -> None:
    parcel(d)
    wish = d.call("delivery_logistics.subscribe_status", tracking_no="TRK1", channel="push", target="u_ann")
    d.call("delivery_logistics.subscribe_status", tracking_no="TRK1", channel="email", target="ann@mail.example")
    d.until("2026-04-17T16:00:00")
    assert openings(d) == ["Parcel TRK1: picked up"] * 2
    mails = [row for row in d.service("email").rows("mails") if row["sender"] == "tracking@parcels.example"]
    assert [row["subject"] for row in mails] == ["Parcel TRK1: picked up"]
    assert len(d.service("notification_hub").rows("notifications")) == 2
    d.call("delivery_logistics.unsubscribe", subscription_id=wish["subscription_id"])
    d.until("2026-04-17T20:00:00")
    assert len(openings(d)) == 3
    d.happen("delivery_logistics.slip", parcel="TRK1", days=2)
    assert openings(d)[-1] == "Parcel TRK1: in transit"
    assert "2026-04-23" in d.world.openings[-1].text
    assert d.service("delivery_logistics").find("subscriptions", wish["subscription_id"])["fired"] == 1
    d.check()


def test_subscriptions_of_the_hub_hear_of_it(d: Any) -> None:
    parcel(d)
    d.call("notification_hub.create_subscription", user_id="u_ann", source="delivery_logistics", type="status",
           target="TRK1", condition_json={"status": "exception"})  # fmt: skip
    d.until("2026-04-17T17:00:00")
    assert openings(d) == []
    d.happen("delivery_logistics.hold", parcel="TRK1", reason="no scan since Friday")
    assert openings(d) == ["Parcel TRK1: exception"]


def test_subscriptions_are_refused(d: Any) -> None:
    tool = "delivery_logistics.subscribe_status"
    parcel(d)
    good = {"tracking_no": "TRK1", "channel": "sms", "target": "+31 6 1234"}
    d.call(tool, **good)
    assert d.refused(tool, **good) == "exists"
    assert d.refused(tool, **{**good, "tracking_no": "zz"}) == "not_found"
    assert d.refused(tool, **{**good, "target": "me"}) == "bad_target"
    assert d.refused(tool, **{**good, "channel": "email", "target": "me at home"}) == "bad_target"
    assert d.refused(tool, **{**good, "channel": "push", "target": " "}) == "bad_target"
    assert d.refused(tool, **{**good, "channel": "fax"}) == "bad_arguments"
    assert d.refused("delivery_logistics.unsubscribe", subscription_id="zz") == "not_found"
    wish = d.call(tool, **{**good, "channel": "push", "target": "u_ann"})
    d.call("delivery_logistics.unsubscribe", subscription_id=wish["subscription_id"])
    assert d.refused("delivery_logistics.unsubscribe", subscription_id=wish["subscription_id"]) == "not_active"
    d.happen("delivery_logistics.deliver", parcel="TRK1")
    assert d.refused(tool, **{**good, "target": "0612345"}) == "finished"


# -- happenings --------------------------------------------------------------------------------------------------


def test_slips_and_new_moments(d: Any) -> None:
    parcel(d)
    assert d.happen("delivery_logistics.slip", parcel="TRK1", days=4) == ["TRK1"]
    assert track(d)["deliver_at"] == "2026-04-25T14:00:00+08:00"
    assert d.happen("delivery_logistics.slip", parcel="TRK1", days=1) == ["TRK1"]
    assert track(d)["deliver_at"] == "2026-04-27T14:00:00+08:00"  # not on a Sunday
    moved = d.happen(
        "delivery_logistics.set_eta", parcel="TRK1", deliver_at="2026-04-22T09:30:00+08:00", time_window="08:30-10:00"
    )
    assert moved == ["TRK1"]
    assert (track(d)["deliver_at"], track(d)["time_window"]) == ("2026-04-22T09:30:00+08:00", "08:30-10:00")
    assert d.happen("delivery_logistics.set_eta", parcel="TRK1", deliver_at="2026-04-17T12:00:00+08:00") == []
    d.until("2026-04-22T09:00:00")
    assert track(d)["status"] == "out_for_delivery"
    d.happen("delivery_logistics.slip", parcel="TRK1", days=1)
    assert track(d)["status"] == "in_transit"
    d.until("2026-04-23T09:30:00")
    assert track(d)["status"] == "delivered"
    assert d.happen("delivery_logistics.slip", parcel="TRK1", days=1) == []
    d.check()


def test_delivery_ahead_of_the_plan(d: Any) -> None:
    parcel(d)
    assert d.happen("delivery_logistics.deliver", parcel="til_clay", signed_by="Bo") == ["TRK1"]
    assert (track(d)["status"], track(d)["signed_by"]) == ("delivered", "Bo")
    assert track(d)["scans"][-1]["text"] == "Delivered, signed for by Bo."
    d.until("2026-04-25T14:00:00")
    assert len(track(d)["scans"]) == 2
    assert d.happen("delivery_logistics.deliver", parcel="") == []


def test_a_pickup_that_is_held_is_no_longer_awaited(d: Any) -> None:
    sent = d.call("delivery_logistics.request_pickup", **pickup(d))
    d.happen("delivery_logistics.hold", parcel=sent["tracking_no"], reason="van broke down")
    d.check()
    d.happen("delivery_logistics.release", parcel=sent["tracking_no"])
    d.check()
    d.until("2026-04-20T12:00:00")
    assert track(d, sent["tracking_no"])["status"] == "delivered"


def test_loss_damage_and_return(d: Any) -> None:
    for number in ("A", "B", "C"):
        parcel(d, number)
    d.happen("delivery_logistics.lose", parcel="A")
    assert (track(d, "A")["status"], track(d, "A")["reason"]) == ("exception", "The parcel cannot be found.")
    d.happen("delivery_logistics.damage", parcel="B", reason="A corner is crushed.")
    d.happen("delivery_logistics.return_to_sender", parcel="C", reason="refused")
    assert (track(d, "C")["status"], track(d, "C")["reason"]) == ("returned", "refused")
    d.until("2026-04-22T00:00:00")
    assert track(d, "A")["status"] == "exception"
    assert (track(d, "B")["status"], track(d, "B")["scans"][1]["text"]) == ("delivered", "A corner is crushed.")
    d.check()


def test_somebody_sends_a_parcel_elsewhere(d: Any) -> None:
    parcel(d)
    yard = {"detail": "Lot 9", "city": "Butterworth"}
    assert d.happen("delivery_logistics.readdress", parcel="ord_551", destination=yard) == ["TRK1"]
    assert track(d)["destination"] == "Lot 9, Butterworth"
    back = d.call("delivery_logistics.change_address", tracking_no="TRK1", new_address=HOME)
    assert back["deliver_at"] == "2026-04-21T14:00:00+08:00"
    d.check()


def test_records_that_change_afterwards(d: Any) -> None:
    parcel(d, shipment_id="shp_2210")
    d.until("2026-04-22T00:00:00")
    text = "held overnight 10-18 unheated at consignee's request"
    assert d.happen("delivery_logistics.add_scan", parcel="shp_2210", text=text, at="2026-04-19T22:00:00+08:00")
    scans = get(d)["scans"]
    assert [scan["text"] for scan in scans][3] == text
    assert (get(d)["status"], scans[3]["status"]) == ("delivered", "exception")
    items = [{"description": "roof tiles, pallet", "qty": 1, "ref": "til_clay"}]
    assert d.happen("delivery_logistics.set_items", parcel="TRK1", items=items) == ["TRK1"]
    assert get(d)["items"] == items
    assert d.happen("delivery_logistics.add_scan", parcel="TRK1", text="Photo of the delivery added.")
    ahead = {"parcel": "TRK1", "text": "Not yet.", "at": "2026-04-23T00:00:00+08:00"}
    assert d.happen("delivery_logistics.add_scan", **ahead) == []
    d.check()


def test_nothing_is_delivered_before_it_is_collected(d: Any) -> None:
    early = {"collect_at": "2026-04-20T10:00:00+08:00", "deliver_at": "2026-04-20T09:00:00+08:00"}
    fields = {"sender": "x", "items": [], "destination": HOME}
    assert d.happen("delivery_logistics.create_shipment", tracking_no="TRK9", **fields, **early) == []
    assert d.refused("delivery_logistics.get_shipment", shipment_id="TRK9") == "not_found"


def test_a_closed_day_moves_what_is_due(d: Any) -> None:
    parcel(d)
    parcel(d, "held")
    d.happen("delivery_logistics.hold", parcel="held", reason="x")
    assert d.happen("delivery_logistics.close_day", day="2026-04-21", name="Snow") == ["2026-04-21", "TRK1"]
    assert track(d)["deliver_at"] == "2026-04-22T14:00:00+08:00"
    assert d.happen("delivery_logistics.close_day", day="2026-04-21") == []
    assert d.happen("delivery_logistics.close_day", day="2026-04-01") == []
    assert "2026-04-21" not in get(d)["offered_days"]
    d.check()


def test_a_shop_announces_its_parcels(d: Any) -> None:
    def ship(**more: Any) -> None:
        d.world.emit("ship", **{
            "tracking_no": "EC1", "user_id": "u_ann", "sender": "Oak & Thread", "origin": SHOP, "destination": HOME,
            "items": TILES, "ref": "ord_1", "collect_at": "2026-04-20T16:00:00+08:00",
            "deliver_at": "2026-04-22T14:00:00+08:00", **more,
        })  # fmt: skip

    ship()
    assert track(d, "EC1")["status"] == "created"
    d.call("delivery_logistics.change_address", tracking_no="EC1", new_address={"detail": "9 Quay", "city": "Utrecht"})
    ship(items=TILES * 2, collect_at="2026-04-21T16:00:00+08:00", deliver_at="2026-04-23T14:00:00+08:00")
    shown = get(d, "EC1")
    assert (len(shown["items"]), shown["collect_at"], shown["destination"]["detail"]) == (
        2, "2026-04-21T16:00:00+08:00", "9 Quay",
    )  # fmt: skip
    d.until("2026-04-21T20:00:00")
    assert track(d, "EC1")["status"] == "in_transit"
    ship(deliver_at="2026-04-24T14:00:00+08:00")
    assert track(d, "EC1")["deliver_at"] == "2026-04-24T14:00:00+08:00"
    d.until("2026-04-24T14:00:00")
    assert track(d, "EC1")["status"] == "delivered"
    ship(items=[])
    assert track(d, "EC1")["status"] == "delivered"
    ship(tracking_no="EC2", collect_at="2026-04-27T16:00:00+08:00", deliver_at="2026-04-28T16:00:00+08:00")
    ship(tracking_no="EC2", items=[])
    assert track(d, "EC2")["status"] == "cancelled"
    d.check()


# -- filling, fuzzing ------------------------------------------------------------------------------------------


def test_generated_parcels_are_believable_and_repeatable(desk: Any) -> None:
    worlds = [desk("delivery_logistics") for _ in range(2)]
    for d in worlds:
        service = d.service("delivery_logistics")
        service.usual_tariffs(random.Random(1), currency="EUR")
        service.past_parcels(random.Random(2), user_id="u_ann", count=400, city="Utrecht", detail="5 Mill Lane")
        d.start()
        d.check()
    assert worlds[0].world.dump() == worlds[1].world.dump()
    before = worlds[0].world.dump()
    service = worlds[0].service("delivery_logistics")
    service.usual_tariffs(random.Random(1), currency="EUR")
    service.past_parcels(random.Random(2), user_id="u_ann", count=400)
    assert worlds[0].world.dump() == before
    states = [row["status"] for row in service.rows("shipments")]
    assert states.count("delivered") > 300
    assert set(states) == {"delivered", "returned", "cancelled"}
    assert all(row["created_at"] < "2026-04-17" for row in service.rows("shipments"))


STEP = st.tuples(st.integers(0, 14), st.integers(0, 9), st.integers(0, 9))
ADDRESSES = (HOME, SHOP, {"detail": "9 Quay", "city": "Utrecht"})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, int, int]]) -> None:
    d = desk("delivery_logistics", "notification_hub", "banking")
    service = d.service("delivery_logistics")
    service.usual_tariffs(random.Random(1), currency="EUR")
    d.put("banking.accounts", account_id="acc", user_id="u_ann", name="Main", currency="EUR", balance_minor=5_000)
    parcel(d)
    parcel(d, "label", collect_at=None, deliver_at=None, direction="outgoing")
    d.start()
    for what, one, two in steps:
        numbers = [row["tracking_no"] for row in service.rows("shipments")]
        number = numbers[one % len(numbers)]
        day = f"2026-04-{18 + one:02d}"
        if what == 0:
            d.outcome("delivery_logistics.change_address", tracking_no=number, new_address=ADDRESSES[two % 3])
        elif what == 1:
            d.outcome(
                "delivery_logistics.reschedule_delivery", tracking_no=number, new_date=day, time_window="08:00-12:00"
            )
        elif what == 2:
            d.outcome("delivery_logistics.cancel_shipment", tracking_no=number, reason="")
        elif what == 3:
            desc = number if two % 2 else "a box"
            d.outcome("delivery_logistics.request_pickup", **pickup(
                d, item_desc=desc, service_type=("standard", "same_day", "express")[two % 3],
                scheduled_at=f"{day}T10:00:00+08:00", payment_method=("acc", None)[two % 2],
                dest_addr=ADDRESSES[two % 3],
            ))  # fmt: skip
        elif what == 4:
            d.outcome("delivery_logistics.report_issue", **report(d, ("late", "lost", "damaged")[two % 3], number))
        elif what == 5:
            d.outcome("delivery_logistics.subscribe_status", tracking_no=number, channel="push", target="u_ann")
        elif what <= 7:
            d.world.run_to(d.world.now + one * clock.DAY // 3 + two * clock.HOUR)
        elif what == 8:
            d.happen("delivery_logistics.slip", parcel=number, days=1 + two)
        elif what == 9:
            d.happen("delivery_logistics.hold", parcel=number, reason="x", return_on=day if two % 2 else None)
        elif what == 10:
            d.happen("delivery_logistics.release", parcel=number)
        elif what == 11:
            d.happen(("delivery_logistics.lose", "delivery_logistics.deliver", "delivery_logistics.damage")[two % 3],
                     parcel=number)  # fmt: skip
        elif what == 12:
            d.happen("delivery_logistics.set_eta", parcel=number, deliver_at=f"{day}T15:00:00+08:00")
        elif what == 13:
            d.happen("delivery_logistics.close_day", day=day)
        else:
            d.happen("delivery_logistics.resolve_issue", parcel=number, resolution="done")
        d.check()
