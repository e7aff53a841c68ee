"""Files: paths stay inside, sizes are capped, forks are independent."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lifegym.world import File, Workspace, WorkspaceError
from lifegym.world.workspace import FILE_LIMIT, TREE_LIMIT


@pytest.mark.parametrize(
    ("path", "clean"),
    [
        ("a.md", "a.md"),
        ("./notes//plan.md", "notes/plan.md"),
        ("/notes/plan.md", "notes/plan.md"),
        ("notes\\plan.md", "notes/plan.md"),
        ("notes/./plan.md/", "notes/plan.md"),
        ("...", "..."),
        ("计划/东京.md", "计划/东京.md"),
        ("x" * 200, "x" * 200),
    ],
)
def test_paths_are_normalised(path: str, clean: str) -> None:
    assert Workspace.normalise(path) == clean
    assert Workspace.normalise(clean) == clean


@pytest.mark.parametrize(
    "path",
    ["", "/", ".", "..", "../x", "a/../../x", "a/..", "..\\x", "a\nb", "a\x00b", "a\x7fb", "\ud800", "x" * 201, "​"],
    ids=ascii,
)
def test_paths_that_leave_or_cannot_be_shown_are_refused(path: str) -> None:
    with pytest.raises(WorkspaceError) as refused:
        Workspace.normalise(path)
    assert refused.value.code == "bad_path"


@given(st.text(alphabet="ab./\\ \n~", max_size=12))
def test_no_normalised_path_leaves(path: str) -> None:
    try:
        clean = Workspace.normalise(path)
    except WorkspaceError:
        return
    assert clean
    assert not clean.startswith("/")
    assert not {"", ".", ".."} & set(clean.split("/"))


def test_writing_reading_deleting() -> None:
    files = Workspace()
    assert files.write("b.md", "one", 5) == File("one", 5) == files.get("b.md")
    files.write("a.md", "two", 6)
    files.write("b.md", "three", 7)
    assert files.paths() == ["a.md", "b.md"]
    assert files.files() == [("a.md", File("two", 6)), ("b.md", File("three", 7))]
    assert files.delete("b.md") == File("three", 7)
    assert files.get("b.md") is None
    with pytest.raises(KeyError):
        files.delete("b.md")


def _refused(files: Workspace, path: str, text: str = "x") -> str:
    before = files.files()
    with pytest.raises(WorkspaceError) as refused:
        files.write(path, text, 1)
    assert files.files() == before
    return refused.value.code


def test_sizes_count_bytes() -> None:
    files = Workspace()
    files.write("a.md", "x" * FILE_LIMIT, 0)
    files.write("b.md", "é" * (FILE_LIMIT // 2), 0)
    assert _refused(files, "a.md", "x" * (FILE_LIMIT + 1)) == "file_too_large"
    assert _refused(files, "c.md", "é" * (FILE_LIMIT // 2 + 1)) == "file_too_large"


def test_the_number_of_files_is_limited() -> None:
    files = Workspace()
    for number in range(TREE_LIMIT):
        files.write(f"f{number}", "", 0)
    assert _refused(files, "one-more") == "workspace_full"
    files.write("f0", "replacing is fine", 0)
    files.delete("f1")
    files.write("one-more", "", 0)


def test_a_path_is_a_file_or_a_folder() -> None:
    files = Workspace()
    files.write("a/b/c", "", 0)
    assert _refused(files, "a") == "is_folder"
    assert _refused(files, "a/b") == "is_folder"
    assert _refused(files, "a/b/c/d") == "not_a_folder"
    assert _refused(files, "a/b/c/d/e") == "not_a_folder"
    files.write("a/bb", "", 0)
    files.delete("a/b/c")
    files.write("a/b", "free now", 0)


STEPS = st.lists(
    st.tuples(
        st.integers(0, 3), st.sampled_from(["write", "write", "delete", "fork", "pickle"]), st.sampled_from("abc")
    ),
    max_size=40,
)


@given(STEPS)
def test_forks_of_forks_never_see_each_other(steps: list[tuple[int, str, str]]) -> None:
    trees: list[tuple[Workspace, dict[str, Any]]] = [(Workspace(), {})]
    for now, (number, kind, path) in enumerate(steps):
        at = number % len(trees)
        files, want = trees[at]
        if kind == "write":
            files.write(path, f"text {now}", now)
            want[path] = File(f"text {now}", now)
        elif kind == "delete" and path in want:
            assert files.delete(path) == want.pop(path)
        elif kind == "fork":
            trees.append((files.fork(), dict(want)))
        elif kind == "pickle":
            trees[at] = (pickle.loads(pickle.dumps(files)), want)
        for tree, expected in trees:
            assert tree.files() == sorted(expected.items())
