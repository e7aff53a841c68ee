"""The store is a TinyDB: the same answers in the same order as the stock one, with unique keys and cheap forks."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tinydb import Query, TinyDB, operations, where
from tinydb.queries import QueryLike
from tinydb.storages import MemoryStorage
from tinydb.table import Document

from lifegym.world import Record, RecordTable, Store, thaw

# -- against stock TinyDB --------------------------------------------------------------------------------------------

NAMES = ["ann", "bob", "Cy", "d"]
NUMBERS = st.integers(0, 4)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Fields are missing, null, of mixed types, and nested."""
    fields = {
        "name": st.sampled_from(NAMES) | st.none(),
        "n": NUMBERS | st.floats(0, 4) | st.sampled_from(NAMES),
        "tags": st.lists(st.sampled_from(NAMES), max_size=3),
        "deep": st.fixed_dictionaries({"x": NUMBERS}, optional={"list": st.lists(NUMBERS, max_size=3)}),
        "stays": st.lists(st.fixed_dictionaries({"city": st.sampled_from(NAMES)}), max_size=2),
    }
    return draw(st.fixed_dictionaries({}, optional=fields))  # type: ignore[arg-type]


def _q() -> Any:
    return Query()


SIMPLE: list[Callable[[int, str], QueryLike]] = [
    lambda n, s: where("n") == n,
    lambda n, s: where("n") != n,
    lambda n, s: where("n").test(lambda value: isinstance(value, (int, float)) and value >= n),
    lambda n, s: where("deep").x < n,
    lambda n, s: where("deep")["x"] <= n,
    lambda n, s: _q().deep.x > n,
    lambda n, s: _q().deep.list.any([n]),
    lambda n, s: _q().deep.list.all([n]),
    lambda n, s: _q().tags.any([s]),
    lambda n, s: _q().tags.all([s, "ann"]),
    lambda n, s: _q().stays.any(where("city") == s),
    lambda n, s: _q().stays.all(where("city") == s),
    lambda n, s: where("name").one_of([s, "ann"]),
    lambda n, s: where("name").exists(),
    lambda n, s: where("name") == None,  # noqa: E711
    lambda n, s: where("name").test(lambda value: value == s),
    lambda n, s: where("stays").test(lambda value, size: len(value) == size, n),
    lambda n, s: where("tags").map(len) == n,
    lambda n, s: _q().fragment({"name": s}),
    lambda n, s: where("deep").fragment({"x": n}),
    lambda n, s: _q().noop(),
    lambda n, s: where("id") == f"k{n}",
    lambda n, s: where("id") != f"k{n}",
    lambda n, s: where("id").matches("k[0-9]"),
    lambda n, s: where("id").search(str(n)),
    lambda n, s: where("id").one_of([f"k{n}", "k0"]),
    lambda n, s: where("tags") == [s],
    lambda n, s: where("deep") == {"x": n},
]


@st.composite
def queries(draw: st.DrawFn) -> QueryLike:
    """A simple query, one that is put together, or a plain callable."""
    first, second = (
        SIMPLE[draw(st.integers(0, len(SIMPLE) - 1))](draw(NUMBERS), draw(st.sampled_from(NAMES))) for _ in range(2)
    )
    form = draw(st.sampled_from(["simple", "simple", "simple", "and", "or", "not", "callable"]))
    if form == "callable":
        return lambda document: first(document)
    return {"simple": first, "and": first & second, "or": first | second, "not": ~first}[form]  # type: ignore


QUERIES = queries()


def _nest(document: Any) -> None:
    # Not in place: stock TinyDB lets documents share nested values that one update gave them.
    document["tags"] = [*document.get("tags", []), "ann"]
    deep = document.get("deep", {"x": 0})
    document["deep"] = {**deep, "x": deep["x"] + 1}


