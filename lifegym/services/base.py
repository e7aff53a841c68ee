"""What every service is: typed tables, tools, happenings, reactions to the clock."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence, ValuesView
from functools import cache
from typing import Any, ClassVar

from lifegym.services.tools import ToolError
from lifegym.services.types import RecordModel
from lifegym.world import clock
from lifegym.world.frozen import freeze
from lifegym.world.record import Record
from lifegym.world.table import RecordTable
from lifegym.world.world import World

__all__ = ["Service", "limited", "paged"]

# Arguments keep away from the calendar's ends, so that no sum of a date and a duration leaves it.
_EARLIEST = clock.parse_instant("1900-01-01", "UTC")
_LATEST = clock.parse_instant("2200-01-01", "UTC")


class Service:
    """Base class of the service backends.

    A subclass names itself, declares its tables, and defines methods: ``@tool`` for agents, ``@happening`` for the
    timeline, ``@listens`` for what other services tell, and plain methods that agenda entries call. An object holds no
    state of its own, only handles of tables: everything is in the world, so a fork of it is a fork of its services.

    A tool checks everything before its first write, so that a refused call leaves the world as it was.
    """

    name: ClassVar[str]
    title: ClassVar[str] = ""
    records: ClassVar[dict[str, type[RecordModel]]] = {}

    def __init__(self, world: World) -> None:
        self.world = world
        self._tables: dict[str, RecordTable] = {}

    # -- records -------------------------------------------------------------------------------------------------

    def table(self, kind: str) -> RecordTable:
        """The table of one of this service's kinds of record."""
        table = self._tables.get(kind)
        if table is None:
            table = self._tables[kind] = self.world.store.table(f"{self.name}.{kind}")
        return table

    def rows(self, kind: str) -> ValuesView[Record]:
        """All records of a kind, oldest first. Copy it into a list before writing in a loop."""
        return self.table(kind).rows()

    def find(self, kind: str, key: str) -> Record | None:
        """The record with this key, or None."""
        return self.table(kind).find(key)

    def get(self, kind: str, key: str, noun: str, hint: str = "") -> Record:
        """The record with this key.

        Raises:
            ToolError: ``not_found``.
        """
        record = self.table(kind).find(key)
        if record is None:
            raise ToolError("not_found", f"there is no {noun} {key[:60]!r}{'; ' + hint if hint else ''}")
        return record

    def put(self, kind: str, /, **fields: Any) -> Record:
        """Insert or replace a record; fields that the record's model has a default for may be left out."""
        return self.table(kind).put({**_template(self.records[kind]), **fields})

    def patch(self, kind: str, key: str, /, **changes: Any) -> Record:
        """Replace some fields of a record."""
        return self.table(kind).patch(key, **changes)

    def drop(self, kind: str, key: str) -> Record:
        """Remove a record."""
        return self.table(kind).drop(key)

    def new_id(self, prefix: str) -> str:
        """The next id with this prefix, such as ``pay_0007``, that no record of this service has as its key."""
        self.world.counters[prefix], key = self._next_id(prefix)
        return key

    def peek_id(self, prefix: str) -> str:
        """What ``new_id`` will return; nothing is counted, so that a payment which names it can still be refused."""
        return self._next_id(prefix)[1]

    def _next_id(self, prefix: str) -> tuple[int, str]:
        number = self.world.counters.get(prefix, 0) + 1
        while any(self.table(kind).find(f"{prefix}_{number:04d}") is not None for kind in self.records):
            number += 1
        return number, f"{prefix}_{number:04d}"

    # -- time ----------------------------------------------------------------------------------------------------

    @property
    def now(self) -> int:
        """Now, in seconds."""
        return self.world.now

    def stamp(self) -> str:
        """Now, as ISO 8601."""
        return clock.iso(self.world.now, self.world.zone)

    def today(self) -> dt.date:
        """Today in the world's zone."""
        return self.world.today()

    def seconds(self, stamp: str) -> int:
        """The instant of an ISO text that is known to be right."""
        return clock.parse_instant(stamp, self.world.zone)

    def instant(self, text: str, name: str) -> int:
        """The instant that an argument names (an ISO 8601 date-time, or a date for its midnight).

        Raises:
            ToolError: ``bad_time``.
        """
        try:
            instant = clock.parse_instant(text, self.world.zone)
        except ValueError as error:
            raise ToolError("bad_time", f"{name}: {error}") from None
        if not _EARLIEST <= instant < _LATEST:
            raise ToolError("bad_time", f"{name}: {text[:40]!r} is outside the years 1900 to 2199")
        return instant

    def day(self, text: str, name: str) -> dt.date:
        """The date that an argument names.

        Raises:
            ToolError: ``bad_date``.
        """
        try:
            day = clock.parse_day(text)
        except ValueError as error:
            raise ToolError("bad_date", f"{name}: {error}") from None
        if not 1900 <= day.year <= 2199:
            raise ToolError("bad_date", f"{name}: {text!r} is outside the years 1900 to 2199")
        return day

    def later(self, instant: int, verb: str, /, **data: Any) -> None:
        """Call ``verb`` of this service at an instant."""
        self.world.agenda.add(instant, self.name, verb, **data)

    # -- money ---------------------------------------------------------------------------------------------------

    def check_method(self, method: str) -> None:
        """Refuse a payment method that the person does not have.

        Raises:
            ToolError: ``unknown_payment_method``.
        """
        methods = self.world.table("world.methods")
        if len(methods) and methods.find(method) is None:
            known = ", ".join(sorted(str(row["method_id"]) for row in methods.rows()))
            raise ToolError(
                "unknown_payment_method", f"there is no payment method {method[:60]!r}; use one of: {known}"
            )

    def pay(self, method: str, amount_minor: int, currency: str, payee: str, ref: str, memo: str = "") -> str:
        """Charge (or, with a negative amount, refund) a payment method. Call it before any other write.

        Raises:
            ToolError: ``unknown_payment_method``, or whatever the service that holds the money refuses with.
        """
        self.check_method(method)
        return self.world.charge(self.name, method, amount_minor, currency, payee, ref, memo)

    # -- life of its own -----------------------------------------------------------------------------------------

    def hears(self, topic: str) -> bool:
        """Whether a topic that this service listens to would change anything now."""
        return True

    def start(self) -> None:
        """Called once when the world has its records: put what they promise (holds, payments) on the agenda."""

    def check_invariants(self) -> None:
        """Raise AssertionError if this service's records contradict each other. For tests and fuzzing."""


