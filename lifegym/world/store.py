"""The records of a world: a TinyDB whose tables are copy-on-write.

TinyDB's own extension points carry it (``table_class``, ``TinyDB.table``), so every TinyDB call works: queries,
operations, ``doc_ids``. What differs is underneath: tables live in memory as ``{doc_id: record}`` with a unique-key
index, records are read-only, and ``Store.fork`` shares everything until one side writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import orjson
from tinydb import TinyDB
from tinydb.storages import MemoryStorage

from lifegym.world.record import Record
from lifegym.world.table import RecordTable, TableState

__all__ = ["Store"]


class Store(TinyDB):
    """All tables of one world.

    Args:
        keys: Table name to the name of its unique key. A table that is not listed has the key ``id``.

    Attributes:
        states: What each table holds. A table object is made on first access and holds nothing itself: it reads here
            and writes into what ``own`` gives it. So a fork costs one dict copy.
    """

    table_class = RecordTable  # type: ignore[assignment]

    def __init__(self, keys: Mapping[str, str] | None = None) -> None:
        super().__init__(storage=MemoryStorage)
        self._keys = dict(keys or {})
        self._token = object()
        self.states: dict[str, TableState] = {name: TableState({}, {}, 1, self._token) for name in self._keys}

    def table(self, name: str, **kwargs: Any) -> RecordTable:
        """The table of this name; an unknown name gets a new, empty one, as in TinyDB."""
        table = self._tables.get(name)
        if table is None:
            if name not in self.states:
                self.states[name] = TableState({}, {}, 1, self._token)
            table = self._tables[name] = RecordTable(self, name, self._keys.get(name, "id"))
        return cast(RecordTable, table)

    def own(self, name: str) -> TableState:
        """The state of a table for one write. One that another store may hold as well is copied first."""
        state = self.states[name]
        if state.owner is not self._token:
            state = TableState(dict(state.docs), dict(state.index), state.next_id, self._token)
            self.states[name] = state
        else:
            state.derived = {}
        return state

    def version(self, name: str) -> object:
        """An object that is another one after every write to a table; None where there is no such table."""
        state = self.states.get(name)
        return None if state is None else state.derived

    def written_since(self, fork: Store) -> list[str]:
        """The tables that were written to since a fork of this store was made."""
        before = fork.states
        return [name for name, state in self.states.items() if before.get(name) is not state]

    @property
    def known(self) -> Mapping[str, str]:
        """The tables that the store was told of, with their keys."""
        return self._keys

    def tables(self) -> set[str]:
        return {name for name, state in self.states.items() if state.docs}

    def drop_table(self, name: str) -> None:
        # An empty state stays, so that table objects handed out before go on working.
        self.states[name] = TableState({}, {}, 1, self._token)

    def drop_tables(self) -> None:
        for name in self.states:
            self.drop_table(name)

    def fork(self) -> Store:
        """An independent store with the same records. Neither side sees what the other writes afterwards."""
        other = Store.__new__(Store)
        other._storage = self._storage
        other._opened = True
        other._tables = {}
        other._keys = self._keys
        other.states = self.states.copy()
        # Both sides lose the right to write in place into what they now share.
        other._token = object()
        self._token = object()
        return other

    def take_on(self, other: Store) -> None:
        """Have the records of another store, which must be a fork of this one or have it as one, from now on.

        It costs less than a fork, as table objects stay and the other store keeps the right to write in place: what it
        writes afterwards may show here, so take its state on anew after that. What is written here never shows there.
        """
        if len(self.states) != len(other.states):
            self._tables = {}
        self.states = other.states.copy()

    def unbind(self) -> None:
        """Let go of the table objects; those handed out before go on working."""
        self._tables = {}

    def dump(self) -> bytes:
        """Every record as JSON bytes, in table and insertion order: equal worlds give equal bytes."""
        content = {name: list(self.states[name].docs.values()) for name in sorted(self.tables())}
        return orjson.dumps(content, option=orjson.OPT_SORT_KEYS)

    def record_count(self) -> int:
        """Number of records in all tables."""
        return sum(len(state.docs) for state in self.states.values())

    def __reduce__(self) -> tuple[Any, ...]:
        states = {n: (list(s.docs.values()), s.next_id) for n, s in self.states.items()}
        return (_rebuild_store, (self._keys, states))


def _rebuild_store(keys: dict[str, str], states: dict[str, tuple[list[Record], int]]) -> Store:
    store = Store(keys)
    for name, (records, next_id) in states.items():
        key = keys.get(name, "id")
        docs = {record.doc_id: record for record in records}
        index = {record[key]: record.doc_id for record in records if record.get(key) is not None}
        store.states[name] = TableState(docs, index, next_id, store._token)
    return store
