"""A table of a world: TinyDB's, in memory as ``{doc_id: record}`` with an index of the unique key."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, ValuesView
from typing import TYPE_CHECKING, Any, TypeVar, cast

from tinydb.queries import QueryLike
from tinydb.table import Document, Table

from lifegym.world.frozen import freeze_dict, thaw
from lifegym.world.record import Record, make_record

if TYPE_CHECKING:
    from lifegym.world.store import Store

__all__ = ["RecordTable", "TableState"]

V = TypeVar("V")


class TableState:
    """What a table holds. Only the store whose token is ``owner`` may write into it.

    ``derived`` is what readers worked out from the records: name to (``derived`` of the other tables that it was
    worked out from, value). Every write begins a new one, so that it also tells one version of the records from
    another.
    """

    __slots__ = ("derived", "docs", "index", "next_id", "owner")

    def __init__(self, docs: dict[int, Record], index: dict[Any, int], next_id: int, owner: object) -> None:
        self.docs = docs
        self.index = index
        self.next_id = next_id
        self.owner = owner
        self.derived: dict[str, tuple[list[object], Any]] = {}

    def free_id(self) -> int:
        """The number of the next record. 0 in ``next_id`` means one more than the greatest there is, as in TinyDB."""
        return self.next_id or max(self.docs, default=0) + 1


_NO_CACHE: Any = Table.query_cache_class(capacity=0)


class RecordTable(Table):
    """One kind of record.

    Beside TinyDB's interface it has the short one that services use: ``find``, ``rows``, ``put``, ``patch``, ``drop``,
    all by the table's unique key (the record's first field unless the store was told another).
    """

    def __init__(self, store: Store, name: str, key: str) -> None:
        # What TinyDB's own constructor sets, with one query cache of no size for all: a fork makes many table objects.
        self._storage = store.storage
        self._name = name
        self._query_cache = _NO_CACHE
        self._next_id = None
        self._store = store
        self.key = key

    # -- state ---------------------------------------------------------------------------------------------------

    def _read_state(self) -> TableState:
        return self._store.states[self._name]

    # -- the short interface -------------------------------------------------------------------------------------

    def find(self, key: Any) -> Record | None:
        """The record with this key, or None."""
        state = self._store.states[self._name]
        try:
            doc_id = state.index.get(key)
        except TypeError:  # an unhashable key names no record
            return None
        return None if doc_id is None else state.docs[doc_id]

    def rows(self) -> ValuesView[Record]:
        """All records in the order of their insertion; a live view, so do not write while iterating over it."""
        return self._store.states[self._name].docs.values()

    def derive(self, name: str, build: Callable[[ValuesView[Record]], V], *others: RecordTable) -> V:
        """What ``build(rows)`` makes of the records, remembered until the next write to this table.

        Forks share it until they write. It is no part of the world's state: dumps, pickles and copies leave it out.

        Args:
            name: Under which it is remembered.
            build: Makes it. It depends on nothing but the records, and nobody changes what it returns.
            others: Other tables that ``build`` reads; a write to one of them counts as well.
        """
        derived = self._store.states[self._name].derived
        known = derived.get(name)
        if known is not None and not others:
            return cast(V, known[1])
        versions: list[object] = [other._read_state().derived for other in others]
        if known is None or any(old is not new for old, new in zip(known[0], versions, strict=True)):
            known = derived[name] = (versions, build(self.rows()))
        return cast(V, known[1])

    def put(self, fields: Mapping[str, Any]) -> Record:
        """Insert a record, or replace the one that has its key. Returns what is now stored."""
        state = self._store.own(self._name)
        key = fields[self.key]
        known = state.index.get(key)
        doc_id = state.free_id() if known is None else known
        record = make_record(fields, doc_id)  # refuses what is not JSON, so it comes before any change
        state.docs[doc_id] = record
        if known is None:
            state.next_id = doc_id + 1
            state.index[key] = doc_id
        return record

    def patch(self, key: Any, /, **changes: Any) -> Record:
        """Replace some fields of one record. Returns what is now stored.

        Raises:
            KeyError: No record has this key.
        """
        state = self._store.own(self._name)
        doc_id = state.index[key]
        old = state.docs[doc_id]
        if self.key in changes:
            return self._replace(state, doc_id, {**old, **changes})
        frozen = freeze_dict(changes)
        record = state.docs[doc_id] = Record(old, doc_id)
        dict.update(record, frozen)  # nobody has seen it yet
        return record

    def drop(self, key: Any) -> Record:
        """Remove one record and return it.

        Raises:
            KeyError: No record has this key.
        """
        state = self._store.own(self._name)
        return state.docs.pop(state.index.pop(key))

    def _replace(self, state: TableState, doc_id: int, fields: Mapping[str, Any]) -> Record:
        old = state.docs[doc_id].get(self.key)
        new = fields.get(self.key)
        record = make_record(fields, doc_id)
        if new != old:
            if new in state.index:
                raise ValueError(f"table {self._name!r} already has a record with {self.key} = {new!r}")
            state.index.pop(old, None)
        if new is not None:
            state.index[new] = doc_id
        state.docs[doc_id] = record
        return record

    # -- TinyDB's interface --------------------------------------------------------------------------------------

    def _matching(self, cond: QueryLike | None, doc_ids: Iterable[int] | None = None) -> list[int]:
        state = self._read_state()
        if doc_ids is not None:
            return [i for i in doc_ids if i in state.docs]
        if cond is None:
            return list(state.docs)
        # TinyDB's documented hash of ``where(field) == value`` is ('==', (field,), value).
        hashed = getattr(cond, "_hash", None)
        if hashed and hashed[0] == "==" and hashed[1] == (self.key,) and hashed[2] is not None:
            try:
                doc_id = state.index.get(hashed[2])
            except TypeError:  # an unhashable value: fall through to the scan
                pass
            else:
                return [] if doc_id is None else [doc_id]
        return [i for i, doc in state.docs.items() if cond(doc)]

    def _read_table(self) -> dict[str, Mapping[str, Any]]:
        return cast("dict[str, Mapping[str, Any]]", self._read_state().docs)

    def __len__(self) -> int:
        return len(self._read_state().docs)

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._read_state().docs.values()))

    def all(self) -> list[Document]:
        return list(self._read_state().docs.values())

    def get(  # type: ignore[override]
        self, cond: QueryLike | None = None, doc_id: int | None = None, doc_ids: list[int] | None = None
    ) -> Document | list[Document] | None:
        docs = self._read_state().docs
        if doc_id is not None:
            return docs.get(doc_id)
        if doc_ids is not None:
            wanted = set(doc_ids)
            return [doc for i, doc in docs.items() if i in wanted]
        if cond is None:
            raise RuntimeError("You have to pass either cond or doc_id or doc_ids")
        found = self._matching(cond)
        return docs[found[0]] if found else None

    def search(self, cond: QueryLike) -> list[Document]:
        docs = self._read_state().docs
        return [docs[i] for i in self._matching(cond)]

    def contains(self, cond: QueryLike | None = None, doc_id: int | None = None) -> bool:
        if doc_id is None and cond is None:
            raise RuntimeError("You have to pass either cond or doc_id")
        return doc_id in self._read_state().docs if doc_id is not None else bool(self._matching(cond))

    def count(self, cond: QueryLike) -> int:
        return len(self._matching(cond))

    def insert(self, document: Mapping[str, Any]) -> int:
        if not isinstance(document, Mapping):
            raise ValueError("Document is not a Mapping")
        state = self._store.own(self._name)
        key = document.get(self.key)
        if key is not None and key in state.index:
            raise ValueError(f"table {self._name!r} already has a record with {self.key} = {key!r}")
        if isinstance(document, Document):
            doc_id, next_id = document.doc_id, 0
            if doc_id in state.docs:
                state.next_id = 0
                raise ValueError(f"Document with ID {doc_id} already exists")
        else:
            doc_id = state.free_id()
            next_id = doc_id + 1
        state.docs[doc_id] = make_record(document, doc_id)
        state.next_id = next_id
        if key is not None:
            state.index[key] = doc_id
        return doc_id

    def insert_multiple(self, documents: Iterable[Mapping[str, Any]]) -> list[int]:
        inserted: list[int] = []
        try:
            for document in documents:
                inserted.append(self.insert(document))
        except Exception:
            self.remove(doc_ids=inserted)
            raise
        return inserted

    def update(
        self,
        fields: Mapping[str, Any] | Callable[[dict[str, Any]], None],
        cond: QueryLike | None = None,
        doc_ids: Iterable[int] | None = None,
    ) -> list[int]:
        return self._update((i, fields) for i in self._matching(cond, doc_ids))

    def update_multiple(
        self, updates: Iterable[tuple[Mapping[str, Any] | Callable[[dict[str, Any]], None], QueryLike]]
    ) -> list[int]:
        listed = list(updates)
        docs = self._read_state().docs
        return self._update(
            (i, fields) for i in list(docs) for fields, cond in listed if cond(self._read_state().docs[i])
        )

    def _update(self, changes: Iterable[tuple[int, Mapping[str, Any] | Callable[[dict[str, Any]], None]]]) -> list[int]:
        """Change records one after the other, or none of them where one cannot be changed."""
        done: list[tuple[int, Record]] = []
        try:
            for i, fields in changes:
                old = self._read_state().docs[i]
                new = _changed(old, fields)
                self._replace(self._store.own(self._name), i, new)
                done.append((i, old))
        except Exception:
            for i, old in reversed(done):
                self._replace(self._store.own(self._name), i, old)
            raise
        return [i for i, _ in done]

    def upsert(self, document: Mapping[str, Any], cond: QueryLike | None = None) -> list[int]:
        if isinstance(document, Document):
            if document.doc_id in self._read_state().docs:
                return self.update(dict(document), doc_ids=[document.doc_id])
            return [self.insert(document)]
        if cond is None:
            raise ValueError("If you don't specify a cond, the document must be a Document with a doc_id")
        return self.update(dict(document), cond) or [self.insert(document)]

    def remove(self, cond: QueryLike | None = None, doc_ids: Iterable[int] | None = None) -> list[int]:
        if cond is None and doc_ids is None:
            raise RuntimeError("Use truncate() to remove all documents")
        ids = list(dict.fromkeys(self._matching(cond, doc_ids)))
        state = self._store.own(self._name)
        for i in ids:
            state.index.pop(state.docs.pop(i).get(self.key), None)
        return ids

    def truncate(self) -> None:
        self._store.drop_table(self._name)


def _changed(doc: Mapping[str, Any], fields: Mapping[str, Any] | Callable[[dict[str, Any]], None]) -> Mapping[str, Any]:
    if callable(fields):
        new = {k: thaw(v) for k, v in doc.items()}  # an operation may change nested values
        fields(new)
        return new
    return {**doc, **fields}
