"""Calls as they are typed, and what the schema makes of a typed value."""

from __future__ import annotations

import pytest

from lifegym.cli.call_words import CallWordsError, parse_call
from lifegym.services import catalogue
from lifegym.services.parameters import Parameter, json_or_text, parameters


@pytest.mark.parametrize(
    ("words", "action"),
    [
        (["wait"], {"tool": "assistant.wait", "arguments": {}}),
        (["reply", "All done."], {"tool": "assistant.reply", "arguments": {"text": "All done."}}),
        (["reply", "All", "done."], {"tool": "assistant.reply", "arguments": {"text": "All done."}}),
        (["assistant.reply", "text=5"], {"tool": "assistant.reply", "arguments": {"text": "5"}}),
        (['{"tool": "a.b", "arguments": {"c": 1}}'], {"tool": "a.b", "arguments": {"c": 1}}),
        (['{"tool":', '"a.b"}'], {"tool": "a.b"}),
        (["banking.list_accounts", "user_id=12"], {"tool": "banking.list_accounts", "arguments": {"user_id": "12"}}),
        (["banking.list_accounts", "user_id="], {"tool": "banking.list_accounts", "arguments": {"user_id": ""}}),
        (["banking.list_accounts", "user_id=a=b"], {"tool": "banking.list_accounts", "arguments": {"user_id": "a=b"}}),
        (["banking.pay_payee", "amount_minor=50"], {"tool": "banking.pay_payee", "arguments": {"amount_minor": 50}}),
        (["banking.pay_payee", "amount_minor=5€"], {"tool": "banking.pay_payee", "arguments": {"amount_minor": "5€"}}),
        (["banking__pay_payee", "memo=true"], {"tool": "banking__pay_payee", "arguments": {"memo": "true"}}),
        (["banking.pay_payee", "memo:=null"], {"tool": "banking.pay_payee", "arguments": {"memo": None}}),
        (["no.tool", "a=1", "b=x", 'c="x"', "d=null", "e=[1]", "f=true", "g={}"],
         {"tool": "no.tool", "arguments": {"a": 1, "b": "x", "c": '"x"', "d": None, "e": [1], "f": True, "g": {}}}),
        (["banking.pay_payee", "unknown=7"], {"tool": "banking.pay_payee", "arguments": {"unknown": 7}}),
        (["banking.pay_payee", "memo=two\nlines"], {"tool": "banking.pay_payee", "arguments": {"memo": "two\nlines"}}),
        (["banking.pay_payee"], {"tool": "banking.pay_payee", "arguments": {}}),
    ],
)  # fmt: skip
def test_words(words, action):
    assert parse_call(words) == action


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "there is no call"),
        (["reply"], "reply what?"),
        (["wait", "please"], "'please' is no argument of wait"),
        (["{tool}"], "not JSON"),
        (["a.b", "c"], "'c' is no argument of a.b; write key=value, or key:=JSON"),
        (["a.b", "c=1", "c=2"], "c is given twice"),
        (["a.b", "c:=x"], "c: not JSON"),
        (["a.b", "c=\udc80"], "the call cannot be kept as JSON"),
    ],
)
def test_words_that_are_no_call(words, message):
    with pytest.raises(CallWordsError, match=message.replace("?", r"\?")):
        parse_call(words)


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, "true", "true"),
        ({"type": "string"}, '{"a": 1}', '{"a": 1}'),
        ({"type": ["string", "null"]}, "null", "null"),
        ({"anyOf": [{"type": "string", "enum": ["1", "2"]}, {"type": "null"}]}, "1", "1"),
        ({"type": "integer"}, "5", 5),
        ({"type": "integer"}, "five", "five"),
        ({"type": "integer"}, '"5"', "5"),
        ({"type": "number"}, "1e2", 100.0),
        ({"type": "number"}, "NaN", "NaN"),
        ({"type": ["boolean", "null"]}, "true", True),
        ({"type": ["boolean", "null"]}, "null", None),
        ({"type": "array"}, "[1, 2]", [1, 2]),
        ({"type": "object"}, '{"a": null}', {"a": None}),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3", 3),
        ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, "3.5", "3.5"),
        ({"anyOf": [{"type": "string"}, {"type": "number"}]}, "3.5", 3.5),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, "[1]", "[1]"),
        ({"anyOf": [{"type": "string"}, {"type": "object"}]}, '{"lat": 1}', {"lat": 1}),
        ({"anyOf": [{"type": "string"}, {"type": "boolean"}]}, "1", "1"),
        ({"anyOf": [{"type": "string"}, {"type": "boolean"}]}, "false", False),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, "null", "null"),
        ({"anyOf": [{}, {"type": "null"}]}, "7", 7),
        ({}, '"quoted"', '"quoted"'),
    ],
)  # fmt: skip
def test_the_schema_decides(schema, text, value):
    found = Parameter("x", schema, True).value(text)
    assert found == value
    assert type(found) is type(value)


def test_without_a_schema_json_is_read():
    assert [json_or_text(text) for text in ("1", "x", "null", '"x"', "[]")] == [1, "x", None, '"x"', []]


@pytest.mark.parametrize(
    ("schema", "form"),
    [
        ({"type": "string"}, "text"),
        ({"type": ["integer", "null"], "minimum": 1, "maximum": 9}, "whole number at least 1 at most 9"),
        ({"type": "boolean", "default": False}, "true or false, false if left out"),
        ({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]}, "number more than 0"),
        ({"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]}, "one of a, b"),
        ({"const": "page"}, "page"),
        ({"type": "array", "items": {"type": "string"}}, "list as JSON of text"),
        ({"type": "array", "items": {"anyOf": [{"type": "number"}, {}]}}, "list as JSON of number or any JSON value"),
        ({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["b"]}, "object as JSON with [a], b"),
        ({"type": "boolean"}, "true or false"),
        ({}, "any JSON value"),
    ],
)  # fmt: skip
def test_what_a_parameter_takes_in_words(schema, form):
    assert Parameter("x", schema, True).form == form


def test_complaints():
    schema = {"anyOf": [{"enum": ["a", "b"], "type": "string"}, {"type": "null"}]}
    assert Parameter("x", schema, False).complaint("a") == ""
    assert Parameter("x", schema, False).complaint("c") == "'c' is not one of ['a', 'b']"
    either = {"anyOf": [{"type": "string"}, {"type": "integer"}]}
    assert Parameter("x", either, True).complaint(4) == ""
    assert "not valid" in Parameter("x", either, True).complaint([])


@pytest.mark.parametrize("service", [*catalogue.SERVICES, *catalogue.ALWAYS])
def test_every_parameter_of_every_service_is_described(service):
    for spec in catalogue.tools_of(service).values():
        found = parameters(spec)
        assert {parameter.name for parameter in found} == set(spec.schema["properties"])
        assert [p.required for p in found] == sorted((p.required for p in found), reverse=True)
        assert all(parameter.form for parameter in found)
