"""What a check can look at: records, files, pages, mails, replies, calls, turns and events, at one moment."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lifegym.checks.artifacts import Artifact, read_rows
from lifegym.checks.budget import shown, spend
from lifegym.checks.expressions import ExpressionError, Missing, plain
from lifegym.checks.functions import EVIDENCE
from lifegym.checks.kept import Kept, Names
from lifegym.checks.operations import equal
from lifegym.checks.values import FUNCTIONS
from lifegym.history import History, LoggedCall, Turn
from lifegym.services import catalogue
from lifegym.services.search import fold
from lifegym.services.tools import ToolError
from lifegym.world import clock
from lifegym.world.table import RecordTable
from lifegym.world.world import World

if TYPE_CHECKING:
    from lifegym.timeline import Scenario


@lru_cache(maxsize=256)
def _tables(services: tuple[str, ...]) -> frozenset[str]:
    """The tables of a world with these services."""
    return frozenset(catalogue.world_keys(services))


_READ_STEPS = 200
"""What a read of a service takes from the budget of an expression."""

__all__ = ["Evidence", "FileEvidence"]


class _Scope(dict[str, Any]):
    """Names set so far; the others are looked up when they are asked for, since an expression needs few of them."""

    __slots__ = ("_evidence",)

    def __init__(self, evidence: Evidence) -> None:
        super().__init__()
        self._evidence = evidence

    def __missing__(self, name: str) -> Any:
        if name == "p":
            value: Any = self._evidence.scenario.params
        elif name in FUNCTIONS:
            value = FUNCTIONS[name]
        elif name in EVIDENCE:
            value = getattr(self._evidence, name)
        else:
            raise KeyError(name)
        self[name] = value
        return value


class FileEvidence:
    """A workspace file: its ``text``, when it was ``written``, and its typed ``rows`` if it is an artifact."""

    readable_fields = ("lines", "rows", "text", "written")
    __slots__ = ("_artifact", "_path", "text", "written")

    def __init__(self, path: str, text: str, written: dt.datetime, artifact: Artifact | None) -> None:
        self._path = path
        self._artifact = artifact
        self.text = text
        self.written = written

    @property
    def rows(self) -> list[Any]:
        """The rows, typed as the artifact says. Missing if the file does not read as one."""
        if self._artifact is None:
            raise ExpressionError(f"{self._path} is not declared under artifacts, so it has no rows")
        try:
            return read_rows(self._artifact, self.text)
        except Missing as error:
            raise Missing(f"{self._path}: {error}") from None

    @property
    def lines(self) -> list[str]:
        """The lines that are not empty."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        spend(len(lines) + (len(self.text) >> 6))
        return lines

    def __repr__(self) -> str:
        return f"file({self._path!r})"


