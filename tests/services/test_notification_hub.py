"""The notification hub keeps its rules."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.services import dispatch


@pytest.fixture
def hub(desk: Any) -> Any:
    d = desk("notification_hub", "email", "banking")
    d.put("notification_hub.accounts", account_id="oa_fiets", name="Frame Watch", about="Stolen frames")
    d.put("notification_hub.accounts", account_id="oa_ward", name="Ward office")
    d.put(
        "notification_hub.posts",
        post_id="b37",
        account_id="oa_fiets",
        at="2026-04-10T09:00:00+08:00",
        title="Bulletin 37",
    )
    d.put(
        "notification_hub.posts",
        post_id="b36",
        account_id="oa_fiets",
        at="2026-04-03T09:00:00+08:00",
        title="Bulletin 36",
    )
    d.put(
        "notification_hub.notifications", notification_id="n1", user_id="u_ann", source="banking", type="info",
        title="B", at="2026-04-12T09:00:00+08:00",
    )  # fmt: skip
    d.put(
        "notification_hub.notifications", notification_id="n0", user_id="u_ann", source="Shop", type="promotion",
        title="A", body="x" * 400, at="2026-04-11T09:00:00+08:00", read=True,
    )  # fmt: skip
    d.put(
        "notification_hub.notifications", notification_id="n2", user_id="u_dad", source="banking", type="info",
        title="C", at="2026-04-12T09:00:00+08:00",
    )  # fmt: skip
    d.start()
    return d


def subscribe(hub: Any, **changes: Any) -> str:
    wish = {"user_id": "u_ann", "source": "banking", "type": "status", "target": "acc1", **changes}
    return str(hub.call("notification_hub.create_subscription", **wish)["subscription_id"])


def status(hub: Any, value: str, ref: str = "acc1", source: str = "banking") -> int:
    """How many turns a report of a status opens."""
    before = len(hub.world.openings)
    hub.world.emit("status", source=source, ref=ref, status=value, title=f"{ref} is {value}", body="See there.")
    return len(hub.world.openings) - before


def price(hub: Any, amount: int, ref: str = "of_1", **more: Any) -> int:
    """How many turns a report of a price opens."""
    before = len(hub.world.openings)
    hub.world.emit("price", ref=ref, amount_minor=amount, currency="CNY", title="Offer", **more)
    return len(hub.world.openings) - before


# -- notifications ---------------------------------------------------------------------------------------------------


def test_listing_notifications(hub: Any) -> None:
    found = hub.call("notification_hub.list_notifications", user_id="u_ann")
    assert [row["notification_id"] for row in found["notifications"]] == ["n1", "n0"]
    assert (found["total"], found["unread"]) == (2, 1)
    assert found["notifications"][0] == {
        "notification_id": "n1", "source": "banking", "type": "info", "title": "B", "body": "", "ref": "",
        "at": "2026-04-12T09:00:00+08:00", "read": False,
    }  # fmt: skip
    assert len(found["notifications"][1]["body"]) == 300
    assert len(hub.call("notification_hub.get_notification", notification_id="n0")["body"]) == 400

    def total(**filters: Any) -> int:
        return int(hub.call("notification_hub.list_notifications", user_id="u_ann", **filters)["total"])

    assert total(unread_only=True) == 1
    assert total(source="Shop") == 1
    assert total(since="2026-04-12") == 1
    assert total(since="2026-04-12T01:00:00Z") == 1
    assert total(since="2026-04-13") == 0
    assert len(hub.call("notification_hub.list_notifications", user_id="u_ann", limit=1)["notifications"]) == 1
    assert hub.refused("notification_hub.list_notifications", user_id="u_ann", since="soon") == "bad_time"
    assert hub.refused("notification_hub.list_notifications", user_id="u_ann", limit=0) == "bad_limit"
    assert hub.refused("notification_hub.list_notifications", user_id="u_ann", limit=201) == "bad_limit"


def test_marking_read(hub: Any) -> None:
    done = {"notification_id": "n1", "read": True, "changed": True}
    assert hub.call("notification_hub.mark_read", notification_id="n1") == done
    assert hub.call("notification_hub.mark_read", notification_id="n1") == {**done, "changed": False}
    hub.happen("notification_hub.push", source="Shop", type="promotion", title="D", body="")
    assert hub.call("notification_hub.mark_all_read", user_id="u_ann") == {"user_id": "u_ann", "changed": 1}
    assert hub.call("notification_hub.list_notifications", user_id="u_ann")["unread"] == 0
    assert hub.call("notification_hub.list_notifications", user_id="u_dad")["unread"] == 1
    assert hub.refused("notification_hub.mark_read", notification_id="n9") == "not_found"
    assert hub.refused("notification_hub.get_notification", notification_id="n9") == "not_found"


def test_what_services_tell_is_kept(hub: Any) -> None:
    hub.world.notify("banking", "payment_bounced", "Bounced", "No money.", ref="pay_1")
    [row, *_] = hub.call("notification_hub.list_notifications", user_id="u_ann")["notifications"]
    assert (row["source"], row["type"], row["title"], row["ref"], row["at"]) == (
        "banking", "payment_bounced", "Bounced", "pay_1", "2026-04-17T09:00:00+08:00",
    )  # fmt: skip
    assert hub.world.openings == []


def test_push_is_silent(hub: Any) -> None:
    [key] = hub.happen("notification_hub.push", source="x", type="t", title="T", body="B", ref="r", user_id="u_dad")
    row = hub.call("notification_hub.get_notification", notification_id=key)
    assert (row["user_id"], row["ref"], row["read"]) == ("u_dad", "r", False)
    assert hub.world.openings == []


# -- subscriptions ---------------------------------------------------------------------------------------------------


def test_a_subscription_opens_a_turn_each_time(hub: Any) -> None:
    key = subscribe(hub)
    assert status(hub, "frozen", ref="acc2") == 0
    assert status(hub, "frozen", source="email") == 0
    assert status(hub, "frozen") == 1
    assert status(hub, "open") == 1
    opening = hub.world.openings[0]
    assert (opening.kind, opening.text) == ("alert", "acc1 is frozen\nSee there.")
    row = hub.call("notification_hub.get_subscription", subscription_id=key)
    assert (row["fired"], row["last_seen"], row["last_fired_at"]) == (2, "open", "2026-04-17T09:00:00+08:00")
    listed = hub.call("notification_hub.list_notifications", user_id="u_ann")["notifications"]
    assert [(note["source"], note["type"], note["ref"]) for note in listed[:2]] == [("banking", "status", "acc1")] * 2
    hub.check()


def test_everything_of_a_source(hub: Any) -> None:
    subscribe(hub, target="*")
    assert status(hub, "frozen") == status(hub, "late", ref="acc7") == 1
    assert status(hub, "late", source="email") == 0


def test_conditions_on_status(hub: Any) -> None:
    one = subscribe(hub, condition_json='{"status": "cancelled"}')
    subscribe(hub, condition_json={"status": ["Cancelled", "late"]})
    assert status(hub, "open") == 0
    assert hub.call("notification_hub.get_subscription", subscription_id=one)["last_seen"] == "open"
    assert status(hub, "late") == 1
    assert status(hub, "CANCELLED") == 2


def test_changed_means_other_than_the_last_report(hub: Any) -> None:
    subscribe(hub, condition_json={"changed": True})
    assert [status(hub, value) for value in ("late", "Late", "open", "late")] == [1, 0, 1, 1]
    subscribe(hub, type="price", target="of_1", condition_json={"changed": True})
    assert [price(hub, amount) for amount in (500, 500, 400)] == [1, 0, 1]


def test_conditions_on_prices(hub: Any) -> None:
    subscribe(hub, target="of_1", condition_json={"below_minor": 5000})
    assert [price(hub, amount) for amount in (5001, 5000, 4999)] == [0, 1, 1]
    assert status(hub, "gone", ref="of_1") == 0
    subscribe(hub, target="kstl", condition_json={"above_minor": 2173})
    assert [price(hub, amount, ref="kstl") for amount in (2172, 2173, 2190)] == [0, 1, 1]
    assert hub.world.openings[-1].text == "Price: Offer\nOffer: 2190 CNY (minor units)."


def test_all_prices_of_a_source(hub: Any) -> None:
    subscribe(hub, type="Price drop", target="*")
    assert price(hub, 1, ref="a") == 0
    assert price(hub, 1, ref="a", source="banking") == 1
    assert price(hub, 1, ref="a", source="email") == 0
    assert status(hub, "open") == 0
    subscribe(hub, type="price status", target="acc1", condition_json={"status": "open"})
    assert (price(hub, 1, ref="acc1"), status(hub, "open")) == (0, 1)


def test_pausing_and_resuming(hub: Any) -> None:
    key = subscribe(hub)
    alert = subscribe(hub, type="price", target="of_1")
    assert hub.call("notification_hub.pause_subscription", subscription_id=key)["status"] == "paused"
    hub.call("notification_hub.pause_subscription", subscription_id=alert)
    assert status(hub, "frozen") == price(hub, 1) == 0
    assert hub.refused("notification_hub.pause_subscription", subscription_id=key) == "already_paused"
    assert hub.call("notification_hub.list_subscriptions", user_id="u_ann", status="active")["total"] == 0
    assert hub.call("notification_hub.list_subscriptions", user_id="u_ann", status="paused")["total"] == 2
    assert hub.call("notification_hub.resume_subscription", subscription_id=key)["status"] == "active"
    assert status(hub, "frozen") == 1
    assert hub.refused("notification_hub.resume_subscription", subscription_id=key) == "not_paused"
    for verb in ("get", "pause", "resume", "delete", "update"):
        assert hub.refused(f"notification_hub.{verb}_subscription", subscription_id="sub_9") == "not_found"


def test_deleting(hub: Any) -> None:
    key = subscribe(hub)
    assert hub.call("notification_hub.delete_subscription", subscription_id=key)["deleted"]
    assert status(hub, "frozen") == 0
    assert hub.call("notification_hub.list_subscriptions", user_id="u_ann") == {"subscriptions": [], "total": 0}


def test_updating(hub: Any) -> None:
    key = subscribe(hub, condition_json={"status": "late"})
    update = {"subscription_id": key}
    row = hub.call("notification_hub.update_subscription", **update, target="acc2", condition_json="{}")
    assert (row["target"], row["condition"], row["source"]) == ("acc2", {}, "banking")
    assert (status(hub, "x"), status(hub, "x", ref="acc2")) == (0, 1)
    assert hub.call("notification_hub.update_subscription", **update, source="email")["last_seen"] == ""
    assert status(hub, "x", ref="acc2", source="email") == 1
    assert hub.refused("notification_hub.update_subscription", **update) == "nothing_to_change"
    assert hub.refused("notification_hub.update_subscription", **update, source="moon") == "unknown_source"
    assert hub.refused("notification_hub.update_subscription", **update, condition_json={"x": 1}) == "bad_condition"
    subscribe(hub)
    assert hub.refused("notification_hub.update_subscription", **update, source="banking", target="acc1") == "exists"
    hub.call("notification_hub.update_subscription", **update, target="acc2")


def test_what_cannot_be_subscribed_to(hub: Any) -> None:
    wish = {"user_id": "u_ann", "source": "banking", "type": "status", "target": "acc1"}
    create = "notification_hub.create_subscription"
    assert hub.refused(create, **{**wish, "source": "moon"}) == "unknown_source"
    assert hub.refused(create, **{**wish, "source": "notification_hub"}) == "unknown_source"
    assert hub.refused(create, **{**wish, "target": ""}) == "bad_arguments"
    subscribe(hub)
    assert hub.refused(create, **wish) == "exists"
    for number in range(99):
        subscribe(hub, target=f"t{number}")
    assert hub.refused(create, **{**wish, "target": "one more"}) == "too_many"
    subscribe(hub, user_id="u_dad")


@pytest.mark.parametrize(
    "condition",
    [
        "{", "[1]", "3", "{}" + " " * 2000, {"colour": "red"}, {"status": 3}, {"status": []}, {"status": ""},
        {"status": [""]},
        {"changed": False}, {"changed": "yes"}, {"below_minor": "5"}, {"below_minor": -1}, {"above_minor": True},
        {"below_minor": 10**13}, {"status": "late", "below_minor": 5},
    ],
)  # fmt: skip
def test_bad_conditions(hub: Any, condition: Any) -> None:
    wish = {"user_id": "u_ann", "source": "banking", "type": "status", "target": "acc1", "condition_json": condition}
    if condition == "{}" + " " * 2000:
        assert hub.call("notification_hub.create_subscription", **wish)["condition"] == {}
    else:
        assert hub.refused("notification_hub.create_subscription", **wish) == "bad_condition"


def test_the_refusal_lists_the_conditions(hub: Any) -> None:
    text = hub.outcome(
        "notification_hub.create_subscription",
        user_id="u",
        source="banking",
        type="t",
        target="x",
        condition_json={"a": 1},
    ).text
    assert all(key in text for key in ("status", "changed", "below_minor", "above_minor"))


# -- price alerts ----------------------------------------------------------------------------------------------------


def test_a_price_alert_rings_once(hub: Any) -> None:
    alert = hub.call("notification_hub.create_price_alert", user_id="u_ann", item_ref="of_1", target_price_minor=2000)
    assert (alert["status"], alert["direction"], alert["triggered_at"]) == ("active", "below", None)
    assert price(hub, 2001) == price(hub, 1500, ref="of_2") == 0
    hub.until("2026-04-18T21:00:00")
    assert price(hub, 2000) == 1
    assert price(hub, 1900) == 0
    [row] = hub.call("notification_hub.list_price_alerts", user_id="u_ann")["alerts"]
    assert (row["status"], row["triggered_price_minor"], row["currency"]) == ("triggered", 2000, "CNY")
    assert row["triggered_at"] == "2026-04-18T21:00:00+08:00"
    [opening] = hub.world.openings
    assert (opening.kind, opening.text.splitlines()[0]) == ("alert", "Price alert: Offer")
    [note, *_] = hub.call("notification_hub.list_notifications", user_id="u_ann", source="notification_hub")[
        "notifications"
    ]
    assert (note["type"], note["ref"]) == ("price_alert", "of_1")
    hub.check()


def test_a_price_alert_upwards(hub: Any) -> None:
    hub.call(
        "notification_hub.create_price_alert",
        user_id="u_ann",
        item_ref="KSTL",
        target_price_minor=2173,
        direction="above",
    )
    assert [price(hub, amount, ref="KSTL") for amount in (2172, 2190, 2200)] == [0, 1, 0]
    assert "at or above the 2173" in hub.world.openings[0].text
    hub.check()


def test_price_alerts_that_cannot_be(hub: Any) -> None:
    create = "notification_hub.create_price_alert"
    wish = {"user_id": "u_ann", "item_ref": "of_1", "target_price_minor": 2000}
    hub.call(create, **wish)
    assert hub.refused(create, **wish) == "exists"
    assert hub.refused(create, **{**wish, "target_price_minor": -1}) == "bad_arguments"
    assert hub.refused(create, **{**wish, "item_ref": ""}) == "bad_arguments"
    price(hub, 1)
    hub.call(create, **wish)
    for number in range(99):
        hub.call(create, **{**wish, "target_price_minor": number})
    assert hub.refused(create, **{**wish, "item_ref": "more"}) == "too_many"
    assert hub.call("notification_hub.list_price_alerts", user_id="u_ann")["total"] == 101


# -- official accounts -----------------------------------------------------------------------------------------------


def test_accounts_and_feeds(hub: Any) -> None:
    listed = hub.call("notification_hub.list_official_accounts", user_id="u_ann")
    assert listed["total"] == 2
    assert listed["accounts"][0] == {
        "account_id": "oa_fiets", "name": "Frame Watch", "about": "Stolen frames", "subscribed": False, "posts": 2,
        "latest_at": "2026-04-10T09:00:00+08:00",
    }  # fmt: skip
    assert (listed["accounts"][1]["posts"], listed["accounts"][1]["latest_at"]) == (0, None)
    feed = hub.call("notification_hub.get_account_feed", account_id="oa_fiets", limit=1)
    assert (feed["total"], feed["name"]) == (2, "Frame Watch")
    assert feed["posts"] == [{"post_id": "b37", "at": "2026-04-10T09:00:00+08:00", "title": "Bulletin 37", "body": ""}]
    assert hub.refused("notification_hub.get_account_feed", account_id="oa_x") == "not_found"
    assert hub.refused("notification_hub.get_account_feed", account_id="oa_fiets", limit=51) == "bad_limit"


def test_following_brings_posts_silently(hub: Any) -> None:
    follow = {"user_id": "u_ann", "account_id": "oa_fiets"}
    done = hub.call("notification_hub.subscribe_official_account", **follow)
    assert done == {**follow, "name": "Frame Watch", "since": "2026-04-17T09:00:00+08:00"}
    assert hub.refused("notification_hub.subscribe_official_account", **follow) == "exists"
    assert hub.refused("notification_hub.subscribe_official_account", user_id="u", account_id="no") == "not_found"
    assert hub.call("notification_hub.list_official_accounts", user_id="u_ann")["accounts"][0]["subscribed"]
    assert not hub.call("notification_hub.list_official_accounts", user_id="u_dad")["accounts"][0]["subscribed"]
    [key] = hub.happen("notification_hub.post_to_feed", account_id="oa_fiets", title="Bulletin 38", body="NL-7K442")
    hub.happen("notification_hub.post_to_feed", account_id="oa_ward", title="Form due on Monday", body="")
    [note, other, *_] = hub.call("notification_hub.list_notifications", user_id="u_ann")["notifications"]
    assert (note["source"], note["type"], note["title"], note["ref"]) == (
        "oa_fiets", "post", "Frame Watch: Bulletin 38", key,
    )  # fmt: skip
    assert other["notification_id"] == "n1"
    assert hub.world.openings == []
    assert hub.call("notification_hub.get_account_feed", account_id="oa_fiets")["posts"][0]["body"] == "NL-7K442"
    hub.check()


def test_a_subscription_to_an_account_opens_turns(hub: Any) -> None:
    post = {"account_id": "oa_fiets", "title": "Bulletin 38", "body": "Reported: NL-7K442"}
    subscribe(hub, source="oa_fiets", type="post", target="nl-7k442")
    every = subscribe(hub, source="oa_fiets", type="price", target="*")
    hub.happen("notification_hub.post_to_feed", **post)
    assert len(hub.world.openings) == 2
    hub.call("notification_hub.pause_subscription", subscription_id=every)
    hub.happen("notification_hub.post_to_feed", **{**post, "body": "Reported: NL-9B181"})
    assert len(hub.world.openings) == 2
    subscribe(hub, source="oa_fiets", type="all", target="oa_fiets")
    hub.happen("notification_hub.post_to_feed", **{**post, "body": ""})
    assert len(hub.world.openings) == 3
    wish = {"user_id": "u_ann", "source": "oa_fiets", "type": "post", "target": "*"}
    code = hub.refused("notification_hub.create_subscription", **wish, condition_json={"below_minor": 5})
    assert code == "bad_condition"


def test_posts_come_once_and_can_be_revised(hub: Any) -> None:
    post = {"account_id": "oa_ward", "title": "Form", "body": "due Friday", "post_id": "w1"}
    assert hub.happen("notification_hub.post_to_feed", **post) == ["w1"]
    assert hub.happen("notification_hub.post_to_feed", **post) == []
    assert hub.happen("notification_hub.post_to_feed", account_id="oa_no", title="", body="") == []
    assert hub.happen("notification_hub.revise_post", post_id="w1", body="due Monday") == ["w1"]
    [seen] = hub.call("notification_hub.get_account_feed", account_id="oa_ward")["posts"]
    assert (seen["title"], seen["body"]) == ("Form", "due Monday")
    hub.happen("notification_hub.revise_post", post_id="w1", title="Form 2")
    assert hub.call("notification_hub.get_account_feed", account_id="oa_ward")["posts"][0]["title"] == "Form 2"
    assert hub.happen("notification_hub.revise_post", post_id="w9") == []


def test_noise_is_past_and_the_same_each_time(desk: Any) -> None:
    dumps = []
    for _ in range(2):
        d = desk("notification_hub")
        d.put("notification_hub.accounts", account_id="oa", name="Office")
        service = d.service("notification_hub")
        service.promotional_noise(random.Random(5), days=20, per_day=1.5)
        service.feed_noise(random.Random(6), account_id="oa", posts=8)
        service.feed_noise(random.Random(6), account_id="oa_no")
        d.start()
        d.check()
        dumps.append(d.world.dump())
        notes = list(service.rows("notifications"))
        assert 20 <= len(notes) <= 40
        assert all(row["at"] < "2026-04-17" and row["user_id"] == "u_ann" for row in notes)
        assert {row["read"] for row in notes} == {True, False}
        assert [row["at"] for row in service.rows("posts")] == sorted(row["at"] for row in service.rows("posts"))
        assert len(service.rows("posts")) == 8
    assert dumps[0] == dumps[1]


# -- any sequence ----------------------------------------------------------------------------------------------------

SUBSCRIPTIONS = st.sampled_from(["sub_0001", "sub_0002", "sub_0009"])
TARGETS = st.sampled_from(["acc1", "of_1", "*", "Bulletin"])
SOURCES = st.sampled_from(["banking", "email", "oa_fiets", "moon"])
CONDITIONS = st.sampled_from([None, {}, '{"changed": true}', {"below_minor": 50}, {"status": "late"}, {"x": 1}])
STEPS = st.one_of(
    st.builds(
        lambda s, t, c: (
            "create_subscription", {"user_id": "u_ann", "source": s, "type": "t", "target": t, "condition_json": c},
        ),
        SOURCES, TARGETS, CONDITIONS,
    ),
    st.builds(
        lambda k, s, t, c: (
            "update_subscription", {"subscription_id": k, "source": s, "target": t, "condition_json": c},
        ),
        SUBSCRIPTIONS, SOURCES, TARGETS, CONDITIONS,
    ),
    st.builds(lambda k, v: (f"{v}_subscription", {"subscription_id": k}), SUBSCRIPTIONS,
              st.sampled_from(["pause", "resume", "delete", "get"])),
    st.builds(
        lambda m, d: (
            "create_price_alert", {"user_id": "u_ann", "item_ref": "of_1", "target_price_minor": m, "direction": d},
        ),
        st.integers(-1, 90), st.sampled_from(["below", "above"]),
    ),
    st.just(("mark_all_read", {"user_id": "u_ann"})),
    st.just(("subscribe_official_account", {"user_id": "u_ann", "account_id": "oa_fiets"})),
    st.builds(lambda t: ("+post_to_feed", {"account_id": "oa_fiets", "title": t, "body": "x"}), TARGETS),
    st.just(("+revise_post", {"post_id": "b36", "body": "new"})),
    st.just(("+push", {"source": "s", "type": "t", "title": "T", "body": "B"})),
    st.builds(lambda m: ("price", {"ref": "of_1", "amount_minor": m, "currency": "CNY", "title": "O"}),
              st.integers(0, 99)),
    st.builds(lambda r, s: ("status", {"source": "banking", "ref": r, "status": s, "title": "S", "body": "B"}),
              TARGETS, st.sampled_from(["late", "open"])),
    st.just(("+", {})),
)  # fmt: skip


@given(steps=st.lists(STEPS, max_size=16))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], derandomize=True)
def test_any_sequence_keeps_the_invariants(hub: Any, steps: list[tuple[str, dict[str, Any]]]) -> None:
    world = hub.world
    hub.world = world.fork()
    try:
        for verb, arguments in steps:
            before = hub.world.dump()
            if verb in ("price", "status"):
                hub.world.emit(verb, **arguments)
            elif verb == "+":
                hub.world.run_to(hub.world.now + 3_600)
            elif verb.startswith("+"):
                hub.happen(f"notification_hub.{verb[1:]}", **arguments)
            else:
                action = {"tool": f"notification_hub.{verb}", "arguments": arguments}
                call = dispatch.parse(action, hub.world.services)
                outcome = dispatch.execute(hub.world, call) if isinstance(call, dispatch.Call) else call
                assert not outcome.fault, outcome.fault
                if not outcome.ok:
                    assert hub.world.dump() == before
            hub.check()
    finally:
        hub.world = world
