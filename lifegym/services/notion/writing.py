"""Making and changing pages, databases and comments."""

from __future__ import annotations

from typing import Any

from lifegym.services.notion.blocks import drafts, looks
from lifegym.services.notion.editing import NotionEditing
from lifegym.services.notion.properties import title_text
from lifegym.services.notion.richtext import rich_text
from lifegym.services.notion.schema import changed_schema, new_schema
from lifegym.services.notion.tree import BOT
from lifegym.services.tools import ToolError, tool
from lifegym.world.record import Record

__all__ = ["Notion"]


class Notion(NotionEditing):
    """Pages of notes, databases with rows, comments. Texts may be given as plain strings or as rich text."""

    # -- pages ---------------------------------------------------------------------------------------------------

    @tool(write=True)
    def post_page(
        self,
        parent: dict[str, Any],
        properties: dict[str, Any] | None = None,
        icon: dict[str, Any] | None = None,
        cover: dict[str, Any] | None = None,
        children: list[dict[str, Any] | str] | None = None,
    ) -> dict[str, Any]:
        """Make a page, in another page or as a row of a database.

        Args:
            parent: {"page_id": "..."}, {"database_id": "..."} or {"type": "workspace", "workspace": true}.
            properties: In a page: {"title": "My page"} or {"title": [{"text": {"content": "My page"}}]}. In a database
                its properties, e.g. {"Name": {"title": [{"text": {"content": "Row"}}]}, "Score": {"number": 4}}.
            icon: {"type": "emoji", "emoji": "..."} or {"type": "external", "external": {"url": "..."}}.
            cover: {"type": "external", "external": {"url": "..."}}.
            children: Blocks, as in patch_block_children.

        Returns:
            The page with its id, as in retrieve_a_page.

        Errors:
            bad_parent: parent has another form.
            not_found: There is no such parent.
            in_trash: The parent is in the trash.
            bad_property: A property does not exist or has another form; the message says which are there.
            bad_block: A block has another form; the message says which and how it is written.
            bad_icon: icon or cover has another form.
            too_many: The parent is full.
        """
        kind, row = self._parent(parent, ("page_id", "database_id", "workspace"))
        schema = row["properties"] if row is not None and kind == "database_id" else None
        if row is not None:
            self._check_live(row)
            self._check_room(row)
        values = self._values(schema, properties or {})
        blocks = drafts(children or [])
        page = self._put_page(kind, row["id"] if row is not None else "", values, blocks, BOT, **looks(icon, cover))
        return self._page_object(page)

    @tool(write=True)
    def patch_page(
        self,
        page_id: str,
        properties: dict[str, Any] | None = None,
        icon: dict[str, Any] | None = None,
        cover: dict[str, Any] | None = None,
        archived: bool | None = None,
        in_trash: bool | None = None,
    ) -> dict[str, Any]:
        """Change a page's title, properties, icon or cover, or put it into the trash or take it out again.

        What is on the page is changed with update_a_block, patch_block_children and delete_a_block.

        Args:
            page_id: From post_search or post_database_query.
            properties: The properties to change, as in post_page; the others stay.
            icon: As in post_page.
            cover: As in post_page.
            archived: The same as in_trash.
            in_trash: true puts the page with all that is in it into the trash, false takes it out.

        Returns:
            The page as it is now.

        Errors:
            not_found: There is no such page.
            in_trash: The page, or what it is in, is in the trash.
            bad_property: A property does not exist or has another form.
            bad_icon: icon or cover has another form.
            nothing_to_change: No change was given.
        """
        page = self._page(page_id)
        trash = archived if in_trash is None else in_trash
        appearance = looks(icon, cover)
        if trash is None and not properties and not appearance:
            raise ToolError("nothing_to_change", "give properties, icon, cover or in_trash")
        if trash is not False:
            self._check_live(page)
        elif page["parent_type"] != "workspace":
            self._check_live(self._any(page["parent_id"]).row)
        database = self.find("databases", page["parent_id"]) if page["parent_type"] == "database_id" else None
        values = self._values(database["properties"] if database is not None else None, properties or {})
        changed = self.patch(
            "pages",
            page["id"],
            title=values.title or page["title"],
            properties={**page["properties"], **values.properties},
            in_trash=page["in_trash"] if trash is None else trash,
            **appearance,
            **self._edited(BOT),
        )
        if database is not None:
            self._learn(database, values.options)
        return self._page_object(changed)

    # -- databases -----------------------------------------------------------------------------------------------

    @tool(write=True)
    def create_a_database(
        self, parent: dict[str, Any] | None = None, title: Any = None, properties: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Make a database in a page, or at the top of the workspace.

        Args:
            parent: {"page_id": "..."}; the top of the workspace if left out.
            title: Its title: "Candidates" or [{"text": {"content": "Candidates"}}].
            properties: Name to type: {"Name": {"title": {}}, "Rent": {"number": {}}, "State": {"select": {"options":
                [{"name": "open"}]}}}. Types: title, rich_text, number, select, multi_select, status, date, people,
                checkbox, url, email, phone_number, created_time, last_edited_time. A title is added if there is none.

        Returns:
            The database with its id, as in retrieve_a_database.

        Errors:
            bad_parent: parent has another form.
            not_found: There is no such page.
            in_trash: The page is in the trash.
            bad_property: A property or the title has another form, or there is more than one title or too many.
            too_many: The page is full.
        """
        kind, row = ("workspace", None) if parent is None else self._parent(parent, ("page_id", "workspace"))
        if row is not None:
            self._check_live(row)
            self._check_room(row)
        name = title_text([] if title is None else title)
        database = self._put_database(
            name, new_schema(properties or {}), kind, row["id"] if row is not None else "", BOT
        )
        return self._database_object(database)

    @tool(write=True)
    def update_a_database(
        self, database_id: str | None = None, title: Any = None, properties: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Change a database's title or the properties of its rows.

        Args:
            database_id: From post_search. Needed.
            title: New title.
            properties: By name: a new property as in create_a_database, {"name": "New"} to rename one, more options
                for a select, or null to remove a property with its values. Types cannot be changed.

        Returns:
            The database as it is now.

        Errors:
            missing_id: database_id was left out.
            not_found: There is no such database.
            in_trash: It is in the trash.
            bad_property: A property has another form or type, a name is taken, or the title would be lost or doubled.
            nothing_to_change: No change was given.
        """
        if not database_id:
            raise ToolError("missing_id", "give database_id; notion.post_search shows ids")
        database = self._database(database_id)
        self._check_live(database)
        if title is None and not properties:
            raise ToolError("nothing_to_change", "give title or properties")
        name = database["title"] if title is None else title_text(title)
        schema, names = changed_schema(database["properties"], properties or {})
        schema = self._with_ids(schema)
        changed = self.patch("databases", database["id"], title=name, properties=schema, **self._edited(BOT))
        for key in database["children"] if names else ():
            page = self._page(key)
            kept = {names.get(old, old): value for old, value in page["properties"].items()}
            self.patch("pages", key, properties={new: value for new, value in kept.items() if new})
        return self._database_object(changed)

    # -- comments ------------------------------------------------------------------------------------------------

    @tool(write=True)
    def create_a_comment(
        self, parent: dict[str, Any] | None = None, discussion_id: str | None = None, rich_text: Any = None
    ) -> dict[str, Any]:
        """Comment on a page or block, or answer in a discussion.

        Args:
            parent: {"page_id": "..."} or {"block_id": "..."}, to begin a discussion.
            discussion_id: From retrieve_a_comment, to answer. Either this or parent.
            rich_text: The text: "..." or [{"text": {"content": "..."}}]. Needed.

        Returns:
            The comment with its id and discussion_id.

        Errors:
            bad_parent: parent has another form, or both or neither of parent and discussion_id were given.
            not_found: There is no such page, block or discussion.
            in_trash: What it is about is in the trash.
            bad_rich_text: The text is missing or has another form.
        """
        if (parent is None) == (discussion_id is None):
            raise ToolError("bad_parent", 'give either parent, {"page_id": "..."}, or discussion_id')
        runs = _comment_text(rich_text)
        if parent is not None:
            kind, row = self._parent(parent, ("page_id", "block_id"))
        else:
            first = next((one for one in self.rows("comments") if one["discussion_id"] == discussion_id), None)
            if first is None:
                raise ToolError(
                    "not_found", "there is no such discussion; notion.retrieve_a_comment shows discussion_id"
                )
            kind, row = first["parent_type"], self._any(first["parent_id"]).row
        assert row is not None  # only the workspace has no row, and it takes no comments
        self._check_live(row)
        key = self._put_comment(kind, row["id"], runs, BOT, discussion_id or "")
        return self._comment_object(self.get("comments", key, "comment"), self.users())

    # -- inside --------------------------------------------------------------------------------------------------

    def _parent(self, given: dict[str, Any], allowed: tuple[str, ...]) -> tuple[str, Record | None]:
        """What a parent names: its type, and its record unless it is the workspace.

        Raises:
            ToolError: ``bad_parent``, ``not_found``.
        """
        named = [kind for kind in ("page_id", "database_id", "block_id", "workspace") if given.get(kind)]
        if not named and given.get("type") == "workspace":
            named = ["workspace"]
        forms = " or ".join(
            '{"workspace": true}' if kind == "workspace" else f'{{"{kind}": "..."}}' for kind in allowed
        )
        if len(named) != 1 or named[0] not in allowed:
            raise ToolError("bad_parent", f"parent is {forms}")
        kind = named[0]
        if kind == "workspace":
            return kind, None
        key = given[kind]
        if not isinstance(key, str):
            raise ToolError("bad_parent", f"parent is {forms}, with an id as text")
        if kind == "page_id":
            return kind, self._page(key)
        if kind == "database_id":
            return kind, self._database(key)
        node = self._any(key)
        # A page can be named as a block; what is on it is still on the page.
        return ("page_id" if node.kind == "pages" else "block_id"), node.row


def _comment_text(given: Any) -> list[dict[str, Any]]:
    runs = rich_text([] if given is None else given, "rich_text", "bad_rich_text")
    if not runs:
        raise ToolError("bad_rich_text", "rich_text is the comment's text; give at least one character")
    return runs