CHANGES: list[Any] = [
    {"n": 3},
    {"name": "bob", "deep": {"x": 4, "list": [1]}},
    {},
    operations.set("n", 2),
    lambda document: operations.set("tags", ["d"])(document),
    _nest,
]
# These fail on documents without the field, so they come with a condition that it is there.
FIELD_CHANGES: list[Any] = [
    (operations.delete("n"), where("n").exists()),
    (operations.delete("deep"), where("deep").exists()),
    (operations.increment("n"), where("n").test(lambda value: isinstance(value, (int, float)))),
    (operations.decrement("n"), where("n").test(lambda value: isinstance(value, (int, float)))),
    (operations.add("n", 2), where("n").test(lambda value: isinstance(value, (int, float)))),
    (operations.subtract("n", 1), where("n").test(lambda value: isinstance(value, (int, float)))),
    (operations.add("name", "x"), where("name").test(lambda value: isinstance(value, str))),
]
IDS = st.integers(1, 12)
UNIQUE_IDS = st.lists(IDS, max_size=4, unique=True)
STEP = st.one_of(
    st.tuples(st.just("insert"), documents()),
    st.tuples(st.just("insert_keyed"), documents()),
    st.tuples(st.just("insert_document"), documents(), st.integers(1, 30)),
    st.tuples(st.just("insert_multiple"), st.lists(documents(), max_size=4)),
    st.tuples(st.just("get"), QUERIES),
    st.tuples(st.just("get_id"), IDS),
    st.tuples(st.just("get_ids"), st.lists(IDS, max_size=4)),
    st.tuples(st.just("search"), QUERIES),
    st.tuples(st.just("contains"), QUERIES),
    st.tuples(st.just("contains_id"), IDS),
    st.tuples(st.just("count"), QUERIES),
    st.tuples(st.just("update"), st.sampled_from(CHANGES), QUERIES),
    st.tuples(st.just("update_all"), st.sampled_from(CHANGES)),
    st.tuples(st.just("update_ids"), st.sampled_from(CHANGES), st.lists(IDS, max_size=4)),
    st.tuples(st.just("update_field"), st.sampled_from(FIELD_CHANGES)),
    st.tuples(st.just("update_multiple"), st.lists(st.tuples(st.sampled_from(CHANGES), QUERIES), max_size=3)),
    st.tuples(st.just("upsert"), documents(), QUERIES),
    st.tuples(st.just("upsert_document"), documents(), IDS),
    st.tuples(st.just("remove"), QUERIES),
    st.tuples(st.just("remove_ids"), UNIQUE_IDS),
    st.tuples(st.just("truncate")),
    st.tuples(st.just("tables")),
)


def _apply(table: Any, step: tuple[Any, ...], number: int) -> Any:
    """What a step answers, as plain values."""
    kind, *given = step
    calls: dict[str, Callable[..., Any]] = {
        "insert": lambda document: table.insert(document),
        "insert_keyed": lambda document: table.insert({"id": f"k{number}", **document}),
        "insert_document": lambda document, i: table.insert(Document(document, i)),
        "insert_multiple": lambda documents: table.insert_multiple(documents),
        "get": lambda cond: table.get(cond),
        "get_id": lambda i: table.get(doc_id=i),
        "get_ids": lambda ids: table.get(doc_ids=ids),
        "search": lambda cond: table.search(cond),
        "contains": lambda cond: table.contains(cond),
        "contains_id": lambda i: table.contains(doc_id=i),
        "count": lambda cond: table.count(cond),
        "update": lambda fields, cond: table.update(fields, cond),
        "update_all": lambda fields: table.update(fields),
        "update_ids": lambda fields, ids: table.update(fields, doc_ids=ids),
        "update_field": lambda pair: table.update(pair[0], pair[1]),
        "update_multiple": lambda updates: table.update_multiple(updates),
        "upsert": lambda document, cond: table.upsert(document, cond),
        "upsert_document": lambda document, i: table.upsert(Document(document, i)),
        "remove": lambda cond: table.remove(cond),
        "remove_ids": lambda ids: table.remove(doc_ids=ids),
        "truncate": lambda: table.truncate(),
        "tables": lambda: len(table),
    }
    try:
        answer = calls[kind](*given)
    except (ValueError, TypeError) as error:
        return type(error)
    return _plain(answer)


def _apart(value: Any) -> Any:
    """A copy of the dicts and lists in it, while queries and operations stay."""
    if isinstance(value, dict):
        return {key: _apart(item) for key, item in value.items()}
    return type(value)(map(_apart, value)) if type(value) in (list, tuple) else value


