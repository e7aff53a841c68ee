"""What the pages of a session show: the turn, a service with its forms, the score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from lifegym.reports import render
from lifegym.reports.world import fields as shown
from lifegym.reports.world.moment import Moment
from lifegym.reports.world.parts import Item, Part
from lifegym.reports.world.records import record
from lifegym.reports.world.services import view
from lifegym.reports.world.site import SCRIPTS, conversation, service_pages
from lifegym.services import catalogue
from lifegym.services.tools import ToolSpec
from lifegym.web.forms import Field, fields
from lifegym.web.session import Done, Session

__all__ = ["Kept", "Pages"]

_ALL_SCRIPTS = (*SCRIPTS, "play.js")


class Kept(NamedTuple):
    """What a page that answers a form keeps of it: what was typed, and what is said of it."""

    tool: str = ""
    typed: Mapping[str, str] = {}
    problems: Mapping[str, str] = {}
    reply: str = ""
    note: str = ""


def _brief(done: Done) -> str:
    """A call's arguments on a line."""
    told = {
        name: value if isinstance(value, str) else orjson.dumps(value).decode()
        for name, value in done.arguments.items()
    }
    text = ", ".join(f"{name}={value}" for name, value in told.items())
    return text if len(text) <= 160 else f"{text[:160]} …"


class Form(NamedTuple):
    """A tool's form: the tool, its fields, and whether it is unfolded."""

    spec: ToolSpec
    fields: list[Field]
    open: bool


class Pages:
    """The pages of a session.

    Args:
        session: What is played.
        token: What each form carries.
    """

    def __init__(self, session: Session, token: str) -> None:
        self.session = session
        self.token = token
        self.titles = dict(service_pages(session.world))
        self.services = tuple(self.titles)
        self.tool_names = [
            name for name in catalogue.tool_names(session.world.services) if not name.startswith("assistant.")
        ]

    def turn(self, kept: Kept = Kept()) -> str:
        """The start page: what has happened, what was done in this turn, and how to end it; the score at the end."""
        session = self.session
        turns = session.episode.history.turns
        current = turns[-1]
        done = [one for one in session.done if one.turn == current.number]
        moment = Moment(session.world, current.stage, tuple(turns), len(session.done), "")
        before = conversation(moment._replace(turns=moment.turns if session.over else moment.turns[:-1]), self._zone)
        if session.over:
            score, evaluation = session.episode.score(), session.episode.evaluation()
            return self._page(
                "play_score.html", "", kept, score=score, evaluation=evaluation, before=before, out=session.out
            )
        return self._page(
            "play_turn.html",
            "",
            kept,
            current=current,
            text=current.text.partition("] ")[2] or current.text,
            opened_at=shown.moment(session.world.iso(current.opened), self._zone).text,
            briefing=session.scenario.briefing,
            before=before,
            done=[(one, _brief(one), self._outcome(one)) for one in done],
            cap=session.episode.calls_cap,
        )

    def service(self, service: str, kept: Kept = Kept()) -> str:
        """A service: what was last seen of it, and a form for each of its tools."""
        session = self.session
        looked = session.looked(service)
        last = session.last
        mine = last is not None and last.tool.startswith(f"{service}.") and last.turn == self._turn
        forms = [
            Form(spec, fields(spec, session.world.owner), spec.name == kept.tool)
            for spec in catalogue.tools_of(service).values()
        ]
        return self._page(
            "play_service.html",
            service,
            kept,
            heading=self.titles[service],
            hint=view(service).hint,
            looked=looked,
            looked_at=shown.moment(looked.time, self._zone).text if looked else "",
            old=looked is not None and looked.version < session.version,
            has_list=bool(view(service).parts),
            last=last if mine else None,
            outcome=self._outcome(last) if mine and last else [],
            reading=[form for form in forms if not form.spec.write],
            writing=[form for form in forms if form.spec.write],
        )

    def message(self, status: str, text: str) -> str:
        """A page that says why something was not done."""
        return render.page("play_message.html", (), status=status, message=text)

    # -- parts ---------------------------------------------------------------------------------------------------

    @property
    def _zone(self) -> str:
        return self.session.world.zone

    @property
    def _turn(self) -> int:
        return len(self.session.episode.history.turns) - 1

    def _outcome(self, done: Done) -> list[Part]:
        """What a call of a form gave, as parts; what was looked at is on its page."""
        result, service = done.step.result, done.tool.partition(".")[0]
        if not isinstance(result, dict) or done.step.kind != "result" or done.looking:
            return []
        return record(result, self._zone, opens=lambda row: view(service).item_of(service, row))

    def _opened(self, item: Item) -> list[Part] | None:
        looked = self.session.looked(item.service, item.kind, item.key)
        return looked.parts if looked else None

    def _focused(self, item: Item) -> bool:
        """Whether an item is what was opened last."""
        focus = self.session.focus
        return focus is not None and item[:3] == focus[:3]

    def _state(self, service: str) -> str:
        """Whether a page was looked at: ``new``, ``old`` or ``seen``."""
        looked = self.session.looked(service)
        return "new" if looked is None else "old" if looked.version < self.session.version else "seen"

    def _page(self, template: str, service: str, kept: Kept, **values: Any) -> str:
        session = self.session
        common = {
            "task": session.task.id,
            "title": session.task.title,
            "variant": session.scenario.variant,
            "now": shown.moment(session.world.iso(), self._zone).text,
            "stage": session.episode.scenario.stages[min(session.episode.stage, len(session.scenario.stages) - 1)].id,
            "calls": sum(done.turn == self._turn for done in session.done),
            "pages": [(name, title, self._state(name)) for name, title in self.titles.items()],
            "page": service,
            "heading": "",
            "press": {"token": self.token, "step": session.steps},
            "opened": self._opened,
            "focused": self._focused,
            "kept": kept,
            "over": session.over,
            "out": session.out,
            "owner": session.world.owner_name,
        }
        return render.page(template, _ALL_SCRIPTS, **{**common, **values})
