"""Reading values out of prose."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.task_suite.patterns import PatternError, read_pattern


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("yes: <total:amount> and up to <cap:amount>", "Well,\nYES:  68,400 and up\nto 5.50.",
         {"total": 68400, "cap": 5.5}),
        ("<a:amount> CNY", "it is 1 234 567.25 CNY", {"a": 1234567.25}), ("<a:amount> CNY", "1'234 CNY", {"a": 1234}),
        ("n <a:int>", "n 42.", {"a": 42}), ("on <d:date> at <t:time>", "on 2026-03-02 at 9:05",
         {"d": "2026-03-02", "t": "09:05"}),
        ("<d:monthday>", "on 03-02.", {"d": "03-02"}), ("by <w:word>", "by Bo.Berg+x-1, said", {"w": "Bo.Berg+x-1"}),
        ("at <d:domain>", "at www.my-bank.example/x", None), ("at <d:domain>", "at my-bank.example.",
         {"d": "my-bank.example"}),
        ("to <m:email>", "to a.b+c@x-y.example, please", {"m": "a.b+c@x-y.example"}),
        ("<a:cell>,<b:cell>,open", "h,n,s\nBo Berg, 5000 ,open", {"a": "Bo Berg", "b": "5000"}),
        ("| <a:cell> | <b:cell> |", "| x | y z |", {"a": "x", "b": "y z"}),
        ("Name: <n:line>\n", "Name:  Bo Berg \nAge: 5", {"n": "Bo Berg"}),
        ("begin<t:text>end", "begin a\nb end", {"t": "a\nb"}), ("a (b) [c]. <x:int>", "A (B) [C]. 5", {"x": 5}),
        ("first <x:int>", "first 1, first 2", {"x": 1}), ("a\n<x:int>", "a \n\n 5", {"x": 5}),
        ("a\n<x:int>", "a 5", None),
        ("a <x:int>", "a b", None), ("<x:int> of <y:int>", "3 of 4 of 5", {"x": 3, "y": 4}),
        ("<d:date>", "2026-3-2", None), ("<a:int>", "", None),
    ],
)  # fmt: skip
def test_patterns(pattern: str, text: str, expected: dict[str, Any] | None) -> None:
    if expected is None:
        with pytest.raises(PatternError, match="the text does not match"):
            read_pattern(pattern, text)
    else:
        assert read_pattern(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "message"),
    [("no slot", "there is no <name:type>"), ("<a:money>", "unknown type 'money' in .*; there are: amount, int"),
     ("<a:int> <a:int>", "'a' stands twice"),
     ("<A:int>", "there is no <name:type>"), ("<a int>", "there is no"), ("", "there is no")],
)  # fmt: skip
def test_malformed_patterns(pattern: str, message: str) -> None:
    with pytest.raises(PatternError, match=message):
        read_pattern(pattern, "5 5")


def test_a_day_that_does_not_exist_is_no_date() -> None:
    with pytest.raises(ValueError, match="day"):
        read_pattern("<d:date>", "2026-02-30")


@given(st.integers(0, 10**9), st.sampled_from(["{:,}", "{}"]))
def test_an_amount_comes_back(number: int, form: str) -> None:
    assert read_pattern("pay <a:amount> EUR", f"so pay {form.format(number)} EUR now") == {"a": number}


@given(st.text(max_size=60), st.text(max_size=60))
def test_signs_of_regular_expressions_are_plain_text(before: str, after: str) -> None:
    if "<" in before + after:
        return
    try:
        assert read_pattern(f"{before}<n:int>{after}", f"{before}7{after}")["n"] == 7
    except PatternError:
        assert (
            before.strip() != before
            or after.strip() != after
            or any(c.isdigit() or c.isspace() for c in before + after)
        )
