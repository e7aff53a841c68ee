"""Values of results as people read them."""

from __future__ import annotations

import pytest

from lifegym.reports.world import fields
from lifegym.reports.world.markdown import blocks
from lifegym.reports.world.records import record, table

ZONE = "Asia/Shanghai"


@pytest.mark.parametrize(
    ("minor", "currency", "text"),
    [
        (888000, "CNY", "8,880.00 CNY"),
        (24800, "JPY", "24,800 JPY"),
        (1500, "KWD", "1.500 KWD"),
        (-1000, "EUR", "\u221210.00 EUR"),
        (0, "EUR", "0.00 EUR"),
        (7, "", "7 (minor units)"),
    ],
)
def test_money_has_the_decimals_of_its_currency(minor, currency, text):
    assert fields.amount(minor, currency) == text


def test_a_time_has_its_weekday_and_where_clocks_differ_the_time_at_home():
    assert fields.moment("2026-04-27T09:35:00+08:00", ZONE) == ("Mon 27 Apr 2026 09:35", "time", "", "")
    there = fields.moment("2026-04-27T13:25:00+09:00", ZONE)
    assert (there.text, there.note) == ("Mon 27 Apr 2026 13:25", "local time; at home 12:25")
    assert fields.moment("2026-04-28T00:25:00+09:00", ZONE).note == "local time; at home Mon 23:25"
    assert fields.moment("9999-12-31T23:59:59+00:00", ZONE).text


def test_the_name_of_a_field_tells_what_its_number_is():
    row = {"currency": "EUR"}
    assert fields.cell("price_total_minor", 1250, row, ZONE).text == "12.50 EUR"
    assert fields.cell("fee_bps", 35, row, ZONE).text == "0.35 %"
    assert fields.cell("nav_milli", 123450, row, ZONE).text == "1.2345 EUR"
    assert fields.cell("duration_min", 172, row, ZONE).text == "2 h 52 min"
    assert fields.cell("date", "2026-04-20", row, ZONE).text == "Mon 20 Apr 2026"
    assert fields.cell("lift", True, row, ZONE).text == "yes"
    assert fields.cell("status", "action_needed", row, ZONE) == ("action needed", "status", "warn", "")
    assert fields.cell("rooms", ["a", "b"], row, ZONE).text == "a, b"
    assert fields.cell("slot", {"from": "x", "to": ""}, row, ZONE).text == "From: x"
    assert fields.label("price_total_minor") == "Price total"


def test_a_record_of_any_shape_becomes_parts():
    nested = {"currency": "EUR", "name": "x", "lines": [{"amount_minor": 5}], "text": "a\nb", "deep": {"a": {"b": 1}}}
    shapes = [part.shape for part in record(nested, ZONE)]
    assert shapes[0] == "facts"
    assert {"table", "text"} <= set(shapes)
    made = next(part for part in record(nested, ZONE) if part.shape == "table")
    assert made.rows[0].cells[0].text == "0.05 EUR"
    assert record({}, ZONE) == []


def test_columns_that_nobody_fills_are_left_out_and_the_rest_is_folded_in():
    rows = [{f"f{n}": n for n in range(12)} | {"empty": None}]
    made = table(rows, ZONE)
    assert "Empty" not in made.columns
    assert len(made.columns) == 9
    assert made.rows[0].parts


def test_markdown():
    text = "# A\n- one\n  goes on\n  - deeper\n1. first\n- [x] done\n> said\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    text += "```\nx\n```\n**b** `c`\n---\n"
    found = list(blocks(text))
    assert [block.kind for block in found] == [
        "heading", "bullet", "bullet", "number", "todo", "quote", "table", "code", "paragraph", "rule",
    ]  # fmt: skip
    assert found[1].spans[0].text == "one goes on"
    assert found[2].level == 1
    assert found[4].checked
    assert found[6].rows == (("a", "b"), ("1", "2"))
    assert [span.style for span in found[8].spans if span.text.strip()] == ["strong", "code"]


@pytest.mark.parametrize("text", ["", "|", "|\n|-", "```", "*" * 5000, "# ", "- ", "[" * 3000, "`" * 4001, "> " * 900])
def test_any_text_is_markdown(text):
    list(blocks(text))
