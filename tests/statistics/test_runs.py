"""Scores of several runs, pass rates and bands: by hand, and as the papers define them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.statistics import difficulty, pass_all, pass_any, suite_pass, suite_statistics, task_statistics

points = st.floats(0, 100)


def test_three_runs_by_hand():
    found = task_statistics([30.0, 60.0, 90.0])
    assert (found.runs, found.avg, found.max, found.min, found.std) == (3, 60.0, 90.0, 30.0, 30.0)


def test_one_run_has_no_spread_and_none_has_no_statistics():
    assert task_statistics([50.0]).std is None
    with pytest.raises(ValueError, match="without a scored run"):
        task_statistics([])
    with pytest.raises(ValueError, match="no task"):
        suite_statistics({"a": []})


def test_tasks_have_equal_weight_whatever_their_runs():
    found = suite_statistics({"a": [100.0, 100.0, 100.0, 100.0], "b": [0.0, 20.0], "c": [50.0], "d": []})
    assert found.tasks == 3
    assert found.avg == pytest.approx((100 + 10 + 50) / 3)
    assert (found.max, found.min) == (pytest.approx((100 + 20 + 50) / 3), pytest.approx((100 + 0 + 50) / 3))
    assert found.std == pytest.approx((0 + np.std([0, 20], ddof=1)) / 2)  # c has no spread and does not count


def test_the_threshold_is_to_be_passed_not_reached():
    assert pass_any([80.0, 80.0, 80.0], 3) == 0.0
    assert pass_any([80.1, 0.0, 0.0], 3) == 1.0
    assert pass_all([80.1, 90.0, 100.0], 3) == 1.0
    assert pass_all([80.1, 90.0, 80.0], 3) == 0.0


@given(st.lists(points, min_size=1, max_size=8), st.data())
def test_pass_rates_are_means_over_all_choices(scores, data):
    k = data.draw(st.integers(1, len(scores)))
    choices = [[score > 80 for score in chosen] for chosen in combinations(scores, k)]
    assert pass_any(scores, k) == pytest.approx(np.mean([any(chosen) for chosen in choices]))
    assert pass_all(scores, k) == pytest.approx(np.mean([all(chosen) for chosen in choices]))


@pytest.mark.parametrize("k", [0, 4, -1])
def test_more_runs_than_there_are_is_an_error(k):
    for rate in (pass_any, pass_all):
        with pytest.raises(ValueError, match="k is from 1 to the number of runs, 3"):
            rate([1.0, 2.0, 3.0], k)


def test_pass_rates_of_a_suite():
    found = suite_pass({"a": [90.0, 10.0, 10.0], "b": [90.0, 90.0, 90.0]}, 3)
    assert found == {"pass@3": 1.0, "pass^3": 0.5}
    assert suite_pass({"a": [90.0, 10.0], "b": [90.0, 90.0, 90.0]}, 3) is None


@pytest.mark.parametrize(
    ("average", "band"), [(100, "easy"), (70.1, "easy"), (70, "medium"), (30.1, "medium"), (30, "hard"), (0, "hard")]
)
def test_bands_of_difficulty(average, band):
    assert difficulty(average) == band


def test_no_band_outside_the_scale():
    with pytest.raises(ValueError, match="from 0 to 100"):
        difficulty(101)
