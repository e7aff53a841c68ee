"""Files as typed rows: what an agent may write, and what is no evidence."""

from __future__ import annotations

import datetime as dt
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from lifegym.checks.artifacts import ROW_LIMIT, Artifact, read_rows
from lifegym.checks.expressions import Missing

TABLE = Artifact(
    columns={
        "id": "str",
        "n": "int",
        "price": "float",
        "day": "date",
        "start": "time",
        "zone": {"JST": "+09:00", "NPT": "-05:45"},
        "done": "bool",
        "status": ["open", "cancelled"],
        "Note": "str",
    },
    key="id",
    at=("day", "start", "zone"),
    optional=("Note", "price"),
    also_accepted={"status": {"Canceled": "cancelled"}},
)
LIST = TABLE.model_copy(update={"format": "yaml"})
HEAD = "id,n,price,day,start,zone,done,status,note"
LINE = "a,3,1.5,2026-03-02,09:05,JST,yes,open,hi"
ROW = {
    "id": "a", "n": 3, "price": 1.5, "day": dt.date(2026, 3, 2), "start": dt.time(9, 5), "zone": "JST", "done": True,
    "status": "open",
    "Note": "hi", "at": dt.datetime(2026, 3, 2, 9, 5, tzinfo=dt.timezone(dt.timedelta(hours=9))),
}  # fmt: skip


def rows(*lines: str, artifact: Artifact = TABLE, glue: str = "\n") -> list[Any]:
    return read_rows(artifact, glue.join(lines))


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n{LINE}\n",
        f"\ufeff{HEAD}\r\n{LINE}\r\n",
        f"{HEAD}\r{LINE}",
        f"\n\n{HEAD}\n\n{LINE}\n,,,\n\n",
        f"{HEAD.upper()}\n{LINE}",
        f"{HEAD}\n{LINE}".replace(",", ";"),
        f"{HEAD}\n{LINE}".replace(",", " , "),
        f"{HEAD},extra\n{LINE},more",
        '"note",id,n,price,day,start,zone,done,status\n"hi", a,"3",1.50,2026-03-02,09:05:00,jst,TRUE,Open',
    ],
)  # fmt: skip
def test_one_row_in_many_spellings(text: str) -> None:
    text = text.lstrip("\n") if text.startswith("\n") else text
    assert read_rows(TABLE, text) == [ROW]


def test_optional_cells_are_none_and_short_lines_are_filled() -> None:
    [row] = rows("id,n,day,start,zone,done,status,price", "a,3,2026-03-02,09:05,JST,no,OPEN,")
    assert (row["price"], row["Note"], row["done"], row["status"]) == (None, None, False, "open")


def test_other_spellings_of_a_value_whatever_their_case() -> None:
    for spelling in ("canceled", "Canceled", "CANCELED", "cancelled"):
        assert rows(HEAD, LINE.replace("open", spelling))[0]["status"] == "cancelled"


def test_a_zone_with_minutes_and_the_row_as_an_instant() -> None:
    [row] = rows(HEAD, LINE.replace("JST", "npt"))
    assert row["at"].isoformat() == "2026-03-02T09:05:00-05:45"


def test_an_optional_time_leaves_no_instant() -> None:
    loose = TABLE.model_copy(update={"optional": ("start", "Note", "price")})
    assert rows(HEAD, LINE.replace("09:05", ""), artifact=loose)[0]["at"] is None


def test_quoted_cells_hold_commas_breaks_and_quotes() -> None:
    simple = Artifact(columns={"a": "str", "b": "int"})
    assert rows('a,b\n"x, ""y""\nz",5', artifact=simple) == [{"a": 'x, "y"\nz', "b": 5}]


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3), ("3.0", 3), ("+3", 3), ("-3", -3), ("1e3", 1000), ("9007199254740993", 2**53 + 1)]
)
def test_whole_numbers(text: str, number: int) -> None:
    assert rows(HEAD, LINE.replace(",3,", f",{text},"))[0]["n"] == number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"), ("\n , \n", "the file is empty"),
        (HEAD.replace("n,", "m,", 1) + "\n" + LINE, "there is no heading 'n'"),
        (f'{HEAD}\n"a', "the file is no CSV"), (f'{HEAD}\n"a"x,1', "the file is no CSV"),
        (f"{HEAD}\n{LINE},b", "line 2 has 10 cells under 9"),
        (f"{HEAD},id\n{LINE},b", "the heading 'id' stands there twice"),
        (f"{HEAD}\n{LINE}\n{LINE}", "line 3: id 'a' stands there twice"),
        (f"{HEAD}\n" + "\n".join(["a"] * 9), "line 2 has no n"), ("# Debts\n\nAnn owes 5.", "there is no heading 'id'"),
        ("x" * 300_000, None), ("a," * 100_000, None), ('"' * 99_999, "no CSV"), ("\x00", None),
        ("\ud800,\n1", "there is no heading 'id'"),
    ],
)  # fmt: skip
def test_broken_files_are_missing_evidence(text: str, message: str | None) -> None:
    if message is None:
        try:
            assert read_rows(TABLE, text) == []
        except Missing:
            return
    else:
        with pytest.raises(Missing, match=message):
            read_rows(TABLE, text)


