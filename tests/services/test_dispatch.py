"""One call: whatever an agent sends, there is an outcome, and a refused call leaves the world as it was."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import decimal
import enum
import json
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lifegym.services import ToolError, catalogue, dispatch
from lifegym.services.dispatch import CALL_LIMIT, Call, Outcome
from lifegym.world import World, thaw

SERVICES = ("banking",)


@pytest.fixture
def world() -> World:
    world = World(SERVICES, dt.date(2026, 4, 17), "Asia/Shanghai", "u_ann")
    bank: Any = world.service("banking")
    bank.put("accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=100_000)
    bank.put("payees", payee_id="p1", user_id="u_ann", name="Mr Gao", account_no="62220001", bank_name="Harbour")
    world.workspace.write("notes.md", "one\ntwo\n", world.now)
    return world


def send(world: World, action: Any) -> Outcome:
    call = dispatch.parse(action, world.services)
    return dispatch.execute(world, call) if isinstance(call, Call) else call


def act(world: World, tool: str, **arguments: Any) -> Outcome:
    return send(world, {"tool": tool, "arguments": arguments})


# -- accepted calls --------------------------------------------------------------------------------------------------


def test_an_accepted_call_answers_with_its_result_as_text_and_value(world: World) -> None:
    outcome = act(world, "banking.list_accounts", user_id="u_ann")
    assert (outcome.ok, outcome.code, outcome.fault) == (True, "", "")
    assert json.loads(outcome.text) == thaw(outcome.result)
    assert outcome.result["accounts"][0]["balance_minor"] == 100_000


@pytest.mark.parametrize("name", ["banking.list_accounts", "banking__list_accounts"])
def test_both_spellings_of_a_tool_name(world: World, name: str) -> None:
    assert act(world, name, user_id="u_ann").ok


def test_arguments_may_be_left_out_where_none_is_needed(world: World) -> None:
    for action in ({"tool": "assistant.wait"}, {"tool": "assistant.wait", "arguments": None}):
        assert send(world, action).result == {}


def test_workspace_and_assistant_are_always_there() -> None:
    world = World((), dt.date(2026, 4, 17), "UTC", "u_ann")
    assert act(world, "workspace.list_files").ok
    assert act(world, "assistant.reply", text="Hello").result == {"text": "Hello"}


@pytest.mark.parametrize(
    "action",
    [
        types.MappingProxyType({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}),
        collections.OrderedDict(tool="banking.list_accounts", arguments=collections.OrderedDict(user_id="u_ann")),
        collections.UserDict({"tool": "banking.list_accounts", "arguments": {"user_id": "u_ann"}}),
    ],
)
def test_an_action_may_be_any_mapping(world: World, action: Any) -> None:
    assert send(world, action).ok


def test_the_world_holds_nothing_of_the_callers(world: World) -> None:
    arguments = {"account_id": "main", "payee_id": "p1", "amount_minor": 5}
    call = dispatch.parse({"tool": "banking.pay_payee", "arguments": arguments}, SERVICES)
    assert isinstance(call, Call)
    arguments["amount_minor"] = 99_999
    assert dispatch.execute(world, call).result["amount_minor"] == 5


def test_a_charge_made_by_a_call_is_the_agents_and_the_next_one_the_clocks(world: World) -> None:
    act(world, "banking.list_accounts", user_id="u_ann")
    world.charge("shop", "main", 10, "CNY", "Shop", "r1")
    [charge] = world.table("world.charges").rows()
    assert charge["cause"] == "clock"


# -- refused calls ---------------------------------------------------------------------------------------------------

REFUSED: list[tuple[Any, str, str]] = [
    (None, "bad_action", "not NoneType"),
    ([1], "bad_action", "not list"),
    ("banking.list_accounts", "bad_action", "not str"),
    (7.5, "bad_action", "not float"),
    ({}, "bad_action", "'tool' is missing"),
    ({"tool": None}, "bad_action", "'tool' is missing or no text"),
    ({"tool": 5}, "bad_action", "no text"),
    ({"tool": ["assistant.wait"]}, "bad_action", "no text"),
    ({"tool": b"assistant.wait"}, "bad_action", "no text"),
    ({"tool": "assistant.wait", "args": {}}, "bad_action", "not 'args'"),
    ({"tool": "assistant.wait", 5: {}}, "bad_action", "not 5"),
    ({"name": "assistant.wait"}, "bad_action", "not 'name'"),
    ({"tool": "nothing"}, "unknown_tool", "there is no tool 'nothing'"),
    ({"tool": ""}, "unknown_tool", "the services are: banking"),
    ({"tool": "\ud800"}, "unknown_tool", "the services are: banking"),
    ({"tool": "banking.list_acounts"}, "unknown_tool", "do you mean banking.list_accounts"),
    ({"tool": "bank.pay_payee"}, "unknown_tool", "banking.pay_payee"),
    ({"tool": "shop.accounts.reply"}, "unknown_tool", "assistant.reply"),
    ({"tool": "banking._post"}, "unknown_tool", "there is no tool"),
    ({"tool": "banking.post_transaction"}, "unknown_tool", "there is no tool"),
    ({"tool": "banking.check_invariants"}, "unknown_tool", "there is no tool"),
    ({"tool": "banking.__init__"}, "unknown_tool", "there is no tool"),
    ({"tool": "assistant.wait", "arguments": []}, "bad_arguments", "not list"),
    ({"tool": "assistant.wait", "arguments": "{}"}, "bad_arguments", "not str"),
    ({"tool": "assistant.wait", "arguments": {"text": "x"}}, "bad_arguments", "'text' is not a parameter"),
    ({"tool": "assistant.reply"}, "bad_arguments", "text is required. It takes: text."),
    ({"tool": "assistant.reply", "arguments": {"text": 5}}, "bad_arguments", "text: "),
    ({"tool": "assistant.reply", "arguments": {"text": "\ud800"}}, "bad_arguments", "not JSON"),
    ({"tool": "assistant.reply", "arguments": {"text": b"x"}}, "bad_arguments", "not JSON"),
    ({"tool": "assistant.reply", "arguments": {1: "x"}}, "bad_arguments", "not JSON"),
    ({"tool": "assistant.reply", "arguments": {"text": 2**64}}, "bad_arguments", "not JSON"),
    ({"tool": "assistant.reply", "arguments": {"text": float("nan")}}, "bad_arguments", "NaN and Infinity"),
    ({"tool": "assistant.reply", "arguments": {"text": [{"x": (float("inf"),)}]}}, "bad_arguments", "NaN and Infinity"),
    ({"tool": "assistant.reply", "arguments": {"text": "x" * CALL_LIMIT}}, "too_large", "at most 400 KB"),
    ({"tool": "assistant.reply", "arguments": {"text": "x" * 300_000}}, "bad_arguments", "262144 characters"),
]


@pytest.mark.parametrize(("action", "code", "says"), REFUSED, ids=lambda value: ascii(value)[:50])
def test_what_is_wrong_comes_back_with_a_code_and_a_sentence(world: World, action: Any, code: str, says: str) -> None:
    before = world.dump()
    outcome = send(world, action)
    assert (outcome.ok, outcome.code, outcome.fault) == (False, code, "")
    assert says in outcome.result["error"]["message"]
    assert json.loads(outcome.text) == {"error": {"code": code, "message": outcome.result["error"]["message"]}}
    assert len(outcome.text) < 1000
    assert world.dump() == before


def test_a_service_that_the_task_does_not_have(world: World) -> None:
    outcome = dispatch.parse({"tool": "banking.list_accounts", "arguments": {"user_id": "u"}}, ("calendar", "email"))
    assert isinstance(outcome, Outcome)
    assert outcome.code == "service_unavailable"
    assert "there are: calendar, email" in outcome.text


def test_null_means_an_optional_parameters_default(world: World) -> None:
    assert act(world, "banking.list_transactions", account_id="main", limit=None, since=None).ok
    assert act(world, "banking.list_transactions", account_id=None).code == "bad_arguments"


@pytest.mark.parametrize(
    ("value", "ok"), [(5, True), (5.0, True), (5.5, False), ("5", False), (True, False), (1e300, False), (0, False)]
)
def test_integral_floats_are_integers_and_nothing_else_is(world: World, value: Any, ok: bool) -> None:
    outcome = act(world, "banking.pay_payee", account_id="main", payee_id="p1", amount_minor=value)
    assert outcome.ok == ok
    if ok:
        assert type(outcome.result["amount_minor"]) is int
    else:
        assert outcome.code == "bad_arguments"


def test_a_refusal_by_a_service_keeps_its_code_and_says_what_to_do(world: World) -> None:
    outcome = act(world, "banking.get_account", account_id="nope\n\u2028")
    assert outcome.code == "not_found"
    assert "banking.list_accounts shows them" in outcome.text


# -- defects of the environment --------------------------------------------------------------------------------------


def _broken(monkeypatch: pytest.MonkeyPatch, method: Callable[..., Any]) -> None:
    monkeypatch.setattr(catalogue.find_tool("assistant.wait"), "method", method)


@pytest.mark.parametrize(
    "method",
    [lambda self: 1 / 0, lambda self: {"x": object()}, lambda self: {"x": 2**64}, lambda self: {"x": "\ud800"}],
)
def test_a_defect_is_a_fault_and_not_the_agents(
    world: World, monkeypatch: pytest.MonkeyPatch, method: Callable[..., Any]
) -> None:
    _broken(monkeypatch, method)
    outcome = send(world, {"tool": "assistant.wait"})
    assert (outcome.ok, outcome.code) == (False, "internal_error")
    assert "Traceback" in outcome.fault
    assert "Traceback" not in outcome.text


def test_a_refusal_with_unprintable_text_is_still_valid(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any) -> None:
        raise ToolError("odd", "lone \ud800 surrogate")

    _broken(monkeypatch, refuse)
    outcome = send(world, {"tool": "assistant.wait"})
    assert (outcome.code, outcome.result["error"]["message"]) == ("odd", "lone \\ud800 surrogate")


# -- malformed actions of every kind ---------------------------------------------------------------------------------


class Hostile:
    """Fails at whatever is asked of it."""

    def _fail(self, *args: Any, **kwargs: Any) -> Any:
        raise ZeroDivisionError("hostile")

    __getitem__ = __iter__ = __len__ = __eq__ = __ne__ = __repr__ = __str__ = __bool__ = __hash__ = __call__ = _fail  # type: ignore[assignment]
    __float__ = __int__ = __index__ = __contains__ = __getattr__ = _fail


class HostileClass:
    """Does not even tell its class."""

    @property
    def __class__(self) -> Any:  # type: ignore[override]
        raise ZeroDivisionError("hostile")


class HostileKey(str):
    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError("hostile")

    def __hash__(self) -> int:
        return str.__hash__(self)

    def __repr__(self) -> str:
        raise ZeroDivisionError("hostile")


class OddKey(str):
    def __repr__(self) -> str:
        raise ZeroDivisionError("hostile")


class LyingDict(dict[str, Any]):
    """Says of itself what is not so."""

    def values(self) -> Any:
        raise ZeroDivisionError("hostile")

    items = keys = __iter__ = __len__ = get = values  # type: ignore[assignment]


class LyingList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        raise ZeroDivisionError("hostile")

    __len__ = __getitem__ = __iter__  # type: ignore[assignment]


class RaisingMapping(Mapping[str, Any]):
    def __init__(self, at: str) -> None:
        self.at = at

    def __getitem__(self, key: str) -> Any:
        if self.at == "getitem":
            raise RuntimeError("hostile")
        return {"tool": "assistant.wait", "arguments": {}}[key]

    def __iter__(self) -> Iterator[str]:
        if self.at == "iter":
            raise RecursionError("hostile")
        return iter(["tool", "arguments"])

    def __len__(self) -> int:
        raise MemoryError("hostile")


class EndlessMapping(RaisingMapping):
    def __iter__(self) -> Iterator[str]:
        number = 0
        while True:
            yield f"key{number}"
            number += 1


class StringSubclass(str):
    pass


class Colour(enum.Enum):
    RED = float("nan")


@dataclasses.dataclass
class Data:
    text: Any


def _deep(depth: int, kind: str) -> Any:
    value: Any = 0
    for _ in range(depth):
        value = [value] if kind == "list" else {"a": value}
    return value


def _cycle() -> Any:
    value: list[Any] = []
    value.append(value)
    return value


ODD: list[Callable[[], Any]] = [
    Hostile,
    HostileClass,
    lambda: LyingDict(tool="assistant.wait", x=None, y=float("nan")),
    lambda: LyingList([None, float("nan")]),
    lambda: RaisingMapping("getitem"),
    lambda: RaisingMapping("iter"),
    lambda: RaisingMapping("len"),
    lambda: EndlessMapping(""),
    lambda: StringSubclass("assistant.wait"),
    lambda: {HostileKey("tool"): "assistant.wait"},
    lambda: {OddKey("other"): 1, "tool": "assistant.wait"},
    lambda: Colour.RED,
    lambda: Data(float("nan")),
    lambda: Data(Hostile()),
    lambda: Hostile,
    lambda: _deep(10_000, "list"),
    lambda: _deep(10_000, "dict"),
    lambda: _deep(200, "dict"),
    _cycle,
    lambda: "x" * 1_000_000,
    lambda: "\ud800" * 1000,
    lambda: "\udfff\ud800 \x00\x7f\u2028",
    lambda: 10**400,
    lambda: -(2**63) - 1,
    lambda: 2**64 - 1,
    lambda: 1e308 * 10,
    lambda: -float("inf"),
    lambda: float("nan"),
    lambda: np.float64("nan"),
    lambda: np.float32(1.5),
    lambda: np.int64(5),
    lambda: np.bool_(True),
    lambda: np.str_("main"),
    lambda: np.zeros(3),
    lambda: np.array([{"tool": "x"}], dtype=object),
    lambda: np.array("assistant.wait"),
    lambda: b"bytes",
    lambda: bytearray(b"bytes"),
    lambda: memoryview(b"bytes"),
    lambda: {1, 2},
    lambda: frozenset({"a"}),
    lambda: (1, 2),
    lambda: 1j,
    lambda: decimal.Decimal("1.5"),
    lambda: dt.datetime(2026, 1, 1),
    lambda: range(5),
    lambda: iter([1]),
    lambda: len,
    lambda: orjson.Fragment(b"{not json"),
    lambda: orjson.Fragment(b'{"text": NaN}'),
    lambda: type("x" * 5000, (), {})(),
]


def _odd_value() -> st.SearchStrategy[Any]:
    # Made anew each time; hypothesis shows the number only, as a hostile repr would break its report.
    return st.integers(0, len(ODD) - 1).map(lambda number: _Made(number))


class _Made:
    """Stands for an odd value until ``_made`` puts it in."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __repr__(self) -> str:
        return f"ODD[{self.number}]"


