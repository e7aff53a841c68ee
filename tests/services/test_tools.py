"""From a method to a tool: documentation, schema, validation; the catalogue; what every service inherits; sampling."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Any, Literal, NotRequired

import jsonschema
import numpy as np
import pytest
from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from lifegym.services import RecordModel, Service, ToolError, ToolSpec, catalogue, paged, types
from lifegym.services.base import limited
from lifegym.services.sampling import sample_arguments, sampler
from lifegym.services.tools import STRING_LIMIT, Arguments, Documentation, tool
from lifegym.world import World

# -- documentation ---------------------------------------------------------------------------------------------------

DOCSTRING = """Do a thing.

    It takes a while,
    or longer.

    Args:
        first: What comes first,
            in two lines.
        second: What follows: a colon is fine.

    Returns:
        done, and
        how.

    Errors:
        not_found: There is none.
        too_late: It is over.
    """


def test_a_docstring_is_read_by_sections() -> None:
    docs = Documentation.parse(DOCSTRING)
    assert docs.summary == "Do a thing."
    assert docs.body == "It takes a while,\nor longer."
    assert docs.args == {"first": "What comes first, in two lines.", "second": "What follows: a colon is fine."}
    assert docs.returns == "done, and\nhow."
    assert docs.errors == {"not_found": "There is none.", "too_late": "It is over."}


@pytest.mark.parametrize("text", [None, "", "Only a summary."])
def test_sections_may_be_missing(text: str | None) -> None:
    docs = Documentation.parse(text)
    assert docs.summary == (text or "")
    assert (docs.body, docs.args, docs.returns, docs.errors) == ("", {}, "", {})


# -- arguments -------------------------------------------------------------------------------------------------------


class Seat(TypedDict):
    row: Annotated[int, Field(ge=1, le=60)]
    letter: NotRequired[Literal["A", "B"]]


class Shop(Service):
    """A service with every kind of parameter."""

    name = "shop"

    @tool(write=True)
    def order(
        self,
        item_id: str,
        count: Annotated[int, Field(gt=0, le=9)],
        seats: list[Seat],
        kind: Literal["new", "used"] = "new",
        price: float | None = None,
        at: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] | None = None,
        gift: bool = False,
        extra: dict[str, Any] | None = None,
        to: str | list[str] | None = None,
        size: Annotated[int, Field(multiple_of=5, ge=10)] | None = None,
        note: Annotated[str, Field(min_length=2, max_length=20)] | None = None,
        ratio: Annotated[float, Field(ge=0, lt=1)] = 0.5,
    ) -> dict[str, Any]:
        """Order something.

        Args:
            item_id: Which.
            count: How many.
        """
        return {}

    @tool(write=False)
    def nothing(self) -> dict[str, Any]:
        """Take nothing."""
        return {}


@pytest.fixture(scope="module")
def order() -> ToolSpec:
    return ToolSpec("shop", "order", Shop.order, write=True)


RIGHT = {"item_id": "i1", "count": 2, "seats": [{"row": 3}]}


def test_the_schema_says_what_the_parameters_are(order: ToolSpec) -> None:
    schema = order.schema
    assert schema["required"] == ["item_id", "count", "seats"]
    assert schema["additionalProperties"] is False
    properties = schema["properties"]
    assert list(properties) == list(order.arguments.names)
    assert properties["item_id"] == {"type": "string", "description": "Which."}
    assert properties["count"] == {"type": "integer", "exclusiveMinimum": 0, "maximum": 9, "description": "How many."}
    assert properties["at"] == {"type": ["string", "null"], "pattern": r"^([01]\d|2[0-3]):[0-5]\d$"}
    assert properties["gift"]["default"] is False
    assert properties["kind"]["default"] == "new"
    assert properties["extra"] == {"anyOf": [{"type": "object", "additionalProperties": True}, {"type": "null"}]}
    seat = properties["seats"]["items"]
    assert seat["properties"]["row"] == {"type": "integer", "minimum": 1, "maximum": 60}
    assert (seat["required"], seat["additionalProperties"]) == (["row"], False)


def test_a_tool_without_parameters() -> None:
    spec = ToolSpec("shop", "nothing", Shop.nothing, write=False)
    assert spec.schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    assert spec.arguments.validate({}) == {}
    with pytest.raises(ToolError, match="It takes: no parameters"):
        spec.arguments.validate({"x": 1})
    assert repr(spec) == "ToolSpec(shop.nothing)"


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"count": 2.0},
        {"seats": []},
        {"seats": [{"row": 1.0, "letter": "A"}]},
        {"kind": "used", "price": 3, "at": "09:30", "gift": True, "extra": {"a": [1]}, "to": ["x"], "size": 15},
        {"price": 2.5, "to": "x", "note": "yes", "ratio": 0},
    ],
)
def test_right_arguments(order: ToolSpec, change: dict[str, Any]) -> None:
    valid = order.arguments.validate({**RIGHT, **change})
    assert valid == {**RIGHT, **change}
    assert type(valid["count"]) is int
    assert all(type(seat["row"]) is int for seat in valid["seats"])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"item_id": 5}, "item_id: input should be a valid string, not 5"),
        ({"count": 0}, "count: input should be greater than 0, not 0"),
        ({"count": 10}, "count: "),
        ({"count": "2"}, "count: "),
        ({"count": True}, "count: "),
        ({"count": 2.5}, "count: "),
        ({"seats": {"row": 1}}, "seats: input should be a valid list, not a dict"),
        ({"seats": [{"row": 0}]}, "seats.0.row: "),
        ({"seats": [{}]}, "seats.0.row is required"),
        ({"seats": [{"row": 1, "x": 1}]}, "'seats.0.x' is not a parameter"),
        ({"kind": "old"}, "kind: input should be 'new' or 'used', not 'old'"),
        ({"at": "9:30"}, "at: string should match pattern"),
        ({"gift": "yes"}, "gift: "),
        ({"gift": 1}, "gift: "),
        ({"to": 5}, "to.str: "),
        ({"size": 12}, "size: "),
        ({"note": "x"}, "note: "),
        ({"ratio": 1.0}, "ratio: "),
        ({"x" * 100: 1}, f"'{'x' * 60}' is not a parameter"),
        ({"item_id": "x" * (STRING_LIMIT + 1)}, "item_id: string should have at most 262144 characters, not 'xxx"),
    ],
)
def test_wrong_arguments_are_explained(order: ToolSpec, change: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolError) as refused:
        order.arguments.validate({**RIGHT, **change})
    assert refused.value.code == "bad_arguments"
    assert says in refused.value.message
    assert refused.value.message.endswith(
        "It takes: item_id, count, seats, [kind], [price], [at], [gift], [extra], [to], [size], [note], [ratio]."
    )
    assert len(refused.value.message) < 700


def test_missing_and_several_wrong_arguments_are_all_named(order: ToolSpec) -> None:
    with pytest.raises(ToolError, match=r"item_id is required; count: .*; seats is required") as refused:
        order.arguments.validate({"count": -1})
    assert refused.value.message.count(";") == 2
    with pytest.raises(ToolError) as refused:
        order.arguments.validate({f"x{number}": 1 for number in range(50)})
    assert refused.value.message.count(";") == 4


def test_null_stands_for_an_optional_parameters_default_only(order: ToolSpec) -> None:
    assert order.arguments.validate({**RIGHT, "kind": None, "price": None}) == RIGHT
    with pytest.raises(ToolError):
        order.arguments.validate({**RIGHT, "item_id": None})


@pytest.mark.parametrize(
    ("value", "meant"),
    [(2.0**40, 2**40), (2.0**63, 2**63 - 1), (1e300, 2**63 - 1), (-(2.0**63), -(2**63)), (-1e300, -(2**63))],
)
def test_an_integral_float_beyond_64_bits_is_the_greatest_integer(value: float, meant: int) -> None:
    """In a schema every integral number is an integer; results are JSON, whose integers here have 64 bits."""
    spec = ToolSpec("workspace", "read_file", catalogue.tools_of("workspace")["read_file"].method, write=False)
    arguments = {"path": "a", "start_line": value}
    assert jsonschema.Draft202012Validator(spec.schema).is_valid(arguments)
    assert spec.arguments.validate(arguments) == {"path": "a", "start_line": meant}


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 2.5])
def test_what_is_no_integer_stays_refused(value: float) -> None:
    spec = ToolSpec("workspace", "read_file", catalogue.tools_of("workspace")["read_file"].method, write=False)
    with pytest.raises(ToolError):
        spec.arguments.validate({"path": "a", "start_line": value})


def test_a_required_parameter_may_be_nullable() -> None:
    class Odd(Service):
        def call(self, when: str | None, how: str = "x") -> None: ...

    arguments = Arguments("odd", Odd.call, Documentation())
    assert arguments.validate({"when": None, "how": None}) == {"when": None}


# -- the catalogue ---------------------------------------------------------------------------------------------------


def test_tools_are_found_by_both_spellings() -> None:
    spec = catalogue.find_tool("banking.pay_payee")
    assert spec is not None
    assert spec is catalogue.find_tool("banking__pay_payee")
    assert (spec.service, spec.tool, spec.write) == ("banking", "pay_payee", True)
    for name in ("banking", "banking.", "banking.nope", ".pay_payee", "nope.pay_payee", "banking.pay.payee", ""):
        assert catalogue.find_tool(name) is None


def test_names_of_a_worlds_tools_include_what_is_always_there() -> None:
    names = catalogue.tool_names(["banking"])
    assert names[: len(catalogue.tools_of("banking"))] == [f"banking.{name}" for name in catalogue.tools_of("banking")]
    assert names[-2:] == ["assistant.reply", "assistant.wait"]
    assert len(names) == len(set(names))


def test_tables_happenings_generators_and_listeners_of_a_service() -> None:
    keys = catalogue.table_keys(["banking"])
    assert keys["banking.accounts"] == "account_id"
    assert "post_transaction" in catalogue.happenings_of("banking")
    assert "everyday_transactions" in catalogue.generators_of("banking")
    assert catalogue.listeners("banking", "charge") == ("settle_charge",)
    assert catalogue.listeners("banking", "rain") == ()
    arguments = catalogue.happening_arguments("banking", "set_status")
    assert arguments.required == ["account_id", "status"]
    assert "rng" not in catalogue.generator_arguments("banking", "everyday_transactions").names
    with pytest.raises(KeyError):
        catalogue.happening_arguments("banking", "nope")
    with pytest.raises(KeyError):
        catalogue.generator_arguments("banking", "nope")
    with pytest.raises(KeyError):
        catalogue.service_class("nope")


def test_tools_in_each_providers_form() -> None:
    openai = catalogue.render_tools(["banking"], "openai")
    assert openai[0]["type"] == "function"
    assert set(openai[0]["function"]) == {"name", "description", "parameters"}
    assert {tool["function"]["name"] for tool in openai} >= {"banking__pay_payee", "workspace__read_file"}
    assert catalogue.render_tools(["banking"], "anthropic")[0]["input_schema"]["type"] == "object"
    mcp = {tool["name"]: tool for tool in catalogue.render_tools(["banking"], "mcp")}
    assert mcp["banking__list_accounts"]["annotations"] == {"readOnlyHint": True}
    assert mcp["banking__pay_payee"]["annotations"] == {"readOnlyHint": False}
    plain = catalogue.render_tools(["banking", "workspace"], "json-schema")
    assert [tool["name"] for tool in plain].count("workspace.read_file") == 1
    with pytest.raises(ValueError, match="use openai, anthropic, mcp or json-schema"):
        catalogue.render_tools(["banking"], "xml")  # type: ignore[arg-type]


def test_a_description_tells_results_and_errors() -> None:
    spec = catalogue.find_tool("banking.cancel_recurring")
    assert spec is not None
    assert spec.description.startswith("Stop a recurring payment. What was paid stays paid.\n")
    assert "Returns: The schedule, now cancelled." in spec.description
    assert spec.description.endswith(".")
    assert "Errors: not_found: There is no such recurring payment; not_active:" in spec.description


# -- what every service inherits -------------------------------------------------------------------------------------


@pytest.fixture
def bank() -> Service:
    return World(["banking"], dt.date(2026, 4, 17), "Asia/Shanghai", "u_ann").service("banking")


def test_records_by_key(bank: Service) -> None:
    bank.put("payees", payee_id="p", user_id="u", name="N", account_no="1", bank_name="B")
    assert bank.find("payees", "p") == bank.get("payees", "p", "payee")
    assert list(bank.find("payees", "p") or ()) == list(bank.records["payees"].model_fields)
    assert bank.patch("payees", "p", name="M")["name"] == "M"
    assert bank.drop("payees", "p")["added_at"] is None
    with pytest.raises(ToolError, match="there is no payee 'p'; look here") as refused:
        bank.get("payees", "p", "payee", "look here")
    assert refused.value.code == "not_found"
    assert [bank.new_id("pay"), bank.new_id("pay")] == ["pay_0001", "pay_0002"]


def test_times_of_arguments(bank: Service) -> None:
    assert bank.stamp() == "2026-04-17T00:00:00+08:00"
    assert bank.instant("2026-04-17", "since") == bank.now == bank.seconds("2026-04-17T00:00:00+08:00")
    assert bank.day("2026-04-18", "on") == bank.today() + dt.timedelta(days=1)
    for text in ("soon", "", "1899-12-31T23:59:59Z", "2200-01-01T00:00:00Z", "9999-12-31T23:59:59-12:00"):
        with pytest.raises(ToolError, match="since: ") as refused:
            bank.instant(text, "since")
        assert refused.value.code == "bad_time"
    for text in ("2026-4-1", "2026-02-30", "1899-12-31", "2200-01-01", "0001-01-01"):
        with pytest.raises(ToolError, match="on: ") as refused:
            bank.day(text, "on")
        assert refused.value.code == "bad_date"
    assert bank.day("2199-12-31", "on").year == 2199
    assert bank.instant("1900-01-01T00:00:00Z", "since") < 0


def test_pages() -> None:
    rows = list(range(25))
    assert paged(rows, 3, 10) == {"total": 25, "page": 3, "pages": 3, "rows": [20, 21, 22, 23, 24]}
    assert paged(rows, 9, 10)["rows"] == []
    assert paged([], 1, 10) == {"total": 0, "page": 1, "pages": 1, "rows": []}
    for page, size in ((0, 10), (1, 0), (1, 101)):
        with pytest.raises(ToolError) as refused:
            paged(rows, page, size)
        assert refused.value.code == "bad_page"


def test_limits() -> None:
    assert limited(iter(range(10)), 3) == [0, 1, 2]
    assert limited([1], 200) == [1]
    for limit in (0, 201):
        with pytest.raises(ToolError, match="between 1 and 200") as refused:
            limited([1], limit)
        assert refused.value.code == "bad_limit"


# -- types of records ------------------------------------------------------------------------------------------------


class Visit(RecordModel):
    visit_id: str
    at: types.Instant
    on: types.Day | None = None
    opens: types.TimeOfDay = "09:00"
    price: types.Minor = 0
    currency: types.Currency = "EUR"


CONTEXT = {"start": dt.date(2026, 4, 17), "zone": "Asia/Shanghai"}


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"at": "D+1 09:30"}, "2026-04-18T09:30:00+08:00"),
        ({"at": "2026-04-18T09:30"}, "2026-04-18T09:30:00+08:00"),
        ({"at": "2026-04-18"}, "2026-04-18T00:00:00+08:00"),
        ({"at": "2026-04-18T09:30:00+09:00"}, "2026-04-18T09:30:00+09:00"),
    ],
)
def test_instants_of_a_bundle_become_iso(given: dict[str, str], stored: str) -> None:
    assert Visit.model_validate({"visit_id": "v", **given}, context=CONTEXT).at == stored


def test_days_of_a_bundle_become_dates() -> None:
    fields = {"visit_id": "v", "at": "D+0", "on": "D+14"}
    assert Visit.model_validate(fields, context=CONTEXT).on == "2026-05-01"


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": "D+1"},
        {"at": "2026-04-18T09:30"},
        {"at": "tomorrow, at about nine o'clock"},
        {"at": 5},
        {"on": "D+1"},
        {"on": "18.04.2026"},
        {"opens": "9:00"},
        {"opens": "24:00"},
        {"price": 1.5},
        {"price": "1"},
        {"currency": "eur"},
        {"other": 1},
    ],
)
def test_records_that_do_not_fit(wrong: dict[str, Any]) -> None:
    right = {"visit_id": "v", "at": "2026-04-18T09:30:00+08:00"}
    Visit.model_validate(right)
    with pytest.raises(ValidationError):
        Visit.model_validate({**right, **wrong})


@pytest.mark.parametrize("wrong", [{"at": "D+1 25:00"}, {"at": "nine"}, {"on": "D+x"}])
def test_moments_that_do_not_exist_are_refused_in_a_bundle(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Visit.model_validate({"visit_id": "v", "at": "D+0", **wrong}, context=CONTEXT)


# -- sampling --------------------------------------------------------------------------------------------------------


def test_samples_are_accepted_and_reach_every_value(order: ToolSpec) -> None:
    rng = np.random.default_rng(0)
    samples = [sample_arguments(order, rng, ("i1", "i2")) for _ in range(600)]
    for arguments in samples:
        order.arguments.validate(arguments)
    assert {arguments.get("kind", "-") for arguments in samples} == {"new", "used", None, "-"}
    assert {arguments["count"] for arguments in samples} == {1, 2, 3, 4, 5, 6, 7, 8, 9}
    assert {"i1", "i2"} < {arguments["item_id"] for arguments in samples}
    for name in order.arguments.optional:
        share = sum(name in arguments for arguments in samples) / len(samples)
        assert 0.4 < share < 0.6, name
    assert {type(arguments["to"]) for arguments in samples if "to" in arguments} == {str, list, type(None)}
    assert {"row", "letter"} == {key for arguments in samples for seat in arguments["seats"] for key in seat}


@pytest.mark.parametrize(
    ("schema", "name", "fits"),
    [
        ({"type": "integer", "minimum": 5000, "maximum": 5002}, "count", lambda v: v in (5000, 5001, 5002)),
        ({"type": "integer", "maximum": -10}, "count", lambda v: -20 <= v <= -10),
        ({"type": "integer", "exclusiveMaximum": 3, "exclusiveMinimum": 0}, "x", lambda v: v in (1, 2)),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "x", lambda v: 0 < v <= 1),
        ({"type": "string", "minLength": 12}, "x", lambda v: len(v) >= 12),
        ({"type": "string", "maxLength": 1}, "x", lambda v: len(v) <= 1),
        ({"type": "string", "pattern": "^[A-Z]{3}$"}, "x", lambda v: len(v) == 3 and v.isupper()),
        ({"type": "string"}, "check_in_date", lambda v: v[4] == "-" and len(v) == 10),
        (
            {"type": "array", "minItems": 2, "maxItems": 3, "items": {"type": "boolean"}},
            "x",
            lambda v: len(v) in (2, 3),
        ),
        ({"const": "a"}, "x", lambda v: v == "a"),
        ({"enum": ["a", None]}, "x", lambda v: v in ("a", None)),
        ({"oneOf": [{"type": "null"}, {"type": "boolean"}]}, "x", lambda v: v in (None, True, False)),
        ({"type": "object", "additionalProperties": False}, "x", lambda v: v == {}),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "x", lambda v: all(map(is_int, v.values()))),
        ({}, "x", lambda v: True),
    ],
)
def test_samples_of_each_kind_of_schema(schema: dict[str, Any], name: str, fits: Any) -> None:
    make, rng = sampler(schema, name), np.random.default_rng(1)
    assert all(fits(make(rng.random, ())) for _ in range(200))


def is_int(value: Any) -> bool:
    return type(value) is int


@pytest.mark.parametrize("schema", [{"type": "string", "pattern": "^qq[0-9]{9}zz$"}, {"type": "tuple"}])
def test_a_schema_without_a_sampler_says_so(schema: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="x: no sample"):
        sampler(schema, "x")
