"""The expression language: what its constructs mean, and what it says about those it does not have."""

from __future__ import annotations

import datetime as dt
import pickle
import random
import threading
from typing import Any

import pytest

from lifegym.checks.expressions import (
    BUDGET,
    Expression,
    ExpressionError,
    Macro,
    Missing,
    Template,
    compile_value,
    evaluate_value,
    plain,
)
from lifegym.checks.syntax import compile_source
from lifegym.checks.values import FUNCTIONS
from lifegym.world.frozen import freeze

UTC = dt.UTC
ROWS = freeze(
    [
        {"who": "ann", "n": 3, "day": "2026-03-02", "at": "2026-03-02T10:00:00+01:00"},
        {"who": "bo", "n": 5, "day": "2026-03-03", "at": "2026-03-03T09:00:00+00:00"},
        {"who": "cy", "n": 0, "day": "2026-03-04", "at": "2026-03-04T09:00:00+00:00"},
    ]
)
NAMES: dict[str, Any] = {
    **FUNCTIONS,
    "rows": ROWS,
    "p": freeze({"n": 5, "who": "bo", "list": [1, 2, 3], "none": None}),
    "day": dt.date(2026, 3, 3),
    "clock": dt.time(19, 5),
    "at": dt.datetime(2026, 3, 3, 9, tzinfo=UTC),
    "span": dt.timedelta(minutes=90),
}


