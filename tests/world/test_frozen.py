"""Stored values never change, at any depth, and are otherwise like plain dicts and lists."""

from __future__ import annotations

import copy
import enum
import json
import pickle
from collections import OrderedDict
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.world.frozen import FrozenDict, FrozenList, freeze, thaw
from lifegym.world.record import Record
from lifegym.world.store import Store

ATOMS = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | st.text(max_size=5)
JSON = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4)
)


@given(JSON)
def test_freezing_keeps_the_value(value: Any) -> None:
    frozen = freeze(value)
    assert frozen == value
    assert orjson.dumps(frozen) == orjson.dumps(value)
    assert json.dumps(frozen) == json.dumps(value)
    assert thaw(frozen) == value


@given(JSON)
def test_copies_of_every_kind_are_equal_and_as_frozen(value: Any) -> None:
    frozen = freeze([value])
    for other in (pickle.loads(pickle.dumps(frozen)), copy.copy(frozen), copy.deepcopy(frozen)):
        assert other == frozen
        assert all(type(a) is type(b) for a, b in zip(_inner(frozen), _inner(other), strict=True))


@given(JSON)
def test_thawed_values_are_plain_and_independent(value: Any) -> None:
    thawed = thaw(freeze(value))
    assert {type(inner) for inner in _inner(thawed)} <= {dict, list, str, int, float, bool, type(None)}


def _inner(value: Any) -> list[Any]:
    nested = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(deep for item in nested for deep in _inner(item))]


def test_freezing_twice_shares() -> None:
    once = freeze({"a": [1]})
    assert freeze(once) is once
    assert freeze({"b": once})["b"] is once


def test_other_mappings_and_tuples_become_json_values() -> None:
    frozen = freeze({"o": OrderedDict(a=1), "m": MappingProxyType({"b": 2}), "t": (1, (2,))})
    assert frozen == {"o": {"a": 1}, "m": {"b": 2}, "t": [1, [2]]}
    assert type(frozen["o"]) is type(frozen["m"]) is FrozenDict
    assert type(frozen["t"]) is type(frozen["t"][1]) is FrozenList


class Level(enum.IntEnum):
    HIGH = 3


class Colour(enum.StrEnum):
    RED = "red"


@pytest.mark.parametrize(("value", "plain"), [(np.float64(1.5), 1.5), (Level.HIGH, 3), (Colour.RED, "red")])
def test_subclasses_of_text_and_numbers_become_plain(value: Any, plain: Any) -> None:
    frozen = freeze({"x": value})["x"]
    assert (type(frozen), frozen) == (type(plain), plain)
    assert orjson.loads(orjson.dumps(frozen)) == plain


@pytest.mark.parametrize(
    "value", [{1, 2}, b"bytes", pytest.param(object(), id="object"), 1j, {"deep": [{"x": {3}}]}], ids=repr
)
def test_what_is_not_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="JSON values"):
        freeze(value)


DICT_CHANGES: list[Callable[[Any], Any]] = [
    lambda d: d.__setitem__("a", 1),
    lambda d: d.__delitem__("a"),
    lambda d: d.__ior__({"b": 1}),
    lambda d: d.clear(),
    lambda d: d.pop("a"),
    lambda d: d.pop("zz", None),
    lambda d: d.popitem(),
    lambda d: d.setdefault("a", 2),
    lambda d: d.update(a=2),
]
LIST_CHANGES: list[Callable[[Any], Any]] = [
    lambda v: v.__setitem__(0, 1),
    lambda v: v.__setitem__(slice(0, 1), []),
    lambda v: v.__delitem__(0),
    lambda v: v.__iadd__([1]),
    lambda v: v.__imul__(2),
    lambda v: v.append(1),
    lambda v: v.clear(),
    lambda v: v.extend([1]),
    lambda v: v.insert(0, 1),
    lambda v: v.pop(),
    lambda v: v.remove(1),
    lambda v: v.reverse(),
    lambda v: v.sort(),
]


def _record() -> Record:
    return Store({"t": "id"}).table("t").put({"id": "r", "a": {"a": [1, {"a": 1}]}, "l": [1, [1]]})


@pytest.mark.parametrize("change", DICT_CHANGES)
def test_no_dict_changes_in_place_at_any_depth(change: Callable[[Any], Any]) -> None:
    record = _record()
    before = thaw(record)
    for target in (record, record["a"], record["a"]["a"][1]):
        with pytest.raises(TypeError, match=r"copy it with lifegym.world.thaw"):
            change(target)
    assert record == before


@pytest.mark.parametrize("change", LIST_CHANGES)
def test_no_list_changes_in_place_at_any_depth(change: Callable[[Any], Any]) -> None:
    record = _record()
    before = thaw(record)
    for target in (record["l"], record["l"][1], record["a"]["a"]):
        with pytest.raises(TypeError, match=r"copy it with lifegym.world.thaw"):
            change(target)
    assert record == before


def test_every_changing_method_of_dict_and_list_is_covered() -> None:
    """A future Python that adds one must not find it open."""
    harmless = {"copy", "fromkeys", "get", "items", "keys", "values", "count", "index"}
    refused = {"clear", "pop", "popitem", "setdefault", "update", "append", "extend", "insert", "remove", "reverse"}
    public = {name for kind in (dict, list) for name in dir(kind) if not name.startswith("_")}
    assert public - harmless == refused | {"sort"}
    for kind in (FrozenDict, FrozenList, Record):
        for name in {n for n in dir(kind) if not n.startswith("_")} & refused:
            assert getattr(kind, name).__name__ == "_refuse", (kind, name)


def test_the_source_of_a_record_stays_the_callers_own() -> None:
    source = {"id": "r", "a": [1, {"b": 2}]}
    record = Store({"t": "id"}).table("t").put(source)
    source["a"].append(3)  # type: ignore[attr-defined]
    source["a"][1]["b"] = 9  # type: ignore[index]
    assert record == {"id": "r", "a": [1, {"b": 2}]}


@given(st.dictionaries(st.text(max_size=3), JSON, min_size=2, max_size=5))
def test_equal_dicts_hash_equally_whatever_their_order(items: dict[str, Any]) -> None:
    forward, backward = freeze(items), freeze(dict(reversed(items.items())))
    assert forward == backward
    assert hash(forward) == hash(backward)


def test_frozen_lists_hash_by_value() -> None:
    assert hash(freeze([1, [2, {"a": 3}]])) == hash(freeze((1, (2, {"a": 3}))))


def test_a_copy_made_with_the_usual_means_is_free_to_change() -> None:
    record = _record()
    plain = dict(record) | {"a": 1}
    plain["b"] = 2
    grown = record["l"] + [5]
    grown.append(6)
    assert "b" not in record
    assert record["l"] == [1, [1]]
