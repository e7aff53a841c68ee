"""YAML 1.2 core types, and file and line in every complaint."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from lifegym.task_suite.reader import BundleError, read_yaml, read_yaml_file


def value(text: str) -> Any:
    return read_yaml(text, "f.yaml").value


@pytest.mark.parametrize(
    ("scalar", "expected"),
    [
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("off", "off"), ("y", "y"), ("N", "N"), ("No", "No"),
        ("17:00", "17:00"), ("1:2:3", "1:2:3"),
        ("true", True), ("True", True), ("TRUE", True), ("tRUE", "tRUE"), ("false", False), ("FALSE", False),
        ("null", None), ("Null", None),
        ("NULL", None), ("~", None), ("", None), ("nULL", "nULL"), ("5", 5), ("-5", -5), ("+5", 5), ("017", 17),
        ("0o17", 15), ("0x1F", 31),
        ("0b11", "0b11"), ("1_000", "1_000"), ("1,000", "1,000"), ("1e3", 1000.0), ("1.5", 1.5), ("-.5", -0.5),
        ("5.", 5.0), ("6.02E+23", 6.02e23),
        ("2026-03-02", "2026-03-02"), ("2026-03-02 10:00:00", "2026-03-02 10:00:00"), ("D+3 09:30", "D+3 09:30"),
        ("=", "="), ("<<", "<<"),
        ("'5'", "5"), ('"true"', "true"), ("''", ""), ("'no'", "no"), ("1.2.3", "1.2.3"), ("+86 21", "+86 21"),
        ("é漢🦊", "é漢🦊"),
    ],
)  # fmt: skip
def test_core_types(scalar: str, expected: Any) -> None:
    result = value(f"a: {scalar}\nb: [1]")["a"]
    assert result == expected
    assert type(result) is type(expected)


def test_blocks_and_quoted_texts_are_texts() -> None:
    assert value("a: |\n  5\nb: >\n  true\n  x\nc: >-\n  null\n") == {"a": "5\n", "b": "true x\n", "c": "null"}


@pytest.mark.parametrize("text", ["", "# only a comment\n", "---\n"])
def test_an_empty_document_is_none(text: str) -> None:
    assert value(text) is None


def test_a_merge_key_merges_nothing() -> None:
    assert value("<<: {a: 1}\nb: 2") == {"<<": {"a": 1}, "b": 2}


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: 2\na: 3", 3, "the key 'a' stands there twice"),
        ("x: {a: 1, a: 2}", 1, "the key 'a' stands there twice"),
        ("- a: 1\n- b:\n    c: 1\n    c: 1", 4, "the key 'c' stands there twice"),
        ("a: &x 1", 1, "anchors and aliases"),
        ("a: 1\nb: *x", 2, "anchors and aliases"), ("a: &x [1]\nb: *x", 1, "anchors and aliases"),
        ("\n\na: !!str 5", 3, "tags such as"),
        ("a: !foo 5", 1, "tags such as !foo"), ("a: !foo [1]", 1, "tags such as !foo"),
        ("a:\n  - !<x> {}", 2, "tags such as"),
        ("a: !!python/object/apply:os.system [id]", 1, "tags such as"), ("a: !!binary aGk=", 1, "tags"),
        ("a: !!set {x}", 1, "tags"),
        ("a: 1\n---\nb: 2", 2, "another document"), ("a: 1\n...\n---\nb: 2", 3, "another document"),
        ("a:\n   b: 1\n  c: 2", 3, "not YAML"),
        ("a:\n\t- b", 2, "not YAML"), ("a: [1, 2", 1, "not YAML"), ("a: 'x", 1, "not YAML"),
        ("a: b: c", 1, "not YAML"), ("ok: 1\na: {", 2, "not YAML"),
        ("? [a]\n: 1", 1, "a key is a text"), ("x:\n  ? {a: 1}\n  : 2", 2, "a key is a text"),
        ("a: 1\nb: \x07", 2, "not YAML: unacceptable character"),
        ("é: 漢\nb: \x00", 2, "not YAML: unacceptable character"), ("a: 1\nb: \ud800", 2, "a lone surrogate"),
        ("a: 1\nb: " + "9" * 5000, 2, "too many digits"),
        ("a: 0\nb: " + "[" * 70 + "]" * 70, 2, "nested too deeply"), ("a: " + "[" * 50_000, 1, "nest"),
        ("- " * 50_000 + "x", 1, "nest"),
        ("\n".join(" " * i + "a:" for i in range(2000)), 61, "nested too deeply"),
        ("%TAG ! x:\n--- !y\na: 1", 2, "tags such as"),
    ],
)  # fmt: skip
def test_every_complaint_names_file_and_line(text: str, line: int, message: str) -> None:
    with pytest.raises(BundleError, match=message) as caught:
        read_yaml(text, "f.yaml")
    if "50_000" not in message and len(text) < 20_000:
        assert caught.value.where == f"f.yaml:{line}"
    assert caught.value.where.startswith("f.yaml:")


def test_places_have_lines() -> None:
    document = read_yaml("# c\nchecks:\n  - id: a\n    all:\n      - x\n      - y\n  - {id: b}\n", "f.yaml")
    assert document.where("checks") == "f.yaml:2"
    assert document.where("checks", 0, "all") == "f.yaml:4"
    assert document.where("checks", 0, "all", 1) == "f.yaml:6"
    assert document.where("checks", 1, "id") == "f.yaml:7"
    assert document.where("checks", 1, "weight", "x") == "f.yaml:7"  # the nearest that is there
    assert document.where("nothing") == "f.yaml:2"


def test_files(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes("\ufeffa: é\r\nb: 2\r\n".encode())
    assert read_yaml_file(tmp_path / "a.yaml", "a.yaml").value == {"a": "é", "b": 2}
    (tmp_path / "b.yaml").write_bytes(b"a: 1\nb: \xff\n")
    with pytest.raises(BundleError, match=r"^shown.yaml:2: the file is not UTF-8"):
        read_yaml_file(tmp_path / "b.yaml", "shown.yaml")
    with pytest.raises(BundleError, match=r"^shown.yaml: there is no such file"):
        read_yaml_file(tmp_path / "c.yaml", "shown.yaml")
    (tmp_path / "d.yaml").mkdir()
    with pytest.raises(BundleError, match=r"^shown.yaml: the file cannot be read"):
        read_yaml_file(tmp_path / "d.yaml", "shown.yaml")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.text("abc no17:é\n'\"#", max_size=12),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abcxyz", min_size=1, max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_json_reads_as_itself(data: Any) -> None:
    import json

    assert value(json.dumps(data, ensure_ascii=False)) == data


@given(st.text(max_size=120))
def test_any_text_reads_or_is_refused_with_its_file(text: str) -> None:
    try:
        result = value(text)
    except BundleError as error:
        where = error.where
        assert where.startswith("f.yaml")
    else:
        assert isinstance(result, (dict, list, str, int, float, bool, type(None)))


def test_what_python_would_have_read_otherwise() -> None:
    text = "a: no\nb: 17:00\nc: 2026-03-02\n"
    assert yaml.safe_load(text) != value(text) == {"a": "no", "b": "17:00", "c": "2026-03-02"}
