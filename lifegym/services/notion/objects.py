"""Records in the shapes in which the tools show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lifegym.services.notion.life import NotionLife
from lifegym.services.notion.properties import TIMES, empty
from lifegym.services.notion.richtext import run
from lifegym.services.notion.tree import Node

__all__ = ["NotionObjects"]


class NotionObjects(NotionLife):
    """Objects of the interface: users, pages, databases, blocks, comments."""

    def _user_object(self, user: Mapping[str, Any]) -> dict[str, Any]:
        base = {"object": "user", "id": user["id"], "name": user["name"], "avatar_url": None, "type": user["kind"]}
        if user["kind"] == "bot":
            return {**base, "bot": {"owner": {"type": "user", "user": {"object": "user", "id": self.world.owner}}}}
        return {**base, "person": {"email": user["email"]}}

    def _object(self, node: Node) -> dict[str, Any]:
        """A page or database as such, a block as a block."""
        if node.kind == "pages":
            return self._page_object(node.row)
        return self._database_object(node.row) if node.kind == "databases" else self._block_object(node)

    def _page_object(self, page: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "object": "page",
            "id": page["id"],
            "parent": _parent(page),
            "properties": self._properties(page),
            "icon": page["icon"],
            "cover": page["cover"],
            "archived": page["in_trash"],
            "in_trash": page["in_trash"],
            **_edits(page),
            "url": f"https://notes.example/{page['id'].replace('-', '')}",
        }

    def _properties(self, page: Mapping[str, Any]) -> dict[str, Any]:
        """The properties of a page in full: in a database those of its schema, else the title."""
        database = self.find("databases", page["parent_id"]) if page["parent_type"] == "database_id" else None
        if database is None:
            return {"title": {"id": "title", "type": "title", "title": [run(page["title"])]}}
        found: dict[str, Any] = {}
        for name, spec in database["properties"].items():
            kind = spec["type"]
            if kind == "title":
                found[name] = {"id": spec["id"], "type": kind, kind: [run(page["title"])]}
            elif kind in TIMES:
                found[name] = {"id": spec["id"], "type": kind, kind: page[kind]}
            else:
                found[name] = page["properties"].get(name) or {"id": spec["id"], "type": kind, kind: empty(kind)}
        return found

    def _database_object(self, database: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "object": "database",
            "id": database["id"],
            "title": [run(database["title"])],
            "parent": _parent(database),
            "properties": database["properties"],
            "archived": database["in_trash"],
            "in_trash": database["in_trash"],
            **_edits(database),
            "url": f"https://notes.example/{database['id'].replace('-', '')}",
        }

    def _block_object(self, node: Node) -> dict[str, Any]:
        """A block; a page or database in a page is a block ``child_page`` or ``child_database``."""
        row = node.row
        if node.kind == "blocks":
            kind, content, trash = row["type"], row["content"], False
        else:
            kind = "child_page" if node.kind == "pages" else "child_database"
            content, trash = {"title": row["title"]}, row["in_trash"]
        return {
            "object": "block",
            "id": row["id"],
            "parent": _parent(row),
            "type": kind,
            kind: content,
            "has_children": node.kind != "databases" and bool(row["children"]),
            "archived": trash,
            "in_trash": trash,
            **_edits(row),
        }

    def _comment_object(self, comment: Mapping[str, Any], users: Mapping[str, Any]) -> dict[str, Any]:
        by = users.get(comment["created_by"])
        return {
            "object": "comment",
            "id": comment["id"],
            "parent": _parent(comment),
            "discussion_id": comment["discussion_id"],
            "rich_text": comment["rich_text"],
            "created_time": comment["created_time"],
            "created_by": {"object": "user", "id": comment["created_by"], "name": by["name"] if by else ""},
        }


def _parent(row: Mapping[str, Any]) -> dict[str, Any]:
    kind = row["parent_type"]
    return {"type": kind, kind: True if kind == "workspace" else row["parent_id"]}


def _edits(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "created_time": row["created_time"],
        "created_by": {"object": "user", "id": row["created_by"]},
        "last_edited_time": row["last_edited_time"],
        "last_edited_by": {"object": "user", "id": row["last_edited_by"]},
    }
