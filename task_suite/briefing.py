"""What an agent is told at the beginning: the rules of the game, the person, the services and the files."""

from __future__ import annotations

import datetime as dt

from lifegym.services import catalogue
from lifegym.task_suite.schema import TaskFile
from lifegym.world import World, clock

__all__ = ["compose"]

_RULES = """\
You look after {name}'s affairs from {first} to {last}. Time is virtual: it moves a second with each call and jumps \
when you end a turn.

A turn begins when something reaches you: a message from {name}, a notification, something you can see happening, or a \
reminder or alert that you set. Make as many calls as the turn needs, then end it: assistant.reply(text) speaks \
to {name}, assistant.wait() says nothing. Much changes without anybody telling you: look again before you rely on what \
you once saw. You remember only what you keep; the workspace, the calendar and the notes last.

{about}

Read these first: the files in the workspace, above all USER.md, POLICY.md and HANDBOOK.md where they exist."""


def compose(meta: TaskFile, world: World, about: str) -> str:
    """The briefing of a task's world."""
    last = world.start + dt.timedelta(days=meta.days - 1)
    rules = _RULES.format(
        name=world.owner_name,
        first=f"{clock.weekday(world.start)} {world.start.isoformat()}",
        last=f"{clock.weekday(last)} {last.isoformat()}",
        about=about.strip(),
    )
    titles = ", ".join(f"{name} ({catalogue.service_class(name).title.lower()})" for name in meta.services)
    files = ", ".join(world.workspace.paths())
    return (
        f"{rules}\n\n{world.owner_name}'s user id: {world.owner}. Times without a zone are {meta.zone}.\n"
        f"Services: {titles}.\nFiles: {files}."
    )
