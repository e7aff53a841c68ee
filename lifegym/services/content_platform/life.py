"""What people do on the platform by themselves: they publish, edit, hide, comment; and what follows from it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from lifegym.services.base import Service
from lifegym.services.content_platform.records import Collect, Comment, Count, Follow, Like, Note, Topic, User
from lifegym.services.tools import happening
from lifegym.world.record import Record

__all__ = ["ContentPlatformLife", "excerpt", "keywords", "visible"]

EXCERPT = 140
Body = Annotated[str, Field(max_length=60_000)]


class ContentPlatformLife(Service):
    """The platform's own behaviour."""

    name = "content_platform"
    title = "Notes that people share"
    records = {
        "users": User,
        "notes": Note,
        "comments": Comment,
        "likes": Like,
        "collects": Collect,
        "follows": Follow,
        "topics": Topic,
    }

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def publish(
        self,
        user_id: str,
        title: str,
        body: Body,
        tags: list[str] | None = None,
        category: str = "",
        image_captions: list[str] | None = None,
        note_id: str | None = None,
    ) -> list[str]:
        """A user of the platform publishes a note. Who follows that user finds a silent notification.

        A note_id that is taken touches nothing.
        """
        if self.find("users", user_id) is None or (note_id is not None and self.find("notes", note_id) is not None):
            return []
        note = self._put_note(
            note_id=note_id or self.new_id("note"),
            user_id=user_id,
            title=title,
            body=body,
            tags=tags or [],
            category=category,
            image_captions=image_captions or [],
            published_at=self.stamp(),
        )
        self._announce(note)
        return [note["note_id"]]

    @happening
    def edit_note(
        self,
        note_id: str,
        title: str | None = None,
        body: Body | None = None,
        tags: list[str] | None = None,
        image_captions: list[str] | None = None,
        remove: str = "",
    ) -> list[str]:
        """An author edits a note: gives it other texts, or removes a passage from its body and captions."""
        note = self.find("notes", note_id)
        if note is None:
            return []
        given = {"title": title, "body": body, "tags": tags, "image_captions": image_captions}
        changes: dict[str, Any] = {field: value for field, value in given.items() if value is not None}
        if remove:
            changes["body"] = _without(changes.get("body", note["body"]), remove)
            captions = changes.get("image_captions", note["image_captions"])
            changes["image_captions"] = [_without(caption, remove) for caption in captions]
        if all(note[field] == value for field, value in changes.items()):
            return []
        note = self.patch("notes", note_id, edited_at=self.stamp(), **changes)
        self.patch("notes", note_id, keywords=self._keywords(note))
        self._tell(note_id, "edited", f"Note edited: {note['title']}", "")
        return [note_id]

    @happening
    def hide_note(self, note_id: str) -> list[str]:
        """A note is taken down: nobody finds it any more, collections show it as gone."""
        note = self.find("notes", note_id)
        if note is None or note["hidden"]:
            return []
        self.patch("notes", note_id, hidden=True)
        self._tell(note_id, "hidden", f"Note gone: {note['title']}", "")
        return [note_id]

    @happening
    def show_note(self, note_id: str) -> list[str]:
        """A note that was taken down is there again."""
        note = self.find("notes", note_id)
        if note is None or not note["hidden"]:
            return []
        self.patch("notes", note_id, hidden=False)
        return [note_id]

    @happening
    def comment(self, note_id: str, user_id: str, body: Annotated[str, Field(max_length=2000)]) -> list[str]:
        """A user comments on a note. Where it is the person's own, a silent notification says so."""
        note, user = self.find("notes", note_id), self.find("users", user_id)
        if note is None or user is None or not visible(note):
            return []
        comment = self._put_comment(note, user_id, body, "")
        if note["user_id"] == self.world.owner:
            title = f"{user['name']} commented on {note['title']}"
            self.world.notify(self.name, "comment", title, body, ref=note_id)
        self._tell(note_id, "commented", f"New comment: {note['title']}", body)
        return [comment["comment_id"]]

    @happening
    def set_counts(
        self, note_id: str, likes: Count | None = None, collects: Count | None = None, comments: Count | None = None
    ) -> list[str]:
        """A note's likes, collects or comments come to other numbers, never less than are listed."""
        note = self.find("notes", note_id)
        if note is None:
            return []
        for field, count in (("likes", likes), ("collects", collects), ("comments", comments)):
            if count is not None:
                listed = sum(row["note_id"] == note_id for row in self.rows(field))
                note = self.patch("notes", note_id, **{field: max(count, listed)})
        return [note_id]

    @happening
    def correct_note(self, note_id: str, title: str, body: Body) -> list[str]:
        """The author of a note publishes another one that puts it right; each names the other."""
        wrong = self.find("notes", note_id)
        if wrong is None or not visible(wrong):
            return []
        note = self._put_note(
            note_id=self.new_id("note"),
            user_id=wrong["user_id"],
            title=title,
            body=body,
            tags=wrong["tags"],
            category=wrong["category"],
            published_at=self.stamp(),
            corrects=note_id,
        )
        self.patch("notes", note_id, corrected_by=note["note_id"])
        self._announce(note)
        self._tell(note_id, "corrected", f"Note corrected: {wrong['title']}", title)
        return [note["note_id"], note_id]

    @happening
    def follow(self, user_id: str, target_user_id: str) -> list[str]:
        """A user follows another one; the person hears of a new follower silently."""
        user, target = self.find("users", user_id), self.find("users", target_user_id)
        key = f"{user_id}|{target_user_id}"
        if user is None or target is None or user_id == target_user_id or self.find("follows", key) is not None:
            return []
        self._put_follow(user_id, target_user_id)
        if target_user_id == self.world.owner:
            self.world.notify(self.name, "follower", f"{user['name']} follows you", "", ref=user_id)
        return [key]

    # -- reactions -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        owner = self.world.owner
        if self.find("users", owner) is None:
            self.put("users", user_id=owner, name=self.world.owner_name)
        listed: dict[str, dict[str, int]] = {}
        for kind in ("likes", "collects", "comments"):
            for row in self.rows(kind):
                counts = listed.setdefault(row["note_id"], {})
                counts[kind] = counts.get(kind, 0) + 1
        for note in list(self.rows("notes")):
            if note["keywords"]:
                continue
            counts = listed.get(note["note_id"], {})
            changes: dict[str, Any] = {kind: max(note[kind], count) for kind, count in counts.items()}
            if note["status"] != "draft" and self.seconds(note["published_at"]) > self.now:
                changes["status"] = "scheduled"
                self.later(self.seconds(note["published_at"]), "go_live", note_id=note["note_id"])
            self.patch("notes", note["note_id"], keywords=self._keywords(note), **changes)
        followers: dict[str, int] = {}
        following: dict[str, int] = {}
        for row in self.rows("follows"):
            followers[row["target_user_id"]] = followers.get(row["target_user_id"], 0) + 1
            following[row["user_id"]] = following.get(row["user_id"], 0) + 1
        for user_id in dict.fromkeys([*followers, *following]):
            user = self._user_of(user_id)
            self.patch(
                "users",
                user_id,
                followers=max(user["followers"], followers.get(user_id, 0)),
                following=max(user["following"], following.get(user_id, 0)),
            )

    def go_live(self, note_id: str) -> None:
        """A scheduled note appears."""
        note = self.find("notes", note_id)
        if note is not None and note["status"] == "scheduled":
            self._announce(self.patch("notes", note_id, status="published"))

    # -- inside --------------------------------------------------------------------------------------------------

    def _user_of(self, user_id: str) -> Record:
        """The user that a record names."""
        user = self.find("users", user_id)
        assert user is not None, user_id
        return user

    def _keywords(self, note: Record) -> str:
        return keywords(note, self._user_of(note["user_id"])["name"])

    def _put_note(self, **fields: Any) -> Record:
        note = self.put("notes", **fields)
        return self.patch("notes", note["note_id"], keywords=self._keywords(note))

    def _put_comment(self, note: Record, user_id: str, body: str, reply_to: str) -> Record:
        self.patch("notes", note["note_id"], comments=note["comments"] + 1)
        return self.put(
            "comments",
            comment_id=self.new_id("cmt"),
            note_id=note["note_id"],
            user_id=user_id,
            body=body,
            at=self.stamp(),
            reply_to=reply_to,
        )

    def _put_follow(self, user_id: str, target_user_id: str) -> Record:
        for key, field in ((user_id, "following"), (target_user_id, "followers")):
            self.patch("users", key, **{field: self._user_of(key)[field] + 1})
        return self.put(
            "follows",
            follow_id=f"{user_id}|{target_user_id}",
            user_id=user_id,
            target_user_id=target_user_id,
            since=self.stamp(),
        )

    def _announce(self, note: Record) -> None:
        """Tell the person, where they follow the author, and subscriptions to the author that a note appeared."""
        if note["hidden"]:
            return
        author = self._user_of(note["user_id"])
        title = f"{author['name']}: {note['title']}"
        if self.find("follows", f"{self.world.owner}|{author['user_id']}") is not None:
            self.world.notify(self.name, "new_note", title, excerpt(note["body"]), ref=note["note_id"])
        self._tell(author["user_id"], "published", title, excerpt(note["body"]))

    def _tell(self, ref: str, status: str, title: str, body: str) -> None:
        """Let subscriptions hear of a change."""
        self.world.emit("status", source=self.name, ref=ref, status=status, title=title, body=body)

    def check_invariants(self) -> None:
        counts: dict[tuple[str, str], int] = {}
        for kind in ("likes", "collects", "comments"):
            for row in self.rows(kind):
                counts[kind, row["note_id"]] = counts.get((kind, row["note_id"]), 0) + 1
                assert self.find("notes", row["note_id"]) is not None, row
                assert self.find("users", row["user_id"]) is not None, row
        for kind, key in (("likes", "like_id"), ("collects", "collect_id")):
            for row in self.rows(kind):
                assert row[key] == f"{row['user_id']}|{row['note_id']}", row
        for note in self.rows("notes"):
            assert self.find("users", note["user_id"]) is not None, note
            assert note["status"] == "draft" or note["published_at"], note
            if note["keywords"]:  # once it is prepared, the counts hold what is listed
                assert note["keywords"] == self._keywords(note), note
                for kind in ("likes", "collects", "comments"):
                    assert note[kind] >= counts.get((kind, note["note_id"]), 0), note
                assert note["status"] != "published" or self.seconds(note["published_at"]) <= self.now, note
        for row in self.rows("follows"):
            assert row["user_id"] != row["target_user_id"], row
            assert row["follow_id"] == f"{row['user_id']}|{row['target_user_id']}", row
            for user_id in (row["user_id"], row["target_user_id"]):
                assert self.find("users", user_id) is not None, row


def visible(note: Record) -> bool:
    """Whether everybody can see a note."""
    return note["status"] == "published" and not note["hidden"]


def keywords(note: Record, author: str) -> str:
    """What a search looks at beside a note's body; an author called ``Ann's Garden`` is found by ``Ann`` as well."""
    names = [author, author.replace("'s", ""), note["user_id"]]
    return "; ".join([note["title"], *note["tags"], note["category"], *names, *note["image_captions"]])


def excerpt(text: str) -> str:
    """The beginning of a text on one line, with a marker where it goes on."""
    line = " ".join(text[: 2 * EXCERPT].split())
    return line if len(line) <= EXCERPT and len(text) <= 2 * EXCERPT else f"{line[:EXCERPT].rstrip()} ..."


def _without(text: str, passage: str) -> str:
    """A text without a passage, and without the gap that it leaves."""
    return text.replace(passage, "").replace("  ", " ").strip() if passage in text else text
