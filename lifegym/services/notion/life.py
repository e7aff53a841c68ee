"""What other people do in the workspace: write, edit, comment, share, and fill in rows."""

from __future__ import annotations

from typing import Any

from lifegym.services.notion.blocks import drafts, runs_of, text_of
from lifegym.services.notion.outline import find_page
from lifegym.services.notion.properties import read
from lifegym.services.notion.richtext import plain, rich_text, run
from lifegym.services.notion.tree import Node, NotionTree
from lifegym.services.tools import happening
from lifegym.world.record import Record

__all__ = ["NotionLife"]


class NotionLife(NotionTree):
    """The workspace's own behaviour. Nothing in it tells the agent; a change is seen by looking again."""

    # -- happenings ----------------------------------------------------------------------------------------------

    @happening
    def edit_block(self, page_title: str, old_text: str, new_text: str, author: str = "") -> list[str]:
        """Somebody edits a page: wherever a line has the old text, it is replaced; a line left empty goes away."""
        page = find_page(self, page_title)
        if page is None or not old_text:
            return []
        found = [block for block in self.blocks_below(page) if old_text in plain(_flat(block))]
        by = self._author(author) if found else ""
        for block in found:
            texts = [_replaced(runs, old_text, new_text) for runs in runs_of(block)]
            content = {"cells": texts} if "cells" in block["content"] else {"rich_text": texts[0]}
            changed = self.patch("blocks", block["id"], content={**block["content"], **content}, **self._edited(by))
            self._touch(changed, by)
            if not text_of(changed).strip(" |") and not changed["children"] and changed["type"] != "table_row":
                self._remove(changed)
        return [block["id"] for block in found]

    @happening
    def add_lines(self, page_title: str, lines: list[str], section: str | None = None, author: str = "") -> list[str]:
        """Somebody writes paragraphs at the end of a page, or at the end of the section under a heading."""
        page = find_page(self, page_title)
        if page is None or not lines:
            return []
        after: str | None = None
        if section is not None:
            after = self._last_of(page, section)
            if after is None:
                return []
        return self._insert(Node("pages", page), drafts(list(lines), "lines"), self._author(author), after)

    @happening
    def comment(self, page_title: str, author: str, text: str) -> list[str]:
        """Somebody comments on a page. The author is a user's name or id; an unknown name joins the workspace."""
        page = find_page(self, page_title)
        if page is None:
            return []
        return [
            self._put_comment("page_id", page["id"], rich_text(text, "text", "bad_rich_text"), self._author(author))
        ]

    @happening
    def share_page(
        self, title: str, blocks: list[Any], parent_title: str | None = None, author: str = "", icon: str | None = None
    ) -> list[str]:
        """Somebody makes a page, at the top or in another page. Blocks are written as for patch_block_children."""
        parent = None if parent_title is None else find_page(self, parent_title)
        if parent_title is not None and parent is None:
            return []
        made = self._put_page(
            "page_id" if parent else "workspace",
            parent["id"] if parent else "",
            self._values(None, {"title": title}),
            drafts(blocks, "blocks"),
            self._author(author),
            icon={"type": "emoji", "emoji": icon} if icon else None,
        )
        return [made["id"]]

    @happening
    def trash_page(self, page_title: str, author: str = "") -> list[str]:
        """Somebody puts a page, or a row, into the trash."""
        page = find_page(self, page_title)
        if page is None:
            return []
        self.patch("pages", page["id"], in_trash=True, **self._edited(self._author(author)))
        return [page["id"]]

    @happening
    def add_row(self, database_title: str, properties: dict[str, Any], author: str = "") -> list[str]:
        """Somebody adds a row to a database. Properties are written as for post_page, or shorter: ``{"Score": 4}``."""
        database = self.titled("databases", database_title)
        if database is None:
            return []
        values = self._values(database["properties"], properties)
        return [self._put_page("database_id", database["id"], values, [], self._author(author))["id"]]

    @happening
    def set_properties(
        self,
        row_title: str,
        properties: dict[str, Any],
        database_title: str | None = None,
        where: dict[str, Any] | None = None,
        author: str = "",
    ) -> list[str]:
        """Somebody changes values of rows of a title, in one database or all, whose values are as in ``where``."""
        touched = []
        for database in list(self.rows("databases")):
            if not self.live(database) or (database_title is not None and database["title"] != database_title):
                continue
            schema = database["properties"]
            for child in list(self.listed(database)):
                page = child.row
                if page["title"] != row_title or any(
                    name not in schema or read(page, schema[name]) != value for name, value in (where or {}).items()
                ):
                    continue
                values = self._values(schema, properties)
                self.patch(
                    "pages",
                    page["id"],
                    title=values.title or page["title"],
                    properties={**page["properties"], **values.properties},
                    **self._edited(self._author(author)),
                )
                self._learn(self._database(database["id"]), values.options)
                touched.append(page["id"])
        return touched

    # -- inside --------------------------------------------------------------------------------------------------

    def _author(self, author: str) -> str:
        """Id of the user of a name or id: the owner if it is empty, a new user if nobody has it."""
        if not author:
            return self.world.owner
        for user in self.users().values():
            if author in (user["id"], user["name"]):
                return str(user["id"])
        return str(self.put("users", id=self._hex_id(), name=author)["id"])

    def _edited(self, by: str) -> dict[str, str]:
        return {"last_edited_time": self.stamp(), "last_edited_by": by}

    def _put_comment(
        self, parent_type: str, parent_id: str, runs: list[dict[str, Any]], by: str, discussion_id: str = ""
    ) -> str:
        made = self.put(
            "comments",
            id=self._hex_id(),
            parent_type=parent_type,
            parent_id=parent_id,
            discussion_id=discussion_id or self._hex_id(),
            rich_text=runs,
            created_time=self.stamp(),
            created_by=by,
        )
        return str(made["id"])

    def _last_of(self, page: Record, section: str) -> str | None:
        """The last block of a page that belongs to the section of a heading; None if there is no such heading."""
        level, last = "", None
        for child in self.listed(page):
            kind = child.row.get("type", "")
            if level and kind.startswith("heading") and kind <= level:
                break
            if not level and kind.startswith("heading") and text_of(child.row).strip() == section.strip():
                level = kind
            if level:
                last = child.row["id"]
        return last

    def check_invariants(self) -> None:
        holders = {row["id"]: row for kind in ("pages", "databases", "blocks") for row in self.rows(kind)}
        listed: dict[str, str] = {}
        for row in holders.values():
            for key in row["children"]:
                assert key not in listed, key
                listed[key] = row["id"]
                assert key in holders, (row, key)
        for row in holders.values():
            assert row["parent_id"] == listed.get(row["id"], ""), row
            assert (row["parent_type"] == "workspace") == (not row["parent_id"]), row
        for page in self.rows("pages"):
            database = self.find("databases", page["parent_id"])
            assert (page["parent_type"] == "database_id") == (database is not None), page
            schema = database["properties"] if database else {}
            for name, value in page["properties"].items():
                assert value["type"] == schema[name]["type"], (page, name)
                assert value["type"] in value, (page, name)
        for database in self.rows("databases"):
            kinds = [spec["type"] for spec in database["properties"].values()]
            assert kinds.count("title") == 1, database
            assert all(name == spec["name"] for name, spec in database["properties"].items()), database
        for comment in self.rows("comments"):
            assert comment["parent_id"] in holders, comment


def _flat(block: Record) -> list[Any]:
    return [one for runs in runs_of(block) for one in runs]


def _replaced(runs: list[Any], old: str, new: str) -> list[Any]:
    """Runs with a text replaced; styles stay where the text lies within one run."""
    if any(old in one["plain_text"] for one in runs):
        return [
            {**one, "text": {**one["text"], "content": text}, "plain_text": text}
            for one in runs
            if (text := one["plain_text"].replace(old, new))
        ]
    whole = plain(runs)
    return [run(whole.replace(old, new))] if old in whole else list(runs)
