"""Two runs compared, and several on a board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import orjson
import pytest

from lifegym.reports.board import board, board_page, write_board
from lifegym.reports.comparison import compare, comparison_page
from lifegym.rollouts import RunError, RunFolder

Make = Callable[..., Path]


@pytest.fixture
def two(run_of: Make) -> list[RunFolder]:
    """A run that does nothing, and one that does everything."""
    return [RunFolder.read(run_of("idle", "lazy")), RunFolder.read(run_of("reference", "good"))]


def change(run: RunFolder, **facts: object) -> RunFolder:
    """The run with other facts of its task in the manifest."""
    run.manifest["tasks"]["small-debts"].update(facts)
    (run.path / "manifest.json").write_bytes(orjson.dumps(run.manifest))
    return RunFolder.read(run.path)


def test_the_difference_is_the_second_less_the_first(two: list[RunFolder]) -> None:
    found = compare(*two)
    assert found["averages"][1] == 100.0
    assert found["difference"]["mean"] == found["averages"][1] - found["averages"][0] > 0
    assert (found["better"], found["worse"], found["equal"]) == (1, 0, 0)
    assert compare(two[1], two[0])["difference"]["mean"] == -found["difference"]["mean"]
    assert compare(two[1], two[1])["equal"] == 1


def test_checks_that_flipped_are_told_with_what_they_ask(two: list[RunFolder]) -> None:
    flipped = {line["check"]: line for line in compare(*two)["flipped"]}
    assert flipped["C1"]["gained"]
    assert flipped["C1"]["what"] == "The debt is paid once."
    assert (flipped["C1"]["first"], flipped["C1"]["second"]) == (0.0, 1.0)
    assert compare(two[0], two[0])["flipped"] == []


def test_another_version_of_a_task_is_no_pair(two: list[RunFolder]) -> None:
    two[1] = change(two[1], content_hash="other")
    with pytest.raises(RunError, match="no task in common"):
        compare(*two)


def test_a_run_without_a_score_is_no_pair(two: list[RunFolder]) -> None:
    (two[1].path / "results.jsonl").unlink()
    with pytest.raises(RunError, match=r"good has no score yet; .*evaluate"):
        compare(*two)


def test_the_page_of_a_comparison_has_its_figures(two: list[RunFolder]) -> None:
    text = comparison_page(compare(*two))
    assert "lazy" in text
    assert "The debt is paid once." in text


def test_a_board_ranks_the_best_first(two: list[RunFolder], tmp_path: Path) -> None:
    found = write_board(two, tmp_path / "site")
    assert [line["name"] for line in found["runs"]] == ["good", "lazy"]
    assert orjson.loads((tmp_path / "site" / "board.json").read_bytes()) == found
    assert (tmp_path / "site" / "index.html").read_text() == board_page(found)


def test_a_board_without_a_common_task_ranks_by_what_there_is_and_says_so(two: list[RunFolder]) -> None:
    found = board([two[0], change(two[1], content_hash="other")])
    assert "no task in common" in found["notes"][0]
    assert [line["name"] for line in found["runs"]] == ["good", "lazy"]


def test_a_run_without_a_score_stands_last_and_leaves_the_others_alone(two: list[RunFolder], run_of: Make) -> None:
    both = board(two)
    empty = RunFolder.read(run_of("idle", "empty"))
    (empty.path / "results.jsonl").unlink()
    found = board([empty, *two])
    assert found["runs"][:2] == both["runs"]
    assert (found["runs"][2]["name"], found["runs"][2]["avg"]) == ("empty", None)
    assert found["notes"] == ["empty has no score yet: lifegym evaluate plays what is missing."]
    assert "empty has no score yet" in board_page(orjson.loads(orjson.dumps(found)))
    assert board([empty])["runs"][0]["avg"] is None


def test_runs_of_the_same_name_cannot_be_told_apart(two: list[RunFolder], run_of: Make) -> None:
    with pytest.raises(RunError, match="is named twice"):
        board([two[0], two[0]])
    with pytest.raises(RunError, match="rename one"):
        board([two[0], RunFolder.read(run_of("idle", "other/lazy"))])
    with pytest.raises(RunError, match="needs a run"):
        board([])
