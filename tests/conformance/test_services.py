"""Every service in the catalogue keeps what docs/adding-a-service.md promises."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lifegym.services import Service, ToolSpec, catalogue
from lifegym.services.sampling import sample_arguments
from lifegym.services.tools import ToolError, tool

from . import (
    documentation,
    error_codes,
    filled_world,
    happenings,
    record_problems,
    reference_interface,
    renderings,
    schemas,
    service_problems,
    use,
    validation,
)

REFERENCE = Path(__file__).parents[3] / "shared" / "reference" / "services.json"
ARGUMENT_SETS = 200
"""Argument sets per service, each mutated up to three times."""
CALLS = 200
"""Calls per service and seed."""
SEEDS = (1, 2)
SERVICES = [*catalogue.SERVICES, *catalogue.ALWAYS]


def _available(name: str) -> bool:
    try:
        catalogue.service_class(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.fixture(params=SERVICES)
def name(request: pytest.FixtureRequest) -> str:
    if not _available(request.param):
        pytest.skip(f"there is no module for {request.param} yet")
    return str(request.param)


def _world_services(name: str) -> list[str]:
    return [] if name in catalogue.ALWAYS else [name]


def _report(problems: list[str]) -> None:
    distinct = list(dict.fromkeys(problems))
    assert not distinct, f"{len(distinct)} to change:\n" + "\n".join(f"- {problem}" for problem in distinct)


@cache
def _reference() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(REFERENCE.read_text(encoding="utf-8"))
    return content["services"]  # type: ignore[no-any-return]


@pytest.mark.skipif(not REFERENCE.exists(), reason="the list of reference interfaces is not here")
def test_names_and_parameters_are_those_of_the_reference(name: str) -> None:
    if name not in _reference():
        pytest.skip(f"{name} reproduces no interface")
    _report(reference_interface(name, _reference()[name]))


def test_everything_is_documented(name: str) -> None:
    _report(documentation(name))


def test_the_documented_errors_are_those_that_can_be_raised(name: str) -> None:
    _report(error_codes(name))


def test_schemas_are_valid_and_self_contained(name: str) -> None:
    _report(schemas(name))


def test_every_providers_form_is_well_formed(name: str) -> None:
    _report(renderings(name))


def test_the_validator_and_the_schema_agree(name: str) -> None:
    _report(validation(name, np.random.default_rng(0), ARGUMENT_SETS))


@pytest.mark.parametrize("seed", SEEDS)
def test_use_keeps_the_rules(name: str, seed: int) -> None:
    """No faults; reads and refused calls change nothing; afterwards every record is right."""
    rng = np.random.default_rng(seed)
    world = filled_world(_world_services(name), rng)
    before = record_problems(world)
    _report([f"filled by its own generators: {problem}" for problem in before])
    problems, _ = use(world, [name], rng, CALLS)
    _report([*problems, *record_problems(world)])


def test_happenings_that_match_nothing_do_nothing(name: str) -> None:
    rng = np.random.default_rng(3)
    world = filled_world(_world_services(name), rng, records=1)
    _report(happenings(name, world, rng))


def test_all_services_together_keep_the_rules() -> None:
    names = [name for name in catalogue.SERVICES if _available(name)]
    rng = np.random.default_rng(4)
    world = filled_world(names, rng, records=2)
    problems, _ = use(world, [*names, *catalogue.ALWAYS], rng, 2 * CALLS)
    _report([*problems, *record_problems(world)])


# -- the suite sees what is wrong --------------------------------------------------------------------------------------


class Careless(Service):
    """Breaks what it can."""

    name = "careless"
    title = "Careless"

    @tool(write=False)
    def peek(self, item_id: str) -> dict[str, Any]:
        """Look"""
        self.world.count("peeks")
        if item_id == "u_ann":
            raise ToolError("not_found", "nothing")
        return {}

    @tool(write=True)
    def order(self, amount: int) -> dict[str, Any]:
        """Order something.

        Args:
            amount: How many.
            colour: Which.

        Returns:
            Nothing.

        Errors:
            sold_out: Never.
            bad_amount: Too many.
        """
        self.world.count("orders")
        code = "bad_amount" if amount > 1 else "too_few"
        raise ToolError(code, "no")

    @tool(write=True)
    def crash(self) -> dict[str, Any]:
        """Fail.

        Returns:
            Nothing.
        """
        return {"x": 1 / len(self.title[9:])}


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> str:
    known = catalogue.service_class
    monkeypatch.setitem(catalogue.SERVICES, "careless", "nowhere:Careless")
    monkeypatch.setattr(catalogue, "service_class", lambda name: Careless if name == "careless" else known(name))
    return "careless"


@pytest.mark.parametrize(
    "problem",
    [
        "careless.peek: end the one-line summary 'Look' with a period",
        "careless.peek: describe item_id under Args:",
        "careless.peek: name the result's fields under Returns:",
        "careless.order: Args: describes colour, which is no parameter",
        "careless.peek can raise not_found: say when under Errors:",
        "careless.order can raise too_few: say when under Errors:",
        "careless.order never raises sold_out: take it from Errors:",
        "careless.peek is marked write=False, but the world changed",
        "careless.order: refused with ",
        "careless.crash: a fault for {}:",
    ],
)
def test_a_careless_service_is_told_what_to_change(careless: str, problem: str) -> None:
    problems: list[str] = []
    for seed in range(3):  # a fault ends the use of a world early
        problems += service_problems(careless, seed, 30)
        rng = np.random.default_rng(seed)
        for spec in catalogue.tools_of(careless).values():
            problems += use(filled_world([careless], rng), [careless], rng, 2)[0] if spec.tool == "peek" else []
    assert any(line.startswith(problem) for line in problems), problems


def test_a_differing_interface_is_told_what_to_change(careless: str) -> None:
    reference = [
        {"tool": "peek", "parameters": [{"name": "item_id", "type": "int", "required": True}]},
        {"tool": "order", "parameters": [{"name": "amount", "type": "int", "required": False}]},
        {"tool": "crash", "parameters": [{"name": "hard", "type": "bool", "required": True}]},
        {"tool": "absent", "parameters": []},
    ]
    assert reference_interface(careless, reference) == [
        "careless.peek: item_id must take a JSON integer (int)",
        "careless.order: amount must be optional",
        "careless.crash has no parameter hard: add it",
        "careless.absent is missing: add a @tool of this name",
    ]


# -- sampling ----------------------------------------------------------------------------------------------------------


def test_every_sample_is_accepted_by_the_validator(name: str) -> None:
    rng = np.random.default_rng(5)
    for spec in catalogue.tools_of(name).values():
        for _ in range(50):
            spec.arguments.validate(sample_arguments(spec, rng, ("id_1", "id_2")))


def test_samples_are_a_function_of_the_generators_seed(name: str) -> None:
    def draw(spec: ToolSpec) -> list[Any]:
        rng = np.random.default_rng(6)
        return [sample_arguments(spec, rng, ("id_1",)) for _ in range(5)]

    for spec in catalogue.tools_of(name).values():
        assert draw(spec) == draw(spec)
