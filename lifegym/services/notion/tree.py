"""The tree of a workspace: users, what is where, what is in the trash, and how it grows and shrinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from lifegym.services.base import Service
from lifegym.services.notion.blocks import Draft
from lifegym.services.notion.properties import options_in, parse_value, title_text
from lifegym.services.notion.records import Block, Comment, Database, Page, User
from lifegym.services.search import fold
from lifegym.services.tools import ToolError
from lifegym.world.record import Record

__all__ = ["BOT", "Node", "NotionTree", "Values"]

BOT = "a55157a0-7000-4000-8000-00000000b075"
"""Id of the user as whom the tools write."""
HEX = "0123456789abcdef"
MOST_CHILDREN = 2000
_TABLES = {"page_id": "pages", "database_id": "databases", "block_id": "blocks"}
Kind = Literal["pages", "databases", "blocks"]


class Node(NamedTuple):
    """A page, database or block."""

    kind: Kind
    row: Record


class Values(NamedTuple):
    """A row's title and properties, and the options that its database does not have yet."""

    title: str | None
    properties: dict[str, Any]
    options: dict[str, list[str]]


class NotionTree(Service):
    """The tables of the workspace, and what reads and changes them."""

    name = "notion"
    title = "Notes"
    records = {"users": User, "pages": Page, "databases": Database, "blocks": Block, "comments": Comment}

    # -- finding -------------------------------------------------------------------------------------------------

    def node(self, given: str) -> Node | None:
        """The page, database or block of an id, which may be written without its hyphens."""
        kinds: tuple[Kind, ...] = ("blocks", "pages", "databases")
        for kind in kinds:
            row = self.find(kind, given)
            if row is not None:
                return Node(kind, row)
        usual = _hyphened(given)
        return None if usual == given else self.node(usual)

    def live(self, row: Mapping[str, Any]) -> bool:
        """Whether neither a page or database nor anything that it is in lies in the trash."""
        at: Mapping[str, Any] | None = row
        while at is not None and not at.get("in_trash"):
            kind = at["parent_type"]
            if kind == "workspace":
                return True
            at = self.find(_TABLES[kind], at["parent_id"])
        return False

    def all_live(self, kind: Literal["pages", "databases"]) -> list[Record]:
        """All pages or databases that are live, oldest first; each thing that holds some is looked at once."""
        found, parents = [], {"": True}
        for row in self.rows(kind):
            if not row["in_trash"]:
                parent = row["parent_id"]
                if parent not in parents:
                    parents[parent] = self.live(row)
                if parents[parent]:
                    found.append(row)
        return found

    def listed(self, row: Mapping[str, Any]) -> Iterator[Node]:
        """What is directly in a page, database or block, in order, without what is in the trash."""
        for key in row["children"]:
            child = self.node(key)
            if child is not None and not child.row.get("in_trash"):
                yield child

    def blocks_below(self, row: Mapping[str, Any]) -> Iterator[Record]:
        """The blocks of a page or block with those nested in them, in order; not those of pages in it."""
        for child in self.listed(row):
            if child.kind == "blocks":
                yield child.row
                yield from self.blocks_below(child.row)

    def titled(self, kind: Literal["pages", "databases"], title: str) -> Record | None:
        """The first live page or database of a title."""
        wanted = fold(title).strip()
        for row in self.rows(kind):
            if fold(row["title"]).strip() == wanted and self.live(row):
                return row
        return None

    def users(self) -> dict[str, dict[str, Any]]:
        """Everybody in the workspace by id: its owner, the assistant, the others."""
        world = self.world
        everybody: dict[str, dict[str, Any]] = {
            world.owner: {"id": world.owner, "name": world.owner_name, "email": world.owner_email, "kind": "person"},
            BOT: {"id": BOT, "name": "Assistant", "email": "", "kind": "bot"},
        }
        for row in self.rows("users"):
            everybody[row["id"]] = row
        return everybody

    def _page(self, page_id: str) -> Record:
        return self._find("pages", page_id, "page")

    def _database(self, database_id: str) -> Record:
        return self._find("databases", database_id, "database")

    def _find(self, kind: Kind, given: str, noun: str) -> Record:
        found = self.node(given)
        if found is None or found.kind != kind:
            other = f"; that id is a {found.kind[:-1]}" if found else "; notion.post_search shows pages and databases"
            raise ToolError("not_found", f"there is no {noun} {given[:60]!r}{other}")
        return found.row

    def _any(self, given: str) -> Node:
        found = self.node(given)
        if found is None:
            raise ToolError(
                "not_found", f"there is no block or page {given[:60]!r}; get_block_children and post_search show them"
            )
        return found

    def _check_live(self, row: Mapping[str, Any]) -> None:
        if not self.live(row):
            raise ToolError(
                "in_trash", "this is in the trash; take it out first with patch_page(page_id, in_trash=false)"
            )

    # -- growing and shrinking -----------------------------------------------------------------------------------

    def _hex_id(self) -> str:
        return _hyphened(self.world.code("notion", 32, HEX))

    @staticmethod
    def _check_room(parent: Mapping[str, Any], more: int = 1) -> None:
        if len(parent["children"]) + more > MOST_CHILDREN:
            raise ToolError("too_many", f"one page, database or block holds at most {MOST_CHILDREN}; begin another one")

    def _stamps(self, by: str, at: str | None = None) -> dict[str, str]:
        at = at or self.stamp()
        return {"created_time": at, "created_by": by, "last_edited_time": at, "last_edited_by": by}

    def _insert(
        self, parent: Node, blocks: list[Draft], by: str, after: str | None = None, at: str | None = None
    ) -> list[str]:
        """Make blocks at the end of a page or block, or after one of its children. Returns their ids."""
        parent_type: Literal["page_id", "block_id"] = "page_id" if parent.kind == "pages" else "block_id"
        ids = [self._make(block, parent.row["id"], parent_type, self._stamps(by, at)) for block in blocks]
        children = list(parent.row["children"])
        place = len(children) if after is None else children.index(after) + 1
        changes: dict[str, Any] = {"children": [*children[:place], *ids, *children[place:]]}
        if str(parent.row.get("type", "")).startswith("heading"):
            changes["content"] = {**parent.row["content"], "is_toggleable": True}
        self.patch(parent.kind, parent.row["id"], **changes)
        if at is None:
            self._touch(parent.row, by)
        return ids

    def _make(self, block: Draft, parent_id: str, parent_type: str, stamps: dict[str, str]) -> str:
        block_id = self._hex_id()
        children = [self._make(child, block_id, "block_id", stamps) for child in block.children]
        self.put(
            "blocks",
            id=block_id,
            type=block.type,
            parent_type=parent_type,
            parent_id=parent_id,
            content=block.content,
            children=children,
            **stamps,
        )
        return block_id

    def _touch(self, row: Mapping[str, Any], by: str) -> None:
        """Note on the page that holds a block (or on the page or database itself) that it was edited now."""
        found = self.node(row["id"])
        while found is not None and found.kind == "blocks":
            found = self.node(found.row["parent_id"])
        if found is not None:
            self.patch(found.kind, found.row["id"], last_edited_time=self.stamp(), last_edited_by=by)

    def _adopt(self, parent_type: str, parent_id: str, child_id: str) -> None:
        """List a new page or database in its parent."""
        if parent_type != "workspace":
            parent = self._any(parent_id)
            self.patch(parent.kind, parent.row["id"], children=[*parent.row["children"], child_id])

    def _remove(self, block: Record) -> None:
        """Drop a block with all that is nested in it and the comments on it; pages in it do not occur."""
        parent = self._any(block["parent_id"])
        rest = [key for key in parent.row["children"] if key != block["id"]]
        gone = [block["id"], *(row["id"] for row in list(self.blocks_below(block)))]
        self.patch(parent.kind, parent.row["id"], children=rest)
        for key in gone:
            self.drop("blocks", key)
        for comment in list(self.rows("comments")):
            if comment["parent_id"] in gone:
                self.drop("comments", comment["id"])

    # -- values of rows ------------------------------------------------------------------------------------------

    def _values(self, schema: Mapping[str, Any] | None, given: Mapping[str, Any]) -> Values:
        """The values that properties of a page have; without a schema there is only the title.

        Raises:
            ToolError: ``bad_property``.
        """
        title, values = None, {}
        options: dict[str, list[str]] = {}
        people = self.users()
        for name, value in given.items():
            if schema is None:
                if fold(name) not in ("title", "name"):
                    raise ToolError(
                        "bad_property",
                        f"a page outside of a database has no property {name[:60]!r}, only 'title'; put the text into "
                        "children, or make the page in a database",
                    )
                title = title_text(value)
                continue
            spec = next((spec for spec in schema.values() if name in (spec["name"], spec["id"])), None)
            if spec is None:
                raise ToolError(
                    "bad_property", f"the database has no property {name[:60]!r}; it has: {', '.join(schema)}"
                )
            if spec["type"] == "title":
                title = title_text(value, f"property {name!r}")
                continue
            kept = parse_value(spec, value, self.world.zone, people)
            values[spec["name"]] = {"id": spec["id"], "type": spec["type"], spec["type"]: kept}
            new = options_in(spec, kept)
            if new:
                options[spec["name"]] = new
        return Values(title, values, options)

    def _learn(self, database: Record, options: Mapping[str, list[str]]) -> None:
        """Give the properties of a database the options that a value has brought along."""
        if not options:
            return
        schema = dict(database["properties"])
        for name, new in options.items():
            spec = schema[name]
            listed = [*spec[spec["type"]]["options"], *({"name": option} for option in new)]
            schema[name] = {**spec, spec["type"]: {"options": listed}}
        self.patch("databases", database["id"], properties=schema)

    def _put_page(
        self,
        parent_type: str,
        parent_id: str,
        values: Values,
        blocks: list[Draft],
        by: str,
        at: str | None = None,
        **looks: Any,
    ) -> Record:
        """Make a page, or a row where the parent is a database."""
        page = self.put(
            "pages",
            id=self._hex_id(),
            title=values.title or "Untitled",
            parent_type=parent_type,
            parent_id=parent_id,
            properties=values.properties,
            **self._stamps(by, at),
            **looks,
        )
        self._adopt(parent_type, parent_id, page["id"])
        if parent_type == "database_id":
            self._learn(self._database(parent_id), values.options)
        if blocks:
            self._insert(Node("pages", page), blocks, by, at=at)
        return self._page(page["id"])

    def _put_database(
        self, title: str, schema: Mapping[str, Any], parent_type: str, parent_id: str, by: str, at: str | None = None
    ) -> Record:
        """Make a database without rows."""
        database = self.put(
            "databases",
            id=self._hex_id(),
            title=title,
            parent_type=parent_type,
            parent_id=parent_id,
            properties=self._with_ids(schema),
            **self._stamps(by, at),
        )
        self._adopt(parent_type, parent_id, database["id"])
        return database

    def _with_ids(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Properties of a database, with ids where they have none yet."""
        found = {}
        for name, spec in schema.items():
            new = "title" if spec["type"] == "title" else ""
            found[name] = {"id": spec.get("id") or new or f"p{self.world.code('notion_property', 7, HEX)}", **spec}
        return found


def _hyphened(given: str) -> str:
    """An id in its usual form: lower case, 8-4-4-4-12."""
    text = given.strip().lower().replace("-", "")
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}" if len(text) == 32 else given.strip()
