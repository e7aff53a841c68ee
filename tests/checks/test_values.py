"""The functions of the expression language, one by one."""

from __future__ import annotations

import datetime as dt
import locale
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.checks.expressions import Expression, ExpressionError, Missing
from lifegym.checks.values import FUNCTIONS

ROWS = [{"n": 2, "who": "bo"}, {"n": 1, "who": "ann"}, {"n": 2, "who": "cy"}]
NAMES: dict[str, Any] = {**FUNCTIONS, "rows": ROWS, "day": dt.date(2026, 2, 27), "none": None}


def value(source: str) -> Any:
    return Expression(source).evaluate(NAMES)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("one([7])", 7), ("first([7, 8])", 7), ("first([], 'x')", "x"), ("last([7, 8])", 8), ("last([], 0)", 0),
        ("len('abc')", 3), ("len({'a': 1})", 1), ("len([])", 0), ("sum([])", 0), ("sum([1, 2.5])", 3.5),
        ("min([3, 1])", 1), ("min(3, 1)", 1), ("max(['a', 'b'])", "b"), ("max(date('2026-01-01'), day) == day", True),
        ("any([0, 2])", True), ("any([])", False), ("all([])", True), ("all([1, 0])", False),
        ("[r.who for r in sorted(rows, by='n')]", ["ann", "bo", "cy"]),
        ("[r.who for r in sorted(rows, by='n', down=True)]", ["bo", "cy", "ann"]),
        ("sorted([3, 1, 2])", [1, 2, 3]), ("sorted([[2, 1], [1, 9]])", [[1, 9], [2, 1]]),
        ("unique([2, 1, 2, 1.0, 'a'])", [2, 1, "a"]), ("unique([[1], [1], [2]])", [[1], [2]]), ("unique([])", []),
        ("zip([1, 2, 3], ['a', 'b'])", [[1, "a"], [2, "b"]]), ("enumerate(['a'], 5)", [[5, "a"]]),
        ("range(3)", [0, 1, 2]), ("range(2, 4)", [2, 3]), ("range(5, 0, -2)", [5, 3, 1]), ("range(-1)", []),
        ("flat([[1], [], [2, 3]])", [1, 2, 3]), ("keys({'b': 1, 'a': 2})", ["b", "a"]),
        ("items({'a': 1})", [["a", 1]]), ("get({'a': 1}, 'a')", 1), ("get({}, 'a')", None), ("get({}, 'a', 3)", 3),
        ("merge({'a': 1, 'b': 1}, {'b': 2})", {"a": 1, "b": 2}), ("merge()", {}),
        ("exact(rows, [rows[2], rows[0], rows[1]], ['n', 'who'])", True), ("exact([], [], ['n'])", True),
        ("exact(rows, rows[1:], ['n'])", False), ("exact(rows, rows + [rows[0]], ['n'])", False),
        ("exact([{'a': 1}, {'a': 1}], [{'a': 1}, {'a': 2}], ['a'])", False),
        ("exact([{'a': '2026-02-27'}], [{'a': day}], ['a'])", True),
        ("totals(rows, by='who', of='n')", {"bo": 2, "ann": 1, "cy": 2}), ("totals([], 'a', 'b')", {}),
        ("totals([{'d': day, 'n': 1}, {'d': '2026-02-27', 'n': 2}], 'd', 'n')", {"2026-02-27": 3}),
        ("[[n, [r.who for r in same]] for n, same in items(group(rows, 'n'))]", [[2, ["bo", "cy"]], [1, ["ann"]]]),
        ("keys(group([{'d': day}, {'d': '2026-02-27'}, {'d': None}], by='d'))", ["2026-02-27", None]),
        ("abs(-3)", 3), ("abs(2.5)", 2.5),
        ("round(0.5)", 1), ("round(1.5)", 2), ("round(2.5)", 3), ("round(-2.5)", -3), ("round(1.005, 2)", 1.01),
        ("round(2.675, 2)", 2.68), ("round(1234, -2)", 1200), ("round(1250, -2)", 1300), ("round(0.1 + 0.2, 1)", 0.3),
        ("int('1,234')", 1234), ("int(3.9)", 3), ("int('-5')", -5), ("float('1,234.5')", 1234.5), ("float(2)", 2.0),
        ("num(53265.6, 2)", "53,265.60"), ("num(1234567)", "1,234,567"), ("num(-0.5, 1)", "-0.5"),
        ("money(888000)", "8,880.00"), ("money(5)", "0.05"), ("money(12345, 0)", "12,345"), ("money(-5)", "-0.05"),
        ("str(1.5)", "1.5"), ("str(day)", "2026-02-27"), ("str(time('09:05'))", "09:05:00"),
        ("join(['a', 1, day], ', ')", "a, 1, 2026-02-27"), ("join([])", ""),
        ("split('a, b ,c', ',')", ["a", "b", "c"]), ("split('a b', '')", ["a b"]),
        ("lines(' a \\n\\n b\\r\\n')", ["a", "b"]), ("lower('ÀB')", "àb"), ("upper('ab')", "AB"), ("strip(' a ')", "a"),
        ("replace('a-b-c', '-', '')", "abc"), ("starts('Ábc', 'ab')", True), ("starts('abc', 'b')", False),
        ("has('Crème brûlée', 'creme')", True), ("has('abc', 'x')", False), ("pad(7)", "07"), ("pad(123)", "123"),
        ("pad(7, 4)", "0007"), ("words(' a  b\\nc ')", 3),
        ("str(date('2026-02-27T23:00:00+08:00'))", "2026-02-27"), ("date(day) == day", True),
        ("str(time('2026-02-27T23:05:00+08:00'))", "23:05:00"), ("time('7:05'[0:0] + '07:05').hour", 7),
        ("instant('2026-02-27T23:05:00+08:00').iso", "2026-02-27T23:05:00+08:00"),
        ("minutes(90) == hours(1.5)", True), ("days(1) == hours(24)", True),
        ("str(add_months('2026-01-31', 1))", "2026-02-28"), ("str(add_months(day, -12))", "2025-02-27"),
        ("str(add_months('2024-02-29', 12))", "2025-02-28"),
        ("[str(d) for d in dates('2026-02-27', '2026-03-01')]", ["2026-02-27", "2026-02-28", "2026-03-01"]),
        ("dates('2026-03-01', '2026-02-27')", []),
        ("workdays('2026-02-27', '2026-03-02')", 1), ("workdays(day, day)", 0),
        ("workdays('2026-02-23', '2026-03-02')", 5),
        ("str(after_workdays('2026-02-27', 1))", "2026-03-02"), ("str(after_workdays('2026-02-28', 1))", "2026-03-02"),
        ("str(after_workdays('2026-02-28', 0))", "2026-02-28"), ("str(after_workdays('2026-02-27', 5))", "2026-03-06"),
        ("[g.hours for g in gaps(['2026-01-01T10:00:00+00:00', '2026-01-01T08:00:00+01:00'])]", [3.0]),
        ("strf(day, '%a %-d %B %Y, %d.%m.%y day %j')", "Fri 27 February 2026, 27.02.26 day 058"),
        ("strf('2026-03-05', '%A %-m %b %%')", "Thursday 3 Mar %"),
        ("strf('2026-03-05T09:07:00+08:00', '%H:%M %-H')", "09:07 9"), ("strf(time('19:05'), '%H.%M')", "19.05"),
    ],
)  # fmt: skip
def test_functions(source: str, expected: Any) -> None:
    result = value(source)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize(
    "source",
    [
        "one([])", "one([1, 2])", "first([])", "last([])", "min([])", "max([])", "min([1, none])", "sum([none])",
        "sorted([none, 1])", "sorted([{'a': 1}, {'a': none}], by='a')", "int('x')", "int('')", "int(none)",
        "int('9e9')",
        "float('')", "float(none)", "float('nan')", "float('-inf')", "int('99999999999999999999999999999')",
        "str(none)",
        "date('soon')", "date(5)", "date(none)", "date('2026-02-30')", "time('25:00')", "time(none)", "instant('x')",
        "instant('2026-02-27T10:00')", "instant(none)", "gaps([])", "gaps(['2026-01-01T10:00:00+00:00'])",
    ],
)  # fmt: skip
def test_what_an_agent_may_have_left_out_is_missing_not_a_fault(source: str) -> None:
    with pytest.raises(Missing):
        value(source)