def _plain(answer: Any) -> Any:
    if isinstance(answer, Document):
        return (answer.doc_id, thaw(answer))
    if isinstance(answer, list):
        return [_plain(item) for item in answer]
    return answer


def _same_state(ours: RecordTable, stock: Any) -> None:
    assert len(ours) == len(stock)
    assert _plain(list(ours)) == _plain(list(stock))
    assert _plain(ours.all()) == _plain(stock.all())


def _index_is_right(table: RecordTable) -> None:
    state = table._read_state()
    assert state.index == {doc[table.key]: i for i, doc in state.docs.items() if doc.get(table.key) is not None}
    for doc in table.rows():
        if doc.get(table.key) is not None:
            assert table.find(doc[table.key]) is doc


@settings(max_examples=250, deadline=None)
@given(st.lists(STEP, max_size=25))
def test_every_operation_answers_as_stock_tinydb_does(steps: list[tuple[Any, ...]]) -> None:
    ours = Store().table("t")
    stock = TinyDB(storage=MemoryStorage).table("t", cache_size=0)
    for number, step in enumerate(steps):
        # A document goes in as a copy of its own: stock TinyDB would share its nested values.
        want = _apply(stock, _apart(step), number)
        got = _apply(ours, step, number)
        assert got == want, step
        _same_state(ours, stock)
        _index_is_right(ours)


def test_an_operation_may_change_nested_values_and_touches_its_own_document_only() -> None:
    table = Store().table("t")
    table.insert_multiple([{"n": 1}, {"n": 2}])
    table.update({"tags": ["a"], "deep": {"x": 0}})
    before = table.get(doc_id=1)

    def change(document: Any) -> None:
        document["tags"].append("b")
        document["deep"]["x"] += 1

    assert table.update(change, where("n") == 1) == [1]
    assert table.all() == [
        {"n": 1, "tags": ["a", "b"], "deep": {"x": 1}},
        {"n": 2, "tags": ["a"], "deep": {"x": 0}},
    ]
    assert before == {"n": 1, "tags": ["a"], "deep": {"x": 0}}


def test_the_database_forwards_to_its_default_table_as_tinydb_does() -> None:
    ours, stock = Store(), TinyDB(storage=MemoryStorage)
    for db in (ours, stock):
        assert db.insert_multiple([{"n": 1}, {"n": 2}]) == [1, 2]
        db.table("other").insert({"n": 3})
    assert ours.tables() == stock.tables() == {"_default", "other"}
    assert len(ours) == len(stock) == 2
    assert list(ours) == list(stock)
    assert ours.search(where("n") > 1) == stock.search(where("n") > 1)
    assert "Store" in repr(ours)
    ours.drop_table("other")
    assert ours.tables() == {"_default"}
    with ours as opened:
        assert opened.get(doc_id=1) == {"n": 1}


def test_a_dropped_table_goes_on_empty() -> None:
    store = Store({"a": "key"})
    table = store.table("a")
    table.put({"key": "x"})
    store.drop_table("a")
    assert table.find("x") is None
    table.put({"key": "y"})
    assert [row["key"] for row in store.table("a").rows()] == ["y"]
    store.drop_tables()
    assert (len(table), store.tables()) == (0, set())
    assert store.table("a").key == "key"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda t: t.get(), RuntimeError),
        (lambda t: t.contains(), RuntimeError),
        (lambda t: t.remove(), RuntimeError),
        (lambda t: t.upsert({"n": 1}), ValueError),
        (lambda t: t.insert([1]), ValueError),
        (lambda t: t.insert_multiple([{"n": 1}, 7]), ValueError),
        (lambda t: t.insert(Document({}, 1)), ValueError),
        (lambda t: t.update(operations.delete("zz")), KeyError),
    ],
)
def test_misuse_raises_as_in_tinydb_and_changes_nothing(call: Callable[[Any], Any], error: type[Exception]) -> None:
    ours, stock = Store().table("t"), TinyDB(storage=MemoryStorage).table("t")
    for table in (ours, stock):
        table.insert({"n": 0})
        with pytest.raises(error):
            call(table)
        assert table.all() == [{"n": 0}]
    _index_is_right(ours)