@pytest.mark.parametrize(
    ("old", "new", "column"),
    [
        (",3,", ",3.5,", "n"), (",3,", ",three,", "n"), (",3,", ",1_0,", "n"), (",3,", f",{'9' * 5000},", "n"),
        (",3,", ",1e999,", "n"),
        (",3,", ",nan,", "n"), ("1.5", "nan", "price"), ("1.5", "inf", "price"), ("1.5", "1_0.5", "price"),
        ("2026-03-02", "02.03.2026", "day"),
        ("2026-03-02", "2026-02-30", "day"), ("09:05", "9 am", "start"), ("09:05", "25:00", "start"),
        ("09:05", "09:05+09:00", "start"),
        ("JST", "CET", "zone"), ("yes", "maybe", "done"), ("open", "opened", "status"), (",3,", ",,", "n"),
    ],
)  # fmt: skip
def test_cells_of_another_type_are_missing_evidence(old: str, new: str, column: str) -> None:
    with pytest.raises(Missing, match=f"^line 2: {column} is '"):
        rows(HEAD, LINE.replace(old, new, 1))


def test_a_file_of_too_many_rows_is_no_evidence() -> None:
    simple = Artifact(columns={"a": "str"})
    assert len(rows("a", *["x"] * ROW_LIMIT, artifact=simple)) == ROW_LIMIT
    with pytest.raises(Missing, match=f"more than {ROW_LIMIT} rows"):
        rows("a", *["x"] * (ROW_LIMIT + 1), artifact=simple)


# -- lists -------------------------------------------------------------------------------------------------------------

ENTRY = dict(zip(HEAD.split(","), LINE.split(","), strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "- " + "\n  ".join(f"{k}: {v}" for k, v in ENTRY.items()),
        "rows:\n- " + "\n  ".join(f"{k.upper()}: '{v}'" for k, v in ENTRY.items()),
        json.dumps([ENTRY]),
        json.dumps({"items": [{**ENTRY, "n": 3, "price": 1.5, "done": True, "extra": [1, {"a": 2}]}]}),
    ],
)
def test_one_entry_in_many_spellings(text: str) -> None:
    assert read_rows(LIST, text) == [ROW]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no list of entries"), ("- a\n- b", "no list of entries"), ("a: 1\nb: 2", "no list of entries"),
        ("5", "no list of entries"),
        ("[1, 2", "the file is no YAML"), ("{", "the file is no YAML"), ("- a: [", "the file is no YAML"),
        ("\t- a: 1", "the file is no YAML"),
        ("- {id: a}", "line 1 has no n"), ("[" * 100_000, "the file is no YAML"),
        ("- " * 50_000, "the file is no YAML"),
        ("- !!python/object/apply:os.getcwd []", "no list of entries"), ("\x00", "the file is no YAML"),
        ("a: \ud800", "the file is no YAML"),
        ("- id: *x", "the file is no YAML"), ("- id: null", "line 1: |line 1 has no"),
    ],
)  # fmt: skip
def test_broken_lists_are_missing_evidence(text: str, message: str) -> None:
    with pytest.raises(Missing, match=message):
        read_rows(LIST, text)


@pytest.mark.parametrize(
    "text", ["- {a: x, n: null}", "- {a: x, n: ~}", '[{"a": "x", "n": null}]', "- {a: x, n: }", "- {a: x}"]
)
def test_a_null_is_no_value(text: str) -> None:
    artifact = Artifact(columns={"a": "str", "n": "int"}, format="yaml", optional=("n",))
    assert read_rows(artifact, text) == [{"a": "x", "n": None}]


def test_aliases_do_not_multiply() -> None:
    lines = ["- a: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"- a: &a{i + 1} [*a{i}, *a{i}, *a{i}, *a{i}, *a{i}, *a{i}, *a{i}, *a{i}]" for i in range(40)]
    with pytest.raises(Missing, match="an entry is too large"):
        read_rows(Artifact(columns={"a": "str"}, format="yaml"), "\n".join(lines))


@given(st.text(max_size=200))
def test_any_text_reads_or_is_missing(text: str) -> None:
    for artifact in (TABLE, LIST):
        try:
            read_rows(artifact, text)
        except Missing:
            continue


@given(
    st.lists(
        st.fixed_dictionaries({"a": st.text("ab ,;\"'\n|é漢", min_size=1).filter(lambda t: t.strip() == t),
        "b": st.integers(-99, 99)}),
        max_size=6,
    )
)  # fmt: skip
def test_what_a_csv_writer_writes_is_read_back(entries: list[dict[str, Any]]) -> None:
    import csv
    import io

    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, ["a", "b"])
    writer.writeheader()
    writer.writerows(entries)
    assert read_rows(Artifact(columns={"a": "str", "b": "int"}), buffer.getvalue()) == entries


# -- declarations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"columns": {"a": "string"}}, "a: unknown type 'string'; there are: str, int, float, date"),
        ({"columns": {"a": {"JST": "9"}}}, "a: an offset has the form"),
        ({"columns": {"a": "str"}, "key": "b"}, "key: there is no column 'b'"),
        ({"columns": {"a": "str"}, "optional": ["b"]}, "optional: there is no column 'b'"),
        ({"columns": {"a": "str"}, "also_accepted": {"b": {}}}, "also_accepted: there is no column"),
        ({"columns": {"a": "str", "b": "time", "c": {"Z": "+00:00"}}, "at": ("a", "b", "c")},
         "at: the three columns are"),
        ({"columns": {"a": "str"}, "at": ("a", "b", "c")}, "at: there is no column 'b'"),
        ({"columns": {"a": "str", "A": "str"}}, "in case only"),
        ({"columns": {"a": "str"}, "format": "xml"}, "csv"), ({"columns": {"a": "str"}, "colour": 1}, "colour"),
        ({}, "columns"),
    ],
)  # fmt: skip
def test_a_declaration_that_makes_no_sense_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        Artifact(**fields)
