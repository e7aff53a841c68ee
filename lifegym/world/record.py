"""A record of a world: a document of TinyDB that is read-only at any depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinydb.table import Document

from lifegym.world.frozen import FrozenDict, freeze

__all__ = ["Record", "make_record"]


class Record(Document):
    """A stored, read-only document. ``doc_id`` is its number in the table."""

    __slots__ = ()

    __setitem__ = FrozenDict.__setitem__
    __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = FrozenDict.clear

    def __reduce__(self) -> tuple[Any, ...]:
        return (make_record, (dict(self), self.doc_id))


_ATOMS = frozenset({str, int, float, bool, type(None)})


def make_record(items: Mapping[str, Any], doc_id: int) -> Record:
    """A record with these fields.

    Raises:
        TypeError: A value is not JSON.
    """
    atoms = _ATOMS
    return Record({k: v if type(v) in atoms else freeze(v) for k, v in items.items()}, doc_id)
