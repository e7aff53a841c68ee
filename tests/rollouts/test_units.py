"""Which episodes are played."""

from __future__ import annotations

import pytest

from lifegym.rollouts.units import Key, find_tasks, plan
from lifegym.task_suite import task_ids


def keys(*arguments):
    return [unit.key[1:] for unit in plan(*arguments)]


def test_canonical_is_one_world_played_again(small_debts):
    assert keys([small_debts], 3, "canonical", None) == [("canonical", 0, 0), ("canonical", 0, 1), ("canonical", 0, 2)]
    assert [unit.agent_seed for unit in plan([small_debts], 3, "canonical", None)] == [0, 1, 2]


def test_a_drawn_variant_has_another_world_each_run(small_debts):
    assert keys([small_debts], 2, "train", None) == [("train", 0, 0), ("train", 1, 1)]


def test_named_seeds_are_each_played_so_often(small_debts):
    assert keys([small_debts], 2, "test", [7, 3, 7]) == [("test", 7, 0), ("test", 7, 1), ("test", 3, 0), ("test", 3, 1)]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((3, "canonical", [1]), "takes no seeds"),
        ((3, "exam", None), "unknown variant"),
        ((3, "train", [-1]), "whole number"),
        ((0, "train", None), "at least once"),
        ((1, "train", []), "nothing to play"),
    ],
)
def test_what_cannot_be_planned(small_debts, arguments, told):
    with pytest.raises(ValueError, match=told):
        plan([small_debts], *arguments)


def test_tasks_by_id_pattern_folder_and_list(small_debts, tmp_path):
    assert [task.id for task in find_tasks("travel/*")][:1] == ["japan-trip"]
    assert [task.id for task in find_tasks("*")] == task_ids()
    listed = tmp_path / "mine.txt"
    listed.write_text(f"# the small one\n{small_debts.source}  # first\n\njapan-trip\n")
    found = find_tasks([str(listed), "japan-trip"])
    assert [task.id for task in found] == ["small-debts", "japan-trip"]
    with pytest.raises(KeyError, match="do you mean japan-trip"):
        find_tasks(["japan-tripp"])
    with pytest.raises(KeyError, match=r"there is no file other\.txt"):
        find_tasks(["other.txt"])
    listed.write_text(f"{listed}\n")
    with pytest.raises(ValueError, match="names itself"):
        find_tasks([str(listed)])
    listed.write_bytes(b"\xff\n")
    with pytest.raises(ValueError, match="write it as UTF-8"):
        find_tasks([str(listed)])


def test_a_key_is_a_plain_tuple(small_debts):
    assert plan([small_debts], 1, "canonical", None)[0].key == Key("small-debts", "canonical", 0, 0)
