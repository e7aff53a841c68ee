"""What waits to happen in a world, in one order: timeline events, holds, payments, reminders, samples for checks."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Any, NamedTuple

from lifegym.world.frozen import FrozenDict, freeze_dict

__all__ = ["Agenda", "Entry"]


class Entry(NamedTuple):
    """One thing that happens at an instant. Entries compare by time, then by the order in which they were added.

    Attributes:
        time: When, in seconds.
        seq: Breaks ties; samples come before everything else at their instant.
        owner: Who handles it: a service's name, ``timeline`` or ``sample``.
        verb: What to do, in the owner's terms.
        data: Its arguments.
    """

    time: int
    seq: int
    owner: str
    verb: str
    data: FrozenDict


class Agenda:
    """A priority queue that forks: the list of entries is copied, the entries are shared."""

    __slots__ = ("_entries", "_seq")

    def __init__(self) -> None:
        self._entries: list[Entry] = []
        self._seq = 0

    def add(self, time: int, owner: str, verb: str, /, *, early: bool = False, **data: Any) -> Entry:
        """Let something happen at an instant; ``early`` puts it before all else at that instant."""
        self._seq += 1
        entry = Entry(time, self._seq - (1 << 40) if early else self._seq, owner, verb, freeze_dict(data))
        heappush(self._entries, entry)
        return entry

    def next_time(self) -> int | None:
        """When the next entry is due; None if nothing waits."""
        return self._entries[0].time if self._entries else None

    def pop(self) -> Entry:
        """Remove and return the next entry.

        Raises:
            IndexError: Nothing waits.
        """
        return heappop(self._entries)

    def entries(self) -> list[Entry]:
        """All waiting entries in order."""
        return sorted(self._entries)

    def fork(self) -> Agenda:
        other = Agenda.__new__(Agenda)
        other._entries = self._entries.copy()
        other._seq = self._seq
        return other

    def __len__(self) -> int:
        return len(self._entries)
