"""What differs between two moments of a world: records and files, found by which objects are the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from lifegym.world.store import Store
from lifegym.world.workspace import Workspace
from lifegym.world.world import World

__all__ = ["Change", "Moment"]

QUIET = frozenset({"world.methods"})
"""Tables that are the engine's own and mirror what others show."""


class Change(NamedTuple):
    """One record or file that is not what it was.

    Attributes:
        table: Full name of the record's table; ``file`` for a file.
        id: The record's key, or the file's path.
        before: What it was; None where it was not there.
        after: What it is; None where it is gone.
    """

    table: str
    id: str
    before: Any
    after: Any


class Moment:
    """A world's records and files as they are now. It shares them with the world until that writes."""

    __slots__ = ("_files", "_store")

    def __init__(self, world: World) -> None:
        self._store: Store = world.store.fork()
        self._files: Workspace = world.workspace.fork()

    def changes(self, world: World) -> list[Change]:
        """What is different in a world that came from this one."""
        found: list[Change] = []
        for name in world.store.written_since(self._store):
            if name not in QUIET:
                found += self._records(name, world)
        if world.workspace.written_since(self._files):
            found += self._texts(world)
        self._store.unbind()
        return found

    def _records(self, name: str, world: World) -> Iterator[Change]:
        table = world.store.table(name)
        before = {row.doc_id: row for row in self._store.table(name).rows()}
        after = {row.doc_id: row for row in table.rows()}
        for number, row in after.items():
            old = before.get(number)
            if old is not row and old != row:
                yield Change(name, str(row[table.key]), old, row)
        for number, row in before.items():
            if number not in after:
                yield Change(name, str(row[table.key]), row, None)

    def _texts(self, world: World) -> Iterator[Change]:
        before, after = dict(self._files.files()), dict(world.workspace.files())
        for path, file in after.items():
            was = before.get(path)
            if was is None or was.text != file.text:
                yield Change("file", path, was and was.text, file.text)
        for path, was in before.items():
            if path not in after:
                yield Change("file", path, was.text, None)