def _made(value: Any) -> Any:
    if isinstance(value, _Made):
        return ODD[value.number]()
    if isinstance(value, dict):
        return {key: _made(item) for key, item in value.items()}
    return [_made(item) for item in value] if isinstance(value, list) else value


PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats()
    | st.text(st.characters(), max_size=8)
    | st.text(st.characters(categories=["Cs"]), max_size=3)
    | st.sampled_from(["main", "p1", "u_ann", "notes.md", "2026-05-01", "9999-12-31", ""])
)
VALUES = st.recursive(
    PLAIN | _odd_value(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = [
    spec.name for service in ("banking", "workspace", "assistant") for spec in catalogue.tools_of(service).values()
]
FIELDS = [
    "account_id",
    "payee_id",
    "amount_minor",
    "user_id",
    "path",
    "text",
    "limit",
    "page",
    "query",
    "scheduled_for",
]


@st.composite
def arguments_of(draw: st.DrawFn, name: str) -> dict[str, Any]:
    """Arguments with the names of a tool's parameters, some right, some missing, some too many."""
    spec = catalogue.find_tool(name)
    assert spec is not None
    made = {field: draw(VALUES) for field in spec.arguments.names if draw(st.integers(0, 5))}
    if not draw(st.integers(0, 5)):
        made[draw(st.sampled_from(FIELDS) | st.text(max_size=5))] = draw(VALUES)
    return made


@st.composite
def malformed_actions(draw: st.DrawFn) -> Any:
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(VALUES)
    if kind == 1:
        return draw(st.dictionaries(st.sampled_from(["tool", "arguments", "args", "name", ""]), VALUES))
    if kind == 2:
        return {"tool": draw(st.text(max_size=30) | VALUES), "arguments": draw(VALUES)}
    name = draw(st.sampled_from(NAMES))
    if kind == 3:
        return {"tool": name, "arguments": draw(VALUES)}
    return {"tool": name, "arguments": draw(arguments_of(name))}


def _judge(world: World, action: Any) -> None:
    before = world.dump()
    outcome = send(world, action)
    assert not outcome.fault, outcome.fault
    parsed = json.loads(outcome.text.encode("utf-8").decode("utf-8"))
    if outcome.ok:
        assert outcome.code == ""
        return
    assert set(parsed) == {"error"}
    assert parsed["error"]["code"] == outcome.code
    assert parsed["error"]["message"]
    assert len(outcome.text) < 4000, "a refusal does not echo what was sent"
    assert world.dump() == before, "a refused call changed the world"


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(malformed_actions())
@example({"tool": "workspace.read_file", "arguments": {"path": "notes.md", "start_line": 2**64 - 1}})
@example({"tool": "workspace.list_files", "arguments": {"page": 2**64 - 1}})
@example({"tool": "banking.list_transactions", "arguments": {"account_id": "main", "until": "9999-12-31"}})
def test_nothing_that_is_sent_breaks_anything(action: Any) -> None:
    fresh = World(SERVICES, dt.date(2026, 4, 17), "Asia/Shanghai", "u_ann")
    bank: Any = fresh.service("banking")
    bank.put("accounts", account_id="main", user_id="u_ann", name="Main", currency="CNY", balance_minor=100_000)
    bank.put("payees", payee_id="p1", user_id="u_ann", name="Mr Gao", account_no="62220001", bank_name="Harbour")
    _judge(fresh, _made(action))


@pytest.mark.parametrize("number", range(len(ODD)))
def test_every_odd_value_at_every_place(world: World, number: int) -> None:
    make = ODD[number]
    for action in (
        make,
        lambda: {"tool": make()},
        lambda: {"tool": "assistant.wait", "arguments": make()},
        lambda: {"tool": "assistant.reply", "arguments": {"text": make()}},
        lambda: {"tool": "assistant.reply", "arguments": {"text": [{"deep": make()}]}},
        lambda: {"tool": "banking.transfer", "arguments": {"from_account_id": "main", "amount_minor": make()}},
        lambda: {"tool": "banking.schedule_recurring", "arguments": {"freq": make(), "start_date": make()}},
        lambda: {"tool": "banking.list_transactions", "arguments": {"account_id": make(), "limit": make()}},
        lambda: {"tool": "workspace.write_file", "arguments": {"path": make(), "text": make()}},
    ):  # fmt: skip
        _judge(world, action())