def test_no_answer_is_cached() -> None:
    """Stock TinyDB answers a changed cached query wrongly; here the next search looks again."""
    table = Store().table("t")
    table.insert({"n": 1})
    table.search(where("n") == 1).clear()
    assert len(table.search(where("n") == 1)) == 1
    table.update({"n": 2})
    assert table.search(where("n") == 1) == []


# -- unique keys -----------------------------------------------------------------------------------------------------


@pytest.fixture
def table() -> RecordTable:
    table = Store({"t": "key"}).table("t")
    table.insert_multiple([{"key": "a", "n": 1}, {"key": "b", "n": 2}, {"n": 3}])
    return table


def test_two_records_cannot_have_one_key(table: RecordTable) -> None:
    before = table.all()
    with pytest.raises(ValueError, match="table 't' already has a record with key = 'a'"):
        table.insert({"key": "a"})
    with pytest.raises(ValueError, match="already has"):
        table.insert(Document({"key": "a"}, 77))
    with pytest.raises(ValueError, match="already has"):
        table.update({"key": "b"}, where("n") == 1)
    with pytest.raises(ValueError, match="already has"):
        table.patch("a", key="b")
    with pytest.raises(ValueError, match="already has"):
        table.update({"key": "c", "n": 0})
    with pytest.raises(ValueError, match="already has"):
        table.insert_multiple([{"key": "z"}, {"key": "a"}])
    assert table.all() == before
    _index_is_right(table)


def test_the_index_follows_keys_that_change_and_go(table: RecordTable) -> None:
    table.patch("a", key="z")
    assert table.find("a") is None
    table.insert({"key": "a", "n": 9})
    table.update({"key": None}, where("key") == "b")
    assert table.find("b") is None
    table.update(operations.delete("key"), where("key") == "z")
    table.insert_multiple([{"key": "b"}, {"key": "z"}])
    table.remove(where("key") == "b")
    assert table.find("b") is None
    table.drop("z")
    assert table.find("z") is None
    _index_is_right(table)
    table.truncate()
    assert table.find("a") is None
    _index_is_right(table)


def test_a_value_that_is_not_json_changes_nothing(table: RecordTable) -> None:
    before = table.all()
    for call in (
        lambda: table.put({"key": "new", "n": object()}),
        lambda: table.put({"key": "a", "n": object()}),
        lambda: table.insert({"key": "new", "n": object()}),
        lambda: table.insert_multiple([{"key": "new"}, {"key": "newer", "n": object()}]),
        lambda: table.patch("a", key="new", n=object()),
        lambda: table.update({"key": "new", "n": object()}, where("n") == 1),
        lambda: table.update(lambda doc: doc.update(n=object() if doc["n"] > 1 else 7)),
    ):
        with pytest.raises(TypeError, match="JSON values"):
            call()
        assert table.all() == before
        _index_is_right(table)


def test_put_patch_and_drop(table: RecordTable) -> None:
    new = table.put({"key": "c", "n": [1]})
    assert (type(new), new.doc_id, new) == (Record, 4, {"key": "c", "n": [1]})
    replaced = table.put({"key": "a", "m": 5})
    assert (replaced.doc_id, replaced) == (1, {"key": "a", "m": 5})
    assert table.patch("a", n=6) == {"key": "a", "m": 5, "n": 6}
    assert table.drop("b") == {"key": "b", "n": 2}
    assert [row.get("key") for row in table.rows()] == ["a", None, "c"]
    assert table.find(["unhashable"]) is None
    for call in (lambda: table.patch("zz", n=1), lambda: table.drop("zz"), lambda: table.put({"n": 1})):
        with pytest.raises(KeyError):
            call()


def test_a_record_that_was_read_stays_as_it_was(table: RecordTable) -> None:
    old = table.find("a")
    table.patch("a", n=100)
    assert old == {"key": "a", "n": 1}


def test_a_search_by_unhashable_key_scans() -> None:
    table = Store({"t": "key"}).table("t")
    table.insert({"key": "a"})
    cond = where("key") == "a"
    cond._hash = ("==", ("key",), ["a"])
    assert table.search(cond) == [{"key": "a"}]


