"""The fuzz in a short form, and that it notices what it is for."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from lifegym.services import ToolError, catalogue

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import episodes
import fuzz
from recipes import RECIPES
from worlds import household

EVERY = (*catalogue.SERVICES, *catalogue.ALWAYS)


def test_a_short_fuzz_over_all_services_breaks_nothing() -> None:
    report = fuzz.fuzz(2000, seed=1)
    assert report.broken == []
    assert report.missed(EVERY) == []
    assert report.tally.calls.total() >= 2000
    assert set(report.tally.calls) <= set(fuzz.tools(EVERY))


def test_what_is_drawn_does_not_depend_on_the_number_of_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "CHUNK", 60)
    services = ("banking", "weather")
    alone, shared = fuzz.fuzz(120, 2, 1, services), fuzz.fuzz(120, 2, 2, services)
    assert alone.tally == shared.tally
    assert alone.tally != fuzz.fuzz(60, 3, 1, services).tally
    assert {name.partition(".")[0] for name in alone.tally.calls} == set(services)


def test_every_recipe_is_for_a_tool_there_is() -> None:
    assert sorted(set(RECIPES) - set(fuzz.tools(EVERY))) == []


# -- it notices --------------------------------------------------------------------------------------------------------


def _crash(bank: Any, user_id: str) -> Any:
    return {}["nothing"]


def _scribble(bank: Any, user_id: str) -> Any:
    bank.world.count("looks")
    return {}


def _write_and_refuse(bank: Any, user_id: str) -> Any:
    bank.world.count("looks")
    raise ToolError("not_found", "no")


def _refuse(bank: Any, user_id: str) -> Any:
    raise ToolError("tired", "no")


def _lose_money(bank: Any, user_id: str) -> Any:
    account = next(iter(bank.rows("accounts")))
    bank.patch("accounts", account["account_id"], balance_minor=account["balance_minor"] - 1)
    return {}


def _misfit(bank: Any, user_id: str) -> Any:
    payee = next(iter(bank.rows("payees")))
    bank.patch("payees", payee["payee_id"], name=7)
    return {}


@pytest.mark.parametrize(
    ("careless", "complaint"),
    [
        (_crash, "banking.list_accounts: KeyError: 'nothing'"),
        (_scribble, "banking.list_accounts is a read, but the world changed"),
        (_write_and_refuse, "banking.list_accounts: refused with not_found, but the world changed"),
        (_refuse, "banking.list_accounts: refused with tired, which Errors: does not name"),
        (_lose_money, "banking: an invariant is broken: "),
        (_misfit, "banking.payees 'landlord' does not fit Payee"),
    ],
)
def test_a_careless_tool_is_noticed(
    monkeypatch: pytest.MonkeyPatch, careless: Callable[..., Any], complaint: str
) -> None:
    monkeypatch.setattr(catalogue.tools_of("banking")["list_accounts"], "method", careless)
    # The changes that a read must not make are looked for in all calls, or in none where another look is to find them.
    monkeypatch.setattr(episodes, "COMPARED", 0.0 if careless in (_lose_money, _misfit) else 1.0)
    report = fuzz.fuzz(60, services=("banking",))
    assert any(text.startswith(complaint) for text in report.broken), report.broken
    assert any(text.startswith("(chunk 0 episode ") for text in report.tally.violations)  # and where it was


def test_a_happening_and_a_clock_that_fail_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise KeyError("lost")

    bank = catalogue.service_class("banking")
    monkeypatch.setattr(bank, "set_status", fail)
    monkeypatch.setattr(bank, "run_schedule", fail)
    broken = "\n".join(fuzz.fuzz(150, services=("banking",)).broken)
    assert "banking.set_status: KeyError: 'lost'" in broken
    assert "the clock: KeyError: 'lost'" in broken


def test_missed_bounds_are_named() -> None:
    names = fuzz.tools(("weather",))
    calls = Counter(dict.fromkeys(names, 100_000 // len(names) + 1))
    tally = fuzz.Tally.empty()._replace(calls=calls, accepted=Counter({names[0]: 20_000, names[1]: 99}))
    missed = fuzz.Report(tally, {"maps": "ImportError: gone"}, 1.0).missed(("weather",))
    assert missed[:2] == ["maps could not be imported: ImportError: gone", "20.1% of the calls were accepted, not 30%"]
    assert f"{names[1]} was accepted 99 times, not 100" in missed
    assert not any(text.startswith(f"{names[0]} was") for text in missed)


def test_a_household_can_do_without_a_service() -> None:
    task = household(("weather", "notion"))
    assert set(task.services) == set(catalogue.SERVICES) - {"weather", "notion"}
    assert not task.scenario("train", 1).world.has("weather")
    tally = episodes.play_chunk(0, 0, 60, ("maps", "workspace"), ("weather", "notion"))
    assert tally.calls.total() >= 60


def test_the_command_prints_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--calls", "120", "--workers", "1", "--services", "maps", "--json"])
    assert fuzz.main() == 0
    results = orjson.loads(capsys.readouterr().out)
    assert results["calls"] >= 120
    assert results["violations"] == {}
    assert results["missed"] == []
    assert set(results["tools"]) == set(fuzz.tools(("maps",)))


def test_the_command_prints_a_table_and_fails_where_something_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(catalogue.tools_of("banking")["list_accounts"], "method", _crash)
    monkeypatch.setattr(sys, "argv", ["fuzz.py", "--calls", "40", "--workers", "1", "--services", "banking"])
    assert fuzz.main() == 1
    printed = capsys.readouterr().out
    assert "times: banking.list_accounts: KeyError: 'nothing'" in printed
    assert "per second" in printed


@pytest.mark.parametrize("arguments", [["--calls", "0"], ["--workers", "0"], ["--services", "nowhere"]])
def test_the_command_refuses_what_makes_no_sense(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["fuzz.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        fuzz.main()
    assert stopped.value.code == 2