class Evidence:
    """One moment of an episode, as the functions of the check language see it.

    Args:
        scenario: What is played.
        world: Its state at the moment; never changed through this object.
        history: What happened up to the moment.
        kept: What former moments of the episode left.
    """

    def __init__(self, scenario: Scenario, world: World, history: History, kept: Kept | None = None) -> None:
        self.scenario: Scenario = scenario
        self.world: World = world
        self.history: History = history
        self.kept = kept or Kept()
        self._names: Names | None = None

    def scope(self) -> dict[str, Any]:
        """Everything that an expression may name: ``p``, the pure functions, and the evidence. Add to it freely."""
        return _Scope(self)

    @property
    def names(self) -> Names:
        """The shared names, for all checks that are decided at this moment."""
        if self._names is None:
            self._names = Names(self, _Scope(self), self.kept)
        return self._names

    def rest(self) -> None:
        """Let go of what can be made again, once nothing more is decided here."""
        if self._names is not None:
            self._names.clear()
            self._names = None

    def __getstate__(self) -> dict[str, Any]:
        return {"scenario": self.scenario, "world": self.world, "history": self.history}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)  # type: ignore[misc]

    def _instant(self, seconds: int) -> dt.datetime:
        return clock.local(seconds, self.scenario.zone)

    def _seconds(self, value: Any) -> int:
        """Seconds of an instant, a moment such as ``D+3 09:30``, or the id of an event (when it happened)."""
        if isinstance(value, dt.datetime):
            return int(value.timestamp())
        if isinstance(value, str):
            if value in self.scenario.events:
                fired = self.history.fired.get(value)
                return fired.at if fired else self.scenario.events[value].at
            if value.startswith("D+"):
                return clock.moment(value, self.scenario.start, self.scenario.zone)
            return clock.parse_instant(value, self.scenario.zone)
        raise ExpressionError(f"{shown(value)} is no instant, moment or event")

    # -- time ----------------------------------------------------------------------------------------------------

    def t(self, moment: str) -> dt.datetime:
        """The instant of a moment of the window: ``t('D+3 09:30')``."""
        return self._instant(clock.moment(moment, self.scenario.start, self.scenario.zone))

    def now(self) -> dt.datetime:
        """The instant that is looked at."""
        return self._instant(self.world.now)

    def today(self) -> dt.date:
        """The date that is looked at."""
        return self.world.today()

    def stage(self, id: str) -> dict[str, Any]:
        """A stage: ``start`` and ``end``."""
        found = next((stage for stage in self.scenario.stages if stage.id == id), None)
        if found is None:
            raise ExpressionError(f"there is no stage {shown(id)}")
        return {"start": self._instant(found.start), "end": self._instant(found.end)}

    def event(self, id: str) -> dict[str, Any]:
        """A timeline event: ``at``, ``fired``, ``held`` (its condition) and ``touched`` (keys of records)."""
        if id not in self.scenario.events:
            raise ExpressionError(f"there is no event {id!r}")
        fired = self.history.fired.get(id)
        if fired is None:
            return {"at": self._instant(self.scenario.events[id].at), "fired": False, "held": False, "touched": []}
        return {"at": self._instant(fired.at), "fired": True, "held": fired.held, "touched": list(fired.touched)}

    # -- the world -----------------------------------------------------------------------------------------------

    def _table(self, name: str, world: World) -> RecordTable:
        known = _tables(world.services)
        if name not in known:
            service = name.partition(".")[0]
            own = sorted(table for table in known if table.startswith(f"{service}."))
            if not own:
                raise ExpressionError(f"this world has no {service}")
            raise ExpressionError(f"there are no records {shown(name)}; there are: {', '.join(own)}")
        return world.store.table(name)

    def records(self, table: str, **fields: Any) -> list[Any]:
        """The records of a table that have these values."""
        records = self._table(table, self.world)
        if not fields:
            return list(records.rows())
        key = fields.get(records.key)
        found = records.find(key) if isinstance(key, str) else None
        rows = records.rows() if key is None else [found] if found is not None else []
        wanted = list(fields.items())
        spend(len(rows))
        try:
            return [row for row in rows if all(equal(row[name], value) for name, value in wanted)]
        except KeyError as error:
            raise ExpressionError(f"records of {table} have no field {error}") from None

    def _kinds(self, service: str) -> list[str]:
        return [name.partition(".")[2] for name in self.world.store.known if name.startswith(service + ".")]

    def diff(self, table: str) -> dict[str, Any]:
        """What differs from the start of the window: ``added``, ``removed`` and ``changed`` (as they are now)."""
        before, now = self._table(table, self.scenario.world), self._table(table, self.world)
        key = now.key
        spend(len(before) + len(now))
        return {
            "added": [row for row in now.rows() if before.find(row[key]) is None],
            "removed": [row for row in before.rows() if now.find(row[key]) is None],
            "changed": [row for row in now.rows() if before.find(row[key]) not in (None, row)],
        }

    def charges(self, since: Any = None, until: Any = None, **fields: Any) -> list[Any]:
        """The money that the assistant moved: ``amount_minor`` (refunds negative), ``payee``, ``at`` ..."""
        rows = [row for row in self.records("world.charges", **fields) if row["cause"] == "agent"]
        return self._within(rows, since, until)

    def _within(self, rows: list[Any], since: Any, until: Any) -> list[Any]:
        if since is not None:
            first = self._seconds(since)
            rows = [row for row in rows if clock.parse_instant(row["at"], self.scenario.zone) >= first]
        if until is not None:
            last = self._seconds(until)
            rows = [row for row in rows if clock.parse_instant(row["at"], self.scenario.zone) < last]
        return rows

    def read(self, tool: str, **arguments: Any) -> Any:
        """What a read tool answers at this moment. It leaves no trace. Missing where the world refuses."""
        spend(_READ_STEPS)
        spec = catalogue.find_tool(tool)
        if spec is None or not (self.world.has(spec.service) or spec.service in catalogue.ALWAYS):
            raise ExpressionError(f"this world has no tool {shown(tool)}")
        if spec.write:
            raise ExpressionError(f"{tool} is no read tool")
        try:
            valid = spec.arguments.validate({name: plain(value) for name, value in arguments.items()})
        except ToolError as error:
            raise ExpressionError(f"{tool}: {error.message}") from None
        try:
            return spec.method(self.world.service(spec.service), **valid)
        except ToolError as error:
            raise Missing(f"{tool}: {error.message}") from None

    # -- what the agent wrote ------------------------------------------------------------------------------------

    def file(self, path: str) -> FileEvidence:
        """A workspace file; missing where there is none."""
        found = self.world.workspace.get(path)
        if found is None:
            raise Missing(f"there is no file {path}")
        return FileEvidence(path, found.text, self._instant(found.written), self.scenario.artifacts.get(path))

    def has_file(self, path: str) -> bool:
        """Whether there is such a file."""
        return self.world.workspace.get(path) is not None

    def section(self, page: str, heading: str) -> list[str]:
        """The lines under a heading of a notion page; missing where page or heading are."""
        from lifegym.services.notion import outline

        spend(_READ_STEPS)
        notion: Any = self.world.service("notion")
        found = outline.find_page(notion, page)
        if found is None:
            raise Missing(f"there is no page {shown(page)}")
        sections = outline.sections(notion, found["id"])
        for name, lines in sections.items():
            if fold(name).strip().rstrip(":") == fold(heading).strip():
                return lines
        raise Missing(f"the page {shown(page)} has no section {shown(heading)}")

    def labelled(self, lines: list[str], label: str) -> str:
        """What follows a label in lines such as ``Pens: 3``; missing where no line, or more than one, has it."""
        parts = [line.lstrip("-*• ").partition(":") for line in lines]
        found = [rest.strip() for name, colon, rest in parts if colon and fold(name).strip(" *") == fold(label)]
        if len(found) != 1:
            raise Missing(f"{len(found)} lines are labelled {shown(label)}")
        return found[0]

    def mails(self, to: str | None = None, since: Any = None, until: Any = None) -> list[Any]:
        """The mails that went out, oldest first: ``to``, ``subject``, ``body``, ``attachments``, ``at`` ...

        Args:
            to: Only those with a recipient whose address contains this.
            since: From this instant, moment or event on.
            until: Before this instant, moment or event.
        """
        rows = self.records("email.outgoing")
        if to is not None:
            part = to.lower()
            rows = [row for row in rows if any(part in str(a).lower() for a in [*row["to"], *row["cc"], *row["bcc"]])]
        return self._within(rows, since, until)

    def replies(
        self, event: str | None = None, stage: str | None = None, since: Any = None, until: Any = None
    ) -> list[str]:
        """What was said to the user: in the turn of an event, in the turns of a stage, or in a span of time."""
        turns = [turn for turn in self.history.turns if turn.ended_by == "reply"]
        if event is not None:
            self._known(event)
            turns = [turn for turn in turns if event in turn.events]
        if stage is not None:
            turns = [turn for turn in turns if turn.stage == stage]
        if since is not None:
            first = self._seconds(since)
            turns = [turn for turn in turns if turn.closed >= first]
        if until is not None:
            last = self._seconds(until)
            turns = [turn for turn in turns if turn.closed < last]
        return [turn.reply for turn in turns]

    # -- what the agent did --------------------------------------------------------------------------------------

    def _known(self, event: str) -> None:
        if event not in self.scenario.events:
            raise ExpressionError(f"there is no event {event!r}")

    def turn(self, event: str) -> dict[str, Any]:
        """The turn that an event opened: ``opened``, ``closed``, ``ended_by``, ``reply``; missing if it opened none."""
        self._known(event)
        for turn in self.history.turns:
            if event in turn.events and turn.ended_by:
                return self._turn(turn)
        raise Missing(f"the turn of {event} has not ended")

    def turns(self, stage: str | None = None) -> list[Any]:
        """The turns that ended, of a stage or all."""
        return [self._turn(t) for t in self.history.turns if t.ended_by and (stage is None or t.stage == stage)]

    def _turn(self, turn: Turn) -> dict[str, Any]:
        return {
            "opened": self._instant(turn.opened),
            "closed": self._instant(turn.closed),
            "ended_by": turn.ended_by,
            "reply": turn.reply,
            "kind": turn.kind,
            "stage": turn.stage,
        }

    def calls(
        self,
        tool: str,
        after: Any = None,
        before: Any = None,
        turn: str | None = None,
        ok: bool = True,
        **arguments: Any,
    ) -> list[Any]:
        """The calls of a tool: ``at``, ``arguments``, ``ok``.

        Args:
            tool: ``service.tool``, or ``service.*``.
            after: From this instant, moment or event on.
            before: Before this instant, moment or event.
            turn: Only in the turn of this event.
            ok: Only accepted ones; False gives refused ones too.
            arguments: Values that the call must have had.
        """
        logged: Iterable[LoggedCall] = self.history.by_tool.get(tool, ())
        if tool.endswith("*"):
            logged = [call for call in self.history.calls if call.tool.startswith(tool[:-1])]
        spend(len(self.history.calls) >> 4)
        found = []
        first = self._seconds(after) if after is not None else None
        last = self._seconds(before) if before is not None else None
        indices = None
        if turn is not None:
            self._known(turn)
            indices = {t.number for t in self.history.turns if turn in t.events}
        for call in logged:
            if (
                (ok and not call.ok)
                or (first is not None and call.time < first)
                or (last is not None and call.time >= last)
            ):
                continue
            if indices is not None and call.turn not in indices:
                continue
            if all(equal(call.arguments.get(name), value) for name, value in arguments.items()):
                found.append(
                    {"at": self._instant(call.time), "arguments": call.arguments, "ok": call.ok, "tool": call.tool}
                )
        return found
