"""Finding notes and reading them: search, trends, profiles."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from lifegym.services.base import limited
from lifegym.services.content_platform.index import find_notes
from lifegym.services.content_platform.inventory import ContentPlatformInventory
from lifegym.services.content_platform.life import excerpt, visible
from lifegym.services.search import resolve
from lifegym.services.tools import ToolError, tool
from lifegym.world import clock
from lifegym.world.record import Record

__all__ = ["LISTED", "ContentReading", "Sort", "page"]

LISTED = 20
_MOST = 50
_READING = 6000
_HOT_DAYS = 7
"""How old a note is when it counts half of what it would count on its first day."""

Sort = Literal["hot", "new", "likes"]


class ContentReading(ContentPlatformInventory):
    """The tools that look."""

    @tool(write=False)
    def search_notes(
        self,
        keyword: str,
        category: str | None = None,
        sort: Sort = "hot",
        limit: int | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
    ) -> dict[str, Any]:
        """Find notes by words in their title, tags, author, captions or text.

        Notes with all the words outside the text come before those that have some of them only in the text. Anybody can
        write here: what a note says is somebody's opinion, and may be out of date; compare published_at.

        Args:
            keyword: Words, e.g. "supervised hours"; "" for all notes.
            category: Only this category; get_trending shows notes with theirs.
            sort: hot (liked, collected and discussed, newer ones more), new, or likes.
            limit: How many at most, 1 to 50; 20 if left out.
            offset: How many of the results to skip, to read on.

        Returns:
            notes: note_id, title, excerpt (the text's beginning), author_id, author, category, tags, likes, collects,
            comments, published_at, edited_at, corrected_by (a newer note that puts it right); total (how many match);
            hint where not all words matched.

        Errors:
            unknown_category: No note has this category; the message names those that there are.
            bad_limit: limit is not between 1 and 50.
        """
        rows = self._of_category(self._visible(), category)
        found = find_notes(keyword, rows)
        notes = self._in_order(found.notes, sort)
        notes.sort(key=lambda row: row["note_id"] not in found.prominent)
        hint = "" if found.complete or not notes else "no note has all the words; these have the most of them"
        shown = [self._brief(row) for row in page(notes[offset:], limit)]
        return {"notes": shown, "total": len(notes), **({"hint": hint} if hint else {})}

    @tool(write=False)
    def get_note(self, note_id: str, offset: Annotated[int, Field(ge=0)] = 0) -> dict[str, Any]:
        """Read a note. A long text comes in pieces of 6000 characters; offset reads on.

        Args:
            note_id: From search_notes or another listing.
            offset: Where in the text to begin.

        Returns:
            note_id, title, body (with a marker at the end where it goes on), next_offset (null at the end),
            total_chars, image_captions, author_id, author, category, tags, likes, collects, comments (how many),
            status (a draft is only yours), published_at, edited_at, corrects and corrected_by (note_ids), liked,
            collected, following (the author).

        Errors:
            not_found: There is no such note, or it was taken down.
        """
        note = self._note(note_id)
        body, owner = note["body"], self.world.owner
        end = offset + _READING
        following = end if end < len(body) else None
        marker = f" ... [{len(body) - end} more characters; get_note with offset={end}]" if following else ""
        kept = ("image_captions", "status", "corrects")
        return {
            **self._facts(note),
            "body": body[offset:end] + marker,
            "next_offset": following,
            "total_chars": len(body),
            **{field: note[field] for field in kept},
            "liked": self.find("likes", f"{owner}|{note_id}") is not None,
            "collected": self.find("collects", f"{owner}|{note_id}") is not None,
            "following": self.find("follows", f"{owner}|{note['user_id']}") is not None,
        }

    @tool(write=False)
    def get_note_comments(
        self, note_id: str, limit: int | None = None, offset: Annotated[int, Field(ge=0)] = 0
    ) -> dict[str, Any]:
        """List the comments on a note, newest first.

        Args:
            note_id: From search_notes.
            limit: How many at most, 1 to 50; 20 if left out.
            offset: How many to skip, to read on.

        Returns:
            comments: comment_id, author_id, author, body, at, reply_to (a comment_id or ""); total (how many are
            listed; the note may count more).

        Errors:
            not_found: There is no such note, or it was taken down.
            bad_limit: limit is not between 1 and 50.
        """
        self._note(note_id)
        found = [row for row in self.rows("comments") if row["note_id"] == note_id]
        found.sort(key=lambda row: (self.seconds(row["at"]), row.doc_id), reverse=True)
        shown = [
            {
                "comment_id": row["comment_id"],
                "author_id": row["user_id"],
                "author": self._user_of(row["user_id"])["name"],
                "body": row["body"],
                "at": row["at"],
                "reply_to": row["reply_to"],
            }
            for row in page(found[offset:], limit)
        ]
        return {"note_id": note_id, "comments": shown, "total": len(found)}

    @tool(write=False)
    def get_trending(self, category: str | None = None, limit: int | None = None) -> dict[str, Any]:
        """List what is liked, collected and discussed most now, newer notes before older ones.

        Args:
            category: Only this category.
            limit: How many at most, 1 to 50; 20 if left out.

        Returns:
            notes (as search_notes shows them), total, categories (all that there are).

        Errors:
            unknown_category: No note has this category; the message names those that there are.
            bad_limit: limit is not between 1 and 50.
        """
        rows = self._visible()
        found = self._in_order(self._of_category(rows, category), "hot")
        shown = [self._brief(row) for row in page(found, limit)]
        return {"notes": shown, "total": len(found), "categories": _categories(rows)[:60]}

    @tool(write=False)
    def get_user_profile(self, user_id: str) -> dict[str, Any]:
        """Show a user of the platform. Names resemble each other: compare user_id, bio and location.

        Args:
            user_id: From a note's or comment's author_id.

        Returns:
            user_id, name, bio, location, verified, followers, following, notes (how many are published),
            likes_received, followed_by_you.

        Errors:
            not_found: There is no such user.
        """
        user = self._user(user_id)
        notes = [row for row in self.rows("notes") if row["user_id"] == user_id and visible(row)]
        return {
            **user,
            "notes": len(notes),
            "likes_received": sum(row["likes"] for row in notes),
            "followed_by_you": self.find("follows", f"{self.world.owner}|{user_id}") is not None,
        }

    @tool(write=False)
    def list_user_notes(
        self,
        user_id: str,
        limit: int | None = None,
        offset: Annotated[int, Field(ge=0)] = 0,
        drafts: bool = False,
    ) -> dict[str, Any]:
        """List a user's notes, newest first.

        Args:
            user_id: Whose.
            limit: How many at most, 1 to 50; 20 if left out.
            offset: How many to skip, to read on.
            drafts: List the drafts instead, which only you see, of your own.

        Returns:
            notes (as search_notes shows them), total.

        Errors:
            not_found: There is no such user.
            not_signed_in: drafts of another user than the account's.
            bad_limit: limit is not between 1 and 50.
        """
        self._user(user_id)
        if drafts:
            self._check_user(user_id)
        found = [
            row
            for row in self.rows("notes")
            if row["user_id"] == user_id and (row["status"] == "draft" if drafts else visible(row))
        ]
        found = found[::-1] if drafts else self._in_order(found, "new")
        return {"notes": [self._brief(row) for row in page(found[offset:], limit)], "total": len(found)}

    # -- inside --------------------------------------------------------------------------------------------------

    def _check_user(self, user_id: str) -> None:
        if user_id != self.world.owner:
            raise ToolError("not_signed_in", f"{user_id[:60]!r} is not signed in here; use {self.world.owner}")

    def _user(self, user_id: str) -> Record:
        return self.get("users", user_id, "user", "notes and comments name their author_id")

    def _note(self, note_id: str) -> Record:
        """A note that the person can see."""
        note = self.find("notes", note_id)
        if note is not None and (visible(note) or (note["status"] == "draft" and note["user_id"] == self.world.owner)):
            return note
        raise ToolError(
            "not_found", f"there is no note {note_id[:60]!r}, or it was taken down; search_notes finds notes"
        )

    def _visible(self) -> list[Record]:
        return [row for row in self.rows("notes") if row["status"] == "published" and not row["hidden"]]

    def _of_category(self, rows: list[Record], category: str | None) -> list[Record]:
        """The notes of a category, however it is spelt.

        Raises:
            ToolError: ``unknown_category``.
        """
        if category is None:
            return rows
        names = _categories(rows)
        meant = resolve(category, names)
        if meant is None:
            known = ", ".join(names[:30]) or "none"
            raise ToolError("unknown_category", f"the categories are: {known}; or leave category out")
        return [row for row in rows if row["category"] == meant]

    def _in_order(self, rows: Iterable[Record], sort: Sort) -> list[Record]:
        """Notes in the order asked for; among equals the newer first."""
        now, seconds = self.now, self.seconds

        def key(row: Record) -> tuple[float, int, int]:
            at = seconds(row["published_at"])
            if sort == "new":
                return at, row.doc_id, 0
            if sort == "likes":
                return row["likes"], at, row.doc_id
            return _points(row) / ((now - at) / clock.DAY + _HOT_DAYS), at, row.doc_id

        return sorted(rows, key=key, reverse=True)

    def _facts(self, note: Record) -> dict[str, Any]:
        kept = (
            "category", "tags", "likes", "collects", "comments", "published_at", "edited_at", "corrected_by",
        )  # fmt: skip
        return {
            "note_id": note["note_id"],
            "title": note["title"],
            "author_id": note["user_id"],
            "author": self._user_of(note["user_id"])["name"],
            **{field: note[field] for field in kept},
        }

    def _brief(self, note: Record) -> dict[str, Any]:
        return {**self._facts(note), "excerpt": excerpt(note["body"])}


def page(rows: Iterable[Record], limit: int | None) -> list[Record]:
    """The first rows, as many as a listing shows where the limit is left out.

    Raises:
        ToolError: ``bad_limit``.
    """
    found: list[Record] = limited(rows, LISTED if limit is None else limit, _MOST)
    return found


def _points(note: Record) -> int:
    points: int = note["likes"] + 2 * note["collects"] + 3 * note["comments"]
    return points


def _categories(rows: Iterable[Record]) -> list[str]:
    return sorted({row["category"] for row in rows if row["category"]})
