"""Params: canonical values, draws that depend on nothing but their own name and seed, and the seeds themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.checks.expressions import ExpressionError
from lifegym.task_suite.schema import ParamModel
from lifegym.task_suite.variants import SEEDS, draw_params, effective_seed, generator

SEED = st.integers(0, SEEDS - 1)


def params(**models: dict[str, Any]) -> dict[str, ParamModel]:
    return {name: ParamModel.model_validate(model) for name, model in models.items()}


COLOUR = {"is": "red", "draw": {"choice": ["red", "green", "blue"]}}
COUNT = {"is": 5, "draw": {"range": [10, 20, 5]}}
ORDER = {"is": [1, 2, 3], "draw": {"shuffle": [1, 2, 3]}}
FIXED = {"is": {"a": 1}}
TWICE = {"calc": "p.count * 2"}


def test_canonical_values_are_those_that_stand_there() -> None:
    drawn = draw_params("t", params(colour=COLOUR, count=COUNT, order=ORDER, fixed=FIXED, twice=TWICE), "canonical", 0)
    assert drawn == {"colour": "red", "count": 5, "order": [1, 2, 3], "fixed": {"a": 1}, "twice": 10}
    with pytest.raises(TypeError):
        drawn["colour"] = "x"


def test_the_canonical_variant_ignores_the_seed() -> None:
    assert effective_seed("canonical", 77) == effective_seed("canonical", -1) == 0


@given(SEED, SEED)
def test_train_and_test_seeds_are_disjoint(one: int, other: int) -> None:
    assert effective_seed("train", one) != effective_seed("test", other)
    assert 0 <= effective_seed("train", one) < SEEDS <= effective_seed("test", other) < 2 * SEEDS
    assert (effective_seed("train", one) == effective_seed("train", other)) == (one == other)


@pytest.mark.parametrize("seed", [-1, SEEDS, 10**30, True, 1.5, "1", None, 2.0])
def test_seeds_out_of_range_are_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match=f"a variant seed is a whole number from 0 to {SEEDS - 1}, not"):
        effective_seed("train", seed)


def test_numpy_seeds_are_whole_numbers() -> None:
    assert effective_seed("train", np.int64(7)) == 7
    assert type(effective_seed("test", np.int64(7))) is int


def test_unknown_variants_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown variant 'dev'; use one of: canonical, train, test"):
        effective_seed("dev", 0)


@given(SEED, st.sampled_from(["train", "test"]))
def test_draws_stay_within_their_kind(seed: int, variant: str) -> None:
    drawn = draw_params("t", params(colour=COLOUR, count=COUNT, order=ORDER, fixed=FIXED, twice=TWICE), variant, seed)
    assert drawn["colour"] in ("red", "green", "blue")
    assert drawn["count"] in (10, 15, 20)
    assert sorted(drawn["order"]) == [1, 2, 3]
    assert drawn["fixed"] == {"a": 1}
    assert drawn["twice"] == 2 * drawn["count"]


@given(SEED)
def test_a_new_param_moves_no_other(seed: int) -> None:
    few = draw_params("t", params(count=COUNT, order=ORDER), "train", seed)
    many = draw_params("t", params(new=COLOUR, order=ORDER, other=COUNT, count=COUNT, last=ORDER), "train", seed)
    assert {name: many[name] for name in few} == few


def test_every_value_is_drawn_and_variants_tasks_and_names_differ() -> None:
    models = params(colour=COLOUR, count=COUNT, again=COUNT)
    draws = [draw_params("t", models, "train", seed) for seed in range(60)]
    assert {draw["colour"] for draw in draws} == {"red", "green", "blue"}
    assert {draw["count"] for draw in draws} == {10, 15, 20}
    assert [d["count"] for d in draws] != [d["again"] for d in draws]
    assert draws != [draw_params("t", models, "test", seed) for seed in range(60)]
    assert draws != [draw_params("u", models, "train", seed) for seed in range(60)]


def test_draws_are_the_same_in_every_process() -> None:
    script = (
        "from lifegym.task_suite.variants import generator\n"
        "print([generator('t', 'train', 7, 'x').randrange(10**9) for _ in range(3)])"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True
    )
    assert run.stdout.strip() == str([generator("t", "train", 7, "x").randrange(10**9) for _ in range(3)])
    assert generator("t", "train", 7, "x").randrange(10**9) == 767237210


@pytest.mark.parametrize("source", ["p.nothing", "p.later", "one([])", "1 / 0", "min([])"])
def test_a_calculation_that_does_not_work_out_names_its_param(source: str) -> None:
    with pytest.raises(ExpressionError, match=r"^param wrong: "):
        draw_params("t", params(wrong={"calc": source}, later=FIXED), "canonical", 0)


def test_calculated_dates_are_texts() -> None:
    models = params(
        day={"is": "2026-03-02"}, next={"calc": "date(p.day) + days(1)"}, weekday={"calc": "date(p.next).weekday"}
    )
    assert draw_params("t", models, "canonical", 0) == {"day": "2026-03-02", "next": "2026-03-03", "weekday": "Tue"}
