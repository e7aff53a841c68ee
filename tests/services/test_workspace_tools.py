"""The file tools of the assistant."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lifegym.services import dispatch
from lifegym.services.dispatch import Call
from lifegym.world import World
from lifegym.world.workspace import FILE_LIMIT, TREE_LIMIT

FILES = {
    "docs/contract.txt": "Rental contract\nThe rent is 5200 a month.\nNotice period: 30 days.\n",
    "docs/trips/kyoto.md": "# Kyoto\nRyokan near the station, two nights.\n",
    "docs/trips/tokyo.md": "# Tokyo\nHotel in Ueno, café downstairs.\n",
    "ledger.csv": "date,amount\n2026-04-17,5200\n",
    "USER.md": "Ann Lee lives in Shanghai. Her landlord is Mr Gao.\n",
    "empty.md": "",
}


@pytest.fixture
def files(desk: Any) -> Any:
    d = desk()
    for path, text in FILES.items():
        d.world.workspace.write(path, text, d.world.now)
    return d


def text_of(d: Any, path: str) -> str:
    return str(d.world.workspace.get(path).text)


# -- looking ---------------------------------------------------------------------------------------------------------


def test_listing_shows_every_file_by_path(files: Any) -> None:
    listed = files.call("workspace.list_files")
    assert [file["path"] for file in listed["files"]] == sorted(FILES)
    assert (listed["total"], listed["page"], listed["pages"]) == (6, 1, 1)
    assert listed["files"][0] == {"path": "USER.md", "chars": 51, "changed_at": "2026-04-17T09:00:00+08:00"}


@pytest.mark.parametrize(
    ("folder", "count"),
    [("docs", 3), ("docs/", 3), ("/docs/trips", 2), ("doc", 0), ("ledger.csv", 0), (".", 6), ("./", 6), (" / ", 6)],
)
def test_listing_a_folder(files: Any, folder: str, count: int) -> None:
    assert files.call("workspace.list_files", folder=folder)["total"] == count


def test_listing_in_pages(files: Any) -> None:
    page = files.call("workspace.list_files", page=2, page_size=4)
    assert ([file["path"] for file in page["files"]], page["pages"]) == (["empty.md", "ledger.csv"], 2)
    assert files.refused("workspace.list_files", page=0) == "bad_page"
    assert files.refused("workspace.list_files", page_size=101) == "bad_page"


@pytest.mark.parametrize("folder", ["..", "../etc", "docs/../..", "a\nb"])
def test_listing_outside_is_refused(files: Any, folder: str) -> None:
    assert files.refused("workspace.list_files", folder=folder) == "bad_path"


def test_reading_whole_and_in_parts(files: Any) -> None:
    whole = files.call("workspace.read_file", path="./docs/contract.txt")
    assert whole == {"path": "docs/contract.txt", "text": FILES["docs/contract.txt"], "lines": 3, "next_line": None}
    part = files.call("workspace.read_file", path="docs/contract.txt", start_line=2, max_lines=1)
    assert (part["text"], part["next_line"]) == ("The rent is 5200 a month.\n", 3)
    rest = files.call("workspace.read_file", path="docs/contract.txt", start_line=part["next_line"])
    assert (rest["text"], rest["next_line"]) == ("Notice period: 30 days.\n", None)
    assert files.call("workspace.read_file", path="docs/contract.txt", start_line=99)["text"] == ""
    assert files.call("workspace.read_file", path="empty.md")["lines"] == 0


def test_reading_what_cannot_be_read(files: Any) -> None:
    assert files.refused("workspace.read_file", path="docs") == "not_found"
    assert files.refused("workspace.read_file", path="nope.md") == "not_found"
    assert files.refused("workspace.read_file", path="../nope.md") == "bad_path"
    assert files.refused("workspace.read_file", path="USER.md", start_line=0) == "bad_range"
    assert files.refused("workspace.read_file", path="USER.md", max_lines=0) == "bad_range"
    assert files.refused("workspace.read_file", path="USER.md", max_lines=5001) == "bad_range"


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("rent", "docs/contract.txt", 1),
        ("notice period", "docs/contract.txt", 3),
        ("contract", "docs/contract.txt", 1),
        ("kyoto", "docs/trips/kyoto.md", 1),
        ("ryokan", "docs/trips/kyoto.md", 2),
        ("ryokans", "docs/trips/kyoto.md", 1),
        ("ryokn", "docs/trips/kyoto.md", 1),
        ("cafe ueno", "docs/trips/tokyo.md", 2),
        ("ledger", "ledger.csv", 1),
        ("5200", "docs/contract.txt", 2),
        ("landlord gao", "USER.md", 1),
        ("Shangai", "USER.md", 1),
        ("two nights", "docs/trips/kyoto.md", 2),
    ],
)
def test_searching(files: Any, query: str, path: str, line: int) -> None:
    found = files.call("workspace.search_files", query=query)["matches"]
    assert (found[0]["path"], found[0]["line"]) == (path, line)
    assert found[0]["text"] == FILES[path].splitlines()[line - 1]


def test_searching_gives_as_many_as_asked_for(files: Any) -> None:
    found = files.call("workspace.search_files", query="md", limit=2)
    assert (len(found["matches"]), found["total"]) == (2, 4)
    assert files.call("workspace.search_files", query="zebra") == {"matches": [], "total": 0}
    assert files.call("workspace.search_files", query="empty")["matches"][0]["text"] == ""
    for limit in (0, 101):
        assert files.refused("workspace.search_files", query="md", limit=limit) == "bad_limit"


def test_a_long_line_is_cut_in_the_matches(files: Any) -> None:
    files.call("workspace.write_file", path="long.txt", text="zebra " * 1000)
    assert len(files.call("workspace.search_files", query="zebra")["matches"][0]["text"]) == 200


# -- writing ---------------------------------------------------------------------------------------------------------


def test_writing_creates_and_replaces(files: Any) -> None:
    made = files.call("workspace.write_file", path="/notes//new.md", text="one")
    assert made == {"path": "notes/new.md", "chars": 3, "changed_at": "2026-04-17T09:00:00+08:00", "created": True}
    files.until("2026-04-18T10:00:00")
    again = files.call("workspace.write_file", path="notes/new.md", text="other")
    assert (again["created"], again["changed_at"]) == (False, "2026-04-18T10:00:00+08:00")
    assert text_of(files, "notes/new.md") == "other"


def test_appending_puts_a_line_break_where_it_is_missing(files: Any) -> None:
    for text in ("a", "b\n", "c", ""):
        files.call("workspace.append_file", path="log.md", text=text)
    assert text_of(files, "log.md") == "a\nb\nc\n"
    assert files.call("workspace.append_file", path="empty.md", text="x")["chars"] == 1


def test_editing_replaces_what_stands_there_exactly(files: Any) -> None:
    edited = files.call("workspace.edit_file", path="docs/contract.txt", old="5200", new="5400")
    assert edited["replaced"] == 1
    assert "The rent is 5400 a month." in text_of(files, "docs/contract.txt")
    assert files.refused("workspace.edit_file", path="docs/contract.txt", old="5200", new="1") == "no_match"
    assert files.refused("workspace.edit_file", path="docs/contract.txt", old="", new="1") == "no_match"
    assert files.refused("workspace.edit_file", path="docs/contract.txt", old="n", new="m") == "several_matches"
    assert files.refused("workspace.edit_file", path="nope.md", old="n", new="m") == "not_found"
    assert files.refused("workspace.edit_file", path="..", old="n", new="m") == "bad_path"
    times = FILES["docs/contract.txt"].count("t")
    edited = files.call("workspace.edit_file", path="docs/contract.txt", old="t", new="T", replace_all=True)
    assert edited["replaced"] == times


def test_deleting(files: Any) -> None:
    assert files.call("workspace.delete_file", path="USER.md") == {"path": "USER.md", "deleted": True}
    assert files.refused("workspace.delete_file", path="USER.md") == "not_found"
    assert files.refused("workspace.delete_file", path="docs") == "not_found"
    assert files.refused("workspace.delete_file", path="") == "bad_path"


def test_moving(files: Any) -> None:
    moved = files.call("workspace.move_file", path="USER.md", new_path="people/ann.md")
    assert (moved["path"], moved["chars"]) == ("people/ann.md", 51)
    assert text_of(files, "people/ann.md") == FILES["USER.md"]
    assert files.refused("workspace.read_file", path="USER.md") == "not_found"
    assert files.call("workspace.move_file", path="ledger.csv", new_path="ledger.csv/2026.csv")["chars"] == 28
    assert files.refused("workspace.move_file", path="nope.md", new_path="x.md") == "not_found"
    assert files.refused("workspace.move_file", path="empty.md", new_path="people/ann.md") == "exists"
    assert files.refused("workspace.move_file", path="empty.md", new_path="empty.md") == "exists"
    assert files.refused("workspace.move_file", path="empty.md", new_path="docs") == "is_folder"
    assert files.refused("workspace.move_file", path="empty.md", new_path="people/ann.md/x") == "not_a_folder"
    assert files.refused("workspace.move_file", path="empty.md", new_path="../x") == "bad_path"
    assert files.refused("workspace.move_file", path="../x", new_path="y") == "bad_path"


@pytest.mark.parametrize("tool", ["workspace.write_file", "workspace.append_file"])
def test_what_cannot_be_written(files: Any, tool: str) -> None:
    assert files.refused(tool, path="../x", text="") == "bad_path"
    assert files.refused(tool, path="docs", text="") == "is_folder"
    assert files.refused(tool, path="ledger.csv/x", text="") == "not_a_folder"
    assert files.refused(tool, path="big.md", text="é" * (FILE_LIMIT // 2 + 1)) == "file_too_large"
    for number in range(TREE_LIMIT - len(FILES)):
        files.world.workspace.write(f"many/{number}", "", 0)
    assert files.refused(tool, path="one-more.md", text="") == "workspace_full"
    assert files.call(tool, path="USER.md", text="still fine")


def test_growing_over_the_limit_is_refused(files: Any) -> None:
    files.world.workspace.write("big.md", "ab" * (FILE_LIMIT // 2), 0)
    assert files.refused("workspace.append_file", path="big.md", text="x") == "file_too_large"
    big = {"path": "big.md", "old": "a", "replace_all": True}
    assert files.refused("workspace.edit_file", new="aa", **big) == "file_too_large"
    assert files.refused("workspace.edit_file", new="é", **big) == "file_too_large"
    assert files.call("workspace.edit_file", new="", **big)["chars"] == FILE_LIMIT // 2


PATHS = st.sampled_from(["a", "a/b", "a/b/c", "b.md", "../x", ""])
TEXTS = st.sampled_from(["", "x", "x\ny", "yy\n"])
CALLS = st.one_of(
    st.fixed_dictionaries({"tool": st.just("write_file"), "path": PATHS, "text": TEXTS}),
    st.fixed_dictionaries({"tool": st.just("append_file"), "path": PATHS, "text": TEXTS}),
    st.fixed_dictionaries({"tool": st.just("edit_file"), "path": PATHS, "old": TEXTS, "new": TEXTS}),
    st.fixed_dictionaries({"tool": st.just("delete_file"), "path": PATHS}),
    st.fixed_dictionaries({"tool": st.just("move_file"), "path": PATHS, "new_path": PATHS}),
    st.fixed_dictionaries({"tool": st.just("fork")}),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(CALLS, max_size=25))
def test_any_sequence_keeps_a_tree_of_files(calls: list[dict[str, Any]]) -> None:
    """No path is both a file and a folder, refused calls change nothing, and forks stay as they were."""
    world = World((), dt.date(2026, 4, 17), "UTC", "u_ann")
    forks: list[tuple[World, bytes]] = []
    for given_call in calls:
        name, arguments = given_call["tool"], {k: v for k, v in given_call.items() if k != "tool"}
        if name == "fork":
            forks.append((world.fork(), world.dump()))
            continue
        before = world.dump()
        call = dispatch.parse({"tool": f"workspace.{name}", "arguments": arguments}, world.services)
        assert isinstance(call, Call)
        outcome = dispatch.execute(world, call)
        assert not outcome.fault
        assert outcome.ok or world.dump() == before
        paths = world.workspace.paths()
        assert not any(other.startswith(f"{path}/") for path in paths for other in paths)
    for fork, dump in forks:
        assert fork.dump() == dump
