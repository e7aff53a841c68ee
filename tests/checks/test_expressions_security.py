"""A stranger's expressions: whatever they try, they are refused or cut off, in bounded time and memory."""

from __future__ import annotations

import ast
import datetime as dt
import tracemalloc
import types
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lifegym.checks import budget
from lifegym.checks.check import Check
from lifegym.checks.evaluation import explain
from lifegym.checks.evidence import FileEvidence
from lifegym.checks.expressions import (
    BUDGET,
    Expression,
    ExpressionError,
    Macro,
    Missing,
    Template,
    compile_value,
    plain,
)
from lifegym.checks.values import FUNCTIONS
from lifegym.world.frozen import freeze

FILE = FileEvidence("a.txt", "one\ntwo", dt.datetime(2026, 1, 1, tzinfo=dt.UTC), None)
NAMES: dict[str, Any] = {
    **FUNCTIONS,
    "p": freeze({"n": 5, "text": "abc", "rows": [{"a": 1}]}),
    "file": lambda path: FILE,
    "rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    "day": dt.date(2026, 3, 2),
    "big": "x" * 300_000,
    "instant_text": "2026-01-01T00:00:00." + "0" * 300_000 + "+00:00",
    "at": dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
    "numbers": freeze([list(range(40_000))]),
    "prices": "1.5 " * 70_000,
    "huge": 1 << 9999,
}


def refused(source: str, names: dict[str, Any] | None = None) -> None:
    """The source is refused, or its evaluation is."""
    with pytest.raises((ExpressionError, Missing)):
        Expression(source).evaluate(names or NAMES)