def value(source: str, **more: Any) -> Any:
    return Expression(source).evaluate({**NAMES, **more})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("7 % 4", 3),
        ("-(3)", -3),
        ("'a' + 'b'", "ab"),
        ("[1] + [2, 3]", [1, 2, 3]),
        ("(1, 2)", [1, 2]),
        ("{'a': 1, 'b': [2]}", {"a": 1, "b": [2]}),
        ("not 0", True),
        ("0 or 'x'", "x"),
        ("1 and 'x'", "x"),
        ("0 and boom", 0),
        ("1 if p.n > 4 else 2", 1),
        ("'no' if p.n > 5 else 'yes'", "yes"),
        ("1 < 2 < 3", True),
        ("1 < 3 < 2", False),
        ("3 > 2 >= 2 == 2 != 1", True),
        ("p.none is None", True),
        ("p.n is not None", True),
        ("2 in [1, 2]", True),
        ("4 not in p.list", True),
        ("'b' in 'abc'", True),
        ("'n' in p", True),
        ("[r.n for r in rows if r.n]", [3, 5]),
        ("[r.who + s for r in rows for s in ['1', '2'] if r.n > 3]", ["bo1", "bo2"]),
        ("[x for x in [y for y in p.list if y > 1]]", [2, 3]),
        ("sum(r.n for r in rows)", 8),
        ("{r.who: r.n for r in rows if r.n}", {"ann": 3, "bo": 5}),
        ("[a + b for a, b in [[1, 2], [3, 4]]]", [3, 7]),
        ("[k for k in {'x': 1, 'y': 2}]", ["x", "y"]),
        ("p.list[0]", 1),
        ("p.list[-1]", 3),
        ("p.list[1:]", [2, 3]),
        ("p.list[:-1]", [1, 2]),
        ("'2026-03-02'[:4]", "2026"),
        ("p['n']", 5),
        ("day.year * 10000 + day.month * 100 + day.day", 20260303),
        ("day.weekday", "Tue"),
        ("at.date == day and at.time.hour == 9", True),
        ("clock.minute", 5),
        ("span.hours", 1.5),
        ("(at + span).iso", "2026-03-03T10:30:00+00:00"),
        ("at - (at - span) == span", True),
        ("span * 2 == span + span", True),
        ("span / minutes(30)", 3.0),
    ],
)
def test_constructs(source: str, expected: Any) -> None:
    result = value(source, boom=1)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("'2026-03-03' == day", True),
        ("day == '2026-03-03'", True),
        ("'2026-03-03T23:00:00+08:00' == day", True),  # a record's instant beside a date counts by its date
        ("'2026-03-04' > day", True),
        ("day <= '2026-03-03'", True),
        ("'03.03.2026' == day", False),
        ("'19:05' == clock", True),
        ("'19:06' > clock", True),
        ("'2026-03-03T10:00:00+01:00' == at", True),  # the same instant with another offset
        ("rows[0].at < at < rows[2].at", True),
        ("'2026-03-03T09:00' == at", True),  # without an offset it is read beside the instant's
        ("'soon' == at", False),
        ("day in ['2026-03-02', '2026-03-03']", True),
        ("'2026-03-09' in [day]", False),
        ("('2026-03-05' - day).days", 2.0),
        ("(at - rows[0].at).hours", 24.0),
        ("(rows[1].at - at).minutes", 0.0),
        ("'b' > 'a'", True),
        ("1 == 1.0", True),
        ("'1' == 1", False),
        ("None == day", False),
    ],
)
def test_texts_meet_dates_times_and_instants(source: str, expected: Any) -> None:
    assert value(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        "p.none > 1",
        "'soon' < at",
        "1 < p.none",
        "p.none + 1",
        "1 - p.none",
        "2 * p.none",
        "p.none / 2",
        "-p.none",
        "sum([1, p.none])",
        "sorted(['a', p.none])",
        "max([p.none, 2])",
        "p.list[7]",
        "p['x']",
        "naive < at",
        "naive - at",
        "first([])",
    ],
)
def test_what_is_not_there_is_missing_evidence(source: str) -> None:
    with pytest.raises(Missing):
        value(source, naive=dt.datetime(2026, 3, 3, 9))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 +", r"not an expression \(.*\): 1 \+"),
        ("", "not an expression"),
        ("x = 1", "not an expression"),
        ("import os", "not an expression"),
        ("1; 2", "not an expression"),
        ("p.x", r"there is no field 'x'; there are: list, n, none, who"),
        ("day.hour", "a date has no field 'hour'"),
        ("p.none.x", "there is no value to read 'x' from"),
        ("1 + 'a'", "cannot add int and str"),
        ("'a' - 1", "cannot subtract int from str"),
        ("'a' / 2", "cannot divide str by int"),
        ("-'a'", "cannot negate str"),
        ("1 < 'a'", "cannot compare int with str"),
        ("1 / 0", "division by zero"),
        ("5 % 0", "division by zero"),
        ("1 in 'a'", "a text cannot contain int"),
        ("1 in 2", "cannot look for a value in int"),
        ("[x for x in 5]", "cannot loop over int"),
        ("[x for x in 'abc']", "cannot loop over str"),
        ("[a for a, b in [[1]]]", r"ValueError.*\(in: \[a for a, b"),
        ("5[0]", "a int has no items"),
        ("p.list['a']", "cannot take item 'a'"),
        ("5[1:]", "a int cannot be cut"),
        ("p.list[::2]", "a slice has no step"),
        ("len(5)", "a int has no length"),
        ("len()", r"TypeError.*\(in: len\(\)\)"),
        ("missing_name", r"unknown name 'missing_name' \(in: missing_name\)"),
        ("1 is 1", "'is' compares with None only"),
        ("[len(1) for len in [1]]", "'len' is a variable here and cannot be called"),
    ],
)
def test_errors_name_the_cause(source: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        value(source)


def test_unknown_names_are_refused_at_compile_time_with_the_nearest() -> None:
    with pytest.raises(ExpressionError, match=r"unknown name 'recrods'; do you mean records\? \(in: len\(recrods\)\)"):
        Expression("len(recrods)", known={"records", "len", "replies"})
    with pytest.raises(ExpressionError, match=r"unknown name 'zzz' \(in"):
        Expression("zzz", known={"records"})
    assert Expression("[x for x in records]", known={"records"}).names == ("records",)


def test_names_are_those_from_outside() -> None:
    assert set(Expression("sum([r.n * k for r in rows]) + p.n").names) == {"sum", "rows", "p", "k"}


def test_a_chain_evaluates_every_side() -> None:
    assert value("1 < p.n < 9 < 8") is False
    assert value("day == '2026-03-03' == day")


def test_a_loop_variable_hides_a_name_only_inside() -> None:
    assert value("[p for p in [1, 2]] + [p.n]") == [1, 2, 5]


@pytest.mark.parametrize("source", ["[b for a in [1] for b in b]", "[x for x in [1] if y for y in [1]]"])
def test_a_loop_variable_used_before_its_loop_is_an_error_of_the_expression(source: str) -> None:
    with pytest.raises(ExpressionError, match="UnboundLocalError"):
        value(source, b=[1], y=1)


def test_evaluating_changes_no_value() -> None:
    before = pickle.dumps(ROWS)
    value("[merge(r, {'n': 9}) for r in sorted(rows, by='n')] + [rows[0]]")
    assert pickle.dumps(ROWS) == before


def test_an_expression_survives_pickling() -> None:
    copy = pickle.loads(pickle.dumps(Expression("p.n + 1")))
    assert copy.evaluate(NAMES) == 6
    assert repr(copy) == "Expression('p.n + 1')"


def test_parts_are_the_sides_of_comparisons() -> None:
    parts = Expression("not p.n == 5 and len(rows) < max(p.list) and has('x', p.who)").parts()
    assert [part.source for part in parts] == ["p.n", "len(rows)", "max(p.list)", "p.who"]
    assert [part.evaluate(NAMES) for part in parts] == [5, 3, 3, "bo"]


def test_a_parameter_may_be_called_as_a_function_of_the_language_is() -> None:
    late = Expression("first + len(words)", known={"first", "len", "words"}, own=["first", "words"])
    assert Macro(("first", "words"), late, {})(1, [2]) == 2
    assert pickle.loads(pickle.dumps(late)).evaluate({"first": 1, "words": [2, 3]}) == 3
    assert [part.evaluate({"first": 5}) for part in Expression("first == 5", own=["first"]).parts()] == [5]
    with pytest.raises(ExpressionError, match="first is a function: call it"):
        Expression("first + 1")


def test_fields_of_mappings_and_of_other_values_in_one_expression() -> None:
    """What Python's own items cannot read is read by the language's rules, the first time and after it."""
    source = Expression("[x.day for x in values]")
    days = [{"day": 1}, dt.date(2026, 3, 2), {"day": 3}]
    for _ in range(3):
        assert source.evaluate({"values": days[:1]}) == [1]
        assert source.evaluate({"values": days}) == [1, 2, 3]
        with pytest.raises(ExpressionError, match="a str has no field 'day'"):
            source.evaluate({"values": ["x"]})
        with pytest.raises(ExpressionError, match="there is no field 'day'; there are: n"):
            source.evaluate({"values": [{"n": 1}]})
        with pytest.raises(Missing, match="there is no item 7"):
            Expression("values[7]").evaluate({"values": days})


def test_a_second_attempt_has_the_whole_budget() -> None:
    """Half of the budget is spent before the date's field is asked for; twice that would be too much."""
    numbers = list(range(1000))
    source = Expression("len([n for n in numbers for m in times]) + day.day")
    names = {"numbers": numbers, "times": list(range(BUDGET // 2000 + 10)), "day": dt.date(2026, 3, 2)}
    assert source.evaluate(names) == len(numbers) * len(names["times"]) + 2
    with pytest.raises(ExpressionError, match="more than"):
        source.evaluate({**names, "times": list(range(BUDGET // 1000 + 10))})


def test_a_function_that_calls_itself_meets_a_date() -> None:
    """The innermost call is the first to read by the language's rules; those around it are still under way."""
    scope = dict(NAMES)
    scope["total"] = Macro(("x",), Expression("(total(x.next) if x.next is not None else 0) + x.day.day"), scope)
    day = dt.date(2026, 3, 2)
    chain = {"day": day, "next": {"day": day, "next": {"day": day, "next": None}}}
    assert value("total(chain)", total=scope["total"], chain=chain) == 6


def test_threads_share_an_expression_that_meets_a_date() -> None:
    """One finds that it has to be read by the language's rules while others are still in their first attempt."""
    gate = threading.Barrier(4)
    source = Expression("[x.day for x in first(wait())]")
    days = [[dt.date(2026, 3, 2)] * 3]
    slow, found = threading.Event(), []

    def wait() -> Any:
        if threading.current_thread().name == "slow" and not slow.is_set():
            gate.wait(10)
            slow.wait(10)
        return days

    def evaluate() -> None:
        found.append(source.evaluate({"wait": wait}))

    late = [threading.Thread(target=evaluate, name="slow") for _ in range(3)]
    for thread in late:
        thread.start()
    gate.wait(10)
    evaluate()
    slow.set()
    for thread in late:
        thread.join(10)
    assert found == [[2, 2, 2]] * 4


@pytest.mark.parametrize("seed", range(6))
def test_both_ways_to_read_fields_give_the_same(seed: int) -> None:
    """Python's own items where they do, and the language's operations: the same values, the same errors."""
    chance = random.Random(seed)
    scope = dict(NAMES, mixed=[{"day": 1}, NAMES["day"], None, "t", {"n": [{"day": NAMES["day"]}]}])
    scope["f"] = Macro(("x",), Expression("x.day"), scope)

    def grow(depth: int) -> str:
        part = [grow(depth - 1) for _ in range(3)] if depth else []
        leaves = ["(1)", "'n'", "p", "rows", "mixed", "day", "at", "None", "p.list", "x"]
        forms = ["{}.n", "{}.day", "{}[{}]", "({} + {})", "({} == {})", "[{} for x in mixed]", "[{} for x in rows]",
                 "{{'n': {}, 'day': {}}}", "({} if {} else {})", "f({})", "get({}, {}, 1)", "[{}, {}]", "len({})",
                 "first({})", "str({})", "[{} for p in {}]"]  # fmt: skip
        return chance.choice(forms).format(*part) if depth else chance.choice(leaves)

    def outcome(expression: Expression) -> str:
        try:
            return repr(expression.evaluate({**scope, "x": ROWS[0]}))
        except (ExpressionError, Missing) as error:
            return f"{type(error).__name__}: {error}"

    found = set()
    for _ in range(300):
        source = grow(chance.choice([1, 2, 3]))
        quick, careful = Expression(source), Expression(source)
        careful._function = careful._careful = compile_source(source, None).function
        found.add(outcome(careful))
        assert outcome(quick) == outcome(careful), source
        assert outcome(quick) == outcome(careful), source
    assert len(found) > 50


def test_a_macro_is_an_expression_with_parameters() -> None:
    macro = Macro(("row", "k"), Expression("row.n * k + p.n"), NAMES)
    assert value("[cost(r, 2) for r in rows]", cost=macro) == [11, 15, 5]
    with pytest.raises(ExpressionError, match="it takes row, k, not 1 values"):
        value("cost(rows[0])", cost=macro)
    with pytest.raises(ExpressionError, match="unknown name 'nowhere'"):
        value("f(1)", f=Macro(("x",), Expression("x + nowhere"), NAMES))


# -- texts with expressions in them ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("plain", "plain"),
        ("", ""),
        ("${p.n}", 5),
        ("${[p.n]}", [5]),
        ("${day}", dt.date(2026, 3, 3)),
        ("n is ${p.n}!", "n is 5!"),
        ("${p.n}${p.who}", "5bo"),
        (" ${p.n}", " 5"),
        ("${day} ${clock} ${at}", "2026-03-03 19:05 2026-03-03T09:00:00+00:00"),
        ("${'}' + '{'}", "}{"),
        ("a ${{'k': 'v}'}['k']} b", "a v} b"),
        ("${[{'a': 1}, {'a': 2}][1].a} }", "2 }"),
        ("$5 and {x} and $ {y}", "$5 and {x} and $ {y}"),
        ("line\n${p.who}\n", "line\nbo\n"),
        ("${ p.n }", 5),
    ],
)
def test_templates(source: str, expected: Any) -> None:
    result = Template(source).evaluate(NAMES)
    assert result == expected
    assert type(result) is type(expected)


def test_a_single_expression_keeps_its_value_as_it_is() -> None:
    assert Template("${p.list}").evaluate(NAMES) is NAMES["p"]["list"]


@pytest.mark.parametrize("source", ["${", "${p.n", "a ${1 +} b", "${'}", "${}}"])
def test_a_template_without_an_end_is_refused(source: str) -> None:
    with pytest.raises(ExpressionError, match="without a matching"):
        Template(source)


def test_lists_do_not_stand_inside_a_text() -> None:
    with pytest.raises(ExpressionError, match="a FrozenList cannot stand inside a text"):
        Template("x ${p.list}").evaluate(NAMES)


def test_templates_say_what_they_need_and_whether_they_are_constant() -> None:
    assert Template("${p.n + q}").names == {"p", "q"}
    assert not Template("${1}").constant
    assert Template("text").constant
    with pytest.raises(ExpressionError, match="unknown name 'q'"):
        Template("${q}", known={"p"})


def test_values_with_templates_deep_inside() -> None:
    compiled = compile_value({"a": ["${p.n}", "x"], "b": {"c": "${day}", "d": "${span}"}, "e": 3, "f": None})
    assert evaluate_value(compiled, NAMES) == {"a": [5, "x"], "b": {"c": "2026-03-03", "d": 90.0}, "e": 3, "f": None}


def test_plain_values_are_json() -> None:
    values = [dt.date(2026, 1, 2), dt.time(9, 5), dt.datetime(2026, 1, 2, tzinfo=UTC), dt.timedelta(hours=2), (1, None)]
    assert plain({"v": values}) == {"v": ["2026-01-02", "09:05", "2026-01-02T00:00:00+00:00", 120.0, [1, None]]}
