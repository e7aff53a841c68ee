"""What a workspace of notes keeps. The order of what is on a page is the order of its ``children``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from lifegym.services.types import Instant, RecordModel, Ref

__all__ = ["Block", "Comment", "Database", "Page", "ParentType", "User"]

ParentType = Literal["workspace", "page_id", "database_id", "block_id"]


class User(RecordModel):
    """Somebody in the workspace beside its owner and the assistant, who are always there."""

    id: str
    name: str
    email: str = ""
    kind: Literal["person", "bot"] = "person"


class Page(RecordModel):
    """A page, or a row of a database.

    ``properties`` holds a row's values by property name, each ``{id, type, <type>: value}``; the title is in ``title``.
    ``children`` are ids of blocks, pages and databases.
    """

    id: str
    title: str
    parent_type: Literal["workspace", "page_id", "database_id"] = "workspace"
    parent_id: str = ""
    properties: dict[str, Any] = {}
    icon: dict[str, Any] | None = None
    cover: dict[str, Any] | None = None
    children: list[str] = []
    in_trash: bool = False
    created_time: Instant
    created_by: str
    last_edited_time: Instant
    last_edited_by: str


class Database(RecordModel):
    """A table of pages. ``properties`` is its schema: name to ``{id, name, type, <type>: settings}``."""

    id: str
    title: str
    parent_type: Literal["workspace", "page_id"] = "workspace"
    parent_id: str = ""
    properties: dict[str, Any]
    children: list[Annotated[str, Ref("notion.pages")]] = []
    in_trash: bool = False
    created_time: Instant
    created_by: str
    last_edited_time: Instant
    last_edited_by: str


class Block(RecordModel):
    """A piece of a page. ``content`` is what the block has under its type, such as ``{"rich_text": [...]}``."""

    id: str
    type: str
    parent_type: Literal["page_id", "block_id"]
    parent_id: str
    content: dict[str, Any]
    children: list[Annotated[str, Ref("notion.blocks")]] = []
    created_time: Instant
    created_by: str
    last_edited_time: Instant
    last_edited_by: str


class Comment(RecordModel):
    """A remark on a page or a block (``parent_id``); those of one discussion answer each other."""

    id: str
    parent_type: Literal["page_id", "block_id"]
    parent_id: str
    discussion_id: str
    rich_text: list[Any]
    created_time: Instant
    created_by: str
