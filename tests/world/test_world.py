"""A world runs its agenda in order, tells services what happens, moves money, and forks."""

from __future__ import annotations

import datetime as dt
import pickle
import sys
from types import ModuleType
from typing import Any, ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifegym.services import RecordModel, Service, ToolError, catalogue, listens, tool
from lifegym.services.dispatch import Call, execute, parse
from lifegym.world import Entry, Opening, World, clock

START = dt.date(2026, 4, 17)


class Note(RecordModel):
    note_id: str
    text: str


class Probe(Service):
    """Writes down what it is told."""

    name = "probe"
    title = "Probe"
    records: ClassVar[dict[str, type[RecordModel]]] = {"notes": Note}

    def note(self, text: str) -> None:
        self.put("notes", note_id=self.new_id("note"), text=f"{self.stamp()[11:19]} {text} {self.world._cause}")

    def chain(self, left: int) -> None:
        """Goes on at the same instant."""
        self.note(f"chain {left}")
        if left:
            self.later(self.now, "chain", left=left - 1)

    def late(self) -> None:
        """Asks for an instant that is over."""
        self.later(self.now - 1000, "note", text="late")

    def remind(self, text: str) -> None:
        self.world.notify("probe", "reminder", text, "", opens="reminder")

    def fail(self) -> None:
        raise RuntimeError("defect")

    @tool(write=True)
    def buy(self, price: int) -> dict[str, Any]:
        """Buy something."""
        return {"charge_id": self.pay("card", price, "EUR", "Shop", "ref_1", memo="m")}

    @listens("notify")
    def heard(self, **data: Any) -> None:
        self.note(f"notify {sorted(data.items())}")

    @listens("charge")
    def charged(self, amount_minor: int, **data: Any) -> None:
        if amount_minor > 1000:
            raise ToolError("insufficient_funds", "too dear")

    @listens("other")
    def first(self, text: str) -> None:
        self.note(f"first {text}")

    @listens("other")
    def second(self, text: str) -> None:
        self.note(f"second {text}")


@pytest.fixture(autouse=True)
def _probe_service(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("lifegym_probe_service")
    module.Probe = Probe  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "lifegym_probe_service", module)
    monkeypatch.setitem(catalogue.SERVICES, "probe", "lifegym_probe_service:Probe")


@pytest.fixture
def world() -> World:
    return World(["probe", "banking"], START, "Asia/Shanghai", "u_ann", "task/1", "Ann Lee", "ann@mail.example")


def at(text: str) -> int:
    return clock.moment(text, START, "Asia/Shanghai")


def notes(world: World) -> list[str]:
    return [row["text"] for row in world.table("probe.notes").rows()]


# -- the world's own -------------------------------------------------------------------------------------------------


def test_a_world_begins_at_midnight_of_its_first_day(world: World) -> None:
    assert world.iso() == "2026-04-17T00:00:00+08:00"
    assert world.today() == START
    assert world.iso(at("D+1 09:30")) == "2026-04-18T09:30:00+08:00"
    world.run_to(at("D+2 23:59"))
    assert world.today() == dt.date(2026, 4, 19)


def test_the_owner_has_a_name_and_an_address_in_any_case() -> None:
    world = World([], START, "UTC", "u_bo")
    assert (world.owner_name, world.owner_email) == ("u_bo", "u_bo@mail.example")


def test_services_are_bound_to_their_world(world: World) -> None:
    probe = world.service("probe")
    assert probe is world.service("probe")
    assert probe.world is world
    assert world.service("workspace").world is world
    assert world.has("probe")
    assert not world.has("workspace")
    for absent in ("weather", "nothing"):
        with pytest.raises(KeyError):
            world.service(absent)


def test_tables_have_the_keys_of_their_models(world: World) -> None:
    assert world.table("probe.notes").key == "note_id"
    assert world.table("banking.accounts").key == "account_id"
    assert world.table("world.charges").key == "charge_id"
    assert world.table("world.methods").key == "method_id"


