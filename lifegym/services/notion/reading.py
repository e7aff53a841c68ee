"""Looking at pages, databases, blocks, comments and users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from lifegym.services.notion.inventory import NotionInventory
from lifegym.services.notion.query import predicate, sort_rows
from lifegym.services.notion.tree import BOT, Node
from lifegym.services.search import Index
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["NotionReading"]

PageSize = Annotated[int, Field(ge=1, le=10_000)]
MOST_RESULTS = 200
MOST_BYTES = 150_000
MOST_COMMENTS = 100

ALIASES = {
    "addresses": "contacts",
    "budget": "money costs",
    "groceries": "shopping",
    "meetings": "minutes",
    "passwords": "logins",
    "recipe": "cooking",
    "tasks": "todo do",
    "todo": "tasks do",
    "todos": "tasks do",
    "vacation": "holiday",
}


class NotionReading(NotionInventory):
    """The tools that only look."""

    @tool(write=False)
    def get_self(self) -> dict[str, Any]:
        """Show the user as whom these tools write.

        Returns:
            The user: id, name, type (bot), bot.owner (the person it belongs to).
        """
        return self._user_object(self.users()[BOT])

    @tool(write=False)
    def get_user(self, user_id: str | None = None) -> dict[str, Any]:
        """Show a user of the workspace.

        Args:
            user_id: From get_users, or from created_by of a page, block or comment. Needed.

        Returns:
            The user: id, name, type (person or bot), person.email.

        Errors:
            missing_id: user_id was left out.
            not_found: There is no such user.
        """
        user = self.users().get(_given(user_id, "user_id"))
        if user is None:
            raise ToolError("not_found", f"there is no user {str(user_id)[:60]!r}; notion.get_users shows them")
        return self._user_object(user)

    @tool(write=False)
    def get_users(self) -> dict[str, Any]:
        """List the users of the workspace.

        Returns:
            results: users with id, name, type, person.email.
        """
        return {"object": "list", "results": [self._user_object(user) for user in self.users().values()]}

    @tool(write=False)
    def post_search(
        self,
        query: str | None = None,
        filter: dict[str, Any] | None = None,
        sort: dict[str, Any] | None = None,
        page_size: PageSize = 100,
        start_cursor: str | None = None,
    ) -> dict[str, Any]:
        """Find pages (rows of databases too) and databases by words of their titles; not by what is on them.

        Args:
            query: Words of the title; everything, the last edited first, if left out.
            filter: {"property": "object", "value": "page"} or "database"; both if left out.
            sort: {"timestamp": "last_edited_time", "direction": "descending"} or "ascending"; the best match first if
                left out.
            page_size: How many at most; an answer holds at most 200.
            start_cursor: next_cursor of the answer before.

        Returns:
            results: pages and databases with object, id, parent, properties (the title in it), url; next_cursor,
            has_more, total. What is in the trash is left out.

        Errors:
            bad_filter: filter has another form.
            bad_sort: sort has another form.
            bad_cursor: start_cursor is none of this list.
        """
        wanted = None if filter is None else filter.get("value")
        if filter is not None and wanted not in ("page", "database"):
            raise ToolError("bad_filter", 'filter is {"property": "object", "value": "page"} or "database"')
        direction = None if sort is None else sort.get("direction", "descending")
        if sort is not None and (
            direction not in ("ascending", "descending")
            or sort.get("timestamp", "last_edited_time") != "last_edited_time"
        ):
            raise ToolError("bad_sort", 'sort is {"timestamp": "last_edited_time", "direction": "descending"}')
        kinds: tuple[Literal["pages", "databases"], ...] = ("pages", "databases")
        if wanted is not None:
            kinds = kinds[:1] if wanted == "page" else kinds[1:]
        if query is not None and query.strip():
            index = self._titles()
            known = index.docs
            nodes = index.rank(
                query, ALIASES, among=lambda place: known[place].kind in kinds and self.live(known[place].row)
            )
        else:
            nodes = [Node(kind, row) for kind in kinds for row in self.all_live(kind)]
            direction = direction or "descending"
        if direction is not None:
            nodes.sort(key=lambda node: self.seconds(node.row["last_edited_time"]), reverse=direction == "descending")
        return self._listing(nodes, page_size, start_cursor)

    @tool(write=False)
    def retrieve_a_page(self, page_id: str) -> dict[str, Any]:
        """Show a page's title, properties and place; get_block_children(page_id) shows what is on it.

        Args:
            page_id: From post_search, post_database_query or a block of type child_page.

        Returns:
            The page: id, parent, properties (in a database all of the row's values), icon, cover, in_trash,
            created_time, last_edited_time, url.

        Errors:
            not_found: There is no such page.
        """
        return self._page_object(self._page(page_id))

    @tool(write=False)
    def retrieve_a_page_property(self, page_id: str, property_id: str) -> dict[str, Any]:
        """Show one property of a page.

        Args:
            page_id: From post_search or post_database_query.
            property_id: Id or name of the property.

        Returns:
            object (property_item), id, type and the value under its type.

        Errors:
            not_found: There is no such page, or it has no such property.
        """
        properties = self._properties(self._page(page_id))
        for name, value in properties.items():
            if property_id in (name, value["id"]):
                return {"object": "property_item", "name": name, **value}
        raise ToolError("not_found", f"the page has no property {property_id[:60]!r}; it has: {', '.join(properties)}")

    @tool(write=False)
    def retrieve_a_block(self, block_id: str) -> dict[str, Any]:
        """Show one block, without what is nested in it.

        Args:
            block_id: From get_block_children; the id of a page gives it as a block of type child_page.

        Returns:
            The block: id, parent, type, its content under its type, has_children, created_time, last_edited_time.

        Errors:
            not_found: There is no such block.
        """
        return self._block_object(self._any(block_id))

    @tool(write=False)
    def get_block_children(
        self, block_id: str, page_size: PageSize = 10000, start_cursor: str | None = None
    ) -> dict[str, Any]:
        """List what is directly on a page or nested in a block, in order.

        Args:
            block_id: Id of the page or block.
            page_size: How many at most; an answer holds at most 200, and fewer long ones.
            start_cursor: next_cursor of the answer before.

        Returns:
            results: blocks with id, type, content under the type, has_children (ask again with that id for what is
            nested); pages and databases as child_page and child_database with a title; next_cursor, has_more, total.

        Errors:
            not_found: There is no such page or block.
            wrong_parent: It is a database; post_database_query lists its rows.
            bad_cursor: start_cursor is none of this list.
        """
        node = self._any(block_id)
        if node.kind == "databases":
            raise ToolError("wrong_parent", "this is a database; list its rows with post_database_query")
        return self._listing(list(self.listed(node.row)), page_size, start_cursor, as_blocks=True)

    @tool(write=False)
    def retrieve_a_database(self, database_id: str | None = None) -> dict[str, Any]:
        """Show a database's title and the properties of its rows; post_database_query lists the rows.

        Args:
            database_id: From post_search or a block of type child_database. Needed.

        Returns:
            The database: id, title, parent, properties (name to id, type and settings such as options), in_trash, url.

        Errors:
            missing_id: database_id was left out.
            not_found: There is no such database.
        """
        return self._database_object(self._database(_given(database_id, "database_id")))

    @tool(write=False)
    def post_database_query(
        self,
        database_id: str,
        filter: dict[str, Any] | None = None,
        sorts: list[dict[str, Any]] | None = None,
        page_size: PageSize = 100,
        start_cursor: str | None = None,
    ) -> dict[str, Any]:
        """List the rows of a database, in the order in which they were made unless sorts says otherwise.

        Args:
            database_id: From post_search.
            filter: {"property": "Status", "select": {"equals": "Open"}}, {"property": "Due", "date": {"before":
                "2026-05-01"}}, {"timestamp": "created_time", "created_time": {"past_week": {}}}, or {"and": [...]},
                {"or": [...]}. Texts: equals, contains, starts_with and so on; numbers: equals, greater_than, less_than
                and so on; dates: equals, before, after, on_or_before, on_or_after; all: is_empty, is_not_empty.
            sorts: [{"property": "Due", "direction": "ascending"}]; the first counts most.
            page_size: How many at most; an answer holds at most 200, and fewer long ones.
            start_cursor: next_cursor of the answer before.

        Returns:
            results: pages with id, properties, url; next_cursor, has_more, total. Rows in the trash are left out.

        Errors:
            not_found: There is no such database.
            bad_filter: filter has another form, or a property that is named does not exist.
            bad_sort: sorts has another form.
            bad_cursor: start_cursor is none of this list.
        """
        database = self._database(database_id)
        schema, zone = database["properties"], self.world.zone
        test = None if not filter else predicate(filter, schema, self.today(), zone)
        rows = [node.row for node in self.listed(database) if test is None or test(node.row)]
        rows = sort_rows(rows, sorts or [], schema, zone)
        return self._listing([Node("pages", row) for row in rows], page_size, start_cursor)

    @tool(write=False)
    def retrieve_a_comment(self, block_id: str | None = None) -> dict[str, Any]:
        """List the comments on a page or block, oldest first.

        Args:
            block_id: Id of the page or block. Needed.

        Returns:
            results: the latest 100 comments with id, discussion_id (to answer with create_a_comment), rich_text,
            created_by, created_time; total.

        Errors:
            missing_id: block_id was left out.
            not_found: There is no such page or block.
        """
        key = self._any(_given(block_id, "block_id")).row["id"]
        found = [row for row in self.rows("comments") if row["parent_id"] == key]
        users = self.users()
        return {
            "object": "list",
            "results": [self._comment_object(row, users) for row in found[-MOST_COMMENTS:]],
            "total": len(found),
        }

    # -- inside --------------------------------------------------------------------------------------------------

    def _titles(self) -> Index[Node]:
        """All pages and databases by their titles, also what is in the trash."""
        pages, databases = self.table("pages"), self.table("databases")

        def build(rows: Iterable[Record]) -> Index[Node]:
            nodes = [Node("pages", row) for row in rows]
            return Index([*nodes, *(Node("databases", row) for row in databases.rows())], _title)

        return pages.derive("titles", build, databases)

    def _listing(
        self, nodes: Sequence[Node], page_size: int, start_cursor: str | None, as_blocks: bool = False
    ) -> dict[str, Any]:
        """One answer's worth of a list, which ends early where the texts are long.

        Raises:
            ToolError: ``bad_cursor``.
        """
        start = 0
        if start_cursor:
            start = next((index for index, node in enumerate(nodes) if node.row["id"] == start_cursor), -1)
            if start < 0:
                raise ToolError(
                    "bad_cursor", "start_cursor is the next_cursor of the answer before; leave it out to begin"
                )
        results: list[dict[str, Any]] = []
        size = 0
        for node in nodes[start : start + min(page_size, MOST_RESULTS)]:
            shape = self._block_object(node) if as_blocks else self._object(node)
            # A page outside of a database has nothing long in it.
            size += len(orjson.dumps(shape)) if node.kind == "blocks" or node.row["properties"] else 1000
            if results and size > MOST_BYTES:
                break
            results.append(shape)
        rest = nodes[start + len(results) : start + len(results) + 1]
        return {
            "object": "list",
            "results": results,
            "next_cursor": rest[0].row["id"] if rest else None,
            "has_more": bool(rest),
            "total": len(nodes),
        }


def _title(node: Node) -> tuple[tuple[str, float], ...]:
    return ((node.row["title"], 1.0),)


def _given(key: str | None, name: str) -> str:
    if not key:
        raise ToolError("missing_id", f"give {name}; notion.post_search and get_users show ids")
    return key
