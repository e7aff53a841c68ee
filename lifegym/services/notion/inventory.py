"""Believable filling for a workspace, and short ways to write the pages and databases that a task is about."""

from __future__ import annotations

import random
from typing import Any

from lifegym.services.notion.blocks import Draft, drafts
from lifegym.services.notion.objects import NotionObjects
from lifegym.services.notion.richtext import run
from lifegym.services.notion.schema import new_schema
from lifegym.services.notion.tree import Values
from lifegym.services.tools import generator
from lifegym.world import clock

__all__ = ["NotionInventory"]

_PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "Reading list": ("📚", ("The salt roads", "A field guide to clouds", "Letters from the harbour", "Slow rivers")),
    "Recipes": ("🍲", ("Lentil soup: 40 minutes", "Dumplings: fold twice", "Plum cake: 180 degrees", "Quick pickles")),
    "Flat": ("🏠", ("Meter is behind the hall door", "Filter every three months", "Paint: warm white 03", "Spare key")),
    "Gifts": ("🎁", ("Scarf", "Concert tickets", "Tea set", "Garden gloves")),
    "Health notes": ("🩺", ("Check-up every spring", "Glasses since March", "Dentist asks for x-ray")),
    "Garden": ("🌱", ("Tomatoes out after frost", "Cut the hedge in June", "Compost full", "Order seeds")),
    "Films to see": ("🎬", ("The long ferry", "Nine lanterns", "A winter in Bergen", "The clockmaker")),
    "Work notes": ("🗒️", ("Ask about the archive", "Template is in the shared drive", "Budget freeze in autumn")),
    "Meeting minutes": ("📝", ("Decided: one newsletter", "Open: room booking", "Next meeting in two weeks")),
    "Car": ("🚗", ("Tyres changed in October", "Inspection due next year", "Insurance in the blue folder")),
    "Holiday ideas": ("🏝️", ("Lake with a sauna", "Night train south", "Cycling along the canal")),
    "Language class": ("🗣️", ("Unit 7: ordering food", "Irregular verbs", "Homework on page 52")),
    "Shopping": ("🛒", ("Rice", "Washing powder", "Light bulbs E14", "Oats")),
    "School": ("🎒", ("Trip money by Friday", "Parents' evening in May", "New sports shoes")),
}


class NotionInventory(NotionObjects):
    """Generators of pages and databases that were there before the window."""

    @generator
    def page(
        self,
        rng: random.Random,
        title: str,
        sections: dict[str, list[str]],
        parent_title: str | None = None,
        icon: str | None = None,
    ) -> None:
        """A page with a heading for each section and a paragraph for each line; nothing if there is one of that title.

        Args:
            rng: Decides when it was written.
            title: Its title.
            sections: Heading to lines; lines under "" stand before the first heading.
            parent_title: The page that it is in; the top of the workspace if left out.
            icon: An emoji.

        Raises:
            ValueError: There is no parent of that title.
        """
        blocks: list[Draft] = []
        for heading, lines in sections.items():
            if heading:
                blocks.append(Draft("heading_2", {"rich_text": [run(heading)], "is_toggleable": False}, []))
            blocks.extend(drafts(list(lines), f"section {heading!r}"))
        self._old_page(rng, title, blocks, parent_title, icon)

    @generator
    def database(
        self,
        rng: random.Random,
        title: str,
        properties: dict[str, Any],
        rows: list[dict[str, Any]],
        parent_title: str | None = None,
    ) -> None:
        """A database with rows; nothing if there is one of that title.

        Args:
            rng: Decides when it was written.
            title: Its title.
            properties: Name to type: ``{"Name": "title", "Score": "number"}``, or as for create_a_database.
            rows: Property name to value: ``{"Name": "Emeka rota", "Score": 4}``, or as for post_page.
            parent_title: The page that it is in; the top of the workspace if left out.

        Raises:
            ValueError: There is no parent of that title.
        """
        if self.titled("databases", title) is not None:
            return
        at, by = self._past(rng), self.world.owner
        parent_type, parent_id = self._place(parent_title)
        database = self._put_database(title, new_schema(properties), parent_type, parent_id, by, at)
        for row in rows:
            values = self._values(self._database(database["id"])["properties"], row)
            self._put_page("database_id", database["id"], values, [], by, at)

    @generator
    def notes(self, rng: random.Random, pages: int = 10, lines: int = 6) -> None:
        """Everyday pages: lists, recipes, minutes. Beyond the fourteen titles there are, they are numbered."""
        titles = list(_PAGES)
        rng.shuffle(titles)
        for number in range(pages):
            title = titles[number % len(titles)]
            icon, stock = _PAGES[title]
            kind = rng.choice(("paragraph", "bulleted_list_item", "to_do"))
            chosen = [rng.choice(stock) for _ in range(rng.randint(2, max(2, lines)))]
            blocks = drafts([{kind: {"rich_text": line}} for line in dict.fromkeys(chosen)])
            part = number // len(titles)
            self._old_page(rng, f"{title} {part + 1}" if part else title, blocks, None, icon)

    # -- inside --------------------------------------------------------------------------------------------------

    def _old_page(
        self, rng: random.Random, title: str, blocks: list[Draft], parent_title: str | None, icon: str | None
    ) -> None:
        if self.titled("pages", title) is not None:
            return
        parent_type, parent_id = self._place(parent_title)
        look = {"type": "emoji", "emoji": icon} if icon else None
        values = Values(title, {}, {})
        self._put_page(parent_type, parent_id, values, blocks, self.world.owner, self._past(rng), icon=look)

    def _place(self, parent_title: str | None) -> tuple[str, str]:
        if parent_title is None:
            return "workspace", ""
        parent = self.titled("pages", parent_title)
        if parent is None:
            raise ValueError(f"there is no page {parent_title!r} to put this into; generate it before")
        return "page_id", parent["id"]

    def _past(self, rng: random.Random) -> str:
        """Some moment in the months before the window."""
        begin = clock.day_start(self.world.start, self.world.zone)
        return self.world.iso(begin - rng.randint(5, 150) * clock.DAY + rng.randint(8 * 60, 21 * 60) * clock.MINUTE)
