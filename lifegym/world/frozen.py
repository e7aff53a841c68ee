"""Read-only JSON values: what a record is made of.

A record never changes in place; a write replaces it. Because nothing can alter a stored value, reads and forks share it
without copying.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

__all__ = ["FrozenDict", "FrozenList", "freeze", "thaw"]


def _refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    raise TypeError(
        "this value belongs to a world and cannot change in place; copy it with lifegym.world.thaw(value) first"
    )


class FrozenDict(dict[str, Any]):
    """A dict that refuses every change. Equal to, and serialised like, a plain dict of the same items."""

    __slots__ = ()

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_dict, (dict(self),))


class FrozenList(list[Any]):
    """A list that refuses every change. Equal to, and serialised like, a plain list of the same items."""

    __slots__ = ()

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = clear = extend = insert = pop = remove = reverse = sort = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild_list, (list(self),))


_ATOMS = frozenset({str, int, float, bool, type(None), FrozenDict, FrozenList})


def _rebuild_dict(items: dict[str, Any]) -> FrozenDict:
    return freeze_dict(items)


def _rebuild_list(items: list[Any]) -> FrozenList:
    return FrozenList([v if type(v) in _ATOMS else freeze(v) for v in items])


def freeze_dict(items: Mapping[str, Any]) -> FrozenDict:
    """Read-only copy of a mapping, nested values included."""
    atoms = _ATOMS
    return FrozenDict({k: v if type(v) in atoms else freeze(v) for k, v in items.items()})


def freeze(value: Any) -> Any:
    """Read-only copy of a JSON value.

    Raises:
        TypeError: The value holds something that JSON cannot say.
    """
    kind = type(value)
    if kind in _ATOMS:
        return value
    if isinstance(value, Mapping):
        return freeze_dict(value)
    if isinstance(value, (list, tuple)):
        return _rebuild_list(list(value))
    # Subclasses (enum members, numpy's float64) become what they are in JSON.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    raise TypeError(f"a record holds JSON values; {kind.__name__} is none")


def thaw(value: Any) -> Any:
    """Plain dicts and lists, free to change, from a read-only value."""
    if isinstance(value, dict):
        return {k: thaw(v) for k, v in value.items()}
    if isinstance(value, list):
        return [thaw(v) for v in value]
    return value