def test_every_function_has_a_sentence_for_the_manual() -> None:
    assert [name for name, function in FUNCTIONS.items() if not (function.__doc__ or "").strip()] == []


def test_dates_in_words_do_not_depend_on_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    before = locale.setlocale(locale.LC_TIME)
    for name in ("de_DE.UTF-8", "zh_CN.UTF-8", "ja_JP.UTF-8", "C.UTF-8"):
        try:
            locale.setlocale(locale.LC_TIME, name)
        except locale.Error:
            continue
        try:
            assert value("strf(day, '%a %A %b %B') + day.weekday") == "Fri Friday Feb FebruaryFri"
        finally:
            locale.setlocale(locale.LC_TIME, before)


@given(st.integers(-(10**9), 10**9), st.integers(0, 4))
def test_rounding_is_the_decimal_one(number: int, places: int) -> None:
    from decimal import ROUND_HALF_UP, Decimal

    text = str(Decimal(number) / 10**5)
    expected = Decimal(text).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert FUNCTIONS["round"](float(text), places) == pytest.approx(float(expected), abs=1e-9)


@given(st.lists(st.integers(0, 6), max_size=8), st.randoms(use_true_random=False))
def test_exact_is_equality_of_multisets(numbers: list[int], rng: Any) -> None:
    rows = [{"n": n} for n in numbers]
    mixed = rows.copy()
    rng.shuffle(mixed)
    assert FUNCTIONS["exact"](rows, mixed, ["n"])
    if rows:
        assert not FUNCTIONS["exact"](rows, [*mixed[1:], {"n": 7}], ["n"])
        assert not FUNCTIONS["exact"](rows, mixed[1:], ["n"])


@given(st.dates(dt.date(2000, 1, 1), dt.date(2030, 1, 1)), st.integers(0, 60))
def test_working_days_forward_and_back_agree(day: dt.date, count: int) -> None:
    later = FUNCTIONS["after_workdays"](day, count)
    assert FUNCTIONS["workdays"](day, later) == count
    assert count == 0 or later.weekday() < 5


def test_no_more_dates_than_a_lifetime() -> None:
    with pytest.raises(ExpressionError, match="too many dates"):
        value("dates('1900-01-01', '2026-01-01')")
