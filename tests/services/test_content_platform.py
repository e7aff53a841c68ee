"""Notes are found, read, collected and answered; authors edit and hide them; the person publishes within limits."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.world import clock

LONG = "".join(f"Line {number:04d} of a long account. " for number in range(300))


def _note(d: Any, note_id: str, user_id: str, title: str, body: str, at: str, **fields: Any) -> None:
    d.put("content_platform.notes", note_id=note_id, user_id=user_id, title=title, body=body, published_at=at, **fields)


def _square(d: Any) -> Any:
    for user_id, name, place in (
        ("mrsfarthing_garden", "Mrs Farthing's Garden", "Kent"),
        ("mrs_farthing_gardens", "Mrs Farthing Gardens", "Yorkshire"),
        ("u_kofi", "Kofi Wires", "Tema"),
        ("u_lena", "Lena", "Kassel"),
    ):
        d.put("content_platform.users", user_id=user_id, name=name, location=place, followers=10)
    _note(
        d, "nt_fern_881", "mrsfarthing_garden", "A cosy music room", "Ferns and the old piano.",
        "2026-03-15T10:00:00+00:00", tags=["home"], category="home", likes=12, comments=3,
        image_captions=["new underfloor heating since 8 November, hygrometer says 24 percent", "The ferns"],
    )  # fmt: skip
    _note(
        d, "nt_twin", "mrs_farthing_gardens", "Ferns in the greenhouse", "No piano here.",
        "2026-03-16T10:00:00+00:00", tags=["Home", "garden"], category="home", likes=50,
    )  # fmt: skip
    _note(
        d, "N-88", "u_kofi", "3,000 hours is enough", "For the wireman exam three thousand supervised hours will do.",
        "2023-05-02T10:00:00+00:00", tags=["wireman exam"], category="study", likes=900, collects=300, comments=80,
    )  # fmt: skip
    _note(
        d, "N-91", "u_kofi", "Real 2026 paper, 400 GHS", "Write me. Everyone is buying.", "2026-04-10T10:00:00+00:00",
        tags=["#WiremanExam"], category="study", likes=40,
    )  # fmt: skip
    _note(
        d, "n_logbook", "u_lena", "How to keep a logbook", "Hours, places, signature of the supervisor. Exam or not.",
        "2026-04-16T10:00:00+00:00", tags=["study tips"], category="study", likes=5,
    )  # fmt: skip
    _note(d, "n_long", "u_lena", "Bicycle across Ghana", LONG, "2026-02-01T10:00:00+00:00", category="travel")
    _note(
        d, "n_hidden", "u_lena", "Gone piano", "Taken down.", "2026-02-02T10:00:00+00:00", hidden=True, tags=["secret"],
        category="music",
    )  # fmt: skip
    _note(
        d, "n_later", "u_kofi", "Tomorrow's tips for the piano", "Practise.", "2026-04-18T10:00:00+08:00",
        tags=["piano"], category="music",
    )  # fmt: skip
    d.put("content_platform.topics", topic="wireman exam", description="Licences for electricians",
          aliases=["electrician test"])  # fmt: skip
    for number in range(1, 4):
        d.put(
            "content_platform.comments", comment_id=f"c{number}", note_id="n_logbook", user_id="u_kofi",
            body=f"Remark {number}", at=f"2026-04-16T1{number}:00:00+00:00",
        )  # fmt: skip
    d.start()
    return d


@pytest.fixture
def square(desk: Any) -> Any:
    return _square(desk("content_platform", "notification_hub"))


def ids(result: dict[str, Any]) -> list[str]:
    return [row["note_id"] for row in result["notes"]]


def search(d: Any, keyword: str, **more: Any) -> list[str]:
    return ids(d.call("content_platform.search_notes", keyword=keyword, **more))


def note(d: Any, note_id: str, **more: Any) -> dict[str, Any]:
    result: dict[str, Any] = d.call("content_platform.get_note", note_id=note_id, **more)
    return result


def act(d: Any, tool: str, **arguments: Any) -> Any:
    return d.call(f"content_platform.{tool}", user_id="u_ann", **arguments)


def refuse(d: Any, tool: str, **arguments: Any) -> str:
    code: str = d.refused(f"content_platform.{tool}", **{"user_id": "u_ann", **arguments})
    return code


def profile(d: Any, user_id: str) -> dict[str, Any]:
    result: dict[str, Any] = d.call("content_platform.get_user_profile", user_id=user_id)
    return result


def notifications(d: Any) -> list[tuple[str, str]]:
    return [(row["type"], row["title"]) for row in d.service("notification_hub").rows("notifications")]


def subscribe(d: Any, target: str) -> None:
    d.call(
        "notification_hub.create_subscription", user_id="u_ann", source="content_platform", type="status",
        target=target,
    )  # fmt: skip


# -- finding ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keyword", "more", "first"),
    [
        ("underfloor heating", {}, ["nt_fern_881"]),
        ("hygrometer", {}, ["nt_fern_881"]),
        ("hygromter", {}, ["nt_fern_881"]),
        ("farthing", {}, ["nt_twin", "nt_fern_881"]),
        ("mrsfarthing garden", {}, ["nt_fern_881"]),
        ("farthing", {"sort": "new"}, ["nt_twin", "nt_fern_881"]),
        ("fern", {"sort": "likes"}, ["nt_twin", "nt_fern_881"]),
        ("piano", {}, ["nt_twin", "nt_fern_881"]),
        ("3,000 hours", {}, ["N-88"]),
        ("hours", {}, ["N-88", "n_logbook"]),  # in the title before in the text
        ("hours", {"sort": "new"}, ["N-88", "n_logbook"]),
        ("wireman exam", {}, ["N-88"]),
        ("2026 paper", {}, ["N-91"]),
        ("test", {"category": "study", "sort": "new"}, ["N-88", "n_logbook"]),
        ("logbok", {}, ["n_logbook"]),
        ("bike", {}, ["n_long"]),
        ("bicycles", {}, ["n_long"]),
        ("kofi", {"sort": "new"}, ["N-91", "N-88"]),
        ("kofi", {"sort": "likes"}, ["N-88", "N-91"]),
        ("piano", {"category": "hom"}, ["nt_twin", "nt_fern_881"]),
        ("", {"sort": "new"}, ["n_logbook", "N-91", "nt_twin"]),
        ("", {"sort": "likes", "offset": 1}, ["nt_twin", "N-91"]),
    ],
)
def test_search_finds_what_people_mean(square: Any, keyword: str, more: dict[str, Any], first: list[str]) -> None:
    found = square.call("content_platform.search_notes", keyword=keyword, **more)
    assert ids(found)[: len(first)] == first
    assert "hint" not in found


def test_search_says_what_did_not_match_and_is_bounded(square: Any) -> None:
    some = square.call("content_platform.search_notes", keyword="logbook zeppelin")
    assert (ids(some), "most" in some["hint"]) == (["n_logbook"], True)
    nothing = square.call("content_platform.search_notes", keyword="zeppelin")
    assert (ids(nothing), nothing["total"], "hint" in nothing) == ([], 0, False)
    first = square.call("content_platform.search_notes", keyword="", limit=2)
    assert (len(first["notes"]), first["total"]) == (2, 6)
    assert square.refused("content_platform.search_notes", keyword="", limit=51) == "bad_limit"
    assert square.refused("content_platform.search_notes", keyword="", limit=0) == "bad_limit"
    outcome = square.outcome("content_platform.search_notes", keyword="", category="cooking")
    assert outcome.code == "unknown_category"
    assert "home, study, travel" in outcome.result["error"]["message"]


def test_hot_prefers_what_is_discussed_and_new(square: Any) -> None:
    trending = square.call("content_platform.get_trending")
    assert ids(trending)[:2] == ["N-91", "n_logbook"]  # N-88 has far more, but is three years old
    assert trending["categories"] == ["home", "study", "travel"]
    square.happen("content_platform.set_counts", note_id="n_logbook", likes=100, collects=50, comments=30)
    assert ids(square.call("content_platform.get_trending", category="study", limit=1)) == ["n_logbook"]
    assert square.refused("content_platform.get_trending", category="none") == "unknown_category"
    assert square.refused("content_platform.get_trending", limit=99) == "bad_limit"


def test_listings_show_the_beginning_of_a_text(square: Any) -> None:
    [row] = square.call("content_platform.search_notes", keyword="Ghana")["notes"]
    assert row["excerpt"].startswith("Line 0000 of a long account. Line 0001")
    assert row["excerpt"].endswith(" ...")
    assert len(row["excerpt"]) <= 144
    assert "body" not in row
    [short] = square.call("content_platform.search_notes", keyword="greenhouse")["notes"]
    assert short["excerpt"] == "No piano here."


@pytest.mark.parametrize(
    ("keyword", "first"),
    [
        ("wireman", "wireman exam"),
        ("wiremen exam", "wireman exam"),
        ("electrician", "wireman exam"),
        ("electrician test", "wireman exam"),
        ("licence", "wireman exam"),
        ("home", "home"),
        ("hom", "home"),
        ("gardens", "garden"),
        ("study", "studytips"),
        ("", "home"),
    ],
)
def test_topics_are_found(square: Any, keyword: str, first: str) -> None:
    found = square.call("content_platform.search_topics", keyword=keyword)["topics"]
    assert [row["topic"] for row in found][:1] == [first]


def test_topics_count_what_is_visible(square: Any) -> None:
    found = square.call("content_platform.search_topics", keyword="")
    counts = {row["topic"]: row["notes"] for row in found["topics"]}
    assert counts == {"home": 2, "wireman exam": 2, "garden": 1, "studytips": 1}
    assert found["topics"][1]["description"] == "Licences for electricians"
    square.until("2026-04-18T10:00:00+08:00")
    assert square.call("content_platform.search_topics", keyword="piano")["total"] == 1


def test_a_topics_feed(square: Any) -> None:
    for name in ("#wiremanexam", "Wireman Exam", "wiremn exam", "Electrician test"):
        feed = square.call("content_platform.get_topic_feed", topic=name)
        assert (feed["topic"], ids(feed), feed["total"]) == ("wireman exam", ["N-91", "N-88"], 2)
    feed = square.call("content_platform.get_topic_feed", topic="home", sort="hot", limit=1)
    assert ids(feed) == ["nt_twin"]
    assert square.refused("content_platform.get_topic_feed", topic="secret") == "not_found"
    assert square.refused("content_platform.get_topic_feed", topic="home", limit=0) == "bad_limit"


# -- reading ---------------------------------------------------------------------------------------------------------


def test_a_note_with_all_that_belongs_to_it(square: Any) -> None:
    shown = note(square, "nt_fern_881")
    assert shown["image_captions"][0].endswith("24 percent")
    assert (shown["author_id"], shown["author"]) == ("mrsfarthing_garden", "Mrs Farthing's Garden")
    assert (shown["likes"], shown["comments"], shown["edited_at"]) == (12, 3, None)
    assert (shown["liked"], shown["collected"], shown["following"]) == (False, False, False)
    assert "keywords" not in shown


def test_a_long_note_is_read_in_pieces(square: Any) -> None:
    first = note(square, "n_long")
    assert first["total_chars"] == len(LONG)
    assert first["body"].endswith(f"[{len(LONG) - 6000} more characters; get_note with offset=6000]")
    second = note(square, "n_long", offset=first["next_offset"])
    assert first["body"][:6000] + second["body"] == LONG
    assert second["next_offset"] is None
    assert note(square, "n_long", offset=10**6)["body"] == ""


def test_what_is_hidden_or_to_come_is_not_found(square: Any) -> None:
    for note_id in ("n_hidden", "n_later", "none"):
        assert square.refused("content_platform.get_note", note_id=note_id) == "not_found"
        assert square.refused("content_platform.get_note_comments", note_id=note_id) == "not_found"
        for tool in ("like_note", "collect_note"):
            assert refuse(square, tool, note_id=note_id) == "not_found"
        assert refuse(square, "post_comment", note_id=note_id, body="Hello") == "not_found"
    square.until("2026-04-18T10:00:00+08:00")
    assert note(square, "n_later")["status"] == "published"


def test_comments_are_listed_newest_first(square: Any) -> None:
    found = square.call("content_platform.get_note_comments", note_id="n_logbook", limit=2)
    assert [row["comment_id"] for row in found["comments"]] == ["c3", "c2"]
    assert (found["total"], found["comments"][0]["author"]) == (3, "Kofi Wires")
    rest = square.call("content_platform.get_note_comments", note_id="n_logbook", offset=2)
    assert [row["comment_id"] for row in rest["comments"]] == ["c1"]
    assert note(square, "n_logbook")["comments"] == 3  # at least those that are listed
    assert square.refused("content_platform.get_note_comments", note_id="n_logbook", limit=51) == "bad_limit"


def test_profiles_and_their_notes(square: Any) -> None:
    shown = profile(square, "u_kofi")
    assert (shown["notes"], shown["likes_received"], shown["followed_by_you"]) == (2, 940, False)
    found = square.call("content_platform.list_user_notes", user_id="u_kofi")
    assert (ids(found), found["total"]) == (["N-91", "N-88"], 2)
    assert ids(square.call("content_platform.list_user_notes", user_id="u_kofi", offset=1)) == ["N-88"]
    assert square.refused("content_platform.get_user_profile", user_id="none") == "not_found"
    assert square.refused("content_platform.list_user_notes", user_id="none") == "not_found"
    assert square.refused("content_platform.list_user_notes", user_id="u_kofi", limit=0) == "bad_limit"
    assert square.refused("content_platform.list_user_notes", user_id="u_kofi", drafts=True) == "not_signed_in"


# -- reactions -------------------------------------------------------------------------------------------------------


def test_a_like_counts_once(square: Any) -> None:
    assert act(square, "like_note", note_id="N-91")["likes"] == 41
    assert refuse(square, "like_note", note_id="N-91") == "exists"
    assert refuse(square, "like_note", note_id="N-91", user_id="u_kofi") == "not_signed_in"
    assert (note(square, "N-91")["likes"], note(square, "N-91")["liked"]) == (41, True)


def test_a_collection_keeps_no_copy(square: Any) -> None:
    act(square, "collect_note", note_id="nt_twin")
    assert act(square, "collect_note", note_id="nt_fern_881")["collects"] == 1
    assert refuse(square, "collect_note", note_id="nt_twin") == "exists"
    assert refuse(square, "collect_note", note_id="nt_twin", user_id="u_bo") == "not_signed_in"
    square.happen("content_platform.hide_note", note_id="nt_twin")
    found = act(square, "list_collections")
    assert [(row["note_id"], row["available"]) for row in found["notes"]] == [
        ("nt_fern_881", True), ("nt_twin", False),
    ]  # fmt: skip
    assert "title" not in found["notes"][1]
    assert act(square, "list_collections", limit=1)["total"] == 2
    assert act(square, "uncollect_note", note_id="nt_twin") == {"note_id": "nt_twin", "removed": True}
    assert act(square, "list_collections")["total"] == 1
    assert refuse(square, "uncollect_note", note_id="nt_twin") == "not_collected"
    assert refuse(square, "uncollect_note", note_id="none") == "not_collected"
    assert refuse(square, "uncollect_note", note_id="nt_twin", user_id="u_bo") == "not_signed_in"
    assert refuse(square, "list_collections", user_id="u_bo") == "not_signed_in"
    assert refuse(square, "list_collections", limit=101) == "bad_limit"


def test_following_is_counted_and_can_end(square: Any) -> None:
    result = act(square, "follow_user", target_user_id="u_kofi")
    assert (result["name"], result["followers"]) == ("Kofi Wires", 11)
    assert refuse(square, "follow_user", target_user_id="u_kofi") == "exists"
    assert refuse(square, "follow_user", target_user_id="u_ann") == "own_account"
    assert refuse(square, "follow_user", target_user_id="none") == "not_found"
    assert refuse(square, "follow_user", target_user_id="u_lena", user_id="u_kofi") == "not_signed_in"
    assert (profile(square, "u_ann")["following"], profile(square, "u_kofi")["followed_by_you"]) == (1, True)
    assert note(square, "N-91")["following"]
    act(square, "unfollow_user", target_user_id="u_kofi")
    assert (profile(square, "u_ann")["following"], profile(square, "u_kofi")["followers"]) == (0, 10)
    assert refuse(square, "unfollow_user", target_user_id="u_kofi") == "not_followed"
    assert refuse(square, "unfollow_user", target_user_id="u_kofi", user_id="u_bo") == "not_signed_in"


def test_comments_have_limits(square: Any) -> None:
    result = act(square, "post_comment", note_id="n_logbook", body=" Thank you ", reply_to="c2")
    assert (result["body"], result["reply_to"], result["comments"]) == ("Thank you", "c2", 4)
    found = square.call("content_platform.get_note_comments", note_id="n_logbook")
    assert (found["comments"][0]["author"], found["total"]) == ("Ann Lee", 4)
    assert refuse(square, "post_comment", note_id="n_logbook", body="Thank you") == "exists"
    assert refuse(square, "post_comment", note_id="n_logbook", body=" ") == "bad_body"
    assert refuse(square, "post_comment", note_id="n_logbook", body="x" * 501) == "bad_body"
    assert refuse(square, "post_comment", note_id="N-91", body="Hello", reply_to="c2") == "not_found"
    assert refuse(square, "post_comment", note_id="N-91", body="Hello", reply_to="none") == "not_found"
    assert refuse(square, "post_comment", note_id="N-91", body="Hello", user_id="u_bo") == "not_signed_in"


# -- publishing ------------------------------------------------------------------------------------------------------


def test_a_published_note_is_found_at_once(square: Any) -> None:
    result = act(
        square, "publish_note", title=" Tiles by weight ", body="Whole pallets only.", category="home",
        tags=["#tiles", "tiles", " Renovation "], image_captions=["A pallet"],
    )  # fmt: skip
    assert (result["title"], result["tags"], result["status"]) == (
        "Tiles by weight", ["tiles", "Renovation"], "published",
    )  # fmt: skip
    assert search(square, "pallet") == [result["note_id"]]
    assert ids(square.call("content_platform.get_topic_feed", topic="renovation")) == [result["note_id"]]
    assert note(square, result["note_id"])["author"] == "Ann Lee"
    again = {"title": "Tiles by weight", "body": "Whole pallets only."}
    assert refuse(square, "publish_note", **again) == "exists"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"user_id": "u_bo"}, "not_signed_in"),
        ({"title": " "}, "bad_title"),
        ({"title": "x" * 61}, "bad_title"),
        ({"body": ""}, "bad_body"),
        ({"body": "x" * 5001}, "bad_body"),
        ({"tags": [str(number) for number in range(11)]}, "bad_tags"),
        ({"tags": ["#"]}, "bad_tags"),
        ({"tags": ["x" * 31]}, "bad_tags"),
        ({"category": " "}, "bad_category"),
        ({"category": "x" * 31}, "bad_category"),
        ({"image_captions": ["x"] * 10}, "bad_captions"),
        ({"image_captions": [""]}, "bad_captions"),
        ({"draft_id": "none"}, "not_found"),
        ({"draft_id": "n_logbook"}, "not_found"),
    ],
)
def test_what_cannot_be_published(square: Any, changes: dict[str, Any], code: str) -> None:
    assert refuse(square, "publish_note", **{"title": "A title", "body": "A text", **changes}) == code


def test_a_draft_is_only_the_persons_until_it_is_published(square: Any) -> None:
    draft = act(square, "publish_note", title="First try", body="Rough tiles.", tags=["tiles"], draft=True)
    key = draft["note_id"]
    assert (draft["status"], draft["published_at"]) == ("draft", None)
    assert search(square, "tiles") == []
    assert note(square, key)["status"] == "draft"
    assert ids(act(square, "list_user_notes", drafts=True)) == [key]
    assert act(square, "list_user_notes")["total"] == 0
    for tool, more in (("like_note", {}), ("collect_note", {}), ("post_comment", {"body": "Hi"})):
        assert refuse(square, tool, note_id=key, **more) == "not_published"
    assert act(square, "publish_note", title="Second try", body="Better.", draft=True, draft_id=key)["note_id"] == key
    assert note(square, key)["title"] == "Second try"
    done = act(square, "publish_note", title="Done", body="Fine tiles.", draft_id=key)
    assert (done["note_id"], done["status"]) == (key, "published")
    assert search(square, "tiles") == [key]
    assert act(square, "list_user_notes", drafts=True)["total"] == 0
    assert refuse(square, "publish_note", title="Again", body="More.", draft_id=key) == "not_found"


def test_ten_notes_a_day(square: Any) -> None:
    for number in range(10):
        act(square, "publish_note", title=f"Note {number}", body="Text.")
    assert refuse(square, "publish_note", title="Note 10", body="Text.") == "too_many"
    act(square, "publish_note", title="Note 10", body="Text.", draft=True)
    square.until("2026-04-18T00:00:00+08:00")
    act(square, "publish_note", title="Note 10", body="Text.")


# -- happenings ------------------------------------------------------------------------------------------------------


def test_followed_users_are_heard_silently(square: Any) -> None:
    publish = {"user_id": "u_kofi", "title": "Weekly digest", "body": "Buy the paper."}
    assert square.happen("content_platform.publish", **publish, note_id="n_first") == ["n_first"]
    assert square.happen("content_platform.publish", **publish, note_id="n_first") == []
    assert square.happen("content_platform.publish", **{**publish, "user_id": "none"}) == []
    assert notifications(square) == []
    act(square, "follow_user", target_user_id="u_kofi")
    [key] = square.happen("content_platform.publish", **publish, tags=["wireman exam"], category="study")
    assert notifications(square) == [("new_note", "Kofi Wires: Weekly digest")]
    assert square.world.openings == []
    assert ids(square.call("content_platform.get_topic_feed", topic="wireman exam"))[0] == key
    square.until("2026-04-18T10:00:00+08:00")  # the scheduled note appears
    assert notifications(square)[1] == ("new_note", "Kofi Wires: Tomorrow's tips for the piano")
    square.check()


def test_subscriptions_open_a_turn(square: Any) -> None:
    subscribe(square, "u_kofi")
    subscribe(square, "nt_fern_881")
    square.happen("content_platform.publish", user_id="u_kofi", title="New", body="Text.")
    assert len(square.world.openings) == 1
    square.happen("content_platform.edit_note", note_id="nt_fern_881", title="A dry music room")
    square.happen("content_platform.comment", note_id="nt_fern_881", user_id="u_lena", body="Lovely.")
    square.happen("content_platform.hide_note", note_id="nt_fern_881")
    assert [opening.kind for opening in square.world.openings] == ["alert"] * 4


def test_an_author_removes_a_sentence(square: Any) -> None:
    act(square, "collect_note", note_id="nt_fern_881")
    square.until("2026-04-17T18:00:00+08:00")
    verb, key = "content_platform.edit_note", "nt_fern_881"
    assert square.happen(verb, note_id=key, remove=", hygrometer says 24 percent") == [key]
    assert square.happen(verb, note_id=key, remove=", hygrometer says 24 percent") == []
    assert square.happen(verb, note_id=key) == []
    shown = note(square, key)
    assert shown["image_captions"] == ["new underfloor heating since 8 November", "The ferns"]
    assert (shown["body"], shown["edited_at"]) == ("Ferns and the old piano.", "2026-04-17T18:00:00+08:00")
    assert search(square, "hygrometer") == []
    assert square.happen(verb, note_id=key, body="One. Two. Three.", tags=["x"], image_captions=[]) == [key]
    assert square.happen(verb, note_id=key, remove=" Two.") == [key]
    assert note(square, key)["body"] == "One. Three."
    assert square.happen(verb, note_id="none", title="x") == []
    assert square.world.openings == []
    square.check()


def test_notes_disappear_and_come_back(square: Any) -> None:
    hide, show = "content_platform.hide_note", "content_platform.show_note"
    assert square.happen(hide, note_id="N-88") == ["N-88"]
    assert square.happen(hide, note_id="N-88") == []
    assert "N-88" not in search(square, "3,000 hours enough")
    assert square.refused("content_platform.get_note", note_id="N-88") == "not_found"
    assert profile(square, "u_kofi")["notes"] == 1
    assert square.happen(show, note_id="N-88") == ["N-88"]
    assert square.happen(show, note_id="N-88") == []
    assert note(square, "N-88")["likes"] == 900
    assert (square.happen(hide, note_id="none"), square.happen(show, note_id="none")) == ([], [])
    square.happen(hide, note_id="n_later")
    square.until("2026-04-18T12:00:00+08:00")
    assert square.refused("content_platform.get_note", note_id="n_later") == "not_found"


def test_others_comment_and_follow(square: Any) -> None:
    key = act(square, "publish_note", title="Mine", body="Text.")["note_id"]
    [comment] = square.happen("content_platform.comment", note_id=key, user_id="u_lena", body="Nice.")
    assert notifications(square) == [("comment", "Lena commented on Mine")]
    assert act(square, "post_comment", note_id=key, body="Thanks!", reply_to=comment)["comments"] == 2
    for note_id, user_id in (("none", "u_lena"), (key, "none"), ("n_hidden", "u_lena")):
        assert square.happen("content_platform.comment", note_id=note_id, user_id=user_id, body="x") == []
    follow = "content_platform.follow"
    assert square.happen(follow, user_id="u_lena", target_user_id="u_ann") == ["u_lena|u_ann"]
    assert square.happen(follow, user_id="u_lena", target_user_id="u_ann") == []
    assert square.happen(follow, user_id="u_lena", target_user_id="u_lena") == []
    assert square.happen(follow, user_id="none", target_user_id="u_ann") == []
    assert notifications(square)[1] == ("follower", "Lena follows you")
    assert profile(square, "u_ann")["followers"] == 1


def test_counts_never_fall_below_what_is_listed(square: Any) -> None:
    verb = "content_platform.set_counts"
    act(square, "like_note", note_id="n_logbook")
    assert square.happen(verb, note_id="n_logbook", likes=0, comments=0, collects=7) == ["n_logbook"]
    shown = note(square, "n_logbook")
    assert (shown["likes"], shown["comments"], shown["collects"]) == (1, 3, 7)
    assert square.happen(verb, note_id="none", likes=1) == []


def test_a_correction_and_the_note_that_it_puts_right_name_each_other(square: Any) -> None:
    subscribe(square, "N-88")
    new, old = square.happen(
        "content_platform.correct_note", note_id="N-88", title="I was wrong", body="It is 4,000 hours now."
    )
    assert (old, note(square, new)["corrects"], note(square, "N-88")["corrected_by"]) == ("N-88", "N-88", new)
    assert search(square, "4,000 hours") == [new]
    assert len(square.world.openings) == 1
    for note_id in ("none", "n_hidden"):
        assert square.happen("content_platform.correct_note", note_id=note_id, title="x", body="x") == []


def test_counts_of_the_start_hold_what_is_listed(desk: Any) -> None:
    d = desk("content_platform")
    for user_id in ("u_a", "u_b"):
        d.put("content_platform.users", user_id=user_id, name=user_id)
    _note(d, "n", "u_a", "T", "B", "2026-04-01T00:00:00+08:00")
    d.put(
        "content_platform.follows", follow_id="u_b|u_a", user_id="u_b", target_user_id="u_a",
        since="2026-04-01T00:00:00+08:00",
    )  # fmt: skip
    d.put("content_platform.likes", like_id="u_b|n", user_id="u_b", note_id="n", at="2026-04-02T00:00:00+08:00")
    d.start()
    d.start()
    d.check()
    assert note(d, "n")["likes"] == 1
    assert (profile(d, "u_a")["followers"], profile(d, "u_b")["following"]) == (1, 1)
    assert profile(d, "u_ann")["name"] == "Ann Lee"


# -- filling ---------------------------------------------------------------------------------------------------------


def test_generated_notes_contradict_each_other_and_leave_others_alone(square: Any) -> None:
    service = square.service("content_platform")
    before = {row["note_id"]: dict(row) for row in service.rows("notes")}
    service.notes(random.Random(4), ["car seats", "wireman exam"], 150, "home", comments=3)
    service.notes(random.Random(4), ["car seats", "wireman exam"], 150, "home", comments=3)
    square.start()
    square.check()
    assert len(service.rows("notes")) == len(before) + 150
    assert before == {row["note_id"]: dict(row) for row in service.rows("notes") if row["note_id"] in before}
    bodies = " ".join(row["body"] for row in service.rows("notes"))
    assert "Mornings are empty." in bodies
    assert "Mornings are the worst" in bodies
    assert square.call("content_platform.search_notes", keyword="car seats")["total"] > 30
    assert search(square, "hygrometer") == ["nt_fern_881"]
    assert all(row["published_at"] < "2026-04-17" for row in service.rows("notes") if row["note_id"][:3] == "ng_")
    service.notes(random.Random(4), [], 3)


def test_generated_people_do_not_take_anybodys_name(desk: Any) -> None:
    dumps = []
    for _ in range(2):
        d = desk("content_platform")
        d.put("content_platform.users", user_id="u_jo", name="Plain Jo")
        d.service("content_platform").notes(random.Random(5), ["tiles"], 60)
        dumps.append(d.world.dump())
        names = [row["name"] for row in d.service("content_platform").rows("users")]
        assert names.count("Plain Jo") == 1
    assert dumps[0] == dumps[1]


# -- anything in any order -------------------------------------------------------------------------------------------

NOTES = ("nt_fern_881", "N-88", "n_logbook", "n_hidden", "n_later", "own")
USERS = ("u_kofi", "u_lena", "u_ann", "none")
STEP = st.tuples(st.integers(0, 10), st.sampled_from(NOTES), st.sampled_from(USERS), st.integers(0, 12))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEP, max_size=25))
def test_any_sequence_keeps_the_books(desk: Any, steps: list[tuple[int, str, str, int]]) -> None:
    d = _square(desk("content_platform", "notification_hub"))
    here, me = "content_platform.", {"user_id": "u_ann"}
    for what, wanted, user_id, number in steps:
        own = [row["note_id"] for row in d.service("content_platform").rows("notes") if row["user_id"] == "u_ann"]
        note_id = (own or ["none"])[number % max(1, len(own))] if wanted == "own" else wanted
        if what == 0:
            d.outcome(here + "like_note", **me, note_id=note_id)
            d.outcome(here + "post_comment", **me, note_id=note_id, body=f"Text {number}")
        elif what == 1:
            d.outcome(here + ("collect_note", "uncollect_note")[number % 2], **me, note_id=note_id)
        elif what == 2:
            d.outcome(here + ("follow_user", "unfollow_user")[number % 2], **me, target_user_id=user_id)
        elif what == 3:
            more = {"draft_id": note_id} if number > 8 else {}
            d.outcome(
                here + "publish_note", **me, title=f"T{number}", body="B", tags=["home"], draft=number % 3 == 0, **more
            )
        elif what == 4:
            d.world.run_to(d.world.now + number * clock.DAY // 4)
        elif what == 5:
            d.happen(here + "publish", user_id=user_id, title=f"By {user_id}", body="Text.", note_id=f"h{number}")
        elif what == 6:
            d.happen(here + "edit_note", note_id=note_id, title=f"Title {number}", remove="e")
        elif what == 7:
            d.happen(here + ("hide_note", "show_note")[number % 2], note_id=note_id)
        elif what == 8:
            d.happen(here + "comment", note_id=note_id, user_id=user_id, body="Hm.")
            d.happen(here + "follow", user_id=user_id, target_user_id=USERS[number % 4])
        elif what == 9:
            d.happen(here + "set_counts", note_id=note_id, likes=number, collects=0, comments=number)
        else:
            d.happen(here + "correct_note", note_id=note_id, title=f"Right {number}", body="So.")
        d.check()
