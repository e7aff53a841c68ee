"""The collector looks seldom for a while, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from lifegym.garbage import collecting_seldom


@pytest.fixture(autouse=True)
def _kept() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


def test_it_is_as_before_afterwards_even_where_something_raises() -> None:
    gc.set_threshold(700, 10, 10)
    with collecting_seldom():
        assert gc.get_threshold()[0] > 100_000
    with pytest.raises(KeyError), collecting_seldom():
        {}["no such key"]
    assert gc.get_threshold() == (700, 10, 10)


def test_a_collector_that_is_turned_off_stays_so() -> None:
    gc.set_threshold(0, 10, 10)
    with collecting_seldom():
        assert gc.get_threshold()[0] == 0
    assert gc.get_threshold()[0] == 0


def test_one_within_another() -> None:
    gc.set_threshold(1_000_000, 10, 10)
    with collecting_seldom(), collecting_seldom():
        assert gc.get_threshold()[0] == 1_000_000
    assert gc.get_threshold()[0] == 1_000_000
