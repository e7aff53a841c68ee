"""The agenda keeps one order."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.world import Agenda


def _drain(agenda: Agenda) -> list[str]:
    return [agenda.pop().verb for _ in range(len(agenda))]


def test_entries_come_by_time_then_by_the_order_of_their_addition() -> None:
    agenda = Agenda()
    for verb, time in (("c", 20), ("a", 10), ("d", 20), ("b", 10)):
        agenda.add(time, "owner", verb)
    assert agenda.next_time() == 10
    assert [entry.verb for entry in agenda.entries()] == ["a", "b", "c", "d"]
    assert len(agenda) == 4
    assert _drain(agenda) == ["a", "b", "c", "d"]


def test_early_entries_precede_the_others_of_their_instant_only() -> None:
    agenda = Agenda()
    agenda.add(10, "timeline", "event")
    agenda.add(10, "sample", "first", early=True)
    agenda.add(10, "sample", "second", early=True)
    agenda.add(9, "timeline", "before")
    assert _drain(agenda) == ["before", "first", "second", "event"]


def test_nothing_waits() -> None:
    agenda = Agenda()
    assert agenda.next_time() is None
    assert agenda.entries() == []
    with pytest.raises(IndexError):
        agenda.pop()


def test_an_entry_keeps_its_data_read_only_and_apart_from_the_callers() -> None:
    agenda, given_list = Agenda(), [1]
    entry = agenda.add(5, "banking", "post", ids=given_list, time=3, owner="x", verb="y", early_bird=True)
    given_list.append(2)
    assert entry.data == {"ids": [1], "time": 3, "owner": "x", "verb": "y", "early_bird": True}
    with pytest.raises(TypeError):
        entry.data["ids"].append(3)


def test_equal_instants_never_compare_data() -> None:
    agenda = Agenda()
    agenda.add(1, "a", "x", value=None)
    agenda.add(1, "a", "x", value={"not": "comparable"})
    assert [entry.data["value"] for entry in agenda.entries()] == [None, {"not": "comparable"}]


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "early", "pop", "fork", "swap", "pickle"]), st.integers(0, 5)), max_size=40
)


@given(STEPS)
def test_forks_and_pickles_go_on_alone_in_the_same_order(steps: list[tuple[str, int]]) -> None:
    """Two branches against two plain lists sorted by (time, late, number)."""
    here, there = Agenda(), Agenda()
    want_here: list[Any] = []
    want_there: list[Any] = []
    count_here = count_there = 0
    for number, (kind, time) in enumerate(steps):
        if kind in ("add", "early"):
            count_here += 1
            here.add(time, "o", str(number), early=kind == "early")
            want_here.append((time, kind != "early", count_here, str(number)))
        elif kind == "pop" and want_here:
            first = min(want_here)
            want_here.remove(first)
            assert here.pop().verb == first[3]
        elif kind == "fork":
            there, want_there, count_there = here.fork(), list(want_here), count_here
        elif kind == "swap":
            here, there = there, here
            want_here, want_there = want_there, want_here
            count_here, count_there = count_there, count_here
        elif kind == "pickle":
            here = pickle.loads(pickle.dumps(here))
        for agenda, want in ((here, want_here), (there, want_there)):
            assert [entry.verb for entry in agenda.entries()] == [item[3] for item in sorted(want)]
            assert agenda.next_time() == (min(want)[0] if want else None)
