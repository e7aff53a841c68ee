"""What the person does on the platform: likes, collects, follows, comments and publishes."""

from __future__ import annotations

from typing import Any

from lifegym.services.base import limited
from lifegym.services.content_platform.life import visible
from lifegym.services.content_platform.topics import ContentTopics
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["ContentPlatform"]

_TITLE, _BODY, _COMMENT, _CATEGORY = 60, 5000, 500, 30
_TAGS, _TAG = 10, 30
_CAPTIONS, _CAPTION = 9, 200
_A_DAY = 10
"""How many notes a user may publish on a day."""


class ContentPlatform(ContentTopics):
    """Notes that people share: reading them, and publishing one's own. What is written here is public."""

    # -- tools: reactions ----------------------------------------------------------------------------------------

    @tool(write=True)
    def like_note(self, user_id: str, note_id: str) -> dict[str, Any]:
        """Like a note. Its author can see it; a like stays.

        Args:
            user_id: Who likes; the account's user.
            note_id: From search_notes.

        Returns:
            note_id, likes (with this one), at.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such note, or it was taken down.
            not_published: It is a draft.
            exists: The user has liked it already.
        """
        note = self._published(user_id, note_id)
        key = f"{user_id}|{note_id}"
        if self.find("likes", key) is not None:
            raise ToolError("exists", f"{user_id} likes {note_id} already")
        like = self.put("likes", like_id=key, user_id=user_id, note_id=note_id, at=self.stamp())
        likes = self.patch("notes", note_id, likes=note["likes"] + 1)["likes"]
        return {"note_id": note_id, "likes": likes, "at": like["at"]}

    @tool(write=True)
    def collect_note(self, user_id: str, note_id: str) -> dict[str, Any]:
        """Put a note into the user's collection, to find it again. Only the user sees the collection.

        A collection keeps no copy: a note that is edited or taken down changes there too.

        Args:
            user_id: Whose collection; the account's user.
            note_id: From search_notes.

        Returns:
            note_id, title, collects (with this one), collected_at.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such note, or it was taken down.
            not_published: It is a draft.
            exists: It is in the collection already.
        """
        note = self._published(user_id, note_id)
        key = f"{user_id}|{note_id}"
        if self.find("collects", key) is not None:
            raise ToolError("exists", f"{note_id} is in the collection already; list_collections shows it")
        collect = self.put("collects", collect_id=key, user_id=user_id, note_id=note_id, at=self.stamp())
        note = self.patch("notes", note_id, collects=note["collects"] + 1)
        return {
            "note_id": note_id,
            "title": note["title"],
            "collects": note["collects"],
            "collected_at": collect["at"],
        }

    @tool(write=True)
    def uncollect_note(self, user_id: str, note_id: str) -> dict[str, Any]:
        """Take a note out of the user's collection, also one that was taken down.

        Args:
            user_id: Whose collection; the account's user.
            note_id: From list_collections.

        Returns:
            note_id, removed (true).

        Errors:
            not_signed_in: user_id is not the account's user.
            not_collected: It is not in the collection.
        """
        self._check_user(user_id)
        key = f"{user_id}|{note_id}"
        note = self.find("notes", note_id)
        if note is None or self.find("collects", key) is None:
            raise ToolError("not_collected", f"{note_id[:60]!r} is not in the collection; list_collections shows it")
        self.drop("collects", key)
        self.patch("notes", note_id, collects=max(0, note["collects"] - 1))
        return {"note_id": note_id, "removed": True}

    @tool(write=False)
    def list_collections(self, user_id: str, limit: int | None = None) -> dict[str, Any]:
        """List the notes in the user's collection, the last one first.

        Args:
            user_id: Whose; the account's user.
            limit: How many at most, 1 to 100; 50 if left out.

        Returns:
            notes: as search_notes shows them, with collected_at and available (true); of one that was taken down only
            note_id, collected_at and available (false); total.

        Errors:
            not_signed_in: user_id is not the account's user.
            bad_limit: limit is not between 1 and 100.
        """
        self._check_user(user_id)
        found = [row for row in self.rows("collects") if row["user_id"] == user_id]
        found.sort(key=lambda row: (self.seconds(row["at"]), row.doc_id), reverse=True)
        shown: list[dict[str, Any]] = []
        for row in limited(found, 50 if limit is None else limit, 100):
            note = self.find("notes", row["note_id"])
            facts = self._brief(note) if note is not None and visible(note) else {"note_id": row["note_id"]}
            shown.append({**facts, "collected_at": row["at"], "available": "title" in facts})
        return {"notes": shown, "total": len(found)}

    @tool(write=True)
    def follow_user(self, user_id: str, target_user_id: str) -> dict[str, Any]:
        """Follow a user: their new notes land in the notifications, silently. The user can see it.

        Args:
            user_id: Who follows; the account's user.
            target_user_id: Whom, from a note's author_id; names resemble each other.

        Returns:
            user_id, target_user_id, name, followers (of the followed user), since.

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such user.
            own_account: Nobody follows themselves.
            exists: The user follows them already.
        """
        self._check_user(user_id)
        self._user(target_user_id)
        if user_id == target_user_id:
            raise ToolError("own_account", "this is your own account; give another target_user_id")
        if self.find("follows", f"{user_id}|{target_user_id}") is not None:
            raise ToolError("exists", f"{user_id} follows {target_user_id} already")
        follow = self._put_follow(user_id, target_user_id)
        target = self._user_of(target_user_id)
        return {
            "user_id": user_id,
            "target_user_id": target_user_id,
            "name": target["name"],
            "followers": target["followers"],
            "since": follow["since"],
        }

    @tool(write=True)
    def unfollow_user(self, user_id: str, target_user_id: str) -> dict[str, Any]:
        """Stop following a user.

        Args:
            user_id: Who follows; the account's user.
            target_user_id: Whom.

        Returns:
            user_id, target_user_id, following (false).

        Errors:
            not_signed_in: user_id is not the account's user.
            not_followed: The user does not follow them.
        """
        self._check_user(user_id)
        key = f"{user_id}|{target_user_id}"
        if self.find("follows", key) is None:
            raise ToolError("not_followed", f"{user_id} does not follow {target_user_id[:60]!r}")
        self.drop("follows", key)
        for who, field in ((user_id, "following"), (target_user_id, "followers")):
            self.patch("users", who, **{field: max(0, self._user_of(who)[field] - 1)})
        return {"user_id": user_id, "target_user_id": target_user_id, "following": False}

    # -- tools: writing ------------------------------------------------------------------------------------------

    @tool(write=True)
    def post_comment(self, note_id: str, user_id: str, body: str, reply_to: str | None = None) -> dict[str, Any]:
        """Comment on a note. Everybody can read it, and it stays.

        Args:
            note_id: From search_notes.
            user_id: Who writes; the account's user.
            body: The comment, 1 to 500 characters.
            reply_to: A comment_id of the same note that this answers.

        Returns:
            comment_id, note_id, user_id, body, at, reply_to; comments (of the note, with this one).

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: There is no such note, or it was taken down; or it has no comment reply_to.
            not_published: It is a draft.
            bad_body: The comment is empty or longer than 500 characters.
            exists: The user has written the same under this note already.
        """
        note = self._published(user_id, note_id)
        text = body.strip()
        if not 1 <= len(text) <= _COMMENT:
            raise ToolError("bad_body", f"a comment has 1 to {_COMMENT} characters, not {len(text)}")
        if reply_to is not None:
            answered = self.find("comments", reply_to)
            if answered is None or answered["note_id"] != note_id:
                raise ToolError("not_found", f"{note_id} has no comment {reply_to[:60]!r}; see get_note_comments")
        for row in self.rows("comments"):
            if (row["note_id"], row["user_id"], row["body"]) == (note_id, user_id, text):
                raise ToolError("exists", f"this comment is there already as {row['comment_id']}")
        comment = self._put_comment(note, user_id, text, reply_to or "")
        return {**comment, "comments": note["comments"] + 1}

    @tool(write=True)
    def publish_note(
        self,
        user_id: str,
        title: str,
        body: str,
        tags: list[str] | None = None,
        category: str | None = None,
        image_captions: list[str] | None = None,
        draft: bool = False,
        draft_id: str | None = None,
    ) -> dict[str, Any]:
        """Publish a note for everybody, or keep it as a draft that only the user sees.

        A published note cannot be changed or taken back. At most 10 are published on a day.

        Args:
            user_id: Who writes; the account's user.
            title: 1 to 60 characters.
            body: The text, 1 to 5000 characters.
            tags: Up to 10 topics of 1 to 30 characters, with or without #.
            category: E.g. travel, food, home; up to 30 characters.
            image_captions: What the attached pictures show, up to 9 of 1 to 200 characters.
            draft: true: keep it as a draft; list_user_notes with drafts=true shows drafts.
            draft_id: The note_id of a draft that this text replaces; it is published unless draft is true.

        Returns:
            note_id, status (published or draft), title, tags, category, published_at (null for a draft).

        Errors:
            not_signed_in: user_id is not the account's user.
            not_found: draft_id names no draft of the user.
            bad_title: The title is empty or longer than 60 characters.
            bad_body: The text is empty or longer than 5000 characters.
            bad_tags: There are more than 10 tags, or one is empty or longer than 30 characters.
            bad_category: The category is empty or longer than 30 characters.
            bad_captions: There are more than 9 captions, or one is empty or longer than 200 characters.
            exists: The user has published the same title and text already.
            too_many: Ten notes were published today; keep a draft and publish it tomorrow.
        """
        self._check_user(user_id)
        if draft_id is not None:
            kept = self.find("notes", draft_id)
            if kept is None or kept["status"] != "draft" or kept["user_id"] != user_id:
                raise ToolError("not_found", f"you have no draft {draft_id[:60]!r}; see list_user_notes with drafts")
        texts = self._checked_texts(title, body, tags, category, image_captions)
        if not draft:
            self._check_publishing(user_id, texts["title"], texts["body"])
        note = self._put_note(
            note_id=draft_id or self.new_id("note"),
            user_id=user_id,
            status="draft" if draft else "published",
            published_at=None if draft else self.stamp(),
            **texts,
        )
        return {field: note[field] for field in ("note_id", "status", "title", "tags", "category", "published_at")}

    # -- inside --------------------------------------------------------------------------------------------------

    def _published(self, user_id: str, note_id: str) -> Record:
        """A note that the account's user can react to."""
        self._check_user(user_id)
        note = self._note(note_id)
        if note["status"] != "published":
            raise ToolError("not_published", f"{note_id} is a draft; publish_note with draft_id publishes it")
        return note

    @staticmethod
    def _checked_texts(
        title: str, body: str, tags: list[str] | None, category: str | None, image_captions: list[str] | None
    ) -> dict[str, Any]:
        """The texts of a note as they are kept."""
        heading, text, group = title.strip(), body.strip(), (category or "").strip()
        if not 1 <= len(heading) <= _TITLE:
            raise ToolError("bad_title", f"a title has 1 to {_TITLE} characters, not {len(heading)}")
        if not 1 <= len(text) <= _BODY:
            raise ToolError("bad_body", f"a note has 1 to {_BODY} characters, not {len(text)}; split it into several")
        names = list(dict.fromkeys(tag.strip().lstrip("#").strip() for tag in tags or []))
        if len(names) > _TAGS or not all(1 <= len(name) <= _TAG for name in names):
            raise ToolError("bad_tags", f"up to {_TAGS} tags of 1 to {_TAG} characters")
        if category is not None and not 1 <= len(group) <= _CATEGORY:
            raise ToolError("bad_category", f"a category has 1 to {_CATEGORY} characters; leave it out for none")
        captions = image_captions or []
        if len(captions) > _CAPTIONS or not all(1 <= len(caption) <= _CAPTION for caption in captions):
            raise ToolError("bad_captions", f"up to {_CAPTIONS} captions of 1 to {_CAPTION} characters")
        return {"title": heading, "body": text, "tags": names, "category": group, "image_captions": captions}

    def _check_publishing(self, user_id: str, title: str, body: str) -> None:
        """Refuse what is published already, and more than a day takes."""
        midnight = clock.day_start(self.today(), self.world.zone)
        today = 0
        for row in self.rows("notes"):
            if row["user_id"] == user_id and row["status"] == "published":
                if row["title"] == title and row["body"] == body:
                    raise ToolError("exists", f"this note is published already as {row['note_id']}")
                today += self.seconds(row["published_at"]) >= midnight
        if today >= _A_DAY:
            raise ToolError("too_many", f"{_A_DAY} notes a day are the limit; keep a draft and publish it tomorrow")
