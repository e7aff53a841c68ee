"""What a platform of notes keeps."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from lifegym.services.types import Instant, RecordModel, Ref

__all__ = ["Collect", "Comment", "Count", "Follow", "Like", "Note", "Topic", "User"]

Count = Annotated[int, Field(ge=0)]


class User(RecordModel):
    user_id: str
    name: str
    bio: Annotated[str, Field(max_length=1000)] = ""
    location: str = ""
    verified: bool = False
    followers: Count = 0
    """All who follow, those that are not listed included."""
    following: Count = 0


class Note(RecordModel):
    note_id: str
    user_id: Annotated[str, Ref("content_platform.users")]
    title: str
    body: Annotated[str, Field(max_length=60_000)] = ""
    tags: list[str] = []
    category: str = ""
    image_captions: list[str] = []
    likes: Count = 0
    """All likes, those that are not listed included; as many as are listed if it is less at the start."""
    collects: Count = 0
    comments: Count = 0
    status: Literal["published", "scheduled", "draft"] = "published"
    """A published note whose time is still to come is scheduled from the start on."""
    published_at: Instant | None = None
    edited_at: Instant | None = None
    hidden: bool = False
    corrects: Annotated[str, Ref("content_platform.notes")] = ""
    """The earlier note that this one puts right."""
    corrected_by: Annotated[str, Ref("content_platform.notes")] = ""
    keywords: str = ""
    """What a search looks at beside the body; put together from the other fields at the start."""


class Comment(RecordModel):
    comment_id: str
    note_id: Annotated[str, Ref("content_platform.notes")]
    user_id: Annotated[str, Ref("content_platform.users")]
    body: Annotated[str, Field(max_length=2000)]
    at: Instant
    reply_to: Annotated[str, Ref("content_platform.comments")] = ""


class Like(RecordModel):
    like_id: str
    """``user_id|note_id``."""
    user_id: Annotated[str, Ref("content_platform.users")]
    note_id: Annotated[str, Ref("content_platform.notes")]
    at: Instant


class Collect(RecordModel):
    collect_id: str
    """``user_id|note_id``."""
    user_id: Annotated[str, Ref("content_platform.users")]
    note_id: Annotated[str, Ref("content_platform.notes")]
    at: Instant


class Follow(RecordModel):
    follow_id: str
    """``user_id|target_user_id``."""
    user_id: Annotated[str, Ref("content_platform.users")]
    target_user_id: Annotated[str, Ref("content_platform.users")]
    since: Instant


class Topic(RecordModel):
    topic: str
    """The tag without ``#``."""
    description: str = ""
    aliases: list[str] = []
