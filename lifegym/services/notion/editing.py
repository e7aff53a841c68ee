"""Changing what is on a page: its blocks."""

from __future__ import annotations

from typing import Any

from lifegym.services.notion.blocks import LEAVES, content_of, drafts, width
from lifegym.services.notion.reading import NotionReading
from lifegym.services.notion.tree import BOT, Node
from lifegym.services.tools import ToolError, tool

__all__ = ["NotionEditing"]


class NotionEditing(NotionReading):
    """The tools that add, change and delete blocks."""

    @tool(write=True)
    def patch_block_children(
        self, block_id: str, children: list[dict[str, Any] | str], after: str | None = None
    ) -> dict[str, Any]:
        """Add blocks to a page or into a block.

        Args:
            block_id: Id of the page or block.
            children: Blocks: [{"type": "heading_2", "heading_2": {"rich_text": [{"type": "text", "text": {"content":
                "Title"}}]}}]. Shorter forms: {"paragraph": {"rich_text": "text"}}, or "text" for a paragraph. Types:
                paragraph, heading_1, heading_2, heading_3, bulleted_list_item, numbered_list_item, to_do (with
                "checked"), toggle, quote, callout, code, divider, bookmark, table (its children: table_row with
                "cells"). Nested blocks stand under "children". At most 300 at once, 4,000 characters each.
            after: Id of the child after which they are put; at the end if left out.

        Returns:
            results: the new blocks (those directly in it) with their ids.

        Errors:
            not_found: There is no such page or block, or after is no child of it.
            wrong_parent: It is a database; post_page makes its rows.
            in_trash: It is in the trash.
            bad_block: A block has another form, or nothing can be nested there; the message says which and how.
            too_many: The page or block is full.
        """
        node = self._any(block_id)
        if node.kind == "databases":
            raise ToolError("wrong_parent", 'rows are made with post_page and parent {"database_id": "..."}')
        self._check_live(node.row)
        kind = node.row.get("type", "")
        if kind in LEAVES:
            raise ToolError(
                "bad_block", f"nothing can be nested in a block of type {kind}; use the id of what it is in"
            )
        blocks = drafts(children, parent=kind)
        if not blocks:
            raise ToolError("bad_block", "children is empty; give at least one block")
        if kind == "table":
            width(blocks, "children", node.row["content"]["table_width"])
        self._check_room(node.row, len(blocks))
        if after is not None:
            found = self.node(after)
            if found is None or found.row["id"] not in node.row["children"]:
                raise ToolError("not_found", "after is no child of that page or block; get_block_children shows them")
            after = found.row["id"]
        made = self._insert(node, blocks, BOT, after)
        return {"object": "list", "results": [self._block_object(self._any(key)) for key in made], "total": len(made)}

    @tool(write=True)
    def update_a_block(
        self,
        block_id: str,
        paragraph: dict[str, Any] | None = None,
        heading_1: dict[str, Any] | None = None,
        heading_2: dict[str, Any] | None = None,
        heading_3: dict[str, Any] | None = None,
        bulleted_list_item: dict[str, Any] | None = None,
        numbered_list_item: dict[str, Any] | None = None,
        to_do: dict[str, Any] | None = None,
        toggle: dict[str, Any] | None = None,
        quote: dict[str, Any] | None = None,
        callout: dict[str, Any] | None = None,
        code: dict[str, Any] | None = None,
        archived: bool | None = None,
        type: str | None = None,
        table_row: dict[str, Any] | None = None,
        bookmark: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Change what a block says, under the name of its own type. The type itself cannot be changed.

        Args:
            block_id: From get_block_children.
            paragraph: For a paragraph: {"rich_text": "new text"} or {"rich_text": [{"text": {"content": "new text"}}]}.
            heading_1: For a heading, in the same form.
            heading_2: For a heading.
            heading_3: For a heading.
            bulleted_list_item: For an item of a list with bullets.
            numbered_list_item: For an item of a numbered list.
            to_do: For a to-do: {"rich_text": "...", "checked": true}; either may be left out.
            toggle: For a toggle.
            quote: For a quote.
            callout: For a callout.
            code: For code: {"rich_text": "...", "language": "python"}.
            archived: true deletes the block, as delete_a_block does.
            type: Type of the block, if you want it checked.
            table_row: For a row of a table: {"cells": [["a"], ["b"]]}, all cells.
            bookmark: For a bookmark: {"url": "..."}.

        Returns:
            The block as it is now.

        Errors:
            not_found: There is no such block.
            in_trash: It is in the trash.
            wrong_type: The block has another type than the one given; the message says which.
            bad_block: The content has another form, or more than one was given.
            nothing_to_change: No change was given.
        """
        given = {
            "paragraph": paragraph, "heading_1": heading_1, "heading_2": heading_2, "heading_3": heading_3,
            "bulleted_list_item": bulleted_list_item, "numbered_list_item": numbered_list_item, "to_do": to_do,
            "toggle": toggle, "quote": quote, "callout": callout, "code": code, "table_row": table_row,
            "bookmark": bookmark,
        }  # fmt: skip
        contents = {kind: content for kind, content in given.items() if content is not None}
        node = self._any(block_id)
        self._check_live(node.row)
        own = node.row["type"] if node.kind == "blocks" else f"child_{node.kind[:-1]}"
        for kind in [*contents, *([type] if type is not None else [])]:
            if kind != own:
                raise ToolError(
                    "wrong_type",
                    f"this block is a {own}, not a {kind[:40]}; "
                    + (
                        "change it with patch_page"
                        if own == "child_page"
                        else f"give {own}=..., or delete it and add another"
                    ),
                )
        if archived:
            return self._delete(node)
        if not contents:
            raise ToolError("nothing_to_change", f"give the new content as {own}={{...}}, or archived=true")
        if "children" in contents[own]:
            raise ToolError("bad_block", "nested blocks are added with patch_block_children")
        old = node.row["content"]
        content = content_of(own, contents[own], own, old)
        if own == "table_row" and len(content["cells"]) != len(old["cells"]):
            raise ToolError("bad_block", f"the rows of this table have {len(old['cells'])} cells")
        changed = self.patch("blocks", node.row["id"], content=content, **self._edited(BOT))
        self._touch(changed, BOT)
        return self._block_object(Node("blocks", changed))

    @tool(write=True)
    def delete_a_block(self, block_id: str) -> dict[str, Any]:
        """Delete a block with all that is nested in it. A page or database is put into the trash instead.

        Args:
            block_id: From get_block_children, or the id of a page or database.

        Returns:
            The block as it was, with archived and in_trash true.

        Errors:
            not_found: There is no such block.
            in_trash: It is in the trash already.
        """
        node = self._any(block_id)
        self._check_live(node.row)
        return self._delete(node)

    # -- inside --------------------------------------------------------------------------------------------------

    def _delete(self, node: Node) -> dict[str, Any]:
        shape = {**self._block_object(node), "archived": True, "in_trash": True}
        self._touch(node.row, BOT)
        if node.kind == "blocks":
            self._remove(node.row)
        else:
            self.patch(node.kind, node.row["id"], in_trash=True)
        return shape
