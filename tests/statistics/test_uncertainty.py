"""Intervals and comparisons, against scipy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from lifegym.statistics import bootstrap_mean, paired_difference, permutation_p, spearman

SCORES = [12.0, 30.5, 44.0, 51.0, 51.0, 63.5, 70.0, 88.0, 91.0, 100.0]


def test_the_bootstrap_agrees_with_scipy():
    mine = bootstrap_mean(SCORES)
    theirs = scipy.stats.bootstrap(
        (SCORES,), np.mean, n_resamples=10_000, method="percentile", random_state=np.random.default_rng(1)
    ).confidence_interval
    assert mine.mean == pytest.approx(np.mean(SCORES))
    assert mine.low == pytest.approx(theirs.low, abs=0.8)
    assert mine.high == pytest.approx(theirs.high, abs=0.8)


def test_the_same_seed_gives_the_same_interval_and_another_nearly_it():
    assert bootstrap_mean(SCORES, seed=3) == bootstrap_mean(SCORES, seed=3)
    assert bootstrap_mean(SCORES, seed=3) != bootstrap_mean(SCORES, seed=4)


def test_a_wider_confidence_is_a_wider_interval():
    narrow, wide = bootstrap_mean(SCORES, 0.5), bootstrap_mean(SCORES, 0.99)
    assert wide.low < narrow.low < narrow.mean < narrow.high < wide.high


def test_nothing_to_resample():
    assert bootstrap_mean([7.0]) == (7.0, 7.0, 7.0)
    with pytest.raises(ValueError, match="nothing"):
        bootstrap_mean([])
    with pytest.raises(ValueError, match="between 0 and 1"):
        bootstrap_mean(SCORES, 95)


def test_a_paired_difference_is_narrower_than_its_sides():
    better = [score + 5 + (i % 2) for i, score in enumerate(SCORES)]
    found = paired_difference(SCORES, better)
    assert found.mean == pytest.approx(5.5)
    assert 5 <= found.low <= found.high <= 6
    with pytest.raises(ValueError, match="no pairs"):
        paired_difference([1.0], [1.0, 2.0])


def test_permutation_agrees_with_scipy():
    first, second = SCORES[:5], SCORES[5:]
    theirs = scipy.stats.permutation_test(
        (first, second), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf, alternative="two-sided"
    ).pvalue
    assert permutation_p(first, second) == pytest.approx(theirs, abs=0.005)
    assert permutation_p(first, first) == 1.0
    assert permutation_p(first, []) is None


@given(
    st.lists(st.tuples(st.integers(0, 9), st.floats(0, 100, allow_subnormal=False)), min_size=3, max_size=30).filter(
        lambda pairs: len({a for a, _ in pairs}) > 1 and len({b for _, b in pairs}) > 1
    )
)
def test_spearman_agrees_with_scipy(pairs):
    first, second = zip(*pairs, strict=True)
    assert spearman(first, second) == pytest.approx(scipy.stats.spearmanr(first, second).statistic, abs=1e-9)


def test_spearman_of_too_little():
    assert spearman([1, 2], [3, 4]) is None
    assert spearman([1, 1, 1], [3, 4, 5]) is None
    with pytest.raises(ValueError, match="no pairs"):
        spearman([1, 2, 3], [1, 2])