@pytest.fixture
def little_memory() -> Iterator[None]:
    """What the test does takes little memory."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < 120_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "source",
    [
        # Python's own attributes, however they are reached
        "p.__class__", "p.__class__.__mro__[1].__subclasses__()", "''.__class__", "rows.__len__", "len.__globals__",
        "len.__self__", "file('a').__dict__", "file('a')._path", "file('a')._artifact", "p._n", "day.__class__",
        "(1).real", "(1).bit_length", "'a'.upper", "rows.append", "day.strftime", "day.today", "p.items", "p.get",
        "file('a').rows.sort", "[x.__class__ for x in rows]", "p.ｎ.__class__", "p.＿＿class＿＿", "＿field(p, 'n')",
        # methods and other callables
        "'{0.__class__}'.format(p)", "'%s' % p", "'{}'.format_map(p)", "''.join(['a'])", "(len)(rows)()",
        "[len][0](rows)", "p(1)", "rows()", "'a'()", "1()", "(lambda: 1)()", "p['n']()", "day()", "len(rows)(rows)",
        # functions as values
        "len", "[len]", "{'f': len}", "len == len", "sorted(rows, by=len)", "max(1, 2, key=len)", "len if 1 else 2",
        "[f for f in [len, sum]]", "get({}, 'x', sum)", "str(len)", "merge({'a': file})", "not len",
        # builtins and modules
        "eval('1')", "exec('1')", "open('/etc/passwd')", "__import__('os')", "globals()", "vars()", "getattr(p, 'n')",
        "type(p)", "object", "__builtins__", "__name__", "print(1)", "dir()", "help()", "breakpoint()", "super()",
        # the evaluator's own hooks
        "_field(p, 'n')", "_call(len, rows)", "_iterate(rows)", "_add(1, 2)", "_equal", "[_call for _call in [1]]",
        "[1 for _iterate in rows]", "len(_x=1)", "len(function=rows)", "len(self=1)", "len(values=rows, self=1)",
        # constructs outside the language
        "lambda: 1", "(x := 1)", "[y := 1, y]", "f'{p}'", "f'{p.__class__}'", "[*rows]", "len(*rows)", "merge(**p)",
        "{**p}", "{1, 2}", "{x for x in rows}", "(yield)", "(yield from rows)", "await p", "[x async for x in rows]",
        "...", "b'a'", "1j", "2 ** 9", "1 << 9", "9 >> 1", "1 | 2", "1 & 2", "1 ^ 2", "~1", "+1", "rows @ rows",
        "[x for x.a in rows]", "[x for x[0] in rows]", "[x for (x, (y, z)) in rows]", "[x for *x, y in rows]",
        "p.n if 1", "del p", "p.n = 1", "x: int", "import os", "assert 1", "a if b", "1 if", "print 1", "p is rows",
        "rows[0:1, 2]", "rows[::1]", "file('a').gi_frame", "(x for x in rows).gi_frame", "len(a=1, a=2)",
        # repetition
        "'a' * 9", "9 * 'a'", "[1] * 9", "9 * [1]", "rows * 2", "day * 2", "'a' % 1", "{} + {}", "True * 'a'",
    ],
)  # fmt: skip
def test_escapes_are_refused(source: str) -> None:
    refused(source)


@pytest.mark.parametrize(
    "source",
    [
        "9" * 40, "1" + "0" * 4000, "0x" + "f" * 3000, "'" + "a" * 5000 + "'", "1 + " * 900 + "1", "(" * 2500,
        "[" * 2500,
        "[" * 60 + "]" * 60, "-" * 3500 + "1", "not " * 900 + "1", "1" + "<1" * 1900, "p" + ".n" * 900,
        "p" + "[0]" * 900, "[1 " + "for a in rows " * 41 + "]", "(1<" * 60 + "1" + "<1)" * 60,
        "1 if 1 else " * 300 + "1",
        "len(" * 100 + "rows" + ")" * 100, "\x00", "'\ud800'", "\ud800", "'a", "a\\", "\t\n", "#", "# x",
        "1 # " + "x" * 5000,
        "'" + "\\" * 9, "{" * 300, "a" * 3999 + "(", "🦊", "1__0", "0777", "p .",
        "1_000_000_0000_00000_0000000_0000_0000_0000_0000_00000",
    ],
)  # fmt: skip
def test_long_deep_and_broken_sources_are_refused(source: str, little_memory: None) -> None:
    refused(source)


@pytest.mark.parametrize(
    "source",
    [
        "range(10001)", "range(10 * 1000000)", "range(0, 1, 0)", "range(1.5)", "range(1000000000000000000000000)",
        "[1 for a in range(1000) for b in range(1000)]",
        "[1 for a in range(100) for b in range(100) for c in range(100)]",
        "[range(10000) for a in range(10000)]",
        "sum([sum([sum([c for c in range(100)]) for b in range(100)]) for a in range(100)])",
        "{a: [b for b in range(10000)] for a in range(10000)}",
        "flat([[big, big] for a in range(1000)] + [flat([range(10000) for b in range(19)])])",
        "flat([flat([range(5000) for a in range(20)]) for b in range(20)])",
        "flat(['abc', 'def'])", "flat([1])",
        "big + big", "[big + 'a' for a in range(10000)]", "[big[1:] for a in range(10000)]",
        "[big in big for a in range(10000)]", "[x for x in range(10000) if x in range(10000)]",
        "[1 for a in range(10000) if big == big + 'a']", "[1 for a in range(10000) if big < big]",
        "[rows[0:] for a in range(9000) for b in range(20)]", "[range(9999)[1:] for a in range(100)]",
        "replace(big, 'x', 'yyyyyyyy')", "replace('a', '', 'b')", "replace(replace('a' + big, 'a', big), 'a', big)",
        "[replace(big, 'x', 'z') for a in range(10000)]", "join(range(10000), big)", "join([big, big], '')",
        "join([join(range(9999), ', ') for a in range(9)])", "split(big, 'x')",
        "[upper(text=big) for a in range(10000)]",
        "pad(1, 1000000000)", "pad(1, -5)", "pad('a')", "pad(5, '9')", "num(1, 1000000000)", "num(1, -1)", "num('1')",
        "num(day)",
        "money(1, 1000000000)", "money('1')", "round(1, 1000000000)", "round(1, -1000000000)", "round('a')",
        "round(1000000000000000000000000, -9) * 100000000", "int(1000000000.0 * 1000000000000000000000000000.0)",
        "int('9' + '9999999999999999999999999999')",
        "float('inf')", "float('nan')", "float('1e999')", "int('inf')", "sum([[1], [2]])", "sum(['a', 'b'])", "sum(1)",
        "strf(day, '%100000000d')", "strf(day, '%Q')", "strf(day, '%')", "strf(day, '%H')", "strf('x', '%d')",
        "strf(1, '%d')",
        "[strf(day, big) for a in range(10000)]", "days(1000000000000)", "minutes(1000000000000000)",
        "day + days(9999999)",
        "add_months(day, 1000000000)", "add_months(day, 1.5)", "add_months('x', 1)", "after_workdays(day, 1001)",
        "[after_workdays(day, 1000) for a in range(10000)]", "after_workdays(day, -1)",
        "dates('0001-01-01', '9999-12-31')",
        "[workdays('2000-01-01', '2026-01-01') for a in range(10000)]", "gaps([1, 2])", "gaps(['a'])",
        "unique([[a] for a in range(10000)])", "unique(5)", "sorted([1, 'a'])", "sorted([rows, rows], by='a')",
        "sorted(rows, by='__class__')", "sorted(rows, by='_x')", "sorted(rows, by=1)", "sorted(rows, by=rows)",
        "sorted([day, 1])",
        "sorted([[1], ['a']])", "min([rows[0], rows[1]])", "min(5)", "max([])", "zip(1)", "enumerate(5)",
        "keys('abc')", "items([1])",
        "get([1], 0)", "get('a', 0)", "merge([1])", "exact(rows, rows, 'zz')", "exact(rows, rows, ['__class__'])",
        "exact(1, 1, [])",
        "exact([{'a': x} for x in range(3000)], [{'a': x} for x in range(3000)], ['a'])",
        "{[1]: 2}", "{rows: 1}", "lower(1)", "split(1, 'a')", "lines(1)", "has(1, 'a')", "names_date('a', 'b')",
        "says('a', 'zz')",
        "words(5)", "amounts(1)", "names_amount(1, 2)", "any(1)", "all(5)", "abs('a')", "one(5)", "last(5)", "date(1)",
        "time(rows)",
        "instant(p)", "date({})",
    ],
)  # fmt: skip
def test_bombs_and_hostile_values_are_refused(source: str, little_memory: None) -> None:
    refused(source)


LARGE_FOR_LITTLE = {
    "lists in a round": "[[" + "[], " * 550 + "] for a in range(9999) for b in range(19)]",
    "a mapping in a round": "[{"
    + ", ".join(f"'k{n}': 1" for n in range(270))
    + "} for a in range(9999) for b in range(19)]",
    "small lists in a round": "[[[1], [2], [3], {}, {}, {}] for a in range(9999) for b in range(15)]",
}


@pytest.mark.parametrize("source", LARGE_FOR_LITTLE.values(), ids=LARGE_FOR_LITTLE.keys())
def test_what_stands_in_a_loop_is_made_within_the_budget(source: str, little_memory: None) -> None:
    refused(source)


SLOW_FOR_LITTLE = {
    "a long condition": "[1 for a in range(9999) for b in range(15) if " + "1 and " * 500 + "1]",
    "long fractions of a second": "[instant(instant_text) for a in range(9999) for b in range(5)]",
    "the same in a time": "[time(instant_text[11:]) for a in range(30)]",
    "the same compared": "(at - instant_text).days",
    "parts of a long name": "names(big, big[1:150000])",
    "many decoys": "names_amount(prices, 1.5, range(999))",
    "a long key looked for": "[numbers in {} for a in range(9999)]",
    "a long key in no mapping": "[get({}, numbers) for a in range(9999)]",
    "a long value hashed": "[unique([numbers]) for a in range(9999)]",
    "a long key": "{numbers: 1}",
    "a long key of each": "{[numbers][x]: 1 for x in [0, 0]}",
    "long texts that end differently": "big + 'a' in [big + 'b' for a in [1, 2, 3]] + range(9999)",
    "a number of any length": "-huge",
    "a number of any length, too": "abs(huge)",
}


@pytest.mark.parametrize("source", SLOW_FOR_LITTLE.values(), ids=SLOW_FOR_LITTLE.keys())
def test_slow_work_is_spent_for(source: str) -> None:
    refused(source)


def macros(**sources: tuple[tuple[str, ...], str]) -> dict[str, Any]:
    scope = dict(NAMES)
    for name, (parameters, source) in sources.items():
        scope[name] = Macro(parameters, Expression(source), scope)
    return scope


@pytest.mark.parametrize(
    "scope",
    [
        {"a": (("x",), "a(x)")},
        {"a": (("x",), "a(x) + a(x)")},
        {"a": (("x",), "a([x, x])")},
        {"a": (("x",), "b(x)"), "b": (("x",), "a(x) + 1")},
        {"a": (("x",), "[a(y) for y in [x, x, x]]")},
        {"a": (("x",), "a(x - 1) + a(x - 2) if x > 1 else 1")},
    ],
)
def test_macro_recursion_is_cut_off(scope: dict[str, Any]) -> None:
    refused("a(60)", macros(**scope))


def test_a_budget_is_shared_by_the_macros_it_calls() -> None:
    scope = macros(loop=(("n",), "len([1 for a in range(n)])"))
    assert Expression("loop(9000)").evaluate(scope) == 9000
    with pytest.raises(ExpressionError, match=f"takes more than {BUDGET} steps"):
        Expression("sum([loop(9000) for a in range(20)])").evaluate(scope)


def test_each_evaluation_has_its_own_budget() -> None:
    expression = Expression("len([1 for a in range(9000) for b in [1, 2]])")
    assert [expression.evaluate(NAMES) for _ in range(20)] == [18_000] * 20


def test_the_budget_ends_with_the_evaluation_that_failed() -> None:
    with pytest.raises(ExpressionError):
        Expression("[1 for a in range(1000) for b in range(1000)]").evaluate(NAMES)
    assert not budget.spending.steps.open
    assert Expression("len(range(9000))").evaluate(NAMES) == 9000


def shared_tree(depth: int) -> Any:
    """Two lists a level, each the same: 2 ** depth values in the memory of ``depth``."""
    value: Any = [1, 1]
    for _ in range(depth):
        value = Expression("[x, x]").evaluate({"x": value})
    return value


@pytest.mark.parametrize(
    "source",
    ["x == y", "x != y", "x < y", "x in [y]", "[x] == [y]", "{'a': x} == {'a': y}", "str(x)", "join([x])",
     "sorted([x, y])",
     "min([x, y])", "max(x, y)", "unique([x, y])", "exact([{'a': x}], [{'a': y}], ['a'])",
     "sorted([{'a': x}, {'a': y}], by='a')",
     "len(values=x)", "names(text='a', things=x)", "names('a', x)", "names_any('a', x)", "names_date('a', x)",
     "names_time('a', x)", "rows[x]", "{'a': 1}[x]", "p[x]", "sorted([1], x)", "exact([1], [1], [x])", "get(p, x)"],
)  # fmt: skip
def test_lists_of_shared_lists_are_not_walked(source: str) -> None:
    refused(source, {**NAMES, "x": shared_tree(60), "y": shared_tree(60)})


def test_the_memory_that_an_evaluation_takes_is_bounded_by_its_steps(little_memory: None) -> None:
    """In a shared function too, which a round calls."""
    scope = macros(make=(("n",), "[" + "[], " * 550 + "]"))
    refused("[make(a) for a in range(9999)]", scope)


def test_deep_values_are_refused_as_large_ones_are() -> None:
    scope = macros(wrap=(("n", "x"), "wrap(n - 1, [x]) if n else x"))
    deep: Any = 1
    for _ in range(100):
        deep = Expression("wrap(50, x)").evaluate({**scope, "x": deep})
    with pytest.raises(ExpressionError, match="too deeply nested"):
        plain(deep)
    refused("x == y", {"x": [deep], "y": [[deep]]})


def test_recursion_without_end_says_so() -> None:
    scope = macros(again=(("x",), "again([x]) + again(x.y)"))
    with pytest.raises(ExpressionError, match=r"too deeply nested \(in: again"):
        Expression("again(1)").evaluate(scope)


def test_attempts_that_are_made_again_do_not_multiply() -> None:
    """Each of many functions around each other finds that it has to read a date, and begins anew."""
    count = 0

    def work() -> int:
        nonlocal count
        count += 1
        budget.spend(BUDGET // 2)
        return 1

    scope: dict[str, Any] = {"work": work, "day": dt.date(2026, 3, 2)}
    scope["f0"] = Macro((), Expression("work() + day.day"), scope)
    for level in range(1, 60):
        scope[f"f{level}"] = Macro((), Expression(f"f{level - 1}() + day.day"), scope)
    try:
        Expression("f59()").evaluate(scope)
    except ExpressionError as error:
        assert "steps" in str(error)  # noqa: PT017
    assert count < 30


def test_an_interrupted_evaluation_leaves_nothing_open() -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Expression("[stop() for a in range(9)]").evaluate({**NAMES, "stop": interrupt})
    assert not budget.spending.steps.open


def test_lists_of_shared_lists_are_not_shown() -> None:
    tree = shared_tree(60)
    with pytest.raises(ExpressionError, match="too large"):
        plain(tree)
    with pytest.raises(ExpressionError, match="too large"):
        Template("${x}").evaluate({"x": tree}) and compile_value("${x}") and plain({"x": tree})


def test_an_explanation_survives_what_cannot_be_shown() -> None:
    class Moment:
        @property
        def names(self) -> Any:
            return self

        def scope(self) -> dict[str, Any]:
            return {**NAMES, "tree": shared_tree(60)}

    check = Check("c", "final", 1, "safety", "x", all=(Expression("len(tree) == 3"), Expression("tree")))
    rows = explain(check, Moment())  # type: ignore[arg-type]
    assert rows[0]["value"] is False
    assert rows[0]["sides"] == {"len(tree)": 2}
    assert rows[1]["missing"] == "a value is too large"


@pytest.mark.parametrize(
    "text",
    ["${" + "(" * 3900 + "}", "${" + "-" * 3900 + "1}", "${" + "}" * 200_000, "${'" + "}" * 200_000,
     "${" + "a + }" * 100_000,
     "${1}" * 100_000, "${" * 100_000, "${1 + }" * 50_000, "${" + "[" * 3000 + "}" * 3000],
)  # fmt: skip
def test_hostile_texts_are_refused_without_much_work(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = []
    real: Callable[..., Any] = ast.parse

    def counting(source: str, *args: Any, **kwargs: Any) -> Any:
        parsed.append(len(source))
        return real(source, *args, **kwargs)

    monkeypatch.setattr(ast, "parse", counting)
    with pytest.raises(ExpressionError):
        Template(text)
    assert len(parsed) <= 5000
    assert sum(parsed) < 2_000_000


def test_compiled_code_reaches_nothing_but_the_operations_and_the_functions_of_the_language() -> None:
    function = Expression("len(rows) + p.n")._function
    assert function.__globals__["__builtins__"] == {}
    assert {name for name in function.__globals__ if not name.startswith("_")} == set(FUNCTIONS)
    assert not [v for v in function.__globals__.values() if isinstance(v, (types.ModuleType, type))]


# -- anything at all ---------------------------------------------------------------------------------------------------

CONFIG = settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
_BAD = (types.ModuleType, type, types.FunctionType, types.MethodType, types.BuiltinFunctionType, types.GeneratorType,
Macro,
        types.CodeType, types.FrameType)  # fmt: skip


def harmless(value: Any, depth: int = 0) -> bool:
    if isinstance(value, _BAD) or depth > 50:
        return False
    if isinstance(value, dict):
        return all(harmless(k, depth + 1) and harmless(v, depth + 1) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        return all(harmless(item, depth + 1) for item in value[:200])
    return isinstance(value, (str, int, float, bool, type(None), dt.date, dt.time, dt.timedelta, range, FileEvidence))


def survives(source: str) -> None:
    try:
        value = Expression(source).evaluate(NAMES)
    except (ExpressionError, Missing):
        return
    assert harmless(value), source


TOKENS = st.sampled_from(
    [*"()[]{},.:+-*/%<>=!'\"", "==", "<=", " in ", " not ", " and ", " or ", " if ", " else ", " for x in ",
     " is None", "x", "p", "rows",
     "big", "day", "len", "sum", "sorted", "file('a')", ".a", ".n", "._x", ".__class__", "__import__", "lambda x:",
     ":=", "**", "0", "1",
     "'a'", "None", "True", "_", "*", "range(9)", "by='a'", "f'{p}'", "yield ", "await ", "\n", "\\", "é",
     "[x for x in rows]", "get(",
     "join(", "replace(", "date('2026-01-01')"]
)  # fmt: skip


@CONFIG
@given(st.one_of(st.text(max_size=80), st.lists(TOKENS, max_size=14).map("".join)))
def test_any_text_gives_a_plain_value_or_is_refused(source: str) -> None:
    survives(source)


LEAVES = st.sampled_from(
    ["0", "1", "-3", "2.5", "'a'", "''", "'2026-03-02'", "'10:00'", "None", "True", "p", "rows", "day", "big", "p.n",
     "p.text", "len", "x",
     "file('a')", "[]", "{}", "range(7)", "days(1)", "'%s'", "1e308", "999999999999999999999999999999"]
)  # fmt: skip
FIELDS = st.sampled_from(["a", "b", "n", "text", "rows", "lines", "year", "iso", "__class__", "_path", "keys", "date"])
CALLS = st.sampled_from(sorted(FUNCTIONS))


def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    def build(form: str, *parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(*parts).map(lambda values: form.format(*values))

    operators = st.sampled_from(
        ["+", "-", "*", "/", "//", "%", "==", "!=", "<", ">=", "in", "not in", "and", "or", "is"]
    )
    return st.one_of(
        build("({} {} {})", inner, operators, inner),
        build("({}).{}", inner, FIELDS),
        build("({})[{}]", inner, inner),
        build("({})[{}:{}]", inner, inner, inner),
        build("[{}, {}]", inner, inner),
        build("{{{}: {}}}", inner, inner),
        build("[{} for x in {} if {}]", inner, inner, inner),
        build("({} if {} else {})", inner, inner, inner),
        build("(not {})", inner),
        build("(-{})", inner),
        build("{}({})", CALLS, inner),
        build("{}({}, {})", CALLS, inner, inner),
        build("{}({}, {}, {})", CALLS, inner, inner, inner),
        build("{}({}, by={})", CALLS, inner, inner),
        build("{}(*{})", CALLS, inner),
    )


@settings(CONFIG, max_examples=600)
@given(st.recursive(LEAVES, grown, max_leaves=12))
def test_any_expression_tree_gives_a_plain_value_or_is_refused(source: str) -> None:
    survives(source)