def test_removing_the_same_number_twice_removes_it_once(table: RecordTable) -> None:
    assert table.remove(doc_ids=[2, 2, 50]) == [2]


def test_the_key_is_the_first_field_or_id() -> None:
    assert Store({"t": "key"}).table("t").key == "key"
    assert Store({"t": "key"}).table("other").key == "id"


# -- forks, pickles, dumps -------------------------------------------------------------------------------------------

KEYS = st.sampled_from(["a", "b", "c", "d"])
WRITES = st.one_of(
    st.tuples(st.just("put"), KEYS, NUMBERS),
    st.tuples(st.just("patch"), KEYS, NUMBERS),
    st.tuples(st.just("drop"), KEYS, st.none()),
    st.tuples(st.just("insert"), KEYS, NUMBERS),
    st.tuples(st.just("update"), KEYS, NUMBERS),
    st.tuples(st.just("remove"), KEYS, st.none()),
    st.tuples(st.just("truncate"), st.none(), st.none()),
    st.tuples(st.just("drop_tables"), st.none(), st.none()),
)
BRANCHING = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["t", "u"]), WRITES | st.sampled_from(["fork", "pickle", "copy"])),
    max_size=40,
)


def _write(store: Store, name: str, write: tuple[str, Any, Any]) -> None:
    kind, key, n = write
    table = store.table(name)
    try:
        if kind == "put":
            table.put({"key": key, "n": [n]})
        elif kind == "patch":
            table.patch(key, n=[n, n])
        elif kind == "drop":
            table.drop(key)
        elif kind == "insert":
            table.insert({"key": key, "n": n})
        elif kind == "update":
            table.update({"n": {"x": n}}, where("key") == key)
        elif kind == "remove":
            table.remove(where("key") == key)
        elif kind == "truncate":
            table.truncate()
        else:
            store.drop_tables()
    except (KeyError, ValueError):
        pass


@settings(max_examples=200, deadline=None)
@given(BRANCHING)
def test_forks_of_forks_never_see_each_other(steps: list[tuple[int, str, Any]]) -> None:
    """Branches of copy-on-write stores against branches that replay all their writes into a store of their own."""
    stores = [Store({"t": "key", "u": "key"})]
    histories: list[list[tuple[str, Any]]] = [[]]
    for number, name, write in steps:
        at = number % len(stores)
        if write == "fork":
            stores.append(stores[at].fork())
            histories.append(list(histories[at]))
        elif write == "pickle":
            stores[at] = pickle.loads(pickle.dumps(stores[at]))
        elif write == "copy":
            stores[at] = copy.deepcopy(stores[at])
        else:
            _write(stores[at], name, write)
            histories[at].append((name, write))
    for store, history in zip(stores, histories, strict=True):
        fresh = Store({"t": "key", "u": "key"})
        for name, write in history:
            _write(fresh, name, write)
        assert store.dump() == fresh.dump()
        assert store.record_count() == fresh.record_count() == len(store.table("t")) + len(store.table("u"))
        for name in ("t", "u"):
            assert [doc.doc_id for doc in store.table(name)] == [doc.doc_id for doc in fresh.table(name)]
            _index_is_right(store.table(name))
            assert store.table(name).insert({"n": 0}) == fresh.table(name).insert({"n": 0})


def test_a_fork_shares_records_until_a_side_writes() -> None:
    store = Store({"t": "key"})
    store.table("t").put({"key": "a", "n": 1})
    fork = store.fork()
    assert fork.table("t").find("a") is store.table("t").find("a")
    fork.table("t").patch("a", n=2)
    store.table("t").put({"key": "b", "n": 3})
    assert store.table("t").find("a") == {"key": "a", "n": 1}
    assert fork.table("t").find("b") is None


def test_a_table_object_from_before_the_fork_writes_to_its_own_side() -> None:
    store = Store({"t": "key"})
    table = store.table("t")
    table.put({"key": "a"})
    fork = store.fork()
    table.put({"key": "b"})
    assert len(fork.table("t")) == 1
    assert len(table) == 2