def paged(rows: Sequence[Any], page: int, page_size: int, most: int = 100) -> dict[str, Any]:
    """One page of results as fields of a result: ``total``, ``page``, ``pages`` and the ``rows``.

    Raises:
        ToolError: ``bad_page``.
    """
    if page < 1 or not 1 <= page_size <= most:
        raise ToolError("bad_page", f"page counts from 1 and page_size is between 1 and {most}")
    start = (page - 1) * page_size
    return {
        "total": len(rows),
        "page": page,
        "pages": max(1, -(-len(rows) // page_size)),
        "rows": list(rows[start : start + page_size]),
    }


@cache
def _template(model: type[RecordModel]) -> dict[str, Any]:
    """The fields of a record in the order of its model, with their defaults."""
    return {
        name: None if field.is_required() else freeze(field.get_default(call_default_factory=True))
        for name, field in model.model_fields.items()
    }


def limited(rows: Iterable[Any], limit: int, most: int = 200) -> list[Any]:
    """The first ``limit`` rows.

    Raises:
        ToolError: ``bad_limit``.
    """
    if not 1 <= limit <= most:
        raise ToolError("bad_limit", f"limit is between 1 and {most}")
    found: list[Any] = []
    for row in rows:
        if len(found) == limit:
            break
        found.append(row)
    return found