# -- time ------------------------------------------------------------------------------------------------------------


def test_what_is_due_happens_in_order_at_its_instant(world: World) -> None:
    probe = world.service("probe")
    probe.later(at("D+0 12:00"), "note", text="noon")
    probe.later(at("D+0 10:00"), "note", text="ten, first")
    probe.later(at("D+0 10:00"), "note", text="ten, second")
    probe.later(at("D+0 12:00:01"), "note", text="too late")
    world.run_to(at("D+0 12:00"))
    assert notes(world) == ["10:00:00 ten, first clock", "10:00:00 ten, second clock", "12:00:00 noon clock"]
    assert world.now == at("D+0 12:00")
    assert len(world.agenda) == 1


def test_what_comes_due_meanwhile_happens_as_well(world: World) -> None:
    probe = world.service("probe")
    probe.later(at("D+0 10:00"), "chain", left=2)
    probe.later(at("D+0 10:00"), "note", text="other")
    probe.later(at("D+0 10:05"), "late")
    world.run_to(at("D+0 11:00"))
    assert [text[:16] for text in notes(world)] == [
        "10:00:00 chain 2",
        "10:00:00 other c",
        "10:00:00 chain 1",
        "10:00:00 chain 0",
        "10:05:00 late cl",
    ]


def test_time_never_runs_back(world: World) -> None:
    world.run_to(at("D+1 10:00"))
    world.service("probe").later(at("D+0 10:00"), "note", text="overdue")
    world.run_to(at("D+0 12:00"))
    assert world.now == at("D+1 10:00")
    assert notes(world) == ["10:00:00 overdue clock"]


def test_it_stops_at_an_opening_after_all_that_is_due_at_that_instant(world: World) -> None:
    probe = world.service("probe")
    probe.later(at("D+0 10:00"), "remind", text="call home")
    probe.later(at("D+0 10:00"), "note", text="same instant")
    probe.later(at("D+0 10:00"), "remind", text="again")
    probe.later(at("D+0 10:01"), "note", text="later")
    world.run_to(at("D+1 00:00"), until_opening=True)
    assert world.now == at("D+0 10:00")
    assert [opening.text for opening in world.openings] == ["call home", "again"]
    assert notes(world) == ["10:00:00 same instant clock"]
    world.openings.clear()
    world.run_to(at("D+1 00:00"), until_opening=True)
    assert world.now == at("D+1 00:00")
    assert len(notes(world)) == 2


def test_an_opening_that_waits_stops_it_at_once(world: World) -> None:
    world.openings.append(Opening(world.now, "world", "knock", "E1"))
    probe = world.service("probe")
    probe.later(world.now, "note", text="due now")
    probe.later(world.now + 1, "note", text="in a second")
    world.run_to(at("D+1 00:00"), until_opening=True)
    assert world.iso() == "2026-04-17T00:00:00+08:00"
    assert notes(world) == ["00:00:00 due now clock"]
    world.run_to(at("D+0 09:00"))
    assert world.now == at("D+0 09:00"), "without until_opening it goes on"


def test_timeline_and_sample_entries_go_to_the_handler(world: World) -> None:
    seen: list[tuple[str, str, int]] = []

    def handle(entry: Entry) -> None:
        seen.append((entry.owner, entry.verb, world.now))

    world.agenda.add(at("D+0 10:00"), "timeline", "E1", x=1)
    world.agenda.add(at("D+0 10:00"), "sample", "midnight", early=True)
    world.run_to(at("D+0 11:00"), handle)
    assert seen == [("sample", "midnight", at("D+0 10:00")), ("timeline", "E1", at("D+0 10:00"))]
    world.agenda.add(at("D+0 12:00"), "timeline", "E2")
    world.run_to(at("D+0 13:00"))
    assert len(world.agenda) == 0, "without a handler they pass"


