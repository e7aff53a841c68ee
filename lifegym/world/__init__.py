"""The world that tools act on: records, files, virtual time, and what waits to happen."""

from lifegym.world.agenda import Agenda, Entry
from lifegym.world.frozen import FrozenDict, FrozenList, freeze, thaw
from lifegym.world.record import Record
from lifegym.world.store import Store
from lifegym.world.table import RecordTable
from lifegym.world.workspace import File, Workspace, WorkspaceError
from lifegym.world.world import Opening, World

__all__ = [
    "Agenda", "Entry", "File", "FrozenDict", "FrozenList", "Opening", "Record", "RecordTable", "Store", "Workspace",
    "WorkspaceError", "World", "freeze", "thaw",
]  # fmt: skip
