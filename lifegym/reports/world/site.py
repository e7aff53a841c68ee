"""A world as a folder of pages that need nothing but a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lifegym.reports import render
from lifegym.reports.world import fields
from lifegym.reports.world.looking import WorldLook
from lifegym.reports.world.moment import Moment
from lifegym.reports.world.parts import Chat, Item, Message, Part
from lifegym.reports.world.services import view
from lifegym.services import catalogue
from lifegym.timeline import Scenario
from lifegym.world import World

__all__ = ["SCRIPTS", "conversation", "service_pages", "write"]

SCRIPTS = ("world.js",)
"""What the pages of a world need of JavaScript: folding rows and filtering tables."""


def service_pages(world: World) -> list[tuple[str, str]]:
    """The services of a world with their titles, the files first."""
    return [(name, catalogue.service_class(name).title) for name in ["workspace", *world.services]]


def conversation(moment: Moment, zone: str) -> Chat:
    """What the agent was told, and what it answered."""
    said = []
    for turn in moment.turns:
        opened = fields.moment(moment.world.iso(turn.opened), zone).text
        text = turn.text.partition("] ")[2] or turn.text
        said.append(Message(turn.kind.replace("_", " "), text, opened, note=f"stage {turn.stage}"))
        if turn.ended_by and turn.closed <= moment.world.now:
            closed = fields.moment(moment.world.iso(turn.closed), zone).text
            said.append(Message("assistant", turn.reply or "(no reply)", closed, True))
    return Chat(tuple(said), "What was said", "" if said else "Nothing yet.")


def write(folder: Path, scenario: Scenario, moment: Moment, title: str, agent: str = "") -> list[Path]:
    """Write a world's pages.

    Args:
        folder: Where to; it is created.
        scenario: The task's variant.
        moment: What is shown.
        title: Of the task.
        agent: Who played until then; "" where nobody did.

    Returns:
        The files, the overview first.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = service_pages(moment.world)
    look = WorldLook(moment.world)
    common: dict[str, Any] = {
        "task": scenario.task,
        "title": title,
        "moment": moment,
        "now": fields.moment(moment.world.iso(), moment.world.zone).text,
        "variant": scenario.variant if scenario.variant == "canonical" else f"{scenario.variant} {scenario.seed}",
        "agent": agent,
        "pages": pages,
        "press": None,
        "focused": None,
    }
    first = render.page(
        "world_index.html",
        SCRIPTS,
        **common,
        page="",
        heading="",
        opened=None,
        person=moment.world.owner_name,
        briefing=scenario.briefing,
        said=conversation(moment, moment.world.zone),
    )
    written = [_put(folder / "index.html", first)]
    for service, name in pages:
        made = view(service)

        def opened(item: Item) -> list[Part]:
            return view(item.service).open(look, item)

        text = render.page(
            "world_service.html",
            SCRIPTS,
            **common,
            page=service,
            heading=name,
            hint=made.hint,
            shown=made.page(look),
            opened=opened,
        )
        written.append(_put(folder / f"{service}.html", text))
    return written


def _put(file: Path, text: str) -> Path:
    file.write_text(text, encoding="utf-8", newline="\n")
    return file