def test_a_defect_leaves_the_cause_as_it_was(world: World) -> None:
    world._cause = "agent"
    world.service("probe").later(world.now, "fail")
    with pytest.raises(RuntimeError):
        world.run_to(world.now)
    assert world._cause == "agent"


# -- what services share ---------------------------------------------------------------------------------------------


def test_every_listener_hears_in_the_order_of_definition(world: World) -> None:
    world.emit("other", text="x")
    assert [text.split()[1] for text in notes(world)] == ["first", "second"]
    world.emit("nobody listens", text="x")
    assert len(notes(world)) == 2


def test_numbers_and_codes_are_the_same_in_every_replay(world: World) -> None:
    assert [world.count("a"), world.count("a"), world.count("b")] == [1, 2, 1]
    codes = [world.code("pnr") for _ in range(200)]
    other = World(["probe"], START, "UTC", "u_ann", "task/1")
    assert [other.code("pnr") for _ in range(200)] == codes
    assert len(set(codes)) == 200
    assert {len(code) for code in codes} == {6}
    assert not set("".join(codes)) & set("01IO")
    assert World(["probe"], START, "UTC", "u_ann", "task/2").code("pnr") != codes[0]
    assert world.code("ticket") != codes[0]
    assert set(world.code("digits", 13, "0123456789")) <= set("0123456789")


def test_a_code_can_be_seen_before_it_is_used(world: World) -> None:
    before = world.dump()
    coming = world.peek_code("pnr")
    assert world.peek_code("pnr") == coming
    assert world.dump() == before
    assert world.code("pnr") == coming
    assert world.peek_code("pnr") == world.code("pnr") != coming


def test_codes_and_ids_that_are_in_use_are_passed_over(world: World) -> None:
    other = world.fork()
    first, second, third = (other.code("pnr") for _ in range(3))
    assert world.peek_code("pnr", taken={first, second}.__contains__) == third
    assert world.code("pnr", taken={first, second}.__contains__) == third
    assert world.code("pnr") == other.code("pnr")
    probe = world.service("probe")
    probe.put("notes", note_id="note_0001", text="by hand")
    probe.put("notes", note_id="note_0002", text="by hand")
    before = world.dump()
    assert probe.peek_id("note") == probe.peek_id("note") == "note_0003"
    assert world.dump() == before
    probe.note("by itself")
    assert [row["note_id"] for row in probe.rows("notes")] == ["note_0001", "note_0002", "note_0003"]


