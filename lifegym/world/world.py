"""One world: records, files, virtual time, what waits to happen, and the money that moved."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from lifegym.world import clock
from lifegym.world.agenda import Agenda, Entry
from lifegym.world.store import Store
from lifegym.world.table import RecordTable
from lifegym.world.workspace import Workspace

if TYPE_CHECKING:
    from lifegym.services.base import Service

__all__ = ["Opening", "World"]

Handler = Callable[[Entry], None]
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""Letters and digits that nobody mistakes for each other."""


@cache
def _catalogue() -> ModuleType:
    """The services. They stand on this module, so that it finds them when they are first asked."""
    from lifegym.services import catalogue

    return catalogue


class Opening(NamedTuple):
    """A reason to open a turn.

    Attributes:
        time: When it arose, in seconds.
        kind: ``user_message``, ``notification``, ``world``, ``reminder`` or ``alert``.
        text: What the agent is told.
        event: Id of the timeline event, or "" where the agent's own reminder or alert came due.
    """

    time: int
    kind: str
    text: str
    event: str


class World:
    """The state that tools act on. Everything observable in it is a function of its start and of what was done to it.

    Args:
        services: Names of the services that exist in this world, in a fixed order.
        start: First day of the window.
        zone: IANA name of the world's time zone.
        owner: User id of the person whose affairs these are.
        identity: Any text; generated ids and codes derive from it, so two variants of a task have different ones.
        owner_name: The person's name, for what services show of the account holder.
        owner_email: The person's mail address.
    """

    __slots__ = (
        "agenda", "counters", "identity", "now", "openings", "owner", "owner_email", "owner_name", "services", "start",
        "store", "workspace", "zone", "_bound", "_cause",
    )  # fmt: skip

    def __init__(
        self,
        services: Iterable[str],
        start: dt.date,
        zone: str,
        owner: str,
        identity: str = "",
        owner_name: str = "",
        owner_email: str = "",
    ) -> None:
        self.services: tuple[str, ...] = tuple(services)
        self.start = start
        self.zone = zone
        self.owner = owner
        self.owner_name = owner_name or owner
        self.owner_email = owner_email or f"{owner}@mail.example"
        self.identity = identity
        self.now = clock.day_start(start, zone)
        self.store = Store(_catalogue().world_keys(self.services))
        self.agenda = Agenda()
        self.workspace = Workspace()
        self.counters: dict[str, int] = {}
        self.openings: list[Opening] = []
        self._bound: dict[str, Service] = {}
        self._cause = "clock"

    # -- services ------------------------------------------------------------------------------------------------

    def service(self, name: str) -> Service:
        """The service of this name, bound to this world.

        Raises:
            KeyError: The world has no such service.
        """
        bound = self._bound.get(name)
        if bound is None:
            catalogue = _catalogue()
            if name not in self.services and name not in catalogue.ALWAYS:
                raise KeyError(name)
            bound = self._bound[name] = catalogue.service_class(name)(self)
        return bound

    def unbind(self) -> None:
        """Let go of the service objects and table handles, which are made again when they are asked for.

        They refer to the world that refers to them, so that without this only the garbage collector frees a world.
        """
        self._bound = {}
        self.store.unbind()

    def has(self, name: str) -> bool:
        """Whether this world has the service."""
        return name in self.services

    def table(self, name: str) -> RecordTable:
        """The table of this full name, such as ``banking.accounts``."""
        return self.store.table(name)

    # -- time ----------------------------------------------------------------------------------------------------

    def iso(self, instant: int | None = None) -> str:
        """An instant (by default now) as ISO 8601 in the world's zone."""
        return clock.iso(self.now if instant is None else instant, self.zone)

    def today(self) -> dt.date:
        """The date now in the world's zone."""
        return clock.local(self.now, self.zone).date()

    def run_to(self, instant: int, handle: Handler | None = None, until_opening: bool = False) -> None:
        """Let everything happen that is due by an instant, in order; then it is that instant.

        Args:
            instant: Seconds. An earlier instant than now changes nothing.
            handle: Gets the entries that no service owns (timeline, samples).
            until_opening: Stop at the first instant at which a turn opens, after all that is due at that instant.
        """
        agenda = self.agenda
        while (due := agenda.next_time()) is not None and due <= instant:
            if until_opening and self.openings and due > self.now:
                return
            entry = agenda.pop()
            if entry.time > self.now:
                self.now = entry.time
            self.dispatch(entry, handle)
        if until_opening and self.openings:
            return
        if instant > self.now:
            self.now = instant

    def dispatch(self, entry: Entry, handle: Handler | None = None) -> None:
        """Carry out one agenda entry."""
        if entry.owner in ("timeline", "sample"):
            if handle is not None:
                handle(entry)
            return
        before, self._cause = self._cause, "clock"
        try:
            getattr(self.service(entry.owner), entry.verb)(**entry.data)
        finally:
            self._cause = before

    # -- what services share -------------------------------------------------------------------------------------

    def count(self, name: str) -> int:
        """The next number of a named series, beginning with 1."""
        number = self.counters[name] = self.counters.get(name, 0) + 1
        return number

    def code(
        self, name: str, length: int = 6, alphabet: str = CODE_LETTERS, taken: Callable[[str], object] | None = None
    ) -> str:
        """The next code of a named series: looks arbitrary, is the same in every replay of the same world.

        Args:
            name: Of the series.
            length: How many characters.
            alphabet: To choose them from.
            taken: Says of a code that it is in use, such as the ``find`` of a table; it is passed over.
        """
        self.counters[name], code = self._next_code(name, length, alphabet, taken)
        return code

    def peek_code(
        self, name: str, length: int = 6, alphabet: str = CODE_LETTERS, taken: Callable[[str], object] | None = None
    ) -> str:
        """What :meth:`code` will return; nothing is counted, so that a call which needs it can still be refused."""
        return self._next_code(name, length, alphabet, taken)[1]

    def _next_code(
        self, name: str, length: int, alphabet: str, taken: Callable[[str], object] | None
    ) -> tuple[int, str]:
        number = self.counters.get(name, 0) + 1
        while taken is not None and taken(self._code(name, number, length, alphabet)):
            number += 1
        return number, self._code(name, number, length, alphabet)

    def _code(self, name: str, number: int, length: int, alphabet: str) -> str:
        digest = hashlib.blake2b(f"{self.identity}|{name}|{number}".encode(), digest_size=16).digest()
        value, letters = int.from_bytes(digest, "big"), []
        for _ in range(length):
            value, index = divmod(value, len(alphabet))
            letters.append(alphabet[index])
        return "".join(letters)

    def emit(self, topic: str, **data: Any) -> None:
        """Tell every service that listens to a topic what has happened."""
        for name, method in _catalogue().hearers(self.services, topic):
            getattr(self.service(name), method)(**data)

    def listening(self, topic: str) -> bool:
        """Whether some service would do something now with what is told of a topic."""
        return any(self.service(name).hears(topic) for name, _ in _catalogue().hearers(self.services, topic))

    def notify(
        self, source: str, kind: str, title: str, body: str, ref: str = "", user_id: str = "", opens: str = ""
    ) -> None:
        """Give the person a notification, in the hub where there is one.

        Args:
            source: Service that speaks.
            kind: Its type in the hub, such as ``price_alert``.
            title: One line.
            body: The text.
            ref: Id of the record it is about.
            user_id: Whose; by default the world's owner.
            opens: ``reminder`` or ``alert`` where the agent asked to be told: a turn opens for it.
        """
        if self.has("notification_hub"):
            self.emit(
                "notify", source=source, type=kind, title=title, body=body, ref=ref, user_id=user_id or self.owner
            )
        if opens:
            self.openings.append(Opening(self.now, opens, f"{title}\n{body}" if body else title, ""))

    def charge(
        self, service: str, method: str, amount_minor: int, currency: str, payee: str, ref: str, memo: str = ""
    ) -> str:
        """Move money for a purchase (a negative amount refunds) and record it. Returns the charge's id.

        The table ``world.charges`` only grows; checks read from it what was paid, whatever is undone later. Services
        that hold money listen to ``charge`` and post it, or refuse it by raising a ToolError before anything is
        written.
        """
        self.emit(
            "charge", method=method, amount_minor=amount_minor, currency=currency, payee=payee, service=service, ref=ref
        )
        charge_id = f"ch_{self.count('charge'):05d}"
        self.table("world.charges").put(
            {
                "charge_id": charge_id,
                "at": self.iso(),
                "service": service,
                "method": method,
                "payee": payee,
                "amount_minor": amount_minor,
                "currency": currency,
                "ref": ref,
                "memo": memo,
                "cause": self._cause,
            }
        )
        return charge_id

    # -- forks ---------------------------------------------------------------------------------------------------

    def fork(self) -> World:
        """An independent world in the same state."""
        other = World.__new__(World)
        for name in ("services", "start", "zone", "owner", "owner_name", "owner_email", "identity", "now", "_cause"):
            setattr(other, name, getattr(self, name))
        other.store = self.store.fork()
        other.agenda = self.agenda.fork()
        other.workspace = self.workspace.fork()
        other.counters = self.counters.copy()
        other.openings = self.openings.copy()
        other._bound = {}
        return other

    def take_on(self, other: World) -> None:
        """Be in the state of another world, of which this one is a fork. It costs less than a fork and serves for calls
        that are only tried: what the other world writes afterwards may show here, what is written here never there."""
        self.now, self._cause = other.now, other._cause
        self.store.take_on(other.store)
        self.agenda = other.agenda.fork()
        self.workspace = other.workspace.fork()
        self.counters = other.counters.copy()
        self.openings = other.openings.copy()

    def dump(self) -> bytes:
        """All state as JSON bytes: two worlds are in the same state if and only if these are equal."""
        return orjson.dumps(
            {
                "now": self.now,
                "services": self.services,
                "records": orjson.Fragment(self.store.dump()),
                "files": {path: list(self.workspace.get(path) or ()) for path in self.workspace.paths()},
                "agenda": [list(entry) for entry in self.agenda.entries()],
                "counters": dict(sorted(self.counters.items())),
                "openings": [list(opening) for opening in self.openings],
            },
            option=orjson.OPT_SORT_KEYS,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__ if name != "_bound"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._bound = {}