def test_dump_tells_states_apart_and_ignores_how_they_came_about() -> None:
    first, second = Store({"t": "key"}), Store({"t": "key"})
    first.table("t").put({"key": "a", "n": 1, "m": 2})
    second.table("t").put({"m": 2, "n": 0, "key": "a"})
    assert first.dump() != second.dump()
    second.table("t").patch("a", n=1)
    second.table("unused")
    assert first.dump() == second.dump()
    assert orjson.loads(first.dump()) == {"t": [{"key": "a", "m": 2, "n": 1}]}
    second.table("t").put({"key": "b"})
    first.table("t").put({"key": "c"})
    first.table("t").put({"key": "b"})
    second.table("t").put({"key": "c"})
    assert first.dump() != second.dump(), "the order of records is part of the state"


def test_records_survive_pickling_read_only_and_numbered() -> None:
    store = Store({"t": "key"})
    record = store.table("t").put({"key": "a", "n": [{"x": 1}]})
    other = pickle.loads(pickle.dumps(record))
    assert (type(other), other, other.doc_id) == (Record, record, record.doc_id)
    with pytest.raises(TypeError):
        other["n"][0]["x"] = 2


# -- what is derived -------------------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(BRANCHING)
def test_what_is_derived_is_never_out_of_date(steps: list[tuple[int, str, Any]]) -> None:
    stores = [Store({"t": "key", "u": "key"})]
    for number, name, write in steps:
        at = number % len(stores)
        if write == "fork":
            stores.append(stores[at].fork())
        elif write == "pickle":
            stores[at] = pickle.loads(pickle.dumps(stores[at]))
        elif write == "copy":
            stores[at] = copy.deepcopy(stores[at])
        else:
            _write(stores[at], name, write)
        for store in stores:
            t, u = store.table("t"), store.table("u")
            assert t.derive("rows", list) == t.all()
            assert u.derive("rows", list) == u.all()
            both = t.derive("both", lambda rows, u=u: [*rows, *u.rows()], u)  # type: ignore[misc]
            assert both == [*t.all(), *u.all()]


def test_what_is_derived_is_made_once_until_the_next_write_and_shared_by_forks() -> None:
    store = Store({"t": "key", "u": "key"})
    table, other = store.table("t"), store.table("u")
    table.put({"key": "a"})
    first = table.derive("keys", lambda rows: [row["key"] for row in rows])
    fork = store.fork()
    assert fork.table("t").derive("keys", list) is first
    other.put({"key": "z"})
    assert table.derive("keys", list) is first
    fork.table("t").put({"key": "b"})
    assert fork.table("t").derive("keys", lambda rows: [row["key"] for row in rows]) == ["a", "b"]
    assert table.derive("keys", list) is first
    assert table.derive("numbered", len) == 1
    table.patch("a", n=1)
    assert table.derive("keys", len) == 1


def test_what_is_derived_from_two_tables_follows_both() -> None:
    store = Store({"t": "key", "u": "key"})
    table, other = store.table("t"), store.table("u")

    def sizes() -> list[int]:
        return table.derive("sizes", lambda rows: [len(rows), len(other)], other)

    first = sizes()
    assert first == [0, 0]
    assert sizes() is first
    other.put({"key": "a"})
    assert sizes() == [0, 1]
    table.put({"key": "a"})
    assert sizes() == [1, 1]


def test_an_update_shows_later_conditions_what_earlier_ones_have_changed() -> None:
    table = Store({"t": "key"}).table("t")
    table.insert_multiple([{"key": "a", "n": 1}, {"key": "b", "n": 1}])

    def total(doc: Any) -> bool:
        return table.derive("total", lambda rows: sum(row["n"] for row in rows)) < 7

    table.update_multiple([({"n": 6}, total)])
    assert [row["n"] for row in table.rows()] == [6, 1]


def test_copies_leave_out_what_is_derived() -> None:
    store = Store({"t": "key"})
    store.table("t").put({"key": "a"})
    before = pickle.dumps(store), store.dump()
    store.table("t").derive("unpicklable", lambda rows: lambda: rows)
    assert (pickle.dumps(store), store.dump()) == before
    assert copy.deepcopy(store).table("t").derive("unpicklable", len) == 1