def test_a_notification_reaches_the_hub_and_may_open_a_turn(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.notify("banking", "fee", "A fee", "3 EUR", ref="tx_1", opens="alert")
    assert notes(world) == [], "there is no hub"
    assert world.openings == [Opening(world.now, "alert", "A fee\n3 EUR", "")]
    monkeypatch.setattr(World, "has", lambda self, name: True)
    world.notify("banking", "fee", "A fee", "3 EUR", ref="tx_1")
    world.notify("banking", "fee", "A fee", "", user_id="u_bo", opens="reminder")
    assert len(world.openings) == 2
    assert world.openings[1].text == "A fee"
    first, second = notes(world)
    assert "('ref', 'tx_1'), ('source', 'banking'), ('title', 'A fee'), ('type', 'fee'), ('user_id', 'u_ann')" in first
    assert "('user_id', 'u_bo')" in second


def test_a_charge_is_recorded_with_who_caused_it(world: World) -> None:
    call = parse({"tool": "probe.buy", "arguments": {"price": 700}}, world.services)
    assert isinstance(call, Call)
    assert execute(world, call).result == {"charge_id": "ch_00001"}
    world.service("probe").later(world.now + 60, "buy", price=-700)
    world.run_to(world.now + 60)
    charges = [dict(row) for row in world.table("world.charges").rows()]
    assert charges[0] == {
        "charge_id": "ch_00001",
        "at": "2026-04-17T00:00:00+08:00",
        "service": "probe",
        "method": "card",
        "payee": "Shop",
        "amount_minor": 700,
        "currency": "EUR",
        "ref": "ref_1",
        "memo": "m",
        "cause": "agent",
    }
    assert (charges[1]["amount_minor"], charges[1]["cause"]) == (-700, "clock")


def test_a_refused_charge_leaves_no_trace(world: World) -> None:
    before = world.dump()
    call = parse({"tool": "probe.buy", "arguments": {"price": 5000}}, world.services)
    assert isinstance(call, Call)
    assert execute(world, call).code == "insufficient_funds"
    assert world.dump() == before


def test_a_payment_method_that_the_person_does_not_have_is_refused(world: World) -> None:
    probe = world.service("probe")
    probe.check_method("anything")
    world.table("world.methods").put({"method_id": "visa"})
    world.table("world.methods").put({"method_id": "card"})
    probe.check_method("visa")
    with pytest.raises(ToolError, match="use one of: card, visa") as refused:
        probe.check_method("amex")
    assert refused.value.code == "unknown_payment_method"


def test_a_bank_account_pays_for_a_purchase(world: World) -> None:
    world.service("banking").put(
        "accounts", account_id="card", user_id="u_ann", name="Main", currency="EUR", balance_minor=900
    )
    world.service("probe").buy(400)
    assert world.table("banking.accounts").find("card")["balance_minor"] == 500  # type: ignore[index]


# -- forks, pickles, dumps -------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.sampled_from(["note", "later", "run", "file", "code", "buy", "open", "fork", "pickle"]),
        st.integers(0, 5),
    ),
    max_size=30,
)


def _do(world: World, kind: str, n: int) -> None:
    probe: Any = world.service("probe")
    if kind == "note":
        probe.note(str(n))
    elif kind == "later":
        probe.later(world.now + n * 60, "chain", left=n)
    elif kind == "run":
        world.run_to(world.now + n * 60, until_opening=n % 2 == 0)
    elif kind == "file":
        world.workspace.write(f"f{n}", world.iso(), world.now)
    elif kind == "code":
        probe.note(world.code("pnr"))
    elif kind == "buy":
        probe.buy(n)
    elif kind == "open":
        world.notify("probe", "k", str(n), "", opens="alert")


@settings(max_examples=100, deadline=None)
@given(STEPS)
def test_forks_and_pickles_go_on_alone_and_replay_to_the_same_state(steps: list[tuple[int, str, int]]) -> None:
    def fresh() -> World:
        return World(["probe", "banking"], START, "Asia/Shanghai", "u_ann", "task/1")

    branches: list[tuple[World, list[tuple[str, int]]]] = [(fresh(), [])]
    for number, kind, n in steps:
        index = number % len(branches)
        world, history = branches[index]
        if kind == "fork":
            branches.append((world.fork(), list(history)))
        elif kind == "pickle":
            branches[index] = (pickle.loads(pickle.dumps(world)), history)
        else:
            _do(world, kind, n)
            history.append((kind, n))
    for world, history in branches:
        again = fresh()
        for kind, n in history:
            _do(again, kind, n)
        assert world.dump() == again.dump()


def test_a_fork_and_a_pickle_keep_everything(world: World) -> None:
    _do(world, "later", 2)
    for other in (world.fork(), pickle.loads(pickle.dumps(world))):
        assert other.dump() == world.dump()
        for name in World.__slots__:
            if name not in ("agenda", "store", "workspace", "_bound"):
                assert getattr(other, name) == getattr(world, name), name
        assert other.service("probe").world is other


@pytest.mark.parametrize("kind", ["note", "later", "run", "file", "code", "buy", "open"])
def test_dump_shows_every_change(world: World, kind: str) -> None:
    before = world.dump()
    _do(world, kind, 3)
    assert world.dump() != before
